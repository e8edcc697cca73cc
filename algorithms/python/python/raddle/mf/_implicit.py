"""Implicit feedback by alternating least squares."""

import numpy as np

from raddle._common import workers
from raddle.mf._model import Factors, compressed, number, trimmed, whole


class AlternatingLeastSquares(Factors):
    """Factors of users and items from counts, such as clicks or plays, by weighted least squares.

    A value r above 0 says that the user likes the item, one below 0 that the user does not: the preference is 1 or 0,
    with confidence ``1 + alpha * |r|``. Pairs without a value have preference 0 with confidence 1.

    Parameters, methods and the order of arguments are those of `implicit.als.AlternatingLeastSquares` 0.7.

    Parameters
    ----------
    factors : int
        Number of factors of each user and item.
    regularization : float
        Weight of the squared factors, once for each user and item.
    alpha : float
        Weight of a count: a pair with value r has weight ``1 + alpha * |r|``, a pair without a value has weight 1. (In
        implicit the weight is ``alpha * |r|``.)
    iterations : int
        Number of iterations, each of which solves for the users, then for the items.
    use_cg : bool
        Whether to solve by three conjugate gradient steps, and not exactly.
    random_state : int, RandomState, Generator or None
        Seed of the initial factors, or a state to draw it from. None is 42.
    num_threads : int
        Number of workers, 0 for one per core; `n_jobs` takes precedence.
    n_jobs : int or None
        Number of workers in joblib's terms: -1 is one per core. It never changes the model.

    Attributes
    ----------
    user_factors, item_factors : arrays of shape (users, factors) and (items, factors)
        The factors, float32.
    digest_ : str
        SHA-256 of the model, as the program `mf` prints it; `partial_fit_users` does not change it.
    n_iter_ : int
        Number of iterations.
    report_ : dict
        Report of the run, with counts and seconds.

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
            Counts; a count below 0 says that the user does not like the item.
        callback : callable or None
            Called with a record, a dict, after each iteration. The fit ends there if it returns a false value other
            than None.

        Returns
        -------
        AlternatingLeastSquares
            The model itself.
        """
        matrix = compressed("user_items", user_items)
        asked = {
            "rank": whole("factors", self.factors, 1),
            "solver": "als",
            "implicit": True,
            "regularization": _chosen("regularization", self.regularization),
            "biases": True,
            "non_negative": False,
            "alpha": _chosen("alpha", self.alpha),
            "epochs": None if self.iterations is None else whole("iterations", self.iterations, 1),
            "cg_steps": None if self.use_cg else 0,
            "validation": number("validation", getattr(self, "validation", None)),
        }
        self._fit(matrix, asked, True, callback)
        self.alpha_, self.regularization_ = self._about["implicit"], self._about["reg"]
        return self

    def _ids(self):
        # Only a model that was loaded has other ids, and users that were added since have none of these.
        named = getattr(self, "user_ids_", ()), getattr(self, "item_ids_", ())
        return tuple(ids if len(ids) == count else count for ids, count in zip(named, self._fitted().shape))

    @property
    def user_factors(self):
        """Factors of the users; copied on first access."""
        return self._arrays()["user_factors"]

    @property
    def item_factors(self):
        """Factors of the items; copied on first access."""
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
        """Recommend items to one user or to several.

        Parameters
        ----------
        userid : int or array of int
            The users, by row.
        user_items : sparse matrix or None
            The items that these users liked, one row per user. None takes those of the fit, or of `partial_fit_users`.
        N : int
            Number of items in a list.
        filter_already_liked_items : bool
            Whether to leave out the items in `user_items`, or those that the model knows.
        filter_items : array of int or None
            Items to leave out.
        recalculate_user : bool
            Whether to compute the users' factors from `user_items`, without changing the model; users may be new.
        items : array of int or None
            The only items to choose from.

        Returns
        -------
        ids, scores : arrays of shape (n,), or (users, n) for an array of users
            Items and their scores, the best first; of equal scores the lower item comes first. If fewer than `N` items
            are left, the list is shorter; for several users it is padded with -1 and minus infinity. A user without
            observations gets the scores of the mean user.
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
        """Find the items with the most similar factors.

        Parameters
        ----------
        itemid : int or array of int
            The items to compare with.
        N : int
            Number of items in a list.
        filter_items, items : array of int or None
            Items to leave out, or the only ones to choose from.

        Returns
        -------
        ids, scores : arrays of shape (n,), or (items, n) for an array of items
            The item itself, then others in descending order of cosine similarity, which is 0 for an item without
            factors.
        """
        model = self._fitted()
        asked = self._asked(N, "items", items, "filter_items", filter_items, model.shape[1])
        rows, is_one = self._rows("itemid", itemid, model.shape[1])
        found = model.similar(True, rows, asked)
        return trimmed(*found) if is_one else found

    def similar_users(self, userid, N=10, filter_users=None, users=None):
        """Find the users with the most similar factors; like `similar_items`."""
        model = self._fitted()
        asked = self._asked(N, "users", users, "filter_users", filter_users, model.shape[0])
        rows, is_one = self._rows("userid", userid, model.shape[0])
        found = model.similar(False, rows, asked)
        return trimmed(*found) if is_one else found

    def recalculate_user(self, userid, user_items):
        """Return the factors of users, computed from their rows, without changing the model."""
        users, is_one = self._rows("userid", userid, None)
        factors = self._fitted().rows(self._of("user_items", user_items, len(users)))
        return factors[0] if is_one else factors

    def partial_fit_users(self, userids, user_items):
        """Compute the factors of users again and store them in the model; new users are added to it.

        Parameters
        ----------
        userids : array of int
            The users, by row.
        user_items : sparse matrix
            All items that these users liked, one row per user.
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
        """Return the given rows as an array, and whether there was only one."""
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


class ImplicitALS(AlternatingLeastSquares):
    """`AlternatingLeastSquares` that chooses weight and regularization, and when to end.

    Both matter more than the algorithm, and what suits depends on the data. They are chosen by the lists for held-out
    pairs while the fit goes on, the same for any number of workers.

    Parameters
    ----------
    factors : int
        Number of factors of each user and item.
    regularization : float or 'auto'
        Weight of the squared factors, once for each user and item; 'auto' chooses it.
    alpha : float or 'auto'
        Weight of a count; 'auto' chooses it.
    iterations : int or None
        Number of iterations after the choice; None ends them by the lists for held-out pairs.
    validation : float or None
        Fraction of the pairs to hold out, by their hash. With None nothing is chosen: `alpha` is then 5, and
        `regularization` 0.05.
    use_cg, random_state, num_threads, n_jobs
        As in `AlternatingLeastSquares`.

    Attributes
    ----------
    alpha_, regularization_ : float
        The numbers that were chosen or given; all others are those of `AlternatingLeastSquares`.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_matrix
    >>> from raddle.mf import ImplicitALS
    >>> counts = csr_matrix(np.kron(np.eye(2), np.ones((20, 10))))  # two groups, who like ten items each
    >>> model = ImplicitALS(factors=2).fit(counts)
    >>> model.alpha_ > 0 and model.regularization_ > 0
    True
    """

    _parameters = (
        "factors", "regularization", "alpha", "iterations", "validation", "use_cg", "random_state", "num_threads",
        "n_jobs",
    )

    def __init__(
        self,
        factors=32,
        regularization="auto",
        alpha="auto",
        *,
        iterations=None,
        validation=0.05,
        use_cg=True,
        random_state=None,
        num_threads=0,
        n_jobs=None,
    ):
        super().__init__(
            factors,
            regularization,
            alpha,
            iterations=iterations,
            use_cg=use_cg,
            random_state=random_state,
            num_threads=num_threads,
            n_jobs=n_jobs,
        )
        self.validation = validation


def _chosen(name, value):
    """Return a number, or None for one that is chosen."""
    return None if isinstance(value, str) and value == "auto" else number(name, value)
