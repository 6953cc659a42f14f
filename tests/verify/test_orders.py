"""A model is not called wrong for an order that numpy leaves open, and for nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import elichika
from elichika.verify.orders import held_orders
from tests.programs import chain_with

ROOT = Path(__file__).parents[2]
TIES = np.array([2, 1] * 20 + [3, 1, 2], np.int64)
"""More than numpy sorts by insertion, which is stable; with vectors it never is."""


def order(self: Any, x: Any) -> Any:
    return np.argsort(x)


def reversed_order(self: Any, x: Any) -> Any:
    return np.argsort(-x)[::-1]


def order_of_a_method(self: Any, x: Any) -> Any:
    return x.argsort()


def places_of_the_least(self: Any, x: Any) -> Any:
    return np.argpartition(x, 1)[:2]


def places_of_the_least_by_a_method(self: Any, x: Any) -> Any:
    return x.argpartition(1)[:2]


def parts(self: Any, x: Any) -> Any:
    return np.partition(x, 1)


def stable_order_of_a_method(self: Any, x: Any) -> Any:
    return x.argsort(kind="stable")


def order_over_calls(self: Any, x: Any) -> Any:
    self.last = np.argsort(x) + self.last
    return self.last


PROGRAMS = (
    order,
    reversed_order,
    order_of_a_method,
    places_of_the_least,
    places_of_the_least_by_a_method,
    parts,
    stable_order_of_a_method,
)


def chain_of(program: Any) -> Any:
    chain = chain_with(program)
    chain.last = np.zeros(len(TIES), np.int64)
    return chain


def compiled(program: Any, x: Any, **options: Any) -> Any:
    return elichika.compile_model(chain_of(program), [x], dynamic_axes="n", **options)


KINDS = {
    "ints": TIES,
    "floats": TIES.astype(np.float32),
    "nan": np.where(TIES == 2, np.nan, TIES).astype(np.float64),
    "bools": TIES == 2,
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_equal_elements(program: Any, kind: str) -> None:
    if kind == "bools" and program is reversed_order:
        pytest.skip("numpy negates no bools")
    report = compiled(program, KINDS[kind]).report.verification
    assert len(report.agreed) + len(report.open_orders) + len(report.unstable) >= 3
    if program in (order, reversed_order, places_of_the_least, parts, stable_order_of_a_method):
        assert report.open_orders == []


def test_calls_in_a_row() -> None:
    chain = chain_of(order_over_calls)
    report = elichika.compile_model(chain, [TIES], state=True).report.verification
    assert len(report.agreed) > 5


class Reversed:
    """A model whose results come in another order than the chain's."""

    def __init__(self, model: Any, change: Any) -> None:
        self._model, self._change = model, change

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def call_with(self, leaves: Any, **options: Any) -> Any:
        return self._change(self._model.call_with(leaves, **options))


WRONG = {
    "an order that is none": (order, lambda places: places[::-1]),
    "another stable order": (stable_order_of_a_method, lambda places: np.roll(places, 1)),
    "the wrong values": (parts, lambda values: values + 1),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_model_is_found_all_the_same(what: str) -> None:
    program, change = WRONG[what]
    model = compiled(program, TIES, verify=False)
    with pytest.raises(elichika.VerificationError):
        elichika.verify.verify(chain_of(program), Reversed(model, change))


def test_a_wrong_model_is_found_by_inputs_without_equals() -> None:
    """What a method orders is no excuse where nothing is equal."""
    x = np.arange(40, dtype=np.float32)
    model = compiled(order_of_a_method, x, verify=False)
    with pytest.raises(elichika.VerificationError):
        elichika.verify.verify(
            chain_of(order_of_a_method), Reversed(model, lambda places: places[::-1])
        )


def test_functions_are_put_back_and_raise_as_before() -> None:
    before = np.sort, np.argsort, np.partition, np.argpartition, sys.getprofile()
    with held_orders(), held_orders() as seen:
        assert np.argsort([2, 1, 2]).tolist() == [1, 0, 2]
        assert np.sort([[2, 1]], axis=0).tolist() == [[2, 1]]
        assert np.argpartition([3, 2, 1], 0).tolist() == [2, 1, 0]
        assert np.partition([3, 2, 1], 0).tolist() == [1, 2, 3]
        with pytest.raises(ValueError, match="out of bounds"):
            np.partition([3, 2, 1], 7)
    assert seen == []
    assert (np.sort, np.argsort, np.partition, np.argpartition, sys.getprofile()) == before


WIDE = ("AVX512F", "AVX512CD", "AVX512_SKX", "AVX512_CLX", "AVX512_CNL", "AVX512_ICL")
FEATURES = (*WIDE, "AVX512_SPR", "AVX2", "FMA3")
"""What numpy 1 and 2 sort with; each release knows some."""


def test_equal_elements_on_a_processor_with_narrower_vectors() -> None:
    """The same in a process where numpy sorts without wide vectors."""
    show = [sys.executable, "-W", "ignore", "-c", "import numpy; numpy.show_config()"]
    known = subprocess.run(show, capture_output=True, text=True, check=True).stdout
    disabled = " ".join(name for name in FEATURES if name in known)
    settings = {**os.environ, "NPY_DISABLE_CPU_FEATURES": disabled}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__]
    command += ["-k", "test_equal_elements and not processor", "-W", "ignore"]
    done = subprocess.run(
        command, cwd=ROOT, env=settings, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
