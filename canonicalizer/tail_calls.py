"""One turn of a function that calls itself as the last thing it does.

    def f(x, n):                      def f(x, n):
        if n <= 0:                        if n <= 0:
            return x                          return (False, x, (undef, undef))
        return f(x * 2, n - 1)            return (True, undef, (x * 2, n - 1))

A turn says whether there is another one, the result if there is none, and the arguments if there
is.  `undef` is no value of the program.  A call under an operator, in a `try` or in a `with` is not
the last thing that the function does: it stays a call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import gast

from .copies import copied
from .flow import falls_through
from .forms import blocks_of, is_starred
from .locations import complete
from .scopes import parameters_of
from .template import expression, template

__all__ = ["turn_of"]

Tree = Any


def turn_of(
    tree: gast.FunctionDef, is_self: Callable[[gast.expr], bool], defaults: Mapping[str, Any]
) -> gast.FunctionDef | None:
    """Return one turn of a function, which takes all its arguments by position.

    Args:
        tree: A function as it is written; it is left as it is.
        is_self: Tells whether the expression that is called is the function itself.
        defaults: Plain values that arguments have where they are left out.

    Returns:
        A function that is not canonical yet; None if no call is the last thing it does.
    """
    spec = tree.args
    if spec.vararg is not None or spec.kwarg is not None:
        return None
    new: gast.FunctionDef = copied(tree)
    complete(new)
    spec = new.args
    spec.posonlyargs, spec.args, spec.kwonlyargs = (
        [],
        [*spec.posonlyargs, *spec.args, *spec.kwonlyargs],
        [],
    )
    spec.defaults, spec.kw_defaults, new.decorator_list = [], [], []
    positional = len(tree.args.posonlyargs) + len(tree.args.args)
    turns = _Turns(parameters_of(spec), positional, is_self, defaults)
    if falls_through(new.body):
        new.body += template("return None", at=new.body[-1])
    new.body = turns.block(new.body, last=True)
    return new if turns.found else None


class _Turns:
    """Writes the returns of one function."""

    def __init__(
        self,
        names: list[str],
        positional: int,
        is_self: Callable[[gast.expr], bool],
        defaults: Mapping[str, Any],
    ) -> None:
        self.names, self.positional = names, positional
        self.is_self, self.defaults = is_self, defaults
        self.found = False

    def block(self, body: list[Any], *, last: bool) -> list[Any]:
        """Write the returns in a block; `last` says that nothing runs after one of them."""
        for statement in body:
            self.statement(statement, last=last)
        return body

    def statement(self, node: Any, *, last: bool) -> None:
        """Write the returns in a statement."""
        match node:
            case gast.Return():
                value = node.value or expression("None", at=node)
                node.value = self.result(value) if last else self.end(value)
                return
            case gast.FunctionDef() | gast.AsyncFunctionDef() | gast.ClassDef():
                return
            case gast.Try() | gast.With():
                last = False
        for block in blocks_of(node):
            self.block(block, last=last)

    def result(self, value: Any) -> Any:
        """What a turn gives where the function returns `value`."""
        arguments = None
        match value:
            case gast.IfExp():
                value.body, value.orelse = self.result(value.body), self.result(value.orelse)
                return value
            case gast.Call() if self.is_self(value.func):
                arguments = self.arguments(value)
        if arguments is None:
            return self.end(value)
        self.found = True
        return self.tuple_of(value, True, _undef(value), arguments)

    def end(self, value: Any) -> Any:
        """What a turn gives where there is no other one."""
        return self.tuple_of(value, False, value, [_undef(value) for _ in self.names])

    def tuple_of(self, at: Any, again: bool, value: Any, arguments: list[Any]) -> Any:
        made = expression(f"({again}, value, ())", at=at, value=value)
        made.elts[2].elts = arguments
        return made

    def arguments(self, call: gast.Call) -> list[Any] | None:
        """Return the arguments of a call of the function itself by position, or None."""
        given = self.receiver(call.func) + call.args
        if len(given) > self.positional or any(map(is_starred, given)):
            return None
        positions = [*range(len(given))]
        for keyword in call.keywords:
            if keyword.arg not in self.names:
                return None
            positions.append(self.names.index(keyword.arg))
        if positions != sorted(set(positions)):
            return None  # evaluated in another order, or twice the same: an error
        values = dict(zip(positions, [*given, *(k.value for k in call.keywords)], strict=True))
        left = [n for i, n in enumerate(self.names) if i not in values and n not in self.defaults]
        if left:
            return None
        return [
            values[i] if i in values else _constant(self.defaults[name], call)
            for i, name in enumerate(self.names)
        ]

    def receiver(self, function: Any) -> list[Any]:
        """Return the argument that a method gets by being called on it."""
        return [function.value] if isinstance(function, gast.Attribute) else []


def _constant(value: Any, at: Any) -> Any:
    made = expression("None", at=at)
    made.value = value
    return made


def _undef(at: Any) -> Any:
    made = expression("None", at=at)
    made.undef = True
    return made
