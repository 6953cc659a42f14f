"""Programs of all tables, with the inputs that they are run on."""

from __future__ import annotations

import copy
import linecache
import math
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import chainer
import chainer.functions as F
import hypothesis
import numpy as np
from hypothesis import strategies as st

import elichika
from tests.language import harness as language
from tests.language.tables import COMPILED
from tests.lowerings.chainer.cases import Case
from tests.lowerings.chainer.table import ROWS as CHAINER_ROWS
from tests.lowerings.chainer.whole import make_chain
from tests.lowerings.numpy import soak_names, test_functions
from tests.lowerings.numpy.harness import model_of
from tests.lowerings.numpy.names import ROWS
from tests.programs import TOLERANCE
from tests.special import inputs

LOOSE = {"float64": 1e-6, "float32": 1e-3, "float16": 3e-2}
#: Where the sign of a zero that comes out is open: which of equal numbers is the largest or comes
#: first differs between processors, and the sum of negative zeros is one in onnxruntime alone.
OPEN_SIGNS = re.compile(
    r"max|min|clip|ptp|sort|partition|median|percentile|quantile|unique|union|intersect|setdiff"
    r"|sum|mean|average|add\.reduce|trace|dot|matmul|@|inner|einsum|norm|convolve|correlate|cov"
    r"|relu|polyval|trapz|interp|linalg|std|var|gradient|apply_over_axes"
)


#: Functions of Chainer that sum nothing.
KEPT_SIGNS = re.compile(
    r"F\.(ceil|floor|fix|sign|sqrt|absolute|sin|tan|arc\w+|sinh|tanh|expm1|log1p|where|fmod|copy"
    r"|reshape|transpose|concat|get_item|expand_dims|flip|swapaxes)\("
    r"|F\.pad\((?!.*'(maximum|minimum|mean|median)')"
)
#: What makes ints of floats, which C leaves open where there is no such int.
INTEGRAL = re.compile(r"int\d|bool|astype|F\.cast|histogram|bincount|digitize|'i'")

#: Calls that are known to differ on nan or infinities: `docs/verification.md` has them.
KNOWN = re.compile(
    r"pooling|upsampling|n_step|self\.l\d*\(|roi_|deformable|fft|local_response|inv\(|resize|sampler"
    r"|whitening|decorrelated|polygamma|connectionist|batch_det|cholesky"
)


def program_from(code: str, parameters: str) -> Callable[..., Any]:
    """Return a `forward` of an expression, or of statements that return, over parameters."""
    body = code if re.search(r"\breturn\b", code) else f"return ({code})"
    text = f"def forward(self, {parameters}):\n" + "".join(f"    {t}\n" for t in body.split("\n"))
    file = f"<program {zlib.crc32(text.encode()):x}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    names: dict[str, Any] = {"F": F, "np": np, "math": math, "chainer": chainer}
    exec(compile(text, file, "exec"), names)
    made: Callable[..., Any] = names["forward"]
    return made


def chain_from(code: str, parameters: str) -> chainer.Chain:
    """Return a chain with such a `forward`."""
    return type("Chain", (chainer.Chain,), {"forward": program_from(code, parameters)})()


@dataclass
class Trial:
    """A program, its example, and the other inputs that it is run on.

    Attributes:
        name: How it is shown.
        chain: Makes the chain; its `forward` takes `arguments`.
        given: The example.
        others: Returns the inputs of its runs, the example's own sizes first.
        variables: Whether float arrays are given as Variables.
        lax: As `tests.lowerings.numpy.names.Row` has it, or `sizes` where the model may fail on
            arrays that are empty: onnxruntime pools and convolves no images without pixels.
    """

    name: str
    chain: Callable[[], chainer.Chain]
    given: dict[str, Any]
    others: Callable[[dict[str, Any], bool], list[dict[str, Any]]] = inputs.tried
    variables: bool = False
    lax: str = ""
    tolerance: Mapping[str, float] = field(default_factory=lambda: TOLERANCE)
    axes: Any = None
    resize: bool = True

    @property
    def signs(self) -> bool:
        """Whether the signs of zeros count."""
        if self.lax == "sizes":
            return KEPT_SIGNS.search(self.name) is not None
        return OPEN_SIGNS.search(self.name) is None

    @property
    def finite(self) -> bool:
        """Whether it is tried on finite numbers alone: see `INTEGRAL` and `KNOWN`."""
        return bool(INTEGRAL.search(self.name) or KNOWN.search(self.name))

    def arguments(self, given: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return fresh arguments of one call."""
        return tuple(self._argument(v) for v in given.values())

    def _argument(self, value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return type(value)(map(self._argument, value))
        if not isinstance(value, np.ndarray):
            return value
        if self.variables and value.dtype.kind == "f":
            return chainer.Variable(value.copy())
        return value.copy()

    def compiled(self) -> Any:
        """Compile with every axis dynamic, or the first ones, or none; None where it is refused."""
        arrays = {n: v for n, v in self.given.items() if isinstance(v, np.ndarray) and v.ndim}
        every = {n: {k: f"{n}{k}" for k in range(v.ndim)} for n, v in arrays.items()}
        first = {n: {0: f"{n}0"} for n in arrays}
        choices = [self.axes] if self.axes else [every, first]
        for axes in [*choices, None]:
            self.resize = axes is not None
            try:
                return elichika.compile_model(
                    self.chain(),
                    self.arguments(self.given),
                    dynamic_axes=copy.deepcopy(axes),
                    verify=False,
                )
            except elichika.ElichikaError as error:
                if "internal error" in str(error):
                    raise
        return None

    def runs(self) -> list[dict[str, Any]]:
        """Return the inputs of all runs."""
        return self.others(self.given, self.resize)


def of_chainer() -> Iterator[Trial]:
    """Yield the calls of the table of Chainer's names, one by one."""
    for row in CHAINER_ROWS:
        for case in row.cases:
            if not (case.refused or case.train or case.draws):
                yield from _of_calls(case)


def _of_calls(case: Case) -> Iterator[Trial]:
    given, attributes = case.converted(case.dtypes[0])
    for call in case.expressions:
        make = lambda call=call: make_chain(  # noqa: E731
            [call], tuple(given), copy.deepcopy(attributes)
        )
        yield Trial(call, make, given, variables=True, tolerance=LOOSE, lax="sizes")


def of_numpy() -> Iterator[Trial]:
    """Yield the cases of `tests.lowerings.numpy`."""
    for case in test_functions.every():
        if not case.fails:
            make = lambda case=case: model_of(case.code, list(case.inputs))  # noqa: E731
            lax = "" if case.strict else "empty"
            yield Trial(case.code, make, dict(case.inputs), lax=lax)


#: Sizes of the four axes, of the matrices and `v`, of `w`, `n` and `m`; the first is the example.
RUNS = (
    ((3, 2, 2, 3), 3, 2, 1, 2),
    *(
        ((*(s if k != axis else size for k, s in enumerate((3, 2, 2, 3))),), 3, 2, 1, 2)
        for axis in range(4)
        for size in (0, 1)
    ),
    ((3, 2, 2, 3), 0, 2, 0, 0),
    ((3, 2, 2, 3), 1, 2, -1, 1),
    ((3, 2, 2, 3), 3, 0, 0, 1),
    ((3, 2, 2, 3), 3, 1, 1, 0),
    ((0, 0, 0, 0), 0, 0, 0, 0),
    ((1, 1, 1, 1), 1, 1, 1, 1),
)


def of_names() -> Iterator[Trial]:
    """Yield a call of each template of `tests.lowerings.numpy.names` for three ranks."""
    for row in ROWS:
        for text in row.calls:
            yield from _of_template(row, text)


def _of_template(row: Any, text: str) -> Iterator[Trial]:
    found: list[Trial] = []
    one = soak_names.Row(row.name, (text,), row.ranks, row.kinds, row.lax)

    @hypothesis.seed(len(text))
    @hypothesis.settings(
        max_examples=2,
        database=None,
        deadline=None,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(st.data())
    def collect(data: Any) -> None:
        for rank in sorted({1, 2, 3} & set(row.ranks)):
            call = soak_names._call(data.draw, one, rank)
            found.append(_of_call(call, rank, len(found), row.lax))

    collect()
    yield from {trial.name: trial for trial in found}.values()


def _of_call(call: soak_names.Call, rank: int, number: int, lax: str) -> Trial:
    dtypes = (
        ("float32", "float32"),
        ("float64", "int64"),
        ("float32", "float64"),
        ("float16", "float32"),
    )
    given = _named(call, dtypes[number % 4], rank, RUNS[:1])[0]
    axes = {n: {k: f"{n}{k}" for k in range(v.ndim)} for n, v in given.items() if np.ndim(v)}
    for n in set("as") & set(axes):
        axes[n] = {0: n, 1: n}

    def runs(example: dict[str, Any], resize: bool) -> list[dict[str, Any]]:
        made = _named(call, dtypes[number % 4], rank, RUNS if resize else RUNS[:1])
        for one in (made[0], made[-1]):
            changed = list(inputs.values(one))
            made += [{k: v if k == "s" else w[k] for k, v in one.items()} for w in changed]
        return inputs.distinct(made)

    make = lambda: model_of(call.code, list(given))  # noqa: E731
    return Trial(call.code, make, given, others=runs, lax=lax, axes=axes)


def _named(call: soak_names.Call, dtypes: Any, rank: int, runs: Any) -> list[dict[str, Any]]:
    """Return the inputs that a call uses."""
    made = soak_names.inputs_of(np.random.RandomState(rank), dtypes, rank, False, runs)
    return [soak_names._used([call], one) for one in made]


NUMBERS = (0.0, -0.0, float("nan"), float("inf"), float("-inf"), -0.5, 1.0)


def of_python() -> Iterator[Trial]:
    """Yield the programs of the table of the language, on special numbers."""
    names = ("x", "n", "c", "f", "l")
    given = dict(zip(names, language.INPUTS[0], strict=True))
    for _, code in COMPILED:
        make = lambda code=code: language.model_of(code)  # noqa: E731
        yield Trial(code, make, given, others=_python_runs, axes={"x": {0: "N"}})


def _python_runs(example: dict[str, Any], resize: bool) -> list[dict[str, Any]]:
    made = []
    for k, f in enumerate(NUMBERS):
        rows = np.resize(np.array([*NUMBERS[k:], *NUMBERS[:k]], np.float32), (k % 4, 2))
        listed = [NUMBERS[(k + j) % len(NUMBERS)] for j in range(k % 4)]
        made.append({"x": rows, "n": k % 3, "c": k % 2 == 0, "f": f, "l": listed})
    return made


SOURCES: dict[str, Callable[[], Iterator[Trial]]] = {
    "names": of_names,
    "numpy": of_numpy,
    "python": of_python,
    "chainer": of_chainer,
}
