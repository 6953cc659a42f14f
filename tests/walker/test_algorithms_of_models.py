"""Models and the algorithms around them: recurrence, attention, decoding, inference, optimisers."""

from __future__ import annotations

from typing import Any

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
import pytest

from tests.programs import Program, f32
from tests.table import Table, hold

case = Table()

LENGTHS = [([2, 3, 1], 3), ([1], 1), ([2, 2], 2), ([4, 1, 2, 3, 4], 4), ([1, 1], 3)]
BATCHES = [
    (f32(t, len(sizes), 3), np.array(sizes), i % 3 != 1) for i, (sizes, t) in enumerate(LENGTHS)
]
BATCH_AXES = {0: {0: "T", 1: "B"}, 1: {0: "B"}}
SEQUENCES = [(f32(t, 3, seed=t), k) for t, k in ((4, 2), (1, 0), (2, 5), (7, 1), (3, 3))]
SEQUENCE_AXES = {0: {0: "T"}}
IDS = [(np.random.RandomState(n).randint(0, 5, n), k) for n, k in ((4, 6), (1, 0), (2, 1), (6, 9))]
IDS += [(np.array([3, 3, 0], np.int64), 4)]
SCORES = [(f32(t, 4, seed=t + 20),) for t in (3, 1, 2, 6, 9)]


def boxes(n: int, seed: int) -> Any:
    """Return `n` boxes (y0, x0, y1, x1) and their scores."""
    draw = np.random.RandomState(seed)
    corner = draw.rand(n, 2) * 4
    size = draw.rand(n, 2) * 4 + 1
    return np.hstack([corner, corner + size]).astype(np.float32), draw.rand(n).astype(np.float32)


BOXES = [boxes(n, n) for n in (5, 0, 1, 9, 3)]


def softmax(x: Any) -> Any:
    """Return the softmax of a vector."""
    e = np.exp(x - x.max())
    return e / e.sum()


@case(SEQUENCES, SEQUENCE_AXES, x2h=lambda: L.Linear(3, 4), h2h=lambda: L.Linear(4, 4))
def rnn(self, x, k):
    h = np.zeros((1, 4), np.float32)
    for t in range(x.shape[0]):
        h = F.tanh(self.x2h(x[t : t + 1]) + self.h2h(h))
    return h


@case(BATCHES, BATCH_AXES, x2h=lambda: L.Linear(3, 4), h2h=lambda: L.Linear(4, 4))
def rnn_with_masks(self, x, lengths, last):
    h = chainer.Variable(np.zeros((x.shape[1], 4), np.float32))
    hs = []
    for t in range(x.shape[0]):
        new = F.tanh(self.x2h(x[t]) + self.h2h(h))
        alive = np.broadcast_to((t < lengths)[:, None], new.shape)
        h = F.where(alive, new, h)
        hs.append(h)
    return h if last else F.stack(hs)


@case(BATCHES, BATCH_AXES, step=lambda: L.StatelessGRU(3, 4))
def gru_until_all_have_ended(self, x, lengths, last):
    h = np.zeros((x.shape[1], 4), np.float32)
    t = 0
    while t < len(x):
        alive = (t < lengths).astype(np.float32)[:, None]
        if alive.sum() == 0:
            break
        new = self.step(h, x[t])
        h = new * alive + h * (1 - alive)
        t += 1
    return h, t


@case(SEQUENCES, SEQUENCE_AXES, cell=lambda: L.StatelessLSTM(3, 4))
def bidirectional_lstm(self, x, k):
    def run(order):
        c = h = None
        out = []
        for t in order:
            c, h = self.cell(c, h, x[t : t + 1])
            out.append(h[0])
        return out

    forward = run(range(len(x)))
    backward = run(range(len(x) - 1, -1, -1))
    return F.stack([F.concat([a, b], axis=0) for a, b in zip(forward, backward[::-1])])


@case(SEQUENCES, SEQUENCE_AXES, cell=lambda: L.StatelessGRU(3, 3))
def rolled_out_past_the_input(self, x, k):
    h = chainer.Variable(np.zeros((1, 3), np.float32))
    for row in x:
        h = self.cell(h, row[None])
    out = []
    y = h
    for _ in range(k):
        h = self.cell(h, y)
        y = h * 2
        out.append(y[0])
    return out


@case(SEQUENCES, SEQUENCE_AXES, gate=lambda: L.Linear(3, 1), step=lambda: L.Linear(3, 3))
def adaptive_computation_time(self, x, k):
    h = F.sum(chainer.Variable(x), axis=0, keepdims=True)
    total, n = 0.0, 0
    state = h * 0
    while total < 0.99 and n < 10:
        h = F.tanh(self.step(h))
        p = float(F.sigmoid(self.gate(h)).array[0, 0])
        p = min(p, 1.0 - total)
        state += h * p
        total += p
        n += 1
    return state, n


@case(SEQUENCES, SEQUENCE_AXES, layers=lambda: chainer.ChainList(*[L.Linear(3, 3) for _ in "abc"]))
def leaves_the_network_early(self, x, k):
    h = chainer.Variable(x)
    for depth, layer in enumerate(self.layers):
        h = F.tanh(layer(h))
        if F.max(h).array > 0.9 or depth == k:
            break
    return h, depth


@case(SEQUENCES, SEQUENCE_AXES)
def attention_by_loops(self, x, k):
    out = np.zeros_like(x)
    for i in range(len(x)):
        weights = np.zeros(len(x), np.float32)
        for j in range(len(x)):
            weights[j] = x[i].dot(x[j])
        weights = softmax(weights)
        for j in range(len(x)):
            out[i] += weights[j] * x[j]
    return out


@case(SEQUENCES, SEQUENCE_AXES)
def causal_attention(self, x, k):
    out = []
    for t in range(x.shape[0]):
        seen = chainer.Variable(x[: t + 1])
        weights = F.softmax(F.matmul(x[t : t + 1], seen, transb=True))
        out.append(F.matmul(weights, seen)[0])
    return F.stack(out)


@case(SEQUENCES, SEQUENCE_AXES, query=lambda: L.Linear(3, 3), cell=lambda: L.StatelessGRU(3, 3))
def decoder_with_attention_and_a_cache(self, x, k):
    keys = x
    h = np.zeros((1, 3), np.float32)
    for _ in range(k):
        weights = F.softmax(F.matmul(self.query(h), keys, transb=True))
        h = self.cell(h, F.matmul(weights, keys))
        keys = F.concat([keys, h], axis=0)
    return keys


@case(SEQUENCES, SEQUENCE_AXES, a=lambda: L.Linear(3, 3), b=lambda: L.Linear(3, 3))
def one_expert_for_each_row(self, x, k):
    out = []
    for row in x:
        expert = self.a if row.sum() > 0 else self.b
        out.append(expert(row[None])[0])
    return F.vstack(out)


@case(IDS, SEQUENCE_AXES, embed=lambda: L.EmbedID(5, 3), cell=lambda: L.StatelessGRU(3, 3))
def language_model_loss(self, ids, k):
    h, loss, count = np.zeros((1, 3), np.float32), 0, 0
    for t in range(len(ids) - 1):
        h = self.cell(h, self.embed(ids[t : t + 1]))
        logits = F.concat([h, h[:, :2]], axis=1)
        loss += F.softmax_cross_entropy(logits, ids[t + 1 : t + 2].astype(np.int32))
        count += 1
    return loss / count if count else 0.0


@case(IDS, SEQUENCE_AXES, embed=lambda: L.EmbedID(5, 3), cell=lambda: L.StatelessGRU(3, 5))
def greedy_decoding_with_early_stop(self, ids, k):
    h = np.zeros((1, 5), np.float32)
    for i in ids:
        h = self.cell(h, self.embed(np.array([i])))
    out, token = [], int(ids[-1])
    for _ in range(k):
        h = self.cell(h, self.embed(np.array([token], np.int64)))
        token = int(F.argmax(h[0]).array)
        if token == 2:
            break
        out.append(token)
    return out


@case(IDS, SEQUENCE_AXES, embed=lambda: L.EmbedID(5, 5))
def greedy_decoding_of_a_batch(self, ids, k):
    done = np.zeros(len(ids), bool)
    steps = []
    while not done.all() and len(steps) < k:
        ids = self.embed(ids).array.argmax(axis=1)
        ids[done] = 0
        steps.append(ids.copy())
        done = done | (ids == 1)
    return steps, done


@case(IDS, SEQUENCE_AXES, table=lambda: chainer.Parameter(f32(5, 5)))
def beam_search(self, ids, k):
    scores = F.log_softmax(self.table).array
    beams = [(0.0, [0])]
    state = np.zeros((1, 1), np.int64)
    total = np.zeros(1, np.float32)
    for _ in range(k):
        grown = total[:, None] + scores[state[:, -1]]
        flat = grown.reshape(-1)
        best = np.argsort(-flat, kind="stable")[:3]
        state = np.concatenate([state[best // 5], (best % 5)[:, None]], axis=1)
        total = flat[best]
    return state, total, len(beams)


@case(SCORES, SEQUENCE_AXES)
def viterbi(self, emission):
    transition = np.log(np.array([[5, 1, 1, 1], [1, 5, 1, 1], [1, 1, 5, 1], [3, 1, 1, 3]]) / 8.0)
    score = emission[0].astype(np.float64)
    pointers = []
    for t in range(1, len(emission)):
        candidates = score[:, None] + transition
        pointers.append(candidates.argmax(axis=0))
        score = candidates.max(axis=0) + emission[t]
    state = int(score.argmax())
    path = [state]
    for back in reversed(pointers):
        state = int(back[state])
        path.append(state)
    return path[::-1], score.max()


@case(SCORES, SEQUENCE_AXES)
def forward_algorithm(self, emission):
    transition = np.full((4, 4), 0.25, np.float32)
    alpha = np.full(4, 0.25, np.float32)
    log_likelihood = np.float32(0)
    for row in np.exp(emission):
        alpha = alpha.dot(transition) * row
        total = alpha.sum()
        if total > 0:
            alpha = alpha / total
            log_likelihood = log_likelihood + np.log(total)
    return log_likelihood, alpha


@case(SCORES, SEQUENCE_AXES)
def crf_loss_by_loop(self, emission):
    transition = chainer.Variable(np.eye(4, dtype=np.float32))
    alpha = chainer.Variable(emission[0])
    for t in range(1, emission.shape[0]):
        alpha = F.logsumexp(F.broadcast_to(alpha[:, None], (4, 4)) + transition, axis=0)
        alpha += emission[t]
    return F.logsumexp(alpha)


@case(SCORES, SEQUENCE_AXES)
def ctc_greedy_decoding(self, scores):
    out = []
    previous = 0
    for label in scores.argmax(axis=1):
        if label != 0 and label != previous:
            out.append(int(label))
        previous = label
    return out


@case(SCORES, SEQUENCE_AXES)
def sampling_from_given_numbers(self, scores):
    out = []
    for t, row in enumerate(scores):
        p = softmax(row)
        u, total = 0.3 + 0.1 * (t % 5), 0.0
        for k in range(4):
            total += float(p[k])
            if u < total:
                break
        out.append(k)
    return out


@case(SCORES, SEQUENCE_AXES)
def top_p_filter(self, scores):
    kept = []
    for row in scores:
        p = softmax(row)
        order = np.argsort(-p)
        total, n = 0.0, 0
        while total < 0.8:
            total += float(p[order[n]])
            n += 1
        kept.append(n)
    return kept


@case(SCORES, SEQUENCE_AXES)
def kalman_filter(self, readings):
    mean, variance = 0.0, 1.0
    out = []
    for row in readings:
        variance += 0.1
        for z in row:
            gain = variance / (variance + 0.5)
            mean += gain * (float(z) - mean)
            variance *= 1 - gain
        out.append(mean)
    return out, variance


@case(SCORES, SEQUENCE_AXES)
def mixture_by_expectation_maximisation(self, x):
    data = x[:, 0].astype(np.float64)
    mean = np.array([-1.0, 1.0])
    weight = np.array([0.5, 0.5])
    last = -np.inf
    for turn in range(20):
        density = weight * np.exp(-0.5 * (data[:, None] - mean) ** 2)
        total = density.sum(axis=1)
        likelihood = np.log(total).sum()
        if likelihood - last < 1e-3:
            break
        last = likelihood
        share = density / total[:, None]
        weight = share.mean(axis=0)
        mean = (share * data[:, None]).sum(axis=0) / share.sum(axis=0)
    return mean, weight, turn


@case(SCORES, SEQUENCE_AXES)
def l_bfgs_two_loops(self, x):
    g = x[-1].astype(np.float64)
    pairs = []
    for t in range(len(x) - 1):
        s = x[t + 1].astype(np.float64) - x[t]
        y = s + 0.1 * x[t]
        if s.dot(y) > 1e-3:
            pairs.append((s, y))
    pairs = pairs[-3:]
    q = g.copy()
    alphas = []
    for s, y in reversed(pairs):
        a = s.dot(q) / y.dot(s)
        alphas.append(a)
        q -= a * y
    if pairs:
        s, y = pairs[-1]
        q *= s.dot(y) / y.dot(y)
    for (s, y), a in zip(pairs, reversed(alphas)):
        b = y.dot(q) / y.dot(s)
        q += s * (a - b)
    return -q


@case(SCORES, SEQUENCE_AXES)
def adam(self, gradients):
    w = np.zeros(4, np.float32)
    m, v = np.zeros_like(w), np.zeros_like(w)
    for t, g in enumerate(gradients, 1):
        m = 0.9 * m + 0.1 * g
        v = 0.99 * v + 0.01 * g * g
        w = w - 0.1 * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.99**t)) + 1e-8)
    return w


@case(SCORES, SEQUENCE_AXES)
def clipping_of_gradients(self, gradients):
    norm = np.sqrt((gradients**2).sum())
    rate = 2.0 / (norm + 1e-6)
    if rate < 1:
        gradients *= rate
    return gradients, norm


@case(SCORES, SEQUENCE_AXES)
def early_stopping_with_patience(self, x):
    losses = x[:, 0]
    best, waited, stopped = np.float32(np.inf), 0, -1
    for epoch, loss in enumerate(losses):
        if loss < best:
            best, waited = loss, 0
        else:
            waited += 1
            if waited >= 2:
                stopped = epoch
                break
    return best, stopped


@case(SCORES, SEQUENCE_AXES)
def sinkhorn(self, x):
    k = np.exp(x)
    u = np.ones(len(x), np.float32)
    for _ in range(4):
        v = 1 / u.dot(k)
        new = 1 / k.dot(v)
        moved = np.abs(new - u).max()
        u = new
        if moved < 1e-2:
            break
    return u[:, None] * k * v


@case(SCORES, SEQUENCE_AXES)
def nearest_neighbours(self, x):
    out = []
    for i in range(len(x)):
        best, where = np.inf, -1
        for j in range(len(x)):
            if i != j:
                d = ((x[i] - x[j]) ** 2).sum()
                if d < best:
                    best, where = d, j
        out.append(where)
    return out


@case(SCORES, SEQUENCE_AXES)
def decision_tree(self, x):
    feature, threshold = [0, 1, -1, 2, -1, -1, -1], [0.0, 0.5, 0, -0.5, 0, 0, 0]
    left, right = [1, 3, 0, 5, 0, 0, 0], [2, 4, 0, 6, 0, 0, 0]
    leaves = []
    for row in x:
        node = 0
        while feature[node] >= 0:
            node = left[node] if row[feature[node]] < threshold[node] else right[node]
        leaves.append(node)
    return leaves


@case(BOXES, {0: {0: "N"}, 1: {0: "N"}})
def non_maximum_suppression(self, boxes, scores):
    order = scores.argsort()[::-1]
    keep = []
    while len(order) > 0:
        i = order[0]
        keep.append(i)
        top = np.maximum(boxes[i, :2], boxes[order[1:], :2])
        bottom = np.minimum(boxes[i, 2:], boxes[order[1:], 2:])
        inter = np.prod(np.maximum(bottom - top, 0), axis=1)
        area = np.prod(boxes[:, 2:] - boxes[:, :2], axis=1)
        iou = inter / (area[i] + area[order[1:]] - inter)
        order = order[1:][iou < 0.4]
    return keep


@case(BOXES, {0: {0: "N"}, 1: {0: "N"}})
def suppression_by_flags(self, boxes, scores):
    n = len(boxes)
    gone = np.zeros(n, bool)
    for i in range(n):
        for j in range(i + 1, n):
            if gone[i] or gone[j]:
                continue
            h = min(boxes[i, 2], boxes[j, 2]) - max(boxes[i, 0], boxes[j, 0])
            w = min(boxes[i, 3], boxes[j, 3]) - max(boxes[i, 1], boxes[j, 1])
            if h > 0 and w > 0 and h * w > 2:
                if scores[i] >= scores[j]:
                    gone[j] = True
                else:
                    gone[i] = True
    return boxes[~gone], gone


@case(SEQUENCES, SEQUENCE_AXES, w=lambda: L.Linear(6, 3))
def tree_by_shift_and_reduce(self, x, k):
    stack = []
    for t in range(len(x)):
        stack.append(chainer.Variable(x[t]))
        if t % 2 == 1 or k > 2:
            if len(stack) > 1:
                right, left = stack.pop(), stack.pop()
                stack.append(F.tanh(self.w(F.concat([left, right], axis=0)[None])[0]))
    return stack[-1], len(stack)


@case(SEQUENCES, SEQUENCE_AXES, conv=lambda: L.Convolution1D(3, 3, 3, pad=1))
def as_many_convolutions_as_asked(self, x, k):
    h = chainer.Variable(x.T[None])
    for i in range(k):
        h = F.relu(self.conv(h)) + h
        if i % 2:
            h = h / 2
    return h


@case(SEQUENCES, SEQUENCE_AXES)
def pooled_until_short(self, x, k):
    h = chainer.Variable(x.T[None])
    while h.shape[2] > 2:
        h = F.max_pooling_1d(h, 2, cover_all=False)
    return h


@case(SEQUENCES, SEQUENCE_AXES, bn=lambda: L.BatchNormalization(3))
def normalised_or_not(self, x, k):
    h = self.bn(x) if k > 1 else chainer.Variable(x)
    if x.shape[0] > 2:
        h = F.dropout(h, 0.5)
    return h


@case(SEQUENCES, SEQUENCE_AXES)
def minibatches(self, x, k):
    size = k + 1
    means = []
    for start in range(0, len(x), size):
        means.append(x[start : start + size].mean(axis=0))
    return np.stack(means)


@case(SEQUENCES, SEQUENCE_AXES, lstm=lambda: L.LSTM(3, 4))
def stateful_lstm(self, x, k):
    self.lstm.reset_state()
    for row in x:
        h = self.lstm(row[None])
    return h


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_models(program: Program) -> None:
    hold(program)
