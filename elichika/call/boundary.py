"""Between the walker and the model's signature: symbolic inputs in, outputs out."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import chainer
import numpy as np

from elichika.call.results import is_constant, is_object, is_unset, told
from elichika.errors import SourceFrame
from elichika.program.native_code import is_native
from elichika.signature import (
    Alternatives,
    DynamicList,
    InputSignature,
    InputSpec,
    OutputLeaf,
    OutputSignature,
)
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
from elichika.state.joins.rows import RowType
from elichika.values.symbolic import (
    PYTHON_DTYPES,
    UNORDERED,
    UNSET,
    WIDE_BOUND,
    Array,
    Choice,
    DynamicTuple,
    Scalar,
    Seq,
    Var,
)
from elichika.walker.core import Raised
from onnx_graph import Value, dtype_of, parse

if TYPE_CHECKING:
    from elichika.walker.walker import Walker


def declare_inputs(w: Walker, signature: InputSignature) -> list[Any]:
    """Declare a graph input for each spec and return the symbolic leaves for the call."""
    return [_declare(w, spec) for spec in signature.specs]


def _declare(w: Walker, spec: InputSpec) -> Any:
    g = w.graph
    if spec.kind == "list":
        sequence = g.sequence_input(spec.name, spec.dtype, spec.dims)
        made = w.new_list(())
        element: Type
        if spec.element == "scalar":
            assert spec.python_type is not None
            element = ScalarType(spec.python_type)
        else:
            element = ArrayType(spec.dtype, _element_dims(w, spec), w.next_ident())
            if spec.element == "variable":
                element = VarType(chainer.Variable, element)
        w.set_items(made, Seq(element, (sequence,)))
        return made
    value = g.input(spec.name, spec.dtype, spec.dims)
    if spec.kind == "scalar":
        assert spec.python_type is not None
        return Scalar(spec.python_type, value, bound=WIDE_BOUND)
    array = w.new_array(value)
    return Var(array, leaf=True) if spec.kind == "variable" else array


def _element_dims(w: Walker, spec: InputSpec) -> tuple[Any, ...]:
    return tuple(None if d is None else parse(d) if isinstance(d, str) else d for d in spec.dims)


def read_outputs(
    w: Walker,
    result: Any,
    inputs: InputSignature,
    output_names: Sequence[str] | None,
    place: SourceFrame | None = None,
) -> OutputSignature:
    """Flatten what `forward` returned, at a place, into graph outputs."""
    try:
        structure = _structure(w, result)
    except Raised as raised:
        raise raised.refusal() from raised.error
    taken = {spec.name for spec in inputs.specs}
    signature = OutputSignature.from_structure(
        structure, output_names=output_names, taken=taken, frames=() if place is None else (place,)
    )
    values: list[Value] = list(signature.values)
    token = w.version(w.token, "value").onnx_value
    for index, (spec, value) in enumerate(zip(signature.specs, values, strict=True)):
        w.graph.output(spec.name, w.graph.tie(value, token) if index == 0 else value)
    return signature


def _structure(w: Walker, value: Any) -> Any:
    value = w.plain_number(w.undefined(value, "the result", UnboundLocalError))
    if isinstance(value, Scalar):
        return _leaf(w, _kind_of(value.type), value.onnx_value)
    if isinstance(value, Array):
        return _leaf(w, "ndarray", w.read(value))
    if isinstance(value, Var):
        return _leaf(w, "variable", w.read(value.array))
    if isinstance(value, np.ndarray) or w.is_static_variable(value):
        kind = "ndarray" if isinstance(value, np.ndarray) else "variable"
        return _leaf(w, kind, w.value_of(value))
    if isinstance(value, np.generic):  # before the others: a float64 is a float
        return _leaf(w, "numpy", w.graph.constant(np.asarray(value)))
    if isinstance(value, (bool, int, float)):
        return _leaf(w, "python", w.graph.constant(np.array(value, PYTHON_DTYPES[type(value)])))
    if isinstance(value, Choice):
        return _choice(w, value)
    if isinstance(value, tuple):
        _require_plain(w, value, tuple)
        items = [_structure(w, item) for item in value]
        return tuple.__new__(type(value), items) if hasattr(value, "_fields") else tuple(items)
    if isinstance(value, list):
        _require_plain(w, value, list)
        items = w.items_of(value)
        if isinstance(items, Seq):
            return _dynamic_list(w, items, w.type_of(value).__name__)
        return [_structure(w, item) for item in items]
    if isinstance(value, dict):
        _require_plain(w, value, dict)
        made = {k: _structure(w, v) for k, v in w.sure_items(value).items()}
        return OrderedDict(made) if isinstance(value, OrderedDict) else made
    if is_object(value):
        fields = told(w, value)
        if fields:
            made = {field: _structure(w, part) for field, part in fields.items()}
            return record(type(value).__name__, made)
    return value


def _kind_of(type_: type) -> str:
    return "python" if type_ in PYTHON_DTYPES else "numpy"


def _require_plain(w: Walker, value: Any, base: type) -> None:
    """Refuse results of a class that extends a list, a dict or a tuple without names."""
    cls = w.type_of(value)
    if is_native(cls) or (base is tuple and hasattr(cls, "_fields")):
        return
    name = base.__name__
    w.refuse(
        f"the result is a {cls.__name__}, a class that extends {name}",
        f"return `{name}(...)` of it",
    )


def _leaf(w: Walker, kind: str, value: Value) -> OutputLeaf:
    dtype = dtype_of(value)
    if dtype.kind not in "biufc":
        w.refuse("an array of texts cannot be a result", "return a list of them")
    return OutputLeaf(kind, value, dtype)


def _choice(w: Walker, value: Choice) -> Any:
    parts = tuple(w.plain_number(w.narrow(part)) for part in value.alternatives)
    kinds = {p.type if isinstance(p, Scalar) else type(p) for p in parts}
    if len(kinds) == 1 and issubclass(kind := kinds.pop(), (bool, int, float, np.generic)):
        return _leaf(w, _kind_of(kind), w.choices.as_tensor(value))
    array = w.choices.one_array(value)
    if array is not None:
        return _leaf(w, "ndarray", w.read(array))
    w.arenas.require_sure(value)
    tag = _leaf(w, "python", value.tag)
    return Alternatives(tag, tuple(_structure(w, part) for part in parts))


def _dynamic_list(w: Walker, items: Seq, kind: str) -> DynamicList:
    items = w.sequences.settled(w.arenas.copied(items))
    leaves = iter(items.sequences)
    arrays: dict[int, Any] = {}

    def tensor(kind: str, type_: ArrayType) -> OutputLeaf:
        """One array that several alternatives hold is one leaf."""
        if type_.ident not in arrays:
            arrays[type_.ident] = next(leaves)
        return OutputLeaf(kind, arrays[type_.ident], type_.dtype)

    def build_record(type_: HeapType) -> Any:
        parts: dict[str, Any] = {}
        for name, item in zip(type_.slots, type_.items, strict=True):
            held = item.value if isinstance(item, Static) else item
            if not isinstance(item, Static) or (is_constant(held) and not is_unset(name, held)):
                parts[name] = build(item)
        fields = fields_of(type_.cls, parts)
        return record(type_.cls.__name__, {field: parts[of] for field, of in fields.items()})

    def rows(element: Type, kind: str) -> DynamicList:
        if element.leaves({}):
            return DynamicList(build(element), kind)
        if not carriers(element):
            w.refuse("a list of such elements cannot be a result")
        counted, known = OutputLeaf("python", next(leaves), np.dtype(bool)), build(element)
        return DynamicList(Alternatives(counted, (known, known)), kind)

    def build(type_: Type) -> Any:
        if isinstance(type_, TupleType):
            parts = [build(item) for item in type_.items]
            return tuple(parts) if type_.cls is tuple else type_.cls(*parts)
        if isinstance(type_, ChoiceType):
            two = len(type_.alternatives) == 2
            tag = OutputLeaf("python", next(leaves), np.dtype(bool if two else np.int64))
            return Alternatives(tag, tuple(build(part) for part in type_.alternatives))
        if isinstance(type_, Static):
            if type_.value is UNSET:
                w.refuse(
                    "the elements of this list differ in what keys or attributes they have",
                    "set them all where the element is made",
                )
            return type_.value
        if isinstance(type_, ScalarType):
            return OutputLeaf(_kind_of(type_.type), next(leaves), type_.dtype)
        if isinstance(type_, VarType) and isinstance(type_.array, ArrayType):
            return tensor("variable", type_.array)
        if isinstance(type_, ArrayType):
            return tensor("ndarray", type_)
        if isinstance(type_, RowType):
            if type_.element is None:
                return type_.cls()
            kind = "tuple" if type_.cls is DynamicTuple else "list"
            return rows(type_.element, kind)
        if isinstance(type_, HeapType) and not issubclass(type_.cls, list | dict | set):
            return build_record(type_)
        if isinstance(type_, HeapType) and type_.cls in (list, dict):
            (inside,) = type_.items
            assert isinstance(inside, (ItemsType, KeysType))
            items = [build(item) for item in inside.items]
            keys = inside.keys if isinstance(inside, KeysType) else None
            if UNORDERED in (keys or ()):
                w.refuse("a list holds dicts whose keys come in an order that is not known")
            return items if keys is None else dict(zip(keys, items, strict=True))
        w.refuse("a list of such elements cannot be a result")

    return rows(items.element, kind)
