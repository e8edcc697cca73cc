"""What an import needs, and says when that is not there."""

import pathlib
import shutil
import subprocess
import sys

import pytest

from raddle import _raddle

HIDDEN = """
import importlib.abc, sys


class Hidden(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "sklearn":
            raise ImportError(name)


import importlib.util
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name.startswith("sklearn") else found(name, *more)
sys.meta_path.insert(0, Hidden())
"""


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100)


@pytest.mark.parametrize("module", ["raddle.lasso", "raddle.linear", "raddle.lda"])
def test_a_module_of_estimators_names_what_to_install(module):
    done = run(f"{HIDDEN}\nimport {module}")
    assert f"ImportError: {module} needs scikit-learn: pip install 'raddle[sklearn]'" in done.stderr


def test_recommenders_need_numpy_and_scipy_alone():
    code = "import numpy as np, scipy.sparse as s\nfrom raddle.mf import *; from raddle.mf import metrics, model_selection"
    code += "\nAlternatingLeastSquares(2).fit(s.csr_matrix(np.eye(9))).recommend(0)\nprint('sklearn' in sys.modules)"
    done = run(f"{HIDDEN}\n{code}")
    assert done.stdout.strip() == "False", done.stderr


@pytest.mark.skipif(shutil.which("readelf") is None, reason="readelf lists what a library takes from the system")
def test_the_native_library_has_no_sockets_no_processes_no_ciphers_and_its_own_mathematics():
    listed = subprocess.run(["readelf", "--dyn-syms", "--wide", _raddle.__file__], capture_output=True, text=True)
    words = [line.split() for line in listed.stdout.splitlines()]
    taken = {row[7].split("@")[0] for row in words if len(row) > 7 and row[6] == "UND"}
    assert "write" in taken
    assert not taken & {"socket", "bind", "listen", "accept4", "connect", "getaddrinfo"}
    assert not taken & {"fork", "execve", "execvp", "posix_spawn", "posix_spawnp", "waitpid"}
    assert not taken & set("cbrt cos erf exp exp2 expm1 fma hypot lgamma log log10 log1p log2 pow sin tan tanh".split())
    assert b"ChaChaPoly" not in pathlib.Path(_raddle.__file__).read_bytes()
