"""Where a model can be written."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from elichika.errors import InputError

__all__ = ["require_writable"]


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
