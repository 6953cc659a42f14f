"""Where Chainer's own Python ends: `FunctionNode.apply`."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import chainer
import numpy as np
from chainer.function import FunctionAdapter
from chainer.functions.array.get_item import GetItem
from chainer.functions.math.einsum import EinSum

from elichika import idioms, indexing
from elichika.lowerings.chainer import noise
from elichika.lowerings.chainer.forward_results import forbid
from elichika.lowerings.chainer.type_checks import (
    ask_types,
    check_all_types,
    check_own_types,
    check_types,
)
from elichika.lowerings.chainer.views import (
    READ_ONLY_FUNCTIONS,
    SAME_FUNCTIONS,
    SPREAD_FUNCTIONS,
    VIEW_FUNCTIONS,
)
from elichika.lowerings.numpy.views import overlapping, read_only
from elichika.program import native_code as natives
from elichika.registry import (
    always,
    list_lowering_of,
    lowering_of,
    lowers,
    may_share,
    takes_choices,
    takes_spreads,
)
from elichika.values.kinds import (
    is_array,
    is_choice,
    is_number_of_the_run,
    is_variable,
)
from elichika.values.symbolic import (
    Array,
    Choice,
    Spread,
    Symbolic,
    SymbolicUse,
    Var,
)
from onnx_graph import GraphError, Value, dtype_of

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext
    from elichika.lowerings.python.context import ContainerContext


@lowers(chainer.FunctionNode.apply)
@always
@takes_choices
def apply(w: ContainerContext, node: Any, inputs: Any) -> Any:
    """Lower a function node by its class, or run it now where all is known."""
    inputs = w.narrow(inputs)
    if is_choice(inputs):
        return w.choices.apply(inputs, lambda one: apply(w, node, one))
    if w.is_dynamic(inputs):
        lists = list_lowering_of(type(node))
        if lists is not None:
            return lists(w, node, inputs)
        if lowering_of(type(node)) is None and not _checks_types(node):
            return _walked(w, node, w.call(idioms.lists.arrays_of, [inputs], {}))
        name = type(node).__name__
        w.refuse(
            f"{name} of a list of dynamic length is not compiled",
            "join the list first: `F.concat` or `F.stack`",
        )
    values = [w.narrow(x) for x in w.static_items(inputs)]
    for index, value in enumerate(values):
        if is_choice(value):
            array = None if w.tape.is_kept else w.choices.one_array(value)
            if array is None:
                return w.choices.apply(value, partial(_with_input, w, node, values, index))
            values[index] = array
    undecided = _undecided_attribute(w, node)
    if undecided is not None:
        choice, decide = undecided

        def decided(value: Any) -> Any:
            decide(value)
            return apply(w, node, tuple(values))

        return w.choices.apply(choice, decided)
    _require_no_hook(w, node)
    is_old = isinstance(node, chainer.Function)
    if not is_old:
        w.store.set(node, "_input_layouts", (None,) * len(values))
    symbolic = w.is_symbolic(tuple(values)) or _has_open_attribute(w, node)
    symbolic = symbolic or w.tape.needs_record(values) or _is_of_program(node)
    if symbolic and type(node) is GetItem:  # whose index may have lists of dynamic length
        real = node
    else:
        real = _old_style(w, node) if is_old else w.materialised(node)
    draws = noise.draws(real)
    run = _lowered if symbolic or draws else _run
    outputs = run(w, node, real, values)
    w.tape.record(node, values, outputs, draws)
    return outputs


def _with_input(w: LoweringContext, node: Any, values: list[Any], index: int, value: Any) -> Any:
    """Lower a function node with one of its inputs replaced."""
    return apply(w, node, (*values[:index], value, *values[index + 1 :]))


def _has_open_attribute(w: ContainerContext, node: Any) -> bool:
    """Tell whether an attribute of a function node is known only when the model runs."""
    return any(w.is_symbolic(w.given(node, slot)) for slot in w.store.slots(node))


def _is_of_program(node: Any) -> bool:
    """Tell whether a function computes by code of the program, which may read what changes."""
    cls = type(node)
    return not (natives.is_foreign(cls.forward) and natives.is_foreign(cls.forward_cpu))


def _run(w: ContainerContext, node: Any, real: Any, values: list[Any]) -> Any:
    """Run a node now."""
    before = dict(vars(real))
    runs = _node_of(real) if isinstance(real, chainer.Function) else real
    outputs = w.native(type(runs).apply, [runs, tuple(values)], {}, trusted=True)
    _keep_attributes(w, node, real, before)
    return outputs


def _lowered(w: ContainerContext, node: Any, real: Any, values: list[Any]) -> Any:
    lowering = lowering_of(type(node))
    if lowering is None and any(value is None for value in values):
        return _walk_forward(w, node, real, values)
    for value in values:
        known = is_array(value) or is_variable(value)
        if is_number_of_the_run(value) or not (known or isinstance(value, Symbolic)):
            w.raise_static(TypeError(f"{type(node).__name__} takes arrays"))
    if lowering is None:
        with w.located(), w.native_errors(type(node)):
            check_own_types(w, real, [w.value_of(v) for v in values])
        return _walk_forward(w, node, real, values)
    asked = bool(w.guarded) and ask_types(w, real, [w.value_of(v) for v in values])
    with w.located(asked), w.native_errors(type(node)):
        tensors = [w.value_of(v) for v in values]
        check_own_types(w, real, tensors)
        check_types(w, real, tensors)
        if type(real) is GetItem:
            return (Var(_item(w, w.as_symbolic_array(values[0]), w.get_attribute(node, "slices"))),)
        before = dict(vars(real))
        try:
            results = lowering(w, real, *tensors)
        except SymbolicUse:  # it needs an attribute that is not known yet
            results = NotImplemented
        except GraphError:  # one of ONNX
            if not _has_open_attribute(w, node):
                raise
            results = NotImplemented
    if results is NotImplemented:
        outputs = _walk_forward(w, node, real, values)
        if _has_open_attribute(w, node):
            with w.located(), w.native_errors(type(node)):
                check_all_types(w, real, tensors)
        return outputs
    _keep_attributes(w, node, real, before)
    forbid(w, node, real, before)
    if isinstance(results, Value):
        results = (results,)
    arrays = [None if r is None else w.new_array(r) for r in results]
    arrays = _sharing(w, node, type(real), [*values, before], arrays)
    return tuple(None if a is None else Var(a) for a in arrays)


def _sharing(
    w: ContainerContext, node: Any, kind: Any, given: list[Any], arrays: list[Any]
) -> list[Any]:
    """Return results, with notes of what memory they may share: of inputs, the node, each other."""
    if may_share(kind):
        w.share_all([arrays, node], given, natives.name_of(kind))
    bases = VIEW_FUNCTIONS.intersection(kind.__mro__)
    if not bases:
        return arrays
    sources = [w.as_symbolic_array(v) for v in given[:-1]]
    if EinSum in bases and len(sources) > 1:  # a product
        return arrays
    for array in arrays:
        alike = [s for s in sources if dtype_of(w.read(s)) == dtype_of(w.read(array))]
        note = w.may_be if bases & SAME_FUNCTIONS else w.share
        note(array, *alike)
    if bases & READ_ONLY_FUNCTIONS:
        return [read_only(w, array) for array in arrays]
    return [overlapping(w, array) for array in arrays] if bases & SPREAD_FUNCTIONS else arrays


def _undecided_attribute(
    w: ContainerContext, node: Any
) -> tuple[Choice, Callable[[Any], None]] | None:
    """Return an attribute, or an item of one, that is one of several values; and how to set it."""
    for slot in w.store.slots(node):
        held = w.given(node, slot)
        parts = held if type(held) is tuple else (held,)
        for index, part in enumerate(parts):
            choice = w.narrow(part)
            if choice is part and not is_choice(part):
                continue

            decide = partial(_set_attribute, w, node, slot, held, index)
            number = w.choices.numbers(choice) if is_choice(choice) else choice
            if number is None and is_choice(choice):
                return choice, decide
            decide(number)
            return _undecided_attribute(w, node)
    return None


def _set_attribute(
    w: ContainerContext, node: Any, slot: str, held: Any, index: int, value: Any
) -> None:
    """Give an attribute, or the item of it at `index` where it is a tuple, this value."""
    is_tuple = type(held) is tuple
    w.store.set(node, slot, (*held[:index], value, *held[index + 1 :]) if is_tuple else value)


@lowers(chainer.Function.__call__)
@always
@takes_choices
@takes_spreads
def call_function(w: ContainerContext, function: Any, *inputs: Any) -> Any:
    """Lower an old-style `Function` by its class as well, without the node that it would make."""
    given: Any = ()
    for one in inputs:
        given = w.binary(operator.add, given, one.items if type(one) is Spread else (one,))
    outputs = apply(w, function, given)
    if w.is_dynamic(outputs):
        return w.call(idioms.lists.one_or_all, [outputs], {})
    return outputs[0] if len(outputs) == 1 else outputs


@lowers(FunctionAdapter.__init__)
@always
def adapt_function(w: ContainerContext, node: Any, function: Any) -> None:
    """Let a node and its old-style `Function` hold each other; one of them weakly in Chainer."""
    w.call(chainer.FunctionNode.__init__, [node], {})
    w.store.set(node, "_function", function)
    w.store.set(function, "_owned_node", node)


def _old_style(w: ContainerContext, function: Any) -> Any:
    """Return an old-style `Function` as native code may see it, without its node."""
    made = object.__new__(type(function))
    for name in {*vars(function), *w.store.slots(function)} - {"_node", "_owned_node"}:
        made.__dict__[name] = w.materialised(w.get_attribute(function, name))
    return made


def _node_of(function: chainer.Function) -> FunctionAdapter:
    """Return the node of an old-style `Function`, as its `__call__` makes it."""
    node = FunctionAdapter(function)
    node._function = function
    return node


def _item(w: LoweringContext, array: Array, index: Any) -> Array:
    """Return `array[index]` as an array: a view where numpy gives one."""
    item = indexing.getitem(w, array, index)
    return item if is_array(item) else w.new_array(w.value_of(item))


def _keep_attributes(w: ContainerContext, node: Any, real: Any, before: dict[str, Any]) -> None:
    """Bring what the computation left on the node (pooling's indices, say) to the walked node.

    Running statistics are arrays of the link, which Chainer writes to in place.
    """
    for name, held in vars(real).items():
        if name in before and before[name] is held:
            continue
        computed = isinstance(held, Value)
        if computed and name.startswith("running_"):
            w.write(w.as_array(w.get_attribute(node, name)), held)
        else:
            w.store.set(node, name, w.new_array(held) if computed else held)


def _checks_types(node: Any) -> bool:
    """Tell whether the class of a function has a check of the types that it takes."""
    own = type(node).check_type_forward
    return own not in (chainer.FunctionNode.check_type_forward, chainer.Function.check_type_forward)


def _walk_forward(w: ContainerContext, node: Any, real: Any, values: list[Any]) -> Any:
    """Walk the numpy code of a function that has no lowering for what it is given."""
    arrays = tuple(None if value is None else w.as_symbolic_array(value) for value in values)
    return _walked(w, node, arrays)


def _walked(w: ContainerContext, node: Any, arrays: Any) -> Any:
    """Return the Variables of what `forward` gives, which is a tuple of arrays or None."""
    outputs = w.narrow(w.call(w.get_attribute(node, "forward"), [arrays], {}))
    if w.type_of(outputs) is not tuple:
        w.raise_static(TypeError(f"forward output must be a tuple ({type(node).__name__})"))
    if not w.is_dynamic(outputs):
        return tuple(_variable(w, node, w.narrow(y)) for y in w.static_items(outputs))
    if w.tape.is_kept:
        w.refuse("no gradient goes through a function of as many results as the run says")
    return w.call(idioms.lists.variables_of, [outputs], {})


def _variable(w: ContainerContext, node: Any, y: Any) -> Any:
    """Return the Variable of what `forward` gives: an array, or None.

    Raises:
        Raised: It is a number, which Chainer does not take for an array either.
    """
    match y:
        case Choice():
            return w.choices.apply(y, partial(_variable, w, node))
        case None:
            return w.call(chainer.Variable, [None], {})
    if not issubclass(w.type_of(y), np.ndarray):
        told = f"forward output must be a tuple of ndarrays ({type(node).__name__})"
        w.raise_static(TypeError(told))
    return w.variable_of(w.as_array(y))


def _require_no_hook(w: ContainerContext, node: Any) -> None:
    """Refuse function hooks of the program: nobody knows what they do to arrays.

    Those of Chainer's own measure and print.
    """
    local = w.get_attribute(node, "_local_function_hooks", None)
    for hooks in (chainer.get_function_hooks(), local):
        for hook in {} if hooks is None else w.sure_items(hooks).values():
            if not type(hook).__module__.startswith("chainer.function_hooks"):
                w.refuse(
                    f"a {type(hook).__name__} around {type(node).__name__} is not compiled",
                    "do what the function hook does in the program itself",
                )
