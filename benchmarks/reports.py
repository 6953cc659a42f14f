"""Reports of four models, and whether `trace` finds the line of faults in their files.

Each page is written with the time of its lines to `build/reports`, and opened in headless Chromium
where that is installed: it has to be there within a second, and to be smaller than 3 MB. Then
operators of the file are exchanged, left out or given their operands the other way round, one at a
time; `trace --against` has to say that the file as it was agrees with the chain, and of each fault
that moves the results the line where it is. Exit code 1 where that is not so. Names as arguments
choose among the models; that of Mask R-CNN is there where chainercv is: `make reports` installs it.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from rich.console import Console
from rich.table import Table

import elichika
from elichika.model.trace import Sessions, Step, traced
from elichika.verify.compare import TOLERANCES
from elichika.verify.divergence import Reference, files_of
from models import MODELS, Model
from models.detectors import DETECTORS, load_chainercv
from models.zoo import ZOO
from tests.page.browser import CHROMIUM, Browser
from tests.verify.faults import KINDS, faults

FOLDER = Path("build/reports")
NAMES = (
    "ResNet50",
    "LSTM language model",
    "Seq2seq with attention, beam search",
    "Mask R-CNN, FPN, ResNet50",
)
MOST_BYTES, MOST_SECONDS = 3_000_000, 1.0
FAULTS = 5
MOVED = 0.05
"""What a fault has to move a result by, of its largest magnitude."""
SORTS = ("a wrong operator", "operands swapped", "an operator left out")
WRAPPER = """<!doctype html><iframe style="width:1600px;height:900px"></iframe><script>
const frame = document.querySelector("iframe"), begun = performance.now();
frame.onload = () => {
  frame.contentDocument.body.offsetHeight;
  requestAnimationFrame(() => setTimeout(() => fetch("ANSWER", { method: "POST", body: JSON.stringify({ seconds: (performance.now() - begun) / 1000, lines: frame.contentDocument.querySelectorAll(".line").length }) })));
};
frame.src = "REPORT";
</script>"""  # noqa: E501


def subjects(names: Sequence[str]) -> Iterator[Model]:
    """Yield the models of these names, or all."""
    if find_spec("chainercv"):
        load_chainercv()
    for model in (*MODELS, *ZOO, *(DETECTORS if find_spec("chainercv") else ())):
        if model.name in (names or NAMES):
            yield model


def seconds_to_open(path: Path) -> float:
    """Return how long Chromium takes until a page is drawn: the least of three times."""
    browser = Browser(path.parent)
    try:
        text = WRAPPER.replace("REPORT", path.name)
        return min(float(browser.answer(text)["seconds"]) for _ in range(3))
    finally:
        browser.close()
        (path.parent / "wrapper.html").unlink()


def faulty(proto: onnx.ModelProto, draw: random.Random) -> Iterator[tuple[str, onnx.ModelProto]]:
    """Yield the name of an operator and the model where something is wrong with it."""
    known = [(kind, at) for kind, found in faults(proto, {}).items() for at in range(len(found))]
    for kind, at in draw.sample(known, len(known)):
        if kind in SORTS:
            copy = onnx.ModelProto()
            copy.CopyFrom(proto)
            fault = faults(copy, {})[kind][at]
            fault.make()
            yield fault.place.partition(" ")[0], copy


class Lines:
    """The lines where files leave the chain: one run of the chain, and one of each file."""

    def __init__(self, model: Any, chain: Any, inputs: Any) -> None:
        self._model, self._sessions = model, Sessions()
        self._feeds = model.report.shown.feeds(inputs)
        self._anew = self._steps(model.proto)
        self._reference = Reference(model.signature, chain, inputs, files_of(self._anew))

    def _steps(self, proto: onnx.ModelProto) -> list[Step]:
        return list(traced(proto, self._model.source_map, self._feeds, self._sessions))

    def of_model(self) -> str:
        """Return the line where the file leaves its chain as it was compiled."""
        return self._told(self._reference.parting(self._anew, self._anew))

    def of_fault(self, proto: onnx.ModelProto) -> str | None:
        """Return the line where a file leaves its chain; None where it fails or gives the same."""
        try:
            steps = self._steps(proto)
        except (elichika.ElichikaError, ValueError):
            return None
        if not _moved(self._results(steps), self._results(self._anew)):
            return None
        return self._told(self._reference.parting(steps, self._anew))

    def _results(self, steps: Sequence[Step]) -> list[Any]:
        """Return the arrays and numbers of all outputs."""
        values = {name: value for step in steps for name, value in step.outputs.items()}
        found = [values[spec.name] for spec in self._model.signature.outputs.specs]
        return [item for one in found for item in (one if isinstance(one, list) else [one])]

    def _told(self, first: Step | None) -> str:
        return "" if first is None else f"{first.label or first.name} {first.layer}"


def _moved(found: Sequence[Any], right: Sequence[Any]) -> bool:
    if len(found) != len(right):
        return True
    return any(_differ(*pair) for pair in zip(found, right, strict=True))


def _differ(one: Any, right: Any) -> bool:
    if one.shape != right.shape:
        return True
    far = np.abs(one.astype(np.float64) - right.astype(np.float64))
    return bool(far.size and far.max() > MOVED * max(1e-30, float(np.abs(right).max())))


def found_lines(model: Any, lines: Lines, console: Console) -> tuple[int, int]:
    """Return of how many faults the line is found, and how many there are; others are shown."""
    found = tried = 0
    for place, proto in faulty(model.proto, random.Random(0)):
        expected = f"{model.source_map.label(place)} {model.source_map.layer(place)}"
        line = lines.of_fault(proto) if model.source_map.label(place) else None
        if line is None:
            continue
        tried += 1
        if line == expected:
            found += 1
        else:
            console.print(f"  {place} of {expected}: found at {line or 'nowhere'}")
        if tried == FAULTS:
            break
    return found, tried


def reported(entry: Model, table: Table, console: Console) -> bool:
    """Write the report of a model, measure it, and look for faults; tell whether all is right."""
    chain, inputs = entry.build(), entry.inputs()
    slow = entry.module == "models.detectors"
    start = time.perf_counter()
    model = elichika.compile_model(
        chain,
        inputs,
        method=entry.method,
        dynamic_axes=entry.dynamic_axes,
        static=entry.static,
        verify=not slow,
    )
    if slow:  # deriving inputs, or how far rounding moves the chain, takes minutes
        tolerances = {"float32": TOLERANCES["float32"] * entry.loosened}
        model.verify(chain=chain, derive=False, tolerances=tolerances)
    compiled = time.perf_counter() - start
    path = FOLDER / f"{entry.name.replace(', ', '_').replace(' ', '_')}.html"
    model.report.save_html(path, profile=inputs)
    opened = seconds_to_open(path) if CHROMIUM else float("nan")
    lines = Lines(model, chain, inputs)
    size, right = path.stat().st_size, lines.of_model()
    found, tried = found_lines(model, lines, console)
    table.add_row(
        entry.name,
        str(model.report.shown.storage.nodes),
        f"{compiled:.0f} s",
        f"{size / 1e6:.2f} MB",
        f"{opened:.2f} s" if CHROMIUM else "no Chromium here",
        f"as Chainer{f', but {right}' if right else ''}",
        f"{found} of {tried}",
    )
    return (size < MOST_BYTES and not opened > MOST_SECONDS and not right) and found == tried


def main(names: Sequence[str]) -> int:
    """Write reports and print what was measured; 1 where something is missed."""
    assert set(SORTS) <= set(KINDS)
    FOLDER.mkdir(parents=True, exist_ok=True)
    console = Console(width=150)
    table = Table("model", "operators", "compiled", "page", "opens in", "trace", "lines of faults")
    fine = [reported(model, table, console) for model in subjects(names)]
    console.print(table)
    return int(not all(fine))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
