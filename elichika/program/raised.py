"""What ends a part of the walked program before its end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from elichika.errors import SourceFrame, StagingError, meant
from elichika.program.effects import changes

if TYPE_CHECKING:
    from elichika.values.symbolic import Conflict

__all__ = [
    "RAISED",
    "ConflictRead",
    "Raised",
    "StopConsuming",
    "Unreached",
    "genuine",
    "said",
]

RAISED = "the program raises this for every input of this kind"
"""How the hint begins of what the program itself raises while it is walked."""


class Unreached(UnboundLocalError):
    """A value of the canonicalizer's is read before it is set: no run gets there.

    The first walk of a loop may read what later turns set, so that no handler is given this.
    """


class Raised(Exception):
    """A Python exception that the walked program raises while it is staged.

    Attributes:
        error: The exception.
        frames: Where it is raised.
        near: What may have been meant, or what there is instead, if that is known.
    """

    def __init__(
        self, error: BaseException, frames: tuple[SourceFrame, ...], near: str | None = None
    ) -> None:
        super().__init__(f"{_name_of(error)}: {said(error)}")
        self.error = error
        self.frames = frames
        self.near = near or _meant_by(error)

    def refusal(self) -> StagingError:
        """Return what a user sees where no handler of the program catches it."""
        return StagingError(
            f"{_name_of(self.error)}: {said(self.error).strip()}",
            self.frames,
            "; ".join(filter(None, (RAISED, self.near))),
        )


def _name_of(error: BaseException) -> str:
    kind = UnboundLocalError if type(error) is Unreached else type(error)
    return kind.__name__


def genuine(error: BaseException) -> BaseException:
    """Return an exception that says just what Python says; the program may read it."""
    try:
        raise error
    except BaseException as same:
        return same


def said(error: BaseException) -> str:
    """Return the text of an exception; past its class where that cannot tell, or changes things."""
    code = getattr(type(error).__str__, "__code__", None)
    if code is not None and changes(code):
        return BaseException.__str__(error)
    try:
        return str(error)
    except Exception:
        return BaseException.__str__(error)


def _meant_by(error: BaseException) -> str | None:
    """Return the attribute that may be meant by one that Python itself did not find."""
    match error:
        case AttributeError(name=str(name), obj=obj) if obj is not None:
            return meant(name, (known for known in dir(obj) if known[0] != "_"))
    return None


#: The way out where tuples or lists hold one another, as deep as the data say.
DEEPER = (
    "let each level be an object of a class or a dict, or hold the parts side by side in arrays or "
    "lists: `left[i]`, `right[i]`"
)


class ConflictRead(StagingError):
    """A name was read that has no common type.

    Attributes:
        conflict: What it holds instead.
        what: What was read, as messages call it.
    """

    def __init__(
        self, message: str, frames: tuple[SourceFrame, ...], conflict: Conflict, what: str = ""
    ) -> None:
        super().__init__(message, frames, DEEPER if "nests deeper" in conflict.reason else None)
        self.conflict = conflict
        self.what = what


class StopConsuming(Exception):
    """The consumer of a generator wants no more items.

    Attributes:
        generator: The generator, once the stop has left its consumer.
    """

    def __init__(self, generator: Any = None) -> None:
        super().__init__()
        self.generator = generator
