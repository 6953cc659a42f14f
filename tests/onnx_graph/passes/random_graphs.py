"""Random graphs with nested branches, loops, checks and sequences."""

from __future__ import annotations

import random

import numpy as np

from onnx_graph import GraphError, ONNXGraph, Value, dims_of

F, I64 = np.float32, np.int64


class Program:
    """Writes a graph; the same one for the same seed."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.g = ONNXGraph()
        self.n = self.g.input("n", I64, ())
        self.c = self.g.input("c", np.bool_, ())
        x = self.g.input("x", F, ("N", 2))
        values = [x, self.g.Exp(x), self.g.constant(np.ones((1, 2), F))]
        self.token: Value = self.g.constant(0)
        self.block(values, 9, 3)
        for index, value in enumerate(values[-6:]):
            self.g.output(f"y{index}", self.g.tie(value, self.token))

    def tensor(self, values: list[Value]) -> Value:
        return self.rng.choice(values)

    def condition(self, values: list[Value]) -> Value:
        g = self.g
        total = g.ReduceSum(self.tensor(values), keepdims=0)
        pick = self.rng.randrange(5)
        if pick == 0:
            return self.c
        if pick == 1:
            return g.constant(self.rng.random() < 0.5)
        if pick == 2:
            return g.Not(self.c)  # type: ignore[no-any-return]
        return g.Less(total, float(self.rng.randint(-3, 20)))  # type: ignore[no-any-return]

    def block(self, values: list[Value], length: int, depth: int) -> None:
        for _ in range(length):
            before = len(values)
            try:
                self.statement(values, depth)
            except GraphError:
                del values[before:]
                raise

    def statement(self, values: list[Value], depth: int) -> None:
        g, pick = self.g, self.rng.randrange(12 if depth else 8)
        a, b = self.tensor(values), self.tensor(values)
        if pick == 0:
            values.append(g.Add(g.ReduceMean(a, [0]), b))
        elif pick == 1:
            values.append(g.Mul(a, 0.5))
        elif pick == 2:
            values.append(g.Identity(a))
        elif pick == 3:
            values.append(g.Tanh(a))
        elif pick == 4:
            rows = g.Cast(g.size(a, 0), to=F)
            values.append(g.Add(a, rows))
        elif pick == 5:
            values.append(g.Tanh(g.Concat(a, b, axis=0)))
        elif pick == 6:
            ok = g.Less(g.ReduceMax(a, keepdims=0), 1.0 + 9 * self.rng.random())
            self.token = g.Add(self.token, g.check(ok, "large"))
        elif pick == 7:
            values.append(g.Slice(a, [0], [self.rng.randint(1, 3)], [0]))
        elif pick in (8, 9):
            self.branch(values, depth)
        else:
            self.loop(values, depth)

    def branch(self, values: list[Value], depth: int) -> None:
        g, before = self.g, self.token
        condition = self.condition(values)
        then, other = g.body("then"), g.body("else")
        sides, tokens = [], []
        for body in (then, other):
            self.token, inside = before, list(values)
            with body:
                self.block(inside, self.rng.randint(0, 3), depth - 1)
            sides.append([self.tensor(inside[-3:]), self.tensor(inside), g.constant(body is then)])
            tokens.append(self.token)
        *results, flag, self.token = g.If(
            condition, then, [*sides[0], tokens[0]], other, [*sides[1], tokens[1]]
        )
        values.extend(results)
        values.append(g.Where(flag, values[-1], g.constant(0.0)))

    def loop(self, values: list[Value], depth: int) -> None:
        g, before = self.g, self.token
        starts = [self.tensor(values) for _ in range(self.rng.randint(1, 3))]
        body = g.body("loop", loop=True)
        with body:
            carried = [body.input(F, (None, 2)) for _ in starts]
            token = self.token = body.input(I64, ())
            inside = [*values, *carried]
            self.block(inside, self.rng.randint(1, 4), depth - 1)
            ends = [self.rng.choice([old, self.tensor(inside)]) for old in carried]
            scan = g.ReduceSum(self.tensor(inside), [0], keepdims=0)
            more = self.rng.choice([None, g.Less(body.iteration, 2)])
            assert token is not None
        trip = self.rng.choice([self.n, g.constant(2), g.constant(0)])
        *results, self.token, stacked = g.Loop(
            trip,
            None,
            body,
            [*starts, before],
            cond_out=more,
            carried=[*ends, self.token],
            scans=[scan],
        )
        values.extend([*results, stacked])
        assert len(dims_of(stacked)) == 2
