"""Joining what a location holds on two ways to one place.

A `Type` describes the values a location may hold: a skeleton of Python structure with tensor
leaves.  `TypeReader` finds the type of a value, `join` the least type of two, and every type can
list its `leaves`, `embed` a value into them, and `build` a value from them.  If, Loop and early
return all go through these four; a Loop iterates `join` until the types no longer change.

Identity follows design rule: two existing objects stay a choice of references, two fresh ones
become one new object (remembered by the pair), an existing and a fresh array become an array that
knows, by a tag, whether it is the existing one.
"""

from elichika.state.joins.arrays import ArrayType, ViewType
from elichika.state.joins.choices import ChoiceType
from elichika.state.joins.containers import (
    HeapType,
    ItemsType,
    KeysType,
    SeqType,
    TupleType,
)
from elichika.state.joins.joining import Joiner, sharing
from elichika.state.joins.leaves import Hole, Leaf, Memo, filled
from elichika.state.joins.plain import (
    AGAIN,
    ConflictType,
    ContentsType,
    ScalarType,
    Static,
    same_static,
)
from elichika.state.joins.reading import TypeReader
from elichika.state.joins.structures import MethodType, RangeType, SliceType
from elichika.state.joins.types import (
    Type,
    carried,
    carriers,
    nesting,
    renamed_sizes,
    with_sizes,
    within_themselves,
    without_sizes_of,
    without_undone,
    without_undone_objects,
)
from elichika.state.joins.variables import VarType

__all__ = [
    "AGAIN",
    "ArrayType",
    "ChoiceType",
    "ConflictType",
    "ContentsType",
    "HeapType",
    "Hole",
    "ItemsType",
    "Joiner",
    "KeysType",
    "Leaf",
    "Memo",
    "MethodType",
    "RangeType",
    "ScalarType",
    "SeqType",
    "SliceType",
    "Static",
    "TupleType",
    "Type",
    "TypeReader",
    "VarType",
    "ViewType",
    "carried",
    "carriers",
    "filled",
    "nesting",
    "renamed_sizes",
    "same_static",
    "sharing",
    "with_sizes",
    "within_themselves",
    "without_sizes_of",
    "without_undone",
    "without_undone_objects",
]
