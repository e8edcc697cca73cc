"""The base of both classifiers: fits coefficients to data, and computes classes from them."""

import json

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from raddle import _raddle
from raddle._common import Pickled
from raddle._observed import Callbacks, observed
from raddle._pages import Reported
from raddle._rows import (
    Prepared,
    class_weights,
    classes_of,
    exact,
    named,
    narrowed,
    row_weights,
    scores,
    validated,
    warn_of_gap,
)
from raddle.linear import _given
from raddle.linear._saved import Saved
from raddle.linear._sklearn import Exported


class Classifier(Reported, Prepared, Exported, Saved, Pickled, Callbacks, ClassifierMixin, BaseEstimator):
    """A linear classifier; a subclass has the loss."""

    def __init__(
        self,
        C=1.0,
        *,
        tol=1e-4,
        class_weight=None,
        fit_intercept=True,
        intercept_scaling=1,
        standardize=False,
        random_state=42,
        max_iter=None,
        warm_start=False,
        n_jobs=None,
        verbose=0,
    ):
        self.C = C
        self.tol = tol
        self.class_weight = class_weight
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.standardize = standardize
        self.random_state = random_state
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.verbose = verbose

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X, y, sample_weight=None, callback=None):
        """Fit the model.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, p)
            The features.
        y : array of shape (n,)
            The classes, of any type; at most 1000, each of which takes memory for 4 (rows + columns) numbers.
        sample_weight : array of shape (n,), optional
            Weight of each row.
        callback : callable, optional
            Called with a record, a dict, after each epoch. The fit ends there if it returns a false value other
            than None.

        Returns
        -------
        self
        """
        loss = self._loss_name()
        with observed(self, X, y, callback) as callback:
            return self._fitted_elsewhere(loss, X, y, sample_weight, callback) or self._fitted_by(
                lambda X, rows, asked: _raddle.fit_linear(X, rows, asked, callback), loss, X, y, sample_weight
            )

    def _fitted_elsewhere(self, loss, X, y, sample_weight, callback):
        """Fit a model that is another class's and return self, or return None."""
        return None

    def _scaling(self):
        """Return the value of the constant column, None for an intercept without penalty."""
        return self.intercept_scaling

    def _fitted_by(self, fit, loss, X, y, sample_weight):
        """Fit the model by a function of features, values of the rows and parameters."""
        X, y = validated(self, X, y, y_numeric=False)
        weights = row_weights(sample_weight, len(y))
        classes, numbers = classes_of(y, weights)
        # Rows that do not count may be of no class.
        numbers = np.minimum(numbers, len(classes) - 1)
        if not _given.is_balanced(self):
            weights = class_weights(self.class_weight, classes, numbers, weights)
        asked = _given.asked(self, loss, **self._start(X.shape, classes))
        rows = _given.rows(numbers, weights)
        result = named(X, lambda: fit(X, rows, asked))
        self.classes_ = classes
        self._keep(result, X.shape[1])
        narrowed(self, X.dtype)
        self._keep_iterations(result["iterations"])
        self.report_ = result["report"]
        warn_of_gap(self, result, stacklevel=3)
        return self

    def _start(self, shape, classes):
        """Return the initial values of a fit: dual values if there is one per row, or coefficients."""
        start = {"dual": None, "weights": None}
        if not self.warm_start or not hasattr(self, "coef_") or not np.array_equal(self.classes_, classes):
            return start
        # All classes together have an intercept that does not follow from their dual values.
        is_together = self._about["loss"] == "multinomial"
        if self.dual_.shape[-1] == shape[0] and not is_together:
            start["dual"] = np.atleast_2d(self.dual_)
        elif self.coef_.shape[1] == shape[1]:
            start["weights"] = exact(self), self.intercept_.astype(np.float64)
        return start

    def _keep_iterations(self, epochs):
        self.n_iter_ = epochs

    def _keep(self, result, columns):
        """Keep a model as attributes."""
        scorers = result["scorers"]
        self.coef_ = np.zeros((len(scorers), columns))
        for row, scorer in zip(self.coef_, scorers):
            row[scorer["columns"]] = scorer["values"]
        self.intercept_ = np.array([scorer["intercept"] for scorer in scorers])
        dual = np.array([scorer["dual"] for scorer in scorers])
        self.dual_ = dual[0] if len(scorers) == 1 else dual
        self._about = json.loads(result["about"])
        self.relative_gaps_ = np.array(self._about["gaps"])
        self.relative_gap_ = float(self.relative_gaps_.max())
        self.digest_ = result["digest"]

    def sparsify(self):
        """Make `coef_` a sparse matrix; `densify` makes it an array again.

        Returns
        -------
        self
        """
        check_is_fitted(self, "coef_")
        self.coef_ = sparse.csr_matrix(self.coef_)
        return self

    def densify(self):
        """Make `coef_` an array, as it is after a fit.

        Returns
        -------
        self
        """
        check_is_fitted(self, "coef_")
        self.coef_ = self.coef_.toarray() if sparse.issparse(self.coef_) else self.coef_
        return self

    def decision_function(self, X):
        """Return the scores of rows.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, p)
            The features.

        Returns
        -------
        array of shape (n,), or (n, classes) for more than two classes
        """
        check_is_fitted(self, "coef_")
        found = scores(self, X)
        return found[:, 0] if found.shape[1] == 1 else found

    def predict(self, X):
        """Predict the classes of rows.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, p)
            The features.

        Returns
        -------
        array of shape (n,)
        """
        found = self.decision_function(X)
        best = (found > 0).astype(int) if found.ndim == 1 else found.argmax(axis=1)
        return self.classes_[best]
