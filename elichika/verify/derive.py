"""Inputs that were not shown: other sizes, values, numbers and lengths than the example's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import Any

import numpy as np

from elichika.signature import InputSpec
from elichika.signature.axes import symbol_sizes

__all__ = ["Trial", "derived", "nudged"]

SMALL_PRIMES = (3, 5, 7, 11, 13, 17, 19, 23)
LARGE = 16
"""From this size on a prime just above the example is tried as well: images have least sizes."""
THRESHOLDS = 5
"""How many of the numbers that decide something are tried."""
SMALLEST_INT, LARGEST_INT = -(2**63), 2**63 - 1

SAME_LENGTH = ("reversed", "of other sizes")

Leaves = Sequence[Any]


@dataclass(frozen=True)
class Trial:
    """One input to try.

    Attributes:
        text: What is special about it.
        leaves: Its leaves as host values.
        special: Whether it is of no interest where eager fails or warns: a size is 0.
    """

    text: str
    leaves: list[Any]
    special: bool = False


def derived(
    specs: Sequence[InputSpec], leaves: Leaves, seed: int = 0, about: Sequence[int] = ()
) -> Iterator[Trial]:
    """Yield inputs derived from an example, the kinds of change in turn.

    Sizes of one name change together. Values of resized arrays are drawn from those seen.

    Args:
        specs: The inputs.
        leaves: The example.
        seed: For what is drawn at random.
        about: Whole numbers that decide something: sizes and numbers about them are tried.
    """
    random = np.random.RandomState(seed)
    groups: list[Iterable[Trial]] = [
        _sizes(specs, leaves, random),
        _values(specs, leaves, random),
        _scalars(specs, leaves),
        _about(specs, leaves, random, about),
        _lists(specs, leaves, random),
        _integers(specs, leaves, random),
    ]
    nothing = object()
    rounds = zip_longest(*groups, fillvalue=nothing)
    each = (trial for trial in chain.from_iterable(rounds) if isinstance(trial, Trial))
    yield from each
    yield from _joint(specs, leaves, random)


# Sizes


def _sizes(
    specs: Sequence[InputSpec], leaves: Leaves, random: np.random.RandomState
) -> Iterator[Trial]:
    sizes = _named_sizes(specs, leaves)
    if not sizes:
        return
    primes = _primes(sizes)
    large = {symbol: _prime_above(size) for symbol, size in sizes.items() if size >= LARGE}
    plans = [primes | large, dict.fromkeys(sizes, 1) | {name: sizes[name] for name in large}]
    for symbol, size in sizes.items():
        news = [1, 0, primes[symbol], 2]
        if symbol in large:
            news.insert(0, large[symbol])
        plans += [{**sizes, symbol: new} for new in news if new != size]
    plans.append(primes)
    seen = [sizes]
    for plan in plans:
        if plan in seen:
            continue
        seen.append(plan)
        changed = ", ".join(f"{name}={new}" for name, new in plan.items() if new != sizes[name])
        parts = zip(specs, leaves, strict=True)
        new_leaves = [resized(spec, leaf, plan, random) for spec, leaf in parts]
        yield Trial(changed, new_leaves, special=0 in plan.values() and 0 not in sizes.values())


def _named_sizes(specs: Sequence[InputSpec], leaves: Leaves) -> dict[str, int]:
    """Return the sizes of the example by name."""
    sizes = {
        symbol: size
        for spec, leaf in zip(specs, leaves, strict=True)
        for symbol, size, _ in symbol_sizes(spec, leaf)
    }
    for spec in specs:  # a name that only elements of an empty list would carry
        for name in (*spec.dims, spec.length):
            if isinstance(name, str):
                sizes.setdefault(name, 2)
    return sizes


def _primes(sizes: Mapping[str, int]) -> dict[str, int]:
    """Return another size for each name, no two alike."""
    primes: dict[str, int] = {}
    for symbol, size in sizes.items():
        used = {*primes.values(), size}
        primes[symbol] = next(prime for prime in (*SMALL_PRIMES, 29) if prime not in used)
    return primes


def _about(
    specs: Sequence[InputSpec],
    leaves: Leaves,
    random: np.random.RandomState,
    about: Sequence[int],
) -> Iterator[Trial]:
    """Set one size or whole number at a time to a number that decides something, or beside it."""
    sizes = _named_sizes(specs, leaves)
    primes = _primes(sizes)
    news = sorted({number + step for number in about[:THRESHOLDS] for step in (-1, 0, 1)})
    for new in news:
        for symbol, size in sizes.items():
            if new not in (1, 2, size, primes[symbol]) and size < LARGE:
                parts = zip(specs, leaves, strict=True)
                plan = {**sizes, symbol: new}
                changed = [resized(spec, leaf, plan, random) for spec, leaf in parts]
                yield Trial(f"{symbol}={new}", changed)
        for index, spec in enumerate(specs):
            leaf = leaves[index]
            if spec.kind != "scalar" or spec.dtype.kind != "i":
                continue
            if new not in (leaf, *other_scalars(leaf)):
                changed = list(leaves)
                changed[index] = type(leaf)(new)
                yield Trial(f"{spec.name}={new}", changed)


def _prime_above(size: int) -> int:
    candidate = size + 1
    while any(candidate % factor == 0 for factor in range(2, int(candidate**0.5) + 1)):
        candidate += 1
    return candidate


def resized(
    spec: InputSpec, leaf: Any, sizes: Mapping[str, int], random: np.random.RandomState
) -> Any:
    """Return an input with its named sizes changed."""
    if spec.kind == "scalar":
        return leaf
    if spec.kind != "list":
        return _array_of(spec, leaf.shape, leaf, sizes, random)
    items = list(leaf)
    wanted = sizes.get(spec.length, len(items)) if spec.length else len(items)
    while items and len(items) < wanted:
        items.append(items[random.randint(len(leaf))])
    items = items[:wanted]
    if spec.element == "scalar":
        return items
    return [_array_of(spec, item.shape, item, sizes, random) for item in items]


def _array_of(
    spec: InputSpec,
    shape: tuple[int, ...],
    values: np.ndarray[Any, Any],
    sizes: Mapping[str, int],
    random: np.random.RandomState,
) -> np.ndarray[Any, Any]:
    new = tuple(
        sizes.get(dim, size) if isinstance(dim, str) else size
        for dim, size in zip(spec.dims, shape, strict=True)
    )
    return values if new == values.shape else drawn(new, values, random)


def drawn(
    shape: tuple[int, ...], values: np.ndarray[Any, Any], random: np.random.RandomState
) -> np.ndarray[Any, Any]:
    """Return an array of another shape whose elements are drawn from those of `values`."""
    if values.size == 0:
        return np.zeros(shape, values.dtype)
    return random.choice(values.ravel(), size=shape).astype(values.dtype)


# Values


def _arrays(
    specs: Sequence[InputSpec], leaves: Leaves, kinds: str, change: Callable[[Any], Any]
) -> list[Any]:
    """Apply a change to every array whose dtype is of one of the kinds."""
    result = []
    for spec, leaf in zip(specs, leaves, strict=True):
        if spec.kind == "scalar" or spec.element == "scalar" or spec.dtype.kind not in kinds:
            result.append(leaf)
        elif spec.kind == "list":
            result.append([change(item) for item in leaf])
        else:
            result.append(change(leaf))
    return result


def _permuted(random: np.random.RandomState) -> Callable[[Any], Any]:
    return lambda array: random.permutation(array.ravel()).reshape(array.shape)


def _values(
    specs: Sequence[InputSpec], leaves: Leaves, random: np.random.RandomState
) -> Iterator[Trial]:
    floats = [i for i, spec in enumerate(specs) if spec.dtype.kind == "f" and _has_arrays(spec)]
    changes: list[tuple[str, Callable[[Any], Any]]] = [
        ("negated", lambda array: -array),
        ("permuted", _permuted(random)),
        ("scaled by 0.1", lambda array: (array * 0.1).astype(array.dtype)),
        ("scaled by 3", lambda array: (array * 3).astype(array.dtype)),
    ]
    if floats:
        for text, change in changes:
            what = specs[floats[0]].name if len(floats) == 1 else "all floats"
            yield Trial(f"{what} {text}", _arrays(specs, leaves, "f", change))
    if len(floats) > 1:
        for index in floats:
            for text, change in changes[:2]:
                changed = list(leaves)
                only = [specs[index]], [leaves[index]]
                changed[index] = _arrays(*only, "f", change)[0]
                yield Trial(f"{specs[index].name} {text}", changed)


def _has_arrays(spec: InputSpec) -> bool:
    return spec.kind != "scalar" and spec.element != "scalar"


def _integers(
    specs: Sequence[InputSpec], leaves: Leaves, random: np.random.RandomState
) -> Iterator[Trial]:
    def within(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        if array.size == 0:
            return array
        low, high = int(array.min()), int(array.max())
        return random.randint(low, high + 1, array.shape, dtype=np.int64).astype(array.dtype)

    if any(spec.dtype.kind in "iu" and _has_arrays(spec) for spec in specs):
        yield Trial("integers permuted", _arrays(specs, leaves, "iu", _permuted(random)))
        yield Trial("integers within the range seen", _arrays(specs, leaves, "iu", within))
    if any(spec.dtype.kind == "b" and _has_arrays(spec) for spec in specs):
        yield Trial("bools inverted", _arrays(specs, leaves, "b", np.logical_not))
        yield Trial("bools permuted", _arrays(specs, leaves, "b", _permuted(random)))


# Scalars


def other_scalars(value: Any) -> list[Any]:
    """Return the numbers to try in the place of one."""
    if isinstance(value, (bool, np.bool_)):
        return [type(value)(not value)]
    if isinstance(value, (float, np.floating)):
        found = [-value, value * 2, value + 0.5, 0.0, 1.0]
    else:
        limits = np.iinfo(value.dtype) if isinstance(value, np.integer) else None
        low, high = (limits.min, limits.max) if limits else (SMALLEST_INT, LARGEST_INT)
        numbers = [int(value) + 1, 0, int(value) - 1, 1, int(value) + 5, -1]
        found = [number for number in numbers if low <= number <= high]
    kept: list[Any] = []
    for number in found:
        made = type(value)(number)
        if made != value and made not in kept:
            kept.append(made)
    return kept


def _scalars(specs: Sequence[InputSpec], leaves: Leaves) -> Iterator[Trial]:
    """One number changed at a time, all of them getting their first change first."""
    plans = [
        [(index, number) for number in other_scalars(leaves[index])]
        for index, spec in enumerate(specs)
        if spec.kind == "scalar"
    ]
    for turn in zip_longest(*plans):
        for change in turn:
            if change is not None:
                index, number = change
                changed = list(leaves)
                changed[index] = number
                yield Trial(f"{specs[index].name}={number!r}", changed)


# Lists


def _lists(
    specs: Sequence[InputSpec], leaves: Leaves, random: np.random.RandomState
) -> Iterator[Trial]:
    """All lists together, so that parallel ones stay parallel; then each alone."""
    lists = [i for i, spec in enumerate(specs) if spec.kind == "list"]
    if not lists:
        return
    changes: list[tuple[str, Callable[[InputSpec, list[Any]], list[Any]]]] = [
        ("longer", lambda spec, items: _longer(spec, items, random)),
        ("reversed", lambda _, items: items[::-1]),
        ("without its first element", lambda _, items: items[1:]),
        ("of other sizes", lambda spec, items: _other_sizes(spec, items, random)),
        ("of one element", lambda _, items: items[:1]),
        ("empty", lambda _, items: []),
    ]
    for text, change in changes:
        together = list(leaves)
        for index in lists:
            together[index] = _of_named_length(specs[index], leaves[index], change)
        if all(len(together[i]) == len(leaves[i]) for i in lists) and text not in SAME_LENGTH:
            continue
        name = specs[lists[0]].name if len(lists) == 1 else "all lists"
        yield Trial(f"{name} {text}", together)
    if len(lists) > 1:
        for index in lists:
            for text, change in changes[:2]:
                changed = list(leaves)
                changed[index] = _of_named_length(specs[index], leaves[index], change)
                yield Trial(f"{specs[index].name} {text}", changed)


def _of_named_length(
    spec: InputSpec, items: list[Any], change: Callable[[InputSpec, list[Any]], list[Any]]
) -> list[Any]:
    """Change a list, unless that changes a length that has a name: `_sizes` does that."""
    changed = change(spec, items)
    return items if spec.length is not None and len(changed) != len(items) else changed


def _longer(spec: InputSpec, items: list[Any], random: np.random.RandomState) -> list[Any]:
    if not items:
        return [_first_element(spec), _first_element(spec)]
    more = items[:3]
    if spec.element == "scalar":
        return items + more
    return items + [drawn(item.shape, item, random) for item in more]


def _first_element(spec: InputSpec) -> Any:
    if spec.element == "scalar":
        assert spec.python_type is not None
        return spec.python_type(0)
    shape = tuple(dim if isinstance(dim, int) else 2 for dim in spec.dims)
    return np.zeros(shape, spec.dtype)


def _other_sizes(spec: InputSpec, items: list[Any], random: np.random.RandomState) -> list[Any]:
    """Make open sizes one larger, and those of the last element 1."""
    if spec.element == "scalar":
        return items
    result = []
    for number, item in enumerate(items):
        last = number == len(items) - 1
        shape = tuple(
            size if dim is not None else (1 if last else size + 1)
            for dim, size in zip(spec.dims, item.shape, strict=True)
        )
        result.append(drawn(shape, item, random))
    return result


# Everything at once


def _joint(
    specs: Sequence[InputSpec], leaves: Leaves, random: np.random.RandomState, count: int = 6
) -> Iterator[Trial]:
    """Change all numbers, values and lengths together, and sizes every other time."""
    sizes = _named_sizes(specs, leaves)
    for number in range(count):
        plan = _primes(sizes) if number % 2 else sizes
        bases = [
            resized(spec, leaf, plan, random) for spec, leaf in zip(specs, leaves, strict=True)
        ]
        changed = []
        for spec, leaf in zip(specs, bases, strict=True):
            if spec.kind == "scalar":
                options = [leaf, *other_scalars(leaf)]
                changed.append(options[random.randint(len(options))])
            elif spec.element == "scalar":
                changed.append([other_scalars(item)[0] for item in leaf])
            elif spec.kind == "list":
                changed.append([_shaken(item, random) for item in leaf])
            else:
                changed.append(_shaken(leaf, random))
        yield Trial(f"everything changed ({number + 1})", changed)


def _shaken(array: np.ndarray[Any, Any], random: np.random.RandomState) -> np.ndarray[Any, Any]:
    permuted = random.permutation(array.ravel()).reshape(array.shape)
    if array.dtype.kind != "f" or not array.size:
        return permuted
    signs = random.choice([-1.0, 1.0], array.shape)
    shift = random.uniform(-1, 1) * float(np.std(array[np.isfinite(array)], dtype=np.float64) or 0)
    return np.asarray(permuted * signs + shift).astype(array.dtype)


def nudged(array: np.ndarray[Any, Any], random: np.random.RandomState) -> np.ndarray[Any, Any]:
    """Return a float array with its elements moved by up to four units in the last place."""
    if array.dtype.kind != "f":
        return array
    with np.errstate(all="ignore"):
        step = np.spacing(np.abs(array)) * random.randint(-4, 5, array.shape)
        moved = np.asarray(array + step).astype(array.dtype)
    return np.asarray(np.where(np.isfinite(moved), moved, array))
