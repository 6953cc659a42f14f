"""Which names a block of a group's functions may read: a frame keeps those for it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import gast

from .ends import Block, Enter, Goto, Leave, Throw, inside
from .facts import check_set
from .forms import caught_as
from .names import bound_by
from .remade import in_order, sunk

if TYPE_CHECKING:
    from .guards import GuardedBlocks
    from .remade import Inner

__all__ = ["Flow", "settle"]

Tree = Any
Set = frozenset[str]


class Flow:
    """What goes from block to block.

    Attributes:
        saved: The names that frames keep.
        carried: The names that a turn takes over from the one before.
    """

    def __init__(
        self,
        order: list[Block],
        blocks: GuardedBlocks,
        unchanging: Set,
        inner: Inner,
        *,
        marks: bool,
    ) -> None:
        self.order, self.result, self.inner = order, blocks.result, inner
        self.caught = {block: list(blocks.caught(block)) for block in order}
        self.functions, self.comprehensions = inner.functions, inner.comprehensions
        self.names = inner.names
        self.parameters = {
            blocks.firsts[member]: frozenset(blocks.parameters_of(member))
            for member in blocks.members
        }
        self.unchanging = unchanging
        self.live = self._settled_live()
        check_set(self, marks=marks)
        for block in order:
            block.body = sunk(block.body, self.functions, self._reads_of)
        self.live = self._settled_live()
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
        read = self.live[block] & self.functions.keys()
        return in_order(read, self.functions, self._reads_of)

    # -- live names ---------------------------------------------------------------------------

    def _settled_live(self) -> dict[Block, Set]:
        live: dict[Block, Set] = dict.fromkeys(self.order, frozenset())
        self.live = live
        while True:
            before = dict(live)
            for block in reversed(self.order):
                handled = (self._elsewhere(one.block) - {one.name} for one in self.caught[block])
                live[block] = self._before(block.body, frozenset()).union(*handled)
            if before == live:
                return live

    def _elsewhere(self, block: Block) -> Set:
        """Return what another block reads; it makes its functions itself."""
        return self.live[block] - self.functions.keys()

    def _before(self, body: Iterable[Tree], after: Set) -> Set:
        for node in reversed(list(body)):
            kind = type(node).__name__
            visit = getattr(self, f"live_{kind}", None)
            after = after | self.reads(node) if visit is None else visit(node, after)
        return after

    def live_Goto(self, node: Any, after: Set) -> Set:
        return self._elsewhere(node.block)

    def live_Leave(self, node: Any, after: Set) -> Set:
        return self.reads(node.value)

    def live_Throw(self, node: Any, after: Set) -> Set:
        return frozenset({node.name}) & self.names

    def live_Enter(self, node: Any, after: Set) -> Set:
        resumed = frozenset() if node.resume is None else self._elsewhere(node.resume)
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
        """Return the names of the functions that are read inside of nodes."""
        return self.inner.reads(*nodes)

    def _reads_of(self, node: Tree) -> Set:
        """Return the names that a statement reads, or what a block ends in."""
        match node:
            case Goto():
                return frozenset()
            case Leave(value=value):
                return self.reads(value)
            case Enter(arguments=arguments):
                return self.reads(*(value for _, value in arguments))
            case Throw():
                return frozenset({node.name})
            case gast.If():
                inside = (self._reads_of(one) for one in (*node.body, *node.orelse))
                return self.reads(node.test).union(*inside)
        return self.reads(node)


def settle(
    order: list[Block], blocks: GuardedBlocks, unchanging: Set, inner: Inner, *, marks: bool
) -> Flow:
    """Return what goes from block to block.

    Args:
        order: The blocks.
        blocks: What cut them.
        unchanging: The names that nobody assigns.
        inner: The functions inside.
        marks: Whether the walk looks at what `facts.py` marks.

    Raises:
        Unframed: A name is read where the call may not have set it.
    """
    return Flow(order, blocks, unchanging, inner, marks=marks)
