"""All programs of the language table, by the row of `docs/language.md` that they show."""

from __future__ import annotations

from tests.language.cases import (
    arguments,
    builtin_functions,
    in_place,
    numbers,
    programs,
    refused,
    rows,
    standard_library,
    texts_and_containers,
)

_MODULES = (
    builtin_functions,
    numbers,
    texts_and_containers,
    standard_library,
    programs,
    arguments,
    rows,
    in_place,
)

#: The message that each refused program is refused with.
REFUSED: dict[str, str] = {**refused.REFUSED, **in_place.REFUSED}

#: `(row, program)` of all that is compiled.
COMPILED: list[tuple[str, str]] = [
    (row, code)
    for module in _MODULES
    for row, codes in module.CASES.items()
    for code in codes
    if code not in REFUSED
]

#: `(row, program)` of what is refused.
NOT_COMPILED: list[tuple[str, str]] = [
    (row, code)
    for module in _MODULES
    for row, codes in module.CASES.items()
    for code in codes
    if code in REFUSED
]
