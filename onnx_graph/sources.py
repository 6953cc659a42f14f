"""Where nodes come from, and the names under which values and nodes remember things."""

from __future__ import annotations

HINT = "onnx_graph.hint"
SOURCE = "onnx_graph.source"
CHECK = "onnx_graph.check"
#: On a node that may fail where the program fails: it stays though nothing uses its result.
MAY_FAIL = "onnx_graph.may_fail"


def label_of(source: object) -> str:
    """Return the short text of a source: a str itself, or its ``label``."""
    return source if isinstance(source, str) else str(getattr(source, "label", source))


def frames_of(source: object) -> list[object]:
    """Return the frames of a source as lists and strings, outermost first."""
    return [_plain(frame) for frame in getattr(source, "frames", ())]


def portable_frames_of(source: object) -> list[object]:
    """Return the frames that may go into a file: `portable_frames` where a source has them."""
    return [_plain(frame) for frame in getattr(source, "portable_frames", frames_of(source))]


def _plain(item: object) -> object:
    if item is None or isinstance(item, (str, int, float, bool)):
        return item
    if isinstance(item, (list, tuple)):
        return [_plain(part) for part in item]
    return str(item)
