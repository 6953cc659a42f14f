"""Programs of the tests with some of their statements and expressions changed at random.

`python -m tests.mutations N` draws N programs of the tables (those of `tests.metamorphic`), changes
one to four places of each, and judges what comes out as `tests.metamorphic` does: it is compiled
once, and compared with Python on the inputs of its table.  That it is refused is counted, an other
answer is wrong.  A change is one of `CHANGES`: a statement gets a branch, a loop or a `try` around
it, is repeated, left out or moved, a loop ends early, a name comes to stand for another value, an
expression is one of two, made in a function or taken out of a list.

    total = 0                        total = 0
    for v in x:              ->      for v in x:
        total += v                       total = n if len(x) > 2 else total + v
    return total                     return total
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import copy
import io
import random
import re
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from tests.metamorphic import (
    SECONDS,
    UNDEFINED,
    Rewritten,
    Source,
    forward_of,
    function_of,
    judged,
    programs,
)
from tests.workers import Died, results

__all__ = ["CHANGES", "changed", "drawn"]

MOST = 4
"""How many places are changed at most."""
ATTEMPTS = 20


class Changed:
    """A function that is being changed.

    Attributes:
        tests: Conditions that depend on the inputs.
        counts: Numbers of iterations, most of which do.
    """

    def __init__(self, definition: ast.FunctionDef, example: dict[str, Any], draw: random.Random):
        self.definition = definition
        self.draw = draw
        self.tests, self.counts = ["True"], ["2"]
        for name, value in example.items():
            if isinstance(value, bool):
                self.tests += [name, f"not {name}"]
            elif isinstance(value, int):
                self.tests += [f"{name} > 1", f"{name} == 0", f"{name} % 2 == 0"]
                self.counts += [name, f"{name} - 1", f"{name} + 1"]
            elif isinstance(value, float):
                self.tests += [f"{name} > 0"]
            elif isinstance(value, list) or (isinstance(value, np.ndarray) and value.ndim):
                self.tests += [f"len({name}) > 2"]
                self.counts += [f"len({name})"]
                if isinstance(value, np.ndarray) and value.dtype.kind in "iufb":
                    self.tests += [f"{name}.sum() > 2"]
        self.names = sorted({*example, *(node.id for node in self.nodes(ast.Name, ast.Store))})

    def nodes(self, kind: Any, context: type = object) -> list[Any]:
        """Return the nodes of a kind: of names, those of a context."""
        found = (node for node in ast.walk(self.definition) if isinstance(node, kind))
        return [node for node in found if isinstance(getattr(node, "ctx", ast.Load()), context)]

    def test(self) -> ast.expr:
        """Return a condition."""
        return _parsed(self.draw.choice(self.tests[1:] or self.tests))

    def count(self) -> ast.expr:
        """Return a number of iterations."""
        return _parsed(self.draw.choice(self.counts[1:] or self.counts))

    def name(self) -> str:
        """Return a name of the function."""
        return self.draw.choice(self.names or ["self"])

    def place(self) -> tuple[list[ast.stmt], int]:
        """Return a block and a place in it."""
        fields = ("body", "orelse", "finalbody")
        blocks = [
            block
            for node in ast.walk(self.definition)
            for block in (getattr(node, field, None) for field in fields)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt)
        ]
        block = self.draw.choice(blocks)
        return block, self.draw.randrange(len(block))

    def expression(self) -> ast.expr | None:
        """Return an expression that is read."""
        found = self.nodes(ast.expr, ast.Load)
        return self.draw.choice(found) if found else None

    def replaced(self, old: ast.expr, new: ast.expr) -> bool:
        """Put an expression in the place of another one, which it may hold."""
        for node in ast.walk(self.definition):
            for field, value in ast.iter_fields(node):
                if value is old:
                    setattr(node, field, new)
                    return True
                if isinstance(value, list) and any(item is old for item in value):
                    setattr(node, field, [new if item is old else item for item in value])
                    return True
        return False


def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


# -- changes of statements ------------------------------------------------------------------------


def _branch(c: Changed) -> bool:
    block, i = c.place()
    if isinstance(block[i], (ast.Return, ast.FunctionDef)):
        return False
    block[i] = ast.If(c.test(), [block[i]], [])
    return True


def _either(c: Changed) -> bool:
    block, i = c.place()
    if i + 1 == len(block):
        return False
    block[i : i + 2] = [ast.If(c.test(), [block[i]], [block[i + 1]])]
    return True


def _loop(c: Changed) -> bool:
    block, i = c.place()
    if isinstance(block[i], (ast.Return, ast.FunctionDef, ast.Break, ast.Continue)):
        return False
    turns = ast.Call(_load("range"), [c.count()], [])
    block[i] = ast.For(ast.Name("_k", ast.Store()), turns, [block[i]], [])
    return True


def _try(c: Changed) -> bool:
    block, i = c.place()
    if isinstance(block[i], ast.FunctionDef):
        return False
    handler = ast.ExceptHandler(_load("Exception"), None, [ast.Pass()])
    block[i] = ast.Try([block[i]], [handler], [], [])
    return True


def _repeat(c: Changed) -> bool:
    block, i = c.place()
    block.insert(i, copy.deepcopy(block[i]))
    return True


def _drop(c: Changed) -> bool:
    block, i = c.place()
    if len(block) == 1:
        return False
    del block[i]
    return True


def _swap(c: Changed) -> bool:
    block, i = c.place()
    if i + 1 == len(block):
        return False
    block[i], block[i + 1] = block[i + 1], block[i]
    return True


def _jump(c: Changed) -> bool:
    loops = c.nodes((ast.For, ast.While))
    if not loops:
        return False
    body = c.draw.choice(loops).body
    jump = c.draw.choice((ast.Break, ast.Continue))()
    body.insert(c.draw.randrange(len(body) + 1), ast.If(c.test(), [jump], []))
    return True


def _alias(c: Changed) -> bool:
    block, i = c.place()
    rebound: ast.stmt = ast.Assign([ast.Name(c.name(), ast.Store())], _load(c.name()))
    block.insert(i, ast.If(c.test(), [rebound], []) if c.draw.random() < 0.6 else rebound)
    return True


# -- changes of expressions -----------------------------------------------------------------------


def _constant(c: Changed) -> bool:
    found = [node for node in c.nodes(ast.Constant) if type(node.value) in (int, bool, float)]
    if not found:
        return False
    new: ast.expr = _load(c.name())
    if c.draw.random() < 0.3:
        new = ast.Constant(c.draw.choice((0, 1, 2, -1, True, 2.0)))
    return c.replaced(c.draw.choice(found), new)


def _name(c: Changed) -> bool:
    found = [node for node in c.nodes(ast.Name, ast.Load) if node.id in c.names]
    return bool(found) and c.replaced(c.draw.choice(found), _load(c.name()))


def _by(made: Callable[[Changed, ast.expr], ast.expr]) -> Callable[[Changed], bool]:
    """Return the change of an expression into another one made with it."""

    def change(c: Changed) -> bool:
        old = c.expression()
        return old is not None and c.replaced(old, made(c, old))

    return change


def _other(c: Changed) -> ast.expr:
    return copy.deepcopy(c.expression() or ast.Constant(0))


def _choice(c: Changed, old: ast.expr) -> ast.expr:
    return ast.IfExp(c.test(), old, _other(c))


def _word(c: Changed, old: ast.expr) -> ast.expr:
    return ast.BoolOp(c.draw.choice((ast.And, ast.Or))(), [old, _other(c)])


def _called(c: Changed, old: ast.expr) -> ast.expr:
    nothing = ast.arguments([], [], None, [], [], None, [])
    return ast.Call(ast.Lambda(nothing, old), [], [])


def _item(c: Changed, old: ast.expr) -> ast.expr:
    index = ast.Call(_load("int"), [c.test()], [])
    return ast.Subscript(ast.List([old, _other(c)], ast.Load()), index, ast.Load())


def _last(c: Changed, old: ast.expr) -> ast.expr:
    turns = _parsed(f"range(1 + abs({ast.unparse(c.count())}))")
    loop = ast.comprehension(ast.Name("_q", ast.Store()), turns, [], 0)
    return ast.Subscript(ast.ListComp(old, [loop]), _parsed("-1"), ast.Load())


CHANGES: dict[str, Callable[[Changed], bool]] = {
    "branch": _branch,
    "either": _either,
    "loop": _loop,
    "try": _try,
    "repeat": _repeat,
    "drop": _drop,
    "swap": _swap,
    "jump": _jump,
    "alias": _alias,
    "constant": _constant,
    "name": _name,
    "choice": _by(_choice),
    "word": _by(_word),
    "called": _by(_called),
    "item": _by(_item),
    "last": _by(_last),
}


def changed(source: Source, draw: random.Random) -> Rewritten | None:
    """Return a program with one to `MOST` places changed; None where that gives no function."""
    tree = ast.parse(source.text)
    definition = function_of(tree)
    parameters = [argument.arg for argument in definition.args.args[1:]]
    example = dict(zip(parameters, source.program.inputs[0], strict=False))
    for _ in range(draw.randint(1, MOST)):
        change = Changed(definition, example, draw)
        any(CHANGES[draw.choice(list(CHANGES))](change) for _ in range(ATTEMPTS))
    try:
        text = ast.unparse(ast.fix_missing_locations(tree))
        forward = forward_of(text, dict(source.space), source.name)
    except Exception:  # a jump outside of a loop, a part of an f-string, a name in a default
        return None
    return Rewritten(source.name, text, replace(source.program, forward=forward))


_SOURCES: list[Source] = []


def drawn(seed: int) -> Rewritten | None:
    """Return the changed program of a seed."""
    if not _SOURCES:
        _SOURCES.extend(s for s in programs() if not any(word in s.text for word in UNDEFINED))
    draw = random.Random(seed)
    return changed(draw.choice(_SOURCES), draw)


def verdict_on(seed: int) -> tuple[str, str, str, str]:
    """Return the verdict on the program of a seed, the reason, its name and its text."""
    warnings.simplefilter("ignore")
    given = drawn(seed)
    if given is None:
        return "unusable", "", "", ""
    with contextlib.redirect_stdout(io.StringIO()):  # programs print
        return (*judged(given), given.name, given.text)


def main(arguments: list[str]) -> int:
    """Judge changed programs; print counts, why some were refused, and what is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("count", type=int, help="how many programs")
    parser.add_argument("--start", type=int, default=0, help="the first seed")
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args(arguments)
    began, verdicts, reasons = time.monotonic(), Counter[str](), Counter[str]()
    seeds = ((seed,) for seed in range(given.start, given.start + given.count))
    for (seed,), answer in _answers(seeds, given.jobs):
        verdict, why, name, text = answer
        verdicts[verdict] += 1
        if verdict == "refused":
            reasons[re.sub(r"`[^`]*`|\d+|'[^']*'", "_", why)] += 1
        if verdict in ("WRONG", "crashed"):
            print(f"\n--- seed {seed}, {name}, {verdict}: {why}\n\n{text}", flush=True)
    names = ["parity", "refused", "unusable", "WRONG", "crashed"]
    print(f"\n{given.count} programs: " + ", ".join(f"{verdicts[n]} {n}" for n in names))
    print(f"{time.monotonic() - began:.0f} s")
    for text, number in reasons.most_common(20):
        print(f"  {number}  {text}")
    return int(any(verdicts[verdict] for verdict in ("WRONG", "crashed")))


def _answers(seeds: Iterator[tuple[int]], jobs: int) -> Iterator[tuple[Any, Any]]:
    for task, answer in results(verdict_on, seeds, jobs, SECONDS):
        if isinstance(answer, Died):
            given = drawn(*task)
            assert given is not None
            answer = ("crashed", f"the process: {answer}", given.name, given.text)
        yield task, answer


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
