"""Programs that become small: what must stay is said by a test of their text."""

from __future__ import annotations

import ast
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import elichika
from elichika.errors import InputError, StagingError, VerificationError
from elichika.reduction.bundle import bundled
from elichika.reduction.fault import Fault, fault_of
from elichika.reduction.names import missing
from elichika.reduction.search import Search

NET = """
import chainer
import numpy as np
from chainer import functions as F, links as L

class Block(chainer.Chain):
    '''A block.'''

    def __init__(self, size, depth=2):
        super().__init__()
        with self.init_scope():
            self.fc = L.Linear(size, size)

    def step(self, h):
        return F.tanh(self.fc(h))

    def forward(self, x):
        two = 2
        self.seen = []
        seen = self.seen
        for i in range(3):
            x = self.step(x)
            seen.append(i)
        return fault(x, two) + 1

class Net(chainer.Chain):
    def __init__(self, n=3):
        super().__init__()
        with self.init_scope():
            self.block = Block(n)

    def forward(self, x: 'array', scale=1):
        if scale > 0:
            y = self.block(x) * scale
        else:
            y = x
        return {"y": y, "x": x}

def fault(x, n):
    return x
"""

OBJECTS = """
import chainer

class Refused:
    def __call__(self, x):
        return fault(x)

class Holder(chainer.Chain):
    def __init__(self, n):
        super().__init__()
        self.refused = Refused()
        self.n = n

    def forward(self, x):
        return self.refused(x) + self.n

def Net():
    return Holder(3)

def other():
    return Refused()
"""


def smallest(
    source: str, holds: Callable[[ast.Module], bool], inputs: tuple[str, ...] = ("x=1",)
) -> tuple[str, Search]:
    def trial(text: str, given: tuple[str, ...]) -> Fault | None:
        return Fault("it", text) if holds(ast.parse(text)) else None

    search = Search(trial, "it", inputs, time.monotonic() + 60)
    return search.smallest(source), search


def calls(tree: ast.AST, name: str) -> bool:
    """Tell whether a method `forward` calls a function, in whatever class or expression."""
    return any(
        isinstance(node, ast.FunctionDef) and node.name == "forward" and f"{name}(" in text
        for node in ast.walk(tree)
        for text in [ast.unparse(node)]
    )


def test_what_is_left_is_what_the_fault_needs() -> None:
    small, search = smallest(NET, lambda tree: calls(tree, "fault"))
    assert small.splitlines() == [
        *("class Block:", "", "    def forward(self):", "        return fault()", ""),
        *("def fault():", "    pass"),
    ]
    assert search.tried[small.rstrip("\n"), ("x=1",)]


def test_objects_and_constants_go_to_where_they_are_used() -> None:
    """What only makes a chain goes, too: `elichika reduce` was asked of `Net`."""

    def fault(x: object) -> None:
        raise LookupError

    def holds(tree: ast.Module) -> bool:
        names: dict[str, Any] = {"fault": fault}
        try:
            exec(compile(tree, "reduced", "exec"), names)
            names["Net"]().forward(1)
        except Exception as error:
            return type(error) is LookupError
        return False

    small, _ = smallest(OBJECTS, holds)
    assert small.splitlines() == [
        *("class Net:", "", "    def forward(self, x):"),
        "        return fault(x)",
    ]


def test_no_step_takes_what_must_stay() -> None:
    small, _ = smallest(NET, lambda tree: "Block(n)" in ast.unparse(tree))
    assert "self.block = Block(n)" in small or "Block(n)" in small
    assert len(small.splitlines()) < 9


def test_inputs_go_with_their_parameters() -> None:
    source = "def forward(self, x, n, scale):\n    y = x + n\n    return refused(y)\nrefused = 1\n"
    small, search = smallest(
        source, lambda tree: calls(tree, "refused"), ("x=float32[3]", "n=2", "scale=1.5")
    )
    assert "refused()" in small and len(search.inputs) == 1
    assert small.startswith("def forward(")


def test_the_search_ends() -> None:
    search = Search(lambda *_: Fault("it", ""), "it", (), time.monotonic() - 1)
    assert search.smallest("x = 1\ny = 2\n") == "x = 1\ny = 2\n"


def test_steps_give_programs() -> None:
    from elichika.reduction.edits import COARSE, FINE
    from elichika.reduction.trees import size

    tree = ast.parse(NET + OBJECTS)
    before = ast.dump(tree)
    for edit in (*COARSE, *FINE):
        made = [step() for step in edit(tree)]
        assert made, edit.__name__
        for one in made:
            ast.unparse(one)
            assert one is tree or size(one) != size(tree) or ast.dump(one) != before
    assert ast.dump(tree) == before


def test_missing_names() -> None:
    assert not missing(ast.parse(NET))
    assert missing(ast.parse("class A:\n    def f(self):\n        return self.b + c")) == {
        "self.b",
        "c",
    }


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        (StagingError("`a` is 3 now"), StagingError("`b` is 17 now"), True),
        (StagingError("`numpy.sort` is refused"), StagingError("`numpy.all` is refused"), False),
        (StagingError("`a` is 3"), VerificationError("`a` is 3"), False),
        (
            VerificationError("On the example, `output` differs: at [0, 3], -0.2 against nan"),
            VerificationError("On x=3, `y` (result['a']) differs: at [1], 1e-3 against 7"),
            True,
        ),
        (
            VerificationError("On x=3, `y` differs: at [1], 1e-3 against 7"),
            VerificationError("On x=3, `y` differs: float32[3] against int64[3]"),
            False,
        ),
        (KeyError("a"), KeyError("b"), True),
        (KeyError("a"), ValueError("a"), False),
    ],
)
def test_kinds(first: Exception, second: Exception, same: bool) -> None:
    kinds = [fault_of(error) for error in (first, second)]
    assert None not in kinds
    assert (kinds[0].kind == kinds[1].kind) is same  # type: ignore[union-attr]


def test_wrong_inputs_are_no_fault() -> None:
    assert fault_of(InputError("x")) is None
    assert issubclass(elichika.InputError, InputError)


def test_files_beside_it_become_part(tmp_path: Path) -> None:
    (tmp_path / "layers.py").write_text(
        "from __future__ import annotations\nimport numpy as np\nfrom sizes import N\n\n"
        "def layer(x):\n    return np.exp(x) * N\n"
    )
    (tmp_path / "sizes.py").write_text("N = 3\n")
    whole = bundled(
        "from layers import layer\nimport sizes\nfrom sizes import N as M\n\ny = layer(M)\n",
        tmp_path,
    )
    assert whole == (
        "from __future__ import annotations\nimport numpy as np\nN = 3\n\ndef layer(x):\n"
        "    return np.exp(x) * N\nimport sizes\nfrom sizes import N as M\ny = layer(M)\n"
    )
