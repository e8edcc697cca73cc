"""The Lasso and related models as estimators of scikit-learn.

Each minimises ``loss + alpha * (l1_ratio * |b|_1 + (1 - l1_ratio) / 2 * |b|^2)`` and ends when the relative duality
gap, which bounds the distance of the objective from its minimum, is at most `tol`. The loss is a mean over rows:

============================== =====================================================
`Lasso`, `ElasticNet`          half the squared error, as in scikit-learn
`LogisticLasso`                the log loss of two classes, or of more (multinomial)
`PoissonLasso`                 half the Poisson deviance of counts, with a log link
============================== =====================================================

Each has a variant that chooses `alpha` by cross-validation: `LassoCV` and so on. `lasso_path` fits many alphas.

Columns may have penalty factors, bounds and groups; rows may have weights and offsets; X may be dense or sparse.
`n_jobs` is the number of workers and never changes the model.
"""

from raddle._common import requires_sklearn as _requires_sklearn

_requires_sklearn("raddle.lasso")

from raddle.lasso._classification import LogisticLasso
from raddle.lasso._cv import ElasticNetCV, LassoCV, LogisticLassoCV, PoissonLassoCV
from raddle.lasso._path import LassoPath, lasso_path
from raddle.lasso._regression import ElasticNet, Lasso, PoissonLasso
from raddle.lasso._saved import load as load

__all__ = [
    "ElasticNet",
    "ElasticNetCV",
    "Lasso",
    "LassoCV",
    "LassoPath",
    "LogisticLasso",
    "LogisticLassoCV",
    "PoissonLasso",
    "PoissonLassoCV",
    "lasso_path",
]
