"""Operations of numpy and Chainer that fail for some sizes, and whose failure is caught."""

# ruff: noqa: F841  as programs have it
from __future__ import annotations

import collections
import contextlib
import math

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
import pytest
from chainer.utils import type_check

from tests.programs import REFUSED, Program, compiled
from tests.table import Table, hold

#: Ints, the same as floats, rows of three, and a number.
INPUTS = [
    (np.array(numbers, np.int64), np.array(numbers, np.float32), np.ones((max(1, n), 3), "f"), n)
    for numbers, n in (
        *(([3, 1, 3, 2], 4), ([1], 0), ([], 1), ([5, 5, 5, 5], 4), ([0, 1, 0, 1, 2], 3)),
        *(([1, 7, 1, 3, 3, 3], 7), ([0, 8, 7, 6, 5, 4, 3], 7)),
    )
]
AXES = {"x": {0: "a"}, "y": {0: "a"}, "z": {0: "b"}}
LENGTHS = [(np.arange(n, dtype=np.float32),) for n in (5, 4, 8, 6, 7, 0, 1, 20)]
VECTOR = {"y": {0: "a"}}
#: The links of a chain.
LAYERS = {
    "l": lambda: L.Linear(4, 2),
    "g": lambda: L.Linear(2, 1),
    "e": lambda: L.EmbedID(6, 2),
    "bn": lambda: L.BatchNormalization(3),
}
case, refused = Table(INPUTS, AXES), Table(INPUTS, AXES)


@case()
def reshape(self, x, y, z, n):
    try:
        return F.reshape(y, (n, -1)).array.sum()
    except Exception:
        return np.float32(-1)


@case()
def npreshape(self, x, y, z, n):
    try:
        return y.reshape(2, -1).sum()
    except ValueError:
        return np.float32(-1)


@case()
def addshape(self, x, y, z, n):
    try:
        return (y + z[:, 0]).sum()
    except ValueError:
        return np.float32(-1)


@case()
def add_of_variables(self, x, y, z, n):
    try:
        return F.sum(chainer.Variable(y) + z[:, 0]).array
    except Exception:
        return np.float32(-1)


@case()
def typecheck(self, x, y, z, n):
    try:
        return F.sum(F.concat([y, z[:, 0]], axis=0)).array
    except chainer.utils.type_check.InvalidType:
        return np.float32(-1)


@case()
def typecheck2(self, x, y, z, n):
    try:
        return F.sum(F.matmul(y[None], z)).array
    except chainer.utils.type_check.InvalidType:
        return np.float32(-1)


@case(**LAYERS)
def linear(self, x, y, z, n):
    try:
        return self.l(y[None]).array
    except Exception:
        return np.zeros((1, 2), np.float32)


@case(**LAYERS)
def embed(self, x, y, z, n):
    try:
        return self.e(x).array
    except Exception:
        return np.zeros((1, 2), np.float32)


@case()
def getitem(self, x, y, z, n):
    try:
        return F.get_item(y, n).array
    except IndexError:
        return np.float32(-1)


@case()
def getitem2(self, x, y, z, n):
    try:
        return chainer.Variable(y)[n].array
    except IndexError:
        return np.float32(-1)


@case()
def npindex(self, x, y, z, n):
    try:
        return y[x]
    except IndexError:
        return y[:0]


@case()
def nptake(self, x, y, z, n):
    try:
        return np.take(y, x)
    except IndexError:
        return y[:0]


@case()
def npmax(self, x, y, z, n):
    try:
        return y.max()
    except ValueError:
        return np.float32(-1)


@case()
def npargmax(self, x, y, z, n):
    try:
        return int(y.argmax())
    except ValueError:
        return -1


@case()
def npdot(self, x, y, z, n):
    try:
        return np.dot(y, z).sum()
    except ValueError:
        return np.float32(-1)


@case()
def npstack(self, x, y, z, n):
    try:
        return np.stack([y, z[:, 0]]).sum()
    except ValueError:
        return np.float32(-1)


@case()
def stacked_variables(self, x, y, z, n):
    try:
        return F.stack([y, z[:, 0]]).array.sum()
    except Exception:
        return np.float32(-1)


@case()
def npconcat(self, x, y, z, n):
    try:
        return np.concatenate([y.reshape(1, -1), z]).sum()
    except ValueError:
        return np.float32(-1)


@case()
def sqrt(self, x, y, z, n):
    try:
        return math.sqrt(n - 3)
    except ValueError:
        return -1.0


@case()
def log(self, x, y, z, n):
    try:
        return math.log(n)
    except ValueError:
        return -1.0


@case()
def tobool(self, x, y, z, n):
    try:
        if x > 0:
            return 1
        return 0
    except ValueError:
        return -1


@case()
def item(self, x, y, z, n):
    try:
        return x.item()
    except ValueError:
        return -1


@case()
def strict(self, x, y, z, n):
    try:
        return list(zip(x.tolist(), range(n), strict=True))
    except ValueError:
        return []


@case()
def inloop(self, x, y, z, n):
    out = []
    for i in range(4):
        try:
            out.append(F.sum(F.reshape(y, (i, -1))[0]).array)
        except Exception:
            out.append(np.float32(-1))
    return out


@case()
def multi(self, x, y, z, n):
    try:
        h = F.relu(y)
        s = F.softmax(h[None])[0]
        t = F.sum(s).array
        v = int(y[n])
        return t * v
    except IndexError:
        return np.float32(-1)


@case()
def squeeze(self, x, y, z, n):
    try:
        return F.squeeze(z, 0).array
    except Exception:
        return z[0] * 0


@case()
def split(self, x, y, z, n):
    try:
        return F.split_axis(y, 2, 0)[0].array
    except Exception:
        return y * 0


@case()
def bcast(self, x, y, z, n):
    try:
        return F.broadcast_to(y, (3, len(z))).array.sum()
    except Exception:
        return np.float32(-1)


@case()
def xent(self, x, y, z, n):
    try:
        return F.softmax_cross_entropy(z, x.astype(np.int32)).array
    except Exception:
        return np.float32(-1)


@refused()
def named(self, x, y, z, n):
    try:
        return F.reshape(y, (n, -1)).array.sum()
    except Exception as e:
        print(e)
        return np.float32(-1)


@case()
def named2(self, x, y, z, n):
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
def reraise(self, x, y, z, n):
    try:
        return F.reshape(y, (n, -1)).array.sum()
    except Exception:
        raise


@case()
def reraise2(self, x, y, z, n):
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
def outer(self, x, y, z, n):

    def f(v):
        return F.sum(F.reshape(v, (n, -1)), axis=1)

    def g(v):
        try:
            return f(v)
        finally:
            self.t = 1

    try:
        r = g(y).array
    except Exception:
        r = y
    return r


@case(**LAYERS)
def layers(self, x, y, z, n):
    try:
        h = F.relu(self.l(y[None]))
        o = self.g(h)
        e = self.e(x)
        return F.sum(o).array + F.sum(e).array
    except IndexError:
        return np.float32(-2)
    except Exception:
        return np.float32(-1)


@case(**LAYERS)
def layers2(self, x, y, z, n):
    try:
        h = F.relu(self.l(y[None]))
        o = self.g(h)
        return F.sum(o).array
    except chainer.utils.type_check.InvalidType:
        return np.float32(-1)


@case(**LAYERS)
def emb(self, x, y, z, n):
    out = []
    for v in x:
        try:
            out.append(self.e(v.reshape(1).astype(np.int32)))
        except IndexError:
            out.append(self.e(np.zeros(1, np.int32)))
    if not out:
        return np.zeros((0, 2), np.float32)
    return F.concat(out, axis=0).array


@case(**LAYERS)
def emb2(self, x, y, z, n):
    with contextlib.suppress(Exception):
        return self.e(x.astype(np.int32)).array
    return np.zeros((0, 2), np.float32)


@case()
def setidx(self, x, y, z, n):
    b = np.zeros(4, np.float32)
    try:
        b[x] = y
    except IndexError:
        b[:] = -1
    return b


@case()
def setsl(self, x, y, z, n):
    b = np.zeros(4, np.float32)
    try:
        b[:n] = y
    except ValueError:
        b[:] = -1
    return b


@case()
def rowset(self, x, y, z, n):
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
def iadd(self, x, y, z, n):
    b = y.copy()
    try:
        b += z[:, 0]
    except ValueError:
        b -= 1
    return b


@case()
def loops(self, x, y, z, n):
    t = 0
    for i in range(5):
        try:
            t += int(z.reshape(i, -1).shape[1])
        except ValueError:
            t += 100
    return t


@case()
def whilebreak(self, x, y, z, n):
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
def fin(self, x, y, z, n):
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
def els(self, x, y, z, n):
    try:
        r = y.reshape(n, -1)
    except ValueError:
        return -1
    else:
        return r.shape[1]


@case()
def two(self, x, y, z, n):
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
def retry(self, x, y, z, n):
    for k in (5, 4, 3, 2, 1):
        try:
            return (y.reshape(k, -1),)
        except ValueError:
            continue
    return (y.reshape(1, -1),)


@case()
def bmm(self, x, y, z, n):
    try:
        return F.matmul(z[None], y[None, :, None]).array.sum()
    except Exception:
        return np.float32(-9)


@case()
def lstm(self, x, y, z, n):
    try:
        _, h = F.lstm(z[:1, :2] * 0 + 1, F.broadcast_to(y[None], (1, 8)))
        return F.sum(h).array
    except Exception:
        return np.float32(-9)


@case()
def conv(self, x, y, z, n):
    try:
        return F.max_pooling_2d(z[None, None], 3, stride=1, cover_all=False).array.sum()
    except Exception:
        return np.float32(-9)


@refused()
def conv2(self, x, y, z, n):
    try:
        return F.convolution_2d(z[None, None], np.ones((1, 1, 3, 3), np.float32)).array.sum()
    except Exception:
        return np.float32(-9)


@case()
def padseq(self, x, y, z, n):
    try:
        return F.pad_sequence([y, z[:, 0]]).array
    except Exception:
        return np.zeros((1, 1), np.float32)


@case()
def stack(self, x, y, z, n):
    try:
        return np.stack([y, z[:, 0]], axis=1)
    except ValueError:
        return np.zeros((1, 2), np.float32)


@case()
def vst(self, x, y, z, n):
    try:
        return np.vstack([y, z]).sum()
    except ValueError:
        return np.float32(-1)


@case()
def cmp(self, x, y, z, n):
    try:
        return bool((y > z[:, 0]).all())
    except ValueError:
        return False


@refused()
def eqq(self, x, y, z, n):
    try:
        return bool(np.all(y == z[:, 0]))
    except ValueError:
        return False


@case()
def where(self, x, y, z, n):
    try:
        return np.where(y > 1, y, z[:, 0]).sum()
    except ValueError:
        return np.float32(-1)


@case()
def einsum(self, x, y, z, n):
    try:
        return np.einsum("i,ij->j", y, z).sum()
    except ValueError:
        return np.float32(-1)


@case()
def sq(self, x, y, z, n):
    try:
        return np.squeeze(z, 0).sum()
    except ValueError:
        return np.float32(-1)


@case()
def sq2(self, x, y, z, n):
    try:
        return z.squeeze(axis=0).sum()
    except ValueError:
        return np.float32(-1)


@case()
def split_d(self, x, y, z, n):
    try:
        return np.split(y, 2)[0]
    except ValueError:
        return y


@case()
def exp(self, x, y, z, n):
    try:
        return math.exp(n * 150.0)
    except OverflowError:
        return -1.0


@refused()
def powr(self, x, y, z, n):
    try:
        return math.pow(n - 3.0, 0.5)
    except ValueError:
        return -1.0


@case()
def argm(self, x, y, z, n):
    try:
        return y[np.argmax(y)]
    except ValueError:
        return np.float32(-1)


@case()
def minmax(self, x, y, z, n):
    try:
        return z[n:].min(axis=0)
    except ValueError:
        return z[0]


@case(LENGTHS, VECTOR)
def plain(self, y):
    if len(y) % 5 == 0:
        return y.reshape(5, -1)
    if len(y) % 4 == 0:
        return y.reshape(4, -1)
    return y.reshape(1, -1)


@case(LENGTHS, VECTOR)
def loop(self, y):
    for k in (5, 4):
        if len(y) % k == 0:
            return y.reshape(k, -1)
    return y.reshape(1, -1)


@case(LENGTHS, VECTOR)
def loopt(self, y):
    for k in (5, 4):
        if len(y) % k == 0:
            return (y.reshape(k, -1),)
    return (y.reshape(1, -1),)


@case(LENGTHS, VECTOR)
def loop3(self, y):
    for k in (5, 4, 3):
        if len(y) % k == 0:
            r = y.reshape(k, -1)
            break
    else:
        r = y.reshape(1, -1)
    return r * 2


@case(LENGTHS, VECTOR)
def loopt3(self, y):
    r = None
    for k in (5, 4, 3):
        if len(y) % k == 0:
            r = (y.reshape(k, -1), k)
            break
    if r is None:
        return (y.reshape(1, -1), 1)
    return r


@case(LENGTHS, VECTOR)
def tr(self, y):
    for k in (5, 4):
        try:
            r = y.reshape(k, -1)
            break
        except ValueError:
            continue
    else:
        r = y.reshape(1, -1)
    return r


@case(LENGTHS, VECTOR)
def tr2(self, y):
    for k in (5, 4):
        try:
            return y.reshape(k, -1) * 1
        except ValueError:
            continue
    return y.reshape(1, -1)


@case()
def typecheck2_c(self, x, y, z, n):
    try:
        return F.sum(F.matmul(y[None], z)).array
    except chainer.utils.type_check.InvalidType:
        return np.float32(-1)


@case()
def state1(self, x, y, z, n):
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
def state2(self, x, y, z, n):
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
def views2(self, x, y, z, n):
    b = y.copy()
    v = b
    for k in (2, 3):
        try:
            v = b.reshape(k, -1)
        except ValueError:
            continue
        v[0] += 10
    return (b, v)


@case()
def views6(self, x, y, z, n):
    out = None
    k = 1
    while k < 6:
        if len(y) % k == 0:
            out = y.reshape(k, -1)
        k += 1
    return out.sum(axis=0) if out is not None else y


@case()
def views8(self, x, y, z, n):
    b = z.copy()
    v = b[0]
    for i in (5, 3, 1):
        if i < len(b):
            v = b[i]
            break
    v[:] = -1
    return b


@case()
def views9(self, x, y, z, n):
    b = z.copy()
    o = None
    for i in (5, 3, 1):
        if i < len(b):
            o = (b[i], i)
            break
    if o:
        o[0][1] = 99
        return (b, o[1])
    return (b, -1)


@case()
def views11(self, x, y, z, n):

    class B:
        pass

    o = B()
    o.v = None
    for k in (4, 3, 2):
        if len(y) % k == 0 and n > 1:
            o.v = y.reshape(k, -1)
    if o.v is None:
        return y
    return o.v.sum(0)


@case()
def nested(self, x, y, z, n):
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
def finstate(self, x, y, z, n):
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
def func(self, x, y, z, n):

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


@case(**LAYERS)
def bnorm(self, x, y, z, n):
    try:
        return self.bn(z).array.sum()
    except Exception:
        return np.float32(-5)


@case(**LAYERS)
def emb_again(self, x, y, z, n):
    try:
        h = F.sum(self.e(x), axis=0)
    except IndexError:
        h = self.e(np.zeros(1, np.int32))[0]
    return F.tanh(h).array


@case(**LAYERS)
def emb3(self, x, y, z, n):
    t = chainer.Variable(np.zeros(2, np.float32))
    for v in x:
        try:
            t = t + self.e(v[None])[0]
        except IndexError:
            t = t * 2
    return t.array


@case()
def select(self, x, y, z, n):
    try:
        return F.select_item(z, x.astype(np.int32)).array
    except Exception:
        return z[:, 0]


@case()
def acc(self, x, y, z, n):
    try:
        return F.accuracy(z, x.astype(np.int32)).array
    except Exception:
        return np.float32(-2)


@case()
def concat(self, x, y, z, n):
    try:
        return F.concat([y[None], z], axis=0).array.sum()
    except type_check.InvalidType:
        return np.float32(-2)


@case()
def mse(self, x, y, z, n):
    try:
        return F.mean_squared_error(y, z[:, 0]).array
    except Exception:
        return np.float32(-2)


@case()
def sw(self, x, y, z, n):
    try:
        return F.swapaxes(z, 0, 1)[n].array
    except IndexError:
        return z[:, 0]


@case()
def amax(self, x, y, z, n):
    try:
        return F.max(y).array
    except Exception:
        return np.float32(-3)


@case()
def arange(self, x, y, z, n):
    try:
        return np.arange(0, 5, n - 4)
    except ZeroDivisionError:
        return np.zeros(1, np.int64)
    except ValueError:
        return np.ones(1, np.int64)


@case()
def zeros(self, x, y, z, n):
    try:
        return np.zeros(n - 2)
    except ValueError:
        return np.ones(1)


@case()
def putm(self, x, y, z, n):
    b = np.zeros(6, np.float32)
    try:
        b[x] = y
        b[x] += 1
    except IndexError:
        b[0] = -1
    return b


@case()
def delx(self, x, y, z, n):
    try:
        return np.delete(y, n)
    except IndexError:
        return y * 0


@contextlib.contextmanager
def guard(log):
    try:
        yield
    except ValueError:
        log.append(1)


@case()
def ctx2(self, x, y, z, n):
    log = []
    with guard(log):
        log.append(int(y.reshape(n, -1).shape[1]))
    return log


@case()
def ret(self, x, y, z, n):
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


#: Numpy takes any size below 0 for the one that is not known.
UNKNOWN = [
    (np.arange(length, dtype=np.float32), n)
    for length, n in ((4, -2), (4, 2), (4, -1), (6, -3), (0, -2), (3, -2), (4, 0), (0, 0))
]


@case(UNKNOWN, VECTOR)
def reshaped_by_numpy(self, y, n):
    return y.reshape(2, n)


@case(UNKNOWN, VECTOR)
def reshaped_by_chainer(self, y, n):
    return F.reshape(y, (2, n))


@case(UNKNOWN, VECTOR)
def reshaped_to_a_known_shape(self, y, n):
    return y.reshape(2, -2), F.reshape(y, (-3, 1))


@case(UNKNOWN, VECTOR)
def reshaped_if_it_fits(self, y, n):
    try:
        return y.reshape(2, n)
    except ValueError:
        return y


@case(UNKNOWN, VECTOR)
def two_unknown_sizes(self, y, n):
    try:
        return y.reshape(n, -1)
    except ValueError:
        return y


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


#: Floats as indices and amounts: numpy makes ints of those that stand alone or in a list.
FRACTIONS = [
    (np.array(numbers, np.int64), f, np.array(places))
    for numbers, f, places in (
        *(([3, 1], 1.0, [1.0, 0.0]), ([2], 0.5, [0.0, 1.0]), ([1, 2, 3], 2.0, [2.0])),
        *(([5, 4], -1.0, [0.0, 1.0]), ([5, 4, 6], 1.9, [0.5, 2.0])),
    )
]
PLACES = {"x": {0: "a"}, "places": {0: "b"}}


@case(FRACTIONS, PLACES)
def taken_by_a_float(self, x, f, places):
    try:
        return np.take(x, f), np.take(x, [f, 0.0])
    except IndexError:
        return x[0], x[:1]


@case(FRACTIONS, PLACES)
def taken_by_floats(self, x, f, places):
    try:
        return np.take(x, places)
    except TypeError:
        return x[:1] - 1


@case(FRACTIONS, PLACES)
def repeated_by_a_float(self, x, f, places):
    try:
        return np.repeat(x, f), x.repeat(2.0)
    except ValueError:
        return x * 0, x


@case(FRACTIONS, PLACES)
def repeated_by_floats(self, x, f, places):
    try:
        return np.repeat(x, places)
    except TypeError:
        return x * 0


@case(FRACTIONS, PLACES)
def no_more_than_a_float(self, x, f, places):
    try:
        return len(collections.deque(x.tolist(), maxlen=f))
    except TypeError:
        return -1


@case(UNKNOWN, VECTOR)
def nothing_and_an_unknown_size(self, y, n):
    return F.reshape(y[:0], (0, n - 1)), y[:0].reshape(0, n - 1)


@case(UNKNOWN, VECTOR)
def nothing_beside_what_is_unknown(self, y, n):
    try:
        return y[:0].reshape(n - 2, n)
    except ValueError:
        return y


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


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_caught(program: Program) -> None:
    hold(program)


@pytest.mark.parametrize("program", refused.programs, ids=lambda p: p.name)
def test_is_refused(program: Program) -> None:
    with pytest.raises(REFUSED):
        compiled(program)
