"""Estimators that choose alpha by cross-validation."""

import numbers
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from raddle import _raddle
from raddle._observed import observed
from raddle._rows import labels, named
from raddle.lasso import _given
from raddle.lasso._classification import Classification
from raddle.lasso._path import grid, warn_of_points
from raddle.lasso._regression import Poisson, Regression


class CrossValidated:
    """The base of the estimators with cross-validation."""

    def fit(self, X, y, sample_weight=None, offset=None, groups=None, callback=None):
        """Fit the folds in parallel, then all rows at the alpha that they choose.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, p)
            The features.
        y : array of shape (n,)
            The response.
        sample_weight : array of shape (n,), optional
            Weight of each row, in fits and in means over held-out rows; on any scale.
        offset : array of shape (n,), optional
            Offset added to the score of each row.
        groups : array of shape (n,), optional
            Group labels: rows with equal labels are held out together. They are passed to a splitter.
        callback : callable, optional
            Called with a record, a dict, after each epoch of each fit. All fits end there if it returns a false value
            other than None; if that is before the last fold has ended, nothing is chosen.

        Returns
        -------
        self
        """
        X, y = self._validated(X, y)
        rows = self._rows(y, sample_weight, offset)
        asked = self._asked(X)
        folds = self._folds(X, y, groups)
        with observed(self, X, y, callback) as callback:
            result = named(X, lambda: _raddle.cross_validate_lasso(X, rows, asked, folds, callback))
        if result is None:
            warnings.warn(
                "the callback ended the fit amid the folds: no alpha is chosen, and the estimator has no new model",
                ConvergenceWarning,
                stacklevel=2,
            )
            return self
        self._keep_choice(result)
        warn_of_points(self.worst_gap_, self.tol, stacklevel=2)
        return self._keep(result, X)

    def _asked(self, X):
        return _given.asked(self, self._fitted_loss(), X.shape[1], self._init(X.shape[1]))

    def _l1_ratios(self):
        ratio = getattr(self, "l1_ratio", 1.0)
        ratios = [ratio] if isinstance(ratio, numbers.Real) else list(ratio)
        if not ratios:
            _given.refuse("l1_ratio", ratio, "it must be a number, or several")
        return [_given.number("l1_ratio", ratio) for ratio in ratios]

    def _folds(self, X, y, groups):
        cv = 5 if self.cv is None else self.cv
        is_number = isinstance(cv, numbers.Number)
        return {
            "folds": _given.whole("cv", cv, 2) if is_number else 0,
            **grid(self.alphas, self.eps),
            # A splitter draws by a state of its own.
            "seed": _given.seed(self.random_state) if is_number else 0,
            "rule": self.rule,
            "measure": self.measure,
            "l1_ratios": self._l1_ratios(),
            "groups": labels("groups", groups, X.shape[0], "rows") if is_number else None,
            "splits": None if is_number else _splits(cv, X, y, groups),
        }

    def _keep_choice(self, result):
        one = len(result["alphas"]) == 1
        of = (lambda name: result[name][0]) if one else (lambda name: np.array(result[name]))
        self.alpha_ = result["alpha"]
        self.alphas_ = of("alphas")
        self.mean_path_ = of("means")
        self.se_path_ = of("errors")
        if self._loss == "squared" and self.measure in ("deviance", "mse"):
            paths = [np.array(folds).T for folds in result["scores"]]
            self.mse_path_ = paths[0] if one else np.array(paths)
        self.worst_gap_ = result["worst_gap"]
        if hasattr(self, "l1_ratio"):
            self.l1_ratio_ = result["l1_ratio"]
        result["report"]["folds"] = result["folds"]


def _splits(cv, X, y, groups):
    """Return the training and test rows of each split of a splitter, or of an iterable of pairs."""
    from sklearn.model_selection import check_cv

    return [(_rows(train), _rows(test)) for train, test in check_cv(cv).split(X, y, groups)]


def _rows(named):
    named = np.asarray(named)
    if named.dtype == bool:
        named = np.flatnonzero(named)
    if named.ndim != 1 or (named.size and named.dtype.kind not in "iu"):
        raise ValueError("cv names rows by something else than whole numbers or a mask")
    if (named < 0).any():
        raise ValueError(f"cv names row {named.min()}: rows are counted from 0")
    return named.astype(np.uint64)


class LassoCV(CrossValidated, Regression):
    """A `Lasso` whose alpha is chosen by cross-validation.

    For each fold a path of alphas is fitted to the other rows and measured on the held-out ones. The alphas are the
    same in all folds; they descend from the smallest for which all coefficients are 0. Folds are fitted in parallel.

    Parameters
    ----------
    alphas : int or list of float, default=100
        Number of alphas, evenly spaced on a logarithmic scale; or the alphas themselves, in any order.
    eps : float, default=1e-3
        Ratio of the last alpha to the first, if `alphas` is a number.
    cv : int, splitter or iterable of (train, test), default=5
        Number of folds; or a splitter, such as `sklearn.model_selection.TimeSeriesSplit`, whose training and test rows
        need not be all rows; or the rows themselves.
    rule : {"min", "1se"}, default="min"
        Rule for choosing alpha: the one with the best mean, or the largest within one standard error of it.
    measure : {"deviance", "mse", "mae", "auc", "accuracy"}, default="deviance"
        Measure on held-out rows; the last two are for classes.
    random_state : int, RandomState, Generator or None, default=42
        Seed for assigning rows to folds, if `cv` is a number; or a state to draw it from. None draws another seed each
        time.
    max_iter : int, optional
        Limit on the epochs of an alpha; epochs that earlier alphas did not use are added. A fit that is not certified
        by then is used as it is, with a warning.
    fit_intercept, standardize, tol, positive, bounds, factors, groups, warm_start, copy_X, n_jobs
        As in `ElasticNet`.
    verbose : int, default=0
        Whether to print a line per epoch.

    Attributes
    ----------
    alpha_ : float
        The chosen alpha.
    alphas_ : array of shape (m,)
        All alphas, in descending order; with several l1 ratios, one row for each.
    mean_path_, se_path_ : arrays of the same shape
        Mean of the measure at each alpha, and its standard error.
    mse_path_ : array of shape (m, folds), or (l1 ratios, m, folds)
        Mean squared error of each fold at each alpha, for regressions measured by it.
    worst_gap_ : float
        Largest relative duality gap of all points of all folds.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from raddle.lasso import LassoCV
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = LassoCV(rule="1se").fit(X, y)
    >>> model.worst_gap_ <= 1e-6, model.mean_path_.shape
    (True, (100,))
    """

    def __init__(
        self,
        *,
        alphas=100,
        eps=1e-3,
        cv=5,
        rule="min",
        measure="deviance",
        random_state=42,
        fit_intercept=True,
        standardize=False,
        tol=1e-6,
        max_iter=None,
        positive=False,
        bounds=None,
        factors=None,
        groups=None,
        warm_start=False,
        copy_X=True,
        n_jobs=None,
        verbose=0,
    ):
        self.alphas = alphas
        self.eps = eps
        self.cv = cv
        self.rule = rule
        self.measure = measure
        self.random_state = random_state
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.tol = tol
        self.max_iter = max_iter
        self.positive = positive
        self.bounds = bounds
        self.factors = factors
        self.groups = groups
        self.warm_start = warm_start
        self.copy_X = copy_X
        self.n_jobs = n_jobs
        self.verbose = verbose


class ElasticNetCV(CrossValidated, Regression):
    """An `ElasticNet` whose alpha, and l1 ratio, are chosen by cross-validation.

    With several l1 ratios, the one with the best mean is chosen, then alpha on its path. Other parameters and the
    attributes are those of `LassoCV`.

    Parameters
    ----------
    l1_ratio : float or list of float, default=0.5
        Share of the l1 norm, or several shares to choose from.

    Attributes
    ----------
    l1_ratio_ : float
        The chosen l1 ratio.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from raddle.lasso import ElasticNetCV
    >>> X, y = load_diabetes(return_X_y=True)
    >>> ElasticNetCV(l1_ratio=[0.5, 1.0], alphas=20).fit(X, y).l1_ratio_
    1.0
    """

    def __init__(
        self,
        *,
        l1_ratio=0.5,
        alphas=100,
        eps=1e-3,
        cv=5,
        rule="min",
        measure="deviance",
        random_state=42,
        fit_intercept=True,
        standardize=False,
        tol=1e-6,
        max_iter=None,
        positive=False,
        bounds=None,
        factors=None,
        groups=None,
        warm_start=False,
        copy_X=True,
        n_jobs=None,
        verbose=0,
    ):
        self.l1_ratio = l1_ratio
        self.alphas = alphas
        self.eps = eps
        self.cv = cv
        self.rule = rule
        self.measure = measure
        self.random_state = random_state
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.tol = tol
        self.max_iter = max_iter
        self.positive = positive
        self.bounds = bounds
        self.factors = factors
        self.groups = groups
        self.warm_start = warm_start
        self.copy_X = copy_X
        self.n_jobs = n_jobs
        self.verbose = verbose


class LogisticLassoCV(CrossValidated, Classification):
    """A `LogisticLasso` whose alpha is chosen by cross-validation.

    Folds are stratified by class. Parameters and attributes are those of `ElasticNetCV`, but `l1_ratio` is 1 by
    default, and `class_weight` is that of `LogisticLasso`, in fits and in means over held-out rows.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from raddle.lasso import LogisticLassoCV
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticLassoCV(alphas=20, measure="accuracy").fit(X, y)
    >>> bool(model.mean_path_.max() > 0.9)
    True
    """

    def __init__(
        self,
        *,
        l1_ratio=1.0,
        alphas=100,
        eps=1e-3,
        cv=5,
        rule="min",
        measure="deviance",
        random_state=42,
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
        verbose=0,
    ):
        self.l1_ratio = l1_ratio
        self.alphas = alphas
        self.eps = eps
        self.cv = cv
        self.rule = rule
        self.measure = measure
        self.random_state = random_state
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
        self.verbose = verbose


class PoissonLassoCV(CrossValidated, Poisson):
    """A `PoissonLasso` whose alpha is chosen by cross-validation.

    Parameters and attributes are those of `ElasticNetCV`, but `l1_ratio` is 1 by default.

    Examples
    --------
    >>> import numpy as np
    >>> from raddle.lasso import PoissonLassoCV
    >>> X = np.random.default_rng(0).normal(size=(100, 5))
    >>> y = np.random.default_rng(1).poisson(np.exp(X[:, 0]))
    >>> bool(PoissonLassoCV(alphas=20).fit(X, y).coef_[0] > 0.5)
    True
    """

    def __init__(
        self,
        *,
        l1_ratio=1.0,
        alphas=100,
        eps=1e-3,
        cv=5,
        rule="min",
        measure="deviance",
        random_state=42,
        fit_intercept=True,
        standardize=False,
        tol=1e-6,
        max_iter=None,
        positive=False,
        bounds=None,
        factors=None,
        groups=None,
        warm_start=False,
        copy_X=True,
        n_jobs=None,
        verbose=0,
    ):
        self.l1_ratio = l1_ratio
        self.alphas = alphas
        self.eps = eps
        self.cv = cv
        self.rule = rule
        self.measure = measure
        self.random_state = random_state
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.tol = tol
        self.max_iter = max_iter
        self.positive = positive
        self.bounds = bounds
        self.factors = factors
        self.groups = groups
        self.warm_start = warm_start
        self.copy_X = copy_X
        self.n_jobs = n_jobs
        self.verbose = verbose
