"""The gradient of a Variable that came out of a branch, a loop or a list of dynamic length.

It is that of the Variable of the side that ran, or of the turn that made it: the way there is gone
again, forwards, with the gradients in the place of the Variables.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika import idioms
from elichika.idioms import list_gradients as ways
from elichika.lowerings.chainer.forward_results import anew, apart
from elichika.registry import always, lowers, takes_choices
from elichika.state.store import MISSING
from elichika.values.symbolic import COUNTER_BOUND
from elichika.values.tape import Branched, Listed, Looped, TapeArm, VariableNode
from onnx_graph import Dim, NotKeptError

if TYPE_CHECKING:
    from elichika.lowerings.python.context import ContainerContext

__all__ = ["got", "turns_of"]


@lowers(idioms.gradients.gradient)
@always
def gradient(w: ContainerContext, node: VariableNode, name: str) -> Any:
    """Return the gradient of the Variable that a node stands for, or of all in a list."""
    if not node.joined:
        if node.others and w.store.was_undone(node):
            w.tape.refuse_several(name)
        return w.tape.gradient(node)
    totals = w.tape.totals
    if node.head:
        if node not in totals.begun:
            w.tape.require_one(node, name)
        return totals.begun[node]
    made = w.tape.creator(node)
    if not totals.are_known or node.others:
        w.tape.require_one(node, name)
    match made:
        case Listed() if made.back in ways.AGAIN:
            return _of_list(w, made, node, name)
        case Branched():
            place = made.outputs.index(node)
            sides = [partial(_of_side, w, arm, place, name) for arm in made.arms]
            return w.branch(w.scalar(bool, made.condition), *sides)
        case Looped() if made.gives_all:
            return _of_loop(w, made, made.outputs.index(node), name)
    w.tape.require_one(node, name)
    return None


def _of_side(w: ContainerContext, arm: TapeArm, place: int, name: str) -> Any:
    """Return the gradient of what one side of a branch gave."""
    node = arm.nodes[place]
    if node is None:
        w.tape.refuse_several(name)
    if not w.store.was_undone(node):
        return gradient(w, node, name)
    if not node.joined and w.store.get(node, w.tape.totals.slot) is not MISSING:
        return w.tape.gradient(node)
    return _inside(w, arm, None, [node], name)[0]


def _inside(
    w: ContainerContext, arm: TapeArm, turn: Any, nodes: Sequence[VariableNode], name: str
) -> tuple[Any, ...]:
    """Return the gradients of Variables of a side, or of a turn: which, and of how many."""
    totals = w.tape.totals
    kept = totals.of(arm)
    held = got(w, kept, turn)
    place = None if turn is None else w.scalar_value(turn[0], np.dtype(np.int64))
    try:
        with w.tape.reopened(arm, place):
            totals.begin(kept, held)
            found = [apart(w, gradient(w, node, name)) for node in nodes]
    except NotKeptError:
        w.tape.require_one(nodes[0], name)
    return tuple(anew(w, one) for one in found)


def got(w: ContainerContext, kept: Mapping[VariableNode, int], turn: Any) -> list[Any]:
    """Return what Variables of a side have got since; of a turn, which of how many."""
    held = w.tape.totals.held(kept)
    if turn is None:
        return held
    number, count = turn
    of_turn = idioms.gradients.from_last, idioms.gradients.parts_from_last
    return [
        one if one is MISSING else w.call(of_turn[loops > 0], [one, count, number], {})
        for one, loops in zip(held, kept.values(), strict=True)
    ]


def turns_of(w: ContainerContext, made: Looped) -> Any:
    """Return how many turns a loop made, as a number of the run: nobody unrolls it either."""
    match w.graph.lifting.turns(made.turn.body):
        case int() as height:
            return w.scalar(int, w.graph.constant(height), bound=COUNTER_BOUND)
        case Dim() as height:
            return w.dim_scalar(height)
        case turns:
            return w.scalar(int, turns, bound=COUNTER_BOUND)


def _of_loop(w: ContainerContext, made: Looped, place: int, name: str) -> Any:
    """Return the gradient of what a loop gave."""
    count = turns_of(w, made)
    last, entry = made.turn.nodes[place], made.entries[place]
    if last is not None and not _is_carried(w, made.turn, last):

        def ended() -> Any:
            number = w.call(operator.sub, [count, 1], {})
            return _of_turn(w, made, (number, count), last, name)

        if entry is None:
            return ended()
        return w.branch(
            w.truth(w.call(operator.gt, [count, 0], {})), ended, partial(gradient, w, entry, name)
        )
    places = _carried(w, made, place)
    first = tuple(
        None if (node := made.entries[index]) is None else gradient(w, node, name)
        for index in places
    )
    found = w.call(idioms.gradients.read_turns, [made, places, count, first], {})
    return w.static_items(found)[places.index(place)]


def _of_turn(
    w: ContainerContext, made: Looped, turn: tuple[Any, Any], node: VariableNode, name: str
) -> Any:
    """Return the gradient of what a turn ended with: which turn, and of how many."""
    if not w.store.was_undone(node):
        return gradient(w, node, name)
    return _inside(w, made.turn, turn, [node], name)[0]


def _is_carried(w: ContainerContext, arm: TapeArm, node: VariableNode) -> bool:
    """Tell whether a Variable at the end of a turn may be what a turn begins with."""
    return any(one.head for one in _behind(w, arm, [node]))


def _behind(
    w: ContainerContext, arm: TapeArm, nodes: Sequence[VariableNode | None]
) -> Iterator[VariableNode]:
    """Yield what some Variables may be at the end of a side or turn."""
    with w.tape.replayed(arm.changes):
        found = list(w.tape.totals.behind(nodes))
        for node, made in found:
            yield node
            if made is not None and node.joined:
                place = made.outputs.index(node)
                for side in made.sides:
                    yield from _behind(w, side, [side.nodes[place]])


def _carried(w: ContainerContext, made: Looped, place: int) -> tuple[int, ...]:
    """Return which outputs of a loop hang on what an output of it is."""
    found, open_ = dict[int, None](), [place]
    while open_:
        index = open_.pop()
        found[index] = None
        begun = set(_behind(w, made.turn, [made.turn.nodes[index]])).intersection(made.heads)
        open_ += [at for head in begun if (at := made.heads.index(head)) not in found]
    return tuple(sorted(found))


@lowers(idioms.gradients.read_turn)
@always
@takes_choices
def read_turn(
    w: ContainerContext, made: Looped, places: Any, count: Any, number: Any, held: Any
) -> Any:
    """Go through one turn, forwards."""
    begun = dict(zip([made.heads[at] for at in places], w.static_items(held), strict=True))
    nodes = [made.turn.nodes[at] for at in places]
    given = [node for node in nodes if node is not None]
    inside = [node for node in given if w.store.was_undone(node)]
    with w.tape.totals.beginning(begun):
        found = dict(
            zip(inside, _inside(w, made.turn, (number, count), inside, "grad"), strict=True)
        )
    return tuple(
        None if node is None else found[node] if node in found else gradient(w, node, "grad")
        for node in nodes
    )


def _of_list(w: ContainerContext, made: Listed, node: VariableNode, name: str) -> Any:
    """Return the gradients of what is in a list that Python made, or of what it took out of one."""
    arguments = list(made.arguments)
    first = made.inputs[0] if made.inputs else None
    if made.back is ways.of_item and first is not None:
        direct = _of_each_turn(w, first)
        if direct is not None:
            return w.call(idioms.gradients.item_got, [direct[0], *arguments], {})
    if made.back is ways.of_sliced:
        arguments = [_length(w, node), *arguments]
    taken = [_in_list(w, one, name) for one in made.inputs]
    return w.call(ways.AGAIN[made.back], [*arguments, *taken], {})


def _in_list(w: ContainerContext, node: VariableNode, name: str) -> Any:
    """Return the gradients of a list, or that of what was put into one, which may be None."""
    if node.variable is None and node.requires_grad is False:
        return None
    direct = _of_each_turn(w, node)
    if direct is not None:
        return w.call(idioms.gradients.items_got, list(direct), {})
    return gradient(w, node, name)


def _of_each_turn(w: ContainerContext, node: VariableNode) -> tuple[Any, Any] | None:
    """Return what the items of a list got, and its length, if each turn of a loop added one."""
    found = w.tape.totals.each_turn(node)
    if found is None:
        return None
    made, item = found
    held = w.tape.totals.held([item])[0]
    return (None if held is MISSING else held), turns_of(w, made)


def _length(w: ContainerContext, node: VariableNode) -> Any:
    length = w.sequences.length_of(node.variable)
    return w.scalar(int, length, bound=COUNTER_BOUND)
