"""Types of Variables: handles on arrays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import chainer
import numpy as np

from elichika.state.joins.leaves import Hole, Leaf, Memo
from elichika.state.joins.types import SHOWN_DEPTH, Type
from elichika.values.kinds import OneOfSeveral
from elichika.values.symbolic import Var
from onnx_graph import Value

if TYPE_CHECKING:
    from elichika.state.context import StateContext
    from elichika.state.joins.joining import Joiner
    from elichika.values.tape import VariableNode


#: Classes of Variables that answer alike, but for what Parameters have beside that.
CHAINERS = {chainer.Variable, chainer.Parameter, OneOfSeveral}


@dataclass(frozen=True)
class VarType(Type):
    """A `chainer.Variable`."""

    splits = True

    kind: type
    array: Type
    #: What stands for it on the tape, where it is the same one wherever the type was read.
    node_of: VariableNode | None = None
    #: The Variable, where it is the one that the program made; another one may have its array.
    own: Var | None = None

    @property
    def parts(self) -> tuple[Type, ...]:
        return (self.array,)

    def with_parts(self, parts: tuple[Any, ...]) -> Type:
        return replace(self, array=parts[0])

    @property
    def named(self) -> tuple[Any, ...]:
        return () if self.node_of is None else (self.node_of,)

    @property
    def form(self) -> Any:
        return None

    def is_of(self, w: StateContext, value: Any) -> bool:
        return isinstance(value, Var) and self.array.is_of(w, value.array)

    def leaves(self, memo: Memo) -> list[Leaf]:
        return self.array.leaves(memo)

    def embed(self, w: StateContext, value: Any, memo: Memo) -> list[Value | Hole]:
        held = w.as_var(value)
        w.tape.control.meets(self, held)
        return self.array.embed(w, held.array, memo)

    def hollow(self, memo: Memo) -> list[Value | Hole]:
        return self.array.hollow(memo)

    def build(self, w: StateContext, leaves: Iterator[Value], memo: Memo) -> Any:
        array = self.array.build(w, leaves, memo)
        made = Var(array, self.kind, again=True, node=self.node_of)
        w.tape.control.meets(self, made)
        return made

    def stored(self, j: Joiner) -> Type:
        return VarType(self.kind, self.array.stored(j))

    def lifts(self, value: Any) -> bool:
        return not isinstance(value, np.ndarray)

    def join(self, j: Joiner, other: VarType) -> Type | None:
        kind = self.kind if self.kind is other.kind else OneOfSeveral
        if kind is OneOfSeveral and not {self.kind, other.kind} <= CHAINERS:
            return None
        array = j.compatible(self.array, other.array)
        node = self.node_of if self.node_of is other.node_of else None
        own = self.own if self.own is other.own else None
        return None if array is None else VarType(kind, array, node, own)

    def shown(self, depth: int = SHOWN_DEPTH) -> str:
        return f"a Variable of {self.array.shown()}"
