"""Evaluations in the form of Chainer's examples, on made data: recorded, compiled, verified."""

from __future__ import annotations

from collections import Counter
from typing import Any

import chainer
import numpy as np
from chainer import functions as F
from chainer import links as L
from chainer.dataset import convert
from chainer.training import extensions

import elichika
from models import text_cnn, wavenet
from models.weights import seeded
from tests.programs import difference, f32, ints
from tests.recording.compared import agree, described

PAD, BOS, EOS = -1, 0, 1


def words(*lengths: int, high: int = 30) -> list[Any]:
    """Return texts of ids."""
    return [ints(n, high=high, seed=n).astype(np.int32) for n in lengths]


class TextLoss(chainer.Chain):
    """The classifier of the example on texts: its loss and accuracy are reported."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope(), seeded(0):
            encoder = text_cnn.CNNEncoder(30, 12)
            self.predictor = text_cnn.TextClassifier(encoder, 12, 3)

    def forward(self, xs: Any, ys: Any) -> Any:
        labels = F.concat(ys, axis=0)
        scores = self.predictor.predict(xs)
        loss = F.softmax_cross_entropy(scores, labels)
        chainer.reporter.report({"loss": loss, "accuracy": F.accuracy(scores, labels)}, self)
        return loss


def convert_texts(batch: Any, device: Any) -> dict[str, Any]:
    """Return a batch as lists of arrays, as that example does."""
    return {
        "xs": [convert.to_device(device, x) for x, _ in batch],
        "ys": [convert.to_device(device, y) for _, y in batch],
    }


def test_classified_texts() -> None:
    texts = words(5, 9, 3, 7, 12, 4, 6)
    data = [(x, np.array([number % 3], np.int32)) for number, x in enumerate(texts)]
    iterator = chainer.iterators.SerialIterator(data, 3, repeat=False, shuffle=False)
    chain = TextLoss()
    with elichika.profile(chain) as calls:
        extensions.Evaluator(iterator, chain, converter=convert_texts)()
    model = elichika.compile_model(chain, calls)
    assert described(model) == "xs list of int32[?]; ys list of int32[1]"
    labels = [np.array([2], np.int32)]
    agree(chain, model, (words(20), labels), (words(3, 4, 5, 6, 7), labels * 5))
    predicting = elichika.compile_model(chain.predictor, calls, method="predict")
    agree(chain.predictor.predict, predicting, (words(3, 17),), (words(8),))


class Captions(chainer.Chain):
    """A network on images and a language model that begins with what it saw."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.features = L.Convolution2D(3, 4, 3, stride=2)
            self.embed_image = L.Linear(4, 8)
            self.embed_word = L.EmbedID(30, 8)
            self.lstm = L.LSTM(8, 8)
            self.out = L.Linear(8, 30)

    def encoded(self, images: Any) -> Any:
        self.lstm.reset_state()
        return self.embed_image(F.average(F.relu(self.features(images)), axis=(2, 3)))

    def forward(self, images: Any, captions: Any) -> Any:
        """Return the loss of captions that are padded."""
        self.lstm(self.encoded(images))
        loss, size = 0, 0
        for i in range(captions.shape[1] - 1):
            target = captions[:, i + 1]
            if (target == PAD).all():
                break
            words = np.where(captions[:, i] == PAD, EOS, captions[:, i])
            out = self.out(self.lstm(self.embed_word(words)))
            count = int((target != PAD).sum())
            loss += F.softmax_cross_entropy(out, target, ignore_label=PAD) * count
            size += count
        loss /= max(size, 1)
        chainer.reporter.report({"loss": loss}, self)
        return loss

    def predict(self, images: Any, bos: Any, eos: Any, max_caption_length: Any) -> Any:
        """Return captions, each word the likeliest, until all have ended."""
        self.lstm(self.encoded(images))
        captions = np.full((len(images), 1), bos, np.int32)
        for _ in range(max_caption_length):
            out = self.out(self.lstm(self.embed_word(captions[:, -1])))
            words = out.array.argmax(axis=1).astype(np.int32)
            captions = np.concatenate([captions, words[:, None]], axis=1)
            if (words == eos).all():
                break
        return captions


def convert_captions(batch: Any, device: Any) -> Any:
    """Pad the captions of a batch."""
    return convert.concat_examples(batch, device, padding=PAD)


def test_captions_of_images() -> None:
    data = list(zip(f32(7, 3, 9, 9), words(4, 6, 3, 5, 7, 2, 5), strict=True))
    iterator = chainer.iterators.SerialIterator(data, 3, repeat=False, shuffle=False)
    chain = Captions()
    with elichika.profile(chain) as calls:
        extensions.Evaluator(iterator, chain, converter=convert_captions)()
        with chainer.using_config("train", False), chainer.no_backprop_mode():
            for image, length in zip(f32(3, 3, 9, 9), (4, 7, 5), strict=True):
                chain.predict(image[None], BOS, EOS, length)
    loss = elichika.compile_model(chain, calls)
    caption = convert.concat_examples(words(9, 2, 5, 3), padding=PAD)
    agree(chain, loss, (f32(4, 3, 9, 9, seed=5), caption), (f32(1, 3, 9, 9), caption[:1, :1]))
    predicting = elichika.compile_model(chain, calls, method="predict")
    agree(chain.predict, predicting, (f32(1, 3, 9, 9, seed=3), BOS, EOS, 9))


class WaveLoss(chainer.Chain):
    """The loss of a waveform's next samples."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.decoder = wavenet.build()

    def forward(self, x: Any, t: Any, condition: Any) -> Any:
        y = self.decoder(x, condition)
        loss = F.softmax_cross_entropy(y, t)
        chainer.reporter.report({"loss": loss, "accuracy": F.accuracy(y, t)}, self)
        return loss


def wave(length: int, seed: int = 0) -> tuple[Any, ...]:
    """Return samples of one waveform, those that follow, and what they go by."""
    t = ints(length, 1, high=wavenet.A_CHANNELS, seed=seed).astype(np.int32)
    x = np.eye(wavenet.A_CHANNELS, dtype=np.float32)[np.roll(t, 1, axis=0)]
    return x.transpose(2, 0, 1), t, f32(wavenet.CONDITION, length, 1, seed=seed)


def test_waveforms() -> None:
    data = [wave(6, seed) for seed in range(5)]
    iterator = chainer.iterators.SerialIterator(data, 2, repeat=False, shuffle=False)
    chain = WaveLoss()
    with elichika.profile(chain) as calls:
        extensions.Evaluator(iterator, chain)()
        for x, t, condition in (wave(9), wave(4)):
            chain(x[None], t[None], condition[None])
    model = elichika.compile_model(chain, calls)
    agree(chain, model, [one[None] for one in wave(12)], [one[None] for one in wave(1)])


def test_a_waveform_that_is_generated() -> None:
    net = wavenet.build()
    with elichika.profile(net) as calls, chainer.using_config("train", False):
        for length in (3, 5, 4):
            net.synthesize(*wavenet.inputs(length=length))
    model = elichika.compile_model(net, calls, method="synthesize")
    agree(net.synthesize, model, wavenet.inputs(length=7), wavenet.inputs(length=1))


class Language(chainer.Chain):
    """A language model with a state, as in Chainer's PTB example."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.embed = L.EmbedID(20, 4)
            self.lstm = L.LSTM(4, 5)
            self.out = L.Linear(5, 20)

    def reset_state(self) -> None:
        self.lstm.reset_state()

    def forward(self, x: Any) -> Any:
        return self.out(self.lstm(self.embed(x)))


def test_a_copy_that_is_evaluated_as_in_ptb() -> None:
    model = L.Classifier(Language())
    words = ints(21, high=20).astype("i")
    copy_before = chainer.Chain.copy
    with elichika.profile(model) as calls:
        evaluated = model.copy()
        evaluated.predictor.reset_state()
        with chainer.using_config("train", False), chainer.no_backprop_mode():
            for start in range(0, 18, 3):
                evaluated(words[start : start + 3], words[start + 1 : start + 4])
    assert chainer.Chain.copy is copy_before and model.predictor.lstm.h is None
    assert calls.recorded["/predictor", "forward"].count == 6
    compiled = elichika.compile_model(model.predictor, calls, state=True)
    expected = model.predictor.copy()
    for start in range(4):
        x = words[start : start + 3]
        with chainer.using_config("train", False):
            assert difference(expected(x), compiled(x)) is None


class Translator(chainer.Chain):
    """A sequence-to-sequence model whose evaluation calls a method of its own."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.source, self.target = L.EmbedID(30, 6), L.EmbedID(30, 6)
            self.encoder, self.decoder = L.NStepLSTM(1, 6, 6, 0.0), L.NStepLSTM(1, 6, 6, 0.0)
            self.out = L.Linear(6, 30)

    def forward(self, xs: Any, ys: Any) -> Any:
        h, c, _ = self.encoder(None, None, [self.source(x) for x in xs])
        _, _, os = self.decoder(h, c, [self.target(y) for y in ys])
        loss = F.softmax_cross_entropy(self.out(F.concat(os, axis=0)), F.concat(ys, axis=0))
        chainer.report({"loss": loss}, self)
        return loss

    def translate(self, xs: Any, max_length: int = 5) -> Any:
        batch = len(xs)
        h, c, _ = self.encoder(None, None, [self.source(x[::-1]) for x in xs])
        ys, result = np.full(batch, 1, np.int32), []
        for _ in range(max_length):
            embedded = F.split_axis(self.target(ys), batch, 0)
            h, c, states = self.decoder(h, c, embedded)
            ys = self.xp.argmax(self.out(F.concat(states, axis=0)).array, axis=1).astype("i")
            result.append(ys)
        return self.xp.stack(result).T


def test_an_evaluation_by_a_method_as_in_seq2seq() -> None:
    model = Translator()
    data = [
        (ints(n, high=30, seed=n).astype("i"), ints(n + 1, high=30, seed=n).astype("i"))
        for n in (3, 5, 4, 7, 2, 6, 3)
    ]
    with elichika.profile(model) as calls, chainer.using_config("train", False):
        for start in range(0, len(data), 3):
            batch = data[start : start + 3]
            model.translate([x for x, _ in batch], 4 + start)
            model([x for x, _ in batch], [y for _, y in batch])
    compiled = elichika.compile_model(model, calls, method="translate", verify=False)
    assert described(compiled) == "xs list of int32[?]; max_length int"
    agree(model.translate, compiled, ([ints(9, high=30).astype("i")] * 5, 9))
    loss = elichika.compile_model(model, calls, verify=False)
    agree(model, loss, ([ints(9, high=30).astype("i")] * 4, [ints(2, high=30).astype("i")] * 4))


class Spoken(Translator):
    """One that gives a list of ids for each text, up to its end."""

    def translate(self, xs: Any, max_length: int = 10) -> Any:
        outs = []
        with chainer.no_backprop_mode(), chainer.using_config("train", False):
            found = super().translate(xs, max_length)
        for y in found:
            ends = np.argwhere(y == EOS)
            outs.append(y[: ends[0, 0]] if len(ends) > 0 else y)
        return outs


class CalculateBleu(chainer.training.Extension):
    """Translates the test data in batches; a part of the score is enough here."""

    name = "bleu"

    def __init__(self, model: Any, data: Any, batch: int, max_length: int) -> None:
        self.model, self.data, self.batch, self.max_length = model, data, batch, max_length

    def __call__(self, trainer: Any = None) -> float:
        references, hypotheses = [], []
        for start in range(0, len(self.data), self.batch):
            sources, targets = zip(*self.data[start : start + self.batch], strict=True)
            references += [target.tolist() for target in targets]
            found = self.model.translate(list(sources), self.max_length)
            hypotheses += [one.tolist() for one in found]
        return precision(references, hypotheses)


def precision(references: Any, hypotheses: Any) -> float:
    """Return the part of the translated words that their references have."""
    pairs = [(Counter(a), Counter(b)) for a, b in zip(references, hypotheses, strict=True)]
    common = sum(
        ((a & b).total() if hasattr(a, "total") else sum((a & b).values())) for a, b in pairs
    )
    return common / max(1, sum(map(len, hypotheses)))


def test_translations_that_are_scored() -> None:
    data = list(zip(words(3, 5, 4, 7, 2), words(4, 2, 6, 3, 5), strict=True))
    chain = Spoken()
    with elichika.profile(chain) as calls:
        score = CalculateBleu(chain, data, 2, 6)()
        chain.translate(words(4), 9)
    assert 0 <= score <= 1
    model = elichika.compile_model(chain, calls, method="translate")
    assert described(model) == "xs list of int32[?]; max_length int"
    agree(chain.translate, model, (words(9, 2, 3, 4), 12), (words(1), 1))


class SingleShot(chainer.Chain):
    """A detector: scores and boxes at each place of a feature map, the best of which stay."""

    insize = 32

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.features = L.Convolution2D(3, 8, 8, stride=8)
            self.places, self.scores = L.Convolution2D(8, 4, 1), L.Convolution2D(8, 3, 1)

    def forward(self, x: Any) -> Any:
        h = F.relu(self.features(x))
        places, scores = (F.transpose(g(h), (0, 2, 3, 1)) for g in (self.places, self.scores))
        n = len(x)
        return F.reshape(places, (n, -1, 4)), F.reshape(scores, (n, -1, 3))

    def predict(self, imgs: Any) -> Any:
        """Return the boxes, labels and scores of images of any size."""
        x, sizes = [], []
        for img in imgs:
            _, height, width = img.shape
            x.append(F.resize_images(img[None], (self.insize, self.insize)).array[0])
            sizes.append((height, width))
        with chainer.using_config("train", False), chainer.no_backprop_mode():
            all_places, all_scores = self(np.stack(x))
        bboxes, labels, scores = [], [], []
        for place, score, (height, width) in zip(
            all_places.array, all_scores.array, sizes, strict=True
        ):
            probability = F.softmax(score).array
            bbox = np.concatenate([place[:, :2] - 0.5, place[:, 2:] + 0.5], axis=1)
            bbox = bbox * np.array([height, width, height, width], np.float32)
            label = probability[:, 1:].argmax(axis=1).astype(np.int32)
            best = probability[:, 1:].max(axis=1)
            mask = best >= 0.35
            bboxes.append(bbox[mask])
            labels.append(label[mask])
            scores.append(best[mask])
        return bboxes, labels, scores


def test_detections_of_an_iterator() -> None:
    sizes = ((40, 30), (32, 50), (64, 32), (33, 47), (45, 45))
    data = [f32(3, *size, seed=seed) for seed, size in enumerate(sizes)]
    iterator = chainer.iterators.SerialIterator(data, 2, repeat=False, shuffle=False)
    chain = SingleShot()
    with elichika.profile(chain) as calls:
        found = [chain.predict(batch) for batch in iterator]
    assert sum(len(box) for boxes, _, _ in found for box in boxes)
    model = elichika.compile_model(chain, calls, method="predict")
    images = [f32(3, 50, 41, seed=9), f32(3, 35, 70, seed=8), f32(3, 60, 60, seed=7)]
    agree(chain.predict, model, (images,), (images[:1],))
