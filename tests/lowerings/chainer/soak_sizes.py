"""Parity cases at sizes that Chainer may refuse: where it fails, the model must not answer.

    python -m tests.lowerings.chainer.soak_sizes [PART OF]

Every axis of every input is dynamic where the case compiles so; each is set to 0, 1 and one more
and one less than in the example, by itself and together with all axes of its size.  The model may
fail where a size is 0 and Chainer does not.
"""

from __future__ import annotations

import copy
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import chainer
import numpy as np

import elichika
from elichika.errors import ElichikaError
from tests.lowerings.chainer.cases import Case
from tests.lowerings.chainer.table import ALONE
from tests.lowerings.chainer.whole import make_chain
from tests.programs import assert_equal

#: An empty batch that is flattened: numpy cannot tell how long its rows are; the model knows.
ACCEPTED = "cannot reshape array of size 0"
LOOSE = {"float64": 1e-6, "float32": 1e-3, "float16": 1e-1}


def program_of(case: Case, call: str) -> tuple[chainer.Chain, list[Any]] | None:
    """Return a chain that computes a call, and its example; None if eager Chainer fails."""
    inputs, attributes = case.converted(case.dtypes[0])
    example = list(inputs.values())
    if case.train or not example or not all(isinstance(v, np.ndarray) for v in example):
        return None
    chain = make_chain((call,), tuple(inputs), attributes)
    try:
        eager(chain, example)
    except Exception:  # the case needs what is not an input
        return None
    return chain, example


def given(arrays: list[Any]) -> list[Any]:
    return [chainer.Variable(a) if a.dtype.kind == "f" else a for a in arrays]


def eager(chain: chainer.Chain, arrays: list[Any]) -> Any:
    """Run a copy of the chain, whose state stays as it is."""
    with chainer.no_backprop_mode(), chainer.using_config("train", False):
        return copy.deepcopy(chain).forward(*given(arrays))


def compiled(chain: chainer.Chain, example: list[Any]) -> tuple[Any, list[set[int]]] | None:
    """Compile with as many dynamic axes as the case takes: all, or the first, or none."""
    every = [set(range(a.ndim)) for a in example]
    for axes in (every, [kept & {0} for kept in every]):
        dynamic = {i: {k: f"s{i}{k}" for k in kept} for i, kept in enumerate(axes) if kept}
        try:
            inputs = tuple(given(example))
            return elichika.compile_model(chain, inputs, dynamic_axes=dynamic, verify=False), axes
        except ElichikaError:
            continue
    return None


def variants(example: list[Any], axes: list[set[int]]) -> Iterator[list[Any]]:
    """Yield inputs of other sizes."""
    for number, array in enumerate(example):
        for axis in sorted(axes[number]):
            size = array.shape[axis]
            for other in sorted({0, 1, size + 1, max(size - 1, 0)} - {size}):
                shape = [*array.shape[:axis], other, *array.shape[axis + 1 :]]
                yield [*example[:number], resized(array, shape), *example[number + 1 :]]
                yield [
                    resized(
                        a, [other if s == size and k in kept else s for k, s in enumerate(a.shape)]
                    )
                    for a, kept in zip(example, axes, strict=True)
                ]


def resized(array: Any, shape: list[int]) -> Any:
    if 0 in shape or not array.size:
        return np.zeros(shape, array.dtype)
    return np.resize(array, shape).astype(array.dtype)


def verdict(chain: chainer.Chain, model: Any, arrays: list[Any]) -> str | None:
    """Say how the model differs from the chain, if it does."""
    try:
        expected, refused = eager(chain, arrays), None
    except Exception as error:
        expected, refused = None, error
    try:
        found = model(*given(arrays))
    except ElichikaError as error:
        empty = any(0 in a.shape for a in arrays)
        return None if refused or empty else f"the model fails: {str(error)[:100]}"
    if refused is not None:
        if ACCEPTED in str(refused):
            return None
        return f"Chainer fails, the model does not: {' '.join(str(refused).split())[:150]}"
    try:
        assert_equal(expected, found, "", LOOSE)
    except AssertionError as error:
        return str(error)[:150]
    return None


def main() -> int:
    """Print each difference; a model that fails where Chainer does not is not wrong."""
    part, parts = (int(word) for word in sys.argv[1:3] or (0, 1))
    warnings.simplefilter("ignore")
    runs = wrong = 0
    for case, call in ALONE[part::parts]:
        program = program_of(case, call)
        made = program and compiled(*program)
        if not program or not made:
            continue
        for arrays in variants(program[1], made[1]):
            runs += 1
            said = verdict(program[0], made[0], arrays)
            if said is not None:
                wrong += not said.startswith("the model fails")
                print(f"{call} {[a.shape for a in arrays]}: {said}", flush=True)
    print(f"{runs} runs, {wrong} wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
