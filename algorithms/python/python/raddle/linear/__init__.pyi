"""Linear classifiers with a certificate, as estimators of scikit-learn."""

from collections.abc import Callable, Mapping
from os import PathLike
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin

from raddle._pages import Reported
from raddle._rows import Prepared

__all__ = ["LinearSVC", "LinearSVCCV", "LogisticRegression", "LogisticRegressionCV"]

Floats = NDArray[np.float64]
Matrix = ArrayLike | sparse.spmatrix | sparse.sparray
# Called with a record after each epoch; False ends the fit.
Callback = Callable[[dict[str, Any]], object] | None

class _Classifier(Reported, Prepared, ClassifierMixin, BaseEstimator):
    coef_: Floats
    intercept_: Floats
    classes_: NDArray[Any]
    n_features_in_: int
    n_iter_: int | NDArray[np.int32]
    relative_gap_: float
    relative_gaps_: Floats
    dual_: Floats
    report_: dict[str, Any]
    digest_: str
    def fit(
        self, X: Matrix, y: ArrayLike, sample_weight: ArrayLike | None = None, callback: Callback = None
    ) -> Self: ...
    def sparsify(self) -> Self: ...
    def densify(self) -> Self: ...
    def decision_function(self, X: Matrix) -> Floats: ...
    def predict(self, X: Matrix) -> NDArray[Any]: ...
    def to_sklearn(self) -> BaseEstimator: ...
    def save(self, path: str | PathLike[str], *, overwrite: bool = False) -> Self: ...

class LinearSVC(_Classifier):
    def __init__(
        self,
        C: float = 1.0,
        *,
        loss: Literal["squared_hinge", "hinge"] = "squared_hinge",
        dual: bool | Literal["auto"] = "auto",
        tol: float = 1e-4,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        fit_intercept: bool = True,
        intercept_scaling: float | None = 1,
        standardize: bool = False,
        random_state: int | np.random.RandomState | np.random.Generator | None = 42,
        max_iter: int | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None: ...

class LogisticRegression(_Classifier):
    def __init__(
        self,
        C: float = 1.0,
        *,
        penalty: Literal["l2", "l1", "elasticnet", "deprecated"] = "deprecated",
        l1_ratio: float = 0.0,
        solver: str = "lbfgs",
        dual: bool = False,
        multi_class: Literal["multinomial", "ovr"] = "multinomial",
        tol: float = 1e-4,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        fit_intercept: bool = True,
        intercept_scaling: float | None = None,
        standardize: bool = False,
        random_state: int | np.random.RandomState | np.random.Generator | None = 42,
        max_iter: int | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None: ...
    def predict_proba(self, X: Matrix) -> Floats: ...
    def predict_log_proba(self, X: Matrix) -> Floats: ...

class _ChosenC:
    C_: float
    Cs_: Floats
    mean_path_: Floats
    se_path_: Floats
    worst_gap_: float
    def fit(
        self, X: Matrix, y: ArrayLike, sample_weight: ArrayLike | None = None, groups: ArrayLike | None = None
    ) -> Self: ...

class LogisticRegressionCV(_ChosenC, LogisticRegression):  # type: ignore[misc]
    def __init__(
        self,
        Cs: int | ArrayLike = 10,
        *,
        cv: int = 5,
        rule: Literal["min", "1se"] = "min",
        measure: Literal["accuracy", "balanced-accuracy", "f1", "auc", "log-loss"] = "accuracy",
        multi_class: Literal["multinomial", "ovr"] = "multinomial",
        tol: float = 1e-4,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        fit_intercept: bool = True,
        intercept_scaling: float | None = None,
        standardize: bool = False,
        random_state: int | np.random.RandomState | np.random.Generator | None = 42,
        max_iter: int | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None: ...

class LinearSVCCV(_ChosenC, LinearSVC):  # type: ignore[misc]
    def __init__(
        self,
        Cs: int | ArrayLike = 10,
        *,
        cv: int = 5,
        rule: Literal["min", "1se"] = "min",
        measure: Literal["accuracy", "balanced-accuracy", "f1", "auc"] = "accuracy",
        loss: Literal["squared_hinge", "hinge"] = "squared_hinge",
        tol: float = 1e-4,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        fit_intercept: bool = True,
        intercept_scaling: float | None = 1,
        standardize: bool = False,
        random_state: int | np.random.RandomState | np.random.Generator | None = 42,
        max_iter: int | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None: ...
