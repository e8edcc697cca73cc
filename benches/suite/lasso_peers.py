"""The Lasso's part of the suite (see contender.py): its problems and its peers, each a function from (lambdas, tolerance)
to coefficients."""

import sys

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import dump_svmlight_file

import lasso
from rows import TARGET
from shared import PYTHON, timed

# Tolerances to try, in each peer's own unit, from loose to tight.
USUAL = [10.0**-k for k in range(3, 13)]
TOLERANCES = {
    "glmnet": [10.0**-k for k in range(5, 16)],
    "adelie": [10.0**-k for k in range(5, 16)],
    "celer": [10.0**-k for k in range(4, 13)],
}


def problem(row):
    """X and y, lambdas and the terms of the penalty."""
    return posed(row, *lasso.read(row.path))


def problem_again(row):
    x, y = lasso.again(row)
    return posed(row, sp.csc_matrix(x), y)


def files(row):
    return [lasso.again(row)]


def posed(row, x, y):
    kind = row.about["kind"]
    x, y = lasso.prepared(x, y, row.about["mode"], kind)
    terms = lasso.Penalty.of(kind, x.shape[1])
    return x, y, lasso.lambdas(x, y, kind, row.about["ratio"], terms), terms


def settings(row, peer):
    return [row.target] if peer == PYTHON else TOLERANCES.get(peer, USUAL)


def target(row, peer):
    return row.target if peer == PYTHON else row.about.get("peer_target", row.target)


def better(row, a, b):
    return a < b


def judge(row, problem, arrays):
    x, y, penalties, terms = problem
    return lasso.worst_gap(x, y, arrays["coefficients"], penalties, row.about["kind"], terms)


def judge_run(row, problem, folder, report):
    """The gap of exported coefficients, after that of the report is found again from the exported dual point."""
    said, found = lasso.certificate(folder, None if row.about["kind"] == "poisson" else lasso.again(row))
    if not lasso.agree(said, found):
        raise ValueError(f"the report has a gap of {said:.2e}, coefficients and dual point have {found:.2e}")
    b = lasso.read_coefficients(folder, problem[0].shape[1], len(problem[2]))
    return judge(row, problem, {"coefficients": b})


def ready(row, problem, scratch):
    x, y, _, terms = problem
    kind = row.about["kind"]
    if kind == "groups":
        lines = (f"{number + 1} g{group}\n" for number, group in enumerate(terms.groups))
        (scratch / "groups").write_text("".join(lines))
    if kind == "weights":
        lines = (f"{number + 1} {weight}\n" for number, weight in enumerate(terms.weights))
        (scratch / "factors").write_text("".join(lines))
    if kind == "poisson":
        raw, given = lasso.read(row.path)
        dump_svmlight_file(raw, lasso.counts(given), str(scratch / "counts.svm"), zero_based=False)


def command(row, scratch):
    kind = row.about["kind"]
    file = scratch / "counts.svm" if kind == "poisson" else row.path
    words = [TARGET / "release/lasso", "path" if kind == "path" else "fit", file, "--mode", row.about["mode"]]
    words += ["--ratio", row.about["ratio"], "--tol", row.target]
    more = {
        "path": ["--points", lasso.POINTS],
        "logistic": ["--loss", "logistic"],
        "poisson": ["--loss", "poisson"],
        "groups": ["--groups", scratch / "groups"],
        "weights": ["--factors", scratch / "factors"],
    }
    return words + more.get(kind, [])


def rate(row, problem, seconds, setting):
    """What the fit took in passes X'r by numpy or scipy, which read all of X once."""
    x, y = problem[:2]
    passes = sorted(timed(lambda: x.T @ y)[0] for _ in range(7))
    return seconds / passes[3]


def celer(x, y, kind, terms):
    from celer import GroupLasso, Lasso, LogisticRegression, celer_path

    given = {"fit_intercept": False, "max_iter": 1000}
    if kind == "path":
        return lambda ls, tol: celer_path(x, y, "lasso", alphas=ls, tol=tol, max_iter=1000)[1]
    if kind == "logistic":
        return lambda ls, tol: LogisticRegression(C=1 / (len(y) * ls[0]), tol=tol, max_iter=1000).fit(x, y).coef_
    if kind == "groups":
        given |= {"groups": terms.members(), "weights": terms.weights}
        return lambda ls, tol: GroupLasso(alpha=ls[0], tol=tol, **given).fit(x, y).coef_
    weights = terms.weights if kind == "weights" else None
    return lambda ls, tol: Lasso(alpha=ls[0], tol=tol, weights=weights, **given).fit(x, y).coef_


def skglm(x, y, kind, terms):
    from skglm import GeneralizedLinearEstimator, GroupLasso, Lasso, SparseLogisticRegression, WeightedLasso
    from skglm.datafits import Poisson
    from skglm.penalties import L1
    from skglm.solvers import ProxNewton

    given = {"fit_intercept": False, "max_iter": 1000}
    if kind == "poisson":
        return lambda ls, tol: (
            GeneralizedLinearEstimator(
                Poisson(), L1(ls[0]), ProxNewton(tol=tol * ls[0], fit_intercept=False, max_iter=1000)
            )
            .fit(x, y)
            .coef_
        )
    if kind in ("logistic", "groups", "weights"):
        make = {"logistic": SparseLogisticRegression, "groups": GroupLasso, "weights": WeightedLasso}[kind]
        given |= {"groups": terms.members()} if kind == "groups" else {}
        given |= {} if kind == "logistic" else {"weights": terms.weights}
        return lambda ls, tol: make(alpha=ls[0], tol=tol * ls[0], **given).fit(x, y).coef_

    def path(ls, tol):
        model, points = Lasso(warm_start=True, **given), []
        for penalty in ls:
            model.alpha, model.tol = penalty, tol * penalty
            points.append(model.fit(x, y).coef_.copy())
        return np.array(points).T

    return path


def glmnet(x, y, kind, terms):
    import glmnet

    make, y = (glmnet.LogitNet, (y > 0).astype(int)) if kind == "logistic" else (glmnet.ElasticNet, y)
    # It divides factors by their mean.
    more = {"relative_penalties": terms.weights} if kind == "weights" else {}
    mean = terms.weights.mean() if kind == "weights" else 1.0

    def path(ls, tol):
        given = {"standardize": False, "fit_intercept": False, "max_iter": 10**7, "n_splits": 0}
        points = np.asarray(make(alpha=1, lambda_path=ls * mean, tol=tol, **given).fit(x, y, **more).coef_path_)
        return points.reshape(-1, points.shape[-1])

    return path


def adelie(x, y, kind, terms):
    import adelie

    make = adelie.matrix.sparse if sp.issparse(x) else adelie.matrix.dense
    matrix = make(x, method="naive", n_threads=1)
    more = {}
    if kind == "groups":
        more["groups"] = np.flatnonzero(np.diff(terms.groups, prepend=-1))
    if kind in ("groups", "weights"):
        more["penalty"] = terms.weights

    def path(ls, tol):
        if kind == "logistic":
            glm = adelie.glm.binomial((y > 0).astype(float))
        else:
            glm = (adelie.glm.poisson if kind == "poisson" else adelie.glm.gaussian)(y)
        given = {"intercept": False, "early_exit": False, "progress_bar": False, "n_threads": 1, **more}
        fit = adelie.grpnet(matrix, glm, lmda_path=ls, tol=tol, irls_tol=tol, **given)
        points = fit.betas.toarray()[-len(ls) :]
        if len(points) < len(ls):
            raise RuntimeError("the path was cut short")
        return points.T

    return path


def sklearn(x, y, kind, terms):
    from sklearn.linear_model import Lasso, LogisticRegression, lasso_path

    if kind == "path":
        return lambda ls, tol: lasso_path(x, y, alphas=ls, tol=tol, max_iter=10**6)[1]
    given = {"fit_intercept": False, "max_iter": 10**6}
    if kind == "logistic":
        rows = sp.csr_matrix(x) if sp.issparse(x) else np.ascontiguousarray(x)
        given |= {"l1_ratio": 1, "solver": "liblinear"}
        return lambda ls, tol: LogisticRegression(C=1 / (len(y) * ls[0]), tol=tol, **given).fit(rows, y).coef_
    return lambda ls, tol: Lasso(alpha=ls[0], tol=tol, **given).fit(x, y).coef_


def snapml(x, y, kind, terms):
    from snapml import LinearRegression, LogisticRegression

    rows = sp.csr_matrix(x) if sp.issparse(x) else np.ascontiguousarray(x)
    make = LogisticRegression if kind == "logistic" else LinearRegression
    given = {"penalty": "l1", "dual": False, "max_iter": 100000, "n_jobs": 1, "fit_intercept": False, "random_state": 0}
    return lambda ls, tol: make(regularizer=ls[0] * len(y), tol=tol, **given).fit(rows, y).coef_


def raddle(x, y, kind, terms):
    from raddle.lasso import Lasso, LogisticLasso, PoissonLasso, lasso_path

    if kind == "path":
        given = {"fit_intercept": False, "n_jobs": 1}
        return lambda ls, tol: lasso_path(x, y, alphas=len(ls), eps=ls[-1] / ls[0], tol=tol, **given).coefs
    make = {"logistic": LogisticLasso, "poisson": PoissonLasso}.get(kind, Lasso)
    more = {"groups": {"groups": terms.groups}, "weights": {"factors": terms.weights}}.get(kind, {})
    return lambda ls, tol: make(alpha=ls[0], fit_intercept=False, tol=tol, n_jobs=1, **more).fit(x, y).coef_


def warm_up(row, peer, like=None):
    """Fits a small problem of the row's kind, sparse ones with the integers of another, so that nothing is compiled or
    imported later."""
    kind, random = row.about["kind"], np.random.RandomState(0)
    small = np.asfortranarray(random.randn(40, 20))
    y = small[:, 0] + 0.1 * random.randn(40)
    if row.about["mode"] == "sparse-raw":
        small[np.abs(small) < 0.5] = 0.0
        small = sp.csc_matrix(small)
        if like is not None:
            small.indices = small.indices.astype(like.indices.dtype)
            small.indptr = small.indptr.astype(like.indptr.dtype)
    y = {"logistic": np.sign, "poisson": lasso.counts}.get(kind, lambda y: y)(y)
    terms = lasso.Penalty.of(kind, 20)
    penalty = lasso.lambdas(small, y, "squared" if kind == "path" else kind, 3.0, terms)[0]
    try:
        MAKES[peer](small, y, kind, terms)(np.array([2 * penalty, penalty] if kind == "path" else [penalty]), 1e-4)
    except ImportError:
        raise
    except Exception as error:  # the problem itself may still go
        print("warm-up:", repr(error), file=sys.stderr)


def peer(name):
    """A peer as measure.py asks for it: points x columns for a tolerance."""

    def prepared(row, problem, warm):
        x, y, penalties, terms = problem
        if warm:
            warm_up(row, name, x)
        fit = MAKES[name](x, y, row.about["kind"], terms)

        def solve(tolerance):
            seconds, found = timed(fit, penalties, tolerance)
            found = np.asarray(found, float)
            return seconds, {"coefficients": found.T if len(penalties) > 1 else found.reshape(1, -1)}

        return solve

    return prepared


MAKES = {make.__name__: make for make in (celer, skglm, glmnet, adelie, sklearn, snapml)} | {PYTHON: raddle}
PEERS = {name: peer(name) for name in MAKES}
