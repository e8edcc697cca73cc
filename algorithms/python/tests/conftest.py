import gzip
import json
import os
import pathlib
import signal
import subprocess
import threading
import time

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_svmlight_file


@pytest.fixture(scope="session")
def diabetes():
    return load_diabetes(return_X_y=True)


@pytest.fixture(scope="session")
def public():
    """Read a public set: X in compressed columns, y, and the file."""
    folder = os.environ.get("RADDLE_DATA")

    def read(name):
        path = pathlib.Path(folder or "", name)
        if folder is None or not path.exists():
            pytest.skip(f"RADDLE_DATA has no {name}")
        with gzip.open(path) as file:
            X, y = load_svmlight_file(file)
        return X.tocsc(), y, path

    return read


def runner(name, tmp_path_factory):
    """Return a function that runs a program and returns its report, if it wrote one."""
    folder = os.environ.get("RADDLE_BIN")
    program = pathlib.Path(folder or "", name)
    if folder is None or not program.exists():
        pytest.skip(f"RADDLE_BIN names no folder with the program {name}")

    def run(*arguments, out=None):
        out = out or tmp_path_factory.mktemp("run") / "out"
        subprocess.run(
            [program, *map(str, arguments), "--out", out], check=True, capture_output=True, timeout=300
        )
        return json.loads((out / "report.json").read_text()) if out.is_dir() else None

    return run


@pytest.fixture(scope="session")
def lasso_program(tmp_path_factory):
    """Run the program `lasso` and return its report."""
    return runner("lasso", tmp_path_factory)


@pytest.fixture(scope="session")
def linear_program(tmp_path_factory):
    """Run the program `linear` and return its report."""
    return runner("linear", tmp_path_factory)


@pytest.fixture
def csv(tmp_path):
    """Write columns and further values as a table of numbers to the last bit."""

    def write(X, y, **others):
        path = tmp_path / "data.csv"
        names = ["y", *(f"x{j}" for j in range(X.shape[1])), *others]
        rows = np.column_stack([y, X, *others.values()])
        lines = [",".join(names), *(",".join(repr(float(value)) for value in row) for row in rows)]
        path.write_text("\n".join(lines) + "\n")
        return path

    return write


@pytest.fixture
def ctrl_c():
    """Return the seconds from Ctrl-C to the end of a fit that does not end without it.

    The signal is sent once another thread has counted far enough, which takes the interpreter's lock.
    """
    # Where Python was started in the background it does not answer by itself.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    sent = []

    def interrupt():
        for _ in range(2_000_000):
            pass
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    def during(fit):
        beside = threading.Thread(target=interrupt, daemon=True)
        beside.start()
        with pytest.raises(KeyboardInterrupt):
            fit()
        seconds = time.perf_counter() - sent.pop()
        beside.join()
        return seconds

    yield during
    signal.signal(signal.SIGINT, before)
