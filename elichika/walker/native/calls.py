"""Calls that run now, with Python itself."""

from __future__ import annotations

import functools
import re
import sys
import types
import warnings
import weakref
from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

import chainer
import numpy as np

from elichika.errors import UnsupportedFunction, led_by
from elichika.iterators.base import Cursor
from elichika.program import native_code as natives
from elichika.program.raised import Raised
from elichika.registry import lowering_of
from elichika.values.functions import GeneratorCall
from elichika.values.symbolic import UNDEF, Choice, Conflict, SymbolicUse, Text
from elichika.values.words import a_or_an, a_value
from elichika.walker.arrays import Arrays
from elichika.walker.calls import Calls
from elichika.walker.containers.iterables import Iterables
from elichika.walker.containers.iterators import Iterators
from elichika.walker.core import PLAIN
from elichika.walker.functions import Functions
from elichika.walker.native.arguments import Handed
from elichika.walker.native.costs import too_large, too_much
from elichika.walker.native.effects import Looking
from elichika.walker.native.entered import Entered, noticed
from elichika.walker.native.held import ITERATORS, require_followed, rest_of
from elichika.walker.native.settings import configured
from elichika.walker.native.snapshots import may_change_its_object
from elichika.walker.walk import Walk

#: The name of a function of a module, in a call.
CALLED = re.compile(r"((?!self\b)[A-Za-z_]\w*(?:\.\w+)+)\(")
#: Methods that write to arrays that are not writeable; numpy 2 has no `itemset`.
HEEDLESS = (
    np.ufunc.at,
    getattr(np.ndarray, "itemset", np.ndarray.setfield),
    np.ndarray.setfield,
    np.ndarray.setflags,
    np.ndarray.__setstate__,
)
#: What writes to an `out` that is not writeable, and which argument that is.
ACCUMULATING = (
    (np.ufunc.accumulate, 4),
    *((running, 3) for running in (np.cumsum, np.cumprod, np.nancumsum, np.nancumprod)),
    *((running, 3) for running in (np.ndarray.cumsum, np.ndarray.cumprod)),
)
#: What runs a function of Chainer: it may give a view, of the array itself.
APPLY = chainer.FunctionNode.apply
#: What refers to an object that others hold.
WEAK = (weakref.ref, weakref.proxy)
#: Functions of C that are bound to an object: `[].append`, `[].__setitem__`.
BOUND = (types.BuiltinMethodType, types.MethodWrapperType)


class _ReadOnly(Exception):
    """A native function writes to an array that the program owns."""


def _unbound(function: Any, args: list[Any]) -> tuple[Any, list[Any]]:
    """Return a bound method of a builtin type as a function of its object."""
    owner = getattr(function, "__self__", None)
    if not isinstance(function, BOUND):
        return function, args
    if isinstance(owner, (types.ModuleType, type, type(None))):
        return function, args
    method = getattr(type(owner), function.__name__, None)
    return (function, args) if method is None else (method, [owner, *args])


def _holds_array(values: Iterable[Any]) -> bool:
    return any(isinstance(value, np.ndarray) for value in values)


def _gives_out(function: Any, args: list[Any], kwargs: dict[str, Any]) -> bool:
    """Tell whether a function that ignores that arrays are read-only is given one to write to."""
    return any(
        running is function and _holds_array((*args[place : place + 1], kwargs.get("out")))
        for running, place in ACCUMULATING
    )


def _settle_flags(result: Any) -> None:
    """Let views of `broadcast_arrays` be writeable without a warning wherever that is asked."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for view in result if type(result) in (tuple, list) else ():
            if type(view) is np.ndarray and view.flags.writeable:
                view.flags.writeable = True


class NativeCalls:
    """The part of the walker that runs calls on what is known."""

    def __init__(
        self,
        w: Walk,
        arrays: Arrays,
        iterators: Iterators,
        iterables: Iterables,
        calls: Calls,
        functions: Functions,
    ) -> None:
        self.w = w
        self.arrays = arrays
        self.iterators = iterators
        self.iterables = iterables
        self.calls = calls
        self.functions = functions
        self._being_walked: list[tuple[Any, ...]] = []

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
        self._require_strong(function, args)
        args = [self._drained(a) for a in args]
        if self.w.is_symbolic((tuple(args), tuple(kwargs.values()))):
            return self._on_symbols(function, args, kwargs)
        why = natives.refusal(function, args[0] if args else getattr(function, "__self__", None))
        if why is not None:
            self._refuse_function(function, why, "pass the value as an input")
        function, args = _unbound(function, args)
        self._require_seen(function, args)
        if function in HEEDLESS or _gives_out(function, args, kwargs):
            return self._changing(function, args, kwargs, "ndarray")
        for arg in (*args, *kwargs.values()):
            if arg is UNDEF or isinstance(arg, Conflict):
                self.w.undefined(arg, "this argument", UnboundLocalError)
        guarded = natives.may_overwrite(function) or function is APPLY
        themselves = function in (np.require, APPLY)
        handed = Handed(self.w, self.arrays, guarded=guarded, themselves=themselves)
        try:
            result = self._handed_run(function, args, kwargs, handed, trusted)
            if natives.is_numpys_own(function) and handed.hides(result):
                handed = Handed(self.w, self.arrays, themselves=True)
                result = self._handed_run(function, args, kwargs, handed, trusted)
                _settle_flags(result)
        except Entered as entered:
            return self._walked(function, args, kwargs, str(entered))
        except _ReadOnly:
            return self._changing(function, args, kwargs, "ndarray")
        except Raised as raised:
            if self._asks_to_write(function, args, kwargs, raised.error):
                return self._changing(function, args, kwargs, "ndarray")
            raise
        finally:
            restored = handed.restored()
        if restored is not None:
            self._refuse_change(function, restored)
        changed = handed.changed()
        if changed is not None:
            return self._changing(function, args, kwargs, changed)
        if isinstance(result, Iterator) and natives.package_of(type(result)) in ITERATORS:
            return self.iterators.over(tuple(handed.take(item) for item in result))
        taken = handed.take(result)
        for copy, original in () if self.w.raising else handed.kept(taken):
            self._keep(copy, original, natives.name_of(function))
        if taken is result and sys.getrefcount(result) <= 3:  # `taken`, `result` and the call
            return handed.adopt(result)
        return taken

    def _require_strong(self, function: Any, args: list[Any]) -> None:
        """Refuse a weak reference: it would be one to a copy, which nobody holds."""
        if function in WEAK and any(map(self.w.store.was_born, args)):
            self.w.refuse(
                "a weak reference to what `forward` makes is not compiled", "hold the object itself"
            )

    def _require_seen(self, function: Any, args: list[Any]) -> None:
        """Refuse a method that may change what it is of, if nobody can look into that."""
        if args and may_change_its_object(function, args[0]):
            self.w.refuse(
                f"`{natives.name_of(function)}` may change {a_value(args[0])}, which has no Python "
                "source",
                "call it before, and pass what it gives as an input",
            )

    def _keep(self, copy: Any, original: Any, keeper: str) -> None:
        """Note that native code keeps a copy: an array's stands for it, others stay as they are."""
        self.w.sealed(copy, keeper)
        if type(original) is np.ndarray:
            self.arrays.stand_in(copy, original)
        else:
            self.w.sealed(original, keeper)

    def _handed_run(
        self, function: Any, args: Any, kwargs: Any, handed: Handed, trusted: bool
    ) -> Any:
        """Run a function on what it may see of its arguments.

        Raises:
            Entered: It calls a function of the program.
        """
        real = [handed.give(a) for a in args]
        real_kwargs = {k: handed.give(v) for k, v in kwargs.items()}
        with noticed(handed.callable or natives.may_call_program(function), Looking(self.w).only):
            return self._run(function, real, real_kwargs, trusted)

    def _asks_to_write(self, function: Any, args: Any, kwargs: Any, error: BaseException) -> bool:
        """Tell whether a call failed because the arrays that it was given are read-only."""
        if not _holds_array((*args, *kwargs.values())):
            return False
        handed = Handed(self.w, self.arrays, writable=True)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                function(*map(handed.give, args), **{k: handed.give(v) for k, v in kwargs.items()})
        except Exception as other:
            return type(other) is not type(error) or str(other) != str(error)
        finally:
            handed.restored()
        return True

    def _on_symbols(self, function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """Run a native function that has a public name with a lowering, or source to walk."""
        for index, arg in enumerate(args):
            if isinstance(self.w.narrow(arg), Choice):
                one = functools.partial(self.calls.call_with, function, args, kwargs, index)
                return self.w.choices.apply(arg, one)
        if any(isinstance(arg, Text) for arg in (*args, *kwargs.values())):
            self.w.refuse(Text.MESSAGE)
        public = natives.public(function)
        if public is not None and lowering_of(public) is not None:
            return self.w.call(public, args, kwargs)
        body = natives.numpy_body(function)
        if body is not None:
            return self.functions.walk_function(body, args, kwargs)
        why = "is not supported on values known only when the model runs"
        self._refuse_function(function, why, "register a lowering for it with `@elichika.lowers`")

    def _run(self, function: Any, args: list[Any], kwargs: dict[str, Any], trusted: bool) -> Any:
        """Run a function on real values, within the limits, unless it draws random numbers."""
        self.w.require_room(too_much(function, args, kwargs))
        require_followed(self.w, getattr(function, "__self__", None))
        state = np.random.get_state() if natives.may_draw(function, trusted) else None
        open_entries: list[str] = []
        try:
            with configured(self.w) as open_entries:
                result = function(*args, **kwargs)
        except SymbolicUse:
            name = natives.name_of(function)
            self.w.refuse(f"`{name}` needs a value that is known only when the model runs")
        except Exception as error:
            if "read-only" in str(error):
                raise _ReadOnly from None
            self._refuse_open(function, open_entries)
            self.w.raise_static(error)
        self._refuse_open(function, open_entries)
        if state is not None and natives.drew(state):
            self._refuse_function(function, natives.FREEZES, "pass the random numbers as an input")
        if getattr(result, "base", result) is None:
            self.w.require_room(too_large(result))
        return result

    def _refuse_open(self, function: Any, names: list[str]) -> None:
        """Refuse code that looked at entries of the configuration which are not known yet."""
        if names:
            why = f"looks at `chainer.config.{names[0]}`, which is known only when the model runs"
            self._refuse_function(function, why, "decide with `if` around the call")

    def _refuse_function(self, function: Any, why: str, hint: str) -> NoReturn:
        here, name = self.w.here(), f"`{natives.name_of(function)}`"
        written = led_by(here)
        text = f"`{written}` calls {name}, which {why}" if written else f"{name} {why}"
        called = CALLED.match(written)
        if called is not None:
            hint = hint.replace("lowering for it", f"lowering for `{called.group(1)}`")
        raise UnsupportedFunction(text, here, hint)

    def _on_plain(self, function: Any, args: list[Any]) -> Any:
        """Run an operator of Python on plain values."""
        self.w.require_room(too_much(function, args, {}))
        try:
            return function(*args)
        except Exception as error:
            self.w.raise_static(error)

    def _drained(self, value: Any) -> Any:
        """Return a list of what an iterator of the walked program gives, anything else as it is."""
        if isinstance(value, (GeneratorCall, Cursor)):
            return self.w.new_list(self.w.static_items(value))
        rest = rest_of(self.w, value)
        return value if rest is None else self._drained(rest)

    def _changing(self, function: Any, args: list[Any], kwargs: dict[str, Any], kind: str) -> Any:
        """Run a native call that changes an argument in place by its lowering, or refuse it."""
        lowering, body = lowering_of(function), natives.numpy_body(function)
        if lowering is None and body is None:
            self._refuse_change(function, kind)
        args = [self.w.as_array(a) if isinstance(a, np.ndarray) else a for a in args]
        kwargs = {
            k: self.w.as_array(a) if isinstance(a, np.ndarray) else a for k, a in kwargs.items()
        }
        if body is not None and lowering is None:
            return self.functions.walk_function(body, args, kwargs)
        return self.calls.lower(function, lowering, args, kwargs)

    def _walked(self, function: Any, args: list[Any], kwargs: dict[str, Any], name: str) -> Any:
        """Walk what calls a function of the program, or refuse it."""
        lowering, body = lowering_of(function), natives.numpy_body(function)
        call = (function, *map(id, args))
        if call not in self._being_walked:
            self._being_walked.append(call)
            try:
                if lowering is not None:
                    return self.calls.lower(function, lowering, args, kwargs)
                if body is not None:
                    return self.functions.walk_function(body, args, kwargs)
            finally:
                self._being_walked.pop()
        self.functions.require_source(function)
        self._refuse_function(
            function,
            f"calls `{name}` where it is not followed",
            "call it in a loop of the program",
        )

    def _refuse_change(self, function: Any, kind: str) -> NoReturn:
        name = natives.name_of(function)
        self.w.refuse(f"`{name}` changes {a_or_an(kind)} in a way that is not followed")

    def materialised(self, value: Any) -> Any:
        """Return a static value as native code may see it, with the store's changes."""
        return Handed(self.w, self.arrays).give(value)
