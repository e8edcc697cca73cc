"""Splits of ratings or clicks into training and test data.

For a sparse matrix of users by items there are `train_test_split` and `leave_k_out_split` of `implicit.evaluation` 0.7. For
columns of ids, such as those of a frame, there are `split_at_random`, `split_by_time` and `leave_one_out`, which return
positions. All warn of users who have test data and no training data: a model knows nothing of them.
"""

import warnings

import numpy as np

from raddle.mf._ids import Ids, as_column
from raddle.mf._model import compressed, sparse_only, whole

__all__ = ["leave_k_out_split", "leave_one_out", "split_at_random", "split_by_time", "train_test_split"]


def train_test_split(ratings, train_percentage=0.8, random_state=None, *, warns=True):
    """Split the entries of a matrix at random, as implicit does.

    Parameters
    ----------
    ratings : sparse matrix of shape (users, items)
        Ratings or counts.
    train_percentage : float
        Share of the entries for training, between 0 and 1.
    random_state : int, RandomState, Generator or None
        Seed of the split, or a state to draw it from. None is another split each time.
    warns : bool
        Whether to warn of users who have test data and no training data.

    Returns
    -------
    train, test : csr_matrix of shape (users, items)
        Values below 0 are left out of the test data.

    Examples
    --------
    >>> from scipy.sparse import random
    >>> from raddle.mf.model_selection import train_test_split
    >>> train, test = train_test_split(random(50, 40, 0.5, random_state=0), 0.8, random_state=0)
    >>> train.nnz + test.nnz, train.multiply(test).nnz
    (1000, 0)
    """
    share = _share("train_percentage", train_percentage)
    given = sparse_only("ratings", ratings).tocoo()
    is_train = _state(random_state).random(len(given.data)) < share
    return _parts(given, is_train, warns)


def leave_k_out_split(ratings, K=1, train_only_size=0.0, random_state=None):
    """Hold out K entries of each user who has more than K + 1, at random.

    Parameters
    ----------
    ratings : sparse matrix of shape (users, items)
        Ratings or counts.
    K : int
        Number of entries to hold out for each user, at least 1.
    train_only_size : float
        Share of the users of whom nothing is held out, from 0 to below 1.
    random_state : int, RandomState, Generator or None
        Seed of the split, or a state to draw it from. None is another split each time.

    Returns
    -------
    train, test : csr_matrix of shape (users, items)
    """
    K = whole("K", K, 1)
    if not isinstance(train_only_size, (int, float, np.floating)) or not 0.0 <= train_only_size < 1.0:
        raise ValueError(f"train_only_size is {train_only_size!r}: it must be at least 0 and below 1")
    given, state = compressed("ratings", ratings).tocoo(), _state(random_state)
    counts = np.bincount(given.row, minlength=given.shape[0])
    candidates = np.flatnonzero(counts > K + 1)
    kept = state.permutation(candidates)[int(len(candidates) * train_only_size) :]
    is_candidate = np.isin(given.row, kept)
    return _parts(given, ~(is_candidate & (_places(given.row, state.random(len(given.row))) < K)), True)


def split_at_random(users, test_size=0.2, random_state=None):
    """Split rows at random.

    Parameters
    ----------
    users : column of ids
        The user of each row.
    test_size : float
        Share of the rows for tests, between 0 and 1.
    random_state : int, RandomState, Generator or None
        Seed of the split, or a state to draw it from. None is another split each time.

    Returns
    -------
    train, test : arrays of int
        Positions of rows, ascending.
    """
    share, rows = _share("test_size", test_size), _rows(users)
    return _positions(users, rows, _state(random_state).random(len(rows)) < share)


def split_by_time(users, times, test_size=0.2, at=None):
    """Split rows by time: what came last is for tests.

    Parameters
    ----------
    users : column of ids
        The user of each row.
    times : column of numbers or dates
        When each row was made.
    test_size : float
        Share of the rows for tests, between 0 and 1; at least one row. Rows of the same time stay together, in
        training.
    at : number or date or None
        The first moment of the test data, instead of `test_size`.

    Returns
    -------
    train, test : arrays of int
        Positions of rows, ascending. Neither is empty: a split that leaves nothing on one side is refused.

    Examples
    --------
    >>> from raddle.mf.model_selection import split_by_time
    >>> train, test = split_by_time(["ann", "bob", "ann", "bob"], [1, 2, 3, 4], at=3)
    >>> train.tolist(), test.tolist()
    ([0, 1], [2, 3])
    """
    share, rows = _share("test_size", test_size), _rows(users)
    times = _times(times, rows)
    if at is not None:
        is_test, given = _from(times, at), f"at is {at!r}"
    else:
        is_test, given = _latest(times, share), f"test_size is {share}"
    for side, rows_of in (("tests", is_test), ("training", ~is_test)):
        if not rows_of.any():
            raise ValueError(f"{given}: no row is left for {side}; give a time after the first, up to the last, as at")
    return _positions(users, rows, is_test)


def leave_one_out(users, times=None, random_state=None):
    """Hold out one row of each user who has at least two.

    Parameters
    ----------
    users : column of ids
        The user of each row.
    times : column of numbers or dates, or None
        The last row of each user is held out; of several the last in the column. None holds out a row at random.
    random_state : int, RandomState, Generator or None
        Seed of the split, or a state to draw it from, without `times`.

    Returns
    -------
    train, test : arrays of int
        Positions of rows, ascending.
    """
    rows = _rows(users)
    order = _state(random_state).random(len(rows)) if times is None else _times(times, rows)
    at = np.lexsort((np.arange(len(rows)), order, rows))
    is_last = np.append(rows[at][1:] != rows[at][:-1], True) if len(at) else np.zeros(0, bool)
    is_test = np.zeros(len(rows), dtype=bool)
    is_test[at[is_last]] = True
    return _positions(users, rows, is_test & (np.bincount(rows)[rows] > 1))


def _rows(users):
    return Ids.of("users", users)[0]


def _times(times, rows):
    """Return the time of each row."""
    times = np.asarray(times)
    if times.shape != rows.shape:
        raise ValueError(f"times has {times.size} values, and users {rows.size}: give one for each")
    if times.dtype.kind in "Oc":
        raise ValueError("times must be numbers or dates, such as of numpy.datetime64, and none may be missing")
    if (times != times).any():
        raise ValueError("times has missing values: leave such rows out")
    return times


def _from(times, at):
    """Return whether times are those of a moment or later ones."""
    try:
        # A number is compared as it is; a date may be a text.
        moment = np.asarray(at, dtype=f"{times.dtype.kind}8" if times.dtype.kind in "mM" else None)
        if moment.ndim == 0 and moment == moment:
            return times >= moment
    except (TypeError, ValueError):
        pass
    raise ValueError(f"at is {at!r}: it must be one moment, a number or a date as times has them")


def _latest(times, share):
    """Return whether times are among the latest, of which there are a share, and later than all others."""
    if len(times) < 2:
        return np.zeros(len(times), dtype=bool)
    count = min(max(1, int(round(share * len(times)))), len(times) - 1)
    return times > np.sort(times)[-1 - count]


def _places(rows, keys):
    """Return the place of each entry among those of its row, by keys."""
    order = np.lexsort((keys, rows))
    starts = np.searchsorted(rows[order], rows[order])
    places = np.empty(len(rows), dtype=np.int64)
    places[order] = np.arange(len(rows)) - starts
    return places


def _positions(users, rows, is_test):
    alone = np.setdiff1d(rows[is_test], rows[~is_test])
    # Rows are numbered from 0 without gaps.
    _warn(as_column("users", users)[np.unique(rows, return_index=True)[1][alone]].tolist())
    return np.flatnonzero(~is_test), np.flatnonzero(is_test)


def _parts(given, is_train, warns):
    def part(chosen):
        entries = given.data[chosen], (given.row[chosen], given.col[chosen])
        return type(given)(entries, shape=given.shape, dtype=given.dtype).tocsr()

    train, test = part(is_train), part(~is_train)
    test.data[test.data < 0] = 0
    test.eliminate_zeros()
    if warns:
        _warn(np.flatnonzero((np.diff(test.indptr) > 0) & (np.diff(train.indptr) == 0)).tolist())
    return train, test


def _warn(users):
    if users:
        warnings.warn(
            f"the split leaves users without training data: {len(users)}, such as {users[0]!r}, of whom a model knows "
            "nothing",
            stacklevel=4,
        )


def _share(name, value):
    if not isinstance(value, (int, float, np.floating)) or not 0.0 < value < 1.0:
        raise ValueError(f"{name} is {value!r}: it must be between 0 and 1")
    return float(value)


def _state(random_state):
    if isinstance(random_state, (np.random.RandomState, np.random.Generator)):
        return random_state
    if random_state is not None:
        random_state = whole("random_state", random_state, 0)
    return np.random.default_rng(random_state)
