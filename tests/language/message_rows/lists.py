"""Programs with lists whose length is known only when the model runs."""

from __future__ import annotations

import textwrap

from tests.language.messages import Row

THING = "class Thing:\n    def __init__(self, value):\n        self.value = value"
CHANGED = "rows = [{'a': i} for i in range(n)]\nrows[0]['a'] = 7\n"
MAYBE = "d = {}\nif c:\n    d['a'] = n\nd['b'] = x\nd['a'] = n + 1\n"
OBJECTS = "rows = [Thing(i) for i in range(n)]\nrows[0].value = 3\n"

ROWS: list[str | Row] = [
    "return x in [x] * n",
    "return l[::n]",
    "return np.array([x] * n, ndmin=2)",
    "return np.array([chainer.Variable(x)] * n)",
    "return np.array([(i, 0.5) for i in range(n)])",
    "return np.stack([x] * n, dtype='d')",
    "return sorted([x] * n)",
    "return list(zip(*[l] * n))",
    "return [a + b for a, b in itertools.permutations(l, 2)]",
    "rows = [x] * n\nreturn rows[0] is rows[1]",
    "rows = [{'a': i} for i in range(n)]\nrows[0]['b'] = 7\nreturn rows",
    f"{MAYBE}return list(d.values())",
    f"rows = []\nfor i in range(n):\n{textwrap.indent(MAYBE, ' ')} rows.append(d)\nreturn rows",
    Row("o = Thing(x)\nif c:\n    o.a = n\no.b = x\no.a = n\nreturn list(vars(o))", above=THING),
    f"{CHANGED}return copy.deepcopy([rows, rows[0]])",
    f"{CHANGED}return rows[0] if c else None",
    "g = (v for v in l)\nif c:\n    n = next(g)\nfor i in range(2):\n    n = n + next(g)\nreturn n",
    "a = [n]\ng = (v for v in a)\nk = next(g)\na.append(k)\nreturn list(g)",
    "part = itertools.islice(l, 1, None, 3)\nif c:\n    n = next(part)\nreturn list(part), n",
    "d = {'a': n, 'b': 2}\nit = iter(d)\ndel d[next(it)]\nd['a'] = 3\nreturn [d[k] for k in it]",
    "q = collections.deque([n])\nit = iter(q)\nif c:\n    q.append(n)\nreturn [v for v in it]",
    "it = iter(l)\nfor v in it if c else l:\n    n = n + 1\nreturn n",
    "return F.split_axis(x.astype('u2'), n, 0)",
    Row(f"{OBJECTS}rows[0].value = rows[1]\nreturn rows", above=THING),
    Row(f"{OBJECTS}return list(vars(rows[0]).items())", above=THING),
    Row(
        "for item in items(n):\n    if item > 3:\n        break\nreturn item",
        above="def items(n):\n    for i in range(9):\n        given = yield i * n\n",
    ),
]
