"""A model whose inputs and outputs stay where they are: a call copies nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.errors import InputError, concise
from elichika.model.session import Session
from elichika.signature.feeds import feeds_from_names
from onnx_graph.runtime import runtime

if TYPE_CHECKING:
    from elichika.signature import Signature

__all__ = ["BoundModel"]

CPU = "cpu"
DATA = "data_ptr"
"""What a value of onnxruntime has, and an array has not."""
NUMPY = {"float": "float32", "double": "float64"}


class BoundModel:
    """A model with what it reads and writes; a call runs it on what is there then.

    Attributes:
        inputs: What it reads, by name: arrays, and values of onnxruntime.
        outputs: What it writes, by name, as far as that was given.
    """

    def __init__(
        self,
        session: Session,
        signature: Signature,
        inputs: Mapping[str, Any],
        outputs: Mapping[str, Any],
        device: str,
    ) -> None:
        """Bind all of it; `CompiledModel.bind` says what that may be."""
        self._session, self._inference, self._device = session, session.inference, device
        self._names = [spec.name for spec in signature.outputs.specs]
        self._binding = self._inference.io_binding()
        self.inputs, self.outputs = dict(inputs), dict(outputs)
        self._new = [name for name in self._names if name not in outputs]
        self._require_tensors()
        places = [*self._read(signature), *self._written()]
        self._require_apart(places)

    def _require_tensors(self) -> None:
        ports = [*self._inference.get_inputs(), *self._inference.get_outputs()]
        for port in ports:
            if not port.type.startswith("tensor"):
                raise InputError(
                    f"`{port.name}` is a list, and onnxruntime binds arrays.",
                    hint="compile with tensors=True: lists are arrays in the file then",
                )

    def _read(self, signature: Signature) -> Iterator[tuple[str, bool, int, int]]:
        """Bind the inputs; yield where they are."""
        shown = {name: _shown(value) for name, value in self.inputs.items()}
        for name, feed in feeds_from_names(signature.inputs, shown).items():
            array, given = np.asarray(feed), self.inputs.get(name)
            in_place = hasattr(given, "flags")
            if in_place and not (array is given and array.flags.c_contiguous):
                raise InputError(f"`{name}` is not read in place: its elements are not in order.")
            value = _value_of(given if hasattr(given, DATA) else array)
            self._binding.bind_ortvalue_input(name, value)
            yield name, False, value.data_ptr(), array.nbytes

    def _written(self) -> Iterator[tuple[str, bool, int, int]]:
        """Bind the outputs; yield where those are that have a place."""
        types = {port.name: port.type for port in self._inference.get_outputs()}
        for name, given in self.outputs.items():
            if name not in types:
                raise InputError(f"The model has no output `{name}`; it has {', '.join(types)}.")
            if not hasattr(given, DATA):
                flags = getattr(given, "flags", None)
                if flags is None or not (flags.c_contiguous and flags.writeable):
                    raise InputError(f"`{name}` cannot be written in place.")
        for name in self._names:
            if name in self._new:
                self._binding.bind_output(name, self._device)
                continue
            value = _value_of(self.outputs[name])
            if value.data_type() != types[name]:
                raise InputError(f"`{name}` is a {types[name]}, not a {value.data_type()}.")
            self._binding.bind_ortvalue_output(name, value)
            yield name, True, value.data_ptr(), _shown(value).nbytes

    def _require_apart(self, places: list[tuple[str, bool, int, int]]) -> None:
        """Refuse what is written in the memory of something else."""
        for number, (name, written, start, size) in enumerate(places):
            for other, also, begin, length in places[:number]:
                if (written or also) and start < begin + length and begin < start + size:
                    raise InputError(f"`{name}` and `{other}` share memory.")

    @concise
    def __call__(self) -> dict[str, Any]:
        """Run; return the outputs by name: what is bound, or a new array or value.

        Raises:
            InputError: This is another process than the one that they were bound in.
            ModelRuntimeError: The model failed, as the chain does, or what is bound for an output
                has another shape.
        """
        if self._session.inference is not self._inference:
            raise InputError("The model was bound in another process; bind it in this one.")
        for name in self._new:  # else onnxruntime writes where it wrote before
            self._binding.bind_output(name, self._device)
        self._session.run_bound(self._binding)
        values = self._binding.get_outputs() if self._new else self._names
        pairs = zip(self._names, values, strict=True)
        return {name: self._result(name, value) for name, value in pairs}

    def _result(self, name: str, value: Any) -> Any:
        if name not in self._new:
            return self.outputs[name]
        return value.numpy() if self._device == CPU else value


def _value_of(array: Any) -> Any:
    """Return a value of onnxruntime in the memory of an array, or that is one."""
    return array if hasattr(array, DATA) else runtime().OrtValue.ortvalue_from_numpy(array)


def _shown(value: Any) -> Any:
    """Return an array as large as a value of onnxruntime, which may be on a device."""
    if not hasattr(value, DATA):
        return value
    kind = value.data_type().partition("(")[2].rstrip(")")
    return np.broadcast_to(np.zeros((), NUMPY.get(kind, kind)), value.shape())
