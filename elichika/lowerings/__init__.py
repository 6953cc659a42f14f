"""The lowerings, in files named after the groups of `chainer.functions`."""

from importlib import import_module

__all__ = [
    "activation",
    "array",
    "basic_math",
    "batches",
    "connection",
    "deconvolution",
    "elementwise",
    "elimination",
    "evaluation",
    "gamma_functions",
    "linear_algebra",
    "lists",
    "loss",
    "n_step_rnn",
    "ndarray",
    "noise",
    "normalization",
    "numpy_creation",
    "numpy_in_c",
    "numpy_joining",
    "numpy_linear_algebra",
    "numpy_math",
    "numpy_reductions",
    "numpy_shape",
    "numpy_sorting",
    "padding",
    "pooling",
    "python_containers",
    "python_iterators",
    "python_math",
    "python_objects",
    "python_operators",
    "python_texts",
    "quantile_functions",
    "reductions",
    "regions",
    "rnn",
    "selection",
    "sequence_loss",
    "spatial",
]

for _name in __all__:
    import_module(f"elichika.lowerings.{_name}")
