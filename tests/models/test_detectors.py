"""Detectors of chainercv, from a list of images to boxes, labels and scores, as one graph.

`make detectors` installs chainercv and runs these. The random weights are scaled such that boxes
pass the threshold and some suppress others; a test holds that of each detector.
"""

from __future__ import annotations

import copy
import importlib
import importlib.util
from typing import Any

import chainer
import numpy as np
import pytest

import elichika
from models import Model
from models.detectors import (
    DETECTORS,
    EXTRACTORS,
    SEGMENTERS,
    SIZES,
    build_ssd300,
    images,
    load_chainercv,
)
from tests.models.parity import assert_same, eager

pytestmark = [
    pytest.mark.detectors,
    pytest.mark.skipif(
        importlib.util.find_spec("chainercv") is None, reason="`make detectors` installs chainercv"
    ),
    pytest.mark.filterwarnings("ignore"),
]


class Resize(chainer.Chain):
    def __init__(self):
        super().__init__()
        self.resize = load_chainercv().transforms.resize

    def forward(self, img, height, width):
        return self.resize(img, (height, width)), self.resize(img, (30, 40))


class Filtered(Resize):
    def forward(self, img, height, width):
        return [self.resize(img, (height, width), number) for number in (0, 1, 3)]


class Suppression(chainer.Chain):
    def __init__(self, limit):
        super().__init__()
        self.limit = limit
        self.suppress = load_chainercv().utils.non_maximum_suppression

    def forward(self, bbox, score):
        return self.suppress(bbox, 0.45, score, self.limit), self.suppress(bbox, 0.3)


RESIZED = [
    ((40, 50), (30, 30)),
    ((30, 40), (30, 40)),
    ((64, 48), (31, 17)),
    ((1, 1), (5, 7)),
    ((9, 7), (1, 1)),
    ((2, 300), (3, 100)),
    ((480, 640), (600, 800)),
]


def test_filters_of_pillow() -> None:
    (img,) = images(((40, 50),))[0]
    axes = {"img": {1: "height", 2: "width"}}
    with chainer.using_config("cv_resize_backend", "PIL"):
        model = elichika.compile_model(Filtered(), (img, 30, 30), dynamic_axes=axes, verify=False)
        for size, to in RESIZED:
            (img,) = images((size,))[0]
            for one, other in zip(Filtered()(img, *to), model(img, *to), strict=True):
                np.testing.assert_allclose(one, other, rtol=0, atol=1e-6 * 255)


@pytest.mark.parametrize("backend", ["PIL", "cv2"])
def test_resize_is_that_of_the_backend(backend: str) -> None:
    (img,) = images(((40, 50),))[0]
    with chainer.using_config("cv_resize_backend", backend):
        model = elichika.compile_model(
            Resize(), (img, 30, 30), dynamic_axes={"img": {1: "height", 2: "width"}}, verify=False
        )
        for size, to in RESIZED:
            (img,) = images((size,))[0]
            expected, actual = Resize()(img, *to), model(img, *to)
            for one, other in zip(expected, actual, strict=True):
                np.testing.assert_allclose(one, other, rtol=0, atol=1e-6 * 255)
        with pytest.raises(elichika.ModelRuntimeError, match="to a height and width of at least 1"):
            model(img, 0, 7)
        for empty in (img[:, :0], img[:, :, :0]):
            with pytest.raises(elichika.ModelRuntimeError, match="from a height and width of"):
                model(empty, 3, 3)


def test_opencv_resizes_so_many_channels() -> None:
    cv2 = importlib.import_module("cv2")
    chain, img = Resize(), np.random.RandomState(0).rand(512, 3, 4).astype(np.float32)
    with chainer.using_config("cv_resize_backend", "cv2"):
        axes = {"img": {0: "channels"}}
        model = elichika.compile_model(chain, (img, 3, 5), dynamic_axes=axes, verify=False)
        for one, other in zip(chain(img, 6, 2), model(img, 6, 2), strict=True):
            np.testing.assert_allclose(one, other, rtol=0, atol=1e-6)
        more = np.concatenate([img, img[:1]])
        with pytest.raises(cv2.error):
            chain(more, 6, 2)
        with pytest.raises(elichika.ModelRuntimeError, match="at most 512 channels"):
            model(more, 6, 2)


def boxes(random: Any, count: int, dtype: Any, kind: int) -> tuple[np.ndarray, np.ndarray]:
    """Random boxes: at random places, on a grid (equal overlaps), or some turned inside out."""
    corner, size = random.uniform(0, 10, (count, 2)), random.uniform(0, 6, (count, 2))
    if kind == 1:
        corner, size = corner.round(), size.round()
    if kind == 2:
        size -= 1
    score = random.uniform(0, 1, count).astype(np.float32)
    return np.hstack([corner, corner + size]).astype(dtype), score


@pytest.mark.parametrize("limit", [None, 1, 5])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_suppression_is_that_of_the_numpy_code(dtype: Any, limit: int | None) -> None:
    random, chain = np.random.RandomState(0), Suppression(limit)
    model = elichika.compile_model(
        chain,
        boxes(random, 10, dtype, 0),
        dynamic_axes={"bbox": {0: "n"}, "score": {0: "n"}},
        verify=False,
    )
    suppressed = 0
    for turn in range(45):
        inputs = boxes(random, turn, dtype, turn % 3)
        expected = chain(*inputs)
        assert_same(expected, model(*inputs))
        suppressed += turn - len(expected[1])
    assert suppressed > 100


def test_boxes_of_equal_scores_keep_their_order() -> None:
    random, chain = np.random.RandomState(0), Suppression(None)
    bbox, _ = boxes(random, 12, np.float32, 0)
    model = elichika.compile_model(
        chain,
        (bbox, np.zeros(12, np.float32)),
        dynamic_axes={"bbox": {0: "n"}, "score": {0: "n"}},
        verify=False,
    )
    for count in (0, 1, 7, 16):  # up to 16 items numpy's default sort is stable
        bbox, score = boxes(random, count, np.float32, 1)
        assert_same(chain(bbox, score.round(1)), model(bbox, score.round(1)))


@pytest.mark.parametrize("model", [*DETECTORS, *SEGMENTERS, *EXTRACTORS], ids=lambda m: m.name)
def test_one_file_is_right_on_other_images(model: Model) -> None:
    chain = model.build()
    compiled = elichika.compile_model(chain, model.inputs(), method="predict", verify=False)
    for sizes in model.sizes[1:3]:
        inputs = model.inputs(**sizes)
        expected = predict(chain, inputs)
        assert_same(expected, compiled(*inputs), loosened=model.loosened, flips=model.flips)


@pytest.mark.parametrize("model", DETECTORS, ids=lambda model: model.name)
def test_boxes_pass_the_threshold_and_suppress_others(model: Model) -> None:
    chain = model.build()
    limit = chain.nms_thresh
    for sizes in (model.sizes[2], model.sizes[4]):  # a pyramid has few boxes that lie on others
        inputs = model.inputs(**sizes)
        chain.nms_thresh = limit
        found = sum(len(boxes) for boxes in predict(chain, inputs)[0])
        assert found > 3
        chain.nms_thresh = 1.0
        if sum(len(boxes) for boxes in predict(chain, inputs)[0]) > found:
            return
    raise AssertionError("nothing is suppressed")


class Around(chainer.Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.net = EXTRACTORS[0].build()

    def forward(self, imgs):
        return self.net.predict(imgs)[1], imgs[0]


def test_an_image_that_is_changed_in_place_is_not_taken_for_unchanged() -> None:
    (imgs,) = images(((72, 90), (100, 72)))
    chain = Around()
    given = [img.copy() for img in imgs]
    eager(chain, given)
    assert not np.array_equal(given[0], imgs[0])  # nothing had to be scaled or copied
    with pytest.raises(elichika.StagingError, match="this write changes an array"):
        elichika.compile_model(chain, (imgs,), verify=False)


def predict(chain: chainer.Chain, inputs: Any) -> Any:
    with chainer.using_config("train", False), chainer.no_backprop_mode():
        return chain.predict(*copy.deepcopy(inputs))


def test_the_network_alone_is_right_at_every_batch() -> None:
    chain = build_ssd300()
    x = np.random.RandomState(0).normal(0, 60, (3, 3, 300, 300)).astype(np.float32)
    model = elichika.compile_model(chain, x[:2], dynamic_axes={"x": {0: "batch"}}, verify=False)
    for batch in (1, 3):
        assert_same(eager(chain, x[:batch]), model(x[:batch]))


def test_an_evaluation_that_is_recorded() -> None:
    """That of chainercv's example on PASCAL VOC, on images and boxes that are made up."""
    chainercv = load_chainercv()
    chain = build_ssd300()
    made = images(((120, 160), (200, 150), (90, 130)))[0]
    truth = np.array([[20, 20, 80, 90], [5, 30, 60, 70]], np.float32), np.array([1, 3], np.int32)
    data = [(img, *truth) for img in made]
    iterator = chainer.iterators.SerialIterator(data, 2, repeat=False, shuffle=False)
    with elichika.profile(chain) as calls, chainer.using_config("train", False):
        evaluate = chainercv.extensions.DetectionVOCEvaluator(
            iterator, chain, use_07_metric=True, label_names=list("abcde")
        )
        assert "main/map" in evaluate()
    assert calls.recorded["/", "predict"].count == 2
    model = elichika.compile_model(chain, calls, method="predict", verify=False)
    verified = model.verify(derive=False)
    assert "the example" in verified.agreed
    for other in (images(**SIZES[1]), images(**SIZES[3])):
        with chainer.using_config("train", False):
            assert_same(chain.predict(*other), model(*other))
