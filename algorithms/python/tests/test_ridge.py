"""Without an l1 norm, without a penalty, and with weights of classes: next to closed forms and weights of rows."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.utils.class_weight import compute_sample_weight

from raddle.lasso import ElasticNet, Lasso, LogisticLasso, LogisticLassoCV, PoissonLasso


def wide():
    draw = np.random.default_rng(5)
    X = draw.normal(size=(40, 120))
    return X, X[:, :3].sum(axis=1) + draw.normal(size=40)


@pytest.mark.parametrize("data", [lambda: load_diabetes(return_X_y=True), wide])
@pytest.mark.parametrize("alpha", [1e-3, 0.1, 10.0])
def test_ridge_is_the_closed_form(data, alpha):
    X, y = data()
    weights = 1.0 + np.arange(len(y)) % 3
    mean, center = np.average(X, axis=0, weights=weights), np.average(y, weights=weights)
    Z, share = X - mean, weights / weights.sum()
    coef = np.linalg.solve(Z.T @ (share[:, np.newaxis] * Z) + alpha * np.eye(X.shape[1]), Z.T @ (share * (y - center)))
    for given in (X, sparse.csc_matrix(X)):
        model = ElasticNet(alpha, l1_ratio=0.0, tol=1e-10).fit(given, y, sample_weight=weights)
        np.testing.assert_allclose(model.coef_, coef, rtol=0, atol=1e-8 * np.abs(coef).max())
        np.testing.assert_allclose(model.intercept_, center - mean @ coef, rtol=1e-8)
        assert model.relative_gap_ <= 1e-10 and model.gradient_ is None
    theirs = Ridge(alpha * len(y), solver="cholesky").fit(X, y)
    np.testing.assert_allclose(ElasticNet(alpha, l1_ratio=0.0).fit(X, y).predict(X), theirs.predict(X), rtol=1e-6)


def test_without_a_penalty_it_is_least_squares():
    X, y = load_diabetes(return_X_y=True)
    models = [Lasso(alpha=0.0, n_jobs=n).fit(X, y) for n in (1, 3)]
    theirs = LinearRegression().fit(X, y)
    np.testing.assert_allclose(models[0].coef_, theirs.coef_, rtol=0, atol=1e-8 * np.abs(theirs.coef_).max())
    assert models[0].gradient_ < 1e-9 and models[0].digest_ == models[1].digest_
    X, y = wide()
    np.testing.assert_allclose(Lasso(alpha=0.0).fit(X, y).predict(X), y, atol=1e-8)
    counts = np.random.default_rng(1).poisson(np.exp(X[:, 0] / 2))
    assert PoissonLasso(alpha=0.0).fit(X[:, :3], counts).gradient_ < 1e-9
    with pytest.raises(ValueError, match="^l1_ratio is 0, which is ridge: it is for the squared loss"):
        PoissonLasso(l1_ratio=0.0).fit(X, counts)


def test_weights_of_classes_are_those_of_their_rows():
    X, y = load_iris(return_X_y=True)
    kinds, keep = np.array(["a", "b", "c"])[y], np.r_[0:150:2, 100:150]
    X, kinds, rows = X[keep], kinds[keep], 1.0 + np.arange(len(keep)) % 2
    given = {"a": 3.0, "b": 0.5, "c": 1.0}
    for make in (LogisticLasso, lambda **params: LogisticLassoCV(alphas=5, **params)):
        model = make(class_weight=given).fit(X, kinds, sample_weight=rows)
        assert model.digest_ == make().fit(X, kinds, sample_weight=rows * np.vectorize(given.get)(kinds)).digest_
        balanced = make(class_weight="balanced").fit(X, kinds)
        np.testing.assert_allclose(
            balanced.coef_, make().fit(X, kinds, sample_weight=compute_sample_weight("balanced", kinds)).coef_, atol=1e-9
        )
    for weight, why in [("even", "^class_weight is 'even'"), ({"a": 0.0, "b": 1, "c": 1}, "'a' must be above 0")]:
        with pytest.raises(ValueError, match=why):
            LogisticLasso(class_weight=weight).fit(X, kinds)
