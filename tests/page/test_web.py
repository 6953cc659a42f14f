"""`elichika web`: what the page knows of a model, and what is said where there can be none."""

# ruff: noqa: E501

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

import chainer
import numpy as np
import onnx
import pytest
from chainer import functions as F
from typer.testing import CliRunner

import elichika
from elichika.cli import app
from elichika.model.inspection import Port
from elichika.page.web import RUNTIME, Wishes, settings_of


def port(name: str, dtype: str, *shape: int | str) -> tuple[Port, str]:
    return Port(name, dtype, shape), ""


@pytest.mark.parametrize(
    ("entry", "wishes", "form"),
    [
        (port("x", "float32", "n", 3, 224, 224), {}, "image"),
        (port("x", "uint8", "n", "h", "w", 3), {}, "image"),
        (port("x", "float32", "n", 64, 224, 224), {}, "numbers"),
        (port("x", "float32", "n", 3, 2, 2), {}, "numbers"),
        (port("x", "float32", "n", 28, 28), {}, "numbers"),
        (port("x", "float32", "n", 28, 28), {"images": {"x": ""}}, "image"),
        (port("x", "int64", "n", "time"), {}, "numbers"),
        (port("x", "int64", "n", "time"), {"words": {"": ["a"]}}, "words"),
        (port("x", "int64", "n", "time"), {"words": {"y": ["a"]}}, "numbers"),
        (port("x", "int64"), {"words": {"": ["a"]}}, "number"),
        (port("x", "bool"), {}, "truth"),
        (port("x", "bool", 3), {}, "numbers"),
    ],
)
def test_how_inputs_are_entered(entry: Any, wishes: Any, form: str) -> None:
    settings = settings_of([entry], [port("y", "int64", "n")], {}, Wishes(**wishes))
    assert [one["form"] for one in settings["inputs"]] == [form]


@pytest.mark.parametrize(
    ("result", "wishes", "form"),
    [
        (port("y", "float32", "n", 10), {}, "bars"),
        (port("y", "float32", 10), {}, "bars"),
        (port("y", "float32", "n", "k"), {}, "plain"),
        (port("y", "float32"), {}, "plain"),
        (port("y", "int64", "n", "time"), {"words": {"y": ["a"]}}, "words"),
        (port("bboxes", "float32", "n", 4), {}, "boxes"),
        (port("y", "float32", "n", 4), {"boxes": {"y": "xyxy"}}, "boxes"),
        (port("y", "float32", "n", 4), {}, "bars"),
    ],
)
def test_how_outputs_are_shown(result: Any, wishes: Any, form: str) -> None:
    image = port("x", "float32", 1, 3, 32, 32)
    settings = settings_of([image], [result], {}, Wishes(**wishes))
    assert [one["form"] for one in settings["outputs"]] == [form]


def test_lists_of_images_and_what_is_said_of_boxes() -> None:
    image = port("imgs", "sequence of float32", 3, "?", "?")
    outputs = [
        port("output_0", "sequence of float32", "?", 4),
        port("output_1", "sequence of int32", "?"),
        port("output_2", "sequence of float32", "?"),
        port("output_3", "sequence of bool", "?", "?", "?"),
    ]
    wishes = Wishes(boxes={"output_0": "yxyx"}, images={"imgs": "0 255"}, labels=["cat"])
    found = settings_of([image], outputs, {}, wishes)
    (entry,) = found["inputs"]
    assert (entry["form"], entry["list"], entry["range"]) == ("image", True, "0 255")
    assert [(one["form"], one.get("beside")) for one in found["outputs"]] == [
        ("boxes", None),
        ("plain", "label"),
        ("plain", "score"),
        ("plain", "mask"),
    ]
    assert found["outputs"][1]["words"] == ["cat"]


def test_lists_are_entered_and_shown_by_what_is_in_them() -> None:
    wishes = Wishes(words={"": ["a", "b"]})
    entries = [
        port("xs", "sequence of int32", "?"),
        port("ys", "sequence of float32", "?", 3),
        port("zs", "sequence of int64"),
        port("ks", "sequence of bool"),
    ]
    found = settings_of(entries, entries, {}, wishes)
    assert [one["form"] for one in found["inputs"]] == ["words", "numbers", "words", "numbers"]
    assert [one["form"] for one in found["outputs"]] == ["words", "bars", "words", "plain"]


def test_axes_of_images() -> None:
    for shape, axes in (
        (("n", 3, 8, "w"), (2, 3, 1, 3, 0)),
        (("n", 8, 9, 1), (1, 2, 3, 1, 0)),
        ((2, 3, 8, 9), (2, 3, 1, 3, -1)),
        ((3, 8, 9), (1, 2, 0, 3, -1)),
        (("n", 8, 9), (1, 2, -1, 1, 0)),
        (("h", 9), (0, 1, -1, 1, -1)),
    ):
        found = settings_of(
            [port("x", "float32", *shape)], [port("y", "int64")], {}, Wishes(images={"x": ""})
        )
        assert tuple(found["inputs"][0]["image"].values()) == axes


def test_state_is_no_field() -> None:
    ports = [port("x", "float32", 2), port("h", "float32", 1, 2)]
    results = [port("y", "float32", 2), port("h/next", "float32", 1, 2)]
    found = settings_of(ports, results, {"h": np.array([[1, 2]], ">f4")}, Wishes())
    assert [one["name"] for one in (*found["inputs"], *found["outputs"])] == ["x", "y"]
    assert found["state"] == [
        {"name": "h", "next": "h/next", "dtype": "float32", "shape": [1, 2], "data": "AACAPwAAAEA="}
    ]


class Halver(chainer.Chain):
    """Takes a row of numbers."""

    def forward(self, x: Any) -> Any:
        return x / 2


class Stack(chainer.Chain):
    """Takes a list."""

    def forward(self, xs: Any) -> Any:
        return F.stack(xs)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("web")
    x = np.zeros((1, 4), np.float32)
    elichika.compile_model(Halver(), x, made / "net.onnx", verify=False)
    elichika.compile_model(Stack(), ([x, x],), made / "list.onnx", verify=False)
    package = made / "package"
    (package / "dist").mkdir(parents=True)
    (package / "package.json").write_text('{"name": "onnxruntime-web", "version": "1.30.0"}')
    for name in RUNTIME:
        (package / "dist" / name).write_text(name)
    (made / "words.txt").write_bytes(b"\xff")
    return made


def run(*words: str) -> Any:
    return CliRunner().invoke(app, ["web", *words])


def test_the_page_needs_no_other_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    result = run("net.onnx", "-o", "site", "--onnxruntime-web", "package", "--json")
    found = json.loads(result.stdout)
    entry = {"name": "x", "dtype": "float32", "shape": [1, 4], "list": False, "form": "numbers"}
    assert found["inputs"] == [entry]
    assert found["onnxruntime-web"] == "1.30.0"
    names = {"index.html", "model.onnx", "page.css", "page.js", *RUNTIME}
    assert {path.name for path in (folder / "site").iterdir()} == names
    page = "".join(
        (folder / "site" / name).read_text() for name in ("index.html", "page.css", "page.js")
    )
    assert not re.search(r"https?://", page)
    assert set(re.findall(r'(?:href|src)="([^"]*)"', page)) == {"page.css", "page.js", "data:,"}


def test_a_page_of_one_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    result = run("net.onnx", "-o", "net.html", "--onnxruntime-web", "package")
    assert result.exit_code == 0 and "open the file in a browser" in result.stdout
    page = (folder / "net.html").read_text()
    assert not re.search(r"https?://", page)
    assert re.findall(r'(?:href|src)="([^"]*)"', page) == ["data:,"]
    for name, file in (("runtime", RUNTIME[0]), ("wasm", RUNTIME[1])):
        (held,) = re.findall(f'id="{name}">([^<]*)<', page)
        assert base64.b64decode(held).decode() == file
    (held,) = re.findall('id="model">([^<]*)<', page)
    assert onnx.load_model_from_string(base64.b64decode(held)).graph.input[0].name == "x"
    monkeypatch.setattr("elichika.cli.web.MOST_IN_ONE", 10)
    result = run("net.onnx", "-o", "net.html", "--onnxruntime-web", "package")
    assert result.stderr == (
        "InputError: The model is too large for a page of one file.\n"
        "Hint: write a folder: without .html in its name\n"
    )


def test_lists_become_tensors(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    result = run("list.onnx", "-o", "lists", "--onnxruntime-web", "package")
    assert result.exit_code == 0 and "xs: a list; numbers" in result.stdout
    names = [port.name for port in onnx.load("lists/model.onnx").graph.input]
    assert names == ["xs/flat", "xs/sizes"]


def test_a_package_in_a_folder_above(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "node_modules").mkdir()
    (folder / "package").rename(folder / "node_modules" / "onnxruntime-web")
    (folder / "below").mkdir()
    monkeypatch.chdir(folder / "below")
    assert run("../net.onnx", "-o", "site").exit_code == 0
    (folder / "node_modules" / "onnxruntime-web").rename(folder / "package")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["net.onnx", "--image", "y"], "--image names 'y', which the model does not have.\nHint: the names are x"),
        (["net.onnx", "--boxes", "outptu"], "--boxes names 'outptu', which the model does not have.\nHint: did you mean `output`?"),
        (["net.onnx", "--boxes", "output=abcd"], "--boxes output=abcd: the order is yxyx or xyxy."),
        (["net.onnx", "--vocabulary", "words.txt"], "words.txt is not a text in UTF-8."),
        (["net.onnx", "--vocabulary", "x=no.txt"], "Cannot read no.txt: No such file or directory."),
        (["net.onnx", "--image", "x=0-255"], "--image x=0-255: pixels lie between two numbers, as in x=0:255."),
        (["net.onnx", "--onnxruntime-web", "."], ". is not npm's package onnxruntime-web.\nHint: it is the folder node_modules/onnxruntime-web, with package.json and dist/"),
        (["net.onnx", "-o", "net.onnx"], "Cannot write net.onnx: net.onnx is not a folder."),
    ],
)  # fmt: skip
def test_mistakes(
    words: list[str], message: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    result = run("-o", "other", "--onnxruntime-web", "package", *words)
    assert (result.exit_code, result.stderr) == (2, f"InputError: {message}\n")
    assert not (folder / "other").exists()


def test_no_package_is_one_line(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    result = run("net.onnx", "-o", "other")
    assert result.exit_code == 2 and result.stderr == (
        "InputError: onnxruntime-web is not installed here.\n"
        "Hint: npm install onnxruntime-web, or name its folder: --onnxruntime-web FOLDER\n"
    )


def test_what_a_page_cannot_hold(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def said(entry: Any, **wishes: Any) -> str:
        with pytest.raises(elichika.InputError) as caught:
            settings_of([entry], [port("y", "int64")], {}, Wishes(**wishes))
        return caught.value.message

    assert (
        said(port("x", "string", 3)) == "`x` is string, which the page can neither enter nor show."
    )
    assert (
        said(port("x", "float32", 3), images={"x": ""})
        == "`x` is float32[3], which is not an image."
    )
    assert (
        said(port("x", "int64", 8, 8), images={"x": ""})
        == "`x` is int64[8, 8], which is not an image."
    )
    monkeypatch.setattr("elichika.cli.web.MOST_WORDS", 1)
    monkeypatch.chdir(tmp_path)
    Path("long.txt").write_text("many words")
    elichika.compile_model(Halver(), np.zeros((1, 4), np.float32), "net.onnx", verify=False)
    Path("package/dist").mkdir(parents=True)
    Path("package/package.json").write_text('{"name": "onnxruntime-web"}')
    for name in RUNTIME:
        Path("package/dist", name).touch()
    result = run("net.onnx", "-o", "site", "--onnxruntime-web", "package", "--labels", "long.txt")
    assert result.stderr == "InputError: long.txt is too large for a file of words.\n"
