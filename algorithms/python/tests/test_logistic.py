"""LogisticRegression() is scikit-learn's: the same coefficients and probabilities, with a certificate."""

import numpy as np
import pytest
from scipy import sparse
from sklearn import datasets, linear_model
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.preprocessing import StandardScaler

import raddle
from raddle.lasso import LogisticLasso
from raddle.linear import LinearSVC, LogisticRegression, LogisticRegressionCV

SETS = ("iris", "iris2", "wine", "wine2", "digits", "digits2", "tumours", "words", "blobs", "many", "wide", "sparse", "raw")


def words(documents=300, kinds=4):
    """Return counts of words in documents of several kinds."""
    draw = np.random.default_rng(3)
    chances = draw.dirichlet(np.full(400, 0.05), kinds)
    y = draw.integers(0, kinds, documents)
    mixed = 0.6 * chances[y] + 0.4 * chances.mean(axis=0)
    return sparse.csr_matrix(np.array([draw.multinomial(30, row) for row in mixed], dtype=float)), y


def table(name):
    scaled = StandardScaler().fit_transform
    if name == "words":
        return words()
    if name == "blobs":
        return datasets.make_blobs(300, 6, centers=5, cluster_std=6.0, random_state=0)
    if name == "many":
        X, y = datasets.make_classification(400, 12, n_informative=8, n_classes=12, n_clusters_per_class=1, random_state=1)
        return X, y
    if name == "wide":
        return datasets.make_classification(60, 150, n_informative=6, n_classes=3, random_state=2)
    if name == "sparse":
        X, y = datasets.make_classification(250, 30, n_informative=9, n_classes=3, random_state=4)
        return sparse.csr_matrix(np.where(np.random.default_rng(5).random(X.shape) < 0.3, X, 0.0)), y
    load = {"iris": datasets.load_iris, "wine": datasets.load_wine, "digits": datasets.load_digits}
    load["tumours"], load["raw"] = datasets.load_breast_cancer, datasets.load_iris
    X, y = load[name.removesuffix("2")](return_X_y=True)
    if name.endswith("2"):
        X, y = X[y < 2], y[y < 2]
    if name == "digits":
        X, y = X[:400], y[:400]
    return (X / 16 if name.startswith("digits") else X if name == "raw" else scaled(X)), y


def theirs(X, y, weights=None, **params):
    """Return scikit-learn's classifier, minimised as far as it can: by the Newton method, then by lbfgs."""
    model = linear_model.LogisticRegression(tol=1e-11, max_iter=10_000, solver="newton-cg", **params)
    return model.fit(X, y, sample_weight=weights)


def near(model, expected, X, atol=1e-5):
    np.testing.assert_allclose(model.coef_, expected.coef_, atol=atol, rtol=1e-5)
    np.testing.assert_allclose(model.intercept_, expected.intercept_, atol=atol, rtol=1e-5)
    np.testing.assert_allclose(model.predict_proba(X), expected.predict_proba(X), atol=1e-5)
    np.testing.assert_allclose(model.predict_log_proba(X), np.log(model.predict_proba(X)), atol=1e-9)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.filterwarnings("ignore:Line Search failed", "ignore::RuntimeWarning")
def test_models_are_those_of_scikit_learn(name, C):
    X, y = table(name)
    model = LogisticRegression(C=C, tol=1e-13).fit(X, y)
    assert model.relative_gap_ <= 1e-13
    near(model, theirs(X, y, C=C), X)
    assert (model.predict(X) == theirs(X, y, C=C).predict(X)).all()


@pytest.mark.parametrize("name", ["iris", "tumours", "words"])
@pytest.mark.parametrize("given", ["rows", "classes", "balanced", "none"])
def test_weights_and_no_intercept_are_those_of_scikit_learn(name, given):
    X, y = table(name)
    weights = np.random.default_rng(1).random(len(y)) if given == "rows" else None
    params = {"classes": {"class_weight": {0: 3.0, 1: 0.5, 2: 1.0, 3: 2.0}}, "balanced": {"class_weight": "balanced"}}
    params = params.get(given, {"fit_intercept": given != "none"})
    if given == "classes":
        params["class_weight"] = {label: params["class_weight"][label] for label in np.unique(y)}
    model = LogisticRegression(tol=1e-13, **params).fit(X, y, sample_weight=weights)
    near(model, theirs(X, y, weights, **params), X)


def losses(scores, numbers):
    """Return minus the logarithms of the right classes' probabilities."""
    most = scores.max(axis=1)
    return most + np.log(np.exp(scores - most[:, None]).sum(axis=1)) - scores[np.arange(len(scores)), numbers]


@pytest.mark.parametrize("name", ["iris", "words", "digits"])
@pytest.mark.parametrize("scaling", [None, 2.0])
def test_the_gap_of_all_classes_is_what_coefficients_and_dual_values_give(name, scaling):
    X, y = table(name)
    costs = 2.0 * (0.1 + np.random.default_rng(3).random(len(y)))
    model = LogisticRegression(C=1.0, tol=1e-6, intercept_scaling=scaling).fit(X, y, sample_weight=costs)
    whole = X.toarray() if sparse.issparse(X) else X
    signs = np.where(y == model.classes_[:, None], 1.0, -1.0)
    pulls, a = signs * model.dual_, model.dual_
    numbers = np.searchsorted(model.classes_, y)
    # Each row's dual values stand for probabilities.
    chances = np.where(signs > 0, costs - a, a) / costs
    assert (a >= 0).all() and (a <= costs).all()
    np.testing.assert_allclose(chances.sum(axis=0), 1.0, atol=1e-12)
    own = (model.intercept_ / scaling) ** 2 if scaling else 0.0
    primal = 0.5 * (model.coef_**2).sum() + 0.5 * np.sum(own)
    primal += costs @ losses(whole @ model.coef_.T + model.intercept_, numbers)
    entropy = -np.where(chances > 0, chances * np.log(np.where(chances > 0, chances, 1.0)), 0.0).sum(axis=0)
    dual = costs @ entropy - 0.5 * ((pulls @ whole) ** 2).sum()
    if scaling:
        dual -= 0.5 * ((scaling * pulls.sum(axis=1)) ** 2).sum()
    else:
        np.testing.assert_allclose(pulls.sum(axis=1), 0.0, atol=1e-11 * costs.sum())
    assert (primal - dual) / primal == pytest.approx(model.relative_gap_, rel=1e-3, abs=1e-12)
    assert model.relative_gap_ <= 1e-6


@pytest.mark.parametrize("estimator", [LogisticRegression, lambda **params: LinearSVC(intercept_scaling=None, **params)])
def test_the_gap_of_a_free_intercept_is_what_coefficients_and_dual_values_give(estimator):
    X, y = table("tumours")
    model = estimator(C=0.5, tol=1e-6).fit(X, y)
    signs = np.where(y == 1, 1.0, -1.0)
    margins, a = signs * model.decision_function(X), model.dual_
    assert (a >= 0).all() and abs(signs @ a) <= 1e-11 * a.sum()
    half = 0.5 * (model.coef_**2).sum()
    if estimator is LogisticRegression:
        primal = half + 0.5 * np.logaddexp(0, -margins).sum()
        gained = (-a * np.log(a / 0.5) - (0.5 - a) * np.log1p(-a / 0.5)).sum()
    else:
        primal = half + 0.5 * (np.maximum(0, 1 - margins) ** 2).sum()
        gained = (a - a**2 / 2).sum()
    dual = gained - 0.5 * (((signs * a) @ X) ** 2).sum()
    assert (primal - dual) / primal == pytest.approx(model.relative_gap_, rel=1e-3, abs=1e-12)
    assert model.relative_gap_ <= 1e-6


def test_a_warm_start_of_all_classes_begins_where_the_last_fit_ended():
    X, y = table("wine")
    model = LogisticRegression(tol=1e-9, warm_start=True).fit(X, y)
    again = model.set_params(tol=1e-6).fit(X, y)
    assert again.n_iter_ <= 1 and again.relative_gap_ <= 1e-6
    near(model.set_params(tol=1e-13).fit(X[:150], y[:150]), theirs(X[:150], y[:150]), X)


@pytest.mark.parametrize("name", ["iris", "words", "tumours"])
def test_workers_and_storage_never_change_the_model(name):
    X, y = table(name)
    fits = [LogisticRegression(n_jobs=workers).fit(X, y) for workers in (None, 2, 3)]
    fits.append(LogisticRegression().fit(sparse.csc_matrix(X), y))
    assert len({fit.digest_ for fit in fits}) == 1


def test_a_model_as_scikit_learns_class_has_its_probabilities():
    for name in ("iris", "tumours"):
        X, y = table(name)
        model = LogisticRegression(C=3.0).fit(X, y)
        exported = model.to_sklearn()
        assert type(exported) is linear_model.LogisticRegression
        np.testing.assert_allclose(exported.predict_proba(X), model.predict_proba(X), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    "given", [{"l1_ratio": 1}, {"l1_ratio": 0.4}, {"penalty": "l1"}, {"class_weight": "balanced", "l1_ratio": 1}]
)
@pytest.mark.parametrize("name", ["tumours", "wine", "sparse"])
def test_an_l1_part_is_that_of_scikit_learn_and_of_the_lasso(name, given, tmp_path):
    X, y = table(name)
    model = LogisticRegression(C=0.3, tol=1e-11, solver="saga", **given).fit(X, y)
    ratio = given.get("l1_ratio", 1)
    also = {"class_weight": given.get("class_weight"), "tol": 1e-7, "max_iter": 100_000}
    expected = linear_model.LogisticRegression(C=0.3, l1_ratio=ratio, solver="saga", **also).fit(X, y)
    assert np.abs(model.decision_function(X) - expected.decision_function(X)).max() < 2e-3
    assert ((model.coef_ == 0) == (np.abs(expected.coef_) < 1e-4)).mean() > 0.97 and (model.coef_ == 0).any()
    if "class_weight" not in given:
        lasso = LogisticLasso(alpha=1 / (0.3 * len(y)), l1_ratio=ratio, tol=1e-11).fit(X, y)
        assert model.digest_ == lasso.digest_ and model.relative_gap_ == lasso.relative_gap_
    # It is a model of the program lasso in a folder.
    loaded = raddle.load(model.save(tmp_path / "model") and tmp_path / "model")
    assert isinstance(loaded, LogisticLasso) and np.allclose(loaded.predict_proba(X), model.predict_proba(X))
    assert np.allclose(model.to_sklearn().predict_proba(X), model.predict_proba(X)) and model.to_sklearn().C == 0.3
    # Neither penalty starts where the other ended.
    model.set_params(warm_start=True, penalty="l2", l1_ratio=0).fit(X, y)
    fresh = LogisticRegression(C=0.3, tol=1e-11, class_weight=also["class_weight"]).fit(X, y)
    assert np.abs(model.coef_ - fresh.coef_).max() < 1e-4


def test_liblinear_penalises_the_intercept_and_has_two_classes():
    X, y = table("tumours")
    model = LogisticRegression(solver="liblinear", dual=True, tol=1e-10).fit(X, y)
    assert model.digest_ == LogisticRegression(intercept_scaling=1.0, tol=1e-10).fit(X, y).digest_
    near(model, linear_model.LogisticRegression(solver="liblinear", tol=1e-10, max_iter=1000).fit(X, y), X)
    X, y = table("iris")
    with pytest.raises(ValueError, match="does not support multiclass classification: give multi_class='ovr'"):
        LogisticRegression(solver="liblinear").fit(X, y)
    each = LogisticRegression(solver="liblinear", multi_class="ovr").fit(X, y)
    assert each.digest_ == LogisticRegression(intercept_scaling=1.0, multi_class="ovr").fit(X, y).digest_


def test_sparse_coefficients_have_the_same_scores(tmp_path):
    X, y = table("iris")
    model = LogisticRegression().fit(X, y)
    scores, coef = model.decision_function(X), model.coef_
    assert sparse.issparse(model.sparsify().coef_) and np.allclose(model.decision_function(X), scores, atol=1e-12)
    assert np.allclose(model.decision_function(sparse.csr_matrix(X)), scores, atol=1e-12)
    assert (raddle.load(model.save(tmp_path / "model") and tmp_path / "model").coef_ == coef).all()
    assert "<svg" in model.report_html() and (model.densify().coef_ == coef).all()


def test_texts_of_several_kinds():
    texts = ["the cat sat", "a dog ran", "a bird flew", "cats sleep", "dogs run far", "birds fly", "one cat", "one bird"] * 4
    kinds = ["cat", "dog", "bird", "cat", "dog", "bird", "cat", "bird"] * 4
    X = CountVectorizer().fit_transform(texts)
    model = LogisticRegression(C=10.0).fit(X, kinds)
    assert model.score(X, kinds) == 1.0 and list(model.classes_) == ["bird", "cat", "dog"]


def test_ways_that_are_not_there_are_refused():
    X, y = table("iris")
    with pytest.raises(ValueError, match="^multi_class is 'auto': it must be one of multinomial, ovr"):
        LogisticRegression(multi_class="auto").fit(X, y)
    with pytest.raises(ValueError, match="y has 1 class"):
        LogisticRegression().fit(X, np.zeros(len(y)))


@pytest.mark.parametrize("rule", ["min", "1se"])
def test_a_cross_validation_is_the_fit_at_the_chosen_c(rule):
    X, y = table("words")
    fits = [LogisticRegressionCV([0.01, 0.1, 1.0], rule=rule, measure="log-loss", n_jobs=n).fit(X, y) for n in (1, 3)]
    model = fits[0]
    assert model.digest_ == fits[1].digest_ == LogisticRegression(C=model.C_).fit(X, y).digest_
    np.testing.assert_array_equal(model.mean_path_, fits[1].mean_path_)
    best = model.Cs_[model.mean_path_.argmin()]
    assert model.C_ == best if rule == "min" else model.C_ <= best
    assert model.worst_gap_ <= 1e-4 and model.predict_proba(X).shape == (X.shape[0], 4)
    # Means are near those of scikit-learn's folds.
    theirs = linear_model.LogisticRegressionCV(
        Cs=[0.01, 0.1, 1.0], scoring="neg_log_loss", cv=5, max_iter=1000, l1_ratios=(0,), use_legacy_attributes=False
    ).fit(X, y)
    np.testing.assert_allclose(model.mean_path_, -theirs.scores_.mean(axis=0).ravel(), rtol=0.1)


def test_a_cross_validation_keeps_groups_together_and_is_refused_by_name():
    X, y = table("iris")
    groups = np.arange(len(y)) // 5
    grouped = LogisticRegressionCV(2, measure="log-loss").fit(X, y, groups=groups)
    assert not np.array_equal(grouped.mean_path_, LogisticRegressionCV(2, measure="log-loss").fit(X, y).mean_path_)
    assert list(grouped.Cs_) == [1e-4, 1e4]
    for params, why in [
        ({"Cs": []}, "^Cs is \\[\\]: it must be"),
        ({"Cs": [1.0, -1.0]}, "^Cs is .*: it must be a whole number, or at least one number above 0"),
        ({"Cs": 0}, "^Cs is 0"),
        ({"measure": "deviance"}, "^measure is"),
        ({"measure": "auc"}, "auc is for two classes"),
        ({"cv": 1}, "^cv is 1"),
    ]:
        with pytest.raises(ValueError, match=why):
            LogisticRegressionCV(**params).fit(X, y)
