"""`verify`: run both sides on many inputs and say where they first differ."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, islice, zip_longest
from typing import Any

import numpy as np

from elichika.errors import InputError
from elichika.signature import InputSignature, InputSpec, Signature
from elichika.signature.feeds import feeds_from_leaves
from elichika.signature.profile import equal_sizes
from elichika.signature.reading import read_call
from elichika.signature.slots import ABSENT
from elichika.verify.compare import TOLERANCES
from elichika.verify.derive import Trial, derived
from elichika.verify.draws import LEVELS, RUNS, spread_apart
from elichika.verify.failures import chain_fails, error_text
from elichika.verify.judge import Judge
from elichika.verify.reached import Probe
from elichika.verify.report import VerificationReport
from elichika.verify.sides import Runnable, Sides

__all__ = ["Runnable", "verify"]

SIZES_ALONE = 3
"""Derived inputs in which sizes change that were equal in all examples."""
IN_A_ROW = 8
"""Derived inputs among the calls of a stream."""


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
    report: VerificationReport | None = None,
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
        report: Where to write what is found, for who looks meanwhile; the default is a new one.

    Raises:
        VerificationError: They differ, or only one of them fails.
        InputError: The chain itself fails on an example, or an example does not fit.
    """
    report = report or VerificationReport()
    report.numpy = np.__version__
    start = time.perf_counter()
    sides = Sides(chain, model)
    judge = Judge(sides, report, {**TOLERANCES, **(tolerances or {})}, seed, probe)
    shown = _shown_inputs(model.signature, examples)
    for number, trial in enumerate(shown):
        _on_example(judge, trial, first=number == 0)
    if model.draws:
        _on_distributions(judge, shown[0])
    if derive:
        budget = seconds if seconds is not None else max(2.0, 6 * sides.cost)
        trials = _of_kinds(model.signature.inputs, shown, seed, about)
        _on_derived(judge, trials, runs, time.perf_counter() + budget)
    if model.state:
        _on_calls_in_a_row(judge, shown)
        model.reset()
    report.reached = probe.reached() if probe is not None else None
    report.seconds = time.perf_counter() - start
    return report


def _shown_inputs(signature: Signature, examples: Sequence[Any]) -> list[Trial]:
    inputs = signature.inputs
    trials = []
    if inputs.examples:
        trials.append(Trial("the example", inputs.examples[0]))
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


def _of_kinds(
    inputs: InputSignature, shown: Sequence[Trial], seed: int, about: Sequence[int] = ()
) -> Iterator[Trial]:
    """Yield what is derived of the first example of each kind of call, in turn.

    Sizes that were equal in all examples change together, and in a few inputs apart.
    """
    first: dict[tuple[Any, ...], Trial] = {}
    for trial in shown:
        first.setdefault(tuple(inputs.variant_of(trial.leaves).items()), trial)
    one_size = {name: names[0] for names in equal_sizes(inputs) for name in names}
    together = [
        replace(spec, dims=tuple(one_size.get(str(dim), dim) for dim in spec.dims))
        for spec in inputs.specs
    ]
    groups: list[Iterable[Trial]] = []
    for number, trial in enumerate(first.values()):
        pairs = zip(inputs.specs, trial.leaves, strict=True)
        fixed = [leaf is ABSENT or spec.kind == "tag" for spec, leaf in pairs]
        text = f"of {trial.text}: " if number else ""
        groups.append(_varied(together, trial, fixed, text, seed, about))
        if one_size:
            apart = _varied(inputs.specs, trial, fixed, f"{text}each size alone: ", seed)
            groups.append(islice(apart, SIZES_ALONE))
    return filter(None, chain(*zip_longest(*groups)))


def _varied(
    specs: Sequence[InputSpec],
    trial: Trial,
    fixed: Sequence[bool],
    text: str,
    seed: int,
    about: Sequence[int] = (),
) -> Iterator[Trial]:
    """Yield what is derived of an example, whose fixed leaves stay."""
    free = [index for index, stays in enumerate(fixed) if not stays]
    part = [specs[index] for index in free]
    for made in derived(part, [trial.leaves[index] for index in free], seed, about):
        leaves = list(trial.leaves)
        for index, leaf in zip(free, made.leaves, strict=True):
            leaves[index] = leaf
        yield replace(made, text=text + made.text, leaves=leaves)


def _on_example(judge: Judge, trial: Trial, *, first: bool) -> None:
    """Compare on an input that the user gave."""
    sides = judge.sides
    sides.next_level()
    eager = sides.run_chain_on_example(trial.leaves)
    if eager.stopped:
        return judge.leave_out(trial, "the chain does not finish with all draws alike")
    if eager.error is not None and first:
        raise chain_fails(trial.text, eager.error) from eager.error
    model = sides.run_model_on_example(trial.leaves, eager)
    return judge.judge(trial, eager, model, strict=True)


def _on_derived(judge: Judge, trials: Iterable[Trial], runs: int, until: float) -> None:
    """Compare on derived inputs, as long as the budget lasts."""
    sides, left, tried = judge.sides, [], 0
    for trial in trials:
        if tried >= runs or time.perf_counter() > until:
            left.append(trial.text)
            continue
        tried += 1
        sides.next_level()
        sides.eager.listens = trial.special or trial.beyond
        eager = sides.run_chain(trial.leaves)
        sides.eager.listens = False
        if trial.special and (eager.error is not None or eager.warned):
            reason = error_text(eager.error) if eager.error is not None else eager.warned
            judge.report.warned.append((trial.text, reason))
        elif eager.stopped:
            judge.leave_out(trial, f"eager takes longer than {sides.deadline:.0f} s")
        else:
            model = sides.run_model(trial.leaves, eager)
            judge.judge_derived(trial, eager, model)
    if left:
        judge.report.not_tried.append(("; ".join(left), "beyond the budget"))


def _on_distributions(judge: Judge, trial: Trial) -> None:
    """Let both sides draw, many times, and compare what comes out as distributions."""
    sides, ours, theirs = judge.sides, [], []
    sides.eager.level = None
    for sides.eager.seed in range(RUNS):
        eager = sides.run_chain(trial.leaves)
        model = sides.run_model(trial.leaves, eager)
        if eager.error is None and model.error is None and not eager.stopped | model.stopped:
            ours.append(eager.value)
            theirs.append(model.value)
    sides.eager.seed = None
    text = spread_apart(ours, theirs) if ours else None
    if text is not None:
        judge.refuse(trial, f"chain and model draw from other distributions: {text}")
    judge.report.draws = (
        f"the model draws its own; compared with draws held at {', '.join(map(str, LEVELS))} "
        f"on both sides, and by mean and mean square over {len(ours)} free runs"
    )


def _on_calls_in_a_row(judge: Judge, shown: Sequence[Trial]) -> None:
    """Compare several calls, each from the state that the one before it left."""
    sides = judge.sides
    sides.model.reset()
    trials = _of_kinds(sides.model.signature.inputs, shown, judge.seed)
    others = islice((trial for trial in trials if not trial.special), IN_A_ROW)
    for number, given in enumerate([*shown, *others, shown[0]], 1):
        sides.next_level()
        sides.eager.listens = given.beyond
        eager = sides.step_chain(given.leaves)
        sides.eager.listens = False
        if eager.warned:
            sides.eager.undo()
            continue
        if eager.stopped or eager.error is not None or eager.drew:
            continue
        trial = Trial(f"call {number} in a row, {given.text}", given.leaves)
        model = sides.step_model(trial.leaves, eager)
        if model.stopped or model.error is not None:
            judge.refuse(trial, f"the model fails where the chain does not: {model.error}")
        found = judge.compared(eager.value, model.value)
        if found.differences:
            sides.eager.undo()
            again = partial(sides.step_chain, trial.leaves)
            if judge.is_of_another_order(trial, model.value, again):
                continue
            judge.refuse_value(trial, found.differences[0], f"`{found.differences[0].output}`")
        judge.agree(trial, found.worst, model.value)
