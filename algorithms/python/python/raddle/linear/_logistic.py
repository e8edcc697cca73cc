"""Logistic regression: `LogisticRegression`."""

import numpy as np
from scipy.special import expit, log_expit, log_softmax

from raddle._common import refuse
from raddle.linear._classifier import Classifier


class LogisticRegression(Classifier):
    """Logistic regression with an L2 penalty: by default the model of scikit-learn's class of this name.

    Minimises ``|w|^2 / 2 + C * sum log(1 + exp(-y x'w))``, where y is 1 for rows of the second class and -1 for the others.
    More than two classes are fitted together: ``|W|^2 / 2 + C * sum (log sum_k exp(x'w_k) - x'w_y)``, where y is the class
    of the row. The intercepts are not penalised.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the losses, above 0.
    multi_class : {"multinomial", "ovr"}, default="multinomial"
        How more than two classes are fitted: together, or one against the rest, whose probabilities are normalised to
        the sum 1.
    intercept_scaling : float, default=None
        Value of a constant column whose coefficient is penalised like the others, as in scikit-learn's solver
        "liblinear". None leaves the intercept without penalty.
    tol : float, default=1e-4
        Relative duality gap at which the fit ends.
    class_weight, fit_intercept, standardize, random_state, max_iter, warm_start, n_jobs, verbose
        As in `LinearSVC`, and so are the attributes; classes that are fitted together have one gap.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from raddle.linear import LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegression(C=10.0, tol=1e-8).fit(X, y)
    >>> model.predict(X[:2]), model.predict_proba(X[:2]).round(2)
    (array([0, 0]), array([[1.  , 0.  , 0.  ],
           [0.99, 0.01, 0.  ]]))
    """

    def __init__(
        self,
        C=1.0,
        *,
        multi_class="multinomial",
        tol=1e-4,
        class_weight=None,
        fit_intercept=True,
        intercept_scaling=None,
        standardize=False,
        random_state=42,
        max_iter=None,
        warm_start=False,
        n_jobs=None,
        verbose=0,
    ):
        super().__init__(
            C,
            tol=tol,
            class_weight=class_weight,
            fit_intercept=fit_intercept,
            intercept_scaling=intercept_scaling,
            standardize=standardize,
            random_state=random_state,
            max_iter=max_iter,
            warm_start=warm_start,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.multi_class = multi_class

    def _loss_name(self):
        if self.multi_class not in ("multinomial", "ovr"):
            refuse("multi_class", self.multi_class, "it must be one of multinomial, ovr")
        return "logistic" if self.multi_class == "ovr" else "multinomial"

    def _keep_iterations(self, epochs):
        # As many as scikit-learn has: one, or one for each class that is fitted against the rest.
        count = len(self.coef_) if self.multi_class == "ovr" else 1
        self.n_iter_ = np.full(count, epochs, dtype=np.int32)

    def predict_proba(self, X):
        """Predict the probabilities of the classes.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, p)
            The features.

        Returns
        -------
        array of shape (n, classes)
        """
        found = self.decision_function(X)
        if found.ndim == 1:
            return np.column_stack([expit(-found), expit(found)])
        return np.exp(self._log_shares(found))

    def predict_log_proba(self, X):
        """Predict the logarithms of the classes' probabilities.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, p)
            The features.

        Returns
        -------
        array of shape (n, classes)
        """
        found = self.decision_function(X)
        if found.ndim == 1:
            return np.column_stack([log_expit(-found), log_expit(found)])
        return self._log_shares(found)

    def _log_shares(self, found):
        """Return the logarithms of the probabilities of more than two classes."""
        # One against the rest, they are normalised to the sum 1, also where all of them are too small for a number.
        return log_softmax(log_expit(found) if self.multi_class == "ovr" else found, axis=1)
