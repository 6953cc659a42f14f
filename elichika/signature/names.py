"""Names of inputs and outputs, after where they are in a call or a result."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from elichika.errors import InputError

__all__ = ["Wanted", "chosen_names", "listed", "safe_name", "unique_name"]

#: Names that a user gives: in order, or by the names that there are otherwise.
Wanted = Sequence[str] | Mapping[str, str] | None


def safe_name(text: str) -> str:
    """Return text as a name of letters, digits and underscores."""
    return re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_") or "value"


def unique_name(name: str, taken: set[str]) -> str:
    """Return `name`, or `name_2`, `name_3`, … if it is taken."""
    if name not in taken:
        return name
    number = 2
    while f"{name}_{number}" in taken:
        number += 1
    return f"{name}_{number}"


def listed(names: Collection[str], what: str) -> str:
    """Say which inputs, outputs or arguments there are."""
    shown = ", ".join(f"`{name}`" for name in names)
    return f"the {what}s are {shown}" if shown else f"there is no {what}"


def chosen_names(
    what: str, names: list[str], wanted: Wanted, taken: Collection[str] = ()
) -> list[str]:
    """Return the names that the user gives to the inputs or outputs.

    Args:
        what: `input` or `output`.
        names: What they are called otherwise.
        wanted: What the user says.
        taken: Names that are in use, those of the inputs.

    Raises:
        InputError: These are no names for them.
    """
    if wanted is None:
        return names
    if isinstance(wanted, Mapping):
        for name in wanted:
            if name not in names:
                raise InputError(f"{what}_names has `{name}`, but {listed(names, what)}.")
        wanted = [wanted.get(name, name) for name in names]
    if isinstance(wanted, str):
        raise InputError(f"{what}_names must be a list, such as [{wanted!r}], not {wanted!r}.")
    given = list(wanted)
    if len(given) != len(names):
        raise InputError(
            f"{what}_names has {len(given)} name{'s' * (len(given) != 1)}, but "
            f"{listed(names, what)}."
        )
    used = set(taken)
    for name in given:
        if not isinstance(name, str) or not name:
            raise InputError(f"{what}_names must be non-empty strings.")
        if name in used:
            other = " or to an input as well" if what == "output" else ""
            raise InputError(f"{what}_names gives `{name}` twice{other}.")
        used.add(name)
    return given
