"""The world in which random programs run: everything they do to it is written down."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["OutOfFuel", "World", "outcome"]


class OutOfFuel(BaseException):
    """A program has run for long enough."""


class Odd(Exception):
    """What programs raise and catch."""


class World:
    """What a program is given: values, conditions, iterables and context managers that trace."""

    def __init__(self, seed: int, fuel: int = 150) -> None:
        """Decide by `seed`; stop after `fuel` events."""
        self.random = random.Random(seed)
        self.often = (0.45, 0.2, 0.75)[seed % 3]  # conditions hold
        self.fuel = fuel
        self.trace: list[Any] = []

    def note(self, *event: Any) -> None:
        """Write down an event."""
        self.trace.append(tuple(map(repr, event)))
        self.fuel -= 1
        if self.fuel < 0:
            raise OutOfFuel

    def value(self, label: str, *seen: Any) -> int:
        """A number; every so often an exception instead."""
        self.note("value", label, *map(repr, seen))
        if self.random.random() < 0.015:
            raise Odd(label)
        return self.random.randrange(4)

    def test(self, label: str) -> Any:
        """A condition, whose truth is asked for visibly."""
        self.note("test", label)
        if self.random.random() < 0.01:
            raise Odd(label)
        return Truth(self, label, self.random.random() < self.often)

    def sure(self, label: str) -> Any:
        """A condition that nearly always holds."""
        self.note("sure", label)
        return Truth(self, label, self.random.random() < 0.95)

    def items(self, label: str, most: int = 3) -> Iterator[Any]:
        """Up to three numbers."""
        for index in range(self.random.randrange(most + 1)):
            self.note("item", label, index)
            yield index
        self.note("end", label)

    def pairs(self, label: str) -> list[Any]:
        """Up to three pairs."""
        self.note("pairs", label)
        return [(index, self.random.randrange(3)) for index in range(self.random.randrange(4))]

    def nested(self, label: str) -> list[Any]:
        """Up to two numbers, each with a pair."""
        self.note("nested", label)
        draw = self.random.randrange
        return [(index, (draw(3), draw(3))) for index in range(draw(3))]

    def row(self, label: str) -> Any:
        """Two things to unpack; seldom more or less, or nothing to unpack at all."""
        self.note("row", label)
        rows: list[Any] = [(0, 1), [1, 2], (3, 4), {6: 7, 8: 9}, (Number(1), 2)]
        odd = ["ab", (), [1, 2, 3], 1, (3, (4, 5)), self.items(label, most=2)]
        return self.random.choice(odd if self.random.random() < 0.15 else rows)

    def subject(self, label: str) -> Any:
        """Something to match."""
        self.note("subject", label)
        subjects: list[Any] = [0, -1, 1, True, None, "a", [1, 2], (1, (2, 3)), [1, 2, 3], {"k": 1}]
        subjects += [{"x": [1, 2]}, self.thing(label), range(2), {}, b"ab"]
        return self.random.choice(subjects)

    def thing(self, label: str) -> Thing:
        """An object whose attributes and items are traced."""
        self.note("thing", label)
        return Thing(self, label)

    def manager(self, label: str) -> Manager:
        """A context manager, which may swallow exceptions or raise one on exit."""
        self.note("manager", label)
        return Manager(self, label)


class Truth:
    """A condition."""

    def __init__(self, world: World, label: str, truth: bool) -> None:
        self.world, self.label, self.truth = world, label, truth

    def __bool__(self) -> bool:
        self.world.note("bool", self.label, self.truth)
        return self.truth

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.label}, {self.truth})"


class Less(Truth):
    """What a comparison gives; only the first time that its truth is asked for is visible.

    Python asks twice in `a < b < c or d`, once in the same thing written as `a < b and b < c or d`.
    """

    asked = False

    def __bool__(self) -> bool:
        if not self.asked:
            self.asked = True
            super().__bool__()
        return self.truth


class Number(int):
    """A number whose comparisons and in-place additions are traced."""

    world: World

    def __lt__(self, other: Any) -> Any:
        self.world.note("less", int(self), repr(other))
        return Less(self.world, "less", int(self) < other)

    def __iadd__(self, other: Any) -> Any:
        self.world.note("iadd", int(self), repr(other))
        return _number(self.world, int(self) + int(other))


def _number(world: World, value: int) -> Number:
    number = Number(value)
    number.world = world
    return number


class Thing:
    """An object with any attribute and any item."""

    def __init__(self, world: World, label: str) -> None:
        self.__dict__.update(world=world, label=label, kept={})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        self.world.note("get", self.label, name)
        if name == "thing":
            return Thing(self.world, f"{self.label}.thing")
        return self.kept.get(name, _number(self.world, 1))

    def __setattr__(self, name: str, value: Any) -> None:
        self.world.note("set", self.label, name, repr(value))
        self.kept[name] = value

    def __delattr__(self, name: str) -> None:
        self.world.note("del", self.label, name)

    def __getitem__(self, key: Any) -> Any:
        self.world.note("getitem", self.label, repr(key))
        return self.kept.get(repr(key), _number(self.world, 2))

    def __setitem__(self, key: Any, value: Any) -> None:
        self.world.note("setitem", self.label, repr(key), repr(value))
        self.kept[repr(key)] = value

    def __delitem__(self, key: Any) -> None:
        self.world.note("delitem", self.label, repr(key))

    def __repr__(self) -> str:
        return f"Thing({self.label})"


class Manager:
    """A context manager."""

    def __init__(self, world: World, label: str) -> None:
        self.world, self.label = world, label

    def __enter__(self) -> Any:
        self.world.note("enter", self.label)
        return self.world.random.choice([1, *[(1, 2)] * 7])

    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool:
        self.world.note("exit", self.label, kind)
        choice = self.world.random.random()
        if kind is OutOfFuel:
            return False
        if choice < 0.08:
            raise Odd("exit", self.label)
        return choice < 0.4


def outcome(function: Callable[[World], Any], seed: int) -> list[Any]:
    """Everything that a run of a program does and gives."""
    world = World(seed)
    with _generators_end_quietly():
        end = _end_of(function, world)
    return [*world.trace, end]


@contextmanager
def _generators_end_quietly() -> Iterator[None]:
    """Python says where a generator that nobody reads to its end raises when it goes."""
    hook = sys.unraisablehook
    sys.unraisablehook = lambda _: None
    try:
        yield
    finally:
        sys.unraisablehook = hook


def _end_of(function: Callable[[World], Any], world: World) -> list[Any]:
    """What a program returns or raises."""
    try:
        result = function(world)
        if hasattr(result, "send"):
            result = _drive(result, world)
        return ["return", repr(result)]
    except (Exception, OutOfFuel) as error:
        context = [type(error.__context__), type(error.__cause__)]
        return ["raise", type(error), _message(error), *context]


def _message(error: BaseException) -> str:
    """What an error says; unpacking what is no iterable is said in two ways."""
    text = repr(error.args)
    return "not iterable" if "Value after *" in text or "cannot unpack" in text else text


def _drive(generator: Any, world: World) -> Any:
    """Run a generator: ask, send and throw."""
    step = next
    arguments: tuple[Any, ...] = (generator,)
    try:
        while True:
            world.note("yielded", repr(step(*arguments)))
            choice = world.random.random()
            if choice < 0.7:
                step, arguments = generator.send, (int(choice * 10),)
            elif choice < 0.9:
                step, arguments = generator.throw, (Odd("thrown"),)
            else:
                generator.close()
                return "closed"
    except StopIteration as end:
        return ("stop", end.value)
