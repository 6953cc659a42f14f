"""How often the body of a loop is walked, and how compile time grows with the source."""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

import numpy as np
import pytest

import elichika
from elichika.walker.loops import Loops
from tests.sources import module_of

#: The most walks of the innermost body of loops nested this deep.
MOST = {1: 5, 2: 8, 3: 11, 4: 17}
BODIES = {
    "a number becomes a tensor": "s = s + x",
    "an attribute is set once": "self.h = x * 2 if self.h is None else self.h + x; s = self.h",
    "a list grows": "items.append(x); s = s + x",
    "a name is bound first in the body": "t = x * i0; s = s + t",
    "an array changes through an alias": "alias += x; s = alias",
}


def model_of(depth: int, body: str, lines: int = 1) -> Any:
    """A chain whose forward has loops nested that deep around some lines."""
    source = [
        "import chainer",
        "class Model(chainer.Chain):",
        "    h = None",
        "    def forward(self, x, n):",
        "        s, items, alias = 0, [], x * 2",
    ]
    indent = "        "
    for level in range(depth):
        source.append(f"{indent}for i{level} in range(n):")
        indent += "    "
    source += [indent + body] * lines
    source.append("        return s, items, alias")
    file = f"nested_{depth}_{len(body)}_{lines}.py"
    return module_of("\n".join(source) + "\n", file)["Model"]()


@pytest.fixture
def walks(monkeypatch: pytest.MonkeyPatch) -> Counter[int]:
    """How often the body of each loop was walked, by the loop's line."""
    found: Counter[int] = Counter()
    original = Loops._turn

    def counted(self: Loops, node: Any, item: Any) -> Any:
        found[node.lineno] += 1
        return original(self, node, item)

    monkeypatch.setattr(Loops, "_turn", counted)
    return found


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
@pytest.mark.parametrize("depth", MOST)
def test_body_is_walked_few_times(depth: int, body: str, walks: Counter[int]) -> None:
    chain = model_of(depth, body)
    model = elichika.compile_model(chain, (np.ones(3, np.float32), 2), verify=False)
    assert len(walks) == depth
    assert max(walks.values()) <= MOST[depth], walks
    for n in (0, 1, 3):
        found = model(np.ones(3, np.float32), n)
        expected = model_of(depth, body).forward(np.ones(3, np.float32), n)
        np.testing.assert_allclose(np.asarray(found[0]), np.asarray(expected[0]))
        assert len(found[1]) == len(expected[1])


def arrays_of(depth: int) -> str:
    """Loops nested that deep, each of which makes the array anew."""
    lines = ["import chainer", "class Model(chainer.Chain):", "    def forward(self, x, n):"]
    lines.append("        h = x * 1")
    for level in range(depth):
        indent = "    " * (level + 2)
        lines += [f"{indent}for i{level} in range(n):", f"{indent}    h = h + 1"]
    return "\n".join([*lines, "        return h", ""])


def calls_of(depth: int) -> str:
    """Functions with a loop each that call one another to that depth."""
    lines = ["import chainer"]
    for level in reversed(range(depth)):
        inner = f"f{level + 1}(h, n)" if level + 1 < depth else "h + 1"
        lines += [f"def f{level}(h, n):", "    for _ in range(n):", f"        h = {inner} * 2"]
        lines.append("    return h")
    lines += ["class Model(chainer.Chain):", "    def forward(self, x, n):"]
    return "\n".join([*lines, "        return f0(x, n)", ""])


@pytest.mark.parametrize("source", [arrays_of, calls_of])
def test_loops_around_do_not_double_the_walks(source: Any, walks: Counter[int]) -> None:
    chain = module_of(source(6), f"{source.__name__}.py")["Model"]()
    model = elichika.compile_model(chain, (np.ones(3, np.float32), 2), verify=False)
    assert max(walks.values()) <= 10, walks
    for n in (0, 1, 2):
        found = model(np.ones(3, np.float32), n)
        np.testing.assert_allclose(found, chain.forward(np.ones(3, np.float32), n))


@pytest.mark.parametrize("depth", MOST)
def test_compile_time_is_linear_in_the_source(depth: int) -> None:
    seconds = []
    for lines in (10, 40):
        chain = model_of(depth, "s = s * 0.5 + x", lines)
        spent = []
        for _ in range(3):
            start = time.perf_counter()
            elichika.compile_model(chain, (np.ones(3, np.float32), 2), verify=False)
            spent.append(time.perf_counter() - start)
        seconds.append(min(spent))
    assert seconds[1] <= 2 * (40 / 10) * seconds[0]
