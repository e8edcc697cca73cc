"""Measures the overhead of the Python package over its fits: python benches/costs.py [FOLDER OF PUBLIC SETS]

Prints the largest of eleven times, in seconds, from Ctrl-C to the end of a fit that would take minutes; the seconds of
`fit` that its report does not count, the median of 21; and, in fresh interpreters in turn, the seconds from the first
import to the coefficients of leukemia at a tenth of alpha_max, for raddle and for scikit-learn, celer and skglm if they
are installed, with the seconds of importing scikit-learn's linear models alone.
"""

import gzip
import importlib.util
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np
from sklearn.datasets import load_svmlight_file

from raddle.lasso import Lasso, lasso_path

FIRST_FIT = {
    "raddle": "from raddle.lasso import Lasso; Lasso(alpha).fit(X, y).coef_",
    "scikit-learn": "from sklearn.linear_model import Lasso; Lasso(alpha=alpha).fit(X, y).coef_",
    "celer": "from celer import Lasso; Lasso(alpha=alpha).fit(X, y).coef_",
    "skglm": "from skglm import Lasso; Lasso(alpha=alpha).fit(X, y).coef_",
    "scikit-learn's import": "import sklearn.linear_model",
}
MODULES = {"scikit-learn": "sklearn", "scikit-learn's import": "sklearn"}


def load(folder, name):
    with gzip.open(folder / f"lasso/{name}.svm.gz") as file:
        X, y = load_svmlight_file(file)
    return np.asfortranarray(X.toarray(order="F")), y


def beside(X, y, alpha):
    """Return the median seconds of fits, and of the part that their reports do not count."""
    whole, rest = [], []
    for _ in range(21):
        start = time.perf_counter()
        model = Lasso(alpha=alpha).fit(X, y)
        whole.append(time.perf_counter() - start)
        rest.append(whole[-1] - sum(model.report_["seconds"].values()))
    return statistics.median(whole), statistics.median(rest)


def interrupted():
    """Return the longest time from Ctrl-C to the end of an endless fit."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    X, y = np.random.default_rng(0).normal(size=(400, 30)), np.arange(400.0)
    longest, sent = 0.0, []

    def interrupt():
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    for _ in range(11):
        threading.Timer(0.5, interrupt).start()
        try:
            lasso_path(X, y, alphas=100_000, eps=1e-9)
        except KeyboardInterrupt:
            longest = max(longest, time.perf_counter() - sent.pop())
    return longest


def first_fits(X, y, alpha):
    """Return the seconds of each program in five fresh interpreters each, in turn."""
    with tempfile.TemporaryDirectory() as folder:
        np.savez(pathlib.Path(folder, "data.npz"), X=X, y=y)
        given = f"import numpy as np, time; data = np.load({folder + '/data.npz'!r})\n"
        given += f"X, y, alpha = data['X'], data['y'], {alpha!r}; start = time.perf_counter()\n"
        seconds = {name: [] for name in FIRST_FIT if importlib.util.find_spec(MODULES.get(name, name))}
        for _ in range(6):
            for name, runs in seconds.items():
                program = f"{given}{FIRST_FIT[name]}\nprint(time.perf_counter() - start)"
                runs.append(float(subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout))
    # The first turn fills the system's cache of files.
    return {name: statistics.median(runs[1:]) for name, runs in seconds.items()}


def main():
    print(f"Ctrl-C ends a fit within {interrupted():.3f} s")
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else os.environ["RADDLE_DATA"])
    for name in ("leukemia", "mice"):
        X, y = load(folder, name)
        alpha = np.abs((X - X.mean(axis=0)).T @ (y - y.mean())).max() / len(y) / 10
        whole, rest = beside(X, y, alpha)
        print(f"{name}: a fit takes {1e3 * whole:.2f} ms, {1e3 * rest:.2f} ms ({100 * rest / whole:.1f} %) beside its report")
        if name == "leukemia":
            for other, seconds in first_fits(X, y, alpha).items():
                print(f"first fit, {other}: {seconds:.3f} s")


if __name__ == "__main__":
    main()
