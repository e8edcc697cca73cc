"""Converts parameters and data to the form that the native half takes."""

import numpy as np

from raddle._common import number, refuse, seed, whole, workers
from raddle._rows import labels, row_values, row_weights


def row_terms(rows, sample_weight, offset):
    """Return weights and offsets of the rows."""
    return {"sample_weight": row_weights(sample_weight, rows), "offset": row_values("offset", offset, rows)}


def _bounds(bounds, positive, columns):
    if bounds is None and not positive:
        return None
    given = np.array([-np.inf, np.inf] if bounds is None else bounds, dtype=np.float64)
    if given.shape not in ((2,), (columns, 2)):
        raise ValueError(
            f"bounds has the shape {given.shape}, and X has {columns} columns: give one pair of a lower and an "
            "upper bound for all, or one for each"
        )
    pairs = np.array(np.broadcast_to(given, (columns, 2)))
    if positive:
        pairs[:, 0] = np.maximum(pairs[:, 0], 0.0)
    return pairs


def asked(estimator, loss, columns, init=None):
    """Return the parameters of an estimator for data with this number of columns."""
    factors = estimator.factors
    return {
        "loss": loss,
        "alpha": number("alpha", getattr(estimator, "alpha", 1.0)),
        "path": None,
        "alphas": None,
        "l1_ratio": 1.0,
        "fit_intercept": bool(estimator.fit_intercept),
        "standardize": bool(estimator.standardize),
        "tol": number("tol", estimator.tol),
        "max_iter": None if estimator.max_iter is None else whole("max_iter", estimator.max_iter, 1),
        "bounds": _bounds(estimator.bounds, estimator.positive, columns),
        "factors": None if factors is None else np.array(factors, dtype=np.float64, ndmin=1),
        "groups": labels("groups", estimator.groups, columns, "columns"),
        "init": init,
        "workers": workers(estimator.n_jobs),
    }
