"""Programs that ask for gradients."""

from __future__ import annotations

from tests.language.messages import Row

PARAMETER = """\
super().__init__()
with self.init_scope():
    self.W = chainer.Parameter(np.ones((4, 3), 'f'))"""
ACCUMULATES = """
class Twice(chainer.FunctionNode):
    def forward(self, inputs):
        return (inputs[0] * 2,)

    def backward_accumulate(self, indexes, grads, sums):
        return tuple(gy * 2 + gx for gy, gx in zip(grads, sums))
""".strip("\n")

EACH = """
class Each(chainer.FunctionNode):
    def forward(self, inputs):
        return tuple(x * 2 for x in inputs)

    def backward(self, indexes, grads):
        return tuple(gy * 2 for gy in grads)
""".strip("\n")

ROWS: list[str | Row] = [
    """
    v = chainer.Variable(x)
    y = F.sum(F.transpose(v) ** 2)
    v.array[...] = 0
    y.backward()
    return v.grad
    """,
    """
    v = h = chainer.Variable(x)
    states = []
    for _ in range(n):
        h = F.tanh(h)
        states.append((h, n))
    F.sum(F.stack([h for h, _ in states])).backward()
    return v.grad
    """,
    """
    v = chainer.Variable(x)
    total = F.sum(v)
    for _ in range(n):
        h = v
        for _ in range(n):
            h = F.tanh(F.concat([h, h], axis=0))
        total += F.sum(h)
    total.backward()
    return v.grad
    """,
    """
    v = chainer.Variable(x)
    hs = [F.tanh(v * i) for i in range(n)]
    hs[-1].unchain()
    F.sum(F.stack(hs)).backward()
    return v.grad
    """,
    """
    v = chainer.Variable(x)
    y = F.stack([F.tanh(v * i) for i in range(n)])
    F.sum(y).backward()
    return y.creator.label
    """,
    """
    h = chainer.Variable(x)
    for _ in range(n):
        h = F.tanh(h)
        F.sum(h).backward()
    return h
    """,
    """
    h = chainer.Variable(x)
    for _ in range(n):
        h.unchain_backward()
        h = F.tanh(h)
    F.sum(h).backward()
    return h
    """,
    """
    v = chainer.Variable(x)
    h = chainer.Variable(x) if c else v
    F.sum(h).backward()
    h.cleargrad()
    return v.grad
    """,
    """
    hs = [chainer.Variable(x * i) for i in range(n)]
    chainer.grad([F.sum(F.stack(hs))], hs, set_grad=True)
    return hs[0].grad
    """,
    """
    v = chainer.Variable(x)
    hs = [F.sin(v * i) for i in range(n)]
    return chainer.grad(hs + hs[:1], [v])
    """,
    """
    v = chainer.Variable(x)
    h = F.tanh(v) if c else v
    return chainer.grad([F.sum(v * 2)], [h])
    """,
    """
    v = chainer.Variable(x)
    h = F.tanh(v) if c else F.exp(v)
    h.array[...] = 0
    F.sum(h).backward()
    return v.grad
    """,
    """
    v = chainer.Variable(x)
    h = F.tanh(v)
    if c:
        h.unchain()
    F.sum(h).backward()
    return v.grad
    """,
    """
    v = chainer.Variable(x)
    with chainer.using_config("enable_backprop", c):
        h = F.tanh(v)
    F.sum(h).backward()
    return v.grad
    """,
    """
    v = chainer.Variable(x, requires_grad=c)
    F.sum(v * v).backward()
    return v.grad
    """,
    """
    v = chainer.Variable(x)
    h = F.tanh(v)
    h.creator = F.exp(v).creator
    F.sum(h).backward()
    return v.grad
    """,
    Row(
        """
        v = chainer.Variable(x)
        F.sum(Twice().apply((v,))[0]).backward()
        return v.grad
        """,
        above=ACCUMULATES,
    ),
    Row(
        """
        v = chainer.Variable(x)
        F.sum(Each().apply([v * i for i in range(1 + n)])[0]).backward()
        return v.grad
        """,
        above=EACH,
    ),
    Row(
        """
        F.sum(self.h).backward()
        return self.W.grad
        """,
        init=f"{PARAMETER}\nself.h = F.tanh(self.W)",
    ),
    """
    v = chainer.Variable(np.reshape(x, (3, 4))[:, :3])
    F.einsum("ii", v).backward()
    return v.grad
    """,
    "return x if chainer.Variable(x)._device is None else x + 1",
    "return x if chainer.Variable(x).node.data is None else x + 1",
]
