"""Whether objects have only moved into an arena: nobody can tell.

What was there is followed by what has come; where a record is written, another takes its place.
"""

from __future__ import annotations

from typing import Any

from elichika.state.joins.references import Arena
from elichika.values.symbolic import Seq
from onnx_graph import Value

__all__ = ["only_grew"]


def only_grew(owner: Any, before: Any, now: Any) -> bool:
    """Tell whether all that has happened to a location is that objects moved there.

    Args:
        owner: What holds it.
        before: What it held.
        now: What it holds.
    """
    if type(owner) is not Arena or type(before) is not Seq or type(now) is not Seq:
        return False
    return all(map(_follows, now.sequences, before.sequences)) and (
        len(now.sequences) == len(before.sequences)
    )


def _follows(value: Value | None, before: Value) -> bool:
    """Tell whether a sequence begins with all of another one."""
    while value is not before:
        node = None if value is None else value.producer()
        if node is None or node.op_type != "SequenceInsert" or len(node.inputs) > 2:
            return False
        value = node.inputs[0]
    return True
