"""Calls of `chainer.functions.pooling`."""

from typing import Any

import numpy as np

from tests.lowerings.chainer.cases import BODY, SINGLE, SPATIAL, Case, alone, case, f32, whole

IMAGE = (0, 2, 3)
OPTIONS_2D = (
    "2",
    "3, stride=2",
    "3, stride=2, pad=1",
    "(1, 2), stride=(3, 2)",
    "2, 3, 1",
    "(2, 3), (1, 2), (1, 0)",
)
OPTIONS_ND = ("2", "3, stride=2", "3, stride=2, pad=1", "2, 3, 1")


def pooled(name: str, options: tuple[str, ...], x: np.ndarray[Any, Any], *more: str) -> Case:
    """Return calls with each set of options, and those with more behind each."""
    calls = [f"F.{name}(x, {one}{rest})" for one in options for rest in ("", *more)]
    if name.startswith("unpooling"):
        # of one element some are empty, and onnxruntime's ConvTranspose fails on that
        return whole(*calls, x=x, axes=(0,))
    return whole(*calls, x=x, axes=(0, *range(2, x.ndim)))


COVER = ", cover_all=False"
ROIS = np.array([[0, 0, 9, 9], [2, 1, 7, 12], [3, 2, 5, 20]], "f")
WITH_INDEX = np.array([[0, 0, 0, 9, 9], [1, 2, 1, 7, 11], [1, 3, 3, 5, 20]], "f")
BATCH = np.array([0, 1, 1], "i")


def over_regions(name: str, *options: str) -> Case:
    """Return calls of a pooling over regions of interest."""
    calls = [f"F.{name}(x, r, i, {one})" for one in options]
    return whole(*calls, x=f32(2, 3, 6, 7), r=ROIS, i=BATCH, dtypes=SINGLE, axes=None)


def windows(
    name: str, x: np.ndarray, *options: str, resize: tuple[int, ...] = SPATIAL
) -> list[Case]:
    """Return calls of each lowering alone."""
    return [alone(f"F.{name}(x, {one})", x=x, resize=resize) for one in options]


POOLING = {
    "average_pooling_1d": [
        pooled("average_pooling_1d", OPTIONS_ND, f32(1, 2, 7), ", pad_value=None"),
        *windows("average_pooling_1d", f32(1, 2, 7), "3"),
    ],
    "average_pooling_2d": [
        pooled("average_pooling_2d", OPTIONS_2D, f32(1, 2, 7, 8)),
        whole(
            "F.average_pooling_2d(F.pad(x, ((0, 0), (0, 0), (1, 0), (1, 0)), 'constant'), 1, 2)",
            x=f32(1, 2, 7, 8),
            axes=IMAGE,
        ),
        *windows("average_pooling_2d", f32(1, 2, 7, 8), "2", "3, stride=2, pad=1"),
        *windows("average_pooling_2d", f32(1, 2, 4, 5), "2, stride=1, pad=2"),
    ],
    "average_pooling_3d": [
        pooled("average_pooling_3d", OPTIONS_ND, f32(1, 2, 4, 4, 5), ", pad_value=None"),
        *windows("average_pooling_3d", f32(1, 2, 3, 4, 5), "2"),
    ],
    "average_pooling_nd": [
        pooled("average_pooling_nd", OPTIONS_2D, f32(1, 2, 7, 8), ", pad_value=None"),
        pooled("average_pooling_nd", OPTIONS_ND, f32(2, 3, 7)),
        *windows(
            "average_pooling_nd",
            f32(1, 2, 7, 8),
            "3, stride=2, pad=1, pad_value=None",
            "3, stride=2, pad=1",
        ),
    ],
    "max_pooling_1d": [
        pooled("max_pooling_1d", OPTIONS_ND, f32(1, 2, 7), COVER),
        whole("F.max_pooling_1d(x, 3, 2, 1, return_indices=True)", x=f32(2, 3, 8), axes=(0, 2)),
        *windows("max_pooling_1d", f32(1, 2, 7), "3"),
    ],
    "max_pooling_2d": [
        pooled("max_pooling_2d", OPTIONS_2D, f32(1, 2, 7, 8), COVER),
        whole(
            "F.max_pooling_2d(x, 3, 2, 1, return_indices=True)",
            "F.max_pooling_2d(F.pad(x - 9, ((0, 0), (0, 0), (1, 0), (1, 2)), 'constant'), 3, 2)",
            x=f32(2, 2, 7, 8),
            axes=IMAGE,
        ),
        *windows(
            "max_pooling_2d",
            f32(1, 2, 7, 8),
            "2",
            "3, stride=2",
            "3, stride=2, pad=1",
            "3, stride=2, cover_all=False",
            "2, stride=2, pad=1",
            "(1, 2), stride=(3, 2)",
            "2, stride=3, pad=2",
        ),
    ],
    "max_pooling_3d": [
        pooled("max_pooling_3d", OPTIONS_ND, f32(1, 2, 4, 4, 5), COVER),
        whole(
            "F.max_pooling_3d(x, 2, 2, 1, return_indices=True)",
            x=f32(2, 3, 5, 4, 6),
            axes=(0, 2, 3, 4),
        ),
        *windows("max_pooling_3d", f32(1, 2, 3, 4, 5), "2"),
    ],
    "max_pooling_nd": [
        pooled("max_pooling_nd", OPTIONS_2D, f32(1, 2, 7, 8), COVER),
        whole("F.max_pooling_nd(x, 3, 2, 1, return_indices=True)", x=f32(2, 2, 7, 8), axes=IMAGE),
    ],
    "unpooling_1d": [
        pooled("unpooling_1d", OPTIONS_ND, f32(1, 2, 4), COVER),
        whole(
            "F.unpooling_1d(x, 3, 2, outsize=(8,))",
            "F.unpooling_1d(x, 3, 2, 1, outsize=(7,))",
            x=f32(1, 2, 4),
            axes=(0,),
        ),
        *windows("unpooling_1d", f32(1, 2, 3), "3"),
    ],
    "unpooling_2d": [
        pooled("unpooling_2d", OPTIONS_2D, f32(1, 2, 3, 4), COVER),
        case("F.unpooling_2d(x, 2, outsize=(6, 7))", x=f32(1, 2, 3, 4), axes=(0,), resize=SPATIAL),
        *windows("unpooling_2d", f32(1, 2, 3, 4), "2", "2, cover_all=False", "3, stride=2, pad=1"),
    ],
    "unpooling_3d": [
        pooled("unpooling_3d", OPTIONS_ND, f32(1, 2, 3, 2, 3), COVER),
        whole(
            "F.unpooling_3d(x, 2, outsize=(5, 4, 4))",
            "F.unpooling_3d(x, 2, outsize=(6, 4, 3))",
            x=f32(1, 2, 3, 2, 2),
            axes=(0,),
        ),
        *windows("unpooling_3d", f32(1, 2, 3, 2, 3), "2, stride=1", resize=BODY),
    ],
    "unpooling_nd": [
        pooled("unpooling_nd", OPTIONS_2D, f32(1, 2, 3, 4), COVER),
        whole("F.unpooling_nd(x, 2, outsize=(6, 7))", x=f32(1, 2, 3, 4), axes=(0,)),
    ],
    "upsampling_2d": [
        whole(
            "F.upsampling_2d(*F.max_pooling_2d(x, 3, 2, 1, return_indices=True), 3, stride=2, "
            "pad=1, outsize=x.shape[2:])",
            x=f32(1, 2, 5, 7),
            axes=(0,),
        ),
        case(
            "F.upsampling_2d(x, np.arange(12).reshape(1, 2, 2, 3) % 4, 2)",
            "F.upsampling_2d(x, np.arange(12).reshape(1, 2, 2, 3) % 4, 2, outsize=(4, 6))",
            "F.upsampling_2d(x, np.arange(12).reshape(1, 2, 2, 3) % 4, 2, cover_all=False)",
            x=f32(1, 2, 2, 3),
            axes=None,
            resize=SPATIAL,
        ),
        whole(
            "F.upsampling_2d(*F.max_pooling_2d(x, 2, return_indices=True), 2)",
            x=f32(1, 2, 4, 6),
            axes=(0,),
        ),
    ],
    "spatial_pyramid_pooling_2d": [
        whole(
            "F.spatial_pyramid_pooling_2d(x, 3, pooling='max')",
            "F.spatial_pyramid_pooling_2d(x, 1, pooling='max')",
            "F.spatial_pyramid_pooling_2d(x, 2, pooling='max')",
            x=f32(2, 3, 9, 7),
            axes=(0,),
        ),
    ],
    "roi_pooling_2d": [
        case(
            "F.roi_pooling_2d(x, r, 2, 3, 0.5)",
            "F.roi_pooling_2d(x, r, 1, 1, 0.6)",
            x=f32(2, 3, 6, 7),
            r=WITH_INDEX,
            dtypes=SINGLE,
            axes=None,
            resize=False,
        ),
        whole("F.roi_pooling_2d(x, r, 2, 3, 0.5)", x=f32(2, 3, 6, 7), r=WITH_INDEX, dtypes=SINGLE),
    ],
    "roi_max_pooling_2d": [
        over_regions("roi_max_pooling_2d", "2, 0.5", "(3, 1), 1", "(2, 3), spatial_scale=0.3"),
    ],
    "roi_average_pooling_2d": [
        over_regions("roi_average_pooling_2d", "2, 0.5", "(3, 1), 1", "(2, 3), spatial_scale=0.3"),
    ],
    "roi_average_align_2d": [
        over_regions(
            "roi_average_align_2d",
            "2, 0.5, 2",
            "(3, 1), 1, 1",
            "2, 0.5",
            "2, 0.4, (2, 1)",
        ),
        alone(
            "F.roi_average_align_2d(x, r, i, 2, 0.5, 2)",
            x=f32(2, 3, 6, 7),
            r=np.array([[0, 0, 9, 9], [2, 1, 7, 12], [-3, 2, 5, 20]], "f"),
            i=BATCH,
            dtypes=SINGLE,
            resize=False,
        ),
    ],
    "roi_max_align_2d": [
        over_regions("roi_max_align_2d", "2, 0.5, 2", "(3, 1), 1, 1", "2, 0.5", "2, 0.4, (2, 1)"),
    ],
}
