"""`x.data` of an array: the memoryview that programs written for Chainer 1 ask for sizes."""

from __future__ import annotations

import chainer.functions as F
import numpy as np
import pytest

import elichika
from tests.programs import Program, chain_with, f32
from tests.sources import module_of
from tests.table import Table, hold

case = Table()


@case()
def sizes(self, x, n, c):
    return x.data.shape, len(x.data), x.data.ndim, x.data.shape[0] * 2, x.data.nbytes


@case()
def sizes_of_views(self, x, n, c):
    return x[1:].data.shape, len(x.T.data), x[:, 0].data.shape, x[:n].data.shape


@case()
def zeros_of_its_sizes(self, x, n, c):
    return np.zeros(x.data.shape, x.dtype) + x, x.data.itemsize


@case()
def of_an_array_or_a_variable(self, x, n, c):
    h = F.relu(x + 1) if c else x
    return h.data.shape, n


@case()
def chosen(self, x, n, c):
    held = x.data if c else x[:, :1].data
    return held.shape, held.ndim, n


@case()
def carried(self, x, n, c):
    held = x.data
    for _ in range(n):
        x = x[1:]
        held = x.data
    return held.shape, len(held)


@case()
def in_lists(self, x, n, c):
    known = [x.data, (x + 1).data]
    grown = []
    for i in range(n):
        grown.append(x[i:].data)
    return [one.shape for one in known], [one.shape for one in grown], known[0] is known[1]


@case()
def sees_later_writes(self, x, n, c):
    held, known = x.data, np.zeros((2, 2))
    view = known.data
    x += 1
    known[0, 0] = n
    return held.tolist(), view.tolist()


@case()
def array_over_it(self, x, n, c):
    y = np.asarray(x.data)
    y[...] = n
    z = np.array(x.data, "d")
    z += 1
    return x, y, z, y is x, np.maximum(x.data, 1), np.concatenate([x.data, x])


@case()
def what_it_is(self, x, n, c):
    held = x.data
    kinds = isinstance(held, np.ndarray), isinstance(held, memoryview), type(held) is memoryview
    return kinds, hasattr(held, "dtype"), getattr(held, "get", None), held is None, held.obj is x, n


@case()
def truth(self, x, n, c):
    return x if x.data else x + 1


@case()
def minibatch_discrimination(self, x, n, c):
    m = F.expand_dims(F.reshape(F.relu(x), (-1, 2, 1)), 3)
    m, other = F.broadcast(m, F.transpose(m, (3, 1, 2, 0)))
    norm = F.sum(abs(m - other), axis=2)
    itself = np.eye(x.data.shape[0], dtype="f")[:, None, :]
    eraser = np.broadcast_to(itself, norm.shape)
    return F.concat([x, F.sum(F.exp(-(norm + 1e6 * eraser)), axis=2)])


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_program(program: Program) -> None:
    hold(program)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("x.data.dtype", "'memoryview' object has no attribute 'dtype'"),
        ("x.data.strides", "`strides` of the memoryview `x.data`"),
        ("hasattr(x.data, 'contiguous'), x", "`contiguous` of the memoryview"),
        ("x.data[0, 0]", "tells its sizes only"),
        ("x.data == x.data", "tells its sizes only"),
        ("x.data.tobytes()", "tells its sizes only"),
        ("len(np.sum(x).data)", "memoryview of a number"),
        ("x.data", "is a memoryview, which is not a tensor"),
        ("x.data + x", "`add` of a memoryview and an ndarray"),
    ],
)
def test_what_else_is_asked_is_refused(asked: str, told: str) -> None:
    source = f"import numpy as np\n\n\ndef forward(self, x):\n    return {asked}\n"
    forward = module_of(source, "asked_of_a_buffer.py")["forward"]
    with pytest.raises(elichika.StagingError, match=told):
        elichika.compile_model(chain_with(forward), (f32(2, 3),), verify=False)
