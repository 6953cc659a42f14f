"""What models of recorded calls are held to."""

from __future__ import annotations

from typing import Any

from tests.programs import difference, outcome

__all__ = ["agree", "described"]


def agree(function: Any, model: Any, *calls: tuple[Any, ...]) -> None:
    """Compare a model with the chain on calls."""
    found = [difference(outcome(function, call), outcome(model, call)) for call in calls]
    assert [text for text in found if text] == []


def described(model: Any) -> str:
    """Return the inputs of a model in words."""
    return "; ".join(spec.describe() for spec in model.signature.inputs.specs)
