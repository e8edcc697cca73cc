"""`raddle.mf` as people use it: models that explain, learn more, are searched and measured."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import r2_score
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score

import raddle
from raddle.mf import AlternatingLeastSquares, ImplicitALS, MatrixFactorization, metrics, model_selection


def clicks(seed=0, users=60, items=40, density=0.3):
    random = np.random.default_rng(seed)
    tastes = random.random((users, 2)) @ random.random((2, items))
    return sparse.csr_matrix(random.poisson(density * tastes**2))


@pytest.fixture(scope="module")
def pair():
    """Models of ours and of implicit with equal factors."""
    implicit = pytest.importorskip("implicit.cpu.als")
    matrix = clicks(3)
    ours = AlternatingLeastSquares(6, 0.05, 2.0).fit(matrix)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # on the threads of BLAS
        theirs = implicit.AlternatingLeastSquares(6, 0.05, 2.0, num_threads=1)
    theirs.user_factors, theirs.item_factors = ours.user_factors.copy(), ours.item_factors.copy()
    return ours, theirs, matrix


def test_items_are_solved_as_by_implicit(pair):
    ours, theirs, matrix = pair
    columns = matrix.T.tocsr()[[3, 5]]
    assert np.allclose(ours.recalculate_item([3, 50], columns), theirs.recalculate_item([3, 50], columns), atol=1e-4)
    for asked in [{}, {"filter_items": [7]}, {"items": [1, 2, 3]}]:
        ids, scores = ours.similar_items(3, 3, True, columns[:1], **asked)
        expected, values = theirs.similar_items(3, 3, True, columns[:1], **asked)
        assert ids.tolist() == expected.tolist() and np.allclose(scores, values, atol=1e-4)
    both = ours.similar_items(np.array([3, 50]), 4, recalculate_item=True, item_users=columns)
    assert both[0].shape == (2, 4)


def test_new_items_join_the_model(pair):
    _, theirs, matrix = pair
    ours = AlternatingLeastSquares(6, 0.05, 2.0).fit(matrix)
    columns = matrix.T.tocsr()[[3, 5]]
    before = ours.item_factors.copy()
    ours.partial_fit_items([4, 41], columns)
    assert np.allclose(ours.item_factors[[4, 41]], theirs.recalculate_item([4, 41], columns), atol=1e-4)
    assert ours.item_factors.shape == (42, 6) and not ours.item_factors[40].any()
    others = [item for item in range(40) if item != 4]
    assert (ours.item_factors[others] == before[others]).all()
    # Who liked the new item has seen it.
    user = int(columns[1].indices[0])
    assert 41 not in ours.recommend(user, N=50)[0] and 41 in ours.recommend(user, None, 50, False)[0]
    assert ours.similar_items(41, 1)[0].tolist() == [41]


def test_a_score_is_explained_as_by_implicit(pair):
    ours, theirs, matrix = pair
    for user, item in [(2, 7), (9, 0)]:
        total, best, solved = ours.explain(user, matrix, item, N=5)
        expected, others, _ = theirs.explain(user, matrix, item, N=5)
        assert total == pytest.approx(expected, abs=1e-4)
        assert [item for item, _ in best] == [item for item, _ in others]
        assert np.allclose([part for _, part in best], [part for _, part in others], atol=1e-4)
        assert ours.explain(user, matrix[user], item, solved, 5)[:2] == (total, best)
    own = ImplicitALS(6, 0.05, 2.0, validation=None, iterations=3).fit(matrix)
    ids, scores = own.recommend(2, matrix[2], 1, recalculate_user=True)
    assert own.explain(2, matrix, ids[0])[0] == pytest.approx(scores[0], abs=1e-4)
    # Items that the user does not like take no place among those that contribute.
    disliked = matrix[matrix.getnnz(axis=1).argmax()].astype(float)
    disliked.data[::2] = -3.0
    liked = disliked.indices[disliked.data > 0]
    for item in range(40):
        assert {other for other, _ in own.explain(2, disliked, item, N=len(liked))[1]} == set(liked.tolist())
    for user, error, why in [
        (60, IndexError, "userid: 60 is not in user_items, which has 60 rows"),
        (-1, IndexError, "userid: -1 is not in"),
        ([2, 3], ValueError, "userid has 2 values: give one whole number"),
        (2.0, ValueError, "userid must be a whole number"),
    ]:
        with pytest.raises(error, match=why):
            own.explain(user, matrix, 3)
    assert own.explain(60, matrix[2], 3)[:2] == own.explain(2, sparse.csr_array(matrix), 3)[:2]


def test_similar_items_of_all_are_those_of_each():
    matrix = clicks(1, 50, 300)
    model = AlternatingLeastSquares(5, iterations=2).fit(matrix)
    ids, scores = model.similar_items(np.arange(300), 7)
    for item in range(300):
        one, values = model.similar_items(item, 7)
        assert ids[item].tolist() == one.tolist() and scores[item].tolist() == values.tolist()


def test_a_pair_weighs_its_count_alone_as_in_implicit():
    matrix = clicks(5)
    counts = matrix.toarray().T
    wanted = (counts > 0).astype(float)

    def items_solved(model, least):
        """Return the items' factors, given those of the users, if a pair weighs `least` more than alpha and its count."""
        users = model.user_factors.astype(float)
        weights = np.where(counts > 0, least + 0.25 * counts, 1.0)
        systems = np.einsum("iu,uf,ug->ifg", weights, users, users) + 0.1 * np.eye(4)
        return np.linalg.solve(systems, ((weights * wanted) @ users)[:, :, np.newaxis])[:, :, 0]

    # Items are solved last, exactly.
    for of_class, least, more in [(AlternatingLeastSquares, 0.0, {}), (ImplicitALS, 1.0, {"validation": None})]:
        model = of_class(4, 0.1, 0.25, iterations=5, use_cg=False, **more).fit(matrix)
        assert np.allclose(model.item_factors, items_solved(model, least), atol=1e-4)
        assert not np.allclose(model.item_factors, items_solved(model, 1.0 - least), atol=1e-2)
        assert model.alpha_ == 0.25 and model.regularization_ == 0.1


def test_equal_metrics_and_splits_as_implicit():
    evaluation = pytest.importorskip("implicit.evaluation")
    matrix = clicks(2, 200, 60, 1.0)
    for seed in (0, 7):
        ours = model_selection.train_test_split(matrix, 0.7, seed, warns=False)
        for part, expected in zip(ours, evaluation.train_test_split(matrix, 0.7, seed)):
            assert (part != expected).nnz == 0
    train, test = ours
    model = AlternatingLeastSquares(8).fit(train)
    for K in (1, 10, 70):
        found = metrics.ranking_metrics_at_k(model, train, test, K)
        # Lists of implicit are never shorter than K.
        if K < 60:
            expected = evaluation.ranking_metrics_at_k(model, train, test, K=K, show_progress=False)
            for name, value in expected.items():
                assert found[name] == pytest.approx(value, abs=1e-9), (K, name)
        assert 0 < found["recall"] <= 1 and 0 < found["mrr"] <= found["hit_rate"] <= 1 and 0 < found["coverage"] <= 1
    assert metrics.ndcg_at_k(model, train, test, 10) == metrics.ranking_metrics_at_k(model, train, test)["ndcg"]


def test_measures_of_lists_by_hand():
    test = sparse.csr_matrix([[1, 1, 0, 0, 0], [0, 0, 0, 0, 1], [0, 0, 0, 0, 0]])
    found = metrics.lists_measured([[2, 0], [4, -1], [0, 1]], test)
    gains = [1 / np.log2(3) / (1 + 1 / np.log2(3)), 1.0]
    assert found == pytest.approx(
        {
            "precision": 2 / 3, "recall": 0.75, "map": (0.5 / 2 + 1) / 2, "ndcg": np.mean(gains), "mrr": 0.75,
            "auc": ((0 + 1.5 * 2) / 6 + 1.0) / 2, "hit_rate": 1.0, "coverage": 3 / 5, "users": 2,
        }
    )
    for ids, why in [
        ([2, 0, 1], "ids has 1 dimensions"), ([[2.0], [4.0], [0.0]], "values of type float64"),
        ([[2, 5], [4, -1], [0, 1]], "ids has the item 5, and test_user_items has 5 items"),
        ([[2, 0], [4, -2], [0, 1]], "ids has the item -2"), ([[2, 0], [4, 4], [0, 1]], "ids has the item 4 twice"),
        ([[2, 0]], "test_user_items must have a row for each user"),
    ]:
        with pytest.raises(ValueError, match=why):
            metrics.lists_measured(ids, test)
    assert metrics.lists_measured([[-1, -1]], test[:1])["recall"] == 0


def test_splits_of_columns():
    users = np.array(["ann", "bob", "ann", "eve", "bob", "ann"])
    days = pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-03", "2020-01-01", "2020-01-05", "2020-01-02"])
    train, test = model_selection.split_by_time(users, days, at="2020-01-03")
    assert (train.tolist(), test.tolist()) == ([0, 1, 3, 5], [2, 4])
    assert [len(part) for part in model_selection.split_by_time(users, [0, 1, 2, 3, 4, 4], 0.4)] == [4, 2]
    # A moment is compared as it is, and at least one row is for tests and one for training.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for times, given in [
            ([1, 2, 3, 1, 3, 2], {"at": 2.5}),
            (days, {"at": "2020-01-02T12:00"}),
            (days, {"at": pd.Timestamp("2020-01-03")}),
            (np.asarray(days, "M8[D]"), {"at": "2020-01-02T12:00"}),
            ([1, 2, 5, 3, 6, 4], {"test_size": 0.4}),
        ]:
            train, test = model_selection.split_by_time(users, times, **given)
            assert (train.tolist(), test.tolist()) == ([0, 1, 3, 5], [2, 4]), given
        assert model_selection.split_by_time(users, range(6), 0.01)[1].tolist() == [5]
        assert len(model_selection.split_by_time(users, range(6), 0.99)[0]) == 1
    train, test = model_selection.leave_one_out(users, days)
    assert (train.tolist(), test.tolist()) == ([0, 1, 3, 5], [2, 4])
    train, test = model_selection.leave_one_out(users, random_state=1)
    assert sorted(users[test]) == ["ann", "bob"]
    # A number and its text are two users, as in a model.
    train, test = model_selection.leave_one_out(np.array([1, "1", 1, "2", "1"], dtype=object), range(5))
    assert (train.tolist(), test.tolist()) == ([0, 1, 3], [2, 4])
    train, test = model_selection.split_at_random(np.zeros(1000, int), 0.25, 0)
    assert 200 < len(test) < 300 and len(np.intersect1d(train, test)) == 0
    train, test = model_selection.leave_k_out_split(clicks(0, 100, 40, 1.0), 2, 0.2, 0)
    assert set(test.getnnz(axis=1)) == {0, 2} and train.multiply(test).nnz == 0


def test_a_split_that_leaves_a_user_without_ratings_is_named():
    with pytest.warns(UserWarning, match="leaves users without training data: 1, such as 'eve'"):
        model_selection.split_by_time(["ann", "ann", "eve"], [1, 2, 3], at=3)
    with pytest.warns(UserWarning, match="leaves users without training data: 1, such as 1"):
        model_selection.train_test_split(sparse.csr_matrix([[1] * 20, [1] + [0] * 19]), 0.5, 1)
    for asked, why in [
        (lambda: model_selection.train_test_split(clicks(), 1.5), "train_percentage is 1.5"),
        (lambda: model_selection.split_by_time([1, 2], [1]), "times has 1 values, and users 2"),
        (lambda: model_selection.split_by_time([1, 2], [1, np.nan]), "times has missing values"),
        (lambda: model_selection.split_by_time([1, 2], [1, None]), "times must be numbers or dates"),
        (lambda: model_selection.split_by_time([1, 2], [1, 2], at=3), "at is 3: no row is left for tests"),
        (lambda: model_selection.split_by_time([1, 2], [1, 2], at=1), "at is 1: no row is left for training"),
        (lambda: model_selection.split_by_time([1, 2], [1, 2], at="x"), "at is 'x': it must be one moment"),
        (lambda: model_selection.split_by_time([1, 2], [1, 2], at=np.nan), "at is nan: it must be one moment"),
        (lambda: model_selection.split_by_time([1, 2, 3], [5, 5, 5]), "test_size is 0.2: no row is left for tests"),
        (lambda: model_selection.split_by_time([], [], 7), "test_size is 7: it must be between 0 and 1"),
        (lambda: model_selection.split_by_time([1, 2], [1, 2], 7, at=2), "test_size is 7"),
        (lambda: model_selection.leave_one_out([1, 1], [1, np.nan]), "times has missing values"),
        (lambda: model_selection.leave_one_out([1, 1], [1, None]), "times must be numbers or dates"),
        (lambda: model_selection.leave_one_out([1, 1], [1]), "times has 1 values, and users 2"),
        (lambda: model_selection.leave_k_out_split(clicks(), 0), "K is 0"),
        (lambda: model_selection.leave_k_out_split(clicks(), 1, "a"), "train_only_size is 'a'"),
        (lambda: model_selection.train_test_split(clicks().toarray()), "ratings must be a sparse matrix, such as"),
        (lambda: metrics.ranking_metrics_at_k(None, clicks(), clicks(items=3)), "has the shape"),
    ]:
        with pytest.raises(ValueError, match=why):
            asked()


def test_a_recommender_is_an_estimator():
    matrix = clicks(4, 80, 30, 1.0)
    search = GridSearchCV(AlternatingLeastSquares(iterations=3), {"factors": [2, 4], "alpha": [1.0, 10.0]}, cv=KFold(3))
    search.fit(matrix)
    assert search.best_params_["factors"] in (2, 4) and 0 < search.best_score_ < 1
    assert search.best_estimator_.score(sparse.csr_array(matrix)) == search.score(matrix)
    assert clone(search.best_estimator_).get_params() == search.best_estimator_.get_params()
    for model in (AlternatingLeastSquares(), ImplicitALS(), MatrixFactorization()):
        assert clone(model.set_params(random_state=3)).random_state == 3
        with pytest.raises(NotFittedError, match="call fit first"):
            model.recommend(0)
    users, items = np.divmod(np.arange(600), 20)
    table = pd.DataFrame({"user": users, "item": [f"item {item}" for item in items]})
    ratings = 3 + np.sin(users) + np.cos(items)
    folds = KFold(3, shuffle=True, random_state=0)
    scores = cross_val_score(MatrixFactorization(rank=2, epochs=10), table, ratings, cv=folds)
    assert scores.min() > 0.5


def test_ratings_of_new_people_are_folded_in():
    users, items = np.divmod(np.arange(1200), 30)
    tastes = np.random.default_rng(0).normal(size=(60, 2)) @ np.random.default_rng(1).normal(size=(2, 30))
    values = 3 + tastes[users, items]
    names = np.array([f"item {item}" for item in range(30)])
    model = MatrixFactorization(rank=2, solver="als", epochs=20, validation=None).fit(users, names[items], values)
    rated, digest = np.arange(0, 30, 2), model.digest_
    given = 3 + tastes[50, rated]
    ids, scores = model.recommend_new(names[rated], given, N=15)
    expected = 3 + tastes[50, 1::2]
    told = scores[np.argsort(ids)]
    assert np.corrcoef(told, expected[np.argsort(names[1::2])])[0, 1] > 0.95 and set(ids) == set(names[1::2])
    assert model.digest_ == digest and 50 not in model.users_
    model.partial_fit_users([50] * 15, names[rated], given)
    assert model.users_.tolist()[-1] == 50
    listed = model.recommend(50, N=15)
    assert listed[0].tolist() == ids.tolist() and np.allclose(listed[1], scores, atol=1e-5)
    error = model.predict([50] * 15, names[1::2]) - expected
    assert np.sqrt((error**2).mean()) < 0.5 * expected.std()
    model.partial_fit_items(np.arange(20), ["tea"] * 20, values[items == 3][:20])
    assert model.items_[-1] == "tea" and "tea" not in model.recommend(3, 40)[0]
    assert model.similar_items("tea", 2)[0].tolist()[1] == "item 3"
    for people, things in [(["ann"], ["item 3"]), ([True], ["item 3"]), ([2**70], ["item 3"])]:
        with pytest.raises(ValueError, match="users: .* is of another type than the ids of the fit"):
            model.partial_fit_users(people, things, [4.0])
    with pytest.raises(ValueError, match="items: b'rye' is of another type"):
        model.partial_fit_items([3], [b"rye"], [4.0])
    # Whole numbers are whole numbers, whatever column holds them.
    asked = model.predict([3, 5], ["item 3", "tea"]).tolist()
    assert model.predict(np.array([3, 5], dtype=object), ["item 3", "tea"]).tolist() == asked
    model.partial_fit_users(np.array([3, 70], dtype=object), ["item 3", "tea"], [4.0, 5.0])
    assert model.users_.dtype == np.int64 and model.users_.tolist()[-1] == 70
    # Who could not be folded in is not in the model.
    before = model.users_.tolist(), model._model.shape, model.predict(71, "tea")
    real, model._model = model._model, NoRoom(model._model)
    with pytest.raises(MemoryError):
        model.partial_fit_users([71], ["tea"], [5.0])
    model._model = real
    assert (model.users_.tolist(), model._model.shape, model.predict(71, "tea")) == before


class NoRoom:
    """A model that has no memory for more users."""

    def __init__(self, model):
        self.shape = model.shape

    def refit_users(self, users, rows):
        raise MemoryError


def test_a_score_of_ratings_is_r2_and_names_what_is_wrong():
    users, items = np.divmod(np.arange(600), 20)
    ratings = 3 + np.sin(users) + np.cos(items)
    # Each column has its own type, also in a table of lists.
    names = [f"item {item}" for item in items]
    model = MatrixFactorization(rank=2, epochs=10).fit([list(row) for row in zip(users.tolist(), names)], ratings)
    assert model.users_.dtype == np.int64 and model.items_.dtype.kind == "U"
    table = pd.DataFrame({"user": users, "item": names})
    assert model.score(table, ratings) == pytest.approx(r2_score(ratings, model.predict(table)), abs=1e-12)
    exact = model.predict(table[:1])
    assert model.score(table[:1], exact) == 1.0 and model.score(table[:3], [0.1] * 3) == 0.0
    for asked, why in [
        (lambda: model.score(table, ratings[:-1]), "y has the shape \\(599,\\), and X has 600 rows"),
        (lambda: model.score(table, ratings[:, np.newaxis]), "y has the shape \\(600, 1\\)"),
        (lambda: model.score(table[:0], []), "y has the shape \\(0,\\)"),
        (lambda: model.score(table[:2], [1.0, np.nan]), "y has the value nan"),
        (lambda: model.predict([1, 2]), "X has 1 dimensions: it must be a table of two columns"),
        (lambda: model.predict([[1, 2, 3]]), "X has 3 columns"),
    ]:
        with pytest.raises(ValueError, match=why):
            asked()


def test_callbacks_and_bars_of_implicit(capsys):
    seen = []
    AlternatingLeastSquares(2, iterations=3).fit(clicks(), callback=lambda at, seconds, loss: seen.append((at, loss)))
    assert seen == [(0, None), (1, None), (2, None)]
    AlternatingLeastSquares(2, iterations=3).fit(clicks(), show_progress=True)
    assert "3/3" in capsys.readouterr().err
    for given, why in [
        ({"dtype": np.float16}, "must be float32 or float64"), ({"dtype": "foo"}, "dtype is 'foo': it must be float32"),
        ({"use_gpu": True}, "no fits on graphics"),
    ]:
        with pytest.raises(ValueError, match=why):
            AlternatingLeastSquares(**given).fit(clicks())


def test_a_model_is_written_to_an_open_file(tmp_path):
    matrix = clicks()

    def written(model):
        with open(tmp_path / "model.npz", "wb+") as file:
            model.save(file)
            file.seek(0)
            return AlternatingLeastSquares.load(file)

    model = AlternatingLeastSquares(3, dtype=np.float64, random_state=np.random.RandomState(3)).fit(matrix)
    loaded = written(model)
    assert loaded.digest_ == model.digest_ and loaded.item_factors.dtype == model.item_factors.dtype == np.float64
    # A state cannot come back.
    assert loaded.random_state is None and clone(loaded).fit(matrix).item_factors.dtype == np.float64
    seeded = AlternatingLeastSquares(np.int64(3), random_state=np.int64(5)).fit(matrix)
    assert written(seeded).fit(matrix).digest_ == seeded.digest_
    # Ids that a folder has are in the file, too.
    for ids in (np.arange(5, 65), np.array([f"user {at}" for at in range(60)], dtype=object)):
        model.user_ids_, model.item_ids_ = ids, np.arange(40)
        again = written(model)
        assert again.user_ids_.tolist() == ids.tolist() and again.item_ids_.tolist() == list(range(40))
    assert not hasattr(written(model).fit(matrix), "user_ids_")
    users, items = np.divmod(np.arange(60), 6)
    ratings = MatrixFactorization(rank=1, epochs=1, validation=None).fit(users, items, np.ones(60))
    with pytest.raises(ValueError, match="path is an open file: give a folder, or pickle"):
        written(ratings)
    for ask in [lambda model: model.recommend(3), lambda model: model.recommend(3, matrix[5], recalculate_user=True)]:
        assert [part.tolist() for part in ask(loaded)] == [part.tolist() for part in ask(model)]


def test_a_saved_model_weighs_counts_as_before(tmp_path):
    matrix = clicks()
    for of_class in (AlternatingLeastSquares, ImplicitALS):
        model = of_class(3, 0.1, 4.0, iterations=3).fit(matrix)
        loaded = raddle.load(model.save(tmp_path / of_class.__name__) and tmp_path / of_class.__name__)
        assert type(loaded) is of_class and loaded.alpha == 4.0
        assert (loaded.recalculate_user(0, matrix[5]) == model.recalculate_user(0, matrix[5])).all()
        assert loaded.explain(5, matrix, 3)[:2] == model.explain(5, matrix, 3)[:2]
