"""What a call changes outside its frame: named in the report, carried as state, put back."""

from __future__ import annotations

import copy
import sys
from typing import Any

import chainer
import numpy as np
import pytest

import elichika
from tests.programs import assert_equal, chain_with
from tests.spaces import restored

X = np.arange(3, dtype=np.float32) - 0.5
HERE = sys.modules[__name__]
FILE = "test_outliving.py"

N = 0
LIST = [1.0, 2.0]
DICT = {"a": 1}
ARRAY = np.zeros(1, np.float32)


class H:
    n = 0
    pair = [0.0, 1.0]  # noqa: RUF012
    array = np.zeros(1, np.float32)


class Held:
    def __init__(self) -> None:
        self.v = 0.0


def counted(x):
    counted.count += 1
    return x * counted.count


counted.count = 0


def with_list(x, seen=[0, 1]):  # noqa: B006
    seen[0] += 1
    return x * seen[0]


def with_array(x, sums=np.zeros(1, np.float32)):  # noqa: B008
    sums += 1
    return x * sums


def with_dict(x, *, d={"k": 0}):  # noqa: B006
    d["k"] += 1
    return x * d["k"]


def counter():
    total = 0

    def step(x):
        nonlocal total
        total += 1
        return x * total

    return step


class Model(chainer.Chain):
    k = 0

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.w = chainer.Parameter(np.ones(1, np.float32))
        self.u = np.zeros(3, np.float32)
        self.l = [0.0, np.zeros(1, np.float32)]
        self.d = {"a": 0.0}
        self.o = {"k": [Held()]}
        self.step = counter()


CASES: dict[str, Any] = {}


def changes(*names: str) -> Any:
    """Add a program that changes these places."""

    def add(forward: Any) -> Any:
        CASES[forward.__name__] = (forward, names)
        return forward

    return add


@changes(f"the global N of {FILE}")
def global_name(self, x, n):
    global N
    N += n
    return x * N


@changes(f"the global N of {FILE}")
def global_in_a_branch(self, x, n):
    global N
    if n > 1:
        N += 1
    return x * N


@changes(f"the global N of {FILE}")
def module_attribute(self, x, n):
    sys.modules[__name__].N += 1
    return x * N


@changes(f"a list that outlives it (the global LIST of {FILE})")
def item_of_a_global_list(self, x, n):
    LIST[0] += n
    return x * LIST[0]


@changes(f"a dict that outlives it (the global DICT of {FILE})")
def item_of_a_global_dict(self, x, n):
    DICT["a"] += n
    DICT["b"] = DICT.get("b", 0) + 1
    return x * DICT["a"] + DICT["b"]


@changes(f"the global ARRAY of {FILE}")
def view_of_a_global_array(self, x, n):
    v = ARRAY[0:]
    v += n
    return x * ARRAY, ARRAY


@changes("H.n")
def class_attribute(self, x, n):
    H.n += 1
    return x * H.n


@changes("Model.k")
def attribute_of_the_own_class(self, x, n):
    Model.k += n
    return x * self.k


@changes("/k")
def attribute_over_one_of_the_class(self, x, n):
    self.k += 1
    return x * self.k


@changes("a list that outlives it (H.pair)", "H.array")
def containers_of_a_class(self, x, n):
    H.pair[1] += n
    H.array += 1
    return x * H.array + H.pair[1]


@changes("counted.count")
def attribute_of_a_function(self, x, n):
    return counted(x)


@changes("a list that outlives it (the default seen of with_list)")
def default_list(self, x, n):
    return with_list(x)


@changes("the default sums of with_array")
def default_array(self, x, n):
    return with_array(x) + n


@changes("a dict that outlives it (the default d of with_dict)")
def default_dict(self, x, n):
    return with_dict(x)


@changes("/u")
def views_of_an_attribute(self, x, n):
    self.u[:] = self.u + n
    v = self.u[1:]
    v += 1
    return self.u


@changes("/l", "/l[1]")
def list_of_the_chain(self, x, n):
    self.l[0] += 1
    self.l[1] += n
    return x * self.l[0] + self.l[1]


@changes("/d")
def dict_of_the_chain(self, x, n):
    self.d["a"] += n
    self.d["b"] = self.d.get("b", 0) + 1
    return x * self.d["a"] + self.d["b"]


@changes("/o['k'][0].v")
def object_in_containers(self, x, n):
    self.o["k"][0].v += n
    return x * self.o["k"][0].v


@changes("/w")
def parameter(self, x, n):
    self.w.array[:] += n
    return x * self.w


@changes("/w")
def another_array_of_a_parameter(self, x, n):
    self.w.array = self.w.array + n
    return x * self.w.array


@changes("chainer.config.mine")
def configuration(self, x, n):
    chainer.config.mine = getattr(chainer.config, "mine", 0) + n
    return x * chainer.config.mine


@changes("/q", "H.n", f"the global N of {FILE}")
def several(self, x, n):
    global N
    N += 1
    H.n += n
    self.q = getattr(self, "q", 0) + 2
    return x * N + H.n * self.q


def model_of(forward: Any) -> chainer.Chain:
    return chain_with(forward, Model)


@pytest.fixture(autouse=True)
def put_back() -> Any:
    with restored(HERE):
        yield
    if hasattr(chainer.config, "mine"):
        del chainer.config.mine


@pytest.mark.parametrize("name", CASES)
def test_the_report_names_what_a_call_changes(name: str) -> None:
    forward, names = CASES[name]
    model = elichika.compile_model(model_of(forward), (X, 2))  # verified, so it is put back
    assert f"a call changes {', '.join(sorted(names))}; the model always" in str(model.report)
    expected = model_of(forward)(X, 2)
    for _ in range(2):
        assert_equal(expected, model(X, 2))


@pytest.mark.parametrize("name", CASES)
def test_state_goes_from_call_to_call(name: str) -> None:
    forward, _ = CASES[name]
    model = elichika.compile_model(model_of(forward), (X, 2), state=True)  # verified
    chain = model_of(forward)
    calls = [(X, 2), (X + 1, 0), (X, 3), (X - 2, 1)]
    expected = [copy.deepcopy(chain(*call)) for call in calls]
    for _ in range(2):
        for call, one in zip(calls, expected, strict=True):
            assert_equal(one, model(*call), f"{call}: ")
        model.reset()


class Counting(Model):
    def forward(self, x, n):
        global N
        N += n
        H.array += 1
        DICT["a"] += 1
        return x * N + ARRAY, H.array, DICT["a"]


def test_a_loaded_model_is_verified_from_the_same_place(tmp_path: Any) -> None:
    elichika.compile_model(Counting(), (X, 2), tmp_path / "m.onnx")
    elichika.load(tmp_path / "m.onnx").verify((X, 2), (X, 1), chain=Counting())
    assert (N, H.array.tolist(), DICT) == (0, [0.0], {"a": 1})


class Sharing(Model):
    """Holds what a global holds too, and a view beside its array."""

    def __init__(self) -> None:
        super().__init__()
        self.l = LIST
        self.v = self.u[1:]

    def forward(self, x, n):
        LIST[0] += n
        self.v += 1
        self.u[0] += 2
        return x * self.l[0], self.u, self.v


def test_copies_for_verification_share_what_the_chain_shares() -> None:
    model = elichika.compile_model(Sharing(), (X, 2))  # verified
    assert LIST == [1.0, 2.0]
    assert "a call changes /l, /u;" in str(model.report)
    assert_equal(model(X, 2), Sharing()(X, 2))


def name_of_a_cell(self, x, n):
    return self.step(x)


def test_a_name_that_a_function_closes_over() -> None:
    model = elichika.compile_model(model_of(name_of_a_cell), (X, 2))
    assert "a call changes the name total around step;" in str(model.report)
    model = elichika.compile_model(model_of(name_of_a_cell), (X, 2), state=True)
    for turn in (1, 2, 3):
        assert_equal(X * turn, model(X, 2))


def put_back_by_itself(self, x, n):
    old = H.n
    H.n = 5
    with chainer.using_config("mine", 3):
        x = x * H.n + chainer.config.mine
    H.n = old
    self.extra = 3
    del self.extra
    return x


def test_what_is_put_back_is_no_change() -> None:
    model = elichika.compile_model(model_of(put_back_by_itself), (X, 2))
    assert "a call changes" not in str(model.report)
    assert elichika.compile_model(model_of(put_back_by_itself), (X, 2), state=True).state == {}


def global_list_grows(self, x, n):
    LIST.append(2.0)
    return x * len(LIST)


def own_list_grows(self, x, n):
    self.l.append(n)
    return x * len(self.l)


def objects_are_chained(self, x, n):
    new = Held()
    new.before, new.v = getattr(self, "h", None), x
    self.h = new
    return x if new.before is None else new.before.v


@pytest.mark.parametrize(
    ("forward", "shown", "line"),
    [
        (global_list_grows, f"a list that outlives it (the global LIST of {FILE})", "LIST.append"),
        (own_list_grows, "/l", "self.l.append(n)"),
        (objects_are_chained, "/h", "self.h = new"),
    ],
)
def test_what_cannot_be_carried_is_named(forward: Any, shown: str, line: str) -> None:
    with pytest.raises(elichika.StagingError) as caught:
        elichika.compile_model(model_of(forward), (X, 2), state=True)
    assert caught.value.message == f"state=True: {shown}, which a call changes, cannot be an input"
    assert line in str(caught.value)


def object_is_kept(self, x, n):
    h = Held()
    h.v = x
    self.h, old = h, getattr(self, "h", None)
    return x if old is None else old.v


def dict_is_kept(self, x, n):
    old = getattr(self, "h", None)
    self.h = {"n": n, "sum": x} if old is None else {"n": old["n"] + n, "sum": old["sum"] + x}
    return self.h["n"], self.h["sum"]


@pytest.mark.parametrize("forward", [object_is_kept, dict_is_kept])
def test_what_a_call_makes_is_kept(forward: Any) -> None:
    model = elichika.compile_model(model_of(forward), (X, 2), state=True, verify=False)
    eager = model_of(forward)
    for turn in range(4):
        assert_equal(eager(X + turn, turn), model(X + turn, turn))
