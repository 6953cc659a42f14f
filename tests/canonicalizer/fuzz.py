"""Random programs, run before and after: `python -m tests.canonicalizer.fuzz 20000`."""

from __future__ import annotations

import multiprocessing
import os
import sys
import time
from collections import Counter

import gast

from canonicalizer import UnsupportedSyntax, canonicalize
from canonicalizer.text import canonical_source_of

from .random_programs import program
from .running import difference
from .shrink import shrunk

__all__ = ["check", "main"]

WORDS = ("return", "continue", "break", "for ", "while ", "try:", "finally:", "with ", "match ")


def check(source: str) -> str | None:
    """What is wrong with a program's canonical form, or None; a refusal counts as wrong."""
    try:
        return difference(source)
    except UnsupportedSyntax as error:
        return f"refused: {error}"
    except Exception as error:  # a failing program is shrunk whatever the failure is
        return f"{type(error).__name__}: {error}"


def report(seed: int, source: str, problem: str) -> str:
    """A failing program, shrunk, and what became of it."""
    kind = problem.split(" ", 1)[0]

    def fails(candidate: str) -> bool:
        found = check(candidate)
        return found is not None and found.split(" ", 1)[0] == kind

    small = shrunk(source, fails)
    try:
        canonical = canonical_source_of(canonicalize(gast.parse(small)))
    except Exception as error:
        canonical = repr(error)
    return f"program {seed}: {check(small)}\n\n{small}\n\ncanonical:\n\n{canonical}"


def problem_of(seed: int) -> tuple[int, str | None]:
    """The seed of a program, and what is wrong with its canonical form."""
    return seed, check(program(seed))


def main(count: int, start: int = 0) -> int:
    """Run that many programs; print the first failing one, shrunk, and counts."""
    began, sizes = time.monotonic(), Counter[str]()
    with multiprocessing.Pool(min(2, os.cpu_count() or 1)) as pool:
        seeds = range(start, start + count)
        for done, (seed, problem) in enumerate(pool.imap(problem_of, seeds, chunksize=20), 1):
            source = program(seed)
            if problem:
                print(report(seed, source, problem))
                return 1
            sizes["programs"] += 1
            sizes["lines"] += source.count("\n")
            for word in WORDS:
                sizes[word.strip(": ")] += source.count(word)
            if done % 1000 == 0:
                print(f"{done} programs, {time.monotonic() - began:.0f} s", flush=True)
    print("equal: " + ", ".join(f"{number} {word}" for word, number in sizes.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:] or ["1000"])))
