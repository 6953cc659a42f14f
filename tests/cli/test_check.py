"""`elichika check` shows all findings in one run, and nothing that depends on one of them."""

from __future__ import annotations

from typing import Any

import chainer
import numpy as np
import pytest
from typer.testing import CliRunner

from elichika.check import find_unsupported
from elichika.cli import app
from tests.cli import unsupported
from tests.programs import Program, chain_of
from tests.walker.test_traps import TRAPS


def marked() -> set[int]:
    with open(unsupported.__file__, encoding="utf-8") as file:
        return {number for number, line in enumerate(file, 1) if line.endswith("# finding\n")}


def lines(errors: list[Any]) -> set[int]:
    return {
        [frame for frame in error.frames if frame.file == unsupported.__file__][-1].line
        for error in errors
    }


def test_all_at_once() -> None:
    chain, before = unsupported.Much(), np.random.get_state()[1].copy()
    found = find_unsupported(chain, np.ones((3, 4), "f"), dynamic_axes="n")
    assert lines(found) == marked() and len(found) == len(marked())
    assert not hasattr(chain, "bits")
    assert np.array_equal(before, np.random.get_state()[1])


def test_on_the_command_line() -> None:
    source = ["tests.cli.unsupported:Much", "--input", "x=float32[n,4]"]
    result = CliRunner().invoke(app, ["check", *source])
    assert result.exit_code == 1 and "never_called" not in result.stderr
    assert result.stderr.count("unsupported.py") >= len(marked())
    assert f"unsupported │ {len(marked())}" in result.stdout


@pytest.mark.parametrize("program", TRAPS[::6], ids=lambda program: program.name)
def test_nothing_where_nothing_is_wrong(program: Program) -> None:
    found = find_unsupported(chain_of(program), program.inputs[0], dynamic_axes=program.axes)
    assert not found or program.refuse


def test_a_chain_that_cannot_be_run_first() -> None:
    class Broken(chainer.Chain):
        def __init__(self) -> None:
            super().__init__()
            with self.init_scope():
                self.layer = chainer.links.Linear(None, 3)

        def forward(self, x: Any) -> Any:
            raise ValueError("no data")

    with pytest.raises(Exception, match=r"The chain itself fails on the example: ValueError: no"):
        find_unsupported(Broken(), np.ones((3, 4), "f"))
