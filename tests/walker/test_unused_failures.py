"""What fails where nobody uses its result: the program fails there, so the model does."""

from __future__ import annotations

import chainer.functions as F
import numpy as np
import pytest

import elichika
from tests.programs import Program, compiled, f32
from tests.table import Table, hold


def _places(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int64)


case = Table(
    [
        (f32(3, 3), 1, _places(0, 2, 1)),
        (f32(3, 3), 0, _places(3, 0, 1)),
        (f32(4, 3), 3, _places(0, -4, 1)),
        (f32(4, 3), -4, _places(0, -1, 1)),
        (f32(0, 3), 2, _places(0, 0, 0)),
        (f32(1, 3), 5, _places(0, 0, 0)),
    ],
    {"x": {0: "rows"}},
)


@case()
def looked_up(self, x, n, k):
    F.embed_id(k, x)
    return n


@case()
def looked_up_but_for_a_label(self, x, n, k):
    F.embed_id(k, x, ignore_label=-1)
    return n


@case()
def kept_in_an_attribute(self, x, n, k):
    if n > 0:
        self.found = F.embed_id(k, x)
    return n


@case()
def at_each_turn(self, x, n, k):
    h = None
    for _ in range(n):
        h = F.embed_id(k, x)
    return h is None


@case()
def in_a_list(self, x, n, k):
    found = []
    for i in range(n):
        found.append(np.take(x, k[i % 3], axis=0))
    return len(found)


@case()
def only_its_shape(self, x, n, k):
    return np.take(x, k, axis=0).shape


@case()
def of_one_of_two(self, x, n, k):
    np.compress([True] * n if n < 5 else [], x, axis=0)
    return n


@case()
def along_an_axis(self, x, n, k):
    np.take_along_axis(x, k[None], axis=0)
    return n


@case()
def item_of_each_row(self, x, n, k):
    F.select_item(x.T, k)
    return n


@case()
def loss_of_labels(self, x, n, k):
    loss = F.softmax_cross_entropy(x.T, np.abs(k))
    return n if loss is not None else -1


@case()
def windows_that_do_not_fit(self, x, n, k):
    F.convolution_2d(x[None, None], np.ones((1, 1, 2, 2), "f"))
    return n


@case()
def blocks_that_do_not_fit(self, x, n, k):
    F.space2depth(x[None, None, :, :2] if len(x) != 3 else x[None, None, :2, :2], 2)
    return n


@case()
def no_pixels(self, x, n, k):
    F.resize_images(x[None, None], (2, 2))
    return n


@case()
def write_to_what_nobody_reads(self, x, n, k):
    places = np.zeros(2)
    places[np.argmax(x.sum(axis=1) * n) % 4 if len(x) else 0] = 1
    return n


@case()
def one_of_two_that_nobody_reads(self, x, n, k):
    """The arm stays for a lookup in it; the rest of it still gets what it computes with."""
    y, rows = np.full(3, 0, np.float32), list(x)
    y[(np.stack(rows).mean(axis=0) if rows else y) > 0] = 0.0
    x *= 0.5


@case()
def slice_of_no_step(self, x, n, k):
    x[::n]
    return n


@case()
def slice_of_no_step_caught(self, x, n, k):
    try:
        return x[::n]
    except ValueError:
        return x * 2


@case()
def channels_that_do_not_fit(self, x, n, k):
    F.convolution_2d(x[None, :, :, None], np.ones((1, 3, 1, 1), "f"))
    return n


@case()
def channels_of_a_deconvolution(self, x, n, k):
    F.deconvolution_2d(x[None, :, :, None], np.ones((3, 1, 1, 1), "f"))
    return n


@case()
def channels_of_a_normalization(self, x, n, k):
    one = np.ones(3, "f")
    F.fixed_batch_normalization(x.T[:, :, None, None], one, one, one, one)
    return n


@case()
def an_axis_that_is_not_one(self, x, n, k):
    F.squeeze(x[: 1 + len(x) % 3], axis=0)
    return n


@case()
def a_grid_of_another_image(self, x, n, k):
    F.spatial_transformer_sampler(np.ones((1, 1, 2, 2), "f"), x[None, :2, :, None])
    return n


@case()
def more_than_there_is(self, x, n, k):
    F.as_strided(x, (2, 2), (3, 1), 1)
    return n


@case()
def an_axis_of_the_run(self, x, n, k):
    F.expand_dims(x, n)
    return n


@case()
def broadcast_to_less_than_nothing(self, x, n, k):
    np.broadcast_to(np.float32(1), (n, 2))
    return n


@case()
def written_to_a_slice_of_another_size(self, x, n, k):
    """Who needs a size to be 1 or 2 does not tell what it is: the check stays."""
    y = np.zeros(2)
    y[: n + 1] = np.arange(2)
    return n


@case()
def shape_of_what_is_written(self, x, n, k):
    y = x.copy()
    y[:, : n + 1] = np.arange(2)
    return y.shape


@case()
def written_to_columns_of_no_rows(self, x, n, k):
    y = x.copy()
    y[:, : n + 1] = np.arange(2)
    return y


@case()
def rows_of_the_run_in_a_product_of_sizes(self, x, n, k):
    F.bilinear(x.T, np.ones((3, 2), "f"), np.ones((3, 2, 4), "f"))
    return n


@case()
def a_product_of_sizes_caught(self, x, n, k):
    try:
        y = F.bilinear(x.T, np.ones((3, 2), "f"), np.ones((3, 2, 4), "f"))
    except Exception:
        return x
    return y


number = Table(
    [(1.5, 2), (np.nan, 3), (np.inf, 4), (-np.inf, 0), (0.0, 1), (-7.25, 5), (1e30, 0)],
    None,
)


@number()
def int_of_a_float(self, f, n):
    np.int64(f)
    return n


@number()
def small_int_of_a_float(self, f, n):
    return np.int32(f)


@number()
def array_of_ints(self, f, n):
    np.array(f, dtype=np.int64)
    return n


@number()
def list_of_ints(self, f, n):
    return np.array([f, n], "i")


@number()
def ints_of_a_float_of_numpy(self, f, n):
    """An array or a scalar of numpy is converted without a look at it."""
    np.float64(f).astype(np.int64)
    return n


@pytest.mark.parametrize(
    "program", [*case.programs, *number.programs], ids=lambda program: program.name
)
def test_fails_where_the_program_does(program: Program) -> None:
    hold(program)


def test_what_onnxruntime_does_not_take_is_nothing_that_a_handler_catches() -> None:
    def forward(self, x):
        try:
            F.unpooling_1d(x, 3, stride=2, pad=1)
        except Exception:
            return 1
        return 0

    with pytest.raises(elichika.StagingError, match="move the operation out"):
        compiled(Program(forward, [(f32(1, 2, 4),)], {"x": {2: "width"}}))
