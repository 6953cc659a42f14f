"""Random programs in which arrays, lists, objects and iterators have several names.

A program is a module with a chain `Model`, whose `forward(self, x, y, k, n, c)` takes float32[any],
float32[3], int64[3], an int and a bool. It makes some values, gives them other names, changes them
in branches and loops, writes to each at the end, and returns all of them with what `is` says.
"""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tests.state.grammar import EXPRESSIONS, HEAD, MADE, NAMES, SAME, SHOWN, STATEMENTS

__all__ = ["AliasProgram", "alias_program"]

#: Kinds that a program is about; it has ints and arrays besides.
THEMES = [
    *("arr", "arr part", "whole", "arr whole", "dyn", "dyn arr", "var", "var part", "col dyn"),
    *("opt", "opt rows", "ints", "ints nest", "rows", "rows dct", "dct", "obj", "obj ints"),
    *("mat", "mat arr", "mat rows", "fun", "fun dct", "mat part", "fun obj"),
    *("tup ints", "ints it", "rows rit", "obj dct", "arr dyn part", "obj var", "it nest ints"),
]
#: What the parts of a kind are made of.
NEEDED = {
    "part": "arr", "nest": "ints", "it": "ints", "rit": "rows", "col": "dyn", "tup": "ints",
}  # fmt: skip
HOLE = re.compile(r"\{([@=]?)(" + "|".join([*NAMES, "int", "test", "turn"]) + r")('?)\}")
GROWS = re.compile(r"(\w+(?:\.\w+|\[\S+\])*)(?:\.append|\.extend|\.insert| \+= \[)|store\((\S+),")
#: How much each name gets at the end, so that other names of the same array show.
PROBES = {
    "arr": "{0} += {1}", "whole": "{0}[0] += {1}", "dyn": "{0} += {1}", "part": "{0} += {1}",
    "mat": "{0} += {1}", "ints": "{0}.append({1})", "obj": "{0}.k += {1}",
    "var": "{0}.array[1] += {1}",
}  # fmt: skip
TURNS = ["n", "n", "2", "len(x)", "n + 1", "min(n, 2)", "{int} % 3", "3"]


@dataclass(frozen=True)
class AliasProgram:
    """The text of a module with a chain `Model`, and the seed it was made of."""

    source: str
    seed: int


def alias_program(seed: int, size: int = 8, without: str = "") -> AliasProgram:
    """Return a program, the same for the same arguments.

    Args:
        seed: Chooses it.
        size: The number of statements, about.
        without: A regular expression of what no template may hold.
    """
    writer = _Writer(random.Random(f"aliases/{seed}"), size, without)
    return AliasProgram(ast.unparse(ast.parse(f"{HEAD}\n{_inside(writer.forward())}")), seed)


class _Writer:
    """Writes one program.

    Attributes:
        names: The names in scope, by kind.
        turns: The numbers of turns of the loops around.
        running: Whether a loop over a list is around, which must not grow without an end.
    """

    def __init__(self, draw: random.Random, size: int, without: str) -> None:
        self.draw, self.left = draw, size
        self.without = re.compile(without) if without else None
        self.names: dict[str, list[str]] = {"num": [], "arr": []}
        self.turns: list[str] = []
        self.running = False
        self.depth = 0
        self.inner = 0

    def forward(self) -> str:
        """Return the text of the method."""
        lines = ["log = []", *self.first()]
        while self.left > 0:
            lines.append(self.statement())
        return "def forward(self, x, y, k, n, c):\n" + _inside("\n".join([*lines, *self.end()]))

    def first(self) -> list[str]:
        """Return the statements that make the values."""
        kinds = {"arr", "num", *self.draw.choice(THEMES).split()}
        kinds |= {NEEDED[kind] for kind in kinds & set(NEEDED)}
        lines = []
        for kind in (kind for kind in MADE if kind in kinds):
            names = NAMES[kind].split()
            self.names[kind] = []
            if not any(map(self.possible, MADE[kind])):
                continue
            for name in names if kind in ("arr", "num") else names[: self.draw.choice((1, 2, 3))]:
                fit = [text for text in MADE[kind] if self.possible(text)]
                lines.append(f"{name} = {self.filled(self.draw.choice(fit))}")
                self.names[kind].append(name)
        return lines

    def end(self) -> list[str]:
        """Return the last writes and the return statement."""
        asked = [text for text in SAME if self.possible(text)]
        asked = self.draw.sample(asked, min(len(asked), self.draw.choice((2, 4, 6))))
        lines = [f"same = [{', '.join(self.filled(text) for text in asked)}]"]
        probed = [(kind, name) for kind in PROBES for name in self.names.get(kind, ())]
        chosen = self.draw.sample(probed, min(len(probed), self.draw.choice((0, 1, 2, 3))))
        for place, (kind, name) in enumerate(chosen):
            lines.append(PROBES[kind].format(name, 64 << place))
        shown = [SHOWN.get(k, "{0}").format(n) for k, names in self.names.items() for n in names]
        held = self.draw.sample(["self.buf", "self.W", "self.count", "self.items", "self.h"], 2)
        return [*lines, f"return ({', '.join(['log', 'same', *shown, *held])})"]

    # -- statements -----------------------------------------------------------------------------

    def statement(self) -> str:
        """Return a statement, or a branch or loop of some."""
        self.left -= 1
        if self.depth < 3 and self.draw.random() < 0.34:
            return self.draw.choice((self.branch, self.branch, self.loop, self.loop, self.while_))()
        text = self.filled(self.drawn(STATEMENTS))
        grown = GROWS.search(text)
        if grown and self.running:
            name = grown.group(1) or grown.group(2)
            text = f"if len({name}) < 6:\n{_inside(text)}"
        return text

    def drawn(self, choices: list[tuple[int, str]]) -> str:
        """Return one of the templates whose kinds are in scope."""
        fit = [(weight, text) for weight, text in choices if self.possible(text)]
        return self.draw.choices([text for _, text in fit], [weight for weight, _ in fit])[0]

    def block(self) -> str:
        """Return one to three statements."""
        self.depth += 1
        text = "\n".join(self.statement() for _ in range(self.draw.choice((1, 1, 2, 3))))
        self.depth -= 1
        return text

    def branch(self) -> str:
        """Return an `if`."""
        text = f"if {self.expression('test')}:\n{_inside(self.block())}"
        if self.turns and self.draw.random() < 0.12:
            text += f"\n    {self.draw.choice(('break', 'continue'))}"
        if self.draw.random() < 0.5:
            text += f"\nelse:\n{_inside(self.block())}"
        return text

    def loop(self) -> str:
        """Return a `for`."""
        over = ["ints", "rows", "nest", "mat", "arr", "dyn", "it", "rit", "range", "range", "range"]
        kind = self.draw.choice([kind for kind in over if kind == "range" or self.names.get(kind)])
        self.inner += 1
        turn, item = f"i{self.inner}", f"e{self.inner}"
        if kind == "range":
            head = f"for {turn} in range({self.filled(self.draw.choice(TURNS))})"
            with self.scope(turn):
                return f"{head}:\n{_inside(self.block())}"
        name = self.draw.choice(self.names[kind])
        held = {
            "ints": "num",
            "rows": "arr",
            "mat": "arr",
            "nest": "ints",
            "it": "num",
            "rit": "arr",
        }.get(kind)
        forms = ["for {0} in {1}", "for {2}, {0} in enumerate({1})", "for {0} in {1}"]
        forms += ["for {0} in list({1})"] if held and kind not in ("it", "rit") else []
        head = self.draw.choice(forms).format(item, name, turn)
        before, self.running = self.running, True
        with self.scope(*([turn] if turn in head else []), **({held: item} if held else {})):
            text = f"{head}:\n{_inside(self.block())}"
        self.running = before
        return text

    def while_(self) -> str:
        """Return a `while` that a counter ends."""
        self.inner += 1
        turn = f"w{self.inner}"
        bound = self.filled(self.draw.choice(["n", "2", "len(x)", "n + 1"]))
        with self.scope(turn):
            body = f"{turn} += 1\n{self.block()}"
        return f"{turn} = 0\nwhile {turn} < {bound}:\n{_inside(body)}"

    @contextmanager
    def scope(self, *turns: str, **items: str) -> Iterator[None]:
        """Names that are there in the body of a loop."""
        before, count = {k: list(v) for k, v in self.names.items()}, len(self.turns)
        self.turns += turns
        for kind, name in items.items():
            self.names.setdefault(kind, []).append(name)
        yield
        self.names, self.turns = before, self.turns[:count]

    # -- templates ------------------------------------------------------------------------------

    def possible(self, template: str) -> bool:
        """Tell whether what a template needs is in scope, and nothing that is left out."""
        if self.without and self.without.search(template):
            return False
        for _, kind, other in HOLE.findall(template):
            if kind == "turn":
                if not self.turns:
                    return False
            elif kind not in ("int", "test") and len(self.names.get(kind, ())) < 1 + bool(other):
                return False
        return True

    def expression(self, kind: str) -> str:
        """Return an expression of a kind."""
        text = self.filled(self.drawn(EXPRESSIONS[kind]))
        return text if re.fullmatch(r"[\w.()]+", text) else f"({text})"

    def filled(self, template: str) -> str:
        """Return a template with its holes filled."""
        chosen: dict[str, str] = {}

        def hole(match: re.Match[str]) -> str:
            mark, kind, other = match.groups()
            if not mark:
                return self.expression(kind)
            pool = self.turns if kind == "turn" else self.names[kind]
            if mark == "=":
                return self.draw.choice(pool)
            if kind + other not in chosen:
                rest = [name for name in pool if name != chosen.get(kind)] if other else pool
                chosen[kind + other] = self.draw.choice(rest or pool)
            return chosen[kind + other]

        return HOLE.sub(hole, template)


def _inside(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.split("\n"))
