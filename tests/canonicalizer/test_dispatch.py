"""Methods of objects whose class the data decide."""

from __future__ import annotations

import ast

import gast
import pytest

from canonicalizer.dispatch import can_dispatch, dispatching
from canonicalizer.group import Member, calls_of
from canonicalizer.parsing import parse


class Square:
    def __init__(self, side):
        self.side = side

    def area(self, n, scale=1):
        return self.side**2 * n * scale

    def __len__(self):
        return 4

    def __call__(self, n):
        return n * self.side


class Disk(Square):
    def area(self, n, scale=1):
        return 3 * self.side**2 * n * scale


def call_of(code):
    return gast.ast_to_gast(parse(code)).body[0].value


def hides(receiver, name):
    return name in vars(receiver)


def length(made):
    return made


def unchanged(receiver):
    return receiver


def made(code, method):
    """Return the function for a call, and its calls of members."""
    options = {
        cls: Member(gast.ast_to_gast(parse("def f(): pass")).body[0]) for cls in (Square, Disk)
    }
    member = dispatching(call_of(code), method, options, hides, unchanged, length)
    return member, [list(options.values()).index(one.member) for one in calls_of(member)]


@pytest.mark.parametrize(
    ("code", "method", "arguments", "by"),
    [
        ("shape.area(n)", "area", (2,), lambda shape: shape.area(2)),
        ("shape.area(n, scale=k)", "area", (2, 3), lambda shape: shape.area(2, scale=3)),
        ("len(shape)", "__len__", (), len),
        ("shape(n)", "__call__", (5,), lambda shape: shape(5)),
    ],
)
def test_what_python_runs(code, method, arguments, by):
    member, members = made(code, method)
    tree = gast.gast_to_ast(gast.Module(body=[member.tree], type_ignores=[]))
    assert members == [0, 1]
    text = ast.unparse(ast.fix_missing_locations(tree))
    for known in (Square, Disk, hides, length):
        text = text.replace(repr(known), known.__name__)
    space = {one.__name__: one for one in (Square, Disk, hides, unchanged, length)}
    exec(text, space)
    for shape in (Square(2), Disk(3)):
        assert space[method](shape, *arguments) == by(shape)


@pytest.mark.parametrize("code", ["f(*a)", "f(**a)", "f(receiver=1)", "f(given_0=1)", "f(cls=1)"])
def test_what_is_left(code):
    assert not can_dispatch(call_of(code))
