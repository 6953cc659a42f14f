"""What makes two faults one: the kind of an error, without the names and numbers of a program."""

from __future__ import annotations

import re
import traceback
from dataclasses import dataclass
from pathlib import Path

from elichika.errors import ElichikaError, InputError
from elichika.program.raised import RAISED

__all__ = ["Fault", "fault_of"]

OURS = str(Path(__file__).parents[1])
WHERE = re.compile(r"\A(.*? other weights\? )?On [^`]*(`.*? differs: )?")
"""The input and the output of a difference."""
PUBLIC = re.compile(r"`[a-z_]+(\.[A-Za-z_]\w*)+`")
"""A dotted name, such as `numpy.packbits`: what was refused, not what the program calls things."""
QUOTED = re.compile(r"`[^`]*`|'[^']*'|\"[^\"]*\"")
NUMBER = re.compile(r"[-+]?(\d[\d.]*(e[-+]?\d+)?|\bnan\b|\binf\b)")
LIST = re.compile(r"\[[#, ]*\]")


@dataclass(frozen=True)
class Fault:
    """How a program goes wrong.

    Attributes:
        kind: What it has in common with the same fault in other programs.
        text: The whole error.
    """

    kind: str
    text: str


def fault_of(error: BaseException) -> Fault | None:
    """Return the fault that an error is of; None where the program or its inputs are wrong."""
    text = f"{type(error).__name__}: {error}"
    match error:
        case InputError():
            return None
        case ElichikaError(hint=str(hint)) if hint.startswith(RAISED):
            return None
        case ElichikaError(message=message):
            refused_too = " (Chainer too)" if error.also else ""
            return Fault(f"{type(error).__name__}: {_general(message)}{refused_too}", text)
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame.name for frame in frames if frame.filename.startswith(OURS)]
    return Fault(f"{type(error).__name__} in {ours[-1] if ours else '?'}", text)


def _general(message: str) -> str:
    """Return a message without what is of one program alone."""
    kept: list[str] = []

    def keep(found: re.Match[str]) -> str:
        kept.append(found.group())
        return "\0"

    message = PUBLIC.sub(keep, WHERE.sub("", message))
    message = LIST.sub("[#]", NUMBER.sub("#", QUOTED.sub("…", message)))
    return re.sub("\0", lambda _: kept.pop(0), message)
