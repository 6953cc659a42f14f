"""Where nodes come from, as text and as what a file may hold."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Within:
    """A source in a part of the network of which it does not say that it is there.

    Attributes:
        source: The source.
        layer: The part.
    """

    source: object
    layer: str

    @property
    def label(self) -> str:
        """The short text."""
        return label_of(self.source)

    @property
    def frames(self) -> object:
        """The frames."""
        return getattr(self.source, "frames", ())

    @property
    def portable_frames(self) -> object:
        """Those that may go into a file."""
        return getattr(self.source, "portable_frames", self.frames)


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
