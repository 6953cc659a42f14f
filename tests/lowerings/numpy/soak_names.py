"""Draws calls of every staged function of numpy, and holds models of many against numpy.

`python -m tests.lowerings.numpy.soak_names 3000` draws at least as many with hypothesis, prints
what was held and refused, and lists every call that differs. A second argument chooses others.
"""

from __future__ import annotations

import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import hypothesis
import numpy as np
from hypothesis import strategies as st

from elichika import ElichikaError, ModelRuntimeError, compile_model
from tests.lowerings.numpy.harness import copies, eager, flat, model_of, same
from tests.lowerings.numpy.names import ROWS, Row

TOGETHER = 12
DTYPES = ("float32", "float64", "int64", "int32", "uint8", "bool", "float16")
#: Sizes of the four axes, of the matrices and `v`, of `w`, `n` and `m`; the first is the example.
RUNS = (
    ((3, 2, 2, 3), 3, 2, 1, 2),
    ((2, 3, 1, 2), 2, 3, 0, 4),
    ((1, 1, 1, 1), 1, 1, -2, 0),
    ((4, 3, 2, 1), 4, 2, 3, 1),
    ((0, 2, 3, 1), 2, 1, 2, 3),
    ((2, 0, 1, 2), 3, 4, -1, 5),
)
#: Where models fail and numpy does not: under numpy 1 the dtype of a result can depend on a number,
#: and rows of float16 with nan are sorted in no fixed order.
UNSETTLED = ("a number this large changes numpy's dtype", "the order of nan is not defined")
SEEN_AS = ("x", "x", "x", "y", "x.T", "x[::-1]", "x + y", "x[..., None]", "np.abs(x)", "x[:1]")
OPERANDS = (
    *("y", "y", "n", "2", "1.5", "-1", "True", "x[:1]", "np.float32(3)", "np.int64(2)", "m + 0.5"),
    *("[1]", "y.T", "np.arange(2)", "0", "np.uint8(200)"),
)


@dataclass(frozen=True)
class Call:
    """A call with all its holes filled."""

    name: str
    code: str
    lax: str

    @property
    def program(self) -> str:
        """A nested function that runs the call, and its result put into `out`."""
        lines = self.code.split("\n")
        if not lines[-1].startswith("return "):
            lines[-1] = f"return {lines[-1]}"
        body = "\n    ".join(lines)
        return f"def call():\n    {body}\nout.append(call())"


@dataclass(frozen=True)
class Batch:
    """Calls for one model, and the inputs of its runs."""

    calls: tuple[Call, ...]
    runs: tuple[dict[str, Any], ...]
    axes: str


@dataclass
class Tally:
    """What became of the calls."""

    held: Counter[str] = field(default_factory=Counter)
    refused: Counter[tuple[str, str]] = field(default_factory=Counter)
    wrong: dict[str, str] = field(default_factory=dict)

    def differs(self, code: str, how: str) -> None:
        """Note a call that is wrong."""
        self.wrong[code] = how


class Told(Tally):
    """Says of each call that is wrong at once."""

    def differs(self, code: str, how: str) -> None:
        """Note and print it."""
        super().differs(code, how)
        print(f"WRONG {code!r}: {how}\n", flush=True)


# What is drawn


def _axis(draw: Any, rank: int) -> str:
    ends = st.integers(-rank, rank - 1) if rank else st.integers(-1, 0)
    return str(draw(st.one_of(ends, ends, ends, ends, st.integers(-rank - 1, rank))))


def _axes(draw: Any, rank: int, *, tuples: bool) -> str:
    kinds = ["", "None", _axis(draw, rank), _axis(draw, rank)]
    if tuples:
        chosen = draw(st.lists(st.integers(-rank, rank - 1), unique=True)) if rank else []
        kinds += [str(tuple(chosen))] * 2
    return str(draw(st.sampled_from(kinds)))


def _filled(draw: Any, hole: str, rank: int) -> str:
    """Return what stands in one hole."""
    sample = st.sampled_from
    match hole:
        case "A":
            return str(draw(sample(SEEN_AS)))
        case "B":
            return str(draw(sample(OPERANDS)))
        case "axis":
            return _axis(draw, rank)
        case "axis?" | "axes?":
            chosen = _axes(draw, rank, tuples=hole == "axes?")
            return f", axis={chosen}" if chosen else ""
        case "axes!":
            return f"axis={_axes(draw, rank, tuples=True) or None}"
        case "order":
            return str(draw(st.permutations(range(rank))))
        case "keep?":
            return str(draw(sample(("", "", ", keepdims=True", ", keepdims=False"))))
        case "dtype?":
            return str(draw(sample(("", *(f", dtype='{t}'" for t in DTYPES)))))
        case "type":
            return str(draw(sample(DTYPES)))
        case "k":
            return str(draw(st.integers(-3, 3)))
        case "c":
            return str(draw(st.integers(0, 3)))
        case _:
            raise KeyError(hole)


def _call(draw: Any, row: Row, rank: int) -> Call:
    """Fill the holes of a row; `out` is an array of the result's shape and some dtype."""
    text = draw(st.sampled_from(row.calls))
    text = re.sub(
        r"<(\w+[?!]?)>", lambda m: m[0] if m[1] == "out" else _filled(draw, m[1], rank), text
    )
    if "<out>" in text:
        text = text.replace("x[::-1]", "x")  # with `out`, numpy 1.26 passes over items of it
        plain = re.sub(r",? ?out=<out>", "", text)
        dtype = draw(st.sampled_from(("t.dtype", "t.dtype", "x.dtype")))
        filled = text.replace("<out>", "z")
        text = f"t = np.asarray({plain})\nz = np.zeros(t.shape, {dtype})\nreturn {filled}, z"
    return Call(row.name, text, row.lax)


def _array(seed: Any, dtype: str, size: tuple[int, ...], special: bool) -> Any:
    numbers = seed.randint(0 if dtype == "uint8" else -3, 6, size)
    halves = 0.25 if np.dtype(dtype).kind == "f" else 0
    made = np.asarray(numbers + halves).astype(dtype)
    if special and halves and made.size:
        made.reshape(-1)[:: 1 + made.size // 3] = seed.choice([np.nan, np.inf, -np.inf, -0.0])
    return made


def _inputs(draw: Any, dtypes: Sequence[str], rank: int, special: bool) -> list[dict[str, Any]]:
    """Return the inputs of all runs."""
    seed = np.random.RandomState(draw(st.integers(0, 2**31 - 1)))
    return inputs_of(seed, dtypes, rank, special, RUNS)


def inputs_of(
    seed: Any, dtypes: Sequence[str], rank: int, special: bool, runs: Sequence[Any]
) -> list[dict[str, Any]]:
    """Return the inputs of runs of these sizes; `RUNS` says which sizes a run has."""
    made = []
    for sizes, side, length, n, m in runs:
        square = _array(seed, "float64", (side, side), False)
        floats = dtypes[0] if np.dtype(dtypes[0]).itemsize > 2 else "float32"
        positive = square @ square.T + np.eye(side) * 3
        made.append(
            {
                "x": _array(seed, dtypes[0], sizes[:rank], special),
                "y": _array(seed, dtypes[1], sizes[:rank], special),
                "a": _array(seed, dtypes[0], (side, side), special),
                "s": positive.astype(floats if floats[0] == "f" else "float64"),
                "v": _array(seed, dtypes[1], (side,), special),
                "w": _array(seed, dtypes[0], (length,), special),
                "i": seed.randint(0, max(1, min(side, sizes[0])), max(1, sizes[0])),
                "b": seed.rand(sizes[0]) > 0.4,
                "n": n,
                "m": m,
            }
        )
    return made


@st.composite
def batches(draw: Any, rows: Sequence[Row]) -> Batch:
    """Draw a call of each row, for one model."""
    rank = draw(st.integers(0, 4))
    dtypes = draw(st.sampled_from(DTYPES)), draw(st.sampled_from(DTYPES))
    calls = tuple(_call(draw, row, rank) for row in rows if rank in row.ranks)
    special = draw(st.integers(0, 3)) == 0
    runs = tuple(_inputs(draw, dtypes, rank, special))
    return Batch(calls, runs, draw(st.sampled_from(("each", "shared", "static"))))


# How it is held


def _used(calls: Sequence[Call], run: dict[str, Any]) -> dict[str, Any]:
    """Return the inputs that calls use."""
    text = " ".join(call.code for call in calls)
    return {k: v for k, v in run.items() if re.search(rf"\b{k}\b", text)} or {"n": run["n"]}


def _model(calls: Sequence[Call], run: dict[str, Any]) -> Any:
    body = "\n".join(call.program for call in calls)
    return model_of(f"out = []\n{body}\nreturn tuple(out)", list(run))


def _compiled(batch: Batch, calls: Sequence[Call], compiler: Callable[..., Any]) -> Any:
    run = _used(calls, batch.runs[0])
    shared = {"x": "xy", "y": "xy", "a": "a", "s": "a", "v": "a"}
    axes = {}
    for name, value in run.items():
        if batch.axes != "static" and isinstance(value, np.ndarray) and value.ndim:
            stem = shared.get(name, name) if batch.axes == "shared" else name
            axes[name] = {k: stem if stem == "a" else f"{stem}{k}" for k in range(value.ndim)}
    return compiler(_model(calls, run), tuple(copies(run)), dynamic_axes=axes or None, verify=False)


def _runs(batch: Batch, calls: Sequence[Call]) -> list[dict[str, Any]]:
    runs = [_used(calls, run) for run in batch.runs]
    if batch.axes != "static":
        return runs
    fixed = [np.shape(v) for v in runs[0].values()]
    return [runs[0], *({**runs[0], "n": k, "m": k + 1} for k in (0, 2) if "n" in runs[0])] + [
        run for run in runs[1:] if [np.shape(v) for v in run.values()] == fixed
    ]


def _differs(batch: Batch, calls: Sequence[Call], made: Any) -> str | None:
    """Return how a model differs from numpy on the runs."""
    for run in _runs(batch, calls):
        run = {k: v for k, v in run.items() if k in _used(calls, batch.runs[0])}
        expected = eager(_model(calls, run), run)
        try:
            actual = made(*copies(run))
        except ModelRuntimeError as error:
            if isinstance(expected, Exception) or any(t in str(error) for t in UNSETTLED):
                continue
            empty = not any(map(np.size, flat(expected)))
            if all(call.lax == "always" or (call.lax == "empty" and empty) for call in calls):
                continue
            return f"the model fails, {str(error).splitlines()[0]}; numpy gives {expected!r}; {run}"
        if isinstance(expected, Exception):
            return f"numpy raises {expected!r}, the model gives {actual!r}; {run}"
        try:
            same(expected, actual, run)
        except AssertionError as error:
            return str(error)
    return None


def _hold_alone(batch: Batch, call: Call, compiler: Callable[..., Any], tally: Tally) -> None:
    try:
        made = _compiled(batch, [call], compiler)
    except ElichikaError as error:
        run = _used([call], batch.runs[0])
        raised = isinstance(eager(_model([call], run), run), Exception)
        if raised:
            tally.held[call.name] += 1
        elif re.match(r"\w*(Error|Exception): ", error.message):
            tally.differs(call.code, f"{batch.axes}: raises, numpy does not: {error.message}")
        else:
            tally.refused[call.name, f"{call.code}: {error.message}"] += 1
        return
    except Exception as error:
        tally.differs(call.code, f"{batch.axes}: {type(error).__name__} while compiling: {error}")
        return
    found = _differs(batch, [call], made)
    if found is None:
        tally.held[call.name] += 1
    else:
        tally.differs(call.code, f"{batch.axes}: {found}")


def hold(batch: Batch, tally: Tally, compiler: Callable[..., Any] = compile_model) -> None:
    """Hold the calls of a batch: those that never raise in one model, the others alone."""
    together, alone = [], []
    for call in batch.calls:
        runs = [_used([call], run) for run in batch.runs]
        raises = [isinstance(eager(_model([call], run), run), Exception) for run in runs]
        (alone if any(raises) or call.lax else together).append(call)
    if together:
        try:
            made = _compiled(batch, together, compiler)
            fine = _differs(batch, together, made) is None
        except Exception:
            fine = False
        if fine:
            tally.held.update(call.name for call in together)
        else:
            alone += together
    for call in alone:
        _hold_alone(batch, call, compiler, tally)


def soak(count: int, seed: int, rows: Sequence[Row] = ROWS, tally: Tally | None = None) -> Tally:
    """Hold about `count` calls, of each row as many."""
    tally = tally or Tally()
    mixed = list(rows)
    random.Random(seed).shuffle(mixed)
    for start in range(0, len(mixed), TOGETHER):
        _soak_some(mixed[start : start + TOGETHER], -(-count // len(mixed)), seed, tally)
    return tally


def _soak_some(rows: Sequence[Row], times: int, seed: int, tally: Tally) -> None:
    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=times,
        database=None,
        deadline=None,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(batches(rows))
    def run(batch: Batch) -> None:
        hold(batch, tally)

    run()


def main() -> None:
    """Run as a program; the exit code tells whether all was held."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    rows = [row for row in ROWS if not sys.argv[3:] or row.name in sys.argv[3:]]
    start = time.time()
    tally = soak(count, seed, rows, Told())
    for (_, text), times in sorted(tally.refused.items()):
        print(f"refused {times}x: {text!r}")
    print(
        f"{sum(tally.held.values())} calls of {len(tally.held)} functions held, "
        f"{sum(tally.refused.values())} refused, {len(tally.wrong)} wrong, "
        f"{time.time() - start:.0f} s"
    )
    sys.exit(bool(tally.wrong))


if __name__ == "__main__":
    main()
