"""The table of operators: a row for each public name of Chainer, and what became of its calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from elichika.support.activation import ACTIVATION, NOISE
from elichika.support.array import ARRAY
from elichika.support.cases import Case
from elichika.support.connection import CONNECTION
from elichika.support.links import CONTAINERS, LINKS
from elichika.support.loss import EVALUATION, LOSS
from elichika.support.math import BASIC, ELEMENTWISE, LINEAR_ALGEBRA, REDUCTIONS
from elichika.support.normalization import NORMALIZATION, RNN, UTIL
from elichika.support.parity import Outcome, check_case
from elichika.support.pooling import POOLING
from elichika.support.variables import DISTRIBUTIONS, SUPPORTING, VARIABLES

__all__ = ["REFUSALS", "ROWS", "Row", "Verdict", "judge", "line", "markdown", "rows"]

REFUSALS = {
    "L.TheanoFunction": "runs Theano, which Python 3.11 does not have",
    "Variable.debug_print": "gives the address of the Variable",
    "Variable.summary": "gives the address of the Variable",
    "Variable.to_device": "a model runs where its session does",
    "Variable.chx_array": "needs ChainerX",
    "Variable.to_chx": "needs ChainerX",
    "Variable.to_intel64": "needs iDeep",
    **{
        f"Variable.{name}": "belongs to backpropagation"
        for name in (
            "requires_grad",
            "node",
            "label",
            "backward",
            "retain_data",
            "set_creator",
            "set_creator_node",
        )
    },
}
"""Why a name is refused, in one line."""

DRAWN = " with `random='onnx'`"
"""What is said of calls that draw random numbers."""

SHOWN = 6
"""Calls that a row shows."""


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
    def is_refused(self) -> bool:
        """Tell whether no call of it compiles."""
        return all(case.refused for case in self.cases)

    @property
    def calls(self) -> list[str]:
        """The calls that must compile, without repeats."""
        calls = (call for case in self.cases if not case.refused for call in case.expressions)
        return list(dict.fromkeys(calls))

    @property
    def shown(self) -> list[str]:
        """The same as the document shows them."""
        shown = (
            f"`{call}`{DRAWN if case.draws else ''}"
            for case in self.cases
            if not case.refused
            for call in case.expressions
        )
        return list(dict.fromkeys(shown))

    @property
    def refused(self) -> list[str]:
        """The calls that the compiler must refuse."""
        return [call for case in self.cases if case.refused for call in case.expressions]


@dataclass(frozen=True)
class Verdict:
    """What the calls of a row came to in this build.

    Attributes:
        status: `supported`, `composite` (more than one ONNX operator), `refused` or `failing`.
        why: Of what is refused or failing, in one line.
        operators: The ONNX operators of its models.
        runs: Inputs on which a model agreed with Chainer.
    """

    status: str
    why: str
    operators: Sequence[str]
    runs: int


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


def rows(names: Iterable[str] = ()) -> list[Row]:
    """Return the rows with these names, or all.

    Raises:
        KeyError: There is no such name.
    """
    wanted = list(names)
    if not wanted:
        return ROWS
    known = {row.name: row for row in ROWS}
    return [known[name] for name in wanted]


def judge(row: Row, *, quick: bool = False) -> Verdict:
    """Compile and compare the calls of a row; see `check_case` for what `quick` leaves out."""
    total = Outcome()
    for case in row.cases:
        found = check_case(case, quick=quick)
        total.failures += found.failures
        total.runs += found.runs
        total.operators |= found.operators
    operators = sorted(total.operators - {"Constant"})
    if total.failures:
        first = total.failures[0]
        why = f"{first.expression} ({first.dtype}): {first.kind}: {' '.join(first.text.split())}"
        return Verdict("failing", why, operators, total.runs)
    if row.is_refused:
        return Verdict("refused", REFUSALS[row.name], operators, total.runs)
    status = "composite" if len(operators) > 1 else "supported"
    return Verdict(status, "", operators, total.runs)


def markdown(verdicts: Mapping[str, Verdict]) -> str:
    """Return the table as a document."""
    lines = [
        "# What of Chainer compiles",
        "",
        "Written by `elichika ops --format md`, which compiles every call below and holds the",
        "model against Chainer, on the inputs that it was compiled with and on others, for static",
        "and dynamic sizes and for float32, float64 and float16 where Chainer takes them.",
        "*supported*: one operator of ONNX; *composite*: several; *refused*: an error that names",
        "the reason and the user's line. Calls with `random='onnx'` draw random numbers; they are",
        "compared with what is drawn held at the same numbers on both sides.",
        "",
        *summary(verdicts),
    ]
    section = ""
    for row in ROWS:
        if row.name not in verdicts:
            continue
        if row.section != section:
            section = row.section
            lines += ["", f"## {section}", "", "| name | status | tested calls |"]
            lines.append("|---|---|---|")
        lines.append(line(row, verdicts[row.name]))
    return "\n".join([*lines, ""])


def summary(verdicts: Mapping[str, Verdict]) -> Iterator[str]:
    """Yield the lines of the document that count the names of each group."""
    yield "| | compile | of |"
    yield "|---|---|---|"
    groups: dict[str, list[str]] = {}
    for row in ROWS:
        if row.name in verdicts:
            groups.setdefault(row.section.split(":")[0], []).append(verdicts[row.name].status)
    for group, found in groups.items():
        good = sum(status in ("supported", "composite") for status in found)
        yield f"| {group} | {good} | {len(found)} |"


def line(row: Row, verdict: Verdict) -> str:
    """Return a row of the document."""
    more = len(row.shown) - SHOWN
    shown = ", ".join(row.shown[:SHOWN]) + (f" and {more} more" if more > 0 else "")
    if row.calls and row.refused:
        shown += "; refused: " + ", ".join(f"`{call}`" for call in row.refused)
    what = f"{verdict.status}: {verdict.why}" if verdict.why else verdict.status
    cells = [f"`{row.name}`", what, shown]
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"
