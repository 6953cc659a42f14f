"""What a dict or set holds whose keys are known only when the model runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from elichika.values.symbolic import SymbolicUse
from elichika.values.words import shown_as
from onnx_graph import Value

if TYPE_CHECKING:
    from elichika.state.joins.tables import TableType
    from elichika.values.symbolic import Array

__all__ = ["Box", "FrozenSet", "Table"]


class Box:
    """What a dict holds by a key of the run, where its values are of unlike sizes or kinds.

    The boxes live in an arena, so that what the dict holds is a column of handles.

    Attributes:
        held: The value.
    """


@shown_as("frozenset")
class FrozenSet(set[Any]):
    """What a name of a frozenset holds whose items only the run knows: they are in the store.

    For the program it is a frozenset: it never changes.
    """

    def __hash__(self) -> int:  # type: ignore[override]
        raise SymbolicUse(self)


@shown_as("dict")
@dataclass(frozen=True, eq=False)
class Table:
    """Keys and values side by side, in the order in which the keys came.

    Attributes:
        type: What the keys and values are.
        columns: A tensor for each leaf of a key, then for each leaf of a value, stacked along a
            new first axis.
        stored: Arrays whose copies were put in since the keys became those of the run.
    """

    type: TableType
    columns: tuple[Value, ...]
    stored: tuple[Array, ...] = ()
