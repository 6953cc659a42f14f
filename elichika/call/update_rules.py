"""What Chainer's update rules keep from step to step, as it is before their first update."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import chainer

from elichika.state.store import CONTENTS, ITEMS

__all__ = ["first_states", "optimizers_of", "rule_name"]

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


def optimizers_of(
    chain: chainer.Link, states: Mapping[int, Any], base: Callable[[Any, str], str | None]
) -> dict[str, dict[str, tuple[str | None, Any]]]:
    """Return where the entries of a snapshot of each optimizer are that a chain holds.

    Args:
        chain: The chain.
        states: What update rules keep that have kept nothing before, by the ids of the rules.
        base: Tells the input that has the state of a location, None where a call changes nothing.

    Returns:
        For each attribute the keys of the snapshot, with the name of an input, or None and the
        number that it always is. Optimizers of which a call changes nothing are left out, and those
        that keep arrays it does not change.
    """
    found = {}
    for attribute, optimizer in vars(chain).items():
        if isinstance(optimizer, chainer.Optimizer) and optimizer.target is not None:
            entries = dict(_entries(optimizer, states, base))
            if any(name for name, _ in entries.values()) and None not in entries:
                found[attribute] = entries
    return found


def _entries(
    optimizer: Any, states: Mapping[int, Any], base: Callable[[Any, str], str | None]
) -> Iterator[tuple[Any, Any]]:
    """Yield what `Optimizer.serialize` and `UpdateRule.serialize` save; None as a key is no way."""

    def place(owner: Any, slot: str) -> Any:
        name = base(owner, slot)
        return (None, getattr(owner, slot)) if name is None else (name, None)

    for slot in ("t", "epoch"):
        yield slot, place(optimizer, slot)
    for path, parameter in optimizer.target.namedparams():
        rule = parameter.update_rule
        if rule is None:
            continue
        prefix = path.lstrip("/")
        yield f"{prefix}/t", place(rule, "t")
        state = states.get(id(rule), rule.state) or {}
        whole = base(state, ITEMS)
        for key, array in state.items():
            own = base(array, CONTENTS) or (whole and f"{whole}/{key}")
            yield (f"{prefix}/{key}" if own else None), (own, None)
