"""Programs of plain Python."""

from __future__ import annotations

from tests.language.messages import Row

THING = """\
class Thing:
    def __init__(self, value):
        self.value = value"""
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

ORDERED = """\
class Ordered(collections.OrderedDict):
    def __setitem__(self, key, value):
        super().__setitem__(key, value * 2)


class Default(collections.defaultdict):
    def __setitem__(self, key, value):
        super().__setitem__(key, value * 2)
"""
LABEL = """\
class Label:
    def __init__(self, owner):
        self.owner = owner

    def __repr__(self):
        return str(self.owner)

MODEL = {'label': None}
MODEL['label'] = Label(MODEL)"""

AGAIN = """\
class Again:
    def __init__(self, items):
        self.items = items

    def __iter__(self):
        self.place = 0
        return self

    def __next__(self):
        if self.place == len(self.items):
            raise StopIteration
        self.place += 1
        return self.items[self.place - 1]"""
SEEN = """\
class Seen:
    def __init__(self):
        self.seen = []

    def __iter__(self):
        for i in range(3):
            self.seen.append(i)
            yield i"""
BARS = """
class Bars:
    __contains__ = None

    def __iter__(self):
        return iter([1, 2])
"""
HAS_A = """
import typing

@typing.runtime_checkable
class HasA(typing.Protocol):
    a: int

class Named:
    def __init__(self, n):
        if n > 1:
            self.a = n
"""
SCALED = """
class Scale:
    def __init__(self, n):
        self.n = n

    def __rmul__(self, other):
        return other * self.n
"""
CLOSES = """
class Closes:
    def __init__(self, n):
        self.n = n

    def __del__(self):
        print('closed')
"""
MAY_GIVE = """
class MayGive:
    def __init__(self, n):
        return None if n > 1 else n
"""
LOGGED = """\
LOG = []

@functools.cache
def logged(i):
    LOG.append(i)
    return i"""
ROWS_OF = """\
@functools.cache
def rows_of(i):
    return [i, i]"""

MANAGER = """\
@contextlib.contextmanager
def scaled(n):
    yield n"""

NINES = """\
class Nines(list):
    def __iter__(self):
        return iter([9])"""

ROWS: list[str | Row] = [
    Row("return x * sum(Nines([1])) + x * bytes(Nines([1, 2]))[0]", above=NINES),
    Row(
        """
        first = scaled.__wrapped__(n).send(None)
        with scaled(n) as k:
            return x * k + first
        """,
        above=MANAGER,
    ),
    Row(
        """
        MODEL['k'] = 1
        return x * len(str(MODEL['label']))
        """,
        above=LABEL,
    ),
    "return n + 2 ** 70",
    "return 'a' + n",
    "return x + self",
    Row("return x * len(str(n in Bars()))", above=BARS),
    Row("return x * isinstance(Named(n), HasA)", above=HAS_A),
    Row("return x * (MayGive(n) is None)", above=MAY_GIVE),
    Row("return x * Scale(n)", above=SCALED),
    Row("return x * Closes(n).n", above=CLOSES),
    "return n is 3",
    "return round(n / 3, n)",
    "return round(n, -19)",
    "return round(0.5 * n, 30)",
    "return x * math.ldexp(1.5, n)",
    "return slice(n).indices(3)",
    "return x * len('abc'[n:])",
    "return [x * v for v in itertools.islice(l, n, None)]",
    "return [a * b for a, b in zip(l, l, strict=c)]",
    "return list(itertools.count())",
    "return next(itertools.count(np.uint8(n)))",
    "return sorted(l, key=functools.cmp_to_key(lambda a, b: b - a))",
    """
    names = {n, 2} | {3}
    return x * names.pop()
    """,
    """
    def pairs():
        for a, b in zip(iter(l), l):
            yield a + b

    g = pairs()
    for v in g:
        if v > n:
            break
    return list(g)
    """,
    Row("return x * len((lambda *a: a)(*Count(100000)))", above=COUNT),
    Row("return x * logged(n)", above=LOGGED),
    Row("first, *rest = Again(l)\nreturn first + len(rest)", above=AGAIN),
    Row("items = Seen()\na, *b = items if c else l\nreturn a, len(items.seen)", above=SEEN),
    Row("rows = rows_of(n)\nrows.append(n)\nreturn len(rows)", above=ROWS_OF),
    Row("@functools.cache\ndef f(i):\n    return i\nf(n)\nreturn f.cache_info()"),
    Row("f = functools.cache(abs)\nreturn f(n)"),
    Row("@functools.cache\ndef f(*i):\n    return i[0]\nreturn f(n)"),
    Row("@functools.lru_cache\ndef f(i):\n    return i\nreturn f(n), f(n / 2)"),
    Row("@functools.cache\ndef f(i):\n    return i[0]\nreturn f((n, 'a'))"),
    Row("@functools.cache\ndef f(i, k):\n    return i\nreturn f(n, 'a')"),
    Row("return x + next(self.steps)", init="self.steps = iter([1.0, 2.0])"),
    Row(
        "return self.decides().apply((x,))[0]",
        init="""\
class Decides(chainer.FunctionNode):
    def check_type_forward(self, types):
        if chainer.utils.type_check.eval(types[0].shape[0]) == 1:
            chainer.utils.type_check.expect(types[0].ndim == 1)

    def forward(self, inputs):
        return (inputs[0] * 2,)

self.decides = Decides""",
    ),
    """
    options = {'axis': 0} if c else None
    return F.sum(x, **options)
    """,
    "return copy.deepcopy([x], {})",
    Row("return copy.deepcopy(Box(x)).value", above=BOX),
    """
    counts = collections.defaultdict(int)
    counts['a'] += n
    return x * copy.copy(counts)['a']
    """,
    "return vars(np)['pi'] * x",
    Row(
        """
        one = Thing(x)
        if c:
            one.more = n
        return one
        """,
        above=THING,
    ),
    Row(
        """
        one = Thing(x)
        one.me = one
        return one
        """,
        above=THING,
    ),
    Row(
        """
        ONE.value = 4
        return x * operator.attrgetter('value')(ONE)
        """,
        above=f"{THING}\n\n\nONE = Thing(3)",
    ),
    Row(
        "return x * Scale(n).by",
        above=SCALE,
    ),
    Row("return Pair(x, x)[n:]", above="Pair = collections.namedtuple('Pair', 'a b')"),
    """
    a = [1, 2, 3, 4]
    a[::n] = [0, 0]
    return a
    """,
    "return [1] * np.bool_(n)",
    Row(
        """
        if n > 2:
            raise self.error from None
        return x
        """,
        init="self.error = ValueError('too long')",
    ),
    """
    f = lambda v: v
    return f.__doc__
    """,
    """
    try:
        y = math.pow(n, 0.5)
    except ValueError:
        y = 0.0
    return y
    """,
    """
    try:
        y = x == x[:n]
    except Exception:
        y = x[0]
    return y
    """,
    """
    return [np.concatenate([x, x]).max for _ in range(n)][-1]()
    """,
    """
    held = chainer.Variable(np.ones(2, np.float32))
    chosen = held if n > 1 else chainer.Variable(np.zeros(2, np.float32))
    held.array = np.full(2, 3, np.float32)
    return chosen
    """,
    """
    try:
        y = F.reshape(x, (n, -1))
    except Exception as error:
        raise ValueError(str(error))
    return y
    """,
    Row(
        "numbers = array.array('i', [1])\nif c:\n    numbers.append(5)\nreturn len(numbers)",
        above="import array\n",
    ),
    Row("return Ordered(a=n).copy()['a']", above=ORDERED),
    Row("return (Ordered(a=n) | {'b': 1})['a']", above=ORDERED),
    Row("d = Ordered()\nd.update(a=n)\nreturn d['a']", above=ORDERED),
    Row("d = Default(int)\nd[n] += 1\nreturn d[n]", above=ORDERED),
    Row("box = Box(x)\nreturn weakref.ref(box)().value", above="import weakref\n\n" + BOX),
    Row(
        """
        w = self.w if c else chainer.Variable(np.ones(3, np.float32))
        return isinstance(w, chainer.Parameter)
        """,
        init="self.w = chainer.Parameter(np.ones(3, np.float32))",
    ),
    Row(
        "return x * Mode(n).value",
        above="""\
import enum


class Mode(enum.Enum):
    FAST = 1

    @classmethod
    def _missing_(cls, value):
        return cls.FAST
""",
    ),
    """
    try:
        if n > 2:
            raise OSError(n, "no such device")
    except OSError:
        return -x
    return x
    """,
    """
    try:
        for i in range(n):
            if i == 0:
                raise ValueError("one")
            if i == 1:
                raise ValueError("two")
            if i == 2:
                raise ValueError("three")
            if i == 3:
                raise ValueError("four")
            if i == 4:
                raise ValueError("five")
            if i == 5:
                raise ValueError("six")
            if i == 6:
                raise ValueError("seven")
            if i == 7:
                raise ValueError("eight")
            if i == 8:
                raise ValueError("nine")
    except ValueError:
        x = -x
    return x
    """,
    """
    try:
        for i in range(n):
            if i == 2:
                error = ValueError('two')
                error.place = i
                raise error
    except ValueError as error:
        return error.place
    return n
    """,
    """
    try:
        y = l.index(n)
    except ValueError as error:
        y = len(str(error))
    return y
    """,
    """
    kept = []
    for i in range(3):
        try:
            if i < n:
                raise ValueError("no")
        except ValueError as error:
            error.args = (i,)
            kept.append(error)
    return [error.args[0] for error in kept]
    """,
    """
    kinds = (IndexError, ZeroDivisionError)
    try:
        y = 10 // n
    except kinds[n]:
        y = 0
    return y
    """,
    """
    try:
        y = 10 // n
    except "division":
        y = 0
    return y
    """,
    """
    try:
        if n > 2:
            raise ValueError(n)
    except ValueError as error:
        x = error.__context__
    return x
    """,
    """
    def items():
        while True:
            yield n

    it = items()
    try:
        next(it)
        if n > 2:
            it.throw(ValueError(n))
    except ValueError as error:
        x = error.__context__
    return x
    """,
    """
    def down(k):
        try:
            if k == 0:
                raise ValueError("down")
            return down(k - 1)
        finally:
            if k == 2:
                raise

    return down(n)
    """,
    """
    def down(k):
        if k == 0:
            raise ValueError("down")
        try:
            return down(k - 1)
        except ValueError as error:
            if k == 2:
                raise error
            return k

    last = None
    for k in range(n):
        try:
            down(k)
        except ValueError as error:
            if error is last:
                return k
            last = error
    return n
    """,
    """
    last = None
    for k in range(n):
        try:
            if k > 2:
                raise ValueError(k)
        except ValueError as error:
            last = error
    if last is not None:
        last.args = (1,)
        return last.args[0]
    return n
    """,
    """
    kinds = [ValueError, LookupError]

    def down(k):
        if k == 0:
            raise ValueError("down")
        try:
            return down(k - 1)
        except kinds[0]:
            return k

    return down(n)
    """,
    """
    try:
        try:
            if n > 2:
                raise ValueError('a')
        finally:
            if n > 1:
                raise
    except ValueError:
        return 5
    return n
    """,
    """
    try:
        if n > 2:
            raise AttributeError(n, name='y')
    except AttributeError as error:
        x = -x
    return x
    """,
    """
    a, b = x[:1], x[:1]
    return (a if c else b) is b
    """,
    """
    t = u = (1, n)
    for _ in range(n):
        t = (1, n)
    return t is u
    """,
    """
    u, v = chainer.Variable(x), chainer.Variable(x)
    return (u if c else v) is v
    """,
    """
    match {'a': x, 'b': n}:
        case {math.pi: v, 'a': w}:
            return v
    return x
    """,
    Row(
        "return again(x, n)",
        above="""
        def again(v, k):
            return again(v, k + 1) if k else again(v, 1)
        """,
    ),
    Row(
        """
        for f in names(n):
            x = f(x)
        return x
        """,
        above="""
        def names(k):
            return (f for f in [F.relu]) if k else iter([F.tanh])
        """,
    ),
    "return [np.ones(k + 1) for k in range(40)][n]",
    "return (i async for i in l)",
    Row(
        "return list(reversed(Pair((n, 1))))",
        above="""
        class Pair(tuple):
            def __len__(self):
                return 1
        """,
    ),
    """
    b = bytearray(b'ab')
    b[0] = n
    return x
    """,
    """
    b = bytearray(b'ab')
    del b[n]
    return x
    """,
    Row(
        """
        return list(Asked())
        """,
        above="""
        class Asked:
            def __iter__(self):
                return iter([1, 2])

            def __len__(self):
                raise ValueError('none')
        """,
    ),
    "return pow(0.5 * n, 2, 7)",
    """
    with chainer.using_config('dtype', np.float64 if c else np.float32):
        w = chainer.initializers.generate_array(chainer.initializers.One(), (3,), np)
    return x * w
    """,
    """
    d = {1: x, b'a': x}
    return d.pop(n, x)
    """,
    Row(
        """
        Thing.k = n
        return x * Thing.__dict__['k']
        """,
        above=THING,
    ),
    """
    def items():
        for value in range(n):
            if value == 2:
                raise StopIteration
            yield value
    try:
        return x * sum(items())
    except StopIteration:
        return x
    """,
    Row(
        """
        return Watched().rate * x
        """,
        above="""
        class Watched:
            rate = 2

            def __getattribute__(self, name):
                asked.append(name)
                return super().__getattribute__(name)

        asked = []
        """,
    ),
    Row(
        """
        return isinstance(Disguised(), dict), x
        """,
        above="""
        class Disguised:
            @property
            def __class__(self):
                return dict
        """,
    ),
    Row(
        """
        one = Thing(x)
        one.__class__ = int
        return one.value
        """,
        above=THING,
    ),
    Row(
        """
        Thing.__call__ = lambda thing: n
        return x * Thing(x)()
        """,
        above=THING,
    ),
    Row(
        """
        with Shift():
            return F.tanh(x)
        """,
        above="""
        class Shift(chainer.FunctionHook):
            name = 'shift'

            def forward_preprocess(self, function, in_data):
                in_data[0][...] += 1
        """,
    ),
    Row(
        """
        p = Point3(x)
        return x * len(p.__dict__)
        """,
        above=f"{POINT}\n\nclass Point3(Point):\n    pass",
    ),
    """
    with np.errstate(invalid='raise'):
        return np.log(x)
    """,
    """
    np.seterr(divide='raise')
    return 1 / x
    """,
    """
    import warnings

    warnings.simplefilter('error')
    return np.log(x)
    """,
    """
    import warnings

    with warnings.catch_warnings(record=True) as found:
        return np.log(x), len(found)
    """,
    """
    d = types.MappingProxyType({'a': 1})
    d['a'] = n
    return x
    """,
    Row(
        """
        self.h = Thing(self.h)
        return x
        """,
        above=THING,
        init="self.h = None",
        options={"state": True},
    ),
    Row(
        """
        self.h = (self.h, x)
        return x
        """,
        init="self.h = None",
        options={"state": True},
    ),
    Row(
        """
        self.w[0] = n
        self.h = self.w[1]
        return x
        """,
        init="""
        self.w = np.zeros((2, 3), 'f')
        self.h = self.w[0]
        """,
        options={"state": True},
    ),
    "return {'alpha': x, 'beta': n}['alhpa']",
    "return {'a': x, 'b': n}['c']",
    "return F.rellu(x)",
    "return self.forwrad",
    Row(
        'return x if c or l else eval("x + 1")',
        options={"examples": [(2, 1, None, "l")], "dynamic_axes": None},
        inputs=(2, 1, "c", None),
        then=(2, 1, None, None),
    ),
    """
    def total(k):
        return 1 if k <= 0 else sum(total(k - by) for by in {1: 2, 2: 1})
    return total(n)
    """,
    """
    @contextlib.contextmanager
    def around():
        yield

    def total(k):
        with around():
            return 1 if k <= 0 else total(k - 1) + 1
    return total(n)
    """,
    """
    def total(k, setting):
        with setting:
            return 1 if k <= 0 else total(k - 1, setting) + 1
    return total(n, chainer.using_config("train", True))
    """,
    """
    class Total:
        def run(self, k, memo={}):
            return len(memo) if k <= 0 else self.run(k - 1) + self.run(k - 2)
    return Total().run(n)
    """,
    """
    def total(k):
        with contextlib.suppress(ValueError):
            added = k
        return added if k <= 0 else total(k - 1) + added
    return total(n)
    """,
]
