"""Gaps are what coefficients and dual point give, by the judge of the benchmarks, which shares no code with a fit."""

import importlib
import itertools
import pathlib

import numpy as np
import pytest
from scipy import sparse

from raddle.lasso import ElasticNet, LogisticLasso, PoissonLasso

SUITE = pathlib.Path(__file__).parents[3] / "benches/suite"
FACTORS = [1.0, 2.0, 0.5, 1.0, 1.0, 0.0, 3.0, 1.0, 1.0, 0.1]
TERMS = {
    "plain": {},
    "factors": {"factors": FACTORS},
    "positive": {"positive": True},
    "bounds": {"bounds": [(-0.1 * j, 0.2 * j) for j in range(10)]},
    "factors and bounds": {"bounds": (-0.5, 1.0), "factors": np.arange(1.0, 11.0) / 5},
    "groups": {"groups": list("aabbbccdde")},
    "groups and factors": {"groups": list("aabbbccdde"), "factors": np.repeat([0.0, 1.0, 2.0], [2, 5, 3])},
}
MODELS = {
    "squared": (ElasticNet, lambda y: y / 50),
    "poisson": (PoissonLasso, lambda y: np.round(y / 50)),
    "logistic": (LogisticLasso, lambda y: y > 140),
    "multinomial": (LogisticLasso, lambda y: np.digitize(y, [80, 140, 200])),
}


@pytest.fixture(scope="module")
def judge():
    if not (SUITE / "lasso.py").exists():
        pytest.skip("the benchmarks are not beside the package")
    # The judge imports its neighbours by name, as it does when the suite runs it.
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(SUITE)
        return importlib.import_module("lasso")


def terms_of(judge, model, columns):
    terms = judge.Terms({}, columns)
    if model.factors is not None:
        terms.factors = np.asarray(model.factors)
    if model.bounds is not None:
        terms.lower, terms.upper = np.broadcast_to(model.bounds, (columns, 2)).T
    if model.positive:
        terms.lower = np.maximum(terms.lower, 0.0)
    if model.groups is not None:
        _, terms.groups, terms.sizes = np.unique(model.groups, return_inverse=True, return_counts=True)
    return terms


def judged(judge, kind, model, X, given, weights, offset):
    """Return the relative gap of a model with an intercept."""
    n = len(given)
    weights = np.ones(n) if weights is None else weights * n / weights.sum()
    offset = np.zeros(n) if offset is None else offset
    center, divisor = judge.columns_of(X, weights, True, model.standardize)
    terms, shift = terms_of(judge, model, X.shape[1]), 0.0
    b = np.atleast_2d(model.coef_).T
    if kind == "multinomial":
        y = (given[:, np.newaxis] == model.classes_).astype(float)
    elif kind == "logistic":
        y = np.where(given == model.classes_[1], 1.0, -1.0)[:, np.newaxis]
    else:
        y = given[:, np.newaxis].astype(float)
    scores = X @ b + model.intercept_ + offset[:, np.newaxis]
    if kind == "squared":
        shift = np.average(given - offset, weights=weights)
        y, scores, offset = y - offset[:, np.newaxis] - shift, scores - offset[:, np.newaxis] - shift, np.zeros(n)
    loss, residual = judge.row_terms(kind, y, scores)
    theta = model.dual_.reshape(y.shape)
    prepared, share, penalty = b * divisor[:, np.newaxis], model.l1_ratio, model.alpha
    primal = (weights * loss).mean() + penalty * terms.penalty(prepared, share)
    own = theta / weights[:, np.newaxis]
    dual = (weights * judge.row_dual(kind, y, own)).mean() - (theta.T @ offset).sum() / n
    product = (X.T @ theta - np.outer(center, theta.sum(axis=0))) / divisor[:, np.newaxis]
    whole = weights[:, np.newaxis] * residual
    k = (theta * whole).sum() / (whole**2).sum()
    ridge = n * penalty * (1.0 - share) * terms.factors[:, np.newaxis]
    dual -= k * k * (ridge * prepared**2).sum() / (2.0 * n)
    dual -= terms.conjugate(product - k * ridge * prepared, n * penalty * share, divisor) / n
    return (primal - dual) / primal


def cases():
    """Return kinds, terms and values of rows; with more than two classes there are neither groups nor offsets."""
    for kind, term, given in itertools.product(MODELS, TERMS, ("plain", "weights", "weights and offset")):
        if kind != "multinomial" or not (term.startswith("groups") or "offset" in given):
            yield kind, term, given


@pytest.mark.parametrize(("kind", "term", "given"), list(cases()))
@pytest.mark.parametrize("l1_ratio", [1.0, 0.6])
def test_the_gap_is_what_coefficients_and_dual_point_give(judge, diabetes, kind, term, l1_ratio, given):
    X, y = diabetes
    estimator, response = MODELS[kind]
    y, random = response(y), np.random.default_rng(3)
    weights = 0.1 + random.random(len(y)) if "weights" in given else None
    offset = random.normal(size=len(y)) / 8 if "offset" in given else None
    for standardize, X in ((False, X), (True, X), (True, sparse.csc_matrix(X))):
        alpha = 0.02 if standardize else 0.0005
        model = estimator(alpha, l1_ratio=l1_ratio, tol=1e-4, standardize=standardize, **TERMS[term])
        model.fit(X, y, sample_weight=weights, offset=offset)
        assert np.count_nonzero(model.coef_) > 0 and model.relative_gap_ <= 1e-4
        found = judged(judge, kind, model, X, y, weights, offset)
        assert judge.agree(model.relative_gap_, found), (model.relative_gap_, found)
