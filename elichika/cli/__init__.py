"""The command line: `elichika export`, `check`, `verify`, `canonical`, `inspect` and `explain`."""

from elichika.cli import look  # noqa: F401  # its commands join the others
from elichika.cli.app import app, main

__all__ = ["app", "main"]
