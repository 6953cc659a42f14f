"""One target for each assignment, and a name for what a `for` or a `with` gives.

    a, b = b, a                       new_a = b
                                      new_b = a
                                      a = new_a
                                      b = new_b

    a, *b = f()                       items = [*f()]
                                      if len(items) < 1:
                                          raise ValueError(…)
                                      a = items[0]
                                      b = items[1:]

    a = b.c = f()                     value = f()
                                      a = value
                                      b.c = value

    for i, x in xs:                   for item in xs:
        …                                 items = [*item]
                                          …

    with f() as a, g() as b.c:        with f() as a:
        …                                 with g() as value:
                                              b.c = value
                                              …

    del a, b                          del a
                                      del b

The right-hand side is evaluated once, values and targets from left to right. A wrong number of
items is Python's ValueError. (An iterator is read to its end, also where Python would stop at the
first item too many: seen only by who goes on using the iterator after the error.)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import gast

from .copies import copied
from .forms import is_constant, is_name, is_sequence, is_starred, names_in
from .rewrite import Rewrite
from .template import expression, template
from .walking import ByType

__all__ = ["Targets", "items_around"]

UNPACK = """
items = [*value]
if count != wanted:
    raise ValueError(
        "too many values to unpack (expected wanted)" if count > wanted
        else f"not enough values to unpack (expected wanted, got {count})"
    )
"""

UNPACK_STAR = """
items = [*value]
if count < wanted:
    raise ValueError(f"not enough values to unpack (expected at least wanted, got {count})")
"""


class Unpacks(NamedTuple):
    """How an assignment takes items of what is not a list, say; on the `*value` that it asks.

    Attributes:
        wanted: How many targets there are besides that with a star.
        before: How many stand before it, None if there is none: `a, b = it` asks for a third item
            and no further.
    """

    wanted: int
    before: int | None


class Targets(Rewrite):
    """Splits targets."""

    makes_work = True

    @classmethod
    def concerns(cls, nodes: ByType) -> bool:
        return (
            not all(_is_single(node.targets) for node in nodes[gast.Assign] + nodes[gast.Delete])
            or not all(is_name(node.target) for node in nodes[gast.For])
            or bool(nodes[gast.With])
        )

    def visit_Assign(self, node: gast.Assign) -> Any:
        self.generic_visit(node)
        if _is_single(node.targets):
            return node
        if len(node.targets) == 1:
            statements = self.store(node.targets[0], node.value, node) or template("pass", at=node)
        else:
            statements = self.store_all(node)
        statements[0].comment = node.origin
        return statements

    def store_all(self, node: gast.Assign) -> list[gast.stmt]:
        """A chained assignment."""
        value = node.value
        start: list[gast.stmt] = []
        if not self.is_stable(value, names_in(*node.targets)):
            name = self.names.fresh("value")
            start = template("name = value", at=node, name=name, value=value)
            value = expression("name", at=node.value, name=name)
        stores = [self.store(target, copied(value), node) for target in node.targets]
        return start + [statement for store in stores for statement in store]

    def store(self, target: gast.expr, value: gast.expr, at: gast.AST) -> list[gast.stmt]:
        """Statements that assign a value to a target of any kind."""
        if not is_sequence(target):
            return template("target = value", at=at, target=target, value=value)
        pairs = _pairs(target, value)
        if pairs is None:
            return self.unpack(target, value, at)
        if len(pairs) == 1 or all(is_constant(part) for _, part in pairs):
            return [line for pair in pairs for line in self.store(*pair, at)]
        first, then = [], []
        for inner, part in pairs:
            if not is_constant(part):
                base = f"new_{inner.id}" if is_name(inner) else "value"
                name = self.names.fresh(base)
                first += template("name = part", at=part, name=name, part=part)
                part = expression("name", at=part, name=name)
            then += self.store(inner, part, inner)
        return first + then

    def unpack(self, target: Any, value: gast.expr, at: gast.AST) -> list[gast.stmt]:
        """Assign the items of an iterable, as many as there must be."""
        self.names.builtin("ValueError", at)
        items = self.names.fresh("items")
        stars = list(map(is_starred, target.elts))
        statements = template(
            (UNPACK_STAR if any(stars) else UNPACK).replace("wanted", str(stars.count(False))),
            at=at,
            items=items,
            value=value,
            count=self.length_of(items, at),
        )
        before = stars.index(True) if any(stars) else None
        statements[0].value.elts[0].unpacks = Unpacks(stars.count(False), before)
        for inner, where in zip(target.elts, items_around(stars), strict=True):
            inner = inner.value if is_starred(inner) else inner
            statements += self.store(inner, expression(where, at=inner, items=items), inner)
        return statements

    def length_of(self, items: str, at: gast.AST) -> gast.expr:
        """How many items there are, also where the program has its own `len`."""
        code = "items.__len__()" if "len" in self.names.bound else "len(items)"
        return expression(code, at=at, items=items)

    def visit_For(self, node: gast.For) -> Any:
        self.generic_visit(node)
        node.target, stores = self.through_name(node.target, "item")
        node.body = stores + node.body
        return node

    def through_name(self, target: Any, base: str) -> tuple[Any, list[gast.stmt]]:
        """A name that can be given a target's value, and what stores it in the target from there.

        What is a name already, or absent, stays.
        """
        if target is None or is_name(target):
            return target, []
        name = self.names.fresh(base)
        stores = self.store(target, expression("name", at=target, name=name), target)
        stores[0].comment = target.origin
        (new,) = template("name = 0", at=target, name=name)[0].targets
        return new, stores

    def visit_With(self, node: gast.With) -> Any:
        self.generic_visit(node)
        body = node.body
        for item in reversed(node.items):
            item.optional_vars, stores = self.through_name(item.optional_vars, "value")
            body = stores + body
            (around,) = template("with x:\n    body", at=node, x=item.context_expr, body=body)
            around.items = [item]
            body = [around]
        return body

    def visit_Delete(self, node: gast.Delete) -> Any:
        self.generic_visit(node)
        targets = [inner for target in node.targets for inner in _leaves(target)]
        if len(targets) == 1 and targets == node.targets:
            return node
        gone = [line for inner in targets for line in template("del x", at=inner, x=inner)]
        return gone or template("pass", at=node)


def items_around(stars: list[bool]) -> list[str]:
    """How to read each item of `items`, where at most one stands for any number of them."""
    if True not in stars:
        return [f"items[{index}]" for index in range(len(stars))]
    star, after = stars.index(True), range(stars.index(True) + 1 - len(stars), 0)
    before = [f"items[{index}]" for index in range(star)]
    return [*before, f"items[{star}:{after.start or ''}]", *(f"items[{index}]" for index in after)]


def _is_single(targets: list[gast.expr]) -> bool:
    return len(targets) == 1 and not is_sequence(targets[0])


def _leaves(target: gast.expr) -> list[gast.expr]:
    if is_sequence(target):
        return [leaf for inner in target.elts for leaf in _leaves(inner)]
    return [target]


def _pairs(target: Any, value: Any) -> list[tuple[Any, Any]] | None:
    """Targets and the expressions they get, where a literal shows which; else None."""
    if not is_sequence(value) or len(value.elts) != len(target.elts):
        return None
    if any(map(is_starred, [*target.elts, *value.elts])):
        return None
    found: list[tuple[Any, Any]] = []
    for inner, part in zip(target.elts, value.elts, strict=True):
        nested = _pairs(inner, part) if is_sequence(inner) else None
        found += [(inner, part)] if nested is None else nested
    return found
