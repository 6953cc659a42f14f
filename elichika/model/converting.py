"""Models made smaller by tools for ONNX: simplified, in half precision, quantized."""

from __future__ import annotations

import io
import logging
import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from importlib import import_module

import onnx
import onnx_ir as ir
from onnx_ir.passes.common import TopologicalSortPass

from elichika.errors import InputError
from elichika.model.files import temporary_folder
from elichika.model.protos import metadata_of
from elichika.model.storage import Parts
from elichika.model.weights import WEIGHTS_KEY
from onnx_graph import export

__all__ = ["CONVERSIONS", "CONVERTED_KEY", "Allowed", "allowed", "converted"]

CONVERTED_KEY = "elichika.converted"
"""Of a model's metadata: what was done to it."""
CONVERSIONS = ("fp16", "quantize", "simplify")
"""In the order in which they are done."""
TOLERANCES = {"fp16": 0.02, "quantize": 0.2}
"""The largest error of a float to expect, relative to the largest magnitude of its output."""
IN_WORDS = {"fp16": "half precision", "quantize": "eight bits"}
LONGEST = 300
Allowed = tuple[float, str]
"""A tolerance, and why it is not the usual one."""


def allowed(metadata: Mapping[str, str]) -> Allowed | None:
    """Return what error is expected of a model; None where it is the usual one."""
    done = metadata.get(CONVERTED_KEY, "").split(",")
    found = [(TOLERANCES[name], IN_WORDS[name]) for name in done if name in TOLERANCES]
    return max(found, default=None)


def converted(parts: Parts, names: Sequence[str]) -> Parts:
    """Return a model after some of `CONVERSIONS`; its inputs and outputs stay what they are.

    It takes no other weights any more: they have other forms and names in it.

    Raises:
        InputError: A tool is not installed or failed, or the model is too large for it.
    """
    for name in names:
        if name not in CONVERSIONS:
            shown = ", ".join(CONVERSIONS)
            raise InputError(f"There is no conversion {name!r}: they are {shown}.")
    metadata = metadata_of(parts[0])
    done = {*metadata.get(CONVERTED_KEY, "").split(","), *names}
    if "fp16" in done and "quantize" in done:
        raise InputError("A model can be quantized or in half precision, not both.")
    proto = onnx.ModelProto()
    proto.CopyFrom(parts[0])
    try:
        proto = export.joined(proto, parts[1])
        proto.SerializeToString()
    except ValueError:
        raise InputError("The model is too large for tools: more than 2 GB.") from None
    ports = _ports(proto)
    for name in filter(names.__contains__, CONVERSIONS):
        tool, convert = _TOOLS[name]
        try:
            with _in_silence():
                proto = _in_order(convert(proto))
        except ModuleNotFoundError as error:
            if error.name is None or error.name.split(".")[0] != tool:
                raise
            raise InputError(f"{tool} is not installed: pip install {tool}.") from None
        except Exception as error:  # whatever a tool raises
            said = " ".join(str(error).split())[:LONGEST] or type(error).__name__
            raise InputError(f"{tool} cannot convert the model: {said}.") from None
    if _ports(proto) != ports:
        raise InputError(
            "The tools changed the types of inputs or outputs of the model.",
            hint="half precision changes those of lists of arrays",
        )
    metadata[CONVERTED_KEY] = ",".join(name for name in CONVERSIONS if name in done)
    metadata.pop(WEIGHTS_KEY, None)
    del proto.metadata_props[:]
    onnx.helper.set_model_props(proto, metadata)
    return proto, export.take_parameters(proto)


def _simplified(proto: onnx.ModelProto) -> onnx.ModelProto:
    """Fold and fuse, by the one tool that leaves run-time checks and unread inputs alone."""
    made, same = import_module("onnxsim").simplify(proto)
    if not same:
        raise ValueError("its own check failed")
    simplified: onnx.ModelProto = made
    return simplified


def _halved(proto: onnx.ModelProto) -> onnx.ModelProto:
    """Compute with half precision; inputs and outputs keep their types."""
    tool = import_module("onnxruntime.transformers.float16")
    made: onnx.ModelProto = tool.convert_float_to_float16(proto, keep_io_types=True)
    return made


def _quantized(proto: onnx.ModelProto) -> onnx.ModelProto:
    """Multiply by weights of eight bits, in loops and branches too.

    They have no sign: with signed ones, a processor without VNNI adds products in sixteen bits,
    which are too few, and another processor gives something else.
    """
    tool = import_module("onnxruntime.quantization")
    with temporary_folder() as folder:
        source, target = folder / "model.onnx", folder / "quantized.onnx"
        onnx.save(proto, os.fspath(source))
        tool.quantize_dynamic(
            source,
            target,
            weight_type=tool.QuantType.QUInt8,
            extra_options={"EnableSubgraph": True},
        )
        return onnx.load(os.fspath(target))


_Conversion = Callable[[onnx.ModelProto], onnx.ModelProto]
_TOOLS: dict[str, tuple[str, _Conversion]] = {
    "simplify": ("onnxsim", _simplified),
    "fp16": ("onnxruntime", _halved),
    "quantize": ("onnxruntime", _quantized),
}


def _ports(proto: onnx.ModelProto) -> list[tuple[str, str, int]]:
    """Return inputs and outputs by name, kind and rank."""
    known = {tensor.name for tensor in proto.graph.initializer}
    found = [value for value in proto.graph.input if value.name not in known]
    return [_port(value) for value in (*found, *proto.graph.output)]


def _port(value: onnx.ValueInfoProto) -> tuple[str, str, int]:
    kind = value.type
    words = [kind.WhichOneof("value")]
    while words[-1] in ("sequence_type", "optional_type"):
        kind = getattr(kind, words[-1]).elem_type
        words.append(kind.WhichOneof("value"))
    tensor = kind.tensor_type
    return value.name, f"{words} {tensor.elem_type}", len(tensor.shape.dim)


def _in_order(proto: onnx.ModelProto) -> onnx.ModelProto:
    """Put nodes behind those that they need, where a tool added them at the end."""
    return ir.to_proto(TopologicalSortPass()(ir.from_proto(proto)).model)


@contextmanager
def _in_silence() -> Iterator[None]:
    """Let a tool neither print nor log, nor give the root logger a handler."""
    root, level = logging.getLogger(), logging.root.manager.disable
    handlers = list(root.handlers)
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings(), redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(level)
        root.handlers[:] = handlers
