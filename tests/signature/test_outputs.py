"""Results become named outputs and come back in their structure, also after JSON."""

from __future__ import annotations

import json
from collections import OrderedDict, namedtuple
from typing import Any

import numpy as np
import pytest

from elichika.errors import InputError, StagingError
from elichika.signature import Alternatives, DynamicList, OutputLeaf, OutputSignature

Pair = namedtuple("Pair", "left right")
F = np.dtype("f")
I = np.dtype(np.int64)  # noqa: E741


def tensor(value: Any = "y", **options: Any) -> OutputLeaf:
    return OutputLeaf("variable", value, F, **options)


def loaded(signature: OutputSignature) -> OutputSignature:
    return OutputSignature.from_json(json.loads(json.dumps(signature.to_json())))


def names(result: Any, **options: Any) -> list[str]:
    return [s.name for s in OutputSignature.from_structure(result, **options).specs]


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (tensor(), ["output"]),
        ((tensor(), [tensor(), 3]), ["output_0", "output_1_0"]),
        ({"prob": tensor(), "fc 6": (tensor(),)}, ["prob", "fc_6_0"]),
        (Pair(tensor(), tensor()), ["left", "right"]),
        ({"x": tensor()}, ["output_x"]),
        ({"a b": tensor(), "a_b": tensor()}, ["a_b", "output_a_b"]),
        ({1: tensor()}, ["output_1"]),
        (DynamicList((tensor(), tensor())), ["output_0", "output_1"]),
        (tensor(hint="h"), ["h"]),
    ],
)
def test_names(result: Any, expected: list[str]) -> None:
    assert names(result, taken=("x",)) == expected


def test_output_names() -> None:
    assert names((tensor(), tensor()), output_names=["a", "b"]) == ["a", "b"]
    assert names((tensor(), tensor()), output_names={"output_1": "b"}) == ["output_0", "b"]
    with pytest.raises(InputError, match="output_names has 1 name, but the outputs are"):
        names((tensor(), tensor()), output_names=["a"])
    with pytest.raises(InputError, match="gives `a` twice"):
        names((tensor(), tensor()), output_names=["a", "a"])


def test_what_is_no_tensor_is_refused_by_its_place() -> None:
    with pytest.raises(StagingError, match=r"The result holds, at 1\.k, an object, which is no"):
        OutputSignature.from_structure((tensor(), {"k": object()}))


def test_the_structure_comes_back() -> None:
    signature = OutputSignature.from_structure(
        OrderedDict(
            a=(tensor(), None, "text", float("nan")),
            b=Pair([OutputLeaf("python", "i", I)], OutputLeaf("numpy", "s", F)),
            c=tensor(optional=True),
        )
    )
    assert signature.values == ("y", "i", "s", "y")
    values = [np.zeros(2, "f"), np.array(3), np.array(2, "f"), None]
    for case in (signature, loaded(signature)):
        result = case.rebuild(values)
        assert type(result) is OrderedDict and list(result) == ["a", "b", "c"]
        assert result["a"][0] is values[0] and result["a"][1:3] == (None, "text")
        assert np.isnan(result["a"][3])
        assert type(result["b"]).__name__ == "Pair" and result["b"]._fields == ("left", "right")
        assert result["b"].left == [3] and type(result["b"].left[0]) is int
        assert type(result["b"].right) is np.float32
        assert result["c"] is None
    assert type(signature.rebuild(values)["b"]) is Pair


@pytest.mark.parametrize("stack", [list, np.array])
def test_lists_of_rows_from_sequences_or_stacked_tensors(stack: Any) -> None:
    row = (OutputLeaf("ndarray", "x", F), {"n": OutputLeaf("python", "n", I)})
    signature = loaded(OutputSignature.from_structure(DynamicList(row, kind="tuple")))
    ones = [np.ones(2, "f"), np.zeros(2, "f")]
    result = signature.rebuild([stack(ones), stack([np.array(1), np.array(2)])])
    assert type(result) is tuple and [item[1] for item in result] == [{"n": 1}, {"n": 2}]
    assert [item[0].tolist() for item in result] == [[1, 1], [0, 0]]
    assert signature.rebuild([[], []]) == ()


@pytest.mark.parametrize("stack", [list, np.array])
def test_rows_of_numbers_have_the_types_of_single_ones(stack: Any) -> None:
    kinds = [("python", I), ("numpy", I), ("numpy", F), ("python", F), ("python", np.dtype(bool))]
    row = tuple(OutputLeaf(kind, "v", dtype) for kind, dtype in kinds)
    signature = loaded(OutputSignature.from_structure([DynamicList(row), DynamicList(row[1])]))
    columns = [stack([np.array(v, dtype) for v in (0, 1, 1)]) for _, dtype in (*kinds, kinds[1])]
    rows, single = signature.rebuild(columns)
    assert rows == [(v, v, v, v, bool(v)) for v in (0, 1, 1)] and single == [0, 1, 1]
    types = [int, np.int64, np.float32, float, bool]
    assert [list(map(type, row)) for row in rows] == [types] * 3
    assert list(map(type, single)) == [np.int64] * 3
    assert signature.rebuild([[]] * 6) == [[], []]


def test_alternatives_follow_the_tag() -> None:
    tag = OutputLeaf("python", "t", np.dtype(bool))
    signature = loaded(OutputSignature.from_structure(Alternatives(tag, (None, [tensor()]))))
    assert [spec.name for spec in signature.specs] == ["output_is_none", "output_0"]
    assert signature.rebuild([np.array(True), np.zeros(0)]) is None
    assert signature.rebuild([np.array(False), np.zeros(0)])[0].shape == (0,)


def test_none_in_a_dynamic_list() -> None:
    flag = OutputLeaf("python", "t", np.dtype(bool))
    row = Alternatives(flag, (None, tensor()))
    signature = loaded(OutputSignature.from_structure(DynamicList(row)))
    result = signature.rebuild([np.array([True, False]), [np.zeros(0, "f"), np.ones(1, "f")]])
    assert result[0] is None and result[1].tolist() == [1]
