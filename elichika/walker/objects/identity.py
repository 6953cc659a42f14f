"""Whether two values are one object: it is proven, asked at run time, or refused.

What the store holds by identity (lists, dicts, objects of the program) is one object of the walk
for each object of the program.  Arrays may be one of several, told apart by tags.  What a join
makes anew, tuples and other immutable values, has no identity that could be followed.
"""

from __future__ import annotations

import functools
import itertools
import operator
from typing import Any, NoReturn

import numpy as np

from elichika.errors import StagingError
from elichika.iterators.base import DictView, InstanceDict, SymbolicRange
from elichika.state.aliases import Truth, both, either, may_be_one, named_by
from elichika.values.functions import BoundMethod, Closure
from elichika.values.symbolic import (
    UNDEF,
    UNSET,
    Array,
    Choice,
    Conflict,
    DynamicTuple,
    Scalar,
    Text,
    Var,
)
from elichika.values.tables import FrozenSet
from elichika.walker.sharing import Sharing
from elichika.walker.walk import Walk

#: Of these there is one object for each value.
SINGLETONS = (bool, np.bool_)
#: What a join, or an operation, may make anew although the program keeps one object.
REMADE = (
    *(int, float, complex, str, bytes, tuple, frozenset, slice, range, np.generic, np.dtype),
    *(Scalar, Text, DynamicTuple, FrozenSet, BoundMethod, Closure, SymbolicRange),
    *(DictView, InstanceDict),
)


class Identity:
    """The part of the walker that knows what is one object."""

    def __init__(self, w: Walk, sharing: Sharing) -> None:
        self.w = w
        self.sharing = sharing

    def identical(self, left: Any, right: Any) -> Any:
        """Return `left is right`.

        Raises:
            StagingError: It cannot be told.
        """
        left, right = self.w.narrow(left), self.w.narrow(right)
        for value in (left, right):
            if value is UNSET or value is UNDEF or isinstance(value, Conflict):
                self.w.undefined(value, "this value", UnboundLocalError)
        for value, other in ((left, right), (right, left)):
            if isinstance(value, Choice):
                return self.tag_test(value, lambda a, o=other: self.identical(a, o))
        if self._is_variable(left) and self._is_variable(right):
            return left is right or self._identical_variables(left, right)
        kinds = self.w.type_of(left), self.w.type_of(right)
        if kinds[0] is not kinds[1]:
            return False
        if kinds[0] in SINGLETONS and any(isinstance(side, Scalar) for side in (left, right)):
            return self.w.truth(self.w.binary(operator.eq, left, right))
        if any(isinstance(side, Array) or self._stands_in(side) for side in (left, right)):
            return self._identical_arrays(self.w.as_array(left), self.w.as_array(right))
        if left is not right and self._may_be_passed(left) and self._may_be_passed(right):
            self.w.store.passed.tell(left)
        if self.w.arenas.holds(left) and self.w.arenas.holds(right):
            return self._same_handle(left, right)
        if issubclass(kinds[0], BaseException):
            self._require_told_apart(left, right)
        if left is not right and self.w.store.is_sealed(left) and self.w.store.is_sealed(right):
            self._refuse_copies(left, right)
        if any(isinstance(side, REMADE) for side in (left, right)):
            return self._identical_values(left, right)
        return left is right

    def _stands_in(self, value: Any) -> bool:
        """Tell whether native code keeps a known array as this one."""
        return type(value) is np.ndarray and self.w.store.is_sealed(value)

    def _may_be_passed(self, value: Any) -> bool:
        """Tell whether a value may be a list or dict that a call passes."""
        home = self.w.arenas.handle(value)
        store = self.w.store
        return store.passed.holds(home[0] if home else value) or store.is_sealed(value)

    def _require_told_apart(self, left: BaseException, right: BaseException) -> None:
        """Refuse exceptions that may be one although they are not here, or the other way round."""
        store = self.w.store
        known = left is right and not store.was_born(left)
        if known or any(map(store.is_sealed, (left, right))):
            self.w.refuse(
                f"whether these are one {type(left).__name__} is not known: each turn of a loop "
                "may have raised another one",
                "compare what they hold",
            )

    def _identical_values(self, left: Any, right: Any) -> bool:
        """Tell whether values that nothing can change are one object."""
        if any(isinstance(side, Scalar) for side in (left, right)):
            self.w.refuse("`is` between numbers has no meaning that can be compiled", "use `==`")
        if left is right:
            return True
        if _differ(left, right):
            return False
        name = self.w.class_of(left).__name__
        self.w.refuse(
            f"whether these are one {name} object is not known: equal ones may be made anew",
            "use `==`",
        )

    def _identical_arrays(self, left: Array, right: Array) -> Any:
        """Tell whether two arrays are one, going by all that each of them may be."""
        if left is right:
            return True
        result: Truth = False
        ours, theirs = (
            [one for one in named_by(self.w, array) if one.alone is not False]
            for array in (left, right)
        )
        for mine, other in itertools.product(ours, theirs):
            if mine.array is other.array:
                result = either(self.w, result, both(self.w, mine.alone, other.alone))
            else:
                self._require_two(mine.array, other.array)
                mine.array.told_apart = other.array.told_apart = True
        return result if isinstance(result, bool) else self.w.truth(self.w.scalar(bool, result))

    def _require_two(self, left: Array, right: Array) -> None:
        """Refuse arrays that may be one in a way that is not followed."""
        if self.sharing.in_list(left) and self.sharing.in_list(right):
            self._refuse_copies(left, right)
        if may_be_one(left, right):
            self.w.refuse(
                "whether these two arrays are one object is not known", "keep a flag that says so"
            )

    def _is_variable(self, value: Any) -> bool:
        return isinstance(value, Var) or self.w.is_static_variable(value)

    def _identical_variables(self, left: Any, right: Any) -> Any:
        """Tell whether two Variables are one: they have one array, and that one Variable."""
        if not isinstance(left, Var) and not isinstance(right, Var):
            return False
        left, right = self.w.as_var(left), self.w.as_var(right)
        if not left.again and not right.again:
            return False
        same = self.identical(left.array, right.array)
        if same is False:
            return False
        shared = {id(n.array) for n in named_by(self.w, left.array)}
        both_have = [n.array for n in named_by(self.w, right.array) if id(n.array) in shared]
        if any(array.variables > 1 for array in both_have):
            self.w.refuse(
                "whether these two are one Variable is not known: both were made of one array",
                "compare their arrays: `a.array is b.array`",
            )
        return same

    def _refuse_copies(self, *values: Any) -> NoReturn:
        refusal = StagingError(
            "whether these two are one object is not known: a list of dynamic length holds copies",
            self.w.here(),
        )
        self.w.arenas.changed(refusal, *values)
        raise refusal

    def _same_handle(self, left: Any, right: Any) -> Any:
        """Return `left is right` of two objects that live in arenas."""
        (arena, mine), (other, theirs) = map(self.w.arenas.require, (left, right))
        if arena is not other or mine is theirs:
            return arena is other
        return self.w.scalar(bool, self.w.graph.Equal(mine, theirs))

    def tag_test(self, choice: Choice, test: Any) -> Any:
        """Return a test of each alternative that is left as one bool."""
        answers = {index: test(choice.alternatives[index]) for index in self.w.choices.left(choice)}
        yes = [index for index, answer in answers.items() if answer is True]
        no = [index for index, answer in answers.items() if answer is False]
        if len(answers) in (len(yes), len(no)):
            return not no
        if len(yes) + len(no) == len(answers):
            g = self.w.graph
            fewer = min(yes, no, key=len)
            result = functools.reduce(g.Or, [self.w.choices.tag_is(choice, n) for n in fewer])
            return self.w.scalar(bool, result if fewer is yes else g.Not(result))
        return self.w.choices.apply(choice, test)


def _differ(left: Any, right: Any) -> bool:
    """Tell whether two immutable values of one type surely are two: they are not even equal."""
    if isinstance(left, Closure):
        return left.program is not right.program
    if isinstance(left, BoundMethod):
        return left.function is not getattr(right, "function", getattr(right, "__func__", None))
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) != len(right)
    if isinstance(left, (str, bytes, int, float, np.generic, np.dtype, range)):
        return repr(left) != repr(right)
    return False
