"""A walk that goes on after what cannot be compiled, to find the rest of it."""

from __future__ import annotations

import types
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import chainer
import gast

from elichika.errors import ElichikaError, StagingError, UnsupportedFunction, UnsupportedSyntax
from elichika.program import native_code as natives
from elichika.program.raised import ConflictRead, Raised
from elichika.values.functions import Frame
from elichika.values.symbolic import Conflict
from elichika.walker.drafts import Drafts
from elichika.walker.functions import Functions
from elichika.walker.objects.extensions import Extensions
from elichika.walker.recursion import Recursion
from elichika.walker.resuming import Resuming
from elichika.walker.sources import Sources
from elichika.walker.visits import Visits
from elichika.walker.walker import Walker

__all__ = ["Surveyor"]

SCOPES = (gast.FunctionDef, gast.ClassDef)

#: What cannot be compiled is such a value from there on; reading it is no finding.
LOST = Conflict("what it is made of is not compiled")


class Surveyor(Walker):
    """A walker that writes down what is refused, statement by statement, and goes on.

    What the refused statement would have set is lost: no statement that reads it is judged. The
    branches and turns of a statement whose own test or items are lost are walked, for what they
    hold. There is no model afterwards.

    Attributes:
        findings: The refusals, in the order of the walk.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        """Start as a `Walker` does."""
        self.findings: list[ElichikaError] = []
        self.entered: set[types.CodeType] = set()
        self._seen: set[int] = set()
        super().__init__(*args, **options)

    def new_visits(self) -> Visits:
        """Return visits that a refused statement does not end."""
        return SurveyedVisits(self)

    def new_functions(self) -> Functions:
        """Return functions whose lost results lose what calls them."""
        return SurveyedFunctions(
            *(self, self.visits, self.sources, self.recursion, self.extensions, self.resuming),
            self.drafts,
        )

    def survey(self, body: list[Any]) -> None:
        """Visit statements in order; what one of them loses does not stop the others."""
        for statement in body:
            self._seen.add(id(statement))
            if self.tentative:  # who tries something deals with its failure
                self.visit(statement)
                continue
            mark = self.store.mark()
            try:
                self.visit(statement)
            except (UnsupportedSyntax, UnsupportedFunction, StagingError) as error:
                if LOST.reason not in error.message:
                    self.findings.append(error)
                self.store.undo(mark)
                self._lose(statement)
            except Raised:
                own = isinstance(statement, gast.Raise) or self.jumps.handlers
                if own or not self.findings:
                    raise
                self.store.undo(mark)  # it may come of what is lost
                self._lose(statement)

    def _lose(self, statement: Any) -> None:
        """Walk what has not been walked of a statement, then lose all that it sets."""
        scope = isinstance(statement, SCOPES)
        names = sorted({statement.name} if scope else set(_names_set(statement)))
        for name in names:
            self.scopes.bind(name, LOST)
        for body in [] if scope else _blocks(statement):
            if body and id(body[0]) not in self._seen:
                mark = self.store.mark()
                with suppress(Raised):  # what it raises may come of what is lost
                    self.survey(body)
                self.store.undo(mark)
        for name in names:
            self.scopes.bind(name, LOST)
        for target in _places_set(statement):
            with suppress(ElichikaError, Raised):  # the object may be lost itself
                self.store.set(self.visit(target.value), self.attributes.mangled(target.attr), LOST)
        for call in _calls(statement):
            self._walk_callee(call)
        if any(isinstance(node, gast.Return) for node in gast.walk(statement)) and not scope:
            self.returned[-1] = LOST

    def _walk_callee(self, call: Any) -> None:
        """Walk a function of the user that was not called, for an argument is lost."""
        mark, frames = self.store.mark(), len(self.frames)
        with suppress(Exception):  # nothing is said of what only a lost argument explains
            function = self.visit(call.func)
            if isinstance(function, chainer.Link):
                function = self.get_attribute(function, "forward")
            code = getattr(getattr(function, "function", function), "__code__", None)
            known = code is None or natives.is_library(code.co_filename) or code in self.entered
            if not known:
                self.call(function, [self._argument(node) for node in call.args], {})
        del self.frames[frames:]
        self.store.undo(mark)

    def _argument(self, node: Any) -> Any:
        try:
            return self.visit(node)
        except (ElichikaError, Raised):
            return LOST


class SurveyedVisits(Visits):
    """Visits that a refused statement does not end."""

    def __init__(self, w: Surveyor) -> None:
        super().__init__(w)
        self._surveyor = w

    def block(self, body: list[Any]) -> None:
        """Visit statements in order; what one of them loses does not stop the others."""
        self._surveyor.survey(body)


class SurveyedFunctions(Functions):
    """Functions whose lost results lose what calls them."""

    def __init__(
        self,
        w: Surveyor,
        visits: Visits,
        sources: Sources,
        recursion: Recursion,
        extensions: Extensions,
        resuming: Resuming,
        drafts: Drafts,
    ) -> None:
        super().__init__(w, visits, sources, recursion, extensions, resuming, drafts)
        self._surveyor = w

    def call_function(
        self, function: types.FunctionType, args: list[Any], kwargs: dict[str, Any]
    ) -> Any:
        """Call a function of Python, and note that it was walked into."""
        self._surveyor.entered.add(function.__code__)
        return super().call_function(function, args, kwargs)

    def run_frame(self, frame: Frame, bound: dict[str, Any]) -> Any:
        """Walk a function; where its result is lost, so is the statement with the call."""
        result = super().run_frame(frame, bound)
        if result is LOST:
            raise ConflictRead(LOST.reason, self.w.here(), LOST)
        return result


def _calls(statement: Any) -> Iterator[Any]:
    """Yield the calls of a statement that have plain arguments only; not those in its blocks."""
    blocks = {id(node) for body in _blocks(statement) for node in body}
    pending = [] if isinstance(statement, SCOPES) else [statement]
    while pending:
        node = pending.pop()
        plain = isinstance(node, gast.Call) and not node.keywords
        if plain and not any(isinstance(argument, gast.Starred) for argument in node.args):
            yield node
        children = gast.iter_child_nodes(node)
        pending += [child for child in children if id(child) not in blocks]


def _blocks(statement: Any) -> Iterator[list[Any]]:
    for name in ("body", "orelse", "finalbody"):
        yield getattr(statement, name, [])
    for handler in getattr(statement, "handlers", []):
        yield handler.body


def _names_set(statement: Any) -> Iterator[str]:
    """Yield the names that a statement binds, and those of containers that it may change."""
    for node in gast.walk(statement):
        if isinstance(node, gast.Name) and isinstance(node.ctx, (gast.Store, gast.Del)):
            yield node.id
        elif isinstance(node, gast.Subscript) and isinstance(node.ctx, (gast.Store, gast.Del)):
            if isinstance(node.value, gast.Name):
                yield node.value.id
        elif isinstance(node, gast.Expr) and isinstance(node.value, gast.Call):
            receiver = getattr(node.value.func, "value", None)
            if isinstance(receiver, gast.Name) and receiver.id != "self":
                yield receiver.id


def _places_set(statement: Any) -> Iterator[Any]:
    for node in gast.walk(statement):
        if isinstance(node, gast.Attribute) and isinstance(node.ctx, (gast.Store, gast.Del)):
            yield node
