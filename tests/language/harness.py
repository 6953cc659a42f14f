"""Compiles a small program inside dynamic branches and loops, and holds the model against Python.

A program is an expression or a block that returns, over the inputs

    x  float32[N, 2]    n  int    c  bool    f  float    l  list of floats, of any length

and `self`, with the names of `world.py` around it. One model holds it three times: as it stands, in
both sides of an `if` on an input, and in a loop of `n` turns.
"""

from __future__ import annotations

import re
import textwrap
import warnings
from typing import Any

import chainer
import numpy as np

import elichika
from tests import programs
from tests.language import world
from tests.programs import Program, chain_of
from tests.sources import module_of

PARAMETERS = "self, x, n, c, f, l"
AXES = {"x": {0: "N"}}
#: What a program finds around it.
NAMES = {**vars(world), "__name__": world.__name__}

FORWARD = """
def forward({parameters}):
    plain = program(self, x, n, c, f, l)
    if c:
        chosen = program(self, x, n, n > 2, f, l)
    else:
        chosen = program(self, x * 2, n + 1, True, f - 0.25, l)
    looped = plain
    for turn in range(n):
        looped = program(self, x + turn, n - turn, not c, f, l)
    return plain, chosen, looped, n
"""


def _array(*rows: tuple[float, float]) -> np.ndarray[Any, Any]:
    return np.array(rows, np.float32).reshape(-1, 2)


INPUTS: list[tuple[Any, ...]] = [
    (_array((0.5, -1.25), (2.0, 0.75), (-0.5, 1.5)), 3, True, 2.5, [1.5, -2.0, 0.5]),
    (_array((1.5, 0.25)), 0, False, -1.25, []),
    (_array((1.0, 2.0), (-3.0, 0.5), (0.25, 0.25), (4.0, -1.0)), 5, False, 0.5, [3.0]),
    (_array((-1.0, 0.5), (0.75, -0.25)), -2, True, 7.0, [1.0, 2.0, 2.0, -1.0]),
]


class Model(chainer.Chain):
    """What the programs see as `self`."""

    k = 3

    def __init__(self) -> None:
        super().__init__()
        self.items = [1, 2]

    def double(self, a: Any) -> Any:
        return a * 2


def source_of(code: str) -> str:
    """Return a program as the body of a function."""
    body = textwrap.dedent(code)
    if not re.search(r"\breturn\b", body):
        body = f"return ({body})"
    return f"def program({PARAMETERS}):\n{textwrap.indent(body, '    ')}\n"


def text_of(code: str) -> str:
    """Return the module that runs a program thrice; see `FORWARD`."""
    return f"{source_of(code)}\n{FORWARD.format(parameters=PARAMETERS)}"


def program_of(code: str) -> Program:
    """Return what runs a program thrice, and the inputs that it is run on."""
    text = text_of(code)
    space = module_of(text, f"<program {abs(hash(text)):x}>", NAMES)
    return Program(space["forward"], INPUTS, AXES, base=Model)


def model_of(code: str) -> chainer.Chain:
    """Return a chain whose forward runs the program thrice."""
    return chain_of(program_of(code))


def single(code: str) -> chainer.Chain:
    """Return a chain whose forward is the program."""
    text = f"{source_of(code)}\nforward = program\n"
    space = module_of(text, f"<program {abs(hash(text)):x}>", NAMES)
    return chain_of(Program(space["forward"], INPUTS, AXES, base=Model))


def compiled(code: str, compiler: Any = elichika.compile_model) -> Any:
    """Compile a program without verification; the example is the first input."""
    return programs.compiled(program_of(code), compiler)


def differences(code: str, model: Any) -> list[str]:
    """Return how the model and Python differ over the inputs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return programs.differences(program_of(code), model)
