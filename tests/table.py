"""Tables of programs: each is compiled once, from its first input, and run on all.

A module holds the programs of one theme, and a test that says `hold` of each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tests.programs import Program, chain_of, check, compiled, f32, ints, outcome

#: Rows `x` of a dynamic number, a count and a switch: zero, one and many of each.
ROWS: list[tuple[Any, ...]] = [
    (f32(3, 2), 2, True),
    (f32(5, 2), 0, False),
    (-np.abs(f32(1, 2)), 1, True),
    (np.abs(f32(4, 2)), 3, False),
    (f32(2, 2, seed=5), 1, False),
    (f32(6, 2, seed=9), 5, True),
    (f32(0, 2), 0, True),
]
ROW_AXES = {"x": {0: "rows"}}

#: Two ints and a float.
NUMBERS: list[tuple[Any, ...]] = [
    (6, 4, 1.5),
    (0, 3, -2.0),
    (1, 1, 0.0),
    (-7, 2, 10.25),
    (35, -14, -0.5),
    (9, 0, 3.0),
]

#: A vector of dynamic length.
VECTORS: list[tuple[Any, ...]] = [
    (f32(4),),
    (f32(0),),
    (f32(1),),
    (np.array([3, 3, 1, 2, 3], np.float32),),
    (-np.abs(f32(7)),),
    (np.arange(5, dtype=np.float32),),
]
VECTOR_AXES = {"x": {0: "length"}}

#: Small ints of dynamic length, with repetitions, and a count.
TOKENS: list[tuple[Any, ...]] = [
    (ints(5), 2),
    (ints(0), 1),
    (ints(1), 3),
    (ints(9, seed=3), 1),
    (np.array([3, 3, 1, 0, 2, 3, 3]), 2),
    (ints(12, high=2), 4),
]
TOKEN_AXES = {"s": {0: "length"}}


class Table:
    """The programs of one module.

    Args:
        inputs: What a program runs on that names nothing else.
        axes: The dynamic axes of those inputs.
    """

    def __init__(self, inputs: Sequence[tuple[Any, ...]] = ROWS, axes: Any = ROW_AXES) -> None:
        self.programs: list[Program] = []
        self._inputs = inputs
        self._axes = axes

    def __call__(
        self,
        inputs: Sequence[tuple[Any, ...]] | None = None,
        axes: Any = None,
        **attributes: Callable[[], Any],
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Enter a `forward`; keywords make the attributes of its chain, each time the same."""

        def made() -> dict[str, Any]:
            np.random.seed(0)
            return {name: make() for name, make in attributes.items()}

        def enter(forward: Callable[..., Any]) -> Callable[..., Any]:
            self.programs.append(
                Program(
                    forward,
                    self._inputs if inputs is None else inputs,
                    self._axes if inputs is None else axes,
                    attributes=made,
                )
            )
            return forward

        return enter


def hold(program: Program) -> None:
    """Compile a program from its first input and compare it on every one."""
    assert len(program.inputs) >= 5, "one to compile from and at least four others"
    results = (outcome(chain_of(program).forward, inputs) for inputs in program.inputs)
    assert not all(isinstance(result, Exception) for result in results)
    check(program, compiled(program))
