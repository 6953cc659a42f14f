"""A comprehension becomes a function, defined just before the statement and called in place.

    y = [f(x) for x in xs if x]       def listcomp(iterable):
                                          result = []
                                          for x in iterable:
                                              if x:
                                                  result.append(f(x))
                                          return result
                                      y = listcomp(xs)

This is what Python does: the first iterable is evaluated in place, everything else in a scope of
its own, and only if the comprehension is reached at all. A generator expression becomes a generator
function, called with `iter(xs)`, since Python asks for the iterator at once. A name that a walrus
binds inside belongs to the function around: it is declared `nonlocal`, or `global` at module level.

A lambda with a comprehension in it becomes a function too, for lack of a place to define it:

    g = lambda x: [x for _ in y]      def function(x):
                                          def listcomp(iterable): …
                                          return listcomp(y)
                                      g = function
"""

from __future__ import annotations

from typing import Any

import gast

from .errors import UnsupportedSyntax
from .forms import body_of, is_constant, is_name, names_in
from .kinds import keep_kind
from .rewrite import Rewrite
from .scopes import COMPREHENSIONS, walrus_targets
from .template import expression, template
from .walking import ByType, by_type, walk

__all__ = ["Comprehensions", "function_of", "has_comprehension"]

COLLECT = "def name(iterable):\n    declare\n    result = empty\n    loop\n    return result"
GENERATE = "def name(iterable):\n    declare\n    loop"


class Comprehensions(Rewrite):
    """Writes every comprehension and generator expression as a function."""

    in_expressions = True
    makes_work = True
    declared = False  # some walrus needed a declaration

    @classmethod
    def concerns(cls, nodes: ByType) -> bool:
        return any(nodes[kind] for kind in COMPREHENSIONS)

    def visit_ListComp(self, node: gast.ListComp) -> Any:
        return self.define(node, "list", "[]", "result.append(item)", item=node.elt)

    def visit_SetComp(self, node: gast.SetComp) -> Any:
        self.names.builtin("set", node)
        return self.define(node, "set", "set()", "result.add(item)", item=node.elt)

    def visit_DictComp(self, node: gast.DictComp) -> Any:
        """A key is evaluated before its value, where an assignment would do it after."""
        code = "result[key] = item" if _has_plain_key(node) else "entry = key\nresult[entry] = item"
        return self.define(node, "dict", "{}", code, item=node.value, key=node.key)

    def visit_GeneratorExp(self, node: gast.GeneratorExp) -> Any:
        self.names.builtin("iter", node)
        return self.define(node, "generator", "", "yield item", item=node.elt)

    def define(self, node: Any, kind: str, empty: str, step: str, **parts: gast.expr) -> gast.expr:
        """Define the function that makes the items of a comprehension; return its call."""
        if any(clause.is_async for clause in node.generators):
            raise UnsupportedSyntax(node, "an asynchronous comprehension is not compiled")
        in_place = set(walk(node.generators[0].iter))
        for inner in walk(node):
            if _is_bare_super(inner) and inner not in in_place:
                why = "`super()` without arguments does not work in a comprehension in Python 3.11"
                raise UnsupportedSyntax(inner, why)
        first = self.visit(node.generators[0].iter)
        name = self.names.fresh("generator" if kind == "generator" else f"{kind}comp")
        (function,) = template("def name(): pass", at=node, name=name, comment=node)
        with self.names.scope(function):
            names = {
                hole: self.names.fresh(hole)
                for hole in ("iterable", "result", "entry")
                if hole in (COLLECT if empty else GENERATE) + step
            }
            loop = template(step, at=node, **names, **parts)
            loop = _loops(node, loop, names["iterable"])
            loop[0].entered = not empty
        holes = {"declare": self.declarations(node), "loop": loop, "name": name}
        if empty:
            holes["empty"] = expression(empty, at=node)
        (made,) = template(COLLECT if empty else GENERATE, at=node, **names, **holes)
        function.args, function.body, function.comprehension = made.args, made.body, kind
        self.before += self.visit(function)
        call = "name(first)" if empty else "name(iter(first))"
        return expression(call, at=node, name=name, first=first)

    def declarations(self, node: gast.expr) -> list[gast.stmt]:
        """Where the names live that a walrus in the comprehension binds."""
        targets = list(dict.fromkeys(target.id for target in walrus_targets(node)))
        around = next(s for s in reversed(self.names.scopes) if not hasattr(s, "comprehension"))
        declared = {
            name
            for statement in body_of(around)
            if isinstance(statement, gast.Global)
            for name in statement.names
        }
        statements = []
        self.declared = self.declared or bool(targets)
        for name in targets:
            at_module = isinstance(around, gast.Module) or name in declared
            word = "global" if at_module else "nonlocal"
            statements += template(f"{word} name", at=node, name=name)
        return statements

    def function(self, node: gast.FunctionDef) -> None:
        """A name that is only bound by a walrus in a comprehension is bound nowhere any more."""
        if self.declared:
            keep_kind(node)

    def visit_Lambda(self, node: gast.Lambda) -> Any:
        if not has_comprehension(node.body):
            return super().visit_Lambda(node)
        name = self.names.fresh("function")
        function = function_of(node, name)
        defaults = [d for d in [*node.args.defaults, *node.args.kw_defaults] if d is not None]
        if all(map(is_constant, defaults)):
            self.before += self.visit(function)
            return expression("name", at=node, name=name)
        self.names.scopes[-1].generated_names.discard(name)
        return self.factory(node, function)

    def factory(self, node: gast.Lambda, function: Any) -> gast.expr:
        """The call of a function that makes the function; the defaults are evaluated in place."""
        name = self.names.fresh("make_function")
        (maker,) = template("def name(): pass", at=node, name=name, comment=node)
        given: dict[str, gast.expr] = {}

        def parameter(default: gast.expr | None) -> gast.expr | None:
            if default is None:
                return None
            name = self.names.fresh("default")
            given[name] = default
            return expression("x", at=default, x=name)

        with self.names.scope(maker):
            self.names.scopes[-1].generated_names.add(function.name)
            arguments = function.args
            arguments.defaults = [parameter(default) for default in arguments.defaults]
            arguments.kw_defaults = [parameter(default) for default in arguments.kw_defaults]
        code = f"def name({', '.join(given)}):\n    inner\n    return x"
        (made,) = template(code, at=node, name=name, inner=[function], x=function.name)
        maker.args, maker.body = made.args, made.body
        self.before += self.visit(maker)
        call = expression("name()", at=node, name=name)
        call.args = [self.visit(default) for default in given.values()]
        return call


def _loops(node: Any, body: list[gast.stmt], iterable: str) -> list[gast.stmt]:
    """The loops and conditions of a comprehension around what it does with an item."""
    for clause in reversed(node.generators):
        for test in reversed(clause.ifs):
            body = template("if test:\n    body", at=test, test=test, body=body)
        source = iterable if clause is node.generators[0] else clause.iter
        body = template(
            "for target in source:\n    body",
            at=clause.target,
            target=clause.target,
            source=source,
            body=body,
        )
    return body


def _has_plain_key(node: gast.DictComp) -> bool:
    targets = names_in(*(clause.target for clause in node.generators))
    return is_constant(node.key) or (is_name(node.key) and node.key.id in targets)


def _is_bare_super(node: Any) -> bool:
    match node:
        case gast.Call(func=gast.Name(id="super"), args=[], keywords=[]):
            return True
    return False


def has_comprehension(node: gast.AST) -> bool:
    """Whether there is a comprehension anywhere in an expression."""
    return Comprehensions.concerns(by_type(node))


def function_of(node: gast.Lambda, name: str) -> Any:
    """A lambda written as a function."""
    (function,) = template(
        "def name():\n    return value", at=node, name=name, value=node.body, comment=node
    )
    function.args = node.args
    return function
