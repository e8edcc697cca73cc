"""What the suite measures with: an environment of the peers as requirements.lock has them, LIBMF with AVX, our programs.
The standard library is enough here.

requirements.lock begins with lines `# group: NAME: PACKAGE ..`, the first of which all need; then it is pip's. A group
that cannot be installed leaves out its peer.
"""

import hashlib
import json
import os
import pathlib
import platform
import re
import shutil
import signal
import subprocess
import sys
import tarfile

from rows import MADE, ROOT, SCRATCH, TARGET

HERE = pathlib.Path(__file__).resolve().parent
LOCK = HERE / "requirements.lock"
FOLDER = SCRATCH / "environment"
PYTHON = FOLDER / "bin/python"
LIBMF = FOLDER / "libmf-avx.so"
# Seconds for a package that has to be compiled.
PATIENCE = 400
# Of our programs, those that rows are about.
PROGRAMS = ("lasso", "linear", "mf", "lda")


def groups(text):
    """The packages of each group, and the lines of each package."""
    named = {name: packages.split() for name, packages in re.findall(r"^# group: (\S+): (.*)$", text, re.M)}
    return named, {match[1].lower(): match[0] for match in re.finditer(r"^([A-Za-z0-9_.-]+)==(?:.*\\\n)*.*$", text, re.M)}


def pip(*words):
    """None, or the last line of what went wrong."""
    command = [str(PYTHON), "-m", "pip", "--disable-pip-version-check", "--quiet", *map(str, words)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        _, said = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return f"not built in {PATIENCE} s"
    errors = [line for line in said.splitlines() if line.startswith(("ERROR", "error"))] or [f"status {process.returncode}"]
    return None if process.returncode == 0 else errors[-1][:160]


def install(lock, say):
    """Makes the environment anew; reasons of the peers that are left out."""
    named, lines = groups(lock)
    shutil.rmtree(FOLDER, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", str(FOLDER)], check=True)
    absent, wanted = {}, FOLDER / "wanted.txt"
    for at, (name, packages) in enumerate(named.items()):
        say(f"installing {name}")
        wanted.write_text("\n".join(lines[package] for package in packages) + "\n")
        error = pip("install", "--no-deps", "--require-hashes", "--requirement", wanted)
        if error and at == 0:
            sys.exit(f"suite: error: {name} cannot be installed from {LOCK.name}: {error}")
        if error:
            absent[name] = error
    if "libmf" not in absent and (error := build_libmf(lines["libmf"])):
        absent["libmf"] = error
    return absent


def build_libmf(line):
    """Builds LIBMF with AVX from its package's source; None, or what went wrong."""
    source = FOLDER / "libmf"
    source.mkdir()
    (source / "wanted.txt").write_text(line + "\n")
    given = ["--no-deps", "--no-binary", ":all:", "--require-hashes"]
    if error := pip("download", *given, "--dest", source, "--requirement", source / "wanted.txt"):
        return error
    with tarfile.open(next(source.glob("*.tar.gz"))) as file:
        file.extractall(source, filter="data")
    files = [*source.rglob("*.cpp")]
    flags = ["-O3", "-march=native", "-DUSEAVX", "-std=c++11", "-pthread", "-shared", "-fPIC"]
    done = subprocess.run([os.environ.get("CXX", "c++"), *flags, *map(str, files), "-o", str(LIBMF)],
                          capture_output=True, text=True, check=False)
    return done.stderr.strip()[-160:] if done.returncode else None


def prepare(say):
    """Builds what is not there yet; the absent peers with reasons."""
    SCRATCH.mkdir(parents=True, exist_ok=True)
    programs = [word for program in PROGRAMS for word in ("--bin", program)]
    say(" ".join(("cargo build --release", *programs)))
    # Packages are mostly waited for: they come while ours are compiled.
    with subprocess.Popen(["cargo", "build", "--release", "--locked", "--quiet", *programs], cwd=ROOT) as build:
        try:
            absent = packages(say)
        except BaseException:
            build.terminate()
            raise
    if build.returncode != 0:
        sys.exit("suite: error: our programs cannot be built: see above")
    os.environ["LIBMF_OBJ"] = str(LIBMF)
    return absent


def packages(say):
    """Makes the environment where it is not that of requirements.lock; the absent peers with reasons."""
    lock = LOCK.read_text()
    key, record = hashlib.sha256((lock + sys.version).encode()).hexdigest(), FOLDER / "installed.json"
    known = json.loads(record.read_text()) if record.exists() else {}
    if known.get("key") != key:
        known = {"key": key, "absent": install(lock, say), "wheel": None}
    wheels = sorted((TARGET / "python/wheels").glob("raddle-*.whl"))
    digest = hashlib.sha256(wheels[-1].read_bytes()).hexdigest() if wheels else None
    if digest != known["wheel"]:
        error = pip("install", "--no-deps", "--force-reinstall", wheels[-1]) if wheels else "no wheel"
        known["wheel"] = None if error else digest
    record.write_text(json.dumps(known))
    absent = dict(known["absent"])
    if not known["wheel"]:
        absent["raddle-python"] = "no wheel: algorithms/python/check.sh --release builds it"
    if not os.environ.get("MALLET_JAR"):
        absent["mallet"] = "no jar: --mallet JAR"
    return absent


def make_data(say):
    """Makes the set of ratings that no folder has."""
    say(f"making {MADE}")
    subprocess.run([str(PYTHON), str(HERE / "mf.py"), str(SCRATCH / "synthetic.tsv.gz")], check=True)


def output(*command):
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else "unknown"


def machine():
    """Processor, cores, memory and system."""
    facts = pathlib.Path("/proc/cpuinfo")
    model = re.search(r"^model name\s*: (.*)$", facts.read_text(), re.M) if facts.exists() else None
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    processor = model[1] if model else platform.machine()
    return {"processor": processor, "cores": os.cpu_count(), "memory_gib": round(memory), "system": platform.system()}


def versions():
    """Versions of Python, Rust and of all packages of the environment."""
    packages = json.loads(output(str(PYTHON), "-m", "pip", "--disable-pip-version-check", "list", "--format", "json"))
    found = {package["name"].lower(): package["version"] for package in packages}
    rust = output("rustc", "--version").split()
    return {"python": platform.python_version(), "rustc": rust[1] if len(rust) > 1 else "unknown", **found}


def commit():
    """The last commit that changed what is measured, with a plus where the tree has further changes of it."""
    measured = ["--", "src", "algorithms", "datasets", "benches/suite", "Cargo.toml", "Cargo.lock"]
    changed = output("git", "status", "--porcelain", *measured)
    return output("git", "log", "-1", "--format=%h", "--abbrev=10", *measured) + ("+" if changed else "")
