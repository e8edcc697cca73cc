"""The suite for matrix factorization: ours beside its peers, in turns, at equal judged quality; one table.

    cargo build --release -p raddle-mf --bin mf --example warm --example mf-bare
    .peers/bin/pip install numpy scipy cornac implicit libmf
    RADDLE_DATA=... .peers/bin/python benches/suite/mf.py [--only ml-1m] [--turns 4] [--libmf-so FILE] [--out FILE]

Each case has a target: a root mean squared error on the test set. Ours and the peer train several times in a process, a
process a turn, and processes take turns; the first training of each is cold, the others warm. What is timed begins with
the triples in memory and ends with readable factors, set-up included. LIBMF runs with the settings for short runs that
were found best for it; `--libmf-so` names a build of its sources with -DUSEAVX, which the package does not have.
Errors are computed here from exported factors, in double precision, without clipping.
"""

import argparse
import gzip
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

import numpy as np  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
RELEASE = ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "release"

# (data, rank, target, our epochs and settings, the peer with its epochs, lambda and eta)
CASES = [
    ("ml-1m", 16, 0.8575, 3, {}, ("libmf", 17, 0.03, 0.1)),
    ("ml-1m", 32, 0.8480, 5, {}, ("libmf", 7, 0.04, 0.1)),
    ("ml-1m", 64, 0.8450, 5, {}, ("libmf", 6, 0.04, 0.1)),
    ("ml-1m", 128, 0.8428, 5, {}, ("libmf", 6, 0.04, 0.1)),
    ("ml-100k", 32, 0.9083, 8, {}, ("libmf", 10, 0.08, 0.1)),
    ("jester-1", 32, 3.979, 7, {}, ("libmf", 5, 0.15, 0.15)),
    ("synthetic", 32, 0.7863, 5, {"shards": 16}, ("libmf", 7, 0.03, 0.1)),
    ("epinions-770k", 16, 1.0298, 3, {}, ("cornac", 30, 0.05, 0.01)),
]


def splitmix64(x):
    with np.errstate(over="ignore"):
        z = x + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def load(path):
    """Users, items and values of a file of ours: TAB separated, rows from 0."""
    with gzip.open(path, "rb") as file:
        raw = file.read()
    width = raw[: raw.index(b"\n")].count(b"\t") + 1
    table = np.array(raw.split(), dtype=np.float64).reshape(-1, width)
    values = table[:, 2] if width > 2 else np.ones(len(table))
    return table[:, 0].astype(np.int64), table[:, 1].astype(np.int64), values.astype(np.float32)


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


def synthetic(folder, count=10_000_000, users=71_567, items=10_681):
    """Ratings with uneven popularity, of a truth of rank 16 with biases, in halves from 0.5 to 5; seeded."""
    path = pathlib.Path(folder) / "synthetic.tsv.gz"
    if path.exists():
        return path

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
    with gzip.open(path, "wt", compresslevel=1) as file:
        for at in range(0, len(u), 1 << 20):
            s = slice(at, at + (1 << 20))
            place = np.arange(at, min(at + (1 << 20), len(u)))
            r = 3.5 + of_users[u[s]] + of_items[i[s]] + 0.15 * (a[u[s]] * b[i[s]]).sum(1) + 0.75 * normal(48, place)
            r = np.clip(np.round(r * 2) / 2, 0.5, 5.0)
            file.writelines(f"{x}\t{y}\t{z:g}\n" for x, y, z in zip(u[s], i[s], r))
    return path


def libmf(train, rows, columns, rank, epochs, weight, eta):
    """LIBMF's factors and seconds."""
    from libmf import mf

    x = np.stack([a.astype(np.float32) for a in train], axis=1)
    engine = mf.MF(k=rank, nr_threads=1, nr_iters=epochs, lambda_p2=weight, lambda_q2=weight, lambda_p1=0.0,
                   lambda_q1=0.0, eta=eta, quiet=True, copy_data=False, nr_bins=20)
    quiet, out = os.open(os.devnull, os.O_WRONLY), os.dup(1)
    os.dup2(quiet, 1)
    started = time.perf_counter()
    engine.fit(x)
    seconds = time.perf_counter() - started
    os.dup2(out, 1)
    p, q = (np.nan_to_num(a) for a in (engine.p_factors(), engine.q_factors()))
    p = np.vstack([p, np.zeros((rows - len(p), p.shape[1]))])
    q = np.vstack([q, np.zeros((columns - len(q), q.shape[1]))])
    return seconds, (p, q)


def cornac(train, rows, columns, rank, epochs, weight, eta):
    """The factors and biases of cornac's MF, and its seconds."""
    from cornac.data import Dataset
    from cornac.models import MF

    data = Dataset.build(list(zip(*(a.tolist() for a in train))))
    model = MF(k=rank, max_iter=epochs, learning_rate=eta, lambda_reg=weight, use_bias=True, num_threads=1, seed=1)
    started = time.perf_counter()
    model.fit(data)
    seconds = time.perf_counter() - started
    p, q, b, c = np.zeros((rows, rank)), np.zeros((columns, rank)), np.zeros(rows), np.zeros(columns)
    of_users, of_items = np.array(list(data.uid_map)), np.array(list(data.iid_map))
    p[of_users], b[of_users] = model.u_factors, model.u_biases
    q[of_items], c[of_items] = model.i_factors, model.i_biases
    return seconds, (p, q, float(model.global_mean), b, c)


def peer(name, path, rank, epochs, weight, eta, times):
    """Trains in this process; prints seconds and the judged error of the last training."""
    users, items, values = load(path)
    train, test = split(users, items, values)
    seconds = []
    for _ in range(times):
        took, factors = globals()[name](train, users.max() + 1, items.max() + 1, rank, epochs, weight, eta)
        seconds.append(took)
    print(json.dumps({"seconds": seconds, "rmse": rmse(test, *factors)}))


def ours(path, rank, epochs, settings, workers, times):
    command = [str(RELEASE / "examples/warm"), str(path), str(rank), str(epochs)]
    command += [f"{k}={v}" for k, v in {"times": times, "workers": workers, **settings}.items()]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def judged(path, rank, epochs, settings):
    """The error of factors that the program exports, computed here."""
    names = {"step": "--step", "reg": "--reg", "init": "--init-scale", "power": "--count-power", "items": "--item-step",
             "shards": "--shards"}
    options = [word for k, v in settings.items() for word in (names[k], str(v))]
    with tempfile.TemporaryDirectory() as folder:
        command = [str(RELEASE / "mf"), "fit", str(path), "--rank", str(rank), "--epochs", str(epochs)]
        command += ["--test", "split", "--validation", "none", "--out", folder, "--quiet", "--json", *options]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        read = lambda name: np.load(pathlib.Path(folder) / f"{name}.npy")  # noqa: E731
        mean = json.loads((pathlib.Path(folder) / "model.json").read_text())["mean"]
        _, test = split(*load(path))
        error = rmse(test, read("user_factors"), read("item_factors"), mean, read("user_bias"), read("item_bias"))
        return error, json.loads(done.stdout)["peak_memory_bytes"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", help="cases whose `data rank` matches this")
    parser.add_argument("--turns", type=int, default=4)
    parser.add_argument("--times", type=int, default=4, help="trainings in a process; the first is cold")
    parser.add_argument("--libmf-so", help="LIBMF built with AVX")
    parser.add_argument("--scratch", default=tempfile.gettempdir(), help="where the synthetic set is kept")
    parser.add_argument("--out")
    options = parser.parse_args()
    if options.libmf_so:
        os.environ["LIBMF_OBJ"] = options.libmf_so
    results = []
    print("| data | rank | target | ours: rmse | warm s | cold s | 2 workers s "
          "| peer | rmse | warm s | cold s | ratio warm | cold |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|---|")
    for data, rank, target, epochs, settings, their in CASES:
        if options.only and not re.search(options.only, f"{data} {rank}"):
            continue
        folder = pathlib.Path(os.environ.get("RADDLE_DATA", "."))
        path = synthetic(options.scratch) if data == "synthetic" else folder / "mf" / f"{data}.tsv.gz"
        mine, two, theirs = [], [], []
        for _ in range(options.turns):
            mine.append(ours(path, rank, epochs, settings, 1, options.times))
            name, *numbers = their
            command = [sys.executable, __file__, "--peer", name, str(path), str(rank), *map(str, numbers)]
            done = subprocess.run([*command, str(options.times)], capture_output=True, text=True, check=False)
            lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
            theirs.append(json.loads(lines[-1]) if lines else None)
            two.append(ours(path, rank, epochs, settings, 2, options.times))
        error, memory = judged(path, rank, epochs, settings)
        middle = statistics.median
        warm, cold = middle(m["warm"] for m in mine), middle(m["cold"] for m in mine)
        row = {"data": data, "rank": rank, "target": target, "rmse": error, "warm": warm, "cold": cold,
               "two": middle(m["warm"] for m in two), "memory": memory}
        if all(theirs):
            row |= {"peer": their[0], "peer_rmse": theirs[-1]["rmse"],
                    "peer_warm": middle(s for t in theirs for s in t["seconds"][1:]),
                    "peer_cold": middle(t["seconds"][0] for t in theirs)}
            ratios = f"{row['peer_warm'] / warm:.1f} | {row['peer_cold'] / cold:.1f}"
            beside = f"{their[0]} | {row['peer_rmse']:.4f} | {row['peer_warm']:.3f} | {row['peer_cold']:.3f} | {ratios}"
        else:
            beside = "not here | | | | | "
        results.append(row)
        missed = "" if error <= target else " (missed)"
        ours_all = f"{error:.4f}{missed} | {warm:.4f} | {cold:.4f} | {row['two']:.4f}"
        print(f"| {data} | {rank} | {target} | {ours_all} | {beside} |", flush=True)
    if not results:
        cases = ", ".join(f"'{data} {rank}'" for data, rank, *_ in CASES)
        sys.exit(f"--only {options.only!r} matches no case; there are {cases}")
    if options.out:
        pathlib.Path(options.out).write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] == "--peer":
        who, file, *given = sys.argv[2:]
        peer(who, file, int(given[0]), int(given[1]), float(given[2]), float(given[3]), int(given[4]))
    else:
        main()
