"""What is passed to a model, checked against its inputs before the model runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import chainer
import numpy as np

from elichika.errors import InputError
from elichika.signature.axes import check_symbols
from elichika.signature.inputs import InputSignature, InputSpec
from elichika.signature.leaves import host_array, is_array, read_leaf
from elichika.signature.slots import ABSENT
from elichika.values.symbolic import WIDE_BOUND
from elichika.values.words import a_value

__all__ = ["feeds_from_leaves", "feeds_from_names"]

Feed = np.ndarray[Any, Any] | list[np.ndarray[Any, Any]]


def feeds_from_leaves(signature: InputSignature, leaves: Sequence[Any]) -> dict[str, Feed]:
    """Return what onnxruntime takes for the leaves of a call.

    Raises:
        InputError: A leaf has another type, rank or size than its input.
    """
    feeds: dict[str, Feed] = {}
    for spec, leaf in zip(signature.specs, leaves, strict=True):
        if leaf is ABSENT:
            continue
        if spec.kind == "list":
            if not isinstance(leaf, list):
                raise InputError(f"`{spec.name}` is a list, not {type(leaf).__name__}.")
            feeds[spec.name] = [
                _element(spec, item, f"{spec.name}[{number}]") for number, item in enumerate(leaf)
            ]
        else:
            feeds[spec.name] = _element(spec, leaf, spec.name)
    if signature.may_disagree:
        check_symbols(signature.specs, [feeds.get(spec.name, ABSENT) for spec in signature.specs])
    return _packed(signature, feeds if len(feeds) == len(leaves) else _filled(signature, feeds))


def _filled(signature: InputSignature, feeds: Mapping[str, Feed]) -> dict[str, Feed]:
    """Return feeds with zeros for what a call does not have: nothing reads them."""
    filled: dict[str, Feed] = {}
    for spec in signature.specs:
        sizes = [dim if type(dim) is int else 1 for dim in spec.dims]
        nothing: Feed = [] if spec.kind == "list" else np.zeros(sizes, spec.dtype)
        filled[spec.name] = feeds.get(spec.name, nothing)
    return filled


def feeds_from_names(signature: InputSignature, feeds: Mapping[str, Any]) -> dict[str, Feed]:
    """Check feeds by name; scalars may be 0-d arrays.

    Raises:
        InputError: A name is unknown or missing, or a value has another type, rank or size.
    """
    known = [spec.name for spec in signature.specs]
    if not hasattr(feeds, "keys"):
        raise InputError(
            f"`run` takes a dict of arrays by input name, not {a_value(feeds)}.",
            hint="call the model itself as its chain is called: model(…)",
        )
    for name in feeds:
        if name not in known:
            shown = ", ".join(known) or "none"
            raise InputError(f"The model has no input `{name}`; its inputs are {shown}.")
    checked: dict[str, Feed] = {}
    for spec in signature.specs:
        if spec.name not in feeds:
            raise InputError(f"The input {spec.describe()} is missing.")
        value = feeds[spec.name]
        if spec.kind == "list":
            if not isinstance(value, (list, tuple)):
                raise InputError(f"`{spec.name}` is a list, not {type(value).__name__}.")
            checked[spec.name] = [
                _element(spec, item, f"{spec.name}[{number}]", bare=True)
                for number, item in enumerate(value)
            ]
        else:
            checked[spec.name] = _element(spec, value, spec.name, bare=True)
    check_symbols(signature.specs, list(checked.values()))
    return _packed(signature, checked)


def _packed(signature: InputSignature, feeds: dict[str, Feed]) -> dict[str, Feed]:
    """Return feeds with a tensor for each list, where the file takes no lists."""
    if not signature.tensors:
        return feeds
    packed = dict(feeds)
    for spec in signature.specs:
        items = feeds[spec.name]
        if spec.kind == "list":
            shapes = [item.shape for item in items]
            sizes = np.array(shapes, np.int64).reshape(len(items), len(spec.dims))
            most = map(int, sizes.max(axis=0, initial=0))
            pairs = zip(spec.dims, most, strict=True)
            room = [dim if type(dim) is int else size for dim, size in pairs]
            rows = np.zeros([len(items), *room], spec.dtype)
            for number, item in enumerate(items):
                rows[(number, *map(slice, item.shape))] = item
            packed[spec.name] = rows
            name = signature.lengths_of(spec)
            if name is not None:
                axes = [axis for axis, dim in enumerate(spec.dims) if dim is None]
                packed[name] = sizes[:, axes[0]] if len(axes) == 1 else sizes[:, axes]
    return packed


def _element(
    spec: InputSpec, value: Any, where: str, *, bare: bool = False
) -> np.ndarray[Any, Any]:
    """Return one tensor; with `bare`, a 0-d array stands for a scalar."""
    if (spec.element or spec.kind) in ("scalar", "tag"):
        return _scalar(spec, value, where, bare)
    array: np.ndarray[Any, Any] = value
    if type(value) is not np.ndarray or value.dtype != spec.dtype:
        array = _array(spec, value, where, bare)
    if array.ndim != len(spec.dims):
        raise InputError(f"`{where}` has rank {array.ndim}, not {len(spec.dims)}.")
    for axis, (size, dim) in enumerate(zip(array.shape, spec.dims, strict=True)):
        if isinstance(dim, int) and size != dim:
            raise InputError(
                f"`{where}` has size {size} on axis {axis}; the model was compiled for {dim} "
                "(dynamic_axes leaves a size open)."
            )
    return array


def _array(spec: InputSpec, value: Any, where: str, bare: bool) -> np.ndarray[Any, Any]:
    """Return the array of the input's dtype behind what is no such array itself."""
    if bare and not spec.dims and isinstance(value, np.generic):
        value = np.asarray(value)
    elif not is_array(value):
        raise InputError(f"`{where}` must be an array, not {a_value(value)}.")
    array = host_array(value, where)
    if array.dtype != spec.dtype:
        raise InputError(f"`{where}` has dtype {array.dtype}, not {spec.dtype}.")
    return array


def _scalar(spec: InputSpec, value: Any, where: str, bare: bool) -> np.ndarray[Any, Any]:
    assert spec.python_type is not None
    array = value
    if bare and isinstance(value, np.ndarray) and value.ndim == 0:
        if value.dtype != spec.dtype:
            raise InputError(f"`{where}` has dtype {value.dtype}, not {spec.dtype}.")
        return array  # type: ignore[no-any-return]
    leaf = read_leaf(value, where)
    matches = leaf is not None and leaf.kind == "scalar" and leaf.dtype == spec.dtype
    if not matches or (not bare and type(value) is not spec.python_type):
        wanted = spec.python_type.__name__
        raise InputError(f"`{where}` takes one {wanted}, not {_shown(value)}.")
    if spec.kind == "scalar" and spec.python_type is int and not -WIDE_BOUND <= value <= WIDE_BOUND:
        raise InputError(f"`{where}` is {value}; an int of a model is within 2**62.")
    return np.asarray(value, dtype=spec.dtype)


def _shown(value: Any) -> str:
    if isinstance(value, (np.ndarray, chainer.Variable)):
        return f"an array of {value.dtype}{list(value.shape)}"
    return f"{type(value).__name__} {value!r}"
