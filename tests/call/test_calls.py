"""What calling a chain runs is what is compiled: `__call__`, mixins, hooks, `forward`."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
import pytest

import elichika
from tests.programs import assert_equal

X = np.arange(6, dtype=np.float32).reshape(2, 3) - 2


class Doubled(L.Linear):
    def __init__(self):
        super().__init__(3, 2)

    def __call__(self, x):
        return super().__call__(x) * 2


class Passing(Doubled):
    def __call__(self, *args, **kwargs):
        return super().__call__(*args, **kwargs) + 1


class InTheMiddle(Doubled):
    def forward(self, x):
        return F.tanh(super().forward(x))


def tripled(self, x):
    return self.forward(x) * 3


class Assigned(InTheMiddle):
    __call__ = tripled


class OnlyCall(chainer.Chain):
    def __call__(self, x):
        return x * 5


class Wrapping(chainer.Chain):
    """Takes whatever what it wraps takes, and has no `forward`."""

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.child = Doubled()

    def __call__(self, *args, **kwargs):
        return F.tanh(self.child(*args, **kwargs))


class Times7:
    def __call__(self, x):
        return x * 7


class MixedIn(chainer.Chain, Times7):
    def forward(self, x):
        return x


class MixedInBefore(Times7, chainer.Chain):
    def forward(self, x):
        return x


class OnTheInstance(chainer.Chain):
    def __init__(self):
        super().__init__()
        self.forward = self.other

    def other(self, x):
        return x * 11


class ALambda(chainer.Chain):
    def __init__(self):
        super().__init__()
        self.forward = lambda x: x * 13

    def forward(self, x):
        return x


class Parent(chainer.Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.child = Doubled()

    def forward(self, x):
        return self.child(x) + self.child.forward(x)


class Seen(chainer.LinkHook):
    name = "seen"

    def forward_preprocess(self, args):
        args.link.seen = args.link.seen + 2


class Hooked(chainer.Chain):
    seen = 1

    def __init__(self):
        super().__init__()
        self.add_hook(Seen())

    def forward(self, x):
        return x * self.seen


class HookedChild(chainer.Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.child = Hooked()

    def forward(self, x):
        return self.child(x)


class Reader(chainer.Link):
    seen = 1

    def forward(self, x):
        return x * self.seen


class HookInTheProgram(chainer.Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.child = Reader()

    def forward(self, x):
        for row in x:
            with Seen():
                x = x + self.child(row)
        return self.child(x)


class Timed(HookInTheProgram):
    def forward(self, x):
        with chainer.link_hooks.TimerHook(), chainer.function_hooks.TimerHook():
            return F.tanh(self.child(x))


CHAINS = [
    *(
        Doubled,
        Passing,
        InTheMiddle,
        Assigned,
        OnlyCall,
        Wrapping,
        MixedIn,
        MixedInBefore,
        OnTheInstance,
    ),
    *(ALambda, Parent, Hooked, HookedChild, HookInTheProgram, Timed),
]


@pytest.mark.parametrize("cls", CHAINS)
def test_call(cls: type, tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    axes = {0: {0: "rows"}}
    chain = cls()
    model = elichika.compile_model(chain, [X], path, dynamic_axes=axes)  # verified
    assert model.signature.method is None
    elichika.load(path).verify((X,), chain=chain, derive=False)
    for x in (X, X[:1], X[:0]):
        assert_equal(_called(chain, x), model(x))


def _called(chain: Any, x: Any) -> Any:
    with chainer.using_config("train", False):
        return copy.deepcopy(chain)(x)


@pytest.mark.parametrize("cls", [Doubled, Passing, Assigned, MixedIn, Hooked])
def test_the_method_that_is_asked_for(cls: type, tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    chain = cls()
    model = elichika.compile_model(chain, [X], path, method="forward")
    assert elichika.load(path).signature.method == "forward"
    assert_equal(chain.forward(X), model(X))
    called = elichika.compile_model(chain, [X], method="__call__")
    assert_equal(_called(chain, X), called(X))


class Shift(chainer.FunctionHook):
    name = "shift"

    def forward_preprocess(self, function, in_data):
        in_data[0][...] += 1


class Shifted(chainer.Chain):
    def forward(self, x):
        with Shift():
            return F.tanh(x)


def test_function_hooks_of_the_program_are_refused() -> None:
    with pytest.raises(elichika.StagingError, match="a Shift around Tanh is not compiled"):
        elichika.compile_model(Shifted(), [X])
    with Shift(), pytest.raises(elichika.StagingError, match="a Shift around Tanh"):
        elichika.compile_model(Timed(), [X])


def test_a_hook_of_all_links_is_part_of_the_call() -> None:
    with Seen():
        model = elichika.compile_model(Reader(), [X], verify=False)
        assert_equal(X * 3, model(X))
    assert_equal(X, elichika.compile_model(Reader(), [X])(X))


class Neither(chainer.Chain):
    pass


def test_a_chain_that_cannot_be_called() -> None:
    with pytest.raises(elichika.InputError, match="Neither has no method `forward`"):
        elichika.compile_model(Neither(), [X])
