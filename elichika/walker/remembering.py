"""Calls of functions that remember what they returned: `functools.lru_cache`."""

from __future__ import annotations

from typing import Any

from elichika.state.store import Mark
from elichika.values.functions import Remembered
from elichika.values.kinds import is_number
from elichika.values.symbolic import Choice
from elichika.walker.callees import Callees
from elichika.walker.functions import Functions
from elichika.walker.memos import Memos
from elichika.walker.walk import Walk

__all__ = ["Remembering"]


class Remembering:
    """The part of the walker that calls functions which remember what they returned."""

    def __init__(self, w: Walk, memos: Memos, callees: Callees, functions: Functions) -> None:
        self.w = w
        self.memos = memos
        self.callees = callees
        self.functions = functions
        self.of = memos.of
        self.made = memos.made
        #: What each has read so far that may change.
        self._read: dict[int, list[tuple[Any, str, Any]]] = {}

    def call(self, remembered: Remembered, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """Call a function that remembers what it returned."""
        self.memos.part(remembered, ())
        frame, bound = self.functions.entered(remembered.function, args, kwargs)
        bound = {name: self.w.narrow(value) for name, value in bound.items()}
        known = tuple((n, v) for n, v in bound.items() if not _is_key(self.w, v))
        for _, value in known:
            self._require_known(remembered, value)
        known += self._told_apart(remembered, args, kwargs, [*bound.values()])
        named = not known and self.callees.frames.named(frame, frame.program.name) is remembered
        part = self.memos.part(remembered, known)
        frame.program = self.memos.numbered(remembered) if named else part.program
        mark = self.w.store.mark()
        with self.w.store.reading() as read:
            result = self.functions.run_frame(frame, bound)
        if remembered.lasting or remembered.bounded:
            self._require_pure(remembered, read, mark)
        if remembered.lasting:
            self._keep_as_it_is(result)
        return result

    def _told_apart(
        self, remembered: Remembered, args: list[Any], kwargs: dict[str, Any], bound: list[Any]
    ) -> tuple[tuple[str, Any], ...]:
        """Return what Python tells arguments by from those of the first call, if they are unlike.

        An int alone is another argument than an equal float or bool; of more than one argument
        this is so where the function is `typed`.
        """
        types = tuple(map(self.w.type_of, bound))
        alone = len(args) == 1 and self.w.type_of(self.w.narrow(args[0])) is int and not kwargs
        kinds = len(args), tuple(kwargs), types if remembered.typed else alone
        if remembered.kinds is None:
            remembered.kinds = types, kinds
        if types == remembered.kinds[0] or kinds == remembered.kinds[1]:
            return ()
        if not remembered.lasting:
            self.w.refuse(
                "a function that remembers what it returns, and that a call makes, is called with "
                "arguments of other types than before",
                "decorate it outside `forward`, or give it arguments of one type: `float(n)`",
            )
        return (("the kinds", kinds),)

    def _keep_as_it_is(self, result: Any) -> None:
        """Forbid writes to what the next call of the model would get, too."""
        result = self.w.narrow(result)
        if type(result) in (tuple, Choice):
            for part in getattr(result, "alternatives", result):
                self._keep_as_it_is(part)
        elif self.w.arenas.holds(result):
            self.w.refuse(
                "what a function that remembers has returned is changed: later calls of it would "
                "return that, too",
                "return a tuple, or change a copy",
            )
        elif self.w.store.was_born(result):
            self.w.sealed(result)
        self.w.sequences.freeze(result)

    def _require_known(self, remembered: Remembered, value: Any) -> None:
        if self.w.is_symbolic(value):
            self.w.refuse(
                "a function that remembers what it returns is called with something else than "
                "numbers, which is known only when the model runs",
                "give it numbers: an index, a size",
            )
        self.w.hashable(value)
        if not remembered.lasting:
            self.w.refuse(
                "a function that remembers what it returns, and that a call makes, is called with "
                "numbers here",
                "decorate it outside `forward`",
            )

    def _require_pure(
        self, remembered: Remembered, read: list[tuple[Any, str, Any]], mark: Mark
    ) -> None:
        """Refuse what shows how often a function ran: calls before, or a full memo, decide that."""
        store = self.w.store
        memos = {id(part.memo) for part in remembered.parts.values()}

        def outside(owner: Any) -> bool:
            own = owner is self.w.token or store.is_internal(owner) or id(owner) in memos
            return not own and not store.is_fresh(owner, mark)

        written = store.changes_since(mark)
        if any(not slot.startswith("~") and outside(store.owner((o, slot))) for o, slot in written):
            self._refuse_impure("changes")
        before = self._read.setdefault(id(remembered), [])
        if any(store.get_key((id(owner), slot)) is not version for owner, slot, version in before):
            self._refuse_impure("reads")
        before += [one for one in read if outside(one[0])]

    def _refuse_impure(self, does: str) -> None:
        self.w.refuse(
            f"a function that remembers what it returns {does} what a call changes: how often it "
            "runs would show",
            "give it what it reads as arguments, or leave out `lru_cache`",
        )


def _is_key(w: Walk, value: Any) -> bool:
    """Tell whether an argument is a number, or a tuple of numbers."""
    if type(value) is tuple:
        return bool(value) and all(is_number(w.narrow(one)) for one in value)
    return is_number(value) or (type(value) is Choice and w.is_symbolic(value))
