"""Calls of `chainer.functions.connection`."""

from tests.lowerings.chainer.cases import (
    BODY,
    SINGLE,
    SPATIAL,
    alone,
    case,
    f32,
    i32,
    weight,
    whole,
)

IMAGE = (0, 2, 3)
OUTSIZES = ((9, 9), (10, 10), (10, 9), (8, 9))

CONNECTION = {
    "bilinear": [
        case(
            "F.bilinear(x, y, self.W)",
            x=f32(2, 3),
            y=f32(2, 4),
            W=weight(3, 4, 5),
            axes=(0,),
            dtypes=SINGLE,
        ),
        whole(
            "F.bilinear(x, y, self.W, self.A, self.B, self.b)",
            x=f32(2, 3),
            y=f32(2, 4),
            W=weight(3, 4, 5),
            A=weight(3, 5),
            B=weight(4, 5),
            b=weight(5),
            axes=(0,),
            dtypes=SINGLE,
        ),
    ],
    "convolution_1d": [
        whole(
            "F.convolution_1d(x, self.W, groups=2)", x=f32(1, 4, 7), W=weight(6, 2, 3), axes=IMAGE
        ),
        whole(
            "F.convolution_1d(x, self.W)",
            "F.convolution_1d(x, self.W, self.b, 2, 1)",
            "F.convolution_1d(x, self.W, stride=2, cover_all=True)",
            "F.convolution_1d(x, self.W, dilate=2)",
            x=f32(2, 3, 8),
            W=weight(4, 3, 3),
            b=weight(4),
            axes=IMAGE,
        ),
        alone("F.convolution_1d(x, self.W, pad=1)", x=f32(2, 3, 7), W=weight(4, 3, 3)),
    ],
    "convolution_2d": [
        whole(
            "F.convolution_2d(x, self.W, self.b)",
            "F.convolution_2d(x, self.W, stride=2, pad=1)",
            "F.convolution_2d(x, self.W, None, (2, 1), (0, 2))",
            "F.convolution_2d(x, self.W, self.b, stride=2, cover_all=True)",
            "F.convolution_2d(x, self.W, dilate=(2, 1))",
            x=f32(1, 3, 7, 8),
            W=weight(4, 3, 3, 2),
            b=weight(4),
            axes=IMAGE,
        ),
        whole(
            "F.convolution_2d(x, self.W, self.b, groups=2, pad=1)",
            x=f32(1, 4, 7, 8),
            W=weight(6, 2, 3, 3),
            b=weight(6),
            axes=IMAGE,
        ),
        whole("F.convolution_2d(x, W, pad=1)", x=f32(2, 3, 5, 6), W=f32(4, 3, 3, 3), axes=IMAGE),
        alone(
            "F.convolution_2d(x, self.W, self.b)",
            x=f32(1, 3, 7, 8),
            W=weight(4, 3, 3, 3),
            b=weight(4),
        ),
        alone(
            "F.convolution_2d(x, self.W, stride=2, pad=1)", x=f32(2, 3, 7, 8), W=weight(4, 3, 3, 3)
        ),
        alone("F.convolution_2d(x, self.W, stride=2)", x=f32(2, 3, 7, 8), W=weight(4, 3, 3, 3)),
        alone(
            "F.convolution_2d(x, self.W, self.b, stride=(3, 2), pad=(0, 2), cover_all=True)",
            x=f32(1, 3, 7, 8),
            W=weight(4, 3, 2, 3),
            b=weight(4),
        ),
        alone(
            "F.convolution_2d(x, self.W, self.b, dilate=(2, 1), groups=2)",
            x=f32(1, 4, 7, 8),
            W=weight(6, 2, 3, 2),
            b=weight(6),
        ),
        alone("F.convolution_2d(x, W)", x=f32(1, 2, 5, 6), W=f32(3, 2, 2, 2), resize=SPATIAL),
    ],
    "convolution_3d": [
        whole(
            "F.convolution_3d(x, self.W, groups=2)",
            x=f32(1, 4, 3, 4, 5),
            W=weight(6, 2, 2, 2, 2),
            axes=(0, 2, 3, 4),
        ),
        whole(
            "F.convolution_3d(x, self.W, self.b)",
            "F.convolution_3d(x, self.W, stride=2, pad=1)",
            "F.convolution_3d(x, self.W, stride=2, cover_all=True, dilate=(1, 1, 2))",
            x=f32(1, 2, 5, 4, 6),
            W=weight(3, 2, 2, 3, 2),
            b=weight(3),
            axes=(0, 2, 3, 4),
        ),
        alone(
            "F.convolution_3d(x, self.W, stride=2)", x=f32(1, 2, 5, 4, 6), W=weight(3, 2, 2, 3, 2)
        ),
    ],
    "convolution_nd": [
        whole(
            "F.convolution_nd(x, self.W, self.b)",
            "F.convolution_nd(x, self.W, stride=3, cover_all=True, dilate=2)",
            "F.convolution_nd(x, self.W, self.b, stride=(1, 2), pad=(1, 0))",
            x=f32(1, 2, 9, 8),
            W=weight(3, 2, 2, 3),
            b=weight(3),
            axes=IMAGE,
        ),
        whole(
            "F.convolution_nd(x, self.W, groups=2)", x=f32(1, 4, 9), W=weight(6, 2, 3), axes=IMAGE
        ),
        alone(
            "F.convolution_nd(x, self.W, self.b, stride=3, cover_all=True, dilate=2)",
            x=f32(1, 2, 9, 8),
            W=weight(3, 2, 2, 3),
            b=weight(3),
        ),
    ],
    "deconvolution_1d": [
        whole(
            "F.deconvolution_1d(x, self.W, groups=2)",
            x=f32(1, 4, 7),
            W=weight(4, 3, 3),
            axes=IMAGE,
        ),
        whole(
            "F.deconvolution_1d(x, self.W)",
            "F.deconvolution_1d(x, self.W, self.b, 3, 1)",
            "F.deconvolution_1d(x, self.W, stride=2, dilate=2)",
            x=f32(2, 3, 4),
            W=weight(3, 2, 3),
            b=weight(2),
            axes=IMAGE,
        ),
        whole(
            "F.deconvolution_1d(x, self.W, stride=2, outsize=(10,))",
            x=f32(2, 3, 4),
            W=weight(3, 2, 3),
            axes=(0,),
        ),
        alone("F.deconvolution_1d(x, self.W, stride=3)", x=f32(2, 3, 4), W=weight(3, 2, 2)),
    ],
    "deconvolution_2d": [
        case(
            "F.deconvolution_2d(x, self.W, self.b)",
            "F.deconvolution_2d(x, self.W, stride=2, pad=1)",
            "F.deconvolution_2d(x, self.W, self.b, (2, 3), (1, 0), dilate=2)",
            x=f32(1, 3, 4, 5),
            W=weight(3, 2, 3, 3),
            b=weight(2),
            axes=IMAGE,
        ),
        whole(
            *(
                f"F.deconvolution_2d(x, self.W, stride=2, pad=1, outsize={outsize})"
                for outsize in OUTSIZES
            ),
            x=f32(1, 3, 5, 5),
            W=weight(3, 2, 3, 3),
            axes=(0,),
        ),
        whole(
            "F.deconvolution_2d(x, self.W, stride=2, groups=2)",
            x=f32(1, 4, 4, 5),
            W=weight(4, 3, 3, 2),
            axes=IMAGE,
        ),
        alone(
            "F.deconvolution_2d(x, self.W, stride=2, pad=1)",
            x=f32(2, 3, 4, 5),
            W=weight(3, 2, 3, 3),
        ),
        *(
            alone(
                f"F.deconvolution_2d(x, self.W, self.b, stride=2, pad=1, outsize={outsize})",
                x=f32(1, 3, 5, 5),
                W=weight(3, 2, 3, 3),
                b=weight(2),
            )
            for outsize in OUTSIZES
        ),
        alone(
            "F.deconvolution_2d(x, self.W, stride=(2, 3), dilate=2, groups=2)",
            x=f32(1, 4, 4, 5),
            W=weight(4, 3, 3, 2),
        ),
    ],
    "deconvolution_3d": [
        whole(
            "F.deconvolution_3d(x, self.W, stride=2, groups=2, dilate=2)",
            "F.deconvolution_3d(x, self.W, stride=2, groups=2, outsize=(5, 7, 4))",
            x=f32(1, 4, 2, 3, 2),
            W=weight(4, 3, 2, 2, 2),
            axes=(0,),
        ),
        whole(
            "F.deconvolution_3d(x, self.W, self.b)",
            "F.deconvolution_3d(x, self.W, stride=2, pad=1)",
            x=f32(1, 2, 3, 2, 3),
            W=weight(2, 3, 2, 2, 2),
            b=weight(3),
            axes=(0, 2, 3, 4),
        ),
        alone(
            "F.deconvolution_3d(x, self.W, self.b)",
            x=f32(1, 2, 3, 2, 3),
            W=weight(2, 3, 2, 2, 2),
            b=weight(3),
            resize=BODY,
        ),
    ],
    "deconvolution_nd": [
        whole(
            "F.deconvolution_nd(x, self.W, stride=2, groups=2, outsize=(5, 7, 4))",
            x=f32(1, 4, 2, 3, 2),
            W=weight(4, 3, 2, 2, 2),
            axes=(0,),
        ),
        whole(
            "F.deconvolution_nd(x, self.W, self.b)",
            "F.deconvolution_nd(x, self.W, self.b, stride=2, pad=1, dilate=2)",
            x=f32(1, 2, 4, 5),
            W=weight(2, 3, 3, 2),
            b=weight(3),
            axes=IMAGE,
        ),
        whole(
            "F.deconvolution_nd(x, self.W, groups=2)", x=f32(1, 4, 5), W=weight(4, 3, 2), axes=IMAGE
        ),
    ],
    "deformable_convolution_2d_sampler": [
        whole(
            "F.deformable_convolution_2d_sampler(x, o, self.W, self.b, stride=1, pad=1)",
            x=f32(1, 2, 5, 6),
            o=f32(1, 18, 5, 6),
            W=weight(3, 2, 3, 3),
            b=weight(3),
            dtypes=("float32", "float64"),
            axes=(0,),
        ),
        whole(
            "F.deformable_convolution_2d_sampler(x, o, self.W, None, 2, 0)",
            x=f32(2, 2, 5, 7),
            o=f32(2, 18, 2, 3),
            W=weight(3, 2, 3, 3),
            dtypes=("float32", "float64"),
            axes=(0,),
        ),
    ],
    "depthwise_convolution_2d": [
        case(
            "F.depthwise_convolution_2d(x, self.W)",
            "F.depthwise_convolution_2d(x, self.W, self.b, 2, 1)",
            x=f32(1, 3, 5, 6),
            W=weight(2, 3, 3, 3),
            b=weight(6),
            axes=IMAGE,
        ),
    ],
    "dilated_convolution_2d": [
        case(
            "F.dilated_convolution_2d(x, self.W, dilate=2)",
            "F.dilated_convolution_2d(x, self.W, self.b, 2, 1, dilate=(1, 2))",
            "F.dilated_convolution_2d(x, self.W, stride=2, dilate=2, cover_all=True)",
            x=f32(1, 3, 7, 6),
            W=weight(2, 3, 3, 3),
            b=weight(2),
            axes=IMAGE,
        ),
    ],
    "embed_id": [
        case("F.embed_id(x, self.W)", x=i32(2, 3, high=5), W=weight(5, 4)),
        case(
            "F.embed_id(x, self.W, ignore_label=-1)",
            "F.embed_id(x, self.W, -1)",
            x=i32(2, 3, high=5, low=-1),
            W=weight(5, 4),
        ),
        whole("F.embed_id(x, self.W, ignore_label=3)", x=i32(7, high=5), W=weight(5, 4)),
        alone("F.embed_id(x, self.W)", x=i32(6, high=5, low=-5), W=weight(5, 4)),
    ],
    "linear": [
        case(
            "F.linear(x, self.W, self.b)",
            "F.linear(x, self.W)",
            x=f32(2, 3),
            W=weight(4, 3),
            b=weight(4),
            axes=(0,),
        ),
        case(
            "F.linear(x, self.W, self.b, n_batch_axes=2)",
            "F.linear(x, self.W, n_batch_axes=2)",
            x=f32(2, 5, 3),
            W=weight(4, 3),
            b=weight(4),
            axes=(0, 1),
        ),
        case("F.linear(x, self.W)", x=f32(2, 3, 2), W=weight(4, 6), axes=(0,)),
        whole("F.linear(x, W)", x=f32(2, 3), W=f32(4, 3)),
    ],
    "local_convolution_2d": [
        case(
            "F.local_convolution_2d(x, self.W, self.b, stride=(1, 2))",
            "F.local_convolution_2d(x, self.W, stride=(1, 2))",
            x=f32(2, 3, 4, 5),
            W=weight(4, 3, 2, 3, 2, 3),
            b=weight(4, 3, 2),
            axes=(0,),
        ),
    ],
    "shift": [
        whole("F.shift(x)", "F.shift(x, ksize=5)", x=f32(1, 27, 6, 5), axes=IMAGE),
        case("F.shift(x, ksize=(3, 1), dilate=2)", x=f32(1, 7, 4, 5), axes=IMAGE),
        alone("F.shift(x)", x=f32(1, 20, 4, 5)),
    ],
}
