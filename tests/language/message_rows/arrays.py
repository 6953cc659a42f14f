"""Programs that compute with numpy."""

from __future__ import annotations

from tests.language.messages import Row

ROWS: list[str | Row] = [
    "return x + np.complex64(1)",
    "return x * 1j",
    "return x.astype('c8')",
    "return np.zeros(n, 'c8')",
    "return np.array([n, 'a'])",
    "return np.array([chainer.Variable(x), chainer.Variable(x)])",
    "return np.asarray(x, order='F')",
    "return np.arange(c, dtype=bool)",
    "return np.arange(0, n * 0.5, dtype='i')",
    "return np.linspace(x[0], x[0] + 1, 3)",
    "return np.tril(x[0])",
    "return np.tril(x, n / 2)",
    "return np.roll(x, n / 2)",
    "return np.tile(x, n / 2)",
    "return np.pad(x, 1, mode='linear_ramp')",
    "return np.pad(x, 1, mode='maximum', stat_length=2)",
    "return np.pad(x, 1, constant_values=((0, 1), (2, 3)))",
    "return np.maximum.accumulate(x)",
    "return np.arctan2.reduce(x)",
    """
    np.multiply.at(x, [0], 2)
    return x
    """,
    "return np.einsum(x, [0, 1], [0])",
    "return np.linalg.norm(x, 2)",
    "return np.linalg.svd(x)",
    "return x.view('i')",
    "return x.base",
    "return x.tobytes()",
    "return x.data.strides",
    "return x.data[0]",
    "return len(np.sum(x).data)",
    "return x.T.flags.c_contiguous",
    """
    x.flags.writeable = False
    return x
    """,
    "return np.roll(x, np.flatnonzero(x > 0))",
    """
    places = np.nditer(np.arange(6).reshape(2, 3), flags=['multi_index'])
    for value in places:
        x += value * places.multi_index[0]
    return x
    """,
    Row(
        "return x + Number(2)",
        above="class Number(int):\n    def __int__(self):\n        return 9",
    ),
    """
    class Rows(list):
        def __iter__(self):
            return iter([9])
    return np.sum(Rows([1, 2])) + n
    """,
    Row(
        "return np.zeros(Size()) + n",
        above="class Size:\n    asked = 0\n\n    def __len__(self):\n        self.asked += 1\n"
        "        return 1\n\n    def __getitem__(self, place):\n        return [3][place]",
    ),
    """
    class Size:
        asked = 0
        def __index__(self):
            self.asked += 1
            return 2
    size = Size()
    return np.zeros((n, size)), size.asked
    """,
    """
    a = np.arange(3)
    a.flags.writeable = False
    return a + n
    """,
    """
    x.fill(x[0])
    return x
    """,
    "return np.add(x, 1, order='F')",
    "return np.add(x, 1, where=x > 0)",
    "return np.add(x, 1, casting='unsafe')",
    "return np.exp({'a': x})",
    "return np.sum(chainer.Variable(x))",
    "return np.sum(x, axis=n)",
    "return np.nanmean(x, where=x > 0)",
    "return np.array(['a', 'b']), x",
    "return np.mean(x, where=x > 0)",
    "return np.mean(x, out=np.zeros((), 'd'))",
    "return np.zeros(range(n))",
    "return np.zeros((n if c else 1.5, 2))",
    "return np.zeros(np.ones(n, 'i'))",
    "return x.reshape([1] * n)",
    "return np.split(x, x)",
    "return np.column_stack(x)",
    "return x.mean(dtype='i')",
    "return np.cumprod(x > 0, dtype=bool)",
    "return np.sum(x > 0, dtype=bool)",
    "return x.astype('u8').max()",
    "return x.astype('u8').argmax()",
    "return x.astype('u8').argsort()",
    "return x.astype('u8') < x.astype('i8')",
    "return np.nan_to_num(x, copy=False)",
    "return np.round(np.arange(n), -1)",
    "return np.unique(x, axis=0)",
    "return np.squeeze(x)",
    "return x.reshape(2**40, 2**40)",
    "return x.T.ravel('A')",
    "return x[n, True]",
    "return x[np.sum(x) > 0]",
    "return x[[c, True]]",
    """
    h = x.T.ravel()
    h[0] = 1
    return x, h
    """,
    """
    u = np.zeros(3, 'u1')
    np.add.at(u, [0, 0], n)
    return x * u
    """,
    """
    u = np.zeros(3, 'M8[D]')
    u[0] = u[1]
    return x
    """,
    "return np.concatenate(n > 1)",
    "return x == 'mean'",
    """
    a, b = np.broadcast_arrays(x[0] + 1, x + 1)
    a[0] = 1
    return a, b
    """,
    """
    y = np.broadcast_to(n, (2,)) if c else np.zeros(2, int)
    y[0] = 1
    return y * x[0, 0]
    """,
    """
    rows = [x + 0] * n
    row = rows[0]
    row += 1
    return rows
    """,
    Row(
        """
        self.w[0] = n
        return x * self.row[0]
        """,
        init="""
        self.w = np.zeros((2, 3), 'f')
        self.row = np.broadcast_to(self.w[0], (4, 3))
        """,
    ),
    Row(
        """
        self.row[0] = 3
        return x * self.w[0, 0]
        """,
        init="""
        self.w = np.zeros((2, 3), 'f')
        self.row = self.w.view('i4')
        """,
    ),
    Row(
        "return x * np.random.choice(3, 2, replace=False, p=[0.2, 0.3, 0.5])[0]",
        options={"random": "onnx"},
    ),
    """
    rng = np.random.RandomState(0)
    if n > 1:
        x = x * rng.rand()
    return x * rng.rand()
    """,
    Row("return x * np.random.hypergeometric(3, 5, 2)", options={"random": "onnx"}),
    "return np.r_['0,2', x, x]",
    "return x * np.random.RandomState().rand()",
    "return x * np.random.RandomState(n).rand()",
    "return x * np.random.RandomState(0).rand(n)",
    """
    np.random.RandomState(0).shuffle(x)
    return x
    """,
    """
    r = np.random.RandomState(0)
    chainer.initializers.Normal(rng=r)(np.zeros(2, 'f'))
    return x
    """,
]
