"""The chain run as Python runs it, within a deadline."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np

from elichika.process.configuration import configuration
from elichika.process.deadlines import called_within
from elichika.program.native_code import drew
from elichika.signature import BoundCall
from elichika.signature.records import conformed
from elichika.signature.structure import Constant, Structure
from elichika.verify.draws import held
from elichika.verify.isolate import copied, writes_to_a_parameter
from elichika.verify.outside import Outside
from elichika.verify.patching import patching

__all__ = ["Eager", "Outcome"]


@dataclass
class Outcome:
    """What a run came to: a value, an error, or neither when it was stopped at the deadline.

    Attributes:
        drew: Random numbers were drawn, although they were to be held.
        warned: What a RuntimeWarning said, where `Eager.listens`.
    """

    value: Any = None
    error: Exception | None = None
    seconds: float = 0.0
    stopped: bool = False
    drew: bool = False
    warned: str = ""


class Eager:
    """A chain to be run again and again from the same state.

    Attributes:
        level: What random numbers are held at, if they are; see `elichika.verify.draws`.
        seed: What numpy's generator starts from, if not from where it is.
        listens: Whether warnings are noted, those of numpy's arithmetic too.
    """

    def __init__(
        self,
        chain: Any,
        method: str | None = None,
        *,
        train: bool = False,
        structure: Structure | None = None,
        outside: Outside | None = None,
    ) -> None:
        """Take the chain, which is copied for each run, and the structure of the model's result.

        Records stand for objects where the model has them. What runs change `outside` the chain is
        put back after each.
        """
        self._outside = Outside([]) if outside is None else outside
        self._chain = chain
        self._before: tuple[Any, Any] = chain, None
        self._method = method
        self._train = train
        self._structure = Constant(None) if structure is None else structure
        self._share = True
        self.level: float | None = None
        self.seed: int | None = None
        self.listens = False

    def run(
        self,
        call: Callable[[], BoundCall],
        seconds: float | None = None,
        change: Callable[[Any], None] | None = None,
    ) -> Outcome:
        """Run a copy of the chain.

        Args:
            call: Makes fresh arguments.
            seconds: The deadline. It stops Python code at its next instruction; one long call of
                native code is waited for.
            change: Changes the copy, which then owns its parameters, before it runs.
        """
        outcome = self._run(
            self._copy(share_parameters=self._share and not change), call, seconds, change
        )
        if self._share and outcome.error is not None and writes_to_a_parameter(outcome.error):
            self._share = False
            return self._run(self._copy(share_parameters=False), call, seconds, change)
        return outcome

    def step(self, call: Callable[[], BoundCall], seconds: float | None = None) -> Outcome:
        """Run a copy of the chain, and go on from the state that it leaves unless it fails."""
        chain = self._copy(share_parameters=False)
        self._before = self._chain, self._outside.reached
        with self._outside.going_on() as keep:
            outcome = self._run(chain, call, seconds, None)
            if outcome.error is None and not outcome.stopped:
                self._chain = chain
                keep()
        return outcome

    def _copy(self, *, share_parameters: bool) -> Any:
        owners = self._outside.owners
        return copied(self._chain, share_parameters=share_parameters, shared=owners)

    def undo(self) -> None:
        """Take back the last step."""
        self._chain, self._outside.reached = self._before

    def _run(
        self,
        chain: Any,
        call: Callable[[], BoundCall],
        seconds: float | None,
        change: Callable[[Any], None] | None,
    ) -> Outcome:
        if change is not None:
            change(chain)
        arguments = call()
        function = chain if self._method is None else getattr(chain, self._method)

        def result() -> Any:
            value = function(*arguments.args, **arguments.kwargs)
            return conformed(value, self._structure)

        outcome = Outcome()
        before = np.random.get_state() if self.level is not None else None
        start = time.perf_counter()
        try:
            noted = _noted(outcome) if self.listens else nullcontext()
            put_back, configured = self._outside.put_back(), _configuration(self._train, self.seed)
            with put_back, configured, held(self.level), noted:
                outcome.value = self._outside.apart(called_within(seconds, _Stop, result))
                outcome.drew = before is not None and drew(before)
        except _Stop:
            outcome.stopped = True
        except Exception as error:  # whatever the user's program raises
            outcome.error = error
        outcome.seconds = time.perf_counter() - start
        return outcome


@contextmanager
def _configuration(train: bool, seed: int | None) -> Iterator[None]:
    """The configuration that models are compiled under; numpy's random state is put back."""
    state = np.random.get_state()
    if seed is not None:
        np.random.seed(seed)
    with configuration(train):
        try:
            yield
        finally:
            np.random.set_state(state)


@contextmanager
def _noted(outcome: Outcome) -> Iterator[None]:
    """Note the first RuntimeWarning."""
    with (
        patching,
        warnings.catch_warnings(record=True) as caught,
        np.errstate(all="warn", under="ignore"),
    ):
        warnings.simplefilter("always")
        yield
        found = [one for one in caught if issubclass(one.category, RuntimeWarning)]
        outcome.warned = str(found[0].message) if found else ""


class _Stop(BaseException):
    """Raised inside a program that has run for too long."""
