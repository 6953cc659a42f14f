"""Algorithms on matrices, graphs, grids and points as people write them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tests.programs import Program, f32, ints
from tests.table import Table, hold

case = Table()


def positive(n: int, seed: int = 0) -> Any:
    """Return a symmetric positive matrix."""
    a = np.random.RandomState(seed).randn(n, n)
    return (a @ a.T + n * np.eye(n)).astype(np.float64)


SQUARES = [(f32(3, 3),), (f32(1, 1),), (f32(5, 5),), (np.abs(f32(2, 2)),), (f32(4, 4, seed=4),)]
SQUARE_AXES = {0: {0: "N", 1: "N"}}
GRAPHS = [
    (np.array([[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]]),),
    (np.zeros((1, 1), np.int64),),
    (np.triu(np.ones((5, 5), np.int64), 1),),
    (np.zeros((3, 3), np.int64),),
    (ints(6, 6, high=2),),
]
SYSTEMS = [(positive(n, n), np.random.RandomState(n).randn(n)) for n in (3, 1, 5, 2, 4)]
SYSTEM_AXES = {0: {0: "N", 1: "N"}, 1: {0: "N"}}
POINTS = [(f32(m, 2, seed=m),) for m in (6, 3, 4, 9, 12)]
POINT_AXES = {0: {0: "N"}}


@case(SQUARES, SQUARE_AXES)
def floyd_warshall(self, w):
    d = np.abs(w)
    n = len(d)
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if d[i, k] + d[k, j] < d[i, j]:
                    d[i, j] = d[i, k] + d[k, j]
    return d


@case(SQUARES, SQUARE_AXES)
def floyd_warshall_by_rows(self, w):
    d = np.abs(w)
    for k in range(d.shape[0]):
        d = np.minimum(d, d[:, k : k + 1] + d[k : k + 1, :])
    return d


@case(SQUARES, SQUARE_AXES)
def power_iteration(self, w):
    a = w + w.T
    v = np.ones(len(a), np.float32)
    for _ in range(5):
        u = a.dot(v)
        norm = np.sqrt((u * u).sum())
        if norm < 1e-6:
            break
        v = u / norm
    return v


@case(SQUARES, SQUARE_AXES)
def gram_schmidt(self, w):
    basis = []
    for i in range(w.shape[1]):
        v = w[:, i]
        for u in basis:
            v = v - (u * v).sum() * u
        norm = np.sqrt((v * v).sum())
        if norm > 1e-3:
            basis.append(v / norm)
    return np.stack(basis)


@case(SYSTEMS, SYSTEM_AXES)
def cholesky(self, a, b):
    n = a.shape[0]
    low = np.zeros_like(a)
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j] - (low[i, :j] * low[j, :j]).sum()
            low[i, j] = np.sqrt(s) if i == j else s / low[j, j]
    return low


@case(SYSTEMS, SYSTEM_AXES)
def gaussian_elimination(self, a, b):
    n = len(b)
    a, b = a.copy(), b.copy()
    for k in range(n):
        p = k + int(np.abs(a[k:, k]).argmax())
        if p != k:
            a[[k, p]] = a[[p, k]]
            b[k], b[p] = b[p], b[k]
        for i in range(k + 1, n):
            f = a[i, k] / a[k, k]
            a[i, k:] -= f * a[k, k:]
            b[i] -= f * b[k]
    x = np.zeros(n)
    for i in reversed(range(n)):
        x[i] = (b[i] - a[i, i + 1 :].dot(x[i + 1 :])) / a[i, i]
    return x


@case(SYSTEMS, SYSTEM_AXES)
def jacobi(self, a, b):
    d = np.diag(a)
    r = a - np.diag(d)
    x = np.zeros_like(b)
    for turn in range(50):
        new = (b - r.dot(x)) / d
        if np.abs(new - x).max() < 1e-4:
            return new, turn
        x = new
    return x, -1


@case(SYSTEMS, SYSTEM_AXES)
def gauss_seidel(self, a, b):
    x = np.zeros(len(b))
    for _ in range(4):
        for i in range(len(b)):
            s = 0.0
            for j in range(len(b)):
                if j != i:
                    s += a[i, j] * x[j]
            x[i] = (b[i] - s) / a[i, i]
    return x


@case(SYSTEMS, SYSTEM_AXES)
def conjugate_gradient(self, a, b):
    x = np.zeros_like(b)
    r = b - a @ x
    p = r
    rs = r @ r
    k = 0
    while np.sqrt(rs) > 1e-6 and k < 2 * len(b):
        ap = a @ p
        alpha = rs / (p @ ap)
        x = x + alpha * p
        r = r - alpha * ap
        new = r @ r
        p = r + new / rs * p
        rs = new
        k += 1
    return x


@case(GRAPHS, SQUARE_AXES)
def breadth_first_search(self, graph):
    n = len(graph)
    distance = np.full(n, -1)
    distance[0] = 0
    queue = [0]
    while queue:
        node = queue.pop(0)
        for other in range(n):
            if graph[node, other] and distance[other] < 0:
                distance[other] = distance[node] + 1
                queue.append(other)
    return distance


@case(GRAPHS, SQUARE_AXES)
def depth_first_order(self, graph):
    n = len(graph)
    seen = [False] * n
    order = []
    stack = [0]
    while len(stack) > 0:
        node = stack.pop()
        if seen[node]:
            continue
        seen[node] = True
        order.append(node)
        for other in range(n - 1, -1, -1):
            if graph[node, other] != 0 and not seen[other]:
                stack.append(other)
    return order


@case(GRAPHS, SQUARE_AXES)
def connected_components(self, graph):
    n = graph.shape[0]
    label = np.arange(n)
    changed = True
    while changed:
        changed = False
        for i in range(n):
            for j in range(n):
                if (graph[i, j] or graph[j, i]) and label[j] < label[i]:
                    label[i] = label[j]
                    changed = True
    return label


@case(GRAPHS, SQUARE_AXES)
def topological_order(self, graph):
    n = len(graph)
    degree = graph.sum(axis=0)
    order = []
    done = np.zeros(n, bool)
    for _ in range(n):
        for v in range(n):
            if not done[v] and degree[v] == 0:
                break
        else:
            return None
        done[v] = True
        order.append(v)
        degree = degree - graph[v]
    return order


@case(GRAPHS, SQUARE_AXES)
def dijkstra(self, graph):
    n = len(graph)
    weight = graph * 2.0 + 1.0
    distance = [math.inf] * n
    distance[0] = 0.0
    done = [False] * n
    for _ in range(n):
        u, best = -1, math.inf
        for v in range(n):
            if not done[v] and distance[v] < best:
                u, best = v, distance[v]
        if u < 0:
            break
        done[u] = True
        for v in range(n):
            if graph[u][v]:
                distance[v] = min(distance[v], distance[u] + float(weight[u, v]))
    return distance


@case(GRAPHS, SQUARE_AXES)
def page_rank(self, graph):
    n = len(graph)
    out = graph.sum(axis=1)
    rank = np.full(n, 1.0 / n)
    for turn in range(100):
        new = np.full(n, 0.15 / n)
        for i in range(n):
            if out[i] == 0:
                new += 0.85 * rank[i] / n
            else:
                new += 0.85 * rank[i] * graph[i] / out[i]
        delta = np.abs(new - rank).sum()
        rank = new
        if delta < 1e-3:
            break
    return rank, turn


@case(GRAPHS, SQUARE_AXES)
def union_find(self, graph):
    n = len(graph)
    parent = list(range(n))

    def root(i):
        while parent[i] != i:
            i = parent[i]
        return i

    count = n
    for i in range(n):
        for j in range(n):
            if graph[i, j]:
                a, b = root(i), root(j)
                if a != b:
                    parent[b] = a
                    count -= 1
    return count


@case(GRAPHS, SQUARE_AXES)
def game_of_life(self, grid):
    n = grid.shape[0]
    for _ in range(2):
        new = np.zeros_like(grid)
        for i in range(n):
            for j in range(n):
                around = grid[max(i - 1, 0) : i + 2, max(j - 1, 0) : j + 2].sum() - grid[i, j]
                if around == 3 or (grid[i, j] and around == 2):
                    new[i, j] = 1
        grid = new
    return grid


@case(GRAPHS, SQUARE_AXES)
def flood_fill(self, grid):
    n = len(grid)
    colours = np.zeros((n, n), np.int64)
    colour = 0
    for i in range(n):
        for j in range(n):
            if grid[i, j] and not colours[i, j]:
                colour += 1
                stack = [(i, j)]
                while stack:
                    p, q = stack.pop()
                    if 0 <= p < n and 0 <= q < n and grid[p, q] and not colours[p, q]:
                        colours[p, q] = colour
                        stack += [(p + 1, q), (p - 1, q), (p, q + 1), (p, q - 1)]
    return colours, colour


@case(SQUARES, SQUARE_AXES)
def spiral_order(self, w):
    top, left, bottom, right = 0, 0, w.shape[0] - 1, w.shape[1] - 1
    out = []
    while top <= bottom and left <= right:
        for j in range(left, right + 1):
            out.append(w[top, j])
        for i in range(top + 1, bottom + 1):
            out.append(w[i, right])
        if top < bottom and left < right:
            for j in range(right - 1, left - 1, -1):
                out.append(w[bottom, j])
            for i in range(bottom - 1, top, -1):
                out.append(w[i, left])
        top, left, bottom, right = top + 1, left + 1, bottom - 1, right - 1
    return out


@case(SQUARES, SQUARE_AXES)
def path_of_least_cost(self, w):
    cost = w.copy()
    n, m = cost.shape
    for i in range(n):
        for j in range(m):
            if i and j:
                cost[i, j] += min(cost[i - 1, j], cost[i, j - 1])
            elif i:
                cost[i, j] += cost[i - 1, j]
            elif j:
                cost[i, j] += cost[i, j - 1]
    return cost[-1, -1]


@case(SQUARES, SQUARE_AXES)
def transpose_in_place(self, w):
    n = len(w)
    for i in range(n):
        for j in range(i):
            w[i, j], w[j, i] = w[j, i], w[i, j]
    return w


@case(POINTS, POINT_AXES)
def k_means(self, x):
    centres = x[:3].copy()
    labels = np.zeros(len(x), np.int64)
    for turn in range(10):
        distance = ((x[:, None] - centres[None]) ** 2).sum(axis=2)
        new = distance.argmin(axis=1)
        if turn > 0 and (new == labels).all():
            break
        labels = new
        for k in range(3):
            mine = labels == k
            if mine.any():
                centres[k] = x[mine].mean(axis=0)
    return labels, centres


@case(POINTS, POINT_AXES)
def convex_hull(self, x):
    n = len(x)
    start = int(x[:, 0].argmin())
    hull = []
    p = start
    while True:
        hull.append(p)
        q = (p + 1) % n
        for r in range(n):
            a, b = x[q] - x[p], x[r] - x[p]
            if a[0] * b[1] - a[1] * b[0] < 0:
                q = r
        p = q
        if p == start:
            break
    return hull


@case(POINTS, POINT_AXES)
def closest_pair(self, x):
    best, pair = math.inf, (0, 0)
    for i in range(len(x)):
        for j in range(i):
            d = float(((x[i] - x[j]) ** 2).sum())
            if d < best:
                best, pair = d, (j, i)
    return pair


@case(POINTS, POINT_AXES)
def nearest_neighbour_tour(self, x):
    n = len(x)
    left = list(range(1, n))
    tour = [0]
    while left:
        here = x[tour[-1]]
        best = 0
        for k in range(len(left)):
            if ((x[left[k]] - here) ** 2).sum() < ((x[left[best]] - here) ** 2).sum():
                best = k
        tour.append(left.pop(best))
    return tour


@case(POINTS, POINT_AXES)
def perceptron(self, x):
    w, b = np.zeros(2, np.float32), np.float32(0)
    for epoch in range(4):
        mistakes = 0
        for row in x:
            target = 1 if row[0] + row[1] > 0.2 else -1
            if target * (w.dot(row) + b) <= 0:
                w += np.float32(target) * row
                b += np.float32(target)
                mistakes += 1
        if not mistakes:
            break
    return w, b, epoch


@case(POINTS, POINT_AXES)
def polygon_contains(self, x):
    inside = False
    j = len(x) - 1
    for i in range(len(x)):
        if (x[i, 1] > 0) != (x[j, 1] > 0):
            t = x[i, 1] / (x[i, 1] - x[j, 1])
            if x[i, 0] + t * (x[j, 0] - x[i, 0]) > 0:
                inside = not inside
        j = i
    return inside


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_graphs(program: Program) -> None:
    hold(program)
