"""Networks of the package chainercv with random weights that detect: from images to boxes.

`make detectors` installs the package, of which the last release builds on no Python of today.
Its networks are as their authors wrote them; small images and few classes keep them quick here,
and few proposals those whose regions Chainer pools in Python loops.
"""

from __future__ import annotations

from typing import Any

import chainer
import numpy as np

from models import Model
from models.weights import calibrate, seeded

__all__ = [
    "DETECTORS",
    "EXTRACTORS",
    "SEGMENTERS",
    "build_extractor",
    "build_fpn",
    "build_segmenter",
    "build_ssd300",
    "build_vgg_proposals",
    "build_yolo",
    "images",
    "load_chainercv",
]

ALIASES = {"bool": bool, "int": int, "float": float}
"""Names that numpy has no more and chainercv asks for, also when it runs."""

SIZES: tuple[dict[str, Any], ...] = (
    {"sizes": ((120, 160), (200, 150))},
    {"sizes": ((150, 100),), "seed": 2},
    {"sizes": ((100, 120), (90, 130), (133, 150)), "seed": 3},
    {"sizes": ((64, 200), (120, 160)), "seed": 4},
    {"sizes": ((180, 91),), "seed": 5},
)

ALIKE: tuple[dict[str, Any], ...] = (
    {"sizes": ((96, 120), (64, 80)), "seed": 8},
    {"sizes": ((64, 96),), "seed": 4},
    {"sizes": ((128, 160),)},
    {"sizes": ((160, 128), (80, 64)), "seed": 5},
    {"sizes": ((96, 96),), "seed": 9},
)
"""Images that scaled are alike: OpenCV refuses a box in what is added to the smaller of two."""


def load_chainercv() -> Any:
    """Import chainercv."""
    for name, alias in ALIASES.items():
        if name not in vars(np):
            setattr(np, name, alias)
    import chainercv
    import chainercv.experimental.links

    return chainercv


def build_ssd300(n_fg_class: int = 5, seed: int = 0) -> chainer.Chain:
    """Make an SSD300 whose confidences spread: some boxes pass the threshold, most do not."""
    chainercv = load_chainercv()
    with seeded(seed):
        chain = chainercv.links.SSD300(n_fg_class=n_fg_class)
        calibrate(chain, _noise(300, 300))
    chain.use_preset("visualize")
    chain.score_thresh = 0.8
    return chain


def build_yolo(network: str, score_thresh: float, n_fg_class: int = 3) -> chainer.Chain:
    """Make a YOLO whose boxes are of about the size of its anchors."""
    chainercv = load_chainercv()
    makers = {**vars(chainercv.experimental.links), **vars(chainercv.links)}
    with seeded(0):
        chain = makers[network](n_fg_class=n_fg_class)
        size = chain.insize
        calibrate(chain, np.random.uniform(0, 1, (1, 3, size, size)).astype(np.float32))
    heads = [one[-1] for one in chain.subnet] if network == "YOLOv3" else [chain.subnet]
    for head in heads:
        for array in (head.W.array, head.b.array):
            anchors = array.reshape(-1, 5 + n_fg_class, *array.shape[1:])
            anchors[:, :4] *= 0.2
    chain.score_thresh = score_thresh
    return chain


def build_vgg_proposals() -> chainer.Chain:
    """Make a FasterRCNNVGG16."""
    chainercv = load_chainercv()
    with seeded(0):
        chain = chainercv.links.FasterRCNNVGG16(n_fg_class=3, min_size=120, max_size=200)
        calibrate(chain, _noise(128, 160))
    _weaken(chain.rpn.loc, chain.head.cls_loc)
    return chain


def build_fpn(network: str, returned: tuple[str, ...]) -> chainer.Chain:
    """Make a detector on feature pyramids of few proposals, of which each has a chance."""
    chainercv = load_chainercv()
    masks = "masks" in returned
    with seeded(0):
        make = getattr(chainercv.links, network)
        min_size, max_size = (128, 192) if masks else (120, 200)
        chain = make(
            n_fg_class=3, min_size=min_size, max_size=max_size, return_values=list(returned)
        )
        chain.rpn._test_nms_limit_post = 1
        chain.score_thresh = 0.0
        calibrate(chain, _noise(128, 160))
        with chainer.using_config("train", False):
            chain.predict(*images(((120, 160),)))  # sets the sizes of the heads' weights
    chain.rpn._test_nms_limit_post = 8
    _weaken(chain.rpn.loc, chain.bbox_head.loc)
    chain.bbox_head.conf.W.array[...] *= 3
    chain.score_thresh = 0.4
    if masks:
        chain.rpn.loc.b.array.reshape(-1, 4)[:, 2:] += 0.8  # boxes large enough for a mask
        chain.score_thresh, chain.nms_thresh = 0.35, 0.3
    return chain


def build_segmenter(network: str, **options: Any) -> chainer.Chain:
    """Make a network that labels each pixel."""
    chainercv = load_chainercv()
    makers = {**vars(chainercv.experimental.links), **vars(chainercv.links)}
    with seeded(0):
        chain = makers[network](n_class=11, **options)
        calibrate(chain, _noise(97, 97))
    return chain


def build_extractor(
    network: str, pick: tuple[str, ...], crop: str = "center", **options: Any
) -> chainer.Chain:
    """Make a FeaturePredictor: images are scaled to a shorter edge of 72 and cropped to 64x64."""
    chainercv = load_chainercv()
    mean = np.full((3, 1, 1), 120, np.float32)
    contrasts = np.array([0.3, 0.7, 1.0, 1.4], np.float32)[:, None, None, None]
    with seeded(0):
        extractor = getattr(chainercv.links, network)(n_class=10, mean=mean, **options)
        calibrate(extractor, _noise(64, 64) * contrasts)
    extractor.pick = pick
    return chainercv.links.FeaturePredictor(extractor, crop_size=64, scale_size=72, crop=crop)


def images(sizes: tuple[tuple[int, int], ...], seed: int = 1) -> tuple[list[np.ndarray]]:
    """Example inputs of `predict`: a list of float32[3, height, width] between 0 and 255."""
    random = np.random.RandomState(seed)
    return ([random.uniform(0, 255, (3, *size)).astype(np.float32) for size in sizes],)


def _noise(height: int, width: int) -> np.ndarray:
    noise: np.ndarray = np.random.normal(0, 60, (1, 3, height, width)).astype(np.float32)
    return noise


def _weaken(*links: chainer.Link) -> None:
    """Let boxes stay near the anchors that they are moved from."""
    for link in links:
        for array in (link.W.array, link.b.array):
            array[...] *= 0.1


def _predicting(
    name: str,
    factory: str,
    flips: float = 0.0,
    loosened: float = 1.0,
    sizes: tuple[dict[str, Any], ...] = SIZES,
    **arguments: Any,
) -> Model:
    return Model(
        name,
        "models.detectors",
        sizes,
        arguments,
        method="predict",
        factory=factory,
        examples="images",
        loosened=loosened,
        flips=flips,
    )


DETECTORS = (
    _predicting("SSD300", "build_ssd300"),
    _predicting("YOLOv2", "build_yolo", network="YOLOv2", score_thresh=0.8),
    _predicting("YOLOv2 tiny", "build_yolo", network="YOLOv2Tiny", score_thresh=0.82),
    _predicting("YOLOv3", "build_yolo", network="YOLOv3", score_thresh=0.75),
    _predicting("Faster R-CNN, VGG16", "build_vgg_proposals"),
    # Images changed by two ulp change the scores that Chainer itself gives by up to 6e-5.
    _predicting(
        "Faster R-CNN, FPN, ResNet50",
        "build_fpn",
        loosened=5.0,
        network="FasterRCNNFPNResNet50",
        returned=("bboxes", "labels", "scores"),
    ),
    # A pixel of a mask is where a float passes 0.5.
    _predicting(
        "Mask R-CNN, FPN, ResNet50",
        "build_fpn",
        loosened=5.0,
        flips=1e-3,
        sizes=ALIKE,
        network="MaskRCNNFPNResNet50",
        returned=("bboxes", "labels", "scores", "masks"),
    ),
)

SEGMENTERS = (
    # Which of two nearly equal values a window of a pooling holds decides where it is unpooled to:
    # images changed by one ulp change up to 0.2 % of the labels that Chainer itself gives.
    _predicting("SegNet", "build_segmenter", 3e-3, network="SegNetBasic"),
    _predicting(
        "PSPNet, ResNet50", "build_segmenter", 1e-3, network="PSPNetResNet50", input_size=(97, 97)
    ),
    _predicting(
        "DeepLabV3+, Xception65",
        "build_segmenter",
        1e-3,
        network="DeepLabV3plusXception65",
        min_input_size=(97, 97),
    ),
)

SCALED = (SIZES[0], {"sizes": ((72, 100), (90, 72), (64, 72)), "seed": 6}, *SIZES[1:])
"""With images that need no scaling, or are enlarged."""

EXTRACTORS = (
    _predicting(
        "VGG16, features",
        "build_extractor",
        sizes=SCALED,
        network="VGG16",
        pick=("conv5_3", "fc7"),
    ),
    # Images changed by one ulp change what Chainer itself gives by up to 2e-4 here and below.
    _predicting(
        "ResNet50, features",
        "build_extractor",
        loosened=5.0,
        sizes=SCALED,
        network="ResNet50",
        pick=("res3", "fc6"),
        arch="he",
    ),
    _predicting(
        "SE-ResNet50, features of ten crops",
        "build_extractor",
        loosened=5.0,
        sizes=SCALED,
        network="SEResNet50",
        pick=("pool5", "prob"),
        crop="10",
    ),
)
