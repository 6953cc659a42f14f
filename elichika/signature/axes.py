"""Names for the sizes of inputs, and the check that one name is one size."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from elichika.errors import InputError, meant
from elichika.signature.inputs import InputSpec, Path, show_path

__all__ = ["check_symbols", "read_axes", "symbol_sizes"]

Axes = Mapping[str | int, Any] | str | None


def read_axes(
    specs: Sequence[InputSpec], parameters: Mapping[str, inspect.Parameter], axes: Axes
) -> list[InputSpec]:
    """Return the specs with the sizes named by `dynamic_axes`.

    Raises:
        InputError: An unknown input or axis, or a name that is no identifier.
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
        raise InputError("dynamic_axes is a dict such as {'x': {0: 'batch'}}, or one name.")
    result = list(specs)
    for key, names in axes.items():
        found = _specs_of(specs, parameters, key)
        if not isinstance(names, Mapping):
            raise InputError(
                f"dynamic_axes[{key!r}] is a dict such as {{0: 'batch'}}, not {names!r}."
            )
        for index in found:
            for axis, symbol in names.items():
                result[index] = _with_axis(result[index], axis, symbol)
    return result


def _specs_of(
    specs: Sequence[InputSpec], parameters: Mapping[str, inspect.Parameter], key: str | int
) -> list[int]:
    found: list[int] = []
    if isinstance(key, int) and not isinstance(key, bool):
        place = _argument(parameters, key)
    else:
        place = (str(key),)
        found = [i for i, spec in enumerate(specs) if key in (spec.name, show_path(spec.path))]
        if not any(spec.path[0] == key for spec in specs):
            others = [p.name for p in parameters.values() if p.kind is p.VAR_KEYWORD]
            place = (*others, str(key))
    if not found and place is not None:
        found = [i for i, spec in enumerate(specs) if spec.path[: len(place)] == place]
    if not found:
        names = [spec.name for spec in specs]
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


def _with_axis(spec: InputSpec, axis: Any, symbol: Any) -> InputSpec:
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


def symbol_sizes(spec: InputSpec, value: Any) -> list[tuple[str, int, Place]]:
    """Return `(symbol, size, place)` for every named size of an input's value."""
    if spec.kind == "scalar":
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
