"""Exports every model of `models/zoo.py`, compares it with Chainer, and writes `docs/models.md`.

Each is compiled once, from the first of its sizes, and compared on all of them; times are taken on
the largest input among them, where there is most to do. Names given as arguments choose among the
models, and then nothing is written. The exit code is 1 where a model is refused or differs.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import chainer
import onnx

import elichika
from benchmarks.demo import BUILD, SECONDS, count_nodes
from models import Model
from models.zoo import ZOO
from tests.models.parity import assert_same, worst_difference

DOCUMENT = Path("docs/models.md")
HEAD = """# Models

Written by `make zoo`. Each model is plain Chainer code of this repository, compiled once into one
file that holds the whole computation, loops included, and compared with eager Chainer on at least
four inputs that it was not compiled with: other batch sizes, lengths and contents, for decoders
early and late ends. *Worst* is the largest difference of a float, relative to the largest number
of its output; ints and bools are equal everywhere. Times are processor times of one thread, on the
input that takes eager Chainer longest: both run alternately, and the fastest of up to five runs
counts. A row *at the size in use* shows the same file on an input as large as such data usually
are. Two things are slower than eager: loops whose iterations take numpy only a few microseconds,
because onnxruntime needs about half a microsecond for each operator and two for a branch, however
little they do; and large products of float64 matrices, for which numpy's BLAS is faster.

"""
COLUMNS = """\
| model | nodes | Loop | If | compile s | file KiB | eager ms | onnxruntime ms | faster | worst |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|
"""


@dataclass(frozen=True)
class Row:
    """What the table says of one model; times in milliseconds but for `compile_seconds`."""

    model: Model
    nodes: int
    loops: int
    branches: int
    compile_seconds: float
    size: int
    eager: float
    onnxruntime: float
    worst: float
    note: str = ""

    def cells(self) -> Iterator[str]:
        """One text for each column."""
        source = self.model.module.replace(".", "/") + ".py"
        yield f"[{self.model.name}](../{source}) `{self.model.method}`{self.note}"
        yield from (f"{self.nodes:,}", str(self.loops), str(self.branches))
        yield from (f"{self.compile_seconds:.1f}", f"{self.size / 1024:,.0f}")
        yield from (f"{self.eager:.1f}", f"{self.onnxruntime:.1f}")
        yield f"{self.eager / self.onnxruntime:.1f}x"
        yield f"{self.worst:.0e}"


def main(names: list[str]) -> int:
    """Export and compare the models of these names, or all."""
    return write_table(ZOO, names, DOCUMENT, HEAD + COLUMNS)


def write_table(models: Iterable[Model], names: list[str], document: Path, head: str) -> int:
    """Export and compare models, of these names or all, and write a table of all of them."""
    BUILD.mkdir(exist_ok=True)
    rows, failed = [], False
    for model in models:
        if names and model.name not in names:
            continue
        try:
            for row in export(model):
                rows.append(row)
                sys.stdout.write(" | ".join(row.cells()) + "\n")
        except (elichika.ElichikaError, AssertionError) as error:
            sys.stdout.write(f"{model.name}: {error}\n")
            failed = True
        sys.stdout.flush()
    if not names and not failed:
        table = "\n".join(f"| {' | '.join(row.cells())} |" for row in rows)
        document.write_text(head + table + "\n")
    return int(failed)


def export(model: Model) -> Iterator[Row]:
    """Compile one model and compare it at all its sizes; a row for each that is timed.

    Raises:
        ElichikaError: It is refused, or fails on an input that the chain takes.
        AssertionError: It differs.
    """
    chain = model.build()
    path = BUILD / f"{model.name.replace(' ', '_').replace(',', '').lower()}.onnx"
    start = time.process_time()
    elichika.compile_model(
        chain,
        model.inputs(),
        path,
        method=model.method,
        dynamic_axes=model.dynamic_axes,
        static=model.static,
        verify=False,
    )
    seconds = time.process_time() - start
    loaded = elichika.load(path, threads=1)
    worst, slowest = 0.0, (-1.0, model.sizes[0])
    for sizes in (*model.sizes, *([model.usual] if model.usual else [])):
        start = time.perf_counter()
        expected = eager(chain, model, model.inputs(**sizes))
        if sizes is not model.usual:
            slowest = max(slowest, (time.perf_counter() - start, sizes), key=lambda one: one[0])
        actual = loaded(*model.inputs(**sizes))
        assert_same(expected, actual, loosened=model.loosened, flips=model.flips)
        worst = max(worst, worst_difference(expected, actual))
    proto = onnx.load(str(path))
    timed = [("", slowest[1])]
    if model.usual:
        timed.append((", at the size in use", model.usual))
    for note, sizes in timed:
        inputs = model.inputs(**sizes)
        spent = in_turns(
            lambda inputs=inputs: eager(chain, model, inputs), lambda inputs=inputs: loaded(*inputs)
        )
        yield Row(
            model=model,
            nodes=count_nodes(proto.graph),
            loops=count_nodes(proto.graph, "Loop"),
            branches=count_nodes(proto.graph, "If"),
            compile_seconds=seconds,
            size=path.stat().st_size,
            eager=spent[0],
            onnxruntime=spent[1],
            worst=worst,
            note=note,
        )


def in_turns(*runs: Callable[[], Any], times: int = 5) -> list[float]:
    """Measure the least milliseconds of the processor that each of some runs takes, in turns."""
    least = [float("inf")] * len(runs)
    begun = time.perf_counter()
    while times and time.perf_counter() - begun < SECONDS:
        times -= 1
        for number, run in enumerate(runs):
            start = time.process_time()
            run()
            least[number] = min(least[number], 1000 * (time.process_time() - start))
    return least


def eager(chain: chainer.Chain, model: Model, inputs: tuple[Any, ...]) -> Any:
    """Run the chain as it was compiled."""
    with chainer.using_config("train", False), chainer.no_backprop_mode():
        return getattr(chain, model.method)(*inputs)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
