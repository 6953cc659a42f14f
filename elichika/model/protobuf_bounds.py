"""Bounds of a protobuf file before it is parsed: a few bytes of it may become a large object."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import onnx

__all__ = ["MOST_PARTS", "too_many_parts"]

MOST_PARTS = 2_000_000
"""Nodes, attributes, types, sizes and names in a model: some twenty for each node."""

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_WIDTHS = {_FIXED64: 8, _FIXED32: 4}


def too_many_parts(data: bytes) -> bool:
    """Tell whether a model in protobuf's encoding has more parts than `MOST_PARTS`.

    Parts are messages, strings, and sizes of tensors. What is no protobuf is left to its parser.
    """
    left = MOST_PARTS
    pending: list[tuple[int, int, Any]] = [(0, len(data), onnx.ModelProto.DESCRIPTOR)]
    try:
        while pending:
            offset, end, kind = pending.pop()
            parts = _parts(kind)
            while offset < end:
                key, offset = _varint(data, offset)
                wire = key & 7
                if wire == _VARINT:
                    _, offset = _varint(data, offset)
                    left -= 1
                elif wire in _WIDTHS:
                    offset += _WIDTHS[wire]
                elif wire == _BYTES:
                    length, offset = _varint(data, offset)
                    inner = parts.get(key >> 3, False)
                    if inner is not False:
                        left -= 1
                        if inner is not None:
                            pending.append((offset, min(offset + length, end), inner))
                    offset += length
                else:
                    return False
                if left < 0:
                    return True
    except IndexError:
        return False
    return False


@cache
def _parts(kind: Any) -> Mapping[int, Any]:
    """Return the fields that are messages, with their kinds, and those that are strings."""
    return {
        field.number: field.message_type
        for field in kind.fields
        if field.type in (field.TYPE_MESSAGE, field.TYPE_STRING)
        or (field.type == field.TYPE_BYTES and field.name in ("strings", "string_data"))
    }


def _varint(data: bytes, offset: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        byte = data[offset]
        offset += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80 or shift > 63:
            return number, offset
        shift += 7
