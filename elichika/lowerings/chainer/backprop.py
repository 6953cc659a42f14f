"""Backpropagation: Chainer's sweep over its graph, done while compiling.

The backward passes of the functions are Chainer's own Python, walked like any other. What follows
`chainer._backprop`, `chainer._backprop_utils` and `chainer.grad` is the order in which they run and
how gradients are added up.
"""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import chainer
from chainer import _backprop
from chainer.functions.array.get_item import GetItemGrad
from chainer.variable import VariableNode as ChainersNode

from elichika import idioms
from elichika.lowerings.chainer.accumulation import (
    Candidates,
    Gradient,
    Gradients,
    inputs_of,
    of_output,
    require_new_style,
    require_past,
    requires,
    takes,
)
from elichika.lowerings.chainer.backward_passes import retained
from elichika.lowerings.chainer.sweeps import step
from elichika.registry import always, lowers
from elichika.values.symbolic import Choice
from elichika.values.tape import GRADIENT, Application, VariableNode

if TYPE_CHECKING:
    from elichika.lowerings.python.context import ContainerContext

__all__ = ["along_pairs", "sweep_all"]


@lowers(_backprop._backprop_to_all)
@always
def backprop_to_all(w: ContainerContext, outputs: Any, retain_grad: Any, loss_scale: Any) -> Any:
    """Let all leaves that outputs come of have their gradients."""
    w.tape.ask()
    given = [w.static_items(pair) for pair in w.static_items(outputs)]
    pairs = [(node, gradient) for node, gradient in given]

    def sweep(retains: bool) -> None:
        with w.tape.totals.sweeping(retains):
            sweep_all(w, pairs, retains, loss_scale)

    return w.branch(w.truth(retain_grad), partial(sweep, True), partial(sweep, False))


def sweep_all(
    w: ContainerContext,
    outputs: Iterable[tuple[VariableNode, Gradient]],
    retains: bool,
    loss_scale: Any,
) -> None:
    """Go back from some Variables, each with its gradient, to all leaves; `retains`, by all."""
    candidates, leaves = Candidates(), dict[VariableNode, None]()
    own = w.tape.totals.slot == GRADIENT
    gradients = Gradients(w, lambda node: own)

    def reached(node: VariableNode) -> None:
        require_past(w, node)
        made = w.tape.creator(node)
        if made is None:
            leaves[node] = None
        else:
            candidates.push(made)

    for node, gradient in outputs:
        requires(w, node)
        if w.tape.creator(node) is not None:
            gradient = w.choices.apply(gradient, partial(_seed, w))
        gradients.of(node).append(gradient)
        reached(node)
    for application in candidates:
        targets = [i for i, x in enumerate(application.inputs) if takes(w, x)]
        given = [of_output(w, gradients, y) for y in application.outputs]
        w.tape.totals.passes(application)
        if not targets and not any(map(w.tape.totals.of, application.sides)):
            continue
        sums = {x: gradients.of(x) for x in inputs_of(application, targets)}
        step(w, gradients, application, targets, given, sums)
        for y, gradient in zip(application.outputs, given, strict=True):
            if retains and y is not None and not y.joined:
                w.tape.set_gradient(y, gradient)
        for x, held in sums.items():
            if held:
                reached(x)
    for node in leaves:
        w.tape.set_gradient(node, gradients.pop(node))
        if own:
            w.tape.set_loss_scale(node, loss_scale)


@lowers(chainer.Variable.backward)
@always
def backward(
    w: ContainerContext,
    y: Any,
    retain_grad: Any = False,
    enable_double_backprop: Any = False,
    loss_scale: Any = None,
) -> None:
    """Begin where a Variable is; one that control flow gave has no gradient of its own."""
    options = [retain_grad, enable_double_backprop, loss_scale]
    node = w.tape.node(y)
    if not node.joined:
        w.walked(chainer.Variable.backward, [y, *options], {})
        return
    if not w.tape.is_clear(node):
        w.tape.require_one(node, "grad")
    w.call(idioms.gradients.backward, [y, node, *options], {})


def _seed(w: ContainerContext, gradient: Gradient) -> Gradient:
    if gradient is None:
        text = "`backward` begins with the gradient of an array, and none was given"
        w.raise_static(RuntimeError(text))
    return gradient


@lowers(chainer.grad)
@always
def grad(w: ContainerContext, *args: Any, **kwargs: Any) -> Any:
    """Return the gradients of outputs by inputs."""
    w.tape.ask()
    given = [w.narrow(value) for value in args]
    for index, value in enumerate(given):
        if type(value) is Choice:

            def one(value: Any, index: int = index) -> Any:
                return grad(w, *given[:index], value, *given[index + 1 :], **kwargs)

            return w.choices.apply(value, one)
    asked = inspect.signature(chainer.grad).bind(*given, **kwargs)
    asked.apply_defaults()
    lists = [w.narrow(asked.arguments[name]) for name in ("outputs", "inputs")]
    if not any(map(w.is_dynamic, lists)):
        return w.call(idioms.gradients.grad, given, kwargs)
    names = "grad_outputs", "enable_double_backprop", "loss_scale"
    return w.call(idioms.gradients.grad_of_lists, [*lists, *(_plain(w, asked, names))], {})


def _plain(w: ContainerContext, asked: inspect.BoundArguments, names: Sequence[str]) -> list[Any]:
    """Return some arguments of `chainer.grad`, of which others are not given."""
    for name in ("grad_inputs", "set_grad", "retain_grad"):
        if w.narrow(asked.arguments[name]) not in (None, False):
            w.refuse(
                f"`{name}` of `chainer.grad` with a list of dynamic length is not compiled",
                "take what it returns",
            )
    return [asked.arguments[name] for name in names]


@lowers(idioms.gradients.along_paths)
@always
def along_paths(
    w: ContainerContext,
    outputs: Any,
    seeds: Any,
    inputs: Any,
    sums: Any,
    retain_grad: Any,
    loss_scale: Any,
) -> Any:
    """Go back from outputs to inputs, on the ways between them alone."""
    ends = [w.tape.node(x) for x in w.static_items(inputs)]
    starts = [w.tape.node(y) for y in w.static_items(outputs)]
    pairs = list(zip(starts, w.static_items(seeds), strict=True))
    begun = w.static_items(sums)
    return along_pairs(w, pairs, ends, begun, w.truth(retain_grad) is True, loss_scale)


def along_pairs(
    w: ContainerContext,
    outputs: Sequence[tuple[VariableNode, Gradient]],
    ends: Sequence[VariableNode],
    sums: Sequence[Gradient],
    retains: bool,
    loss_scale: Any,
) -> Any:
    """Return a list of the gradients of some Variables."""
    starts = [node for node, _ in outputs]
    wanted = _between(w, starts, ends)
    gradients, candidates = Gradients(w), Candidates()
    for node, seed in outputs:
        gradients.begin(node, seed)
    for node, held in zip(ends, sums, strict=True):
        if held is not None:
            gradients.begin(node, held)
    for node in starts:
        made = w.tape.creator(node)
        if made is not None:
            candidates.push(made)
    found: dict[VariableNode, Gradient] = {}
    for application in candidates:
        given = []
        for y in application.outputs:
            gradient = of_output(w, gradients, y)
            given.append(gradient)
            if y is not None and y in ends:
                found[y] = gradient
            if y is not None and retains:
                w.tape.require_one(y, "grad")
                w.tape.set_gradient(y, gradient)
                w.tape.set_loss_scale(y, loss_scale)
        targets = [i for i, x in enumerate(application.inputs) if x in wanted]
        if not targets:
            continue
        parts = {x: gradients.of(x) for x in inputs_of(application, targets)}
        step(w, gradients, application, targets, given, parts)
        for x, held in parts.items():
            made = w.tape.creator(x) if held else None
            if made is not None:
                candidates.push(made)
    for node in ends:
        if node not in found:
            found[node] = gradients.pop(node)
    return w.new_list([found[node] for node in ends])


def _between(
    w: ContainerContext, starts: Iterable[VariableNode], ends: Collection[VariableNode]
) -> set[VariableNode]:
    """Return the nodes on the ways back from `starts` to `ends`."""
    users: dict[VariableNode, list[Application]] = {}
    met: set[Application] = set()
    open_ = [made for node in starts if (made := w.tape.creator(node)) is not None]
    while open_:
        application = open_.pop()
        if application in met:
            continue
        met.add(application)
        for x in application.inputs:
            require_new_style(w, x)
            if requires(w, x, ends):
                users.setdefault(x, []).append(application)
                made = w.tape.creator(x)
                if made is not None:
                    open_.append(made)
    for node in ends:
        w.tape.identities.require(node, starts)
    wanted: set[VariableNode] = set()
    nodes, passed = list(ends), set[Application]()
    while nodes:
        node = nodes.pop()
        wanted.add(node)
        for application in users.get(node, ()):
            if application not in passed:
                passed.add(application)
                nodes.extend(y for y in application.outputs if y is not None and y in users)
    return wanted


# -- what backward passes ask of their function ------------------------------------------------


@lowers(chainer.FunctionNode.get_retained_inputs)
@always
def retained_inputs(w: ContainerContext, function: Any) -> Any:
    """Return the Variables that `forward` kept of those it took."""
    inputs = w.tape.applied(function).inputs
    return tuple(inputs[i].variable for i in _kept(w, function, "inputs", len(inputs)))


@lowers(chainer.FunctionNode.get_retained_outputs)
@always
def retained_outputs(w: ContainerContext, function: Any) -> Any:
    """Return the Variables that `forward` kept of those it gave."""
    outputs = w.tape.applied(function).outputs
    kept = [outputs[i] for i in _kept(w, function, "outputs", len(outputs))]
    return tuple(None if node is None else node.variable for node in kept)


@lowers(GetItemGrad.forward)
@always
def get_item_grad(w: ContainerContext, node: Any, inputs: Any) -> Any:
    """Add a gradient where the items were; Chainer tries again for very old numpy."""
    where = [w.get_attribute(node, name) for name in ("slices", "_in_shape")]
    (gradient,) = w.static_items(inputs)
    return (w.call(idioms.gradients.scattered, [*where, gradient], {}),)


@lowers(ChainersNode.get_variable, ChainersNode.get_variable_or_none)
@always
def variable_of_node(w: ContainerContext, node: Any) -> Any:
    """Return the Variable of a node, which lives as long as the walk."""
    return node.variable


@lowers(ChainersNode.retain_data, chainer.Variable.retain_data)
@always
def retain_data(w: ContainerContext, node: Any) -> None:
    """Do nothing: a node has the array of its Variable."""


@lowers(chainer.Variable.cleargrad, chainer.Parameter.cleargrad)
def cleargrad(w: ContainerContext, variable: Any) -> None:
    """Forget a gradient; has no effect where nobody asks for gradients."""
    if not w.tape.is_kept:
        return
    node = w.tape.node(variable)
    if node.joined and not w.tape.is_clear(node):
        w.tape.require_one(node, "cleargrad")
    w.tape.set_gradient(node, None)


@lowers(chainer.Variable.zerograd, chainer.Parameter.zerograd)
def zerograd(w: ContainerContext, variable: Any) -> None:
    """Let a gradient be zeros; has no effect where nobody asks for gradients."""
    if w.tape.is_kept:
        w.walked(chainer.Variable.zerograd, [variable], {})


@lowers(chainer.Variable.unchain)
def unchain(w: ContainerContext, variable: Any) -> None:
    """Forget what made a Variable."""
    if w.tape.is_kept:
        w.tape.unchain(w.tape.node(variable))


@lowers(chainer.Variable.unchain_backward)
@always
def unchain_backward(w: ContainerContext, variable: Any) -> None:
    """Forget what made a Variable, and all that it was made of."""
    if w.tape.is_kept:
        w.tape.unchain_backward(w.tape.node(variable))


@lowers(chainer.Variable._set_grad_without_check)
@always
def set_grad(w: ContainerContext, variable: Any, array: Any) -> None:
    """Give a Variable the gradient in an array."""
    node = w.tape.node(variable)
    w.tape.set_gradient(node, w.choices.apply(array, partial(_as_gradient, w)))


def _as_gradient(w: ContainerContext, array: Any) -> Gradient:
    if array is None:
        return None
    return w.variable_of(w.as_array(array), leaf=True, requires_grad=True)


@lowers(chainer.Variable._set_grad_var_without_check)
@always
def set_grad_var(w: ContainerContext, variable: Any, gradient: Any) -> None:
    """Give a Variable a gradient."""
    w.tape.set_gradient(w.tape.node(variable), w.narrow(gradient))


def _kept(w: ContainerContext, function: Any, which: str, count: int) -> tuple[int, ...]:
    """Return which inputs or outputs a function kept: as it said when walked, or as it says."""
    said = w.get_attribute(function, f"_{which[:-1]}_indexes_to_retain", None)
    if said is not None:
        return tuple(w.static_items(said))
    kind: Any = type(function)
    return retained(kind, f"retain_{which}", count)
