"""Compiles one line of numpy code and holds the model against numpy, on many inputs."""

from __future__ import annotations

import itertools
import linecache
import re
import textwrap
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import chainer
import numpy as np

from elichika import ElichikaError, ModelRuntimeError, compile_model

TOLERANCE = {"float64": 1e-9, "float32": 1e-4, "float16": 1e-2}
SIZES = (0, 1, 2, 5)


@dataclass
class Case:
    """A line of code over named inputs.

    Attributes:
        code: An expression, or statements ending in `return`.
        inputs: Arrays and Python numbers.
        others: Further inputs, each naming what changes.
        resize: Whether to try other sizes too, in a model whose sizes are all symbolic.
        fails: Whether some of the inputs must make numpy raise (the model then must fail).
        strict: False where the model may fail if numpy's result is empty: numpy checks no index
            arrays then.
        symbolic: False where a size must be known.
    """

    code: str
    inputs: dict[str, Any]
    others: Sequence[Mapping[str, Any]] = ()
    resize: bool = True
    fails: bool = False
    strict: bool = True
    symbolic: bool = True

    @property
    def id(self) -> str:
        kinds = ",".join(f"{name}:{_kind(value)}" for name, value in self.inputs.items())
        return f"{' '.join(self.code.split())}-{kinds}"


def case(
    code: str,
    *others: Mapping[str, Any],
    resize: bool = True,
    strict: bool = True,
    symbolic: bool = True,
    **inputs: Any,
) -> Case:
    """Return a case; see `Case`."""
    return Case(code, inputs, others, resize, strict=strict, symbolic=symbolic)


def _kind(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{list(value.shape)}".replace(" ", "")
    return type(value).__name__


class Model(chainer.Chain):
    """A chain whose forward is the code of a case."""

    forward: Callable[..., Any]


def model_of(code: str, names: Sequence[str]) -> Model:
    """Return a chain with the code as its `forward`."""
    body = textwrap.dedent(code)
    if not re.search(r"\breturn\b", body):
        body = f"return {body.strip()}"
    source = f"def forward(self, {', '.join(names)}):\n{textwrap.indent(body, '    ')}\n"
    name = f"<case {abs(hash(source)):x}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    space: dict[str, Any] = {"__name__": "cases", "np": np, "chainer": chainer}
    exec(compile(source, name, "exec"), space)
    cls = type("Case", (Model,), {"forward": space["forward"]})
    return cls()


def copies(inputs: Mapping[str, Any]) -> list[Any]:
    return [v.copy() if isinstance(v, np.ndarray) else v for v in inputs.values()]


def eager(model: Model, inputs: Mapping[str, Any]) -> Any:
    """Run with numpy itself; return the exception where it raises."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return model.forward(*copies(inputs))
        except Exception as error:
            return error


def compiled(
    model: Model, inputs: Mapping[str, Any], symbolic: bool, compiler: Any = compile_model
) -> Any:
    axes = {}
    if symbolic:
        axes = {
            name: {axis: f"{name}{axis}" for axis in range(value.ndim)}
            for name, value in inputs.items()
            if isinstance(value, np.ndarray) and value.ndim
        }
    return compiler(model, tuple(copies(inputs)), dynamic_axes=axes or None, verify=False)


def resized(inputs: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Inputs of other sizes: all axes at once, and each size of the example on its own."""
    arrays = {n: v for n, v in inputs.items() if isinstance(v, np.ndarray) and v.ndim}
    present = sorted({size for value in arrays.values() for size in value.shape if size > 1})
    for size in SIZES:
        yield _changed(inputs, arrays, lambda _, size=size: size)
    for old, size in itertools.product(present, (*SIZES, 7)):
        yield _changed(inputs, arrays, lambda s, old=old, size=size: size if s == old else s)
    for name, value in arrays.items():
        for axis, size in itertools.product(range(value.ndim), (0, 1, 3)):
            shape = (*value.shape[:axis], size, *value.shape[axis + 1 :])
            yield {**inputs, name: np.resize(value, shape)}


def varied(inputs: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Inputs of the same sizes with other values: in another order, new ones, the same for all."""
    for change in (_turned, _other, _common):
        yield {name: change(value) for name, value in inputs.items()}


def _common(value: Any) -> Any:
    """Return values that are equal, and equal to the constants of the cases, here and there."""
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "iuf":
        return type(value)(3) if type(value) in (int, float) else _other(value)
    return np.resize(np.array([3, 0, 2.5, 1]).astype(value.dtype), value.shape)


def _turned(value: Any) -> Any:
    return np.flip(value) if isinstance(value, np.ndarray) else _other(value)


def _other(value: Any) -> Any:
    """Return other values of the same kind: small ones, as indices may be."""
    if isinstance(value, (bool, np.bool_)) or np.asarray(value).dtype.kind == "b":
        return np.logical_not(value) if isinstance(value, np.ndarray) else not value
    if isinstance(value, np.ndarray) and value.dtype.kind not in "iuf":
        return value
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return (0.5 - value).astype(value.dtype)
    if isinstance(value, np.ndarray):
        return np.where(value > 1, value - 1, value + 1).astype(value.dtype)
    return value + 1 if isinstance(value, int) else 0.5 - value


def _changed(
    inputs: Mapping[str, Any], arrays: Mapping[str, Any], size: Callable[[int], int]
) -> dict[str, Any]:
    return {
        **inputs,
        **{n: np.resize(v, [size(s) for s in v.shape]) for n, v in arrays.items()},
    }


def flat(value: Any) -> list[Any]:
    if isinstance(value, (tuple, list)):
        return [leaf for item in value for leaf in flat(item)]
    return [value]


def same(expected: Any, actual: Any, inputs: Any) -> None:
    """Compare values, dtypes and shapes."""
    left, right = flat(expected), flat(actual)
    assert len(left) == len(right)
    for one, other in zip(left, right, strict=True):
        one, other = np.asarray(one), np.asarray(other)
        shown = f"\ninputs {inputs}\nexpected {one!r}\nactual {other!r}"
        assert one.dtype == other.dtype, shown
        assert one.shape == other.shape, shown
        if one.dtype.kind != "f":
            np.testing.assert_array_equal(other, one, err_msg=shown)
            continue
        finite = np.isfinite(one)
        np.testing.assert_array_equal(other[~finite], one[~finite], err_msg=shown)
        if finite.any():
            scale = max(float(np.abs(one[finite]).max()), 1e-30)
            error = np.abs(one[finite].astype(float) - other[finite].astype(float)).max()
            assert error <= TOLERANCE[one.dtype.name] * scale, shown


def hold(model: Model, made: Any, inputs: Mapping[str, Any], strict: bool = True) -> bool:
    """Compare one run; where numpy raises, the model must fail. Tell whether numpy gave a value."""
    expected = eager(model, inputs)
    if isinstance(expected, Exception):
        try:
            actual = made(*copies(inputs))
        except Exception:
            return False
        raise AssertionError(f"numpy raises {expected!r}, the model gives {actual!r}; {inputs}")
    try:
        actual = made(*copies(inputs))
    except ModelRuntimeError:
        if strict or any(np.size(leaf) for leaf in flat(expected)):
            raise
        return False
    same(expected, actual, inputs)
    return True


def others(given: Case) -> list[Mapping[str, Any]]:
    """Return the example, what the case names, and other values of the example's sizes."""
    named = [{**given.inputs, **other} for other in given.others]
    return [given.inputs, *named, *varied(given.inputs)]


def check(given: Case, compiler: Any = compile_model) -> None:
    """Hold a case at fixed sizes and at symbolic ones."""
    model = model_of(given.code, list(given.inputs))
    first = eager(model, given.inputs)
    if isinstance(first, Exception):
        assert given.fails, f"numpy raises {first!r}"
        try:
            made = compiled(model, given.inputs, False, compiler)
        except ElichikaError as error:
            assert type(first).__name__ in str(error), str(error)
        else:
            assert not hold(model, made, given.inputs)
        return
    static = compiled(model, given.inputs, False, compiler)
    every = others(given)
    shapes = {n: np.shape(v) for n, v in given.inputs.items()}
    runs = [
        hold(model, static, v) for v in every if {n: np.shape(x) for n, x in v.items()} == shapes
    ]
    assert runs[0]
    sized = any(isinstance(v, np.ndarray) and v.ndim for v in given.inputs.values())
    if not sized or not given.symbolic:
        return
    loose = compiled(model, given.inputs, True, compiler)
    for inputs in every:
        hold(model, loose, inputs, given.strict)
    if given.resize:
        for inputs in resized(given.inputs):
            hold(model, loose, inputs, given.strict)


def values(dtype: str, *shape: int, seed: int = 0) -> np.ndarray[Any, Any]:
    """Return an array with signs, zeros and, for ints, extremes left out."""
    rng = np.random.default_rng([seed, *shape, *dtype.encode()])
    kind = np.dtype(dtype).kind
    if kind == "f":
        return np.asarray(np.round(rng.normal(size=shape) * 3, 2)).astype(dtype)
    low = -5 if kind == "i" else 0
    return np.asarray(rng.integers(low, 2 if kind == "b" else 6, shape)).astype(dtype)
