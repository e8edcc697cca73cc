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


def write(file, model):
    """Write a model of clicks to an open file, in the format of numpy."""
    from raddle.mf import AlternatingLeastSquares

    if not isinstance(model, AlternatingLeastSquares):
        raise ValueError("path is an open file: give a folder, or pickle the model")
    arrays, how, seen = model._fitted().__getnewargs__()
    about = {"class": type(model).__name__, "params": _params(model), "about": model._about, "report": model.report_}
    about |= {"digest": model.digest_, "n_iter": model.n_iter_, "how": how, "head": arrays[:2], "seen": seen and seen[0]}
    about["ids"] = {name: getattr(model, name).tolist() for name in ("user_ids_", "item_ids_") if hasattr(model, name)}
    text = json.dumps(about, default=lambda value: value.item() if isinstance(value, np.generic) else str(value))
    parts = {"about": np.array(text), "items": np.empty(0, np.uint32) if seen is None else seen[1]}
    np.savez(file, **parts, **{f"array{at}": array for at, array in enumerate(arrays[2:])})


def _params(model):
    """Return the parameters as a text can hold them: a state of random numbers is none that another process has."""
    params = model.get_params()
    if "dtype" in params:
        params["dtype"] = np.dtype(params["dtype"]).name
    if not isinstance(params["random_state"], (int, np.integer)):
        params["random_state"] = None
    return params


def read(file):
    """Return the model in an open file."""
    from raddle.mf import AlternatingLeastSquares, ImplicitALS

    with np.load(file, allow_pickle=False) as found:
        about = json.loads(str(found["about"]))
        arrays = [found[f"array{at}"] for at in range(4)]
        seen = None if about["seen"] is None else (about["seen"], found["items"])
    model = {"ImplicitALS": ImplicitALS}.get(about["class"], AlternatingLeastSquares)()
    known = {name: value for name, value in about["params"].items() if name in model._parameters}
    model.set_params(**known)
    model._model = _raddle.Factorization((*about["head"], *arrays), tuple(about["how"]), seen)
    model._about, model.report_ = about["about"], about["report"]
    model.digest_, model.n_iter_ = about["digest"], about["n_iter"]
    model.alpha_, model.regularization_ = model._about["implicit"], model._about["reg"]
    for name, ids in about.get("ids", {}).items():
        setattr(model, name, np.array(ids, dtype=object if isinstance(ids[0], str) else np.int64))
    return model


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
