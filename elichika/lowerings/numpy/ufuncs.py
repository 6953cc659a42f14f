"""What the lowerings of numpy's ufuncs share: their arguments and the dtypes of results."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.lowerings.numpy.arguments import NOT_GIVEN, out_of, static
from elichika.lowerings.numpy.operands import stand
from elichika.numbers.promotion import ask, result_dtype
from elichika.registry import lowers

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext


def dtype_of_result(
    w: LoweringContext, function: Any, operands: list[Any], dtype: Any
) -> np.dtype[Any]:
    """Return the dtype of a ufunc's result, as `dtype=` asks for it."""
    if dtype is None:
        return result_dtype(w, function, *operands)
    asked = static(w, dtype, "dtype")
    stands = [stand(w, one) for one in operands]
    found: np.dtype[Any] = np.asarray(ask(w, function, *stands, dtype=asked)).dtype
    return found


def register_ufunc(function: np.ufunc, lowering: Callable[..., Any]) -> Callable[..., Any]:
    """Return the lowering of a ufunc with the arguments that all ufuncs take.

    Args:
        function: The ufunc, of one result.
        lowering: Called with the walker, the operands, `out` and, by name, `dtype`.
    """

    def whole(
        w: LoweringContext,
        *operands: Any,
        out: Any = None,
        where: Any = True,
        casting: Any = "same_kind",
        order: Any = "K",
        subok: Any = True,
        **kwargs: Any,
    ) -> Any:
        if len(operands) > function.nin:
            operands, out = operands[:-1], operands[-1]
        out = out_of(w, out)
        if static(w, order, "order") not in ("K", "C", "A"):
            w.refuse(
                f"`order` of `{function.__name__}` is not compiled",
                "leave it out: the arrays of a model have one layout",
            )
        how = static(w, casting, "casting")
        everywhere = where is True or where is NOT_GIVEN
        if how == "same_kind" and everywhere:
            return lowering(w, *operands, out, **kwargs)
        if out is None:
            what, way = ("casting", "`astype`") if everywhere else ("where", "`np.where`")
            w.refuse(f"`{what}` without `out` is not compiled", f"use {way}")
        result = lowering(w, *operands, None, **kwargs)
        w.call(np.copyto, [out, result], {"casting": how, "where": where})
        return out

    return lowers(function)(whole)
