"""Which Variable a Variable is: `chainer.grad` looks for an object, not for a value.

A Variable that control flow gave is one of several. A gradient by it is known where none of the
ways back comes by a Variable that may be the same one under another name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from elichika.values.tape import Listed, VariableNode

if TYPE_CHECKING:
    from elichika.walker.tape.tape import Tape

__all__ = ["Identities"]

#: What a Variable may be; None where that is not known.
Same = set[VariableNode] | None


class Identities:
    """The part of the tape that tells Variables apart."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self._asked: dict[VariableNode, set[VariableNode]] = {}

    def require(self, wanted: VariableNode, starts: Iterable[VariableNode]) -> None:
        """See that no way back from some nodes comes by one that may be the Variable itself.

        Of what a turn of a loop begins with, that is seen when the loop is closed: `close`.

        Raises:
            StagingError: One of them may.
        """
        others = self._past(starts, wanted)
        passed, same = set(others), self._of(wanted, set())
        told = not wanted.joined and not any(one.others for one in (wanted, *others))
        for other in () if told else others:
            found = self._of(other, set())
            if same is None or found is None or not same.isdisjoint(found):
                self._refuse()
            passed |= found
        inside = self.tape.reentries.passed
        if wanted.joined and inside and (same is None or None in inside or same & inside):
            self._refuse()
        for one in same or ():
            if one.head or any(other.head for other in passed):
                self._asked.setdefault(one, set()).update(passed)

    def same(self, node: VariableNode) -> Same:
        """Return the Variables that a node may stand for."""
        return self._of(node, set())

    def close(
        self,
        heads: Sequence[VariableNode],
        firsts: Sequence[VariableNode | None],
        lasts: Sequence[VariableNode | None],
        changes: Mapping[Any, Any],
    ) -> None:
        """See that what turns begin with are Variables of their own, where gradients by them are.

        A way back goes on into the turns before, which the tape does not: there must be none of
        the Variables by which a gradient is asked for.

        Args:
            heads: What a turn begins with.
            firsts: What the first one begins with.
            lasts: What the others begin with: what the turn before ended with.
            changes: What the turn changed, as the store has it.
        """
        for one, others in list(self._asked.items()):
            for other in others:
                if one in heads or other in heads:
                    self._close_pair(one, other, heads, firsts, lasts, changes)
            if one in heads:
                del self._asked[one]

    def _close_pair(
        self,
        wanted: VariableNode,
        other: VariableNode,
        heads: Sequence[VariableNode],
        firsts: Sequence[VariableNode | None],
        lasts: Sequence[VariableNode | None],
        changes: Mapping[Any, Any],
    ) -> None:
        """See that a Variable is not in the past of another one, of which one begins a turn."""
        own, inside = wanted in heads, other in heads
        outer = other if own else wanted
        if not (own and inside):
            if self.tape.w.store.was_undone(outer):
                return  # a turn made it
            if own and other.head:  # of which the past is not known here
                self._refuse()
        first, last = (ends[heads.index(wanted)] if own else wanted for ends in (firsts, lasts))
        before, after = (ends[heads.index(other)] if inside else other for ends in (firsts, lasts))
        with self.tape.replayed(changes):
            self._require_apart(last, after)
            if own and inside and last is not None and self._is_old(last):
                self._refuse()
        self._require_apart(first, before)

    def _require_apart(self, wanted: VariableNode | None, start: VariableNode | None) -> None:
        if wanted is not None and start is not None:
            for node in self._past([start]):
                if node is wanted or self._may_be_one(wanted, node):
                    self._refuse()

    def _is_old(self, last: VariableNode) -> bool:
        """Tell whether what a turn ends with may be of a turn before, or of before the loop."""
        same = self._of(last, set())
        return same is None or any(x.head or not self.tape.w.store.was_undone(x) for x in same)

    def _past(
        self, starts: Iterable[VariableNode], end: VariableNode | None = None
    ) -> set[VariableNode]:
        """Return some nodes and what they were made of, but for what is behind one of them."""
        found: set[VariableNode] = set()
        open_ = list(starts)
        while open_:
            node = open_.pop()
            if node in found or node is end or node.requires_grad is False:
                continue
            found.add(node)
            made = self.tape.creator(node)
            open_ += () if made is None else made.inputs
        return found

    def is_asked(self, head: VariableNode) -> bool:
        """Tell whether a gradient by what a turn begins with was asked for, or goes through it."""
        return head in self._asked or any(head in others for others in self._asked.values())

    def _refuse(self) -> NoReturn:
        self.tape.w.refuse(
            "a gradient is taken with respect to a Variable that may be another one of this "
            "computation; which one it is, is known only when the model runs",
            "call `chainer.grad` in the branch or loop that chooses the Variable",
        )

    def _may_be_one(self, a: VariableNode, b: VariableNode) -> bool:
        mine, other = self._of(a, set()), self._of(b, set())
        return mine is None or other is None or not mine.isdisjoint(other)

    def _of(self, node: VariableNode, seen: set[VariableNode]) -> Same:
        """Return the Variables that a node may stand for."""
        if not node.joined or node.head:
            return {node, *node.others}
        if node in seen:
            return set()
        seen.add(node)
        made = self.tape.creator(node)
        if made is None or type(made) is Listed:
            return None
        begun = [made.begun(place) for place in range(len(made.outputs))]
        found: set[VariableNode] = set()
        for source, changes in made.sources(made.outputs.index(node)):
            undone = self.tape.w.store.was_undone(source)
            with self.tape.replayed(changes if undone else {}):
                same = self._of(source, seen)
            if same is None:
                return None
            for one in same:
                if one in begun:
                    again = made.outputs[begun.index(one)]
                    assert again is not None
                    more = self._of(again, seen)
                    if more is None:
                        return None
                    found |= more
                else:
                    found.add(one)
        return found
