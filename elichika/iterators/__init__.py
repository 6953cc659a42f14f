"""The kinds of iterators: each asks what it runs over when it is asked, as Python's own do."""

from elichika.iterators.abreast import Enumerate, Longest, Map, Zip
from elichika.iterators.keeping import Cycle, Groups, Pairs, tees
from elichika.iterators.over import Backwards, Over, Steady
from elichika.iterators.slices import Slice

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
