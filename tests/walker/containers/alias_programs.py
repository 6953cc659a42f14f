"""Random programs whose lists hold objects that are changed, under several names, in loops.

A program is the text of a `forward(self, x, n, m)`. Objects are of one kind in a program: dicts,
lists, objects, objects that hold lists, that link to each other, or that hold arrays.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

#: What the programs find around them.
HEAD = """
class Link:
    def __init__(self, a):
        self.a = a
        self.next = None

    def push(self, k):
        if self.next is not None:
            self.next.a += k


class Box:
    def __init__(self, a):
        self.a = a
        self.b = 0

    def bump(self, k):
        self.b += self.a * k
"""


@dataclass(frozen=True)
class Kind:
    """How objects of a kind are made, read, written, compared and shown; `{e}` is a number.

    `{o}` is the object. Results show `shown`, lists are sorted and filtered by `key`.
    """

    made: Sequence[str]
    reads: Sequence[str]
    writes: Sequence[str]
    key: str
    shown: str


KINDS = {
    "dict": Kind(
        ['{{"a": {e}, "b": 1}}'],
        ['{o}["a"]', '{o}["b"]'],
        ['{o}["a"] = {e}', '{o}["b"] += {e}', '{o}["a"] += 1'],
        'o["a"]',
        '(o["a"], o["b"])',
    ),
    "list": Kind(
        ["[{e}, 1]", "[{e}]", "[{e}, 2, {e}]"],
        ["{o}[0]", "len({o})", "{o}[-1]"],
        ["{o}.append({e})", "{o}[0] = {e}", "{o}[0] += 1", "{o}.append(1)"],
        "o[0]",
        "(len(o), o[0], o[-1])",
    ),
    "object": Kind(
        ["Box({e})"],
        ["{o}.a", "{o}.b"],
        ["{o}.a = {e}", "{o}.b += {e}", "{o}.bump({e})"],
        "o.a",
        "(o.a, o.b)",
    ),
    "nested": Kind(
        ['{{"a": {e}, "b": [{e}]}}'],
        ['{o}["a"]', 'len({o}["b"])', '{o}["b"][-1]'],
        [
            *('{o}["a"] = {e}', '{o}["b"].append({e})', '{o}["b"] = [{e}]'),
            *('{o}["b"] = p["b"]', '{o}["a"] += 1'),
        ],
        'o["a"]',
        '(o["a"], len(o["b"]), o["b"][-1])',
    ),
    "link": Kind(
        ["Link({e})"],
        ["{o}.a", "(0 if {o}.next is None else {o}.next.a)"],
        [
            *("{o}.a = {e}", "{o}.a += 1", "{o}.next = p", "{o}.next = q", "{o}.push({e})"),
            "{o}.next = {o}.next if {o}.next is None else {o}.next.next",
        ],
        "o.a",
        "(o.a, 0 if o.next is None else o.next.a)",
    ),
    "array": Kind(
        ['{{"a": {e}, "b": x * ({e})}}'],
        ['{o}["a"]', 'int({o}["b"].sum())'],
        ['{o}["a"] = {e}', '{o}["b"] = {o}["b"] + {e}', '{o}["b"] = x + {e}', '{o}["b"] += 1'],
        'o["a"]',
        '(o["a"], o["b"] + 0)',
    ),
}
#: Statements by how often they are drawn; `L` and `M` are lists, `O` an object, `E` a number.
SIMPLE = (
    (16, "{name} = {new}"),
    (6, "r = {rest}"),
    (5, "if r is not None:\n    {write_r}"),
    (14, "{L}.append({O})"),
    (4, "{L}.append({new})"),
    (14, "{write}"),
    (6, "if len({L}) > 0:\n    {write_end}"),
    (5, "if len({L}) > 0:\n    {name} = {L}[{end}]"),
    (4, "{L} = sorted({M}, key=lambda o: {key})"),
    (3, "{L} = [o for o in {M} if {key} > {E}]"),
    (2, "{L} = {M}[{part}]"),
    (2, "{L} = ({L} + {M})[:6]"),  # without an end, lists that take in each other double
    (4, "s += {read}"),
    (3, "if {O} is {O}:\n    s += 100"),
    (2, "if len({L}) > 1 and {L}[0] is {L}[-1]:\n    s += 1000"),
)


class Writer:
    """Writes one program.

    Args:
        seed: Chooses it.
    """

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.kind = KINDS[self.draw.choice(sorted(KINDS))]
        self.loops = 0
        self.running: list[str] = []  # the lists that loops run over

    def program(self) -> str:
        """Return the text of `forward`."""
        loop = f"for i in range({self.draw.choice('nm')}):"
        first = self.draw.choice(("[]", "[p]", "[p, q]", "[q, p, q]"))
        before = ["s = n", "i = 0", "r = None", f"p = {self.new('1')}", f"q = {self.new('2')}"]
        self.loops = 1
        body = self.block(self.draw.randint(3, 5), 2)
        self.loops = 0
        after = self.block(self.draw.randint(1, 4), 3)
        shown = self.kind.shown
        end = [
            f"first = [{shown} for o in L]",
            f"second = [{shown} for o in M]",
            f"o = p\nthird = {shown}\no = q",
            f"return s, first, second, third, {shown}",
        ]
        lines = [*before, "L = []", f"M = {first}", loop, _inside(body), after, *end]
        return "def forward(self, x, n, m):\n" + _inside("\n".join(lines))

    def block(self, count: int, depth: int) -> str:
        """Return some statements."""
        return "\n".join(self.statement(depth) for _ in range(count))

    def statement(self, depth: int) -> str:
        """Return a statement; blocks nest `depth` more times."""
        some = self.draw.randint(1, 3)
        chance = self.draw.random()
        if depth and chance < 0.1:
            text = f"if {self.test()}:\n{_inside(self.block(some, depth - 1))}"
            if self.draw.random() < 0.4:
                text += f"\nelse:\n{_inside(self.block(some, depth - 1))}"
            return text
        if depth and chance < 0.2 and self.loops < 2:
            return self.loop(some, depth - 1)
        weights, texts = zip(*SIMPLE, strict=True)
        return self.filled(self.draw.choices(texts, weights)[0])

    def loop(self, count: int, depth: int) -> str:
        """Return a loop over numbers or over a list, which its body may not make longer."""
        self.loops += 1
        if self.running or self.draw.random() < 0.5:
            head = f"for i in range({self.draw.choice('nm')}):"
            text = f"{head}\n{_inside(self.block(count, depth))}"
        else:
            items = self.draw.choice("LM")
            self.running.append(items)
            text = f"for o in {items}{self.draw.choice(('', '[:]'))}:"
            text += "\n" + _inside(self.block(count, depth))
            self.running.pop()
        self.loops -= 1
        return text

    def filled(self, text: str) -> str:
        """Fill the holes of a statement."""
        free = [name for name in "LM" if name not in self.running]
        grows = ".append" in text or text.startswith("{L} =")
        items = self.draw.choice(free if grows else "LM")
        end = self.draw.choice(("0", "-1"))
        return text.format(
            name=self.draw.choice("pq"),
            new=self.new(self.number()),
            rest=self.draw.choice(("None", "p", "q", "q")),
            write=self.write(self.object()),
            write_r=self.write("r"),
            write_end=self.write(f"{items}[{end}]"),
            read=self.draw.choice(self.kind.reads).format(o=self.object()),
            key=self.kind.key,
            part=self.draw.choice(("1:", ":2", ":")),
            end=end,
            L=items,
            M=self.draw.choice("LM"),
            O=self.object(),
            E=self.number(),
        )

    def new(self, number: str) -> str:
        """Return what makes an object."""
        return self.draw.choice(self.kind.made).format(e=number)

    def write(self, target: str) -> str:
        """Return what changes an object."""
        return self.draw.choice(self.kind.writes).format(o=target, e=self.number())

    def object(self) -> str:
        """Return a name of an object."""
        return self.draw.choice(("p", "q", *(("o", "o") if self.running else ())))

    def number(self) -> str:
        """Return an int."""
        turn = ("i", "i", "i") if self.loops else ()
        return self.draw.choice(("1", "2", "n", "m", "s", "n + m", "3", *turn))

    def test(self) -> str:
        """Return a condition."""
        turn = f"i % 2 == {self.draw.choice('01')}" if self.loops else "n > 2"
        return self.draw.choice((turn, "m > 1", "s % 3 == 1", "len(L) > 2"))


def _inside(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.split("\n"))
