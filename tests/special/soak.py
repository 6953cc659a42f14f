"""Every table of operators on sizes 0 and 1 and on zeros of both signs, nan and inf.

    python -m tests.special.soak [chainer] [numpy] [names] [python] [PART OF]

Each program is compiled once, with all its sizes dynamic where it takes that, and run on
`inputs.tried`; the signs of zeros count.  It runs in a process of its own, whose end by a signal is
a finding as any other.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import multiprocessing
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

import elichika
from tests.lowerings.numpy import soak_names
from tests.programs import assert_equal, outcome
from tests.special.trials import SOURCES, Trial

TOGETHER = 40
#: Where models fail on purpose: what is asked for depends on identity, or on an accident
#: (docs/refusals.md), or is not defined.
UNSETTLED = (
    *soak_names.UNSETTLED,
    "whether a nan is among items asks for its identity",
    "whether a nan is among keys asks for its identity",
    "gives no order",
    "numpy makes floats of a range without numbers",
    "fewer initial states than sequences",
    "less than nothing is left of a side",
)


class Tried(Protocol):
    """What runs in a process of its own: a program and its inputs."""

    @property
    def name(self) -> str:
        """How it is shown."""

    def findings(self, tell: Callable[[str], object]) -> Iterator[str]:
        """Yield how a model differs, run by run; `tell` is told each run before it begins."""


@dataclass
class Whole:
    """A trial on its own inputs, results compared."""

    trial: Trial

    @property
    def name(self) -> str:
        """How it is shown."""
        return self.trial.name

    def findings(self, tell: Callable[[str], object]) -> Iterator[str]:
        """Yield how a model differs from its program, run by run."""
        trial = self.trial
        made = trial.compiled()
        if made is None:
            return
        for given in trial.runs():
            if trial.finite and not all(np.isfinite(v).all() for v in floats(given)):
                continue
            shown = ", ".join(f"{name}={value!r}" for name, value in given.items())
            tell(shown)
            said = _difference(trial, made, given)
            if said is not None:
                yield f"{said}\n    on {shown}"


def _difference(trial: Trial, made: Any, given: Mapping[str, Any]) -> str | None:
    expected = outcome(trial.chain().forward, trial.arguments(given))
    found = outcome(made, trial.arguments(given))
    if isinstance(expected, Exception):
        if isinstance(found, elichika.ElichikaError):
            return None
        return f"eager raises {expected!r}, the model gives {found!r}"
    if isinstance(found, Exception):
        if may_fail(trial, given, expected):
            return None
        if any(text in str(found) for text in UNSETTLED):
            return None
        if "the value is not in list" in str(found) and _has_nan(given):
            return None  # the same: of two checks that fail, the runtime may name the other one
        return f"the model fails: {str(found)[:200]!r}, eager gives {expected!r}"
    if not trial.signs:
        expected, found = unsigned(expected), unsigned(found)
    try:
        assert_equal(expected, found, tolerance=trial.tolerance)
    except AssertionError as error:
        return str(error)
    return None


def _has_nan(given: Mapping[str, Any]) -> bool:
    return any(np.isnan(value).any() for value in floats(given))


def may_fail(trial: Trial, given: Mapping[str, Any], expected: Any) -> bool:
    """Tell whether a model may fail where eager does not."""
    empty = not any(map(np.size, _leaves(expected)))
    nothing = any(np.size(leaf) == 0 for leaf in _leaves(list(given.values())))
    return {"": False, "always": True, "empty": empty, "sizes": nothing}[trial.lax]


def unsigned(value: Any) -> Any:
    """Return a result with all its zeros positive."""
    value = getattr(value, "array", value)
    if type(value) in (tuple, list):
        return type(value)(map(unsigned, value))
    if type(value) is float:
        return value + 0.0
    array = np.asarray(value)
    return np.asarray(array + np.zeros_like(array)) if array.dtype.kind == "f" else value


def floats(given: Mapping[str, Any]) -> list[Any]:
    """Return the floats among inputs, numbers and arrays."""
    leaves = _leaves(list(given.values()))
    return [leaf for leaf in leaves if np.asarray(leaf).dtype.kind == "f"]


def _leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (tuple, list)):
        return [leaf for item in value for leaf in _leaves(item)]
    return [getattr(value, "array", value)]


def isolated(trials: Iterable[Tried]) -> Iterator[tuple[str, str]]:
    """Yield the name of a trial and a finding; processes take some trials each."""
    every = iter(trials)
    rest = list(itertools.islice(every, TOGETHER))
    while rest:
        done = yield from _in_a_process(rest)
        rest = [*rest[done:], *itertools.islice(every, done)]


def _in_a_process(trials: list[Tried]) -> Iterator[tuple[str, str]]:
    """Run trials in a process until one ends it; return how many were run."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(trials, sender))
    process.start()
    sender.close()
    number, last = -1, ""
    while True:
        try:
            kind, text = receiver.recv()
        except EOFError:
            break
        if kind == "trial":
            number, last = number + 1, "while it was compiled"
        elif kind == "run":
            last = text
        elif kind == "found":
            yield trials[number].name, text
        else:
            number = len(trials) - 1
            last = ""
    process.join()
    if last:
        yield trials[number].name, f"ends the process ({process.exitcode})\n    on {last}"
    return number + 1


def _work(trials: list[Tried], sender: Any) -> None:
    warnings.simplefilter("ignore")
    with contextlib.redirect_stdout(io.StringIO()):  # what programs print
        _work_through(trials, sender)
    sender.send(("done", ""))


def _work_through(trials: list[Tried], sender: Any) -> None:
    for trial in trials:
        sender.send(("trial", ""))
        try:
            for finding in trial.findings(lambda shown: sender.send(("run", shown))):
                sender.send(("found", finding))
        except Exception as error:
            sender.send(("found", f"{type(error).__name__} while compiling: {error}"))


def shown(name: str, findings: Iterable[tuple[str, str]]) -> int:
    """Print the first two findings of each kind in a table; return how many kinds there are."""
    seen: dict[tuple[str, str], int] = {}
    for trial, text in findings:
        key = trial, text[:12]
        seen[key] = seen.get(key, 0) + 1
        if seen[key] <= 2:
            print(f"{name}: {trial}\n  {text}", flush=True)
    return len(seen)


def main() -> int:
    """Print two findings of each kind of each program; the exit code says whether there is any."""
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    names = [word for word in sys.argv[1:] if not word.isdigit()] or list(SOURCES)
    part, parts = numbers or (0, 1)
    start, wrong, count = time.time(), 0, 0
    for name in names:
        trials = [Whole(trial) for trial in SOURCES[name]()][part::parts]
        count += len(trials)
        wrong += shown(name, isolated(trials))
    print(f"{count} programs, {wrong} findings, {time.time() - start:.0f} s")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
