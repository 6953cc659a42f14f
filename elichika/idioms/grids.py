"""What numpy makes of an index: `np.r_`, `np.c_`, `np.mgrid`, `np.ogrid`, `np.s_`, as programs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from elichika.idioms.signals import refuse


def joined(builder: Any, key: Any) -> Any:
    """`np.r_[key]` or `np.c_[key]`: arrays, numbers and ranges behind each other."""
    parts = key if type(key) is tuple else (key,)
    made, kinds = [], []
    for part in parts:
        if type(part) is str:
            refuse("`np.r_` with a text that says how to join is not compiled")
        if type(part) is slice:
            new = _range(part)
            if builder.ndmin > 1:
                new = np.array(new, ndmin=builder.ndmin).swapaxes(-1, builder.trans1d)
            kind: Any = new.dtype
        elif type(part) in np.ScalarType:
            new, kind = part, part
        else:
            new = np.array(part, ndmin=builder.ndmin)
            rank = np.ndim(part)
            if builder.trans1d != -1 and rank < builder.ndmin:
                axes = list(range(builder.ndmin))
                added = builder.ndmin - rank
                new = new.transpose(axes[added:] + axes[:added])
            kind = new.dtype
        made.append(new)
        kinds.append(kind)
    dtype = np.result_type(*kinds)
    columns = []
    for new in made:
        if dtype.kind in "iu" and type(new) is int:  # it may be one that is not of that type
            new = np.zeros(1, dtype) + new
        columns.append(np.array(new, dtype=dtype, ndmin=builder.ndmin))
    return np.concatenate(columns, builder.axis)


def grid(builder: Any, key: Any) -> Any:
    """`np.mgrid[key]`, or `np.ogrid[key]`, which leaves the axes to broadcasting."""
    if type(key) is slice:
        return _range(key)
    sizes, steps, starts = [], [], []
    kinds: list[Any] = [0]
    for part in key:
        start, step = _begin(part)
        kinds += [start, part.stop]
        if type(step) is complex:
            size = int(abs(step))
            kinds.append(abs(step))
            step = (part.stop - start) / float(size - 1) if size != 1 else 1
        else:
            kinds.append(step)
            size = part.stop - start if step == 1 else (part.stop - start) / step
            size = size if type(size) is int else math.ceil(size)
        if size < 0:
            raise ValueError("negative dimensions are not allowed")
        sizes.append(size)
        steps.append(step)
        starts.append(start)
    dtype = np.result_type(*kinds)
    axes = []
    for place, size in enumerate(sizes):
        numbers = np.arange(size, dtype=dtype) * steps[place] + starts[place]
        shape = [1] * len(sizes)
        shape[place] = size
        axes.append(numbers.astype(dtype).reshape(shape))
    if builder.sparse:
        return axes if np.__version__ < "2" else tuple(axes)
    return np.stack([np.broadcast_to(one, sizes) for one in axes])


def index(builder: Any, key: Any) -> Any:
    """`np.s_[key]`, or `np.index_exp[key]`, which is always a tuple."""
    return key if type(key) is tuple or not builder.maketuple else (key,)


def _begin(part: Any) -> Any:
    """Return where a range starts, and by which steps it goes on."""
    return 0 if part.start is None else part.start, 1 if part.step is None else part.step


def _range(part: Any) -> Any:
    """Return the numbers of a slice; as many as an imaginary step says."""
    start, step = _begin(part)
    if type(step) is complex:
        return np.linspace(start, part.stop, num=int(abs(step)))
    return np.arange(start, part.stop, step)
