"""Programs of plain Python."""

from __future__ import annotations

from tests.language.messages import Row

THING = "class Thing:\n    def __init__(self, value):\n        self.value = value"
COUNT = """\
class Count:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n == 0:
            raise StopIteration
        self.n -= 1
        return self.n"""
BOX = """\
class Box:
    def __init__(self, value):
        self.value = value

    def __deepcopy__(self, memo):
        return Box(self.value)"""
SCALE = """\
@dataclasses.dataclass
class Scale:
    by: float
    at: dataclasses.InitVar = 0"""
POINT = """\
class Point:
    __slots__ = ('a',)

    def __init__(self, a):
        self.a = a"""

LABEL = """\
class Label:
    def __init__(self, owner):
        self.owner = owner

    def __repr__(self):
        return str(self.owner)

MODEL = {'label': None}
MODEL['label'] = Label(MODEL)"""

ROWS: list[str | Row] = [
    Row("MODEL['k'] = 1\nreturn x * len(str(MODEL['label']))", above=LABEL),
    "return n + 2 ** 70",
    "return 'a' + n",
    "return x + self",
    "return n is 3",
    "return round(n / 3, n)",
    "return round(n, -19)",
    "return round(0.5 * n, 30)",
    "return x * math.ldexp(1.5, n)",
    "return slice(n).indices(3)",
    "return x * len('abc'[n:])",
    "return [x * v for v in itertools.islice(l, n, None)]",
    "return [x * k for k, _ in itertools.groupby([n, 1, 1])]",
    "return [a * b for a, b in zip(l, l, strict=c)]",
    "return list(itertools.count())",
    "return sorted(l, key=functools.cmp_to_key(lambda a, b: b - a))",
    "return l.index(1.5, 1)",
    "names = {1, 2}\nreturn x * names.pop()",
    "g = (v * 2 for v in l)\nfor v in g:\n    if v > n:\n        break\nreturn list(g)",
    Row("return list(Count(100000))", above=COUNT),
    Row("for k in Count(5):\n    if k < n:\n        break\nreturn k", above=COUNT),
    "options = {'axis': 0} if c else None\nreturn F.sum(x, **options)",
    "return copy.deepcopy([x], {})",
    Row("return copy.deepcopy(Box(x)).value", above=BOX),
    Row("return copy.copy(Point(x)).a", above=POINT),
    "counts = collections.defaultdict(int)\ncounts['a'] += n\nreturn x * copy.copy(counts)['a']",
    "return vars(np)['pi'] * x",
    Row("one = Thing(x)\nif c:\n    one.more = n\nreturn one", above=THING),
    Row("one = Thing(x)\none.me = one\nreturn one", above=THING),
    Row(
        "ONE.value = 4\nreturn x * operator.attrgetter('value')(ONE)",
        above=f"{THING}\n\n\nONE = Thing(3)",
    ),
    Row(
        "return x * Scale(n).by",
        above=SCALE,
    ),
    Row("return Pair(x, x)[n:]", above="Pair = collections.namedtuple('Pair', 'a b')"),
    "a = [1, 2, 3, 4]\na[n::2] = [0, 0]\nreturn a",
    "return [1] * np.int64(n)",
    "raise ValueError if c else KeyError",
    Row(
        "if n > 2:\n    raise self.error from None\nreturn x",
        init="self.error = ValueError('too long')",
    ),
    "f = lambda v: v\nreturn f.__doc__",
    "try:\n    if n > 3:\n        raise ValueError('a')\nexcept ValueError:\n    x = -x\nreturn x",
    "try:\n    y = x[n]\nexcept Exception:\n    y = x[0]\nreturn y",
    "a, b = x[:1], x[:1]\nreturn (a if c else b) is b",
    "t = u = (1, n)\nfor _ in range(n):\n    t = (1, n)\nreturn t is u",
    "u, v = chainer.Variable(x), chainer.Variable(x)\nreturn (u if c else v) is v",
    "match {'a': x, 'b': n}:\n    case {math.pi: v, 'a': w}:\n        return v\nreturn x",
    Row(
        "return again(x, n)",
        above="def again(v, k):\n    return again(v, k + 1) if k else again(v, 1)",
    ),
    Row(
        "for f in names(n):\n    x = f(x)\nreturn x",
        above="def names(k):\n    return (f for f in [F.relu]) if k else iter([F.tanh])",
    ),
    "return np.base_repr(n)",
    "return (i async for i in l)",
    Row(
        "return list(reversed(Pair((n, 1))))",
        above="class Pair(tuple):\n    def __len__(self):\n        return 1",
    ),
    "b = bytearray(b'ab')\nb[0] = n\nreturn x",
    "b = bytearray(b'ab')\ndel b[n]\nreturn x",
    "return pow(0.5 * n, 2, 7)",
    "with chainer.using_config('dtype', np.float64 if c else np.float32):\n"
    "    w = chainer.initializers.generate_array(chainer.initializers.One(), (3,), np)\n"
    "return x * w",
    "d = {1: x}\nreturn d.pop(n, x)",
    Row("Thing.k = n\nreturn x * Thing.__dict__['k']", above=THING),
    Row("one = Thing(x)\none.__class__ = int\nreturn one.value", above=THING),
    Row("Thing.__call__ = lambda thing: n\nreturn x * Thing(x)()", above=THING),
    Row(
        "with Shift():\n    return F.tanh(x)",
        above="""\
class Shift(chainer.FunctionHook):
    name = 'shift'

    def forward_preprocess(self, function, in_data):
        in_data[0][...] += 1""",
    ),
    "d = types.MappingProxyType({'a': 1})\nd['a'] = n\nreturn x",
    Row("self.h = Thing(x)\nreturn x", above=THING, init="self.h = None", options={"state": True}),
    Row("self.h = (self.h, x)\nreturn x", init="self.h = None", options={"state": True}),
    Row(
        "self.w[0] = n\nself.h = self.w[1]\nreturn x",
        init="self.w = np.zeros((2, 3), 'f')\nself.h = self.w[0]",
        options={"state": True},
    ),
]
