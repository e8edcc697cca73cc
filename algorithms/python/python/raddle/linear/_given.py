"""Converts parameters and data to the form that the native half takes."""

import numpy as np

from raddle._common import number, refuse, seed, whole, workers


def is_balanced(estimator):
    """Return whether all classes count the same, which the native half sees to: each fold has its own weights."""
    return isinstance(estimator.class_weight, str) and estimator.class_weight == "balanced"


def _bias(estimator):
    """Return the value of the constant column: 0 for none, None for an intercept without penalty."""
    if not estimator.fit_intercept:
        return 0.0
    scaling = estimator._scaling()
    if scaling is None:
        return None
    scaling = number("intercept_scaling", scaling)
    if not scaling > 0.0:
        refuse("intercept_scaling", scaling, "it must be above 0, or None; fit_intercept=False leaves the intercept out")
    return scaling


def asked(estimator, loss, dual, weights):
    """Return the parameters of an estimator, with the initial values of its fit."""
    return {
        "loss": loss,
        # A cross-validation has several.
        "c": number("C", getattr(estimator, "C", 1.0)),
        "bias": _bias(estimator),
        "standardize": bool(estimator.standardize),
        "balanced": is_balanced(estimator),
        "tol": number("tol", estimator.tol),
        "seed": seed(estimator.random_state),
        "max_iter": None if estimator.max_iter is None else whole("max_iter", estimator.max_iter, 1),
        "dual": dual,
        "weights": weights,
        "workers": workers(estimator.n_jobs),
    }


def rows(y, sample_weight):
    """Return the values of the rows for the native half."""
    if sample_weight is not None:
        sample_weight = np.require(sample_weight, np.float64, "A")
    return {"y": np.require(y, np.float64, "A"), "sample_weight": sample_weight}
