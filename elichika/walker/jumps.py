"""Exceptions that are raised when the model runs and that the program catches.

    try:                            ok = 0 <= i < len(rows)
        row = rows[i]               if ok:
        total += row                    row = rows[i]
    except IndexError:                  total += row
        total = 0                   else:
                                        total = 0

A check that a handler would catch becomes an If.  The walk goes on inside its one arm, which stays
open until the `try` ends; then the handler is walked in the other arm, with the state as it was at
the check, and the two are joined.  So what follows is walked once, through any calls.

An arm or a turn that ends before the `try` does cannot hold the handler.  There the exception is
written to a location, *pending*, which is joined like any other, and behind the join the walk goes
on where nothing is pending.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np
from chainer.utils import type_check

from elichika import idioms
from elichika.program.raised import Raised, Unreached, genuine, said
from elichika.state.store import Key, Mark, Note
from elichika.values.symbolic import UNDEF, Choice, Conflict, Scalar, Text
from elichika.walker.arms import Arm, Arms
from elichika.walker.checks import Checks
from elichika.walker.core import PLAIN, Pending
from elichika.walker.handlers import (
    EXACT,
    LIMITS,
    RUN_TIME_FAILURES,
    SURE,
    UNREAD,
    VAGUE,
    WORDED,
    Handler,
    with_words,
)
from elichika.walker.kinds.exceptions import ARGS, made
from elichika.walker.walk import Walk
from onnx_graph import Body, Value

__all__ = ["Jumps"]

#: That an arm was opened: the journal of the store is longer behind that.
OPENED: Note[int] = Note("opened")
#: How many exceptions may be told apart that leave one arm or turn.
MAX_PENDING = 8


@dataclass
class Open:
    """An arm in which the walk goes on, and what is to be walked in the other one.

    Attributes:
        condition: The test of the If.
        truth: What it is in the open arm.
        body: What the open arm emits.
        other: What the other one has emitted so far.
        start: Where the store was before both.
        handler: What catches the exceptions.
        errors: These; several are told apart by what is pending.
        changes: What the other arm has changed so far.
        pending: They are pending in the other arm, with what they hold.
        stack: What to leave at the end of the open arm.
    """

    condition: Value
    truth: bool
    body: Body
    other: Body
    start: Mark
    handler: Handler
    errors: dict[int, BaseException]
    changes: dict[Key, Any]
    pending: bool
    stack: ExitStack = field(default_factory=ExitStack)


class Jumps:
    """The part of the walker that goes on behind what may have raised."""

    def __init__(self, w: Walk, checks: Checks, arms: Arms) -> None:
        self.w = w
        self.checks = checks
        self.arms = arms
        self.handlers: list[Handler] = []
        self.open: list[Open] = []
        self.scopes: list[Any] = [w.graph.scope]
        self.pending: Any = w.store.always(Pending())
        w.store.set(self.pending, "value", 0)
        self.numbers: dict[Any, int] = {}
        self.errors: dict[int, BaseException] = {}
        self._checked: dict[Any, BaseException] = {}
        self.log: list[int] = []
        #: Exceptions that the program raises itself, and where.
        self.raised: dict[int, tuple[BaseException, Any]] = {}
        #: Those of which a check has said whether they surely are of Python's class, and that.
        self.exact: dict[int, tuple[BaseException, bool]] = {}
        #: What handlers of the program, and what runs in any case, have been given.
        self.caught: list[Any] = []
        self.asking = False
        #: Tells how many generators are being consumed.
        self.consumed: Callable[[], int] = lambda: 0

    # -- what catches -------------------------------------------------------------------------

    def target(self, kind: type, *, exact: bool = True) -> Handler | None:
        """Return what catches an exception of a class first; None if nothing does.

        A `finally` gets what nobody catches, too, where a handler around it may catch what the
        `finally` raises itself.

        Raises:
            StagingError: Python's may be of another class, if this one is not `exact`, which
                something else would catch.
        """
        if issubclass(kind, Unreached):
            return None
        final, around = None, False
        for handler in reversed(self.handlers):
            if handler.final:
                final = final or handler
            elif handler.catches(kind):
                if not exact and not handler.blind:
                    self.refuse(kind)
                return final or handler
            elif not exact and (handler.may_catch(kind) or handler.may_be_meant(kind)):
                self.refuse(kind)
            else:
                around = around or final is not None
        return final if exact and around else None

    def _require_inside(self) -> None:
        """Refuse a StopIteration that leaves a generator where a handler catches what comes of it.

        Python makes a RuntimeError of it there (PEP 479).
        """
        for handler in reversed(self.handlers):
            inside = handler.yields >= self.consumed()
            if inside and handler.catches(StopIteration):
                return
            outside = not inside and not handler.final
            if outside and any(map(handler.catches, (StopIteration, RuntimeError))):
                self.w.refuse(
                    "a StopIteration leaves a generator here, of which Python makes a "
                    "RuntimeError, and a handler around it would catch it",
                    "end the generator by `return`, and give `next` a default",
                )

    def jumps(self, error: BaseException) -> bool:
        """Tell whether an exception is caught; it is refused where a jump is not compiled."""
        if said(error) in LIMITS:
            return False
        if type(error) is StopIteration:
            self._require_inside()
        vague = self.is_vague(error)
        sure = self.is_python_s(error) or isinstance(error, EXACT) or said(error) in SURE
        sure = sure or id(error) in self.exact
        handler = self.target(type(error), exact=sure and not vague)
        if handler is None:
            return False
        if not sure or self.consumed() < handler.yields:
            self.refuse(type(error))
        return True

    def is_python_s(self, error: BaseException) -> bool:
        """Tell whether an exception is the very one that Python has here, with its words."""
        return id(error) in self.raised or error.__traceback__ is not None

    @contextmanager
    def handling(self, error: BaseException | Conflict) -> Iterator[None]:
        """Let what is raised within the block follow from an exception, or `EITHER_WAY`."""
        self.caught.append(error)
        try:
            yield
        finally:
            self.caught.pop()

    def is_vague(self, error: Any) -> bool:
        """Tell whether something is raised here, which may be of another class."""
        return self.exact.get(id(error)) == (error, False)

    def told(self, error: BaseException) -> BaseException | Conflict:
        """Return an exception as the program gets it: it does not read words that are ours."""
        if self.is_vague(error):
            return VAGUE
        if self.is_python_s(error):
            return error
        kind = type(error)
        known: BaseException = self.w.store.born(kind.__new__(kind, *error.args))
        held = (Text(),) if kind in WORDED else UNREAD
        self.w.store.set(known, ARGS, () if kind is StopIteration else held)
        for name in ("expect", "actual") if kind is type_check.InvalidType else ():
            self.w.store.set(known, name, UNREAD)
        self.made(known)
        return known

    def made(self, error: BaseException) -> None:
        """Remember that the program itself raises an exception here."""
        self.raised.setdefault(id(error), (error, self.w.region_site()))

    def refuse(self, kind: type) -> NoReturn:
        """Refuse an exception that a handler would catch."""
        self.w.refuse(
            f"whether this raises {kind.__name__} is known only when the model runs, "
            "and a handler around it would catch it",
            "test the condition with `if` instead of catching the exception",
        )

    def catching(
        self,
        kinds: tuple[type, ...],
        body: Callable[[], Any],
        handle: Callable[[BaseException], Any],
        orelse: Callable[[Any], Any] = lambda value: value,
        final: bool = False,
        blind: bool = False,
    ) -> Any:
        """Return what `body` gives, or `handle` where it raises; `orelse` is not guarded."""
        handler = Handler(kinds, handle, final, blind, self.consumed(), len(self.log))
        depth, failure, value = len(self.open), None, UNDEF
        try:
            try:
                value = self._guarded(handler, body)
            except Raised as raised:
                failure = raised
            try:
                if failure is None:
                    value = orelse(value)
                elif handler.catches(type(failure.error)) and said(failure.error) not in LIMITS:
                    value, failure = handle(failure.error), None
            except Raised as raised:
                failure = raised
            value, failure = self._close(depth, value, failure, handler, UNDEF)
        except BaseException:
            self.drop(depth)
            raise
        if failure is not None:
            raise failure
        self.go_on()
        return value

    def _guarded(self, handler: Handler, body: Callable[[], Any]) -> Any:
        guards = not handler.final and any(map(handler.may_catch, RUN_TIME_FAILURES))
        self.handlers.append(handler)
        self.w.guarded += guards
        try:
            return body()
        finally:
            self.w.guarded -= guards
            self.handlers.pop()

    @contextmanager
    def sure(self) -> Iterator[None]:
        """Emit what fails nowhere in Python: checks of it are caught by nothing."""
        handlers, self.handlers = self.handlers, []
        try:
            with self.checks.sure():
                yield
        finally:
            self.handlers = handlers

    # -- what is raised -----------------------------------------------------------------------

    def check(
        self,
        condition: Any,
        exception: type[BaseException],
        message: str,
        args: tuple[Any, ...] | None = None,
        exact: bool | None = None,
    ) -> None:
        """Make the model fail where the 0-d bool `condition` is false.

        Args:
            condition: What must hold.
            exception: Of which class Python raises one there.
            message: What the model says.
            args: What Python's exception holds, if that is known.
            exact: Whether Python raises one of this very class exactly there; False if it raises
                one there, perhaps of another class; None to go by the class and the message.

        Raises:
            StagingError: A handler of the program could catch the exception.
        """
        self.checks.proofs += exact is True or issubclass(exception, (IndexError, KeyError))
        condition = self.w.narrow(condition)
        if isinstance(condition, Scalar):
            condition = condition.onnx_value
        if isinstance(condition, (bool, np.bool_)):
            if not condition:
                self.w.raise_static(self._holding(with_words(exception, message), args))
            return
        sure = any(hasattr(node, "surely") for node in self.w.node_stack[-1:])
        if sure or self.w.facts.of(condition) is True:
            return
        known = issubclass(exception, EXACT) or message in SURE if exact is None else exact
        if message not in LIMITS and self.target(exception, exact=known) is not None:
            error = self._of_place(self._holding(with_words(exception, message), args), exact)
            if exact is not None:
                self.exact[id(error)] = error, exact
            self.jumps(error)
            self.split(condition, True, error, None)
            return
        self.checks.emit(condition, exception, message)
        self.w.facts.learn(condition, True)

    def _holding(self, error: BaseException, args: tuple[Any, ...] | None) -> BaseException:
        """Return what a program catches that is told what an exception holds."""
        if args is None or not self.handlers or self._is_told_otherwise(error):
            return error
        if not self.w.is_symbolic(args):
            return genuine(type(error)(*args))
        held: BaseException = made(self.w, type(error), [*args], {})
        object.__setattr__(held, "args", error.args)
        self.made(held)
        return held

    def _of_place(self, error: BaseException, exact: bool | None) -> BaseException:
        """Return the exception that a check of this place had before: in each trial it is one."""
        if self.w.store.was_born(error):
            return error
        key = self.w.region_site(), type(error), error.args, said(error), exact
        return self._checked.setdefault(key, error) if _is_plain(error) else error

    def _is_told_otherwise(self, error: BaseException) -> bool:
        """Tell whether Python's own code, for which one of ours stands, has other words here."""
        ours = idioms.is_one_of_these(self.w.frames[-1].globals)
        return ours and type(error) is not KeyError

    def split(self, condition: Value, truth: bool, error: BaseException, arm: Arm | None) -> None:
        """Go on where `condition` is `truth`; in the other arm, `error` is raised.

        Args:
            condition: A test.
            truth: What it has to be.
            error: What is raised where it is not.
            arm: The other arm, walked up to there; None if it has nothing yet.
        """
        self._split(condition, truth, {self._number(error): error}, arm)

    def _split(
        self,
        condition: Value,
        truth: bool,
        errors: dict[int, BaseException],
        arm: Arm | None,
        pending: bool = False,
    ) -> None:
        handlers = [self.target(type(error)) for error in errors.values()]
        handler = max((h for h in handlers if h is not None), key=self.handlers.index)
        if self.w.graph.scope not in (self.scopes[-1], self.open[-1].body if self.open else None):
            self.refuse(type(next(iter(errors.values()))))
        self.w.arenas.enter()
        start = self.w.store.mark() if arm is None else arm.start
        self.w.store.note(self.pending, OPENED, len(self.open))
        other = self.w.graph.body("else" if truth else "then") if arm is None else arm.body
        body = self.w.graph.body("then" if truth else "else")
        changes = {} if arm is None else arm.changes
        entry = Open(condition, truth, body, other, start, handler, errors, changes, pending)
        self.arms.enter(entry.stack, body, start, condition, truth)
        self.open.append(entry)
        self.checks.opened.append(body)

    def _number(self, error: BaseException) -> int:
        """Return the number of an exception: the same in each walk of its place."""
        held = self.w.store.was_born(error)  # which one it is, is held then
        site = held or self.raised.get(id(error), (None,))[-1]
        if type(site) is tuple and _is_plain(error):
            site = site[0], tuple((type(one), one) for one in error.args)
        key = type(error), said(error), site, self.is_vague(error)
        number = self.numbers.setdefault(key, len(self.numbers) + 1)
        self.errors[number] = error
        return number

    def begin_turn(self) -> None:
        """Know that nothing is pending at the head of a loop."""
        if self.handlers:
            self.w.store.set(self.pending, "value", 0)

    def go_on(self) -> None:
        """Go on where nothing is pending, behind a join."""
        if self.asking or not self.handlers or self._is_pending(0) is True:
            return
        numbers = dict.fromkeys(self.log[self.handlers[-1].start :])
        errors = {n: self.errors[n] for n in numbers if self.target(type(self.errors[n]))}
        if len(errors) > MAX_PENDING:
            self.w.refuse(
                f"more than {MAX_PENDING} exceptions may leave this, which are told apart only "
                "when the model runs",
                "catch them where they are raised",
            )
        test = self._is_pending(0)
        if test is False:
            self._raise_pending(errors)
        elif test is not True:
            if errors:  # else a loop carries it since an earlier trial of its turns raised
                self._split(test.onnx_value, True, errors, None, pending=True)
            self.w.store.set(self.pending, "value", 0)
            for slot in map(_slot, errors):
                if self.w.held(self.pending, slot) is not UNDEF:
                    self.w.store.set(self.pending, slot, UNDEF)

    def _raise_pending(self, errors: dict[int, BaseException]) -> NoReturn:
        """Raise the one of these exceptions that is pending, the others in arms of their own."""
        ways = [way for number, error in errors.items() for way in self._ways(number, error)]
        self.w.store.set(self.pending, "value", 0)
        *others, (_, last) = ways
        for test, error in others:
            self.jumps(error)
            self.split(test, False, error, None)
        self.w.raise_static(last)

    def _ways(self, number: int, error: BaseException) -> Iterator[tuple[Value, BaseException]]:
        """Yield what the exception of a number may be, each with a test for it."""
        pending = self.w.value_of(self._is_pending(number))
        held = self.w.narrow(self.w.held(self.pending, _slot(number)))
        if type(held) is Conflict:
            self.w.undefined(held, "what an exception holds", AttributeError)
        self.w.store.set(self.pending, _slot(number), UNDEF)
        match held:
            case Choice(alternatives=alternatives):
                for index, one in enumerate(alternatives):
                    test = self.w.graph.And(pending, self.w.choices.tag_is(held, index))
                    yield test, self._as_it_came(one, error)
            case _:
                yield pending, error if held is UNDEF else self._as_it_came(held, error)

    def _as_it_came(self, held: BaseException, error: BaseException) -> BaseException:
        """Return the exception that came for one of its number, with what is known of that."""
        object.__setattr__(held, "args", error.args)
        if id(error) in self.raised:  # else its words are ours, not Python's
            self.raised.setdefault(id(held), (held, self.raised[id(error)][-1]))
        return held

    def _told_apart(
        self, errors: dict[int, BaseException], then: Callable[[BaseException], Any]
    ) -> Any:
        """Do something with the one of these exceptions that is pending."""
        (number, error), *rest = errors.items()

        def this() -> Any:
            self.w.store.set(self.pending, "value", 0)
            return self._with_held(number, error, then)

        if not rest:
            return this()
        return self.w.branch(
            self._is_pending(number), this, lambda: self._told_apart(dict(rest), then)
        )

    def _with_held(
        self, number: int, error: BaseException, then: Callable[[BaseException], Any]
    ) -> Any:
        """Do something with an exception of a number: as it came here, if it holds something."""
        slot = _slot(number)
        held = self.w.narrow(self.w.held(self.pending, slot))
        if held is UNDEF:
            return then(error)
        if type(held) is Conflict:
            self.w.undefined(held, "what an exception holds", AttributeError)
        self.w.store.set(self.pending, slot, UNDEF)

        def as_it_came(one: BaseException) -> Any:
            return then(self._as_it_came(one, error))

        return self.w.choices.apply(held, as_it_came)

    def _is_pending(self, number: int) -> Any:
        """Return the truth of whether the exception of a number is pending."""
        pending = self.w.held(self.pending, "value")
        if type(pending) is int:
            return pending == number
        self.asking = True
        try:
            return self.w.truth(self.w.binary(operator.eq, pending, number))
        finally:
            self.asking = False

    def _put_pending(self, error: BaseException) -> None:
        number = self._number(error)
        if self.w.store.was_born(error):
            self.w.store.set(self.pending, _slot(number), error)
        elif any(not slot.startswith("~") for slot in self.w.store.slots(error)):
            self.w.refuse(
                "an attribute that an exception got after it was made is known only when the model "
                "runs",
                "give it to the exception as an argument",
            )
        self.log.append(number)
        self.w.store.set(self.pending, "value", number)

    # -- the ends of arms ---------------------------------------------------------------------

    def region(self, walk: Callable[[], Any], leaving: Any = UNDEF) -> Any:
        """Walk an arm or a turn to its end: whatever is open there ends, too.

        Args:
            walk: Walks it.
            leaving: The value where an exception leaves it for a handler further out.
        """
        depth = len(self.open)
        self.scopes.append(self.w.graph.scope)
        failure: Raised | None = None
        value = leaving
        try:
            try:
                value = walk()
            except Raised as raised:
                failure = raised
            value, failure = self._close(depth, value, failure, None, leaving)
            if failure is not None and leaving is not UNDEF and self.jumps(failure.error):
                self._put_pending(failure.error)
                value, failure = leaving, None
        except BaseException:
            self.drop(depth)
            raise
        finally:
            self.scopes.pop()
        if failure is not None:
            raise failure
        return value

    def _ended(self) -> Open:
        self.checks.opened.pop()
        return self.open.pop()

    def drop(self, depth: int) -> None:
        """Leave arms that nothing comes of."""
        while len(self.open) > depth:
            entry = self._ended()
            entry.stack.close()
            entry.body.discard()

    def forget_after(self, mark: Mark) -> None:
        """Leave the arms that were opened after a mark, to which the walk goes back."""
        depth = len(self.open)
        while depth and self.open[depth - 1].start.position >= mark.position:
            depth -= 1
        self.drop(depth)

    def _close(
        self, depth: int, value: Any, failure: Raised | None, handler: Handler | None, leaving: Any
    ) -> tuple[Any, Raised | None]:
        """End all arms opened since, from the innermost outwards; join them with their others."""
        while len(self.open) > depth:
            entry = self.open[-1]
            if failure is not None:
                self._leave(failure, entry.condition, entry.truth)
                value, failure = leaving, None
            self._ended()
            arm = self.arms.left(entry.body, entry.truth, value, entry.start)
            entry.stack.close()
            self.w.store.undo(entry.start)
            other = self._other(entry, handler, leaving)
            self.w.store.undo(entry.start)
            both = (arm, other) if entry.truth else (other, arm)
            value = self.arms.join(entry.condition, *both, entry.start)
        return value, failure

    def _leave(self, failure: Raised, condition: Value, truth: bool) -> None:
        """Let an exception leave an arm: for a handler further out, or for good."""
        if self.jumps(failure.error):
            self._put_pending(failure.error)
            return
        never = self.w.graph.Not(condition) if truth else condition
        self.checks.emit(never, type(failure.error), said(failure.error))

    def _other(self, entry: Open, handler: Handler | None, leaving: Any) -> Arm:
        """Walk the rest of the other arm: its handler, if that is here."""

        def rest() -> Any:
            for key, version in entry.changes.items():
                self.w.store.set_key(key, version)
            return self._resumed(entry, handler, leaving)

        truth = not entry.truth
        with ExitStack() as stack:
            self.arms.enter(stack, entry.other, entry.start, entry.condition, truth)
            try:
                value = self.region(rest, leaving)
            except Raised as failure:
                self._leave(failure, entry.condition, truth)
                value = leaving
            return self.arms.left(entry.other, truth, value, entry.start)

    def _resumed(self, entry: Open, handler: Handler | None, leaving: Any) -> Any:
        """Hand the exceptions of an arm to the handler that ends here, or further out."""
        if handler is not None and entry.handler is handler:

            def handled(error: BaseException) -> Any:
                if not handler.catches(type(error)):
                    self.w.raise_static(error)
                return handler.handle(error)

            if entry.pending:
                return self._told_apart(entry.errors, handled)
            return handled(*entry.errors.values())
        if entry.pending:
            self.log += entry.errors
        else:
            self._put_pending(*entry.errors.values())
        return leaving


def _slot(number: int) -> str:
    """Return the location of the exception of a number."""
    return f"error {number}"


def _is_plain(error: BaseException) -> bool:
    """Tell whether what an exception is given is all there is to it: turns raise the same one."""
    follows = error.__cause__ is not None or error.__context__ is not None
    return not follows and all(type(one) in PLAIN for one in error.args)
