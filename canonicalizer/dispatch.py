"""A method of an object whose class the data decide, as a function that asks for the class.

    shape.area(n)                    def area(receiver, given):
                                         if type(receiver) is Square:
                                             returned = receiver.area(given)
                                         elif type(receiver) is Disk:
                                             returned = receiver.area(given)
                                         else:
                                             returned = receiver.area(given)
                                         return returned

The calls under a test are those of members of a group; the last one is of anything else.  Where
the methods are generators, it passes on what they yield.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

import gast

from .copies import copied
from .forms import is_starred
from .group import Member
from .scopes import kind_of
from .template import expression, template

__all__ = ["Option", "Tests", "can_dispatch", "choosing", "constructing", "dispatching"]


Tree = Any
#: What no argument of such a call may be named.
RESERVED = {
    None,
    "receiver",
    "itself",
    "returned",
    "method_",
    "cls",
    "hides",
    "hidden",
    "made",
    "other",
    "body",
    "name",
    "blank",
    "length",
    "own",
    "item",
    "closed",
    "value",
    "function",
    "chosen",
}
_TEST = """
if type(receiver) is cls:
    if hidden:
        foreign
    else:
        own
else:
    other"""
#: What a function returns, or a generator passes on.
_RETURNED = "returned = value"
_YIELDED = """
for item in value:
    yield item
    if closed:
        break"""


def can_dispatch(call: Tree) -> bool:
    """Tell whether the arguments of a call can be handed on: none has a star."""
    names = {one.arg for one in call.keywords}
    plain = RESERVED.isdisjoint(names) and not any(name.startswith("given_") for name in names)
    return plain and not any(map(is_starred, call.args))


def dispatching(
    call: Tree,
    method: str,
    options: Mapping[type, Member],
    hides: Callable[[Any, str], bool],
    tested: Callable[[Any], Any],
    length: Callable[[Any], int],
) -> Member:
    """Return a function that makes a call for what the method is of, its first argument.

    Args:
        call: The call, as `can_dispatch` has it: of a method, of an object, or `len(...)`.
        method: The name of the method.
        options: The member that it is, by the class of the object.
        hides: Tells whether the object itself has another thing by a name than its class.
        tested: Returns the object, as the test of its class says that it is.
        length: Returns what `len` makes of what `__len__` returns.
    """
    parameters, code, other = _written(call, method)
    generates = any(kind_of(member.tree).generator for member in options.values())
    local = (*parameters, "item", "closed") if generates else (*parameters, "returned")
    names = {**{name: name for name in local}, "method_": method}
    constants = {"hides": _constant(hides, call)}

    def given(value: Tree) -> list[Tree]:
        made = template(_YIELDED if generates else _RETURNED, at=call, **names, value=value)
        for node in made if generates else ():
            node.body[0].value.closed = "closed"
        return made

    foreign = given(expression(other, at=call, **names))
    body = list(map(copied, foreign))
    called: dict[int, Member] = {}
    for cls, member in list(options.items())[::-1]:
        constants["cls"] = _constant(cls, call)
        made = expression(code, at=call, **names)
        called[id(made)] = member
        hidden = expression(f"hides(receiver, {method!r})", at=call, **names, **constants)
        holes = {"hidden": hidden, "foreign": list(map(copied, foreign)), "own": given(made)}
        body = template(_TEST, at=call, **names, **constants, **holes, other=body)
    end = "return length(returned)" if method == "__len__" else "return returned"
    if method == "__contains__" and hasattr(call, "written"):
        end = "return not not returned"  # as `in` does
    end = "return None" if generates else end
    body += template(end, at=call, **names, length=_constant(length, call))
    if generates:
        body[:0] = template("closed = False", at=call, **names)
    head = f"def method_({', '.join(parameters)}):\n    body"
    (tree,) = template(head, at=call, **names, body=body)

    def callee(node: gast.Call) -> tuple[Member, list[Tree]] | None:
        member = called.get(id(node))
        if member is None:
            return None
        f = _constant(tested, call)
        return member, [expression("f(x)", at=call, f=f, x="receiver")]

    return Member(tree, callee=callee)


class Tests(NamedTuple):
    """What a function asks and does that chooses what to call.

    Attributes:
        is_of: Tells whether something is a method, and of an object.
        runs: Tells whether something is a method that runs a function.
        owner: Returns what such a method is of.
        chosen: Returns what runs a function, as the test says that it does.
        other: Returns what none of the tests was true of.
    """

    is_of: Callable[[Any, Any, Any], bool]
    runs: Callable[[Any, Any], bool]
    owner: Callable[[Any, Any], Any]
    chosen: Callable[[Any, Any], Any]
    other: Callable[[Any, Any, Any], Any]


class Option(NamedTuple):
    """What a call may run.

    Attributes:
        function: A function of Python.
        member: The member that it is.
        of: Whether it is the method of an object: of that which is the second argument ("own"), or
            of any ("any"); nothing where it is called as it is.
    """

    function: Any
    member: Member
    of: Literal["", "own", "any"]


def choosing(call: Tree, options: list[Option], tests: Tests) -> Member:
    """Return a function that calls its first argument, which may be one of some functions.

    Args:
        call: The call, as `can_dispatch` has it.
        options: The functions that it may be.
        tests: What is asked of them.
    """
    parameters, _, other = _written(call, "__call__")
    itself = "itself" if any(one.of == "own" for one in options) else "None"
    parameters[1:1] = ["itself"] if itself == "itself" else []
    names = {name: name for name in (*parameters, "returned")}
    asked = {"": None, "own": tests.is_of, "any": tests.runs}
    tried = tuple((one.function, asked[one.of]) for one in options)
    given = other.removeprefix("receiver")
    constants = {name: _constant(value, call) for name, value in tests._asdict().items()}

    def quoted(code: str, **holes: Any) -> Tree:
        used = {
            name: hole for name, hole in {**names, **constants, **holes}.items() if name in code
        }
        return expression(code, at=call, **used)

    last = quoted(f"other(receiver, tried, {itself}){given}", tried=_constant(tried, call))
    body = template("returned = last", at=call, returned="returned", last=last)
    called: dict[int, tuple[Member, list[Tree]]] = {}
    for function, member, of in options[::-1]:
        hole = {"function": _constant(function, call)}
        made = quoted(f"chosen(receiver, function){given}", **hole)
        test = quoted("receiver is function", **hole)
        called[id(made)] = member, []
        if of == "own":
            test = quoted("is_of(receiver, function, itself)", **hole)
            called[id(made)] = member, [expression("x", at=call, x="itself")]
        elif of == "any":
            test = quoted("runs(receiver, function)", **hole)
            called[id(made)] = member, [quoted("owner(receiver, function)", **hole)]
        code = "if test:\n    returned = made\nelse:\n    others"
        holes = {"test": test, "made": made, "others": body, "returned": "returned"}
        body = template(code, at=call, **holes)
    body += template("return returned", at=call, returned="returned")
    head = f"def chosen({', '.join(parameters)}):\n    body"
    (tree,) = template(head, at=call, **names, chosen="chosen", body=body)
    return Member(tree, callee=lambda node: called.get(id(node)))


def constructing(call: Tree, cls: type, init: Member, blank: Callable[[type], Any]) -> Member:
    """Return a function that makes an object of a class, as a call of the class does.

    Args:
        call: The call, as `can_dispatch` has it.
        cls: The class.
        init: Its `__init__`.
        blank: Makes an object of a class that holds nothing yet.
    """
    keywords = [one.arg for one in call.keywords]
    given = [f"given_{index}" for index in range(len(call.args))]
    names = {name: name for name in ("made", *given, *keywords)}
    passed = ", ".join([*given, *(f"{name}={name}" for name in keywords)])
    body = template(
        f"made = blank(cls)\nmade.__init__({passed})\nreturn made",
        at=call,
        **names,
        blank=_constant(blank, call),
        cls=_constant(cls, call),
    )
    head = f"def name({', '.join([*given, *keywords])}):\n    body"
    (tree,) = template(head, at=call, **names, name=cls.__name__, body=body)
    entered = body[1].value

    def callee(node: gast.Call) -> tuple[Member, list[Tree]] | None:
        return (init, [expression("x", at=call, x="made")]) if node is entered else None

    return Member(tree, callee=callee)


def _written(call: Tree, method: str) -> tuple[list[str], str, str]:
    """Return the parameters of the function, and a call of the method by its name and as it is."""
    keywords = [one.arg for one in call.keywords]
    given = [f"given_{index}" for index in range(len(call.args))]
    passed = ", ".join([*given, *(f"{name}={name}" for name in keywords)])
    if method == "__len__":
        return ["receiver"], "receiver.method_()", "len(receiver)"
    code = f"receiver.method_({passed})"
    if hasattr(call, "asked"):
        return ["receiver"], code, "receiver.method_"
    other = f"receiver({passed})" if method == "__call__" else getattr(call, "written", code)
    return ["receiver", *given, *keywords], code, other


def _constant(value: Any, at: Tree) -> Tree:
    made = expression("None", at=at)
    made.value = value
    return made
