"""Atoms and monomials of size expressions, and how a polynomial is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Atom:
    """A symbol, or ``//``, ``%``, ``max``, ``min`` of two sizes; equal by text."""

    text: str
    kind: str = field(compare=False)
    parts: tuple[object, ...] = field(default=(), compare=False)
    weight: int = field(default=1, compare=False)

    @classmethod
    def of(cls, kind: str, left: object, right: object) -> Atom:
        """Build a compound atom; the parts are ints or dims."""
        if kind in ("max", "min"):
            text = f"{kind}({left}, {right})"
        else:
            operator = " % " if kind == "%" else kind
            text = f"{_enclosed(left)}{operator}{_enclosed(right)}"
        return cls(text, kind, (left, right), 1 + _weight(left) + _weight(right))


Monomial = tuple[Atom, ...]


def _weight(part: object) -> int:
    terms: Mapping[Monomial, int] = getattr(part, "terms", {})
    return sum(1 + sum(atom.weight for atom in monomial) for monomial in terms)


def _enclosed(part: object) -> str:
    text = str(part)
    return text if text.isidentifier() or text.isdigit() else f"({text})"


def _monomial_text(monomial: Monomial, factor: int) -> str:
    several = len(monomial) > 1 or factor != 1
    parts = [str(factor)] if factor != 1 or not monomial else []
    for atom in monomial:
        bare = not several or atom.kind in ("symbol", "max", "min")
        parts.append(atom.text if bare else f"({atom.text})")
    return "*".join(parts)


def _enclosed_product(part: str, monomial: Monomial) -> str:
    compound = len(monomial) == 1 and monomial[0].kind in ("//", "%") and part == monomial[0].text
    return f"({part})" if compound else part


def polynomial_text(terms: Mapping[Monomial, int]) -> str:
    """Write a polynomial canonically: higher degrees first, the constant last."""
    ordered = sorted(
        terms.items(), key=lambda term: (-len(term[0]), term[1] < 0, [a.text for a in term[0]])
    )
    text = ""
    for monomial, factor in ordered:
        if not factor:
            continue
        part = _monomial_text(monomial, abs(factor))
        if text:
            text += f" - {part}" if factor < 0 else f" + {part}"
        else:
            text = f"-{_enclosed_product(part, monomial)}" if factor < 0 else part
    return text or "0"
