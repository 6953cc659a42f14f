"""Each value that a call may give is of one kind, which says what verification asks of it."""

from __future__ import annotations

import enum
from collections import OrderedDict, defaultdict, namedtuple
from typing import Any

import chainer
import numpy as np
import pytest

from elichika.verify.kinds import copied, form_of, kind_of, leaves, shown
from tests.programs import f32

Pair = namedtuple("Pair", "a b")


class Whole(enum.IntEnum):
    ONE = 1


class Row(list[Any]):
    pass


ROWS = [
    (None, "constant", "None"),
    ("x", "constant", "str 'x'"),
    (1j, "constant", "complex 1j"),
    (range(3), "constant", "range range(0, 3)"),
    (True, "number", "bool True"),
    (2.5, "number", "float 2.5"),
    (Whole.ONE, "number", f"Whole {Whole.ONE!r}"),
    (np.float64(1), "numpy", "float64 1.0"),
    (np.bool_(True), "numpy", "bool True"),
    (np.complex64(1), "numpy", "complex64 (1+0j)"),
    (np.str_("x"), "numpy", "<U1 x"),
    (f32(2, 3), "array", "float32[2, 3]"),
    (np.zeros((0, 3)), "array", "float64[0, 3]"),
    (chainer.Parameter(f32(2)), "array", "float32[2]"),
    ((), "container", "a tuple of 0"),
    (Pair(1, 2), "container", "a Pair of 2"),
    (Row([1]), "container", "a Row of 1"),
    (OrderedDict(k=1), "container", "a OrderedDict with the keys 'k'"),
    (defaultdict(int, {1: 2}), "container", "a defaultdict with the keys 1"),
]


@pytest.mark.parametrize(("value", "family", "words"), ROWS)
def test_family_and_words(value: Any, family: str, words: str) -> None:
    assert (kind_of(value).family, shown(value)) == (family, words)


def nest() -> Any:
    return {"a": [1, f32(2)], "b": Pair(chainer.Variable(f32(3)), ("x", None, np.float32(2)))}


def test_leaves_are_all_arrays_and_numbers_in_order() -> None:
    assert [np.shape(leaf) for leaf in leaves(nest())] == [(), (2,), (3,), ()]


def test_copies_have_arrays_of_their_own() -> None:
    value = nest()
    other = copied(value)
    assert form_of(other) == form_of(value)
    assert type(other["b"]) is Pair and type(other["b"].a) is chainer.Variable
    for one, two in zip(leaves(value), leaves(other), strict=True):
        assert not np.shares_memory(one, two)


@pytest.mark.parametrize(
    "other",
    [
        {"a": [1, f32(2)]},
        {**nest(), "a": [1, f32(3)]},
        {**nest(), "a": (1, f32(2))},
        {**nest(), "a": [1.0, f32(2)]},
        {**nest(), "a": [1, f32(2).astype("d")]},
        {**nest(), "b": Pair(f32(3), ("y", None, np.float32(2)))},
        list(nest().values()),
    ],
)
def test_forms_tell_structures_types_and_sizes_apart(other: Any) -> None:
    assert form_of(nest()) != form_of(other)


def test_forms_leave_out_what_tensors_and_numbers_hold() -> None:
    value = {"a": [7, f32(2) + 1], "b": Pair(f32(3) * 2, ("x", None, np.float32(9)))}
    assert form_of(nest()) == form_of(value)
