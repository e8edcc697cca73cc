"""Edges: classes with their types, callbacks, alphas, limits, flat responses, states of any kind, frames of the programs."""

import inspect
import json
import subprocess
import os
import pathlib
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

import raddle
from raddle.lasso import (
    ElasticNet,
    ElasticNetCV,
    Lasso,
    LassoCV,
    LogisticLasso,
    LogisticLassoCV,
    PoissonLasso,
    PoissonLassoCV,
    lasso_path,
)
from raddle.lda import LatentDirichletAllocation
from raddle.linear import LinearSVC, LogisticRegression
from raddle.mf import AlternatingLeastSquares, MatrixFactorization

LARGE = 2**60

CLASSES = {
    "int64": np.array([0, 1, 2]),
    "int8": np.array([-1, 1, 7], dtype=np.int8),
    "uint8": np.array([1, 2, 3], dtype=np.uint8),
    # Fractions are no classes to scikit-learn.
    "float64": np.array([-1.0, 0.0, 1e15]),
    "float32": np.array([1.0, 2.0, 3.0], dtype=np.float32),
    "texts": np.array(["a", "b c", "d\te"]),
    "objects": np.array(["low", "middle", "high"], dtype=object),
    "large": np.array([LARGE, LARGE + 1, LARGE + 2]),
    "unsigned": np.array([1, 2**63, 2**63 + 1], dtype=np.uint64),
    "bool": np.array([False, True]),
}


def classifiers(classes):
    """Return each classifier, fitted to these classes, of two and of more."""
    random = np.random.default_rng(2)
    X = random.normal(size=(90, 4))
    for labels in {2, len(classes)}:
        numbers = np.digitize(X[:, 0] + 0.2 * random.normal(size=90), np.linspace(-0.5, 0.5, labels - 1))
        y = np.sort(classes)[:labels][numbers]
        yield X, y, LogisticLasso(alpha=0.01).fit(X, y)
        yield X, y, LogisticLassoCV(alphas=5, cv=3).fit(X, y)
        yield X, y, LinearSVC(tol=1e-2).fit(X, y)
        yield X, y, LogisticRegression(tol=1e-2).fit(X, y)


@pytest.mark.parametrize("kind", CLASSES)
def test_classes_come_back_as_they_were(kind, tmp_path):
    for number, (X, y, model) in enumerate(classifiers(CLASSES[kind])):
        folder = tmp_path / str(number)
        loaded = raddle.load(model.save(folder) and folder)
        assert loaded.classes_.dtype == model.classes_.dtype == y.dtype
        np.testing.assert_array_equal(loaded.classes_, model.classes_)
        np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
        loaded.save(tmp_path / "again", overwrite=True)
        assert (folder / "model.json").read_bytes() == (tmp_path / "again" / "model.json").read_bytes()
        if kind != "bool" and len(model.classes_) > 2:
            coefficients = (folder / "coef.tsv").read_text()
            label = '"d\te"' if kind == "texts" else str(int(y.max()) if kind == "float32" else y.max())
            assert kind == "float64" or f"\n{label}\t" in coefficients


def test_a_mask_is_a_mask_again(tmp_path):
    X = np.random.default_rng(1).normal(size=(60, 3))
    for model in (LogisticLasso(alpha=0.01), LinearSVC(), LogisticRegression()):
        model.fit(X, X[:, 0] > 0).save(tmp_path, overwrite=True)
        assert X[raddle.load(tmp_path).predict(X)].shape[0] < 60


def fits():
    """Return a fit of each estimator, with a callback."""
    random = np.random.default_rng(0)
    X, y = random.normal(size=(120, 30)), random.normal(size=120)
    labels = np.digitize(y, [-0.5, 0.5])
    counts = sparse.csr_matrix(random.poisson(0.6, (40, 30)))
    users, items = random.integers(0, 30, 600), random.integers(0, 20, 600)
    yield from ((model, (X, y)) for model in (Lasso(1e-4), ElasticNet(1e-4), LassoCV(), ElasticNetCV()))
    yield from ((model, (X, labels)) for model in (LogisticLasso(1e-4), LogisticLassoCV(), PoissonLasso(1e-4)))
    yield from ((model, (X, labels)) for model in (PoissonLassoCV(), LinearSVC(tol=1e-9), LogisticRegression(tol=1e-9)))
    yield LatentDirichletAllocation(n_components=2, max_iter=9), (counts,)
    yield AlternatingLeastSquares(factors=4), (counts,)
    yield MatrixFactorization(rank=4, validation=None), (users, items, 3.0 + np.sin(users))


@pytest.mark.filterwarnings("ignore")
def test_what_is_false_ends_a_fit_and_none_does_not():
    for answer in (False, np.bool_(False), 0, 0.0, np.float64(0), "", [], np.array(False)):
        for model, data in fits():
            seen = []

            def callback(record, answer=answer, seen=seen):
                seen.append(record)
                return answer

            model.fit(*data, callback=callback)
            assert len(seen) == 1, (model, answer)
    for answer in (None, True, np.bool_(True), 1):
        for model, data in fits():
            seen = []
            model.fit(*data, callback=lambda record, answer=answer: seen.append(record) or answer)
            assert len(seen) > 1 and seen[-1].get("ending") != "interrupted", (model, answer)


CROSS_VALIDATED = [LassoCV, ElasticNetCV, LogisticLassoCV, PoissonLassoCV]


def response(estimator, X):
    """Return a response of the kind that an estimator fits."""
    y = X[:, 0] + 0.3 * X[:, 1] + np.random.default_rng(5).normal(size=len(X))
    if estimator is LogisticLassoCV:
        return (y > 0).astype(int)
    return np.round(np.exp(np.clip(y, -2, 2))) if estimator is PoissonLassoCV else y


@pytest.fixture(scope="module")
def columns():
    return np.random.default_rng(4).normal(size=(80, 12))


@pytest.mark.parametrize("estimator", CROSS_VALIDATED)
def test_few_epochs_warn_and_leave_every_alpha(estimator, columns):
    y = response(estimator, columns)
    with pytest.warns(ConvergenceWarning, match="raise max_iter or tol"):
        model = estimator(max_iter=1, alphas=30, tol=1e-12, cv=3).fit(columns, y)
    assert model.alphas_.shape == (30,) and model.worst_gap_ > 1e-12 and np.isfinite(model.mean_path_).all()
    # Enough of them are as many as one likes.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        enough = estimator(max_iter=1000, alphas=10, cv=3).fit(columns, y)
        assert enough.digest_ == estimator(alphas=10, cv=3).fit(columns, y).digest_


def test_the_defaults_of_scikit_learn_with_few_iterations_warn_alone(diabetes):
    with pytest.warns(ConvergenceWarning):
        LassoCV(max_iter=1, tol=1e-12).fit(*diabetes)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LassoCV(max_iter=100).fit(*diabetes)
    with pytest.warns(ConvergenceWarning):
        path = lasso_path(*diabetes, max_iter=1, tol=1e-15, alphas=100)
    assert path.alphas.shape == (100,) and path.relative_gaps.max() > 1e-12


@pytest.mark.parametrize("estimator", [LassoCV, ElasticNetCV])
@pytest.mark.parametrize("value", [0.1, 0.0, -7, 1e6])
def test_a_constant_response_gives_zeros(estimator, value, columns):
    y = np.full(80, value)
    for weights in (None, np.linspace(0.5, 2, 80)):
        model = estimator(alphas=10, cv=4).fit(columns, y, sample_weight=weights)
        assert not model.coef_.any() and model.intercept_ == value and model.alpha_ > 0
        np.testing.assert_array_equal(model.predict(columns), y)
        assert model.to_sklearn().predict(columns).tolist() == y.tolist()
    path = lasso_path(columns, y, alphas=10)
    assert path.coefs.shape == (12, 10) and not path.coefs.any()


def test_columns_that_do_not_vary_give_zeros(columns):
    X = np.ones_like(columns)
    for estimator in CROSS_VALIDATED:
        model = estimator(alphas=5, cv=3).fit(X, response(estimator, columns))
        assert not model.coef_.any()


@pytest.mark.parametrize("estimator", CROSS_VALIDATED)
@pytest.mark.parametrize("kind", [list, tuple, np.array, pd.Series])
def test_alphas_may_be_given(estimator, kind, columns):
    y, alphas = response(estimator, columns), [0.01, 0.3, 0.1]
    model = estimator(alphas=kind(alphas), cv=3).fit(columns, y)
    assert model.alphas_.tolist() == [0.3, 0.1, 0.01]
    assert model.alpha_ in alphas and model.mean_path_.shape == (3,)
    assert list(alphas) == [0.01, 0.3, 0.1]


def test_alphas_of_a_path_are_those_given_and_it_is_the_fits_at_each(diabetes):
    X, y = diabetes
    path = lasso_path(X, y, alphas=[0.1, 1.0, 0.5], tol=1e-10)
    assert path.alphas.tolist() == [1.0, 0.5, 0.1]
    for alpha, coef in zip(path.alphas, path.coefs.T):
        np.testing.assert_allclose(coef, Lasso(alpha, tol=1e-10).fit(X, y).coef_, atol=1e-3)
    for alphas in ([], [0.0, 1.0], [-1.0], [np.nan], [np.inf], "ab", [[1.0]], 0, 1.5, True):
        with pytest.raises(ValueError, match="alphas is"):
            lasso_path(X, y, alphas=alphas)
        with pytest.raises(ValueError, match="alphas is"):
            LassoCV(alphas=alphas).fit(X, y)


def test_a_random_state_is_of_any_kind(columns):
    y = response(LassoCV, columns)
    users, items = np.repeat(np.arange(20), 5), np.tile(np.arange(5), 20)
    counts = sparse.csr_matrix(np.random.default_rng(1).poisson(0.6, (30, 20)))
    for make in (
        lambda state: LassoCV(alphas=5, cv=3, random_state=state).fit(columns, y),
        lambda state: LogisticLassoCV(alphas=5, cv=3, random_state=state).fit(columns, (y > 0).astype(int)),
        lambda state: LinearSVC(random_state=state).fit(columns, y > 0),
        lambda state: LogisticRegression(random_state=state).fit(columns, y > 0),
        lambda state: LatentDirichletAllocation(n_components=2, max_iter=3, random_state=state).fit(counts),
        lambda state: MatrixFactorization(rank=2, epochs=2, random_state=state).fit(users, items, users % 5 + 1.0),
        lambda state: AlternatingLeastSquares(factors=2, iterations=2, random_state=state).fit(counts),
    ):
        for state in (np.random.RandomState, np.random.default_rng):
            assert make(state(3)).digest_ == make(state(3)).digest_
        assert make(3).digest_ == make(np.int64(3)).digest_
        make(None)
        for bad in (-1, 1.5, "x", True):
            with pytest.raises(ValueError, match="random_state"):
                make(bad)


def test_the_folds_follow_the_state(columns):
    y = response(LassoCV, columns)
    fit = lambda state: LassoCV(alphas=5, cv=3, random_state=state).fit(columns, y).mean_path_.tolist()
    generator = np.random.default_rng(0)
    assert fit(generator) != fit(generator)
    assert fit(1) != fit(2)


@pytest.mark.parametrize("estimator", [LogisticLasso(alpha=0.003), LinearSVC(tol=0.1), LogisticRegression(tol=0.1)])
def test_a_hundred_and_fifty_classes(estimator, tmp_path):
    random = np.random.default_rng(7)
    y = np.repeat(np.arange(150), 4)
    X = np.eye(150)[y] + 0.01 * random.normal(size=(600, 150))
    model = estimator.fit(X, y)
    assert model.classes_.tolist() == list(range(150)) and model.score(X, y) > 0.5
    loaded = raddle.load(model.save(tmp_path) and tmp_path)
    assert loaded.classes_.dtype == np.int64
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


def run(program, *line):
    folder = os.environ.get("RADDLE_BIN")
    if folder is None:
        pytest.skip("RADDLE_BIN names no folder with the programs")
    line = [pathlib.Path(folder, program), *map(str, line), "--json"]
    return json.loads(subprocess.run(line, check=True, capture_output=True, timeout=300).stdout)


@pytest.mark.parametrize("program, loss", [("lasso", "squared"), ("lasso", "multinomial"), ("linear", "logistic")])
def test_a_model_of_a_table_predicts_from_its_frame(program, loss, tmp_path):
    random = np.random.default_rng(8)
    kinds = random.choice(["red", "green", "blue", None], 90, p=[0.3, 0.3, 0.3, 0.1])
    frame = pd.DataFrame(
        {
            "id": [f"row {row}" for row in range(90)],
            "size": np.where(random.random(90) < 0.1, np.nan, random.normal(size=90)),
            "colour": kinds,
            "both": random.choice(["yes", "no"], 90),
            "code": random.integers(1, 4, 90),
        }
    )
    signal = frame["size"].fillna(0) + (frame["colour"] == "red") + 0.3 * (frame["code"] == 2)
    frame["y"] = signal.round(3) if loss == "squared" else np.digitize(signal, [-0.3, 0.8])
    file, out = tmp_path / "data.csv", tmp_path / "run"
    frame.to_csv(file, index=False)
    options = ["--missing", "mean", "--categorical", "code", "--drop", "id"]
    run(program, "fit", file, "--y", "y", "--loss", loss, *options, "--out", out)
    told = run(program, "predict", out, file)
    model = raddle.load(out)
    shuffled = frame[["y", "code", "both", "colour", "size"]]
    for X in (frame, shuffled, frame.drop(columns=["y", "id"]), frame.assign(code=frame["code"].astype(float))):
        if loss == "squared":
            np.testing.assert_allclose(model.predict(X), told["predictions"], rtol=1e-12)
        else:
            assert model.predict(X).tolist() == told["classes"]
            assert model.classes_.dtype == np.int64
    unseen = frame.assign(colour="violet")
    assert model.predict(unseen).shape == (90,)
    with pytest.raises(ValueError, match="X has no column 'colour', which the model uses"):
        model.predict(frame.drop(columns="colour"))
    with pytest.raises(ValueError, match="column 'size': 'large' is not a number"):
        model.predict(frame.assign(size="large"))
    # The features themselves, as they are named, are taken as ever.
    features = pd.DataFrame(np.zeros((2, model.n_features_in_)), columns=model.feature_names_in_)
    assert model.predict(features).shape == (2,)


def test_docstrings_say_when_a_callback_ends_a_fit():
    for estimator in (Lasso, LassoCV, LogisticLasso, LinearSVC, LatentDirichletAllocation):
        assert "it returns a false value" in inspect.getdoc(estimator.fit)


@pytest.mark.parametrize("estimator", [AlternatingLeastSquares(factors=3, random_state=5), MatrixFactorization(rank=3)])
def test_factorizations_are_cloned_and_say_that_they_are_not_fitted(estimator):
    from sklearn.base import clone
    from sklearn.exceptions import NotFittedError

    copy = clone(estimator)
    assert copy is not estimator and repr(copy) == repr(estimator)
    assert copy.set_params(n_jobs=2) is copy and copy.get_params()["n_jobs"] == 2
    with pytest.raises(ValueError, match="has no parameter 'depth': it has"):
        copy.set_params(depth=3)
    for ask in (lambda: estimator.save("nowhere"), lambda: estimator.recommend(0, None)):
        with pytest.raises(NotFittedError, match="is not fitted: call fit first"):
            ask()
