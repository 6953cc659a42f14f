"""Going back over the tape: through functions, branches, loops and lists.

The backward passes themselves are Chainer's own Python, walked like any other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import chainer
import numpy as np

from elichika import idioms
from elichika.idioms import list_gradients as ways
from elichika.lowerings.chainer import gradient_sharing as sharing
from elichika.lowerings.chainer.accumulation import (
    Candidates,
    Gradient,
    Gradients,
    inputs_of,
    of_output,
    require_new_style,
    require_past,
    takes,
)
from elichika.lowerings.chainer.backward_passes import through_function
from elichika.lowerings.chainer.forward_results import anew, apart
from elichika.lowerings.chainer.totals import got, turns_of
from elichika.registry import always, lowers, takes_choices
from elichika.values.kinds import is_choice
from elichika.values.symbolic import Seq
from elichika.values.tape import (
    GRADIENT,
    Application,
    Begun,
    Branched,
    Chosen,
    Listed,
    Looped,
    Reentered,
    TapeArm,
    VariableNode,
)
from onnx_graph import NotKeptError, Value

if TYPE_CHECKING:
    from elichika.lowerings.python.context import ContainerContext

__all__ = ["step"]


def step(
    w: ContainerContext,
    gradients: Gradients,
    application: Application,
    targets: Sequence[int],
    given: Sequence[Gradient],
    sums: dict[VariableNode, list[Gradient]],
) -> None:
    """Go back through one application, and add what comes of it to the gradients of its inputs."""
    if targets and type(application) is Listed and application.back is ways.of_item:
        (total,) = sums.values()  # of the list, which need not be made anew
        arguments = [*application.arguments, gradients.sum(total), *given]
        total[:] = [w.call(ways.item_added, arguments, {})]
        return
    begun = {node: gradients.sum(sums[node]) for node in _continued(w, application) if node in sums}
    found = w.static_items(_through(w, application, tuple(targets), (), tuple(given), begun))
    sharing.share(w, application, [application.inputs[i] for i in targets], found, given)
    for index, gradient in zip(targets, found, strict=True):
        gradient, node = w.narrow(gradient), application.inputs[index]
        if node in begun:
            sums[node][:] = [] if gradient is None else [gradient]
        elif gradient is not None:
            sums[node].append(gradient)
    if w.truth(w.get_attribute(chainer.config, "lazy_grad_sum")) is not True:
        for held in sums.values():
            gradients.sum(held)


def _continued(w: ContainerContext, application: Application) -> list[VariableNode]:
    """Return which lists a branch or loop adds to what they have got, item by item.

    Their own gradients would have None for most items, and adding them up costs all of them. Where
    these are differentiated again, they come apart.
    """
    again = w.truth(w.get_attribute(chainer.config, "enable_backprop"))
    if type(application) not in (Branched, Looped) or again is not False:
        return []
    counts = Counter(application.inputs)
    return [x for x in counts if counts[x] == 1 and type(x.variable) is Seq]


def _through(
    w: ContainerContext,
    application: Application,
    targets: tuple[int, ...],
    decided: tuple[Gradient, ...],
    left: tuple[Gradient, ...],
    begun: Mapping[VariableNode, Gradient],
) -> Any:
    """Return what the backward pass of a function gives for the inputs at `targets`.

    Where an output may have no gradient, it is gone through once with and once without. To what is
    `begun` of an input, its gradient is added.
    """
    if left:

        def one(gradient: Gradient) -> Any:
            return _through(w, application, targets, (*decided, gradient), left[1:], begun)

        return w.choices.apply(left[0], one)
    if all(gradient is None for gradient in decided):  # nobody would have come here
        return tuple(begun.get(application.inputs[index]) for index in targets)
    if isinstance(application, Chosen):
        if w.tape.control.was_written_since(application):
            w.refuse(
                "an array that comes from a branch or loop, or was written there, was written "
                "again before its gradient is taken",
                "write to a copy",
            )
        back: Any = _WAYS[type(application)]
        return back(w, application, targets, decided, begun)
    if type(application) is Listed:
        arguments = [*application.arguments, *decided]
        found = w.static_items(w.call(application.back, arguments, {}))
        return tuple(found[index] for index in targets)
    return through_function(w, application, targets, decided)


def _through_branch(
    w: ContainerContext,
    application: Branched,
    targets: Sequence[int],
    given: Sequence[Gradient],
    begun: Mapping[VariableNode, Gradient],
) -> Any:
    """Go back through the side of a branch that ran, by a branch on the same condition."""
    wanted = [application.inputs[i] for i in targets]

    def through(index: int) -> Any:
        arm = application.arms[index]
        pairs = zip(arm.nodes, application.outputs, strict=True)
        outside = {
            inner: outer for inner, outer in pairs if inner is not None and outer is not None
        }
        found, own = _back_into(w, application, arm, None, given, wanted, outside, begun)
        w.tape.totals.begin(_kept(w, application, arm), own)
        return found

    test = w.scalar(bool, application.condition)
    return w.branch(test, lambda: through(0), lambda: through(1))


def _through_way_back(
    w: ContainerContext,
    application: Reentered,
    targets: Sequence[int],
    given: Sequence[Gradient],
    begun: Mapping[VariableNode, Gradient],
) -> Any:
    """Go back through what went back into a side or turn: into it once more."""
    wanted = [application.inner[i] for i in targets]
    outside = dict(zip(application.inner, application.inputs, strict=True))
    turn = None if application.turn is None else (application.turn, None)
    return _back_into(w, application, application.arm, turn, given, wanted, outside, begun)[0]


def _through_loop(
    w: ContainerContext,
    application: Looped,
    targets: Sequence[int],
    given: Sequence[Gradient],
    begun_sums: Mapping[VariableNode, Gradient],
) -> Any:
    """Go back through the turns of a loop, by a loop over them."""
    count = turns_of(w, application)
    sums = tuple(map(begun_sums.get, application.inputs))
    stacks = w.tape.reentries.stacks(application)
    none = (None,) * len(application.heads)
    last, begun = (none, tuple(given)) if type(application) is Begun else (tuple(given), none)
    kept = _kept(w, application, application.turn)
    lists = tuple(
        (w.new_list([]), w.new_list([])) if loops else w.new_list([]) for loops in kept.values()
    )
    arguments = [application, stacks, count, begun, last, sums, lists]
    found = w.call(idioms.gradients.loop_back, arguments, {})
    entered, captured, own = (list(w.static_items(part)) for part in w.static_items(found))
    w.tape.totals.begin(kept, own)
    for node, gradient in zip(application.entries, entered, strict=True):
        if node is not None:
            index = application.inputs.index(node)
            both = [captured[index], gradient]
            captured[index] = w.call(idioms.gradients.added, both, {})
    return tuple(captured[index] for index in targets)


@lowers(idioms.gradients.turn_back)
@always
@takes_choices
def turn_back(
    w: ContainerContext,
    application: Looped,
    stacks: Any,
    count: Any,
    number: Any,
    begun: Any,
    gradients: Any,
    sums: Any,
    last: bool = False,
) -> Any:
    """Go back through one turn: the gradients of what it began with, and sums with its own.

    And those of Variables that the turn has made, which are kept.
    """
    turn = application.turn
    given = w.static_items(gradients)
    kept = [w.narrow(gradient) for gradient in given]
    for index, gradient in enumerate(kept):
        if is_choice(gradient):

            def one(value: Any, index: int = index) -> Any:
                parts = (*kept[:index], value, *kept[index + 1 :])
                return turn_back(w, application, stacks, count, number, begun, parts, sums, last)

            return w.choices.apply(gradient, one)
    wanted = [*application.heads, *application.inputs]
    heads = w.tape.reentries.heads(application, w.static_items(stacks), (count, number), last)
    place = w.scalar_value(number, np.dtype(np.int64))
    before = dict(zip(application.inputs, w.static_items(sums), strict=True))
    sums_of = {node: before[node] for node in _continued(w, application)}
    which = place, (number, count)
    made, own = _back_into(w, application, turn, which, kept, wanted, heads, sums_of)
    taken = made[len(application.heads) :]
    added = idioms.gradients.added
    of_head = idioms.gradients.of_items_at_turn, idioms.gradients.at_turn
    first = [
        w.call(added, [one, w.call(of_head[head.even], [stack, number, last], {})], {})
        for one, head, stack in zip(made, application.heads, w.static_items(begun), strict=False)
    ]
    total = tuple(
        gradient if node in sums_of else w.call(added, [before[node], gradient], {})
        for node, gradient in zip(application.inputs, taken, strict=True)
    )
    return tuple(first), total, own


#: How to go back through what control flow gave.
_WAYS = {
    Branched: _through_branch,
    Looped: _through_loop,
    Begun: _through_loop,
    Reentered: _through_way_back,
}


def _back_into(
    w: ContainerContext,
    application: Chosen,
    arm: TapeArm,
    turn: tuple[Value, Any] | None,
    given: Sequence[Gradient],
    wanted: Sequence[VariableNode],
    outside: Mapping[VariableNode, VariableNode],
    begun: Mapping[VariableNode, Gradient],
) -> tuple[tuple[Gradient, ...], tuple[Gradient, ...]]:
    """Go back through a side or turn.

    Args:
        w: The walk.
        application: What is gone back through.
        arm: The side or turn.
        turn: Which turn it is, in the graph, and as a number with how many there are.
        given: The gradients of what the side or turn ended with.
        wanted: What it was made of.
        outside: What stands for it outside.
        begun: What some of it has got already.

    Returns:
        What the wanted nodes get, as it is outside, and what those get that are kept of the arm.
    """
    pairs = zip(arm.nodes, given, strict=True)
    seeds = [(y, gy) for y, gy in pairs if y is not None and gy is not None]
    totals = w.tape.totals
    totals.passes(application)
    place, number = (None, None) if turn is None else turn
    kept = _kept(w, application, arm)
    held = got(w, kept, number)
    with _going_back(w), w.tape.reopened(arm, place):
        since = w.store.mark()
        totals.begin(kept, held)
        found = _within(w, seeds, wanted, begun, kept)
        gradients = [found.pop(x) for x in wanted]
        retained = [w.tape.gradient(node) for node in kept]
        within = sharing.note(w, application, arm, given, wanted, gradients, retained)
        parts = [apart(w, one) for one in (*gradients, *retained)]
        way = w.tape.reentries.left(application, arm, place, gradients, since, outside)
    every = tuple(anew(w, one) for one in parts)
    for gradient, is_within in zip(every, within, strict=True):
        if is_within:
            sharing.forbid(w, gradient)
    made, own = every[: len(gradients)], every[len(gradients) :]
    w.tape.reentries.give(way, made, outside)
    return made, own


def _kept(w: ContainerContext, application: Chosen, arm: TapeArm) -> Mapping[VariableNode, int]:
    """Return the Variables of a side or turn of which it is noted what they get."""
    return w.tape.totals.given(arm) if application.gives_all else {}


@contextmanager
def _going_back(w: ContainerContext) -> Iterator[None]:
    """Refuse what a branch or a turn cannot give to who goes back into it."""
    try:
        yield
    except NotKeptError:
        w.refuse(
            "the gradient reads what loops inside this loop made in each iteration, in arrays of "
            "unlike sizes or in lists",
            "let these arrays have one size in all iterations",
        )


def _within(
    w: ContainerContext,
    seeds: Iterable[tuple[VariableNode, Gradient]],
    wanted: Iterable[VariableNode],
    begun: Mapping[VariableNode, Gradient],
    kept: Collection[VariableNode] = (),
) -> Gradients:
    """Go back from some Variables to those where a side or turn begins.

    Leaves that are kept, and with `retain_grad` all such, get their gradients.
    """
    ends = set(wanted)
    own = kept if w.tape.totals.slot == GRADIENT else ()
    gradients, candidates = Gradients(w, lambda node: node in own), Candidates()
    leaves: dict[VariableNode, None] = {}

    def reached(node: VariableNode) -> None:
        made = None if node in ends else w.tape.creator(node)
        if made is not None:
            candidates.push(made)
        elif node not in ends:
            require_past(w, node)
            require_new_style(w, node)
            leaves[node] = None

    for node, gradient in begun.items():
        gradients.begin(node, gradient)
    for node, gradient in seeds:
        gradients.of(node).append(gradient)
        reached(node)
    for application in candidates:
        targets = [i for i, x in enumerate(application.inputs) if takes(w, x)]
        given = [None if y in ends else of_output(w, gradients, y) for y in application.outputs]
        sums = {x: gradients.of(x) for x in inputs_of(application, targets)}
        step(w, gradients, application, targets, given, sums)
        for y, gradient in zip(application.outputs, given, strict=True):
            if y is not None and y in kept and w.tape.totals.retains:
                w.tape.set_gradient(y, gradient)
        for x, held in sums.items():
            if held:
                reached(x)
    for node in leaves:
        if node in kept:
            w.tape.set_gradient(node, gradients.pop(node))
    return gradients
