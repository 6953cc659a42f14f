"""Exports the networks of `models/detectors.py`, compares them, and writes `docs/detectors.md`.

Names given as arguments choose among them, and then nothing is written.
"""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.zoo import COLUMNS, write_table
from models.detectors import DETECTORS, EXTRACTORS, SEGMENTERS, load_chainercv

DOCUMENT = Path("docs/detectors.md")
HEAD = """# Networks of chainercv

Written by `make detectors`. Each is `predict` of a network as its authors wrote it, in one file: a
list of images in; resizing, the network, decoding, thresholds and suppression in the graph; boxes,
labels, scores and masks, a label for each pixel, or features out. The weights are random, set such
that boxes pass the threshold and suppress others. Compared with eager Chainer on at least four
lists of images of other sizes, one to three at a time. *Worst* is the largest difference of a
float, relative to the largest of its output. Times are processor times, on the input that takes
eager Chainer longest: both run alternately, and the fastest of up to five runs counts.

"""


if __name__ == "__main__":
    load_chainercv()
    models = (*DETECTORS, *SEGMENTERS, *EXTRACTORS)
    sys.exit(write_table(models, sys.argv[1:], DOCUMENT, HEAD + COLUMNS))
