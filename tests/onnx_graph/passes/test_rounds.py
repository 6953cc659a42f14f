"""All passes on random graphs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from onnx_graph import dims_of
from tests.onnx_graph.claims import check_claim, session
from tests.onnx_graph.passes.random_graphs import Program

F = np.float32


def _outcome(run: Any, feed: dict[str, Any]) -> Any:
    try:
        return run.run(None, feed)
    except Exception as error:
        return "check" if "Check(large)" in str(error) else str(error)


@pytest.mark.parametrize("seed", range(36))
def test_random_programs_keep_their_meaning(seed: int) -> None:
    plain, better = Program(seed).g, Program(seed).g
    assert plain.to_text() == better.to_text()
    better.optimize()
    again = better.optimize()
    assert not sum(again.values()), again
    runs = [session(g.to_model().SerializeToString(), "ORT_DISABLE_ALL") for g in (plain, better)]
    for n in (0, 1, 3):
        for c in (True, False):
            for rows in (0, 1, 3):
                x = np.random.default_rng(seed + rows).standard_normal((rows, 2)).astype(F)
                feed = {"n": np.array(n), "c": np.array(c), "x": x}
                one, other = _outcome(runs[0], feed), _outcome(runs[1], feed)
                if isinstance(one, str) or isinstance(other, str):
                    assert isinstance(one, str) and isinstance(other, str), (one, other)
                    assert (one == "check") == (other == "check"), (one, other)
                    continue
                bound = {"N": rows}
                for value, left in zip(plain.outputs.values(), one, strict=True):
                    check_claim(dims_of(value), left.shape, bound)
                for left, right in zip(one, other, strict=True):
                    np.testing.assert_allclose(left, right, rtol=1e-5, atol=1e-6)
                    assert left.shape == right.shape and left.dtype == right.dtype
