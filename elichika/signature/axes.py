"""Names for the sizes of inputs, and the check that one name is one size."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from elichika.errors import InputError, meant
from elichika.signature.inputs import InputSpec, Path, show_path
from elichika.signature.slots import ABSENT

__all__ = ["check_symbols", "named_sizes", "read_axes", "symbol_sizes"]

Axes = Mapping[str | int, Any] | str | None
#: The sizes of an input that examples show, with what messages call the example.
Shapes = Sequence[tuple[str, tuple[int, ...]]]


def named_sizes(axes: Axes) -> set[str]:
    """Return the names that the user gives to sizes."""
    if isinstance(axes, Mapping):
        inner = [names for names in axes.values() if isinstance(names, Mapping)]
        return {str(name) for names in inner for name in names.values()}
    return {str(axes)}


def read_axes(
    specs: Sequence[InputSpec],
    parameters: Mapping[str, inspect.Parameter],
    axes: Axes,
    shapes: Sequence[Shapes],
) -> list[InputSpec]:
    """Return the specs with the sizes named by `dynamic_axes`.

    Args:
        specs: The inputs.
        parameters: Those of the function.
        axes: What the user says.
        shapes: What was seen of each input.

    Raises:
        InputError: An unknown input or axis, a name that is no identifier, or an axis that stays as
            it is and differs between examples.
    """
    if axes is None:
        return list(specs)
    if isinstance(axes, str):
        _require_symbol(axes, "every array")
        return [
            replace(spec, dims=(axes, *spec.dims[1:]))
            if spec.kind in ("variable", "ndarray") and spec.dims
            else spec
            for spec in specs
        ]
    if not isinstance(axes, Mapping):
        raise InputError("dynamic_axes must be a dict such as {'x': {0: 'batch'}}, or one name.")
    result = list(specs)
    for key, names in axes.items():
        found = _specs_of(specs, parameters, key)
        if not isinstance(names, Mapping):
            raise InputError(
                f"dynamic_axes[{key!r}] must be a dict such as {{0: 'batch'}}, not {names!r}."
            )
        for axis, symbol in names.items():
            having = [index for index in found if _has_axis(specs[index], axis)]
            for index in having or found[:1]:
                result[index] = _with_axis(result[index], axis, symbol, shapes[index])
    return result


def _has_axis(spec: InputSpec, axis: Any) -> bool:
    """Tell whether an input has an axis; of several that stand for one argument, not all do."""
    if axis == "len":
        return spec.kind == "list"
    return type(axis) is int and -len(spec.dims) <= axis < len(spec.dims)


def _specs_of(
    specs: Sequence[InputSpec], parameters: Mapping[str, inspect.Parameter], key: str | int
) -> list[int]:
    found: list[int] = []
    leaves = [index for index, spec in enumerate(specs) if spec.kind != "tag"]
    if isinstance(key, int) and not isinstance(key, bool):
        place = _argument(parameters, key)
    else:
        place = (str(key),)
        found = [i for i in leaves if key in (specs[i].name, show_path(specs[i].path))]
        if not any(spec.path[0] == key for spec in specs):
            others = [p.name for p in parameters.values() if p.kind is p.VAR_KEYWORD]
            place = (*others, str(key))
    if not found and place is not None:
        found = [i for i in leaves if specs[i].path[: len(place)] == place]
    if not found:
        names = [specs[index].name for index in leaves]
        shown = ", ".join(f"`{name}`" for name in names) or "none"
        raise InputError(
            f"dynamic_axes names {key!r}, but the inputs are {shown}.", hint=meant(str(key), names)
        )
    return found


def _argument(parameters: Mapping[str, inspect.Parameter], position: int) -> Path | None:
    """Return where a positional argument is in the call."""
    for index, (name, parameter) in enumerate(parameters.items()):
        if parameter.kind is parameter.VAR_POSITIONAL and position >= index:
            return (name, position - index)
        if index == position:
            return (name,)
    return None


#: An input, the element of it if it is a list, and the axis; no axis stands for the length.
Place = tuple[str, int | None, int | None]


def _require_symbol(symbol: object, where: str) -> str:
    if isinstance(symbol, str) and symbol.isidentifier():
        return symbol
    raise InputError(
        f"dynamic_axes: the name of an axis of {where} is an identifier, not {symbol!r}."
    )


def _with_axis(spec: InputSpec, axis: Any, symbol: Any, shapes: Shapes) -> InputSpec:
    if symbol is None and axis != "len" and _has_axis(spec, axis):
        _require_one_size(spec, axis, shapes)
        return spec
    name = _require_symbol(symbol, f"`{spec.name}`")
    if axis == "len":
        if spec.kind != "list":
            raise InputError(f"dynamic_axes: `{spec.name}` is not a list and has no 'len'.")
        return replace(spec, length=name)
    rank = len(spec.dims)
    if not isinstance(axis, int) or isinstance(axis, bool) or not -rank <= axis < rank:
        what = "elements of rank" if spec.kind == "list" else "rank"
        raise InputError(f"dynamic_axes: `{spec.name}` has {what} {rank}, so no axis {axis!r}.")
    dims = list(spec.dims)
    dims[axis] = name
    return replace(spec, dims=tuple(dims))


def _require_one_size(spec: InputSpec, axis: int, shapes: Shapes) -> None:
    """Refuse to keep the size of an axis that examples differ in."""
    for where, shape in shapes:
        first, other = shapes[0][1][axis], shape[axis]
        if first != other:
            raise InputError(
                f"dynamic_axes keeps axis {axis} of `{spec.name}` as it is, but its size is "
                f"{first} in {shapes[0][0]} and {other} in {where}."
            )


def symbol_sizes(spec: InputSpec, value: Any) -> list[tuple[str, int, Place]]:
    """Return `(symbol, size, place)` for every named size of an input's value."""
    if spec.kind in ("scalar", "tag") or value is ABSENT:
        return []
    found: list[tuple[str, int, Place]] = []
    if spec.kind == "list" and spec.length is not None:
        found.append((spec.length, len(value), (spec.name, None, None)))
    named = [(axis, dim) for axis, dim in enumerate(spec.dims) if isinstance(dim, str)]
    if named:
        arrays: Iterable[tuple[int | None, Any]] = [(None, value)]
        if spec.kind == "list":
            arrays = enumerate(value)
        for number, array in arrays:
            shape = np.shape(array)
            found += [(dim, shape[axis], (spec.name, number, axis)) for axis, dim in named]
    return found


def check_symbols(specs: Sequence[InputSpec], values: Sequence[Any]) -> None:
    """Check that one name is one size.

    Raises:
        InputError: Naming both places.
    """
    sizes: dict[str, tuple[int, Place]] = {}
    for spec, value in zip(specs, values, strict=True):
        for symbol, size, place in symbol_sizes(spec, value):
            known, first = sizes.setdefault(symbol, (size, place))
            if known != size:
                one, other = _shown(first), _shown(place)
                raise InputError(f"`{symbol}` is {known} at {one} and {size} at {other}.")


def _shown(place: Place) -> str:
    name, number, axis = place
    if axis is None:
        return f"len({name})"
    return f"axis {axis} of {name}" + ("" if number is None else f"[{number}]")
