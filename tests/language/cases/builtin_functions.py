"""Python's builtins on values known when the model runs: the row of each name, and its programs."""

from __future__ import annotations

CASES: dict[str, list[str]] = {
    "builtins.abs": [
        "abs(n)",
        "abs(f)",
        "abs(x)",
        "abs(x[0, 0])",
        "abs(n - 3) + abs(-f)",
    ],
    "builtins.all": [
        "all(v > 0 for v in l)",
        "all([n > 0, c])",
        "all(l)",
        "all(r.sum() < 9 for r in x)",
        "all(())",
        "all(v < n for v in range(3))",
    ],
    "builtins.any": [
        "any(v > 1 for v in l)",
        "any((c, n > 4))",
        "any(l)",
        "any(r[0] > 0.5 for r in x)",
        "any(i == n for i in range(5))",
    ],
    "builtins.bool": [
        "bool(n)",
        "bool(f - 0.5)",
        "bool(l)",
        "bool(x.sum() > 0)",
        "bool(n) + 1",
    ],
    "builtins.callable": [
        "callable([n]), callable(Box(n)), callable(adder(n)), callable(n), callable(Vector(n, 1))",
        "callable(len), callable(n), callable(lambda: n)",
        "callable(self.double)",
    ],
    "builtins.dict": [
        "dict(a=n, b=x)['b']",
        "dict([('a', n), ('b', f)])",
        "dict(zip('ab', (x, n)))",
        "dict({'a': n}, b=c)",
        "{**dict(a=n), 'b': f}",
    ],
    "builtins.divmod": [
        "divmod(n, 3)",
        "divmod(-n, 4)",
        "divmod(n, -3)",
        "divmod(f, 2)",
        "divmod(7, f)",
    ],
    "builtins.enumerate": [
        "[i * v for i, v in enumerate(l)]",
        "[i + r.sum() for i, r in enumerate(x, 1)]",
        "sum(i * v for i, v in enumerate(l, start=n))",
        "list(enumerate('ab'))",
    ],
    "builtins.filter": [
        "list(filter(lambda v: v > 0, l))",
        "list(filter(None, l))",
        "sum(filter(lambda v: v > n, l))",
        "list(filter(lambda i: i % 2, range(5)))",
        "list(filter(lambda v: v != n, [0, 1, 3, 5])), list(filter(None, [n, 0, c]))",
        """
        kept = filter(lambda v: v > n, [0, 1, 3, 5, 9])
        return next(kept), list(kept)
        """,
    ],
    "builtins.float": [
        "float(n)",
        "float(x[0, 0])",
        "float(c)",
        "float(f) / 2",
        "float('1.5') * f",
    ],
    "builtins.format": [
        "format(3, '03d')",
        "'%s-%d' % ('a', self.k)",
        "'{:>4}'.format(self.k)",
    ],
    "builtins.frozenset": [
        "3 in frozenset((1, 3)), n",
        "len(frozenset('aab')) + n",
        "sorted(frozenset([n, 3]) | {1}), frozenset([n, 1]) == {1, n}",
    ],
    "builtins.getattr": [
        "getattr(self, 'k') + n",
        "getattr(self, 'nothing', n)",
        "getattr(x, 'T')",
        "getattr(x, 'sum')(axis=0)",
    ],
    "builtins.hasattr": [
        "hasattr(x, 'shape')",
        "hasattr(n, 'nothing')",
        "hasattr(self, 'k') and c",
    ],
    "builtins.int": [
        "int(f)",
        "int(-f)",
        "int(c)",
        "int(x[0, 0] * 10)",
        "int('12') + n",
        "int(f * 10) // 3",
    ],
    "builtins.isinstance": [
        "isinstance(n, int), isinstance(n, float), isinstance(c, int), isinstance(f, float)",
        "isinstance(x, np.ndarray), isinstance(x[0, 0], np.floating), isinstance(x, list)",
        "isinstance(chainer.Variable(x), chainer.Variable)",
        "isinstance(n if c else f, float)",
        "isinstance(None if c else n, (int, str))",
    ],
    "builtins.issubclass": [
        "issubclass(type(c), int)",
        "issubclass(type(x), (list, np.ndarray)), n",
    ],
    "builtins.iter": [
        """
        q = list(range(n))
        r = []
        for v in iter(q.pop, 0):
            r.append(v)
        return r, list(iter(lambda: q.pop() if q else -1, -1))
        """,
        """
        k = 0
        def step():
            nonlocal k
            k += 1
            return min(k, n) if n > 0 else 0
        return [v for v in iter(step, max(n, 0))], k
        """,
        "list(iter(l))",
        "[r.sum() for r in iter(x)]",
        """
        it = iter(l)
        return [v * 2 for v in it]
        """,
        """
        it = iter((n, f, x))
        first = next(it)
        return first, list(it)
        """,
    ],
    "builtins.len": [
        "len(x)",
        "len(l)",
        "len([n, f])",
        "len(x[1:])",
        "len(x.T)",
        "len(l + l)",
        "len(range(n))",
    ],
    "builtins.list": [
        "list(range(n))",
        "list(x)",
        "list(l)",
        "list((n, f))",
        "list('ab') + [n]",
        "list(l) * 2",
    ],
    "builtins.map": [
        "list(map(abs, l))",
        "sum(map(lambda v: v * v, l))",
        "list(map(lambda a, b: a + b, l, range(9)))",
        "[r for r in map(np.sum, x)]",
        "list(map(float, range(n)))",
        """
        a, b = map(list, zip((n, 1), (f, 2)))
        return a, b, list(map(abs, map(lambda v: v - 1, l)))
        """,
    ],
    "builtins.max": [
        "max(n, 3)",
        "max(l, default=f)",
        "max(n, f, 1)",
        "max(x[0, 0], x[0, 1])",
        "max((n, 1), (2, n))",
        "max([n, -n, 2], key=abs)",
        "max(range(n), default=-1)",
        "max(l + [0.5], key=lambda v: -v)",
    ],
    "builtins.min": [
        "min(n, 3)",
        "min(l, default=0.0)",
        "min(f, n)",
        "min(len(x), 2)",
        "min(3, n, key=lambda v: (v - 2) ** 2)",
    ],
    "builtins.next": [
        "next(iter(x))",
        "next(iter(l), f)",
        "next((v for v in l if v > 1), f)",
        "next((i for i, v in enumerate(l) if v > 0), -1)",
        """
        it = iter(x)
        a = next(it)
        b = x[0]
        return a + b
        """,
        "next(iter([n, f]))",
    ],
    "builtins.object": [
        """
        a = object()
        return a is a, n
        """,
    ],
    "builtins.ord": [
        "ord('a') + n",
        "chr(ord('a') + 1), n",
    ],
    "builtins.pow": [
        "pow(n, 2)",
        "pow(f, 2)",
        "pow(2, abs(n))",
        "pow(2.0, n)",
        "pow(abs(n), 2, 3)",
        "pow(abs(f), 0.5)",
    ],
    "builtins.print": [
        """
        print(n, x)
        return n
        """,
        """
        print('a', end='')
        return x
        """,
    ],
    "builtins.range": [
        "sum(range(n))",
        "[i * f for i in range(1, n)]",
        "list(range(n, 0, -1))",
        "list(range(0, n, 2))",
        "len(range(n, 10, 3))",
        "n in range(4)",
        "bool(range(n)), not range(2, n), 5 if range(n, 2) else 6",
        "range(n)[-1] if n > 0 else -1",
        "[i for i in range(2) for _ in range(n)]",
        "list(range(n)[::-1]), list(range(n)[1:]), list(range(3, 20, 4)[n::2])",
        """
        r, s = range(len(l))[::-2], range(9)[n:-1]
        return len(r), list(r[1:]), 2 in r, r.start, r.stop, r.step, [i * 2 for i in s], bool(s)
        """,
        "[list(range(n + 9, n, -2)[k:m:j]) for k, m, j in ((n, 3, 1), (-1, n, -1), (1, -1, 2))]",
    ],
    "builtins.repr": [
        "repr(self.k) + 'x', n",
        "repr([1, 'a']), n",
    ],
    "builtins.reversed": [
        "list(reversed(l))",
        "[r.sum() for r in reversed(x)]",
        "list(reversed(range(n)))",
        "list(reversed((n, f)))",
    ],
    "builtins.round": [
        "round(f)",
        "round(n)",
        "round(f, 1)",
        "round(-f * 2.5)",
        "round(n + 0.5)",
        "round(x[0, 0])",
        "round(1234.5678, 2) + f",
        "round(n, 0)",
    ],
    "builtins.set": [
        "2 in {1, 2}, n",
        "len(set([1, 1, 2])) * n",
        "sorted({3, 1, 2} | {4}), n",
        "n in {1, 3, 5}",
    ],
    "builtins.setattr": [
        """
        setattr(self, 'z', n)
        return self.z + 1
        """,
        """
        self.z = x
        delattr(self, 'z')
        return hasattr(self, 'z'), n
        """,
    ],
    "builtins.slice": [
        "x[slice(0, 1)]",
        "l[slice(1, None)]",
        "x[slice(None), slice(0, 1)]",
        "slice(0, 2).stop + n",
    ],
    "builtins.sorted": [
        "sorted(l)",
        "sorted(l, reverse=True)",
        "sorted([3, n, 1])",
        "sorted(l, key=lambda v: -v)",
        "sorted([2, 1, 3], key=lambda v: -v), n",
        "sorted(l, key=abs)",
        "sorted([(2, n), (1, f)], key=lambda p: p[0])",
        "sorted([n, 2, -1], key=abs, reverse=True)",
        "sorted(range(n), key=lambda i: -i)",
        """
        (
            sorted([(i % 3, -i) for i in range(n + 3)]),
            sorted([(n, 1), (2, 0), (1, n)], reverse=True),
        )
        """,
        "sorted(range(n + 4), key=lambda i: (i % 3, -i), reverse=True)",
        "sorted([(r.sum(), i, r) for i, r in enumerate(x)], key=lambda t: (-t[0], t[1]))",
        "sorted([(float(r[0]), i, r) for i, r in enumerate(x)])",
        """
        d = {'b': n, 'a': x, 'c': n + 1}
        return sorted(d.items(), reverse=c), sorted(d.items())
        """,
        """
        calls = []
        def key(v):
            calls.append(v)
            return -v
        return sorted([n, 2, 7], key=key), len(calls)
        """,
    ],
    "builtins.str": [
        "str(self.k) + 'a', n",
        "str(1.5), n",
    ],
    "builtins.sum": [
        "sum(l)",
        "sum(l, f)",
        "sum(x)",
        "sum([n, f, 1])",
        "sum(r for r in x)",
        "sum([[n], [2]], [])",
        "sum(v > 0 for v in l)",
    ],
    "builtins.super": [
        "super(type(self), self).__class__ is type(self), n",
    ],
    "builtins.tuple": [
        "tuple(l)",
        "tuple(range(3)) + (n,)",
        "tuple(x)",
        "tuple(r.sum() for r in x)",
    ],
    "builtins.type": [
        "type(n) is int",
        "type(x) is np.ndarray, type(f) is float",
        "type(n)(f)",
        "type(l)([n])",
    ],
    "builtins.zip": [
        "[a * b for a, b in zip(l, range(9))]",
        "[a + b for a, b in zip(x, x[::-1])]",
        "list(zip(l, l[1:]))",
        "list(zip('ab', (n, f)))",
        "dict(zip(('a', 'b'), (n, f)))",
        """
        a, b = zip((n, 1), (f, 2))
        return a, b
        """,
        """
        a, b = zip(*[(i, r * 2) for i, r in enumerate(x)])
        return a, list(b), type(a) is tuple
        """,
        """
        a, b, d = map(list, zip(*sorted([(-i, 1.5, x) for i in range(n + 4)])))
        return a, b, len(d)
        """,
        """
        rows = [[[r, r + 1], i] for i, r in enumerate(x)]
        return [list(zip(*pairs))[1] for pairs in [list(zip(*rows))[0]]]
        """,
        "list(zip(*[l, l])), [sum(c) for c in zip(*[(n, f), (1, 2)])]",
    ],
    "builtins.complex": [],
    "builtins.bytes": [
        "len(b'abc') + n",
    ],
    "builtins.bin": [
        "bin(5), n",
    ],
    "builtins.hex": [
        "hex(255), n",
    ],
    "builtins.oct": [
        "oct(8), n",
    ],
    "builtins.ascii": [
        "ascii('a'), n",
    ],
    "builtins.dir": [
        "'k' in dir(self), n",
    ],
    "builtins.chr": [
        "chr(98), n",
    ],
}
