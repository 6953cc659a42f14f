"""What a compile may take: no program hangs it or fills the memory; errors name the line."""

from __future__ import annotations

import signal
import time
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import elichika
from elichika.check import find_unsupported
from elichika.cli import app
from tests.programs import Program, check, compiled, f32
from tests.sources import module_of

HEAD = (
    "import itertools, math\nimport numpy as np\nimport chainer\nimport chainer.functions as F\n"
    "class Model(chainer.Chain):\n    def forward(self, x):\n"
)
ENDLESS = "this loop runs more than 10000 iterations"
DEEP = "`f` is called deeper than Python's stack reaches"


def chain(lines: str) -> Any:
    """A chain whose forward is some lines; the first one is line 7 of its file."""
    body = "".join(f"        {line}\n" for line in lines.splitlines())
    return module_of(HEAD + body, "budget.py")["Model"]()


def refused(lines: str, **options: Any) -> elichika.ElichikaError:
    """Compile what has to be refused; return how."""
    with pytest.raises(elichika.ElichikaError) as error:
        elichika.compile_model(chain(lines), f32(2, 3), verify=False, **options)
    return error.value


TOO_MUCH = {
    "return x + sum(range(10**9))": "1,000,000,000 items",
    "return x + len(list(range(10**9)))": "1,000,000,000 items",
    "return x + sorted(range(10**8))[0]": "100,000,000 items",
    "return x + len([0] * 10**10)": "10,000,000,000 items",
    "return x + len(list(itertools.product(range(1000), repeat=3)))": "1,000,000,000 items",
    "return x + np.array(range(10**9))[0]": "1,000,000,000 items",
    "return x + len('ab' * 10**11)": "a text of 200,000,000,000 characters",
    "return x + 10**10**8 % 7": "a number of 400,000,000 bits",
    "return x + (1 << 10**11) % 7": "a number of 100,000,000,001 bits",
    "return x + math.factorial(10**7) % 7": "a number of 218,108,029 bits",
    "return x + np.zeros((10**6, 10**6)).sum()": "an array of 7,450.6 GiB",
    "return x + np.full((10**5, 10**5), np.int8(1))[0, 0]": "an array of 9.3 GiB",
    "return x + np.arange(10**11)[0]": "an array of 745.1 GiB",
    "return x + np.linspace(0, 1, 10**10)[0]": "an array of 74.5 GiB",
    "return x + np.eye(10**5)[0, 0]": "an array of 74.5 GiB",
    "return x + np.outer(np.ones(10**5), np.ones(10**5))[0, 0]": "an array of 74.5 GiB",
    "return x + (np.ones((10**5, 1)) * np.ones(10**5))[0, 0]": "an array of 74.5 GiB",
    "return x + (np.ones((10**5, 1)) @ np.ones((1, 10**5)))[0, 0]": "an array of 74.5 GiB",
    "return x + np.tile(np.ones(10**3), 10**8)[0]": "an array of 745.1 GiB",
    "return x.sum() + np.broadcast_to(np.float32(1), (10**6, 10**6))": "an array of 3,725.3 GiB",
}


@pytest.mark.parametrize("line", TOO_MUCH)
def test_what_would_not_fit_is_not_made(line: str) -> None:
    error = refused(line)
    assert isinstance(error, elichika.BudgetError)
    assert error.message == f"this makes {TOO_MUCH[line]} while compiling"
    assert error.frames[-1].line == 7


ENDED = {
    "while True:\n    pass\nreturn x": (ENDLESS, 7),
    "i = 0\nwhile True:\n    i += 1\nreturn x": (ENDLESS, 8),
    "def f(k):\n    return 0 if k == 0 else 1 + f(k - 1)\nreturn x + f(10**6)": (DEEP, 7),
}


@pytest.mark.parametrize("lines", ENDED)
def test_what_has_no_end_is_refused(lines: str) -> None:
    message, line = ENDED[lines]
    error = refused(lines)
    assert (error.message, error.frames[-1].line) == (message, line)


def test_what_fits_is_compiled() -> None:
    lines = (
        "y = np.arange(12.0, dtype='f')[:3] * np.ones((2, 3), 'f') @ np.eye(3, dtype='f')\n"
        "return x + y * sum(range(1000)) + len('ab' * 9) + 2**70 % 7 + math.comb(5, 2) + (1 << 3)"
    )
    model = elichika.compile_model(chain(lines), f32(2, 3), verify=False)
    given = f32(2, 3, seed=5)
    np.testing.assert_array_equal(model(given), chain(lines).forward(given))


def test_the_time_of_the_walk_is_limited() -> None:
    """An exponential recursion on known numbers; Python itself would take minutes."""
    lines = "def f(k):\n    return 1 if k < 2 else f(k - 1) + f(k - 2)\nreturn x + f(40)"
    start = time.perf_counter()
    error = refused(lines, max_seconds=2)
    assert time.perf_counter() - start < 60
    assert isinstance(error, elichika.BudgetError)
    assert error.message == "the compile takes more than 2 seconds; it was walking the program"
    assert {8} <= {frame.line for frame in error.frames[1:]} <= {7, 8}


def test_the_time_of_the_chain_is_limited() -> None:
    lines = "while F.sum(x).array < 10:\n    x = x * 1\nreturn x"
    with pytest.raises(elichika.BudgetError) as error:
        elichika.compile_model(chain(lines), np.zeros((2, 3), "f"), max_seconds=4)
    assert error.value.message == (
        "the compile takes more than 4 seconds; it was comparing the model with the chain"
    )
    assert error.value.frames[0].line in (7, 8)


def test_the_nodes_are_limited() -> None:
    lines = "for k in range(50):\n    x = F.relu(x * float(str(k)))\nreturn x"
    error = refused(lines, max_nodes=60)
    assert isinstance(error, elichika.BudgetError)
    assert error.message == "the model has more than 60 nodes here"
    assert next(f.line for f in reversed(error.frames) if not f.library) == 8
    model = elichika.compile_model(chain(lines), f32(2, 3), verify=False, max_nodes=130)
    assert 60 < len(model.proto.graph.node) <= 130
    elichika.compile_model(chain(lines), f32(2, 3), verify=False, max_nodes=None)


def heavy(self: Any, x: Any, n: Any) -> Any:
    """Twelve nodes a turn."""
    for k in range(20):
        y = x + k
        for scale in (1.5, 0.5, n):
            y = np.tanh(y) * scale + y / (k + 1)
        x = x * 0.5 + y
    return x


INPUTS = [(f32(2, 3), 2), (f32(2, 3, seed=1), -1), (f32(2, 3, seed=2), 0)]


def with_budget(nodes: int) -> Any:
    def compiler(*args: Any, **kwargs: Any) -> Any:
        return elichika.compile_model(*args, max_unroll_nodes=nodes, **kwargs)

    return compiler


@pytest.mark.parametrize(
    ("nodes", "outcome"),
    [
        (10_000, ("unrolled", "20 iterations")),
        (100, ("kept", "20 iterations, the last 19 in the Loop: over the limit of nodes")),
    ],
)
def test_a_loop_of_many_nodes_is_rolled(nodes: int, outcome: tuple[str, str]) -> None:
    program = Program(heavy, INPUTS)
    model = compiled(program, with_budget(nodes))
    assert outcome in model.report.loops.values(), str(model.report)
    check(program, model)


def test_a_loop_that_needs_its_numbers_is_unrolled_over_the_budget() -> None:
    def forward(self: Any, x: Any, n: Any) -> Any:
        for k in range(20):
            for _ in (1, 2, 3):
                x = x * float(str(k)) + n
        return x

    program = Program(forward, INPUTS)
    model = compiled(program, with_budget(20))
    assert ("unrolled", "20 iterations") in model.report.loops.values(), str(model.report)
    check(program, model)


def test_what_a_rolled_loop_leaves_may_be_needed_now() -> None:
    def forward(self: Any, x: Any, n: Any) -> Any:
        size = 0
        for k in range(100):
            x = x * 0.9 + n
            size += k % 2
        return x, "ab" * size

    program = Program(forward, INPUTS)
    model = compiled(program)
    assert ("unrolled", "100 iterations") in model.report.loops.values(), str(model.report)
    check(program, model)


def test_a_choice_of_links_is_not_rolled() -> None:
    """With a link for each turn, a rolled body would hold them all."""

    def forward(self: Any, x: Any, n: Any) -> Any:
        for layer in [np.tanh, np.exp, np.sin, np.cos, np.sqrt, np.abs]:
            x = layer(layer(np.abs(x) * 0.1) + n * n)
        return x

    program = Program(forward, INPUTS)
    model = compiled(program, with_budget(10))
    assert ("unrolled", "6 iterations") in model.report.loops.values(), str(model.report)
    check(program, model)


@pytest.mark.parametrize("options", [{"max_nodes": 0}, {"max_seconds": -1}])
def test_a_budget_is_positive(options: dict[str, Any]) -> None:
    with pytest.raises(elichika.InputError, match="must be a positive number or None"):
        elichika.compile_model(chain("return x"), f32(2, 3), **options)


def test_check_has_the_budgets_too() -> None:
    lines = "for k in range(50):\n    x = F.relu(x * float(str(k)))\nreturn x"
    (found,) = find_unsupported(chain(lines), f32(2, 3), budgets={"max_nodes": 20})
    assert isinstance(found, elichika.BudgetError)


def test_the_command_line_has_the_budgets_too(tmp_path: Any) -> None:
    words = ["tests.cli.programs:seeded", "--input", "x=float32[batch,4]", "--max-nodes", "1"]
    for command in (["check"], ["export", "-o", str(tmp_path / "m.onnx")]):
        result = CliRunner().invoke(app, [*command, *words])
        assert result.exit_code == 1
        assert "BudgetError: the model has more than 1 nodes here" in result.stderr
    assert not list(tmp_path.iterdir())


NATIVE = (
    "re.match('(a+)+$', 'a' * 60 + 'b')",  # which goes back and back
    "str(nested(60))",
)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no alarms here")
@pytest.mark.parametrize("call", NATIVE)
def test_native_code_that_looks_for_signals_is_stopped(call: str) -> None:
    head = "import re\ndef nested(n):\n    held = []\n    for _ in range(n):\n        "
    lines = f"{head}held = [held, held]\n    return held\nreturn x + (1 if {call} else 2)"
    start = time.perf_counter()
    error = refused(lines, max_seconds=2)
    assert isinstance(error, elichika.BudgetError) and time.perf_counter() - start < 60
    assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
