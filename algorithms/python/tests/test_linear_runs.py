"""Linear classifiers as runs: models are those of the program `linear`, in folders too; limits, Ctrl-C, bad input."""

import json
import pathlib

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import ConvergenceWarning, NotFittedError

import raddle
from raddle.linear import LinearSVC, LogisticRegression

WORKERS = (1, 2, 3)
PLAIN = ("--y", "y", "--workers", "2")


@pytest.fixture(scope="module")
def tumours():
    return load_breast_cancer(return_X_y=True)


@pytest.fixture(scope="module")
def flowers():
    X, y = load_iris(return_X_y=True)
    return X, np.array(["setosa", "versicolor", "virginica"])[y]


def same(report, fits):
    """Check that each fit has the digest of the program's model."""
    for fit in fits:
        assert fit.digest_ == report["model_digest"]


@pytest.mark.parametrize("loss", ["squared_hinge", "hinge"])
def test_an_array_is_the_table(linear_program, tumours, csv, loss):
    X, y = tumours
    name = loss.replace("_", "-")
    report = linear_program("fit", csv(X, y), "--loss", name, "--C", "0.5", "--tol", "1e-6", *PLAIN)
    same(report, [LinearSVC(0.5, loss=loss, tol=1e-6, n_jobs=workers).fit(X, y) for workers in WORKERS])
    words = np.where(y == 1, "yes", "no")
    same(report, [LinearSVC(0.5, loss=loss, tol=1e-6).fit(sparse.csr_matrix(X), words)])


def test_options_are_parameters(linear_program, tumours, csv):
    X, y = tumours
    weights = np.random.default_rng(11).random(len(y))
    file = csv(X, y, w=weights)
    report = linear_program(
        "fit", file, "--weights", "w", "--bias", "0", "--seed", "7", "--class-weights", "balanced", *PLAIN
    )
    model = LinearSVC(fit_intercept=False, random_state=7, class_weight="balanced")
    same(report, [model.fit(X, y, sample_weight=weights)])
    report = linear_program("fit", csv(X, y), "--bias", "3", "--epochs", "1", "--loss", "logistic", *PLAIN)
    same(report, [LogisticRegression(intercept_scaling=3.0, max_iter=1).fit(X, y)])
    report = linear_program("fit", csv(X, y), "--scale", "--tol", "1e-5", *PLAIN)
    same(report, [LinearSVC(standardize=True, tol=1e-5).fit(X, y)])


def test_compressed_rows_are_the_libsvm_file(linear_program, public):
    for name in ("farmads", "w8a"):
        X, y, file = public(f"lasso/{name}.svm.gz")
        report = linear_program("fit", file, "--tol", "1e-3", "--workers", "2")
        same(report, [LinearSVC(tol=1e-3).fit(given, y) for given in (X, X.tocsr())])


def test_logistic_models_of_several_classes(linear_program, flowers, csv):
    X, y = flowers
    numbers = np.searchsorted(np.unique(y), y)
    report = linear_program("fit", csv(X, numbers), "--loss", "logistic", *PLAIN)
    old = {"multi_class": "ovr", "intercept_scaling": 1}
    fits = [LogisticRegression(n_jobs=workers, **old).fit(X, y) for workers in WORKERS]
    same(report, fits)
    np.testing.assert_allclose(report["results"]["gaps"], fits[0].relative_gaps_)
    report = linear_program("fit", csv(X, numbers), "--loss", "multinomial", "--bias", "free", *PLAIN)
    same(report, [LogisticRegression(n_jobs=workers).fit(X, y) for workers in WORKERS])


def models(tumours, flowers):
    X, y = tumours
    return [
        (LinearSVC(2.0, loss="hinge", intercept_scaling=2.0).fit(X, y), X),
        (LinearSVC(fit_intercept=False, standardize=True).fit(X, np.where(y, "yes", "no")), X),
        (LogisticRegression().fit(X, np.where(y, 7, -1)), X),
        (LogisticRegression(10.0).fit(*flowers), flowers[0]),
        (LogisticRegression(multi_class="ovr", intercept_scaling=2.0).fit(*flowers), flowers[0]),
        (LinearSVC(intercept_scaling=None).fit(*flowers), flowers[0]),
        (LinearSVC().fit(flowers[0], np.unique(flowers[1], return_inverse=True)[1]), flowers[0]),
    ]


def test_models_come_back_as_they_were(tumours, flowers, tmp_path):
    for number, (model, X) in enumerate(models(tumours, flowers)):
        folder = tmp_path / str(number)
        assert model.save(folder) is model
        loaded = raddle.load(folder)
        assert type(loaded) is type(model)
        for name in ("coef_", "intercept_", "dual_", "classes_", "relative_gaps_"):
            np.testing.assert_array_equal(getattr(loaded, name), getattr(model, name))
        np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
        assert (loaded.digest_, loaded.relative_gap_) == (model.digest_, model.relative_gap_)
        for name in ("C", "fit_intercept", "intercept_scaling", "standardize"):
            assert getattr(loaded, name) == getattr(model, name)
        if hasattr(model, "predict_proba"):
            np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
        loaded.save(tmp_path / f"{number}.again")
        for name in ("model.json", "coef.tsv", "dual.npy"):
            assert (folder / name).read_bytes() == (tmp_path / f"{number}.again" / name).read_bytes()
        with pytest.raises(ValueError, match="it holds a run of linear"):
            model.save(folder)
        assert loaded.to_sklearn().predict(X).shape == (len(X),)


def test_names_of_columns_are_kept(tumours, tmp_path):
    X, y = tumours
    frame = pd.DataFrame(X, columns=[f"column {number}" for number in range(X.shape[1])])
    model = LinearSVC().fit(frame, y).save(tmp_path / "run")
    loaded = raddle.load(tmp_path / "run")
    assert list(loaded.feature_names_in_) == list(frame.columns)
    np.testing.assert_array_equal(loaded.predict(frame), model.predict(frame))


def test_the_program_reads_and_writes_the_same_models(linear_program, flowers, csv, tmp_path):
    X, y = flowers
    file = csv(X, np.searchsorted(np.unique(y), y))
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    report = linear_program("fit", file, *PLAIN, out=theirs)
    loaded = raddle.load(theirs)
    assert loaded.digest_ == report["model_digest"] == loaded.report_["model_digest"]
    assert loaded.n_iter_ == report["epochs"] > 0
    model = LinearSVC().fit(X, np.searchsorted(np.unique(y), y)).save(ours)
    np.testing.assert_array_equal(loaded.coef_, model.coef_)
    assert (ours / "dual.npy").read_bytes() == (theirs / "dual.npy").read_bytes()
    linear_program("predict", ours, file, "--y", "y", out=tmp_path / "predicted")
    predicted = np.loadtxt(tmp_path / "predicted")
    np.testing.assert_array_equal(predicted[:, 0], model.predict(X))
    np.testing.assert_allclose(predicted[:, 1:], model.decision_function(X), rtol=1e-12)
    about = json.loads((ours / "model.json").read_text())
    assert about["program"] == "linear" and about["certified"]


def test_a_callback_sees_every_epoch(tumours):
    records = []
    model = LinearSVC().fit(*tumours, callback=records.append)
    assert [record["epoch"] for record in records] == list(range(model.n_iter_ + 1))
    assert records[-1]["metric"]["value"] == model.relative_gap_ and records[-1]["ending"] == "target"
    ended = LinearSVC().fit(*tumours, callback=lambda record: False)
    assert ended.n_iter_ == 0 and ended.report_["ending"] == "interrupted" and ended.relative_gap_ > 1e-4
    assert ended.predict(tumours[0]).shape == (len(tumours[1]),)


@pytest.fixture(scope="module")
def noise():
    """Return rows whose classes are random."""
    random = np.random.default_rng(0)
    return sparse.random(20_000, 20_000, density=0.002, format="csr", random_state=random), random.integers(0, 2, 20_000)


def test_a_limit_warns(noise):
    with pytest.warns(ConvergenceWarning, match="raise max_iter") as raised:
        model = LinearSVC(1e6, loss="hinge", tol=1e-15, max_iter=1).fit(*noise)
    assert pathlib.Path(raised[0].filename) == pathlib.Path(__file__)
    assert model.n_iter_ == 1 and model.report_["ending"] == "limit" and model.relative_gap_ > 1e-15


def test_ctrl_c_ends_a_fit_and_the_next_is_as_usual(tumours, noise, ctrl_c):
    usual = LinearSVC().fit(*tumours).digest_

    def fit_on_and_on():
        while True:
            LinearSVC(1e6, loss="hinge", tol=1e-9).fit(*noise)

    assert ctrl_c(fit_on_and_on) >= 0
    assert LinearSVC().fit(*tumours).digest_ == usual


@pytest.mark.parametrize(
    ("params", "why"),
    [
        ({"C": 0.0}, "^C is 0: it must be a number from"),
        ({"C": -1.0}, "^C is -1: it must be"),
        ({"C": float("nan")}, "^C is NaN: it must be"),
        ({"C": "1"}, "^C is '1': it must be a number"),
        ({"tol": 0.0}, "^tol is 0: it must be between 0 and 1"),
        ({"tol": 1.0}, "^tol is 1: "),
        ({"loss": "squared-hinge"}, "^loss is 'squared-hinge': it must be one of squared_hinge, hinge"),
        ({"loss": None}, "^loss is None"),
        ({"class_weight": "even"}, "^class_weight is 'even': it must be a dict, 'balanced' or None"),
        ({"class_weight": {0: 0.0, 1: 1.0}}, "^class_weight is .*0.0.*: the weight of the class 0 must be above 0"),
        ({"class_weight": {0: -2.0}}, "the weight of the class 0 must be above 0"),
        ({"class_weight": {"yes": 2.0, "no": 1.0}}, "not in class_weight"),
        ({"intercept_scaling": 0.0}, "^intercept_scaling is 0.0: it must be above 0, or None; fit_intercept=False"),
        ({"intercept_scaling": None, "loss": "hinge"}, "^intercept_scaling is None: the hinge needs a number"),
        ({"intercept_scaling": float("inf")}, "^intercept_scaling is inf: "),
        ({"max_iter": 0}, "^max_iter is 0"),
        ({"random_state": -1}, "^random_state is -1"),
        ({"n_jobs": 0}, "^n_jobs is 0"),
    ],
)
def test_a_bad_parameter_is_named_as_in_python(tumours, params, why):
    with pytest.raises(ValueError, match=why):
        LinearSVC(**params).fit(*tumours)


@pytest.mark.filterwarnings("ignore:The number of unique classes")
def test_bad_rows_are_refused(tumours):
    X, y = tumours
    for bad, why in [(np.nan, "Input X contains NaN"), (np.inf, "Input X contains infinity"), (1e200, "row 3: the square")]:
        broken = X.copy()
        broken[2, 4] = bad
        for given in (broken, sparse.csr_matrix(broken)):
            with pytest.raises(ValueError, match=why):
                LinearSVC().fit(given, y)
    for name, why in [("ones", "y has 1 class"), ("many", "y has 284 classes in 569 rows: more than 100 need two rows each")]:
        labels = np.ones(len(y)) if name == "ones" else np.arange(len(y)) // 2
        with pytest.raises(ValueError, match=why.replace("284", str(len(np.unique(labels))))):
            LogisticRegression().fit(X, labels)
    with pytest.raises(ValueError, match="y has another class in each of its 5 rows"):
        LinearSVC().fit(X[:5], range(5))
    with pytest.raises(ValueError, match="y has 1 class"):
        LinearSVC().fit(X, y, sample_weight=y)
    with pytest.raises(ValueError, match="Unknown label type"):
        LinearSVC().fit(X, X[:, 0] / 7)
    with pytest.raises(ValueError, match="Negative values in data passed to `sample_weight`"):
        LinearSVC().fit(X, y, sample_weight=-np.ones(len(y)))
    with pytest.raises(ValueError, match="the weight of row 1 is"):
        LinearSVC().fit(X, y, sample_weight=np.full(len(y), 1e-200))
    with pytest.raises(ValueError, match="sample_weight has the shape"):
        LinearSVC().fit(X, y, sample_weight=np.ones(3))
    with pytest.raises(NotFittedError):
        LinearSVC().predict(X)
    model = LinearSVC().fit(X, y)
    with pytest.raises(ValueError, match="features"):
        model.predict(X[:, :3])
    with pytest.raises(AttributeError, match="predict_proba"):
        model.predict_proba(X)
