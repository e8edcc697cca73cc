"""Latent Dirichlet allocation as an estimator of scikit-learn."""

import os
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin

from raddle._pages import Reported

__all__ = ["Coherence", "LatentDirichletAllocation", "LdaCV", "load"]

Floats = NDArray[np.float64]
Matrix = ArrayLike | sparse.spmatrix | sparse.sparray
# Called with a record after each epoch; False ends the fit.
Callback = Callable[[dict[str, Any]], object] | None

class Coherence(NamedTuple):
    u_mass: Floats
    npmi: Floats
    c_v: Floats

class LatentDirichletAllocation(Reported, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    doc_topic_prior_: Floats
    topic_word_prior_: float
    doc_topic_: sparse.csr_matrix
    evaluations_: list[dict[str, Any]]
    n_features_in_: int
    n_iter_: int
    report_: dict[str, Any]
    digest_: str
    def __init__(
        self,
        n_components: int = 20,
        *,
        doc_topic_prior: float | None = None,
        topic_word_prior: float | None = None,
        fixed_priors: bool = False,
        max_iter: int | None = None,
        evaluate_every: int | None = None,
        validation: float = 0.05,
        random_state: int | RandomState | Generator | None = 42,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None: ...
    @property
    def components_(self) -> Floats: ...
    def fit(self, X: Matrix, y: object = None, callback: Callback = None) -> Self: ...
    def partial_fit(self, X: Matrix, y: object = None) -> Self: ...
    def transform(self, X: Matrix, *, normalize: bool = True) -> Floats: ...
    def perplexity(self, X: Matrix, sub_sampling: bool = False) -> float: ...
    def score(self, X: Matrix, y: object = None) -> float: ...
    def top_words(self, names: Sequence[str] | None = None, n: int = 10) -> list[list[str]]: ...
    def coherence(self, X: Matrix, n: int = 10) -> Coherence: ...
    def to_pyldavis(self, names: Sequence[str] | None = None) -> dict[str, Any]: ...
    def save(
        self, path: str | os.PathLike[str], names: Sequence[str] | None = None, *, overwrite: bool = False
    ) -> Self: ...

class LdaCV(LatentDirichletAllocation):
    n_components_: int
    topics_: NDArray[np.int64]
    mean_path_: Floats
    se_path_: Floats
    npmi_path_: Floats
    def __init__(
        self,
        n_components: Sequence[int] = (5, 10, 20, 40),
        *,
        cv: int = 5,
        rule: str = "min",
        doc_topic_prior: float | None = None,
        topic_word_prior: float | None = None,
        fixed_priors: bool = False,
        max_iter: int | None = None,
        evaluate_every: int | None = None,
        validation: float = 0.05,
        random_state: int | RandomState | Generator | None = 42,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None: ...
    def fit(self, X: Matrix, y: object = None, callback: Callback = None) -> Self: ...

def load(path: str | os.PathLike[str]) -> LatentDirichletAllocation: ...
