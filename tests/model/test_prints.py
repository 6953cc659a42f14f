"""`debug=True`: the model prints and logs what the program prints and logs."""

# ruff: noqa: UP031, UP032  as programs have it
from __future__ import annotations

import collections
import copy
import logging
import pickle
from typing import Any

import chainer.functions as F
import numpy as np
import pytest

import elichika
from tests.programs import chain_with

log = logging.getLogger("tests.prints")
ROWS = np.arange(6, dtype=np.float32).reshape(3, 2)
INPUTS: list[tuple[Any, ...]] = [
    *((ROWS, 3), (ROWS, 0), (ROWS - 5, 2)),
    *((np.ones((5, 2), np.float32), 4), (ROWS[:1], 1)),
]
AXES = {"x": {0: "rows"}}


def printing(self, x, n):
    print("start", n)
    total = 0.0
    text = f"x is {x}"
    x += 1
    for i in range(n):
        total += float(x[i].sum())
        print(f"turn {i}: {total:.3f}", end=";\n")
        if total > 4:
            print("large", total, sep="=")
            log.info("t=%s n=%d", total, n)
    h = F.relu(x)
    print(h, x.shape, (n, "a", None), [n, True], {"k": n})
    print(text)
    last = {}
    for i in range(n):
        last[i % 2] = i
    print(last, list(last), "%d of %s" % (n, total), "{} {:.2f}".format(n, total), repr(n))
    last[n] = 7
    print("end " + str(n))
    return h, total


def in_functions(self, x, n):
    def work(v, depth):
        print("work", v, "at", depth)
        if v < 0:
            log.warning("negative: %d", v)
            raise ValueError(v)
        return v * 2

    found = []
    for i, v in enumerate(x[:, 0].astype(np.int64).tolist()):
        try:
            found.append(work(v - n, i))
        except ValueError as e:
            print("caught", e.args[0])
    return found


WORDS = ("the", "cat", "a")


class Speaker:
    def __init__(self, name):
        self.name = name

    def say(self, number):
        print("I am", self.name, number)
        log.info("%s says %d", self.name, number)


def of_several_things(self, x, n):
    one, other = Speaker("one"), Speaker("other")
    counts = {}
    listed = []
    for v in x[:, 0].astype(np.int64).tolist():
        word = WORDS[v % 3]
        counts[word] = counts.get(word, 0) + 1
        listed.append(v)
        (one if v > n else other).say(v)
        print(word, counts, tuple(listed[:1]), None if v > n else v, "z" if v > n else 1.5)
        try:
            if v >= n:
                raise ValueError(f"{v} is large")
        except ValueError as error:
            print("caught", error)
    print(f"{x.mean() if len(x) else 0:.2f} {WORDS[n % 3]!r}")
    return counts


@pytest.mark.parametrize("forward", [printing, in_functions, of_several_things])
def test_it_prints_what_python_prints(forward: Any, capsys: Any, caplog: Any) -> None:
    caplog.set_level(logging.INFO, "tests.prints")
    chain = chain_with(forward)
    model = elichika.compile_model(
        chain, copy.deepcopy(INPUTS[0]), dynamic_axes=AXES, debug=True, verify=False
    )
    assert model.report.notes == []
    for one in (model, pickle.loads(pickle.dumps(model))):
        for inputs in INPUTS:
            chain.forward(*copy.deepcopy(inputs))
            expected = capsys.readouterr().out, caplog.messages
            caplog.clear()
            one(*copy.deepcopy(inputs))
            assert (capsys.readouterr().out, caplog.messages) == expected
            caplog.clear()


Pair = collections.namedtuple("Pair", "a b")


def test_what_has_a_text_of_its_own_is_not_told(capsys: Any) -> None:
    def forward(self, n):
        print(Pair(n, 1), [collections.Counter([n])], collections.OrderedDict(a=n), n)
        print(collections.defaultdict(int, {1: n}), (n, 2), {1: n})

    chain = chain_with(forward)
    model = elichika.compile_model(chain, (3,), debug=True, verify=False)
    model(4)
    assert capsys.readouterr().out == "… ['…'] … 4\n… (4, 2) {1: 4}\n"


def test_otherwise_it_prints_nothing(capsys: Any) -> None:
    model = elichika.compile_model(
        chain_with(in_functions), (ROWS, 3), dynamic_axes=AXES, verify=False
    )
    model(ROWS, 3)
    assert capsys.readouterr().out == ""
    texts = {text for _, text in model.report.notes}
    assert texts == {"print has no effect in the model", "logging has no effect in the model"}


def test_tensors_alone_do_not_print() -> None:
    with pytest.raises(elichika.InputError, match="debug=True is for models"):
        elichika.compile_model(chain_with(printing), (ROWS, 3), debug=True, tensors=True)
