"""A static page that runs a model: its inputs as a form, its results as bars, words and boxes."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.errors import InputError, meant
from elichika.page.render import filled, text_of

if TYPE_CHECKING:
    from elichika.model.inspection import Port

__all__ = ["ORDERS", "RUNTIME", "Image", "Wishes", "settings_of", "site"]

RUNTIME = ("ort.wasm.min.mjs", "ort-wasm-simd-threaded.mjs", "ort-wasm-simd-threaded.wasm")
"""What of onnxruntime-web's `dist/` the page loads."""
WHOLE = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOATS = ("float32", "float64")
ORDERS = ("yxyx", "xyxy")
"""Of the sides of a box: ChainerCV's first."""
BESIDE = ("label", "score")
"""Outputs of such names say something of each box."""
LEAST_IMAGE = 4
"""Pixels along a side of what is taken for an image without being asked for."""
MOST_RANDOM = 2**24
"""Numbers that the form draws without being asked; beyond these it has zeros."""


@dataclass(frozen=True)
class Wishes:
    """What the user says of inputs and outputs by name.

    Attributes:
        images: The inputs that are images; those of four axes with 1 or 3 channels are anyway.
        boxes: The outputs that are boxes, with the order of their sides.
        words: The words of an input or output of ids; under an empty name, those of all others.
        labels: The names of classes.
    """

    images: Sequence[str] = ()
    boxes: Mapping[str, str] = field(default_factory=dict)
    words: Mapping[str, Sequence[str]] = field(default_factory=dict)
    labels: Sequence[str] = ()


@dataclass(frozen=True)
class Image:
    """Which axes of an input are those of an image; the channels have none where it is -1."""

    height: int
    width: int
    channel: int
    channels: int

    @classmethod
    def of(cls, shape: Sequence[int | str], asked: bool) -> Image | None:
        """Return the axes of an image; None where the sizes are not those of one."""
        rank = len(shape)
        if rank in (3, 4) and shape[-3] in (1, 3):
            found = cls(rank - 2, rank - 1, rank - 3, int(shape[-3]))
        elif rank in (3, 4) and shape[-1] in (1, 3):
            found = cls(rank - 3, rank - 2, rank - 1, int(shape[-1]))
        else:
            return cls(rank - 2, rank - 1, -1, 1) if asked and rank in (2, 3) else None
        sides = [size for size in (shape[found.height], shape[found.width]) if type(size) is int]
        plain = rank == 4 and all(size >= LEAST_IMAGE for size in sides)
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
        _require_tensor(port)
    entries = [_entry(port, text, wishes) for port, text in inputs if port.name in given]
    pictures = any(entry["form"] == "image" for entry in entries)
    results = [_result(port, text, wishes, pictures) for port, text in outputs]
    return {
        "inputs": entries,
        "outputs": [one for one in results if one["name"] in shown],
        "state": [_stored(name, value) for name, value in state.items()],
    }


def site(title: str, version: str, settings: Mapping[str, Any]) -> dict[str, str]:
    """Return the files of the page but for the model and onnxruntime-web, by name."""
    waiting = "This page needs JavaScript and a server of files, such as: python -m http.server"
    return {
        "index.html": filled(
            "web.html", title=title, version=version, settings=settings, waiting=waiting
        ),
        "page.css": text_of("report.css") + text_of("web.css"),
        "page.js": text_of("web.js"),
    }


def _require(option: str, names: Iterable[str], known: Sequence[str]) -> None:
    for name in names:
        if name not in known:
            hint = meant(name, known) or f"the names are {', '.join(known)}"
            raise InputError(f"{option} names {name!r}, which the model does not have.", hint=hint)


def _require_tensor(port: Port) -> None:
    if " of " in port.dtype:
        raise InputError(
            f"`{port.name}` is a {port.dtype}; onnxruntime-web takes and gives tensors alone.",
            hint="export the model with --tensors",
        )
    if port.dtype not in (*WHOLE, *FLOATS, "bool") or port.shape is None:
        raise InputError(
            f"`{port.name}` is {port.dtype}, which the page can neither enter nor show."
        )


def _words(name: str, wishes: Wishes) -> list[str]:
    return list(wishes.words.get(name, wishes.words.get("", ())))


def _entry(port: Port, text: str, wishes: Wishes) -> dict[str, Any]:
    """Return how an input is entered."""
    shape, asked = port.shape or (), port.name in wishes.images
    image = Image.of(shape, asked) if port.dtype in (*FLOATS, "uint8") else None
    if asked and image is None:
        raise InputError(
            f"`{port.name}` is {port.dtype}[{', '.join(map(str, shape))}], which is not an image.",
            hint="an image has two axes, one more for 1 or 3 channels, and perhaps one for a batch",
        )
    entry = {"name": port.name, "dtype": port.dtype, "shape": list(shape), "text": text}
    words = _words(port.name, wishes) if port.dtype in WHOLE and len(shape) in (1, 2) else []
    if image is not None:
        return {**entry, "form": "image", "image": asdict(image)}
    if words:
        return {**entry, "form": "words", "words": words, "example": " ".join(words[:3])}
    if not shape:
        return {**entry, "form": "truth" if port.dtype == "bool" else "number"}
    sizes = [size if type(size) is int else 1 for size in shape]
    word = "random" if port.dtype in FLOATS and prod(sizes) <= MOST_RANDOM else "zeros"
    return {**entry, "form": "numbers", "example": " ".join([word, *map(str, sizes)])}


def _result(port: Port, text: str, wishes: Wishes, pictures: bool) -> dict[str, Any]:
    """Return how an output is shown."""
    shape = port.shape or ()
    result = {"name": port.name, "dtype": port.dtype, "shape": list(shape), "text": text}
    last = shape[-1] if shape else 0
    words = _words(port.name, wishes)
    kind = next((kind for kind in BESIDE if port.name.lower().rstrip("s").endswith(kind)), "")
    if pictures and kind:
        result |= {"beside": kind, "words": list(wishes.labels)}
    named = any(part in port.name.lower() for part in ("bbox", "boxes"))
    if port.name in wishes.boxes or (pictures and named and last == 4 and len(shape) > 1):
        return {**result, "form": "boxes", "order": wishes.boxes.get(port.name, ORDERS[0])}
    if port.dtype in WHOLE and shape and words:
        return {**result, "form": "words", "words": words}
    if port.dtype in FLOATS and len(shape) in (1, 2) and type(last) is int and last > 1:
        names = words if len(words) == last else list(wishes.labels)
        return {**result, "form": "bars", "words": names}
    return {**result, "form": "plain"}


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
