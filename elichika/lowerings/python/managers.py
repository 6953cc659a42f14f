"""Context managers of contextlib: made, and decorating functions; `with` enters them."""

from __future__ import annotations

import contextlib
import functools
from contextlib import _GeneratorContextManager
from typing import TYPE_CHECKING, Any

from elichika import idioms
from elichika.registry import always, lowers

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext
    from elichika.lowerings.python.context import ContainerContext


@lowers(contextlib.contextmanager)
def contextmanager(w: LoweringContext, function: Any) -> Any:
    """Return what makes contexts of a generator that the program defines."""
    return functools.partial(idioms.iterators.managed, function)


@lowers(contextlib.closing)
@always
def closing(w: ContainerContext, thing: Any) -> Any:
    """Make a manager that closes a thing, whatever that is."""
    made = w.store.born(object.__new__(contextlib.closing))
    w.store.set(made, "thing", thing)
    return made


@lowers(_GeneratorContextManager)
@always
def of_generator(w: ContainerContext, func: Any, args: Any, kwds: Any) -> Any:
    """Make a manager that enters and leaves a generator, which is made where it is entered."""
    w.call(func, list(w.items(args)), dict(w.items_of(kwds)))  # raises if the arguments do not fit
    made = w.store.born(object.__new__(_GeneratorContextManager))
    for name, value in {"func": func, "args": args, "kwds": kwds}.items():
        w.store.set(made, name, value)
    return made


@lowers(_GeneratorContextManager._recreate_cm)
@always
def made_again(w: ContainerContext, manager: Any) -> Any:
    """Make another one, for a call of a function that this one decorates."""
    parts = [w.get_attribute(manager, name) for name in ("func", "args", "kwds")]
    return w.call(_GeneratorContextManager, parts, {})


@lowers(contextlib.ContextDecorator._recreate_cm)
@always
def itself(w: ContainerContext, manager: Any) -> Any:
    """Enter a manager of a class of the program itself around each call."""
    return manager


@lowers(contextlib.ContextDecorator.__call__)
@always
def decorated(w: LoweringContext, manager: Any, func: Any) -> Any:
    """Return a function whose calls are in a `with`."""
    return functools.partial(idioms.iterators.within, manager, func)


@lowers(contextlib.nullcontext)
@always
def nullcontext(w: ContainerContext, enter_result: Any = None) -> Any:
    """Make a context manager that does nothing."""
    made = w.store.born(object.__new__(contextlib.nullcontext))
    w.store.set(made, "enter_result", enter_result)
    return made
