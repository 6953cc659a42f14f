"""Stops Python code of the present thread when its time is over."""

from __future__ import annotations

import ctypes
import signal
import sys
import threading
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

__all__ = ["called_within"]

REPEAT = 0.05
"""Seconds after which a program that swallowed the stop is stopped again."""
LATER = 1.0
"""Seconds that the other thread has before the alarm rings, and between two rings."""
NOBODY = ctypes.c_ulong(-1).value
"""The number of no thread."""

Result = TypeVar("Result")
_raise_in_thread = ctypes.pythonapi["PyThreadState_SetAsyncExc"]  # [] shares no argtypes


def called_within(
    seconds: float | None,
    stop: type[BaseException],
    function: Callable[[], Result],
    before: Callable[[], None] | None = None,
) -> Result:
    """Return what a function returns; raise `stop` in it when the time is over.

    The interpreter raises it between two instructions, in any thread and without signals. One long
    call of native code is waited for, but for those that look for signals, such as `re.match` and
    `repr`: in the main thread, where there are alarms and nobody else uses them, these are stopped.
    Nothing is raised any more once this has returned, and a tracer is put back that was lost
    because it was the tracer's own code that was stopped.

    Args:
        seconds: The time; None for no end.
        stop: What is raised; no subclass of Exception, which programs catch.
        function: What is called, without arguments.
        before: Called, perhaps in another thread, just before it is raised for the first time.
    """
    if seconds is None:
        return function()
    watch = _Watch(min(seconds, threading.TIMEOUT_MAX - LATER), stop, before)
    tracers = sys.gettrace(), sys.getprofile()
    watcher = threading.Thread(target=watch.run, daemon=True)
    try:
        with _alarm(watch.seconds + LATER, watch.ring):
            watcher.start()
            return _guarded(watch, function)
    finally:
        watch.frame = None
        watch.ended.release()
        if watch.raised:
            _put_back(*tracers)


class _Watch:
    """What the two threads share.

    The watching thread raises by one call into the interpreter, which reads `target` itself: as
    soon as the watched thread has stored NOBODY there, nothing more is raised, without a lock that
    an exception could leave locked.

    Attributes:
        thread: The watched thread.
        target: The same while there is something to stop, else NOBODY.
        frame: The frame of `_guarded`.
        raised: Whether the stop has perhaps been raised.
        ended: Locked until the function has returned.
    """

    def __init__(
        self, seconds: float, stop: type[BaseException], before: Callable[[], None] | None
    ) -> None:
        self.seconds = seconds
        self.stop = stop
        self.thread = threading.get_ident()
        self.target = ctypes.c_ulong(NOBODY)
        self.frame: types.FrameType | None = None
        self.raised = False
        self.ended = threading.Lock()
        self.ended.acquire()
        self._before = before

    def run(self) -> None:
        """Raise when the time is over, and again as long as that does not help."""
        stop, wait = ctypes.py_object(self.stop), self.seconds
        while not self.ended.acquire(timeout=wait):
            wait = REPEAT
            if self._is_inside(sys._current_frames().get(self.thread)):
                self._announce()
                _raise_in_thread(self.target, stop)

    def ring(self, number: int, frame: types.FrameType | None) -> None:
        """Raise from an alarm, in the watched thread itself."""
        if self.target.value == self.thread and self._is_inside(frame):
            self._announce()
            raise self.stop

    def take_back(self) -> None:
        """Let what was raised and has not come yet come here.

        To raise nothing instead would leave the interpreter looking for it for ever, on Python 3.11
        under a tracer without doing anything else. What others raised meanwhile is raised again.
        """
        stop, thread = ctypes.py_object(self.stop), ctypes.c_ulong(self.thread)
        other: BaseException | None = None
        while True:
            try:
                while True:
                    _raise_in_thread(thread, stop)
            except self.stop:
                break
            except BaseException as error:  # Ctrl-C, or the end of the time of a call around this
                other = error
        if other is not None:
            raise other

    def _announce(self) -> None:
        first, self.raised = not self.raised, True
        if first and self._before is not None:
            self._before()

    def _is_inside(self, frame: types.FrameType | None) -> bool:
        """Tell whether a frame belongs to the function, not to what is done around it."""
        while frame is not None and frame.f_back is not self.frame:
            frame = frame.f_back
        return frame is not None and frame.f_code is _inside.__code__


def _guarded(watch: _Watch, function: Callable[[], Result]) -> Result:
    """Call a function that is watched.

    Nothing may be raised between its end and the line that says so: that line calls nothing, and
    no tracer of lines sees this frame.
    """
    target, watch.frame = watch.target, sys._getframe()
    watch.frame.f_trace = None
    try:
        target.value = watch.thread
        return _inside(function)
    finally:
        target.value = NOBODY
        if watch.raised:
            watch.take_back()


def _inside(function: Callable[[], Result]) -> Result:
    return function()


def _put_back(tracer: Any, profiler: Any) -> None:
    """Install again what the interpreter drops when an exception leaves it."""
    if tracer is not None and sys.gettrace() is None:
        sys.settrace(tracer)
    if profiler is not None and sys.getprofile() is None:
        sys.setprofile(profiler)


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
