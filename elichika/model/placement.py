"""Where onnxruntime puts the nodes of a model on a GPU, and what it copies between the devices.

Nothing runs: it is worked out from `kernels.json`, the CUDA kernels of an onnxruntime, by the rules
of that onnxruntime. A node without a kernel for its types is put on the CPU, and so is one that
computes with nothing but small values that are on the CPU already, such as sizes.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
import onnx

from elichika.errors import InputError
from elichika.model.protos import bodies
from elichika.model.source_map import SourceMap

__all__ = ["LoopCopies", "OnCPU", "Placement", "inferred_types", "placement_of"]

CPU, GPU = "cpu", "gpu"
SMALL = 100
"""Elements of an initializer that may lie on either device."""
NO_TYPE = ""
HALVES = ("float16", "bfloat16")
READING = ("Gather", "GatherElements", "GatherND")


@dataclass(frozen=True)
class OnCPU:
    """A node that runs on the CPU though it could not be there.

    Attributes:
        name: The node's.
        op_type: Its operator.
        why: Why there is no kernel for it.
        in_loop: Whether it runs in each turn of a loop.
    """

    name: str
    op_type: str
    why: str
    in_loop: bool


@dataclass(frozen=True)
class LoopCopies:
    """What a turn of a loop copies between the devices.

    Attributes:
        name: The node of the Loop.
        place: The user's line; None where the model does not say.
        values: What is copied and to where, such as `gather_1 to gpu`; in branches at most.
    """

    name: str
    place: str | None
    values: tuple[str, ...]


@dataclass
class Placement:
    """Where nodes are.

    Attributes:
        version: The onnxruntime whose kernels these are.
        gpu: How many nodes run on the GPU.
        cpu: How many run on the CPU, since what they compute with is there.
        lacking: Those that run there since there is no kernel.
        reads: How many nodes on the GPU take elements by an index that is computed: one that is
            out of range gives 0 there, where the CPU fails.
        copies: What is copied outside of loops, as for these.
        loops: Of each loop.
    """

    version: str
    gpu: int = 0
    cpu: int = 0
    lacking: list[OnCPU] = field(default_factory=list)
    reads: int = 0
    copies: list[str] = field(default_factory=list)
    loops: list[LoopCopies] = field(default_factory=list)


def inferred_types(model: onnx.ModelProto) -> onnx.ModelProto:
    """Return a model with the types of all its values.

    Raises:
        InputError: They do not fit together.
    """
    try:
        return onnx.shape_inference.infer_shapes(model)
    except Exception as error:  # onnx has an error class for each kind of damage
        first = str(error).strip().split("\n")[0]
        raise InputError(f"The types of the model cannot be told: {first}") from None


def placement_of(model: onnx.ModelProto, lines: SourceMap, kept: Collection[str] = ()) -> Placement:
    """Work out where onnxruntime puts the nodes of a model with its CUDA provider.

    Args:
        model: The model; large parameters may be left out.
        lines: Its source map.
        kept: The names of nodes that the session is told to keep on the CPU.

    Raises:
        InputError: Its types do not fit together.
    """
    data = _data()
    inferred = inferred_types(model)
    opset = next((item.version for item in model.opset_import if item.domain == ""), 0)
    found = Placement(data["onnxruntime"])
    places = {value.name: CPU for value in inferred.graph.input}
    _Scope(inferred.graph, opset, found, lines, kept).copied(places, in_loop=False)
    return found


@cache
def _data() -> Any:
    return json.loads((files("elichika.model") / "kernels.json").read_text(encoding="utf-8"))


class _Scope:
    """A graph or body: its values' types, and where they are."""

    def __init__(
        self,
        graph: onnx.GraphProto,
        opset: int,
        found: Placement,
        lines: SourceMap,
        kept: Collection[str],
        outer: _Scope | None = None,
    ) -> None:
        self.graph, self.kept = graph, kept
        self.opset, self.found, self.lines = opset, found, lines
        self.types: dict[str, str] = {**(outer.types if outer else {}), **dict(_types(graph))}
        self.outer: dict[str, str] = dict(outer.places) if outer else {}
        self.places: dict[str, str] = self.outer
        self.constants: dict[str, int] = dict(outer.constants) if outer else {}
        self.constants |= {one.name: int(np.prod(one.dims)) for one in graph.initializer}
        copies = {one.output[0]: one.input[0] for one in graph.node if self._is_constant(one)}
        self.constants |= {name: self.constants[source] for name, source in copies.items()}
        self.nodes = [node for node in graph.node if node.output[0] not in copies]
        self.kernels = {id(node): self._kernel(node) for node in self.nodes}
        self.on_cpu = self._preferring_cpu()

    def _is_constant(self, node: onnx.NodeProto) -> bool:
        """Tell whether a node gives a constant, which onnxruntime knows when it loads a model."""
        folded = node.op_type in ("Identity", "ConstantOfShape")
        return folded and node.input[0] in self.constants

    def _kernel(self, node: onnx.NodeProto) -> str | None:
        """Return why a node has no kernel; None where it has one."""
        if node.domain:
            return f"operators of {node.domain} are not in the table"
        listed = _data()["kernels"].get(node.op_type)
        if listed is None:
            return "there is no kernel"
        try:
            schema = onnx.defs.get_schema(node.op_type, self.opset)
        except onnx.defs.SchemaError:
            return "there is no such operator"
        fitting = [one for one in listed if _serves(one, schema.since_version)]
        if not fitting:
            return f"there is no kernel of opset {self.opset}"
        given = dict(self._parameters(node, schema))
        wrong = [_refused(types, given) for _, _, types in fitting]
        if all(wrong):
            return wrong[0]
        return _special(node)

    def _parameters(
        self, node: onnx.NodeProto, schema: onnx.defs.OpSchema
    ) -> Iterator[tuple[str, str]]:
        """Yield the types of a node's operands and results by the names of parameters."""
        for names, formals in ((node.input, schema.inputs), (node.output, schema.outputs)):
            for number, name in enumerate(names):
                formal = formals[min(number, len(formals) - 1)]
                if name and self.types.get(name, NO_TYPE):
                    yield formal.type_str, self.types[name]
                    yield formal.name, self.types[name]

    def _memory(self, node: onnx.NodeProto, kind: str) -> list[int]:
        """Return which operands or results of a kernel lie in the memory of the CPU."""
        found: list[int] = _data()["cpu"].get(node.op_type, {}).get(kind, [])
        return found

    def _preferring_cpu(self) -> set[int]:
        """Return the nodes on the CPU: without a kernel, or with nothing but small values there."""
        chosen = {
            id(node)
            for node in self.nodes
            if self.kernels[id(node)] is not None or node.name in self.kept
        }
        there: set[str] = set()
        inputs = {value.name for value in self.graph.input}
        reached: set[str] = set()
        for node in self.nodes:  # in an order in which results come before their uses
            operands = [name for name in node.input if name]
            candidate = any(name in reached for name in operands)
            if id(node) not in chosen and candidate:
                needed = self._memory(node, "inputs")
                if all(
                    self.types.get(name, NO_TYPE)[7:-1] not in HALVES
                    and (
                        self.constants.get(name, SMALL + 1) <= SMALL
                        or name in inputs
                        or (name in there and number not in needed)
                    )
                    for number, name in enumerate(node.input)
                    if name
                ):
                    chosen.add(id(node))
            if id(node) in chosen and (candidate or self.kernels[id(node)] is None):
                results = set(node.output)
            else:
                kept = self._memory(node, "outputs")
                results = {name for number, name in enumerate(node.output) if number in kept}
            there |= results
            reached |= results
        return chosen

    def copied(self, places: dict[str, str], *, in_loop: bool) -> list[str]:
        """Place all values, given where the inputs are, and return what is copied once a run."""
        self.places = {**self.outer, **places}
        copies: dict[str, None] = {}
        inside: list[str] = []
        for node in self.nodes:
            cpu = id(node) in self.on_cpu
            self._count(node, cpu, in_loop)
            needed, kept = self._memory(node, "inputs"), self._memory(node, "outputs")
            for number, name in enumerate(node.input):
                self._need(name, CPU if cpu or number in needed else GPU, copies)
            for number, name in enumerate(node.output):
                self.places[name] = CPU if cpu or number in kept else GPU
            side = CPU if cpu else GPU
            for body in bodies(node).values():
                inside += self._of_body(node, body, side, in_loop)
        if not in_loop and not self.outer:
            self.found.copies = [*copies, *inside]
        return [*copies, *inside]

    def _need(self, name: str, side: str, copies: dict[str, None]) -> None:
        if name and name in self.places and self.places[name] != side:
            copies[f"{name} to {side}"] = None

    def _of_body(
        self, node: onnx.NodeProto, graph: onnx.GraphProto, side: str, in_loop: bool
    ) -> list[str]:
        """Return what a branch copies; of a loop nothing, for that is noted by itself."""
        loop = node.op_type == "Loop"
        body = _Scope(graph, self.opset, self.found, self.lines, self.kept, self)
        names = [value.name for value in graph.input]
        places = {name: CPU for name in names[: 2 if loop else 0]}
        copies: dict[str, None] = {}
        for name in names[len(places) :]:  # what is carried lies beside the Loop between turns
            places[name] = CPU if CPU in body.sides(name) else side
            if places[name] != side:
                copies[f"{name} to {places[name]}"] = None
        copies.update(dict.fromkeys(body.copied(dict(places), in_loop=in_loop or loop)))
        for number, value in enumerate(graph.output):
            if value.name not in body.constants or not loop:
                there = CPU if loop and number == 0 else side
                body._need(value.name, there, copies)
        if not loop:
            return list(copies)
        self.found.loops.append(LoopCopies(node.name, self.lines.label(node.name), tuple(copies)))
        return []

    def sides(self, name: str) -> set[str]:
        """Return where the nodes that read a value need it."""
        return {
            CPU if id(node) in self.on_cpu or number in self._memory(node, "inputs") else GPU
            for node in self.nodes
            for number, operand in enumerate(node.input)
            if operand == name
        }

    def _count(self, node: onnx.NodeProto, cpu: bool, in_loop: bool) -> None:
        why = self.kernels[id(node)]
        if why is not None:
            self.found.lacking.append(OnCPU(node.name, node.op_type, why, in_loop))
        elif cpu:
            self.found.cpu += 1
        else:
            self.found.gpu += 1
            self.found.reads += node.op_type in READING and node.input[1] not in self.constants


def _types(graph: onnx.GraphProto) -> Iterator[tuple[str, str]]:
    """Yield the types of values as the table has them: `tensor(float)`, `seq(tensor(int64))`."""
    for tensor in graph.initializer:
        yield tensor.name, f"tensor({_element(tensor.data_type)})"
    for value in (*graph.value_info, *graph.input, *graph.output):
        kind, form = value.type, "{}"
        while kind.WhichOneof("value") in ("sequence_type", "optional_type"):
            which = kind.WhichOneof("value")
            form = form.format("seq({})" if which == "sequence_type" else "optional({})")
            kind = getattr(kind, which).elem_type
        if kind.HasField("tensor_type"):
            yield value.name, form.format(f"tensor({_element(kind.tensor_type.elem_type)})")


def _element(data_type: int) -> str:
    name: str = onnx.TensorProto.DataType.Name(data_type)
    return name.lower()


def _serves(kernel: list[Any], since: int) -> bool:
    """Tell whether a kernel is for an operator of a version.

    One without a last version serves the version that it begins with and no other one.
    """
    first, last, _ = kernel
    return bool(first == since or (last is not None and first <= since <= last))


def _refused(types: Mapping[str, list[str]], given: Mapping[str, str]) -> str:
    """Say which type a kernel does not take; nothing where it takes all."""
    for parameter, taken in types.items():
        if parameter in given and given[parameter] not in taken:
            return f"there is no kernel for {given[parameter]}"
    return ""


def _special(node: onnx.NodeProto) -> str | None:
    """Return why the provider leaves a node to the CPU that it has a kernel for."""
    attributes = {item.name: onnx.helper.get_attribute_value(item) for item in node.attribute}
    if node.op_type in ("LSTM", "GRU", "RNN"):
        if {"activation_alpha", "activation_beta", "clip"} & set(attributes):
            return "cuDNN has no such activations"
        if node.op_type == "GRU" and attributes.get("linear_before_reset", 0) != 1:
            return "cuDNN's GRU applies the reset gate after the product"
        if node.op_type == "LSTM" and (len(node.input) > 7 or attributes.get("input_forget")):
            return "cuDNN's LSTM has no peepholes"
    if node.op_type == "ConvTranspose":
        pads = list(attributes.get("pads", ()))
        if pads[: len(pads) // 2] != pads[len(pads) // 2 :]:
            return "cuDNN pads both sides alike"
    return None
