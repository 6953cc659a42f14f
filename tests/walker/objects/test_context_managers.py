"""What sets and restores: the configuration, managers of the program, in loops and branches."""

from __future__ import annotations

import contextlib
import functools
import sys
from typing import Any

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
import pytest

import elichika
from tests.programs import Program, assert_equal, chain_of, check, compiled
from tests.spaces import check_apart
from tests.special.trials import program_from

INPUTS = [
    (np.arange(size, dtype=np.float32) - 0.5, n, c)
    for size in (3, 1)
    for n in (0, 1, 2, 3)
    for c in (False, True)
]
PROGRAMS: list[Program] = []
HERE = sys.modules[__name__]


def attributes() -> dict[str, Any]:
    """The attributes of the chains."""
    norm = L.BatchNormalization(2)
    norm.avg_mean[:], norm.avg_var[:] = [1, 2], [3, 4]
    return {"bn": norm, "k": 5.0}


def program(forward: Any) -> Any:
    """Add a program."""
    PROGRAMS.append(Program(forward, INPUTS, {0: {0: "k"}}, attributes=attributes))
    return forward


class Swap:
    def __init__(self, o, k, v):
        self.o, self.k, self.v = o, k, v

    def __enter__(self):
        self.had = hasattr(self.o, self.k)
        self.old = getattr(self.o, self.k, None)
        setattr(self.o, self.k, self.v)

    def __exit__(self, *_):
        if self.had:
            setattr(self.o, self.k, self.old)
        else:
            delattr(self.o, self.k)


class Depth:
    now = 0

    def __enter__(self):
        self.now += 1

    def __exit__(self, *_):
        self.now -= 1


def _counting(n):
    with chainer.using_config("mine", 3):
        for i in range(n):
            yield i + chainer.config.mine


@contextlib.contextmanager
def swapped(o, k, v):
    old = getattr(o, k, None)
    setattr(o, k, v)
    try:
        yield
    finally:
        if old is None:
            delattr(o, k)
        else:
            setattr(o, k, old)


@contextlib.contextmanager
def swapped_in_line(o, k, v):
    old = getattr(o, k, None)
    setattr(o, k, v)
    yield
    if old is None:
        delattr(o, k)
    else:
        setattr(o, k, old)


@program
def cfg_loop(self, x, n, c):
    y = np.stack([x, x + 1], 1)
    for i in range(n):
        with chainer.using_config("train", True):
            y = y + 1
    return self.bn(y) if False else y * (2 if chainer.config.train else 3)


@program
def cfg_loop_bn(self, x, n, c):
    y = np.stack([x, x + 1], 1)
    for i in range(n):
        with chainer.using_config("train", False):
            y = y + 1
    return self.bn(y)


@program
def cfg_if_bn(self, x, n, c):
    y = np.stack([x, x + 1], 1)
    if c:
        with chainer.using_config("train", False):
            y = y + 1
    return self.bn(y)


@program
def cfg_user(self, x, n, c):
    for i in range(n):
        with chainer.using_config("mine", 3):
            x = x + chainer.config.mine
    return x + (1 if hasattr(chainer.config, "mine") else 2)


@program
def cfg_user_getattr(self, x, n, c):
    if c:
        chainer.config.mine = 4
        x = x + chainer.config.mine
        del chainer.config.mine
    return x + getattr(chainer.config, "mine", 7)


@program
def cfg_set_in_if(self, x, n, c):
    if c:
        chainer.config.mine = 4
    y = x + getattr(chainer.config, "mine", 7)
    if c:
        del chainer.config.mine
    return y


@program
def cfg_forget(self, x, n, c):
    return F.forget(lambda a: F.tanh(a) * 2, chainer.Variable(x))


@program
def cfg_cast(self, x, n, c):
    return F.cast(x, np.float64)


@program
def cfg_global(self, x, n, c):
    return x + (1 if chainer.global_config.train else 2) + (10 if chainer.config.train else 20)


@program
def cfg_break(self, x, n, c):
    for i in range(5):
        with chainer.using_config("train", True):
            if i >= n:
                break
            x = x + 2
    return x * (2 if chainer.config.train else 3)


@program
def cfg_continue(self, x, n, c):
    for i in range(n):
        with chainer.using_config("train", True):
            if i == 1:
                continue
            x = x + 2
    return x * (2 if chainer.config.train else 3)


@program
def cfg_exc(self, x, n, c):
    try:
        with chainer.using_config("train", True):
            raise ValueError("a")
    except ValueError:
        x = x + 1
    return x * (2 if chainer.config.train else 3)


@program
def cfg_nested(self, x, n, c):
    for i in range(n):
        with chainer.using_config("train", True):
            if c:
                with chainer.using_config("train", False):
                    x = x + (1 if chainer.config.train else 2)
            x = x * (3 if chainer.config.train else 4)
    return x * (2 if chainer.config.train else 3)


@program
def cfg_same_manager(self, x, n, c):
    m = chainer.using_config("train", True)
    with m:
        x = x * (3 if chainer.config.train else 4)
    with m:
        x = x * (3 if chainer.config.train else 4)
    return x * (2 if chainer.config.train else 3)


@program
def cfg_dyn(self, x, n, c):
    with chainer.using_config("train", c):
        x = x * (3 if chainer.config.train else 4)
    return x * (2 if chainer.config.train else 3)


@program
def own_ctx(self, x, n, c):
    for i in range(n):
        with Swap(self, "q", i + 1):
            x = x + self.q
    return x * (2 if hasattr(self, "q") else 3)


@program
def own_ctx2(self, x, n, c):
    if c:
        with Swap(self, "k", 7.0):
            x = x + self.k
    return x * self.k


@program
def own_ctx3(self, x, n, c):
    for i in range(n):
        with Swap(self, "k", 7.0):
            if i == 1:
                break
            x = x + self.k
    return x * self.k


@program
def gen_ctx(self, x, n, c):
    for i in range(n):
        with swapped(self, "q", 3):
            x = x + self.q
    return x * (2 if hasattr(self, "q") else 3)


@program
def gen_ctx2(self, x, n, c):
    if c:
        with swapped_in_line(self, "q", 3):
            x = x + self.q
    return x * getattr(self, "q", 5)


@program
def gen_ctx3(self, x, n, c):
    for i in range(n):
        with swapped_in_line(self, "k", 3.0):
            if c:
                x = x + self.k
    return x * self.k


@program
def cfg_default_old(self, x, n, c):
    old = chainer.config.train
    chainer.config.train = True
    x = x * (2 if chainer.config.train else 3)
    chainer.config.train = old
    return x * (2 if chainer.config.train else 3)


@program
def cfg_show_dict(self, x, n, c):
    with chainer.using_config("dtype", np.float16):
        x = x + chainer.get_dtype(None).type(1)
    return x


@program
def cfg_decorated(self, x, n, c):
    with chainer.using_config("train", True), chainer.using_config("mine", 2):
        for i in range(n):
            x = x + (1 if chainer.config.train else 2) * chainer.config.mine
    return x * (2 if chainer.config.train else 3)


def _in_training(x, i):
    with chainer.using_config("train", True):
        if i > 1:
            return x + 1
        x = x + 2
    return x


@program
def code_without_source_sees_the_configuration(self, x, n, c):
    made = chainer.initializers.generate_array
    if c:
        with chainer.using_config("dtype", np.float64):
            x = x + made(chainer.initializers.One(), (1,), np).itemsize
    with chainer.using_config("dtype", np.float16):
        w = made(chainer.initializers.One(), (3,), np)
    return x, w * n, made(chainer.initializers.One(), (3,), np)


@program
def manager_that_counts(self, x, n, c):
    depth = Depth()
    for i in range(5):
        with depth:
            if i >= n:
                break
            if c:
                with depth:
                    x = x + depth.now
            x = x + depth.now
    return x + depth.now * 100


@program
def generator_inside_a_context(self, x, n, c):
    for v in _counting(n):
        x = x + v * getattr(chainer.config, "mine", 10)
    return x + (1 if hasattr(chainer.config, "mine") else 2)


@program
def left_by_return(self, x, n, c):
    for i in range(n):
        x = _in_training(x, i)
    x = _in_training(_in_training(x, 0), 5)
    return x * (2 if chainer.config.train else 3)


@contextlib.contextmanager
def noted(log, n):
    log.append(n)
    try:
        yield n * 2
    finally:
        log.append(-1)


@contextlib.contextmanager
def training():
    before, chainer.config.train = chainer.config.train, True
    try:
        yield
    finally:
        chainer.config.train = before


@training()
def require_some(n):
    if n == 0:
        raise ValueError("n")


@training()
def is_large(n):
    return n > 1


@training()
def note(log, n):
    log.append((n, chainer.config.train))


@program
def functions_that_a_manager_decorates(self, x, n, c):
    log = []
    note(log, n)
    try:
        require_some(n)
    except ValueError:
        log.append((0, False))
    return x * 2, log, 1 if is_large(n) else 0


@program
def decorated_where_it_runs(self, x, n, c):
    log = []

    @noted(log, n)
    def twice(v):
        log.append(v)
        return v * 2

    return twice(n), twice(3), log


class Timed(contextlib.ContextDecorator):
    def __init__(self, log):
        self.log = log

    def __enter__(self):
        self.log.append("in")
        return self

    def __exit__(self, *of):
        self.log.append("out")
        return False


@program
def decorated_by_a_manager_of_a_class(self, x, n, c):
    log = []

    @Timed(log)
    def more(v):
        return v + 1

    with Timed(log):
        result = more(n)
    return result, log


@program
def what_a_manager_is(self, x, n, c):
    manager = noted([], n)
    return (
        callable(manager),
        hasattr(manager, "__enter__"),
        isinstance(manager, contextlib.ContextDecorator),
    )


@program
def a_manager_entered_twice(self, x, n, c):
    log = []
    manager = noted(log, n)
    with manager as v:
        y = x * v
    try:
        with manager:
            y = y + 1
    except AttributeError:
        y = y + 2
    return y, log


@program
def one_of_several_with_arguments_of_a_branch(self, x, n, c):
    log = []
    with noted(log, n * 2) if c else contextlib.nullcontext(5) as v:
        y = x * v
    manager = noted(log, n * 3) if n > 1 else noted(log, n)
    with manager as v:
        y = y + v
    return y, log


def told(generator):
    @functools.wraps(generator)
    def made(log, *of):
        log.append("made")
        return generator(log, *of)

    return made


@contextlib.contextmanager
@told
def told_scope(log, n):
    log.append("in")
    yield n * 2
    log.append("out")


@contextlib.contextmanager
@told
def told_quiet(log):
    try:
        yield
    except ValueError:
        log.append("caught")


@program
def a_function_around_the_generator_runs_once(self, x, n, c):
    log = []
    manager = told_scope(log, n) if c else told_scope(log, n + 1)
    log.append("between")
    with manager as v:
        y = x * v
    with told_quiet(log):
        if n > 1:
            raise ValueError("n")
        y = y + 1
    return y, len(log), log.index("between")


@program
def the_last_of_some_managers(self, x, n, c):
    log = []
    manager = contextlib.nullcontext(5)
    for i in range(n):
        manager = noted(log, i * 2)
    with manager as v:
        y = x * v
    return y, log


@contextlib.contextmanager
def optional(on, log):
    if not on:
        yield
        return
    log.append(1)
    try:
        yield
    finally:
        log.append(2)


@program
def a_yield_in_a_branch(self, x, n, c):
    log = []
    with optional(n > 1, log):
        y = x * n
    return y, log


@contextlib.contextmanager
def some(n):
    if n > 0:
        yield 1


@program
def a_yield_that_may_not_come(self, x, n, c):
    y = x
    if c:
        with some(n) as k:
            y = y + k
    try:
        with some(n - 1) as k:
            y = x + k
    except RuntimeError as error:
        return y * 7, str(error)
    return y, ""


@contextlib.contextmanager
def first(n):
    for i in range(n):
        yield i
        break


@contextlib.contextmanager
def each(n):
    yield from range(n)


@program
def a_yield_in_a_loop(self, x, n, c):
    y = x
    try:
        with first(n) as k:
            y = y + k + 1
        with each(n) as k:
            y = y + k + 2
    except RuntimeError as error:
        return y * 7, str(error)
    return y, ""


@pytest.mark.parametrize("case", PROGRAMS, ids=lambda case: case.name)
def test_context(case: Program) -> None:
    check_apart(case, compiled(case), HERE)


def reads_backprop(self, x, n, c):
    y = x + (1 if chainer.config.enable_backprop else 2)
    for _ in range(n):
        with chainer.no_backprop_mode():
            y = y + (10 if chainer.config.enable_backprop else 20)
            with chainer.force_backprop_mode():
                y = y + (100 if chainer.config.enable_backprop else 200)
        y = y + (1000 if chainer.config.enable_backprop else 2000)
    return F.identity(y)


@pytest.mark.parametrize("on", [True, False])
def test_backprop_is_what_a_call_of_the_chain_sees(on: bool) -> None:
    case = Program(reads_backprop, INPUTS, {0: {0: "k"}})
    with chainer.using_config("enable_backprop", on):
        chain = chain_of(case)
        model = elichika.compile_model(chain, INPUTS[0], dynamic_axes=case.axes)  # verified
        for inputs in INPUTS:
            with chainer.using_config("train", False):
                assert_equal(chain(*inputs), model(*inputs))


def creator_of(self, x, n, c):
    return x + (1 if F.tanh(x).creator is None else 2)


def test_what_made_a_variable() -> None:
    program = Program(creator_of, INPUTS, {"x": {0: "length"}})
    check(program, compiled(program))


@pytest.mark.parametrize(
    "head",
    [
        "with np.errstate(invalid='raise'):",
        "with np.errstate(all='raise', over='ignore'):",
        "with np.errstate(call=print, divide='call'):",
        "with MODES:",
        "if np.seterr(all='raise'):",
        "if np.seterr(**{'divide': 'call'}):",
        "if not warnings.simplefilter('error'):",
        "if not warnings.filterwarnings(action='error'):",
    ],
)
def test_warnings_as_errors_are_refused(head: str) -> None:
    code = f"import warnings\n{head}\n    x = np.log(x)\nreturn x"
    forward = program_from(code, "x, n, c")
    forward.__globals__["MODES"] = np.errstate(invalid="raise")
    with pytest.raises(elichika.StagingError, match="a model cannot raise warnings as errors"):
        compiled(Program(forward, INPUTS[:1]))


def test_recorded_warnings_are_refused() -> None:
    code = "import warnings\nwith warnings.catch_warnings(record=True) as w:\n    x = x + 1\n"
    program = Program(program_from(f"{code}return x if w is None else -x", "x, n, c"), INPUTS)
    with pytest.raises(elichika.StagingError, match="no warnings that could be recorded"):
        compiled(program)


@pytest.mark.parametrize("name", ["errstate", "catch_warnings", "_DummyContext"])
def test_a_manager_of_the_program_with_such_a_name(name: str) -> None:
    code = f"class {name}(Swap):\n    pass\nwith {name}(self, 'k', 3.0):\n    x = x * self.k\n"
    forward = program_from(f"{code}return x * self.k", "x, n, c")
    forward.__globals__["Swap"] = Swap
    managed = Program(forward, INPUTS, {0: {0: "k"}}, attributes=attributes)
    check(managed, compiled(managed))


@pytest.mark.filterwarnings("ignore")
def test_silenced_warnings() -> None:
    code = (
        "import warnings\nold = np.seterr(all='ignore')\nwith np.errstate(all='warn') as e:\n"
        "    x = np.log(x)\nwith warnings.catch_warnings():\n"
        "    warnings.simplefilter('ignore')\n    x = x / 0\nnp.seterr(**old)\n"
        "return x, e is None, len(old)"
    )
    program = Program(program_from(code, "x"), [(given[0],) for given in INPUTS], {0: {0: "k"}})
    check(program, compiled(program))
