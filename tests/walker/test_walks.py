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


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
@pytest.mark.parametrize("depth", MOST)
def test_body_is_walked_few_times(depth: int, body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    walks: Counter[int] = Counter()
    original = Loops._turn

    def counted(self: Loops, node: Any, item: Any) -> Any:
        walks[node.lineno] += 1
        return original(self, node, item)

    monkeypatch.setattr(Loops, "_turn", counted)
    chain = model_of(depth, body)
    model = elichika.compile_model(chain, (np.ones(3, np.float32), 2), verify=False)
    assert len(walks) == depth
    assert max(walks.values()) <= MOST[depth], walks
    for n in (0, 1, 3):
        found = model(np.ones(3, np.float32), n)
        expected = model_of(depth, body).forward(np.ones(3, np.float32), n)
        np.testing.assert_allclose(np.asarray(found[0]), np.asarray(expected[0]))
        assert len(found[1]) == len(expected[1])


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
