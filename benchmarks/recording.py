"""Evaluations whose calls are recorded: of images in batches, and of texts word by word."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import chainer

import elichika
from models import lstm_lm, resnet

__all__ = ["evaluations"]

Run = Callable[[], Any]


def evaluations() -> dict[str, tuple[Run, Run]]:
    """Return what evaluates a network while it is recorded, and what just does."""
    images = [resnet.inputs(batch=n, seed=n) for n in (*[2] * 12, 1)]
    texts = [lstm_lm.inputs(batch=4, time=n, seed=n) for n in (20, 35, 7, 35, 12, 20)]
    chains = {"ResNet50": (resnet.build(), images), "LSTM language model": (lstm_lm.build(), texts)}
    return {name: _pair(*both) for name, both in chains.items()}


def _pair(chain: chainer.Chain, batches: Sequence[Any]) -> tuple[Run, Run]:
    def plain() -> Any:
        with chainer.using_config("train", False), chainer.no_backprop_mode():
            return [chain(*batch) for batch in batches]

    def recorded() -> Any:
        with elichika.profile(chain) as calls:
            plain()
        return calls

    return recorded, plain
