"""One line for each behaviour of a Chainer function that a lowering must keep."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import chainer
import chainer.links as L
import numpy as np

from tests.lowerings.harness import Case, Weight

ALL = ("float32", "float64", "float16")
SOME_NAN = [
    {"x": np.array(rows, np.float32)}
    for rows in (
        [[np.nan, 1, 2], [3, np.inf, np.nan]],
        [[np.inf, np.nan, np.nan], [-np.inf, 0, 1]],
        [[-np.inf, np.inf, np.inf], [np.nan, np.nan, np.nan]],
    )
]
SINGLE = ("float32",)


def f32(*shape: int, low: float = -2.0, high: float = 2.0, seed: int = 0) -> np.ndarray:
    """Floats spread over an interval; the shape decides them."""
    rng = np.random.RandomState(seed + 31 * sum(shape) + len(shape))
    return np.asarray(rng.uniform(low, high, shape), np.float32)


def i32(*shape: int, high: int = 3, low: int = 0, seed: int = 0) -> np.ndarray:
    return np.asarray(np.random.RandomState(seed + sum(shape)).randint(low, high, shape), np.int32)


def const(array: np.ndarray) -> Weight:
    return Weight(array)


def case(
    expression: str,
    *,
    links: Mapping[str, Callable[[], chainer.Link]] | None = None,
    others: Sequence[Mapping[str, np.ndarray]] = (),
    dtypes: tuple[str, ...] = ALL,
    train: bool = False,
    resize: bool | tuple[int, ...] = True,
    tolerance: Mapping[str, float] | None = None,
    symbolic: bool = True,
    **inputs: Any,
) -> Case:
    tolerances = dict(tolerance or {})
    made = dict(links or {})
    return Case(expression, inputs, made, others, dtypes, train, resize, tolerances, symbolic)


def bn(size: Any, **options: Any) -> chainer.Link:
    """A batch normalization whose statistics are not the initial ones."""
    link = L.BatchNormalization(size, **options)
    link.avg_mean[...] = f32(*link.avg_mean.shape)
    link.avg_var[...] = f32(*link.avg_var.shape, low=0.5)
    return link


ACTIVATION = [
    case("F.relu(x)", x=f32(3, 4)),
    case("F.relu(x)", x=f32()),
    case("F.leaky_relu(x)", x=f32(3, 4)),
    case("F.leaky_relu(x, slope=-0.3)", x=f32(2, 3, 4)),
    case("F.sigmoid(x)", x=f32(3, 4)),
    case("F.tanh(x)", x=f32(3, 4)),
    case("F.elu(x)", x=f32(3, 4)),
    case("F.elu(x, alpha=-0.7)", x=f32(3, 4)),
    case("F.selu(x)", x=f32(3, 4)),
    case("F.softmax(x)", x=f32(3, 4)),
    case("F.softmax(x, axis=-1)", x=f32(2, 3, 4)),
    case("F.softmax(x, axis=0)", x=f32(2, 3, 4)),
    case("F.log_softmax(x)", x=f32(3, 4)),
    case("F.log_softmax(x, axis=2)", x=f32(2, 3, 4)),
    case("F.clipped_relu(x, z=1.0)", x=f32(3, 4)),
    case("F.relu6(x * 9)", x=f32(3, 4)),
    case("F.hard_sigmoid(x * 3)", x=f32(3, 4)),
    case("F.softplus(x)", x=f32(3, 4)),
    case("F.softplus(x, beta=2.5)", x=f32(3, 4)),
    case("F.softplus(x - 30)", x=f32(3, 4)),
    case("F.prelu(x, W)", x=f32(2, 3, 4), W=const(f32(3))),
    case("F.prelu(x, W)", x=f32(2, 3, 4), W=const(f32(3, 4))),
    case("F.prelu(x, W)", x=f32(2, 3, 4), W=const(f32())),
    case("F.swish(x, beta)", x=f32(2, 3, 4), beta=const(f32(3))),
    case("F.rrelu(x)", x=f32(3, 4)),
    case("F.crelu(x)", x=f32(3, 4)),
    case("F.crelu(x, axis=-1)", x=f32(2, 3, 4)),
    case("F.maxout(x, 2)", x=f32(3, 4)),
]

BASIC_MATH = [
    case("x + y", x=f32(2, 3), y=f32(2, 3)),
    case("x + y", x=f32(2, 3), y=f32(3)),
    case("x - y", x=f32(2, 1), y=f32(2, 3)),
    case("x * y", x=f32(2, 3), y=f32()),
    case("x / y", x=f32(2, 3), y=f32(2, 3, low=1)),
    case("x + 1", x=f32(2, 3)),
    case("1.5 - x", x=f32(2, 3)),
    case("x - 1.5", x=f32(2, 3)),
    case("x * 0.1", x=f32(2, 3)),
    case("x / 3", x=f32(2, 3)),
    case("3 / x", x=f32(2, 3, low=1)),
    case("x // 0.3", x=f32(2, 3)),
    case("x ** 2", x=f32(2, 3)),
    case("x ** -0.5", x=f32(2, 3, low=0.1)),
    case("2 ** x", x=f32(2, 3)),
    case("x ** y", x=f32(2, 3, low=0.1), y=f32(3)),
    case("-x", x=f32(2, 3)),
    case("abs(x)", x=f32(2, 3)),
    case("F.add(x, y, x)", x=f32(2, 3), y=f32(3)),
    case("x + np.arange(3.0)", x=f32(2, 3)),
    case("x + 1", x=i32(2, 3), dtypes=SINGLE),
    case("x / 2", x=i32(2, 3), dtypes=SINGLE),
    case("x - y", x=i32(2, 3), y=i32(3), dtypes=SINGLE),
]

ARRAY = [
    case("F.reshape(x, (4, 3))", x=f32(2, 6)),
    case("F.reshape(x, (-1, 3))", x=f32(2, 6)),
    case("F.flatten(x)", x=f32(2, 6)),
    case("F.reshape(x, (0, 5))", x=f32(0, 3)),
    case("F.transpose(x)", x=f32(2, 3, 4)),
    case("F.transpose(x, (-1, 0, 1))", x=f32(2, 3, 4)),
    case("F.swapaxes(x, -1, 0)", x=f32(2, 3, 4)),
    case("F.moveaxis(x, (0, 2), (1, 0))", x=f32(2, 3, 4)),
    case("F.moveaxis(x, 0, -1)", x=f32(2, 3, 4)),
    case("F.rollaxis(x, 2)", x=f32(2, 3, 4)),
    case("F.rollaxis(x, -1, 1)", x=f32(2, 3, 4)),
    case("F.expand_dims(x, 1)", x=f32(2, 3)),
    case("F.expand_dims(x, -1)", x=f32(2, 3)),
    case("F.squeeze(x, axis=1)", x=f32(2, 1, 3)),
    case("F.squeeze(x, axis=(0, -2))", x=f32(1, 1, 3)),
    case("F.broadcast_to(x, (2, 3, 4))", x=f32(3, 1)),
    case("F.broadcast_to(x, (3, 5))", x=f32(1, 1)),
    case("F.broadcast(x, y)", x=f32(2, 1, 4), y=f32(3, 1)),
    case("F.concat((x, y))", x=f32(2, 3), y=f32(2, 5)),
    case("F.concat((x, y, x), axis=-1)", x=f32(2, 3, 4), y=f32(2, 3, 1)),
    case("F.stack((x, y))", x=f32(2, 3), y=f32(2, 3)),
    case("F.stack((x, y), axis=-1)", x=f32(2, 3), y=f32(2, 3)),
    case("F.hstack((x, y))", x=f32(2, 3), y=f32(2, 5)),
    case("F.hstack((x, y))", x=f32(2), y=f32(3)),
    case("F.hstack((x, y))", x=f32(), y=f32()),
    case("F.vstack((x, y))", x=f32(3), y=f32(3)),
    case("F.vstack((x, y))", x=f32(2, 3), y=f32(1, 3)),
    case("F.dstack((x, y))", x=f32(3), y=f32(3)),
    case("F.dstack((x, y))", x=f32(2, 3, 4), y=f32(2, 3, 1)),
    case("F.split_axis(x, 3, 1)", x=f32(2, 6)),
    case("F.split_axis(x, 1, 0, force_tuple=True)", x=f32(2, 6)),
    case("F.split_axis(x, [1, 3], -1)", x=f32(2, 6)),
    case("F.split_axis(x, [3, 3, 4], 1)", x=f32(2, 6)),
    case("F.split_axis(x, [4, 2], 1)", x=f32(2, 6)),
    case("F.split_axis(x, [0], 0)", x=f32(2, 6)),
    case("F.flip(x, 1)", x=f32(2, 3)),
    case("F.fliplr(x)", x=f32(2, 3, 2)),
    case("F.flipud(x)", x=f32(2, 3)),
    case("F.where(np.array([[True], [False]]), x, y)", x=f32(2, 3), y=f32(3)),
    case("F.where(np.array([True, False]), x, y)", x=i32(2), y=i32(2), dtypes=SINGLE),
    case("F.cast(x, 'float64')", x=f32(2, 3), dtypes=SINGLE),
    case("F.cast(x, 'float16')", x=f32(2, 3), dtypes=("float32", "float64")),
    case("F.cast(x, 'int32')", x=f32(2, 3)),
    case("F.copy(x, -1)", x=f32(2, 3)),
    case("F.identity(x, y)", x=f32(2, 3), y=f32(2)),
    case("F.repeat(x, 3, axis=1)", x=f32(2, 3)),
    case("F.repeat(x, 2)", x=f32(2, 3)),
    case("F.repeat(x, 0, axis=0)", x=f32(2, 3)),
    case("F.repeat(x, (1, 0, 2), axis=-1)", x=f32(2, 3)),
    case("F.tile(x, 2)", x=f32(2, 3)),
    case("F.tile(x, (2, 1, 3))", x=f32(2, 3)),
    case("F.tile(x, (2, 0))", x=f32(2, 3)),
    case("F.pad(x, 2, 'constant')", x=f32(2, 3)),
    case("F.pad(x, ((1, 0), (2, 3)), 'constant', constant_values=1.5)", x=f32(2, 3)),
    case("F.pad(x, 1, 'constant', constant_values=((1, 2), (3, 4)))", x=f32(2, 3)),
    case("F.pad(x, ((0, 0), (2, 3)), 'edge')", x=f32(2, 3)),
    case("F.pad(x, ((0, 0), (2, 5)), 'reflect')", x=f32(2, 3)),
    case("F.pad(x, ((0, 0), (2, 5)), 'symmetric')", x=f32(2, 3)),
    case("F.pad(x, ((0, 0), (2, 5)), 'wrap')", x=f32(2, 3)),
    case("F.pad_sequence((x, y))", x=f32(2, 3), y=f32(4, 3)),
    case("F.pad_sequence((x, y), length=5, padding=-1)", x=f32(2), y=f32(4)),
    case("F.select_item(x, t)", x=f32(3, 4), t=i32(3, high=4)),
    case("F.permutate(x, np.array([2, 0, 1], 'i'))", x=f32(3, 2)),
    case("F.permutate(x, np.array([2, 0, 1], 'i'), axis=1, inv=True)", x=f32(2, 3)),
    case("F.depth2space(x, 2)", x=f32(1, 8, 2, 3)),
    case("F.space2depth(x, 2)", x=f32(1, 2, 4, 6)),
]

# onnxruntime takes no images without channels or pixels, and crashes where a three-dimensional
# ConvTranspose meets an empty batch.
SPATIAL = (0, 2, 3, 4)
BODY = (2, 3, 4)

CONVOLUTION = [
    case("F.linear(x, W, b)", x=f32(2, 3), W=const(f32(4, 3)), b=const(f32(4))),
    case("F.linear(x, W)", x=f32(2, 3), W=const(f32(4, 3))),
    case("F.linear(x, W, b, n_batch_axes=2)", x=f32(2, 5, 3), W=const(f32(4, 3)), b=const(f32(4))),
    case("F.linear(x, W)", x=f32(2, 3, 2), W=const(f32(4, 6))),
    case("F.embed_id(x, W)", x=i32(2, 3, high=5), W=const(f32(5, 4))),
    case("F.embed_id(x, W, ignore_label=-1)", x=i32(2, 3, high=5, low=-1), W=const(f32(5, 4))),
    case("F.embed_id(x, W)", x=i32(6, high=5, low=-5), W=const(f32(5, 4))),
    case("F.convolution_2d(x, W, b)", x=f32(1, 3, 7, 8), W=const(f32(4, 3, 3, 3)), b=const(f32(4))),
    case("F.convolution_2d(x, W, stride=2, pad=1)", x=f32(2, 3, 7, 8), W=const(f32(4, 3, 3, 3))),
    case("F.convolution_2d(x, W, stride=2)", x=f32(2, 3, 7, 8), W=const(f32(4, 3, 3, 3))),
    case(
        "F.convolution_2d(x, W, b, stride=(3, 2), pad=(0, 2), cover_all=True)",
        x=f32(1, 3, 7, 8),
        W=const(f32(4, 3, 2, 3)),
        b=const(f32(4)),
    ),
    case(
        "F.convolution_2d(x, W, b, dilate=(2, 1), groups=2)",
        x=f32(1, 4, 7, 8),
        W=const(f32(6, 2, 3, 2)),
        b=const(f32(6)),
    ),
    case("F.depthwise_convolution_2d(x, W)", x=f32(1, 3, 5, 6), W=const(f32(2, 3, 3, 3))),
    case("F.dilated_convolution_2d(x, W, dilate=2)", x=f32(1, 3, 7, 6), W=const(f32(2, 3, 3, 3))),
    case("F.convolution_1d(x, W, pad=1)", x=f32(2, 3, 7), W=const(f32(4, 3, 3))),
    case("F.convolution_3d(x, W, stride=2)", x=f32(1, 2, 5, 4, 6), W=const(f32(3, 2, 2, 3, 2))),
    case(
        "F.convolution_nd(x, W, b, stride=3, cover_all=True, dilate=2)",
        x=f32(1, 2, 9, 8),
        W=const(f32(3, 2, 2, 3)),
        b=const(f32(3)),
    ),
    case("F.convolution_2d(x, W)", x=f32(1, 2, 5, 6), W=f32(3, 2, 2, 2), resize=SPATIAL),
    case(
        "F.deconvolution_2d(x, W, b)", x=f32(1, 3, 4, 5), W=const(f32(3, 2, 3, 3)), b=const(f32(2))
    ),
    case("F.deconvolution_2d(x, W, stride=2, pad=1)", x=f32(2, 3, 4, 5), W=const(f32(3, 2, 3, 3))),
    *(
        case(
            f"F.deconvolution_2d(x, W, b, stride=2, pad=1, outsize={outsize})",
            x=f32(1, 3, 5, 5),
            W=const(f32(3, 2, 3, 3)),
            b=const(f32(2)),
        )
        for outsize in ((9, 9), (10, 10), (10, 9), (8, 9))
    ),
    case(
        "F.deconvolution_2d(x, W, stride=(2, 3), dilate=2, groups=2)",
        x=f32(1, 4, 4, 5),
        W=const(f32(4, 3, 3, 2)),
    ),
    case("F.deconvolution_1d(x, W, stride=3)", x=f32(2, 3, 4), W=const(f32(3, 2, 2))),
    case(
        "F.deconvolution_3d(x, W, b)",
        x=f32(1, 2, 3, 2, 3),
        W=const(f32(2, 3, 2, 2, 2)),
        b=const(f32(3)),
        resize=BODY,
    ),
    case("F.bilinear(x, y, W)", x=f32(2, 3), y=f32(2, 4), W=const(f32(3, 4, 5)), dtypes=SINGLE),
    case(
        "self.l(x, y)",
        links={"l": lambda: L.Bilinear(3, 4, 5)},
        x=f32(2, 3),
        y=f32(2, 4),
        dtypes=SINGLE,
    ),
    case(
        "F.local_convolution_2d(x, W, b, stride=(1, 2))",
        x=f32(2, 3, 4, 5),
        W=const(f32(4, 3, 2, 3, 2, 3)),
        b=const(f32(4, 3, 2)),
    ),
    case("F.shift(x)", x=f32(1, 20, 4, 5)),
    case("F.shift(x, ksize=(3, 1), dilate=2)", x=f32(1, 7, 4, 5)),
    case("self.l(x)", links={"l": lambda: L.Linear(3, 4)}, x=f32(2, 3)),
    case("self.l(x)", links={"l": lambda: L.Convolution2D(3, 4, 3, pad=1)}, x=f32(2, 3, 4, 5)),
    case("self.l(x)", links={"l": lambda: L.EmbedID(5, 4)}, x=i32(2, 3, high=5)),
]

POOLING = [
    case("F.max_pooling_2d(x, 2)", x=f32(1, 2, 7, 8), resize=SPATIAL),
    case("F.max_pooling_2d(x, 3, stride=2)", x=f32(1, 2, 7, 8), resize=SPATIAL),
    case("F.max_pooling_2d(x, 3, stride=2, pad=1)", x=f32(1, 2, 7, 8), resize=SPATIAL),
    case("F.max_pooling_2d(x, 3, stride=2, cover_all=False)", x=f32(1, 2, 7, 8), resize=SPATIAL),
    case("F.max_pooling_2d(x, 2, stride=2, pad=1)", x=f32(1, 2, 7, 8), resize=SPATIAL),
    case("F.max_pooling_2d(x, (1, 2), stride=(3, 2))", x=f32(1, 2, 7, 8), resize=SPATIAL),
    case("F.max_pooling_2d(x, 2, stride=3, pad=2)", x=f32(1, 2, 7, 8), resize=SPATIAL),
    case("F.max_pooling_1d(x, 3)", x=f32(1, 2, 7), resize=SPATIAL),
    case("F.max_pooling_3d(x, 2)", x=f32(1, 2, 3, 4, 5), resize=SPATIAL),
    case("F.average_pooling_2d(x, 2)", x=f32(1, 2, 7, 8), resize=SPATIAL),
    case("F.average_pooling_2d(x, 3, stride=2, pad=1)", x=f32(1, 2, 7, 8), resize=SPATIAL),
    case("F.average_pooling_2d(x, 2, stride=1, pad=2)", x=f32(1, 2, 4, 5), resize=SPATIAL),
    case("F.average_pooling_1d(x, 3)", x=f32(1, 2, 7), resize=SPATIAL),
    case(
        "F.average_pooling_nd(x, 3, stride=2, pad=1, pad_value=None)",
        x=f32(1, 2, 7, 8),
        resize=SPATIAL,
    ),
    case("F.average_pooling_nd(x, 3, stride=2, pad=1)", x=f32(1, 2, 7, 8), resize=SPATIAL),
    case("F.average_pooling_3d(x, 2)", x=f32(1, 2, 3, 4, 5), resize=SPATIAL),
    case("F.unpooling_2d(x, 2)", x=f32(1, 2, 3, 4), resize=SPATIAL),
    case("F.unpooling_2d(x, 2, cover_all=False)", x=f32(1, 2, 3, 4), resize=SPATIAL),
    case("F.unpooling_2d(x, 3, stride=2, pad=1)", x=f32(1, 2, 3, 4), resize=SPATIAL),
    case("F.unpooling_2d(x, 2, outsize=(6, 7))", x=f32(1, 2, 3, 4), resize=SPATIAL),
    case("F.unpooling_1d(x, 3)", x=f32(1, 2, 3), resize=SPATIAL),
    case("F.unpooling_3d(x, 2, stride=1)", x=f32(1, 2, 3, 2, 3), resize=BODY),
    case(
        "F.upsampling_2d(x, np.arange(12).reshape(1, 2, 2, 3) % 4, 2)",
        x=f32(1, 2, 2, 3),
        resize=SPATIAL,
    ),
    case(
        "F.upsampling_2d(x, np.arange(12).reshape(1, 2, 2, 3) % 4, 2, outsize=(4, 6))",
        x=f32(1, 2, 2, 3),
        resize=SPATIAL,
    ),
]

REDUCTIONS = [
    *(
        case(f"F.{name}(x{rest})", x=f32(2, 3, 4))
        for name in ("sum", "max", "min", "prod", "mean")
        for rest in ("", ", axis=1", ", axis=(0, -1)", ", axis=-1, keepdims=True")
    ),
    case("F.sum(x)", x=f32()),
    case("F.max(x)", x=f32()),
    case("F.mean(x, axis=0)", x=f32(7)),
    case("F.logsumexp(x)", x=f32(2, 3)),
    case("F.logsumexp(x * 100, axis=1)", x=f32(2, 3)),
    case("F.logsumexp(x, axis=(0, 2))", x=f32(2, 3, 4)),
    *(
        case(f"F.{name}(x, axis={axis})", x=f32(2, 3), others=SOME_NAN, dtypes=SINGLE)
        for name in ("max", "min", "argmax", "argmin")
        for axis in (0, 1, None)
    ),
    case("F.argmax(x)", x=f32(2, 3)),
    case("F.argmax(x, axis=-1)", x=f32(2, 3)),
    case("F.argmin(x, axis=0)", x=f32(2, 3)),
    case("F.cumsum(x)", x=f32(2, 3)),
    case("F.cumsum(x, axis=-1)", x=f32(2, 3)),
    case("F.cumprod(x)", x=f32(2, 3)),
    case("F.cumprod(x, axis=0)", x=f32(2, 3, 4)),
    case("F.batch_l2_norm_squared(x)", x=f32(2, 3, 4)),
    case("F.sum_to(x, (3, 1))", x=f32(2, 3, 4), resize=(0,)),
    case("F.average(x, axis=1, weights=w)", x=f32(2, 3), w=f32(3, low=1)),
]

ELEMENTWISE = [
    *(
        case(f"F.{name}(x)", x=f32(3, 4, low=-0.9, high=0.9))
        for name in (
            *("exp", "expm1", "sin", "cos", "tan", "sinh", "cosh"),
            *("arctan", "arcsin", "arccos", "arctanh", "erf", "erfc"),
        )
    ),
    *(
        case(f"F.{name}(x * 6)", x=f32(3, 40))
        for name in (
            *("tan", "sinh", "cosh", "arctan", "erf", "erfc"),
            *("erfcx", "ndtr", "log_ndtr", "expm1", "square"),
        )
    ),
    *(
        case(f"F.{name}(x)", x=f32(3, 4, low=0.1, high=3))
        for name in ["log", "log2", "log10", "log1p", "sqrt", "rsqrt", "square"]
    ),
    *(
        case(f"F.{name}(x * 1e-3)", x=f32(3, 4, low=-0.9, high=0.9), dtypes=("float32", "float64"))
        for name in ["expm1", "log1p", "sinh", "arctan", "erf"]
    ),
    case("F.erfc(x)", x=f32(30, low=5, high=9), dtypes=("float32", "float64")),
    case("F.arctan2(x, y)", x=f32(3, 4), y=f32(3, 4, seed=1)),
    case(
        "F.arctan2(x, y)",
        x=np.array([0, -0.0, 0, -0.0, 1, -1, 0.5, 0.5], "f"),
        y=np.array([0, -1, -1, 1, 0, 0, 0.5, -0.5], "f"),
        resize=False,
    ),
    case(
        "F.fmod(x, y)",
        x=f32(3, 4, low=-9),
        y=f32(3, 4, low=0.5, seed=1),
        tolerance={"float16": 0.03},
    ),
    case("F.linear_interpolate(x, y, z)", x=f32(2, 3), y=f32(2, 3, seed=1), z=f32(2, 3, seed=2)),
    case("F.maximum(x, y)", x=f32(2, 3), y=f32(3)),
    case("F.minimum(x, y)", x=f32(2, 3), y=f32(2, 1)),
    case("F.clip(x, -0.5, 1)", x=f32(2, 3)),
    case("F.clip(x, None, 1.0)", x=f32(2, 3)),
    case("F.clip(x, -0.1, None)", x=f32(2, 3)),
]

LINEAR_ALGEBRA = [
    case("F.matmul(x, y)", x=f32(2, 3), y=f32(3, 4)),
    case("F.matmul(x, y)", x=f32(3), y=f32(3)),
    case("F.matmul(x, y)", x=f32(2, 3), y=f32(3)),
    case("F.matmul(x, y, transa=True, transb=True)", x=f32(5, 3, 2), y=f32(4, 3), resize=(2, 1)),
    case("x @ y", x=f32(5, 2, 3), y=f32(3, 4)),
    case("F.batch_matmul(x, y)", x=f32(2, 3, 4), y=f32(2, 4), dtypes=SINGLE),
    case("F.batch_matmul(x, y, transa=True)", x=f32(2, 3, 4), y=f32(2, 3, 5), dtypes=SINGLE),
    case("F.einsum('ij,kj->ik', x, y)", x=f32(2, 3), y=f32(4, 3)),
    case("F.einsum('...j,jk->...k', x, y)", x=f32(2, 5, 3), y=f32(3, 4)),
    case("F.einsum('ii', x)", x=f32(3, 3)),
    case("F.tensordot(x, y, 2)", x=f32(2, 3, 4), y=f32(3, 4, 5)),
    case("F.tensordot(x, y, ([0, 2], [1, 0]))", x=f32(2, 3, 4), y=f32(4, 2, 5)),
    case("F.fft((x, y))", x=f32(2, 6), y=f32(2, 6, seed=1)),
    case("F.ifft((x, y))", x=f32(5), y=f32(5, seed=1)),
    case(
        "F.inv(x)",
        x=f32(3, 3) + 2 * np.eye(3, dtype="f"),
        dtypes=("float32", "float64"),
        symbolic=False,
    ),
    case("F.inv(x)", x=f32(4, 4)[::-1].copy(), dtypes=("float32", "float64"), symbolic=False),
    case("F.batch_inv(x)", x=f32(5, 3, 3), dtypes=("float32", "float64"), symbolic=False),
    case("F.batch_det(x)", x=f32(5, 3, 3), dtypes=("float32", "float64"), symbolic=False),
    case("F.det(x)", x=f32(4, 4), dtypes=("float32", "float64"), symbolic=False),
]

NORMALIZATION = [
    case("self.l(x)", links={"l": lambda: bn(3)}, x=f32(2, 3, 4, 5)),
    case("self.l(x)", links={"l": lambda: bn(3)}, x=f32(2, 3)),
    case("self.l(x)", links={"l": lambda: bn(4, axis=(0, 1))}, x=f32(2, 3, 4)),
    case("self.l(x)", links={"l": lambda: bn(3, use_beta=False, eps=1e-3)}, x=f32(2, 3, 4)),
    case("self.l(x)", links={"l": lambda: bn(3)}, x=f32(4, 3, 4), train=True),
    case("self.l(x)", links={"l": lambda: bn((3, 4))}, x=f32(5, 3, 4), train=True),
    case("F.fixed_batch_normalization(x, y, y, y, y)", x=f32(2, 3, 4), y=f32(3, low=0.5)),
    case("F.batch_normalization(x, y, y)", x=f32(4, 3, 4), y=f32(3, low=0.5)),
    case("F.batch_normalization(x, y, y, axis=(0, 1))", x=f32(4, 3, 4), y=f32(4, low=0.5)),
    case("F.group_normalization(x, 2, y, y)", x=f32(2, 4, 3, 5), y=f32(4)),
    case("F.layer_normalization(x, y, y)", x=f32(4, 5), y=f32(5)),
    case("F.layer_normalization(x, y, y)", x=f32(4, 5), y=const(f32(1))),
    # onnxruntime's LayerNormalization refuses an empty batch
    case(
        "self.l(x)",
        links={"l": lambda: L.LayerNormalization(5)},
        x=f32(4, 5),
        others=[{"x": f32(1, 5)}, {"x": f32(7, 5)}],
        resize=False,
    ),
    case("F.normalize(x)", x=f32(3, 4)),
    case("F.normalize(x * 1e-3, axis=(1, 2))", x=f32(3, 4, 2), dtypes=("float32", "float64")),
    case("F.local_response_normalization(x)", x=f32(2, 7, 3, 4)),
    case("F.local_response_normalization(x, n=4, k=1, alpha=0.1)", x=f32(2, 7, 3, 4)),
    case("F.local_response_normalization(x, alpha=0.1)", x=f32(2, 7)),
]

RNN = [
    case("F.lstm(c, x)", c=f32(2, 3), x=f32(2, 12)),
    case("F.lstm(c, x)", c=f32(4, 3), x=f32(2, 12), others=[{"c": f32(5, 3), "x": f32(1, 12)}]),
    case("F.lstm(c, x)", c=f32(2, 3, 5), x=f32(2, 12, 5)),
    case("F.slstm(c, d, x, y)", c=f32(2, 3), d=f32(2, 3), x=f32(2, 12), y=f32(2, 12, seed=1)),
    case("F.tree_lstm(c, d, x)", c=f32(2, 3), d=f32(2, 3), x=f32(2, 15)),
    case("self.l(x)", links={"l": lambda: L.LSTM(3, 4)}, x=f32(2, 3)),
    case("self.l(h, x)", links={"l": lambda: L.StatelessGRU(3, 4)}, h=f32(2, 4), x=f32(2, 3)),
]

LOSS = [
    *(
        case(f"F.softmax_cross_entropy(x, t{options})", x=f32(5, 4), t=i32(5, high=4, low=-1))
        for options in (
            "",
            ", normalize=False",
            ", reduce='no'",
            ", class_weight=np.arange(1, 5, dtype=x.dtype)",
            ", ignore_label=2, normalize=True",
            ", class_weight=np.arange(1, 5, dtype=x.dtype), reduce='no'",
        )
    ),
    case("F.softmax_cross_entropy(x, t)", x=f32(2, 4, 3), t=i32(2, 3, high=4)),
    case("F.softmax_cross_entropy(x, t)", x=f32(2, 4), t=i32(2, low=-1, high=0)),
    case("F.softmax_cross_entropy(x, F.softmax(t))", x=f32(2, 4), t=f32(2, 4, seed=1)),
    # with one class the loss is 0, and rounding is all that float16 leaves of it
    case(
        "F.softmax_cross_entropy(x, F.softmax(t), soft_target_loss='kl-divergence', reduce='no')",
        x=f32(2, 4),
        t=f32(2, 4, seed=1),
        resize=(0,),
    ),
    case("F.sigmoid_cross_entropy(x, t)", x=f32(3, 4), t=i32(3, 4, low=-1, high=2)),
    case("F.sigmoid_cross_entropy(x, t, normalize=False)", x=f32(3, 4), t=i32(3, 4, high=2)),
    case("F.sigmoid_cross_entropy(x, t, reduce='no')", x=f32(3, 4), t=i32(3, 4, low=-1, high=2)),
    case("F.mean_squared_error(x, y)", x=f32(3, 4), y=f32(3, 4, seed=1)),
    case("F.mean_absolute_error(x, y)", x=f32(3, 4), y=f32(3, 4, seed=1)),
    case("F.absolute_error(x, y)", x=f32(3, 4), y=f32(3, 4, seed=1)),
    case("F.squared_error(x, y)", x=f32(3, 4), y=f32(3, 4, seed=1)),
    case("F.huber_loss(x, y, 0.7)", x=f32(3, 4), y=f32(3, 4, seed=1)),
    case("F.huber_loss(x, y, 0.7, reduce='no')", x=f32(3, 4), y=f32(3, 4, seed=1)),
    case("F.hinge(x, t)", x=f32(3, 4), t=i32(3, high=4)),
    case("F.hinge(x, t, norm='L2', reduce='no')", x=f32(3, 4), t=i32(3, high=4)),
    case("F.contrastive(x, y, t, 3)", x=f32(3, 4), y=f32(3, 4, seed=1), t=i32(3, high=2)),
    case("F.triplet(x, y, z, 3)", x=f32(3, 4), y=f32(3, 4, seed=1), z=f32(3, 4, seed=2)),
    case("F.cross_covariance(x, y)", x=f32(5, 4), y=f32(5, 3)),
    case("F.decov(x)", x=f32(5, 4)),
    case("F.decov(x, reduce='no')", x=f32(5, 4)),
    case("F.gaussian_kl_divergence(x, y)", x=f32(3, 4), y=f32(3, 4, seed=1)),
    case("F.bernoulli_nll(x, y)", x=f32(3, 4, low=0, high=1), y=f32(3, 4, seed=1)),
    case("F.gaussian_nll(x, y, z)", x=f32(3, 4), y=f32(3, 4, seed=1), z=f32(3, 4, seed=2)),
]

EVALUATION = [
    case("F.accuracy(x, t)", x=f32(5, 4), t=i32(5, high=4)),
    case("F.accuracy(x, t, ignore_label=1)", x=f32(5, 4), t=i32(5, high=4)),
    case("F.accuracy(x, t)", x=f32(2, 4, 3), t=i32(2, 3, high=4)),
    case("F.binary_accuracy(x, t)", x=f32(5), t=i32(5, high=2, low=-1)),
    case("F.r2_score(x, y)", x=f32(5, 2), y=f32(5, 2, seed=1)),
    case("F.r2_score(x, y, multioutput='raw_values')", x=f32(5, 2), y=f32(5, 2, seed=1)),
    case("F.classification_summary(x, t, label_num=4)", x=f32(9, 4), t=i32(9, high=4, low=-1)),
    case("F.classification_summary(x, t)", x=f32(9, 4), t=i32(9, high=4)),
]

INDEXING = [
    case("x[0]", x=f32(3, 4)),
    case("x[:, 1:]", x=f32(3, 4)),
    case("x[::-1, None, ..., 0]", x=f32(3, 4, 5)),
    case("x[[0, 2, 0]]", x=f32(3, 4)),
    case("x[np.array([0, 1]), np.array([1, 2])]", x=f32(3, 4)),
    case("x[:, np.array([0, 1]), :, np.array([1, 2])]", x=f32(2, 3, 4, 5)),
    case("x[np.array([True, False, True])]", x=f32(3, 4)),
    case("F.get_item(x, (slice(None), -1))", x=f32(3, 4)),
    case("F.identity(x)", x=f32(3)),
    case("F.einsum('ij->ji', x)", x=f32(2, 3)),
    case("F.diagonal(x)", x=f32(3, 4)),
    case("F.diagonal(x, -1)", x=f32(3, 4)),
    case("F.diagonal(x, 1, -1, 0)", x=f32(3, 2, 4)),
    case("F.scatter_add(x, [0, 2, 0], y)", x=f32(3, 4), y=f32(3, 4), dtypes=("float32", "float64")),
    case(
        "F.scatter_add(x, (slice(None), 1), y)",
        x=f32(3, 4),
        y=f32(3),
        dtypes=("float32", "float64"),
    ),
    case("F.transpose_sequence((x, y, z))", x=f32(3, 2), y=f32(2, 2), z=f32(1, 2), symbolic=False),
]

SPATIAL_FUNCTIONS = [
    *(
        case(
            f"F.resize_images(x, {size}{options})", x=f32(1, 2, 4, 5), dtypes=SINGLE, resize=SPATIAL
        )
        for size in ((8, 10), (3, 7), (1, 1))
        for options in ("", ", align_corners=False", ", mode='nearest'")
    ),
    *(  # places that float32 does not tell apart well enough
        case(f"F.resize_images(x, (2, 7001){options})", x=f32(1, 1, 3, 9000), dtypes=SINGLE)
        for options in ("", ", align_corners=False")
    ),
    case("F.spatial_transformer_grid(x, (3, 4))", x=f32(2, 2, 3), resize=(0,)),
    case(
        "F.spatial_transformer_sampler(x, y)", x=f32(2, 3, 4, 5), y=f32(2, 2, 3, 6), resize=SPATIAL
    ),
    case(
        "F.roi_average_align_2d(x, r, i, 2, 0.5, 2)",
        x=f32(2, 3, 6, 7),
        r=np.array([[0, 0, 9, 9], [2, 1, 7, 12], [-3, 2, 5, 20]], "f"),
        i=np.array([0, 1, 1], "i"),
        dtypes=SINGLE,
        resize=False,
    ),
    case(
        "F.roi_pooling_2d(x, r, 2, 3, 0.5)",
        x=f32(2, 3, 6, 7),
        r=np.array([[0, 0, 0, 9, 9], [1, 2, 1, 7, 11], [1, 3, 3, 5, 20]], "f"),
        dtypes=SINGLE,
        resize=False,
    ),
    case("F.im2col(x, 3, stride=2, pad=1)", x=f32(1, 2, 5, 6)),
    case("F.im2col(x, (2, 3), dilate=2, cover_all=True, stride=2)", x=f32(1, 2, 7, 8)),
    case("F.gaussian(x, y, eps=np.ones((2, 3), x.dtype))", x=f32(2, 3), y=f32(2, 3, seed=1)),
]

CASES = [
    *ACTIVATION,
    *BASIC_MATH,
    *ARRAY,
    *CONVOLUTION,
    *POOLING,
    *REDUCTIONS,
    *ELEMENTWISE,
    *LINEAR_ALGEBRA,
    *NORMALIZATION,
    *RNN,
    *INDEXING,
    *LOSS,
    *EVALUATION,
    *SPATIAL_FUNCTIONS,
]
