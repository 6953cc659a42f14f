"""Random recursive programs to be compiled: numbers, arrays, pairs and lists as results.

One to three functions call themselves and each other, `n` less in every call.  `out` is a list and
`seen` an array that all share; `xs` is an array that is another one in each call.  Calls stand in
`try` in programs of seeds from `TRIES` on.  From `FORMS` on the functions are methods of objects
that hold each other, or functions inside `forward` that share a list which no call gives; calls
stand in comprehensions that go through their results, and in conditional expressions.
"""

from __future__ import annotations

import random
import textwrap

__all__ = ["program"]

TRIES, FORMS = 800_000, 10_000_000
HEAD = """\
import numpy as np


"""
NAMED = """\
a = 3


"""
FORWARD = """\
def forward(self, x, n, k):
    out, seen = [], np.zeros(5, np.int64)
    return f0(n, x, k, out, seen), out, seen
"""


class Maker:
    """Makes one program; the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.count = self.random.choice([1, 1, 2, 3])
        self.kind = self.random.choice(["number", "array", "pair", "items"])
        self.tries = seed >= TRIES and (seed < FORMS or seed % 4 == 0)
        self.form = self.random.choice(["plain", "objects", "inner"]) if seed >= FORMS else "plain"
        self.more = seed >= FORMS
        self.calls = 0
        self.fresh = 0

    def program(self) -> str:
        """Return the functions, and a `forward` that calls the first."""
        functions = [self.function(index) for index in range(self.count)]
        match self.form:
            case "objects":
                classes = [f"class C{i}:\n{_indented(one)}" for i, one in enumerate(functions)]
                return HEAD + NAMED + "\n\n".join([*classes, self.forward_of_objects()])
            case "inner":
                first, *last = FORWARD.splitlines(keepends=True)
                return HEAD + NAMED + first + _indented("\n".join(functions)) + "".join(last)
        return HEAD + (NAMED if self.more else "") + "\n\n".join([*functions, FORWARD])

    def forward_of_objects(self) -> str:
        """Return a `forward` that makes the objects and calls a method of the first."""
        made = [f"    c{i} = C{i}()" for i in range(self.count)]
        pairs = [(i, j) for i in range(self.count) for j in range(self.count)]
        made += [f"    c{i}.c{j} = c{j}" for i, j in pairs]
        return FORWARD.replace("    return f0", "\n".join(made) + "\n    return c0.f0")

    def pick(self, *choices: str) -> str:
        """Return one of some."""
        return self.random.choice(choices)

    def function(self, index: int) -> str:
        """Return one function."""
        self.calls = self.random.randint(1, 3)
        end = self.pick("n <= 0", "n <= 0", "n <= 0 or len(xs) == 0")
        receiver = "self, " if self.form == "objects" else ""
        last = ", log=[]" if self.form == "inner" else ""
        name = self.pick("a", "a", "b") if self.more else "a"
        lines = [f"def f{index}({receiver}n, xs, k, out, seen{last}):"]
        lines += [f"    {name} = k", f"    if {end}:"]
        lines += [f"        return {self.base()}"]
        lines += [f"    r = {self.base()}"]
        while self.calls > 0:
            lines += self.statement(1)
        lines += [f"    return {self.result()}"]
        return "\n".join(lines) + "\n"

    # -- values -------------------------------------------------------------------------------

    def number(self) -> str:
        """Return an int expression."""
        return self.pick(
            "n", "k", "a", "len(xs)", "k % 5", "n + a", "2", "len(out) % 7", "seen[n % 5]", "-a"
        )

    def array(self) -> str:
        """Return an expression of an array of floats."""
        return self.pick("xs", "xs", "xs * 2", "xs[1:]", "xs[:n]", "xs[::2]", "xs + k", "xs[::-1]")

    def base(self) -> str:
        """Return a result without calls."""
        match self.kind:
            case "number":
                return self.number()
            case "array":
                return self.array()
            case "pair":
                return f"({self.number()}, {self.array()})"
        return self.pick(f"[{self.number()}]", f"[{self.number()}, k]", "[]")

    def call(self) -> str:
        """Return a call of one of the functions."""
        self.calls -= 1
        left = self.pick("n - 1", "n - 1", "n - 2", "n // 2")
        number = self.number()
        if self.random.random() < 0.15 and self.kind in ("number", "items"):
            inner = f"{self.called(self.random.randrange(self.count))}(n - 2, xs, k, out, seen)"
            number = f"{inner} % 9" if self.kind == "number" else f"len({inner})"
        named = self.pick("", "", "k=")
        rest = "out=out, seen=seen" if named else "out, seen"
        callee = self.called(self.random.randrange(self.count))
        return f"{callee}({left}, {self.array()}, {named}{number}, {rest})"

    def called(self, index: int) -> str:
        """Return what a function is called by."""
        return f"self.c{index}.f{index}" if self.form == "objects" else f"f{index}"

    def combined(self, one: str, other: str) -> str:
        """Return a result of two."""
        match self.kind:
            case "number":
                return self.pick(
                    f"({one} + {other}) % 101", f"max({one}, {other})", f"({one} - {other}) % 53"
                )
            case "array":
                return self.pick(
                    f"np.concatenate([{one}, {other}])[:6]", f"{one} * 0.5 + ({other}).sum()"
                )
            case "pair":
                return f"({one}[0] + {other}[0], {other}[1])"
        return self.pick(f"{one}[:3] + {other}[:2]", f"[len({one}), *{other}[-2:]]")

    def result(self) -> str:
        """Return what a function gives."""
        choices = ["r", self.combined("r", self.base())]
        if self.calls > 0 or self.random.random() < 0.3:
            choices += [self.call(), self.combined("r", self.call())]
            if self.more:
                choices.append(f"{self.call()} if {self.test()} else {self.base()}")
        return self.random.choice(choices)

    def test(self) -> str:
        """Return a condition."""
        return self.pick(
            f"{self.number()} % 2 == 0",
            f"{self.number()} > {self.number()}",
            "len(xs) > 1",
            "seen[k % 5] == 0",
            "n > 1 and k % 3 != 0",
        )

    # -- statements ---------------------------------------------------------------------------

    def statement(self, depth: int) -> list[str]:
        """Return a statement, indented."""
        pad = "    " * depth
        kinds = ["assign", "assign", "combine", "both", "append", "write", "change"]
        more = ["if", "if", "for", "rows", "while", "leave", "all"]
        if self.tries and depth < 3 and self.random.random() < 0.4:
            return self.guarded(depth)
        if self.tries and self.random.random() < 0.2:
            error = self.pick("ValueError", "ValueError('text')", "KeyError(k)")
            return [f"{pad}if {self.test()}:", f"{pad}    raise {error}"]
        match self.random.choice(kinds if depth > 2 else kinds + more):
            case "assign":
                return [f"{pad}r = {self.call()}"]
            case "combine":
                return [f"{pad}r = {self.combined('r', self.call())}"]
            case "both":
                return [f"{pad}r = {self.combined(self.call(), self.call())}"]
            case "append":
                return [f"{pad}out.append({self.number()})"]
            case "write":
                return [f"{pad}seen[{self.number()} % 5] = {self.number()}"]
            case "change":
                return [f"{pad}{self.pick('a', 'k')} {self.pick('+=', '-=')} {self.number()}"]
            case "if":
                made = [f"{pad}if {self.test()}:", *self.block(depth)]
                return made + ([f"{pad}else:", *self.block(depth)] if self.calls % 2 else [])
            case "for":
                return [f"{pad}for i in range({self.number()} % 3):", *self.block(depth, "i")]
            case "rows":
                return [f"{pad}for v in ({self.array()})[:2]:", *self.block(depth, "int(v)")]
            case "while":
                self.fresh += 1
                left = f"left{self.fresh}"
                head = [f"{pad}{left} = {self.number()} % 3", f"{pad}while {left} > 0:"]
                return [*head, f"{pad}    {left} -= 1", *self.block(depth, left)]
            case "leave":
                return [f"{pad}if {self.test()}:", f"{pad}    return {self.result()}"]
        items = self.pick("range(n % 3)", "(1, 2)", "range(2)")
        if self.more and self.kind == "items":
            return [f"{pad}r = [v + j for j in {items} for v in {self.call()}][:4]"]
        if self.more and self.form == "inner" and self.random.random() < 0.5:
            return [f"{pad}log.append({self.number()})", f"{pad}k += len(log) % 4"]
        if self.kind == "number":
            return [
                f"{pad}r = {self.pick('sum', 'sum')}([{self.call()} + j for j in {items}]) % 97"
            ]
        return [f"{pad}a = len([{self.call()} for j in {items}])"]

    def guarded(self, depth: int) -> list[str]:
        """Return a `try` with its handlers."""
        pad, inside = "    " * depth, "    " * (depth + 1)
        catches = self.pick("ValueError", "KeyError", "(ValueError, KeyError) as e", "")
        made = [f"{pad}try:", *self.block(depth)]
        if catches:
            made += [f"{pad}except {catches}:", f"{inside}out.append({self.number()})"]
            made += [f"{inside}a += len(e.args)"] if catches.endswith("e") else []
            made += self.block(depth) if self.random.random() < 0.3 else []
            made += [f"{inside}{self.pick('r = ' + self.base(), 'raise', 'raise KeyError(a)')}"]
        if not catches or self.random.random() < 0.3:
            made += [f"{pad}finally:", f"{inside}out.append({self.number()})"]
        return made

    def block(self, depth: int, number: str = "") -> list[str]:
        """Return the statements below one."""
        pad = "    " * (depth + 1)
        made = [f"{pad}a += {number}"] if number and self.random.random() < 0.5 else []
        made += self.statement(depth + 1)
        if number and self.random.random() < 0.3:
            made += [f"{pad}if {self.test()}:", f"{pad}    {self.pick('break', 'continue')}"]
        return made + self.statement(depth + 1) if self.random.random() < 0.5 else made


def _indented(text: str) -> str:
    return textwrap.indent(text, "    ")


def program(seed: int) -> str:
    """Return the text of a module with a `forward`."""
    return Maker(seed).program()
