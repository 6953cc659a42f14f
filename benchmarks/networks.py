"""Exports the networks of `tests/models/networks.py`, compares them, writes `docs/networks.md`.

Each is compiled once, with two images, and compared on one, two and three, and on one of a second
size where the network itself takes such. What is done stays in `build/networks.jsonl`, with the
commit it was measured on: a run that was cut short goes on there. Names given as arguments choose
among the networks, and are measured again.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import chainer
import numpy as np
import onnx

import elichika
from benchmarks.demo import BUILD, count_nodes
from models.images import images
from tests.models.exact import is_as_exact, run_in_float64, run_nearby
from tests.models.networks import NETWORKS, Network
from tests.models.parity import assert_same, eager, worst_difference

DOCUMENT = Path("docs/networks.md")
DONE = BUILD / "networks.jsonl"
SPATIAL = {"x": {0: "batch", 2: "height", 3: "width"}}
HEAD = """# Networks of chainercv2

Written by `make cv2`: {count} networks of {families} families, as their authors wrote them, with
random weights set on data. Each is one file, compiled with two images and compared with eager
Chainer on one, two and three images, and on one of the second size where the network takes one.
*Worst* is the largest difference relative to the largest number of the output. Where it is above
1e-4, the network amplifies rounding errors, and another yardstick is used: the model may be at
most three times as far from a run in float64 as Chainer is, on the image itself or on the image
with each number moved by one ulp. For sknet50, for instance, on ten images, the distance from
float64 is 2e-5 to 3e-2 for Chainer (median 8e-4), 3e-5 to 2e-2 for Chainer on the moved images
(1e-3), and 4e-5 to 7e-2 for the model (1e-3). The tolerance of the EfficientNets is three times as
wide, because onnxruntime's Sigmoid is coarser than numpy's. Times are those of one run on three
images, on a machine with two cores that was doing other work, too: numpy's BLAS has one thread,
onnxruntime two. *Commit* is the one that the row was measured on.

| network | family | size | second | nodes | compile s | KiB | eager ms | onnxruntime ms | worst |\
 commit |
|---|---|---|---|--:|--:|--:|--:|--:|--:|---|
"""


def main(names: list[str]) -> int:
    """Export and compare the networks of these names, or all; say which failed."""
    BUILD.mkdir(exist_ok=True)
    lines = DONE.read_text().splitlines() if DONE.exists() else []
    done = {row["name"]: row for row in map(json.loads, lines)}
    failed = []
    for network in NETWORKS:
        if network.name not in names if names else network.name in done:
            continue
        try:
            done[network.name] = row = compared(network)
        except Exception as error:  # a network that cannot be made leaves the others
            failed.append(network.name)
            sys.stdout.write(f"{network.name}: {type(error).__name__}: {error}\n")
            continue
        sys.stdout.write(f"{cells(row)}\n")
        sys.stdout.flush()
        with DONE.open("a") as file:
            file.write(json.dumps(row) + "\n")
    rows = [done[network.name] for network in NETWORKS if network.name in done]
    families = len({row["family"] for row in rows})
    head = HEAD.format(count=len(rows), families=families)
    DOCUMENT.write_text(head + "".join(f"{cells(row)}\n" for row in rows))
    return int(bool(failed))


def compared(network: Network) -> dict[str, Any]:
    """Compile one network and compare it at all sizes.

    Raises:
        ElichikaError: It is refused, or fails on images that the chain takes.
        AssertionError: It differs.
    """
    chain = network.build()
    second = network.second_size if takes(chain, network.second_size) else None
    path = BUILD / "network.onnx"
    start = time.perf_counter()
    axes = SPATIAL if second else {"x": {0: "batch"}}
    example = images(2, *network.size)
    elichika.compile_model(chain, example, path, dynamic_axes=axes, verify=False)
    row: dict[str, Any] = {
        "name": network.name,
        "commit": commit(),
        "family": network.family,
        "size": network.size,
        "second": second,
        "compile": time.perf_counter() - start,
        "nodes": count_nodes(onnx.load(str(path)).graph),
        "kilobytes": path.stat().st_size / 1024,
        "worst": 0.0,
    }
    model = elichika.load(path)
    sizes = [(1, network.size), (2, network.size), *([(1, second)] if second else [])]
    for batch, size in (*sizes, (3, network.size)):
        x = images(batch, *size, seed=batch)
        start = time.perf_counter()
        expected = eager(chain, x)
        row["eager"], start = 1000 * (time.perf_counter() - start), time.perf_counter()
        actual = model(x)
        row["onnxruntime"] = 1000 * (time.perf_counter() - start)
        require_same(chain, x, expected, actual, network.loosened)
        row["worst"] = max(row["worst"], worst_difference(expected, actual))
    return row


def commit() -> str:
    """Return the commit of the working tree; with a plus where files differ from it."""
    git = ["git", "describe", "--always", "--dirty=+", "--exclude=*"]
    return subprocess.run(git, capture_output=True, text=True, check=True).stdout.strip()


def takes(chain: chainer.Chain, size: tuple[int, int]) -> bool:
    """Tell whether the network itself runs on images of this size."""
    try:
        eager(chain, images(1, *size))
    except Exception:  # whatever its code raises there
        return False
    return True


def require_same(
    chain: chainer.Chain, x: np.ndarray, expected: Any, actual: Any, loosened: float
) -> None:
    """Fail where the outputs differ, or could not show that they do.

    Raises:
        AssertionError: They do.
    """
    for array in arrays_in(expected):
        assert np.isfinite(array).all(), "the output is not finite"
        assert array.std() > 1e-3 * np.abs(array).max(), "the output is constant"
        if len(x) > 1 and len(array) == len(x):
            apart = np.abs(array[0] - array[1]).max()
            assert apart > 0.01 * np.abs(array).max(), "two images give one output"
    try:
        assert_same(expected, actual, loosened=loosened)
    except AssertionError:
        near = [expected, *run_nearby(chain, x)]
        if not is_as_exact(run_in_float64(chain, x), near, actual):
            raise


def arrays_in(value: Any) -> list[np.ndarray]:
    """List the arrays of an output."""
    if isinstance(value, list | tuple):
        return [array for one in value for array in arrays_in(one)]
    return [chainer.as_array(value)]


def cells(row: dict[str, Any]) -> str:
    """Return a row of the table."""
    height, width = row["size"]
    second = "x".join(map(str, row["second"])) if row["second"] else "none"
    found = [f"`{row['name']}`", row["family"], f"{height}x{width}", second, f"{row['nodes']:,}"]
    found += [f"{row['compile']:.1f}", f"{row['kilobytes']:,.0f}", f"{row['eager']:.0f}"]
    found += [f"{row['onnxruntime']:.0f}", f"{row['worst']:.0e}"]
    found.append(row["commit"])
    return f"| {' | '.join(found)} |"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
