"""Going back through one function of Chainer, or of the program: its own `backward`, walked."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import chainer

from elichika import idioms
from elichika.lowerings.chainer.accumulation import Gradient
from elichika.lowerings.chainer.class_sources import arguments_of
from elichika.lowerings.chainer.forward_results import complete
from elichika.values.tape import Application

if TYPE_CHECKING:
    from elichika.lowerings.python.context import ContainerContext

__all__ = ["retained", "through_function"]


def through_function(
    w: ContainerContext,
    application: Application,
    targets: tuple[int, ...],
    given: tuple[Gradient, ...],
) -> tuple[Gradient, ...]:
    """Return what `backward` of a function gives for the inputs at `targets`."""
    function = application.function
    if isinstance(function, chainer.Function):
        return _through_old_style(w, application, targets, given)
    if type(function).backward_accumulate is not chainer.FunctionNode.backward_accumulate:
        w.refuse(f"`backward_accumulate` of {type(function).__name__} is not compiled")
    complete(w, function, application)
    results = w.call(w.get_attribute(function, "backward"), [targets, tuple(given)], {})
    if w.is_dynamic(w.narrow(results)):
        counted = idioms.gradients.counted
        results = w.call(counted, [results, len(application.inputs)], {})
    found = w.static_items(results)
    if len(found) == len(application.inputs):
        found = [found[i] for i in targets]
    elif len(found) != len(targets):
        w.raise_static(
            ValueError(
                "number of gradients returned from backward is incorrect: "
                f"{len(found)} != expected {len(targets)}"
            )
        )
    return tuple(_checked(w, application, targets, found))


def _checked(
    w: ContainerContext, application: Application, targets: Sequence[int], found: Sequence[Any]
) -> list[Any]:
    """Return gradients, those of a class of the program with a check of their type and shape."""
    if type(application.function).__module__.startswith("chainer."):
        return list(found)
    inputs = [application.inputs[i].variable for i in targets]
    check = partial(w.call, idioms.gradients.gradient_of)
    return [check([x, gx], {}) for x, gx in zip(inputs, found, strict=True)]


def _through_old_style(
    w: ContainerContext, application: Application, targets: Sequence[int], given: Sequence[Gradient]
) -> Any:
    """Return what `backward` of an old-style function gives: arrays, of arrays."""
    function = application.function
    complete(w, function, application)
    kind: Any = type(function)
    kept = tuple(range(len(application.inputs)))
    if arguments_of(kind, "retain_inputs"):
        kept = retained(kind, "retain_inputs", len(kept))
    arrays = tuple(
        w.get_attribute(node.variable, "array") if i in kept else None
        for i, node in enumerate(application.inputs)
    )
    seeds = tuple(None if gy is None else w.get_attribute(gy, "array") for gy in given)
    results = w.static_items(w.call(w.get_attribute(function, "backward"), [arrays, seeds], {}))
    made = [_old_style_gradient(w, function, results[i]) for i in targets]
    return tuple(_checked(w, application, targets, made))


def _old_style_gradient(w: ContainerContext, function: Any, array: Any) -> Any:
    array = w.narrow(array)
    if array is None:
        return None
    made = w.variable_of(w.as_array(array), leaf=True, requires_grad=True)
    w.tape.node(made).old_style = str(w.get_attribute(function, "label"))
    return made


def retained(kind: Any, method: str, count: int) -> tuple[int, ...]:
    """Return which inputs or outputs the `forward` of a class keeps.

    Chainer's classes say it in one literal each, or keep all.
    """
    calls = arguments_of(kind, method)
    if not calls:
        return ()
    (text,) = calls
    try:
        literal = ast.literal_eval(text)
    except ValueError:
        return tuple(range(count))
    return tuple(literal)
