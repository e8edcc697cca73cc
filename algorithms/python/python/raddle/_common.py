"""Functions shared by the estimators of all modules."""

import contextlib
import importlib.util
import json
import numbers
import os

import numpy as np
from scipy import sparse

# Of what an estimator keeps. It rises when what an older one kept can no longer be used.
_FORMAT = 2


def workers(n_jobs):
    """Return the number of workers for `n_jobs` in joblib's terms: None is 1, -1 all cores, -2 all but one."""
    if n_jobs is None:
        return 1
    if isinstance(n_jobs, bool) or int(n_jobs) != n_jobs or n_jobs == 0:
        raise ValueError(f"n_jobs is {n_jobs!r}: it must be a whole number but 0, or None")
    return int(n_jobs) if n_jobs > 0 else max(1, _cores() + 1 + int(n_jobs))


def _cores():
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def requires_sklearn(module):
    """Raise the error for a module without scikit-learn, whose estimators it has."""
    if importlib.util.find_spec("sklearn") is None:
        raise ImportError(f"{module} needs scikit-learn: pip install 'raddle[sklearn]'")


def refuse(name, value, must):
    """Raise the error for a parameter out of range."""
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
    """Return the seed: the given number, or one drawn from a state or a generator; None is numpy's global state."""
    most = np.iinfo(np.int32).max
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(most))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(most))
    if random_state is None or random_state is np.random:
        return int(np.random.randint(most))
    return whole("random_state", random_state, 0)


def not_fitted(estimator):
    """Return the error for an estimator that is not fitted: scikit-learn's, if that is installed."""
    try:
        from sklearn.exceptions import NotFittedError as error
    except ImportError:
        error = ValueError
    return error(f"this {type(estimator).__name__} is not fitted: call fit first")


@contextlib.contextmanager
def progress(callback, total, shown):
    """Yield a callback that also shows a bar of `total` steps by tqdm, if it is to be shown."""
    if not shown:
        yield callback
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        raise ImportError("a bar of progress needs tqdm: pip install tqdm, or leave it out") from None
    with tqdm(total=total) as bar:

        def called(record):
            bar.update(record["epoch"] - bar.n)
            return None if callback is None else callback(record)

        yield called


def aligned(X):
    """Return X, copied only if its memory is not aligned."""
    if sparse.issparse(X):
        is_aligned = all(part.flags.aligned for part in (X.data, X.indices, X.indptr))
    else:
        is_aligned = X.flags.aligned
    return X if is_aligned else X.copy()


def report_of(path):
    """Return the report of the run in a folder; an empty one if the folder has only a model."""
    try:
        with open(os.path.join(path, "report.json"), encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        return {}


class Pickled:
    """A class whose pickles name their format, so that one of another format is refused instead of failing later."""

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
