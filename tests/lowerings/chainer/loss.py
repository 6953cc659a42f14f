"""Calls of `chainer.functions.loss` and `chainer.functions.evaluation`."""

from typing import Any

import numpy as np

from tests.lowerings.chainer.cases import REAL, SINGLE, Case, alone, case, f32, i32, weight, whole


def reduced(name: str, arguments: str = "x, y", options: tuple[str, ...] = ("",), **x: Any) -> Case:
    """Return calls with each reduction."""
    kinds = ("", ", reduce='no'")
    calls = [f"F.{name}({arguments}{one}{kind})" for one in options for kind in kinds]
    return case(*calls, **x)


def counted(name: str, beta: str = "") -> Case:
    """Return calls of a function that counts how labels are hit."""
    return whole(
        f"F.{name}(x, t)",
        f"F.{name}(x, t, label_num=4)",
        f"F.{name}(x, t, 4, {beta}-1)",
        x=f32(9, 4),
        t=i32(9, high=4),
        axes=(0,),
    )


X, Y, Z = f32(3, 4), f32(3, 4, seed=1), f32(3, 4, seed=2)

LOSS = {
    "absolute_error": [case("F.absolute_error(x, y)", x=X, y=Y)],
    "mean_absolute_error": [case("F.mean_absolute_error(x, y)", x=X, y=Y)],
    "mean_squared_error": [case("F.mean_squared_error(x, y)", x=X, y=Y)],
    "squared_difference": [whole("F.squared_difference(x, y)", x=X, y=Y)],
    "squared_error": [case("F.squared_error(x, y)", x=X, y=Y)],
    "argmax_crf1d": [
        whole("F.argmax_crf1d(self.W, [x, y, z])", x=X, y=Y, z=Z, W=weight(4, 4), axes=None),
        whole("F.argmax_crf1d(self.W, [x, y])", x=X, y=f32(2, 4), W=weight(4, 4), axes=None),
        whole("F.argmax_crf1d(self.W, xs)", xs=[X, Y, f32(2, 4)], W=weight(4, 4), axes=None),
    ],
    "bernoulli_nll": [
        reduced("bernoulli_nll", x=f32(3, 4, low=0, high=1), y=Y),
    ],
    "black_out": [
        whole(
            "F.black_out(x, t, self.W, s)",
            "F.black_out(x, t, self.W, s, reduce='no')",
            x=f32(3, 4),
            t=i32(3, high=5),
            s=i32(3, 2, high=5, seed=1),
            W=weight(5, 4),
            axes=(0,),
        ),
    ],
    "connectionist_temporal_classification": [
        whole(
            "F.connectionist_temporal_classification([x, y, z, x], t, 0)",
            "F.connectionist_temporal_classification([x, y, z, x], t, 3, reduce='no')",
            x=f32(2, 4),
            y=f32(2, 4, seed=1),
            z=f32(2, 4, seed=2),
            t=np.array([[1, 2], [2, 1]], "i"),
            axes=None,
            dtypes=REAL,
        ),
        whole(
            "F.connectionist_temporal_classification([x, y, z, x], t, 0, n, m)",
            "F.connectionist_temporal_classification([x, y, z, x], t, 0, n, m, 'no')",
            x=f32(2, 4),
            y=f32(2, 4, seed=1),
            z=f32(2, 4, seed=2),
            t=np.array([[1, 1], [2, 1]], "i"),
            n=np.array([4, 3], "i"),
            m=np.array([2, 1], "i"),
            axes=None,
            dtypes=SINGLE,
        ),
    ],
    "contrastive": [
        reduced("contrastive", "x, y, t", ("", ", 3"), x=X, y=Y, t=i32(3, high=2), axes=(0,)),
    ],
    "crf1d": [
        whole(
            "F.crf1d(self.W, [x, y], [t, t])",
            "F.crf1d(self.W, [x, y], [t, t], reduce='no')",
            x=X,
            y=Y,
            t=i32(3, high=4),
            W=weight(4, 4),
            axes=None,
        ),
        whole(
            "F.crf1d(self.W, [x, y], [t, s])",
            x=X,
            y=f32(2, 4),
            t=i32(3, high=4),
            s=i32(2, high=4),
            W=weight(4, 4),
            axes=None,
        ),
        whole(
            "F.crf1d(self.W, xs, ts)",
            xs=[X, Y, f32(2, 4)],
            ts=[i32(3, high=4), i32(3, high=4, seed=1), i32(2, high=4)],
            W=weight(4, 4),
            axes=None,
        ),
    ],
    "cross_covariance": [
        case(
            "F.cross_covariance(x, y)",
            "F.cross_covariance(x, y, reduce='no')",
            x=f32(5, 4),
            y=f32(5, 3),
        ),
    ],
    "decov": [case("F.decov(x)", "F.decov(x, reduce='no')", x=f32(5, 4))],
    "discriminative_margin_based_clustering_loss": [
        whole(
            "F.discriminative_margin_based_clustering_loss(x, t.array, 0.3, 2, 3, 2, 0.5, 2, 0.1)",
            x=f32(3, 3, 4, 5),
            t=i32(3, 4, 5),
            dtypes=SINGLE,
            axes=None,
        ),
        whole(
            "F.discriminative_margin_based_clustering_loss(x, t.array, 0.5, 1.5, 3)",
            x=f32(3, 3, 4, 5),
            t=i32(3, 4, 5),
            dtypes=SINGLE,
            axes=None,
        ),
    ],
    "gaussian_kl_divergence": [reduced("gaussian_kl_divergence", x=X, y=Y)],
    "gaussian_nll": [reduced("gaussian_nll", "x, y, z", x=X, y=Y, z=Z)],
    "hinge": [
        reduced("hinge", "x, t", ("", ", norm='L2'"), x=X, t=i32(3, high=4), axes=(0,)),
    ],
    "huber_loss": [
        reduced("huber_loss", "x, y, 0.7", ("", ", reduce='sum_along_second_axis'")[:1], x=X, y=Y)
    ],
    "negative_sampling": [
        whole(
            "F.negative_sampling(x, t, self.W, lambda shape: np.full(shape, 3, 'i'), 2, "
            "return_samples=True)",
            x=f32(3, 4),
            t=i32(3, high=5),
            W=weight(5, 4),
            axes=None,
        ),
        whole(
            "F.negative_sampling(x, t, self.W, lambda shape: np.full(shape, 3, 'i'), 2)",
            "F.negative_sampling(x, t, self.W, lambda shape: np.full(shape, 1, 'i'), 3, 'no')",
            x=f32(3, 4),
            t=i32(3, high=5, low=-1),
            W=weight(5, 4),
            axes=None,
        ),
    ],
    "sigmoid_cross_entropy": [
        case(
            "F.sigmoid_cross_entropy(x, t)",
            "F.sigmoid_cross_entropy(x, t, normalize=False)",
            "F.sigmoid_cross_entropy(x, t, reduce='no')",
            x=X,
            t=i32(3, 4, low=-1, high=2),
        ),
    ],
    "softmax_cross_entropy": [
        whole("F.softmax_cross_entropy(x, t, cache_score=False)", x=X, t=i32(3, high=4), axes=(0,)),
        case(
            *(
                f"F.softmax_cross_entropy(x, t{options})"
                for options in (
                    "",
                    ", normalize=False",
                    ", reduce='no'",
                    ", ignore_label=2, normalize=True",
                    ", class_weight=np.arange(1, 5, dtype=x.dtype)",
                    ", class_weight=np.arange(1, 5, dtype=x.dtype), reduce='no'",
                    ", enable_double_backprop=True",
                )
            ),
            x=f32(5, 4),
            t=i32(5, high=4, low=-1),
            axes=(0,),
        ),
        case(
            "F.softmax_cross_entropy(x, t)",
            "F.softmax_cross_entropy(x, t, False)",
            x=f32(2, 4, 3),
            t=i32(2, 3, high=4),
        ),
        whole(
            "F.softmax_cross_entropy(x, F.softmax(y))",
            "F.softmax_cross_entropy(x, F.softmax(y), soft_target_loss='kl-divergence')",
            x=f32(2, 4),
            y=f32(2, 4, seed=1),
            axes=(0,),
        ),
        alone("F.softmax_cross_entropy(x, t)", x=f32(2, 4), t=i32(2, low=-1, high=0)),
        alone("F.softmax_cross_entropy(x, F.softmax(t))", x=f32(2, 4), t=f32(2, 4, seed=1)),
        # with one class the loss is 0, and rounding is all that float16 leaves of it
        alone(
            "F.softmax_cross_entropy(x, F.softmax(t), soft_target_loss='kl-divergence', "
            "reduce='no')",
            x=f32(2, 4),
            t=f32(2, 4, seed=1),
            resize=(0,),
        ),
    ],
    "triplet": [
        # the difference of two sums of squares
        whole(
            "F.triplet(x, y, z)",
            "F.triplet(x, y, z, reduce='no')",
            "F.triplet(x, y, z, 3)",
            "F.triplet(x, y, z, 3, reduce='no')",
            x=X,
            y=Y,
            z=Z,
            axes=(0,),
            tolerance={"float16": 5e-2},
        ),
        alone("F.triplet(x, y, z, 3)", x=X, y=Y, z=Z),
    ],
}

EVALUATION = {
    "accuracy": [
        case(
            "F.accuracy(x, t)",
            "F.accuracy(x, t, ignore_label=1)",
            x=f32(5, 4),
            t=i32(5, high=4),
            axes=(0,),
        ),
        case("F.accuracy(x, t)", x=f32(2, 4, 3), t=i32(2, 3, high=4)),
    ],
    "binary_accuracy": [case("F.binary_accuracy(x, t)", x=f32(5), t=i32(5, high=2, low=-1))],
    "r2_score": [
        case(
            "F.r2_score(x, y)",
            "F.r2_score(x, y, multioutput='raw_values')",
            x=f32(5, 2),
            y=f32(5, 2, seed=1),
        ),
    ],
    "classification_summary": [
        counted("classification_summary", "0.5, "),
        alone("F.classification_summary(x, t)", x=f32(9, 4), t=i32(9, high=4)),
        alone("F.classification_summary(x, t, label_num=4)", x=f32(9, 4), t=i32(9, high=4, low=-1)),
    ],
    **{name: [counted(name)] for name in ("f1_score", "precision", "recall")},
}
