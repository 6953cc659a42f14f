"""Double loops over lists of numbers, made of an array `x` (n,)."""

from __future__ import annotations

from typing import Any

import chainer

__all__ = ["DOUBLE_LOOPS"]


class Read(chainer.Chain):
    """The sum of all differences, turn by turn."""

    def forward(self, x: Any) -> Any:
        """Read two elements a turn."""
        xs = [float(v) for v in x]
        total = 0.0
        for i in range(len(xs)):
            for j in range(i + 1, len(xs)):
                total = total * 0.5 + (xs[i] - xs[j])
        return total


class Write(chainer.Chain):
    """Each element is lowered by those before it."""

    def forward(self, x: Any) -> Any:
        """Write one element a turn."""
        xs = [float(v) for v in x]
        for i in range(len(xs)):
            for j in range(i + 1, len(xs)):
                xs[j] = xs[j] * 0.5 + xs[i] * 0.5
        return xs[-1]


class Swap(chainer.Chain):
    """The first of the sorted elements."""

    def forward(self, x: Any) -> Any:
        """Sort by swapping."""
        xs = [float(v) for v in x]
        for i in range(len(xs)):
            for j in range(i + 1, len(xs)):
                if xs[j] < xs[i]:
                    xs[i], xs[j] = xs[j], xs[i]
        return xs[len(xs) // 2]


class Select(chainer.Chain):
    """The one in the middle of the sorted elements."""

    def forward(self, x: Any) -> Any:
        """Sort by selection."""
        xs = [float(v) for v in x]
        for i in range(len(xs)):
            least = i
            for j in range(i + 1, len(xs)):
                if xs[j] < xs[least]:
                    least = j
            xs[i], xs[least] = xs[least], xs[i]
        return xs[len(xs) // 2]


class Count(chainer.Chain):
    """How many pairs stand in order."""

    def forward(self, x: Any) -> Any:
        """Count."""
        xs = [float(v) for v in x]
        count = 0
        for i in range(len(xs)):
            for j in range(i + 1, len(xs)):
                if xs[i] < xs[j]:
                    count += 1
        return count


class Suppress(chainer.Chain):
    """How many elements have no kept one near before them."""

    def forward(self, x: Any) -> Any:
        """Keep greedily."""
        xs = [float(v) for v in x]
        gone = [False for _ in xs]
        kept = 0
        for i in range(len(xs)):
            if not gone[i]:
                kept += 1
                for j in range(i + 1, len(xs)):
                    if abs(xs[i] - xs[j]) < 0.01:
                        gone[j] = True
        return kept


#: Each with whether its turns do not depend on one another.
DOUBLE_LOOPS = (
    (Read(), False),
    (Write(), False),
    (Swap(), False),
    (Select(), False),
    (Count(), True),
    (Suppress(), False),
)
