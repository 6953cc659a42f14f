"""What messages say: words of the program, on one screen, and only what is true."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import elichika
from tests.language.kinds import INTERNAL, KINDS, message, operations, said
from tests.programs import Program, check, compiled, f32
from tests.sources import module_of

OPERATIONS = operations()


@pytest.mark.parametrize("kind", KINDS)
def test_no_message_says_a_word_of_the_compiler(kind: str) -> None:
    """A part of the operations on each kind of value; `python -m tests.language.kinds` has all."""
    start = list(KINDS).index(kind) % 7
    for operation in OPERATIONS[start::7]:
        text = message(kind, operation)
        assert text is None or not INTERNAL.search(said(text)), (operation, text)


def endless(x, n):
    return endless_too(x, n) + 1


def endless_too(x, n):
    return endless(x, n)


def one_after_the_other(depth: int) -> Any:
    """Return functions of which each calls the next, and the last what is not compiled."""
    source = "".join(f"def f{i}(x):\n    return f{i + 1}(x)\n" for i in range(depth))
    return module_of(f"{source}def f{depth}(x):\n    return hash(x)\n", "model.py")["f0"]


@pytest.mark.parametrize(
    ("forward", "shown"),
    [
        (lambda self, x, n: endless(x, n), r"more calls of `endless(_too)?` and `endless(_too)?`"),
        (lambda self, x, n: one_after_the_other(30)(x), r"\.\.\. \d+ more calls"),
    ],
    ids=["endless", "deep"],
)
def test_an_error_fits_on_one_screen(forward: Any, shown: str) -> None:
    with pytest.raises(elichika.ElichikaError) as caught:
        compiled(Program(forward, [(f32(3), 2)]))
    assert len(str(caught.value).split("\n")) <= 40
    assert re.search(shown, str(caught.value)) or "exec" in str(caught.value)


def counted(self, x):
    counts = np.zeros(3, np.uint8)
    np.add.at(counts, [0, 0], 1)
    return x * counts[0]


def product(self, x):
    out = np.zeros(2)
    np.dot(np.eye(2), np.ones(2), out=out)
    return x * out[0]


@pytest.mark.parametrize("forward", [counted, product], ids=lambda f: f.__name__)
def test_writes_of_native_code_to_arrays(forward: Any) -> None:
    """What numpy refuses of the compiler's own read-only arrays is no failure of the program."""
    program = Program(forward, [(f32(3),), (f32(3, seed=1),)])
    check(program, compiled(program))


def resized(self, x):
    u = np.arange(3)
    u.resize(5)
    return x[0] * u


def fits(self, x, n):
    counts = np.zeros(3, np.uint8)
    np.add.at(counts, [0, 0], n)
    return x * counts[0]


@pytest.mark.parametrize(("forward", "given"), [(resized, ()), (fits, (3,))])
def test_what_works_in_numpy_is_not_said_to_raise(forward: Any, given: Any) -> None:
    with pytest.raises(elichika.StagingError) as caught:
        compiled(Program(forward, [(f32(3), *given)]))
    assert "raises this" not in str(caught.value)


def compared(self, x):
    return x == "mean"


def test_an_array_and_a_text() -> None:
    with pytest.raises(elichika.StagingError, match="an array cannot be combined with a text"):
        compiled(Program(compared, [(f32(3),)]))
