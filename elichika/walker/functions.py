"""Functions and classes of the program, walked with their arguments bound."""

from __future__ import annotations

import contextlib
import enum
import types
from typing import Any, NoReturn

import gast
import numpy as np

from elichika import idioms
from elichika.errors import UnsupportedFunction
from elichika.idioms.resuming import Resumable
from elichika.program import native_code as natives
from elichika.program.canonical import resumable
from elichika.program.names import arguments_of
from elichika.program.places import Program
from elichika.program.raised import genuine
from elichika.program.source import SourceUnavailable
from elichika.values.exceptions import PLAIN, holds_args
from elichika.values.functions import (
    Closure,
    Frame,
    GeneratorCall,
    class_name_of,
)
from elichika.values.symbolic import Choice, Conflict, Spread, Text
from elichika.walker import core
from elichika.walker.drafts import Drafts
from elichika.walker.kinds.exceptions import made
from elichika.walker.objects.extensions import Extensions, makes_record
from elichika.walker.objects.generated_methods import generated, is_generated
from elichika.walker.recursion import Recursion
from elichika.walker.resuming import Resuming
from elichika.walker.sources import Sources
from elichika.walker.visits import Visits
from elichika.walker.walk import Walk

MAX_DEPTH = 150
#: Types of values that hold nothing which may change.
LASTING = core.PLAIN | {type, types.FunctionType, types.BuiltinFunctionType, np.dtype, range}


class Functions:
    """The part of the walker that walks into functions and makes objects."""

    def __init__(
        self,
        w: Walk,
        visits: Visits,
        sources: Sources,
        recursion: Recursion,
        extensions: Extensions,
        resuming: Resuming,
        drafts: Drafts,
    ) -> None:
        self.w = w
        self.drafts = drafts
        self.visits = visits
        self.sources = sources
        self.recursion = recursion
        self.extensions = extensions
        self.resuming = resuming
        self.entered_functions: dict[int, types.FunctionType] = {}
        #: What a `raise` raises is one exception in all walks of a loop (see `Identity.identical`).
        self._raised: dict[Any, BaseException] = {}

    def call_function(
        self, function: types.FunctionType, args: list[Any], kwargs: dict[str, Any]
    ) -> Any:
        """Call a function of Python: generated, of a library, a context manager, or walked."""
        if makes_record(function):
            return self.extensions.record(function, args, kwargs)
        if args and is_generated(function):
            made = generated(self.w, function, args, kwargs)
            if made is not NotImplemented:
                return made
        if natives.is_native(function):
            return self.w.native(function, args, kwargs)

        def walked() -> Any:
            return self.walk_function(function, args, kwargs)

        return self.drafts.call(function, args, kwargs, walked)

    def walk_function(
        self, function: types.FunctionType, args: list[Any], kwargs: dict[str, Any]
    ) -> Any:
        """Walk the body of a function with these arguments."""
        try:
            program = self.sources.program_of(function)
        except SourceUnavailable as error:
            if self.w.is_symbolic((tuple(args), tuple(kwargs.values()))):
                self._refuse_unread(function, error)
            return self.w.native(function, args, kwargs, trusted=True)
        if program.is_generator:
            return self.new_generator(function, args, kwargs)
        return self.run_frame(*self.entered(function, args, kwargs))

    def require_source(self, function: Any) -> None:
        """Refuse a function of the program whose source cannot be read."""
        if type(function) is types.FunctionType:
            try:
                self.sources.program_of(function)
            except SourceUnavailable as error:
                self._refuse_unread(function, error)

    def _refuse_unread(self, function: types.FunctionType, error: SourceUnavailable) -> NoReturn:
        shell = function.__code__.co_filename.startswith("<")
        raise UnsupportedFunction(
            f"the source of `{natives.name_of(function)}` cannot be read ({error})",
            self.w.here(),
            error.hint
            or (
                "write it to a file: the compiler reads the source of functions"
                if shell
                else "register a lowering for it with `@elichika.lowers`"
            ),
        ) from None

    def entered(
        self, function: Any, args: list[Any], kwargs: dict[str, Any]
    ) -> tuple[Frame, dict[str, Any]]:
        """Return a frame for a call of a function, and its arguments by name."""
        if isinstance(function, Closure):
            return self._entered_closure(function, args, kwargs)
        self.entered_functions[id(function)] = function
        program, defaults = self.sources.program_of(function), tuple(function.__defaults__ or ())
        bound = self._bind_arguments(
            program, program.tree.args, args, kwargs, defaults, function.__kwdefaults__ or {}
        )
        return self._frame_of(program, function), bound

    def _frame_of(self, program: Program, function: types.FunctionType) -> Frame:
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        owner = None
        if "__class__" in cells:
            with contextlib.suppress(ValueError):
                owner = cells["__class__"].cell_contents
        space, name = function.__globals__, class_name_of(function)
        return Frame(program, space, None, cells, owner, name)

    def call_closure(self, closure: Closure, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """Call a nested function or lambda of the program."""
        if closure.program.is_generator:
            return self.new_generator(closure, args, kwargs)
        return self.run_frame(*self._entered_closure(closure, args, kwargs))

    def _entered_closure(
        self, closure: Closure, args: list[Any], kwargs: dict[str, Any]
    ) -> tuple[Frame, dict[str, Any]]:
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
        if len(self.w.frames) > MAX_DEPTH:
            self.w.refuse(
                f"`{frame.program.name}` calls itself without an end known while compiling",
                "recursion must end on values known before the model runs",
            )
        looped = self.recursion.recursion(frame, bound)
        if looped is not NotImplemented:
            return looped
        frame.depth, frame.regions = self.w.depth, len(self.w.regions())
        self.w.store.born(frame)
        for name, value in bound.items():
            self.w.store.set(frame, name, value)
        names = arguments_of(frame.program.tree.args)
        frame.first_argument = names[0] if names else None
        self.w.frames.append(frame)
        self.w.node_stack.append(frame.program.tree)
        self.w.returned.append(None)
        try:
            if isinstance(frame.program.tree, gast.Lambda):
                return self.visits.visit(frame.program.tree.body)
            self.visits.block(frame.program.tree.body)
            return self.w.returned[-1]
        except RecursionError:
            self.recursion.arms.refuse_cycles()
            self.w.refuse(
                f"`{frame.program.name}` is called deeper than Python's stack reaches",
                "recursion must end on values known before the model runs",
            )
        finally:
            self.w.returned.pop()
            self.w.node_stack.pop()
            self.w.frames.pop()

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
        bound: dict[str, Any] = dict(zip(positional, args, strict=False))
        names = {*positional[len(spec.posonlyargs) :], *(a.id for a in spec.kwonlyargs)}
        extra: dict[str, Any] = {}
        for name, value in kwargs.items():
            if name in names and name in bound:
                self._reject(program, f"got multiple values for argument '{name}'")
            (bound if name in names else extra)[name] = value
        given = dict(zip(positional[::-1], defaults[::-1], strict=False))
        for name in positional:
            if name not in bound and name not in given:
                self._reject(program, f"missing required argument: '{name}'")
            bound.setdefault(name, given.get(name))
        for argument in spec.kwonlyargs:
            if argument.id not in bound and argument.id not in kw_defaults:
                self._reject(program, f"missing keyword argument: '{argument.id}'")
            bound.setdefault(argument.id, kw_defaults.get(argument.id))
        rest = args[len(positional) :]
        if spec.vararg is not None:
            dynamic = len(rest) == 1 and isinstance(rest[0], Spread)
            bound[spec.vararg.id] = rest[0].items if dynamic else tuple(rest)
        elif rest:
            count = f"{len(positional)} positional arguments but {len(args)} were given"
            self._reject(program, f"takes {count}")
        if spec.kwarg is not None:
            bound[spec.kwarg.id] = self.w.new_dict(extra)
        elif extra:
            name = next(iter(extra))
            self._reject(program, f"got an unexpected keyword argument '{name}'")
        return bound

    def _reject(self, program: Program, why: str) -> NoReturn:
        """Raise the TypeError of a call whose arguments do not fit."""
        self.w.raise_static(TypeError(f"{program.name}() {why}"))

    def instantiate(self, cls: type, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """Return a new object of a class."""
        if issubclass(cls, BaseException):
            return self._exception(cls, args, kwargs)
        if issubclass(cls, tuple) and hasattr(cls, "_fields"):
            return self.w.call(cls.__new__, [cls, *args], kwargs)
        if type(cls) is enum.EnumMeta and self.w.is_symbolic(tuple(args)):
            return self._member(cls, args, kwargs)
        if natives.is_native(cls):
            return self.w.native(cls, args, kwargs)
        self._require_followed(cls)
        extended = self.extensions.extended(cls, args, kwargs)
        if extended is not NotImplemented:
            return extended
        if issubclass(cls, tuple) or isinstance(cls.__init__, types.WrapperDescriptorType):
            new = vars(cls).get("__new__")
            if new is None and not issubclass(cls, (tuple, list, dict)) and not args and not kwargs:
                return self.w.store.born(cls.__new__(cls))
            return self.w.native(cls, args, kwargs)
        new = cls.__new__
        if new is object.__new__:
            obj = self.w.store.born(object.__new__(cls))
        elif self.w.has_source(new):
            made = self.w.call(new, [cls, *args], kwargs)
            return self.w.choices.apply(made, lambda one: self._begun(cls, one, args, kwargs))
        else:
            return self.w.native(cls, args, kwargs)
        return self._begun(cls, obj, args, kwargs)

    def _require_followed(self, cls: type) -> None:
        """Refuse a class with `__del__`, which Python runs later; raise for an abstract one."""
        if any("__del__" in vars(base) for base in cls.__mro__):
            self.w.refuse(
                f"`__del__` of {cls.__name__}, which Python runs when nobody holds the object any "
                "more, is not followed",
                "do what it does in a method, and call that",
            )
        if getattr(cls, "__abstractmethods__", None):
            try:
                object.__new__(cls)
            except TypeError as error:
                self.w.raise_static(error)

    def _begun(self, cls: type, obj: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """Return what `__new__` made, after its `__init__` if it is of the class."""
        kind = self.w.type_of(obj)
        if issubclass(kind, cls):
            given = self.w.call(kind.__init__, [obj, *args], kwargs)
            if given is not None:
                self._require_none(given)
        return obj

    def _require_none(self, given: Any) -> None:
        """Raise the TypeError of an `__init__` that gives something."""
        if type(given) is Choice:
            self.w.refuse(
                "`__init__` gives something under a condition known only when the model runs",
                "let it give nothing",
            )
        kind = self.w.type_of(given).__name__
        self.w.raise_static(genuine(TypeError(f"__init__() should return None, not '{kind}'")))

    def _exception(self, cls: type[BaseException], args: list[Any], kwargs: dict[str, Any]) -> Any:
        """Return a new exception; what only a failing model tells is not looked into."""
        symbolic = self.w.is_symbolic((tuple(args), tuple(kwargs.values())))
        changes = self.w.raising is None and cls not in PLAIN  # may get attributes
        changes = changes or not all(map(_is_lasting, args))
        if (symbolic or changes) and not self.w.raising and holds_args(cls, args):
            return made(self.w, cls, args, kwargs)
        if symbolic and not self.w.raising:
            self.w.refuse(
                f"what this `{cls.__name__}` is given is known only when the model runs",
                "raise a `ValueError`, or one of a class of your own that extends `Exception`",
            )
        known = self.w.native(cls, [Text.SHOWN if self._is_shown(a) else a for a in args], kwargs)
        if self.w.raising is not False and cls is not GeneratorExit:
            return known
        site = self.w.region_site(), cls, *((type(one), repr(one)) for one in args)
        return self._raised.setdefault(site, known)

    def _member(self, cls: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """Return the member of an Enum that has a value."""
        own = any("_missing_" in vars(base) for base in cls.__mro__ if base.__module__ != "enum")
        if len(args) != 1 or kwargs or own or enum.Flag in cls.__mro__:
            self.w.refuse(
                f"which `{cls.__name__}` this is, is known only when the model runs, and its class "
                "makes members",
                "let it be an `Enum` or `IntEnum` without `_missing_`",
            )
        return self.w.call(idioms.enums.member, [tuple(cls), args[0], cls.__qualname__], {})

    def _is_shown(self, value: Any) -> bool:
        """Tell whether only the message of a failing model tells a value."""
        return self.w.raising is True and (type(value) is Conflict or self.w.is_symbolic(value))

    def new_generator(self, function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """Return a generator of the program."""
        program = self.resuming.program_of(function)
        if program not in self.w.plan.resumed:
            return self.w.store.born(GeneratorCall(function, args, kwargs))
        frame, bound = self.entered(function, args, kwargs)
        frame.program = resumable(program)
        made = self.w.call(Resumable, [self.run_frame(frame, bound)], {})
        self.resuming.begun(program, made)
        return made


def _is_lasting(value: Any) -> bool:
    """Tell whether a value is known for good: nothing can change what it holds."""
    if type(value) is tuple:
        return all(map(_is_lasting, value))
    return type(value) in LASTING or issubclass(type(value), np.generic)
