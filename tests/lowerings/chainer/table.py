"""The table of operators: a row for each public name of Chainer, and what became of its calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from elichika.cli.operators import Operator
from tests.lowerings.chainer.activation import ACTIVATION, NOISE
from tests.lowerings.chainer.array import ARRAY
from tests.lowerings.chainer.cases import Case
from tests.lowerings.chainer.connection import CONNECTION
from tests.lowerings.chainer.differentiated import gradient
from tests.lowerings.chainer.links import CONTAINERS, LINKS
from tests.lowerings.chainer.loss import EVALUATION, LOSS
from tests.lowerings.chainer.math import BASIC, ELEMENTWISE, LINEAR_ALGEBRA, REDUCTIONS
from tests.lowerings.chainer.normalization import NORMALIZATION, RNN, UTIL
from tests.lowerings.chainer.pooling import POOLING
from tests.lowerings.chainer.variables import DISTRIBUTIONS, SUPPORTING, VARIABLES
from tests.lowerings.chainer.whole import Outcome, check_whole

#: Why a name is refused, in one line.
REFUSALS = {
    "L.TheanoFunction": "runs Theano, which Python 3.11 does not have",
    "Variable.debug_print": "gives the address of the Variable",
    "Variable.summary": "gives the address of the Variable",
    "Variable.chx_array": "needs ChainerX",
    "Variable.to_chx": "needs ChainerX",
    "Variable.to_intel64": "needs iDeep",
}


@dataclass(frozen=True)
class Row:
    """A public name and its calls.

    Attributes:
        section: The heading it stands under.
        name: As users write it.
        cases: Its calls; none where it cannot even be made.
    """

    section: str
    name: str
    cases: Sequence[Case]

    @property
    def whole(self) -> list[Case]:
        """The cases that are compiled, or refused, as a whole."""
        return [case for case in self.cases if case.whole]

    @property
    def is_refused(self) -> bool:
        """Tell whether no call of it compiles."""
        return all(case.refused for case in self.whole)

    @property
    def calls(self) -> list[str]:
        """The calls that must compile, without repeats."""
        return _calls(case for case in self.whole if not case.refused)

    @property
    def refused(self) -> list[str]:
        """The calls that the compiler must refuse."""
        return _calls(case for case in self.whole if case.refused)


def _calls(cases: Iterable[Case]) -> list[str]:
    return list(dict.fromkeys(call for case in cases for call in case.expressions))


def _rows(section: str, prefix: str, *tables: Mapping[str, Sequence[Case]]) -> Iterator[Row]:
    for table in tables:
        for name, cases in table.items():
            yield Row(section, f"{prefix}{name}", cases)


ROWS: list[Row] = [
    *_rows("Functions: activation", "F.", ACTIVATION),
    *_rows("Functions: array", "F.", ARRAY),
    *_rows("Functions: connection", "F.", CONNECTION),
    *_rows("Functions: evaluation", "F.", EVALUATION),
    *_rows("Functions: loss", "F.", LOSS),
    *_rows("Functions: math", "F.", ELEMENTWISE, BASIC, REDUCTIONS, LINEAR_ALGEBRA),
    *_rows("Functions: noise", "F.", NOISE),
    *_rows("Functions: normalization", "F.", NORMALIZATION),
    *_rows("Functions: pooling", "F.", POOLING),
    *_rows("Functions: recurrent", "F.", RNN),
    *_rows("Functions: util", "F.", UTIL),
    *_rows("Links", "L.", LINKS),
    *_rows("Containers", "", CONTAINERS),
    *_rows("Variable", "", VARIABLES),
    *_rows("Distributions", "D.", DISTRIBUTIONS),
    *_rows("Supporting functions", "", SUPPORTING),
]

#: The cases whose lowerings are held alone, with each of their calls.
ALONE: list[tuple[Case, str]] = [
    (case, call) for row in ROWS for case in row.cases if case.alone for call in case.expressions
]


def alone_id(case: Case, call: str) -> str:
    """Return the name of a test."""
    arrays = {n: np.shape(getattr(v, "array", v)) for n, v in case.inputs.items()}
    shapes = ",".join(f"{n}{list(shape)}".replace(" ", "") for n, shape in arrays.items())
    links = ",".join(case.links)
    return f"{call}-{shapes}{links}{'-train' if case.train else ''}"


def rows(names: Iterable[str] = ()) -> list[Row]:
    """Return the rows with these names, or all.

    Raises:
        KeyError: There is no such name.
    """
    known = {row.name: row for row in ROWS}
    return [known[name] for name in names] or ROWS


def judge(row: Row, *, quick: bool = False) -> Operator:
    """Compile and compare the calls of a row; `quick` as in `check_whole`, and no gradients."""
    total = Outcome()
    for case in row.whole:
        found = check_whole(case, quick=quick)
        total.failures += found.failures
        total.runs += found.runs
        total.operators |= found.operators
    operators = sorted(total.operators - {"Constant"})
    status, why = "composite" if len(operators) > 1 else "supported", ""
    if total.failures:
        first = total.failures[0]
        text = " ".join(first.text.split())
        status, why = "failing", f"{first.expression} ({first.dtype}): {first.kind}: {text}"
    elif row.is_refused:
        status, why = "refused", REFUSALS[row.name]
    drawn = _calls(case for case in row.whole if case.draws)
    certain = _calls(case for case in row.whole if not case.draws and not case.refused)
    gradients = "" if quick or total.failures else gradient(row.whole)
    return Operator(
        row.section,
        row.name,
        status,
        why,
        operators,
        total.runs,
        certain,
        drawn,
        row.refused,
        gradients,
    )
