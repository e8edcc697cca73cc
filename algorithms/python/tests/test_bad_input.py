"""Bad input is refused with Python's parameter names; unusual input is fitted."""

import numpy as np
import pytest
from scipy import sparse

from raddle.lasso import ElasticNet, ElasticNetCV, Lasso, LassoCV, LogisticLasso, PoissonLasso, lasso_path


@pytest.mark.parametrize(
    ("X", "why"),
    [
        ([[1.0, np.nan], [2.0, 1.0], [0.0, 4.0]], "Input X contains NaN"),
        ([[1.0, np.inf], [2.0, 1.0], [0.0, 4.0]], "Input X contains infinity"),
        (sparse.csc_matrix([[1.0, np.nan], [2.0, 1.0], [0.0, 4.0]]), "Input X contains NaN"),
        (np.array([[1.0 + 1j, 2.0], [2.0, 1.0], [0.0, 4.0]]), "Complex data not supported"),
        ([1.0, 2.0, 3.0], "Expected 2D array, got 1D array"),
        ([[1.0, 2.0], [2.0, 1.0]], "inconsistent numbers of samples"),
        (np.zeros((3, 0)), "0 feature"),
    ],
)
def test_bad_columns_are_refused(X, why):
    with pytest.raises(ValueError, match=why):
        Lasso().fit(X, [1.0, 2.0, 3.0])


def test_objects_that_are_no_numbers_are_refused():
    with pytest.raises((ValueError, TypeError), match="dict|float"):
        Lasso().fit(np.array([[{}], [1.0]], dtype=object), [1.0, 2.0])


def test_objects_that_are_numbers_are_numbers(diabetes):
    X, y = diabetes
    assert Lasso().fit(X.astype(object), y).digest_ == Lasso().fit(X, y).digest_


@pytest.mark.parametrize(
    ("estimator", "params", "why"),
    [
        (Lasso, {"alpha": 0.0, "positive": True}, "^alpha is 0: no column has a penalty then"),
        (Lasso, {"alpha": -1.0}, "^alpha is -1"),
        (Lasso, {"alpha": "1"}, "^alpha is '1'"),
        (Lasso, {"tol": 0.0}, "^tol is 0"),
        (Lasso, {"tol": 2.0}, "^tol is 2"),
        (Lasso, {"max_iter": 0}, "^max_iter is 0"),
        (Lasso, {"n_jobs": 0}, "^n_jobs is 0"),
        (Lasso, {"factors": [1.0]}, "10 columns, but there are 1 "),
        (Lasso, {"factors": [-1.0] * 10}, "factor of column 1 is -1"),
        (Lasso, {"bounds": [(0.0, 1.0)]}, "^bounds has the shape"),
        (Lasso, {"bounds": (1.0, 2.0)}, "the lower must be at most 0"),
        (Lasso, {"groups": ["a"]}, "^groups has the shape"),
        (Lasso, {"groups": range(10), "positive": True}, "leave out groups, or bounds and positive"),
        (ElasticNet, {"l1_ratio": 0.0, "positive": True}, "^l1_ratio is 0, which is ridge: it is fitted without"),
        (ElasticNetCV, {"l1_ratio": [0.5, 2.0]}, "^l1_ratio is 2"),
        (LassoCV, {"alphas": 0}, "^alphas is 0"),
        (LassoCV, {"eps": 2.0}, "^eps is 2"),
        (LassoCV, {"cv": 1}, "^cv is 1"),
        (LassoCV, {"cv": 10_000}, "^cv is 10000"),
        (LassoCV, {"cv": "5"}, "cv"),
        (LassoCV, {"cv": [([0, 1, 2], [3, 4]), ([0, 1, 1], [3])]}, "split 2 names row 1, .* twice on one side"),
        (LassoCV, {"cv": [([0, 1, 2], [2, 3])]}, "split 1 names row 2, .* both in training and in test"),
        (LassoCV, {"cv": [([0, 1, 2], [9999])]}, "split 1 names row 9999, .* does not have"),
        (LassoCV, {"cv": [([0, 1, 2], [-1])]}, "^cv names row -1"),
        (LassoCV, {"cv": [([0, 1, 2], [])]}, "split 1 has no test rows"),
        (LassoCV, {"cv": [([0, 1, 2], [0.5])]}, "^cv names rows by something else"),
        (LassoCV, {"rule": "max"}, '^rule is "max": it must be one of min, 1se'),
        (LassoCV, {"measure": "auc"}, "^measure is auc"),
        (LassoCV, {"measure": "r2"}, '^measure is "r2"'),
    ],
)
def test_a_bad_parameter_is_named_as_in_python(diabetes, estimator, params, why):
    with pytest.raises(ValueError, match=why):
        estimator(**params).fit(*diabetes)


def test_bad_values_of_rows_are_refused(diabetes):
    X, y = diabetes
    for name in ("sample_weight", "offset"):
        for bad, why in [
            (np.ones(3), "shape"),
            (np.full(len(y), np.nan), "NaN"),
            (np.full(len(y), 1j), "numbers"),
        ]:
            with pytest.raises(ValueError, match=name) as raised:
                Lasso().fit(X, y, **{name: bad})
            assert why in str(raised.value)
    with pytest.raises(ValueError, match="Negative values in data passed to `sample_weight`"):
        Lasso().fit(X, y, sample_weight=-np.ones(len(y)))
    with pytest.raises(ValueError, match="sample_weight is zero in all rows"):
        Lasso().fit(X, y, sample_weight=np.zeros(len(y)))
    with pytest.raises(ValueError, match="Poisson loss needs counts"):
        PoissonLasso().fit(X, -y)
    with pytest.raises(ValueError, match="y has 1 class"):
        LogisticLasso().fit(X, np.ones(len(y)))
    with pytest.raises(ValueError, match="^groups has the shape"):
        LassoCV().fit(X, y, groups=[1, 2])
    with pytest.raises(ValueError, match="loss is 'hinge'"):
        lasso_path(X, y, loss="hinge")


def untidy(X, random):
    """Return X with split and unsorted entries in each column."""
    X = sparse.csc_matrix(X)
    indices, values, starts = [], [], [0]
    for j in range(X.shape[1]):
        own = slice(X.indptr[j], X.indptr[j + 1])
        rows = np.concatenate([X.indices[own]] * 2)
        # Halves add up to the last bit; zeros are entries, too.
        parts = np.concatenate([X.data[own] / 2] * 2)
        rows, parts = np.append(rows, rows[:1]), np.append(parts, 0.0)
        order = random.permutation(len(rows))
        indices.append(rows[order])
        values.append(parts[order])
        starts.append(starts[-1] + len(rows))
    return sparse.csc_matrix((np.concatenate(values), np.concatenate(indices), starts), shape=X.shape)


def test_a_model_does_not_depend_on_how_columns_are_stored(diabetes, tmp_path):
    X, y = diabetes
    X = np.where(np.random.default_rng(5).random(X.shape) < 0.1, X, 0.0)
    expected = Lasso(alpha=0.1).fit(sparse.csc_matrix(X), y)
    assert np.count_nonzero(expected.coef_) > 2
    rough = untidy(X, np.random.default_rng(7))
    wide = sparse.csc_matrix(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    assert not rough.has_sorted_indices and wide.indices.dtype == np.int64
    by_rows = untidy(X.T, np.random.default_rng(8)).T
    assert by_rows.format == "csr"
    for given in (sparse.csr_matrix(X), sparse.coo_matrix(X), sparse.csc_array(X), rough, by_rows, wide):
        before = given.copy()
        assert Lasso(alpha=0.1).fit(given, y).digest_ == expected.digest_
        assert np.array_equal(given.data, before.data)

    dense = Lasso(alpha=0.1).fit(X, y)
    np.save(tmp_path / "x.npy", X)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    still = X.copy()
    still.flags.writeable = False
    odd = np.zeros((2 * len(y), 30))[::2, ::3]
    odd[:] = X
    shifted = np.zeros(X.nbytes + 1, np.uint8)[1:].view(np.float64).reshape(X.shape)
    shifted[:] = X
    for given in (np.asfortranarray(X), X[::-1][::-1], mapped, still, odd, shifted, X.astype(">f8"), X.tolist()):
        assert Lasso(alpha=0.1).fit(given, y).digest_ == dense.digest_
    narrow = Lasso(alpha=0.1).fit(X.astype(np.float32), y)
    assert narrow.digest_ == Lasso(alpha=0.1).fit(X.astype(np.float32).astype(np.float64), y).digest_
    assert (np.load(tmp_path / "x.npy") == X).all()


def test_a_sparse_matrix_that_is_none_is_refused(diabetes):
    X, y = diabetes
    X = sparse.csc_matrix(X)
    X.indices = X.indices.copy()
    X.indices[5] = 10_000
    with pytest.raises(ValueError, match="out of its range"):
        Lasso().fit(X, y)
