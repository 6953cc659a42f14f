"""What values do when the program tests, indexes, iterates or searches them: a class for each kind.

A kind is looked up by the type of a value, and holds nothing: known values stay Python's own
objects. `Kind` has the verbs, as any object of Python answers them, through the methods of its
class; a kind says what is otherwise. Where a program derives a class from one of Python's types,
`Extended` asks the methods of that class first.
"""

from __future__ import annotations

import collections
import functools
import types
import weakref
from typing import Any

import chainer
import numpy as np

from elichika.iterators.base import Cursor, DictView, InstanceDict, SymbolicRange
from elichika.values.functions import BoundMethod, Closure, GeneratorCall, Remembered
from elichika.values.symbolic import (
    Array,
    Choice,
    Conflict,
    DynamicTuple,
    Marker,
    Scalar,
    Seq,
    Text,
    Var,
)
from elichika.values.tables import FrozenSet, Table
from elichika.values.tape import VariableNode
from elichika.walker.kinds.arrays import (
    KnownArrays,
    KnownVariables,
    SymbolicArrays,
    VariableNodes,
    Variables,
)
from elichika.walker.kinds.choices import Choices
from elichika.walker.kinds.deques import Deques
from elichika.walker.kinds.disguised import Disguised, is_disguised
from elichika.walker.kinds.exceptions import Exceptions
from elichika.walker.kinds.extended import Extended
from elichika.walker.kinds.functions import (
    BoundMethods,
    BoundOperators,
    BuiltinMethods,
    Classes,
    Closures,
    Functions,
    LruCaches,
    Methods,
    Partials,
    RememberedFunctions,
)
from elichika.walker.kinds.iterators import Iterators
from elichika.walker.kinds.kind import Dynamic, Kind, Whole
from elichika.walker.kinds.lists import DynamicTuples, Lists, Tuples
from elichika.walker.kinds.mappings import (
    Dicts,
    DictViews,
    FrozenSets,
    FrozenSetsOfTheRun,
    InstanceDicts,
    Sets,
)
from elichika.walker.kinds.numbers import KnownNumbers, Numbers
from elichika.walker.kinds.ranges import KnownRanges, Ranges, Slices
from elichika.walker.kinds.texts import KnownTexts, Texts
from elichika.walker.kinds.unset import Unset
from onnx_graph import Value

__all__ = ["Kind", "builtin_kind", "is_disguised", "kind_of"]

_OBJECTS = Kind()

#: The kind of each type; a type that is not here is that of its nearest base, or an object.
KINDS: dict[type, Kind] = {
    Array: SymbolicArrays(),
    BoundMethod: BoundMethods(),
    Choice: Choices(),
    Closure: Closures(),
    Conflict: Unset(),
    Cursor: Iterators(),
    DictView: DictViews(),
    DynamicTuple: DynamicTuples(),
    GeneratorCall: Iterators(),
    InstanceDict: InstanceDicts(),
    Marker: Unset(),
    Remembered: RememberedFunctions(),
    Scalar: Numbers(),
    Seq: Dynamic(),
    SymbolicRange: Ranges(),
    Table: Dynamic(),
    Text: Texts(),
    Value: Dynamic(),
    Var: Variables(),
    VariableNode: VariableNodes(),
    BaseException: Exceptions(),
    bytes: Whole(),
    chainer.Variable: KnownVariables(),
    collections.deque: Deques(),
    dict: Dicts(),
    float: KnownNumbers(),
    frozenset: FrozenSets(),
    functools._lru_cache_wrapper: LruCaches(),
    functools.partial: Partials(),
    int: KnownNumbers(),
    list: Lists(),
    np.generic: KnownNumbers(),
    np.ndarray: KnownArrays(),
    range: KnownRanges(),
    set: Sets(),
    FrozenSet: FrozenSetsOfTheRun(),
    slice: Slices(),
    str: KnownTexts(),
    tuple: Tuples(),
    type: Classes(),
    types.BuiltinMethodType: BuiltinMethods(),
    types.FunctionType: Functions(),
    types.MethodType: Methods(),
    types.MethodWrapperType: BoundOperators(),
}

#: The kinds of classes derived from types that a program may extend, by that type.
EXTENDED: dict[type, Extended] = {
    base: Extended(KINDS[base])
    for base in (list, tuple, dict, set, frozenset, str, bytes, int, float, np.ndarray)
}


#: The kinds of classes derived from others, as they were looked up.
_FOUND: weakref.WeakKeyDictionary[type, Kind] = weakref.WeakKeyDictionary()


def kind_of(value: Any) -> Kind:
    """Return the kind of a value: what it does when the program asks."""
    found = KINDS.get(type(value))
    if found is not None:
        return found
    cls = type(value)
    found = _FOUND.get(cls)
    if found is None:
        base = _base(cls)
        found = EXTENDED.get(base) or KINDS.get(base, _OBJECTS)
        _FOUND[cls] = found = Disguised() if is_disguised(cls) else found
    return found


def builtin_kind(value: Any) -> Kind:
    """Return the kind of a value, past the methods of a class that extends a built-in type."""
    return KINDS.get(_base(type(value)), _OBJECTS)


def _base(cls: type) -> type:
    """Return the nearest base that has a kind."""
    return next((base for base in cls.__mro__ if base in KINDS), object)
