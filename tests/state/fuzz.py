"""Random programs about aliases, compiled once and run on eight inputs.

`python -m tests.state.fuzz 5000` prints how many agree with Python, how many were refused and
why, and each that does not agree: the text of its `forward`, made small, and the input.
"""

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
from tests.state.judge import INPUTS, judge, judge_seed
from tests.state.random_aliases import AliasProgram
from tests.walker.judge import Judgement
from tests.workers import Died, results

__all__ = ["made_small", "main", "outcome_of"]

#: The longest that one program may take, all attempts of its seed together.
SECONDS = 120.0
#: How many failing programs are made small and shown, of one reason and of all.
SHOWN = 5
WRONG = ("WRONG", "crashed")


def outcome_of(seed: int, size: int, without: str) -> tuple[AliasProgram, Judgement]:
    """The program of a seed, and what became of it."""
    warnings.simplefilter("ignore")
    return judge_seed(seed, size, without)


def reason(judgement: Judgement) -> str:
    """What became of a program, in words that stay the same while it is made smaller."""
    if judgement.verdict == "WRONG":
        return "WRONG: the model fails" if "the model fails" in judgement.detail else "WRONG"
    first = judgement.detail.split("\n", 1)[0]
    return f"{judgement.verdict}: " + re.sub(r"`[^`]*`|\d+|'[^']*'|\[\]+", "_", first)


def made_small(program: AliasProgram, judgement: Judgement) -> tuple[AliasProgram, Judgement]:
    """The smallest program that fails in the same way, and what is wrong with it."""
    warnings.simplefilter("ignore")
    wanted = reason(judgement)
    place = re.match(r"input (\d+)", judgement.detail)
    inputs = [INPUTS[0], INPUTS[int(place[1])]] if place and place[1] != "0" else INPUTS[:1]
    lines = set(program.source.split("\n"))

    def fails(source: str) -> bool:
        head = source.split("    def forward", maxsplit=1)[0].split("\n")
        if set(head) - lines - {"        pass"}:
            return False  # another value of the chain is another program
        try:
            found = judge(replace(program, source=source), inputs)
        except Exception:  # what was left out is needed
            return False
        return found is not None and reason(found) == wanted

    small = replace(program, source=shrunk(program.source, fails, expressions=True))
    return small, judge(small) or judgement


def main(arguments: list[str]) -> int:
    """Judge that many programs; print counts, why some were refused, and what is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=300)
    parser.add_argument("--start", type=int, default=0, help="the first seed")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--size", type=int, default=8, help="statements of a program, about")
    parser.add_argument("--shown", type=int, default=SHOWN, help="findings made small, a reason")
    parser.add_argument("--refused", action="store_true", help="show refused programs as well")
    parser.add_argument("--without", default="", help="a regular expression of templates")
    given = parser.parse_args(arguments)
    tasks = [
        (seed, given.size, given.without) for seed in range(given.start, given.start + given.count)
    ]
    began, verdicts, reasons = time.monotonic(), Counter[str](), Counter[str]()
    kept: list[tuple[AliasProgram, Judgement]] = []
    for (seed, *_), answer in results(outcome_of, tasks, given.jobs, SECONDS):
        if isinstance(answer, Died):
            answer = AliasProgram("", seed), Judgement("crashed", f"the process: {answer}")
            print(f"seed {seed}: {answer[1].detail}", flush=True)
        program, judgement = answer
        verdicts[judgement.verdict] += 1
        reasons[reason(judgement)] += judgement.verdict != "parity"
        shown = judgement.verdict in WRONG or (given.refused and judgement.verdict == "refused")
        if shown and program.source and reasons[reason(judgement)] <= given.shown:
            kept.append((program, judgement))
        if verdicts.total() % 500 == 0:
            print(f"{_listed(verdicts)}, {time.monotonic() - began:.0f} s", flush=True)
    print(f"\n{_listed(verdicts)}, {time.monotonic() - began:.0f} s")
    for text, number in reasons.most_common():
        print(f"  {number / verdicts.total():6.1%}  {text}")
    for task, answer in results(made_small, kept, given.jobs, 5 * SECONDS):
        show(*(task if isinstance(answer, Died) else answer))
    return int(any(verdicts[verdict] for verdict in WRONG))


def show(program: AliasProgram, judgement: Judgement) -> None:
    """Print a finding as it may be pasted into a test."""
    print(f"\n--- seed {program.seed}, {judgement.verdict}: {judgement.detail}\n")
    print(program.source, flush=True)


def _listed(verdicts: Counter[str]) -> str:
    total: Any = max(verdicts.total(), 1)
    names = ["parity", "refused", "WRONG", "crashed"]
    parts = ", ".join(f"{verdicts[name]} {name}" for name in names)
    return f"{total} programs: {parts} ({verdicts['refused'] / total:.0%} refused)"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
