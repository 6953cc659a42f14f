"""Verification finds faults that are put into compiled graphs; `make faults` tries many."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import onnx
import pytest

import elichika
from tests.programs import Program, chain_of, f32
from tests.verify import seeded_faults
from tests.verify.faults import KINDS, faults
from tests.verify.seeded_faults import FOUND, MISSED, SAME, Judged, Subject, judged, summed


def turning(self: Any, x: Any, n: int) -> Any:
    y, z = x * 0, x + 1
    for i in range(n):
        y, z = y + x * i, z - y
    if x.shape[0] - 2 > n:
        return np.concatenate([y.T, z.T], 1)
    return (y * 2).T


PROGRAM = Program(
    turning,
    [(f32(3, 2), 2), (f32(5, 2), 0), (f32(1, 2), 1), (f32(2, 2), 7)],
    {"x": {0: "rows"}},
)


@pytest.fixture(scope="module")
def subject() -> Subject:
    chain = chain_of(PROGRAM)
    x = PROGRAM.inputs[0]
    model = elichika.compile_model(chain, x, dynamic_axes=PROGRAM.axes, verify=False)
    return Subject(model, chain, PROGRAM.inputs)


def number_of_faults(kind: str, subject: Subject) -> int:
    return len(faults(subject.model.proto, {}).get(kind, ()))


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "a size or decision frozen"])
def test_each_kind_is_found(kind: str, subject: Subject, tmp_path: Any) -> None:
    verdicts: Counter[str] = Counter()
    for number in range(number_of_faults(kind, subject)):
        proto = onnx.ModelProto.FromString(subject.model.proto.SerializeToString())
        fault = faults(proto, {})[kind][number]
        fault.make()
        path = tmp_path / f"{number}.onnx"
        onnx.save(proto, str(path))
        if seeded_faults._loads(path):
            verdicts[seeded_faults._judged("turning", subject, fault, path).verdict] += 1
        if verdicts.total() == 2:
            break
    assert verdicts[MISSED] <= 1  # that which only shows where two inputs change together
    assert verdicts[FOUND] or not number_of_faults(kind, subject) or verdicts[SAME]


def test_a_sample_of_the_tables() -> None:
    sample = [judged(number, seed=1) for number in range(3, 7)]
    assert [one.verdict for one in sample].count(MISSED) == 0
    assert [one.verdict for one in sample].count(FOUND) >= 2
    assert judged(3, seed=1) == sample[0]


def test_a_fault_that_changes_nothing_is_called_so(subject: Subject, tmp_path: Any) -> None:
    path = tmp_path / "same.onnx"
    subject.model.save(path)
    verdict, detail = seeded_faults._beside(subject, elichika.load(path))
    assert verdict == SAME and detail.endswith("other inputs")


def test_too_few_found_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    found, missed = (Judged(verdict, "kind", "", "") for verdict in (FOUND, MISSED))
    assert summed([found] * 19 + [missed]) == 0
    assert summed([found] * 18 + [missed]) == 1
    assert "18 of 19 faults found" in capsys.readouterr().out
