#!/usr/bin/env python3
"""Runs the peers' own tests with our classes under their names.

    benches/peers.py [SUITE ..]

scikit-learn's tests are in its package; those of implicit are fetched with its source distribution, through pip, into
target/python/peers. A class of ours takes and ignores the further parameters of the peer's. A test counts if it has
fitted one of our classes, or failed. The list of failures that stay, each with its reason, is docs/peers.md.
"""

import importlib
import inspect
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

HERE = pathlib.Path(__file__).resolve().parent.parent
FETCHED = HERE.parents[1] / "target" / "python" / "peers"

# Per suite: test module or file, what is left out, and the names that are replaced: module, name, our module.
LASSO = ("Lasso", "ElasticNet", "LassoCV", "ElasticNetCV")
SKLEARN_LASSO = [("sklearn.linear_model", name, "raddle.lasso") for name in LASSO]
SUITES = {
    "als": ("implicit", "als_test.py", "", [("implicit.als", "AlternatingLeastSquares", "raddle.mf")]),
    "dense": ("sklearn.linear_model.tests", "test_coordinate_descent.py", "not MultiTask", SKLEARN_LASSO),
    "sparse": ("sklearn.linear_model.tests", "test_sparse_coordinate_descent.py", "", SKLEARN_LASSO),
    "svc": ("sklearn.svm.tests", "test_svm.py", "", [("sklearn.svm", "LinearSVC", "raddle.linear")]),
    "logistic": (
        "sklearn.linear_model.tests", "test_logistic.py", "not saga and not newton and not cv and not CV",
        [("sklearn.linear_model", "LogisticRegression", "raddle.linear")],
    ),
    "lda": (
        "sklearn.decomposition.tests", "test_online_lda.py", "",
        [("sklearn.decomposition", "LatentDirichletAllocation", "raddle.lda")],
    ),
}


def tolerant(ours, theirs, module):
    """Return a subclass of ours with the order of the peer's parameters, of which it ignores those that are not ours."""
    own = inspect.signature(ours.__init__).parameters
    of_peer = inspect.signature(theirs).parameters
    names = [name for name in of_peer if name != "self"] + [name for name in own if name not in of_peer and name != "self"]

    def default(name):
        return (own[name] if name in own else of_peer[name]).default

    passed = ", ".join(f"{name}={name}" for name in names if name in own)
    kept = "; ".join(f"self.{name} = {name}" for name in names if name not in own) or "pass"
    defaults = {f"_{name}": default(name) for name in names}
    taken = ", ".join(f"{name}=_{name}" for name in names)
    text = f"def __init__(self, {taken}):\n    _base.__init__(self, {passed})\n    {kept}"
    scope = {"_base": ours, **defaults}
    exec(text, scope)

    def noted(method):
        def fit(self, *given, **more):
            FITTED.append(ours.__name__)
            known = inspect.signature(method).parameters
            return method(self, *given, **{name: value for name, value in more.items() if name in known})

        return fit

    fits = {name: noted(getattr(ours, name)) for name in ("fit", "partial_fit") if hasattr(ours, name)}
    members = {"__init__": scope["__init__"], **fits, "__module__": module}
    if hasattr(ours, "_parameters"):
        members["_parameters"] = tuple(names)
    return type(ours.__name__, (ours,), members)


FITTED = []


def replaced(names):
    for module, name, source in names:
        module = importlib.import_module(module)
        ours = getattr(importlib.import_module(source), name)
        setattr(module, name, tolerant(ours, getattr(module, name), module.__name__))


class Counts:
    """A plugin of pytest that counts the tests that are ours."""

    def __init__(self):
        self.passed, self.failed = 0, []

    def pytest_runtest_setup(self, item):
        FITTED.clear()

    def pytest_runtest_logreport(self, report):
        if report.when == "call" and report.passed and FITTED:
            self.passed += 1
        elif report.failed:
            why = str(report.longrepr.reprcrash.message if hasattr(report.longrepr, "reprcrash") else report.longrepr)
            self.failed.append((report.nodeid.split("::")[-1], why.strip().splitlines()[0][:150] if why.strip() else ""))


def test_file(package, name):
    """Return the path of a test file of a peer, in a folder of its own."""
    folder = pathlib.Path(tempfile.mkdtemp())
    if package != "implicit":
        shutil.copy(pathlib.Path(importlib.import_module(package).__file__).parent / name, folder)
        return folder / name
    FETCHED.mkdir(parents=True, exist_ok=True)
    version = importlib.import_module("implicit").__version__
    if not list(FETCHED.glob("implicit-*.tar.gz")):
        asked = ["download", "-q", f"implicit=={version}", "--no-deps", "--no-binary", "implicit", "--dest", FETCHED]
        subprocess.run([sys.executable, "-m", "pip", *asked], check=True)
    with tarfile.open(next(FETCHED.glob("implicit-*.tar.gz"))) as archive:
        for member in archive.getmembers():
            if "/tests/" in member.name and member.name.endswith(".py"):
                member.name = pathlib.Path(member.name).name
                archive.extract(member, folder, filter="data")
    return folder / name


def run(suite):
    import pytest

    package, name, without, names = SUITES[suite]
    replaced(names)
    path, counts = test_file(package, name), Counts()
    asked = [str(path), "--rootdir", str(path.parent), "-p", "no:cacheprovider", "-p", "sklearn.conftest"]
    asked += ["-q", "--no-header", "--tb=line", "-W", "ignore", "--show-capture=no"]
    pytest.main(asked + (["-k", without] if without else []), plugins=[counts])
    for test, why in counts.failed:
        print(f"FAILED {suite}: {test}: {why}")
    print(f"{suite}: {counts.passed} pass of {counts.passed + len(counts.failed)}")


if __name__ == "__main__":
    if len(sys.argv) == 2:
        run(sys.argv[1])
    else:
        # Each in a process of its own, as classes are replaced.
        for each in sys.argv[1:] or SUITES:
            subprocess.run([sys.executable, __file__, each], check=False)
