"""What fails when the model runs: wherever eager raises, on the same inputs, and nowhere else."""

from __future__ import annotations

import math

import chainer
import chainer.functions as F
import numpy as np
import pytest

import elichika
from tests.programs import Program, compiled, f32
from tests.table import NUMBERS, VECTOR_AXES, VECTORS, Table, hold

case = Table()

#: Pairs of arrays and lists of arrays: onnxruntime joins what is empty whatever its other sizes.
PAIRS = [(f32(a, 2), f32(b, 3)) for a, b in ((2, 2), (2, 0), (0, 2), (0, 0), (1, 2), (3, 3))]
PAIR_AXES = {0: {0: "N"}, 1: {0: "M"}}
LISTS = [
    ([f32(a, 2) for a in sizes],) for sizes in ((2, 3), (0, 2), (2, 0), (2,), (2, 2), (3, 3, 3))
]

#: Rows, an int and a float: whole, large, and none that an int could be made of.
SIZES = [
    (f32(5, 3), 2, 2.5),
    (f32(1, 3), 0, -7.25),
    (f32(8, 3), -5, 1e18),
    (f32(2, 3), 2**40, 9e18),
    (f32(4, 3), 7, float("nan")),
    (f32(3, 3), 3, float("inf")),
]


@case()
def assert_on_a_number(self, x, n, c):
    assert n < 3, "n is too large"
    return x * n


@case()
def assert_on_a_tensor(self, x, n, c):
    y = F.softmax(x, axis=1) if len(x) else x
    assert np.abs(x).max(initial=0) < 2
    return y


@case()
def assert_in_a_branch(self, x, n, c):
    if c:
        assert n != 2
    return x


@case()
def assert_in_a_loop(self, x, n, c):
    for i in range(n):
        assert x[i, 0] > 0
    return n


@case()
def assert_on_sizes(self, x, n, c):
    assert x.shape[0] >= 2, x.shape
    return x[0] - x[1]


@case()
def assert_on_what_nobody_uses(self, x, n, c):
    waste = x * 2
    assert waste.sum() > 0
    return n


@case()
def raise_in_a_branch(self, x, n, c):
    if n == 3:
        raise ValueError("no such mode")
    return x


@case()
def raise_at_the_end_of_a_chain(self, x, n, c):
    if n == 0:
        return x
    elif n == 1:
        return -x
    elif n == 2:
        return x * 2
    else:
        raise NotImplementedError


@case()
def raise_in_a_helper(self, x, n, c):
    def require(ok, why):
        if not ok:
            raise RuntimeError(why)

    require(n > 0 or c, "nothing to do")
    return x * n


@case()
def raise_after_a_search(self, x, n, c):
    for i in range(len(x)):
        if x[i, 0] > 0:
            return i
    raise LookupError("none is positive")


@case()
def name_bound_in_one_branch(self, x, n, c):
    if c:
        y = x + 1
    if n > 2:
        return y
    return x


@case()
def name_deleted_in_a_branch(self, x, n, c):
    y = x
    if n > 1:
        del y
    if c:
        return y
    return n


@case()
def loop_variable_without_turns(self, x, n, c):
    for i in range(n):
        pass
    return i


@case()
def name_bound_on_a_later_turn(self, x, n, c):
    total = 0
    for i in range(n):
        if i > 0:
            total += k  # noqa: F821
        if c:
            k = i  # noqa: F841
    return total


@case()
def index_out_of_range(self, x, n, c):
    return x[n]


@case()
def negative_index_out_of_range(self, x, n, c):
    return x[-n, 1]


@case()
def index_out_of_range_in_a_loop(self, x, n, c):
    total = 0.0
    for i in range(n):
        total += float(x[i * 2, 0])
    return total


@case()
def index_of_a_list_out_of_range(self, x, n, c):
    out = []
    for i in range(n):
        out.append(i)
    return out[1]


@case()
def index_of_a_tuple_out_of_range(self, x, n, c):
    return (x, x + 1, x + 2)[n]


@case()
def write_out_of_range(self, x, n, c):
    y = np.zeros(3)
    y[n] = 1
    return y


@case()
def pop_from_an_empty_list(self, x, n, c):
    out = []
    for i in range(n):
        out.append(i)
    return out.pop()


@case()
def remove_what_is_not_there(self, x, n, c):
    out = [0, 1, 2]
    out.remove(n)
    return out


@case()
def missing_key(self, x, n, c):
    return {0: 5, 1: 6, 3: 7}[n]


@case()
def missing_attribute(self, x, n, c):
    class_ = type(self)
    if c:
        self.late = x + 1
    if n != 1:
        return self.late
    return isinstance(self, class_)


@case()
def attribute_of_none(self, x, n, c):
    y = None
    if n:
        y = chainer.Variable(x)
    return y.array * 2


@case()
def none_plus_one(self, x, n, c):
    best = None
    for i in range(n):
        best = i
    return best + 1


@case()
def int_of_two_elements(self, x, n, c):
    return x[:n, 0].item()


@case()
def bool_of_several_elements(self, x, n, c):
    y = x[:n, 0] > 0
    return 1 if y else 0


@case()
def int_of_nan_and_infinity(self, x, n, c):
    value = float(n)
    if n == 3:
        value = float("nan")
    elif n == 5:
        value = float("inf")
    return int(value)


@case(NUMBERS)
def division_by_zero(self, a, b, s):
    return 10 // a


@case(NUMBERS)
def modulo_zero(self, a, b, s):
    return b % a if b else 0


@case(NUMBERS)
def true_division_by_zero(self, a, b, s):
    return b / a, a / 2


@case(NUMBERS)
def float_division_by_zero(self, a, b, s):
    if a > 0:
        return a / s
    return 1.0


@case(NUMBERS)
def division_by_zero_is_lazy(self, a, b, s):
    return a != 0 and 7 % a == 1


@case(NUMBERS)
def division_in_a_loop(self, a, b, s):
    total = 0
    for k in range(a, a + 3):
        total += 12 // k
    return total


@case(NUMBERS)
def root_of_a_negative_number(self, a, b, s):
    import math

    return math.sqrt(s + 1)


@case(NUMBERS)
def overflow_of_a_product(self, a, b, s):
    value = 3
    for _ in range(abs(a)):
        value = value * 7
    return value


@case(NUMBERS)
def step_of_zero(self, a, b, s):
    total = 0
    for i in range(0, 10, a):
        total += i
    return total


@case(NUMBERS)
def negative_shift(self, a, b, s):
    return 1 << a


@case(VECTORS, VECTOR_AXES)
def maximum_of_nothing(self, x):
    return x.max()


@case(VECTORS, VECTOR_AXES)
def maximum_of_an_empty_list(self, x):
    return max([float(v) for v in x if v > 0])


@case(VECTORS, VECTOR_AXES)
def argmax_of_nothing(self, x):
    return x[x > 1].argmin()


@case(VECTORS, VECTOR_AXES)
def shapes_that_do_not_fit(self, x):
    return x + np.ones(5, np.float32)


@case(VECTORS, VECTOR_AXES)
def reshape_that_does_not_fit(self, x):
    return x.reshape(2, -1)


@case(VECTORS, VECTOR_AXES)
def unpacking_of_the_wrong_number(self, x):
    a, b, c, d = x
    return a * d - b * c


@case(VECTORS, VECTOR_AXES)
def concatenation_of_nothing(self, x):
    out = []
    for v in x:
        if v > 0:
            out.append(v[None])
    return np.concatenate(out)


@case(VECTORS, VECTOR_AXES)
def stack_of_ragged_rows(self, x):
    rows = []
    for i in range(len(x)):
        rows.append(x[: i // 2])
    return np.stack(rows)


@case(VECTORS, VECTOR_AXES)
def next_of_nothing(self, x):
    return next(iter([i for i in range(len(x)) if x[i] > 0]))


@case(VECTORS, VECTOR_AXES)
def strict_zip(self, x):
    return [float(a) * b for a, b in zip(x, [1, 2, 3, 4], strict=True)]


@case(VECTORS, VECTOR_AXES)
def strict_zip_left_early(self, x):
    total = 0.0
    for a, b in zip(x, [1, 2, 3], strict=True):
        total += float(a) * b
        if b == 2:
            break
    return total


@case(PAIRS, PAIR_AXES)
def concatenation_of_unlike_rows(self, x, y):
    return F.concat((x, y), axis=1), np.concatenate((x, y), axis=1)


@case(PAIRS, PAIR_AXES)
def stack_of_unlike_arrays(self, x, y):
    return F.stack([x, y[:, :2]])


@case(PAIRS, PAIR_AXES)
def columns_of_unlike_length(self, x, y):
    return F.hstack([x, y]), np.column_stack([x[:, 0], y[:, 0]])


@case(LISTS)
def stack_of_a_list(self, arrays):
    return np.stack(arrays), F.stack(arrays)


@case(LISTS)
def columns_of_a_list(self, arrays):
    return F.concat(arrays, axis=1)


@case(LISTS)
def array_of_a_list(self, arrays):
    return np.array(arrays)


@case(LISTS)
def rows_of_a_list(self, arrays):
    return np.vstack([array[:, 0] for array in arrays])


@case()
def a_handler_for_a_known_error(self, x, n, c):
    try:
        y = {"a": x}["b"]
    except KeyError:
        y = x * n
    return y


@case()
def an_error_in_a_dead_branch(self, x, n, c):
    if x.ndim == 3:
        raise ValueError("three axes")
    return x * n


@case()
def two_checks_in_a_row(self, x, n, c):
    if n > 4:
        raise ValueError("first")
    if len(x) == 0:
        raise ValueError("second")
    return x[0] * n


@case(SIZES, {0: {0: "rows"}})
def ints_of_floats_of_unknown_size(self, x, n, f):
    large = f if n > 1 else float(n)
    return math.ceil(large / 2), int(large), max(n, 3), min(n, len(x), 4)


@case(SIZES, {0: {0: "rows"}})
def ints_of_floats_of_sizes(self, x, n, f):
    half = math.ceil(len(x) / 2)
    more = max((half - 1) * 2 + 3 - len(x), 0)
    padded = F.pad(x, ((more, more // 2), (0, 0)), "constant")
    return half, more // 2, math.floor(float(len(x)) / -1.5), padded


def test_ints_of_floats_of_sizes_need_no_check() -> None:
    (program,) = (p for p in case.programs if p.forward is ints_of_floats_of_sizes)
    names = [node.name for node in compiled(program).proto.graph.node]
    assert not any("OverflowError" in name or "cannot convert" in name for name in names)
    (program,) = (p for p in case.programs if p.forward is ints_of_floats_of_unknown_size)
    names = [node.name for node in compiled(program).proto.graph.node]
    assert sum("cannot convert" in name for name in names) == 2


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_checks(program: Program) -> None:
    hold(program)


def test_a_failing_check_names_its_line() -> None:
    def forward(self, x, n, c):
        for i in range(n):
            assert x[i, 0] > 0, "not positive"
        return x

    program = Program(forward, case.programs[0].inputs)
    model = compiled(program)
    with pytest.raises(elichika.ElichikaError) as caught:
        model(-np.ones((3, 2), np.float32), 1, True)
    assert "not positive" in str(caught.value)
    assert 'assert x[i, 0] > 0, "not positive"' in str(caught.value)


def test_a_write_behind_the_end_of_a_list_says_so() -> None:
    def forward(self, x):
        items = [float(v) for v in x]
        for i in range(len(items)):
            items[i + 1] = items[i]
        return items

    model = compiled(Program(forward, VECTORS, VECTOR_AXES))
    assert "SequenceErase" not in {node.op_type for node in model.proto.graph.node}
    with pytest.raises(elichika.ModelRuntimeError, match="list assignment index out of range"):
        model(f32(3))
