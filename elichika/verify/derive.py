"""Inputs that were not shown: other sizes, values, numbers and lengths than the example's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, zip_longest
from typing import Any

import numpy as np

from elichika.signature import InputSpec
from elichika.signature.axes import symbol_sizes
from elichika.verify.changes import (
    each_array,
    has_arrays,
    longer,
    of_other_sizes,
    other_scalars,
    permuted,
    resized,
    shaken,
    within_range,
)

__all__ = ["Trial", "derived"]

SMALL_PRIMES = (3, 5, 7, 11, 13, 17, 19, 23)
LARGE = 16
"""From this size on a prime just above the example is tried as well: images have least sizes."""
THRESHOLDS = 5
"""How many of the numbers that decide something are tried."""
JOINT = 6
"""How many inputs change in everything."""
WITHIN = 2
"""How many of them stay within the range of the example."""

SAME_LENGTH = ("reversed", "of other sizes")

Array = np.ndarray[Any, Any]
Change = Callable[[Array], Array]
ListChange = Callable[[InputSpec, list[Any]], list[Any]]


@dataclass(frozen=True)
class Trial:
    """One input to try.

    Attributes:
        text: What is special about it.
        leaves: Its leaves as host values.
        special: Whether it is of no interest where eager fails or warns: a size is 0.
        beyond: Whether numbers are beyond the range of the example's: a difference is of no
            interest where numpy warns.
    """

    text: str
    leaves: list[Any]
    special: bool = False
    beyond: bool = False


def derived(
    specs: Sequence[InputSpec], leaves: Sequence[Any], seed: int = 0, about: Sequence[int] = ()
) -> Iterator[Trial]:
    """Yield inputs derived from an example, the kinds of change in turn.

    Sizes of one name change together. Values of resized arrays are drawn from those seen.

    Args:
        specs: The inputs.
        leaves: The example.
        seed: For what is drawn at random.
        about: Whole numbers that decide something: sizes and numbers about them are tried.
    """
    example = _Example(specs, leaves, np.random.RandomState(seed))
    groups = (
        example.of_sizes(),
        example.of_values(),
        example.of_scalars(),
        example.about(about),
        example.of_lists(),
        example.of_integers(),
    )
    yield from filter(None, chain.from_iterable(zip_longest(*groups)))
    yield from example.of_everything()


class _Example:
    """An example; each method that begins with `of` changes one thing of it."""

    def __init__(
        self, specs: Sequence[InputSpec], leaves: Sequence[Any], random: np.random.RandomState
    ) -> None:
        self.specs, self.leaves, self.random = specs, list(leaves), random
        self.sizes = self._named_sizes()

    def _named_sizes(self) -> dict[str, int]:
        """Return the sizes of the example by name."""
        sizes = {
            symbol: size
            for spec, leaf in zip(self.specs, self.leaves, strict=True)
            for symbol, size, _ in symbol_sizes(spec, leaf)
        }
        for spec in self.specs:  # a name that only elements of an empty list would carry
            for name in (*spec.dims, spec.length):
                if isinstance(name, str):
                    sizes.setdefault(name, 2)
        return sizes

    # What is changed, in which inputs

    def _with(self, index: int, leaf: Any) -> list[Any]:
        """Return the leaves with one of them changed."""
        return [*self.leaves[:index], leaf, *self.leaves[index + 1 :]]

    def _resized(self, sizes: Mapping[str, int]) -> list[Any]:
        parts = zip(self.specs, self.leaves, strict=True)
        return [resized(spec, leaf, sizes, self.random) for spec, leaf in parts]

    def _arrays(self, kinds: str, change: Change) -> list[Any]:
        """Change every array whose dtype is of one of the kinds."""
        parts = zip(self.specs, self.leaves, strict=True)
        return [
            each_array(spec, leaf, change) if spec.dtype.kind in kinds else leaf
            for spec, leaf in parts
        ]

    def _list(self, index: int, change: ListChange) -> list[Any]:
        """Change a list, unless that changes a length that has a name: `of_sizes` does that."""
        spec, items = self.specs[index], self.leaves[index]
        changed = change(spec, items)
        return items if spec.length is not None and len(changed) != len(items) else changed

    # Trials

    def of_sizes(self) -> Iterator[Trial]:
        """Named sizes: all of them, then one at a time."""
        sizes = self.sizes
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
            special = 0 in plan.values() and 0 not in sizes.values()
            yield Trial(changed, self._resized(plan), special)

    def about(self, about: Sequence[int]) -> Iterator[Trial]:
        """One size or whole number at a time: a number that decides something, or beside it."""
        primes = _primes(self.sizes)
        news = sorted({number + step for number in about[:THRESHOLDS] for step in (-1, 0, 1)})
        for new in news:
            for symbol, size in self.sizes.items():
                if new not in (1, 2, size, primes[symbol]) and size < LARGE:
                    yield Trial(f"{symbol}={new}", self._resized({**self.sizes, symbol: new}))
            for index, (spec, leaf) in enumerate(zip(self.specs, self.leaves, strict=True)):
                if spec.kind != "scalar" or spec.dtype.kind != "i":
                    continue
                if new not in (leaf, *other_scalars(leaf)):
                    yield Trial(f"{spec.name}={new}", self._with(index, type(leaf)(new)))

    def of_values(self) -> Iterator[Trial]:
        """All arrays of floats together; then each alone."""
        specs = self.specs
        floats = [i for i, spec in enumerate(specs) if spec.dtype.kind == "f" and has_arrays(spec)]
        changes: list[tuple[str, Change, bool]] = [
            ("permuted", partial(permuted, random=self.random), False),
            ("negated", lambda array: -array, True),
            ("within the range seen", partial(within_range, random=self.random), False),
            ("scaled by 0.1", lambda array: (array * 0.1).astype(array.dtype), True),
            ("scaled by 3", lambda array: (array * 3).astype(array.dtype), True),
        ]
        what = specs[floats[0]].name if len(floats) == 1 else "all floats"
        for text, change, beyond in changes if floats else ():
            yield Trial(f"{what} {text}", self._arrays("f", change), beyond=beyond)
        for index in floats if len(floats) > 1 else ():
            for text, change, beyond in changes[:2]:
                changed = self._with(index, each_array(specs[index], self.leaves[index], change))
                yield Trial(f"{specs[index].name} {text}", changed, beyond=beyond)

    def of_integers(self) -> Iterator[Trial]:
        """Arrays of whole numbers and bools."""
        kinds = "".join(spec.dtype.kind for spec in self.specs if has_arrays(spec))
        permute = partial(permuted, random=self.random)
        if "i" in kinds or "u" in kinds:
            yield Trial("integers permuted", self._arrays("iu", permute))
            within = partial(within_range, random=self.random)
            yield Trial("integers within the range seen", self._arrays("iu", within))
        if "b" in kinds:
            yield Trial("bools inverted", self._arrays("b", np.logical_not))
            yield Trial("bools permuted", self._arrays("b", permute))

    def of_scalars(self) -> Iterator[Trial]:
        """One number changed at a time, all of them getting their first change first."""
        plans = [
            [(index, number) for number in other_scalars(self.leaves[index])]
            for index, spec in enumerate(self.specs)
            if spec.kind == "scalar"
        ]
        for index, number in filter(None, chain.from_iterable(zip_longest(*plans))):
            beyond = self.specs[index].dtype.kind == "f"
            text = f"{self.specs[index].name}={number!r}"
            yield Trial(text, self._with(index, number), beyond=beyond)

    def of_lists(self) -> Iterator[Trial]:
        """All lists together, so that parallel ones stay parallel; then each alone."""
        lists = [index for index, spec in enumerate(self.specs) if spec.kind == "list"]
        if not lists:
            return
        changes: list[tuple[str, ListChange]] = [
            ("longer", partial(longer, random=self.random)),
            ("reversed", lambda _, items: items[::-1]),
            ("without its first element", lambda _, items: items[1:]),
            ("of other sizes", partial(of_other_sizes, random=self.random)),
            ("of one element", lambda _, items: items[:1]),
            ("empty", lambda _, items: []),
        ]
        for text, change in changes:
            changed = {index: self._list(index, change) for index in lists}
            same = all(len(items) == len(self.leaves[i]) for i, items in changed.items())
            if same and text not in SAME_LENGTH:
                continue
            name = self.specs[lists[0]].name if len(lists) == 1 else "all lists"
            leaves = [changed.get(index, leaf) for index, leaf in enumerate(self.leaves)]
            yield Trial(f"{name} {text}", leaves)
        for index in lists if len(lists) > 1 else ():
            for text, change in changes[:2]:
                leaves = self._with(index, self._list(index, change))
                yield Trial(f"{self.specs[index].name} {text}", leaves)

    def of_everything(self) -> Iterator[Trial]:
        """All numbers, values and lengths together, and sizes every other time.

        The first of them are within the range of the example's.
        """
        for number in range(JOINT):
            bases = self._resized(_primes(self.sizes) if number % 2 else self.sizes)
            beyond = number >= WITHIN
            change = partial(shaken if beyond else within_range, random=self.random)
            parts = zip(self.specs, bases, strict=True)
            changed = [self._changed(spec, leaf, change) for spec, leaf in parts]
            yield Trial(f"everything changed ({number + 1})", changed, beyond=beyond)

    def _changed(self, spec: InputSpec, leaf: Any, change: Change) -> Any:
        if spec.kind == "scalar":
            options = [leaf, *other_scalars(leaf)]
            return options[self.random.randint(len(options))]
        if spec.element == "scalar":
            return [other_scalars(item)[0] for item in leaf]
        return each_array(spec, leaf, change)


def _primes(sizes: Mapping[str, int]) -> dict[str, int]:
    """Return another size for each name, no two alike."""
    primes: dict[str, int] = {}
    for symbol, size in sizes.items():
        used = {*primes.values(), size}
        primes[symbol] = next(prime for prime in (*SMALL_PRIMES, 29) if prime not in used)
    return primes


def _prime_above(size: int) -> int:
    candidate = size + 1
    while any(candidate % factor == 0 for factor in range(2, int(candidate**0.5) + 1)):
        candidate += 1
    return candidate
