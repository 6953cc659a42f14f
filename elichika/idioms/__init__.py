"""What Python, numpy, scipy, Pillow and chainercv do in C, or with known lengths, as programs.

The walker interprets these functions like any other; each does what the function it stands for
does, and raises what that raises.
"""

from typing import Any

from elichika.idioms import (
    arithmetic,
    arrays,
    backward,
    boxes,
    buffers,
    dicts,
    distributions,
    draws,
    enums,
    gradients,
    grids,
    heaps,
    images,
    iterators,
    links,
    list_gradients,
    lists,
    matrices,
    orders,
    queues,
    results,
    resuming,
    roots,
    searches,
    set_orders,
    signals,
    slices,
    softmaxes,
    sparse,
)

__all__ = [
    "arithmetic",
    "arrays",
    "backward",
    "boxes",
    "buffers",
    "dicts",
    "distributions",
    "draws",
    "enums",
    "gradients",
    "grids",
    "heaps",
    "images",
    "is_one_of_these",
    "iterators",
    "links",
    "list_gradients",
    "lists",
    "matrices",
    "orders",
    "queues",
    "results",
    "resuming",
    "roots",
    "searches",
    "set_orders",
    "signals",
    "slices",
    "softmaxes",
    "sparse",
]


def is_one_of_these(space: dict[str, Any]) -> bool:
    """Tell whether global names are those of a module of these programs."""
    return bool(space.get("__package__") == __name__)
