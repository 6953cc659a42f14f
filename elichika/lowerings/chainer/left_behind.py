"""What the `forward` of Chainer's functions leaves on them for their backward passes.

A lowering stands for `forward`, so what it does not leave itself has to be found otherwise: by a
walk of `forward`, or from the lowering where that draws numbers. The table is what runs of Chainer
show, which `tests/lowerings/chainer/test_left_behind.py` repeats; a class itself may read
nothing of it, when it is what it hands itself on to that reads.
"""

from __future__ import annotations

from functools import cache
from typing import Any

__all__ = ["left_by"]

#: By the name of a class, the attributes.
_LEFT = {
    "AbsoluteError": "diff",
    "AsStrided": "input_geometry storage_offset",
    "AveragePooling2D": "_in_dtype _in_shape",
    "AveragePoolingND": "_in_shape width",
    "BatchNormalization": "_impl axis expander forward_data inv_std key_axis mean",
    "BernoulliLogProb": "logit_isminf logit_ispinf",
    "Cast": "_in_type",
    "ConnectionistTemporalClassification": "input_length path path_length prob_trans yseq",
    "Cumsum": "_in_shape",
    "DeCov": "covariance h_centered",
    "Deconvolution2DFunction": "outh outw",
    "DeconvolutionND": "cover_all",
    "DecorrelatedBatchNormalization": "eigvals eigvectors y_hat_pca",
    "Diagonal": "_in_shape",
    "Dropout": "mask",
    "EmbedIDFunction": "_w_shape",
    "FixedBatchNormalization": "axis expander inv_std inv_var",
    "Gaussian": "eps",
    "GroupNormalization": "inv_std mean",
    "Hinge": "bottom_diff",
    "LinearFunction": "_config_use_ideep",
    "LinearGradData": "_config_use_ideep",
    "LinearGradWeight": "_config_use_ideep",
    "LocalResponseNormalization": "scale unit_scale",
    "LogSoftmax": "_x_dtype _x_shape _x_xp",
    "MaxPoolingND": "_in_dtype _in_shape indexes",
    "Mean": "multiplier",
    "MeanAbsoluteError": "diff",
    "NegativeSamplingFunction": "ignore_mask samples",
    "PowVarVar": "y",
    "ROIAverageAlign2D": "_bottom_data_shape",
    "ROIAveragePooling2D": "_bottom_data_shape",
    "ROIMaxAlign2D": "_bottom_data_shape argmax_data",
    "ROIMaxPooling2D": "_bottom_data_shape argmax_data",
    "ROIPooling2D": "_bottom_data_shape argmax_data",
    "RReLU": "r",
    "Rollaxis": "_in_ndim",
    "SelectItem": "_in_dtype _in_shape",
    "Separate": "_dtype _shape _xp",
    "Sigmoid": "_use_cudnn",
    "SigmoidCrossEntropy": "count ignore_mask",
    "SimplifiedDropconnect": "mask",
    "SoftmaxCrossEntropy": "_coeff soft_target y",
    "SplitAxis": "_shapes _xp",
    "Tanh": "_use_cudnn",
    "TensorDot": "a_axes b_axes c_axes",
    "Tile": "_in_shape",
    "TreeLSTM": "a c fs i o",
    "Triplet": "dist_hinge",
    "Unpooling2D": "_use_int_scale_forward outh outw",
    "UnpoolingND": "outs",
    "Upsampling2D": "_in_dtype outh outw",
    "Zoneout": "flag_h flag_x",
}


@cache
def left_by(kind: Any) -> frozenset[str]:
    """Return what a class sets in `forward` and reads, or has read, in `backward`."""
    found = set[str]()
    for base in kind.__mro__:
        if base.__module__.startswith("chainer."):
            found.update(_LEFT.get(base.__name__, "").split())
    return frozenset(found)
