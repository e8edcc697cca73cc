"""Shows the steps of a run of the gate, and compares what they took with a table.

    steps.py TIMELINE [TABLE]

TIMELINE has a line a step: when it began, seconds, name, processor seconds. TABLE has the name and the processor seconds of
each step of an earlier run. Machines differ in speed: the median of the ratios is this machine's, and a step that takes a third
more than its row times that fails. A step below 30 s in
both is too short to be judged.
"""

import statistics
import sys

SHORTEST = 30.0
TOO_MUCH = 4 / 3
# Left out, and said to be, where a toolchain cannot be installed.
OPTIONAL = {"oldest"}


def rows(path):
    """Rows of a table of tabs, without lines that begin with #."""
    with open(path, encoding="utf-8") as lines:
        return [line.rstrip("\n").split("\t") for line in lines if line.strip() and not line.startswith("#")]


def judged(took, table):
    """The speed of this machine beside the table's, and a sentence for each step that takes too much."""
    both = [name for name in took if name in table and table[name] >= SHORTEST and took[name] > 0]
    speed = statistics.median(took[name] / table[name] for name in both) if both else 1.0
    too_much = [
        f"FAILED: {name} took {took[name]:.0f} processor seconds; {table[name] * speed:.0f} are expected "
        f"({table[name]:.0f} in .ci/steps.tsv, and this machine takes {speed:.2f} times as long): mend it, or raise its row and say why"
        for name in took
        if name in table and max(took[name], table[name]) >= SHORTEST and took[name] > table[name] * speed * TOO_MUCH
    ]
    unknown = [f"FAILED: the step {name} has no row in .ci/steps.tsv" for name in took if name not in table]
    gone = [
        f"FAILED: .ci/steps.tsv has a row of {name}, which is no step"
        for name in table
        if name not in took and name not in OPTIONAL
    ]
    return speed, too_much + unknown + gone


def main(timeline, table=None):
    """Prints the timeline, and what is wrong with it; the exit status."""
    steps = sorted(rows(timeline), key=lambda row: int(row[0]))
    print("began, s  took, s  processor, s  step")
    for began, seconds, name, processor in steps:
        print(f"{began:>8}  {seconds:>7}  {processor:>12}  {name}")
    if table is None:
        print("not compared with .ci/steps.tsv: that is of a run that builds everything, with public sets, or is not there yet")
        return 0
    took = {name: float(processor) for _, _, name, processor in steps}
    speed, wrong = judged(took, {name: float(seconds) for name, seconds in rows(table)})
    print(f"processor seconds beside .ci/steps.tsv: {speed:.2f} times at the median")
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
