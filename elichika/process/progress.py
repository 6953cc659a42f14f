"""What a long job is at, on the terminal or in the notebook of whoever waits for it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["shown"]

PATIENCE, PAUSE = 1.0, 0.2
"""Seconds before anything is shown, and between two looks."""


@contextmanager
def shown(describe: Callable[[], str]) -> Iterator[None]:
    """Show what goes on within the block once that takes longer than a second.

    Where standard error is neither a terminal nor that of a notebook nothing is shown.

    Args:
        describe: Says it, in a thread of its own.
    """
    if not _is_watched():
        yield
        return
    over = threading.Event()
    thread = threading.Thread(target=_show, args=(describe, over), daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _is_watched() -> bool:
    """Tell whether there is somebody who sees it."""
    if sys.stderr is not None and sys.stderr.isatty():
        return True
    return "ipykernel" in sys.modules and _console().is_jupyter


def _console() -> Console:
    from rich.console import Console

    return Console(stderr=True)


def _show(describe: Callable[[], str], over: threading.Event) -> None:
    if over.wait(PATIENCE):
        return
    from rich.text import Text

    with _console().status(Text(describe())) as status:
        while not over.wait(PAUSE):
            status.update(Text(describe()))
