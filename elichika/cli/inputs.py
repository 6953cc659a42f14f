"""Example inputs from the command line.

`x=float32[batch,3,height:224,width:224]` is an array; a name makes the axis dynamic, and the number
after a colon is its size in the example. `ids=int32[batch,time]<1000` bounds the values,
`xs=[float32[3,8],float32[5,8]]` is a list, and `n=3`, `flag=True` or `layers=['fc6']` are Python
values. Arrays are drawn with a fixed seed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from elichika.errors import InputError
from elichika.model.archives import open_archive, read_array

__all__ = ["Examples", "read_examples"]

NAME = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*(.+?)\s*\Z", re.DOTALL)
ARRAY = re.compile(r"([a-z]+\d*)\[([^\[\]]*)\]\Z")
BOUND = re.compile(r"(.*[\])])\s*<\s*(\d+)\Z", re.DOTALL)
SYMBOL = re.compile(r"([A-Za-z_]\w*)(?::(\d+))?\Z")
SIZES = (3, 5, 7, 11, 13, 17, 19, 23, 29, 31)
"""Of dynamic axes, in the order of their names: unequal, so that none is taken for another."""
VALUES = 10
"""Integers are drawn below this unless bounded."""
SEED = 20


@dataclass
class Examples:
    """Arguments by parameter name, and the names of their sizes."""

    inputs: dict[str, Any] = field(default_factory=dict)
    dynamic_axes: dict[str | int, dict[int | str, str]] = field(default_factory=dict)


@dataclass
class _Sizes:
    """The size of each named axis."""

    known: dict[str, int] = field(default_factory=dict)

    def of(self, symbol: str, given: int | None, text: str) -> int:
        if given is None:
            free = (size for size in SIZES if size not in self.known.values())
            return self.known.setdefault(symbol, next(free, 37 + len(self.known)))
        if self.known.setdefault(symbol, given) != given:
            raise InputError(f"{text}: `{symbol}` is {self.known[symbol]} elsewhere.")
        return given


def read_examples(descriptions: Iterable[str], file: Path | None = None) -> Examples:
    """Read `--input` options and an `--inputs` file.

    With both, the arrays come from the file and the descriptions name their axes.

    Raises:
        InputError: A description cannot be read, or does not fit the file.
    """
    examples = Examples() if file is None else Examples(_from_file(file))
    sizes = _Sizes()
    random = np.random.RandomState(SEED)
    for text in descriptions:
        found = NAME.match(text)
        if found is None:
            raise InputError(f"--input {text}: write name=float32[batch,3] or name=value.")
        name, description = found.groups()
        value, axes = _read(description, sizes, random, f"--input {text}")
        if file is not None and name in examples.inputs:
            _compare(name, value, examples.inputs[name], axes, text)
        else:
            examples.inputs[name] = value
        if axes:
            examples.dynamic_axes[name] = axes
    return examples


def _read(
    text: str, sizes: _Sizes, random: np.random.RandomState, where: str
) -> tuple[Any, dict[int | str, str]]:
    bounded = BOUND.match(text)
    bound = None
    if bounded is not None:
        text, bound = bounded.group(1).strip(), int(bounded.group(2))
        if bound < 1:
            raise InputError(f"{where}: the bound must be at least 1.")
    if ARRAY.match(text):
        return _array(text, bound, sizes, random, where)
    parts = _parts(text)
    if parts and all(ARRAY.match(part) for part in parts):
        items = [_array(part, bound, sizes, random, where) for part in parts]
        return [item for item, _ in items], items[0][1]
    if bound is not None:
        raise InputError(f"{where}: only arrays are bounded.")
    try:
        return ast.literal_eval(text), {}
    except (ValueError, SyntaxError):
        raise InputError(
            f"{where}: {text} is neither an array such as float32[batch,3] nor a Python value."
        ) from None


def _parts(text: str) -> list[str]:
    """Return the descriptions in `[float32[3], float32[5]]`."""
    if not (text.startswith("[") and text.endswith("]")):
        return []
    return [part.strip() for part in re.split(r",(?![^\[]*\])", text[1:-1])]


def _array(
    text: str, bound: int | None, sizes: _Sizes, random: np.random.RandomState, where: str
) -> tuple[np.ndarray[Any, Any], dict[int | str, str]]:
    found = ARRAY.match(text)
    assert found is not None
    try:
        dtype: np.dtype[Any] | None = np.dtype(found.group(1))
    except TypeError:
        dtype = None
    if dtype is None or dtype.name != found.group(1):
        raise InputError(f"{where}: {found.group(1)} is no dtype.")
    if dtype.kind not in "biuf":
        raise InputError(f"{where}: no model takes {dtype}.")
    axes: dict[int | str, str] = {}
    shape = []
    entries = found.group(2).split(",") if found.group(2).strip() else []
    for axis, entry in enumerate(part.strip() for part in entries):
        if entry.isdigit():
            shape.append(int(entry))
            continue
        symbol = SYMBOL.match(entry)
        if symbol is None:
            raise InputError(f"{where}: {entry!r} is neither a size nor a name.")
        axes[axis] = symbol.group(1)
        given = None if symbol.group(2) is None else int(symbol.group(2))
        shape.append(sizes.of(symbol.group(1), given, where))
    try:
        return _drawn(tuple(shape), dtype, bound, random, where), axes
    except (MemoryError, ValueError):  # numpy's for sizes beyond its own bounds
        raise InputError(f"{where}: there is no room for an array of these sizes.") from None


def _drawn(
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    bound: int | None,
    random: np.random.RandomState,
    where: str,
) -> np.ndarray[Any, Any]:
    if dtype.kind == "f":
        values = random.standard_normal(shape) if bound is None else random.uniform(0, bound, shape)
        return np.asarray(values).astype(dtype)
    if dtype.kind == "b":
        return random.randint(0, 2, shape).astype(dtype)
    largest = int(np.iinfo(dtype).max)
    if bound is not None and bound - 1 > largest:
        raise InputError(f"{where}: {dtype} holds no numbers up to {bound}.")
    return random.randint(0, bound or VALUES, shape).astype(dtype)


def _from_file(path: Path) -> dict[str, Any]:
    """Read arguments: `x` is an array or number, `xs.0`, `xs.1`, … a list."""
    found: dict[str, Any] = {}
    lists: dict[str, dict[int, Any]] = {}
    with open_archive(path, ".npz file of arrays") as stored:
        for key in stored.files:
            value = read_array(stored, key, path)
            if value is None:
                raise InputError(f"{path}: {key} is no plain array.")
            plain = value.ndim == 0 and value.dtype in (np.int64, np.float64, np.bool_)
            name, dot, number = key.rpartition(".")
            if dot and number.isdigit():
                lists.setdefault(name, {})[int(number)] = value.item() if plain else value
            else:
                found[key] = value.item() if plain else value
    for name, items in lists.items():
        if sorted(items) != list(range(len(items))):
            raise InputError(f"{path}: the elements of {name} are not numbered from 0.")
        found[name] = [items[number] for number in range(len(items))]
    return found


def _compare(name: str, described: Any, stored: Any, axes: dict[int | str, str], text: str) -> None:
    """Check that an array of the file is as described; named axes may have any size."""
    if not isinstance(described, np.ndarray) or not isinstance(stored, np.ndarray):
        return
    wanted = [axes.get(axis, size) for axis, size in enumerate(described.shape)]
    fits = described.dtype == stored.dtype and described.ndim == stored.ndim
    fits = fits and all(
        isinstance(dim, str) or dim == size for dim, size in zip(wanted, stored.shape, strict=True)
    )
    if not fits:
        raise InputError(
            f"--input {text}: the file's {name} is {stored.dtype}{list(stored.shape)}."
        )
