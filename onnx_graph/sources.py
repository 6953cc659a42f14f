"""Where nodes come from, as text and as what a file may hold."""

from __future__ import annotations


def label_of(source: object) -> str:
    """Return the short text of a source: a str itself, or its ``label``."""
    return source if isinstance(source, str) else str(getattr(source, "label", source))


def layer_of(source: object) -> str:
    """Return the part of the network that a source is in, such as ``/lstm/upward``."""
    return str(getattr(source, "layer", ""))


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
