"""Keys that are tuples of any length, and dicts that one state of a search gives the next."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import pytest

from tests.programs import Program, f32
from tests.table import TOKEN_AXES, TOKENS, Table, hold

FRAMES = [(f32(4, 3), 2), (f32(0, 3), 1), (f32(1, 3), 3), (f32(9, 3), 4), (f32(12, 3, seed=1), 2)]
case = Table(TOKENS, TOKEN_AXES)
heard = Table(FRAMES, {"x": {0: "frames"}})


@heard()
def a_prefix_beam(self, x, n):
    beams = {(): 0.0}
    for frame in x:
        grown = {}
        for prefix, score in beams.items():
            for label in range(3):
                longer = prefix + (label,) if label else prefix
                total = score + float(frame[label])
                grown[longer] = max(grown.get(longer, -1e9), total)
        beams = dict(sorted(grown.items(), key=lambda pair: -pair[1])[:2])
    best, score = max(beams.items(), key=lambda pair: pair[1])
    return list(best), score, len(beams)


@heard()
def a_prefix_beam_with_blanks(self, x, n):
    beams = [((), 1.0, 0.0)]
    for frame in np.clip(np.round(np.abs(x) * 4), 0, 8) / 16:
        grown = {}
        for prefix, blank, other in beams:
            for label in range(3):
                value = float(frame[label])
                if label == 0:
                    a, b = grown.get(prefix, (0.0, 0.0))
                    grown[prefix] = (a + value * (blank + other), b)
                elif prefix and prefix[-1] == label:
                    a, b = grown.get(prefix, (0.0, 0.0))
                    grown[prefix] = (a, b + value * other)
                    a, b = grown.get(prefix + (label,), (0.0, 0.0))
                    grown[prefix + (label,)] = (a, b + value * blank)
                else:
                    a, b = grown.get(prefix + (label,), (0.0, 0.0))
                    grown[prefix + (label,)] = (a, b + value * (blank + other))
        scored = [(prefix, a, b) for prefix, (a, b) in grown.items()]
        beams = sorted(scored, key=lambda one: -(one[1] + one[2]))[:3]
    return list(beams[0][0]), beams[0][1] + beams[0][2], len(beams)


@case()
def states_of_a_search(self, s, n):
    reached = {0: 0.0}
    for value in s.tolist():
        following = {}
        for at, cost in reached.items():
            following[at] = min(following.get(at, 99.0), cost)
            following[at + value] = min(following.get(at + value, 99.0), cost + 1)
        reached = following
    return sorted(reached.items())


@case()
def numbers_of_n_grams(self, s, n):
    counts, tokens = Counter(), s.tolist()
    for size in range(1, n + 1):
        for i in range(len(tokens) - size + 1):
            counts[tuple(tokens[i : i + size])] += 1
    return len(counts), [(list(gram), count) for gram, count in counts.items()]


@case()
def what_follows_a_context(self, s, n):
    following, tokens = defaultdict(list), s.tolist()
    for i in range(len(tokens) - 1):
        following[tuple(tokens[max(0, i - 1) : i + 1])].append(tokens[i + 1])
    return [(len(key), sum(values), len(values)) for key, values in following.items()]


@case()
def words_between_zeros(self, s, n):
    words, word = {}, []
    for value in s.tolist():
        if value:
            word.append(value)
            continue
        if word:
            words[tuple(word)] = words.get(tuple(word), 0) + 1
        word = []
    return [(len(key), sum(key), count) for key, count in words.items()]


@case()
def tuples_of_unlike_lengths(self, s, n):
    held = {}
    for value in s.tolist():
        held[(value,)] = value
        held[(value, n)] = value + 1
        held[()] = 7
    answers = (n,) in held, held.get((2, n), -5), held.get((), 9), 3 in held
    return sorted(held.values()), answers, len(held)


@case()
def seen_before(self, s, n):
    seen, last, again = set(), (), 0
    for value in s.tolist():
        last = (*last, value)[-2:]
        again += last in seen
        seen.add(last)
    return again, len(seen), (n,) in seen, () in seen


@case()
def sets_of_tuples(self, s, n):
    heads, tails, tokens = set(), set(), s.tolist()
    for i in range(len(tokens)):
        heads.add(tuple(tokens[:i]))
        tails.add(tuple(tokens[i:]))
    sizes = [len(made) for made in (heads & tails, heads | tails, heads - tails, heads ^ tails)]
    return sizes, heads == tails, heads <= tails, heads - tails <= heads


@case()
def taken_out(self, s, n):
    held, tokens = {}, s.tolist()
    for i in range(len(tokens)):
        held[tuple(tokens[i : i + 2])] = i
    gone = held.pop(tuple(tokens[:2]), -1)
    return gone, [(sum(key), len(key), value) for key, value in held.items()], len(held)


@case()
def remembered(self, s, n):
    memo = {}

    def best(tokens):
        key = tuple(tokens)
        if key not in memo:
            if len(tokens) < 2:
                memo[key] = sum(tokens)
            else:
                memo[key] = max(tokens[0] + best(tokens[2:]), best(tokens[1:]))
        return memo[key]

    return best(s.tolist()), len(memo)


@case()
def one_of_two_dicts(self, s, n):
    counts = {}
    for value in s.tolist():
        counts[value] = counts.get(value, 0) + 1
    chosen = counts if n > 1 else {9: 1, n: 5}
    total = 0
    for key, count in chosen.items():
        total = total * 3 + key * count
    return total, list(chosen), list(chosen.values())


@case()
def among_keys_that_are_known(self, s, n):
    known = {(): 1, (3, 2): 5, (1,): 6, (1, True): 8, "a": 4, 3: 9}
    key = tuple(s.tolist()[:n])
    return key in known, known.get(key, -1), key in {(), (3,)}


@case()
def put_beside_keys_that_are_known(self, s, n):
    held, counts = {(3, 2): 1, (): 2}, defaultdict(int)
    counts[()] = 2
    key = tuple(s.tolist()[:n])
    held[key] = 7
    counts[key] += 7
    gone = {(3, 2): 1, (): 2}.pop(key, 9)
    return sorted(held.values()), sorted(counts.values()), len(counts), gone


@case()
def one_of_several_tuples(self, s, n):
    key = (n,) if len(s) > 3 else (n, 1) if len(s) else ()
    known = {(): 5, (2,): 1, (1,): 2, (3, 1): 3, (1, 1): 4}
    made = {}
    for value in s.tolist():
        made[(value,)] = value
    return known.get(key, -1), key in made, made.get(key, -1)


@case()
def remembered_from_an_empty_one_on(self, s, n):
    memo = {(): 1}

    def ways(tokens):
        key = tuple(tokens)
        if key not in memo:
            memo[key] = sum(ways(tokens[i + 1 :]) for i in range(len(tokens)))
        return memo[key]

    return ways(s.tolist()[:5]), len(memo)


@case()
def methods(self, s, n):
    held, tokens = {}, s.tolist()
    for i in range(len(tokens)):
        held[tuple(tokens[i : i + n])] = i
    copied, emptied = held.copy(), dict(held)
    emptied.clear()
    copied[(9, 9)] = 4
    best = list(max(held, key=held.get)) if held else []
    same = held == copied
    for key in list(held):
        if len(key) < n:
            del held[key]
    out = []
    while copied:
        key, value = copied.popitem()
        out.append((list(key), value))
    return best, same, out, [list(key) for key in held], len(emptied)


@case()
def spread_into_the_next_dict(self, s, n):
    groups, base = {}, {1: 2}
    for value in s.tolist():
        groups = {**groups, value: groups.get(value, 0) + 1}
        base = {**base, value: 1, **{7: value}}
    return sorted(groups.items()), list(base.items())


@case()
def pairs_that_become_one(self, s, n):
    tokens = s.tolist()
    for step in range(n):
        pairs = Counter(zip(tokens, tokens[1:]))
        if not pairs:
            break
        best = max(pairs, key=pairs.get)
        out, i = [], 0
        while i < len(tokens):
            if i + 1 < len(tokens) and (tokens[i], tokens[i + 1]) == best:
                out.append(100 + step)
                i += 2
            else:
                out.append(tokens[i])
                i += 1
        tokens = out
    return tokens


@pytest.mark.parametrize("program", [*case.programs, *heard.programs], ids=lambda p: p.name)
def test_words(program: Program) -> None:
    hold(program)
