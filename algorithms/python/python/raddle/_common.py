"""Parts that the estimators of all modules share."""

import numbers
import json
import os

import numpy as np
from scipy import sparse

# Of what an estimator keeps. It rises when what an older one kept can no longer be used.
_FORMAT = 1


def workers(n_jobs):
    """Return the number of workers for `n_jobs` as joblib counts: None is 1, -1 all cores, -2 all but one."""
    if n_jobs is None:
        return 1
    if isinstance(n_jobs, bool) or int(n_jobs) != n_jobs or n_jobs == 0:
        raise ValueError(f"n_jobs is {n_jobs!r}: it must be a whole number but 0, or None")
    return int(n_jobs) if n_jobs > 0 else max(1, _cores() + 1 + int(n_jobs))


def _cores():
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def refuse(name, value, must):
    """Raise the error of a parameter out of its range."""
    raise ValueError(f"{name} is {value!r}: {must}")


def number(name, value):
    """Return a parameter that must be a number."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        refuse(name, value, "it must be a number")
    return float(value)


def whole(name, value, least):
    """Return a parameter that must be a whole number."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Integral) or value < least:
        refuse(name, value, f"it must be a whole number of at least {least}")
    return int(value)


def seed(random_state):
    """Return the number that names draws: the one given, or one drawn from a state."""
    if not isinstance(random_state, numbers.Integral):
        from sklearn.utils import check_random_state

        random_state = check_random_state(random_state).randint(np.iinfo(np.int32).max)
    return whole("random_state", random_state, 0)


def aligned(X):
    """Return X as it is, or copied where its memory is not aligned for numbers."""
    if sparse.issparse(X):
        is_aligned = all(part.flags.aligned for part in (X.data, X.indices, X.indptr))
    else:
        is_aligned = X.flags.aligned
    return X if is_aligned else X.copy()


def report_of(path):
    """Return the report of the run that is in a folder; an empty one where there is none beside the model."""
    try:
        with open(os.path.join(path, "report.json"), encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        return {}


class Pickled:
    """Pickles that name their format, so that one of another is refused instead of failing later."""

    def __getstate__(self):
        return {**super().__getstate__(), "_raddle_format": _FORMAT}

    def __setstate__(self, state):
        found = state.get("_raddle_format") if isinstance(state, dict) else None
        if found != _FORMAT:
            has = "names no format" if found is None else f"has the format {found}"
            raise ValueError(
                f"this pickle of {type(self).__name__} {has}, and this version of raddle reads the format "
                f"{_FORMAT} alone: fit the estimator anew, or load it with the version that wrote it"
            )
        super().__setstate__({name: value for name, value in state.items() if name != "_raddle_format"})
