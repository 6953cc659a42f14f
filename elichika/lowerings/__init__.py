"""The lowerings, in files named after the groups of `chainer.functions`."""

from elichika.lowerings import activation, basic_math

__all__ = ["activation", "basic_math"]
