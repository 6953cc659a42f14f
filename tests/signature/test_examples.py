"""Programs compiled from several calls, and run on others: each kind of argument is right."""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import chainer
import numpy as np
import pytest
from chainer import functions as F

import elichika
from tests.programs import chain_with, difference, f32, ints, outcome

Box = namedtuple("Box", "left right")
SMALL, LARGE = f32(2, 3), f32(4, 3)


@dataclass(frozen=True)
class Case:
    """A program, the calls that it is compiled from, and others of the same kinds.

    Attributes:
        inputs: What the model has, in words.
        options: For `compile_model`.
    """

    forward: Callable[..., Any]
    calls: list[tuple[Any, ...]]
    others: list[tuple[Any, ...]]
    inputs: str
    options: dict[str, Any]


CASES: list[Case] = []


def case(
    calls: list[tuple[Any, ...]],
    others: list[tuple[Any, ...]],
    inputs: str,
    **options: Any,
) -> Callable[[Any], Any]:
    """Let a function be the `forward` of a case."""

    def keep(forward: Any) -> Any:
        CASES.append(Case(forward, calls, others, inputs, options))
        return forward

    return keep


@case([(SMALL,), (LARGE,)], [(f32(0, 3),), (f32(1, 3),), (f32(9, 3),)], "x float32[x_0, 3]")
def sizes(self: Any, x: Any) -> Any:
    return F.sum(x, axis=0) / max(len(x), 1)


@case(
    [(SMALL, SMALL), (LARGE, LARGE)],
    [(f32(7, 3), f32(7, 3)), (f32(7, 3), f32(1, 3)), (f32(2, 3), f32(5, 3))],
    "x float32[x_0, 3]; y float32[y_0, 3]",
)
def sizes_that_were_equal_need_not_be(self: Any, x: Any, y: Any) -> Any:
    return F.broadcast_to(y, x.shape) * x if len(y) == 1 else x + y


@case(
    [(SMALL, SMALL[:, :2], SMALL), (LARGE, LARGE[:, :2], LARGE)],
    [(f32(n, 3), f32(n, 2), f32(m, 3)) for n, m in ((7, 7), (1, 3), (0, 0))],
    "x float32[x_0, 3]; y float32[x_0, 2]; z float32[z_0, 3]",
)
def sizes_that_have_to_be_equal(self: Any, x: Any, y: Any, z: Any) -> Any:
    return F.concat([x, y], axis=1), F.vstack([x, z])


@case(
    [(SMALL, SMALL, 1), (LARGE, LARGE, 0)],
    [(f32(7, 3), f32(7, 3), 2), (f32(7, 3), f32(2, 3), -1)],
    "x float32[x_0, 3]; y float32[y_0, 3]; n int",
)
def sizes_that_a_branch_wants_to_be_equal(self: Any, x: Any, y: Any, n: Any) -> Any:
    return F.concat([x, y], axis=1) if n > 0 else x


@case(
    [(SMALL, 2), (LARGE, 2.5)],
    [(f32(3, 3), -7), (SMALL, 0), (SMALL, 0.0), (LARGE, -0.25), (SMALL, 1000)],
    "x float32[x_0, 3]; n_kind int; n_int int; n_float float",
)
def an_int_or_a_float(self: Any, x: Any, n: Any) -> Any:
    return x * n, n // 2, n / 2, isinstance(n, int)


@case(
    [(3, 4), (3, 0.5), (1.5, True)],
    [(1, 2), (-1, 2.5), (2.5, False), (0.5, 3), (2, True), (1.25, 0.75)],
    "a_kind int; a_int int; a_float float; b_kind int; b_int int; b_float float; b_bool bool",
)
def numbers_of_several_types(self: Any, a: Any, b: Any) -> Any:
    return a + b, a if b else None


@case(
    [(SMALL,), (LARGE, LARGE), (f32(5, 3), None)],
    [(f32(1, 3),), (SMALL, None), (f32(4, 3), f32(4, 3, seed=5))],
    "x float32[x_0, 3]; mask_kind int; mask float32[4, 3]",
)
def an_array_or_none(self: Any, x: Any, mask: Any = None) -> Any:
    if mask is None:
        return None
    return F.sum(x * mask, axis=1)


@case(
    [(SMALL, "train"), (LARGE, "eval"), (SMALL,)],
    [(f32(1, 3), "train"), (f32(6, 3), "eval"), (f32(0, 3),)],
    "x float32[x_0, 3]; mode_kind int",
)
def a_text_chooses(self: Any, x: Any, mode: str = "fast") -> Any:
    if mode == "train":
        return x * 2, mode
    if mode == "eval":
        return {"y": F.relu(x), "mode": mode}
    return x


@case(
    [(1,), ("one",), (None,)],
    [(5,), (-5,)],
    "n_kind int; n int",
)
def an_int_or_a_text(self: Any, n: Any) -> Any:
    return n * 2 if n is not None else "nothing"


@case(
    [([1, 2],), ([0.5],), ([SMALL, SMALL],), ([],)],
    [([7],), ([1, 2, 3, 4],), ([2.5, 0.25, 1.0],), ([f32(2, 3)] * 5,)],
    "xs_kind int; xs_list_int list of int; "
    "xs_list_float list of float; xs_list_float32 list of float32[2, 3]",
)
def lists_of_unlike_elements(self: Any, xs: Any) -> Any:
    total = 0
    for x in xs:
        total = total + x
    return total, len(xs)


@case(
    [(SMALL,), ([SMALL[0], LARGE[0]],)],
    [(f32(2, 3, seed=3),), ([f32(3)],), ([f32(3)] * 4,)],
    "x_kind int; x_float32 float32[2, 3]; x_list_float32 list of float32[3]",
)
def an_array_or_a_list(self: Any, x: Any) -> Any:
    return F.stack(x) if isinstance(x, list) else F.exp(x)


@case(
    [((SMALL, 1),), ((LARGE, 2, 2.5),), ((),)],
    [((f32(1, 3), 5),), ((f32(7, 3), 5, 0.5),), ((),)],
    "x_kind int; x_0 float32[x_0_0, 3]; x_1 int; x_2 float",
)
def tuples_of_unlike_lengths(self: Any, x: Any) -> Any:
    if not x:
        return "empty"
    y = x[0] * x[1]
    return y + x[2] if len(x) == 3 else y


@case(
    [({"x": SMALL},), (OrderedDict(x=LARGE),), ({"x": LARGE, "scale": 2},)],
    [({"x": f32(5, 3)},), ({"x": f32(1, 3), "scale": -3},), (OrderedDict(x=f32(3, 3)),)],
    "d_kind int; d_x float32[d_x_0, 3]; d_scale int",
)
def dicts_of_unlike_keys(self: Any, d: Any) -> Any:
    y = d["x"] * d.get("scale", 3)
    return y, type(d) is dict, [*d]


@case(
    [(Box(SMALL, 1),), ((SMALL, 1),), (Box(LARGE, None),)],
    [(Box(f32(6, 3), 4),), ((f32(2, 3, seed=1), 0),), (Box(f32(1, 3), None),)],
    "b_kind int; b_left float32[b_left_0, 3]; b_right_kind int; "
    "b_right int; b_0 float32[2, 3]; b_1 int",
)
def a_namedtuple_or_a_tuple(self: Any, b: Any) -> Any:
    scale = b.right if hasattr(b, "right") else b[1]
    return b[0] * (10 if scale is None else scale)


@case(
    [(SMALL,), (SMALL.astype("d"),), (ints(2, 3),)],
    [(f32(2, 3, seed=2),), (f32(2, 3, seed=2).astype("d"),), (ints(2, 3, seed=2),)],
    "x_kind int; x_float32 float32[2, 3]; x_float64 float64[2, 3]; x_int64 int64[2, 3]",
    merge_dtypes=True,
)
def unlike_dtypes(self: Any, x: Any) -> Any:
    return x * 2, x.dtype == np.float32


@case(
    [(f32(3),), (f32(2, 3),), (np.float32(2),)],
    [(f32(3, seed=1),), (f32(2, 3, seed=1),), (np.float32(-2),)],
    "x_kind int; x_float32 float32[3]; x_float32_2 float32[2, 3]; x_float32_3 float32",
)
def unlike_ranks(self: Any, x: Any) -> Any:
    return x + 1, x.ndim


@case(
    [(), (SMALL,), (SMALL, SMALL)],
    [(f32(5, 3),), (f32(5, 3), f32(5, 3, seed=3)), ()],
    "xs_kind int; xs_0 float32[n, 3]; xs_1 float32[n, 3]",
    dynamic_axes={"xs": {0: "n"}},
)
def star_arguments(self: Any, *xs: Any) -> Any:
    return [F.sum(x) for x in xs]


@case(
    [(chainer.Variable(SMALL), 1), (SMALL, 2)],
    [(f32(2, 3, seed=1), 5), (chainer.Variable(f32(2, 3, seed=1)), 5)],
    "x_kind int; x_float32 float32[2, 3]; x_float32_2 float32[2, 3]; n int",
)
def a_variable_or_an_array(self: Any, x: Any, n: Any) -> Any:
    return x * n, isinstance(x, chainer.Variable)


@case(
    [(SMALL, 3, None), (SMALL, 0, 2.0), (LARGE, 5, None)],
    [(f32(6, 3), 0, None), (f32(6, 3), 1, 0.5), (f32(6, 3), 4, -1.5)],
    "x float32[x_0, 3]; n int; decay_kind int; decay float",
)
def a_loop_in_each(self: Any, x: Any, n: Any, decay: Any) -> Any:
    kept = []
    for _ in range(n):
        x = x * (0.5 if decay is None else decay)
        kept.append(F.sum(x))
    return x, kept


@dataclass(frozen=True)
class Scale:
    """One of two classes that an argument is of."""

    def __call__(self, x: Any) -> Any:
        return x * 3


@dataclass(frozen=True)
class Shift:
    """The other."""

    def __call__(self, x: Any) -> Any:
        return x + 3


KEPT = Scale(), Shift()


@case(
    [(SMALL, KEPT[0]), (LARGE, KEPT[1])],
    [(f32(1, 3), KEPT[1]), (f32(9, 3), KEPT[0])],
    "x float32[x_0, 3]; change_kind int",
    static=("change",),
)
def objects_of_two_classes(self: Any, x: Any, change: Any) -> Any:
    return change(x)


@pytest.mark.parametrize("one", CASES, ids=[one.forward.__name__ for one in CASES])
def test_programs(one: Case) -> None:
    chain, (first, *more) = chain_with(one.forward), one.calls
    model = elichika.compile_model(chain, first, examples=more, verify=False, **one.options)
    assert "; ".join(spec.describe() for spec in model.signature.inputs.specs) == one.inputs
    found = [
        difference(outcome(chain.forward, call), outcome(model, call))
        for call in (*one.calls, *one.others)
    ]
    assert [text for text in found if text] == []


@pytest.mark.parametrize("one", CASES, ids=[one.forward.__name__ for one in CASES])
def test_verified(one: Case) -> None:
    chain, (first, *more) = chain_with(one.forward), one.calls
    model = elichika.compile_model(chain, first, examples=more, **one.options)
    agreed = model.report.verification.agreed
    assert {"the example", *(f"examples[{number}]" for number in range(len(more)))} <= {*agreed}


def test_a_file_takes_them_all(tmp_path: Any) -> None:
    path = tmp_path / "model.onnx"
    chain = chain_with(a_text_chooses)
    elichika.compile_model(chain, (SMALL, "train"), path, examples=[(LARGE, "eval"), (SMALL,)])
    model = elichika.load(path)
    for call in ((SMALL, "eval"), (f32(9, 3), "train"), (f32(9, 3),)):
        assert difference(outcome(chain.forward, call), outcome(model, call)) is None
    (y,) = model.run({"x": SMALL, "mode_kind": 2})[-1:]
    np.testing.assert_array_equal(y, SMALL)
    with pytest.raises(elichika.ModelRuntimeError, match="stand for no call that an"):
        model.run({"x": SMALL, "mode_kind": 3})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ((SMALL, "other"), "`mode` is 'other', not 'train', 'eval' or 'fast'."),
        ((SMALL, None), "`mode` is None, not 'train', 'eval' or 'fast'."),
        ((SMALL[0], "eval"), "`x` has rank 1, not 2."),
    ],
)
def test_what_was_not_shown_is_refused(call: Any, message: str) -> None:
    chain = chain_with(a_text_chooses)
    model = elichika.compile_model(
        chain, (SMALL, "train"), examples=[(LARGE, "eval"), (SMALL,)], verify=False
    )
    with pytest.raises(elichika.InputError) as caught:
        model(*call)
    assert str(caught.value) == message


def refused_in_part(self: Any, x: Any, mode: Any = None, k: Any = None) -> Any:
    if mode == "text" and k is None:
        return eval("x + 1")
    return x * (2 if k is None else k)


def test_a_combination_that_no_example_shows_may_be_refused(tmp_path: Any) -> None:
    chain = chain_with(refused_in_part)
    examples = [(LARGE, None, None), (LARGE, None, 5)]
    path = tmp_path / "model.onnx"
    model = elichika.compile_model(chain, (SMALL, "text", 3), path, examples=examples)
    assert model.report.notes[-1][1] == (
        "the model takes no call with `mode` 'text', `k` None, which no example shows: `eval` of "
        "anything but one name is not compiled"
    )
    for one in (model, elichika.load(path)):
        for call in ((f32(7, 3), "text", -1), (f32(7, 3), None, 4), (f32(7, 3), None, None)):
            assert difference(outcome(chain.forward, call), outcome(one, call)) is None
        with pytest.raises(elichika.InputError) as caught:
            one(SMALL, "text", None)
        text = "The model takes no call with `mode` 'text', `k` None: the program was refused."
        assert str(caught.value) == text


def test_an_example_that_is_refused_is_named() -> None:
    chain = chain_with(refused_in_part)
    with pytest.raises(elichika.StagingError) as caught:
        elichika.compile_model(chain, (SMALL,), examples=[(LARGE, "text")])
    assert caught.value.also == "this is of calls with `mode` 'text'"


def only_with_one(self: Any, x: Any = None, y: Any = None) -> Any:
    return x + 1 if y is None else y * 2 if x is None else x + y


def test_a_combination_that_fails_fails_when_it_runs() -> None:
    chain = chain_with(only_with_one)
    model = elichika.compile_model(chain, (SMALL,), examples=[{"y": SMALL}, (SMALL, SMALL)])
    for call in ((SMALL, LARGE[:2]), (SMALL,), (None, SMALL), ()):
        assert difference(outcome(chain.forward, call), outcome(model, call)) is None


def test_sizes_that_have_to_be_equal_are_asked_for() -> None:
    chain = chain_with(sizes_that_have_to_be_equal)
    (first, *more), inputs = [(s, s[:, :2], s) for s in (SMALL, LARGE)], (LARGE, SMALL[:, :2])
    model = elichika.compile_model(chain, first, examples=more)
    notes = [text for _, text in model.report.notes]
    assert "y_0 is x_0: they were equal in all examples, and have to be" in notes
    with pytest.raises(elichika.InputError, match="`x_0`"):
        model(*inputs, LARGE)
    assert isinstance(outcome(chain.forward, (*inputs, LARGE)), Exception)


def attention(self: Any, q: Any, k: Any) -> Any:
    return F.matmul(q, k)


def test_sizes_that_a_product_sums_over_are_asked_for() -> None:
    chain = chain_with(attention)
    first, *more = [(f32(n, m), f32(m, k)) for n, m, k in ((2, 3, 4), (3, 5, 4), (4, 6, 7))]
    model = elichika.compile_model(chain, first, examples=more)
    notes = [text for _, text in model.report.notes]
    assert "k_0 is q_1: they were equal in all examples, and have to be" in notes
    with pytest.raises(elichika.InputError, match="`q_1`"):
        model(f32(2, 3), f32(4, 4))
    assert model(f32(2, 1), f32(1, 2)).shape == (2, 2)


def test_sizes_differ_between_the_dtypes_of_an_argument() -> None:
    chain = chain_with(lambda self, x: x + 1)
    calls = [(f32(3, 2),), (ints(4, 2),)]
    model = elichika.compile_model(chain, calls[0], examples=calls[1:], merge_dtypes=True)
    for call in (*calls, (f32(9, 2),), (ints(0, 2),)):
        assert difference(outcome(chain.forward, call), outcome(model, call)) is None
