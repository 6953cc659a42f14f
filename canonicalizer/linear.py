"""Expressions with calls in them, one call after the other.

    f(a.b, g(x)) + h(y)          kept = a.b
                                 result = g(x)
                                 kept_1 = f(kept, result)
                                 result = h(y)
                                 kept_1 + result

where `g` and `h` are members of the group.  A constant is not kept, nor a local name, which the
call cannot change; a function is looked up by its name when it is called.
"""

from __future__ import annotations

from typing import Any

import gast

from .copies import copied
from .errors import Unframed
from .forms import is_constant, is_name, walruses_in
from .names import Names, bound_in
from .scopes import kind_of
from .template import expression, template
from .unset import tested
from .walking import by_type, walk

__all__ = ["Linear"]

Tree = Any
#: The parts of an expression in the order in which Python evaluates them.
PARTS: dict[type, tuple[str, ...]] = {
    gast.Attribute: ("value",),
    gast.BinOp: ("left", "right"),
    gast.Call: ("func", "args", "keywords"),
    gast.Compare: ("left", "comparators"),
    gast.FormattedValue: ("value", "format_spec"),
    gast.JoinedStr: ("values",),
    gast.List: ("elts",),
    gast.Set: ("elts",),
    gast.Slice: ("lower", "upper", "step"),
    gast.Starred: ("value",),
    gast.Subscript: ("value", "slice"),
    gast.Tuple: ("elts",),
    gast.UnaryOp: ("operand",),
    gast.keyword: ("value",),
}


#: What marks an expression for which statements stand before: a call of a member is one.
CUT = frozenset({"member", "inlined", "unset"})


class _Entries(gast.expr):  # type: ignore[misc]
    """The `**mapping` of a dict display."""

    _fields = ("mapping",)


PARTS[_Entries] = ("mapping",)


def _entry(key: Tree, value: Tree) -> Tree:
    """Return what a dict display evaluates for a key: it has none for `**mapping`."""
    if key is not None:
        return value
    made = _Entries(value)
    made.__dict__.update(lineno=value.lineno, col_offset=value.col_offset)
    return made


class Linear:
    """Writes expressions into a list of statements; what calls a member is left to `called`."""

    def __init__(self, trees: list[Tree], names: Names, result: str) -> None:
        self.names, self.result = names, result
        self.current: list[Tree] = []
        self.bound = {name for tree in trees for name in bound_in(by_type(tree))}
        nodes = by_type(gast.Module(body=trees, type_ignores=[]))
        stored = [node for node in nodes[gast.Attribute] if type(node.ctx) is not gast.Load]
        self.stored = {node.attr for node in stored}
        declared = nodes[gast.Global] + nodes[gast.Nonlocal]
        self.shared = {name for node in declared for name in node.names}
        self.locals: set[str] = set()
        self._calls: dict[int, bool] = {}

    def tree(self, tree: Tree) -> None:
        """Go on with the body of another function."""
        self.locals = kind_of(tree).locals
        nodes = by_type(tree)
        for node in nodes[gast.FunctionDef] + nodes[gast.Lambda]:
            for inner in [] if node is tree else walk(node):
                if hasattr(inner, "member"):
                    why = "this call stands in a function or comprehension inside"
                    raise Unframed(inner, why)

    def called(self, call: Tree) -> Tree:
        """Make a call of a member; return its result, to be read at once."""
        raise NotImplementedError

    def has_call(self, node: Tree) -> bool:
        """Whether a member is called in a statement or expression, or it has to be cut else."""
        if not isinstance(node, gast.AST):
            return True
        return any(not CUT.isdisjoint(one.__dict__) for one in walk(node))

    def value(self, node: Tree) -> Tree:
        """Return an expression without calls of members for one, to be evaluated at once."""
        if node is None or not self.has_call(node):
            return node
        if hasattr(node, "member"):
            return self.called(node)
        if hasattr(node, "unset"):
            self.current += tested(node)
            return node
        if hasattr(node, "inlined"):
            self.inline([copied(one) for one in node.inlined.body])
            return expression("result", at=node, result=node.inlined.result)
        match node:
            case gast.BoolOp():
                return self.shortcut(node)
            case gast.IfExp():
                return self.chosen(node)
            case gast.Dict():
                pairs = zip(node.keys, map(_entry, node.keys, node.values), strict=True)
                parts = self.operands([part for pair in pairs for part in pair])
                values = [getattr(one, "mapping", one) for one in parts[1::2]]
                node.keys, node.values = parts[::2], values
                return node
            case gast.NamedExpr():
                name = node.target.id
                assigned = template("x = value", at=node, x=name, value=self.value(node.value))
                self.current += assigned
                return expression("x", at=node, x=name)
        fields = PARTS.get(type(node))
        if fields is None:
            raise Unframed(node, "this call stands where none can be cut out")
        return self.parts(node, fields)

    def parts(self, node: Tree, fields: tuple[str, ...]) -> Tree:
        """Evaluate the parts of an expression from left to right."""
        held = [getattr(node, name) for name in fields]
        lists = [type(part) is list for part in held]
        flat = [one for part in held for one in (part if type(part) is list else [part])]
        done = iter(self.operands(flat, called=isinstance(node, gast.Call)))
        for name, part, is_list in zip(fields, held, lists, strict=True):
            new = [next(done) for _ in part] if is_list else next(done)
            setattr(node, name, new)
        return node

    def operands(self, nodes: list[Tree], *, called: bool = False) -> list[Tree]:
        """Return expressions for some that are evaluated one after the other.

        Args:
            nodes: The expressions; a part that is not there is None.
            called: The first one is what is called then.
        """
        last = max((i for i, node in enumerate(nodes) if self.calls_in(node)), default=-1)
        found: list[Tree] = []
        for index, node in enumerate(nodes):
            if index > last:
                found.append(node)
                continue
            value = self.value(node)
            if index == last:
                found.append(value)
                continue
            later = {name for one in nodes[index + 1 :] if one for name in walruses_in(one)}
            if called and index == 0:
                found.append(self.function(value, later))
            else:
                found.append(value if self.is_stable(value, later) else self.kept(value))
        return found

    def calls_in(self, node: Tree) -> bool:
        """Whether a part is there and calls a member."""
        return node is not None and self.has_call(node)

    def is_stable(self, node: Tree, rebound: set[str]) -> bool:
        """Whether an expression gives the same after a call: a constant, or a local name."""
        if node is None or is_constant(node):
            return True
        if not is_name(node) or node.id in rebound or node.id == self.result:
            return False
        return node.id not in self.shared and (
            node.id in self.locals or node.id in self.names.scopes[-1].generated_names
        )

    def is_fixed(self, node: Tree, loop: Tree) -> bool:
        """Whether an expression gives the same at each turn of a loop."""
        return self.is_stable(node, bound_in(by_type(loop)))

    def function(self, node: Tree, rebound: set[str]) -> Tree:
        """Return what is called after calls of members in its arguments.

        It is looked up then, which is the same as before where nobody gives its name another
        meaning.
        """
        match node:
            case gast.Attribute(attr=attr) if attr not in self.stored:
                node.value = self.function(node.value, rebound)
                return node
            case gast.Name(id=name) if name not in self.bound | self.shared:
                return node
        return node if self.is_stable(node, rebound) else self.kept(node)

    def kept(self, node: Tree) -> Tree:
        """Evaluate an expression here; return the name that holds it."""
        name = self.names.fresh("kept")
        match node:
            case gast.Starred():
                code, value = "x = [*value]", node.value
            case _Entries():
                code, value = "x = {**value}", node.mapping
            case gast.FormattedValue():
                value = gast.JoinedStr([node])
                value.__dict__.update(lineno=node.lineno, col_offset=node.col_offset)
                code = "x = value"
            case gast.keyword():
                node.value = self.kept(node.value)
                return node
            case gast.Slice():
                parts = [node.lower, node.upper, node.step]
                kept = [p if self.is_stable(p, set()) else self.kept(p) for p in parts]
                node.lower, node.upper, node.step = kept
                return node
            case _:
                code, value = "x = value", node
        self.current += template(code, at=node, x=name, value=value)
        made = expression("x", at=node, x=name)
        match node:
            case gast.Starred():
                node.value = made
                return node
            case _Entries():
                node.mapping = made
                return node
            case gast.FormattedValue():
                return expression("f'{x}'", at=node, x=made).values[0]
        return made

    def shortcut(self, node: Any) -> Tree:
        """Evaluate `a and b and c` up to the first that decides."""
        name = self.names.fresh("kept")
        code = "if x:\n    rest" if isinstance(node.op, gast.And) else "if not x:\n    rest"
        self.choice(node, name, [node.values[0]], code, node.values[1:])
        return expression("x", at=node, x=name)

    def choice(
        self, node: Tree, name: str, first: list[Tree], code: str, others: list[Tree]
    ) -> None:
        """Assign the first value, and under a test the next ones."""
        body = template("x = value", at=node, x=name, value=first[0])
        if others:
            rest: list[Tree] = []
            self.nested(rest, node, name, code, others)
            body += template(code, at=node, x=name, rest=rest)
        self.inline(body)

    def nested(
        self, body: list[Tree], node: Tree, name: str, code: str, values: list[Tree]
    ) -> None:
        """Write the assignments of the next values, each under the test of those before."""
        body += template("x = value", at=node, x=name, value=values[0])
        if len(values) > 1:
            rest: list[Tree] = []
            self.nested(rest, node, name, code, values[1:])
            body += template(code, at=node, x=name, rest=rest)

    def chosen(self, node: Any) -> Tree:
        """Evaluate one side of `a if test else b`."""
        name = self.names.fresh("kept")
        code = "if test:\n    x = a\nelse:\n    x = b"
        holes = {"test": node.test, "a": node.body, "b": node.orelse}
        self.inline(template(code, at=node, x=name, **holes))
        return expression("x", at=node, x=name)

    def inline(self, body: list[Tree]) -> None:
        """Put statements here and go on after them."""
        raise NotImplementedError
