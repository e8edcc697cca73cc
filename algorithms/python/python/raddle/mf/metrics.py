"""Measures of lists of recommendations.

They are those of `implicit.evaluation` 0.7, and more of them, for lists of items by number. `ranking_metrics_at_k` takes
any model with implicit's `recommend`, such as `AlternatingLeastSquares` and `ImplicitALS`, which by default find lists on
all cores; `lists_measured` takes lists of any model.
"""

import numpy as np
from scipy import sparse

from raddle.mf._model import compressed, whole

__all__ = [
    "AUC_at_k",
    "lists_measured",
    "mean_average_precision_at_k",
    "ndcg_at_k",
    "precision_at_k",
    "ranking_metrics_at_k",
]

# Number of users whose lists are in memory at a time.
_USERS = 16384


def ranking_metrics_at_k(model, train_user_items, test_user_items, K=10, show_progress=False, num_threads=None):
    """Measure how well a model's lists find the items of test data.

    Parameters
    ----------
    model : estimator
        A model whose users and items are the rows and columns of both matrices.
    train_user_items : sparse matrix of shape (users, items)
        The items that are not recommended.
    test_user_items : sparse matrix of shape (users, items)
        The items to be found. Users without any are left out.
    K : int
        Length of the lists.
    show_progress, num_threads : ignored
        Accepted without effect: `num_threads` of the model counts.

    Returns
    -------
    dict
        As `lists_measured`; "precision", "map", "ndcg" and "auc" equal those of implicit.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_matrix
    >>> from raddle.mf import AlternatingLeastSquares
    >>> from raddle.mf.metrics import ranking_metrics_at_k
    >>> from raddle.mf.model_selection import leave_k_out_split
    >>> counts = csr_matrix(np.kron(np.eye(2), np.ones((20, 10))))  # two groups, who like ten items each
    >>> train, test = leave_k_out_split(counts, random_state=0)
    >>> model = AlternatingLeastSquares(factors=2).fit(train)
    >>> ranking_metrics_at_k(model, train, test, K=1)["precision"]
    1.0
    """
    test = compressed("test_user_items", test_user_items)
    train = compressed("train_user_items", train_user_items)
    if train.shape != test.shape:
        raise ValueError(f"train_user_items has the shape {train.shape}, and test_user_items {test.shape}")
    sums, everybody = _Sums(whole("K", K, 1), test.shape[1]), np.arange(test.shape[0])
    for start in range(0, len(everybody), _USERS):
        some = everybody[start : start + _USERS]
        with_items = some[np.diff(test.indptr)[some] > 0]
        # To pick rows takes longer than to find a few lists that do not count.
        some = some if 10 * len(with_items) > 9 * len(some) else with_items
        if not len(some):
            continue
        ids, _ = model.recommend(some, _rows(train, some), N=K)
        sums.add(np.asarray(ids), _rows(test, some))
    return sums.means()


def _rows(matrix, rows):
    return matrix if len(rows) == matrix.shape[0] else matrix[rows]


def lists_measured(ids, test_user_items):
    """Measure lists, such as those that `recommend` returns for several users.

    If a user has t test items, h of them among the K of the list:

    - "precision" is the sum of h over users, divided by the sum of min(K, t), as in implicit;
    - "recall" is the mean of h / t;
    - "map" is the mean of the precisions at the places of hits, summed and divided by min(K, t);
    - "ndcg" is the mean of the gain of the list, 1 / log2(1 + place) summed over hits, over its largest possible value;
    - "auc" is the mean area under the ROC curve, where test items that are not in the list are spread evenly over the rest;
    - "mrr" is the mean of 1 / place of the first hit, or of 0;
    - "hit_rate" is the share of users with a hit;
    - "coverage" is the share of all items that are in a list;
    - "users" is the number of users with test items.

    All but the last are from 0 to 1, and larger is better.

    Parameters
    ----------
    ids : array of shape (users, K)
        Items, the best first, each once in a list; -1 where a list is shorter.
    test_user_items : sparse matrix of shape (users, items)
        The items to be found, a row for each list; values above or below 0 count alike.

    Returns
    -------
    dict of float
    """
    ids = np.asarray(ids)
    if ids.ndim != 2 or ids.dtype.kind not in "iu":
        has = f"ids has {ids.ndim} dimensions and values of type {ids.dtype}"
        raise ValueError(f"{has}: give a row of whole numbers for each user")
    test = compressed("test_user_items", test_user_items, len(ids))
    wrong = ids[(ids < -1) | (ids >= test.shape[1])]
    if wrong.size:
        raise ValueError(f"ids has the item {wrong[0]}, and test_user_items has {test.shape[1]} items, from 0")
    ordered = np.sort(ids, axis=1)
    twice = ordered[:, 1:][(ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)]
    if twice.size:
        raise ValueError(f"ids has the item {twice[0]} twice in a list: give each item once")
    sums = _Sums(max(1, ids.shape[1]), test.shape[1])
    sums.add(ids, test)
    return sums.means()


class _Sums:
    """Sums of measures over users."""

    def __init__(self, length, items):
        self.length, self.items, self.users, self.hits, self.possible = length, items, 0, 0, 0
        self.listed = np.zeros(items, dtype=bool)
        self.sums = dict.fromkeys(("recall", "map", "ndcg", "auc", "mrr", "hit_rate"), 0.0)

    def add(self, ids, test):
        wanted = np.diff(test.indptr)
        ids, test, wanted = ids[wanted > 0, : self.length], test.tocsr(), wanted[wanted > 0]
        starts = np.append(0, np.cumsum(wanted))
        is_wanted = sparse.csr_matrix((np.ones(starts[-1], bool), test.indices, starts), (len(wanted), self.items))
        rows, is_hit = np.repeat(np.arange(len(ids)), ids.shape[1]), ids >= 0
        if ids.size:
            is_hit &= np.asarray(is_wanted[rows, np.maximum(ids, 0).ravel()]).reshape(ids.shape)
        self.listed[ids[ids >= 0]] = True
        places = np.arange(1, ids.shape[1] + 1)
        hits, most = is_hit.sum(1), np.minimum(wanted, self.length)
        gains = 1.0 / np.log2(1.0 + np.arange(1, self.length + 1))
        missed = (ids >= 0) & ~is_hit
        others = (self.items - wanted).astype(float)
        # Pairs of a test item before another one; those beyond the list are on average half way.
        won = (missed * np.cumsum(is_hit, 1)).sum(1) + (hits + wanted) / 2.0 * (others - missed.sum(1))
        first = np.where(hits > 0, 1.0 / (is_hit.argmax(1) + 1.0), 0.0) if ids.shape[1] else np.zeros(len(ids))
        for name, values in {
            "recall": hits / wanted,
            "map": (is_hit * np.cumsum(is_hit, 1) / places).sum(1) / most,
            "ndcg": (is_hit @ gains[: ids.shape[1]]) / np.cumsum(gains)[most - 1],
            "auc": np.divide(won, wanted * others, out=np.full(len(ids), 0.5), where=others > 0),
            "mrr": first,
            "hit_rate": hits > 0,
        }.items():
            self.sums[name] += float(values.sum())
        self.users, self.hits, self.possible = self.users + len(ids), self.hits + hits.sum(), self.possible + most.sum()

    def means(self):
        means = {name: value / max(1, self.users) for name, value in self.sums.items()}
        precision, coverage = float(self.hits / max(1, self.possible)), float(self.listed.mean())
        return {"precision": precision, **means, "coverage": coverage, "users": self.users}


def _one(name):
    def measure(model, train_user_items, test_user_items, K=10, show_progress=False, num_threads=None):
        return ranking_metrics_at_k(model, train_user_items, test_user_items, K)[name]

    measure.__doc__ = f"""Return "{name}" of `ranking_metrics_at_k`, which has the same parameters."""
    return measure


precision_at_k, mean_average_precision_at_k = _one("precision"), _one("map")
ndcg_at_k, AUC_at_k = _one("ndcg"), _one("auc")
