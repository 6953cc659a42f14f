"""What another walk assumes where one is given up, and which error is told in the end."""

from __future__ import annotations

import chainer
import numpy as np
import pytest

import elichika
from elichika.errors import BudgetError, ElichikaError, StagingError
from elichika.walker.plan import HeldInList, Plan, PresenceAsked, WalkAgain
from tests.programs import Program, check, compiled

FIRST, SECOND = StagingError("first", ()), StagingError("second", ())
SITE = ((1,), list)


def gives_up(
    plan: Plan,
    error: ElichikaError,
    rolled: bool = False,
    streams: bool = False,
    peeled: bool = False,
    spared: bool = False,
) -> None:
    plan.give_up(error, peeled=peeled, spared=spared, rolled=rolled, streams=streams)


def told(
    plan: Plan,
    error: ElichikaError,
    rolled: bool = False,
    streams: bool = False,
    peeled: bool = False,
) -> object:
    with pytest.raises(ElichikaError) as caught:
        gives_up(plan, error, rolled, streams, peeled)
    return caught.value


def test_an_error_that_nothing_gets_over_is_told() -> None:
    assert told(Plan(), FIRST) is FIRST


def test_each_assumption_is_made_once_and_then_the_first_error_is_told() -> None:
    plan = Plan()
    held = HeldInList("held", ())
    gives_up(plan, held)
    assert plan.keeps_identity
    gives_up(plan, SECOND, rolled=True)
    assert plan.unrolls_more
    gives_up(plan, HeldInList("held again", ()), rolled=True)
    assert plan.writes_items and not plan.keeps_identity
    assert told(plan, HeldInList("held still", ()), rolled=True) is held


def test_what_presence_got_over_is_forgotten() -> None:
    plan = Plan()
    gives_up(plan, PresenceAsked("whose", ()))
    assert plan.keeps_presence
    assert told(plan, SECOND) is SECOND


def test_first_turns_of_long_ones_stand_apart_where_nothing_else_does() -> None:
    plan = Plan()
    gives_up(plan, FIRST, spared=True)
    assert plan.peels_long
    gives_up(plan, SECOND, peeled=True, spared=True)
    assert not plan.peels and not plan.peels_long


def test_a_budget_is_not_spent_twice() -> None:
    plan, spent = Plan(), BudgetError("spent", ())
    assert told(plan, spent, rolled=True) is spent
    assert not plan.unrolls_more


def test_arenas_get_over_what_came_before() -> None:
    plan = Plan()
    plan.arenas.unite([SITE])
    gives_up(plan, WalkAgain(FIRST))
    assert told(plan, SECOND) is SECOND


def test_an_iterator_that_is_asked_does_not_hide_the_first_error() -> None:
    plan = Plan()
    gives_up(plan, FIRST, rolled=True)
    gives_up(plan, WalkAgain(None))
    assert told(plan, SECOND, rolled=True) is FIRST


def test_a_walk_that_peeled_starts_again_as_if_it_were_the_first() -> None:
    plan = Plan()
    plan.arenas.unite([SITE])
    plan.keeps_presence = True
    gives_up(plan, FIRST, peeled=True)
    assert not plan.peels
    assert not plan.arenas
    assert not plan.keeps_presence
    assert told(plan, SECOND) is SECOND


def test_arenas_beside_streams() -> None:
    plan = Plan()
    plan.arenas.unite([SITE])
    gives_up(plan, WalkAgain(FIRST), streams=True)  # they do not outlive the call
    gives_up(plan, HeldInList("held", ()), streams=True)
    gives_up(plan, WalkAgain(None), streams=True)


def rolled_then_unrolled(self, x):
    rows = []
    for i in range(40):
        rows.append(x * i)
        x = x + 1
    return rows[3], len({str(i) for i in range(len(rows))})


def held_then_written(self, n):
    a, rows = np.zeros(2), []
    for _ in range(n):
        rows.append(a)
    a[0] = 5
    return rows, a


X = np.ones(3, np.float32)


@pytest.mark.parametrize(
    "program",
    [
        Program(rolled_then_unrolled, [(X,), (X * 2,)]),
        Program(held_then_written, [(1,), (2,), (3,)]),
    ],
    ids=lambda program: program.name,
)
def test_programs_that_another_walk_gets_through(program: Program) -> None:
    check(program, compiled(program))


def test_the_line_of_the_first_walk_is_shown() -> None:
    class Refused(chainer.Chain):
        def forward(self, x):
            for _ in range(40):
                x = x + 1
            return hash(x.sum()), x

    with pytest.raises(elichika.ElichikaError) as caught:
        elichika.compile_model(Refused(), X, verify=False, max_unroll=4)
    assert "hash" in str(caught.value)
    assert caught.value.frames[-1].line == Refused.forward.__code__.co_firstlineno + 3
