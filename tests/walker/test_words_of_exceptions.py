"""What a program reads of exceptions that Python itself raises: its words, in its version."""

# ruff: noqa: B904, E741, UP031  as programs have it
from __future__ import annotations

import math
from collections import deque
from types import SimpleNamespace

import numpy as np
import pytest

from tests.programs import REFUSED, Program, compiled
from tests.table import Table, hold

LISTS = [
    (np.array(numbers, np.int64), n)
    for numbers, n in (
        *(([3, 1, 2, 1], 2), ([0, 1, 2], 0), ([], 1), ([5], 5), ([2, 2, 2], 3)),
        *(([-1, 4, 0, 4, -2], 1), ([7, -3, 5, 1, 0, 2, 1], 4), ([3], -7)),
    )
]
case = Table(LISTS, {"x": {0: "n"}})
refused = Table(LISTS, {"x": {0: "n"}})


def told(text):
    """Return a number that tells texts apart: no result is a text."""
    return len(text) * 1000 + ord(text[-1]) if text else 0


@case()
def index(self, x, n):
    l = [1, 2, 3]
    try:
        return l[n], told("ok")
    except IndexError as e:
        return -1, told(str(e))


@case()
def index_dyn(self, x, n):
    l = x.tolist()
    try:
        return l[n], told("ok")
    except IndexError as e:
        return -1, told(str(e))


@case()
def zero(self, x, n):
    try:
        return 10 // n, told("")
    except ZeroDivisionError as e:
        return 0, told(str(e))


@case()
def zero2(self, x, n):
    try:
        return 10 / n, told("")
    except ZeroDivisionError as e:
        return 0.0, told(str(e))


@case()
def mod(self, x, n):
    try:
        return 10 % n, told("")
    except ZeroDivisionError as e:
        return 0, told(e.args[0])


@case()
def fzero(self, x, n):
    try:
        return 10.0 // float(n), told("")
    except ZeroDivisionError as e:
        return 0.0, told(str(e))


@case()
def fmod(self, x, n):
    try:
        return 10.0 % float(n), told("")
    except ZeroDivisionError as e:
        return 0.0, told(str(e))


@case()
def of_divmod(self, x, n):
    try:
        return divmod(7, n), told("")
    except ZeroDivisionError as e:
        return (0, 0), told(str(e))


@case()
def of_pow(self, x, n):
    try:
        return 0.0 ** (n - 2), told("")
    except ZeroDivisionError as e:
        return 0.0, told(str(e))


@case()
def pop(self, x, n):
    l = x.tolist()
    try:
        return l.pop(), told("")
    except IndexError as e:
        return -1, told(str(e))


@case()
def popn(self, x, n):
    l = x.tolist()
    try:
        return l.pop(n), told("")
    except IndexError as e:
        return -1, told(str(e))


@case()
def of_set(self, x, n):
    l = x.tolist()
    try:
        l[n] = 1
        return l, told("")
    except IndexError as e:
        return l, told(str(e))


@case()
def deleted(self, x, n):
    l = x.tolist()
    try:
        del l[n]
        return l, told("")
    except IndexError as e:
        return l, told(str(e))


@case()
def first_of_a_deque(self, x, n):
    items = deque(x.tolist())
    try:
        return items.popleft(), told("")
    except IndexError as e:
        return 0, told(str(e))


@case()
def last_of_a_deque(self, x, n):
    items, total = deque(x.tolist()), 0
    while True:
        try:
            total = total * 3 + items.pop()
        except IndexError as e:
            return total, told(str(e))


@refused()
def of_another_class(self, x, n):
    """Python's own class calls itself by its module, too."""
    held = SimpleNamespace(a=1)
    if n > 2:
        held.k = 1
    try:
        return held.k, 0
    except AttributeError as e:
        return 0, told(str(e))


@refused()
def which_name(self, x, n):
    if n > 2:
        q = 1
    try:
        return q, 0
    except NameError as e:
        return 0, told(e.name)


@refused(queue=lambda: deque([1, 2]))
def item_of_a_deque(self, x, n):
    try:
        return self.queue[n], 0
    except IndexError as e:
        return 0, told(str(e))


@refused()
def unpack(self, x, n):
    try:
        a, b, c = x.tolist()
        return a + b + c, told("")
    except ValueError as e:
        return 0, told(str(e))


@case()
def of_max(self, x, n):
    try:
        return max(x.tolist()), told("")
    except ValueError as e:
        return 0, told(str(e))


@case()
def npmax(self, x, n):
    try:
        return x.max(), told("")
    except ValueError as e:
        return np.int64(0), told(str(e))


@case()
def of_next(self, x, n):
    it = iter(x.tolist())
    try:
        return next(it), told("")
    except StopIteration as e:
        return 0, told(str(e))


@case()
def tuple(self, x, n):
    t = (1, 2, 3)
    try:
        return t[n], told("")
    except IndexError as e:
        return 0, told(str(e))


@case()
def of_str(self, x, n):
    t = "abc"
    try:
        return t[n], told("")
    except IndexError as e:
        return "", told(str(e))


@case()
def dictpop(self, x, n):
    d = {int(v): 1 for v in x}
    try:
        return d.pop(n), 0
    except KeyError as e:
        return 0, e.args[0]


@case()
def popitem(self, x, n):
    d = {int(v): 1 for v in x}
    try:
        return d.popitem()[1], told("")
    except KeyError as e:
        return 0, told(str(e))


@case()
def setpop(self, x, n):
    d = set()
    for v in x:
        d.add(int(v))
    try:
        return len(d), d.pop() * 0, told("")
    except KeyError as e:
        return 0, 0, told(str(e))


@case()
def of_range(self, x, n):
    try:
        return list(range(0, 6, n)), told("")
    except ValueError as e:
        return [1], told(str(e))


@case()
def sqrt(self, x, n):
    try:
        return math.sqrt(n - 2), told("")
    except ValueError as e:
        return 0.0, told(str(e))


@case()
def log(self, x, n):
    try:
        return math.log(n), told("")
    except ValueError as e:
        return 0.0, told(str(e))


@case()
def intnan(self, x, n):
    try:
        return int(float("nan") if n > 2 else 1.0), told("")
    except ValueError as e:
        return 0, told(str(e))


@case()
def attr(self, x, n):
    class P:
        pass

    p = P()
    if n > 2:
        p.k = 1
    try:
        return p.k, told("")
    except AttributeError as e:
        return 0, told(str(e))


@case()
def unbound(self, x, n):
    if n > 2:
        q = 1
    try:
        return q, told("")
    except UnboundLocalError as e:
        return 0, told(str(e))


@case()
def shift(self, x, n):
    try:
        return 1 << (n - 2), told("")
    except ValueError as e:
        return 0, told(str(e))


@case()
def which(self, x, n):
    l = x.tolist()
    try:
        v = l[n]
        w = 10 // v
        return w, told("ok")
    except (IndexError, ZeroDivisionError) as e:
        return 0, told(type(e).__name__ + ": " + str(e))


@case()
def log_str(self, x, n):
    msgs = []
    l = x.tolist()
    for i in range(n):
        try:
            l[i] += 1
        except IndexError as e:
            msgs.append(told(str(e)))
    return len(msgs), l


@case()
def of_repr(self, x, n):
    l = x.tolist()
    try:
        return l[n], told("")
    except IndexError as e:
        return 0, told(repr(e))


@case()
def known(self, x, n):
    l = [1, 2]
    t = (1, 2)
    a = b = ""
    try:
        l[5]
    except IndexError as e:
        a = str(e)
    try:
        t[7]
    except IndexError as e:
        b = str(e)
    return told(a), told(b)


@case()
def dm(self, x, n):
    try:
        return divmod(1.0, float(n)), told("")
    except ZeroDivisionError as e:
        return (0.0, 0.0), told(str(e))


@case()
def which2(self, x, n):
    l = x.tolist()
    r = 0
    for i in range(4):
        try:
            r += 10 // l[i]
        except Exception as e:
            m = str(e)
            if "index" in m:
                r += 100
            elif "zero" in m:
                r += 1000
            else:
                r += 7
    return r


@case()
def which3(self, x, n):
    l = x.tolist()
    r = ["", 0]

    def f(k):
        if k > 3:
            raise ValueError("big %s" % "k")
        return l.pop(k)

    try:
        try:
            r[1] = f(n)
        except IndexError as e:
            raise RuntimeError("wrapped: " + str(e))
    except (ValueError, RuntimeError) as e:
        r[0] = told(str(e))
        r[1] = -1
    return (r[0] if r[0] else 0), r[1]


@refused()
def key(self, x, n):
    d = {int(v): 1 for v in x}
    try:
        return d[n], 0
    except KeyError as e:
        return 0, told(str(e))


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_words(program: Program) -> None:
    hold(program)


@pytest.mark.parametrize("program", refused.programs, ids=lambda p: p.name)
def test_is_refused(program: Program) -> None:
    with pytest.raises(REFUSED):
        compiled(program)
