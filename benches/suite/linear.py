"""Linear classifiers in the suite (see contender.py), beside LIBLINEAR and snapml; and the judge alone.

    python benches/suite/linear.py DATA RUN...     the gap of each run's folder, from coef.tsv and dual.npy

P(w) = |w|^2 / 2 + C sum phi(y x'w) without a constant column, y = 1 above the middle of the response and -1 below.
LIBLINEAR runs as it is released, each of its solvers at its loosest -e whose objective is close enough to the best that
is known. That is of a fit of ours to a third of the gap, so that a peer may be up to a third of it further off.
"""

import dataclasses
import gzip
import json
import pathlib
import subprocess
import sys

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_svmlight_file

import lasso
from rows import TARGET
from shared import PYTHON, kept, timed

TOLERANCES = [step * 10.0**-k for k in range(0, 9) for step in (1.0, 0.3)]


def loss_of(kind, margins):
    if kind == "logistic":
        return np.logaddexp(0.0, -margins)
    short = np.maximum(0.0, 1.0 - margins)
    return short if kind == "hinge" else short**2


def primal(kind, cost, x, y, w):
    return float(w @ w / 2 + cost * loss_of(kind, y * (x @ w)).sum())


def dual(kind, cost, x, y, a):
    """The dual objective; minus infinity outside of the bounds."""
    upper = np.inf if kind == "squared-hinge" else cost
    if (a < 0).any() or (a > upper).any():
        return -np.inf
    w = x.T @ (a * y)
    if kind == "hinge":
        gained = a.sum()
    elif kind == "squared-hinge":
        gained = (a - a * a / (4 * cost)).sum()
    else:
        share = np.clip(a / cost, 1e-300, 1.0)
        rest = np.clip(1.0 - a / cost, 1e-300, 1.0)
        gained = -cost * (share * np.log(share) + rest * np.log(rest)).sum()
    return float(gained - w @ w / 2)


def model(folder, columns):
    """Coefficients, with that of the constant column behind them if there is one, dual values and facts of a run's folder."""
    folder = pathlib.Path(folder)
    about = json.loads((folder / "model.json").read_text())
    w = np.zeros(columns + (about["bias"] != 0.0))
    for line in (folder / "coef.tsv").read_text().splitlines()[1:]:
        number, _, value = line.split("\t")
        w[int(number) - 1] = float(value)
    if about["bias"] != 0.0:
        w[columns] = about["intercepts"][0] / about["bias"]
    return w, np.load(folder / "dual.npy"), about


def judged(x, y, folder):
    """The relative gap of a run's folder and its objective."""
    w, a, about = model(folder, x.shape[1])
    if about["bias"] != 0.0:
        x = sp.csr_matrix(sp.hstack([x, np.full((x.shape[0], 1), about["bias"])]))
    p, d = (f(about["loss"], about["c"], x, y, of) for f, of in ((primal, w), (dual, a)))
    return (p - d) / p, p


def above(responses):
    """The larger class: what lies above the middle of all responses."""
    return responses > (responses.min() + responses.max()) / 2


class Problem:
    """Rows and classes, and the best objective that is known."""

    def __init__(self, x, responses):
        self.x, self.y, self.best = sp.csr_matrix(x), np.where(above(responses), 1.0, -1.0), None


def problem(row):
    return Problem(*load_svmlight_file(str(row.path)))


def problem_again(row):
    return Problem(*lasso.again(row))


def of_two_classes(row):
    """The file of our program: where there are more responses, as ratings are, one with two classes in their place."""
    _, responses = lasso.again(row)
    if len(np.unique(responses)) == 2:
        return row.path

    def make(file):
        with gzip.open(row.path, "rt") as lines, gzip.open(file, "wt", compresslevel=6) as out:
            for larger, line in zip(above(responses), lines, strict=True):
                out.write(f"{1 if larger else -1} {line.split(' ', 1)[1]}")

    return kept(row, "-two-classes.svm.gz", make)


def files(row):
    """The files kept of a set, made before time is measured."""
    return [lasso.again(row), of_two_classes(row)]


def command(row, scratch):
    words = [TARGET / "release/linear", "fit", of_two_classes(row), "--loss", row.about["loss"], "--C", row.about["cost"]]
    return [*words, "--bias", "0", "--tol", row.target]


def ready(row, problem, scratch):
    """Finds the best objective, which its dual objective proves to be so close to the optimum."""
    folder = scratch / "best"
    words = map(str, command(dataclasses.replace(row, target=row.target / 3), scratch))
    subprocess.run([*words, "--workers", "1", "--quiet", "--out", str(folder)], check=True, capture_output=True)
    problem.best = judged(problem.x, problem.y, folder)[1]


def settings(row, peer):
    return [row.target] if peer == PYTHON else TOLERANCES


def target(row, peer):
    # Of a run, an objective is summed in another order.
    return row.target * (1 + 1e-6)


def better(row, a, b):
    return a < b


def judge(row, problem, arrays):
    value = primal(row.about["loss"], row.about["cost"], problem.x, problem.y, arrays["w"])
    return (value - problem.best) / value


def judge_run(row, problem, folder, report):
    return judged(problem.x, problem.y, folder)[0]


def rate(row, problem, seconds, setting):
    """What the fit took in passes X w by scipy, which read all of X once."""
    w = np.ones(problem.x.shape[1])
    passes = sorted(timed(lambda: problem.x @ w)[0] for _ in range(7))
    return seconds / passes[3]


def liblinear(solver):
    def prepared(row, problem, warm):
        from liblinear.liblinearutil import parameter, problem as rows, train

        data = rows(problem.y, problem.x)

        def solve(tolerance):
            chosen = parameter(f"{solver} -c {row.about['cost']} -e {tolerance} -q")
            seconds, fitted = timed(train, data, chosen)
            w = np.array(fitted.get_decfun()[0])
            return seconds, {"w": w if fitted.get_labels()[0] == 1 else -w}

        return solve

    return prepared


def snapml(row, problem, warm):
    import snapml as snap

    def solve(tolerance):
        given = {"regularizer": 1 / row.about["cost"], "fit_intercept": False, "tol": tolerance, "max_iter": 10**5}
        logistic = row.about["loss"] == "logistic"
        model = snap.LogisticRegression(dual=True, **given) if logistic else snap.SupportVectorMachine(**given)
        seconds, fitted = timed(model.fit, problem.x, problem.y)
        return seconds, {"w": np.asarray(fitted.coef_).ravel()}

    return solve


def raddle(row, problem, warm):
    from raddle.linear import LinearSVC, LogisticRegression

    def solve(tolerance):
        given = {"C": row.about["cost"], "fit_intercept": False, "tol": tolerance, "n_jobs": 1}
        loss = row.about["loss"]
        model = LogisticRegression(**given) if loss == "logistic" else LinearSVC(loss=loss.replace("-", "_"), **given)
        seconds, fitted = timed(model.fit, problem.x, problem.y)
        return seconds, {"w": np.asarray(fitted.coef_).ravel()}

    return solve


PEERS = {f"-s {number}": liblinear(f"-s {number}") for number in (0, 1, 2, 3, 7)}
PEERS |= {"snapml": snapml, PYTHON: raddle}


if __name__ == "__main__":
    data = Problem(*load_svmlight_file(sys.argv[1]))
    for run in sys.argv[2:]:
        print(f"{run}: {judged(data.x, data.y, run)[0]:.3e}")
