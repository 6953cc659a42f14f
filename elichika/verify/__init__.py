"""Verification: the model against the chain, also on inputs that were not shown.

`verify` runs both on the examples and on inputs derived from them (`derive.py`): every named size
at 1, 2 and a prime, floats permuted, negated and scaled, numbers changed, lists of other lengths
and orders. The chain runs on a copy of its state for each input (`isolate.py`), both sides have a
deadline, and results are compared to the tolerances of `compare.py`.

Where eager raises, the model must fail. The exception to this are checks of types and sizes inside
Chainer and numpy (`chainer.utils.type_check.InvalidType`, and `ValueError`, `TypeError` or
`AssertionError` raised in library code): the model may compute a value there, as broadcasting does,
and the report says so. On inputs that the user gave there is no exception.

Limits. Only Python code is stopped at the deadline; one long call into native code is waited for.
State that is reached through globals or classes is not copied. A program whose result on some
input depends on its own rounding errors is reported as unstable there: the bound is ten times what
nudging inputs and parameters by up to four units in the last place does to eager's own result.
"""

from elichika.verify.compare import TOLERANCES
from elichika.verify.report import VerificationReport
from elichika.verify.verifier import verify

__all__ = ["TOLERANCES", "VerificationReport", "verify"]
