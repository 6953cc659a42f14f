"""Which gradients that come out of branches and loops may be one array.

`F.sum(p + q).backward()` gives `p.grad` and `q.grad` the same array, as `+` hands on what it gets:
who writes to the one changes the other. What a side of a branch or a turn of a loop gives is made
anew after it, so that would be lost: it is noted here, and a write to one of them is refused.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import chainer
import numpy as np

from elichika.lowerings.chainer.accumulation import Gradient
from elichika.state.aliases import memory_of
from elichika.values.kinds import alternatives_of
from elichika.values.symbolic import Array, Var
from elichika.values.tape import Application, Chosen, TapeArm, VariableNode

if TYPE_CHECKING:
    from elichika.lowerings.python.context import ContainerContext

__all__ = ["forbid", "note", "share"]

#: What stands for arrays within a side or turn: it is always in use.
_WITHIN = np.empty(0)


def note(
    w: ContainerContext,
    application: Chosen,
    arm: TapeArm,
    given: Sequence[Gradient],
    inner: Sequence[VariableNode],
    gradients: Sequence[Gradient],
    own: Sequence[Gradient],
) -> list[bool]:
    """Note which gradients within a side or turn may be one array, or numpy does not write to.

    Args:
        w: The walk.
        application: What is gone back through.
        arm: The side or turn.
        given: The gradients of what the side or turn ended with.
        inner: What it was made of.
        gradients: The gradients of these.
        own: Those that it keeps of Variables that it has made, which are found again within alone.

    Returns:
        Of each of the gradients, and then of each of its own, whether it may be one array with one
        of its own. Nobody may write to such.
    """
    names = _names(application, inner)
    held: list[tuple[Hashable, set[int]]] = [
        (_given(place), _memory(w, gradient))
        for place, (node, gradient) in enumerate(zip(arm.nodes, given, strict=True))
        if node is not None
    ]
    for name, gradient in zip(names, gradients, strict=True):
        mine = _memory(w, gradient)
        for other, memory in held:
            if mine & memory:
                application.shared.add(frozenset((name, other)))
        held.append((name, mine))
        if any(not array.writable for array in _arrays(w, gradient)):
            application.unwritable.add(name)
    kept = [_memory(w, one) for one in own]
    for gradient in given:
        if any(_memory(w, gradient) & memory for memory in kept):
            forbid(w, gradient)
    outer = [_memory(w, gradient) for gradient in (*gradients, *given)]
    found = [any(memory & one for one in kept) for memory in outer[: len(gradients)]]
    every = [*outer, *kept]
    return found + [sum(bool(memory & one) for one in every) > 1 for memory in kept]


def forbid(w: ContainerContext, gradient: Gradient) -> None:
    """Refuse writes to the arrays of a gradient from now on."""
    for array in _arrays(w, gradient):
        w.may_be(array, w.as_array(_WITHIN))


def share(
    w: ContainerContext,
    application: Application,
    inputs: Sequence[VariableNode],
    found: Sequence[Gradient],
    given: Sequence[Gradient],
) -> None:
    """Note that gradients that control flow gave may share memory, as those within it did.

    Args:
        w: The walk.
        application: What was gone back through.
        inputs: Those of its inputs of which the gradients were asked for.
        found: These gradients.
        given: The gradients of its outputs.
    """
    if not application.shared and not application.unwritable:
        return
    group = _groups(application)
    arrays = [(group(_given(place)), [*_arrays(w, one)]) for place, one in enumerate(given)]
    for node, gradient in zip(inputs, found, strict=True):
        own = [*_arrays(w, gradient)]
        for array in own:
            for other, held in arrays:
                if other is not None and other == group(node):
                    w.may_be(array, *(one for one in held if one.root is not array.root))
            if node in application.unwritable:
                array.root.writable = array.writable = False
                array.root.joined = array.joined = True
        arrays.append((group(node), own))


def _given(place: int) -> Hashable:
    """Return the name of the gradient of an output."""
    return "given", place


def _names(application: Chosen, inner: Sequence[VariableNode]) -> Iterable[Hashable]:
    """Return names of what a side or turn was made of: of what a turn begins with, its place."""
    heads: tuple[Any, ...] = getattr(application, "heads", ())
    outer: tuple[Any, ...] = getattr(application, "inner", ())
    for node in inner:
        if node in heads:
            yield _given(heads.index(node))
        else:
            yield application.inputs[outer.index(node)] if node in outer else node


def _groups(application: Application) -> Any:
    """Return what tells which group of gradients, that may be one array, one is in, if any is."""
    groups: list[set[Hashable]] = []
    pairs = set(application.shared)
    entries: tuple[Any, ...] = getattr(application, "entries", ())  # of a loop
    pairs |= {frozenset((_given(i), one)) for i, one in enumerate(entries) if one is not None}
    for pair in pairs:
        met = [one for one in groups if one & pair]
        groups = [one for one in groups if not one & pair] + [set(pair).union(*met)]
    return lambda name: next((i for i, one in enumerate(groups) if name in one), None)


def _arrays(w: ContainerContext, gradient: Gradient) -> Iterator[Array]:
    """Yield the arrays that a gradient may be in."""
    for one in alternatives_of(w.narrow(gradient)):
        if type(one) is Var or isinstance(one, chainer.Variable):
            yield w.as_var(one).array


def _memory(w: ContainerContext, gradient: Gradient) -> set[int]:
    """Return which memory a gradient may use."""
    return {id(root) for array in _arrays(w, gradient) for root in memory_of(array)}
