"""Where an attribute is looked up, set and deleted: descriptors, the object, its class, `super`."""

from __future__ import annotations

import functools
import types
from typing import Any

import chainer
import pytest

import elichika
from tests.programs import Program, compiled, f32
from tests.table import NUMBERS, Table, hold

case = Table(NUMBERS, None)


class Options:
    def __init__(self, **named: Any) -> None:
        for name in named:
            setattr(self, name, named[name])


class Doubling:
    """Sets twice of what it is given."""

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value * 2)


class Clamped(Doubling):
    """A property below a `__setattr__`."""

    @property
    def top(self) -> Any:
        return self.held + 1

    @top.setter
    def top(self, value: Any) -> None:
        self.held = value


class Half:
    """A data descriptor: reads half of what was set."""

    def __get__(self, obj: Any, cls: Any) -> Any:
        return 7 if obj is None else obj.full / 2

    def __set__(self, obj: Any, value: Any) -> None:
        obj.full = value


class Once:
    """A descriptor that takes nothing."""

    def __get__(self, obj: Any, cls: Any) -> Any:
        return 11 if obj is None else obj.given + 1


class Base:
    """What is there to be shadowed."""

    kind = 1
    half = Half()
    once = Once()
    plain: Any = 3

    def __init__(self, given: Any) -> None:
        self.given = given

    @property
    def level(self) -> Any:
        return self.given + 10

    @level.setter
    def level(self, value: Any) -> None:
        self.given = value

    @level.deleter
    def level(self) -> None:
        self.given = -1

    @functools.cached_property
    def cached(self) -> Any:
        return self.given * 3

    @classmethod
    def of_class(cls, a: Any) -> Any:
        return cls.kind + a

    @staticmethod
    def of_none(a: Any) -> Any:
        return a + 4

    def method(self, a: Any) -> Any:
        return self.given + a


class Derived(Base):
    """Shadows some of it."""

    kind = 2
    level = 5
    half = 6

    def method(self, a: Any) -> Any:
        return super().method(a) * 2

    @property
    def plain(self) -> Any:
        return super().plain + self.given

    def above(self) -> Any:
        return super().level, super().half, super().once, super().cached, super().kind

    def called(self, a: Any) -> Any:
        return super().of_class(a), super().of_none(a)

    @classmethod
    def from_class(cls, a: Any) -> Any:
        return super().of_class(a), super().once, super().of_none(a)


class Slotted:
    """Takes two attributes and no more."""

    __slots__ = ("a", "b")

    def __init__(self, a: Any) -> None:
        self.a = a


class Wider(Slotted):
    """A slot read through `super`."""

    __slots__ = ()

    def both(self) -> Any:
        return super().a, self.a


class Answers:
    """Says what is not there."""

    def __init__(self, n: Any) -> None:
        self.n = n

    def __getattr__(self, name: str) -> Any:
        if name.startswith("no"):
            raise AttributeError(name)
        return (name, self.n)

    @property
    def broken(self) -> Any:
        return self.nothing


class Meta(type):
    """What a class has besides its own."""

    of_meta = 21

    @property
    def data(cls) -> Any:
        return cls.kind + 30

    def told(cls, a: Any) -> Any:
        return cls.kind + a

    def __getattr__(cls, name: str) -> Any:
        return name


class Made(metaclass=Meta):
    """A class of a metaclass."""

    kind = 2
    data = 1
    told = 9


class Tripling(type):
    """Reads an attribute of the class that it makes."""

    @property
    def tripled(cls) -> Any:
        return cls.kind * 3

    def thrice(cls, a: Any) -> Any:
        return cls.kind * 3 + a


class Tripled(metaclass=Tripling):
    """Has an attribute that a program changes."""

    kind: Any = 2


class Scaled(chainer.Chain):
    """A link that answers for an attribute."""

    rate: Any = 2

    def __getattr__(self, name: str) -> Any:
        return name if name == "missing" else super().__getattribute__(name)

    @property
    def twice(self) -> Any:
        return self.rate * 2


class Seen:
    """Reads an attribute of the class that it stands in."""

    def __get__(self, obj: Any, cls: Any) -> Any:
        return cls.count + (obj is None)


class Counted:
    """Has an attribute that a program changes."""

    count: Any = 0
    seen = Seen()


class Fixed:
    """Takes no value."""

    class Never:
        """A descriptor that can be read and deleted."""

        def __get__(self, obj: Any, cls: Any) -> Any:
            return 1

        def __delete__(self, obj: Any) -> None:
            obj.deleted = True

    fixed = Never()


class Deleting:
    """Keeps what is deleted, as a number."""

    def __delattr__(self, name: str) -> None:
        setattr(self, name, getattr(self, name) + 1)


@case()
def setattr_before_property(self, n, k, f):
    box = Clamped()
    box.top = n
    return box.top, box.held


@case()
def shadowed_property_is_set_in_the_object(self, n, k, f):
    box = Derived(n)
    box.level = k
    box.half = f
    return box.level, box.half, box.given, Derived.level, Base.half


@case()
def properties_and_descriptors(self, n, k, f):
    box = Base(n)
    first = box.level, box.once
    box.level = k
    box.half = f
    second = box.level, box.half, box.once, box.full
    del box.level
    return first, second, box.given


@case()
def descriptor_without_set_is_shadowed(self, n, k, f):
    box = Base(n)
    a = box.once, box.cached
    box.once = k
    box.cached = f
    b = box.once, box.cached
    del box.once
    del box.cached
    return a, b, box.once, box.cached


@case()
def property_of_base_by_super(self, n, k, f):
    return Derived(n).plain


@case()
def all_by_super(self, n, k, f):
    box = Derived(n)
    box.full = f
    return box.above(), box.called(k), Derived.from_class(k), box.method(k)


@case()
def cached_by_super_is_kept(self, n, k, f):
    box = Derived(n)
    box.full = f
    box.above()
    box.given = k
    return box.cached, box.above()


@case()
def slot_by_super(self, n, k, f):
    box = Wider(n)
    box.a = k
    return box.both()


@case()
def super_itself(self, n, k, f):
    class Local(Base):
        def who(self):
            up = super()
            return up.__thisclass__ is Local, up.__self__ is self, up.__self_class__ is Local

    return Local(n).who()


@case()
def super_asks_no_getattr(self, n, k, f):
    class Local(Answers):
        def up(self):
            return getattr(super(), "some", n)

    return Local(n).up(), Local(k).some


@case()
def super_with_dict_of_object(self, n, k, f):
    class Local(Base):
        def up(self):
            self.plain = n
            return super().plain, self.plain

    return Local(k).up()


@case()
def getattr_where_nothing_is(self, n, k, f):
    box = Answers(n)
    box.other = k
    return box.some, box.other, box.n, hasattr(box, "nope"), getattr(box, "none", f), box.broken_


@case()
def getattr_after_a_property_raises(self, n, k, f):
    box = Answers(n)
    return hasattr(box, "broken"), getattr(box, "broken", k)


@case()
def getattr_of_deleted(self, n, k, f):
    box = Answers(n)
    box.some = k
    a = box.some
    del box.some
    return a, box.some


@case()
def metaclass(self, n, k, f):
    return Made.of_meta, Made.told, Made.data, Made.absent, Made().data, hasattr(Made(), "absent")


@case()
def class_read_through(self, n, k, f):
    return Base.once, Base.half, Base.method(Base(n), k), Base.of_class(n), Derived.of_none(k)


@case()
def class_attribute_set_by_program(self, n, k, f):
    class Local(Base):
        pass

    box = Local(n)
    before = box.kind
    Local.kind = k
    after = box.kind, Local.kind, Base.kind
    Local.method = lambda self, a: self.given * a
    late = box.method(k)
    box.kind = n
    return before, after, late, box.kind, Local.kind


@case()
def method_in_the_object_is_not_bound(self, n, k, f):
    box = Base(n)
    box.method = lambda a: a + 100
    return box.method(k), Base.method(box, k)


@case()
def functions_bound_by_hand(self, n, k, f):
    box = Base(n)
    box.method = types.MethodType(lambda self, a: self.given - a, box)
    return box.method(k), box.method.__self__ is box


@case()
def functions_have_attributes(self, n, k, f):
    def counted(x):
        counted.calls += 1
        return x

    counted.calls = n
    if k > 2:
        counted.calls += 2
    for i in range(k):
        counted(i)
    first = counted.calls
    del counted.calls
    counted.calls = f
    return first, counted.calls, counted.__name__


@case()
def decorators_hand_on_names(self, n, k, f):
    def plus(function):
        @functools.wraps(function)
        def wrapper(x):
            return function(x) + n

        return wrapper

    @plus
    def inner(x):
        return x * k

    @plus
    def other(x):
        return x

    return inner(f), inner.__name__, other(f), other.__name__


@case()
def methods_have_what_their_functions_have(self, n, k, f):
    method = Base(n).method
    return method.__name__, method.__func__ is Base.method, method.__func__(Base(k), 1)


@case()
def one_of_two_objects(self, n, k, f):
    box = Base(n) if n > 0 else Derived(k)
    first = box.level, box.kind, box.method(2), box.once
    box.kind = f
    return first, box.kind, box.of_class(1), box.of_none(n)


@case()
def attribute_on_one_side(self, n, k, f):
    box = Base(n)
    if n > 0:
        box.kind = k
        box.once = f
    return box.kind, box.once


@case()
def deleted_attribute_shows_the_class(self, n, k, f):
    box = Base(n)
    box.plain = k
    a = box.plain
    if n > 0:
        del box.plain
    return a, box.plain


@case()
def metaclass_reads_what_changed(self, n, k, f):
    before = Tripled.tripled, Tripled.thrice(1)
    Tripled.kind = n
    after = Tripled.tripled, Tripled.thrice(k)
    Tripled.kind = 2
    return before, after


@case()
def descriptor_of_class_reads_what_changed(self, n, k, f):
    Counted.count = n
    return Counted.seen, Counted().seen


@case()
def what_takes_no_attributes(self, n, k, f):
    def refused(obj, name):
        try:
            setattr(obj, name, 1)
        except AttributeError:
            return True
        return False

    things = [n, f, "a", (n, k), [n], {1: k}, {1}, None, range(n), Slotted(n), object(), len]
    told = [refused(thing, "extra") for thing in things]
    made = [refused(Base(n).method, "extra"), refused({1: n}.keys(), "x"), refused(iter([n]), "x")]
    return told, made, refused(lambda: n, "extra"), refused(Base(n), "extra")


@case()
def what_takes_some(self, n, k, f):
    def attempted(change, *args):
        try:
            change(*args)
        except AttributeError:
            return True
        return False

    box = Derived(n)
    return (
        attempted(setattr, box, "plain", k),
        attempted(delattr, box, "plain"),
        attempted(delattr, box, "nothing"),
        attempted(delattr, box, "given"),
        attempted(delattr, box, "given"),
        attempted(delattr, n, "real"),
        attempted(setattr, Fixed(), "fixed", k),
        attempted(delattr, Fixed(), "fixed"),
    )


@case()
def deleted_by_the_class(self, n, k, f):
    box = Deleting()
    box.a = n
    del box.a
    first = box.a
    object.__delattr__(box, "a")
    return first, hasattr(box, "a")


@case()
def setattr_of_base_by_super(self, n, k, f):
    class Noted(Base):
        def __init__(self, given):
            object.__setattr__(self, "names", [])
            super().__init__(given)

        def __setattr__(self, name, value):
            self.names.append(name)
            super().__setattr__(name, value)

    box = Noted(n)
    box.level = k
    box.half = f
    box.other = n
    return box.names, box.given, box.full, box.other


@case()
def attribute_of_one_of_two_kinds(self, n, k, f):
    box = Base(n) if k > 0 else Answers(n)
    box.level = f
    return box.level, box.absent if k <= 0 else box.given


@case()
def links_and_their_attributes(self, n, k, f):
    link = Scaled()
    before = link.twice, link.missing
    link.rate = n
    return before, link.twice, link.name, hasattr(link, "nothing"), link.xp is self.xp


@case()
def the_dict_of_one_of_several(self, a, b, s):
    one = types.SimpleNamespace(u=a, v=3) if a > b else types.SimpleNamespace(u=s, v=4)
    held = vars(one)
    held["v"] = held["v"] + 1
    held["w"] = b
    return one.v, one.w, one.u, len(held), list(held)


@case()
def copies_by_their_dict(self, a, b, s):
    held = Options(u=a, v=3)
    for i in range(b):
        copy = Options(**vars(held))
        copy.v = max(0.0, copy.v - 0.5)
        held = held if i == 1 else copy
    return held.u, held.v


@case()
def one_of_several_dicts_as_arguments(self, a, b, s):
    def scaled(x, by=1, plus=2):
        return x * by + plus

    given = {"by": a} if a > b else {"by": s}
    return scaled(b, **given), scaled(b, plus=a, **given)


@pytest.mark.parametrize("program", case.programs, ids=lambda program: program.name)
def test_attributes(program: Program) -> None:
    hold(program)


def _array(self: Any, x: Any) -> Any:
    x.extra = 1


def _size(self: Any, x: Any) -> Any:
    x.shape = (x.size,)


def _variable(self: Any, x: Any) -> Any:
    chainer.Variable(x).extra = 1


def _slot(self: Any, x: Any) -> Any:
    Slotted(x).c = 1


@pytest.mark.parametrize(
    ("forward", "message"),
    [
        (_array, "AttributeError: 'ndarray' object has no attribute 'extra'"),
        (_size, "assignment to `shape` of ndarray is not supported"),
        (_variable, "assignment to `extra` of Variable is not supported"),
        (_slot, "AttributeError: 'Slotted' object has no attribute 'c'"),
    ],
)
def test_what_takes_no_attribute_says_so(forward: Any, message: str) -> None:
    with pytest.raises(elichika.StagingError) as caught:
        compiled(Program(forward, [(f32(3),)]))
    assert str(caught.value).splitlines()[0] == message
