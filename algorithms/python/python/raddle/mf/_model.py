"""Parts shared by both models: the fitted state, lists, and sparse rows."""

import json
import warnings

import numpy as np
from scipy import sparse

from raddle import _raddle
from raddle._common import Pickled, not_fitted, seed, workers
from raddle._pages import Reported
from raddle.mf import _saved


class _State:
    """The methods that `Pickled` calls in its base classes."""

    def __getstate__(self):
        # Copies of factors are made anew.
        return {name: value for name, value in self.__dict__.items() if name != "_copies"}

    def __setstate__(self, state):
        self.__dict__.update(state)


class Factors(Reported, Pickled, _State):
    """A model of factors that may be fitted."""

    _estimator_type = None

    def _workers(self):
        return workers(self.n_jobs)

    def _seed(self):
        return 42 if self.random_state is None else seed(self.random_state)

    def _fit(self, ratings, asked, keeps_seen, callback):
        asked = {**asked, "seed": self._seed(), "workers": self._workers()}
        result = _raddle.fit_mf(ratings, asked, keeps_seen, callback)
        if not result["is_finite"]:
            raise ValueError("the fit diverged, so there is no model: give more regularization")
        self.__dict__.pop("_copies", None)
        self._model, self._about = result["model"], json.loads(result["about"])
        for note in result["notes"]:
            if "off by up to" in note or "double precision" in note:
                warnings.warn(note, stacklevel=4)
        self.digest_ = result["digest"]
        self.report_ = result["report"]
        self.n_iter_ = result["iterations"]
        return result

    def save(self, path, *, overwrite=False, seen=True):
        """Write the model to a folder, which `raddle.load` and the program `mf` can read.

        Parameters
        ----------
        path : str, path or file
            The folder; created if it does not exist. An `AlternatingLeastSquares` or `ImplicitALS` is also written to a
            file that is open for bytes, which `AlternatingLeastSquares.load` alone reads.
        overwrite : bool
            Whether to replace an existing model, which is an error otherwise.
        seen : bool
            Whether to store the items that users have rated, about 1.2 bytes per rating, so that `recommend` can leave
            them out after `raddle.load` and in the program. Otherwise the ratings cannot be recovered from the folder,
            and `recommend` needs them as an argument.

        Returns
        -------
        The model itself.
        """
        if hasattr(path, "write"):
            _saved.write(path, self)
            return self
        _saved.save(path, self._fitted(), self._about, self._ids(), bool(overwrite), bool(seen))
        return self

    def _fitted(self):
        model = self.__dict__.get("_model")
        if model is None:
            raise not_fitted(self)
        return model

    def _arrays(self):
        if "_copies" not in self.__dict__:
            self._copies = self._fitted().arrays()
        return self._copies

    def _list(self, N, only, without):
        return {"n": whole("N", N, 1), "only": only, "without": without, "workers": self._workers()}

    def get_params(self, deep=True):
        """Return the parameters by name, as scikit-learn requires it.

        Parameters
        ----------
        deep : bool
            Accepted without effect.

        Returns
        -------
        dict
        """
        return {name: getattr(self, name) for name in self._parameters}

    def set_params(self, **params):
        """Set parameters.

        Parameters
        ----------
        **params
            Values by parameter name.

        Returns
        -------
        The model itself.
        """
        for name, value in params.items():
            if name not in self._parameters:
                raise ValueError(f"{type(self).__name__} has no parameter {name!r}: it has {', '.join(self._parameters)}")
            setattr(self, name, value)
        return self

    def __sklearn_tags__(self):
        from sklearn.utils import InputTags, Tags, TargetTags

        return Tags(
            estimator_type=self._estimator_type,
            target_tags=TargetTags(required=self._estimator_type is not None),
            input_tags=InputTags(sparse=self._estimator_type is None),
        )

    def __sklearn_is_fitted__(self):
        return "_model" in self.__dict__

    def __repr__(self):
        given = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._parameters)
        return f"{type(self).__name__}({given})"


def whole(name, value, least):
    """Return a whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise ValueError(f"{name} is {value!r}: it must be a whole number of {least} or more")
    return int(value)


def number(name, value):
    """Return a number, or None."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise ValueError(f"{name} is {value!r}: it must be a number")
    return float(value)


def trimmed(ids, scores):
    """Return the only list, without its padding."""
    return ids[0], scores[0]


def sparse_only(name, matrix):
    """Return a matrix that must be sparse."""
    if not sparse.issparse(matrix):
        raise ValueError(f"{name} must be a sparse matrix, such as scipy.sparse.csr_matrix")
    return matrix


def compressed(name, matrix, rows=None, columns=None):
    """Return a sparse matrix in compressed rows, with unique ascending columns and finite nonzero values."""
    given = sparse_only(name, matrix)
    if matrix.ndim == 1:
        matrix = matrix.reshape(1, -1)
    matrix = matrix.tocsr()
    if matrix.dtype.kind not in "fiub":
        raise ValueError(f"{name} has values of type {matrix.dtype}: it must have numbers")
    if rows is not None and matrix.shape[0] != rows:
        who = "item" if name == "item_users" else "user"
        raise ValueError(f"{name} must have a row for each {who} that is asked for: {rows}, not {matrix.shape[0]}")
    if columns is not None and matrix.shape[1] > columns[0]:
        raise ValueError(f"{name} has {matrix.shape[1]} columns, but the model has {columns[0]} {columns[1]}")
    if matrix.dtype not in (np.float32, np.float64):
        matrix = matrix.astype(np.float32)
    if not matrix.has_canonical_format or (matrix.data == 0).any():
        # What was given stays as it is.
        matrix = matrix.copy() if matrix is given else matrix
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
    finite = np.isfinite(matrix.data)
    if not finite.all():
        raise ValueError(f"{name} has the value {matrix.data[~finite][0]}: leave such entries out")
    return matrix
