"""Which names a block of a group's functions may read: a frame keeps those for it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import gast

from .captures import taken_again
from .ends import Block, Enter, Goto, Leave, inside
from .errors import Unframed
from .facts import check_set
from .forms import body_of, caught_as
from .names import bound_by
from .scopes import kind_of, own_nodes
from .walking import children

if TYPE_CHECKING:
    from .guards import GuardedBlocks

__all__ = ["Flow", "settle"]

Tree = Any
Set = frozenset[str]
#: What goes through all items of a generator before anything else happens.
AT_ONCE = {"all", "any", "dict", "list", "max", "min", "set", "sorted", "sum", "tuple"}


class Flow:
    """What goes from block to block.

    Attributes:
        saved: The names that frames keep.
        carried: The names that a turn takes over from the one before.
    """

    def __init__(
        self, order: list[Block], blocks: GuardedBlocks, unchanging: Set, *, marks: bool
    ) -> None:
        self.order, self.result = order, blocks.result
        self.caught = {block: list(blocks.caught(block)) for block in order}
        trees = list(blocks.trees.values())
        self.comprehensions = _comprehensions(blocks)
        again = (taken_again(tree, unchanging).items() for tree in trees)
        self.functions = {**dict(one for found in again for one in found), **self.comprehensions}
        self.names = {name for tree in trees for name in kind_of(tree).locals}
        self.names |= blocks.names.scopes[-1].generated_names
        self.parameters = {
            blocks.firsts[member]: frozenset(blocks.parameters_of(member))
            for member in blocks.members
        }
        self.unchanging = unchanging
        for tree in trees:
            self._refuse_captured(tree)
        self._captured = {name: self._captured_by(node) for name, node in self.functions.items()}
        self.live = self._settled_live()
        check_set(self, marks=marks)
        kept = {name: None for block in order for name in self.kept(block)}
        self.saved = list(kept)
        carried = {
            name: None
            for block in order
            for name in sorted(self.live[block] - set(self.kept(block)) - {self.result})
            if name not in self.functions
        }
        self.carried = list(carried)

    def kept(self, block: Block) -> list[str]:
        """Return the names that a frame keeps for the block after its call."""
        if not block.result:
            return []
        left = self.live[block] - self.unchanging - {self.result} - set(self.functions)
        return sorted(left)

    def dead(self, end: Tree, here: Block) -> list[str]:
        """Return the names that a block has set or read and that nobody reads after its end."""
        match end:
            case Goto(block=block):
                live = self.live[block]
            case Enter(first=first):
                live = self.live[first] | self.parameters[first]
            case Leave():
                live = frozenset({self.result})
            case _:
                return []
        held = self.live[here] | {name for node in inside(here.body) for name in bound_by(node)}
        return sorted((held & self.names) - live - self.unchanging - set(self.functions))

    def defined(self, block: Block) -> list[Tree]:
        """Return the functions inside that a block reads and does not define."""
        return [self.functions[name] for name in sorted(self.live[block] & set(self.functions))]

    # -- live names ---------------------------------------------------------------------------

    def _settled_live(self) -> dict[Block, Set]:
        live: dict[Block, Set] = dict.fromkeys(self.order, frozenset())
        self.live = live
        while True:
            before = dict(live)
            for block in reversed(self.order):
                handled = (live[one.block] - {one.name} for one in self.caught[block])
                live[block] = self._before(block.body, frozenset()).union(*handled)
            if before == live:
                return live

    def _before(self, body: Iterable[Tree], after: Set) -> Set:
        for node in reversed(list(body)):
            kind = type(node).__name__
            visit = getattr(self, f"live_{kind}", None)
            after = after | self.reads(node) if visit is None else visit(node, after)
        return after

    def live_Goto(self, node: Any, after: Set) -> Set:
        return self.live[node.block]

    def live_Leave(self, node: Any, after: Set) -> Set:
        return self.reads(node.value)

    def live_Throw(self, node: Any, after: Set) -> Set:
        return frozenset({node.name}) & self.names

    def live_Enter(self, node: Any, after: Set) -> Set:
        resumed = frozenset() if node.resume is None else self.live[node.resume]
        return (resumed - {self.result}) | self.reads(*(value for _, value in node.arguments))

    def live_Assign(self, node: Any, after: Set) -> Set:
        match node.targets:
            case [gast.Name(id=name)]:
                return (after - {name}) | self.reads(node.value)
        return after | self.reads(node)

    def live_FunctionDef(self, node: Any, after: Set) -> Set:
        return (after - {node.name}) | self.reads(*node.decorator_list, node.args)

    def live_If(self, node: Any, after: Set) -> Set:
        arms = self._before(node.body, after) | self._before(node.orelse, after)
        return arms | self.reads(node.test)

    def live_While(self, node: Any, after: Set) -> Set:
        return self._loop(node.body, after | self.reads(node.test), frozenset())

    def live_For(self, node: Any, after: Set) -> Set:
        inside = self._loop(node.body, after, frozenset({node.target.id}))
        return inside | self.reads(node.iter)

    def live_Raise(self, node: Any, after: Set) -> Set:
        return self.reads(node)

    def live_Try(self, node: Any, after: Set) -> Set:
        last = self._before(node.finalbody, after)
        live = self._before([*node.body, *node.orelse], last)
        for handler in node.handlers:
            inside = self._before(handler.body, last) - caught_as(handler)
            live |= inside | self.reads(*filter(None, [handler.type]))
        return live | self._before(node.finalbody, frozenset())

    def _loop(self, body: list[Tree], head: Set, target: Set) -> Set:
        while True:
            grown = (self._before(body, head) - target) | head
            if grown == head:
                return head
            head = grown

    # -- names that are read ------------------------------------------------------------------

    def reads(self, *nodes: Tree) -> Set:
        """Return the names of the function that are read inside of nodes."""
        found = self._own_reads(nodes)
        inner = (self._captured[name] for name in found & set(self.functions))
        return found.union(*inner)

    def _captured_by(self, function: Tree) -> Set:
        inside = self._own_reads(body_of(function)) - kind_of(function).locals
        return inside | self._own_reads([function.args]) if hasattr(function, "args") else inside

    def _own_reads(self, nodes: Iterable[Tree]) -> Set:
        found: set[str] = set()
        for node in nodes:
            match node:
                case gast.Name(ctx=gast.Load() | gast.Del(), id=name):
                    found.add(name)
                case gast.AugAssign(target=gast.Name(id=name)):
                    found.add(name)
                case gast.Lambda():
                    found |= self._captured_by(node)
                    continue
            found |= self._own_reads(children(node))
        return frozenset(found & (self.names | {self.result}))

    def _refuse_captured(self, tree: Tree) -> None:
        """Refuse a function inside that reads names of the call it is made in, later on."""
        own = kind_of(tree).locals - self.unchanging
        for node in own_nodes(tree):
            if not isinstance(node, (gast.FunctionDef, gast.Lambda, gast.ClassDef)):
                continue
            if self.functions.get(getattr(node, "name", "")) is node:
                continue
            inside = (self._own_reads(body_of(node)) - kind_of(node).locals) & own
            if inside:
                raise Unframed(
                    node,
                    f"this function reads `{min(inside)}` of the call around it",
                )


def _comprehensions(blocks: GuardedBlocks) -> dict[str, Tree]:
    """The functions inside that stand for comprehensions, which run where they are written."""
    found: dict[str, Tree] = {}
    for tree in blocks.trees.values():
        nodes = list(own_nodes(tree))
        made = blocks.names.scopes[-1].generated_names
        for node in nodes:
            match node:
                case gast.FunctionDef(name=name) if name in made:
                    if not kind_of(node).generator or _runs_at_once(name, nodes):
                        found[name] = node
    return found


def _runs_at_once(name: str, nodes: list[Tree]) -> bool:
    """Whether a generator is made for what goes through all of it."""
    for node in nodes:
        match node:
            case gast.Call(
                func=gast.Name(id=taker), args=[gast.Call(func=gast.Name(id=called))]
            ) if called == name:
                return taker in AT_ONCE
    return False


def settle(order: list[Block], blocks: GuardedBlocks, unchanging: Set, *, marks: bool) -> Flow:
    """Return what goes from block to block.

    Args:
        order: The blocks.
        blocks: What cut them.
        unchanging: The names that nobody assigns.
        marks: Whether the walk looks at what `facts.py` marks.

    Raises:
        Unframed: A name is read where the call may not have set it, or by a function that
            outlives the call.
    """
    return Flow(order, blocks, unchanging, marks=marks)
