"""Random programs with dicts, sets and exceptions: keys, values and what is raised are of the run.

`x` holds ints and `n` is one.  A program has one dict or two, a set, a list and a number; it goes
through `x` or what it has filled, in loops, branches, `try` and calls of a function that may raise.
Some have a dict of arrays as well, or of values of unlike kinds, an iterator over `x`, a dict
`m` whose keys are of several kinds, or a set `left` that gets fewer, whose order shows.
"""

from __future__ import annotations

import random

__all__ = ["program"]

HEAD = """\
from collections import Counter, OrderedDict, defaultdict


class Own(Exception):
    pass


class Coded(Own):
    def __init__(self, code, near=0):
        super().__init__(code)
        self.code = code
        self.near = near


"""
#: How a dict begins, by what it is.
DICTS = {
    "dict": ("{}", "{n: 1}", "{v: 1 for v in xs}", "dict.fromkeys(xs, 2)"),
    "Counter": ("Counter()", "Counter(xs)"),
    "defaultdict": ("defaultdict(int)",),
    "OrderedDict": ("OrderedDict()",),
}
#: How a dict of arrays begins, or one of unlike kinds.
HELD = ("{}", "{0: x}", "{0: x * 2, 1: x[:1]}", "{n: x}", "{0: None}", "{0: (x, 1)}", "{2: 'two'}")
#: How a dict begins whose keys are of several kinds.
MIXED = (
    "{}",
    "{'n': 0}",
    "{(1, 2): 0}",
    "{None: 1}",
    "{0.5: 2, 1: 3}",
    "{True: 4}",
    "{'a': 1, 'b': 2}",
)
#: How a set begins of which keys are taken.
LEFT = ("set(xs)", "set(range(n))", "set(range(9))", "{v * 8 for v in xs}", "set([n, 9, 1, 8])")
#: An exception, and the classes that catch it.
RAISED = (
    ("ValueError({0})", "ValueError"),
    ("KeyError({0})", "LookupError"),
    ("Own({0}, {1})", "Own"),
    ("Coded({0}, {1})", "Own"),
    ("Coded({0})", "Coded"),
    ("ValueError('bad')", "ValueError"),
)
CAUGHT = (
    *("KeyError", "ZeroDivisionError", "IndexError", "ValueError", "Own", "Coded", "LookupError"),
    *("(KeyError, IndexError)", "(ValueError, Own)", "Exception", "ArithmeticError"),
)


class Maker:
    """Makes one program; the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.dicts: list[str] = []
        self.kinds: dict[str, str] = {}
        self.left = self.random.randint(5, 11)
        self.fresh = 0
        self.loops = 0
        self.calls = self.random.random() < 0.4
        self.held = self.random.choice(HELD) if self.random.random() < 0.4 else ""
        self.iterates = self.random.random() < 0.3
        self.shrinks = seed % 4 == 0
        self.mixed = self.random.choice(MIXED) if self.random.random() < 0.35 else ""

    def program(self) -> str:
        """Return a function that may raise, and a `forward`."""
        kinds = [self.pick("dict", "dict", "Counter", "defaultdict", "OrderedDict")]
        kinds += ["dict"] * (self.random.random() < 0.4)
        body = ["xs = x.tolist()", "seen = set()", "out = []", "t = 0"]
        for place, kind in enumerate(kinds):
            self.dicts.append(f"d{place}")
            self.kinds[f"d{place}"] = kind
            body.append(f"d{place} = {self.random.choice(DICTS[kind])}")
        body += [f"h = {self.held}"] * bool(self.held) + ["it = iter(xs)"] * self.iterates
        body += [f"m = {self.mixed}"] * bool(self.mixed)
        body += [f"left = {self.pick(*LEFT)}"] if self.shrinks else []
        while self.left > 0:
            body += self.statement(0, ["n"])
        body += [f"return t, out, sorted(seen), {self.result()}{self.rest()}"]
        text = "\n".join(f"    {line}" for line in body)
        return f"{HEAD}{self.function()}def forward(self, x, n):\n{text}\n"

    def pick(self, *choices: str) -> str:
        """Return one of some."""
        return self.random.choice(choices)

    def result(self) -> str:
        """Return what is told of the dicts."""
        name = self.pick(*self.dicts)
        return self.pick(
            name,
            f"list({name}.items())",
            f"sorted({name}), len({name})",
            f"sum({name}.values()), n in {name}",
            f"sorted({name}.items(), key=lambda p: (-p[1], p[0]))[:3]",
        )

    def rest(self) -> str:
        """Return what is told of the dict of arrays, and what is left of the iterator."""
        held = self.pick(
            ", list(h)", ", h", ", [h[k] is None for k in sorted(h)]", ", len(h), h.get(n)"
        )
        mixed = self.pick(", m", ", list(m.values()), len(m)", ", list(m), m.get(None, 0)")
        told = held * bool(self.held) + ", list(it)" * self.iterates + mixed * bool(self.mixed)
        return told + ", list(left)" * self.shrinks

    def function(self) -> str:
        """Return a function that raises for some numbers."""
        if not self.calls:
            return ""
        error, _ = self.random.choice(RAISED)
        handled = self.pick("", "finally", "except")
        lines = ["def work(v, d, seen):"]
        inner = [
            f"if v {self.pick('< 0', '== 2', '> 4')}:",
            f"    raise {error.format('v', 'len(d)')}",
        ]
        inner += [
            f"d[v] = d.get(v, 0) + {self.pick('1', 'v')}",
            f"return {self.pick('v', '6 // v', 'len(d)')}",
        ]
        if handled:
            inner = ["try:", *(f"    {line}" for line in inner)]
            last = ["finally:", "    seen.add(v)"]
            other = [
                f"except {self.pick(*CAUGHT)}:",
                f"    {self.pick('return -1', 'raise', 'seen.add(v)')}",
            ]
            inner += last if handled == "finally" else [*other, "return 3"]
        return "\n".join([*lines, *(f"    {line}" for line in inner)]) + "\n\n\n"

    # -- expressions --------------------------------------------------------------------------

    def number(self, names: list[str]) -> str:
        """Return an int."""
        one, d = self.pick(*names), self.pick(*self.dicts)
        return self.pick(
            one, one, "n", "t", f"{one} % 3", f"{one} + 1", f"len({d})", "len(seen)", f"-{one}",
            f"{d}.get({one}, 0)", "len(out)", "2",
        )  # fmt: skip

    def key(self, names: list[str]) -> str:
        """Return a key."""
        one = self.pick(*names)
        return self.pick(one, one, one, f"{one} % 4", f"{one} + n", "n")

    def risky(self, names: list[str]) -> str:
        """Return an int, or raise."""
        one, d = self.pick(*names), self.pick(*self.dicts)
        choices = [
            f"{d}[{self.key(names)}]", f"{d}[{self.key(names)}]", f"10 // {one}", f"xs[{one}]",
            f"{d}.pop({self.key(names)})", f"xs.index({one})", f"{self.number(names)} % {one}",
            f"max({d}.values())", "min(seen)", f"max({d}, key={d}.get)", f"{d}.popitem()[1]",
        ]  # fmt: skip
        if self.calls:
            choices += [f"work({one}, {d}, seen)"] * 3
        if self.iterates:
            choices += ["next(it)", f"next((u for u in it if u > {one}), {one})", "next(it, 7)"]
        return self.random.choice(choices)

    def test(self, names: list[str]) -> str:
        """Return a condition."""
        one, d = self.pick(*names), self.pick(*self.dicts)
        return self.pick(
            f"{self.key(names)} in {d}", f"{self.key(names)} not in seen", f"{one} in seen",
            f"{one} > {self.number(names)}", f"{one} % 2 == 0", f"len({d}) > 2", d, "seen", "t > 3",
            f"any(u > {one} for u in it)" if self.iterates else "t < 5",
        )  # fmt: skip

    # -- statements ---------------------------------------------------------------------------

    def statement(self, depth: int, names: list[str]) -> list[str]:
        """Return the lines of a statement."""
        self.left -= 1
        simple = [self.put, self.put, self.add, self.note, self.change, self.take]
        simple += [self.mix, self.mix] * bool(self.mixed) + [self.shrink] * 3 * self.shrinks
        blocks = [self.branch, self.loop, self.loop, self.attempt, self.attempt, self.attempt]
        within = depth >= 3 or self.left <= 0
        return self.random.choice(simple if within else simple + blocks)(depth, names)

    def block(self, depth: int, names: list[str], *, last: str = "") -> list[str]:
        """Return the lines below one."""
        made = self.statement(depth + 1, names)
        if self.random.random() < 0.5:
            made += self.statement(depth + 1, names)
        made += [last] * bool(last)
        return [f"    {line}" for line in made]

    def put(self, depth: int, names: list[str]) -> list[str]:
        """Change a dict."""
        d, key, number = self.pick(*self.dicts), self.key(names), self.number(names)
        if self.held and self.random.random() < 0.4:
            return self.hold(key, number, self.key(names))
        return [
            self.pick(
                f"{d}[{key}] = {number}",
                f"{d}[{key}] = {d}.get({key}, 0) + 1",
                f"{d}[{key}] = {d}.get({key}, 0) + 1",
                f"{d}.setdefault({key}, {number})",
                f"{d}.update({{{key}: {number}}})",
                f"{d}.pop({key}, None)",
            )
        ]

    def hold(self, key: str, number: str, other: str) -> list[str]:
        """Change the dict of arrays, or take something of it."""
        array = self.pick("x", "x[:2]", f"x * {number}", "x + 1", "x[:0]")
        if "x" not in self.held and self.held != "{}":
            array = self.pick(array, array, "None", f"(x, {number})", "'a'")
            return [
                self.pick(
                    f"h[{key}] = {array}",
                    f"h.setdefault({key}, {array})",
                    f"if {key} in h and h[{key}] is not None: t += 1",
                    f"h.pop({key}, None)",
                )
            ]
        if "(" in self.held:
            return [
                self.pick(f"h[{key}] = ({array}, {number})", f"h[{key}] = h.get({other}, (x, 2))")
            ]
        return [
            self.pick(
                f"h[{key}] = {array}",
                f"h[{key}] = h.get({other}, x) * 2",
                f"if {other} in h: h[{key}] = h[{other}] + {number}",
                f"h.setdefault({key}, {array})",
                f"h.pop({key}, None)",
                f"t += int(h.get({key}, x).sum())",
                f"out.append(len(h.get({key}, x)))",
                "for k in h: out.append(len(h[k]))",
                "t += sum(len(a) for a in h.values())",
            )
        ]

    def mix(self, depth: int, names: list[str]) -> list[str]:
        """Change the dict whose keys are of several kinds, or take something of it."""
        one = self.pick(*names)
        key = self.pick(
            *(one, one, f"{one} / 2", f"float({one})", f"{one} > 1", "'n'", "None"),
            *(f"'a' if {self.test(names)} else {one}", f"{one} if {self.test(names)} else None"),
            *(f"({one}, n)", f"({one}, 'n')", f"({one}, n) if {self.test(names)} else {one}"),
        )
        return [
            self.pick(
                f"m[{key}] = {self.number(names)}",
                f"m[{key}] = m.get({key}, 0) + 1",
                f"m[{key}] = m.get({key}, 0) + 1",
                f"m.setdefault({key}, {self.number(names)})",
                f"m.pop({key}, None)",
                f"if {key} in m: t += m[{key}]",
                f"t += m.get({key}, {one})",
                "for k in m: out.append(m[k])",
                "t += sum(1 for k in m if k is None or k == 'n' or k == 1)",
                "t += sum(len(k) if isinstance(k, tuple) else 10 for k in m)",
            )
        ]

    def add(self, depth: int, names: list[str]) -> list[str]:
        """Change the set."""
        key = self.key(names)
        return [
            self.pick(
                f"seen.add({key})",
                f"seen.add({key})",
                f"seen.discard({key})",
                f"seen |= {{{key}, n}}",
            )
        ]

    def shrink(self, depth: int, names: list[str]) -> list[str]:
        """Take keys out of the set whose order shows, or ask for its items."""
        one, key = self.pick(*names), self.key(names)
        rest = self.pick("u % 2", "u % 3", "-u", "(u % 2, u)", "0", f"abs(u - {one})")
        take = self.pick(f"left.discard({key})", f"left.remove({key})", "t += left.pop()")
        find = self.pick("min", "max")
        return [
            self.pick(
                take,
                take,
                f"left.discard({key})",
                f"out += sorted(left, key=lambda u: {rest})",
                f"out.append({find}(left, key=lambda u: {rest}, default={one}))",
                f"t += next(iter(left), {one})",
                f"out += [u for u in left if u != {one}]",
                f"if left: left.remove({find}(left, key=lambda u: {rest}))",
                f"for u in list(left)[:2]: left.discard(u + {self.pick('0', '1')})",
                f"while len(left) > 3: out.append({find}(left, key=lambda u: {rest})); "
                "left.remove(out[-1])",
            )
        ]

    def note(self, depth: int, names: list[str]) -> list[str]:
        """Append to the list."""
        return [f"out.append({self.number(names)})"]

    def change(self, depth: int, names: list[str]) -> list[str]:
        """Change the number."""
        return [f"t {self.pick('+=', '-=')} {self.number(names)}"]

    def take(self, depth: int, names: list[str]) -> list[str]:
        """Do what may raise."""
        d = self.pick(*self.dicts)
        return [
            self.pick(
                f"t += {self.risky(names)}",
                f"t += {self.risky(names)}",
                f"out.append({self.risky(names)})",
                f"out.append({self.risky(names)})",
                self.pick(f"del {d}[{self.key(names)}]", f"seen.remove({self.key(names)})"),
            )
        ]

    def branch(self, depth: int, names: list[str]) -> list[str]:
        """Return an `if`."""
        made = [f"if {self.test(names)}:", *self.block(depth, names)]
        return made + (["else:", *self.block(depth, names)] if self.random.random() < 0.4 else [])

    def loop(self, depth: int, names: list[str]) -> list[str]:
        """Return a loop over the input, a range or what is held."""
        if self.loops >= 2:
            return self.put(depth, names)
        self.loops += 1
        self.fresh += 1
        v, d = f"v{self.fresh}", self.pick(*self.dicts)
        head = self.pick(
            f"for {v} in xs:", f"for {v} in xs:", f"for {v} in range(n):", f"for {v} in list({d}):",
            f"for {v} in sorted(seen):", f"for {v} in {d}:", f"for {v} in {d}.values():",
        )  # fmt: skip
        if (
            self.kinds[d] == "OrderedDict" and f"in {d}" in head
        ):  # a change on the last turn is none
            head = f"for {v} in list({d}.values()):"
        last = ""
        if self.random.random() < 0.3:
            last = f"if {self.test([*names, v])}: {self.pick('break', 'continue')}"
        made = [head, *self.block(depth, [*names, v, v, v], last=last)]
        self.loops -= 1
        return made

    def attempt(self, depth: int, names: list[str]) -> list[str]:
        """Return a `try`."""
        made = ["try:"]
        if self.random.random() < 0.5:
            error, kind = self.random.choice(RAISED)
            error = error.format(self.number(names), self.number(names))
            made += [f"    if {self.test(names)}:", f"        raise {error}"]
        else:
            kind = self.pick(*CAUGHT)
            made += [f"    {line}" for line in self.take(depth, names)]
        made += self.block(depth, names)
        if self.random.random() < 0.25:
            made += self.handler(self.pick(*CAUGHT), depth, names)
        made += self.handler(kind, depth, names)
        if self.random.random() < 0.25:
            made += ["else:", *self.block(depth, names)]
        if self.random.random() < 0.25:
            made += ["finally:", *self.block(depth, names)]
        return made

    def handler(self, kind: str, depth: int, names: list[str]) -> list[str]:
        """Return an `except`."""
        if self.random.random() < 0.35 and kind in ("Coded", "ValueError", "Own", "KeyError"):
            told = "e.code" if kind == "Coded" else "len(e.args)"
            told = "e.args[0]" if kind == "KeyError" else told
            return [f"except {kind} as e:", f"    t += {told}", *self.block(depth, names)]
        if self.random.random() < 0.4 and kind in ("ZeroDivisionError", "IndexError"):
            told = self.pick("len(str(e))", "'list' in str(e)", "str(e).count('e')")
            return [f"except {kind} as e:", f"    t += {told}", *self.block(depth, names)]
        last = self.pick("", "", "", "", "raise", "raise Own(1) from None") if depth else ""
        return [f"except {kind}:", *self.block(depth, names, last=last)]


def program(seed: int) -> str:
    """Return the text of a module with a `forward`."""
    return Maker(seed).program()
