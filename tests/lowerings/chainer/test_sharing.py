"""Who sees a write: results of Chainer's and numpy's functions that share memory with an input."""

from __future__ import annotations

from typing import Any

import chainer
import chainer.functions as F
import numpy as np
import pytest

import elichika
from tests.lowerings.chainer.sharing import ASKED, difference, same
from tests.lowerings.chainer.table import ROWS, Row
from tests.lowerings.chainer.whole import arguments
from tests.programs import Program, compiled, f32, outcome

#: Networks of many layers: what they return was made by a function of another row.
LARGE = ("GoogLeNet", "ResNet", "VGG")
CHECKED = [row for row in ROWS if not row.is_refused and not any(n in row.name for n in LARGE)]


@pytest.mark.parametrize("row", CHECKED, ids=lambda row: row.name)
def test_rows_of_the_table(row: Row) -> None:
    """Writing to the result of the first call of a row does what it does in Chainer, or is refused.

    `python -m tests.lowerings.chainer.soak_sharing` does it for all calls.
    """
    case = next(case for case in row.whole if not case.refused)
    if case.draws:
        return
    inputs, attributes = case.converted(case.dtypes[0])
    given = dict(zip(inputs, arguments(inputs), strict=True))
    assert not difference(case.expressions[0], "written", given, attributes, case.train)


#: Calls on `x`, float32 or int64 of rank 2, `v` of rank 1 and the square `a` of the same dtype.
CALLS = """
np.asarray(x) | np.asarray(x, 'float64') | np.asarray(x.T, order='C') | np.array(x, copy=False)
np.array(x, order='F', copy=False) | np.ascontiguousarray(x) | np.ascontiguousarray(x.T)
x.reshape(x.shape) | x.T.reshape(-1) | np.ravel(x) | np.ravel(x.T) | x.ravel('F') | x.flatten()
np.squeeze(x) | x.squeeze() | x.squeeze(axis=()) | np.squeeze(x[None]) | np.expand_dims(x, 0)
np.atleast_1d(x) | np.atleast_3d(x) | x.T | np.swapaxes(x, 0, 0) | np.moveaxis(x, 0, 0)
np.broadcast_to(x, x.shape) | np.broadcast_to(2, (2,)) | np.broadcast_arrays(x, x)
np.broadcast_arrays(x, 1) | np.broadcast_arrays(x) | np.broadcast_arrays(v, a)
x.real | x.imag | np.real(x) | np.imag(x) | x.flat[0:2] | x.astype(x.dtype, copy=False)
np.nan_to_num(x, copy=False) | np.clip(x, 0, 2, out=x) | np.round(x) | x.round() | np.around(x, 1)
np.diagonal(a) | np.diag(a) | np.diag(v) | np.split(x, 1) | np.flip(x, 0) | np.rot90(a, 4)
np.einsum('ij->ij', a) | np.einsum('ij->ji', a) | np.einsum('ii->i', a) | np.einsum('i', v)
np.einsum('ij->j', a) | np.cross(v, v) | np.float32(x) | np.int64(x) | np.concatenate([x])
np.meshgrid(v, v, copy=False) | np.ix_([0], [1]) | np.where(True, x, x) | +x | x[...] | x[()]
sorted([x], key=lambda q: 0) | list(zip([x], [v]))[0] | (x, v)[n - 1] | next(iter(x))
F.identity(x) | F.broadcast(x, x) | F.cast(x, x.dtype) | F.copy(x, -1) | F.forget(F.identity, x)
F.as_strided(v, (2, 2), (0, 1)) | F.diagonal(a) | F.broadcast_to(v, (2, 2)) | F.squeeze(x[None])
"""


@pytest.mark.parametrize("dtype", ["float32", "int64"])
@pytest.mark.parametrize("asked", ASKED)
def test_calls(asked: str, dtype: str) -> None:
    given = {
        "x": np.array([[5, 1], [4, 4], [4, 2]], dtype),
        "v": np.array([4, 3], dtype),
        "a": np.array([[5, 1], [2, 6]], dtype),
        "n": 1,
    }
    calls = [call.strip() for call in CALLS.replace("\n", "|").split("|") if call.strip()]
    found = [difference(call, asked, given, {}) for call in calls]
    assert not list(filter(None, found))


class Holder:
    """Keeps one thing."""

    __slots__ = ("held",)
    last: Any = None

    def __init__(self, held: Any) -> None:
        self.held = held


def bump(h: Any) -> Any:
    """Change the array of a Variable in place."""
    h.array[...] = 7
    return h


def pair(x: Any) -> Any:
    """Return a Variable and a view of it."""
    r = F.relu(x)
    return [r, F.reshape(r, (2, 2))]


def turns(x: Any) -> Any:
    """Yield a view of what is yielded next."""
    r = F.relu(x)
    view = F.reshape(r, (2, 2))
    yield r
    yield view


def a_view_of_a_view(self, x):
    h = F.reshape(F.reshape(x, (2, 2)), (4,))
    h.array[...] = 7
    return h, x


def what_a_view_of_a_view_shows(self, x):
    h = F.transpose(F.reshape(x, (2, 2)))
    x[...] = 7
    return h


def a_list_without_a_name(self, x):
    total = 0
    for v in pair(x):
        total = total + F.sum(v)
        bump(v)
    return total


def a_generator_that_waits(self, x):
    total = 0
    for v in turns(x):
        total = total + F.sum(v)
        bump(v)
    return total


def a_part_of_a_tuple(self, x):
    h = F.relu(x)
    return F.reshape(h, (2, 2)), bump(h)


def an_operand(self, x):
    h = F.relu(x)
    return F.sum(F.reshape(h, (1, 4)) * bump(h))


def an_iterator(self, x):
    h = F.relu(x)
    items = zip([F.reshape(h, (2, 2))], [1], strict=True)
    bump(h)
    for item, _ in items:
        return item


def a_default(self, x):
    h = F.relu(x)

    def later(a=F.reshape(h, (2, 2))):  # noqa: B008
        return a

    bump(h)
    return later()


def a_closure(self, x):
    h = F.relu(x)
    later = (lambda r: lambda: r)(F.reshape(h, (2, 2)))
    bump(h)
    return later()


def an_object(self, x):
    h = F.relu(x)
    holder = Holder(F.reshape(h, (2, 2)))
    bump(h)
    return holder.held


def a_class(self, x):
    h = F.relu(x)
    Holder.last = F.reshape(h, (2, 2))
    bump(h)
    return Holder.last


def what_numpy_forbids_on_one_side(self, x):
    y = np.broadcast_to(x[:2] * 1, (2, 2)) if x[0] > 0 else np.zeros((2, 2), "f")
    y[0] = 1
    return y


def several_elements_in_one_place(self, x):
    a, b = F.broadcast(F.relu(x), F.relu(x[:, None]))
    a.array[0] = 1
    return a, b


def rates_that_are_given(self, x):
    y, r = F.rrelu(x, r=x, return_r=True)
    return y, r, x, r is x


PROGRAMS = [
    *(a_view_of_a_view, what_a_view_of_a_view_shows, a_list_without_a_name, a_part_of_a_tuple),
    *(a_generator_that_waits, an_operand, an_iterator, a_default, a_closure, an_object, a_class),
    *(what_numpy_forbids_on_one_side, several_elements_in_one_place, rates_that_are_given),
]


@pytest.mark.parametrize("forward", PROGRAMS, ids=lambda f: f.__name__)
def test_programs(forward: Any) -> None:
    """A write that another array in use may see does what it does in Chainer, or is refused."""
    inputs = [(np.arange(k, k + 4, dtype=np.float32),) for k in (0, 1)]
    program = Program(forward, inputs)
    try:
        model = compiled(program)
    except elichika.StagingError:
        return
    for given in inputs:
        expected = outcome(type("C", (chainer.Chain,), {"forward": forward})().forward, given)
        if isinstance(expected, Exception):
            assert isinstance(outcome(model, given), elichika.ModelRuntimeError)
        else:
            assert same(expected, outcome(model, given))


def in_place(self, x):
    h = F.reshape(F.relu(x), (2, 2))
    h.array[0] = 7
    y = F.split_axis(F.relu(x), 2, 0)[0]
    y.array[...] += 1
    return h, y


def test_what_nobody_else_uses_may_change() -> None:
    program = Program(in_place, [(f32(4),)])
    h, y = compiled(program)(f32(4))
    assert np.all(h[0] == 7)
    np.testing.assert_allclose(y, np.maximum(f32(4), 0)[:2] + 1)


def read_only(self, x):
    self.table[0] = x.sum()
    return self.table


def test_an_array_of_the_chain_that_is_read_only() -> None:
    table = np.zeros(3, np.float32)
    table.flags.writeable = False
    program = Program(read_only, [(f32(4),)], attributes=lambda: {"table": table})
    with pytest.raises(elichika.StagingError, match="assignment destination is read-only"):
        compiled(program)
