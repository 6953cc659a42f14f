"""The programs behind `docs/messages.md`, by their headings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tests.language.message_rows import arrays, calls, gradients, keys, lists, networks, programs
from tests.language.messages import Call, Row
from tests.sources import dedented


def _rows(listed: Sequence[str | Row]) -> list[Row | Call]:
    rows = [Row(row) if isinstance(row, str) else row for row in listed]
    return [
        replace(row, code=dedented(row.code), above=dedented(row.above), init=dedented(row.init))
        for row in rows
    ]


GROUPS: dict[str, list[Row | Call]] = {
    "Python": _rows(programs.ROWS),
    "Lists of a length that is known only when the model runs": _rows(lists.ROWS),
    "Keys that are known only when the model runs": _rows(keys.ROWS),
    "numpy": _rows(arrays.ROWS),
    "Chainer": _rows(networks.ROWS),
    "Gradients": _rows(gradients.ROWS),
    "Calls of the library": [Call(dedented(call.code)) for call in calls.ROWS],
}
