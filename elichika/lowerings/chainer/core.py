"""Variables, configuration, hooks and devices of Chainer."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import chainer
import numpy as np
from chainer import backend
from chainer.link_hooks import TimerHook
from chainer.utils import argument, type_check
from chainer.utils.cache import cached_property

from elichika import idioms
from elichika.registry import (
    always,
    lowers,
    takes_choices,
    takes_spreads,
)
from elichika.state.store import MISSING
from elichika.values.kinds import is_array, is_number_of_the_run, is_variable
from elichika.values.symbolic import (
    UNSET,
    Choice,
    Conflict,
    may_be_unset,
)

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext
    from elichika.lowerings.python.context import ContainerContext


@lowers(cached_property.__get__)
@always
def get_cached(w: ContainerContext, descriptor: Any, obj: Any, cls: Any) -> Any:
    """Compute a property of a distribution once."""
    if obj is None:
        return descriptor
    name = descriptor.__name__
    held = w.given(obj, name)
    if held is MISSING and not w.store.was_born(obj):
        held = vars(obj).get(name, {}).get(chainer.config.enable_backprop, MISSING)
    if held is MISSING or held is UNSET or isinstance(held, (Choice, Conflict)):
        held = w.call(descriptor.func, [obj], {})
        w.store.set(obj, name, held)
    return held


@lowers(chainer._get_link_hooks)
@always
def link_hooks(w: LoweringContext) -> Any:
    """Return the hooks of all links, a dict of the present thread: `Link.__call__` runs them."""
    return chainer._get_link_hooks()


@lowers(chainer.get_function_hooks)
@always
def function_hooks(w: LoweringContext) -> Any:
    """Return the hooks of all functions, a dict of the present thread."""
    return chainer.get_function_hooks()


@lowers(argument.parse_kwargs)
@always
def parse_kwargs(w: ContainerContext, kwargs: Any, *named: Any, **unexpected: Any) -> Any:
    """What is given is taken out, the others have their defaults; Chainer's lines tell the rest."""
    defaults, given = dict(map(w.items, named)), w.items_of(kwargs)
    if type(kwargs) is not dict or type(given) is not dict or not given.keys() <= defaults.keys():
        return w.walked(argument.parse_kwargs, [kwargs, *named], unexpected)
    if any(map(may_be_unset, given.values())):
        return w.walked(argument.parse_kwargs, [kwargs, *named], unexpected)
    if given:
        w.set_items(kwargs, {})
    return tuple(given.get(name, default) for name, default in defaults.items())


@lowers(
    TimerHook.forward_preprocess,
    TimerHook.forward_postprocess,
)
@always
def time_link(w: LoweringContext, *args: Any) -> None:
    """Taking the time has no effect on values."""
    w.call(idioms.signals.note, ["a TimerHook has no effect in the model"], {})


@lowers(chainer.as_variable)
@always
def as_variable(w: LoweringContext, obj: Any) -> Any:
    """Wrap an array as one that needs no gradient, which is not followed where it is symbolic."""
    return variable(w, obj, requires_grad=False)


@lowers(chainer.Variable)
@always
def variable(w: ContainerContext, value: Any = None, **kwargs: Any) -> Any:
    """Wrap an array; a Variable shares the memory of what it wraps."""
    for name in ("name", "grad"):
        if w.narrow(kwargs.get(name)) is not None:
            w.touch_fact(name, written=True)
    if is_variable(value):
        return value
    if is_number_of_the_run(value):
        if value.is_python:
            w.raise_static(TypeError("numpy.ndarray or cupy.ndarray are expected."))
        return w.tape.leaf(w.new_var(value.onnx_value), True)
    if not w.tape.is_kept and isinstance(value, np.ndarray) and not w.was_written(value):
        wrapped = partial(chainer.Variable, value)  # itself: `native` would give it a copy
        return w.native(wrapped, [], kwargs, trusted=True)
    if not is_array(value):
        return w.native(chainer.Variable, [value], kwargs, trusted=True)
    requires = w.narrow(kwargs.get("requires_grad", True))
    made = w.variable_of(w.as_array(value), leaf=True, requires_grad=requires is not False)
    if w.tape.is_kept:
        if not isinstance(requires, bool):
            w.refuse("`requires_grad` is known only when the model runs")
        if w.narrow(kwargs.get("grad")) is not None:
            w.call(chainer.Variable._set_grad, [made, kwargs["grad"]], {})
    return made


@lowers(chainer.Variable.__init__)
@always
def variable_init(w: LoweringContext, made: Any, *args: Any, **kwargs: Any) -> None:
    """Subclasses of Variable cannot be made while walking."""
    w.refuse(
        f"a {type(made).__name__}, a subclass of Variable, cannot be made in a compiled function",
        "make it, or the link that holds it, in `__init__`",
    )


@lowers(backend.get_array_module, chainer.backends.cuda.get_array_module)
@always
@takes_choices
@takes_spreads
def get_array_module(w: LoweringContext, *args: Any) -> Any:
    """The model's arrays are numpy's."""
    return np


@lowers(chainer.backends.cuda.get_device_from_array)
@always
@takes_choices
def get_cuda_device(w: LoweringContext, *args: Any) -> Any:
    """The model's arrays are on no GPU."""
    return chainer.backends.cuda.DummyDevice


@lowers(chainer.backends.cuda.get_device)
def get_device(w: LoweringContext, *args: Any) -> Any:
    """Of numbers Chainer takes a GPU; the model's arrays are on none."""
    if any(map(is_number_of_the_run, args)):
        w.refuse(
            "`cuda.get_device` of a number is not compiled: the model has no GPU of its own",
            "leave the device to what runs the model",
        )
    return chainer.backends.cuda.DummyDevice


@lowers(backend.get_device_from_array)
@always
@takes_choices
def get_device_from_array(w: LoweringContext, *args: Any) -> Any:
    """The model's arrays are numpy's."""
    return chainer.get_device("@numpy")


@lowers(chainer.is_arrays_compatible)
@takes_choices
def is_arrays_compatible(w: LoweringContext, arrays: Any) -> Any:
    """Numpy arrays are compatible with each other."""
    return True


@lowers(chainer.configuration.LocalConfig.__getattr__)
@always
def get_config(w: LoweringContext, config: Any, name: str) -> Any:
    """Read an entry as the program left it."""
    return w.get_attribute(config, name)


@lowers(chainer.Link.copyparams)
@always
def copy_params(w: ContainerContext, *args: Any, **kwargs: Any) -> None:
    """Copy parameters and persistent values, in the order of their names."""
    w.call(idioms.links.copy_params, list(args), kwargs)


@lowers(chainer.Chain.copyparams)
@always
def copy_params_of_chain(w: ContainerContext, *args: Any, **kwargs: Any) -> None:
    """Copy those of the children, too."""
    w.call(idioms.links.copy_params_of_chain, list(args), kwargs)


@lowers(chainer.report)
@always
@takes_choices
def report(w: LoweringContext, *args: Any, **kwargs: Any) -> None:
    """Reporting has no effect in the model."""
    w.call(idioms.signals.note, ["chainer.report has no effect in the model"], {})


@lowers(np.isscalar)
def isscalar(w: LoweringContext, value: Any) -> Any:
    """Python and numpy scalars are scalars."""
    return is_number_of_the_run(value)


@lowers(type_check.expect)
@takes_choices
def no_check(w: LoweringContext, *args: Any, **kwargs: Any) -> None:
    """Checks of Chainer's are run where nodes are lowered."""


@lowers(type_check.same_types)
@always
def same_types(w: LoweringContext, *arrays: Any) -> bool:
    """Tell whether all are arrays of numpy: all arrays are on the host."""
    return all(w.call(isinstance, [array, np.ndarray], {}) for array in arrays)
