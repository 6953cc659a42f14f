"""Which way the program went on the examples: functions, branches and loops."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import chainer
import numpy as np
import pytest

import elichika
from elichika.model.inspection import inspect_model
from elichika.recording import watched as module
from elichika.recording.marked import marked_functions
from tests.programs import chain_with, difference, f32, outcome
from tests.sources import module_of

PROGRAM = """
import chainer
from chainer import functions as F


def scaled(v, *, by=1):
    return v * by if by != 1 else v


def above(x, bound):
    for value in x:
        if value > bound: yield value


class Net(chainer.Chain):
    def forward(self, x, k=2, mode=None):
        "What it does."

        def added(h, n=(1, 2)):
            return h + n[0]

        h = 0
        if k > 3:
            h = 1
        elif mode == "never":
            h = 2
        n = 0
        while True:
            n += 1
            if n > k:
                break
        while h > 9:
            h -= 1
        for value in above(x, 0):
            h = added(h)
        return scaled(h + x.sum(), by=k), [v for v in x if v > 1 for w in x[:k]], n
"""
LINES = [
    "net.py:6: scaled(v: float64[], by: int 1..5) in 3 calls",
    "net.py:7: the test is true 2 of 3 times",
    "net.py:10: above(x: float32[1..4], bound: int 0) in 3 calls",
    "net.py:11: a loop of 1 to 4 iterations in 3 runs",
    "net.py:12: the test is true 4 of 7 times",
    "net.py:16: forward(x: float32[1..4], k: int 1..5, mode: None or 'x') in 3 calls",
    "net.py:19: added(h: int 0..3, n: (int 1, int 2)) in 4 calls",
    "net.py:23: the test is true 1 of 3 times",
    "net.py:25: the test is never true (0 of 2 times)",
    "net.py:28: a loop of 2 to 6 iterations in 3 runs",
    "net.py:30: the test is true 3 of 11 times",
    "net.py:32: a loop of 0 iterations in 3 runs",
    "net.py:34: a loop of 0 to 3 iterations in 3 runs",
    "net.py:36: a loop of 1 to 4 iterations in 3 runs",
    "net.py:36: the test is true 1 of 7 times",
    "net.py:36: a loop of 2 iterations in 1 run",
]
CALLS = [
    (np.array([1.5, -1], np.float32), 2),
    (np.array([-1], np.float32), 1),
    (np.array([1, 1, 0.5, 0], np.float32), 5, "x"),
]


def net() -> Any:
    return module_of(PROGRAM, "net.py")["Net"]()


def lines(chain: Any, calls: Any = CALLS, **options: Any) -> list[str]:
    first, *more = calls
    model = elichika.compile_model(chain, first, examples=more, **options)
    return [str(line) for line in model.report.profile if type(line) is module.Went]


def test_the_way_of_a_program(tmp_path: Path) -> None:
    chain, path = net(), tmp_path / "model.onnx"
    before = type(chain).forward.__code__
    assert lines(chain, path=path) == LINES
    assert inspect_model(path).arguments[-len(LINES) :] == tuple(LINES)
    assert type(chain).forward.__code__ is before
    assert not [name for name in type(chain).forward.__globals__ if name.startswith("@")]


def test_nothing_runs_without_verification() -> None:
    assert lines(net(), verify=False) == []


def several(self: Any, x: Any, parts: Any = None, other: Any = None) -> Any:
    def part(value: Any) -> Any:
        return value

    for one in (x, [x, 2.5], {"a": x}, (x, None), "text", self, chainer.Variable(x[:1]), True):
        part(one)
    return x


def test_words_for_values() -> None:
    (text,) = [
        line for line in lines(chain_with(several), [(f32(2),), (f32(3),)]) if "part(" in line
    ]
    assert text.endswith(
        "part(value: float32[2..3], list of 2 float32[2..3] or float 2.5, {'a': float32[2..3]}, "
        "(float32[2..3], None), 'text', Chain, Variable of float32[1] or bool True) in 16 calls"
    )


def fails(self: Any, x: Any) -> Any:
    if len(x) > 2:
        raise ValueError("too many")
    return x


def test_an_example_that_fails_is_told_by_verification() -> None:
    first, more = (f32(2),), (f32(3),)
    with pytest.raises(elichika.ElichikaError, match="too many"):
        elichika.compile_model(chain_with(fails), more, examples=[first])
    assert fails.__code__.co_names == ("len", "ValueError")


def test_what_takes_too_long_is_said(monkeypatch: Any) -> None:
    monkeypatch.setattr(module, "LONGEST", 0.0)
    first, *more = CALLS
    model = elichika.compile_model(net(), first, examples=more)
    assert any("those of 0 of 3 examples" in text for _, text in model.report.notes)


def test_what_tells_is_compiled_as_its_text_says() -> None:
    """Another thread may compile a function whose code is another one for a while."""
    chain, first = net(), CALLS[0]
    watches: list[Any] = []

    def watch_of(places: Any) -> Any:
        watches.append(module._Watch(places))
        return watches[-1]

    with marked_functions([type(chain).forward], watch_of):
        model = elichika.compile_model(chain, first, verify=False)
        found = [outcome(chain, first), outcome(model, first)]
    assert difference(*found) is None
    assert watches[0].found[0].count == 0 and any(one.count for one in watches[0].found)


class Asked:
    """An object that has every attribute."""

    def __getattr__(self, name: str) -> Any:
        return name if name else self.none


def grows_behind_a_generator(self: Any, x: Any, n: Any) -> Any:
    asked = Asked()

    def given(one: Any) -> Any:
        return one.some

    held = {1: 2}
    items = (key for key in held)
    if n > 3:
        held[n] = n
    return given(asked), list(items)


def test_marks_change_nothing() -> None:
    functions = [grows_behind_a_generator, Asked.__getattr__]
    for number in (1, 5):
        inputs = f32(2), number
        plain = outcome(chain_with(grows_behind_a_generator).forward, inputs)
        with marked_functions(functions, module._Watch):
            found = outcome(chain_with(grows_behind_a_generator).forward, inputs)
        assert repr(found) == repr(plain)
    assert isinstance(plain, RuntimeError)
