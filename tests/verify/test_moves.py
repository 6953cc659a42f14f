"""How far results move, and which of them hardly do."""

from __future__ import annotations

import numpy as np
import pytest

from elichika.verify.moves import distances, tensors
from elichika.verify.report import VerificationReport

A = np.array([1.0, 2.0, 4.0], np.float32)


@pytest.mark.parametrize(
    ("other", "far"),
    [
        (A, 0.0),
        (A * np.float32(2), 0.5),
        (-A, 1.0),
        (A[:1], 0.0),
        (A[:0], 0.0),
        (np.append(A, 100), 0.0),
        (np.array([1.0, np.nan, 2.0]), 0.5),
        (np.full(3, np.inf), 0.0),
        (np.float32([1e38, 2, 4]) * np.float32(3), 1.0),
        (A[:, None], 1.0),
        (np.array([10**30] * 3), 1.0),
    ],
)
def test_distances(other: np.ndarray, far: float) -> None:
    assert distances({"": A}, {"": other}) == {"": pytest.approx(far)}


def test_integers_bools_and_zeros() -> None:
    first = {"a": np.array(3), "b": np.array([True, False]), "c": np.zeros(2)}
    other = {"a": np.array(4), "b": np.array([True, True]), "c": np.zeros(2)}
    assert distances(first, other) == {"a": 0.25, "b": 1.0, "c": 0.0}
    assert distances({}, {"new": np.array(1)}) == {"new": 0.0}


def test_places_of_tensors() -> None:
    found = dict(tensors({"x": [A, (2, None)], 3: np.float64(1)}))
    assert list(found) == ["['x'][0]", "['x'][1][0]", "[3]"]


def test_what_is_still() -> None:
    moved = {"first": {"": 0.0, "['b']": 0.0}, "second": {"": 0.009}, "third": {"['b']": 0.5}}
    assert VerificationReport(moved=moved).still == {"": 0.009}
    assert VerificationReport(moved={"first": {"": 0.0}}).still == {}
