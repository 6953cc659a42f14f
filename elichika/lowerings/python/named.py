"""Texts that ints of the run complete, as `"b%d" % n`: which one of some known names it is."""

from __future__ import annotations

import operator
import re
import string
from collections.abc import Iterable, Mapping
from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from elichika.values.symbolic import Scalar, Text
from onnx_graph.ranges import range_of

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext

#: The most texts that one of the run is told apart into.
MOST_TEXTS = 16
#: How a number may be written: a width, filled by zeros perhaps, and `d`.
SPEC = re.compile(r"(0?[1-9]\d?)?d?")
#: What `%` writes a number by.
DIRECTIVE = re.compile(r"%((?:0?[1-9]\d?)?[dis])|%%")


class Numeral(NamedTuple):
    """An int of the run within a text, and the specification by which `format` writes it."""

    number: Scalar
    spec: str = ""


def joined(values: Iterable[Any]) -> Text:
    """Return the texts and known ints side by side as one text."""
    parts: list[str | Numeral] = []
    for value in values:
        match value:
            case Text(parts=tuple() as own):
                parts += own
            case Numeral() | str():
                parts.append(value)
            case _:
                return Text()
    return Text(tuple(parts))


def written(value: Any, spec: Any = "") -> Any:
    """Return `format(value, spec)` as a part of a text, None where it is not followed."""
    match value:
        case Text(parts=tuple()) | str() if spec == "":
            return value
        case Scalar() if issubclass(value.type, (int, np.integer)) and value.type is not bool:
            return Numeral(value, spec) if type(spec) is str and SPEC.fullmatch(spec) else None
    known = type(value) is int and type(spec) is str and SPEC.fullmatch(spec)
    return format(value, spec) if known else None


def filled(template: str, values: tuple[Any, ...]) -> Text:
    """Return `template % values` of a known template."""
    given = iter(values)
    parts: list[Any] = []
    end = 0
    for found in DIRECTIVE.finditer(template):
        parts.append(_literal(template[end : found.start()]))
        end = found.end()
        if found[0] == "%%":
            parts.append("%")
            continue
        value, width, kind = next(given, None), found[1][:-1], found[1][-1]
        fits = not width if kind == "s" else type(value) not in (str, Text)
        parts.append(written(value, width) if fits else None)
    return joined([*parts, _literal(template[end:])])


def _literal(text: str) -> str | None:
    """Return what stands between directives, None where there is one that is not followed."""
    return None if "%" in text else text


def formatted(template: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Text:
    """Return `template.format(*args, **kwargs)` of a known template."""
    parts: list[Any] = []
    count = 0
    for text, name, spec, conversion in string.Formatter().parse(template):
        parts.append(text)
        if name is None:
            continue
        if conversion or (name and not name.isalnum()):
            return Text()
        place = name or str(count)
        count += not name
        value = args[int(place)] if place.isdecimal() else kwargs[place]
        parts.append(written(value, spec))
    return joined(parts)


def matches(w: LoweringContext, text: Text, names: Iterable[Any]) -> list[tuple[str, Any]]:
    """Return the names that a text may be, each with the bool of the run that tells so."""
    numerals = [part for part in _parts_of(w, text) if type(part) is Numeral]
    found = []
    for name in names:
        numbers = _numbers(w, text, name) if type(name) is str else None
        if numbers is not None:
            tests = [
                w.value_of(w.binary(operator.eq, one.number, number))
                for one, number in zip(numerals, numbers, strict=True)
            ]
            found.append((name, w.scalar(bool, reduce(w.graph.And, tests))))
    return found


def is_one(w: LoweringContext, text: Text, names: Iterable[Any]) -> Any:
    """Return whether a text is one of some names."""
    tests = [w.value_of(test) for _, test in matches(w, text, names)]
    return w.scalar(bool, reduce(w.graph.Or, tests)) if tests else False


def chosen(
    w: LoweringContext, text: Text, values: Mapping[str, Any], error: type[Exception]
) -> Any:
    """Return the value under the name that a text is; the model fails where there is none."""
    found = matches(w, text, values)
    message = f"{shown(text)} is none of {', '.join(map(repr, [name for name, _ in found]))}"
    if not found:
        w.raise_static(error(f"there is nothing of the name {shown(text)}"))
    g = w.graph
    w.check(is_one(w, text, values), error, message)
    index = g.constant(np.array(len(found) - 1))
    for place, (_, test) in reversed(list(enumerate(found[:-1]))):
        index = g.Where(w.value_of(test), g.constant(np.array(place)), index)
    return w.get_item(tuple(values[name] for name, _ in found), w.scalar(int, index, len(found)))


def told_apart(w: LoweringContext, text: Any) -> Any:
    """Return a text as one of the few known ones that it may be; itself where these are not few."""
    if type(text) is not Text or text.parts is None:
        return text
    index: Any = 0
    texts = [""]
    for part in text.parts:
        if type(part) is str:
            texts = [before + part for before in texts]
            continue
        numbers = range_of(part.number.onnx_value)
        if numbers is None or len(texts) * len(numbers) > MOST_TEXTS:
            return text
        place = w.binary(operator.sub, w.call(int, [part.number], {}), numbers.start)
        if numbers.step != 1:
            place = w.binary(operator.floordiv, place, numbers.step)
        index = w.binary(operator.add, w.binary(operator.mul, index, len(numbers)), place)
        texts = [before + format(n, part.spec) for before in texts for n in numbers]
    return w.get_item(tuple(texts), index)


def shown(text: Text) -> str:
    """Return a text for a message."""
    return repr("".join(part if type(part) is str else Text.SHOWN for part in text.parts or ()))


def _parts_of(w: LoweringContext, text: Text) -> tuple[Any, ...]:
    """Return the parts of a text, which a name can be read as in one way at most."""
    between = None
    for part in text.parts or (Text.SHOWN,):
        if type(part) is str:
            between = None if between is None else between + part
        else:
            if between is not None and not re.search(r"[^\d +-]", between):
                w.refuse(Text.MESSAGE)
            between = ""
    if text.parts is None:
        w.refuse(Text.MESSAGE)
    return text.parts


def _numbers(w: LoweringContext, text: Text, name: str) -> list[int] | None:
    """Return the numbers that make a text this name, None if there are none."""
    parts = _parts_of(w, text)
    pattern = "".join(re.escape(p) if type(p) is str else r"( *[+-]?\d+)" for p in parts)
    found = re.fullmatch(pattern, name)
    if found is None:
        return None
    numbers = [int(group) for group in found.groups()]
    numerals = [part for part in parts if type(part) is Numeral]
    again = [format(n, one.spec) for n, one in zip(numbers, numerals, strict=True)]
    return numbers if again == list(found.groups()) else None
