"""A static page that runs a model: its inputs as a form, its results as bars, words and boxes."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.errors import InputError, meant
from elichika.page.render import filled, text_of

if TYPE_CHECKING:
    from elichika.model.inspection import Port

__all__ = ["ORDERS", "PARTS", "RUNTIME", "Image", "Wishes", "in_one_file", "settings_of", "site"]

RUNTIME = ("ort.wasm.bundle.min.mjs", "ort-wasm-simd-threaded.wasm")
"""What of onnxruntime-web's `dist/` the page loads."""
PARTS = ("runtime", "wasm", "model")
"""What a page of one file holds, in this order."""
WHOLE = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOATS = ("float16", "float32", "float64")
LIST = "sequence of "
"""What the type of a list begins with."""
ORDERS = ("yxyx", "xyxy")
"""Of the sides of a box: ChainerCV's first."""
BESIDE = ("label", "score", "mask")
"""Outputs of such names say something of each box."""
RANGES = {"0 1": "0 to 1", "0 255": "0 to 255", "-1 1": "-1 to 1"}
"""What the values of pixels may lie between."""
LEAST_IMAGE = 4
"""Pixels along a side of what is taken for an image without being asked for."""
MOST_RANDOM = 2**24
"""Numbers that the form draws without being asked; beyond these it has zeros."""


@dataclass(frozen=True)
class Wishes:
    """What the user says of inputs and outputs by name.

    Attributes:
        images: The inputs that are images, with what pixels lie between, such as `0 255`, or
            nothing; those of four axes with 1 or 3 channels are anyway, and lists of such.
        boxes: The outputs that are boxes, with the order of their sides.
        words: The words of an input or output of ids; under an empty name, those of all others.
        labels: The names of classes.
    """

    images: Mapping[str, str] = field(default_factory=dict)
    boxes: Mapping[str, str] = field(default_factory=dict)
    words: Mapping[str, Sequence[str]] = field(default_factory=dict)
    labels: Sequence[str] = ()


@dataclass(frozen=True)
class Image:
    """Which axes of an input are those of an image; where there is none for a thing it is -1.

    The batch has one only where any number of images may be given.
    """

    height: int
    width: int
    channel: int
    channels: int
    batch: int = -1

    @classmethod
    def of(cls, shape: Sequence[int | str], asked: bool, is_list: bool) -> Image | None:
        """Return the axes of an image; None where the sizes are not those of one."""
        rank = len(shape)
        batch = 0 if rank and type(shape[0]) is str and not is_list else -1
        if rank in (3, 4) and shape[-3] in (1, 3):
            found = cls(rank - 2, rank - 1, rank - 3, int(shape[-3]), batch if rank == 4 else -1)
        elif rank in (3, 4) and shape[-1] in (1, 3):
            found = cls(rank - 3, rank - 2, rank - 1, int(shape[-1]), batch if rank == 4 else -1)
        elif asked and rank in (2, 3):
            return cls(rank - 2, rank - 1, -1, 1, batch if rank == 3 else -1)
        else:
            return None
        sides = [size for size in (shape[found.height], shape[found.width]) if type(size) is int]
        plain = rank == 4 - is_list and all(size >= LEAST_IMAGE for size in sides)
        return found if asked or plain else None


def settings_of(
    inputs: Sequence[tuple[Port, str]],
    outputs: Sequence[tuple[Port, str]],
    state: Mapping[str, np.ndarray[Any, Any]],
    wishes: Wishes,
) -> dict[str, Any]:
    """Return what the page knows of a model.

    Args:
        inputs: Those of the file, with what is said of each.
        outputs: The same.
        state: What the first call starts from, by input; the output is called `…/next`.
        wishes: What the user says.

    Raises:
        InputError: One is no tensor that a page can enter or show, or a name is none of them.
    """
    given = [port.name for port, _ in inputs if port.name not in state]
    shown = [port.name for port, _ in outputs if port.name.removesuffix("/next") not in state]
    _require("--image", wishes.images, given)
    _require("--boxes", wishes.boxes, shown)
    _require("--vocabulary", filter(None, wishes.words), [*given, *shown])
    for port, _ in (*inputs, *outputs):
        _require_numbers(port)
    entries = [_entry(port, text, wishes) for port, text in inputs if port.name in given]
    pictures = any(entry["form"] == "image" for entry in entries)
    results = [_result(port, text, wishes, pictures) for port, text in outputs]
    return {
        "inputs": entries,
        "outputs": _beside([one for one in results if one["name"] in shown], wishes, pictures),
        "state": [_stored(name, value) for name, value in state.items()],
    }


def site(title: str, version: str, settings: Mapping[str, Any]) -> dict[str, str]:
    """Return the files of the page but for the model and onnxruntime-web, by name."""
    waiting = (
        "This page needs JavaScript and a server of files, such as: python -m http.server; "
        "a page of one file, elichika web -o page.html, needs no server."
    )
    style, script = _style_and_script()
    return {
        "index.html": _page(title, version, settings, waiting, None),
        "page.css": style,
        "page.js": script,
    }


def in_one_file(
    title: str, version: str, settings: Mapping[str, Any], parts: Mapping[str, bytes]
) -> str:
    """Return the page with all that it needs in it, which opens from the disk, too.

    Args:
        title: What the page is called.
        version: Of onnxruntime-web.
        settings: What the page knows of the model.
        parts: The model, and of onnxruntime-web the program and its `.wasm`, by `PARTS`.
    """
    style, script = _style_and_script()
    packed = {
        "style": style,
        "style_hash": _hash(style),
        "script": script,
        "script_hash": _hash(script),
        "parts": {name: base64.b64encode(parts[name]).decode() for name in PARTS},
    }
    return _page(title, version, settings, "This page needs JavaScript.", packed)


def _page(title: str, version: str, settings: Mapping[str, Any], waiting: str, packed: Any) -> str:
    return filled(
        "web.html",
        title=title,
        version=version,
        settings=settings,
        ranges=RANGES,
        waiting=waiting,
        packed=packed,
    )


def _style_and_script() -> tuple[str, str]:
    style = "".join(map(text_of, ("report.css", "web.css")))
    return style, "".join(map(text_of, ("web_values.js", "web_pad.js", "web.js")))


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _require(option: str, names: Iterable[str], known: Sequence[str]) -> None:
    for name in names:
        if name not in known:
            hint = meant(name, known) or f"the names are {', '.join(known)}"
            raise InputError(f"{option} names {name!r}, which the model does not have.", hint=hint)


def _require_numbers(port: Port) -> None:
    if _dtype(port) not in (*WHOLE, *FLOATS, "bool") or port.shape is None:
        raise InputError(
            f"`{port.name}` is {port.dtype}, which the page can neither enter nor show."
        )


def _dtype(port: Port) -> str:
    return port.dtype.removeprefix(LIST)


def _said(port: Port, text: str) -> dict[str, Any]:
    """Return what the page knows of an input or output; of a list, what its arrays are."""
    is_list, shape = port.dtype.startswith(LIST), list(port.shape or ())
    known = {"name": port.name, "dtype": _dtype(port), "shape": shape, "text": text}
    return {**known, "list": is_list}


def _words(name: str, wishes: Wishes) -> list[str]:
    return list(wishes.words.get(name, wishes.words.get("", ())))


def _entry(port: Port, text: str, wishes: Wishes) -> dict[str, Any]:
    """Return how an input is entered."""
    entry = _said(port, text)
    dtype, shape, is_list = entry["dtype"], entry["shape"], entry["list"]
    asked = port.name in wishes.images
    image = Image.of(shape, asked, is_list) if dtype in (*FLOATS, "uint8") else None
    if asked and image is None:
        raise InputError(
            f"`{port.name}` is {port.dtype}[{', '.join(map(str, shape))}], which is not an image.",
            hint="an image has two axes, one more for 1 or 3 channels, and perhaps one for a batch",
        )
    words = _words(port.name, wishes) if dtype in WHOLE and len(shape) + is_list in (1, 2) else []
    if image is not None:
        usual = "0 255" if dtype == "uint8" else "0 1"
        between = wishes.images.get(port.name) or usual
        return {**entry, "form": "image", "image": asdict(image), "range": between}
    if words:
        return {**entry, "form": "words", "words": words, "example": " ".join(words[:3])}
    if not shape and not is_list:
        return {**entry, "form": "truth" if dtype == "bool" else "number"}
    sizes = [size if type(size) is int else 1 for size in shape]
    word = "random" if dtype in FLOATS and prod(sizes) <= MOST_RANDOM else "zeros"
    return {**entry, "form": "numbers", "example": " ".join([word, *map(str, sizes)])}


def _result(port: Port, text: str, wishes: Wishes, pictures: bool) -> dict[str, Any]:
    """Return how an output is shown."""
    result = _said(port, text)
    dtype, shape, is_list = result["dtype"], result["shape"], result["list"]
    last = shape[-1] if shape else 0
    words = _words(port.name, wishes)
    named = any(part in port.name.lower() for part in ("bbox", "boxes"))
    if port.name in wishes.boxes or (pictures and named and last == 4 and len(shape) > 1):
        return {**result, "form": "boxes", "order": wishes.boxes.get(port.name, ORDERS[0])}
    if dtype in WHOLE and (shape or is_list) and words:
        return {**result, "form": "words", "words": words}
    if dtype in FLOATS and len(shape) in (1, 2) and type(last) is int and last > 1:
        names = words if len(words) == last else list(wishes.labels)
        return {**result, "form": "bars", "words": names}
    return {**result, "form": "plain"}


def _beside(results: list[dict[str, Any]], wishes: Wishes, pictures: bool) -> list[dict[str, Any]]:
    """Return the outputs, with what those beside boxes say of these: by name, or by their type."""
    boxes = next((one for one in results if one["form"] == "boxes"), None)
    if boxes is None and not pictures:
        return results
    found: dict[str, int] = {}
    for at, one in enumerate(results):
        kind = _kind(one, boxes)
        if kind and one is not boxes:
            found.setdefault(kind, at)
    made = list(results)
    for kind, at in found.items():
        plain = {} if boxes is None else {"form": "plain"}
        words = results[at].get("words") or list(wishes.labels)
        made[at] = {**results[at], **plain, "words": words, "beside": kind}
    return made


def _kind(one: Mapping[str, Any], boxes: Mapping[str, Any] | None) -> str:
    """Return what an output says of boxes; nothing where that is not clear."""
    name = one["name"].lower().rstrip("s")
    kind = next((kind for kind in BESIDE if name.endswith(kind)), "")
    if kind or boxes is None:
        return kind
    further = len(one["shape"]) - len(boxes["shape"])
    if further == -1:
        return "label" if one["dtype"] in WHOLE else "score" if one["dtype"] in FLOATS else ""
    return "mask" if further == 1 and one["dtype"] == "bool" else ""


def _stored(name: str, value: np.ndarray[Any, Any]) -> dict[str, Any]:
    """Return a part of the state as the page keeps it: its bytes, the smallest first."""
    array = np.ascontiguousarray(value, value.dtype.newbyteorder("<"))
    return {
        "name": name,
        "next": f"{name}/next",
        "dtype": value.dtype.name,
        "shape": list(value.shape),
        "data": base64.b64encode(array.tobytes()).decode(),
    }
