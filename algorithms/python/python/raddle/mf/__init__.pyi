"""Matrix factorization: factors of users and items from ratings or clicks, and recommendations."""

from collections.abc import Callable, Hashable
from os import PathLike
from typing import IO, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from scipy import sparse

from raddle._pages import Reported

__all__ = ["AlternatingLeastSquares", "ImplicitALS", "MatrixFactorization"]

Floats = NDArray[np.float32]
Matrix = sparse.spmatrix | sparse.sparray
# Called with a record after each epoch; what is false, but for None, ends the fit.
Callback = Callable[[dict[str, Any]], object] | None
# Ids and scores.
Lists = tuple[NDArray[np.int32], Floats]
Named = tuple[NDArray[Any], Floats] | tuple[list[NDArray[Any]], list[Floats]]

class _Factors(Reported):
    digest_: str
    n_iter_: int
    report_: dict[str, Any]
    def save(
        self, path: str | PathLike[str] | IO[bytes], *, overwrite: bool = False, seen: bool = True
    ) -> Self: ...
    def get_params(self, deep: bool = True) -> dict[str, Any]: ...
    def set_params(self, **params: Any) -> Self: ...

class AlternatingLeastSquares(_Factors):
    factors: int
    regularization: float | Literal["auto"]
    alpha: float | Literal["auto"]
    iterations: int | None
    use_cg: bool
    random_state: int | np.random.RandomState | np.random.Generator | None
    num_threads: int
    n_jobs: int | None
    alpha_: float
    regularization_: float
    def __init__(
        self,
        factors: int = 100,
        regularization: float | Literal["auto"] = 0.01,
        alpha: float | Literal["auto"] = 1.0,
        dtype: DTypeLike = "float32",
        use_native: bool = True,
        use_cg: bool = True,
        use_gpu: bool = False,
        iterations: int = 15,
        calculate_training_loss: bool = False,
        num_threads: int = 0,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        *,
        n_jobs: int | None = None,
    ) -> None: ...
    @property
    def user_factors(self) -> Floats: ...
    @property
    def item_factors(self) -> Floats: ...
    def fit(self, user_items: Matrix, show_progress: bool = False, callback: Callback = None) -> Self: ...
    def score(self, user_items: Matrix, y: object = None) -> float: ...
    @classmethod
    def load(cls, path: str | PathLike[str] | IO[bytes]) -> AlternatingLeastSquares: ...
    def recommend(
        self,
        userid: int | ArrayLike,
        user_items: Matrix | None = None,
        N: int = 10,
        filter_already_liked_items: bool = True,
        filter_items: ArrayLike | None = None,
        recalculate_user: bool = False,
        items: ArrayLike | None = None,
    ) -> Lists: ...
    def similar_items(
        self,
        itemid: int | ArrayLike,
        N: int = 10,
        recalculate_item: bool = False,
        item_users: Matrix | None = None,
        filter_items: ArrayLike | None = None,
        items: ArrayLike | None = None,
    ) -> Lists: ...
    def similar_users(
        self,
        userid: int | ArrayLike,
        N: int = 10,
        filter_users: ArrayLike | None = None,
        users: ArrayLike | None = None,
    ) -> Lists: ...
    def recalculate_user(self, userid: int | ArrayLike, user_items: Matrix) -> Floats: ...
    def recalculate_item(self, itemid: int | ArrayLike, item_users: Matrix) -> Floats: ...
    def partial_fit_users(self, userids: ArrayLike, user_items: Matrix) -> None: ...
    def partial_fit_items(self, itemids: ArrayLike, item_users: Matrix) -> None: ...
    def explain(
        self,
        userid: int,
        user_items: Matrix,
        itemid: int,
        user_weights: Any = None,
        N: int = 10,
    ) -> tuple[float, list[tuple[int, float]], Any]: ...

class ImplicitALS(AlternatingLeastSquares):
    validation: float | None
    def __init__(
        self,
        factors: int = 32,
        regularization: float | Literal["auto"] = "auto",
        alpha: float | Literal["auto"] = "auto",
        *,
        iterations: int | None = None,
        validation: float | None = 0.05,
        use_cg: bool = True,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        num_threads: int = 0,
        n_jobs: int | None = None,
    ) -> None: ...

class MatrixFactorization(_Factors):
    rank: int
    solver: Literal["sgd", "als", "ccd"]
    regularization: float | None
    biases: bool
    non_negative: bool
    epochs: int | None
    validation: float | None
    duplicates: Literal["last", "first", "sum", "mean", "refuse"]
    random_state: int | np.random.RandomState | np.random.Generator | None
    n_jobs: int | None
    learned_: Literal["factors", "biases", "mean"]
    validation_error_: float | None
    best_iter_: int
    def __init__(
        self,
        rank: int = 32,
        *,
        solver: Literal["sgd", "als", "ccd"] = "sgd",
        regularization: float | None = None,
        biases: bool = True,
        non_negative: bool = False,
        epochs: int | None = None,
        validation: float | None = 0.05,
        duplicates: Literal["last", "first", "sum", "mean", "refuse"] = "last",
        random_state: int | np.random.RandomState | np.random.Generator | None = 42,
        n_jobs: int | None = None,
    ) -> None: ...
    @property
    def users_(self) -> NDArray[Any]: ...
    @property
    def items_(self) -> NDArray[Any]: ...
    @property
    def user_factors_(self) -> Floats: ...
    @property
    def item_factors_(self) -> Floats: ...
    @property
    def user_bias_(self) -> Floats: ...
    @property
    def item_bias_(self) -> Floats: ...
    @property
    def mean_(self) -> float: ...
    def fit(
        self, users: ArrayLike, items: ArrayLike, ratings: ArrayLike | None = None, *, callback: Callback = None
    ) -> Self: ...
    def score(self, X: ArrayLike, y: ArrayLike) -> float: ...
    def partial_fit_users(self, users: ArrayLike, items: ArrayLike, ratings: ArrayLike) -> Self: ...
    def partial_fit_items(self, users: ArrayLike, items: ArrayLike, ratings: ArrayLike) -> Self: ...
    def recommend_new(
        self, items: ArrayLike, ratings: ArrayLike, N: int = 10, filter_items: ArrayLike | None = None
    ) -> tuple[NDArray[Any], Floats]: ...
    def predict(
        self, users: ArrayLike | Hashable, items: ArrayLike | Hashable | None = None
    ) -> NDArray[np.float64] | float: ...
    def recommend(
        self,
        user: ArrayLike | Hashable,
        N: int = 10,
        filter_already_liked_items: bool = True,
        filter_items: ArrayLike | None = None,
        items: ArrayLike | None = None,
    ) -> Named: ...
    def similar_items(
        self,
        item: ArrayLike | Hashable,
        N: int = 10,
        filter_items: ArrayLike | None = None,
        items: ArrayLike | None = None,
    ) -> Named: ...
    def similar_users(
        self,
        user: ArrayLike | Hashable,
        N: int = 10,
        filter_users: ArrayLike | None = None,
        users: ArrayLike | None = None,
    ) -> Named: ...
