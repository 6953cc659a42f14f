"""Small programs, each compiled once and run on inputs that take other paths."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import chainer
import numpy as np

import elichika

REFUSED = (elichika.StagingError, elichika.UnsupportedFunction, elichika.UnsupportedSyntax)


@dataclass(frozen=True)
class Program:
    """A `forward` and the inputs it is run on; it is compiled with the first.

    Attributes:
        refuse: The program may be refused instead of matching.
        base: The class of its chain.
    """

    forward: Callable[..., Any]
    inputs: Sequence[tuple[Any, ...]]
    axes: Any = None
    refuse: bool = False
    attributes: Callable[[], dict[str, Any]] = dict
    base: type[chainer.Chain] = chainer.Chain

    @property
    def name(self) -> str:
        """The test id."""
        return self.forward.__name__


def f32(*shape: int, seed: int = 0) -> np.ndarray[Any, Any]:
    """Return float32 noise; the same for the same arguments."""
    return np.random.RandomState(seed + sum(shape)).randn(*shape).astype(np.float32)


def ints(*shape: int, high: int = 4, seed: int = 0) -> np.ndarray[Any, Any]:
    """Return int64 noise from 0 up to `high`, which is left out."""
    return np.random.RandomState(seed + sum(shape)).randint(0, high, shape)


def chain_with(
    forward: Callable[..., Any], base: type[chainer.Chain] = chainer.Chain
) -> chainer.Chain:
    """Make a chain with this forward."""
    chain: chainer.Chain = type("Chain", (base,), {"forward": forward})()
    return chain


def chain_of(program: Program) -> chainer.Chain:
    """Make a chain whose forward is the program."""
    chain = chain_with(program.forward, program.base)
    with chain.init_scope():
        for name, value in program.attributes().items():
            setattr(chain, name, value)
    return chain


def compiled(program: Program, compiler: Any = elichika.compile_model) -> Any:
    """Compile a program with its first inputs, without verification."""
    inputs = copy.deepcopy(program.inputs[0])
    return compiler(chain_of(program), inputs, dynamic_axes=program.axes, verify=False)


def check(program: Program, model: Any) -> None:
    """Compare a compiled program with eager Chainer on all its inputs."""
    assert (found := differences(program, model)) == [], "\n".join(found)


def differences(program: Program, model: Any) -> list[str]:
    """Return how a compiled program differs from eager Chainer over its inputs."""
    found = []
    for inputs in program.inputs:
        expected = outcome(chain_of(program).forward, inputs)
        problem = difference(expected, outcome(model, inputs))
        if problem:
            found.append(f"inputs {inputs!r}: {problem}")
    return found


def difference(
    expected: Any, found: Any, tolerance: Mapping[str, float] | None = None
) -> str | None:
    """Return how an outcome of a model differs from the eager one; where that raises, it must fail.

    Args:
        expected: What eager Chainer gives, or the exception that it raises.
        found: The same of the model.
        tolerance: The bounds of floats by dtype, else `TOLERANCE`.
    """
    if isinstance(expected, Exception) or beyond_int64(expected):
        failed = isinstance(found, elichika.ElichikaError)
        return None if failed else f"eager gives {expected!r}, the model {found!r}"
    if isinstance(found, Exception):
        return f"eager gives {expected!r}, the model fails: {found}"
    try:
        with np.errstate(all="ignore"):
            assert_equal(expected, found, tolerance=tolerance or TOLERANCE)
    except AssertionError as error:
        return str(error)
    return None


def beyond_int64(value: Any) -> bool:
    """Tell whether a result is an int that a model cannot hold: it must fail there."""
    return type(value) is int and not -(2**63) <= value < 2**63


def outcome(function: Callable[..., Any], inputs: Sequence[Any]) -> Any:
    """Return what a call gives, or the exception it raises."""
    try:
        with (
            chainer.using_config("train", False),
            np.errstate(all="ignore"),
            warnings.catch_warnings(),
        ):
            warnings.filterwarnings("ignore", "The truth value of an empty array", append=False)
            return function(*copy.deepcopy(tuple(inputs)))
    except Exception as error:
        return error


def unsigned(value: Any) -> Any:
    """Return a result without the signs of zeros.

    Of random programs they are not compared: docs/verification.md says where onnxruntime has its
    own, and such a program meets these places soon.
    """
    if isinstance(value, chainer.Variable):
        return unsigned(value.array)
    if type(value) in (list, tuple):
        return type(value)(map(unsigned, value))
    if type(value) is dict:
        return {key: unsigned(held) for key, held in value.items()}
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind == "f":
        return np.where(value == 0, value.dtype.type(0), value)
    return 0.0 if isinstance(value, float) and value == 0 else value


TOLERANCE = {"float64": 1e-9, "float32": 1e-4, "float16": 1e-2}


def assert_equal(
    expected: Any,
    found: Any,
    where: str = "",
    tolerance: Mapping[str, float] = TOLERANCE,
    flips: float = 0.0,
) -> None:
    """Compare value, dtype, shape and structure.

    Args:
        expected: What it should be.
        found: What it is.
        where: What the error begins with.
        tolerance: By dtype, the bound of a float, relative to the largest of its array.
        flips: The part of an array of whole numbers or truths that may differ.
    """
    if isinstance(expected, chainer.Variable):
        expected = expected.array
    if hasattr(found, "_fields") and not isinstance(expected, tuple):
        assert type(found).__name__ == type(expected).__name__, f"{where}{type(expected)}"
        held = {name.rsplit("__", 1)[-1].lstrip("_"): v for name, v in vars(expected).items()}
        for field in found._fields:
            assert_equal(held[field], getattr(found, field), f"{where}.{field}", tolerance, flips)
    elif isinstance(expected, (list, tuple)):
        assert type(found) is type(expected), f"{where}{type(expected)} != {type(found)}"
        assert len(found) == len(expected), f"{where}{len(expected)} != {len(found)} items"
        for index, (a, b) in enumerate(zip(expected, found, strict=True)):
            assert_equal(a, b, f"{where}[{index}]", tolerance, flips)
    elif isinstance(expected, dict):
        assert list(found) == list(expected), f"{where}{list(expected)} != {list(found)}"
        for key in expected:
            assert_equal(expected[key], found[key], f"{where}[{key!r}]", tolerance, flips)
    elif expected is None or isinstance(expected, str):
        right = type(found) is type(expected) and found == expected
        assert right, f"{where}{expected!r} != {found!r}"
    elif isinstance(expected, (bool, int, float)):
        assert isinstance(found, (bool, int, float)), f"{where}{expected!r} != {found!r}"
        same = found == expected or abs(found - expected) <= tolerance["float64"] * abs(expected)
        same = same and (expected or found or np.signbit(expected) == np.signbit(found))
        assert same or (found != found and expected != expected), (
            f"{where}{expected!r} != {found!r}"
        )
    else:
        a, b = np.asarray(expected), np.asarray(found)
        assert a.dtype == b.dtype, f"{where}{a.dtype} != {b.dtype}"
        assert a.shape == b.shape, f"{where}{a.shape} != {b.shape}"
        if a.dtype.kind != "f":
            assert np.sum(a != b) <= flips * a.size, f"{where}{a!r} != {b!r}"
            return
        finite = np.isfinite(a)
        largest = float(np.max(np.abs(a[finite]), initial=0.0))
        bound = tolerance[a.dtype.name] * max(largest, 1e-30)
        with np.errstate(invalid="ignore"):
            near = np.abs(a - b) <= bound
        close = np.where(finite, near, (a == b) | (np.isnan(a) & np.isnan(b)))
        close &= (a != 0) | (b != 0) | (np.signbit(a) == np.signbit(b))
        assert close.all(), f"{where}{a!r} != {b!r}"
