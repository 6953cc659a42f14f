"""The lowerings, in files named after the groups of `chainer.functions`."""

from importlib import import_module

__all__ = [
    "activation",
    "array",
    "basic_math",
    "connection",
    "deconvolution",
    "elementwise",
    "evaluation",
    "linear_algebra",
    "loss",
    "noise",
    "normalization",
    "pooling",
    "reductions",
    "rnn",
    "selection",
    "spatial",
]

for _name in __all__:
    import_module(f"elichika.lowerings.{_name}")
