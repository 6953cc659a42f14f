"""Functions of numpy that are C code: walked as the Python of `elichika.array_idioms`."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from elichika import array_idioms, matrix_idioms
from elichika.errors import UnsupportedFunction
from elichika.lowerings.arguments import finish, operand, tensor
from elichika.promotion import result_dtype
from elichika.registry import always, lowers

_core: Any = import_module("numpy._core" if np.__version__ >= "2" else "numpy.core")
fromnumeric, multiarray = _core.fromnumeric, _core.multiarray


def _walked(idiom: Any, *functions: Any) -> None:
    def lowering(w: Any, *args: Any, **kwargs: Any) -> Any:
        return w.call(idiom, list(args), kwargs)

    lowers(*functions)(lowering)


_walked(array_idioms.choose, np.choose, np.ndarray.choose)
_walked(array_idioms.put, np.ndarray.put)
_walked(array_idioms.putmask, np.putmask)
_walked(array_idioms.place, np.place)
_walked(array_idioms.lexsort, np.lexsort)
_walked(array_idioms.partition, np.partition)
_walked(array_idioms.median, np.median)
_walked(array_idioms.argpartition, np.argpartition, np.ndarray.argpartition)
_walked(array_idioms.partition_in_place, np.ndarray.partition)
_walked(array_idioms.unravel_index, np.unravel_index)
_walked(array_idioms.ravel_multi_index, np.ravel_multi_index)
_walked(array_idioms.interp, multiarray.interp)
_walked(array_idioms.correlate, multiarray.correlate)
_walked(array_idioms.correlate_in_order, multiarray.correlate2)
_walked(array_idioms.cross, np.cross)
_walked(array_idioms.Broadcast, np.broadcast)
_walked(array_idioms.broadcast_shapes, np.broadcast_shapes)
_walked(array_idioms.wrapped, fromnumeric._wrapfunc)

_walked(array_idioms.enumerated, np.ndenumerate)


@lowers(np.vectorize)
@always
def vectorize(w: Any, *args: Any, **kwargs: Any) -> Any:
    """An object that is called for each element."""
    return w.call(array_idioms.Vectorized, list(args), kwargs)


@lowers(np.vectorize.__call__)
def call_vectorized(w: Any, function: Any, *args: Any) -> Any:
    """One that was made before."""
    options = function.otypes, None, function.excluded, function.cache, function.signature
    return w.call(w.call(array_idioms.Vectorized, [function.pyfunc, *options], {}), list(args), {})


_lapack: Any = import_module("numpy.linalg._umath_linalg")


def _solved(idiom: Any, function: Any) -> None:
    """Register what numpy's linear algebra runs; it is given float64 and stacks of matrices."""

    @lowers(function)
    def lowering(w: Any, *matrices: Any, **kwargs: Any) -> Any:
        wide = [w.call(np.ndarray.astype, [w.as_array(m), np.float64], {}) for m in matrices]
        return w.call(idiom, wide, {})


_solved(matrix_idioms.inverse, _lapack.inv)
_solved(matrix_idioms.solve, _lapack.solve)
_solved(matrix_idioms.solve_vector, _lapack.solve1)
_solved(matrix_idioms.determinant, _lapack.det)
_solved(matrix_idioms.log_determinant, _lapack.slogdet)
_solved(matrix_idioms.cholesky, _lapack.cholesky_lo)


def _refused(key: Any, name: str) -> None:
    @lowers(key)
    def lowering(w: Any, *matrices: Any, **kwargs: Any) -> Any:
        raise UnsupportedFunction(
            f"`numpy.linalg.{name}` is not supported on values known only when the model runs",
            w.here(),
            "ONNX has no decomposition of this kind; pass its factors as inputs",
        )


for _key, _function in vars(_lapack).items():
    _name = _key.split("_")[0]
    if _name in ("svd", "eig", "eigh", "eigvals", "eigvalsh", "qr", "lstsq"):
        _refused(_function, _name)


@lowers(np.gcd)
def gcd(w: Any, x1: Any, x2: Any, out: Any = None) -> Any:
    """The greatest common divisor of each pair."""
    return _of_integers(w, np.gcd, array_idioms.gcd, x1, x2, out)


@lowers(np.lcm)
def lcm(w: Any, x1: Any, x2: Any, out: Any = None) -> Any:
    """The least common multiple of each pair."""
    return _of_integers(w, np.lcm, array_idioms.lcm, x1, x2, out)


def _of_integers(w: Any, function: Any, idiom: Any, x1: Any, x2: Any, out: Any) -> Any:
    pair = operand(w, x1), operand(w, x2)
    dtype = result_dtype(w, function, *pair)
    cast = [w.call(np.asarray, [one, dtype], {}) for one in pair]
    result = w.call(idiom, cast, {})
    return finish(w, tensor(w, result, dtype), out)


@lowers(np.result_type)
def result_type(w: Any, *operands: Any) -> np.dtype[Any]:
    """The dtype that operands are promoted to."""

    def promoted(*stands: Any) -> Any:
        return np.zeros((), np.result_type(*stands, *kinds))

    arrays = [one for one in operands if w.is_symbolic(one) or isinstance(one, np.ndarray)]
    kinds = [one for one in operands if not any(one is other for other in arrays)]
    return result_dtype(w, promoted, *(operand(w, one) for one in arrays))
