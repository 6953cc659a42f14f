"""`match` becomes a chain of conditions.

    match f(x):                       subject = f(x)
        case 0 | 1:                   if subject == 0 or subject == 1:
            a()                           a()
        case [int(), y] if y > 0:     elif … and (y := items[1],) and y > 0:
            b()                           b()
        case z:                       else:
            c()                           z = subject
                                          c()

A pattern's names are bound when the whole pattern has matched, before the guard: by a walrus in a
tuple, which is true since it is not empty. Class patterns with positions are refused, but for the
builtin types that match themselves (`int(x)`): they depend on the class's `__match_args__`.
"""

from __future__ import annotations

from typing import Any

import gast

from .copies import copied
from .errors import UnsupportedSyntax
from .forms import is_name
from .names import Names
from .rewrite import Rewrite
from .targets import items_around
from .template import expression, template
from .walking import ByType, walk

__all__ = ["Matches"]

MATCH_THEMSELVES = frozenset(
    kind.__name__
    for kind in (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)
)
Bindings = list[tuple[str, gast.expr]]


class Matches(Rewrite):
    """Writes each `match` with `if`, `elif` and `else`."""

    makes_work = True

    @classmethod
    def concerns(cls, nodes: ByType) -> bool:
        return bool(nodes[gast.Match])

    def visit_Match(self, node: gast.Match) -> Any:
        self.generic_visit(node)
        subject = self.names.fresh("subject")
        patterns = Patterns(self.names)
        chain: list[gast.stmt] = []
        for case in reversed(node.cases):
            tests, bindings = patterns.of(case.pattern, subject)
            if case.guard is not None:
                tests += [*_binding(bindings, case.guard), case.guard]
            elif bindings and tests:
                tests += _binding(bindings, case.pattern)
            else:
                stores = [_store(name, value, case.pattern) for name, value in bindings]
                case.body = [line for store in stores for line in store] + case.body
            otherwise, chain = chain, case.body
            if tests:
                code = "if test:\n    body"
                chain = template(code, at=case.pattern, test=_all(tests), body=case.body)
                chain[0].orelse = otherwise
        start = template("name = value", at=node.subject, name=subject, value=node.subject)
        start[0].comment = node.origin
        return start + patterns.imports + chain


def _store(name: str, value: gast.expr, at: gast.AST) -> list[gast.stmt]:
    return template("name = value", at=at, name=name, value=value)


def _binding(bindings: Bindings, at: gast.AST) -> list[gast.expr]:
    """A test that always holds and binds names."""
    if not bindings:
        return []
    test = expression("()", at=at)
    test.elts = [
        expression("(name := value)", at=at, name=name, value=value) for name, value in bindings
    ]
    return [test]


def _all(tests: list[gast.expr], code: str = "a and b") -> gast.expr:
    if len(tests) == 1:
        return tests[0]
    test = expression(code, at=tests[0])
    test.values = tests
    return test


class Patterns:
    """Turns the patterns of one `match` into tests, in order, and the names that they bind."""

    def __init__(self, names: Names) -> None:
        """Take temporary names from `names`."""
        self.names = names
        self.imports: list[gast.stmt] = []
        self.imported: dict[str, str] = {}

    def of(self, pattern: Any, value: str) -> tuple[list[gast.expr], Bindings]:
        """The tests and bindings of a pattern against the value with that name."""
        method = getattr(self, f"of_{type(pattern).__name__}")
        tests: tuple[list[gast.expr], Bindings] = method(pattern, value)
        return tests

    def test(self, code: str, at: gast.AST, **holes: Any) -> gast.expr:
        """A test written as code, with Python's own meaning of the builtins in it."""
        test = expression(code, at=at, **holes)
        for node in walk(test):
            if hasattr(node, "builtin"):
                self.names.builtin(node.id, at)
        return test

    def of_MatchValue(self, pattern: Any, value: str) -> tuple[list[gast.expr], Bindings]:
        return [self.test("v == x", pattern, v=value, x=pattern.value)], []

    def of_MatchSingleton(self, pattern: Any, value: str) -> tuple[list[gast.expr], Bindings]:
        return [self.test(f"v is {pattern.value}", pattern, v=value)], []

    def of_MatchAs(self, pattern: Any, value: str) -> tuple[list[gast.expr], Bindings]:
        tests, bindings = self.of(pattern.pattern, value) if pattern.pattern else ([], [])
        if pattern.name is not None:
            bindings = [*bindings, (pattern.name, expression("v", at=pattern, v=value))]
        return tests, bindings

    def of_MatchOr(self, pattern: Any, value: str) -> tuple[list[gast.expr], Bindings]:
        alternatives = [self.of(inner, value) for inner in pattern.patterns]
        names = [name for name, _ in alternatives[0][1]]
        kept = {name: self.names.fresh(f"new_{name}") for name in names}
        tests = []
        for inner, bindings in alternatives:
            binding = _binding([(kept[name], read) for name, read in bindings], pattern)
            tests.append(_all([*inner, *binding] or [expression("True", at=pattern)]))
        bindings = [(name, expression("x", at=pattern, x=kept[name])) for name in names]
        return [_all(tests, "a or b")], bindings

    def of_MatchSequence(self, pattern: Any, value: str) -> tuple[list[gast.expr], Bindings]:
        sequence = self.abstract("Sequence", pattern)
        code = "isinstance(v, sequence) and not isinstance(v, (str, bytes, bytearray))"
        stars = [isinstance(inner, gast.MatchStar) for inner in pattern.patterns]
        length = f"len(v) {'>=' if any(stars) else '=='} {stars.count(False)}"
        tests = [self.test(f"{code} and {length}", pattern, v=value, sequence=sequence)]
        if all(_is_wildcard(inner) for inner in pattern.patterns):
            return tests, []
        items = self.names.fresh("items")
        tests += _binding([(items, expression("[*v]", at=pattern, v=value))], pattern)
        bindings: Bindings = []
        for inner, where in zip(pattern.patterns, items_around(stars), strict=True):
            self.part(inner, expression(where, at=inner, items=items), tests, bindings)
        return tests, bindings

    def of_MatchMapping(self, pattern: Any, value: str) -> tuple[list[gast.expr], Bindings]:
        if len(pattern.keys) > 1 and any(isinstance(k, gast.Attribute) for k in pattern.keys):
            raise UnsupportedSyntax(
                pattern, "a mapping pattern with a named key among others is not compiled"
            )
        mapping = self.abstract("Mapping", pattern)
        code = f"isinstance(v, mapping) and len(v) >= {len(pattern.keys)}"
        tests = [self.test(code, pattern, v=value, mapping=mapping)]
        bindings: Bindings = []
        reads = [
            self.test(
                "v.get(key, missing)", key, v=value, key=copied(key), missing=self.missing(pattern)
            )
            for key in pattern.keys
        ]
        self.present(reads, pattern.patterns, tests, bindings)
        if pattern.rest is not None:
            rest = self.names.fresh(f"new_{pattern.rest}")
            test = self.test("((rest := dict(v)),)", pattern, rest=rest, v=value)
            test.elts += [
                expression("rest.pop(key)", at=key, rest=rest, key=copied(key))
                for key in pattern.keys
            ]
            tests.append(test)
            bindings.append((pattern.rest, expression("rest", at=pattern, rest=rest)))
        return tests, bindings

    def of_MatchClass(self, pattern: Any, value: str) -> tuple[list[gast.expr], Bindings]:
        tests = [self.test("isinstance(v, cls)", pattern, v=value, cls=pattern.cls)]
        bindings: Bindings = []
        if pattern.patterns:
            own = is_name(pattern.cls) and pattern.cls.id in MATCH_THEMSELVES
            if not own or len(pattern.patterns) > 1:
                why = "a class pattern with positions depends on the class's `__match_args__`"
                raise UnsupportedSyntax(pattern, why)
            self.names.builtin(pattern.cls.id, pattern)
            inner_tests, bindings = self.of(pattern.patterns[0], value)
            tests += inner_tests
        reads = [
            self.test(f"getattr(v, {name!r}, missing)", at, v=value, missing=self.missing(pattern))
            for name, at in zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True)
        ]
        self.present(reads, pattern.kwd_patterns, tests, bindings)
        return tests, bindings

    def present(
        self,
        reads: list[gast.expr],
        patterns: list[Any],
        tests: list[gast.expr],
        bindings: Bindings,
    ) -> None:
        """Match items or attributes that may be missing; none is matched before all are there."""
        names = [self.names.fresh("value") for _ in reads]
        for name, read, pattern in zip(names, reads, patterns, strict=True):
            tests.append(
                expression(
                    "(name := read) is not missing",
                    at=pattern,
                    name=name,
                    read=read,
                    missing=self.missing(pattern),
                )
            )
        for name, pattern in zip(names, patterns, strict=True):
            inner_tests, inner_bindings = self.of(pattern, name)
            tests += inner_tests
            bindings += inner_bindings

    def part(
        self, pattern: Any, read: gast.expr, tests: list[gast.expr], bindings: Bindings
    ) -> None:
        """Match items that are there."""
        match pattern:
            case gast.MatchAs(pattern=None, name=name) | gast.MatchStar(name=name):
                bindings += [] if name is None else [(name, read)]
            case _:
                name = self.names.fresh("value")
                tests += _binding([(name, read)], pattern)
                inner_tests, inner_bindings = self.of(pattern, name)
                tests += inner_tests
                bindings += inner_bindings

    def abstract(self, kind: str, at: gast.AST) -> str:
        """The name of an abstract class, which is imported before the first test."""
        if kind not in self.imported:
            name = self.names.fresh(kind)
            self.imported[kind] = name
            self.imports += template(f"from collections.abc import {kind}", at=at)
            if name != kind:
                self.imports[-1].names[0].asname = name
        return self.imported[kind]

    def missing(self, at: gast.AST) -> str:
        """The name of an object that no item or attribute is."""
        if "missing" not in self.imported:
            self.names.builtin("object", at)
            self.imported["missing"] = self.names.fresh("missing")
            self.imports += template("name = object()", at=at, name=self.imported["missing"])
        return self.imported["missing"]


def _is_wildcard(pattern: Any) -> bool:
    match pattern:
        case gast.MatchAs(pattern=None, name=None) | gast.MatchStar(name=None):
            return True
    return False
