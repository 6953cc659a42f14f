"""Calls of `chainer.links` and containers."""

from collections.abc import Callable
from typing import Any

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np

from tests.lowerings.chainer.cases import REAL, SINGLE, Case, alone, drawn, f32, i32, refused, whole

IMAGE = (0, 2, 3)


def link(*makes: Callable[[], Any], call: str = "self.{}(x)", **options: Any) -> Case:
    """Return a call of each link on the same inputs."""
    names = [f"l{number}" for number in range(len(makes))]
    links = dict(zip(names, makes, strict=True))
    return whole(*(call.format(name) for name in names), links=links, **options)


def moved(made: Any) -> Any:
    """Return a link whose running statistics are not the initial ones."""
    for name in ("avg_mean", "avg_var", "running_mean", "running_var"):
        held = getattr(made, name, None)
        if isinstance(held, np.ndarray):
            held[...] = f32(*held.shape, low=0.5)
    return made


def normalization(size: Any, **options: Any) -> Any:
    """Return a batch normalization whose statistics are not the initial ones."""
    made = L.BatchNormalization(size, **options)
    made.avg_mean[...] = f32(*made.avg_mean.shape)
    made.avg_var[...] = f32(*made.avg_var.shape, low=0.5)
    return made


def twice(call: str = "self.{0}(x)") -> str:
    """Return two steps of a stateful link as one expression."""
    return f"({call}, {call})"


def ragged(make: Callable[[int, int, int, float], Any], states: str) -> list[Case]:
    """Return calls of an n-step link with and without states."""
    none = ", ".join("None" for _ in states.split(", "))
    built = {"l": lambda: make(2, 3, 4, 0.5)}
    directions = 2 if "Bi" in make.__name__ else 1
    given: dict[str, Any] = {
        name: f32(2 * directions, 2, 4, seed=len(name)) for name in states.split(", ")
    }
    x, y = f32(4, 3), f32(2, 3)
    return [
        whole(f"self.l({none}, [x, y])", links=built, x=x, y=y, axes=None),
        whole(f"self.l({states}, [y, x])", links=built, x=x, y=y, axes=None, **given),
        whole(f"self.l({none}, xs)", links=built, xs=[x, y, x], axes=None),
    ]


def stateful(*makes: Callable[[], Any]) -> Case:
    """Return two steps of each stateful link."""
    return link(*makes, call=twice(), x=f32(2, 3), axes=(0,))


class Weighted(chainer.Chain):
    """A chain with a parameter and a persistent array."""

    def __init__(self) -> None:
        """Make both."""
        super().__init__()
        with self.init_scope():
            self.w = chainer.Parameter(f32(3))
        self.add_persistent("offset", f32(3, seed=1))

    def forward(self, x: Any) -> Any:
        """Use both."""
        return F.cast(x * self.w.array.astype(x.dtype), "float32") + self.offset


N_STEP = {
    name: ragged(getattr(L, name), "h, c" if "LSTM" in name else "h")
    for name in (
        "NStepLSTM",
        "NStepBiLSTM",
        "NStepGRU",
        "NStepBiGRU",
        "NStepRNNReLU",
        "NStepBiRNNReLU",
        "NStepRNNTanh",
        "NStepBiRNNTanh",
    )
}

LINKS = {
    "Bias": [
        link(lambda: L.Bias(1, (3,)), lambda: L.Bias(0, (2, 3)), x=f32(2, 3, 4), axes=(2,)),
        whole("self.l(x, y)", links={"l": lambda: L.Bias(1)}, x=f32(2, 3), y=f32(3)),
    ],
    "Scale": [
        link(
            lambda: L.Scale(1, (3,)),
            lambda: L.Scale(1, (3,), bias_term=True),
            x=f32(2, 3, 4),
            axes=(0, 2),
        ),
        whole(
            "self.l(x, y)",
            links={"l": lambda: L.Scale(1, bias_term=True, bias_shape=(3,))},
            x=f32(2, 3),
            y=f32(3),
            axes=(0,),
        ),
    ],
    "Bilinear": [
        link(
            lambda: L.Bilinear(3, 4, 5),
            lambda: L.Bilinear(3, 4, 5, nobias=True),
            call="self.{}(x, y)",
            x=f32(2, 3),
            y=f32(2, 4),
            dtypes=SINGLE,
            axes=(0,),
        ),
        alone(
            "self.l(x, y)",
            links={"l": lambda: L.Bilinear(3, 4, 5)},
            x=f32(2, 3),
            y=f32(2, 4),
            dtypes=SINGLE,
        ),
    ],
    "Convolution1D": [
        link(lambda: L.Convolution1D(4, 6, 3, groups=2), x=f32(2, 4, 7), axes=(0, 2)),
        link(
            lambda: L.Convolution1D(3, 4, 3),
            lambda: L.Convolution1D(None, 4, 3, 2, 1, True),
            lambda: L.Convolution1D(3, 4, 3, dilate=2, cover_all=True),
            x=f32(2, 3, 9),
            axes=(0, 2),
        ),
    ],
    "Convolution2D": [
        link(
            lambda: L.Convolution2D(4, 6, 3),
            lambda: L.Convolution2D(None, 6, (3, 2), 2, 1, True),
            lambda: L.Convolution2D(4, 6, 3, dilate=2),
            lambda: L.Convolution2D(4, 6, 3, groups=2),
            x=f32(1, 4, 7, 8),
            axes=IMAGE,
        ),
        alone("self.l(x)", links={"l": lambda: L.Convolution2D(3, 4, 3, pad=1)}, x=f32(2, 3, 4, 5)),
    ],
    "Convolution3D": [
        link(
            lambda: L.Convolution3D(4, 6, 2, 2, 1, True, None, None, True, 2, 2),
            x=f32(2, 4, 5, 6, 7),
            axes=(0, 2, 3, 4),
        ),
        link(
            lambda: L.Convolution3D(2, 3, 2),
            lambda: L.Convolution3D(2, 3, 3, stride=2, pad=1),
            x=f32(1, 2, 5, 4, 5),
            axes=(0, 2, 3, 4),
        ),
    ],
    "ConvolutionND": [
        link(
            lambda: L.ConvolutionND(2, 4, 6, 3, 2, 1, nobias=True, dilate=2),
            x=f32(2, 4, 7, 8),
            axes=IMAGE,
        ),
        link(
            lambda: L.ConvolutionND(2, 4, 6, 3),
            lambda: L.ConvolutionND(2, 4, 6, 3, groups=2),
            lambda: L.ConvolutionND(2, 4, 6, 3, 2, cover_all=True),
            x=f32(1, 4, 8, 8),
            axes=IMAGE,
        ),
    ],
    "Deconvolution1D": [
        link(
            lambda: L.Deconvolution1D(4, 6, 3, 2, 1, groups=2, dilate=2),
            x=f32(2, 4, 7),
            axes=(0, 2),
        ),
        link(lambda: L.Deconvolution1D(4, 6, 3, 2, 1, outsize=(14,)), x=f32(2, 4, 7), axes=(0,)),
        link(
            lambda: L.Deconvolution1D(3, 2, 3),
            lambda: L.Deconvolution1D(3, 2, 3, 2, 1, True),
            x=f32(2, 3, 5),
            axes=(0, 2),
        ),
    ],
    "Deconvolution2D": [
        link(
            lambda: L.Deconvolution2D(4, 2, 3),
            lambda: L.Deconvolution2D(None, 2, 3, 2, 1, True),
            lambda: L.Deconvolution2D(4, 2, 3, dilate=2),
            lambda: L.Deconvolution2D(4, 2, 3, groups=2),
            x=f32(1, 4, 4, 5),
            axes=IMAGE,
        ),
        link(
            lambda: L.Deconvolution2D(4, 2, 3, 2, 1, outsize=(8, 10)), x=f32(1, 4, 4, 5), axes=(0,)
        ),
    ],
    "Deconvolution3D": [
        link(
            lambda: L.Deconvolution3D(4, 6, 3, 2, 1, True, groups=2, dilate=2),
            x=f32(2, 4, 3, 3, 4),
            axes=(0, 2, 3, 4),
        ),
        link(
            lambda: L.Deconvolution3D(2, 3, 2),
            lambda: L.Deconvolution3D(2, 3, 3, 2, 1),
            x=f32(1, 2, 3, 2, 3),
            axes=(0, 2, 3, 4),
        ),
    ],
    "DeconvolutionND": [
        link(
            lambda: L.DeconvolutionND(2, 4, 6, 3, 2, 1, True, dilate=2),
            x=f32(2, 4, 3, 4),
            axes=IMAGE,
        ),
        link(
            lambda: L.DeconvolutionND(2, 4, 6, 3, 2, 1, outsize=(6, 8)),
            x=f32(2, 4, 3, 4),
            axes=(0,),
        ),
        link(
            lambda: L.DeconvolutionND(2, 4, 2, 3),
            lambda: L.DeconvolutionND(2, 4, 2, 3, groups=2),
            x=f32(1, 4, 4, 5),
            axes=IMAGE,
        ),
    ],
    "DeformableConvolution2D": [
        link(
            lambda: L.DeformableConvolution2D(3, 4, 3, deform_nobias=True, offset_nobias=True),
            x=f32(2, 3, 6, 6),
            axes=IMAGE,
        ),
        link(
            lambda: L.DeformableConvolution2D(2, 3, 3, pad=1),
            lambda: L.DeformableConvolution2D(2, 3, 3, stride=2, offset_nobias=True),
            x=f32(1, 2, 5, 7),
            dtypes=REAL,
            axes=(0,),
        ),
    ],
    "DepthwiseConvolution2D": [
        link(
            lambda: L.DepthwiseConvolution2D(3, 2, 3),
            lambda: L.DepthwiseConvolution2D(3, 2, 3, 2, 1, True),
            x=f32(1, 3, 6, 7),
            axes=IMAGE,
        ),
    ],
    "DilatedConvolution2D": [
        link(
            lambda: L.DilatedConvolution2D(3, 2, 3, dilate=2),
            lambda: L.DilatedConvolution2D(3, 2, 3, 2, 1, 2, nobias=True),
            x=f32(1, 3, 7, 8),
            axes=IMAGE,
        ),
    ],
    "EmbedID": [
        link(lambda: L.EmbedID(5, 4), lambda: L.EmbedID(5, 4, ignore_label=3), x=i32(2, 3, high=5)),
        alone("self.l(x)", links={"l": lambda: L.EmbedID(5, 4)}, x=i32(2, 3, high=5)),
    ],
    "Highway": [
        link(
            lambda: L.Highway(4),
            lambda: L.Highway(4, nobias=True, activate=F.tanh),
            x=f32(3, 4),
            axes=(0,),
        ),
    ],
    "Inception": [
        link(lambda: L.Inception(3, 2, 2, 3, 2, 2, 2), x=f32(1, 3, 6, 7), axes=IMAGE),
    ],
    "InceptionBN": [
        link(
            lambda: L.InceptionBN(3, 2, 2, 3, 2, 2, "avg", 2),
            lambda: L.InceptionBN(3, 2, 2, 3, 2, 2, "max", 2),
            x=f32(1, 3, 6, 7),
            axes=IMAGE,
        ),
        link(
            lambda: L.InceptionBN(3, 0, 2, 3, 2, 2, "max", stride=2), x=f32(1, 3, 6, 7), axes=IMAGE
        ),
    ],
    "Linear": [
        link(
            lambda: L.Linear(3, 4),
            lambda: L.Linear(None, 4, nobias=True),
            lambda: L.Linear(4),
            x=f32(2, 3),
            axes=(0,),
        ),
        whole(
            "self.l(x, n_batch_axes=2)",
            links={"l": lambda: L.Linear(3, 4)},
            x=f32(2, 5, 3),
            axes=(0, 1),
        ),
        alone("self.l(x)", links={"l": lambda: L.Linear(3, 4)}, x=f32(2, 3)),
    ],
    "LocalConvolution2D": [
        link(
            lambda: L.LocalConvolution2D(2, 3, (6, 7), 3),
            lambda: L.LocalConvolution2D(2, 3, (6, 7), (3, 2), 1, True),
            x=f32(2, 2, 6, 7),
            axes=(0,),
        ),
    ],
    "MLPConvolution2D": [
        link(
            lambda: L.MLPConvolution2D(3, (4, 5), 3),
            lambda: L.MLPConvolution2D(3, (4, 2), 3, 2, 1, F.sigmoid),
            x=f32(1, 3, 6, 7),
            axes=IMAGE,
        ),
    ],
    "Parameter": [
        whole(
            "self.l()",
            "x + self.l()",
            links={"l": lambda: L.Parameter(f32(3).astype(chainer.get_dtype()))},
            x=f32(2, 3),
        ),
    ],
    "BatchNormalization": [
        link(
            lambda: moved(L.BatchNormalization(3)),
            lambda: moved(L.BatchNormalization(3, eps=1e-3)),
            lambda: moved(L.BatchNormalization(3, use_gamma=False)),
            lambda: moved(L.BatchNormalization(3, use_beta=False)),
            x=f32(2, 3, 4, 5),
            axes=IMAGE,
        ),
        link(
            lambda: L.BatchNormalization(3, 0.9, 2e-5, "f", True, True, 2, 1, None, 3, 2),
            x=f32(4, 3),
            axes=(0,),
        ),
        link(lambda: moved(L.BatchNormalization(4, axis=(0, 1))), x=f32(2, 3, 4), axes=(0, 1)),
        link(
            lambda: L.BatchNormalization(3),
            lambda: L.BatchNormalization((3,), axis=0),
            train=True,
            x=f32(4, 3),
            axes=(0,),
        ),
        whole(
            "(self.l(x), self.l.avg_mean, self.l(x * 2), self.l.avg_mean, self.l.avg_var)",
            links={"l": lambda: L.BatchNormalization(3, decay=0.8)},
            train=True,
            x=f32(4, 3, 5),
            axes=(0, 2),
        ),
        whole(
            "(self.l(x, finetune=True), self.l.N, self.l.avg_var)",
            links={"l": lambda: L.BatchNormalization(3)},
            train=True,
            x=f32(4, 3, 5),
            axes=(0, 2),
        ),
        alone("self.l(x)", links={"l": lambda: normalization(3)}, x=f32(2, 3, 4, 5)),
        alone("self.l(x)", links={"l": lambda: normalization(3)}, x=f32(2, 3)),
        alone("self.l(x)", links={"l": lambda: normalization(4, axis=(0, 1))}, x=f32(2, 3, 4)),
        alone(
            "self.l(x)",
            links={"l": lambda: normalization(3, use_beta=False, eps=1e-3)},
            x=f32(2, 3, 4),
        ),
        alone("self.l(x)", links={"l": lambda: normalization(3)}, x=f32(4, 3, 4), train=True),
        alone("self.l(x)", links={"l": lambda: normalization((3, 4))}, x=f32(5, 3, 4), train=True),
    ],
    "BatchRenormalization": [
        link(
            lambda: moved(L.BatchRenormalization(3)),
            lambda: moved(L.BatchRenormalization(3, eps=1e-3)),
            x=f32(2, 3, 4),
            axes=(0, 2),
        ),
        link(lambda: moved(L.BatchRenormalization(3)), train=True, x=f32(4, 3), axes=(0,)),
    ],
    "DecorrelatedBatchNormalization": [
        link(
            lambda: L.DecorrelatedBatchNormalization(4, groups=1),
            lambda: L.DecorrelatedBatchNormalization(4, groups=2),
            x=f32(3, 4),
            axes=(0,),
            dtypes=SINGLE,
        ),
        whole(
            "(self.l(x), self.l.avg_mean, self.l.avg_projection)",
            links={"l": lambda: L.DecorrelatedBatchNormalization(4, 2, 0.7, 1e-3)},
            train=True,
            x=f32(9, 4),
            axes=(0,),
            dtypes=SINGLE,
        ),
    ],
    "GroupNormalization": [
        link(
            lambda: L.GroupNormalization(2, 4),
            lambda: L.GroupNormalization(4, eps=1e-2),
            x=f32(2, 4, 3, 5),
            axes=IMAGE,
        ),
    ],
    "LayerNormalization": [
        link(
            lambda: L.LayerNormalization(5),
            lambda: L.LayerNormalization(None, eps=1e-2),
            x=f32(4, 5),
            axes=(0,),
        ),
        # onnxruntime's LayerNormalization refuses an empty batch
        alone(
            "self.l(x)",
            links={"l": lambda: L.LayerNormalization(5)},
            x=f32(4, 5),
            others=[{"x": f32(1, 5)}, {"x": f32(7, 5)}],
            resize=False,
        ),
    ],
    "Classifier": [
        whole(
            "self.l(x, t)",
            links={"l": lambda: L.Classifier(L.Linear(4, 3))},
            x=f32(5, 4),
            t=i32(5),
            axes=(0,),
        ),
        whole(
            "self.l(x, y)",
            links={"l": lambda: L.Classifier(L.Linear(4, 3), F.mean_squared_error, F.r2_score)},
            x=f32(5, 4),
            y=f32(5, 3),
            axes=(0,),
        ),
        whole(
            "self.l(x=x, label=t)",
            links={"l": lambda: L.Classifier(L.Linear(4, 3), label_key="label")},
            x=f32(5, 4),
            t=i32(5),
            axes=(0,),
        ),
    ],
    "BinaryHierarchicalSoftmax": [
        whole(
            "self.l(x, t)",
            links={"l": lambda: L.BinaryHierarchicalSoftmax(4, ((0, 1), (2, (3, 4))))},
            x=f32(3, 4),
            t=i32(3, high=5),
            axes=(0,),
            dtypes=SINGLE,
        ),
    ],
    "BlackOut": [
        drawn(
            "self.l(x, t)",
            links={"l": lambda: L.BlackOut(4, [3, 1, 2], 2)},
            x=f32(3, 4),
            t=i32(3),
            axes=(0,),
        ),
        refused(
            "self.l(x, t)",
            "random",
            links={"l": lambda: L.BlackOut(4, [3, 1, 2], 2)},
            x=f32(3, 4),
            t=i32(3),
        ),
    ],
    "CRF1d": [
        whole(
            "self.l([x, y], [t, t])",
            "self.l.argmax([x, y])",
            links={"l": lambda: L.CRF1d(4)},
            x=f32(3, 4),
            y=f32(3, 4, seed=1),
            t=i32(3, high=4),
            axes=None,
        ),
        whole(
            "self.l([x, y], [t, s], transpose=True)",
            "self.l.argmax([x, y], transpose=True)",
            links={"l": lambda: L.CRF1d(4, initial_cost=f32(4, 4).astype(chainer.get_dtype()))},
            x=f32(3, 4),
            y=f32(2, 4, seed=1),
            t=i32(3, high=4),
            s=i32(2, high=4),
            axes=None,
        ),
    ],
    "NegativeSampling": [
        drawn(
            "self.l(x, t)",
            "self.l(x, t, reduce='no')",
            links={"l": lambda: L.NegativeSampling(4, [3, 1, 2], 2)},
            x=f32(3, 4),
            t=i32(3),
            axes=(0,),
        ),
        refused(
            "self.l(x, t)",
            "random",
            links={"l": lambda: L.NegativeSampling(4, [3, 1, 2], 2)},
            x=f32(3, 4),
            t=i32(3),
        ),
    ],
    "ChildSumTreeLSTM": [
        whole(
            "self.l(c, d, c, d, x)",
            "self.l(c, d, x)",
            "self.l(x)",
            links={"l": lambda: L.ChildSumTreeLSTM(3, 4)},
            x=f32(2, 3),
            c=f32(2, 4),
            d=f32(2, 4, seed=1),
            axes=(0,),
        ),
    ],
    "NaryTreeLSTM": [
        whole(
            "self.l(c, d, c, d, x)",
            "self.l(None, d, None, d, x)",
            "self.l(c, d, c, d, None)",
            links={"l": lambda: L.NaryTreeLSTM(3, 4, 2)},
            x=f32(2, 3),
            c=f32(2, 4),
            d=f32(2, 4, seed=1),
            axes=None,
        ),
    ],
    "GRU": [stateful(lambda: L.GRU(3, 4), lambda: L.GRU(3, 4, bias_init=0.5))],
    "LSTM": [
        stateful(lambda: L.LSTM(3, 4), lambda: L.LSTM(None, 4, forget_bias_init=0)),
        alone("self.l(x)", links={"l": lambda: L.LSTM(3, 4)}, x=f32(2, 3)),
    ],
    "StatefulGRU": [stateful(lambda: L.StatefulGRU(3, 4))],
    "StatefulMGU": [
        # its first state is float32 whatever the parameters are
        link(lambda: L.StatefulMGU(3, 4), call=twice(), x=f32(2, 3), axes=(0,), dtypes=SINGLE)
    ],
    "StatefulPeepholeLSTM": [stateful(lambda: L.StatefulPeepholeLSTM(3, 4))],
    "StatefulZoneoutLSTM": [stateful(lambda: L.StatefulZoneoutLSTM(3, 4))],
    "StatelessGRU": [
        whole(
            "self.l(h, x)",
            links={"l": lambda: L.StatelessGRU(3, 4)},
            x=f32(2, 3),
            h=f32(2, 4),
            axes=(0,),
        ),
        alone("self.l(h, x)", links={"l": lambda: L.StatelessGRU(3, 4)}, h=f32(2, 4), x=f32(2, 3)),
    ],
    "StatelessMGU": [
        whole(
            "self.l(h, x)",
            links={"l": lambda: L.StatelessMGU(3, 4)},
            x=f32(2, 3),
            h=f32(2, 4),
            axes=(0,),
        ),
    ],
    "StatelessLSTM": [
        whole(
            "self.l(None, None, x)",
            "self.l(c, h, x)",
            links={"l": lambda: L.StatelessLSTM(3, 4)},
            x=f32(2, 3),
            h=f32(2, 4),
            c=f32(2, 4, seed=1),
            axes=(0,),
        ),
    ],
    **N_STEP,
    "Maxout": [
        link(
            lambda: L.Maxout(3, 4, 2),
            lambda: L.Maxout(3, 4, 3, initial_bias=0.5),
            x=f32(2, 3),
            axes=(0,),
        ),
    ],
    "PReLU": [
        link(
            lambda: L.PReLU(),
            lambda: L.PReLU((3,)),
            lambda: L.PReLU((3, 4), 0.7),
            x=f32(2, 3, 4),
            axes=(0,),
        ),
    ],
    "SimplifiedDropconnect": [
        link(
            lambda: L.SimplifiedDropconnect(3, 4),
            lambda: L.SimplifiedDropconnect(3, 4, nobias=True),
            call="self.{}(x, train=False)",
            x=f32(2, 3),
            axes=(0,),
        ),
        refused(
            "self.l(x)", "random", links={"l": lambda: L.SimplifiedDropconnect(3, 4)}, x=f32(2, 3)
        ),
    ],
    "Swish": [link(lambda: L.Swish(None), lambda: L.Swish((3,), 0.5), x=f32(2, 3), axes=(0,))],
    "TheanoFunction": [],
    "ResNet50Layers": [
        whole(
            "self.l(x, layers=['res2', 'prob'])",
            links={"l": lambda: L.ResNet50Layers(None)},
            x=f32(1, 3, 64, 64),
            dtypes=SINGLE,
            axes=None,
        ),
    ],
    "ResNet101Layers": [
        whole(
            "self.l(x, layers=['pool5'])",
            links={"l": lambda: L.ResNet101Layers(None)},
            x=f32(1, 3, 32, 32),
            dtypes=SINGLE,
            axes=None,
        ),
    ],
    "ResNet152Layers": [
        whole(
            "self.l(x, layers=['pool5'])",
            links={"l": lambda: L.ResNet152Layers(None)},
            x=f32(1, 3, 32, 32),
            dtypes=SINGLE,
            axes=None,
        ),
    ],
    "VGG16Layers": [
        whole(
            "self.l(x, layers=['conv1_1', 'pool5'])",
            links={"l": lambda: L.VGG16Layers(None)},
            x=f32(1, 3, 32, 32),
            dtypes=SINGLE,
            axes=None,
        ),
    ],
    "VGG19Layers": [
        whole(
            "self.l(x, layers=['pool5'])",
            links={"l": lambda: L.VGG19Layers(None)},
            x=f32(1, 3, 32, 32),
            dtypes=SINGLE,
            axes=None,
        ),
    ],
    "GoogLeNet": [
        whole(
            "self.l(x, layers=['pool5'])",
            links={"l": lambda: L.GoogLeNet(None)},
            x=f32(1, 3, 224, 224),
            dtypes=SINGLE,
            axes=None,
        ),
    ],
}

CONTAINERS = {
    "Sequential": [
        link(
            lambda: chainer.Sequential(L.Linear(3, 4), F.relu, L.Linear(4, 2)),
            x=f32(2, 3),
            axes=(0,),
        ),
    ],
    "Sequential.repeat": [
        link(lambda: chainer.Sequential(L.Linear(3, 3), F.relu).repeat(3), x=f32(2, 3), axes=(0,)),
    ],
    "ChainList": [
        whole(
            "[one(x) for one in self.l]",
            "self.l[1](x)",
            "len(self.l)",
            links={"l": lambda: chainer.ChainList(L.Linear(3, 4), L.Linear(3, 2))},
            x=f32(2, 3),
            axes=(0,),
        ),
    ],
    "Link.to_device/to_cpu/from_chx": [
        whole(
            "(self.l.to_device('@numpy') is self.l, self.l(x))",
            "(self.l.to_device(self.device) is self.l, self.l(x))",
            "(self.l.to_cpu() is self.l, self.l(x))",
            "(self.l.from_chx() is self.l, self.l(x))",
            links={"l": lambda: chainer.Sequential(L.Linear(3, 4), F.relu, L.Linear(4, 2))},
            x=f32(2, 3),
            axes=(0,),
        ),
        refused("(self.to_device('@cupy:0'), x)", "CUDA", x=f32(2, 3)),
    ],
    "Chain(Parameter+persistent)": [link(Weighted, x=f32(2, 3), axes=(0,), dtypes=SINGLE)],
}
