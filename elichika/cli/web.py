"""`elichika web`: a static page that runs a model in a browser."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from elichika.cli.app import app
from elichika.cli.options import Json, Verbose
from elichika.cli.run import Run
from elichika.errors import InputError

if TYPE_CHECKING:
    from elichika.model.compiled import CompiledModel
    from elichika.page.web import Wishes

PACKAGE = "onnxruntime-web"
SHOWN = {
    "image": "an image, drawn or of a file",
    "words": "words",
    "number": "a number",
    "truth": "a check box",
    "numbers": "numbers",
    "bars": "bars",
    "boxes": "boxes over the image",
    "plain": "numbers",
}
"""What the summary says of an input or output."""
SAID = ("name", "dtype", "shape", "list", "form")
MOST_WORDS = 2**26
"""Bytes of a file of words."""
MOST_IN_ONE = 2**28
"""Bytes of a model in a page of one file, which a browser reads in ten seconds."""
PAGES = (".html", ".htm")
RANGE = re.compile(r"(-?\d+(?:\.\d+)?):(-?\d+(?:\.\d+)?)")
"""What pixels lie between."""


@app.command()
def web(
    model_file: Annotated[Path, typer.Argument(metavar="MODEL", help="The .onnx file.")],
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            metavar="FOLDER",
            help="Where the page goes; a name that ends in .html is a page of one file.",
        ),
    ],
    package: Annotated[
        Path | None,
        typer.Option(
            "--onnxruntime-web",
            metavar="FOLDER",
            help="npm's package; else node_modules here or in a folder above is searched.",
        ),
    ] = None,
    images: Annotated[
        list[str] | None,
        typer.Option(
            "--image",
            metavar="INPUT",
            help="An input that is an image to draw; or x=0:255, with what pixels lie between.",
        ),
    ] = None,
    boxes: Annotated[
        list[str] | None,
        typer.Option(
            metavar="OUTPUT", help="Boxes over the image: top, left, bottom, right; or bbox=xyxy."
        ),
    ] = None,
    labels: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The names of classes, one a line.")
    ] = None,
    vocabulary: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="The words of ids, one a line; or ids=FILE for one."),
    ] = None,
    title: Annotated[str, typer.Option(metavar="TEXT", help="Of the page; else the file.")] = "",
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Write a static page that runs a model in a browser.

    It holds the model and onnxruntime-web, and asks nothing of the network.
    """
    with Run(as_json) as run:
        from elichika import load
        from elichika.model.files import require_folder, require_writable

        whole = output.suffix.lower() in PAGES
        if whole:
            require_writable(output)
        else:
            require_folder(output)
        dist, version = _runtime(package)
        wishes = _wishes(images or (), boxes or (), labels, vocabulary or ())
        model = load(model_file)
        settings = _settings(model, wishes)
        data = _data(model)
        write = _write_one if whole else _write
        write(output, data, (title or model_file.stem, version, settings), dist)
        run.show("page", str(output if whole else output / "index.html"))
        for what in ("inputs", "outputs"):
            rows = [
                f"{one['name']}: {'a list; ' if one['list'] else ''}{SHOWN[one['form']]}"
                for one in settings[what]
            ]
            forms = [{key: one[key] for key in SAID} for one in settings[what]]
            run.show(what, "\n".join(rows), forms)
        if settings["state"]:
            names = [one["name"] for one in settings["state"]]
            run.show("state", "\n".join(names), names)
        run.show("onnxruntime-web", version)
        served = f"python -m http.server -d {shlex.quote(str(output))}"
        run.show("to open it", "open the file in a browser" if whole else served)


def _settings(model: CompiledModel, wishes: Wishes) -> dict[str, Any]:
    """Return what the page knows of a model."""
    from elichika.model.inspection import ports
    from elichika.page.web import settings_of

    graph = model.proto.graph
    inputs, outputs = (
        [(port, value.doc_string) for port, value in zip(found, values, strict=True)]
        for found, values in zip(ports(graph), (graph.input, graph.output), strict=True)
    )
    return settings_of(inputs, outputs, model.state, wishes)


def _data(model: CompiledModel) -> bytes:
    """Return the file of a model as the page takes it: with tensors in the place of lists.

    Raises:
        InputError: It is too large, or has a list that has no such form.
    """
    from elichika.page.lists import with_flat_lists

    try:
        data: bytes = with_flat_lists(model.proto).SerializeToString()
    except ValueError:
        raise InputError("The model is too large for a page: it has 2 GB or more.") from None
    return data


def _write(folder: Path, data: bytes, told: tuple[str, str, dict[str, Any]], dist: Path) -> None:
    """Write all files of the page."""
    from elichika.model.files import refusing
    from elichika.page.web import RUNTIME, site

    with refusing("write", folder):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "model.onnx").write_bytes(data)
        for name, text in site(*told).items():
            (folder / name).write_text(text, encoding="utf-8")
        for name in RUNTIME:
            shutil.copyfile(dist / name, folder / name)


def _write_one(path: Path, data: bytes, told: tuple[str, str, dict[str, Any]], dist: Path) -> None:
    """Write the page as one file.

    Raises:
        InputError: The model is too large for one.
    """
    from elichika.model.files import refusing
    from elichika.page.web import PARTS, RUNTIME, in_one_file

    if len(data) > MOST_IN_ONE:
        hint = "write a folder: without .html in its name"
        raise InputError("The model is too large for a page of one file.", hint=hint)
    held = (*((dist / name).read_bytes() for name in RUNTIME), data)
    with refusing("write", path):
        path.write_text(in_one_file(*told, dict(zip(PARTS, held, strict=True))), encoding="utf-8")


def _places(given: Path | None) -> Iterator[Path]:
    if given is not None:
        yield given
        return
    here = Path(os.getcwd())
    for folder in (here, *here.parents, here / "build" / "web"):
        yield folder / "node_modules" / PACKAGE


def _runtime(given: Path | None) -> tuple[Path, str]:
    """Return the files of onnxruntime-web, and its version.

    Raises:
        InputError: They are not there.
    """
    from elichika.page.web import RUNTIME

    for place in _places(given):
        try:
            told = json.loads((place / "package.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        if told.get("name") == PACKAGE and all((place / "dist" / one).is_file() for one in RUNTIME):
            return place / "dist", str(told.get("version"))
    if given is not None:
        raise InputError(
            f"{given} is not npm's package {PACKAGE}.",
            hint=f"it is the folder node_modules/{PACKAGE}, with package.json and dist/",
        )
    raise InputError(
        f"{PACKAGE} is not installed here.",
        hint=f"npm install {PACKAGE}, or name its folder: --{PACKAGE} FOLDER",
    )


def _wishes(
    images: Sequence[str], boxes: Sequence[str], labels: Path | None, vocabulary: Sequence[str]
) -> Wishes:
    """Return what the options say.

    Raises:
        InputError: A file cannot be read, or an order is none.
    """
    from elichika.page.web import ORDERS, Wishes

    between = {}
    for text in images:
        name, sign, ends = text.partition("=")
        found = RANGE.fullmatch(ends)
        if sign and not found:
            raise InputError(f"--image {text}: pixels lie between two numbers, as in {name}=0:255.")
        between[name] = " ".join(found.groups()) if found else ""
    ordered = {}
    for text in boxes:
        name, sign, order = text.partition("=")
        ordered[name] = order if sign else ORDERS[0]
        if ordered[name] not in ORDERS:
            raise InputError(f"--boxes {text}: the order is {' or '.join(ORDERS)}.")
    words = {}
    for text in vocabulary:
        name, sign, file = text.partition("=")
        plain = not sign or Path(text).is_file()
        words["" if plain else name] = _lines(Path(text if plain else file))
    return Wishes(between, ordered, words, [] if labels is None else _lines(labels))


def _lines(path: Path) -> list[str]:
    try:
        if path.stat().st_size > MOST_WORDS:
            raise InputError(f"{path} is too large for a file of words.")
        return path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        raise InputError(f"{path} is not a text in UTF-8.") from None
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror or error}.") from None
