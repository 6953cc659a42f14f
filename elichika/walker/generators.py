"""Generators of the program: walked where their items are consumed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from canonicalizer.generators import closes_itself
from elichika import idioms
from elichika.errors import StagingError
from elichika.program.canonical import listing
from elichika.program.raised import Raised, StopConsuming, genuine
from elichika.state.store import MISSING
from elichika.values.functions import GeneratorCall
from elichika.values.kinds import alternatives_of
from elichika.values.symbolic import Scalar
from elichika.walker.containers.iterators import Iterators
from elichika.walker.functions import Functions
from elichika.walker.scopes import Scopes
from elichika.walker.sharing import Sharing
from elichika.walker.walk import Walk


class Generators:
    """The part of the walker that runs generators."""

    def __init__(
        self,
        w: Walk,
        functions: Functions,
        iterators: Iterators,
        scopes: Scopes,
        sharing: Sharing,
    ) -> None:
        self.w = w
        self.sharing = sharing
        self.functions = functions
        self.iterators = iterators
        self.scopes = scopes
        self.yields: list[Any] = []
        iterators.collect = self.collected
        #: Of how many of these the handlers do not see what is raised where an item is used.
        self.apart = 0

    def as_generator(self, value: Any) -> GeneratorCall | None:
        """Return `value` if it is a generator of the walked program, to be walked item by item."""
        if isinstance(value, GeneratorCall) and self.w.store.get(value, "rest") is MISSING:
            if not self.is_listed(value):
                return value
            self.iterators.ahead(value)
        return None

    def delegated(self, value: Any) -> GeneratorCall:
        """Return what yields what is in `value`, and returns what that ends with."""
        generator = self.as_generator(value)
        if generator is None:
            value = self.iterators.iterables.opened(value, by_loop=True)
            generator = self.as_generator(value)
        if generator is None:
            asked = any(map(self.iterators.is_asked, alternatives_of(value)))
            gives = idioms.iterators.ended if asked else idioms.iterators.each
            generator = self.as_generator(self.w.call(gives, [value], {}))
        assert generator is not None
        return generator

    def is_listed(self, generator: GeneratorCall) -> bool:
        """Tell whether the items of a generator are found ahead of time, in a list."""
        program = self.functions.resuming.program_of(generator.function)
        return id(program.tree) in self.w.plan.listed

    def collected(self, generator: GeneratorCall) -> Any:
        """Return all items of a generator, in a list of the program."""
        if not self.is_listed(generator):
            return self.w.gathered(generator)
        self.w.store.set(generator, "started", True)
        frame, bound = self.functions.entered(generator.function, generator.args, generator.kwargs)
        frame.program = listing(frame.program)
        return self.functions.run_frame(frame, bound)

    def consume(self, generator: GeneratorCall, consumer: Any, *, apart: bool = True) -> Any:
        """Walk a generator; each `yield` calls `consumer` with the item, where it stands.

        Args:
            generator: What was not used before.
            consumer: Returns whether it wants no more items: True or a run-time bool.
            apart: The generator does not see what is raised where its items are used: it is not the
                one of a context manager.

        Returns:
            What the generator returns; None where the consumer wanted no more items.
        """
        if self.w.store.get(generator, "started") not in (MISSING, False):
            self._give_up(generator, "this generator was used before")
        self.w.store.set(generator, "started", True)
        frame, bound = self.functions.entered(generator.function, generator.args, generator.kwargs)
        outer = len(self.w.frames), len(self.w.node_stack), len(self.w.returned)
        left, outside, leaving = False, set[int](), list[BaseException]()
        scope = self.w.graph.scope

        def produce(item: Any, flag: str | None) -> Any:
            nonlocal left
            if leaving:  # Python tells nobody but stderr that it goes on
                raise StopConsuming(generator)
            with self._outside(outer, consuming, apart):
                closed, stopped = _used(consumer, item, outside)
                ends = stopped or (closed is True and self.w.graph.scope is scope)
                if ends and not (flag is None and self._closes(generator)):
                    raise StopConsuming(generator)
                if ends:
                    self._require_alone(generator)
                    leaving.append(genuine(GeneratorExit()))
                closed = closed if closed is True or isinstance(closed, Scalar) else False
                left = left or closed is not False
                if closed is not False and flag is None and not leaving:
                    self._give_up(
                        generator,
                        "a `break` that is decided at run time leaves a loop over a generator that "
                        "yields in an expression, a `try` or a `with`",
                    )
            if leaving:
                self.w.raise_static(leaving[0])
            if flag is not None:
                self.scopes.bind(flag, closed)
            return closed

        consuming = self.yields
        self.yields = [*consuming, produce]
        self.apart += apart
        try:
            result = self.functions.run_frame(frame, bound)
            if not left:
                self.w.store.set(generator, "rest", self.iterators.over(()))
            return None if leaving else result
        except Raised as raised:
            if leaving:  # neither what it raises now
                return None
            if type(raised.error) is StopIteration and id(raised.error) not in outside:
                self.w.raise_static(RuntimeError("generator raised StopIteration"))
            raise
        except StopConsuming as stop:
            if stop.generator is not generator:  # one further out, that this one is an item of
                self._require_nothing_left(generator)
                raise
            return None
        finally:
            self.yields = consuming
            self.apart -= apart

    def _closes(self, generator: GeneratorCall) -> bool:
        """Tell whether a generator that is left does something where Python closes it."""
        return closes_itself(self.functions.resuming.program_of(generator.function).tree)

    def _require_alone(self, generator: GeneratorCall) -> None:
        """Refuse to close a generator that something else holds than the loop that it leaves."""
        if id(generator) in self.sharing.reachable():
            self._require_nothing_left(generator)

    def _require_nothing_left(self, generator: GeneratorCall) -> None:
        """Refuse to leave a generator that does something when Python closes it later."""
        if self._closes(generator):
            self._give_up(generator, "Python closes this generator when nobody holds it any more")

    def _give_up(self, generator: GeneratorCall, why: str) -> NoReturn:
        """Refuse to walk a generator where its items are consumed."""
        self.functions.resuming.resume(
            generator, StagingError(why, self.w.here(), "make a list of it first")
        )

    @contextmanager
    def _outside(
        self, outer: tuple[int, int, int], consuming: list[Any], apart: bool
    ) -> Iterator[None]:
        """Go on where a generator is consumed, for one item; then be inside it again."""
        stacks: list[list[Any]] = [self.w.frames, self.w.node_stack, self.w.returned]
        inner = [stack[size:] for stack, size in zip(stacks, outer, strict=True)]
        for stack, size in zip(stacks, outer, strict=True):
            del stack[size:]
        self.w.pending += [*inner[0], *inner[2]]
        producing, self.yields = self.yields, consuming
        self.apart -= apart
        try:
            yield
        finally:
            self.yields = producing
            self.apart += apart
            for stack, held in zip(stacks, inner, strict=True):
                stack.extend(held)

    def yielded(self, value: Any, flag: str | None = None) -> Any:
        """Run what the consumer does with an item.

        Args:
            value: The item.
            flag: The local name that says whether the generator returns now.

        Returns:
            Whether the consumer wants no more: a bool, or one that is decided at run time.
        """
        produce = self.yields[-1] if self.yields else None
        if produce is None:
            self.w.refuse("`yield` outside a generator that is being consumed")
        return produce(value, flag)


def _used(consumer: Any, item: Any, outside: set[int]) -> tuple[Any, bool]:
    """Return whether the consumer wants no more items after one, and whether it stopped by itself.

    What is raised where the item is used is noted in `outside`.
    """
    try:
        return consumer(item), False
    except Raised as raised:
        outside.add(id(raised.error))
        raise
    except StopConsuming as stop:
        if stop.generator is not None:  # of another generator
            raise
        return True, True
