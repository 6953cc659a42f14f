"""Lists of dynamic length in a result: what one element is, of the graph values that hold all."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Sequence
from types import NoneType
from typing import TYPE_CHECKING, Any, NoReturn, cast

import numpy as np

from elichika.call.results import is_constant, is_unset
from elichika.iterators.base import DictView
from elichika.signature import Alternatives, DynamicList, OutputLeaf
from elichika.signature.records import fields_of, record
from elichika.state.joins import (
    ArrayType,
    ChoiceType,
    HeapType,
    ItemsType,
    KeysType,
    ScalarType,
    Static,
    TupleType,
    Type,
    VarType,
    carriers,
)
from elichika.state.joins.key_forms import NO_TUPLE, FormsType
from elichika.state.joins.mixed_keys import MixedType, numbers_in
from elichika.state.joins.references import RefType
from elichika.state.joins.rows import RowType
from elichika.state.joins.tables import TableType
from elichika.state.joins.texts import TextsType, tags_of
from elichika.state.joins.words import WordType
from elichika.values.symbolic import PYTHON_DTYPES, UNORDERED, UNSET, DynamicTuple, Seq
from elichika.values.tables import FrozenSet, Table
from onnx_graph import Value
from onnx_graph.values import dims_of, is_sequence

if TYPE_CHECKING:
    from elichika.walker.walk import Walk

#: What a result calls dicts of a class.
DICTS = {dict: "dict", OrderedDict: "OrderedDict", Counter: "dict", defaultdict: "dict"}
#: And sets.
SETS: dict[Any, str] = {set: "set", FrozenSet: "frozenset"}
#: What is said of lists in a list whose items are of unlike sizes.
NO_PACKED = (
    "a list of lists of dynamic length in a list cannot be a result",
    "return the lists one after another, and how long each is",
)
__all__ = ["Rows", "keyed", "kind_of"]


def kind_of(type_: type) -> str:
    """Return what an `OutputLeaf` calls a number of a type."""
    return "python" if type_ in PYTHON_DTYPES else "numpy"


def keyed(w: Walk, mapping: Any, table: Table, kind: str) -> DynamicList:
    """Return a dict or set whose keys are known only when the model runs.

    Args:
        w: The walk.
        mapping: The dict or set.
        table: What it holds.
        kind: Its class.
    """
    type_, columns = table.type, list(table.columns)
    number = len(carriers(type_.key))
    parts: list[Type] = [*type_.parts]
    if type(type_.key) is WordType:
        keys = w.items_of(w.call(list, [DictView(mapping, "keys")], {}))
        columns, parts[0], number = [*keys.sequences, *columns[number:]], keys.element, 1
    if type(type_.element) is RefType:
        handles = w.graph.SplitToSequence(columns[number], None, axis=0, keepdims=0)
        copies = w.sequences.settled(w.arenas.copied(Seq(type_.element, (handles,))))
        columns, parts = [*columns[:number], *copies.sequences], [parts[0], copies.element]
    if type_.element is None:
        return Rows(w, columns).listed(parts[0], kind)
    return Rows(w, columns).keyed(parts, kind, boxed=type_.boxed)


class Rows:
    """Turns types of elements into structures of a result.

    Args:
        w: The walker.
        sequences: The leaves of all types, in their order.
    """

    def __init__(self, w: Walk, sequences: Sequence[Value]) -> None:
        self.w = w
        self._leaves = iter(sequences)
        self._arrays: dict[int, Value] = {}

    def listed(self, element: Type, kind: str) -> DynamicList:
        """Return a list, or another sequence, of such elements."""
        if element.leaves({}):
            return DynamicList(self.of(element), kind)
        if not carriers(element):
            self.refuse()
        counted, known = self.leaf("python", np.dtype(bool)), self.of(element)
        return DynamicList(Alternatives(counted, (known, known)), kind)

    def keyed(self, parts: Sequence[Type], kind: str, *, boxed: bool) -> DynamicList:
        """Return a dict by the types of its keys and values; of boxed ones what is in each box."""
        key, value = parts
        if boxed:
            if type(value) is not HeapType:
                self.refuse()
            (value,) = value.items
        return DynamicList((self.of(key), self.of(value)), kind)

    def of(self, type_: Type) -> Any:
        """Return the structure of an element."""
        return READERS.get(type(type_), Rows.refuse)(self, type_)

    def leaf(self, kind: str, dtype: np.dtype[Any]) -> OutputLeaf:
        """Return the next leaf."""
        return OutputLeaf(kind, next(self._leaves), dtype)

    def refuse(self, type_: Any = None) -> NoReturn:
        """Refuse elements that have no structure.

        Raises:
            StagingError: Always.
        """
        self.w.refuse("a list of such elements cannot be a result")

    def _array(self, type_: Any, kind: str = "ndarray") -> OutputLeaf:
        """One array that several alternatives hold is one leaf."""
        if type_.ident not in self._arrays:
            self._arrays[type_.ident] = next(self._leaves)
        return OutputLeaf(kind, self._arrays[type_.ident], type_.dtype)

    def _variable(self, type_: VarType) -> OutputLeaf:
        if not isinstance(type_.array, ArrayType):
            self.refuse()
        return self._array(type_.array, "variable")

    def _scalar(self, type_: ScalarType) -> OutputLeaf:
        return self.leaf(kind_of(type_.type), type_.dtype)

    def _static(self, type_: Static) -> Any:
        if type_.value is UNSET:
            self.w.refuse(
                "the elements of this list do not all have the same keys or attributes",
                "set them all where the element is made",
            )
        return type_.value

    def _tuple(self, type_: TupleType) -> Any:
        parts = map(self.of, type_.items)
        return tuple(parts) if type_.cls is tuple else type_.cls(*parts)

    def _choice(self, type_: ChoiceType) -> Alternatives:
        tag = self.leaf("python", np.dtype(bool if len(type_.alternatives) == 2 else np.int64))
        whole, held, number = type_.whole, list[Any](), None
        for place, one in enumerate(type_.alternatives):
            if place not in whole:
                held.append(self.of(one))
                continue
            number = next(self._leaves) if number is None else number  # of several classes
            of = cast(ScalarType, one)
            held.append(OutputLeaf(kind_of(of.type), self._cast(number, of.dtype), of.dtype))
        return Alternatives(tag, tuple(held))

    def _cast(self, numbers: Value, dtype: np.dtype[Any]) -> Value:
        """Return int64 numbers, or a sequence of such, in another dtype of whole numbers."""
        if dtype == np.int64:
            return numbers
        return self._each(lambda g, held: g.Cast(held, to=dtype), dtype, numbers)

    def _texts(self, type_: TextsType) -> Alternatives:
        """Return which text each number stands for."""
        texts = (type_.texts * 2)[: max(2, len(type_.texts))]
        dtype = np.dtype(bool if len(texts) == 2 else np.int64)
        tags = self._each(lambda g, numbers: tags_of(g, texts, numbers), dtype, next(self._leaves))
        return Alternatives(OutputLeaf("python", tags, dtype), texts)

    def _forms(self, type_: FormsType) -> Alternatives:
        """Return which of tuples of several lengths, or no tuple, each key is."""
        lengths, *columns = (next(self._leaves) for _ in type_.leaves({}))
        held = list[Any]()
        for length, parts in type_.forms:
            made = [self._one(part, *columns[3 * i : 3 * i + 3]) for i, part in enumerate(parts)]
            held.append(made[0] if length == NO_TUPLE else tuple(made))
        dtype = np.dtype(bool if len(held) == 2 else np.int64)
        tags = self._each(type_.tags_of, dtype, lengths)
        return Alternatives(OutputLeaf("python", tags, dtype), tuple(held))

    def _mixed(self, type_: MixedType) -> Alternatives | OutputLeaf:
        """Return what each key of several kinds is."""
        return self._one(type_, *(next(self._leaves) for _ in range(3)))

    def _one(
        self, type_: MixedType, code: Value, whole: Value, rest: Value
    ) -> Alternatives | OutputLeaf:
        """Return what each key of several kinds, or part of a key, is."""
        held: list[Any] = [
            None if kind is NoneType else self._numbers(kind, whole, rest) for kind in type_.known
        ]
        if len(type_.kinds) == 1 and held and held[0] is not None:
            number: OutputLeaf = held[0]
            return number
        held = ([*held, *type_.texts] * 2)[: max(2, len(held) + len(type_.texts))]
        dtype = np.dtype(bool if len(held) == 2 else np.int64)
        tags = self._each(type_.tags_of, dtype, code, whole)
        return Alternatives(OutputLeaf("python", tags, dtype), tuple(held))

    def _numbers(self, kind: type, whole: Value, rest: Value) -> OutputLeaf:
        """Return the keys that are of a class of numbers."""
        dtype = ScalarType(kind).dtype
        numbers = self._each(lambda g, *held: numbers_in(g, kind, *held), dtype, whole, rest)
        return OutputLeaf(kind_of(kind), numbers, dtype)

    def _each(self, function: Callable[..., Value], dtype: np.dtype[Any], *columns: Value) -> Value:
        """Return what a function gives of columns, or of each in sequences of them."""
        g = self.w.graph
        if not is_sequence(columns[0]):
            return function(g, *columns)
        body = g.body("keys", loop=True)
        grown = body.sequence_input(
            dtype, None if columns[0].shape is None else dims_of(columns[0])
        )
        with body:
            held = [g.SequenceAt(column, body.iteration) for column in columns]
            end = g.SequenceInsert(grown, function(g, *held))
        start, length = [g.SequenceEmpty(dtype=dtype)], g.SequenceLength(columns[0])
        (made,) = g.Loop(length, None, body, initial=start, cond_out=None, carried=[end], scans=[])
        return made

    def _row(self, type_: RowType) -> Any:
        if type_.element is None:
            return type_.cls()
        if type_.is_packed:
            self.w.refuse(*NO_PACKED)
        return self.listed(type_.element, "tuple" if type_.cls is DynamicTuple else "list")

    def _heap(self, type_: HeapType) -> Any:
        if not issubclass(type_.cls, list | dict | set):
            return self._record(type_)
        inside = type_.items[0] if type_.cls in (list, *DICTS, *SETS) else None
        if type(inside) is TableType and inside.element is None:
            return self.listed(inside.key, SETS[type_.cls])
        if type(inside) is TableType:
            return self.keyed(inside.parts, DICTS[type_.cls], boxed=inside.boxed)
        if not isinstance(inside, (ItemsType, KeysType)):
            self.refuse()
        keys = inside.keys if isinstance(inside, KeysType) else None
        items = [self.of(item) for item in inside.items]
        if UNORDERED in (keys or ()):
            self.w.refuse("a list holds dicts whose keys come in an order that is not known")
        return items if keys is None else dict(zip(keys, items, strict=True))

    def _record(self, type_: HeapType) -> Any:
        """Return an object of the program; what holds no tensor is left out."""
        parts: dict[str, Any] = {}
        for name, item in zip(type_.slots, type_.items, strict=True):
            if not isinstance(item, Static):
                parts[name] = self.of(item)
            elif is_constant(item.value) and not is_unset(name, item.value):
                parts[name] = self._static(item)
        fields = fields_of(type_.cls, parts)
        return record(type_.cls.__name__, {field: parts[of] for field, of in fields.items()})


READERS: dict[type[Type], Callable[[Rows, Any], Any]] = {
    ArrayType: Rows._array,
    ChoiceType: Rows._choice,
    FormsType: Rows._forms,
    HeapType: Rows._heap,
    MixedType: Rows._mixed,
    RowType: Rows._row,
    ScalarType: Rows._scalar,
    Static: Rows._static,
    TextsType: Rows._texts,
    TupleType: Rows._tuple,
    VarType: Rows._variable,
}
