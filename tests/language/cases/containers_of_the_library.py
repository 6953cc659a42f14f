"""collections, dataclasses, copy, heapq, bisect."""

from __future__ import annotations

CASES: dict[str, list[str]] = {
    "bisect": [
        """
        import bisect
        return bisect.bisect([1, 3, 5], n), bisect.bisect_left(sorted(l), f)
        """,
        """
        import bisect
        a = []
        for v in l:
            bisect.insort(a, v)
        return a, bisect.bisect_right([n, n + 2], n + 1, 0, 2)
        """,
    ],
    "types.SimpleNamespace": [
        """
        import types
        q = types.SimpleNamespace(a=n)
        q.b = f
        if c:
            q.a += 1
        return q.a, q.b, q == types.SimpleNamespace(a=4, b=2.5), q != 3
        """,
        """
        import types
        out = []
        for i in range(n):
            out.append(types.SimpleNamespace(a=i, b=x * i))
        return [q.a for q in out], [q.b.sum() for q in out]
        """,
    ],
    "heapq": [
        """
        import heapq
        h = []
        for v in l:
            heapq.heappush(h, v)
        out = []
        while h:
            out.append(heapq.heappop(h))
        return out
        """,
        """
        import heapq
        h = list(l)
        heapq.heapify(h)
        return h, heapq.nsmallest(2, l), heapq.nlargest(2, l)
        """,
        """
        import heapq
        h = []
        for i, v in enumerate(l):
            heapq.heappush(h, (-v, i))
            if len(h) > 2:
                heapq.heappop(h)
        return h
        """,
        """
        import heapq
        h = [n, f, 3.0]
        heapq.heapify(h)
        a = heapq.heappushpop(h, 1.0)
        return a, heapq.heapreplace(h, 9.0), h[0]
        """,
    ],
    "copy.copy": [
        """
        a = [n, [f]]
        b = copy.copy(a)
        b[0] = 1
        b[1].append(x)
        return a, b
        """,
        "copy.copy({'a': n})",
        "copy.copy(x) + 1",
        """
        b = copy.copy(Box(n))
        b.a += 1
        return b.a
        """,
        """
        y = copy.copy(x)
        y += 1
        return x, y
        """,
        "copy.copy(l)",
    ],
    "copy.deepcopy": [
        """
        a = [n, [f]]
        b = copy.deepcopy(a)
        b[1].append(x)
        return a, b
        """,
        """
        b = copy.deepcopy(Box([n]))
        b.a.append(1)
        return b.a
        """,
        """
        y = copy.deepcopy(x)
        y[0] = 0
        return x, y
        """,
        "copy.deepcopy(l)",
        """
        a = [n]
        b = copy.deepcopy([a, a])
        b[0].append(f)
        return a, b
        """,
    ],
    "collections.namedtuple": [
        """
        p = Pair._make([n, f])
        q = p._replace(b=x)
        return q.a, q._asdict()['b'], q._fields == ('a', 'b')
        """,
        """
        k = 0
        try:
            Pair._make([n])
        except TypeError:
            k = 1
        return k + n
        """,
        "Pair(n, f)",
        "Pair(n, f).a + Pair(1, 2).b",
        "Pair(n, f)._replace(a=x)",
        """
        p = Pair(a=n, b=x)
        a, b = p
        return a, b, p[0]
        """,
        "Pair(n, f)._asdict()",
        """
        P = collections.namedtuple('P', 'u v')
        return P(n, f).v
        """,
    ],
    "collections.OrderedDict": [
        "collections.OrderedDict([('a', n), ('b', f)])",
        """
        d = collections.OrderedDict()
        d['a'] = n
        d['b'] = x
        d.move_to_end('a')
        return list(d), d['a']
        """,
        """
        d = collections.OrderedDict(a=n, b=f)
        d.move_to_end('b', last=False)
        return d.popitem(), d.popitem(last=False), len(d)
        """,
        """
        d = collections.OrderedDict(a=n, b=f)
        e = copy.deepcopy(d)
        e['a'] += 1
        return list(d.values()), list(e.values()), type(e) is type(d)
        """,
        """
        d = collections.OrderedDict(a=n, b=f)
        return (
            d == collections.OrderedDict(b=f, a=n),
            d == {'b': f, 'a': n},
            isinstance(d, collections.OrderedDict),
        )
        """,
        """
        d = collections.OrderedDict(a=n, b=f)
        if n > 1:
            d['a'] = n * 3
        d.update(c=n)
        return d
        """,
        """
        d = collections.OrderedDict.fromkeys('ab', n) | {'b': f}
        return hasattr(d, 'move_to_end'), list(d.copy().items())
        """,
        """
        d = {'a': n}
        try:
            d.move_to_end('a')
        except AttributeError:
            return n + 10
        return n
        """,
    ],
    "collections.defaultdict": [
        """
        d = collections.defaultdict(list)
        d['a'].append(n)
        d['a'].append(f)
        return d['a']
        """,
        """
        d = collections.defaultdict(int)
        for ch in 'aab':
            d[ch] += n
        return d['a'], d['b']
        """,
        """
        d = collections.defaultdict(lambda: x)
        return d['q'] + 1
        """,
        """
        d = collections.defaultdict(list)
        for i in range(n):
            d['a'].append(i)
        return d['a']
        """,
        """
        d = collections.defaultdict(int)
        if c:
            d['s'] += 2
        return d['s']
        """,
        """
        d = collections.defaultdict(float)
        for v in l:
            if v > 0:
                d['p'] += v
            else:
                d['m'] += v
        return d['p'], d['m']
        """,
        """
        d = collections.defaultdict(list, a=[n])
        e = d.copy()
        e['b'].append(n)
        return d['a'], e['b'], len(d)
        """,
        """
        k = 0
        try:
            collections.defaultdict(None)['a']
        except KeyError:
            k = 1
        try:
            collections.defaultdict(3)
        except TypeError:
            k += 2
        return k + n
        """,
    ],
    "collections.Counter": [
        """
        k = collections.Counter()
        for v in range(n):
            k['a'] += v
            k['b'] += 1
        return k['a'], k['b'], k['c']
        """,
        """
        k = collections.Counter('abca')
        k['a'] += n
        k.update(a=2)
        k.subtract(['b'])
        return k['a'], k['b'], k.total(), len(k)
        """,
        "collections.Counter(a=n) == collections.Counter(a=3, b=0)",
        "k = collections.Counter(a=n)\nreturn (k + k)['a']",
        "collections.Counter('aab')['a'] + n",
        "collections.Counter('aab').most_common(1), n",
    ],
    "collections.deque": [
        """
        q = collections.deque([0])
        k = 0
        while q:
            i = q.popleft()
            k += i
            if i < n:
                q.append(i + 1)
                q.append(i + 2)
        return k
        """,
        """
        q = collections.deque(maxlen=2)
        for r in x:
            q.append(r)
        return sum(r.sum() for r in q), len(q)
        """,
        """
        q = collections.deque([n, 2])
        q[0] += 1
        q += [n]
        r = q.copy()
        r.extendleft([5, 6])
        q.rotate(-1)
        q.insert(1, 7)
        return list(q), list(r), 7 in q, q.index(7), q.count(n)
        """,
        """
        q = collections.deque([n])
        return (
            isinstance(q, collections.deque),
            type(q) is list,
            q == collections.deque([n]),
            q.maxlen,
        )
        """,
        """
        q = collections.deque(l, maxlen=2)
        return [v for v in reversed(q)], max(q, default=0.0)
        """,
        "return collections.deque(range(n)).popleft()",
        """
        q = collections.deque([n, f])
        q.append(x)
        q.popleft()
        return list(q)
        """,
        """
        q = collections.deque(maxlen=2)
        for v in (1, n, f):
            q.append(v)
        return list(q)
        """,
        """
        q = collections.deque([1.0])
        for v in l:
            q.append(v)
        return len(q), q[0]
        """,
        """
        q = collections.deque([n])
        q.appendleft(f)
        q.rotate(1)
        return q[0], q[1], len(q)
        """,
        """
        q = collections.deque(l)
        s = 0.0
        while q:
            s = s * 2 + q.popleft()
        return s
        """,
    ],
    "collections.ChainMap": [
        "collections.ChainMap({'a': 1}, {'b': 2})['b'] + n",
    ],
    "dataclasses.dataclass": [
        "Point(n, f).a + 1",
        """
        p = Point(n)
        p.b = x
        return p.b, p.a
        """,
        "Point(n, f) == Point(3, 2.5)",
        """
        p = Made(n)
        p.items.append(f)
        return p.items, p.total
        """,
        "Frozen(n).a",
        """
        @dataclasses.dataclass
        class D:
            a: int
            b: float = 2.0
        return D(n).b + D(n).a
        """,
    ],
    "dataclasses.replace": [
        "dataclasses.replace(Point(n, f), a=x).a",
    ],
    "dataclasses.asdict": [
        "dataclasses.asdict(Point(n, f))",
    ],
    "dataclasses.astuple": [
        "dataclasses.astuple(Point(n, f))",
    ],
    "dataclasses.field": [
        "Made(n).items",
    ],
    "dataclasses.fields": [
        "[q.name for q in dataclasses.fields(Point)], n",
    ],
}
