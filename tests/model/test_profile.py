"""What nodes took is read from onnxruntime's own profile of several runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import chainer
import pytest
from chainer import functions as F

import elichika
from elichika.model import profile
from elichika.model.source_map import SourceMap
from tests.programs import f32


class Plain(chainer.Chain):
    def forward(self, x: Any) -> Any:
        return F.tanh(x)


def line(name: str, start: int, long: int, kind: str = "Node") -> str:
    args = '{"op_name" : "Tanh","name" :"other_kernel_time"}'
    head = f'{{"cat" : "{kind}","pid" :1,"tid" :2,"dur" :{long},"ts" :{start},"ph" : "X"'
    return f'{head},"name" :"{name}","args" : {args}}},\n'


def test_runs_of_nodes_within_nodes(tmp_path: Path) -> None:
    loop, inner = "m.py:3/Loop#1_kernel_time", r"say \"a\\b\"_kernel_time"
    text = "[\n" + line("model_loading_uri", 0, 5, "Session")
    for start, long in ((100, 9), (200, 30), (300, 50), (400, 70)):
        text += line(inner, start + 1, 4) + line(loop, start, long)
        text += line("SequentialExecutor::Execute", start, long, "Session")
        text += line("model_run", start, long + 1, "Session")
    text += line(loop, 900, 1000)  # of a run whose end was not written down
    (tmp_path / "p.json").write_text(text, encoding="utf-8")
    events = list(profile._events(tmp_path / "p.json"))
    found = profile._summed(events, SourceMap({}), frozenset(["m.py:3/Loop#1", 'say "a\\b"']))
    assert found.runs == 3
    assert found.nodes == pytest.approx({"m.py:3/Loop#1": 46e-6, 'say "a\\b"': 4e-6})
    assert found.total == pytest.approx(50e-6)


def test_a_slow_model_runs_less_often() -> None:
    assert [profile._runs(seconds) for seconds in (0.0, 0.3, 0.7, 60.0)] == [5, 5, 2, 1]


def test_a_run_that_is_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    model = elichika.compile_model(Plain(), f32(2, 3), verify=False)
    assert model.report.shown._profile(f32(2, 3)).runs == 5
    monkeypatch.setattr(profile, "RUN", "no_run")
    with pytest.raises(elichika.InputError) as caught:
        model.report.to_html(profile=f32(2, 3))
    assert caught.value.message == (
        "A run on these inputs has more operators than onnxruntime's profile holds."
    )
