"""A `with` around calls of a group, as a `try`: its blocks may be cut.

    with m() as x:                        manager = m()
        f(n)                              x = type(manager).__enter__(manager)
                                          try:
                                              f(n)
                                          except BaseException as error:
                                              if not type(manager).__exit__(manager, ...):
                                                  raise error
                                          else:
                                              type(manager).__exit__(manager, None, None, None)

In canonical form no `return`, `break` or `continue` leaves its body.  The `try`, and those that it
is cut into, have an attribute `managed`, the names of the managers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import gast

from .forms import blocks_of
from .guards import named
from .names import Names
from .template import expression, template
from .walking import walk

__all__ = ["Managing", "managed"]

Tree = Any
TRY = """
try:
    body
except BaseException:
    if not failed:
        raise error
else:
    ended
"""


class Managing(NamedTuple):
    """What stands for the calls of `__enter__` and `__exit__`.

    Attributes:
        holds: Called with the manager; returns what a frame holds for it.
        enters: Called with that.
        leaves: Called with that, with what was raised or None, and with a name that is not set
            behind the `with` if what was raised may end there; None where it may.
    """

    holds: Callable[[Any], Any]
    enters: Callable[[Any], Any]
    leaves: Callable[[Any, Any, Any], Any]


def managed(tree: Tree, names: Names, managing: Managing | None = None) -> None:
    """Write a `try` for each `with` of a function that has calls of members in it.

    Args:
        tree: The function; calls of members in it have an attribute `member`.
        names: Gives names for managers.
        managing: What to call; nothing: the methods themselves.
    """
    _Managed(names, managing).statements(tree)


class _Managed:
    """Writes the `with`s of one function."""

    def __init__(self, names: Names, managing: Managing | None) -> None:
        self.names, self.managing = names, managing

    def statements(self, node: Tree) -> None:
        """Write those in the statements of one, the inner ones first."""
        for body in filter(None, blocks_of(node)):
            for one in list(body):
                self.statements(one)
            body[:] = [new for one in body for new in self.written(one)]

    def written(self, node: Tree) -> list[Tree]:
        """Return a statement, or a `try` for it."""
        if type(node) is not gast.With or not any(hasattr(one, "member") for one in walk(node)):
            return [node]
        (item,) = node.items
        name = self.names.fresh("manager")
        held = item.context_expr
        if self.managing is not None:
            held = expression("f(x)", at=node, f=_constant(self.managing.holds, node), x=held)
        made: list[Tree] = template("m = value", at=node, m=name, value=held)
        value = self.entered(node, name)
        if item.optional_vars is None:
            made += template("value", at=node, value=value)
        else:
            made += template("x = value", at=node, x=item.optional_vars, value=value)
        made[0].comment = getattr(node, "comment", "")
        error = self.names.fresh("error")
        filled = {"body": node.body, "error": error, "ended": self.left(node, name, None)}
        made += template(TRY, at=node, failed=self.left(node, name, error), **filled)
        made[-1].orelse = template("value", at=node, value=made[-1].orelse[0].value)
        made[-1].handlers[0].name = named(error, node)
        made[-1].managed = (name,)
        if self.managing is not None:
            made[-1].handlers[0].body[0].test.leaves = True
        return made

    def entered(self, at: Tree, name: str) -> Tree:
        """Return a call of `__enter__`."""
        if self.managing is None:
            return expression("type(m).__enter__(m)", at=at, m=name)
        return expression("f(m)", at=at, f=_constant(self.managing.enters, at), m=name)

    def left(self, at: Tree, name: str, error: str | None) -> Tree:
        """Return a call of `__exit__`."""
        if self.managing is not None:
            given = "None" if error is None else "error"
            held = {"m": name} if error is None else {"m": name, "error": error}
            leaves = _constant(self.managing.leaves, at)
            return expression(f"f(m, {given}, None)", at=at, f=leaves, **held)
        if error is None:
            return expression("type(m).__exit__(m, None, None, None)", at=at, m=name)
        code = "type(m).__exit__(m, type(error), error, error.__traceback__)"
        return expression(code, at=at, m=name, error=error)


def _constant(value: Any, at: Tree) -> Tree:
    made = expression("None", at=at)
    made.value = value
    return made
