"""The kinds of iterators: each asks what it runs over when it is asked, as Python's own do."""

from elichika.cursors.abreast import Enumerate, Longest, Map, Zip
from elichika.cursors.keeping import Cycle, Groups, Pairs, tees
from elichika.cursors.over import Backwards, Over, Steady
from elichika.cursors.slices import Slice

__all__ = [
    "Backwards",
    "Cycle",
    "Enumerate",
    "Groups",
    "Longest",
    "Map",
    "Over",
    "Pairs",
    "Slice",
    "Steady",
    "Zip",
    "tees",
]
