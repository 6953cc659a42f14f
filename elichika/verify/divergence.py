"""Where the run of a model first leaves that of its chain.

What the chain computes is written down line by line: results of Chainer's functions, and arrays
that local variables come to hold. A step of the model is *confirmed* where the chain had the same
array on one of the step's lines. Behind an output that is not confirmed, the steps that are not, up
to those that are, are what is left to suspect; the first of them is where the two part. A test is
suspected where the model was on a line that the chain was not on.

Where a new model of the chain gives what the chain gives, the steps of its run are taken instead:
what they give is known at each line and in each turn.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from types import CodeType, FrameType
from typing import Any

import chainer
import numpy as np

from elichika.model.trace import Step
from elichika.process.configuration import configuration
from elichika.registry import lowering_of
from elichika.signature import Signature
from elichika.signature.reading import read_call
from elichika.verify.beside import TOLERANCE, close, first_unlike
from elichika.verify.kinds import leaves
from elichika.verify.patching import in_place

__all__ = ["Events", "Reference", "files_of", "first_difference", "parting", "recorded"]

SMALL = 100_000
"""Elements of an array that is looked at again on each line."""
OF_SEQUENCES = frozenset(["LSTM", "GRU", "RNN", "If", "Squeeze", "Unsqueeze", "Transpose"])
"""Operators on all rows of a loop at once, and what moves these: they have the line of the loop."""
FEW = 64
"""Elements of arrays that are compared with all others of their shape at once."""
RESULT = ""
"""The place of what the chain returns."""


class Events:
    """The arrays that a chain had, each with the lines that it had them on.

    An operator on a whole sequence gives in one array what the chain had row by row.

    Attributes:
        lines: All lines that it was on.
        result: The arrays and numbers that it returned, left to right.
    """

    def __init__(self) -> None:
        self.lines: set[str] = set()
        self.result: list[Any] = []
        self._found: dict[tuple[int, ...], _Alike] = {}

    def add(self, places: Collection[str], value: Any) -> None:
        """Write down the arrays and numbers in a value."""
        for leaf in leaves(value):
            array = np.array(leaf)
            if array.dtype.kind in "biuf":
                self._found.setdefault(array.squeeze().shape, _Alike()).add(places, array)

    def confirm_rows(self, places: Collection[str], value: Any) -> bool:
        """Tell whether the chain had a value on one of these lines, or each of its rows."""
        if self.confirm(places, value):
            return True
        if type(value) is np.ndarray and not value.squeeze().ndim:
            return False
        rows = value.squeeze() if type(value) is np.ndarray else value
        return all(self.confirm(places, row) for row in rows)

    def confirm(self, places: Collection[str], value: Any) -> bool:
        """Tell whether the chain had a value on one of these lines."""
        items = [value] if isinstance(value, (np.ndarray, np.generic)) else value
        return all(self._had(places, np.asarray(item)) for item in items)

    def _had(self, places: Collection[str], array: np.ndarray[Any, Any]) -> bool:
        known = self._found.get(array.squeeze().shape)
        return known is not None and known.had(places, array)

    def gave(self, value: Any) -> bool:
        """Tell whether the chain returned a value, of the same shape."""
        items = [np.asarray(item) for item in (value if type(value) is not np.ndarray else [value])]
        return all(self._had([RESULT], one) and self._gave(one) for one in items)

    def _gave(self, array: np.ndarray[Any, Any]) -> bool:
        known = self._found[array.squeeze().shape].arrays()
        return any(one.shape == array.shape for one, places in known if RESULT in places)


class _Alike:
    """Arrays of one shape but for axes of one element, each once, with the lines of each."""

    def __init__(self) -> None:
        self._known: dict[Any, tuple[np.ndarray[Any, Any], set[str]]] = {}
        self._rows: np.ndarray[Any, Any] | None = None

    def add(self, places: Collection[str], array: np.ndarray[Any, Any]) -> None:
        """Write an array down, and where it was."""
        self._rows = None
        self._known.setdefault(_content(array), (array, set()))[1].update(places)

    def arrays(self) -> Iterable[tuple[np.ndarray[Any, Any], set[str]]]:
        """Return all arrays, and where they were."""
        return self._known.values()

    def had(self, places: Collection[str], array: np.ndarray[Any, Any]) -> bool:
        """Tell whether one of the arrays is this one, but for rounding, and was there."""
        same = self._known.get(_content(array))
        if same is not None and not same[1].isdisjoint(places):
            return True
        if array.size > FEW:
            near = (one for one, at in self.arrays() if not at.isdisjoint(places))
            return any(close(array, one) for one in near)
        if self._rows is None:
            self._rows = np.array([one.reshape(-1) for one, _ in self.arrays()], np.float64)
        close = _near(array.reshape(-1).astype(np.float64), self._rows)
        return any(
            not at.isdisjoint(places) and is_close
            for (_, at), is_close in zip(self.arrays(), close, strict=True)
        )


def _content(array: np.ndarray[Any, Any]) -> Any:
    return array.shape, array.dtype.str, array.tobytes()


def _near(row: np.ndarray[Any, Any], rows: np.ndarray[Any, Any]) -> Any:
    """Tell of each of some rows whether it is this one but for rounding."""
    with np.errstate(all="ignore"):
        scale = np.where(np.isfinite(rows), np.abs(rows), 0.0).max(
            axis=1, initial=0.0, keepdims=True
        )
        far = TOLERANCE * scale + TOLERANCE * np.abs(rows)
        close = (rows == row) | (np.abs(rows - row) <= far) | (np.isnan(rows) & np.isnan(row))
        finite = np.isfinite(rows) == np.isfinite(row)
    return (close & finite).all(axis=1)


class Reference:
    """One run of a chain, which runs of several models are held against.

    Args:
        signature: That of the models.
        chain: What they were compiled from.
        given: The inputs of the run.
        files: Those whose lines are of interest.
    """

    def __init__(
        self, signature: Signature, chain: Any, given: Any, files: Collection[str]
    ) -> None:
        self._signature = signature
        specs = signature.inputs.specs
        leaves = zip(specs, read_call(signature.inputs, given), strict=True)
        call = signature.inputs.rebuild([spec.to_python(leaf) for spec, leaf in leaves])
        called = getattr(chain, signature.method or "__call__")
        with configuration(signature.train):
            self._events = recorded(lambda: called(*call.args, **call.kwargs), files)

    def parting(self, steps: Sequence[Step], anew: Sequence[Step] = ()) -> Step | None:
        """Return the first step of a run that the chain does not explain, if any.

        Args:
            steps: All of the run.
            anew: Those of a new model of the chain, of a run on the same inputs.
        """
        outputs = _outputs(self._signature, steps)
        if self._gave(outputs):
            return None
        if self._gave(_outputs(self._signature, anew)):
            first = first_unlike(steps, anew)
            if first is not None and (first.label or not any(step.label for step in steps)):
                return first
        return first_difference(steps, outputs, self._events)

    def _gave(self, outputs: Sequence[Any]) -> bool:
        """Tell whether outputs are what the chain returned."""
        specs, right = self._signature.outputs, self._events.result
        if len(outputs) != len(specs.specs):
            return False
        found = list(leaves(specs.rebuild(list(outputs))))
        return len(found) == len(right) and all(
            np.shape(one) == np.shape(other) and close(one, other)
            for one, other in zip(found, right, strict=True)
        )


def parting(
    signature: Signature,
    chain: Any,
    given: Any,
    steps: Sequence[Step],
    anew: Sequence[Step] = (),
) -> Step | None:
    """Return the first step of a run that the chain does not explain, if any."""
    return Reference(signature, chain, given, files_of(steps)).parting(steps, anew)


def files_of(steps: Sequence[Step]) -> set[str]:
    """Return the files that steps have lines of."""
    return {place.rpartition(":")[0] for step in steps for place in _places(step)}


def _outputs(signature: Signature, steps: Sequence[Step]) -> list[Any]:
    values = {name: value for step in steps for name, value in step.outputs.items()}
    return [values[spec.name] for spec in signature.outputs.specs if spec.name in values]


def recorded(run: Callable[[], Any], files: Collection[str]) -> Events:
    """Run a chain, and write down what it has on the lines of these files."""
    events = Events()
    with _functions(events, files), _variables(events, files):
        result = run()
        events.result = [np.array(leaf) for leaf in leaves(result)]
        events.add([RESULT], result)
    return events


@contextmanager
def _functions(events: Events, files: Collection[str]) -> Iterator[None]:
    plain = chainer.FunctionNode.apply

    def apply(self: Any, inputs: Any) -> Any:
        is_whole = lowering_of(type(getattr(self, "_function", self))) is not None
        with _untraced() if is_whole else nullcontext():
            outputs = plain(self, inputs)
        events.add(list(_lines(sys._getframe(1), files)), outputs)
        return outputs

    with in_place([(chainer.FunctionNode, "apply", apply)]):
        yield


@contextmanager
def _untraced() -> Iterator[None]:
    """Note no variables of a function that the model has as a whole: it may have long loops."""
    tracer = sys.gettrace()
    sys.settrace(None)
    try:
        yield
    finally:
        sys.settrace(tracer)


@contextmanager
def _variables(events: Events, files: Collection[str]) -> Iterator[None]:
    """Note what local variables come to hold, when the next line begins or the call ends."""
    held: dict[FrameType, tuple[int, dict[Any, Any]]] = {}

    def step(frame: FrameType, what: str, value: Any) -> Any:
        line, before = held.pop(frame, (frame.f_lineno, {}))
        now = {_version(leaf): leaf for leaf in leaves(dict(frame.f_locals))}
        new = [leaf for version, leaf in now.items() if version not in before]
        new += [value] if what == "return" else []
        above = frame.f_back
        outer = list(_lines(above, files)) if above else []
        if what != "call":
            places = [f"{_short(frame)}:{line}", *outer]
            events.lines.update(places)
            events.add(places, new)
        if what != "return":
            held[frame] = (frame.f_lineno, now)
        return step

    known: dict[CodeType, bool] = {}

    def enter(frame: FrameType, what: str, value: Any) -> Any:
        code = frame.f_code
        if code not in known:
            known[code] = _short(frame) in files
        return step(frame, what, value) if known[code] else None

    tracer = sys.gettrace()
    sys.settrace(enter)
    try:
        yield
    finally:
        sys.settrace(tracer)


def _version(leaf: Any) -> tuple[int, int]:
    """Return what tells a value from others, and a small array from what is written to it later."""
    small = type(leaf) is np.ndarray and leaf.size <= SMALL
    return id(leaf), zlib.crc32(np.ascontiguousarray(leaf).tobytes()) if small else 0


def _short(frame: FrameType) -> str:
    return frame.f_code.co_filename.replace("\\", "/").rsplit("/", 1)[-1]


def _lines(frame: FrameType | None, files: Collection[str]) -> Iterator[str]:
    while frame is not None:
        if _short(frame) in files:
            yield f"{_short(frame)}:{frame.f_lineno}"
        frame = frame.f_back


def first_difference(steps: Sequence[Step], outputs: Sequence[Any], events: Events) -> Step | None:
    """Return the first step that the chain does not explain, if any."""
    makers: dict[int, list[Step]] = {}
    for step in steps:  # what a branch or loop gives was made by a step within it
        for value in step.outputs.values():
            makers.setdefault(id(value), []).append(step)
    pending = [one for one in outputs if not events.gave(one)] or list(outputs)
    suspects: dict[int, Step] = {}
    doubted: set[int] = set()
    while pending:
        makers_of = makers.get(id(pending.pop()), [])
        strayed = any(step.label and step.label not in events.lines for step in makers_of)
        if any(_is_confirmed(step, events) for step in makers_of):
            continue
        for step in makers_of:
            if id(step) in suspects:
                continue
            pending += step.rows
            suspects[id(step)] = step
            if step.op == "If":
                if strayed:
                    doubted.add(id(step.given[0]))
                    pending += step.given
            else:
                pending += step.given
    order = {id(step): number for number, step in enumerate(steps)}
    made = [step for step in suspects.values() if not _waits(step)]
    shown = [step for step in made if step.label and _is_shown(step, doubted)]
    return min(shown or suspects.values(), key=lambda step: order[id(step)], default=None)


def _places(step: Step) -> set[str]:
    return {*(frame.label for frame in step.frames), step.label or ""} - {""}


def _is_confirmed(step: Step, events: Events) -> bool:
    if step.op == "Check":  # it did not fail
        return True
    if step.op == "Loop":
        return all(events.confirm_rows(events.lines, one) for one in step.outputs.values())
    if step.label is None:
        return False
    places = [step.label]  # on the lines above it there is all that they call
    if all(events.confirm_rows(places, one) for one in step.outputs.values()):
        return True
    arrays = [one for one in step.outputs.values() if not _is_size(one)]  # nor what checks gave
    has_rows = all(type(one) is np.ndarray and one.ndim > 1 for one in arrays)
    of_loop = step.op in OF_SEQUENCES and bool(arrays) and has_rows
    return of_loop and all(events.confirm_rows(events.lines, one) for one in arrays)


def _waits(step: Step) -> bool:
    """Tell whether a step only lets a value wait for a check: it adds the 0 that this gave."""
    return step.op == "Add" and any(np.ndim(one) == 0 and not np.any(one) for one in step.given)


def _is_shown(step: Step, doubted: Collection[int]) -> bool:
    """Tell whether a step makes arrays as programs have them, or a test that went wrong.

    Others make sizes, positions and tests, which the chain's own are not known of.
    """
    return any(id(one) in doubted or not _is_size(one) for one in step.outputs.values())


def _is_size(value: Any) -> bool:
    if type(value) is not np.ndarray:
        return False
    dims = {np.dtype(bool): 1, np.dtype(np.int64): 2}
    return value.ndim < dims.get(value.dtype, 0)
