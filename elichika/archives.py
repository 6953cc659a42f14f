"""Reads `.npz` files that may be damaged or hostile: nothing is unpickled, errors are one line."""

from __future__ import annotations

import os
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from elichika.errors import InputError

__all__ = ["open_archive", "read_array"]

#: What zip files, compressed data and array headers that are damaged make the readers raise.
DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    MemoryError,
    NotImplementedError,
    RuntimeError,
    SyntaxError,
    TypeError,
    KeyError,
)


@contextmanager
def open_archive(path: str | os.PathLike[str], what: str) -> Iterator[Any]:
    """Open an `.npz` file.

    Args:
        path: Where it is.
        what: What it should be, for the error.

    Raises:
        InputError: It is missing or something else.
    """
    try:
        file = open(path, "rb")  # noqa: SIM115  closed below
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror or error}.") from None
    with file:
        try:
            stored = np.load(file, allow_pickle=False)
        except DAMAGE:
            stored = None
        if not isinstance(stored, np.lib.npyio.NpzFile):
            raise InputError(f"{path} is no {what}.")
        with stored:
            yield stored


def read_array(stored: Any, key: str, path: str | os.PathLike[str]) -> np.ndarray[Any, Any] | None:
    """Read an array of an archive; None where it holds Python objects, which need pickle.

    Raises:
        InputError: The file is damaged there.
    """
    try:
        array = stored[key]
    except DAMAGE as error:
        if "allow_pickle=False" in str(error):
            return None
        text = " ".join(str(error).split()) or type(error).__name__
        raise InputError(f"{path} is damaged at {key}: {text}.") from None
    if not isinstance(array, np.ndarray):  # a member that is no .npy file comes as its bytes
        raise InputError(f"{path} is damaged at {key}: it is no array.")
    return array
