"""Between the walker and the model's signature: symbolic inputs in, outputs out."""

from __future__ import annotations

import functools
import json
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import chainer
import numpy as np

from elichika import idioms
from elichika.call.results import is_object, told
from elichika.call.rows import Rows, keyed, kind_of
from elichika.call.tensors import as_tensors, from_tensors
from elichika.errors import InputError, SourceFrame
from elichika.program.native_code import is_native
from elichika.program.raised import Raised
from elichika.signature import Alternatives, InputSignature, InputSpec, OutputLeaf, OutputSignature
from elichika.signature.records import record
from elichika.signature.slots import Leaves
from elichika.signature.structure import DICTS, Constant, DictOf, RowsOf, Slot, Structure
from elichika.signature.telling import tell_inputs, tell_outputs
from elichika.state.joins import ArrayType, ScalarType, Static, TupleType, Type, VarType
from elichika.state.store import CONTENTS, ITEMS
from elichika.values.constant_views import owner_of
from elichika.values.symbolic import PYTHON_DTYPES, WIDE_BOUND, Array, Choice, Scalar, Seq, Var
from elichika.values.words import a_or_an
from onnx_graph import Value, dtype_of, parse

if TYPE_CHECKING:
    from elichika.walker.walk import Walk


def declare_inputs(w: Walk, signature: InputSignature) -> list[Any]:
    """Declare a graph input for each spec and return the symbolic leaves for the call."""
    w.graph.docs |= tell_inputs(signature)
    return [_declare(w, spec, signature) for spec in signature.specs]


def _declare(w: Walk, spec: InputSpec, signature: InputSignature) -> Any:
    g = w.graph
    if spec.kind == "list":
        if signature.tensors:
            sequence = from_tensors(g, spec, signature.lengths_of(spec))
        else:
            sequence = g.sequence_input(spec.name, spec.dtype, spec.dims)
        made = w.new_list(())
        element: Type
        if spec.element == "scalar":
            assert spec.python_type is not None
            element = ScalarType(spec.python_type, spec.python_type is int)
        else:
            element = ArrayType(spec.dtype, _element_dims(w, spec), w.idents.new())
            if spec.element == "variable":
                element = VarType(chainer.Variable, element)
        w.set_items(made, Seq(element, (sequence,)))
        return made
    value = g.input(spec.name, spec.dtype, spec.dims)
    if spec.kind in ("scalar", "tag"):
        assert spec.python_type is not None
        return Scalar(spec.python_type, value, bound=WIDE_BOUND)
    array = w.new_array(value)
    array.given = value
    w.store.passed.add(array)
    array.told_apart = spec.kind == "variable" and w.tape.is_kept  # each has a gradient
    return w.tape.leaf(Var(array, leaf=True), True) if spec.kind == "variable" else array


def assembled(w: Walk, rows: RowsOf, leaves: Leaves) -> Any:
    """Return the list of rows whose parts are lists: their sequences beside one another.

    Dicts may change, so that each gets an identity of its own in a loop over the rows.
    """
    lists: list[Any] = []
    element = _row_type(w, rows.item, leaves, lists)
    made = w.new_list(())
    w.set_items(made, Seq(element, tuple(value for one in lists for value in one.sequences)))
    form = _form(rows.item)
    return made if form is None else w.call(idioms.lists.rows_of, [made, form], {})


def _row_type(w: Walk, item: Structure, leaves: Leaves, lists: list[Any]) -> Type:
    """Return the type of a part of a row, a tuple for a dict, and note the lists that hold it."""
    match item:
        case Slot(index):
            held = w.version(leaves.values[index], ITEMS)
            lists.append(held)
            found: Type = held.element
            return found
        case Constant(value):
            return Static(value)
    parts = tuple(_row_type(w, part, leaves, lists) for part in item.parts)
    return TupleType(getattr(item, "cls", None) or tuple, parts)


def _form(item: Structure) -> Any:
    """Return the class, keys and forms of the parts of what holds a dict, None of what does not."""
    forms = tuple(map(_form, item.parts))
    match item:
        case DictOf(kind, keys, _):
            return DICTS[kind], keys, forms
    holds = any(form is not None for form in forms)
    return (getattr(item, "cls", None) or tuple, None, forms) if holds else None


def inputs_apart(w: Walk) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the inputs of which a program could tell that they are another one's memory.

    It writes to them, asks whether they are one array, or takes their gradients. Return besides
    the classes of lists and dicts of which it could tell that one stands twice in a call.
    """
    apart = []
    for array in w.store.living():
        if type(array) is not Array or array.given is None:
            continue
        told = array.told_apart or w.store.passed.is_told(array)
        if told or w.store.get(array, CONTENTS) is not array.given:
            apart.append(str(array.given.name))
    return tuple(apart), w.store.passed.once


def open_weights(w: Walk, arrays: Iterable[tuple[str, np.ndarray[Any, Any]]]) -> None:
    """Let no walk know what parameters hold: they are values of the graph, as if written before.

    Raises:
        InputError: A parameter has its memory from another array.
    """
    for name, array in arrays:
        if owner_of(array) is not array:
            raise InputError(
                f"{name} lies in the memory of another array; to be replaced, it has its own",
                hint="give the parameter a copy: `link.W.array = link.W.array.copy()`",
            )
        if array.dtype.kind in "biuf":
            w.store.set(w.as_array(array), CONTENTS, w.constant(array))


def _element_dims(w: Walk, spec: InputSpec) -> tuple[Any, ...]:
    return tuple(None if d is None else parse(d) if isinstance(d, str) else d for d in spec.dims)


def read_outputs(
    w: Walk,
    result: Any,
    output_names: Sequence[str] | None,
    place: SourceFrame | None = None,
    *,
    tensors: bool = False,
) -> OutputSignature:
    """Flatten what `forward` returned, at a place, into graph outputs, or into tensors alone."""
    try:
        structure = _structure(w, result)
    except Raised as raised:
        raise raised.refusal() from raised.error
    main = w.graph.main.graph
    taken = {*(str(value.name) for value in main.inputs), *main.initializers}
    signature = OutputSignature.from_structure(
        structure,
        output_names=output_names,
        taken=taken,
        frames=() if place is None else (place,),
        nothing=_number(0, w),
    )
    if tensors:
        signature = as_tensors(w, signature)
    values: list[Value] = list(signature.values)
    if all(w.graph.const_value(value) is not None for value in values):
        w.report.note(place, "the result does not depend on the inputs: it is always the same")
    token = w.version(w.token, "value").onnx_value
    for index, (spec, value) in enumerate(zip(signature.specs, values, strict=True)):
        w.graph.output(spec.name, w.graph.tie(value, token) if index == 0 else value)
    w.graph.docs |= tell_outputs(signature)
    return signature


def read_prints(w: Walk, outputs: OutputSignature) -> str:
    """Give the graph an output for each value that the program prints; return how, as JSON."""
    places = list(w.prints.places.values())
    lists = [w.prints.order, *(place.values for place in places)]
    main = w.graph.main.graph
    names = {*(str(value.name) for value in main.inputs), *main.initializers}
    signature = OutputSignature.from_structure(
        {"printed": [_structure(w, one) for one in lists]},
        taken={*names, *(spec.name for spec in outputs.specs)},
    )
    for spec, value in zip(signature.specs, signature.values, strict=True):
        w.graph.output(spec.name, value)
    return json.dumps({"outputs": signature.to_json(), "places": [one.how for one in places]})


def _structure(w: Walk, value: Any) -> Any:
    """Return a value as an `OutputSignature` takes it."""
    value = w.plain_number(w.undefined(value, "the result", UnboundLocalError))
    return _read.dispatch(type(value))(value, w)


@functools.singledispatch
def _read(value: Any, w: Walk) -> Any:
    """Return the structure of a value, by its class."""
    if not is_object(value):
        return value
    fields = told(w, value)
    made = {field: _structure(w, part) for field, part in fields.items()}
    return record(type(value).__name__, made) if made else value


def _variable(value: chainer.Variable, w: Walk) -> Any:
    if type(value) is chainer.Variable and w.variable_array(value) is None:
        return None
    return _leaf(w, "variable", w.value_of(value)) if w.is_static_variable(value) else value


def _number(value: float, w: Walk) -> OutputLeaf:
    return _leaf(w, "python", w.graph.constant(np.array(value, PYTHON_DTYPES[type(value)])))


def _tuple(value: tuple[Any, ...], w: Walk) -> Any:
    _require_plain(w, value, tuple)
    items = [_structure(w, item) for item in value]
    return tuple.__new__(type(value), items) if hasattr(value, "_fields") else tuple(items)


def _list(value: list[Any], w: Walk) -> Any:
    _require_plain(w, value, list)
    items = w.items_of(value)
    if not isinstance(items, Seq):
        return [_structure(w, item) for item in items]
    items = w.sequences.settled(w.arenas.copied(items))
    return Rows(w, items.sequences).listed(items.element, w.type_of(value).__name__)


def _dict(value: dict[Any, Any], w: Walk) -> Any:
    _require_plain(w, value, dict)
    table = w.tables.opened(value) or w.tables.named(value)
    if table is not None:
        kind = "OrderedDict" if isinstance(value, OrderedDict) else "dict"
        return keyed(w, value, table, kind)
    made = {k: _structure(w, v) for k, v in w.sure_items(value).items()}
    return OrderedDict(made) if isinstance(value, OrderedDict) else made


def _set(value: set[Any] | frozenset[Any], w: Walk) -> Any:
    _require_plain(w, value, set)
    kind, items = w.type_of(value).__name__, w.items_of(value)
    if not items:
        return Rows(w, [w.constant(np.zeros(0, int))]).listed(ScalarType(int), kind)
    table = w.tables.opened(value) or w.tables.beside(value)
    return value if table is None else keyed(w, value, table, kind)


def _choice(value: Choice, w: Walk) -> Any:
    parts = tuple(w.plain_number(w.narrow(part)) for part in value.alternatives)
    kinds = {p.type if isinstance(p, Scalar) else type(p) for p in parts}
    if len(kinds) == 1 and issubclass(kind := kinds.pop(), (bool, int, float, np.generic)):
        return _leaf(w, kind_of(kind), w.choices.as_tensor(value))
    array = w.choices.one_array(value)
    if array is not None:
        return _leaf(w, "ndarray", w.read(array))
    sure = w.arenas.sure(value)
    if sure is not value:
        return _structure(w, sure)
    tag = value.tag
    if len(parts) == 2 and parts[1] is None:  # the tag says then: it is None
        tag, parts = w.graph.Not(tag), parts[::-1]
    return Alternatives(_leaf(w, "python", tag), tuple(_structure(w, part) for part in parts))


READERS: dict[type, Callable[[Any, Walk], Any]] = {
    Scalar: lambda value, w: _leaf(w, kind_of(value.type), value.onnx_value),
    Array: lambda value, w: _leaf(w, "ndarray", w.read(value)),
    Var: lambda value, w: _leaf(w, "variable", w.read(value.array)),
    Choice: _choice,
    chainer.Variable: _variable,
    np.ndarray: lambda value, w: _leaf(w, "ndarray", w.value_of(value)),
    np.generic: lambda value, w: _leaf(w, "numpy", w.graph.constant(np.asarray(value))),
    bool: _number,
    int: _number,
    float: _number,
    tuple: _tuple,
    list: _list,
    dict: _dict,
    set: _set,
    frozenset: _set,
}
for _cls, _reader in READERS.items():
    _read.register(_cls, _reader)


def _require_plain(w: Walk, value: Any, base: type) -> None:
    """Refuse results of a class that extends a list, a dict or a tuple without names."""
    cls = w.type_of(value)
    if is_native(cls) or (base is tuple and hasattr(cls, "_fields")):
        return
    name = base.__name__
    w.refuse(
        f"the result is {a_or_an(cls.__name__)}, a class that extends {name}",
        f"return `{name}(...)` of it",
    )


def _leaf(w: Walk, kind: str, value: Value) -> OutputLeaf:
    dtype = dtype_of(value)
    if dtype.kind not in "biufc":
        w.refuse("an array of texts cannot be a result", "return a list of them")
    return OutputLeaf(kind, value, dtype)
