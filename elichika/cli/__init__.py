"""The command line: `elichika export`, `check`, `verify`, `reweight`, `inspect` and others."""

from elichika.cli import look, reduce, reweight, trace, web  # noqa: F401  # their commands join the others
from elichika.cli.app import app, main

__all__ = ["app", "main"]
