"""What other runtimes are known to lack or to get wrong: the reasons of all deviations."""

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
        ("differs",),
        "^other|^shape",
        "its LSTM and GRU do not look at `sequence_lens`: padding is read",
        frozenset({"LSTM", "GRU"}),
    ),
    Gap("reference", ("fails",), "stopped after", "it takes longer than five seconds"),
    Gap("openvino", ("fails",), "stopped after", "it takes longer than five seconds"),
    Gap(
        "openvino",
        ("not able",),
        "No conversion rule found for operations: util::.*Sequence",
        "lists of dynamic length: sequences are lowered in a few patterns only, one of which "
        "crashes",
    ),
    *(
        Gap(
            runtime,
            ("differs",),
            r"^other bytes, 0\.\d+% of them, by one$",
            "floats that lie beside the border of two bytes are rounded to the other",
        )
        for runtime in ("reference", "openvino", "web")
    ),
    Gap(
        "web",
        ("fails",),
        "non-tensor typed value|takes no sequences",
        "the JavaScript API passes no sequences in or out",
    ),
    Gap(
        "openvino",
        ("does not fail",),
        "",
        "some run-time checks are left out, and an index out of range reads what lies there",
    ),
    Gap(
        "openvino",
        ("not able", "fails"),
        r"Sequence|orig_input_pshape|split.* input|process ends: -11",
        "lists of dynamic length: sequences are lowered in a few patterns only, one of which "
        "crashes",
        SEQUENCES,
    ),
    Gap(
        "openvino",
        ("not able",),
        r"pattern_shape_rank|indices_rank|arg\d_rank|can't be a scalar|input_rank",
        "a constant of no elements is read as a number: the shape of a number behind a check, and "
        "what stands for an absent value",
    ),
    Gap(
        "openvino",
        ("not able",),
        r"canonical_inputs",
        "a Loop whose body returns one of its inputs in another place, as a swap does",
        frozenset({"Loop"}),
    ),
    Gap(
        "openvino",
        ("not able",),
        r"then_results|element::Type::merge|incompatible types",
        "an If or Loop whose results or captured values it counts or types otherwise",
        frozenset({"If", "Loop"}),
    ),
    Gap(
        "openvino",
        ("differs",),
        "32 bits|not all of them finite|^other float64, off by .e-04$",
        "int64 is computed in 32 bits, float64 as float32",
    ),
    Gap(
        "openvino",
        ("differs",),
        "^other",
        "`TopK` does not keep the order of equal elements",
        frozenset({"TopK"}),
    ),
    Gap(
        "openvino",
        ("differs",),
        "^other",
        "a Loop without an iteration gives what the run before left there, or zeros (traced in "
        "three programs); why `perceptron` differs is not known",
        frozenset({"Loop"}),
    ),
    Gap(
        "openvino",
        ("differs",),
        "^other",
        "a sequence has the length of one branch, whichever runs",
        frozenset({"SequenceLength"}),
    ),
)
