"""`lasso_path`: fits many alphas, each with a certificate."""

import numbers
import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from raddle import _raddle
from raddle._rows import named
from raddle.lasso import _given
from raddle.lasso._classification import LogisticLasso
from raddle.lasso._linear import coefficients
from raddle.lasso._regression import ElasticNet, PoissonLasso

_ESTIMATORS = {"squared": ElasticNet, "logistic": LogisticLasso, "poisson": PoissonLasso}


@dataclass(frozen=True, eq=False)
class LassoPath:
    """Coefficients at many alphas; unpacks as ``alphas, coefs, relative_gaps``.

    Attributes
    ----------
    alphas : array of shape (m,)
        The alphas, in descending order.
    coefs : array of shape (p, m), or (classes, p, m) for more than two classes
        The coefficients.
    intercepts : array of shape (m,), or (classes, m)
        The intercepts.
    relative_gaps : array of shape (m,)
        Relative duality gap of each point.
    classes : array or None
        The classes of a logistic path.
    digest : str
        SHA-256 of the models, as the program `lasso` prints it.
    report : dict
        Report of the run, with counts and seconds.
    """

    alphas: np.ndarray
    coefs: np.ndarray
    intercepts: np.ndarray
    relative_gaps: np.ndarray
    classes: np.ndarray | None
    digest: str
    report: dict

    def __iter__(self):
        return iter((self.alphas, self.coefs, self.relative_gaps))


def lasso_path(
    X,
    y,
    *,
    loss="squared",
    l1_ratio=1.0,
    alphas=100,
    eps=1e-3,
    sample_weight=None,
    offset=None,
    callback=None,
    **params,
):
    """Fit the model at many alphas, descending from the smallest for which all coefficients are 0.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, p)
        The features.
    y : array of shape (n,)
        The response.
    loss : {"squared", "logistic", "poisson"}, default="squared"
        The loss of `ElasticNet`, `LogisticLasso` or `PoissonLasso`.
    l1_ratio : float, default=1.0
        Share of the l1 norm.
    alphas : int or list of float, default=100
        Number of alphas, evenly spaced on a logarithmic scale; or the alphas themselves, in any order.
    eps : float, default=1e-3
        Ratio of the last alpha to the first, if `alphas` is a number.
    sample_weight, offset : array of shape (n,), optional
        Weight of each row, and offset added to its score.
    callback : callable, optional
        Called with a record, a dict, after each epoch. The path ends there if it returns a false value other than
        None.
    **params
        Further parameters of the estimator, such as `standardize` and `n_jobs`. `max_iter` limits the epochs of each
        alpha; one that is not certified by then is left as it is, with a warning.

    Returns
    -------
    LassoPath

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from raddle.lasso import lasso_path
    >>> X, y = load_diabetes(return_X_y=True)
    >>> alphas, coefs, gaps = lasso_path(X, y, alphas=20)
    >>> coefs.shape, bool(gaps.max() <= 1e-6)
    ((10, 20), True)
    """
    if loss not in _ESTIMATORS:
        _given.refuse("loss", loss, f"it must be one of {', '.join(_ESTIMATORS)}")
    estimator = _ESTIMATORS[loss](l1_ratio=l1_ratio, **params)
    X, y = estimator._validated(X, y)
    rows = estimator._rows(y, sample_weight, offset)
    asked = {**estimator._asked(X), **grid(alphas, eps)}
    result = named(X, lambda: _raddle.fit_lasso(X, rows, asked, callback))
    points = result["points"]
    warn_of_points(max((point["gap"] for point in points), default=0.0), estimator.tol, stacklevel=2)
    several = len(result["intercepts"])
    coefs = np.zeros((several, X.shape[1], len(points)))
    intercepts = np.zeros((several, len(points)))
    for at, point in enumerate(points):
        coefs[:, :, at] = coefficients(point, several, X.shape[1])
        intercepts[:, at] = point["intercepts"]
    return LassoPath(
        alphas=np.array([point["alpha"] for point in points]),
        coefs=coefs if several > 1 else coefs[0],
        intercepts=intercepts if several > 1 else intercepts[0],
        relative_gaps=np.array([point["gap"] for point in points]),
        classes=getattr(estimator, "classes_", None),
        digest=result["digest"],
        report=result["report"],
    )


def warn_of_points(gap, tol, stacklevel):
    """Warn if a point of a path is not certified to the tolerance."""
    if gap > tol:
        warnings.warn(
            f"the largest relative duality gap of the alphas is {gap:.2e} and was to be {tol:.2e}: raise max_iter or tol, "
            "or leave out small alphas",
            ConvergenceWarning,
            stacklevel=stacklevel + 1,
        )


def grid(alphas, eps):
    """Return the number of alphas and the ratio of the first to the last, or the given alphas."""
    eps = _given.number("eps", eps)
    if not 0.0 < eps <= 1.0:
        _given.refuse("eps", eps, "it must be above 0 and at most 1")
    if alphas is None or isinstance(alphas, (numbers.Number, np.bool_)):
        return {"path": (100 if alphas is None else _given.whole("alphas", alphas, 1), 1.0 / eps), "alphas": None}
    given = np.asarray(alphas)
    if given.ndim != 1 or not given.size or given.dtype.kind not in "iuf":
        _given.refuse("alphas", alphas, "it must be a number of alphas, or a list of them")
    given = given.astype(np.float64)
    wrong = np.flatnonzero(~(np.isfinite(given) & (given > 0.0)))
    if wrong.size:
        at = int(wrong[0])
        _given.refuse("alphas", alphas, f"alphas[{at}] == {given[at]:g}, must be >= 0.0, and here above 0 and finite")
    return {"path": (len(given), 1.0), "alphas": np.ascontiguousarray(np.sort(given)[::-1])}
