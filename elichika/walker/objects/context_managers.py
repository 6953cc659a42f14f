"""`with`: context managers of the program, of contextlib and of Chainer."""

from __future__ import annotations

import contextlib
import threading
import types
import warnings
from contextlib import _GeneratorContextManager
from functools import partial
from typing import Any, Protocol

import chainer
import gast
import numpy as np
from chainer import _backend
from chainer.backends import cuda
from chainer.configuration import _ConfigContext
from chainer.function import _BackpropModeContext

from canonicalizer.managed import Managing
from canonicalizer.walking import by_type
from elichika.program.raised import genuine
from elichika.registry import always, lowers
from elichika.values.functions import GENERATOR, Closure
from elichika.values.symbolic import UNDEF, UNSET, Choice
from elichika.walker.handlers import EITHER_WAY
from elichika.walker.jumps import Jumps
from elichika.walker.sources import Sources
from elichika.walker.walk import Walk

#: Locks keep other threads out; a model has none.
LOCKS = (type(threading.Lock()), type(threading.RLock()))
#: Context managers that have no effect on values.
NO_EFFECT = frozenset(
    {cuda.DummyDeviceType, _backend._DummyContext, np.errstate, warnings.catch_warnings, *LOCKS}
)


def _makes_errors(manager: Any) -> bool:
    """Tell whether a manager lets numpy's or Python's warnings be errors, or calls."""
    slots = getattr(type(manager), "__slots__", ())  # numpy 2
    modes = [getattr(manager, slot, None) for slot in slots]
    modes += getattr(manager, "kwargs", {}).values()  # numpy 1
    modes += getattr(manager, "_filter", None) or ()
    return not {"raise", "call", "error"}.isdisjoint(map(str, modes))


class Managers:
    """The part of the walker that runs `with`."""

    def __init__(self, w: Walk, sources: Sources, jumps: Jumps) -> None:
        self.w = w
        self.sources = sources
        self.jumps = jumps

    def run_with(self, manager: Any, body: Any, unset: str | None) -> None:
        """Run a `with`: `body` gets the value bound by `as`.

        If what is raised in it may end there, `unset` may not be set behind it.
        """
        manager = self.w.narrow(manager)
        self.require_unended(manager, unset)
        if type(manager) is Choice:
            self.w.choices.apply(manager, lambda one: self.run_with(one, body, unset))
        elif type(manager) is _GeneratorContextManager:
            self._around_yield(manager, body)
        elif type(manager) in NO_EFFECT:
            self._without_effect(manager, body)
        elif isinstance(manager, contextlib.nullcontext):
            body(self.w.get_attribute(manager, "enter_result"))
        elif type(manager) is contextlib.suppress:
            self._suppressed(manager, body)
        elif type(manager) is contextlib.closing:
            self._closing(self.w.get_attribute(manager, "thing"), body)
        else:
            self._entered(manager, body)

    def held(self, manager: Any) -> Any:
        """Return what a frame holds for a manager of a `with` that a recursion cuts."""
        manager = self.w.narrow(manager)
        if type(manager) in NO_EFFECT and type(manager) not in LOCKS:
            self._require_effectless(manager)
            return None
        if type(manager) in (_ConfigContext, _BackpropModeContext):
            return self._settings(manager)
        kinds: dict[type, str] = {
            _GeneratorContextManager: "a generator",
            contextlib.suppress: "`suppress`",
        }
        kinds |= dict.fromkeys(LOCKS, "a lock")
        kind = kinds.get(type(manager))
        if kind is not None:
            self.w.refuse(
                f"a function calls itself in a `with` on {kind}",
                "write its manager as a class with `__enter__` and `__exit__`",
            )
        if type(manager) is not contextlib.nullcontext:
            self._methods(manager)
        return manager

    def _settings(self, manager: Any) -> tuple[Any, ...]:
        """Enter a `with` on Chainer's configuration; return what sets that back.

        The next call enters one of its own, for which an object that two share would not do.
        """
        parts = (manager,)
        if type(manager) is _BackpropModeContext:
            parts = self.w.get_attribute(manager, "contexts")
        return tuple(map(self._setting, parts))

    def _setting(self, manager: Any) -> tuple[Any, ...]:
        """Return the name of a setting, whether this thread had one, and what it was."""
        config, regions = chainer.config, self.w.regions()
        shared = bool(regions) and not self.w.store.is_fresh(manager, regions[-1][0])
        ours = type(manager) is _ConfigContext
        if shared or not ours or self.w.get_attribute(manager, "config") is not config:
            self.w.refuse(
                "a function calls itself in a `with` on a setting that was made before",
                "make it where it is entered: `with chainer.using_config(...):`",
            )
        name, value = (self.w.get_attribute(manager, part) for part in ("name", "value"))
        has = self.w.call(hasattr, [self.w.get_attribute(config, "_local"), name], {})
        before = self.w.call(getattr, [config, name, None], {})
        self.w.call(setattr, [config, name, value], {})
        return name, has, before

    def entered(self, manager: Any) -> Any:
        """Enter such a `with`; return what `as` binds."""
        manager = self.w.narrow(manager)
        if type(manager) is tuple:
            return None
        if type(manager) is contextlib.nullcontext:
            return self.w.get_attribute(manager, "enter_result")
        if _is_nothing(manager):
            return None
        enter, _ = self._methods(manager)
        return self.w.call(enter, [manager], {})

    def left(self, manager: Any, error: Any, unset: str | None) -> Any:
        """Leave such a `with`; return whether what was raised is over, when `unset` is not set."""
        manager = self.w.narrow(manager)
        if error is not None:
            self.require_unended(manager, unset)
        if type(manager) is contextlib.nullcontext or _is_nothing(manager):
            return False
        if type(manager) is tuple:
            for setting in reversed(manager):
                self._set_back(*setting)
            return False
        _, leave = self._methods(manager)
        if error is None:
            return self.w.call(leave, [manager, None, None, None], {})
        with self.jumps.handling(EITHER_WAY):
            return self.w.call(leave, [manager, self.w.call(type, [error], {}), error, None], {})

    def _set_back(self, name: str, had: Any, before: Any) -> None:
        """Give a setting of Chainer the value that it had, or none of this thread."""
        w, config = self.w, chainer.config
        set_again = partial(w.call, setattr, [config, name, before], {})
        w.branch(had, set_again, partial(w.call, delattr, [config, name], {}))

    def _methods(self, manager: Any) -> tuple[Any, Any]:
        """Return `__enter__` and `__exit__` of an object of the program."""
        enter, leave = self.w.special(manager, "__enter__"), self.w.special(manager, "__exit__")
        if enter is None or leave is None or not self.w.has_source(enter):
            self.w.refuse(f"`with` on {type(manager).__name__} is not supported")
        return enter, leave

    def _around_yield(self, manager: Any, body: Any) -> None:
        w, generator = self.w, self._generator(manager)

        def failing(why: str) -> None:
            w.raise_static(genuine(RuntimeError(f"generator didn't {why}")))

        def once(value: Any) -> Any:
            w.branch(w.held(generator, "yielded"), partial(failing, "stop"), lambda: None)
            w.store.set(generator, "yielded", True)
            body(value)

        w.store.set(generator, "yielded", False)
        w.consume(generator, once, apart=False)
        w.branch(w.held(generator, "yielded"), lambda: None, partial(failing, "yield"))

    def _generator(self, manager: Any) -> Any:
        """Return the generator of a manager, which has none for a second time, as in Python."""
        w = self.w
        if not w.store.was_born(manager):  # made before: nothing tells where its generator stands
            w.refuse(f"`with` on {type(manager).__name__} is not supported")
        if w.held(manager, GENERATOR[0]) is UNSET:
            w.refuse(
                "a `with` on a generator whose function is used with `send` or `throw` elsewhere",
                "write its manager as a class with `__enter__` and `__exit__`",
            )
        for name in ("args", "kwds", "func"):
            w.call(delattr, [manager, name], {})
        function, args, kwargs = (w.get_attribute(manager, name) for name in GENERATOR)
        return w.as_generator(w.call(function, [*w.items(args)], {**w.items_of(kwargs)}))

    def _without_effect(self, manager: Any, body: Any) -> None:
        self._require_effectless(manager)
        body(True if type(manager) in LOCKS else None)

    def _require_effectless(self, manager: Any) -> None:
        if _makes_errors(manager):
            self.w.refuse("a model cannot raise warnings as errors", "test the numbers and `raise`")
        if getattr(manager, "_record", False):
            self.w.refuse(
                "a model gives no warnings that could be recorded", "record what is tested"
            )

    def _entered(self, manager: Any, body: Any) -> None:
        """Run a `with` of a class of the program."""
        enter, leave = self._methods(manager)
        value = self.w.call(enter, [manager], {})

        def failed(error: BaseException) -> None:
            swallowed = self.w.truth(self._left(leave, manager, error))
            self.w.branch(swallowed, lambda: None, lambda: self.w.raise_static(error))

        def ended(_: Any) -> None:
            self.w.call(leave, [manager, None, None, None], {})

        self.jumps.catching(
            (BaseException,),
            lambda: body(value),
            failed,
            ended,
            final=not self._returns(leave),
        )

    def _left(self, leave: Any, manager: Any, error: BaseException) -> Any:
        """Call `__exit__` with an exception."""
        with self.jumps.handling(EITHER_WAY):
            return self.w.call(leave, [manager, type(error), self.jumps.told(error), None], {})

    def _suppressed(self, manager: Any, body: Any) -> None:
        kinds: tuple[type, ...] = manager._exceptions
        self.jumps.catching(kinds, lambda: body(None), lambda error: None, blind=Exception in kinds)

    def _closing(self, thing: Any, body: Any) -> None:
        """Close a thing in the end, whatever is raised."""

        def close() -> None:
            self.w.call(self.w.get_attribute(thing, "close"), [], {})

        def failed(error: BaseException) -> None:
            with self.jumps.handling(EITHER_WAY):
                close()
            self.w.raise_static(error)

        self.jumps.catching(
            (BaseException,), lambda: body(thing), failed, lambda _: close(), final=True
        )

    def may_swallow(self, manager: Any) -> bool:
        """Tell whether leaving a manager may end what was raised."""
        manager = self.w.narrow(manager)
        if type(manager) is Choice:
            return any(map(self.may_swallow, manager.alternatives))
        plain = (*NO_EFFECT, contextlib.nullcontext, contextlib.closing, tuple)
        if _is_nothing(manager) or type(manager) in plain:
            return False
        if type(manager) is _GeneratorContextManager:
            return self._may_end(self.w.held(manager, GENERATOR[0]))
        return self._returns(self.w.special(manager, "__exit__"))

    def require_unended(self, manager: Any, unset: str | None) -> None:
        """Refuse a manager that may end what is raised where a name would not be set then."""
        if unset is not None and self.may_swallow(manager):
            self.w.refuse(
                f"this `with` may end what is raised in it, and `{unset}` may not be set behind it",
                f"set `{unset}` before the `with`",
            )

    def _may_end(self, function: Any) -> bool:
        """Tell whether a generator may end what is raised where it waits."""
        if type(function) not in (Closure, types.FunctionType):
            return True
        closed = type(function) is Closure
        found = by_type((function.program if closed else self.sources.program_of(function)).tree)
        handled = any(node.handlers for node in found[gast.Try])
        return handled or bool(found[gast.With]) or bool(found[gast.YieldFrom])

    def _returns(self, leave: Any) -> bool:
        """Tell whether an `__exit__` returns something, and so may swallow an exception."""
        if type(leave) is Closure:
            program = leave.program
        elif isinstance(leave, types.FunctionType):
            program = self.sources.program_of(leave)
        else:
            return True
        body = program.tree.body
        return any(
            isinstance(node, gast.Return)
            and node.value is not None
            and not (isinstance(node.value, gast.Constant) and not node.value.value)
            for statement in body
            for node in gast.walk(statement)
        )


def _is_nothing(held: Any) -> bool:
    """Whether a frame holds no manager: it has no effect, or there is none yet."""
    return any(held is one for one in (None, UNSET, UNDEF))


class _Walker(Protocol):
    """What has managers."""

    managers: Managers


def held(manager: Any) -> Any:
    """Return what a frame holds for a manager; has a lowering."""
    return manager


def entered(manager: Any) -> Any:
    """Enter a `with` that a recursion cuts; has a lowering."""
    return type(manager).__enter__(manager)


def left(manager: Any, error: Any, unset: Any) -> Any:
    """Leave a `with` that a recursion cuts; has a lowering."""
    kind, traceback = (None, None) if error is None else (type(error), error.__traceback__)
    return type(manager).__exit__(manager, kind, error, traceback)


@lowers(held)
@always
def _held(w: _Walker, manager: Any) -> Any:
    return w.managers.held(manager)


@lowers(entered)
@always
def _entered(w: _Walker, manager: Any) -> Any:
    return w.managers.entered(manager)


@lowers(left)
@always
def _left(w: _Walker, manager: Any, error: Any, unset: Any) -> Any:
    return w.managers.left(manager, error, unset)


#: What enters and leaves the `with`s of functions that call themselves.
MANAGING = Managing(held, entered, left)
