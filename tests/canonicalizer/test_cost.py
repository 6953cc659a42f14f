"""No more flags, guards and statements than there are jumps."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import indent

import gast
import pytest

from canonicalizer import canonicalize
from tests.sources import dedented


@dataclass(frozen=True)
class Cost:
    """What a canonical function has.

    Attributes:
        flags: Names that are set to False.
        guards: Conditions and tests of loops that ask a flag.
        statements: All statements, those in blocks too.
        depth: How deep its blocks are nested.
    """

    flags: int
    guards: int
    statements: int
    depth: int


def cost_of(body: str) -> Cost:
    """The cost of a function's canonical form."""
    tree = canonicalize(gast.parse("def f(x):\n" + indent(body, "    ")))
    nodes = list(gast.walk(tree))
    starts = [
        node.targets[0].id
        for node in nodes
        if isinstance(node, gast.Assign)
        and isinstance(node.value, gast.Constant)
        and node.value.value is False
    ]
    guards = [
        node
        for node in nodes
        if isinstance(node, gast.If | gast.While)
        and any(isinstance(n, gast.Name) and n.id in starts for n in gast.walk(node.test))
    ]
    statements = [node for node in nodes if isinstance(node, gast.stmt)]
    return Cost(len(starts), len(guards), len(statements), _depth(tree))


def _depth(node: gast.AST) -> int:
    inner = max((_depth(child) for child in gast.iter_child_nodes(node)), default=0)
    return inner + isinstance(node, gast.If | gast.For | gast.While)


MANY = "\n".join(f"g({index})" for index in range(30))


def test_thirty_statements_after_a_continue() -> None:
    """They are the other branch; a flag is only needed where the `if` can do both."""
    plain = cost_of(f"for i in x:\n    if i:\n        continue\n{indent(MANY, '    ')}")
    assert plain == Cost(flags=0, guards=0, statements=3 + 30, depth=2)
    inner = "if i:\n    if g():\n        continue\n    h()"
    both = cost_of(f"for i in x:\n{indent(inner, '    ')}\n{indent(MANY, '    ')}")
    added = 1 + 1 + 1  # `skip = False`, `skip = True` for the `continue`, `if not skip:`
    assert both == Cost(flags=1, guards=1, statements=5 + added + 30, depth=3)


JUMPS = {
    "returns": """
        if g({0}):
            return {0}
    """,
    "returns that fall through": """
        if g({0}):
            if h({0}):
                return {0}
            i()
    """,
    "returns in loops": """
        for i in g({0}):
            if h(i):
                return i
    """,
    "returns in nested loops": """
        for i in g({0}):
            while h(i):
                if i:
                    return i
    """,
    "returns in with": """
        with g({0}):
            if h({0}):
                return {0}
    """,
    "returns in try": """
        try:
            if h({0}):
                return {0}
        finally:
            i()
    """,
    "continues": """
        for i in x:
            if g({0}):
                continue
            h()
    """,
    "breaks": """
        while x:
            if g({0}):
                break
            h()
    """,
    "breaks and continues": """
        for i in x:
            if g({0}):
                break
            if h():
                continue
            i()
    """,
}
IN_ONE_LOOP = {
    "continues": """
        if g({0}):
            continue
        h({0})
    """,
    "continues that fall through": """
        if g({0}):
            if h({0}):
                continue
            i()
        j()
    """,
    "breaks": """
        if g({0}):
            break
        h({0})
    """,
    "breaks and continues": """
        if g({0}):
            if h({0}):
                break
            continue
        if i():
            j()
            continue
    """,
    "returns, breaks, continues": """
        if g({0}):
            return {0}
        if h():
            break
        if i():
            continue
    """,
}
JUMPS, IN_ONE_LOOP = (
    {name: dedented(body) for name, body in bodies.items()} for bodies in (JUMPS, IN_ONE_LOOP)
)
BODIES = {name: (body, "") for name, body in JUMPS.items()}
BODIES |= {f"{name} in one for": (body, "for i in x:\n") for name, body in IN_ONE_LOOP.items()}
BODIES |= {f"{name} in one while": (body, "while x:\n") for name, body in IN_ONE_LOOP.items()}


@pytest.mark.parametrize("name", BODIES)
def test_cost_grows_with_the_jumps(name: str) -> None:
    """Each jump costs the same, however many there are, and nests no deeper."""
    body, loop = BODIES[name]

    def cost(times: int) -> Cost:
        parts = "\n".join(body.format(index) for index in range(times))
        return cost_of(loop + indent(parts, "    ") if loop else parts)

    jumps = sum(body.count(word) for word in ("return", "continue", "break"))
    some, more, most = cost(20), cost(40), cost(60)
    for part in ("flags", "guards", "statements"):
        grown = [getattr(c, part) - getattr(b, part) for b, c in ((some, more), (more, most))]
        assert grown[0] == grown[1]
    assert most.flags <= 60 * jumps
    assert most.guards <= 60 * jumps * (1 + body.count("for ") + body.count("while ")) + 60
    assert most.statements <= 60 * (body.count("\n") + 1 + 4 * jumps) + 10
    assert most.depth == some.depth
