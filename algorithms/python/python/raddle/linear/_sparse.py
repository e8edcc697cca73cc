"""Logistic regression whose penalty has an L1 part: `raddle.lasso` fits it."""

import warnings

import numpy as np

from raddle._common import number, refuse
from raddle._rows import class_weights, classes_of, row_weights, validated
from raddle.lasso import LogisticLasso

SOLVERS = ("lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga")
# Shares of the L1 norm by the names of penalties before scikit-learn 1.8.
SHARES = {"l2": 0.0, "l1": 1.0}


def l1_share(model):
    """Return the share of the L1 norm in the penalty of a `LogisticRegression`."""
    penalty, solver = model.penalty, model.solver
    if solver not in SOLVERS:
        refuse("solver", solver, f"it must be one of {', '.join(SOLVERS)}")
    if model.dual and solver != "liblinear":
        raise ValueError(f"Solver {solver} supports only dual=False, got dual={model.dual}: leave it out")
    if penalty not in (*SHARES, "elasticnet", "deprecated"):
        refuse("penalty", penalty, "it must be l1, l2 or elasticnet; without one there may be no minimum")
    share = number("l1_ratio", model.l1_ratio)
    if not 0.0 <= share <= 1.0:
        refuse("l1_ratio", share, "it must be from 0 to 1")
    if penalty in SHARES:
        if share not in (0.0, SHARES[penalty]):
            has = f"Inconsistent values: penalty={penalty} with l1_ratio={share}"
            only = f"l1_ratio parameter is only used when penalty is 'elasticnet'. Got (penalty={penalty})"
            warnings.warn(f"{has}: {only}", stacklevel=4)
        share = SHARES[penalty]
    return share


def fit(model, share, X, y, sample_weight, callback):
    """Fit a `LogisticRegression` with this share of the L1 norm."""
    X, y = validated(model, X, y, y_numeric=False)
    weights = row_weights(sample_weight, len(y))
    classes, numbers = classes_of(y, weights)
    if len(classes) > 2 and model.multi_class == "ovr":
        refuse("multi_class", "ovr", "with an L1 part all classes are fitted together: use OneVsRestClassifier")
    weights = class_weights(model.class_weight, classes, np.minimum(numbers, len(classes) - 1), weights)
    cost = number("C", model.C)
    if not 0.0 < cost < np.inf:
        refuse("C", cost, "it must be a number above 0")
    lasso = model.__dict__.get("_lasso") if model.warm_start else None
    lasso = LogisticLasso() if lasso is None else lasso
    # There the mean of the losses is weighed, and here their sum.
    lasso.set_params(
        alpha=1.0 / (cost * (len(y) if weights is None else weights.sum())), l1_ratio=share,
        tol=model.tol,
        **{name: getattr(model, name) for name in ("fit_intercept", "standardize", "max_iter", "warm_start", "n_jobs")},
    )
    take(model, lasso.fit(X, y, weights, callback=callback))
    model._about = {"c": cost, "loss": lasso._about["loss"]}
    return model


def take(model, lasso):
    """Give a `LogisticRegression` the attributes of a fit."""
    model._lasso = lasso
    for name in ("coef_", "intercept_", "classes_", "dual_", "relative_gap_", "report_", "digest_"):
        setattr(model, name, getattr(lasso, name))
    model.relative_gaps_ = np.array([lasso.relative_gap_])
    model._keep_iterations(lasso.n_iter_)


def given(model):
    """Return the `LogisticLasso` of a model, with coefficients that were changed since."""
    lasso = model._lasso
    lasso.coef_, lasso.intercept_ = model.coef_, model.intercept_
    for name in ("feature_names_in_", "n_features_in_"):
        if hasattr(model, name):
            setattr(lasso, name, getattr(model, name))
    return lasso
