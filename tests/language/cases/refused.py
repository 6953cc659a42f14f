"""What is refused, and how: programs of the tables that are not compiled."""

from __future__ import annotations

#: What a text of a value is refused with where branches meet.
TEXT = "The result holds, at 0, a text known only when the model runs, which is not a tensor."
#: What a model would keep for good.
FROZEN = "which would be frozen into the model"

REFUSED: dict[str, str] = {
    "list(itertools.permutations((n, f), n))": (
        "`r` is known only when the model runs, and is needed while compiling"
    ),
    "list(itertools.product((n, f), repeat=n))": (
        "`repeat` is known only when the model runs, and is needed while compiling"
    ),
    "len(itertools.tee(l, n))": (
        "`n` is known only when the model runs, and is needed while compiling"
    ),
    "Options(a=n)": "the result is an Options, a class that extends dict",
    "Log('a', [n])": "the result is a Log, a class that extends list",
    "Triple((n, f))": "the result is a Triple, a class that extends tuple",
    """
    ds = [Bunch(a=v) for v in l]
    for d in ds:
        d.a += n
    return [d['a'] for d in ds]
    """: (
        "a Bunch, which is its own `__dict__`, comes out of a list of dynamic length, or of one "
        "branch only"
    ),
    """
    b = Box(n)
    b.__dict__ = {'a': 1}
    return b.a * n
    """: "assignment to `__dict__` is not followed",
    "pow(n, -1, 7)": "`pow` of a negative exponent with a third argument is not compiled",
    """
    def pairs():
        for a, b in zip(iter((n, f)), l):
            yield a + b

    return pairs().send(None)
    """: (
        "a recursive call, or a `yield` at which a generator waits, stands in a loop over an "
        "iterator"
    ),
    "return n, hasattr({'a': n}.values(), 'mapping')": "`mapping` of a dict_values is not compiled",
    "return range(n).index(0)": "`index` of a range is not compiled",
    "return n, isinstance(map(abs, (n, f)), map)": "which kind of iterator this is is not followed",
    "return n, type(zip((n, f), l)).__name__": "which kind of iterator this is is not followed",
    "np.ma.masked_array([1.0], [True]) * n": (
        "a MaskedArray, which extends ndarray, where values are known only when the model runs"
    ),
    "n.to_bytes(8, 'big')": (
        "`int.to_bytes` is not supported on values known only when the model runs"
    ),
    "int.__add__(n, 1)": "`int.__add__` is not supported on values known only when the model runs",
    "{Vector(1, 2): n}[Vector(1, 2)]": (
        "a Vector, whose class has its own `__hash__`, cannot be a key here"
    ),
    """
    o = type('T', (), {'k': 3})()
    return o.k + n
    """: "classes cannot be made inside a compiled function",
    "x.reshape(*[len(x), 2][:n])": (
        "the number of arguments of `ndarray.reshape` must be known before the model runs"
    ),
    "Cached().value(n)": "the state of this loop does not settle into one type",
    "sorted([3, 1, 2], key=functools.cmp_to_key(lambda a, b: b - a)), n": (
        "`cmp_to_key` is not supported"
    ),
    """
    try:
        return np.vectorize(abs, cache=True)(x)
    except Exception:
        return x * 0
    """: "of the options of `numpy.vectorize` only `otypes` is compiled",
    "math.erf(f)": "`math.erf` is not supported on values known only when the model runs",
    "math.erfc(f)": "`math.erfc` is not supported on values known only when the model runs",
    "math.fsum([n, f, 0.5])": (
        "`math.fsum` is not supported on values known only when the model runs"
    ),
    "math.remainder(f, 2)": (
        "`math.remainder` is not supported on values known only when the model runs"
    ),
    """
    @functools.total_ordering
    class D:
        pass
    return n
    """: (
        "a class defined inside a compiled function with a decorator other than `dataclass` is not "
        "supported"
    ),
    """
    @dataclasses.dataclass
    class D:
        a: int = n
    return D().a
    """: (
        "a class defined inside a compiled function as a dataclass whose options or defaults are "
        "made there is not supported"
    ),
    """
    @dataclasses.dataclass
    class D:
        a: list = dataclasses.field(default_factory=list)
    return len(D().a) + n
    """: (
        "a class defined inside a compiled function with descriptors or fields that are made there "
        "is not supported"
    ),
    """
    with contextlib.ExitStack() as stack:
        y = x * n
    return y
    """: "`with` on ExitStack is not supported",
    "'ab'.encode(), n": "The result holds, at 0.0, a bytes, which is not a tensor.",
    """
    d = {'a': n, 2: 3}
    if c:
        d['b'] = 5
    return d
    """: "whether the key 'b' is there is known only when the model runs",
    """
    d = {'a': 1}
    m = collections.ChainMap(d)
    d['a'] = n
    return m['a']
    """: "this write changes a dict of which `collections.ChainMap` has a copy",
    """
    async def g():
        pass
    return n
    """: "`async def` is not supported",
    """
    try:
        pass
    except* ValueError:
        pass
    return n
    """: "`except*` is not supported",
    """
    async def g():
        await n
    return n
    """: "`async def` is not supported",
    "complex(n, 1)": "`complex` is not supported on values known only when the model runs",
    """
    input()
    return n
    """: "`input` gives a result that is not a function of its arguments",
    """
    open('a')
    return n
    """: f"`io.open` gives a result that is not a function of its arguments, {FROZEN}",
    "return (lambda: eval('n'))() + 1": "`eval` of a name of an enclosing function is not compiled",
    "return [eval(a) for a in ['n']]": "`eval` of a name of an enclosing function is not compiled",
    "eval('1') + n": "`eval` of anything but one name is not compiled",
    """
    exec('1')
    return n
    """: "`exec` gives a result that is not a function of its arguments",
    """
    globals()
    return n
    """: "`globals` gives a result that is not a function of its arguments",
    """
    locals()
    return n
    """: "`locals` gives a result that is not a function of its arguments",
    """
    id(self)
    return n
    """: "`id` gives a result that is not a function of its arguments",
    """
    hash('a')
    return n
    """: "`hash` gives a result that is not a function of its arguments",
    """
    vars()
    return n
    """: "`vars` is compiled with one object only",
    """
    compile('1', 'a', 'eval')
    return n
    """: "`compile` gives a result that is not a function of its arguments",
    """
    breakpoint()
    return n
    """: "`breakpoint` gives a result that is not a function of its arguments",
    "hash(n)": "`hash` is not supported on values known only when the model runs",
    """
    try:
        k = len(str(n))
    except TypeError:
        k = 0
    return k
    """: "this text depends on a value known only when the model runs",
    "str(n)": TEXT,
    "repr(n)": TEXT,
    "bin(n)": "`bin` is not supported on values known only when the model runs",
    "f'{n}'": TEXT,
    "'%d' % n": TEXT,
    "chr(n)": "`chr` is not supported on values known only when the model runs",
    "format(n)": TEXT,
    """
    import random
    return x * random.random()
    """: (
        "`Random.random` draws random numbers while compiling, which would freeze them into the "
        "model"
    ),
    """
    import random
    return x * random.uniform(0, 1)
    """: (
        "`Random.uniform` draws random numbers while compiling, which would freeze them into the "
        "model"
    ),
    """
    import datetime
    return n + datetime.datetime.now().year
    """: (f"`datetime.now` gives a result that is not a function of its arguments, {FROZEN}"),
    """
    import threading
    t = threading.Thread(target=print)
    t.start()
    return n
    """: "`threading.Thread` runs code besides the call, which is not followed",
    """
    import os
    return n + os.getpid()
    """: (f"`posix.getpid` gives a result that is not a function of its arguments, {FROZEN}"),
    """
    import secrets
    return n + secrets.randbelow(3)
    """: (
        "`secrets.randbelow(3)` calls `posix.urandom`, which gives a result that is not a function "
        "of its arguments, which would be frozen into the model"
    ),
    """
    import uuid
    return n + uuid.uuid4().int
    """: (
        "`uuid.uuid4()` calls `posix.urandom`, which gives a result that is not a function of its "
        "arguments, which would be frozen into the model"
    ),
    "return n + len(str(object()))": f"`str` gives the address of an object, {FROZEN}",
    """
    import time
    return n + time.time()
    """: f"`time.time` gives a result that is not a function of its arguments, {FROZEN}",
}
