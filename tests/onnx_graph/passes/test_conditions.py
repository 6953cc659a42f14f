"""Ifs whose results or conditions are plain need no branches."""

from __future__ import annotations

import numpy as np

from onnx_graph import ONNXGraph
from onnx_graph.passes import conditions, unused_results
from tests.onnx_graph.passes.text import CX, F, check


def test_conditions() -> None:
    def build(g: ONNXGraph) -> None:
        x, c = g.input("x", F, ("N",)), g.input("c", np.bool_, ())
        then, other = g.body("then"), g.body("else")
        with then:
            a = g.Exp(x)
        with other:
            b = g.Sin(x)
        results = g.If(c, then, [a, True, False, x], other, [b, False, True, x])
        for name, value in zip("pqrs", results, strict=True):
            g.output(name, g.Identity(value))
        inner, outer = g.body("then"), g.body("else")
        with inner:
            e = g.Cos(x)
        g.output("e", g.If(True, inner, [e], outer, [x])[0])

    before = """
    if_1: float[N], if_2: bool[], if_3: bool[], if_4: float[N] = If(c)
      else_branch () => (sin_1, identity_1, identity_2, identity_3) {
        sin_1: float[N] = Sin(x)
        identity_1: bool[] = Identity(False)
        identity_2: bool[] = Identity(True)
        identity_3: float[N] = Identity(x)
      }
      then_branch () => (exp_1, identity_4, identity_5, identity_6) {
        exp_1: float[N] = Exp(x)
        identity_4: bool[] = Identity(True)
        identity_5: bool[] = Identity(False)
        identity_6: float[N] = Identity(x)
      }
    p: float[N] = Identity(if_1)
    q: bool[] = Identity(if_2)
    r: bool[] = Identity(if_3)
    s: float[N] = Identity(if_4)
    e: float[N] = If(True)
      else_branch () => (identity_7) {
        identity_7: float[N] = Identity(x)
      }
      then_branch () => (cos_1) {
        cos_1: float[N] = Cos(x)
      }
    """
    after = """
    not_1: bool[] = Not(c)
    if_1: float[N] = If(c)
      else_branch () => (sin_1) {
        sin_1: float[N] = Sin(x)
      }
      then_branch () => (exp_1) {
        exp_1: float[N] = Exp(x)
      }
    p: float[N] = Identity(if_1)
    q: bool[] = Identity(c)
    r: bool[] = Identity(not_1)
    s: float[N] = Identity(x)
    e: float[N] = Cos(x)
    """
    check(conditions, build, before, after, CX, then=[unused_results])


def test_conditions_are_joined_with_truths() -> None:
    def build(g: ONNXGraph) -> None:
        c, d = g.input("c", np.bool_, ()), g.input("d", np.bool_, ())
        then, other = g.body("then"), g.body("else")
        left, right = [True, False, d, d, c, d, False], [d, d, True, False, d, c, c]
        for name, value in zip("pqrstuv", g.If(c, then, left, other, right), strict=True):
            g.output(name, g.Identity(value))

    before = """
    if_1: bool[], if_2: bool[], if_3: bool[], if_4: bool[], if_5: bool[], if_6: bool[], if_7: bool[] = If(c)
      else_branch () => (identity_1, identity_2, identity_3, identity_4, identity_5, identity_6, identity_7) {
        identity_1: bool[] = Identity(d)
        identity_2: bool[] = Identity(d)
        identity_3: bool[] = Identity(True)
        identity_4: bool[] = Identity(False)
        identity_5: bool[] = Identity(d)
        identity_6: bool[] = Identity(c)
        identity_7: bool[] = Identity(c)
      }
      then_branch () => (identity_8, identity_9, identity_10, identity_11, identity_12, identity_13, identity_14) {
        identity_8: bool[] = Identity(True)
        identity_9: bool[] = Identity(False)
        identity_10: bool[] = Identity(d)
        identity_11: bool[] = Identity(d)
        identity_12: bool[] = Identity(c)
        identity_13: bool[] = Identity(d)
        identity_14: bool[] = Identity(False)
      }
    p: bool[] = Identity(if_1)
    q: bool[] = Identity(if_2)
    r: bool[] = Identity(if_3)
    s: bool[] = Identity(if_4)
    t: bool[] = Identity(if_5)
    u: bool[] = Identity(if_6)
    v: bool[] = Identity(if_7)
    """  # noqa: E501
    after = """
    or_1: bool[] = Or(c, d)
    not_1: bool[] = Not(c)
    and_1: bool[] = And(not_1, d)
    not_2: bool[] = Not(c)
    or_2: bool[] = Or(not_2, d)
    and_2: bool[] = And(c, d)
    or_3: bool[] = Or(c, d)
    and_3: bool[] = And(c, d)
    p: bool[] = Identity(or_1)
    q: bool[] = Identity(and_1)
    r: bool[] = Identity(or_2)
    s: bool[] = Identity(and_2)
    t: bool[] = Identity(or_3)
    u: bool[] = Identity(and_3)
    v: bool[] = Identity(False)
    """
    truths = [np.array(False), np.array(True)]
    feeds = [{"c": c, "d": d} for c in truths for d in truths]
    check(conditions, build, before, after, feeds, then=[unused_results])


def test_branches_of_a_negation_are_swapped() -> None:
    def build(g: ONNXGraph) -> None:
        x, c = g.input("x", F, ("N",)), g.input("c", np.bool_, ())
        then, other = g.body("then"), g.body("else")
        with then:
            a = g.Exp(x)
        with other:
            b = g.Sin(x)
        g.output("y", g.If(g.Not(c), then, [a], other, [b])[0])

    before = """
    not_1: bool[] = Not(c)
    y: float[N] = If(not_1)
      else_branch () => (sin_1) {
        sin_1: float[N] = Sin(x)
      }
      then_branch () => (exp_1) {
        exp_1: float[N] = Exp(x)
      }
    """
    after = """
    y: float[N] = If(c)
      then_branch () => (sin_1) {
        sin_1: float[N] = Sin(x)
      }
      else_branch () => (exp_1) {
        exp_1: float[N] = Exp(x)
      }
    """
    check(conditions, build, before, after, CX)
