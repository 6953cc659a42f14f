"""What the `forward` of a function leaves on it for its `backward`: masks, indices, statistics.

A lowering stands for `forward` and leaves what it computes anyway. The rest is an error to read,
but for a backward pass: then `forward` is walked, on what the function took, for the sake of it.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import chainer
import numpy as np

from elichika.lowerings.chainer.class_sources import assigned_by, read_by
from elichika.lowerings.chainer.left_behind import left_by
from elichika.state.store import MISSING
from elichika.values.symbolic import Array, Choice, Conflict, DynamicTuple, Scalar, Seq, Var
from onnx_graph import Value

if TYPE_CHECKING:
    from elichika.lowerings.python.context import ContainerContext
    from elichika.values.tape import Application

__all__ = ["anew", "apart", "complete", "forbid"]

#: What says which library computes, and what it says in a model: none but numpy.
LIBRARIES = {
    "_config_use_ideep": "never",
    "_use_ideep": False,
    "use_ideep": False,
    "_use_cudnn": False,
    "use_cudnn": False,
}


def forbid(w: ContainerContext, node: Any, real: Any, before: Mapping[str, Any]) -> None:
    """Make what `forward` leaves on the node, and the lowering does not, an error to read.

    `before` is what the node held when the lowering was asked.
    """
    kind: Any = type(real)
    for name in _results_of(kind):
        if vars(real).get(name) is None and (name in before or name not in vars(real)):
            reason = f"`{name}` of {type(real).__name__} is left by its forward, which is not run"
            w.store.set(node, name, Conflict(reason))


def complete(w: ContainerContext, node: Any, application: Application) -> None:
    """Give a node what its backward pass reads and its lowering did not leave."""
    kind: Any = type(node)
    forbidden = [n for n in _results_of(kind) if type(w.given(node, n)) is Conflict]
    read = left_by(kind) if kind.__module__.startswith("chainer.") else read_by(kind)
    for name in LIBRARIES.keys() & set(forbidden):
        w.store.set(node, name, LIBRARIES[name])
    lacking = [name for name in forbidden if name in read and name not in LIBRARIES]
    if not lacking:
        return
    assert not application.draws, "a lowering that draws leaves what backward passes read"
    mark = w.store.mark()
    for name in forbidden:
        w.store.set(node, name, MISSING if hasattr(kind, name) else None)
    arrays = tuple(None if v is None else w.new_array(v) for v in application.values)
    w.call(w.get_attribute(node, "forward"), [arrays], {})
    found = {name: apart(w, w.get_attribute(node, name)) for name in lacking}
    w.store.undo(mark)
    for name, held in found.items():
        w.store.set(node, name, anew(w, held))


@dataclass
class _Tensor:
    """What an array held, or the array of a Variable."""

    value: Value
    is_variable: bool = False


@dataclass
class _Items:
    """What a tuple of dynamic length held."""

    contents: Seq


def apart(w: ContainerContext, held: Any) -> Any:
    """Return what was computed in a state that is taken back, apart from that state."""
    held = w.narrow(held)
    match held:
        case Array() | np.ndarray():  # what was known may have been written
            return _Tensor(w.value_of(held))
        case Var() | chainer.Variable():
            return _Tensor(w.value_of(held), is_variable=True)
        case DynamicTuple():
            return _Items(replace(w.items_of(held)))  # which has no node
        case list() | tuple() if not w.is_dynamic(held):
            return type(held)(apart(w, part) for part in w.items(held))
        case Choice():
            tag = w.graph.lifting.reach(held.tag)
            return Choice(tag, tuple(apart(w, part) for part in held.alternatives))
        case (
            Scalar() | None | bool() | int() | float() | str() | np.generic() | np.dtype() | type()
        ):
            return held
        case slice() | range() | types.ModuleType():
            return held
    w.refuse(f"{type(held).__name__} that a function left for its backward pass is not compiled")


def anew(w: ContainerContext, held: Any) -> Any:
    """Return what `apart` took out, in the present state."""
    match held:
        case _Tensor():
            return w.new_var(held.value) if held.is_variable else w.new_array(held.value)
        case _Items():
            return w.sequences.new_tuple(held.contents)
        case Choice():
            return Choice(held.tag, tuple(anew(w, part) for part in held.alternatives))
        case list():
            return w.new_list([anew(w, part) for part in held])
        case tuple():
            return tuple(anew(w, part) for part in held)
    return held


def _results_of(kind: Any) -> frozenset[str]:
    """Return the attributes that the `forward` of a class assigns, if its source is there."""
    return assigned_by(kind, "forward", "forward_cpu")
