"""Operations of Python and numpy that fail for some sizes or numbers, and are caught."""

# ruff: noqa: F841  as programs have it
from __future__ import annotations

import contextlib
import math

import numpy as np
import pytest

from tests.programs import REFUSED, Program, compiled
from tests.table import Table, hold
from tests.walker.failing import AXES, INPUTS

case, refused = Table(INPUTS, AXES), Table(INPUTS, AXES)


@case()
def numpy_s_reshape(self, x, y, z, n):
    try:
        return y.reshape(2, -1).sum()
    except ValueError:
        return np.float32(-1)


@case()
def sum_of_two(self, x, y, z, n):
    try:
        return (y + z[:, 0]).sum()
    except ValueError:
        return np.float32(-1)


@case()
def an_index_array(self, x, y, z, n):
    try:
        return y[x]
    except IndexError:
        return y[:0]


@case()
def taken(self, x, y, z, n):
    try:
        return np.take(y, x)
    except IndexError:
        return y[:0]


@case()
def largest_of_nothing(self, x, y, z, n):
    try:
        return y.max()
    except ValueError:
        return np.float32(-1)


@case()
def place_of_the_largest(self, x, y, z, n):
    try:
        return int(y.argmax())
    except ValueError:
        return -1


@case()
def product(self, x, y, z, n):
    try:
        return np.dot(y, z).sum()
    except ValueError:
        return np.float32(-1)


@case()
def stacked(self, x, y, z, n):
    try:
        return np.stack([y, z[:, 0]]).sum()
    except ValueError:
        return np.float32(-1)


@case()
def joined(self, x, y, z, n):
    try:
        return np.concatenate([y.reshape(1, -1), z]).sum()
    except ValueError:
        return np.float32(-1)


@case()
def square_root(self, x, y, z, n):
    try:
        return math.sqrt(n - 3)
    except ValueError:
        return -1.0


@case()
def logarithm(self, x, y, z, n):
    try:
        return math.log(n)
    except ValueError:
        return -1.0


@case()
def truth_of_an_array(self, x, y, z, n):
    try:
        if x > 0:
            return 1
        return 0
    except ValueError:
        return -1


@case()
def the_only_element(self, x, y, z, n):
    try:
        return x.item()
    except ValueError:
        return -1


@case()
def strict_zip(self, x, y, z, n):
    try:
        return list(zip(x.tolist(), range(n), strict=True))
    except ValueError:
        return []


@case()
def its_text_is_printed(self, x, y, z, n):
    try:
        return (y + z[:, 0]).sum()
    except ValueError as e:
        print("no", e)
        return np.float32(len(y))


@case()
def another_from_it(self, x, y, z, n):
    try:
        return (y + z[:, 0]).sum()
    except ValueError as e:
        raise RuntimeError("bad shapes") from e


@case()
def raised_again_or_not(self, x, y, z, n):
    try:
        try:
            return y.reshape(n, -1).sum()
        except ValueError:
            if n > 3:
                raise
            return np.float32(5)
    except Exception:
        return np.float32(7)


@case()
def written_by_an_index_array(self, x, y, z, n):
    b = np.zeros(4, np.float32)
    try:
        b[x] = y
    except IndexError:
        b[:] = -1
    return b


@case()
def written_into_a_slice(self, x, y, z, n):
    b = np.zeros(4, np.float32)
    try:
        b[:n] = y
    except ValueError:
        b[:] = -1
    return b


@case()
def rows_written(self, x, y, z, n):
    b = np.zeros((7, 3), np.float32)
    try:
        b[len(z)] = z[0]
        b[0] = y
    except IndexError:
        b[1] = 2
    except ValueError:
        b[2] = 3
    return b


@case()
def added_in_place(self, x, y, z, n):
    b = y.copy()
    try:
        b += z[:, 0]
    except ValueError:
        b -= 1
    return b


@case()
def shapes_in_a_loop(self, x, y, z, n):
    t = 0
    for i in range(5):
        try:
            t += int(z.reshape(i, -1).shape[1])
        except ValueError:
            t += 100
    return t


@case()
def until_it_fails(self, x, y, z, n):
    k = 1
    while True:
        try:
            r = y.reshape(k, -1)
            k += 1
        except ValueError:
            break
        if k > 6:
            break
    return k


@case()
def with_a_finally(self, x, y, z, n):
    log = []
    try:
        try:
            y.reshape(n, -1)
            log.append(1)
        finally:
            log.append(2)
    except ValueError:
        log.append(3)
    return log


@case()
def with_an_else(self, x, y, z, n):
    try:
        r = y.reshape(n, -1)
    except ValueError:
        return -1
    else:
        return r.shape[1]


@case()
def two_tries(self, x, y, z, n):
    try:
        r = np.dot(y, z)
        s = r.reshape(n, -1).sum()
    except ValueError:
        s = np.float32(-1)
    try:
        s = s + np.concatenate([y, z[0]]).max()
    except ValueError:
        s = np.float32(-3)
    return s


@case()
def the_first_that_fits(self, x, y, z, n):
    for k in (5, 4, 3, 2, 1):
        try:
            return (y.reshape(k, -1),)
        except ValueError:
            continue
    return (y.reshape(1, -1),)


@case()
def stacked_as_columns(self, x, y, z, n):
    try:
        return np.stack([y, z[:, 0]], axis=1)
    except ValueError:
        return np.zeros((1, 2), np.float32)


@case()
def rows_below_one_another(self, x, y, z, n):
    try:
        return np.vstack([y, z]).sum()
    except ValueError:
        return np.float32(-1)


@case()
def compared(self, x, y, z, n):
    try:
        return bool((y > z[:, 0]).all())
    except ValueError:
        return False


@refused()
def equal_or_not(self, x, y, z, n):
    try:
        return bool(np.all(y == z[:, 0]))
    except ValueError:
        return False


@case()
def chosen_by_where(self, x, y, z, n):
    try:
        return np.where(y > 1, y, z[:, 0]).sum()
    except ValueError:
        return np.float32(-1)


@case()
def sum_of_products(self, x, y, z, n):
    try:
        return np.einsum("i,ij->j", y, z).sum()
    except ValueError:
        return np.float32(-1)


@case()
def squeezed_by_numpy(self, x, y, z, n):
    try:
        return np.squeeze(z, 0).sum()
    except ValueError:
        return np.float32(-1)


@case()
def squeezed_by_a_method(self, x, y, z, n):
    try:
        return z.squeeze(axis=0).sum()
    except ValueError:
        return np.float32(-1)


@case()
def parts_by_numpy(self, x, y, z, n):
    try:
        return np.split(y, 2)[0]
    except ValueError:
        return y


@case()
def too_large(self, x, y, z, n):
    try:
        return math.exp(n * 150.0)
    except OverflowError:
        return -1.0


@refused()
def a_power_of_math(self, x, y, z, n):
    try:
        return math.pow(n - 3.0, 0.5)
    except ValueError:
        return -1.0


@case()
def element_at_the_largest(self, x, y, z, n):
    try:
        return y[np.argmax(y)]
    except ValueError:
        return np.float32(-1)


@case()
def smallest_of_rows(self, x, y, z, n):
    try:
        return z[n:].min(axis=0)
    except ValueError:
        return z[0]


@case()
def state_as_it_was(self, x, y, z, n):
    log = []
    b = np.zeros(3, np.float32)
    for i in range(3):
        try:
            b += 1
            log.append(i)
            b[:] = b + y[:3] * i
            log.append(-i)
        except ValueError:
            log.append(100)
    return (log, b)


@case()
def a_dict_as_it_was(self, x, y, z, n):
    d = {}
    for k in (1, 2, 3, 4):
        try:
            d[k] = 0
            v = y.reshape(k, -1)
            d[k] = v.shape[1]
            if n > 3:
                v = v.reshape(n, -1)
                d[k] += 1000 * v.shape[1]
        except ValueError:
            d[k] -= 5
    return d


@case()
def nested_tries(self, x, y, z, n):
    r = 0.0
    try:
        try:
            r = float((y + z[:, 1]).sum())
        except ValueError:
            r = -1.0
            r += float(y.reshape(n, -1).sum())
    except (ValueError, IndexError):
        r = -100.0
    return r


@case()
def what_a_finally_logs(self, x, y, z, n):
    log = []
    for k in (1, 2):
        try:
            try:
                log.append(int((y + z[:, 0] * k).sum()))
            finally:
                log.append(k)
        except ValueError:
            log.append(-k)
    return log


@case()
def a_function_that_tries(self, x, y, z, n):

    def safe(f, *a):
        try:
            return f(*a)
        except Exception:
            return np.float32(-1)

    return (
        safe(lambda a, b: (a + b[:, 0]).sum(), y, z),
        safe(lambda a: a.reshape(n, -1).sum(), y),
        safe(lambda a: a[n], y),
    )


@case()
def a_step_of_none(self, x, y, z, n):
    try:
        return np.arange(0, 5, n - 4)
    except ZeroDivisionError:
        return np.zeros(1, np.int64)
    except ValueError:
        return np.ones(1, np.int64)


@case()
def a_size_below_none(self, x, y, z, n):
    try:
        return np.zeros(n - 2)
    except ValueError:
        return np.ones(1)


@case()
def written_and_added_to(self, x, y, z, n):
    b = np.zeros(6, np.float32)
    try:
        b[x] = y
        b[x] += 1
    except IndexError:
        b[0] = -1
    return b


@case()
def an_element_taken_out(self, x, y, z, n):
    try:
        return np.delete(y, n)
    except IndexError:
        return y * 0


@contextlib.contextmanager
def swallowing(log):
    try:
        yield
    except ValueError:
        log.append(1)


@case()
def in_a_context_manager(self, x, y, z, n):
    log = []
    with swallowing(log):
        log.append(int(y.reshape(n, -1).shape[1]))
    return log


@case()
def left_by_break_or_return(self, x, y, z, n):
    for k in range(2, 5):
        try:
            v = y.reshape(k, -1)
            if v.shape[1] == 1:
                break
        except ValueError:
            continue
        else:
            if k > n:
                return k
    return -k


NO_ROWS = [
    (np.array(index, np.int64), np.ones((rows, columns), np.float32))
    for index, rows, columns in (
        *(([0, 1], 2, 3), ([5], 2, 3), ([5], 2, 0), ([-4], 3, 2), ([], 0, 0), ([1], 1, 0)),
        *(([2], 3, 0), ([0], 0, 2)),
    )
]
BOTH = {"x": {0: "a"}, "z": {0: "b", 1: "c"}}


@case(NO_ROWS[:2] + NO_ROWS[3:5] + NO_ROWS[6:], BOTH)
def rows_that_are_not_there(self, x, z):
    try:
        return z[x]
    except IndexError:
        return z - 1


@refused()
def rows_of_a_slice(self, x, y, z, n):
    try:
        return z[n : n + 2, x]  # of no rows numpy takes any column
    except IndexError:
        return z[:1, :1]


@case()
def truth_of_more_than_one(self, x, y, z, n):
    rows = np.zeros((len(x) + 1, 3))
    try:
        return 1 if rows else 2
    except ValueError:
        return 3


@case()
def int_of_more_than_one(self, x, y, z, n):
    try:
        return int(np.zeros(len(x) + 2))
    except TypeError:
        return -1


@case()
def sorted_backwards_or_what(self, x, y, z, n):
    found = []
    for backwards in (True, None, 1.0, 0, "a"):
        try:
            found.append(sorted([3, n, 1], reverse=backwards))
        except TypeError:
            found.append([])
    return found


@case()
def sorted_backwards_by_a_float(self, x, y, z, n):
    try:
        return sorted(x.tolist(), reverse=n * 1.0)
    except TypeError:
        return [-1]


class Held:
    """Without a format of its own."""


@case()
def formats_that_raise(self, x, y, z, n):
    held = Held()
    held.n = n
    found = []
    for value in (held, [n], (n, 2.5), None, {n: 1}, (n, 2.5) if n > 1 else n, "a" if n > 1 else n):
        try:
            f"{value:.2f}"
            found.append(0)
        except (TypeError, ValueError) as error:
            found.append(1 if isinstance(error, TypeError) else 2)
    return found


@case()
def methods_of_texts_that_take_no_functions(self, x, y, z, n):
    try:
        "ab".lstrip([n, "ab".lstrip][int(n > 1)])
    except TypeError:
        return n
    return -1


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_caught(program: Program) -> None:
    hold(program)


@pytest.mark.parametrize("program", refused.programs, ids=lambda p: p.name)
def test_is_refused(program: Program) -> None:
    with pytest.raises(REFUSED):
        compiled(program)
