"""Logistic regression: `LogisticRegression`."""

import numpy as np
from scipy.special import expit, log_expit, log_softmax

from raddle.linear._classifier import Classifier


class LogisticRegression(Classifier):
    """Logistic regression with an L2 penalty.

    Minimises ``|w|^2 / 2 + C * sum log(1 + exp(-y x'w))``, where y is 1 for rows of the class and -1 for the others.
    The intercept is penalised like the other coefficients, as in scikit-learn's solver "liblinear". More than two
    classes are fitted one against the rest, and their probabilities are normalised to the sum 1;
    `raddle.lasso.LogisticLasso` fits all classes together (multinomial).

    Parameters
    ----------
    C : float, default=1.0
        Weight of the losses, above 0.
    tol : float, default=1e-4
        Relative duality gap at which the fit ends.
    class_weight, fit_intercept, intercept_scaling, standardize, random_state, max_iter, warm_start, n_jobs
        As in `LinearSVC`, and so are the attributes.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from raddle.linear import LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegression(C=10.0, tol=1e-8).fit(X, y)
    >>> model.predict(X[:2]), model.predict_proba(X[:2]).round(2)
    (array([0, 0]), array([[0.91, 0.09, 0.  ],
           [0.79, 0.21, 0.  ]]))
    """

    def _loss_name(self):
        return "logistic"

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
        return np.exp(_log_shares(found))

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
        return _log_shares(found)


def _log_shares(found):
    """Return the logarithms of the classes' probabilities against the rest, normalised to the sum 1."""
    # Also where all of them are too small for a number.
    return log_softmax(log_expit(found), axis=1)
