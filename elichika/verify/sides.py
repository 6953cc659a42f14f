"""Both sides of a verification, the chain and its model, run on the same inputs."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from itertools import cycle
from typing import Any, Protocol

from elichika.errors import InputError, ModelRuntimeError, SourceFrame
from elichika.model.session import DeadlineError
from elichika.signature import BoundCall, Signature
from elichika.verify.draws import LEVELS
from elichika.verify.eager import Eager, Outcome
from elichika.verify.outside import Outside, around

__all__ = ["Runnable", "Sides"]

SLOWER = 10.0
"""A derived run may take this many times as long as the example's …"""
PATIENCE = 2.0
"""… and at least this many seconds."""


class Runnable(Protocol):
    """A model that can be verified."""

    signature: Signature
    outside: list[tuple[Any, str]] | None

    @property
    def state(self) -> Mapping[str, Any]:
        """What the next call starts from."""

    def reset(self) -> None:
        """Let the next call start from the state that the chain had."""

    @property
    def draws(self) -> bool:
        """Whether it draws random numbers."""

    def call_with(
        self, leaves: list[Any], *, seconds: float | None = None, level: float | None = None
    ) -> Any:
        """Run on leaves, and return what the chain would; random numbers are held at a level."""

    def place_of_output(self, name: str) -> tuple[SourceFrame, ...]:
        """Return the user's lines behind an output."""


class Sides:
    """A chain and its model.

    Attributes:
        eager: The chain, to be run from the state that it has.
        deadline: How long a run on a derived input may take.
        cost: What the dearest example took on both sides, in seconds.
    """

    def __init__(self, chain: Any, model: Runnable) -> None:
        signature = model.signature
        outside = around(chain) if model.outside is None else model.outside
        self.model = model
        self.specs = signature.inputs.specs
        self.eager = Eager(
            chain,
            signature.method,
            train=signature.train,
            structure=signature.outputs.structure,
            outside=Outside(outside),
        )
        self.cost, self.deadline = 0.0, PATIENCE
        self._levels = cycle(LEVELS) if model.draws else None

    def next_level(self) -> None:
        """Hold random numbers, if there are any, at the next level."""
        if self._levels is not None:
            self.eager.level = next(self._levels)

    def arguments(self, leaves: Sequence[Any]) -> list[Any]:
        """Return leaves as the chain takes them, with their own memory."""
        return [spec.to_python(leaf) for spec, leaf in zip(self.specs, leaves, strict=True)]

    def call(self, leaves: Sequence[Any]) -> Callable[[], BoundCall]:
        """Return what makes fresh arguments of leaves."""
        return lambda: self.model.signature.inputs.call_of(leaves)

    def run_chain(
        self, leaves: Sequence[Any], change: Callable[[Any], None] | None = None
    ) -> Outcome:
        """Run the chain within the deadline, on a copy that `change` changes."""
        return self.eager.run(self.call(leaves), self.deadline, change)

    def step_chain(self, leaves: Sequence[Any]) -> Outcome:
        """Run the chain within the deadline, and go on from the state that it leaves."""
        return self.eager.step(self.call(leaves), self.deadline)

    def run_model(self, leaves: Sequence[Any], eager: Outcome) -> Outcome:
        """Run the model from the chain's state, for as long as the chain suggests."""
        self.model.reset()
        return self.step_model(leaves, eager)

    def step_model(self, leaves: Sequence[Any], eager: Outcome) -> Outcome:
        """Run the model from the state that its last run left."""
        return self._run_model(leaves, max(self.deadline, SLOWER * eager.seconds))

    def run_chain_on_example(self, leaves: Sequence[Any]) -> Outcome:
        """Run the chain without a deadline, unless its draws are held, which may have no end."""
        seconds = None if self._levels is None else PATIENCE * 10
        return self.eager.run(self.call(leaves), seconds)

    def run_model_on_example(self, leaves: Sequence[Any], eager: Outcome) -> Outcome:
        """Run the model on what the user gave, and see what derived inputs may take."""
        self.model.reset()
        model = self._run_model(leaves, max(PATIENCE * 10, SLOWER * eager.seconds))
        cost = eager.seconds + model.seconds
        self.cost = max(self.cost, cost)
        self.deadline = max(self.deadline, SLOWER * cost)
        return model

    def _run_model(self, leaves: Sequence[Any], seconds: float) -> Outcome:
        start = time.perf_counter()
        outcome = Outcome()
        try:
            outcome.value = self.model.call_with(
                self.arguments(leaves), seconds=seconds, level=self.eager.level
            )
        except DeadlineError:
            outcome.stopped = True
        except (ModelRuntimeError, InputError) as error:
            outcome.error = error
        outcome.seconds = time.perf_counter() - start
        return outcome
