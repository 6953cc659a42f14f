"""Texts of values known only when the model runs: for messages, prints and logs."""

from __future__ import annotations

import builtins
import functools
import itertools
import math
import operator
import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import chainer

from elichika.lowerings.python import named
from elichika.numbers.promotion import ask, representative
from elichika.program.raised import genuine
from elichika.registry import lowers, takes_choices
from elichika.values.functions import BoundMethod, Closure
from elichika.values.kinds import alternatives_of, is_tensor
from elichika.values.symbolic import Choice, Conflict, Text, Var

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext
    from elichika.lowerings.python.context import ContainerContext

#: Methods of str that give a str whatever the str is.
METHODS = (
    *("capitalize", "casefold", "center", "expandtabs", "ljust", "lower", "lstrip"),
    *("removeprefix", "removesuffix", "replace", "rjust", "rstrip", "strip", "swapcase", "title"),
    *("upper", "zfill"),
)
#: What `%` takes by its name.
NAMED = re.compile(r"%%|%\(([^()]*)\)")

#: Types of known values of which names are made.
NAMING = frozenset({str, int, bool, float, type(None)})
#: How many values are tried before a text of them is made in branches.
MOST_TRIED = 256
NONE: Mapping[str, Any] = MappingProxyType({})


class _Unknown(Exception):
    """Nothing stands for a value where a text is made of it."""


def _shown(w: LoweringContext, value: Any) -> Any:
    """Return a known value of which Python makes a text, or not, as of the real one."""
    value = w.narrow(value)
    if isinstance(value, Text):
        return "a"
    if isinstance(value, (Choice, Conflict)):
        raise _Unknown
    if is_tensor(value):
        return representative(w, value)
    if isinstance(value, Var):
        return chainer.Variable(representative(w, value))
    if not w.is_symbolic(value):
        return value
    if isinstance(value, tuple):
        return tuple(_shown(w, item) for item in value)
    if type(value) in (list, dict, set):
        return type(value)()
    if type(value) in (BoundMethod, Closure):
        return len  # any function does
    raise _Unknown


def _of_each(w: ContainerContext, function: Any, args: list[Any]) -> Any:
    """Return the text that a function makes of known values, of which some are one of several.

    NotImplemented where one of them is known only when the model runs, or none is one of several.
    """
    values = list(map(w.narrow, args))
    options = [_alternatives(w, value) for value in values]
    known = {type(one) for each in options for one in each} <= NAMING
    place = next((i for i, each in enumerate(options) if len(each) > 1), None)
    if not known or place is None or w.prints.enabled:
        return NotImplemented

    def of_one(one: Any) -> Any:
        given = [*values[:place], one, *values[place + 1 :]]
        made = _of_each(w, function, given)
        return ask(w, function, *given) if made is NotImplemented else made

    return w.choices.apply(values[place], of_one)


def _by_position(function: Any, count: int, names: Iterable[str]) -> Any:
    """Return a function that takes what `function` takes by names behind the first arguments."""
    taken = list(names)
    return lambda *all_: function(*all_[:count], **dict(zip(taken, all_[count:], strict=True)))


def _number(w: ContainerContext, value: Any) -> Any:
    """Return a value that a text is made of: one of several ints is an int."""
    value = w.narrow(value)
    number = w.choices.numbers(value) if type(value) is Choice else None
    return value if number is None else number


@lowers(builtins.str)
@takes_choices
def str_(w: ContainerContext, /, value: Any, *args: Any, **kwargs: Any) -> Text:
    """The text of an int may name something."""
    if issubclass(type(value), BaseException) and not args and not kwargs:
        return of_exception(w, value)
    made = text(w, value, *args, **kwargs)
    if args or kwargs:
        return made
    each = _of_each(w, str, [value])
    if each is not NotImplemented:
        return each
    known = named.joined([named.written(_number(w, value))])
    return Text(known.parts, w.prints.made("str", value))


def of_exception(w: ContainerContext, error: BaseException) -> Any:
    """Return the text of an exception, by its class or of its arguments."""
    method = w.special(error, "__str__")
    if w.has_source(method):
        return w.call(method, [error], {})
    held = w.given(error, "args")
    if type(held) is not tuple:
        return Text()
    if not held:
        return ""
    if len(held) > 1:
        return w.call(str, [held], {})
    return w.call(repr if issubclass(type(error), KeyError) else str, [held[0]], {})


@lowers(builtins.repr)
@takes_choices
def repr_(w: ContainerContext, /, value: Any) -> Text:
    """A text that depends on what is known only when the model runs."""
    each = _of_each(w, repr, [value])
    return Text(None, w.prints.made("repr", value)) if each is NotImplemented else each


@lowers(builtins.ascii)
@takes_choices
def text(w: LoweringContext, /, value: Any, *args: Any, **kwargs: Any) -> Text:
    """A text that depends on what is known only when the model runs."""
    if args and not isinstance(value, (str, Text)):
        w.raise_static(TypeError("decoding to str: need a bytes-like object"))
    return Text()


def _method(function: Any) -> None:
    @lowers(function)
    @takes_choices
    def lowering(w: ContainerContext, /, *args: Any, **kwargs: Any) -> Text:
        return _made(w, function, list(args), kwargs)


for _name in METHODS:
    _method(getattr(str, _name))


@lowers(builtins.format)
@takes_choices
def format_(w: ContainerContext, /, value: Any, spec: Any = "") -> Text:
    """A text; an illegal specification raises as in Python."""
    if issubclass(type(value), BaseException) and spec == "":
        return w.call(str, [value], {})
    each = _of_each(w, format, [value, spec])
    if each is not NotImplemented:
        return each
    value = w.narrow(value)
    kinds = {w.type_of(one) for one in alternatives_of(value)} if spec and type(spec) is str else ()
    without = [kind for kind in kinds if kind.__format__.__qualname__ == "object.__format__"]
    if without and type(value) is Choice:
        return w.choices.apply(value, lambda one: format_(w, one, spec))
    if without:
        message = f"unsupported format string passed to {without[0].__name__}.__format__"
        w.raise_static(genuine(TypeError(message)))
    _made(w, format, [value, spec])
    known = named.joined([named.written(_number(w, value), w.narrow(spec))])
    return Text(known.parts, w.prints.made("format", value, spec))


@lowers(str.format)
@takes_choices
def str_format(w: ContainerContext, /, template: Any, *args: Any, **kwargs: Any) -> Text:
    """A text; an illegal specification raises as in Python."""
    if isinstance(template, Text):
        return Text()
    by_position = _by_position(str.format, 1 + len(args), kwargs)
    each = _of_each(w, by_position, [template, *args, *kwargs.values()])
    if each is not NotImplemented:
        return each
    _made(w, str.format, [template, *args], kwargs)
    given = {name: _number(w, one) for name, one in kwargs.items()}
    made = named.formatted(template, tuple(_number(w, one) for one in args), given)
    return Text(made.parts, None if kwargs else w.prints.made("str.format", template, *args))


def modulo(w: ContainerContext, template: Any, values: Any) -> Text:
    """Return `template % values`; what does not fit raises as in Python."""
    if isinstance(template, Text):
        return Text()
    values = w.narrow(values)
    if type(values) is dict and type(w.items_of(values)) is dict:
        template, values = _by_place(w, template, values)
    given = tuple(_number(w, one) for one in (values if type(values) is tuple else (values,)))
    by_tuple = lambda text, *all_: text % all_  # noqa: E731
    fill = by_tuple if type(values) is tuple else operator.mod
    each = _of_each(w, fill, [template, *(values if type(values) is tuple else (values,))])
    if each is not NotImplemented:
        return each
    _made(w, fill, [template, *given])
    return Text(named.filled(template, given).parts, w.prints.made("%", template, *given))


def _by_place(w: ContainerContext, template: str, values: Any) -> tuple[str, Any]:
    """Return a template and its values, those that it takes by name as a tuple; or as they are.

    Raises:
        Raised: A name is no key.
    """
    names = [found[1] for found in NAMED.finditer(template) if found[1] is not None]
    if not names or len(names) < template.replace("%%", "").count("%"):
        return template, values
    held = w.sure_items(values)
    for name in names:
        if name not in held:
            w.raise_static(KeyError(name))
    by_place = NAMED.sub(lambda found: "%%" if found[1] is None else "%", template)
    return by_place, tuple(held[name] for name in names)


def _made(
    w: ContainerContext, function: Any, args: list[Any], kwargs: Mapping[str, Any] = NONE
) -> Text:
    """Return a text that a function makes; try it on what stands for the values, if known.

    What only one of several values makes it raise is raised where that is the one.
    """
    if kwargs:
        return _made(w, _by_position(function, len(args), kwargs), [*args, *kwargs.values()])
    values = list(map(w.narrow, args))
    place = next((i for i, value in enumerate(values) if type(value) is Choice), None)
    if place is not None:
        if not _fits(w, function, values):
            before, after = args[:place], args[place + 1 :]
            w.choices.apply(values[place], lambda one: _made(w, function, [*before, one, *after]))
        return Text()
    try:
        shown = [_shown(w, one) for one in args]
    except _Unknown:
        return Text()
    ask(w, function, *shown)
    return Text()


def _fits(w: ContainerContext, function: Any, args: list[Any]) -> bool:
    """Tell whether a text can be made of all that the values may be."""
    try:
        options = [[_shown(w, one) for one in _alternatives(w, value)] for value in args]
    except _Unknown:
        return False
    if math.prod(map(len, options)) > MOST_TRIED:
        return False
    try:
        for given in itertools.product(*options):
            function(*given)
    except Exception:
        return False
    return True


def _alternatives(w: ContainerContext, value: Any) -> list[Any]:
    value = w.narrow(value)
    if type(value) is not Choice:
        return [value]
    return [value.alternatives[index] for index in w.choices.left(value)]


@lowers(str.join)
def join(w: ContainerContext, separator: Any, items: Any) -> Text:
    """Join texts of which one depends on what is known only when the model runs."""
    if not w.is_dynamic(items):
        for index, item in enumerate(map(w.narrow, w.static_items(items))):
            kind = w.type_of(item)
            if not isinstance(item, (Conflict, Choice, Text)) and not issubclass(kind, str):
                message = f"sequence item {index}: expected str instance, {kind.__name__} found"
                w.raise_static(TypeError(message))
        parts = [part for item in w.static_items(items) for part in (separator, w.narrow(item))]
        if Choice in map(type, parts) and not w.prints.enabled:
            return functools.reduce(functools.partial(w.binary, operator.add), parts[1:])
        return Text(named.joined(parts[1:]).parts)
    return Text()


def added(w: ContainerContext, left: Any, right: Any) -> Text:
    """Return `left + right`, of which one is a text."""
    for one in (left, right):
        if not isinstance(one, (str, Text, Conflict)):
            kind = w.type_of(one).__name__
            w.raise_static(TypeError(f'can only concatenate str (not "{kind}") to str'))
    return Text(named.joined([left, right]).parts, w.prints.made("join", left, right))
