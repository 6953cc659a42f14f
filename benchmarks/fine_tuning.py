"""Trains the digits' networks further, on negatives, by onnxruntime and by Chainer side by side."""

from __future__ import annotations

from pathlib import Path

import chainer
import numpy as np
from chainer import links as L
from rich.console import Console
from rich.table import Table

import elichika
from models.digits import DIGITS, accuracy, load

BATCH, EPOCHS, CLOSE = 64, 4, 1e-3


def fine_tune(console: Console, folder: Path) -> bool:
    """Show loss and accuracy of both sides; tell whether they agree.

    The CNN draws its dropout, other numbers than Chainer's: there only the accuracies are alike.
    """
    table = Table("network", "before", "Chainer", "onnxruntime", "last losses", "worst step")
    table.title = (
        "Trained on with negatives of the digits; onnxruntime's weights are back in Chainer"
    )
    right = True
    for name, (build, shape) in DIGITS.items():
        (x, t), held_out = (
            chainer.dataset.concat_examples([(1 - image, label) for image, label in images])
            for images in load(shape)
        )
        classifier = L.Classifier(build())
        chainer.serializers.load_npz(str(folder / f"digits_{name}.npz"), classifier.predictor)
        before = _score(classifier, *held_out)
        optimizer = chainer.optimizers.MomentumSGD(0.05).setup(classifier)
        step = elichika.training_step(
            classifier,
            optimizer,
            (x[:BATCH], t[:BATCH]),
            folder / f"digits_{name}_step.onnx",
            dynamic_axes="batch",
            random="onnx" if name == "cnn" else None,
        )
        ours, theirs = [], []
        for first in list(range(0, len(t), BATCH)) * EPOCHS:
            batch = x[first : first + BATCH], t[first : first + BATCH]
            ours.append(float(step(*batch)))
            with chainer.using_config("train", True):
                optimizer.update(classifier, *batch)
            theirs.append(float(classifier.loss.array))
        worst = float(np.max(np.abs(np.subtract(ours, theirs)) / np.abs(theirs)))
        back = L.Classifier(build())
        step.save_npz(folder / f"digits_{name}_onnx.npz")
        chainer.serializers.load_npz(str(folder / f"digits_{name}_onnx.npz"), back)
        scores = _score(classifier, *held_out), _score(back, *held_out)
        right &= abs(scores[0] - scores[1]) < 0.05 and (name == "cnn" or worst < CLOSE)
        losses = f"{theirs[-1]:.4f}, {ours[-1]:.4f}"
        told = "other dropout" if name == "cnn" else f"{worst:.1e}"
        table.add_row(name, f"{before:.2%}", *(f"{one:.2%}" for one in scores), losses, told)
    console.print(table)
    return right


def _score(classifier: L.Classifier, x: np.ndarray, t: np.ndarray) -> float:
    with chainer.using_config("train", False), chainer.no_backprop_mode():
        return accuracy(classifier.predictor(x).array, t)
