"""What a tool makes of a model, and what that gives: `python -m benchmarks.apply_tools TOOL CASE`.

CASE is the path of a model without its ending; its inputs are beside it. It runs where the tools
are installed, without elichika, and prints one object of JSON: `refused` or `fails` with a text, or
`outputs`, a list for each of the inputs or a text how the run failed, and `quantized`, how many
operators of integers there are. Of a tool that shows models: `differs`, or the names of the nodes
that it shows.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import onnx
import onnxruntime

from benchmarks.tool_readers import READERS, Run, nodes, run_on_inputs, said

__all__ = ["TOOLS"]

INTEGER = ("MatMulInteger", "ConvInteger", "DynamicQuantizeLSTM", "DynamicQuantizeMatMul")
FATAL = 4


def quantize(source: str, target: str) -> None:
    """Onnxruntime's quantizer, of the main graph."""
    from onnxruntime.quantization import quantize_dynamic

    quantize_dynamic(source, target)


def quantize_bodies(source: str, target: str) -> None:
    """The same, of loops and branches too."""
    from onnxruntime.quantization import quantize_dynamic

    quantize_dynamic(source, target, extra_options={"EnableSubgraph": True})


def quantize_unsigned(source: str, target: str) -> None:
    """The same, to weights without a sign: so does `elichika export --quantize`."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    extra = {"EnableSubgraph": True}
    quantize_dynamic(source, target, weight_type=QuantType.QUInt8, extra_options=extra)


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
    quantize_unsigned(between, target)


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


CONVERTERS: dict[str, Callable[[str, str], None]] = {
    "quantize_dynamic": quantize,
    "quantize_dynamic, EnableSubgraph": quantize_bodies,
    "quantize_dynamic, EnableSubgraph, QUInt8": quantize_unsigned,
    "symbolic shape inference": infer_shapes,
    "quant_pre_process": preprocess,
    "quant_pre_process, quantize_dynamic, QUInt8": preprocess_and_quantize,
    "float16 of onnxconverter-common": half_by_common,
    "float16 of onnxruntime": half_by_onnxruntime,
    "onnxslim": slim,
    "onnxsim": simplify,
    "onnxscript's optimizer": optimize,
    "ORT format": mobile,
}
TOOLS = (*CONVERTERS, *READERS)


def session_options() -> Any:
    """Return options of a session that prints nothing."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = FATAL
    return options


def loaded(path: Path) -> Run:
    """Load a file into onnxruntime."""
    run = onnxruntime.InferenceSession(path, session_options(), providers=["CPUExecutionProvider"])
    return lambda feeds: list(run.run(None, feeds))


def applied(tool: str, case: Path) -> dict[str, Any]:
    """Let a tool read a model, or change it and run that, on all inputs of the case."""
    if tool in READERS:
        with contextlib.redirect_stdout(sys.stderr):
            return READERS[tool](case)
    ending = ".ort" if tool == "ORT format" else ".onnx"
    target = case.parent / "made" / f"{case.name}.{list(CONVERTERS).index(tool)}{ending}"
    target.parent.mkdir(exist_ok=True)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            CONVERTERS[tool](os.fspath(case.with_suffix(".onnx")), os.fspath(target))
    except Exception as error:  # whatever a tool raises is what it cannot do
        return {"refused": said(error)}
    try:
        found = run_on_inputs(loaded(target), case)
    except Exception as error:  # it cannot be loaded
        return {"fails": said(error)}
    if ending == ".onnx":
        found["quantized"] = sum(node.op_type in INTEGER for node in nodes(onnx.load(target).graph))
    return found


if __name__ == "__main__":
    print(json.dumps(applied(sys.argv[1], Path(sys.argv[2]))))
