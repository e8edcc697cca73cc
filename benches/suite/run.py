"""The suite: our programs beside their peers, in one run, at equal judged quality; one table.

    cargo build --release -p raddle-lasso --bin lasso --example lasso-bare
    python3 -m venv .peers && .peers/bin/pip install -r benches/suite/requirements.txt
    RADDLE_DATA=... .peers/bin/python benches/suite/run.py [--only 'farmads|path'] [--repeats 5] [--out results.json]

A contender is our program with some workers, the bare harness (our kernels without the engine), or a peer. A peer
first looks for the loosest tolerance at which the judge finds a relative duality gap of at most --target (or
--peer-target, where none comes so close); what has no such tolerance within --budget seconds is listed with the gap it
reached. Then all contenders take turns, so that a busy spell of the machine meets all of them, and every single result
is judged anew. Seconds are those of the fit: from the
prepared matrix in memory to coefficients. Ours are of a cold process each time; the peers' processes are warm.
"""

import argparse
import json
import os
import pathlib
import re
import select
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

import lasso
import peers

ROOT = pathlib.Path(__file__).resolve().parents[2]
DENSE, SPARSE = ["colon", "leukemia", "riboflavin", "mice"], ["farmads", "w8a", "imdb2"]
CASES = [(name, mode, "squared", ratio)
         for ratio in (10, 100)
         for names, mode in ((DENSE, "dense-std"), (SPARSE, "sparse-raw"))
         for name in names]
CASES += [(name, "dense-std", "squared", 1000) for name in ("colon", "leukemia")]
CASES += [(name, mode, "logistic", ratio)
          for ratio in (10, 100)
          for name, mode in (("leukemia", "dense-std"), ("farmads", "sparse-raw"))]
CASES += [(name, mode, "path", 100) for name, mode in (("leukemia", "dense-std"), ("farmads", "sparse-raw"))]


class Program:
    """Our program with so many workers: a process for each fit."""

    def __init__(self, case, workers, options):
        name, mode, kind, ratio = case
        verb = "path" if kind == "path" else "fit"
        self.name = f"{workers} worker" + "s" * (workers > 1)
        self.command = [str(options.lasso), verb, str(data(name)), "--mode", mode, "--ratio", str(ratio)]
        self.command += ["--workers", str(workers), "--tol", str(options.target), "--quiet", "--json"]
        if kind == "path":
            self.command += ["--points", str(lasso.POINTS)]
        if kind == "logistic":
            self.command += ["--loss", "logistic"]

    def fit(self, shape, folder):
        started = time.perf_counter()
        done = subprocess.run([*self.command, "--out", folder, "--force"], capture_output=True, text=True, check=False)
        wall = time.perf_counter() - started
        if done.returncode not in (0, 3):
            return {"error": done.stderr.strip()[:200]}
        report = json.loads(done.stdout)
        said, found = lasso.certificate(folder)
        if not lasso.agree(said, found):
            return {"error": f"the report says a gap of {said:.2e}, coefficients and dual point one of {found:.2e}"}
        return {
            "seconds": report["seconds"]["fit"],
            "command": wall,
            "memory": report["peak_memory_bytes"],
            "coefficients": lasso.read_coefficients(folder, shape[1], shape[0]),
        }

    def close(self):
        pass


class Bare:
    """The same kernels on one thread without the engine."""

    name = "bare"

    def __init__(self, case, options):
        name, mode, _, ratio = case
        self.command = [str(options.bare), str(data(name)), "--mode", mode, "--ratio", str(ratio), "--repeats", "1"]

    def fit(self, shape, folder):
        out = pathlib.Path(folder) / "coef.tsv"
        done = subprocess.run([*self.command, "--out", out], capture_output=True, text=True, check=False)
        found = re.search(r"([\d.]+) ms", done.stdout)
        if not found:
            return {"error": (done.stderr or done.stdout).strip()[:200]}
        return {
            "seconds": float(found[1]) / 1e3,
            "members": int(re.search(r"W (\d+)", done.stdout)[1]),
            "coefficients": lasso.read_coefficients(folder, shape[1], shape[0]),
        }

    def close(self):
        pass


class Peer:
    """A peer in a process of its own, which stays."""

    def __init__(self, name, case, threads):
        data_name, mode, kind, ratio = case
        self.name, self.read, self.error, self.tolerance = name, None, None, None
        environment = dict(os.environ)
        for library in ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "NUMBA"):
            environment[f"{library}_NUM_THREADS"] = str(threads)
        command = [sys.executable, str(ROOT / "benches/suite/peers.py"), name, str(data(data_name)), mode, kind]
        self.process = subprocess.Popen(
            [*command, str(ratio), str(threads)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
        )
        ready = self.answer(300)
        self.read, self.error = ready.get("read"), ready.get("error")

    def answer(self, seconds):
        if not select.select([self.process.stdout], [], [], seconds)[0]:
            self.close()
            return {"error": "out of time"}
        line = self.process.stdout.readline()
        return json.loads(line) if line else {"error": "the process ended"}

    def ask(self, tolerance, folder, seconds):
        file = pathlib.Path(folder) / "peer.npy"
        self.process.stdin.write(f"{tolerance} {file}\n")
        self.process.stdin.flush()
        answer = self.answer(seconds)
        return answer if "error" in answer else {**answer, "coefficients": np.load(file)}

    def calibrate(self, judge, folder, target, budget):
        """Finds the loosest tolerance that reaches the target."""
        self.limit, best, end = budget, float("inf"), time.perf_counter() + budget
        for tolerance in peers.tolerances(self.name):
            if self.error:
                return
            answer = self.ask(tolerance, folder, max(1.0, end - time.perf_counter()))
            if "error" in answer:
                self.error = f"{answer['error']} at tolerance {tolerance:g}, best gap {best:.0e}"
                return
            best = min(best, judge(answer["coefficients"]))
            if best <= target:
                self.tolerance = tolerance
                return
            if time.perf_counter() > end:
                break
        self.error = f"best gap {best:.0e} in {budget:g} s"

    def fit(self, shape, folder):
        return self.ask(self.tolerance, folder, self.limit)

    def close(self):
        self.process.kill()
        self.process.wait()


def data(name):
    return pathlib.Path(os.environ["RADDLE_DATA"]) / "lasso" / f"{name}.svm.gz"


def one_pass(x, y):
    """Seconds of one pass X'r by a library's routine: the unit of the floor."""
    samples = []
    for _ in range(7):
        started = time.perf_counter()
        x.T @ y
        samples.append(time.perf_counter() - started)
    return statistics.median(samples)


def measure(case, options):
    """All contenders on one case, in turns."""
    name, mode, kind, ratio = case
    x, y = lasso.load(data(name), mode, kind)
    penalties = lasso.lambdas(x, y, kind, ratio)
    shape = (len(penalties), x.shape[1])
    judge = lambda coefficients: lasso.worst_gap(x, y, coefficients, penalties, kind)
    sizes = {"bytes": lasso.stored_bytes(x), "matrix": lasso.matrix_bytes(x), "entries": lasso.entries(x)}
    result = {"case": case, "shape": x.shape, **sizes, "pass": one_pass(x, y), "rows": {}}
    contenders = [Program(case, workers, options) for workers in options.workers]
    if options.bare.exists() and kind == "squared":
        contenders.append(Bare(case, options))
    with tempfile.TemporaryDirectory() as folder:
        for peer_name in peers.PEERS[kind]:
            if peer_name not in options.peers:
                continue
            peer = Peer(peer_name, case, threads=1)
            peer.calibrate(judge, folder, options.peer_target, options.budget)
            if peer.error:
                result["rows"][peer_name] = {"error": peer.error}
                peer.close()
            else:
                contenders.append(peer)
        samples = {contender.name: [] for contender in contenders}
        for _ in range(options.repeats):
            for contender in contenders:
                sample = contender.fit(shape, folder)
                if "coefficients" in sample:
                    sample["gap"] = judge(sample.pop("coefficients"))
                samples[contender.name].append(sample)
        for contender in contenders:
            result["rows"][contender.name] = summary(samples[contender.name], getattr(contender, "read", None))
            contender.close()
    return result


def summary(samples, read):
    errors = [sample["error"] for sample in samples if "error" in sample]
    if errors:
        return {"error": errors[0]}
    seconds = [sample["seconds"] for sample in samples]
    row = {"median": statistics.median(seconds), "least": min(seconds), "most": max(seconds), "read": read}
    row["gap"] = max(sample["gap"] for sample in samples)
    if "members" in samples[0]:
        row["members"] = samples[0]["members"]
    if "command" in samples[0]:
        row["command"] = statistics.median(sample["command"] for sample in samples)
        row["memory"] = max(sample["memory"] or 0 for sample in samples)
    return row


def allowance(result, members):
    """Bytes a fit may need in all: 1.2 times a dense or 1.5 times a sparse matrix, and 20 w^2 + 8 n w for w members."""
    share = 1.5 if result["case"][1] == "sparse-raw" else 1.2
    return share * result["matrix"] + 20 * members**2 + 8 * result["shape"][0] * members


def milliseconds(row):
    return f"{row['median'] * 1e3:.3g} [{row['least'] * 1e3:.3g}, {row['most'] * 1e3:.3g}]"


def show(result, target):
    """A case's lines: fits in milliseconds as median [least, most], then what they are made of."""
    name, mode, kind, ratio = result["case"]
    rows = result["rows"]
    print(f"\n### {name}, {mode}, {kind}, ratio {ratio}: {result['shape'][0]} x {result['shape'][1]}")
    floor = f"{result['bytes'] / 1e6:.1f} MB a pass, {result['pass'] * 1e3:.3g} ms by numpy or scipy"
    ours = [row for label, row in rows.items() if "worker" in label and "error" not in row]
    theirs = {label: row for label, row in rows.items()
              if label in peers.PEERS[kind] and "error" not in row and row["gap"] <= 2 * target}
    first = ours[0] if ours else None
    print(f"floor: {floor}" + (f"; ours took {first['median'] / result['pass']:.1f} of them" if first else ""))
    members = rows.get("bare", {}).get("members")
    if members and first:
        gram, allowed = lasso.gram_operations(result["entries"], result["shape"], members), allowance(result, members)
        print(f"working set of {members}: a Gram of at most {gram / 1e6:.3g} M multiply-adds; "
              f"peak {first['memory'] / 1e6:.0f} MB of {allowed / 1e6:.0f} MB allowed")
    print("\n| who | fit, ms | judged gap | times ours | command, ms | peak MB |\n|---|---|---|---|---|---|")
    for label, row in rows.items():
        if "error" in row:
            print(f"| {label} | {row['error']} | | | | |")
            continue
        times = f"{row['median'] / first['median']:.2f}" if first else ""
        whole = row.get("command") or (row["read"] + row["median"] if row.get("read") else None)
        memory = f"{row['memory'] / 1e6:.0f}" if row.get("memory") else ""
        command = f"{whole * 1e3:.3g}" if whole else ""
        print(f"| {label} | {milliseconds(row)} | {row['gap']:.1e} | {times} | {command} | {memory} |")
    if first and theirs:
        best = min(theirs, key=lambda label: theirs[label]["median"])
        print(f"\nbest peer {best}: **{theirs[best]['median'] / first['median']:.1f}** times our fit", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="a regular expression on 'name mode kind ratio'")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--workers", type=lambda text: [int(n) for n in text.split(",")], default=[1, 2])
    everyone = sorted(set(sum(peers.PEERS.values(), [])))
    parser.add_argument("--peers", type=lambda text: text.split(","), default=everyone)
    parser.add_argument("--target", type=float, default=1e-6, help="relative duality gap")
    parser.add_argument("--peer-target", type=float, help="a looser gap that will do for peers; --target unless given")
    parser.add_argument("--budget", type=float, default=60.0, help="seconds in which a peer looks for its tolerance")
    parser.add_argument("--lasso", type=pathlib.Path, default=ROOT / "target/release/lasso")
    parser.add_argument("--bare", type=pathlib.Path, default=ROOT / "target/release/examples/lasso-bare")
    parser.add_argument("--out", type=pathlib.Path, help="all figures as JSON")
    options = parser.parse_args()
    options.peer_target = options.peer_target or options.target
    if "RADDLE_DATA" not in os.environ:
        parser.error("set RADDLE_DATA to the folder of the data sets")
    print("load:", *os.getloadavg())
    results = []
    for case in CASES:
        if re.search(options.only, " ".join(map(str, case))):
            results.append(measure(case, options))
            show(results[-1], options.peer_target)
            if options.out:
                options.out.write_text(json.dumps(results, default=str))
    if not results:
        cases = ", ".join(f"'{' '.join(map(str, case))}'" for case in CASES)
        parser.error(f"--only {options.only!r} matches no case; there are {cases}")
    print("\nload:", *os.getloadavg())


if __name__ == "__main__":
    main()
