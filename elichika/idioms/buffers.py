"""`array.data` as a class over the array: a memoryview, of which the sizes are followed."""

from __future__ import annotations

from typing import Any

from elichika.idioms.signals import refuse

__all__ = ["Buffer"]


def _left_out(name: str) -> Any:
    """Return what refuses an attribute of memoryviews where it is read."""

    def unknown(self: Any) -> Any:
        refuse(f"`{name}` of the memoryview `x.data` of an array is not compiled; use the array")

    return property(unknown)


def _unknown(self: Any, *args: Any) -> Any:
    refuse("the memoryview `x.data` of an array tells its sizes only; use the array itself")


class Buffer:
    """What a memoryview of an array of the program tells: sizes, and all numbers at once."""

    __slots__ = ("_array",)

    def __init__(self, array: Any) -> None:
        self._array = array

    @property
    def obj(self) -> Any:
        """The array."""
        return self._array

    @property
    def shape(self) -> Any:
        """Its sizes."""
        return self._array.shape

    @property
    def ndim(self) -> Any:
        """How many axes it has."""
        return self._array.ndim

    @property
    def itemsize(self) -> Any:
        """The bytes of an element."""
        return self._array.itemsize

    @property
    def nbytes(self) -> Any:
        """The bytes of all elements."""
        return self._array.nbytes

    @property
    def suboffsets(self) -> Any:
        """What no array of numpy's has."""
        return ()

    def __len__(self) -> Any:
        if self._array.ndim == 0:  # 1, or an error, as Python's version is
            refuse("`len` of the memoryview of a number is not compiled")
        return len(self._array)

    def tolist(self) -> Any:
        """Return nested lists of numbers."""
        return self._array.tolist()

    format = _left_out("format")
    strides = _left_out("strides")
    readonly = _left_out("readonly")
    contiguous = _left_out("contiguous")
    c_contiguous = _left_out("c_contiguous")
    f_contiguous = _left_out("f_contiguous")

    __getitem__ = __setitem__ = __delitem__ = __iter__ = __contains__ = __eq__ = __ne__ = _unknown
    __hash__ = __enter__ = __exit__ = _unknown
    cast = hex = release = tobytes = toreadonly = _unknown


Buffer.__name__ = Buffer.__qualname__ = memoryview.__name__  # what errors call it
