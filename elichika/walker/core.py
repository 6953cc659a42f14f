"""The walker: an abstract run of a canonical program.

It visits children before parents, left to right as Python evaluates.  What is known now is run with
Python itself; what depends on tensors goes into the graph.  This file holds its state and the
services that lowerings use; the visits are in the files beside it, which `walker.py` puts together.
"""

from __future__ import annotations

import functools
import math
import types
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn, cast

import chainer
import numpy as np

from elichika.errors import BudgetError, SourceFrame, StagingError
from elichika.iterators.base import DictView, SymbolicRange
from elichika.program.file_names import portable_file
from elichika.program.places import Place, Program
from elichika.state.facts import Facts
from elichika.state.joins import Leaf
from elichika.state.store import ITEMS, MISSING, Mark, Store
from elichika.values.c_order import UNORDERED
from elichika.values.functions import BoundMethod, Closure, Frame
from elichika.values.symbolic import (
    COUNTER_BOUND,
    PYTHON_DTYPES,
    Array,
    Choice,
    Conflict,
    DynamicTuple,
    Scalar,
    Symbolic,
    Var,
)
from elichika.walker.choices import Choices
from elichika.walker.containers.arenas import Arenas
from elichika.walker.containers.sequences import Sequences
from elichika.walker.limits import Limits
from elichika.walker.native.costs import too_large
from elichika.walker.plan import Plan
from elichika.walker.rooms import Rooms
from onnx_graph import Dim, GraphError, ONNXGraph, Value, dims_of, dtype_of

if TYPE_CHECKING:
    from elichika.walker.walker import Walker


#: Types whose values Python's operators take as they are, and that hold nothing else.
PLAIN = frozenset({bool, int, float, str, bytes, type(None), type(...)})


class Raised(Exception):
    """A Python exception that the walked program raises while it is staged."""

    def __init__(self, error: BaseException, frames: tuple[SourceFrame, ...]) -> None:
        super().__init__(repr(error))
        self.error = error
        self.frames = frames

    def refusal(self) -> StagingError:
        """Return what a user sees where no handler of the program catches it."""
        return StagingError(
            f"{type(self.error).__name__}: {str(self.error).strip()}",
            self.frames,
            "the program raises this for every input of this kind",
        )


class ConflictRead(StagingError):
    """A name was read that has no common type."""

    def __init__(self, message: str, frames: tuple[SourceFrame, ...], reason: str) -> None:
        super().__init__(message, frames)
        self.reason = reason


class Token:
    """The location that threads run-time checks through If and Loop."""


class Core(Rooms):
    """The state of one abstract run, and the services that visits and lowerings use.

    Args:
        graph: The graph under construction.
        names: Initializer names of the chain's parameters and persistent arrays, by `id`.
        report: What became of loops and branches goes there.
        limits: How much the walk may take.
        plan: What it assumes; this walk adds to it.
    """

    def __init__(
        self,
        graph: ONNXGraph,
        names: dict[int, str],
        report: Any,
        limits: Limits | None = None,
        plan: Plan | None = None,
    ) -> None:
        self.graph = graph
        self.store = Store(self)
        self.plan = Plan() if plan is None else plan
        self.arenas = Arenas(self, self.plan.arenas)
        self.facts = Facts()
        self.sequences = Sequences(self)
        self.choices = Choices(self)
        self.report = report
        self.limits = Limits() if limits is None else limits
        graph.watch = self._count_nodes
        self.frames: list[Frame] = []
        self.roots: list[Any] = []
        self.token = Token()
        self.handlers: list[tuple[type, ...]] = []
        self._names = names
        self._of_static: dict[int, tuple[Any, Array]] = {}
        self._wrapped: dict[int, chainer.Variable] = {}
        self._contents: dict[int, Value] | None = None
        self._ident = 0
        self._idents: dict[int, int] = {}
        self.depth = 0
        self.raising = False
        self._programs: dict[Any, Any] = {}
        self._node: list[Any] = []
        self._visits: dict[type, Callable[[Any], Any]] = {}
        self.frozen_idents: set[int] = set()
        self.unwritable_idents: set[int] = set()
        self.guarded = 0
        self.ident_parents: dict[int, tuple[int, int]] = {}
        self.latest_idents: dict[int, int] = {}
        self.returned: list[Any] = []
        self.ended_at: Place | None = None
        self.caught: list[BaseException] = []
        self.yields: list[Any] = []
        self.pending: list[Any] = []
        self._sharers: dict[int, list[Array]] = {}
        self._unsure: dict[int, str] = {}
        self._frozen: dict[int, Array] = {}
        self.loop_memo: dict[Any, Any] = {}
        self.turn_numbers: list[int] = []
        self.unrolling: list[int] = []
        self.rolled = False
        self.tentative = 0
        #: Classes of which an object may have got its attributes in another order than they have.
        self.mixed: set[type] = set()
        self.looping: list[Program] = []
        self._turn_programs: dict[int, tuple[Program, Program | None]] = {}
        self._regions: list[tuple[Mark, Any]] = []
        self._folded: set[tuple[type, str]] = set()
        self._spaces_read: set[int] = set()
        self.facts_read: set[str] = set()
        self.facts_written: set[str] = set()
        self.made_classes: set[type] = set()
        self.entered_functions: dict[int, types.FunctionType] = {}
        self.own_dicts: set[type] = set()  # classes of dicts that are their own `__dict__`
        self.consumer: Any = None  # the site of the loop that takes items by number
        self.picked: dict[int, tuple[Array, tuple[Any, ...], Value]] = {}

    @property
    def walker(self) -> Walker:
        """This walker as the class that all rooms make up."""
        return cast("Walker", self)

    # -- where we are -------------------------------------------------------------------------

    def here(self) -> tuple[SourceFrame, ...]:
        """Return the places of the program that lead to the present node, outermost first."""
        return self.place().frames

    def place(self) -> Place:
        """Return the present node and the calls that lead to it; after the walk, its end."""
        if not self.frames and self.ended_at is not None:
            return self.ended_at
        return Place(tuple(frame.program for frame in self.frames), tuple(self._node))

    def user_frame(self) -> SourceFrame | None:
        """Return the innermost place in the user's own code."""
        return self.place().innermost

    @contextmanager
    def at(self, node: Any) -> Iterator[None]:
        """Remember that the walk is at `node`; nodes emitted meanwhile carry its line."""
        before = self._node[-1]
        self._node[-1] = node
        try:
            yield
        finally:
            self._node[-1] = before

    def refuse(self, message: str, hint: str | None = None) -> NoReturn:
        """Stop the compile with the user's line.

        Raises:
            StagingError: Always.
        """
        raise StagingError(message, self.here(), hint)

    def raise_static(self, error: BaseException) -> NoReturn:
        """Raise a Python exception in the walked program."""
        raise Raised(error, self.here())

    def _count_nodes(self, count: int) -> None:
        """Stop a walk that emits more nodes than it may."""
        most = self.limits.max_nodes
        if most is not None and count > most:
            raise BudgetError(
                f"the model has more than {most} nodes here",
                self.here(),
                "give it more with `max_nodes`, or let a loop run over an input, which is kept",
            )

    def require_room(self, amount: str | None) -> None:
        """Stop a walk that would make something too large; `amount` says what, if anything."""
        if amount is not None:
            raise BudgetError(
                f"this makes {amount} while compiling",
                self.here(),
                "what is computed from the inputs is computed when the model runs",
            )

    # -- values -------------------------------------------------------------------------------

    def next_ident(self) -> int:
        """Return a fresh number for a node of an alias structure."""
        self._ident += 1
        return self._ident

    def ident_of(self, array: Array) -> int:
        """Return the number of an array that exists already, always the same."""
        if id(array) not in self._idents:
            self._idents[id(array)] = self.next_ident()
        return self._idents[id(array)]

    def is_part_of(self, obj: Any, ident: int) -> bool:
        """Tell whether an object, as it was read last, is one of those joined into a node."""
        wanted, todo, seen = self.latest_idents.get(id(obj)), [ident], set()
        while todo:
            ident = todo.pop()
            if ident == wanted:
                return True
            if ident not in seen:
                seen.add(ident)
                todo += self.ident_parents.get(ident, ())
        return False

    def is_frozen(self, ident: int) -> bool:
        """Tell whether arrays of this node of an alias structure went into a dynamic list."""
        return self._is_one_of(self.frozen_idents, ident)

    def is_unwritable(self, ident: int) -> bool:
        """Tell whether an array of this node of an alias structure cannot be written to."""
        return self._is_one_of(self.unwritable_idents, ident)

    def _is_one_of(self, idents: set[int], ident: int) -> bool:
        parents = self.ident_parents.get(ident, ())
        return ident in idents or any(self._is_one_of(idents, parent) for parent in parents)

    def constant(self, value: Any) -> Value:
        """Return the graph constant for a static number or array."""
        if isinstance(value, np.ndarray):
            if value.dtype == object:
                self.refuse("an array of Python objects is no tensor")
            name = self._names.get(id(value))
            if 0 in value.strides and not name:
                self.require_room(too_large(value))
            made = self.graph.initializer(name, value) if name else self.graph.constant(value)
            if value.ndim > 1 and not value.flags.c_contiguous:
                made.meta[UNORDERED] = True
            return made
        return self.graph.constant(value)

    def absent(self, leaf: Leaf) -> Value:
        """Return a stand-in for a graph value that is not there."""
        if leaf.sequence:
            return self.graph.SequenceEmpty(dtype=leaf.dtype)
        dims = leaf.dims or ()
        known = [d for d in dims if isinstance(d, int)]
        if len(known) < len(dims):
            try:
                shape = self.graph.shape_tensor([d if d is not None else 0 for d in dims])
                return self.graph.Expand(self.graph.constant(np.zeros((), leaf.dtype)), shape)
            except GraphError:
                known = [0] * len(dims)
        if math.prod(known) > 100_000:
            shape = self.graph.constant(np.array(known, np.int64))
            return self.graph.Expand(self.graph.constant(np.zeros((), leaf.dtype)), shape)
        return self.graph.constant(np.zeros(known, leaf.dtype))

    def place_of_write(self) -> tuple[Program, Any] | None:
        """Return where the program is: the innermost place of the user's, if there is one."""
        if not self._node:
            return None
        if self.frames[-1].program.library:
            for frame, node in zip(reversed(self.frames), reversed(self._node), strict=False):
                if not frame.program.library:
                    return frame.program, node
        return self.frames[-1].program, self._node[-1]

    def site_of_birth(self) -> Any:
        """Return what names the place that makes an object, in any run: that of the user."""
        nodes = []
        for frame, node in zip(reversed(self.frames), reversed(self._node), strict=False):
            nodes.append(id(node))
            if not frame.program.library:
                break
        return tuple(nodes)

    def scalar(self, type_: type, value: Value, bound: int | None = None) -> Scalar:
        """Return a Python or numpy scalar whose 0-d tensor is `value`."""
        return Scalar(type_, value, bound=bound)

    def dim_scalar(self, dim: int | Dim) -> int | Scalar:
        """Return a size as Python sees it: an int where known."""
        if isinstance(dim, int):
            return dim
        return Scalar(int, dim=dim, graph=self.graph, bound=COUNTER_BOUND)

    def scalar_value(self, value: Any, dtype: np.dtype[Any]) -> Value:
        """Return a number, static or not, as a 0-d tensor of `dtype`."""
        if isinstance(value, Symbolic):
            return self.value_of(value, dtype)
        return self.graph.constant(np.array(value, dtype))

    def value_of(self, value: Any, dtype: Any = None) -> Value:
        """Return the graph value of a number, array or Variable.

        Args:
            value: `Scalar`, `Array`, `Var`, or a static number, array or Variable.
            dtype: Cast to this.
        """
        value = self.narrow(value)
        if isinstance(value, Scalar):
            result = value.onnx_value
        elif isinstance(value, Array):
            result = self.read(value)
        elif isinstance(value, Var):
            result = self.read(value.array)
        elif isinstance(value, chainer.Variable):
            result = self.read(self.as_var(value).array)
        elif isinstance(value, np.ndarray):
            result = self.read(self.as_array(value))
        elif isinstance(value, (bool, int, float, np.generic)):
            kind = PYTHON_DTYPES.get(type(value))
            result = self.graph.constant(np.asarray(value, dtype or kind))
        elif isinstance(value, Choice):
            return self.choices.as_tensor(value, dtype)
        else:
            self.refuse(f"a tensor is needed here, not {type(value).__name__}")
        if dtype is not None and dtype_of(result) != np.dtype(dtype):
            result = self.graph.Cast(result, to=np.dtype(dtype))
        return result

    def dims(self, value: Any) -> tuple[int | Dim, ...]:
        """Return the sizes of an array, Variable or scalar."""
        if isinstance(value, (Array, Var, Scalar, Choice)):
            return tuple(dims_of(self.value_of(value)))
        return tuple(np.shape(value))

    def is_symbolic(self, value: Any) -> bool:
        """Tell whether a value, or anything in the containers it holds, is symbolic."""
        return self._reaches_symbolic(value, set())

    def _reaches_symbolic(self, value: Any, seen: set[int]) -> bool:
        if type(value) in PLAIN:
            return False
        if type(value) is tuple:
            return any(type(v) not in PLAIN and self._reaches_symbolic(v, seen) for v in value)
        if isinstance(value, (Symbolic, Closure, BoundMethod, SymbolicRange)):
            return True
        if self.arenas.holds(value):
            return True
        if isinstance(value, functools.partial):
            held = (value.func, value.args, tuple(value.keywords.values()))
            return self._reaches_symbolic(held, seen)
        if value is None or isinstance(value, (int, float, str, type)) or id(value) in seen:
            return False
        if isinstance(value, (tuple, frozenset)):
            return any(self._reaches_symbolic(v, seen) for v in value)
        if isinstance(value, slice):
            return any(isinstance(v, Symbolic) for v in (value.start, value.stop, value.step))
        if isinstance(value, DictView):
            return self._reaches_symbolic(value.mapping, seen)
        if isinstance(value, (list, dict, set)):
            seen.add(id(value))
            items = self.items_of(value)
            if isinstance(items, dict):
                items = tuple(items.values())
            return not isinstance(items, tuple) or any(
                self._reaches_symbolic(v, seen) for v in items
            )
        if isinstance(value, np.ndarray):
            return isinstance(self.contents_version(value), Value)
        if isinstance(value, chainer.Variable):
            return self._reaches_symbolic(self.variable_array(value), seen)
        if self.store.was_born(value):
            seen.add(id(value))
            return any(
                self._reaches_symbolic(self.store.get(value, s), seen)
                for s in self.store.slots(value)
            )
        return False

    def narrow(self, value: Any) -> Any:
        """Return the alternative of a choice that the present facts leave, if they leave one."""
        while isinstance(value, Choice):
            index = self.choices.decided(value)
            if index is None:
                return value
            value = value.alternatives[index]
        return value

    # -- locations ----------------------------------------------------------------------------

    def version(self, obj: Any, slot: str) -> Any:
        """Return what a location holds now, the real object's own content if never written."""
        version = self.held(obj, slot)
        if slot == ITEMS and isinstance(version, Conflict):
            self.refuse(f"this {type(obj).__name__} has no common form here: {version.reason}")
        return version

    def items_of(self, obj: Any) -> Any:
        """Return what a list, dict or set holds now.

        Returns:
            Of a list a tuple, or a `Seq` where its length is known only when the model runs; of a
            dict or set a dict.
        """
        return self.version(obj, ITEMS)

    def set_items(self, obj: Any, items: Any) -> None:
        """Let a list, dict or set hold other items."""
        self.store.set(obj, ITEMS, items)

    def held(self, obj: Any, slot: str) -> Any:
        """Return what a location holds, conflicts too."""
        version = self.store.get(obj, slot)
        return self.initial(obj, slot) if version is MISSING else version

    def heap_slots(self, obj: Any) -> list[str]:
        """Return the locations of a fresh object, in the order they were first written."""
        if isinstance(obj, defaultdict):
            own = [ITEMS, "default_factory"]
        else:
            own = [ITEMS] if isinstance(obj, (list, dict, set)) else []
        written = (s for s in self.store.slots(obj) if not s.startswith("~"))
        return [*dict.fromkeys((*own, *written))]

    def items(self, value: Any) -> tuple[Any, ...]:
        """Return the contents of a tuple or list of known length."""
        if isinstance(value, tuple):
            return value
        items = self.items_of(value)
        if not isinstance(items, tuple):
            self.refuse("a list of known length is needed here")
        return items

    def made_inside(self, value: Any) -> bool:
        """Tell whether a branch or a turn of a loop made an object: outside there is another."""
        regions = self.regions()
        return bool(regions) and self.store.is_fresh(value, regions[0][0])

    def sealed(self, value: Any) -> Any:
        """Forbid writes to a list, dict or object of which a list holds a copy; return it."""
        if not isinstance(value, (tuple, DynamicTuple)):
            self.store.seal(value)
        return value

    def refuse_write(self, obj: Any) -> NoReturn:
        """Refuse a write to what a list of dynamic length holds a copy of.

        Raises:
            WalkAgain: Where another run may hold it otherwise.
        """
        refusal = StagingError(
            f"this write changes a {type(obj).__name__} that a list of dynamic length holds",
            self.here(),
            "put a copy into the list: `l.append(list(a))`",
        )
        self.arenas.changed(refusal, obj)
        raise refusal

    def new_list(self, items: Sequence[Any]) -> list[Any]:
        """Return a fresh list."""
        made: list[Any] = self.store.born([])
        self.set_items(made, tuple(items))
        return made

    def new_dict(self, items: dict[Any, Any]) -> dict[Any, Any]:
        """Return a fresh dict."""
        made: dict[Any, Any] = self.store.born({})
        self.set_items(made, dict(items))
        return made


class NodePlace:
    """What a graph node remembers of the program; asked when the model is written."""

    def __init__(self, place: Place) -> None:
        self._place = place

    @property
    def label(self) -> str:
        """File and line of the innermost place in the user's own code."""
        frame = self._place.innermost
        assert frame is not None
        return frame.label

    @property
    def frames(self) -> tuple[tuple[str, int, str], ...]:
        """The user's places, outermost first."""
        return tuple((f.file, f.line, f.function) for f in self._place.frames if not f.library)

    @property
    def portable_frames(self) -> tuple[tuple[str, int, str], ...]:
        """The same, for a model file: the files' names say nothing of the machine."""
        return tuple((portable_file(file), line, name) for file, line, name in self.frames)
