"""Networks of the package chainercv2, of all families that classify, segment, pose and detect."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import chainer

from models.images import images
from models.weights import calibrate, seeded


@dataclass(frozen=True)
class Network:
    """A network, the image size it is compiled for, and another one that it may take."""

    name: str
    family: str
    size: tuple[int, int] = (224, 224)
    second_size: tuple[int, int] = (256, 288)
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def loosened(self) -> float:
        """How much wider the tolerance of floats is than usual."""
        return LOOSENED.get(self.name, 1.0)

    def build(self) -> chainer.Chain:
        """Make the network with random weights, its statistics set on data."""
        with warnings.catch_warnings(), seeded(0):
            warnings.simplefilter("ignore")
            from chainercv2.model_provider import get_model

            chain = get_model(self.name, **self.options)
            calibrate(chain, images(4, *self.size))
        return chain


# onnxruntime's float32 Sigmoid is coarser than numpy's: with these weights its logits are 3e-5
# from those computed in float64, Chainer's 1e-5, and up to 1.5e-4 apart on a single image.
LOOSENED = {"efficientnet_b0": 3.0, "efficientnet_b0b": 3.0, "efficientnet_b0c": 3.0}


def group(
    families: Mapping[str, str],
    size: tuple[int, int],
    second_size: tuple[int, int],
    *,
    sized: bool = False,
    **options: Any,
) -> tuple[Network, ...]:
    """Make the networks named for each family; `sized` ones are told the size that they get."""
    if sized:
        options["in_size"] = size
    return tuple(
        Network(name, family, size, second_size, options)
        for family, names in families.items()
        for name in names.split()
    )


SMALL = {
    "nin_cifar": "nin_cifar10 nin_cifar100 nin_svhn",
    "resnet_cifar": "resnet20_cifar10 resnet20_cifar100 resnet56_svhn",
    "preresnet_cifar": "preresnet20_cifar10 preresnet20_svhn",
    "resnext_cifar": "resnext20_16x4d_cifar10",
    "seresnet_cifar": "seresnet20_cifar10 seresnet20_cifar100",
    "sepreresnet_cifar": "sepreresnet20_cifar10 sepreresnet20_svhn",
    "densenet_cifar": "densenet40_k12_cifar10 densenet40_k12_bc_cifar10",
    "xdensenet_cifar": "xdensenet40_2_k24_bc_cifar10",
    "ror_cifar": "ror3_56_cifar10",
    "rir_cifar": "rir_cifar10",
    "resdropresnet_cifar": "resdropresnet20_cifar10",
    "shakeshakeresnet_cifar": "shakeshakeresnet20_2x16d_cifar10",
    "shakedropresnet_cifar": "shakedropresnet20_cifar10",
    "diaresnet_cifar": "diaresnet20_cifar10",
    "diapreresnet_cifar": "diapreresnet20_cifar10",
    "wrn_cifar": "wrn16_10_cifar10",
    "wrn1bit_cifar": "wrn20_10_1bit_cifar10",
    "pyramidnet_cifar": "pyramidnet110_a48_cifar10",
}
USUAL = {
    "mobilenet": "mobilenet_wd4",
    "mobilenetb": "mobilenetb_wd4",
    "fdmobilenet": "fdmobilenet_wd4",
    "mobilenetv2": "mobilenetv2_wd4 mobilenetv2b_wd4",
    "mobilenetv3": "mobilenetv3_small_w7d20 mobilenetv3_large_w7d20",
    "igcv3": "igcv3_wd4",
    "mnasnet": "mnasnet_small",
    "shufflenet": "shufflenet_g3_wd4 shufflenet_g1_wd4",
    "shufflenetv2": "shufflenetv2_wd2",
    "shufflenetv2b": "shufflenetv2b_wd2",
    "squeezenet": "squeezenet_v1_1 squeezeresnet_v1_1 squeezenet_v1_0",
    "darknet": "darknet_tiny darknet_ref",
    "dicenet": "dicenet_wd5 dicenet_wd2",
    "espnetv2": "espnetv2_wd2",
    "menet": "menet108_8x1_g3",
    "squeezenext": "sqnxt23_w1 sqnxt23v5_w1",
    "regnet": "regnetx002 regnety002",
    "ghostnet": "ghostnet",
    "spnasnet": "spnasnet",
    "proxylessnas": "proxylessnas_cpu",
    "fbnet": "fbnet_cb",
    "mixnet": "mixnet_s",
    "dla": "dla46c dla46xc dla34",
    "peleenet": "peleenet",
    "hardnet": "hardnet39ds",
    "efficientnet": "efficientnet_b0 efficientnet_b0b efficientnet_b0c",
    "resnet": "resnet10 resnet12 resnet18_wd4",
    "preresnet": "preresnet10 preresnet18_wd4",
    "seresnet": "seresnet10",
    "sepreresnet": "sepreresnet10",
    "resneta": "resneta10",
    "octresnet": "octresnet10_ad2",
    "bamresnet": "bam_resnet18",
    "cbamresnet": "cbam_resnet18",
    "diaresnet": "diaresnet10",
    "diapreresnet": "diapreresnet10",
    "senet": "senet16",
    "resnesta": "resnestabc14",
    "resnext": "resnext14_16x4d",
    "sharesnet": "sharesnet18",
    "diracnetv2": "diracnet18v2",
    "drn": "drnd22",
    "vovnet": "vovnet27s",
    "selecsls": "selecsls42",
    "xdensenet": "xdensenet121_2",
    "densenet": "densenet121",
    "condensenet": "condensenet74_c4_g4",
    "sparsenet": "sparsenet121",
    "channelnet": "channelnet",
    "bagnet": "bagnet9",
    "resnet_cub": "resnet10_cub",
    "seresnet_cub": "seresnet10_cub",
    "mobilenet_cub": "mobilenet_wd4_cub fdmobilenet_wd4_cub",
    "proxylessnas_cub": "proxylessnas_cpu_cub",
    "seresnext": "seresnext50_32x4d",
    "airnet": "airnet50_1x64d_r2",
    "airnext": "airnext50_32x4d_r2",
    "sknet": "sknet50",
    "scnet": "scnet50",
    "resnetd": "resnetd50b",
    "resattnet": "resattnet56",
    "dpn": "dpn68",
    "bninception": "bninception",
    "hrnet": "hrnet_w18_small_v1",
    "fishnet": "fishnet99",
    "darknet53": "darknet53",
    "efficientnetedge": "efficientnet_edge_small_b",
    "darts": "darts",
    "nasnet": "nasnet_4a1056",
    "alexnet": "alexnet",
    "zfnet": "zfnet",
}
# Only sizes from 299 to 330 leave the map of 8x8 that the last pooling window covers.
INCEPTION = {
    "xception": "xception",
    "inceptionv3": "inceptionv3",
    "inceptionv4": "inceptionv4",
}
SEGMENTING = {
    "fcn8sd": "fcn8sd_resnetd50b_voc",
    "pspnet": "pspnet_resnetd50b_voc",
    "deeplabv3": "deeplabv3_resnetd50b_voc",
    "danet": "danet_resnetd50b_cityscapes",
}
STREETS = {
    "cgnet": "cgnet_cityscapes",
    "dabnet": "dabnet_cityscapes",
    "fpenet": "fpenet_cityscapes",
    "lednet": "lednet_cityscapes",
    "sinet": "sinet_cityscapes",
}
# At 1/32 of the size it pools to 6x6.
POOLED = {"fastscnn": "fastscnn_cityscapes"}
POSING = {
    "simpleposemobile_coco": "simplepose_mobile_mobilenetv3_small_w1_coco",
    "simplepose_coco": "simplepose_resnet18_coco",
    "lwopenpose_cmupan": "lwopenpose2d_mobilenet_cmupan_coco lwopenpose3d_mobilenet_cmupan_coco",
    "alphapose_coco": "alphapose_fastseresnet101b_coco",
}

NETWORKS = (
    *group(SMALL, (32, 32), (40, 48)),
    *group(USUAL, (224, 224), (256, 288)),
    *group(INCEPTION, (299, 299), (300, 320)),
    *group(SEGMENTING, (96, 96), (128, 96), sized=True, fixed_size=False),
    *group(STREETS, (128, 128), (192, 128), sized=True, fixed_size=False),
    *group(POOLED, (192, 192), (192, 256), sized=True, fixed_size=False),
    *group(POSING, (128, 96), (160, 128), sized=True),
    *group({"ibppose_coco": "ibppose_coco"}, (128, 128), (192, 128), sized=True),
    *group({"centernet": "centernet_resnet18_voc"}, (128, 128), (192, 128), sized=True),
    *group({"lffd": "lffd20x5s320v2_widerface"}, (160, 160), (128, 192), sized=True),
    *group(
        {"icnet": "icnet_resnetd50b_cityscapes"},
        (192, 192),
        (192, 256),
        sized=True,
        fixed_size=False,
    ),
    *group({"bisenet": "bisenet_resnet18_celebamaskhq"}, (128, 128), (192, 128), sized=True),
)

HANDFUL = ("seresnet10", "mobilenetv3_small_w7d20", "shufflenet_g3_wd4", "squeezenet_v1_1")
"""The networks that `make test` compares as well."""
