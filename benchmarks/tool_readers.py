"""What reads a model without changing it: other runtimes, and Netron, which shows it.

`benchmarks.apply_tools` calls these in the environment of the tools, without elichika.
"""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, cast
from unittest.mock import MagicMock

import numpy as np
import onnx

from benchmarks.encoding import decoded, encoded

__all__ = ["READERS", "in_netron", "nodes", "run_on_inputs", "said"]

LONGEST = 600
OPSET = 17
"""The last one that onnx2torch knows."""
MODULES = Path("build/web")
"""Where onnxruntime-web is installed."""

Run = Callable[[dict[str, Any]], list[Any]]


def said(error: BaseException | str) -> str:
    """Return an error as one line."""
    name = "" if isinstance(error, str) else f"{type(error).__name__}: "
    return f"{name}{' '.join(str(error).split())}"[:LONGEST]


def run_on_inputs(run: Run, case: Path) -> dict[str, Any]:
    """Return the outputs of each of the inputs of a case, or as a text how a run failed."""
    outputs: list[Any] = []
    for one in json.loads(case.with_suffix(".json").read_text()):
        try:
            found = run({name: decoded(value) for name, value in one["feeds"].items()})
            outputs.append([encoded(value) for value in found])
        except Exception as error:  # whatever a runtime raises
            outputs.append(said(error))
    return {"outputs": outputs, "quantized": 0}


def with_openvino(path: Path) -> Run:
    """Load a model into OpenVINO, in the precision that it has."""
    sys.modules["openvino_telemetry"] = cast("Any", None)  # OpenVINO then tells its makers nothing
    import openvino

    compiled = openvino.Core().compile_model(path, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})

    def run(feeds: dict[str, Any]) -> list[Any]:
        found = compiled({name: np.array(value) for name, value in feeds.items()})
        return [found[port] for port in compiled.outputs]

    return run


def with_torch(path: Path) -> Run:
    """Convert a model with onnx2torch, which knows the reductions of opset 17 and not those of 18.

    It asks for torchvision, which is there for two operators of detectors only. A converter for
    Size, which it lacks, is added as its documentation says.
    """
    sys.modules["torchvision"] = sys.modules["torchvision.ops"] = MagicMock()
    import onnx2torch
    import torch
    from onnx2torch.node_converters.registry import add_converter
    from onnx2torch.utils.common import OperationConverterResult, onnx_mapping_from_node

    class Size(torch.nn.Module):  # type: ignore[misc]
        def forward(self, x: Any) -> Any:
            return torch.tensor(x.numel())

    @add_converter(operation_type="Size", version=13)
    def size(node: Any, graph: Any) -> Any:
        return OperationConverterResult(Size(), onnx_mapping_from_node(node))

    model = onnx.load(path)
    names = [port.name for port in model.graph.input]
    with suppress(
        RuntimeError
    ):  # what it raises of an operator that the other does not know either
        model = onnx.version_converter.convert_version(model, OPSET)
    module = onnx2torch.convert(model).eval()

    def run(feeds: dict[str, Any]) -> list[Any]:
        with torch.no_grad():
            found = module(*(torch.from_numpy(feeds[name].copy()) for name in names))
        return [one.numpy() for one in (found if isinstance(found, (list, tuple)) else [found])]

    return run


def in_web(case: Path) -> dict[str, Any]:
    """Run a case in onnxruntime-web, under Node."""
    folder = case.parent / "made" / f"{case.name}.web"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for ending in (".onnx", ".json"):
        shutil.copy(case.with_suffix(ending), folder)
    words = ["node", "benchmarks/web.mjs", str(folder), str(MODULES), "0"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        return {"fails": said(done.stderr)}
    line = json.loads(done.stdout)
    if "refused" in line:
        return {"refused": said(line["refused"])}
    if all("error" in run for run in line["runs"]):
        return {"refused": said(line["runs"][0]["error"])}
    return {"outputs": [run.get("outputs", run.get("error")) for run in line["runs"]]}


def in_netron(case: Path) -> dict[str, Any]:
    """Let Netron read a model; compare what it shows, node by node, with the file."""
    path = case.with_suffix(".onnx")
    words = ["node", *_as_modules(), "benchmarks/netron.mjs", str(_folder_of_netron()), str(path)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        return {"refused": said(done.stderr)}
    model, found = onnx.load(path), json.loads(done.stdout)
    ports = [*model.graph.input, *model.graph.output]
    told = {port.name: port.doc_string for port in ports}
    if found["described"] != told or not all(told.values()):
        return {"differs": "other descriptions of inputs and outputs"}
    difference = next(_differences(contents(model.graph), found["graph"]), None)
    if difference is not None:
        return {"differs": difference}
    return {"shown": [one.name for one in nodes(model.graph)]}


def _folder_of_netron() -> Path:
    spec = importlib.util.find_spec("netron")
    assert spec is not None and spec.origin is not None, "netron is not installed"
    return Path(spec.origin).parent


def _as_modules() -> list[str]:
    """Return what an older Node needs to be told of files that end in `.js`."""
    option = "--experimental-default-type=module"
    known = subprocess.run(["node", option, "-e", ""], capture_output=True, check=False)
    return [] if known.returncode else [option]


def contents(graph: onnx.GraphProto) -> dict[str, Any]:
    """Return a graph in the form that `netron.mjs` prints; constants are no nodes there."""
    kept = [node for node in graph.node if node.op_type != "Constant"]
    known = {tensor.name for tensor in graph.initializer}
    return {
        "inputs": [port.name for port in graph.input if port.name not in known],
        "outputs": [port.name for port in graph.output],
        "nodes": [
            {
                "type": node.op_type,
                "name": node.name,
                "inputs": [name for name in node.input if name],
                "outputs": [name for name in node.output if name],
                "graphs": {
                    item.name: contents(item.g) for item in node.attribute if item.HasField("g")
                },
            }
            for node in kept
        ],
    }


def _differences(wanted: Mapping[str, Any], found: Mapping[str, Any]) -> Iterator[str]:
    for part in ("inputs", "outputs"):
        if wanted[part] != found[part]:
            yield f"a graph with the {part} {found[part]}, not {wanted[part]}"
    if len(wanted["nodes"]) != len(found["nodes"]):
        yield f"{len(found['nodes'])} nodes, not {len(wanted['nodes'])}"
        return
    for one, other in zip(wanted["nodes"], found["nodes"], strict=True):
        for part in ("type", "name", "inputs", "outputs"):
            if one[part] != other[part]:
                yield f"{one['name']}: {part} {other[part]}, not {one[part]}"
        if one["graphs"].keys() != other["graphs"].keys():
            yield f"{one['name']}: bodies {[*other['graphs']]}"
            continue
        for name in one["graphs"]:
            yield from _differences(one["graphs"][name], other["graphs"][name])


def nodes(graph: onnx.GraphProto) -> Iterator[onnx.NodeProto]:
    """Yield the nodes of a graph and of those in it."""
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from nodes(attribute.g)


def _loaded(load: Callable[[Path], Run]) -> Callable[[Path], dict[str, Any]]:
    def read(case: Path) -> dict[str, Any]:
        try:
            run = load(case.with_suffix(".onnx"))
        except Exception as error:  # whatever a runtime raises of a model that it cannot load
            return {"refused": said(error)}
        return run_on_inputs(run, case)

    return read


READERS: dict[str, Callable[[Path], dict[str, Any]]] = {
    "onnx2torch": _loaded(with_torch),
    "OpenVINO": _loaded(with_openvino),
    "onnxruntime-web": in_web,
    "Netron": in_netron,
}
