"""What joins and aliases may ask of the walk whose state they hold."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

import numpy as np

from elichika.values.context import TensorContext, WalkContext

if TYPE_CHECKING:
    from elichika.state.aliases import Origin
    from elichika.state.facts import Facts
    from elichika.state.idents import Idents
    from elichika.state.joins.choices import ChoiceType
    from elichika.state.joins.containers import SeqType
    from elichika.state.joins.leaves import Leaf, Memo, Site
    from elichika.state.joins.references import Arena
    from elichika.state.joins.types import Type
    from elichika.values.symbolic import Array, Choice, DynamicTuple, Path, Seq, Var
    from onnx_graph import Value

__all__ = ["AliasContext", "StateContext"]


class JoinedChoices(Protocol):
    """Choices, as types see them."""

    @property
    def guards(self) -> tuple[Path, ...]:
        """What an array that is built now is guarded by."""

    def tag_is(self, choice: Choice, index: int) -> Value:
        """Return a 0-d bool: whether the alternative `index` is the one."""

    def under(self, tag: Value, index: int, count: int) -> AbstractContextManager[None]:
        """Build the alternative `index` of a choice of so many within the block."""

    def also_held(self, type_: Type, memo: Memo) -> None:
        """Note that something held here is an object that was built before."""

    def alternative_of(self, type_: ChoiceType, value: Any) -> int:
        """Return the alternative of a joined type that holds a value."""


class JoinedSequences(Protocol):
    """Lists of dynamic length, as types see them."""

    def as_sequences(self, version: Any, element: Type) -> list[Value]:
        """Return list contents, of static or dynamic length, as sequences of elements."""

    def freeze(self, value: Any) -> None:
        """Forbid writes to the arrays in a value that a list now holds a copy of."""

    def not_empty(self, items: Seq) -> Value:
        """Return a 0-d bool: whether there is an element, the same value each time."""

    def new_tuple(self, items: Seq) -> DynamicTuple:
        """Return a tuple of dynamic length."""


class JoinedFloats(Protocol):
    """Which float objects are the same one."""

    def number(self, value: Any) -> Value | None:
        """Return the number of a float object; None of an unknown one."""

    def known_as(self, value: Any, number: Value) -> Value:
        """Note the number of a float that was a key."""


class JoinedSets(Protocol):
    """Sets with keys of the run."""

    def shown(self, keys: Value) -> Value:
        """Return ints in the order of a set that they were added to one by one."""


class JoinedTables(Protocol):
    """Dicts and sets with keys of the run."""

    @property
    def sets(self) -> JoinedSets:
        """The order of sets."""

    @property
    def floats(self) -> JoinedFloats:
        """Which float objects are the same one."""


class JoinedArenas(Protocol):
    """Objects that live in arenas, as types see them."""

    copying: bool

    def holds(self, obj: Any) -> bool:
        """Tell whether an object lives in an arena."""

    def require(self, obj: Any) -> tuple[Arena, Value]:
        """Return where an object lives that has to live in an arena."""

    def sites_of(self, type_: Type) -> frozenset[Site]:
        """Return the places that may have made objects of a type."""

    def require_plain(self, sites: frozenset[Site]) -> None:
        """Start the walk again where a list would copy objects that live in an arena."""

    def refuse(self, reason: str, *objects: Any) -> NoReturn:
        """Refuse what objects do, or start the walk again with them in arenas from their birth."""

    def named(self, arena: Arena, handle: Value) -> Any:
        """Return the object of a handle."""

    def meet(self, a: Type, b: Type) -> Type | None:
        """Join two types, one of objects in an arena; None if they are of two classes."""


class AliasContext(WalkContext, Protocol):
    """The walk, as one that asks which array an array is sees it."""

    facts: Facts


class JoinedControlTape(Protocol):
    """Which Variables of the sides of a branch, or of turns, are those after it."""

    def meets(self, type_: Type, variable: Var) -> None:
        """Note that a Variable is what a type stands for, on one side or after the join."""

    def meets_list(self, type_: SeqType, version: Any) -> None:
        """Note that contents of a list are what a type stands for."""


class JoinedTape(Protocol):
    """Which function made which Variable."""

    @property
    def control(self) -> JoinedControlTape:
        """What branches and loops hand on."""


class StateContext(AliasContext, TensorContext, Protocol):
    """The walk, as types and their joins see it.

    Attributes:
        made_classes: The classes that the walk made.
    """

    made_classes: set[type]

    @property
    def idents(self) -> Idents:
        """The numbers of objects."""

    @property
    def tape(self) -> JoinedTape:
        """Which function made which Variable."""

    @property
    def choices(self) -> JoinedChoices:
        """Choices: several values told apart by a tag."""

    @property
    def sequences(self) -> JoinedSequences:
        """Lists of dynamic length."""

    @property
    def tables(self) -> JoinedTables:
        """Dicts and sets with keys of the run."""

    @property
    def arenas(self) -> JoinedArenas:
        """Objects that change in lists of dynamic length."""

    # Values

    def narrow(self, value: Any) -> Any:
        """Return a value without the alternatives that cannot be here."""

    def is_symbolic(self, value: Any) -> bool:
        """Tell whether anything in a value is known only when the model runs."""

    def heap_slots(self, obj: Any) -> list[str]:
        """Return the locations of a fresh object, in the order they were first written."""

    def set_items(self, obj: Any, items: Any) -> None:
        """Let a list, dict or set hold other items."""

    def made_inside(self, value: Any) -> bool:
        """Tell whether a branch or a turn of a loop made an object: outside there is another."""

    def sealed(self, value: Any, keeper: str | None = None) -> Any:
        """Forbid writes to a list, dict or object of which a list holds a copy; return it."""

    # Tensors

    def scalar_value(self, value: Any, dtype: np.dtype[Any]) -> Value:
        """Return a number, known or not, as a tensor without axes, of a dtype."""

    def constant(self, value: Any) -> Value:
        """Return the constant for a number or array that is known while compiling."""

    def absent(self, leaf: Leaf) -> Value:
        """Return a stand-in for a graph value that is not there."""

    def select(self, tag: Value, yes: Value, no: Value) -> Value:
        """Return one of two tensors, whichever a bool of the graph chooses."""

    # Arrays and Variables

    def new_array(self, value: Value) -> Array:
        """Return a fresh array of the program that holds a tensor."""

    def share(self, array: Array, *others: Array) -> Array:
        """Note that an array may share memory with others; return it."""

    def remember_origins(self, array: Array) -> None:
        """Note what the origins of an array hold now."""

    def freeze(self, array: Array) -> None:
        """Forbid writes to an array: a list of dynamic length holds a copy of it."""

    def lasting(self, origin: Origin) -> Origin | None:
        """Return how an element of a list names the array that it is, or None if it cannot."""

    def in_list(self, array: Array) -> bool:
        """Tell whether a list of dynamic length holds a copy of an array."""

    def as_var(self, value: Any) -> Var:
        """Return a Variable, or an array, as a symbolic Variable."""

    def is_static_variable(self, value: Any) -> bool:
        """Tell whether a value is a Variable that is known while compiling."""

    def variable_array(self, variable: Any) -> Any:
        """Return the array of a Variable that is known while compiling."""
