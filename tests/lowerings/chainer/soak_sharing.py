"""Writes through the results of every call of the operator table, and to its inputs.

`python -m tests.lowerings.chainer.soak_sharing` takes a quarter of an hour; names of rows may
follow.
"""

from __future__ import annotations

import sys

from tests.lowerings.chainer.sharing import ASKED, difference
from tests.lowerings.chainer.table import rows
from tests.lowerings.chainer.whole import arguments


def soak(names: list[str]) -> int:
    """Print each call whose model differs; return their number."""
    found = 0
    for row in rows(names):
        for case in row.whole:
            if case.refused or case.draws:
                continue
            inputs, attributes = case.converted(case.dtypes[0])
            given = dict(zip(inputs, arguments(inputs), strict=True))
            for call in case.expressions:
                for asked in ASKED:
                    differs = difference(call, asked, given, attributes, case.train)
                    if differs:
                        found += 1
                        print(f"{row.name}: {differs}", flush=True)
    return found


if __name__ == "__main__":
    sys.exit(1 if soak(sys.argv[1:]) else 0)
