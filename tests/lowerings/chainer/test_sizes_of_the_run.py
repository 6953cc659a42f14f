"""Windows, widths and grids that a model computes from the sizes of its input."""

from __future__ import annotations

from typing import Any

import chainer.functions as F
import numpy as np
import pytest

from tests.programs import Program, check, compiled, f32

IMAGES = [(f32(2, 4, 8, 8),), (f32(1, 4, 6, 9),), (f32(3, 4, 12, 7),), (f32(1, 4, 2, 3),)]
#: Also what is too small for some of the programs.
SMALL = [*IMAGES, (f32(1, 4, 1, 1),), (f32(2, 4, 1, 5),)]


def pyramid(self: Any, x: Any) -> Any:
    return F.spatial_pyramid_pooling_2d(x, 3, pooling="max")


def halves(self: Any, x: Any) -> Any:
    h, w = x.shape[2:]
    return F.max_pooling_2d(x, (h // 2, 2), stride=1), F.max_pooling_2d(x, 3, (h // 3, w // 2), 1)


def padded_window(self: Any, x: Any) -> Any:
    h, w = x.shape[2] // 2, x.shape[3] // 3
    y = F.max_pooling_2d(x, (h + 1, w + 1), stride=(h, 2), pad=(h // 2, w // 2), cover_all=False)
    return y, F.average_pooling_2d(x, (h, w + 1), pad=(h // 4, 0))


def indices(self: Any, x: Any) -> Any:
    return F.max_pooling_2d(x, x.shape[2] // 2, return_indices=True)


def strip(self: Any, x: Any) -> Any:
    return F.average_pooling_2d(x, (x.shape[2], 1)), F.average_pooling_2d(x, x.shape[2:])


def without_padding(self: Any, x: Any) -> Any:
    size = (x.shape[2] + 1) // 2
    return F.average_pooling_nd(x, size, pad=size // 2, pad_value=None)


def to_a_multiple(self: Any, x: Any) -> Any:
    widths = ((0, 0), (0, 0), (0, -x.shape[2] % 4), (x.shape[3] // 3, 1))
    return [F.pad(x, widths, mode) for mode in ("constant", "edge", "reflect", "symmetric")]


def with_a_number(self: Any, x: Any) -> Any:
    return F.pad(x, ((0, 0), (0, 0), (x.shape[2] - 2, 0), (0, 0)), "constant", constant_values=2.5)


def grid(self: Any, x: Any) -> Any:
    theta = np.tile(np.array([[[1, 0.1, 0], [0, 1, 0.2]]], np.float32), (x.shape[0], 1, 1))
    places = F.spatial_transformer_grid(theta, (x.shape[2], x.shape[3] + 1))
    return places, F.spatial_transformer_sampler(x, places)


def repeated(self: Any, x: Any) -> Any:
    return F.repeat(x, x.shape[0], axis=1), F.tile(x, (1, 1, x.shape[0], 1))


PROGRAMS = [
    pyramid,
    halves,
    padded_window,
    indices,
    strip,
    without_padding,
    to_a_multiple,
    with_a_number,
    grid,
    repeated,
]


@pytest.mark.parametrize("forward", PROGRAMS)
def test_settings_that_depend_on_sizes(forward: Any) -> None:
    program = Program(forward, SMALL, {0: {0: "batch", 2: "height", 3: "width"}})
    check(program, compiled(program))


def whole(self: Any, x: Any) -> Any:
    return F.average_pooling_2d(x, x.shape[2:]), F.max_pooling_2d(x, x.shape[2:], stride=1)


def test_a_window_as_large_as_the_image_is_a_reduction() -> None:
    program = Program(whole, SMALL, {0: {0: "batch", 2: "height", 3: "width"}})
    model = compiled(program)
    check(program, model)
    operators = {node.op_type for node in model.proto.graph.node if "/Check(" not in node.name}
    assert {"ReduceMean", "ReduceMax"} <= operators
    assert not {"Range", "Pad"} & operators


def transcribed(self: Any, x: Any, t: Any, frames: Any, labels: Any) -> Any:
    steps = [x[i] for i in range(x.shape[0])]
    return F.connectionist_temporal_classification(steps, t, 0, frames, labels, reduce="no")


def utterances(steps: int, batch: int, most: int, seed: int) -> tuple[Any, ...]:
    rng = np.random.RandomState(seed)
    t = rng.randint(1, 5, (batch, most)).astype(np.int32)
    frames = rng.randint(2 * most, steps + 1, batch).astype(np.int32)
    labels = rng.randint(1, most + 1, batch).astype(np.int32)
    return f32(steps, batch, 5), t, frames, labels


def test_transcriptions_of_any_length_and_number() -> None:
    x, t, frames, labels = utterances(9, 3, 2, 4)
    misfits = [(x, t[:1], frames, labels), (x, t, frames[:1], labels), (x, t, frames, labels[:1])]
    known = [utterances(9, 3, 2, 0), utterances(12, 1, 3, 1), utterances(7, 4, 1, 2)]
    axes = {0: {0: "frames", 1: "a"}, 1: {0: "b", 1: "most"}, 2: {0: "c"}, 3: {0: "d"}}
    program = Program(transcribed, [*known, *misfits], axes)
    check(program, compiled(program))
