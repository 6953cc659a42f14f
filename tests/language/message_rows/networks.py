"""Programs that call functions and links of Chainer."""

from __future__ import annotations

from tests.language.messages import Row

LSTM = """\
with self.init_scope():
    self.rnn = L.NStepLSTM(2, 3, 4, 0.5)"""
STATES = """\
h = np.zeros((1, 2, 3), 'f')
w = [np.zeros((3, 3), 'f')] * 8
b = [np.zeros(3, 'f')] * 8
"""

ROWS: list[str | Row] = [
    Row(
        "return Named(x)",
        above="""
        class Named(chainer.Variable):
            pass
        """,
    ),
    "return F.dstack([x] * n)",
    "from chainer.utils import conv\nreturn conv.im2col(x[None, None], 2, 2, 1, 1, 0, 0, dy=n)",
    "return F.concat([x] * n, axis=n)",
    "return np.concatenate([chainer.Variable(x)] * n)",
    "return F.pad_sequence([x] * n, padding=x)",
    "return F.split_axis(x, n, 0, force_tuple=False)",
    "return F.split_axis(x, np.zeros((n, 1), 'i'), 0)",
    "return F.split_axis(x, [1] if c else n, 0)",
    "return F.array.transpose_sequence.TransposeSequence(2).apply((x, x))",
    "return F.stack([(x, x)] * n)",
    "return F.einsum('ii,ij->j', x.T @ x, x)",
    "return F.decorrelated_batch_normalization(x.astype('e'), groups=1)",
    "return F.pad(x, 1, 'symmetric', reflect_type='odd')",
    "return F.pad(x, 1, 'maximum', stat_length=0)",
    "return F.pad(x, 1, 'edge', stat_length=2)",
    "return F.pad(x, -1, 'constant')",
    "return chainer.Variable(x) + 'a'",
    "return F.squeeze(x)",
    "return F.transpose(x, (0, 0))",
    "return F.where(x, x, x)",
    "return F.as_strided(chainer.Variable(x.T), (2, 2), (1, 1))",
    "return F.as_strided(x, (2,), (1,), -1)",
    """
    with chainer.backends.cuda.get_device(n):
        return x
    """,
    Row(
        """
        self.moved.to_cpu()
        return x
        """,
        above="""
class Moved(chainer.Link):
    def device_resident_accept(self, visitor):
        super().device_resident_accept(visitor)
        self.seen = True
""".strip("\n"),
        init="super().__init__()\nwith self.init_scope():\n    self.moved = Moved()",
    ),
    """
    v = chainer.Variable(x)
    v.name = 'a'
    return x if v.name is None else x + 1
    """,
    Row("return self.rnn(None, None, [x, x])", init=LSTM, options={"train": True}),
    Row(
        """
        self.rnn.dropout = n * 0.1
        return self.rnn(None, None, [x, x])
        """,
        init=LSTM,
        options={"train": True},
    ),
    Row(
        """
        xs = [x] * n if c else (x, x)
        return self.rnn(None, None, xs)
        """,
        init=LSTM,
    ),
    Row("return self.rnn(None, None, [x, x.astype('d')])", init=LSTM),
    Row("return self.rnn(None, None, [x[0]] * n)", init=LSTM),
    Row("return self.rnn(x, x, [x, x])", init=LSTM),
    Row("return self.rnn(None, None, [x.astype('d')] * 2)", init=LSTM),
    Row("return self.rnn(None, None, [x.astype('i')] * 2)", init=LSTM),
    f"{STATES}return F.n_step_lstm(1, 0.0, h, h, [w], [b], [x] if c else None)",
    f"{STATES}return F.n_step_lstm(1, 0.0, h[0], h, [w], [b], [x])",
    f"{STATES}return F.n_step_lstm(1, 0.0, h, h, [w[2:]], [b[2:]], [x])",
]
