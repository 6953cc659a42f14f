"""Objects, lists and tuples in lists whose length is known only when the model runs."""

from __future__ import annotations

CASES: dict[str, list[str]] = {
    "objects in lists of any length": [
        """
        rows = [Box(v) for v in l]
        both = rows + rows[:1]
        for r in both:
            r.a += 1
        new = copy.deepcopy(both)
        for r in new:
            r.a *= 2
        one = copy.deepcopy(rows[0]) if rows else Box(f)
        one.a = 77.0
        return [r.a for r in rows], [r.a for r in new], one.a
        """,
        """
        rows = [{'s': v, 'k': n} for v in l]
        for t in range(n):
            new = copy.deepcopy(rows)
            for r in new:
                r['s'] += t
            rows = new + rows[:1]
        return rows, len(rows)
        """,
        """
        o, p = Box([n]), Box([f])
        q = o if c else p
        m = copy.deepcopy([q, o, p, [n] if c else {'u': f}, x if c else None])
        m[0].a.append(1.0)
        if m[4] is not None:
            m[4][0] = 9
        return m[0].a, m[1].a, m[2].a, o.a, p.a, q.a, x
        """,
        """
        rows = [{'a': v} for v in l]
        w = x + 1
        y = w if c else x * 2
        m = copy.deepcopy([w, y])
        m[0] += 1
        one, other = copy.deepcopy((rows[0], rows[-1])) if l else ({'a': f}, {'a': f})
        one['a'] += 1
        return m, w, one['a'], other['a']
        """,
        """
        rows = [Ordered(v) for v in l]
        e = Ordered(f)
        rows.append(e)
        k = rows.index(Ordered(f))
        rows.remove(Ordered(f))
        return k, [r.n for r in rows], e in rows, Ordered(1.5) in rows, rows.count(Ordered(2.0))
        """,
        """
        rows = [Box(v) for v in l]
        e = Box(f)
        found = e in rows
        rows.append(e)
        return found, e in rows, rows.index(e), Box(f) in rows
        """,
        """
        rows = [Ordered(v // 2) for v in l]
        s = sorted(rows)
        for i, r in enumerate(s):
            r.n += i * 10
        t = sorted(rows, reverse=True)
        return [r.n for r in rows], [r.n for r in s], [r.n for r in t]
        """,
        """
        a = [Ordered(n), Ordered(f), Ordered(2)]
        a.sort(reverse=True)
        b = sorted(l, key=lambda v: Ordered(-v))
        return [v.n for v in a], b, max(a).n, min(a).n
        """,
        """
        rows = [(i, v) for i, v in enumerate(l)]
        lists = [[v, n] for v in l]
        some = [v if v > 0 else None for v in l]
        k = rows.index((0, 1.5)) if (0, 1.5) in rows else -1
        return k, rows.count((0, 1.0)), [f, n] in lists, None in some, some.count(1.0)
        """,
        """
        rows = [[v, n] for v in l]
        for r in rows:
            r[0] += 1
        return [list(column) for column in zip(*rows)] if rows else []
        """,
        """
        v = float('nan') * f
        return [v, 1.0].count(v), (v, n).count(n), copy.deepcopy(tuple(l))
        """,
    ],
}
