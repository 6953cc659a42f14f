"""Scores a dataset in pieces with Dask and with Ray Data: `python -m benchmarks.scaling`.

The file of the data is read piece by piece, so that it need not fit into memory. Each worker has a
model of its own. What comes out is compared with eager Chainer; the exit code is 1 where it
differs.
"""

from __future__ import annotations

import logging
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import chainer
import numpy as np

import elichika
from models import mlp

ROWS, PIECE = 60_000, 5_000
WORKERS = 2
TOLERANCE = 1e-4


def with_dask(model_file: Path, data: Path) -> np.ndarray:
    """Score with Dask: a compiled model goes to the workers as it is."""
    import dask
    import dask.array
    from dask.distributed import Client, LocalCluster

    model = elichika.load(model_file, threads=1)
    rows = dask.array.from_array(np.load(data, mmap_mode="r"), chunks=(PIECE, -1))
    cluster = LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address=None)
    with cluster, Client(cluster):
        scored = rows.map_blocks(model, dtype=np.float32, chunks=(PIECE, 10))
        found: np.ndarray = scored.argmax(axis=1).compute()
    return found


class Scorer:
    """An actor of Ray: it loads the model once and scores batch after batch."""

    def __init__(self, model_file: str) -> None:
        """Load the model."""
        self.model = elichika.load(model_file, threads=1)

    def __call__(self, batch: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Return the class of each row, beside its number."""
        return {"row": batch["row"], "found": self.model(batch["x"]).argmax(axis=1)}


def with_ray(model_file: Path, data: Path) -> np.ndarray:
    """Score with Ray Data: a loaded model is an actor."""
    import ray

    def piece(batch: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        (start,) = map(int, batch["item"])
        x = np.load(data, mmap_mode="r")[start : start + PIECE]
        return {"row": np.arange(start, start + len(x)), "x": np.ascontiguousarray(x)}

    for name in ("ray", "ray.data"):
        logging.getLogger(name).setLevel(logging.ERROR)
    ray.init(
        num_cpus=WORKERS + 1, include_dashboard=False, logging_level="ERROR", log_to_driver=False
    )
    ray.data.DataContext.get_current().enable_progress_bars = False
    try:
        pieces = ray.data.from_items(list(range(0, ROWS, PIECE)))
        rows = pieces.map_batches(piece, batch_size=1, batch_format="numpy")
        scored = rows.map_batches(
            Scorer,
            fn_constructor_args=(str(model_file),),
            batch_size=PIECE,
            compute=ray.data.ActorPoolStrategy(size=WORKERS),
        )
        found = np.empty(ROWS, np.int64)
        for batch in scored.iter_batches(batch_format="numpy"):
            found[batch["row"]] = batch["found"]
    finally:
        ray.shutdown()
    return found


def main() -> int:
    """Score with both, and compare."""
    failed = False
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        chain = mlp.build()
        example = mlp.inputs()[0]
        elichika.compile_model(
            chain, [example], folder / "model.onnx", dynamic_axes={"x": {0: "batch"}}
        )
        random = np.random.default_rng(0)
        shape = (ROWS, *example.shape[1:])
        data = np.lib.format.open_memmap(folder / "data.npy", "w+", np.float32, shape)
        for start in range(0, ROWS, PIECE):
            data[start : start + PIECE] = random.random((PIECE, *shape[1:]), np.float32)
        data.flush()
        expected = np.concatenate(
            [eager(chain, data[start : start + PIECE]) for start in range(0, ROWS, PIECE)]
        )
        ways: dict[str, Callable[[Path, Path], np.ndarray]] = {"Dask": with_dask, "Ray": with_ray}
        for way, score in ways.items():
            start_time = time.perf_counter()
            found = score(folder / "model.onnx", folder / "data.npy")
            seconds = time.perf_counter() - start_time
            same = float(np.mean(found == expected.argmax(axis=1)))
            failed |= same < 1 - TOLERANCE
            sys.stdout.write(f"{way}: {ROWS:,} rows in {seconds:.1f} s, {same:.4%} as Chainer\n")
    return int(failed)


def eager(chain: chainer.Chain, rows: np.ndarray) -> np.ndarray:
    """Return what the chain gives."""
    with chainer.using_config("train", False), chainer.no_backprop_mode():
        scores: np.ndarray = chain(np.ascontiguousarray(rows)).array
    return scores


if __name__ == "__main__":
    sys.exit(main())
