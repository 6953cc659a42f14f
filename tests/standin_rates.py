"""How many parity cases notice that a stand-in compiler made the model: `make standins`.

A case that passes under a compiler which returns what the example gave, or which takes the
branches and the turns of the example, sees nothing. The second stand-in is right on a program
that decides nothing, and is held only by programs that do.
"""

from __future__ import annotations

import io
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import chainer

import elichika
from onnx_graph import ONNXGraph
from tests import programs
from tests.language import harness as language
from tests.language import tables
from tests.lowerings.chainer import alone
from tests.lowerings.chainer import test_lists as lists_of_chainer
from tests.lowerings.chainer.cases import Case
from tests.lowerings.chainer.table import ALONE, alone_id
from tests.lowerings.numpy import harness as numpy
from tests.lowerings.numpy import test_functions, test_indexing, test_operators
from tests.models import test_tracing_table as tracing
from tests.models.parity import assert_same, eager
from tests.standins import baked, frozen
from tests.state import test_aliases
from tests.walker import test_branches, test_loops, test_traps
from tests.walker.containers import test_copies, test_dynamic_lists, test_lists

LEAST = 0.95

Check = Callable[[Any], None]


@dataclass(frozen=True)
class Parity:
    """A parity case: `check` raises where a model that the compiler makes is wrong."""

    name: str
    check: Check


def groups() -> dict[str, list[Parity]]:
    """Return all parity cases, by what they show."""
    return {
        "walker": [*map(_program, _walker())],
        "language": [_language(code) for _, code in tables.COMPILED],
        "lists": [*map(_program, _lists())],
        "models": [_traced(program) for program in tracing.ROWS],
        "numpy": [_numpy(case) for case in _numpy_cases()],
        "lowerings": [_lowering(case, call) for case, call in ALONE],
    }


class StraightError(Exception):
    """The program decides nothing."""


def deciding(*args: Any, **options: Any) -> Any:
    """Compile as `frozen` does, where there is something to freeze."""
    made = frozen(*args, **options)
    if not made.decisions:
        raise StraightError
    return made


STANDINS: dict[str, Any] = {"baked": baked, "frozen": deciding}


@dataclass
class Rate:
    """How many cases a stand-in was held against, and which did not notice."""

    asked: int = 0
    blind: list[str] = field(default_factory=list)

    @property
    def failed(self) -> int:
        """How many noticed."""
        return self.asked - len(self.blind)


def rate(cases: list[Parity], compiler: Any) -> Rate:
    """Hold a stand-in against cases."""
    found = Rate()
    for case in cases:
        with warnings.catch_warnings(), redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            try:
                case.check(compiler)
                found.blind.append(case.name)
            except StraightError:
                continue
            except (AssertionError, elichika.ElichikaError):
                pass
        found.asked += 1
    return found


def _walker() -> Iterator[programs.Program]:
    yield from test_traps.TRAPS
    yield from test_aliases.FOUND
    for module in (test_branches, test_lists, test_loops):
        yield from module.case.programs


def _lists() -> Iterator[programs.Program]:
    for module in (test_copies, lists_of_chainer, test_dynamic_lists):
        yield from module.PROGRAMS


def _numpy_cases() -> Iterator[numpy.Case]:
    yield from test_functions.every()
    yield from (*test_indexing.READS, *test_indexing.WRITES)
    yield from (*test_operators.pairs(), *test_operators.numbers(), *test_operators.zero_d())


def _program(program: programs.Program) -> Parity:
    return Parity(
        program.name, lambda compiler: programs.check(program, programs.compiled(program, compiler))
    )


def _language(code: str) -> Parity:
    def check(compiler: Any) -> None:
        assert not language.differences(code, language.compiled(code, compiler))

    return Parity(code, check)


def _traced(program: type[chainer.Chain]) -> Parity:
    def check(compiler: Any) -> None:
        axes, inputs = tracing.ROWS[program]
        chain = program()
        model = compiler(chain, inputs[:1], dynamic_axes=axes, verify=False)
        for x in inputs:
            assert_same(eager(chain, x), model(x))

    return Parity(program.__name__, check)


def _numpy(case: numpy.Case) -> Parity:
    return Parity(case.id, lambda compiler: numpy.check(case, compiler))


def _lowering(case: Case, call: str) -> Parity:
    """Hold a call's lowerings in its first dtype: what it sees does not depend on that."""

    def check(compiler: Any) -> None:
        if compiler is deciding:  # what is compiled is one operation
            raise StraightError
        alone.check_alone(case, call, case.dtypes[0], _baked_lowering)

    return Parity(alone_id(case, call), check)


def _baked_lowering(call: alone.Recorded, symbolic: bool) -> alone.Built:
    """Build what gives the recorded outputs, whatever it is fed."""
    graph = ONNXGraph()
    results = [
        None
        if array is None
        else graph.input(f"o{i}", array.dtype, [f"o{i}d{a}" for a in range(array.ndim)])
        for i, array in enumerate(call.outputs)
    ]
    outputs = [array for array in call.outputs if array is not None]
    session: Any = SimpleNamespace(run=lambda names, feeds: outputs)
    return alone.Built(graph, session, [None] * len(call.inputs), results, {})


def main(arguments: list[str]) -> int:
    """Print the counts of every group, and fail below `LEAST`; `-v` names what sees nothing."""
    every, right = groups(), True
    for name, compiler in STANDINS.items():
        total = Rate()
        for group, cases in every.items():
            found = rate(cases, compiler)
            print(f"{name:7}{group:14}{found.failed:5} of {found.asked:5} fail")
            if "-v" in arguments:
                print("".join(f"    {text!r}\n" for text in found.blind), end="")
            total = Rate(total.asked + found.asked, total.blind + found.blind)
        share = total.failed / total.asked
        right &= share >= LEAST
        print(f"{name:7}{'all':14}{total.failed:5} of {total.asked:5} fail: {share:.1%}")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
