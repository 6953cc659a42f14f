"""What the programs about aliases are made of: values by kind, and statements, as templates.

A kind says what a name holds:

    arr    float32[3]                       ints   a list of ints
    whole  int64[3]                         rows   a list of arr
    dyn    float32[len(x)]                  nest   a list of lists of ints
    part   float32[2], mostly a view        dct    a dict of arr
    var    a Variable of float32[3]         obj    a `Box`
    num    an int                           tup    a tuple of arr, ints and an int
    opt    an arr or None                   it     an iterator over ints
    col    a Variable of float32[len(x)]    rit    an iterator over arrs
    mat    float32[2, 3]                    fun    a function of an int that changes an arr

In a template `{kind}` is an expression, `{@kind}` a name in scope (the same one throughout, another
for `{@kind'}`), `{=kind}` a name that is bound. `self.buf` and the like hold what the chain has.
"""

from __future__ import annotations

__all__ = ["EXPRESSIONS", "HEAD", "MADE", "NAMES", "SAME", "SHOWN", "STATEMENTS", "TESTS"]

HEAD = """
import copy
import chainer
import chainer.functions as F
import numpy as np


class Box:
    def __init__(self, a, k):
        self.a = a
        self.k = k
        self.l = [k]
        self.other = None

    def bump(self, k):
        self.a += k
        self.k += 1
        return self

    def put(self, a):
        self.a = a
        return self.k

    def get(self):
        return self.a


ABOVE = np.array([[1], [2]], np.float32)


def changer(a):
    count = 0

    def change(e):
        nonlocal count
        count += e
        a[0] += count
        return a

    return change


def touch(a, k):
    a += k
    return a


def pick(a, b, test):
    if test:
        return a
    return b


def store(items, e):
    items.append(e)
    return len(items)


def raised(items, k):
    for e in items:
        yield e + k


def taken(items):
    return items.pop(0) if items else None


def filled(e, items=None):
    items = [] if items is None else items
    items.append(e)
    return items


class Kept:
    def __init__(self, a):
        self.a = a

    def __enter__(self):
        self.a += 1
        return self.a

    def __exit__(self, *_):
        self.a *= 2


class Model(chainer.Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.W = chainer.Parameter(np.array([1, -2, 3], np.float32))
        self.buf = np.arange(3, dtype=np.float32)
        self.pair = self.buf
        self.ibuf = np.arange(3)
        self.state = chainer.Variable(np.ones(3, np.float32))
        self.items = [1, 2]
        self.kept = [self.buf]
        self.box = Box(np.zeros(3, np.float32), 1)
        self.table = {"a": self.buf}
        self.grid = np.ones((2, 3), np.float32)
        self.h = None
        self.count = 0
"""

#: The names of each kind.
NAMES = {
    "arr": "a b d", "whole": "j p q", "dyn": "u w", "part": "v t", "var": "g h", "num": "s z",
    "opt": "best prev", "col": "hc gc", "ints": "ks js", "rows": "l m", "nest": "nn mm",
    "mat": "ma mb", "fun": "f1 f2", "dct": "dd de", "obj": "o r", "tup": "tt tu",
    "it": "it jt", "rit": "rt",
}  # fmt: skip

#: What a name of a kind begins with.
MADE = {
    "arr": [
        *("np.arange(3, dtype=np.float32)", "np.zeros(3, np.float32)", "y * 1", "y", "self.buf"),
        *("np.array([1, 2, 3], np.float32)", "self.W.array", "y + n", "self.pair", "{@arr}"),
        *("np.full(3, n, np.float32)", "np.ones(3, np.float32)", "{@arr}[:]", "self.box.a"),
    ],
    "whole": [
        *("np.arange(3)", "np.zeros(3, np.int64)", "k * 1", "k", "self.ibuf", "{@whole}"),
        *("np.array([3, 1, 2])", "k + n", "np.arange(n, n + 3)", "np.full(3, 7)"),
    ],
    "dyn": ["x", "x * 1", "np.zeros_like(x)", "np.zeros(len(x), np.float32)", "x + n", "{@dyn}"],
    "mat": [
        *("np.zeros((2, 3), np.float32)", "np.stack([{@arr}, {@arr'}])", "y.reshape(1, 3) + ABOVE"),
        *("np.arange(6, dtype=np.float32).reshape(2, 3)", "{@mat}", "{@mat}[::-1]", "self.grid"),
    ],
    "fun": ["changer({@arr})", "lambda e: touch({@arr}, e)", "changer({@arr'})", "{@fun}"],
    "part": ["{@arr}[1:]", "{@arr}[:2]", "{@arr}[::2]", "{@part}", "y[:2]", "self.buf[1:]"],
    "var": [
        *("chainer.Variable({@arr})", "self.W", "F.relu(y)", "chainer.Variable(y * 2)"),
        *("self.state", "{@var}", "chainer.Variable(np.zeros(3, np.float32))"),
    ],
    "col": ["chainer.Variable(x)", "F.relu(x)", "{@col}", "chainer.Variable({@dyn})"],
    "num": ["0", "n", "1", "len(x)"],
    "opt": ["None", "None", "{@arr}", "self.h"],
    "ints": ["[]", "[1, 2]", "[n]", "[n, 1]", "{@ints}", "self.items", "list(range(n))"],
    "rows": ["[]", "[{@arr}]", "[{@arr}, {@arr'}]", "[{@arr}, {@arr}]", "{@rows}", "self.kept"],
    "nest": ["[[]]", "[{@ints}]", "[{@ints}, {@ints'}]", "[[1], [n]]", "[{@ints}, {@ints}]"],
    "dct": ["{'a': {@arr}}", "{}", "{'a': {@arr}, 'b': {@arr'}}", "{@dct}", "self.table"],
    "obj": ["Box({arr}, 1)", "Box({@arr}, n)", "{@obj}", "self.box", "Box({@arr}, 2)"],
    "tup": ["({@arr}, {@ints}, n)", "({@arr'}, {@ints'}, 1)", "{@tup}"],
    "it": ["iter({@ints})", "iter(range(n))", "reversed({@ints})", "raised({@ints}, n)"],
    "rit": ["iter({@rows})", "iter([{@arr}, {@arr'}])", "reversed({@rows})"],
}

#: Expressions of a kind, beside the names in scope, by how often they are drawn.
EXPRESSIONS: dict[str, list[tuple[int, str]]] = {
    "arr": [
        (20, "{@arr}"),
        (3, "{@arr} if {test} else {@arr'}"),
        (2, "{@arr} + 1"),
        (2, "{@arr} * 2"),
        (2, "{@arr} + {@arr'}"),
        (1, "np.maximum({@arr}, {@arr'})"),
        (1, "{@arr}[:]"),
        (1, "{@arr}[::-1]"),
        (1, "{@arr}.reshape(3)"),
        (1, "np.asarray({@arr})"),
        (1, "{@arr}.astype(np.float32, copy=False)"),
        (1, "{@arr}.copy()"),
        (1, "np.ascontiguousarray({@arr})"),
        (1, "{@arr}.reshape(1, 3)[0]"),
        (1, "np.arange(3, dtype=np.float32)"),
        (1, "np.zeros(3, np.float32)"),
        (1, "np.full_like({@arr}, {int})"),
        (1, "self.buf"),
        (1, "self.pair"),
        (2, "{@var}.array"),
        (1, "{@var}.data"),
        (2, "pick({@arr}, {@arr'}, {test})"),
        (2, "touch({@arr}, {int})"),
        (2, "{@obj}.a"),
        (1, "{@obj}.get()"),
        (1, "{@obj}.bump({int}).a"),
        (2, "{@tup}[0]"),
        (2, "{@dct}.get('a', {@arr})"),
        (1, "{@dct}['a'] if 'a' in {@dct} else {@arr}"),
        (2, "{@rows}[0] if {@rows} else {@arr}"),
        (2, "{@rows}[-1] if len({@rows}) > 1 else {@arr}"),
        (2, "{@arr} if {@opt} is None else {@opt}"),
        (1, "next({@rit}, {@arr})"),
        (1, "F.reshape({@arr}, (3,)).array"),
        (1, "[{@arr}, {@arr'}][{int} % 2]"),
        (1, "({@arr}, {@arr'})[{test}]"),
        (1, "{@whole}.astype(np.float32)"),
        (1, "{@arr} + {@dyn}.sum()"),
        (4, "{@mat}[{int} % 2]"),
        (2, "{@mat}[0]"),
        (1, "{@mat}.reshape(-1)[:3]"),
        (1, "{@mat}.T[:, 1]"),
        (2, "{@fun}({int})"),
        (1, "max({@rows}, key=lambda e: float(e.sum())) if {@rows} else {@arr}"),
        (1, "[e for e in ({@arr}, {@arr'})][-1]"),
        (1, "next(iter({@dct}.values()), {@arr})"),
        (1, "{@arr}[None][0]"),
        (1, "np.split({@arr}, 1)[0]"),
        (1, "np.broadcast_to({@arr}, (3,)) + 0"),
    ],
    "whole": [
        (14, "{@whole}"),
        (3, "{@whole} if {test} else {@whole'}"),
        (2, "{@whole} + {int}"),
        (1, "{@whole}[:]"),
        (1, "{@whole}[::-1]"),
        (1, "np.asarray({@whole})"),
        (1, "{@whole}.copy()"),
        (2, "np.arange(3)"),
        (1, "np.zeros(3, np.int64)"),
        (1, "np.array([{int}, {int}, 1])"),
        (1, "self.ibuf"),
        (2, "pick({@whole}, {@whole'}, {test})"),
        (1, "touch({@whole}, {int})"),
        (1, "({@arr} > 1).astype(np.int64)"),
    ],
    "mat": [
        (6, "{@mat}"),
        (2, "{@mat} if {test} else {@mat'}"),
        (1, "{@mat}[::-1]"),
        (1, "{@mat}[:]"),
        (1, "{@mat} + 1"),
        (1, "np.stack([{@arr}, {@arr'}])"),
        (1, "np.zeros((2, 3), np.float32)"),
        (1, "{@mat}.reshape(2, 3)"),
        (1, "{@mat}.T.T"),
    ],
    "fun": [
        (3, "{@fun}"),
        (2, "{@fun} if {test} else {@fun'}"),
        (2, "changer({@arr})"),
        (1, "lambda e: touch({@arr}, e)"),
    ],
    "dyn": [
        (12, "{@dyn}"),
        (3, "{@dyn} if {test} else {@dyn'}"),
        (2, "{@dyn} + {int}"),
        (1, "{@dyn}[:]"),
        (1, "{@dyn}[::-1]"),
        (1, "np.zeros_like({@dyn})"),
        (1, "np.ones(len(x), np.float32)"),
        (1, "pick({@dyn}, {@dyn'}, {test})"),
        (1, "touch({@dyn}, {int})"),
        (1, "{@dyn} * {@arr}[0]"),
        (1, "{@dyn}.reshape(-1)"),
        (1, "{@col}.array"),
    ],
    "part": [
        (6, "{@part}"),
        (4, "{@arr}[1:]"),
        (2, "{@arr}[:2]"),
        (1, "{@arr}[::2]"),
        (1, "{@arr}[::-1][1:]"),
        (1, "{@part}[::-1]"),
        (1, "{@part} if {test} else {@part'}"),
        (1, "{@var}.array[1:]"),
        (1, "{@part} + 1"),
    ],
    "var": [
        (10, "{@var}"),
        (3, "{@var} if {test} else {@var'}"),
        (3, "chainer.Variable({@arr})"),
        (2, "F.relu({@var})"),
        (2, "{@var} + {@arr}"),
        (2, "{@var} * 2"),
        (1, "F.reshape({@var}, (3,))"),
        (1, "chainer.as_variable({@arr})"),
        (1, "chainer.as_variable({@var})"),
        (1, "self.W"),
        (1, "self.state"),
        (1, "pick({@var}, {@var'}, {test})"),
        (1, "F.identity({@var})"),
    ],
    "col": [
        (6, "{@col}"),
        (2, "{@col} if {test} else {@col'}"),
        (2, "chainer.Variable({@dyn})"),
        (1, "F.relu({@col})"),
        (1, "{@col} + {int}"),
    ],
    "num": [
        (5, "{int}"),
        (2, "{@num} + {int}"),
        (1, "{@num} * 2 % 7"),
        (1, "len({@rows})"),
        (1, "len({@ints})"),
        (1, "int({@arr}[0])"),
        (1, "int({@whole}.sum()) % 9"),
        (1, "{@obj}.k"),
        (1, "next({@it}, {int})"),
        (1, "{@ints}[-1] if {@ints} else {int}"),
        (1, "sum({@ints}) % 11"),
        (1, "store({@ints}, {int})"),
        (1, "{@tup}[2]"),
    ],
    "int": [
        (4, "1"),
        (3, "n"),
        (3, "2"),
        (3, "{@num}"),
        (1, "len(x)"),
        (6, "{@turn}"),
    ],
    "opt": [
        (4, "{@opt}"),
        (2, "None"),
        (4, "{@arr}"),
        (2, "{@arr} if {test} else None"),
        (2, "{@opt} if {test} else {@arr}"),
        (1, "{@dct}.get('b')"),
        (1, "taken({@rows})"),
        (1, "next({@rit}, None)"),
    ],
    "ints": [
        (8, "{@ints}"),
        (2, "{@ints} if {test} else {@ints'}"),
        (2, "[{int}, {int}]"),
        (1, "[]"),
        (1, "{@ints}[:]"),
        (1, "list({@ints})"),
        (1, "{@ints}[1:]"),
        (1, "[e + 1 for e in {@ints}]"),
        (1, "sorted({@ints})"),
        (1, "{@ints} + [{int}]"),
        (1, "{@nest}[0]"),
        (1, "{@nest}[-1]"),
        (1, "{@obj}.l"),
        (1, "{@tup}[1]"),
        (1, "list({@it})"),
        (1, "pick({@ints}, {@ints'}, {test})"),
        (1, "{@ints} or {@ints'}"),
        (1, "filled({int})"),
        (1, "filled({int}, {@ints})"),
    ],
    "rows": [
        (8, "{@rows}"),
        (2, "{@rows} if {test} else {@rows'}"),
        (2, "[{@arr}, {@arr'}]"),
        (1, "[]"),
        (1, "{@rows}[:]"),
        (1, "list({@rows})"),
        (1, "{@rows}[1:]"),
        (1, "[e + 1 for e in {@rows}]"),
        (1, "{@rows}[::-1]"),
        (1, "{@rows} + [{@arr}]"),
        (1, "copy.copy({@rows})"),
        (1, "copy.deepcopy({@rows})"),
        (1, "sorted({@rows}, key=lambda e: float(e[0]))"),
        (1, "[touch(e, 1) for e in {@rows}]"),
        (1, "list({@dct}.values())"),
        (1, "list({@mat})"),
        (1, "pick({@rows}, {@rows'}, {test})"),
    ],
    "nest": [(4, "{@nest}"), (2, "[{@ints}, {@ints'}]"), (1, "{@nest}[:]")],
    "dct": [
        (4, "{@dct}"),
        (2, "{'a': {@arr}}"),
        (1, "dict({@dct})"),
        (1, "{@dct} if {test} else {@dct'}"),
        (1, "copy.copy({@dct})"),
    ],
    "obj": [
        (8, "{@obj}"),
        (2, "{@obj} if {test} else {@obj'}"),
        (2, "Box({@arr}, {int})"),
        (1, "copy.copy({@obj})"),
        (1, "{@obj}.bump({int})"),
        (1, "pick({@obj}, {@obj'}, {test})"),
        (1, "self.box"),
        (1, "{@obj}.other or {@obj}"),
    ],
    "tup": [
        (3, "{@tup}"),
        (2, "({@arr}, {@ints}, {int})"),
        (1, "{@tup} if {test} else {@tup'}"),
    ],
    "it": [
        (2, "iter({@ints})"),
        (1, "iter(range({int} % 4))"),
        (1, "reversed({@ints})"),
        (1, "raised({@ints}, {int})"),
        (1, "(e + {int} for e in {@ints})"),
        (1, "map(abs, {@ints})"),
        (1, "{@it}"),
    ],
    "rit": [
        (2, "iter({@rows})"),
        (1, "reversed({@rows})"),
        (1, "(e + 1 for e in {@rows})"),
        (1, "iter([{@arr}, {@arr'}])"),
    ],
    "test": [
        (4, "c"),
        (2, "n > 1"),
        (1, "n % 2 == 0"),
        (1, "float(x.sum()) > 0"),
        (2, "y[0] > 0"),
        (1, "{@arr}[{int} % 3] > 1"),
        (2, "{@arr} is {@arr'}"),
        (1, "{@arr} is not {@arr'}"),
        (1, "{@whole} is {@whole'}"),
        (1, "{@dyn} is {@dyn'}"),
        (1, "{@var} is {@var'}"),
        (1, "{@rows} is {@rows'}"),
        (1, "{@ints} is {@ints'}"),
        (1, "{@obj} is {@obj'}"),
        (1, "{@opt} is None"),
        (1, "{@opt} is {@arr}"),
        (1, "len({@rows}) > 1"),
        (1, "len({@ints}) > {int} % 3"),
        (1, "{@ints}"),
        (1, "'b' in {@dct}"),
        (3, "{@turn} % 2 == 0"),
        (2, "{@turn} > 0"),
        (1, "len(x) > 1"),
        (1, "{@num} > 2"),
        (1, "not {test}"),
        (1, "{test} and {test}"),
    ],
}
TESTS = "test"

#: Statements by how often they are drawn; `{grow}` marks what makes a list longer.
STATEMENTS: list[tuple[int, str]] = [
    # names
    (14, "{=arr} = {arr}"),
    (8, "{=whole} = {whole}"),
    (6, "{=dyn} = {dyn}"),
    (8, "{=part} = {part}"),
    (8, "{=var} = {var}"),
    (4, "{=col} = {col}"),
    (3, "{=num} = {num}"),
    (6, "{=opt} = {opt}"),
    (5, "{=ints} = {ints}"),
    (6, "{=rows} = {rows}"),
    (3, "{=nest} = {nest}"),
    (4, "{=dct} = {dct}"),
    (6, "{=obj} = {obj}"),
    (4, "{=tup} = {tup}"),
    (4, "{=it} = {it}"),
    (3, "{=rit} = {rit}"),
    (4, "{@arr}, {@arr'} = {@arr'}, {@arr}"),
    (3, "{@whole}, {@whole'} = {@whole'}, {@whole}"),
    (2, "{@dyn}, {@dyn'} = {@dyn'}, {@dyn}"),
    (2, "{@ints}, {@ints'} = {@ints'}, {@ints}"),
    (2, "{@rows}, {@rows'} = {@rows'}, {@rows}"),
    (2, "{@obj}, {@obj'} = {@obj'}, {@obj}"),
    (2, "{@var}, {@var'} = {@var'}, {@var}"),
    (2, "{=arr} = {=arr} = {arr}"),
    (2, "{=arr}, {=ints}, {=num} = {@tup}"),
    # arrays
    (4, "{=mat} = {mat}"),
    (3, "{=fun} = {fun}"),
    (2, "{@mat}, {@mat'} = {@mat'}, {@mat}"),
    (4, "{@mat} += {int}"),
    (4, "{@mat}[{int} % 2] += {int}"),
    (3, "{@mat}[{int} % 2] = {@arr}"),
    (2, "{@mat}[:, {int} % 3] = {int}"),
    (2, "{@mat}[{int} % 2, {int} % 3] += 1"),
    (2, "{@mat}[...] = {@mat'}"),
    (1, "{@mat}[{@mat} > 2] = {int}"),
    (3, "for e in {@mat}:\n    e += {int}"),
    (3, "{@fun}({int})"),
    (1, "with Kept({@arr}) as e:\n    e[0] += {int}"),
    (1, "try:\n    {@arr} += {int}\nfinally:\n    {@arr'} += 1"),
    (1, "for key, e in {@dct}.items():\n    e += {int}"),
    (1, "for e in {@dct}.values():\n    e[0] = {int}"),
    (1, "if {@rows}:\n    {=arr}, *{=rows} = {@rows}"),
    (1, "[touch(e, {int}) for e in {@rows}]"),
    (1, "for e in ({@arr}, {@arr'}):\n    e += {int}"),
    (1, "for e in {@rows}[:]:\n    e[{int} % 3] += 1"),
    (8, "{@arr} += {int}"),
    (4, "{@arr} += {@arr'}"),
    (3, "{@arr} *= 2"),
    (5, "{@arr}[{int} % 3] = {int}"),
    (4, "{@arr}[{int} % 3] += {int}"),
    (3, "{@arr}[...] = {@arr'}"),
    (3, "{@arr}[:] = {int}"),
    (3, "{@arr}[1:] += {int}"),
    (2, "{@arr}[1:] = {@arr'}[:2]"),
    (2, "{@arr}[{@arr'} > 1] = {int}"),
    (1, "{@arr}.fill({int})"),
    (1, "np.add({@arr}, {int}, out={@arr'})"),
    (1, "touch({@arr}, {int})"),
    (1, "{@arr}[{@whole} % 3] = {int}"),
    (5, "{@whole} += {int}"),
    (3, "{@whole}[{int} % 3] = {int}"),
    (2, "{@whole}[...] = {@whole'}"),
    (2, "{@whole}[1:] += {int}"),
    (2, "{@whole} *= 2"),
    (5, "{@dyn} += {int}"),
    (3, "{@dyn}[...] = {@dyn'}"),
    (2, "{@dyn}[1:] += {int}"),
    (2, "{@dyn}[:1] = {int}"),
    (2, "{@dyn}[{@dyn} > 1] = 0"),
    (5, "{@part} += {int}"),
    (3, "{@part}[0] = {int}"),
    (2, "{@part}[...] = {@part'}"),
    (3, "{@var}.array[{int} % 3] = {int}"),
    (3, "{@var}.array += {int}"),
    (2, "{@var}.array[...] = {@arr}"),
    (2, "{@var}.array = {@arr}"),
    (2, "{@var} += {@arr}"),
    (2, "{@col}.array += {int}"),
    # lists and dicts
    (5, "{@ints}.append({int})"),
    (2, "{@ints} += [{int}]"),
    (1, "{@ints} = {@ints} + [{int}]"),
    (1, "{@ints}.insert(0, {int})"),
    (1, "{@ints}.extend([{int}, {int}])"),
    (2, "if {@ints}:\n    {@ints}.pop()"),
    (2, "if {@ints}:\n    {@ints}[0] += {int}"),
    (1, "if {@ints}:\n    del {@ints}[0]"),
    (1, "{@ints}.reverse()"),
    (1, "{@ints}[1:] = []"),
    (5, "{@rows}.append({@arr})"),
    (3, "{@rows}.append({@arr} + {int})"),
    (2, "{@rows} += [{@arr}]"),
    (1, "{@rows} = {@rows} + [{@arr}]"),
    (1, "{@rows}.insert(0, {@arr})"),
    (3, "if {@rows}:\n    {@rows}[0] += {int}"),
    (2, "if {@rows}:\n    {@rows}[-1] = {@arr}"),
    (2, "if {@rows}:\n    {=arr} = {@rows}.pop()"),
    (1, "if {@rows}:\n    {@rows}[0][{int} % 3] = {int}"),
    (1, "{@rows}.reverse()"),
    (3, "{@nest}[0].append({int})"),
    (2, "{@nest}[-1] = {@ints}"),
    (1, "{@nest}.append({@ints})"),
    (4, "{@dct}['a'] = {@arr}"),
    (3, "{@dct}['b'] = {@arr}"),
    (2, "if 'a' in {@dct}:\n    {@dct}['a'] += {int}"),
    (1, "{@dct}.setdefault('a', {@arr})"),
    (1, "{@dct}.pop('b', None)"),
    (1, "{@dct}.update({@dct'})"),
    # objects
    (4, "{@obj}.a = {@arr}"),
    (4, "{@obj}.a += {int}"),
    (3, "{@obj}.k += 1"),
    (2, "{@obj}.l.append({int})"),
    (2, "{@obj}.l = {@ints}"),
    (3, "{@obj}.bump({int})"),
    (1, "{@obj}.put({@arr})"),
    (1, "{@obj}.other = {@obj'}"),
    (1, "{@obj}.a, {@obj'}.a = {@obj'}.a, {@obj}.a"),
    (2, "{@tup}[0][0] = {int}"),
    (2, "{@tup}[1].append({int})"),
    (2, "if {@opt} is not None:\n    {@opt} += {int}"),
    (1, "if {@opt} is None:\n    {@opt} = {@arr} + 1"),
    (2, "self.buf += {int}"),
    (2, "self.buf[{int} % 3] = {int}"),
    (1, "self.buf = {@arr}"),
    (1, "self.h = {@arr}"),
    (1, "self.W.array[{int} % 3] = {int}"),
    (1, "self.box.bump({int})"),
    (1, "self.items.append({int})"),
    (1, "self.kept.append({@arr})"),
    (1, "self.table['b'] = {@arr}"),
    (1, "self.count += {int}"),
    (1, "self.ibuf[{int} % 3] += {int}"),
    # iterators
    (3, "{@num} += next({@it}, {int})"),
    (2, "for e in {@it}:\n    {@num} += e\n    if {test}:\n        break"),
    (1, "for e, f in zip({@it}, {@ints}):\n    {@num} += e * f"),
    (2, "for e in {@rit}:\n    e += {int}\n    break"),
    (1, "{@ints}.extend({@it})"),
    # what can be observed
    (3, "log.append({@arr} is {@arr'})"),
    (2, "log.append({@whole} is {@whole'})"),
    (2, "log.append(len({@rows}))"),
    (2, "log.append({test})"),
    (2, "log.append(float({@arr}.sum()))"),
    (2, "{@num} += 1 if {test} else 10"),
]

#: What is returned of a name.
SHOWN = {
    "obj": "({0}.a, {0}.k, {0}.l, {0}.other is {0}, {0}.other is None)",
    "it": "list({0})",
    "rit": "list({0})",
    "fun": "{0}(1) + 0",
}

#: What programs ask at their end.
SAME = [
    *("{@arr} is {@arr'}", "{@whole} is {@whole'}", "{@dyn} is {@dyn'}", "{@var} is {@var'}"),
    *("{@rows} is {@rows'}", "{@ints} is {@ints'}", "{@obj} is {@obj'}", "{@dct} is {@dct'}"),
    *("{@opt} is {@arr}", "{@obj}.a is {@arr}", "{@tup}[0] is {@arr}", "{@tup}[1] is {@ints}"),
    *("{@dct}.get('a') is {@arr}", "[e is {@arr} for e in {@rows}]", "{@obj}.l is {@ints}"),
    *("[e is {@ints} for e in {@nest}]", "{@var}.array is {@arr}", "{@obj}.other is {@obj'}"),
    *("self.buf is {@arr}", "self.h is {@arr}", "self.W is {@var}", "self.box is {@obj}"),
    *("{@fun} is {@fun'}", "{@mat} is {@mat'}", "{@fun}(0) is {@arr}"),
    *("{@part} is {@part'}", "{@obj}.a is {@obj'}.a", "{@tup} is {@tup'}"),
    *("len({@rows})", "list({@dct})", "self.ibuf is {@whole}", "self.items is {@ints}"),
]
