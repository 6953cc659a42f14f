"""Exceptions that hold values known only when the model runs."""

# ruff: noqa: F841, RUF015  as programs have it
from __future__ import annotations

import numpy as np
import pytest

from tests.programs import REFUSED, Program, compiled
from tests.table import Table, hold

#: Numbers of which a first, a middle or the last one raises, or none; duplicates, one, none.
LISTS = [
    (np.array(numbers, np.int64), n)
    for numbers, n in (
        *(([3, 1, 2], 2), ([0, 1, 2], 0), ([1, 0, 2, 0], 1), ([1, 2, 0], 3), ([], 0), ([5], 5)),
        *(([0], 1), ([2, 2, 2, 7], 2), ([9, -1, 3, 9, -4], 9)),
    )
]
case = Table(LISTS, {"x": {0: "n"}})
refused = Table(LISTS, {"x": {0: "n"}})


class Bad(Exception):
    def __init__(self, v, w=1):
        super().__init__("bad")
        self.v = v
        self.w = w

    def both(self):
        return self.v * 10 + self.w


class Worse(Bad):
    def __str__(self):
        return "worse"


class Plain(ValueError):
    pass


@case()
def args(self, x, n):
    try:
        for v in x.tolist():
            if v < 1:
                raise ValueError(v)
    except ValueError as e:
        return e.args[0]
    return 100


@case()
def args2(self, x, n):
    t = 0
    for v in x.tolist():
        try:
            if v < 1:
                raise ValueError(v, n)
            if v > 4:
                raise KeyError(v * 2)
            t += 1
        except (ValueError, KeyError) as e:
            t += e.args[0] * 7 + len(e.args)
    return t


@case()
def attr(self, x, n):
    try:
        for v in x.tolist():
            if v < 1:
                raise Bad(v)
    except Bad as b:
        return b.v, b.w, b.both()
    return 100, 0, 1


@case()
def attr_local(self, x, n):
    class Own(Exception):
        def __init__(self, v):
            super().__init__("bad", v)
            self.v = v

    try:
        for v in x.tolist():
            if v < 1:
                raise Own(v + n)
    except Own as b:
        return b.v, b.args[1]
    return 100, 3


@case()
def str_own(self, x, n):
    try:
        for v in x.tolist():
            if v < 1:
                raise Worse(v)
            if v > 4:
                raise Bad(v, w=v)
    except Worse as b:
        return str(b), b.w
    except Bad as b:
        return str(b), b.w
    return "no", -1


@case()
def reraise(self, x, n):
    def f(v):
        try:
            if v < 1:
                raise Plain(v)
            return 10 // (v - 2)
        except Plain as e:
            if n > 1:
                raise
            return e.args[0] - 100

    try:
        return [f(v) for v in x.tolist()][0]
    except Plain as e:
        return e.args[0] + 1000
    except ZeroDivisionError:
        return 5
    except IndexError:
        return 6


@case()
def first_held(self, x, n):
    first = ValueError(n)
    got = None
    try:
        for v in x.tolist():
            if v < 1:
                raise first
    except ValueError as e:
        got = e
    return got is first, got is None, first.args[0]


@case()
def last(self, x, n):
    last = None
    for v in x.tolist():
        try:
            if v < 2:
                raise ValueError(v)
        except ValueError as e:
            last = e
    return -50 if last is None else last.args[0]


@case()
def collected(self, x, n):
    errors = []
    for i, v in enumerate(x.tolist()):
        try:
            if v < 2:
                raise ValueError(i, v)
        except ValueError as e:
            errors.append(e.args)
    return errors


@case()
def collected2(self, x, n):
    errors = []
    for i, v in enumerate(x.tolist()):
        try:
            if v < 2:
                raise ValueError(i, v)
        except ValueError as e:
            errors.append(e)
    return [e.args[0] for e in errors], len(errors)


@case()
def keyarg(self, x, n):
    d = {}
    for v in x.tolist():
        d[v] = 1
    try:
        return d[n]
    except KeyError as e:
        return e.args[0] + 100


@case()
def strf2(self, x, n):
    try:
        if n > 2:
            raise ValueError(f"bad {n}")
    except ValueError as e:
        print("warning", e, f"{e}")
        return n + len(e.args)
    return 0


@case()
def typename(self, x, n):
    try:
        y = 10 // n
        z = x.tolist()[n]
    except Exception as e:
        return type(e).__name__
    return "fine"


@case()
def choice(self, x, n):
    err = ValueError("a") if n > 1 else KeyError("b")
    try:
        if n != 2:
            raise err
    except ValueError:
        return 1
    except KeyError:
        return 2
    return 3


@case()
def array(self, x, n):
    class Found(Exception):
        pass

    try:
        for i in range(len(x)):
            if x[i] < 1:
                raise Found(i, x[i:] * 2.0)
    except Found as f:
        i, row = f.args
        return i, row
    return -1, x * 1.0


@case()
def cleaned_up(self, x, n):
    log = []

    def f(v):
        try:
            if v < 1:
                raise Plain(v)
            return v
        finally:
            log.append(v)

    t = 0
    try:
        for v in x.tolist():
            t += f(v)
    except Plain as e:
        t += 1000 + e.args[0]
    return t, log


@case()
def from_(self, x, n):
    try:
        try:
            if n > 1:
                raise Plain(n)
            y = 4 // n
        except Plain as e:
            raise Bad(e.args[0] + 1) from e
        except ZeroDivisionError as e:
            raise Bad(-1) from e
    except Bad as b:
        return b.v
    return y


@case()
def setattr(self, x, n):
    try:
        for i, v in enumerate(x.tolist()):
            if v < 1:
                e = Plain(v)
                e.code = i
                raise e
    except Plain as e:
        return e.code
    return 50


@case()
def mod(self, x, n):
    try:
        for i, v in enumerate(x.tolist()):
            try:
                if v < 1:
                    raise Plain(v)
            except Plain as e:
                e.args = (e.args[0], i)
                raise
    except Plain as e:
        return e.args[1], len(e.args)
    return 50, 0


@case()
def uncaught(self, x, n):
    try:
        if n > 3:
            raise Bad(n)
        if n > 2:
            raise Plain(n)
    except Plain as p:
        return p.args[0]
    return n


@case()
def raisenoh(self, x, n):
    e = ValueError(f"n is {n}")
    if n > 2:
        raise e
    return n


@case()
def nested(self, x, n):
    t = 0
    for i in range(n):
        try:
            for v in x.tolist():
                if v < i:
                    raise Plain(v, i)
                t += v
        except Plain as e:
            t += e.args[0] * 100 + e.args[1]
    return t


@case()
def known_msg(self, x, n):
    try:
        int("x")
    except ValueError as e:
        return len(str(e)) + n


@case()
def native_cond(self, x, n):
    try:
        if n > 1:
            int("x")
    except ValueError as e:
        return str(e)
    return "no"


@case()
def cause_of_the_run(self, x, n):
    try:
        try:
            if n > 2:
                raise KeyError(n)
        except KeyError as e:
            raise ValueError(n + 1) from e
    except ValueError as e:
        return e.args[0], e.__cause__.args[0], e.__suppress_context__
    return 0, 0, False


@case()
def list_in_args(self, x, n):
    data = [1, 2]
    last = None
    for k in range(n):
        try:
            if k % 2:
                raise ValueError(data, k)
        except ValueError as e:
            last = e
            e.args[0].append(k)
    if last is not None:
        last.args[0].append(100)
    return data, last is None


@case()
def errors_in_list(self, x, n):
    errors = []
    for k in range(n):
        try:
            if k % 2:
                raise ValueError(k)
            if k % 3 == 2:
                raise KeyError("k")
        except Exception as e:
            errors.append(e)
    return [1 if isinstance(e, KeyError) else 2 for e in errors]


@case()
def errors_in_list_args(self, x, n):
    errors = []
    for k in range(n):
        try:
            if k % 2:
                raise ValueError(k)
        except ValueError as e:
            errors.append(e)
    return [e.args[0] for e in errors], len(errors)


@case()
def known_and_others(self, x, n):
    last = ValueError("none")
    for k in range(n):
        try:
            if k == 2:
                raise ValueError("two")
            if k == 4:
                raise KeyError("four")
        except LookupError as e:
            last = e
        except ValueError as e:
            last = e
    return len(last.args), isinstance(last, KeyError)


@case()
def a_cause_of_each_turn(self, x, n):
    last = None
    for k in range(n):
        try:
            try:
                if k % 2:
                    raise KeyError(k)
            except KeyError as e:
                raise ValueError(k + 1) from e
        except ValueError as e:
            last = e
    return None if last is None else (last.args[0], last.__cause__.args[0])


@case()
def on_self(self, x, n):
    self.err = None
    for k in range(n):
        try:
            x[k + 1]
            if k > 2:
                raise OverflowError(k)
        except IndexError as e:
            self.err = e
        except OverflowError as e:
            self.err = e
            break
    return type(self.err) is OverflowError, self.err is None


@case()
def own_class(self, x, n):
    class Bad(Exception):
        def __init__(self, where, why):
            super().__init__(where)
            self.why = why

    last = None
    total = 0
    for k in range(n):
        try:
            if k % 2:
                raise Bad(k, k * 2)
        except Bad as e:
            last = e
            total += e.why
    return total, -1 if last is None else last.why + last.args[0]


@case()
def counted_on_the_way_up(self, x, n):
    def f(k):
        if k == 0:
            raise ValueError(0)
        try:
            f(k - 1)
        except ValueError as e:
            raise ValueError(e.args[0] + 1)  # noqa: B904

    try:
        f(n)
    except ValueError as e:
        return e.args[0]


@case()
def dict_of_errors(self, x, n):
    seen = {}
    for k in range(n):
        try:
            if k % 2:
                raise ValueError(k)
        except ValueError as e:
            seen[k] = e
    return [(k, e.args[0]) for k, e in seen.items()]


@refused()
def which_one_came_of_a_branch(self, x, n):
    e = None
    if n > 2:
        e = ValueError(n)
    elif n > 1:
        e = ValueError(n * 10)
    try:
        if e:
            raise e
    except ValueError as f:
        return f is e
    return False


@case()
def one_is_changed_that_another_copies(self, x, n):
    first = ValueError(n)
    last = None
    if n > 1:
        last = first
    elif n == 1:
        last = ValueError(0)
    for k in range(n):
        try:
            if k % 2:
                raise ValueError(k)
        except ValueError as e:
            last = e
    first.args = (7,)
    return -1 if last is None else last.args[0]


@refused()
def one_of_many_is_changed(self, x, n):
    made = [ValueError(n + i) for i in range(9)]
    last = None
    if n == 0:
        last = made[0]
    elif n == 1:
        last = made[1]
    elif n == 2:
        last = made[2]
    elif n == 3:
        last = made[3]
    elif n == 4:
        last = made[4]
    elif n == 5:
        last = made[5]
    elif n == 6:
        last = made[6]
    elif n == 7:
        last = made[7]
    elif n == 8:
        last = made[8]
    made[2].args = (7,)
    return -1 if last is None else last.args[0]


@refused()
def two_links_of_one_exception(self, x, n):
    try:
        try:
            if n > 2:
                raise KeyError(n)
        except KeyError as e:
            raise ValueError(n + 1) from e
    except ValueError as e:
        return e.__cause__ is e.__context__
    return False


@case()
def context_alone(self, x, n):
    try:
        try:
            if n > 2:
                raise KeyError(n)
        except KeyError as e:
            raise ValueError(n + 1)  # noqa: B904
    except ValueError as e:
        return (
            e.args[0],
            e.__cause__ is None,
            type(e.__context__) is KeyError,
            e.__suppress_context__,
        )
    return 0, False, False, False


@case()
def cause_or_none(self, x, n):
    class Wrapped(Exception):
        pass

    out = []
    for v in x.tolist():
        try:
            try:
                out.append(10 // v)
            except ZeroDivisionError as e:
                raise Wrapped(v) from e
            if v == n:
                raise Wrapped(-v)
        except Wrapped as w:
            out.append(-100 if w.__cause__ is not None else -200)
    return out


@case()
def cause_left_out(self, x, n):
    try:
        try:
            if n > 2:
                raise KeyError(n)
        except KeyError as e:
            raise ValueError(n + 1) from None
    except ValueError as e:
        return e.args[0], e.__cause__ is None, e.__suppress_context__
    return 0, False, False


@case()
def root_cause(self, x, n):
    def load(i):
        try:
            return x.tolist()[i]
        except IndexError as e:
            raise LookupError("no row", i) from e

    try:
        return load(n), 0
    except LookupError as e:
        root = e
        while root.__cause__ is not None:
            root = root.__cause__
        return -1, 1 if isinstance(root, IndexError) else 2


@case()
def stopvalue(self, x, n):
    def gen():
        yield n
        return n + 5

    g = gen()
    next(g)
    try:
        next(g)
    except StopIteration as e:
        return e.value


@case()
def searched_in_a_handler(self, x, n):
    xs = x.tolist()
    t = 0
    try:
        if n > 2:
            raise ValueError(n)
        try:
            if n % 2 == 0:
                raise ValueError(n)
            t = 5
        except ValueError:
            t += xs.index(n)
    except ValueError:
        t -= n % 3
    return t


@case()
def a_list_that_is_changed_later(self, x, n):
    held, out = [0, 1], []
    e = KeyError(held)
    out.append(e.args[0])
    held[1] = n
    return out


@case()
def a_list_that_is_changed_after_it_was_caught(self, x, n):
    held, out = [0, 1], []
    try:
        if n > 2:
            held[0] = 0.5
            raise KeyError(held, n)
        out.append(held)
    except KeyError as e:
        out.append(e.args[0])
        e = e.args
    finally:
        held[1] = n
    return out, held


@case()
def an_array_and_an_object_that_are_changed_later(self, x, n):
    array, bad = np.zeros(2), Bad(1)
    e = ValueError(array, bad)
    array[0], bad.v = n, n + 1
    return e.args[0], e.args[1].both()


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_held(program: Program) -> None:
    hold(program)


@refused()
def first_last(self, x, n):
    last = first = None
    for v in x.tolist():
        try:
            if v < 2:
                raise ValueError(v)
        except ValueError as e:
            if first is None:
                first = e
            last = e
    if first is None or last is None:
        return -50, -50, True
    return last.args[0], first.args[0], first is last


@refused()
def context_in_a_finally(self, x, n):
    try:
        try:
            if n > 2:
                raise ValueError("a")
        finally:
            if n > 1:
                raise KeyError("k")
    except KeyError as e:
        return e.__context__ is None
    except ValueError:
        return False
    return True


class Leaving:
    def __init__(self, n):
        self.n = n

    def __enter__(self):
        return self

    def __exit__(self, kind, error, where):
        if self.n > 1:
            raise KeyError("k")


@refused()
def context_of_what_an_exit_raises(self, x, n):
    try:
        with Leaving(n):
            if n > 2:
                raise ValueError("a")
    except KeyError as e:
        return e.__context__ is None
    except ValueError:
        return False
    return True


def failing(n):
    if n > 1:
        raise KeyError("k")


@refused()
def context_of_what_a_generator_raises(self, x, n):
    def items():
        while True:
            try:
                yield n
            except ValueError:
                failing(n)

    it = items()
    next(it)
    try:
        it.throw(ValueError("v"))
    except KeyError as e:
        return e.__context__ is None
    return True


@refused()
def strf(self, x, n):
    try:
        if n > 2:
            raise ValueError(f"bad {n}")
    except ValueError as e:
        return str(e)
    return "none"


class OfTheNet(ConnectionError):
    pass


@case()
def of_the_system(self, x, n):
    out = []
    for v in x.tolist():
        try:
            if v > 4:
                raise OfTheNet(v)
            if v > 2:
                raise TimeoutError(v)
            if v < 0:
                raise OSError(v)
            if v == n:
                raise PermissionError
            out.append(v)
        except ConnectionError as e:
            out.append(e.args[0] * 2 + (e.errno is None))
        except OSError as e:
            out.append(len(e.args) + (e.strerror is None) * 100)
    return out


@case()
def tried_again(self, x, n):
    """The argument is known in the first turn."""
    i, left = 0, n
    while i < len(x):
        try:
            if x[i] > 1 and left > 0:
                left -= 1
                raise TimeoutError(i)
        except TimeoutError as e:
            left -= e.args[0]
            continue
        i += 1
    return i, left


@refused()
def of_the_system_with_words(self, x, n):
    try:
        if n > 2:
            raise OSError(n, "no such device")
    except OSError as e:
        return e.errno
    return 0


class WithoutArguments(OSError):
    def __init__(self, code):
        self.code = code


@refused()
def of_the_system_with_an_init(self, x, n):
    """Python gives it no arguments: they are what `OSError.__init__` gets."""
    try:
        if n > 2:
            raise WithoutArguments(n)
    except OSError as e:
        return len(e.args)
    return 0


@pytest.mark.parametrize("program", refused.programs, ids=lambda p: p.name)
def test_is_refused(program: Program) -> None:
    with pytest.raises(REFUSED):
        compiled(program)
