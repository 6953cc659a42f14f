"""Calls: lowered, or handed to what walks or runs them."""

from __future__ import annotations

import contextlib
import functools
import inspect
import operator
import types
from typing import Any

import chainer
import numpy as np

from elichika.errors import ElichikaError, StagingError
from elichika.idioms.queues import Deque
from elichika.lowerings.numpy.operands import require_items
from elichika.lowerings.python import named
from elichika.program import native_code as natives
from elichika.program.raised import Raised, StopConsuming
from elichika.registry import list_lowering_of, lowering_of, may_share
from elichika.state.store import MISSING
from elichika.values.functions import Closure
from elichika.values.symbolic import Choice, SymbolicUse, Text
from elichika.walker.containers.text_keys import puts, takes_name
from elichika.walker.core import PLAIN
from elichika.walker.functions import Functions
from elichika.walker.guards import raises_exactly
from elichika.walker.kinds import kind_of
from elichika.walker.sharing import Sharing
from elichika.walker.walk import Walk
from onnx_graph import GraphError

#: Functions whose arguments are looked at before they are lowered.
SIGNED = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodDescriptorType,
    type(np.sum),  # a function before numpy 1.25, and an own type since
)


#: The methods that builtins call.
ASKED: dict[Any, tuple[str, ...]] = {
    bool: ("__bool__", "__len__"),
    int: ("__int__", "__index__", "__trunc__"),
    float: ("__float__", "__index__"),
    abs: ("__abs__",),
    round: ("__round__",),
    divmod: ("__divmod__",),
    operator.index: ("__index__",),
}
_HASHABLE = (type, types.BuiltinFunctionType)


@functools.cache
def _signature(function: Any) -> inspect.Signature | None:
    """Return how a function is called, if it tells."""
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None


def _asked(function: Any) -> tuple[str, ...]:
    """Return the methods that a builtin calls."""
    return ASKED.get(function, ()) if isinstance(function, _HASHABLE) else ()


def _is_numpys(function: Any) -> bool:
    """Tell whether a function is one of numpy."""
    module = getattr(function, "__module__", None) or ""
    return isinstance(function, np.ufunc) or module.split(".")[0] == "numpy"


def _says_its_items(value: Any) -> bool:
    """Tell whether numpy may ask a value what its items are: a list of a class of the program."""
    return type(value) is Deque or not {list, tuple}.isdisjoint(type(value).__mro__[1:])


class Calls:
    """The part of the walker that calls."""

    def __init__(self, w: Walk, functions: Functions, sharing: Sharing) -> None:
        self.w = w
        self.functions = functions
        self.sharing = sharing
        #: Functions that take so many arguments, and these by name.
        self._fitting: set[tuple[Any, ...]] = set()

    def call(self, function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """Call a function of the program."""
        function = self.w.narrow(function)
        return kind_of(function).call(self.w, function, args, kwargs)

    def lowered_call(self, function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """Return what the lowering of a function gives, `MISSING` where it has none."""
        if any(map(_says_its_items, (*args, *kwargs.values()))) and _is_numpys(function):
            args = list(map(self._seen_by_numpy, args))
            kwargs = {name: self._seen_by_numpy(given) for name, given in kwargs.items()}
        if any(map(self.w.is_dynamic, (*args, *kwargs.values()))):
            taken = self._with_lists(function, args, kwargs)
            if taken is not NotImplemented:
                return taken
        nodes = (chainer.FunctionNode, chainer.Function)
        makes_node = isinstance(function, type) and issubclass(function, nodes)
        lowering = None if makes_node else lowering_of(function)
        if lowering is not None and (
            getattr(lowering, "always", False)
            or self.w.is_symbolic((tuple(args), tuple(kwargs.values())))
            or self._asks(function, args)
        ):
            return self.lower(function, lowering, args, kwargs)
        return MISSING

    def _seen_by_numpy(self, value: Any) -> Any:
        """Return a deque as a list; refuse a list that says itself what its items are."""
        if type(value) is Deque:
            return self.w.call(list, [value], {})
        if _says_its_items(value):
            require_items(self.w, value)
        return value

    def _asks(self, function: Any, args: list[Any]) -> bool:
        """Tell whether a builtin calls a method of the program."""
        names = _asked(function)
        if not names or not args or type(args[0]) in PLAIN:
            return False
        methods = [self.w.special(args[0], name) for name in names]
        return any(
            isinstance(m, (types.FunctionType, Closure)) and self.w.has_source(m) for m in methods
        )

    def _with_lists(self, function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """Call a function that takes lists of dynamic length in its own way."""
        lowering = list_lowering_of(function)
        if lowering is not None:
            return self.lower(function, lowering, args, kwargs)
        if _is_numpys(function):
            args = [self.w.native_array(a) if self.w.is_dynamic(a) else a for a in args]
            kwargs = {
                k: self.w.native_array(a) if self.w.is_dynamic(a) else a for k, a in kwargs.items()
            }
            return self.call(function, args, kwargs)
        return NotImplemented

    def walked(self, function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """Walk into a function that has a lowering, from within this lowering."""
        body = natives.numpy_body(function)
        if body is not None:
            return self.functions.walk_function(body, args, kwargs)
        return self.w.call_function(function, args, kwargs)

    def lower(self, function: Any, lowering: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """Call a lowering in place of its function; choices among its arguments first."""
        known = self.w.as_symbolic if _asked(function) else self.w.narrow
        args = [known(a) for a in args]
        if len(args) > 1 and type(args[1]) is Text and takes_name(function):
            args[1] = self.w.narrow(named.told_apart(self.w, args[1]))
        if not getattr(lowering, "takes_choices", False):
            for index, arg in enumerate(args):
                if isinstance(arg, Choice) and not (index == 1 and puts(self.w, function, args)):
                    return self.w.choices.apply(
                        arg,
                        functools.partial(self.call_with, function, args, kwargs, index),
                    )
            for name, arg in kwargs.items():
                if isinstance(self.w.narrow(arg), Choice):
                    return self.w.choices.apply(
                        arg, functools.partial(self.call_with, function, args, kwargs, name)
                    )
        self._bind_signature(function, args, kwargs)
        with self.w.located(raises_exactly(function)), self.native_errors(function):
            try:
                result = lowering(self.w, *args, **kwargs)
                if may_share(function):
                    self.sharing.share_all(result, [args, kwargs], natives.name_of(function))
                return result
            except (SymbolicUse, GraphError):
                raise
            except (TypeError, ValueError) as error:
                message = f"`{natives.name_of(function)}` is not compiled with these arguments"
                raise StagingError(message, self.w.here()) from error

    def _bind_signature(self, function: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
        """Raise what Python raises where arguments do not fit a function."""
        known = _signature(function) if isinstance(function, SIGNED) else None
        if known is not None and (function, len(args), *kwargs) not in self._fitting:
            try:
                known.bind(*args, **kwargs)
                self._fitting.add((function, len(args), *kwargs))
            except TypeError as error:
                self.w.raise_static(TypeError(f"{function.__name__}(): {error}"))

    def call_with(
        self, function: Any, args: list[Any], kwargs: dict[str, Any], key: int | str, value: Any
    ) -> Any:
        """Call a function with one argument replaced."""
        if isinstance(key, int):
            return self.call(function, [*args[:key], value, *args[key + 1 :]], kwargs)
        return self.call(function, args, {**kwargs, key: value})

    @contextlib.contextmanager
    def native_errors(self, function: Any) -> Any:
        """Tell errors of the walked program from errors of ours."""
        try:
            yield
        except ElichikaError as error:
            if not error.frames:
                error.frames = self.w.here()
            raise
        except (Raised, StopConsuming):
            raise
        except SymbolicUse:
            name = natives.name_of(function)
            self.w.refuse(f"`{name}` needs a value that is known only when the model runs")
        except GraphError as error:
            self.w.refuse(f"`{natives.name_of(function)}` cannot be compiled: {error}")
