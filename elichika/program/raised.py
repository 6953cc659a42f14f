"""What ends a part of the walked program before its end."""

from __future__ import annotations

from typing import Any

from elichika.errors import SourceFrame, StagingError

__all__ = ["ConflictRead", "Raised", "StopConsuming"]


class Raised(Exception):
    """A Python exception that the walked program raises while it is staged."""

    def __init__(self, error: BaseException, frames: tuple[SourceFrame, ...]) -> None:
        super().__init__(repr(error))
        self.error = error
        self.frames = frames

    def refusal(self) -> StagingError:
        """Return what a user sees where no handler of the program catches it."""
        return StagingError(
            f"{type(self.error).__name__}: {str(self.error).strip()}",
            self.frames,
            "the program raises this for every input of this kind",
        )


class ConflictRead(StagingError):
    """A name was read that has no common type."""

    def __init__(self, message: str, frames: tuple[SourceFrame, ...], reason: str) -> None:
        super().__init__(message, frames)
        self.reason = reason


class StopConsuming(Exception):
    """The consumer of a generator wants no more items.

    Attributes:
        generator: The generator, once the stop has left its consumer.
    """

    def __init__(self, generator: Any = None) -> None:
        super().__init__()
        self.generator = generator
