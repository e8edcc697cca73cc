"""Linear classifiers: their models are scikit-learn's, each with a proven gap."""

import numpy as np
import pytest
import sklearn
from scipy import sparse
from scipy.special import expit
from sklearn import linear_model, svm
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from raddle.linear import LinearSVC, LinearSVCCV, LogisticRegression

CLASSIFIERS = {
    "squared_hinge": LinearSVC,
    "hinge": lambda *args, **params: LinearSVC(*args, loss="hinge", **params),
    # As scikit-learn's solver "liblinear" has it.
    "logistic": lambda *args, **params: LogisticRegression(
        *args, **{"multi_class": "ovr", "intercept_scaling": 1, **params}
    ),
}
# An interior point ends above the gaps that Newton steps come to.
TIGHT = {"squared_hinge": 1e-11, "hinge": 1e-8, "logistic": 1e-11}
TEXTS = ["the cat sat", "a dog ran", "the cat slept", "dogs ran far", "one cat", "a dog barked"] * 5
KINDS = ["cat", "dog", "cat", "dog", "cat", "dog"] * 5


@pytest.fixture(scope="module")
def tumours():
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X), y


@pytest.fixture(scope="module")
def flowers():
    X, y = load_iris(return_X_y=True)
    return StandardScaler().fit_transform(X), y


def theirs(loss, **params):
    """Return scikit-learn's classifier with the same objective, minimised as far as it can."""
    params = {"tol": 1e-10, "max_iter": 10_000_000, **params}
    if loss == "logistic":
        return linear_model.LogisticRegression(solver="liblinear", **params)
    return svm.LinearSVC(loss=loss, dual=loss == "hinge", random_state=0, **params)


def near(ours, expected, rtol=1e-3):
    for name in ("coef_", "intercept_"):
        found, wanted = getattr(ours, name), np.atleast_1d(getattr(expected, name))
        assert found.shape == wanted.shape
        np.testing.assert_allclose(found, wanted, rtol=rtol, atol=rtol * np.abs(expected.coef_).max())


@pytest.mark.parametrize("loss", CLASSIFIERS)
@pytest.mark.parametrize("C", [0.01, 1.0])
@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("intercept", [{}, {"intercept_scaling": 5.0}, {"fit_intercept": False}])
def test_coefficients_are_those_of_scikit_learn(tumours, loss, C, is_weighted, intercept):
    X, y = tumours
    weights = 2.0 * np.random.default_rng(1).random(len(y)) if is_weighted else None
    ours = CLASSIFIERS[loss](C=C, tol=TIGHT[loss], **intercept).fit(X, y, sample_weight=weights)
    expected = theirs(loss, C=C, **intercept).fit(X, y, sample_weight=weights)
    near(ours, expected)
    assert (ours.predict(X) == expected.predict(X)).mean() > 0.999
    np.testing.assert_allclose(ours.decision_function(X), expected.decision_function(X), rtol=1e-3, atol=1e-3)
    if loss == "logistic":
        np.testing.assert_allclose(ours.predict_proba(X), expected.predict_proba(X), atol=1e-4)
        np.testing.assert_allclose(np.exp(ours.predict_log_proba(X)), ours.predict_proba(X))


def test_logistic_regression_is_that_of_newtons_method(tumours):
    X, y = tumours
    ours = LogisticRegression(C=3.0, tol=1e-12, fit_intercept=False).fit(X, y)
    params = {"solver": "newton-cholesky", "tol": 1e-12, "max_iter": 1000, "fit_intercept": False}
    expected = linear_model.LogisticRegression(C=3.0, **params).fit(X, y)
    near(ours, expected, rtol=1e-6)


@pytest.mark.parametrize("loss", CLASSIFIERS)
def test_several_classes_are_one_against_the_rest(flowers, loss):
    X, y = flowers
    words = np.array(["setosa", "versicolor", "virginica"])[y]
    ours = CLASSIFIERS[loss](C=0.5, tol=TIGHT[loss]).fit(X, words)
    expected = OneVsRestClassifier(theirs(loss, C=0.5)).fit(X, words)
    assert ours.coef_.shape == (3, 4) and ours.dual_.shape == (3, 150) and list(ours.classes_) == list(expected.classes_)
    for row, of in zip(ours.coef_, expected.estimators_):
        np.testing.assert_allclose(row, of.coef_[0], rtol=1e-3, atol=1e-3)
    assert (ours.predict(X) == expected.predict(X)).all()
    if loss == "logistic":
        np.testing.assert_allclose(ours.predict_proba(X), expected.predict_proba(X), atol=1e-4)
        np.testing.assert_allclose(np.exp(ours.predict_log_proba(X)), ours.predict_proba(X))


def test_probabilities_are_numbers_however_far_off_a_row_is(flowers):
    X, y = flowers
    model = LogisticRegression(C=1000.0).fit(X, y)
    # No class speaks for it: each has a probability that is no number above zero.
    far = -1e6 * np.linalg.pinv(model.coef_) @ np.ones(3)
    for row in (far, -far, 1e6 * X[0]):
        found = model.predict_proba([row])
        assert np.isfinite(found).all() and found.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("loss", CLASSIFIERS)
def test_weights_of_classes_are_those_of_their_rows(tumours, loss):
    X, y = tumours
    words = np.where(y == 1, "benign", "malign")
    for given, factors in [
        ({"malign": 3.0}, {"benign": 1.0, "malign": 3.0}),
        ({"benign": 0.5, "malign": 2.0}, {"benign": 0.5, "malign": 2.0}),
        ("balanced", {name: len(y) / (2.0 * (words == name).sum()) for name in ("benign", "malign")}),
    ]:
        weighted = CLASSIFIERS[loss](C=0.1, tol=TIGHT[loss], class_weight=given).fit(X, words)
        rows = np.vectorize(factors.get)(words)
        near(weighted, CLASSIFIERS[loss](C=0.1, tol=TIGHT[loss]).fit(X, words, sample_weight=rows))
        near(weighted, theirs(loss, C=0.1, class_weight=given).fit(X, words))


@pytest.mark.parametrize("loss", CLASSIFIERS)
def test_a_weight_is_so_many_rows(tumours, loss):
    X, y = tumours
    times = np.random.default_rng(2).integers(0, 4, len(y))
    weighted = CLASSIFIERS[loss](C=0.1, tol=TIGHT[loss]).fit(X, y, sample_weight=times)
    repeated = CLASSIFIERS[loss](C=0.1, tol=TIGHT[loss]).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    near(weighted, repeated)


@pytest.mark.parametrize("loss", CLASSIFIERS)
def test_a_class_of_rows_that_do_not_count_is_none(flowers, loss):
    X, y = flowers
    words = np.array(["setosa", "versicolor", "virginica"])[y]
    for left_out in ("setosa", "versicolor", "virginica"):
        kept = words != left_out
        weighted = CLASSIFIERS[loss](tol=TIGHT[loss]).fit(X, words, sample_weight=kept.astype(float))
        cut = CLASSIFIERS[loss](tol=TIGHT[loss]).fit(X[kept], words[kept])
        assert list(weighted.classes_) == list(cut.classes_)
        near(weighted, cut)


LOSS_AND_DUAL = {
    "squared_hinge": (lambda m: np.maximum(0, 1 - m) ** 2, lambda a, c: a - a**2 / (4 * c)),
    "hinge": (lambda m: np.maximum(0, 1 - m), lambda a, c: a),
    "logistic": (lambda m: np.logaddexp(0, -m), lambda a, c: -a * np.log(a / c) - (c - a) * np.log1p(-a / c)),
}


@pytest.mark.parametrize("loss", CLASSIFIERS)
@pytest.mark.parametrize("kind", ["two", "three", "sparse", "weighted"])
def test_the_gap_is_what_coefficients_and_dual_values_give(flowers, tumours, loss, kind):
    X, y = flowers if kind == "three" else tumours
    weights = 0.1 + np.random.default_rng(3).random(len(y)) if kind == "weighted" else np.ones(len(y))
    given = sparse.csr_matrix(X) if kind == "sparse" else X
    model = CLASSIFIERS[loss](C=2.0, tol=1e-5, intercept_scaling=3.0).fit(given, y, sample_weight=weights)
    whole, costs = np.column_stack([X, np.full(len(y), 3.0)]), 2.0 * weights
    value, dual_value = LOSS_AND_DUAL[loss]
    assert len(model.coef_) == (3 if kind == "three" else 1)
    for number, a in enumerate(np.atleast_2d(model.dual_)):
        signs = np.where(y == model.classes_[number if kind == "three" else 1], 1.0, -1.0)
        assert (a >= 0).all() and (loss == "squared_hinge" or (a <= costs).all())
        w = np.append(model.coef_[number], model.intercept_[number] / 3.0)
        primal = 0.5 * w @ w + (costs * value(signs * (whole @ w))).sum()
        # The best weights need not be those that follow from the best dual values.
        of_dual = (signs * a) @ whole
        dual = dual_value(a, costs).sum() - 0.5 * of_dual @ of_dual
        assert (primal - dual) / primal == pytest.approx(model.relative_gaps_[number], rel=1e-3, abs=1e-12)
    assert model.relative_gap_ == model.relative_gaps_.max() <= 1e-5


@pytest.mark.parametrize("loss", CLASSIFIERS)
def test_a_model_does_not_depend_on_how_x_is_stored(tumours, loss):
    X, y = tumours
    X = np.where(np.random.default_rng(5).random(X.shape) < 0.3, X, 0.0)
    expected = CLASSIFIERS[loss]().fit(X, y)
    for given in (sparse.csr_matrix(X), sparse.csc_array(X), sparse.coo_matrix(X), np.asfortranarray(X), X.tolist()):
        model = CLASSIFIERS[loss]().fit(given, y)
        assert model.digest_ == expected.digest_
        np.testing.assert_allclose(model.decision_function(given), expected.decision_function(X), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("loss", CLASSIFIERS)
@pytest.mark.parametrize("classes", [2, 3])
def test_workers_never_change_the_model(tumours, loss, classes):
    X, y = tumours
    y = y if classes == 2 else np.digitize(X[:, 0], [-0.5, 0.5])
    digests = {CLASSIFIERS[loss](n_jobs=workers).fit(X, y).digest_ for workers in (None, 1, 2, 3, -1)}
    assert len(digests) == 1


def test_standardized_columns_are_those_of_a_scaler(tumours):
    X, y = tumours
    X = X * np.arange(1, 31)
    deviations = X.std(axis=0)
    ours = LinearSVC(standardize=True, tol=1e-12).fit(X, y)
    scaled = LinearSVC(tol=1e-12).fit(X / deviations, y)
    np.testing.assert_allclose(ours.coef_, scaled.coef_ / deviations, rtol=1e-5)
    np.testing.assert_allclose(ours.intercept_, scaled.intercept_, rtol=1e-5)


@pytest.mark.parametrize("loss", CLASSIFIERS)
def test_a_warm_start_begins_where_the_last_fit_ended(tumours, loss):
    X, y = tumours
    warm = CLASSIFIERS[loss](tol=1e-7, warm_start=True).fit(X, y)
    assert warm.n_iter_ > 0
    # Dual values of the logistic loss that are nearly at a bound are taken off it.
    warm.set_params(tol=1e-5).fit(X, y)
    assert warm.n_iter_ == 0 and warm.relative_gap_ <= 1e-5
    # From coefficients, where rows are others.
    warm.fit(X[:400], y[:400])
    near(warm, CLASSIFIERS[loss](tol=1e-6).fit(X[:400], y[:400]), rtol=0.05)


def test_a_model_as_scikit_learns_class_predicts_the_same(tumours, flowers):
    X, y = tumours
    flower, kind = flowers
    for model, X, y in [
        (LinearSVC(), X, np.where(y, "benign", "malign")),
        (LinearSVC(loss="hinge"), flower, kind),
        (LogisticRegression(), X, np.where(y, "benign", "malign")),
        (LogisticRegression(), flower, kind),
    ]:
        exported = model.fit(X, y).to_sklearn()
        assert type(exported).__module__.startswith("sklearn.")
        np.testing.assert_allclose(exported.decision_function(X), model.decision_function(X))
        assert (exported.predict(X) == model.predict(X)).all()
        if hasattr(model, "predict_proba"):
            np.testing.assert_allclose(exported.predict_proba(X), model.predict_proba(X), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("loss", CLASSIFIERS)
def test_a_pipeline_of_texts(loss):
    # A warning would be an error here.
    model = make_pipeline(CountVectorizer(), CLASSIFIERS[loss](C=100.0)).fit(TEXTS, KINDS)
    assert list(model.classes_) == ["cat", "dog"]
    assert list(model.predict(["a cat", "dogs ran"])) == ["cat", "dog"]
    assert model.score(TEXTS, KINDS) == 1.0


def test_a_search_over_parameters(tumours):
    search = GridSearchCV(LinearSVC(), {"C": [1e-4, 0.1], "loss": ["hinge", "squared_hinge"]}, n_jobs=2).fit(*tumours)
    assert search.best_params_["C"] == 0.1 and search.best_score_ > 0.95


def test_weights_are_routed(tumours):
    X, y = tumours
    weights = np.where(np.arange(len(y)) % 7, 0.01, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        model = LogisticRegression().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        weighted = cross_val_score(model, X, y, params={"sample_weight": weights})
        plain = cross_val_score(clone(model).set_fit_request(sample_weight=False), X, y)
    assert weighted.shape == (5,) and not np.allclose(weighted, plain)


def test_two_probabilities_are_those_of_the_score(tumours):
    X, y = tumours
    model = LogisticRegression().fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], expit(model.decision_function(X)))


@pytest.mark.parametrize("loss", ["squared_hinge", "hinge"])
def test_a_machine_whose_c_is_chosen_is_the_fit_at_it(tumours, loss):
    X, y = tumours
    fits = [LinearSVCCV([0.01, 0.1, 1.0], measure="auc", loss=loss, n_jobs=n).fit(X, y) for n in (1, 3)]
    model = fits[0]
    assert model.digest_ == fits[1].digest_ == LinearSVC(model.C_, loss=loss).fit(X, y).digest_
    assert model.C_ == model.Cs_[model.mean_path_.argmax()] and model.worst_gap_ <= 1e-4
    assert clone(model).get_params()["Cs"] == [0.01, 0.1, 1.0]
    for params, why in [
        ({"Cs": []}, "^Cs is \\[\\]: it must be"),
        ({"Cs": [0.0]}, "^Cs is .*: it must be a whole number, or at least one number above 0"),
        ({"measure": "log-loss"}, "log-loss needs probabilities"),
        ({"loss": "hinge", "intercept_scaling": None}, "the hinge needs a number"),
    ]:
        with pytest.raises(ValueError, match=why):
            LinearSVCCV(**params).fit(X, y)


def test_all_classes_together_start_again_from_their_solution():
    X, y = load_iris(return_X_y=True)
    model = LogisticRegression(C=100.0, warm_start=True).fit(X, y == 1)
    for _ in range(2):
        model.fit(X, y)
        assert model.relative_gap_ <= 1e-4
    X, y = X[y != 1], np.r_[np.zeros(50), np.ones(25), np.full(25, 2.0)]
    model = LogisticRegression(C=1e4, warm_start=True).fit(X, y)
    assert model.fit(X, y).relative_gap_ <= 1e-4


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csc_matrix])
def test_empty_columns_between_others_change_no_bit(kind):
    narrow = sparse.random(80, 40, density=0.3, format="csr", random_state=3)
    assert (narrow.getnnz(axis=0) > 0).all()
    wide = sparse.csr_matrix((narrow.data, 50_000 * narrow.indices + 7, narrow.indptr), shape=(80, 2_000_000))
    X, y = kind(wide), np.arange(80) % 3
    for model in (LinearSVC(tol=1e-9), LogisticRegression(tol=1e-6), LinearSVCCV(Cs=[0.1, 1.0], cv=3)):
        one, other = clone(model).fit(narrow, y), clone(model).fit(X, y)
        assert other.coef_.shape == (3, 2_000_000)
        np.testing.assert_array_equal(other.coef_[:, 7::50_000], one.coef_)
        assert np.count_nonzero(other.coef_) == np.count_nonzero(one.coef_)
        np.testing.assert_array_equal(other.predict(X), one.predict(narrow))
    again = LinearSVC(tol=1e-9, warm_start=True).fit(X, y)
    again.fit(X[:70], y[:70])
    expected = LinearSVC(tol=1e-9).fit(X[:70], y[:70])
    np.testing.assert_allclose(again.coef_[:, 7::50_000], expected.coef_[:, 7::50_000], atol=1e-4)
