"""Random programs, run before and after: `python -m tests.canonicalizer.fuzz 20000`."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import gast

from canonicalizer import UnsupportedSyntax, canonicalize
from canonicalizer.text import canonical_source_of

from .features import DEPTH, features_of
from .random_programs import program
from .running import difference
from .shrink import shrunk

__all__ = ["check", "main"]

SECONDS = 20


@contextmanager
def limited(seconds: int) -> Iterator[None]:
    """Raise TimeoutError after that much computing; every program itself ends by its fuel."""

    def stop(*arguments: Any) -> None:
        raise TimeoutError(f"still running after {seconds} s")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def check(source: str, thorough: bool = True) -> str | None:
    """What is wrong with a program's canonical form, or None; a refusal counts as wrong."""
    try:
        with limited(SECONDS):
            return difference(source, thorough)
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


def result_of(seed: int) -> tuple[int, str | None, Counter[str]]:
    """The seed of a program, what is wrong with its canonical form, and what is in it."""
    source = program(seed)
    return seed, check(source, thorough=seed % 4 == 0), features_of(source)


def main(count: int, start: int = 0) -> int:
    """Run that many programs; print the first failing one, shrunk, and what was in them."""
    began, found = time.monotonic(), Counter[str]()
    with multiprocessing.Pool(min(2, os.cpu_count() or 1)) as pool:
        seeds = range(start, start + count)
        results = pool.imap(result_of, seeds, chunksize=20)
        for done, (seed, problem, features) in enumerate(results, 1):
            if problem:
                print(report(seed, program(seed), problem))
                return 1
            found.update(features)
            if done % 1000 == 0:
                print(f"{done} programs, {time.monotonic() - began:.0f} s", flush=True)
    print(f"equal traces for all {count} programs; how many have what:")
    for name, number in sorted(found.items()):
        print(f"  {name:40} {number:7}")
    print(f"nested five deep and deeper: {sum(found[f'{DEPTH}{depth}'] for depth in range(5, 99))}")
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:] or ["1000"])))
