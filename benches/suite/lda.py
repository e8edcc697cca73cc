"""The topic model beside its peer, in one run, in turns, judged by code that shares nothing with the engine.

    cargo build --release -p raddle-lda --bin lda
    python3 -m venv .peers && .peers/bin/pip install -r benches/suite/requirements.txt
    RADDLE_DATA=... .peers/bin/python benches/suite/lda.py [--only '20ng 1000'] [--seeds 3] [--workers 1] [--out FILE]
    ... lda.py --only 'imdb 1000' --first 2 --seeds 1 --out two.json   # seed 2 alone, as a quiet minute allows
    ... lda.py --table one.json two.json three.json                    # their medians, without measuring
    ... lda.py --after                           # to the perplexities that the peer has after 20, 50 and 100 passes

alpha = 50/K and beta = 0.01 stay fixed; test documents are those of the shared split, perplexity is by document
completion (both as datasets/lda/DATASETS.md has them). For every seed the peer, tomotopy on one thread, trains until
the perplexity of its row (T, interpolated between its checkpoints), then ours until its last target. Ours scores the
test documents after every epoch and leaves that out of its seconds, as the peer's clock leaves its judging out; the
exported counts of its last epoch are judged anew here, and must have the perplexity that it printed.
"""

import argparse
import gzip
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import scipy.sparse as sp
from scipy.special import gammaln

ROOT = pathlib.Path(__file__).resolve().parents[2]
BETA = 0.01
# Corpus, K, the peer's perplexity, its checkpoints; our perplexities with the share of T that is required and aimed at.
CASES = [
    ("20ng", 1000, 3200, (1, 2, 3, 4, 5, 6, 7), [(3200, 0.12, 0.08), (2250, 0.3, 0.2), (1850, 1.6, 1.1)]),
    ("imdb", 1000, 3950, (1, 2, 3, 4, 5, 6), [(3950, 0.08, 0.05), (3700, 0.1, 0.06), (3130, 0.6, 0.4)]),
    ("win32", 1000, 295, (1, 2, 3, 4, 5, 6, 7, 8), [(295, 0.06, 0.04), (212, 0.2, 0.12)]),
    ("20ng", 100, 3050, (5, 10, 15, 20, 25, 30, 40, 50), [(3000, 0.25, 0.16)]),
]
# Corpus and K at which targets are the peer's own perplexities after so many passes of the same run; and the share of
# its seconds that is required and aimed at.
AFTER = [(name, topics) for name in ("20ng", "ap") for topics in (50, 100, 200)]
PASSES, SHARE = (20, 50, 100), (1 / 3, 1 / 4)
MASK = (1 << 64) - 1


def is_test(number):
    """The shared split: documents count from 1."""
    x = (number + 0x9E3779B97F4A7C15) & MASK
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    return (x ^ x >> 31) % 10 == 0


class Corpus:
    def __init__(self, path):
        with gzip.open(path, "rb") as file:
            documents, self.words, _ = (int(file.readline()) for _ in range(3))
            entries = np.array(file.read().split(), dtype=np.int64).reshape(-1, 3)
        self.starts = np.searchsorted(entries[:, 0], np.arange(1, documents + 2))
        self.word, self.count = entries[:, 1] - 1, entries[:, 2]
        test = np.array([is_test(number) for number in range(1, documents + 1)])
        self.train, self.test = np.flatnonzero(~test), np.flatnonzero(test)

    def document(self, number):
        part = slice(self.starts[number], self.starts[number + 1])
        return self.word[part], self.count[part]


def perplexity(corpus, counts, alpha):
    """By document completion of the first 1,000 test documents, from topic-word counts."""
    phi = counts + BETA
    phi = np.ascontiguousarray((phi / phi.sum(1, keepdims=True)).T)
    log_likelihood, scored = 0.0, 0
    for number in corpus.test[:1000]:
        word, count = corpus.document(number)
        before = np.cumsum(count) - count
        seen = (count + (before % 2 == 0)) // 2
        rows, times = phi[word[seen > 0]], seen[seen > 0].astype(float)
        theta = np.full(counts.shape[0], 1.0 / counts.shape[0])
        for _ in range(50):
            theta = alpha + theta * ((times / (rows @ theta)) @ rows)
            theta /= theta.sum()
        rest = count - seen
        log_likelihood += rest[rest > 0] @ np.log(phi[word[rest > 0]] @ theta)
        scored += rest.sum()
    return math.exp(-log_likelihood / scored)


def word_log_likelihood(counts):
    """log p(words | topics) a token (Griffiths and Steyvers, 2004, equation 2)."""
    topics, words = counts.shape
    filled, totals = counts[counts > 0], counts.sum(1)
    sums = (gammaln(filled + BETA) - gammaln(BETA)).sum() - gammaln(totals + words * BETA).sum()
    return float(topics * gammaln(words * BETA) + sums) / totals.sum()


def trained(corpus, topics, checkpoints, seed):
    """tomotopy on one thread: at each checkpoint its seconds, its perplexity and its million tokens a second since."""
    import tomotopy

    model = tomotopy.LDAModel(k=topics, alpha=50 / topics, eta=BETA, seed=seed)
    for number in corpus.train:
        word, count = corpus.document(number)
        model.add_doc([str(w) for w in np.repeat(word, count)])
    model.optim_interval = model.burn_in = 0
    started = time.perf_counter()
    model.train(0, workers=1)
    seconds, done = time.perf_counter() - started, 0
    known = np.array([int(word) for word in model.used_vocabs])
    for checkpoint in checkpoints:
        started = time.perf_counter()
        model.train(checkpoint - done, workers=1)
        spent = time.perf_counter() - started
        counts = np.zeros((topics, corpus.words))
        for topic in range(topics):
            counts[topic, known] = np.rint(model.get_topic_word_dist(topic, normalize=False) - BETA)
        rate = (checkpoint - done) * model.num_words / spent / 1e6
        seconds, done = seconds + spent, checkpoint
        yield seconds, perplexity(corpus, counts, 50 / topics), rate


def peer(corpus, topics, target, checkpoints, seed):
    """Seconds of tomotopy until the perplexity, the last it had, and its tokens a second in the last passes."""
    before = None
    for now in trained(corpus, topics, checkpoints, seed):
        if now[1] <= target:
            share = (before[1] - target) / (before[1] - now[1]) if before else 1
            reached = before[0] + share * (now[0] - before[0]) if before else now[0]
            return {"seconds": reached, "perplexity": now[1], "rate": now[2]}
        before = now
    return {"seconds": None, "perplexity": before[1], "rate": before[2]}


def ours(program, data, corpus, topics, targets, seed, workers):
    """Seconds until each target, from the trace of one run until the last; memory, rate and what is judged."""
    with tempfile.TemporaryDirectory() as folder:
        last = min(target for target, *_ in targets)
        options = f"--topics {topics} --fixed-priors --validation none --test split --target {last} --epochs 400"
        options += f" --evaluate-every 1 --seed {seed} --workers {workers} --quiet --json --out {folder}/run"
        done = subprocess.run([program, "fit", data, *options.split()], capture_output=True, text=True)
        if done.returncode not in (0, 3):
            sys.exit(done.stderr)
        report = json.loads(done.stdout)
        counts = sp.load_npz(f"{folder}/run/topic_word_counts.npz").toarray().astype(float)
        judged = perplexity(corpus, counts, 50 / topics)
        trace = [json.loads(line) for line in open(f"{folder}/run/trace.jsonl")]
    printed = report["metric"]["value"]
    assert abs(judged / printed - 1) < 1e-5, (judged, printed)
    fit, spent = [], 0.0
    for earlier, record in zip(trace, trace[1:]):
        spent += record["seconds"] - earlier["seconds"] - record["measured"]
        fit.append((spent, record["metric"]["value"]))
    passes = sorted(b[0] - a[0] for a, b in zip(fit[-6:], fit[-5:]))
    return {
        "seconds": [next((s for s, value in fit if value and value <= target), None) for target, *_ in targets],
        "judged": judged,
        "word_log_likelihood": word_log_likelihood(counts),
        "rate": report["data"]["sizes"]["train_tokens"] / passes[len(passes) // 2] / 1e6,
        "memory": report["peak_memory_bytes"] / 2**20,
    }


def spread(values):
    values = [value for value in values if value is not None]
    return f"{statistics.median(values):.3g} [{min(values):.3g}, {max(values):.3g}]" if values else "-"


def measure(options, name, topics, target, checkpoints, targets):
    """Every seed in turns: the peer, then ours."""
    data = pathlib.Path(os.environ["RADDLE_DATA"]) / f"lda/docword.{name}.txt.gz"
    corpus = Corpus(data)
    peers, runs = [], []
    for seed in range(options.first, options.first + options.seeds):
        peers.append(peer(corpus, topics, target, checkpoints, seed))
        run = ours(options.lda, str(data), corpus, topics, targets, seed, options.workers)
        # A run that is cut short may end before its passes are over all documents.
        runs.append({**run, "rate": None} if options.to else run)
    kept = [value for value, *_ in targets]
    return {"corpus": name, "topics": topics, "targets": kept, "peer": peers, "ours": runs}


def show(found):
    """Rows of the table, of medians with the least and the most."""
    wanted = {
        (name, topics, value): f"{least}, {aim}" for name, topics, *_, rows in CASES for value, least, aim in rows
    }
    peers, runs = found["peer"], found["ours"]
    for at, value in enumerate(found["targets"]):
        seconds = [run["seconds"][at] for run in runs]
        both = [s / t["seconds"] for s, t in zip(seconds, peers) if s and t["seconds"]]
        rest = [spread([run[key] for run in runs]) for key in ("judged", "word_log_likelihood", "rate", "memory")]
        reached, rate = (spread([t[key] for t in peers]) for key in ("seconds", "rate"))
        row = wanted[found["corpus"], found["topics"], value]
        print(f"| {found['corpus']}, {found['topics']} | {value} | {spread(seconds)} | {reached} | {spread(both)} "
              f"| {row} | {' | '.join(rest)} | {rate} |", flush=True)


def after(options):
    """Ours until the perplexities that the peer has after 20, 50 and 100 passes, each seed in turns."""
    print("| corpus, K | passes of tomotopy | its perplexity | its s | ours, s | ours / T | at most, aim |\n"
          "|---|---|---|---|---|---|---|")
    for name, topics in AFTER:
        if options.only and f"{name} {topics}" != options.only:
            continue
        data = pathlib.Path(os.environ["RADDLE_DATA"]) / f"lda/docword.{name}.txt.gz"
        corpus = Corpus(data)
        rows = []
        for seed in range(options.first, options.first + options.seeds):
            peers = list(trained(corpus, topics, PASSES, seed))
            targets = [(now[1], *SHARE) for now in peers]
            run = ours(options.lda, str(data), corpus, topics, targets, seed, options.workers)
            rows.append([(now[1], now[0], s, s and s / now[0]) for now, s in zip(peers, run["seconds"])])
        for passes, found in zip(PASSES, zip(*rows)):
            print(f"| {name}, {topics} | {passes} | {' | '.join(map(spread, zip(*found)))} "
                  f"| {SHARE[0]:.2f}, {SHARE[1]:.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="", help="corpus and K")
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--seeds", type=int, default=3, help="how many, counted up")
    parser.add_argument("--to", type=float, default=0, help="leave out targets below this perplexity")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--lda", default=str(ROOT / "target/release/lda"))
    parser.add_argument("--out")
    parser.add_argument("--table", nargs="+", metavar="FILE", help="show what --out wrote, seeds together")
    parser.add_argument("--after", action="store_true", help="to the peer's perplexities after 20, 50 and 100 passes")
    options = parser.parse_args()
    if options.after:
        return after(options)
    print("| corpus, K | perplexity | ours, s | T, s | ours / T | at most, aim | judged at the end "
          "| word log-likelihood | Mtok/s | MB | tomotopy, Mtok/s |\n|---|---|---|---|---|---|---|---|---|---|---|")
    found = {}
    if options.table:
        for case in (case for file in options.table for case in json.loads(pathlib.Path(file).read_text())):
            key = case["corpus"], case["topics"], *case["targets"]
            same = found.setdefault(key, {**case, "peer": [], "ours": []})
            same["peer"] += case["peer"]
            same["ours"] += case["ours"]
        for case in found.values():
            show(case)
        return
    for name, topics, target, checkpoints, targets in CASES:
        if options.only and f"{name} {topics}" != options.only:
            continue
        targets = [row for row in targets if row[0] >= options.to]
        found[name, topics] = measure(options, name, topics, target, checkpoints, targets)
        show(found[name, topics])
    if not found:
        names = ", ".join(f"'{name} {topics}'" for name, topics, *_ in CASES)
        sys.exit(f"--only {options.only!r} is no corpus and K; there are {names}")
    if options.out:
        pathlib.Path(options.out).write_text(json.dumps(list(found.values()), indent=1))


if __name__ == "__main__":
    main()
