"""Classifiers whose C is chosen by cross-validation: `LinearSVCCV` and `LogisticRegressionCV`."""

import numbers

import numpy as np

from raddle import _raddle
from raddle._common import number, refuse, whole
from raddle._rows import labels
from raddle.linear._logistic import LogisticRegression
from raddle.linear._svc import LinearSVC


class ChosenC:
    """A classifier whose C is chosen by cross-validation."""

    def _choosing(self, Cs, cv, rule, measure):
        """Keep the parameters of the choice."""
        # They are those of a single fit.
        del self.C, self.warm_start
        self.Cs = Cs
        self.cv = cv
        self.rule = rule
        self.measure = measure

    def fit(self, X, y, sample_weight=None, groups=None):
        """Fit the folds in parallel, then all rows at the C that they choose.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, p)
            The features.
        y : array of shape (n,)
            The classes, of any type.
        sample_weight : array of shape (n,), optional
            Weight of each row, in fits and in measures.
        groups : array of shape (n,), optional
            Group labels: rows with equal labels are held out together.

        Returns
        -------
        self
        """
        found = {}

        def choose(X, rows, asked):
            folds = {
                "folds": whole("cv", self.cv, 2),
                "costs": self._costs(),
                "rule": self.rule,
                "measure": self.measure,
                "seed": asked["seed"],
                "groups": labels("groups", groups, X.shape[0], "rows"),
            }
            found.update(_raddle.cross_validate_linear(X, rows, asked, folds))
            return found

        self._fitted_by(choose, self._loss_name(), X, y, sample_weight)
        self.C_ = self._about["c"]
        self.Cs_, self.mean_path_, self.se_path_ = found["costs"], found["means"], found["errors"]
        self.worst_gap_ = found["worst_gap"]
        return self

    def _start(self, shape, classes):
        return {"dual": None, "weights": None}

    def _costs(self):
        if isinstance(self.Cs, numbers.Integral) and not isinstance(self.Cs, bool):
            return np.logspace(-4, 4, whole("Cs", self.Cs, 1)).tolist()
        costs = [number("Cs", each) for each in np.ravel(self.Cs).tolist()]
        if not costs or not all(0.0 < each < np.inf for each in costs):
            refuse("Cs", self.Cs, "it must be a whole number, or at least one number above 0")
        return costs


class LogisticRegressionCV(ChosenC, LogisticRegression):
    """A `LogisticRegression` whose C is chosen by cross-validation.

    Each fold holds out its part of every class. The other rows are fitted at each C in ascending order, each fit from the
    one before, and measured on the fold; folds are fitted in parallel on the workers. The model is the fit of all rows at
    the chosen C. It takes no warm start and no callback.

    Parameters
    ----------
    Cs : int or list of float, default=10
        Number of values of C from 1e-4 to 1e4, evenly spaced on a logarithmic scale; or the values themselves.
    cv : int, default=5
        Number of folds.
    rule : {"min", "1se"}, default="min"
        Rule for choosing C: the one with the best mean, or the smallest within one standard error of it.
    measure : {"accuracy", "balanced-accuracy", "f1", "auc", "log-loss"}, default="accuracy"
        Measure on held-out rows; "auc" is for two classes.
    multi_class, tol, class_weight, fit_intercept, intercept_scaling, standardize, max_iter, n_jobs
        As in `LogisticRegression`, and so are the attributes.
    verbose : int, default=0
        Accepted without effect, like callbacks of `set_callbacks`: folds are fitted side by side.
    random_state : int, RandomState, Generator or None, default=42
        Seed for assigning rows to folds, or a state to draw it from.

    Attributes
    ----------
    C_ : float
        The chosen C.
    Cs_ : array of shape (m,)
        All values of C, in ascending order.
    mean_path_, se_path_ : arrays of shape (m,)
        Mean of the measure at each C, and its standard error.
    worst_gap_ : float
        Largest relative duality gap of all fits of all folds.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from raddle.linear import LogisticRegressionCV
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegressionCV(Cs=[0.1, 1.0, 10.0], measure="log-loss").fit(X, y)
    >>> model.C_, model.worst_gap_ <= 1e-4
    (10.0, True)
    """

    def __init__(
        self,
        Cs=10,
        *,
        cv=5,
        rule="min",
        measure="accuracy",
        multi_class="multinomial",
        tol=1e-4,
        class_weight=None,
        fit_intercept=True,
        intercept_scaling=None,
        standardize=False,
        random_state=42,
        max_iter=None,
        n_jobs=None,
        verbose=0,
    ):
        super().__init__(
            multi_class=multi_class,
            tol=tol,
            class_weight=class_weight,
            fit_intercept=fit_intercept,
            intercept_scaling=intercept_scaling,
            standardize=standardize,
            random_state=random_state,
            max_iter=max_iter,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self._choosing(Cs, cv, rule, measure)


class LinearSVCCV(ChosenC, LinearSVC):
    """A `LinearSVC` whose C is chosen by cross-validation.

    Parameters and attributes of the choice are those of `LogisticRegressionCV`, but that there are no probabilities to
    measure by "log-loss"; all others are those of `LinearSVC`, but that `verbose` is accepted without effect, like
    callbacks of `set_callbacks`. It takes no warm start and no callback.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from raddle.linear import LinearSVCCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = LinearSVCCV(Cs=[0.01, 0.1, 1.0], measure="auc", standardize=True).fit(X, y)
    >>> model.C_ in model.Cs_, model.worst_gap_ <= 1e-4
    (True, True)
    """

    def __init__(
        self,
        Cs=10,
        *,
        cv=5,
        rule="min",
        measure="accuracy",
        loss="squared_hinge",
        tol=1e-4,
        class_weight=None,
        fit_intercept=True,
        intercept_scaling=1,
        standardize=False,
        random_state=42,
        max_iter=None,
        n_jobs=None,
        verbose=0,
    ):
        super().__init__(
            loss=loss,
            tol=tol,
            class_weight=class_weight,
            fit_intercept=fit_intercept,
            intercept_scaling=intercept_scaling,
            standardize=standardize,
            random_state=random_state,
            max_iter=max_iter,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self._choosing(Cs, cv, rule, measure)
