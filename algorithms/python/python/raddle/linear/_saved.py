"""Saves and loads models in folders, as the program `linear` does."""

import json
import os

import numpy as np
from sklearn.utils.validation import check_is_fitted

from raddle import _raddle
from raddle._common import report_of
from raddle._rows import class_members, classes_in, exact, exact_intercepts, feature_names


class Saved:
    """An estimator whose model can be saved."""

    def save(self, path, *, overwrite=False):
        """Write the model to a folder, which `raddle.load` and the program `linear` can read.

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
        if "_lasso" in self.__dict__:
            from raddle.linear._sparse import given

            given(self).save(path, overwrite=overwrite)
            return self
        coef = exact(self).ravel()
        kept = np.flatnonzero(coef)
        coefficients = kept.astype(np.uint32), coef[kept]
        intercepts = exact_intercepts(self, self._about["intercepts"])
        about = {**self._about, "intercepts": intercepts, "feature_names": feature_names(self), **class_members(self.classes_)}
        dual = np.atleast_2d(self.dual_)
        _raddle.save_linear(os.fspath(path), json.dumps(about), coefficients, dual, overwrite)
        return self


def load(path):
    """Return the estimator for the model in a folder."""
    from raddle.linear import LinearSVC, LogisticRegression

    path = os.fspath(path)
    found = _raddle.open_linear(path)
    about = json.loads(found["about"])
    params = {"C": about["c"], "standardize": about.get("scaled", False), "fit_intercept": about["bias"] != 0}
    if about["bias"] != 0:
        params["intercept_scaling"] = None if about.get("free_intercept") else about["bias"]
    if about["loss"] in ("logistic", "multinomial"):
        is_ovr = about["loss"] == "logistic" and len(about["classes"]) > 2
        model = LogisticRegression(**params, multi_class="ovr" if is_ovr else "multinomial")
    else:
        model = LinearSVC(**params, loss=about["loss"].replace("-", "_"))
    model.classes_ = classes_in(about)
    model.n_features_in_ = about["columns"]
    if about.get("feature_names") is not None:
        model.feature_names_in_ = np.array(about["feature_names"], dtype=object)
    model._keep(found, about["columns"])
    model.report_ = report_of(path)
    model._keep_iterations(model.report_.get("epochs", 0))
    return model
