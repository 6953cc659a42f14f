"""The functions that call each other, and how a call of one gives its arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import gast

from .errors import Unframed
from .forms import is_name, is_starred, names_in
from .scopes import kind_of, own_nodes
from .template import expression

__all__ = ["Called", "Default", "Kept", "Member", "arguments_of", "calls_of", "members_of"]

Tree = Any


def constant(value: Any, at: Tree) -> Tree:
    """Return a constant, which may hold any object."""
    made = expression("None", at=at)
    made.value = value
    return made


class Default(NamedTuple):
    """Where a function holds the object that a parameter is which a call leaves out.

    Attributes:
        function: The function.
        place: Its index, or the name of a parameter that is given by name alone.
    """

    function: Any
    place: int | str

    @property
    def held(self) -> Any:
        """The object."""
        if type(self.place) is int:
            return self.function.__defaults__[self.place]
        return self.function.__kwdefaults__[self.place]

    def read(self, at: Tree) -> Tree:
        """Return what reads it."""
        held = "__defaults__" if type(self.place) is int else "__kwdefaults__"
        made = expression(f"f.{held}[{self.place!r}]", at=at, f=constant(self.function, at))
        made.default = self
        return made


@dataclass(frozen=True)
class Kept:
    """Where a function that the program makes holds such an object: what it is called by tells.

    Attributes:
        function: What names it in every walk.
        place: As of a `Default`.
        held: The object.
        reader: Returns what is held by what it is called by.
    """

    function: int
    place: int | str
    held: Any = field(compare=False)
    reader: Any = field(compare=False)

    def read(self, at: Tree) -> Tree:
        """Return what reads it at a call of a name."""
        made = expression("read(f, place)", at=at, f=at.func.id, place=constant(self.place, at))
        made.func = constant(self.reader, at)
        made.default = self
        return made


@dataclass(eq=False)
class Member:
    """One function of a group.

    Attributes:
        tree: Its canonical form.
        defaults: What parameters hold that a call leaves out: values that are the same in every
            walk, or where the function holds them.
        callee: Returns the member that a call in its body is of, and the argument that it gets by
            being called on something; None where it calls anything else.
        chosen: Returns the same for a call of what a name of a function inside holds.
        builtin: Tells whether a name that is not local stands for Python's own builtin.
        makes: Tells whether a call is of a function of numpy whose result is a new array.
        cells: What the names of functions around it stand for.
        outside: The parameters that hold a default where the function is called from outside of the
            group, and that is an object.
        program: What the tree is of, if it is one of the program.
    """

    tree: gast.FunctionDef
    defaults: Mapping[str, Any] = field(default_factory=dict)
    callee: Callable[[gast.Call], tuple[Member, list[Tree]] | None] = lambda call: None
    chosen: Callable[[gast.Call], tuple[Member, list[Tree]] | None] = lambda call: None
    builtin: Callable[[str], bool] = lambda name: True
    makes: Callable[[gast.Call], bool] = lambda call: False
    cells: Mapping[str, Any] = field(default_factory=dict)
    outside: frozenset[str] = frozenset()
    program: Any = None

    @property
    def parameters(self) -> list[str]:
        """The names of the parameters, those by position first."""
        spec = self.tree.args
        return [node.id for node in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)]


class Called(NamedTuple):
    """A call of a member.

    Attributes:
        call: The call.
        member: What it calls.
        receiver: The argument that this gets by being called on something, if any.
        hidden: The names that are others than the function's where the call stands.
    """

    call: gast.Call
    member: Member
    receiver: list[Tree]
    hidden: frozenset[str]


def calls_of(member: Member) -> list[Called]:
    """The calls of members that a member makes, those in functions inside too."""
    found: list[Called] = []
    scopes = [(member.tree, frozenset[str]())]
    while scopes:
        scope, hidden = scopes.pop(0)
        for node in own_nodes(scope):
            match node:
                case gast.Call(func=called):
                    plain = hidden.isdisjoint(names_in(called))
                    callee = member.callee(node) if plain else member.chosen(node)
                    if callee is not None:
                        found.append(Called(node, *callee, hidden))
                case gast.FunctionDef() | gast.Lambda():
                    scopes.append((node, hidden | kind_of(node).locals))
                case gast.ClassDef():
                    scopes.append((node, hidden))
    return found


def members_of(entry: Member) -> list[Member]:
    """The members that calls of one lead to and that lead back to it, this one first."""
    calls: dict[Member, list[Member]] = {}
    todo = [entry]
    while todo:
        member = todo.pop()
        if member not in calls:
            calls[member] = [one.member for one in calls_of(member)]
            todo += calls[member]
    back = {entry}
    while grown := {m for m, called in calls.items() if back.intersection(called)} - back:
        back |= grown
    return [member for member in calls if member in back]


def arguments_of(member: Member, receiver: list[Tree], call: Tree) -> list[tuple[str, Tree]]:
    """The arguments of a call by parameter, in the order in which they are evaluated.

    Raises:
        Unframed: They are not known by the text of the call alone.
    """
    spec = member.tree.args
    if spec.vararg is not None or spec.kwarg is not None:
        raise Unframed(call, "it is of a function with `*args` or `**kwargs`")
    given = [*receiver, *call.args]
    positional = [node.id for node in (*spec.posonlyargs, *spec.args)]
    named = [(keyword.arg, keyword.value) for keyword in call.keywords]
    if any(map(is_starred, given)) or any(name is None for name, _ in named):
        raise Unframed(call, "this call has a star")
    found = [*zip(positional, given, strict=False), *named]
    names = [name for name, _ in found]
    allowed = {*positional[len(given) :], *(node.id for node in spec.kwonlyargs)}
    if len(given) > len(positional) or not allowed.issuperset(names[len(given) :]):
        raise Unframed(call, "the arguments of this call do not fit")
    for name in member.parameters:
        if name not in names:
            if name not in member.defaults:
                raise Unframed(call, "the arguments of this call do not fit")
            default = member.defaults[name]
            if type(default) is Kept and not is_name(call.func):
                why = f"`{name}` is an object that the program makes, where this call leaves it out"
                raise Unframed(call, why)
            if type(default) in (Default, Kept):
                found.append((name, default.read(call)))
                continue
            found.append((name, constant(default, call)))
    if len(found) != len(member.parameters):
        raise Unframed(call, "the arguments of this call do not fit")
    return found
