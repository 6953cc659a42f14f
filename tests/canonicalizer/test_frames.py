"""Recursive functions as loops over frames, run by Python beside the functions themselves."""

from __future__ import annotations

import re
import textwrap
from typing import Any

import pytest

from canonicalizer import descents, frames
from canonicalizer.errors import Unframed

from .fuzz_recursion import main
from .grouped import difference, loop_of, run
from .recursive_programs import program


class Held(list[Any]):
    """Notes who enters and leaves it, and ends a KeyError."""

    def __enter__(self) -> int:
        self.append("entered")
        return len(self)

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> bool:
        self.append(kind)
        return kind is KeyError


PROGRAMS = textwrap.dedent("""
    def fact(n):
        if n <= 0:
            return 1
        return n * fact(n - 1)

    def fib(n):
        return n if n < 2 else fib(n - 1) + fib(n - 2)

    def ackermann(m, n):
        if m == 0:
            return n + 1
        if n == 0:
            return ackermann(m - 1, 1)
        return ackermann(m - 1, ackermann(m, n - 1))

    def held(n, log):
        with log as length:
            if n < 0:
                raise KeyError(n)
            if n == 0:
                raise ValueError(n)
            return held(n - 2, log) + length
        return -1

    def even(n):
        return True if n <= 0 else odd(n - 1)

    def odd(n):
        return False if n <= 0 else even(n - 1)

    def hanoi(n, a, b, c, out):
        if n == 0:
            return
        hanoi(n - 1, a, c, b, out)
        out.append((a, c))
        hanoi(n - 1, b, a, c, out)

    def quick(xs):
        if len(xs) < 2:
            return xs
        first, rest = xs[0], xs[1:]
        after = quick([x for x in rest if x >= first])
        return [*quick([x for x in rest if x < first]), first, *after]

    def merged(xs):
        if len(xs) < 2:
            return xs
        a, b = merged(xs[: len(xs) // 2]), merged(xs[len(xs) // 2 :])
        out = []
        i = j = 0
        while i < len(a) or j < len(b):
            if j == len(b) or (i < len(a) and a[i] <= b[j]):
                out.append(a[i])
                i += 1
            else:
                out.append(b[j])
                j += 1
        return out

    def permuted(xs, start, out):
        if start == len(xs):
            out.append([*xs])
        for i in range(start, len(xs)):
            xs[start], xs[i] = xs[i], xs[start]
            permuted(xs, start + 1, out)
            xs[start], xs[i] = xs[i], xs[start]

    def found(left, right, i, key, path):
        if i < 0:
            return False
        path.append(i)
        if i == key or found(left, right, left[i], key, path):
            return True
        return found(left, right, right[i], key, path)

    def rebound(n, xs, k=1):
        if n <= 0:
            return k
        a = len(xs)
        b = sum([rebound(n // 2, xs, k=(a := n)) + v for v in (a, n, 1) if k % 2])
        xs.append(b)
        return a

    def widest(n, k):
        if n <= 0:
            return k
        return max(sum(widest(n - w, k) - v for v in (k, 1) for w in [1, 2]) for _ in range(2))

    def deep(n, *, step=2):
        return 0 if n <= 0 else 1 + deep(n - step, step=step)

    def shouted(n):
        return "." if not n else f"{n}{shouted(n - 1)!r}{n:03}"

    def leaves(tree):
        if isinstance(tree, int):
            return [tree]
        return [leaf for child in tree for leaf in leaves(child)]

    def height(tree):
        return 0 if isinstance(tree, int) else 1 + max(height(child) for child in tree)

    def holds(tree, key, seen):
        seen.append(tree)
        return tree == key if isinstance(tree, int) else any(holds(t, key, seen) for t in tree)

    def positive(tree, seen):
        seen.append(tree)
        return tree > 0 if isinstance(tree, int) else all([positive(t, seen) for t in tree])

    def numbered(tree, path, out):
        for i, child in enumerate(tree):
            if isinstance(child, int):
                out.append((*path, i, child))
                if child < 0:
                    break
            else:
                numbered(child, (*path, i), out)
        else:
            out.append(path)
        return {i: numbered(t, (), []) for i, t in enumerate(tree) if not isinstance(t, int)}

    def alike(a, b):
        if isinstance(a, int) or isinstance(b, int):
            return a == b
        for x, y in zip(a, b):
            if not alike(x, y):
                return False
        return len(a) == len(b)

    def hidden(n):
        return 1 if n <= 0 else n + sum(hidden(n) for n in range(n))

    def grown(xs):
        for x in xs:
            if x > 0:
                xs.append(x - 2)
                grown([x - 3])
        return xs

    def met_twice(n, k):
        if n <= 0:
            return 5
        r = k
        if r > 10:
            r = sum([met_twice(n // 2, 2) + j for j in (1, 2)]) % 97
        else:
            r = met_twice(n - 1, k % 5)
        return 3 * r - met_twice(n // 2, k)

    def searched(tree, key, i, path):
        if i >= len(tree):
            return False
        path.append(i)
        if searched(tree, key, 2 * i + 1, path):
            return True
        if tree[i] == key:
            return searched(tree, key, 2 * i + 2, path) or i
        return searched(tree, key, 2 * i + 2, path)

    def counted_down(n, out):
        if n > 0:
            counted_down(n - 1, out)
            out.append(n)
            if n > 2:
                counted_down(n - 2, out)

    def failing(n):
        if n == 0:
            raise KeyError("end")
        return failing(n - 1) + 1

    def last_found(n, xs, out):
        for i in range(len(xs) - n):
            found = n if n <= 0 else last_found(n - 1, xs, out) + i
        out.append(n)
        return out.append("called") or found

    def sometimes_set(n, out):
        if n % 3:
            a = n
        if n <= 0:
            return 0
        r = k = 0
        try:
            r = sometimes_set(n - 1, out) + len(out[:a])
            out.append([out.append("first"), a])
        except NameError as error:
            out.append(str(error))
            r = 1
        while n < 5 and (k := k + 1) * a < n:
            out.append(k)
        if n == 4:
            out[a] = -a
        a += r
        return {out.append("key"): 1, a: [a, r]}[a][0]
""")

TREES: list[Any] = [1, [], [4], [[1, 2], [3, [4, -5]], 6], [[[[1]]], 2, [-3, []]]]
CALLS: list[tuple[str, list[Any]]] = [
    ("fact", [(0,), (1,), (7,), ("x",)]),
    ("fib", [(0,), (1,), (2,), (12,)]),
    ("rebound", [(0, []), (1, [3]), (5, [])]),
    ("widest", [(0, 4), (1, 2), (3, 5)]),
    ("ackermann", [(0, 3), (2, 3), (1, 0)]),
    ("even", [(0,), (1,), (30,), (31,)]),
    ("odd", [(0,), (1,), (8,)]),
    ("hanoi", [(0, 1, 2, 3, []), (1, 1, 2, 3, []), (5, 1, 2, 3, [])]),
    ("quick", [([],), ([3],), ([3, 1, 2, 3, 9, -1, 4],), ([2, "a"],)]),
    ("merged", [([],), ([3],), ([3, 1, 2, 3, 9, -1, 4],)]),
    ("permuted", [([], 0, []), ([1], 0, []), ([1, 2, 3, 4], 0, [])]),
    ("found", [([1, 2, -1, -1], [3, -1, -1, -1], 0, key, []) for key in (0, 2, 3, 5)]),
    ("deep", [(0,), (1,), (9,)]),
    ("shouted", [(0,), (1,), (4,)]),
    ("leaves", [(tree,) for tree in TREES]),
    ("height", [(tree,) for tree in TREES]),
    ("holds", [(tree, key, []) for tree in TREES for key in (1, 4, 9)]),
    ("positive", [(tree, []) for tree in TREES]),
    ("numbered", [(tree, (), []) for tree in TREES[1:]]),
    ("alike", [(a, b) for a in TREES for b in TREES]),
    ("hidden", [(0,), (1,), (5,)]),
    ("grown", [([],), ([5, 1, 4],)]),
    ("met_twice", [(n, k) for n in range(6) for k in (1, 20)]),
    ("searched", [(list(range(n)), 3, 0, []) for n in (0, 1, 4, 9)]),
    ("counted_down", [(0, []), (1, []), (6, [])]),
    ("failing", [(0,), (4,), (-1.5,)]),
    ("last_found", [(n, [0] * k, []) for n in (0, 1, 3) for k in (0, 1, 2, 5)]),
    ("sometimes_set", [(n, []) for n in range(9)]),
    ("held", [(n, Held()) for n in (0, 1, 4, 5)]),
]


@pytest.mark.parametrize("boxed", [False, True], ids=["", "boxed"])
@pytest.mark.parametrize(("name", "calls"), CALLS, ids=[name for name, _ in CALLS])
def test_same_results(name: str, calls: list[Any], boxed: bool) -> None:
    text = loop_of(PROGRAMS, name, boxed=boxed)
    assert not re.search(rf"\b{name}\(", re.sub(r"#.*", "", text).replace(f"def {name}(", ""))
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    exec(PROGRAMS, before)
    exec(text, after)
    for arguments in calls:
        expected, got = run(before, name, arguments), run(after, name, arguments)
        if expected[0] is RecursionError:
            assert got[0] is RecursionError
        else:
            assert got == expected, text


def picture_of(module: Any) -> tuple[str, str]:
    """Return the two columns of the picture in a pass's docstring."""
    lines = module.__doc__.split("\n\n")[1].split("\n")
    left = "\n".join(line[4:42].rstrip() for line in lines).rstrip() + "\n"
    return left, "\n".join(line[42:] for line in lines) + "\n"


@pytest.mark.parametrize(("module", "name"), [(frames, "count"), (descents, "fact")])
def test_the_picture(module: Any, name: str) -> None:
    before, after = picture_of(module)
    made = re.sub(r"  # .*|'maximum.*'", "", loop_of(before, name))
    assert made == after.replace("(...)", "()")


def test_two_calls_are_one_loop_without_a_question() -> None:
    text = loop_of(PROGRAMS, "fib")
    assert text.count("while ") == 5
    assert "if block" not in text
    assert len(re.findall(r"returns.append\(1\)", text)) == 2


def test_of_many_blocks_each_test_leaves_half() -> None:
    calls = "\n".join(f"    k = len(k) and f(k[{i}:])" for i in range(20))
    text = loop_of(f"def f(k):\n{calls}\n    return k\n", "f")
    lines = [line for line in text.splitlines() if " # line" in line]
    blocks = len([line for line in lines if re.match(r" *block = \d", line)])
    deepest = max(len(line) - len(line.lstrip()) for line in lines) // 4
    assert blocks > 20
    assert deepest < 10, text


def test_a_call_at_the_end_of_what_returns_nothing_needs_no_frame() -> None:
    assert "returns" not in loop_of(PROGRAMS, "hanoi")


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("return f(*n)", "has a star"),
        ("return f(n, n)", "do not fit"),
        ("return f(m=n)", "do not fit"),
        ("return f()", "do not fit"),
        ("if n:\n        x = 1\n    f(0)\n    return [x for _ in n]", "`x` may not be set here"),
        ("n -= 1\n    f(n)\n    return lambda: n", "reads `n`"),
        ("return (f(x) for x in n)", "in a function or comprehension inside"),
        ("return max((f(x) for x in n), key=n)", "in a function or comprehension inside"),
        ("return (lambda: f(n - 1))()", "in a function or comprehension inside"),
        ("del n[f(0)]", "where none"),
    ],
)
def test_refused(body: str, why: str) -> None:
    with pytest.raises(Unframed, match=why) as refused:
        loop_of(f"def f(n):\n    {body}\n", "f")
    assert refused.value.lineno is not None


@pytest.mark.parametrize("start", range(0, 200, 50))
def test_random_programs(start: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(50, start) == 0, capsys.readouterr().out


def test_random_programs_call_each_other() -> None:
    texts = [program(seed) for seed in range(50)]
    assert sum("def f2" in text and "f2(n" in text.split("def f2")[0] for text in texts) > 5
    assert sum("for " in text for text in texts) > 5


def test_a_generator_in_a_finally_reads_the_names_of_its_call() -> None:
    assert difference(program(30987)) is None
