"""Scheduled model-parallel machine learning.

Each algorithm is a module of its own, loaded when it is asked for:

- `raddle.lasso`: the Lasso and its kin, as estimators of scikit-learn, each with a duality gap;
- `raddle.linear`: support vector machines and logistic regression, as estimators of scikit-learn, each with a gap, too;
- `raddle.mf`: matrix factorization of ratings and clicks, and recommendations;
- `raddle.lda`: topics of documents, as an estimator of scikit-learn.

A model is the same, bit for bit, for any number of workers, and as the command-line programs make it: they read what
`save` writes, and `load` reads what they write.
"""

from importlib import import_module as _import_module

__all__ = ["lasso", "lda", "linear", "mf"]


def load(path, **which):
    """Return the model in a folder that a program or `save` wrote, as an estimator.

    Parameters
    ----------
    path : str or path
        The folder.
    **which
        Of a path of `lasso`: `point`, from 1; else the last is returned.

    Returns
    -------
    estimator
        Of `raddle.lasso`, `raddle.linear`, `raddle.mf` or `raddle.lda`, fitted. What a folder does not tell, such as
        `n_jobs`, is as by default.

    Notes
    -----
    A model that the program `lasso` or `linear` made of a table with texts or missing numbers predicts from a frame of the
    same columns, and prepares it as the program does: texts as a column a level, missing numbers filled with the means of
    a fit with ``--missing mean``. Columns are found by name, and others left out.
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
