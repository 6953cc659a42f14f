"""Measures what loops, calls and inference graphs are held to, and lists what is missed.

Times are medians of interleaved runs on one thread; of recursions and recordings, the least of the
processor. Exit code 1 where a bound is missed: a recurrence takes at most 1.10 of the ONNX
operator; a loop over a list 6 µs a turn, and no more than eager Chainer where its turns do not
depend on one another; a call 20 µs above onnxruntime, one of a recursion that the data decide 20
µs, a turn that looks a key of the run up 10 µs, the Tree-LSTM a fifth of eager Chainer's time;
recording calls costs an evaluation a twentieth; a network has no more nodes, and takes no longer to
run and load, than the traced exporter's file, also where the weights of that are constants, and
half as long to compile. Names of parts as arguments choose among them.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from statistics import median
from types import ModuleType
from typing import Any

import chainer
import numpy as np
import onnx
from rich.console import Console
from rich.table import Table

import elichika
from benchmarks.cells import ROWS
from benchmarks.control_flow import agree, eager, ratio, runner, seconds, session
from benchmarks.demo import count_nodes
from benchmarks.double_loops import DOUBLE_LOOPS
from benchmarks.keyed import Search, WordCount, graph_of, words_of
from benchmarks.recording import evaluations
from benchmarks.recursive import Factorial, Fibonacci, Hanoi
from models import MODELS, Model
from models.zoo import ZOO
from tests.pages import blocks

#: Time, batch, units.
SIZES = ((100, 1, 64), (100, 1, 256), (100, 16, 128), (50, 64, 256))
LENGTHS = (10, 100, 1_000)
PLAIN = ("FLOAT", "DOUBLE", "FLOAT16", "INT8", "INT16", "INT32", "INT64", "UINT8", "BOOL")
TRACED = ("ResNet50", "VGG16", "GoogLeNet")
MOST_RATIO, MOST_CALL, MOST_TURN, MOST_ENCODER = 1.10, 20.0, 6.0, 20
#: µs a call, and the part of eager Chainer's time.
MOST_FRAME, MOST_TREE = 20.0, 0.2
#: µs a turn of a loop that looks keys up.
MOST_KEYED = 10.0
#: How deep, and how many calls that are.
RECURSIVE = (
    (Factorial(), ((10, 11), (100, 101), (900, 901))),
    (Fibonacci(), ((4, 9), (9, 109), (14, 1_219), (19, 13_529))),
    (Hanoi(), ((3, 15), (6, 127), (9, 1_023))),
)
#: Of an evaluation's time, while its calls are recorded.
MOST_RECORDED = 1.05
MOST_TRACED = {"run": 1.0, "nodes": 1.0, "load": 1.0, "load, prepared": 1.0, "compile": 0.5}
#: A run that would take longer, in seconds, is left out, and counts as missed.
PATIENCE = 10.0

Missed = list[str]


def main(names: list[str]) -> int:
    """Show all tables, or those of these names; return whether a bound is missed."""
    console = Console(width=None if sys.stdout.isatty() else 110)
    missed: Missed = []
    for name, part in PARTS.items():
        if not names or name in names:
            part(console, missed)
    for one in missed:
        console.print(f"MISSED: {one}")
    console.print(f"{len(missed)} missed" if missed else "all kept")
    return 1 if missed else 0


def held(missed: Missed, what: str, value: float, most: float) -> str:
    """Note a value above its bound; return how a table shows it."""
    if value <= most:
        return f"{value:.2f}"
    missed.append(f"{what}: {value:.2f}, at most {most:g}")
    return f"[red]{value:.2f}[/]"


def recurrences(console: Console, missed: Missed) -> None:
    """Compare loops that are recurrences with ONNX's operators for them."""
    table = Table("program", *(f"{b} x {u}" for _, b, u in SIZES))
    table.title = "Recurrences, batch x units: time over that of the ONNX operator"
    for name, row in ROWS.items():
        cells = []
        for length, batch, units in SIZES:
            mine, other = _pair(row, length, batch, units)
            if not agree(mine, other):
                missed.append(f"{name}, {batch} x {units}: the results differ")
            quick = 20 if batch * units <= 64 else 1
            shown = ratio(_repeated(mine, quick), _repeated(other, quick))[1]
            cells.append(held(missed, f"{name}, {batch} x {units}", shown, MOST_RATIO))
        table.add_row(name, *cells)
    console.print(table)


def _pair(row: Any, length: int, batch: int, units: int) -> tuple[Any, Any]:
    """Return what runs the compiled chain and what runs the operator."""
    chain = row.make(units)
    xs = np.random.RandomState(0).randn(length, batch, units).astype(np.float32)
    by_hand = row.by_hand(chain, units)
    if not row.listed:
        axes = {"xs": {0: "time", 1: "batch"}}
        compiled = elichika.compile_model(chain, [xs[:, :2]], dynamic_axes=axes, verify=False)
        loaded = session(compiled.proto)
        # what is None after no turn has an output more, which says so
        return lambda: loaded.run(["output"], {"xs": xs}), runner(by_hand, xs)
    lengths = np.array([length - k % length // 2 for k in range(batch)], np.int32)
    sequences = [np.ascontiguousarray(xs[:n, k]) for k, n in enumerate(lengths)]
    compiled = elichika.compile_model(chain, [sequences], verify=False)
    loaded = session(compiled.proto)
    (given,) = loaded.get_inputs()
    return lambda: loaded.run(None, {given.name: sequences}), runner(by_hand, xs, lengths)


def _repeated(run: Callable[[], Any], times: int) -> Callable[[], Any]:
    return lambda: [run() for _ in range(times)][-1]


def double_loops(console: Console, missed: Missed) -> None:
    """Time double loops over lists of numbers."""
    table = Table(
        "program", *(f"{n}: µs a turn" for n in LENGTHS), *(f"of eager, {n}" for n in LENGTHS)
    )
    table.title = "Double loops over lists of numbers, by their lengths: a turn"
    for chain, free in DOUBLE_LOOPS:
        name, spent, shares = type(chain).__name__, list[str](), list[str]()
        example = np.random.RandomState(0).rand(10).astype(np.float32)
        axes = {0: {0: "n"}}
        compiled = elichika.compile_model(chain, [example], dynamic_axes=axes, verify=False)
        turn = 0.0
        for n in LENGTHS:
            turns = n * (n - 1) // 2
            # a turn that copies a list takes the longer, the longer the list is
            if turn * turns * 1e-6 * (n / LENGTHS[0]) ** bool(turn > MOST_TURN) > PATIENCE:
                missed.append(f"{name}, {n}: left out, it takes too long")
                spent.append("-")
                shares.append("-")
                continue
            x = np.random.RandomState(1).rand(n).astype(np.float32)
            mine, other = runner(compiled.proto, x), eager(chain, x)
            if not agree(mine, other):
                missed.append(f"{name}, {n}: the results differ")
            pairs = 20 if n < LENGTHS[-1] else 3
            time, share = ratio(mine, other, pairs)
            turn = 1e6 * time / turns
            if free:
                spent.append(f"{turn:.2f}")
                shares.append(held(missed, f"{name}, {n}, of eager", share, 1.0))
            else:
                spent.append(held(missed, f"{name}, {n}, µs a turn", turn, MOST_TURN))
                shares.append(f"{share:.2f}")
        table.add_row(name, *spent, *shares)
    console.print(table)


def encoder(console: Console, missed: Missed) -> None:
    """Look at README's encoder: its nodes, its output, and OpenVINO."""
    source = Path(__file__).parents[1] / "README.md"
    shown = next(b for b in blocks(source.read_text(encoding="utf-8")) if b.title == "model.py")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.py"
        path.write_text(shown.source, encoding="utf-8")
        space: dict[str, Any] = {"__name__": "model"}
        exec(compile(shown.source, str(path), "exec"), space)
        chain = space["Encoder"]()
        ids = np.array([[3, 14, 15], [92, 65, 35]], np.int32)
        axes = {"ids": {0: "batch", 1: "time"}}
        compiled = elichika.compile_model(chain, [ids], dynamic_axes=axes, verify=False)
    nodes = count_nodes(compiled.proto.graph)
    count = held(missed, "README's encoder, nodes", nodes, MOST_ENCODER)
    try:
        given, theirs = compiled(ids), compiled.on("openvino")(ids)
        loads = "agrees" if np.allclose(given, theirs, 1e-4, 1e-6) else "differs"
    except Exception as error:
        loads = f"fails: {str(error).splitlines()[0][:60]}"
    if loads != "agrees":
        missed.append(f"README's encoder, OpenVINO {loads}")
    console.print(f"README's encoder: {count} nodes, OpenVINO {loads}")


class _Relu(chainer.Chain):
    def forward(self, x: Any) -> Any:
        return chainer.functions.relu(x)


class _Pair(chainer.Chain):
    def forward(self, xs: Any) -> Any:
        return {"first": xs["a"] + 1, "second": [xs["b"], xs["a"]]}


class _Listed(chainer.Chain):
    def forward(self, xs: Any) -> Any:
        return [x + 1 for x in xs]


class _Counting(chainer.Chain):
    def __init__(self) -> None:
        super().__init__()
        self.total = np.zeros((2, 3), np.float32)

    def forward(self, x: Any) -> Any:
        self.total = self.total + x
        return self.total


def calls(console: Console, missed: Missed) -> None:
    """Time `CompiledModel.__call__` above what onnxruntime takes itself."""
    x = np.ones((2, 3), np.float32)
    for name, chain, given, most in (
        ("one input and one output", _Relu(), x, MOST_CALL),
        ("a dict of two, to a dict and a list", _Pair(), {"a": x, "b": x}, np.inf),
        ("a list of four, to a list", _Listed(), [x] * 4, np.inf),
        ("a state", _Counting(), x, np.inf),
    ):
        above = _above(chain, given, x, name == "a state")
        shown = held(missed, f"a call with {name}, µs", above, most)
        console.print(f"A call with {name}: {shown} µs above onnxruntime's run")


def _above(chain: Any, given: Any, x: Any, state: bool) -> float:
    """Return by how many µs a call is longer than onnxruntime's run on `x` for each input."""
    compiled = elichika.compile_model(chain, [given], state=state, verify=False)
    raw = compiled.session
    feed = {one.name: given if type(given) is list else x for one in raw.get_inputs()}
    few = 20  # in less than the time for which another process gets the core
    mine = _repeated(lambda: compiled(given), few)
    other = _repeated(lambda: raw.run(None, feed), few)
    mine(), other()
    spent = [(seconds(mine), seconds(other)) for _ in range(500)]
    return 1e6 * median(a - b for a, b in spent) / few


def traced_exporter() -> Any:
    """Return `onnx_chainer`, which reads tables that onnx no longer has."""
    tables: Any = ModuleType("onnx.mapping")
    types = onnx.helper.get_all_tensor_dtypes()
    tables.TENSOR_TYPE_TO_NP_TYPE = {
        one: onnx.helper.tensor_dtype_to_np_dtype(one) for one in types
    }
    plain = [getattr(onnx.TensorProto, name) for name in PLAIN]
    tables.NP_TYPE_TO_TENSOR_TYPE = {tables.TENSOR_TYPE_TO_NP_TYPE[one]: one for one in plain}
    tables.STORAGE_TENSOR_TYPE_TO_FIELD = {
        onnx.TensorProto.FLOAT: "float_data",
        onnx.TensorProto.INT32: "int32_data",
        onnx.TensorProto.INT64: "int64_data",
    }
    tables.TENSOR_TYPE_TO_STORAGE_TENSOR_TYPE = {one: one for one in types}
    sys.modules["onnx.mapping"] = tables
    onnx.mapping = tables
    return import_module("onnx_chainer")


def traced(console: Console, missed: Missed) -> None:
    """Compare networks of images with the files of the traced exporter."""
    exporter = traced_exporter()
    table = Table("network", *MOST_TRACED, title="Networks: ratios to the traced exporter's file")
    for model in (one for one in MODELS if one.name in TRACED):
        found = _against(exporter, model, missed)
        shown = [held(missed, f"{model.name}, {k}", found[k], MOST_TRACED[k]) for k in MOST_TRACED]
        table.add_row(model.name, *shown)
    console.print(table)


def _against(exporter: Any, model: Model, missed: Missed) -> dict[str, float]:
    """Return the ratios of a network by what is compared."""
    chain, inputs = model.build(), model.inputs(batch=1)[:1]  # the layer that it has by itself
    with tempfile.TemporaryDirectory() as folder:
        paths = [str(Path(folder) / name) for name in ("mine.onnx", "traced.onnx")]

        def trace() -> None:
            with chainer.using_config("train", False):
                exporter.export(chain, inputs, paths[1], no_testcase=True)

        def compile_() -> None:
            elichika.compile_model(chain, inputs, paths[0], verify=False)

        found = {"compile": ratio(compile_, trace, 3)[1]}
        one, two = (onnx.load(path) for path in paths)
    two.ir_version = one.ir_version  # onnx writes a newer one than onnxruntime reads
    runs = [runner(proto, *inputs) for proto in (one, two)]
    if not agree(*runs):
        missed.append(f"{model.name}: the results differ")
    found["run"] = ratio(runs[0], runs[1], 7)[1]
    found["nodes"] = count_nodes(one.graph) / count_nodes(two.graph)
    found["load"] = ratio(lambda: session(one), lambda: session(two), 5)[1]
    # that file has its weights as inputs, too: onnxruntime then prepares nothing, and runs slower
    weights = {weight.name for weight in two.graph.initializer}
    given = [value for value in two.graph.input if value.name not in weights]
    del two.graph.input[:]
    two.graph.input.extend(given)
    found["load, prepared"] = ratio(lambda: session(one), lambda: session(two), 5)[1]
    return found


def recursion(console: Console, missed: Missed) -> None:
    """Time calls that the data decide, and the recursive Tree-LSTM against eager Chainer."""
    table = Table("program", "depth", "calls", "µs a call", title="Recursion that the data decide")
    for chain, depths in RECURSIVE:
        model = elichika.compile_model(chain, [3], verify=False)
        for depth, calls in depths:
            run = runner(model.proto, np.array(depth, np.int64))
            if not agree(run, eager(chain, depth)):
                missed.append(f"{type(chain).__name__}, {depth}: the results differ")
            each = min(seconds(run, time.process_time) for _ in range(7)) / calls * 1e6
            shown = held(missed, f"{type(chain).__name__}, {depth}", each, MOST_FRAME)
            table.add_row(type(chain).__name__, str(depth), f"{calls:,}", shown)
    console.print(table)
    tree = next(one for one in ZOO if one.name == "Tree-LSTM, recursive")
    chain, inputs = tree.build(), tree.inputs(leaves=40, seed=3)
    model = elichika.compile_model(
        chain, tree.inputs(), dynamic_axes=tree.dynamic_axes, verify=False
    )
    mine, slower = ratio(runner(model.proto, *inputs), eager(chain, *inputs))
    what = "Tree-LSTM of 40 leaves at 128 units, time over eager"
    console.print(f"{what}: {held(missed, what, slower, MOST_TREE)} ({mine * 1e3:.1f} ms)")


def keyed(console: Console, missed: Missed) -> None:
    """Time loops over what is kept by keys of the run."""
    table = Table("program", "turns", "µs a turn", title="Dicts and sets by keys of the run")
    near, first = graph_of(200, 4)
    rows: list[tuple[Any, str, tuple[Any, ...], int]] = [
        (WordCount(), "1,000 words of 100 kinds", (words_of(1_000, 100),), 1_000),
        (Search(), "200 nodes, 1,000 edges", (near, first, 0), len(near) + 200),
    ]
    for chain, what, inputs, turns in rows:
        axes = {place: {0: f"n{place}"} for place, one in enumerate(inputs) if np.ndim(one)}
        compiled = elichika.compile_model(chain, inputs, dynamic_axes=axes, verify=False)
        if compiled(*inputs) != chain(*inputs):
            missed.append(f"{type(chain).__name__}: the results differ")
        run = runner(compiled.proto, *inputs)
        each = min(seconds(run, time.process_time) for _ in range(9)) / turns * 1e6
        name = f"{type(chain).__name__}, {what}"
        table.add_row(name, f"{turns:,}", held(missed, f"{name}, µs a turn", each, MOST_KEYED))
    console.print(table)


def recording(console: Console, missed: Missed) -> None:
    """Compare evaluations whose calls are recorded with those that just run."""
    table = Table("evaluation", "recorded over plain", title="Recorded calls")
    for name, (recorded, plain) in evaluations().items():
        recorded(), plain()
        times = [
            (seconds(recorded, time.process_time), seconds(plain, time.process_time))
            for _ in range(9)
        ]
        share = min(a for a, _ in times) / min(b for _, b in times)
        table.add_row(name, held(missed, f"{name}, recorded", share, MOST_RECORDED))
    console.print(table)


PARTS = {
    "recording": recording,
    "keyed": keyed,
    "recursion": recursion,
    "recurrences": recurrences,
    "double_loops": double_loops,
    "encoder": encoder,
    "calls": calls,
    "traced": traced,
}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
