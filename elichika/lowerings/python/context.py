"""What a lowering of Python's own containers, iterators and objects may ask besides."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

import chainer

from elichika.iterators.context import IteratorContext
from elichika.lowerings.context import LoweringContext
from elichika.lowerings.python.tape_context import Tape
from elichika.values.symbolic import Array, Choice, Scalar, Seq, Var
from elichika.values.tables import Table
from onnx_graph import Value

if TYPE_CHECKING:
    from elichika.errors import SourceFrame
    from elichika.iterators.base import DictView, Staged
    from elichika.state.facts import Facts
    from elichika.state.idents import Idents
    from elichika.state.joins import Type
    from elichika.values.functions import Frame, GeneratorCall, Remembered

__all__ = ["Choices", "ContainerContext", "DynamicLists", "KeyedTables", "LivingObjects"]


class Choices(Protocol):
    """Values of which the model tells which one it is."""

    def apply(self, choice: Choice, operation: Callable[[Any], Any]) -> Any:
        """Return what an operation gives of the alternative that is there."""

    def left(self, choice: Choice) -> list[int]:
        """Return the indices of the alternatives that the facts do not exclude."""

    def tested(self, value: Any) -> Any:
        """Return a value without the alternatives that the facts exclude, for where they do not."""

    def without(self, choice: Choice, index: int) -> Any:
        """Return a choice given that it is not an alternative."""

    def is_uniform(self, choice: Choice) -> bool:
        """Tell whether all alternatives are tensors of one dtype and rank."""

    def tag_is(self, choice: Choice, index: int) -> Value:
        """Return a 0-d bool: whether an alternative is the one."""

    def as_tensor(self, choice: Choice, dtype: Any = None) -> Value:
        """Return a choice of numbers or tensors as one tensor, by default of the common dtype."""

    def numbers(self, choice: Choice) -> Scalar | None:
        """Return a choice of numbers of one Python type as a scalar, None of others."""

    def one_array(self, choice: Choice) -> Array | None:
        """Return the array that all alternatives are, or are Variables of, if there is one."""


class DynamicLists(Protocol):
    """Lists whose length is known only when the model runs, by what they hold."""

    def length(self, value: Any) -> Any:
        """Return how many items a list, dict or set holds, of known number or not."""

    def length_of(self, items: Seq) -> Value: ...
    def not_empty(self, items: Seq) -> Value: ...
    def build(self, seq: Seq, position: Value) -> Any: ...
    def position(
        self, seq: Seq, index: Any, message: str = ..., said: tuple[Any, ...] | None = ...
    ) -> Value: ...
    def sliced(self, seq: Seq, index: slice) -> Seq: ...
    def insert(self, seq: Seq, value: Any, position: Any) -> Seq: ...
    def erase(self, seq: Seq, position: Any) -> Seq: ...
    def comparison(self, obj: Any, value: Any) -> Any: ...
    def is_plain(self, obj: Any) -> bool: ...

    def require_numbers(self, obj: Any) -> None: ...
    def promoted(self, items: Sequence[Any]) -> Seq:
        """Return the contents of a list of known length as those of a dynamic one."""

    def settled(self, items: Seq) -> Seq:
        """Return the contents with a copy of each element as it is now."""

    def tensors(self, items: Seq, what: str) -> Value:
        """Return the one sequence of a list of arrays, Variables or numbers of one kind."""

    def collected(self, length: Value, element: Type, item: Any) -> Seq:
        """Return the contents `item(i)` for each `i` below a length."""

    def like(self, original: Any, items: Seq) -> Any:
        """Return a fresh list, or a tuple where `original` is one."""

    def new_tuple(self, items: Seq) -> Any: ...


class KeySets(Protocol):
    """Sets whose keys are known only when the model runs."""

    def is_added(self, obj: Any) -> bool:
        """Tell whether a set was only added to."""

    def is_ordered(self, obj: Any) -> bool:
        """Tell whether the order of a set is known, or it has one key at most."""

    def ask_order(self) -> None:
        """Start the run again, to follow the order of sets out of which keys are taken."""

    def forget_order(self, obj: Any) -> None:
        """Let a set be one whose order is not known."""

    def let_go(self, obj: Any) -> None:
        """Let a set be one out of which keys are taken: they stand in its order from now on."""

    def in_order(self, obj: Any) -> Table | None:
        """Return what a set holds in its order, if its keys are ints of the run."""

    def algebra(self, op: Any, left: Any, right: Any) -> Any:
        """Return what an operator gives of two sets."""


class KeyLoops(Protocol):
    """Loops over keys that are known only when the model runs."""

    def iterated(
        self, mapping: Any, table: Table, kind: str, within: Table | None = None
    ) -> Staged: ...
    def iterated_one(self, choice: Choice, kind: str) -> Staged | None:
        """Return what a loop over one of several dicts runs over; None of those of known keys."""

    def watched(self, alternatives: Iterable[Any]) -> Callable[[], None]:
        """Return what refuses a dict or set among some things that has other keys than now."""


class KeyStores(Protocol):
    """What puts keys in that are known only when the model runs, and takes them out."""

    def set(self, obj: Any, key: Any, value: Any) -> None: ...
    def add(self, obj: Any, key: Any) -> None: ...
    def fill(self, obj: Any, pairs: list[tuple[Any, Any]]) -> Any:
        """Set items of a new dict, which is returned."""

    def set_default(self, obj: Any, key: Any, value: Any) -> Any:
        """Return `obj.setdefault(key, value)`."""

    def discard(self, obj: Any, key: Any, *, must: bool = False) -> None: ...
    def last_to_front(self, obj: Any) -> None:
        """Put the last of the keys, which is there, before the others."""


class FloatObjects(Protocol):
    """Floats that Python has just made."""

    def note(self, value: Any) -> Any:
        """Note that Python makes a float here, which is returned."""

    def list_of(self, made: Any) -> Any:
        """Note that Python makes a list of new numbers here, which is returned."""

    def take(self, items: Seq, position: Value, value: Any) -> Any:
        """Note which item of a list a number is, which is returned."""


class KeyedTables(Protocol):
    """Dicts and sets whose keys are known only when the model runs."""

    @property
    def stores(self) -> KeyStores: ...
    @property
    def floats(self) -> FloatObjects: ...
    @property
    def sets(self) -> KeySets: ...
    @property
    def loops(self) -> KeyLoops: ...
    def of(self, obj: Any) -> Table | None:
        """Return what a dict or set holds, if its keys are known only when the model runs."""

    def opened(self, obj: Any) -> Table | None:
        """Return what a dict or set holds whose keys are not all known."""

    def decides(self, obj: Any, key: Any) -> bool:
        """Tell whether a key is looked for when the model runs."""

    def contains(self, obj: Any, key: Any) -> Any: ...
    def get(self, obj: Any, key: Any, default: Any) -> Any: ...
    def pick(self, obj: Any, key: Any) -> Any: ...
    def pick_there(self, obj: Any, key: Any) -> Any:
        """Return `obj[key]`, which must be there."""


class LivingObjects(Protocol):
    """Objects that change while lists of dynamic length hold them."""

    def holds(self, value: Any) -> bool: ...
    def holder(self, value: Any) -> Any: ...
    def another(self, value: Any) -> Any: ...
    def refuse_deep(self) -> NoReturn: ...
    def seen(self, type_: Type) -> Type:
        """Return the type of the objects that a handle stands for, of another type itself."""


class Printed(Protocol):
    """What the program prints."""

    enabled: bool

    def made(self, function: str, *args: Any) -> Any:
        """Return how a text is made, of what the values are now; None where nobody prints."""

    def printed(self, how: dict[str, Any], args: list[Any]) -> None:
        """Print some values here."""


class WithMemos(Protocol):
    """Functions that remember what they returned: those of `functools.lru_cache`."""

    def of(self, cached: Any) -> Remembered:
        """Return one that Python made, as the walk calls it."""

    def made(self, function: Any, bounded: bool, typed: bool) -> Remembered:
        """Return one of a function of the program."""

    def call(self, remembered: Remembered, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """Call one."""


class ContainerContext(LoweringContext, IteratorContext, Protocol):
    """The compiler as lowerings see it that look into containers, iterators and objects."""

    frames: list[Frame]
    report: Any

    @property
    def choices(self) -> Choices: ...
    @property
    def sequences(self) -> DynamicLists: ...
    @property
    def arenas(self) -> LivingObjects: ...
    @property
    def tables(self) -> KeyedTables: ...
    @property
    def remembering(self) -> WithMemos: ...
    @property
    def prints(self) -> Printed: ...
    @property
    def tape(self) -> Tape: ...
    @property
    def facts(self) -> Facts: ...
    @property
    def idents(self) -> Idents: ...

    # Where the program is, and what it runs

    def user_frame(self) -> SourceFrame | None:
        """Return the innermost place in the user's own code."""

    def located(self, exact: bool | None = None) -> AbstractContextManager[None]:
        """Let what goes wrong within name the present line."""

    def native_errors(self, function: Any) -> AbstractContextManager[None]: ...
    def native(
        self, function: Any, args: list[Any], kwargs: dict[str, Any], *, trusted: bool = False
    ) -> Any:
        """Run a call now, with Python itself."""

    def has_source(self, function: Any) -> bool:
        """Tell whether a function is of the program, or can be walked."""

    def program_of(self, function: Any) -> Any: ...
    def instantiate(self, cls: type, args: list[Any], kwargs: dict[str, Any]) -> Any: ...
    def load(self, name: str) -> Any: ...
    def is_of_enclosing_function(self, name: str) -> bool: ...
    def version(self, owner: Any, slot: str) -> Any: ...

    def or_else(self, held: Any, absent: Callable[[], Any], what: str) -> Any:
        """Return what is held, or what another way gives where it is unset."""

    def tag_test(self, choice: Choice, test: Callable[[Any], Any]) -> Any:
        """Return whether a test holds of the alternative that is there."""

    def identical(self, left: Any, right: Any) -> Any:
        """Return `left is right`."""

    def augmented(self, in_place: str, op: Any, current: Any, operand: Any) -> Any:
        """Return what `current op= operand` leaves."""

    # Arrays and Variables

    def as_symbolic_array(self, value: Any) -> Array: ...
    def variable_array(self, variable: chainer.Variable) -> Any: ...
    def variable_of(
        self, array: Array, *, leaf: bool = False, requires_grad: bool | None = None
    ) -> Var: ...
    def freeze(self, array: Array) -> None:
        """Forbid writes to an array of which a list holds a copy."""

    def in_list(self, array: Array) -> bool: ...
    def was_written(self, value: Any) -> bool: ...
    def share_all(self, made: Any, given: Any, lowering: str) -> None: ...
    def touch_fact(self, name: str, *, written: bool = False) -> None: ...

    # Objects

    def class_of(self, value: Any) -> type: ...
    def overriding(self, value: Any, name: str) -> Any:
        """Return the method that a class of the program has in place of a built-in type's."""

    def lookup_plain(self, obj: Any, name: str) -> Any: ...
    def set_attribute(self, obj: Any, name: str, value: Any, *, plain: bool = False) -> None: ...
    def attributes_of(self, obj: Any) -> dict[str, Any]: ...
    def open_attributes_of(self, obj: Any) -> dict[str, Any]: ...
    def own(self, obj: Any, name: str) -> Any: ...
    def sure(self) -> AbstractContextManager[None]:
        """Emit nodes of which none fails, whatever they look like: only checks do."""

    def given(self, owner: Any, slot: str) -> Any: ...
    def heap_slots(self, obj: Any) -> list[str]: ...
    def materialised(self, value: Any) -> Any:
        """Return an object as native code may see it, with the attributes that it has now."""

    # Items

    def set_items(self, obj: Any, items: Any) -> None:
        """Let a list, dict or set hold other items."""

    def sure_items(self, obj: Any, *, ordered: bool = True) -> dict[Any, Any]: ...
    def mapping_items(self, value: Any) -> dict[Any, Any]: ...
    def with_item(self, items: dict[Any, Any], key: Any, value: Any) -> dict[Any, Any]: ...
    def view_items(self, view: DictView) -> list[Any]: ...
    def hashable(self, key: Any) -> Any: ...
    def same_item(self, item: Any, value: Any) -> Any: ...
    def contains(self, container: Any, value: Any) -> Any: ...
    def delete_item(self, obj: Any, index: Any) -> None: ...
    def container_get(self, obj: Any, index: Any) -> Any:
        """Return `obj[index]`, past a `__getitem__` of a class of the program."""

    def container_set(self, obj: Any, index: Any, value: Any) -> None: ...
    def index_of(self, value: Any, unfit: str = ...) -> Any:
        """Return an int, or an array of one that has no axes, as an index."""

    def container_delete(self, obj: Any, index: Any) -> None: ...
    def container_contains(self, container: Any, value: Any) -> Any: ...
    def builtin_binary(self, op: Any, left: Any, right: Any) -> Any: ...
    def container_iterate(self, value: Any) -> Staged: ...
    def columns(self, rows: Any, *filler: Any) -> Any: ...
    def together(self, args: list[Any]) -> Any: ...

    # Iteration

    def iterator(self, value: Any) -> Any:
        """Return what `iter` gives."""

    def settled(self, value: Any) -> Any:
        """Return what an iterator gives as a list, if it is known how much; others as they are."""

    def is_known(self, iterable: Any) -> bool:
        """Tell whether the number of the items is known while compiling."""

    def is_asked(self, value: Any) -> bool:
        """Tell whether a value is an iterator, of which there is nothing left after a loop."""

    def is_iterator(self, value: Any) -> bool: ...
    def over(self, value: Any) -> Any: ...
    def remaining(self, iterator: Any) -> Iterator[Any]: ...
    def ready(self, iterator: Any) -> Any: ...
    def site(self) -> Any: ...
    def is_stepwise(self, site: Any) -> bool: ...
    def leave(self, iterator: Any, site: Any) -> None: ...
    def as_generator(self, value: Any) -> GeneratorCall | None: ...
    def consume(self, generator: GeneratorCall, consumer: Any, *, apart: bool = True) -> Any: ...
