"""Measures loops: compiled from Python, written by hand, one ONNX operator, and eager Chainer.

Exit code 1 where a bound is missed: a compiled loop takes at most 1.10 times what the one written
by hand takes (median of twenty interleaved pairs) and has at most two nodes more in its body; a
list that grows takes linear time. Compile time and walks of nested loops are printed as well.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from statistics import median
from typing import Any

import chainer
import numpy as np
import onnx
import onnxruntime
from rich.console import Console
from rich.table import Table

import elichika
from benchmarks.decoding import DECODERS
from benchmarks.loops_by_hand import lstm_loop, lstm_operator, newton_loop, rnn_loop, rnn_operator
from benchmarks.recurrent import LSTM, RNN, Collector, Newton
from elichika.walker.loops import Loops
from tests.walker.test_walks import MOST, model_of

HIDDEN = 256
LENGTHS, BATCHES = (64, 128), (32, 64, 128)
PAIRS = 20
MOST_RATIO, MOST_NODES = 1.10, 2
NETWORKS = ((RNN, rnn_loop, rnn_operator), (LSTM, lstm_loop, lstm_operator))
TURNS = (100, 1_000, 10_000)
#: How much longer ten times the turns may take.
MOST_GROWTH = 15.0

Run = Callable[[], Any]


def main() -> int:
    """Show all tables; return whether a bound is missed."""
    console = Console(width=None if sys.stdout.isatty() else 110)
    right = [recurrent(console), scalar(console), growth(console), decoding(console)]
    nesting(console)
    return 0 if all(right) else 1


def session(proto: onnx.ModelProto) -> onnxruntime.InferenceSession:
    """Load a model for one thread."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(
        proto.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )


def runner(proto: onnx.ModelProto, *inputs: Any) -> Run:
    """Return a call that runs a model on some inputs."""
    loaded = session(proto)
    names = [value.name for value in loaded.get_inputs()]
    feed = dict(zip(names, (np.asarray(x) for x in inputs), strict=True))
    return lambda: loaded.run(None, feed)


def eager(chain: Any, *inputs: Any) -> Run:
    """Return a call that runs a chain on some inputs."""

    def run() -> Any:
        with chainer.using_config("train", False), chainer.no_backprop_mode():
            return chain(*inputs)

    return run


def seconds(run: Run, clock: Callable[[], float] = time.perf_counter) -> float:
    """Time one call."""
    start = clock()
    run()
    return clock() - start


def ratio(run: Run, other: Run, pairs: int = PAIRS) -> tuple[float, float]:
    """Return the median time of a call, and the median ratio to another over interleaved pairs."""
    run(), other()
    times = [(seconds(run), seconds(other)) for _ in range(pairs)]
    return median(a for a, _ in times), median(a / b for a, b in times)


def body_nodes(proto: onnx.ModelProto) -> int:
    """Count the nodes of the body of a model's first Loop, with what is nested in it."""
    (loop, *_) = (node for node in proto.graph.node if node.op_type == "Loop")
    (body,) = (attribute.g for attribute in loop.attribute if attribute.name == "body")
    return _count(body)


def _count(graph: onnx.GraphProto) -> int:
    inner = (attribute.g for node in graph.node for attribute in node.attribute)
    return len(graph.node) + sum(_count(body) for body in inner if body.node)


def agree(run: Run, other: Run) -> bool:
    """Whether two calls give the same first result."""
    first, second = (np.asarray(_first(call())) for call in (run, other))
    return first.shape == second.shape and np.allclose(first, second, 1e-3, 1e-4)


def _first(result: Any) -> Any:
    result = result[0] if isinstance(result, (list, tuple)) else result
    return chainer.as_array(result)


def recurrent(console: Console) -> bool:
    """Compare recurrent networks over time."""
    table = Table("network", "time", "batch", "ms", "by hand", "operator", "eager", "nodes")
    table.title = f"Recurrent networks of {HIDDEN} units: milliseconds, and ratios to the others"
    right = True
    for make, by_hand, operator in (
        (RNN, rnn_loop, rnn_operator),
        (LSTM, lstm_loop, lstm_operator),
    ):
        chain = make(HIDDEN)
        example = np.zeros((2, 2, HIDDEN), np.float32)
        model = elichika.compile_model(
            chain, example, dynamic_axes={0: {0: "time", 1: "batch"}}, verify=False
        )
        loop, single = by_hand(chain), operator(chain)
        nodes = body_nodes(model.proto), body_nodes(loop)
        right &= nodes[0] <= nodes[1] + MOST_NODES
        for length in LENGTHS:
            for batch in BATCHES:
                x = np.random.RandomState(0).randn(length, batch, HIDDEN).astype(np.float32)
                mine = runner(model.proto, x)
                others = [runner(loop, x), runner(single, x), eager(chain, x)]
                right &= all(agree(mine, other) for other in others)
                spent, first = ratio(mine, others[0])
                more = [ratio(mine, other, 3)[1] for other in others[1:]]
                right &= first <= MOST_RATIO
                cells = [f"{1000 * spent:.1f}", *(f"{r:.2f}" for r in (first, *more))]
                table.add_row(
                    make.__name__, str(length), str(batch), *cells, f"{nodes[0]} : {nodes[1]}"
                )
    console.print(table)
    return right


def scalar(console: Console) -> bool:
    """Compare a `while` with a scalar body."""
    chain, x = Newton(), np.float32(2.0e6)
    model = elichika.compile_model(chain, x, verify=False)
    loop = newton_loop()
    mine, other = runner(model.proto, x), runner(loop, x)
    nodes = body_nodes(model.proto), body_nodes(loop)
    spent, first = ratio(lambda: [mine() for _ in range(50)], lambda: [other() for _ in range(50)])
    right = agree(mine, other) and first <= MOST_RATIO and nodes[0] <= nodes[1] + MOST_NODES
    console.print(
        f"A scalar `while`: {1e6 * spent / 50:.0f} µs, {first:.2f} of the one by hand, "
        f"{nodes[0]} : {nodes[1]} nodes in the body, "
        f"{ratio(mine, eager(chain, x))[1]:.2f} of eager"
    )
    return right


def growth(console: Console) -> bool:
    """Time lists that grow by one array a turn; other processes do not count."""
    example = (np.ones(8, np.float32), 3)
    model = elichika.compile_model(Collector(), example, verify=False)
    times = []
    for turns in TURNS:
        run = runner(model.proto, np.ones(8, np.float32), np.int64(turns))
        run()
        times.append(min(seconds(run, time.process_time) for _ in range(20)))
    shown = ", ".join(f"{n}: {1000 * t:.2f} ms" for n, t in zip(TURNS, times, strict=True))
    console.print(f"A list appended to: {shown}")
    return all(b <= MOST_GROWTH * a for a, b in pairwise(times))


def decoding(console: Console) -> bool:
    """Compare decoders with eager Chainer."""
    right = True
    for make, inputs in DECODERS:
        chain = make()
        model = elichika.compile_model(chain, inputs, verify=False)
        mine, other = eager(model, *inputs), eager(chain, *inputs)
        spent, first = ratio(mine, other, 5)
        right &= agree(mine, other)
        console.print(f"{make.__name__}: {1000 * spent:.1f} ms, {first:.2f} of eager")
    return right


def nesting(console: Console) -> None:
    """Show how often the body of nested loops is walked, and how compile time grows."""
    table = Table("depth", "walks", "at most", "ms a line: 10", "20", "40", "80")
    table.title = "Nested loops: walks of the innermost body, compile time by lines of the source"
    example = (np.ones(3, np.float32), 2)
    for depth, most in MOST.items():
        walks = walks_of(lambda depth=depth: model_of(depth, "s = s + x"), example)
        cells = []
        for lines in (10, 20, 40, 80):
            chain = model_of(depth, "s = s * 0.5 + x", lines)
            spent = min(
                seconds(lambda chain=chain: elichika.compile_model(chain, example, verify=False))
                for _ in range(3)
            )
            cells.append(f"{1000 * spent / lines:.1f}")
        table.add_row(str(depth), str(walks), str(most), *cells)
    console.print(table)


def walks_of(make: Callable[[], Any], example: Any) -> int:
    """Count how often the loop that is walked most is walked."""
    walks: Counter[int] = Counter()
    original = Loops._turn

    def counted(self: Loops, node: Any, item: Any) -> Any:
        walks[node.lineno] += 1
        return original(self, node, item)

    Loops._turn = counted  # type: ignore[method-assign]
    try:
        elichika.compile_model(make(), example, verify=False)
    finally:
        Loops._turn = original  # type: ignore[method-assign]
    return max(walks.values())


if __name__ == "__main__":
    sys.exit(main())
