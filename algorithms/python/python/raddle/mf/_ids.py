"""Ids of users and items: of any kind, numbered as the programs number them."""

import numpy as np

from raddle import _raddle

# A row that no model has.
UNKNOWN = np.uint32(0xFFFFFFFF)


class Ids:
    """The ids of rows.

    If the ids are exactly the whole numbers from 0 on, the row is the id; other ids are numbered in the order of their
    first appearance.
    """

    def __init__(self, ids):
        self.ids = ids
        self._sorter = self._index = None

    @classmethod
    def of(cls, name, column):
        """Return the row of each id of a column, and the ids."""
        values = as_column(name, column)
        if values.dtype.kind in "iu":
            rows, ids = _raddle.number_ids(values.astype(np.int64))
            return rows, cls(ids)
        known = {}
        rows = np.fromiter((known.setdefault(id, len(known)) for id in values.tolist()), np.uint32, len(values))
        ids = np.empty(len(known), dtype=object)
        ids[:] = list(known)
        return rows, cls(ids if values.dtype == object else ids.astype(values.dtype))

    def rows(self, name, column):
        """Return the rows of ids; `UNKNOWN` for an id without a row."""
        values = as_column(name, column)
        if self.ids.dtype.kind == "i" and values.dtype != object:
            if values.dtype.kind not in "iu":
                return np.full(len(values), UNKNOWN)
            values = values.astype(np.int64)
            if self._sorter is None:
                self._sorter = np.argsort(self.ids, kind="stable")
            found = np.searchsorted(self.ids, values, sorter=self._sorter)
            rows = self._sorter[np.minimum(found, len(self.ids) - 1)]
            return np.where(self.ids[rows] == values, rows, UNKNOWN).astype(np.uint32)
        if self._index is None:
            self._index = {id: row for row, id in enumerate(self.ids.tolist())}
        rows = np.fromiter((self._index.get(id, UNKNOWN) for id in values.tolist()), np.uint32, len(values))
        if self.ids.dtype.kind == "i":
            # To a dict, truth is 0 or 1, and a number with a fraction of 0 is whole.
            rows[[_type(id) is not int for id in values.tolist()]] = UNKNOWN
        return rows

    def known(self, name, column):
        """Return the rows of ids; raise an error if one is unknown."""
        rows = self.rows(name, column)
        if (rows == UNKNOWN).any():
            wrong = as_column(name, column)[rows == UNKNOWN].tolist()[0]
            raise ValueError(f"{name}: the model has no {wrong!r}; give an id that it was fitted on")
        return rows

    def placed(self, name, ids):
        """Return the rows of ids, and all ids with new ones after the others; they must be of the same type."""
        rows = self.rows(name, ids)
        new = rows == UNKNOWN
        more = as_column(name, ids)[new]
        if not len(more):
            return rows, self.ids
        types, is_whole = _types(self.ids), self.ids.dtype.kind == "i"
        for id in more.tolist():
            if _type(id) not in types or is_whole and not -(2**63) <= id < 2**63:
                raise ValueError(f"{name}: {id!r} is of another type than the ids of the fit")
        rows[new] = np.arange(len(self.ids), len(self.ids) + len(more), dtype=np.uint32)
        return rows, np.concatenate([self.ids, more.astype(np.int64) if is_whole else more])

    def __getstate__(self):
        return {"ids": self.ids}

    def __setstate__(self, state):
        self.__init__(state["ids"])


def _types(ids):
    """Return the types of ids."""
    of_all = {"i": int, "U": str, "T": str, "S": bytes}.get(ids.dtype.kind)
    return {_type(id) for id in ids.tolist()} if of_all is None else {of_all}


def _type(id):
    known = {bool: (bool, np.bool_), int: (int, np.integer), str: str, bytes: bytes}
    return next((of for of, kinds in known.items() if isinstance(id, kinds)), type(id))


def as_column(name, column):
    """Return a column of ids as an array of whole numbers or objects."""
    values = np.asarray(column)
    if values.ndim != 1:
        raise ValueError(f"{name} must be one column, and has {values.ndim} dimensions")
    if values.size == 0 and values.dtype.kind == "f":
        return values.astype(np.int64)
    if values.dtype.kind == "u" and values.size and values.max() > np.iinfo(np.int64).max:
        return values.astype(object)
    if values.dtype.kind in "fc":
        raise ValueError(f"{name} has numbers with fractions, or missing ones: ids are whole numbers or text")
    if values.dtype.kind in "iuUST":
        return values
    values = values.astype(object)
    missing = [at for at, id in enumerate(values.tolist()) if id is None or _is_nothing(id)]
    if missing:
        raise ValueError(f"{name}: the id of rating {missing[0] + 1} is missing")
    return values


def _is_nothing(id):
    # pandas.NA is equal to nothing, and to compare it gives itself.
    return type(id).__name__ in ("NAType", "NaTType") or id != id
