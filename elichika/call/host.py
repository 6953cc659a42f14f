"""Chains whose arrays lie on a GPU: what is compiled is a copy of them on the CPU."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import chainer

__all__ = ["on_host"]


def on_host(chain: Any) -> Any:
    """Return a chain whose arrays are numpy's: itself, or a copy where some are on a GPU.

    The chain stays where it is. Arrays of CuPy are known by their interface, not by their class.
    """
    if not issubclass(type(chain), chainer.Link):  # `compile_model` says what is wrong
        return chain
    far = {id(array): array for link in chain.links() for array in _far_arrays(link)}
    if not far:
        return chain
    device = chainer.backend.CpuDevice()
    made = copy.deepcopy(chain, {key: array.get() for key, array in far.items()})
    for link in made.links():
        link._device = device
    for parameter in made.params():
        parameter._device = device
    return made


def _far_arrays(link: chainer.Link) -> Iterator[Any]:
    """Yield what a link itself holds on a GPU: parameters, gradients and other attributes."""
    for held in list(vars(link).values()):
        arrays = [held]
        if issubclass(type(held), chainer.Variable):
            arrays = [*getattr(held, "_data", ()), getattr(held, "_grad", None)]
        for array in arrays:  # its class is asked: the object may have a `__getattr__`
            if hasattr(type(array), "__cuda_array_interface__") and hasattr(type(array), "get"):
                yield array
