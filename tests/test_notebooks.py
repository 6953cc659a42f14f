"""What notebooks and IPython show: a refusal with the user's frames alone, objects in one line."""

from __future__ import annotations

import ast
import linecache
import sys
import traceback
from types import SimpleNamespace, TracebackType
from typing import Any

import chainer
import numpy as np
import pytest

import elichika
from elichika.errors import PACKAGE


class Shown:
    """In the place of IPython's formatter, which is not installed here: Python's own."""

    tb_offset = 1

    def structured_traceback(
        self, kind: type, error: BaseException, trace: TracebackType | None, tb_offset: int
    ) -> list[str]:
        assert kind is type(error) and tb_offset == self.tb_offset
        return traceback.format_exception(kind, error, trace)


@pytest.fixture(autouse=True)
def shell(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let there be a shell."""
    made = SimpleNamespace(InteractiveTB=Shown())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: made))  # type: ignore[arg-type]


class Net(chainer.Chain):
    def forward(self, x: Any, n: int) -> Any:
        assert n > 1, "too few"
        return x * n, np.array(["a", "b"])[n - 2]


X = np.ones((2, 3), np.float32)


def shown(error: elichika.ElichikaError) -> str:
    return "".join(error._render_traceback_())


def test_a_refusal_shows_the_users_frames_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(elichika.StagingError) as caught:
        elichika.compile_model(Net(), (X, 3))
    text = shown(caught.value)
    assert PACKAGE not in text and "elichika.compile_model(Net(), (X, 3))" in text
    assert 'np.array(["a", "b"])[n - 2]' in text and len(text.splitlines()) < 12
    monkeypatch.setenv("ELICHIKA_DEBUG", "1")
    assert PACKAGE in shown(caught.value)


def test_an_option_that_is_not_there_is_no_traceback_of_ours() -> None:
    with pytest.raises(TypeError, match="did you mean `dynamic_axes`") as caught:
        elichika.compile_model(Net(), (X, 3), dynamic_axis="batch")
    assert isinstance(caught.value, elichika.InputError)
    assert PACKAGE not in shown(caught.value)


def test_reports_are_shown_in_one_line() -> None:
    class Loop(chainer.Chain):
        def forward(self, x: Any, n: int) -> Any:
            for _ in range(n):
                x = x + 1
            return x

    report = elichika.compile_model(Loop(), (X, 3)).report
    assert repr(report) == "<Report: loops 1, branches 0, notes 0; print it for all of it>"
    said = repr(report.verification)
    assert said.startswith("<VerificationReport: verified on ") and said.count("\n") == 0


def test_a_cell_whose_statements_are_compiled_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """So does IPython; Python calls `F.tanh` in another way where it sees that F is imported."""
    cell = """\
import chainer
from chainer import functions as F
class Net(chainer.Chain):
    def forward(self, x, n):
        for _ in range(n):
            x = F.tanh(x)
        return x
"""
    name = "/tmp/ipykernel_1/1.py"
    monkeypatch.setitem(linecache.cache, name, (len(cell), None, cell.splitlines(True), name))
    made: dict[str, Any] = {}
    other = cell.replace("tanh", "sin")
    for text in (cell, other):
        for statement in ast.parse(text).body:
            exec(compile(ast.Module([statement], []), name, "exec"), made)
        if text == cell:
            model = elichika.compile_model(made["Net"](), (X, 3))
            np.testing.assert_allclose(model(X, 2), np.tanh(np.tanh(X)), rtol=1e-6)
    with pytest.raises(elichika.ElichikaError, match="no longer holds forward"):
        elichika.compile_model(made["Net"](), (X, 3))
