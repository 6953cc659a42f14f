"""Every table of operators where eager raises: does the model fail, whoever reads the result?

    python -m tests.special.lost [chainer|numpy|names|python|settings]... [PART OF] [--form FORM]...

Each call is compiled in each of `FORMS`, with all its sizes dynamic where it takes that, and run on
`inputs.mistaken`: indices out of range, sizes that do not match, nothing, numbers below zero.
Where eager raises the model must fail, and only there.
"""

from __future__ import annotations

import argparse
import copy
import itertools
import linecache
import re
import sys
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import chainer
import numpy as np

import elichika
from tests.language import harness as language
from tests.language.tables import COMPILED
from tests.lowerings.chainer.soak_settings import NAME, settings
from tests.lowerings.chainer.whole import make_chain
from tests.programs import assert_equal, beyond_int64, outcome
from tests.special import soak, trials
from tests.special.inputs import mistaken
from tests.special.trials import Trial
from tests.walker.judge import TooLong, deadline

FORMS = {
    "returned": "return {call}",
    "ignored": "{call}\nreturn one",
    "sizes": "r = {call}\nreturn {sizes}",
    "branch": "if one > 0:\n    {call}\nreturn one",
    "loop": "for _ in range(one):\n    {call}\nreturn one",
    "kept": "self.kept_here = {call}\nreturn one",
    "caught": "k = 0\ntry:\n    {call}\nexcept Exception:\n    k = 1\nreturn k",
}
"""What surrounds a call; `one` is an input, 1 in every run."""
#: Where a model fails and eager does not, beside `soak.UNSETTLED`: it says that it cannot tell,
#: or Chainer makes something of sizes, images or labels that are none.
LEFT = (
    "the value is not in list",
    "numpy before 2.0 folds an axis of this size in another way",
    "a window, stride or padding is too small",
    "resize_images to no pixels",
    "weights of no items have another dtype",
    "an integer power beyond 2**53 is not exact in the model",
    "the order of nan is not defined",
    "labels are from 0 up",
    "there is no such image",
    "the lengths of the sequences must descend",
    "an int exceeds 64 bits",
)
#: Calls whose models fail more often: local convolutions of images too small for their kernels,
#: regions of images that are not there, fewer sequences than initial states.
MORE = re.compile(r"local_convolution|self\.l1\(x\)|roi_|n_step")
SECONDS = 40
LOOSE = {"float64": 1e-5, "float32": 1e-2, "float16": 1e-1}


@dataclass
class Lost:
    """A trial in one form."""

    trial: Trial
    form: str

    @property
    def name(self) -> str:
        """How it is shown."""
        return f"{self.form}: {self.trial.name}"

    def findings(self, tell: Callable[[str], object]) -> Iterator[str]:
        """Yield where eager raises and the model does not, or the other way round."""
        try:
            with deadline(SECONDS):
                yield from self._findings(tell)
        except TooLong:
            yield "takes too long"

    def _findings(self, tell: Callable[[str], object]) -> Iterator[str]:
        first = outcome(self.trial.chain().forward, self.trial.arguments(self.trial.given))
        sizes = _sizes("r", first)
        if raised(first) or (self.form == "sizes" and not sizes):
            return
        made = self._compiled(sizes)
        if made is None:
            return
        for given in mistaken(self.trial.given, self.trial.resize):
            shown = " ".join(", ".join(f"{n}={v!r}" for n, v in given.items()).split())
            tell(shown)
            expected = outcome(self.trial.chain().forward, self.trial.arguments(given))
            found = outcome(made, (*self.trial.arguments(given), 1))
            said = self._difference(given, expected, found, sizes)
            if said is not None:
                yield f"{said}\n    on {shown[:300]}"

    def _compiled(self, sizes: str) -> Any:
        """Compile with every axis dynamic, or the first ones, or none; None where it is refused."""
        for axes in [*_axes(self.trial), None]:
            self.trial.resize = axes is not None
            try:
                return elichika.compile_model(
                    wrapped(self.trial.chain(), list(self.trial.given), self.form, sizes),
                    (*self.trial.arguments(self.trial.given), 1),
                    dynamic_axes=copy.deepcopy(axes),
                    verify=False,
                )
            except elichika.ElichikaError as error:
                if "internal error" in str(error):
                    raise
        return None

    def _difference(self, given: Any, expected: Any, found: Any, sizes: str) -> str | None:
        if isinstance(found, elichika.InputError) or _beyond(expected):
            return None  # two axes have one name
        wanted: Any = {"returned": expected}.get(self.form, 1)
        if self.form == "sizes" and not raised(expected):
            wanted = _read(sizes, expected)
        raises = raised(expected) or raised(wanted)
        if raised(found):
            if not isinstance(found, elichika.ElichikaError):
                return f"the model raises {_short(found)}"
            fine = raises if self.form != "caught" else self._is_left(given, expected, found)
            if fine or (not raises and self._is_left(given, expected, found)):
                return None
            return f"the model fails: {_short(found)}, eager gives {_short(expected)}"
        if self.form == "caught":
            return None if found == raises else f"eager {_short(expected)}, the handler: {found!r}"
        if raises:
            return f"eager raises {_short(expected)}, the model gives {_short(found)}"
        if self.form == "returned" and self.trial.finite and _wild(given):
            return None
        try:
            assert_equal(soak.unsigned(wanted), soak.unsigned(found), tolerance=LOOSE)
        except AssertionError as error:
            return f"differs: {_short(error)}"
        return None

    def _is_left(self, given: Any, expected: Any, found: Exception) -> bool:
        left = any(text in str(found) for text in (*soak.UNSETTLED, *LEFT))
        if left or MORE.search(self.trial.name):
            return True
        return soak.may_fail(self.trial, given, [] if raised(expected) else expected)


def raised(value: Any) -> bool:
    """Tell whether an outcome is an exception."""
    return isinstance(value, Exception)


def _read(sizes: str, result: Any) -> Any:
    try:
        return eval(sizes, {"r": result, "len": len})
    except IndexError as error:  # a tuple of fewer
        return error


def _wild(given: Mapping[str, Any]) -> bool:
    return not all(np.isfinite(leaf).all() for leaf in soak.floats(given))


def _beyond(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return any(map(_beyond, value))
    return beyond_int64(value)


def _short(value: Any) -> str:
    return " ".join(repr(value).split())[:200]


def _axes(trial: Trial) -> Iterator[Any]:
    if trial.axes:
        yield trial.axes
    arrays = {n: v for n, v in trial.given.items() if isinstance(v, np.ndarray) and v.ndim}
    lists = {n: v[0] for n, v in trial.given.items() if type(v) is list and _of_arrays(v)}
    every = {n: {k: f"{n}{k}" for k in range(v.ndim)} for n, v in arrays.items()}
    listed: Any = {
        n: {**{k: f"{n}{k}" for k in range(v.ndim)}, "len": f"{n}s"} for n, v in lists.items()
    }
    yield {**every, **listed}
    if listed:
        yield every
    yield {n: {0: f"{n}0"} for n in arrays}


def _of_arrays(items: list[Any]) -> bool:
    same = {(v.dtype, v.ndim) for v in items if isinstance(v, np.ndarray)}
    return len(same) == 1 and all(isinstance(v, np.ndarray) and v.ndim for v in items)


def _sizes(name: str, value: Any) -> str:
    """Return what asks a value of this kind for its sizes alone; nothing if it has none."""
    if isinstance(value, (np.ndarray, chainer.Variable)):
        return f"{name}.shape" if value.shape else ""
    if isinstance(value, tuple):
        inner = [text for k, v in enumerate(value) if (text := _sizes(f"{name}[{k}]", v))]
        return f"({', '.join(inner)},)" if inner else ""
    return f"len({name})" if isinstance(value, (list, dict)) else ""


def wrapped(chain: chainer.Chain, names: list[str], form: str, sizes: str = "") -> chainer.Chain:
    """Return a chain whose `forward` has the call of another one in one of `FORMS`."""
    body = FORMS[form].format(call=f"self.called_here({', '.join(names)})", sizes=sizes)
    lines = [f"def forward({', '.join(['self', *names, 'one'])}):", *body.split("\n")]
    text = "\n    ".join(lines) + "\n"
    file = f"<lost {zlib.crc32(text.encode()):x}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    made: dict[str, Any] = {"__name__": "lost"}
    exec(compile(text, file, "exec"), made)
    kind = type(chain)
    space = {"forward": made["forward"], "called_here": kind.forward}
    chain.__class__ = type(kind.__name__, (kind,), space)
    return chain


def of_python() -> Iterator[Trial]:
    """Yield the programs of the table of the language, each once and not thrice."""
    names = ("x", "n", "c", "f", "l")
    given = dict(zip(names, language.INPUTS[0], strict=True))
    for _, code in COMPILED:
        make = lambda code=code: language.single(code)  # noqa: E731
        yield Trial(code, make, given, axes={"x": {0: "N"}})


def of_settings() -> Iterator[Trial]:
    """Yield calls of Chainer with a constant as an input."""
    for setting in settings():
        given, attributes = setting.case.converted(setting.case.dtypes[0])
        make = lambda s=setting, g=tuple(given), a=attributes: make_chain(  # noqa: E731
            [s.call], (*g, NAME), copy.deepcopy(a)
        )
        inputs = {**given, NAME: setting.constant}
        if not setting.case.train:
            yield Trial(setting.call, make, inputs, variables=True, lax="sizes")


SOURCES: dict[str, Callable[[], Iterator[Trial]]] = {
    **trials.SOURCES,
    "python": of_python,
    "settings": of_settings,
}


def main() -> int:
    """Print two findings of each kind of each program; the exit code says whether there is any."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--form", action="append", choices=FORMS)
    parser.add_argument("what", nargs="*")
    given = parser.parse_intermixed_args()
    numbers = [int(word) for word in given.what if word.isdigit()]
    names = [word for word in given.what if not word.isdigit()] or list(SOURCES)
    part, parts = numbers or (0, 1)
    start, wrong = time.time(), 0
    for name in names:
        tried = (
            Lost(trial, form)
            for trial in itertools.islice(SOURCES[name](), part, None, parts)
            for form in given.form or FORMS
        )
        wrong += soak.shown(name, soak.isolated(tried))
    print(f"{wrong} findings, {time.time() - start:.0f} s")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
