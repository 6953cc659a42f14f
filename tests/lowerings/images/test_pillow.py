"""Images of Pillow, where it is installed: made of arrays, resized, converted, made into arrays."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from chainer.links.model.vision import vgg

import elichika
from tests.programs import Program, check, compiled

Image = pytest.importorskip("PIL.Image")

SIZES = [(7, 9, 5, 4), (3, 3, 3, 8), (20, 31, 20, 31), (30, 17, 5, 29), (1, 1, 4, 3)]
SIZES += [(40, 40, 7, 1), (40, 40, 40, 13), (13, 11, 20, 22), (33, 20, 9, 20), (8, 8, 0, 3)]
AXES = {0: {0: "height", 1: "width"}}


def pictures(*channels: int, change: Any = None) -> list[tuple[Any, ...]]:
    """Return bytes, and the height and width that they are resized to."""
    found = []
    for seed, (height, width, *wished) in enumerate(SIZES):
        drawn = np.random.RandomState(seed).randint(0, 256, (height, width, *channels))
        x = drawn.astype(np.uint8)
        found.append((x if change is None else change(x), *wished))
    return found


def infinite(x):
    y = x.astype(np.float32) - 77.7
    if len(y) == 20:
        y[3, 4], y[5, 5] = np.nan, np.inf
    return y


def resized(self, x, height, width):
    image = Image.fromarray(x)
    return [np.asarray(image.resize((width, height), number)) for number in range(6)]


def by_the_nearest(self, x, height, width):
    return np.asarray(Image.fromarray(x).resize((width, height), Image.NEAREST))


def prepared(self, x, height, width):
    return vgg.prepare(x, (width, height)), vgg.prepare(x, size=None)


def asked(self, x, height, width):
    image = Image.fromarray(x)
    other = image.copy().resize((width, height)) if height > width else image
    sizes = image.size, image.width, image.mode, other.height
    return sizes, isinstance(other, Image.Image), np.array(other), np.mean(other), other.size


def converted(self, x, height, width):
    gray = Image.fromarray(x).convert("L")
    deep = gray.convert("F").resize((width + 1, height + 1))
    back = np.array(gray.convert("RGB"))
    return np.asarray(gray), np.asarray(deep), back, np.array(gray.convert("I"))


def one_size_after_another(self, x, height, width):
    image = Image.fromarray(x)
    return [np.asarray(image.resize((width, i + 1), Image.BOX), "f") for i in range(height)]


def memory_of_bytes(self, x, height, width):
    y = x.copy()
    image = Image.fromarray(y)
    y[0] = 7
    made = np.array(image)
    made[0] = 3
    return made, y, np.asarray(image), np.asarray(image.resize((4, 3)))


def memory_of_others(self, x, height, width):
    y = x.astype(np.float32)
    image = Image.fromarray(y)
    y[0] = 7
    return np.asarray(image), y


def turned(self, x, height, width):
    y = x.T
    image = Image.fromarray(y)
    x[0] = 7
    return np.asarray(image), y


KNOWN = Image.fromarray(np.arange(60, dtype=np.uint8).reshape(4, 5, 3))


def known(self, x, height, width):
    image = KNOWN if height > width else Image.fromarray(x)
    small = image.resize((width + 1, 2))
    return np.asarray(KNOWN), np.asarray(image), np.array(small.convert("L"))


PROGRAMS = [
    Program(known, pictures(3), AXES),
    Program(resized, pictures(), AXES),
    Program(resized, pictures(3), AXES),
    Program(resized, pictures(change=infinite), AXES),
    Program(by_the_nearest, pictures(change=lambda x: x.astype(np.int32) * 1000), AXES),
    Program(resized, pictures(change=lambda x: x / 3), AXES),
    Program(prepared, pictures(3), AXES),
    Program(asked, pictures(), AXES),
    Program(asked, pictures(3), AXES),
    Program(converted, pictures(3), AXES),
    Program(one_size_after_another, pictures(), AXES),
    Program(memory_of_bytes, pictures(), AXES),
    Program(memory_of_others, pictures(), AXES),
    Program(turned, pictures(), AXES, refuse=True),
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_programs(program: Program) -> None:
    try:
        model = compiled(program)
    except elichika.StagingError:
        assert program.refuse
    else:
        check(program, model)


def written(image):
    np.asarray(image)[0] = 1
    return np.asarray(image)


REFUSED: list[tuple[str, Any, tuple[Any, ...]]] = [
    (
        "`crop` of an image of Pillow is not compiled: only `resize`, `convert`, `copy`",
        lambda x, n: np.asarray(Image.fromarray(x).crop((0, 0, 2, 2))),
        (4, 5, 3),
    ),
    (
        "`box` and `reducing_gap` of `Image.resize` are not compiled",
        lambda x, n: Image.fromarray(x).resize((3, 3), box=(0, 0, 2, 2)).size,
        (4, 5, 3),
    ),
    (
        "`Image.convert` is compiled between L and RGB, to I from L, and to F from L and I",
        lambda x, n: Image.fromarray(x).convert("HSV").size,
        (4, 5, 3),
    ),
    (
        "`matrix` of `Image.convert` is not compiled",
        lambda x, n: Image.fromarray(x).convert("L", matrix=(1, 0, 0, 0)).size,
        (4, 5, 3),
    ),
    (
        "images of int32 are resized to the nearest pixel alone, not by other filters",
        lambda x, n: Image.fromarray(x).convert("I").resize((2, 2)).size,
        (4, 5),
    ),
    (
        "the filters of Pillow that are compiled are the nearest, box, bilinear, Hamming, bicubic "
        "and Lanczos ones, where it is known which",
        lambda x, n: Image.fromarray(x).resize((2, 2), n).size,
        (4, 5),
    ),
    (
        "of `Image.fromarray` images of one or three channels are compiled",
        lambda x, n: Image.fromarray(x).size,
        (4, 5, 4),
    ),
    (
        "`Image.fromarray` is compiled for uint8 of two axes, or three with 3 channels, and for "
        "int32, float32 and float64 of two",
        lambda x, n: Image.fromarray(x > 0).size,
        (4, 5),
    ),
    (
        "images of Pillow are resized and converted that are in the modes L, RGB, I and F",
        lambda x, n: KNOWN.convert("RGBA").resize((n, 2)).size,
        (4, 5),
    ),
    ("assignment destination is read-only", lambda x, n: written(Image.fromarray(x)), (4, 5)),
]


@pytest.mark.parametrize(("message", "change", "shape"), REFUSED, ids=[row[0] for row in REFUSED])
def test_refused(message: str, change: Any, shape: tuple[int, ...]) -> None:
    def forward(self, x, n):
        return change(x, n)

    with pytest.raises(elichika.ElichikaError, match=re.escape(message)):
        compiled(Program(forward, [(np.zeros(shape, np.uint8), 1)]))
