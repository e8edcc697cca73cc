"""The measures of `lasso fit --test` are those of scikit-learn for the same predictions."""

import numpy as np
import pytest
from scipy.special import expit, softmax
from sklearn.datasets import load_iris
from sklearn.linear_model import LinearRegression
from sklearn.metrics import d2_log_loss_score, d2_tweedie_score, r2_score

SEED = 7


def linear(results, X, classes=1):
    """Return the scores of the model in a report, which lists all of these few coefficients; one column per class."""
    scores = np.zeros((len(X), classes)) + results.get("intercepts", results.get("intercept"))
    for entry in results["coefficients"]:
        _, _, of_class = entry["name"].partition(" (class ")
        scores[:, int(of_class.rstrip(")")) if of_class else 0] += X[:, entry["column"] - 1] * entry["coefficient"]
    return scores


@pytest.fixture
def parts(csv, tmp_path):
    """Write a table to two files: rows to fit, and rows to measure on."""

    def write(X, y, **others):
        random = np.random.default_rng(SEED)
        out = random.random(len(y)) < 0.3
        files = []
        for name, rows in (("rest.csv", ~out), ("test.csv", out)):
            file = csv(X[rows], y[rows], **{key: values[rows] for key, values in others.items()})
            files.append(file.rename(tmp_path / name))
        return (*files, out)

    return write


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("shifted", [False, True])
@pytest.mark.parametrize("loss", ["squared", "logistic", "poisson"])
def test_one_score(lasso_program, diabetes, parts, loss, weighted, shifted):
    X, y = diabetes
    y = {"squared": y, "logistic": (y > 140).astype(float), "poisson": np.round(y / 50)}[loss]
    random = np.random.default_rng(11)
    w, o = random.random(len(y)), random.normal(size=len(y)) / 3
    others = {**({"w": w} if weighted else {}), **({"o": o} if shifted else {})}
    rest, test, out = parts(X, y, **others)
    options = [*(["--weights", "w"] if weighted else []), *(["--offset", "o"] if shifted else [])]
    report = lasso_program("fit", rest, "--y", "y", "--loss", loss, "--ratio", "50", "--test", test, *options)
    results = report["results"]
    scores = linear(results, X[out])[:, 0] + (o[out] if shifted else 0)
    weights = w[out] if weighted else None
    if loss == "squared":
        expected, told = r2_score(y[out], scores, sample_weight=weights), results["test_r2"]
    elif loss == "logistic":
        expected = d2_log_loss_score(y[out], expit(scores), sample_weight=weights, labels=[0, 1])
        told = results["test_deviance_explained"]
    else:
        expected = d2_tweedie_score(y[out], np.exp(scores), sample_weight=weights, power=1)
        told = results["test_deviance_explained"]
    assert abs(told - expected) < 1e-9
    assert results["test_rows"] == out.sum()


def test_the_score_of_an_estimator(lasso_program, diabetes, parts):
    X, y = diabetes
    weights = np.random.default_rng(3).random(len(y))
    rest, test, out = parts(X, y, w=weights)
    report = lasso_program("fit", rest, "--y", "y", "--weights", "w", "--ratio", "50", "--test", test)
    model = LinearRegression().fit(X, y)
    model.coef_ = np.zeros(X.shape[1])
    for entry in report["results"]["coefficients"]:
        model.coef_[entry["column"] - 1] = entry["coefficient"]
    model.intercept_ = report["results"]["intercept"]
    expected = model.score(X[out], y[out], sample_weight=weights[out])
    assert abs(report["results"]["test_r2"] - expected) < 1e-9


@pytest.mark.parametrize("weighted", [False, True])
def test_a_score_for_each_class(lasso_program, parts, weighted):
    X, y = load_iris(return_X_y=True)
    weights = np.random.default_rng(5).random(len(y))
    rest, test, out = parts(X, y, **({"w": weights} if weighted else {}))
    options = ["--weights", "w"] if weighted else []
    report = lasso_program("fit", rest, "--y", "y", "--loss", "multinomial", "--ratio", "50", "--test", test, *options)
    probabilities = softmax(linear(report["results"], X[out], 3), axis=1)
    expected = d2_log_loss_score(
        y[out], probabilities, sample_weight=weights[out] if weighted else None, labels=[0, 1, 2]
    )
    assert abs(report["results"]["test_deviance_explained"] - expected) < 1e-9


def test_a_share_is_measured_on_the_rows_that_are_left(lasso_program, diabetes, csv):
    X, y = diabetes
    report = lasso_program("fit", csv(X, y), "--y", "y", "--ratio", "50", "--test", "0.2", "--seed", SEED)
    results = report["results"]
    assert results["test_rows"] == round(0.2 * len(y))
    assert report["data"]["sizes"]["rows"] + results["test_rows"] == len(y)
    assert 0.2 < results["test_r2"] < 0.8
