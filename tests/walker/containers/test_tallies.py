"""Dicts that a loop counts by, and sets that it fills: at once, or turn by turn as they must be."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import numpy as np
import pytest

from tests.programs import Program, compiled
from tests.table import Table, hold


def _inputs() -> list[tuple[Any, ...]]:
    rows = ([3, 1, 3, 2, 1, 3], [], [5], [5, 5, 5, -1], [0, 1, 2, 3] * 3, [2**62, -(2**62), 0])
    many = np.random.RandomState(0).randint(0, 90, 400)
    return [*((np.array(row, np.int64), 2) for row in rows), (many, 3)]


at_once = Table(_inputs(), {"x": {0: "length"}})
by_turns = Table(_inputs(), {"x": {0: "length"}})


@at_once()
def words(self, x, n):
    counts = {}
    for word in x.tolist():
        counts[word] = counts.get(word, 0) + 1
    return counts


@at_once()
def asked_first(self, x, n):
    counts = {}
    for word in x.tolist():
        if word in counts:
            counts[word] += 1
        else:
            counts[word] = 1
    return counts


@at_once()
def asked_for_what_is_missing(self, x, n):
    counts = {}
    for place, word in enumerate(x.tolist()):
        if word not in counts:
            counts[word] = place
        else:
            counts[word] += place
    return counts


@at_once()
def by_default(self, x, n):
    counts, twice = defaultdict(int), Counter()
    for word in x.tolist():
        counts[word] += 1
        twice[word % 3] += 2
    return dict(counts), dict(twice)


@at_once()
def set_by_default(self, x, n):
    counts = {}
    for word in x.tolist():
        counts.setdefault(word, 0)
        counts[word] += 3
    return counts


@at_once()
def some_turns(self, x, n):
    counts = {}
    for word in x.tolist():
        if word > n:
            continue
        counts[word] = counts.get(word, 0) + 1
    return counts, len(counts)


@at_once()
def neighbours_that_grow(self, x, n):
    counts, total = {}, 0
    for i in range(len(x) - 1):
        if x[i] < x[i + 1]:
            key = int(x[i]) % 4
            counts[key] = counts.get(key, 0) + 1
        total += int(x[i]) % 7
    return counts, total


@at_once()
def what_there_is(self, x, n):
    seen = set()
    for word in x.tolist():
        if word not in seen:
            seen.add(word)
    return sorted(seen), len(seen), n in seen


@at_once()
def in_the_order_in_which_they_come(self, x, n):
    seen, found = set(), []
    for word in x.tolist():
        if word not in seen:
            seen.add(word)
            found.append(word)
    return found


@at_once()
def some_are_there_before(self, x, n):
    seen, found, places, new, total = {n, 3}, [n], [], 0, 0
    for place, word in enumerate(x.tolist()):
        key = word % 7
        if key not in seen:
            seen.add(key)
            found.append(key + 1)
            places.append(place)
            new += 1
        else:
            total += place
    return found, places, new, total, len(seen)


@at_once()
def what_comes_again(self, x, n):
    seen, again = set(), []
    for word in x.tolist():
        if word in seen:
            again.append(word)
        else:
            seen.add(word)
    return again, sorted(seen)


@by_turns()
def two_sets(self, x, n):
    odd, whole, found = set(), {0}, []
    for word in x.tolist():
        if word % 2 not in odd:
            odd.add(word % 2)
            found.append(word)
        if word not in whole:
            whole.add(word)
            found.append(-(word % 100))
    return found, len(whole)


@by_turns()
def in_breadth(self, x, n):
    near = (np.abs(x) * 7 + np.arange(len(x))) % max(len(x), 1)
    seen, found, place = {0}, [0], 0
    while place < len(found) and place < len(x):
        node = found[place]
        place += 1
        for other in near[node : node + 4].tolist():
            if other not in seen:
                seen.add(other)
                found.append(other)
    return found, place


@by_turns()
def asked_for_a_size_that_a_branch_decides(self, x, n):
    """A branch of one outcome is left to nobody: onnxruntime loses what it gives."""
    seen, out, total = set(), [], 0
    first, ones = {n: 1}, {word: 1 for word in x.tolist()}
    try:
        out.append(max(ones, key=ones.get))
        out.append(min(seen))
    except ValueError:
        out.append(10 // n)
        if len(first) > 2:
            for one in first.values():
                total += one
                seen.add(one)
                if n not in seen:
                    break
        else:
            seen.discard(n)
    return total, out, sorted(seen)


@by_turns()
def another_question(self, x, n):
    seen, found = set(), []
    for word in x.tolist():
        if word not in seen or word == n:
            seen.add(word)
            found.append(word)
    return found


@by_turns()
def asked_for_another_key(self, x, n):
    seen, found = set(), []
    for word in x.tolist():
        if word not in seen:
            seen.add(word // 2)
            found.append(word)
    return found


@by_turns()
def up_to_one_that_comes_again(self, x, n):
    seen, found = set(), []
    for word in x.tolist():
        if word in seen:
            break
        seen.add(word)
        found.append(word)
    return found, len(seen)


@by_turns()
def in_some_turns(self, x, n):
    seen, found, again = set(), [], 0
    for place, word in enumerate(x.tolist()):
        if place % n == 0:
            if word not in seen:
                seen.add(word)
                found.append(word)
        elif word in seen:
            again += 1
    return found, again


@by_turns()
def taken_out_of_a_set(self, x, n):
    seen, found = set(), []
    for word in x.tolist():
        if word not in seen:
            seen.add(word)
            found.append(word)
        else:
            seen.discard(word)
    return found, len(seen)


@by_turns()
def the_last_one_that_was_found(self, x, n):
    seen, found = set(), [n]
    for word in x.tolist():
        if word not in seen:
            seen.add(word)
            found.append(word + found[-1] % 5)
    return found


@by_turns()
def lists_without_a_set(self, x, n):
    found = [n]
    for word in x.tolist():
        if word not in found:
            found.append(word)
    return found


@by_turns()
def another_first_number(self, x, n):
    counts = {}
    for word in x.tolist():
        if word in counts:
            counts[word] += 2
        else:
            counts[word] = 1
    return counts


@by_turns()
def a_default_that_is_not_0(self, x, n):
    counts = {}
    for word in x.tolist():
        counts[word] = counts.get(word, 1) + 1
    return counts


@by_turns()
def there_before(self, x, n):
    counts = {3: 1, 7: 2}
    for word in x.tolist():
        counts[word] = counts.get(word, 0) + 1
    return counts


@by_turns()
def read_on_the_way(self, x, n):
    counts, most = {}, 0
    for word in x.tolist():
        counts[word] = counts.get(word, 0) + 1
        most = max(most, counts[word])
        if len(counts) > n:
            break
    return counts, most


@by_turns()
def by_how_many_there_are(self, x, n):
    counts = {}
    for word in x.tolist():
        counts[word] = counts.get(word, 0) + len(counts)
    return counts


@by_turns()
def by_what_was_counted(self, x, n):
    counts, often = {}, {}
    for word in x.tolist():
        counts[word] = counts.get(word, 0) + 1
        often[counts[word]] = often.get(counts[word], 0) + 1
    return counts, often


@by_turns()
def one_key_read_another_written(self, x, n):
    counts = {}
    for word in x.tolist():
        counts[word % 4] = counts.get(word % 3, 0) + 1
    return counts


@by_turns()
def another_key_where_it_is_missing(self, x, n):
    counts, next_ = {}, {}
    for word in x.tolist():
        if word in counts:
            counts[word] += 1
        else:
            counts[word // 2] = 1
        if word in next_:
            next_[word // 2] = next_[word] + 1
        else:
            next_[word] = 1
    return counts, next_


@by_turns()
def twice_a_turn(self, x, n):
    counts = {}
    for word in x.tolist():
        counts[word] = counts.get(word, 0) + 1
        counts[word] = counts.get(word, 0) + 1
    return counts


@by_turns()
def emptied(self, x, n):
    counts = {}
    for word in x.tolist():
        counts[word] = counts.get(word, 0) + 1
        if word == n:
            counts = {}
    return counts


@by_turns()
def taken_out_again(self, x, n):
    counts, flags = {}, {}
    for word in x.tolist():
        if word in counts:
            del counts[word]
            counts[word] = 3
        else:
            counts[word] = 1
        if word in flags:
            flags.pop(word)
        else:
            flags[word] = 1
            flags[word] += flags[word]
    return counts, flags


@by_turns()
def one_dict_asks_another(self, x, n):
    first, second = {}, {}
    for word in x.tolist():
        if word in first:
            second[word] = first[word]
        else:
            first[word] = len(first)
        if word in second:
            first[word] = second[word] + 10
    return first, second


@by_turns()
def asked_before_it_changes(self, x, n):
    counts = {}
    for word in x.tolist():
        there = word in counts
        counts[word % 2] = word
        if there:
            counts[word] = -1
        else:
            counts[word] = counts.get(word, 5) + 1
    return counts


@by_turns()
def arrays_by_key(self, x, n):
    rows = {}
    for word in x.tolist():
        if word not in rows:
            rows[word] = np.zeros(2)
        rows[word] = rows[word] + word
    return rows


@pytest.mark.parametrize("program", at_once.programs, ids=lambda p: p.name)
def test_at_once(program: Program) -> None:
    hold(program)
    assert not [n for n in compiled(program).proto.graph.node if n.op_type == "Loop"]


@pytest.mark.parametrize("program", by_turns.programs, ids=lambda p: p.name)
def test_by_turns(program: Program) -> None:
    hold(program)
