"""Dtypes and sizes that Chainer or numpy refuse: the model is refused, or fails, as well."""

from __future__ import annotations

from typing import Any

import chainer.links as L
import numpy as np
import pytest

import elichika
from tests.programs import Program, check, compiled
from tests.special.trials import program_from

pytestmark = pytest.mark.filterwarnings("ignore")


def _raises(code: str, names: str, given: tuple[Any, ...], **options: Any) -> None:
    program = Program(program_from(code, names), [given], **options)
    with pytest.raises(Exception):  # noqa: B017
        program.forward(type("Chain", (), program.attributes())(), *given)
    with pytest.raises(elichika.ElichikaError) as caught:
        compiled(program)
    assert "internal error" not in str(caught.value)


X = np.ones((1, 1, 2, 3))


@pytest.mark.parametrize("dtype", ["float64", "float16", "int32"])
@pytest.mark.parametrize("x", ["x", "chainer.Variable(x)", "np.ones((1, 1, 2, 3), '{}')"])
def test_an_attribute_of_the_run_does_not_hide_the_dtype(x: str, dtype: str) -> None:
    code = f"F.resize_images({x.format(dtype)}, (n, 2))"
    _raises(code, "x, n", (X.astype(dtype), 3))


@pytest.mark.parametrize("dtype", ["float64", "float16"])
def test_a_mask_of_the_run_does_not_hide_the_dtype(dtype: str) -> None:
    code = "F.simplified_dropconnect(x, w, b, mask=m.array)"
    given = (np.ones((2, 3)), np.ones((4, 3), "f"), np.ones(4, "f"), np.ones((2, 4, 3), "f"))
    _raises(code.replace("m.array", "m"), "x, w, b, m", (given[0].astype(dtype), *given[1:]))


@pytest.mark.parametrize("call", ["softmax(x)", "log_softmax(x, axis=0)", "softmax(x, axis=n)"])
def test_checks_that_make_a_bool_of_what_is_expected(call: str) -> None:
    _raises(f"F.{call}", "x, n", (np.ones((2, 3), "int32"), 1))


@pytest.mark.parametrize("dtype", ["float16", "float64"])
@pytest.mark.parametrize("link", [L.NStepLSTM, L.NStepBiGRU, L.NStepRNNTanh])
def test_recurrent_layers_of_sequences_and_weights_of_two_dtypes(link: Any, dtype: str) -> None:
    states = "None, None" if link is L.NStepLSTM else "None"
    made = link(1, 3, 4, 0.0)
    given = ([np.ones((2, 3), dtype), np.ones((1, 3), dtype)],)
    _raises(f"self.l({states}, xs)", "xs", given, attributes=lambda: {"l": made})


@pytest.mark.parametrize("code", ["F.cholesky(x)", "np.linalg.cholesky(x)"])
def test_lapack_has_no_half_precision(code: str) -> None:
    _raises(code, "x", (np.eye(3, dtype=np.float16),))


@pytest.mark.parametrize(
    "code", ["np.eye(n)", "np.eye(n, m)", "np.eye(3, m)", "np.eye(n, 3, 1)", "np.identity(n)"]
)
def test_matrices_of_negative_sizes(code: str) -> None:
    runs = [(2, 3), (0, 0), (1, 1), (-1, 2), (2, -1), (-3, -2), (5, 0)]
    program = Program(program_from(code, "n, m"), runs)
    check(program, compiled(program))


def test_a_negative_least_length() -> None:
    code = "np.bincount(x, minlength=n)"
    runs = [(np.array([0, 2]), n) for n in (3, 0, 1, 5, -1, -3)]
    program = Program(program_from(code, "x, n"), runs)
    check(program, compiled(program))


def test_a_copy_of_an_iterator_is_refused() -> None:
    code = "import copy\ni = iter([x, x * 2])\nj = copy.copy(i)\nreturn next(i), next(j)"
    with pytest.raises(elichika.StagingError, match="a copy of a") as caught:
        compiled(Program(program_from(code, "x"), [(X,)]))
    assert "internal error" not in str(caught.value)
