"""Arrays that are read once, and seconds: what the parts of the suite share."""

import os
import time

import numpy as np

import rows

# The name of our package beside those of the peers.
PYTHON = "raddle-python"


def kept(row, end, make):
    """A file that make(file) makes of the row's data, by the first process that asks for it."""
    facts = row.path.stat()
    file = rows.SCRATCH / f"{row.data}-{facts.st_size}-{facts.st_mtime_ns}{end}"
    if not file.exists():
        made = file.with_name(f"{os.getpid()}-{file.name}")
        make(made)
        made.rename(file)
    return file


def arrays_of(row, read):
    """The arrays that read(path) finds in the row's data, by name, parsed once."""
    file = kept(row, ".npz", lambda file: np.savez(file, **read(row.path)))
    with np.load(file) as arrays:
        return dict(arrays)


def timed(call, *given, **options):
    """Seconds that a call took, and its result."""
    started = time.perf_counter()
    result = call(*given, **options)
    return time.perf_counter() - started, result
