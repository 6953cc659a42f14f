"""The lowerings, in files named after the groups of `chainer.functions`."""

from importlib import import_module

__all__ = [
    "activation",
    "array",
    "basic_math",
    "connection",
    "deconvolution",
    "elementwise",
    "linear_algebra",
    "normalization",
    "pooling",
    "reductions",
    "rnn",
    "selection",
]

for _name in __all__:
    import_module(f"elichika.lowerings.{_name}")
