"""Every message of the compiler has a program that gives it, and its text is as documented."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.language import messages
from tests.language.message_rows import GROUPS

ROOT = Path(__file__).parents[2]
DOCUMENT = messages.PATH.read_text()
ROWS = [row for rows in GROUPS.values() for row in rows]

#: Functions and classes whose first text, or second argument, is a message to a user.
RAISES = {
    "refuse",
    "BudgetError",
    "ConflictRead",
    "HeldInList",
    "InputError",
    "StagingError",
    "UnsupportedFunction",
    "UnsupportedSyntax",
}

DAMAGED = "a damaged file, which the fuzzer of readers makes"
GUARD = "no program is known that gets there: what comes before refuses it"
WEIGHTS = "tests/model/test_weights.py"
PLACE = "needs a place or a package that a test cannot have everywhere"

#: Messages without a program, and why.
WITHOUT: dict[str, str] = {
    "debug=True is for models that take and give what the chain does": "the tests of prints",
    "The types of the model cannot be told: why": "the tests of placement, with a damaged model",
    "--provider is cuda, not tpu.": "the tests of placement",
    "The model is too large for tools: more than 2 GB.": "needs a model of 2 GB",
    "onnxsim cannot convert the model: why.": "the tests of conversions, with a tool that fails",
    "weights.npz is damaged at w: it is not an array.": DAMAGED,
    "m.onnx is damaged: a parameter has more than 64 axes.": DAMAGED,
    "m.onnx is damaged: it holds names that are not text.": DAMAGED,
    "The model nests subgraphs more than 64 deep.": DAMAGED,
    "Cannot read m.onnx: no ONNX file is larger than 2 GiB.": DAMAGED,
    "Cannot read m.onnx: it has more than 9 parts.": DAMAGED,
    "The source map of m.onnx is damaged.": DAMAGED,
    "What the model says of its weights is damaged.": WEIGHTS,
    "The model was made for the weights that it has.": WEIGHTS,
    "n is 3 in w.npz, and the model was made with 4.": WEIGHTS,
    "a/W and b/W are one in the model, and differ in w.npz.": WEIGHTS,
    "W lies in the memory of another array; to be replaced, it has its own": WEIGHTS,
    "state=True: what h is at the start is not known when this is compiled": WEIGHTS,
    "eager takes 9 s, the model did not finish": "the tests of verification",
    "chain and model draw from other distributions: why": "the tests of verification",
    "The model is too large for standard output: give a file.": "needs a model of 2 GB",
    "The model is too large for a page: it has 2 GB or more.": "needs a model of 2 GB",
    "The fault comes and goes: why": "a program that fails by chance",
    "The text names no node of this model.": "`elichika explain` has its own tests",
    "onnx's reference cannot load the model: why": PLACE,
    "OpenVINO cannot load the model: why": PLACE,
    "Cannot write m.onnx: the folder is not writable.": PLACE,
    "Cannot write case: a is not a folder.": PLACE,
    "Cannot write case: a is not writable.": PLACE,
    "of the filters only the bilinear one is compiled for OpenCV": PLACE,
    "images are resized that are float32": PLACE,
    "`cv2.resize` is compiled for float32: linear, cubic and area; nearest also for others": PLACE,
    "`cv2.resize` takes a height, a width, and channels whose number is known": PLACE,
    "the size that `cv2.resize` is given is a tuple of two ints": PLACE,
    "`cv2.resize` without a size needs `fx` and `fy`, which are known numbers": PLACE,
    "`gaussian_filter` is compiled for float32 and float64, a `sigma` that is known, order 0 and "
    "the modes reflect, nearest and wrap": PLACE,
    "`more` was fixed at float32[3] when the model was compiled; leave it out.": "static=",
    "arrays of the device @cupy:0 are not compiled": "needs a GPU",
    "this is nested too deeply": "a program of a thousand operators; tests/canonicalizer",
    "`again` calls itself without an end known while compiling": "Python's own stack ends before",
    "as a Loop this loop has more nodes": "never shown: the loop is unrolled instead",
    "whether `k` is an attribute of this A is known only when the model runs": "another run knows",
    "which objects have `k` of `A` is known only when the model runs": "another run knows",
    "The result is a list of dynamic length that holds no tensors.": GUARD,
    "`n` is 3; an int of a model is within 2**62.": "the tests of the signature",
    "an object that a list of dynamic length holds is changed too late here": GUARD,
    "an object is read that was never made": GUARD,
    "a list of objects that hold one another cannot be a result": GUARD,
    "a list of such elements cannot be a result": GUARD,
    "an object that a list of dynamic length holds would become a copy here": GUARD,
    "one of several objects meets another name of the same object here": GUARD,
    "this write changes a list that a list of dynamic length holds": GUARD,
    "values of too many kinds meet here": GUARD,
    "a tensor is needed here, but this may be something else": GUARD,
    "a tensor is needed here, not str": GUARD,
    "this operator is not compiled for str": GUARD,
    "list that a function left for its backward pass is not compiled": GUARD,
    "`Tanh` was not applied where this could tell": GUARD,
    "a list of tensors is not an index": GUARD,
    "separate along an axis of size n, known only when the model runs": GUARD,
    "shapes 2 and 3 differ": GUARD,
    "state=True: the state does not settle into one type": GUARD,
    "the state of this loop does not settle into one type": GUARD,
    "attribute `a` is not supported here": GUARD,
    "which function or link this is must be known before the model runs": GUARD,
    "`yield` outside a generator that is being consumed": GUARD,
    "how much of this iterator was used is not followed": GUARD,
}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_text(row: messages.Row | messages.Call) -> None:
    assert messages.section(row) in DOCUMENT, "run `make docs` and read what changed"


def test_document_holds_nothing_else() -> None:
    assert DOCUMENT.count("\n```text\n") == len(ROWS)


def pattern(node: ast.expr) -> str | None:
    """Return what a text of the source may look like, as a regular expression."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return re.escape(node.value)
    if isinstance(node, ast.JoinedStr):
        parts = [v.value if isinstance(v, ast.Constant) else None for v in node.values]
        return "".join(".+?" if part is None else re.escape(str(part)) for part in parts)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        sides = pattern(node.left), pattern(node.right)
        return None if None in sides else "".join(filter(None, sides))
    return None


@functools.cache
def sites() -> list[tuple[str, re.Pattern[str]]]:
    """Return the place and the pattern of each message of the source."""
    return [(place, re.compile(found)) for place, found in _sites()]


def _sites() -> Iterator[tuple[str, str]]:
    for folder in ("elichika", "canonicalizer"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                if not isinstance(node, ast.Call):
                    continue
                called = node.func
                name = getattr(called, "attr", getattr(called, "id", ""))
                if name.lstrip("_") not in RAISES:
                    continue
                found = next(filter(None, map(pattern, node.args[:2])), None)
                if found is not None:
                    yield f"{path.relative_to(ROOT)}:{node.lineno}", found


@functools.cache
def shown() -> str:
    """Return all texts that tests compare: of the documents, and of the tests themselves."""
    pages = ("messages.md", "errors.md", "language.md", "command-line.md")
    texts = [(ROOT / "docs" / page).read_text() for page in pages]
    for path in sorted((ROOT / "tests").rglob("*.py")):
        if path.parent.name == "message_rows" or path.name == Path(__file__).name:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            found = pattern(node) if isinstance(node, (ast.Constant, ast.JoinedStr)) else None
            if found is not None:
                texts += [re.sub(r"\\(.)", r"\1", found)]
    return "\n".join([*texts, *(re.sub(r"\\(.)", r"\1", text) for text in texts)])


def test_every_message_has_a_program() -> None:
    missing = [
        f"{place}: {found.pattern}"
        for place, found in sites()
        if not found.search(shown()) and not any(map(found.search, WITHOUT))
    ]
    assert not missing, "no test shows\n" + "\n".join(missing)


def test_nothing_is_without_a_program_any_more() -> None:
    for text in WITHOUT:
        assert any(found.search(text) for _, found in sites()), text
