"""A forked process has the models of the one before, without the threads of their sessions."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable
from typing import Any

import chainer
import chainer.functions as F
import numpy as np
import pytest

import elichika

X = np.ones((2, 3), np.float32)

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]


class Doubled(chainer.Chain):
    def forward(self, x: Any) -> Any:
        return F.tanh(x) * 2


def _ended(child: Callable[[], bool], seconds: float = 60.0) -> int:
    """Run something in a forked process; return how that ended."""
    pid = os.fork()
    if pid == 0:
        os._exit(0 if child() else 3)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            return status
        time.sleep(0.02)
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    raise AssertionError("the process did not end")


def _models() -> list[Any]:
    models = [elichika.compile_model(Doubled(), X, verify=False) for _ in range(3)]
    for model in models:
        model(X)
    return models


def test_models_may_be_collected() -> None:
    models = _models()

    def child() -> bool:
        models.clear()
        gc.collect()
        return True

    assert _ended(child) == 0


def test_models_may_be_run() -> None:
    models = _models()
    expected = models[0](X)

    def child() -> bool:
        return all((model(X) == expected).all() for model in models)

    assert _ended(child) == 0
    assert (models[1](X) == expected).all()
