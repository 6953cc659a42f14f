"""Reads `.npz` files that may be damaged or hostile: nothing is unpickled, errors are one line."""

from __future__ import annotations

import math
import os
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from elichika.errors import InputError
from elichika.model.files import refusing

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
    tokenize.TokenError,
    TypeError,
    KeyError,
)


MOST_BYTES = 2**32
"""Of an entry whose size nothing else tells."""


HEADERS: dict[Any, Callable[[Any], Any]] = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


@contextmanager
def open_archive(path: str | os.PathLike[str], what: str) -> Iterator[Any]:
    """Open an `.npz` file.

    Args:
        path: Where it is.
        what: What it should be, for the error.

    Raises:
        InputError: It is missing or something else.
    """
    with refusing("read", path):
        file = open(path, "rb")  # noqa: SIM115  closed below
    with file:
        try:
            stored = np.load(file, allow_pickle=False)
        except DAMAGE:
            stored = None
        if not isinstance(stored, np.lib.npyio.NpzFile):
            raise InputError(f"{path} is not an {what}.")
        with stored:
            yield stored


def read_array(
    stored: Any, key: str, path: str | os.PathLike[str], most: int = MOST_BYTES
) -> np.ndarray[Any, Any] | None:
    """Read an array of an archive; None where it holds Python objects, which need pickle.

    Args:
        stored: What `open_archive` gave.
        key: The array's name.
        path: The file, for the error.
        most: How many bytes it may have, unpacked.

    Raises:
        InputError: The file is damaged there, or the array is larger.
    """
    try:
        _require_size(stored, key, most)
        array = stored[key]
    except DAMAGE as error:
        if "allow_pickle=False" in str(error):
            return None
        text = " ".join(str(error).split()) or type(error).__name__
        raise InputError(f"{path} is damaged at {key}: {text}.") from None
    if not isinstance(array, np.ndarray):  # a member that is no .npy file comes as its bytes
        raise InputError(f"{path} is damaged at {key}: it is not an array.")
    return array


def _require_size(stored: Any, key: str, most: int) -> None:
    """Check what an entry says of its size before it is unpacked.

    Raises:
        ValueError: It is larger than `most`, or its header promises more than there is.
    """
    names = set(stored.zip.namelist())
    entry = stored.zip.getinfo(key if key in names else f"{key}.npy")
    if entry.file_size > most:
        raise ValueError(f"it has {entry.file_size:,} bytes, of at most {most:,}")
    with stored.zip.open(entry) as file:
        magic: Callable[[Any], Any] = np.lib.format.read_magic
        version = magic(file)
        if version not in HEADERS:
            raise ValueError(f"its header is of version {version}, for names that are not Latin-1")
        reader = HEADERS[version]
        shape, _, dtype = reader(file)
    if not dtype.hasobject and math.prod(shape) * dtype.itemsize > entry.file_size:
        raise ValueError("its header promises more than there is")
