"""Calls: lowered, walked into, or run now with Python itself."""

from __future__ import annotations

import collections.abc
import contextlib
import functools
import inspect
import sys
import types
from typing import Any

import chainer
import gast
import numpy as np

from elichika.errors import ElichikaError, UnsupportedFunction, UnsupportedSyntax
from elichika.iteration import Staged
from elichika.registry import list_lowering_of, lowering_of
from elichika.source import SourceUnavailable
from elichika.static_views import owner_of
from elichika.store import MISSING
from elichika.values import (
    Choice,
    Conflict,
    Symbolic,
    SymbolicUse,
    Text,
)
from elichika.walker import natives
from elichika.walker.amounts import too_large, too_much
from elichika.walker.core import PLAIN, Core, Raised
from elichika.walker.generated import generated
from elichika.walker.handing import Handed
from elichika.walker.loops import StopConsuming
from elichika.walker.programs import program_of
from elichika.walker.scopes import (
    BoundMethod,
    Closure,
    Frame,
    GeneratorCall,
    Program,
    arguments_of,
)
from onnx_graph import GraphError

MAX_DEPTH = 150

#: Context managers that have no effect on values.
NO_EFFECT = frozenset({"DummyDeviceType", "_DummyContext", "errstate", "catch_warnings"})

#: Where the types of Python's own iterators are.
ITERATORS = ("builtins", "itertools")
#: Methods that write to arrays that are not writeable; numpy 2 has no `itemset`.
HEEDLESS = (
    np.ufunc.at,
    getattr(np.ndarray, "itemset", np.ndarray.setfield),
    np.ndarray.setfield,
    np.ndarray.setflags,
)


#: Functions whose arguments are looked at before they are lowered.
SIGNED = (types.FunctionType, types.BuiltinFunctionType, types.MethodDescriptorType)


@functools.cache
def _signature(function: Any) -> inspect.Signature | None:
    """Return how a function is called, if it tells."""
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None


def _fits(signature: inspect.Signature, args: Any, kwargs: dict[str, Any]) -> bool:
    try:
        signature.bind(*args, **kwargs)
    except TypeError:
        return False
    return True


class Calls(Core):
    """The part of the walker that calls."""

    def call(self, function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """Call a function of the program."""
        function = self.narrow(function)
        if isinstance(function, Choice):
            return self.choices.apply(function, lambda f: self.call(f, args, kwargs))
        # Functions of `numpy.random` are methods since numpy 2.4; lowerings are of them bound.
        if isinstance(function, types.MethodType) and lowering_of(function) is None:
            function = BoundMethod(function.__func__, function.__self__)
        if isinstance(function, BoundMethod):
            receiver = self.narrow(function.receiver)
            if isinstance(receiver, Choice):
                method = function.function
                return self.choices.apply(
                    receiver, lambda r: self.call(BoundMethod(method, r), args, kwargs)
                )
            return self.call(function.function, [receiver, *args], kwargs)
        if isinstance(function, functools.partial):
            return self.call(
                function.func, [*function.args, *args], {**function.keywords, **kwargs}
            )
        if isinstance(function, types.BuiltinMethodType) and not isinstance(
            function.__self__, (types.ModuleType, type, type(None))
        ):
            method = getattr(type(function.__self__), function.__name__, None)
            if method is not None and lowering_of(method) is not None:
                return self.call(method, [function.__self__, *args], kwargs)
        if isinstance(function, Closure):
            return self._call_closure(function, args, kwargs)
        makes_node = isinstance(function, type) and issubclass(
            function, (chainer.FunctionNode, chainer.Function)
        )
        if any(map(self.is_dynamic, (*args, *kwargs.values()))):
            taken = self._with_lists(function, args, kwargs)
            if taken is not NotImplemented:
                return taken
        lowering = None if makes_node else lowering_of(function)
        if lowering is not None and (
            getattr(lowering, "always", False)
            or self.is_symbolic((tuple(args), tuple(kwargs.values())))
        ):
            return self._lower(function, lowering, args, kwargs)
        if isinstance(function, types.FunctionType):
            return self._call_function(function, args, kwargs)
        if isinstance(function, type):
            return self._instantiate(function, args, kwargs)
        called = self.special(function, "__call__")
        if lowering_of(called) is not None:
            return self.call(called, [function, *args], kwargs)
        if isinstance(function, (types.BuiltinFunctionType, np.ufunc)) or natives.is_native(
            function
        ):
            return self.native(function, args, kwargs)
        if called is not None and not isinstance(function, Symbolic) and self.has_source(called):
            return self.call(called, [function, *args], kwargs)
        return self.native(function, args, kwargs)

    def _with_lists(self, function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """Call a function that takes lists of dynamic length in its own way."""
        lowering = list_lowering_of(function)
        if lowering is not None:
            return self._lower(function, lowering, args, kwargs)
        module = getattr(function, "__module__", None) or ""
        if isinstance(function, np.ufunc) or module.split(".")[0] == "numpy":
            args = [self.native_array(a) if self.is_dynamic(a) else a for a in args]
            kwargs = {
                k: self.native_array(a) if self.is_dynamic(a) else a for k, a in kwargs.items()
            }
            return self.call(function, args, kwargs)
        return NotImplemented

    def walked(self, function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """Walk into a function that has a lowering, from within this lowering."""
        body = natives.numpy_body(function)
        if body is not None:
            return self._walk_function(body, args, kwargs)
        return self._call_function(function, args, kwargs)

    def _lower(self, function: Any, lowering: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
        args = [self.narrow(a) for a in args]
        if not getattr(lowering, "takes_choices", False):
            for index, arg in enumerate(args):
                if isinstance(arg, Choice):
                    return self.choices.apply(
                        arg,
                        functools.partial(self._call_with, function, args, kwargs, index),
                    )
            for name, arg in kwargs.items():
                if isinstance(self.narrow(arg), Choice):
                    return self.choices.apply(
                        arg, functools.partial(self._call_with, function, args, kwargs, name)
                    )
        self._bind_signature(function, args, kwargs)
        with self.located(), self.native_errors(function):
            try:
                return lowering(self, *args, **kwargs)
            except TypeError:
                if _fits(inspect.signature(lowering), (self, *args), kwargs):
                    raise
                self.refuse(f"`{natives.name_of(function)}` is not compiled with these arguments")

    def _bind_signature(self, function: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
        """Raise what Python raises where arguments do not fit a function."""
        known = _signature(function) if isinstance(function, SIGNED) else None
        if known is not None:
            try:
                known.bind(*args, **kwargs)
            except TypeError as error:
                self.raise_static(TypeError(f"{function.__name__}(): {error}"))

    def _call_with(
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
                error.frames = self.here()
            raise
        except (Raised, StopConsuming):
            raise
        except SymbolicUse:
            name = natives.name_of(function)
            self.refuse(f"`{name}` needs a value that is known only when the model runs")
        except GraphError as error:
            self.refuse(f"`{natives.name_of(function)}` cannot be compiled: {error}")

    def _call_function(
        self, function: types.FunctionType, args: list[Any], kwargs: dict[str, Any]
    ) -> Any:
        written = function.__code__.co_filename.startswith("<")
        if args and (written or function.__name__ in ("_asdict", "_replace", "_make")):
            made = generated(self, function, args, kwargs)
            if made is not NotImplemented:
                return made
        if natives.is_native(function):
            return self.native(function, args, kwargs)
        wrapped = getattr(function, "__wrapped__", None)
        if wrapped is not None and function.__code__.co_filename == contextlib.__file__:
            return GeneratorContext(self._generator(wrapped, args, kwargs))
        return self._walk_function(function, args, kwargs)

    def _walk_function(
        self, function: types.FunctionType, args: list[Any], kwargs: dict[str, Any]
    ) -> Any:
        """Walk the body of a function with these arguments."""
        try:
            program = self.program_of(function)
        except SourceUnavailable as error:
            if self.is_symbolic((tuple(args), tuple(kwargs.values()))):
                raise UnsupportedFunction(
                    f"the source of `{natives.name_of(function)}` cannot be read ({error})",
                    self.here(),
                    "register a lowering for it with `@elichika.lowers`",
                ) from None
            return self.native(function, args, kwargs, trusted=True)
        if program.is_generator:
            return self._generator(function, args, kwargs)
        names, defaults = program.tree.args, function.__defaults__ or ()
        bound = self._bind_arguments(
            program, names, args, kwargs, tuple(defaults), function.__kwdefaults__ or {}
        )
        frame = self._frame_of(program, function)
        return self.run_frame(frame, bound)

    def _frame_of(self, program: Program, function: types.FunctionType) -> Frame:
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        owner = None
        if "__class__" in cells:
            with contextlib.suppress(ValueError):
                owner = cells["__class__"].cell_contents
        parts = function.__qualname__.split(".")
        class_name = parts[-2] if len(parts) > 1 and parts[-2] != "<locals>" else None
        return Frame(program, function.__globals__, None, cells, owner, class_name)

    def _call_closure(self, closure: Closure, args: list[Any], kwargs: dict[str, Any]) -> Any:
        if closure.program.is_generator:
            return self._generator(closure, args, kwargs)
        return self.run_frame(*self.closure_frame(closure, args, kwargs))

    def closure_frame(
        self, closure: Closure, args: list[Any], kwargs: dict[str, Any]
    ) -> tuple[Frame, dict[str, Any]]:
        """Return a frame for a call of a nested function, and its arguments."""
        bound = self._bind_arguments(
            closure.program,
            closure.program.tree.args,
            args,
            kwargs,
            closure.defaults,
            closure.kw_defaults,
        )
        parent = closure.frame
        owner = closure.owner or parent.owner
        class_name = parent.class_name if closure.owner is None else closure.owner.__name__
        frame = Frame(closure.program, parent.globals, parent, parent.cells, owner, class_name)
        return frame, bound

    def run_frame(self, frame: Frame, bound: dict[str, Any]) -> Any:
        """Walk the body of a function with its arguments bound; return its result."""
        if len(self.frames) > MAX_DEPTH:
            self.refuse(
                f"`{frame.program.name}` calls itself without an end that is known now",
                "recursion must end on values known before the model runs",
            )
        looped = self.recursion(frame, bound)
        if looped is not NotImplemented:
            return looped
        frame.depth = self.depth
        self.store.born(frame)
        for name, value in bound.items():
            self.store.set(frame, name, value)
        names = arguments_of(frame.program.tree.args)
        frame.first_argument = names[0] if names else None
        self.frames.append(frame)
        self._node.append(frame.program.tree)
        self.returned.append(None)
        try:
            if isinstance(frame.program.tree, gast.Lambda):
                return self.visit(frame.program.tree.body)
            self.block(frame.program.tree.body)
            return self.returned[-1]
        except RecursionError:
            self.refuse(
                f"`{frame.program.name}` is called deeper than Python's stack reaches",
                "recursion must end on values known before the model runs",
            )
        finally:
            self.returned.pop()
            self._node.pop()
            self.frames.pop()

    def _bind_arguments(
        self,
        program: Program,
        spec: Any,
        args: list[Any],
        kwargs: dict[str, Any],
        defaults: tuple[Any, ...],
        kw_defaults: dict[str, Any],
    ) -> dict[str, Any]:
        positional = [a.id for a in [*spec.posonlyargs, *spec.args]]
        only = {a.id for a in spec.posonlyargs}
        bound: dict[str, Any] = dict(zip(positional, args, strict=False))
        rest = list(args[len(positional) :])
        extra: dict[str, Any] = {}
        names = set(positional[len(only) :]) | {a.id for a in spec.kwonlyargs}
        for name, value in kwargs.items():
            if name in names:
                if name in bound:
                    self.raise_static(
                        TypeError(f"{program.name}() got multiple values for argument '{name}'")
                    )
                bound[name] = value
            else:
                extra[name] = value
        first_default = len(positional) - len(defaults)
        for index, name in enumerate(positional):
            if name not in bound:
                if index < first_default:
                    self.raise_static(
                        TypeError(f"{program.name}() missing required argument: '{name}'")
                    )
                bound[name] = defaults[index - first_default]
        for argument in spec.kwonlyargs:
            if argument.id not in bound:
                if argument.id not in kw_defaults:
                    self.raise_static(
                        TypeError(f"{program.name}() missing keyword argument: '{argument.id}'")
                    )
                bound[argument.id] = kw_defaults[argument.id]
        if spec.vararg is not None:
            bound[spec.vararg.id] = tuple(rest)
        elif rest:
            self.raise_static(
                TypeError(
                    f"{program.name}() takes {len(positional)} positional arguments "
                    f"but {len(args)} were given"
                )
            )
        if spec.kwarg is not None:
            bound[spec.kwarg.id] = self.new_dict(extra)
        elif extra:
            self.raise_static(
                TypeError(
                    f"{program.name}() got an unexpected keyword argument '{next(iter(extra))}'"
                )
            )
        return bound

    def _instantiate(self, cls: type, args: list[Any], kwargs: dict[str, Any]) -> Any:
        if issubclass(cls, BaseException):
            return self.native(cls, [Text.SHOWN if self._is_text(a) else a for a in args], kwargs)
        if issubclass(cls, tuple) and hasattr(cls, "_fields"):
            return cls(*args, **kwargs)
        if natives.is_native(cls):
            return self.native(cls, args, kwargs)
        if issubclass(cls, tuple) or isinstance(cls.__init__, types.WrapperDescriptorType):
            new = vars(cls).get("__new__")
            if new is None and not issubclass(cls, (tuple, list, dict)) and not args and not kwargs:
                return self.store.born(cls.__new__(cls))
            return self.native(cls, args, kwargs)
        new = cls.__new__
        if new is object.__new__:
            obj = self.store.born(object.__new__(cls))
        elif self.has_source(new):
            obj = self.call(new, [cls, *args], kwargs)
            if not isinstance(obj, cls):
                return obj
        else:
            return self.native(cls, args, kwargs)
        self.call(cls.__init__, [obj, *args], kwargs)
        return obj

    # -- with, generators ---------------------------------------------------------------------

    def _is_text(self, value: Any) -> bool:
        shown = isinstance(value, Conflict) or self.is_symbolic(value)
        return isinstance(value, Text) or (self.raising and shown)

    def run_with(self, manager: Any, body: Any) -> None:
        """Run a `with`: `body` gets the value bound by `as`."""
        manager = self.narrow(manager)
        if isinstance(manager, GeneratorContext):
            done: list[bool] = []

            def once(value: Any) -> Any:
                if done:
                    self.raise_static(RuntimeError("generator didn't stop"))
                done.append(True)
                body(value)

            self.consume(manager.generator, once)
            if not done:
                self.raise_static(RuntimeError("generator didn't yield"))
            return
        if type(manager).__name__ in NO_EFFECT:
            body(None)
            return
        if isinstance(manager, contextlib.nullcontext):
            body(self.get_attribute(manager, "enter_result"))
            return
        if type(manager) is contextlib.suppress:
            self._suppressed(manager, body)
            return

        enter, leave = self.special(manager, "__enter__"), self.special(manager, "__exit__")
        if enter is None or leave is None or not self.has_source(enter):
            self.refuse(f"`with` on {type(manager).__name__} is not supported")
        value = self.call(enter, [manager], {})
        swallows = self._may_swallow(leave)
        self.guarded += swallows
        try:
            body(value)
        except Raised as raised:
            self.guarded -= swallows
            error = raised.error
            caught = self.truth(self.call(leave, [manager, type(error), error, None], {}))
            if caught is not True:
                raise
        except BaseException:
            self.guarded -= swallows
            raise
        else:
            self.guarded -= swallows
            self.call(leave, [manager, None, None, None], {})

    def _suppressed(self, manager: Any, body: Any) -> None:
        kinds: tuple[type, ...] = manager._exceptions
        try:
            with self.catching(kinds):
                body(None)
        except Raised as raised:
            if not isinstance(raised.error, kinds):
                raise

    def _may_swallow(self, leave: Any) -> bool:
        """Tell whether an `__exit__` returns something, and so may swallow an exception."""
        if not isinstance(leave, types.FunctionType):
            return False
        body = self.program_of(leave).tree.body
        return any(
            isinstance(node, gast.Return)
            and node.value is not None
            and not (isinstance(node.value, gast.Constant) and not node.value.value)
            for statement in body
            for node in gast.walk(statement)
        )

    def as_generator(self, value: Any) -> GeneratorCall | None:
        """Return `value` if it is a generator of the walked program."""
        if isinstance(value, GeneratorCall) and self.store.get(value, "rest") is MISSING:
            return value
        return None

    def _generator(self, function: Any, args: list[Any], kwargs: dict[str, Any]) -> GeneratorCall:
        made: GeneratorCall = self.store.born(GeneratorCall(function, args, kwargs))
        return made

    def consume(self, generator: GeneratorCall, consumer: Any) -> Any:
        """Walk a generator; each `yield` calls `consumer` with the item, where it stands.

        Returns:
            What the generator returns; None where the consumer wanted no more items.
        """
        if self.store.get(generator, "started") not in (MISSING, False):
            self.refuse("this generator was used before", "make a list of its items first")
        self.store.set(generator, "started", True)
        function = generator.function
        if isinstance(function, Closure):
            frame, bound = self.closure_frame(function, generator.args, generator.kwargs)
        else:
            program = self.program_of(function)
            bound = self._bind_arguments(
                program,
                program.tree.args,
                generator.args,
                generator.kwargs,
                tuple(function.__defaults__ or ()),
                function.__kwdefaults__ or {},
            )
            frame = self._frame_of(program, function)
        outer = list(self.frames), list(self._node), list(self.returned)

        def produce(item: Any) -> None:
            inner = self.frames[len(outer[0]) :], self._node[len(outer[1]) :]
            results = self.returned[len(outer[2]) :]
            del self.frames[len(outer[0]) :]
            del self._node[len(outer[1]) :]
            del self.returned[len(outer[2]) :]
            producing, self.yields = self.yields, consuming
            try:
                consumer(item)
            except StopConsuming as stop:
                raise stop if stop.generator is not None else StopConsuming(generator) from None
            finally:
                self.yields = producing
                self.frames.extend(inner[0])
                self._node.extend(inner[1])
                self.returned.extend(results)

        consuming = self.yields
        self.yields = [*consuming, produce]
        try:
            return self.run_frame(frame, bound)
        except StopConsuming as stop:
            if stop.generator is not generator:  # one further out, that this one is an item of
                raise
            return None
        finally:
            self.yields = consuming

    def yielded(self, value: Any) -> Any:
        """Run what the consumer does with an item."""
        produce = self.yields[-1] if self.yields else None
        if produce is None:
            self.refuse("`yield` outside a generator that is being consumed")
        produce(value)
        return None

    # -- native calls -------------------------------------------------------------------------

    def native(
        self, function: Any, args: list[Any], kwargs: dict[str, Any], *, trusted: bool = False
    ) -> Any:
        """Run a call now, with Python itself; all operands must be known and unchanged.

        Raises:
            UnsupportedFunction: An operand is symbolic, or the function is not known to be pure.
        """
        of_python = getattr(function, "__module__", None) == "_operator" and not kwargs
        if of_python and all(type(a) in PLAIN for a in args):
            return self._on_plain(function, args)
        args = [self._drained(a) for a in args]
        if self.is_symbolic((tuple(args), tuple(kwargs.values()))):
            for index, arg in enumerate(args):
                if isinstance(self.narrow(arg), Choice):
                    return self.choices.apply(
                        arg,
                        functools.partial(self._call_with, function, args, kwargs, index),
                    )
            if any(isinstance(arg, Text) for arg in (*args, *kwargs.values())):
                self.refuse(Text.MESSAGE)
            public = natives.public(function)
            if public is not None and lowering_of(public) is not None:
                return self.call(public, args, kwargs)
            body = natives.numpy_body(function)
            if body is not None:
                return self._walk_function(body, args, kwargs)
            raise UnsupportedFunction(
                f"`{natives.name_of(function)}` is not supported on values known only when the "
                "model runs",
                self.here(),
                "register a lowering for it with `@elichika.lowers`",
            )
        why = natives.refusal(function, args[0] if args else getattr(function, "__self__", None))
        if why is not None:
            raise UnsupportedFunction(
                f"`{natives.name_of(function)}` {why}", self.here(), "pass the value as an input"
            )
        owner = getattr(function, "__self__", None)
        if isinstance(function, types.BuiltinMethodType) and not isinstance(
            owner, (types.ModuleType, type, type(None))
        ):
            method = getattr(type(owner), function.__name__, None)
            if method is not None:
                function, args = method, [owner, *args]
        if function in HEEDLESS:
            return self._changing(function, args, kwargs, "ndarray")
        for arg in (*args, *kwargs.values()):
            if isinstance(arg, Conflict):
                self.undefined(arg, "this argument", UnboundLocalError)
        handed = Handed(self)
        real = [handed.give(a) for a in args]
        real_kwargs = {k: handed.give(v) for k, v in kwargs.items()}
        self.require_room(too_much(function, real, real_kwargs))
        state = np.random.get_state() if natives.may_draw(function, trusted) else None
        try:
            with chainer.using_config("enable_backprop", False):
                result = function(*real, **real_kwargs)
        except SymbolicUse:
            name = natives.name_of(function)
            self.refuse(f"`{name}` needs a value that is known only when the model runs")
        except Exception as error:
            if "read-only" not in str(error):
                self.raise_static(error)
            return self._changing(function, args, kwargs, "ndarray")
        if state is not None and natives.drew(state):
            raise UnsupportedFunction(
                f"`{natives.name_of(function)}` {natives.FREEZES}",
                self.here(),
                "pass the random numbers as an input",
            )
        if getattr(result, "base", result) is None:
            self.require_room(too_large(result))
        changed = handed.changed()
        if changed is not None:
            return self._changing(function, args, kwargs, changed)
        if isinstance(result, collections.abc.Iterator) and type(result).__module__ in ITERATORS:
            return self.one_shot(self.iterate([handed.take(item) for item in result]))
        taken = handed.take(result)
        if taken is result and sys.getrefcount(result) <= 3:  # `taken`, `result` and the call
            return handed.adopt(result)
        return taken

    def _on_plain(self, function: Any, args: list[Any]) -> Any:
        """Run an operator of Python on plain values."""
        self.require_room(too_much(function, args, {}))
        try:
            return function(*args)
        except Exception as error:
            self.raise_static(error)

    def _drained(self, value: Any) -> Any:
        """Return a list of what an iterator of the walked program gives, anything else as it is."""
        if isinstance(value, (GeneratorCall, Staged)):
            return self.new_list(self.static_items(value))
        return value

    def _changing(self, function: Any, args: list[Any], kwargs: dict[str, Any], kind: str) -> Any:
        """Run a native call that changes an argument in place by its lowering, or refuse it."""
        lowering = lowering_of(function)
        if lowering is None:
            self.refuse(
                f"`{natives.name_of(function)}` changes a {kind} in a way that is not followed"
            )
        args = [self.as_array(a) if isinstance(a, np.ndarray) else a for a in args]
        kwargs = {
            k: self.as_array(a) if isinstance(a, np.ndarray) else a for k, a in kwargs.items()
        }
        return self._lower(function, lowering, args, kwargs)

    def materialised(self, value: Any) -> Any:
        """Return a static value as native code may see it, with the store's changes."""
        return Handed(self).give(value)

    def static_contents(self, value: Any) -> Any:
        """Return the present contents of a static array, refusing views that changed."""
        if owner_of(value) is not value and self.was_written(value):
            if self.as_array(value).where is None:
                return self.read(self.as_array(value))
            self.refuse(
                "this is a view of an array that was changed since",
                "index the array again after the change",
            )
        return self.contents_version(value)

    # -- programs -----------------------------------------------------------------------------

    def has_source(self, function: Any) -> bool:
        """Tell whether a function is Python code that can be walked (or has a lowering)."""
        if isinstance(function, (Closure, BoundMethod)) or lowering_of(function) is not None:
            return True
        return isinstance(function, types.FunctionType) and not natives.is_native(function)

    def program_of(self, function: types.FunctionType) -> Program:
        """Return the canonical program of a Python function.

        Raises:
            SourceUnavailable: Its source cannot be read.
            UnsupportedSyntax: It has a statement or expression that is not compiled.
        """
        known = self._programs.get(id(function.__code__))
        if known is None:
            code = function.__code__
            try:
                known = (program_of(code, code.co_filename, code.co_linetable), code)
            except UnsupportedSyntax as error:
                error.frames = (*self.here(), *error.frames)
                raise
            self._programs[id(code)] = known
        return known[0]


class GeneratorContext:
    """What a function decorated with `contextlib.contextmanager` returns."""

    def __init__(self, generator: GeneratorCall) -> None:
        self.generator = generator
