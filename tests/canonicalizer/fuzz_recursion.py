"""Random recursive programs beside their loops: `python -m tests.canonicalizer.fuzz_recursion`."""

from __future__ import annotations

import sys
from collections import Counter

from canonicalizer.errors import Unframed

from .grouped import difference
from .recursive_programs import program

__all__ = ["main"]

#: What a loop over frames may look like; programs take turns.
FORMS: tuple[dict[str, bool], ...] = ({}, {"boxed": True}, {"sole": True})


def main(count: int, start: int = 0) -> int:
    """Run that many programs from a seed on; print the first that differs."""
    found: Counter[str] = Counter()
    for seed in range(start, start + count):
        source = program(seed)
        try:
            problem = difference(source, **FORMS[seed % len(FORMS)])
        except Unframed as error:
            found[f"refused: {error.why}"] += 1
            continue
        if problem is not None:
            print(f"program {seed}: {problem}\n\n{source}")
            return 1
        found["same"] += 1
    print(dict(found))
    return int(found["same"] < 0.9 * count)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
