"""Stops Python code of the present thread when its time is over."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["stopping_after"]

REPEAT = 0.05
"""Seconds after which a program that swallowed the stop is stopped again."""


@contextmanager
def stopping_after(
    seconds: float | None, stop: type[BaseException], before: Callable[[], None] | None = None
) -> Iterator[None]:
    """Raise `stop` in this thread when the time is over.

    The interpreter raises it between two instructions, in any thread and without signals; one long
    call of native code is waited for.

    Args:
        seconds: The time; None for no end.
        stop: What is raised; no subclass of Exception, which programs catch.
        before: Called, in another thread, just before it is raised for the first time.
    """
    if seconds is None:
        yield
        return
    thread = ctypes.c_ulong(threading.get_ident())
    raise_in_thread = ctypes.pythonapi.PyThreadState_SetAsyncExc
    done = threading.Event()
    lock = threading.Lock()

    def watch() -> None:
        if done.wait(seconds):
            return
        if before is not None:
            before()
        while True:
            with lock:
                if not done.is_set():
                    raise_in_thread(thread, ctypes.py_object(stop))
            if done.wait(REPEAT):
                return

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        try:
            yield
        finally:
            with lock:
                done.set()
                raise_in_thread(thread, None)
    finally:
        done.set()
