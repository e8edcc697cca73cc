"""Linear classifiers beside LIBLINEAR and snapml, at equal judged quality; and the judge alone.

    cargo build --release -p raddle-linear
    python3 -m venv .peers && .peers/bin/pip install -r benches/suite/requirements.txt
    RADDLE_DATA=... .peers/bin/python benches/suite/linear.py [--only 'w8a|hinge'] [--repeats 5] [--out results.json]
    python benches/suite/linear.py --judge DATA RUN...     the gap of each run's folder, from coef.tsv and dual.npy

P(w) = |w|^2 / 2 + C sum phi(y x'w) without a constant column, y = 1 above the middle of the response and -1 below. Ours runs
on one worker to the gap that is asked for. LIBLINEAR runs as it is released, each of its solvers at its loosest -e whose
gap is small enough, where the optimum is known from our dual objective, which bounds it whoever computed it; without such
an -e within --budget seconds it counts as not there. snapml is reported beside. Then all take turns. Seconds are of the fit: reading is left out of both.
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOSSES = ["squared-hinge", "hinge", "logistic"]
CASES = [(name, loss, cost) for name in ("w8a", "farmads", "imdb2") for loss in LOSSES for cost in (1.0, 100.0)]
SOLVERS = {"hinge": [3], "squared-hinge": [1, 2], "logistic": [0, 7]}
TOLERANCES = [step * 10.0**-k for k in range(0, 9) for step in (1.0, 0.3)]


def loss_of(kind, margins):
    if kind == "logistic":
        return np.logaddexp(0.0, -margins)
    short = np.maximum(0.0, 1.0 - margins)
    return short if kind == "hinge" else short**2


def primal(kind, cost, x, y, w):
    return float(w @ w / 2 + cost * loss_of(kind, y * (x @ w)).sum())


def dual(kind, cost, x, y, a):
    """The dual objective; minus infinity outside of the bounds."""
    upper = np.inf if kind == "squared-hinge" else cost
    if (a < 0).any() or (a > upper).any():
        return -np.inf
    w = x.T @ (a * y)
    if kind == "hinge":
        gained = a.sum()
    elif kind == "squared-hinge":
        gained = (a - a * a / (4 * cost)).sum()
    else:
        share = np.clip(a / cost, 1e-300, 1.0)
        rest = np.clip(1.0 - a / cost, 1e-300, 1.0)
        gained = -cost * (share * np.log(share) + rest * np.log(rest)).sum()
    return float(gained - w @ w / 2)


def model(folder, columns):
    """Coefficients, with that of the constant column behind them if there is one, dual values and facts of a run's folder."""
    folder = pathlib.Path(folder)
    about = json.loads((folder / "model.json").read_text())
    w = np.zeros(columns + (about["bias"] != 0.0))
    for line in (folder / "coef.tsv").read_text().splitlines()[1:]:
        number, _, value = line.split("\t")
        w[int(number) - 1] = float(value)
    if about["bias"] != 0.0:
        w[columns] = about["intercepts"][0] / about["bias"]
    return w, np.load(folder / "dual.npy"), about


def judged(x, y, folder):
    """The relative gap of a run's folder and its dual objective."""
    w, a, about = model(folder, x.shape[1])
    if about["bias"] != 0.0:
        x = sp.csr_matrix(sp.hstack([x, np.full((x.shape[0], 1), about["bias"])]))
    p, d = (f(about["loss"], about["c"], x, y, of) for f, of in ((primal, w), (dual, a)))
    return (p - d) / p, d


def read(name):
    file = pathlib.Path(os.environ["RADDLE_DATA"]) / "lasso" / f"{name}.svm.gz"
    x, y = load_svmlight_file(str(file if file.exists() else name))
    return sp.csr_matrix(x), np.where(y > (y.min() + y.max()) / 2, 1.0, -1.0)


def ours(program, file, case, target, folder):
    _, loss, cost = case
    command = [program, "fit", file, "--loss", loss, "--C", str(cost), "--bias", "0", "--tol", str(target)]
    command += ["--workers", "1", "--quiet", "--json", "--out", folder, "--force"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 3):
        sys.exit(done.stderr)
    return json.loads(done.stdout)["seconds"]["fit"]


def liblinear(x, y, case):
    """Functions from a tolerance to seconds and coefficients, by name."""
    from liblinear.liblinearutil import parameter, problem, train

    _, loss, cost = case
    data = problem(y, x)

    def solve(solver, tolerance):
        chosen = parameter(f"-s {solver} -c {cost} -e {tolerance} -q")
        started = time.perf_counter()
        fitted = train(data, chosen)
        seconds = time.perf_counter() - started
        w = np.array(fitted.get_decfun()[0])
        return seconds, w if fitted.get_labels()[0] == 1 else -w

    return {f"-s {solver}": (lambda tolerance, solver=solver: solve(solver, tolerance)) for solver in SOLVERS[loss]}


def snapml(x, y, case):
    import snapml as snap

    _, loss, cost = case
    if loss == "squared-hinge":
        return {}

    def solve(tolerance):
        shared = {"regularizer": 1 / cost, "fit_intercept": False, "tol": tolerance, "max_iter": 10**5, "n_jobs": 1}
        kind = snap.LogisticRegression(dual=True, **shared) if loss == "logistic" else snap.SupportVectorMachine(**shared)
        started = time.perf_counter()
        fitted = kind.fit(x, y)
        return time.perf_counter() - started, np.asarray(fitted.coef_).ravel()

    return {"snapml": solve}


def loosest(solve, enough, budget):
    """The loosest tolerance whose result is good enough, or none."""
    started = time.perf_counter()
    for tolerance in TOLERANCES:
        if time.perf_counter() - started > budget:
            return None
        if enough(solve(tolerance)[1]):
            return tolerance
    return None


def compare(case, target, options):
    name, loss, cost = case
    x, y = read(name)
    with tempfile.TemporaryDirectory() as parent:
        folder, file = f"{parent}/run", f"{parent}/data.svm"
        dump_svmlight_file(x, y, file, zero_based=False)
        run = lambda: ours(str(options.linear), file, case, target, folder)
        # A bound that is a thirtieth of the gap off makes the peers' gap smaller by no more than that.
        ours(str(options.linear), file, case, target / 30, folder)
        bound = judged(x, y, folder)[1]
        enough = lambda w: (value := primal(loss, cost, x, y, w)) - bound <= target * value
        peers = {}
        for who, solve in (liblinear(x, y, case) | snapml(x, y, case)).items():
            tolerance = loosest(solve, enough, options.budget)
            if tolerance is not None:
                peers[who] = lambda solve=solve, tolerance=tolerance: solve(tolerance)[0]
        seconds = {who: [] for who in ["ours", *peers]}
        worst = 0.0
        for _ in range(options.repeats):
            seconds["ours"].append(run())
            worst = max(worst, judged(x, y, folder)[0])
            for who, solve in peers.items():
                seconds[who].append(solve())
    medians = {who: statistics.median(times) for who, times in seconds.items()}
    if worst > target * (1 + 1e-6):
        sys.exit(f"{case}: a judged gap of {worst:.2e}, asked {target}")
    return {"case": case, "target": target, "gap": worst, "seconds": medians}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--linear", type=pathlib.Path, default=ROOT / "target/release/linear")
    parser.add_argument("--only", default="")
    parser.add_argument("--targets", default="1e-3,1e-6")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--budget", type=float, default=60.0)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--judge", nargs="+", metavar=("DATA", "RUN"))
    options = parser.parse_args()
    if options.judge:
        x, y = read(options.judge[0])
        for folder in options.judge[1:]:
            print(f"{folder}: {judged(x, y, folder)[0]:.3e}")
        return
    rows = []
    for case in CASES:
        if not re.search(options.only, " ".join(map(str, case))):
            continue
        for target in map(float, options.targets.split(",")):
            row = compare(case, target, options)
            rows.append(row)
            peers = {who: value for who, value in row["seconds"].items() if who != "ours"}
            best = min(peers, key=peers.get) if peers else None
            beside = f"{best} {peers[best]:.3f}, {peers[best] / row['seconds']['ours']:.2f} times ours" if best else "none there"
            print(f"{' '.join(map(str, case))} to {target:g}: {row['seconds']['ours']:.3f} s; {beside}", flush=True)
    if options.out:
        options.out.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
