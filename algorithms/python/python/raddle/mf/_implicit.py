"""Implicit feedback by alternating least squares."""

import inspect

import numpy as np

from raddle._common import progress, workers
from raddle.mf._explained import explained
from raddle.mf._model import Factors, compressed, number, trimmed, whole


class AlternatingLeastSquares(Factors):
    """Factors of users and items from counts, such as clicks or plays, by weighted least squares.

    A value r above 0 says that the user likes the item, one below 0 that the user does not: the preference is 1 or 0,
    with confidence ``alpha * |r|``. Pairs without a value have preference 0 with confidence 1.

    Parameters, methods, defaults and the order of arguments are those of `implicit.als.AlternatingLeastSquares` 0.7.
    `ImplicitALS` counts a pair as ``1 + alpha * |r|``, and chooses `alpha` and `regularization`.

    Parameters
    ----------
    factors : int
        Number of factors of each user and item.
    regularization : float
        Weight of the squared factors, once for each user and item.
    alpha : float
        Weight of a count, above 0: a pair with value r has weight ``alpha * |r|``, a pair without a value has weight 1.
    dtype : 'float32' or 'float64'
        Type of `user_factors` and `item_factors`; they are computed in single precision whatever it is.
    use_native : bool
        Accepted without effect: fits are always native.
    use_cg : bool
        Whether to solve by three conjugate gradient steps, and not exactly.
    use_gpu : bool
        Must be False.
    iterations : int
        Number of iterations, at least 1, each of which solves for the users, then for the items.
    calculate_training_loss : bool
        Accepted without effect: `report_` has what a fit measures.
    num_threads : int
        Number of workers, 0 for one per core; `n_jobs` takes precedence.
    random_state : int, RandomState, Generator or None
        Seed of the initial factors, or a state to draw it from. None is 42.
    n_jobs : int or None
        Number of workers in joblib's terms: -1 is one per core. It never changes the model.

    Attributes
    ----------
    user_factors, item_factors : arrays of shape (users, factors) and (items, factors)
        The factors.
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
        "factors", "regularization", "alpha", "dtype", "use_native", "use_cg", "use_gpu", "iterations",
        "calculate_training_loss", "num_threads", "random_state", "n_jobs",
    )
    _count_alone = True

    def __init__(
        self,
        factors=100,
        regularization=0.01,
        alpha=1.0,
        dtype="float32",
        use_native=True,
        use_cg=True,
        use_gpu=False,
        iterations=15,
        calculate_training_loss=False,
        num_threads=0,
        random_state=None,
        *,
        n_jobs=None,
    ):
        self.factors = factors
        self.regularization = regularization
        self.alpha = alpha
        self.dtype = dtype
        self.use_native = use_native
        self.use_cg = use_cg
        self.use_gpu = use_gpu
        self.iterations = iterations
        self.calculate_training_loss = calculate_training_loss
        self.num_threads = num_threads
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, user_items, show_progress=False, callback=None):
        """Fit the model.

        Parameters
        ----------
        user_items : sparse matrix of shape (users, items)
            Counts; a count below 0 says that the user does not like the item.
        show_progress : bool
            Whether to show a bar of iterations, by tqdm.
        callback : callable or None
            Called with a record, a dict, after each iteration. The fit ends there if it returns a false value other
            than None. One that takes three arguments is called as by implicit, with the iteration from 0, its
            seconds and None.

        Returns
        -------
        AlternatingLeastSquares
            The model itself.
        """
        matrix = compressed("user_items", user_items)
        if not _is_kept(getattr(self, "dtype", "float32")):
            raise ValueError(f"dtype is {self.dtype!r}: it must be float32 or float64, leave it out")
        if getattr(self, "use_gpu", False):
            raise ValueError("use_gpu is True: there are no fits on graphics processors, leave it out")
        callback = _as_record(callback)
        asked = {
            "rank": whole("factors", self.factors, 1),
            "solver": "als",
            "implicit": True,
            "regularization": _chosen("regularization", self.regularization),
            "biases": True,
            "non_negative": False,
            "alpha": _chosen("alpha", self.alpha),
            "count_alone": self._count_alone,
            "epochs": None if self.iterations is None else whole("iterations", self.iterations, 1),
            "cg_steps": None if self.use_cg else 0,
            "validation": number("validation", getattr(self, "validation", None)),
        }
        with progress(callback, self.iterations, show_progress) as callback:
            self._fit(matrix, asked, True, callback)
        # They are those of the folder that an earlier model was loaded from.
        for name in ("user_ids_", "item_ids_"):
            self.__dict__.pop(name, None)
        self.alpha_, self.regularization_ = self._about["implicit"], self._about["reg"]
        return self

    def score(self, user_items, y=None):
        """Return how well lists find a held-out fifth of each user's items, for a search of parameters.

        Users may be others than those of the fit: their factors are found from the rest of their items.

        Parameters
        ----------
        user_items : sparse matrix of shape (users, items)
            Counts.
        y : None
            Accepted without effect.

        Returns
        -------
        float
            NDCG at 10, from 0 to 1; larger is better.
        """
        from raddle.mf.metrics import lists_measured
        from raddle.mf.model_selection import train_test_split

        train, test = train_test_split(self._of("user_items", user_items, None), 0.8, 0, warns=False)
        users = np.flatnonzero(np.diff(test.indptr))
        ids, _ = self.recommend(users, train[users], recalculate_user=True)
        return lists_measured(ids, test[users])["ndcg"]

    @classmethod
    def load(cls, path):
        """Load a model that `save` or the program `mf` has written.

        Parameters
        ----------
        path : str, path or file
            The folder, which `raddle.load` loads as the same model; or an open file that `save` has written, which
            `raddle.load` does not read.

        Returns
        -------
        AlternatingLeastSquares or ImplicitALS
            The one that was saved; a `MatrixFactorization` for a folder of ratings.
        """
        from raddle.mf._saved import load, read

        return read(path) if hasattr(path, "read") else load(path)

    def _ids(self):
        names = ("user_ids_", "item_ids_")
        return tuple(_ids_of(name, getattr(self, name, ()), rows) for name, rows in zip(names, self._fitted().shape))

    @property
    def user_factors(self):
        """Factors of the users; copied on first access."""
        return self._arrays()["user_factors"].astype(getattr(self, "dtype", "float32"), copy=False)

    @property
    def item_factors(self):
        """Factors of the items; copied on first access."""
        return self._arrays()["item_factors"].astype(getattr(self, "dtype", "float32"), copy=False)

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
            rows = self._of("user_items", user_items, len(users))
        asked = self._asked(N, "items", items, "filter_items", filter_items, model.shape[1])
        found = model.recommend(users, rows, asked, bool(filter_already_liked_items), bool(recalculate_user))
        return trimmed(*found) if is_one else found

    def similar_items(
        self, itemid, N=10, recalculate_item=False, item_users=None, filter_items=None, items=None
    ):
        """Find the items with the most similar factors.

        Parameters
        ----------
        itemid : int or array of int
            The items to compare with.
        N : int
            Number of items in a list.
        recalculate_item : bool
            Whether to compute the factors of these items from `item_users`, without changing the model; items may be
            new. An item of the model is then as similar to itself as its new factors are to the old ones.
        item_users : sparse matrix or None
            The users who liked these items, one row per item.
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
        if recalculate_item:
            return self._similar_to(self.recalculate_item(itemid, item_users), asked)
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
        factors = self._fitted().rows(False, self._of("user_items", user_items, len(users)))
        return factors[0] if is_one else factors

    def recalculate_item(self, itemid, item_users):
        """Return the factors of items, computed from their rows, without changing the model.

        Parameters
        ----------
        itemid : int or array of int
            The items, which may be new.
        item_users : sparse matrix of shape (items, users)
            The users who liked them, one row per item.

        Returns
        -------
        array of shape (factors,), or (items, factors) for an array of items
        """
        items, is_one = self._rows("itemid", itemid, None)
        factors = self._fitted().rows(True, self._of("item_users", item_users, len(items), 0))
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

    def partial_fit_items(self, itemids, item_users):
        """Compute the factors of items again and store them in the model; new items are added to it.

        Parameters
        ----------
        itemids : array of int
            The items, by row.
        item_users : sparse matrix of shape (items, users)
            All users who liked these items, one row per item; they count as seen by these users.
        """
        items, _ = self._rows("itemids", np.atleast_1d(itemids), None)
        self._fitted().refit_items(items, self._of("item_users", item_users, len(items), 0))
        self.__dict__.pop("_copies", None)

    def explain(self, userid, user_items, itemid, user_weights=None, N=10):
        """Split a user's score of an item into contributions of the items that the user liked.

        The score is that of factors which are computed from `user_items`.

        Parameters
        ----------
        userid : int
            The user: the row of `user_items`, unless that has only one.
        user_items : sparse matrix
            The items that users liked.
        itemid : int
            The item whose score is explained.
        user_weights : object or None
            The last value of an earlier result for the user, which saves time.
        N : int
            Number of contributions to return.

        Returns
        -------
        total_score : float
            The score.
        top_contributions : list of (int, float)
            Liked items and their contributions, the largest first.
        user_weights : object
            To be given in further calls for this user.
        """
        rows = self._of("user_items", user_items, None)
        item = self._one("itemid", itemid, self._fitted().shape[1])
        user = self._one("userid", userid, None)
        if rows.shape[0] == 1:
            user = 0
        elif user >= rows.shape[0]:
            raise IndexError(f"userid: {user} is not in user_items, which has {rows.shape[0]} rows")
        row = rows[user : user + 1]
        weights = abs(row.data.astype(float)) * self._about["implicit"] + (0.0 if self._count_alone else 1.0)
        given = row.indices, weights, row.data > 0
        return explained(self.item_factors, self._about["reg"], given, item, user_weights, whole("N", N, 1))

    def _similar_to(self, factors, asked):
        """Return the items with the largest cosines with rows of factors."""
        unit = [rows / np.maximum(np.linalg.norm(rows, axis=1), 1e-30)[:, None] for rows in
                (np.atleast_2d(factors), self.item_factors)]
        cosines = np.clip(unit[0] @ unit[1].T, -1.0, 1.0).astype(np.float32)
        left = np.ones(cosines.shape[1], bool) if asked["only"] is None else np.zeros(cosines.shape[1], bool)
        left[slice(0, 0) if asked["only"] is None else asked["only"]] = True
        left[slice(0, 0) if asked["without"] is None else asked["without"]] = False
        ids = np.flatnonzero(left)
        best = np.argsort(-cosines[:, ids], axis=1, kind="stable")[:, : asked["n"]]
        found = ids[best].astype(np.int32), np.take_along_axis(cosines[:, ids], best, axis=1)
        return trimmed(*found) if np.ndim(factors) == 1 else found

    def _of(self, name, matrix, rows, other=1):
        return compressed(name, matrix, rows, (self._fitted().shape[other], ("users", "items")[other]))

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

    def _one(self, name, given, count):
        rows, _ = self._rows(name, given, count)
        if len(rows) != 1:
            raise ValueError(f"{name} has {len(rows)} values: give one whole number")
        return int(rows[0])

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
    pairs while the fit goes on, the same for any number of workers. A pair with value r has confidence
    ``1 + alpha * |r|``, as in the program `mf`.

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
    _count_alone = False

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


def _ids_of(name, ids, rows):
    """Return the ids of rows, or how many there are if each row's number is its id."""
    ids = np.asarray(ids)
    if np.array_equal(ids, np.arange(len(ids))):
        return rows
    if len(ids) != rows:
        # Only a model that was loaded has such ids, and what was added since has none.
        raise ValueError(f"{name} has {len(ids)} ids, and the model {rows} rows: append an id for each new row")
    return ids


def _is_kept(dtype):
    """Return whether factors can be of a type."""
    try:
        return np.dtype(dtype) in (np.float32, np.float64)
    except TypeError:
        return False


def _chosen(name, value):
    """Return a number, or None for one that is chosen."""
    return None if isinstance(value, str) and value == "auto" else number(name, value)


def _as_record(callback):
    """Return a callback of records for one that takes the three arguments of implicit."""
    try:
        signature = inspect.signature(callback)
        signature.bind({})
    except ValueError:
        return callback
    except TypeError:
        if callback is None or not callable(callback):
            return callback
    else:
        return callback
    before = [0.0]

    def called(record):
        if record["epoch"] > 0:
            seconds = record.get("seconds") or 0.0
            callback(record["epoch"] - 1, seconds - before[0], None)
            before[0] = seconds

    return called
