"""All programs of the language table, by the row of `docs/language.md` that they show."""

from __future__ import annotations

from tests.language.cases import (
    arguments,
    builtin_functions,
    containers,
    containers_of_the_library,
    exceptions,
    extended_types,
    functions,
    generators,
    in_place,
    itertools_and_functools,
    networks,
    numbers,
    objects,
    operators,
    refused,
    rows,
    standard_library,
    statements,
    texts,
)
from tests.sources import dedented

_MODULES = (
    builtin_functions,
    numbers,
    texts,
    containers,
    itertools_and_functools,
    operators,
    containers_of_the_library,
    standard_library,
    functions,
    statements,
    objects,
    extended_types,
    generators,
    exceptions,
    networks,
    arguments,
    rows,
    in_place,
)


#: The message that each refused program is refused with.
REFUSED: dict[str, str] = {
    dedented(code): message for code, message in {**refused.REFUSED, **in_place.REFUSED}.items()
}
_CASES = [
    (row, dedented(code))
    for module in _MODULES
    for row, codes in module.CASES.items()
    for code in codes
]

#: `(row, program)` of all that is compiled.
COMPILED: list[tuple[str, str]] = [(row, code) for row, code in _CASES if code not in REFUSED]

#: `(row, program)` of what is refused.
NOT_COMPILED: list[tuple[str, str]] = [(row, code) for row, code in _CASES if code in REFUSED]
