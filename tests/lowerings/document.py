"""Writes what `elichika ops` and `docs/operators.md` show: `python -m tests.lowerings.document`.

Every call of the table is compiled and compared; names of rows may follow, the others stay as they
were.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from elichika.cli.operators import DATA, Operator, markdown, operators
from tests.lowerings.chainer.table import ROWS, judge, rows

PAGE = Path(__file__).parents[2] / "docs" / "operators.md"


def written(found: Sequence[Operator]) -> str:
    """Return the data: a line for each name."""
    return "[\n" + ",\n".join(json.dumps(asdict(row)) for row in found) + "\n]\n"


def main(names: list[str]) -> int:
    """Write the data and the page, unless a call fails."""
    before = {row.name: row for row in operators()} if names else {}
    judged = before | {row.name: judge(row) for row in rows(names)}
    found = [judged[row.name] for row in ROWS]
    failing = [row for row in found if row.status == "failing"]
    for row in failing:
        print(f"{row.name}: {row.why}")
    if not failing:
        DATA.write_text(written(found), encoding="utf-8")
        PAGE.write_text(markdown(found), encoding="utf-8")
    return int(bool(failing))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
