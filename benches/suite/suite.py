"""The suite: our programs beside their peers at equal judged quality, and the tables of the documentation.

    python3 benches/suite/suite.py [--peers all] [--data at-hand|NAME,..] [--only TEXT] [--minutes 60] [--out FILE]
    python3 benches/suite/suite.py --tables FILE     writes the tables of README.md and benches/README.md
    python3 benches/suite/suite.py --check           the tables are those of benches/results.json

The first form makes its own environment of peers below target/suite, builds the programs, and measures row by row
(measure.py). Rows replace those of the same name in FILE, so that parts can be measured apart.
"""

import argparse
import contextlib
import datetime
import difflib
import json
import os
import pathlib
import signal
import sys
import time

import environment
import rows
import staying
import tables

HERE = pathlib.Path(__file__).resolve().parent
RESULTS = rows.ROOT / "benches/results.json"
# A row is not measured in less than this share of what it takes.
LEAST = 0.25
# Seconds that a row takes beside its time: files of a set, peers that are busy at its end, processes that fit once.
BESIDE = 12.0


def shares(chosen, seconds):
    """The seconds of each row: in proportion to what it takes, and at most twice that."""
    whole = sum(row.seconds for row in chosen) or 1.0
    return {row.name: row.seconds * min(2.0, seconds / whole) for row in chosen}


def planned(waiting, beforehand, left):
    """The seconds of the first waiting row, where so many are left for all of them: a row that took more or less than its
    share leaves less or more for the others."""
    still = sum(beforehand[row.name] for row in waiting)
    share = max(0.0, left - BESIDE * len(waiting)) / still
    return min(2.0 * waiting[0].seconds, beforehand[waiting[0].name] * share)


def queue(chosen):
    """The rows as they are measured: those of a part and of a kind after each other, whose processes stay; else the
    longest first, for what they take beyond their share is little of what is left then."""
    longest = {}
    for row in chosen:
        for those in (row.part, (row.part, row.kind)):
            longest[those] = max(row.seconds, longest.get(those, 0.0))
    first = lambda those: (-longest[those], str(those))
    return sorted(chosen, key=lambda row: (first(row.part), first((row.part, row.kind)), -row.seconds))


def named(parser, option, text, known):
    """The names of a list, each of which has to be known."""
    names = text.split(",")
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1, 0.0)
            parser.error(f"{option}: there is no `{name}`; the nearest is `{near[0]}`")
    return names


def arguments(words):
    parser = argparse.ArgumentParser(prog="suite.py", description=__doc__.split("\n")[0])
    parser.add_argument("--peers", default="all", help="all, none, or names with commas: " + ", ".join(rows.PEERS))
    parser.add_argument("--data", default="at-hand", help="at-hand, or names with commas: " + ", ".join(rows.DATA))
    parser.add_argument("--only", default="", metavar="TEXT", help="rows whose name has this in it, such as `lasso colon`")
    parser.add_argument("--minutes", type=float, default=60.0, help="what all may take in whole, building included [60]")
    parser.add_argument("--out", type=pathlib.Path, default=rows.SCRATCH / "results.json", metavar="FILE")
    parser.add_argument("--mallet", type=pathlib.Path, metavar="JAR", help="MALLET with what it needs, in one jar")
    parser.add_argument("--tables", type=pathlib.Path, metavar="FILE", help="write the tables from these results")
    parser.add_argument("--check", action="store_true", help="fail where a table is not that of benches/results.json")
    given = parser.parse_args(words)
    if given.tables or given.check:
        return given
    if not 0.0 < given.minutes < float("inf"):
        parser.error("--minutes: give a number above 0")
    if given.peers not in ("all", "none"):
        named(parser, "--peers", given.peers, rows.PEERS)
    if given.data != "at-hand":
        named(parser, "--data", given.data, rows.DATA)
    folder = os.environ.get("RADDLE_DATA")
    if not folder:
        parser.error("set RADDLE_DATA to the folder of the public sets")
    if not pathlib.Path(folder).is_dir():
        parser.error(f"RADDLE_DATA: `{folder}` is no folder")
    os.environ["RADDLE_DATA"] = str(pathlib.Path(folder).resolve())
    if given.mallet and not given.mallet.is_file():
        parser.error(f"--mallet: `{given.mallet}` is no file")
    given.rows = [row for row in rows.ROWS if given.only in row.name]
    if not given.rows:
        near = difflib.get_close_matches(given.only, [row.name for row in rows.ROWS], 1, 0.0)
        parser.error(f"--only: no row has `{given.only}` in its name; the nearest is `{near[0]}`")
    if given.data != "at-hand":
        given.rows = [row for row in given.rows if row.data in given.data.split(",")]
        if not given.rows:
            parser.error(f"no row has `{given.only}` in its name and is on `{given.data}`")
    return given


def chosen(row, peers, absent):
    """The peers of a row that are there, and why others are not."""
    asked = [peer for peer in row.peers if peers == "all" or rows.package(peer) in peers.split(",")]
    # Before peers that may search in vain: it needs a fit or two.
    asked.insert(1, "raddle-python")
    return [peer for peer in asked if rows.package(peer) not in absent], {
        peer: absent[rows.package(peer)] for peer in asked if rows.package(peer) in absent
    }


class Measuring:
    """The process that measures the rows of a part, which stays (measure.py), and all that it starts."""

    def __init__(self):
        self.part = self.process = None

    def measure(self, row, seconds, peers):
        if row.part != self.part:
            self.close()
            self.part = row.part
            self.process = staying.Process(environment.PYTHON, HERE / "measure.py", start_new_session=True,
                                           env=os.environ | {"PYTHONWARNINGS": "ignore"})
        started = time.monotonic()
        self.process.ask([row.name, seconds, peers])
        try:
            return self.process.answer(2 * seconds + 60)
        except staying.Missed as missed:
            self.close()
            return {"none": f"no result: {missed} after {time.monotonic() - started:.0f} s"}

    def close(self):
        if self.process:
            os.killpg(self.process.process.pid, signal.SIGKILL)
            self.process.process.wait()
        self.part = self.process = None


def measure(row, seconds, peers, absent, measuring):
    """What results.json has of a row."""
    if row.data != rows.MADE and not row.path.is_file():
        return {"none": f"{rows.FILES[row.data]} is not in RADDLE_DATA"}
    if seconds < LEAST * row.seconds:
        return {"none": f"{seconds:.0f} s are too little: about {row.seconds} s are needed"}
    there, missing = chosen(row, peers, absent)
    started = time.monotonic()
    found = measuring.measure(row, seconds, there)
    if "none" in found:
        return found
    names = {"raddle-python": "raddle from Python"}
    found["contenders"] |= {names.get(peer, peer): {"none": reason, "absent": True} for peer, reason in missing.items()}
    return {"seconds": round(seconds, 1), "took": round(time.monotonic() - started, 1), **found}


def run(given):
    begun = time.monotonic()
    say = lambda text: print(f"[{(time.monotonic() - begun) / 60:5.1f} min] {text}", file=sys.stderr, flush=True)
    results = tables.load(given.out) if given.out.exists() else tables.empty()
    if given.mallet:
        os.environ["MALLET_JAR"] = str(given.mallet.resolve())
    absent = environment.prepare(say)
    if any(row.data == rows.MADE for row in given.rows):
        environment.make_data(say)
    started = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    about = {"started": started, "minutes": given.minutes, "commit": environment.commit()}
    about |= {"machine": environment.machine(), "versions": environment.versions(), "load": [os.getloadavg()[0]]}
    about["absent"] = absent
    if results["runs"] and any(results["runs"][-1][key] != about[key] for key in ("machine", "versions", "commit")):
        say(f"{given.out} has rows of another machine, version or commit; the tables say so")
    beforehand = shares(given.rows, given.minutes * 60 - (time.monotonic() - begun))
    given.out.parent.mkdir(parents=True, exist_ok=True)
    measuring, waiting = Measuring(), queue(given.rows)
    with contextlib.closing(measuring):
        for at, row in enumerate(waiting):
            seconds = planned(waiting[at:], beforehand, given.minutes * 60 - (time.monotonic() - begun))
            found = measure(row, seconds, given.peers, absent, measuring)
            about["load"] = [about["load"][0], os.getloadavg()[0]]
            results = tables.merged(results, about, row.name, found)
            given.out.write_text(json.dumps(results, indent=1) + "\n")
            say(f"{row.name}: {tables.line(row, found)}")
    print("\n\n".join(text for name, text in tables.regions(results).items() if name != "fast"))
    print(f"\npython3 benches/suite/suite.py --tables {given.out}", file=sys.stderr)


def main(words=None):
    given = arguments(words)
    try:
        if given.check:
            differs = tables.check(rows.ROOT, tables.load(RESULTS))
            print(differs or "the tables are those of benches/results.json", file=sys.stderr if differs else sys.stdout)
            return 1 if differs else 0
        if given.tables:
            tables.write(rows.ROOT, tables.load(given.tables))
            if given.tables.resolve() != RESULTS:
                RESULTS.write_bytes(given.tables.read_bytes())
            return 0
        # Ends what it started, as an interrupt does.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        run(given)
    except tables.Broken as error:
        print(f"suite.py: error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
