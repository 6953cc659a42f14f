"""Exceptions that are raised when the model runs, and that the program catches."""

# ruff: noqa: B012, B904, F821, F841  as programs have it
from __future__ import annotations

import contextlib

import chainer.functions as F
import pytest
from chainer.utils import type_check

from tests.programs import REFUSED, Program, compiled
from tests.table import Table, hold

case = Table()
refused = Table()


@case()
def division(self, x, n, c):
    try:
        y = 10 // n
    except ZeroDivisionError:
        y = -1
    return y, x


@case()
def a_finally_raises_what_is_caught(self, x, n, c):
    seen, found = set(), []
    for i in range(n):
        try:
            try:
                found.append(max(seen))
            finally:
                seen.remove(i % 2)
        except LookupError:
            seen.add(i + 1)
    return found, x


@case()
def a_finally_that_jumps(self, x, n, c):
    def small(k):
        try:
            k = 6 // k
        finally:
            if k < 3:
                return k
        return k + 100

    found = []
    for k in range(n + 2):
        try:
            try:
                if k == 2:
                    raise KeyError(k)
                found.append(10 // (k - 1))
            except ZeroDivisionError:
                found.append(-1)
            finally:
                found.append(k)
                if k % 2 == 0:
                    continue
            found.append(small(k))
        except LookupError:
            found.append(-2)
    while True:
        try:
            n += 10 // (n - 1)
        finally:
            break
    return found, n, x


@case()
def raised(self, x, n, c):
    try:
        if n > 2:
            raise ValueError("big")
        y = n
    except ValueError:
        y = 100
    return y, x


@case()
def raised_else(self, x, n, c):
    k = 0
    try:
        k += 1
        if n > 2:
            k += 10
            raise ValueError("big")
        elif n == 1:
            k += 20
            raise KeyError("a")
        k += 100
    except ValueError:
        y = 100
    except KeyError:
        y = 200
    else:
        y = n
    finally:
        k += 1000
    return y, k


@case()
def indexed(self, x, n, c):
    rows = [1, 2, 3]
    try:
        y = rows[n]
    except IndexError:
        y = 0
    return y


@case()
def key(self, x, n, c):
    d = {0: 5, 1: 7}
    try:
        y = d[n]
    except KeyError:
        y = 0
    return y


@case()
def row(self, x, n, c):
    try:
        y = x[n]
    except IndexError:
        y = x.sum(axis=0)
    return y


@case()
def in_loop(self, x, n, c):
    t = 0
    for i in range(n):
        try:
            t += 10 // (i - 1)
        except ZeroDivisionError:
            t += 1000
    return t


@case()
def in_loop_continue(self, x, n, c):
    t = 0
    for i in range(n):
        try:
            v = 10 // (i - 1)
        except ZeroDivisionError:
            continue
        t += v
    return t


@case()
def around_loop(self, x, n, c):
    t = 0
    try:
        for i in range(n):
            t += 10 // (i - 2)
    except ZeroDivisionError:
        t += 1000
    return t


@case()
def loop_break(self, x, n, c):
    rows = [3, 4, 5]
    t, i = 0, n
    while True:
        try:
            v = rows[i]
        except IndexError:
            break
        t += v
        i += 1
    return t


@case()
def nested(self, x, n, c):
    k = []
    try:
        try:
            if n == 1:
                raise KeyError("a")
            if n == 2:
                raise ValueError("b")
            k.append(1)
        except KeyError:
            k.append(2)
            raise
        finally:
            k.append(3)
    except (KeyError, ValueError):
        k.append(4)
    return k


@case()
def calls(self, x, n, c):
    def g(v):
        if v == 2:
            raise ValueError("two")
        return 10 // v

    try:
        y = g(n) + g(n - 1)
    except ValueError:
        y = 1
    except ZeroDivisionError:
        y = 2
    return y


@case()
def branch_inside(self, x, n, c):
    y = 0
    try:
        if c:
            y = 10 // n
        else:
            y = 5
        y += 1
    except ZeroDivisionError:
        y -= 100
    return y


@case()
def uncaught(self, x, n, c):
    try:
        y = 10 // n
        if n == 3:
            raise TypeError("t")
    except ZeroDivisionError:
        y = 0
    return y


@case()
def asserted(self, x, n, c):
    try:
        assert n > 1
        y = x * n
    except AssertionError:
        y = x
    return y


@case()
def suppressed(self, x, n, c):
    y = 0
    with contextlib.suppress(ZeroDivisionError):
        y = 1
        y = 10 // n
    return y


@case()
def from_(self, x, n, c):
    try:
        try:
            y = 10 // n
        except ZeroDivisionError as e:
            raise ValueError("z") from e
    except ValueError as e:
        y = len(e.args)
    return y


@case()
def returns(self, x, n, c):
    def g():
        try:
            return 10 // n
        except ZeroDivisionError:
            return -5
        finally:
            x[:] = x + 1

    return g(), x


@case()
def text(self, x, n, c):
    try:
        if n == 1:
            raise ValueError("one")
        if n == 2:
            raise ValueError("two")
    except ValueError as e:
        return len(str(e)) + (str(e) == "two")
    return 0


@case()
def raise_outer(self, x, n, c):
    k = 0
    try:
        try:
            k = 10 // n
        except ZeroDivisionError as e:
            try:
                k = [1][n + 1]
            except IndexError as f:
                k = 5
                raise e
    except ZeroDivisionError:
        k += 1
    except IndexError:
        k += 100
    return k


@case()
def raise_from_e(self, x, n, c):
    k = 0
    try:
        try:
            k = 10 // n
        except ZeroDivisionError as e:
            raise ValueError("bad") from e
    except ValueError as v:
        k = len(str(v))
    return k


@case()
def a_float_or_an_int_as_text(self, x, n, c):
    found = []
    v = 1.5 if n == 0 else n
    for form in (lambda: f"{v:d}", lambda: format(v, "d"), lambda: "{:d}".format(v)):  # noqa: UP032
        try:
            form()
        except ValueError:
            found.append(1)
        else:
            found.append(0)
    return found, x


@case()
def texts_of_two_values(self, x, n, c):
    v, w = "s" if n == 0 else n, None if n == 1 else 2.5
    found = [0, 0, 0]
    try:
        _ = "%s %.1f" % (v, w)  # noqa: UP031
    except TypeError:
        found[0] = 1
    try:
        _ = "{v:d} {w:.1f}".format(v=v, w=w)  # noqa: UP032
    except TypeError:
        found[1] = 1
    except ValueError:
        found[1] = 2
    try:
        f"{[1] if c else w:.2f}"
    except TypeError:
        found[2] = 1
    return found, x


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_caught(program: Program) -> None:
    hold(program)


@refused()
def classes_in_a_tuple_in_a_tuple(self, x, n, c):
    """Python says so where there is something to catch."""
    try:
        if n > 2:
            raise ValueError(n)
        return 10 // n
    except (KeyError, (ValueError, ArithmeticError)):  # noqa: B030
        return -1


@refused()
def what_is_caught_is_chosen_by_the_run(self, x, n, c):
    kinds = (KeyError, ValueError)
    try:
        if n > 2:
            raise KeyError(n)
        return 0
    except kinds[c]:
        return n


@case()
def text_of_the_cause(self, x, n, c):
    k = 0
    try:
        try:
            k = 10 // n
        except ZeroDivisionError as e:
            raise ValueError("bad") from e
    except ValueError as v:
        k = len(str(v.__cause__))
    return k


@case()
def a_name_is_unbound_where_its_handler_raises(self, x, n, c):
    try:
        try:
            raise KeyError(n)
        except KeyError as e:
            raise ValueError(n + 1)
    except ValueError as f:
        pass
    try:
        return e
    except UnboundLocalError:
        return -1


@refused()
def what_chainer_checks(self, x, n, c):
    try:
        return F.reshape(x, (n, 2))
    except type_check.InvalidType:
        return x


@pytest.mark.parametrize("program", refused.programs, ids=lambda p: p.name)
def test_is_refused(program: Program) -> None:
    with pytest.raises(REFUSED):
        compiled(program)
