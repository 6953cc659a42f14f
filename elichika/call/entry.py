"""What a call of a chain runs: `Link.__call__` and its hooks, or a `__call__` of the program."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, cast

import chainer

from elichika.errors import InputError, meant, no_link

__all__ = ["entry_of", "runs_forward"]

STARRED = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def entry_of(chain: Any, method: str | None) -> Callable[..., Any]:
    """Return the function whose parameters a call takes.

    Args:
        chain: The chain.
        method: What is called; None for the chain itself.

    Raises:
        InputError: There is no such method.
    """
    if not isinstance(chain, chainer.Link):
        raise no_link(chain)
    if method is None:
        return _called(chain)
    function: Any = getattr(chain, method, None)
    if not callable(function):
        raise InputError(
            f"{type(chain).__name__} has no method `{method}`", hint=meant(method, dir(chain))
        )
    return cast(Callable[..., Any], function)


def _called(chain: chainer.Link) -> Callable[..., Any]:
    """Return the first function on the way from `__call__` to `forward` that names parameters."""
    called: Any = type(chain).__call__.__get__(chain)
    if not all(p.kind in STARRED for p in inspect.signature(called).parameters.values()):
        return cast(Callable[..., Any], called)
    mixed_in: Any = getattr(super(chainer.Link, chain), "__call__", None)  # noqa: B004
    inner: Any = mixed_in or getattr(chain, "forward", None)
    if not callable(inner) and type(chain).__call__ is not chainer.Link.__call__:
        return cast(Callable[..., Any], called)
    if not callable(inner):
        raise InputError(f"{type(chain).__name__} has no method `forward`")
    return cast(Callable[..., Any], inner)


def runs_forward(chain: Any) -> bool:
    """Tell whether a call of a chain does nothing but run its `forward`."""
    return _hands_over(chain) and not chain._n_local_link_hooks and not chainer._get_link_hooks()


def _hands_over(chain: Any) -> bool:
    """Tell whether the `__call__` of a chain is Chainer's own, which runs `forward`.

    A class behind `Link` in the order of bases comes before it.
    """
    mro = type(chain).__mro__
    makers = [base for base in mro if "__call__" in vars(base)]
    return makers == [chainer.Link]
