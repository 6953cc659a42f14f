"""Programs that write through what a call gives, or to what it was given, and ask what is one."""

from __future__ import annotations

import copy
import linecache
import warnings
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import chainer
import numpy as np

import elichika
from tests.lowerings.chainer.whole import HEADER

LEAVES = """
def leaves(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (tuple, list)):
        found = []
        for item in value:
            found = found + leaves(item)
        return found
    if isinstance(value, chainer.Variable):
        value = value.array
    return [value] if isinstance(value, np.ndarray) else []


def write(arrays):
    for array in arrays:
        array[...] = 1
"""
ASKED = {
    "written": "made = {call}\nwrite(leaves(made))\nreturn [made, given]",
    "given is written": "made = {call}\nwrite(given)\nreturn [made, given]",
    "is": "return [a is b for a in leaves({call}) for b in given]",
}


def chain_of(call: str, asked: str, names: Sequence[str], attributes: Mapping[str, Any]) -> Any:
    """Return a chain that makes a call, and then what is asked of it."""
    body = f"given = leaves([{', '.join(names)}])\n{ASKED[asked].format(call=call)}"
    lines = [f"def forward(self, {', '.join(names)}):", *body.split("\n")]
    text = HEADER + LEAVES + "\n    ".join(lines) + "\n"
    file = f"<sharing {zlib.crc32(text.encode()):08x}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope: dict[str, Any] = {"__name__": "sharing"}
    exec(compile(text, file, "exec"), scope)
    chain = type("Sharing", (chainer.Chain,), {"forward": scope["forward"]})()
    with chain.init_scope():
        for name, value in copy.deepcopy(dict(attributes)).items():
            setattr(chain, name, value)
    return chain


def outcome(function: Any, arguments: Sequence[Any]) -> Any:
    """Return what a call gives, or that it fails."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return function(*copy.deepcopy(list(arguments)))
    except Exception:
        return "fails"


def same(a: Any, b: Any) -> bool:
    """Tell whether two results hold the same numbers, of the same dtypes and shapes."""
    if isinstance(a, dict):
        a, b = list(a.values()), list(b.values())
    if isinstance(a, (tuple, list)):
        return isinstance(b, (tuple, list)) and len(a) == len(b) and all(map(same, a, b))
    a, b = (v.array if isinstance(v, chainer.Variable) else v for v in (a, b))
    if not isinstance(a, (np.ndarray, np.generic)):
        return bool(a == b)
    alike = isinstance(b, (np.ndarray, np.generic)) and (a.dtype, a.shape) == (b.dtype, b.shape)
    wide = (np.asarray(v, np.float64) for v in (a, b))
    return alike and np.allclose(*wide, rtol=1e-3, atol=1e-4, equal_nan=True)


def difference(
    call: str,
    asked: str,
    inputs: Mapping[str, Any],
    attributes: Mapping[str, Any],
    train: bool = False,
) -> str | None:
    """Return how a model differs from the program; None where it does not, or is refused."""
    values = list(inputs.values())
    chain = chain_of(call, asked, list(inputs), attributes)
    with chainer.using_config("train", train):
        expected = outcome(chain.forward, values)
    chain = chain_of(call, asked, list(inputs), attributes)
    try:
        model = elichika.compile_model(chain, copy.deepcopy(values), train=train, verify=False)
    except elichika.ElichikaError as error:
        return str(error) if "internal error" in str(error) else None
    actual = outcome(model, values)
    return None if same(expected, actual) else f"{call}, {asked}: {expected}, the model {actual}"
