"""The process that a peer lives in, and what the module of a part has.

    python contender.py PART PEER                stays: for each line ROW on stdin a process that is warm (staying.py),
                                                 which fits for each line [SETTING, FILE] then
    python contender.py ROW PEER SETTING FILE    fits once

answers a JSON line when it is ready and after each fit: its seconds, with arrays in FILE. A part's module has
  problem(row)                       the data, prepared as the peers take them
  problem_again(row)                 the same, kept from the first time, if that is worth it
  files(row)                         the files that all rows of a set share, if there are any
  ready(row, problem, scratch)       what is to be done before the first fit, such as files for our program
  command(row, scratch)              our program, its verb, data and options
  judge(row, problem, arrays)        the quality of a peer's arrays
  judge_run(row, problem, folder, report)   the quality of a run of ours, from its exported files
  target(row, peer), better(row, a, b)      the quality that is asked for, and the order of qualities
  settings(row, peer)                the settings to try, the loosest first
  rate(row, problem, seconds, setting)      passes, tokens or updates; None where they are not known
  warm_up(row, peer)                 compiles what rows of the kind need, if anything is; without the data
  PEERS[peer](row, problem, warm)    a function from a setting to seconds and arrays, warmed up if warm
"""

import contextlib
import importlib
import json
import os
import sys
import warnings

import numpy as np

import rows
import staying
from shared import PYTHON

PART = {
    "lasso": lambda: importlib.import_module("lasso_peers"),
    "linear": lambda: importlib.import_module("linear"),
    "mf": lambda: importlib.import_module("mf"),
    "lda": lambda: importlib.import_module("lda"),
}


def row_named(name):
    return next(row for row in rows.ROWS if row.name == name)


def again(part):
    """The function that reads a row's data where reading is not measured."""
    return getattr(part, "problem_again", part.problem)


def main():
    first, peer, *once = sys.argv[1:]
    say, before = staying.answers(), 0
    warnings.filterwarnings("ignore")

    def solve(setting, file):
        seconds, arrays = fit(setting)
        np.savez(file, **arrays)
        say(seconds=seconds, memory=staying.peak(before))

    try:
        if once:
            # Of a process that fits once, reading is a part of what is measured.
            row = row_named(first)
            part = PART[row.part]()
            fit = part.PEERS[peer](row, part.problem(row), warm=False)
            solve(json.loads(once[0]), once[1])
            return
        part = PART[first]()
        # What cannot be imported is said of a row.
        with contextlib.suppress(Exception):
            importlib.import_module("raddle" if peer == PYTHON else rows.package(peer))
        before = staying.mapped()
        line = staying.fork(say)
        getattr(part, "warm_up", lambda row, peer: None)(row_named(json.loads(line)), peer)
        before = max(before, staying.mapped())
        row = row_named(json.loads(staying.fork(say, line)))
        fit = part.PEERS[peer](row, again(part)(row), warm=True)
        say(ready=True)
    except Exception as error:
        say(error=repr(error)[:200])
        os._exit(1)
    while line := staying.asked():
        try:
            solve(*json.loads(line))
        except Exception as error:
            say(error=repr(error)[:200])
    os._exit(0)


if __name__ == "__main__":
    main()
