"""K-means and principal components in numpy, as functions of the data alone."""

from __future__ import annotations

import chainer
import numpy as np

__all__ = ["PCA", "KMeans", "build", "build_pca", "inputs", "samples"]


class KMeans(chainer.Chain):
    """Lloyd's algorithm, begun at the first points, until no point changes its cluster."""

    def __init__(self, n_clusters, max_iterations=100):
        super().__init__()
        self.n_clusters = n_clusters
        self.max_iterations = max_iterations

    def forward(self, x):
        """Cluster the rows of float32[points, features]: labels, centres and the turns taken."""
        xp = self.xp
        centres = x[: self.n_clusters].copy()
        labels = xp.full(len(x), -1, dtype=np.int64)
        for turn in range(self.max_iterations):
            distances = ((x[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
            nearest = distances.argmin(axis=1)
            if (nearest == labels).all():
                break
            labels = nearest
            for k in range(self.n_clusters):
                members = x[labels == k]
                if len(members) > 0:
                    centres[k] = members.mean(axis=0)
        return labels, centres, turn


class PCA(chainer.Chain):
    """Principal components by power iteration with deflation."""

    def __init__(self, n_components, tolerance=1e-6, max_iterations=500):
        super().__init__()
        self.n_components = n_components
        self.tolerance = tolerance
        self.max_iterations = max_iterations

    def forward(self, x):
        """Project float64[points, features]: the projection, the components and their variances."""
        mean = x.mean(axis=0)
        centred = x - mean
        covariance = centred.T.dot(centred) / (len(x) - 1)
        components = []
        variances = []
        for _ in range(self.n_components):
            v = np.ones(x.shape[1], dtype=x.dtype)
            v /= np.linalg.norm(v)
            for _ in range(self.max_iterations):
                w = covariance.dot(v)
                w /= np.linalg.norm(w)
                moved = np.abs(w - v).max()
                v = w
                if moved < self.tolerance:
                    break
            variance = v.dot(covariance).dot(v)
            covariance = covariance - variance * np.outer(v, v)
            components.append(v)
            variances.append(variance)
        components = np.stack(components)
        return centred.dot(components.T), components, np.array(variances)


def build(n_clusters: int = 3) -> KMeans:
    """Make the clustering."""
    return KMeans(n_clusters)


def build_pca(n_components: int = 2) -> PCA:
    """Make the projection."""
    return PCA(n_components)


def inputs(points: int = 30, features: int = 2, seed: int = 1) -> tuple[np.ndarray]:
    """Example inputs: float32[points, features] around a few centres."""
    random = np.random.RandomState(seed)
    centres = random.randn(4, features) * 3
    x = centres[random.randint(0, 4, points)] + random.randn(points, features)
    return (x.astype(np.float32),)


def samples(points: int = 30, features: int = 4, seed: int = 1) -> tuple[np.ndarray]:
    """Example inputs of `PCA`: float64[points, features] whose columns hang together."""
    random = np.random.RandomState(seed)
    return (random.randn(points, features).dot(random.randn(features, features)) + 2,)
