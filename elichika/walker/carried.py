"""What an If or a Loop carries: the locations that it changes, each by its type."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from elichika.state.joins import Hole, Leaf, Memo, Type
from elichika.state.store import Key
from elichika.walker.walk import Walk
from onnx_graph import Value
from onnx_graph.value_numbers import ValueNumbers

__all__ = ["Carried", "StayingTags", "build_all", "encode_all", "keys_at", "leaves_of"]

#: The types of locations.
Carried = Mapping[Key, Type]


def encode_all(w: Walk, carried: Carried, memo: Memo) -> list[Value | Hole]:
    """Return the graph values of what locations hold now."""
    return [
        leaf
        for key, type_ in carried.items()
        for leaf in type_.encode(w, w.held(w.store.owner(key), key[1]), memo)
    ]


def build_all(w: Walk, carried: Carried, leaves: Iterator[Value], memo: Memo) -> None:
    """Let locations hold what graph values stand for."""
    for key, type_ in carried.items():
        w.store.set_key(key, type_.build(w, leaves, memo))


def leaves_of(carried: Carried) -> list[Leaf]:
    """List the graph values that carry what locations hold."""
    return [leaf for _, leaf in _leaves(carried)]


class StayingTags:
    """The tags of choices that are the same in all turns of a loop: assumed, and held to.

    Where a turn that begins with the tag of before the loop ends with it, all turns do, and the
    loop need not carry it. What is asked of it has one answer then, inside of the loop and outside.

    Attributes:
        assumed: The tags that the present trial takes to stay, by their places among the leaves.
    """

    def __init__(self, recalled: Set[Key]) -> None:
        """Begin with the locations whose tags stayed when the loop was walked last."""
        self.assumed: dict[int, Value] = {}
        self._recalled = recalled
        self._refuted: set[Key] = set()
        self._numbers = ValueNumbers()
        self._ends: dict[int, int] | None = None

    def assume(self, carried: Carried, initial: Sequence[Value]) -> None:
        """Assume that those tags stay that the last trial, or the last walk, has not changed.

        Args:
            carried: What the next trial carries.
            initial: What that is before the loop.
        """
        self.assumed = {}
        for index, (key, leaf) in enumerate(_leaves(carried)):
            if leaf.tag and key not in self._refuted:
                before = initial[index]
                stayed = key in self._recalled if self._ends is None else self._ended(index, before)
                if stayed:
                    self.assumed[index] = before

    def end(self, carried: Carried, ends: Sequence[Value]) -> None:
        """Note what the tags are at the end of a trial, while its body is there."""
        leaves = enumerate(_leaves(carried))
        self._ends = {i: self._numbers.of(ends[i]) for i, (_, leaf) in leaves if leaf.tag}

    def hold(self, carried: Carried) -> bool:
        """Tell whether those that were assumed to stay did; the others are not assumed again."""
        keys = [key for key, _ in _leaves(carried)]
        wrong = {keys[i] for i, before in self.assumed.items() if not self._ended(i, before)}
        self._refuted |= wrong
        return not wrong

    def _ended(self, index: int, before: Value) -> bool:
        return self._ends is not None and self._ends.get(index) == self._numbers.of(before)


def _leaves(carried: Carried) -> list[tuple[Key, Leaf]]:
    listed: Memo = {}
    return [(key, leaf) for key, type_ in carried.items() for leaf in type_.leaves(listed)]


def keys_at(carried: Carried, places: Iterable[int]) -> set[Key]:
    """Return the locations that some of the leaves are of."""
    leaves = _leaves(carried)
    return {leaves[place][0] for place in places}
