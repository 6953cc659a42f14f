"""Says whether a model's outputs can show a difference at all."""

from __future__ import annotations

from typing import Any

import chainer
import numpy as np

from models import Model


def logits(model: Model, y: Any) -> np.ndarray:
    """One row of logits for each thing that is classified, from whatever the chain returns."""
    if model.logits is not None:
        y = y[model.logits]
    arrays = [chainer.as_array(part) for part in (y if isinstance(y, list) else [y])]
    return np.concatenate([array.reshape(-1, array.shape[-1]) for array in arrays])


def assert_spread(rows: np.ndarray) -> None:
    """Rows differ from one another and each within itself; nothing is huge, tiny or constant."""
    assert np.isfinite(rows).all()
    assert 0.5 < np.abs(rows).max() < 1000
    assert rows.std(axis=1).min() > 0.1
    if len(rows) > 1:
        apart = rows.std(axis=0)
        assert apart.mean() > 0.1
        assert (apart > 0.01).mean() > 0.95
    if len(rows) > 4:
        assert len(set(rows.argmax(axis=1))) > 2
