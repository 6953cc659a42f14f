"""Dicts and sets whose keys are known only when the model runs."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict

import chainer.functions as F
import numpy as np
import pytest

from tests.programs import Program
from tests.table import Table, hold

#: Words by number: some twice, none, one, one alone many times, many.
WORDS = [
    (np.array([1, 2, 1, 3, 5], np.int32), 2),
    (np.array([], np.int32), 0),
    (np.array([7], np.int32), 1),
    (np.array([2, 2, 2], np.int32), 3),
    (np.array([5, 4, 0, -1, 5, 6, -1, 4, 3], np.int32), 4),
    (np.array([3, 2, 1, 0], np.int32), 1),
]
case = Table(WORDS, {"x": {0: "words"}})


@case()
def word_count(self, x, n):
    counts = {}
    for word in x:
        counts[int(word)] = counts.get(int(word), 0) + 1
    return counts


@case()
def word_count_by_test(self, x, n):
    counts = {}
    for word in x.tolist():
        if word in counts:
            counts[word] += 1
        else:
            counts[word] = 1
    return counts, len(counts), n in counts, n not in counts


@case()
def count_by_default(self, x, n):
    counts = defaultdict(int)
    for word in x.tolist():
        counts[word % 3] += word
    last = counts[n]
    return last, len(counts), list(counts.items())


@case()
def views(self, x, n):
    last = {}
    for place, word in enumerate(x.tolist()):
        last[word] = place
    return list(last), list(last.keys()), list(last.values()), list(last.items()), len(last.keys())


@case()
def views_searched(self, x, n):
    last = {}
    for place, word in enumerate(x.tolist()):
        last[word] = place
    return n in last.keys(), n in last.values(), (1, n) in last.items()


@case()
def first_seen(self, x, n):
    seen = set()
    unique = []
    for word in x:
        if int(word) not in seen:
            seen.add(int(word))
            unique.append(int(word))
    return unique, len(seen), bool(seen), sorted(seen), sorted(seen, reverse=True)


@case()
def has_duplicate(self, x, n):
    seen = set()
    for word in x.tolist():
        if word in seen:
            return True, word
        seen.add(word)
    return False, -1


@case()
def two_sum(self, x, n):
    at = {}
    for i, word in enumerate(x.tolist()):
        if n - word in at:
            return at[n - word], i
        at[word] = i
    return -1, -1


@case()
def bag_of_words(self, x, n):
    counts = {}
    for word in x.tolist():
        counts[word] = counts.get(word, 0) + 1
    kept = {}
    for word, count in counts.items():
        if count >= n:
            kept[word] = len(kept)
    return [kept.get(word, -1) for word in x.tolist()], len(kept)


@case()
def mode_by_sorting(self, x, n):
    counts = {}
    for word in x.tolist():
        counts[word] = counts.get(word, 0) + 1
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return ranked, ranked[:1]


@case()
def mode_by_loop(self, x, n):
    counts = {}
    for word in x.tolist():
        counts[word] = counts.get(word, 0) + 1
    best = None
    for word, count in counts.items():
        if best is None or count > counts[best]:
            best = word
    return best


@case()
def largest_value(self, x, n):
    counts = {}
    for word in x.tolist():
        counts[word] = counts.get(word, 0) + 1
    return max(counts.values()) if counts else 0, sum(counts.values()), max(counts, default=-9)


@case()
def breadth_first(self, x, n):
    size = len(x)
    seen = {0}
    queue = [0]
    order = []
    while queue and size:
        node = queue.pop(0)
        order.append(node)
        for other in ((int(x[node]) * 3) % size, (node + n) % size):
            if other not in seen:
                seen.add(other)
                queue.append(other)
    return order, len(seen)


@case()
def distances(self, x, n):
    size = len(x)
    distance = {0: 0}
    queue = [0]
    while queue and size:
        node = queue.pop(0)
        other = (node + int(x[node])) % size
        if other not in distance:
            distance[other] = distance[node] + 1
            queue.append(other)
    return distance


@case()
def run_lengths(self, x, n):
    longest = {}
    length = 0
    before = None
    for word in x.tolist():
        length = length + 1 if before == word else 1
        longest[word] = max(longest.get(word, 0), length)
        before = word
    return longest


@case()
def sums_by_label(self, x, n):
    sums = {}
    rows = np.stack([x, x * 2], 1).astype(np.float32)
    for row, label in zip(rows, x.tolist()):
        sums[label] = sums[label] + row if label in sums else row
    return [sums[label] for label in sorted(sums)]


@case()
def sums_of_variables(self, x, n):
    sums = {}
    rows = np.stack([x, x * 2], 1).astype(np.float32)
    for i, label in enumerate(x.tolist()):
        row = F.tanh(rows[i])
        sums[label] = sums[label] + row if label in sums else row
    return sums


@case()
def grouped(self, x, n):
    groups = defaultdict(list)
    for place, word in enumerate(x.tolist()):
        groups[word % 3].append(place)
    return [(key, len(groups[key]), sum(groups[key])) for key in sorted(groups)]


@case()
def grouped_by_setdefault(self, x, n):
    groups = {}
    for word in x.tolist():
        groups.setdefault(word % 2, []).append(word)
    return [max(words) for words in groups.values()]


@case()
def setdefault_of_numbers(self, x, n):
    first = {}
    found = []
    for place, word in enumerate(x.tolist()):
        found.append(first.setdefault(word, place))
    return first, found


@case()
def pairs(self, x, n):
    counts = {}
    words = x.tolist()
    for pair in zip(words, words[1:]):
        counts[pair] = counts.get(pair, 0) + 1
    return counts, (2, 2) in counts, counts.get((1, n), -1)


@case()
def pairs_sorted(self, x, n):
    counts = {}
    words = x.tolist()
    for i in range(len(words) - 1):
        counts[words[i], words[i + 1] > n] = i
    return sorted(counts.items(), key=lambda pair: pair[1])


@case()
def taken_out(self, x, n):
    held = {}
    for word in x.tolist():
        if word in held:
            del held[word]
        else:
            held[word] = word * 2
    return held


@case()
def popped(self, x, n):
    held = {}
    for place, word in enumerate(x.tolist()):
        held[word] = place
    total = 0
    for word in x.tolist():
        total += held.pop(word, 100)
    return held, total, held.pop(n, None)


@case()
def discarded(self, x, n):
    odd = set()
    for word in x.tolist():
        if word in odd:
            odd.discard(word)
        else:
            odd.add(word)
    odd.discard(n)
    return sorted(odd)


@case()
def in_branches(self, x, n):
    counts = {}
    if n > 1:
        for word in x.tolist():
            counts[word] = 1
    else:
        counts[n] = 3
    if n > 2:
        counts[n] = n
    return counts, counts.get(5)


@case()
def known_keys_first(self, x, n):
    counts = {1: 10, 2: 20}
    before = counts[2]
    for word in x.tolist():
        if word in counts:
            counts[word] += 1
    counts[n] = -1
    return counts, before, counts[1]


@case()
def known_key_of_the_run(self, x, n):
    counts = {}
    for word in x.tolist():
        counts[word] = 1
    counts[5] = 2
    counts[6] = 3
    return counts, counts[5], 6 in counts, "a" in counts, 1.0 in counts, 1.5 in counts


@case()
def flags(self, x, n):
    even = {}
    for word in x.tolist():
        even[word] = word % 2 == 0
    return even, [word for word in even if even[word]]


@case()
def halves(self, x, n):
    held = {}
    for word in x.tolist():
        held[word / 2] = word
    return held, n / 2 in held, 0.5 in held


@case()
def keys_of_numpy(self, x, n):
    held = {}
    for word in x:
        held[word] = held.get(word, 0) + 1
    return len(held), list(held.values()), n in held


@case()
def by_truth(self, x, n):
    counts = {}
    for word in x.tolist():
        counts[word > n] = counts.get(word > n, 0) + 1
    return counts


@case()
def changed_while_iterated(self, x, n):
    held = {}
    for word in x.tolist():
        held[word] = 0
    for key in held:
        if key == n + 4:
            held[key + 90] = 1
    return len(held)


@case()
def changed_and_left(self, x, n):
    held = {}
    for word in x.tolist():
        held[word] = 0
    for key in held:
        if key == n:
            held[key + 90] = 1
            break
        held[key] = n
    return held


@case()
def missing(self, x, n):
    held = {}
    for word in x.tolist():
        held[word] = word
    return held[n]


@case()
def missing_is_deleted(self, x, n):
    held = {}
    for word in x.tolist():
        held[word] = word
    del held[n]
    return held


@case()
def missing_of_a_set(self, x, n):
    held = set()
    for word in x.tolist():
        held.add(word)
    held.remove(n)
    return len(held)


@case()
def cleared(self, x, n):
    held = {}
    total = 0
    for word in x.tolist():
        if word in held:
            total += len(held)
            held.clear()
        held[word] = 1
    return total, len(held)


@case()
def ordered(self, x, n):
    held = OrderedDict()
    for word in x.tolist():
        held[word] = n
    return held


@case()
def held_by_an_object(self, x, n):
    class Counts:
        def __init__(self):
            self.of = {}

        def add(self, word):
            self.of[word] = self.of.get(word, 0) + 1
            return self.of[word]

    counts = Counts()
    return [counts.add(word) for word in x.tolist()], counts.of


@case()
def remembered(self, x, n):
    memo = {}

    def square(word):
        if word not in memo:
            memo[word] = word * word
        return memo[word]

    return [square(word) for word in x.tolist()], len(memo)


@case()
def comprehension(self, x, n):
    place = {word: i for i, word in enumerate(x.tolist())}
    return place, len(place), {i: word for word, i in place.items()}


@case()
def counter(self, x, n):
    counts = Counter(x.tolist())
    return counts[2], counts[99], len(counts), sorted(counts.items()), counts.most_common()


@case()
def counter_of_rows(self, x, n):
    counts = Counter()
    counts.update(x.tolist())
    counts.update([n, n])
    counts.subtract(x.tolist())
    return dict(counts), counts.most_common(n), counts.most_common(1)[0], counts.total()


@case()
def most_common_words(self, x, n):
    counts = Counter(int(word) for word in x)
    return [word for word, _ in counts.most_common(n)], sum(counts.values())


@case()
def by_get(self, x, n):
    counts = {}
    for word in x.tolist():
        counts[word] = counts.get(word, 0) + 1
    ranked = sorted(counts, key=counts.get, reverse=True)
    return ranked, max(counts, key=counts.get, default=-1), min(counts, key=counts.get, default=-1)


@case()
def values_by_get(self, x, n):
    held = {}
    for word in x.tolist():
        held[word] = 100
    return [held.get(value) is None for value in held.values()]


@case()
def copies(self, x, n):
    held = {}
    for word in x.tolist():
        held[word] = n
    one, two, three = dict(held), held.copy(), {**held, 5: -1}
    one[77] = 1
    two[n] = 2
    return held, one, two, three, {5: -1, **held}, held | {7: 7}


@case()
def updated(self, x, n):
    held, more = {1: 5, 2: 6}, {}
    for word in x.tolist():
        more[word] = word
    held.update(more)
    held.update({3: 0})
    held |= {n: 9}
    return held, more


@case()
def taken_out_of_known_keys(self, x, n):
    held, odd = {1: 5, 2: 6}, {1, 3}
    total = 0
    for word in x.tolist():
        total += held.pop(word, 100)
        odd.discard(word)
    return held, total, sorted(odd)


@case()
def missing_is_popped(self, x, n):
    held = defaultdict(int)
    for word in x.tolist():
        held[word] += 1
    return held.pop(n), len(held)


@case()
def missing_of_a_counter(self, x, n):
    held = Counter(x.tolist())
    del held[n]
    return dict(held), held.pop(5)


@case()
def missing_of_known_names(self, x, n):
    held, counts = defaultdict(int), Counter("ab")
    held["a"] += n
    del counts["c"]
    if n == 3:
        del held["b"]
    return held["a"]


@case()
def popped_of_known_names(self, x, n):
    counts = Counter("ab")
    first = counts.pop("a") + n
    return first if n < 3 else counts.pop("c")


@case()
def folded_sets(self, x, n):
    seen = set(x.tolist())
    return max(seen, default=-9), min(seen, default=-9), sum(seen), sum(seen, n)


@case()
def large_numbers(self, x, n):
    held = {}
    for word in x.tolist():
        held[word] = 1
    return held.get(10**20), 10**20 in held, None in held, (1, 2) in held, held.get("a", n)


@case()
def groups_returned(self, x, n):
    groups, places = defaultdict(list), {}
    for i, word in enumerate(x.tolist()):
        groups[word % 3].append(word)
        places.setdefault(word, []).append(i)
    return dict(groups), places


@case()
def views_in_loops(self, x, n):
    held, total = {}, 0
    for word in x.tolist():
        for key, value in held.items():
            total += key * value
        for value in held.values() if word > n else held.keys():
            total -= value
        held[word] = n
    return total


@case()
def loop_over_what_may_be_there(self, x, n):
    held = {}
    if n > 1:
        held[3] = 1
    if n > 2:
        held[4] = 2
    return held, [key for key in held], sum(held.values()), sorted(held.items())


@case()
def one_of_two_dicts(self, x, n):
    held, other = {}, {}
    for word in x.tolist():
        held[word] = n
        other = held.copy()
    held.update({5: 1})
    held.update(other)
    if n > 1:
        other = {3: 4}
    made = dict(other)
    made[9] = 9
    return held, made, other is held, len(other)


@case()
def known_names(self, x, n):
    groups = defaultdict(list)
    for i in range(n):
        groups["last" if i % 3 == 2 else "other"].append(i)
    return len(groups), groups["last"], groups["other"], len(groups)


@case()
def displays(self, x, n):
    held = {n: 1, n + 1: 2, 3: 4}
    return held, held[n], {n: x.sum()}, dict([(n, 1), (n, 2)]), len({n, 2, 3}), sorted({n, 3})


@case()
def from_keys(self, x, n):
    return (
        dict.fromkeys(x.tolist(), n),
        dict(zip(x.tolist(), x.tolist()[1:])),
        list(dict.fromkeys(x.tolist())),
    )


@case()
def sets_of_the_run(self, x, n):
    ours, theirs = set(x.tolist()), {word + n for word in x.tolist()}
    made = [
        ours & theirs,
        ours | theirs,
        ours - theirs,
        ours ^ theirs,
        ours | {1, 2},
        {1, 2} - ours,
    ]
    return [sorted(one) for one in made], [len(one) for one in made]


@case()
def sets_compared(self, x, n):
    ours, theirs = set(x.tolist()), {1, 2, n}
    found = (ours == theirs, ours != theirs, ours < theirs, ours <= theirs, ours > theirs)
    return found, ours >= {5}, ours.issubset(theirs), ours.issuperset([2]), ours.isdisjoint({7})


@case()
def sets_changed(self, x, n):
    ours = {1, 2, 3}
    ours &= set(x.tolist())
    ours |= {n}
    ours.update([n + 1, n])
    ours.difference_update({3})
    return sorted(ours), sorted(ours.union(x.tolist(), [0])), sorted(ours.intersection({1, 2}))


@case()
def keys_as_sets(self, x, n):
    held = {}
    for word in x.tolist():
        held[word] = 1
    return sorted(held.keys() & {1, 2, 5}), held.keys() == {7}, sorted(held.keys() - {2})


@case()
def maybe_first(self, x, n):
    held, seen = {}, set()
    if n > 1:
        held[3] = 1
        seen.add(3)
    if n == 1:
        held[7] = n
    size = len(held)
    for word in x.tolist():
        held[word] = held.get(word, 0) + 5
        seen.add(word)
    return held, size, sorted(seen)


@case()
def growing_by_length(self, x, n):
    held = {}
    while len(held) < len(x):
        held[len(held) * 2] = len(held)
    return held


@case()
def least_recently_used(self, x, n):
    held = OrderedDict()
    for word in x.tolist():
        if word in held:
            held.move_to_end(word)
        held[word] = n
        if len(held) > 2:
            held.popitem(last=False)
    return held


@case()
def popped_items(self, x, n):
    held = {}
    for word in x.tolist():
        held[word] = word * 2
    taken = []
    while len(held) > n:
        taken.append(held.popitem())
    return held, taken


@case()
def popped_of_none(self, x, n):
    held = {}
    for word in x.tolist():
        held[word] = 1
    held.popitem()
    return held.popitem(), held


@case()
def taken_of_a_counter(self, x, n):
    counts = Counter()
    try:
        counts[5] += counts.pop(n)
    except KeyError as error:
        counts[n] = error.args[0] + 1
    return counts, len(x)


@case()
def key_replaced_at_the_end_of_a_loop(self, x, n):
    held = {word: 1 for word in x.tolist()}
    out = []
    for word in held:
        out.append(word)
        if word == n:
            del held[word]
            held[word + 100] = 2
            break
    return out, list(held.items())


@case()
def key_put_back_before_a_return(self, x, n):
    held = {word: 1 for word in x.tolist()}
    for word, count in held.items():
        if word == n:
            held[word] = held.pop(word) + count
            return list(held.items())
    return []


@case()
def emptied_at_the_end_of_a_loop(self, x, n):
    held = {word: 1 for word in x.tolist()}
    total = 0
    for word in held:
        total += word
        if word == n:
            held.clear()
            break
    return total, len(held)


@case()
def counted_more_at_the_end_of_a_loop(self, x, n):
    counts = Counter(x.tolist())
    total = 0
    for word in counts:
        total += word
        if word == n:
            counts += Counter([n])
            break
    return total, sorted(counts.items())


@case()
def oldest_of_a_cache_goes(self, x, n):
    cache, hits = {}, 0
    for word in x.tolist():
        if word in cache:
            hits += 1
            cache[word] = cache.pop(word)
        else:
            if len(cache) >= 2:
                del cache[next(iter(cache))]
            cache[word] = word * word
    return hits, list(cache.items())


@case()
def key_taken_out_beside_numbers(self, x, n):
    held = {word: 1 for word in x.tolist()}
    for _, word in zip(x.tolist(), held, strict=False):
        if word == n:
            held.pop(word)
            break
    return list(held)


@case()
def iterator_that_has_ended_is_asked_again(self, x, n):
    held = {word: 1 for word in x.tolist()}
    words = iter(held)
    first = next(words, -1)
    held[first] = 100
    return [first, *words], list(held.items())


@case()
def known_key_set_while_gone_through(self, x, n):
    held = {}
    if n > 1:
        held[1] = 1
    held[2] = 3
    out = []
    for word in held:
        out.append(word)
        held[2] = n
    return out, held[2]


@case()
def grown_while_gone_through_and_caught(self, x, n):
    held = {word: 1 for word in x.tolist()}
    try:
        for word in held:
            if word == n:
                held[word + 50] = 1
    except RuntimeError:
        return -1
    return len(held)


@case()
def key_taken_before_the_end(self, x, n):
    held = {word: 1 for word in x.tolist()}
    for word in held:
        if word > n:
            del held[word]
            held[word * 100] = 2
            break
    return held


@case()
def sorted_in_a_try(self, x, n):
    total = 0
    try:
        for word in sorted(set(x.tolist())):
            total += 10 // (word - n)
    except ValueError:
        total = 3
    except ZeroDivisionError:
        total += 1000
    return total


@case()
def extremes_in_a_try(self, x, n):
    held = {word: word * 2 for word in x.tolist() if word > n}
    try:
        return max(held, key=held.get), min(held.values())
    except ValueError as error:
        return -1, len(error.args)


@case()
def equal_dicts(self, x, n):
    one, other = {}, {}
    for word in x.tolist():
        one[word] = word + 1
    for word in x[::-1].tolist():
        other[word] = word + 1
    changed = dict(one)
    if n > 1:
        changed[n] = 77
    return one == other, one != other, one == changed, changed != one, one == {}, one == {7: 8}


@case()
def equal_dicts_of_pairs(self, x, n):
    one, other = {}, {}
    for word in x.tolist():
        one[word, n] = word > 1
        other[word, 2] = word > 1
    return one == other


@case()
def a_nan_that_may_be_the_one(self, x, n):
    nan = float("nan")
    one, other = n if n > 2 else nan, 1.5 if n > 3 else nan
    held = one in [nan, 1], nan in [one], one in [other], other in [one, 3]
    return held, [one, 1].count(nan), [nan, n].index(one)


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_parity(program: Program) -> None:
    hold(program)


@case()
def moved_to_the_front(self, x, n):
    held = OrderedDict()
    for word in x.tolist():
        held[word] = held.get(word, 0) + 1
        held.move_to_end(word, last=word > n)
    if n in held:
        held.move_to_end(n, last=False)
    return held


@case()
def moved_while_gone_through(self, x, n):
    held = OrderedDict((word, word) for word in x.tolist())
    last = -7
    for word in held:
        last = word
    turns = 0
    for word in held:
        turns += 1
        if word == last:
            held.move_to_end(word)
    return turns, held


@case()
def amounts_as_they_are(self, x, n):
    held = Counter({0: None if n else 1, 1: (n,)}, more=True)
    counts = Counter()
    counts.update({1: True, 2: n > 1})
    two = Counter(counts)
    two.update({1: True})
    return held[0] is None, held[1][0], held["more"], counts[1], counts[2], two[1]
