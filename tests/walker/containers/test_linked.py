"""Objects that hold one another: linked lists, queues, rings, trees, back pointers."""

from __future__ import annotations

import numpy as np
import pytest

from tests.programs import Program
from tests.table import TOKEN_AXES, TOKENS, Table, hold

case = Table(TOKENS, TOKEN_AXES)


class Cell:
    def __init__(self, value, after=None):
        self.value, self.after = value, after


class Ring:
    def __init__(self, value):
        self.value, self.before, self.after = value, self, self


class Tree:
    def __init__(self, key):
        self.key, self.left, self.right = key, None, None


class Letter:
    def __init__(self):
        self.following = [None] * 4
        self.count = 0


class Queue:
    def __init__(self):
        self.first = self.last = None
        self.size = 0

    def push(self, value):
        cell = Cell(value)
        if self.last is None:
            self.first = cell
        else:
            self.last.after = cell
        self.last = cell
        self.size += 1

    def pop(self):
        value = self.first.value
        self.first = self.first.after
        if self.first is None:
            self.last = None
        self.size -= 1
        return value


@case()
def a_list_from_its_end(self, s, n):
    head, total = None, 0
    for value in s.tolist():
        head = Cell(value, head)
    while head is not None:
        total = total * n + head.value
        head = head.after
    return total


@case()
def a_stack_that_grows_and_shrinks(self, s, n):
    top, popped, left = None, [], []
    for value in s.tolist():
        if value == 3 and top is not None:
            popped.append(top.value)
            top = top.after
        else:
            top = Cell(value, top)
    while top:
        left.append(top.value)
        top = top.after
    return popped, left


@case()
def reversed_in_place(self, s, n):
    head, done, out = None, None, []
    for value in s.tolist():
        head = Cell(value, head)
    while head is not None:
        head.after, done, head = done, head, head.after
    while done is not None:
        out.append(done.value)
        done = done.after
    return out


@case()
def two_lists_with_one_tail(self, s, n):
    a = b = None
    for i, value in enumerate(s.tolist()):
        if i % 2:
            a = Cell(value, a)
        else:
            b = Cell(value, a)
    if b is not None and b.after is not None:
        b.after.value += 10
    total = 0
    while a is not None:
        total = total * n + a.value
        a = a.after
    return total, -1 if b is None else b.value


@case()
def one_cell_is_another(self, s, n):
    first = last = None
    for value in s.tolist():
        last = Cell(value, last)
        first = last if first is None else first
    steps, at = 0, last
    while at is not first:
        at, steps = at.after, steps + 1
    return steps, at is first, first is last


@case()
def a_queue(self, s, n):
    queue, out = Queue(), []
    for value in s.tolist():
        queue.push(value)
        if value % 2 and queue.size > 1:
            out.append(queue.pop())
    while queue.size:
        out.append(queue.pop())
    return out


@case()
def a_ring(self, s, n):
    head, out = Ring(-1), []
    for value in s.tolist():
        one = Ring(value)
        one.before, one.after = head.before, head
        head.before.after = one
        head.before = one
    at = head.after
    while at is not head:
        if at.value == n:
            at.before.after, at.after.before = at.after, at.before
        at = at.after
    at = head.before
    while at is not head:
        out.append(at.value)
        at = at.before
    return out


@case()
def a_search_tree(self, s, n):
    root = None
    for value in s.tolist():
        new = Tree(value)
        if root is None:
            root = new
            continue
        at = root
        while at.key != value:
            if value < at.key:
                if at.left is None:
                    at.left = new
                at = at.left
            else:
                if at.right is None:
                    at.right = new
                at = at.right

    def total(tree, depth):
        if tree is None:
            return 0
        return tree.key * depth + total(tree.left, depth + 1) + total(tree.right, depth + 1)

    return total(root, 1)


@case()
def a_trie(self, s, n):
    root = Letter()
    for i in range(len(s) - 2):
        at = root
        for value in s[i : i + 3].tolist():
            if at.following[value] is None:
                at.following[value] = Letter()
            at = at.following[value]
            at.count += 1
    at, total = root, 0
    for value in s[:3].tolist():
        if at.following[value] is None:
            break
        at = at.following[value]
        total = total * 10 + at.count
    return total


@case()
def pairs_as_lists(self, s, n):
    held, total = None, 0
    for value in s.tolist():
        held = [value, held]
    while held is not None:
        total = total * n + held[0]
        held = held[1]
    return total


@case()
def pairs_as_dicts(self, s, n):
    held, total = None, 0
    for value in s.tolist():
        held = {"value": value, "after": held}
    while held is not None:
        total = total * n + held["value"]
        held = held["after"]
    return total


@case()
def rows_on_a_stack(self, s, n):
    rows = np.arange(12, dtype=np.float32).reshape(4, 3) / 7
    top, total, count = None, np.zeros(3, np.float32), 0
    for value in s.tolist():
        if value == 0 and top is not None and top.after is not None:
            top = Cell(np.tanh(top.value + top.after.value), top.after.after)
        else:
            top = Cell(rows[value], top)
    while top is not None:
        count += 1
        total, top = total + top.value * count, top.after
    return total, count


@case()
def a_beam_with_back_pointers(self, s, n):
    beam = [(0.0, Cell(-1))]
    for i, value in enumerate(s.tolist()):
        grown = []
        for score, cell in beam:
            for token in range(3):
                grown.append((score + (value * 7 + token * 5 + i) % 11 / 8, Cell(token, cell)))
        grown.sort(key=lambda pair: -pair[0])
        beam = grown[:2]
    score, at, tokens = beam[0][0], beam[0][1], []
    while at.after is not None:
        tokens.append(at.value)
        at = at.after
    return score, tokens[::-1]


@case()
def one_of_more_objects_than_a_choice_holds(self, s, n):
    cells = [Cell(i) for i in range(12)]
    found = None
    for value in s.tolist():
        for cell in cells:
            if cell.value == value * 3 + n:
                found = cell
    if found is None:
        return -1
    found.after = found
    found.value += 50
    return found.value, sum(cell.value for cell in cells), found.after is found


@case()
def chains_by_a_number(self, s, n):
    heads, out = {}, []
    for i, value in enumerate(s.tolist()):
        heads[value] = Cell(i, heads.get(value))
    for value in sorted(heads):
        at, total = heads[value], 0
        while at is not None:
            total, at = total * 10 + at.value, at.after
        out.append(total)
    return out


@case()
def chains_that_go_on_from_one_number_less(self, s, n):
    last, longest = {}, 0
    for value in s.tolist():
        last[value] = Cell(value, last.get(value - 1))
    for value in sorted(last):
        at, length = last[value], 0
        while at is not None:
            length, at = length + 1, at.after
        longest = max(longest, length)
    return longest


class Inner:
    def __init__(self, value, parent=None):
        self.value, self.parent, self.inside = value, parent, []
        if parent is not None:
            parent.inside.append(self)


@case()
def parents_that_hold_what_holds_them(self, s, n):
    root = Inner(-1)
    at, depth = root, 0
    for value in s.tolist():
        if value == 0 and at.parent is not None:
            at = at.parent
        else:
            at = Inner(value, at)
    while at is not None:
        depth, at = depth + 1, at.parent
    return depth, len(root.inside)


@case()
def recently_used(self, s, n):
    class Entry:
        def __init__(self, key):
            self.key, self.before, self.after = key, None, None

    first, last, held, hits = Entry(-1), Entry(-2), {}, 0
    first.after, last.before = last, first
    for key in s.tolist():
        if key in held:
            entry, hits = held[key], hits + 1
            entry.before.after, entry.after.before = entry.after, entry.before
        else:
            entry = held[key] = Entry(key)
            if len(held) > n:
                old = last.before
                old.before.after, last.before = last, old.before
                del held[old.key]
        entry.before, entry.after = first, first.after
        first.after.before = first.after = entry
    out, at = [], first.after
    while at is not last:
        out.append(at.key)
        at = at.after
    return out, hits


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_linked(program: Program) -> None:
    hold(program)
