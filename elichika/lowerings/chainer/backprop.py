"""Backpropagation: Chainer's sweep over its graph, done while compiling.

The backward passes of the functions are Chainer's own Python, walked like any other. What follows
`chainer._backprop`, `chainer._backprop_utils` and `chainer.grad` is the order in which they run and
how gradients are added up.
"""

from __future__ import annotations

import ast
import heapq
from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import chainer
from chainer import _backprop
from chainer.functions.array.get_item import GetItemGrad
from chainer.variable import VariableNode as ChainersNode

from elichika import idioms
from elichika.lowerings.chainer.class_sources import arguments_of
from elichika.lowerings.chainer.forward_results import complete
from elichika.registry import always, lowers
from elichika.values.tape import Application, VariableNode

if TYPE_CHECKING:
    from elichika.lowerings.python.context import ContainerContext

#: A gradient: a Variable, None, or one of these.
Gradient = Any


class _Gradients:
    """The gradients that a sweep has come to: for each node those that are yet to be added up."""

    def __init__(self, w: ContainerContext, *, takes_over: bool = False) -> None:
        """Begin with none; with `takes_over`, a leaf begins with the gradient that it has."""
        self.w = w
        self._takes_over = takes_over
        self._held: dict[VariableNode, list[Gradient]] = {}

    def of(self, node: VariableNode) -> list[Gradient]:
        """Return the gradients of a node, to be added to."""
        if node not in self._held:
            takes = self._takes_over and self.w.tape.creator(node) is None
            self._held[node] = self._taken_over(node) if takes else []
        return self._held[node]

    def begin(self, node: VariableNode, gradient: Gradient) -> None:
        """Let a node have one gradient."""
        self._held[node] = [] if gradient is None else [gradient]

    def pop(self, node: VariableNode) -> Gradient:
        """Return the sum of the gradients of a node, which is forgotten; None without any."""
        if node in self._held:
            return self.sum(self._held.pop(node))
        found = self._taken_over(node) if self._takes_over else []
        return found[0] if found else None

    def sum(self, gradients: list[Gradient]) -> Gradient:
        """Put the sum of some gradients in their place, and return it."""
        if len(gradients) > 1:
            total = gradients[0]
            for gradient in gradients[1:]:
                total = self.w.call(idioms.gradients.added, [total, gradient], {})
            gradients[:] = [total]
        return gradients[0] if gradients else None

    def _taken_over(self, node: VariableNode) -> list[Gradient]:
        held = self.w.tape.gradient(node)
        if held is None:
            return []
        self.w.tape.set_gradient(node, None)
        return [held]


class _Candidates:
    """The applications to go back through, those of the highest rank first."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, Application]] = []
        self._seen: set[Application] = set()

    def push(self, application: Application) -> None:
        if application not in self._seen:
            heapq.heappush(self._heap, (-application.rank, len(self._seen), application))
            self._seen.add(application)

    def __iter__(self) -> _Candidates:
        return self

    def __next__(self) -> Application:
        if not self._heap:
            raise StopIteration
        return heapq.heappop(self._heap)[-1]


@lowers(_backprop._backprop_to_all)
@always
def backprop_to_all(w: ContainerContext, outputs: Any, retain_grad: Any, loss_scale: Any) -> None:
    """Let all leaves that outputs come of have their gradients."""
    w.tape.ask()
    candidates, leaves = _Candidates(), dict[VariableNode, None]()
    gradients = _Gradients(w, takes_over=True)

    def reached(node: VariableNode) -> None:
        made = w.tape.creator(node)
        if made is None:
            leaves[node] = None
        else:
            candidates.push(made)

    for pair in w.static_items(outputs):
        node, gradient = w.static_items(pair)
        if w.tape.creator(node) is not None:
            gradient = w.choices.apply(gradient, partial(_seed, w))
        gradients.of(node).append(gradient)
        reached(node)
    for application in candidates:
        targets = [i for i, x in enumerate(application.inputs) if _requires(w, x)]
        given = [_of_output(w, gradients, y) for y in application.outputs]
        if not targets:
            continue
        sums = {x: gradients.of(x) for x in _inputs(application, targets)}
        _step(w, gradients, application, targets, given, sums)
        if w.truth(retain_grad) is True:
            for y, gradient in zip(application.outputs, given, strict=True):
                if y is not None:
                    w.tape.set_gradient(y, gradient)
        for x, held in sums.items():
            if held:
                reached(x)
    for node in leaves:
        w.tape.set_gradient(node, gradients.pop(node))
        w.tape.set_loss_scale(node, loss_scale)


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
    return w.call(idioms.gradients.grad, list(args), kwargs)


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
    wanted = _between(w, starts, ends)
    gradients, candidates = _Gradients(w), _Candidates()
    for node, seed in zip(starts, w.static_items(seeds), strict=True):
        gradients.begin(node, seed)
    for node, held in zip(ends, w.static_items(sums), strict=True):
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
            gradient = _of_output(w, gradients, y)
            given.append(gradient)
            if y in ends:
                found[y] = gradient
            if y is not None and w.truth(retain_grad) is True:
                w.tape.set_gradient(y, gradient)
                w.tape.set_loss_scale(y, loss_scale)
        targets = [i for i, x in enumerate(application.inputs) if x in wanted]
        if not targets:
            continue
        parts = {x: gradients.of(x) for x in _inputs(application, targets)}
        _step(w, gradients, application, targets, given, parts)
        for x, held in parts.items():
            made = w.tape.creator(x) if held else None
            if made is not None:
                candidates.push(made)
    for node in ends:
        if node not in found:
            found[node] = gradients.pop(node)
    return w.new_list([found[node] for node in ends])


def _between(
    w: ContainerContext, starts: Iterable[VariableNode], ends: Iterable[VariableNode]
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
            _require_new_style(w, x)
            if _requires(w, x):
                users.setdefault(x, []).append(application)
                made = w.tape.creator(x)
                if made is not None:
                    open_.append(made)
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


def _requires(w: ContainerContext, node: VariableNode) -> bool:
    """Tell whether a gradient goes through a Variable, which has to be known."""
    if node.requires_grad is None:
        w.tape.node(node.variable)  # which refuses
    return node.requires_grad is True


def _require_new_style(w: ContainerContext, node: VariableNode) -> None:
    if node.old_style is not None:
        w.raise_static(
            RuntimeError(f'cannot twice-differentiate an old style Function "{node.old_style}"')
        )


def _inputs(application: Application, targets: Sequence[int]) -> list[VariableNode]:
    return list(dict.fromkeys(application.inputs[i] for i in targets))


def _of_output(w: ContainerContext, gradients: _Gradients, y: VariableNode | None) -> Gradient:
    if y is None or w.tape.creator(y) is None:
        return None
    return gradients.pop(y)


def _step(
    w: ContainerContext,
    gradients: _Gradients,
    application: Application,
    targets: Sequence[int],
    given: Sequence[Gradient],
    sums: dict[VariableNode, list[Gradient]],
) -> None:
    """Go back through one application, and add what comes of it to the gradients of its inputs."""
    found = _through(w, application, tuple(targets), (), tuple(given))
    for index, gradient in zip(targets, w.static_items(found), strict=True):
        gradient = w.narrow(gradient)
        if gradient is not None:
            sums[application.inputs[index]].append(gradient)
    if w.truth(w.get_attribute(chainer.config, "lazy_grad_sum")) is not True:
        for held in sums.values():
            gradients.sum(held)


def _through(
    w: ContainerContext,
    application: Application,
    targets: tuple[int, ...],
    decided: tuple[Gradient, ...],
    left: tuple[Gradient, ...],
) -> Any:
    """Return what the backward pass of a function gives for the inputs at `targets`.

    Where an output may have no gradient, it is gone through once with and once without.
    """
    if left:

        def one(gradient: Gradient) -> Any:
            return _through(w, application, targets, (*decided, gradient), left[1:])

        return w.choices.apply(left[0], one)
    if all(gradient is None for gradient in decided):  # nobody would have come here
        return (None,) * len(targets)
    given = decided
    function = application.function
    if isinstance(function, chainer.Function):
        return _through_old_style(w, application, targets, given)
    if type(function).backward_accumulate is not chainer.FunctionNode.backward_accumulate:
        w.refuse(f"`backward_accumulate` of {type(function).__name__} is not compiled")
    complete(w, function, application)
    results = w.call(w.get_attribute(function, "backward"), [targets, tuple(given)], {})
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
    kind: Any = type(function)
    kept = tuple(range(len(application.inputs)))
    if arguments_of(kind, "retain_inputs"):
        kept = _retained(kind, "retain_inputs", len(kept))
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


@lowers(chainer.Variable.cleargrad)
def cleargrad(w: ContainerContext, variable: Any) -> None:
    """Forget a gradient; has no effect where nobody asks for gradients."""
    if w.tape.is_kept:
        w.tape.set_gradient(w.tape.node(variable), None)


@lowers(chainer.Variable.zerograd)
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
    if not w.tape.is_kept:
        return
    open_, met = [w.tape.node(variable)], set[Application]()
    while open_:
        made = w.tape.creator(open_.pop())
        if made is None or made in met:
            continue
        met.add(made)
        open_.extend(made.inputs)
    for application in met:
        for node in application.outputs:
            if node is not None:
                w.tape.unchain(node)


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
    return _retained(kind, f"retain_{which}", count)


def _retained(kind: Any, method: str, count: int) -> tuple[int, ...]:
    """Return which inputs or outputs the `forward` of a class keeps.

    Chainer's classes say it in one literal each, or keep all.
    """
    calls = arguments_of(kind, method)
    if not calls:
        return ()
    if len(calls) > 1:
        raise NotImplementedError(f"{kind.__name__} keeps now these, now those")
    (text,) = calls
    try:
        literal = ast.literal_eval(text)
    except ValueError:
        return tuple(range(count))
    return tuple(literal)
