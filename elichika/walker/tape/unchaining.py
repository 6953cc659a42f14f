"""`unchain` and `unchain_backward`: Variables forget what made them.

A Variable that a branch or a loop gave stands for one of several, and which of them forgets is
known only when the model runs. What may have forgotten is marked with `DOUBT`, and no gradient goes
there any more; a chain of which it is sure that it is cut is cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from elichika.errors import StagingError
from elichika.values.symbolic import Marker
from elichika.values.tape import GRADIENT, Application, Listed, TapeArm, VariableNode

if TYPE_CHECKING:
    from elichika.walker.tape.tape import Tape

__all__ = ["CREATOR", "DOUBT", "unchain", "unchain_backward"]

#: The location of a node that has what made it.
CREATOR = "creator"
#: What made a Variable, or its gradient, where that hangs on which of several was unchained.
DOUBT = Marker("DOUBT")

#: Variables that forget what made them, each with whether that is sure.
Cut = dict[VariableNode, bool]


def unchain(tape: Tape, node: VariableNode) -> None:
    """Let a Variable forget what made it."""
    _require_own(tape, node)
    if node.joined:
        _require_whole(tape, tape.creator(node))
    _apply(tape, {node: True})


def unchain_backward(tape: Tape, node: VariableNode) -> None:
    """Let a Variable forget what made it, and so on with all that it was made of."""
    _apply(tape, _reached(tape, node))


def _require_own(tape: Tape, node: VariableNode) -> None:
    if node.head:
        tape.w.refuse(
            "which iterations of this loop made this Variable is known only when the model runs, "
            "so they cannot be cut off",
            "unchain it in the iteration that makes it, or after the loop",
        )


def _require_whole(tape: Tape, made: Application | None) -> None:
    """Refuse where which of the items of a list would be cut off is known at run time."""
    if type(made) is Listed and made.hides:
        tape.w.refuse(
            "which Variables of a list of dynamic length are cut off is known only when the model "
            "runs",
            "unchain them before they are put into the list",
        )


def _reached(tape: Tape, start: VariableNode) -> Cut:
    """Return what going back from a Variable comes by."""
    cut: Cut = {}
    seen: dict[VariableNode, bool] = {}
    open_ = [(start, True)]
    while open_:
        node, sure = open_.pop()
        if seen.get(node, False) or seen.get(node) is sure:
            continue
        seen[node] = sure
        _require_own(tape, node)
        made = tape.creator(node)
        _require_whole(tape, made)
        if made is None:
            continue
        for output, always in _given(tape, made, node):
            cut[output] = cut.get(output, False) or (sure and always)
        surely = _surely_taken(tape, made, node)
        open_ += [(x, sure and x in surely) for x in made.inputs]
    return cut


def _given(
    tape: Tape, made: Application, node: VariableNode
) -> Iterator[tuple[VariableNode, bool]]:
    """Return what an application gave, each with whether it is sure that it is cut with `node`."""
    place = made.outputs.index(node)
    for other, output in enumerate(made.outputs):
        if output is not None:
            yield output, other == place or _goes_along(tape, made, place, other)


def _goes_along(tape: Tape, made: Application, place: int, other: int) -> bool:
    """Tell whether an output is surely cut where another one is."""
    if not all(_within(tape, arm, place, other) for arm in made.sides):
        return False
    if not made.first:
        return True
    start, wanted = made.first[place], made.first[other]
    if start is None or wanted is None or _is_leaf(tape, wanted):
        return True
    try:
        return _reached(tape, start).get(wanted, False)
    except StagingError:  # not all behind it may be cut
        return False


def _within(tape: Tape, arm: TapeArm, place: int, other: int) -> bool:
    """Tell whether, in one side or turn, a Variable is surely cut where another one is.

    A side that gives none of them is not the one that ran, or has nothing to be cut.
    """
    node, wanted = arm.nodes[place], arm.nodes[other]
    if node is None or wanted is None:
        return True
    if not tape.w.store.was_undone(wanted):
        return _is_leaf(tape, wanted)
    return wanted in _back(tape, arm, node)


def _is_leaf(tape: Tape, node: VariableNode) -> bool:
    return not node.head and tape.w.held(node, CREATOR) is None


def _surely_taken(tape: Tape, made: Application, node: VariableNode) -> Iterable[VariableNode]:
    """Return the inputs of an application that an output of it surely comes of."""
    place = made.outputs.index(node)
    if not made.sides:
        return made.inputs
    ends = [(arm, end) for arm in made.sides if (end := arm.nodes[place]) is not None]
    behind = set.intersection(*(_back(tape, arm, end) for arm, end in ends))
    if not made.first:
        return behind.intersection(made.inputs)
    entry, again = made.first[place], made.begun(place) in behind
    return (entry,) if again and entry is not None else ()


def _back(tape: Tape, arm: TapeArm, start: VariableNode) -> set[VariableNode]:
    """Return what is surely cut with a Variable of one side or turn, up to what it took."""
    found: set[VariableNode] = set()
    open_ = [start]
    with tape.replayed(arm.changes):
        while open_:
            node = open_.pop()
            if node in found:
                continue
            found.add(node)
            made = tape.creator(node) if tape.w.store.was_undone(node) else None
            if made is None or (
                type(made) is Listed and made.hides
            ):  # nothing is sure behind a list
                continue
            found.update(output for output, always in _given(tape, made, node) if always)
            open_ += [x for x in _surely_taken(tape, made, node) if x not in found]
    return found


def _apply(tape: Tape, cut: Cut) -> None:
    """Let Variables forget what made them; those of control flow, and those in doubt, first."""
    made = {node: tape.creator(node) for node in cut}
    for node, sure in sorted(cut.items(), key=lambda pair: not pair[0].joined):
        if made[node] is None:
            continue
        leaves = _doubt_sources(tape, made[node], node)
        if sure and leaves is not None:
            tape.w.store.set(node, CREATOR, None)
            tape.may_be_one(node, leaves)
        else:
            tape.w.store.set(node, CREATOR, DOUBT)


def _doubt_sources(
    tape: Tape, made: Application | None, node: VariableNode
) -> list[VariableNode] | None:
    """Mark what a Variable may be itself; return the leaves among that, None if not known."""
    leaves: list[VariableNode] = []
    known = True
    for source, changes in () if made is None else made.sources(made.outputs.index(node)):
        found = _doubt(tape, source, changes)
        leaves += found or ()
        known &= found is not None
    return leaves if known else None


def _doubt(tape: Tape, node: VariableNode, changes: Mapping[Any, Any]) -> list[VariableNode] | None:
    if node.head:
        return None
    undone = tape.w.store.was_undone(node)
    with tape.replayed(changes if undone else {}):
        made = tape.creator(node)
    _require_whole(tape, made)
    if made is None:
        return [] if undone else [node]
    if not undone:
        tape.w.store.set(node, CREATOR, DOUBT)
        tape.w.store.set(node, GRADIENT, DOUBT)
    return _doubt_sources(tape, made, node)
