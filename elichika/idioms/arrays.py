"""What numpy does in C, as Python over numpy's other functions: walked on symbolic values.

These functions are programs that the walker interprets like any other; each does what the function
of numpy of the same name does, and raises what that raises.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from elichika.idioms.signals import refuse

_BEYOND = "invalid entry in choice array"


def _within(index: Any, size: Any, mode: str, error: Exception) -> Any:
    """Bring indices into a range as `mode` says."""
    if mode == "wrap":
        return index % size
    if mode == "clip":
        return np.minimum(np.maximum(index, 0), size - 1)
    if ((index < 0) | (index >= size)).any():
        raise error
    return index


def _integers(index: Any) -> Any:
    index = np.asarray(index)
    if index.dtype.kind not in "biu":
        raise TypeError(
            f"Cannot cast array data from dtype('{index.dtype}') to dtype('int64') "
            "according to the rule 'safe'"
        )
    return index.astype(np.int64)


# Choosing and writing elements


def choose(a: Any, choices: Any, out: Any = None, mode: str = "raise") -> Any:
    """Take each element from the array whose number stands there."""
    index = _integers(a)
    amount = len(choices)
    if isinstance(choices, np.ndarray):
        like = np.broadcast_arrays(index, choices[0])[0]
        missing = like.ndim - (choices.ndim - 1)
        shape = (amount,) + (1,) * missing + choices.shape[1:]
        stacked = np.broadcast_to(choices.reshape(shape), (amount, *like.shape))
        index = np.broadcast_to(index, like.shape)
    else:
        dtype = np.result_type(*choices)
        index, *arrays = np.broadcast_arrays(index, *choices)
        stacked = np.stack(arrays).astype(dtype)
    index = _within(index, amount, mode, ValueError(_BEYOND))
    result = np.take_along_axis(stacked, index[None], 0)[0]
    if out is None:
        return result
    out[...] = result
    return out


def put(a: Any, indices: Any, values: Any, mode: str = "raise") -> None:
    """Write to places of the flat array; values are repeated as needed."""
    values = np.asarray(values).astype(a.dtype).ravel()
    if values.size == 0:
        return
    index = _integers(indices).ravel()
    size = a.size
    if mode == "raise":
        index = np.where(index < 0, index + size, index)
    index = _within(index, size, mode, IndexError("index is out of bounds for the array"))
    flat = a.flatten()
    flat[index] = values[np.arange(index.size) % values.size]
    a[...] = flat.reshape(a.shape)


def putmask(a: Any, mask: Any, values: Any) -> None:
    """Write values at the same places of the flat array, repeated, where a mask holds."""
    mask = np.asarray(mask).astype(bool)
    if mask.size != a.size:
        raise ValueError("putmask: mask and data must be the same size")
    if isinstance(values, np.ndarray) and not np.can_cast(values.dtype, a.dtype, "safe"):
        raise TypeError(
            f"Cannot cast array data from dtype('{values.dtype}') to dtype('{a.dtype}') "
            "according to the rule 'safe'"
        )
    values = np.asarray(values).astype(a.dtype).ravel()
    if values.size == 0:
        return
    picked = values[np.arange(a.size) % values.size].reshape(a.shape)
    a[...] = np.where(mask.reshape(a.shape), picked, a)


def place(arr: Any, mask: Any, vals: Any) -> None:
    """Write the values one after another, repeated, where a mask holds."""
    mask = np.asarray(mask).astype(bool)
    if mask.size != arr.size:
        raise ValueError("place: mask and data must be the same size")
    values = np.asarray(vals).astype(arr.dtype).ravel()
    flags = mask.reshape(arr.shape)
    if values.size == 0:
        if flags.any():
            raise ValueError("Cannot insert from an empty array!")
        return
    number = np.cumsum(flags.ravel()) - 1
    arr[...] = np.where(flags, values[number % values.size].reshape(arr.shape), arr)


class FlatIterator:
    """What `array.flat` is: elements in C order, read and written; slices are copies."""

    def __init__(self, base: Any) -> None:
        self.base = base

    def __len__(self) -> int:
        length: int = self.base.size
        return length

    def __iter__(self) -> Any:
        return iter(self.base.flatten())

    def __getitem__(self, index: Any) -> Any:
        return self.base.flatten()[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        places = np.arange(self.base.size)[index]
        put(self.base, places, value)

    def copy(self) -> Any:
        """Return the elements as a new array."""
        return self.base.flatten()


# Places as numbers


def unravel_index(indices: Any, shape: Any, order: str = "C") -> Any:
    """Turn places of the flat array into indices for each axis."""
    places = _integers(indices)
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    if not sizes and places.ndim:
        raise ValueError("multiple indices are not supported for 0d arrays")
    if order == "F":
        sizes = sizes[::-1]
    total = 1
    for size in sizes:
        total *= size
    if ((places < 0) | (places >= total)).any():
        raise ValueError(f"an index is out of bounds for an array of {len(sizes)} axes")
    found = []
    for size in reversed(sizes):
        found.append(places % size)
        places = places // size
    return tuple(found if order == "F" else found[::-1])


def ravel_multi_index(multi_index: Any, dims: Any, mode: Any = "raise", order: str = "C") -> Any:
    """Turn indices for each axis into places of the flat array."""
    sizes = (dims,) if isinstance(dims, int) else tuple(dims)
    modes = (mode,) * len(sizes) if isinstance(mode, str) else tuple(mode)
    parts = list(zip(multi_index, sizes, modes))  # noqa: B905 (numpy compares the lengths)
    if len(multi_index) != len(sizes):
        raise ValueError(f"parameter multi_index must be a sequence of length {len(sizes)}")
    place = np.int64(0)
    for index, size, how in parts if order == "C" else parts[::-1]:
        error = ValueError("invalid entry in coordinates array")
        place = place * size + _within(_integers(index), size, how, error)
    return place


# Lines


def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None) -> Any:
    """Interpolate between points, in the order of operations of numpy's C code."""
    x = np.asarray(x).astype(np.float64)
    xp = np.asarray(xp).astype(np.float64)
    fp = np.asarray(fp).astype(np.float64)
    if xp.ndim != 1 or fp.ndim != 1:
        raise ValueError("object too deep for desired array")
    if len(xp) == 0:
        raise ValueError("array of sample points is empty")
    if len(fp) != len(xp):
        raise ValueError("fp and xp are not of the same length.")
    low = np.searchsorted(xp, x, "right") - 1
    below, last = np.maximum(low, 0), len(xp) - 1
    above = np.minimum(below + 1, last)
    slope = (fp[above] - fp[below]) / (xp[above] - xp[below])
    result = slope * (x - xp[below]) + fp[below]
    other = slope * (x - xp[above]) + fp[above]
    result = np.where(np.isnan(result), other, result)
    result = np.where(np.isnan(result) & (fp[below] == fp[above]), fp[below], result)
    result = np.where((x == xp[below]) | (below == last), fp[below], result)
    result = np.where(x < xp[0], fp[0] if left is None else left, result)
    result = np.where(x > xp[last], fp[last] if right is None else right, result)
    return np.where(np.isnan(x), x, result)[()]


def correlate(a: Any, v: Any, mode: Any = 0) -> Any:
    """Slide the shorter of two lines along the longer."""
    a, v = np.asarray(a), np.asarray(v)
    if len(a) < len(v):
        return _slid(v, a, mode)
    return _slid(a, v, mode)


def correlate_in_order(a: Any, v: Any, mode: Any = 0) -> Any:
    """Slide the second of two lines along the first."""
    a, v = np.asarray(a), np.asarray(v)
    if len(a) < len(v):
        return _slid(v, a, mode)[::-1]
    return _slid(a, v, mode)


def _slid(a: Any, v: Any, mode: Any) -> Any:
    if len(v) == 0:
        raise ValueError("an array argument cannot be empty")
    n = len(v)
    number = ("valid", "same", "full").index(mode) if isinstance(mode, str) else mode
    left, right = ((0, 0), (n // 2, n - n // 2 - 1), (n - 1, n - 1))[number]
    dtype = np.result_type(a, v)
    wide = np.concatenate((np.zeros(left, dtype), a.astype(dtype), np.zeros(right, dtype)))
    places = np.arange(len(wide) - n + 1)[:, None] + np.arange(n)
    beside = (places < left) | (places >= left + len(a))  # nothing, also of what is infinite
    products = wide[places] * np.where(beside, np.zeros((), dtype), v.astype(dtype))
    return products.any(-1) if dtype == np.bool_ else products.sum(-1, dtype=dtype)


# Shapes


class Broadcast:
    """What `np.broadcast` gives: the shape of arrays that are broadcast together."""

    def __init__(self, *arrays: Any) -> None:
        self.shape = np.broadcast_arrays(*arrays)[0].shape
        self.ndim = self.nd = len(self.shape)
        self.numiter = len(arrays)

    @property
    def size(self) -> int:
        """The number of elements."""
        total = 1
        for size in self.shape:
            total *= size
        return total


def broadcast_shapes(*shapes: Any) -> Any:
    """Return the shape that shapes broadcast to."""
    if not shapes:
        return ()
    return np.broadcast_arrays(*[np.zeros(shape, bool) for shape in shapes])[0].shape


# Numbers


def cross(
    a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: Any = None
) -> Any:
    """The product of vectors of two or three components."""
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = np.moveaxis(np.asarray(a), axisa, -1), np.moveaxis(np.asarray(b), axisb, -1)
    if a.shape[-1] not in (2, 3) or b.shape[-1] not in (2, 3):
        raise ValueError("incompatible dimensions for cross product\n(dimension must be 2 or 3)")
    dtype = np.promote_types(a.dtype, b.dtype)  # a component of one vector is no mere number
    a, b = a.astype(dtype), b.astype(dtype)
    flat_a, flat_b = a.shape[-1] == 2, b.shape[-1] == 2
    last = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    if flat_a and flat_b:
        return np.asarray(last)
    if flat_a:
        parts = (a[..., 1] * b[..., 2], -(a[..., 0] * b[..., 2]), last)
    elif flat_b:
        parts = (-(a[..., 2] * b[..., 1]), a[..., 2] * b[..., 0], last)
    else:
        first = a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1]
        parts = (first, a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2], last)
    return np.moveaxis(np.stack(parts, -1), -1, axisc)


def gcd(a: Any, b: Any) -> Any:
    """The greatest common divisor of each pair of integers."""
    a, b = np.broadcast_arrays(np.abs(a), np.abs(b))
    while (b != 0).any():
        some = b != 0
        a, b = np.where(some, b, a), np.where(some, a % np.where(some, b, 1), b)
    return a


def lcm(a: Any, b: Any) -> Any:
    """The least common multiple of each pair of integers."""
    divisor = gcd(a, b)
    return np.where(divisor == 0, 0, np.abs(a) // np.where(divisor == 0, 1, divisor) * np.abs(b))


def wrapped(obj: Any, method: str, *args: Any, **kwargs: Any) -> Any:
    """Call a method of an array; what numpy's functions do."""
    return getattr(np.asarray(obj), method)(*args, **kwargs)


# Element by element


def indices(*shape: Any) -> Any:
    """Go through the indices of a shape, tuples of ints, the last axis first."""
    sizes = shape[0] if len(shape) == 1 and type(shape[0]) is tuple else shape
    if any([size < 0 for size in sizes]):
        raise ValueError("negative dimensions are not allowed")
    return _indices(sizes)


def _indices(sizes: Any) -> Any:
    total = 1
    for size in sizes:
        total = total * int(size)
    for number in range(total):
        rest: int = number
        index: tuple[int, ...] = ()
        for size in sizes[::-1]:
            index = (rest % int(size), *index)
            rest = rest // int(size)
        yield index


def enumerated(arr: Any) -> Any:
    """Yield the index of each element, a tuple of ints, and the element."""
    arr = np.asarray(arr)
    for index in _indices(arr.shape):
        yield index, arr[index]


class Vectorized:
    """What `numpy.vectorize` gives: a function of numbers, called for each element.

    The first element is shown to it twice, once as a numpy scalar for the dtype of the result.
    """

    def __init__(
        self,
        pyfunc: Any,
        otypes: Any = None,
        doc: Any = None,
        excluded: Any = None,
        cache: Any = False,
        signature: Any = None,
    ) -> None:
        if excluded or signature is not None or cache:
            refuse("of the options of `numpy.vectorize` only `otypes` is compiled")
        self.pyfunc = pyfunc
        self.otypes = otypes

    def __call__(self, *args: Any) -> Any:
        """Call the function for each element of the arrays, broadcast, as Python numbers."""
        arrays = np.broadcast_arrays(*args)
        rows = [one.ravel() for one in arrays]
        if self.otypes is not None:
            dtype = np.dtype(self.otypes[0])
        elif rows[0].size == 0:
            raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
        else:
            dtype = np.asarray(self.pyfunc(*[row[0] for row in rows])).dtype
        numbers = range(rows[0].size)
        made = [self.pyfunc(*[row[number].item() for row in rows]) for number in numbers]
        return np.array(made).astype(dtype).reshape(arrays[0].shape)


def tolist(a: Any) -> Any:
    """Return nested lists of Python numbers."""
    if a.ndim == 1:
        return [number.item() for number in a]
    return [tolist(row) for row in a]
