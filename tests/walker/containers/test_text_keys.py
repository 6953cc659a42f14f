"""Keys of dicts and sets that are texts, one of several that are known."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict

import numpy as np
import pytest

from tests.programs import Program
from tests.table import Table, hold

from .test_tables import WORDS

W = ["the", "cat", "a", "sat", "zebra"]
case = Table(WORDS, {"x": {0: "words"}})


@case()
def count_of_words(self, x, n):
    d = Counter()
    for v in x.tolist():
        d[W[v % 5]] += 1
    return (d, d.most_common(2), d["cat"], d["nope"], "nope" in d)


@case()
def places_of_words(self, x, n):
    d = {"the": 10}
    for i, v in enumerate(x.tolist()):
        d[W[v % 5]] = i
    return (list(d), list(d.values()), d.get("sat"), d.get("x", -1))


@case()
def words_by_number_and_name(self, x, n):
    d = defaultdict(int)
    for v in x.tolist():
        d[W[v % 5]] += v
    r = sorted(d.items(), key=lambda p: (-p[1], p[0]))
    return (r, sorted(d), max(d.values()) if d else 0, sum(d.values()))


@case()
def words_put_in_and_taken_out(self, x, n):
    d = {}
    for v in x.tolist():
        w = W[v % 5]
        if w in d:
            del d[w]
        else:
            d[w] = v
    return d


@case()
def pairs_of_words(self, x, n):
    d = {}
    prev = "<s>"
    for v in x.tolist():
        w = W[v % 5]
        d[prev, w] = d.get((prev, w), 0) + 1
        prev = w
    return (d, sorted(d.items()), len(d))


@case()
def words_with_numbers(self, x, n):
    d = {}
    for v in x.tolist():
        d[W[v % 5], v] = 1
    return (d, ("the", 0) in d, ("the", n) in d, d.get((W[n], 3), 5))


@case()
def a_word_that_is_missing(self, x, n):
    d = {}
    try:
        for v in x.tolist():
            d[W[v % 5]] = d[W[v % 5]] + 1 if v != 3 else 0
    except KeyError:
        return (-1, d)
    return (0, d)


@case()
def words_by_number(self, x, n):
    d = {}
    for i, v in enumerate(x.tolist()):
        d.setdefault(W[v % 5], len(d))
    return ([d[W[v % 5]] for v in x.tolist()], d, d.pop(W[n], None), len(d))


@case()
def places_by_word(self, x, n):
    d = defaultdict(list)
    for i, v in enumerate(x.tolist()):
        d[W[v % 5]].append(i)
    return {k: len(v) for k, v in d.items()}


@case()
def sets_of_words(self, x, n):
    a = {W[v % 5] for v in x.tolist()}
    b = {W[v % 3] for v in x.tolist() if v > n} | {"q"}
    return (
        sorted(a | b),
        sorted(a & b),
        sorted(a - b),
        sorted(a ^ b),
        a <= b,
        a == b,
        a.isdisjoint(b),
        {"the", "cat"} <= a,
    )


@case()
def equal_dicts_of_words(self, x, n):
    d = {W[v % 5]: v for v in x.tolist()}
    e = dict(d)
    e["zz"] = n
    if n > 1:
        e["yy"] = 1
    return (d == e, e, d)


@case()
def words_for_words(self, x, n):
    d = {}
    for v in x.tolist():
        d[W[v % 5]] = "hi" if v > 2 else "lo"
    return d


@case()
def words_by_count(self, x, n):

    def count(ws):
        c = {}
        for w in ws:
            c[w] = c.get(w, 0) + 1
        return c

    c = count([W[v % 5] for v in x.tolist()])
    inv = {}
    for k, v in c.items():
        inv[v] = k
    return (inv, c)


@case()
def words_told_apart(self, x, n):
    d = {}
    for v in x.tolist():
        d[W[v % 5]] = v
    out = []
    for k in d:
        if k == "cat":
            out.append(1)
        elif k > "the":
            out.append(d[k] * 100)
        else:
            out.append(len(k))
    return out


@case()
def the_words_seen_last(self, x, n):
    od = OrderedDict()
    for v in x.tolist():
        w = W[v % 5]
        od[w] = od.get(w, 0) + 1
        od.move_to_end(w)
        if len(od) > 2:
            od.popitem(last=False)
    return list(od.items())


@case()
def a_set_of_known_words(self, x, n):
    s = set(["the"])
    s.add(W[n])
    s.discard("a")
    return (sorted(s), len(s))


@case()
def a_vocabulary(self, x, n):
    vocab = {}
    for v in x.tolist():
        w = W[v % 5]
        if w not in vocab:
            vocab[w] = len(vocab)
    ids = np.array([vocab[W[v % 5]] for v in x.tolist()], dtype=np.int64)
    return (ids, vocab)


@case()
def places_listed(self, x, n):
    d = {}
    for i, v in enumerate(x.tolist()):
        d.setdefault(W[v % 5], []).append(i)
    return ({k: sum(v) for k, v in d.items()}, [(k, len(d[k])) for k in sorted(d)])


@case()
def words_after_words(self, x, n):
    g = defaultdict(set)
    for a, b in zip(x.tolist(), x.tolist()[1:]):
        g[W[a % 5]].add(W[b % 5])
    return [(k, sorted(g[k])) for k in sorted(g)]


@case()
def counts_in_counts(self, x, n):
    g = defaultdict(lambda: defaultdict(int))
    for a, b in zip(x.tolist(), x.tolist()[1:]):
        g[W[a % 5]][W[b % 5]] += 1
    return [(k, max(g[k].values())) for k in sorted(g)]


@case()
def words_of_branches(self, x, n):
    d = {}
    for v in x.tolist():
        w = "hi" if v > 2 else "lo"
        if v == n:
            w = "eq"
        d[w] = d.get(w, 0.5) * 2
    return d


@case()
def a_tokenizer(self, x, n):
    vocab = {"the": 0, "cat": 1}
    out = []
    for v in x.tolist():
        w = W[v % 5]
        try:
            out.append(vocab[w])
        except KeyError as e:
            vocab[w] = len(vocab)
            out.append(vocab[e.args[0]] * 10)
    return (out, vocab)


@case()
def the_best_word(self, x, n):
    d = {}
    for v in x.tolist():
        d[W[v % 5]] = d.get(W[v % 5], 0) + 1

    def best(d):
        return max(d, key=d.get) if d else "-"

    return (best(d), min(d.items(), key=lambda p: p[1])[0] if d else "?")


@case()
def words_taken_while_listed(self, x, n):
    d = {}
    for v in x.tolist():
        d[W[v % 5]] = v
    for k in list(d):
        if d[k] > n:
            del d[k]
    e = {v: k for k, v in d.items()}
    return (d, e, {k for k in d} == {"the"})


@case()
def a_new_word_in_a_loop(self, x, n):
    d = {}
    for v in x.tolist():
        d[W[v % 5]] = v
    try:
        for k in d:
            if k == "cat":
                d["new"] = 1
    except RuntimeError:
        return (-1, d)
    return (0, d)


@case()
def counters_of_words(self, x, n):
    a = Counter(W[v % 5] for v in x.tolist())
    b = Counter(W[v % 3] for v in x.tolist())
    return (a + b, a - b, a & b, a | b, a == b)


@case()
def words_of_one_side(self, x, n):
    d = {}
    if n > 1:
        for v in x.tolist():
            d[W[v % 5]] = 1
    else:
        d["the"] = 7
    d["z"] = 2
    return d


@case()
def displays_of_words(self, x, n):
    return ({W[v % 5]: i for i, v in enumerate(x.tolist())}, {W[n]: 1}, {W[n]} == {"a"})


@case()
def words_updated(self, x, n):
    d = {W[n]: n}
    d.update({W[(n + 1) % 5]: 5})
    d.update(q=3)
    return d


@case()
def words_zipped(self, x, n):
    d = dict(zip([W[v % 5] for v in x.tolist()], x.tolist()))
    return (d, dict.fromkeys([W[v % 5] for v in x.tolist()], 0))


@case()
def words_taken_from_known_ones(self, x, n):
    held = {"the": 1, "cat": 2, "a": 3}
    left = {"the", "cat", "a"}
    missed = 0
    for v in x.tolist():
        left.discard(W[v % 5])
        try:
            held.pop(W[v % 5])
        except KeyError as error:
            missed += len(error.args)
    return held, missed, sorted(left)


@case()
def words_of_many_kinds(self, x, n):
    names = [f"w{i % 60}" for i in range(64)]
    counts = {}
    seen = set()
    for v in x.tolist():
        word = names[v]
        counts[word] = counts.get(word, 0) + 1
        if word not in seen:
            seen.add(word)
        if word == "w5" or word > "w59":
            counts["last"] = v
    return counts, sorted(counts), sorted(seen), names[n], names[-n - 1] in counts


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_parity(program: Program) -> None:
    hold(program)
