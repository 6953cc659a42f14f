"""What classes of the program answer where an object is looked at: its class, its `__dict__`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.programs import REFUSED, Program, compiled
from tests.table import Table, hold

INPUTS = [
    (np.array(numbers, np.int64), n)
    for numbers, n in (([3, 1, 4], 2), ([], 1), ([7], 0), ([1, 1, 1, 1], 3), ([-2, 5], 4))
]
case = Table(INPUTS, {"x": {0: "n"}})
refused = Table(INPUTS, {"x": {0: "n"}})

#: What looks at objects of `Watched`, in their order.
ASKED: list[str] = []


class Plain:
    """Answers by `object`, but for one name."""

    def __init__(self, k: Any = 3) -> None:
        self.k = k

    def __getattribute__(self, name: str) -> Any:
        if name == "more":
            return object.__getattribute__(self, "__dict__").get("k") + 1
        return super().__getattribute__(name)


class Watched:
    def __getattribute__(self, name: str) -> Any:
        ASKED.append(name)
        return super().__getattribute__(name)


class Fake:
    __class__ = int  # type: ignore[assignment]
    k = 2


class Told:
    n = 0

    @property
    def __class__(self) -> Any:
        Told.n += 1
        return dict


class Mentioned:
    def __getattribute__(self, name: str) -> Any:
        return list if name == "__class__" else object.__getattribute__(self, name)


@case()
def read_by_getattribute(self, x, n):
    plain = Plain(n)
    for value in x:
        plain.k = plain.more + value
    kinds = isinstance(plain, list), isinstance(plain, Plain), isinstance(plain, (dict, int))
    return kinds, plain.__class__ is Plain, type(plain) is Plain, plain.k, plain.more


@case()
def own_dict(self, x, n):
    plain = Plain()
    plain.z = n
    plain.__dict__["w"] = x.sum()
    return sorted(vars(plain)), plain.w, hasattr(plain, "q"), getattr(plain, "q", n), plain.more


@case(plain=Plain)
def attribute_of_the_chain(self, x, n):
    total = self.plain.more
    for value in x:
        total = total + value * self.plain.more
    return total, isinstance(self.plain, Plain), vars(self.plain)["k"] + n


@refused()
def watched(self, x, n):
    return x + len(vars(Watched())) + n


@refused()
def class_property(self, x, n):
    return isinstance(Told(), dict), x + n


@refused()
def class_attribute(self, x, n):
    return isinstance(Fake(), int), x + n


@refused()
def attribute_of_such(self, x, n):
    return x + Fake().k + n


@refused()
def class_by_getattribute(self, x, n):
    return isinstance(Mentioned(), list), x + n


@refused(one=Watched)
def watched_attribute(self, x, n):
    return isinstance(self.one, dict), x + n


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_answers(program: Program) -> None:
    hold(program)


@pytest.mark.parametrize("program", refused.programs, ids=lambda p: p.name)
def test_what_a_look_changes_is_refused(program: Program) -> None:
    with pytest.raises(REFUSED, match=r"wherever it looks|its own `__class__`"):
        compiled(program)


class Stubborn:
    """Cannot be copied: it asks itself for what a copy has not yet."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __getattribute__(self, name: str) -> Any:
        if name != "asked":
            object.__getattribute__(self, "asked").append(name)
        return super().__getattribute__(name)


def test_a_refusal_is_told_of_what_cannot_be_copied() -> None:
    def forward(self, x, n):
        return isinstance(self.one, dict), x + n

    program = Program(forward, INPUTS, attributes=lambda: {"one": Stubborn()})
    with pytest.raises(REFUSED, match="wherever it looks"):
        compiled(program)
