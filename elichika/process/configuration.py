"""What a chain is compiled and run under."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import chainer
import numpy as np

__all__ = ["configuration"]


@contextmanager
def configuration(train: bool) -> Iterator[None]:
    """Set Chainer's mode, and let numpy's arithmetic say nothing of infinities."""
    with chainer.using_config("train", train), np.errstate(all="ignore"):
        yield
