"""What a lowering may ask of the compiler: the graph, values of the program, checks, refusals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

import numpy as np

from elichika.values.symbolic import Array, Scalar, Var, Window
from onnx_graph import Dim, ONNXGraph, Value

if TYPE_CHECKING:
    from elichika.errors import SourceFrame

__all__ = ["LoweringContext"]


class LoweringContext(Protocol):
    """The compiler as a lowering sees it; its first argument.

    A value of the program is an object of Python's where it is known while compiling (an int, a
    list, an array), and a *symbolic* one where it is known only when the model runs: a `Scalar`, an
    array, a Variable. Arguments come as the program passes them; `value_of` gives the tensor of
    each, and `new_array`, `new_var`, `scalar` and `new_list` make what the program gets.

    Attributes:
        graph: The graph under construction: `graph.Relu(x)` adds an operator to it.
        guarded: How many handlers around may catch what an operator fails with.
    """

    graph: ONNXGraph
    guarded: int

    # Tensors of values, and values of tensors

    def value_of(self, value: Any, dtype: Any = None) -> Value:
        """Return the tensor of a number, an array or a Variable.

        Args:
            value: Known or symbolic.
            dtype: What it is cast to, as numpy names it; None for its own.

        Raises:
            StagingError: It is none of these.
        """

    def scalar_value(self, value: Any, dtype: np.dtype[Any]) -> Value:
        """Return a number, known or not, as a tensor without axes, of a dtype."""

    def constant(self, value: Any) -> Value:
        """Return the constant for a number or array that is known while compiling."""

    def new_array(self, value: Value) -> Array:
        """Return a fresh array of the program that holds a tensor."""

    def new_var(self, value: Value) -> Var:
        """Return a fresh `chainer.Variable` of the program that holds a tensor."""

    def scalar(self, type_: type, value: Value, bound: int | None = None) -> Scalar:
        """Return a number of the program.

        Args:
            type_: `int`, `float`, `bool` or a type of numpy's.
            value: A tensor without axes.
            bound: What the absolute value of an int stays within, if that is known.
        """

    def result(self, value: Value, like_numpy: bool = True) -> Any:
        """Return an array, or the number of numpy's that a result without axes is."""

    def as_array(self, value: Any) -> Array:
        """Return an array of numpy, or of the program, as a symbolic one."""

    def as_var(self, value: Any) -> Var:
        """Return a Variable, or an array, as a symbolic Variable."""

    def dims(self, value: Any) -> tuple[int | Dim, ...]:
        """Return the sizes of an array, a Variable or a number: ints where they are known."""

    def dim_scalar(self, dim: int | Dim) -> int | Scalar:
        """Return a size as the program sees it."""

    def read(self, array: Array) -> Value:
        """Return what an array holds now."""

    def write(self, array: Array, value: Value) -> None:
        """Give an array other contents in place, of the same sizes; all views see them.

        Raises:
            StagingError: It may share memory in a way that is not followed.
        """

    def share(self, array: Array, *others: Array) -> Array:
        """Note that an array may share memory with others; return it."""

    def may_be(self, array: Array, *others: Array) -> Array:
        """Note that an array may even be one of others; return it."""

    def view(
        self, base: Array, read: Any, write: Any, window: Window | None = None, **kind: bool
    ) -> Array:
        """Return an array of the program that shows a part of another one, or all of it.

        Args:
            base: The array whose memory it is.
            read: `read(graph, base)` gives what the view shows of the tensor of its base.
            write: `write(graph, base, new)` gives the base's after `new` was written to the view.
            window: Which elements of the base it shows, where that is known.
            **kind: `writable=False` where nothing can be written through it.
        """

    # Values of the program

    def narrow(self, value: Any) -> Any:
        """Return a value without the alternatives that cannot be here."""

    def is_symbolic(self, value: Any) -> bool:
        """Tell whether anything in a value is known only when the model runs."""

    def is_dynamic(self, value: Any) -> bool:
        """Tell whether a value is a list whose length is known only when the model runs."""

    def type_of(self, value: Any) -> type:
        """Return the type that a value has in the program."""

    def items(self, value: Any) -> tuple[Any, ...]:
        """Return what a list or tuple of known length holds."""

    def static_items(self, value: Any) -> list[Any]:
        """Return the items of anything that is iterated and has a known length."""

    def new_list(self, items: Sequence[Any]) -> list[Any]:
        """Return a fresh list of the program."""

    def new_dict(self, items: dict[Any, Any]) -> dict[Any, Any]:
        """Return a fresh dict of the program."""

    def numbers_in(self, value: Any) -> Array | None:
        """Return a list of symbolic numbers of dynamic length as a vector, None of others."""

    def native_array(self, value: Any) -> Any:
        """Return the array that numpy makes of a list."""

    # What the program can do

    def call(self, function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """Call a function of the program, of Python, numpy or Chainer."""

    def walked(self, function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """Read the Python of a function that has a lowering, from within this lowering."""

    def truth(self, value: Any) -> Any:
        """Return `bool(value)`: a bool, or a symbolic one."""

    def not_(self, value: Any) -> Any:
        """Return `not value`."""

    def unary(self, op: Any, operand: Any) -> Any:
        """Return `op(operand)`, for a function of the module `operator`."""

    def binary(self, op: Any, left: Any, right: Any) -> Any:
        """Return `op(left, right)`, for a function of the module `operator`."""

    def branch(self, test: Any, then: Callable[[], Any], other: Callable[[], Any]) -> Any:
        """Return what one of two functions gives, whichever a bool chooses; both are walked."""

    def get_attribute(self, obj: Any, name: str, default: Any = ...) -> Any:
        """Return `obj.name`; the default, where one is given and there is no such attribute."""

    def get_item(self, obj: Any, index: Any) -> Any:
        """Return `obj[index]`."""

    def set_item(self, obj: Any, index: Any, value: Any) -> None:
        """Run `obj[index] = value`."""

    def special(self, value: Any, name: str) -> Any:
        """Return a special method of the type of a value, None if it has none."""

    def whole(self, value: Any, *, by_numpy: bool = False) -> Any:
        """Return what `__index__` of an object of the program gives, other values as they are.

        With `by_numpy`, which may ask it more than once, it may change nothing.
        """

    # What goes wrong

    def check(
        self,
        condition: Any,
        exception: type[BaseException],
        message: str,
        args: tuple[Any, ...] | None = None,
        exact: bool | None = None,
    ) -> None:
        """Let the model fail where a bool is False, known while compiling or when it runs.

        Args:
            condition: The bool.
            exception: Of which class one is raised.
            message: What the model says.
            args: Those of the exception, for the program that catches it, if they are known.
            exact: Whether one of this very class is raised exactly there, so that it may be caught.
        """

    def raise_static(self, error: BaseException, near: str | None = None) -> NoReturn:
        """Raise an error in the program: now, for every input."""

    def refuse(self, message: str, hint: str | None = None) -> NoReturn:
        """Stop the compile with the user's line.

        Raises:
            StagingError: Always.
        """

    def here(self) -> tuple[SourceFrame, ...]:
        """Return the places of the program that lead here, outermost first."""
