"""Reading and writing `array[index]` as numpy does.

`plan` reads an index; the plan then gives the nodes that read the selected elements, and those
that write them.  Basic indexing gives views, indexing by arrays gives copies.
"""

from elichika.indexing.access import assigned, broadcast_into, getitem, require_whole, setitem
from elichika.indexing.entries import plan, unpacked
from elichika.indexing.graph_values import index_value
from elichika.indexing.plans import positions

__all__ = [
    "assigned",
    "broadcast_into",
    "getitem",
    "index_value",
    "plan",
    "positions",
    "require_whole",
    "setitem",
    "unpacked",
]
