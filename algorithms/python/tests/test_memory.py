"""A fit holds about one copy of X in addition to X, measured in a separate process."""

import pathlib
import subprocess
import sys

import pytest

PROGRAM = """
import sys
import numpy as np
from scipy import sparse
from raddle.lasso import Lasso

random = np.random.default_rng(0)
if sys.argv[1] == "dense":
    X = np.asfortranarray(random.standard_normal((9000, 2000)).T).T.copy(order="F")
    size = X.nbytes
else:
    X = sparse.random(50_000, 20_000, density=0.01, format="csc", random_state=random)
    size = 12 * X.nnz
y = random.standard_normal(X.shape[0])
Lasso().fit(np.eye(10), np.arange(10.0))


def memory(name):
    lines = open("/proc/self/status").read().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith(name))


# The peak counts from here on.
open("/proc/self/clear_refs", "w").write("5")
before = memory("VmRSS")
model = Lasso(alpha=0.9 * np.abs(X.T @ (y - y.mean())).max() / len(y)).fit(X, y)
assert model.relative_gap_ <= 1e-6 and model.coef_.any()
print((memory("VmHWM") - before) / size)
"""


@pytest.mark.skipif(not pathlib.Path("/proc/self/clear_refs").exists(), reason="the system does not tell peaks")
@pytest.mark.parametrize(("kind", "most"), [("dense", 1.25), ("sparse", 1.3)])
def test_a_fit_holds_one_copy_of_x(kind, most):
    ran = subprocess.run([sys.executable, "-c", PROGRAM, kind], check=True, capture_output=True, timeout=300)
    assert 0.5 < float(ran.stdout) < most
