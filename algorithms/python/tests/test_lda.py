"""`raddle.lda`: scikit-learn's contract, the program's models, and their methods."""

import copy
import gzip
import json
import os
import pathlib
import pickle
import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from raddle.lda import LatentDirichletAllocation, load

class OfFractions(LatentDirichletAllocation):
    """Takes fractions for counts, as scikit-learn's checks feed them to all estimators."""

    def _counts(self, X, reset=False):
        X = super()._counts(X, reset)
        X.data = np.rint(X.data)
        return X


def of_fractions(error):
    """Return whether fractions were refused."""
    while error is not None:
        if "X must hold counts" in str(error):
            return True
        error = error.__cause__ or error.__context__
    return False


@pytest.mark.filterwarnings("default")
@parametrize_with_checks([of(n_components=3, max_iter=5) for of in (LatentDirichletAllocation, OfFractions)])
def test_scikit_learns_checks(estimator, check):
    try:
        check(estimator)
    except Exception as error:
        if isinstance(estimator, OfFractions) or not of_fractions(error):
            raise
        pytest.xfail("it feeds fractions, which are no counts")


@pytest.fixture(scope="module")
def counts():
    """Return documents of three kinds of words."""
    random = np.random.default_rng(3)
    kinds = np.stack([random.dirichlet(np.roll(np.r_[np.full(20, 2.0), np.full(40, 0.02)], 20 * k)) for k in range(3)])
    shares = random.dirichlet(np.full(3, 0.2), size=200)
    return sparse.csr_matrix(np.stack([random.multinomial(40, share @ kinds) for share in shares]))


@pytest.fixture(scope="module")
def model(counts):
    return LatentDirichletAllocation(n_components=3, max_iter=40).fit(counts)


@pytest.fixture(scope="module")
def lda_program(tmp_path_factory):
    """Run the program `lda`; return its folder."""
    folder = os.environ.get("RADDLE_BIN")
    program = pathlib.Path(folder or "", "lda")
    if folder is None or not program.exists():
        pytest.skip("RADDLE_BIN names no folder with the program lda")

    def run(*arguments):
        ran = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=300)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    run.folder = lambda: tmp_path_factory.mktemp("run") / "out"
    return run


def docword(path):
    """Read a bag of words of the UCI repository."""
    with gzip.open(path, "rt") as file:
        shape = int(file.readline()), int(file.readline())
        file.readline()
        documents, words, counts = np.loadtxt(file, dtype=np.int64, unpack=True)
    return sparse.csr_matrix((counts, (documents - 1, words - 1)), shape=shape)


@pytest.fixture(scope="module")
def ap():
    path = pathlib.Path(os.environ.get("RADDLE_DATA", ""), "lda/docword.ap.txt.gz")
    if not path.exists():
        pytest.skip("RADDLE_DATA has no lda/docword.ap.txt.gz")
    return docword(path), path


def test_models_are_the_programs_on_any_number_of_workers(lda_program, ap):
    X, path = ap
    out = lda_program.folder()
    # 1 / K is the default here, and 50 / K and .01 are the program's.
    lda_program("fit", path, "--epochs", "20", "--workers", "2", "--alpha", "0.05", "--beta", "0.05", "--out", out)
    digest = json.loads((out / "report.json").read_text())["model_digest"]
    for workers in (1, 2, 3):
        assert LatentDirichletAllocation(max_iter=20, n_jobs=workers).fit(X).digest_ == digest
    assert load(out).digest_ == digest

    out = lda_program.folder()
    lda_program("fit", path, "--epochs", "3", "--out", out)
    usual = LatentDirichletAllocation(doc_topic_prior=2.5, topic_word_prior=0.01, max_iter=3).fit(X)
    assert usual.digest_ == json.loads((out / "report.json").read_text())["model_digest"]

    out = lda_program.folder()
    options = ["--topics", "7", "--alpha", "0.3", "--beta", "0.05", "--fixed-priors", "--validation", "none"]
    lda_program("fit", path, "--epochs", "8", "--seed", "5", *options, "--out", out)
    model = LatentDirichletAllocation(
        7,
        doc_topic_prior=0.3,
        topic_word_prior=0.05,
        fixed_priors=True,
        validation=0,
        max_iter=8,
        random_state=5,
    ).fit(X)
    assert model.digest_ == json.loads((out / "report.json").read_text())["model_digest"]


def test_what_is_asked_of_a_model_is_what_the_program_says(lda_program, ap, tmp_path):
    X, path = ap
    out = lda_program.folder()
    priors = ["--alpha", "0.05", "--beta", "0.05"]
    lda_program("fit", path, "--epochs", "10", *priors, "--pyldavis", "--coherence", "--out", out)
    model = LatentDirichletAllocation(max_iter=10).fit(X)
    lda_program("infer", out, path, "--out", tmp_path / "topics.npy")
    assert (model.transform(X) == np.load(tmp_path / "topics.npy")).all()
    assert (load(out).transform(X[:50]) == np.load(tmp_path / "topics.npy")[:50]).all()
    results = json.loads((out / "report.json").read_text())["results"]
    for name, of_topics in list(model.coherence(X)._asdict().items())[:2]:
        assert np.isclose(of_topics.mean(), results[name]), name
    theirs, ours = json.loads((out / "pyldavis.json").read_text()), model.to_pyldavis(load(out)._vocabulary)
    assert theirs.keys() == ours.keys() and theirs.pop("vocab") == ours.pop("vocab")
    for name, values in theirs.items():
        assert (np.array(values, dtype=ours[name].dtype) == ours[name]).all(), name


def test_each_side_reads_what_the_other_writes(lda_program, ap, tmp_path):
    X, path = ap
    out = lda_program.folder()
    lda_program("fit", path, "--epochs", "5", "--topics", "4", "--out", out)
    load(out).save(tmp_path / "copy")
    names = [file.name for file in (tmp_path / "copy").iterdir() if file.name not in ("model.json", ".lock")]
    assert "topic_word_counts.npz" in names and "doc_topic.npz" in names
    for name in names:
        assert (tmp_path / "copy" / name).read_bytes() == (out / name).read_bytes(), name
    assert lda_program("topics", tmp_path / "copy") == lda_program("topics", out)
    with pytest.raises(ValueError, match="it holds a run of lda"):
        load(out).save(tmp_path / "copy")
    with pytest.raises(ValueError, match="give the folder that --out wrote"):
        load(tmp_path / "nothing")


def test_topics_are_found(model, counts):
    names = [f"{kind}{at}" for kind in "abc" for at in range(20)]
    kinds = {"".join(sorted({word[0] for word in words})) for words in model.top_words(names, 5)}
    assert kinds == {"a", "b", "c"}
    assert model.top_words()[0][0].startswith("word ")
    shares = model.transform(counts)
    assert shares.shape == (200, 3) and np.allclose(shares.sum(axis=1), 1, atol=1e-5)
    assert (model.fit_transform(counts) == shares).all()
    assert list(model.get_feature_names_out()) == [f"latentdirichletallocation{k}" for k in range(3)]
    assert model.perplexity(counts) < 60 and model.score(counts) < 0
    tokens = counts.sum()
    held_out = tokens - model.doc_topic_.sum()
    assert 0 < held_out < tokens / 5
    prior = 3 * 60 * model.topic_word_prior_
    assert np.isclose(model.components_.sum(), model.doc_topic_.sum() + prior)
    phi = model.components_ / model.components_.sum(axis=1, keepdims=True)
    assert np.allclose(phi, model.to_pyldavis()["topic_term_dists"], rtol=1e-5)
    with pytest.raises(ValueError, match="names has 2 words, and the model 60"):
        model.top_words(["a", "b"])


def test_counts_of_any_kind_are_the_same(model, counts):
    for dtype in (np.int32, np.uint8, np.uint64, np.float64, np.float32):
        assert clone(model).fit(counts.astype(dtype)).digest_ == model.digest_
    dense = counts.toarray()
    wide = counts.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    coo = counts.tocoo()
    twice = sparse.csr_matrix(
        (np.r_[coo.data - 1, np.ones_like(coo.data)], (np.r_[coo.row, coo.row], np.r_[coo.col, coo.col])),
    )
    random = np.random.default_rng(0)
    shuffled = counts.copy()
    for start, end in zip(counts.indptr, counts.indptr[1:]):
        order = start + random.permutation(end - start)
        shuffled.indices[start:end], shuffled.data[start:end] = counts.indices[order], counts.data[order]
    shuffled.has_sorted_indices = False
    # Doubled entries, as they are: scipy sums those of a matrix that it makes itself.
    doubled = sparse.csr_matrix(
        (np.c_[counts.data - 1, np.ones_like(counts.data)].ravel(), np.repeat(counts.indices, 2), 2 * counts.indptr),
        shape=counts.shape,
    )
    frozen = counts.copy()
    for array in (frozen.data, frozen.indices, frozen.indptr):
        array.flags.writeable = False
    for other in (dense, np.asfortranarray(dense), wide, counts.tocsc(), twice, shuffled, doubled, frozen):
        assert clone(model).fit(other).digest_ == model.digest_
    assert clone(model).fit(sparse.csr_array(counts)).digest_ == model.digest_


@pytest.mark.parametrize(
    ("X", "why"),
    [
        ([[1, 0.5], [2, 1]], "X must hold counts, whole numbers below 2\\^32, and has 0.5"),
        ([[1, -1], [2, 1]], "Negative values in data passed to LatentDirichletAllocation: -1"),
        ([[1, np.nan], [2, 1]], "NaN"),
        ([[1e30, 1], [2, 1]], "X must hold counts"),
        ([1, 2, 3], "Expected 2D array"),
        ([[0, 0], [0, 0]], "have no words"),
        ([[1j, 0], [0, 1]], "Complex data not supported"),
        ([["a", "b"]], "not compatible with arrays of bytes/strings"),
    ],
)
def test_what_are_no_counts_is_refused(X, why):
    with pytest.raises(ValueError, match=why):
        LatentDirichletAllocation(n_components=2, max_iter=2).fit(np.array(X))
    if np.ndim(X) == 2 and not isinstance(X[0][0], (str, complex)):
        with pytest.raises(ValueError, match=why):
            LatentDirichletAllocation(n_components=2, max_iter=2).fit(sparse.csr_matrix(np.array(X)))


@pytest.mark.parametrize(
    ("parameters", "why"),
    [
        ({"n_components": 0}, "n_components is 0"),
        ({"n_components": 100_000}, "n_components is 100000"),
        ({"n_components": 2.5}, "n_components is 2.5"),
        ({"doc_topic_prior": 0.0}, "doc_topic_prior is 0"),
        ({"topic_word_prior": -1.0}, "topic_word_prior is -1"),
        ({"max_iter": 0}, "max_iter is 0"),
        ({"evaluate_every": 0}, "evaluate_every is 0"),
        ({"validation": 1.0}, "validation is 1.0"),
        ({"random_state": -1}, "random_state is -1"),
        ({"n_jobs": 0}, "n_jobs is 0"),
    ],
)
def test_a_bad_parameter_is_refused_by_name(counts, parameters, why):
    with pytest.raises(ValueError, match=why):
        LatentDirichletAllocation(**parameters).fit(counts)


def test_it_composes():
    texts = ["the ship at sea", "a ship in the sea and a mast", "bread in the oven", "warm bread from the oven"] * 8
    pipeline = make_pipeline(CountVectorizer(), LatentDirichletAllocation(n_components=2, max_iter=20))
    names = pipeline.fit(texts)[0].get_feature_names_out()
    assert len(pipeline[-1].top_words(names, 3)[0]) == 3
    search = GridSearchCV(pipeline, {"latentdirichletallocation__n_components": [1, 2]}, cv=2).fit(texts)
    assert search.transform(texts).shape[1] in (1, 2)
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(CountVectorizer().fit_transform(texts).toarray(), columns=names)
    model = LatentDirichletAllocation(n_components=2, max_iter=5).fit(frame)
    assert set(model.top_words(n=2)[0]) <= set(names)


def test_a_model_outlives_the_process(model, counts, tmp_path):
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert other.digest_ == model.digest_ and other.get_params() == model.get_params()
        assert (other.transform(counts) == model.transform(counts)).all()
    with pytest.raises(ValueError, match="has the format 99"):
        LatentDirichletAllocation().__setstate__({**model.__getstate__(), "_raddle_format": 99})
    pickle.loads(pickle.dumps(model)).save(tmp_path / "run", [f"w{at}" for at in range(60)])
    other = load(tmp_path / "run")
    assert other.digest_ == model.digest_ and other.top_words(n=1)[0][0].startswith("w")
    assert other.evaluations_ == model.evaluations_
    assert (other.doc_topic_ != model.doc_topic_).nnz == 0
    assert other.perplexity(counts) == model.perplexity(counts)


def test_a_callback_sees_every_epoch_and_ends_the_fit(model, counts):
    records = []
    seen = clone(model).fit(counts, callback=records.append)
    assert [record["epoch"] for record in records] == list(range(1, seen.n_iter_ + 1)) or len(records) == 41
    assert seen.digest_ == model.digest_
    ended = [clone(model).fit(counts, callback=lambda record: record["epoch"] < 7) for _ in range(2)]
    assert ended[0].n_iter_ == 7 and ended[0].report_["ending"] == "interrupted"
    assert ended[0].digest_ == ended[1].digest_ != model.digest_


def test_ctrl_c_ends_a_fit_and_the_next_is_as_usual(model, counts, ctrl_c):
    assert ctrl_c(lambda: LatentDirichletAllocation(n_components=3, max_iter=10_000_000).fit(counts)) >= 0
    assert clone(model).fit(counts).digest_ == model.digest_


def test_a_corpus_takes_eight_bytes_an_entry():
    program = """
import numpy as np
from scipy import sparse
from raddle import _raddle
random = np.random.default_rng(0)
rows, per = 30_000, 400
indices = np.sort(random.integers(0, 20_000, size=(rows, per), dtype=np.int32), axis=1).ravel()
starts = np.arange(0, rows * per + 1, per)
X = sparse.csr_matrix((np.ones(rows * per, dtype=np.int32), indices, starts), shape=(rows, 20_000))
def now():
    return int(open('/proc/self/statm').read().split()[1]) * 4096
_raddle.coherence_lda(X[:10], [[0, 1]])
open('/proc/self/clear_refs', 'w').write('5')
before = now()
_raddle.coherence_lda(X, [[0, 1]])
peak = next(int(line.split()[1]) * 1024 for line in open('/proc/self/status') if line.startswith('VmHWM'))
print((peak - before) / X.nnz)
"""
    if not sys.platform.startswith("linux"):
        pytest.skip("the system tells no peak")
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=300)
    assert float(ran.stdout) < 8
