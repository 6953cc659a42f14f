"""Holds models of thousands of settings of pooling, convolution and resizing against Chainer.

`python -m tests.lowerings.chainer.soak_operators 3000` prints how many settings agreed, on static
and on dynamic sizes, and fails with all that did not. The draws are the same each time; a second
argument chooses others.
"""

from __future__ import annotations

import sys
import time

from tests.lowerings.chainer.settings import drawn
from tests.lowerings.chainer.whole import check_whole


def main(wanted: int, seed: int) -> int:
    """Hold that many settings; return how many failed."""
    start, settings, runs, failed = time.perf_counter(), 0, 0, 0
    for case in drawn(seed):
        outcome = check_whole(case)
        for failure in outcome.failures:
            print(f"{failure.expression} ({failure.dtype}): {failure.kind}: {failure.text}")
        settings, runs = settings + len(case.expressions), runs + outcome.runs
        failed += len(outcome.failures)
        if settings >= wanted:
            break
    seconds = time.perf_counter() - start
    print(f"{settings} settings, {runs} runs of their models, {failed} failures, {seconds:.0f} s")
    return failed


if __name__ == "__main__":
    wanted, seed, *_ = [*map(int, sys.argv[1:]), *[3000, 0][len(sys.argv) - 1 :]]
    sys.exit(main(wanted, seed) > 0)
