"""Draws settings of the functions that slide a window, with calls that share an image together."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import chainer

from tests.lowerings.chainer.cases import ALL, Case, f32, weight, whole
from tests.lowerings.chainer.whole import make_chain

TOGETHER = 6
LETTERS = {1: "1d", 2: "2d", 3: "3d"}


@dataclass
class Draw:
    """A random choice of arguments, and the weights that a call needs."""

    random: random.Random
    sizes: tuple[int, ...]
    channels: int = 4
    weights: dict[str, Any] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """The number of axes that the window slides along."""
        return len(self.sizes)

    def number(self, low: int, high: int) -> str:
        """Return the text of one number, or of one for each axis."""
        if self.random.random() < 0.5:
            return str(self.random.randint(low, high))
        return repr(tuple(self.random.randint(low, high) for _ in self.sizes))

    def pick(self, *texts: str) -> str:
        """Return one of some texts."""
        return self.random.choice(texts)

    def weight(self, *shape: int) -> str:
        """Return the text of new weights."""
        name = f"w{len(self.weights)}"
        self.weights[name] = weight(*shape, seed=len(self.weights))
        return f"self.{name}"

    def kernel(self) -> tuple[int, ...]:
        """Return the size of a kernel."""
        return tuple(self.random.randint(1, 3) for _ in self.sizes)

    def name(self, base: str) -> str:
        """Return the function for this number of axes, or the one for any."""
        return f"F.{base}_{self.pick(LETTERS[self.count], 'nd')}"


def max_pooling(draw: Draw) -> str:
    """Windows that lie in the padding included."""
    stride = draw.pick("", f", stride={draw.number(1, 3)}")
    cover = draw.pick("", ", cover_all=False", ", cover_all=True")
    pad = draw.pick("", f", pad={draw.number(0, 3)}")
    return f"{draw.name('max_pooling')}(x, {draw.number(1, 4)}{stride}{pad}{cover})"


def average_pooling(draw: Draw) -> str:
    """Padding that counts or not."""
    name = draw.name("average_pooling")
    stride = draw.pick("", f", stride={draw.number(1, 3)}")
    pad = draw.pick("", f", pad={draw.number(0, 2)}")
    value = "" if name.endswith("2d") else draw.pick("", ", pad_value=None", ", pad_value=0")
    return f"{name}(x, {draw.number(1, 4)}{stride}{pad}{value})"


def unpooling(draw: Draw) -> str:
    """Windows that overlap included."""
    stride = draw.pick("", f", stride={draw.number(1, 3)}")
    cover = draw.pick("", ", cover_all=False")
    pad = draw.pick("", f", pad={draw.number(0, 1)}")
    return f"{draw.name('unpooling')}(x, {draw.number(1, 3)}{stride}{pad}{cover})"


def convolution(draw: Draw) -> str:
    """All arguments."""
    groups = draw.random.choice((1, 1, 2, 4))
    bias = draw.pick("", f", {draw.weight(4)}")
    options = [
        draw.pick("", f", stride={draw.number(1, 3)}"),
        draw.pick("", f", pad={draw.number(0, 2)}"),
        draw.pick("", ", cover_all=True"),
        draw.pick("", f", dilate={draw.number(1, 3)}"),
        f", groups={groups}" if groups > 1 else "",
    ]
    w = draw.weight(4, draw.channels // groups, *draw.kernel())
    return f"{draw.name('convolution')}(x, {w}{bias}{''.join(options)})"


def deconvolution(draw: Draw) -> str:
    """All arguments; `outsize` at times, which need not be one that Chainer takes."""
    groups = draw.random.choice((1, 1, 2, 4))
    bias = draw.pick("", f", {draw.weight(2 * groups)}")
    options = [
        draw.pick("", f", stride={draw.number(1, 3)}"),
        draw.pick("", f", pad={draw.number(0, 1)}"),
        draw.pick("", f", dilate={draw.number(1, 3)}"),
        f", groups={groups}" if groups > 1 else "",
    ]
    if draw.random.random() < 0.3:
        sizes = tuple(size + draw.random.randint(0, 4) for size in draw.sizes)
        options.append(f", outsize={sizes}")
    w = draw.weight(draw.channels, 2, *draw.kernel())
    return f"{draw.name('deconvolution')}(x, {w}{bias}{''.join(options)})"


def only_2d(draw: Draw) -> str:
    """The functions of images alone."""
    kernel = draw.kernel()
    stride, pad = draw.number(1, 3), draw.number(0, 2)
    dilate, shape = draw.number(1, 2), tuple(draw.random.randint(1, 9) for _ in range(2))
    cover = draw.pick("", ", cover_all=True")
    return draw.pick(
        f"F.im2col(x, {kernel}, stride={stride}, pad={pad}, dilate={dilate}{cover})",
        f"F.resize_images(x, {shape})",
        f"F.resize_images(x, {shape}, align_corners=False)",
        f"F.resize_images(x, {shape}, mode='nearest')",
        f"F.depthwise_convolution_2d(x, {draw.weight(2, 4, *kernel)}, None, {stride}, {pad})",
        f"F.dilated_convolution_2d(x, {draw.weight(3, 4, *kernel)}, None, {stride}, {pad}, {dilate}"
        f"{cover})",
        f"F.upsampling_2d(*F.max_pooling_2d(x, {kernel}, {kernel}, return_indices=True), "
        f"{kernel}, {kernel}, outsize=x.shape[2:])",
    )


KINDS: tuple[Callable[[Draw], str], ...] = (
    max_pooling,
    average_pooling,
    convolution,
    deconvolution,
    unpooling,
    only_2d,
)


def runs(call: str, inputs: dict[str, Any], attributes: dict[str, Any]) -> bool:
    """Tell whether Chainer takes a call."""
    chain = make_chain((call,), tuple(inputs), attributes)
    try:
        with chainer.using_config("train", False):
            chain.forward(*map(chainer.Variable, inputs.values()))
    except Exception:  # whatever it is that Chainer raises
        return False
    return True


def drawn(seed: int) -> Iterator[Case]:
    """Yield cases without end: calls of one kind on one image."""
    choose = random.Random(seed)
    while True:
        kind = choose.choice(KINDS)
        count = 2 if kind is only_2d else choose.choice((1, 2, 2, 2, 3))
        largest = 6 if count == 3 or kind in (deconvolution, unpooling) else 9
        least = 3 if kind is unpooling else 1  # Chainer makes nonsense of less than nothing
        draw = Draw(choose, tuple(choose.randint(least, largest) for _ in range(count)))
        x = f32(choose.randint(1, 2), draw.channels, *draw.sizes)
        dtype = choose.choice(ALL)
        calls = list(dict.fromkeys(kind(draw) for _ in range(3 * TOGETHER)))
        arrays = {
            name: chainer.Parameter(held.array.astype(dtype)) for name, held in draw.weights.items()
        }
        calls = [call for call in calls if runs(call, {"x": x.astype(dtype)}, arrays)][:TOGETHER]
        if not calls:
            continue
        used = {n: w for n, w in draw.weights.items() if any(f"self.{n}" in c for c in calls)}
        fixed = kind is unpooling or any("outsize=(" in call for call in calls)
        axes = (0,) if fixed else (0, *range(2, 2 + count))
        yield whole(*calls, x=x, axes=axes, dtypes=(dtype,), **used)
