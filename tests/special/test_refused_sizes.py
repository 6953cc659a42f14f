"""Sizes that Chainer refuses, and onnxruntime does not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import elichika
from tests.programs import Program, check, compiled
from tests.special.trials import program_from

pytestmark = pytest.mark.filterwarnings("ignore")


def f32(*shape: int) -> Any:
    return (np.arange(np.prod(shape), dtype=np.float32) % 7 - 3).reshape(shape)


def _checked(code: str, names: str, runs: list[tuple[Any, ...]]) -> None:
    axes = {
        name: {axis: f"{name}{axis}" for axis in range(np.ndim(value))}
        for name, value in zip(names.split(", "), runs[0], strict=True)
    }
    for chosen in (axes, {name: {0: of[0]} for name, of in axes.items()}):
        same = [run for run in runs if chosen is axes or _fits(run, runs[0])]
        program = Program(program_from(code, names), same, chosen)
        check(program, compiled(program))


def _fits(run: tuple[Any, ...], example: tuple[Any, ...]) -> bool:
    return all(a.shape[1:] == b.shape[1:] for a, b in zip(run, example, strict=True))


@pytest.mark.parametrize(("k", "pad"), [(1, 0), (3, 1), (5, 2), (3, 0)])
@pytest.mark.parametrize("stride", [1, 2])
def test_average_pooling_of_no_images_without_pixels(k: int, pad: int, stride: int) -> None:
    shapes = [(2, 3, 7, 6), (0, 3, 7, 6), (0, 3, 0, 6), (0, 3, 6, 0), (0, 0, 0, 0), (1, 3, 5, 5)]
    runs = [(f32(*shape),) for shape in shapes]
    _checked(f"F.average_pooling_2d(x, {k}, {stride}, {pad})", "x", runs)


@pytest.mark.parametrize("more", [False, True])
@pytest.mark.parametrize(("k", "s", "p"), [(3, 1, 1), (4, 2, 1), (2, 3, 2), (3, 2, 2), (2, 2, 0)])
def test_unpooling_of_images_as_large_as_the_padding(k: int, s: int, p: int, more: bool) -> None:
    """Chainer divides by the difference; a result of size 0 is one that onnxruntime refuses."""
    sides = [(5, 6), (1, 1), (2, 2), (1, 5), (5, 1), (2, 4), (4, 2), (3, 3)]
    runs = [(f32(2, 2, *side),) for side in sides if min(side) * s + k > 2 * p + s + 1]
    code = f"F.unpooling_2d(x, {k}, {s}, {p}, cover_all={more})"
    program = Program(program_from(code, "x"), [(f32(2, 2, 5, 6),), *runs], {"x": {2: "h", 3: "w"}})
    check(program, compiled(program))


REPEATS = "unpooling_2d repeats pixels where the result is as large as all windows together"


@pytest.mark.parametrize("code", ["x, 3, 3, 2", "x, 2, 2, 2, cover_all=False"])
def test_unpooling_that_repeats_cropped_pixels(code: str) -> None:
    program = Program(program_from(f"F.unpooling_2d({code})", "x"), [(f32(1, 2, 5, 6),)])
    with pytest.raises(Exception, match=REPEATS):
        compiled(program)


REGIONS = np.array([[0, 0, 4, 4], [1, 1, 5, 5], [0, 0, 2, 2]], np.float32)
IMAGES = np.array([0, 1, 0], np.int32)


@pytest.mark.parametrize("size", ["2", "(3, 1)"])
@pytest.mark.parametrize("name", ["roi_max_pooling_2d", "roi_average_pooling_2d"])
def test_regions_without_channels(name: str, size: str) -> None:
    x, none = f32(2, 3, 6, 7), f32(2, 0, 6, 7)
    runs = [
        (x, REGIONS, IMAGES),
        (none, REGIONS, IMAGES),
        (none, REGIONS + 90, IMAGES),
        (none, REGIONS[:0], IMAGES[:0]),
        (x, REGIONS[:0], IMAGES[:0]),
        (x, REGIONS + 90, IMAGES),
        (x[:0], REGIONS[:0], IMAGES[:0]),
    ]
    if name == "roi_average_pooling_2d":
        runs = [run for run in runs if run[0].shape[1]]
    _checked(f"F.{name}(x, r, i, {size}, 1.0)", "x, r, i", runs)


@pytest.mark.parametrize("name", ["roi_max_align_2d", "roi_average_align_2d"])
def test_no_regions(name: str) -> None:
    x = f32(2, 3, 6, 7)
    runs = [(x, REGIONS, IMAGES), (x, REGIONS[:0], IMAGES[:0])]
    _checked(f"F.{name}(x, r, i, (3, 1), 1.0, (1, 2))", "x, r, i", runs)


def test_older_regions_without_channels() -> None:
    rows = np.concatenate([IMAGES[:, None].astype(np.float32), REGIONS], 1)
    x, none = f32(2, 3, 6, 7), f32(2, 0, 6, 7)
    runs = [(x, rows), (none, rows), (none, rows[:0]), (x, rows[:0])]
    _checked("F.roi_pooling_2d(x, r, 2, 3, 1.0)", "x, r", runs)


def test_bounds_of_infinities() -> None:
    x = np.array([np.inf, -np.inf, np.nan, 0.5, -3e38], np.float32)
    for dtype in (np.float32, np.float64, np.float16):
        code = "F.clip(x, None, 1.0), F.clip(x, -1.0, None), F.clip(x, -1.0, 1.0)"
        program = Program(program_from(code, "x"), [(x.astype(dtype),)])
        check(program, compiled(program))


def test_statistics_of_another_length() -> None:
    x = f32(2, 4, 3)
    y, one = f32(3) + 9, f32(1) + 9
    runs = [(x, y, y, y), (x, one, y, y), (x, y, one, y), (x, y, y, one), (x, one, one, one)]
    _checked("F.fixed_batch_normalization(x, a, b, c, a, axis=(0, 1))", "x, a, b, c", runs)


def test_masks_of_another_size() -> None:
    runs = [
        (f32(n, 3), f32(*mask), f32(4, 3))
        for n, mask in [
            (2, (2, 4, 3)),
            (1, (2, 4, 3)),
            (2, (1, 4, 3)),
            (2, (2, 1, 3)),
            (2, (2, 4, 1)),
        ]
    ]
    _checked("F.simplified_dropconnect(x, w, mask=m)", "x, m, w", runs)
    flat = [(f32(2, 3), f32(*mask), f32(4, 3)) for mask in [(4, 3), (1, 3), (4, 1)]]
    _checked("F.simplified_dropconnect(x, w, mask=m, use_batchwise_mask=False)", "x, m, w", flat)


def test_channels_of_a_local_convolution() -> None:
    runs = [(f32(n, c, 6, 7), f32(3, 4, 5, 2, 3, 3)) for n, c in [(2, 2), (0, 2), (0, 0), (0, 3)]]
    code = "F.local_convolution_2d(x, w, None, 1)"
    program = Program(program_from(code, "x, w"), runs, {"x": {0: "n", 1: "c"}})
    check(program, compiled(program))


@pytest.mark.parametrize("kind", ["rnn", "gru", "lstm"])
def test_more_sequences_than_states(kind: str) -> None:
    """The check comes before onnxruntime's layer, which ends the process."""
    gates = {"rnn": 1, "gru": 3, "lstm": 4}[kind]
    ws = ", ".join(["self.w"] * gates + ["self.v"] * gates)
    bs = ", ".join(["self.b"] * (2 * gates))
    states = "h, h" if kind == "lstm" else "h"
    code = f"F.n_step_{kind}(1, 0.0, {states}, [[{ws}]], [[{bs}]], [x, y])"
    held = {"w": f32(4, 3), "v": f32(4, 4), "b": f32(4)}
    runs = [(f32(2, 3), f32(1, 3), f32(1, n, 4)) for n in (2, 0)]
    axes = {"h": {1: "batch"}}
    program = Program(program_from(code, "x, y, h"), runs, axes, attributes=lambda: held)
    check(program, compiled(program))


@pytest.mark.parametrize("reduce", ["sum", "no"])
def test_labels_for_some_rows(reduce: str) -> None:
    code = f"F.negative_sampling(x, t, self.w, lambda shape: np.full(shape, 3, 'i'), 2, '{reduce}')"
    labels = np.array([0, 1, 2], np.int32)
    runs = [(f32(n, 4), labels[:m]) for n, m in [(3, 3), (0, 0), (3, 0), (0, 3), (3, 1), (1, 3)]]
    axes = {"x": {0: "n"}, "t": {0: "m"}}
    held = {"w": f32(5, 4)}
    program = Program(program_from(code, "x, t"), runs, axes, attributes=lambda: held)
    check(program, compiled(program))


@pytest.mark.parametrize(
    "shape",
    [
        *("(3, 1)", "(1, 3, 1)", "(1,)", "()", "(4,)", "[3, 4]", "(2, 3, 4)", "(3, 0)", "(0, 1)"),
        *("(1, 2, 3, 4)", "(2, 1, 3, 4)", "x.shape", "x.shape[1:]", "(x.shape[0], 1, 1)"),
    ],
)
def test_sum_to_asks_only_which_sizes_are_one(shape: str) -> None:
    sizes = [(2, 3, 4), (2, 1, 4), (2, 5, 4), (0, 3, 4), (2, 0, 4), (2, 3, 1), (1, 1, 1), (0, 0, 0)]
    _checked(f"F.sum_to(x, {shape})", "x", [(f32(*size),) for size in sizes])


@pytest.mark.parametrize("shape", ["(1, 2, 3, 1)", "(1, 1, 1, 1)", "(1, 2, 3, 4, 5, 6, 7)"])
def test_sum_to_axes_that_are_not_there(shape: str) -> None:
    program = Program(program_from(f"F.sum_to(x, {shape})", "x"), [(f32(2, 3, 4),)])
    with pytest.raises(elichika.ElichikaError, match=r"ValueError: duplicate|AxisError"):
        compiled(program)


@pytest.mark.parametrize("shape", ["(len(x), 2, 3, 4)", "(3, len(x))", "(n, 4)", "(len(x), 1)"])
def test_sum_to_a_size_that_may_be_one(shape: str) -> None:
    runs = [(f32(size, 3, 4), n) for size, n in ((2, 3), (1, 1), (0, 3), (3, 1), (4, 3), (1, 3))]
    program = Program(program_from(f"F.sum_to(x, {shape})", "x, n"), runs, {"x": {0: "N"}})
    check(program, compiled(program))


@pytest.mark.parametrize("call", ["x, 2", "x, 3, 2, 1", "x, 1, 2", "x, x.shape[2:]"])
@pytest.mark.parametrize("name", ["average_pooling_2d", "max_pooling_2d"])
def test_poolings_of_images_without_channels(name: str, call: str) -> None:
    shapes = [(2, 3, 4, 5), (0, 3, 4, 5), (2, 0, 4, 5), (0, 0, 4, 5), (1, 1, 1, 1), (2, 3, 4, 0)]
    _checked(f"F.{name}({call})", "x", [(f32(*shape),) for shape in shapes])
