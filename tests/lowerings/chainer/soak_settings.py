"""Calls of the operator table with a constant as an input: what Chainer refuses, a model must too.

    python -m tests.lowerings.chainer.soak_settings [START [COUNT]]

`F.pad(x, ((0, 1), (2, 5)), "reflect")` becomes four calls, with a number of the run in the place of
each constant. A call that compiles is run with other numbers: 0, 1, -1, larger ones, nan. The model
may fail where Chainer does not, which is counted; another answer is wrong.
"""

from __future__ import annotations

import ast
import copy
import sys
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import chainer
import numpy as np

import elichika
from tests.lowerings.chainer.cases import Case, as_variables
from tests.lowerings.chainer.table import ROWS
from tests.lowerings.chainer.whole import make_chain
from tests.programs import REFUSED, difference, unsigned
from tests.walker.judge import TooLong, deadline

__all__ = ["Setting", "judged", "settings"]

NAME = "setting"
SECONDS = 40
LOOSE = {"float64": 1e-5, "float32": 1e-3, "float16": 2e-2}
#: What a number that is no permutation selects, numpy leaves open; far from 0, errors grow.
LEFT_OPEN = ("inv=True", f"F.expm1(x * {NAME})", "spatial_transformer_sampler")
#: A pyramid of 50 levels takes all memory there is.
ENDLESS = f"F.spatial_pyramid_pooling_2d(x, {NAME}"


@dataclass(frozen=True)
class Setting:
    """A call with one constant as an input, and the constant."""

    call: str
    constant: Any
    case: Case


def settings() -> Iterator[Setting]:
    """Yield all of the table, each once."""
    seen: set[str] = set()
    for case in (case for row in ROWS for case in row.cases):
        for expression in () if case.refused or case.draws else case.expressions:
            for constant, call in _opened(expression):
                if call not in seen and not any(part in call for part in (*LEFT_OPEN, ENDLESS)):
                    seen.add(call)
                    yield Setting(call, constant, case)


def _opened(expression: str) -> Iterator[tuple[Any, str]]:
    tree = ast.parse(expression, mode="eval")
    for index, node in enumerate(_constants(tree)):
        made = copy.deepcopy(tree)
        place = _constants(made)[index]
        name = ast.Name(NAME, ast.Load())
        for parent in ast.walk(made):
            for field, held in ast.iter_fields(parent):
                if held is place:
                    setattr(parent, field, name)
                elif isinstance(held, list):
                    setattr(parent, field, [name if one is place else one for one in held])
        yield node.value, ast.unparse(made)


def _constants(tree: ast.AST) -> list[ast.Constant]:
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    return [node for node in nodes if type(node.value) in (int, float)]


def _numbers(constant: Any) -> list[Any]:
    if type(constant) is int:
        numbers = [constant, constant + 1, constant - 1, 0, 1, 2, 3, -1, -2, 2 * constant, 50]
    else:
        numbers = [constant, 2 * constant, -constant, 0.0, 1.0, -1.0, 0.5, 3.0, np.nan, np.inf]
    return list({repr(number): number for number in numbers}.values())


def judged(setting: Setting) -> tuple[str, str]:
    """Compile and run a setting; return what it came to, and where it is wrong."""
    case = setting.case
    inputs, attributes = case.converted(case.dtypes[0])
    chain = make_chain((setting.call,), (*inputs, NAME), attributes)
    given = {name: as_variables(value) for name, value in inputs.items()}
    axes = None if case.axes is None else {name: _named(name, v) for name, v in given.items()}
    axes = axes and {name: named for name, named in axes.items() if named}
    try:
        with deadline(SECONDS):
            model = elichika.compile_model(
                copy.deepcopy(chain),
                (*copy.deepcopy(list(given.values())), setting.constant),
                dynamic_axes=axes,
                train=case.train,
                verify=False,
            )
    except REFUSED:
        return "refused", ""
    except (elichika.ElichikaError, TooLong) as error:
        return "not compiled", str(error)
    fails = False
    for number in _numbers(setting.constant):
        expected = _outcome(copy.deepcopy(chain).forward, given, number, case.train)
        found = _outcome(model, given, number, case.train)
        if isinstance(expected, Exception) or not isinstance(found, elichika.ElichikaError):
            problem = _difference(expected, found)
            if problem:
                return "wrong", f"{NAME} = {number!r}: {problem}"
        else:
            fails = True
    return ("fails more often" if fails else "same"), ""


def _named(name: str, value: Any) -> dict[int, str]:
    return {axis: f"{name}{axis}" for axis in range(getattr(value, "ndim", 0))}


def _difference(expected: Any, found: Any) -> str | None:
    try:
        if isinstance(expected, Exception):
            return difference(expected, found)
        return difference(unsigned(expected), unsigned(found), LOOSE)
    except (TypeError, ValueError) as error:  # another structure
        return str(error)


def _outcome(function: Any, given: Mapping[str, Any], number: Any, train: bool) -> Any:
    with (
        chainer.using_config("train", train),
        np.errstate(all="ignore"),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        try:
            return function(*copy.deepcopy(list(given.values())), number)
        except Exception as error:
            return error


def main(start: int = 0, count: int = sys.maxsize) -> int:
    """Judge some settings; print what is wrong, and how many came to what."""
    counts: Counter[str] = Counter()
    for number, setting in enumerate(settings()):
        if start <= number < start + count:
            kind, text = judged(setting)
            counts[kind] += 1
            if kind == "wrong":
                print(f"{number}: {setting.call}: {text}", flush=True)
    print(", ".join(f"{times} {kind}" for kind, times in counts.most_common()))
    return int(bool(counts["wrong"]))


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
