"""Calls of `chainer.functions.array`."""

import numpy as np

from tests.lowerings.chainer.cases import (
    REAL,
    SINGLE,
    SPATIAL,
    alone,
    case,
    f32,
    i32,
    refused,
    whole,
)

ARRAY = {
    "as_strided": [
        whole(
            "F.as_strided(x, (3, 2), (1, 1))",
            "F.as_strided(x, (2, 2), (3, 2), 1)",
            "F.as_strided(x, (2, 2), (-1, 2), 3)",
            "F.as_strided(x, (), ())",
            x=f32(12),
            axes=None,
        ),
        whole("F.as_strided(F.matmul(x, y), (2, 2), (3, 2), 1)", x=f32(2, 3), y=f32(3, 4)),
        refused("F.as_strided(x.T, (2, 2), (3, 2), 1)", "in C order", x=f32(2, 6)),
    ],
    "broadcast": [
        case("F.broadcast(x, y)", x=f32(2, 1, 4), y=f32(3, 1)),
        whole("F.broadcast(x, y)", "F.broadcast(x, y, x)", x=f32(2, 3), y=f32()),
    ],
    "broadcast_to": [
        case("F.broadcast_to(x, (2, 3, 4))", "F.broadcast_to(x, (3, 5))", x=f32(3, 1), axes=None),
        whole("F.broadcast_to(x, (*x.shape[:1], 5))", x=f32(3, 1), axes=(0,)),
        alone("F.broadcast_to(x, (3, 5))", x=f32(1, 1)),
    ],
    "cast": [
        whole("F.cast(x, 'int32')", "F.cast(x, np.float64)", "F.cast(x, 'e')", x=f32(2, 3)),
        whole("F.cast(x, 'f')", "F.cast(x, bool)", "F.cast(x, np.int8)", x=i32(2, 3)),
        alone("F.cast(x, 'int32')", x=f32(2, 3)),
        alone("F.cast(x, 'float64')", x=f32(2, 3), dtypes=SINGLE),
        alone("F.cast(x, 'float16')", x=f32(2, 3), dtypes=REAL),
    ],
    "concat": [
        case("F.concat((x, y))", "F.concat([x, y, x], axis=-1)", x=f32(2, 3), y=f32(2, 5)),
        whole("F.concat((x, y), axis=0)", x=f32(2, 3, 1), y=f32(4, 3, 1)),
        whole("F.concat(xs, axis=0)", xs=[f32(2, 3), f32(1, 3), f32(4, 3)]),
        alone("F.concat((x, y, x), axis=-1)", x=f32(2, 3, 4), y=f32(2, 3, 1)),
    ],
    "copy": [case("F.copy(x, -1)", x=f32(2, 3))],
    "depth2space": [
        case("F.depth2space(x, 2)", "F.depth2space(x, 1)", x=f32(1, 8, 2, 3), axes=(0, 2, 3)),
        whole("F.depth2space(x, 3)", x=f32(2, 9, 2, 3)),
    ],
    "diagonal": [
        case("F.diagonal(x)", "F.diagonal(x, -1)", "F.diagonal(x, 2)", x=f32(3, 4)),
        case("F.diagonal(x, 1, -1, 0)", "F.diagonal(x, 0, 1, 2)", x=f32(3, 2, 4)),
    ],
    "dstack": [
        case("F.dstack((x, y))", x=f32(3), y=f32(3, seed=1)),
        case("F.dstack((x, y))", x=f32(2, 3), y=f32(2, 3, seed=1)),
        case("F.dstack((x, y))", x=f32(2, 3, 4), y=f32(2, 3, 1)),
    ],
    "expand_dims": [
        case("F.expand_dims(x, 1)", "F.expand_dims(x, -1)", "F.expand_dims(x, -3)", x=f32(2, 3))
    ],
    "flatten": [case("F.flatten(x)", x=f32(2, 6)), case("F.flatten(x)", x=f32())],
    "flip": [case("F.flip(x, 0)", "F.flip(x, 1)", "F.flip(x, -1)", x=f32(2, 3))],
    "fliplr": [case("F.fliplr(x)", x=f32(2, 3, 2))],
    "flipud": [case("F.flipud(x)", x=f32(2, 3)), case("F.flipud(x)", x=f32(5))],
    "get_item": [
        whole(
            "F.get_item(x, 0)",
            "F.get_item(x, (slice(None), -1))",
            "F.get_item(x, (slice(1, None), slice(None, None, -2)))",
            "F.get_item(x, (Ellipsis, None, 1))",
            "F.get_item(x, [0, 1, 0])",
            "F.get_item(x, (np.array([0, 1]), np.array([1, 2])))",
            "F.get_item(x, (slice(None), np.array([[0, 1], [2, -1]])))",
            x=f32(2, 3),
            axes=(0,),
        ),
        whole("F.get_item(x, np.array([True, False, True]))", x=f32(3, 4), axes=(1,)),
        whole("F.get_item(x, i.array)", x=f32(3, 4), i=i32(5)),
        whole(
            "F.get_item(x, (slice(None), i.array, slice(None), i.array))",
            x=f32(2, 3, 4, 5),
            i=i32(2),
            axes=(0,),
        ),
        alone("F.get_item(x, (slice(None), -1))", x=f32(3, 4)),
    ],
    "hstack": [
        case("F.hstack((x, y))", x=f32(2, 3), y=f32(2, 5)),
        case("F.hstack((x, y))", x=f32(2), y=f32(3)),
        case("F.hstack((x, y))", x=f32(), y=f32()),
    ],
    "im2col": [
        case(
            "F.im2col(x, 3, stride=2, pad=1)",
            "F.im2col(x, (2, 3), dilate=2, cover_all=True, stride=2)",
            x=f32(1, 2, 7, 8),
            axes=(0, 2, 3),
        ),
    ],
    "moveaxis": [
        case(
            "F.moveaxis(x, (0, 2), (1, 0))",
            "F.moveaxis(x, 0, -1)",
            "F.moveaxis(x, -1, 1)",
            x=f32(2, 3, 4),
        )
    ],
    "pad": [
        case(
            "F.pad(x, 2, 'constant')",
            "F.pad(x, ((1, 0), (2, 3)), 'constant', constant_values=1.5)",
            "F.pad(x, 1, 'constant', constant_values=((1, 2), (3, 4)))",
            "F.pad(x, ((0, 0), (2, 3)), 'edge')",
            "F.pad(x, ((0, 1), (2, 5)), 'reflect')",
            "F.pad(x, ((0, 0), (2, 5)), 'symmetric')",
            "F.pad(x, ((0, 0), (2, 5)), 'wrap')",
            "F.pad(x, (1, 2), 'maximum')",
            "F.pad(x, (1, 2), 'minimum')",
            "F.pad(x, (1, 2), 'mean')",
            "F.pad(x, (1, 2), 'median')",
            "F.pad(x, ((2, 1), (0, 3)), 'maximum', stat_length=((1, 2), (5, 2)))",
            "F.pad(x, (3, 0), 'median', stat_length=2)",
            "F.pad(x, (1, 2), 'linear_ramp', end_values=2)",
            "F.pad(x, ((3, 1), (0, 2)), 'linear_ramp', end_values=((1, -1), (0, 5)))",
            x=f32(2, 3),
        ),
        refused("F.pad(x, 1, 'reflect', reflect_type='odd')", "reflect_type", x=f32(2, 3)),
        alone("F.pad(x, ((0, 0), (2, 5)), 'reflect')", x=f32(2, 3)),
    ],
    "pad_sequence": [
        case("F.pad_sequence((x, y))", "F.pad_sequence([y, x, y], 9)", x=f32(2, 3), y=f32(4, 3)),
        case("F.pad_sequence((x, y), length=5, padding=-1)", x=f32(2), y=f32(4)),
        whole("F.pad_sequence(xs)", xs=[f32(2, 3), f32(4, 3), f32(1, 3)]),
    ],
    "permutate": [
        case(
            "F.permutate(x, np.array([2, 0, 1], 'i'))",
            "F.permutate(x, i)",
            "F.permutate(x, i.array, inv=True)",
            x=f32(3, 2),
            i=np.array([2, 0, 1], "i"),
            axes=(1,),
        ),
        whole(
            "F.permutate(x, i, axis=1)",
            "F.permutate(x, i, axis=1, inv=True)",
            x=f32(2, 3),
            i=np.array([2, 0, 1], "i"),
            axes=None,
        ),
        alone("F.permutate(x, np.array([2, 0, 1], 'i'), axis=1, inv=True)", x=f32(2, 3)),
    ],
    "repeat": [
        case(
            "F.repeat(x, 3, axis=1)",
            "F.repeat(x, 2)",
            "F.repeat(x, 0, axis=0)",
            "F.repeat(x, (2,), axis=-1)",
            x=f32(2, 3),
        ),
        case("F.repeat(x, (1, 0, 2), axis=-1)", x=f32(2, 3), axes=(0,)),
    ],
    "reshape": [
        case("F.reshape(x, (4, 3))", "F.reshape(x, (-1, 3))", x=f32(2, 6)),
        whole("F.reshape(x, (x.shape[0], -1))", x=f32(2, 3, 2)),
        alone("F.reshape(x, (0, 5))", x=f32(0, 3)),
    ],
    "resize_images": [
        case(
            "F.resize_images(x, (8, 10))",
            "F.resize_images(x, (3, 7), align_corners=False)",
            "F.resize_images(x, (3, 2), mode='nearest')",
            "F.resize_images(x, (1, 1))",
            "F.resize_images(x, (9, 4), mode='nearest', align_corners=False)",
            x=f32(1, 2, 4, 5),
            axes=(0, 2, 3),
            dtypes=SINGLE,
            resize=SPATIAL,
        ),
        *(
            alone(
                f"F.resize_images(x, {options})", x=f32(1, 2, 4, 5), dtypes=SINGLE, resize=SPATIAL
            )
            for options in (
                "(8, 10), align_corners=False",
                "(8, 10), mode='nearest'",
                "(3, 7)",
                "(3, 7), mode='nearest'",
                "(1, 1), align_corners=False",
                "(1, 1), mode='nearest'",
            )
        ),
        # places that float32 does not tell apart well enough
        alone("F.resize_images(x, (2, 7001))", x=f32(1, 1, 3, 9000), dtypes=SINGLE),
        alone(
            "F.resize_images(x, (2, 7001), align_corners=False)",
            x=f32(1, 1, 3, 9000),
            dtypes=SINGLE,
        ),
    ],
    "rollaxis": [
        case(
            "F.rollaxis(x, 2)",
            "F.rollaxis(x, -1, 1)",
            "F.rollaxis(x, 0, 3)",
            "F.rollaxis(x, 1, -3)",
            x=f32(2, 3, 4),
        )
    ],
    "scatter_add": [
        case(
            "F.scatter_add(x, [0, 2, 0], y)",
            "F.scatter_add(x, i.array, y)",
            x=f32(3, 4),
            y=f32(3, 4, seed=1),
            i=i32(3),
            axes=(1,),
        ),
        case("F.scatter_add(x, (slice(None), 1), y)", x=f32(3, 4), y=f32(3)),
        whole(
            "F.scatter_add(x, (np.array([0, 0, 1]), np.array([1, 1, 3])), y)",
            x=f32(3, 4),
            y=f32(3),
            axes=None,
        ),
    ],
    "select_item": [case("F.select_item(x, t)", x=f32(3, 4), t=i32(3, high=4), axes=(0,))],
    "separate": [
        whole(
            "F.separate(x)", "F.separate(x, axis=1)", "F.separate(x, -1)", x=f32(2, 3), axes=None
        ),
        whole("F.separate(x, axis=1)", x=f32(5, 3), axes=(0,)),
        whole("F.separate(x)[-1]", x=f32(5, 3)),
    ],
    "space2depth": [
        case("F.space2depth(x, 2)", "F.space2depth(x, 1)", x=f32(1, 2, 4, 6), axes=(0, 1)),
    ],
    "spatial_transformer_grid": [
        case("F.spatial_transformer_grid(x, (3, 4))", x=f32(2, 2, 3), axes=(0,), resize=(0,)),
    ],
    "spatial_transformer_sampler": [
        case(
            "F.spatial_transformer_sampler(x, y)",
            x=f32(2, 3, 4, 5),
            y=f32(2, 2, 3, 6),
            resize=SPATIAL,
        ),
        whole("F.spatial_transformer_sampler(x, y * 0.4)", x=f32(2, 3, 4, 5), y=f32(2, 2, 3, 6)),
    ],
    "split_axis": [
        case(
            "F.split_axis(x, 3, 1)",
            "F.split_axis(x, [1, 3], -1)",
            "F.split_axis(x, [3, 3, 4], 1)",
            "F.split_axis(x, [4, 2], 1)",
            "F.split_axis(x, np.array([2]), 1)",
            "F.split_axis(x, 1, 1, force_tuple=True)",
            "F.split_axis(x, 1, 1, force_tuple=False)",
            x=f32(2, 6),
            axes=(0,),
        ),
        whole("F.split_axis(x, [0, 2], 0)", x=f32(4, 2)),
        alone("F.split_axis(x, 1, 0, force_tuple=True)", x=f32(2, 6)),
        alone("F.split_axis(x, [0], 0)", x=f32(2, 6)),
    ],
    "squeeze": [
        whole(
            "F.squeeze(x)",
            "F.squeeze(x, axis=1)",
            "F.squeeze(x, (0, -1))",
            x=f32(1, 1, 3, 1),
            axes=None,
        ),
        alone("F.squeeze(x, axis=1)", x=f32(2, 1, 3)),
        alone("F.squeeze(x, axis=(0, -2))", x=f32(1, 1, 3)),
    ],
    "stack": [
        case(
            "F.stack((x, y))",
            "F.stack([x, y, x], -1)",
            "F.stack([x], 1)",
            x=f32(2, 3),
            y=f32(2, 3, seed=1),
        ),
        whole("F.stack(xs)", "F.stack(xs, axis=1)", xs=[f32(2, 3), f32(2, 3), f32(2, 3)]),
    ],
    "swapaxes": [case("F.swapaxes(x, -1, 0)", "F.swapaxes(x, 1, 2)", x=f32(2, 3, 4))],
    "tile": [
        case(
            "F.tile(x, 2)",
            "F.tile(x, (2, 1, 3))",
            "F.tile(x, (2, 0))",
            "F.tile(x, (3,))",
            x=f32(2, 3),
        ),
        whole("F.tile(x, (2, 3))", x=f32(2, 3, 4)),
    ],
    "transpose": [
        case(
            "F.transpose(x)",
            "F.transpose(x, (-1, 0, 1))",
            "F.transpose(x, axes=(1, 0, 2))",
            x=f32(2, 3, 4),
        ),
    ],
    "transpose_sequence": [
        case(
            "F.transpose_sequence((x, y, z))",
            x=f32(3, 2),
            y=f32(2, 2),
            z=f32(1, 2),
            axes=None,
            symbolic=False,
        ),
        whole("F.transpose_sequence((x, x, x))", x=f32(3, 2), axes=None),
        whole("F.transpose_sequence(xs)", xs=[f32(4, 2), f32(2, 2), f32(2, 2)]),
    ],
    "vstack": [
        case("F.vstack((x, y))", x=f32(3), y=f32(3)),
        case("F.vstack((x, y))", x=f32(2, 3), y=f32(1, 3)),
    ],
    "where": [
        whole("F.where(c.array, x, y)", x=f32(2, 3), y=f32(3), c=np.array([[True], [False]])),
        whole(
            "F.where(x.array > 0, x, y)",
            "F.where(c, x, y)",
            x=f32(2, 3),
            y=f32(2, 3, seed=1),
            c=np.array([[True, False, True], [False, False, True]]),
        ),
        whole("F.where(c, x, y)", x=i32(2), y=i32(2, low=5, high=9), c=np.array([True, False])),
        alone("F.where(np.array([[True], [False]]), x, y)", x=f32(2, 3), y=f32(3)),
        alone("F.where(np.array([True, False]), x, y)", x=i32(2), y=i32(2), dtypes=SINGLE),
    ],
}
