"""What objects without Python source, and of Python's own modules, hold, and what changes them."""

from __future__ import annotations

import array
import collections
import contextlib
import hashlib
import queue
import threading
import weakref
import zlib

import numpy as np
import pytest

from tests.programs import REFUSED, Program, compiled
from tests.table import Table, hold

INPUTS = [
    (np.array(numbers, np.int64), n)
    for numbers, n in (([3, 1, 2], 2), ([], 4), ([1], 0), ([2, 2], -1), ([7], 3))
]
case = Table(INPUTS, {"x": {0: "n"}})
refused = Table(INPUTS, {"x": {0: "n"}})


class Held:
    def __init__(self, n=0):
        self.n = n

    def close(self):
        self.n += 100


class Slotted:
    __slots__ = ("n",)

    def __init__(self):
        self.n = 0


@case()
def arrays_are_the_same_ones(self, x, n):
    a, b = np.zeros(3, np.int64), np.zeros(3, np.int64)
    kept = collections.UserList([a, b])
    kept[0][1] = n
    b[2] = n + 1
    return a, kept[1], kept[0] is a, kept[1] is a


@case()
def what_nothing_changes(self, x, n):
    kept = collections.UserList([Held(1), Held(2)])
    return kept[1].n * n, len(kept)


@case()
def what_was_changed_before(self, x, n):
    held = Held(1)
    held.n = 5
    return collections.UserDict(a=held)["a"].n + n


@refused()
def changed_through_a_list(self, x, n):
    held = Held()
    collections.UserList([held])[0].n += n
    return held.n


@refused()
def changed_through_a_dict(self, x, n):
    held = Held()
    collections.UserDict(a=held)["a"].n += n
    return held.n


@refused()
def changed_through_an_exception(self, x, n):
    held = Held()
    try:
        raise SystemExit(held)
    except SystemExit as e:
        e.code.n += n
    return held.n


@refused()
def changed_through_an_array_of_objects(self, x, n):
    held = Held()
    np.array([held, None], dtype=object)[0].n += n
    return held.n


@refused()
def changed_deep_within(self, x, n):
    held = Held()
    outer = collections.UserList([Held(Held(Held(Held(Held(Held(held))))))])
    held.n += n
    return outer[0].n.n.n.n.n.n.n


@refused()
def with_slots(self, x, n):
    held = Slotted()
    kept = collections.UserList([held])
    held.n += n
    return kept[0].n


@refused()
def which_one_it_is(self, x, n):
    held = Held()
    return collections.UserList([held])[0] is held, n


@refused()
def put_into_a_queue(self, x, n):
    held, waiting = Held(), queue.SimpleQueue()
    waiting.put(held)
    waiting.get().n += n
    return held.n


@refused()
def queue_in_a_branch(self, x, n):
    waiting = queue.SimpleQueue()
    if n > 1:
        waiting.put(1)
    return waiting.qsize()


@refused()
def array_of_python(self, x, n):
    numbers = array.array("i", [1])
    if n > 1:
        numbers.append(5)
    return len(numbers)


@refused()
def digest(self, x, n):
    made = hashlib.md5(b"a")
    if n > 1:
        made.update(b"b")
    return int(made.hexdigest()[:4], 16)


@case()
def what_digests_tell(self, x, n):
    made = hashlib.md5(b"a")
    numbers = array.array("i", [1, 2])
    return int(made.hexdigest()[:4], 16) + n, numbers.tolist()[1] * n


@refused()
def lock(self, x, n):
    one = threading.Lock()
    if n > 1:
        one.acquire()
    return one.locked()


@refused()
def event(self, x, n):
    one = threading.Event()
    if n > 1:
        one.set()
    return one.is_set()


@refused()
def compressor(self, x, n):
    one = zlib.compressobj()
    if n > 1:
        one.compress(b"abcabc")
    return len(one.flush())


@refused()
def list_of_a_class_of_python(self, x, n):
    numbers = collections.UserList([1])
    if n > 1:
        numbers.append(3)
    return len(numbers)


@refused()
def weak(self, x, n):
    held = Held()
    weakref.ref(held)().n += n
    return held.n


@case()
def closed_in_the_end(self, x, n):
    held = Held()
    manager = contextlib.closing(held)
    manager.thing.n += n
    try:
        with manager as inner:
            inner.n += 1
            if n > 2:
                raise ValueError(n)
    except ValueError as e:
        held.n += e.args[0] * 1000
    return held.n, manager.thing is held


@case()
def one_of_two_managers(self, x, n):
    log = []
    first, second = Held(n), Held(2)
    try:
        with contextlib.closing(first if n > 1 else second) as inner:
            with contextlib.suppress(IndexError) if n > 2 else contextlib.nullcontext(5):
                log.append(x[n])
                log.append(3)
            inner.n += 1
    except IndexError:
        log.append(-1)
    return log, first.n, second.n


@case(lock=threading.Lock, again=threading.RLock)
def locks(self, x, n):
    """A model has no other threads."""
    with self.lock as got:
        with self.again, self.again:
            y = x * 2
    return y, got, n


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_what_is_kept(program: Program) -> None:
    hold(program)


@pytest.mark.parametrize("program", refused.programs, ids=lambda p: p.name)
def test_is_refused(program: Program) -> None:
    with pytest.raises(REFUSED):
        compiled(program)
