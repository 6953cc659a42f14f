"""Programs with lists whose length is known only when the model runs."""

from __future__ import annotations

import textwrap

from tests.language.messages import Row

THING = """\
class Thing:
    def __init__(self, value):
        self.value = value"""
CHANGED = """\
rows = [{'a': i} for i in range(n)]
rows[0]['a'] = 7
"""
MAYBE = """\
d = {}
if c:
    d['a'] = n
d['b'] = x
d['a'] = n + 1
"""
OBJECTS = """\
rows = [Thing(i) for i in range(n)]
rows[0].value = 3
"""

ITEMS = """\
def items(n):
    with np.errstate(all="ignore"):
        for i in range(9):
            yield i * n
"""
CLOSING = """\
def items(n, log):
    try:
        log.append((yield n))
    finally:
        log.append(n)
"""

ROWS: list[str | Row] = [
    "return x in [x] * n",
    "return l[::n]",
    "return np.array([x] * n, ndmin=2)",
    "return np.array([chainer.Variable(x)] * n)",
    "return np.array([(i, None) for i in range(n)])",
    "return F.get_item(x, [row.argmax() for row in x[:n]])",
    "return np.stack([x] * n, dtype='d')",
    "return sorted([x] * n)",
    "return list(zip(*[{i: n} for i in range(n)]))",
    "return list(zip(*[l] * n, strict=True))",
    """
    rows = [[[i] * j for j in range(n)] for i in range(n)]
    return rows
    """,
    "error = ValueError()\nerror.args = l\nreturn n",
    """
    log = []
    return [len(log) for _ in itertools.groupby(l, key=log.append)]
    """,
    """
    functions = [abs for _ in range(n)]
    return [function(n) for function in functions]
    """,
    """
    rows = [x] * n
    return rows[0] is rows[1]
    """,
    """
    rows = [{'a': i} for i in range(n)]
    rows[0]['b'] = 7
    return rows
    """,
    """
    rows = []
    for i in range(n):
        rows.append([list(range(j)) for j in range(i)])
    return rows
    """,
    f"{MAYBE}return list(d.values())",
    f"rows = []\nfor i in range(n):\n{textwrap.indent(MAYBE, ' ')} rows.append(d)\nreturn rows",
    Row(
        """
        o = Thing(x)
        if c:
            o.a = n
        o.b = x
        o.a = n
        return list(vars(o))
        """,
        above=THING,
    ),
    f"{CHANGED}return copy.deepcopy([rows, rows[0]])",
    """
    rows = [[i] for i in range(n)]
    rows[0][0] = 7
    return rows[0] if c else [rows[0], rows[-1]]
    """,
    """
    def pairs():
        for a, b in zip(iter(l), l):
            yield a + b

    g = pairs()
    if c:
        n = next(g)
    for i in range(2):
        n = n + next(g)
    return n
    """,
    """
    a = [n]
    g = (v for v in a)
    k = next(g)
    a.append(k)
    return list(g)
    """,
    """
    part = itertools.islice(l, 1, None, 3)
    if c:
        n = next(part)
    return list(part), n
    """,
    """
    d = {'a': n, 'b': 2}
    it = iter(d)
    del d[next(it)]
    d['a'] = 3
    return [d[k] for k in it]
    """,
    """
    q = collections.deque([n])
    it = iter(q)
    if c:
        q.append(n)
    return [v for v in it]
    """,
    """
    it = iter(l)
    for v in it if c else l:
        n = n + 1
    return n
    """,
    "return F.split_axis(x.astype('u2'), n, 0)",
    Row(f"{OBJECTS}rows[0].value = rows[1]\nreturn rows", above=THING),
    Row(f"{OBJECTS}return list(vars(rows[0]).items())", above=THING),
    Row(
        """
        for item in items(n):
            if item > 3:
                break
        return item
        """,
        above=ITEMS,
    ),
    Row(
        """
        it = items(n)
        next(it)
        it.close()
        return n
        """,
        above=ITEMS,
    ),
    Row(
        """
        log = []
        for i in range(n):
            it = items(i, log)
            it.close()
        return log
        """,
        above=CLOSING,
    ),
    Row(
        """
        log = []
        it = items(n, log)
        return next(it), log
        """,
        above=CLOSING,
    ),
]
