"""The Lasso's problems: data as they are compared, and a judge that shares no code with the engine.

Problems, with X prepared as MODE says and no intercept:
  squared   P(b) = |y - X b|^2 / (2n) + lambda |b|_1, y centred; lambda_max = max |x_j'y| / n
  logistic  P(b) = mean log(1 + exp(-y_i x_i'b)) + lambda |b|_1, y in {-1, 1}; lambda_max = max |x_j'y| / (2n)
  path      squared, at 100 lambdas from lambda_max to lambda_max / ratio in equal factors
MODE: dense-std centres every column and divides it by its population standard deviation, sparse-raw leaves X alone.
"""

import pathlib

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_svmlight_file

POINTS = 100


def load(file, mode, kind):
    """X (columns contiguous, or CSC) and y as the problem has them."""
    x, y = load_svmlight_file(str(file))
    if mode == "sparse-raw":
        x = sp.csc_matrix(x)
        x.sort_indices()
    else:
        x = np.asfortranarray(x.toarray())
        x -= x.mean(axis=0)
        deviation = x.std(axis=0)
        constant = deviation < 1e-12
        x[:, constant] = 0.0
        x /= np.where(constant, 1.0, deviation)
    if kind == "logistic":
        y = np.where(y > (y.min() + y.max()) / 2, 1.0, -1.0)
    else:
        y = y - y.mean()
    return x, y


def lambdas(x, y, kind, ratio):
    """The lambdas of a problem, the largest first."""
    largest = np.abs(x.T @ y).max() / len(y)
    if kind == "path":
        return largest * np.logspace(0.0, -np.log10(ratio), POINTS)
    return np.array([largest / (2.0 if kind == "logistic" else 1.0) / ratio])


def gap(x, y, b, penalty, kind):
    """(P - D) / P, with D at the best feasible multiple of the (generalised) residual."""
    n, z = len(y), x @ b
    if kind == "logistic":
        primal = np.logaddexp(0.0, -y * z).mean() + penalty * np.abs(b).sum()
        share = 1.0 / (1.0 + np.exp(np.clip(y * z, -700.0, 700.0)))
        largest = np.abs(x.T @ (share * y)).max()
        scale = min(1.0, n * penalty / max(largest, 1e-300))
        q = np.clip(scale * share, 1e-300, 1.0 - 1e-16)
        dual = -(q * np.log(q) + (1.0 - q) * np.log1p(-q)).mean()
    else:
        r = y - z
        primal = r @ r / (2 * n) + penalty * np.abs(b).sum()
        bound = n * penalty / max(np.abs(x.T @ r).max(), 1e-300)
        scale = np.clip(y @ r / max(r @ r, 1e-300), -bound, bound)
        dual = (scale * (y @ r) - scale * scale * (r @ r) / 2) / n
    return float((primal - dual) / primal)


def worst_gap(x, y, coefficients, penalties, kind):
    """The largest relative gap over the points; `coefficients` is points x columns."""
    loss = "logistic" if kind == "logistic" else "squared"
    return max(gap(x, y, b, penalty, loss) for b, penalty in zip(coefficients, penalties))


def read_coefficients(folder, columns, points):
    """points x columns from a model's coef.tsv: number, name and coefficient with tabs, of a path the point in front,
    under a header; or of what has no engine, `number coefficient`. Numbers count from 1."""
    b = np.zeros((points, columns))
    lines = (pathlib.Path(folder) / "coef.tsv").read_text().splitlines()
    is_path, has_header = lines[:1] and lines[0].startswith("point"), lines[:1] and "\t" in lines[0]
    for line in lines[1:] if has_header else lines:
        fields = line.split("\t") if has_header else line.split()
        point = int(fields[0]) - 1 if is_path else 0
        b[point, int(fields[1 if is_path else 0]) - 1] = float(fields[-1])
    return b


def stored_bytes(x):
    """Bytes that one pass over X reads: 8 a value, and 4 for the row of a sparse one."""
    return 12 * x.nnz if sp.issparse(x) else 8 * x.size


def matrix_bytes(x):
    """What X takes in memory: the same, and 8 for where each sparse column begins."""
    return stored_bytes(x) + (8 * (x.shape[1] + 1) if sp.issparse(x) else 0)


def entries(x):
    """Stored values."""
    return x.nnz if sp.issparse(x) else x.size


def gram_operations(entries_of_x, shape, members):
    """Multiply-adds of half a Gram of so many columns, as if each had the mean number of entries and met all others:
    what dense columns need, and more than sparse ones do."""
    return entries_of_x / shape[1] * members * (members + 1) / 2
