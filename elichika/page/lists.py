"""Lists at the edges of a file as tensors, for a runtime that passes no sequences.

A list is two tensors there: the numbers of all its arrays, one after the other, and the sizes of
these, a row for each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import onnx
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from elichika.errors import InputError

__all__ = ["FLAT", "SIZES", "with_flat_lists"]

FLAT, SIZES = "/flat", "/sizes"
"""What the names of the two tensors end in."""
OPSET = 14
"""Since then a Reshape keeps sizes of zero."""


def with_flat_lists(model: ModelProto) -> ModelProto:
    """Return a model that takes and gives two tensors for each list; itself where there is none.

    Raises:
        InputError: A list is of arrays of which the file does not say how many axes they have.
    """
    taken, given = (list(_lists(ports)) for ports in (model.graph.input, model.graph.output))
    if not taken and not given:
        return model
    opset = next((one.version for one in model.opset_import if not one.domain), 0)
    if opset < OPSET:
        raise InputError(f"A page takes lists from files of opset {OPSET} or newer.")
    made = ModelProto()
    made.CopyFrom(model)
    graph = made.graph
    before = [node for port in taken for node in _read(port)]
    after = [node for port in given for node in _written(port)]
    nodes = [*before, *graph.node, *after]
    del graph.node[:]
    graph.node.extend(nodes)
    for ports in (graph.input, graph.output):
        changed = [one for port in ports for one in _flat_ports(port)]
        del ports[:]
        ports.extend(changed)
    return made


def _lists(ports: Sequence[onnx.ValueInfoProto]) -> Iterator[onnx.ValueInfoProto]:
    for port in ports:
        if port.type.WhichOneof("value") == "sequence_type":
            if not _item(port).HasField("shape"):
                raise InputError(
                    f"`{port.name}` is a list of arrays whose number of axes the file does not say."
                )
            yield port


def _item(port: onnx.ValueInfoProto) -> onnx.TypeProto.Tensor:
    return port.type.sequence_type.elem_type.tensor_type


def _rank(port: onnx.ValueInfoProto) -> int:
    return len(_item(port).shape.dim)


def _flat_ports(port: onnx.ValueInfoProto) -> list[onnx.ValueInfoProto]:
    if port.type.WhichOneof("value") != "sequence_type":
        return [port]
    kind = _item(port).elem_type
    return [
        helper.make_tensor_value_info(f"{port.name}{FLAT}", kind, [None]),
        helper.make_tensor_value_info(
            f"{port.name}{SIZES}", TensorProto.INT64, [None, _rank(port)]
        ),
    ]


def _constant(
    name: str, *values: int, of: int = TensorProto.INT64, scalar: bool = False
) -> NodeProto:
    dtype = helper.tensor_dtype_to_np_dtype(of)
    array = np.array(values[0] if scalar else values, dtype)
    return helper.make_node("Constant", [], [name], value=numpy_helper.from_array(array))


def _ports_of_body(at: str) -> list[onnx.ValueInfoProto]:
    return [
        helper.make_tensor_value_info(f"{at}/turn", TensorProto.INT64, []),
        helper.make_tensor_value_info(f"{at}/goes", TensorProto.BOOL, []),
    ]


def _read(port: onnx.ValueInfoProto) -> list[NodeProto]:
    """Make a list of its two tensors."""
    name, item = port.name, _item(port)
    flat, sizes, at = f"{name}{FLAT}", f"{name}{SIZES}", f"{name}/read"
    node = helper.make_node
    body = [
        node("Gather", [sizes, f"{at}/turn"], [f"{at}/size"], axis=0),
        node("ReduceProd", [f"{at}/size"], [f"{at}/count"], keepdims=1)
        if _rank(port)
        else _constant(f"{at}/count", 1),
        node("Add", [f"{at}/first", f"{at}/count"], [f"{at}/last"]),
        node("Slice", [flat, f"{at}/first", f"{at}/last", f"{at}/zero"], [f"{at}/part"]),
        node("Reshape", [f"{at}/part", f"{at}/size"], [f"{at}/item"], allowzero=1),
        node("SequenceInsert", [f"{at}/items", f"{at}/item"], [f"{at}/more"]),
        node("Identity", [f"{at}/goes"], [f"{at}/goes_on"]),
    ]
    place = helper.make_tensor_value_info
    items = [onnx.ValueInfoProto(name=f"{at}/{one}", type=port.type) for one in ("items", "more")]
    inputs = [*_ports_of_body(at), place(f"{at}/first", TensorProto.INT64, [1]), items[0]]
    outputs = [
        place(f"{at}/goes_on", TensorProto.BOOL, []),
        place(f"{at}/last", TensorProto.INT64, [1]),
        items[1],
    ]
    turns = helper.make_graph(body, f"{at}/body", inputs, outputs)
    return [
        _constant(f"{at}/zero", 0),
        node("Shape", [sizes], [f"{at}/shape"]),
        _constant(f"{at}/axis", 0, scalar=True),
        node("Gather", [f"{at}/shape", f"{at}/axis"], [f"{at}/length"], axis=0),
        node("SequenceEmpty", [], [f"{at}/none"], dtype=item.elem_type),
        node(
            "Loop",
            [f"{at}/length", "", f"{at}/zero", f"{at}/none"],
            [f"{at}/end", name],
            body=turns,
        ),
    ]


def _written(port: onnx.ValueInfoProto) -> list[NodeProto]:
    """Make the two tensors of a list."""
    name, kind, at = port.name, _item(port).elem_type, f"{port.name}/write"
    node = helper.make_node
    body = [
        node("SequenceAt", [name, f"{at}/turn"], [f"{at}/item"]),
        node("Shape", [f"{at}/item"], [f"{at}/size"]),
        node("Reshape", [f"{at}/item", f"{at}/all"], [f"{at}/row"]),
        node("Concat", [f"{at}/rows", f"{at}/row"], [f"{at}/more"], axis=0),
        node("Identity", [f"{at}/goes"], [f"{at}/goes_on"]),
    ]
    place = helper.make_tensor_value_info
    inputs = [*_ports_of_body(at), place(f"{at}/rows", kind, [None])]
    outputs = [
        place(f"{at}/goes_on", TensorProto.BOOL, []),
        place(f"{at}/more", kind, [None]),
        place(f"{at}/size", TensorProto.INT64, [_rank(port)]),
    ]
    turns = helper.make_graph(body, f"{at}/body", inputs, outputs)
    return [
        _constant(f"{at}/all", -1),
        _constant(f"{at}/none", of=kind),
        node("SequenceLength", [name], [f"{at}/length"]),
        node(
            "Loop",
            [f"{at}/length", "", f"{at}/none"],
            [f"{name}{FLAT}", f"{name}{SIZES}"],
            body=turns,
        ),
    ]
