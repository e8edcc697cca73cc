"""Converts the data of estimators to the form that the native half takes."""

import numbers
import warnings

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import assert_all_finite, validate_data

from raddle._common import aligned, refuse
from raddle._frames import encoded


def validated(estimator, X, y, y_numeric):
    """Return X and y, validated as for an estimator of scikit-learn."""
    X, y = validate_data(
        estimator,
        X,
        y,
        accept_sparse=("csc", "csr"),
        dtype=(np.float64, np.float32),
        # The library looks at every value anyway.
        ensure_all_finite=False,
        y_numeric=y_numeric,
    )
    return aligned(X), y


def named(X, fit):
    """Call `fit` and return its result; if a value of X is not finite, raise scikit-learn's error."""
    try:
        return fit()
    except ValueError:
        assert_all_finite(X, input_name="X")
        raise


class Prepared:
    """A model that may be one of the programs, which encode tables."""

    def preprocess(self, X):
        """Encode a frame as the program did whose model this is; `predict` does it by itself.

        Parameters
        ----------
        X : frame
            A table with the columns of the data that the model was fitted to, in any order.

        Returns
        -------
        csr_matrix of shape (n, p)
            The features: a column per level of texts, and means for missing numbers. X itself, if the model was fitted
            to numbers or X has the features already.
        """
        features = _features(self, X)
        return X if features is None else features


def _features(estimator, X):
    """Return the features of a frame, or None if there is nothing to encode."""
    encoding = getattr(estimator, "_about", {}).get("encoding")
    names = getattr(estimator, "feature_names_in_", ())
    features = None if encoding is None else encoded(X, encoding, names)
    if features is not None:
        assert_all_finite(features, input_name="X")
    return features


def scores(estimator, X):
    """Return the linear scores of rows, with a column for each row of coef_ if it has several."""
    features = _features(estimator, X)
    if features is not None:
        return np.asarray(features @ estimator.coef_.T + estimator.intercept_)
    X = validate_data(estimator, X, accept_sparse=("csr", "csc"), dtype=(np.float64, np.float32), reset=False)
    return np.asarray(X @ estimator.coef_.T + estimator.intercept_)


def narrowed(estimator, dtype):
    """Keep coefficients in single precision if the data were, as scikit-learn does; `save` writes the exact ones."""
    estimator.__dict__.pop("_exact", None)
    if dtype == np.float32:
        estimator._exact = estimator.coef_
        estimator.coef_ = estimator.coef_.astype(np.float32)
        if isinstance(estimator.intercept_, np.ndarray):
            estimator.intercept_ = estimator.intercept_.astype(np.float32)


def exact(estimator):
    """Return the coefficients in double precision: those of the fit, unless `coef_` was changed since."""
    kept, coef = estimator.__dict__.get("_exact"), estimator.coef_
    coef = coef.toarray() if sparse.issparse(coef) else coef
    if kept is not None and np.array_equal(kept.astype(np.float32), coef):
        return kept
    return np.asarray(coef, dtype=np.float64)


def exact_intercepts(estimator, fitted):
    """Return the intercepts in double precision: those of the fit, unless `intercept_` was changed since."""
    fitted, now = np.asarray(fitted), np.atleast_1d(estimator.intercept_)
    is_same = np.array_equal(fitted.astype(now.dtype), now)
    return [float(value) for value in (fitted if is_same else now)]


def row_values(name, values, rows):
    """Return values of the rows, such as weights: None, one number for all rows, or one per row."""
    if values is None:
        return None
    if isinstance(values, numbers.Real):
        return np.full(rows, float(values))
    values = np.asarray(values)
    if values.dtype.kind not in "biuf" and values.dtype != object:
        refuse(name, values.dtype, "it must hold numbers")
    values = np.array(values, dtype=np.float64)
    if values.ndim != 1 or len(values) != rows:
        raise ValueError(f"{name} has the shape {values.shape}, and X has {rows} rows: give one value for each")
    assert_all_finite(values, input_name=name)
    return values


def row_weights(sample_weight, rows):
    """Return the weights of the rows."""
    weights = row_values("sample_weight", sample_weight, rows)
    if weights is not None and (weights < 0).any():
        raise ValueError("Negative values in data passed to `sample_weight`")
    if weights is not None and not weights.any():
        raise ValueError("sample_weight is zero in all rows, so that none counts")
    return weights


def classes_of(y, weights):
    """Return the classes, and each row's class as a number; a class whose rows all have weight 0 is dropped."""
    check_classification_targets(y)
    classes = np.unique(y if weights is None else y[weights > 0])
    return classes, np.searchsorted(classes, y)


def class_weights(class_weight, classes, numbers, weights):
    """Return the weights of the rows times those of their classes."""
    if class_weight is None:
        return weights
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            refuse("class_weight", class_weight, "it must be a dict, 'balanced' or None")
        sums = np.bincount(numbers, weights, len(classes))
        factors = sums.sum() / (len(classes) * sums)
    else:
        factors = compute_class_weight(class_weight, classes=classes, y=classes[numbers])
        for value, factor in zip(classes.tolist(), factors):
            if not factor > 0.0:
                refuse("class_weight", factor, f"the weight of the class {value!r} must be above 0")
    of_classes = factors[numbers]
    return of_classes if weights is None else of_classes * weights


def class_members(classes, where="classes"):
    """Return classes as in `model.json`: numbers under the key `where`, names if they are not numbers, and their type."""
    if classes.dtype.kind == "O" and not all(isinstance(value, str) for value in classes):
        classes = np.array(classes.tolist())
    kind, of_type = classes.dtype.kind, classes.dtype.name
    if kind == "f" or (kind in "iu" and all(abs(int(value)) < 2**53 for value in classes)):
        return {where: [float(value) for value in classes], "class_type": of_type}
    # Texts, truth, and whole numbers that doubles do not tell apart.
    of_type = of_type if kind in "biuO" else "str"
    return {where: list(range(len(classes))), "class_names": [str(value) for value in classes], "class_type": of_type}


def classes_in(about):
    """Return the classes in a `model.json`, with their type."""
    values = about.get("class_names") or about.get("labels") or about["classes"]
    of_type = about.get("class_type")
    if of_type is None or of_type == "str":
        return np.array(values)
    if of_type == "bool":
        return np.array([value == "True" for value in values])
    if np.dtype(of_type).kind in "iu":
        values = [int(value) for value in values]
    return np.array(values, dtype=of_type)


def feature_names(estimator):
    """Return the names of the columns, or None."""
    names = getattr(estimator, "feature_names_in_", None)
    return None if names is None else [str(name) for name in names]


def warn_of_gap(estimator, result, stacklevel):
    """Warn if a fit ended before it reached its gap, by itself or at a limit."""
    if not result["is_reached"] and result["report"]["ending"] != "interrupted":
        warnings.warn(
            f"the relative duality gap is {result['gap']:.2e} and was to be {estimator.tol:.2e}: raise max_iter or "
            "tol, or scale the columns",
            ConvergenceWarning,
            stacklevel=stacklevel + 1,
        )


def labels(name, values, count, of):
    """Return labels as numbers from 0, equal for equal labels."""
    if values is None:
        return None
    values = np.asarray(values)
    if values.shape != (count,):
        raise ValueError(f"{name} has the shape {values.shape}, and X has {count} {of}: give one value for each")
    return np.unique(values, return_inverse=True)[1].astype(np.uint32)
