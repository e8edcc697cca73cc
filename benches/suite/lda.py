"""Topic models in the suite (see contender.py), judged by code that shares nothing with the engine.

alpha = 50/K and beta = 0.01 stay fixed; test documents are those of the shared split, perplexity is by document
completion (both as datasets/lda/DATASETS.md of the public sets has them), at the end of a pass. A peer goes on from the
passes that it has; ours scores the test documents when they may meet the target, which is part of what a person waits
for.
"""

import gzip
import math
import os
import pathlib
import subprocess
import tempfile

import numpy as np
import scipy.sparse as sp

from rows import TARGET
from shared import PYTHON, arrays_of, timed

BETA = 0.01
MASK = (1 << 64) - 1


def is_test(number):
    """The shared split: documents count from 1."""
    x = (number + 0x9E3779B97F4A7C15) & MASK
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    return (x ^ x >> 31) % 10 == 0


def read(path):
    with gzip.open(path, "rb") as file:
        documents, words, _ = (int(file.readline()) for _ in range(3))
        entries = np.array(file.read().split(), dtype=np.int64).reshape(-1, 3)
    return {"documents": documents, "words": words, "entries": entries}


class Corpus:
    def __init__(self, documents, words, entries):
        documents, self.words = int(documents), int(words)
        self.starts = np.searchsorted(entries[:, 0], np.arange(1, documents + 2))
        self.word, self.count = entries[:, 1] - 1, entries[:, 2]
        test = np.array([is_test(number) for number in range(1, documents + 1)])
        self.train, self.test = np.flatnonzero(~test), np.flatnonzero(test)

    def document(self, number):
        part = slice(self.starts[number], self.starts[number + 1])
        return self.word[part], self.count[part]

    def matrix(self):
        """The training documents' counts."""
        given = sp.csr_matrix((self.count, self.word, self.starts), shape=(len(self.starts) - 1, self.words))
        return given[self.train]


def perplexity(corpus, counts, alpha):
    """By document completion of the first 1,000 test documents, from topic-word counts with their prior."""
    phi = np.ascontiguousarray((counts / counts.sum(1, keepdims=True)).T)
    log_likelihood, scored = 0.0, 0
    for number in corpus.test[:1000]:
        word, count = corpus.document(number)
        before = np.cumsum(count) - count
        seen = (count + (before % 2 == 0)) // 2
        rows, times = phi[word[seen > 0]], seen[seen > 0].astype(float)
        theta = np.full(len(counts), 1.0 / len(counts))
        for _ in range(50):
            theta = alpha + theta * ((times / (rows @ theta)) @ rows)
            theta /= theta.sum()
        rest = count - seen
        log_likelihood += rest[rest > 0] @ np.log(phi[word[rest > 0]] @ theta)
        scored += rest.sum()
    return math.exp(-log_likelihood / scored)


def problem(row):
    return Corpus(**read(row.path))


def problem_again(row):
    return Corpus(**arrays_of(row, read))


def files(row):
    return [problem_again(row)]


def ready(row, problem, scratch):
    problem.tokens = int(problem.matrix().sum())


def command(row, scratch):
    words = [TARGET / "release/lda", "fit", row.path, "--topics", row.about["topics"], "--target", row.target]
    return [*words, *"--fixed-priors --validation none --test split --epochs 400 --seed 1".split()]


def settings(row, peer):
    """Passes to try; fewer than the first of tomotopy's are not enough."""
    if peer == PYTHON:
        # Its runs are of a length, where the program's end at a target: of fewer epochs, each on all documents.
        return [max(2, round(row.about["epochs"] * times)) for times in (0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 5)]
    first = row.about["passes"] if peer == "tomotopy" else 1
    return [n for n in [*range(1, 10), *range(10, 32, 2), *range(35, 60, 5), *range(60, 401, 20)] if n >= first]


def target(row, peer):
    return row.target


def better(row, a, b):
    return a < b


def judge(row, problem, arrays):
    return perplexity(problem, arrays["counts"].astype(float), 50 / row.about["topics"])


def judge_run(row, problem, folder, report):
    counts = sp.load_npz(folder / "topic_word_counts.npz").toarray() + BETA
    found = judge(row, problem, {"counts": counts})
    if abs(found / report["metric"]["value"] - 1) > 1e-5:
        raise ValueError(f"a perplexity of {report['metric']['value']} in the report, {found} from its counts")
    return found


def rate(row, problem, seconds, passes):
    """Million tokens a second."""
    return passes * problem.tokens / seconds / 1e6


def growing(begin):
    """A peer whose model is trained further: begin(row, corpus) gives a function that trains so many more passes, and
    one that has its counts."""

    def prepared(row, corpus, warm):
        state = {"done": float("inf")}

        def solve(passes):
            if passes <= state["done"]:
                seconds, (further, counts) = timed(begin, row, corpus)
                state.update(done=0, seconds=0.0, further=further, counts=counts)
            spent, _ = timed(state["further"], passes - state["done"])
            state["seconds"] += spent
            state["done"] = passes
            return state["seconds"], {"counts": state["counts"]()}

        return solve

    return prepared


def tomotopy(row, corpus):
    import tomotopy

    topics = row.about["topics"]
    model = tomotopy.LDAModel(k=topics, alpha=50 / topics, eta=BETA, seed=1)
    for number in corpus.train:
        word, count = corpus.document(number)
        model.add_doc([str(w) for w in np.repeat(word, count)])
    model.optim_interval = model.burn_in = 0

    def counts():
        known = np.array([int(word) for word in model.used_vocabs])
        found = np.full((topics, corpus.words), BETA)
        for topic in range(topics):
            found[topic, known] = model.get_topic_word_dist(topic, normalize=False)
        return found.astype(np.float32)

    return lambda passes: model.train(passes, workers=1), counts


def gensim(row, corpus):
    from gensim.models import LdaModel

    topics = row.about["topics"]
    given = [list(zip(*(values.tolist() for values in corpus.document(number)))) for number in corpus.train]
    names = {number: str(number) for number in range(corpus.words)}
    model = LdaModel(num_topics=topics, id2word=names, alpha=[50 / topics] * topics, eta=BETA, random_state=1,
                     eval_every=None)
    return lambda passes: [model.update(given) for _ in range(passes)], model.get_topics


def sklearn(row, corpus):
    from sklearn.decomposition import LatentDirichletAllocation

    topics, x = row.about["topics"], corpus.matrix().astype(float)
    model = LatentDirichletAllocation(topics, doc_topic_prior=50 / topics, topic_word_prior=BETA, random_state=1,
                                      learning_method="online", total_samples=x.shape[0])

    def further(passes):
        for _ in range(passes):
            for at in range(0, x.shape[0], 2048):
                model.partial_fit(x[at : at + 2048])

    return further, lambda: model.components_


def mallet(row, corpus, warm):
    """MALLET's jar, which MALLET_JAR names. A training is a process; one without passes is subtracted."""
    jar = os.environ.get("MALLET_JAR")
    if not jar:
        raise RuntimeError("no jar: --mallet JAR")
    folder, topics = pathlib.Path(tempfile.mkdtemp()), row.about["topics"]
    run = lambda *words: subprocess.run(["java", "-Xmx4g", "-cp", jar, *map(str, words)], check=True, capture_output=True)
    with open(folder / "text", "w") as file:
        for number in corpus.train:
            words = np.repeat(*corpus.document(number))
            file.write(f"{number} x {' '.join(f'w{word}' for word in words)}\n")
    run("cc.mallet.classify.tui.Csv2Vectors", "--input", folder / "text", "--output", folder / "data",
        "--keep-sequence", "--token-regex", "\\S+")

    def train(passes):
        run("cc.mallet.topics.tui.TopicTrainer", "--input", folder / "data", "--num-topics", topics, "--alpha", 50,
            "--beta", BETA, "--num-iterations", passes, "--optimize-interval", 0, "--num-threads", 1,
            "--random-seed", 1, "--word-topic-counts-file", folder / "counts")

    start = timed(train, 0)[0] if warm else 0.0

    def solve(passes):
        seconds, _ = timed(train, passes)
        counts = np.full((topics, corpus.words), BETA, np.float32)
        for line in open(folder / "counts"):
            _, word, *pairs = line.split()
            for pair in pairs:
                topic, count = pair.split(":")
                counts[int(topic), int(word[1:])] += int(count)
        return seconds - start, {"counts": counts}

    return solve


def raddle(row, corpus, warm):
    from raddle.lda import LatentDirichletAllocation

    x, topics = corpus.matrix(), row.about["topics"]

    def solve(epochs):
        model = LatentDirichletAllocation(topics, doc_topic_prior=50 / topics, topic_word_prior=BETA, random_state=1,
                                          fixed_priors=True, validation=0, max_iter=epochs, n_jobs=1)
        seconds, fitted = timed(model.fit, x)
        return seconds, {"counts": fitted.components_}

    return solve


PEERS = {peer.__name__: growing(peer) for peer in (tomotopy, gensim, sklearn)} | {"mallet": mallet, PYTHON: raddle}
