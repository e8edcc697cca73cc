"""The gap of every loss with every term, from the files of its run: by code that shares nothing with the program.

    cargo build --release -p raddle-lasso
    python3 benches/suite/certificates.py [--lasso target/release/lasso]

Fits the diabetes set, its response as numbers, two classes, counts and four classes, with weights, offsets, factors, columns
without a penalty, bounds and groups, the Lasso and the elastic net, one lambda and a path; each gap recomputed from
coef.tsv and dual.npy by lasso.py must agree within 10 %, or both be below 1e-12.
"""

import argparse
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from sklearn.datasets import dump_svmlight_file, load_diabetes

import lasso

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESPONSES = {
    "squared": lambda y: y,
    "logistic": lambda y: (y > 140.0).astype(float),
    "poisson": lambda y: np.round(y / 10.0),
    "multinomial": lambda y: np.searchsorted([80.0, 140.0, 200.0], y).astype(float),
}
TERMS = {
    "plain": [],
    "factors": ["--factors", "factors"],
    "unpenalized": ["--unpenalized", "3,9"],
    "nonnegative": ["--nonnegative"],
    "bounds": ["--bounds", "bounds"],
    "factors and bounds": ["--factors", "factors", "--bounds", "bounds"],
    "groups": ["--groups", "groups"],
    "groups and factors": ["--groups", "groups", "--unpenalized", "3"],
}
ROWS = {
    "": [],
    "weights": ["--weights", "weights"],
    "offset": ["--offset", "offset"],
    "both": ["--weights", "weights", "--offset", "offset"],
}
# Not with classes that have scores of their own.
REFUSED = {"groups", "offset", "both", "groups and factors"}


def write(folder):
    """The sets, and the files of terms."""
    x, y = load_diabetes(return_X_y=True, scaled=False)
    for loss, response in RESPONSES.items():
        dump_svmlight_file(x, response(y), str(folder / f"{loss}.svm"), zero_based=False)
    rows, lines = np.arange(len(y)), lambda values: "".join(f"{value}\n" for value in values)
    (folder / "weights").write_text(lines(rows % 4))
    (folder / "offset").write_text(lines(rows % 5 / 8))
    (folder / "factors").write_text("2 0.5\n3 2\n8 0.25\n")
    # Below all that a fit without them comes to, so that they hold.
    (folder / "bounds").write_text("3 0 0.02\n4 -0.01 0.005\n9 -0.1 0.2\n7 -inf 0\n")
    (folder / "groups").write_text("1 a\n2 a\n5 b\n6 b\n7 b\n8 b\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--lasso", type=pathlib.Path, default=ROOT / "target/release/lasso")
    program = parser.parse_args().lasso.resolve()
    count, differ, sizes = 0, 0, []
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        write(scratch)
        shapes = [["fit", "--ratio", "10"], ["fit", "--ratio", "50", "--l1-ratio", "0.6"], ["path", "--points", "8"]]
        ways = [[], ["--no-standardize"], ["--no-intercept"]]
        for loss, (term, asked), (row, given), (verb, *shape), way in itertools.product(
                RESPONSES, TERMS.items(), ROWS.items(), shapes, ways):
            if loss == "multinomial" and {term, row} & REFUSED:
                continue
            line = [verb, f"{loss}.svm", "--loss", loss, *shape, *asked, *given, *way, "--tol", "1e-4"]
            command = [str(program), *line, "--quiet", "--json", "--out", "run", "--force"]
            ran = subprocess.run(command, cwd=scratch, capture_output=True, text=True)
            if ran.returncode not in (0, 3):
                sys.exit(f"lasso {' '.join(line)}: {ran.stderr}")
            report = json.loads((scratch / "run/report.json").read_text())
            report["data"]["path"] = str(scratch / f"{loss}.svm")
            for option in ("weights", "offset", "factors", "bounds", "groups"):
                if report["parameters"].get(option):
                    report["parameters"][option] = str(scratch / report["parameters"][option])
            (scratch / "run/report.json").write_text(json.dumps(report))
            said, found = lasso.certificate(scratch / "run")
            count, sizes = count + 1, sizes + [said]
            if not lasso.agree(said, found):
                differ += 1
                print(f"lasso {' '.join(line)}: gap {said:.3e} in the report, {found:.3e} from its files: DIFFER")
    print(f"{count} runs, gaps of {min(sizes):.1e} to {max(sizes):.1e}: {count - differ} agree, {differ} differ")
    sys.exit(1 if differ else 0)


if __name__ == "__main__":
    main()
