"""Implicit feedback by alternating least squares."""

import numpy as np

from raddle._common import workers
from raddle.mf._model import Factors, compressed, number, trimmed, whole


class AlternatingLeastSquares(Factors):
    """Factors of users and items from counts, such as clicks or plays, by weighted least squares.

    A value r above 0 says that the user prefers the item, one below 0 that the user does not: the preference is 1 or 0,
    with the confidence ``1 + alpha * |r|``. Of pairs that are not there the preference is 0, with the confidence 1.

    Parameters, methods and the order of arguments are those of `implicit.als.AlternatingLeastSquares` 0.7.

    Parameters
    ----------
    factors : int
        Factors of each user and item.
    regularization : float
        Weight of the squared factors, once for each user and item.
    alpha : float
        Weight of a count: a pair of value r weighs ``1 + alpha * |r|`` against 1 for pairs that did not occur. (In
        implicit it weighs ``alpha * |r|``.)
    iterations : int
        Iterations, each of which solves the users, then the items.
    use_cg : bool
        Solves by three conjugate gradient steps; else exactly.
    random_state : int, RandomState, Generator or None
        Names the first factors; None is 42. The model is the same each time.
    num_threads : int
        Workers, 0 for one a core; `n_jobs`, where it is given, goes before.
    n_jobs : int or None
        Workers as joblib counts them: -1 is one a core. They never change the model.

    Attributes
    ----------
    user_factors, item_factors : arrays of shape (users, factors) and (items, factors)
        The factors, float32.
    digest_ : str
        SHA-256 of the model, as the program `mf` prints it. After `partial_fit_users` it is that of the fit.
    n_iter_ : int
        Iterations that were carried out.
    report_ : dict
        Counts and seconds of the run.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_matrix
    >>> from raddle.mf import AlternatingLeastSquares
    >>> counts = csr_matrix(np.kron(np.eye(2), np.ones((4, 5))))  # two groups, who like five items each
    >>> counts[0, 4] = 0
    >>> model = AlternatingLeastSquares(factors=2, alpha=5.0).fit(counts)
    >>> ids, scores = model.recommend(0, counts[0], N=1)
    >>> ids
    array([4], dtype=int32)
    >>> ids, scores = model.similar_items(4, N=5)
    >>> int(ids[0]), float(scores[0]), sorted(ids.tolist())
    (4, 1.0, [0, 1, 2, 3, 4])
    """

    _parameters = (
        "factors", "regularization", "alpha", "iterations", "use_cg", "random_state", "num_threads", "n_jobs",
    )

    def __init__(
        self,
        factors=100,
        regularization=0.01,
        alpha=1.0,
        *,
        iterations=15,
        use_cg=True,
        random_state=None,
        num_threads=0,
        n_jobs=None,
    ):
        self.factors = factors
        self.regularization = regularization
        self.alpha = alpha
        self.iterations = iterations
        self.use_cg = use_cg
        self.random_state = random_state
        self.num_threads = num_threads
        self.n_jobs = n_jobs

    def fit(self, user_items, *, callback=None):
        """Fit the model.

        Parameters
        ----------
        user_items : sparse matrix of shape (users, items)
            Counts; those below 0 are of what users do not prefer.
        callback : callable or None
            Called with a record, a dict, after each iteration; what is false, but for None, ends the fit there.

        Returns
        -------
        AlternatingLeastSquares
            The model itself.
        """
        matrix = compressed("user_items", user_items)
        asked = {
            "rank": whole("factors", self.factors, 1),
            "solver": "als",
            "regularization": number("regularization", self.regularization),
            "biases": True,
            "non_negative": False,
            "alpha": number("alpha", self.alpha),
            "epochs": whole("iterations", self.iterations, 1),
            "cg_steps": None if self.use_cg else 0,
            "validation": None,
        }
        self._fit(matrix, asked, True, callback)
        return self

    def _ids(self):
        # Only a model that was loaded has other ids, and users that were added since have none of these.
        named = getattr(self, "user_ids_", ()), getattr(self, "item_ids_", ())
        return tuple(ids if len(ids) == count else count for ids, count in zip(named, self._fitted().shape))

    @property
    def user_factors(self):
        """Factors of the users; a copy that is made once."""
        return self._arrays()["user_factors"]

    @property
    def item_factors(self):
        """Factors of the items; a copy that is made once."""
        return self._arrays()["item_factors"]

    def recommend(
        self,
        userid,
        user_items=None,
        N=10,
        filter_already_liked_items=True,
        filter_items=None,
        recalculate_user=False,
        items=None,
    ):
        """Recommend items to a user or to many.

        Parameters
        ----------
        userid : int or array of int
            The users, by row.
        user_items : sparse matrix or None
            A row for each of these users: what they have liked. None takes what the fit, or `partial_fit_users`, knows
            of them.
        N : int
            Length of a list.
        filter_already_liked_items : bool
            Leaves out what `user_items` has, or what is known of the users.
        filter_items : array of int or None
            Items to leave out.
        recalculate_user : bool
            Finds the users' factors from `user_items`, beside the model, which stays as it is; users may be new.
        items : array of int or None
            The only items to choose from.

        Returns
        -------
        ids, scores : arrays of shape (n,), or (users, n) for an array of users
            Items and their scores, the best first; ties go to the lower item. There are fewer than `N` where no
            others are left; among many users the ends of such lists are -1 and minus infinity. A user of whom nothing
            was learned gets the scores of the mean user.
        """
        model = self._fitted()
        users, is_one = self._rows("userid", userid, None if recalculate_user else model.shape[0])
        rows = None
        if user_items is not None and filter_already_liked_items or recalculate_user:
            rows = compressed("user_items", user_items, len(users), model.shape[1])
        asked = self._asked(N, "items", items, "filter_items", filter_items, model.shape[1])
        found = model.recommend(users, rows, asked, bool(filter_already_liked_items), bool(recalculate_user))
        return trimmed(*found) if is_one else found

    def similar_items(self, itemid, N=10, *, filter_items=None, items=None):
        """Find the items whose factors point the same way.

        Parameters
        ----------
        itemid : int or array of int
            The items that are asked about.
        N : int
            Length of a list.
        filter_items, items : array of int or None
            Items to leave out, or the only ones to choose from.

        Returns
        -------
        ids, scores : arrays of shape (n,), or (items, n) for an array of items
            The item itself, then others by their cosine, from 1 to -1; 0 where one has no factors.
        """
        model = self._fitted()
        asked = self._asked(N, "items", items, "filter_items", filter_items, model.shape[1])
        rows, is_one = self._rows("itemid", itemid, model.shape[1])
        found = model.similar(True, rows, asked)
        return trimmed(*found) if is_one else found

    def similar_users(self, userid, N=10, filter_users=None, users=None):
        """Find the users whose factors point the same way; as `similar_items`."""
        model = self._fitted()
        asked = self._asked(N, "users", users, "filter_users", filter_users, model.shape[0])
        rows, is_one = self._rows("userid", userid, model.shape[0])
        found = model.similar(False, rows, asked)
        return trimmed(*found) if is_one else found

    def recalculate_user(self, userid, user_items):
        """Return factors of users, found from their rows, which the model does not take in."""
        users, is_one = self._rows("userid", userid, None)
        factors = self._fitted().rows(self._of("user_items", user_items, len(users)))
        return factors[0] if is_one else factors

    def partial_fit_users(self, userids, user_items):
        """Find the factors of some users anew, and keep them; users beyond the model are added to it.

        Parameters
        ----------
        userids : array of int
            The users, by row.
        user_items : sparse matrix
            A row for each of them: all that they have liked.
        """
        users, _ = self._rows("userids", np.atleast_1d(userids), None)
        self._fitted().refit_users(users, self._of("user_items", user_items, len(users)))
        self.__dict__.pop("_copies", None)

    def _of(self, name, matrix, rows):
        return compressed(name, matrix, rows, self._fitted().shape[1])

    def _workers(self):
        if self.n_jobs is not None:
            return workers(self.n_jobs)
        return workers(whole("num_threads", self.num_threads, 0) or -1)

    def _asked(self, N, name, only, other, without, count):
        if only is not None and without is not None and len(np.atleast_1d(without)):
            raise ValueError(f"give {name} or {other}, not both")
        only = None if only is None else self._rows(name, np.atleast_1d(only), count)[0]
        without = None if without is None else self._rows(other, np.atleast_1d(without), count)[0]
        return self._list(N, only, without)

    @staticmethod
    def _rows(name, given, count):
        """Rows that are asked for, and whether it is one alone."""
        rows = np.asarray(given)
        if rows.size == 0:
            rows = rows.astype(np.int64)
        if rows.ndim > 1 or rows.dtype.kind not in "iu":
            raise ValueError(f"{name} must be a whole number or an array of them")
        most = 2**32 - 1 if count is None else count
        wrong = rows[(rows < 0) | (rows >= most)]
        if wrong.size:
            raise IndexError(f"{name}: {wrong.flat[0]} is not in the model, which has {most}")
        return np.atleast_1d(rows).astype(np.uint32), rows.ndim == 0
