"""Functions that remember what they returned: `functools.lru_cache` where the program calls it."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from elichika.registry import always, lowers
from elichika.values.functions import Closure

if TYPE_CHECKING:
    from elichika.lowerings.python.context import ContainerContext

__all__ = ["cache_clear", "default_of", "memo_of", "run_by"]


@lowers(functools.cache)
@always
def cache(w: ContainerContext, user_function: Any) -> Any:
    """Return a function that forgets nothing."""
    return w.remembering.made(user_function, False, False)


@lowers(functools.lru_cache)
@always
def lru_cache(w: ContainerContext, maxsize: Any = 128, typed: Any = False) -> Any:
    """Return a decorator, or what it makes of a function."""
    if w.call(callable, [maxsize], {}):
        return w.remembering.made(maxsize, True, bool(typed))
    return functools.partial(remembering, maxsize is not None, bool(typed))


def remembering(bounded: bool, typed: bool, function: Any) -> Any:
    """Let a function remember what it returned; has a lowering."""


@lowers(remembering)
@always
def _remembering(w: ContainerContext, bounded: Any, typed: Any, function: Any) -> Any:
    return w.remembering.made(function, bounded, typed)


def cache_clear(remembered: Any) -> None:
    """Forget all; has a lowering."""


@lowers(cache_clear)
@always
def _cache_clear(w: ContainerContext, remembered: Any) -> None:
    for part in remembered.parts.values():
        w.set_items(part.memo, {})


def memo_of(remembered: Any) -> Any:
    """What a function of numbers remembers; has a lowering."""


@lowers(memo_of)
@always
def _memo_of(w: ContainerContext, remembered: Any) -> Any:
    return w.remembering.of(remembered).parts[()].memo


def run_by(remembered: Any) -> Any:
    """What a function that remembers runs; has a lowering."""


@lowers(run_by)
@always
def _run_by(w: ContainerContext, remembered: Any) -> Any:
    return w.remembering.of(remembered).function


def default_of(function: Any, place: int | str) -> Any:
    """What a function of the program holds for a parameter that is left out; has a lowering."""


@lowers(default_of)
@always
def _default_of(w: ContainerContext, function: Any, place: int | str) -> Any:
    function = w.narrow(function)
    closure: Closure = getattr(function, "function", function)
    match place:
        case int():
            return closure.defaults[place]
        case str():
            return closure.kw_defaults[place]
