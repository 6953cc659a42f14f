"""Where a model can be written, for good or for a moment."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex

from elichika.errors import InputError

__all__ = ["refusing", "require_folder", "require_writable", "temporary_folder"]


@contextmanager
def temporary_folder(inside: Path | None = None) -> Iterator[Path]:
    """Make a folder that is gone afterwards.

    Its name is known before it is there, so that an interrupt in between leaves none.

    Args:
        inside: Where to make it, in place of the system's own folder for such.
    """
    parent = Path(tempfile.gettempdir()) if inside is None else inside
    folder = parent / f".elichika-{os.getpid()}-{token_hex(8)}"
    try:
        folder.mkdir(mode=0o700)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def refusing(what: str, path: str | os.PathLike[str]) -> Iterator[None]:
    """Say what could not be done to a file, `read` or `write`, where the system refuses it.

    Raises:
        InputError: It does.
    """
    try:
        yield
    except OSError as error:
        raise InputError(f"Cannot {what} {path}: {error.strerror or error}.") from None


def require_writable(path: str | os.PathLike[str]) -> Path:
    """Say before long work that a file cannot be written, and return where it will be.

    A link is followed, so that what it points to is replaced and not the link.

    Raises:
        InputError: Its folder is missing or closed, or there is something that is no file.
    """
    shown, target = os.fspath(path), Path(os.path.realpath(path))
    folder = target.parent
    try:
        mode = target.stat().st_mode if target.exists() else stat.S_IFREG
        if stat.S_ISDIR(mode):
            raise InputError(f"Cannot write {shown}: it is a folder.")
        if not stat.S_ISREG(mode):
            raise InputError(f"Cannot write {shown}: it is a device or a pipe, not a file.")
        if not folder.is_dir():
            raise InputError(f"Cannot write {shown}: there is no folder {Path(path).parent}.")
    except (OSError, ValueError) as error:  # a name that no file can have
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"Cannot write {shown}: {reason}.") from None
    if not os.access(folder, os.W_OK):
        raise InputError(f"Cannot write {shown}: the folder is not writable.")
    return target


def require_folder(path: Path) -> None:
    """Say before long work that a folder cannot be written, or cannot be made.

    Raises:
        InputError: What is there is no folder, or the nearest one that is there is closed.
    """
    nearest = next(one for one in (path, *path.absolute().parents) if one.exists())
    if not nearest.is_dir():
        raise InputError(f"Cannot write {path}: {nearest} is not a folder.")
    if not os.access(nearest, os.W_OK):
        raise InputError(f"Cannot write {path}: {nearest} is not writable.")
