"""Which dicts have their keys side by side from the first one on, as the walks have shown."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from elichika.errors import ElichikaError
    from elichika.state.joins.leaves import Site

__all__ = ["NEW_KEY", "TablePlan"]

#: Why a dict cannot have a key.
NEW_KEY = "this dict cannot get a key that is known only when the model runs"


class TablePlan:
    """Which dicts have their keys side by side from the first one on, as the walks have shown.

    What a dict of known keys holds is of any kind, each on its own; what stands side by side is of
    one type.  A dict whose first keys are known takes one of the run only if it stood that way
    before the loop or branch that puts it in: the walk that finds such a key is given up, and the
    next one knows the place that makes the dict.

    Attributes:
        refusal: Why a walk ended in which such keys stood side by side.
        keeps_orders: Sets out of which keys are taken stand in Python's order of them: one of them
            was asked for it.
        lost_order: A walk that did not keep it took a key out of a set whose order was known.
    """

    def __init__(self) -> None:
        self._boxed: dict[Site, bool] = {}
        self._dropped: set[Site] = set()
        self.refusal: ElichikaError | None = None
        self.keeps_orders = self.lost_order = False

    def __bool__(self) -> bool:
        return bool(self._boxed)

    def form(self, sites: Iterable[Site]) -> bool | None:
        """Return whether dicts made at some places hold each value in a box.

        Returns:
            None where their keys do not stand side by side from the first one on.
        """
        found = [self._boxed.get(site) for site in sites]
        return None if not found or None in found else any(found)

    def is_new(self, sites: frozenset[Site], *, boxed: bool) -> bool:
        """Tell whether dicts may hold keys side by side that did not do so in this walk.

        Args:
            sites: The places that make them; none of a dict that was there before.
            boxed: Each value is held in a box: they are of unlike sizes or kinds.
        """
        kinds = {cls for _, cls in sites}
        if not sites or not kinds <= {dict, OrderedDict, defaultdict} or sites & self._dropped:
            return False
        form = self.form(sites)
        return form is None or form < boxed

    def ask(self, sites: frozenset[Site], *, boxed: bool) -> None:
        """Let the next walk have keys of dicts side by side from the first one on."""
        self._boxed |= dict.fromkeys(sites, boxed or bool(self.form(sites)))

    def told(self, error: ElichikaError) -> ElichikaError:
        """Return what a user is told where walks without the plan end by an error.

        That a key is a new one is what the plan is for: why it did not do is told.
        """
        return self.refusal if self.refusal is not None and error.message == NEW_KEY else error

    def drop(self) -> bool:
        """Let dicts be what they are without the plan; tell whether that is new."""
        held = bool(self)
        self._dropped.update(self._boxed)
        self._boxed.clear()
        return held
