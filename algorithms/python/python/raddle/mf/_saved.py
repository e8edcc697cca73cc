"""Saves and loads models in folders, as the program `mf` does."""

import json
import os

import numpy as np

from raddle import _raddle
from raddle._common import report_of


def save(path, model, about, ids, overwrite, seen):
    """Write a model with the ids of its users and items and, if `seen`, the items that users have rated."""
    given = tuple(each if isinstance(each, int) else _plain(each) for each in ids)
    _raddle.save_mf(os.fspath(path), json.dumps(about), model, given, (overwrite, seen))


def _plain(ids):
    if ids.dtype.kind in "iu":
        return ids.astype(np.int64)
    texts = [id.decode() if isinstance(id, bytes) else str(id) for id in ids.tolist()]
    if len(set(texts)) < len(texts):
        twice = next(text for at, text in enumerate(texts) if text in texts[:at])
        raise ValueError(f"two ids are the text {twice!r} in a folder: give ids of one kind")
    return texts


def _array(ids):
    """Return the ids of rows as an array."""
    if isinstance(ids, int):
        return np.arange(ids)
    return ids if isinstance(ids, np.ndarray) else np.array(ids, dtype=object)


def load(path):
    """Return the model in a folder.

    It is an `AlternatingLeastSquares` or, if a pair weighs 1 more than its count, an `ImplicitALS` for implicit
    feedback, else a `MatrixFactorization`.
    """
    from raddle.mf import AlternatingLeastSquares, ImplicitALS, MatrixFactorization
    from raddle.mf._ids import Ids

    path = os.fspath(path)
    found = _raddle.open_mf(path)
    about = json.loads(found["about"])
    users, items = _array(found["users"]), _array(found["items"])
    if about["implicit"] is None:
        model = MatrixFactorization(rank=about["rank"], regularization=about["reg"], biases=about["biases"])
        model._user_ids, model._item_ids = Ids(users), Ids(items)
        model.learned_, model.validation_error_, model.best_iter_ = about["learned"], about["best"], about["best_epoch"]
    else:
        of_class = AlternatingLeastSquares if about.get("count_alone") else ImplicitALS
        model = of_class(about["rank"], about["reg"], about["implicit"])
        model.alpha_, model.regularization_ = about["implicit"], about["reg"]
        model.user_ids_, model.item_ids_ = users, items
    model.report_ = report_of(path)
    model.n_iter_ = model.report_.get("epochs", about["best_epoch"])
    model._model, model._about, model.digest_ = found["model"], about, found["digest"]
    return model
