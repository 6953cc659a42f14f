"""Dicts with keys of the run that hold dicts, sets, lists and objects; their equality and order."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque

import numpy as np
import pytest

from tests.programs import Program
from tests.table import Table, hold

#: Keys: some twice, none, one, one alone many times, many, none twice.
KEYS = [
    (np.array([1, 2, 1, 3, 5], np.int32), 2),
    (np.array([], np.int32), 0),
    (np.array([7], np.int32), 1),
    (np.array([2, 2, 2], np.int32), 3),
    (np.array([5, 4, 0, -1, 5, 6, -1, 4, 3], np.int32), 4),
    (np.array([3, 2, 1, 0], np.int32), 1),
]
case = Table(KEYS, {"x": {0: "keys"}})


class Node:
    def __init__(self, v):
        self.v = v
        self.count = 0


@case()
def adjacency_bfs(self, x, n):
    xs = x.tolist()
    graph = {}
    for a, b in zip(xs, xs[1:]):
        graph.setdefault(a, set()).add(b)
        graph.setdefault(b, set()).add(a)
    if not xs:
        return []
    seen = {xs[0]}
    queue = deque([xs[0]])
    order = []
    while queue:
        v = queue.popleft()
        order.append(v)
        for u in sorted(graph.get(v, ())):
            if u not in seen:
                seen.add(u)
                queue.append(u)
    return order


@case()
def nested_default(self, x, n):
    d = defaultdict(lambda: defaultdict(int))
    xs = x.tolist()
    for a, b in zip(xs, xs[1:]):
        d[a][b] += 1
    return [(a, sorted(d[a].items())) for a in sorted(d)]


@case()
def nested_where_a_key_is_missing(self, x, n):
    d = {}
    xs = x.tolist()
    for a, b in zip(xs, xs[1:]):
        try:
            d[a][b] += 1
        except KeyError:
            d[a] = {b: 1}
    return d


@case()
def nested_ret(self, x, n):
    d = {}
    for i, v in enumerate(x.tolist()):
        if v % 2 not in d:
            d[v % 2] = {}
        d[v % 2][v] = i
    return d


@case()
def nested_ret_counter(self, x, n):
    d = defaultdict(Counter)
    for i, v in enumerate(x.tolist()):
        d[v % 2][v] += 1
    return d


@case()
def nodes(self, x, n):
    nodes = {}
    for v in x.tolist():
        if v not in nodes:
            nodes[v] = Node(v)
        nodes[v].count += 1
    return [(node.v, node.count) for node in nodes.values()]


@case()
def stats_lists(self, x, n):
    stats = {}
    for v in x.tolist():
        if v % 3 not in stats:
            stats[v % 3] = [0, 0]
        stats[v % 3][0] += v
        stats[v % 3][1] += 1
    return stats


@case()
def stats_dicts(self, x, n):
    stats = {}
    for v in x.tolist():
        if v % 3 not in stats:
            stats[v % 3] = {"sum": 0, "count": 0}
        stats[v % 3]["sum"] += v
        stats[v % 3]["count"] += 1
    return {k: s["sum"] / s["count"] for k, s in stats.items()}


@case()
def alias(self, x, n):
    d = {}
    last = None
    for v in x.tolist():
        s = d.setdefault(v % 3, set())
        s.add(v)
        last = s
    return len(last) if last is not None else -1, [sorted(s) for s in d.values()]


@case()
def list_of_dicts(self, x, n):
    docs = []
    for i in range(n):
        c = {}
        for v in x.tolist():
            c[v % (i + 2)] = c.get(v % (i + 2), 0) + 1
        docs.append(c)
    return [len(c) for c in docs], docs


@case()
def list_of_sets(self, x, n):
    sets = [set() for _ in range(n)]
    for i, v in enumerate(x.tolist()):
        if n:
            sets[i % n].add(v)
    return [sorted(s) for s in sets]


@case()
def graph_weights(self, x, n):
    xs = x.tolist()
    g = {}
    for i, (a, b) in enumerate(zip(xs, xs[1:])):
        g.setdefault(a, {})[b] = i + 1
        g.setdefault(b, {})[a] = i + 1
    if not xs:
        return {}
    dist = {xs[0]: 0}
    done = set()
    while True:
        best = None
        for v, d in dist.items():
            if v not in done and (best is None or d < dist[best]):
                best = v
        if best is None:
            break
        done.add(best)
        for u, w in g.get(best, {}).items():
            if u not in dist or dist[best] + w < dist[u]:
                dist[u] = dist[best] + w
    return dist


@case()
def merge_sets(self, x, n):
    groups = {}
    for i, v in enumerate(x.tolist()):
        groups.setdefault(v % 2, set()).update([v, i])
    u = set()
    for s in groups.values():
        u |= s
    return sorted(u), len(u)


@case()
def del_nested(self, x, n):
    d = {}
    for i, v in enumerate(x.tolist()):
        d.setdefault(v % 2, {})[v] = i
    for k in list(d):
        if n in d[k]:
            del d[k][n]
        if not d[k]:
            del d[k]
    return d


@case()
def rows_by_label(self, x, n):
    rows = np.stack([x, x * 2], 1).astype(np.float32)
    groups = defaultdict(list)
    for i, v in enumerate(x.tolist()):
        groups[v % 2].append(rows[i])
    return [(k, np.stack(groups[k]).mean(axis=0)) for k in sorted(groups)]


@case()
def counter_ops(self, x, n):
    a = Counter(x.tolist())
    b = Counter(x.tolist()[::2])
    b[n] += 3
    return dict(a - b), dict(a + b), dict(a & b), dict(a | b), a == b


@case()
def counter_cmp(self, x, n):
    a = Counter(x.tolist())
    b = Counter(x.tolist()[:-1])
    return a <= b, b <= a, a < b, b < a, a != b, a == Counter(x.tolist())


@case()
def counter_inplace(self, x, n):
    a = Counter(x.tolist())
    b = a
    a += Counter([1, 2, n])
    a -= Counter([3, n])
    return dict(a), b is a, dict(+a), dict(-a)


@case()
def float_dicts(self, x, n):
    a = {}
    b = {}
    for v in x.tolist():
        a[v] = v / 2
    for v in x.tolist()[::-1]:
        b[v] = v * 0.5
    c = dict(b)
    c[n] = 0.25
    return a == b, a != b, a == c


@case()
def nested_eq(self, x, n):
    a = {}
    b = {}
    for v in x.tolist():
        a.setdefault(v % 2, []).append(v)
        b.setdefault(v % 2, []).append(v if v < 4 else 4)
    return a == b


@case()
def tuple_eq(self, x, n):
    a = {v: (v, v * 2) for v in x.tolist()}
    b = {v: (v, v + n) for v in x.tolist()}
    return a == b, a == a


@case()
def ordered_eq(self, x, n):
    a = OrderedDict((v, 1) for v in x.tolist())
    b = OrderedDict((v, 1) for v in x.tolist()[::-1])
    return a == b, dict(a) == dict(b), a == dict(b)


@case()
def sort_nested(self, x, n):
    xs = x.tolist()
    co = defaultdict(int)
    for i, a in enumerate(xs):
        for j in range(max(0, i - 2), i):
            co[(xs[j], a)] += 1
    return sorted(co.items(), key=lambda kv: (-kv[1], kv[0]))[:4], sorted(co.items())


@case()
def maybe_sets(self, x, n):
    seen = {0}
    if n > 1:
        seen.add(5)
    other = {5, 7}
    if n > 2:
        other.discard(5)
    seen |= other
    return sorted(seen), len(seen & {0, 5}), sorted(seen - other)


@case()
def rle_dict(self, x, n):
    runs = OrderedDict()
    start = 0
    xs = x.tolist()
    for i in range(1, len(xs) + 1):
        if i == len(xs) or xs[i] != xs[start]:
            runs[start] = (xs[start], i - start)
            start = i
    return list(runs.values())


@case()
def inverted_query(self, x, n):
    index = {}
    for pos, w in enumerate(x.tolist()):
        index.setdefault(w, set()).add(pos)
    try:
        found = index[n] & index[n + 1]
    except KeyError:
        found = set()
    return sorted(found), len(found)


@case()
def inverted_index2(self, x, n):
    index = defaultdict(set)
    for pos, w in enumerate(x.tolist()):
        index[w].add(pos // 2)
    return {w: sorted(docs) for w, docs in index.items()}


@case()
def byte_pairs(self, x, n):
    tokens = x.tolist()
    merges = []
    for step in range(n):
        pairs = Counter(zip(tokens, tokens[1:]))
        if not pairs:
            break
        best, count = pairs.most_common(1)[0]
        if count < 2:
            break
        new = 100 + step
        merges.append((best, new))
        out = []
        i = 0
        while i < len(tokens):
            if i + 1 < len(tokens) and (tokens[i], tokens[i + 1]) == best:
                out.append(new)
                i += 2
            else:
                out.append(tokens[i])
                i += 1
        tokens = out
    return tokens, merges


@case()
def longest_common_subsequence(self, x, n):
    a = x.tolist()
    b = a[n:] + a[:n]
    table = {}
    for i in range(len(a) + 1):
        for j in range(len(b) + 1):
            if i == 0 or j == 0:
                table[i, j] = 0
            elif a[i - 1] == b[j - 1]:
                table[i, j] = table[i - 1, j - 1] + 1
            else:
                table[i, j] = max(table[i - 1, j], table[i, j - 1])
    return table[len(a), len(b)]


@case([(x.astype(np.int64), n) for x, n in KEYS], {"x": {0: "keys"}})
def never_put_in(self, x, n):
    held = {}
    total = 0
    out = []
    for value in x.tolist():
        total -= len(out)
        try:
            if n > n:
                raise ValueError(n, value)
            out.append(len(held.get(n, x)))
        except ValueError:
            held[value] = held.get(value + n, x) * 2
        finally:
            out.append(-value)
    return total, out, held


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_parity(program: Program) -> None:
    hold(program)
