"""Random models, written as people write them, that end for sure.

Level 1 has `if` and `for`; level 2 adds `while`, `break`, `continue` and `else` of loops; level 3
adds early returns, lists, tuples, dicts, helper functions and methods, attributes, changes of
arrays through aliases, and states that may be None.
"""

from __future__ import annotations

import ast
import random
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.walker.grammar import ATOMS, EXPRESSIONS, STATEMENTS

__all__ = ["RandomProgram", "random_program"]

HEAD = """
import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np

WEIGHT = np.array([[0.5, -0.25, 0.0], [0.25, 0.5, -0.5], [0.0, 0.25, 0.5]], np.float32)

class State:
    def __init__(self, h, k):
        self.h = h
        self.k = k
        self.items = []

    def add(self, y):
        self.k += 1
        self.h = self.h * 0.5 + y
        return self.h
"""
MODEL = """
class Model(chainer.Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.fc = L.Linear(3, 3, initialW=WEIGHT)
        self.w = WEIGHT.T.copy()
        self.h = None
        self.k = 0
        self.state = np.zeros(3, np.float32)
        self.items = []
"""
#: What a new name of a kind is called.
PREFIXES = {
    "int": "ab", "float": "sf", "bool": "qg", "vec": "yz", "mat": "mp", "var": "vu", "vmat": "hv",
    "part": "r", "ints": "ij", "vecs": "lo", "vars": "hs", "pairs": "ps", "nested": "nn",
    "tup": "t", "dict": "d", "vdict": "e", "opt": "prev", "obj": "o", "mode": "mode", "fun": "f",
}  # fmt: skip
ATTRIBUTES = {"self.h": "opt", "self.k": "int", "self.state": "vec", "self.items": "vecs"}
HELPERS = [
    ("step", True, {"y": "vec", "n": "int"}, "vec"),
    ("mix", False, {"y": "vec", "z": "vec", "n": "int"}, "vec"),
    ("collect", False, {"l": "vecs", "y": "vec", "n": "int"}, "int"),
    ("score", True, {"m": "mat", "y": "vec", "n": "int"}, "float"),
    ("count", False, {"i": "ints", "n": "int"}, "int"),
    ("gate", True, {"v": "var", "n": "int"}, "var"),
    ("bump", False, {"o": "obj", "n": "int"}, "vec"),
]
RANGES = [
    "n", "len(x)", "{int} % 4", "n + 1", "x.shape[0] - 1", "min(n, len(x))", "1, n", "3",
    "{int} % 3 + 1", "{int} % 4, -1, -1", "0, n + 2, 2", "{int} % 3, 4",
]  # fmt: skip
LISTS = ("ints", "vecs", "vars", "pairs")
HOLE = re.compile(r"\{([@!=~]?)(" + "|".join(sorted(PREFIXES, key=len)[::-1]) + r"|index)('?)\}")
OUTER = re.compile(r"\b(x|c)\b")


@dataclass(frozen=True)
class RandomProgram:
    """A module with a chain `Model`, and what is in it.

    Attributes:
        seed: What it was made of.
        features: How often each construct was written.
        static: Whether the sizes of `x` are those of the example.
        variable: Whether `x` is given as a Variable named `v`.
        items: Whether a list of arrays is given as well.
    """

    source: str
    seed: int
    features: Counter[str]
    static: bool
    variable: bool
    items: bool


def random_program(level: int, seed: int, size: int = 14) -> RandomProgram:
    """Return a program of about that many statements, the same for the same arguments."""
    return _Writer(random.Random(f"{level}/{seed}"), level, size).program(seed)


@dataclass
class _Function:
    """The function that is being written."""

    names: dict[str, str]
    result: list[tuple[str, str]]
    outer: bool
    fixed: set[str] = field(default_factory=set)
    fixed_kinds: set[str] = field(default_factory=set)
    aliases: set[str] = field(default_factory=set)
    loops: int = 0
    branches: int = 0


class _Writer:
    """Writes one program."""

    def __init__(self, source: random.Random, level: int, size: int) -> None:
        self.random, self.level, self.budget = source, level, size
        self.features: Counter[str] = Counter()
        self.calls: list[tuple[str, str]] = []
        self.f = _Function({}, [], True)
        self.depth = 0
        self.counters = 0

    # -- the program ----------------------------------------------------------------------------

    def program(self, seed: int) -> RandomProgram:
        variable = self.random.random() < 0.25
        items = self.level == 3 and self.random.random() < 0.25
        functions, methods = self._helpers()
        self.budget += self.random.randrange(self.budget)
        source = HEAD + functions + MODEL + methods + _indent(self._forward(variable, items))
        return RandomProgram(
            ast.unparse(ast.parse(source)),
            seed,
            self.features,
            self.random.random() < 0.25,
            variable,
            items,
        )

    def _helpers(self) -> tuple[str, str]:
        functions, methods, whole = "", "", self.budget
        if self.level == 3:
            for name, method, parameters, result in self.random.sample(HELPERS, 2):
                self.budget = whole // 3
                head = ", ".join([*(["self"] if method else []), *parameters])
                attributes = ATTRIBUTES if method else {}
                self.f = _Function({**parameters, **attributes}, [("", result)], False)
                body = f"def {name}({head}):\n" + _indent(self._body([]))
                arguments = ", ".join("{" + kind + "}" for kind in parameters.values())
                call = f"self.{name}({arguments})" if method else f"{name}({arguments})"
                if method:
                    methods += "\n" + _indent(body)
                else:
                    functions += "\n" + body
                self.calls.append((result, call))
        self.budget = whole
        return functions + "\n", methods + "\n"

    def _forward(self, variable: bool, items: bool) -> str:
        parameters = "v" if variable else "x"
        self.f = _Function({"x": "mat", "n": "int", "c": "bool"}, [], True, fixed={"n", "c", "x"})
        lines = []
        if variable:
            lines.append("x = v.array")
            self.f.names["v"] = "vmat"
        if items:
            self.f.names["given"] = "vecs"
        kinds = ["vec", "vec", "int", "int", "mat", "float", "var"]
        wanted: list[Callable[[], str]] = []
        if self.level == 3:
            self.f.names.update(ATTRIBUTES)
            kinds += ["vecs", "ints", "opt", "obj", "vars", "tup", "dict", "vdict", "mode", "pairs"]
            kinds += ["nested", "fun"]
            found: list[Callable[[], str]] = [
                self.while_break, self.alias_mutation, self.search, self.list_in_branch,
            ]  # fmt: skip
            wanted = [w for w in found if self.random.random() < 0.3]
        chosen = self.random.sample(kinds, min(len(kinds), self.random.randrange(4, 7)))
        first = ["vec", *(k for k in chosen if k != "fun")]
        for kind in first:
            value, name = self.expression(kind, 1), self.new_name(kind)
            lines.append(f"{name} = {value}")
            self.f.names[name] = kind
            self.f.result.append((name, kind))
        if self.level == 3:
            self.f.result += self.random.sample(sorted(ATTRIBUTES.items()), 2)
        head = f"def forward(self, {parameters}, n, c{', given' if items else ''}):\n"
        return head + _indent("\n".join(lines) + "\n" + self._body(wanted))

    def _body(self, wanted: list[Callable[[], str]]) -> str:
        """The statements of a function, with those wanted among them, and the return."""
        lines = []
        while self.budget > 0 or wanted:
            if wanted and self.random.random() < 0.4:
                lines.append(wanted.pop()())
            else:
                lines.append(self.statement())
        return "\n".join([*lines, self.result(0.9)])

    def result(self, kept: float = 0.5) -> str:
        """A return statement; each part is the name it stands for, mostly, or another value."""
        parts = []
        for name, kind in self.f.result:
            present = self.f.names.get(name) == kind and self.random.random() < kept
            if kind in ("mode", "obj", "nested"):
                value = name if name else self.expression(kind, 1)
                shown = {
                    "mode": f"{{'a': 0, 'b': 1, 'c': 2}}[{value}]",
                    "obj": f"({value}.h, {value}.k, {value}.items)",
                    "nested": f"{value}[0]",
                }[kind]
                parts.append(shown)
            else:
                parts.append(name if present else self.expression(kind, 1))
        return "return " + (f"({', '.join(parts)})" if len(parts) > 1 else parts[0])

    # -- expressions ----------------------------------------------------------------------------

    def known(self, kind: str, changed: bool = False) -> list[str]:
        """The names of a kind that are in scope, or those that may be changed in place."""
        f = self.f
        if changed and kind in f.fixed_kinds:
            return []
        fixed = f.fixed - {"x"} if changed else set()
        return [n for n, k in f.names.items() if k == kind and n not in fixed]

    def possible(self, template: str) -> bool:
        """Whether a template's names are in scope."""
        if not self.f.outer and OUTER.search(HOLE.sub("", template)):
            return False
        if "self." in template and "self.k" not in self.f.names:
            return False
        for mark, kind, _ in HOLE.findall(template):
            if mark in ("@", "!") and not self.known(kind, mark == "!"):
                return False
            if mark == "~" and not self.bindable(kind):
                return False
            if not mark and not self.known(kind) and not self.atoms(kind):
                return False
        return True

    def atoms(self, kind: str) -> list[str]:
        if self.f.outer:
            return ATOMS.get(kind, [])
        extra = {"vec": ["np.ones(3, np.float32)"], "index": ["0"], "bool": ["n < 2"]}
        return [a for a in [*ATOMS.get(kind, []), *extra.get(kind, [])] if not OUTER.search(a)]

    def expression(self, kind: str, depth: int) -> str:
        """An expression of a kind."""
        calls = [call for result, call in self.calls if result == kind and self.possible(call)]
        if depth > 0 and calls and self.random.random() < 0.2:
            self.features["helper call"] += 1
            return self.fill(self.random.choice(calls), depth - 1)
        if depth <= 0 or self.random.random() < 0.2:
            names = self.known(kind)
            if names and self.random.random() < 0.8:
                return self.random.choice(names)
            if atoms := self.atoms(kind):
                return f"({self.random.choice(atoms)})"
        fit = [t for level, t in EXPRESSIONS[kind] if level <= self.level and self.possible(t)]
        if depth <= 0:
            fit = [t for t in fit if "{" + kind + "}" not in t] or fit
        if not fit:
            return f"({self.random.choice(self.atoms(kind) or self.known(kind))})"
        return f"({self.fill(self.random.choice(fit), depth - 1)})"

    def fill(self, template: str, depth: int) -> str:
        """A template with its holes filled; a name of one kind is one name throughout."""
        chosen: dict[str, str] = {}
        bound: list[tuple[str, str]] = []

        def hole(match: re.Match[str]) -> str:
            mark, kind, other = match.groups()
            if not mark:
                return self.expression(kind, depth)
            if mark in ("=", "~"):
                name = self.target(kind, again=mark == "~")
                bound.append((name, kind))
                return name
            key = kind + other
            if key not in chosen:
                chosen[key] = self.random.choice(self.known(kind, mark == "!"))
            if mark == "!" and chosen[key] in self.f.aliases:
                self.features["mutation through an alias"] += 1
            return chosen[key]

        text = HOLE.sub(hole, template)
        for name, kind in bound:
            self.f.names[name] = kind
            self.f.aliases.discard(name)
            if f"{{={kind}}} = {{@" in template:
                self.f.aliases.update([name, *chosen.values()])
        return text

    def bindable(self, kind: str) -> list[str]:
        return [n for n in self.known(kind) if n not in self.f.fixed]

    def target(self, kind: str, again: bool = False) -> str:
        """A name to bind: one in scope, mostly."""
        names = self.bindable(kind)
        if again or (names and self.random.random() < 0.75):
            return self.random.choice(names)
        return self.new_name(kind)

    def new_name(self, kind: str) -> str:
        prefix = PREFIXES[kind]
        short = [prefix] if len(prefix) > 2 else list(prefix)
        pool = [*short, *(s + d for s in short for d in "123456789")]
        if self.f.branches and self.random.random() < 0.2:
            pool = ["tmp", *pool]
        taken = {*self.f.names, *(name for name, _ in self.f.result)}
        free = [n for n in pool if n not in taken]
        return free[0]

    # -- statements -----------------------------------------------------------------------------

    def statement(self) -> str:
        self.budget -= 1
        if self.depth < 4 and self.budget > 0 and self.random.random() < 0.38:
            kinds: list[Callable[[], str]] = [self.condition, self.condition, self.for_loop]
            if self.level > 1:
                kinds += [self.while_loop, self.while_break]
            if self.level > 2:
                kinds += [self.memo, self.search, self.list_in_branch]
            return self.random.choice(kinds)()
        return self.simple()

    def simple(self) -> str:
        fit = [(w, t) for level, w, t in STATEMENTS if level <= self.level and self.possible(t)]
        while True:
            text = self.fill(self.random.choices([t for _, t in fit], [w for w, _ in fit])[0], 2)
            if not re.fullmatch(r"(\S+) = \(*\1\)*", text):
                return text

    def block(self) -> tuple[str, dict[str, str]]:
        """Some statements, and the names in scope after them; the scope itself is as before."""
        before = dict(self.f.names)
        self.depth += 1
        self.f.branches += 1
        lines = [self.statement()]
        for _ in range(self.random.randrange(3)):
            if self.budget > 0:
                lines.append(self.statement())
        self.depth -= 1
        self.f.branches -= 1
        after, self.f.names = self.f.names, before
        return "\n".join(lines), after

    def jump(self) -> str:
        """What may end a block: nothing, mostly."""
        choice = self.random.random()
        if self.level > 2 and choice < 0.06:
            self.features["early return"] += 1
            self.features["return in a loop"] += bool(self.f.loops)
            return "\n" + self.result()
        if self.level > 1 and self.f.loops and choice < 0.25:
            kind = self.random.choice(["break", "continue"])
            self.features[kind] += 1
            return "\n" + kind
        return ""

    def condition(self) -> str:
        self.features["if"] += 1
        text = f"if {self.expression('bool', 2)}:\n"
        body, first = self.block()
        text += _indent(body + self.jump())
        ends = [first]
        while self.random.random() < 0.2:
            body, names = self.block()
            text += f"\nelif {self.expression('bool', 2)}:\n" + _indent(body + self.jump())
            ends.append(names)
        if self.random.random() < 0.45:
            body, names = self.block()
            text += "\nelse:\n" + _indent(body)
            ends.append(names)
            for name, kind in first.items():
                if all(end.get(name) == kind for end in ends):
                    self.f.names[name] = kind
        elif self.random.random() < 0.05:
            self.f.names.update(first)
            self.features["name that may be unset"] += 1
        return text

    def memo(self) -> str:
        """A state that is made when it is first needed."""
        if not self.known("opt"):
            return self.simple()
        self.features["state that may be None"] += 1
        name = self.random.choice(self.known("opt"))
        body, _ = self.block()
        first = f"if {name} is None:\n    {name} = {self.expression('vec', 1)}"
        if self.random.random() < 0.5:
            return first
        return f"{first}\nelse:\n" + _indent(f"{name} = {name} * 0.5\n{body}")

    def list_in_branch(self) -> str:
        changes = ["{!vecs}.append({vec})", "{!ints}.append({int})", "{!vars}.append({var})"]
        changes += ["{!vecs}.extend([{vec}, {vec}])", "{!ints}.insert(0, {int})", "{!ints}.pop()"]
        changes += ["{!ints}[-1] = {int}", "{!ints}[-1] += 1", "del {!vecs}[0]", "{!vecs}.pop(0)"]
        fit = [c for c in changes if self.possible(c)]
        if not fit:
            return self.simple()
        self.features["list changed in a branch"] += 1
        template = self.random.choice(fit)
        change = self.fill(template, 1)
        test = self.expression("bool", 2)
        if "append" not in change and "extend" not in change and "insert" not in change:
            owner = re.split(r"\.pop|\[", change.removeprefix("del "))[0]
            test = f"{owner} and {test}"
        text = f"if {test}:\n" + _indent(change)
        if self.random.random() < 0.4:
            body, _ = self.block()
            text += "\nelse:\n" + _indent(body)
        return text

    def alias_mutation(self) -> str:
        """A second name of an object, and a change through one of the two."""
        kind = self.random.choice(["vec", "vec", "mat", "vecs", "ints", "obj"])
        kind = kind if self.known(kind, True) else "vec"
        if not self.known(kind, True):
            return self.simple()
        old = self.random.choice(self.known(kind, True))
        new = self.new_name(kind)
        chosen = f"{old} if {self.expression('bool', 1)} else "
        values = [old, old, chosen + self.random.choice(self.known(kind))]
        if kind == "vec":
            values += [f"{old}[:]", f"{old}.reshape(3)", f"{old}[::-1]", f"{chosen} {old} + 0"]
        value = self.random.choice(values)
        self.f.names[new] = kind
        self.f.aliases |= {old, new}
        fit = [t for lv, _, t in STATEMENTS if f"{{!{kind}}}" in t and self.possible(t)]
        chosen = self.random.choice([old, new])
        change = self.fill(self.random.choice(fit).replace(f"{{!{kind}}}", chosen), 1)
        self.features["mutation through an alias"] += 1
        middle = "" if self.random.random() < 0.5 else self.statement() + "\n"
        if self.random.random() < 0.4:
            change = f"if {self.expression('bool', 1)}:\n" + _indent(change)
        return f"{new} = {value}\n{middle}{change}"

    # -- loops ----------------------------------------------------------------------------------

    def loop_body(self, head: str = "", fixed: tuple[str, ...] = (), kind: str = "") -> str:
        """A block that runs again; names in `fixed` and lists of `kind` are left alone."""
        f = self.f
        kept, kept_kinds = set(f.fixed), set(f.fixed_kinds)
        f.fixed |= set(fixed)
        f.fixed_kinds |= {kind} if kind else set()
        if kind == "vecs":
            f.fixed_kinds.add("obj")
        f.loops += 1
        body, _ = self.block()
        body = head + body
        if self.random.random() < 0.5:
            body += self.guarded_jump()
        f.loops -= 1
        f.fixed, f.fixed_kinds = kept, kept_kinds
        return body

    def guarded_jump(self) -> str:
        jump = self.jump()
        return f"\nif {self.expression('bool', 2)}:{_indent(jump)}" if jump else ""

    def for_loop(self) -> str:
        self.features["for"] += 1
        before = dict(self.f.names)
        self.f.loops += 1
        head, fixed, kind = self.loop_head()
        self.f.loops -= 1
        text = f"{head}:\n" + _indent(self.loop_body("", fixed, kind))
        self.f.names = before
        return text + self.loop_else()

    def loop_head(self) -> tuple[str, tuple[str, ...], str]:
        """The head of a `for`, the names it binds, and the kind of list it runs over."""
        number, vec = self.new_name("int"), self.new_name("vec")
        rows = self.expression("mat", 1) if self.f.outer or self.known("mat") else None
        choice = self.random.random()
        if self.level > 2 and choice < 0.4 and any(self.known(k) for k in LISTS):
            kind = self.random.choice([k for k in LISTS if self.known(k)])
            name = self.random.choice(self.known(kind))
            copied = self.random.random() < 0.5
            over = self.random.choice([f"list({name})", f"{name}[:]"]) if copied else name
            over = f"reversed({name})" if self.random.random() < 0.1 else over
            self.features["for over a list"] += 1
            kept = "" if copied and "reversed" not in over else kind
            if kind == "pairs":
                self.f.names.update({number: "int", vec: "vec"})
                return f"for {number}, {vec} in {over}", (number,), kept
            item = {"ints": "int", "vecs": "vec", "vars": "var"}[kind]
            name = {"int": number, "vec": vec, "var": self.new_name("var")}[item]
            self.f.names[name] = item
            if self.random.random() < 0.2 and item != "int":
                self.f.names[number] = "int"
                return f"for {number}, {name} in enumerate({over})", (number,), kept
            return f"for {name} in {over}", (), kept
        if rows and choice < 0.65:
            self.f.names[vec] = "vec"
            self.f.aliases.add(vec)
            if self.random.random() < 0.3:
                self.f.names[number] = "int"
                return f"for {number}, {vec} in enumerate({rows})", (number,), ""
            if self.random.random() < 0.3:
                other = vec + "0"
                self.f.names[other] = "vec"
                return f"for {vec}, {other} in zip({rows}, {self.expression('mat', 1)})", (), ""
            return f"for {vec} in {rows}", (), ""
        self.f.names[number] = "int"
        bounds = self.random.choice([r for r in RANGES if self.possible(r)])
        over = f"range({self.fill(bounds, 1)})"
        if self.random.random() < 0.1:
            over = self.random.choice([f"reversed({over})", "[1, 2, 4]", "(2, 1)"])
        return f"for {number} in {over}", (number,), ""

    def loop_else(self) -> str:
        if self.level == 1 or self.random.random() > 0.1:
            return ""
        self.features["else of a loop"] += 1
        return "\nelse:\n" + _indent(self.block()[0])

    def counter(self) -> str:
        self.counters += 1
        return f"t{self.counters}"

    def while_loop(self) -> str:
        """A `while` that a counter, or a list that runs empty, ends for sure."""
        self.features["while"] += 1
        f, t = self.f, self.counter()
        bound = self.fill(self.random.choice(["{int} % 5", "4", "n", "n + 1"]), 1)
        kind = self.random.randrange(5)
        if kind == 0 and self.level > 2 and self.known("ints", True):
            name = self.random.choice(self.known("ints", True))
            e = self.new_name("int")
            before = dict(f.names)
            f.names[e] = "int"
            pop = self.random.choice([f"{name}.pop()", f"{name}.pop(0)"])
            body = self.loop_body(f"{e} = {pop}\n", (), "ints")
            f.names = before
            return f"while {name}:\n{_indent(body)}"
        f.names[t] = "int"
        if kind == 1:
            body = self.loop_body(f"{t} -= 1\n", (t,))
            text = f"{t} = {bound}\nwhile {t} > 0:\n{_indent(body)}"
        else:
            body = self.loop_body(f"{t} += 1\n", (t,))
            test = self.expression("bool", 2)
            tests = [f"{t} < {bound} and {test}", f"{test} and {t} < {bound}", f"{t} < {bound}"]
            text = f"{t} = 0\nwhile {self.random.choice(tests)}:\n{_indent(body)}"
        text += self.loop_else()
        if self.random.random() < 0.5:
            del f.names[t]
        return text

    def while_break(self) -> str:
        """A `while` with a `break` under a test of what the model computes."""
        self.features["dynamic while with break"] += 1
        self.features["while"] += 1
        t = self.counter()
        self.f.names[t] = "int"
        test, bound = self.expression("bool", 2), self.random.choice(["3", "n", "n + 2"])
        stop = f"if {test} or {t} > {bound}:\n    break"
        first = self.random.random() < 0.4
        body = self.loop_body(f"{t} += 1\n" + (f"{stop}\n" if first else ""), (t,))
        head = f"{t} = 0\nwhile True:\n"
        if not first and "continue" not in body:
            return head + _indent(f"{body}\n{stop}")
        if first:
            return head + _indent(body)
        return f"{t} = 0\nwhile {t} < 4:\n" + _indent(f"{body}\nif {test}:\n    break")

    def search(self) -> str:
        """A loop that returns what it finds."""
        self.features["for"] += 1
        self.features["return in a loop"] += 1
        self.features["early return"] += 1
        before = dict(self.f.names)
        self.f.loops += 1
        head, fixed, kind = self.loop_head()
        test = self.expression("bool", 2)
        found = f"if {test}:\n" + _indent(self.result())
        self.f.loops -= 1
        body = self.loop_body("", fixed, kind) + "\n" if self.random.random() < 0.6 else ""
        self.f.names = before
        return f"{head}:\n" + _indent(body + found)


def _indent(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.strip("\n").split("\n"))
