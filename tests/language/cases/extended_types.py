"""Classes that extend the types of Python."""

from __future__ import annotations

CASES: dict[str, list[str]] = {
    "extended type": [
        """
        o = Options(a=n)
        o.b = f
        o.a += 1
        return o['a'], o.b, len(o), list(o), dict(o)
        """,
        """
        o = Options(a=n)
        if c:
            o.b = f
        else:
            o.b = 1.0
        for i in range(n):
            o.a = o.a + i
        return o.a, o['b']
        """,
        """
        d = Bunch(a=n)
        if c:
            d.b = f
        else:
            d['b'] = 1.0
        for i in range(n):
            d.a += i
        return d.a, d['b'], d.b, len(d), list(d), getattr(d, 'z', 5)
        """,
        "LOWER['A'] * n, 'B' in LOWER, 'Z' in LOWER",
        """
        d = Lower(x=n)
        d['y'] = f
        return d['X'], d['Y'], d.get('X', 7)
        """,
        """
        g = Log('a', [n])
        g.append(f)
        return g.total, len(g), g[-1], g.name, [v for v in g]
        """,
        """
        g = Log('a')
        for v in l:
            g.append(v)
        return g.total, len(g), sum(g)
        """,
        """
        v = Triple((n, f)) + Triple((1, 2))
        return v[0], v[1], v == (n + 1, f + 2)
        """,
        """
        p = Shifted(n) if c else Shifted(f, 3)
        return p, p.a
        """,
        "UNITS + n, n + UNITS, UNITS + f, UNITS * n, x * UNITS",
        "Level(1) + n, [10, 20, 30][Level.HIGH] * n, x * Level.HIGH",
        "list(reversed(Backwards(n)))",
        """
        s = Level.LOW
        for i in range(n):
            s = Level.HIGH if s == Level.LOW else Level.LOW
        return s, s.value, s is Level.HIGH, x * s
        """,
        """
        s = Letter.A if c else Letter.B
        return s.value == 'a', s == 'b', s.name == 'A', {'a': n, 'b': f}[Letter.A.value]
        """,
        """
        s = Letter.A
        for i in range(n):
            s = s.other
        return 1 if s.value == 'b' else 2
        """,
        "[10, 20, 30][Place(n % 3)], x[:Place(1)], (1, 2, 3)[Place(1):], list(range(Place(n)))",
        """
        a = [1, 2, 3]
        a[Place(1)] = n
        del a[Place(0)]
        return a, math.floor(Place(n)), operator.index(Place(n))
        """,
        """
        o = Erased(n)
        del o.value
        return o.value, n
        """,
        """
        o = Erased(n)
        try:
            del o.kind
        except AttributeError:
            n += 10
        return n, o.kind
        """,
        """
        o = Erased(n)
        return next(o), next(o, 5), next(o, f), list(o)
        """,
        "3 in range(n), n in range(2, 9, 3), -1 in range(n, -5, -2), 2 not in range(n)",
        "f in l, l.count(2.0), l == [v for v in l], l == l",
        """
        class S:
            __slots__ = ('a', 'b')
            def __init__(self, a):
                self.a = a
        s = S(n)
        s.b = f
        return s.a + s.b
        """,
        """
        class D(dict):
            def total(self):
                return sum(self.values()) * n
        d = D(a=n, b=f)
        d['c'] = 1
        return d.total()
        """,
        """
        class P(collections.namedtuple('P', 'a b')):
            __slots__ = ()
            def norm(self):
                return self.a * self.a + self.b
        p = P(n, f)
        for i in range(n):
            p = P(p.a + 1, p.norm())
        return p.a
        """,
        """
        for i in range(n):
            class A(list):
                def two(self):
                    return len(self) * i
            n = A([1, 2]).two()
        return n
        """,
        """
        @dataclasses.dataclass
        class D:
            a: int
            b: float = 2.0
            def total(self):
                return self.a + self.b * n
        out = []
        for i in range(n):
            out.append(D(i, f).total())
        return out
        """,
        """
        @dataclasses.dataclass(order=True)
        class D:
            a: int
            def __post_init__(self):
                self.b = self.a * 2
        return D(n) < D(3), D(n) == D(n), max(D(n), D(1)).b
        """,
        """
        try:
            Frozen(n).a = 4
            r = 1
        except dataclasses.FrozenInstanceError:
            r = 2
        return r * n
        """,
        """
        m = Memo(n)
        s = 0
        for i in range(n):
            s += m.twice
        if c:
            s = s + m.twice
        m.n = 100
        return s, m.twice
        """,
        "Pair(n, f) == (n, f), (n, 1) != Pair(n, f), Pair(n, 1) + (2,), Log('a', [n]) == [n]",
        "range(5)[n]",
        "range(9, 2, -3)[n - 1]",
        "pow(n, 2, 5), pow(n, 3, -7)",
    ],
}
