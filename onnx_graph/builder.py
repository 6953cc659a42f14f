"""``ONNXGraph``: a graph under construction that writes like ONNX and types every node at once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Literal, Protocol, overload

import numpy as np
import numpy.typing as npt
import onnx
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph import attributes as attributes_
from onnx_graph import (
    checks,
    control,
    inference,
    operands,
    range_barriers,
    signed_zeros,
    size_values,
)
from onnx_graph.dims import ANY, Dim, symbols
from onnx_graph.errors import GraphError
from onnx_graph.failing import surely
from onnx_graph.lifting import Lifting
from onnx_graph.marks import HINT, SOURCE
from onnx_graph.schemas import RANDOM, signature
from onnx_graph.scopes import Body, Scope
from onnx_graph.values import Dims, const_array, contents_of, data_type_of, describe, is_tensor

IR_VERSIONS = {21: 10, 22: 10, 23: 11, 24: 11, 25: 12, 26: 13}


class Emitter(Protocol):
    """Emits an operator: gives its result, or a tuple of several."""

    @overload
    def __call__(self, *inputs: object, outputs: Literal[1] = 1, **attributes: object) -> Value: ...

    @overload
    def __call__(self, *inputs: object, outputs: int, **attributes: object) -> Any: ...


class Guard(Protocol):
    """Asks elsewhere what would make the model fail."""

    def before(
        self, op: str, values: Sequence[Value | None], attributes: Mapping[str, object]
    ) -> bool:
        """Tell whether a node of these operands, which is emitted next, surely does not fail."""

    def asked(self, condition: Value, message: str) -> bool:
        """Tell whether a check is not needed: its condition surely holds from here on."""


class ONNXGraph:
    """A model of one main graph with nested bodies.

    ``g.Relu(x)`` emits any ai.onnx operator of the opset. Operands are values, numpy arrays,
    Python numbers and lists (constants), sizes, or objects with an ``onnx_value``. Every result is
    typed before the call returns; an operand that does not fit raises :class:`GraphError`.

    Attributes:
        metadata: What the model's `metadata_props` hold.
        docs: What inputs and outputs are, by name.
        producer: Name and version of the program that writes the model.
        source_info: Whether the model says which line of the program made a node.
        open_weights: Whether nothing is computed from what parameters hold: others may take their
            place. These are kept in `weights`, apart from their values.
        folds_norms: Whether normalizations by known statistics become part of the weights.
        positive: The names of sizes of which the model has checked, before all else, that they are
            not 0.
        nodes: How many nodes were emitted, those of discarded bodies left out.
        lifting: What closed bodies give to who goes back into them.
        watch: Is called with that number before each node; what it raises stops the emission.
        guard: Is told of nodes and checks before they are emitted; None if nothing is.
    """

    def __init__(self, opset: int = 18, *, random: bool = False) -> None:
        """Make an empty graph for an opset from 18 up.

        Args:
            opset: Of the operators.
            random: Whether operators that draw random numbers may be emitted.
        """
        if not 18 <= opset <= onnx.defs.onnx_opset_version():
            raise GraphError(f"opset {opset} is not supported")
        self.opset = opset
        self.random = random
        self.draws = 0
        self.ir_version = 8 if opset < 19 else IR_VERSIONS.get(opset, 9 if opset < 21 else 13)
        self.main = Scope("main", None, opset)
        self.scope: Scope = self.main
        self.outputs: dict[str, Value] = {}
        self.metadata: dict[str, str] = {}
        self.docs: dict[str, str] = {}
        self.producer = ("onnx_graph", "")
        self.source_info = True
        self.open_weights = False
        self.folds_norms = True
        self.positive: set[str] = set()
        self.weights: dict[str, npt.NDArray[Any]] = {}
        self.nodes = 0
        self.watch: Callable[[int], None] | None = None
        self.guard: Guard | None = None
        self._scopes: dict[ir.Graph, Scope] = {self.main.graph: self.main}
        self._source: object = None
        self._unknowns = 0
        self._constants = 0
        self._born: dict[str, Scope] = {}
        self.lifting = Lifting(self)

    # Inputs, constants, outputs

    def input(
        self, name: str, dtype: npt.DTypeLike, dims: Sequence[int | str | Dim | None]
    ) -> Value:
        """Declare a tensor input of the model.

        Args:
            name: Its name in the model.
            dtype: Element type.
            dims: Sizes: an int, a symbol or expression, a Dim, or None for an unknown size.
        """
        return self._main_input(name, ir.TensorType(data_type_of(dtype)), dims)

    def sequence_input(
        self,
        name: str,
        dtype: npt.DTypeLike,
        dims: Sequence[int | str | Dim | None] | None = None,
    ) -> Value:
        """Declare an input that is a sequence; ``dims`` are sizes that every element has."""
        element = ir.TensorType(data_type_of(dtype))
        return self._main_input(name, ir.SequenceType(element), dims)

    def _main_input(
        self,
        name: str,
        type_: ir.TypeProtocol,
        dims: Sequence[int | str | Dim | None] | None,
    ) -> Value:
        if any(value.name == name for value in self.main.graph.inputs):
            raise GraphError(f"the model has an input {name!r} already")
        value = self.declare(self.main, type_, dims, name)
        value.name = name
        self.main.graph.inputs.append(value)
        return value

    def declare(
        self,
        scope: Scope,
        type_: ir.TypeProtocol,
        dims: Sequence[int | str | Dim | None] | None,
        hint: str | None,
    ) -> Value:
        """Make an input value of a scope (used by the bodies)."""
        value = Value(type=type_, name=hint)
        if hint:
            value.meta[HINT] = hint
        if dims is not None:
            elements = not isinstance(type_, ir.TensorType)
            declared = tuple(
                ANY if dim is None and elements else self.declared_size(scope, dim) for dim in dims
            )
            value.shape = ir.Shape(declared)
            if isinstance(type_, ir.TensorType):
                self.remember_symbols(scope, value, declared)
        return value

    def declared_size(self, scope: Scope, dim: int | str | Dim | None) -> int | Dim:
        """Return a size of a value of a scope, whose symbols are born there if they are new."""
        if dim is None:
            return self.fresh_dim(scope)
        size = Dim(dim) if isinstance(dim, str) else dim
        if isinstance(size, Dim):
            for name in sorted(size.free_symbols()):
                if name not in self._born or not self._born[name].encloses(scope):
                    self._born[name] = scope
                    scope.born.add(name)
            return size
        if isinstance(size, (int, np.integer)) and size >= 0:
            return int(size)
        raise GraphError(f"{dim!r} is not a size")

    def initializer(self, name: str, array: npt.NDArray[Any]) -> Value:
        """Add a parameter; it shares memory with ``array``.

        Raises:
            GraphError: another array has that name already.
        """
        found = self.main.graph.initializers.get(name)
        if found is not None:
            kept = self.array_of(found)
            same_memory = (
                kept.__array_interface__ == array.__array_interface__
                if kept.dtype.kind != "O"
                else kept is array
            )
            if kept is not array and not same_memory:
                raise GraphError(f"another initializer is called {name!r}")
            return found
        value = self._constant_value(name, array)
        value.meta[HINT] = name
        if self.open_weights:
            self.weights[name], value.const_value = array, None
        return value

    def own_parameters(self) -> None:
        """Copy the parameters, so that who changes an array that was given changes no model."""
        for name, value in self.main.graph.initializers.items():
            if name in self.weights:
                self.weights[name] = self.weights[name].copy()
            elif HINT in value.meta and value.dtype is not ir.DataType.STRING:
                held = np.array(self.array_of(value))
                value.const_value = ir.Tensor(held, dtype=value.dtype, name=name)

    def array_of(self, parameter: Value) -> npt.NDArray[Any]:
        """Return what a parameter holds, whether it is known to the nodes or not."""
        array = self.weights.get(str(parameter.name))
        known = const_array(parameter) if array is None else array
        assert known is not None
        return known

    def _constant_value(self, name: str, array: npt.NDArray[Any]) -> Value:
        data_type = data_type_of(array.dtype)
        tensor: ir.TensorProtocol
        if data_type is ir.DataType.STRING:
            items = [str(item).encode() for item in array.ravel()]
            tensor = ir.StringTensor(items, shape=ir.Shape(array.shape), name=name)
        else:
            tensor = ir.Tensor(array, dtype=data_type, name=name)
        value = Value(
            name=name,
            type=ir.TensorType(data_type),
            shape=ir.Shape(array.shape),
            const_value=tensor,
        )
        self.main.graph.initializers[name] = value
        return value

    def constant(self, contents: object, dtype: npt.DTypeLike = None) -> Value:
        """Return a constant, the same one for equal contents; visible in every scope.

        Args:
            contents: Array, number, or nested list. Without ``dtype``, Python ints become int64,
                floats float32, bools bool.
            dtype: Element type.
        """
        array = operands.as_array(contents, dtype)
        key = ("constant", array.dtype.name, array.shape, array.tobytes())
        if array.dtype.kind in "OUS":
            key = ("constant", "string", array.shape, repr(array.tolist()).encode())
        found = self.main.memo.get(key)
        if found is None:
            self._constants += 1
            array = np.array(array, order="C", copy=True)
            array.flags.writeable = False
            while self._is_taken(name := f"constant_{self._constants}"):
                self._constants += 1
            found = self.main.memo[key] = self._constant_value(name, array)
        return found

    def _is_taken(self, name: str) -> bool:
        """Tell whether the model has an input, an output or an initializer of a name."""
        main = self.main.graph
        inputs = (value.name for value in main.inputs)
        return name in main.initializers or name in self.outputs or name in inputs

    def output(self, name: str, value: object) -> Value:
        """Make a value an output of the model.

        Raises:
            GraphError: the name is taken, or the value belongs to a body.
        """
        if name in self.outputs or any(item.name == name for item in self.main.graph.inputs):
            raise GraphError(f"the model has an input or output {name!r} already")
        if self.scope is not self.main:
            raise GraphError("outputs are declared in the main scope")
        result = operands.as_value(self, value)
        self.require_visible("the model's output", [result])
        if result.shape is None and is_tensor(result):
            raise GraphError(f"output {name!r}: ONNX asks for a rank, {describe(result)} has none")
        if result.producer() is None or result.is_graph_output():
            result = control.copied(self, result)
        self.main.graph.outputs.append(result)
        self.outputs[name] = result
        return result

    # Emitting

    def __getattr__(self, op: str) -> Emitter:
        """Return the function that emits operator ``op``."""
        if not op[:1].isupper():
            raise AttributeError(op)
        signature(op, self.opset)

        def emitter(*inputs: object, outputs: int = 1, **attributes: object) -> Any:
            return self.emit(op, inputs, attributes, outputs)

        return emitter

    @overload
    def emit(
        self,
        op: str,
        inputs: Sequence[object],
        attributes: Mapping[str, object] | None = None,
        outputs: Literal[1] = 1,
    ) -> Value: ...

    @overload
    def emit(
        self,
        op: str,
        inputs: Sequence[object],
        attributes: Mapping[str, object] | None = None,
        outputs: int = 1,
    ) -> Any: ...

    def emit(
        self,
        op: str,
        inputs: Sequence[object],
        attributes: Mapping[str, object] | None = None,
        outputs: int = 1,
    ) -> Any:
        """Emit a node into the current scope.

        Args:
            op: An operator of ai.onnx.
            inputs: Operands; None for one that is left out.
            attributes: By name; None leaves one out.
            outputs: How many results.

        Returns:
            The result, or a tuple for more than one.

        Raises:
            GraphError: an operand has a wrong type or shape or is not visible here, or an
                attribute is unknown or missing.
        """
        values = operands.with_plain_axes(self, op, operands.convert(self, op, inputs))
        if op in ("Add", "Sub"):
            result = signed_zeros.sum_with_zero(self, op, values)
            if result is not None:
                return result
        if op == "Gather":
            values = range_barriers.apart(self, values, (attributes or {}).get("axis", 0))
        guarded = self.guard is not None and self.guard.before(op, values, attributes or {})
        results = self.emit_into(self.scope, op, values, attributes or {}, outputs)
        if guarded:
            surely(results[0])
        return results[0] if outputs == 1 else results

    def emit_into(
        self,
        scope: Scope,
        op: str,
        values: Sequence[Value | None],
        attributes: Mapping[str, object],
        outputs: int = 1,
        *,
        after: Value | None = None,
        types: Sequence[tuple[ir.TypeProtocol, Dims | None]] | None = None,
    ) -> tuple[Value, ...]:
        """Emit into a scope; right after the producer of ``after``, else at its end.

        ``types`` gives the types of the results where the caller knows them (If and Loop).
        """
        if self.watch is not None:
            self.watch(self.nodes + 1)
        self.require_visible(op, values, scope)
        if op in RANDOM and op != "Dropout" and not self.random:
            raise GraphError(f"{op} draws random numbers, which were not asked for")
        kept = attributes_.convert(signature(op, self.opset), attributes)
        node = ir.Node("", op, values, kept, num_outputs=outputs)
        if self._source is not None:
            node.meta[SOURCE] = self._source
        try:
            if types is None:
                inference.type_node(self, scope, node)
            else:
                for value, (type_, dims) in zip(node.outputs, types, strict=True):
                    value.type = type_
                    value.shape = None if dims is None else ir.Shape(dims)
        except BaseException:
            _detach(node)
            raise
        self._place(scope, node, after)
        self.nodes += 1
        for value in node.outputs:
            if value.shape is not None and is_tensor(value):
                self.remember_symbols(scope, value, value.shape.dims)  # type: ignore[arg-type]
        return tuple(node.outputs)

    @contextmanager
    def draft(
        self, op: str, values: Sequence[Value | None], attributes: Mapping[str, object]
    ) -> Iterator[ir.Node]:
        """Give a node as it would be emitted, with the type of its result; then forget it."""
        kept = attributes_.convert(signature(op, self.opset), attributes)
        node = ir.Node("", op, values, kept)
        try:
            inference.type_node(self, self.scope, node)
            yield node
        finally:
            _detach(node)

    def _place(self, scope: Scope, node: ir.Node, after: Value | None) -> None:
        if after is None or len(scope.graph) == 0:
            scope.graph.append(node)
        elif (producer := after.producer()) is not None and producer.graph is scope.graph:
            scope.graph.insert_after(producer, node)
        else:
            scope.graph.insert_before(scope.graph[0], node)

    def remember_symbols(self, scope: Scope, value: Value, dims: Dims) -> None:
        """Note that ``value`` carries the symbols that are its sizes."""
        for axis, dim in enumerate(dims):
            if isinstance(dim, Dim):
                scope.sources.setdefault(dim.text, (value, axis))

    # Scopes

    def body(self, name: str, loop: bool = False) -> Body:
        """Make the body of an If branch or, with ``loop``, of a Loop, below the current scope."""
        made = Body(self, name, self.scope, loop)
        self._scopes[made.graph] = made
        return made

    def owner(self, value: Value) -> Scope:
        """Return the scope that a value belongs to.

        Raises:
            GraphError: it belongs to no scope of this graph.
        """
        scope = self._scopes.get(value.graph) if value.graph is not None else None
        if scope is None or (isinstance(scope, Body) and scope.discarded):
            raise GraphError(f"{describe(value)} belongs to no scope of this graph")
        return scope

    def body_of(self, graph: ir.Graph) -> Body:
        """Return the body that a graph is of."""
        found = self._scopes[graph]
        assert isinstance(found, Body)
        return found

    def require_visible(
        self, what: str, values: Sequence[Value | None], scope: Scope | None = None
    ) -> None:
        """Check that values may be used in a scope (the current one by default).

        Raises:
            GraphError: a value belongs to a scope that does not enclose it.
        """
        target = scope or self.scope
        for position, value in enumerate(values):
            if value is not None and not self.is_visible(value, target):
                raise GraphError(
                    f"{what}: operand {position}, {describe(value)}, belongs to body "
                    f"{self.owner(value).graph.name!r} and is not visible in {target.graph.name!r}"
                )

    def is_visible(self, value: Value, scope: Scope) -> bool:
        """Tell whether a value may be used in a scope.

        Raises:
            GraphError: it belongs to no scope of this graph.
        """
        if value.graph is scope.graph or value.graph is self.main.graph:
            return True
        return self.owner(value).encloses(scope)

    def If(  # noqa: N802
        self,
        condition: object,
        then_body: Body,
        then_values: Sequence[object],
        else_body: Body,
        else_values: Sequence[object],
    ) -> list[Value]:
        """Emit an If; see :func:`onnx_graph.control.emit_if`."""
        return control.emit_if(self, condition, then_body, then_values, else_body, else_values)

    def Loop(  # noqa: N802
        self,
        trip: object | None,
        condition: object | None,
        body: Body,
        initial: Sequence[object] = (),
        *,
        carried: Sequence[object] = (),
        scans: Sequence[object] = (),
        cond_out: object | None = None,
    ) -> list[Value]:
        """Emit a Loop; see :func:`onnx_graph.control.emit_loop`."""
        return control.emit_loop(self, trip, condition, body, initial, cond_out, carried, scans)

    # Sizes

    def fresh_dim(self, scope: Scope | None = None) -> Dim:
        """Return a new unknown size, ``unk_1``, ``unk_2``, …."""
        target = scope or self.scope
        while True:
            self._unknowns += 1
            name = f"unk_{self._unknowns}"
            if name not in self._born:
                break
        self._born[name] = target
        target.born.add(name)
        return Dim(name)

    def birthplace(self, dim: int | Dim) -> list[Scope]:
        """Return the scopes that the symbols of a size were made in."""
        return [self._born[name] for name in sorted(symbols(dim)) if name in self._born]

    def memoised(self, scope: Scope, key: Hashable) -> Value | None:
        """Return what the scopes from the main one down to ``scope`` remember under a key."""
        for enclosing in scope.chain():
            if (found := enclosing.memo.get(key)) is not None:
                return found
        return None

    def size(self, value: object, axis: int) -> Value:
        """Return a size of a tensor as an int64 scalar, visible wherever the tensor is."""
        return size_values.size(self, operands.as_value(self, value), axis)

    def compare(self, left: int | Dim | Value, op: str, right: int | Dim | Value) -> bool | Value:
        """Return how two sizes compare; see :func:`onnx_graph.size_values.compare_sizes`."""
        return size_values.compare_sizes(self, left, op, right)

    def dim_value(self, dim: int | Dim | Value) -> Value:
        """Return an int64 scalar that computes a size; one that is such a scalar as it is.

        Raises:
            GraphError: no visible value carries one of its symbols.
        """
        return size_values.dim_value(self, dim)

    def shape_tensor(self, items: Sequence[object]) -> Value:
        """Return an int64 vector of ints, sizes and int64 scalars."""
        return size_values.shape_tensor(self, items)

    def known(self, value: object) -> list[int | Dim] | int | Dim | None:
        """Return the contents of an int64 scalar or vector, None unless all of it is known."""
        contents = contents_of(operands.as_value(self, value))
        if isinstance(contents, tuple):
            known = [item for item in contents if item is not None]
            return known if len(known) == len(contents) else None
        return contents

    def const_value(self, value: object) -> npt.NDArray[Any] | None:
        """Return the contents of a constant, None for every other value."""
        return const_array(operands.as_value(self, value))

    # Checks, sources

    def check(self, condition: object, message: str, *, raised: bool = False) -> Value:
        """Emit a run-time check; see :func:`onnx_graph.checks.check`.

        Args:
            condition: What it checks.
            message: What the model says.
            raised: The program itself raises something exactly where this fails.
        """
        if raised and self.guard is not None:
            value = operands.as_value(self, condition)
            if self.guard.asked(value, message):
                return self.constant(0)
        return checks.check(self, condition, message)

    def tie(self, value: object, token: object, dims: Sequence[int | Dim] | None = None) -> Value:
        """Make a value depend on a token; see :func:`onnx_graph.checks.tie`."""
        return checks.tie(self, value, token, dims)

    @contextmanager
    def at(self, source: object) -> Iterator[None]:
        """Let new nodes remember a place: an object with ``label`` and ``frames``, or a str."""
        before, self._source = self._source, source
        try:
            yield
        finally:
            self._source = before

    def hint(self, value: object, name: str) -> None:
        """Suggest a name for a value."""
        hinted = operands.as_value(self, value)
        if not hinted.is_initializer():
            hinted.meta[HINT] = name

    # Results

    def model(self) -> ir.Model:
        """Return the onnx-ir model, with its final names; it shares the graph's nodes."""
        from onnx_graph.naming import finished_model

        return finished_model(self)

    def to_model(self) -> onnx.ModelProto:
        """Return the checked protobuf model; see :func:`onnx_graph.export.to_proto`."""
        from onnx_graph.export import to_proto

        return to_proto(self)

    def source_map(self) -> dict[str, Any]:
        """Return which line of the program made each node of :meth:`model`, by its name."""
        from onnx_graph.naming import source_map

        return source_map(self)

    def to_text(self) -> str:
        """Return the graph as readable text; see :func:`onnx_graph.text.to_text`."""
        from onnx_graph.text import to_text

        return to_text(self)

    def forget(self) -> None:
        """Forget memoised sizes and constants; passes may have removed them."""
        for scope in self._scopes.values():
            scope.memo.clear()
            scope.sources.clear()

    def optimize(self) -> dict[str, int]:
        """Run the passes and return how many changes each made."""
        from onnx_graph.passes import optimize

        return optimize(self)


def _detach(node: ir.Node) -> None:
    """Take a node out of the uses of its operands."""
    for index in range(len(node.inputs)):
        node.replace_input_with(index, None)
