"""A function with `*args` and `**kwargs`, as one of the arguments that a call gives it.

    def run(*args, **kwargs):             def run(args_0, args_1, by):
        return f(*args, **kwargs)             return f(args_0, args_1, by=by)

    run(a, b, by=c)

Where they are used otherwise, they are made first: `args = (args_0, args_1)`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import gast

from .copies import copied
from .forms import is_starred
from .rewrite import prologue
from .scopes import kind_of
from .template import expression, template
from .walking import walk

__all__ = ["Shape", "given_to", "shape_of", "spread"]

Tree = Any
#: How many arguments `*args` may be: a call that gives one more each time has no end.
MOST = 6


@dataclass(frozen=True)
class Shape:
    """What a call gives to `*args` and `**kwargs`.

    Attributes:
        args: The names that the arguments of `*args` get.
        words: Those of `**kwargs`.
        vararg: What the function calls the former; nothing where it has none.
        kwarg: What it calls the latter.
    """

    args: tuple[str, ...]
    words: tuple[str, ...]
    vararg: str
    kwarg: str

    def bind(self, bound: dict[str, Any], words: Mapping[str, Any]) -> None:
        """Give bound arguments these names; `words` are those of `**kwargs`."""
        bound.update(zip(self.args, bound.pop(self.vararg, ()), strict=True))
        bound.pop(self.kwarg, None)
        bound.update((name, words[name]) for name in self.words)


def _shaped(tree: Tree, count: int, words: tuple[str, ...]) -> Shape | None:
    """Return the shape for a number of arguments more than there are parameters, and words."""
    spec = tree.args
    vararg, kwarg = (getattr(one, "id", "") for one in (spec.vararg, spec.kwarg))
    names = tuple(f"{vararg}_{index}" for index in range(count))
    used = kind_of(tree).locals | {getattr(node, "id", "") for node in walk(tree)}
    if (
        count > MOST
        or (count and not vararg)
        or (words and not kwarg)
        or not used.isdisjoint((*names, *words))
    ):
        return None
    return Shape(names, words, vararg, kwarg) if vararg or kwarg else None


def given_to(tree: Tree, bound: Mapping[str, Any], words: Any) -> Shape | None:
    """Return the shape of bound arguments; None where there is none, or it is not known.

    Args:
        tree: The function.
        bound: The arguments by name.
        words: Those of `**kwargs`.
    """
    if type(tree) is gast.Lambda or (tree.args.vararg is None and tree.args.kwarg is None):
        return None
    given = bound.get(getattr(tree.args.vararg, "id", ""), ())
    if type(given) is not tuple or not all(type(word) is str for word in words):
        return None
    return _shaped(tree, len(given), tuple(words))


def shape_of(tree: Tree, receiver: list[Tree], call: Tree) -> Shape | None:
    """Return the shape of a call; None where there is none, or its text does not tell."""
    if type(tree) is gast.Lambda or (tree.args.vararg is None and tree.args.kwarg is None):
        return None
    words = [keyword.arg for keyword in call.keywords]
    if any(map(is_starred, call.args)) or None in words:
        return None
    positional = [node.id for node in (*tree.args.posonlyargs, *tree.args.args)]
    named = {*positional, *(node.id for node in tree.args.kwonlyargs)}
    count = max(0, len(receiver) + len(call.args) - len(positional))
    return _shaped(tree, count, tuple(word for word in words if word not in named))


def spread(tree: Tree, shape: Shape) -> Tree:
    """Return a function of the arguments of a shape."""
    made = copied(tree)
    made.shape = shape
    spec = made.args
    names = [template(f"{name} = 0", at=tree, **{name: name})[0].targets[0] for name in shape.args]
    words = [template(f"{name} = 0", at=tree, **{name: name})[0].targets[0] for name in shape.words]
    for node in (*names, *words):
        node.ctx = gast.Param()
    spec.args = [*spec.args, *names]
    spec.kwonlyargs, spec.kw_defaults = (
        [*spec.kwonlyargs, *words],
        [*spec.kw_defaults, *[None] * len(words)],
    )
    spec.vararg = spec.kwarg = None
    _hand_on(made, shape)
    start = prologue(made.body)
    for name, code in _needed(made, shape):
        made.body[start:start] = template(code, at=tree, **_renaming(shape, name))
    return made


def _renaming(shape: Shape, name: str) -> dict[str, str]:
    return {one: one for one in (*shape.args, *shape.words, name)}


def _needed(tree: Tree, shape: Shape) -> list[tuple[str, str]]:
    """Return what makes the tuple and the dict that a function still reads."""
    read = {getattr(node, "id", "") for part in tree.body for node in walk(part)}
    found = []
    if shape.vararg and shape.vararg in read:
        held = "".join(f"{name}, " for name in shape.args)
        found.append((shape.vararg, f"{shape.vararg} = ({held})"))
    if shape.kwarg and shape.kwarg in read:
        held = ", ".join(f"'{name}': {name}" for name in shape.words)
        found.append((shape.kwarg, f"{shape.kwarg} = {{{held}}}"))
    return found


def _hand_on(tree: Tree, shape: Shape) -> None:
    """Write out `*args` and `**kwargs` in calls, where both are what the function was given."""
    inside = [node for part in tree.body for node in walk(part)]
    bound = {
        node.id
        for node in inside
        if type(getattr(node, "ctx", None)) is gast.Store
        if hasattr(node, "id")
    }
    handed = {id(node.value) for node in inside if type(node) is gast.keyword and node.arg is None}
    words = [node for node in inside if getattr(node, "id", None) == shape.kwarg]
    if not {shape.vararg, shape.kwarg}.isdisjoint(bound) or any(
        id(one) not in handed for one in words
    ):
        return
    for node in inside:
        match node:
            case gast.Call():
                node.args = [one for given in node.args for one in _positional(given, shape)]
                node.keywords = [one for given in node.keywords for one in _words(given, shape)]


def _positional(given: Tree, shape: Shape) -> list[Tree]:
    match given:
        case gast.Starred(value=gast.Name(id=name)) if name == shape.vararg:
            return [expression("x", at=given, x=one) for one in shape.args]
    return [given]


def _words(given: Tree, shape: Shape) -> list[Tree]:
    match given:
        case gast.keyword(arg=None, value=gast.Name(id=name)) if (
            shape.kwarg and name == shape.kwarg
        ):
            made = (expression(f"f({one}=x)", at=given, x=one) for one in shape.words)
            return [one.keywords[0] for one in made]
    return [given]
