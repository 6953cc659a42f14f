"""What may be refused without ending the walk: it leaves no trace then."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from elichika.errors import StagingError, UnsupportedFunction, UnsupportedSyntax
from elichika.walker.plan import Recursed
from elichika.walker.sharing import Sharing
from elichika.walker.walk import Walk

__all__ = ["Attempts"]


class Attempts:
    """The part of the walker that tries what may be refused."""

    def __init__(self, w: Walk, sharing: Sharing) -> None:
        self.w = w
        self.sharing = sharing

    def attempt(self, thunk: Callable[[], Any]) -> Any:
        """Do what emits nodes within bodies only; NotImplemented, and no trace, if refused."""
        mark, noted, nodes = self.w.store.mark(), self.w.report.entries(), self.w.graph.nodes
        frozen = dict(self.sharing.frozen), set(self.w.idents.frozen)
        self.w.tentative += 1
        try:
            return thunk()
        except (StagingError, UnsupportedFunction, UnsupportedSyntax) as error:
            if isinstance(error, Recursed) and self.w.plan.can_frame(error):
                self.w.plan.tried.add(error.site)
                raise
            self.w.store.undo(mark)
            self.w.report.restore(noted)
            self.sharing.frozen, self.w.idents.frozen = frozen
            self.w.graph.nodes = nodes
            return NotImplemented
        finally:
            self.w.tentative -= 1
