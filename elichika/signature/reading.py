"""From example inputs to an `InputSignature`."""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from elichika.errors import InputError, meant
from elichika.signature.axes import check_symbols, read_axes
from elichika.signature.inputs import InputSignature, InputSpec, Path, Size, show_path
from elichika.signature.leaves import SCALARS, Leaf, host_array, is_array, own, read_leaf, read_list
from elichika.signature.names import Wanted, chosen_names, listed, safe_name, unique_name
from elichika.signature.structure import Constant, DictOf, ItemsOf, RecordOf, Slot, Structure
from elichika.values.words import a_value

__all__ = ["read_call", "read_inputs"]


def read_inputs(
    function: Callable[..., Any],
    inputs: Any,
    *,
    dynamic_axes: Mapping[str | int, Any] | str | None = None,
    static: Sequence[str] = (),
    input_names: Wanted = None,
    examples: Sequence[Any] | None = None,
) -> InputSignature:
    """Read example inputs.

    Args:
        function: What is called with them, such as the bound `chain.forward`.
        inputs: A tuple or list of positional examples, a dict of keyword examples, or one array.
        dynamic_axes: Names for sizes that may change: `{'x': {0: 'batch'}}` by parameter or input
            name or by the position of an argument (for a list, the axes of its elements, and
            `'len'` for its own length), or one name for axis 0 of every array.
        static: Parameters that stay at their example.
        input_names: Names for the inputs, in order or by the names they have otherwise.
        examples: Further inputs of the same form; an axis of a list's elements on which any of
            them differ is dynamic.

    Raises:
        InputError: Saying in one line what does not fit.
    """
    fixed = (static,) if isinstance(static, str) else tuple(static)
    parameters = _parameters(function)
    bound = _bind(function, parameters, inputs)
    for name in fixed:
        if name not in bound:
            raise InputError(
                f"static names `{name}`, but {listed(bound, 'argument')}.", hint=meant(name, bound)
            )
    reader = _Reader(fixed)
    arguments = {name: reader.argument(name, value) for name, value in bound.items()}
    specs, others = _with_examples(function, parameters, reader.specs, arguments, examples or ())
    specs = read_axes(specs, parameters, dynamic_axes)
    for number, values in enumerate(others):
        _check_sizes(specs, values, number)
    check_symbols(specs, [spec.example for spec in specs])
    names = chosen_names("input", [spec.name for spec in specs], input_names)
    named = (replace(spec, name=name) for spec, name in zip(specs, names, strict=True))
    return InputSignature(tuple(named), tuple(parameters.values()), arguments)


def _parameters(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    try:
        found = inspect.signature(function).parameters
    except (TypeError, ValueError):
        raise InputError(f"The parameters of {function!r} cannot be read.") from None
    return {
        name: parameter.replace(annotation=inspect.Parameter.empty)
        for name, parameter in found.items()
    }


def _bind(
    function: Callable[..., Any], parameters: Mapping[str, inspect.Parameter], inputs: Any
) -> dict[str, Any]:
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = {}
    if isinstance(inputs, Mapping):
        for key in inputs:
            if not isinstance(key, str):
                raise InputError(f"The keys of inputs are parameter names, not {key!r}.")
        kwargs = dict(inputs)
    elif type(inputs) in (tuple, list):
        args = tuple(inputs)
    elif is_array(inputs) or isinstance(inputs, (*SCALARS, np.generic)):
        args = (inputs,)
    else:
        raise InputError(
            "inputs is a tuple of positional examples, a dict of keyword examples or one array, "
            f"not {a_value(inputs)}."
        )
    try:
        bound = inspect.Signature(list(parameters.values())).bind(*args, **kwargs)
    except TypeError as error:
        name = getattr(function, "__name__", "the function")
        shown = ", ".join(parameters) or "nothing"
        unknown = [key for key in kwargs if key not in parameters][:1]
        hint = meant(unknown[0], parameters) if unknown else None
        raise InputError(f"The inputs do not fit {name}({shown}): {error}.", hint=hint) from None
    return bound.arguments


class _Reader:
    def __init__(self, static: Sequence[str]) -> None:
        self.specs: list[InputSpec] = []
        self._static = static

    def argument(self, name: str, value: Any) -> Structure:
        """Return the structure of an argument, adding a spec for each leaf."""
        return Constant(value) if name in self._static else self._read(value, (name,))

    def _read(self, value: Any, path: Path) -> Structure:
        where = show_path(path)
        if value is None or isinstance(value, str):
            return Constant(value)
        if type(value) is list:
            if value and all(item is None or isinstance(item, str) for item in value):
                return Constant(value)
            leaf = read_list(value, where)
            return self._add(leaf or Leaf("list", np.dtype("V"), []), path)
        if isinstance(value, tuple):
            return self._tuple(value, path)
        if type(value) in (dict, OrderedDict):
            for key in value:
                if not isinstance(key, (str, int)):
                    raise InputError(f"`{where}` has the key {key!r}; keys are strings or ints.")
            items = tuple(self._read(item, (*path, key)) for key, item in value.items())
            return DictOf(type(value).__name__, tuple(value), items)
        found = read_leaf(value, where)
        if found is None:
            raise InputError(
                f"`{where}` is {a_value(value)}, not an array, number, list, tuple, dict, str or "
                "None (name it in static to keep it as it is)."
            )
        return self._add(found, path)

    def _tuple(self, value: tuple[Any, ...], path: Path) -> Structure:
        fields: tuple[str, ...] | None = getattr(type(value), "_fields", None)
        steps: Sequence[str | int] = range(len(value)) if fields is None else fields
        items = tuple(
            self._read(part, (*path, step)) for step, part in zip(steps, value, strict=True)
        )
        if fields is None:
            return ItemsOf("tuple", items)
        return RecordOf(type(value).__name__, fields, items, type(value))

    def _add(self, leaf: Leaf, path: Path) -> Slot:
        dims: tuple[Size, ...] = ()
        if leaf.kind != "list" and leaf.kind != "scalar":
            dims = leaf.value.shape
        self.specs.append(
            InputSpec(
                name=unique_name(
                    safe_name("_".join(map(str, path))), {spec.name for spec in self.specs}
                ),
                path=path,
                kind=leaf.kind,
                dtype=leaf.dtype,
                dims=dims,
                python_type=leaf.python_type,
                element=leaf.element,
                example=own(leaf.value),
            )
        )
        return Slot(len(self.specs) - 1)


def read_call(signature: InputSignature, inputs: Any) -> list[Any]:
    """Return the leaves of further inputs as host values.

    Args:
        signature: That of the model.
        inputs: In the form that `read_inputs` takes.

    Raises:
        InputError: They do not fit.
    """
    if isinstance(inputs, Mapping):
        leaves = signature.leaves((), inputs)
    else:
        args = tuple(inputs) if type(inputs) in (tuple, list) else (inputs,)
        leaves = signature.leaves(args, {})
    return [
        [_host(item, f"{spec.name}[{i}]") for i, item in enumerate(leaf)]
        if isinstance(leaf, list)
        else _host(leaf, spec.name)
        for spec, leaf in zip(signature.specs, leaves, strict=True)
    ]


def _host(value: Any, where: str) -> Any:
    return host_array(value, where) if is_array(value) else value


def _with_examples(
    function: Callable[..., Any],
    parameters: Mapping[str, inspect.Parameter],
    specs: Sequence[InputSpec],
    arguments: dict[str, Structure],
    examples: Sequence[Any],
) -> tuple[list[InputSpec], list[list[Any]]]:
    """Set the sizes of list elements from all examples; return the further examples' leaves."""
    signature = InputSignature(tuple(specs), tuple(parameters.values()), arguments)
    lists: list[list[Any]] = [list(spec.example) if spec.kind == "list" else [] for spec in specs]
    known = list(specs)
    others = []
    for number, example in enumerate(examples):
        bound = _bind(function, parameters, example)
        if set(bound) != set(arguments):
            raise InputError(f"examples[{number}] gives other arguments than inputs.")
        call = inspect.BoundArguments(
            inspect.Signature(list(parameters.values())),
            bound,
        )
        try:
            leaves = signature.leaves(call.args, call.kwargs)
        except InputError as error:
            raise InputError(f"examples[{number}]: {error.message}") from None
        others.append(leaves)
        for index, value in enumerate(leaves):
            leaf = _like(known[index], value, f"examples[{number}]: {known[index].name}")
            if leaf is None:
                continue
            if known[index].dtype.kind == "V":
                known[index] = replace(
                    known[index],
                    dtype=leaf.dtype,
                    python_type=leaf.python_type,
                    element=leaf.element,
                )
            lists[index].extend(leaf.value)
    return [_sized(spec, found) for spec, found in zip(known, lists, strict=True)], others


def _check_sizes(specs: Sequence[InputSpec], values: Sequence[Any], number: int) -> None:
    for spec, value in zip(specs, values, strict=True):
        if spec.kind not in ("variable", "ndarray"):
            continue
        for axis, (dim, size) in enumerate(zip(spec.dims, value.shape, strict=True)):
            if isinstance(dim, int) and dim != size:
                raise InputError(
                    f"examples[{number}]: {spec.name} has size {size} on axis {axis} and {dim} in "
                    "inputs; name the axis in dynamic_axes."
                )


def _like(spec: InputSpec, value: Any, where: str) -> Leaf | None:
    """Read a further example of an input; return it if it is a list with elements."""
    if spec.kind == "list":
        if type(value) is not list:
            raise InputError(f"{where} is a list in inputs and {a_value(value)} here.")
        leaf = read_list(value, where)
    else:
        leaf = read_leaf(value, where)
        if leaf is None:
            raise InputError(f"{where} is {a_value(value)}, not {spec.describe()}.")
    if leaf is None:
        return None
    given = leaf.kind, leaf.dtype, leaf.python_type, leaf.element
    wanted = spec.kind, spec.dtype, spec.python_type, spec.element
    if spec.dtype.kind != "V" and given != wanted:
        raise InputError(f"{where} is {leaf.shown} here and {spec.describe()} in inputs.")
    if spec.kind in ("variable", "ndarray") and leaf.value.ndim != len(spec.dims):
        raise InputError(f"{where} has rank {leaf.value.ndim}, not {len(spec.dims)} as in inputs.")
    return leaf if spec.kind == "list" else None


def _sized(spec: InputSpec, elements: Sequence[Any]) -> InputSpec:
    if spec.kind != "list":
        return spec
    if not elements:
        raise InputError(
            f"`{spec.name}` is an empty list, whose elements have no type; give an example with "
            "elements."
        )
    if spec.element == "scalar":
        return spec
    ranks = sorted({item.ndim for item in elements})
    if len(ranks) > 1:
        shown = " and ".join(map(str, ranks))
        raise InputError(
            f"The arrays in `{spec.name}` have ranks {shown}; those of a list have one."
        )
    sizes = zip(*(item.shape for item in elements), strict=True)
    dims = tuple(found.pop() if len(found := set(axis)) == 1 else None for axis in sizes)
    return replace(spec, dims=dims)
