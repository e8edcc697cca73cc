"""`lasso_path`: many alphas, each certified."""

from dataclasses import dataclass

import numpy as np

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
        The alphas, falling.
    coefs : array of shape (p, m), or (classes, p, m) where there are more than two
        The coefficients.
    intercepts : array of shape (m,), or (classes, m)
        The intercepts.
    relative_gaps : array of shape (m,)
        The relative duality gap of each.
    classes : array or None
        The classes of a logistic path.
    digest : str
        SHA-256 of the models, as the program `lasso` prints it.
    report : dict
        Counts and seconds of the run.
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
    """Fit the model at many alphas, from the smallest without coefficients down.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, p)
        The columns.
    y : array of shape (n,)
        The response.
    loss : {"squared", "logistic", "poisson"}, default="squared"
        That of `ElasticNet`, `LogisticLasso` or `PoissonLasso`.
    l1_ratio : float, default=1.0
        The share of the l1 norm.
    alphas : int, default=100
        Number of alphas, evenly spaced in their logarithm.
    eps : float, default=1e-3
        The last alpha over the first.
    sample_weight, offset : array of shape (n,), optional
        How much each row counts, and what is added to its score.
    callback : callable, optional
        Called with a record, a dict, after each epoch. If it returns False, the path ends there.
    **params
        Further parameters of the estimator, such as `standardize` and `n_jobs`.

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
    asked = {**estimator._asked(X), "path": grid(alphas, eps)}
    result = named(X, lambda: _raddle.fit_lasso(X, rows, asked, callback))
    points = result["points"]
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


def grid(alphas, eps):
    """Return the number of alphas and the ratio of the first to the last."""
    alphas, eps = _given.whole("alphas", alphas, 1), _given.number("eps", eps)
    if not 0.0 < eps <= 1.0:
        _given.refuse("eps", eps, "it must be above 0 and at most 1")
    return alphas, 1.0 / eps
