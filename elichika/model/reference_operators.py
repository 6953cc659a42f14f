"""Operators that onnx's own evaluator gets wrong, in its terms.

Each takes the place of the class of the same name in `onnx.reference.ops`; what these get wrong is
in their docstrings, as measured with onnx 1.18 and 1.23.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from onnx.helper import tensor_dtype_to_np_dtype
from onnx.reference.op_run import OpRun
from onnx.reference.ops.op_loop import Loop as _Loop

__all__ = ["OPERATORS"]


class Loop(_Loop):
    """Stacks what the turns give along a new axis.

    The evaluator's own joins it along the first: numbers come out as (turns, 1), matrices below one
    another, and where there was no turn it fails.
    """

    body: Any
    _run_body: Any

    def _run(
        self,
        M: Any,  # noqa: N803  the specification's name
        cond: Any,
        *carried: Any,
        context: Any = None,
        body: Any = None,
        attributes: Any = None,
        **more: Any,
    ) -> Any:
        values = dict(context or {})
        names, results, turns = self.body.input_names, list(carried), 0
        stacked: list[list[Any]] = [[] for _ in range(self.K)]
        while (cond is None or cond) and (M is None or turns < M):
            values.update(zip(names, (np.array(turns, np.int64), cond, *results), strict=True))
            cond, *outputs = self._run_body(values, attributes=attributes, **more)
            results, scanned = outputs[: self.N], outputs[self.N :]
            for rows, row in zip(stacked, scanned, strict=True):
                rows.append(row)
            turns += 1
        return (*results, *map(self._stack, stacked, self.body.proto_.output[1 + self.N :]))

    @staticmethod
    def _stack(rows: Sequence[Any], port: Any) -> Any:
        """Stack the rows; where there are none, take dtype and sizes from what the body says."""
        if rows:
            return np.stack(rows)
        kind = port.type.tensor_type
        sizes = [dim.dim_value for dim in kind.shape.dim]  # 0 where it has a name
        return np.zeros((0, *sizes), tensor_dtype_to_np_dtype(kind.elem_type))


class SequenceInsert(OpRun):
    """Inserts at any place; the evaluator's own divides by the length, the end is the front."""

    def _run(self, sequence: Any, tensor: Any, position: Any = None) -> Any:
        items = list(sequence)
        index = len(items) if position is None else int(np.ravel(position)[0])
        if not -len(items) <= index <= len(items):
            raise IndexError(f"no place {index} in a sequence of {len(items)}")
        items.insert(index, tensor)
        return (items,)


class GatherElements(OpRun):
    """Takes from any number of elements; the evaluator's own is `np.choose`, which takes 32."""

    def _run(self, data: Any, indices: Any, axis: Any = None) -> Any:
        return (np.take_along_axis(data, np.asarray(indices, np.int64), axis or 0),)


OPERATORS = (Loop, SequenceInsert, GatherElements)
