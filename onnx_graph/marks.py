"""The names under which nodes and values remember things."""

from __future__ import annotations

HINT = "onnx_graph.hint"
SOURCE = "onnx_graph.source"
CHECK = "onnx_graph.check"
#: On a node that may fail where the program fails: it stays though nothing uses its result.
MAY_FAIL = "onnx_graph.may_fail"
#: On a node that never fails where it stands, whatever its operands are.
SURE = "onnx_graph.sure"
#: On a node that an index or a size of the program makes fail: nobody's use alone does not end it.
DEMANDED = "onnx_graph.demanded"
