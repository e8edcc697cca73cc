"""Classification: `LogisticLasso`."""

import numpy as np
from scipy.special import expit, softmax
from sklearn.base import ClassifierMixin

from raddle._rows import class_members, class_weights, classes_in, classes_of
from raddle.lasso._linear import Linear
from raddle.lasso._sklearn import Exported


class Classification(Exported, ClassifierMixin, Linear):
    """A classifier with two classes or more."""

    _loss = "logistic"
    _is_numeric = False

    def _numbers(self, y, weights):
        self.classes_, numbers = classes_of(y, weights)
        return numbers

    def _rows(self, y, sample_weight, offset):
        rows = super()._rows(y, sample_weight, offset)
        # Rows that do not count may be of no class.
        numbers = np.minimum(rows["y"].astype(int), len(self.classes_) - 1)
        rows["sample_weight"] = class_weights(self.class_weight, self.classes_, numbers, rows["sample_weight"])
        return rows

    def _fitted_loss(self):
        return "logistic" if len(self.classes_) <= 2 else "multinomial"

    def _shape_coefficients(self, coef, intercepts):
        self.coef_, self.intercept_ = coef, intercepts

    def _class_members(self):
        return class_members(self.classes_, "labels" if len(self.classes_) > 2 else "classes")

    def _restore_classes(self, about):
        self.classes_ = classes_in(about)

    def fit(self, X, y, sample_weight=None, offset=None, callback=None):
        """Fit the model.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, p)
            The features.
        y : array of shape (n,)
            The classes, of any type.
        sample_weight : array of shape (n,), optional
            Weight of each row, on any scale.
        offset : array of shape (n,), optional
            Offset added to the score of each row; for two classes only.
        callback : callable, optional
            Called with a record, a dict, after each epoch. The fit ends there if it returns a false value other
            than None.

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight, offset, callback)

    def decision_function(self, X, offset=None):
        """Return the scores of rows.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, p)
            The features.
        offset : array of shape (n,), optional
            Offset added to the score of each row.

        Returns
        -------
        array of shape (n,), or (n, classes) for more than two classes
        """
        scores = self._scores(X, offset)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X, offset=None):
        """Predict the classes of rows.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, p)
            The features.
        offset : array of shape (n,), optional
            Offset added to the score of each row.

        Returns
        -------
        array of shape (n,)
        """
        scores = self.decision_function(X, offset)
        best = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        return self.classes_[best]

    def predict_proba(self, X, offset=None):
        """Predict the probabilities of the classes.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, p)
            The features.
        offset : array of shape (n,), optional
            Offset added to the score of each row.

        Returns
        -------
        array of shape (n, classes)
        """
        scores = self.decision_function(X, offset)
        if scores.ndim == 1:
            return np.column_stack([expit(-scores), expit(scores)])
        return softmax(scores, axis=1)

    def predict_log_proba(self, X, offset=None):
        """Predict the logarithms of the classes' probabilities.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, p)
            The features.
        offset : array of shape (n,), optional
            Offset added to the score of each row.

        Returns
        -------
        array of shape (n, classes)
        """
        return np.log(self.predict_proba(X, offset))


class LogisticLasso(Classification):
    """Logistic regression with an l1 penalty, for two classes or more.

    Minimises the mean log loss plus ``alpha * |b|_1``, or plus the penalty of an elastic net if `l1_ratio` is below 1.
    With more than two classes each has its own coefficients (multinomial). ``C`` of scikit-learn is
    ``1 / (n alpha)``. Other parameters and the attributes are those of `ElasticNet`; coefficients have one row per
    class, or one row for two classes.

    Parameters
    ----------
    class_weight : dict or "balanced", default=None
        Factor of the weight of the rows of each class; "balanced" gives all classes the same total weight.

    Attributes
    ----------
    classes_ : array of shape (classes,)
        The classes, in ascending order.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from raddle.lasso import LogisticLasso
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticLasso(alpha=0.02).fit(X, y)
    >>> model.predict(X[:2]), model.coef_.shape
    (array([0, 0]), (3, 4))
    """

    def __init__(
        self,
        alpha=0.01,
        *,
        l1_ratio=1.0,
        fit_intercept=True,
        standardize=False,
        tol=1e-6,
        class_weight=None,
        max_iter=None,
        positive=False,
        bounds=None,
        factors=None,
        groups=None,
        warm_start=False,
        copy_X=True,
        n_jobs=None,
    ):
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.tol = tol
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.positive = positive
        self.bounds = bounds
        self.factors = factors
        self.groups = groups
        self.warm_start = warm_start
        self.copy_X = copy_X
        self.n_jobs = n_jobs
