"""Encodes frames for a model of the programs: one column per level of texts, means for missing numbers."""

import numpy as np
from scipy import sparse


def encoded(X, encoding, features):
    """Return the features that the program would make of a table, as a sparse matrix; None if X is not such a frame.

    `encoding` is that of `model.json`, and `features` are the names of its features: a frame that has these already is
    not encoded. Columns are found by name, and others are ignored.
    """
    if not (encoding.get("named") and hasattr(X, "columns") and hasattr(X, "__getitem__")):
        return None
    names = {str(name): name for name in X.columns}
    columns = encoding["columns"]
    if list(names) == [str(name) for name in features]:
        return None
    lacking = [column["name"] for column in columns if column["name"] not in names]
    if lacking:
        raise ValueError(
            f"X has no column {', '.join(map(repr, lacking[:5]))}, which the model uses: give a frame with the columns of "
            "the data that it was fitted to, in any order"
        )
    parts = [_features(X[names[column["name"]]], column) for column in columns]
    return sparse.hstack(parts, format="csr")


def _features(values, column):
    values = np.asarray(values)
    levels = column.get("levels")
    if levels is None:
        return sparse.csr_matrix(_numbers(values, column)[:, np.newaxis])
    codes = _codes(values, levels)
    # Of two levels the second alone is a feature.
    first, width = (1, 1) if len(levels) == 2 else (0, len(levels))
    rows = np.flatnonzero(codes >= first)
    return sparse.csr_matrix((np.ones(len(rows)), (rows, codes[rows] - first)), shape=(len(values), width))


def _numbers(values, column):
    try:
        numbers = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.array([np.nan if _is_missing(value) else _number(value, column) for value in values])
    if column.get("mean") is not None:
        numbers[np.isnan(numbers)] = column["mean"]
    return numbers


def _number(value, column):
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ValueError(
            f"column {column['name']!r}: {value!r} is not a number, as the model's data had there"
        ) from None


def _codes(values, levels):
    """Return the position of each value among the levels; -1 if it is not a level."""
    places = {level: place for place, level in enumerate(levels)}
    found = {}

    def code(value):
        text = "" if _is_missing(value) else str(value)
        if text not in found:
            found[text] = places[text] if text in places else _same_number(text, levels)
        return found[text]

    return np.fromiter((code(value) for value in values.tolist()), dtype=np.int64, count=len(values))


def _same_number(text, levels):
    """Return the position of the only level that is the same number, such as 1 for 1.0; -1 if there is none."""
    wanted = _finite(text)
    same = [] if wanted is None else [place for place, level in enumerate(levels) if _finite(level) == wanted]
    return same[0] if len(same) == 1 else -1


def _finite(text):
    try:
        number = float(text)
    except ValueError:
        return None
    return number if np.isfinite(number) else None


def _is_missing(value):
    # None, NaN, NaT and pandas' NA: what is not itself, or will not say.
    try:
        return value is None or bool(value != value)
    except TypeError:
        return True
