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
from tests.sources import dedented, module_of

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


def _methods(title: str, code: str, **more: Any) -> Mistake:
    return Mistake(title, f"{dedented(code)}\n", **more)


def _mistake(title: str, body: str, **more: Any) -> Mistake:
    body = textwrap.indent(dedented(body), "    ")
    return _methods(title, f"def forward(self, x, n, c, l):\n{body}", **more)


MISTAKES = [
    _mistake(
        "A structure that grows in a loop",
        """
        s = x
        for i in range(n):
            s = (s, x[0])
        return s
        """,
    ),
    _mistake(
        "A source of randomness",
        """
        rng = np.random.RandomState()
        return x + rng.rand(3)
        """,
    ),
    _mistake("A text of a value", "return {f'layer{n}': x}"),
    _mistake("A set of values", "return [i for i in {n, 1} | {2}]"),
    _mistake(
        "A name that is set on no path",
        """
        if False:
            y = x
        return y
        """,
    ),
    _mistake("A name of nothing", "return y"),
    _mistake("An attribute that is not there", "return self.w * x"),
    _mistake("Shapes that do not fit", "return F.matmul(x, np.ones((4, 2), 'f'))"),
    _mistake("An axis that is not there", "return x.sum(axis=2)"),
    _mistake("A dtype that Chainer refuses", "return F.relu(chainer.Variable(x.astype('i')))"),
    _mistake(
        "A truth of an array",
        """
        if x[0] > 0:
            return x
        return -x
        """,
    ),
    _mistake("Time", "return x * time.time()"),
    _mistake("Random numbers of Python", "return x * random.random()"),
    _mistake("Random numbers of numpy", "return x + np.random.rand(3)"),
    _mistake(
        "A file",
        """
        with open('weights') as f:
            pass
        return x
        """,
    ),
    _mistake("Identity as a number", "return x * id(self)"),
    _mistake("The order of a set", "return [x * k for k in {n, 2} | {3}]"),
    _mistake(
        "A native call that writes",
        """
        b = bytearray(2)
        b.append(3)
        return x * len(b)
        """,
    ),
    _mistake(
        "An error that only a model can see, caught",
        """
        try:
            y = math.log(n)
        except ValueError:
            y = 0
        return x * y
        """,
    ),
    _mistake("A number of arguments known when the model runs", "return np.broadcast_arrays(*l)"),
    _mistake(
        "A class in `forward`",
        """
        class Count(int):
            pass
        return x
        """,
    ),
    _mistake(
        "`async`",
        """
        async def later():
            pass
        return x
        """,
    ),
    _mistake(
        "Recursion on data",
        """
        def go(*given):
            v, k = given
            return v if k <= 0 else go(*[v, k - 1]) + 1
        return go(x, n)
        """,
    ),
    _mistake("A list of lists of arrays of unlike sizes", "return [[x[:i]] * i for i in range(n)]"),
    _mistake("A function of numpy that is not compiled", "return np.packbits(x > 0)"),
    _mistake(
        "In an expression over several lines",
        """
        return (
            x
            + np.packbits(
                x > 0
            )
        )
        """,
    ),
    _methods(
        "In a lambda",
        """
        def forward(self, x, n, c, l):
            scale = lambda v: {f'{v}': 1}
            return x * scale(n)
        """,
    ),
    _methods(
        "In a decorated method",
        """
        @doubled
        def inner(self, n):
            return {f'{n}': 1}

        def forward(self, x, n, c, l):
            return self.inner(n)
        """,
    ),
    _methods(
        "In a method that a method calls",
        """
        def inner(self, n):
            return {f'{n}': 1}

        def outer(self, n):
            return self.inner(n + 1)

        def forward(self, x, n, c, l):
            return self.outer(n)
        """,
    ),
    _methods(
        "In a comprehension",
        """
        def forward(self, x, n, c, l):
            return [{f'{i}': x} for i in range(n)]
        """,
    ),
    _methods(
        "A parameter that is not initialised",
        """
        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.fc = L.Linear(None, 4)

        def forward(self, x, n, c, l):
            return self.fc(x)
        """,
    ),
    _methods(
        "Inside a link of Chainer",
        """
        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.fc = L.Linear(5, 4)

        def forward(self, x, n, c, l):
            return self.fc(x)
        """,
    ),
    _mistake("An output that is not a tensor", "return x, object()"),
    _mistake("Too few inputs", "return x", inputs=(X,)),
    _mistake("An input of no kind", "return x", inputs=(X, 2, True, object())),
    _mistake("Source that cannot be read", "return x * n - x", hidden=True),
    _mistake(
        "When it runs: a failed assert",
        """
        assert n > 0, 'too few turns'
        return x * n
        """,
        then=(X, 0, True, [1.0]),
    ),
    _mistake(
        "When it runs: an exception",
        """
        if n > 3:
            raise ValueError('too many turns')
        return x * n
        """,
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
        """
        y = None
        if c:
            y = x
        return F.relu(y)
        """,
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
    shown = f"```python\n{mistake.code}```\n\n```text\n{text_of(mistake)}\n```"
    return f"\n## {mistake.title}\n\n{shown}\n"


if __name__ == "__main__":
    PATH.parent.mkdir(exist_ok=True)
    PATH.write_text(HEAD + "".join(section(mistake) for mistake in MISTAKES))
