"""Random programs: all statements and jumps, nested deeply, with traced side effects."""

from __future__ import annotations

import itertools
import random
import warnings
from collections.abc import Callable

__all__ = ["program"]

DEPTH = 7
SIMPLE = [
    "call", "call", "assign", "swap", "unpack", "star", "nested_unpack", "chained", "augmented",
    "augmented_attribute", "augmented_item", "augmented_slice", "delete", "delete_many", "compare",
    "comprehension", "generator_expression", "function_with_comprehension", "walrus", "lazy",
    "assertion", "failure", "literal", "annotated", "lambda_default",
]  # fmt: skip
COMPOUND = [
    "condition", "condition", "condition", "chain", "for_loop", "for_loop", "while_loop",
    "while_loop", "with_block", "try_block", "try_block", "function", "function", "match_block",
    "search", "endless", "class_block",
]  # fmt: skip
JUMPS = ("return", "break", "continue", "raise")


def program(seed: int) -> str:
    """Return the source of a function `program` of `world`, the same for the same seed."""
    for attempt in itertools.count():
        source = _Writer(random.Random(f"{seed} {attempt}")).program()
        if _is_valid(source):
            return source
    raise AssertionError


def _is_valid(source: str) -> bool:
    """Whether Python takes a program: `nonlocal a` after `a = 1`, say, it does not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(source, "<program>", "exec")
        except SyntaxError:
            return False
    return True


PATTERNS = [
    "0 | -1", "'a'", "None", "True", "1 as a", "int(a)", "str()", "[1, a]", "(a, (b, _))",
    "[a, *_, b] | [a, b]", "[*_, int() as b]", "{'k': a}", "{'k': 1, **c}", "{'x': [a, _]}",
    "Thing(x=a)", "Thing(x=1 | 2 as b, y=_)", "(0 | 1) as c", "[a, b, *c]", "{}", "[]",
]  # fmt: skip


class _Writer:
    """Writes one program."""

    def __init__(self, source: random.Random) -> None:
        self.random = source
        self.count = 0
        self.depth = 0
        self.loops = 0
        self.fenced = 0  # in a finally block, outside of any loop in it
        self.generator = False
        self.tries = 0  # every fourth one has a jump in its `finally`
        self.size = source.randrange(4, 26)

    def program(self) -> str:
        self.generator = self.random.random() < 0.2
        names = "o = world.thing('o')\nThing = type(o)\na = b = c = world.value('start')\n"
        docstring = self.random.choice(["", "'''Docstring.'''\n"])
        ending = self.random.choice(["", f"return {self.value()}\n", "return a, b, c\n"])
        body = self.block(at_least=3)
        if self.generator:
            body += "\nyield 0"
        return "def program(world):\n" + _indent(docstring + names + body + "\n" + ending)

    def label(self) -> str:
        self.count += 1
        return repr(f"{self.count}")

    def name(self) -> str:
        return self.random.choice("aabbc")

    def value(self) -> str:
        return self.random.choice(
            [
                f"world.value({self.label()})",
                f"world.value({self.label()}, {self.name()})",
                self.name(),
                str(self.random.randrange(-3, 4)),
            ]
        )

    def test(self) -> str:
        return self.random.choice(
            [
                f"world.test({self.label()})",
                f"world.test({self.label()})",
                f"not world.test({self.label()})",
                f"world.test({self.label()}) and {self.value()} < {self.value()} <= {self.value()}",
                f"({self.name()} := {self.value()}) > 1",
                f"any(world.test({self.label()}) for _ in world.items({self.label()}))",
            ]
        )

    def target(self) -> str:
        return self.random.choice(
            [
                self.name(),
                self.name(),
                "o.x",
                f"world.thing({self.label()}).y",
                f"o[{self.value()}]",
            ]
        )

    def block(self, at_least: int = 1) -> str:
        self.depth += 1
        statements = []
        for _ in range(self.random.randrange(at_least, at_least + 4)):
            statements.append(self.statement())
            if statements[-1].startswith(JUMPS) and self.random.random() < 0.9:
                break  # what follows never runs
        self.depth -= 1
        return "\n".join(statements)

    def statement(self) -> str:
        self.size -= 1
        if self.random.random() < 0.16 and self.depth > 1:
            return self.jump()
        if self.generator and self.random.random() < 0.1:
            return self.random.choice(["yield a", "a = yield b", f"yield {self.value()}"])
        deep = self.depth > DEPTH or self.size < 0
        compound = not deep and self.random.random() < 0.62
        kind = self.random.choice(COMPOUND if compound else SIMPLE)
        method: Callable[[], str] = getattr(self, kind)
        return method()

    def jump(self) -> str:
        kinds = []
        if not self.fenced:
            kinds += ["return", "return None", f"return {self.value()}", f"return {self.value()}"]
        if self.loops:
            kinds += ["break", "break", "continue", "continue", "continue"]
        if not kinds:
            return self.failure()
        jump = self.random.choice(kinds)
        return self.random.choice([jump, f"if {self.test()}:\n    {jump}"])

    def call(self) -> str:
        return f"world.note({self.label()}, {self.name()})"

    def assign(self) -> str:
        return f"{self.target()} = {self.value()}"

    def literal(self) -> str:
        return f"{self.name()}, {self.target()} = {self.random.randrange(3)}, -1"

    def class_block(self) -> str:
        """A class, whose names are shown."""
        kept = self.loops, self.fenced, self.generator
        self.loops, self.fenced, self.generator = 0, 1, False
        name = f"C{self.label()[1:-1]}"
        lines = self.random.choice(["", "a = a_ = 1\n", "nonlocal b\n"]) + self.block()
        self.loops, self.fenced, self.generator = kept
        shown = "sorted(n for n in vars(NAME) if n[0] != '_')".replace("NAME", name)
        return f"class {name}:\n{_indent(lines)}\nworld.note({shown})"

    def annotated(self) -> str:
        value = self.value()
        return self.random.choice([f"h: int = {value}", "h: int", f"o.x: int = {value}"])

    def swap(self) -> str:
        return self.random.choice(
            [
                "a, b = b, a",
                f"{self.target()}, {self.target()} = {self.value()}, {self.value()}",
                f"a, (b, {self.target()}) = {self.value()}, ({self.value()}, {self.value()})",
                f"[a, b], c = [{self.value()}, b], {self.value()}",
            ]
        )

    def unpack(self) -> str:
        return f"{self.target()}, {self.target()} = world.row({self.label()})"

    def star(self) -> str:
        return self.random.choice(
            [
                f"{self.target()}, *o.rest = {self.iterable()}",
                f"*o.rest, {self.target()} = {self.iterable()}",
                f"{self.name()}, *o.rest, {self.name()} = {self.iterable()}",
            ]
        )

    def nested_unpack(self) -> str:
        return self.random.choice(
            [
                f"(a, {self.target()}), *o.rest = world.row({self.label()}), {self.value()}",
                f"for a, (b, *o.rest) in world.nested({self.label()}):\n    {self.call()}",
            ]
        )

    def iterable(self) -> str:
        return self.random.choice(
            [
                f"world.items({self.label()})",
                f"world.pairs({self.label()})",
                f"range({self.random.randrange(4)})",
                f"[{self.value()}, *world.items({self.label()})]",
            ]
        )

    def chained(self) -> str:
        return f"{self.target()} = {self.target()} = {self.value()}"

    def augmented(self) -> str:
        return f"{self.name()} += {self.value()}"

    def augmented_attribute(self) -> str:
        what = self.random.choice(["o", f"world.thing({self.label()})"])
        return f"{what}.x += {self.value()}"

    def augmented_item(self) -> str:
        what = self.random.choice(["o", f"world.thing({self.label()})", "o.thing"])
        return f"{what}[{self.value()}] += {self.value()}"

    def augmented_slice(self) -> str:
        part = self.random.choice(
            [
                f"{self.value()}:{self.value()}",
                f":{self.value()}, {self.value()}",
                f"*world.items({self.label()}), 1:{self.value()}",
                f"{self.value()}:{self.value()}:{self.value()}, o.x:",
            ]
        )
        return f"world.thing({self.label()})[{part}] += {self.value()}"

    def delete(self) -> str:
        name = self.name()
        gone = f"del {name}" + self.random.choice(["", *[f"\n{name} = {self.value()}"] * 4])
        return self.random.choice([gone, "del o.x", f"del o[{self.value()}]"])

    def delete_many(self) -> str:
        return f"del o.x, (o.y, o[{self.value()}])"

    def compare(self) -> str:
        kinds = [self.value(), self.value(), "o.x", f"(b := {self.value()})"]
        parts = self.random.choices(kinds, k=4)
        return f"world.note({parts[0]} < {parts[1]} <= {parts[2]} < {parts[3]})"

    def clauses(self) -> str:
        """The `for` and `if` of a comprehension over `j`."""
        clauses, last = f"for j in world.items({self.label()})", "3"
        if self.random.random() < 0.6:
            over = [("k, *m", "pairs"), ("(k, [l, m])", "nested"), ("k, (l, *m)", "nested")]
            target, source = self.random.choice(over)
            nested = f"for {target} in world.{source}({self.label()})"
            last = "k"
            if self.random.random() < 0.3:
                clauses = f"{nested} for j in m" if source == "pairs" else f"{nested} for j in [m]"
            else:
                clauses += self.random.choice(["", " if j"]) + f" {nested}"
        compared = f" if {self.value()} < {self.value()} < {last}"
        return clauses + self.random.choice(["", compared, " if j", f" if j if {self.name()} < 3"])

    def comprehension(self) -> str:
        clauses = self.clauses()
        item = self.random.choice(
            ["j", f"(j, {self.value()})", f"[{self.name()} + n for n in range(2)]", "(a := 7)"]
        )
        text = self.random.choice(
            [
                f"[{item} {clauses}]",
                f"sorted({{repr(j) {clauses}}})",
                f"{{world.value({self.label()}): {item} {clauses}}}",
                f"{{repr(j): {item} {clauses}}}",
                f"list({item} {clauses})",
            ]
        )
        return f"world.note({self.label()}, {text})"

    def generator_expression(self) -> str:
        return self.random.choice(
            [
                f"world.note(list({self.value()} for j in world.items({self.label()}) if j))",
                f"world.note(world.test({self.label()}) or sum(j + (b := 1) for j in range(a)))",
                f"world.note(next((j for j in {self.iterable()}), None))",
                f"world.note(next((j for j in {self.value()}), None) if not a else a)",
            ]
        )

    def function_with_comprehension(self) -> str:
        inner = f"[(lambda k: [k + i for i in range(2)])(j) for j in {self.name()}_]"
        return f"world.note((lambda a_, b_=[1], c_=(2,): {inner})([{self.value()}]))"

    def lambda_default(self) -> str:
        return (
            f"world.note((lambda x={self.value()}, *, y={self.value()}: "
            f"[x + y < j < {self.name()} for j in range(x)])())"
        )

    def walrus(self) -> str:
        return f"world.note(({self.name()} := {self.value()}), {self.name()})"

    def lazy(self) -> str:
        return self.random.choice(
            [
                f"a = {self.value()} if {self.test()} else {self.value()}",
                f"world.note({self.test()} or {self.value()} and {self.value()})",
                f"b = {self.test()} and [j for j in range({self.value()})]",
                f"world.note(f'{{{self.name()}!r}} {{[j for j in range(2)]}} {{-1 < a < 2}}')",
            ]
        )

    def assertion(self) -> str:
        message = self.random.choice(["", f", {self.value()}"])
        sure = f"world.sure({self.label()})"
        test = self.random.choice([sure, sure, f"not not {sure}", "1", "a or b or 1"])
        return f"assert {test}{message}"

    def failure(self) -> str:
        error = self.random.choice(["ValueError", "KeyError"])
        failure = f"raise {error}({self.label()})"
        return self.random.choice([failure, *[f"if {self.test()}:\n    {failure}"] * 4])

    def condition(self) -> str:
        text = f"if {self.test()}:\n{_indent(self.block())}"
        if self.random.random() < 0.4:
            text += f"\nelse:\n{_indent(self.block())}"
        return text

    def chain(self) -> str:
        text = f"if {self.test()}:\n{_indent(self.block())}"
        for _ in range(self.random.randrange(1, 4)):
            text += f"\nelif {self.test()}:\n{_indent(self.block())}"
        return text + self.random.choice(["", f"\nelse:\n{_indent(self.block())}"])

    def in_loop(self, start: str = "") -> str:
        self.loops += 1
        body = self.block()
        self.loops -= 1
        return start + body

    def for_loop(self) -> str:
        target = self.random.choice(
            [self.name(), "a, b", "a, *o.z", "o.x", f"o[{self.value()}]", "a, (b, *o.z)"]
        )
        source = "nested" if "(" in target else "pairs" if "," in target else "items"
        source = f"world.{source}({self.label()})"
        text = f"for {target} in {source}:\n{_indent(self.in_loop())}"
        return text + self.loop_else()

    def while_loop(self) -> str:
        test = self.test()
        body = self.in_loop("" if "world" in test else f"{self.call()}\n")  # each turn costs fuel
        return f"while {test}:\n{_indent(body)}" + self.loop_else()

    def endless(self) -> str:
        stop = f"if {self.test()}:\n{_indent(self.jump() if not self.fenced else 'break')}"
        body = self.in_loop(f"{self.call()}\n")
        if not self.loops and "break" in stop.split("\n")[-1]:
            stop = "break"
        return f"while True:\n{_indent(body)}\n{_indent(stop)}\n{_indent('break')}"

    def search(self) -> str:
        """A loop that returns what it finds."""
        if self.fenced:
            return self.call()
        found = f"if {self.test()}:\n    return j"
        return f"for j in world.items({self.label()}):\n{_indent(found)}"

    def loop_else(self) -> str:
        if self.random.random() < 0.7:
            return ""
        last = f"\nif {self.test()}:\n{_indent(self.jump())}" if self.random.random() < 0.2 else ""
        return f"\nelse:\n{_indent(self.block() + last)}"

    def with_block(self) -> str:
        item = f"world.manager({self.label()})"
        items = self.random.choice(
            [item, item, f"{item} as b", f"{item} as (a, b)", f"{item} as o.x, {item} as c"]
        )
        return f"with {items}:\n{_indent(self.block())}"

    def try_block(self) -> str:
        self.tries += 1
        if self.tries % 4 == 0:
            return self.jumping_final()
        text = f"try:\n{_indent(self.block())}"
        handlers = self.random.choice(
            [[], ["Exception as error"], ["ValueError"], ["ValueError as error", "Exception"]]
        )
        for handler in handlers:
            text += f"\nexcept {handler}:\n{_indent(self.block())}"
            if self.random.random() < 0.15:
                text += "\n    raise"
        if handlers and self.random.random() < 0.4:
            text += f"\nelse:\n{_indent(self.block())}"
        if not handlers or self.random.random() < 0.3:
            loops, self.loops = self.loops, 0
            self.fenced += 1
            text += f"\nfinally:\n{_indent(self.block())}"
            self.fenced -= 1
            self.loops = loops
        return text

    def jumping_final(self) -> str:
        """A `try` that nothing leaves but its `finally`, which may swallow what was raised."""
        kept = self.loops, self.fenced
        self.loops, self.fenced = 0, self.fenced + 1
        text = f"try:\n{_indent(self.block())}"
        if self.random.random() < 0.4:
            text += f"\nexcept ValueError:\n{_indent(self.block())}"
        self.loops, self.fenced = kept
        last = f"{self.call()}\nif {self.test()}:\n{_indent(self.jump())}\n{self.call()}"
        return f"{text}\nfinally:\n{_indent(last)}"

    def function(self) -> str:
        """A nested function or generator, defined and called."""
        name = f"f{self.label()[1:-1]}"
        kept = self.loops, self.fenced, self.generator
        self.loops, self.fenced, self.generator = 0, 0, self.random.random() < 0.3
        head = self.random.choice(["", "nonlocal b\n", "nonlocal a, c\n", "global g\n"])
        own = [name for name in "abc" if name not in head and self.random.random() < 0.95]
        head += "".join(f"{name} = {self.value()}\n" for name in own)
        body = self.block(at_least=2)
        if self.generator:
            body += "\nyield 9"
        call = f"list({name}())" if self.generator else f"{name}()"
        self.loops, self.fenced, self.generator = kept
        defaults = self.random.choice(["", f"d={self.value()}", "e=[j for j in range(2)]"])
        return f"def {name}({defaults}):\n{_indent(head + body)}\nworld.note({call})"

    def match_block(self) -> str:
        cases = ""
        patterns = self.random.sample(PATTERNS, self.random.randrange(1, 5))
        for pattern in [*patterns, self.random.choice(["_", "b", "[*_]"])]:
            guard = self.random.choice(["", "", f" if {self.test()}"])
            if pattern in ("_", "b") and cases.endswith("_"):
                continue
            cases += f"\ncase {pattern}{guard}:\n{_indent(self.block())}"
        return f"match world.subject({self.label()}):{_indent(cases)}"


def _indent(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.rstrip("\n").split("\n"))
