"""What the `forward` of a function leaves on it for its `backward`: masks, indices, statistics.

A lowering stands for `forward` and leaves what it computes anyway. The rest is an error to read,
but for a backward pass: then `forward` is walked, on what the function took, for the sake of it.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any

import chainer

from elichika.lowerings.chainer import noise
from elichika.state.store import MISSING
from elichika.values.kinds import is_array
from elichika.values.symbolic import Choice, Conflict, Scalar, Symbolic

if TYPE_CHECKING:
    from elichika.lowerings.python.context import ContainerContext
    from elichika.values.tape import Application

__all__ = ["complete", "forbid"]

#: What says which library computes, and what it says in a model: none but numpy.
LIBRARIES = {
    "_config_use_ideep": "never",
    "_use_ideep": False,
    "use_ideep": False,
    "_use_cudnn": False,
    "use_cudnn": False,
}


def forbid(w: ContainerContext, node: Any, real: Any) -> None:
    """Make what `forward` leaves on the node, and the lowering does not, an error to read."""
    kind: Any = type(real)
    for name in results_of(kind):
        if vars(real).get(name) is None:
            reason = f"`{name}` of {type(real).__name__} is left by its forward, which is not run"
            w.store.set(node, name, Conflict(reason))


def complete(w: ContainerContext, node: Any, application: Application) -> None:
    """Give a node what its backward pass reads and its lowering did not leave."""
    lacking = []
    for name in results_of(type(node)) & _read_by(type(node)):
        if isinstance(w.given(node, name), Conflict):
            if name in LIBRARIES:
                w.store.set(node, name, LIBRARIES[name])
            else:
                lacking.append(name)
    if not lacking:
        return
    if noise.draws(node):
        w.refuse(f"the gradient of {type(node).__name__} is not compiled: it drew random numbers")
    mark = w.store.mark()
    for name in results_of(type(node)):
        if isinstance(w.given(node, name), Conflict):
            w.store.set(node, name, MISSING if hasattr(type(node), name) else None)
    arrays = tuple(map(w.new_array, application.values))
    w.call(w.get_attribute(node, "forward"), [arrays], {})
    found = {name: _apart(w, w.get_attribute(node, name)) for name in lacking}
    w.store.undo(mark)
    for name, held in found.items():
        w.store.set(node, name, _anew(w, held))


class _Tensor:
    """What an array held."""

    def __init__(self, value: Any) -> None:
        self.value = value


def _apart(w: ContainerContext, held: Any) -> Any:
    """Return what `forward` left, apart from the state that it was left in."""
    held = w.narrow(held)
    if is_array(held) and isinstance(held, Symbolic):
        return _Tensor(w.value_of(held))
    if type(held) is tuple:
        return tuple(_apart(w, part) for part in held)
    parts = held.alternatives if isinstance(held, Choice) else (held,)
    if any(isinstance(part, Symbolic) and not isinstance(part, Scalar) for part in parts):
        w.refuse("what a function left for its backward pass depends on the data")
    return held


def _anew(w: ContainerContext, held: Any) -> Any:
    if isinstance(held, _Tensor):
        return w.new_array(held.value)
    return tuple(_anew(w, part) for part in held) if type(held) is tuple else held


@cache
def results_of(kind: Any) -> frozenset[str]:
    """Return the attributes that the `forward` of a class assigns, if its source is there."""
    sources = []
    for name in ("forward", "forward_cpu"):
        with suppress(AttributeError, OSError, TypeError):
            sources.append(textwrap.dedent(inspect.getsource(getattr(kind, name))))
    return frozenset(name for source in sources for name in _names(source, ast.Store))


@cache
def _read_by(kind: Any) -> frozenset[str]:
    """Return the attributes that methods of a class read."""
    found: set[str] = set()
    for base in kind.__mro__:
        if base in (chainer.FunctionNode, chainer.Function):
            break
        with suppress(OSError, TypeError):
            found.update(_names(textwrap.dedent(inspect.getsource(base)), ast.Load))
    return frozenset(found)


def _names(source: str, context: type[ast.expr_context]) -> Iterator[str]:
    """Yield the attributes of `self` that code assigns, or those that it reads."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ctx):
                if isinstance(ctx, context):
                    yield name
