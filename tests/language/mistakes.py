"""Writes `docs/errors.md`: typical mistakes, and the whole text of the error that a user sees."""

from __future__ import annotations

import linecache
import textwrap
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import chainer
import numpy as np

import elichika
from tests.sources import module_of

PATH = Path(__file__).parents[2] / "docs" / "errors.md"
FILE = "model.py"

HEAD = """# What errors look like

Written by `make docs` from `tests/language/mistakes.py`; a test compares every text. Each model
takes `x`, float32[batch, 3], `n`, an int, `c`, a bool, and `l`, a list of floats, or what its
heading says.
"""

PRELUDE = """\
import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
import time, random, functools

def doubled(function):
    @functools.wraps(function)
    def inner(*args):
        return function(*args) * 2
    return inner

class Model(chainer.Chain):
"""


@dataclass
class Mistake:
    """A model with a mistake in it.

    Attributes:
        title: What is wrong, as a heading.
        code: The methods of the chain.
        options: Of `compile_model`.
        inputs: The example, else the usual one.
        then: What the compiled model is called with, where it is that which fails.
        hidden: Whether the source is kept from the compiler.
    """

    title: str
    code: str
    options: dict[str, Any] = field(default_factory=dict)
    inputs: Any = None
    then: tuple[Any, ...] | None = None
    hidden: bool = False


X = np.arange(6, dtype=np.float32).reshape(2, 3)
USUAL = (X, 2, True, [1.5, -2.0])


def _forward(body: str) -> str:
    return f"def forward(self, x, n, c, l):\n{textwrap.indent(body, '    ')}\n"


def _mistake(title: str, body: str, **more: Any) -> Mistake:
    return Mistake(title, _forward(body), **more)


MISTAKES = [
    _mistake(
        "A structure that grows in a loop", "s = x\nfor i in range(n):\n    s = (s, x[0])\nreturn s"
    ),
    _mistake("A source of randomness", "rng = np.random.RandomState()\nreturn x + rng.rand(3)"),
    _mistake("A text of a value", "return {f'layer{n}': x}"),
    _mistake("A key known when the model runs", "return {n: x}"),
    _mistake("A set of values", "return len({n, 1})"),
    _mistake("A name that is set on no path", "if False:\n    y = x\nreturn y"),
    _mistake("A name of nothing", "return y"),
    _mistake("An attribute that is not there", "return self.w * x"),
    _mistake("Shapes that do not fit", "return F.matmul(x, np.ones((4, 2), 'f'))"),
    _mistake("An axis that is not there", "return x.sum(axis=2)"),
    _mistake("A dtype that Chainer refuses", "return F.relu(chainer.Variable(x.astype('i')))"),
    _mistake("A truth of an array", "if x[0] > 0:\n    return x\nreturn -x"),
    _mistake("Time", "return x * time.time()"),
    _mistake("Random numbers of Python", "return x * random.random()"),
    _mistake("Random numbers of numpy", "return x + np.random.rand(3)"),
    _mistake("A file", "with open('weights') as f:\n    pass\nreturn x"),
    _mistake("Identity as a number", "return x * id(self)"),
    _mistake("The order of a set", "return [x * k for k in {1, 2, 3}]"),
    _mistake("A native call that writes", "b = bytearray(2)\nb.append(3)\nreturn x * len(b)"),
    _mistake(
        "An error that only a model can see, caught",
        "try:\n    y = 1 / n\nexcept ZeroDivisionError:\n    y = 0\nreturn x * y",
    ),
    _mistake("A number of arguments known when the model runs", "return np.broadcast_arrays(*l)"),
    _mistake("A class in `forward`", "class Count(int):\n    pass\nreturn x"),
    _mistake("`async`", "async def later():\n    pass\nreturn x"),
    _mistake(
        "Recursion on data",
        "def go(v, k):\n    return v if k <= 0 else go(v, k - 1) + 1\nreturn go(x, n)",
    ),
    _mistake(
        "A generator used twice",
        "g = (v for v in l)\nfor v in g:\n    if v > n:\n        break\nreturn [v for v in g]",
    ),
    _mistake(
        "A list that grows while it is looped over",
        "a = [1, 2]\nfor v in a:\n    if n > v:\n        a.append(v)\nreturn len(a) + n",
    ),
    _mistake("A list of lists of arrays", "return [[x] * i for i in range(n)]"),
    _mistake("A function of numpy that is not compiled", "return np.packbits(x > 0)"),
    _mistake(
        "In an expression over several lines",
        "return (\n    x\n    + np.packbits(\n        x > 0\n    )\n)",
    ),
    Mistake(
        "In a lambda",
        "def forward(self, x, n, c, l):\n    scale = lambda v: {v: 1}\n    return x * scale(n)\n",
    ),
    Mistake(
        "In a decorated method",
        "@doubled\ndef inner(self, n):\n    return {n: 1}\n\ndef forward(self, x, n, c, l):\n    return self.inner(n)\n",
    ),
    Mistake(
        "In a method that a method calls",
        "def inner(self, n):\n    return {n: 1}\n\ndef outer(self, n):\n    return self.inner(n + 1)\n\ndef forward(self, x, n, c, l):\n    return self.outer(n)\n",
    ),
    Mistake(
        "In a comprehension",
        "def forward(self, x, n, c, l):\n    return [{i: x} for i in range(n)]\n",
    ),
    Mistake(
        "A parameter that is not initialised",
        "def __init__(self):\n    super().__init__()\n    with self.init_scope():\n        self.fc = L.Linear(None, 4)\n\ndef forward(self, x, n, c, l):\n    return self.fc(x)\n",
    ),
    Mistake(
        "Inside a link of Chainer",
        "def __init__(self):\n    super().__init__()\n    with self.init_scope():\n        self.fc = L.Linear(5, 4)\n\ndef forward(self, x, n, c, l):\n    return self.fc(x)\n",
    ),
    _mistake("An output that is no tensor", "return x, object()"),
    _mistake("Too few inputs", "return x", inputs=(X,)),
    _mistake("An input of no kind", "return x", inputs=(X, 2, True, object())),
    Mistake("Source that cannot be read", _forward("return x * n"), hidden=True),
    _mistake(
        "When it runs: a failed assert",
        "assert n > 0, 'too few turns'\nreturn x * n",
        then=(X, 0, True, [1.0]),
    ),
    _mistake(
        "When it runs: an exception",
        "if n > 3:\n    raise ValueError('too many turns')\nreturn x * n",
        then=(X, 4, True, [1.0]),
    ),
    _mistake(
        "When it runs: an index",
        "return l[n]",
        then=(X, 5, True, [1.0, 2.0]),
        inputs=(X, 1, True, [1.0, 2.0]),
    ),
    _mistake(
        "When it runs: a value that is not there",
        "y = None\nif c:\n    y = x\nreturn F.relu(y)",
        then=(X, 1, False, []),
    ),
    _mistake("When it runs: a division", "return x * (1 // n)", then=(X, 0, True, [1.0])),
    _mistake("When it runs: another dtype", "return x * n", then=(X.astype("d"), 1, True, [1.0])),
    _mistake("When it runs: another size", "return x * n", then=(X[:, :2], 1, True, [1.0])),
    _mistake("When it runs: shapes", "return x + np.zeros((n, 3), 'f')", then=(X, 7, True, [1.0])),
]


def chain_of(mistake: Mistake) -> Any:
    """Return the chain, its class defined in a file that only `linecache` knows."""
    source = PRELUDE + textwrap.indent(mistake.code, "    ")
    return module_of(source, FILE, known=not mistake.hidden)["Model"]()


def text_of(mistake: Mistake) -> str:
    """Return the error that a mistake gives, as its user sees it.

    Raises:
        AssertionError: There is none.
    """
    inputs = USUAL if mistake.inputs is None else mistake.inputs
    options = {"dynamic_axes": {"x": {0: "batch"}}, "verify": False, **mistake.options}
    try:
        with chainer.using_config("train", False):
            model = elichika.compile_model(chain_of(mistake), inputs, **options)
            if mistake.then is not None:
                model(*mistake.then)
    except elichika.ElichikaError as error:
        return f"elichika.{type(error).__name__}: {error}"
    finally:
        linecache.cache.pop(FILE, None)
    raise AssertionError(f"no error: {mistake.title}")


def section(mistake: Mistake) -> str:
    """Return the section of the document about one mistake."""
    return f"\n## {mistake.title}\n\n```python\n{mistake.code}```\n\n```text\n{text_of(mistake)}\n```\n"


if __name__ == "__main__":
    PATH.parent.mkdir(exist_ok=True)
    PATH.write_text(HEAD + "".join(section(mistake) for mistake in MISTAKES))
