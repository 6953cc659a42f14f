"""What a structure is, in words: `float32[x_0, 3] or None`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from elichika.signature.structure import (
    Constant,
    DictOf,
    Frozen,
    ItemsOf,
    OneOf,
    RecordOf,
    RowsOf,
    Slot,
    Structure,
)

__all__ = ["in_words", "joined"]


def in_words(structure: Structure, of_slot: Callable[[int], str]) -> str:
    """Say what a structure is.

    Args:
        structure: It.
        of_slot: Says what the tensor of a slot is.
    """

    def inside(parts: Sequence[Structure]) -> list[str]:
        return [in_words(part, of_slot) for part in parts]

    match structure:
        case Slot(index):
            return of_slot(index)
        case Constant(value):
            return repr(value)
        case Frozen(text):
            return text
        case OneOf(_, alternatives):
            return joined(list(dict.fromkeys(inside(alternatives))))
        case RowsOf(kind, item):
            of_row = in_words(item, lambda index: of_slot(index).removeprefix("list of "))
            return f"{kind} of {of_row}"
        case DictOf(_, keys, items):
            named = zip(keys, inside(items), strict=True)
            return f"{{{', '.join(f'{key!r}: {item}' for key, item in named)}}}"
        case RecordOf(name, fields, items):
            named = zip(fields, inside(items), strict=True)
            return f"{name}({', '.join(f'{field}={item}' for field, item in named)})"
        case ItemsOf("list", items):
            return f"[{', '.join(inside(items))}]"
    found = inside(structure.parts)
    return f"({', '.join(found)}{',' if len(found) == 1 else ''})"


def joined(words: Sequence[str]) -> str:
    """Return words as `a, b or c`."""
    *most, last = words
    return f"{', '.join(most)} or {last}" if most else last
