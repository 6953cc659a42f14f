"""Factories that cannot be exported, each for a reason of its own."""

from __future__ import annotations

from typing import Any

import chainer
import numpy as np
from chainer import functions as F
from chainer import links as L

from tests.cli.programs import Lazy, Net

__all__ = ["Lazy", "Net"]


class Sizes(chainer.Chain):
    """Asks for what no size gives a name."""

    def forward(self, x: Any) -> Any:
        return getattr(self, f"stage{x.shape[0]}")(x)


class NoLowering(chainer.Chain):
    """Calls what has neither a lowering nor Python source."""

    def forward(self, x: Any) -> Any:
        return np.packbits(x)


SPACE: dict[str, Any] = {"__name__": __name__}
exec(compile("def unreadable(self, x):\n    return x * 2\n", "<made>", "exec"), SPACE)


class NoSource(chainer.Chain):
    """Has a method whose source is in no file."""

    helper = SPACE["unreadable"]

    def forward(self, x: Any) -> Any:
        return self.helper(x)


class NoTensor(chainer.Chain):
    """Returns an object."""

    def forward(self, x: Any) -> Any:
        return {"y": x, "made by": object()}


class Sequences(chainer.Chain):
    """Takes a list."""

    def forward(self, xs: Any) -> Any:
        return F.concat(xs, axis=0)


class Layers(chainer.Chain):
    """Takes images of one size."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.fc = L.Linear(4, 3)

    def forward(self, x: Any) -> Any:
        return self.fc(x)


def leaving() -> Any:
    """Leave Python."""
    raise SystemExit(3)
