"""Functions, arguments, closures, recursion."""

from __future__ import annotations

CASES: dict[str, list[str]] = {
    "function": [
        "seconds(x, n, f, scale=3, u=c)",
        "seconds(*(x, n), **{'scale': f})",
        """
        args = (n, f)
        return max(*args), min(*args, 1)
        """,
        """
        def g(a, b=n, *r, k=f, **m):
            return a + b + k, r, m
        return g(1), g(1, 2, x, k=3, z=c)
        """,
        """
        def g(a, /, b, *, k):
            return a * b - k
        return g(n, b=2, k=f)
        """,
        """
        g = lambda a, b=2: a * b
        return g(n) + g(f, 3)
        """,
        "decorated(n), decorated(f, b=n)",
        "factorial(5) * n",
        "adder(n)(f), [adder(i)(n) for i in range(3)]",
        """
        total = 0
        def add(v):
            nonlocal total
            total += v
        for v in l:
            add(v)
        return total
        """,
        """
        def outer(a):
            def inner(b):
                return a * b + n
            return inner
        return outer(f)(2)
        """,
        """
        fs = [lambda v, i=i: v * i for i in range(3)]
        return [g(n) for g in fs]
        """,
        """
        fs = []
        for i in range(3):
            fs.append(lambda v: v * i)
        return [g(n) for g in fs]
        """,
        """
        def g():
            yield n
            yield f
        return sum(g())
        """,
        "(lambda *a, **k: (a, k))(n, z=f)",
        """
        def fact(k):
            return 1 if k <= 1 else k * fact(k - 1)
        return fact(4) + n
        """,
        """
        def last(v, k):
            if k <= 0:
                return v
            return last(v * 2, k - 1)
        return last(x, n)
        """,
        """
        def g(a: int = 3) -> float:
            'Doc.'
            return a / 2
        return g(n), g()
        """,
        """
        def compose(*fs):
            def run(v):
                for g in fs:
                    v = g(v)
                return v
            return run
        return compose(abs, lambda v: v + 1)(n)
        """,
        "self.double(n) + self.double(f)",
        """
        m = self.double
        return m(x)
        """,
        "type(self).double(self, n)",
    ],
}
