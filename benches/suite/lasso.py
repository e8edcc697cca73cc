"""The Lasso's problems: data as they are compared, and a judge that shares no code with the engine.

    python benches/suite/lasso.py RUN...     the gap of each run's folder, from its coefficients and its dual point

Problems, with X prepared as MODE says and no intercept:
  squared   P(b) = |y - X b|^2 / (2n) + lambda |b|_1, y centred; lambda_max = max |x_j'y| / n
  logistic  P(b) = mean log(1 + exp(-y_i x_i'b)) + lambda |b|_1, y in {-1, 1}; lambda_max = max |x_j'y| / (2n)
  path      squared, at 100 lambdas from lambda_max to lambda_max / ratio in equal factors
  groups    squared, with lambda sqrt(10) |b_g|_2 for each ten columns in a row
  weights   squared, with lambda w_j |b_j|, w = 1/2, 1, 3/2, 2, 1/2, ..
  poisson   P(b) = mean(m_i - y_i + y_i log(y_i / m_i)) + lambda |b|_1, m_i = exp(x_i'b), y counts made of the response;
            lambda_max = max |x_j'(y - 1)| / n
MODE: dense-std centres every column and divides it by its population standard deviation, sparse-raw leaves X alone.
"""

import csv
import json
import pathlib
import sys

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_svmlight_file

from shared import arrays_of

POINTS = 100


class Penalty:
    """The norms of a penalty: the group of each column, and the weight of each group."""

    def __init__(self, groups, weights):
        self.groups, self.weights = groups, weights

    @classmethod
    def of(cls, kind, columns):
        if kind == "groups":
            groups = np.arange(columns) // 10
            return cls(groups, np.sqrt(np.bincount(groups)))
        return cls(np.arange(columns), 0.5 * (1 + np.arange(columns) % 4) if kind == "weights" else np.ones(columns))

    def members(self):
        """The columns of each group."""
        return [part.tolist() for part in np.split(np.arange(len(self.groups)), np.flatnonzero(np.diff(self.groups)) + 1)]

    def norms(self, v):
        return np.sqrt(np.bincount(self.groups, v * v))

    def value(self, b):
        return float(self.weights @ self.norms(b))

    def dual(self, v):
        """The dual norm."""
        return float((self.norms(v) / self.weights).max())


def read(file):
    x, y = load_svmlight_file(str(file))
    return sp.csc_matrix(x), y


def arrays(file):
    x, responses = load_svmlight_file(str(file))
    return {"data": x.data, "indices": x.indices, "indptr": x.indptr, "shape": x.shape, "responses": responses}


def again(row):
    """Rows and responses of a row's data, parsed once."""
    parts = arrays_of(row, arrays)
    x = sp.csr_matrix((parts["data"], parts["indices"], parts["indptr"]), shape=tuple(parts["shape"]))
    return x, parts["responses"]


def counts(y):
    """Counts from 0 to 7 made of a response: its upper half has 3 more."""
    return np.arange(len(y)) * 7 % 5 + 3.0 * (y > (y.min() + y.max()) / 2)


def prepared(x, y, mode, kind):
    """X (columns contiguous, or CSC) and y as the problem has them, of those of the file."""
    if mode == "sparse-raw":
        x.sort_indices()
    else:
        x = np.asfortranarray(x.toarray())
        x -= x.mean(axis=0)
        deviation = x.std(axis=0)
        constant = deviation < 1e-12
        x[:, constant] = 0.0
        x /= np.where(constant, 1.0, deviation)
    if kind == "logistic":
        return x, np.where(y > (y.min() + y.max()) / 2, 1.0, -1.0)
    return x, counts(y) if kind == "poisson" else y - y.mean()


def lambdas(x, y, kind, ratio, terms):
    """The lambdas of a problem, the largest first."""
    largest = terms.dual(x.T @ (y - 1.0 if kind == "poisson" else y)) / len(y)
    if kind == "path":
        return largest * np.logspace(0.0, -np.log10(ratio), POINTS)
    return np.array([largest / (2.0 if kind == "logistic" else 1.0) / ratio])


def gap(x, y, b, penalty, kind, terms):
    """(P - D) / P, with D at the best feasible multiple of the (generalised) residual."""
    n, z = len(y), x @ b
    if kind == "logistic":
        primal = np.logaddexp(0.0, -y * z).mean()
        share = 1.0 / (1.0 + np.exp(np.clip(y * z, -700.0, 700.0)))
        scale = min(1.0, n * penalty / max(terms.dual(x.T @ (share * y)), 1e-300))
        q = np.clip(scale * share, 1e-300, 1.0 - 1e-16)
        dual = -(q * np.log(q) + (1.0 - q) * np.log1p(-q)).mean()
    elif kind == "poisson":
        mean = np.exp(np.minimum(z, 700.0))
        saturated = (y * log(y) - y).mean()
        primal = (mean - y * z).mean() + saturated
        # A multiple of at most 1 keeps y - theta, whose logarithm is taken, at 0 or above.
        scale = min(1.0, n * penalty / max(terms.dual(x.T @ (y - mean)), 1e-300))
        left = y - scale * (y - mean)
        dual = (left - left * log(left)).mean() + saturated
    else:
        r = y - z
        primal = r @ r / (2 * n)
        bound = n * penalty / max(terms.dual(x.T @ r), 1e-300)
        scale = np.clip(y @ r / max(r @ r, 1e-300), -bound, bound)
        dual = (scale * (y @ r) - scale * scale * (r @ r) / 2) / n
    primal += penalty * terms.value(b)
    return float((primal - dual) / primal)


def worst_gap(x, y, coefficients, penalties, kind, terms):
    """The largest relative gap over the points; `coefficients` is points x columns."""
    return max(gap(x, y, b, penalty, kind, terms) for b, penalty in zip(coefficients, penalties))


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


# From here on: the gap of a run's folder, from coef.tsv and dual.npy (of a path, dual_scale of path.tsv). Arrays of rows are
# n x K and of coefficients p x K, K the classes that have scores of their own, else 1.


def columns_of(x, weights, center, scale):
    """How columns are prepared without touching them: what is subtracted, and what each is then divided by."""
    total = weights.sum()
    mean = np.asarray(x.T @ weights).ravel() / total
    if sp.issparse(x):
        square = np.asarray(x.multiply(x).T @ weights).ravel() / total
    else:
        square = ((x - mean) ** 2).T @ weights / total + mean**2
    deviation = np.sqrt(np.maximum(square - mean**2, 0.0))
    constant = deviation <= 1e-9 * np.sqrt(np.maximum(square, 1e-300))
    divisor = np.where(constant, np.inf if center else 1.0, deviation) if scale else np.where(constant & center, np.inf, 1.0)
    return mean if center else np.zeros_like(mean), divisor


def log(value):
    return np.log(np.maximum(value, 1e-300))


def row_terms(kind, y, scores):
    """The loss of each row (n values), and minus its derivative by the scores. For classes y has a 1 in each row."""
    if kind == "multinomial":
        most = scores.max(axis=1, keepdims=True)
        norm = most + np.log(np.exp(scores - most).sum(axis=1, keepdims=True))
        return (norm - (y * scores).sum(axis=1, keepdims=True)).ravel(), y - np.exp(scores - norm)
    if kind == "logistic":
        return np.logaddexp(0.0, -y * scores).ravel(), y / (1.0 + np.exp(np.clip(y * scores, -700.0, 700.0)))
    if kind == "poisson":
        mean = np.exp(scores)
        return np.where(y > 0.0, y * (log(y) - scores) - (y - mean), mean).ravel(), y - mean
    return ((y - scores) ** 2 / 2.0).ravel(), y - scores


def row_dual(kind, y, theta):
    """Minus the conjugate of each row's loss at minus theta; no number where theta is outside of what it is finite for."""
    if kind == "multinomial":
        u = y - theta
        return np.where((u >= -1e-12).all(axis=1), -(np.maximum(u, 0.0) * log(u)).sum(axis=1), np.nan)
    if kind == "logistic":
        p = theta * y
        return -(p * log(p) + (1.0 - p) * np.log1p(-np.minimum(p, 1.0 - 1e-16))).ravel()
    if kind == "poisson":
        mean = y - theta
        return (theta * log(mean) + np.where(y > 0.0, y * (log(y) - log(mean)), 0.0) - theta).ravel()
    return (theta * y - theta**2 / 2.0).ravel()


class Terms:
    """Terms of columns, on the scale of the data; names are numbers from 1 or, of all columns, a star."""

    def __init__(self, options, columns):
        self.factors, self.lower, self.upper = np.ones(columns), np.full(columns, -np.inf), np.full(columns, np.inf)
        self.groups = np.arange(columns)

        def at(name):
            return np.arange(columns) if name == "*" else np.array([int(name) - 1])

        def lines(option):
            file = options.get(option)
            return [line.split() for line in pathlib.Path(file).read_text().splitlines() if line.strip()] if file else []

        for name, factor in lines("factors"):
            self.factors[at(name)] = float(factor)
        for name in options.get("unpenalized") or []:
            self.factors[at(name)] = 0.0
        for name, lower, upper in lines("bounds"):
            self.lower[at(name)], self.upper[at(name)] = float(lower), float(upper)
        for name in options.get("nonnegative") or []:
            self.lower[at(name)] = 0.0
        names = {}
        for name, group in lines("groups"):
            self.groups[at(name)] = columns + names.setdefault(group, len(names))
        _, self.groups, self.sizes = np.unique(self.groups, return_inverse=True, return_counts=True)

    def norms(self, values):
        """|v_g|_2 of each group and class."""
        squares = np.zeros((len(self.sizes), values.shape[1]))
        np.add.at(squares, self.groups, values**2)
        return np.sqrt(squares)

    def by_group(self):
        """The factor of each group, times sqrt(size) and itself."""
        factors = np.zeros(len(self.sizes))
        factors[self.groups] = self.factors
        return (factors * np.sqrt(self.sizes))[:, None], factors[:, None]

    def penalty(self, b, share):
        first, second = self.by_group()
        norms = self.norms(b)
        return (first * share * norms + second * (1.0 - share) / 2.0 * norms**2).sum()

    def conjugate(self, product, penalty, divisor):
        """The sum over columns, or groups, of the conjugate of this penalty times f |b| at x'theta, for coefficients as
        prepared; infinite where x'theta is not feasible."""
        if (self.sizes > 1).any():
            seen, (first, _) = self.norms(product), self.by_group()
            reach = np.full_like(seen, np.inf)
        else:
            first = self.factors[:, None]
            with np.errstate(invalid="ignore"):
                # Coefficients as prepared are those of the data times the divisor.
                high, low = [np.where(np.isfinite(side), side * divisor, side) for side in (self.upper, -self.lower)]
            seen = np.abs(product)
            reach = np.where(product > 0.0, high[:, None], low[:, None])
        size = np.maximum(np.abs(product).max(), 1e-300)
        excess = np.maximum(0.0, seen - penalty * first)
        excess[seen <= penalty * first * (1.0 + 1e-9) + np.where(first == 0.0, 1e-9 * size, 0.0)] = 0.0
        with np.errstate(invalid="ignore"):
            total = np.where(excess > 0.0, excess * reach, 0.0)
        return total.sum()


def rows_of(options, name, rows):
    """Weights or offsets, which are in a file with a value a line."""
    file = options.get(name)
    return np.array([float(line) for line in pathlib.Path(file).read_text().split()]) if file else None


def points_of(folder, model, classes):
    """lambda, intercepts and, of a path, what the residual is multiplied with, of each point."""
    if "points" not in model:
        return [(model["lambda"], np.array(model.get("intercepts") or [model["intercept"]]), None)]
    lines = [line.split("\t") for line in (folder / "path.tsv").read_text().splitlines()[1:]]
    of = lambda fields: np.array([float(value) for value in (fields[6:] if classes > 1 else fields[2:3])])
    return [(float(fields[1]), of(fields), float(fields[5])) for fields in lines]


def read_classes(folder, columns, points, classes):
    """points x columns x classes from coef.tsv."""
    if classes == 1:
        return read_coefficients(folder, columns, points)[:, :, None]
    b, model = np.zeros((points, columns, classes)), json.loads((folder / "model.json").read_text())
    labels = model.get("class_names") or [str(int(label)) if label == int(label) else repr(label) for label in model["labels"]]
    if "class_type" not in model:  # an older one, which numbers its classes
        labels = [str(number) for number in range(1, classes + 1)]
    with open(folder / "coef.tsv", newline="") as file:
        lines = csv.reader(file, delimiter="\t")
        is_path = next(lines)[0] == "point"
        for fields in lines:
            point = int(fields.pop(0)) - 1 if is_path else 0
            b[point, int(fields[1]) - 1, labels.index(fields[0])] = float(fields[-1])
    return b


def certificate(folder, data=None):
    """The relative gap of the run in a folder, as it reports it and as its own exported files give it; of a path, the
    largest of its points. Infinite where an exported dual point is not feasible. Its data are rows and responses, if
    they were read before."""
    folder = pathlib.Path(folder)
    report = json.loads((folder / "report.json").read_text())
    options, model = report["parameters"], json.loads((folder / "model.json").read_text())
    kind, share, mode = options["loss"], options["l1_ratio"], options.get("mode")
    x, given = data or load_svmlight_file(report["data"]["path"], n_features=model["columns"])
    x, n = sp.csc_matrix(x), len(given)
    weights, offset = rows_of(options, "weights", n), rows_of(options, "offset", n)
    weights = np.ones(n) if weights is None else weights * n / weights.sum()
    offset = np.zeros(n) if offset is None else offset
    intercept = mode is None and not options["no_intercept"]
    standardize = mode == "dense-std" or (mode is None and not options["no_standardize"])
    dense = x.toarray() if mode == "dense-std" else x
    center, divisor = columns_of(dense, weights, intercept or mode == "dense-std", standardize)
    terms, shift = Terms(options, x.shape[1]), 0.0
    y = given[:, None]
    if kind == "multinomial":
        y = (given[:, None] == np.array(model["labels"])[None, :]).astype(float)
    elif kind == "logistic":
        y = np.where(y > (given.min() + given.max()) / 2, 1.0, -1.0)
    elif kind == "squared":
        shift = np.average(given - offset, weights=weights) if intercept or mode is not None else 0.0
        y, offset = y - offset[:, None] - shift, np.zeros(n)
    points = points_of(folder, model, y.shape[1])
    worst = 0.0
    for (penalty, b0, scale), b in zip(points, read_classes(folder, x.shape[1], len(points), y.shape[1])):
        # Of the columns as prepared: b_original = b / divisor, but for dense-std, whose coefficients stay so.
        finite = np.isfinite(divisor)[:, None]
        with np.errstate(invalid="ignore"):
            if mode == "dense-std":
                original = np.where(finite, b / divisor[:, None], 0.0)
                prepared, scores = b, x @ original - center @ original
            else:
                prepared = np.where(finite, b * divisor[:, None], 0.0)
                scores = x @ b + b0 - (shift if kind == "squared" and intercept else 0.0)
        scores = scores + offset[:, None]
        loss, residual = row_terms(kind, y, scores)
        theta = np.load(folder / "dual.npy").reshape(y.shape) if scale is None else scale * weights[:, None] * residual
        primal = (weights * loss).mean() + penalty * terms.penalty(prepared, share)
        with np.errstate(invalid="ignore", divide="ignore"):
            own = np.where(weights[:, None] > 0.0, theta / weights[:, None], 0.0)
        dual = np.where(weights > 0.0, weights * row_dual(kind, y, own), 0.0).mean() - (theta.T @ offset).sum() / n
        product = (x.T @ theta - np.outer(center, theta.sum(axis=0))) / divisor[:, None]
        # The ridge is a squared loss of further rows, whose part of the dual point is -k R f_j b_j.
        whole = weights[:, None] * residual
        k = (theta * whole).sum() / max((whole**2).sum(), 1e-300)
        ridge = n * penalty * (1.0 - share) * terms.factors[:, None]
        dual -= k * k * (ridge * prepared**2).sum() / (2.0 * n)
        dual -= terms.conjugate(product - k * ridge * prepared, n * penalty * share, divisor) / n
        if intercept and (np.abs(theta.sum(axis=0)) > 1e-9 * np.abs(theta).sum()).any():
            dual = -np.inf
        found = np.inf if np.isnan(dual) else float((primal - dual) / primal) if primal > 0.0 else 0.0
        worst = max(worst, found)
    return report["metric"]["value"], worst


def agree(said, found):
    """True if two gaps agree: within 10 %, or both below 1e-12."""
    return abs(said - found) <= 0.1 * abs(found) or max(said, found) < 1e-12


if __name__ == "__main__":
    differs = False
    for run in sys.argv[1:]:
        said, found = certificate(run)
        differs |= not agree(said, found)
        print(f"{run}: gap {said:.3e} in the report, {found:.3e} from its files: {'agree' if agree(said, found) else 'DIFFER'}")
    sys.exit(1 if differs else 0)
