"""What the programs of the language table find around them."""

from __future__ import annotations

import abc
import collections
import contextlib
import copy
import dataclasses
import enum
import functools
import itertools
import logging
import math
import numbers
import operator
import re
import string
import typing
import warnings
from typing import Any, NamedTuple

import chainer
import chainer.functions as F  # noqa: F401
import chainer.links as L  # noqa: F401
import numpy as np
import six

Pair = collections.namedtuple("Pair", "a b")
NAMES = ["a", "b"]
TOTAL = 0


class Typed(NamedTuple):
    a: Any
    b: Any = 1.5


class Color(enum.Enum):
    RED = 1
    BLUE = 2


class Box:
    def __init__(self, a: Any) -> None:
        self.a = self.b = a


@dataclasses.dataclass
class Point:
    a: Any
    b: Any = 0.5


@dataclasses.dataclass
class Made:
    seed: Any
    items: list[Any] = dataclasses.field(default_factory=list)
    total: Any = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        self.total = self.seed + 1


@dataclasses.dataclass(frozen=True)
class Frozen:
    a: Any


class Cached:
    @functools.lru_cache(maxsize=None)  # noqa: B019, UP033
    def value(self, n: Any) -> Any:
        return n * 2


class Memo:
    def __init__(self, n: Any) -> None:
        self.n = n

    @functools.cached_property
    def twice(self) -> Any:
        return self.n * 2


@functools.total_ordering
class Ordered:
    def __init__(self, n: Any) -> None:
        self.n = n

    def __eq__(self, other: Any) -> Any:
        return self.n == other.n

    def __lt__(self, other: Any) -> Any:
        return self.n < other.n

    __hash__ = None


@functools.singledispatch
def dispatched(value: Any) -> Any:
    return 1


@dispatched.register(int)
def _(value: Any) -> Any:
    return 2


class Shape(abc.ABC):
    @abc.abstractmethod
    def side(self) -> Any: ...

    def area(self) -> Any:
        return self.side() * self.side()


class Square(Shape):
    def __init__(self, n: Any) -> None:
        self.n = n

    def side(self) -> Any:
        return self.n + 1


@contextlib.contextmanager
def tagged(n: Any) -> Any:
    yield n * 2


def seconds(x: Any, *rest: Any, scale: Any = 2, **more: Any) -> Any:
    return x * scale, rest, more


def countdown(n: Any) -> Any:
    while n > 0:
        yield n
        n -= 1


def pairs(items: Any) -> Any:
    previous = None
    for item in items:
        if previous is not None:
            yield previous, item
        previous = item


class Negative:
    """A descriptor."""

    def __set_name__(self, owner: Any, name: str) -> None:
        self.name = "_" + name

    def __get__(self, obj: Any, cls: Any = None) -> Any:
        return self if obj is None else -getattr(obj, self.name)

    def __set__(self, obj: Any, value: Any) -> None:
        setattr(obj, self.name, value)


class Lazy:
    """A descriptor without `__set__`: the instance's own attribute comes first."""

    def __init__(self, function: Any) -> None:
        self.function = function

    def __get__(self, obj: Any, cls: Any = None) -> Any:
        value = self.function(obj)
        obj.__dict__["lazy"] = value
        return value


class Doubling(type):
    """A metaclass that changes what its classes make."""

    def __call__(cls, *args: Any) -> Any:
        made = super().__call__(*args)
        made.n = made.n * 2
        return made


class Doubled(metaclass=Doubling):
    def __init__(self, n: Any) -> None:
        self.n = n


class Vector:
    """A class with many special methods."""

    unit = 1
    inverse = Negative()

    def __init__(self, a: Any, b: Any) -> None:
        self.a = a
        self.b = b

    def __add__(self, other: Any) -> Any:
        return Vector(self.a + other.a, self.b + other.b)

    def __radd__(self, other: Any) -> Any:
        return Vector(self.a + other, self.b + other)

    def __sub__(self, other: Any) -> Any:
        if not isinstance(other, Vector):
            return NotImplemented
        return Vector(self.a - other.a, self.b - other.b)

    def __rsub__(self, other: Any) -> Any:
        return Vector(other - self.a, other - self.b)

    def __mul__(self, k: Any) -> Any:
        return Vector(self.a * k, self.b * k)

    __rmul__ = __mul__

    def __imul__(self, k: Any) -> Any:
        self.a = self.a * k
        return self

    def __matmul__(self, other: Any) -> Any:
        return self.a * other.a + self.b * other.b

    def __neg__(self) -> Any:
        return Vector(-self.a, -self.b)

    def __abs__(self) -> Any:
        return abs(self.a) + abs(self.b)

    def __invert__(self) -> Any:
        return Vector(self.b, self.a)

    def __call__(self, k: Any) -> Any:
        return self.a * k + self.b

    def __getitem__(self, i: Any) -> Any:
        return (self.a, self.b)[i]

    def __setitem__(self, i: Any, value: Any) -> None:
        if i == 0:
            self.a = value
        else:
            self.b = value

    def __delitem__(self, i: Any) -> None:
        self[i] = 0

    def __len__(self) -> int:
        return 2

    def __iter__(self) -> Any:
        yield self.a
        yield self.b

    def __contains__(self, value: Any) -> Any:
        return value == self.a

    def __eq__(self, other: Any) -> Any:
        return isinstance(other, Vector) and self.a == other.a and self.b == other.b

    def __lt__(self, other: Any) -> Any:
        return self.a < other.a

    def __bool__(self) -> bool:
        return bool(self.a > 0)

    def __float__(self) -> float:
        return float(self.a)

    def __int__(self) -> int:
        return int(self.b)

    def __index__(self) -> int:
        return 1

    def __round__(self, digits: Any = None) -> Any:
        return round(self.b)

    def __divmod__(self, other: Any) -> Any:
        return self.a // other, self.a % other

    def __reversed__(self) -> Any:
        return iter([self.b, self.a])

    def __hash__(self) -> int:
        return 7

    def __enter__(self) -> Any:
        self.a = self.a + 1
        return self

    def __exit__(self, *error: Any) -> None:
        self.a = self.a - 1

    def __getattr__(self, name: str) -> Any:
        if name.startswith("dyn_"):
            return self.a * len(name)
        raise AttributeError(name)

    @property
    def total(self) -> Any:
        return self.a + self.b

    @total.setter
    def total(self, value: Any) -> None:
        self.a = value - self.b

    @classmethod
    def of(cls, a: Any) -> Any:
        return cls(a, cls.unit)

    @staticmethod
    def plain(a: Any) -> Any:
        return a + 1

    @Lazy
    def lazy(self) -> Any:
        return self.a * 10


class Longer(Vector):
    unit = 5

    def __init__(self, a: Any, b: Any, c: Any) -> None:
        super().__init__(a, b)
        self.c = c

    @property
    def total(self) -> Any:
        return super().total + self.c

    def __call__(self, k: Any) -> Any:
        return super().__call__(k) + self.c


class Count:
    """An iterator class."""

    def __init__(self, stop: int) -> None:
        self.now, self.stop = 0, stop

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        if self.now >= self.stop:
            raise StopIteration
        self.now += 1
        return self.now


class Slotted:
    __slots__ = ("a",)

    def __init__(self, a: Any) -> None:
        self.a = a


class Guard:
    """A context manager that swallows ValueError."""

    def __enter__(self) -> Any:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> Any:
        return kind is not None and issubclass(kind, ValueError)


class Twice(chainer.FunctionNode):
    def __init__(self, k: Any = 2) -> None:
        self.k = k

    def forward(self, inputs: Any) -> Any:
        (x,) = inputs
        return (x * self.k,)


class Split(chainer.FunctionNode):
    def forward_cpu(self, inputs: Any) -> Any:
        (x,) = inputs
        return x[:, :1].copy(), np.maximum(x[:, 1:], 0)


class OldStyle(chainer.Function):
    def forward(self, inputs: Any) -> Any:
        x, y = inputs
        return (x - y,)


def doubled(function: Any) -> Any:
    @functools.wraps(function)
    def inner(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs) * 2

    return inner


@doubled
def decorated(a: Any, b: Any = 1) -> Any:
    return a + b


def factorial(k: Any) -> Any:
    return 1 if k <= 1 else k * factorial(k - 1)


def adder(a: Any) -> Any:
    def add(b: Any) -> Any:
        return a + b

    return add


MODULES = (abc, copy, dataclasses, itertools, logging, math, numbers, operator, re, string, six)
MODULES_TOO = (typing, warnings)


class Options(dict):
    """A dict whose items are attributes, too."""

    def __getattr__(self, name: str) -> Any:
        return self[name]

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


class Bunch(dict):
    """A dict that is its own `__dict__`."""

    def __init__(self, **items: Any) -> None:
        super().__init__(**items)
        self.__dict__ = self


class Lower(dict):
    """A dict that reads its keys without regard to case."""

    def __getitem__(self, key: Any) -> Any:
        return dict.__getitem__(self, key.lower())

    def __contains__(self, key: Any) -> Any:
        return super().__contains__(key.lower())


class Log(list):
    """A list that counts what is appended to it."""

    def __init__(self, name: str, items: Any = ()) -> None:
        super().__init__(items)
        self.name = name
        self.total = 0

    def append(self, item: Any) -> None:
        super().append(item)
        self.total += 1

    def __len__(self) -> Any:
        return super().__len__() + 100

    def __iter__(self) -> Any:
        return (item * 2 for item in super().__iter__())


class Triple(tuple):
    """A tuple with an arithmetic of its own."""

    def __add__(self, other: Any) -> Any:
        return Triple(a + b for a, b in zip(self, other, strict=True))


class Shifted(collections.namedtuple("Shifted", "a b")):
    """A named tuple that computes its fields."""

    def __new__(cls, a: Any, b: Any = 2) -> Any:
        return super().__new__(cls, a + 1, b)


class Units(int):
    """An int with an arithmetic of its own."""

    def __add__(self, other: Any) -> Any:
        return 1000

    def __radd__(self, other: Any) -> Any:
        return 2000


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Letter(str, enum.Enum):
    A = "a"
    B = "b"

    @property
    def other(self) -> Any:
        return Letter.B if self is Letter.A else Letter.A


class Backwards:
    def __init__(self, n: Any) -> None:
        self.n = n

    def __reversed__(self) -> Any:
        yield self.n * 2
        yield self.n


class Erased:
    """A property that can be deleted, and an iterator that ends."""

    kind = 1

    def __init__(self, n: Any) -> None:
        self.held = n
        self.turn = 0

    @property
    def value(self) -> Any:
        return self.held

    @value.deleter
    def value(self) -> None:
        self.held = -7

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        if self.turn == 2:
            raise StopIteration
        self.turn += 1
        return self.held * self.turn


class Place:
    def __init__(self, n: Any) -> None:
        self.n = n

    def __index__(self) -> Any:
        return self.n

    def __floor__(self) -> Any:
        return self.n + 3


LOWER = Lower(a=1, b=2)
UNITS = Units(5)
