"""Puts back what a program changes of modules and classes: eager runs must not see one another."""

from __future__ import annotations

import copy
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from tests.programs import Program, check

CONTAINERS = (list, dict, set, np.ndarray)


@contextmanager
def restored(module: types.ModuleType) -> Iterator[None]:
    """Put back the names of a module, its classes, its functions' attributes and defaults."""
    undo: list[Callable[[], None]] = [_of_space(module, vars(module))]
    for held in list(vars(module).values()):
        if isinstance(held, type) and held.__module__ == module.__name__:
            undo.append(_of_space(held, vars(held)))
        if isinstance(held, types.FunctionType):
            undo.append(_of_space(held, vars(held)))
            undo += [_of_container(d) for d in held.__defaults__ or () if isinstance(d, CONTAINERS)]
    try:
        yield
    finally:
        for step in undo:
            step()


def check_apart(program: Program, model: Any, module: types.ModuleType) -> None:
    """Compare a model with eager Chainer on all inputs, each call the first of its process."""
    for inputs in program.inputs:
        with restored(module):
            check(replace(program, inputs=[inputs]), model)


def _of_space(owner: Any, space: Any) -> Callable[[], None]:
    before = {name: held for name, held in space.items() if not name.startswith("__")}
    inner = [_of_container(held) for held in before.values() if isinstance(held, CONTAINERS)]

    def undo() -> None:
        for name in [n for n in vars(owner) if not n.startswith("__") and n not in before]:
            delattr(owner, name)
        for name, held in before.items():
            if vars(owner).get(name) is not held:
                setattr(owner, name, held)
        for step in inner:
            step()

    return undo


def _of_container(held: Any) -> Callable[[], None]:
    before = copy.copy(held)

    def undo() -> None:
        if isinstance(held, (list, np.ndarray)):
            held[:] = before
        else:
            held.clear()
            held.update(before)

    return undo
