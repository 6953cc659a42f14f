"""What a location may hold: the interface, and values without parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.state.joins.leaves import Hole, Leaf, Memo, Site
from elichika.values.functions import Closure
from elichika.values.symbolic import (
    PYTHON_DTYPES,
    UNDEF,
    WIDE_BOUND,
    Choice,
    Conflict,
    Scalar,
    Text,
)
from onnx_graph import Dim, Value

if TYPE_CHECKING:
    from elichika.state.context import StateContext


class Type:
    """What a location may hold."""

    #: A choice is encoded by encoding its alternatives.
    splits = False

    def leaves(self, memo: Memo) -> list[Leaf]:
        """List the graph values that carry it; a shared object is listed once (`memo`)."""
        return []

    def encode(self, w: StateContext, value: Any, memo: Memo) -> list[Value | Hole]:
        """Return the graph values for `value` in the order of `leaves`; holes for `UNDEF`."""
        value = w.narrow(value)
        if isinstance(value, Choice) and self.splits:
            return split(w, self, value, range(len(value.alternatives)), memo)
        return self.hollow(memo) if value is UNDEF else self.embed(w, value, memo)

    def embed(self, w: StateContext, value: Any, memo: Memo) -> list[Value | Hole]:
        """Return the graph values for a value that is there."""
        return []

    def hollow(self, memo: Memo) -> list[Value | Hole]:
        """Return holes for all leaves."""
        return [Hole(leaf) for leaf in self.leaves({})]

    def build(self, w: StateContext, leaves: Iterator[Value], memo: Memo) -> Any:
        """Make a value of this type from graph values."""
        raise NotImplementedError


def same_static(a: Any, b: Any) -> bool:
    """Tell whether two static values are one for the program: identity, or equal immutables."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, (float, complex, np.floating)):
        return repr(a) == repr(b)
    if isinstance(a, (int, str, bytes, bool, np.dtype, slice, range, np.generic)):
        return bool(a == b)
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(same_static, a, b))
    if isinstance(a, Closure):
        return (
            a.program is b.program
            and a.frame is b.frame
            and same_static(a.defaults, b.defaults)
            and not a.kw_defaults
            and not b.kw_defaults
        )
    return False


def one_of(a: Any, b: Any) -> Any:
    """Return what stands for either of two static values that are one for the program.

    Equal values need not be one object: then it is an object of its own, so that nobody can tell.
    """
    if a is b:
        return a
    if isinstance(a, tuple):
        return tuple.__new__(type(a), list(map(one_of, a, b)))
    again = AGAIN.get(type(a))
    if again is None and isinstance(a, np.generic):
        return a.copy()
    return a if again is None else again(a)


#: How to make another object of a value that cannot change; of other types there is one each.
AGAIN: dict[type, Callable[[Any], Any]] = {
    int: lambda value: value + 0,
    float: lambda value: float.fromhex(value.hex()),
    complex: lambda value: complex(value.real, value.imag),
    str: lambda value: value.encode("utf-8", "surrogatepass").decode("utf-8", "surrogatepass"),
    bytes: lambda value: bytes(bytearray(value)),
    slice: lambda value: slice(value.start, value.stop, value.step),
    range: lambda value: range(value.start, value.stop, value.step),
    Closure: replace,
}


@dataclass(frozen=True, eq=False)
class Static(Type):
    """One value that is known now."""

    value: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Static) and same_static(self.value, other.value)

    def build(self, w: StateContext, leaves: Iterator[Value], memo: Memo) -> Any:
        return self.value


@dataclass(frozen=True)
class ConflictType(Type):
    """No common type: reading it is the error.

    Attributes:
        sites: The places that may have made the objects which have none.
    """

    reason: str
    sites: frozenset[Site] = field(default=frozenset(), compare=False)

    def build(self, w: StateContext, leaves: Iterator[Value], memo: Memo) -> Any:
        return Conflict(self.reason)


@dataclass(frozen=True)
class TextType(Type):
    """A str that depends on what is known only when the model runs; nothing carries it."""

    def build(self, w: StateContext, leaves: Iterator[Value], memo: Memo) -> Any:
        return Text()


@dataclass(frozen=True)
class ScalarType(Type):
    """A Python or numpy number."""

    type: type

    @property
    def dtype(self) -> np.dtype[Any]:
        return PYTHON_DTYPES.get(self.type) or np.dtype(self.type)

    def leaves(self, memo: Memo) -> list[Leaf]:
        return [Leaf(self.dtype, ())]

    def embed(self, w: StateContext, value: Any, memo: Memo) -> list[Value | Hole]:
        return [w.scalar_value(value, self.dtype)]

    def build(self, w: StateContext, leaves: Iterator[Value], memo: Memo) -> Any:
        return Scalar(self.type, next(leaves), bound=WIDE_BOUND)


@dataclass(frozen=True)
class ContentsType(Type):
    """The contents of an array that existed before."""

    dtype: np.dtype[Any]
    dims: tuple[int | Dim | None, ...]

    def leaves(self, memo: Memo) -> list[Leaf]:
        return [Leaf(self.dtype, self.dims)]

    def embed(self, w: StateContext, value: Any, memo: Memo) -> list[Value | Hole]:
        return [value if isinstance(value, Value) else w.constant(value)]

    def build(self, w: StateContext, leaves: Iterator[Value], memo: Memo) -> Any:
        return next(leaves)


def split(
    w: StateContext, type_: Type, choice: Choice, indices: Iterable[int], memo: Memo
) -> list[Value | Hole]:
    """Return the leaves of some alternatives of a choice in a type that holds them all."""
    result: list[Value | Hole] | None = None
    made: Memo = {}
    for index in indices:
        copies = {k: _holes_again(held) for k, held in memo.items()}
        made = dict(copies)
        leaves = type_.encode(w, choice.alternatives[index], made)
        kept = [h for held in copies.values() if isinstance(held, list) for h in held]
        new = [held for k, held in made.items() if k not in memo and held is not True]
        if new or any(hole.value is not None for hole in kept):
            w.refuse("one of several objects meets another name of the same object here")
        if result is None:
            result = leaves
        else:
            tag = w.choices.tag_is(choice, index)
            result = [_selected(w, tag, *pair) for pair in zip(leaves, result, strict=True)]
    memo.update(dict.fromkeys(made.keys() - memo.keys(), True))
    assert result is not None
    return result


def _holes_again(held: Any) -> Any:
    """Return other holes in the place of holes, to see whether they are filled."""
    return [Hole(hole.leaf, owned=True) for hole in held] if isinstance(held, list) else held


def _selected(w: StateContext, tag: Value, yes: Value | Hole, no: Value | Hole) -> Value | Hole:
    if isinstance(yes, Hole):
        return no
    return yes if isinstance(no, Hole) else w.select(tag, yes, no)
