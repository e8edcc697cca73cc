"""The table of defaults (docs/defaults.md) is what differs from the peers."""

import inspect
import pathlib

import numpy as np
import pytest
import sklearn.decomposition
import sklearn.linear_model
import sklearn.svm

import raddle.lasso
import raddle.lda
import raddle.linear
import raddle.mf

PAGE = pathlib.Path(__file__).parents[1] / "docs" / "defaults.md"
PAIRS = {
    "Lasso": (raddle.lasso, sklearn.linear_model),
    "ElasticNet": (raddle.lasso, sklearn.linear_model),
    "LassoCV": (raddle.lasso, sklearn.linear_model),
    "ElasticNetCV": (raddle.lasso, sklearn.linear_model),
    "LinearSVC": (raddle.linear, sklearn.svm),
    "LogisticRegression": (raddle.linear, sklearn.linear_model),
    "LogisticRegressionCV": (raddle.linear, sklearn.linear_model),
    "LatentDirichletAllocation": (raddle.lda, sklearn.decomposition),
}


def rows(width):
    """Return the rows of the table with this many columns: cells without backticks."""
    lines = [line.strip("|").split("|") for line in PAGE.read_text().splitlines() if line.startswith("| `")]
    return [[cell.strip().replace("`", "") for cell in line] for line in lines if len(line) == width]


def defaults(of):
    parameters = inspect.signature(of).parameters.values()
    return {each.name: each.default for each in parameters if each.name != "self"}


def checked(name, ours, theirs):
    told = {row[1]: (row[2], row[3]) for row in rows(5) if name in row[0].split(", ")}
    differ = {each: (theirs[each], ours[each]) for each in ours if each in theirs and theirs[each] != ours[each]}
    # A number is written in one way.
    text = lambda value: f"{value:g}" if isinstance(value, float) and value >= 1 else str(value)
    assert {each: tuple(map(text, values)) for each, values in differ.items()} == told
    lacks = [set(row[1].split(", ")) for row in rows(3) if name in row[0].split(", ")]
    assert set(theirs) - set(ours) == set().union(*lacks)


@pytest.mark.parametrize("name", PAIRS)
def test_the_table_has_all_that_differs_from_scikit_learn(name):
    if sklearn.__version__ < "1.9":
        pytest.skip("the table is of scikit-learn 1.9")
    ours, theirs = (defaults(getattr(module, name)) for module in PAIRS[name])
    checked(name, ours, theirs)


def test_nothing_differs_from_implicit():
    theirs = defaults(pytest.importorskip("implicit.cpu.als").AlternatingLeastSquares)
    ours = defaults(raddle.mf.AlternatingLeastSquares)
    assert np.dtype(ours.pop("dtype")) == np.dtype(theirs.pop("dtype"))
    assert {name: ours[name] for name in theirs} == theirs
    # Further ones are given by name alone.
    assert set(ours) - set(theirs) == {"use_gpu", "n_jobs"}
