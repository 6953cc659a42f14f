"""Random recursive programs: one to three functions that call each other.

Each takes how much is left (`n`, less in every call), a list that all share, and a number.  `note`
writes down what happens in which order, and may raise.
"""

from __future__ import annotations

import random

__all__ = ["program"]

HEAD = """\
log = []
limit = [1000]


def note(value):
    log.append(value)
    if len(log) > limit[0]:
        raise ValueError(len(log))
    return value


def tick():
    limit[0] -= 1
    if limit[0] < 0:
        raise TimeoutError


"""


class Maker:
    """Makes one program; the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.count = self.random.randint(1, 3)
        self.calls = 0

    def program(self) -> str:
        """Return the functions, `f0` first."""
        return HEAD + "\n\n".join(self.function(index) for index in range(self.count))

    def function(self, index: int) -> str:
        """Return one function."""
        self.calls = self.random.randint(1, 3)
        lines = [f"def f{index}(n, xs, k=1):", "    tick()", "    if n <= 0:"]
        lines += [f"        return {self.value(0)}", f"    a = {self.plain()}", "    b = n"]
        while self.calls > 0:
            lines += self.statement(1)
        lines += [f"    return {self.value(1)}"]
        return "\n".join(lines) + "\n"

    def pick(self, *choices: str) -> str:
        """Return one of some."""
        return self.random.choice(choices)

    def plain(self) -> str:
        """Return an expression without calls of the functions."""
        return self.pick("n", "k", "len(xs)", "k % 7", "n + k", "note(k)", "note(n) - 1", "3")

    def value(self, depth: int) -> str:
        """Return an expression, with calls while there are any left."""
        if depth and self.random.random() < 0.3 and self.calls > -4:
            return self.combined(depth)
        if depth and self.calls > 0:
            return self.call(depth)
        return self.pick("a", "b", "k", "n") if depth else self.pick("k", "n", "note(k)", "len(xs)")

    def call(self, depth: int) -> str:
        """Return a call of one of the functions."""
        self.calls -= 1
        callee = self.random.randrange(self.count)
        left = self.pick("n - 1", "n - 1", "n - 2", "n // 2")
        if self.random.random() < 0.2:
            return f"f{callee}({left}, xs)"
        word = "k=" if self.random.random() < 0.3 else ""
        return (
            f"f{callee}({left}, xs, {word}{self.value(depth - 1) if depth > 1 else self.plain()})"
        )

    def combined(self, depth: int) -> str:
        """Return an operation on values."""
        self.calls -= self.random.random() < 0.4
        x, y, z = self.value(depth), self.value(depth), self.value(depth)
        return self.pick(
            f"({x} + {y}) % 101",
            f"note({x})",
            f"({x} if {y} > {z} else {self.plain()})",
            f"({x} and {y})",
            f"({x} or {y})",
            f"[{x}, {y}][{self.pick('0', '1', '-1')}]",
            f"max({x}, note({y}))",
            f"int({self.plain()} < {x} < {y})",
            f"sum([{x}, *[{y}]])",
            f"len([*xs, {x}])",
            f"(xs[-1] if xs else {x})",
            f"(a := {x})",
            f"len({{{y}: {x}, n: {z}}})",
            self.comprehension(x, y),
        )

    def comprehension(self, x: str, y: str) -> str:
        """Return a comprehension of values, which goes through few things."""
        items = self.pick("range(n % 3)", "xs[:2]", "[n, k]", "(a, b, 1)")
        test = self.pick("", f" if {y} % 2")
        return self.pick(
            f"sum([{x} + v for v in {items}{test}])",
            f"sum({x} for v in {items}{test})",
            f"max({x} - v for v in {items} for w in [v])",
            f"int(any({x} % 3 == 1 for v in {items}{test}))",
            f"int(all({x} % 3 for v in {items} for w in range(v % 2)))",
            f"len({{{x} for v in {items}{test}}})",
            f"len({{v: {x} for v in {items}{test}}})",
        )

    def statement(self, depth: int) -> list[str]:
        """Return a statement, indented."""
        pad = "    " * depth
        kinds = ["assign", "assign", "augment", "append", "note", "raise"]
        more = ["if", "for", "while", "leave", "try", "try"]
        kind = self.random.choice(kinds if depth > 3 else kinds + more)
        name = self.pick("a", "b", "k")
        match kind:
            case "assign":
                return [f"{pad}{name} = {self.value(2)}"]
            case "augment":
                return [f"{pad}{name} += {self.value(1)}", f"{pad}{name} %= 97"]
            case "append":
                return [f"{pad}xs.append({self.value(2)})"]
            case "note":
                return [f"{pad}note({self.value(1)})"]
            case "raise":
                error = self.pick("ValueError", "KeyError")
                return [f"{pad}if {self.plain()} % 5 == 4:", f"{pad}    raise {error}({name})"]
            case "try":
                return self.guarded(depth)
            case "leave":
                return [f"{pad}if {self.value(1)} % 3 == 1:", f"{pad}    return {self.value(1)}"]
            case "if":
                made = [f"{pad}if {self.value(1)} % 2:", *self.block(depth)]
                return made + ([f"{pad}else:", *self.block(depth)] if self.calls % 2 else [])
            case "for":
                target = self.pick("i", "b")
                items = self.pick(
                    f"range({self.value(1)} % 3)", f"[{self.value(1)}, n]", "xs[:2]", "xs[-2:]"
                )
                pairs = self.pick("", "enumerate({})", "zip({}, [n, k, a])")
                if pairs:
                    items, target = pairs.format(items), f"j, {target}"
                return [
                    f"{pad}for {target} in {items}:",
                    *self.block(depth, self.random.choice(["break", "continue", ""])),
                ]
        left = f"left{depth}"
        head = [f"{pad}{left} = 2", f"{pad}while {left} > 0:", f"{pad}    {left} -= 1"]
        return [*head, *self.block(depth)]

    def guarded(self, depth: int) -> list[str]:
        """Return a `try`, whose handlers may raise again, and may call."""
        pad, inside, name = "    " * depth, "    " * (depth + 1), self.pick("a", "b", "k")
        made = [f"{pad}try:", *self.block(depth)]
        catches = self.pick("ValueError", "KeyError as e", "(KeyError, ValueError) as e", "")
        if catches:
            made += [f"{pad}except {catches}:"]
            made += [f"{inside}note(str(e))"] if catches.endswith("e") else []
            made += self.block(depth)
            if self.random.random() < 0.3:
                again = self.pick("raise", "raise KeyError(b)")
                made += [f"{inside}if n % 2:", f"{inside}    {again}"]
            if self.random.random() < 0.3:
                made += [f"{pad}else:", *self.block(depth)]
        if not catches or self.random.random() < 0.3:
            made += [f"{pad}finally:", f"{inside}{name} = {self.value(1)}", f"{inside}note({name})"]
        return made

    def block(self, depth: int, jump: str = "") -> list[str]:
        """Return the statements below one."""
        made = self.statement(depth + 1)
        if jump:
            pad = "    " * (depth + 1)
            made += [f"{pad}if {self.value(1)} % 2:", f"{pad}    {jump}"]
        return made + self.statement(depth + 1) if self.random.random() < 0.5 else made


def program(seed: int) -> str:
    """Return the text of a module whose `f0` is to be called."""
    return Maker(seed).program()
