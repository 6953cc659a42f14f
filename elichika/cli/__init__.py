"""The command line: `elichika export`, `check`, `verify` and `canonical`."""

from elichika.cli.app import app, main

__all__ = ["app", "main"]
