"""Chains that call themselves as deep, or as often, as their input says."""

from __future__ import annotations

import chainer

__all__ = ["Factorial", "Fibonacci", "Hanoi"]


class Factorial(chainer.Chain):
    """One call, with something to do after it: as many calls as deep."""

    def product(self, n, by):
        """Multiply after the call."""
        return 1 if n <= 0 else 1 + self.product(n - 1, by) * by % 1009

    def forward(self, n):
        """Call `n` deep."""
        return self.product(n, 3)


class Fibonacci(chainer.Chain):
    """Two calls: 2 fib(n + 1) - 1 of them."""

    def number(self, n):
        """Add the results of two calls."""
        return n if n < 2 else self.number(n - 1) + self.number(n - 2)

    def forward(self, n):
        """Call `n` deep."""
        return self.number(n)


class Hanoi(chainer.Chain):
    """Two calls with a list that grows between them: 2^(n + 1) - 1 of them."""

    def moves(self, n, a, b, c, out):
        """Write down the moves of a tower."""
        if n > 0:
            self.moves(n - 1, a, c, b, out)
            out.append(a * 3 + c)
            self.moves(n - 1, b, a, c, out)

    def forward(self, n):
        """Count the moves of `n` disks."""
        out = []
        self.moves(n, 0, 1, 2, out)
        return len(out)
