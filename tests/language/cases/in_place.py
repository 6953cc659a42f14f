"""What changes in place while it is known: every branch and turn must keep to its own changes."""

from __future__ import annotations

CASES: dict[str, list[str]] = {
    "in place": [
        """
        y = np.array([3, 1, 2])
        if c:
            y.sort()
        return y * n
        """,
        """
        y = np.array([3, 1, 2])
        for i in range(n):
            y.sort()
        return y * n
        """,
        """
        y = np.array([3, 1, 2])
        for i in range(n):
            y[0] = 1
        return y * n
        """,
        """
        y = np.array([3, 1, 2])
        for i in range(n):
            y += 1
        return y
        """,
        """
        y = np.zeros(3)
        if c:
            y.fill(2)
        return y * n
        """,
        """
        y = np.zeros(3)
        if c:
            np.add(y, 1, out=y)
        return y * n
        """,
        """
        y = np.zeros(3)
        if c:
            np.add.at(y, [0, 0], 1)
        return y * n
        """,
        """
        y = np.zeros(3)
        if c:
            np.copyto(y, 1)
        return y * n
        """,
        """
        y = np.zeros(3)
        if c:
            y[1:] = 4
        return y * n
        """,
        """
        d = {'a': n}
        keys = d.keys()
        values = d.values()
        d['b'] = n
        return len(keys), sum(values)
        """,
        """
        d = {'a': 1, 'b': 2}
        for key in list(d):
            d[key + 'c'] = n
        return len(d) + n
        """,
        """
        b = Box(n)
        b.__dict__['a'] = 5
        return b.a + n
        """,
        """
        self.__dict__['q'] = n
        return self.q
        """,
        """
        Box.shared = n
        return Box(1).shared
        """,
        """
        nan = float('nan')
        return nan in [nan, n], nan in [n], n
        """,
        """
        nan = f * float('nan')
        return nan in [nan], nan == nan, [nan] == [nan], n
        """,
        """
        it = itertools.combinations('abc', 2)
        if c:
            k = len(list(it))
        else:
            k = len(list(it)) + 10
        return k * n
        """,
        """
        a = 'a b'.split()
        if c:
            a.append('q')
        return len(a) * n
        """,
        """
        y = np.zeros(3) if c else np.ones(3)
        return y
        """,
        """
        if c:
            y = np.zeros(3)
            y[0] = n
        else:
            y = np.ones(3)
        return y
        """,
        """
        if c:
            y = np.zeros(3)
            y[0] = 4
        else:
            y = np.ones(3)
            y += 1
        return y * n
        """,
        """
        y = None
        for i in range(n):
            y = np.zeros(2)
            y[0] = i
        return y
        """,
        """
        y = np.zeros(2)
        for i in range(n):
            y = np.ones(2)
            y[0] = 5
        return y
        """,
        """
        y = np.zeros(2)
        z = y
        for i in range(n):
            z = y + 1
        z += 1
        return y, z
        """,
        """
        y = np.zeros(2)
        z = y if c else np.ones(2)
        z += 1
        return y, z
        """,
        """
        out = []
        for i in range(n):
            y = np.zeros(2)
            y[0] = i
            out.append(y)
        return out
        """,
        """
        b = Box(0)
        if c:
            b.a = np.zeros(2)
            b.a[1] = n
        else:
            b.a = np.ones(2)
        b.a[0] = 7
        return b.a
        """,
        """
        self.w = np.zeros(2)
        if c:
            self.w[0] = n
        return self.w
        """,
        """
        l2 = 'a b'.split() if c else 'c d e'.split()
        l2.append('x')
        return len(l2) * n
        """,
        """
        a = [1, 2]
        b = sorted(a) if c else a
        b.append(3)
        return len(a) * n, len(b)
        """,
        """
        y = np.zeros(2)
        ys = [y, y]
        if c:
            ys[0][0] = n
        return ys[1]
        """,
        """
        y = {'a': np.zeros(2)}
        if c:
            y['a'][0] = n
        return y['a'] + 0
        """,
        """
        y, z = np.zeros(3), np.arange(3.0)
        if c:
            np.cumsum(z, out=y)
        return y * n
        """,
        """
        y, z = np.zeros(3), np.arange(3.0)
        if c:
            np.add.accumulate(z, 0, None, y)
        for i in range(n):
            z.cumprod(out=z)
        return y * n, z
        """,
        """
        y, z = np.zeros(3), np.array([3, 1, 2])
        f, g = y.fill.__call__, np.add.__call__
        if c:
            f(n)
            g(z, 1, out=z)
        return y + n, z, z.sum.__call__(), n
        """,
        """
        y = [3, 1]
        if c:
            y.append.__call__(n)
            y.__setitem__(0, n)
        return y, n
        """,
        """
        q = collections.Counter('ab')
        q.update('ab')
        return q['a'] * n
        """,
        """
        import heapq
        h = [3, 1, 2]
        heapq.heapify(h)
        return h[0] * n
        """,
    ],
}

#: What is refused by name, since what it changes is not followed.
REFUSED: dict[str, str] = {
    """
    y = np.zeros(3)
    y.shape = (3, 1)
    return y * n
    """: "assignment to `shape` of ndarray is not supported",
    """
    y = np.zeros(3)
    y.itemset(0, 4)
    return y * n
    """: "`ndarray.itemset` changes an ndarray in a way that is not followed",
    """
    y = np.zeros(3)
    if c:
        y.__setitem__(0, 4)
    return y * n
    """: "`ndarray.__setitem__` changes an ndarray in a way that is not followed",
    """
    y = np.zeros(3)
    if c:
        y.__iadd__(4)
    return y * n
    """: "`ndarray.__iadd__` changes an ndarray in a way that is not followed",
    """
    y = np.zeros(3)
    y.__setstate__((1, (3,), y.dtype, False, bytes(24)))
    return y * n
    """: "`ndarray.__setstate__` changes an ndarray in a way that is not followed",
    """
    import scipy.linalg
    y = np.arange(3.0)
    if c:
        scipy.linalg.solve(np.eye(3) + 1, y, overwrite_b=True)
    return y * n
    """: "`scipy.linalg._basic.solve` changes an ndarray in a way that is not followed",
    """
    b = bytearray(b'ab')
    if c:
        b.__setitem__(0, 4)
    return b[0] * n
    """: "`bytearray.__setitem__` changes a bytearray in a way that is not followed",
    """
    b = bytearray(b'ab')
    b.append(3)
    return len(b) * n
    """: "`bytearray.append` changes a bytearray in a way that is not followed",
    """
    b = Box(n)
    b.__dict__.update(a=5)
    return b.a + n
    """: "`__dict__.update` is not supported",
    """
    d = {'a': 1}
    for key in d:
        d['c'] = n
    return len(d)
    """: "RuntimeError: dictionary changed size during iteration",
}
