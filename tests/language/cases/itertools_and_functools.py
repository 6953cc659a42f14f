"""itertools and functools."""

from __future__ import annotations

CASES: dict[str, list[str]] = {
    "itertools.accumulate": [
        "list(itertools.accumulate([n, 1, f]))",
        "list(itertools.accumulate(l))",
        "list(itertools.accumulate(x))",
        "list(itertools.accumulate([1, n, 3], operator.mul))",
        "list(itertools.accumulate(l, max))",
        "list(itertools.accumulate([1, 2], initial=n))",
    ],
    "itertools.chain": [
        "list(itertools.chain([n], (f, 1)))",
        "list(itertools.chain(l, l))",
        "[r.sum() for r in itertools.chain(x, x)]",
        "sum(itertools.chain(range(n), [1]))",
        "list(itertools.chain(*[[n], [f]]))",
        "list(itertools.chain.from_iterable([[n], [1, 2]]))",
    ],
    "itertools.combinations": [
        "[a * b for a, b in itertools.combinations((n, 2, 3), 2)]",
    ],
    "itertools.combinations_with_replacement": [
        "[a * b for a, b in itertools.combinations_with_replacement((n, 2), 2)]",
    ],
    "itertools.compress": [
        "list(itertools.compress((n, f, 1), (1, 0, 1)))",
    ],
    "itertools.count": [
        "[i * v for i, v in zip(itertools.count(), l)]",
        "[i + n for i, _ in zip(itertools.count(2, 3), 'abc')]",
        """
        for i in itertools.count():
            if i >= n:
                break
        return i
        """,
        "list(itertools.islice(itertools.count(n), 3))",
    ],
    "itertools.cycle": [
        """
        r = []
        for v in itertools.cycle([1, n, 3]):
            r.append(v)
            if len(r) >= n:
                break
        return r
        """,
        "[a * b for a, b in zip(itertools.cycle((1, -1)), (n, f, 3))]",
        "[a * b for a, b in zip(l, itertools.cycle((1, -1)))]",
    ],
    "itertools.dropwhile": [
        "list(itertools.dropwhile(lambda v: v < 2, (1, 2, 1))), n",
    ],
    "itertools.filterfalse": [
        "list(itertools.filterfalse(lambda v: v % 2, range(5))), n",
    ],
    "itertools.groupby": [
        "[(key, len(list(g))) for key, g in itertools.groupby('aab')], n",
        "[(key, sum(g)) for key, g in itertools.groupby(l)]",
        "{key: list(g) for key, g in itertools.groupby(sorted(l), lambda v: v // 2)}",
        "[(key, next(g), list(g)) for key, g in itertools.groupby([n, 1, 1, 2], lambda v: v > 1)]",
        "[(k, len(list(g))) for k, g in itertools.groupby(zip(x[:, 0] > 0, l), lambda p: p[0])]",
        "max((len(list(g)) for _, g in itertools.groupby(l)), default=0)",
    ],
    "itertools.islice": [
        "list(itertools.islice(l, 2))",
        "list(itertools.islice(l, n))",
        "list(itertools.islice(itertools.count(f), 1, n, 2))",
        "list(itertools.islice(range(n), 1, 4))",
        """
        log = []
        out = []
        def g():
            for i in range(3):
                log.append(i)
                yield i + n
        for a in itertools.islice(g(), 2):
            out.append(a)
        for a, b in zip(range(n), g()):
            out.append(len(log))
        return out, log
        """,
        "[r.sum() for r in itertools.islice(x, 0, None, 2)]",
        "list(itertools.islice((n, f, 1), 1, None))",
    ],
    "itertools.pairwise": [
        "[b - a for a, b in itertools.pairwise((n, f, 1))]",
        "[b - a for a, b in itertools.pairwise(l)]",
    ],
    "itertools.permutations": [
        "[a - b for a, b in itertools.permutations((n, f), 2)]",
    ],
    "itertools.product": [
        "[a * b for a, b in itertools.product((n, 2), (f, 1))]",
        "[a + b for a, b in itertools.product(l, (0, 1))]",
        "[i * j for i, j in itertools.product(range(n), range(2))]",
        "[a * b for a, b in itertools.product((1, n), repeat=2)]",
    ],
    "itertools.repeat": [
        "[v * w for v, w in zip((1, 2), itertools.repeat(n))]",
        "list(itertools.repeat(f, 2))",
        "list(itertools.repeat(f, n)) if n >= 0 else []",
        "list(map(pow, (2, 3), itertools.repeat(2))), n",
    ],
    "itertools.starmap": [
        "list(itertools.starmap(lambda a, b: a * b, [(n, 2), (f, 3)]))",
    ],
    "itertools.takewhile": [
        "list(itertools.takewhile(lambda v: v < 3, range(9))), n",
        "list(itertools.takewhile(lambda v: v > 0, l))",
    ],
    "itertools.tee": [
        """
        a, b = itertools.tee((n, f))
        return list(a), list(b)
        """,
    ],
    "itertools.zip_longest": [
        "list(itertools.zip_longest((n, f), (1,), fillvalue=0))",
        "[a + b for a, b in itertools.zip_longest(l, [1.0, 2.0], fillvalue=0.0)]",
    ],
    "functools.partial": [
        "functools.partial(max, n)(3)",
        "functools.partial(np.sum, axis=0)(x)",
        "list(map(functools.partial(operator.add, n), (1, f)))",
        """
        g = functools.partial(lambda a, b, z: a + b * z, n, z=f)
        return g(2)
        """,
    ],
    "functools.reduce": [
        "functools.reduce(lambda a, b: a * b, (n, f, 2))",
        "functools.reduce(operator.add, l, f)",
        "functools.reduce(lambda a, b: a + b, x)",
        "functools.reduce(lambda a, v: a * 2 + v, range(n), 1)",
    ],
    "functools.wraps": [
        """
        def deco(fn):
            @functools.wraps(fn)
            def inner(*a):
                return fn(*a) + 1
            return inner
        @deco
        def g(a):
            return a * 2
        return g(n)
        """,
    ],
    "functools.lru_cache": [
        "Cached().value(n)",
    ],
    "functools.cached_property": [
        "Memo(n).twice",
    ],
    "functools.total_ordering": [
        "Ordered(n) >= Ordered(3)",
        "Ordered(n) <= Ordered(3), Ordered(n) > Ordered(f)",
    ],
    "functools.singledispatch": [
        "dispatched(self.k) + n",
    ],
    "functools.cmp_to_key": [
        "sorted([3, 1, 2], key=functools.cmp_to_key(lambda a, b: b - a)), n",
    ],
}
