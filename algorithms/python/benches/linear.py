"""Compares linear classifiers with scikit-learn's: python benches/linear.py [FOLDER OF PUBLIC SETS] [DATA ..]

For w8a, farmads and a Pipeline of texts (film reviews as words, to be classified) prints: the seconds of `fit` of
raddle's LinearSVC and of scikit-learn's, medians of five in turn, with default parameters except loss and C; whether a
fit warned that it had not converged; and the relative distance of its objective from a lower bound of the minimum, which
a fit to 1e-9 proves.
"""

import gzip
import os
import pathlib
import statistics
import sys
import time
import warnings

import numpy as np
import sklearn.svm
from sklearn.datasets import load_svmlight_file
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline

from raddle.linear import LinearSVC

TURNS = 5
# Of each class; documents stand in the order of their files, those of bad reviews first. Eleven short ones of all are
# not there, so that at most as many are taken for the other class.
REVIEWS = 12_500


def rows(folder, name):
    with gzip.open(folder / f"lasso/{name}.svm.gz") as file:
        X, y = load_svmlight_file(file)
    # scikit-learn's takes indices of no other width.
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X, y


def texts(folder):
    """Return reviews as texts of their words, and whether they are good."""
    with gzip.open(folder / "lda/vocab.imdb.txt.gz", "rt") as file:
        words = file.read().split()
    found = [[] for _ in range(2 * REVIEWS)]
    with gzip.open(folder / "lda/docword.imdb.txt.gz", "rt") as file:
        for line in list(file)[3:]:
            document, word, count = map(int, line.split())
            if document > len(found):
                break
            found[document - 1] += [words[word - 1]] * count
    return [" ".join(review) for review in found], np.repeat(["bad", "good"], REVIEWS)


def objective(model, X, y):
    """Return P of a model with the default intercept."""
    margins = np.where(y == model.classes_[1], 1.0, -1.0) * (X @ model.coef_[0] + model.intercept_[0])
    lost = np.maximum(0.0, 1.0 - margins) ** (2 if model.loss == "squared_hinge" else 1)
    return 0.5 * (model.coef_[0] @ model.coef_[0] + model.intercept_[0] ** 2) + model.C * lost.sum()


def timed(model, X, y):
    """Return seconds of a fit, and whether it warned."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        start = time.perf_counter()
        model.fit(X, y)
        seconds = time.perf_counter() - start
    return seconds, any(issubclass(each.category, ConvergenceWarning) for each in caught)


def compare(name, X, y, loss, C, before=None):
    """Print a line for each of the two; `before` are the earlier steps of the pipeline that is fitted."""
    kinds = {"raddle": LinearSVC, "scikit-learn": sklearn.svm.LinearSVC}
    seconds, warned = {kind: [] for kind in kinds}, dict.fromkeys(kinds, False)
    models = {}
    for _ in range(TURNS):
        for kind, of in kinds.items():
            models[kind] = of(C=C, loss=loss)
            whole = models[kind] if before is None else make_pipeline(before(), models[kind])
            took, has_warned = timed(whole, X, y)
            seconds[kind].append(took)
            warned[kind] |= has_warned
    X = X if before is None else before().fit_transform(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        exact = LinearSVC(C=C, loss=loss, tol=1e-9).fit(X, y)
    least = objective(exact, X, y) * (1.0 - exact.relative_gap_)
    for kind, model in models.items():
        found = objective(model, X, y)
        says = "did NOT converge" if warned[kind] else "converged"
        proof = f", proved {model.relative_gap_:.1e}" if kind == "raddle" else ""
        print(
            f"{name:<10} {loss:<14} C {C:<5g} {kind:<12} {statistics.median(seconds[kind]):8.3f} s  {says}, "
            f"{(found - least) / found:.1e} above the minimum{proof}",
            flush=True,
        )


def main():
    given = sys.argv[1:]
    is_folder = bool(given) and pathlib.Path(given[0]).is_dir()
    folder = pathlib.Path(given.pop(0) if is_folder else os.environ["RADDLE_DATA"])
    for name in given or ("w8a", "farmads", "texts"):
        X, y = texts(folder) if name == "texts" else rows(folder, name)
        for loss in ("squared_hinge", "hinge"):
            for C in (1.0, 100.0) if name != "texts" else (1.0,):
                compare(name, X, y, loss, C, CountVectorizer if name == "texts" else None)


if __name__ == "__main__":
    main()
