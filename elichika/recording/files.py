"""Recorded calls in `.npz` files: arrays, and a JSON text that says where they stand."""

from __future__ import annotations

import json
import os
from collections import OrderedDict, namedtuple
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import chainer
import numpy as np

from elichika.errors import InputError
from elichika.model.archives import open_archive, read_array
from elichika.model.files import refusing, require_writable
from elichika.recording.calls import Calls, Recorded
from elichika.recording.measure import Repeated
from elichika.signature.constants import plain_from_json, plain_json
from elichika.signature.leaves import ARRAY_TYPES, host_array
from elichika.values.words import a_value
from onnx_graph.export import replacing

__all__ = ["load_calls", "save_calls"]

OUTLINE = "elichika.calls"
VERSION = 1
#: What a damaged outline makes the reader raise.
DAMAGE = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)


def save_calls(calls: Calls, path: str | os.PathLike[str]) -> None:
    """Write calls to a file; see `Calls.save`."""
    target, arrays, kept = require_writable(path), dict[str, Any](), []
    for (link, name), found in calls.recorded.items():
        where = f"a call of `{link}.{name}`"
        examples = [
            [_written((call.args, call.kwargs), arrays, where) for call in kind.kept]
            for kind in found.kinds.values()
        ]
        counts = [kind.count for kind in found.kinds.values()]
        kept.append([link, name, found.others, counts, examples])
    text = json.dumps({"version": VERSION, "calls": kept})
    arrays[OUTLINE] = np.frombuffer(text.encode(), np.uint8)
    with refusing("write", path), replacing(target) as file:
        np.savez(file, **arrays)


def load_calls(*paths: str | os.PathLike[str]) -> Calls:
    """Return the calls that `Calls.save` wrote, those of several files together.

    Raises:
        InputError: A file is missing, damaged, or holds no calls.
    """
    if not paths:
        raise InputError("load_calls needs at least one file")
    calls = Calls()
    for path in paths:
        with open_archive(path, ".npz file of recorded calls") as stored:
            if OUTLINE not in stored.files:
                raise InputError(f"{path} holds no recorded calls.")
            outline = read_array(stored, OUTLINE, path)
            arrays = {key: read_array(stored, key, path) for key in stored.files if key != OUTLINE}
        try:
            assert outline is not None
            _read_all(calls, json.loads(outline.tobytes().decode()), arrays)
        except (
            ArithmeticError,
            AssertionError,
            LookupError,
            RecursionError,
            TypeError,
            ValueError,
        ):
            raise InputError(f"{path} is damaged: its calls cannot be read.") from None
        except AttributeError:
            raise InputError(f"{path} is damaged: its calls cannot be read.") from None
    return calls


def _read_all(calls: Calls, data: Any, arrays: Mapping[str, Any]) -> None:
    """Add the calls of a file."""
    assert data["version"] == VERSION
    for link, name, others, counts, examples in data["calls"]:
        found = calls.recorded.setdefault((str(link), str(name)), Recorded())
        found.others += int(others)
        for count, kept in zip(counts, examples, strict=True):
            for number, one in enumerate(kept):
                args, kwargs = _read(one, arrays)
                found.add(args, kwargs, count - len(kept) + 1 if number == 0 else 1)


def _written(value: Any, arrays: dict[str, Any], where: str) -> Any:
    """Return a value as JSON data; its arrays are put aside.

    Raises:
        InputError: It is of a class that no file keeps.
    """

    def put(kind: str, array: Any) -> dict[str, str]:
        key = f"array_{len(arrays)}"
        arrays[key] = array
        return {kind: key}

    def parts() -> list[Any]:
        return [_written(item, arrays, where) for item in value]

    cls = type(value)
    if value is None or cls in (bool, int, float, str):
        return plain_json(value)
    if cls in ARRAY_TYPES:
        return put("array", host_array(value, where))
    if cls in (list, tuple):
        return {cls.__name__: parts()}
    if cls in (dict, OrderedDict):
        return {
            cls.__name__: [[plain_json(k), _written(v, arrays, where)] for k, v in value.items()]
        }
    match value:
        case chainer.Variable():
            return put("variable", host_array(value, where))
        case Repeated(numbers, shape, variable):
            return {"repeated": [put("array", numbers), list(shape), variable]}
        case np.generic():
            return put("number", np.asarray(value))
        case tuple() if hasattr(cls, "_fields"):
            return {"record": [cls.__name__, list(cls._fields), parts()]}
    raise InputError(f"{where} has {a_value(value)}, which no file of calls keeps")


def _read(data: Any, arrays: Mapping[str, Any]) -> Any:
    """Return the value whose `_written` gave some data."""
    if not isinstance(data, dict):
        return data
    ((kind, content),) = data.items()
    match kind:
        case "float":
            return plain_from_json(data)
        case "array" | "variable" | "number":
            array = arrays[content]
            assert array is not None
            if kind == "number":
                return array[()]
            return chainer.Variable(array) if kind == "variable" else array
        case "repeated":
            numbers, shape, variable = content
            return Repeated(_read(numbers, arrays), tuple(map(int, shape)), bool(variable)).whole()
        case "list" | "tuple":
            made = [_read(item, arrays) for item in content]
            return made if kind == "list" else tuple(made)
        case "record":
            name, fields, parts = content
            return _record(name, tuple(fields))(*(_read(item, arrays) for item in parts))
        case "dict" | "OrderedDict":
            made_of = {"dict": dict, "OrderedDict": OrderedDict}[kind]
            return made_of((plain_from_json(key), _read(item, arrays)) for key, item in content)
    raise ValueError(kind)


@lru_cache(maxsize=256)
def _record(name: str, fields: tuple[str, ...]) -> Any:
    """Return one class for all namedtuples of a name and fields."""
    return namedtuple(name, fields)
