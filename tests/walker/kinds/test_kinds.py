"""Which kind a value is of, and that choices and derived classes answer every verb."""

from __future__ import annotations

import collections
import functools
import inspect
import types
from typing import Any

import chainer
import numpy as np
import pytest

from elichika.values.symbolic import UNDEF, UNSET, Choice, Conflict, DynamicTuple, Scalar, Text
from elichika.walker.kinds import KINDS, builtin_kind, kind_of
from elichika.walker.kinds.arrays import KnownArrays, KnownVariables
from elichika.walker.kinds.choices import Choices
from elichika.walker.kinds.extended import Extended
from elichika.walker.kinds.functions import BuiltinMethods, Classes, Functions, Methods, Partials
from elichika.walker.kinds.kind import Kind
from elichika.walker.kinds.lists import DynamicTuples, Lists, Tuples
from elichika.walker.kinds.mappings import Dicts
from elichika.walker.kinds.numbers import KnownNumbers, Numbers
from elichika.walker.kinds.texts import KnownTexts, Texts
from elichika.walker.kinds.unset import Unset

VERBS = {name for name, _ in inspect.getmembers(Kind, inspect.isfunction)}


class Rows(list):
    pass


class Plain:
    def method(self) -> None:
        pass


Pair = collections.namedtuple("Pair", "a b")
BY_KIND: list[tuple[Any, type[Kind]]] = [
    ([], Lists),
    (DynamicTuple(), DynamicTuples),
    ((), Tuples),
    ({}, Dicts),
    ("", KnownTexts),
    (Text(), Texts),
    (Scalar(int, None), Numbers),
    (np.zeros(2), KnownArrays),
    (chainer.Variable(np.zeros(2)), KnownVariables),
    (chainer.Parameter(np.zeros(2)), KnownVariables),
    (UNSET, Unset),
    (UNDEF, Unset),
    (Conflict("none"), Unset),
    (Plain, Classes),
    (Plain(), Kind),
    (Plain().method, Methods),
    (Plain.method, Functions),
    ([].append, BuiltinMethods),
    (len, BuiltinMethods),
    (functools.partial(len), Partials),
    (3, KnownNumbers),
    (None, Kind),
    (np.float32(2), KnownNumbers),
    (types, Kind),
]


@pytest.mark.parametrize(
    ("value", "kind"),
    BY_KIND,
    ids=[f"{type(value).__name__}-{kind.__name__}" for value, kind in BY_KIND],
)
def test_a_kind_is_that_of_the_nearest_type(value: Any, kind: type[Kind]) -> None:
    assert type(kind_of(value)) is kind


@pytest.mark.parametrize("value", [Rows(), Pair(1, 2), collections.OrderedDict()])
def test_classes_derived_from_pythons_types_ask_their_own_methods_first(value: Any) -> None:
    kind = kind_of(value)
    assert isinstance(kind, Extended)
    assert kind.base is builtin_kind(value) is KINDS[type(value).__mro__[1]]


def test_choices_answer_every_verb() -> None:
    """But `run`, which is a part of `call`, and `type_of`: a choice has none of its own."""
    assert VERBS - set(vars(Choices)) == {"run", "type_of"}
    assert isinstance(KINDS[Choice], Choices)


def test_derived_classes_hand_on_every_verb() -> None:
    """But calls: no type of Python's that programs extend is called."""
    assert VERBS - set(vars(Extended)) == {"run", "call"}
