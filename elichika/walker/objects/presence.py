"""Names, attributes and items that may be unset: what Python goes on to where they are.

A location holds a value, or nothing (`UNSET`), or something on some ways only (a choice with
`UNSET` in it).  A read of what may be unset goes on, where it is, to what Python asks next: the
class, `__getattr__`, a default, the builtins, or an error.  All such reads are made here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from elichika.program.raised import ConflictRead, Unreached
from elichika.state.store import MISSING
from elichika.values.symbolic import UNDEF, UNSET, Conflict, may_be_unset
from elichika.walker.handlers import VAGUE
from elichika.walker.locations import Locations, own_attribute
from elichika.walker.objects.identity import Identity
from elichika.walker.walk import Walk


class Presence:
    """The part of the walker that reads what may be unset."""

    def __init__(self, w: Walk, locations: Locations, identity: Identity) -> None:
        self.w = w
        self.locations = locations
        self.identity = identity

    def undefined(
        self,
        value: Any,
        what: str,
        exception: type[BaseException],
        said: tuple[Any, ...] | None = None,
    ) -> Any:
        """Return what a location holds; fail where it holds nothing, and refuse conflicts.

        Args:
            value: What it holds.
            what: What messages call it.
            exception: Of which class Python raises one where it holds nothing.
            said: What that exception holds, if it is known.
        """
        value = self.w.narrow(value)
        if value is VAGUE:
            self.w.refuse(VAGUE.reason, "catch the class that you expect, or do not look at it")
        if isinstance(value, Conflict):
            reason = f"{what} has no common type here: {value.reason}"
            raise ConflictRead(reason, self.w.here(), value, what)
        if value is UNSET or value is UNDEF:
            exception = Unreached if value is UNDEF else exception
            self.w.check(False, exception, f"{what} is not set", said)
        if may_be_unset(value):
            index = next(i for i, a in enumerate(value.alternatives) if a is UNSET)
            absent = self.w.choices.tag_is(value, index)
            self.w.check(self.w.graph.Not(absent), exception, f"{what} is not set", said)
            self.w.facts.learn(absent, False)
            return self.w.narrow(self.w.choices.without(value, index))
        return value

    def or_else(self, held: Any, absent: Callable[[], Any], what: str) -> Any:
        """Return what a location holds; where it holds nothing, what `absent` gives there."""
        held = self.w.narrow(held)
        if held is UNSET or held is UNDEF:
            return absent()
        if may_be_unset(held):
            return self.w.choices.apply(held, lambda one: absent() if one is UNSET else one)
        return self.undefined(held, what, AttributeError)

    def is_set(self, held: Any) -> Any:
        """Return the truth of whether a location holds something."""
        held = self.w.narrow(held)
        if isinstance(held, Conflict):
            self.undefined(held, "this", AttributeError)
        if may_be_unset(held):
            return self.w.not_(self.identity.tag_test(held, lambda one: one is UNSET))
        return held is not UNSET

    def given(self, owner: Any, slot: str) -> Any:
        """Return what the program left at a location, as it is, or `MISSING` if it left nothing.

        What is left may be `UNSET`, or a choice with it: for `or_else` and `is_set`.
        """
        return self.w.narrow(self.w.store.get(owner, slot))

    def own(self, obj: Any, name: str) -> Any:
        """Return what an object holds itself by a name, for `or_else` and `is_set`."""
        self.locations.ask_presence(obj, name)
        held = self.w.store.get(obj, name)
        if held is MISSING:
            held = MISSING if self.w.store.was_born(obj) else own_attribute(obj, name)
        return UNSET if held is MISSING else self.w.narrow(held)

    # -- names --------------------------------------------------------------------------------

    # -- attributes ---------------------------------------------------------------------------
