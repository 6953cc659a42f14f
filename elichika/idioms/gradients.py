"""What Chainer does to differentiate, with the ways of its own graph left to the compiler."""

from __future__ import annotations

from typing import Any

import chainer
import numpy as np
from chainer import _backprop


def along_paths(
    outputs: Any, seeds: Any, inputs: Any, sums: Any, retain_grad: bool, loss_scale: Any
) -> Any:
    """Stand for the sweep of `chainer.grad` from outputs to inputs."""


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    grad_inputs: Any = None,
    set_grad: bool = False,
    retain_grad: bool = False,
    enable_double_backprop: bool = False,
    loss_scale: Any = None,
) -> Any:
    """Do what `chainer.grad` does."""
    _require_list("outputs", outputs, "a tuple or a list")
    _require_list("inputs", inputs, "a tuple or a list")
    grad_outputs = _as_many("grad_outputs", grad_outputs, "outputs", outputs)
    grad_inputs = _as_many("grad_inputs", grad_inputs, "inputs", inputs)
    seeds = []
    for y, gy in zip(outputs, grad_outputs, strict=True):
        seeds.append(_ones(y, loss_scale) if gy is None else gy)
    _require_some(inputs)
    with chainer.using_config("enable_backprop", enable_double_backprop):
        found = along_paths(outputs, seeds, inputs, grad_inputs, retain_grad, loss_scale)
    if set_grad:
        for x, gx in zip(inputs, found, strict=True):
            x.grad_var = gx
    return found


def grad_of_lists(
    outputs: Any, inputs: Any, grad_outputs: Any, double: bool, loss_scale: Any
) -> Any:
    """Do what `chainer.grad` does of lists whose lengths are known only when the model runs."""
    _require_list("outputs", outputs, "a tuple or a list")
    _require_list("inputs", inputs, "a tuple or a list")
    if grad_outputs is None:
        seeds = [_ones(y, loss_scale) for y in outputs]
    else:
        grad_outputs = _as_many("grad_outputs", grad_outputs, "outputs", outputs)
        seeds = []
        for y, gy in zip(outputs, grad_outputs, strict=True):
            seeds.append(_ones(y, loss_scale) if gy is None else gy)
    _require_some(inputs)
    with chainer.using_config("enable_backprop", double):
        return list(along_lists(outputs, tuple(seeds), inputs))


def along_lists(outputs: Any, seeds: Any, inputs: Any) -> Any:
    """Stand for the sweep of `chainer.grad` from outputs to inputs, of which one is a list."""


def _ones(y: Any, loss_scale: Any) -> Any:
    gy = chainer.Variable(np.ones_like(y.array), requires_grad=False)
    if loss_scale is not None:
        gy.array *= loss_scale
    return gy


def _require_some(inputs: Any) -> None:
    if len(inputs) == 0:  # which Chainer takes for arrays of another library
        raise AttributeError("module 'chainerx' has no attribute 'grad'")


def _require_list(name: str, values: Any, kinds: str) -> None:
    if not isinstance(values, (tuple, list)):
        raise TypeError(f"{name} must be {kinds}, not {type(values)}.")


def _as_many(name: str, values: Any, of: str, others: Any) -> Any:
    if values is None:
        return (None,) * len(others)
    _require_list(name, values, "a tuple or a list or None")
    if len(values) != len(others):
        raise ValueError(
            f"{name} must be of the same length as {of}.\n"
            f"len({of}) = {len(others)}, len({name}) = {len(values)}"
        )
    return values


def backward(y: Any, node: Any, retain_grad: bool, double: bool, loss_scale: Any) -> None:
    """Do what `backward` does of a Variable without a gradient."""
    if y.array.size != 1:
        raise RuntimeError("`backward` begins with the gradient of an array, and none was given")
    seed = _ones(y, loss_scale)
    with chainer.using_config("enable_backprop", double):
        _backprop._backprop_to_all([(node, seed)], retain_grad, loss_scale)


def turn_back(
    application: Any,
    stacks: Any,
    count: int,
    turn: Any,
    begun: Any,
    gradients: Any,
    sums: Any,
    last: bool = False,
) -> Any:
    """Stand for going back through one turn of a loop."""


def loop_back(
    application: Any, stacks: Any, count: int, begun: Any, gradients: Any, sums: Any, got: Any
) -> Any:
    """Go back through the turns of a loop, the last one first.

    `gradients` are those of what the last turn ended with, `begun` those of what all began with.
    Most of them are None before the last turn, and in no other. To each list of `got`, each turn
    adds what a Variable of its own got.
    """
    if count > 0:
        turn = count - 1
        gradients, sums, own = turn_back(
            application, stacks, count, turn, begun, gradients, sums, True
        )
        _add(got, own)
        for number in range(1, count):
            turn = count - 1 - number
            gradients, sums, own = turn_back(
                application, stacks, count, turn, begun, gradients, sums
            )
            _add(got, own)
    return gradients, sums, tuple([_closed(held) for held in got])


def _add(got: Any, own: Any) -> None:
    for held, one in zip(got, own, strict=True):
        if type(held) is list:
            held.append(one)
        else:
            parts, ends = held
            if one is not None:
                parts.extend(one)
            ends.append(len(parts))


def _closed(held: Any) -> Any:
    return tuple(held) if type(held) is list else (tuple(held[0]), tuple(held[1]))


def gradient(node: Any, name: str) -> Any:
    """Stand for the gradient of what control flow gave."""


def from_last(got: Any, count: int, turn: int) -> Any:
    """Return what a Variable of one turn got, of the tuple for all turns, empty if nothing came."""
    if got is None:
        return None
    return got[count - 1 - turn] if len(got) > 0 else None


def parts_from_last(got: Any, count: int, turn: int) -> Any:
    """Return what a Variable of a loop inside of one turn got, in the turns of that."""
    if got is None:
        return None
    parts, ends = got
    number = count - 1 - turn
    return parts[(ends[number - 1] if number > 0 else 0) : ends[number]]


def item_got(got: Any, length: int, position: int) -> Any:
    """Return what an item of a list got to which each turn added one."""
    if got is None:
        return None
    return got[length - 1 - (position + length) % length] if len(got) > 0 else None


def items_got(got: Any, length: int) -> Any:
    """Return what the items of such a list got."""
    return tuple([item_got(got, length, place) for place in range(length)])


def read_turn(application: Any, places: Any, count: int, turn: int, held: Any) -> Any:
    """Stand for the gradients of what one turn ended with, of what it began with."""


def read_turns(application: Any, places: Any, count: int, held: Any) -> Any:
    """Return the gradients of what a loop gave; `held` are those of what it began with."""
    for turn in range(count):
        held = read_turn(application, places, count, turn, held)
    return held


def at_turn(gradients: Any, turn: int, last: bool) -> Any:
    """Return the gradient of what one turn began with, of that of the last one and a stack."""
    if gradients is None:
        return None
    of_last, others = gradients
    if last:
        return of_last
    return None if others is None else others[turn]


def of_items_at_turn(gradients: Any, turn: int, last: bool) -> Any:
    """Return the gradient of what one turn began with, of a tuple."""
    return None if gradients is None else gradients[turn]


def added(a: Any, b: Any) -> Any:
    """Return the sum of two gradients, each of which may be None; of lists item by item."""
    if a is None:
        return b
    if b is None:
        return a
    if type(a) is tuple:
        return tuple([_sum(one, other) for one, other in zip(a, b, strict=True)])
    return chainer.functions.add(a, b)


def _sum(a: Any, b: Any) -> Any:
    if a is None:
        return b
    if b is None:
        return a
    return chainer.functions.add(a, b)


def subtract(x: Any, y: Any) -> None:
    """Subtract in place."""
    x -= y


def counted(gradients: Any, count: int) -> Any:
    """Return gradients in a number known while compiling."""
    if len(gradients) != count:
        raise ValueError("number of gradients returned from backward is incorrect")
    return tuple([gradients[place] for place in range(count)])


def scattered(slices: Any, in_shape: Any, gy: Any) -> Any:
    """Do what the backward pass of `GetItem` computes."""
    gx = np.zeros(in_shape, gy.dtype)
    np.add.at(gx, slices, gy)
    return gx


def gradient_of(x: Any, gx: Any) -> Any:
    """Return a gradient that a class of the program computed, if it is one of `x`."""
    if gx is None:
        return None
    if gx.dtype != x.dtype:
        raise TypeError(f"Dtype of data and grad mismatch\ngrad: {gx.dtype} != data: {x.dtype}")
    if gx.shape != x.shape:
        raise ValueError(f"Shape of data and grad mismatch\ngrad: {gx.shape} != data: {x.shape}")
    return gx
