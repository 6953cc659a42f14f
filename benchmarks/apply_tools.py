"""What a tool makes of a model, and what that gives: `python -m benchmarks.apply_tools TOOL CASE`.

CASE is the path of a model without its ending; its inputs are beside it. It runs where the tools
are installed, without elichika, and prints one object of JSON: `refused` or `fails` with a text, or
`outputs`, a list for each of the inputs or a text how the run failed, and `quantized`, how many
operators of integers there are.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import onnx
import onnxruntime

from benchmarks.encoding import decoded, encoded

__all__ = ["TOOLS"]

INTEGER = ("MatMulInteger", "ConvInteger", "DynamicQuantizeLSTM", "DynamicQuantizeMatMul")
FATAL = 4
LONGEST = 300


def quantize(source: str, target: str) -> None:
    """Onnxruntime's quantizer, of the main graph."""
    from onnxruntime.quantization import quantize_dynamic

    quantize_dynamic(source, target)


def quantize_bodies(source: str, target: str) -> None:
    """The same, of loops and branches too."""
    from onnxruntime.quantization import quantize_dynamic

    quantize_dynamic(source, target, extra_options={"EnableSubgraph": True})


def infer_shapes(source: str, target: str) -> None:
    """Onnxruntime's symbolic shape inference."""
    from onnxruntime.tools.symbolic_shape_infer import SymbolicShapeInference

    onnx.save(SymbolicShapeInference.infer_shapes(onnx.load(source), auto_merge=True), target)


def preprocess(source: str, target: str) -> None:
    """What onnxruntime does before it quantizes."""
    from onnxruntime.quantization import quant_pre_process

    quant_pre_process(source, target, skip_symbolic_shape=True)


def preprocess_and_quantize(source: str, target: str) -> None:
    """That, and quantizing."""
    between = f"{target}.preprocessed.onnx"
    preprocess(source, between)
    quantize_bodies(between, target)


def half_by_common(source: str, target: str) -> None:
    """Half precision by onnxconverter-common."""
    from onnxconverter_common import float16

    onnx.save(float16.convert_float_to_float16(onnx.load(source), keep_io_types=True), target)


def half_by_onnxruntime(source: str, target: str) -> None:
    """Half precision by onnxruntime."""
    from onnxruntime.transformers.float16 import convert_float_to_float16

    onnx.save(convert_float_to_float16(onnx.load(source), keep_io_types=True), target)


def slim(source: str, target: str) -> None:
    """Simplify by onnxslim."""
    import onnxslim

    onnxslim.slim(source, target)


def simplify(source: str, target: str) -> None:
    """Simplify by onnxsim."""
    import onnxsim

    model, checked = onnxsim.simplify(source)
    if not checked:
        raise ValueError("onnxsim's own check failed")
    onnx.save(model, target)


def optimize(source: str, target: str) -> None:
    """Simplify by onnxscript."""
    from onnxscript import optimizer

    onnx.save(optimizer.optimize(onnx.load(source)), target)


def mobile(source: str, target: str) -> None:
    """Onnxruntime's format for phones, read by the same runtime here."""
    options = session_options()
    options.optimized_model_filepath = target
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.add_session_config_entry("session.save_model_format", "ORT")
    onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])


TOOLS: dict[str, Callable[[str, str], None]] = {
    "quantize_dynamic": quantize,
    "quantize_dynamic, EnableSubgraph": quantize_bodies,
    "symbolic shape inference": infer_shapes,
    "quant_pre_process": preprocess,
    "quant_pre_process, quantize_dynamic": preprocess_and_quantize,
    "float16 of onnxconverter-common": half_by_common,
    "float16 of onnxruntime": half_by_onnxruntime,
    "onnxslim": slim,
    "onnxsim": simplify,
    "onnxscript's optimizer": optimize,
    "ORT format": mobile,
}


def session_options() -> Any:
    """Return options of a session that prints nothing."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = FATAL
    return options


def nodes(graph: onnx.GraphProto) -> Iterator[onnx.NodeProto]:
    """Yield the nodes of a graph and of those in it."""
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from nodes(attribute.g)


def applied(tool: str, case: Path) -> dict[str, Any]:
    """Let a tool change a model, and run that on all inputs of the case."""
    ending = ".ort" if tool == "ORT format" else ".onnx"
    target = case.parent / "made" / f"{case.name}.{list(TOOLS).index(tool)}{ending}"
    target.parent.mkdir(exist_ok=True)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            TOOLS[tool](os.fspath(case.with_suffix(".onnx")), os.fspath(target))
    except Exception as error:  # whatever a tool raises is what it cannot do
        return {"refused": said(error)}
    try:
        run = onnxruntime.InferenceSession(
            target, session_options(), providers=["CPUExecutionProvider"]
        )
        outputs = []
        for one in json.loads(case.with_suffix(".json").read_text()):
            feeds = {name: decoded(value) for name, value in one["feeds"].items()}
            outputs.append(one_run(run, feeds))
    except Exception as error:  # it cannot be loaded
        return {"fails": said(error)}
    count = 0
    if ending == ".onnx":
        count = sum(node.op_type in INTEGER for node in nodes(onnx.load(target).graph))
    return {"outputs": outputs, "quantized": count}


def one_run(session: Any, feeds: dict[str, Any]) -> Any:
    """Return the outputs of a run, or as a text how it failed."""
    try:
        return [encoded(value) for value in session.run(None, feeds)]
    except Exception as error:
        return said(error)


def said(error: Exception) -> str:
    """Return an error as one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:LONGEST]


if __name__ == "__main__":
    print(json.dumps(applied(sys.argv[1], Path(sys.argv[2]))))
