"""Each kind of value, and each operation on it: no message says a word of the compiler's own."""

from __future__ import annotations

import re
import sys
import textwrap
import warnings
from typing import Any

import numpy as np

import elichika
from tests.language.messages import FILE, PRELUDE
from tests.sources import module_of

ABOVE = """
ONES = np.ones(3, "f")

class Point:
    def __init__(self, x):
        self.x = x

    def move(self, by):
        return self.x + by


def items(x):
    yield x
    yield x + 1


Pair = collections.namedtuple("Pair", "a b")
"""

#: How a program makes `v`, of each kind; `x` is float32[batch, 3], `n` an int, `c` a bool.
KINDS = {
    "an array": "v = x",
    "a Variable": "v = chainer.Variable(x)",
    "a parameter": "v = self.w",
    "an int": "v = n",
    "a float": "v = n * 0.5",
    "a bool": "v = n > 1",
    "a numpy number": "v = x.sum()",
    "one of two numbers": "v = 1 if c else 2.5",
    "one of two things": "v = x if c else None",
    "one of two texts": "v = 'a' if c else 'b'",
    "one of two lists": "v = [x] if c else [x, n]",
    "one of two functions": "v = F.relu if c else np.tanh",
    "one of two objects": "v = Point(x) if c else self",
    "a text": "v = f'{n} rows'",
    "a list": "v = [x, n]",
    "a long list": "v = [x for _ in range(n)]",
    "a list of numbers": "v = list(range(n))",
    "a long tuple": "v = tuple(x for _ in range(n))",
    "a tuple": "v = (x, n)",
    "a named tuple": "v = Pair(x, n)",
    "a dict": "v = {'a': x}",
    "keys": "v = {'a': x}.keys()",
    "values": "v = {'a': x}.values()",
    "items": "v = {'a': x}.items()",
    "a range": "v = range(n)",
    "a generator": "v = items(x)",
    "an iterator": "v = iter([x, n])",
    "a zip": "v = zip([x], [n], strict=True)",
    "a map": "v = map(F.relu, [x])",
    "an object": "v = Point(x)",
    "a method": "v = Point(x).move",
    "a closure": "v = lambda y: y + x",
    "a partial": "v = functools.partial(F.relu, x)",
    "a slice": "v = slice(n)",
    "attributes": "v = vars(Point(x))",
    "a set": "v = {1, 2}",
    "a class": "v = Point",
    "a module": "v = np",
    "nothing": "v = None",
    "the chain": "v = self",
    "not set": "if c:\n    v = x",
    "no common form": "v = {'a': x}\nfor _ in range(n):\n    v = [v]",
}
OPERATIONS = """
v() | v(x) | v[0] | v[n] | v['a'] | v[x] | v[:n] | [k for k in v] | v + 1 | v + x | v + v
v * n | v @ x | -v | ~v | v < 1 | v == x | v == v | v in [1] | x in v | n in v | len(v)
bool(v) | int(v) | float(v) | str(v) | repr(v) | hash(v) | {v: 1} | {v} | v.foo | v.x | v.shape
f'{v}' | f'{v:d}' | '%s' % v | 'a' + v | a, b = v | F.relu(v) | np.tanh(v) | np.array(v)
np.array([v, v]) | np.zeros(v) | x.reshape(v) | x[v] | sum(v) | max(v) | max(v, 1) | sorted(v)
list(v) | tuple(v) | dict(v) | set(v) | zip(v, v) | range(v) | iter(v) | next(v)
isinstance(v, int) | isinstance(x, v) | type(v) | callable(v) | id(v) | abs(v) | round(v)
divmod(v, 2) | pow(v, 2) | math.sqrt(v) | math.floor(v) | operator.index(v) | copy.copy(v)
copy.deepcopy(v) | x.sum(axis=v) | F.sum(x, axis=v) | F.dropout(x, v) | chainer.Variable(v)
getattr(v, 'a') | getattr(x, v) | hasattr(v, 'a') | setattr(v, 'a', 1) | v.a = 1 | v[0] = 1
v['a'] = 1 | v += 1 | v += x | del v[0] | del v.a | v.append(1) | v.sort() | f(*v) | f(**v)
assert v | if v: pass | while v: break | for _ in v: x = x + 1 | with v: pass | raise v
return v | return [v], x | return {'a': v} | not v | v and x | v is None | v is x
v if v else x | self.kept = v | ''.join(v) | v.join(['a']) | v.move(1) | enumerate(v)
reversed(v) | filter(None, v) | map(v, [x]) | functools.reduce(v, [x, x]) | print(v)
F.concat(v) | F.stack(v) | np.concatenate(v) | np.where(v, x, x) | np.asarray(v) | x * v
v ** 2 | v // 2 | v % 2 | 2 ** v | v >> 1 | any(v) | all(v) | min(v) | bytes(v) | bytearray(v)
complex(v) | chr(v) | bin(v) | slice(v) | super(v) | vars(v) | dir(v) | x.astype(v)
np.full(v, 1) | np.arange(v) | F.reshape(x, v) | F.matmul(v, v) | itertools.chain(v, v)
issubclass(v, int)
"""
#: Words of the compiler: names of its classes and marks.
INTERNAL = re.compile(
    r"\b(Choice|Seq|ConflictRead|Conflict|SymbolicRange|Symbolic|SymbolicUse|Scalar|Array|Var"
    r"|DictView|DynamicTuple|InstanceDict|Staged|Closure|BoundMethod|GeneratorCall|UNSET|UNDEF"
    r"|GeneratorContext|MISSING|Text|Spread|AnyIterator|Value|Handed|_Marker|internal error)\b"
)


def operations() -> list[str]:
    """Return the operations, as statements or expressions."""
    found = [part.strip() for part in OPERATIONS.replace("\n", "|").split("|")]
    return [part for part in found if part]


def program(kind: str, operation: str) -> str:
    """Return a program that does an operation on a value of a kind."""
    try:
        compile(operation, "", "eval")
        operation = f"y = {operation}"
    except SyntaxError:
        pass
    body = f"f = F.relu\ny = None\n{KINDS[kind]}\n{operation}\nreturn y, x"
    init = "def __init__(self):\n    super().__init__()\n    self.w = chainer.Parameter(ONES)"
    code = f"{init}\n\ndef forward(self, x, n, c):\n{textwrap.indent(body, '    ')}"
    return f"{PRELUDE}{ABOVE}\n\nclass Model(chainer.Chain):\n{textwrap.indent(code, '    ')}"


def message(kind: str, operation: str) -> str | None:
    """Return what the compiler says of a program; None where it compiles."""
    chain: Any = module_of(program(kind, operation), FILE)["Model"]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            example = [np.ones((2, 3), np.float32), 2, True]
            elichika.compile_model(chain, example, dynamic_axes={"x": {0: "batch"}}, verify=False)
        except elichika.ElichikaError as error:
            return str(error)
    return None


def said(text: str) -> str:
    """Return what a message says by itself: no lines of the program."""
    lines = text.split("\n")
    return "\n".join(line for line in lines if not line.startswith("  "))


def soak() -> int:
    """Print each operation whose message says a word of the compiler; return their number."""
    found = 0
    for kind in KINDS:
        for operation in operations():
            text = message(kind, operation)
            if text is not None and INTERNAL.search(said(text)):
                found += 1
                print(f"{kind}: {operation}: {said(text)}", flush=True)
    return found


if __name__ == "__main__":
    sys.exit(1 if soak() else 0)
