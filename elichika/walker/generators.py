"""Generators of the program: walked where their items are consumed."""

from __future__ import annotations

from typing import Any

from elichika.state.store import MISSING
from elichika.values.functions import GeneratorCall
from elichika.values.symbolic import Scalar
from elichika.walker.core import Core
from elichika.walker.loops import StopConsuming


class Generators(Core):
    """The part of the walker that runs generators."""

    def as_generator(self, value: Any) -> GeneratorCall | None:
        """Return `value` if it is a generator of the walked program."""
        if isinstance(value, GeneratorCall) and self.store.get(value, "rest") is MISSING:
            return value
        return None

    def new_generator(
        self, function: Any, args: list[Any], kwargs: dict[str, Any]
    ) -> GeneratorCall:
        made: GeneratorCall = self.store.born(GeneratorCall(function, args, kwargs))
        return made

    def consume(self, generator: GeneratorCall, consumer: Any) -> Any:
        """Walk a generator; each `yield` calls `consumer` with the item, where it stands.

        Args:
            generator: What was not used before.
            consumer: Returns whether it wants no more items: True or a run-time bool.

        Returns:
            What the generator returns; None where the consumer wanted no more items.
        """
        if self.store.get(generator, "started") not in (MISSING, False):
            self.refuse("this generator was used before", "make a list of its items first")
        self.store.set(generator, "started", True)
        frame, bound = self.entered(generator.function, generator.args, generator.kwargs)
        outer = list(self.frames), list(self._node), list(self.returned)
        left = False
        scope = self.graph.scope

        def produce(item: Any, flag: str | None) -> Any:
            nonlocal left
            inner = self.frames[len(outer[0]) :], self._node[len(outer[1]) :]
            results = self.returned[len(outer[2]) :]
            del self.frames[len(outer[0]) :]
            del self._node[len(outer[1]) :]
            del self.returned[len(outer[2]) :]
            self.pending += [*inner[0], *results]
            producing, self.yields = self.yields, consuming
            try:
                closed = consumer(item)
                if closed is True and self.graph.scope is scope:
                    raise StopConsuming(generator)
                closed = closed if closed is True or isinstance(closed, Scalar) else False
                left = left or closed is not False
                if closed is not False and flag is None:
                    self.refuse(
                        "a `break` that is decided at run time leaves a loop over a generator that "
                        "yields in an expression, a `try` or a `with`",
                        "make a list of it first",
                    )
            except StopConsuming as stop:
                raise stop if stop.generator is not None else StopConsuming(generator) from None
            finally:
                self.yields = producing
                self.frames.extend(inner[0])
                self._node.extend(inner[1])
                self.returned.extend(results)
            if flag is not None:
                self.bind(flag, closed)
            return closed

        consuming = self.yields
        self.yields = [*consuming, produce]
        try:
            result = self.run_frame(frame, bound)
            if not left:
                self.store.set(generator, "rest", self.over(()))
            return result
        except StopConsuming as stop:
            if stop.generator is not generator:  # one further out, that this one is an item of
                raise
            return None
        finally:
            self.yields = consuming

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
            self.refuse("`yield` outside a generator that is being consumed")
        return produce(value, flag)
