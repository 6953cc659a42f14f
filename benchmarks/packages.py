"""Compiles entry points of packages, compares them with Chainer, and writes `docs/packages.md`.

Words given as arguments choose among the entry points, and then nothing is written. The exit code
is 1 where one differs, or is refused and should not be.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import elichika
from benchmarks.demo import count_nodes
from benchmarks.zoo import in_turns
from tests.models.packages import ENTRIES, Entry
from tests.models.parity import assert_same, eager
from tests.models.test_authors_code import SPEECH, without_other_backends

DOCUMENT = Path("docs/packages.md")
HEAD = """# Packages

Written by `make packages`. Each row is an entry point of a published package as its authors wrote
it: what its users call, with small sizes and random weights. It is compiled once, without
verification, and compared with eager Chainer on all its inputs: batches, graphs, lengths and lists
of other sizes than those that it was compiled with. *Refused* rows say why. Times are processor
times of one thread, on the first input: both run alternately, and the fastest of up to five runs
counts. What is not in the table is in the tests that `make packages` runs: OpenPose from heatmaps
to poses, policies and Q-functions of chainerrl, predictors of chainer-chemistry that take datasets.

| package | entry point | nodes | compile s | eager ms | onnxruntime ms | faster | result |
|---|---|--:|--:|--:|--:|--:|---|
"""


def main(words: list[str]) -> int:
    """Compile and compare the entry points with one of these words in their name, or all."""
    rows, failed = [], False
    with without_other_backends():
        for entry in (*ENTRIES, *SPEECH):
            if words and not any(word in f"{entry.package} {entry.name}" for word in words):
                continue
            try:
                cells = list(tried(entry))
            except (elichika.ElichikaError, AssertionError) as error:
                failed = True
                cells = [f"FAILED: {error}"]
            rows.append(f"| {entry.package} | {entry.name} | {' | '.join(cells)} |")
            sys.stdout.write(rows[-1] + "\n")
            sys.stdout.flush()
    if not words and not failed:
        DOCUMENT.write_text(HEAD + "\n".join(rows) + "\n")
    return int(failed)


def tried(entry: Entry) -> Iterator[str]:
    """Give what the table says of one entry point.

    Raises:
        ElichikaError: It is refused, and should not be.
        AssertionError: It differs, or is not refused and should be.
    """
    chain, start = entry.made(), time.process_time()
    try:
        model = elichika.compile_model(
            chain,
            entry.inputs[0],
            dynamic_axes=entry.axes,
            verify=False,
            max_seconds=entry.seconds,
        )
    except elichika.ElichikaError as error:
        message = str(error).splitlines()[0]
        if not entry.refused or entry.refused not in message:
            raise
        yield from (*[""] * 5, f"refused: {message}")
        return
    seconds = time.process_time() - start
    assert not entry.refused, f"{entry.name} is not refused any more"
    for given in entry.inputs:
        assert_same(eager(chain, *given), model(*given), entry.name)
    first: Any = entry.inputs[0]
    spent = in_turns(lambda: eager(chain, *first), lambda: model(*first))
    yield from (f"{count_nodes(model.proto.graph):,}", f"{seconds:.1f}")
    yield from (f"{spent[0]:.1f}", f"{spent[1]:.1f}", f"{spent[0] / spent[1]:.1f}x")
    yield f"right on {len(entry.inputs)} inputs"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
