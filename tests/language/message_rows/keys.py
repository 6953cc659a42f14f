"""Programs with dicts and sets whose keys are known only when the model runs."""

from __future__ import annotations

from tests.language.messages import Row

COUNTS = """\
counts = {}
for i in range(n):
    counts[i % 2] = i
"""

WORDS = """\
counts = {}
for i in range(n):
    counts['a' if c else 'b'] = i
"""

SEEN = """\
seen = set()
for i in range(n):
    seen.add(i % 2)
seen |= {2}
"""

ROWS: list[str | Row] = [
    """
    class Seen(set):
        pass
    return sorted(Seen(l).copy())
    """,
    f"{SEEN}return [i for i in seen]",
    f"{SEEN}return sorted(seen, key=lambda i: [i] * i)",
    "return min({0.5, math.nan, 1.5})",
    """
    groups = {}
    for i in range(n):
        groups.setdefault(i % 2, []).append(i)
    return copy.deepcopy(groups)
    """,
    "words = {tuple(l[:n]): 1}\nreturn (1, n) in words",
    f"{WORDS}return dict(**counts)",
    f"{COUNTS}counts[b'a'] = 1\nreturn len(counts)",
    "counts = collections.Counter()\ncounts[n] = 1\ncounts[n + 1] = x\nreturn len(counts)",
    "a, b = {'a': x}, {'a': x, 'b': x}\nd = a if c else b\nreturn [v for v in d.values()]",
    "d = {b'a': x, n: x}\nreturn d[b'a']",
    f"{COUNTS}one = counts if c else {{7: 7}}\nfor key in one:\n    one[key] = 0\nreturn len(one)",
    f"{COUNTS}counts[np.uint64(n)] = 1\nreturn len(counts)",
    f"{COUNTS}for key in counts:\n    counts[n - key] = counts.pop(key)\nreturn len(counts)",
    "return {frozenset([n, 1]): n}",
    f"{COUNTS}it = iter(counts)\ncounts.clear()\nreturn next(it)",
]
