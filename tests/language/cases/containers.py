"""Lists, tuples, dicts and sets."""

from __future__ import annotations

CASES: dict[str, list[str]] = {
    "list": [
        "n == [1], [n] != n, [1, n] in [[1, n]], [1, n] in [n, 2]",
        "[1, 2] + np.int32(n), [n, 1] - np.int64(2), [1, 2] - x.sum()",
        "[n, f] + [x]",
        "[n] * 3",
        "[n, f, 2][-1], [n, 1, 2][:2]",
        "[1, 2, 3][n] if 0 <= n < 3 else 0",
        "l[0] if l else f",
        "l[-1] if len(l) > 0 else f",
        "l[1:], l[::-1], l[:-1]",
        "l[::2]",
        "l + l, l + [f]",
        "l * 2",
        "f in l, f not in [1.5, f]",
        "n in [1, 3, 5]",
        "l == l, [n] == [3], [n, f] == [3, 2.5]",
        "[n, 1] < [3, 2]",
        """
        a = [n, f]
        a[0] = x
        return a
        """,
        """
        a = list(l)
        a[:1] = [f, f]
        return a
        """,
        """
        a, b, d = list(l), list(l), list(range(9))
        a[::2] = [f] * len(a[::2])
        b[1::2] = b[1::2][::-1]
        d[n::3] = range(len(d[n::3]))
        d[n:2:-2] = [7] * len(d[n:2:-2])
        a[::-1] = a
        return a, b, d
        """,
        """
        a = list(l)
        a[::2] = [f, f]
        return a
        """,
        """
        a, b = list(l), list(range(9))
        del a[::2]
        del b[n::3]
        del b[5:n:-2]
        return a, b
        """,
        """
        a = [0] * 3
        a[abs(n) % 3] = n
        return a
        """,
        """
        a = [n, 1, f]
        del a[1]
        return a
        """,
        """
        a = b = [n]
        a += [f]
        return a, b, a is b
        """,
        """
        a = list(l)
        a += l
        return a
        """,
        "[[i * j for j in range(2)] for i in range(n)]",
        "[[x] * i for i in range(n)]",
        """
        rows = [[x[:i]] * i for i in range(n)]
        return [len(row) for row in rows], [a.sum() for row in rows for a in row]
        """,
        "[v for v in l if v > 0]",
        "[v if v > 0 else -v for v in l]",
        "[*l, f]",
        "[*l, *l[1:]]",
        """
        a = [[n], [f]]
        a[0].append(x)
        return a
        """,
        """
        a = []
        for v in l:
            if v > 0:
                a.append(v)
        return a
        """,
        "bool(l), not l",
    ],
    "list.append": [
        """
        a = []
        a.append(n)
        a.append(x)
        return a
        """,
        """
        a = []
        for r in x:
            a.append(r * n)
        return a
        """,
    ],
    "list.clear": [
        """
        a = list(l)
        a.clear()
        a.append(f)
        return a
        """,
    ],
    "list.copy": [
        """
        a = [n]
        b = a.copy()
        b.append(f)
        return a, b
        """,
    ],
    "list.count": [
        "l.count(2.0)",
        "[n, 3, 3].count(3)",
    ],
    "list.extend": [
        """
        a = [f]
        a.extend(l)
        return a
        """,
        """
        a = [n]
        a.extend(range(2))
        return a
        """,
    ],
    "list.index": [
        "l.index(1.5) if 1.5 in l else -1",
        "[1, 2, n].index(n)",
        "l.index(1.5, n) if 1.5 in l[n:] else -1",
        "l.index(1.5, 0, n) if 1.5 in l[0:n] else -1",
        """
        a, b = list(range(n + 4)) + [1, 0], (3, 1, 2, 1)
        return a.index(0, -2), a.index(1, 2), b.index(1, n % 3), b.index(1, -n - 9, 2)
        """,
        "[3, n, 3, 5].index(3, 1), [5.0, 3, 5].index(5, n, 9) if n < 3 else f",
    ],
    "list.insert": [
        """
        a = list(l)
        a.insert(0, f)
        return a
        """,
        """
        a = [1.0, f]
        a.insert(1, x)
        return a
        """,
        """
        a = [1, 2]
        a.insert(n, 9)
        return a
        """,
    ],
    "list.pop": [
        """
        a = [n, f]
        return a.pop(), a
        """,
        """
        a = l + [f]
        v = a.pop(0)
        return v, a
        """,
    ],
    "list.remove": [
        """
        a = [1, 2, 3]
        a.remove(2)
        return a, n
        """,
        """
        a = l + [f]
        a.remove(f)
        return a
        """,
    ],
    "list.reverse": [
        """
        a = list(l)
        a.reverse()
        return a
        """,
        """
        a = [n, f]
        a.reverse()
        return a
        """,
    ],
    "list.sort": [
        """
        a = [3, 1, 2]
        a.sort(reverse=True)
        return a, n
        """,
        """
        a = list(l)
        a.sort()
        return a
        """,
        """
        a = [n, 2, -n]
        a.sort(key=abs)
        return a
        """,
    ],
    "tuple": [
        "(n, f) + (x,)",
        "(n, f, 1)[1:], (n, f)[-1]",
        "(n,) * 2",
        """
        a, (b, *r) = n, (f, x, c)
        return a, b, r
        """,
        """
        *a, b = l + [f]
        return a, b
        """,
        """
        a, b = b_a = (n, f)
        return a, b_a
        """,
        "(10, 20, 30)[n] if 0 <= n < 3 else -1",
        """
        t = ()
        for v in l:
            t = t + (v * 2,)
        return t
        """,
        "(n, 1) == (3, 1), (n, 2) < (3, 3)",
        "n in (1, 3, 5)",
        """
        a, b = n, f
        a, b = b, a
        return a, b
        """,
        "((n, f), [x, {'a': c}])",
    ],
    "tuple.count": [
        "(1, 2, 1).count(1) + n",
        "(n, 3).count(3)",
    ],
    "tuple.index": [
        "(1, 2, 3).index(2) * n",
    ],
    "dict": [
        """
        d = {0: f, 1: n, 2: 1.5}
        for i in range(n):
            d[i % 3] = d[(i + 1) % 3] * 2
        return d
        """,
        """
        d = {k: [] for k in range(3)}
        for i in range(n):
            d[i % 3].append(i)
        return [len(d[k]) for k in range(3)], d[1]
        """,
        """
        t = collections.Counter({0: 4, 1: 0})
        for v in l:
            t[int(v > 0)] += 1
        return t[0], t[1], t[n], len(t)
        """,
        """
        d = collections.defaultdict(int, {0: 1, 1: 2})
        for i in range(n):
            d[i % 2] += i
        return d[0], d[1], len(d)
        """,
        "{'a': n, 'b': f}",
        """
        d = {}
        d['a'] = n
        d['b'] = x
        return d
        """,
        """
        d = {'a': n}
        d['a'] += 1
        return d
        """,
        "{1: f, 3: -f}[3] + n",
        "{0: 'a', 3: 'b'}.get(n, 'z')",
        "{0: 1.5, 3: 2.5}[n] if n in (0, 3) else -1.0",
        "{i: i * n for i in range(3)}",
        "{k: v * 2 for k, v in {'a': n, 'b': f}.items()}",
        "'a' in {'a': n}, 'z' in {'a': n}",
        "{'a': n} | {'b': f, 'a': c}",
        """
        d = {'a': n}
        d |= {'b': f}
        return d
        """,
        """
        d = {'a': n, 'b': f}
        del d['a']
        return d, len(d)
        """,
        "{**{'a': n}, 'b': f, **{'c': c}}",
        """
        d = {}
        if c:
            d['a'] = n
        return d.get('a', -1), 'a' in d
        """,
        """
        d = {'a': n}
        return [key for key in d], list(d)
        """,
        "{'a': n} == {'a': 3}",
        """
        d = {}
        for i, name in enumerate('abc'):
            d[name] = x * i
        return d
        """,
        """
        d = {'a': []}
        for v in l:
            d['a'].append(v)
        return d
        """,
        """
        d = {True: n, False: f}
        return d[c]
        """,
        """
        d = {(1, 2): n}
        return d[1, 2]
        """,
        """
        d = {'a': n, 2: 3}
        if c:
            d['b'] = f
        return list(d), len(d)
        """,
        """
        d = {'a': n}
        if c:
            d['b'] = f
        return d
        """,
    ],
    "dict.clear": [
        """
        d = {'a': n}
        d.clear()
        d['b'] = f
        return d
        """,
    ],
    "dict.copy": [
        """
        d = {'a': n}
        e = d.copy()
        e['a'] = f
        return d, e
        """,
    ],
    "dict.fromkeys": [
        "dict.fromkeys('ab', n)",
    ],
    "dict.get": [
        "{'a': n}.get('a', f)",
        "{'a': n}.get('b')",
        "{'a': n}.get('z', x)",
    ],
    "dict.items": [
        "[v for _, v in {'a': n, 'b': f}.items()]",
        "dict({'b': 1, 'a': n}.items())",
    ],
    "dict.keys": [
        "list({'a': n, 'b': f}.keys())",
        "sorted({'b': n, 'a': f}.keys())",
        "'a' in {'a': n}.keys()",
    ],
    "dict.pop": [
        """
        d = {'a': n, 'b': f}
        return d.pop('a'), d
        """,
        """
        d = {'a': n}
        return d.pop('z', x), d
        """,
    ],
    "dict.popitem": [
        """
        d = {'a': n, 'b': f}
        return d.popitem(), d
        """,
    ],
    "dict.setdefault": [
        """
        d = {'a': n}
        return d.setdefault('a', f), d.setdefault('b', x), d
        """,
        """
        d = {}
        if c:
            d['a'] = n
        if not c:
            d['b'] = f
        return d.setdefault('a', 2), d.setdefault('b', 0.5), len(d), {'a': d['a'], 'b': d['b']}
        """,
    ],
    "dict.update": [
        """
        d = {'a': n}
        d.update({'b': f}, c=c)
        return d
        """,
        """
        d = {}
        d.update([('a', n)])
        return d
        """,
    ],
    "dict.values": [
        "sum({'a': n, 'b': f}.values())",
        "list({'a': x}.values())",
        "n in {'a': 3}.values()",
    ],
    "set": [
        "{1, 2} == {2, 1}, n",
        """
        s = set()
        for v in (1, 2, 1):
            s.add(v)
        return len(s) + n
        """,
        "{i % 2 for i in range(4)} == {0, 1}, n",
    ],
    "set.add": [
        """
        s = {1, 2, 3}
        r = s.add(4)
        return sorted(s), r if isinstance(r, bool) else r is None, n
        """,
    ],
    "set.clear": [
        """
        s = {1, 2, 3}
        r = s.clear()
        return sorted(s), r if isinstance(r, bool) else r is None, n
        """,
    ],
    "set.discard": [
        """
        s = {1, 2, 3}
        r = s.discard(2)
        return sorted(s), r if isinstance(r, bool) else r is None, n
        """,
    ],
    "set.remove": [
        """
        s = {1, 2, 3}
        r = s.remove(2)
        return sorted(s), r if isinstance(r, bool) else r is None, n
        """,
    ],
    "set.update": [
        """
        s = {1, 2, 3}
        r = s.update({5})
        return sorted(s), r if isinstance(r, bool) else r is None, n
        """,
    ],
    "set.difference_update": [
        """
        s = {1, 2, 3}
        r = s.difference_update({1})
        return sorted(s), r if isinstance(r, bool) else r is None, n
        """,
    ],
    "set.intersection_update": [
        """
        s = {1, 2, 3}
        r = s.intersection_update({1})
        return sorted(s), r if isinstance(r, bool) else r is None, n
        """,
    ],
    "set.symmetric_difference_update": [
        """
        s = {1, 2, 3}
        r = s.symmetric_difference_update({1, 9})
        return sorted(s), r if isinstance(r, bool) else r is None, n
        """,
    ],
    "set.isdisjoint": [
        """
        s = {1, 2, 3}
        r = s.isdisjoint({4})
        return sorted(s), r if isinstance(r, bool) else r is None, n
        """,
    ],
    "set.issubset": [
        """
        s = {1, 2, 3}
        r = s.issubset({1, 2, 3, 4})
        return sorted(s), r if isinstance(r, bool) else r is None, n
        """,
    ],
    "set.issuperset": [
        """
        s = {1, 2, 3}
        r = s.issuperset({1})
        return sorted(s), r if isinstance(r, bool) else r is None, n
        """,
    ],
    "set.copy": [
        """
        s = {1, 2, 3}
        return sorted(s.copy()), n
        """,
    ],
    "set.difference": [
        """
        s = {1, 2, 3}
        return sorted(s.difference({1})), n
        """,
    ],
    "set.intersection": [
        """
        s = {1, 2, 3}
        return sorted(s.intersection({1})), n
        """,
    ],
    "set.symmetric_difference": [
        """
        s = {1, 2, 3}
        return sorted(s.symmetric_difference({1, 9})), n
        """,
    ],
    "set.union": [
        """
        s = {1, 2, 3}
        return sorted(s.union({7})), n
        """,
    ],
    "set.pop": [
        """
        s = {5}
        return s.pop(), len(s), n
        """,
    ],
}
