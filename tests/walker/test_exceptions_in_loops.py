"""Exceptions that a first, a middle or the last iteration raises, or none, and that are caught."""

# ruff: noqa: B904, E722, F841  as programs have it
from __future__ import annotations

import numpy as np
import pytest

import elichika
from tests.programs import REFUSED, Program, compiled, outcome
from tests.table import Table, hold

case = Table()
refused = Table()
#: Numbers of which a first, a middle or the last one raises, or none; duplicates, one, none at all.
LISTS = [
    (np.array(numbers, np.int64),)
    for numbers in (
        *([3, 1, 2], [0, 1, 2], [1, 0, 2, 0], [1, 2, 0], [], [5], [0]),
        *([2, 2, 2, 7], [9, -1, 3]),
    )
]
ROWS = {0: {0: "n"}}
#: Floats that are no ints: a first, a middle, the last one, none at all.
FLOATS = [
    (np.array(numbers, np.float64),)
    for numbers in (
        *([1.5, np.nan, 3.0], [np.inf, 2.0], [], [2.5, -3.5], [-np.inf], [1.0, np.nan]),
        [np.nan, np.inf],
    )
]


@case(LISTS, ROWS)
def what_a_handler_reads(self, x):
    """A name that the `try` sets has its old value where that failed, and is set in all arms."""
    made, total, seen = 100, 0, []
    for v in x.tolist():
        try:
            made = 20 // v
            gone = made + v
            total += gone
        except ZeroDivisionError:
            total += made
        finally:
            seen.append(made + total)
    return total, made, seen


@case(LISTS, ROWS)
def swapped_until_it_fails(self, x):
    a, b = 1, 2
    for v in x.tolist():
        try:
            a, b = b, a + v
            a = 60 // v - a
        except ZeroDivisionError:
            a, b = b, a
    return a, b


@case(LISTS, ROWS)
def retry(self, x):
    tries, got = 0, -1
    for v in x.tolist():
        tries += 1
        try:
            got = 100 // v
            break
        except ZeroDivisionError:
            continue
    return tries, got


@case(LISTS, ROWS)
def collect(self, x):
    good, bad = [], 0
    for v in x.tolist():
        try:
            r = 12 // v
        except ZeroDivisionError:
            bad += 1
        else:
            good.append(r)
        finally:
            bad += 100
    return good, bad


@case(LISTS, ROWS)
def outer_try(self, x):
    total = 0
    try:
        for v in x.tolist():
            if v == 0:
                raise ValueError("zero")
            if v == 7:
                raise KeyError("seven")
            total += v
    except ValueError:
        total = total * 10
    except KeyError:
        total = -total
    return total


@case(LISTS, ROWS)
def vocab(self, x):
    d = {1: 10, 2: 20, 3: 30}
    out = []
    for v in x.tolist():
        try:
            out.append(d[v])
        except KeyError:
            out.append(0)
    return out


@case(LISTS, ROWS)
def count(self, x):
    d = {}
    for v in x.tolist():
        try:
            d[v] += 1
        except KeyError:
            d[v] = 1
    return sorted(d.items())


@case(LISTS, ROWS)
def early(self, x):
    class Stop(Exception):
        pass

    def walk(xs):
        s = 0
        for v in xs:
            if v == 0:
                raise Stop()
            s += v
        return s

    try:
        return walk(x.tolist())
    except Stop:
        return -1


@case(LISTS, ROWS)
def index_end(self, x):
    i, s = 0, 0
    xs = x.tolist()
    while True:
        try:
            s += xs[i]
        except IndexError:
            break
        i += 1
    return s, i


@case(LISTS, ROWS)
def array_end(self, x):
    i, s = 0, 0
    while True:
        try:
            s += int(x[i])
        except IndexError:
            break
        i += 1
    return s, i


@case(LISTS, ROWS)
def state_at_raise(self, x):
    a = []
    n = 0
    try:
        for v in x.tolist():
            a.append(v)
            n = 10 // v
            a.append(n)
    except ZeroDivisionError:
        a.append(-1)
    return a, n


@case(LISTS, ROWS)
def nested_loops(self, x):
    c = 0
    for i in range(2):
        try:
            for v in x.tolist():
                if v == i:
                    raise KeyError("v")
                c += 1
        except KeyError:
            c += 100
    return c


@case(LISTS, ROWS)
def two_levels(self, x):
    log = 0
    try:
        for v in x.tolist():
            try:
                if v == 0:
                    raise ValueError("a")
                if v == 2:
                    raise KeyError("b")
                log += 1
            except KeyError:
                log += 10
    except ValueError:
        log += 1000
    return log


@case(LISTS, ROWS)
def reraise(self, x):
    log = 0
    try:
        for v in x.tolist():
            try:
                q = 8 // v
                log += q
            except ZeroDivisionError:
                log += 10
                raise
            finally:
                log += 100
    except ZeroDivisionError:
        log += 1000
    return log


@case(LISTS, ROWS)
def wrapped(self, x):
    def safe(f, v, default):
        try:
            return f(v)
        except (ZeroDivisionError, KeyError):
            return default

    def half(v):
        return 10 // v

    return [safe(half, v, -1) for v in x.tolist()]


@case(LISTS, ROWS)
def first_item(self, x):
    xs = x.tolist()
    try:
        a = xs[0]
        b = xs[1]
        c = a // b
    except IndexError:
        return -1
    except ZeroDivisionError:
        return -2
    return c


@case(LISTS, ROWS)
def exception_base(self, x):
    xs = x.tolist()
    try:
        c = xs[0] // xs[1]
    except Exception:
        return -1
    return c


@case(LISTS, ROWS)
def popped(self, x):
    xs = x.tolist()
    s = 0
    while True:
        try:
            v = xs.pop()
        except IndexError:
            return s
        s = s * 2 + v


@case(LISTS, ROWS)
def next_default(self, x):
    it = iter(x.tolist())
    s = 0
    while True:
        try:
            v = next(it)
        except StopIteration:
            break
        s += v
    return s


@case(LISTS, ROWS)
def unpack(self, x):
    try:
        a, b = x.tolist()
    except ValueError:
        a, b = 0, 0
    return a - b


@case(LISTS, ROWS)
def find(self, x):
    xs = x.tolist()
    try:
        i = xs.index(2)
    except ValueError:
        i = -1
    return i


@case(LISTS, ROWS)
def attr(self, x):
    class A:
        pass

    a = A()
    if len(x) > 2:
        a.v = 5
    try:
        return a.v
    except AttributeError:
        return 0


@case(LISTS, ROWS)
def unbound(self, x):
    if len(x) > 2:
        w = 5
    try:
        return w
    except UnboundLocalError:
        return 0


@case(LISTS, ROWS)
def uncaught_in_loop(self, x):
    s = 0
    for v in x.tolist():
        try:
            s += 10 // v
        except KeyError:
            s = 0
    return s


@case(LISTS, ROWS)
def array_state(self, x):
    y = x * 2
    try:
        y[0] = 100
        y[3] = 7
        y[1] = 50
    except IndexError:
        y[:] = y + 1
    return y


@case(LISTS, ROWS)
def raise_in_handler(self, x):
    try:
        try:
            s = 5 // len(x)
        except ZeroDivisionError:
            if len(x) == 0:
                raise KeyError("empty")
            s = 3
    except KeyError:
        s = 100
    return s


@case(LISTS, ROWS)
def text_of(self, x):
    try:
        for v in x.tolist():
            if v == 0:
                raise ValueError("zero")
            if v > 6:
                raise ValueError("large number")
    except ValueError as e:
        return len(str(e)), str(e) == "zero"
    return 0, False


@case(LISTS, ROWS)
def three_loops(self, x):
    c = 0
    for i in range(3):
        try:
            for v in x.tolist():
                for w in x.tolist():
                    if v + w == i:
                        raise KeyError("v")
                    if v * w == 4:
                        raise ValueError("w")
                    c += 1
        except KeyError:
            c += 100
        except ValueError:
            c += 1000
        finally:
            c += 10000
    return c


@case(LISTS, ROWS)
def aliasing(self, x):
    a = [0]
    b = a
    try:
        if len(x) > 2:
            b = [5]
            raise ValueError("q")
        b.append(7)
    except ValueError:
        b.append(8)
    a.append(1)
    return a, b, a is b


@case(LISTS, ROWS)
def objects(self, x):
    class P:
        pass

    p = P()
    p.n = 0
    try:
        p.n += 1
        p.q = 10 // int(x.sum())
        p.n += 1
    except ZeroDivisionError:
        p.q = -1
    return p.n, p.q


@case(LISTS, ROWS)
def own_iter(self, x):
    class It:
        def __init__(self, xs):
            self.xs = xs
            self.i = 0

        def __iter__(self):
            return self

        def __next__(self):
            if self.i >= len(self.xs):
                raise StopIteration
            self.i += 1
            return self.xs[self.i - 1]

    s = 0
    for v in It(x.tolist()):
        s += v
    return s


@case(LISTS, ROWS)
def own_iter_default(self, x):
    class It:
        def __init__(self, xs):
            self.xs = xs
            self.i = 0

        def __iter__(self):
            return self

        def __next__(self):
            if self.i >= len(self.xs):
                raise StopIteration
            self.i += 1
            return self.xs[self.i - 1]

    it = It(x.tolist())
    a = next(it, -1)
    b = next(it, -2)
    return a, b


@case(LISTS, ROWS)
def while_try(self, x):
    i = 0
    s = 0
    xs = x.tolist()
    try:
        while s < 20:
            s += 6 // xs[i]
            i += 1
    except (IndexError, ZeroDivisionError):
        s = s + 1000
    return s, i


@case(LISTS, ROWS)
def returned_in_loop(self, x):
    def f():
        for v in x.tolist():
            try:
                if 10 // v > 4:
                    return v
            except ZeroDivisionError:
                return -7
            finally:
                x[:] += 1
        return 99

    return f(), x


@case(LISTS, ROWS)
def catch_all(self, x):
    s = 0
    for v in x.tolist():
        try:
            s += 10 // v
        except:
            s -= 1
    return s


@case(LISTS, ROWS)
def float_division(self, x):
    s = 0.0
    for v in x.tolist():
        try:
            s += 1.0 / v
        except ZeroDivisionError:
            s -= 1
        try:
            s += v % 0 if v == 5 else v % 3
        except ZeroDivisionError:
            s -= 1
    return s


@case(LISTS, ROWS)
def else_raises(self, x):
    s = 0
    try:
        try:
            s += 10 // len(x)
        except ZeroDivisionError:
            s = 1
        else:
            s += 10 // int(x[0])
    except ZeroDivisionError:
        s += 1000
    return s


@case(LISTS, ROWS)
def dict_built(self, x):
    d = {}
    for i, v in enumerate(x.tolist()):
        try:
            if v in d:
                raise KeyError("twice")
            d[v] = i
        except KeyError:
            d[v] = -1
    return sorted(d.items())


@case(LISTS, ROWS)
def bool_result(self, x):
    def ok(v):
        try:
            1 // v
        except ZeroDivisionError:
            return False
        return True

    return (
        sum(ok(v) for v in x.tolist()),
        [v for v in x.tolist() if ok(v)],
        all(ok(v) for v in x.tolist()),
    )


@case(LISTS, ROWS)
def to_int(self, x):
    try:
        return int(float(x.sum()) / len(x))
    except ZeroDivisionError:
        return -1


@case(LISTS, ROWS)
def mean(self, x):
    try:
        m = sum(x.tolist()) / len(x)
    except ZeroDivisionError:
        m = 0.0
    return m


@case(LISTS, ROWS)
def remove(self, x):
    xs = x.tolist()
    try:
        xs.remove(2)
    except ValueError:
        xs.append(50)
    return xs


@case(LISTS, ROWS)
def sets(self, x):
    s = set()
    for v in x.tolist():
        try:
            s.remove(v)
        except KeyError:
            s.add(v)
    return sorted(s)


@case(LISTS, ROWS)
def notimpl(self, x):
    def f(k):
        if k == 1:
            raise NotImplementedError
        if k == 2:
            raise RuntimeError("a")
        return k

    try:
        return f(len(x))
    except NotImplementedError:
        return 100
    except RuntimeError:
        return 200


@case(LISTS, ROWS)
def big(self, x):
    xs = x.tolist()
    try:
        a = xs[0]
        b = xs[1]
        c = xs[2]
        d = xs[3]
        e = a // b + c // d
    except IndexError:
        e = len(xs)
    except ZeroDivisionError:
        e = -5
    return e


@case(LISTS, ROWS)
def only_in_handler(self, x):
    w = -5
    try:
        for v in x.tolist():
            w = v
            u = w * 2
            q = 10 // v
    except ZeroDivisionError:
        return w + u
    return 1


@case(LISTS, ROWS)
def code_here(self, x):
    class Own(Exception):
        code = 1

    v = len(x)
    try:
        if v < 2:
            e = Own()
            e.code = v
            raise e
    except Own as o:
        return o.code + 100
    return 1


@case(LISTS, ROWS)
def var_state(self, x):
    h = None
    for v in x.tolist():
        try:
            t = 6 // v
            h = t if h is None else h + t
        except ZeroDivisionError:
            h = None
    return h


@case(LISTS, ROWS)
def deep(self, x):
    def a(v):
        try:
            return b(v)
        finally:
            x[:] += 1

    def b(v):
        if v == 1:
            raise KeyError("one")
        return 6 // v

    s = 0
    for v in x.tolist():
        try:
            s += a(v)
        except LookupError:
            s += 100
        except ArithmeticError:
            s += 1000
    return s, x


@case(LISTS, ROWS)
def subclass(self, x):
    class A(ValueError):
        pass

    class B(A):
        pass

    s = 0
    for v in x.tolist():
        try:
            if v == 1:
                raise B("b")
            if v == 2:
                raise A
            if v == 0:
                raise ValueError
        except B:
            s += 1
        except A:
            s += 10
        except ValueError:
            s += 100
    return s


@case(LISTS, ROWS)
def while_retry(self, x):
    xs = x.tolist()
    left = 3
    i = 0
    got = None
    while left > 0 and i < len(xs):
        try:
            got = 10 // xs[i]
            left -= 1
        except ZeroDivisionError:
            left -= 2
        finally:
            i += 1
    else:
        left += 50
    return left, i, got


@case(LISTS, ROWS)
def parsed(self, x):
    def parse(v):
        try:
            if v < 0:
                raise LookupError("negative")
            return [1, 2, 3][v]
        except KeyError:
            return -3
        except IndexError:
            return -2
        except LookupError:
            return -1

    return [parse(v) for v in x.tolist()]


@case(LISTS, ROWS)
def own_args(self, x):
    class Bad(Exception):
        def __init__(self, v):
            super().__init__("bad")
            self.v = v

    try:
        for v in x.tolist():
            if v < 1:
                raise Bad(v)
    except Bad as b:
        return b.v
    return 100


@case(LISTS, ROWS)
def args_of_run(self, x):
    try:
        for v in x.tolist():
            if v < 1:
                raise ValueError(v)
    except ValueError as b:
        return b.args[0]
    return 100


@case(LISTS, ROWS)
def code_of_run(self, x):
    class Own(Exception):
        code = 1

    try:
        for v in x.tolist():
            if v < 1:
                e = Own()
                e.code = v
                raise e
    except Own as o:
        return o.code
    return 1


@case(LISTS, ROWS)
def as_e(self, x):
    try:
        y = 3 // x.sum()
        z = 3 // int(x.sum())
    except ZeroDivisionError as e:
        return len(e.args)
    return 7


@case(LISTS, ROWS)
def maxi(self, x):
    try:
        return max(x.tolist())
    except ValueError:
        return -1


@case(FLOATS, ROWS)
def conversions(self, x):
    found = []
    for v in x.tolist():
        try:
            found.append(int(v))
        except ValueError:
            found.append(-1)
        except OverflowError:
            found.append(-2)
    return found


@case(FLOATS, ROWS)
def conversion_that_ends(self, x):
    total = 0
    try:
        for v in x:
            total += int(v * 2)
    except (ValueError, OverflowError) as e:
        return total, 1 if isinstance(e, OverflowError) else 2
    return total, 0


@case(LISTS, ROWS)
def until_the_index_is_out_of_range(self, x):
    numbers, i, total = x.tolist(), 0, 0
    try:
        while True:
            total += numbers[i]
            i += 1
    except IndexError:
        pass
    return total, i


@case(LISTS, ROWS)
def until_nothing_is_left_to_pop(self, x):
    numbers, total = x.tolist(), 0
    try:
        while True:
            total = total * 2 + numbers.pop()
    except IndexError:
        return total


@case(LISTS, ROWS)
def until_an_iterator_ends(self, x):
    class Every:
        def __init__(self, items):
            self.items = items
            self.at = 0

        def __next__(self):
            if self.at >= len(self.items):
                raise StopIteration
            self.at += 1
            return self.items[self.at - 1]

    every, out = Every(x.tolist()), []
    try:
        while True:
            out.append(next(every))
    except StopIteration:
        pass
    return out


@case(LISTS, ROWS)
def until_a_parser_raises(self, x):
    numbers = x.tolist()

    def parsed(at):
        if at >= len(numbers):
            raise EOFError(at)
        if numbers[at] < 0:
            raise ValueError(numbers[at])
        return numbers[at], at + 1

    at, out = 0, []
    try:
        while True:
            number, at = parsed(at)
            out.append(number)
    except EOFError as error:
        out.append(error.args[0])
    except ValueError as error:
        out.append(error.args[0] * 100)
    return out


@case(LISTS, ROWS)
def many_known_iterations_until_one_raises(self, x):
    numbers, total = x.tolist(), 0
    try:
        for i in range(40):
            total += numbers[i]
    except IndexError:
        total += 100
    return total


@case(LISTS, ROWS)
def tried_again_until_it_ends(self, x):
    numbers, at, failed = x.tolist(), 0, 0
    for _ in range(3):
        try:
            while at < len(numbers):
                at += 1
                if numbers[at - 1] == 2:
                    raise ValueError
            break
        except ValueError:
            failed += 1
    return at, failed


@case(LISTS, ROWS)
def name_of_before_a_loop_that_raises(self, x):
    out = []
    for v in x.tolist():
        total = v
        try:
            for w in range(v):
                if w == 2:
                    raise ValueError
                total += w
            total = -1
        except ValueError:
            pass
        out.append(total)
    return out


@case(LISTS, ROWS)
def codes(self, x):
    class Own(Exception):
        code = 1

    try:
        for v in x.tolist():
            if v == 0:
                e = Own()
                e.code = 3
                raise e
            if v == 7:
                e = Own()
                e.code = 5
                raise e
    except Own as o:
        return o.code
    return 1


@case(LISTS, ROWS)
def attributes_that_init_sets_are_kept_in_a_list(self, x):
    class Refused(ValueError):
        def __init__(self, value, place):
            super().__init__(value)
            self.place = place

    kept = []
    for i, v in enumerate(x.tolist()):
        try:
            if v > 1:
                raise Refused(v, i)
        except Refused as error:
            kept.append(error)
    return [(error.args[0], error.place) for error in kept]


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_caught(program: Program) -> None:
    hold(program)


@refused(LISTS, ROWS)
def arguments_that_were_changed(self, x):
    """What a list holds of an exception is what it was raised with."""
    kept = []
    for v in x.tolist():
        try:
            if v > 1:
                raise KeyError("k")
        except KeyError as error:
            error.args = (v,)
            kept.append(error)
    return [error.args[0] for error in kept]


@refused()
def an_attribute_that_was_given_in_a_branch(self, x, n, c):
    kept = []
    for i in range(3):
        try:
            if i < n:
                raise KeyError("k")
        except KeyError as error:
            error.place = i
            kept.append(error)
    return [error.place for error in kept]


@pytest.mark.parametrize("program", refused.programs, ids=lambda p: p.name)
def test_is_refused(program: Program) -> None:
    with pytest.raises(REFUSED):
        compiled(program)


def limit_of_an_idiom(self, x):
    try:
        return sorted((x / 0).tolist())
    except ValueError:
        return []


def test_what_ends_an_idiom_is_not_caught() -> None:
    """Python has some order of nan, and no exception."""
    given = [(np.array(numbers, np.float32),) for numbers in ([1, -2, 3], [2], [], [-1, -1])]
    model = compiled(Program(limit_of_an_idiom, given, {"x": {0: "n"}}))
    for inputs in given:
        assert model(*inputs) == outcome(lambda x: limit_of_an_idiom(None, x), inputs)
    with pytest.raises(elichika.ElichikaError, match="the order of nan is not defined"):
        model(np.array([1, 0, 2], np.float32))
