"""The Lasso and its kin as estimators of scikit-learn."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from os import PathLike
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.model_selection import BaseCrossValidator

from raddle._pages import Reported
from raddle._rows import Prepared

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

Floats = NDArray[np.float64]
Matrix = ArrayLike | sparse.spmatrix | sparse.sparray
# Called with a record after each epoch; False ends the fit.
Callback = Callable[[dict[str, Any]], object] | None

class _Linear(Reported, Prepared, BaseEstimator):
    coef_: Floats
    n_features_in_: int
    n_iter_: int
    relative_gap_: float
    gradient_: float | None
    dual_gap_: float
    dual_: Floats
    report_: dict[str, Any]
    digest_: str
    @property
    def sparse_coef_(self) -> sparse.csr_matrix: ...
    def to_sklearn(self) -> BaseEstimator: ...
    def save(self, path: str | PathLike[str], *, overwrite: bool = False) -> Self: ...

class _Single(_Linear):
    def fit(
        self,
        X: Matrix,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        offset: ArrayLike | None = None,
        callback: Callback = None,
    ) -> Self: ...

class _Chosen(_Linear):
    alpha_: float
    alphas_: Floats
    mean_path_: Floats
    se_path_: Floats
    mse_path_: Floats
    worst_gap_: float
    def fit(
        self,
        X: Matrix,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        offset: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        callback: Callback = None,
    ) -> Self: ...

class _Regression(RegressorMixin):
    intercept_: float
    def predict(self, X: Matrix, offset: ArrayLike | None = None) -> Floats: ...

class _Classification(ClassifierMixin):
    intercept_: Floats
    classes_: NDArray[Any]
    def decision_function(self, X: Matrix, offset: ArrayLike | None = None) -> Floats: ...
    def predict(self, X: Matrix, offset: ArrayLike | None = None) -> NDArray[Any]: ...
    def predict_proba(self, X: Matrix, offset: ArrayLike | None = None) -> Floats: ...
    def predict_log_proba(self, X: Matrix, offset: ArrayLike | None = None) -> Floats: ...

class Lasso(_Regression, _Single):
    def __init__(
        self,
        alpha: float = 1.0,
        *,
        fit_intercept: bool = True,
        standardize: bool = False,
        tol: float = 1e-6,
        max_iter: int | None = None,
        positive: bool = False,
        bounds: ArrayLike | None = None,
        factors: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        warm_start: bool = False,
        copy_X: bool = True,
        n_jobs: int | None = None,
    ) -> None: ...

class ElasticNet(_Regression, _Single):
    def __init__(
        self,
        alpha: float = 1.0,
        *,
        l1_ratio: float = 0.5,
        fit_intercept: bool = True,
        standardize: bool = False,
        tol: float = 1e-6,
        max_iter: int | None = None,
        positive: bool = False,
        bounds: ArrayLike | None = None,
        factors: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        warm_start: bool = False,
        copy_X: bool = True,
        n_jobs: int | None = None,
    ) -> None: ...

class LogisticLasso(_Classification, _Single):
    def __init__(
        self,
        alpha: float = 0.01,
        *,
        l1_ratio: float = 1.0,
        fit_intercept: bool = True,
        standardize: bool = False,
        tol: float = 1e-6,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        max_iter: int | None = None,
        positive: bool = False,
        bounds: ArrayLike | None = None,
        factors: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        warm_start: bool = False,
        copy_X: bool = True,
        n_jobs: int | None = None,
    ) -> None: ...

class PoissonLasso(_Regression, _Single):
    def __init__(
        self,
        alpha: float = 1.0,
        *,
        l1_ratio: float = 1.0,
        fit_intercept: bool = True,
        standardize: bool = False,
        tol: float = 1e-6,
        max_iter: int | None = None,
        positive: bool = False,
        bounds: ArrayLike | None = None,
        factors: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        warm_start: bool = False,
        copy_X: bool = True,
        n_jobs: int | None = None,
    ) -> None: ...

class LassoCV(_Regression, _Chosen):
    def __init__(
        self,
        *,
        alphas: int | ArrayLike = 100,
        eps: float = 1e-3,
        cv: int | BaseCrossValidator | Iterable[tuple[ArrayLike, ArrayLike]] | None = 5,
        rule: Literal["min", "1se"] = "min",
        measure: Literal["deviance", "mse", "mae", "auc", "accuracy"] = "deviance",
        random_state: int | np.random.RandomState | np.random.Generator | None = 42,
        fit_intercept: bool = True,
        standardize: bool = False,
        tol: float = 1e-6,
        max_iter: int | None = None,
        positive: bool = False,
        bounds: ArrayLike | None = None,
        factors: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        warm_start: bool = False,
        copy_X: bool = True,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None: ...

class ElasticNetCV(_Regression, _Chosen):
    l1_ratio_: float
    def __init__(
        self,
        *,
        l1_ratio: float | list[float] = 0.5,
        alphas: int | ArrayLike = 100,
        eps: float = 1e-3,
        cv: int | BaseCrossValidator | Iterable[tuple[ArrayLike, ArrayLike]] | None = 5,
        rule: Literal["min", "1se"] = "min",
        measure: Literal["deviance", "mse", "mae", "auc", "accuracy"] = "deviance",
        random_state: int | np.random.RandomState | np.random.Generator | None = 42,
        fit_intercept: bool = True,
        standardize: bool = False,
        tol: float = 1e-6,
        max_iter: int | None = None,
        positive: bool = False,
        bounds: ArrayLike | None = None,
        factors: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        warm_start: bool = False,
        copy_X: bool = True,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None: ...

class LogisticLassoCV(_Classification, _Chosen):
    l1_ratio_: float
    def __init__(
        self,
        *,
        l1_ratio: float | list[float] = 1.0,
        alphas: int | ArrayLike = 100,
        eps: float = 1e-3,
        cv: int | BaseCrossValidator | Iterable[tuple[ArrayLike, ArrayLike]] | None = 5,
        rule: Literal["min", "1se"] = "min",
        measure: Literal["deviance", "mse", "mae", "auc", "accuracy"] = "deviance",
        random_state: int | np.random.RandomState | np.random.Generator | None = 42,
        fit_intercept: bool = True,
        standardize: bool = False,
        tol: float = 1e-6,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        max_iter: int | None = None,
        positive: bool = False,
        bounds: ArrayLike | None = None,
        factors: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        warm_start: bool = False,
        copy_X: bool = True,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None: ...

class PoissonLassoCV(_Regression, _Chosen):
    l1_ratio_: float
    def __init__(
        self,
        *,
        l1_ratio: float | list[float] = 1.0,
        alphas: int | ArrayLike = 100,
        eps: float = 1e-3,
        cv: int | BaseCrossValidator | Iterable[tuple[ArrayLike, ArrayLike]] | None = 5,
        rule: Literal["min", "1se"] = "min",
        measure: Literal["deviance", "mse", "mae", "auc", "accuracy"] = "deviance",
        random_state: int | np.random.RandomState | np.random.Generator | None = 42,
        fit_intercept: bool = True,
        standardize: bool = False,
        tol: float = 1e-6,
        max_iter: int | None = None,
        positive: bool = False,
        bounds: ArrayLike | None = None,
        factors: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        warm_start: bool = False,
        copy_X: bool = True,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None: ...

class LassoPath:
    alphas: Floats
    coefs: Floats
    intercepts: Floats
    relative_gaps: Floats
    classes: NDArray[Any] | None
    digest: str
    report: dict[str, Any]
    def __iter__(self) -> Iterator[Floats]: ...

def lasso_path(
    X: Matrix,
    y: ArrayLike,
    *,
    loss: Literal["squared", "logistic", "poisson"] = "squared",
    l1_ratio: float = 1.0,
    alphas: int | ArrayLike = 100,
    eps: float = 1e-3,
    sample_weight: ArrayLike | None = None,
    offset: ArrayLike | None = None,
    callback: Callback = None,
    **params: Any,
) -> LassoPath: ...
