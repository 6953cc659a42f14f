"""Compiling is stopped when its time is over, at no other time, and also while it is watched."""

from __future__ import annotations

import bdb
import cProfile
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import chainer
import chainer.functions as F
import coverage
import numpy as np
import pytest

import elichika
from elichika.process.deadlines import called_within


class Walk(chainer.Chain):
    def forward(self, x: Any, n: Any) -> Any:
        for i in range(n):
            x = x + i
            if F.sum(x).array > 10:
                break
        return x


class Endless(chainer.Chain):
    def forward(self, x: Any) -> Any:
        while F.sum(x).array < 10:
            x = x * 1
        return x


class Stop(BaseException):
    pass


@contextmanager
def traced(tracer: Any) -> Iterator[None]:
    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        yield
        assert sys.gettrace() is tracer
    finally:
        sys.settrace(before)


@contextmanager
def no_tracer() -> Iterator[None]:
    yield


@contextmanager
def calls() -> Iterator[None]:
    """A tracer that wants to see no line."""
    with traced(lambda frame, event, argument: None):
        yield


@contextmanager
def lines() -> Iterator[None]:
    def tracer(frame: Any, event: str, argument: Any) -> Any:
        return tracer

    with traced(tracer):
        yield


@contextmanager
def opcodes() -> Iterator[None]:
    """A tracer that sees each instruction of this file, and each line of elichika's own."""

    def tracer(frame: Any, event: str, argument: Any) -> Any:
        frame.f_trace_opcodes = frame.f_code.co_filename == __file__
        return tracer

    with traced(tracer):
        yield


@contextmanager
def profiler() -> Iterator[None]:
    before = sys.getprofile()
    seen = []
    sys.setprofile(lambda frame, event, argument: seen.append(event))
    try:
        yield
    finally:
        sys.setprofile(before)
    assert "c_call" in seen


@contextmanager
def c_profile() -> Iterator[None]:
    profile = cProfile.Profile()
    profile.enable()
    try:
        yield
    finally:
        profile.disable()
    assert profile.getstats()


class Debugger(bdb.Bdb):
    """Stops where it begins, then at a breakpoint, goes on step by step, and then at once."""

    def __init__(self, steps: int) -> None:
        super().__init__()
        self.steps = steps
        self.lines: list[int] = []

    def user_line(self, frame: Any) -> None:
        self.lines.append(frame.f_lineno)
        if 1 < len(self.lines) < self.steps:
            self.set_step()
        else:
            self.set_continue()


@contextmanager
def breakpoint_in_forward() -> Iterator[None]:
    debugger = Debugger(steps=5)
    debugger.reset()
    line = Walk.forward.__code__.co_firstlineno + 1
    assert debugger.set_break(__file__, line) is None
    with traced(debugger.trace_dispatch):
        yield
    assert line in debugger.lines and len(debugger.lines) >= 5


@contextmanager
def coverage_of_all() -> Iterator[None]:
    measured = coverage.Coverage(data_file=None)
    measured.start()
    try:
        yield
    finally:
        measured.stop()
    assert __file__ in measured.get_data().measured_files()


WATCHED = [no_tracer, calls, lines, opcodes, profiler, c_profile, coverage_of_all]


def compiled(**options: Any) -> Any:
    x = np.arange(4, dtype=np.float32)
    return elichika.compile_model(Walk(), [x, 3], dynamic_axes={"x": {0: "size"}}, **options)


@pytest.mark.parametrize("watched", [*WATCHED, breakpoint_in_forward], ids=lambda f: f.__name__)
def test_a_compile_ends_under(watched: Any) -> None:
    with watched():
        model = compiled(max_seconds=120.0)
    x = np.zeros(5, np.float32)
    np.testing.assert_array_equal(model(x, 7), Walk()(x, 7))


@pytest.mark.parametrize("watched", WATCHED, ids=lambda f: f.__name__)
@pytest.mark.parametrize("in_main_thread", [True, False])
def test_an_endless_program_is_stopped_under(watched: Any, in_main_thread: bool) -> None:
    found: list[Any] = []

    def compile_it() -> None:
        with watched(), pytest.raises(elichika.BudgetError) as error:
            elichika.compile_model(Endless(), np.zeros(3, np.float32), max_seconds=1.0)
        found.append(error.value.message)

    if in_main_thread:
        compile_it()
    else:
        thread = threading.Thread(target=compile_it)
        thread.start()
        thread.join(60)
    assert found and found[0].startswith("the compile takes more than 1 seconds; it was ")


def test_set_trace_in_the_program_itself_sees_nothing_but_its_lines() -> None:
    """`set_trace` traces all frames below it, those of elichika among them."""
    debugger = Debugger(steps=40)

    def program() -> int:
        debugger.set_trace()
        number = 1
        return number + 1

    before = sys.gettrace()
    try:
        assert called_within(60.0, Stop, program) == 2
    finally:
        sys.settrace(before)
    assert debugger.lines


def turning(seconds: float) -> int:
    """Turn in Python code, and come to an end of its own."""
    end, turns = time.perf_counter() + seconds, 0
    while time.perf_counter() < end:
        turns += 1
    return turns


def sleeping(seconds: float) -> None:
    """Be in a call of native code when the time is over."""
    time.sleep(seconds)


def swallowing(seconds: float) -> None:
    try:
        turning(seconds)
    except Stop:
        turning(seconds)


@pytest.mark.parametrize("watched", [no_tracer, calls, lines, profiler])
@pytest.mark.parametrize("program", [turning, sleeping, swallowing])
def test_nothing_is_raised_after_the_end(watched: Any, program: Callable[[float], Any]) -> None:
    """The time is over just when the program ends, many times, in several threads at once."""
    escaped: list[BaseException] = []
    outcomes: set[str] = set()

    def blocks() -> None:
        try:
            end, number = time.perf_counter() + 0.4, 0
            with watched():
                while time.perf_counter() < end:
                    number += 1
                    seconds = 1e-5 * (number % 80)
                    try:
                        called_within(seconds, Stop, lambda s=seconds: program(s))
                        outcomes.add("ended")
                    except Stop:
                        outcomes.add("stopped")
                    turning(1e-4)
        except BaseException as error:
            escaped.append(error)

    threads = [threading.Thread(target=blocks) for _ in range(2)]
    often = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for thread in threads:
            thread.start()
        blocks()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(often)
    assert not escaped
    assert "ended" in outcomes
    assert "stopped" in outcomes or program is swallowing


@pytest.mark.parametrize("watched", [no_tracer, lines])
def test_what_was_not_raised_leaves_the_interpreter_at_peace(watched: Any) -> None:
    with watched():
        for _ in range(50):
            assert called_within(60.0, Stop, lambda: 1) == 1
        assert turning(0.01) > 0


def test_a_program_that_swallows_the_stop_is_stopped_again() -> None:
    swallowed = []

    def program() -> None:
        while True:
            try:
                turning(10)
            except Stop:
                swallowed.append(1)
                if len(swallowed) == 3:
                    raise

    with pytest.raises(Stop):
        called_within(0.1, Stop, program)
    assert len(swallowed) == 3


def test_one_call_within_another_keeps_both_times() -> None:
    class Outer(BaseException):
        pass

    def inner() -> None:
        with pytest.raises(Stop):
            called_within(0.2, Stop, lambda: turning(10))
        turning(10)

    start = time.perf_counter()
    with pytest.raises(Outer):
        called_within(0.6, Outer, inner)
    with pytest.raises(Outer):
        called_within(0.2, Outer, lambda: called_within(5.0, Stop, lambda: turning(10)))
    assert time.perf_counter() - start < 5


def test_errors_and_times_without_end_pass_through() -> None:
    with pytest.raises(ZeroDivisionError):
        called_within(60.0, Stop, lambda: 1 // 0)
    assert called_within(None, Stop, lambda: 1) == 1
    assert called_within(1e300, Stop, lambda: 1) == 1


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no alarms here")
def test_the_alarm_is_put_back() -> None:
    with pytest.raises(Stop):
        called_within(0.1, Stop, lambda: turning(10))
    assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
