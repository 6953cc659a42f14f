"""Attributes, names and items that may be unset: a read goes on where Python does."""

from __future__ import annotations

import copy
import functools
import operator
import sys
import types
from typing import Any

import chainer
import numpy as np
import pytest

from tests.programs import Program, compiled
from tests.spaces import check_apart

INPUTS = [
    (np.arange(size, dtype=np.float32) - 0.5, n, c)
    for size in (3, 0)
    for n in (0, 1, 2, 3)
    for c in (False, True)
]
PROGRAMS: list[Program] = []
G = 5
#: What the tests change and put back.
HERE = sys.modules[__name__]


def attributes() -> dict[str, Any]:
    """The attributes of the chains."""
    return {"kept": 2.0, "w": chainer.Parameter(np.ones(2, np.float32))}


def program(forward: Any) -> Any:
    """Add a program."""
    PROGRAMS.append(Program(forward, INPUTS, {0: {0: "k"}}, attributes=attributes))
    return forward


class Plain:
    pass


class Base:
    k = 1


class Derived(Base):
    pass


class Upward(Derived):
    def get(self):
        return super().k


class Answers:
    def __getattr__(self, name):
        if name == "k":
            return 3
        raise AttributeError(name)


class AsksOn(Answers):
    def __getattr__(self, name):
        return super().__getattr__(name)


class FallsBack:
    @property
    def p(self):
        raise AttributeError("p")

    def __getattr__(self, name):
        if name == "p":
            return 9
        raise AttributeError(name)


class Raises:
    @property
    def p(self):
        raise AttributeError("p")

    @property
    def q(self):
        return self.nothing


class Methods:
    def f(self):
        return 3

    @staticmethod
    def sm():
        return 6

    @classmethod
    def cm(cls):
        return 7


class Slotted:
    __slots__ = ("k",)


class AnswersForClasses(type):
    @property
    def q2(cls):
        return 5

    def __getattr__(cls, name):
        if name == "q":
            return 6
        raise AttributeError(name)


class OfMeta(metaclass=AnswersForClasses):
    pass


class Cached:
    z = 1

    @functools.cached_property
    def v(self):
        return self.z


class Four:
    def __get__(self, o, t):
        return 4


class Described:
    d = Four()


class Indexed:
    k = 8

    def __getitem__(self, name):
        return getattr(self, name)


class Asks:
    k = 2

    def __getattribute__(self, name):
        if name == "k":
            return object.__getattribute__(self, "k") + 10
        return object.__getattribute__(self, name)


class Own(dict):
    def __init__(self):
        super().__init__()
        self.__dict__ = self

    def get_k(self):
        return 6


@program
def set_class(self, x, n, c):
    o = Base()
    if c:
        o.k = 4
    return x + o.k


@program
def set_class_getattr(self, x, n, c):
    o = Base()
    if c:
        o.k = 4
    return x + getattr(o, "k", 9)


@program
def set_getattr_method(self, x, n, c):
    o = Answers()
    if c:
        o.k = 4
    return x + o.k


@program
def set_getattr_method2(self, x, n, c):
    o = Answers()
    if c:
        o.k = 4
    return x + getattr(o, "k", 9) + getattr(o, "z", 10)


@program
def set_hasattr(self, x, n, c):
    o = Answers()
    if c:
        o.z = 4
    return x + (1 if hasattr(o, "z") else 2) + (10 if hasattr(o, "k") else 20)


@program
def del_class(self, x, n, c):
    o = Base()
    o.k = 4
    if c:
        del o.k
    return x + o.k


@program
def del_loop(self, x, n, c):
    o = Base()
    for i in range(n):
        o.k = 4
        x = x + o.k
        del o.k
    return x + o.k


@program
def del_loop2(self, x, n, c):
    o = Plain()
    o.k = 2
    for i in range(n):
        if i == 1:
            del o.k
    return x + getattr(o, "k", 7)


@program
def del_twice(self, x, n, c):
    o = Plain()
    o.k = 2
    if c:
        del o.k
    del o.k
    return x


@program
def del_twice2(self, x, n, c):
    o = Plain()
    o.k = 2
    del o.k
    try:
        del o.k
    except AttributeError:
        x = x + 1
    return x


@program
def prop_default(self, x, n, c):
    return x + getattr(Raises(), "p", 4) + getattr(Raises(), "q", 40)


@program
def prop_has(self, x, n, c):
    return x + (1 if hasattr(Raises(), "p") else 2) + (10 if hasattr(Raises(), "q") else 20)


@program
def prop_fallthrough(self, x, n, c):
    return x + FallsBack().p


@program
def prop_fallthrough2(self, x, n, c):
    return x + getattr(FallsBack(), "p", 1) + (1 if hasattr(FallsBack(), "p") else 2)


@program
def class_set(self, x, n, c):
    if c:
        Base.k = 4
    return x + Base.k + Derived.k + Base().k + Derived().k


@program
def class_set_sub(self, x, n, c):
    if c:
        Derived.k = 4
    return x + Base.k + 10 * Derived.k + 100 * Base().k + 1000 * Derived().k


@program
def class_set_sub_static(self, x, n, c):
    Base.k = 4
    return x + Base.k + 10 * Derived.k + 100 * Base().k + 1000 * Derived().k


@program
def class_del_sub(self, x, n, c):
    Derived.k = 8
    if c:
        del Derived.k
    return x + Derived.k + Derived().k


@program
def class_del_static(self, x, n, c):
    Derived.k = 8
    del Derived.k
    return x + Derived.k + Derived().k


@program
def a_class_of_python_takes_no_attribute(self, x, n, c):
    o = Answers() if n % 2 == 0 else range
    if c:
        o.k = 4
    return x + o.k if n % 2 == 0 else x


@program
def no_class_of_numpy_takes_an_attribute(self, x, n, c):
    try:
        np.float32.k = n
    except TypeError:
        return x
    return x + 1


@program
def of_a_class_of_python_nothing_is_deleted(self, x, n, c):
    try:
        del range.start
    except TypeError:
        return x
    return x + 1


@program
def class_method_set(self, x, n, c):
    if c:
        Base.f = lambda self: 4
    else:
        Base.f = lambda self: 5
    return x + Base().f()


@program
def class_new_attr(self, x, n, c):
    if c:
        Base.z = 4
    return x + getattr(Base, "z", 1) + getattr(Derived, "z", 10) + getattr(Base(), "z", 100)


@program
def class_new_attr_has(self, x, n, c):
    if c:
        Base.z = 4
    return x + (1 if hasattr(Base, "z") else 2) + (10 if hasattr(Derived(), "z") else 20)


@program
def module_attr(self, x, n, c):
    me = sys.modules[__name__]
    if c:
        me.G = 8
    return x + me.G + G


@program
def module_new(self, x, n, c):
    me = sys.modules[__name__]
    if c:
        me.GN = 8
    return x + getattr(me, "GN", 1)


@program
def global_del(self, x, n, c):
    global G2
    G2 = 7
    if c:
        del G2
    return x + G2


@program
def global_builtin(self, x, n, c):
    global abs
    if c:
        abs = operator.neg
    return x + abs(-3)


@program
def global_builtin_del(self, x, n, c):
    global abs
    abs = operator.neg
    del abs
    return x + abs(-3)  # noqa: F821


@program
def local_del(self, x, n, c):
    k = 2
    if c:
        del k
    return x + k


@program
def nonlocal_del(self, x, n, c):
    k = 2

    def f():
        nonlocal k
        del k

    if c:
        f()
    return x + k


@program
def except_name_loop(self, x, n, c):
    e = 3
    for i in range(n):
        try:
            raise ValueError("a")
        except ValueError:
            x = x + 1
    return x + e


@program
def d_get(self, x, n, c):
    d = {}
    if c:
        d["a"] = 4
    return x + d.get("a", 7)


@program
def d_get_none(self, x, n, c):
    d = {}
    if c:
        d["a"] = 4
    v = d.get("a")
    return x + (1 if v is None else v)


@program
def d_pop(self, x, n, c):
    d = {}
    if c:
        d["a"] = 4
    v = d.pop("a", 7)
    return x + v + len(d)


@program
def d_pop_raise(self, x, n, c):
    d = {}
    if c:
        d["a"] = 4
    v = d.pop("a")
    return x + v


@program
def d_in(self, x, n, c):
    d = {}
    if c:
        d["a"] = 4
    return x + (1 if "a" in d else 2)


@program
def d_setdefault(self, x, n, c):
    d = {}
    if c:
        d["a"] = 4
    v = d.setdefault("a", 7)
    return x + v + d["a"]


@program
def d_del(self, x, n, c):
    d = {"a": 1}
    if c:
        del d["a"]
    return x + d.get("a", 7)


@program
def d_del2(self, x, n, c):
    d = {"a": 1}
    if c:
        del d["a"]
    del d["a"]
    return x


@program
def d_clear(self, x, n, c):
    d = {"a": 1}
    if c:
        d.clear()
    return x + d.get("a", 3)


@program
def set_in(self, x, n, c):
    e = set()
    if c:
        e.add(3)
    return x + (1 if 3 in e else 2)


@program
def set_discard(self, x, n, c):
    e = {3}
    if c:
        e.discard(3)
    e.discard(3)
    return x + (1 if 3 in e else 2)


@program
def set_remove(self, x, n, c):
    e = {3}
    if c:
        e.remove(3)
    e.remove(3)
    return x


@program
def vars_get(self, x, n, c):
    o = Plain()
    if c:
        o.k = 4
    return x + vars(o).get("k", 5)


@program
def vars_in(self, x, n, c):
    o = Plain()
    if c:
        o.k = 4
    return x + (1 if "k" in vars(o) else 5) + (10 if "k" in o.__dict__ else 50)


@program
def vars_item(self, x, n, c):
    o = Base()
    if c:
        o.k = 4
    return x + o.__dict__["k"]


@program
def setattr_delattr(self, x, n, c):
    o = Base()
    if c:
        o.k = 4
    x = x + o.k
    if c:
        delattr(o, "k")
    return x + 10 * o.k


@program
def on_self(self, x, n, c):
    if c:
        self.k = 4
    return x + getattr(self, "k", 5)


@program
def on_obj_meth(self, x, n, c):
    o = Methods()
    if c:
        o.f = lambda: 4
    return x + o.f()


@program
def on_obj_static(self, x, n, c):
    o = Methods()
    if c:
        o.sm = lambda: 4
    if n > 1:
        o.cm = lambda: 5
    return x + o.sm() + 10 * o.cm()


@program
def on_obj_meth_del(self, x, n, c):
    o = Methods()
    o.f = lambda: 4
    if c:
        del o.f
    return x + o.f()


@program
def maybe_in_loop(self, x, n, c):
    o = Plain()
    for i in range(n):
        o.k = getattr(o, "k", 0) + 1
    return x + getattr(o, "k", -1)


@program
def maybe_array_default(self, x, n, c):
    o = Plain()
    if c:
        o.k = x + 1
    y = getattr(o, "k", x)
    y += 1
    return (x, y)


@program
def getattr_call_default(self, x, n, c):
    o = Plain()
    if c:
        o.k = None
    return x + (1 if getattr(o, "k", None) is None else 2)


@program
def slots(self, x, n, c):
    o = Slotted()
    if c:
        o.k = 4
    return x + getattr(o, "k", 2)


@program
def slots_read(self, x, n, c):
    o = Slotted()
    if c:
        o.k = 4
    return x + o.k


@program
def enum_like(self, x, n, c):
    o = types.SimpleNamespace(a=1)
    if c:
        o.b = 3
    return x + getattr(o, "b", o.a)


@program
def meta_class(self, x, n, c):
    if c:
        OfMeta.q = 8
    return x + OfMeta.q


@program
def meta_class2(self, x, n, c):
    return x + OfMeta.q + OfMeta.q2 + getattr(OfMeta, "zz", 3)


@program
def super_maybe(self, x, n, c):
    if c:
        Base.k = 50
    return x + Upward().get()


@program
def cached_maybe(self, x, n, c):
    o = Cached()
    if c:
        assert o.v
    o.z = 5
    return x + o.v


@program
def cached_del(self, x, n, c):
    o = Cached()
    assert o.v
    o.z = 5
    if c:
        del o.v
    return x + o.v


@program
def descr_nd(self, x, n, c):
    o = Described()
    if c:
        o.d = 7
    return x + o.d


@program
def operator_attrgetter(self, x, n, c):
    o = Base()
    if c:
        o.k = 4
    return x + operator.attrgetter("k")(o)


@program
def copy_maybe(self, x, n, c):
    o = Base()
    if c:
        o.k = 4
    return x + copy.copy(o).k


@program
def result_maybe(self, x, n, c):
    o = types.SimpleNamespace(a=x)
    if c:
        o.b = x
    return o.a


@program
def match_maybe(self, x, n, c):
    o = Base()
    if c:
        o.k = 4
    match o:
        case Base(k=4):
            return x + 1
        case _:
            return x + 2


@program
def getitem_dunder(self, x, n, c):
    o = Indexed()
    if c:
        o.k = 3
    return x + o["k"]


@program
def super_getattr(self, x, n, c):
    return x + getattr(AsksOn(), "zz", 4)


@program
def own_getattribute(self, x, n, c):
    o = Asks()
    if c:
        o.k = 3
    return x + o.k


@program
def dict_that_is_its_own_attributes(self, x, n, c):
    o = Own()
    if c:
        o.get_k = lambda: 4
    return x + o.get_k()


@program
def deleted_attribute_of_the_chain(self, x, n, c):
    if c:
        del self.kept
    return x + getattr(self, "kept", 5)


@program
def order_after_a_deletion(self, x, n, c):
    o = Plain()
    o.a, o.b = x, x + 1
    if n > 1:
        o.a = x * 2
    return list(vars(o).values())


@program
def parameter_set_in_a_branch(self, x, n, c):
    if c:
        self.w.array = np.zeros(2, np.float32)
    return self.w.array + n


@program
def parameter_set(self, x, n, c):
    for _ in range(n):
        self.w.array = self.w.array + x[:1].sum()
    return self.w * 2, self.w.array, self.w.data.sum(), self.w.shape, self.w.size


@program
def parameter_of_another_size(self, x, n, c):
    self.w.array = x
    return self.w.data, self.w.shape, self.w.ndim, self.w.dtype == np.float32


@program
def global_named_like_a_method_of_dict(self, x, n, c):
    global items
    if c:
        items = 4
    return x + items


@program
def property_that_may_raise(self, x, n, c):
    class Asked:
        @property
        def p(self):
            if self.c:
                raise AttributeError("p")
            return 3

    o = Asked()
    o.c = c
    return x + getattr(o, "p", 7)


@pytest.mark.parametrize("case", PROGRAMS, ids=lambda case: case.name)
def test_unset(case: Program) -> None:
    check_apart(case, compiled(case), HERE)
