"""What an import needs, and says when that is not there."""

import subprocess
import sys

import pytest

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
