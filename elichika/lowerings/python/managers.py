"""Context managers of contextlib: made, and decorating functions; `with` enters them."""

from __future__ import annotations

import contextlib
from contextlib import _GeneratorContextManager
from typing import TYPE_CHECKING, Any

from elichika import idioms
from elichika.registry import always, lowers
from elichika.values.functions import GENERATOR, GeneratorCall

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext
    from elichika.lowerings.python.context import ContainerContext


@lowers(contextlib.contextmanager)
def contextmanager(w: LoweringContext, function: Any) -> Any:
    """Return what makes contexts of a generator that the program defines."""
    return w.call(idioms.iterators.managed, [function], {})


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
    """Make a manager of the generator that a function gives.

    The function runs now.  Its generator is kept as what to call with which arguments, which a
    branch can join; `with` makes it again.
    """
    generator = w.call(func, list(w.items(args)), dict(w.items_of(kwds)))
    made = w.store.born(object.__new__(_GeneratorContextManager))
    parts = {"func": func, "args": args, "kwds": kwds}
    if type(generator) is GeneratorCall:
        kept = (generator.function, tuple(generator.args), w.new_dict(dict(generator.kwargs)))
        parts |= zip(GENERATOR, kept, strict=True)
    for name, value in parts.items():
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
    return w.call(idioms.iterators.within, [manager, func], {})


@lowers(contextlib.nullcontext)
@always
def nullcontext(w: ContainerContext, enter_result: Any = None) -> Any:
    """Make a context manager that does nothing."""
    made = w.store.born(object.__new__(contextlib.nullcontext))
    w.store.set(made, "enter_result", enter_result)
    return made
