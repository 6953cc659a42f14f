"""What verification tried, what it could not try, and what it found."""

from __future__ import annotations

from dataclasses import dataclass, field

from elichika.verify.moves import STILL
from elichika.verify.reached import Reached

__all__ = ["VerificationReport"]


@dataclass
class VerificationReport:
    """The outcome of a verification that found no difference.

    Attributes:
        agreed: Inputs on which chain and model gave the same.
        failed: `(input, how eager failed)` where both failed.
        not_tried: `(input, why)`: the deadline, or the budget.
        refused_by_eager: `(input, error)` where Chainer or numpy refuse types or sizes that ONNX
            has no notion of, and the model returned a value.
        warned: `(input, what)` where eager fails or warns: with a size of 0, the model was not
            run, or with numbers beyond the range of the example, where they differ.
        unstable: `(input, what)` where they differ, but rounding errors change eager's own result
            as much.
        open_orders: `(input, what)` where they differ, but numpy leaves open an order that the
            chain asks a method of an array for.
        widened: `(input, what)` where a Python number came as an equal one of another type.
        worst: The largest relative error among all float outputs.
        allowed: What error is allowed and why, where that is not the usual one.
        errors: That of each input on which they agree.
        moved: How far the model's outputs of each such input are from those of the first one, by
            their places in the result: a share of the largest magnitude, from 0 to 1.
        seconds: How long it took.
        numpy: The version of numpy whose results the model was held against.
        draws: How random numbers were compared, if the model draws some.
        other_weights: Parameters of the chain that differ from those of the model, though all
            results agree.
        reached: Which branches, iterations of loops and lines of the program the inputs reached on
            which both agreed; None where the model has neither branches nor loops.
    """

    agreed: list[str] = field(default_factory=list)
    failed: list[tuple[str, str]] = field(default_factory=list)
    not_tried: list[tuple[str, str]] = field(default_factory=list)
    refused_by_eager: list[tuple[str, str]] = field(default_factory=list)
    warned: list[tuple[str, str]] = field(default_factory=list)
    unstable: list[tuple[str, str]] = field(default_factory=list)
    open_orders: list[tuple[str, str]] = field(default_factory=list)
    widened: list[tuple[str, str]] = field(default_factory=list)
    worst: float = 0.0
    allowed: str = ""
    errors: dict[str, float] = field(default_factory=dict)
    moved: dict[str, dict[str, float]] = field(default_factory=dict)
    seconds: float = 0.0
    numpy: str = ""
    draws: str = ""
    other_weights: list[str] = field(default_factory=list)
    reached: Reached | None = None

    @property
    def not_reached(self) -> str:
        """One line with the places that no input reached; empty if there are none."""
        if self.reached is None or not self.reached.inputs:
            return ""
        looked = self.reached.inputs
        known = "" if looked >= len(self.agreed) else f" ({looked} of them were looked at)"
        return f"{self.reached}{known}" if str(self.reached) else ""

    @property
    def accuracy(self) -> str:
        """The worst error and, where that is not the usual one, what is allowed."""
        text = f"worst relative error {self.worst:.1e}"
        return f"{text} where {self.allowed}" if self.allowed else text

    @property
    def still(self) -> dict[str, float]:
        """How far those outputs moved at most that hardly moved: agreeing there proves little."""
        places = dict.fromkeys(place for moves in self.moved.values() for place in moves)
        most = {place: max(m.get(place, 0.0) for m in self.moved.values()) for place in places}
        several = len(self.moved) > 1
        return {place: far for place, far in most.items() if several and far < STILL}

    def __repr__(self) -> str:
        found = f"verified on {len(self.agreed)} inputs, {self.accuracy}"
        missed = f", not reached: {self.not_reached}" if self.not_reached else ""
        return f"<VerificationReport: {found}{missed}; print it for all of it>"

    def __str__(self) -> str:
        lines = [
            f"verified on {len(self.agreed)} inputs in {self.seconds:.1f} s against numpy "
            f"{self.numpy}, {self.accuracy}: " + "; ".join(self.agreed)
        ]
        if self.draws:
            lines.append(f"random numbers: {self.draws}")
        if self.other_weights:
            lines.append(f"parameters that differ all the same: {', '.join(self.other_weights)}")
        if self.not_reached:
            lines.append(f"not reached by these inputs: {self.not_reached}")
        for what, entries in (
            ("fails, as Chainer does", self.failed),
            ("refused by Chainer only", self.refused_by_eager),
            ("unstable", self.unstable),
            ("in an order that is left open", self.open_orders),
            ("of another type", self.widened),
            ("not tried", self.not_tried),
            ("left out, because Chainer fails or warns", self.warned),
        ):
            lines += [f"{what}: {text} ({why})" for text, why in entries]
        return "\n".join(lines)
