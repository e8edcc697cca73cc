"""`raddle.mf`: the program's models and lists, ids of any kind, rows of new users."""

import copy
import gzip
import json
import os
import pathlib
import pickle
import subprocess
import time
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

import raddle
from raddle.mf import AlternatingLeastSquares, ImplicitALS, MatrixFactorization


@pytest.fixture(scope="session")
def movies():
    """Read a set of MovieLens: users, items, ratings."""
    folder = os.environ.get("RADDLE_DATA")

    def read(name):
        path = pathlib.Path(folder or "", f"mf/{name}.tsv.gz")
        if folder is None or not path.exists():
            pytest.skip(f"RADDLE_DATA has no {name}")
        with gzip.open(path) as file:
            users, items, ratings = np.loadtxt(file).T
        return users.astype(np.int64), items.astype(np.int64), ratings

    return read


@pytest.fixture(scope="session")
def mf():
    """Run the program `mf` and return what it prints."""
    program = pathlib.Path(os.environ.get("RADDLE_BIN", ""), "mf")
    if "RADDLE_BIN" not in os.environ or not program.exists():
        pytest.skip("RADDLE_BIN names no folder with the program mf")

    def run(*arguments):
        done = subprocess.run(
            [program, *map(str, arguments)], check=True, capture_output=True, text=True, timeout=300
        )
        return done.stdout

    return run


@pytest.fixture(scope="session")
def fitted(mf, tmp_path_factory):
    """Fit by the program; return its report and its folder."""

    def fit(columns, *options):
        folder = tmp_path_factory.mktemp("mf")
        lines = (f"{user}\t{item}\t{rating:g}\n" for user, item, rating in zip(*columns))
        (folder / "ratings.tsv").write_text("".join(lines))
        mf("fit", folder / "ratings.tsv", "--out", folder / "run", "--quiet", *options)
        return json.loads((folder / "run" / "report.json").read_text()), folder

    return fit


def some_ratings(seed=0, users=30, items=20, count=400):
    random = np.random.default_rng(seed)
    pairs = random.permutation(users * items)[:count]
    p, q = random.normal(size=(users, 2)), random.normal(size=(items, 2))
    u, i = pairs // items, pairs % items
    return u, i, 3 + (p[u] * q[i]).sum(1)


def some_counts(seed=0, users=30, items=20, density=0.2):
    random = np.random.default_rng(seed)
    return sparse.csr_matrix(random.poisson(density, size=(users, items)).astype(float))


def lists(text):
    """Return lists of (name, score) by user or item."""
    found = {}
    for line in text.splitlines():
        who, name, score = line.split("\t")
        found.setdefault(who, []).append((int(name), np.float32(score)))
    return found


OPTIONS = {
    "sgd": ({"rank": 8, "epochs": 5}, ["--rank", 8, "--epochs", 5]),
    "als": ({"rank": 4, "epochs": 3, "solver": "als"}, ["--rank", 4, "--epochs", 3, "--solver", "als"]),
    "ccd": (
        {"rank": 4, "epochs": 3, "solver": "ccd", "validation": None, "regularization": 0.1},
        ["--rank", 4, "--epochs", 3, "--solver", "ccd", "--validation", "none", "--reg", 0.1],
    ),
    "length found": ({"rank": 4}, ["--rank", 4]),
}


@pytest.mark.parametrize("kind", OPTIONS)
def test_explicit_models_are_the_programs(movies, fitted, kind):
    columns = movies("ml-100k")
    parameters, options = OPTIONS[kind]
    report, _ = fitted(columns, *options)
    for workers in (1, 2, 3):
        model = MatrixFactorization(**parameters, n_jobs=workers).fit(*columns)
        assert model.digest_ == report["model_digest"]
    assert model.n_iter_ == report["epochs"] and model.report_["metric"]["value"] == report["metric"]["value"]


def test_implicit_models_are_the_programs(movies, fitted):
    users, items, ratings = movies("ml-100k")
    matrix = sparse.csr_matrix((ratings, (users, items)))
    # Row after row, as the matrix has them.
    rows, columns = matrix.nonzero()
    options = ["--solver", "als", "--implicit", 2, "--rank", 8, "--reg", 0.01, "--validation", "none"]
    for use_cg, iterations, more in [(True, 5, []), (False, 2, ["--cg-steps", 0])]:
        report, _ = fitted((rows, columns, matrix.data), *options, "--epochs", iterations, *more)
        for workers in (1, 2, 3):
            given = {"alpha": 2, "regularization": 0.01, "validation": None, "iterations": iterations}
            model = ImplicitALS(8, **given, use_cg=use_cg, n_jobs=workers)
            assert model.fit(matrix).digest_ == report["model_digest"]


def test_a_choice_is_the_programs(movies, fitted):
    users, items, ratings = movies("ml-100k")
    matrix = sparse.csr_matrix((ratings, (users, items)))
    rows, columns = matrix.nonzero()
    for given, options in [({}, []), ({"alpha": 4.0}, [4]), ({"regularization": 30.0}, ["--reg", 30])]:
        report, _ = fitted((rows, columns, matrix.data), "--rank", 4, "--implicit", *options)
        for workers in (1, 2):
            model = ImplicitALS(4, **given, n_jobs=workers).fit(matrix)
            assert model.digest_ == report["model_digest"]
        assert (model.alpha_, model.regularization_) == (report["results"]["weight"], report["results"]["reg"])


def test_lists_are_the_programs(movies, fitted, mf):
    columns = movies("ml-100k")
    _, folder = fitted(columns, "--rank", 8, "--epochs", 5)
    model = MatrixFactorization(rank=8, epochs=5).fit(*columns)
    run, ratings = folder / "run", folder / "ratings.tsv"

    def same(found, said, asked):
        ids, scores = found
        for ids, scores, who in zip(ids, scores, asked):
            assert list(zip(ids.tolist(), scores)) == said[str(who)]

    said = lists(mf("recommend", run, "--users", "7,300,12", "--top", 5))
    same(model.recommend([7, 300, 12], N=5), said, [7, 300, 12])
    assert lists(mf("recommend", run, "--users", "7,300,12", "--top", 5, "--exclude", ratings)) == said
    said = lists(mf("recommend", run, "--top", 3, "--only", "1,50,7,9", "--without", "9", "--with-seen"))
    everybody = model.users_.tolist()
    same(model.recommend(everybody, 3, False, items=[1, 50, 7]), said, everybody)
    said = lists(mf("similar", run, "50,3", "--top", 6))
    same(model.similar_items([50, 3], 6), said, [50, 3])
    said = lists(mf("similar", run, "--users", "9,100", "--top", 4, "--without", "100"))
    same(model.similar_users([9, 100], 4, filter_users=[100]), said, [9, 100])
    said = [line.split("\t") for line in mf("predict", run, ratings).splitlines()[:1000]]
    found = model.predict(columns[0][:1000], columns[1][:1000])
    assert found.tolist() == [float(line[2]) for line in said]


@pytest.mark.parametrize("kind", ["numbers", "dense", "texts", "implicit"])
def test_each_side_reads_what_the_other_has_written(fitted, mf, tmp_path, kind):
    users, items, ratings = some_ratings()
    ratings = (ratings * 8).round() / 8
    if kind == "implicit":
        ratings = np.abs(ratings).round()
    if kind == "texts":
        users = np.array([f"user {user}" for user in users])
    elif kind == "numbers":
        users = users + 100
    options = ["--solver", "als", "--implicit", 3] if kind == "implicit" else ["--validation", "none"]
    report, folder = fitted((users, items, ratings), "--rank", 3, "--epochs", 4, *options)
    run, elsewhere = folder / "run", tmp_path / "elsewhere"
    model = raddle.load(run)
    assert model.digest_ == report["model_digest"]
    assert type(model) is (ImplicitALS if kind == "implicit" else MatrixFactorization)
    model.save(elsewhere)
    names = ("model.json", "user_factors.npy", "item_factors.npy", "user_bias.npy", "item_bias.npy", "seen.npz")
    for name in names:
        assert (run / name).read_bytes() == (elsewhere / name).read_bytes()
    for option, is_filtered in [((), True), (("--with-seen",), False)]:
        said = mf("recommend", run, "--top", 4, *option)
        assert mf("recommend", elsewhere, "--top", 4, *option) == said
        for asked in (model, pickle.loads(pickle.dumps(model)), raddle.load(elsewhere)):
            if kind == "implicit":
                ids, scores = asked.recommend(3, None, 4, is_filtered)
                user, ids = asked.user_ids_[3], asked.item_ids_[ids]
            else:
                user = asked.users_[3]
                ids, scores = asked.recommend(user, 4, is_filtered)
            assert list(zip(ids.tolist(), scores)) == lists(said).get(str(user), [])
    (run / "item_bias.npy").write_bytes(b"nothing")
    with pytest.raises(ValueError, match="item_bias.npy"):
        raddle.load(run)


def kinds():
    users, items, _ = some_ratings()
    letters = np.array([f"item {i}" for i in range(20)])
    yield "int64", users - 2**40, items + 2**33, -(2**40), 2**33
    yield "uint8", users.astype(np.uint8), items.astype(np.uint8), 0, 0
    yield "texts", letters[items % 20].tolist(), np.array(letters, dtype=object)[items], None, "item 3"
    yield "pandas", pd.Series(users).astype("category"), pd.Series(letters[items]).astype("category"), 3, "item 3"
    yield "pandas text", pd.Series(letters[items]), pd.Series(items), "item 3", 3
    yield "polars", pl.Series(users), pl.Series(letters[items], dtype=pl.Categorical), 3, "item 3"


@pytest.mark.parametrize("kind", kinds(), ids=lambda kind: kind[0])
def test_ids_of_any_kind_come_back(kind):
    _, users, items, _, item = kind
    values = some_ratings()[2]
    model = MatrixFactorization(rank=2, epochs=3, duplicates="mean").fit(users, items, values)
    assert set(model.users_.tolist()) == set(np.asarray(users).tolist())
    assert set(model.items_.tolist()) == set(np.asarray(items).tolist())
    everybody = list(dict.fromkeys(np.asarray(users).tolist()))
    ids, scores = model.recommend(everybody, 30, False)
    assert all(set(row.tolist()) == set(model.items_.tolist()) for row in ids)
    for user, row, score in zip(everybody, ids, scores):
        assert np.allclose(model.predict([user] * len(row), row), score, atol=1e-5)
    found, _ = model.similar_items(item, 3)
    assert found[0] == item and type(found.tolist()[0]) is type(item)
    assert model.recommend(everybody[0], 4, items=[item])[0].size <= 1


def test_an_unknown_id_is_named():
    model = MatrixFactorization(rank=2, epochs=3).fit(*some_ratings())
    for asked in [
        lambda: model.recommend(99),
        lambda: model.recommend([1, 99]),
        lambda: model.similar_users(99),
        lambda: model.recommend(1, items=[99]),
        lambda: model.similar_items(1, filter_items=[99]),
        lambda: model.similar_items(99),
    ]:
        with pytest.raises(ValueError, match="the model has no 99; give an id that it was fitted on"):
            asked()
    with pytest.raises(ValueError, match="user: the model has no 'ann'"):
        model.recommend("ann")
    # A prediction makes do with what is known.
    assert model.predict(99, 99) == model.mean_
    assert model.predict(99, 3) == pytest.approx(model.mean_ + model.item_bias_[model.items_.tolist().index(3)])
    matrix = some_counts()
    clicks = AlternatingLeastSquares(3).fit(matrix)
    for asked, name in [
        (lambda: clicks.recommend(30, matrix[0]), "userid: 30 is not in the model, which has 30"),
        (lambda: clicks.recommend(-1, matrix[0]), "userid: -1 is not in the model"),
        (lambda: clicks.similar_items(20), "itemid: 20 is not in the model, which has 20"),
        (lambda: clicks.recommend(0, matrix[0], items=[3, 20]), "items: 20 is not in the model"),
        (lambda: clicks.similar_users(0, filter_users=[31]), "filter_users: 31 is not in the model"),
    ]:
        with pytest.raises(IndexError, match=name):
            asked()


def naive(model, scores, out, count):
    order = sorted((i for i in range(len(scores)) if i not in out), key=lambda i: (-scores[i], i))
    return order[:count]


@pytest.mark.parametrize("seed", range(5))
def test_filters_leave_the_best_of_the_rest(seed):
    matrix = some_counts(seed)
    model = AlternatingLeastSquares(4, alpha=3.0).fit(matrix)
    users = model.user_factors.astype(float)
    # Who has no counts gets what pleases on the whole.
    users[~users.any(1)] = users[users.any(1)].mean(0)
    scores = users @ model.item_factors.astype(float).T
    for user in range(30):
        liked = set(matrix[user].indices)
        ids, found = model.recommend(user, matrix[user], N=6)
        assert ids.tolist() == naive(model, scores[user], liked, 6)
        assert np.allclose(found, scores[user][ids], atol=1e-5)
        ids, _ = model.recommend(user, None, 4, False, filter_items=[1, 2])
        assert ids.tolist() == naive(model, scores[user], {1, 2}, 4)
        ids, _ = model.recommend(user, matrix[user], 20, items=[9, 3, 4])
        assert ids.tolist() == naive(model, scores[user], liked | (set(range(20)) - {3, 4, 9}), 20)
    ids, found = model.recommend(np.arange(30), matrix, N=20)
    assert ids.shape == found.shape and ids.dtype == np.int32 and found.dtype == np.float32
    for user in range(30):
        one, score = model.recommend(user, matrix[user], N=20)
        assert ids[user, : len(one)].tolist() == one.tolist()
        assert (ids[user, len(one) :] == -1).all() and np.isneginf(found[user, len(one) :]).all()


def test_similar_rows_are_those_of_the_largest_cosines():
    matrix = some_counts()
    model = AlternatingLeastSquares(4).fit(matrix)
    for factors, similar in [(model.item_factors, model.similar_items), (model.user_factors, model.similar_users)]:
        unit = factors / np.linalg.norm(factors, axis=1, keepdims=True)
        for row in range(20):
            ids, scores = similar(row, 5)
            assert ids[0] == row and scores[0] == 1
            assert np.allclose(scores, np.sort(unit @ unit[row])[::-1][:5], atol=1e-5)
            assert np.allclose(scores, (unit @ unit[row])[ids], atol=1e-5)


def test_users_are_solved_beside_the_model_and_in_it():
    matrix, alpha, weight = some_counts(), 3.0, 0.1
    model = AlternatingLeastSquares(4, regularization=weight, alpha=alpha).fit(matrix)
    items, before = model.item_factors.astype(float), model.user_factors.copy()
    new = some_counts(1, users=3)

    def solved(row):
        counts = row.toarray().ravel()
        weights = np.where(counts > 0, alpha * counts, 1)
        system = items.T @ (items * weights[:, None]) + weight * np.eye(4)
        return np.linalg.solve(system, items.T @ (weights * (counts > 0)))

    expected = np.array([solved(row) for row in new])
    assert np.allclose(model.recalculate_user([5, 40, 7], new), expected, atol=1e-4)
    lists = [model.recommend(40, new[at], recalculate_user=True) for at in range(3)]
    many = model.recommend([40, 41, 42], new, recalculate_user=True)
    assert (model.user_factors == before).all()
    model.partial_fit_users([5, 32, 7], new)
    assert model.user_factors.shape == (33, 4) and (model.user_factors[[30, 31]] == 0).all()
    assert np.allclose(model.user_factors[[5, 32, 7]], expected, atol=1e-4)
    others = [user for user in range(30) if user not in (5, 7)]
    assert (model.user_factors[others] == before[others]).all()
    for at, user in enumerate([5, 32, 7]):
        ids, scores = model.recommend(user, new[at])
        for found in (lists[at], (many[0][at], many[1][at])):
            assert found[0].tolist() == ids.tolist() and found[1].tolist() == scores.tolist()
    assert model.similar_users(32, 1)[0].tolist() == [32]


def test_the_objective_is_as_low_as_that_of_implicit():
    implicit = pytest.importorskip("implicit.cpu.als")
    matrix = some_counts(0, 200, 100, 0.1)
    ours = AlternatingLeastSquares(8, 0.05, 4.0, iterations=30, use_cg=False).fit(matrix)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # on the threads of BLAS
        theirs = implicit.AlternatingLeastSquares(
            8, 0.05, 4.0, iterations=30, use_cg=False, random_state=0, num_threads=1
        )
        theirs.fit(matrix, show_progress=False)

    def objective(model):
        users, items = np.asarray(model.user_factors, float), np.asarray(model.item_factors, float)
        wanted = matrix.toarray() > 0
        weights = np.where(wanted, 4.0 * matrix.toarray(), 1.0)
        return (weights * (wanted - users @ items.T) ** 2).sum() + 0.05 * ((users**2).sum() + (items**2).sum())

    assert objective(ours) < 1.02 * objective(theirs)


def test_lists_are_those_of_implicit_on_equal_factors():
    implicit = pytest.importorskip("implicit.cpu.als")
    matrix = some_counts(3, 60, 40)
    ours = AlternatingLeastSquares(6, 0.05, 2.0).fit(matrix)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # on the threads of BLAS
        theirs = implicit.AlternatingLeastSquares(6, 0.05, 2.0, num_threads=1)
    theirs.user_factors, theirs.item_factors = ours.user_factors.copy(), ours.item_factors.copy()
    for user in np.flatnonzero(matrix.getnnz(axis=1))[:20]:
        for asked in [
            lambda model, given: model.recommend(user, given, N=5),
            lambda model, given: model.recommend(user, given, 5, True, [3, 4]),
            lambda model, given: model.recommend(user, given, N=4, items=[7, 30, 2, 9], filter_already_liked_items=False),
            lambda model, given: model.recommend(user, given, 6, recalculate_user=True),
            lambda model, given: model.similar_items(user % 40, 5),
            lambda model, given: model.similar_items(np.array([1, 2]), 4, filter_items=[5]),
            lambda model, given: model.similar_users(user, 5),
        ]:
            (ids, scores), (expected, values) = asked(ours, matrix[user]), asked(theirs, matrix[user])
            assert ids.tolist() == expected.tolist() and np.allclose(scores, values, atol=1e-4)
    ours.partial_fit_users(np.array([2, 61]), matrix[[5, 6]])
    theirs.partial_fit_users(np.array([2, 61]), matrix[[5, 6]])
    assert np.allclose(ours.user_factors, theirs.user_factors, atol=1e-4)


@pytest.mark.parametrize("make", ["ratings", "counts"])
def test_a_copy_is_the_same_model(make):
    matrix, columns = some_counts(), some_ratings()
    if make == "ratings":
        model = MatrixFactorization(rank=3, epochs=4).fit(*columns)
        ask = lambda model: (model.recommend(3, 5), model.similar_items(2), model.predict(columns[0], columns[1]))
    else:
        model = AlternatingLeastSquares(3).fit(matrix)
        model.partial_fit_users([3], matrix[9])
        ask = lambda model: (model.recommend(3, matrix[3]), model.similar_users(2), model.item_factors)
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert repr(other) == repr(model) and other.report_ == model.report_ and other.digest_ == model.digest_
        assert all(np.array_equal(a, b) for a, b in zip(np.hstack(ask(model)[:2]), np.hstack(ask(other)[:2])))
        assert np.array_equal(ask(model)[2], ask(other)[2])
    state = model.__getstate__()
    with pytest.raises(ValueError, match=f"this pickle of {type(model).__name__} has the format 0"):
        type(model).__new__(type(model)).__setstate__({**state, "_raddle_format": 0})


def test_a_callback_sees_every_epoch_and_ends_the_fit():
    records = []
    MatrixFactorization(rank=2, epochs=6, validation=None).fit(*some_ratings(), callback=records.append)
    assert [record["epoch"] for record in records] == list(range(7))
    model = AlternatingLeastSquares(3, iterations=50)
    model.fit(some_counts(), callback=lambda record: record["epoch"] < 4)
    assert model.n_iter_ == 4 and model.report_["ending"] == "interrupted"

    def raises(record):
        raise LookupError("as it was told to")

    with pytest.raises(LookupError, match="as it was told to"):
        model.fit(some_counts(), callback=raises)


ENDLESS = {
    "sgd": lambda **more: MatrixFactorization(rank=8, epochs=10**6, **more).fit(*some_ratings(0, 300, 200, 20_000)),
    "als": lambda **more: AlternatingLeastSquares(16, iterations=10**6, **more).fit(some_counts(0, 300, 200)),
}


@pytest.mark.parametrize("kind", ENDLESS)
def test_ctrl_c_ends_a_fit_and_the_next_is_as_usual(kind, ctrl_c):
    usual = AlternatingLeastSquares(3).fit(some_counts()).digest_
    assert ctrl_c(lambda: ENDLESS[kind](n_jobs=2)) >= 0
    assert AlternatingLeastSquares(3).fit(some_counts()).digest_ == usual


def test_a_list_takes_less_than_a_millisecond(movies):
    users, items, ratings = movies("ml-1m")
    matrix = sparse.csr_matrix((ratings, (users, items)))
    clicks = AlternatingLeastSquares(64, iterations=1, n_jobs=-1).fit(matrix)
    model = MatrixFactorization(rank=64, epochs=1, n_jobs=-1).fit(users, items, ratings)
    rows = [matrix[user] for user in range(21)]
    for ask in [
        lambda user: clicks.recommend(user, rows[user]),
        lambda user: clicks.similar_items(user),
        lambda user: clicks.similar_users(user),
        lambda user: model.recommend(user),
        lambda user: model.similar_items(user),
    ]:
        ask(0)
        taken = []
        for user in range(21):
            started = time.thread_time()
            ask(user)
            taken.append(time.thread_time() - started)
        assert np.median(taken) < 1e-3, taken


def test_rows_are_read_as_scipy_means_them(tmp_path):
    matrix = some_counts(0, 40, 30, 0.3)
    usual = AlternatingLeastSquares(3).fit(matrix)
    doubled = sparse.csr_matrix(
        (np.repeat(matrix.data / 2, 2), np.repeat(matrix.indices, 2), matrix.indptr * 2), shape=matrix.shape
    )
    for row in range(40):
        doubled.indices[doubled.indptr[row] : doubled.indptr[row + 1]][:] = doubled[row].indices[::-1]
        doubled.data[doubled.indptr[row] : doubled.indptr[row + 1]][:] = doubled[row].data[::-1]
    doubled.has_canonical_format = doubled.has_sorted_indices = False
    zeros = matrix.copy()
    zeros.data = np.append(zeros.data, 0.0)
    zeros.indices, zeros.indptr = np.append(zeros.indices, 0), np.append(zeros.indptr[:-1], len(zeros.data))
    zeros.sort_indices()
    wide = matrix.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    frozen = matrix.copy()
    for array in (frozen.data, frozen.indices, frozen.indptr):
        array.flags.writeable = False
    np.save(tmp_path / "data.npy", matrix.data)
    mapped = matrix.copy()
    mapped.data = np.load(tmp_path / "data.npy", mmap_mode="r")
    given = doubled.data.copy()
    for other in (
        doubled, zeros, wide, frozen, mapped, matrix.tocsc(), matrix.tocoo(), sparse.csr_array(matrix), matrix.astype(int),
    ):
        assert AlternatingLeastSquares(3).fit(other).digest_ == usual.digest_
        found = usual.recommend(3, other.tocsr()[3], recalculate_user=True)
        assert [part.tolist() for part in found] == [
            part.tolist() for part in usual.recommend(3, matrix[3], recalculate_user=True)
        ]
    assert (doubled.data == given).all()


def test_bad_input_is_refused_by_name():
    users, items, ratings = some_ratings()
    matrix = some_counts()

    def counts(value, dtype=float):
        other = matrix.astype(dtype)
        other.data[3] = value
        return other

    fit = lambda *columns, **parameters: MatrixFactorization(**parameters).fit(*columns)
    clicks = lambda given, **parameters: AlternatingLeastSquares(**parameters).fit(given)
    model = AlternatingLeastSquares(3).fit(matrix)
    for asked, why in [
        (lambda: fit(users[1:], items, ratings), "users, items and ratings have 399, 400 and 400 values"),
        (lambda: fit(users + 0.5, items, ratings), "users has numbers with fractions, or missing ones"),
        (lambda: fit(users, pd.Series(items).where(items != 3), ratings), "items has numbers with fractions"),
        (lambda: fit(users, [None, *["a"] * 399], ratings), "items: the id of rating 1 is missing"),
        (lambda: fit(users, items, ratings.reshape(-1, 1)), "ratings must be one column of numbers"),
        (lambda: fit(users, items, ratings * 1j), "ratings must be one column of numbers"),
        (lambda: fit(users, items, np.where(items == 3, np.nan, ratings)), "is NaN"),
        (lambda: fit([], [], []), "no ratings"),
        (lambda: fit(users, items, ratings, rank=0), "rank is 0"),
        (lambda: fit(users, items, ratings, rank=2.5), "rank is 2.5: it must be a whole number of 1 or more"),
        (lambda: fit(users, items, ratings, solver="svd"), "solver is \"svd\""),
        (lambda: fit(users, items, ratings, regularization=-1), "regularization is -1"),
        (lambda: fit(users, items, ratings, validation=1.5), "validation is 1.5"),
        (lambda: fit(users, items, ratings, duplicates="most"), "duplicates: `most` is no rule"),
        (lambda: fit([1, 1], [2, 2], [3, 4], duplicates="refuse"), "repeats a pair"),
        (lambda: fit(users, items, ratings, n_jobs=0), "n_jobs is 0"),
        (lambda: clicks(matrix.toarray()), "user_items must be a sparse matrix"),
        (lambda: clicks(counts(np.nan)), "user_items has the value nan"),
        (lambda: clicks(counts(1j, complex)), "user_items has values of type complex128"),
        (lambda: clicks(sparse.csr_matrix((3, 4))), "no ratings"),
        (lambda: clicks(matrix, alpha=0), "alpha is 0"),
        (lambda: clicks(matrix, factors=5000), "factors is 5000|rank is 5000"),
        (lambda: clicks(matrix, iterations=0), "iterations is 0"),
        (lambda: AlternatingLeastSquares().recommend(0, matrix[0]), "is not fitted: call fit first"),
        (lambda: model.recommend([0, 1], matrix[0]), "user_items must have a row for each user"),
        (lambda: model.recommend(0, matrix[0], N=0), "N is 0"),
        (lambda: model.recommend(0.5, matrix[0]), "userid must be a whole number"),
        (lambda: model.recommend(0, sparse.csr_matrix((1, 21))), "user_items has 21 columns, but the model has 20"),
        (lambda: model.recommend(0, matrix[0], items=[1], filter_items=[2]), "give items or filter_items, not both"),
    ]:
        with pytest.raises(ValueError, match=why):
            asked()
