"""What the chain itself raises, in words, with the user's lines."""

from __future__ import annotations

import io
import random
import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from itertools import islice
from pathlib import Path
from typing import Any

import chainer
import numpy as np

from elichika.errors import ElichikaError, InputError, SourceFrame
from elichika.signature import InputSignature
from elichika.verify.eager import Eager
from elichika.verify.isolate import reachable
from elichika.verify.outside import Outside, around

__all__ = [
    "chain_fails",
    "error_text",
    "failure_of",
    "frames_of",
    "in_one_line",
    "is_library",
    "is_told",
    "within",
]

LIBRARIES = tuple(str(Path(str(module.__file__)).parent) for module in (chainer, np))
OURS = str(Path(__file__).parents[1])
"""The folder of the files between the verification and the chain."""
LONGEST = 10.0
"""Seconds that the chain may take on the example, where nothing but its error is asked for."""
MOST_BYTES = 2**32
"""Of memory that such a run may take."""


def failure_of(
    chain: Any,
    method: str | None,
    signature: InputSignature,
    *,
    train: bool,
    seconds: float | None,
) -> InputError | None:
    """Return how the chain itself fails on the example.

    None if it does not fail, takes too long, or holds what a run would use up. What it prints is
    dropped: nobody asked for this run.
    """
    if any(_is_used_up(held) for held in _held(chain)):
        return None
    run = Eager(chain, method, train=train, outside=Outside(around(chain)))
    limit = LONGEST if seconds is None else min(seconds, LONGEST)
    drawn = random.getstate()
    try:
        with redirect_stdout(io.StringIO()), _room():
            error = run.run(signature.bound, limit).error
    except Exception:  # whatever an object of the chain raises as it is copied
        return None
    finally:
        random.setstate(drawn)
    match error:
        case None | MemoryError():
            return None
        case _:
            return chain_fails("the example", error)


@contextmanager
def _room() -> Iterator[None]:
    """Bound how far the process may grow, where the system can: a program may have no end."""
    try:
        import resource

        size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        before = resource.getrlimit(resource.RLIMIT_AS)
    except (ImportError, OSError):
        yield
        return
    hard = before[1]
    most = size + MOST_BYTES if hard == resource.RLIM_INFINITY else min(size + MOST_BYTES, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def _held(chain: chainer.Link) -> Iterator[Any]:
    """Yield what a run may reach: what the chain holds, and the globals of its classes."""
    yield from reachable(chain)
    names = {cls.__module__ for link in chain.links() for cls in type(link).__mro__}
    for module in filter(None, map(sys.modules.get, names)):
        yield from vars(module).values()


def _is_used_up(value: Any) -> bool:
    """Tell whether reading a value changes it, so that a copy does not help: iterators, files."""
    return hasattr(type(value), "__next__")


def is_told(error: ElichikaError, fails: InputError) -> bool:
    """Tell whether a refusal says already how the chain fails: the same error, at the same line."""
    same = error.message.startswith(f"{type(fails.__cause__).__name__}: ")
    same = same and "…" not in error.message  # the words of an exception that only a run knows
    return same and _user_line(error) == _user_line(fails)


def within(error: ElichikaError, fails: InputError) -> bool:
    """Tell whether a refusal is of library code below the user's line at which the chain fails."""
    inner = error.frames[-1:]
    return all(f.library for f in inner) and bool(inner) and _user_line(error) == _user_line(fails)


def _user_line(error: ElichikaError) -> tuple[str, int] | None:
    users = [(frame.file, frame.line) for frame in error.frames if not frame.library]
    return users[-1] if users else None


def chain_fails(on: str, error: Exception) -> InputError:
    """Return what is said where the chain itself fails on an example."""
    said = InputError(f"The chain itself fails on {on}: {error_text(error)}.", frames_of(error))
    said.__cause__ = error
    return said


def in_one_line(fails: InputError) -> str:
    """Return what the chain raised, and where."""
    where = f" ({fails.frames[-1].label})" if fails.frames else ""
    return f"{fails.__cause__ and error_text(fails.__cause__)}{where}"


def error_text(error: BaseException) -> str:
    """Return an error of the program in one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def is_library(file: str) -> bool:
    """Tell whether a file is Chainer's, numpy's or that of another installed package."""
    return file.startswith(LIBRARIES) or "site-packages" in Path(file).parts


def frames_of(error: BaseException) -> tuple[SourceFrame, ...]:
    """Return the user's frames of a traceback, those of the verification left out."""
    found = []
    here = error.__traceback__
    while here is not None:
        code = here.tb_frame.f_code
        if not is_library(code.co_filename) and not code.co_filename.startswith(OURS):
            found.append(_frame(code, here.tb_lineno, here.tb_lasti))
        here = here.tb_next
    return tuple(found)


def _frame(code: types.CodeType, line: int, instruction: int) -> SourceFrame:
    """Return a place; Python 3.10 does not know its columns."""
    col = end_line = end_col = None
    if hasattr(code, "co_positions"):
        positions = islice(code.co_positions(), instruction // 2, None)
        _, end_line, col, end_col = next(positions, (None,) * 4)
    return SourceFrame(
        code.co_filename, line, _name_of(code), col=col, end_line=end_line, end_col=end_col
    )


def _name_of(code: types.CodeType) -> str:
    """Return the name with its class; Python 3.10 knows only that without."""
    return getattr(code, "co_qualname", code.co_name)
