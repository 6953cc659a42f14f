"""Types of values without parts: what is known while compiling, numbers, texts and tensors."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import chainer
import numpy as np
from chainer.backend import CpuDevice

from elichika.iterators.base import Cursor
from elichika.state.joins.leaves import Hole, Leaf, Memo, Site
from elichika.state.joins.types import SHOWN_DEPTH, Dims, State, Type
from elichika.values.functions import Closure, GeneratorCall
from elichika.values.kinds import magnitude, type_of_number
from elichika.values.symbolic import (
    PYTHON_DTYPES,
    UNDEF,
    UNSET,
    WIDE_BOUND,
    Conflict,
    Scalar,
    Text,
)
from elichika.values.words import a_or_an, a_value
from onnx_graph import Value

if TYPE_CHECKING:
    from elichika.state.context import StateContext
    from elichika.state.joins.joining import Joiner


def same_static(a: Any, b: Any) -> bool:
    """Tell whether two static values are one for the program: identity, or equal immutables."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, (float, complex, np.floating)):
        return repr(a) == repr(b)
    if isinstance(a, (int, str, bytes, bool, np.dtype, slice, range, np.generic, CpuDevice)):
        return bool(a == b)
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(same_static, a, b))
    if isinstance(a, Closure):
        return (
            a.program is b.program
            and a.frame is b.frame
            and a.name == b.name
            and same_static(a.defaults, b.defaults)
            and not a.kw_defaults
            and not b.kw_defaults
        )
    return False


def one_of(a: Any, b: Any) -> Any:
    """Return what stands for either of two static values that are one for the program.

    Equal values need not be one object: then it is an object of its own, so that nobody can tell.
    """
    if a is b:
        return a
    if isinstance(a, tuple):
        return tuple.__new__(type(a), list(map(one_of, a, b)))
    again = AGAIN.get(type(a))
    if again is None and isinstance(a, np.generic):
        return a.copy()
    return a if again is None else again(a)


#: What an element of a list may be without a tensor.
KNOWN = (type(None), str, bytes, bool, int, float)
#: How to make another object of a value that cannot change; of other types there is one each.
AGAIN: dict[type, Callable[[Any], Any]] = {
    int: lambda value: value + 0,
    float: lambda value: float.fromhex(value.hex()),
    complex: lambda value: complex(value.real, value.imag),
    str: lambda value: value.encode("utf-8", "surrogatepass").decode("utf-8", "surrogatepass"),
    bytes: lambda value: bytes(bytearray(value)),
    slice: lambda value: slice(value.start, value.stop, value.step),
    range: lambda value: range(value.start, value.stop, value.step),
    Closure: replace,
    CpuDevice: lambda value: CpuDevice(),
}


@dataclass(frozen=True, eq=False)
class Static(Type):
    """One value that is known while compiling.

    Attributes:
        ends: Give the states that it was read in, where those are arms of a branch: it may hold
            something else in each of them.
    """

    value: Any
    ends: tuple[State, ...] = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Static) and self.is_value(other.value)

    def is_value(self, value: Any) -> bool:
        return same_static(self.value, value)

    def build(self, w: StateContext, leaves: Iterator[Value], memo: Memo) -> Any:
        return self.value

    @property
    def named(self) -> tuple[Any, ...]:
        return (self.value.frame if isinstance(self.value, Closure) else self.value,)

    @property
    def is_known(self) -> bool:
        return self.value is UNDEF or isinstance(self.value, KNOWN)  # UNDEF: in the first trials

    @property
    def is_plain(self) -> bool:
        return isinstance(self.value, (type(None), bool, int, float, str))

    @property
    def is_object(self) -> bool:
        return not isinstance(self.value, (str, bytes, tuple, list, dict, set, np.ndarray))

    def stored(self, j: Joiner) -> Type:
        if j.w.arenas.holds(self.value):
            return j.read(self.value)
        store, now = _stored.dispatch(type(self.value)), Static(self.value)
        found = []
        for end in self.ends or (nullcontext,):
            with end():
                found.append(store(self.value, now, j))
        return functools.reduce(lambda one, other: j.join(one, other).stored(j), found)

    def settles(self, other: Type) -> Type | None:
        return other.or_nothing() if self.value is UNDEF else None

    def lifted(self, j: Joiner, other: Type) -> Type:
        w, value = j.w, self.value
        if w.arenas.holds(value):
            return j.read(value)
        if isinstance(value, np.ndarray):
            return j.read(w.as_array(value)) if other.lifts(value) and is_tensor(value) else self
        lifts = w.is_static_variable(value) and other.lifts(value)
        return _handle_on(value, self, j) if lifts else self

    def lifts(self, value: Any) -> bool:
        if isinstance(value, np.ndarray):
            return isinstance(self.value, np.ndarray) and self.value is not value
        return self.value is not value

    def join(self, j: Joiner, other: Static) -> Type | None:
        if self == other:
            return Static(one_of(self.value, other.value), (*self.ends, *other.ends))
        cls = type(self.value)
        if cls is not type(other.value):
            return None
        number = issubclass(cls, np.generic) and is_tensor(self.value)
        widens = cls is bool or (j.widen and (number or cls in (int, float)))
        if not widens:
            return None
        own = ScalarType.of(self.value)
        return own if own.wide else ScalarType.of(other.value)

    def absorb(self, j: Joiner, other: Type) -> Type | None:
        return other if other.takes(self.value) else None

    def shown(self, depth: int = SHOWN_DEPTH) -> str:
        value = self.value
        if value is UNSET:
            return "not set"
        if value is None or isinstance(value, (bool, int, float, str, bytes)):
            return repr(value)
        try:  # an object may have a `__getattr__` of the program, which is not to run
            return f"`{object.__getattribute__(value, '__name__')}`"
        except AttributeError:
            return a_value(value)


def _contents_stored(value: Any, type_: Static, j: Joiner) -> Type:
    with j.inside(value) as new:
        if not new:
            return ConflictType("it holds itself", j.w.store.sites_of(value))
        j.w.sealed(value)
        return j.read_contents(value).stored(j)


def _error_stored(value: BaseException, type_: Static, j: Joiner) -> Type:
    with j.inside(value) as new:
        if not new:
            return ConflictType("it holds itself")
        j.w.sealed(value)
        return j.read_error(value).stored(j)


def _object_stored(value: Any, type_: Static, j: Joiner) -> Type:
    return _contents_stored(value, type_, j) if j.w.made_inside(value) else type_


def _number_stored(value: Any, type_: Static, j: Joiner) -> Type:  # members of Enums stay
    return ScalarType.of(value) if type(value) in (bool, int, float) else type_


def _numpy_stored(value: np.generic, type_: Static, j: Joiner) -> Type:
    return ScalarType.of(value) if is_tensor(value) else _object_stored(value, type_, j)


def _array_stored(value: Any, type_: Static, j: Joiner) -> Type:
    return j.read(j.w.as_array(value)).stored(j)


def _variable_stored(value: Any, type_: Static, j: Joiner) -> Type:
    if not j.w.is_static_variable(value):
        return _object_stored(value, type_, j)
    return _handle_on(value, type_, j).stored(j)


def _handle_on(value: chainer.Variable, type_: Static, j: Joiner) -> Type:
    """Return the type of what stands for a known Variable, with the array that it has now."""
    if not j.w.store.handled(value, "array", type_.ends):
        return ConflictType("a Variable that was given another array")
    return j.read(j.w.as_var(value))


def _set_stored(value: Any, type_: Static, j: Joiner) -> Type:
    if j.w.store.was_born(value):
        return _contents_stored(value, type_, j)
    return ConflictType("a list of dynamic length cannot hold a set")


def _iterator_stored(value: Any, type_: Static, j: Joiner) -> Type:
    return ConflictType("a list of dynamic length cannot hold an iterator")


#: Returns the type under which a known value is an element of a list, by its class.
_stored = functools.singledispatch(_object_stored)
for _cls, _store in (
    *((number, _number_stored) for number in (bool, int, float)),
    (np.generic, _numpy_stored),
    (np.ndarray, _array_stored),
    (chainer.Variable, _variable_stored),
    (list, _contents_stored),
    (dict, _contents_stored),
    (BaseException, _error_stored),
    (set, _set_stored),
    (Cursor, _iterator_stored),
    (GeneratorCall, _iterator_stored),
):
    _stored.register(_cls, _store)


def is_tensor(value: Any) -> bool:
    """Tell whether an array or number of numpy's is one that graphs compute with."""
    return value.dtype.kind in "biuf"


@dataclass(frozen=True)
class ConflictType(Type):
    """No common type: reading it is the error.

    Attributes:
        sites: The places that made objects for which there is one where arenas hold them.
    """

    reason: str
    sites: frozenset[Site] = field(default=frozenset(), compare=False)

    def build(self, w: StateContext, leaves: Iterator[Value], memo: Memo) -> Any:
        return Conflict(self.reason, self.sites)

    @property
    def is_conflict(self) -> bool:
        return True

    def settles(self, other: Type) -> Type | None:
        return self

    def shown(self, depth: int = SHOWN_DEPTH) -> str:
        return "something without a common type"


@dataclass(frozen=True)
class TextType(Type):
    """A str that depends on what is known only when the model runs; nothing carries it."""

    def build(self, w: StateContext, leaves: Iterator[Value], memo: Memo) -> Any:
        return Text()

    def join(self, j: Joiner, other: TextType) -> Type | None:
        return self

    def takes(self, value: Any) -> bool:
        return type(value) is str


@dataclass(frozen=True)
class ScalarType(Type):
    """A Python or numpy number.

    Attributes:
        type: Its Python or numpy type.
        wide: Whether a Python int may be any of 64 bits; a sum of it and a small one is checked.
    """

    type: type
    wide: bool = False

    @staticmethod
    def of(number: Any) -> ScalarType:
        """Return the type of a number, known or not."""
        kind = type_of_number(number)
        return ScalarType(kind, kind is int and magnitude(number) > WIDE_BOUND)

    @property
    def form(self) -> Any:
        return self.type

    @property
    def dtype(self) -> np.dtype[Any]:
        return PYTHON_DTYPES.get(self.type) or np.dtype(self.type)

    def leaves(self, memo: Memo) -> list[Leaf]:
        return [Leaf(self.dtype, ())]

    def embed(self, w: StateContext, value: Any, memo: Memo) -> list[Value | Hole]:
        return [w.scalar_value(value, self.dtype)]

    def build(self, w: StateContext, leaves: Iterator[Value], memo: Memo) -> Any:
        return Scalar(self.type, next(leaves), bound=2**63 if self.wide else WIDE_BOUND)

    @property
    def is_plain(self) -> bool:
        return True

    def join(self, j: Joiner, other: ScalarType) -> Type | None:
        if self.type is not other.type:
            return None
        return self if self.wide else other

    def absorb(self, j: Joiner, other: Type) -> Type | None:
        """Widen for a known int beyond the narrower bound."""
        value = getattr(other, "value", None)
        beyond = self.type is int and not self.takes(value)
        return ANY_INT if beyond and ANY_INT.takes(value) else None

    def takes(self, value: Any) -> bool:
        if type(value) is not self.type:
            return False
        if type(value) is not int:
            return True
        return -(2**63) <= value < 2**63 if self.wide else abs(value) <= WIDE_BOUND

    def shown(self, depth: int = SHOWN_DEPTH) -> str:
        return a_or_an(self.type.__name__)


#: An int of which nothing is known.
ANY_INT = ScalarType(int, True)


@dataclass(frozen=True)
class ContentsType(Type):
    """The contents of an array that existed before."""

    dtype: np.dtype[Any]
    dims: Dims

    def leaves(self, memo: Memo) -> list[Leaf]:
        return [Leaf(self.dtype, self.dims)]

    def embed(self, w: StateContext, value: Any, memo: Memo) -> list[Value | Hole]:
        return [value if isinstance(value, Value) else w.constant(value)]

    def build(self, w: StateContext, leaves: Iterator[Value], memo: Memo) -> Any:
        return next(leaves)

    def join(self, j: Joiner, other: ContentsType) -> Type | None:
        if self.dtype != other.dtype or len(self.dims) != len(other.dims):
            return ConflictType(f"array contents: {self.shown()} and {other.shown()}")
        return ContentsType(self.dtype, joined_dims(self.dims, other.dims))

    def shown(self, depth: int = SHOWN_DEPTH) -> str:
        return tensor(self.dtype, self.dims)


def joined_dims(a: Dims, b: Dims) -> Dims:
    """Return the sizes of two tensors of one rank, None where they differ."""
    return tuple(
        x if x is not None and y is not None and type(x) is type(y) and x == y else None
        for x, y in zip(a, b, strict=True)
    )


def tensor(dtype: np.dtype[Any], dims: Dims) -> str:
    """Name a tensor for the author of the model: `float32[batch, 8]`."""
    return f"{dtype}[{', '.join('?' if dim is None else str(dim) for dim in dims)}]"
