"""`f(*items)` where the number of items is known only when the model runs."""

from __future__ import annotations

CASES: dict[str, list[str]] = {
    "arguments of any number": [
        """
        def g(a, b=2.0, k=0.5):
            return a * 100 + b * 10 + k
        return g(*l)
        """,
        """
        def g(a, b=0.25, *r):
            return a + b, r, len(r)
        return g(x, *l), g(x, f, n, *l)[1], (lambda *a: sum(a))(*l, n)
        """,
        """
        def g(*a, k=1, **m):
            s = 0.0
            for i, v in enumerate(a):
                s += i * v
            return s * k, a[:1], m
        return g(*l, k=2), g(f, *l), g(*l, z=n), g(*l, *l, f)
        """,
        """
        def apply(g, *a, **k):
            return g(*a, **k)
        def first(a, *r):
            return apply(rest, *r) if r else a
        def rest(*r):
            return r[-1] * len(r)
        return apply(max, *l, 0.0, f), apply(first, f, *l)
        """,
        """
        class Total:
            def __init__(self, *v):
                self.v = v
            def __call__(self, *w):
                return sum(self.v) - sum(w)
        return Total(*l)(f, *l), Total(f, *l)(*l)
        """,
        """
        rows = [Box(v) for v in l]
        def g(*boxes):
            for box in boxes:
                box.a += n
            return len(boxes)
        return g(*rows), [r.a for r in rows]
        """,
        """
        def h(*v):
            return sum(v)
        return (
            h(*(i for i in range(n))),
            h(*map(abs, l)),
            h(*reversed(l)),
            h(*([1.0] if c else [f, 2.0])),
        )
        """,
        """
        def twice(*v):
            for a in v:
                yield a * 2
        p = functools.partial(twice, *l)
        return list(p(f)), list(twice(*l))
        """,
        """
        def g(a, b):
            return a - b
        return g(*l, b=2), Typed(*l)
        """,
        "max(*l, f, n), min(n, *l, key=lambda v: -v), max(*l) if l else 0.0",
        "min(*[(i, v) for i, v in enumerate(l)]) if l else (0, f)",
        "math.gcd(*range(n)), math.lcm(*range(1, n)), math.hypot(*l), math.hypot(f, n, 2)",
        "list(itertools.chain(l, *[[v, v] for v in l]))",
        "F.add(*[r * i for i, r in enumerate(x)]), F.add(*[x[:, : i + 1] for i in range(2)], x)",
        "(lambda *rows: (F.stack(rows), np.concatenate(rows)))(*x)",
        """
        print(*l)
        logging.info('%s', *l)
        return seconds(x, *l)[1], np.add(*l[:2]) if l[1:] else f
        """,
        "[x, *l][1:] + [f], (x, *l)[0], len([x] + l)",
        """
        def g(a, **k):
            return a + len(k)
        def told(ask):
            try:
                return ask()
            except TypeError:
                return -1
        d, e = {'z': n}, {'z': 1}
        twice = told(lambda: g(1, **d, **e)), told(lambda: g(1, k=2, **{'k': n}))
        more = told(lambda: dict(**d, **e)), told(lambda: g(n, **{1: 2}))
        return twice, more, g(n, **{'a1': 2}, b=3), dict(z=n, **{'y': 2})
        """,
    ],
}
