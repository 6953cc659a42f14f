"""A model from end to end: two networks trained by Chainer on scikit-learn's handwritten digits.

`python models/digits.py` trains both within seconds and saves `build/digits_cnn.npz` and
`build/digits_lstm.npz`; from these the command line exports them:

    elichika export models/digits.py:build_cnn --weights build/digits_cnn.npz
        --input 'x=float32[batch,1,8,8]' -o build/digits_cnn.onnx
    elichika export models/digits.py:build_lstm --weights build/digits_lstm.npz
        --input 'x=float32[batch,8,8]' -o build/digits_lstm.onnx
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import chainer
import numpy as np
from chainer import functions as F
from chainer import links as L
from chainer import training
from chainer.training import extensions

__all__ = ["CNN", "DIGITS", "Rows", "accuracy", "build_cnn", "build_lstm", "load", "main", "train"]


class CNN(chainer.Chain):
    """Logits of ten digits from images of shape (batch, 1, 8, 8)."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.conv1 = L.Convolution2D(1, 16, 3, pad=1)
            self.bn1 = L.BatchNormalization(16)
            self.conv2 = L.Convolution2D(16, 32, 3, pad=1)
            self.bn2 = L.BatchNormalization(32)
            self.fc = L.Linear(32 * 2 * 2, 10)

    def forward(self, x):
        h = F.max_pooling_2d(F.relu(self.bn1(self.conv1(x))), 2)
        h = F.max_pooling_2d(F.relu(self.bn2(self.conv2(h))), 2)
        h = F.dropout(h, ratio=0.25)
        return self.fc(h)


class Rows(chainer.Chain):
    """Logits of ten digits from images of shape (batch, rows, 8), read row by row by an LSTM."""

    def __init__(self, n_units: int = 64) -> None:
        super().__init__()
        with self.init_scope():
            self.lstm = L.LSTM(8, n_units)
            self.fc = L.Linear(n_units, 10)

    def forward(self, x):
        self.lstm.reset_state()
        for t in range(x.shape[1]):
            h = self.lstm(x[:, t])
        return self.fc(h)


def build_cnn() -> CNN:
    """Make an untrained CNN."""
    return CNN()


def build_lstm() -> Rows:
    """Make an untrained LSTM."""
    return Rows()


DIGITS: Mapping[str, tuple[Callable[[], chainer.Chain], tuple[int, ...]]] = {
    "cnn": (build_cnn, (1, 8, 8)),
    "lstm": (build_lstm, (8, 8)),
}
"""For each network its factory and the shape of one image."""


def load(shape: tuple[int, ...]) -> tuple[chainer.datasets.TupleDataset, ...]:
    """Load the digits: 1,347 to train on and 450 held out, as float32 images of `shape` in 0..1."""
    from sklearn.datasets import load_digits

    digits = load_digits()
    order = np.random.RandomState(0).permutation(len(digits.target))
    x = (digits.images / 16).astype(np.float32).reshape(-1, *shape)[order]
    t = digits.target.astype(np.int32)[order]
    split = chainer.datasets.TupleDataset
    return split(x[450:], t[450:]), split(x[:450], t[:450])


def train(name: str, snapshot: Path, n_epochs: int = 15) -> chainer.Chain:
    """Train the network `name` with Chainer's trainer and save it to `snapshot`."""
    build, shape = DIGITS[name]
    random.seed(0)
    np.random.seed(0)
    chain = build()
    training_set, _ = load(shape)
    batches = chainer.iterators.SerialIterator(training_set, 64)
    classifier = L.Classifier(chain)
    optimizer = chainer.optimizers.Adam(alpha=0.005)
    optimizer.setup(classifier)
    updater = training.updaters.StandardUpdater(batches, optimizer)
    trainer = training.Trainer(updater, (n_epochs, "epoch"), out=str(snapshot.parent))
    trainer.extend(extensions.LinearShift("alpha", (0.005, 0.0005), (0, 21 * n_epochs)))
    trainer.run()
    chain.cleargrads()
    if name == "lstm":
        chain.lstm.reset_state()
    chainer.serializers.save_npz(str(snapshot), chain)
    return chain


def accuracy(logits: np.ndarray, labels: np.ndarray) -> float:
    """Tell which part of the images is classified rightly."""
    return float((logits.argmax(axis=1) == labels).mean())


def main() -> None:
    """Train and save both networks; print their accuracy on the images held out."""
    folder = Path("build")
    folder.mkdir(exist_ok=True)
    for name, (_, shape) in DIGITS.items():
        snapshot = folder / f"digits_{name}.npz"
        chain = train(name, snapshot)
        x, t = chainer.dataset.concat_examples(load(shape)[1])
        with chainer.using_config("train", False), chainer.no_backprop_mode():
            score = accuracy(chain(x).array, t)
        sys.stdout.write(f"{snapshot}: {score:.2%} of {len(t)} held-out images\n")


if __name__ == "__main__":
    main()
