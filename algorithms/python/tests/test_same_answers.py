"""Coefficients are scikit-learn's."""

import numpy as np
import pytest
from scipy import sparse
from sklearn import linear_model
from sklearn.datasets import load_iris

from raddle.lasso import ElasticNet, Lasso, LogisticLasso, PoissonLasso, lasso_path


def near(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6 * np.abs(expected).max())


@pytest.mark.parametrize("alpha", [0.01, 0.1, 1.0])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("is_weighted", [True, False])
@pytest.mark.parametrize("positive", [True, False])
def test_lasso_and_elastic_net_are_those_of_scikit_learn(diabetes, alpha, fit_intercept, is_weighted, positive):
    X, y = diabetes
    weights = 10.0 * np.random.default_rng(1).random(len(y)) if is_weighted else None
    for ours, theirs, others in [
        (Lasso, linear_model.Lasso, {}),
        (ElasticNet, linear_model.ElasticNet, {"l1_ratio": 0.7}),
    ]:
        params = {"alpha": alpha, "fit_intercept": fit_intercept, "positive": positive, **others}
        expected = theirs(**params, tol=1e-14, max_iter=1_000_000).fit(X, y, sample_weight=weights)
        for given in (X, sparse.csc_matrix(X)):
            found = ours(**params, tol=1e-13).fit(given, y, sample_weight=weights)
            near(found.coef_, expected.coef_)
            near(np.array(found.intercept_), np.array(expected.intercept_))
            near(found.predict(given), expected.predict(X))
            assert found.score(given, y) == pytest.approx(expected.score(X, y))


def test_logistic_lasso_is_that_of_scikit_learn():
    X, y = load_iris(return_X_y=True)
    for classes in (2, 3):
        kept = y < classes
        X_kept, y_kept = X[kept], np.array(["setosa", "versicolor", "virginica"])[y[kept]]
        ours = LogisticLasso(alpha=0.02, tol=1e-12).fit(X_kept, y_kept)
        theirs = ours.to_sklearn().set_params(tol=1e-12, max_iter=1_000_000).fit(X_kept, y_kept)
        assert list(ours.classes_) == list(theirs.classes_)
        # Their intercepts need not sum to zero.
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
        np.testing.assert_allclose(ours.predict_proba(X_kept), theirs.predict_proba(X_kept), atol=1e-4)
        assert (ours.predict(X_kept) == theirs.predict(X_kept)).all()


def test_a_model_as_scikit_learns_class_predicts_the_same(diabetes):
    X, y = diabetes
    named = y > np.median(y)
    for model, target in [
        (Lasso(alpha=0.1), y),
        (ElasticNet(alpha=0.1), y),
        (PoissonLasso(alpha=0.1), np.round(y / 50)),
        (LogisticLasso(alpha=0.001), np.where(named, "high", "low")),
        (LogisticLasso(alpha=0.001), np.digitize(y, [100, 200])),
    ]:
        model.fit(X, target)
        theirs = model.to_sklearn()
        assert type(theirs).__module__.startswith("sklearn.")
        if hasattr(model, "predict_proba"):
            np.testing.assert_allclose(theirs.predict_proba(X), model.predict_proba(X), rtol=1e-12)
            assert (theirs.predict(X) == model.predict(X)).all()
        else:
            np.testing.assert_allclose(theirs.predict(X), model.predict(X), rtol=1e-12)


def test_standardized_columns_are_those_of_a_scaler(diabetes):
    X, y = diabetes
    X = X * np.arange(1, 11)
    deviations = X.std(axis=0)
    ours = Lasso(alpha=1.0, standardize=True, tol=1e-13).fit(X, y)
    scaled = Lasso(alpha=1.0, tol=1e-13).fit(X / deviations, y)
    near(ours.coef_, scaled.coef_ / deviations)


def test_a_path_is_that_of_single_fits(diabetes):
    X, y = diabetes
    path = lasso_path(X, y, alphas=8, eps=0.01, tol=1e-12)
    assert (np.diff(path.alphas) < 0).all() and path.alphas[-1] == pytest.approx(0.01 * path.alphas[0])
    for at, alpha in enumerate(path.alphas):
        single = Lasso(alpha=alpha, tol=1e-12).fit(X, y)
        np.testing.assert_allclose(path.coefs[:, at], single.coef_, atol=1e-4)
        assert path.intercepts[at] == pytest.approx(single.intercept_)
    classes = np.digitize(y, [100, 200])
    logistic = lasso_path(X, classes, loss="logistic", alphas=5, eps=0.1)
    assert logistic.coefs.shape == (3, 10, 5) and list(logistic.classes) == [0, 1, 2]
    assert (logistic.relative_gaps <= 1e-6).all()


def test_a_warm_start_begins_where_the_last_fit_ended(diabetes):
    X, y = diabetes
    cold = Lasso(alpha=0.01, tol=1e-10).fit(X, y)
    warm = Lasso(alpha=0.02, tol=1e-10, warm_start=True).fit(X, y)
    warm.set_params(alpha=0.01).fit(X, y)
    np.testing.assert_allclose(warm.coef_, cold.coef_, rtol=1e-4)
    again = warm.n_iter_, warm.fit(X, y).n_iter_
    assert again[1] <= again[0]


def test_a_class_of_rows_that_do_not_count_is_none(diabetes):
    X, y = diabetes
    names = np.array(["high", "low", "middle"])[np.digitize(y, [100, 200])]
    for left_out in ("high", "low", "middle"):
        kept = names != left_out
        weighted = LogisticLasso(alpha=1e-3).fit(X, names, sample_weight=kept.astype(float))
        cut = LogisticLasso(alpha=1e-3).fit(X[kept], names[kept])
        assert list(weighted.classes_) == list(cut.classes_)
        np.testing.assert_allclose(weighted.coef_, cut.coef_, rtol=1e-6)


def test_offsets_shift_scores(diabetes):
    X, y = diabetes
    offset = np.linspace(-50.0, 50.0, len(y))
    model = Lasso(alpha=0.5, tol=1e-12).fit(X, y, offset=offset)
    near(model.coef_, Lasso(alpha=0.5, tol=1e-12).fit(X, y - offset).coef_)
    near(model.predict(X, offset), model.predict(X) + offset)
    counts, exposure = np.round(y / 50), 1.0 + np.arange(len(y)) % 3
    poisson = PoissonLasso(alpha=0.05).fit(X, counts, offset=np.log(exposure))
    near(poisson.predict(X, np.log(exposure)), poisson.predict(X) * exposure)
    # The intercept has no penalty: means sum to counts.
    assert poisson.predict(X, np.log(exposure)).sum() == pytest.approx(counts.sum(), rel=1e-5)
