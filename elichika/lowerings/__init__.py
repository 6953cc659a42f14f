"""The lowerings, in files named after the groups of `chainer.functions`."""

from elichika.lowerings import (
    activation,
    array,
    basic_math,
    connection,
    deconvolution,
    pooling,
    selection,
)

__all__ = ["activation", "array", "basic_math", "connection", "deconvolution", "pooling", "selection"]
