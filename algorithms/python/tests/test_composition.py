"""Estimators in combination with scikit-learn, pandas, polars and joblib."""

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.feature_selection import SelectFromModel
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_score,
)
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from raddle.lasso import ElasticNet, Lasso, LassoCV, LogisticLasso, LogisticLassoCV

TEXTS = ["the cat sat", "a dog ran", "the cat slept", "dogs ran far", "one cat", "a dog barked"] * 5
KINDS = ["cat", "dog", "cat", "dog", "cat", "dog"] * 5


def test_a_pipeline_of_texts():
    model = make_pipeline(CountVectorizer(), LogisticLasso(alpha=0.01)).fit(TEXTS, KINDS)
    assert list(model.classes_) == ["cat", "dog"]
    assert list(model.predict(["a cat", "dogs ran"])) == ["cat", "dog"]
    assert model.score(TEXTS, KINDS) == 1.0


def test_a_search_over_parameters(diabetes):
    search = GridSearchCV(
        make_pipeline(StandardScaler(), ElasticNet()),
        {"elasticnet__alpha": [0.1, 1.0, 100.0], "elasticnet__l1_ratio": [0.5, 1.0]},
        n_jobs=2,
    ).fit(*diabetes)
    assert search.best_params_["elasticnet__alpha"] < 100.0 and search.best_score_ > 0.4


def test_weights_are_routed(diabetes):
    X, y = diabetes
    weights = np.where(np.arange(len(y)) % 2, 1.0, 0.0)
    with sklearn.config_context(enable_metadata_routing=True):
        model = Lasso(alpha=0.1).set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        weighted = cross_val_score(model, X, y, params={"sample_weight": weights})
        plain = cross_val_score(clone(model).set_fit_request(sample_weight=False), X, y)
    assert weighted.shape == (5,) and not np.allclose(weighted, plain)


def test_names_of_columns_are_kept(diabetes):
    X, y = diabetes
    names = [f"column {j}" for j in range(X.shape[1])]
    plain = Lasso(alpha=0.1).fit(X, y)
    for frame in (pd.DataFrame(X, columns=names), pl.DataFrame(X, schema=names)):
        model = Lasso(alpha=0.1).fit(frame, y)
        assert list(model.feature_names_in_) == names and model.digest_ == plain.digest_
        assert list(model.to_sklearn().feature_names_in_) == names
        np.testing.assert_allclose(model.predict(frame), plain.predict(X))
        with pytest.raises(ValueError, match="feature names"):
            model.predict(frame[names[::-1]])
    series = Lasso(alpha=0.1).fit(X, pd.Series(y), sample_weight=pl.Series(np.ones(len(y))))
    assert series.digest_ == plain.digest_


def test_columns_of_a_frame_are_transformed():
    frame = pd.DataFrame({"kind": KINDS, "size": np.arange(30.0)})
    columns = make_column_transformer((OneHotEncoder(), ["kind"]), remainder="passthrough")
    model = make_pipeline(columns, Lasso(alpha=0.01)).fit(frame, 3.0 * frame["size"] + (frame["kind"] == "cat"))
    assert model.score(frame, 3.0 * frame["size"] + (frame["kind"] == "cat")) > 0.99


def test_columns_are_selected(diabetes):
    X, y = diabetes
    selected = SelectFromModel(Lasso(alpha=1.0)).fit(X, y)
    assert (selected.get_support() == (Lasso(alpha=1.0).fit(X, y).coef_ != 0)).all()


def test_several_responses(diabetes):
    X, y = diabetes
    model = MultiOutputRegressor(Lasso(alpha=0.1), n_jobs=2).fit(X, np.column_stack([y, -y]))
    np.testing.assert_allclose(model.predict(X)[:, 0], -model.predict(X)[:, 1])


def test_fits_in_other_processes(diabetes):
    def fit(alpha):
        return Lasso(alpha=alpha, n_jobs=2).fit(*diabetes).digest_

    for backend in ("loky", "threading"):
        found = joblib.Parallel(n_jobs=2, backend=backend)(joblib.delayed(fit)(alpha) for alpha in (0.1, 1.0))
        assert found == [fit(0.1), fit(1.0)]


def held_out_error(model, X, y, train, test):
    """Return the mean squared error of each alpha's own fit on held-out rows."""
    fits = [Lasso(alpha=alpha, tol=1e-12).fit(X[train], y[train]) for alpha in model.alphas_]
    return np.array([((fit.predict(X[test]) - y[test]) ** 2).mean() for fit in fits])


@pytest.mark.parametrize(
    "cv", [TimeSeriesSplit(4), GroupKFold(3), KFold(5, shuffle=True, random_state=1), ShuffleSplit(3, random_state=0)]
)
def test_splitters_name_the_rows_of_folds(diabetes, cv):
    X, y = diabetes
    # Other splitters warn where groups are given.
    shop = np.array(["a", "b", "c", "d", "e"])[np.arange(len(y)) * 7 % 5] if isinstance(cv, GroupKFold) else None
    model = LassoCV(alphas=12, eps=0.05, cv=cv, tol=1e-12, n_jobs=2).fit(X, y, groups=shop)
    pairs = list(cv.split(X, y, shop))
    errors = [held_out_error(model, X, y, train, test) for train, test in pairs]
    expected = np.average(errors, axis=0, weights=[len(test) for _, test in pairs])
    np.testing.assert_allclose(model.mean_path_, expected, rtol=1e-5)
    assert model.alpha_ == model.alphas_[expected.argmin()]
    masks = [(np.isin(np.arange(len(y)), train), np.isin(np.arange(len(y)), test)) for train, test in pairs]
    for given in (pairs, iter(pairs), masks):
        again = LassoCV(alphas=12, eps=0.05, cv=given, tol=1e-12).fit(X, y)
        assert again.digest_ == model.digest_ and (again.mean_path_ == model.mean_path_).all()


def test_groups_stay_together_where_cv_is_a_number(diabetes):
    X, y = diabetes
    # Rows of a shop are copies: a fold that held out some would know them from the others.
    X, y, shop = np.repeat(X[:60], 3, axis=0), np.repeat(y[:60], 3), np.repeat(np.arange(60), 3)
    together = LassoCV(alphas=20, eps=1e-4).fit(X, y, groups=shop)
    apart = LassoCV(alphas=20, eps=1e-4).fit(X, y)
    assert together.mean_path_.min() > apart.mean_path_.min() and together.alpha_ > apart.alpha_


def test_classes_are_split_as_they_are_named():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    model = LogisticLassoCV(alphas=10, cv=StratifiedKFold(3), measure="accuracy").fit(X, names)
    assert list(model.classes_) == ["setosa", "versicolor", "virginica"] and model.score(X, names) > 0.9


def test_a_clone_is_unfitted_and_alike(diabetes):
    model = LassoCV(alphas=7, rule="1se", positive=True).fit(*diabetes)
    other = clone(model)
    assert not hasattr(other, "coef_") and other.get_params() == model.get_params()
    assert other.fit(*diabetes).digest_ == model.digest_
