"""Random models, compiled once and run on six inputs: `python -m tests.walker.fuzz 5000`."""

from __future__ import annotations

import argparse
import re
import sys
import time
import warnings
from collections import Counter
from dataclasses import replace
from typing import Any

from tests.canonicalizer.shrink import shrunk
from tests.walker.judge import Judgement, judge, judge_seed
from tests.walker.random_programs import RandomProgram
from tests.workers import Died, results

__all__ = ["main", "outcome_of"]

#: The longest that one program may take, all attempts of its seed together.
SECONDS = 300.0
#: How many failing programs are made small and shown.
SHOWN = 5
Failure = tuple[RandomProgram, Judgement]
WRONG = ("WRONG", "crashed")


def outcome_of(level: int, seed: int, size: int) -> tuple[RandomProgram, Judgement, float]:
    """The program of a seed, what became of it, and the seconds that took."""
    warnings.simplefilter("ignore")
    began = time.monotonic()
    program, judgement = judge_seed(level, seed, size)
    return program, judgement, time.monotonic() - began


def reason(judgement: Judgement) -> str:
    """What is wrong in a few words that stay the same while a program is made smaller."""
    if judgement.verdict == "WRONG":
        return "WRONG"
    first = judgement.detail.split("\n", 1)[0]
    return judgement.verdict + ": " + re.sub(r"`[^`]*`|\d+|'[^']*'", "_", first)


def made_small(program: RandomProgram, judgement: Judgement) -> tuple[RandomProgram, Judgement]:
    """The smallest program that fails in the same way, and what is wrong with it."""
    warnings.simplefilter("ignore")
    wanted = reason(judgement)

    def fails(source: str) -> bool:
        try:
            found = judge(replace(program, source=source))
        except Exception:  # what was left out is needed
            return False
        return found is not None and reason(found) == wanted

    small = replace(program, source=shrunk(program.source, fails, expressions=True))
    return small, judge(small) or judgement


def main(arguments: list[str]) -> int:
    """Judge that many programs; print counts, a histogram, and what is wrong, made small."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=300)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--size", type=int, default=10)
    parser.add_argument("--levels", default="123")
    parser.add_argument("--refused", action="store_true", help="show refused programs as well")
    given = parser.parse_args(arguments)
    levels = [int(level) for level in given.levels]
    seeds = range(given.start, given.start + given.count)
    tasks = [(levels[s % len(levels)], s, given.size) for s in seeds]
    tally = Tally(levels)
    for (level, seed, _), answer in results(outcome_of, tasks, given.jobs, SECONDS):
        tally.add(level, seed, answer)
    tally.show(given.jobs, given.refused)
    return int(any(tally.verdicts[level][v] for level in levels for v in WRONG))


class Tally:
    """What became of the programs so far."""

    def __init__(self, levels: list[int]) -> None:
        self.levels = levels
        self.verdicts = {level: Counter[str]() for level in levels}
        self.features = {level: Counter[str]() for level in levels}
        self.differing = Counter[int]()
        self.reasons = Counter[str]()
        self.failed: list[Failure] = []
        self.refused: list[Failure] = []
        self.seconds = 0.0
        self.began = time.monotonic()
        self.done = 0

    def add(self, level: int, seed: int, answer: Any) -> None:
        """Count one program."""
        self.done += 1
        if isinstance(answer, Died):
            self.verdicts[level]["crashed"] += 1
            self.reasons[f"crashed: {answer}"] += 1
            print(f"level {level}, seed {seed}: crashed: {answer}", flush=True)
            return
        program, judgement, seconds = answer
        self.seconds += seconds
        self.verdicts[level][judgement.verdict] += 1
        self.features[level].update(dict.fromkeys(program.features, 1))
        self.differing[level] += judgement.differs
        if judgement.verdict in WRONG:
            self.failed.append((program, judgement))
            print(f"level {level}, seed {seed}: {judgement.verdict}", flush=True)
        if judgement.verdict == "refused":
            self.refused.append((program, judgement))
        if judgement.verdict != "parity":
            self.reasons[reason(judgement)] += 1
        if self.done % 500 == 0:
            print(f"{self.done} programs, {time.monotonic() - self.began:.0f} s", flush=True)

    def show(self, jobs: int, refused: bool) -> None:
        """Print everything."""
        for level in self.levels:
            count = self.verdicts[level].total()
            print(f"\nlevel {level}: {count} programs, {_listed(self.verdicts[level])}")
            print(f"  results differ between inputs: {self.differing[level] / count:.1%}")
            for feature, number in self.features[level].most_common():
                print(f"  {number / count:6.1%}  {feature}")
        total = sum(self.verdicts.values(), Counter[str]())
        print(f"\nall: {total.total()} programs, {_listed(total)}")
        print(f"{time.monotonic() - self.began:.0f} s, {self.seconds:.0f} s of work")
        for text, number in self.reasons.most_common():
            print(f"  {number}  {text}")
        chosen = _one_each([*self.failed, *(self.refused if refused else [])])
        for task, answer in results(made_small, chosen, jobs, 10 * SECONDS):
            small, judgement = task if isinstance(answer, Died) else answer
            print(f"\n--- {judgement.verdict}, seed {small.seed}: {judgement.detail}\n")
            print(small.source, flush=True)


def _listed(verdicts: Counter[str]) -> str:
    names = ["parity", "unstable", "refused", "WRONG", "crashed"]
    return ", ".join(f"{verdicts[name]} {name}" for name in names)


def _one_each(failed: list[Failure]) -> list[Failure]:
    """The shortest programs, not more than a few for one reason."""
    kept: list[Failure] = []
    times = Counter[str]()
    for program, judgement in sorted(failed, key=lambda f: len(f[0].source)):
        times[reason(judgement)] += 1
        if times[reason(judgement)] <= (SHOWN if judgement.verdict in WRONG else 1):
            kept.append((program, judgement))
    return kept


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
