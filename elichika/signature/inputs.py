"""The inputs of a model as data: one `InputSpec` a tensor, and the call that surrounds them."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import chainer
import numpy as np

from elichika.errors import InputError
from elichika.signature.structure import Frozen, Structure, from_json, rebuild

__all__ = ["BoundCall", "InputSignature", "InputSpec", "Size"]

Size = int | str | None
Path = tuple[str | int, ...]
PYTHON_TYPES = {"bool": bool, "int": int, "float": float}


def show_path(path: Path) -> str:
    """Return a path as Python would write it, such as `state['h'][0]`."""
    return str(path[0]) + "".join(f"[{step!r}]" for step in path[1:])


@dataclass(frozen=True)
class InputSpec:
    """One input of the model.

    Attributes:
        name: Its name in the model.
        path: Where the leaf is in the call: the parameter, then indices, keys and field names.
        kind: `variable`, `ndarray`, `scalar` (a 0-d input) or `list` (a sequence).
        dtype: Element type.
        dims: Sizes: an int, the name of a dynamic axis, or None for a size that nothing is said
            of. Those of the elements, for a list.
        python_type: The type of a scalar or of the scalars in a list, such as `int` or
            `numpy.float32`.
        length: The name of a list's length, if it was given one.
        element: What a list holds: `variable`, `ndarray` or `scalar`.
        example: A host array, a scalar or a list of these; None once loaded from a file.
    """

    name: str
    path: Path
    kind: str
    dtype: np.dtype[Any]
    dims: tuple[Size, ...] = ()
    python_type: type | None = None
    length: str | None = None
    element: str | None = None
    example: Any = field(default=None, compare=False, repr=False)

    def describe(self) -> str:
        """Return the input as `x float32[batch, 3]` or `xs list of int32[?]`."""
        sizes = ", ".join("?" if dim is None else str(dim) for dim in self.dims)
        if self.kind == "scalar":
            return f"{self.name} {_type_name(self)}"
        tensor = f"{self.dtype}[{sizes}]"
        if self.kind == "list":
            what = _type_name(self) if self.element == "scalar" else tensor
            return f"{self.name} list of {what}"
        return f"{self.name} {tensor}"

    def to_python(self, value: Any) -> Any:
        """Return a host value as the chain takes it, with its own memory."""
        if self.kind == "list":
            return [self._part(self.element, item) for item in value]
        return self._part(self.kind, value)

    def _part(self, kind: str | None, value: Any) -> Any:
        if kind == "scalar":
            assert self.python_type is not None
            return self.python_type(value)
        copied = np.array(value, dtype=self.dtype)
        return chainer.Variable(copied) if kind == "variable" else copied

    def to_json(self) -> dict[str, Any]:
        """Return all but the example as JSON data."""
        return {
            "name": self.name,
            "path": list(self.path),
            "kind": self.kind,
            "dtype": self.dtype.name,
            "dims": list(self.dims),
            "python_type": None if self.python_type is None else _type_name(self),
            "length": self.length,
            "element": self.element,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> InputSpec:
        """Return the spec that `to_json` made `data` of."""
        name = data["python_type"]
        kind = None if name is None else PYTHON_TYPES.get(name) or np.dtype(name).type
        return cls(
            name=data["name"],
            path=tuple(data["path"]),
            kind=data["kind"],
            dtype=np.dtype(data["dtype"]),
            dims=tuple(data["dims"]),
            python_type=kind,
            length=data["length"],
            element=data["element"],
        )


def _type_name(spec: InputSpec) -> str:
    assert spec.python_type is not None
    return (
        spec.python_type.__name__
        if spec.python_type in PYTHON_TYPES.values()
        else str(np.dtype(spec.python_type))
    )


@dataclass(frozen=True)
class BoundCall:
    """Arguments to call the function with."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]


@dataclass(frozen=True)
class InputSignature:
    """The inputs in order, and the call that they are part of.

    Attributes:
        specs: One for each tensor or list.
        parameters: Those of the function, without annotations; a default is only marked.
        arguments: For each parameter that was given, the structure of its argument; slots are
            indices into `specs`.
    """

    specs: tuple[InputSpec, ...]
    parameters: tuple[inspect.Parameter, ...]
    arguments: dict[str, Structure]

    def bound(self) -> BoundCall:
        """Return the call with copies of the examples in it."""
        return self.rebuild([spec.to_python(spec.example) for spec in self.specs])

    def rebuild(self, leaf_values: Sequence[Any]) -> BoundCall:
        """Return the call with other leaves, in the order of `specs`."""
        arguments = {name: rebuild(item, leaf_values) for name, item in self.arguments.items()}
        bound = inspect.BoundArguments(inspect.Signature(self.parameters), arguments)
        return BoundCall(bound.args, bound.kwargs)

    def leaves(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
        """Return the leaves of a call of the same form, in the order of `specs`.

        Arguments that were static may be left out.

        Raises:
            InputError: The call has another form, or another value for a static argument.
        """
        found: dict[int, Any] = {}
        for name, value in self._assigned(args, kwargs).items():
            if name not in self.arguments:
                empty = value in ((), {}) if isinstance(value, (tuple, dict)) else False
                if not empty:
                    raise InputError(f"`{name}` was left at its default when it was compiled.")
                continue
            self.arguments[name].match(value, name, found)
        for index, spec in enumerate(self.specs):
            if index not in found:
                raise InputError(f"The input {spec.describe()} is missing.")
        return [found[index] for index in range(len(self.specs))]

    def _assigned(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments of a call by the names of the parameters."""
        names = self._plain_names
        if not kwargs and names is not None and len(args) == len(names):
            return dict(zip(names, args, strict=True))  # binding takes longer than small models
        try:
            return self._call.bind(*args, **kwargs).arguments
        except TypeError as error:
            raise InputError(f"The model cannot be called like this: {error}.") from None

    @cached_property
    def _call(self) -> inspect.Signature:
        return inspect.Signature(self._parameters_of_the_model())

    @cached_property
    def _plain_names(self) -> tuple[str, ...] | None:
        """The names of the parameters, where all of them take one positional argument."""
        plain = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        if any(parameter.kind not in plain for parameter in self.parameters):
            return None
        return tuple(parameter.name for parameter in self.parameters)

    def _parameters_of_the_model(self) -> list[inspect.Parameter]:
        """The parameters, where only those with inputs below them must be given."""
        changed = []
        optional = False
        for parameter in self.parameters:
            structure = self.arguments.get(parameter.name)
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                changed.append(parameter)
                continue
            needed = structure is not None and bool(structure.slots)
            optional |= not needed
            default = Frozen("", None) if not needed else parameter.empty
            if optional and parameter.kind is not parameter.KEYWORD_ONLY:
                default = Frozen("", None)
            changed.append(parameter.replace(default=default))
        return changed

    def to_json(self) -> dict[str, Any]:
        """Return all but the examples as JSON data."""
        return {
            "specs": [spec.to_json() for spec in self.specs],
            "parameters": [
                [parameter.name, parameter.kind.name, parameter.default is not parameter.empty]
                for parameter in self.parameters
            ],
            "arguments": [[name, item.to_json()] for name, item in self.arguments.items()],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> InputSignature:
        """Return the signature that `to_json` made `data` of."""
        parameters = tuple(
            inspect.Parameter(
                name,
                getattr(inspect.Parameter, kind),
                default=Frozen("", None) if default else inspect.Parameter.empty,
            )
            for name, kind, default in data["parameters"]
        )
        arguments = {name: from_json(item) for name, item in data["arguments"]}
        return cls(tuple(map(InputSpec.from_json, data["specs"])), parameters, arguments)
