"""Exports every model of `models/zoo.py`, compares it with Chainer, and writes `docs/models.md`.

Each is compiled once, from the first of its sizes, and compared on all of them; times are taken on
the largest input among them, where there is most to do. Names given as arguments choose among the
models, and then nothing is written. The exit code is 1 where a model is refused or differs.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import chainer
import onnx

import elichika
from benchmarks.demo import BUILD, count_nodes, milliseconds
from models import Model
from models.zoo import ZOO
from tests.models.parity import assert_same, worst_difference

DOCUMENT = Path("docs/models.md")
HEAD = """# Models

Written by `make zoo`. Each model is plain Chainer code of this repository, compiled once into one
file that holds the whole computation, loops included, and compared with eager Chainer on at least
four inputs that it was not compiled with: other batch sizes, lengths and contents, for decoders
early and late ends. *Worst* is the largest difference of a float, relative to the largest of its
output; what is an int or a bool is the same everywhere. Times are those of one run on the largest
of the inputs, on one thread.

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

    def cells(self) -> Iterator[str]:
        """One text for each column."""
        source = self.model.module.replace(".", "/") + ".py"
        yield f"[{self.model.name}](../{source}) `{self.model.method}`"
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
            rows.append(export(model))
            sys.stdout.write(" | ".join(rows[-1].cells()) + "\n")
        except (elichika.ElichikaError, AssertionError) as error:
            sys.stdout.write(f"{model.name}: {error}\n")
            failed = True
        sys.stdout.flush()
    if not names and not failed:
        table = "\n".join(f"| {' | '.join(row.cells())} |" for row in rows)
        document.write_text(head + table + "\n")
    return int(failed)


def export(model: Model) -> Row:
    """Compile one model and compare it at all its sizes.

    Raises:
        ElichikaError: It is refused, or fails on an input that the chain takes.
        AssertionError: It differs.
    """
    chain = model.build()
    path = BUILD / f"{model.name.replace(' ', '_').replace(',', '').lower()}.onnx"
    start = time.perf_counter()
    compiled = elichika.compile_model(
        chain,
        model.inputs(),
        path,
        method=model.method,
        dynamic_axes=model.dynamic_axes,
        static=model.static,
        verify=False,
    )
    seconds = time.perf_counter() - start
    loaded = elichika.load(path)
    worst, slowest = 0.0, (-1.0, model.sizes[0])
    for sizes in model.sizes:
        start = time.perf_counter()
        expected = eager(chain, model, model.inputs(**sizes))
        slowest = max(slowest, (time.perf_counter() - start, sizes), key=lambda one: one[0])
        actual = loaded(*model.inputs(**sizes))
        assert_same(expected, actual, loosened=model.loosened, flips=model.flips)
        worst = max(worst, worst_difference(expected, actual))
    inputs = model.inputs(**slowest[1])
    proto = onnx.load(str(path))
    return Row(
        model=model,
        nodes=count_nodes(proto.graph),
        loops=count_nodes(proto.graph, "Loop"),
        branches=count_nodes(proto.graph, "If"),
        compile_seconds=seconds,
        size=path.stat().st_size,
        eager=milliseconds(lambda: eager(chain, model, inputs)),
        onnxruntime=milliseconds(lambda: compiled(*inputs)),
        worst=worst,
    )


def eager(chain: chainer.Chain, model: Model, inputs: tuple[Any, ...]) -> Any:
    """Run the chain as it was compiled."""
    with chainer.using_config("train", False), chainer.no_backprop_mode():
        return getattr(chain, model.method)(*inputs)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
