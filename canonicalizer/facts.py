"""Names that a group's functions have surely set where they read them.

All calls share the names of one function: what one call leaves unset would have the value of
another one.  So a name must be set in each call before it is read there.  The flags that stand for
`return`, `break` and `continue` say more than which statements have run:

    try:
        v = x[i]
    except IndexError:
        returned = True
    if not returned:          # `v` is set, for it is where `returned` is False
        …

What a `with` sets is set behind it, unless its manager ends what was raised. Where it takes that
for a name to be set, the `with` gets an attribute `unended`, the name, and what leaves one that
has become a `try` (`managed.py`) gets the name as an argument: the walk refuses managers that may.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import gast

from .ends import Block, Enter, Goto, Leave, Throw, inside, trees
from .errors import Unframed, Unset
from .forms import caught_as, walruses_in
from .names import bound_by
from .walking import by_type, children

if TYPE_CHECKING:
    from .liveness import Flow

__all__ = ["check_set"]

Tree = Any


class _Is(NamedTuple):
    """A flag has a value."""

    flag: str
    value: bool


class _Sets(NamedTuple):
    """Where a flag has a value, a name is set."""

    flag: str
    value: bool
    name: str


#: What is known at a point: names that are set, and what flags say.
Known = frozenset[Any]


def check_set(flow: Flow, *, marks: bool) -> None:
    """Refuse a name that is read where the call may not have set it.

    Args:
        flow: What goes from block to block.
        marks: Whether the walk looks at what is marked.

    Raises:
        Unframed: There is such a name.
    """
    strict = _Facts(flow)
    try:
        strict.check()
    except Unframed:
        if not marks:
            raise
        _Facts(flow, strict.missing).check()


class _Facts:
    """Goes through the blocks, and knows what is set.  None is known of what nothing gets to."""

    def __init__(self, flow: Flow, unended: str = "") -> None:
        self.flow, self.unended = flow, unended
        self.missing = ""
        self.checking = False
        self.known: dict[Block, Known] = {}
        inner = (node for block in flow.order for node in trees(block.body))
        self.shared = {
            name for node in inner for one in by_type(node)[gast.Nonlocal] for name in one.names
        }

    def check(self) -> None:
        first = self.flow.order[0]
        self.known[first] = self.flow.parameters[first] | self.flow.unchanging
        while True:
            before = dict(self.known)
            self._blocks()
            if before == self.known:
                break
        self.checking = True
        self._blocks()

    def _blocks(self) -> None:
        for block in self.flow.order:
            known = self.known.get(block)
            if known is not None:
                for handled in self.flow.caught[block]:
                    self._reach(handled.block, _without(known, _bound(block.body)) | {handled.name})
                self._forward(block.body, known)

    def _reach(self, block: Block, known: Known) -> None:
        before = self.known.get(block)
        self.known[block] = known if before is None else before & known | _told(before, known)

    def _forward(self, body: Iterable[Tree], known: Known | None) -> Known | None:
        for node in body:
            if known is None:
                return None
            visit = getattr(self, f"visit_{type(node).__name__}", self._other)
            known = visit(node, known)
        return known

    def _other(self, node: Tree, known: Known) -> Known | None:
        return _without(self._read(node, known, node), _bound([node]))

    def _read(self, at: Tree, known: Known, *nodes: Tree) -> Known:
        """Refuse what is read and not set; return what is set after expressions."""
        walruses = {name for node in nodes for name in walruses_in(node)}
        if not walruses:
            self._require(at, known, *nodes)
            return known
        sure = known
        for node in nodes:
            sure = self._in_turn(at, node, sure)
        known = _without(known, walruses) | {name for name in walruses if name in sure}
        return known

    def _require(self, at: Tree, known: Known, *nodes: Tree) -> None:
        """Refuse what is read and not set."""
        missing = self.flow.reads(*nodes) - known - set(self.flow.comprehensions)
        if self.checking and missing:
            self.missing = min(missing)
            raise Unset(at, self.missing)

    def _in_turn(self, at: Tree, node: Tree, known: Known) -> Known:
        """Go through an expression as Python evaluates it; return what is set after it."""
        match node:
            case gast.NamedExpr(target=gast.Name(id=name), value=value):
                return self._in_turn(at, value, known) | {name}
            case gast.BoolOp(values=[one, *others]):
                first = last = self._in_turn(at, one, known)
                for other in others:
                    last = self._in_turn(at, other, last)
                return first
            case gast.IfExp(test=test, body=body, orelse=orelse):
                known = self._in_turn(at, test, known)
                return self._in_turn(at, body, known) & self._in_turn(at, orelse, known)
            case gast.Name() | gast.Lambda():
                self._require(at, known, node)
                return known
            case gast.Dict(keys=keys, values=values):
                pairs = zip(keys, values, strict=True)
                parts = [part for pair in pairs for part in pair if part is not None]
            case gast.AugAssign(target=target, value=value):
                self._require(at, known, gast.AugAssign(target=target))
                parts = [value]
            case _:
                parts = children(node)
        for part in parts:
            known = self._in_turn(at, part, known)
        return known

    # -- ends of blocks -----------------------------------------------------------------------

    def visit_Goto(self, node: Goto, known: Known) -> None:
        self._reach(node.block, known)

    def visit_Leave(self, node: Leave, known: Known) -> None:
        self._read(node.at, known, node.value)

    def visit_Throw(self, node: Throw, known: Known) -> None:
        """Its handler is reached from where the block begins, as from all that may raise."""

    def visit_Enter(self, node: Enter, known: Known) -> None:
        known = self._read(node.at, known, *(value for _, value in node.arguments))
        self._reach(node.first, self.flow.parameters[node.first] | self.flow.unchanging)
        if node.resume is not None:
            self._reach(node.resume, known | {self.flow.result})

    def visit_Raise(self, node: Tree, known: Known) -> None:
        self._read(node, known, node)

    # -- statements ---------------------------------------------------------------------------

    def visit_Assign(self, node: Tree, known: Known) -> Known:
        known = self._read(node, known, node.value)
        match node:
            case gast.Assign(targets=[gast.Name(id=name)], value=gast.Constant(value=bool(value))):
                told = frozenset() if name in self.shared else frozenset({_Is(name, value)})
                return _without(known, {name}) | {name} | told
            case gast.Assign(targets=[gast.Name(id=name)]):
                return _without(known, {name}) | {name}
        return self._read(node, known, *node.targets)

    def visit_FunctionDef(self, node: Tree, known: Known) -> Known:
        return self._read(node, known, *node.decorator_list, node.args) | {node.name}

    def visit_With(self, node: Tree, known: Known) -> Known | None:
        known = self._read(node, known, *(item.context_expr for item in node.items))
        left = _without(known, _bound([node]))  # it may swallow what the body raises
        bound = _bound([item.optional_vars for item in node.items if item.optional_vars])
        ends = self._forward(node.body, _without(known, bound) | bound)
        if self.unended:
            node.unended = self.unended
        return ends if self.unended else _either(left, ends)

    def visit_If(self, node: Tree, known: Known) -> Known | None:
        known = self._read(node, known, node.test)
        body = self._forward(node.body, _assumed(known, node.test, truth=True))
        orelse = self._forward(node.orelse, _assumed(known, node.test, truth=False))
        if self.unended and hasattr(node.test, "leaves"):
            node.test.operand.args[2].value = self.unended
            return body  # it raises again
        return _either(body, orelse)

    def visit_Try(self, node: Tree, known: Known) -> Known | None:
        within = _without(known, _bound([*node.body, *node.orelse]))
        ends = self._forward([*node.body, *node.orelse], known)
        for handler in node.handlers:
            name = caught_as(handler)
            kind = [] if handler.type is None else [handler.type]
            inside = _without(self._read(handler, within, *kind), name) | name
            handled = self._forward(handler.body, inside)
            ends = _either(ends, None if handled is None else handled - name)
        raised = [statement for handler in node.handlers for statement in handler.body]
        self._forward(node.finalbody, _without(within, _bound(raised)))
        return self._forward(node.finalbody, ends)

    def visit_While(self, node: Tree, known: Known) -> Known | None:
        while True:
            head = self._read(node, known, node.test)
            inside = self._forward(node.body, _assumed(head, node.test, truth=True))
            again = _either(known, inside)
            if again is None or again == known:
                return _assumed(head, node.test, truth=False)
            known = again

    def visit_For(self, node: Tree, known: Known) -> Known:
        known = self._read(node, known, node.iter)
        name = node.target.id
        while True:
            inside = self._forward(node.body, _without(known, {name}) | {name})
            again = _either(known, inside)
            if again is None or again == known:
                return known
            known = again


def _either(one: Known | None, other: Known | None) -> Known | None:
    """Return what is known where two ways meet."""
    if one is None or other is None:
        return other if one is None else one
    return one & other | _told(one, other)


def _told(one: Known, other: Known) -> Known:
    """Return what flags tell where two ways meet."""
    either = one | other
    flags = {fact.flag for fact in either if type(fact) is not str}
    names = {fact if type(fact) is str else fact.name for fact in either if type(fact) is not _Is}
    told = (
        _Sets(flag, value, name)
        for flag in flags
        for value in (False, True)
        for name in names - (one & other)
    )
    return frozenset(fact for fact in told if _holds(one, fact) and _holds(other, fact))


def _holds(known: Known, fact: _Sets) -> bool:
    return fact in known or fact.name in known or _Is(fact.flag, not fact.value) in known


def _assumed(known: Known, test: Tree, *, truth: bool) -> Known | None:
    """Return what is known where a test was decided; None if it cannot be."""
    match test:
        case gast.Name(id=flag):
            if _Is(flag, not truth) in known:
                return None
            told = (
                fact.name for fact in known if type(fact) is _Sets and fact[:2] == (flag, truth)
            )
            return known.union(told)
        case gast.UnaryOp(op=gast.Not(), operand=operand):
            return _assumed(known, operand, truth=not truth)
        case gast.BoolOp(op=op, values=values) if (type(op) is gast.And) is truth:
            found: Known | None = known
            for value in values:
                found = None if found is None else _assumed(found, value, truth=truth)
            return found
    return known


def _without(known: Known, names: Iterable[str]) -> Known:
    """Return what is known without what flags say that are bound anew."""
    bound = set(names)
    return frozenset(fact for fact in known if type(fact) is str or fact[0] not in bound)


def _bound(body: Iterable[Tree]) -> set[str]:
    """Return the names that statements may bind."""
    return {name for node in inside(body) for name in bound_by(node)}
