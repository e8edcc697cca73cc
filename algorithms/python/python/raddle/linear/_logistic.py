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
    penalty : {"l2", "l1", "elasticnet"}, default="deprecated"
        The penalty by name, as before scikit-learn 1.8; the default leaves it to `l1_ratio`.
    l1_ratio : float, default=0.0
        Share of the L1 norm in the penalty: ``(1 - l1_ratio) |w|^2 / 2 + l1_ratio |w|_1``. With one above 0 the fit is that
        of `raddle.lasso.LogisticLasso`, as which `save` writes it, with an intercept without penalty whatever
        `intercept_scaling` is.
    solver : str, default="lbfgs"
        A solver of scikit-learn, without effect, but that "liblinear" penalises the intercept as it does there, with
        `intercept_scaling` 1 if none is given, and refuses more than two classes.
    dual : bool, default=False
        Accepted without effect, with "liblinear" alone as in scikit-learn.
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
        penalty="deprecated",
        l1_ratio=0.0,
        solver="lbfgs",
        dual=False,
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
        self.penalty = penalty
        self.l1_ratio = l1_ratio
        self.solver = solver
        self.dual = dual
        self.multi_class = multi_class

    def _fitted_elsewhere(self, loss, X, y, sample_weight, callback):
        from raddle.linear import _sparse

        share = _sparse.l1_share(self)
        if self.solver == "liblinear" and loss == "multinomial" and len(np.unique(y)) > 2:
            cure = "give multi_class='ovr', or another solver"
            raise ValueError(f"The 'liblinear' solver does not support multiclass classification: {cure}")
        return _sparse.fit(self, share, X, y, sample_weight, callback) if share > 0.0 else None

    def _start(self, shape, classes):
        # Dual values of another penalty are none of this one.
        is_other = self.__dict__.pop("_lasso", None) is not None
        return {"dual": None, "weights": None} if is_other else super()._start(shape, classes)

    def _scaling(self):
        is_penalised = self.intercept_scaling is None and self.solver == "liblinear"
        return 1.0 if is_penalised else self.intercept_scaling

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
