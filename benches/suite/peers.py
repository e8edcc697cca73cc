"""The peers, each as a function from (lambdas, tolerance) to coefficients, and the process that one of them lives in.

    python peers.py NAME FILE MODE KIND RATIO THREADS

answers one JSON line on stdout when it is ready, then one for every line `TOLERANCE FILE` on stdin: the seconds of the
fit, after writing the coefficients (points x columns) to FILE.
"""

import json
import os
import sys
import time
import warnings

import numpy as np
import scipy.sparse as sp

import lasso

# Tolerances to try, in each peer's own unit, from loose to tight.
TOLERANCES = {
    "glmnet": [10.0**-k for k in range(5, 16)],
    "adelie": [10.0**-k for k in range(5, 16)],
    "celer": [10.0**-k for k in range(4, 13)],
}
USUAL = [10.0**-k for k in range(3, 13)]
PEERS = {
    "squared": ["celer", "skglm", "glmnet", "adelie", "sklearn", "snapml"],
    "logistic": ["celer", "skglm", "glmnet", "adelie", "sklearn", "snapml"],
    "path": ["celer", "skglm", "glmnet", "adelie", "sklearn"],
}


def tolerances(name):
    return TOLERANCES.get(name, USUAL)


def columns_as_rows(coefficients):
    coefficients = np.asarray(coefficients, float)
    return coefficients.reshape(1, -1) if coefficients.ndim == 1 else coefficients.T


def celer(x, y, kind, threads):
    from celer import Lasso, LogisticRegression, celer_path

    if kind == "path":
        return lambda ls, tol: celer_path(x, y, "lasso", alphas=ls, tol=tol, max_iter=1000)[1]
    if kind == "logistic":
        return lambda ls, tol: (
            LogisticRegression(C=1 / (len(y) * ls[0]), tol=tol, max_iter=1000).fit(x, y).coef_.ravel()
        )
    return lambda ls, tol: Lasso(alpha=ls[0], fit_intercept=False, tol=tol, max_iter=1000).fit(x, y).coef_


def skglm(x, y, kind, threads):
    from skglm import Lasso, SparseLogisticRegression

    if kind == "logistic":
        return lambda ls, tol: (
            SparseLogisticRegression(alpha=ls[0], tol=tol * ls[0], fit_intercept=False, max_iter=1000)
            .fit(x, y)
            .coef_.ravel()
        )

    def path(ls, tol):
        model, points = Lasso(fit_intercept=False, warm_start=True, max_iter=1000), []
        for penalty in ls:
            model.alpha, model.tol = penalty, tol * penalty
            points.append(model.fit(x, y).coef_.copy())
        return np.array(points).T

    return path


def glmnet(x, y, kind, threads):
    import glmnet

    make, y = (glmnet.LogitNet, (y > 0).astype(int)) if kind == "logistic" else (glmnet.ElasticNet, y)

    def path(ls, tol):
        model = make(
            alpha=1, lambda_path=ls, standardize=False, fit_intercept=False, tol=tol, max_iter=10**7, n_splits=0
        )
        points = np.asarray(model.fit(x, y).coef_path_)
        return points.reshape(-1, points.shape[-1])

    return path


def adelie(x, y, kind, threads):
    import adelie

    make = adelie.matrix.sparse if sp.issparse(x) else adelie.matrix.dense
    matrix = make(x, method="naive", n_threads=threads)

    def path(ls, tol):
        glm = adelie.glm.binomial((y > 0).astype(float)) if kind == "logistic" else adelie.glm.gaussian(y)
        fit = adelie.grpnet(
            matrix,
            glm,
            lmda_path=ls,
            tol=tol,
            irls_tol=tol,
            intercept=False,
            early_exit=False,
            progress_bar=False,
            n_threads=threads,
        )
        points = fit.betas.toarray()[-len(ls) :]
        if len(points) < len(ls):
            raise RuntimeError("the path was cut short")
        return points.T

    return path


def sklearn(x, y, kind, threads):
    from sklearn.linear_model import Lasso, LogisticRegression, lasso_path

    if kind == "path":
        return lambda ls, tol: lasso_path(x, y, alphas=ls, tol=tol, max_iter=10**6)[1]
    if kind == "logistic":
        rows = sp.csr_matrix(x) if sp.issparse(x) else np.ascontiguousarray(x)
        return lambda ls, tol: (
            LogisticRegression(
                l1_ratio=1, solver="liblinear", C=1 / (len(y) * ls[0]), tol=tol, fit_intercept=False, max_iter=10**6
            )
            .fit(rows, y)
            .coef_.ravel()
        )
    return lambda ls, tol: Lasso(alpha=ls[0], fit_intercept=False, tol=tol, max_iter=10**6).fit(x, y).coef_


def snapml(x, y, kind, threads):
    from snapml import LinearRegression, LogisticRegression

    rows = sp.csr_matrix(x) if sp.issparse(x) else np.ascontiguousarray(x)
    make = LogisticRegression if kind == "logistic" else LinearRegression
    return lambda ls, tol: np.asarray(
        make(
            penalty="l1",
            dual=False,
            regularizer=ls[0] * len(y),
            tol=tol,
            max_iter=100000,
            n_jobs=threads,
            fit_intercept=False,
            random_state=0,
        )
        .fit(rows, y)
        .coef_
    ).ravel()


def warm_up(make, kind, mode, x):
    """A small problem of the same kind, so that nothing is compiled or imported later."""
    random = np.random.RandomState(0)
    small = np.asfortranarray(random.randn(40, 20))
    y = small[:, 0] + 0.1 * random.randn(40)
    if mode == "sparse-raw":
        small[np.abs(small) < 0.5] = 0.0
        small = sp.csc_matrix(small)
        small.indices = small.indices.astype(x.indices.dtype)
        small.indptr = small.indptr.astype(x.indptr.dtype)
    if kind == "logistic":
        y = np.sign(y)
    penalty = lasso.lambdas(small, y, kind if kind == "logistic" else "squared", 3.0)[0]
    make(small, y, kind, 1)(np.array([2 * penalty, penalty] if kind == "path" else [penalty]), 1e-4)


def main():
    name, file, mode, kind, ratio, threads = sys.argv[1:]
    # Some peers print on standard output.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    warnings.filterwarnings("ignore")
    try:
        started = time.perf_counter()
        x, y = lasso.load(file, mode, kind)
        read = time.perf_counter() - started
        make = globals()[name]
        try:
            warm_up(make, kind, mode, x)
        except Exception as error:  # the problem itself may still go
            print("warm-up:", repr(error), file=sys.stderr)
        fit = make(x, y, kind, int(threads))
        penalties = lasso.lambdas(x, y, kind, float(ratio))
        print(json.dumps({"read": read}), file=answers, flush=True)
    except Exception as error:
        print(json.dumps({"error": repr(error)[:200]}), file=answers, flush=True)
        return
    for line in sys.stdin:
        tolerance, out = line.split(maxsplit=1)
        try:
            started = time.perf_counter()
            coefficients = fit(penalties, float(tolerance))
            seconds = time.perf_counter() - started
            np.save(out.strip(), columns_as_rows(coefficients))
            answer = {"seconds": seconds}
        except Exception as error:
            answer = {"error": repr(error)[:200]}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
