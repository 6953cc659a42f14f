"""Lists, dicts and objects that are changed while lists of dynamic length hold them: arenas."""

from __future__ import annotations

import copy

import chainer
import numpy as np
import pytest

import elichika
from tests.programs import Program, check, compiled, f32
from tests.walker.containers import soak_arenas


class Point:
    def __init__(self, x, tags):
        self.x = x
        self.tags = tags

    def move(self, by):
        self.x = self.x + by
        return self


class Link:
    def __init__(self, a):
        self.a = a
        self.next = None


def changed_after_it_was_stored(self, n):
    rows, row = [], [1]
    for i in range(n):
        rows.append(row)
        row.append(i)
    return rows


def changed_after_the_loop(self, n):
    rows, row = [], [1]
    for _ in range(n):
        rows.append(row)
    row.append(5)
    return rows


def written_in_a_loop_that_leaves_others_alone(self, n):
    p, q = {"a": 1, "b": [1]}, {"a": 2, "b": [2]}
    rows = [p]
    for _ in range(n):
        if n > 1:
            rows.append(q)
            p["b"].append(n)
            for i in range(n):
                q["a"] = i
    return [(row["a"], len(row["b"])) for row in rows]


def changed_before_it_is_stored(self, n):
    rows, row = [], [1]
    for i in range(n):
        row.append(i)
        rows.append(row)
    return rows


def an_element_changed(self, n):
    rows = []
    for i in range(n):
        rows.append([i])
    rows[0].append(5)
    return rows


def an_item_of_an_element_changed(self, n):
    rows = []
    for i in range(n):
        rows.append({"a": i})
    for row in rows:
        row["a"] += 1
    return rows


def an_attribute_changed(self, n):
    points = []
    for i in range(n):
        points.append(Point(i, [i]))
    points[-1].x = 7
    return points[0].x


def changed_in_a_branch(self, n):
    rows, row = [], [1]
    for i in range(n):
        if i % 2 == 0:
            rows.append(row)
        else:
            row += [2]
    return rows


def identity_of_elements(self, n):
    rows = []
    for i in range(n):
        rows.append([i])
    return rows[0] is rows[-1], n


def one_dict_in_two_lists(self, n):
    left, right = [], []
    for i in range(n):
        one = {"a": i, "words": [i]}
        left.append(one)
        if i % 2 == 0:
            right.append(one)
    for one in left:
        one["a"] += 10
        one["words"].append(7)
    return left, [one["a"] * len(one["words"]) for one in right]


def one_dict_twice_in_one_list(self, n):
    rows = []
    for i in range(n):
        one = {"a": i}
        rows.append(one)
        rows.append(one)
    for one in rows:
        one["a"] = one["a"] * 2 + 1
    return rows


def kept_by_name_while_the_list_is_sorted(self, n):
    rows = []
    kept = {"a": -3, "b": 0}
    for i in range(n):
        one = {"a": (i * 7) % 5, "b": i}
        rows.append(one)
        if i % 3 == 1:
            kept = one
    rows = sorted(rows, key=lambda one: -one["a"])[:3]
    kept["b"] = 50
    kept["a"] += 1
    return [(one["a"], one["b"]) for one in rows], kept["a"]


def lists_in_dicts_in_lists(self, n):
    found = [{"score": 0, "words": [1]}]
    for i in range(n):
        grown = []
        for one in found:
            for step in range(2):
                grown.append({"score": one["score"] + step * i, "words": one["words"] + [step]})
        found = sorted(grown, key=lambda one: -one["score"])[:2]
        for one in found:
            if one["words"][-1] == 1:
                one["score"] += 5
            else:
                one["words"].append(9)
    return found


def keys_that_come_later_and_in_another_order(self, n):
    ended, rows = [], [{"a": 1, "b": 2}]
    for i in range(n):
        new = {}
        new["b"] = i
        new["a"] = rows[-1]["a"] + 1
        rows.append(new)
        if i % 2 == 1:
            new["done"] = i
            ended.append(new)
    for one in ended:
        one["a"] += one["done"]
    return [one["a"] + one["b"] for one in rows], len(ended)


def objects_that_hold_objects(self, n):
    links, first = [], Link(0)
    last = first
    for i in range(n):
        new = Link(i)
        links.append(new)
        last.next = new
        last = new
    total = 0
    here = first
    while here.next is not None:
        here = here.next
        here.a += 1
        total = total * 3 + here.a
    return total, [link.a for link in links]


def methods_that_change_an_element(self, x, n):
    points = []
    for i in range(n):
        points.append(Point(x * i, [i]))
    far = points
    for p in points:
        far = [p.move(x), *far][:2]
        p.tags.append(len(far))
    return [p.x for p in far], [p.tags for p in points]


def one_of_two_is_changed(self, n, c):
    a, b = {"v": 1}, {"v": 2}
    rows = []
    for i in range(n):
        rows.append(a if i % 2 == 0 else b)
    chosen = a if c else b
    chosen["v"] += 10
    if n > 2:
        rows[1] = {"v": 0}
        rows[0]["v"] = 5
    return [one["v"] for one in rows], a["v"], b["v"], rows[0] is a


def moved_between_lists(self, n):
    live, ended = [[3]], []
    for i in range(n):
        left = []
        for one in live:
            if len(one) > 2:
                one.append(-1)
                ended.append(one)
            else:
                left.append(one)
                one.append(i)
        live = left
        live.append([i])
    return live, ended


def changed_in_a_function_of_the_program(self, n):
    def mark(one):
        one["seen"] = True
        return one

    rows, seen = [], 0
    for i in range(n):
        rows.append({"a": i, "seen": i == 1})
    if n > 1:
        mark(rows[-1])
    for one in rows:
        if one["seen"]:
            seen += one["a"] + 1
    return seen


def objects_made_in_branches(self, n):
    links = []
    for i in range(n):
        links.append(Link(i))
    if n > 1:
        links.append(Link(n))
        links[0].next = Link(7)
    for link in links:
        if link.next is None:
            link.a += 1
        else:
            link.next.a += link.a
    return [link.a for link in links], 0 if n < 2 else links[0].next.a


TURNS = [(3,), (0,), (1,), (2,), (6,)]
SOME = [(3,), (1,), (2,), (6,), (0,)]


def the_largest_if_any(self, n):
    rows = []
    for i in range(n):
        rows.append([i])
    for one in rows:
        one[0] += 1
    return max(rows, key=lambda one: one[0]) if n > 0 else 0


def a_dict_in_a_tuple_if_any(self, n):
    rows = []
    for i in range(n):
        rows.append({"a": i, "b": [i]})
    for one in rows:
        one["a"] += 1
        one["b"][0] += 2
    return (rows[0], n) if n > 0 else (0, None)


def hypotheses_of_few_steps(self, x):
    """Each of the steps may be the last; what they go on with is chosen by the scores."""
    held = [[2]] * len(x)
    for step in range(8):
        best = np.argmax(x + step * x[:, ::-1] * np.float32(0.3), axis=1)
        held = [held[k % 3] + [k] for k in best.tolist()]
        if x.sum() + step > 5:
            break
    return held


def one_list_or_an_element(self, x, n):
    self.items = []
    for row in x:
        for tmp in x:
            self.items.append(tmp)
            total = 0
            for item in self.items:
                total += item[0]
            if total > n:
                return self.items
        self.items = [*self.items, row]
    return self.items


def one_list_or_an_element_until_any(self, x, n):
    self.items = []
    for row in x:
        for tmp in x:
            self.items.append(tmp)
            if any([item.sum() > n for item in self.items]):
                return self.items
        self.items = self.items + [row]
    return self.items


PROGRAMS = [
    *(
        Program(forward, SOME)
        for forward in (
            changed_after_it_was_stored,
            changed_after_the_loop,
            written_in_a_loop_that_leaves_others_alone,
            changed_before_it_is_stored,
            an_element_changed,
            an_item_of_an_element_changed,
            an_attribute_changed,
            changed_in_a_branch,
            identity_of_elements,
        )
    ),
    *(
        Program(forward, [(f32(k, 3, seed=k), k % 4) for k in (3, 2, 1, 0, 4, 5)], {"x": {0: "n"}})
        for forward in (one_list_or_an_element, one_list_or_an_element_until_any)
    ),
    Program(one_dict_in_two_lists, TURNS),
    Program(one_dict_twice_in_one_list, TURNS),
    Program(kept_by_name_while_the_list_is_sorted, TURNS),
    Program(lists_in_dicts_in_lists, TURNS),
    Program(keys_that_come_later_and_in_another_order, TURNS),
    Program(objects_that_hold_objects, TURNS),
    Program(methods_that_change_an_element, [(f32(2), 3), (f32(2), 0), (f32(2), 1), (f32(2), 5)]),
    Program(one_of_two_is_changed, [(3, True), (3, False), (0, True), (1, False), (6, True)]),
    Program(objects_made_in_branches, TURNS),
    Program(moved_between_lists, [(4,), (0,), (1,), (2,), (7,)]),
    Program(changed_in_a_function_of_the_program, TURNS),
    Program(the_largest_if_any, [(3,), (0,), (1,), (5,)]),
    Program(a_dict_in_a_tuple_if_any, [(3,), (0,), (1,)]),
    Program(hypotheses_of_few_steps, [(f32(3, 5, seed=seed),) for seed in range(5)]),
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_compiled_once_right_on_other_inputs(program: Program) -> None:
    check(program, compiled(program))


def an_array_of_an_element_changed(self, x, n):
    rows = []
    for i in range(n):
        rows.append({"a": x * i})
    for one in rows:
        one["a"] += 1
    return rows


def keys_in_an_order_of_the_input(self, n):
    rows = []
    for i in range(n):
        one = {"a": i}
        if i % 2 == 0:
            one["c"] = 1
        one["b"] = 2
        rows.append(one)
    rows[0]["a"] = 7
    return [key for one in rows for key in one]


def a_deep_copy_of_a_list_and_of_one_in_it(self, n):
    rows = []
    for i in range(n):
        rows.append({"a": i})
    held = copy.deepcopy({"all": rows, "first": rows[0]})
    held["first"]["a"] += 1
    return rows, held


def one_that_may_not_be_there(self, n):
    rows = []
    for i in range(n):
        rows.append([i])
    for one in rows:
        one[0] += 1
    return rows[0] if n > 2 else [rows[0], rows[-1]]


@pytest.mark.parametrize(
    "program",
    [
        Program(one_that_may_not_be_there, [(3,)]),
        Program(a_deep_copy_of_a_list_and_of_one_in_it, [(3,)]),
        Program(an_array_of_an_element_changed, [(f32(2), 3)]),
        Program(keys_in_an_order_of_the_input, [(3,)]),
    ],
    ids=lambda program: program.name,
)
def test_what_has_no_record_is_refused(program: Program) -> None:
    with pytest.raises(elichika.StagingError, match="list of dynamic length"):
        compiled(program)


def test_what_changes_no_element_has_no_arena() -> None:
    def forward(self, n):
        rows = []
        for i in range(n):
            row = [i]
            row.append(i)
            rows.append(row)
        return rows

    model = compiled(Program(forward, [(3,)]))
    kinds = {node.op_type for node in model.proto.graph.node}
    assert "SequenceErase" not in kinds and "SequenceInsert" not in kinds


class _Counting(chainer.Chain):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, n):
        rows = []
        for i in range(n):
            rows.append([i])
        for row in rows:
            row[0] += 1
        self.calls += len(rows)
        return rows, self.calls


class _Keeping(_Counting):
    def forward(self, n):
        rows, _ = super().forward(n)
        self.calls = rows
        return len(rows)


def test_arenas_beside_state() -> None:
    model, chain = elichika.compile_model(_Counting(), (3,), state=True), _Counting()
    for n in (2, 0, 4, 1):
        assert model(n) == chain(n)


def test_state_holds_no_arena() -> None:
    with pytest.raises(elichika.StagingError, match="which a call changes, cannot be an input"):
        elichika.compile_model(_Keeping(), (3,), state=True)


@pytest.mark.parametrize("seed", [0, 6, 13, 19])
def test_random_programs(seed: int) -> None:
    """A sample of `make soak-arenas`."""
    assert soak_arenas.held(seed) == ("right", "")
