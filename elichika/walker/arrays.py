"""Arrays of the walked program: contents, views, and choices of them."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import chainer
import numpy as np

from elichika.errors import InputError
from elichika.state.aliases import Origin, Seen, memory_of, named_by, window_of
from elichika.state.joins import Leaf
from elichika.state.store import CONTENTS, MISSING, Mark
from elichika.values.c_order import keep_order
from elichika.values.constant_views import owner_of, window_on
from elichika.values.symbolic import Array, Var, View, Window
from elichika.walker.core import Core
from onnx_graph import Value, dims_of, dtype_of
from onnx_graph.failing import may_raise
from onnx_graph.passes.safety import cannot_fail


class Arrays(Core):
    """The part of the walker that reads and writes arrays."""

    def new_array(self, value: Value) -> Array:
        """Return a fresh array with these contents."""
        array: Array = self.store.born(Array(self.store))
        self.store.set(array, CONTENTS, value)
        return array

    def new_var(self, value: Value) -> Var:
        """Return a fresh Variable with these contents."""
        return Var(self.new_array(value))

    def result(self, value: Value, like_numpy: bool = True) -> Any:
        """Return an array, or the numpy scalar that numpy makes of a 0-d result."""
        if like_numpy and len(dims_of(value)) == 0:
            return self.scalar(dtype_of(value).type, value)
        return self.new_array(value)

    def view(
        self, base: Array, read: Any, write: Any, window: Window | None = None, **kind: bool
    ) -> Array:
        """Return an array that is a view of `base`; see `View`."""
        array: Array = self.store.born(Array(self.store, View(base, read, write, window, **kind)))
        self.read(array)  # an index out of range fails here, even if nobody reads the view
        return array

    def variable_array(self, variable: chainer.Variable) -> Any:
        """Return the array of a static Variable as the program sees it now."""
        known = self.store.get(variable, "array")
        return variable.array if known is MISSING else known

    def is_static_variable(self, value: Any) -> bool:
        """Tell whether `value` is a Variable known now (a parameter, say)."""
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
        return Var(array, type(value), again=True)

    def variable_of(self, array: Array, *, leaf: bool = False) -> Var:
        """Return a Variable that the program makes of an array that it has already."""
        array.variables += 1
        return Var(array, leaf=leaf)

    def require_initialized(self, parameter: chainer.Parameter) -> None:
        """See that a parameter that the program uses has its values.

        Raises:
            InputError: It would be initialized, at random, by the first call.
        """
        if self.variable_array(parameter) is not None:
            return
        chain = self.roots[0]
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
            self.refuse(
                f"a {type(value).__name__}, which extends ndarray, where values are known only "
                "when the model runs",
                "make it an array first: `np.asarray(...)`",
            )
        return self._symbolic(value)

    def _symbolic(self, value: np.ndarray[Any, Any]) -> Array:
        known = self._of_static.get(id(value))
        if known is None:
            known = (value, Array(self.store, source=value))
            self._of_static[id(value)] = known
            owner = owner_of(value)
            self.store.born_with(known[1], owner)
            known[1].writable = bool(owner.flags.writeable)
            if owner is not value:
                self._follow(known[1], owner, value)
        return known[1]

    def _follow(self, array: Array, owner: np.ndarray[Any, Any], view: Any) -> None:
        """Make an array that stands for a static view a view of the owner's array."""
        window = window_on(owner, view)
        if window is None:
            array.where = owner
        else:
            array.view = View(self._symbolic(owner), *window.remake(()), window)

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
        version = self.store.get(known[1], CONTENTS)
        return value if version is MISSING else version

    def read(self, array: Array) -> Value:
        """Return the present contents of an array."""
        if array.view is not None:
            base = self.read(array.view.base)
            cached = self.store.get(array, "~view")
            if cached is not MISSING and cached[0] is base:
                return cached[1]
            value = self._read_view(array, array.view, base)
            self.store.set(array, "~view", (base, value))
            return value
        version = self.store.get(array, CONTENTS)
        if version is MISSING:
            if array.where is not None and self.was_written(array.where):
                self.refuse(
                    "this is a view of an array that was changed since",
                    "index the array again after the change",
                )
            if array.source.dtype.kind in "mMV":
                self.refuse(
                    f"an array of dtype {array.source.dtype} is no tensor",
                    "a model holds bools, ints, and floats of 16, 32 and 64 bits",
                )
            return self.constant(array.source)
        if not isinstance(version, Value):
            return self.constant(version)
        return self._merged(array, version) if array.origins else version

    def _read_view(self, array: Array, view: View, base: Value) -> Value:
        """Return what a view selects; a view that a choice holds is one where it is chosen."""
        guard = self.choices.guard_of(array)
        if guard is None:
            return view.read(self.graph, base)
        mark = self.store.mark()
        then, other = self.graph.body("then"), self.graph.body("else")
        with then:
            present = view.read(self.graph, base)
        if all(cannot_fail(node) or not may_raise(node) for node in then.graph):
            self.store.undo(mark)
            then.discard()
            other.discard()
            return view.read(self.graph, base)
        with other:
            missing = self.absent(Leaf(dtype_of(present), tuple(dims_of(present))))
        self.store.undo(mark)
        return self.graph.If(guard, then, [present], other, [missing])[0]

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
        decided = [self.facts.of(tag) for tag, _ in array.origins]
        if True in decided:
            return self.read(array.origins[decided.index(True)][1])
        sources = [self._source(origin) for _, origin in array.origins]
        key = (own, *sources, *decided)
        cached = self.store.get(array, "~merged")
        if cached is not MISSING and all(map(operator.is_, cached[0], key)):
            merged: Value = cached[1]
            return merged
        seen = self.store.get(array, "~origins")
        version = own
        for index, (tag, origin) in enumerate(array.origins):
            if decided[index] is None and (seen is MISSING or seen[index] is not sources[index]):
                version = self._select_read(tag, origin, version)
        self.store.set(array, "~merged", (key, version))
        return version

    def _source(self, origin: Array) -> Value:
        """Return the contents that decide what an array holds: those of its root."""
        return self.read(origin.root)

    def _select_read(self, tag: Value, origin: Array, otherwise: Value) -> Value:
        """Return what `origin` holds where `tag` holds; else it may be no valid view at all."""
        if origin.view is None:
            return self.select(tag, self.read(origin), otherwise)
        mark = self.store.mark()
        then, other = self.graph.body("then"), self.graph.body("else")
        with then, self.facts.assume(tag, True), self._reading(None):
            present = self.read(origin)
        self.store.undo(mark)
        return self.graph.If(tag, then, [present], other, [otherwise])[0]

    def select(self, tag: Value, yes: Value, no: Value) -> Value:
        """Return `yes` where the 0-d bool `tag` holds, else `no`, lazily."""
        if yes is no:
            return yes
        then, other = self.graph.body("then"), self.graph.body("else")
        return self.graph.If(tag, then, [yes], other, [no])[0]

    def remember_origins(self, array: Array) -> None:
        """Note that a joined array is up to date with the arrays it may be."""
        if array.origins:
            sources = [self._source(origin) for _, origin in array.origins]
            self.store.set(array, "~origins", sources)

    def write(self, array: Array, value: Value) -> None:
        """Give an array new contents in place; every alias sees them.

        Raises:
            StagingError: Memory may be shared in a way that is not tracked.
        """
        self.require_tracked(array)
        if array.view is not None:
            base = array.view.base
            self.write(base, array.view.write(self.graph, self.read(base), value))
            return
        keep_order(self.walker, array, value)
        for named in named_by(self, array):
            if named.array is array:
                continue
            self.require_tracked(named.array)
            if named.array.view is not None:
                self._write_if(named.when, named.array, value)
                continue
            chosen = value
            if not isinstance(named.when, bool):
                chosen = self.select(named.when, value, self.read(named.array))
            keep_order(self.walker, named.array, chosen)
            self.store.set(named.array, CONTENTS, chosen)
        self.store.set(array, CONTENTS, value)
        self.remember_origins(array)

    def _write_if(self, tag: Value | bool, origin: Array, value: Value) -> None:
        test = tag if isinstance(tag, bool) else self.scalar(bool, tag)
        self.branch(test, lambda: self.write(origin, value), lambda: None)

    def freeze(self, array: Array) -> None:
        """Forbid writes to an array that a list of dynamic length holds a copy of.

        A chosen array is one of several: none of them may change.
        """
        for root in memory_of(array):
            self._frozen[id(root)] = root

    def in_list(self, array: Array) -> bool:
        """Tell whether a list of dynamic length holds a copy of this array, or of its memory."""
        return array.frozen or array.root.frozen or id(array.root) in self._frozen

    def lasting(self, origin: Origin) -> Origin | None:
        """Return how an element of a list names the array that it is, or None if it cannot.

        The array, or what it is a view of, was made outside all loops and branches.
        """
        if not self.plan.keeps_identity:
            return None
        if isinstance(origin, Seen):
            return origin if self._is_outside(origin.base) else None
        if origin.where is None and self._is_outside(origin):
            return origin
        window = window_of(origin)
        if origin.view is None or window is None or not self._is_outside(origin.view.base):
            return None
        return Seen(origin.view.base, window)

    def _is_outside(self, array: Array) -> bool:
        return not self._regions or not self.store.is_fresh(array, self._regions[0][0])

    @contextmanager
    def in_region(self, mark: Mark) -> Iterator[None]:
        """Walk a region begun at `mark`: a side of a branch, or a turn of a loop."""
        self._regions.append((mark, self.region_site()))
        try:
            yield
        finally:
            self._regions.pop()

    def regions(self) -> list[tuple[Mark, Any]]:
        """Return where the regions around began: marks and sites, outermost first."""
        return self._regions

    def region_site(self) -> Any:
        """Return what names the branch or loop here in any walk."""
        return (tuple(map(id, self._node)), *self.turn_numbers)
