"""Scheduled model-parallel machine learning.

Each algorithm is a module of its own, loaded when it is asked for:

- `raddle.lasso`: the Lasso and its kin, as estimators of scikit-learn, each with a duality gap;
- `raddle.lda`: topics of documents, as an estimator of scikit-learn.

A model is the same, bit for bit, for any number of workers, and as the command-line programs make it.
"""

from importlib import import_module as _import_module

__all__ = ["lasso", "lda"]


def __getattr__(name):
    if name in __all__:
        return _import_module(f"raddle.{name}")
    if name == "__version__":
        from raddle._raddle import __version__

        return __version__
    raise AttributeError(f"module 'raddle' has no attribute {name!r}")


def __dir__():
    return sorted([*__all__, "__version__"])
