"""How a chain is compared with a model that draws its own random numbers.

Values are compared with all numbers drawn held at one: on the side of the chain the functions of
`numpy.random` and `random` become the programs of `elichika.idioms.draws` over that number; on the
side of the model RandomUniformLike gives it. Besides, both run freely a number of times, and the
mean and the mean square of each result must agree as those of two samples of one distribution.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import onnx

from elichika import idioms
from elichika.model.protos import bodies, put
from elichika.verify.kinds import leaves
from elichika.verify.patching import in_place

__all__ = [
    "LEVELS",
    "RUNS",
    "has_draws",
    "held",
    "spread_apart",
    "with_held_draws",
]

DRAWS = "RandomUniformLike"
LEVEL = "elichika_drawn"
"""The input of a model with held draws."""
LEVELS = (0.7, 0.2, 0.96, 0.04, 0.55)
"""What numbers of [0, 1) are held at, one after another."""
RUNS = 16
"""How often both sides run freely."""
APART = 8.0
"""How many standard errors two means may lie apart."""
ROUNDING = 1e-3
"""… and how much of their magnitude."""


@contextmanager
def held(level: float | None) -> Iterator[None]:
    """Hold what numpy and Python draw in this thread; None lets them draw."""
    if level is None:
        yield
        return

    def random_sample(size: Any = None) -> Any:
        return level if size is None else np.full(size, level)

    numpy = {**idioms.draws.NUMPY, "random_sample": random_sample}
    with in_place(
        [
            (module, name, program)
            for module, programs in ((np.random, numpy), (random, idioms.draws.STDLIB))
            for name, program in programs.items()
        ]
    ):
        yield


def has_draws(graph: onnx.GraphProto) -> bool:
    """Tell whether a graph or a body in it draws random numbers."""
    return any(
        node.op_type == DRAWS or any(map(has_draws, bodies(node).values())) for node in graph.node
    )


def with_held_draws(model: onnx.ModelProto) -> onnx.ModelProto:
    """Return a model that takes what it would draw as an input, `LEVEL`."""
    changed = onnx.ModelProto()
    changed.CopyFrom(model)
    changed.graph.input.append(
        onnx.helper.make_tensor_value_info(LEVEL, onnx.TensorProto.DOUBLE, [])
    )
    _hold(changed.graph)
    return changed


def _hold(graph: onnx.GraphProto) -> None:
    nodes = []
    for node in graph.node:
        for body in bodies(node).values():
            _hold(body)
        if node.op_type == DRAWS:
            sizes = f"{node.output[0]}_sizes"
            nodes.append(onnx.helper.make_node("Shape", node.input, [sizes]))
            expand = onnx.helper.make_node("Expand", [LEVEL, sizes], node.output, name=node.name)
            nodes.append(expand)
        else:
            nodes.append(node)
    put(graph.node, nodes)


def spread_apart(expected: Sequence[Any], actual: Sequence[Any]) -> str | None:
    """Say where the results of many runs of a chain and of its model are not alike.

    Runs whose results are of unlike structure are not compared.
    """
    ours, theirs = (
        [[np.asarray(leaf, np.float64) for leaf in leaves(one)] for one in runs]
        for runs in (expected, actual)
    )
    if len({len(one) for one in (*ours, *theirs)}) != 1:
        return None
    for number in range(len(ours[0])):
        one, other = ([run[number] for run in side] for side in (ours, theirs))
        if any(leaf.size == 0 for leaf in (*one, *other)):
            continue
        for what, measure in (("mean", np.mean), ("mean square", _mean_square)):
            text = _unlike(*([float(measure(leaf)) for leaf in side] for side in (one, other)))
            if text is not None:
                return f"the {what} of result {number} over {len(one)} runs is {text}"
    return None


def _mean_square(leaf: Any) -> Any:
    return np.mean(np.square(leaf))


def _unlike(one: list[float], other: list[float]) -> str | None:
    if not np.isfinite([*one, *other]).all():
        return None
    left, right = np.mean(one), np.mean(other)
    error = np.sqrt((np.var(one) + np.var(other)) / len(one))
    close = abs(left - right) <= APART * error + ROUNDING * max(abs(left), abs(right))
    frozen = np.ptp(other) == 0 and np.std(one) > ROUNDING * abs(left)
    if close and not frozen:
        return None
    return f"{left:.4g} against {right:.4g}{', the same in each run' if frozen else ''}"
