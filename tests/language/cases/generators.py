"""Generators and iterators of the program."""

from __future__ import annotations

CASES: dict[str, list[str]] = {
    "generator": [
        """
        log = []
        out = []
        def g():
            for i in range(3):
                log.append(i)
                yield i + n
        return sum(g()), max(g()), log, list(g()), log
        """,
        """
        log = []
        out = []
        def g():
            for i in range(3):
                log.append(i)
                yield i + n
        for a in itertools.chain(g(), [9]):
            out.append(len(log))
        return out, log
        """,
        """
        a = Count(3)
        out = []
        for v in a:
            out.append(a.now + n)
        return out
        """,
        """
        out = []
        for i, v in enumerate(Count(3)):
            out.append(v + n * i)
        return out
        """,
        """
        log = []
        out = []
        def g():
            for i in range(3):
                log.append(i)
                yield i + n
        for i, a in enumerate(g()):
            out.append(len(log))
        return out
        """,
        """
        log = []
        out = []
        def g():
            for i in range(3):
                log.append(i)
                yield i + n
        for a, b in zip(range(n), g()):
            out.append(len(log))
        return out
        """,
        """
        log = []
        out = []
        def g():
            for i in range(3):
                log.append(i)
                yield i + n
        for a in map(abs, g()):
            out.append(len(log))
        return out
        """,
        """
        a = Count(3)
        out = []
        for i, v in enumerate(a):
            out.append(a.now + n)
        return out
        """,
        "list(countdown(n))",
        "sum(countdown(n))",
        "[a * 2 for a in countdown(3)], n",
        "list(pairs([n, f, 1]))",
        "[b - a for a, b in pairs(l)]",
        "sum(v * v for v in l)",
        """
        s = 0
        for v in countdown(n):
            if v == 2:
                break
            s += v
        return s
        """,
        """
        g = (v * 2 for v in (n, f))
        a = next(g)
        return a, list(g)
        """,
        """
        g = (v * 2 for v in (n, f, 3))
        a = next(g)
        b = next(g)
        return a, b, list(g)
        """,
        """
        g = (v * 2 for v in l)
        a = next(g, 0.5)
        b = next(g, f)
        return a, b, next(g, -1.0)
        """,
        """
        g = (v * 2 for v in (n, f))
        return iter(g).__next__(), n
        """,
        """
        g = (v for v in l)
        a = next(g, f)
        for i in range(n):
            a = next(g, f)
        return a
        """,
        """
        from collections.abc import Iterator, Sized
        g, m = (v for v in (n, f)), map(abs, (n, f))
        return n, [isinstance(a, b) for a in (g, m) for b in (Iterator, Sized, list)]
        """,
        """
        import types
        g = (v for v in (n, f))
        return n, isinstance(g, types.GeneratorType), type(g) is type(n)
        """,
        """
        g, m = (v for v in (n, f)), map(abs, (n, f))
        return (
            n,
            callable(g),
            callable(m),
            hasattr(g, '__next__'),
            hasattr(m, '__iter__'),
            hasattr(m, 'length'),
        )
        """,
        """
        v = {'a': n}.values()
        return n, hasattr(v, 'index'), hasattr(v, '__len__'), hasattr(range(n), 'length')
        """,
        """
        def g(k):
            yield from range(k)
            yield from [n, f]
        return list(g(2))
        """,
        """
        def g():
            r = yield n
            yield f
        return list(g())
        """,
        """
        def h():
            yield n
            return f
        def g():
            v = yield from h()
            yield v
        return list(g())
        """,
        """
        def g():
            yield from countdown(n)
            yield 100
        s = 0
        for v in g():
            s = s * 2 + v
        return s
        """,
        """
        def g():
            for v in countdown(3):
                yield v
            yield 100
        s = n
        for v in g():
            s += v
            break
        return s
        """,
        """
        def g():
            yield from l
        return sum(g())
        """,
        """
        def g(k):
            for i in range(k):
                if i % 2:
                    continue
                yield i * n
        return list(g(5))
        """,
        """
        def g():
            try:
                yield n
            finally:
                pass
        return list(g())
        """,
        "max(v + 1 for v in (n, f))",
        "dict((name, n) for name in 'ab')",
        "[*(v for v in (n, f))]",
        """
        a, b = (v * 2 for v in (n, f))
        return a, b
        """,
        "tuple(i * j for i in range(2) for j in range(n))",
        "list(zip(countdown(3), (n, f)))",
        "any(v == n for v in countdown(4))",
        """
        def g(v):
            while v < 10:
                yield v
                v = v * 2 + 1
        return list(g(abs(n)))
        """,
        "'-'.join(str(i) for i in range(3)), n",
        """
        enumerated = [(i, v) for i, v in enumerate(countdown(n))]
        return enumerated
        """,
    ],
}
