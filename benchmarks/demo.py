"""Compiles every model of `models/`, compares it with Chainer, and shows one table.

The `.onnx` files stay in `build/`. Names given as arguments choose among the models; the exit code
is 1 where a verdict is wrong.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import chainer
import numpy as np
import onnx
import onnxruntime
from rich.console import Console
from rich.table import Table

import elichika
from benchmarks.fine_tuning import fine_tune
from models import MODELS, Model
from models.digits import DIGITS, accuracy, load

BUILD = Path("build")
TOLERANCE = 1e-4
SECONDS = 10.0
"""After which no further run is timed."""
WIDTH = 110
"""Of the table where standard output is no terminal."""
COLUMNS = (
    "nodes",
    "parameters",
    "opset",
    "compile\ns",
    "eager\nms",
    "onnx-\nruntime\nms",
    "worst\nabsolute",
    "worst\nrelative",
)


@dataclass(frozen=True)
class Row:
    """What the table says of one model; times in milliseconds but for `compile_seconds`."""

    name: str
    nodes: int
    parameters: int
    opset: int
    compile_seconds: float
    eager: float
    onnxruntime: float
    absolute: float
    relative: float

    @property
    def right(self) -> bool:
        """Whether the logits agree on all inputs tried."""
        return self.relative <= TOLERANCE

    def cells(self) -> Iterator[str]:
        """One text for each column."""
        yield from (self.name, f"{self.nodes:,}", f"{self.parameters:,}", str(self.opset))
        yield from (f"{self.compile_seconds:.2f}", f"{self.eager:.1f}", f"{self.onnxruntime:.1f}")
        yield from (f"{self.absolute:.1e}", f"{self.relative:.1e}")
        yield "[green]same[/]" if self.right else "[red]DIFFERENT[/]"


def main(names: list[str]) -> int:
    """Show the table of the models of these names, or of all, then the digits."""
    console = Console(width=None if sys.stdout.isatty() else WIDTH)
    BUILD.mkdir(exist_ok=True)
    chosen = [model for model in MODELS if not names or model.name in names]
    table = Table("model", title="Chainer and onnxruntime on the same inputs, all sizes tried")
    for heading in COLUMNS:
        table.add_column(heading, justify="right")
    table.add_column("verdict")
    rows = []
    for model in chosen:
        with console.status(f"{model.name} ..."):
            rows.append(show(model))
        table.add_row(*rows[-1].cells())
    console.print(table)
    right = all(row.right for row in rows)
    if not names:
        with console.status("training on digits ..."):
            right &= digits(console)
            right &= fine_tune(console, BUILD)
    return 0 if right else 1


def show(model: Model) -> Row:
    """Compile one model and compare it at all its sizes."""
    chain, example = model.build(), model.inputs()
    path = BUILD / f"{model.name.replace(' ', '_').lower()}.onnx"
    start = time.perf_counter()
    compiled = elichika.compile_model(
        chain,
        example,
        path,
        dynamic_axes=model.dynamic_axes,
        static=model.static,
        verify=False,
    )
    seconds = time.perf_counter() - start
    differences = [difference(model, chain, compiled, model.inputs(**s)) for s in model.sizes]
    proto = onnx.load(str(path))
    with chainer.using_config("train", False), chainer.no_backprop_mode():
        eager = milliseconds(lambda: chain(*example))
    return Row(
        name=model.name,
        nodes=count_nodes(proto.graph),
        parameters=sum(int(np.prod(tensor.dims)) for tensor in proto.graph.initializer),
        opset=proto.opset_import[0].version,
        compile_seconds=seconds,
        eager=eager,
        onnxruntime=milliseconds(lambda: compiled(*example)),
        absolute=max(absolute for absolute, _ in differences),
        relative=max(relative for _, relative in differences),
    )


def difference(model: Model, chain: Any, compiled: Any, x: tuple[Any, ...]) -> tuple[float, float]:
    """Compare the logits on `x`: the worst difference, and it as a part of the largest logit."""
    with chainer.using_config("train", False), chainer.no_backprop_mode():
        expected = logits(model, chain(*x))
    actual = logits(model, compiled(*x))
    if [array.shape for array in expected] != [array.shape for array in actual]:
        return np.inf, np.inf
    pairs = list(zip(expected, actual, strict=True))
    absolute = max(float(np.abs(one - other).max()) for one, other in pairs)
    return absolute, absolute / max(float(np.abs(one).max()) for one, _ in pairs)


def logits(model: Model, y: Any) -> list[np.ndarray]:
    """Pick the logits from what the chain or its compiled form returns."""
    if model.logits is not None:
        y = y[model.logits]
    return [chainer.as_array(part) for part in (y if isinstance(y, list) else [y])]


def milliseconds(run: Callable[[], Any], times: int = 5) -> float:
    """Measure the median of a few runs, fewer of slow ones, after one that is not counted."""
    run()
    spent: list[float] = []
    while len(spent) < times and sum(spent) < SECONDS:
        start = time.perf_counter()
        run()
        spent.append(time.perf_counter() - start)
    return 1000 * median(spent)


def count_nodes(graph: onnx.GraphProto, op_type: str | None = None) -> int:
    """Count the nodes of a graph and of all graphs inside it, or those of one operator."""
    inner = (attribute.g for node in graph.node for attribute in node.attribute)
    own = sum(op_type in (None, node.op_type) for node in graph.node)
    return own + sum(count_nodes(body, op_type) for body in inner if body.node)


def digits(console: Console) -> bool:
    """Train, export from the snapshot by the command line, and classify in both runtimes."""
    subprocess.run([sys.executable, "-W", "ignore", "-m", "models.digits"], check=True)
    table = Table("network", "held out", "Chainer", "onnxruntime", "same predictions")
    table.title = "Handwritten digits: trained by Chainer, exported by the command line"
    right = True
    for name, (build, shape) in DIGITS.items():
        snapshot, path = BUILD / f"digits_{name}.npz", BUILD / f"digits_{name}.onnx"
        export(name, shape, snapshot, path)
        chain = build()
        chainer.serializers.load_npz(str(snapshot), chain)
        x, t = chainer.dataset.concat_examples(load(shape)[1])
        with chainer.using_config("train", False), chainer.no_backprop_mode():
            expected = chain(x).array
        session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        actual = session.run(None, {"x": x})[0]
        same = int((expected.argmax(axis=1) == actual.argmax(axis=1)).sum())
        right &= same == len(t)
        scores = (f"{accuracy(y, t):.2%}" for y in (expected, actual))
        table.add_row(name, str(len(t)), *scores, f"{same} of {len(t)}")
    console.print(table)
    return right


def export(name: str, shape: tuple[int, ...], snapshot: Path, path: Path) -> None:
    """Run `elichika export` as a user would."""
    sizes = ",".join(map(str, shape))
    command = ["elichika", "export", f"models/digits.py:build_{name}", "--weights", str(snapshot)]
    command += ["--input", f"x=float32[batch,{sizes}]", "-o", str(path)]
    subprocess.run([str(Path(sys.executable).with_name(command[0])), *command[1:]], check=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
