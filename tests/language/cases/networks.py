"""Calls of chainer and numpy in programs."""

from __future__ import annotations

CASES: dict[str, list[str]] = {
    "chainer": [
        "F.relu(x).array * n",
        "Twice(3).apply((x,))[0]",
        "Twice(n).apply((x,))[0].array",
        """
        a, b = Split().apply((x,))
        return a + b
        """,
        "OldStyle()(x, x * n)",
        "OldStyle()(np.float32([[3], [1]]), np.float32([1, 2])).array + n",
        "F.forget(lambda a: a * 2, x)",
        "chainer.Sequential(lambda a: a * 2, F.relu)(x)",
        """
        with chainer.using_config('train', True):
            t = chainer.config.train
        return t, n
        """,
        """
        xp = chainer.backend.get_array_module(x)
        return xp.sum(x, axis=0)
        """,
        """
        l = [x for i in range(n)]
        return chainer.backend.get_array_module(*l).abs(x)
        """,
        "self.xp.maximum(x, n)",
        "chainer.Variable(x).array + 1",
        """
        v = chainer.Variable(x)
        return v.shape[0], v.ndim, v.dtype == np.float32, len(v)
        """,
        "chainer.as_variable(x) * n",
        "F.concat([x, x * n], axis=0)",
        "F.stack([r * n for r in x]) if len(x) else F.stack([x])",
        """
        y = chainer.Variable(x)
        y.unchain_backward()
        return y
        """,
        "chainer.is_debug(), n",
        "[p.name for p in self.params()], n",
    ],
    "numpy": [
        """
        class One:
            def __index__(self):
                return 1
        return (
            x.sum(axis=One()),
            np.max(x, axis=(One(),)),
            x.reshape(One(), -1),
            np.flip(x * n, One()),
        )
        """,
        "np.where(x > n, x, f)",
        "x[x > 0]",
        "x[::-1, ::2]",
        "x[..., None].shape, n",
        "np.zeros((n, 2)) if n >= 0 else np.zeros((1, 2))",
        "np.arange(n) * f",
        "np.arange(len(x))[:, None] * x",
        "x.reshape(-1), x.T.reshape(2, -1)",
        "np.concatenate([x, x * n])",
        "np.stack([x, x]).sum(axis=(0, 1))",
        "x.astype('i') + n",
        """
        y = np.zeros_like(x)
        y[0] = n
        return y
        """,
        """
        y = x.copy()
        y[y < 0] = f
        return y
        """,
        """
        y = np.empty((2, 2), 'f')
        y[...] = n
        return y
        """,
        "np.argsort(x.max(axis=1))",
        "np.cumsum(x, axis=0)",
        "x @ x.T",
        "np.einsum('ij,kj->ik', x, x)",
        "np.median(x)",
        "np.nanmax(x)",
        "np.pad(x, ((0, abs(n)), (0, 0)), 'constant')",
        """
        y = np.zeros((3, 3))
        np.fill_diagonal(y, f)
        return y
        """,
        "np.linalg.norm(x), np.linalg.norm(x, axis=1)",
        "np.isnan(x).any(), np.isfinite(x).all()",
        "x.mean(axis=1, keepdims=True) - x.std()",
        "np.clip(x, -1, f * f)",
        "np.eye(3)[abs(n) % 3]",
        "np.split(x.T, 2)",
        "np.array([n, f, 1])",
        "np.array([[n, 1], [2, 3]])",
        "np.full((2,), n), np.ones(3) * f",
        "np.tile(x, (1, 2)), np.repeat(x, 2, axis=0)",
        "np.outer(x[0], x[0]) if len(x) else x",
        "np.maximum.reduce(x, axis=1)",
        "np.add.accumulate(x, axis=1)",
        "x.max(axis=1).tolist()",
        "x.tolist()",
        "np.asarray(l)",
        "np.mean(l) if l else f",
        "np.prod(x.shape) * n",
        "x.size + x.ndim + n",
        "np.broadcast_to(x[:1], x.shape) if len(x) else x",
        "np.array_equal(x, x), np.allclose(x, x + n)",
        """
        for i in range(len(x)):
            x = x * 1.5
        return x
        """,
        "np.random.RandomState(0).rand(2) * n",
        "F.pad(x, ((0, abs(n)), (0, 0)), 'constant')",
    ],
}
