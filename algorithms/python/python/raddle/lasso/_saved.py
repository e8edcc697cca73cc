"""Saves and loads models in folders, as the program `lasso` does."""

import json
import os

import numpy as np
from sklearn.utils.validation import check_is_fitted

from raddle import _raddle
from raddle._common import report_of
from raddle._rows import exact, exact_intercepts, feature_names


class Saved:
    """An estimator whose model can be saved."""

    def save(self, path, *, overwrite=False):
        """Write the model to a folder, which `raddle.load` and the program `lasso` can read.

        Parameters
        ----------
        path : str or path
            The folder; created if it does not exist.
        overwrite : bool, default=False
            Whether to replace an existing model, which is an error otherwise.

        Returns
        -------
        self
        """
        check_is_fitted(self, "coef_")
        if not isinstance(self.digest_, str):
            raise ValueError("the model has several targets: fit and save one for each")
        coef = exact(self).ravel()
        kept = np.flatnonzero(coef)
        coefficients = kept.astype(np.uint32), coef[kept].astype(np.float64)
        # One intercept, or one for each class with scores of its own.
        several = self._about.get("intercepts")
        intercepts = exact_intercepts(self, several or [self._about["intercept"]])
        changed = {"intercepts": intercepts} if several else {"intercept": intercepts[0]}
        about = json.dumps({**self._about, **changed, **self._names()})
        _raddle.save_lasso(os.fspath(path), about, coefficients, np.ravel(self.dual_), overwrite)
        return self

    def _names(self):
        """Return the entries of `model.json` for the names of columns and classes."""
        return {"feature_names": feature_names(self), **self._class_members()}

    def _class_members(self):
        return {}

    def _restore(self, found, about, path):
        """Restore a model that was read."""
        intercepts = np.array(about.get("intercepts") or [about["intercept"]])
        coef = np.zeros(len(intercepts) * about["columns"])
        coef[found["columns"]] = found["values"]
        self.n_features_in_ = about["columns"]
        if about.get("feature_names") is not None:
            self.feature_names_in_ = np.array(about["feature_names"], dtype=object)
        self._restore_classes(about)
        self._shape_coefficients(coef.reshape(len(intercepts), -1), intercepts)
        self.relative_gap_, self.digest_ = about["gap"], found["digest"]
        dual = os.path.join(path, "dual.npy")
        self.dual_ = np.load(dual) if os.path.exists(dual) else np.empty(0)
        self.report_ = report_of(path)
        self.n_iter_ = self.report_.get("epochs", 0)
        self._about = about
        return self

    def _restore_classes(self, about):
        pass


def load(path, point=None):
    """Return the estimator for the model in a folder; for a path, of a point, from 1, or of the last one."""
    from raddle.lasso import ElasticNet, Lasso, LogisticLasso, PoissonLasso

    path = os.fspath(path)
    found = _raddle.open_lasso(path, point)
    about = json.loads(found["about"])
    about.pop("points", None)
    alpha, ratio = about["lambda"], about["l1_ratio"]
    if about["loss"] == "squared":
        model = Lasso(alpha=alpha) if ratio == 1 else ElasticNet(alpha=alpha, l1_ratio=ratio)
    elif about["loss"] == "poisson":
        model = PoissonLasso(alpha=alpha, l1_ratio=ratio)
    else:
        model = LogisticLasso(alpha=alpha, l1_ratio=ratio)
    return model._restore(found, about, path)
