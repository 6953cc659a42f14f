"""Random programs, run before and after: `python -m tests.canonicalizer.fuzz 20000`."""

from __future__ import annotations

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


def main(count: int, start: int = 0) -> int:
    """Run that many programs; print the first failing one, shrunk, and counts."""
    began, sizes = time.monotonic(), Counter[str]()
    for seed in range(start, start + count):
        source = program(seed)
        problem = check(source)
        if problem:
            print(report(seed, source, problem))
            return 1
        sizes["programs"] += 1
        sizes["lines"] += source.count("\n")
        for word in ("return", "continue", "break", "for ", "while ", "try:", "with "):
            sizes[word.strip(": ")] += source.count(word)
        if seed % 2000 == 1999:
            print(f"{seed + 1 - start} programs, {time.monotonic() - began:.0f} s", flush=True)
    print("equal: " + ", ".join(f"{number} {word}" for word, number in sizes.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:] or ["1000"])))
