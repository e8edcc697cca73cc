"""Processes that stay and answer lines of JSON. The standard library is enough here.

A peer (contender.py) has one that imports its library and waits for rows. That forks a process for the kind of a row,
which warms up and waits for rows as well, and this one a process for each row. All have the same stdin and stdout; only
the last of them reads and answers, the others wait until it has ended. So a row's process has nothing of other rows,
and what hangs is killed without harm to what stays.
"""

import contextlib
import json
import os
import pathlib
import resource
import select
import signal
import subprocess
import sys
import time

# Seconds in which a process has to be gone.
PATIENCE = 10.0


class Missed(Exception):
    """A contender without a result, and why."""


class Process:
    """A process that is asked."""

    def __init__(self, *command, **how):
        given = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "bufsize": 0, **how}
        self.process = subprocess.Popen([*map(str, command)], **given)

    def ask(self, what):
        # Of one that has ended, the answer is that it has.
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(json.dumps(what).encode() + b"\n")

    def answer(self, seconds):
        if not select.select([self.process.stdout], [], [], max(0.5, seconds))[0]:
            raise Missed("out of time")
        if line := self.process.stdout.readline():
            return json.loads(line)
        raise Missed("its process ended")

    def is_there(self):
        return self.process.poll() is None


class Server(Process):
    """A process that forks others for rows: `forked` are those of a kind and, until the row is over, of the row."""

    def __init__(self, *command, **how):
        super().__init__(*command, **how)
        self.kind, self.forked, self.busy = None, [], False

    def begin(self, row):
        """Asks for a row's process, whose answer says that it is ready."""
        if self.forked and self.kind != row.kind:
            self.end()
        self.kind, self.busy = row.kind, True
        self.ask(row.name)

    def told(self, seconds):
        """The next answer, of whatever process."""
        told = super().answer(seconds)
        if "process" in told:
            self.forked.append(told["process"])
        elif "ended" in told:
            if told["ended"] == self.forked[-1]:
                self.forked.pop()
                self.busy = False
            else:
                self.kill()
        return told

    def answer(self, seconds):
        end = time.perf_counter() + seconds
        while "process" in (told := self.told(end - time.perf_counter())):
            pass
        if "error" in told or "ended" in told:
            raise Missed(told.get("error", "its process ended"))
        return told

    def end(self):
        """Ends the last of the forked processes; the one before it says so, and waits for a row."""
        self.busy = True
        signalled(self.forked[-1])
        try:
            while self.busy:
                self.told(PATIENCE)
        except Missed:
            self.kill()

    def free(self):
        """Ends what is busy with a row: its process or, where there is none yet, all."""
        if self.busy and len(self.forked) == 2:
            self.end()
        elif self.busy:
            self.kill()

    def kill(self):
        for number in self.forked:
            signalled(number)
        self.process.kill()
        self.process.wait()
        self.forked, self.busy = [], False


def signalled(number):
    with contextlib.suppress(ProcessLookupError):
        os.kill(number, signal.SIGKILL)


# From here on: the process that stays.


def answers():
    """A function that answers. Whatever else prints on standard output does so on standard error."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    return lambda **what: print(json.dumps(what), file=out, flush=True)


def asked():
    """The next line, empty at the end. No byte more is read: it may be for another process."""
    with open(0, "rb", buffering=0, closefd=False) as lines:
        return lines.readline()


def fork(say, line=b""):
    """The line of a row, each in a process of its own. This one waits for them, and ends with its input."""
    while line := line or asked():
        child = os.fork()
        if not child:
            say(process=os.getpid())
            return line
        os.waitpid(child, 0)
        say(ended=child)
        line = b""
    os._exit(0)


def mapped():
    """Resident bytes of files, such as libraries; a forked process begins without most of them."""
    facts = pathlib.Path("/proc/self/statm")
    return int(facts.read_text().split()[2]) * os.sysconf("SC_PAGE_SIZE") if facts.exists() else 0


def peak(before=0):
    """The most bytes that were resident, in a process that was forked by one with so many of files."""
    # In KiB on Linux, in bytes on macOS.
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return most + max(0, before - mapped())
