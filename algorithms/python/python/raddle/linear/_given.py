"""Converts parameters and data to the form that the native half takes."""

import numpy as np
from sklearn.utils.class_weight import compute_class_weight

from raddle._common import number, refuse, seed, whole, workers


def weights(class_weight, classes, numbers, sample_weight):
    """Return the weights of the rows times those of their classes, unless the classes are balanced."""
    if class_weight is None or isinstance(class_weight, str):
        if class_weight not in (None, "balanced"):
            refuse("class_weight", class_weight, "it must be a dict, 'balanced' or None")
        return sample_weight
    factors = compute_class_weight(class_weight, classes=classes, y=classes[numbers])
    for value, factor in zip(classes.tolist(), factors):
        if not factor > 0.0:
            refuse("class_weight", factor, f"the weight of the class {value!r} must be above 0")
    of_classes = factors[numbers]
    return of_classes if sample_weight is None else of_classes * sample_weight


def _bias(estimator):
    """Return the value of the constant column: 0 for none, None for an intercept without penalty."""
    if not estimator.fit_intercept:
        return 0.0
    if estimator.intercept_scaling is None:
        return None
    scaling = number("intercept_scaling", estimator.intercept_scaling)
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
        "balanced": isinstance(estimator.class_weight, str),
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
