"""What a long job is at, on the terminal or in the notebook of whoever waits for it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["shown"]

PATIENCE, PAUSE = 1.0, 0.2
"""Seconds before anything is shown, and between two looks."""
SLOW = 1.0
"""The same in a notebook, whose file keeps each line."""
NOTEBOOK = "ipykernel"
"""The package whose stream standard error is in a notebook."""

Show = Callable[[Callable[[], str], threading.Event], None]


@contextmanager
def shown(describe: Callable[[], str]) -> Iterator[None]:
    """Show what goes on within the block once that takes longer than a second.

    Where standard error is neither a terminal nor that of a notebook nothing is shown.

    Args:
        describe: Says it, in a thread of its own.
    """
    show = _way()
    if show is None:
        yield
        return
    over = threading.Event()
    thread = threading.Thread(target=_shown_late, args=(show, describe, over), daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _way() -> Show | None:
    """Return how whoever waits is shown something; None where nobody would see it."""
    if sys.stderr is not None and sys.stderr.isatty():
        return _on_terminal
    return _in_notebook if type(sys.stderr).__module__.startswith(NOTEBOOK) else None


def _shown_late(show: Show, describe: Callable[[], str], over: threading.Event) -> None:
    if not over.wait(PATIENCE):
        show(describe, over)


def _on_terminal(describe: Callable[[], str], over: threading.Event) -> None:
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status(Text(describe())) as status:
        while not over.wait(PAUSE):
            status.update(Text(describe()))


def _in_notebook(describe: Callable[[], str], over: threading.Event) -> None:
    """Write over a line again and again, and at last leave it empty."""
    text = describe()
    _write(text)
    while not over.wait(SLOW):
        text = describe().ljust(len(text))
        _write(f"\r{text}")
    _write(f"\r{' ' * len(text)}\r")


def _write(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()
