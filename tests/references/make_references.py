#!/usr/bin/env python3
"""Independent references of the operators of the atlas: NumPy in f64, from the sources that the operators name.

    python3 tests/references/make_references.py [OP ...]

writes tests/data/references/OP.json: for each case its inputs, scalars and expected results. The tests read these files
and need no Python. Every formula here is written from the literature in NumPy's own terms (sorting, cumulative sums,
matrix products, loops over windows), not from the operator's text, so that one checks the other. Inputs are multiples
of 1/64, drawn from a generator seeded by the operator's name and the case: the same files on every machine, up to the
last bits of NumPy's functions.
"""

import json
import math
import sys
import zlib
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).resolve().parent.parent / "data" / "references"
REFERENCES = {}
erf = np.vectorize(math.erf, otypes=[float])


def reference(*shapes):
    """Registers a function of a Case and the sizes; it runs once for each tuple of sizes."""

    def register(function):
        REFERENCES[function.__name__.rstrip("_")] = (function, shapes)
        return function

    return register


class Case:
    """Draws and keeps the inputs and scalars of one case."""

    def __init__(self, name, index):
        self.random = np.random.default_rng(zlib.crc32(name.encode()) + index)
        self.inputs, self.scalars = {}, {}

    def _keep(self, name, value):
        self.inputs[name] = value
        return value

    def normal(self, name, *shape, scale=1.0):
        return self._keep(name, np.round(self.random.standard_normal(shape) * scale * 64) / 64)

    def positive(self, name, *shape):
        return self._keep(name, self.random.integers(4, 192, shape) / 64)

    def unit(self, name, *shape):
        """Strictly between 0 and 1."""
        return self._keep(name, self.random.integers(1, 64, shape) / 64)

    def distribution(self, name, *shape):
        """Positive numbers that sum to 1 along the last axis, exactly."""
        n = shape[-1]
        parts = np.stack([np.diff(np.sort(np.append(self.random.choice(255, n - 1, replace=False) + 1, [0, 256])))
                          for _ in range(int(np.prod(shape[:-1])))])
        return self._keep(name, parts.reshape(shape) / 256)

    def integer(self, name, low, high, *shape, dtype="i64"):
        value = self.random.integers(low, high, shape)
        self.inputs[name] = (value, dtype)
        return value

    def truth(self, name, *shape):
        value = self.random.integers(0, 2, shape)
        self.inputs[name] = (value, "bool")
        return value.astype(bool)

    def given(self, name, value):
        return self._keep(name, np.asarray(value, dtype=float))

    def scalar(self, name, value):
        self.scalars[name] = value
        return value


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softmax(x, axis=-1):
    e = np.exp(x)
    return e / e.sum(axis=axis, keepdims=True)


def lse(x):
    return np.log(np.exp(x).sum(axis=-1))


def gelu_(x):
    return x * 0.5 * (1 + erf(x / math.sqrt(2)))


ROWS = ((3, 5), (1, 7), (4, 1))
MAP = ((3, 5), (1, 1))


# ---- maps


@reference(*MAP)
def relu(c, m, n):
    return {"y": np.clip(c.normal("x", m, n), 0, None)}


@reference(*MAP)
def leaky_relu(c, m, n):
    x, a = c.normal("x", m, n), c.scalar("alpha", 0.125)
    return {"y": np.clip(x, 0, None) + a * np.clip(x, None, 0)}


@reference(*MAP)
def prelu(c, m, n):
    x, a = c.normal("x", m, n), c.normal("slope", n)
    return {"y": np.clip(x, 0, None) + a * np.clip(x, None, 0)}


@reference(*MAP)
def squared_relu(c, m, n):
    x = c.normal("x", m, n)
    return {"y": np.where(x > 0, x * x, 0)}


@reference(*MAP)
def elu(c, m, n):
    x, a = c.normal("x", m, n), c.scalar("alpha", 1.5)
    return {"y": np.where(x >= 0, x, a * (np.exp(x) - 1))}


@reference(*MAP)
def selu(c, m, n):
    x = c.normal("x", m, n)
    alpha, scale = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946
    return {"y": scale * np.where(x >= 0, x, alpha * (np.exp(x) - 1))}


@reference(*MAP)
def celu(c, m, n):
    x, a = c.normal("x", m, n), c.scalar("alpha", 0.75)
    return {"y": np.where(x >= 0, x, a * (np.exp(x / a) - 1))}


@reference(*MAP)
def gelu(c, m, n):
    return {"y": gelu_(c.normal("x", m, n))}


@reference(*MAP)
def gelu_tanh(c, m, n):
    x = c.normal("x", m, n)
    return {"y": 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))}


@reference(*MAP)
def quick_gelu(c, m, n):
    x = c.normal("x", m, n)
    return {"y": x / (1 + np.exp(-1.702 * x))}


@reference(*MAP)
def bias_gelu(c, m, n):
    return {"y": gelu_(c.normal("x", m, n) + c.normal("bias", n))}


@reference(*MAP)
def silu(c, m, n):
    x = c.normal("x", m, n)
    return {"y": x / (1 + np.exp(-x))}


@reference(*MAP)
def mish(c, m, n):
    x = c.normal("x", m, n)
    w = (1 + np.exp(x)) ** 2  # tanh(log(u)) = (u^2 - 1) / (u^2 + 1)
    return {"y": x * (w - 1) / (w + 1)}


@reference(*MAP)
def hard_swish(c, m, n):
    x = c.normal("x", m, n, scale=3)
    return {"y": np.where(x <= -3, 0, np.where(x >= 3, x, x * (x + 3) / 6))}


@reference(*MAP)
def hard_sigmoid(c, m, n):
    x = c.normal("x", m, n, scale=3)
    return {"y": np.clip(c.scalar("alpha", 0.2) * x + c.scalar("beta", 0.5), 0, 1)}


@reference(*MAP)
def hard_tanh(c, m, n):
    x = c.normal("x", m, n)
    return {"y": np.clip(x, c.scalar("lo", -0.5), c.scalar("hi", 1.25))}


@reference(*MAP)
def softplus(c, m, n):
    return {"y": np.log(1 + np.exp(c.normal("x", m, n)))}


@reference(*MAP)
def softsign(c, m, n):
    x = c.normal("x", m, n)
    return {"y": x / (np.abs(x) + 1)}


@reference(*MAP)
def soft_shrink(c, m, n):
    x, t = c.normal("x", m, n), c.scalar("lambda", 0.5)
    return {"y": np.where(x > t, x - t, np.where(x < -t, x + t, 0))}


@reference(*MAP)
def sigmoid_(c, m, n):
    return {"y": np.tanh(c.normal("x", m, n) / 2) / 2 + 0.5}


@reference(*MAP)
def reglu(c, m, n):
    g, x = c.normal("gate", m, n), c.normal("x", m, n)
    return {"y": np.where(g > 0, g, 0) * x}


@reference(*MAP)
def geglu(c, m, n):
    return {"y": gelu_(c.normal("gate", m, n)) * c.normal("x", m, n)}


@reference(*MAP)
def swiglu(c, m, n):
    g, x = c.normal("gate", m, n), c.normal("x", m, n)
    return {"y": g * sigmoid(g) * x}


@reference(*MAP)
def snake(c, m, n):
    x, a = c.normal("x", m, n), c.positive("a", n)
    return {"y": x + (1 - np.cos(2 * a * x)) / (2 * a)}


# ---- normalizations


def normalized(x, axes, eps):
    return (x - x.mean(axis=axes, keepdims=True)) / np.sqrt(x.var(axis=axes, keepdims=True) + eps)


@reference(*ROWS)
def layernorm(c, m, n):
    x, gamma, beta, eps = c.normal("x", m, n), c.normal("gamma", n), c.normal("beta", n), c.scalar("eps", 0.01)
    return {"y": normalized(x, -1, eps) * gamma + beta}


@reference(*ROWS)
def rmsnorm(c, m, n):
    x, gamma, eps = c.normal("x", m, n), c.normal("gamma", n), c.scalar("eps", 0.01)
    return {"y": x / np.sqrt(np.mean(x**2, axis=-1, keepdims=True) + eps) * gamma}


@reference(*ROWS)
def rmsnorm_bias(c, m, n):
    x, gamma, beta, eps = c.normal("x", m, n), c.normal("gamma", n), c.normal("beta", n), c.scalar("eps", 0.01)
    return {"y": x / np.sqrt(np.mean(x**2, axis=-1, keepdims=True) + eps) * gamma + beta}


@reference(*ROWS)
def add_rmsnorm(c, m, n):
    s = c.normal("x", m, n) + c.normal("residual", m, n)
    gamma, eps = c.normal("gamma", n), c.scalar("eps", 0.01)
    return {"y": s / np.sqrt(np.mean(s**2, axis=-1, keepdims=True) + eps) * gamma, "s": s}


@reference((2, 3, 4), (1, 2, 1))
def batch_norm_inference(c, b, k, n):
    x, gamma, beta = c.normal("x", b, k, n), c.normal("gamma", k), c.normal("beta", k)
    mean, var, eps = c.normal("mean", k), c.positive("var", k), c.scalar("eps", 0.01)
    z = (np.moveaxis(x, 1, -1) - mean) / np.sqrt(var + eps) * gamma + beta
    return {"y": np.moveaxis(z, -1, 1)}


@reference((2, 3, 4), (1, 2, 1))
def batch_norm(c, b, k, n):
    x, gamma, beta, eps = c.normal("x", b, k, n), c.normal("gamma", k), c.normal("beta", k), c.scalar("eps", 0.01)
    y = normalized(x, (0, 2), eps) * gamma[:, None] + beta[:, None]
    return {"y": y, "mean": x.mean(axis=(0, 2)), "var": x.var(axis=(0, 2))}


@reference((2, 3, 5), (1, 2, 1))
def instance_norm(c, b, k, n):
    x, gamma, beta, eps = c.normal("x", b, k, n), c.normal("gamma", k), c.normal("beta", k), c.scalar("eps", 0.01)
    return {"y": normalized(x, 2, eps) * gamma[:, None] + beta[:, None]}


@reference((2, 2, 3, 4), (1, 1, 1, 1))
def group_norm(c, b, g, k, n):
    x, gamma, beta = c.normal("x", b, g, k, n), c.normal("gamma", g, k), c.normal("beta", g, k)
    flat = normalized(x.reshape(b, g, k * n), -1, c.scalar("eps", 0.01)).reshape(b, g, k, n)
    return {"y": flat * gamma[:, :, None] + beta[:, :, None]}


@reference(*ROWS)
def l1_normalize(c, m, n):
    x, eps = c.normal("x", m, n), c.scalar("eps", 1e-12)
    return {"y": x / np.maximum(np.linalg.norm(x, 1, axis=-1, keepdims=True), eps)}


@reference(*ROWS)
def l2_normalize(c, m, n):
    x, eps = c.normal("x", m, n), c.scalar("eps", 1e-12)
    return {"y": x / np.maximum(np.linalg.norm(x, 2, axis=-1, keepdims=True), eps)}


@reference((3, 5), (1, 2))
def min_max_normalize(c, m, n):
    x = c.normal("x", m, n)
    return {"y": (x - x.min(axis=-1, keepdims=True)) / np.ptp(x, axis=-1, keepdims=True)}


@reference(*ROWS)
def weight_norm(c, m, n):
    v, g = c.positive("v", m, n), c.normal("g", m)
    return {"w": (g / np.linalg.norm(v, axis=1))[:, None] * v}


@reference(*ROWS)
def scale_norm(c, m, n):
    x, g, eps = c.normal("x", m, n), c.scalar("g", 1.5), c.scalar("eps", 1e-5)
    return {"y": x * (g / np.maximum(np.linalg.norm(x, axis=-1), eps))[:, None]}


@reference((2, 6, 3), (1, 1, 2))
def local_response_norm(c, b, k, n):
    x = c.normal("x", b, k, n)
    size, alpha, beta, bias = c.scalar("size", 3), c.scalar("alpha", 0.5), c.scalar("beta", 0.75), c.scalar("bias", 2.0)
    y = np.empty_like(x)
    for i in range(k):
        near = x[:, max(0, i - (size - 1) // 2) : i + (size - 1) // 2 + 1]
        y[:, i] = x[:, i] / (bias + alpha / size * (near**2).sum(axis=1)) ** beta
    return {"y": y}


@reference((2, 3, 4), (1, 1, 1))
def adaptive_layernorm(c, b, t, d):
    x, scale, shift = c.normal("x", b, t, d), c.normal("scale", b, d), c.normal("shift", b, d)
    return {"y": normalized(x, -1, c.scalar("eps", 0.01)) * (1 + scale[:, None]) + shift[:, None]}


@reference(*ROWS)
def softmax_(c, m, n):
    return {"y": softmax(c.normal("x", m, n))}


@reference(*ROWS)
def softmin(c, m, n):
    return {"y": softmax(-c.normal("x", m, n))}


@reference(*ROWS)
def softmax_temperature(c, m, n):
    return {"y": softmax(c.normal("x", m, n) / c.scalar("temperature", 0.5))}


@reference((4,), (1,))
def causal_softmax(c, n):
    x = c.normal("x", n, n)
    return {"y": softmax(np.where(np.tri(n, dtype=bool), x, -np.inf))}


@reference(*ROWS)
def masked_softmax(c, m, n):
    x, mask = c.normal("x", m, n), c.truth("mask", m, n)
    e = np.where(mask, np.exp(x), 0)
    total = e.sum(axis=-1, keepdims=True)
    return {"y": np.divide(e, total, out=np.zeros_like(e), where=total > 0)}


@reference(*ROWS)
def log_softmax(c, m, n):
    return {"y": np.log(softmax(c.normal("x", m, n)))}


@reference(*ROWS)
def softmax_plus_one(c, m, n):
    e = np.exp(c.normal("x", m, n))
    return {"y": e / (1 + e.sum(axis=-1, keepdims=True))}


@reference(*ROWS)
def taylor_softmax(c, m, n):
    x = c.normal("x", m, n)
    p = ((x + 1) ** 2 + 1) / 2
    return {"y": p / p.sum(axis=-1, keepdims=True)}


@reference(*ROWS)
def sparsemax(c, m, n):
    x = c.normal("x", m, n)
    z = -np.sort(-x, axis=-1)
    total = np.cumsum(z, axis=-1)
    k = np.sum(1 + np.arange(1, n + 1) * z > total, axis=-1)
    tau = (total[np.arange(m), k - 1] - 1) / k
    return {"y": np.maximum(x - tau[:, None], 0)}


# ---- statistics


@reference(*ROWS)
def sum_(c, m, n):
    return {"y": np.array([math.fsum(row) for row in c.normal("x", m, n)])}


@reference(*ROWS)
def mean(c, m, n):
    return {"y": c.normal("x", m, n).mean(axis=-1)}


@reference(*ROWS)
def prod(c, m, n):
    return {"y": np.array([math.prod(row) for row in c.normal("x", m, n)])}


@reference(*ROWS)
def max_(c, m, n):
    return {"y": np.sort(c.normal("x", m, n), axis=-1)[:, -1]}


@reference(*ROWS)
def min_(c, m, n):
    return {"y": np.sort(c.normal("x", m, n), axis=-1)[:, 0]}


@reference((4, 9), (1, 1))
def argmax(c, m, n):
    x = c.normal("x", m, n)
    x[:, n // 2] = x[:, -1] = x.max(axis=-1)
    return {"y": np.argsort(-x, axis=-1, kind="stable")[:, 0]}


@reference((4, 9), (1, 1))
def argmin(c, m, n):
    x = c.normal("x", m, n)
    x[:, n // 2] = x[:, -1] = x.min(axis=-1)
    return {"y": np.argsort(x, axis=-1, kind="stable")[:, 0]}


@reference(*ROWS)
def range_(c, m, n):
    return {"y": np.ptp(c.normal("x", m, n), axis=-1)}


@reference(*ROWS)
def sum_of_squares(c, m, n):
    x = c.normal("x", m, n)
    return {"y": np.diag(x @ x.T)}


@reference(*ROWS)
def l1_norm(c, m, n):
    return {"y": np.linalg.norm(c.normal("x", m, n), 1, axis=-1)}


@reference(*ROWS)
def l2_norm(c, m, n):
    x = c.normal("x", m, n)
    x[0] = 0
    return {"y": np.linalg.norm(x, axis=-1)}


@reference(*ROWS)
def lp_norm(c, m, n):
    x, p = c.normal("x", m, n), c.scalar("p", 2.5)
    return {"y": np.linalg.norm(x, p, axis=-1)}


@reference(*ROWS)
def weighted_mean(c, m, n):
    x, w = c.normal("x", m, n), c.positive("w", m, n)
    return {"y": np.average(x, axis=-1, weights=w)}


@reference(*ROWS)
def weighted_variance(c, m, n):
    x, w = c.normal("x", m, n), c.positive("w", m, n)
    e = np.average(x, axis=-1, weights=w)
    return {"y": np.average((x - e[:, None]) ** 2, axis=-1, weights=w)}


@reference(*ROWS)
def variance(c, m, n):
    return {"y": c.normal("x", m, n).var(axis=-1)}


@reference(*ROWS)
def standard_deviation(c, m, n):
    return {"y": c.normal("x", m, n).std(axis=-1)}


@reference((3, 5), (1, 2))
def sample_variance(c, m, n):
    return {"y": c.normal("x", m, n).var(axis=-1, ddof=1)}


def central(x, k):
    return np.mean((x - x.mean(axis=-1, keepdims=True)) ** k, axis=-1)


@reference((3, 6), (1, 3))
def skewness(c, m, n):
    x = c.normal("x", m, n)
    return {"y": central(x, 3) / x.std(axis=-1) ** 3}


@reference((3, 6), (1, 3))
def kurtosis(c, m, n):
    x = c.normal("x", m, n)
    return {"y": central(x, 4) / x.var(axis=-1) ** 2 - 3}


@reference(*ROWS)
def fourth_moment(c, m, n):
    return {"y": central(c.normal("x", m, n), 4)}


@reference(*ROWS)
def mean_absolute_deviation(c, m, n):
    x = c.normal("x", m, n)
    return {"y": np.abs(x - x.mean(axis=-1, keepdims=True)).mean(axis=-1)}


@reference(*ROWS)
def max_absolute_deviation(c, m, n):
    x = c.normal("x", m, n)
    mu = x.mean(axis=-1)
    return {"y": np.maximum(x.max(axis=-1) - mu, mu - x.min(axis=-1))}


@reference(*ROWS)
def covariance(c, m, n):
    x, z = c.normal("x", m, n), c.normal("z", m, n)
    return {"y": (x * z).mean(axis=-1) - x.mean(axis=-1) * z.mean(axis=-1)}


@reference((6, 3), (2, 1))
def covariance_matrix(c, n, k):
    return {"c": np.cov(c.normal("x", n, k), rowvar=False).reshape(k, k)}


@reference((3, 6), (1, 3))
def correlation(c, m, n):
    x, z = c.normal("x", m, n), c.normal("z", m, n)
    return {"y": np.array([np.corrcoef(a, b)[0, 1] for a, b in zip(x, z)])}


@reference((3, 6), (1, 2))
def regression_line(c, m, n):
    x, z = c.normal("x", m, n), c.normal("z", m, n)
    lines = [np.linalg.lstsq(np.stack([a, np.ones(n)], axis=1), b, rcond=None)[0] for a, b in zip(x, z)]
    return {"slope": np.array([line[0] for line in lines]), "intercept": np.array([line[1] for line in lines])}


@reference(*ROWS)
def logsumexp(c, m, n):
    return {"y": lse(c.normal("x", m, n))}


@reference(*ROWS)
def log_mean_exp(c, m, n):
    return {"y": np.log(np.exp(c.normal("x", m, n)).mean(axis=-1))}


@reference(*ROWS)
def geometric_mean(c, m, n):
    return {"y": np.prod(c.positive("x", m, n), axis=-1) ** (1 / n)}


@reference(*ROWS)
def harmonic_mean(c, m, n):
    return {"y": 1 / np.mean(1 / c.positive("x", m, n), axis=-1)}


@reference(*ROWS)
def coefficient_of_variation(c, m, n):
    x = c.positive("x", m, n)
    return {"y": x.std(axis=-1) / x.mean(axis=-1)}


def lower_median(x):
    return np.sort(x, axis=-1)[..., (x.shape[-1] - 1) // 2]


@reference((3, 5), (2, 6), (1, 1))
def median(c, m, n):
    x = c.normal("x", m, n)
    x[:, -1] = x[:, 0]
    return {"y": lower_median(x)}


@reference((3, 5), (2, 6), (1, 1))
def median_absolute_deviation(c, m, n):
    x = c.normal("x", m, n)
    return {"y": lower_median(np.abs(x - lower_median(x)[:, None]))}


@reference((3, 5), (1, 2))
def mean_difference(c, m, n):
    x = np.sort(c.normal("x", m, n), axis=-1)
    return {"y": 2 / (n * (n - 1)) * ((2 * np.arange(1, n + 1) - n - 1) * x).sum(axis=-1)}


@reference((2, 9), (1, 4))
def autocorrelation(c, m, n):
    x, lags = c.normal("x", m, n), c.scalar("lags", 3)
    z = x - x.mean(axis=-1, keepdims=True)
    full = np.array([np.correlate(row, row, "full") for row in z])[:, n - 1 :]
    return {"r": full[:, :lags] / full[:, :1]}


@reference((3, 5), (1, 2))
def entropy(c, m, n):
    p = c.distribution("p", m, n)
    p[0] = np.eye(n)[0]
    return {"h": np.array([-math.fsum(v * math.log(v) for v in row if v) for row in p])}


@reference(*ROWS)
def softmax_entropy(c, m, n):
    p = softmax(c.normal("x", m, n))
    return {"h": -(p * np.log(p)).sum(axis=-1)}


@reference(*ROWS)
def softmax_entropy_lse(c, m, n):
    p = softmax(c.normal("x", m, n))
    return {"h": -(p * np.log(p)).sum(axis=-1)}


@reference(*ROWS)
def softmax_kl_divergence(c, m, n):
    p, q = softmax(c.normal("p", m, n)), softmax(c.normal("q", m, n))
    return {"d": (p * np.log(p / q)).sum(axis=-1)}


@reference(*ROWS)
def cumulative_variance(c, m, n):
    x = c.normal("x", m, n)
    parts = [x[:, : k + 1] for k in range(n)]
    return {"mean": np.stack([p.mean(axis=-1) for p in parts], axis=1),
            "var": np.stack([p.var(axis=-1) for p in parts], axis=1)}


# ---- losses


@reference(*ROWS)
def mse_loss(c, m, n):
    return {"loss": ((c.normal("x", m, n) - c.normal("target", m, n)) ** 2).mean(axis=-1)}


@reference(*ROWS)
def mae_loss(c, m, n):
    return {"loss": np.abs(c.normal("x", m, n) - c.normal("target", m, n)).mean(axis=-1)}


@reference(*ROWS)
def huber_loss(c, m, n):
    e, delta = c.normal("x", m, n) - c.normal("target", m, n), c.scalar("delta", 0.75)
    near = np.minimum(np.abs(e), delta)
    return {"loss": (near * (np.abs(e) - near / 2)).mean(axis=-1)}


@reference(*ROWS)
def log_cosh_loss(c, m, n):
    return {"loss": np.log(np.cosh(c.normal("x", m, n) - c.normal("target", m, n))).mean(axis=-1)}


@reference(*ROWS)
def quantile_loss(c, m, n):
    x, y, tau = c.normal("x", m, n), c.normal("target", m, n), c.scalar("tau", 0.75)
    return {"loss": np.where(y >= x, tau * (y - x), (1 - tau) * (x - y)).mean(axis=-1)}


@reference((3, 5), (1, 1))
def bce_loss(c, m, n):
    p, t = c.unit("p", m, n), c.unit("target", m, n)
    p[0, 0], t[0, 0] = 0, 0.5  # log 0 counts as -100
    first = 0.5 * 100
    value = np.zeros((m, n))
    value[0, 0] = first
    rest = np.ones((m, n), dtype=bool)
    rest[0, 0] = False
    value[rest] = -(t[rest] * np.log(p[rest]) + (1 - t[rest]) * np.log1p(-p[rest]))
    return {"loss": value.mean(axis=-1)}


@reference(*ROWS)
def bce_with_logits(c, m, n):
    x, t = c.normal("x", m, n), c.unit("target", m, n)
    return {"loss": -(t * np.log(sigmoid(x)) + (1 - t) * np.log(sigmoid(-x))).mean(axis=-1)}


@reference((4, 5), (1, 1))
def nll_loss(c, m, n):
    x, t, w = c.normal("logp", m, n), c.integer("target", 0, n, m), c.positive("weight", n)
    return {"loss": np.array(np.average([-x[i, k] for i, k in enumerate(t)], weights=w[t]))}


@reference(*ROWS)
def cross_entropy(c, m, n):
    x, t = c.normal("x", m, n), c.integer("target", 0, n, m)
    return {"loss": -np.log(softmax(x)[np.arange(m), t])}


@reference((3, 5), (1, 2))
def kl_div_loss(c, m, n):
    logq, p = c.normal("logq", m, n), c.distribution("p", m, n)
    p[0] = np.eye(n)[1]
    return {"loss": np.array([math.fsum(v * (math.log(v) - q) for v, q in zip(*rows) if v) for rows in zip(p, logq)])}


@reference(*ROWS)
def focal_loss(c, m, n):
    x, t = c.normal("x", m, n), c.given("target", c.random.integers(0, 2, (m, n)))
    alpha, gamma = c.scalar("alpha", 0.25), c.scalar("gamma", 1.5)
    p = sigmoid(x)
    pt, at = t * p + (1 - t) * (1 - p), t * alpha + (1 - t) * (1 - alpha)
    return {"loss": -(at * (1 - pt) ** gamma * np.log(pt)).mean(axis=-1)}


@reference(*ROWS)
def hinge_loss(c, m, n):
    x, t = c.normal("x", m, n), c.given("target", 2 * c.random.integers(0, 2, (m, n)) - 1)
    return {"loss": np.clip(1 - t * x, 0, None).mean(axis=-1)}


@reference((4, 5), (1, 2))
def multiclass_hinge_loss(c, m, n):
    x, t = c.normal("x", m, n), c.integer("target", 0, n, m)
    return {"loss": np.array([max(0, 1 + max(np.delete(row, k)) - row[k]) for row, k in zip(x, t)])}


@reference(*ROWS)
def label_smoothing_cross_entropy(c, m, n):
    x, t, s = c.normal("x", m, n), c.integer("target", 0, n, m), c.scalar("smoothing", 0.125)
    wanted = (1 - s) * np.eye(n)[t] + s / n
    return {"loss": -(wanted * np.log(softmax(x))).sum(axis=-1)}


@reference(*ROWS)
def z_loss_cross_entropy(c, m, n):
    x, t, z = c.normal("x", m, n), c.integer("target", 0, n, m), c.scalar("z", 0.125)
    return {"loss": -np.log(softmax(x)[np.arange(m), t]) + z * np.log(np.exp(x).sum(axis=-1)) ** 2}


@reference(*ROWS)
def distillation_loss(c, m, n):
    s, t, k = c.normal("student", m, n), c.normal("teacher", m, n), c.scalar("temperature", 2.0)
    return {"loss": -k * k * (softmax(t / k) * np.log(softmax(s / k))).sum(axis=-1)}


@reference(*ROWS)
def poisson_nll_loss(c, m, n):
    x, k = c.normal("lograte", m, n), c.given("count", c.random.integers(0, 6, (m, n)))
    return {"loss": (np.exp(x) - k * x).mean(axis=-1)}


@reference(*ROWS)
def gaussian_nll_loss(c, m, n):
    x, t, v, eps = c.normal("x", m, n), c.normal("target", m, n), c.positive("var", m, n), c.scalar("eps", 0.25)
    v = np.where(v < eps, eps, v)
    return {"loss": (np.log(v) / 2 + (x - t) ** 2 / (2 * v)).mean(axis=-1)}


@reference(*ROWS)
def dice_loss(c, m, n):
    p, t, s = c.unit("p", m, n), c.given("target", c.random.integers(0, 2, (m, n))), c.scalar("smooth", 0.5)
    return {"loss": 1 - (2 * (p * t).sum(axis=-1) + s) / ((p * p).sum(axis=-1) + (t * t).sum(axis=-1) + s)}


def cosines(a, b):
    return np.array([u @ v / (np.linalg.norm(u) * np.linalg.norm(v)) for u, v in zip(a, b)])


@reference(*ROWS)
def cosine_similarity(c, m, n):
    a, b = c.positive("a", m, n), c.positive("b", m, n) * np.where(np.arange(n) % 2, -1, 1)
    c.given("b", b)
    return {"y": cosines(a, b)}


@reference(*ROWS)
def cosine_embedding_loss(c, m, n):
    a, b = c.positive("a", m, n), c.positive("b", m, n)
    label, margin = c.given("label", 2 * c.random.integers(0, 2, m) - 1), c.scalar("margin", 0.25)
    c.scalar("eps", 0.0)
    cosine = cosines(a, b)
    return {"loss": np.where(label == 1, 1 - cosine, np.clip(cosine - margin, 0, None))}


@reference(*ROWS)
def triplet_margin_loss(c, m, n):
    a, p, q = c.normal("anchor", m, n), c.normal("positive", m, n), c.normal("negative", m, n)
    gap = np.linalg.norm(a - p, axis=-1) - np.linalg.norm(a - q, axis=-1)
    return {"loss": np.clip(gap + c.scalar("margin", 0.5), 0, None)}


@reference(*ROWS)
def contrastive_loss(c, m, n):
    a, b, label = c.normal("a", m, n), c.normal("b", m, n), c.given("label", c.random.integers(0, 2, m))
    d, margin = np.linalg.norm(a - b, axis=-1), c.scalar("margin", 2.0)
    return {"loss": np.where(label == 1, d**2, np.clip(margin - d, 0, None) ** 2) / 2}


@reference((4, 3), (1, 2))
def info_nce(c, n, d):
    q, k = c.normal("q", n, d), c.normal("k", n, d)
    return {"loss": -np.log(np.diag(softmax(q @ k.T / c.scalar("temperature", 0.5))))}


# ---- distances and divergences


@reference((3, 4, 2), (1, 1, 1))
def squared_distance_matrix(c, m, n, d):
    a, b = c.normal("a", m, d), c.normal("b", n, d)
    return {"y": ((a[:, None] - b[None]) ** 2).sum(axis=-1)}


@reference(*ROWS)
def euclidean_distance(c, m, n):
    return {"y": np.linalg.norm(c.normal("a", m, n) - c.normal("b", m, n), axis=-1)}


@reference(*ROWS)
def manhattan_distance(c, m, n):
    return {"y": np.linalg.norm(c.normal("a", m, n) - c.normal("b", m, n), 1, axis=-1)}


@reference(*ROWS)
def chebyshev_distance(c, m, n):
    return {"y": np.linalg.norm(c.normal("a", m, n) - c.normal("b", m, n), np.inf, axis=-1)}


@reference(*ROWS)
def canberra_distance(c, m, n):
    a, b = c.normal("a", m, n), c.normal("b", m, n)
    a[0, 0] = b[0, 0] = 0
    return {"y": np.array([math.fsum(abs(u - v) / (abs(u) + abs(v)) for u, v in zip(*rows) if u or v)
                           for rows in zip(a, b)])}


@reference(*ROWS)
def bray_curtis_dissimilarity(c, m, n):
    a, b = c.positive("a", m, n), c.positive("b", m, n)
    return {"y": 1 - 2 * np.minimum(a, b).sum(axis=-1) / (a.sum(axis=-1) + b.sum(axis=-1))}


@reference((3, 9), (1, 1))
def hamming_distance(c, m, n):
    a, b = c.integer("a", 0, 2, m, n, dtype="i32"), c.integer("b", 0, 2, m, n, dtype="i32")
    return {"y": np.count_nonzero(a ^ b, axis=-1)}


@reference((3, 4), (1, 1))
def mahalanobis_distance(c, m, d):
    x, mu, root = c.normal("x", m, d), c.normal("mu", d), np.round(c.random.standard_normal((d, d)) * 8) / 8
    precision = c.given("precision", root @ root.T + np.eye(d))
    return {"y": np.linalg.norm((x - mu) @ np.linalg.cholesky(precision), axis=-1)}


@reference((3, 5), (1, 1))
def hellinger_distance(c, m, n):
    p, q = c.distribution("p", m, n), c.distribution("q", m, n)
    return {"y": np.linalg.norm(np.sqrt(p) - np.sqrt(q), axis=-1) / math.sqrt(2)}


@reference((3, 5), (1, 1))
def bhattacharyya_distance(c, m, n):
    p, q = c.distribution("p", m, n), c.distribution("q", m, n)
    return {"y": -np.log((np.sqrt(p) * np.sqrt(q)).sum(axis=-1))}


def divergence(p, q):
    return np.array([math.fsum(a * math.log(a / b) for a, b in zip(*rows) if a) for rows in zip(p, q)])


@reference((3, 5), (1, 2))
def jensen_shannon_divergence(c, m, n):
    p, q = c.distribution("p", m, n), c.distribution("q", m, n)
    p[0], q[0] = np.eye(n)[0], np.eye(n)[1]  # disjoint: log 2
    return {"y": divergence(p, (p + q) / 2) / 2 + divergence(q, (p + q) / 2) / 2}


@reference((3, 5), (1, 1))
def renyi_divergence(c, m, n):
    p, q, a = c.distribution("p", m, n), c.distribution("q", m, n), c.scalar("alpha", 2.5)
    return {"y": np.log((q * (p / q) ** a).sum(axis=-1)) / (a - 1)}


@reference((3, 5), (1, 1))
def total_variation_distance(c, m, n):
    p, q = c.distribution("p", m, n), c.distribution("q", m, n)
    return {"y": np.clip(p - q, 0, None).sum(axis=-1)}


@reference((3, 5), (1, 1))
def wasserstein_1d(c, m, n):
    p, q = c.distribution("p", m, n), c.distribution("q", m, n)
    out = []
    for a, b in zip(p, q):  # the monotone coupling, moved unit by unit: masses are multiples of 1/256
        units = [np.repeat(np.arange(n), np.rint(masses * 256).astype(int)) for masses in (a, b)]
        out.append(np.abs(units[0] - units[1]).sum() / 256)
    return {"y": np.array(out)}


# ---- attention


def attend(q, k, v, keep=None, bias=0.0):
    s = q @ k.T / math.sqrt(q.shape[-1]) + bias
    return softmax(s if keep is None else np.where(keep, s, -np.inf)) @ v


ATTENTION = ((3, 5, 4, 2), (1, 1, 1, 1))


@reference(*ATTENTION)
def attention(c, m, n, d, e):
    return {"o": attend(c.normal("q", m, d), c.normal("k", n, d), c.normal("v", n, e))}


@reference((5, 4, 2), (1, 1, 1))
def attention_causal(c, n, d, e):
    return {"o": attend(c.normal("q", n, d), c.normal("k", n, d), c.normal("v", n, e), np.tri(n, dtype=bool))}


@reference((6, 4, 2), (1, 1, 1))
def attention_sliding_window(c, n, d, e):
    q, k, v, w = c.normal("q", n, d), c.normal("k", n, d), c.normal("v", n, e), c.scalar("window", 3)
    keep = np.tri(n, dtype=bool) & ~np.tri(n, k=-w, dtype=bool)
    return {"o": attend(q, k, v, keep)}


@reference((2, 5, 4, 2), (1, 1, 1, 1))
def attention_alibi(c, h, n, d, e):
    q, k, v, slope = c.normal("q", h, n, d), c.normal("k", h, n, d), c.normal("v", h, n, e), c.unit("slope", h)
    i = np.arange(n)
    return {"o": np.stack([attend(q[a], k[a], v[a], np.tri(n, dtype=bool), slope[a] * (i[None] - i[:, None]))
                           for a in range(h)])}


@reference((4, 2, 3, 5, 3, 2), (3, 1, 1, 1, 1, 1))
def attention_grouped_query(c, h, g, m, n, d, e):
    q, k, v = c.normal("q", h, m, d), c.normal("k", g, n, d), c.normal("v", g, n, e)
    k, v = np.repeat(k, h // g, axis=0), np.repeat(v, h // g, axis=0)
    return {"o": np.stack([attend(*heads) for heads in zip(q, k, v)])}


@reference(*ATTENTION)
def attention_sigmoid(c, m, n, d, e):
    q, k, v = c.normal("q", m, d), c.normal("k", n, d), c.normal("v", n, e)
    return {"o": 1 / (1 + n * np.exp(-(q @ k.T) / math.sqrt(d))) @ v}


@reference(*ATTENTION)
def attention_linear(c, m, n, d, e):
    q, k, v = c.normal("q", m, d), c.normal("k", n, d), c.normal("v", n, e)
    phi = lambda x: np.where(x > 0, x, np.exp(x) - 1) + 1
    w = phi(q) @ phi(k).T
    return {"o": w / w.sum(axis=-1, keepdims=True) @ v}


@reference((3, 2, 5, 4, 2), (1, 1, 1, 1, 1))
def attention_decode(c, b, h, n, d, e):
    q, k, v = c.normal("q", b, h, d), c.normal("k", b, n, h, d), c.normal("v", b, n, h, e)
    length = c.integer("length", 1, n + 1, b)
    return {"o": np.array([[attend(q[i, a][None], k[i, : length[i], a], v[i, : length[i], a])[0] for a in range(h)]
                           for i in range(b)])}


@reference(*ATTENTION)
def attention_softcap(c, m, n, d, e):
    q, k, v, cap = c.normal("q", m, d), c.normal("k", n, d), c.normal("v", n, e), c.scalar("cap", 0.75)
    return {"o": softmax(cap * np.tanh(q @ k.T / math.sqrt(d) / cap)) @ v}


@reference(*ATTENTION)
def attention_bias(c, m, n, d, e):
    return {"o": attend(c.normal("q", m, d), c.normal("k", n, d), c.normal("v", n, e), bias=c.normal("bias", m, n))}


@reference(*ATTENTION)
def attention_cosine(c, m, n, d, e):
    q, k, v, scale = c.positive("q", m, d), c.positive("k", n, d), c.normal("v", n, e), c.scalar("scale", 3.0)
    unit = lambda x: x / np.linalg.norm(x, axis=-1, keepdims=True)
    return {"o": softmax(scale * unit(q) @ unit(k).T) @ v}


# ---- scans and recurrences


@reference(*ROWS)
def cumsum(c, m, n):
    return {"y": np.cumsum(c.normal("x", m, n), axis=-1)}


@reference(*ROWS)
def cumprod(c, m, n):
    return {"y": np.cumprod(c.normal("x", m, n), axis=-1)}


@reference(*ROWS)
def cummax(c, m, n):
    return {"y": np.maximum.accumulate(c.normal("x", m, n), axis=-1)}


@reference(*ROWS)
def exclusive_cumsum(c, m, n):
    return {"y": np.pad(np.cumsum(c.normal("x", m, n), axis=-1), ((0, 0), (1, 0)))[:, :-1]}


@reference(*ROWS)
def cumulative_logsumexp(c, m, n):
    return {"y": np.logaddexp.accumulate(c.normal("x", m, n), axis=-1)}


@reference(*ROWS)
def moving_average(c, m, n):
    x, w = c.normal("x", m, n), c.scalar("window", 3)
    return {"y": np.stack([x[:, max(0, j + 1 - w) : j + 1].mean(axis=-1) for j in range(n)], axis=1)}


@reference((5, 2), (1, 1))
def ema(c, t, d):
    x, h0, alpha = c.normal("x", t, d), c.normal("h0", d), c.scalar("alpha", 0.25)
    weight = lambda s: (1 - alpha) ** s  # the closed form
    return {"h": np.stack([weight(k + 1) * h0 + sum(alpha * weight(k - s) * x[s] for s in range(k + 1))
                           for k in range(t)])}


@reference((5, 2), (1, 1))
def discounted_return(c, t, d):
    r, gamma = c.normal("r", t, d), c.scalar("gamma", 0.75)
    return {"g": np.stack([sum(gamma ** (s - k) * r[s] for s in range(k, t)) for k in range(t)])}


@reference((6,), (1,))
def generalized_advantage(c, t):
    r, v, done = c.normal("r", t), c.normal("value", t + 1), c.given("done", c.random.integers(0, 4, t) == 0)
    gamma, lam = c.scalar("gamma", 0.75), c.scalar("lambda", 0.5)
    out = []
    for k in range(t):  # the sum of equation 16, cut off where the episode ends
        total, weight = 0.0, 1.0
        for s in range(k, t):
            total += weight * (r[s] + (0 if done[s] else gamma * v[s + 1]) - v[s])
            if done[s]:
                break
            weight *= gamma * lam
        out.append(total)
    return {"a": np.array(out)}


@reference((5, 2), (1, 1))
def linear_recurrence(c, t, d):
    a, b, h = c.normal("a", t, d), c.normal("b", t, d), c.normal("h0", d)
    out = []
    for k in range(t):
        h = a[k] * h + b[k]
        out.append(h)
    return {"h": np.array(out)}


@reference((5, 2, 3), (1, 1, 1))
def state_space(c, t, d, p):
    x, a, b, w = c.normal("x", t, d), c.unit("a", d, p), c.normal("b", d, p), c.normal("c", d, p)
    skip = c.normal("skip", d)
    kernel = np.stack([(w * a**s * b).sum(axis=1) for s in range(t)])  # its convolution form
    return {"y": np.stack([sum(kernel[k - s] * x[s] for s in range(k + 1)) + skip * x[k] for k in range(t)])}


@reference((5, 2, 3), (1, 1, 1))
def selective_state_space(c, t, d, p):
    x, delta, a = c.normal("x", t, d), c.positive("delta", t, d), -c.positive("a", d, p)
    c.given("a", a)
    b, w, skip = c.normal("b", t, p), c.normal("c", t, p), c.normal("skip", d)
    h, out = np.zeros((d, p)), []
    for k in range(t):
        h = np.exp(delta[k][:, None] * a) * h + np.outer(delta[k] * x[k], b[k])
        out.append(h @ w[k] + skip * x[k])
    return {"y": np.array(out)}


@reference((5, 3, 2), (1, 1, 1))
def linear_attention(c, t, d, e):
    q, k, v = c.normal("q", t, d), c.normal("k", t, d), c.normal("v", t, e)
    return {"o": np.tril(q @ k.T) @ v}


@reference((2, 5, 3, 2), (1, 1, 1, 1))
def retention(c, h, t, d, e):
    q, k, v, decay = c.normal("q", h, t, d), c.normal("k", h, t, d), c.normal("v", h, t, e), c.unit("decay", h)
    i = np.arange(t)
    power = np.where(i[:, None] >= i, decay[:, None, None] ** np.maximum(i[:, None] - i, 0), 0)  # its parallel form
    return {"o": (q @ np.swapaxes(k, 1, 2) * power) @ v}


@reference((5, 3, 2), (1, 1, 1))
def gated_linear_attention(c, t, d, e):
    q, k, v, g = c.normal("q", t, d), c.normal("k", t, d), c.normal("v", t, e), c.unit("gate", t, d)
    total = np.cumprod(g, axis=0)
    return {"o": np.tril((q * total) @ (k / total).T) @ v}


@reference((5, 3, 2), (1, 1, 1))
def delta_rule_attention(c, t, d, e):
    q, k, v, beta = c.normal("q", t, d), c.normal("k", t, d), c.normal("v", t, e), c.unit("beta", t)
    w, out = np.zeros((e, d)), []
    for s in range(t):
        w = w @ (np.eye(d) - beta[s] * np.outer(k[s], k[s])) + beta[s] * np.outer(v[s], k[s])
        out.append(w @ q[s])
    return {"o": np.array(out)}


@reference((5, 2), (1, 1))
def rwkv(c, t, d):
    k, v, w, u = c.normal("k", t, d), c.normal("v", t, d), c.positive("w", d), c.normal("u", d)
    out = []
    for s in range(t):
        weights = np.array([np.exp(-(s - 1 - r) * w + k[r]) for r in range(s)] + [np.exp(u + k[s])])
        out.append((weights * v[: s + 1]).sum(axis=0) / weights.sum(axis=0))
    return {"y": np.array(out)}


@reference((4, 3, 2), (1, 1, 1))
def rnn(c, t, n, d):
    x, w, r, b = c.normal("x", t, n), c.normal("w", d, n), c.normal("r", d, d), c.normal("b", d)
    h, out = np.zeros(d), []
    for k in range(t):
        h = np.tanh(w @ x[k] + r @ h + b)
        out.append(h)
    return {"h": np.array(out)}


@reference((4, 3, 2), (1, 1, 1))
def gru(c, t, n, d):
    x, w, r = c.normal("x", t, n), c.normal("w", 3, d, n), c.normal("r", 3, d, d)
    wb, rb = c.normal("b", 3, d), c.normal("rb", 3, d)
    h, out = np.zeros(d), []
    for k in range(t):
        z = sigmoid(w[0] @ x[k] + r[0] @ h + wb[0] + rb[0])
        reset = sigmoid(w[1] @ x[k] + r[1] @ h + wb[1] + rb[1])
        candidate = np.tanh(w[2] @ x[k] + reset * (r[2] @ h + rb[2]) + wb[2])
        h = (1 - z) * candidate + z * h
        out.append(h)
    return {"h": np.array(out)}


@reference((4, 3, 2), (1, 1, 1))
def lstm(c, t, n, d):
    x, w, r, b = c.normal("x", t, n), c.normal("w", 4, d, n), c.normal("r", 4, d, d), c.normal("b", 4, d)
    h, cell, hs, cells = np.zeros(d), np.zeros(d), [], []
    for k in range(t):
        i, o, f, g = (w[a] @ x[k] + r[a] @ h + b[a] for a in range(4))
        cell = sigmoid(f) * cell + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(cell)
        hs.append(h), cells.append(cell)
    return {"h": np.array(hs), "c": np.array(cells)}


@reference((2, 6), (1, 1))
def biquad(c, m, t):
    x = c.normal("x", m, t)
    b = [c.scalar("b0", 0.5), c.scalar("b1", 0.25), c.scalar("b2", -0.5)]
    a = [1.0, c.scalar("a1", -0.5), c.scalar("a2", 0.25)]
    response = np.zeros(t)  # of an impulse; then a convolution
    for k in range(t):
        response[k] = (b[k] if k < 3 else 0) - sum(a[s] * response[k - s] for s in (1, 2) if k >= s)
    return {"y": np.array([np.convolve(row, response)[:t] for row in x])}


# ---- contractions


@reference(*ROWS)
def dot(c, m, n):
    a, b = c.normal("a", m, n), c.normal("b", m, n)
    return {"y": np.array([np.vdot(u, v) for u, v in zip(a, b)])}


@reference((3, 4), (1, 1))
def matvec(c, m, k):
    return {"y": c.normal("a", m, k) @ c.normal("x", k)}


PRODUCT = ((3, 4, 2), (1, 1, 1), (2, 1, 3))


@reference(*PRODUCT)
def matmul(c, m, k, n):
    return {"c": c.normal("a", m, k) @ c.normal("b", k, n)}


@reference(*PRODUCT)
def matmul_transposed(c, m, k, n):
    return {"c": c.normal("a", m, k) @ c.normal("b", n, k).T}


@reference(*PRODUCT)
def gemm(c, m, k, n):
    a, b, y = c.normal("a", m, k), c.normal("b", k, n), c.normal("c", m, n)
    return {"y": c.scalar("alpha", 0.5) * (a @ b) + c.scalar("beta", -2.0) * y}


@reference((2, 3, 4, 2), (1, 1, 1, 1))
def batched_matmul(c, b, m, k, n):
    return {"c": np.matmul(c.normal("a", b, m, k), c.normal("b", b, k, n))}


def affine(c, m, k, n):
    return c.normal("x", m, k) @ c.normal("w", n, k).T + c.normal("bias", n)


@reference(*PRODUCT)
def linear(c, m, k, n):
    return {"y": affine(c, m, k, n)}


@reference(*PRODUCT)
def linear_relu(c, m, k, n):
    return {"y": np.clip(affine(c, m, k, n), 0, None)}


@reference(*PRODUCT)
def linear_gelu(c, m, k, n):
    return {"y": gelu_(affine(c, m, k, n))}


@reference(*PRODUCT)
def linear_residual(c, m, k, n):
    return {"y": affine(c, m, k, n) + c.normal("residual", m, n)}


@reference(*PRODUCT)
def swiglu_projection(c, m, k, n):
    x, w, v = c.normal("x", m, k), c.normal("w", k, n), c.normal("v", k, n)
    g = x @ w
    return {"y": g / (1 + np.exp(-g)) * (x @ v)}


@reference((3, 4, 5, 2), (1, 1, 1, 1))
def low_rank_adaptation(c, m, k, n, r):
    x, w, a, b = c.normal("x", m, k), c.normal("w", n, k), c.normal("a", r, k), c.normal("b", n, r)
    return {"y": x @ (w + c.scalar("alpha", 3.0) / r * b @ a).T}


@reference((3, 4), (1, 1))
def outer_product(c, m, n):
    return {"y": np.outer(c.normal("a", m), c.normal("b", n))}


@reference((3, 4, 2, 2), (1, 1, 1, 1))
def bilinear(c, m, k, n, o):
    a, b, w, bias = c.normal("a", m, k), c.normal("b", m, n), c.normal("w", o, k, n), c.normal("bias", o)
    return {"y": np.array([[u @ w[s] @ v + bias[s] for s in range(o)] for u, v in zip(a, b)])}


@reference((3, 4), (1, 1))
def quadratic_form(c, m, n):
    x, a = c.normal("x", m, n), c.normal("a", n, n)
    return {"y": np.diag(x @ a @ x.T)}


@reference((2, 3, 5), (1, 1, 1))
def gram_matrix(c, b, k, n):
    x = c.normal("x", b, k, n)
    return {"g": x @ np.swapaxes(x, 1, 2) / (k * n)}


@reference((2, 3, 4, 2, 3), (1, 1, 1, 1, 1))
def head_scores(c, b, m, n, h, d):
    q, k = c.normal("q", b, m, h, d), c.normal("k", b, n, h, d)
    return {"s": np.swapaxes(q, 1, 2) @ np.transpose(k, (0, 2, 3, 1)) / math.sqrt(d)}


@reference((2, 3, 4, 2), (1, 1, 1, 1))
def mttkrp(c, i, j, k, r):
    x, b, w = c.normal("x", i, j, k), c.normal("b", j, r), c.normal("c", k, r)
    khatri_rao = np.stack([np.kron(b[:, s], w[:, s]) for s in range(r)], axis=1)
    return {"y": x.reshape(i, j * k) @ khatri_rao}


@reference((2, 2, 6, 3, 3), (1, 1, 1, 1, 1))
def conv1d(c, b, k, n, f, r):
    x, w = c.normal("x", b, k, n), c.normal("w", f, k, r)
    return {"y": np.array([[sum(np.correlate(x[i, s], w[o, s], "valid") for s in range(k)) for o in range(f)]
                           for i in range(b)])}


def correlate2d(x, w, stride=1):
    """Of one image [C, H, W] with one filter [C, R, S]."""
    _, h, v = x.shape
    _, r, s = w.shape
    return np.array([[(x[:, i : i + r, j : j + s] * w).sum() for j in range(0, v - s + 1, stride)]
                     for i in range(0, h - r + 1, stride)])


@reference((2, 2, 5, 4, 2, 3, 2), (1, 1, 1, 1, 1, 1, 1))
def conv2d(c, b, k, h, v, f, r, s):
    x, w = c.normal("x", b, k, h, v), c.normal("w", f, k, r, s)
    by, stride = c.scalar("pad_by", 1), c.scalar("stride", 2)
    z = np.pad(x, ((0, 0), (0, 0), (by, by), (by, by)))
    return {"y": np.array([[correlate2d(image, filt, stride) for filt in w] for image in z])}


@reference((2, 2, 5, 4, 2, 3, 2), (1, 1, 1, 1, 1, 1, 1))
def conv2d_bias_relu(c, b, k, h, v, f, r, s):
    x, w, bias = c.normal("x", b, k, h, v), c.normal("w", f, k, r, s), c.normal("bias", f)
    y = np.array([[correlate2d(image, filt) for filt in w] for image in x])
    return {"y": np.clip(y + bias[:, None, None], 0, None)}


@reference((2, 2, 4, 3), (1, 1, 1, 1))
def depthwise_conv2d(c, b, k, h, v):
    x, w = c.normal("x", b, k, h, v), c.normal("w", k, 3, 3)
    z = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    return {"y": np.array([[correlate2d(image[s : s + 1], w[s : s + 1]) for s in range(k)] for image in z])}


@reference((2, 2, 6, 3), (1, 1, 1, 1))
def causal_conv1d(c, b, k, t, r):
    x, w, bias = c.normal("x", b, k, t), c.normal("w", k, r), c.normal("bias", k)
    return {"y": np.array([[np.convolve(x[i, s], w[s, ::-1])[:t] + bias[s] for s in range(k)] for i in range(b)])}


@reference((2, 2, 4, 2, 3), (1, 1, 1, 1, 1))
def conv_transpose1d(c, b, k, n, f, r):
    x, w, stride = c.normal("x", b, k, n), c.normal("w", k, f, r), c.scalar("stride", 2)
    y = np.zeros((b, f, stride * (n - 1) + r))
    for s in range(n):
        y[:, :, stride * s : stride * s + r] += np.einsum("bc,cfr->bfr", x[:, :, s], w)
    return {"y": y}


@reference((3, 4, 2), (1, 1, 1))
def quantized_matmul(c, m, k, n):
    a, b = c.integer("a", -128, 128, m, k, dtype="i8"), c.integer("b", -128, 128, k, n, dtype="i8")
    return {"c": np.diag(c.positive("sa", m)) @ (a @ b) @ np.diag(c.positive("sb", n))}


@reference((3, 4, 2), (1, 1, 1))
def weight_only_matmul(c, m, k, n):
    x, w, scale = c.normal("x", m, k), c.integer("w", -128, 128, n, k, dtype="i8"), c.positive("scale", n)
    return {"y": (x @ w.T) * scale}


# ---- pooling, positions, tables


def windows(x, size, stride, reduce):
    h, v = x.shape[2:]
    return np.array([[[[reduce(image[i : i + size, j : j + size]) for j in range(0, v - size + 1, stride)]
                       for i in range(0, h - size + 1, stride)] for image in batch] for batch in x])


@reference((2, 2, 5, 4), (1, 1, 2, 2))
def max_pool2d(c, b, k, h, v):
    x = c.normal("x", b, k, h, v)
    return {"y": windows(x, c.scalar("size", 2), c.scalar("stride", 1), np.max)}


@reference((2, 2, 5, 4), (1, 1, 2, 2))
def avg_pool2d(c, b, k, h, v):
    x = c.normal("x", b, k, h, v)
    return {"y": windows(x, c.scalar("size", 2), c.scalar("stride", 2), np.mean)}


@reference((2, 3, 4, 3), (1, 1, 1, 1))
def global_average_pool(c, b, k, h, v):
    return {"y": c.normal("x", b, k, h, v).mean(axis=(2, 3))}


@reference((2, 3, 4, 3), (1, 1, 1, 1))
def global_max_pool(c, b, k, h, v):
    return {"y": c.normal("x", b, k, h, v).max(axis=(2, 3))}


@reference((2, 3, 4, 3), (1, 1, 1, 1))
def generalized_mean_pool(c, b, k, h, v):
    x, p, eps = c.normal("x", b, k, h, v), c.scalar("p", 2.5), c.scalar("eps", 0.125)
    return {"y": np.mean(np.clip(x, eps, None) ** p, axis=(2, 3)) ** (1 / p)}


@reference((4, 3), (1, 1))
def rotary_embedding(c, t, d):
    x, base = c.normal("x", t, 2, d), c.scalar("base", 100.0)
    turn = np.exp(1j * np.arange(t)[:, None] * base ** (-np.arange(d) / d))
    z = (x[:, 0] + 1j * x[:, 1]) * turn
    return {"y": np.stack([z.real, z.imag], axis=1)}


@reference((4, 5), (1, 1))
def positional_encoding(c, t, d):
    x, base = c.normal("x", t, d), c.scalar("base", 100.0)
    out = x.copy()
    for p in range(t):
        for k in range(0, d, 2):
            out[p, k] += math.sin(p / base ** (k / d))
            if k + 1 < d:
                out[p, k + 1] += math.cos(p / base ** (k / d))
    return {"y": out}


@reference((5, 3, 4), (1, 1, 1))
def embedding(c, v, d, t):
    table, ids = c.normal("table", v, d), c.integer("ids", 0, v, t)
    return {"y": np.take(table, ids, axis=0)}


@reference((5, 3, 2, 4), (1, 1, 1, 1))
def embedding_bag(c, v, d, b, n):
    table, ids, weight = c.normal("table", v, d), c.integer("ids", 0, v, b, n), c.normal("weight", b, n)
    hot = np.zeros((b, v))
    for i in range(b):
        np.add.at(hot[i], ids[i], weight[i])
    return {"y": hot @ table}


@reference((4,), (1,))
def one_hot(c, m):
    classes = c.scalar("classes", 5)
    return {"y": np.eye(classes)[c.integer("target", 0, classes, m)]}


@reference((3, 6), (1, 1))
def smooth3(c, m, n):
    return {"y": np.array([np.convolve(row, [0.25, 0.5, 0.25])[1 : n + 1] for row in c.normal("x", m, n)])}


# ---- optimizer steps


@reference((6,), (1,))
def sgd_momentum(c, n):
    p, g, v = c.normal("p", n), c.normal("g", n), c.normal("v", n)
    lr, mu, decay = c.scalar("lr", 0.125), c.scalar("momentum", 0.75), c.scalar("decay", 0.0625)
    g = g + decay * p
    v = mu * v + g
    return {"q": p - lr * v, "w": v}


@reference((6,), (1,))
def nesterov_momentum(c, n):
    p, g, v = c.normal("p", n), c.normal("g", n), c.normal("v", n)
    lr, mu = c.scalar("lr", 0.125), c.scalar("momentum", 0.75)
    v = mu * v + g
    return {"q": p - lr * (g + mu * v), "w": v}


@reference((6,), (1,))
def adagrad(c, n):
    p, g, s = c.normal("p", n), c.normal("g", n), c.positive("s", n)
    lr, eps = c.scalar("lr", 0.125), c.scalar("eps", 0.0625)
    return {"q": p - lr / (np.sqrt(s + g * g) + eps) * g, "t": s + g * g}


@reference((6,), (1,))
def rmsprop(c, n):
    p, g, s = c.normal("p", n), c.normal("g", n), c.positive("s", n)
    lr, alpha, eps = c.scalar("lr", 0.125), c.scalar("alpha", 0.75), c.scalar("eps", 0.0625)
    s = s + (1 - alpha) * (g * g - s)
    return {"q": p - lr / (np.sqrt(s) + eps) * g, "t": s}


@reference((6,), (1,))
def adadelta(c, n):
    p, g, s, u = c.normal("p", n), c.normal("g", n), c.positive("s", n), c.positive("u", n)
    rho, eps = c.scalar("rho", 0.75), c.scalar("eps", 0.0625)
    s = s + (1 - rho) * (g * g - s)
    step = -np.sqrt((u + eps) / (s + eps)) * g
    return {"q": p + step, "t": s, "w": u + (1 - rho) * (step * step - u)}


def adam_means(c, n):
    p, g, m, v = c.normal("p", n), c.normal("g", n), c.normal("m", n), c.positive("v", n)
    lr, b1, b2 = c.scalar("lr", 0.125), c.scalar("beta1", 0.75), c.scalar("beta2", 0.875)
    eps, step = c.scalar("eps", 0.0625), c.scalar("step", 3.0)
    m, v = m + (1 - b1) * (g - m), v + (1 - b2) * (g * g - v)
    return p, lr, m / (1 - b1**step) / (np.sqrt(v / (1 - b2**step)) + eps), m, v


@reference((6,), (1,))
def adam(c, n):
    p, lr, step, m, v = adam_means(c, n)
    return {"q": p - lr * step, "m1": m, "v1": v}


@reference((6,), (1,))
def adamw(c, n):
    p, lr, step, m, v = adam_means(c, n)
    return {"q": p * (1 - lr * c.scalar("decay", 0.0625)) - lr * step, "m1": m, "v1": v}


@reference((6,), (1,))
def lion(c, n):
    p, g, m = c.normal("p", n), c.normal("g", n), c.normal("m", n)
    lr, b1, b2 = c.scalar("lr", 0.125), c.scalar("beta1", 0.75), c.scalar("beta2", 0.875)
    decay = c.scalar("decay", 0.0625)
    return {"q": p * (1 - lr * decay) - lr * np.sign(m + (1 - b1) * (g - m)), "m1": m + (1 - b2) * (g - m)}


@reference(*ROWS)
def clip_by_norm(c, m, n):
    x, limit = c.positive("x", m, n), c.scalar("limit", 1.5)
    return {"y": x * np.minimum(1, limit / np.linalg.norm(x, axis=-1))[:, None]}


@reference(*ROWS)
def trust_ratio(c, m, n):
    p, r, lr = c.normal("p", m, n), c.positive("r", m, n), c.scalar("lr", 0.125)
    return {"q": p - lr * np.linalg.norm(p, axis=-1, keepdims=True) * r / np.linalg.norm(r, axis=-1, keepdims=True)}


# ---- quantization


def codes(x):
    return np.clip(np.rint(x), -128, 127)


@reference((3, 6), (2, 1))
def absmax_quantize(c, m, n):
    x = c.normal("x", m, n)
    x[0] = 0
    top = np.max(np.abs(x), axis=-1)
    some = np.where(top > 0, top, 1)[:, None]
    return {"q": codes(127 * x / some), "scale": top / 127}


@reference((2, 3, 4), (1, 1, 1))
def block_quantize(c, m, b, n):
    x = c.normal("x", m, b, n)
    top = np.max(np.abs(x), axis=-1)
    return {"q": codes(127 * x / top[:, :, None]), "scale": top / 127}


@reference((3, 6), (1, 2))
def quantize_affine(c, m, n):
    x = c.normal("x", m, n)
    x[0] = np.abs(x[0])
    lo, hi = np.minimum(x.min(axis=-1), 0), np.maximum(x.max(axis=-1), 0)
    scale = (hi - lo) / 255
    zero = np.rint(-128 - lo / scale)
    return {"q": codes(np.rint(x / scale[:, None]) + zero[:, None]), "scale": scale, "zero": zero}


@reference((3, 5), (1, 1))
def dequantize(c, m, n):
    q, scale = c.integer("q", -128, 128, m, n, dtype="i8"), c.positive("scale", m)
    zero = c.given("zero", c.random.integers(-128, 128, m))
    return {"y": q * scale[:, None] - (zero * scale)[:, None]}


@reference((2, 3, 4), (1, 1, 1))
def block_dequantize(c, m, b, n):
    q, scale = c.integer("q", -128, 128, m, b, n, dtype="i8"), c.positive("scale", m, b)
    return {"y": np.einsum("mbn,mb->mbn", q, scale)}


@reference((3, 5), (1, 1))
def fake_quantize(c, m, n):
    x, scale, bits = c.normal("x", m, n), c.positive("scale", m) / 8, c.scalar("bits", 3)
    c.given("scale", scale)
    return {"y": scale[:, None] * np.clip(np.rint(x / scale[:, None]), 1 - 2 ** (bits - 1), 2 ** (bits - 1) - 1)}


@reference((3, 5), (1, 1))
def ternary_quantize(c, m, n):
    w, eps = c.normal("w", m, n), c.scalar("eps", 1e-5)
    gamma = np.abs(w).mean(axis=-1)
    z = w / (gamma + eps)[:, None]
    return {"q": np.sign(z) * (np.abs(z) > 0.5), "scale": gamma}


# ---- sampling and routing


@reference((3, 6), (1, 1))
def gumbel_max(c, m, n):
    x, u = c.normal("x", m, n), c.unit("u", m, n)
    arrival = -np.log(u) / np.exp(x)  # the first of exponential clocks with these rates
    return {"y": np.argmin(arrival, axis=-1)}


@reference(*ROWS)
def gumbel_softmax(c, m, n):
    x, u, tau = c.normal("x", m, n), c.unit("u", m, n), c.scalar("temperature", 0.5)
    w = (np.exp(x) / -np.log(u)) ** (1 / tau)
    return {"y": w / w.sum(axis=-1, keepdims=True)}


@reference((3, 7), (1, 1))
def top_p_mass(c, m, n):
    x, p = c.normal("x", m, n), c.scalar("p", 0.75)
    out = np.zeros((m, n))
    for i, q in enumerate(softmax(x)):
        order = np.argsort(-q, kind="stable")
        kept = order[: int(np.searchsorted(np.cumsum(q[order]), p)) + 1]
        out[i, kept] = q[kept] / q[kept].sum()
    return {"y": out}


@reference((3, 7), (1, 1))
def min_p_softmax(c, m, n):
    x, p = c.normal("x", m, n), c.scalar("p", 0.25)
    q = softmax(x)
    q = np.where(q >= p * q.max(axis=-1, keepdims=True), q, 0)
    return {"y": q / q.sum(axis=-1, keepdims=True)}


def largest(x, count):
    out = np.full_like(x, -np.inf)
    for i, row in enumerate(x):
        kept = np.argsort(-row, kind="stable")[:count]
        out[i, kept] = row[kept]
    return softmax(out)


@reference((3, 7), (1, 1))
def top_k_softmax(c, m, n):
    x = c.given("x", np.stack([c.random.permutation(4 * n)[:n] / 16 for _ in range(m)]))  # no two equal
    return {"y": largest(x, c.scalar("count", 3))}


@reference((3, 7), (1, 1))
def mixture_routing(c, t, e):
    x = c.given("x", np.stack([c.random.permutation(4 * e)[:e] / 16 for _ in range(t)]))
    return {"g": largest(x, 2)}


@reference((4, 6), (1, 1))
def inverse_transform_sample(c, m, n):
    w, u = c.positive("w", m, n), c.given("u", (2 * c.random.integers(0, 64, m) + 1) / 1024 + 0.25)
    return {"y": np.array([np.searchsorted(np.cumsum(a), b * a.sum(), side="right") for a, b in zip(w, u)])}


# ---- images and grids


@reference((2, 6, 5, 3, 2), (1, 1, 1, 1, 1))
def ssim(c, b, h, v, r, s):
    x, z = c.unit("x", b, h, v), c.unit("z", b, h, v)
    w = c.given("w", c.random.multinomial(64, np.full(r * s, 1 / (r * s))).reshape(r, s) / 64)
    k1, k2, top = c.scalar("k1", 0.125), c.scalar("k2", 0.25), c.scalar("top", 1.0)
    c1, c2 = (k1 * top) ** 2, (k2 * top) ** 2
    out = np.empty((b, h - r + 1, v - s + 1))
    for n, i, j in np.ndindex(out.shape):
        a, d = x[n, i : i + r, j : j + s], z[n, i : i + r, j : j + s]
        ma, md = np.sum(w * a), np.sum(w * d)
        va, vd, cov = np.sum(w * a * a) - ma**2, np.sum(w * d * d) - md**2, np.sum(w * a * d) - ma * md
        out[n, i, j] = (2 * ma * md + c1) * (2 * cov + c2) / ((ma**2 + md**2 + c1) * (va + vd + c2))
    return {"y": out}


@reference((2, 4, 3), (1, 1, 1))
def psnr(c, b, h, v):
    x, z, top = c.unit("x", b, h, v), c.unit("z", b, h, v) / 2, c.scalar("top", 2.0)
    c.given("z", z)
    return {"y": 20 * np.log10(top) - 10 * np.log10(((x - z) ** 2).mean(axis=(1, 2)))}


@reference((2, 3, 4), (1, 1, 1))
def bilinear_upsample(c, b, h, v):
    x = c.normal("x", b, h, v)
    at = lambda n: np.clip((np.arange(2 * n) + 0.5) / 2 - 0.5, 0, n - 1)
    along = lambda n, lines: np.stack([np.interp(at(n), np.arange(n), line) for line in lines])
    return {"y": np.stack([along(h, along(v, image).T).T for image in x])}


@reference((2, 3, 4), (1, 1, 1))
def nearest_upsample(c, b, h, v):
    return {"y": np.kron(c.normal("x", b, h, v), np.ones((1, 2, 2)))}


def masked3(x, mask):
    z = np.pad(x, ((0, 0), (1, 1), (1, 1)))
    return np.array([correlate2d(image[None], np.array(mask, dtype=float)[None]) for image in z])


@reference((2, 4, 3), (1, 1, 1))
def sobel(c, b, h, v):
    x = c.normal("x", b, h, v)
    across = masked3(x, [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]])
    down = masked3(x, [[-1, -2, -1], [0, 0, 0], [1, 2, 1]])
    return {"y": np.hypot(across, down)}


@reference((2, 4, 3), (1, 1, 1))
def laplacian(c, b, h, v):
    return {"y": masked3(c.normal("x", b, h, v), [[0, 1, 0], [1, -4, 1], [0, 1, 0]])}


@reference((4, 3), (1, 1))
def heat_step(c, h, v):
    u, r = c.normal("u", h, v), c.scalar("r", 0.25)
    return {"v": masked3(u[None], [[0, r, 0], [r, 1 - 4 * r, r], [0, r, 0]])[0]}


@reference((2, 4, 3), (1, 1, 1))
def gray_dilation(c, b, h, v):
    z = np.pad(c.normal("x", b, h, v), ((0, 0), (1, 1), (1, 1)), constant_values=-np.inf)
    return {"y": np.max([z[:, i : i + h, j : j + v] for i in range(3) for j in range(3)], axis=0)}


@reference((2, 4, 3), (1, 1, 1))
def image_total_variation(c, b, h, v):
    x = c.normal("x", b, h, v)
    return {"y": np.abs(np.diff(x, axis=1)).sum(axis=(1, 2)) + np.abs(np.diff(x, axis=2)).sum(axis=(1, 2))}


@reference((2, 3, 2), (1, 1, 1))
def rgb_to_luma(c, b, h, v):
    return {"y": np.einsum("k,bkhw->bhw", [0.299, 0.587, 0.114], c.unit("rgb", b, 3, h, v))}


# ---- writing


def stored(value):
    value, dtype = value if isinstance(value, tuple) else (value, "f64")
    value = np.asarray(value)
    words = {math.inf: "inf", -math.inf: "-inf"}
    data = [int(v) if float(v).is_integer() else words.get(float(v), float(v)) for v in value.ravel()]
    data = ["nan" if isinstance(v, float) and math.isnan(v) else v for v in data]
    return {"dtype": dtype, "shape": list(value.shape), "data": data}


def document(name):
    function, shapes = REFERENCES[name]
    cases = []
    for index, sizes in enumerate(shapes):
        case = Case(name, index)
        outputs = function(case, *sizes)
        cases.append({"inputs": {k: stored(v) for k, v in case.inputs.items()}, "scalars": case.scalars,
                      "outputs": {k: stored(v) for k, v in outputs.items()}})
    return {"schema": "aicf.reference/1", "op": name, "cases": cases}


def main():
    names = sys.argv[1:] or sorted(REFERENCES)
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in names:
        (FOLDER / f"{name}.json").write_text(json.dumps(document(name), separators=(",", ":")) + "\n")
    print(f"{len(names)} references in {FOLDER}")


if __name__ == "__main__":
    main()
