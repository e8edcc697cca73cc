"""Models in folders: the programs read what the package writes, and the package reads what the programs write."""

import json
import os
import pathlib
import pickle
import subprocess

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import raddle
from raddle.lasso import ElasticNet, Lasso, LassoCV, LogisticLasso, PoissonLasso
from raddle.lda import LatentDirichletAllocation
from raddle.mf import AlternatingLeastSquares, ImplicitALS, MatrixFactorization


def lasso_fits(X, y):
    words = np.array(["low", "middle", "high"])
    return [
        Lasso(alpha=1.0).fit(X, y),
        ElasticNet(alpha=0.5, l1_ratio=0.3).fit(X, y),
        LassoCV(alphas=10, cv=3).fit(X, y),
        PoissonLasso(alpha=0.1).fit(X, np.round(y / 50)),
        LogisticLasso(alpha=0.01).fit(X, np.where(y > 100, 1, -1)),
        LogisticLasso(alpha=0.01).fit(X, words[np.digitize(y, [90, 150])]),
        LogisticLasso(alpha=0.01).fit(X, np.where(y > 100, "yes", "no")),
    ]


def test_lasso_models_come_back_as_they_were(diabetes, tmp_path):
    X, y = diabetes
    for number, model in enumerate(lasso_fits(X, y)):
        folder = tmp_path / str(number)
        assert model.save(folder) is model
        loaded = raddle.load(folder)
        np.testing.assert_array_equal(loaded.coef_, model.coef_)
        np.testing.assert_array_equal(loaded.intercept_, model.intercept_)
        np.testing.assert_array_equal(loaded.dual_, model.dual_)
        np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
        assert (loaded.digest_, loaded.relative_gap_) == (model.digest_, model.relative_gap_)
        again = tmp_path / f"{number}.again"
        loaded.save(again)
        assert (folder / "model.json").read_bytes() == (again / "model.json").read_bytes()


def test_a_loaded_model_is_a_model_of_scikit_learn(diabetes, tmp_path):
    X, y = diabetes
    for number, model in enumerate(lasso_fits(X, y)):
        model.save(tmp_path / str(number))
        loaded = raddle.load(tmp_path / str(number))
        np.testing.assert_allclose(loaded.to_sklearn().coef_, model.coef_)
        loaded.dual_ = np.empty(0)
        assert loaded.to_sklearn().predict(X).shape == y.shape


def test_names_of_columns_are_kept(diabetes, tmp_path):
    X, y = diabetes
    frame = pd.DataFrame(X, columns=[f"column {number}" for number in range(X.shape[1])])
    model = Lasso(alpha=1.0).fit(frame, y).save(tmp_path / "run")
    loaded = raddle.load(tmp_path / "run")
    assert list(loaded.feature_names_in_) == list(frame.columns)
    np.testing.assert_array_equal(loaded.predict(frame), model.predict(frame))


def test_a_run_is_replaced_only_where_that_is_asked_for(diabetes, tmp_path):
    X, y = diabetes
    model = Lasso(alpha=1.0).fit(X, y).save(tmp_path)
    with pytest.raises(ValueError, match="it holds a run of lasso .model.json.: replace it, or name another folder"):
        model.save(tmp_path)
    Lasso(alpha=5.0).fit(X, y).save(tmp_path, overwrite=True)
    assert raddle.load(tmp_path).alpha == 5.0


def test_what_is_no_model_is_refused_with_its_file(diabetes, tmp_path):
    with pytest.raises(ValueError, match="model.json"):
        raddle.load(tmp_path)
    Lasso(alpha=1.0).fit(*diabetes).save(tmp_path)
    coefficients = tmp_path / "coef.tsv"
    coefficients.write_bytes(coefficients.read_bytes().replace(b"3", b"4", 1))
    with pytest.raises(ValueError, match="coef.tsv: it is not the file that the run wrote"):
        raddle.load(tmp_path)


@pytest.fixture
def program():
    """Run a program of the command line and return its report or result."""
    folder = os.environ.get("RADDLE_BIN")
    if folder is None:
        pytest.skip("RADDLE_BIN names no folder with the programs")

    def run(name, *arguments):
        line = [pathlib.Path(folder, name), *map(str, arguments), "--json"]
        return json.loads(subprocess.run(line, check=True, capture_output=True, timeout=300).stdout)

    return run


def test_the_program_lasso_reads_and_writes_the_same_models(program, diabetes, csv, tmp_path):
    X, y = diabetes
    file = csv(X, y)
    ours, theirs, predicted, path = (tmp_path / name for name in ("ours", "theirs", "predicted", "path"))
    report = program("lasso", "fit", file, "--lambda", 0.5, "--no-standardize", "--out", theirs)
    loaded = raddle.load(theirs)
    assert loaded.digest_ == report["model_digest"] == loaded.report_["model_digest"]
    model = Lasso(alpha=0.5).fit(X, y).save(ours)
    np.testing.assert_array_equal(loaded.coef_, model.coef_)
    assert (ours / "dual.npy").read_bytes() == (theirs / "dual.npy").read_bytes()
    program("lasso", "predict", ours, file, "--out", predicted)
    np.testing.assert_allclose(np.loadtxt(predicted), model.predict(X), rtol=1e-14)
    program("lasso", "path", file, "--points", 5, "--out", path)
    assert raddle.load(path, point=2).alpha > raddle.load(path, point=5).alpha == raddle.load(path).alpha
    with pytest.raises(ValueError, match="no point 6: it has the points 1 to 5"):
        raddle.load(path, point=6)
    about = json.loads((ours / "model.json").read_text())
    assert about["program"] == "lasso" and about["certified"]


def ratings():
    random = np.random.default_rng(3)
    users, items = random.integers(0, 60, 2000), random.integers(0, 40, 2000)
    return users, items, 3.0 + np.sin(users) * np.cos(items)


@pytest.mark.parametrize("kind", ["dense", "integers", "large", "names"])
def test_ids_of_ratings_come_back(kind, tmp_path):
    users, items, values = ratings()
    if kind != "dense":
        users, items = users * 7 + 11, items * 3 + 5
    if kind == "large":
        users = users + 10**12
    if kind == "names":
        users, items = [f"user {user}" for user in users], [f"item {item}" for item in items]
    model = MatrixFactorization(rank=4, epochs=5).fit(users, items, values)
    model.save(tmp_path / "run")
    loaded = raddle.load(tmp_path / "run")
    assert loaded.digest_ == model.digest_
    # What the programs know as texts alone comes back as texts.
    asked = [str(user) for user in users[:50]] if kind == "large" else users[:50]
    np.testing.assert_array_equal(loaded.predict(asked, items[:50]), model.predict(users[:50], items[:50]))
    loaded.save(tmp_path / "again")
    for name in ("model.json", "user_factors.npy"):
        assert (tmp_path / "run" / name).read_bytes() == (tmp_path / "again" / name).read_bytes()


def test_models_of_clicks_come_back(tmp_path):
    users, items, _ = ratings()
    counts = sparse.csr_matrix((np.ones(len(users)), (users, items)))
    model = AlternatingLeastSquares(factors=4, iterations=3).fit(counts)
    model.save(tmp_path / "run")
    loaded = raddle.load(tmp_path / "run")
    for ours, theirs in zip(loaded.recommend(3, counts[3]), model.recommend(3, counts[3])):
        np.testing.assert_array_equal(ours, theirs)
    assert (loaded.factors, loaded.regularization, loaded.alpha) == (4, 0.01, 1.0)
    assert loaded.digest_ == model.digest_


def test_the_program_mf_reads_and_writes_the_same_models(program, tmp_path):
    users, items, values = ratings()
    file, ours, theirs = tmp_path / "ratings.csv", tmp_path / "ours", tmp_path / "theirs"
    pairs = pd.DataFrame({"user": users, "item": items, "rating": values}).drop_duplicates(["user", "item"], keep="last")
    pairs.to_csv(file, index=False)
    report = program("mf", "fit", file, "--rank", 4, "--epochs", 5, "--validation", "none", "--out", theirs)
    loaded = raddle.load(theirs)
    assert loaded.digest_ == report["model_digest"]
    columns = (pairs[name].to_numpy() for name in pairs)
    model = MatrixFactorization(rank=4, epochs=5, validation=None).fit(*columns).save(ours)
    assert model.digest_ == report["model_digest"]
    for name in ("user_factors.npy", "item_factors.npy", "user_bias.npy"):
        assert (ours / name).read_bytes() == (theirs / name).read_bytes()
    lists = [program("mf", "recommend", run, "--users", "1,2,3", "--top", 5) for run in (ours, theirs)]
    assert lists[0] == lists[1]


def test_topics_come_back(tmp_path):
    counts = sparse.csr_matrix(np.random.default_rng(5).poisson(0.6, (40, 30)))
    model = LatentDirichletAllocation(n_components=3, max_iter=5).fit(counts)
    model.save(tmp_path)
    loaded = raddle.load(tmp_path)
    assert loaded.digest_ == model.digest_
    np.testing.assert_array_equal(loaded.transform(counts), model.transform(counts))
    with pytest.raises(ValueError, match="it holds a run of lda"):
        model.save(tmp_path)
    assert raddle.load(model.save(tmp_path, overwrite=True) and tmp_path).digest_ == model.digest_


def rated_in(found, users, items):
    seen = set(zip(users.tolist(), items.tolist()))
    return sum((user, item) in seen for user, row in found.items() for item in row.tolist())


def test_a_loaded_model_leaves_out_what_was_rated_as_the_fitted_one_does(tmp_path):
    users, items, values = ratings()
    model = MatrixFactorization(rank=4, epochs=5).fit(users, items, values)
    everybody = model.users_.tolist()
    expected = model.recommend(everybody, 10)
    model.save(tmp_path / "run").save(tmp_path / "without", seen=False)
    loaded = raddle.load(tmp_path / "run")
    for asked in (loaded, pickle.loads(pickle.dumps(loaded)), raddle.load(loaded.save(tmp_path / "again") and tmp_path / "again")):
        ids, scores = asked.recommend(everybody, 10)
        for ours, theirs in zip(ids + scores, expected[0] + expected[1]):
            np.testing.assert_array_equal(ours, theirs)
        assert rated_in(dict(zip(everybody, ids)), users, items) == 0
    assert (tmp_path / "run" / "seen.npz").read_bytes() == (tmp_path / "again" / "seen.npz").read_bytes()
    seen = sparse.load_npz(tmp_path / "run" / "seen.npz")
    assert seen.shape == (60, 40) and seen.sum() == len(set(zip(users.tolist(), items.tolist())))
    # A folder that does not know it says so, and lists all that it is asked for.
    unknowing = raddle.load(tmp_path / "without")
    with pytest.raises(ValueError, match="does not know what users have rated.*filter_already_liked_items=False"):
        unknowing.recommend(3)
    assert len(unknowing.recommend(3, 40, filter_already_liked_items=False)[0]) == 40
    np.testing.assert_array_equal(unknowing.predict([1], [2]), model.predict([1], [2]))


def test_clicks_are_left_out_without_giving_them_again(tmp_path):
    users, items, _ = ratings()
    counts = sparse.csr_matrix((np.ones(len(users)), (users, items)))
    model = AlternatingLeastSquares(factors=4, iterations=3).fit(counts)
    everybody = np.arange(60)
    expected = model.recommend(everybody, counts)
    newcomer = sparse.csr_matrix(([1.0, 2.0], ([0, 0], [3, 5])), (1, 40))
    for asked in (model, pickle.loads(pickle.dumps(model)), raddle.load(model.save(tmp_path / "run") and tmp_path / "run")):
        for ours, theirs in zip(asked.recommend(everybody), expected):
            np.testing.assert_array_equal(ours, theirs)
        asked.partial_fit_users([60, 3], sparse.vstack([newcomer, newcomer]).tocsr())
        for user in (60, 3):
            assert not {3, 5} & set(asked.recommend(user, N=38)[0].tolist())
        again = raddle.load(asked.save(tmp_path / "more", overwrite=True) and tmp_path / "more")
        np.testing.assert_array_equal(again.recommend(60, N=38)[0], asked.recommend(60, N=38)[0])
    # Ids that are no numbers of rows are never replaced by these.
    asked.user_ids_ = np.array([f"u{user}" for user in range(60)], dtype=object)
    with pytest.raises(ValueError, match="user_ids_ has 60 ids, and the model 61 rows: append an id for each new row"):
        asked.save(tmp_path / "named")
    asked.user_ids_ = [*asked.user_ids_, "newcomer"]
    assert raddle.load(asked.save(tmp_path / "named") and tmp_path / "named").user_ids_[60] == "newcomer"


def test_values_below_zero_are_dislikes(program, tmp_path):
    random = np.random.default_rng(5)
    counts = sparse.random(40, 20, 0.3, format="csr", random_state=random)
    counts.data = np.where(random.random(counts.nnz) < 0.3, -2.0, 3.0)
    ours = ImplicitALS(3, 0.1, 2.0, iterations=4, validation=None).fit(counts)
    alone = AlternatingLeastSquares(3, 0.1, 2.0, iterations=4).fit(counts)
    rows, columns = counts.nonzero()
    pd.DataFrame({"user": rows, "item": columns, "count": counts.data}).to_csv(tmp_path / "counts.csv", index=False)
    options = ("--implicit", 2, "--reg", 0.1, "--rank", 3, "--epochs", 4, "--validation", "none", "--columns", "user,item,count")
    for model, more in [(ours, ()), (alone, ("--count-alone",))]:
        report = program("mf", "fit", tmp_path / "counts.csv", *options, *more, "--out", tmp_path / f"run{len(more)}")
        assert report["model_digest"] == model.digest_
        assert type(raddle.load(tmp_path / f"run{len(more)}")) is type(model)
        scores = (model.user_factors @ model.item_factors.T)[rows, columns]
        assert scores[counts.data < 0].mean() < scores[counts.data > 0].mean() - 0.2


def test_ratings_that_single_precision_does_not_tell_apart(tmp_path):
    users, items, values = ratings()
    low = MatrixFactorization(rank=2, epochs=5).fit(users, items, values)
    high = MatrixFactorization(rank=2, epochs=5).fit(users, items, values + 1e9)
    np.testing.assert_allclose(high.predict(users, items) - 1e9, low.predict(users, items), atol=0.2)
    loaded = raddle.load(high.save(tmp_path / "run") and tmp_path / "run")
    np.testing.assert_array_equal(loaded.predict(users, items), high.predict(users, items))
    summed = MatrixFactorization(rank=1, epochs=1, duplicates="sum", validation=None, solver="als")
    summed.fit([1, 1, 1, 2], [1, 1, 1, 1], [16777216.0, 1.0, 1.0, 5.0])
    assert summed.mean_ == pytest.approx((16777218 + 5) / 2)


def test_ids_that_are_one_text_in_a_folder_are_refused_and_zeros_before_them_kept(program, tmp_path):
    ids = ["01", "1", "001", "+1"]
    model = MatrixFactorization(rank=1, epochs=2, validation=None).fit(ids, ids, [1.0, 2.0, 3.0, 4.0])
    model.save(tmp_path / "run")
    assert raddle.load(tmp_path / "run").users_.tolist() == ids
    said = program("mf", "recommend", tmp_path / "run", "--top", 4, "--with-seen")
    assert [each["user"] for each in said["recommendations"]] == ids
    mixed = np.array([1, "1", 2], dtype=object)
    model = MatrixFactorization(rank=1, epochs=2, validation=None).fit(mixed, mixed, [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="two ids are the text '1'"):
        model.save(tmp_path / "mixed")
