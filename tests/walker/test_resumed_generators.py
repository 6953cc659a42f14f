"""Generators that are sent values, thrown exceptions, closed, or asked for one item at a time."""

# ruff: noqa: UP028  as programs have it
from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from tests.programs import REFUSED, Program, compiled
from tests.table import Table, hold

LISTS = [
    (np.array(numbers, np.int64), n)
    for numbers, n in (
        *(([3, 1, 2, 1], 2), ([0, 1, 2], 0), ([], 1), ([5], 5), ([2, 2, 2], 3)),
        *(([-1, 4, 0, 4, -2], 1), ([7, -3, 5, 1, 0, 2, 1], 4)),
    )
]
case = Table(LISTS, {"x": {0: "length"}})
refused = Table(LISTS, {"x": {0: "length"}})


@case()
def running_totals(self, x, n):
    def totals():
        t = 0
        while True:
            v = yield t
            t += v

    g = totals()
    next(g)
    return [g.send(int(v)) for v in x]


@case()
def average_until_none(self, x, n):
    def averager():
        total, count, average = 0, 0, None
        while True:
            term = yield average
            if term is None:
                break
            total += term
            count += 1
            average = total / count
        return count, total

    g = averager()
    next(g)
    for v in x.tolist():
        g.send(v)
    try:
        g.send(None)
    except StopIteration as end:
        return end.value


@case()
def closed_early(self, x, n):
    log = []

    def worker():
        try:
            while True:
                v = yield len(log)
                log.append(v)
        finally:
            log.append(-1)

    g = worker()
    next(g)
    for v in x.tolist():
        if v == n:
            break
        g.send(v)
    g.close()
    return log, next(g, -5)


@case()
def closed_in_the_middle_of_a_loop(self, x, n):
    log = []

    def items():
        try:
            for v in x.tolist():
                yield v
        except GeneratorExit:
            log.append(-7)
            raise
        finally:
            log.append(-8)

    it = items()
    total = 0
    for v in it:
        if v == n:
            break
        total += v
    it.close()
    return log, total


@case()
def thrown_into(self, x, n):
    def counted():
        got = 0
        for _ in range(4):
            try:
                yield got
            except ValueError as error:
                got = error.args[0]
            finally:
                got += 1
        return got

    it = counted()
    out = [next(it)]
    try:
        for v in x.tolist():
            out.append(it.throw(ValueError(v)) if v % 2 else next(it))
    except StopIteration as end:
        out.append(-end.value)
    return out


@case()
def thrown_and_not_caught(self, x, n):
    def two():
        yield 1
        yield 2

    it = two()
    next(it)
    try:
        it.throw(KeyError(n))
    except KeyError as error:
        k = error.args[0]
    try:
        next(it)
    except StopIteration:
        k += 100
    return k


@case()
def own_errors_are_counted(self, x, n):
    def counter():
        bad = 0
        while True:
            try:
                v = yield bad
                if v < 0:
                    raise KeyError(v)
            except KeyError:
                bad += 1

    g = counter()
    next(g)
    b = 0
    for v in x.tolist():
        b = g.throw(KeyError()) if v == 2 else g.send(v)
    return b


@case()
def two_of_one_function(self, x, n):
    def mixed(s):
        while True:
            v = yield s
            s = s * 2 + v

    a, b = mixed(1), mixed(n)
    p, q = next(a), next(b)
    for v in x.tolist():
        if v % 2:
            p = a.send(v)
        else:
            q = b.send(v)
    return p, q


@case()
def numbers_without_an_end(self, x, n):
    def count(k):
        while True:
            yield k
            k += 1

    ids = count(n)
    return [(v, next(ids)) for v in x.tolist() if v > 0]


@case()
def what_it_changes_between_items(self, x, n):
    log = []

    def items():
        for i in range(3):
            log.append(i)
            yield i * n

    it = items()
    a = next(it)
    log.append(100)
    return a, next(it), log


@case()
def a_lexer_and_its_place(self, x, n):
    class Lexer:
        def __init__(self, items):
            self.items = items
            self.at = 0

        def tokens(self):
            while self.at < len(self.items):
                v = self.items[self.at]
                self.at += 1
                yield v
            return -1

    lexer = Lexer(x.tolist())
    tokens = lexer.tokens()
    out = []
    while True:
        try:
            token = next(tokens)
        except StopIteration as end:
            out.append(end.value)
            break
        out.append(token + next(tokens, 99) if token == 2 else token)
    return out, lexer.at


@case()
def handed_on(self, x, n):
    def inner():
        a = yield 1
        b = yield a + 1
        return a * b

    def outer():
        result = yield from inner()
        rest = yield result + n
        yield from [rest, n]

    g = outer()
    return next(g), g.send(n), g.send(len(x)), g.send(7), list(g)


@case()
def not_begun(self, x, n):
    def items():
        yield 1

    it = items()
    try:
        it.send(n)
    except TypeError:
        it.close()
    return list(it)


@case()
def a_name_that_is_not_set(self, x, n):
    def items():
        while True:
            v = yield
            if v > 2:
                z = v
            if v < 0:
                v = z

    it = items()
    next(it)
    for v in x.tolist():
        it.send(v)
    return len(x)


@case()
def a_finally_that_raises_for_a_handler_around(self, x, n):
    d = dict.fromkeys(x.tolist(), 2)
    out = []
    try:
        try:
            if n > 4:
                raise ValueError(n)
        finally:
            out.append(d[n])
    except LookupError:
        out.append(-1)
    return out


@case()
def sent_until_it_ends(self, x, n):
    def doubled():
        total = 0
        for v in x.tolist():
            sent = yield v * 2
            total += sent
        return total

    g, out = doubled(), []
    try:
        v = next(g)
        while True:
            out.append(v)
            v = g.send(v + n)
    except StopIteration as end:
        return out, end.value


@case()
def keys_of_a_dict(self, x, n):
    counts = {}
    for v in x.tolist():
        counts[v] = counts.get(v, 0) + 1

    def keys():
        more = 0
        for v in counts:
            more += (yield v * 10 + more) or 0

    g, out = keys(), []
    v = next(g, -1)
    while v >= 0 and len(out) < n:
        out.append(v)
        try:
            v = g.send(v % 3)
        except StopIteration:
            v = -1
    return out


@case()
def items_of_a_defaultdict(self, x, n):
    groups = defaultdict(list)
    for i, v in enumerate(x.tolist()):
        groups[v % 2].append(i)
    log = []

    def pairs():
        for v, places in groups.items():
            for i in places:
                log.append(i)
                yield v + i

    g = pairs()
    return [next(g, -1) for _ in range(n)], log


@case()
def from_one_made_inside(self, x, n):
    def until(numbers):
        for v in numbers:
            if v == n:
                return v
            yield v
        return -1

    def and_more():
        yield 100 * (yield from until(x.tolist()))

    g = and_more()
    return next(g), list(g)


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_program(program: Program) -> None:
    hold(program)


@refused()
def never_closed(self, x, n):
    log = []

    def items():
        try:
            v = yield 1
            log.append(v)
        finally:
            log.append(2)

    next(items())
    return log


@refused()
def made_in_turns(self, x, n):
    def items():
        try:
            yield (yield 1)
        finally:
            print(n)

    for _ in range(n):
        it = items()
        next(it)
        it.close()
    return n


@refused()
def in_a_with(self, x, n):
    def items():
        with self.lock:
            v = yield 1
            yield v

    it = items()
    next(it)
    return it.send(n)


@pytest.mark.parametrize("program", refused.programs, ids=lambda p: p.name)
def test_refused(program: Program) -> None:
    with pytest.raises(REFUSED) as error:
        compiled(program)
    assert error.value.hint
