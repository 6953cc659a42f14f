"""No pass is needed for correctness: programs are right, too, where none of them runs.

But those of `FOR_ONNXRUNTIME`, without which onnxruntime's own optimizer is wrong.
"""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import chainer
import pytest

import elichika
import onnx_graph.passes
from models.weights import seeded
from tests import standin_rates
from tests.models import test_tracing_table as tracing

GROUPS = standin_rates.groups()
SAMPLE = 12


@pytest.fixture(autouse=True)
def no_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = SimpleNamespace(run=lambda graph: 0)
    monkeypatch.setattr(
        onnx_graph.passes, "PASSES", dict.fromkeys(onnx_graph.passes.PASSES, nothing)
    )
    monkeypatch.setattr(onnx_graph.passes, "ONCE", {})


@pytest.mark.parametrize("group", ["walker", "language", "lists", "numpy", "models"])
def test_right_without_passes(group: str) -> None:
    held = 0
    for case in random.Random(1).sample(GROUPS[group], min(SAMPLE, len(GROUPS[group]))):
        try:
            case.check(elichika.compile_model)
            held += 1
        except (elichika.StagingError, elichika.UnsupportedFunction) as error:
            assert error.frames, case.name  # a program that may be refused
    assert held >= min(SAMPLE, len(GROUPS[group])) / 2


@pytest.mark.parametrize("program", tracing.ROWS, ids=lambda program: program.__name__)
def test_passes_make_models_smaller(
    program: type[chainer.Chain], monkeypatch: pytest.MonkeyPatch
) -> None:
    axes, inputs = tracing.ROWS[program]
    with seeded(0):
        chain = program()

    def nodes() -> int:
        model: Any = elichika.compile_model(chain, inputs[:1], dynamic_axes=axes, verify=False)
        return sum(1 for _ in model.graph.main.graph.all_nodes())

    plain = nodes()
    monkeypatch.undo()
    assert nodes() <= plain
