"""Matrix factorization in the suite (see contender.py): test error of ratings, and NDCG at 10 of clicks.

    python benches/suite/mf.py FILE     makes the set of 10 M ratings

LIBMF runs with the settings for short runs that were found best for it, built with AVX, which its package is without.
Errors are computed from exported factors, in double precision, without clipping; so is NDCG, for every fourth user.
"""

import gzip
import json
import pathlib
import sys

import numpy as np
import scipy.sparse as sp

from rows import TARGET
from shared import PYTHON, arrays_of, timed


def splitmix64(x):
    with np.errstate(over="ignore"):
        z = x + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def read(path):
    """Users, items and values of a file of ours: TAB separated, rows from 0."""
    with gzip.open(path, "rb") as file:
        raw = file.read()
    width = raw[: raw.index(b"\n")].count(b"\t") + 1
    table = np.array(raw.split(), dtype=np.float64).reshape(-1, width)
    values = table[:, 2] if width > 2 else np.ones(len(table))
    users, items = table[:, 0].astype(np.int64), table[:, 1].astype(np.int64)
    return {"users": users, "items": items, "values": values.astype(np.float32)}


def split(users, items, values):
    """Training and test triples by the documented hash; cold test pairs are dropped."""
    pair = (users.astype(np.uint64) << np.uint64(32)) | items.astype(np.uint64)
    out = splitmix64(pair) % np.uint64(10) == 0
    known_users, known_items = np.zeros(users.max() + 1, bool), np.zeros(items.max() + 1, bool)
    known_users[users[~out]], known_items[items[~out]] = True, True
    keep = out & known_users[users] & known_items[items]
    return [a[~out] for a in (users, items, values)], [a[keep] for a in (users, items, values)]


def rmse(test, p, q, mean=0.0, b=None, c=None):
    users, items, values = test
    total = 0.0
    for at in range(0, len(users), 1 << 18):
        u, i = users[at : at + (1 << 18)], items[at : at + (1 << 18)]
        guess = np.einsum("ij,ij->i", p[u].astype(np.float64), q[i].astype(np.float64)) + mean
        guess += (b[u] if b is not None else 0.0) + (c[i] if c is not None else 0.0)
        total += float(((values[at : at + (1 << 18)] - guess) ** 2).sum())
    return (total / len(users)) ** 0.5


def synthetic(path, count=10_000_000, users=71_567, items=10_681):
    """Ratings with uneven popularity, of a truth of rank 16 with biases, in halves from 0.5 to 5; seeded."""
    if path.exists():
        return

    def uniform(tag, index):
        key = np.uint64(1) << np.uint64(40) ^ np.uint64(tag) << np.uint64(56)
        return (splitmix64(key ^ index.astype(np.uint64)) >> np.uint64(11)) / 2.0**53

    def normal(tag, index):
        return sum(uniform(tag + part, index) for part in range(4)) * 3**0.5 - 2 * 3**0.5

    drawn = np.arange(int(count * 1.35))
    u = (users * uniform(1, drawn) ** 2).astype(np.int64)
    i = (items * uniform(2, drawn) ** 3).astype(np.int64)
    first = np.sort(np.unique(u * items + i, return_index=True)[1])[:count]
    u, i = u[first], i[first]
    a, b = normal(16, np.arange(users * 16)).reshape(-1, 16), normal(24, np.arange(items * 16)).reshape(-1, 16)
    of_users, of_items = 0.4 * normal(32, np.arange(users)), 0.4 * normal(40, np.arange(items))
    part = path.with_suffix(".part")
    with gzip.open(part, "wt", compresslevel=1) as file:
        for at in range(0, len(u), 1 << 20):
            s = slice(at, at + (1 << 20))
            place = np.arange(at, min(at + (1 << 20), len(u)))
            r = 3.5 + of_users[u[s]] + of_items[i[s]] + 0.15 * (a[u[s]] * b[i[s]]).sum(1) + 0.75 * normal(48, place)
            r = np.clip(np.round(r * 2) / 2, 0.5, 5.0)
            file.writelines(f"{x}\t{y}\t{z:g}\n" for x, y, z in zip(u[s], i[s], r))
    part.rename(path)


def ndcg(row, problem, p, q, mean=0.0, b=None, c=None):
    """Mean NDCG at 10 of every fourth user that has test items; those of the training set are left out."""
    train, test = problem.train, problem.test
    shape = (problem.users, problem.items)
    seen, wanted = (sp.csr_matrix((np.ones(len(u)), (u, i)), shape) for u, i, _ in (train, test))
    gains, found = 1 / np.log2(np.arange(2, 12)), []
    users = np.flatnonzero(np.diff(wanted.indptr))[::4]
    for at in range(0, len(users), 256):
        some = users[at : at + 256]
        scores = p[some].astype(np.float32) @ q.T.astype(np.float32) + (0.0 if c is None else c)
        for user, score in zip(some, scores):
            score[seen.indices[seen.indptr[user] : seen.indptr[user + 1]]] = -np.inf
            best = np.argpartition(-score, 10)[:10]
            best = best[np.argsort(-score[best], kind="stable")]
            items = wanted.indices[wanted.indptr[user] : wanted.indptr[user + 1]]
            found.append((np.isin(best, items) * gains).sum() / gains[: min(10, len(items))].sum())
    return float(np.mean(found))


class Problem:
    """The documented split."""

    def __init__(self, users, items, values):
        self.users, self.items = int(users.max()) + 1, int(items.max()) + 1
        self.train, self.test = split(users, items, values)

    def matrix(self):
        return sp.csr_matrix((self.train[2], self.train[:2]), (self.users, self.items))


def problem(row):
    return Problem(**read(row.path))


def problem_again(row):
    return Problem(**arrays_of(row, read))


def files(row):
    return [problem_again(row)]


def ready(row, problem, scratch):
    pass


def command(row, scratch):
    words = [TARGET / "release/mf", "fit", row.path, "--rank", row.about["rank"], "--epochs", row.about["epochs"]]
    words += ["--test", "split", "--validation", "none"]
    return words + (["--solver", "als", "--implicit", "10", "--no-biases"] if "implicit" in row.about else [])


def settings(row, peer):
    """Epochs to try."""
    if peer == PYTHON:
        return [row.about["epochs"]]
    if peer == "libmf":
        known = row.about["libmf"][0]
        return [known, known + 1, known + 3, 2 * known, 4 * known]
    return [3, 4, 5, 6, 8] if "implicit" in row.about else [5, 8, 12, 18, 25, 35, 50, 70, 100]


def target(row, peer):
    return row.target


def better(row, a, b):
    return a > b if "implicit" in row.about else a < b


def judge(row, problem, arrays):
    if "implicit" in row.about:
        return ndcg(row, problem, **arrays)
    return rmse(problem.test, **arrays)


def judge_run(row, problem, folder, report):
    names = {"p": "user_factors", "q": "item_factors", "b": "user_bias", "c": "item_bias"}
    arrays = {key: np.load(folder / f"{name}.npy") for key, name in names.items() if (folder / f"{name}.npy").exists()}
    return judge(row, problem, {**arrays, "mean": json.loads((folder / "model.json").read_text()).get("mean", 0.0)})


def rate(row, problem, seconds, epochs):
    """Million updates a second: ratings of all epochs."""
    return epochs * len(problem.train[0]) / seconds / 1e6


def padded(array, rows):
    return np.vstack([array, np.zeros((rows - len(array), array.shape[1]), array.dtype)])


def libmf(row, problem, warm):
    from libmf import mf

    x = np.stack([a.astype(np.float32) for a in problem.train], axis=1)
    _, weight, eta = row.about["libmf"]

    def solve(epochs):
        engine = mf.MF(k=row.about["rank"], nr_threads=1, nr_iters=epochs, lambda_p2=weight, lambda_q2=weight,
                       lambda_p1=0.0, lambda_q1=0.0, eta=eta, quiet=True, copy_data=False, nr_bins=20)
        seconds, _ = timed(engine.fit, x)
        p, q = (np.nan_to_num(a) for a in (engine.p_factors(), engine.q_factors()))
        return seconds, {"p": padded(p, problem.users), "q": padded(q, problem.items)}

    return solve


def cornac(row, problem, warm):
    from cornac.data import Dataset
    from cornac.models import MF

    data = Dataset.build(list(zip(*(a.tolist() for a in problem.train))))
    of_users, of_items = np.array(list(data.uid_map)), np.array(list(data.iid_map))

    def solve(epochs):
        model = MF(k=row.about["rank"], max_iter=epochs, learning_rate=0.01, lambda_reg=0.05, use_bias=True,
                   num_threads=1, seed=1)
        seconds, _ = timed(model.fit, data)
        return seconds, placed(row, problem, of_users, of_items, model.u_factors, model.i_factors, model.global_mean,
                               model.u_biases, model.i_biases)

    return solve


def placed(row, problem, of_users, of_items, factors, of_item_factors, mean, b, c):
    """Arrays of all users and items, from those of the ones that a peer knows."""
    arrays = {"p": np.zeros((problem.users, row.about["rank"])), "q": np.zeros((problem.items, row.about["rank"]))}
    arrays |= {"b": np.zeros(problem.users), "c": np.zeros(problem.items), "mean": float(mean)}
    arrays["p"][of_users], arrays["q"][of_items] = factors, of_item_factors
    arrays["b"][of_users], arrays["c"][of_items] = b, c
    return arrays


def cmfrec(row, problem, warm):
    from cmfrec import CMF, CMF_implicit

    x, rank = problem.matrix().tocoo(), row.about["rank"]
    given = {"k": rank, "use_float": True, "nthreads": 1, "use_cg": True, "finalize_chol": False, "verbose": False,
             "precompute_for_predictions": False}

    def solve(epochs):
        if "implicit" in row.about:
            model = CMF_implicit(niter=epochs, lambda_=0.05, alpha=10.0, **given)
            seconds, _ = timed(model.fit, x)
            return seconds, {"p": model.A_[:, :rank], "q": model.B_[:, :rank]}
        # With biases it comes less close.
        model = CMF(niter=epochs, method="als", lambda_=0.05, scale_lam=True, user_bias=False, item_bias=False,
                    center=False, **given)
        seconds, _ = timed(model.fit, x)
        return seconds, {"p": padded(model.A_[:, :rank], problem.users), "q": padded(model.B_[:, :rank], problem.items)}

    return solve


def surprise(row, problem, warm):
    import pandas
    from surprise import SVD, Dataset, Reader

    users, items, values = problem.train
    reader = Reader(rating_scale=(float(values.min()), float(values.max())))
    data = Dataset.load_from_df(pandas.DataFrame({"u": users, "i": items, "r": values}), reader).build_full_trainset()
    of_users = np.array([data.to_raw_uid(user) for user in range(data.n_users)])
    of_items = np.array([data.to_raw_iid(item) for item in range(data.n_items)])

    def solve(epochs):
        model = SVD(n_factors=row.about["rank"], n_epochs=epochs, lr_all=0.01, reg_all=0.05, random_state=0)
        seconds, _ = timed(model.fit, data)
        return seconds, placed(row, problem, of_users, of_items, model.pu, model.qi, data.global_mean, model.bu, model.bi)

    return solve


def implicit(row, problem, warm):
    from implicit.als import AlternatingLeastSquares

    x = problem.matrix()

    def solve(epochs):
        model = AlternatingLeastSquares(factors=row.about["rank"], iterations=epochs, regularization=0.05, alpha=10,
                                        num_threads=1, use_gpu=False, random_state=1)
        seconds, _ = timed(model.fit, x, show_progress=False)
        return seconds, {"p": model.user_factors, "q": model.item_factors}

    return solve


def raddle(row, problem, warm):
    from raddle.mf import AlternatingLeastSquares, MatrixFactorization

    x, rank = problem.matrix(), row.about["rank"]

    def solve(epochs):
        if "implicit" in row.about:
            model = AlternatingLeastSquares(factors=rank, iterations=epochs, alpha=10, num_threads=1)
            seconds, _ = timed(model.fit, x)
            return seconds, {"p": model.user_factors, "q": model.item_factors}
        model = MatrixFactorization(rank=rank, epochs=epochs, validation=None, n_jobs=1)
        seconds, _ = timed(model.fit, *problem.train)
        return seconds, placed(row, problem, model.users_, model.items_, model.user_factors_, model.item_factors_,
                               model.mean_, model.user_bias_, model.item_bias_)

    return solve


PEERS = {peer.__name__: peer for peer in (libmf, cornac, cmfrec, surprise, implicit)} | {PYTHON: raddle}


if __name__ == "__main__":
    synthetic(pathlib.Path(sys.argv[1]))
