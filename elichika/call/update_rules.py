"""What Chainer's update rules keep from step to step, as it is before their first update."""

from __future__ import annotations

import copy
from typing import Any

import chainer

__all__ = ["first_states", "rule_name"]

SUFFIX = "rule"


def rule_name(rule: Any) -> str:
    """Return the name of an update rule in the names of inputs: `adam` of an `AdamRule`."""
    return type(rule).__name__.lower().removesuffix(SUFFIX)


def first_states(chain: chainer.Link) -> dict[int, tuple[Any, dict[str, Any]]]:
    """Return the rules that were never applied, by their ids, with the states that they will have.

    A rule makes its state in its first update, out of the shape and dtype of its parameter alone.
    For rules that the program defines that is not known, and they are left out.
    """
    found = {}
    for parameter in chain.params():
        rule = parameter.update_rule
        if rule is not None and rule.enabled and _is_predictable(rule, parameter):
            first = copy.copy(rule)
            first._state = {}
            first.init_state(parameter)
            found[id(rule)] = rule, first._state
    return found


def _is_predictable(rule: Any, parameter: chainer.Parameter) -> bool:
    new = rule._state is None and parameter.array is not None and not rule._use_fp32_update
    return new and type(rule).init_state.__module__.startswith("chainer.")
