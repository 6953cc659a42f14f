"""Runs what `benchmarks.write_cases` wrote; needs numpy and onnxruntime, and nothing else."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import numpy as np
import onnxruntime

TOLERANCE = 1e-4


def main(folder: Path) -> int:
    """Say for each model whether this onnxruntime loads it and gives Chainer's outputs."""
    wrong = 0
    print(f"onnxruntime {onnxruntime.__version__}")
    paths = sorted(folder.glob("*.onnx"))
    for path in paths:
        try:
            session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
            name = session.get_inputs()[0].name
            cases = pickle.loads(path.with_suffix(".pickle").read_bytes())
            worst = max(difference(session.run(None, {name: x}), y) for x, y in cases)
        except Exception as error:  # whatever a runtime raises is a finding, not the end of the run
            wrong += 1
            print(f"  {path.stem}: FAILED: {error}")
        else:
            wrong += worst > TOLERANCE
            print(f"  {path.stem}: {worst:.1e} {'same' if worst <= TOLERANCE else 'DIFFERENT'}")
    return 1 if wrong or not paths else 0


def difference(actual: list, expected: list) -> float:
    """Find the worst difference, relative to the largest magnitude of its output."""
    if len(actual) != len(expected):
        return np.inf
    worst = 0.0
    for one, other in zip(actual, expected, strict=True):
        if isinstance(other, list):
            worst = max(worst, difference(one, other))
        elif one.shape != other.shape or one.dtype != other.dtype:
            return np.inf
        else:
            worst = max(worst, float(np.abs(one - other).max() / np.abs(other).max()))
    return worst


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
