"""What other runtimes are known to lack or to get wrong: each deviation has one of these reasons."""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass

__all__ = ["GAPS", "Gap"]


@dataclass(frozen=True)
class Gap:
    """A gap of a runtime.

    Attributes:
        outcomes: What it shows as.
        pattern: Found in what the runtime says, or in how the result differs.
        reason: In words.
        operators: The model has at least one of these; any model where there are none.
    """

    runtime: str
    outcomes: tuple[str, ...]
    pattern: str
    reason: str
    operators: frozenset[str] = frozenset()

    def explains(self, runtime: str, outcome: str, text: str, operators: Set[str]) -> bool:
        """Tell whether a deviation comes of this gap."""
        fits = not self.operators or bool(self.operators & operators)
        known = self.runtime == runtime and outcome in self.outcomes
        return known and fits and re.search(self.pattern, text) is not None


SEQUENCES = frozenset({"SequenceInsert", "SplitToSequence", "SequenceConstruct", "SequenceEmpty"})

GAPS = (
    Gap(
        "reference",
        ("differs", "fails"),
        "^shape|single element|same shape|broadcast",
        "what a Loop stacks is joined by `np.vstack`: numbers come out as (N, 1), matrices side by "
        "side",
        frozenset({"Loop"}),
    ),
    Gap(
        "reference",
        ("fails",),
        "need at least one array to concatenate",
        "a Loop of no turn cannot stack",
        frozenset({"Loop"}),
    ),
    Gap(
        "reference",
        ("fails",),
        "integer modulo by zero",
        "`SequenceInsert` into an empty sequence divides by its length",
        frozenset({"SequenceInsert"}),
    ),
    Gap(
        "reference",
        ("differs",),
        "^other",
        "`SequenceInsert` at the end, with a position, inserts at the front",
        frozenset({"SequenceInsert"}),
    ),
    Gap(
        "web",
        ("fails",),
        "non-tensor typed value|takes no sequences",
        "the JavaScript API passes no sequences in or out",
    ),
)
