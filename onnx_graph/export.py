"""Checked protobuf models, and files that appear whole or not at all.

A file is written as a stream: the model without its tensors comes from protobuf, the tensors follow
straight from the arrays' memory. The file is still one ordinary ModelProto, since the fields of a
protobuf message may come in any order.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import IO, TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import onnx
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.dims import ANY
from onnx_graph.naming import finished_model
from onnx_graph.tools import suit_tools
from onnx_graph.values import data_type_of

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph

LARGEST_PROTO = 2**31 - 1
_INLINE = 1024
_ALIGNMENT = 4096
_CHUNK = 16 * 2**20
_DIGEST = 8

Parameters = Mapping[str, npt.NDArray[np.generic]]

_GRAPH_IN_MODEL, _INITIALIZER_IN_GRAPH, _RAW_DATA = 7, 5, 9


def to_proto(graph: ONNXGraph) -> onnx.ModelProto:
    """Return the model as protobuf, checked by ``onnx.checker`` with full type inference.

    A model above 2 GB does not fit into protobuf's files; use :func:`save`.

    Raises:
        onnx.checker.ValidationError: the graph is no valid model.
    """
    proto, parameters = split(graph)
    _check(proto, parameters)
    return joined(proto, parameters)


def joined(model: onnx.ModelProto, parameters: Parameters) -> onnx.ModelProto:
    """Put parameters that were left out into a model, which is returned."""
    for name, array in parameters.items():
        initializer = model.graph.initializer.add()
        initializer.CopyFrom(_header(name, array))
        initializer.raw_data = array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
    return model


def take_parameters(model: onnx.ModelProto) -> dict[str, npt.NDArray[np.generic]]:
    """Take the large parameters out of a model, which is left without them."""
    large = {
        tensor.name: onnx.numpy_helper.to_array(tensor)
        for tensor in model.graph.initializer
        if tensor.data_type != onnx.TensorProto.STRING and len(tensor.raw_data) > _INLINE
    }
    kept = [tensor for tensor in model.graph.initializer if tensor.name not in large]
    del model.graph.initializer[:]
    model.graph.initializer.extend(kept)
    return large


def _header(name: str, array: npt.NDArray[np.generic]) -> onnx.TensorProto:
    """Return a parameter without its contents."""
    return onnx.TensorProto(
        name=name, data_type=int(data_type_of(array.dtype)), dims=list(array.shape)
    )


def _check(proto: onnx.ModelProto, parameters: Parameters) -> None:
    """Check a model whose large parameters are left out: they pass for inputs meanwhile."""
    count = len(proto.graph.input)
    for name, array in parameters.items():
        proto.graph.input.append(
            onnx.helper.make_tensor_value_info(
                name, int(data_type_of(array.dtype)), list(array.shape)
            )
        )
    onnx.checker.check_model(proto, full_check=True)
    del proto.graph.input[count:]


def save(graph: ONNXGraph, path: str | os.PathLike[str], *, limit: int = LARGEST_PROTO) -> None:
    """Write a model file; above ``limit`` bytes, the parameters go to a file beside it.

    The files are complete before they appear under their names. The one with the parameters is
    named after its contents, ``<name>.<digest>.data``, so that at any moment the model under
    ``path`` is the old one with the old parameters, or the new one with its own. Nothing is left
    behind when writing fails; after a kill, a file of parameters may be, until the next save.

    Args:
        graph: The graph.
        path: Where to write.
        limit: From how many bytes on parameters are written as external data.

    Raises:
        onnx.checker.ValidationError: the graph is no valid model.
    """
    proto, parameters = split(graph)
    write(proto, parameters, path, limit=limit)


def write(
    proto: onnx.ModelProto,
    parameters: Parameters,
    path: str | os.PathLike[str],
    *,
    limit: int = LARGEST_PROTO,
) -> None:
    """Write a model of which parameters are left out, with these, as :func:`save` does.

    Raises:
        onnx.checker.ValidationError: it is no valid model.
    """
    target = Path(path)
    _check(proto, parameters)
    size = proto.ByteSize() + sum(array.nbytes + 256 for array in parameters.values())
    before = data_files(target)
    if size < limit:
        with replacing(target) as file:
            _write_model(file, proto, parameters)
        beside = None
    else:
        beside = _save_external(target, proto, parameters)
    for old in before:
        if old != beside:
            old.unlink(missing_ok=True)


def data_files(path: Path) -> list[Path]:
    """Return the files beside a model file that hold parameters of it, or of one before it."""
    ours = re.compile(re.escape(path.name) + rf"\.[0-9a-f]{{{2 * _DIGEST}}}\.data")
    if not path.parent.is_dir():
        return []
    return [item for item in path.parent.iterdir() if ours.fullmatch(item.name)]


def _save_external(target: Path, proto: onnx.ModelProto, parameters: Parameters) -> Path:
    """Write the parameters under a name that no other contents have, then the model."""
    headers = [_header(name, array) for name, array in parameters.items()]
    with _written(target) as (file, partial):
        digest = _write_external(file, headers, parameters)
        beside = target.with_name(f"{target.name}.{digest}.data")
        is_new = not beside.exists()
        _put(file, partial, beside)
    try:
        for header in headers:
            header.external_data.add(key="location", value=beside.name)
            proto.graph.initializer.append(header)
        with replacing(target) as model:
            model.write(proto.SerializeToString())
    except BaseException:
        if is_new:
            beside.unlink(missing_ok=True)
        raise
    return beside


def _open_elements(graph: onnx.GraphProto) -> None:
    """Leave out the sizes that may differ between the elements of a sequence."""
    for value in (*graph.input, *graph.value_info, *graph.output):
        kind = value.type
        while kind.WhichOneof("value") in ("sequence_type", "optional_type"):
            kind = getattr(kind, kind.WhichOneof("value")).elem_type
        if kind is not value.type:
            for dim in kind.tensor_type.shape.dim:
                if dim.dim_param == ANY.text:
                    dim.ClearField("dim_param")
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                _open_elements(attribute.g)


def split(graph: ONNXGraph) -> tuple[onnx.ModelProto, dict[str, npt.NDArray[np.generic]]]:
    """Return the model without its large parameters, and these by name."""
    model = finished_model(graph)
    initializers = model.graph.initializers.values()
    large = [value for value in initializers if value.name in graph.weights or _is_large(value)]
    for value in large:
        del model.graph.initializers[value.name or ""]
    try:
        proto = ir.to_proto(model)
    finally:
        for value in large:
            model.graph.initializers[value.name or ""] = value
    for port in (*proto.graph.input, *proto.graph.output):
        port.doc_string = graph.docs.get(port.name, "")
    _open_elements(proto.graph)
    suit_tools(proto.graph, {value.name or "" for value in large})
    return proto, {value.name or "": graph.array_of(value) for value in large}


def _is_large(value: Value) -> bool:
    tensor = value.const_value
    plain = tensor is not None and tensor.dtype is not ir.DataType.STRING
    return tensor is not None and plain and tensor.nbytes > _INLINE


def _varint(number: int) -> bytes:
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)


def _field(number: int, length: int) -> bytes:
    return _varint(number << 3 | 2) + _varint(length)


def _write_model(
    file: IO[bytes],
    proto: onnx.ModelProto,
    parameters: Parameters,
) -> None:
    graph = proto.graph.SerializeToString()
    proto.ClearField("graph")
    prefixes = []
    length = len(graph)
    for name, array in parameters.items():
        start = _header(name, array).SerializeToString() + _field(_RAW_DATA, array.nbytes)
        whole = len(start) + array.nbytes
        prefixes.append(_field(_INITIALIZER_IN_GRAPH, whole) + start)
        length += len(prefixes[-1]) + array.nbytes
    file.write(proto.SerializeToString())
    file.write(_field(_GRAPH_IN_MODEL, length))
    file.write(graph)
    for prefix, array in zip(prefixes, parameters.values(), strict=True):
        file.write(prefix)
        _write_array(file, array)


def _write_array(file: IO[bytes] | _Digesting, array: npt.NDArray[np.generic]) -> None:
    """Write little-endian contents; what is not contiguous is copied piece by piece."""
    little = array.dtype.newbyteorder("<")
    if array.flags.c_contiguous and array.dtype == little:
        file.write(array.reshape(-1).view(np.uint8).data)
        return
    flat = array.flat
    step = max(_CHUNK // array.itemsize, 1)
    for start in range(0, array.size, step):
        file.write(np.asarray(flat[start : start + step]).astype(little).tobytes())


class _Digesting:
    """A file that remembers a digest of all that is written to it."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._hash = hashlib.blake2b(digest_size=_DIGEST)

    def write(self, data: bytes | memoryview, /) -> None:
        self._hash.update(data)
        self._file.write(data)

    @property
    def digest(self) -> str:
        return self._hash.hexdigest()


def _write_external(
    file: IO[bytes], headers: Sequence[onnx.TensorProto], parameters: Parameters
) -> str:
    """Write the parameters, note in their headers where they are, and return a digest."""
    writer = _Digesting(file)
    for header, array in zip(headers, parameters.values(), strict=True):
        writer.write(b"\0" * (-file.tell() % _ALIGNMENT))
        entries = {"offset": file.tell(), "length": array.nbytes}
        for key, value in entries.items():
            header.external_data.add(key=key, value=str(value))
        header.data_location = onnx.TensorProto.EXTERNAL
        _write_array(writer, array)
    return writer.digest


@contextmanager
def replacing(target: Path) -> Iterator[IO[bytes]]:
    """Open a temporary file beside ``target`` that takes its place when all went well.

    Whatever happens, ``target`` is absent, or what it was, or whole.
    """
    with _written(target) as (file, partial):
        yield file
        _put(file, partial, target)


def _put(file: IO[bytes], partial: str, target: Path) -> None:
    """Let a file that is written appear under its name."""
    file.flush()
    os.fsync(file.fileno())
    file.close()
    os.replace(partial, target)


@contextmanager
def _written(target: Path) -> Iterator[tuple[IO[bytes], str]]:
    """Open a temporary file beside ``target``; what went wrong leaves none."""
    # The name is known before the file is there, so that an interrupt in between leaves none.
    name = f"{target.parent}{os.sep}.{target.name}.{os.getpid()}.{token_hex(4)}"
    try:
        with open(name, "xb") as file:
            yield file, name
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(name)
        raise
