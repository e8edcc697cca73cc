"""Models in folders, as the program `mf` writes and reads them."""

import os

import numpy as np

from raddle import _raddle
from raddle.mf._ids import Ids
from raddle.mf._implicit import AlternatingLeastSquares
from raddle.mf._ratings import MatrixFactorization


def load(path):
    """Read a model that the program `mf`, or `save`, has written.

    What was not written is not known: `report_` and `n_iter_` are None, no items are known to be rated, and parameters
    that only concern the fit have their defaults.

    Parameters
    ----------
    path : str or path
        The folder that the program's `--out` names.

    Returns
    -------
    AlternatingLeastSquares or MatrixFactorization
        The former for a model of implicit feedback; its `users_` and `items_` are the ids of its rows.
    """
    native, facts = _raddle.open_mf(os.fspath(path))
    users, items = (Ids(_array(facts[name])) for name in ("users", "items"))
    if facts["alpha"] is None:
        model = MatrixFactorization(
            facts["rank"], regularization=facts["regularization"], biases=facts["biases"]
        )
    else:
        model = AlternatingLeastSquares(facts["rank"], facts["regularization"], facts["alpha"])
    model._user_ids, model._item_ids = users, items
    model._keep(native, facts)
    model.digest_, model.report_, model.n_iter_ = native.digest(), None, None
    return model


def _array(ids):
    if isinstance(ids, np.ndarray):
        return ids
    named = np.empty(len(ids), dtype=object)
    named[:] = ids
    return named
