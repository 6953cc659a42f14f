"""`f(*items)` where the number of items is known only when the model runs.

The arguments hold a `Spread` in the place of such items.  A function with a fixed number of
parameters gets them one by one: a check, or a branch for each number that it takes.  A `*args` of
the program is a tuple of dynamic length then.
"""

from __future__ import annotations

import functools
import inspect
import operator
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from elichika.program import native_code as natives
from elichika.registry import lowering_of
from elichika.values.functions import Closure
from elichika.values.symbolic import Choice, DynamicTuple, Spread
from elichika.walker.calls import SIGNED, Calls
from elichika.walker.containers.iterators import Iterators
from elichika.walker.containers.lists import Lists
from elichika.walker.walk import Walk

#: The most numbers of arguments between which a call branches.
MAX_NUMBERS = 8

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


@dataclass(frozen=True)
class Room:
    """How many more positional arguments a call takes.

    Attributes:
        least: Fewer are too few.
        most: So many have a parameter of their own.
        rest: What is beyond them goes into `*args`.
    """

    least: int
    most: int
    rest: bool


class StarredCalls:
    """The part of the walker that calls with a number of arguments that is known at run time."""

    def __init__(self, w: Walk, calls: Calls, iterators: Iterators, lists: Lists) -> None:
        self.w = w
        self.calls = calls
        self.iterators = iterators
        self.lists = lists

    def spread(self, value: Any) -> list[Any]:
        """Return the items of `*value`; those of an unknown number are one `Spread`."""
        value = self.w.settled(value)
        if self.iterators.is_known(value):
            return self.w.static_items(value)
        return [Spread(self.w.call(tuple, [value], {}))]

    def call_spread(self, function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """Call a function with arguments among which there are spreads."""
        for index, arg in enumerate(args):
            items = self.w.narrow(arg.items) if isinstance(arg, Spread) else None
            if isinstance(items, Choice):
                one = functools.partial(self._call_with_items, function, args, kwargs, index)
                return self.w.choices.apply(items, one)
            if isinstance(items, tuple):
                return self._call_with_items(function, args, kwargs, index, items)
        lowering = lowering_of(function)
        if getattr(lowering, "takes_spreads", False):
            return self.calls.lower(function, lowering, args, kwargs)
        if function == functools.partial and not isinstance(args[0], Spread):
            return functools.partial(args[0], *args[1:], **kwargs)
        if isinstance(function, type) and self._is_walked(function):
            return self.w.instantiate(function, args, kwargs)
        parameters = _parameters(function)
        if parameters is None:
            called = None if isinstance(function, type) else self.w.special(function, "__call__")
            if called is not None and self.w.has_source(called):
                return self.w.call(called, [function, *args], kwargs)
            self._refuse_number(function)
        first = next(i for i, arg in enumerate(args) if isinstance(arg, Spread))
        room = _room(parameters, first, kwargs)
        if not room.rest:
            return self._counted(function, args, kwargs, first, room)
        if lowering is not None or not self.w.has_source(function):
            self._refuse_number(function)
        return self._with_rest(function, args, kwargs, first, room)

    def _call_with_items(
        self, function: Any, args: list[Any], kwargs: dict[str, Any], index: int, items: Any
    ) -> Any:
        """Call a function with these items in the place of a spread."""
        given = [Spread(items)] if isinstance(items, DynamicTuple) else list(items)
        return self.w.call(function, [*args[:index], *given, *args[index + 1 :]], kwargs)

    def _is_walked(self, cls: type) -> bool:
        """Tell whether objects of a class are made by an `__init__` of the program."""
        new: Any = cls.__new__
        return (
            new is object.__new__
            and not issubclass(cls, BaseException)
            and not natives.is_native(cls)
            and not isinstance(type(cls).__call__, types.FunctionType)
            and isinstance(cls.__init__, (types.FunctionType, Closure))
        )

    def _refuse_number(self, function: Any) -> NoReturn:
        name = natives.name_of(function)
        self.w.refuse(
            f"the number of arguments of `{name}` must be known before the model runs",
            "join the items first, or go through them in a loop",
        )

    def _counted(
        self, function: Any, args: list[Any], kwargs: dict[str, Any], first: int, room: Room
    ) -> Any:
        """Call a function that takes one of a few numbers of arguments."""
        spread, after = self._one_spread(args[first:])
        least, most = max(room.least - len(after), 0), room.most - len(after)
        name = natives.name_of(function)
        if most < 0:
            self.w.raise_static(TypeError(f"{name}() takes fewer positional arguments"))
        if most - least > MAX_NUMBERS:
            self._refuse_number(function)
        self._require_number(spread, least, most, name)

        def given(count: int) -> Any:
            items = self._first(spread, count)
            return self.w.call(function, [*args[:first], *items, *after], kwargs)

        return self._by_number(spread, range(least, most + 1), given)

    def _require_number(self, spread: Any, least: int, most: int, name: str) -> None:
        """Make the model fail where a spread has too few items, or too many."""
        length = self.w.call(len, [spread], {})
        message = f"{name}() is called with another number of arguments than it takes"
        for test, bound in ((operator.ge, least), (operator.le, most)):
            if bound or test is operator.le:
                self.w.check(self.w.truth(self.w.binary(test, length, bound)), TypeError, message)

    def _by_number(self, spread: Any, counts: range, given: Callable[[int], Any]) -> Any:
        """Do one thing for each length of a spread; the last for all that remain."""
        count, *others = counts
        if not others:
            return given(count)
        same = self.w.truth(self.w.binary(operator.eq, self.w.call(len, [spread], {}), count))
        rest = range(count + 1, counts.stop)
        return self.w.branch(
            same, lambda: given(count), lambda: self._by_number(spread, rest, given)
        )

    def _with_rest(
        self, function: Any, args: list[Any], kwargs: dict[str, Any], first: int, room: Room
    ) -> Any:
        """Call a function of the program whose `*args` take what is left over."""
        before = args[: min(first, sum(p.kind in _POSITIONAL for p in _parameters(function) or ()))]
        rest = self.together(args[len(before) :])
        most, name = room.most, natives.name_of(function)
        if most - room.least > MAX_NUMBERS:
            self._refuse_number(function)
        if room.least:
            length = self.w.call(len, [rest], {})
            enough = self.w.truth(self.w.binary(operator.ge, length, room.least))
            self.w.check(enough, TypeError, f"{name}() is called with too few arguments")

        def given(count: int) -> Any:
            items = self._first(rest, count)
            if count < most:
                return self.w.call(function, [*before, *items], kwargs)
            others = Spread(self.w.get_item(rest, slice(most, None)) if most else rest)
            if isinstance(function, Closure):
                return self.w.call_closure(function, [*before, *items, others], kwargs)
            return self.w.call_function(function, [*before, *items, others], kwargs)

        return self._by_number(rest, range(room.least, most + 1), given)

    def _first(self, spread: Any, count: int) -> list[Any]:
        """Return the first items of a spread that has as many."""
        items = self.w.items_of(spread)
        numbers = [self.w.graph.constant(np.array(i, np.int64)) for i in range(count)]
        return [self.w.sequences.build(items, number) for number in numbers]

    def _one_spread(self, args: list[Any]) -> tuple[Any, list[Any]]:
        """Return the items that a spread begins, of unknown number, and the arguments after."""
        if any(isinstance(arg, Spread) for arg in args[1:]):
            return self.together(args), []
        return args[0].items, args[1:]

    def together(self, args: list[Any]) -> Any:
        """Return a tuple, of dynamic length, of arguments."""
        if len(args) == 1:
            return args[0].items
        made = self.w.new_list(())
        for arg in args:
            if isinstance(arg, Spread):
                self.lists.extend(made, arg.items)
            else:
                self.lists.append(made, arg)
        return self.w.call(tuple, [made], {})


def _parameters(function: Any) -> list[inspect.Parameter] | None:
    """Return the parameters of a callable, None where it does not tell."""
    if isinstance(function, Closure):
        return _of_closure(function)
    if isinstance(function, np.ufunc):
        return _unnamed(function.nin, function.nin)
    if function in (range, slice):
        return _unnamed(1, 3)
    if isinstance(function, type):
        made = _parameters(function.__new__) if hasattr(function, "_fields") else None
        return None if made is None else made[1:]
    if not isinstance(function, SIGNED):
        return None
    try:
        found = inspect.signature(function, follow_wrapped=False)
    except (TypeError, ValueError):
        return None
    return list(found.parameters.values())


def _unnamed(least: int, most: int) -> list[inspect.Parameter]:
    """Return positional parameters, of which the last have defaults."""
    kind, none = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.empty
    return [
        inspect.Parameter(f"_{i}", kind, default=none if i < least else None) for i in range(most)
    ]


def _of_closure(closure: Closure) -> list[inspect.Parameter]:
    spec, kinds = closure.program.tree.args, inspect.Parameter
    names = [a.id for a in [*spec.posonlyargs, *spec.args]]
    required = len(names) - len(closure.defaults)
    found = [
        kinds(
            name,
            kinds.POSITIONAL_ONLY if i < len(spec.posonlyargs) else kinds.POSITIONAL_OR_KEYWORD,
            default=kinds.empty if i < required else None,
        )
        for i, name in enumerate(names)
    ]
    if spec.vararg is not None:
        found.append(kinds(spec.vararg.id, kinds.VAR_POSITIONAL))
    return found


def _room(parameters: list[inspect.Parameter], given: int, kwargs: dict[str, Any]) -> Room:
    """Return how many positional arguments there is room for after those given."""
    own = [p for p in parameters if p.kind in _POSITIONAL][given:]
    named = [
        i
        for i, p in enumerate(own)
        if p.kind is not inspect.Parameter.POSITIONAL_ONLY and p.name in kwargs
    ]
    rest = any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in parameters) and not named
    most = named[0] if named else len(own)
    needed = [i for i, p in enumerate(own[:most], 1) if p.default is inspect.Parameter.empty]
    return Room(max(needed, default=0), most, rest)
