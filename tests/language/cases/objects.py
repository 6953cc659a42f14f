"""Objects, their special methods, and classes and contexts that a program makes."""

from __future__ import annotations

CASES: dict[str, list[str]] = {
    "object": [
        """
        s = Slotted(n)
        try:
            s.b = 1
        except AttributeError:
            n += 10
        return n + s.a
        """,
        "(1, 2) == Vector(1, n), [1] != Vector(1, n)",
        "Doubled(n).n, Doubled(x).n",
        """
        v = Vector(n, f) + Vector(1, 2)
        return v.a, v.b
        """,
        """
        v = 3 + Vector(n, f)
        return v.a, v.b
        """,
        """
        v = 3 - Vector(n, f)
        return v.a, v.b
        """,
        """
        v = Vector(n, f) - Vector(1, 1)
        return v.a, v.b
        """,
        """
        v = 2 * Vector(n, f) * 3
        return v.a, v.b
        """,
        """
        v = Vector(n, f)
        w = v
        v *= 2
        return v.a, w.a, v is w
        """,
        "Vector(n, f) @ Vector(2, 3)",
        "(-Vector(n, f)).a, abs(Vector(n, f)), (~Vector(n, f)).a",
        "Vector(n, f)(3), Longer(n, f, 1)(3)",
        """
        v = Vector(n, f)
        v[0] = x
        del v[1]
        return v[0], v[1], v[-1]
        """,
        "len(Vector(n, f)), list(Vector(n, f)), n in Vector(n, f), 99 in Vector(n, f)",
        """
        a, b = Vector(n, f)
        return b, a
        """,
        """
        (
            Vector(n, f) == Vector(3, 2.5),
            Vector(n, f) != Vector(n, f),
            Vector(n, 1) < Vector(2, 1),
        )
        """,
        "Vector(n, f) > Vector(2, 1)",
        "1 if Vector(n, f) else 2",
        "not Vector(n, f), bool(Vector(f, n))",
        "float(Vector(f, n)), int(Vector(n, f))",
        "round(Vector(n, 2.5)), n",
        "divmod(Vector(n, f), 2)",
        "[10, 20][Vector(n, f)] + n",
        "list(reversed(Vector(n, f)))",
        "{Vector(1, 2): n}[Vector(1, 2)]",
        "Vector(n, f).dyn_ab, getattr(Vector(n, f), 'dyn_a')",
        "hasattr(Vector(n, f), 'other'), hasattr(Vector(n, f), 'dyn_x')",
        """
        v = Vector(n, f)
        v.total = 10
        return v.a, v.total
        """,
        "Longer(n, f, 4).total, Longer.of if False else n",
        "Vector.of(n).b, Vector.plain(n), Vector(n, f).plain(f)",
        """
        v = Vector(n, f)
        v.inverse = n
        return v.inverse, v._inverse
        """,
        """
        v = Vector(n, f)
        a = v.lazy
        v.a = 0
        return a, v.lazy
        """,
        "Vector.unit + n, Longer.unit, Longer(n, f, 1).unit",
        """
        class A:
            k = 2
            def __init__(self, v):
                self.v = v
            def get(self):
                return self.v * self.k
        return A(n).get()
        """,
        """
        class A:
            def f(self):
                return n
        class B(A):
            def f(self):
                return super().f() + 1
        return B().f()
        """,
        """
        class A:
            v = n
        return A.v + A().v
        """,
        """
        s = Slotted(n)
        s.a += 1
        return s.a
        """,
        """
        (
            isinstance(Longer(n, f, 1), Vector),
            type(Vector(n, f)) is Vector,
            issubclass(Longer, Vector),
            n,
        )
        """,
        "Vector(n, f).__class__.__name__, n",
        """
        b = Box(n)
        b.a += 1
        return b.a, b.b
        """,
        """
        b = Box(Box(n))
        b.a.a = x
        return b.b.a
        """,
        """
        b = Box(0)
        for v in l:
            b.a = b.a + v
        return b.a
        """,
        """
        b = Box(n) if c else Box(f)
        b.a = b.a + 1
        return b.a
        """,
        """
        b = Box(n)
        if c:
            b.extra = f
        return getattr(b, 'extra', 1.0)
        """,
        "Box(n).__dict__['a']",
        """
        sorted(
            [Vector(2, n), Vector(1, f)],
            key=lambda v: v.a if isinstance(v.a, int) else 0,
        )[0].b, n
        """,
        "sum([Vector(n, f), Vector(1, 2)], Vector(0, 0)).a",
        "[i * n for i in Count(3)]",
        "max([Vector(1, n), Vector(2, f)], key=lambda v: v.a).b",
        """
        o = type('T', (), {'k': 3})()
        return o.k + n
        """,
        """
        self.state = n
        self.state += 1
        return self.state
        """,
        "self.k + n, self.items[0] * n",
        "Square(f).area(), isinstance(Square(n), Shape)",
    ],
    "classes and contexts made inside": [
        """
        class It:
            def __init__(self):
                self.i = 0
            def __iter__(self):
                return self
            def __next__(self):
                self.i += 1
                if self.i > 3:
                    raise StopIteration
                return self.i * n
        a, b, d = It()
        return list(It()), sum(It()), [*It()], max(It()), tuple(It()), a + b + d, sorted(It())
        """,
        """
        class Few:
            def __init__(self):
                self.k = 0
            def __iter__(self):
                self.k += 1
                return iter([n, f])
        o = Few()
        r = [*o]
        r.extend(o)
        a, b = o
        return list(o), sum(o), tuple(o), len(r), o.k
        """,
        """
        class V:
            def __init__(self, a):
                self.a = a
            def __add__(self, o):
                return V(self.a + o.a)
            def __lt__(self, o):
                return self.a < o.a
            @property
            def twice(self):
                return self.a * 2
            @classmethod
            def one(cls):
                return cls(1)
            @staticmethod
            def add(p, q):
                return p + q
        o = V(n) + V.one()
        return o.twice, V.add(o.a, f), o < V(3), isinstance(o, V)
        """,
        """
        class Node:
            def __init__(self, v, rest=None):
                self.v = v
                self.rest = rest
        head = None
        for i in range(3):
            head = Node(n + i, head)
        s = 0
        while head is not None:
            s = s * 2 + head.v
            head = head.rest
        return s
        """,
        """
        import contextlib
        @contextlib.contextmanager
        def scaled(k):
            yield x * k
        with scaled(n) as y, scaled(2) as z:
            return y + z
        """,
        """
        d = dict(w=n, obj=2)
        d.update(w=f, source=3)
        return d, functools.partial(lambda **k: k['w'], w=n)()
        """,
        """
        class Slotted:
            __slots__ = ('a',)
            k = 5
        class Open(Slotted):
            pass
        o, p = Slotted(), Open()
        o.a = p.a = p.k = n
        try:
            o.k = 1
        except AttributeError:
            return o.a, o.k, p.k
        return o.k
        """,
        """
        class E:
            pass
        e, g = E(), E()
        e.a = g.a = n
        same = vars(e) == {'a': n}, e.__dict__ != {'a': n}, {'a': n + 1} == e.__dict__
        more = vars(e) == vars(g), vars(e) == 3, vars(e) == {'a': n, 'b': 2}
        return same, more, vars(e) | {'b': 1}
        """,
    ],
}
