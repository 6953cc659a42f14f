"""Forty small programs, each as it is written for Chainer, PyTorch and TensorFlow.

A body is written once, with words that each framework says in its own way (`WORDS`); where its
users would write another program, that has a body of its own. All arrays are inputs. This file
imports nothing of elichika: it is read in the environments of the other frameworks, too.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

__all__ = ["FRAMEWORKS", "PROGRAMS", "Program"]

FRAMEWORKS = ("chainer", "torch", "tensorflow")
WORDS: dict[str, tuple[str, str, str]] = {
    "tanh": ("F.tanh({})", "torch.tanh({})", "tf.tanh({})"),
    "relu": ("F.relu({})", "torch.relu({})", "tf.nn.relu({})"),
    "sigmoid": ("F.sigmoid({})", "torch.sigmoid({})", "tf.sigmoid({})"),
    "absolute": ("F.absolute({})", "torch.abs({})", "tf.abs({})"),
    "exp": ("F.exp({})", "torch.exp({})", "tf.exp({})"),
    "matmul": ("F.matmul({})", "torch.matmul({})", "tf.matmul({})"),
    "total": ("F.sum({})", "torch.sum({})", "tf.reduce_sum({})"),
    "total0": ("F.sum({}, axis=0)", "torch.sum({}, 0)", "tf.reduce_sum({}, axis=0)"),
    "largest": ("F.max({})", "torch.max({})", "tf.reduce_max({})"),
    "softmax": ("F.softmax({})", "torch.softmax({}, 1)", "tf.nn.softmax({})"),
    "stack": ("F.stack({})", "torch.stack({})", "tf.stack({})"),
    "concat": ("F.concat({}, axis=0)", "torch.cat({})", "tf.concat({}, axis=0)"),
    "number": ("float({}.array)", "{}", "{}"),
    "turns": ("range({})", "range(int({}))", "tf.range({})"),
    "rows_of": ("range(len({}))", "range({}.shape[0])", "tf.range(tf.shape({})[0])"),
    "size": ("len({})", "{}.shape[0]", "tf.shape({})[0]"),
    "reshape": ("F.reshape({})", "torch.reshape({})", "tf.reshape({})"),
    "transpose": ("F.transpose({})", "{}.transpose(0, 1)", "tf.transpose({})"),
}
"""How Chainer, PyTorch and TensorFlow say a word."""


@dataclass(frozen=True)
class Program:
    """A program and its inputs.

    Attributes:
        name: What it does.
        body: Of `forward`, in words.
        inputs: The example, then new ones; arrays, and ints of the run.
        dynamic: The axes of each array that change.
        own: Bodies of frameworks that write it in another way.
    """

    name: str
    body: str
    inputs: Sequence[Mapping[str, Any]]
    dynamic: Mapping[str, Sequence[int]]
    own: Mapping[str, str] = field(default_factory=dict)

    def source(self, framework: str) -> str:
        """Return the file of a framework; it defines `forward` or a class `Net`."""
        place = FRAMEWORKS.index(framework)
        body = textwrap.dedent(self.own.get(framework, self.body)).strip("\n")
        for word, said in WORDS.items():
            body = _said(body, word, said[place])
        names = ", ".join(self.inputs[0])
        if framework == "tensorflow":
            head = "import tensorflow as tf\n"
            return f"{head}\n\ndef forward({names}):\n{_indented(body, 1)}\n"
        base = "chainer.Chain" if framework == "chainer" else "torch.nn.Module"
        imports = {
            "chainer": "import chainer\nimport numpy as np\nfrom chainer import functions as F\n",
            "torch": "import torch\n",
        }[framework]
        return (
            f"{imports}\n\nclass Net({base}):\n"
            f"    def forward(self, {names}):\n{_indented(body, 2)}\n"
        )


def _said(text: str, word: str, said: str) -> str:
    """Return a text with each call of a word as a framework says it."""
    while found := re.search(rf"(?<![\w.]){word}\(", text):
        start = stop = found.end()
        depth = 1
        while depth:
            depth += {"(": 1, ")": -1}.get(text[stop], 0)
            stop += 1
        text = text[: found.start()] + said.format(text[start : stop - 1]) + text[stop:]
    return text


def _indented(text: str, levels: int) -> str:
    return textwrap.indent(text, "    " * levels)


def rows(n: int, width: int = 3, sign: float = 1.0, seed: int = 0) -> np.ndarray[Any, Any]:
    """Return float32 [n, width]: positive numbers times a sign; drawn where that is 0."""
    drawn = np.random.RandomState(seed + 7 * n).standard_normal((n, width)).astype(np.float32)
    return drawn if sign == 0 else np.abs(drawn) * np.float32(sign)


X = ({"x": rows(2)}, {"x": rows(2, sign=-1)}, {"x": rows(5, sign=0)}, {"x": rows(1, sign=10)})
LONG = ({"x": rows(3, sign=0)}, {"x": rows(7, sign=0)}, {"x": rows(1, sign=0)})
N = tuple({"x": rows(2, sign=0), "n": n} for n in (3, 5, 1, 0))
BATCH = {"x": (0,)}


def _x(name: str, body: str, **own: str) -> Program:
    return Program(name, body, X, BATCH, own)


def _long(name: str, body: str, **own: str) -> Program:
    return Program(name, body, LONG, BATCH, own)


def _n(name: str, body: str, **own: str) -> Program:
    return Program(name, body, N, BATCH, own)


BRANCHES = (
    _x("branch on a sum", "if number(total(x)) > 0:\n    return tanh(x)\nreturn x * 2"),
    _x(
        "branch that sets a name",
        "y = x * 1\nif number(largest(x)) > 2:\n    y = y / 2\nelse:\n    y = y + 1\nreturn y",
    ),
    _x(
        "branches within branches",
        "y = x * 1\nif number(total(x)) > 0:\n    if number(largest(x)) > 5:\n        y = y / 10\n"
        "    else:\n        y = y * 2\nreturn y",
    ),
    _x(
        "a chain of elif",
        "s = number(total(x))\nif s < -1:\n    y = -x\nelif s < 1:\n    y = x * 0\nelse:\n"
        "    y = relu(x)\nreturn y + 0",
    ),
    _x("branch on a size", "if size(x) > 3:\n    return total0(x)\nreturn total0(x) * 2"),
    _x(
        "conditional expression",
        "y = tanh(x) if number(total(x)) > 0 else sigmoid(x)\nreturn y * 3",
    ),
    _x(
        "and, or, not",
        "s = number(total(x))\nm = number(largest(x))\nif s > 0 and not m > 5:\n    return x * 2\n"
        "return x + 1",
        tensorflow="s = tf.reduce_sum(x)\nm = tf.reduce_max(x)\nif s > 0 and not (m > 5):\n"
        "    return x * 2\nreturn x + 1",
    ),
    _x("early return", "if number(total(x)) < 0:\n    return x * 0\ny = exp(-x)\nreturn y / 2"),
)
LOOPS = (
    _long("loop over rows", "h = x[0]\nfor t in rows_of(x):\n    h = tanh(h + x[t])\nreturn h"),
    _n("loop of n iterations", "for i in turns(n):\n    x = tanh(x) + 1\nreturn x"),
    _x("while a sum is small", "while number(total(absolute(x))) < 50:\n    x = x * 2\nreturn x"),
    _n(
        "loop with a break",
        "for i in turns(n):\n    x = x * 2\n    if number(largest(x)) > 4:\n        break\n"
        "return x",
    ),
    _n(
        "loop with a continue",
        "y = x * 0\nfor i in turns(n):\n    if i == 1:\n        continue\n    y = y + x\nreturn y",
    ),
    _n(
        "loops within loops",
        "for i in turns(n):\n    for j in turns(n):\n        x = x + 0.5\n    x = tanh(x)\n"
        "return x",
    ),
    _n(
        "branch in a loop",
        "for i in turns(n):\n    if number(total(x)) > 0:\n        x = x - 1\n    else:\n"
        "        x = x + 2\nreturn x",
    ),
    _n(
        "two carried values",
        "a = x * 1\nb = x * 0\nfor i in turns(n):\n    a, b = a + b, tanh(a)\nreturn a - b",
    ),
)
EXITS = (
    _n(
        "return out of a loop",
        "for i in turns(n):\n    x = x * 2\n    if number(largest(x)) > 3:\n        return x\n"
        "return x * 0",
    ),
    _x(
        "while with two exits",
        "k = 0\nwhile k < 6:\n    x = x * 1.5\n    if number(total(absolute(x))) > 30:\n"
        "        break\n    k = k + 1\nreturn x + k",
    ),
    _x(
        "iteration until it converges",
        "y = x * 0\nd = largest(absolute(x))\nwhile number(d) > 0.01:\n    z = (y + x) / 2\n"
        "    d = largest(absolute(z - y))\n    y = z\nreturn y",
    ),
    _x(
        "square root by Newton",
        "s = total(x * x) + 1\ny = s\nwhile number(absolute(y * y - s)) > 0.001 * number(s):\n"
        "    y = (y + s / y) / 2\nreturn x / y",
    ),
)
TF_LIST = (
    "ys = tf.TensorArray(tf.float32, size=0, dynamic_size=True)\n"
    "for i in tf.range({turns}):\n    {step}\nreturn {end}"
)
LISTS = (
    _long(
        "list of all rows",
        "ys = []\nfor t in rows_of(x):\n    ys.append(tanh(x[t]))\nreturn stack(ys)",
        tensorflow=TF_LIST.format(
            turns="tf.shape(x)[0]", step="ys = ys.write(i, tf.tanh(x[i]))", end="ys.stack()"
        ),
    ),
    _long(
        "list of a recurrence",
        "h = x[0] * 0\nys = []\nfor t in rows_of(x):\n    h = tanh(h + x[t])\n    ys.append(h)\n"
        "return stack(ys)",
        tensorflow="h = x[0] * 0\n"
        + TF_LIST.format(
            turns="tf.shape(x)[0]",
            step="h = tf.tanh(h + x[i])\n    ys = ys.write(i, h)",
            end="ys.stack()",
        ),
    ),
    _long(
        "some rows of a list",
        "ys = [x[0]]\nfor t in rows_of(x):\n    if number(total(x[t])) > 0:\n"
        "        ys.append(x[t])\nreturn stack(ys)",
        tensorflow="ys = tf.TensorArray(tf.float32, size=0, dynamic_size=True)\n"
        "ys = ys.write(0, x[0])\nk = 1\nfor i in tf.range(size(x)):\n"
        "    if tf.reduce_sum(x[i]) > 0:\n        ys = ys.write(k, x[i])\n        k = k + 1\n"
        "return ys.stack()",
    ),
    _n(
        "concatenation that grows",
        "y = x * 1\nfor i in turns(n):\n    y = concat([y, x + 1])\nreturn y",
        tensorflow="y = x * 1\nfor i in tf.range(n):\n    tf.autograph.experimental."
        "set_loop_options(shape_invariants=[(y, tf.TensorShape([None, 3]))])\n"
        "    y = tf.concat([y, x + 1], axis=0)\nreturn y",
    ),
    _long(
        "reversed rows",
        "ys = []\nfor t in rows_of(x):\n    ys.append(x[size(x) - 1 - t])\nreturn stack(ys)",
        tensorflow=TF_LIST.format(
            turns="tf.shape(x)[0]", step="ys = ys.write(i, x[size(x) - 1 - i])", end="ys.stack()"
        ),
    ),
    _long(
        "comprehension",
        "return stack([x[t] * t for t in rows_of(x)])",
        tensorflow=TF_LIST.format(
            turns="size(x)",
            step="ys = ys.write(i, x[i] * tf.cast(i, tf.float32))",
            end="ys.stack()",
        ),
    ),
)
KEYS = tuple(
    {"q": rows(1, sign=0, seed=n), "k": rows(n, sign=0, seed=1), "v": rows(n, 2, 0, 2)}
    for n in (4, 9, 1)
)
STEPS = tuple(
    {"h": rows(1, sign=0, seed=n), "w": rows(3, sign=0, seed=5), "n": n} for n in (2, 6, 1)
)
MODELS = (
    Program(
        "attention",
        "a = softmax(matmul(q, transpose(k)))\nreturn matmul(a, v)",
        KEYS,
        {"k": (0,), "v": (0,)},
    ),
    Program(
        "attention, several steps",
        "for i in rows_of(k):\n    a = softmax(matmul(q, transpose(k)))\n"
        "    q = tanh(q + matmul(a, k))\nreturn matmul(softmax(matmul(q, transpose(k))), v)",
        KEYS,
        {"k": (0,), "v": (0,)},
    ),
    Program(
        "a recurrent cell, n steps",
        "for i in turns(n):\n    h = tanh(matmul(h, w))\nreturn h",
        STEPS,
        {},
    ),
    Program(
        "greedy decoding until a word",
        "words = []\nfor i in turns(n):\n    h = tanh(matmul(h, w) + 0.3)\n    words.append(h)\n"
        "    if number(largest(h)) > 0.8:\n        break\nreturn concat(words)",
        STEPS,
        {},
        {
            "tensorflow": "ys = tf.TensorArray(tf.float32, size=0, dynamic_size=True)\n"
            "for i in tf.range(n):\n    h = tf.tanh(tf.matmul(h, w) + 0.3)\n"
            "    ys = ys.write(i, h[0])\n    if tf.reduce_max(h) > 0.8:\n        break\n"
            "return ys.stack()"
        },
    ),
    Program(
        "the best of a beam",
        "best = h\nfor i in turns(n):\n    other = tanh(matmul(best, w) + 0.1)\n"
        "    if number(total(other)) > number(total(best)):\n        best = other\n"
        "    else:\n        best = best * 0.9\nreturn best",
        STEPS,
        {},
    ),
)
SIZES = (
    _x(
        "a mean by the size",
        "return total0(x) / size(x)",
        tensorflow="return tf.reduce_sum(x, axis=0) / tf.cast(tf.shape(x)[0], tf.float32)",
    ),
    _x("a reshape by the size", "return reshape(x, (size(x) * 3,))"),
    _x(
        "a size in a reshape and back",
        "y = reshape(x, (-1,))\nreturn reshape(tanh(y), (size(x), 3))",
    ),
    _x("half of the rows", "k = (size(x) + 1) // 2\nreturn x[:k] * 2"),
    _x("the last row", "return x[size(x) - 1] * 2"),
    _x("every other row", "return x[::2] + 1"),
    _x("scores and the best", "return softmax(x) * 2 + total(x)"),
    _x(
        "powers by a loop over the size",
        "y = x * 1\nfor i in rows_of(x):\n    y = y * 0.5\nreturn y",
    ),
    _x("a mask", "return x * (x > 0)", tensorflow="return x * tf.cast(x > 0, tf.float32)"),
)
PROGRAMS = (*BRANCHES, *LOOPS, *EXITS, *LISTS, *MODELS, *SIZES)
