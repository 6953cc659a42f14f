"""Objects in results: a record of their attributes comes back."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import chainer
import pytest

import elichika
from elichika.signature.records import fields_of
from tests.programs import Program, chain_of, check, compiled, f32


@dataclass
class Hypothesis:
    score: Any
    tokens: Any


class State:
    def __init__(self, x):
        self._h = x
        self.__c = x * 2
        self.name = "p"
        self.cache = None
        self._cache = None
        self.work = len
        self.kept = {"sum": x.sum(), "all": [x, 1]}


class Node:
    def __init__(self):
        self.children = []


def in_containers(self, x, n):
    return [State(x), (State(x[:n]), n)]


def in_a_list_of_dynamic_length(self, x, n):
    found = []
    for i in range(n):
        found.append(State(x[:i]))
    return found


def best_first(self, x, n):
    best = [Hypothesis(0.0, [0])]
    for i in range(n):
        grown = []
        for one in best:
            for word in range(2):
                score = one.score + float(x[i % len(x), word])
                grown.append(Hypothesis(score, [*one.tokens, word]))
        best = sorted(grown, key=lambda one: -one.score)[:3]
    return best


def changed_or_none(self, x, n):
    made = State(x)
    if n > 2:
        made.name = "q"
        made._h = x + n
    return made if n else None


def one_class_or_another(self, x, n):
    return Hypothesis(x, n) if n > 1 else State(x)


def objects_in_objects(self, x, n):
    node, child = Node(), Node()
    node.children.append(child)
    node.x, child.x, node.link, node.kind = x * n, x, self, Node
    return {"root": node}, child


def distributions(self, x, n):
    normal = chainer.distributions.Normal(x, x * x + n)
    return normal, chainer.distributions.Categorical(logit=x)


INPUTS = [(f32(3, 4), 2), (f32(3, 4), 0), (f32(1, 4), 1), (f32(5, 4), 3), (f32(2, 4), 6)]


@pytest.mark.parametrize(
    "forward",
    [
        in_containers,
        in_a_list_of_dynamic_length,
        best_first,
        changed_or_none,
        one_class_or_another,
        objects_in_objects,
        distributions,
    ],
    ids=lambda forward: forward.__name__,
)
def test_attributes_come_back(forward: Any) -> None:
    program = Program(forward, INPUTS, {"x": {0: "rows"}})
    model = compiled(program)
    check(program, model)
    assert model.verify().agreed


def test_a_record_has_the_name_and_the_attributes(tmp_path: Path) -> None:
    program = Program(in_containers, INPUTS, {"x": {0: "rows"}})
    compiled(program).save(tmp_path / "m.onnx")
    first, (second, n) = elichika.load(tmp_path / "m.onnx")(*INPUTS[0])
    assert type(first).__name__ == "State"
    assert first._fields == ("h", "c", "name", "cache", "kept")
    assert (first.name, first.cache, n, len(second.c)) == ("p", None, 2, 2)


def test_another_result_is_seen() -> None:
    class Differs(chainer.Chain):
        def forward(self, x, n):
            return State(x)

    model = elichika.compile_model(Differs(), INPUTS[0], verify=False)
    Differs.forward = lambda self, x, n: State(x + 1)
    with pytest.raises(elichika.VerificationError, match=r"result\[0\]"):
        model.verify()


def holds_itself(self, x, n):
    node = Node()
    node.children.append(node)
    return node, x


def set_or_not(self, x, n):
    node = Node()
    if n:
        node.x = x
    return node, x


def a_link(self, x, n):
    return self, x


@pytest.mark.parametrize(
    ("forward", "message"),
    [
        (holds_itself, "a Node that holds itself"),
        (set_or_not, "whether the attribute `x` is set"),
        (a_link, "at 0, a Chain, which is not a tensor"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_is_no_record_is_refused(forward: Any, message: str) -> None:
    program = Program(forward, INPUTS)
    with pytest.raises(elichika.StagingError, match=message):
        elichika.compile_model(chain_of(program), INPUTS[0], verify=False)


def test_a_public_attribute_goes_before_a_private_one() -> None:
    names = ["_State__h", "_h", "h", "_State__c", "not a name", "class", "__dunder__"]
    assert fields_of(State, names) == {"h": "h", "c": "_State__c", "dunder__": "__dunder__"}
