"""Lowerings of packages that may be installed: chainercv, OpenCV, Pillow, scipy.

A package is looked at as far as it was imported, and not imported here: a program has it, a part of
it, something else under its name, or nothing.
"""

from __future__ import annotations

import sys
import threading
from contextlib import suppress
from typing import Any

from elichika import idioms
from elichika.lowerings.chainer import detection
from elichika.lowerings.images import opencv, pillow
from elichika.lowerings.scipy import ndimage, special
from elichika.registry import Lowering, lowering_of, lowers, walked

__all__ = ["register"]

#: A module, what it holds, and its lowering.
LOWERINGS: tuple[tuple[str, str, Lowering], ...] = (
    *detection.LOWERINGS,
    *pillow.LOWERINGS,
    *special.LOWERINGS,
    ("cv2", "resize", opencv.resize),
    ("scipy.ndimage", "gaussian_filter", ndimage.gaussian_filter),
    ("scipy.optimize", "brentq", walked(idioms.roots.brentq)),
    ("scipy.sparse", "coo_matrix", walked(idioms.sparse.CooMatrix)),
)

_registering = threading.Lock()


def register() -> None:
    """Register a lowering for each of these functions that the process has by now."""
    with _registering:
        for module, path, lowering in LOWERINGS:
            function = _found(module, path)
            if callable(function) and lowering_of(function) is None:
                lowers(function)(lowering)


def _found(module: str, path: str) -> Any:
    """Return what a module that was imported has at a path, None if there is nothing."""
    found = sys.modules.get(module)
    with suppress(Exception):  # whatever a module raises that looks for its names when asked
        for name in path.split("."):
            found = getattr(found, name, None)
        return found
    return None
