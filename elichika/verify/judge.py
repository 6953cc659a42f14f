"""What it means that the chain gave this and the model that, on one input."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from chainer.utils import type_check

from elichika.errors import InputError, SourceFrame, VerificationError
from elichika.signature import InputSpec
from elichika.signature.slots import ABSENT
from elichika.verify.compare import Comparison, Difference, compare
from elichika.verify.derive import Trial
from elichika.verify.eager import Outcome
from elichika.verify.failures import error_text, frames_of, is_library
from elichika.verify.moves import distances, tensors
from elichika.verify.orders import held_orders
from elichika.verify.reached import Probe
from elichika.verify.report import VerificationReport
from elichika.verify.rounding import explained_by_rounding
from elichika.verify.sides import Sides

__all__ = ["Judge"]

LOOKING, SHARE = 0.1, 0.2
"""Seconds, and the share of all, that counting what inputs reach may take."""
LARGEST_SHOWN = 16
STRICT = (LookupError, ArithmeticError, NameError, AttributeError, RecursionError)
"""Errors that are the program's own wherever they are raised."""
CHECKS = (ValueError, TypeError, AssertionError)
"""Errors that are checks of types and sizes where a library raises them."""


@dataclass
class Judge:
    """Writes a report; a difference is raised.

    Attributes:
        sides: What is run again where that tells more.
        report: The report.
        tolerances: Relative errors by dtype name.
        seed: For what is drawn at random.
        probe: Counts what the inputs reach in the model.
    """

    sides: Sides
    report: VerificationReport
    tolerances: Mapping[str, float]
    seed: int
    probe: Probe | None = None

    def __post_init__(self) -> None:
        self._start, self._looking = time.perf_counter(), 0.0
        self._first: dict[str, Any] = {}

    def refuse(self, trial: Trial, text: str, frames: Sequence[SourceFrame] = ()) -> None:
        """Say that chain and model differ.

        Raises:
            VerificationError: Always.
        """
        raise VerificationError(
            f"On {trial.text}, {text}.",
            frames,
            f"the first value is the chain's; {_shown_call(self.sides.specs, trial.leaves)}",
        )

    def leave_out(self, trial: Trial, why: str) -> None:
        """Note that an input could not be tried."""
        self.report.not_tried.append((trial.text, why))

    def judge(self, trial: Trial, eager: Outcome, model: Outcome, *, strict: bool) -> None:
        """Judge what came of a run; `strict` on inputs that the user gave.

        Raises:
            VerificationError: They differ.
        """
        if eager.drew:
            self.leave_out(trial, "the chain draws random numbers in a way that cannot be held")
        elif eager.error is not None:
            self._judge_failure(trial, eager.error, model, strict=strict)
        elif model.stopped:
            self.refuse(trial, f"eager takes {eager.seconds:.2f} s, the model did not finish")
        elif isinstance(model.error, InputError) and not strict:
            self.leave_out(trial, model.error.message)
        elif model.error is not None:
            message = getattr(model.error, "message", str(model.error))
            if not self._is_unstable(trial, eager.value, None):
                text = f"the model fails where the chain does not: {message}"
                self.refuse(trial, text, getattr(model.error, "frames", ()))
        else:
            self._judge_values(trial, eager.value, model.value)

    def judge_derived(self, trial: Trial, eager: Outcome, model: Outcome) -> None:
        """Judge what came of an input that nobody gave.

        Where it is beyond the range of the example, and numpy warns of what the chain makes of it
        or raises a floating-point error, a difference is noted.

        Raises:
            VerificationError: They differ.
        """
        raised = isinstance(eager.error, FloatingPointError)
        worst, widened = self.report.worst, list(self.report.widened)
        try:
            self.judge(trial, eager, model, strict=False)
        except VerificationError:
            if not (trial.beyond and (eager.warned or raised)):
                raise
            self.report.worst, self.report.widened = worst, widened
            why = error_text(eager.error) if eager.error is not None else eager.warned
            self.report.warned.append((trial.text, why))

    def _judge_failure(
        self, trial: Trial, error: Exception, model: Outcome, *, strict: bool
    ) -> None:
        text = error_text(error)
        if model.error is not None:
            self.report.failed.append((trial.text, text))
        elif isinstance(error, Warning):
            self.leave_out(trial, f"a warning is an error here: {text}")
        elif model.stopped:
            self.leave_out(trial, f"{text}; the model does not finish")
        elif strict or not _is_library_check(error):
            text = f"the chain raises {text}, the model returns a value"
            self.refuse(trial, text, frames_of(error))
        else:
            self.report.refused_by_eager.append((trial.text, text))

    def _judge_values(self, trial: Trial, expected: Any, actual: Any) -> None:
        found = self.compared(expected, actual)
        again = partial(self.sides.run_chain, trial.leaves)
        if found.differences and self.is_of_another_order(trial, actual, again):
            return
        self.report.worst = max(self.report.worst, found.worst)
        self.report.widened += [(trial.text, text) for text in found.widened]
        for difference in found.differences:
            if not self._is_unstable(trial, expected, difference):
                where = f" (result{difference.where})" if difference.where else ""
                named = difference.output is not None
                shown = f"`{difference.output}`" if named else "the result"
                self.refuse_value(trial, difference, f"{shown}{where}")
        if not found.differences:
            self.agree(trial, found.worst, actual)
            self._look(trial)

    def agree(self, trial: Trial, worst: float, actual: Any) -> None:
        """Note that they agree on an input, and how far the model's result is from its first."""
        result = dict(tensors(actual))
        for place, value in result.items():
            if value.size:
                self._first.setdefault(place, value)
        self.report.agreed.append(trial.text)
        self.report.errors[trial.text] = worst
        self.report.moved[trial.text] = distances(self._first, result)

    def refuse_value(self, trial: Trial, difference: Difference, shown: str) -> None:
        """Say that a value differs, with the line behind the output of the model.

        Raises:
            VerificationError: Always.
        """
        name = difference.output
        frames = () if name is None else self.sides.model.place_of_output(name)
        self.refuse(trial, f"{shown} differs: {difference.text}", frames)

    def compared(self, expected: Any, actual: Any) -> Comparison:
        """Compare two results."""
        outputs = self.sides.model.signature.outputs
        return compare(expected, actual, outputs.structure, outputs.specs, self.tolerances)

    def _look(self, trial: Trial) -> None:
        """Count what an input reaches in the model, as long as that takes a small share of all."""
        if self.probe is None or self.probe.is_whole:
            return
        self.probe.load()
        start = time.perf_counter()
        if self._looking > max(LOOKING, SHARE * (start - self._start)):
            return
        leaves = self.sides.arguments(trial.leaves)
        self.probe.look(leaves, self.sides.eager.level, self.sides.deadline)
        self._looking += time.perf_counter() - start

    def is_of_another_order(self, trial: Trial, actual: Any, run: Callable[[], Outcome]) -> bool:
        """Tell whether they differ by nothing but an order that numpy leaves open, and note it."""
        with held_orders() as seen:
            again = run()
        if again.error is not None or again.stopped:
            return False
        found = self.compared(again.value, actual)
        if not found.differences:
            self.agree(trial, found.worst, actual)
            return True
        if not seen:
            return False
        text = f"numpy leaves open how `{seen[0]}` orders what is equal, or the parts it makes"
        self.report.open_orders.append((trial.text, text))
        return True

    def _is_unstable(self, trial: Trial, expected: Any, difference: Difference | None) -> bool:
        """Tell whether rounding explains a difference, and note it."""
        text = explained_by_rounding(self.sides, trial, expected, difference, self.seed)
        if text is not None and (trial.text, text) not in self.report.unstable:
            self.report.unstable.append((trial.text, text))
        return text is not None


def _is_library_check(error: BaseException) -> bool:
    """Tell whether an error is a check of types and sizes inside Chainer or numpy."""
    if isinstance(error, type_check.InvalidType):
        return True
    if isinstance(error, STRICT) or not isinstance(error, CHECKS):
        return False
    raised = [frame.f_code.co_filename for frame, _ in traceback.walk_tb(error.__traceback__)][-1]
    return is_library(raised)


def _shown_call(specs: Sequence[InputSpec], leaves: Sequence[Any]) -> str:
    parts = [one for one in zip(specs, leaves, strict=True) if one[1] is not ABSENT]
    return ", ".join(f"{spec.name} = {_shown_leaf(spec, leaf)}" for spec, leaf in parts) or "empty"


def _shown_leaf(spec: InputSpec, leaf: Any) -> str:
    if spec.kind == "list":
        shapes = ", ".join(str(list(np.shape(item))) for item in leaf[:LARGEST_SHOWN])
        items = repr(leaf) if spec.element == "scalar" else f"{spec.dtype} of sizes {shapes}"
        return f"list of {len(leaf)} ({items})"
    if spec.kind in ("scalar", "tag"):
        return repr(leaf)
    text = f"{leaf.dtype}{list(leaf.shape)}"
    return f"{leaf.tolist()} ({text})" if leaf.size <= LARGEST_SHOWN else text
