"""Generators that are run up to each `yield`: those that are sent values, say, or have no end.

Other generators are walked where their items are consumed.  Where that does not do, the walk starts
again, and a generator becomes an object over a function that goes on with it: see
`canonicalizer/resuming.py` and `idioms/resuming.py`.
"""

from __future__ import annotations

from typing import Any, NoReturn

from canonicalizer.errors import Unframed
from canonicalizer.generators import closes_itself, goes_on
from elichika.errors import ElichikaError, StagingError
from elichika.program.canonical import resumable
from elichika.program.places import Program, frame_of
from elichika.values.functions import GeneratorCall
from elichika.walker.plan import WalkAgain
from elichika.walker.sharing import Sharing
from elichika.walker.sources import Sources
from elichika.walker.walk import Walk

__all__ = ["Resuming"]


class Resuming:
    """The part of the walker that knows which generators are run up to each `yield`."""

    def __init__(self, w: Walk, sources: Sources, sharing: Sharing) -> None:
        self.w = w
        self.sources = sources
        self.sharing = sharing
        self.closing: list[Any] = []

    def program_of(self, function: Any) -> Program:
        """Return the program of a generator function."""
        made: Program | None = getattr(function, "program", None)
        return self.sources.program_of(function) if made is None else made

    def is_endless(self, generator: GeneratorCall) -> bool:
        """Tell whether a generator cannot be walked to its end: it has none, or is sent values."""
        program = self.program_of(generator.function)
        return goes_on(program.tree) and program not in self.w.plan.resumed

    def resume(self, generator: GeneratorCall, refusal: ElichikaError | None = None) -> NoReturn:
        """Start the walk again, where a generator is run up to each `yield`.

        Args:
            generator: What was walked where its items were consumed so far.
            refusal: What that was refused with, if it was.

        Raises:
            WalkAgain: It is not run so yet.
            ElichikaError: It is, or cannot be.
        """
        program = self.program_of(generator.function)
        if refusal is not None and (self.w.tentative or program in self.w.plan.resumed):
            raise refusal
        try:
            resumable(program)
        except Unframed as error:
            if refusal is not None:
                raise refusal from None
            place = frame_of(error.node, program.file, program.name, library=program.library)
            raise StagingError(
                f"this generator cannot be run up to each `yield`: {error.why}",
                (*self.w.here(), place),
                "loop over it, or make a list of it first",
            ) from None
        self.w.plan.resumed.add(program)
        raise WalkAgain(refusal)

    def begun(self, program: Program, generator: Any) -> None:
        """Follow a generator that does something where Python closes it."""
        if not closes_itself(program.tree):
            return
        if self.w.regions():
            self.w.refuse(
                "a generator that yields in a `try` with `finally` is made in a branch or a loop, "
                "and Python closes it when nobody holds it any more",
                "make it before, and end it by `close()`",
            )
        self.closing.append(generator)

    def leave(self, iterator: Any) -> None:
        """Close a generator that a loop has left, and that nothing else holds."""
        closes = any(one is iterator for one in self.closing)
        if closes and id(iterator) not in self.sharing.reachable():
            self.w.call(self.w.get_attribute(iterator, "close"), [], {})

    def require_ended(self) -> None:
        """Let the model fail where Python would close a generator that does something then."""
        for generator in self.closing:
            ended = self.w.truth(self.w.get_attribute(generator, "_ended"))
            began = self.w.truth(self.w.get_attribute(generator, "_started"))
            left = self.w.both(began, self.w.not_(ended))
            if left is True:
                self.w.refuse(
                    "Python runs the `finally` of a generator when nobody holds it any more",
                    "end it by `close()`",
                )
            why = "a generator was not ended by `close()`, and has a `finally` to run"
            self.w.check(self.w.not_(left), RuntimeError, why)
