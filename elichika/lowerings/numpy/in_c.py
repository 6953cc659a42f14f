"""Functions of numpy that are C code: walked as the Python of `elichika.idioms`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika import idioms
from elichika.errors import UnsupportedFunction
from elichika.lowerings.numpy.arguments import finish
from elichika.lowerings.numpy.operands import operand, tensor
from elichika.numbers.promotion import result_dtype
from elichika.registry import always, lowers, walked

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext

_core: Any = import_module("numpy._core" if np.__version__ >= "2" else "numpy.core")
fromnumeric, multiarray = _core.fromnumeric, _core.multiarray


def _walked(idiom: Any, *functions: Any) -> None:
    lowers(*functions)(walked(idiom))


_walked(idioms.arrays.choose, np.choose, np.ndarray.choose)
_walked(idioms.arrays.put, np.ndarray.put)
_walked(idioms.arrays.putmask, np.putmask)
_walked(idioms.arrays.place, np.place)
_walked(idioms.orders.lexsort, np.lexsort)
_walked(idioms.orders.partition, np.partition)
_walked(idioms.orders.median, np.median)
_walked(idioms.orders.argpartition, np.argpartition, np.ndarray.argpartition)
_walked(idioms.orders.partition_in_place, np.ndarray.partition)
_walked(idioms.arrays.unravel_index, np.unravel_index)
_walked(idioms.arrays.ravel_multi_index, np.ravel_multi_index)
_walked(idioms.arrays.interp, multiarray.interp)
_walked(idioms.arrays.correlate, multiarray.correlate)
_walked(idioms.arrays.correlate_in_order, multiarray.correlate2)
_walked(idioms.arrays.cross, np.cross)
_walked(idioms.arrays.Broadcast, np.broadcast)
_walked(idioms.arrays.broadcast_shapes, np.broadcast_shapes)
_walked(idioms.arrays.wrapped, fromnumeric._wrapfunc)

for _builder, _idiom in (
    (np.r_, idioms.grids.joined),
    (np.mgrid, idioms.grids.grid),
    (np.s_, idioms.grids.index),
):
    _walked(_idiom, type(_builder).__getitem__)

_walked(idioms.arrays.enumerated, np.ndenumerate)
_walked(idioms.arrays.indices, np.ndindex)


@lowers(np.vectorize)
@always
def vectorize(w: LoweringContext, *args: Any, **kwargs: Any) -> Any:
    """An object that is called for each element."""
    return w.call(idioms.arrays.Vectorized, list(args), kwargs)


@lowers(np.vectorize.__call__)
def call_vectorized(w: LoweringContext, function: Any, *args: Any) -> Any:
    """One that was made before."""
    options = function.otypes, None, function.excluded, function.cache, function.signature
    return w.call(w.call(idioms.arrays.Vectorized, [function.pyfunc, *options], {}), list(args), {})


_lapack: Any = import_module("numpy.linalg._umath_linalg")


def _solved(idiom: Any, function: Any) -> None:
    """Register what numpy's linear algebra runs; it is given float64 and stacks of matrices."""

    @lowers(function)
    def lowering(w: LoweringContext, *matrices: Any, **kwargs: Any) -> Any:
        wide = [w.call(np.ndarray.astype, [w.as_array(m), np.float64], {}) for m in matrices]
        return w.call(idiom, wide, {})


_solved(idioms.matrices.inverse, _lapack.inv)
_solved(idioms.matrices.solve, _lapack.solve)
_solved(idioms.matrices.solve_vector, _lapack.solve1)
_solved(idioms.matrices.determinant, _lapack.det)
_solved(idioms.matrices.log_determinant, _lapack.slogdet)
_solved(idioms.matrices.cholesky, _lapack.cholesky_lo)


def _refused(key: Any, name: str) -> None:
    @lowers(key)
    def lowering(w: LoweringContext, *matrices: Any, **kwargs: Any) -> Any:
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
def gcd(w: LoweringContext, x1: Any, x2: Any, out: Any = None) -> Any:
    """The greatest common divisor of each pair."""
    return _of_integers(w, np.gcd, idioms.arrays.gcd, x1, x2, out)


@lowers(np.lcm)
def lcm(w: LoweringContext, x1: Any, x2: Any, out: Any = None) -> Any:
    """The least common multiple of each pair."""
    return _of_integers(w, np.lcm, idioms.arrays.lcm, x1, x2, out)


def _of_integers(w: LoweringContext, function: Any, idiom: Any, x1: Any, x2: Any, out: Any) -> Any:
    pair = operand(w, x1), operand(w, x2)
    dtype = result_dtype(w, function, *pair)
    cast = [w.call(np.asarray, [one, dtype], {}) for one in pair]
    result = w.call(idiom, cast, {})
    return finish(w, tensor(w, result, dtype), out)


@lowers(np.result_type)
def result_type(w: LoweringContext, *operands: Any) -> np.dtype[Any]:
    """The dtype that operands are promoted to, one after the other."""
    arrays = [w.is_symbolic(one) or type(one) is np.ndarray for one in operands]

    def promoted(*stands: Any) -> Any:
        rest = iter(stands)
        pairs = zip(operands, arrays, strict=True)
        return np.zeros((), np.result_type(*(next(rest) if asked else one for one, asked in pairs)))

    asked = [operand(w, one) for one, is_one in zip(operands, arrays, strict=True) if is_one]
    # beside a dtype, as beside an array, it may matter how large a number is
    return result_dtype(w, promoted, *asked, operand(w, np.zeros(1)))
