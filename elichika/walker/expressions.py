"""The expressions of a canonical program."""

from __future__ import annotations

import operator
import re
import sys
from collections.abc import Callable
from functools import partial, reduce
from typing import Any

import gast

from elichika.lowerings.python import named
from elichika.values.symbolic import UNDEF, Choice, Scalar, Seq, Text
from elichika.walker.branches import Branches
from elichika.walker.containers.gathering import Gathering
from elichika.walker.containers.lists import Lists
from elichika.walker.generators import Generators
from elichika.walker.objects.attributes import Attributes
from elichika.walker.operators import COMPARISONS, OPERATORS, UNARY
from elichika.walker.scopes import Scopes
from elichika.walker.starred_calls import StarredCalls
from elichika.walker.visits import Visits
from elichika.walker.walk import Walk

#: What `!s`, `!r` and `!a` in an f-string do.
CONVERSIONS: dict[int, Callable[[Any], str]] = {115: str, 114: repr, 97: ascii}


#: Of more constants than these Python makes a set by way of a frozenset.
MOST_ADDED = 2
#: Of such constants Python keeps one object.
_NAME = re.compile(r"\w*", re.ASCII)


class Expressions:
    """The part of the walker that visits expressions."""

    def __init__(
        self,
        w: Walk,
        visits: Visits,
        scopes: Scopes,
        branches: Branches,
        lists: Lists,
        gathering: Gathering,
        spreads: StarredCalls,
        attributes: Attributes,
        generators: Generators,
    ) -> None:
        self.w = w
        self.visits = visits
        self.scopes = scopes
        self.branches = branches
        self.lists = lists
        self.gathering = gathering
        self.spreads = spreads
        self.attributes = attributes
        self.generators = generators

    def visit_Constant(self, node: Any) -> Any:
        if getattr(node, "undef", False):
            return UNDEF
        value = node.value
        return sys.intern(value) if type(value) is str and _NAME.fullmatch(value) else value

    def visit_Name(self, node: Any) -> Any:
        held = self.scopes.load(node.id)
        return self.w.choices.tested(held) if hasattr(node, "tested") else held

    def visit_NamedExpr(self, node: Any) -> Any:
        value = self.visits.visit(node.value)
        self.scopes.bind(node.target.id, value)
        return value

    def visit_Tuple(self, node: Any) -> Any:
        if any(isinstance(item, gast.Starred) for item in node.elts):
            items = self.w.items_of(self._display(node.elts))
            return self.w.sequences.new_tuple(items) if isinstance(items, Seq) else items
        return tuple(self._elements(node.elts))

    def visit_List(self, node: Any) -> Any:
        return self._display(node.elts)

    def _display(self, nodes: list[Any]) -> list[Any]:
        """Return a list of items, among which there may be `*others` of any length."""
        made = self.w.new_list(())
        for node in nodes:
            value = self.visits.visit(node)
            if isinstance(node, gast.Starred):
                self.lists.extend(made, value)
            else:
                self.lists.append(made, value)
        return made

    def visit_Set(self, node: Any) -> Any:
        items = self._display(node.elts)
        made = self.w.call(set, [items], {})
        if gast.Starred in map(type, node.elts):
            self.w.tables.sets.forget_order(made)
        elif self._is_constant(self.w.items_of(items)):
            self.w.tables.sets.order_constants(made)
        return made

    def _is_constant(self, items: Any) -> bool:
        """Tell whether items may be constants that Python makes a frozenset of first."""
        return len(items) > MOST_ADDED and not self.w.is_symbolic(items)

    def visit_Dict(self, node: Any) -> Any:
        made, pairs = self.w.new_dict({}), list[tuple[Any, Any]]()
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                spread = self.w.narrow(self.visits.visit(value))
                if type(spread) is Choice or self.w.tables.of(spread) is not None:
                    self.w.call(dict.update, [self.w.tables.stores.fill(made, pairs), spread], {})
                    pairs = []
                else:
                    pairs += self.gathering.mapping_items(spread).items()
                continue
            name = self.visits.visit(key)
            pairs.append((name, self.visits.visit(value)))
        return self.w.tables.stores.fill(made, pairs)

    def _elements(self, nodes: list[Any]) -> list[Any]:
        """Return the items, of a known number."""
        items: list[Any] = []
        for node in nodes:
            if isinstance(node, gast.Starred):
                items.extend(self.w.static_items(self.visits.visit(node.value)))
            else:
                items.append(self.visits.visit(node))
        return items

    def visit_JoinedStr(self, node: Any) -> Any:
        parts = [self.visits.visit(part) for part in node.values]
        if {*map(type, parts)} <= {str}:
            return "".join(parts)
        if Choice in map(type, parts) and not self.w.prints.enabled:
            return reduce(partial(self.w.binary, operator.add), parts)
        return Text(named.joined(parts).parts, self.w.prints.made("join", *parts))

    def visit_FormattedValue(self, node: Any) -> Any:
        value = self.visits.visit(node.value)
        convert = CONVERSIONS.get(node.conversion)
        if convert is not None:
            value = self.w.call(convert, [value], {})
        spec = "" if node.format_spec is None else self.visits.visit(node.format_spec)
        return self.w.call(format, [value, spec], {})

    def visit_Lambda(self, node: Any) -> Any:
        return self.scopes.make_closure(node)

    def visit_Starred(self, node: Any) -> Any:
        value = self.visits.visit(node.value)
        how = getattr(node, "unpacks", None)
        return value if how is None else self.gathering.unpacked(value, how)

    def visit_Slice(self, node: Any) -> Any:
        parts = [
            None if p is None else self.visits.visit(p) for p in (node.lower, node.upper, node.step)
        ]
        for part in parts:
            if part is UNDEF:
                self.w.undefined(part, "an end of this slice", UnboundLocalError)
        return slice(*parts)

    def visit_IfExp(self, node: Any) -> Any:
        test = self.visits.truth(node.test)
        self.branches.note_branch(node.test, test)
        return self.w.branch(
            test, lambda: self.visits.visit(node.body), lambda: self.visits.visit(node.orelse)
        )

    def visit_BoolOp(self, node: Any) -> Any:
        return self._lazy(isinstance(node.op, gast.And), node.values)

    def _lazy(self, conjunction: bool, nodes: list[Any]) -> Any:
        value = self.visits.visit(nodes[0])
        if len(nodes) == 1:
            return value
        test = self.w.truth(value)
        if not isinstance(test, Scalar):
            return self._lazy(conjunction, nodes[1:]) if bool(test) == conjunction else value
        if isinstance(value, Scalar) and value.type is bool:
            value = not conjunction

        def rest() -> Any:
            return self._lazy(conjunction, nodes[1:])

        if conjunction:
            return self.w.branch(test, rest, lambda: value)
        return self.w.branch(test, lambda: value, rest)

    def visit_UnaryOp(self, node: Any) -> Any:
        operand = self.visits.visit(node.operand)
        if isinstance(node.op, gast.Not):
            return self.w.not_(operand)
        return self.w.unary(UNARY[type(node.op).__name__], operand)

    def visit_BinOp(self, node: Any) -> Any:
        left = self.visits.visit(node.left)
        right = self.visits.visit(node.right)
        return self.w.binary(OPERATORS[type(node.op).__name__], left, right)

    def visit_Compare(self, node: Any) -> Any:
        left = self.visits.visit(node.left)
        right = self.visits.visit(node.comparators[0])
        name = type(node.ops[0]).__name__
        if name in ("Is", "IsNot"):
            same = self.w.identical(left, right)
            return same if name == "Is" else self.w.not_(same)
        if name in ("In", "NotIn"):
            found = self.w.contains(right, left)
            return found if name == "In" else self.w.not_(found)
        return self.w.binary(COMPARISONS[name], left, right)

    def visit_Subscript(self, node: Any) -> Any:
        obj = self.visits.visit(node.value)
        return self.w.get_item(obj, self.visits.visit(node.slice))

    def visit_Attribute(self, node: Any) -> Any:
        return self.w.get_attribute(
            self.visits.visit(node.value), self.attributes.mangled(node.attr)
        )

    def visit_Call(self, node: Any) -> Any:
        function = self.visits.visit(node.func)
        args: list[Any] = []
        for argument in node.args:
            if isinstance(argument, gast.Starred):
                args.extend(self.spreads.spread(self.visits.visit(argument.value)))
            else:
                args.append(self.visits.visit(argument))
        named = [(keyword.arg, self.visits.visit(keyword.value)) for keyword in node.keywords]
        return self._called(function, args, {}, named)

    def _called(
        self, function: Any, args: list[Any], kwargs: dict[str, Any], named: list[Any]
    ) -> Any:
        """Call a function with more arguments by names; without one, a mapping of such."""
        for number, (name, value) in enumerate(named):
            mapping = self.w.narrow(value) if name is None else None
            if type(mapping) is Choice:
                called, after = partial(self._called, function, args), named[number + 1 :]

                def of_one(one: Any, called: Any = called, after: Any = after) -> Any:
                    return called(dict(kwargs), [(None, one), *after])

                return self.w.choices.apply(mapping, of_one)
            more = {name: value} if name else self.gathering.mapping_items(mapping)
            self._require_apart(kwargs, more)
            kwargs.update(more)
        return self.w.call(function, args, kwargs)

    def _require_apart(self, given: dict[str, Any], more: dict[str, Any]) -> None:
        """Raise the TypeError of an argument that is given twice, or has no name."""
        for name in more:
            if type(name) is not str:
                self.w.raise_static(TypeError("keywords must be strings"))
            if name in given:
                self.w.raise_static(TypeError(f"multiple values for keyword argument '{name}'"))

    def visit_Yield(self, node: Any) -> Any:
        value = None if node.value is None else self.visits.visit(node.value)
        self.generators.yielded(value, getattr(node, "closed", None))

    def visit_YieldFrom(self, node: Any) -> Any:
        """Yield what another generator does, and give what that returns."""
        generator = self.generators.delegated(self.visits.visit(node.value))
        return self.w.consume(generator, self.generators.yielded)
