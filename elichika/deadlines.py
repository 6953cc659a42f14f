"""Stops Python code of the present thread when its time is over."""

from __future__ import annotations

import ctypes
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["stopping_after"]

REPEAT = 0.05
"""Seconds after which a program that swallowed the stop is stopped again."""
LATER = 1.0
"""Seconds that the other thread has before the alarm rings, and between two rings."""


@contextmanager
def stopping_after(
    seconds: float | None, stop: type[BaseException], before: Callable[[], None] | None = None
) -> Iterator[None]:
    """Raise `stop` in this thread when the time is over.

    The interpreter raises it between two instructions, in any thread and without signals. One long
    call of native code is waited for, but for those that look for signals, such as `re.match` and
    `repr`: in the main thread, where there are alarms and nobody else uses them, these are stopped.

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

    announced = threading.Event()

    def announce() -> None:
        if before is not None and not announced.is_set():
            announced.set()
            before()

    def watch() -> None:
        if done.wait(seconds):
            return
        announce()
        while True:
            with lock:
                if not done.is_set():
                    raise_in_thread(thread, ctypes.py_object(stop))
            if done.wait(REPEAT):
                return

    def ring(number: int, frame: Any) -> None:
        if not done.is_set():
            announce()
            raise stop

    watcher = threading.Thread(target=watch, daemon=True)
    with _alarm(seconds + LATER, ring):
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


@contextmanager
def _alarm(seconds: float, ring: Callable[[int, Any], None]) -> Iterator[None]:
    """Call `ring` from the main thread, also out of native code that lets no other thread run."""
    if (
        not hasattr(signal, "setitimer")
        or threading.current_thread() is not threading.main_thread()
        or signal.getsignal(signal.SIGALRM) is not signal.SIG_DFL
        or signal.getitimer(signal.ITIMER_REAL) != (0.0, 0.0)
    ):
        yield
        return
    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, LATER)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
