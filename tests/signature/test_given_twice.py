"""One list or dict at two places of a call, of a program that can tell."""

from __future__ import annotations

import copy
import re
from collections import OrderedDict, namedtuple
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import elichika
from tests.programs import Program, chain_of, compiled, difference, f32

Pair = namedtuple("Pair", "a b")


def writes_to_a_row(self: Any, rows: Any) -> Any:
    rows[0]["k"] += 1
    return rows[1]["k"]


def writes_to_all_rows(self: Any, rows: Any) -> Any:
    for row in rows:
        row.update(k=row["k"] * 2)
    return [row["k"] for row in rows]


def writes_by_another_list(self: Any, rows: Any) -> Any:
    queue = list(rows)
    queue[0]["k"] = 7
    return rows[1]["k"]


def asks_for_rows(self: Any, rows: Any) -> Any:
    return rows[0] is rows[1]


def copies_rows(self: Any, rows: Any) -> Any:
    rows = copy.deepcopy(rows)
    rows[0]["k"] = 7
    return rows[1]["k"]


def writes_below_rows(self: Any, rows: Any) -> Any:
    for one, _ in rows:
        one["k"] = one["k"] + 1
    return [other["k"] for _, other in rows]


def writes_to_a_part(self: Any, pair: Any) -> Any:
    pair[0]["k"] = pair[1]["k"] + 1
    return pair[1]["k"] * 1


def asks_for_parts(self: Any, pair: Any) -> Any:
    return pair[0] is pair[1]


def copies_parts(self: Any, pair: Any) -> Any:
    first, second = copy.deepcopy(pair)
    first["k"] = 7
    return second["k"]


def writes_by_names(self: Any, d: Any) -> Any:
    del d["a"]["k"]
    return len(d["b"])


def asks_across(self: Any, rows: Any, d: Any) -> Any:
    return rows[0] is d


def writes_across(self: Any, rows: Any, d: Any) -> Any:
    d["k"] = 7
    return rows[0]["k"]


def appends(self: Any, p: Any, q: Any) -> Any:
    p.append(1.0)
    return len(q)


def appends_in_a_branch(self: Any, p: Any, q: Any) -> Any:
    if p[0] > 0:
        p.append(1.0)
    return sum(q)


def appends_by_another_name(self: Any, p: Any, q: Any) -> Any:
    chosen = p
    for i in range(len(p)):
        chosen = q if i == 0 else p
    chosen.append(1.0)
    return len(q)


def appends_by_a_list(self: Any, p: Any, q: Any) -> Any:
    lists = []
    for _ in range(len(p)):
        lists.append(p)
    lists[0].append(1.0)
    return len(q)


def sorts(self: Any, p: Any, q: Any) -> Any:
    p.sort(reverse=True)
    return q[0]


def asks_for_lists(self: Any, p: Any, q: Any) -> Any:
    return p is q


def appends_below(self: Any, pair: Any) -> Any:
    pair.a["l"].append(1.0)
    return len(pair.b["l"])


def appends_texts(self: Any, p: Any, q: Any) -> Any:
    p.append("c")
    return len(q)


def number() -> dict[str, int]:
    return {"k": 2}


def ordered() -> dict[str, int]:
    return OrderedDict(k=2, n=3)


def array() -> dict[str, Any]:
    return {"k": f32(3)}


def numbers() -> list[float]:
    return [1.0, 2.0]


def texts() -> list[str]:
    return ["a", "b"]


def as_rows(one: Any, other: Any) -> Any:
    return ([one, other],)


def as_pairs(one: Any, other: Any) -> Any:
    return ([(one, other)],)


def as_pair(one: Any, other: Any) -> Any:
    return ((one, other),)


def as_names(one: Any, other: Any) -> Any:
    return ({"a": one, "b": other},)


def as_row_and_dict(one: Any, other: Any) -> Any:
    return [one], other


def as_two(one: Any, other: Any) -> Any:
    return one, other


def as_records(one: Any, other: Any) -> Any:
    return (Pair({"l": one}, {"l": other}),)


CASES = [
    (writes_to_a_row, as_rows, number, "rows[0]", "rows[1]"),
    (writes_to_all_rows, as_rows, number, "rows[0]", "rows[1]"),
    (writes_to_all_rows, as_rows, array, "rows[0]", "rows[1]"),
    (writes_to_all_rows, as_rows, ordered, "rows[0]", "rows[1]"),
    (writes_by_another_list, as_rows, number, "rows[0]", "rows[1]"),
    (asks_for_rows, as_rows, array, "rows[0]", "rows[1]"),
    (copies_rows, as_rows, number, "rows[0]", "rows[1]"),
    (writes_below_rows, as_pairs, number, "rows[0][0]", "rows[0][1]"),
    (writes_to_a_part, as_pair, array, "pair[0]", "pair[1]"),
    (asks_for_parts, as_pair, number, "pair[0]", "pair[1]"),
    (copies_parts, as_pair, number, "pair[0]", "pair[1]"),
    (writes_by_names, as_names, ordered, "d['a']", "d['b']"),
    (asks_across, as_row_and_dict, number, "rows[0]", "d"),
    (writes_across, as_row_and_dict, number, "rows[0]", "d"),
    (appends, as_two, numbers, "p", "q"),
    (appends_in_a_branch, as_two, numbers, "p", "q"),
    (appends_by_another_name, as_two, numbers, "p", "q"),
    (appends_by_a_list, as_two, numbers, "p", "q"),
    (sorts, as_two, numbers, "p", "q"),
    (asks_for_lists, as_two, numbers, "p", "q"),
    (appends_below, as_records, numbers, "pair.a['l']", "pair.b['l']"),
    (appends_texts, as_two, texts, "p", "q"),
]


@pytest.mark.parametrize("forward, around, made, first, second", CASES)
def test_one_object_at_two_places_is_refused(
    forward: Any,
    around: Callable[[Any, Any], Any],
    made: Callable[[], Any],
    first: str,
    second: str,
    tmp_path: Path,
) -> None:
    kind = type(made()).__name__
    message = re.escape(f"`{first}` and `{second}` are one {kind}, and the program can tell: ")
    one = made()
    twice = around(one, one)
    with pytest.raises(elichika.InputError, match=message):
        compiled(Program(forward, [twice]))
    model = compiled(Program(forward, [around(made(), made())]))
    model.save(tmp_path / "m.onnx")
    for one_of in (model, elichika.load(tmp_path / "m.onnx")):
        expected = forward(None, *around(made(), made()))
        assert difference(expected, one_of(*around(made(), made()))) is None
        with pytest.raises(elichika.InputError, match=message):
            one_of(*twice)


def test_it_is_refused_by_keyword_and_where_an_example_has_it() -> None:
    examples = [as_rows(number(), number()), as_rows(*[number()] * 2)]
    with pytest.raises(elichika.InputError, match="are one dict"):
        several = {"examples": examples[1:], "verify": False}
        elichika.compile_model(chain_of(Program(writes_to_a_row, examples)), examples[0], **several)
    model = compiled(Program(writes_to_a_row, examples[:1]))
    with pytest.raises(elichika.InputError, match=re.escape("`rows[1]` and `rows[2]` are one")):
        model(rows=[number(), *[number()] * 2])


def reads_rows(self: Any, rows: Any) -> Any:
    total = 0
    for row in rows:
        total += row["k"]
    return total, rows[0] == rows[-1]


def copies_then_writes(self: Any, rows: Any) -> Any:
    copies = []
    for row in rows:
        row = dict(row)
        row["k"] = row["k"] + 1
        copies.append(row)
    copies[0]["k"] = 7
    return copies[1]["k"], rows[0]["k"]


def empties(self: Any, rows: Any) -> Any:
    total = 0
    while rows:
        total += rows.pop()["k"]
    return total


@pytest.mark.parametrize("forward", [reads_rows, copies_then_writes, empties])
def test_what_writes_to_no_dict_may_have_one_twice(forward: Any) -> None:
    row = number()
    for example in ([row, row], [number(), number()]):
        model = compiled(Program(forward, [(example,)]))
        for given in ([row, row], [row, {"k": 5}, row]):
            assert difference(forward(None, [*given]), model([*given])) is None


def copies_both(self: Any, p: Any, q: Any) -> Any:
    p, q = copy.deepcopy(p), copy.deepcopy(q)
    p.append(1.0)
    return len(p), len(q)


def extends_a_copy(self: Any, p: Any, q: Any) -> Any:
    both = list(p)
    both += q
    return sum(both)


@pytest.mark.parametrize("forward", [copies_both, extends_a_copy])
def test_what_writes_to_no_list_may_have_one_twice(forward: Any) -> None:
    one = numbers()
    model = compiled(Program(forward, [(one, one)]))
    assert difference(forward(None, one, one), model(one, one)) is None


def writes_and_restores(self: Any, x: Any, y: Any) -> Any:
    before = x.copy()
    x += 1
    seen = y * 2
    x[...] = before
    return seen


def test_an_array_that_is_restored_was_written_to() -> None:
    model = compiled(Program(writes_and_restores, [(f32(3), f32(3, seed=1))]))
    x = f32(3)
    with pytest.raises(elichika.InputError, match="`x` and `y` share memory"):
        model(x, x)
    assert np.array_equal(model(x, x.copy()), x * 2)
