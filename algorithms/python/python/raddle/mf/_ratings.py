"""Explicit ratings, given as columns."""

import numpy as np

from scipy import sparse

from raddle.mf._ids import Ids
from raddle.mf._model import Factors, number, whole


class MatrixFactorization(Factors):
    """Factors and biases of users and items from ratings.

    The rating of user u and item i is predicted as ``mean + b_u + c_i + p_u . q_i``. A fraction of the ratings is held
    out and decides when the fit ends. If the factors do not predict these better than biases or the mean do, the model
    is reduced to biases or to the mean (`learned_`).

    Parameters
    ----------
    rank : int
        Number of factors of each user and item.
    solver : {'sgd', 'als', 'ccd'}
        Stochastic gradient steps, alternating least squares, or coordinate descent.
    regularization : float or None
        Weight of the squared factors, counted at each rating; None chooses it by the solver and the length of the run.
    biases : bool
        Whether to give each user and item a bias.
    non_negative : bool
        Whether to restrict factors to 0 and above.
    epochs : int or None
        Number of epochs. None makes a short run, and longer ones while the validation error still falls.
    validation : float or None
        Fraction of the ratings to hold out, by the hash of their pair.
    duplicates : {'last', 'first', 'sum', 'mean', 'refuse'}
        Rule for several ratings of a pair.
    random_state : int, RandomState, Generator or None
        Seed of the initial factors and the held-out ratings, or a state to draw it from. None is 42.
    n_jobs : int or None
        Number of workers in joblib's terms: -1 is one per core. It never changes the model.

    Attributes
    ----------
    users_, items_ : arrays
        The ids, by row.
    user_factors_, item_factors_ : arrays of shape (users, rank) and (items, rank)
        The factors, float32.
    user_bias_, item_bias_, mean_ : arrays and float
        The biases, and the mean of the ratings.
    learned_ : {'factors', 'biases', 'mean'}
        Parts of the model that predictions use.
    validation_error_ : float or None
        Root mean squared error on the held-out ratings.
    digest_ : str
        SHA-256 of the model, as the program `mf` prints it.
    n_iter_, best_iter_ : int
        Number of epochs, and the epoch after which the model was best.
    report_ : dict
        Report of the run, with counts and seconds.

    Examples
    --------
    >>> import numpy as np
    >>> from raddle.mf import MatrixFactorization
    >>> users = np.repeat(["ann", "bob", "eve", "joe"], 6)
    >>> items = np.tile(["tea", "jam", "rye", "oil", "fig", "gin"], 4)
    >>> taste = np.outer([1, 1, -1, -1], [1, 1, 1, -1, -1, -1])
    >>> model = MatrixFactorization(rank=1, solver="als", regularization=0.01, epochs=20, validation=None)
    >>> model = model.fit(users, items, 3 + taste.ravel())
    >>> model.predict(["ann", "ann"], ["tea", "gin"]).round().tolist()
    [4.0, 2.0]
    >>> sorted(model.recommend("eve", N=3, filter_already_liked_items=False)[0].tolist())
    ['fig', 'gin', 'oil']
    """

    _estimator_type = "regressor"
    _parameters = (
        "rank", "solver", "regularization", "biases", "non_negative", "epochs", "validation", "duplicates",
        "random_state", "n_jobs",
    )

    def __init__(
        self,
        rank=32,
        *,
        solver="sgd",
        regularization=None,
        biases=True,
        non_negative=False,
        epochs=None,
        validation=0.05,
        duplicates="last",
        random_state=42,
        n_jobs=None,
    ):
        self.rank = rank
        self.solver = solver
        self.regularization = regularization
        self.biases = biases
        self.non_negative = non_negative
        self.epochs = epochs
        self.validation = validation
        self.duplicates = duplicates
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, users, items, ratings=None, *, callback=None):
        """Fit the model.

        Parameters
        ----------
        users, items : columns of ids
            Whole numbers, text or categories, of numpy, pandas, polars or lists. If `ratings` is None these are X, a
            table whose two columns are users and items, and y, the ratings, as scikit-learn's searches give them.
        ratings : column of numbers
            A rating for each pair.
        callback : callable or None
            Called with a record, a dict, after each epoch. The fit ends there if it returns a false value other than
            None.

        Returns
        -------
        MatrixFactorization
            The model itself.
        """
        if ratings is None:
            (users, items), ratings = _pairs(users), items
        values = np.asarray(ratings)
        if values.ndim != 1 or values.dtype.kind not in "fiub":
            raise ValueError("ratings must be one column of numbers")
        (user_rows, user_ids), (item_rows, item_ids) = Ids.of("users", users), Ids.of("items", items)
        lengths = len(user_rows), len(item_rows), len(values)
        if len(set(lengths)) > 1:
            raise ValueError("users, items and ratings have {}, {} and {} values: give as many of each".format(*lengths))
        columns = {
            "users": user_rows,
            "items": item_rows,
            "values": values.astype(np.float64),
            "shape": (len(user_ids.ids), len(item_ids.ids)),
            "duplicates": self.duplicates,
        }
        asked = {
            "rank": whole("rank", self.rank, 1),
            "solver": self.solver,
            "regularization": number("regularization", self.regularization),
            "biases": bool(self.biases),
            "non_negative": bool(self.non_negative),
            "implicit": False,
            "alpha": None,
            "count_alone": False,
            "epochs": None if self.epochs is None else whole("epochs", self.epochs, 1),
            "cg_steps": None,
            "validation": number("validation", self.validation),
        }
        result = self._fit(columns, asked, True, callback)
        self._user_ids, self._item_ids = user_ids, item_ids
        self.learned_ = result["learned"]
        self.validation_error_ = result["validation_error"]
        self.best_iter_ = result["best_iteration"]
        return self

    def _ids(self):
        return self._user_ids.ids, self._item_ids.ids

    def predict(self, users, items=None):
        """Predict ratings of pairs.

        An id that the model does not have contributes nothing: the prediction is the mean plus the known bias.

        Parameters
        ----------
        users, items : columns of ids, or one id each
            If `items` is None, `users` is a table whose two columns are users and items.

        Returns
        -------
        array of shape (n,), or float
            The predictions.
        """
        model = self._fitted()
        if items is None:
            users, items = _pairs(users)
        is_one = np.ndim(users) == 0 and np.ndim(items) == 0
        users = self._user_ids.rows("users", _column(users))
        items = self._item_ids.rows("items", _column(items))
        if len(users) != len(items):
            raise ValueError(f"users and items have {len(users)} and {len(items)} values: give as many of each")
        found = model.predict(users, items)
        return float(found[0]) if is_one else found

    def score(self, X, y):
        """Return R^2, the share of the variance of ratings that predictions explain.

        Parameters
        ----------
        X : table
            Two columns, of users and of items.
        y : column of numbers
            The ratings.

        Returns
        -------
        float
            At most 1; 0 is the mean of `y`. If all of `y` are equal it is 1 for exact predictions, else 0.
        """
        y, found = np.asarray(y, dtype=float), self.predict(X)
        if y.shape != found.shape or not len(y):
            raise ValueError(f"y has the shape {y.shape}, and X has {len(found)} rows: give one rating for each")
        if not np.isfinite(y).all():
            raise ValueError(f"y has the value {y[~np.isfinite(y)][0]}: leave such ratings out")
        errors, spread = float(((y - found) ** 2).sum()), float(((y - y.mean()) ** 2).sum())
        return 1.0 - errors / spread if spread > 0 and (y != y[0]).any() else float(errors == 0)

    def partial_fit_users(self, users, items, ratings):
        """Compute rows of users from all their ratings and store them in the model; new users are added to it.

        Items stay as they are. This is what the program's `mf fold-in` does for users.

        Parameters
        ----------
        users, items : columns of ids
            The users, and the items that they rated, which the model must have.
        ratings : column of numbers
            A rating for each pair.

        Returns
        -------
        MatrixFactorization
            The model itself.
        """
        return self._partial_fit(("users", users), ("items", items), ratings)

    def partial_fit_items(self, users, items, ratings):
        """Compute rows of items from all their ratings and store them in the model; new items are added to it.

        Users, whom the model must have, stay as they are; otherwise like `partial_fit_users`.
        """
        return self._partial_fit(("items", items), ("users", users), ratings)

    def _partial_fit(self, own, other, ratings):
        model, is_items = self._fitted(), own[0] == "items"
        ids, others = (self._item_ids, self._user_ids) if is_items else (self._user_ids, self._item_ids)
        rows, given = Ids.of(*own)
        matrix = self._matrix(rows, len(given.ids), others.known(*other), len(others.ids), ratings)
        rows, more = ids.placed(own[0], given.ids)
        (model.refit_items if is_items else model.refit_users)(rows, matrix)
        # Only now does the model have them.
        ids.__init__(more)
        self.__dict__.pop("_copies", None)
        return self

    def _matrix(self, rows, count, columns, width, ratings):
        values = np.asarray(ratings, dtype=float)
        if values.shape != rows.shape or rows.shape != columns.shape:
            raise ValueError("users, items and ratings must have as many values of each")
        if not np.isfinite(values).all():
            raise ValueError(f"ratings has the value {values[~np.isfinite(values)][0]}: leave such ratings out")
        # Of several ratings of a pair the last one counts.
        pairs = {pair: at for at, pair in enumerate(zip(rows.tolist(), columns.tolist()))}
        kept = np.fromiter(pairs.values(), np.int64, len(pairs))
        matrix = sparse.csr_matrix((values[kept], (rows[kept], columns[kept])), shape=(count, width))
        matrix.sort_indices()
        return matrix

    def recommend_new(self, items, ratings, N=10, filter_items=None):
        """Recommend items to somebody new, by ratings; the model stays as it is.

        Parameters
        ----------
        items : column of ids
            The items that were rated, which the model must have; they are not recommended.
        ratings : column of numbers
            A rating for each.
        N : int
            Number of items in a list.
        filter_items : column of ids or None
            Further items to leave out.

        Returns
        -------
        ids, scores : arrays of shape (n,)
            Items and predicted ratings, the best first.
        """
        model, rows = self._fitted(), self._item_ids.known("items", items)
        matrix = self._matrix(np.zeros(len(rows), np.int64), 1, rows, len(self._item_ids.ids), ratings)
        asked = self._asked(N, self._item_ids, "items", None, "filter_items", filter_items)
        return self._named(self._item_ids, model.recommend(np.zeros(1, np.uint32), matrix, asked, True, True), True)

    def recommend(self, user, N=10, filter_already_liked_items=True, filter_items=None, items=None):
        """Recommend items to one user or to several.

        Parameters
        ----------
        user : id or column of ids
            The users, which the model must have.
        N : int
            Number of items in a list.
        filter_already_liked_items : bool
            Whether to leave out items that users rated in the data of the fit, also after `raddle.load`. It must be
            False if the folder lacks these (`save(seen=False)`, `mf fit --no-seen`, earlier versions).
        filter_items, items : column of ids or None
            Items to leave out, or the only ones to choose from.

        Returns
        -------
        ids, scores : arrays of shape (n,), or lists of such arrays for a column of users
            Items and predicted ratings, the best first. A user without observations gets the items that are best on
            average.
        """
        model = self._fitted()
        asked = self._asked(N, self._item_ids, "items", items, "filter_items", filter_items)
        rows = self._user_ids.known("user", _column(user))
        found = model.recommend(rows, None, asked, bool(filter_already_liked_items), False)
        return self._named(self._item_ids, found, np.ndim(user) == 0)

    def similar_items(self, item, N=10, filter_items=None, items=None):
        """Find the items with the most similar factors.

        Parameters
        ----------
        item : id or column of ids
            The items to compare with, which the model must have.
        N : int
            Number of items in a list.
        filter_items, items : column of ids or None
            Items to leave out, or the only ones to choose from.

        Returns
        -------
        ids, scores : arrays of shape (n,), or lists of such arrays for a column of items
            The item itself, then others in descending order of cosine similarity, which is 0 for an item without
            factors.
        """
        return self._similar(True, self._item_ids, ("item", item), N, ("items", items), ("filter_items", filter_items))

    def similar_users(self, user, N=10, filter_users=None, users=None):
        """Find the users with the most similar factors; like `similar_items`."""
        return self._similar(False, self._user_ids, ("user", user), N, ("users", users), ("filter_users", filter_users))

    def _similar(self, is_items, ids, asking, N, only, without):
        model = self._fitted()
        asked = self._asked(N, ids, *only, *without)
        rows = ids.known(asking[0], _column(asking[1]))
        return self._named(ids, model.similar(is_items, rows, asked), np.ndim(asking[1]) == 0)

    def _asked(self, N, ids, name, only, other, without):
        if only is not None and without is not None:
            raise ValueError(f"give {name} or {other}, not both")
        only = None if only is None else ids.known(name, _column(only))
        return self._list(N, only, None if without is None else ids.known(other, _column(without)))

    @staticmethod
    def _named(ids, found, is_one):
        lists = [(ids.ids[rows[rows >= 0]], scores[rows >= 0]) for rows, scores in zip(*found)]
        return lists[0] if is_one else ([rows for rows, _ in lists], [scores for _, scores in lists])

    @property
    def users_(self):
        """The ids of users, by row."""
        self._fitted()
        return self._user_ids.ids

    @property
    def items_(self):
        """The ids of items, by row."""
        self._fitted()
        return self._item_ids.ids

    @property
    def user_factors_(self):
        """Factors of the users; copied on first access."""
        return self._arrays()["user_factors"]

    @property
    def item_factors_(self):
        """Factors of the items; copied on first access."""
        return self._arrays()["item_factors"]

    @property
    def user_bias_(self):
        """Biases of the users."""
        return self._arrays()["user_bias"]

    @property
    def item_bias_(self):
        """Biases of the items."""
        return self._arrays()["item_bias"]

    @property
    def mean_(self):
        """The prediction for an unknown user and item."""
        return self._arrays()["mean"]


def _column(given):
    """Return one id as a column, or a column of ids."""
    return [given] if np.ndim(given) == 0 else given


def _pairs(table):
    """Return the two columns of a table, each with its own type."""
    if hasattr(table, "columns"):
        columns = [table[name] for name in table.columns]
    else:
        rows = table if isinstance(table, np.ndarray) else np.asarray(table, dtype=object)
        if rows.ndim != 2:
            raise ValueError(f"X has {rows.ndim} dimensions: it must be a table of two columns, users and items")
        columns = list(rows.T) if rows is table else [_typed(column.tolist()) for column in rows.T]
    if len(columns) != 2:
        raise ValueError(f"X has {len(columns)} columns: it must have two, users and items")
    return columns


def _typed(values):
    """Return values as an array, of objects if they would become texts."""
    column = np.asarray(values)
    return np.array(values, dtype=object) if column.dtype.kind in "US" and len(set(map(type, values))) > 1 else column
