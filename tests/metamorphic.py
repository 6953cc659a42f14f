"""Programs of the tests with their constants turned into inputs: what was known is known no longer.

`python -m tests.metamorphic` rewrites each program of the tables of `PACKAGES` and of that of the
language: with all its constants as arguments of `forward`, and with each of them alone.
A rewritten program is compiled once, and compared with Python on the inputs of its table, with the
constants as they stood and with others. That it is refused is counted, an other answer is wrong.

    def forward(self, x, n):                 def forward(self, x, n, given_0, given_1):
        y = np.arange(3) + n          ->         y = given_0 + n
        y[0] = 7                                 y[0] = given_1
        return y                                 return y

Left as they stand: sizes, axes, keys, items of a subscript and keyword arguments, which have to be
known; what a default or an annotation says; texts and None.
"""

from __future__ import annotations

import argparse
import ast
import copy
import importlib
import inspect
import pkgutil
import re
import sys
import textwrap
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import elichika
from tests.language import harness as language
from tests.language import tables
from tests.programs import Program, chain_of, difference, outcome
from tests.sources import module_of
from tests.walker.judge import TooLong, deadline
from tests.workers import Died, results

#: Where the programs are.
PACKAGES = (
    "tests.walker",
    "tests.walker.containers",
    "tests.walker.objects",
    "tests.iterators",
    "tests.state",
    "tests.lowerings.chainer",  # of Chainer, on lists of dynamic length
)
__all__ = [
    "Rewritten",
    "candidates",
    "forward_of",
    "function_of",
    "judged",
    "programs",
    "rewritten",
]

#: Arrays that calls of these with nothing but constants make.
ARRAYS = ("arange", "array", "asarray", "eye", "full", "linspace", "ones", "zeros")
#: Calls whose arguments are values; of all others they may be sizes, axes or settings.
VALUES = ("append", "float", "insert", "int", "max", "maximum", "min", "minimum", "abs", "where")
#: What a model says where it fails and Python does not: limits that nobody can tell beforehand
#: (docs/refusals.md has a table of them).
DECLARED = (
    "an int to a negative power is a float",
    "a generator was not ended by `close()`",
    "whether a nan is among items asks for its identity",
)
SECONDS = 120.0
#: How long Python may take for one program, and how long a compilation may.
EAGER_SECONDS = 3
BEYOND = "OverflowError: an int exceeds 64 bits"
COMPILE_SECONDS = 60.0
#: What reads memory that nobody wrote once its places are other ones.
UNDEFINED = ("empty",)
Place = tuple[int, int]


@dataclass(frozen=True)
class Source:
    """A program as text: the function, and what it finds around it."""

    name: str
    text: str
    program: Program
    space: dict[str, Any]


@dataclass(frozen=True)
class Rewritten:
    """A program with some constants as inputs, and its text."""

    name: str
    text: str
    program: Program


# -- what there is to rewrite ---------------------------------------------------------------------


def programs() -> list[Source]:
    """Return all programs of the tables, in a fixed order."""
    found = [_of_function(name, program) for name, program in _collected()]
    codes = enumerate(code for _, code in tables.COMPILED)
    return [source for source in found if source] + [_of_code(i, code) for i, code in codes]


def _collected() -> Iterator[tuple[str, Program]]:
    """Yield the programs that the test modules hold, each once."""
    seen: set[Any] = set()
    for package in map(importlib.import_module, PACKAGES):
        for info in pkgutil.iter_modules(package.__path__):
            if not info.name.startswith("test_"):
                continue
            module = importlib.import_module(f"{package.__name__}.{info.name}")
            for held in vars(module).values():
                held = getattr(held, "programs", held)
                for program in held if isinstance(held, list) else ():
                    if isinstance(program, Program) and program.forward not in seen:
                        seen.add(program.forward)
                        theme = program.forward.__module__.rpartition(".")[2]
                        yield f"{theme}:{program.name}", program


def _of_function(name: str, program: Program) -> Source | None:
    """The text of a program that is a function of a module without defaults."""
    function = program.forward
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, SyntaxError):
        return None
    definition = tree.body[0]
    if not isinstance(definition, ast.FunctionDef) or function.__closure__:
        return None
    arguments = definition.args
    if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.defaults:
        return None
    definition.decorator_list = []
    definition.name = "forward"
    return Source(name, ast.unparse(definition), program, function.__globals__)


def _of_code(index: int, code: str) -> Source:
    """A program of the language table, which one model holds three times."""
    text, program = language.text_of(code), language.program_of(code)
    return Source(f"language:{index}", text, program, language.NAMES)


# -- rewriting ------------------------------------------------------------------------------------


class _Finder(ast.NodeVisitor):
    """Collects the constants of a function that may be inputs; which of them are plain values."""

    def __init__(self) -> None:
        self.found: list[tuple[ast.expr, bool]] = []
        self.plain = True

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, (bool, int, float)):
            self.found.append((node, self.plain and not isinstance(node.value, bool)))

    def visit_Call(self, node: ast.Call) -> None:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        name = node.func.id if isinstance(node.func, ast.Name) else name
        if _is_array(node, name):
            self.found.append((node, True))
            return
        self.visit(node.func)
        before, self.plain = self.plain, self.plain and name in VALUES
        for argument in node.args:
            if not isinstance(argument, ast.Tuple):
                self.visit(argument)
        self.plain = before

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self.visit(node.value)
        before, self.plain = self.plain, False
        self.visit(node.slice)
        self.plain = before

    def visit_arguments(self, node: ast.arguments) -> None:
        """Defaults are of the time when the function is made."""

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
            self.found.append((node, self.plain))
        else:
            self.generic_visit(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Texts are known."""

    def visit_Match(self, node: ast.Match) -> None:
        """Patterns are no expressions."""
        for case in node.cases:
            for statement in case.body:
                self.visit(statement)


def _is_array(node: ast.Call, name: str) -> bool:
    """Tell whether a call makes an array of constants alone."""
    if name not in ARRAYS or not isinstance(node.func, ast.Attribute):
        return False
    if not isinstance(node.func.value, ast.Name) or node.func.value.id != "np":
        return False
    parts = [*node.args, *(keyword.value for keyword in node.keywords)]
    names = {n.id for p in parts for n in ast.walk(p) if isinstance(n, ast.Name)}
    return names <= {"np"} and not any(isinstance(n, ast.Call) for p in parts for n in ast.walk(p))


def candidates(text: str) -> list[tuple[Place, bool]]:
    """Return where a function has constants that may be inputs, and which are plain values."""
    finder = _Finder()
    for statement in function_of(ast.parse(text)).body:
        finder.visit(statement)
    return [((node.lineno, node.col_offset), plain) for node, plain in finder.found]


def function_of(tree: ast.Module) -> ast.FunctionDef:
    """Return the function that a module of one begins with."""
    definition = tree.body[0]
    assert isinstance(definition, ast.FunctionDef)
    return definition


class _Lift(ast.NodeTransformer):
    """Puts names where constants stood."""

    def __init__(self, places: dict[Place, str]) -> None:
        self.places = places
        self.constants: dict[str, ast.expr] = {}

    def visit(self, node: ast.AST) -> Any:
        name = self.places.get((getattr(node, "lineno", -1), getattr(node, "col_offset", -1)))
        kind = isinstance(node, ast.Constant | ast.Call | ast.UnaryOp)
        if not name or not kind or name in self.constants:
            return self.generic_visit(node)
        self.constants[name] = node
        return ast.copy_location(ast.Name(name, ast.Load()), node)


def rewritten(source: Source, places: Sequence[Place]) -> Rewritten:
    """Return a program with the constants at some places as further inputs."""
    tree = ast.parse(source.text)
    names = [f"given_{index}" for index in range(len(places))]
    lift = _Lift(dict(zip(places, names, strict=True)))
    definition = function_of(tree)
    definition.body = [lift.visit(statement) for statement in definition.body]
    text = ast.unparse(ast.fix_missing_locations(tree))
    added = "".join(f", {name}" for name in names)
    text = re.sub(r"^(def (?:program|forward)\(.*)\):$", rf"\1{added}):", text, flags=re.M)
    text = re.sub(r"( = program\(self, .*, l)\)$", rf"\1{added})", text, flags=re.M)
    space = dict(source.space)
    values = [eval(ast.unparse(lift.constants[name]), space) for name in names]
    forward = forward_of(text, space, source.name)
    given = [(*inputs, *values) for inputs in source.program.inputs]
    given += [(*inputs, *map(_other, values)) for inputs in source.program.inputs[:4]]
    return Rewritten(source.name, text, replace(source.program, forward=forward, inputs=given))


def _other(value: Any) -> Any:
    """Return another value of the kind."""
    if isinstance(value, np.ndarray):
        return value[::-1].copy() if value.ndim else value
    return (not value) if isinstance(value, bool) else value + 1


def forward_of(text: str, names: dict[str, Any], name: str) -> Callable[..., Any]:
    """Return the `forward` of a module, given as text, that finds some names around it."""
    space = module_of(text, f"<rewritten {name} {abs(hash(text)):x}>", names)
    forward: Callable[..., Any] = space["forward"]
    return forward


# -- judging --------------------------------------------------------------------------------------


def judged(given: Rewritten) -> tuple[str, str]:
    """Return what became of a program, and why: parity, refused, WRONG, crashed, unusable."""
    program = given.program
    try:
        with deadline(EAGER_SECONDS), warnings.catch_warnings():
            warnings.simplefilter("error", DeprecationWarning)  # the truth of an empty array
            expected = [outcome(chain_of(program).forward, i) for i in program.inputs]
            last = [outcome(chain_of(program).forward, i) for i in program.inputs[::-1]]
    except TooLong:
        return "unusable", "takes too long"
    try:
        if any(_differ(a, b) for a, b in zip(expected, last[::-1], strict=True)):
            return "unusable", "a call leaves something behind"
    except (RecursionError, ValueError) as error:
        return "unusable", f"results cannot be compared: {error}"
    if isinstance(expected[0], Exception):
        return "unusable", repr(expected[0])
    try:
        example = copy.deepcopy(program.inputs[0])
        chain = chain_of(program)
        model = elichika.compile_model(
            chain, example, dynamic_axes=program.axes, verify=False, max_seconds=COMPILE_SECONDS
        )
    except elichika.ElichikaError as error:
        verdict = "crashed" if "internal error" in str(error) else "refused"
        return verdict, error.message if verdict == "refused" else str(error)
    except Exception as error:
        return "crashed", f"{type(error).__name__}: {error}"
    for inputs, wanted in zip(program.inputs, expected, strict=True):
        found = outcome(model, inputs)
        if BEYOND in str(found) and type(found) is elichika.ModelRuntimeError:
            continue  # an int in between, where Python's grow; the model says so
        problem = _problem(wanted, found)
        if problem:
            return "WRONG", f"{inputs!r}: {problem}"
    return "parity", ""


def _problem(wanted: Any, found: Any) -> str | None:
    """Say how the model differs, but where it says of itself that it fails."""
    if isinstance(found, elichika.ElichikaError) and any(text in str(found) for text in DECLARED):
        return None
    return difference(wanted, found)


def _differ(one: Any, other: Any) -> bool:
    """Tell whether two runs of Python gave something else."""
    if isinstance(one, Exception) or isinstance(other, Exception):
        return type(one) is not type(other)
    return bool(_problem(one, other))


def variants(source: Source) -> list[list[Place]]:
    """Return the sets of constants that become inputs: all plain values, and each alone."""
    found = [] if any(word in source.text for word in UNDEFINED) else candidates(source.text)
    plain = [place for place, is_plain in found if is_plain]
    alone = [[place] for place, _ in found]
    return [*([plain] if len(plain) > 1 else []), *alone]


_SOURCES: list[Source] = []


def outcomes_of(index: int) -> list[tuple[str, str, str]]:
    """Return verdict, reason and text of each variant of a program."""
    warnings.simplefilter("ignore")
    if not _SOURCES:
        _SOURCES.extend(programs())
    source, answers = _SOURCES[index], []
    for places in variants(source):
        given = rewritten(source, places)
        answers.append((*judged(given), given.text))
    return answers


def main(arguments: list[str]) -> int:
    """Judge the rewritten programs; print counts, why some were refused, and what is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--first", type=int, default=0, help="the first program")
    parser.add_argument("--count", type=int, default=10**6, help="how many programs")
    given = parser.parse_args(arguments)
    sources = programs()
    chosen = range(len(sources))[given.first : given.first + given.count]
    began, verdicts, reasons = time.monotonic(), Counter[str](), Counter[str]()
    done = results(outcomes_of, [(index,) for index in chosen], given.jobs, 3 * SECONDS)
    for (index,), answers in done:
        if isinstance(answers, Died):
            answers = [("crashed", f"the process: {answers}", sources[index].text)]
        for verdict, why, text in answers:
            verdicts[verdict] += 1
            if verdict == "refused":
                reasons[re.sub(r"`[^`]*`|\d+|'[^']*'", "_", why)] += 1
            if verdict in ("WRONG", "crashed"):
                name = f"{sources[index].name} (program {index})"
                print(f"\n--- {name}, {verdict}: {why}\n\n{text}", flush=True)
        if (index + 1) % 100 == 0:
            print(f"{index + 1}: {time.monotonic() - began:.0f} s", flush=True)
    names = ["parity", "refused", "unusable", "WRONG", "crashed"]
    listed = ", ".join(f"{verdicts[name]} {name}" for name in names)
    print(f"\n{len(chosen)} programs, {verdicts.total()} rewritten: {listed}")
    print(f"{time.monotonic() - began:.0f} s")
    for text, number in reasons.most_common(20):
        print(f"  {number}  {text}")
    return int(any(verdicts[verdict] for verdict in ("WRONG", "crashed")))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
