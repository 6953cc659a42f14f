"""Arrays of the walked program: contents, views, and choices of them."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import chainer
import numpy as np

from elichika.errors import InputError
from elichika.state.aliases import SOURCES, named_by
from elichika.state.joins import Leaf
from elichika.state.store import CONTENTS, MISSING, Note
from elichika.values.c_order import keep_order
from elichika.values.constant_views import owner_of, window_on
from elichika.values.symbolic import Array, Var, View, Window
from elichika.walker.sharing import Sharing
from elichika.walker.tensors import Tensors
from elichika.walker.walk import Walk
from onnx_graph import Value, dims_of, dtype_of
from onnx_graph.failing import may_raise
from onnx_graph.passes.safety import cannot_fail

#: What a view, and what a joined array, was made of when it was read last, and what it was.
_VIEWED: Note[tuple[Value, Value]] = Note("viewed")
_MERGED: Note[tuple[tuple[Any, ...], Value]] = Note("merged")


class Arrays:
    """The part of the walker that reads and writes arrays."""

    def __init__(self, w: Walk, sharing: Sharing, tensors: Tensors) -> None:
        self.w = w
        self.sharing = sharing
        self.tensors = tensors
        self._contents: dict[int, Value] | None = None
        self._of_static: dict[int, tuple[Any, Array]] = {}
        self._wrapped: dict[int, chainer.Variable] = {}

    def new_array(self, value: Value) -> Array:
        """Return a fresh array with these contents."""
        array: Array = self.w.store.born(Array(self.w.store))
        self.w.store.set(array, CONTENTS, value)
        return array

    def new_var(self, value: Value) -> Var:
        """Return a fresh Variable with these contents."""
        return Var(self.new_array(value))

    def result(self, value: Value, like_numpy: bool = True) -> Any:
        """Return an array, or the numpy scalar that numpy makes of a 0-d result."""
        if like_numpy and len(dims_of(value)) == 0:
            return self.w.scalar(dtype_of(value).type, value)
        return self.new_array(value)

    def view(
        self, base: Array, read: Any, write: Any, window: Window | None = None, **kind: bool
    ) -> Array:
        """Return an array that is a view of `base`; see `View`.

        An index out of range fails here, even if nobody reads the view; there is no array then.
        """
        of = self.read(base)
        seen = read(self.w.graph, of)
        array: Array = self.w.store.born(
            Array(self.w.store, View(base, read, write, window, **kind))
        )
        self.w.store.note(array, _VIEWED, (of, seen))
        return array

    def variable_array(self, variable: chainer.Variable) -> Any:
        """Return the array of a static Variable as the program sees it now."""
        known = self.w.store.get(variable, "array")
        return variable.array if known is MISSING else known

    def is_static_variable(self, value: Any) -> bool:
        """Tell whether `value` is a Variable known while compiling (a parameter, say)."""
        return isinstance(value, chainer.Variable) and self.variable_array(value) is not None

    def as_var(self, value: Any) -> Var:
        """Return a Variable in symbolic form."""
        if isinstance(value, Var):
            return value
        if isinstance(value, chainer.Parameter):
            self.require_initialized(value)
        array = self.as_array(self.variable_array(value))
        if id(value) not in self._wrapped:
            self._wrapped[id(value)] = value
            array.variables += 1
            if type(value) is chainer.Variable:  # known ones that share it are not counted
                array.variables += 1
        follows = self.w.tape.is_kept and value.creator_node is None
        node = self.w.tape.known(value) if follows else None
        return Var(array, type(value), again=True, node=node)

    def variable_of(
        self, array: Array, *, leaf: bool = False, requires_grad: bool | None = None
    ) -> Var:
        """Return a Variable that the program makes of an array that it has already.

        Without `requires_grad`, what made it is noted elsewhere.
        """
        array.variables += 1
        made = Var(array, leaf=leaf)
        return made if requires_grad is None else self.w.tape.leaf(made, requires_grad)

    def require_initialized(self, parameter: chainer.Parameter) -> None:
        """See that a parameter that the program uses has its values.

        Raises:
            InputError: It would be initialized, at random, by the first call.
        """
        if self.variable_array(parameter) is not None:
            return
        chain = self.w.roots[0]
        names = (name for name, other in chain.namedparams() if other is parameter)
        raise InputError(
            f"parameter {next(names, parameter.name)} is not initialized yet",
            hint="load a snapshot, run the chain once, or pass initialize=True",
        )

    def as_array(self, value: Any) -> Array:
        """Return an array in symbolic form; one static array gives one `Array`."""
        if isinstance(value, Array):
            return value
        if type(value) not in (np.ndarray, np.memmap):
            self.w.refuse(
                f"a {type(value).__name__}, which extends ndarray, where values are known only "
                "when the model runs",
                "make it an array first: `np.asarray(...)`",
            )
        return self._symbolic(value)

    def stand_in(self, copy: np.ndarray[Any, Any], original: np.ndarray[Any, Any]) -> None:
        """Let a view or copy, which native code keeps of an array, be that array."""
        self._of_static[id(copy)] = (copy, self.as_array(original))

    def _symbolic(self, value: np.ndarray[Any, Any]) -> Array:
        known = self._of_static.get(id(value))
        if known is None:
            known = (value, Array(self.w.store, source=value))
            self._of_static[id(value)] = known
            owner = owner_of(value)
            self.w.store.born_with(known[1], owner)
            known[1].writable = bool(value.flags.writeable)
            if owner is not value:
                self._follow(known[1], owner, value)
        return known[1]

    def _follow(self, array: Array, owner: np.ndarray[Any, Any], view: Any) -> None:
        """Make an array that stands for a static view a view of the owner's array."""
        window = window_on(owner, view)
        if window is None:
            array.where = owner
            return
        read, write = window.remake(())
        if array.writable:
            array.view = View(self._symbolic(owner), read, write, window)
        else:
            array.view = View(self._symbolic(owner), read, self._refused, writable=False)

    def _refused(self, *_: Any) -> NoReturn:
        """Write to what numpy lets nobody write through."""
        self.w.raise_static(ValueError("assignment destination is read-only"))

    def as_symbolic_array(self, value: Any) -> Array:
        """Return an array, or the array of a Variable, in symbolic form."""
        if isinstance(value, (Array, np.ndarray)):
            return self.as_array(value)
        return self.as_var(value).array

    def contents_version(self, value: np.ndarray[Any, Any]) -> Any:
        """Return a static array, or, where it or the owner of its memory changed, a graph value."""
        known = self._of_static.get(id(owner_of(value)))
        if known is None:
            return value
        version = self.w.store.get(known[1], CONTENTS)
        return value if version is MISSING else version

    def read(self, array: Array) -> Value:
        """Return the present contents of an array."""
        if array.view is not None:
            base = self.read(array.view.base)
            cached = self.w.store.noted(array, _VIEWED)
            if cached is not None and cached[0] is base:
                return cached[1]
            value = self._read_view(array, array.view, base)
            self.w.store.note(array, _VIEWED, (base, value))
            return value
        self.sharing.require_present(array)
        version = self.w.store.get(array, CONTENTS)
        if version is MISSING:
            if array.where is not None and self.was_written(array.where):
                self.w.refuse(
                    "this is a view of an array that was changed since",
                    "index the array again after the change",
                )
            if array.source is None:
                self.w.refuse(
                    "an array that an iteration has made is read where it is not known any more",
                    "keep the array itself, and ask for its method there",
                )
            if array.source.dtype.kind in "mMV":
                self.w.refuse(
                    f"an array of dtype {array.source.dtype} is not a tensor",
                    "a model holds bools, ints, and floats of 16, 32 and 64 bits",
                )
            return self.w.constant(array.source)
        if not isinstance(version, Value):
            return self.w.constant(version)
        version = self.w.graph.lifting.reach(version)
        return self._merged(array, version) if array.origins else version

    def tensor_form(self, array: Array) -> tuple[np.dtype[Any], tuple[Any, ...]] | None:
        """Return dtype and sizes of an array as it was read last; None where it was not."""
        if array.view is not None:
            cached = self.w.store.noted(array, _VIEWED)
            version = None if cached is None else cached[1]
        else:
            version = self.w.store.get_key((id(array), CONTENTS))
        match version:
            case Value():
                return dtype_of(version), tuple(dims_of(version))
        return None

    def _read_view(self, array: Array, view: View, base: Value) -> Value:
        """Return what a view selects; a view that a choice holds is one where it is chosen."""
        guard = self.w.choices.guard_of(array)
        if guard is None:
            return view.read(self.w.graph, base)
        mark = self.w.store.mark()
        then, other = self.w.graph.body("then"), self.w.graph.body("else")
        with then:
            present = view.read(self.w.graph, base)
        if all(cannot_fail(node) or not may_raise(node) for node in then.graph):
            self.w.store.undo(mark)
            then.discard()
            other.discard()
            return view.read(self.w.graph, base)
        with other:
            missing = self.tensors.absent(Leaf(dtype_of(present), tuple(dims_of(present))))
        self.w.store.undo(mark)
        return self.w.graph.If(guard, then, [present], other, [missing])[0]

    @contextmanager
    def _reading(self, known: dict[int, Value] | None) -> Iterator[None]:
        """Know the contents of joined arrays within the block, in which nothing is written."""
        before, self._contents = self._contents, known
        try:
            yield
        finally:
            self._contents = before

    def _merged(self, array: Array, own: Value) -> Value:
        """Return the contents of a joined array; of those that it may be, each is read once."""
        if self._contents is None:
            with self._reading({}):
                return self._merged(array, own)
        if id(array) not in self._contents:
            self._contents[id(array)] = self._merged_anew(array, own)
        return self._contents[id(array)]

    def _merged_anew(self, array: Array, own: Value) -> Value:
        """Return the contents of a joined array: where an origin changed, those of the origin."""
        decided = [self.w.facts.of(tag) for tag, _ in array.origins]
        if True in decided:
            return self.read(array.origins[decided.index(True)][1])
        sources = [self._source(origin) for _, origin in array.origins]
        key = (own, *sources, *decided)
        cached = self.w.store.noted(array, _MERGED)
        if cached is not None and all(map(operator.is_, cached[0], key)):
            return cached[1]
        seen = self.w.store.noted(array, SOURCES)
        version = own
        for index, (tag, origin) in enumerate(array.origins):
            if decided[index] is None and (seen is None or seen[index] is not sources[index]):
                version = self._select_read(tag, origin, version)
        self.w.store.note(array, _MERGED, (key, version))
        return version

    def _source(self, origin: Array) -> Value:
        """Return the contents that decide what an array holds: those of its root."""
        return self.read(origin.root)

    def _select_read(self, tag: Value, origin: Array, otherwise: Value) -> Value:
        """Return what `origin` holds where `tag` holds; else it may be no valid view at all."""
        if origin.view is None:
            return self.select(tag, self.read(origin), otherwise)
        mark = self.w.store.mark()
        then, other = self.w.graph.body("then"), self.w.graph.body("else")
        with then, self.w.facts.assume(tag, True), self._reading(None):
            present = self.read(origin)
        self.w.store.undo(mark)
        return self.w.graph.If(tag, then, [present], other, [otherwise])[0]

    def select(self, tag: Value, yes: Value, no: Value) -> Value:
        """Return `yes` where the 0-d bool `tag` holds, else `no`, lazily."""
        if yes is no:
            return yes
        then, other = self.w.graph.body("then"), self.w.graph.body("else")
        return self.w.graph.If(tag, then, [yes], other, [no])[0]

    def remember_origins(self, array: Array) -> None:
        """Note that a joined array is up to date with the arrays it may be."""
        if array.origins:
            sources = [self._source(origin) for _, origin in array.origins]
            self.w.store.note(array, SOURCES, sources)

    def write(self, array: Array, value: Value) -> None:
        """Give an array new contents in place; every alias sees them.

        Raises:
            StagingError: Memory may be shared in a way that is not tracked.
        """
        self.sharing.require_tracked(array)
        if array.view is not None:
            base = array.view.base
            self.write(base, array.view.write(self.w.graph, self.read(base), value))
            return
        keep_order(self.w, array, value)
        for named in named_by(self.w, array):
            if named.array is array:
                continue
            self.sharing.require_tracked(named.array)
            if named.array.view is not None:
                self._write_if(named.when, named.array, value)
                continue
            chosen = value
            if not isinstance(named.when, bool):
                chosen = self.select(named.when, value, self.read(named.array))
            keep_order(self.w, named.array, chosen)
            self.w.store.set(named.array, CONTENTS, chosen)
        self.w.store.set(array, CONTENTS, value)
        self.remember_origins(array)

    def _write_if(self, tag: Value | bool, origin: Array, value: Value) -> None:
        test = tag if isinstance(tag, bool) else self.w.scalar(bool, tag)
        self.w.branch(test, lambda: self.write(origin, value), lambda: None)

    def as_symbolic(self, value: Any) -> Any:
        """Return an array or Variable in symbolic form; other values as they are."""
        value = self.w.narrow(value)
        if isinstance(value, np.ndarray) and self.was_written(value):
            return self.as_array(value)
        return value

    def was_written(self, value: Any) -> bool:
        """Tell whether a static array was changed by the walk."""
        known = self._of_static.get(id(owner_of(value)))
        return known is not None and self.w.store.get(known[1], CONTENTS) is not MISSING

    def is_overlaid(self, value: Any) -> bool:
        """Tell whether a static array holds symbolic contents by now."""
        return isinstance(value, np.ndarray) and self.was_written(value)

    def static_contents(self, value: Any) -> Any:
        """Return the present contents of a static array, refusing views that are not followed."""
        if owner_of(value) is not value and self.was_written(value):
            return self.read(self.as_array(value))
        return self.contents_version(value)
