"""What verification says of the branches, turns and lines that its inputs reached."""

from __future__ import annotations

import time
from typing import Any

import chainer
import chainer.functions as F
import numpy as np
import onnx
import pytest

import elichika
from elichika.verify.probe import COUNTS, probed
from tests.programs import chain_with


def verified(program: Any, *inputs: Any, **options: Any) -> Any:
    chain = chain_with(program)
    options.setdefault("dynamic_axes", {"x": {0: "rows"}})
    return elichika.compile_model(chain, list(inputs), **options).report


def lines_of(program: Any, *offsets: int) -> list[str]:
    first = program.__code__.co_firstlineno
    return [f"tests/verify/test_reached.py:{first + offset}" for offset in offsets]


def short(places: list[str]) -> list[str]:
    return [place.rpartition("/")[2] for place in places]


X = np.ones((3, 2), np.float32)


def rare(self, x, n):
    if n > 1000:
        y = x * 2
        x = y + 1
    return x


def both(self, x, n):
    if n > 2:
        return x * 2
    return x - 1


def within(self, x, n):
    for i in range(n):
        if F.sum(x).array > 1e9:
            while x.sum() > 0:
                x = x - 1
            x = F.relu(x).array
        else:
            x = x + i
    return x


def on_one_line(self, x, n):
    return x * 2 if n > 1000 else x - 1


def known(self, x, n):
    if x.ndim == 3:
        return x[0]
    return x + n


def nothing(self, x, n):
    return x + n


def never_left(self, x, n):
    total = 0.0
    for row in x:
        total = total + row.sum()
        if total > 1e9:
            break
    else:
        total = total * n
    return total


def raising(self, x, n):
    if n > 1000:
        raise ValueError("large")
    return x * n


def compared(program: Any, report: Any) -> Any:
    return short(report.verification.reached.lines), str(report.verification)


def test_lines_of_a_branch_that_is_never_taken() -> None:
    report = verified(rare, X, 3)
    assert short(report.verification.reached.lines) == short(lines_of(rare, 2, 3))
    first = rare.__code__.co_firstlineno
    said = f"not reached by these inputs: test_reached.py:{first + 2}-{first + 3}"
    assert said in str(report).replace("tests/verify/", "")


def test_an_example_that_goes_there() -> None:
    report = verified(rare, X, 3, examples=[(X, 2000)])
    assert report.verification.reached.lines == []
    assert "not reached" not in str(report)


def test_branches_and_turns_are_counted() -> None:
    reached = verified(both, X, 3).verification.reached
    (arms,) = reached.branches.values()
    assert len(arms) == 2 and all(arms.values())
    assert str(reached) == ""
    turns = next(iter(verified(within, X, 3).verification.reached.loops.values()))
    assert list(turns) == ["no iteration", "one iteration", "more iterations"] and all(
        turns.values()
    )


def test_a_loop_in_a_branch_in_a_loop() -> None:
    reached = verified(within, X, 3).verification.reached
    assert set(short(lines_of(within, 4, 5))) <= set(short(reached.lines))
    assert not set(short(lines_of(within, 1, 2, 7, 8))) & set(short(reached.lines))


def test_a_branch_without_a_line_of_its_own() -> None:
    verification = verified(on_one_line, X, 3).verification
    place = short(lines_of(on_one_line, 1))[0]
    assert verification.reached.lines == []
    assert f"one branch of {place}" in str(verification).replace("tests/verify/", "")


@pytest.mark.parametrize("program", [known, nothing])
def test_what_is_decided_while_compiling_is_no_matter(program: Any) -> None:
    verification = verified(program, X, 3).verification
    assert verification.reached is None and verification.not_reached == ""


def test_an_else_of_a_loop_and_its_break() -> None:
    report = verified(never_left, X, 3)
    assert report.verification.reached.loops
    assert isinstance(report.verification.not_reached, str)


def test_what_raises_is_no_branch_that_was_missed() -> None:
    assert verified(raising, X, 3).verification.agreed


def test_state_and_draws() -> None:
    class Counter(chainer.Chain):
        def __init__(self) -> None:
            super().__init__()
            self.calls = 0

        def forward(self, x: Any) -> Any:
            self.calls += 1
            if self.calls > 1000:
                x = x * 2
            return F.dropout(x, 0.5) if self.calls > 500 else x

    model = elichika.compile_model(Counter(), [X], state=True, train=True, random="onnx")
    assert model.report.verification.reached.inputs > 0
    assert len(model.report.verification.reached.lines) >= 1


def test_a_file_says_it_too(tmp_path: Any) -> None:
    chain = chain_with(rare)
    path = tmp_path / "net.onnx"
    elichika.compile_model(chain, [X, 3], path, dynamic_axes={"x": {0: "rows"}}, verify=False)
    report = elichika.load(path).verify((X, 3), chain=chain)
    assert short(report.reached.lines) == short(lines_of(rare, 2, 3))


def test_the_copy_is_a_model_by_the_standard() -> None:
    chain = chain_with(within)
    model = elichika.compile_model(chain, [X, 3], dynamic_axes="rows", verify=False)
    copy, cells = probed(model.proto)
    onnx.checker.check_model(copy, full_check=True)
    assert [output.name for output in copy.graph.output] == [COUNTS]
    assert len(cells) >= 8


def test_it_takes_a_small_share(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long a run of the copy takes, there are few of them."""
    from elichika.verify.reached import Probe

    looked = []

    def slow(self: Any, leaves: Any, level: Any, seconds: Any) -> None:
        looked.append(1)
        time.sleep(0.3)

    monkeypatch.setattr(Probe, "look", slow)
    verification = verified(rare, X, 3).verification
    assert len(looked) <= 1 + verification.seconds
    assert verification.not_reached == ""
