"""`verify`: run both sides on many inputs and say where they first differ."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import cycle, islice
from typing import Any, Protocol

import chainer
import numpy as np
from chainer.utils import type_check

from elichika.errors import InputError, ModelRuntimeError, SourceFrame, VerificationError
from elichika.model.session import DeadlineError
from elichika.signature import BoundCall, InputSpec, Signature
from elichika.signature.feeds import feeds_from_leaves
from elichika.signature.reading import read_call
from elichika.verify.changes import nudged
from elichika.verify.compare import TOLERANCES, Comparison, Difference, compare, leaf_at
from elichika.verify.derive import Trial, derived
from elichika.verify.draws import LEVELS, RUNS, spread_apart
from elichika.verify.eager import Eager, Outcome
from elichika.verify.failures import chain_fails, error_text, frames_of, is_library
from elichika.verify.kinds import form_of
from elichika.verify.orders import held_orders
from elichika.verify.outside import Outside, around
from elichika.verify.reached import Probe
from elichika.verify.report import VerificationReport

__all__ = ["Runnable", "verify"]

SLOWER = 10.0
"""A derived run may take this many times as long as the example's …"""
PATIENCE = 2.0
"""… and at least this many seconds."""
NUDGES = 8
LOOKING, SHARE = 0.1, 0.2
"""Seconds, and the share of all, that counting what inputs reach may take."""
IN_A_ROW = 8
"""Derived inputs among the calls of a stream."""
AMPLIFIED = 10.0
"""A difference up to this many times what nudging does to eager is put down to rounding."""
LARGEST_SHOWN = 16
STRICT = (LookupError, ArithmeticError, NameError, AttributeError, RecursionError)
"""Errors that are the program's own wherever they are raised."""


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


def verify(
    chain: Any,
    model: Runnable,
    *,
    examples: Sequence[Any] = (),
    derive: bool = True,
    runs: int = 40,
    seconds: float | None = None,
    tolerances: Mapping[str, float] | None = None,
    seed: int = 0,
    probe: Probe | None = None,
    about: Sequence[int] = (),
) -> VerificationReport:
    """Compare a model with its chain.

    Args:
        chain: The chain; it is not changed.
        model: The model.
        examples: Inputs besides those that it was compiled with; instead of them, for a model that
            was loaded from a file.
        derive: Whether to try inputs derived from the first example.
        runs: How many derived inputs are tried at most.
        seconds: How long deriving may take; the default is that of six runs of the example, and at
            least two seconds.
        tolerances: Relative errors by dtype name, in the place of the usual ones.
        seed: For what is drawn at random.
        probe: Counts what the inputs reach in the model.
        about: Whole numbers to try as sizes and numbers; see `elichika.verify.derive`.

    Raises:
        VerificationError: They differ, or only one of them fails.
        InputError: The chain itself fails on an example, or an example does not fit.
    """
    verifier = _Verifier(chain, model, {**TOLERANCES, **(tolerances or {})}, seed, probe, about)
    shown = _shown_inputs(model.signature, examples)
    for number, trial in enumerate(shown):
        verifier.example(trial, first=number == 0)
    if model.draws:
        verifier.spread(shown[0])
    if derive:
        cost = verifier.cost
        budget = seconds if seconds is not None else max(2.0, 6 * cost)
        verifier.derive(shown[0], runs, time.perf_counter() + budget)
    if model.state:
        verifier.in_a_row(shown)
        model.reset()
    verifier.report.reached = probe.reached() if probe is not None else None
    verifier.report.seconds = time.perf_counter() - verifier.start
    return verifier.report


def _shown_inputs(signature: Signature, examples: Sequence[Any]) -> list[Trial]:
    inputs = signature.inputs
    trials = []
    if all(spec.example is not None for spec in inputs.specs):
        trials.append(Trial("the example", [spec.example for spec in inputs.specs]))
    for number, example in enumerate(examples):
        text = f"examples[{number}]"
        try:
            leaves = read_call(inputs, example)
            feeds_from_leaves(inputs, leaves)
        except InputError as error:
            raise InputError(f"{text}: {error.message}") from None
        trials.append(Trial(text, leaves))
    if not trials:
        raise InputError("A model loaded from a file is verified on inputs that you give.")
    return trials


@dataclass
class _Verifier:
    chain: Any
    model: Runnable
    tolerances: Mapping[str, float]
    seed: int
    probe: Probe | None = None
    about: Sequence[int] = ()

    def __post_init__(self) -> None:
        signature = self.model.signature
        self.eager = Eager(
            self.chain,
            signature.method,
            train=signature.train,
            structure=signature.outputs.structure,
            outside=Outside(
                around(self.chain) if self.model.outside is None else self.model.outside
            ),
        )
        self.report = VerificationReport(numpy=np.__version__)
        self.start = time.perf_counter()
        self.cost = self._looking = 0.0
        self._deadline = PATIENCE
        self._levels = cycle(LEVELS) if self.model.draws else None

    @property
    def _specs(self) -> Sequence[InputSpec]:
        return self.model.signature.inputs.specs

    def _call(self, leaves: Sequence[Any]) -> Callable[[], BoundCall]:
        def fresh() -> BoundCall:
            parts = zip(self._specs, leaves, strict=True)
            return self.model.signature.inputs.rebuild(
                [spec.to_python(leaf) for spec, leaf in parts]
            )

        return fresh

    def _next_level(self) -> None:
        """Hold random numbers, if there are any, at the next level."""
        if self._levels is not None:
            self.eager.level = next(self._levels)

    def spread(self, trial: Trial) -> None:
        """Let both sides draw, many times, and compare what comes out as distributions."""
        self.eager.level, ours, theirs = None, [], []
        for self.eager.seed in range(RUNS):
            eager = self.eager.run(self._call(trial.leaves), self._deadline)
            model = self._model(trial.leaves, max(self._deadline, SLOWER * eager.seconds))
            if eager.error is None and model.error is None and not eager.stopped | model.stopped:
                ours.append(eager.value)
                theirs.append(model.value)
        self.eager.seed = None
        text = spread_apart(ours, theirs) if ours else None
        if text is not None:
            self._raise(trial, f"chain and model draw from other distributions: {text}", ())
        self.report.draws = (
            f"the model draws its own; compared with draws held at {', '.join(map(str, LEVELS))} "
            f"on both sides, and by mean and mean square over {len(ours)} free runs"
        )

    def in_a_row(self, shown: Sequence[Trial]) -> None:
        """Compare several calls, each from the state that the one before it left."""
        self.model.reset()
        trials = derived(self._specs, shown[0].leaves, self.seed)
        others = islice((trial for trial in trials if not trial.special), IN_A_ROW)
        for number, trial in enumerate([*shown, *others, shown[0]], 1):
            self._next_level()
            eager = self.eager.step(self._call(trial.leaves), self._deadline)
            if eager.stopped or eager.error is not None or eager.drew:
                continue
            trial = Trial(f"call {number} in a row, {trial.text}", trial.leaves)
            model = self._run_model(trial.leaves, max(self._deadline, SLOWER * eager.seconds))
            if model.stopped or model.error is not None:
                self._raise(trial, f"the model fails where the chain does not: {model.error}", ())
            found = self._compared(eager.value, model.value)
            if found.differences:
                self.eager.undo()
                step = partial(self.eager.step, self._call(trial.leaves), self._deadline)
                if self._is_of_another_order(trial, model.value, step):
                    continue
            for difference in found.differences:
                name = difference.output
                frames = self.model.place_of_output(name) if name is not None else ()
                self._raise(trial, f"`{name}` differs: {difference.text}", frames)
            self.report.agreed.append(trial.text)

    def _model(self, leaves: list[Any], seconds: float | None) -> Outcome:
        self.model.reset()
        return self._run_model(leaves, seconds)

    def _run_model(self, leaves: list[Any], seconds: float | None) -> Outcome:
        start = time.perf_counter()
        outcome = Outcome()
        parts = zip(self._specs, leaves, strict=True)
        try:
            outcome.value = self.model.call_with(
                [spec.to_python(leaf) for spec, leaf in parts],
                seconds=seconds,
                level=self.eager.level,
            )
        except DeadlineError:
            outcome.stopped = True
        except (ModelRuntimeError, InputError) as error:
            outcome.error = error
        outcome.seconds = time.perf_counter() - start
        return outcome

    def example(self, trial: Trial, *, first: bool) -> None:
        """Compare on an input that the user gave; without a deadline for the chain."""
        self._next_level()
        seconds = None if self._levels is None else PATIENCE * 10
        eager = self.eager.run(self._call(trial.leaves), seconds)
        if eager.stopped:
            reason = "the chain does not finish with all draws alike"
            return self.report.not_tried.append((trial.text, reason))
        if eager.error is not None and first:
            raise chain_fails(trial.text, eager.error) from eager.error
        deadline = max(PATIENCE * 10, SLOWER * eager.seconds)
        model = self._model(trial.leaves, deadline)
        cost = eager.seconds + model.seconds
        self.cost = max(self.cost, cost)
        self._deadline = max(self._deadline, SLOWER * cost)
        return self._judge(trial, eager, model, strict=True)

    def derive(self, base: Trial, runs: int, until: float) -> None:
        """Compare on derived inputs, as long as the budget lasts."""
        left = []
        tried = 0
        for trial in derived(self._specs, base.leaves, self.seed, self.about):
            if tried >= runs or time.perf_counter() > until:
                left.append(trial.text)
                continue
            tried += 1
            self._next_level()
            self.eager.listens = trial.special
            eager = self.eager.run(self._call(trial.leaves), self._deadline)
            self.eager.listens = False
            if trial.special and (eager.error is not None or eager.warned):
                reason = error_text(eager.error) if eager.error is not None else eager.warned
                self.report.warned.append((trial.text, reason))
                continue
            if eager.stopped:
                reason = f"eager takes longer than {self._deadline:.0f} s"
                self.report.not_tried.append((trial.text, reason))
                continue
            model = self._model(trial.leaves, max(self._deadline, SLOWER * eager.seconds))
            self._judge(trial, eager, model, strict=False)
        if left:
            self.report.not_tried.append(("; ".join(left), "beyond the budget"))

    def _judge(self, trial: Trial, eager: Outcome, model: Outcome, *, strict: bool) -> None:
        if eager.drew:
            reason = "the chain draws random numbers in a way that cannot be held"
            self.report.not_tried.append((trial.text, reason))
        elif eager.error is not None:
            self._judge_failure(trial, eager.error, model, strict=strict)
        elif model.stopped:
            self._raise(trial, f"eager takes {eager.seconds:.2f} s, the model did not finish", ())
        elif isinstance(model.error, InputError) and not strict:
            self.report.not_tried.append((trial.text, model.error.message))
        elif model.error is not None:
            frames = getattr(model.error, "frames", ())
            message = getattr(model.error, "message", str(model.error))
            if not self._unstable(trial, eager.value, None):
                self._raise(trial, f"the model fails where the chain does not: {message}", frames)
        else:
            self._compare(trial, eager.value, model.value)

    def _judge_failure(
        self, trial: Trial, error: Exception, model: Outcome, *, strict: bool
    ) -> None:
        text = error_text(error)
        if model.error is not None:
            self.report.failed.append((trial.text, text))
        elif isinstance(error, Warning):
            reason = f"a warning is an error here: {text}"
            self.report.not_tried.append((trial.text, reason))
        elif model.stopped:
            self.report.not_tried.append((trial.text, f"{text}; the model does not finish"))
        elif strict or not _is_library_check(error):
            self._raise(
                trial,
                f"the chain raises {text}, the model returns a value",
                frames_of(error),
            )
        else:
            self.report.refused_by_eager.append((trial.text, text))

    def _compare(self, trial: Trial, expected: Any, actual: Any) -> None:
        found = self._compared(expected, actual)
        if found.differences:
            run = partial(self.eager.run, self._call(trial.leaves), self._deadline)
            if self._is_of_another_order(trial, actual, run):
                return
        self.report.worst = max(self.report.worst, found.worst)
        self.report.widened += [(trial.text, text) for text in found.widened]
        for difference in found.differences:
            if not self._unstable(trial, expected, difference):
                name = difference.output
                frames = self.model.place_of_output(name) if name is not None else ()
                shown = f"`{name}`" if name is not None else "the result"
                where = f" (result{difference.where})" if difference.where else ""
                self._raise(trial, f"{shown}{where} differs: {difference.text}", frames)
        if not found.differences:
            self.report.agreed.append(trial.text)
            self._look(trial)

    def _look(self, trial: Trial) -> None:
        """Count what an input reaches in the model, as long as that takes a small share of all."""
        if self.probe is None or self.probe.is_whole:
            return
        self.probe.load()
        start = time.perf_counter()
        if self._looking > max(LOOKING, SHARE * (start - self.start)):
            return
        parts = zip(self._specs, trial.leaves, strict=True)
        leaves = [spec.to_python(leaf) for spec, leaf in parts]
        self.probe.look(leaves, self.eager.level, self._deadline)
        self._looking += time.perf_counter() - start

    def _compared(self, expected: Any, actual: Any) -> Comparison:
        outputs = self.model.signature.outputs
        return compare(expected, actual, outputs.structure, outputs.specs, self.tolerances)

    def _is_of_another_order(self, trial: Trial, actual: Any, run: Callable[[], Outcome]) -> bool:
        """Tell whether they differ by nothing but an order that numpy leaves open, and note it."""
        with held_orders() as seen:
            again = run()
        if again.error is not None or again.stopped:
            return False
        if not self._compared(again.value, actual).differences:
            self.report.agreed.append(trial.text)
            return True
        if not seen:
            return False
        text = f"numpy leaves open how `{seen[0]}` orders what is equal, or the parts it makes"
        self.report.open_orders.append((trial.text, text))
        return True

    def _raise(self, trial: Trial, text: str, frames: Sequence[SourceFrame]) -> None:
        raise VerificationError(
            f"On {trial.text}, {text}.",
            frames,
            f"the first value is the chain's; {_shown_call(self._specs, trial.leaves)}",
        )

    # Rounding

    def _unstable(self, trial: Trial, expected: Any, difference: Difference | None) -> bool:
        """Tell whether nudging changes eager's own result as much, and note it."""
        changed: Any = None
        for number in range(NUDGES):
            random = np.random.RandomState(self.seed + number)
            moved = [_moved(leaf, random) for leaf in trial.leaves]
            nudge = partial(_nudge, random=random)
            outcome = self.eager.run(self._call(moved), self._deadline, nudge)
            if outcome.stopped or outcome.error is not None:
                return self._note(trial, "eager itself fails after rounding")
            if difference is None:
                continue
            if difference.expected is None:
                if form_of(expected) == form_of(outcome.value):
                    continue
                return self._note(trial, "eager's own structure or shape changes with rounding")
            try:
                other = np.asarray(leaf_at(outcome.value, difference.steps))
            except LookupError:
                return self._note(trial, "eager's own structure changes with rounding")
            if other.shape != difference.expected.shape or other.dtype != difference.expected.dtype:
                return self._note(trial, "eager's own shape changes with rounding")
            change = _change(difference.expected, other)
            changed = change if changed is None else np.maximum(changed, change)
        if difference is None or difference.expected is None or changed is None:
            return False
        gap = _change(difference.expected, difference.actual)
        if difference.expected.dtype.kind == "f":
            explained = bool(gap.max() <= AMPLIFIED * changed.max())
        else:
            explained = bool((changed[gap > 0] > 0).all())
        return explained and self._note(trial, f"`{difference.output}` turns on rounding errors")

    def _note(self, trial: Trial, text: str) -> bool:
        entry = (trial.text, text)
        if entry not in self.report.unstable:
            self.report.unstable.append(entry)
        return True


def _change(expected: Any, other: Any) -> np.ndarray[Any, Any]:
    """Return by how much each element changed; infinite where its kind did."""
    if expected.dtype.kind != "f":
        return np.asarray(expected != other, np.float64)
    left, right = expected.astype(np.float64), np.asarray(other).astype(np.float64)
    with np.errstate(all="ignore"):
        same = (left == right) | (np.isnan(left) & np.isnan(right))
        gap = np.where(same, 0.0, np.abs(left - right))
    return np.asarray(np.where(np.isnan(gap), np.inf, gap))


def _moved(leaf: Any, random: np.random.RandomState) -> Any:
    if isinstance(leaf, list):
        return [_moved(item, random) for item in leaf]
    if isinstance(leaf, (float, np.floating)) and leaf:  # a test of it for 0 has no rounding
        return type(leaf)(nudged(np.asarray(leaf), random)[()])
    return nudged(leaf, random) if isinstance(leaf, np.ndarray) else leaf


def _nudge(chain: Any, random: np.random.RandomState) -> None:
    """Nudge the parameters of a chain that owns them."""
    if isinstance(chain, chainer.Link):
        for _, parameter in sorted(chain.namedparams()):
            if isinstance(parameter.array, np.ndarray):
                parameter.array = nudged(parameter.array, random)


# Words


def _is_library_check(error: BaseException) -> bool:
    """Tell whether an error is a check of types and sizes inside Chainer or numpy."""
    if isinstance(error, type_check.InvalidType):
        return True
    if isinstance(error, STRICT) or not isinstance(error, (ValueError, TypeError, AssertionError)):
        return False
    raised = [frame.f_code.co_filename for frame, _ in traceback.walk_tb(error.__traceback__)][-1]
    return is_library(raised)


def _shown_call(specs: Sequence[InputSpec], leaves: Sequence[Any]) -> str:
    shown = []
    for spec, leaf in zip(specs, leaves, strict=True):
        if isinstance(leaf, list):
            shapes = ", ".join(str(list(np.shape(item))) for item in leaf[:LARGEST_SHOWN])
            items = repr(leaf) if spec.element == "scalar" else f"{spec.dtype} of sizes {shapes}"
            shown.append(f"{spec.name} = list of {len(leaf)} ({items})")
        elif isinstance(leaf, np.ndarray):
            text = f"{leaf.dtype}{list(leaf.shape)}"
            if leaf.size <= LARGEST_SHOWN:
                text = f"{leaf.tolist()} ({text})"
            shown.append(f"{spec.name} = {text}")
        else:
            shown.append(f"{spec.name} = {leaf!r}")
    return ", ".join(shown) or "empty"
