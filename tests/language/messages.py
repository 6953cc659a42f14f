"""Writes `docs/messages.md`: each message of the compiler, and a program that gives it."""

from __future__ import annotations

import contextlib
import linecache
import os
import re
import tempfile
import textwrap
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import chainer
import numpy as np
import pytest

import elichika
from tests.sources import module_of

PATH = Path(__file__).parents[2] / "docs" / "messages.md"
FILE = "model.py"
LONGEST = 80
"""Characters of a heading."""

HEAD = """# Every message

Written by `make docs` from `tests/language/message_rows`; a test compares every text, and another
one that no message of the compiler is without a program. [Errors](errors.md) has the typical ones.

Each program is the body of `forward(self, x, n, c, l)`, compiled with `x`, float32[batch, 3], `n`,
an int, `c`, a bool, and `l`, a list of floats, below what stands above it and `import`s of chainer,
numpy and the standard library. Calls of the library have a `chain`, whose `forward(x, n=1,
more=None)` returns `x * n`, an `x`, float32[2, 3], the `model` of `(x, 2)`, and `loaded`, the same
from a file.
"""

PRELUDE = """\
import collections, contextlib, copy, dataclasses, functools, itertools, math, operator, types
import chainer, chainer.functions as F, chainer.links as L
import numpy as np

"""


@dataclass(frozen=True)
class Row:
    """A program that is refused.

    Attributes:
        code: The body of `forward`.
        above: What stands above the chain.
        init: The body of `__init__`.
        options: Of `compile_model`.
        inputs: The example, else the usual one.
        then: What the compiled model is called with, where it is that which fails.
    """

    code: str
    above: str = ""
    init: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    inputs: Any = None
    then: tuple[Any, ...] | None = None

    @property
    def name(self) -> str:
        """The test id."""
        return " ".join(self.code.split())[:80]

    @property
    def shown(self) -> str:
        """The program as the document shows it."""
        made = f"def __init__(self):\n{textwrap.indent(self.init, '    ')}\n\n" if self.init else ""
        above = f"{self.above}\n\n" if self.above else ""
        options = "".join(f"# {name}={value!r}\n" for name, value in self.options.items())
        return f"{options}{above}{made}{self.code}\n"

    def run(self) -> None:
        """Compile the program, and call it."""
        options = {"dynamic_axes": {"x": {0: "batch"}}, "verify": False, **self.options}
        inputs = usual() if self.inputs is None else self.inputs
        model = elichika.compile_model(self._chain(), inputs, **options)
        if self.then is not None:
            model(*self.then)

    def _chain(self) -> Any:
        body = f"def forward(self, x, n, c, l):\n{textwrap.indent(self.code, '    ')}\n"
        if self.init:
            init = textwrap.indent(self.init, "    ")
            body = f"def __init__(self):\n    super().__init__()\n{init}\n\n{body}"
        above = f"{self.above}\n\n\n" if self.above else ""
        chain = f"class Model(chainer.Chain):\n{textwrap.indent(body, '    ')}"
        return module_of(f"{PRELUDE}{above}{chain}", FILE)["Model"]()


@dataclass(frozen=True)
class Call:
    """A call of the library that is refused.

    Attributes:
        code: What is called; `chain` computes `x * n` and may be given more, `x` is float32[2, 3],
            `model` is the chain compiled with `(x, 2)`, and `loaded` is that from a file.
    """

    code: str

    @property
    def name(self) -> str:
        """The test id."""
        return " ".join(self.code.split())[:80]

    @property
    def shown(self) -> str:
        """The program as the document shows it."""
        return f"{self.code}\n"

    def run(self) -> None:
        """Make the call."""
        source = "class Model(chainer.Chain):\n    def forward(self, x, n=1, more=None):\n"
        space = module_of(f"{PRELUDE}{source}        return x * n\n", FILE)
        space |= {"chain": space["Model"](), "elichika": elichika, "x": usual()[0]}
        with tempfile.TemporaryDirectory() as folder, _inside(folder):
            if re.search(r"\bmodel\b|\bloaded\b", self.code):
                model = elichika.compile_model(space["chain"], (space["x"], 2), verify=False)
                model.save("model.onnx")
                space |= {"model": model, "loaded": elichika.load("model.onnx")}
            exec(self.code, space)


@contextlib.contextmanager
def _inside(folder: str) -> Iterator[None]:
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def usual() -> tuple[Any, ...]:
    """Return the usual example."""
    return np.arange(6, dtype=np.float32).reshape(2, 3), 2, True, [1.5, -2.0]


def text_of(row: Row | Call) -> str:
    """Return the error that a row gives, as the compiler says it.

    Many examples here are refused by Chainer as well, which a user would be told instead.

    Raises:
        AssertionError: There is none.
    """
    try:
        with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
            warnings.simplefilter("ignore")
            patch.setattr("elichika.compiler.failure_of", lambda *_, **__: None)
            with chainer.using_config("train", False):
                row.run()
    except elichika.ElichikaError as error:
        return f"elichika.{type(error).__name__}: {error}"
    finally:
        linecache.cache.pop(FILE, None)
    raise AssertionError(f"no error: {row.code}")


def section(row: Row | Call) -> str:
    """Return the part of the document about one row."""
    text = text_of(row)
    return f"\n### {heading(text)}\n\n```python\n{row.shown}```\n\n```text\n{text}\n```\n"


def heading(text: str) -> str:
    """Return the message of an error as a heading: without its class, and not too long."""
    first = text.splitlines()[0].partition(": ")[2].rstrip(".")
    if len(first) > LONGEST:
        first = first[:LONGEST].rsplit(" ", 1)[0].rstrip("`") + " …"
    return re.sub(r"([\\*_<>\[\]|#])", r"\\\1", first.replace("`", ""))


def document() -> str:
    """Return the whole document."""
    from tests.language.message_rows import GROUPS

    parts = [f"\n## {title}\n" + "".join(map(section, rows)) for title, rows in GROUPS.items()]
    return HEAD + "".join(parts)


if __name__ == "__main__":
    PATH.write_text(document())
