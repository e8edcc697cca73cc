"""Pickled estimators can be loaded in another process."""

import copy
import pickle

import joblib
import numpy as np
import pytest
from sklearn.base import clone

from raddle.lasso import Lasso, LassoCV, LogisticLasso, PoissonLasso
from raddle.linear import LinearSVC, LogisticRegression


@pytest.mark.parametrize("estimator", [Lasso, LogisticLasso, PoissonLasso, LassoCV, LinearSVC, LogisticRegression])
def test_a_copy_is_the_same_model(diabetes, estimator, tmp_path):
    X, y = diabetes
    model = estimator().fit(X, np.digitize(y, [100, 200]))
    joblib.dump(model, tmp_path / "model")
    copies = [pickle.loads(pickle.dumps(model)), copy.deepcopy(model), joblib.load(tmp_path / "model")]
    for other in copies:
        assert other.digest_ == model.digest_ and other.report_ == model.report_
        assert (other.predict(X) == model.predict(X)).all()
        assert other.get_params() == model.get_params()
        assert clone(other).get_params() == model.get_params()


def test_a_pickle_of_another_format_is_refused(diabetes):
    model = Lasso().fit(*diabetes)
    state = model.__getstate__()
    for foreign, why in [
        ({**state, "_raddle_format": 0}, "has the format 0"),
        ({**state, "_raddle_format": 99}, "has the format 99"),
        ({"coef_": state["coef_"]}, "names no format"),
        (("coef_", 1), "names no format"),
    ]:
        with pytest.raises(ValueError, match=f"this pickle of Lasso {why}, and this version of raddle reads"):
            Lasso.__new__(Lasso).__setstate__(foreign)
