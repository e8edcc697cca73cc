"""Regressions: `Lasso`, `ElasticNet`, `PoissonLasso`."""

import numpy as np
from sklearn.base import RegressorMixin, clone

from raddle.lasso._linear import Linear
from raddle.lasso._sklearn import Exported


class Regression(Exported, RegressorMixin, Linear):
    """A linear regression."""

    def fit(self, X, y, sample_weight=None, offset=None, callback=None):
        """Fit the model.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, p)
            The features.
        y : array of shape (n,), or (n, targets) for squared error
            The response. Several are fitted one by one: attributes then have a row or a value for each, and the model is
            not saved.
        sample_weight : array of shape (n,), optional
            Weight of each row, on any scale.
        offset : array of shape (n,), optional
            Offset added to the score of each row.
        callback : callable, optional
            Called with a record, a dict, after each epoch. The fit ends there if it returns a false value other
            than None.

        Returns
        -------
        self
        """
        targets = np.asarray(y)
        if self._loss == "squared" and targets.ndim == 2 and targets.shape[1] > 1:
            return self._fit_each(X, targets, sample_weight, offset, callback)
        return self._fit(X, y, sample_weight, offset, callback)

    def _fit_each(self, X, y, sample_weight, offset, callback):
        """Fit each target by itself."""
        fits = [clone(self)._fit(X, target, sample_weight, offset, callback) for target in y.T]
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(fits[0], name):
                setattr(self, name, getattr(fits[0], name))
        names = ("coef_", "intercept_", "n_iter_", "relative_gap_", "dual_gap_", "dual_")
        for name in names:
            setattr(self, name, np.array([getattr(fit, name) for fit in fits]))
        # Those of an earlier fit of one target.
        for name in ("_exact", "gradient_"):
            self.__dict__.pop(name, None)
        self.report_, self.digest_, self._about = fits[-1].report_, [fit.digest_ for fit in fits], {}
        return self

    def _init(self, columns):
        # Coefficients of several targets are no start for one.
        return None if np.ndim(getattr(self, "coef_", ())) > 1 else super()._init(columns)

    def predict(self, X, offset=None):
        """Predict the response of rows.

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
        return self._scores(X, offset)


class ElasticNet(Regression):
    """Linear regression with the penalty of an elastic net.

    Minimises ``1/(2n) |y - X b - b_0|^2 + alpha * (l1_ratio * |b|_1 + (1 - l1_ratio) / 2 * |b|^2)``.

    Parameters
    ----------
    alpha : float, default=1.0
        Weight of the penalty; 0 for least squares.
    l1_ratio : float, default=0.5
        Share of the l1 norm, from 0, for ridge regression, to 1. Without an l1 norm or a penalty there are no factors,
        bounds and groups.
    fit_intercept : bool, default=True
        Whether to fit an intercept.
    standardize : bool, default=False
        Whether to divide each column by its standard deviation before the fit; coefficients are reported for the
        original columns.
    tol : float, default=1e-6
        Relative duality gap at which the fit ends.
    max_iter : int, default=None
        Limit on the number of epochs.
    positive : bool, default=False
        Whether to restrict coefficients to 0 and above.
    bounds : array of shape (2,) or (p, 2), default=None
        Lower bound of at most 0 and upper bound of at least 0, for all coefficients or for each.
    factors : array of shape (p,), default=None
        Factor of the penalty of each column; 0 for no penalty.
    groups : array of shape (p,), default=None
        Group labels: columns with equal labels are selected together (group Lasso).
    warm_start : bool, default=False
        Whether to start from the coefficients of the previous fit.
    copy_X : bool, default=True
        Accepted without effect, as X is never written to.
    n_jobs : int, default=None
        Number of workers, -1 for all cores, which never changes the model.

    Attributes
    ----------
    coef_ : array of shape (p,)
        The coefficients; `sparse_coef_` has them as a sparse matrix.
    intercept_ : float
        The intercept.
    n_iter_ : int
        Number of epochs.
    relative_gap_ : float
        Relative duality gap (P - D) / P, which bounds the distance of the objective P from its minimum.
    dual_gap_ : float
        The gap itself, P - D, in units of the objective.
    dual_ : array of shape (n,)
        Dual point that proves the gap.
    gradient_ : float or None
        For an alpha of 0, the largest derivative of the mean loss by a coefficient: the dual point is as exact as it is
        near 0.
    report_ : dict
        Report of the run, with counts and seconds.
    digest_ : str
        SHA-256 of the model, as the program `lasso` prints it.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from raddle.lasso import ElasticNet
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = ElasticNet(alpha=0.1, l1_ratio=0.9).fit(X, y)
    >>> model.relative_gap_ <= 1e-6
    True
    """

    def __init__(
        self,
        alpha=1.0,
        *,
        l1_ratio=0.5,
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
    ):
        self.alpha = alpha
        self.l1_ratio = l1_ratio
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


class Lasso(Regression):
    """Linear regression with an l1 penalty.

    Minimises ``1/(2n) |y - X b - b_0|^2 + alpha * |b|_1``. Parameters and attributes are those of `ElasticNet`, except
    `l1_ratio`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from raddle.lasso import Lasso
    >>> X, y = load_diabetes(return_X_y=True)
    >>> Lasso(alpha=1.0).fit(X, y).coef_.round(1)
    array([  0. ,   0. , 367.7,   6.3,   0. ,   0. ,   0. ,   0. , 307.6,
             0. ])
    """

    def __init__(
        self,
        alpha=1.0,
        *,
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
    ):
        self.alpha = alpha
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


class Poisson(Regression):
    """A regression for counts, whose means are the exponentials of scores."""

    _loss = "poisson"

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        return tags

    def predict(self, X, offset=None):
        """Predict the mean counts of rows, ``exp(X b + b_0 + offset)``.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, p)
            The features.
        offset : array of shape (n,), optional
            Offset added to the score of each row, such as the logarithm of an exposure.

        Returns
        -------
        array of shape (n,)
        """
        return np.exp(self._scores(X, offset))

    def score(self, X, y, sample_weight=None, offset=None):
        """Return D^2, the fraction of the Poisson deviance that the model explains.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, p)
            The features.
        y : array of shape (n,)
            The counts.
        sample_weight, offset : array of shape (n,), optional
            As in `fit`.

        Returns
        -------
        float
        """
        from sklearn.metrics import d2_tweedie_score

        return d2_tweedie_score(y, self.predict(X, offset), sample_weight=sample_weight, power=1)


class PoissonLasso(Poisson):
    """Poisson regression with an l1 penalty, for counts.

    Minimises ``1/n sum (y log(y / m) - (y - m)) + alpha * |b|_1`` with the means ``m = exp(X b + b_0 + offset)``, or
    with the penalty of an elastic net if `l1_ratio` is below 1. Other parameters and the attributes are those of
    `ElasticNet`.

    Examples
    --------
    >>> import numpy as np
    >>> from raddle.lasso import PoissonLasso
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> PoissonLasso(alpha=0.01).fit(X, [1, 2, 4, 9]).predict(X).round(1)
    array([0.9, 2. , 4.2, 8.9])
    """

    def __init__(
        self,
        alpha=1.0,
        *,
        l1_ratio=1.0,
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
    ):
        self.alpha = alpha
        self.l1_ratio = l1_ratio
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
