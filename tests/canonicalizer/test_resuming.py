"""Generators that go on where they are told, run by Python beside the generators themselves."""

from __future__ import annotations

import random
import textwrap
from typing import Any

import gast
import pytest

from canonicalizer import canonical_source_of, canonicalize
from canonicalizer.check import check
from canonicalizer.errors import Unframed
from canonicalizer.generators import closes_itself
from canonicalizer.resuming import resumed
from canonicalizer.walking import walk
from elichika.idioms.resuming import Resumable, asked, delegated

GENERATORS = textwrap.dedent("""
    def total(log):
        t = 0
        while True:
            v = yield t
            if v is None:
                break
            t += v
        return t

    def both(log):
        return (yield 1) + (yield 2) * 10

    def caught(log):
        bad = 0
        for i in range(5):
            try:
                v = yield bad
                if v == 3:
                    raise KeyError(v)
                log.append(v)
            except KeyError as e:
                bad += 1
                log.append(e.args)
            except ValueError:
                yield -1
                log.append("v")
            else:
                if v == 2:
                    continue
                log.append("else")
            finally:
                log.append("finally")
                if i == 3:
                    yield 33
        return bad

    def nested(log):
        try:
            try:
                for i in [1, 2, 3]:
                    yield i
            except ValueError as e:
                log.append("inner")
                raise KeyError(1) from e
            finally:
                log.append("first")
        except (KeyError, GeneratorExit):
            log.append("outer")
            raise
        finally:
            log.append("second")

    def ignores(log):
        while len(log) < 4:
            try:
                yield 5
            except BaseException:
                log.append(0)

    def delegates(log):
        a = yield from total(log)
        log.append(a)
        b = yield from [7, 8]
        log.append(b)
        try:
            yield from nested(log)
        except KeyError:
            yield 77
        return a

    def left(log):
        for i in range(3):
            for j in range(3):
                v = yield i, j
                if v == 1:
                    break
                if v == 2:
                    return i
            else:
                log.append(i)

    def raises(log):
        yield 1
        raise StopIteration(4)

    def over(log):
        items = iter([1, 2, 3, 4, 5])
        for v in items:
            w = yield v
            if w == 2:
                log.append(next(items, None))
            for i, u in enumerate(items):
                log.append(u)
                if u > 3:
                    break
                yield i, u
        else:
            log.append("end")

    def called(log):
        for v in map(log.append, [1, 2, 3]):
            if (yield v) == 3:
                return 8
        for a in reversed("ab"):
            yield a

    def of_one_that_raises(log):
        def items():
            yield 1
            raise KeyError(2)

        try:
            for v in items():
                yield v
        except KeyError as e:
            log.append(e.args)
            yield 3

    def unset(log):
        v = yield
        if v:
            w = v
        yield 1
        log.append(w)
""")
SPACE: dict[str, Any] = {}
exec(GENERATORS, SPACE)
TREES = {node.name: node for node in gast.parse(GENERATORS).body}


def step_by_step(name: str) -> Any:
    """Return a generator function, rewritten and run by Python."""
    tree = resumed(canonicalize(TREES[name]), delegated, asked)
    check(tree)
    for node in walk(tree):
        match node:
            case gast.Call(func=gast.Constant(value=called)):
                node.func = gast.Name(called.__name__, gast.Load(), None, None)
    space = {**SPACE, "delegated": delegated, "asked": asked}
    exec(canonical_source_of(tree), space)
    return lambda log: Resumable(space[name](log))


def done(generator: Any, log: list[Any], seed: int) -> list[Any]:
    """Return what a generator gives and leaves behind where random things are asked of it."""
    chance = random.Random(seed)
    found: list[Any] = []
    for _ in range(12):
        what = chance.choice(["next", "next", "send", "send", "throw", "close"])
        try:
            match what:
                case "next":
                    found.append(next(generator))
                case "send":
                    found.append(generator.send(chance.randrange(4)))
                case "throw":
                    kind = chance.choice([KeyError, ValueError, ValueError(3), GeneratorExit])
                    found.append(generator.throw(kind))
                case "close" if chance.random() < 0.4:
                    found.append(generator.close())
        except BaseException as error:
            cause = type(error.__cause__).__name__
            found.append((type(error).__name__, error.args, cause))
    return [kinds(found), [*log]]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("name", TREES)
def test_gives_what_the_generator_gives(name: str) -> None:
    rewritten = step_by_step(name)
    for seed in range(150):
        one, other = list[Any](), list[Any]()
        expected = done(SPACE[name](one), one, seed)
        found = done(rewritten(other), other, seed)
        assert found == expected, seed


def kinds(found: list[Any]) -> list[Any]:
    """Return what was found, without the words for a name that is not set."""
    names = ("NameError", "UnboundLocalError")
    return ["unset" if isinstance(one, tuple) and one[0] in names else one for one in found]


def test_what_is_not_cut() -> None:
    code = """
    def g(a):
        with a:
            yield 1
    """
    (tree,) = gast.parse(textwrap.dedent(code)).body
    with pytest.raises(Unframed, match="`with`"):
        resumed(canonicalize(tree), delegated, asked)


def test_what_closing_runs() -> None:
    closing = {name for name, tree in TREES.items() if closes_itself(canonicalize(tree))}
    assert closing == {"caught", "nested", "ignores"}
