"""From example inputs to an `InputSignature`."""

from __future__ import annotations

import inspect
from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from elichika.errors import InputError, meant
from elichika.signature.axes import named_sizes, read_axes
from elichika.signature.feeds import feeds_from_leaves
from elichika.signature.inputs import BoundCall, InputSignature
from elichika.signature.leaves import SCALARS, host_array, is_array
from elichika.signature.merging import Merger, Seen
from elichika.signature.names import Wanted, chosen_names, listed
from elichika.signature.twice import what_is_twice
from elichika.values.words import a_value

__all__ = ["read_call", "read_inputs"]

#: What messages call an example, and its arguments by parameter.
Call = tuple[str, dict[str, Any]]


def read_inputs(
    function: Callable[..., Any],
    inputs: Any,
    *,
    dynamic_axes: Mapping[str | int, Any] | str | None = None,
    static: Sequence[str] = (),
    input_names: Wanted = None,
    examples: Sequence[Any] | None = None,
    merge_dtypes: bool = False,
) -> InputSignature:
    """Read example inputs.

    Args:
        function: What is called with them, such as the bound `chain.forward`.
        inputs: A tuple or list of positional examples, a dict of keyword examples, or one array.
        dynamic_axes: Names for sizes that may change: `{'x': {0: 'batch'}}` by parameter or input
            name or by the position of an argument (for a list, the axes of its elements, and
            `'len'` for its own length), or one name for axis 0 of every array. None in the place
            of a name keeps a size as it is.
        static: Parameters that stay at their example.
        input_names: Names for the inputs, in order or by the names they have otherwise.
        examples: Further inputs. Where they differ in a size, it is dynamic; where they differ in
            what they give, an argument is one of several structures.
        merge_dtypes: Whether arrays of unlike dtypes may be one argument.

    Raises:
        InputError: Saying in one line what does not fit.
    """
    fixed = (static,) if isinstance(static, str) else tuple(static)
    parameters = _parameters(function)
    given = [("inputs", inputs)]
    given += [(f"examples[{number}]", example) for number, example in enumerate(examples or ())]
    calls = [(where, _bind(function, parameters, one, where)) for where, one in given]
    bound = [name for name in parameters if any(name in call for _, call in calls)]
    for name in fixed:
        if name not in bound:
            raise InputError(
                f"static names `{name}`, but {listed(bound, 'argument')}.", hint=meant(name, bound)
            )
    merger = Merger(fixed, named_sizes(dynamic_axes), merge_dtypes=merge_dtypes)
    seen = {name: _seen(parameters[name], calls, name in fixed) for name in bound}
    arguments = {name: merger.argument(name, values) for name, values in seen.items()}
    specs = read_axes(merger.sized(), parameters, dynamic_axes, merger.shapes)
    names = chosen_names("input", [spec.name for spec in specs], input_names)
    signature = InputSignature(
        tuple(replace(spec, name=name) for spec, name in zip(specs, names, strict=True)),
        tuple(parameters.values()),
        arguments,
        {
            name: _default(parameters[name])
            for name in bound
            if any(name not in c for _, c in calls)
        },
        inferred=frozenset(merger.symbols),
        twice=dict(ChainMap(*(what_is_twice(call) for _, call in calls))),
    )
    signature.require_few_variants()
    return signature.with_examples([_leaves(signature, where, call) for where, call in calls])


def _seen(parameter: inspect.Parameter, calls: Sequence[Call], static: bool) -> list[Seen]:
    """Return what each example gives for a parameter; the default, where one leaves it out.

    Raises:
        InputError: One leaves it out, and its default is of no kind that a model takes.
    """
    name, default = parameter.name, _default(parameter)
    found = []
    for where, call in calls:
        if name not in call and not (static or _may_be_given(default)):
            other = next(there for there, one in calls if name in one)
            raise InputError(
                f"`{name}` is left out in {where} and given in {other}, and its default is "
                f"{a_value(default)}; give it in all examples, or in none."
            )
        found.append(Seen(where, call.get(name, default)))
    return found


def _default(parameter: inspect.Parameter) -> Any:
    """Return what a parameter is where a call leaves it out."""
    empty: Mapping[Any, Any] = {parameter.VAR_POSITIONAL: (), parameter.VAR_KEYWORD: {}}
    return empty.get(parameter.kind, parameter.default)


def _may_be_given(default: Any) -> bool:
    """Tell whether a default may stand in a call like any other value."""
    if type(default) is tuple:
        return all(map(_may_be_given, default))
    return default is None or default == {} or type(default) in (*SCALARS, str)


def _leaves(signature: InputSignature, where: str, call: dict[str, Any]) -> list[Any]:
    """Return the leaves of an example, which fits the inputs that were made of it.

    Raises:
        InputError: It does not, for a name of two sizes.
    """
    made = inspect.BoundArguments(inspect.Signature(signature.parameters), call)
    leaves = signature.leaves(made.args, made.kwargs)
    try:
        feeds_from_leaves(signature, leaves)
    except InputError as error:
        shown = error.message if where == "inputs" else f"{where}: {error.message}"
        raise InputError(shown, hint=error.hint) from None
    return [
        [host(item, spec.name) for item in leaf] if type(leaf) is list else host(leaf, spec.name)
        for spec, leaf in zip(signature.specs, leaves, strict=True)
    ]


def _parameters(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    try:
        found = inspect.signature(function).parameters
    except (TypeError, ValueError):
        raise InputError(f"The parameters of {function!r} cannot be read.") from None
    return {
        name: parameter.replace(annotation=inspect.Parameter.empty)
        for name, parameter in found.items()
    }


def _bind(
    function: Callable[..., Any],
    parameters: Mapping[str, inspect.Parameter],
    inputs: Any,
    given: str,
) -> dict[str, Any]:
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = {}
    if type(inputs) is BoundCall:
        args, kwargs = inputs.args, inputs.kwargs
    elif isinstance(inputs, Mapping):
        for key in inputs:
            if not isinstance(key, str):
                raise InputError(f"The keys of {given} are parameter names, not {key!r}.")
        kwargs = dict(inputs)
    elif type(inputs) in (tuple, list):
        args = tuple(inputs)
    elif is_array(inputs) or isinstance(inputs, (*SCALARS, np.generic)):
        args = (inputs,)
    else:
        raise InputError(
            f"{given} is a tuple of positional examples, a dict of keyword examples or one array, "
            f"not {a_value(inputs)}."
        )
    try:
        bound = inspect.Signature(list(parameters.values())).bind(*args, **kwargs)
    except TypeError as error:
        name = getattr(function, "__name__", "the function")
        shown = ", ".join(parameters) or "nothing"
        unknown = [key for key in kwargs if key not in parameters][:1]
        hint = meant(unknown[0], parameters) if unknown else None
        if unknown and hint is None and repr(unknown[0]) not in str(error):
            hint = f"{name} has no argument `{unknown[0]}`"
        what = "The inputs do" if given == "inputs" else f"{given} does"
        raise InputError(f"{what} not fit {name}({shown}): {error}.", hint=hint) from None
    return bound.arguments


def read_call(signature: InputSignature, inputs: Any) -> list[Any]:
    """Return the leaves of further inputs as host values.

    Args:
        signature: That of the model.
        inputs: In the form that `read_inputs` takes.

    Raises:
        InputError: They do not fit.
    """
    if type(inputs) is BoundCall:
        leaves = signature.leaves(inputs.args, inputs.kwargs)
    elif isinstance(inputs, Mapping):
        leaves = signature.leaves((), inputs)
    else:
        args = tuple(inputs) if type(inputs) in (tuple, list) else (inputs,)
        leaves = signature.leaves(args, {})
    return [
        [host(item, f"{spec.name}[{i}]") for i, item in enumerate(leaf)]
        if isinstance(leaf, list)
        else host(leaf, spec.name)
        for spec, leaf in zip(signature.specs, leaves, strict=True)
    ]


def host(value: Any, where: str) -> Any:
    """Return a value, an array as it is in the memory of the host."""
    return host_array(value, where) if is_array(value) else value
