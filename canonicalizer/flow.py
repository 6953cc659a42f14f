"""Where control goes: which jumps a block makes, and whether it can reach its end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gast

from .forms import blocks_of

__all__ = ["falls_through", "has_jump", "own_jumps"]

DEFINITIONS = (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)
LOOPS = (gast.For, gast.While, gast.AsyncFor)


def own_jumps(body: list[gast.stmt], kind: Any) -> Iterator[gast.stmt]:
    """The jumps of one kind that leave the block: not those of inner loops and functions."""
    for statement in body:
        if isinstance(statement, kind):
            yield statement
        elif not isinstance(statement, DEFINITIONS):
            for inner in _blocks(statement, kind):
                yield from own_jumps(inner, kind)


def has_jump(statement: gast.stmt, kind: Any) -> bool:
    """Whether a statement can make a jump of that kind."""
    return next(own_jumps([statement], kind), None) is not None


def _blocks(statement: gast.stmt, kind: Any) -> list[list[gast.stmt]]:
    if isinstance(statement, LOOPS) and kind is not gast.Return:
        return [statement.orelse]
    return blocks_of(statement)


def falls_through(body: list[gast.stmt]) -> bool:
    """Whether control may reach the end of a block; when in doubt, it may."""
    return all(_falls(statement) for statement in body)


def _falls(statement: gast.stmt) -> bool:
    match statement:
        case gast.Return() | gast.Raise() | gast.Break() | gast.Continue():
            return False
        case gast.If():
            return falls_through(statement.body) or falls_through(statement.orelse)
        case gast.For() | gast.While():
            if any(own_jumps(statement.body, gast.Break)):
                return True
            return not is_endless(statement) and falls_through(statement.orelse)
        case gast.Try():
            ends = falls_through(statement.body) and falls_through(statement.orelse)
            handled = any(falls_through(handler.body) for handler in statement.handlers)
            return (ends or handled) and falls_through(statement.finalbody)
    return True  # a with statement too: its context manager may swallow an exception


def is_endless(statement: gast.stmt) -> bool:
    """Whether a statement is a `while True`."""
    match statement:
        case gast.While(test=gast.Constant(value=value)):
            return bool(value)
    return False
