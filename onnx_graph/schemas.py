"""Operator schemas of ai.onnx, as the builder reads them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import onnx.defs

from onnx_graph.errors import GraphError


@dataclass(frozen=True, slots=True)
class Formal:
    """A formal operand or result; ``kind`` is ``single``, ``optional`` or ``variadic``."""

    name: str
    type: str
    kind: str
    homogeneous: bool


@dataclass(frozen=True, slots=True)
class Signature:
    """What the schema of an operator says."""

    op: str
    inputs: tuple[Formal, ...]
    outputs: tuple[Formal, ...]
    types: Mapping[str, frozenset[str]]
    attributes: Mapping[str, str]
    required: frozenset[str]
    least: int
    deterministic: bool

    def input(self, index: int) -> Formal | None:
        """Return the formal of operand ``index``, None if there is no such operand."""
        return _formal(self.inputs, index)

    def output(self, index: int) -> Formal | None:
        """Return the formal of result ``index``, None if there is no such result."""
        return _formal(self.outputs, index)

    def allowed(self, formal: Formal) -> frozenset[str]:
        """Return the types that a formal takes."""
        return self.types.get(formal.type) or frozenset((formal.type,))


def _formal(formals: tuple[Formal, ...], index: int) -> Formal | None:
    if index < len(formals):
        return formals[index]
    return formals[-1] if formals and formals[-1].kind == "variadic" else None


HOLDERS = frozenset(("If", "Loop", "Scan", "SequenceMap"))
"""The operators that have bodies."""

RANDOM = frozenset(
    (
        "RandomNormal",
        "RandomNormalLike",
        "RandomUniform",
        "RandomUniformLike",
        "Multinomial",
        "Bernoulli",
        "Dropout",
    )
)


@cache
def signature(op: str, opset: int) -> Signature:
    """Return the signature of an ai.onnx operator at an opset.

    Raises:
        GraphError: the opset has no such operator.
    """
    try:
        schema = onnx.defs.get_schema(op, opset, "")
    except onnx.defs.SchemaError as error:
        raise GraphError(f"opset {opset} has no operator {op}") from error
    kinds = {
        onnx.defs.OpSchema.FormalParameterOption.Single: "single",
        onnx.defs.OpSchema.FormalParameterOption.Optional: "optional",
        onnx.defs.OpSchema.FormalParameterOption.Variadic: "variadic",
    }

    def formals(parameters: object) -> tuple[Formal, ...]:
        return tuple(
            Formal(item.name, item.type_str, kinds[item.option], item.is_homogeneous)
            for item in parameters  # type: ignore[attr-defined]
        )

    return Signature(
        op,
        formals(schema.inputs),
        formals(schema.outputs),
        {
            constraint.type_param_str: frozenset(constraint.allowed_type_strs)
            for constraint in schema.type_constraints
        },
        {name: str(item.type).rpartition(".")[2] for name, item in schema.attributes.items()},
        frozenset(name for name, item in schema.attributes.items() if item.required),
        schema.min_input,
        op not in RANDOM,
    )
