"""One row of the suite: ours and its peers in turns, each result judged anew.

    python measure.py

measures the rows of a part: for each line [ROW, SECONDS, PEERS] it answers with one JSON object, which has for each
contender its seconds, waits and judged qualities, or why it has none. The module of a part (see contender.py) has its
problems, its peers and its judge; the peers' processes stay from row to row (staying.py).

A peer first looks for the loosest of its settings whose judged quality is that of the row. Then all take turns, so that
a busy spell of the machine meets all of them. `seconds` are of the fit: from the prepared data in memory to the model;
ours are of a cold process each time, the peers' processes are warm. `waits` are of whole processes, from the command to
the model on disk: import, reading and compilation included; of the peers, the fastest has them.
"""

import contextlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import traceback

import numpy as np

from contender import PART, again, row_named
from rows import SCRATCH
from shared import PYTHON
from staying import Missed, Server, answers, asked

CONTENDER = [sys.executable, str(pathlib.Path(__file__).resolve().parent / "contender.py")]
REPEATS, COLD = 7, 3
# Seconds in which a peer has to be ready.
START = 120.0
# Turns that are taken without time, if one takes at most so many seconds.
TURNS, BRIEF = 3, 5.0
GRACE = 30.0
# The share of a row's time in which peers look for their settings; of it for the first peer, the strongest, and of what
# is left then for each next one.
SEARCH, FIRST, NEXT = 0.6, 0.8, 0.6
ALONE = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "NUMBA")}
NAMES = {1: "raddle", 2: "raddle, 2 workers", "pair": "raddle, two side by side", PYTHON: "raddle from Python"}


class Ours:
    """Our program with so many workers, a process for each fit; or two processes at once."""

    def __init__(self, part, row, problem, scratch, judged, workers=1, together=1):
        self.part, self.row, self.problem, self.together = part, row, problem, together
        self.name = NAMES["pair" if together == 2 else workers]
        self.folders = [scratch / f"{self.name}{number}" for number in range(together)]
        self.command = [*map(str, part.command(row, scratch)), "--workers", str(workers), "--quiet", "--json", "--force"]
        self.judged = judged

    def turn(self):
        started = time.perf_counter()
        running = [subprocess.Popen([*self.command, "--out", str(folder)], stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, text=True) for folder in self.folders]
        said = [process.communicate() for process in running]
        wait = time.perf_counter() - started
        for process, (_, error) in zip(running, said):
            if process.returncode not in (0, 3):
                raise Missed(error.strip()[-200:])
        report = max((json.loads(out) for out, _ in said), key=lambda report: report["seconds"]["fit"])
        # A model of the same bytes is judged once.
        digest = report["model_digest"]
        if digest not in self.judged:
            self.judged[digest] = self.part.judge_run(self.row, self.problem, self.folders[0], report)
        sample = {"seconds": report["seconds"]["fit"], "waits": wait, "quality": self.judged[digest]}
        return {**sample, "memory": report["peak_memory_bytes"], "setting": report["epochs"]}


class Peer:
    """A peer in a process of the row, forked by one that stays."""

    def __init__(self, part, row, problem, scratch, name, hard, servers):
        self.hard = hard
        self.part, self.row, self.problem, self.key = part, row, problem, name
        self.name, self.scratch, self.setting, self.found = NAMES.get(name, name), scratch, None, None
        if name not in servers or not servers[name].is_there():
            servers[name] = Server(*CONTENDER, row.part, name, stderr=subprocess.DEVNULL, env=os.environ | ALONE)
        self.server = servers[name]
        self.server.begin(row)

    def answer(self, seconds):
        return self.server.answer(min(seconds, self.hard - time.perf_counter()))

    def ask(self, setting, seconds):
        """Seconds, arrays and memory of a fit."""
        file = self.scratch / f"{self.name}.npz"
        self.server.ask([setting, str(file)])
        answer = self.answer(seconds)
        with np.load(file) as arrays:
            return answer, dict(arrays)

    def search(self, seconds):
        """Finds the loosest setting that is good enough; the seconds that it took, without import, reading and warming up."""
        self.answer(max(START, seconds))
        end, best = time.perf_counter() + seconds, None
        target = self.part.target(self.row, self.key)
        try:
            for setting in self.part.settings(self.row, self.key):
                left = end - time.perf_counter()
                if left < 0:
                    break
                answer, arrays = self.ask(setting, left)
                quality = self.part.judge(self.row, self.problem, arrays)
                if best is None or self.part.better(self.row, quality, best):
                    best = quality
                if not self.part.better(self.row, target, quality):
                    self.setting, self.found = setting, {**answer, "quality": quality, "setting": setting}
                    return seconds - (end - time.perf_counter())
        except Missed as missed:
            if best is None:
                raise
            raise Missed(f"{missed}, best {best:.4g} in {seconds:.0f} s") from None
        raise Missed(f"best {best:.4g} in {seconds:.0f} s" if best is not None else "out of time")

    def turn(self):
        answer, arrays = self.ask(self.setting, 600)
        return {**answer, "quality": self.part.judge(self.row, self.problem, arrays), "setting": self.setting}

    def cold(self):
        """What a person waits for: a process that fits once."""
        command = [*CONTENDER, self.row.name, self.key, json.dumps(self.setting), str(self.scratch / "cold.npz")]
        started = time.perf_counter()
        try:
            left = max(1.0, self.hard - started)
            done = subprocess.run(command, capture_output=True, text=True, env=os.environ | ALONE, timeout=left, check=False)
        except subprocess.TimeoutExpired:
            return {}
        wait = time.perf_counter() - started
        return {"waits": wait, "memory": json.loads(done.stdout.splitlines()[-1])["memory"]} if done.returncode == 0 else {}

    def close(self):
        self.server.free()


def summary(part, row, problem, samples):
    """What results.json has of a contender."""
    found = {key: [sample[key] for sample in samples if key in sample] for key in ("seconds", "waits", "quality")}
    memory = [sample["memory"] for sample in samples if sample.get("memory")]
    rate = part.rate(row, problem, statistics.median(found["seconds"]), samples[-1]["setting"])
    return {**found, "memory": max(memory) if memory else None, "setting": samples[-1]["setting"], "rate": rate}


def turns(contenders, end):
    """Samples of each contender, for as long as there is time; the first turn in any case, and some more where they are
    brief. A peer whose fit is long has its first turn when its setting is found. Of the peers, the one that was fastest
    then is waited for."""
    samples, errors, last, awaited = {contender.name: [] for contender in contenders}, {}, 0.0, []
    for number in range(REPEATS):
        started = time.perf_counter()
        if started + last > end and number and (number >= TURNS or last > BRIEF):
            break
        for contender in contenders:
            if contender.name not in errors:
                found = None if number else getattr(contender, "found", None)
                try:
                    is_long = found is not None and time.perf_counter() + found["seconds"] > end
                    samples[contender.name].append(found if is_long else contender.turn())
                except Missed as missed:
                    errors[contender.name] = str(missed)
        last = time.perf_counter() - started
        if not number:
            peers = [peer for peer in contenders if isinstance(peer, Peer) and samples[peer.name]]
            fastest = min(peers, key=lambda peer: (peer.key == PYTHON, samples[peer.name][0]["seconds"]), default=None)
            awaited = [peer for peer in peers if peer is fastest or peer.key == PYTHON]
        for peer in awaited if number < COLD and (not number or time.perf_counter() < end) else []:
            if peer.name not in errors:
                samples[peer.name][-1] |= peer.cold()
    return samples, errors


def measure(row, seconds, chosen, servers):
    part = PART[row.part]()
    # The first row of a set makes them, not in its own time.
    getattr(part, "files", lambda row: [])(row)
    end = time.perf_counter() + seconds
    # When a row is to end though a peer is still busy.
    hard = end + seconds + GRACE
    problem = again(part)(row)
    found, peers = {}, []
    with tempfile.TemporaryDirectory(dir=SCRATCH) as scratch, contextlib.ExitStack() as over:
        scratch = pathlib.Path(scratch)
        part.ready(row, problem, scratch)
        given, judged = (part, row, problem, scratch), {}
        contenders = [Ours(*given, judged), Ours(*given, judged, workers=2), Ours(*given, judged, together=2)]
        # Which is also how long a fit from Python is to be.
        row.about.setdefault("epochs", contenders[0].turn()["setting"])
        left, share = (end - time.perf_counter()) * SEARCH, FIRST
        begun = [Peer(*given, name, hard, servers) for name in chosen]
        for peer in begun:
            over.callback(peer.close)
        # They import, read and warm up side by side.
        for peer in begun:
            try:
                left = max(2.0, left - peer.search(left * share))
                peers.append(peer)
            except Missed as missed:
                found[peer.name] = {"none": str(missed)}
                left = max(2.0, left * (1.0 - share))
                peer.close()
            share = NEXT
        samples, errors = turns([*contenders, *peers], end)
        for contender in [*contenders, *peers]:
            mine = samples[contender.name]
            found[contender.name] = (
                {"none": errors[contender.name]} if contender.name in errors else summary(part, row, problem, mine)
            )
    return found


def main():
    say, servers = answers(), {}
    while line := asked():
        name, seconds, peers = json.loads(line)
        load = os.getloadavg()[0]
        try:
            found = measure(row_named(name), seconds, peers, servers)
        except Exception as error:
            say(none=traceback.format_exception_only(error)[-1].strip()[:200])
        else:
            say(load=[round(load, 2), round(os.getloadavg()[0], 2)], contenders=found)


if __name__ == "__main__":
    main()
