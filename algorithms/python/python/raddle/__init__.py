"""Scheduled model-parallel machine learning.

Each algorithm is a module, which is loaded on first use:

- `raddle.lasso`: the Lasso and related models, as estimators of scikit-learn with a duality gap;
- `raddle.linear`: support vector machines and logistic regression, as estimators of scikit-learn with a duality gap;
- `raddle.mf`: matrix factorization of ratings and clicks, and recommendations;
- `raddle.lda`: topics of documents, as an estimator of scikit-learn.

A model is the same, bit for bit, for any number of workers and when a command-line program fits it: the programs read
what `save` writes, and `load` reads what they write.
"""

from importlib import import_module as _import_module

__all__ = ["lasso", "lda", "linear", "mf"]


def load(path, **which):
    """Load the model in a folder, written by a program or by `save`, as an estimator.

    Parameters
    ----------
    path : str or path
        The folder.
    **which
        For a path of `lasso`: `point`, the number of the point from 1; by default the last.

    Returns
    -------
    estimator
        A fitted estimator of `raddle.lasso`, `raddle.linear`, `raddle.mf` or `raddle.lda`. Parameters that a folder
        does not have, such as `n_jobs`, have their defaults.

    Notes
    -----
    A model that the program `lasso` or `linear` fitted to a table with texts or missing numbers predicts from a frame
    with the same columns, and encodes it as the program does: texts as one column per level, missing numbers as the
    means of a fit with ``--missing mean``. Columns are found by name, and others are ignored.
    """
    import os

    from raddle import _raddle

    program = _raddle.program_of(os.fspath(path))
    if program not in __all__:
        raise ValueError(f"{os.fspath(path)}: a model of {program}, which this version of raddle does not load")
    return _import_module(f"raddle.{program}").load(path, **which)


def __getattr__(name):
    if name in __all__:
        return _import_module(f"raddle.{name}")
    if name == "__version__":
        from raddle._raddle import __version__

        return __version__
    raise AttributeError(f"module 'raddle' has no attribute {name!r}")


def __dir__():
    return sorted([*__all__, "__version__", "load"])
