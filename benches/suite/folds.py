"""Folds of a cross-validation side by side: time of 2 workers against 1, bytes of the model, and memory.

    cargo build --release -p raddle-lasso
    RADDLE_DATA=... python3 benches/suite/folds.py [--turns 15] [--lasso target/release/lasso]

A turn is four commands: one worker, two processes of one worker side by side, two workers, one worker again. Where the
two processes together took more than 1.1 of one, the machine had no two cores to give, and the turn does not count.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = pathlib.Path(os.environ["RADDLE_DATA"]) / "lasso"
TIMED = [str(DATA / "leukemia.svm.gz"), "--folds", "10"]
HELD = [str(DATA / "imdb2.svm.gz"), "--folds", "3", "--points", "10"]
MODEL = ["coef.tsv", "cv.tsv", "dual.npy", "model.json"]


def start(lasso, line, workers, folder):
    command = [str(lasso), "cv", *line, "--workers", str(workers), "--json", "--quiet", "--out", str(folder), "--force"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def run(lasso, line, workers, folder, together=1):
    """Seconds of the fits, of the slowest of as many commands side by side, and the first one's report."""
    running = [start(lasso, line, workers, f"{folder}.{number}" if number else folder) for number in range(together)]
    reports = [json.loads(process.communicate()[0]) for process in running]
    return max(report["seconds"]["fit"] for report in reports), reports[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--turns", type=int, default=15)
    parser.add_argument("--lasso", type=pathlib.Path, default=ROOT / "target/release/lasso")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        ratios, all_ratios = [], []
        for turn in range(options.turns):
            one, _ = run(options.lasso, TIMED, 1, scratch / "one")
            pair, _ = run(options.lasso, TIMED, 1, scratch / "pair", together=2)
            two, _ = run(options.lasso, TIMED, 2, scratch / "two")
            again, _ = run(options.lasso, TIMED, 1, scratch / "one")
            single = min(one, again)
            all_ratios.append(two / single)
            counts = pair <= 1.1 * single
            if counts:
                ratios.append(two / single)
            print(f"turn {turn + 1}: one {one:.2f} {again:.2f} s, pair {pair:.2f} s, two workers {two:.2f} s, "
                  f"ratio {two / single:.2f}{'' if counts else ', not counted'}")
        same = all((scratch / "one" / name).read_bytes() == (scratch / "two" / name).read_bytes() for name in MODEL)
        median = f"{statistics.median(ratios):.2f}" if ratios else "none"
        print(f"2 workers / 1: median {median} of {len(ratios)} turns (of all {statistics.median(all_ratios):.2f}); "
              f"bytes {'the same' if same else 'DIFFER'}")
        for workers in (1, 2, 3):
            _, report = run(options.lasso, HELD, workers, scratch / "held")
            sizes = report["data"]["sizes"]
            x = 12 * report["data"]["nonzeros"] + 8 * (sizes["columns"] + 1)
            bound = x * (2 + workers) + 30e6
            peak = report["peak_memory_bytes"]
            print(f"imdb2, {workers} workers: peak {peak / 1e6:.0f} MB, X {x / 1e6:.0f} MB, bound {bound / 1e6:.0f} MB: "
                  f"{'within' if peak <= bound else 'BEYOND'}")


if __name__ == "__main__":
    main()
