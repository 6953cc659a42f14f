"""Whether a key is among some is asked before where it stands."""

from __future__ import annotations

import numpy as np
import pytest

from onnx_graph import ONNXGraph, Value
from onnx_graph.passes import lookups
from tests.onnx_graph.passes.checked import checked
from tests.onnx_graph.passes.text import I64, Build, F, built, check, same

FEEDS = [
    {"keys": np.array(keys, np.int64), "key": np.array(key)}
    for keys in ([], [4], [4, 2, 7], [2, 4], [7, 7, 4, 4])
    for key in (4, 2, 0)
]
PAIRS = [{**feed, "others": feed["keys"][::-1].copy(), "other": np.array(4)} for feed in FEEDS]


def looked_up(g: ONNXGraph, keys: Value, key: Value) -> tuple[Value, Value]:
    """Return the keys with one behind them, and where it stands first."""
    grown = g.Concat(keys, g.Unsqueeze(key, [0]), axis=0)
    return grown, g.ArgMax(g.Cast(g.Equal(grown, key), to=np.int32), axis=0, keepdims=0)


def inputs(g: ONNXGraph, dtype: type = I64) -> tuple[Value, Value]:
    return g.input("keys", dtype, ("n",)), g.input("key", dtype, ())


def branches(g: ONNXGraph, test: Value, place: Value, *, outside: bool = False) -> None:
    then, other = g.body("then"), g.body("else")
    with then:
        one = g.Mul(place, 10)
    with other:
        two = g.Neg(place)
    (y,) = g.If(test, then, [one], other, [two])
    g.output("y", g.Add(y, place) if outside else y)


def added(g: ONNXGraph) -> None:
    keys, key = inputs(g)
    _, place = looked_up(g, keys, key)
    branches(g, g.Less(place, g.size(keys, 0)), place)


def test_of_a_place_that_branches_read() -> None:
    before = """
    shape_1: int64[1] = Shape(keys)
    gather_1: int64[] = Gather<axis=0>(shape_1, 0)
    unsqueeze_1: int64[1] = Unsqueeze(key, [0])
    concat_1: int64[n + 1] = Concat<axis=0>(keys, unsqueeze_1)
    equal_1: bool[n + 1] = Equal(concat_1, key)
    cast_1: int32[n + 1] = Cast<to=6>(equal_1)
    argmax_1: int64[] = ArgMax<axis=0, keepdims=0>(cast_1)
    less_1: bool[] = Less(argmax_1, gather_1)
    y: int64[] = If(less_1)
      else_branch () => (neg_1) {
        neg_1: int64[] = Neg(argmax_1)
      }
      then_branch () => (mul_1) {
        mul_1: int64[] = Mul(argmax_1, 10)
      }
    """
    after = """
    shape_1: int64[1] = Shape(keys)
    gather_1: int64[] = Gather<axis=0>(shape_1, 0)
    equal_1: bool[n] = Equal(keys, key)
    cast_1: int32[n] = Cast<to=6>(equal_1)
    reducesum_1: int32[] = ReduceSum<keepdims=0>(cast_1)
    cast_2: bool[] = Cast<to=9>(reducesum_1)
    y: int64[] = If(cast_2)
      else_branch () => (neg_1) {
        neg_1: int64[] = Neg(gather_1)
      }
      then_branch () => (mul_1) {
        argmax_1: int64[] = ArgMax<axis=0, keepdims=0>(cast_1)
        mul_1: int64[] = Mul(argmax_1, 10)
      }
    """
    check(lookups, added, before, after, FEEDS)


def asked_the_other_way_round(g: ONNXGraph) -> None:
    keys, key = inputs(g)
    _, place = looked_up(g, keys, key)
    branches(g, g.GreaterOrEqual(place, g.Size(keys)), place)


def asked_alone(g: ONNXGraph) -> None:
    keys, key = inputs(g)
    _, place = looked_up(g, keys, key)
    g.output("y", g.Less(place, g.size(keys, 0)))


def a_constant(g: ONNXGraph) -> None:
    keys, _ = inputs(g)
    grown = g.Concat(keys, g.constant([4]), axis=0)
    place = g.ArgMax(g.Cast(g.Equal(g.constant(4), grown), to=np.int32), axis=0, keepdims=0)
    branches(g, g.Less(place, g.size(keys, 0)), place)


@pytest.mark.parametrize("build", [asked_the_other_way_round, asked_alone, a_constant])
def test_of_other_forms(build: Build) -> None:
    passed = built(build)
    assert checked(lookups).run(passed) == 1
    same(built(build), passed, FEEDS)


def of_two_parts(g: ONNXGraph) -> None:
    keys, key = inputs(g)
    others, other = g.input("others", I64, ("n",)), g.input("other", I64, ())
    parts = [
        g.Equal(g.Concat(one, g.Unsqueeze(last, [0]), axis=0), last)
        for one, last in ((keys, key), (others, other))
    ]
    place = g.ArgMax(g.Cast(g.And(*parts), to=np.int32), axis=0, keepdims=0)
    branches(g, g.Less(place, g.size(others, 0)), place)


def test_of_keys_of_two_parts() -> None:
    passed = built(of_two_parts)
    assert checked(lookups).run(passed) == 1
    same(built(of_two_parts), passed, PAIRS)


def read_outside(g: ONNXGraph) -> None:
    keys, key = inputs(g)
    _, place = looked_up(g, keys, key)
    branches(g, g.Less(place, g.size(keys, 0)), place, outside=True)


def of_floats(g: ONNXGraph) -> None:
    """A nan equals none, not even the one behind the others."""
    keys, key = inputs(g, F)
    _, place = looked_up(g, keys, key)
    branches(g, g.Less(place, g.size(keys, 0)), place)


def another_count(g: ONNXGraph) -> None:
    keys, key = inputs(g)
    grown, place = looked_up(g, keys, key)
    branches(g, g.Less(place, g.size(grown, 0)), place)


def another_key(g: ONNXGraph) -> None:
    keys, key = inputs(g)
    grown = g.Concat(keys, g.Unsqueeze(g.Add(key, 1), [0]), axis=0)
    place = g.ArgMax(g.Cast(g.Equal(grown, key), to=np.int32), axis=0, keepdims=0)
    branches(g, g.Less(place, g.size(keys, 0)), place)


def the_last_one(g: ONNXGraph) -> None:
    keys, key = inputs(g)
    grown = g.Concat(keys, g.Unsqueeze(key, [0]), axis=0)
    same = g.Cast(g.Equal(grown, key), to=np.int32)
    place = g.ArgMax(same, axis=0, keepdims=0, select_last_index=1)
    branches(g, g.Less(place, g.size(keys, 0)), place)


def known_alone(g: ONNXGraph) -> None:
    """What is the same is no comparison at all."""
    keys, _ = inputs(g)
    place = g.ArgMax(g.Cast(g.constant([False, True]), to=np.int32), axis=0, keepdims=0)
    branches(g, g.Less(place, g.size(keys, 0)), place)


def known_in_part(g: ONNXGraph) -> None:
    keys, key = inputs(g)
    equal = g.Equal(g.Concat(keys, g.Unsqueeze(key, [0]), axis=0), key)
    both = g.And(equal, g.constant([True]))
    place = g.ArgMax(g.Cast(both, to=np.int32), axis=0, keepdims=0)
    branches(g, g.Less(place, g.size(keys, 0)), place)


@pytest.mark.parametrize(
    "build",
    [
        read_outside,
        of_floats,
        another_count,
        another_key,
        the_last_one,
        known_alone,
        known_in_part,
    ],
)
def test_what_stays(build: Build) -> None:
    assert lookups.run(built(build)) == 0
