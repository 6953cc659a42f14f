"""Names of source files that say nothing of the machine: what a model file may hold."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path, PurePath

__all__ = ["portable_file"]


def portable_file(file: str) -> str:
    """Name a source file relative to its package, or else to the working folder.

    A file in neither is named without its folder. What is no file (`<stdin>`) stays.

    Returns:
        The name with forward slashes, on any system.
    """
    return file if file.startswith("<") else _portable(os.path.abspath(file), os.getcwd())


@lru_cache(maxsize=1024)
def _portable(file: str, working_folder: str) -> str:
    path = Path(file)
    package = path.parent
    while package != package.parent and (package / "__init__.py").is_file():
        package = package.parent
    root = package if package != path.parent else Path(working_folder)
    shown: PurePath = path.relative_to(root) if path.is_relative_to(root) else PurePath(path.name)
    return shown.as_posix()
