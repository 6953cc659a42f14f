"""Symbolic values: what a name holds when its value is known only when the model runs.

Everything known while compiling is an ordinary Python object.  A symbolic value is one of

* `Scalar`: a Python int, float or bool, or a numpy scalar.  Immutable.
* `Array`: a `numpy.ndarray`.  Mutable, with identity; its contents are a location of the store.
* `Var`: a `chainer.Variable`, an immutable handle on its array.
* `Choice`: one of several values or structures, told apart by a tag.

Structures (tuples, lists, dicts, objects) of symbolic leaves stay Python structures; what a list or
tuple of dynamic length holds is a `Seq`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import chainer
import numpy as np

from elichika.values.words import shown_as
from onnx_graph import Dim, Value

if TYPE_CHECKING:
    from elichika.state.joins import Type
    from elichika.state.store import Store
    from elichika.values.tape import VariableNode
    from onnx_graph import ONNXGraph

PYTHON_DTYPES: dict[type, np.dtype[Any]] = {
    bool: np.dtype(np.bool_),
    int: np.dtype(np.int64),
    float: np.dtype(np.float64),
}

#: A bound on the magnitude of sizes, indices and loop counters: they cannot overflow.
COUNTER_BOUND = 2**40
#: The bound of an int about which nothing is known but that sums of counters cannot overflow it.
WIDE_BOUND = 2**62


class Symbolic:
    """A value that is known only when the model runs."""

    __slots__ = ("__weakref__",)


@shown_as("number")
class Scalar(Symbolic):
    """A Python or numpy scalar.

    Attributes:
        type: The Python type, such as `int`, `bool` or `numpy.float32`.
        dim: The symbolic size it is known to equal, if any; the node is then emitted on demand.
        bound: Of a Python int's magnitude; of a float's, which is finite if below `WIDE_BOUND`.
        whole: An int64 that carries it whichever of several classes of whole numbers it is of.
    """

    __slots__ = ("_graph", "_value", "bound", "dim", "type", "whole")

    def __init__(
        self,
        type_: type,
        value: Value | None = None,
        *,
        dim: Dim | None = None,
        graph: ONNXGraph | None = None,
        bound: int | None = None,
        whole: Value | None = None,
    ) -> None:
        self.type = type_
        self.dim, self.whole = dim, whole
        self._value, self._graph = value, graph
        self.bound = bound if bound is not None else (COUNTER_BOUND if dim is not None else 2**63)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the 0-d tensor that stands for it."""
        return PYTHON_DTYPES.get(self.type) or np.dtype(self.type)

    @property
    def is_python(self) -> bool:
        """Whether it is a Python number, weak in numpy's promotion."""
        return self.type in PYTHON_DTYPES

    @property
    def onnx_value(self) -> Value:
        """The 0-d tensor that stands for it."""
        if self._value is None:
            assert self._graph is not None and self.dim is not None
            return self._graph.dim_value(self.dim)
        return self._value

    def __repr__(self) -> str:
        return f"<{self.type.__name__} known when the model runs>"

    def _refuse(self, *_: Any) -> Any:
        raise SymbolicUse(self)

    __bool__ = __index__ = __int__ = __float__ = __hash__ = _refuse
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _refuse
    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = _refuse
    __pow__ = __rpow__ = __neg__ = __pos__ = __abs__ = __round__ = _refuse
    __array__ = __iter__ = __len__ = __format__ = _refuse


@shown_as("str")
class Text(Symbolic):
    """A str that depends on what is known only when the model runs.

    It may be put into an exception that is raised, printed and logged, and name one of several
    known things.

    Attributes:
        parts: Known texts and the ints between them, side by side; None where it is made otherwise.
        made: A function of Python's that makes it, and its arguments; None where that is not known.
    """

    __slots__ = ("made", "parts")

    def __init__(self, parts: tuple[Any, ...] | None = None, made: Any = None) -> None:
        self.parts = parts
        self.made = made

    type = str
    stands_for = "text known only when the model runs"
    #: What stands for it in the message of a model that fails.
    SHOWN = "…"
    MESSAGE = "this text depends on a value known only when the model runs"

    def __repr__(self) -> str:
        return "<text known when the model runs>"

    def _refuse(self, *_: Any) -> Any:
        raise SymbolicUse(self)

    __bool__ = __hash__ = __eq__ = __ne__ = __str__ = __iter__ = __len__ = __format__ = _refuse


class SymbolicUse(TypeError):
    """Native code asked for the value of something known only when the model runs."""


#: Alternatives of choices inside choices: the tag, which one, and how many there are.
Path = tuple[tuple[Value, int, int], ...]
Read = Callable[["ONNXGraph", Value], Value]
Write = Callable[["ONNXGraph", Value, Value], Value]


@dataclass(frozen=True)
class Window:
    """What a view selects, apart from the array that it is a view of.

    Attributes:
        key: Views of equal keys select alike, given the same operands.
        operands: The int64 scalars of the graph that say what is selected.
        remake: Gives the maps of a view with other operands.
    """

    key: tuple[Any, ...]
    operands: tuple[Value, ...]
    remake: Callable[[tuple[Value, ...]], tuple[Read, Write]]


@dataclass(frozen=True)
class View:
    """How an array sees its base: `read(g, base)` and `write(g, base, new)` as graph values.

    Attributes:
        window: Set where the view can be made anew in another scope.
        writable: Whether a write can go through it at all.
    """

    base: Array
    read: Read
    write: Write
    window: Window | None = None
    writable: bool = True


@shown_as("ndarray")
class Array(Symbolic):
    """A `numpy.ndarray`: an identity whose contents are a location of the store.

    Attributes:
        view: Set when the array is a view whose map is known; its contents are those of the base.
        origins: `(tag, array)` pairs: the 0-d bool `tag` tells whether this very object is that
            array (a join of a name bound to an existing array on one side).
        always: It surely is one of its origins.
        joined: It was made by a join: it may be an object that another name holds.
        frozen: It stands for a copy whose original lives in a list; writes are refused.
        shares: Roots this array may share memory with in a way that is not tracked; writes that
            could be seen through such sharing are refused.
        variables: How many Variables the program has made of it; 2 stands for any number.
        writable: Whether none of the arrays that it may be is one that numpy writes to in no way,
            or in a way that is not followed.
        guards: Set for a view that only a choice holds: the alternatives, outermost first, on each
            way to it as `(tag, index, count)`; where none is the one, it must not be read.
        ordered: Whether numpy surely holds it in C order; None where its contents, which are those
            that it was made with, tell that.
        given: What it held at first, if it is an input.
        told_apart: Whether the program asked if it is another array.
    """

    __slots__ = (
        "always",
        "frozen",
        "given",
        "guards",
        "joined",
        "ordered",
        "origins",
        "shares",
        "source",
        "store",
        "told_apart",
        "variables",
        "view",
        "where",
        "writable",
    )

    def __init__(self, store: Store, view: View | None = None, source: Any = None) -> None:
        self.store = store
        self.view = view
        self.origins: tuple[tuple[Value, Array], ...] = ()
        self.shares: tuple[Array, ...] = ()
        self.frozen = False
        self.joined = False
        self.always = False
        self.variables = 0
        self.writable: bool = view is None or (view.writable and view.base.writable)
        self.guards: tuple[Path, ...] = ()
        self.ordered: bool | None = None
        self.source = source  # the static ndarray it stands for
        self.where: Any = None
        self.given: Value | None = None
        self.told_apart = False

    @property
    def root(self) -> Array:
        """The array that owns the memory."""
        return self if self.view is None else self.view.base.root

    @property
    def onnx_value(self) -> Value:
        """The current contents."""
        value: Value = self.store.read(self)
        return value

    def __repr__(self) -> str:
        return "<ndarray known when the model runs>"

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise SymbolicUse(self)

    __bool__ = __index__ = __int__ = __float__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _refuse
    __array__ = __iter__ = __len__ = _refuse


@shown_as("Variable")
class Var(Symbolic):
    """A `chainer.Variable`: a handle on an array.

    Attributes:
        array: What it is a handle on.
        kind: Its class.
        again: It was made anew for a Variable that the program has already.
        leaf: No function made it, surely.
        node: What stands for it on the tape, None where that is not known.
    """

    __slots__ = ("again", "array", "kind", "leaf", "node")

    def __init__(
        self,
        array: Array,
        kind: type = chainer.Variable,
        *,
        again: bool = False,
        leaf: bool = False,
        node: VariableNode | None = None,
    ) -> None:
        self.array = array
        self.kind = kind
        self.again = again
        self.leaf = leaf
        self.node = node

    def __repr__(self) -> str:
        return "<Variable known when the model runs>"

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise SymbolicUse(self)

    __bool__ = __index__ = __int__ = __float__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _refuse
    __array__ = __iter__ = __len__ = _refuse


@shown_as("one of several values")
class Choice(Symbolic):
    """One of several values, told apart by a tag.

    Attributes:
        tag: With two alternatives a 0-d bool, true for the first; with more a 0-d int64 index.
        alternatives: The values; `UNSET` stands for a name that is not bound.
    """

    __slots__ = ("alternatives", "tag")

    def __init__(self, tag: Value, alternatives: tuple[Any, ...]) -> None:
        assert len(alternatives) >= 2
        self.tag = tag
        self.alternatives = alternatives

    def __repr__(self) -> str:
        return f"<one of {', '.join(map(repr, self.alternatives))}>"


@shown_as("tuple")
class DynamicTuple(list[Any]):
    """What a name of a tuple of dynamic length holds: its contents are a `Seq` in the store.

    For the program it is a tuple: it never changes.
    """


@shown_as("arguments")
class Spread(Symbolic):
    """Arguments of a call, in a number known only when the model runs.

    Attributes:
        items: A tuple of dynamic length, or a choice between tuples.
    """

    __slots__ = ("items",)

    def __init__(self, items: Any) -> None:
        self.items = items

    def __repr__(self) -> str:
        return "<arguments of a number known when the model runs>"


@shown_as("list")
@dataclass(eq=False)
class Seq:
    """What a list of dynamic length holds: one ONNX sequence for each leaf of the element type.

    Attributes:
        element: The type of the elements.
        sequences: The ONNX sequences, side by side.
        stored: Arrays whose copies were put in since the list became dynamic.
        node: What stands for the Variables in it on the tape, None where that is not known.
    """

    element: Type
    sequences: tuple[Value, ...]
    stored: tuple[Array, ...] = ()
    node: VariableNode | None = field(default=None, init=False)


class Marker:
    """What stands where there is no value; each is one object."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


#: A name or attribute that is not bound.
UNSET = Marker("UNSET")
#: A name the canonicalizer made that has no value yet; joining it with T is T.
UNDEF = Marker("UNDEF")
#: A first key of a dict whose own keys come in an order that is known only when the model runs.
UNORDERED = Marker("UNORDERED")


def may_be_unset(held: Any) -> bool:
    """Tell whether a location holds something on some ways only."""
    return isinstance(held, Choice) and any(one is UNSET for one in held.alternatives)


@shown_as("value without a common type")
@dataclass(frozen=True)
class Conflict:
    """A join without a common type: an error only when it is read; arenas may have one."""

    reason: str
    sites: frozenset[Any] = frozenset()
