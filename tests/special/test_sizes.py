"""Axes without elements, or of one, where they decide what happens."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.programs import Program, check, compiled
from tests.special import inputs
from tests.special.trials import program_from

pytestmark = pytest.mark.filterwarnings("ignore")

X = np.arange(6, dtype=np.float32).reshape(2, 3) + 1
LINE = np.arange(4, dtype=np.float32)
CUBE = np.arange(24, dtype=np.float32).reshape(2, 3, 4)

CASES: list[tuple[str, dict[str, Any]]] = [
    ("np.array(range(len(x))), np.asarray(range(1, len(x)))", {"x": LINE}),
    ("np.array(range(len(x)), np.int32)", {"x": LINE}),
    ("x[np.array(range(len(x)))]", {"x": LINE}),
    ("np.take(x, range(len(x) - 1))", {"x": LINE}),
    ("np.take(x, range(2))", {"x": LINE}),
    ("F.reshape(x, (len(x), -1)), x.reshape(len(x), -1)", {"x": X}),
    ("F.reshape(x, (-1, x.shape[1]))", {"x": X}),
    ("F.flatten(x), x.ravel()", {"x": X}),
    ("F.batch_matmul(x, y)", {"x": X[None].copy(), "y": X.T[None].copy()}),
    ("np.lexsort((x, y))", {"x": LINE, "y": LINE}),
    ("r = 0\nif x[1:2]:\n    r = 1\nreturn r", {"x": LINE}),
    ("1 if x else 2", {"x": X[:1, :1].copy()}),
    ("y = x + 0\nnp.put(y, [0], [])\nreturn y", {"x": LINE}),
    ("np.take(x, []), np.take(x, [], 0)", {"x": X}),
    ("np.add(x, 1, out=np.zeros(3)), np.sqrt(x, out=np.zeros((2, 3)))", {"x": LINE[:3]}),
    ("np.less(x, 2, out=np.zeros(3, bool)), np.clip(x, 0, 1, out=np.zeros(3))", {"x": LINE[:3]}),
    ("np.einsum('ij,kj->ik', x, x)", {"x": X}),
    ("np.einsum('ij,jk', x, y)", {"x": X, "y": X.T.copy()}),
    ("np.einsum('ij,jk', x, y)", {"x": X.astype(int), "y": X.T.copy()}),
    ("np.einsum('ijk,jil->kl', x, y)", {"x": CUBE, "y": CUBE.transpose(1, 0, 2).copy()}),
    ("np.einsum('...i,...i->...', x, y)", {"x": CUBE, "y": CUBE[0].copy()}),
    ("np.einsum('ij,ij->', x, x), np.einsum('i,j->ij', x[0], x[0])", {"x": X}),
    ("np.einsum('ij,ij,jk->k', x, x, x.T)", {"x": X}),
    ("F.einsum('ij,kj->ik', x, x), F.einsum('ij->j', x)", {"x": X}),
    ("np.pad(x, 0 * len(x), 'symmetric'), np.pad(x, 0 * len(x), 'wrap')", {"x": X}),
    ("F.batch_l2_norm_squared(x)", {"x": X}),
    ("F.einsum(x, [0, 1], y, [1, 2], [0, 2])", {"x": X, "y": X.T.copy()}),
    ("F.bilinear(x, y, w)", {"x": X, "y": X + 1, "w": np.ones((3, 3, 2), np.float32)}),
    ("F.batch_normalization(x, y, y + 1)", {"x": CUBE, "y": LINE[:3]}),
    ("F.batch_normalization(x, y, b)", {"x": CUBE, "y": LINE[:3], "b": LINE[1:]}),
    ("F.group_normalization(x, 1, y, y)", {"x": CUBE, "y": LINE[:3]}),
    ("F.layer_normalization(x, y, b)", {"x": X, "y": LINE[:3], "b": LINE[1:]}),
]


@pytest.mark.parametrize(("code", "given"), CASES, ids=[code for code, _ in CASES])
def test_sizes_0_and_1(code: str, given: dict[str, Any]) -> None:
    names = ", ".join(given)
    axes = {n: {k: f"{n}{k}" for k in range(v.ndim)} for n, v in given.items()}
    runs = [tuple(one.values()) for one in (given, *inputs.sizes(given))]
    program = Program(program_from(code, names), runs, axes)
    check(program, compiled(program))


RANGES = [
    "x[np.arange(n)]",
    "x[np.arange(n) + 0]",
    "np.take(x, range(n)) if n > 0 else x",
    "x[np.arange(n, n + 2)]",
    "x[np.arange(-1, n)]",
    "x[np.arange(n, -1, -1)]",
    "x[np.arange(0, n, 2)]",
    "F.get_item(x, np.arange(n)).array",
    "[x[np.arange(n + i)] for i in range(2)]",
    "x[np.arange(len(x) - 1, -1, -1)]",
    "x[np.arange(len(x))]",
]


@pytest.mark.parametrize("code", RANGES)
def test_an_array_indexed_by_counting(code: str) -> None:
    """onnxruntime would take a slice, which ends where the array does and counts from its end."""
    runs = [(LINE, n) for n in (2, 0, 4, 5, 9, -1, -2, -5)] + [(LINE[:0], n) for n in (0, 1)]
    program = Program(program_from(code, "x, n"), runs, {"x": {0: "size"}})
    check(program, compiled(program))
