"""Functions that call themselves within a `try`: what a call raises comes back to its caller."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from tests.programs import REFUSED, Program, compiled
from tests.table import Table, hold

INPUTS = [
    (np.array(values, "f"), n, c)
    for values, n, c in [
        ([1, 2, 3, 4], 2, 2.5),
        ([3, 1, 2], 3, 0.5),
        ([], 0, 1.0),
        ([5], 1, 10.0),
        ([2, 2, 7, 1], 5, 3.5),
        ([4, -1, 2], 8, -1.0),
    ]
]


class Unfinished(Exception):
    """The tokens end too early."""


@dataclasses.dataclass
class Found:
    """A record; Python writes its methods."""

    at: int = 4


rows = Table(INPUTS, {"x": {0: "rows"}})


@rows()
def records_of_each_call(self, x, n, c):
    ended = [0]

    def f(found):
        try:
            if found.at >= len(x):
                return Found()
            if x[found.at] > c:
                return Found(found.at)
            return f(Found(found.at + 1))
        finally:
            ended[0] += 1

    return f(Found(0)).at, ended


@rows()
def a_handler_of_each_call(self, x, n, c):
    def f(k):
        if k < 0:
            raise ValueError("neg")
        if k == 0:
            return 0
        try:
            return 1 + f(k - 2)
        except ValueError:
            return 100

    return f(n)


@rows()
def many_raise_in_unlike_words(self, x, n, c):
    log = []

    def f(k, at):
        if at >= len(x):
            raise ValueError
        if k == 0:
            raise KeyError(at)
        try:
            try:
                if x[at] > c:
                    raise ValueError("large", k)
                f(k - 1, at + 1)
            finally:
                log.append(k)
        except (ValueError, KeyError) as e:
            log.append(len(e.args))
            if at == 0:
                return k
            raise
        return at

    try:
        return f(n, 0), log
    except KeyError as e:
        return e.args[0], log
    except ValueError as e:
        return -len(e.args), log


@rows()
def a_finally_after_each_call(self, x, n, c):
    log = []

    def f(k):
        if k <= 0:
            return 0
        try:
            return 1 + f(k - 1)
        finally:
            log.append(k)

    return f(n), log


@rows()
def some_are_let_through(self, x, n, c):
    log = []

    def f(k):
        if k <= 0:
            if c > 2:
                raise KeyError("zero")
            raise ValueError("zero")
        try:
            f(k - 1)
        except ValueError:
            log.append(k)
            if k % 2:
                raise
        return k

    try:
        return f(n), log
    except (KeyError, ValueError) as e:
        return len(e.args[0]), log


@rows()
def two_calls_of_which_one_fails(self, x, n, c):
    values = x.tolist()

    def best(i, left):
        if left < 0:
            raise ValueError
        if i == len(values):
            return 0.0
        without = best(i + 1, left)
        try:
            return max(without, values[i] + best(i + 1, left - values[i]))
        except ValueError:
            return without

    return best(0, c + n)


@rows()
def what_is_caught_is_kept_over_a_call(self, x, n, c):
    log = []

    def f(k):
        if k <= 0:
            raise ValueError("abc")
        try:
            return f(k - 2)
        except ValueError as e:
            if k > 4:
                log.append(f(k - 5))
            return len(e.args[0]) + k

    return f(n + 1), log


@rows()
def an_argument_that_raises_leaves_no_frame(self, x, n, c):
    values = x.tolist()

    def f(i, given):
        if i <= 0:
            return given
        try:
            return f(i - 1, values[i]) + 1
        except IndexError:
            return -100.0

    return f(n, 0.5)


@rows()
def an_else_and_a_loop_around(self, x, n, c):
    log = []

    def f(k):
        if k <= 0:
            return 1
        total = 0
        for step in range(1, 3):
            try:
                if k % 3 == 2 and step == 2:
                    raise ValueError
                part = f(k - step)
            except ValueError:
                log.append(-k)
            else:
                total += part
        return total

    return f(n), log


@rows()
def numbers_of_the_run_in_what_is_raised(self, x, n, c):
    def f(k):
        if k <= 0:
            raise ValueError(k + 7)
        try:
            return f(k - 2)
        except ValueError as e:
            return e.args[0] + k

    return f(n + 1)


@rows()
def parser_backtracks(self, x, n, c):
    tokens = [int(v) for v in x]
    pos = [0]

    def term(depth):
        if pos[0] >= len(tokens):
            raise Unfinished("end")
        t = tokens[pos[0]]
        pos[0] += 1
        if t % 2 == 0:
            return t
        try:
            return term(depth + 1) + term(depth + 1) * 2
        except Unfinished:
            return t * 10

    out = []
    while pos[0] < len(tokens):
        out.append(term(0))
    return out


@rows()
def dfs_finally_unmarks(self, x, n, c):
    on = np.zeros(8, dtype=np.int64)
    found = [0]

    def go(k, left):
        if on[k]:
            raise ValueError("cycle")
        on[k] = 1
        try:
            if left == 0:
                found[0] += 1
                return
            for step in (1, 3):
                try:
                    go((k * step + 1) % 8, left - 1)
                except ValueError:
                    found[0] += 100
        finally:
            on[k] = 0

    go(0, n)
    return found[0], on


@rows()
def early_exit_search(self, x, n, c):
    class Found(Exception):
        pass

    best = [-1]

    def search(i, total):
        if total == n:
            best[0] = i
            raise Found()
        if i >= len(x):
            return
        search(i + 1, total + int(x[i]))
        search(i + 1, total)

    try:
        search(0, 0)
    except Found:
        return best[0]
    return -7


@rows()
def index_error_ends(self, x, n, c):
    def total(i):
        try:
            v = float(x[i])
        except IndexError:
            return 0.0
        return v + total(i + 1)

    return total(0)


@rows()
def depth_of_failure(self, x, n, c):
    def f(k):
        if k > 4:
            raise OverflowError("deep")
        try:
            r = f(k + 1)
        except OverflowError:
            if k % 2:
                raise
            return k
        else:
            return r + 100
        finally:
            log.append(k)

    log = [-1]
    try:
        r = f(n)
    except OverflowError:
        r = -5
    return r, log


@rows()
def mutual(self, x, n, c):
    def even(k):
        if k == 0:
            return True
        if k < 0:
            raise ValueError("neg")
        try:
            return odd(k - 1)
        except ValueError:
            return False

    def odd(k):
        if k == 1 and c > 1:
            raise ValueError("one")
        return even(k - 1)

    try:
        return even(n)
    except ValueError:
        return None


@rows()
def memo_with_keyerror(self, x, n, c):
    memo = {}

    def fib(k):
        try:
            return memo[k]
        except KeyError:
            pass
        if k < 2:
            r = k
        else:
            r = fib(k - 1) + fib(k - 2)
        memo[k] = r
        return r

    return fib(n), len(memo)


@rows()
def nested_try(self, x, n, c):
    def f(k):
        try:
            try:
                if k == 0:
                    raise TypeError("t")
                return f(k - 1) + 1
            except ValueError:
                return 50
            finally:
                if k == 2 and c > 1:
                    raise ValueError("from finally")
        except TypeError:
            if k < 2:
                raise
            return 7

    try:
        return f(n)
    except (TypeError, ValueError):
        return -1


@rows()
def break_in_try(self, x, n, c):
    def f(k):
        got = 0
        for i in range(k):
            try:
                got += f(k - 1 - i)
                if got > 4:
                    break
            except ValueError:
                continue
            finally:
                got += 1
        else:
            if k == 1:
                raise ValueError("one")
        return got

    try:
        return f(n)
    except ValueError:
        return -3


@rows()
def items_collected_before_a_call_raised(self, x, n, c):
    calls = [0]

    def f(k):
        calls[0] += 1
        if calls[0] % 4 == 0:
            raise ValueError("each fourth")
        if k <= 0:
            return 1
        try:
            return sum([sum([f(k - 1) for _ in range(2)]) for _ in range(2)])
        except ValueError:
            return 100 + sum([f(k - 2) for _ in range(2)])

    try:
        return f(n), calls[0]
    except ValueError:
        return -1, calls[0]


DEEP = [(np.ones(2, np.float32), n, False) for n in (3, 0, 1, 900, 1500)]


@rows(DEEP)
def deeper_than_python_goes(self, x, n, c):
    def last(y, k):
        return y if k <= 0 else last(y * 1.001, k - 1)

    def unchanged(k):
        return x if k <= 0 else unchanged(k - 1)

    try:
        return last(x, n)
    except RecursionError:
        x = x * 3
    try:
        return unchanged(n)
    except RecursionError:
        return x * 5


@rows(DEEP)
def without_an_end(self, x, n, c):
    def last(k):
        return last(k) if n > 3 else x

    try:
        return last(n)
    except RecursionError:
        return x * 3


@rows()
def lists_of_calls_and_of_handlers(self, x, n, c):
    def f(k, s):
        if k <= 0:
            raise ValueError
        try:
            r = f(k - 1, s[:6])
        except ValueError:
            r = s[:6]
        return r + [k]

    try:
        return f(n, [1, 2, 3])
    except ValueError:
        return [0]


@rows()
def lists_of_which_one_is_cut(self, x, n, c):
    def f(k, s):
        if k <= 0:
            raise ValueError
        try:
            r = f(k - 1, s[:6])
        except ValueError:
            r = (s if n > 2 else [k])[:6]
        return r + [1]

    try:
        return f(n, [1, 2, 3])
    except ValueError:
        return [0]


@pytest.mark.parametrize("program", rows.programs, ids=lambda p: p.name)
def test_same(program: Program) -> None:
    hold(program)


refused = Table(INPUTS, {"x": {0: "rows"}})


@refused()
def what_a_moved_handler_raises_follows_from(self, x, n, c):
    def f(k):
        if k <= 0:
            raise ValueError(k)
        try:
            return f(k - 1)
        except ValueError:
            raise KeyError(k)  # noqa: B904

    try:
        return f(n)
    except KeyError as e:
        return e.__context__ is None


@refused()
def what_is_caught_is_computed(self, x, n, c):
    kinds = (KeyError, ValueError)

    def f(k):
        try:
            return 0 if k <= 0 else f(k - 1)
        except kinds[0]:
            return k

    return f(n)


@pytest.mark.parametrize("program", refused.programs, ids=lambda p: p.name)
def test_refused(program: Program) -> None:
    with pytest.raises(REFUSED):
        compiled(program)
