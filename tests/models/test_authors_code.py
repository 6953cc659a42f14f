"""Speech recognition of ESPnet and the grouping of OpenPose, as their authors wrote them.

`make packages` installs espnet and chainer-openpose and runs these: each is compiled once and
compared on at least four inputs of other lengths. ESPnet's other backend and its commands need
torch and more; nothing of them runs here, so their modules are empty.
"""

from __future__ import annotations

import importlib.util
import sys
import types
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import chainer
import numpy as np
import pytest
from scipy import ndimage

import elichika
from models.weights import seeded
from tests.models.packages import Entry
from tests.models.parity import assert_same, eager


def _has(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


pytestmark = [
    pytest.mark.packages,
    pytest.mark.skipif(
        not (_has("espnet") and _has("chainer_openpose")), reason="`make packages` installs them"
    ),
    pytest.mark.filterwarnings("ignore"),
]
UNUSED = (
    "torch",
    "espnet.nets.pytorch_backend",
    "espnet.nets.pytorch_backend.e2e_asr",
    "espnet.nets.pytorch_backend.nets_utils",
    "espnet.nets.pytorch_backend.transformer",
    "espnet.nets.pytorch_backend.transformer.plot",
    "espnet.bin.asr_train",
    "espnet.utils.fill_missing_args",
    "matplotlib",
    "matplotlib.pyplot",
)


class Empty(types.ModuleType):
    """A module of which every name is a class."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})


@contextmanager
def without_other_backends() -> Iterator[None]:
    """Let modules that nothing here needs be empty."""
    with pytest.MonkeyPatch.context() as patch:
        for name in UNUSED:
            module = Empty(name)
            module.__path__ = []
            patch.setitem(sys.modules, name, module)
        utilities: Any = sys.modules["espnet.nets.pytorch_backend.nets_utils"]
        utilities.get_subsample = lambda args, mode, arch: np.array([1, 2, 1])
        yield


@pytest.fixture(scope="module", autouse=True)
def _alone() -> Iterator[None]:
    with without_other_backends():
        yield


def compare(
    chain: chainer.Chain, inputs: list[Any], axes: Any = None, before: Callable[[], Any] = list
) -> list[Any]:
    """Compile for the first inputs, compare on all; return what eager Chainer gives."""
    before()
    model = elichika.compile_model(chain, inputs[0], dynamic_axes=axes, verify=False)
    found = []
    for given in inputs:
        before()
        found.append(eager(chain, *given))
        assert_same(found[-1], model(*given), f"lengths {[len(x) for x in given]}")
    return found


def utterances(*lengths: int, seed: int, width: int = 8) -> tuple[list[np.ndarray], np.ndarray]:
    random = np.random.RandomState(seed)
    xs = [random.randn(length, width).astype("f") for length in lengths]
    return xs, np.array(lengths, "i")


def texts(*lengths: int, seed: int) -> list[np.ndarray]:
    random = np.random.RandomState(seed)
    return [random.randint(0, 7, length).astype("i") for length in lengths]


SPOKEN = [
    (utterances(9, 8, 5, seed=0), texts(2, 1, 1, seed=0)),
    (utterances(12, 4, seed=1), texts(3, 1, seed=1)),
    (utterances(7, seed=2), texts(1, seed=2)),
    (utterances(6, 6, 6, 5, seed=3), texts(1, 2, 1, 1, seed=3)),
    (utterances(20, 19, seed=4), texts(5, 4, seed=4)),
]
LENGTHS = {"ilens": {0: "batch"}}
USUAL: dict[str, Any] = {
    "aconv_chans": 3,
    "aconv_filts": 2,
    "adim": 4,
    "atype": "location",
    "char_list": list("abcdefgh"),
    "ctc_type": "builtin",
    "dlayers": 2,
    "dropout_rate": 0.0,
    "dtype": "lstm",
    "dunits": 7,
    "elayers": 2,
    "eprojs": 5,
    "etype": "blstmp",
    "eunits": 6,
    "lsm_type": "",
    "lsm_weight": 0.0,
    "mtlalpha": 0.5,
    "outdir": "",
    "sampling_probability": 0.0,
    "train_json": None,
    "verbose": 0,
}


def recogniser(**changed: Any) -> Any:
    from espnet.nets.chainer_backend.e2e_asr import E2E

    with seeded(0):
        chain = E2E(8, 8, Namespace(**{**USUAL, **changed}))
        spread(chain, 0.7)
    return chain


def spread(chain: chainer.Chain, scale: float) -> None:
    """Draw all weights anew: as they are initialised the outputs hardly differ."""
    for parameter in chain.params():
        if parameter.array is not None:
            parameter.array[...] = np.random.randn(*parameter.shape) * scale


class Part(chainer.Chain):
    """Something that a user does with a model."""

    def __init__(self, model: chainer.Chain) -> None:
        super().__init__()
        with self.init_scope():
            self.model = model


class Encoded(Part):
    def forward(self, xs: Any, ilens: Any) -> Any:
        return self.model.enc(xs, ilens)


class CTC(Part):
    def forward(self, xs: Any, ilens: Any, ys: Any) -> Any:
        hs, ilens = self.model.enc(xs, ilens)
        return self.model.ctc(hs, ys), self.model.ctc.log_softmax(hs)


class Attentions(Part):
    def forward(self, xs: Any, ilens: Any, ys: Any) -> Any:
        return self.model.calculate_all_attentions(xs, ilens, ys)


class Recognised(Part):
    """The beam search, which searches again where it found nothing that is long enough."""

    def forward(self, x: Any) -> Any:
        searched = Namespace(
            beam_size=3, penalty=0.1, ctc_weight=0.0, maxlenratio=0.0, minlenratio=0.0, nbest=2
        )
        return self.model.recognize(x, searched, list("abcdefgh"))


class AttendedAnew(Attentions):
    def forward(self, xs: Any, ilens: Any, ys: Any) -> Any:
        self.model.att.reset()
        return super().forward(xs, ilens, ys)


ENCODERS = ("blstmp", "vggblstm", "lstm", "vggbgrup")


@pytest.mark.parametrize("etype", ENCODERS)
def test_encoders(etype: str) -> None:
    compare(Encoded(recogniser(etype=etype)), [spoken for spoken, _ in SPOKEN], LENGTHS)


def test_ctc() -> None:
    inputs = [(*spoken, ys) for spoken, ys in SPOKEN]
    losses = [float(loss.array) for loss, _ in compare(CTC(recogniser()), inputs, LENGTHS)]
    assert all(0.1 < loss < 100 for loss in losses)


@pytest.mark.parametrize(("atype", "dtype"), [("location", "lstm"), ("dot", "gru")])
def test_attention(atype: str, dtype: str) -> None:
    chain = recogniser(atype=atype, dtype=dtype, mtlalpha=0.0)
    inputs = [(*spoken, ys) for spoken, ys in SPOKEN]
    compare(Attentions(chain), inputs, LENGTHS, before=chain.att.reset)


def transformer() -> Any:
    from espnet.nets.chainer_backend.e2e_asr_transformer import E2E

    options = {
        "aheads": 2,
        "dlayers": 2,
        "dunits": 12,
        "eunits": 12,
        "lsm_weight": 0.1,
        "mtlalpha": 0.0,
        "report_cer": False,
        "report_wer": False,
        "sym_blank": "_",
        "sym_space": " ",
        "transformer_attn_dropout_rate": 0.0,
        "transformer_init": "pytorch",
        "transformer_input_layer": "conv2d",
        "transformer_length_normalized_loss": False,
        "transformer_lr": 1.0,
        "transformer_warmup_steps": 1,
    }
    with seeded(0):
        chain = E2E(16, 8, Namespace(**{**USUAL, **options, "adim": 8}))
        spread(chain, 0.4)
    return chain


class Loss(Part):
    def forward(self, xs: Any, ilens: Any, ys: Any) -> Any:
        return self.model(xs, ilens, ys), self.model.encoder(xs, ilens)


def padded(*lengths: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    xs, ilens = utterances(*lengths, seed=seed, width=16)
    together = np.zeros((len(xs), max(lengths), 16), "f")
    for row, x in zip(together, xs, strict=True):
        row[: len(x)] = x
    return together, ilens


PADDED = [
    (*padded(20, 17, seed=0), texts(2, 3, seed=0)),
    (*padded(30, 11, 12, seed=1), texts(4, 1, 2, seed=1)),
    (*padded(15, seed=2), texts(2, seed=2)),
    (*padded(40, 40, seed=3), texts(7, 7, seed=3)),
    (*padded(13, 12, 11, 20, seed=4), texts(1, 1, 1, 1, seed=4)),
]
PADDED_AXES = {"xs": {0: "batch", 1: "time"}, **LENGTHS}


def test_transformer() -> None:
    compare(Loss(transformer()), PADDED, PADDED_AXES)


def speech() -> Iterator[Entry]:
    """Entry points of ESPnet, for the table of packages."""
    of_speech, heard = partial(Entry, "ESPnet"), [(*spoken, ys) for spoken, ys in SPOKEN]

    def asked(kind: type[Part], **options: Any) -> Callable[[], chainer.Chain]:
        return lambda: kind(recogniser(**options))

    for etype in ENCODERS:
        spoken = [one for one, _ in SPOKEN]
        yield of_speech(f"encoder `{etype}`", asked(Encoded, etype=etype), spoken, LENGTHS)
    yield of_speech("CTC", asked(CTC), heard, LENGTHS)
    for atype, dtype in (("location", "lstm"), ("dot", "gru")):
        made = asked(AttendedAnew, atype=atype, dtype=dtype, mtlalpha=0.0)
        yield of_speech(f"attention `{atype}`, `{dtype}`", made, heard, LENGTHS)
    yield of_speech("Transformer, loss", lambda: Loss(transformer()), PADDED, PADDED_AXES)
    yield of_speech(
        "`recognize`, the beam search",
        asked(Recognised, mtlalpha=0.0),
        [(spoken[0][0],) for spoken, _ in SPOKEN],
        {"x": {0: "time"}},
        refused="takes more than 60 seconds",
        seconds=60.0,
    )


SPEECH = tuple(speech())


def pose_detector(folder: Path) -> Any:
    """Load one file of chainer-openpose: the package asks for modules that are of no use here.

    numpy takes a tuple of indices where 2018's took a list, in two lines.
    """
    spec = importlib.util.find_spec("chainer_openpose")
    assert spec is not None and spec.submodule_search_locations is not None
    path = Path(spec.submodule_search_locations[0]) / "pose_detector.py"
    text = path.read_text()
    index = "np.hsplit(integ_points, 2)"
    assert text.count(f"[{index}]") == 2
    own = types.ModuleType("pose_detector")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("cv2", "scipy.ndimage.filters"):
            patch.setitem(sys.modules, name, Empty(name))
        other = folder / path.name
        other.write_text(text.replace(f"[{index}]", f"[tuple({index})]"))
        exec(compile(other.read_text(), str(other), "exec"), vars(own))
    vars(own)["gaussian_filter"] = ndimage.gaussian_filter
    return own.PoseDetector


class Grouped(chainer.Chain):
    def __init__(self, folder: Path) -> None:
        super().__init__()
        cls = pose_detector(folder)
        self.detector = cls.__new__(cls)  # its own way loads a network and asks for OpenCV
        vars(self.detector).update(
            joint_type=list(range(4)),
            joint_pairs=[(0, 1), (1, 2), (2, 3)],
            n_integ_points=5,
            n_integ_points_thresh=3,
            inner_product_thresh=0.05,
            length_penalty_ratio=0.5,
            length_penalty_value=1,
            n_subset_limbs_thresh=2,
            subset_score_thresh=0.1,
        )

    def forward(self, pafs: Any, peaks: Any) -> Any:
        connections = self.detector.compute_connections(pafs, peaks, 20)
        return connections, self.detector.grouping_key_points(connections, peaks)


def peaks(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Fields of direction, and joints at whole places in order of their kind."""
    random = np.random.RandomState(seed)
    kinds = np.sort(random.randint(0, 4, count)).astype("d")
    places = [random.randint(0, 14, count), random.randint(0, 12, count)]
    found = np.stack([kinds, *places, random.rand(count), np.arange(count)], 1)
    return random.rand(6, 12, 14), found


def test_joints_are_connected_and_grouped(tmp_path: Path) -> None:
    inputs = [peaks(*one) for one in ((8, 0), (5, 1), (12, 2), (1, 3), (20, 4), (0, 5))]
    found = compare(Grouped(tmp_path), inputs, {"peaks": {0: "count"}})
    assert len({len(people) for _, people in found}) > 2


BODY = (
    *((1, 8), (8, 9), (9, 10), (1, 11), (11, 12), (12, 13), (1, 2), (2, 3), (3, 4), (2, 16)),
    *((1, 5), (5, 6), (6, 7), (5, 17), (1, 0), (0, 14), (0, 15), (14, 16), (15, 17)),
)


class Poses(Grouped):
    """All that OpenPose does behind its network, with the joints and limbs of its models."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        vars(self.detector).update(
            joint_type=list(range(18)),
            joint_pairs=BODY,
            gaussian_sigma=1.5,
            heatmap_peak_thresh=0.05,
        )

    def forward(self, heatmaps: Any, pafs: Any) -> Any:
        peaks = self.detector.compute_peaks_from_heatmaps(heatmaps)
        if len(peaks) == 0:
            return np.empty((0, 3)), np.empty(0), peaks
        connections = self.detector.compute_connections(pafs, peaks, 30)
        subsets = self.detector.grouping_key_points(connections, peaks)
        return self.detector.subsets_to_pose_array(subsets, peaks), subsets[:, -2], peaks


def heatmaps(height: int, width: int, seed: int, amount: float = 1.0) -> tuple[Any, Any]:
    """Two joints of each kind, and fields of direction."""
    random = np.random.RandomState(seed)
    maps = np.zeros((19, height, width), "f")
    for score in (4, 6):
        places = random.randint(0, height, 19), random.randint(0, width, 19)
        maps[(np.arange(19), *places)] = score * amount
    return maps, random.rand(38, height, width).astype("f")


def test_poses_from_heatmaps(tmp_path: Path) -> None:
    sizes = ((20, 24, 0), (15, 15, 1), (30, 18, 2), (8, 40, 3, 0.5), (20, 20, 4, 0))
    axes = {name: {1: "height", 2: "width"} for name in ("heatmaps", "pafs")}
    found = compare(Poses(tmp_path), [heatmaps(*size) for size in sizes], axes)
    assert len({len(poses) for poses, _, _ in found}) > 2
