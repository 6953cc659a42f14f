"""What a command compiles: a chain, or a step that trains it."""

from __future__ import annotations

import inspect
from ast import literal_eval
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import chainer

from elichika.compiler import compile_model
from elichika.errors import InputError, meant
from elichika.model.compiled import CompiledModel
from elichika.training.steps import training_step

__all__ = ["compiler_of"]


def compiler_of(
    chain: chainer.Link,
    optimizer: str | None,
    settings: Sequence[str],
    state: bool,
    reweightable: bool,
) -> Callable[..., CompiledModel]:
    """Return what compiles a chain, or a step of an optimizer that trains it.

    Raises:
        InputError: There is no such optimizer, or it cannot be set so.
    """
    if optimizer is None:
        return partial(compile_model, chain, state=state, reweightable=reweightable)
    step = partial(training_step, chain, _make_optimizer(chain, optimizer, settings))

    def compiled(*inputs: Any, train: bool, method: str | None, **options: Any) -> CompiledModel:
        lossfun = None if method is None else getattr(chain, method)
        return step(*inputs, lossfun=lossfun, **options)

    return compiled


def _make_optimizer(chain: chainer.Link, name: str, settings: Sequence[str]) -> Any:
    """Return an optimizer of `chainer.optimizers` that is set up for a chain.

    Args:
        chain: What it trains.
        name: Its class.
        settings: Its arguments, as `alpha=1e-3`.

    Raises:
        InputError: There is no such optimizer or argument, or no such value.
    """
    known = {name: made for name, made in vars(chainer.optimizers).items() if name[0].isupper()}
    if name not in known:
        hint = meant(name, known) or f"the names are {', '.join(sorted(known))}"
        raise InputError(f"chainer.optimizers has no {name}.", hint=hint)
    taken = inspect.signature(known[name]).parameters
    given = {}
    for setting in settings:
        key, equals, text = setting.partition("=")
        if key not in taken:
            hint = meant(key, taken) or f"the names are {', '.join(taken)}"
            raise InputError(f"--set {setting}: {name} has no argument {key!r}.", hint=hint)
        try:
            given[key] = literal_eval(text)
        except (SyntaxError, ValueError):
            shown = f"{key}={text}" if equals else key
            raise InputError(f"--set {shown}: give a number, as in {key}=0.001.") from None
    return known[name](**given).setup(chain)
