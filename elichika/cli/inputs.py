"""Example inputs from the command line.

`x=float32[batch,3,height:224,width:224]` is an array; a name makes the axis dynamic, and the number
after a colon is its size in the example. `ids=int32[batch,time]<1000` bounds the values, also
those of an element. `xs=[float32[3,8],float32[5,8]]` is a list and `hs=(float32[3],int32[5])` a
tuple, whose elements may also be given one by one, as `hs[0]=float32[3]`; those of a dict are
`d['key']=…`. `n=3`, `flag=True` or `layers=['fc6']` are Python values. Arrays are drawn with a
fixed seed. What has no name is positional.
"""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from elichika.errors import InputError, meant
from elichika.model.archives import open_archive, read_array
from elichika.signature import Signature
from elichika.signature.inputs import InputSpec, show_path

__all__ = ["Examples", "drawn_inputs", "read_examples"]

NAME = re.compile(r"\s*([A-Za-z_]\w*)((?:\[[^\[\]=]+\])*)\s*=\s*(.+?)\s*\Z", re.DOTALL)
STEP = re.compile(r"\[\s*([^\[\]]+?)\s*\]")
ARRAY = re.compile(r"([a-z]+\d*)\[([^\[\]]*)\]\s*(?:<\s*(\d+))?\Z")
BOUND = re.compile(r"(.*[\])])\s*<\s*(\d+)\Z", re.DOTALL)
SYMBOL = re.compile(r"([A-Za-z_]\w*)(?::(\d+))?\Z")
SIZES = (3, 5, 7, 11, 13, 17, 19, 23, 29, 31)
"""Of dynamic axes, in the order of their names: unequal, so that none is taken for another."""
VALUES = 10
"""Integers are drawn below this unless bounded."""
SEED = 20
DTYPES = tuple(dict.fromkeys(np.dtype(kind).name for kind in "?bhilqBHILQefd"))
"""Those of inputs."""
USUAL = {
    "float": "float32",
    "int": "int32",
    "double": "float64",
    "long": "int64",
    "half": "float16",
}
"""What is meant by words that other languages have for dtypes."""
NUMBER = 3
"""What a number is where nothing is said of it."""


@dataclass
class Examples:
    """Arguments by parameter name, those without a name, and the names of their sizes."""

    inputs: dict[str, Any] = field(default_factory=dict)
    positional: list[Any] = field(default_factory=list)
    dynamic_axes: dict[str | int, dict[int | str, str]] = field(default_factory=dict)

    @property
    def given(self) -> Any:
        """As `compile_model` takes them."""
        return tuple(self.positional) or self.inputs


@dataclass
class _Sizes:
    """The size of each named axis."""

    known: dict[str, int] = field(default_factory=dict)

    def of(self, symbol: str, given: int | None, text: str) -> int:
        if given is None:
            free = (size for size in SIZES if size not in self.known.values())
            return self.known.setdefault(symbol, next(free, 37 + len(self.known)))
        if self.known.setdefault(symbol, given) != given:
            raise InputError(f"{text}: `{symbol}` is {self.known[symbol]} elsewhere.")
        return given


def read_examples(descriptions: Iterable[str], file: Path | None = None) -> Examples:
    """Read `--input` options and an `--inputs` file.

    With both, the arrays come from the file and the descriptions name their axes.

    Raises:
        InputError: A description cannot be read, or does not fit the file.
    """
    examples = Examples() if file is None else Examples(_from_file(file))
    sizes = _Sizes()
    random = np.random.RandomState(SEED)
    parts: dict[str, dict[Steps, Any]] = {}
    for text in descriptions:
        found = NAME.match(text)
        name, steps, description = found.groups() if found else ("", "", text.strip())
        value, axes = _read(description, sizes, random, f"--input {text}")
        if not name:
            examples.dynamic_axes |= {len(examples.positional): named for named in axes.values()}
            examples.positional.append(value)
            continue
        path = tuple(map(_step, STEP.findall(steps)))
        if path:
            _require_new(path, parts.setdefault(name, {}), text)
            parts[name][path] = value
        elif file is not None and name in examples.inputs:
            _compare(name, value, examples.inputs[name], axes.get((), {}), text)
        else:
            examples.inputs[name] = value
        for inner, named in axes.items():
            examples.dynamic_axes[show_path((name, *path, *inner))] = named
    for name, items in parts.items():
        if name in examples.inputs:
            raise InputError(f"--input: `{name}` is given whole and by its elements.")
        examples.inputs[name] = _built(items, name)
    if examples.positional and examples.inputs:
        raise InputError("Give all inputs a name, or none: float32[3] and x=float32[3] do not mix.")
    return examples


def by_position(descriptions: Iterable[str]) -> str:
    """Return the options that give the same inputs without their names."""
    found = [(text, NAME.match(text)) for text in descriptions]
    bare = [text if match is None else match.group(3) for text, match in found]
    return " ".join(f"--input {shlex.quote(text)}" for text in bare)


Steps = tuple[str | int, ...]
Axes = dict[Steps, dict[int | str, str]]


def _step(text: str) -> str | int:
    """Return an index, or a key of a dict, which may be quoted."""
    return int(text) if text.isdigit() else text.strip("'\"")


def _require_new(path: Steps, items: Mapping[Steps, Any], text: str) -> None:
    """Check that an element is given once, and not also by elements of its own."""
    for other in items:
        if other[: len(path)] == path[: len(other)]:
            raise InputError(f"--input {text}: this element is given already.")


def _built(items: Mapping[Steps, Any], where: str) -> Any:
    """Return the tuple or dict of elements by their paths."""
    if () in items:
        return items[()]
    inner: dict[str | int, dict[Steps, Any]] = {}
    for (first, *rest), value in items.items():
        inner.setdefault(first, {})[tuple(rest)] = value
    if int not in map(type, inner):
        return {key: _built(value, f"{where}[{key!r}]") for key, value in inner.items()}
    if sorted(inner, key=str) != sorted(range(len(inner)), key=str):
        raise InputError(f"--input: the elements of `{where}` are not numbered from 0.")
    return tuple(_built(inner[key], f"{where}[{key}]") for key in range(len(inner)))


def _read(text: str, sizes: _Sizes, random: np.random.RandomState, where: str) -> tuple[Any, Axes]:
    bounded = BOUND.match(text)
    bound = None
    if bounded is not None:
        text, bound = bounded.group(1).strip(), int(bounded.group(2))
    if ARRAY.match(text):
        array, axes = _array(text, bound, sizes, random, where)
        return array, {(): axes} if axes else {}
    parts = _parts(text)
    if parts and all(ARRAY.match(part) for part in parts):
        items = [_array(part, bound, sizes, random, where) for part in parts]
        if text.startswith("["):
            if any(axes != items[0][1] for _, axes in items):
                raise InputError(
                    f"{where}: the elements of a list have the same names of sizes.",
                    hint="for a size that each element has of its own, give unlike numbers, as in "
                    "[float32[3],float32[5]]",
                )
            return [item for item, _ in items], {(): items[0][1]} if items[0][1] else {}
        named: Axes = {(number,): axes for number, (_, axes) in enumerate(items) if axes}
        return tuple(item for item, _ in items), named
    if bound is not None:
        raise InputError(f"{where}: only an array can have a bound.", hint=_way_out(text))
    try:
        return ast.literal_eval(text), {}
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        raise InputError(
            f"{where}: {text} is neither an array such as float32[batch,3] nor a Python value.",
            hint=_way_out(text),
        ) from None


def _way_out(text: str) -> str | None:
    """Return what a description may mean that cannot be read."""
    text = text.removeprefix("np.").removeprefix("numpy.")
    word = re.match(r"[A-Za-z]+\d*", text)
    dtype = word and word.group().lower()
    if text[:1] == "{":
        return "a dict is given by its items: --input \"d['key']=float32[3]\""
    if found := re.match(r"(\w+)\s*:\s*(.*)", text):
        return f"did you mean {found.group(1)}={found.group(2)}?"
    if text.count("[") != text.count("]") or text.count("(") != text.count(")"):
        return "a bracket is not closed"
    if re.match(r"[\[(][\s\w,:]*[A-Za-z_]", text):
        return f"did you mean float32[{text.strip('[]() ')}]?"
    if dtype in DTYPES:
        sizes = text[len(dtype) :].strip("()[] ")
        return f"did you mean {dtype}[{sizes}]?"
    return None


def _parts(text: str) -> list[str]:
    """Return the descriptions in `[float32[3], float32[5]]`, or in such a tuple."""
    if text[:1] + text[-1:] not in ("[]", "()"):
        return []
    parts = [part.strip() for part in re.split(r",(?![^\[]*\])", text[1:-1])]
    return parts if parts[-1] or text[0] == "[" else parts[:-1]


def _array(
    text: str, bound: int | None, sizes: _Sizes, random: np.random.RandomState, where: str
) -> tuple[np.ndarray[Any, Any], dict[int | str, str]]:
    found = ARRAY.match(text)
    assert found is not None
    bound = bound if found.group(3) is None else int(found.group(3))
    if bound is not None and bound < 1:
        raise InputError(f"{where}: the bound must be at least 1.")
    try:
        dtype: np.dtype[Any] | None = np.dtype(found.group(1))
    except TypeError:
        dtype = None
    if dtype is None or dtype.name != found.group(1):
        raise InputError(
            f"{where}: {found.group(1)} is not a dtype of numpy.",
            hint=f"did you mean `{USUAL[found.group(1)]}`?"
            if found.group(1) in USUAL
            else meant(found.group(1), DTYPES),
        )
    if dtype.kind not in "biuf":
        raise InputError(f"{where}: no model takes {dtype}.")
    axes: dict[int | str, str] = {}
    shape = []
    entries = found.group(2).split(",") if found.group(2).strip() else []
    for axis, entry in enumerate(part.strip() for part in entries):
        if entry.isdigit():
            shape.append(int(entry))
            continue
        symbol = SYMBOL.match(entry)
        if symbol is None:
            raise InputError(f"{where}: {entry!r} is neither a size nor a name.")
        axes[axis] = symbol.group(1)
        given = None if symbol.group(2) is None else int(symbol.group(2))
        shape.append(sizes.of(symbol.group(1), given, where))
    try:
        return _drawn(tuple(shape), dtype, bound, random, where), axes
    except (MemoryError, ValueError):  # numpy's for sizes beyond its own bounds
        raise InputError(f"{where}: there is no room for an array of these sizes.") from None


def _drawn(
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    bound: int | None,
    random: np.random.RandomState,
    where: str,
) -> np.ndarray[Any, Any]:
    if dtype.kind == "f":
        values = random.standard_normal(shape) if bound is None else random.uniform(0, bound, shape)
        return np.asarray(values).astype(dtype)
    if dtype.kind == "b":
        return random.randint(0, 2, shape).astype(dtype)
    largest = int(np.iinfo(dtype).max)
    if bound is not None and bound - 1 > largest:
        raise InputError(f"{where}: {dtype} holds no numbers up to {bound}.")
    return random.randint(0, bound or VALUES, shape).astype(dtype)


def drawn_inputs(signature: Signature, kind: Mapping[int, int] | None = None) -> Any:
    """Return inputs that fit what a file says of its model; bounds of numbers it does not say.

    Args:
        signature: That of the model.
        kind: Which kind of call; the default is the first.
    """
    sizes, random = _Sizes(), np.random.RandomState(SEED)
    way = signature.inputs.variants[0] if kind is None else kind
    leaves = [
        way.get(index, 0) if spec.kind == "tag" else _leaf(spec, sizes, random)
        for index, spec in enumerate(signature.inputs.specs)
    ]
    call = signature.inputs.rebuild(leaves)
    if not call.kwargs:
        return tuple(call.args)
    return {**dict(zip(signature.inputs.arguments, call.args, strict=False)), **call.kwargs}


def _leaf(spec: InputSpec, sizes: _Sizes, random: np.random.RandomState) -> Any:
    """Return a value for an input."""

    def size(dim: int | str | None, unknown: int) -> int:
        match dim:
            case None:
                return unknown
            case str():
                return sizes.of(dim, None, "")
            case _:
                return dim

    def drawn(unknown: int = 3) -> Any:
        shape = tuple(size(dim, unknown) for dim in spec.dims)
        return _drawn(shape, spec.dtype, None, random, f"`{spec.name}`")

    if spec.kind == "list":
        return spec.to_python([drawn(3), drawn(5)])
    return spec.to_python(spec.dtype.type(NUMBER) if spec.kind == "scalar" else drawn())


def _from_file(path: Path) -> dict[str, Any]:
    """Read arguments: `x` is an array or number, `xs.0`, `xs.1`, … a list."""
    found: dict[str, Any] = {}
    lists: dict[str, dict[int, Any]] = {}
    with open_archive(path, ".npz file of arrays") as stored:
        for key in stored.files:
            value = read_array(stored, key, path)
            if value is None:
                raise InputError(f"{path}: {key} is not a plain array.")
            plain = value.ndim == 0 and value.dtype in (np.int64, np.float64, np.bool_)
            name, dot, number = key.rpartition(".")
            if dot and number.isdigit():
                lists.setdefault(name, {})[int(number)] = value.item() if plain else value
            else:
                found[key] = value.item() if plain else value
    for name, items in lists.items():
        if sorted(items) != list(range(len(items))):
            raise InputError(f"{path}: the elements of {name} are not numbered from 0.")
        found[name] = [items[number] for number in range(len(items))]
    return found


def _compare(name: str, described: Any, stored: Any, axes: dict[int | str, str], text: str) -> None:
    """Check that an array of the file is as described; named axes may have any size."""
    if not isinstance(described, np.ndarray) or not isinstance(stored, np.ndarray):
        return
    wanted = [axes.get(axis, size) for axis, size in enumerate(described.shape)]
    fits = described.dtype == stored.dtype and described.ndim == stored.ndim
    fits = fits and all(
        isinstance(dim, str) or dim == size for dim, size in zip(wanted, stored.shape, strict=True)
    )
    if not fits:
        raise InputError(
            f"--input {text}: the file's {name} is {stored.dtype}{list(stored.shape)}."
        )
