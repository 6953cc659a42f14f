"""Plain Chainer models to export, run and learn from. None of them knows of elichika.

`MODELS` lists them for the demo, the tests and the benchmarks; nothing is built until asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

__all__ = ["MODELS", "Model"]


@dataclass(frozen=True)
class Model:
    """A model of this folder.

    `sizes` are keyword arguments of the module's `inputs`: the first for the example that it is
    compiled with, all of them for inputs that it must then be right on. `method`, `dynamic_axes`
    and `static` are options of `compile_model`. `factory` and `examples` are the functions of the
    module that make the chain and its inputs. Where the chain returns a dict, `logits` is the key
    to compare. `loosened` widens the tolerance of floats, `flips` is the part of whole numbers that
    may differ where near ties decide them; the reason stands beside it. `usual` are sizes as they
    are in use, where those to be right on are small: times are taken there too.
    """

    name: str
    module: str
    sizes: tuple[Mapping[str, Any], ...]
    arguments: Mapping[str, Any] = field(default_factory=dict)
    dynamic_axes: Mapping[str, Mapping[int, str]] | str | None = None
    static: tuple[str, ...] = ()
    logits: str | None = None
    large: bool = False
    method: str = "forward"
    factory: str = "build"
    examples: str = "inputs"
    loosened: float = 1.0
    flips: float = 0.0
    usual: Mapping[str, Any] | None = None

    def build(self) -> Any:
        """Make the chain; the same weights each time."""
        return getattr(import_module(self.module), self.factory)(**self.arguments)

    def inputs(self, **sizes: Any) -> tuple[Any, ...]:
        """Make positional inputs of these sizes, or of the example's."""
        make = getattr(import_module(self.module), self.examples)
        inputs: tuple[Any, ...] = make(**(sizes or self.sizes[0]))
        return inputs


BATCHES = ({"batch": 2}, {"batch": 1}, {"batch": 7})
IMAGES = (*BATCHES, {"batch": 2, "height": 256, "width": 320})
BATCH = {"x": {0: "batch"}}
IMAGE = {"x": {0: "batch", 2: "height", 3: "width"}}
WORDS = {"x": {0: "batch", 1: "time"}}

MODELS = (
    Model("MLP", "models.mlp", BATCHES, dynamic_axes=BATCH),
    Model("AlexNet", "models.alexnet", BATCHES, dynamic_axes=BATCH, large=True),
    Model(
        "VGG16",
        "models.vgg16",
        ({"batch": 2}, {"batch": 1}, {"batch": 3}),
        dynamic_axes=BATCH,
        static=("layers",),
        logits="fc8",
        large=True,
    ),
    Model(
        "GoogLeNet",
        "models.googlenet",
        BATCHES,
        dynamic_axes=BATCH,
        static=("layers",),
        logits="loss3_fc",
    ),
    *(
        Model(
            f"ResNet{n_layers}",
            "models.resnet",
            IMAGES,
            {"n_layers": n_layers},
            dynamic_axes=IMAGE,
            static=("layers",),
            logits="fc6",
            large=n_layers > 50,
        )
        for n_layers in (50, 101, 152)
    ),
    Model(
        "LSTM language model",
        "models.lstm_lm",
        ({"batch": 2, "time": 5}, {"batch": 1, "time": 1}, {"batch": 7, "time": 13}),
        dynamic_axes=WORDS,
    ),
    Model(
        "NStepLSTM tagger",
        "models.tagger",
        ({"lengths": (3, 7, 1, 4)}, {"lengths": (1,)}, {"lengths": (2, 2, 9, 5, 1, 6, 3)}),
    ),
)
