"""Names that ints of the run complete: `getattr(self, "b%d" % stage)`, `d["layer%d" % i]`."""

# ruff: noqa: RUF046, UP031, UP032  as programs have it
from __future__ import annotations

import math
from functools import partial

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
import pytest

from tests.programs import REFUSED, Program, compiled
from tests.table import Table, hold

case = Table()
LS = {f"b{i}": partial(L.Linear, 2, 2) for i in range(3)}
MANY = {f"l{i:02d}": partial(L.Linear, 2, 2) for i in range(14)}


@case(**LS)
def getattr_pct(self, x, n, c):
    return getattr(self, "b%d" % n)(x)


@case(**LS)
def getattr_mod(self, x, n, c):
    return getattr(self, "b%d" % (n % 3))(x)


@case(**LS)
def getattr_f(self, x, n, c):
    return getattr(self, f"b{n % 3}")(x)


@case(**LS)
def getattr_format(self, x, n, c):
    return getattr(self, f"b{n}")(x)


@case(**LS)
def getattr_str(self, x, n, c):
    return getattr(self, "b" + str(n))(x)


@case(**LS)
def getattr_loop(self, x, n, c):
    for i in range(n % 4):
        x = getattr(self, "b%d" % i)(x)
    return x


@case(**LS)
def getitem(self, x, n, c):
    return self["b%d" % n](x)


@case(**LS)
def getitem_loop(self, x, n, c):
    for i in range(n):
        x = self["b%d" % i](x)
    return x


@case(**LS)
def dict_known(self, x, n, c):
    d = {"layer0": self.b0, "layer1": self.b1, "layer2": self.b2}
    return d["layer%d" % n](x)


@case(**LS)
def dict_built(self, x, n, c):
    h = {}
    for i in range(3):
        h["h%d" % i] = x * i
    return h["h%d" % n]


@case(**LS)
def hasattr_(self, x, n, c):
    return hasattr(self, "b%d" % n), x


@case(**LS)
def getattr_default(self, x, n, c):
    f = getattr(self, "b%d" % n, None)
    return x if f is None else f(x)


@case(**LS)
def dict_get(self, x, n, c):
    d = {"layer0": x, "layer1": x + 1}
    return d.get("layer%d" % n, x * 2), ("layer%d" % n) in d


@case(**LS)
def while_stage(self, x, n, c):
    stage = 0
    while stage < 3 and x.size and F.sum(chainer.as_variable(x)).array < 10:
        x = getattr(self, "b%d" % stage)(x) + 3
        stage += 1
    return x, stage


@case(**LS)
def alpha_stage(self, x, n, c):
    stage = min(n * 0.5, 2 - 1e-8)
    k = int(math.floor(stage))
    h = x
    for i in range(k):
        h = getattr(self, "b%d" % i)(h)
    a = getattr(self, "b%d" % k)(h)
    b = getattr(self, "b%d" % (k + 1))(h)
    return a * (stage - k) + b


@case(**LS)
def key_two(self, x, n, c):
    d = {"l%d_%d" % (i, j): x * (i + j) for i in range(2) for j in range(2)}
    return d["l%d_%d" % (n % 2, 1)]


@case(**LS)
def eqtext(self, x, n, c):
    return ("b%d" % n) == "b1", x


@case(**LS)
def params(self, x, n, c):
    return F.linear(x, getattr(self, "b%d" % n).W, self["b%d" % n].b)


@case(**LS)
def globals_(self, x, n, c):
    return self.__dict__["b%d" % n](x)


class Q:
    def m0(self, x):
        return x

    def m1(self, x):
        return x * 2


@case(**MANY)
def padded(self, x, n, c):
    return (
        getattr(self, "l%02d" % (n + 5))(x),
        self[f"l{n + 8:02d}"](x),
        getattr(self, f"l{n:02d}")(x),
    )


@case(**MANY)
def padded_loop(self, x, n, c):
    for i in range(n + 9):
        x = self["l%02d" % i](x)
    return x


@case(**{**LS, "b10": partial(L.Linear, 2, 2), "b_1": partial(L.Linear, 2, 2)})
def unpadded(self, x, n, c):
    return (
        getattr(self, "b%d" % (n * 5))(x) if n in (0, 2) else x,
        hasattr(self, "b%d" % (n - 1)),
        hasattr(self, "b%02d" % n),
    )


@case()
def negative(self, x, n, c):
    d = {"k-1": x, "k0": x + 1, "k1": x + 2, "k-01": x}
    return d["k%d" % (n % 3 - 1)]


@case()
def ambiguous(self, x, n, c):
    d = {"11": x, "111": x + 1}
    return d["%d%d" % (n, 1)]


@case()
def changed(self, x, n, c):
    self.v0 = x
    self.v1 = x * 2
    if c:
        self.v1 = x * 3
    return getattr(self, "v%d" % (n % 2))


@case()
def percent(self, x, n, c):
    d = {"50%0": x, "50%1": x * 2}
    return d["50%%%d" % (n % 2)], d["5%d%%%d" % (0, n % 2)]


@case()
def mods(self, x, n, c):
    kind = getattr(np, "float%d" % (32 if c else 64))
    return getattr(F, "log%d" % (2 + n % 2 * 8))(F.absolute(x) + 1), kind(n)


@case()
def npdtype(self, x, n, c):
    return getattr(np, "log%d" % (2 + n % 2 * 8))(np.abs(x) + 1)


@case()
def meths(self, x, n, c):
    return getattr(Q(), "m%d" % n)(x)


@case()
def default(self, x, n, c):
    return getattr(self, "zz%d" % n, x * 3), getattr(self, "_v%d" % n, None) is None


@case()
def concat(self, x, n, c):
    d = {"layer1/conv0": x, "layer1/conv1": x * 2, "layer2/conv1": x * 4}
    p = "layer" + str(1 + n % 2)
    return (
        d[p + "/conv" + str(n % 2)],
        (p + "/conv0") in d,
        d.get(p + "/conv0", x * 9),
        p == "layer2",
        p != "layer2",
    )


@case()
def width(self, x, n, c):
    d = {"a  0": x, "a  1": x * 2, "a0": x}
    return d["a%3d" % (n % 2)], d[f"a{n % 2:3d}"], d[f"a{0}"], d[f"a{n - n}"]


@case()
def messages(self, x, n, c):
    if n > 3:
        raise ValueError("bad %d of %s" % (n, c))
    print("n is %d" % n, f"{n:5.2f} {x.shape}")
    return x


@case()
def after(self, x, n, c):
    k = "a%d" % (n % 2)
    n = n + 1
    d = {"a0": x, "a1": x * 2}
    for i in range(n):
        x = x + d[k]
    return x


@case()
def lists_under_names(self, x, n, c):
    d = {"v0": [], "v1": []}
    for i in range(n):
        d["v%d" % (i % 2)].append(i)
    return d


@case()
def written_through_a_name(self, x, n, c):
    self.v0 = x.copy()
    self.v1 = x * 2
    v = getattr(self, "v%d" % (n % 2))
    v[:] = 7
    return self.v0, self.v1, v


@case()
def among_known_texts(self, x, n, c):
    name = "stage%d" % n
    if name == "stage1":
        return x
    return x * 2 if name in ("stage2", "stage3") else x * 3


@case(**LS)
def by_the_name_of_a_value(self, x, n, c):
    d = {"%(n)d1": x, "%(n)d0": x + 1, "%(n)d2": x * 2}
    return getattr(self, "%(kind)s%(n)d" % {"kind": "b", "n": n})(x), d["%%(n)d%(n)d" % {"n": n}]


@case(**LS)
def joined(self, x, n, c):
    d = {"a": x, "": x + 1}
    return getattr(self, "".join(["b", str(n)]))(x), d["".join([])] + d["-".join("a")]


@case()
def of_known_containers(self, x, n, c):
    if n > 1:
        x = x * len("%s" % [1, 2])
    names, several = {"n": n}, {4}
    try:
        return x, "%(a)s %(a)d" % {"a": 3}, "%s" % several, "%(m)s" % names
    except KeyError:
        return x * 2, "%s" % {"a": [1]}, "", ""


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_program(program: Program) -> None:
    hold(program)


refused = Table()


@refused()
def read_in_two_ways(self, x, n, c):
    return {"111": x, "1111": x + 1}["%d%d" % (n, n + 1)]


@refused()
def of_a_float(self, x, n, c):
    return {"a0.5": x, "a1.0": x}["a%s" % (n * 0.5)]


@refused()
def set_under_a_name_of_the_run(self, x, n, c):
    setattr(self, "v%d" % n, x)
    return x


class Computed:
    def __init__(self):
        self.a0 = 1

    @property
    def a1(self):
        self.a0 += 1
        return self.a0


@case()
def one_of_several_numbers(self, x, n, c):
    stage, d = 2 if n < 2 else 3, {"res2_1": x, "res2_2": x * 2, "res3_1": x * 4}
    part = 1 if n > 3 else 2
    assert stage in (2, 3), "no stage %d" % stage
    return d["res%d_%d" % (stage, 1)], d[f"res2_{part}"], d["res2_{}".format(part)]


@case()
def one_of_several_texts(self, x, n, c):
    a, b = "u" if n > 1 else "v", "p" if n % 2 else "q"
    d = {"up": x, "uq": x * 2, "vp": x * 3, "vq": x * 4}
    tuples = d["%s%s" % (a, b)], d["{}{}".format(a, b)], d["{a}{b}".format(a=a, b=b)]
    return d[f"{a}{b}"], d["".join([a, b])], d[a + b], tuples


@case()
def one_of_unlike_values(self, x, n, c):
    a, b = "u" if n > 1 else 3, None if n % 2 else 2.0
    d, e = {"u": x, "3": x * 2}, {"None!": x, "2.0!": x * 2}
    return d["%s" % a], d[str(a)], d["{}".format(a)], e[f"{b}!"], {"'u'": x, "3": x}[repr(a)]


@case()
def one_of_several_does_not_fit(self, x, n, c):
    a = "u" if n > 1 else 3
    return {"3": x}["%d" % a]


@case()
def the_text_of_one_raises_where_that_is_the_one(self, x, n, c):
    a = "u" if n > 1 else 3
    try:
        text = "%d" % a
    except TypeError:
        text = "no number"
    return {"3": x, "no number": x * 2}[text], len(f"{a}")


@case()
def a_text_that_grows(self, x, n, c):
    s = ""
    for j in range(3):
        s += "a" if n > j else "b"
    return {"aaa": x, "aab": x * 2, "abb": x * 3, "bbb": x * 4}[f"{s}"]


class Answering:
    def __init__(self):
        self.a0 = 1

    def __getattr__(self, name):
        return 7


@refused()
def a_property(self, x, n, c):
    return getattr(Computed(), "a%d" % n), x


@refused()
def own_getattr(self, x, n, c):
    return getattr(Answering(), "a%d" % n), x


@refused()
def a_new_key(self, x, n, c):
    d = {}
    for i in range(n):
        d["v%d" % i] = x
    return d["v0"]


@case()
def a_handler(self, x, n, c):
    try:
        return {"v0": x}["v%d" % n]
    except KeyError:
        return x * 2


@pytest.mark.parametrize("program", refused.programs, ids=lambda p: p.name)
def test_is_refused(program: Program) -> None:
    with pytest.raises(REFUSED):
        compiled(program)
