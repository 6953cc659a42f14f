"""Lists of tuples and of dicts as inputs: each leaf is a list, and all have one length."""

from __future__ import annotations

import copy
from collections import Counter, namedtuple
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chainer import functions as F
from chainer.dataset import concat_examples

import elichika
from elichika.errors import InputError
from elichika.signature import InputSignature, read_inputs
from elichika.signature.feeds import feeds_from_names
from tests.programs import Program, chain_of, check, compiled, f32

Pair = namedtuple("Pair", "left right")
LENGTHS = ((2, 3), (1,), (4, 4, 1, 2), ())


def pairs(*lengths: int) -> list[tuple[Any, ...]]:
    return [(f32(n, 3), np.arange(n, dtype=np.int32)) for n in lengths]


def of(make: Any, lengths: Any = LENGTHS) -> list[tuple[Any, ...]]:
    return [([make(*pair) for pair in pairs(*one)],) for one in lengths]


def gone_through(self, batch):
    total = np.zeros(3, np.float32)
    for x, y in batch:
        total = total + x.sum(0) * y.sum()
    return total, len(batch), [x for x, _ in batch], batch


def unzipped(self, batch):
    xs, ys = zip(*batch)  # noqa: B905 (as it is written)
    return F.pad_sequence(list(xs)), F.pad_sequence(list(ys))


def of_fields(self, batch):
    last = batch[-1] if batch else None
    return [pair.left * len(pair.right) for pair in batch], last


def of_keys(self, batch):
    return [row["x"] * row["y"][:, None] for row in batch], [len(row) for row in batch], batch


def dicts_that_change(self, batch):
    made = [dict(row) for row in batch]
    for row in made:
        row["z"] = row["x"][0] * 2
    return [row["z"] for row in made]


def nested(self, batch):
    return [a * n for a, (_, n, _), _ in batch], [row[1][2] for row in batch]


def numbers(self, batch):
    best = sorted(batch, key=lambda row: -row[1])
    return [a * b for a, b in batch], sum(a for a, _ in batch), best


def converted(self, batch):
    x, t = concat_examples(batch, padding=0)
    return x, t, F.softmax_cross_entropy(x, t)


def converted_dicts(self, batch):
    return concat_examples(batch)


def beside_others(self, n, data):
    return [row[0] * n for row in data["rows"]], data["k"]


def labelled(*sizes: int) -> list[tuple[Any, ...]]:
    return [([(f32(3, seed=i), np.int32(i % 3)) for i in range(n)],) for n in sizes]


def graphs(*sizes: int) -> list[Any]:
    """Rows of graphs, as datasets of nested dicts have them."""
    return [
        Pair({"atoms": f32(n, 3), "bonds": {"n": n, "kind": "aromatic"}}, (f32(2), {"y": n * 0.5}))
        for n in sizes
    ]


def dicts_within(self, batch):
    total = np.float32(0)
    for graph, (w, labels) in batch:
        total = total + graph["atoms"].sum() * graph["bonds"]["n"] + w.sum() * labels["y"]
    numbers = [graph["bonds"]["n"] for graph, _ in batch]
    return np.float32(total), [labels for _, (_, labels) in batch], numbers


def dicts_within_that_change(self, batch):
    for graph, _ in batch:
        graph["bonds"]["n"] += len(graph["bonds"]["kind"])
    return [graph["bonds"]["n"] for graph, _ in batch]


def dicts_within_dicts(self, batch):
    return [row["g"].left["bonds"]["n"] + len(row) for row in batch], batch


PROGRAMS = [
    *(
        Program(program, [(graphs(*one),) for one in ((2, 3), (1,), (0, 4, 1), ())])
        for program in (dicts_within, dicts_within_that_change)
    ),
    Program(
        dicts_within_dicts,
        [([{"g": g, "k": 1} for g in graphs(*one)],) for one in ((2, 3), (1,), (0, 4, 1), ())],
    ),
    Program(gone_through, of(lambda a, b: (a, b))),
    Program(unzipped, of(lambda a, b: (a, b), LENGTHS[:3])),
    Program(of_fields, of(Pair)),
    Program(of_keys, of(lambda a, b: {"x": a, "y": b})),
    Program(dicts_that_change, of(lambda a, b: {"x": a, "y": b})),
    Program(nested, of(lambda a, b: (a, (b, len(b), "k"), None))),
    Program(numbers, [([(n + 1, n * 0.5) for n in range(k)],) for k in (3, 0, 5)]),
    Program(converted, labelled(3, 1, 5)),
    Program(
        converted_dicts, [([{"x": a, "t": t} for a, t in row],) for (row,) in labelled(3, 1, 5)]
    ),
    Program(beside_others, [(n, {"rows": pairs(*one), "k": n}) for n, one in enumerate(LENGTHS)]),
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_programs(program: Program) -> None:
    check(program, compiled(program))


def test_files_lists_of_tensors_and_verification(tmp_path: Path) -> None:
    program = PROGRAMS[0]
    chain = chain_of(program)
    for tensors in (False, True):
        path = tmp_path / f"{tensors}.onnx"
        given = copy.deepcopy(program.inputs[0])
        made = elichika.compile_model(chain, given, path, tensors=tensors)
        assert made.report.verification is not None
        check(program, elichika.load(path))


def read(*calls: Any) -> InputSignature:
    return read_inputs(lambda x: None, (calls[0],), examples=[(one,) for one in calls[1:]])


def test_signature() -> None:
    signature = read([(f32(2), 1)], [], [(f32(3), 2), (f32(3), 4)])
    shown = ["x_0 list of float32[?]", "x_1 list of int"]
    assert [spec.describe() for spec in signature.specs] == shown
    assert signature.in_words(signature.arguments["x"]) == "list of (float32[?], int)"
    again = InputSignature.from_json(signature.to_json())
    assert again.arguments == signature.arguments
    leaves = again.leaves(([(f32(5), 7)],), {})
    assert leaves[1] == [7]
    with pytest.raises(InputError, match=r"`x_len` is 1 at len\(x_0\) and 2 at len\(x_1\)"):
        feeds_from_names(again, {"x_0": [f32(2)], "x_1": [1, 2]})


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            [(1, 2), (3,)],
            "`batch[1]` has other parts than `batch[0]`; the rows of a list have one form.",
        ),
        ([(1, 2), 3], "`batch[1]` is an int; the rows of a list have one form."),
        ([(1, None), (2, "a")], "`batch[1]` differs in kind from row to row; rows have one form."),
        ([(None,), (None,)], "`batch` holds no arrays or numbers."),
        ([Counter("a")], "`batch[0]` is a Counter; dicts are dict or OrderedDict."),
    ],
)
def test_rows_that_are_unlike(rows: Any, message: str) -> None:
    with pytest.raises(InputError) as raised:
        compiled(Program(gone_through, [(rows,)]))
    assert raised.value.message == message


def test_calls_of_another_form() -> None:
    model = compiled(PROGRAMS[0])
    for given in (pairs(2)[0], [pairs(2)[0], 3], [(f32(2, 3),)]):
        with pytest.raises(InputError, match="`batch"):
            model(given)
