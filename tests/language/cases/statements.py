"""Statements and unpacking."""

from __future__ import annotations

CASES: dict[str, list[str]] = {
    "statement": [
        """
        if n > 3:
            y = x * 2
        elif n > 0:
            y = x + 1
        else:
            y = x
        return y
        """,
        """
        s = 0
        for i in range(n):
            if i == 1:
                continue
            if i > 3:
                break
            s += i
        else:
            s += 100
        return s
        """,
        """
        i = 0
        while i * i < n:
            i += 1
        return i
        """,
        """
        i = 5
        while True:
            i -= 1
            if i < n:
                break
        return i
        """,
        """
        y = x.copy()
        y += 1
        y[0] *= n
        return y
        """,
        """
        a = b = n
        a += 1
        return a, b
        """,
        """
        a: int = n
        b: float
        b = a / 2
        return b
        """,
        """
        assert len(x.shape) == 2, 'rank'
        return n
        """,
        """
        pass
        return n
        """,
        """
        if (m := n * 2) > 4:
            return m
        return -m
        """,
        """
        del l
        return n
        """,
        """
        y = x
        del y
        return x * n
        """,
        """
        global TOTAL
        TOTAL = n
        return TOTAL + 1
        """,
        "return TOTAL + len(NAMES) + n",
        """
        import math as m
        return m.floor(f)
        """,
        """
        from math import floor
        return floor(f)
        """,
        """
        match n:
            case 0:
                return -1
            case 3 | 5:
                return 1
            case _ if f > 0:
                return 2
        return 3
        """,
        """
        match (n, f):
            case (3, b):
                return b
            case (a, b):
                return a + b
        """,
        """
        match {'a': n, 'b': f}:
            case {'a': a, **rest}:
                return a, rest
        return 0
        """,
        """
        match [n, f, 1]:
            case [a, *rest]:
                return a, rest
        return 0
        """,
        """
        match Point(n, f):
            case Point(a=a, b=0.5):
                return a
            case Point():
                return f
        return 0
        """,
        """
        match None if c else n:
            case None:
                return -1
            case v:
                return v
        """,
        """
        y = x if n > 1 else x * 2.5
        return [i * a for i, (a, b) in enumerate(zip(y, x))]
        """,
        """
        for i, (a, b) in enumerate(zip(l, l[1:])):
            n += i * (a > b)
        return n
        """,
        """
        y = x[0] if c else x[-1]
        return y
        """,
        """
        if c:
            return x
        for r in x:
            if r.sum() > 1:
                return r[None]
        return x[:1]
        """,
        """
        for i in range(3):
            if i == n:
                return i
        else:
            return -1
        """,
        """
        with Vector(n, f) as v:
            y = v.a
        return y, v.a
        """,
        """
        y = 1 if n > 3 else 2 if n > 0 else 3
        return y
        """,
        """
        if not (c and n > 2) or f < 0:
            return 1
        return 0
        """,
    ],
    "unpacking": [
        """
        a, *b = (n, f, x)
        return a, b
        """,
        """
        [a, b], c2 = (n, f), c
        return a, b, c2
        """,
        """
        for a, *b in [(n, 1, 2), (f, 3, 4)]:
            n = n + b[0]
        return n
        """,
        """
        a, b = x.shape
        return a * n, b
        """,
        """
        r0, *rest = x if len(x) else [x]
        return r0, len(rest)
        """,
        "x.reshape(*[len(x), 2][:n])",
        "seconds(x, *l)",
        "seconds(x, *[n, f], *(1,), **{'u': 1}, **{'v': n})",
        """
        print(*l)
        return [*range(3), *(n,)]
        """,
        """
        (a, b), d = {'p': (n, f)}['p'], 3
        return a + b + d
        """,
        """
        a = [0, 0]
        a[0], a[1] = n, f
        return a
        """,
        """
        a = list(l)
        a[:1] = [f, f]
        return a
        """,
        """
        a = [1.0, f, 3.0, 4.0]
        a[n:-1] = l
        del a[: n % 3]
        return a
        """,
        """
        b = Box(n)
        b.a, b.b = f, x
        return b.a, b.b
        """,
        """
        n, f = f, n
        return n - f
        """,
    ],
}
