"""The base of all estimators: fits coefficients to data, and computes scores from them."""

import json

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from raddle import _raddle
from raddle._common import Pickled
from raddle._observed import Callbacks, observed
from raddle._pages import Reported
from raddle._rows import Prepared, exact, named, narrowed, scores, validated, warn_of_gap
from raddle.lasso import _given
from raddle.lasso._saved import Saved


class Linear(Reported, Prepared, Saved, Pickled, Callbacks, BaseEstimator):
    """A linear model with a penalty.

    A subclass has a `_loss` and turns y into numbers.
    """

    _loss = "squared"

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @property
    def sparse_coef_(self):
        """The coefficients as a sparse matrix, with one row per target."""
        check_is_fitted(self, "coef_")
        return sparse.csr_matrix(self.coef_)

    def _validated(self, X, y):
        return validated(self, X, y, self._is_numeric)

    # y must be numbers.
    _is_numeric = True

    def _rows(self, y, sample_weight, offset):
        """Return y as numbers, weights and offsets."""
        terms = _given.row_terms(len(y), sample_weight, offset)
        return {"y": np.require(self._numbers(y, terms["sample_weight"]), np.float64, "A"), **terms}

    def _numbers(self, y, weights):
        return y

    def _fitted_loss(self):
        return self._loss

    def _asked(self, X):
        asked = _given.asked(self, self._fitted_loss(), X.shape[1], self._init(X.shape[1]))
        asked["l1_ratio"] = _given.number("l1_ratio", getattr(self, "l1_ratio", 1.0))
        return asked

    def _init(self, columns):
        """Return the initial coefficients."""
        if not self.warm_start or not hasattr(self, "coef_") or self.coef_.shape[-1] != columns:
            return None
        coef = exact(self).ravel()
        kept = np.flatnonzero(coef)
        return kept.astype(np.uint32), coef[kept]

    def _fit(self, X, y, sample_weight, offset, callback):
        X, y = self._validated(X, y)
        rows = self._rows(y, sample_weight, offset)
        asked = self._asked(X)
        with observed(self, X, y, callback) as callback:
            result = named(X, lambda: _raddle.fit_lasso(X, rows, asked, callback))
        return self._keep(result, X)

    def _keep(self, result, X):
        """Keep a fit as attributes."""
        intercepts = result["intercepts"]
        coef = coefficients(result, len(intercepts), X.shape[1])
        self._shape_coefficients(coef, intercepts)
        narrowed(self, X.dtype)
        self.n_iter_ = result["iterations"]
        self.relative_gap_ = result["gap"]
        self.dual_ = result["dual"] if len(intercepts) == 1 else result["dual"].reshape(X.shape[0], -1)
        self.gradient_ = result.get("gradient")
        self.report_ = result["report"]
        objective = self.report_.get("objective")
        self.dual_gap_ = self.relative_gap_ * (np.nan if objective is None else objective)
        self.digest_ = result["digest"]
        self._about = json.loads(result["about"])
        warn_of_gap(self, result, stacklevel=4)
        return self

    def _shape_coefficients(self, coef, intercepts):
        self.coef_, self.intercept_ = coef[0], float(intercepts[0])

    def _scores(self, X, offset=None):
        """Return the scores of rows, with a column for each row of coef_ where there are several."""
        check_is_fitted(self, "coef_")
        found = scores(self, X)
        offset = _given.row_values("offset", offset, len(found))
        return found if offset is None else found + (offset if found.ndim == 1 else offset[:, np.newaxis])


def coefficients(result, classes, columns):
    """Return the coefficients with one row per class."""
    coef = np.zeros(classes * columns)
    coef[result["columns"]] = result["values"]
    return coef.reshape(classes, columns)
