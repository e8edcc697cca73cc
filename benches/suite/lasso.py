"""The Lasso's problems: data as they are compared, and a judge that shares no code with the engine.

    python benches/suite/lasso.py RUN...     the gap of each run's folder, from its coefficients and its dual point

Problems, with X prepared as MODE says and no intercept:
  squared   P(b) = |y - X b|^2 / (2n) + lambda |b|_1, y centred; lambda_max = max |x_j'y| / n
  logistic  P(b) = mean log(1 + exp(-y_i x_i'b)) + lambda |b|_1, y in {-1, 1}; lambda_max = max |x_j'y| / (2n)
  path      squared, at 100 lambdas from lambda_max to lambda_max / ratio in equal factors
MODE: dense-std centres every column and divides it by its population standard deviation, sparse-raw leaves X alone.
"""

import json
import pathlib
import sys

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


# From here on: the gap of a run's folder, from coef.tsv and dual.npy (of a path, dual_scale of path.tsv).


def columns_of(x, center, scale):
    """How columns are prepared without touching them: what is subtracted, and what each is then divided by."""
    mean = np.asarray(x.mean(axis=0)).ravel()
    if sp.issparse(x):
        square = np.asarray(x.multiply(x).mean(axis=0)).ravel()
    else:
        square = ((x - mean) ** 2).mean(axis=0) + mean**2
    deviation = np.sqrt(np.maximum(square - mean**2, 0.0))
    constant = deviation <= 1e-9 * np.sqrt(np.maximum(square, 1e-300))
    divisor = np.where(constant, np.inf if center else 1.0, deviation) if scale else np.where(constant & center, np.inf, 1.0)
    return mean if center else np.zeros_like(mean), divisor


def row_terms(kind, y, scores):
    """The loss of each row, and minus its derivative by the score."""
    if kind == "logistic":
        return np.logaddexp(0.0, -y * scores), y / (1.0 + np.exp(np.clip(y * scores, -700.0, 700.0)))
    if kind == "poisson":
        mean = np.exp(scores)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(y > 0.0, y * (np.log(y) - scores) - (y - mean), mean), y - mean
    return (y - scores) ** 2 / 2.0, y - scores


def row_dual(kind, y, theta):
    """Minus the conjugate of each row's loss at minus theta."""
    log = lambda value: np.log(np.maximum(value, 1e-300))
    if kind == "logistic":
        p = theta * y
        return -(p * log(p) + (1.0 - p) * np.log1p(-np.minimum(p, 1.0 - 1e-16)))
    if kind == "poisson":
        mean = y - theta
        return theta * log(mean) + np.where(y > 0.0, y * (log(y) - log(mean)), 0.0) - theta
    return theta * y - theta**2 / 2.0


def certificate(folder):
    """What the run in a folder says its relative gap is, and what it is by its own exported files; of a path, the
    largest of its points. Infinite where an exported dual point is not feasible."""
    folder = pathlib.Path(folder)
    report = json.loads((folder / "report.json").read_text())
    options, model = report["parameters"], json.loads((folder / "model.json").read_text())
    kind, share, mode = options["loss"], options["l1_ratio"], options.get("mode")
    x, given = load_svmlight_file(report["data"]["path"], n_features=model["columns"])
    x = sp.csc_matrix(x)
    intercept = mode is None and not options["no_intercept"]
    standardize = mode == "dense-std" or (mode is None and not options["no_standardize"])
    center, divisor = columns_of(x.toarray() if mode == "dense-std" else x, intercept or mode == "dense-std", standardize)
    y = given
    if kind == "logistic":
        y = np.where(given > (given.min() + given.max()) / 2, 1.0, -1.0)
    elif kind == "squared" and (intercept or mode is not None):
        y = given - given.mean()
    points = [(model["lambda"], model["intercept"], None)]
    if "points" in model:
        lines = (folder / "path.tsv").read_text().splitlines()[1:]
        points = [tuple(float(line.split("\t")[k]) for k in (1, 2, 5)) for line in lines]
    coefficients = read_coefficients(folder, x.shape[1], len(points))
    worst = 0.0
    for (penalty, b0, scale), b in zip(points, coefficients):
        # Of the columns as prepared: b_original = b / divisor, but for dense-std, whose coefficients stay so.
        if mode == "dense-std":
            original = np.where(np.isfinite(divisor), b / divisor, 0.0)
            prepared, scores = b, x @ original - center @ original
        else:
            prepared = np.where(np.isfinite(divisor), b * divisor, 0.0)
            scores = x @ b + b0 - (given.mean() if kind == "squared" and intercept else 0.0)
        loss, residual = row_terms(kind, y, scores)
        theta = np.load(folder / "dual.npy") if scale is None else scale * residual
        worst = max(worst, gap_of(x, y, kind, (center, divisor), prepared, loss, theta, penalty, share, intercept))
    return report["metric"]["value"], worst


def gap_of(x, y, kind, columns, b, loss, theta, penalty, share, intercept):
    """(P - D) / P at coefficients of the columns as prepared and at any dual point."""
    n, (center, divisor) = len(y), columns
    product = (x.T @ theta - center * theta.sum()) / divisor
    bound = n * penalty * share
    primal = loss.mean() + penalty * (share * np.abs(b).sum() + (1.0 - share) / 2.0 * (b @ b))
    dual = row_dual(kind, y, theta).mean()
    if share < 1.0:
        dual -= (np.maximum(0.0, np.abs(product) - bound) ** 2).sum() / (2.0 * n * n * penalty * (1.0 - share))
    elif np.abs(product).max() > bound * (1.0 + 1e-9):
        return np.inf
    if intercept and abs(theta.sum()) > 1e-9 * np.abs(theta).sum():
        return np.inf
    return float((primal - dual) / primal) if primal > 0.0 else 0.0


def agree(said, found):
    """Whether two gaps are one: within 10 %, or both below 1e-12."""
    return abs(said - found) <= 0.1 * abs(found) or max(said, found) < 1e-12


if __name__ == "__main__":
    differs = False
    for run in sys.argv[1:]:
        said, found = certificate(run)
        differs |= not agree(said, found)
        print(f"{run}: gap {said:.3e} in the report, {found:.3e} from its files: {'agree' if agree(said, found) else 'DIFFER'}")
    sys.exit(1 if differs else 0)
