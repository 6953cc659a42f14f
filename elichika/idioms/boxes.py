"""chainercv's suppression of boxes, over numpy."""

from __future__ import annotations

from typing import Any

import numpy as np


def suppressed(bbox: Any, thresh: Any, score: Any, limit: Any) -> Any:
    """Choose boxes, best first, that overlap no better one chosen before, as chainercv does."""
    order = np.arange(len(bbox)) if score is None else score.argsort()[::-1]
    bbox = bbox[order]
    if (bbox[:, :2] <= bbox[:, 2:]).all():
        chosen = kept_in_order(bbox, thresh, limit)
    else:
        chosen = kept_boxes(bbox, thresh, limit)
    return order[chosen].astype(np.int32)


def kept_in_order(bbox: Any, thresh: Any, limit: Any) -> Any:
    """Do as `kept_boxes` does where no box is turned inside out; has a lowering."""
    return kept_boxes(bbox, thresh, limit)


def kept_boxes(bbox: Any, thresh: Any, limit: Any) -> Any:
    """Choose each box, in order, that overlaps no one chosen before by `thresh` or more."""
    area = np.prod(bbox[:, 2:] - bbox[:, :2], axis=1)
    free = np.ones(len(bbox), dtype=bool)
    kept: list[int] = []
    while free.any() and (limit is None or len(kept) < max(limit, 1)):
        i = int(free.argmax())
        kept.append(i)
        free[i] = False
        near = np.maximum(bbox[i, :2], bbox[:, :2])
        far = np.minimum(bbox[i, 2:], bbox[:, 2:])
        shared = np.prod(far - near, axis=1) * (near < far).all(axis=1)
        free &= ~(shared / (area[i] + area - shared) >= thresh)
    return np.array(kept, dtype=np.int64)
