"""What Pillow does in C with the pixels of an image, over numpy: its own Python is read around it.

An image of the run is an object of Pillow's own class whose `im` is a `Core` of this module.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from elichika.idioms.signals import refuse

#: The mode of an image made of an array of a dtype and a number of axes.
MODES = {("uint8", 2): "L", ("uint8", 3): "RGB", ("int32", 2): "I", ("float32", 2): "F"}
MODES[("float64", 2)] = "F"
BICUBIC = 3


class Core:
    """The pixels of an image: an array of its height, its width and perhaps its channels."""

    readonly = 0

    def __init__(self, pixels: Any, mode: str) -> None:
        self.pixels = pixels
        self.mode = mode

    @property
    def size(self) -> Any:
        """Its width and height."""
        return self.pixels.shape[1], self.pixels.shape[0]

    @property
    def bands(self) -> int:
        """How many channels it has."""
        return len(self.mode) if self.mode == "RGB" else 1

    def pixel_access(self, readonly: Any = 0) -> None:
        """Do nothing: there is nothing to be loaded."""

    def copy(self) -> Any:
        """Return the same pixels anew."""
        return Core(self.pixels.copy(), self.mode)

    def __getattr__(self, name: str) -> Any:
        refuse(f"`{name}` of an image of Pillow is not compiled: only `resize`, `convert`, `copy`")


def of_array(cls: Any, array: Any, mode: Any) -> Any:
    """Return the image of an array; see `pillow.from_array` for whether it shares its memory."""
    own = MODES.get((array.dtype.name, array.ndim))
    if own is None or mode not in (None, own):
        refuse(
            "`Image.fromarray` is compiled for uint8 of two axes, or three with 3 channels, and "
            "for int32, float32 and float64 of two"
        )
    if own == "RGB" and array.shape[2] != 3:
        raise TypeError("images are compiled with three channels, or one that has no axis")
    if array.size == 0:
        raise ValueError("an image has at least one pixel")
    return cls()._new(Core(array, own))


def pixels_of(image: Any) -> Any:
    """Return the pixels of an image of the run, or of one that was known before."""
    if type(image.im) is Core:
        return image.im.pixels
    if image.mode not in MODES.values():
        refuse("images of Pillow are resized and converted that are in the modes L, RGB, I and F")
    return np.asarray(image)


def to_array(image: Any) -> Any:
    """Return the pixels anew."""
    return pixels_of(image).copy()


def resized(
    self: Any, size: Any, resample: Any = None, box: Any = None, reducing_gap: Any = None
) -> Any:
    """Do what `Image.resize` does."""
    if box is not None or reducing_gap is not None:
        refuse("`box` and `reducing_gap` of `Image.resize` are not compiled")
    width, height = size
    if width <= 0 or height <= 0:
        raise ValueError("height and width must be > 0")
    resample = BICUBIC if resample is None else resample
    return self._new(Core(sampled(pixels_of(self), width, height, resample), self.mode))


def sampled(pixels: Any, width: Any, height: Any, resample: Any) -> Any:
    """Return pixels in another size; has a lowering."""
    raise NotImplementedError


def converted(
    self: Any,
    mode: Any = None,
    matrix: Any = None,
    dither: Any = None,
    palette: Any = None,
    colors: Any = 256,
) -> Any:
    """Do what `Image.convert` does."""
    if not mode or mode == self.mode:
        return self.copy()
    if matrix:
        refuse("`matrix` of `Image.convert` is not compiled")
    pixels = pixels_of(self)
    change = (self.mode, mode)
    if change == ("L", "RGB"):
        made = np.stack([pixels, pixels, pixels], 2)
    elif change == ("RGB", "L"):
        weighted = pixels.astype(np.int32) * np.array([19595, 38470, 7471], np.int32)
        made = ((weighted.sum(2) + 32768) // 65536).astype(np.uint8)
    elif change in (("L", "F"), ("I", "F")):
        made = pixels.astype(np.float32)
    elif change == ("L", "I"):
        made = pixels.astype(np.int32)
    else:
        refuse("`Image.convert` is compiled between L and RGB, to I from L, and to F from L and I")
    return self._new(Core(made, mode))
