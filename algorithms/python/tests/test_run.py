"""A fit on its own thread: signals, callbacks, other threads, panics."""

import subprocess
import sys
import threading

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from raddle import _raddle
from raddle.lasso import ElasticNet, Lasso, LassoCV, LogisticLasso, PoissonLasso, lasso_path

# More alphas than are fitted in a minute.
ENDLESS = {"alphas": 100_000, "eps": 1e-9}


def endless_path(X, y, **others):
    lasso_path(X, y, **ENDLESS, **others)


def endless_folds(X, y, **others):
    LassoCV(**ENDLESS, n_jobs=2).fit(X, y, **others)


@pytest.mark.parametrize("fit", [endless_path, endless_folds])
def test_ctrl_c_ends_a_fit_and_the_next_is_as_usual(diabetes, ctrl_c, fit):
    usual = Lasso(alpha=0.1).fit(*diabetes).digest_
    # How fast it is, benches/costs.py shows: here it is that it ends.
    assert ctrl_c(lambda: fit(*diabetes)) >= 0
    assert Lasso(alpha=0.1).fit(*diabetes).digest_ == usual


def test_a_thread_beside_counts_on(diabetes):
    counted, is_over = [0], threading.Event()

    def count():
        while not is_over.is_set():
            counted[0] += 1

    beside = threading.Thread(target=count, daemon=True)
    beside.start()
    seen = []
    try:
        # The callback runs on this thread, and the other one between two of its calls.
        lasso_path(*diabetes, alphas=2000, callback=lambda record: seen.append(counted[0]))
    finally:
        is_over.set()
        beside.join()
    assert len(seen) > 1000 and seen[-1] > seen[0]


def test_a_callback_sees_every_epoch_on_its_thread(diabetes):
    records, threads = [], set()

    def callback(record):
        records.append(record)
        threads.add(threading.get_ident())

    model = Lasso(alpha=0.01).fit(*diabetes, callback=callback)
    assert [record["epoch"] for record in records] == list(range(model.n_iter_ + 1))
    assert records[-1]["metric"]["value"] == model.relative_gap_ and records[-1]["ending"] == "target"
    assert threads == {threading.get_ident()}
    assert model.digest_ == Lasso(alpha=0.01).fit(*diabetes).digest_

    records.clear()
    LassoCV(n_jobs=2).fit(*diabetes, callback=callback)
    assert sum(record["ending"] == "target" for record in records if "ending" in record) == 6
    assert threads == {threading.get_ident()}


@pytest.fixture(scope="module")
def noise():
    """Return columns of which a small alpha selects many, so that the fit takes many epochs."""
    random = np.random.default_rng(0)
    return random.normal(size=(200, 400)), random.normal(size=200)


def test_false_from_a_callback_ends_the_fit_there(noise):
    X, y = noise

    def ended(at):
        return Lasso(alpha=1e-4, tol=1e-12).fit(X, y, callback=lambda record: record["epoch"] < at)

    full = ended(1000)
    assert full.n_iter_ > 3 and full.report_["ending"] == "target"
    for at in range(3):
        model = ended(at)
        assert model.n_iter_ == at and model.report_["ending"] == "interrupted"
        assert model.relative_gap_ > full.relative_gap_
        assert ended(at).digest_ == model.digest_
        assert model.predict(X).shape == (200,)

    with pytest.warns(ConvergenceWarning, match="amid the folds"):
        model = LassoCV(n_jobs=2).fit(X, y, callback=lambda record: record["epoch"] < 5)
    with pytest.raises(NotFittedError):
        model.predict(X)


def test_what_a_callback_raises_is_raised(diabetes):
    calls = []

    def callback(record):
        calls.append(record)
        raise LookupError("as it was told to")

    for fit in (endless_path, endless_folds):
        calls.clear()
        with pytest.raises(LookupError, match="as it was told to"):
            fit(*diabetes, callback=callback)
        assert len(calls) == 1


def test_a_limit_warns(noise):
    with pytest.warns(ConvergenceWarning, match="raise max_iter"):
        model = Lasso(alpha=1e-4, tol=1e-12, max_iter=1).fit(*noise)
    assert model.n_iter_ == 1 and model.report_["ending"] == "limit"


def test_a_panic_is_an_error():
    with pytest.raises(RuntimeError, match="fault of raddle: as it was told to"):
        _raddle.panic_in_a_fit()


@pytest.mark.parametrize("estimator", [Lasso, ElasticNet, LogisticLasso, PoissonLasso, LassoCV])
def test_workers_never_change_the_model(diabetes, estimator):
    X, y = diabetes
    y = np.digitize(y, [100, 200])
    digests = {estimator(n_jobs=workers).fit(X, y).digest_ for workers in (None, 1, 2, 3, -1)}
    assert len(digests) == 1


def test_a_module_is_loaded_when_it_is_asked_for():
    program = """
import sys, raddle
assert not [name for name in sys.modules if name.split('.')[0] in ('sklearn', 'scipy', 'numpy')]
assert 'raddle._raddle' not in sys.modules
assert 'lasso' in dir(raddle) and raddle.__version__
raddle.lasso.Lasso
try:
    raddle.ridge
except AttributeError as error:
    assert 'ridge' in str(error)
else:
    sys.exit(1)
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)
