"""The engine of mutants.sh: all changes of a sample stand in one build, and a variable chooses one of them.

cargo-mutants lists the changes that are possible. The drawn ones are written into a copy of the tree, as
`if on(n) { changed } else { original }`; those that do not compile are dropped and others drawn. A traced run of every
suite (the tests of a module of a test program, or the unit tests of a crate) tells which changes it reaches and how long
it takes; then each change runs on the suites that reach it, fastest first, until a test fails.
"""

import collections, functools, hashlib, json, os, pathlib, re, signal, subprocess, sys, threading, time, tomllib
import tree_sitter, tree_sitter_rust

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The package of the engine's tests, and those of its suites that need no programs of other packages.
OF_ENGINE = "raddle-tests"
ALONE = ["errors", "extreme_settings", "fork_join", "measuring_tasks", "processes", "resume", "schedule"]
# Runs that are simulated by the engine's unit tests: at first, and for changes that survive.
SIMULATIONS = ["300", "3000"]
# Suites that take longer are left out, in seconds.
SLOW = int(os.environ.get("RADDLE_MUTANTS_SLOW", "150"))
# Longest suites of other packages that changes are shown to which survive their own, in seconds.
OF_OTHERS = 20
# Packages with a part that is compiled only on demand.
WITH_PARQUET = ["raddle-datasets", "raddle-lasso", "raddle-lda", "raddle-linear", "raddle-mf"]

MODULE = """
#[doc(hidden)]
#[allow(warnings)]
pub mod mutants {
    use std::io::Write;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicBool, Ordering};

    static SEEN: [AtomicBool; COUNT] = [const { AtomicBool::new(false) }; COUNT];
    static TRACE: OnceLock<Option<std::ffi::OsString>> = OnceLock::new();
    static CHOSEN: OnceLock<usize> = OnceLock::new();

    pub fn on(number: usize) -> bool {
        if let Some(path) = TRACE.get_or_init(|| std::env::var_os("RADDLE_MUTANT_TRACE")) {
            if !SEEN[number].swap(true, Ordering::Relaxed) {
                let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
                file.unwrap().write_all(format!("{number}\\n").as_bytes()).unwrap();
            }
        }
        let chosen = || std::env::var("RADDLE_MUTANT").map_or(0, |text| text.parse().unwrap());
        *CHOSEN.get_or_init(chosen) == number
    }
}
"""


# ---- which changes there are -------------------------------------------------------------------------------------


class Change:
    """A change that cargo-mutants lists. Its key is the same when lines above it come or go."""

    def __init__(self, listed, occurrence):
        self.listed, self.package = listed, listed["package"]
        self.path = listed["file"]
        place, what = listed["name"].split(": ", 1)
        self.name = f"{place}: {what}" + (f" #{occurrence}" if occurrence > 1 else "")
        self.key = key_of(self.name)
        self.number = None

    def rank(self, seed):
        return hashlib.sha256(f"{seed} {self.key}".encode()).digest()


def key_of(name):
    """A change's name without line and column."""
    return re.sub(r"^([^:]+):\d+:\d+:", r"\1:", name.strip())


def possible(files):
    command = ["cargo", "mutants", "--list", "--json", "--workspace", "--no-config"]
    for file in files:
        command += ["--file", file]
    found, seen = [], collections.Counter()
    for listed in json.loads(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout or "[]"):
        key = key_of(listed["name"])
        seen[key] += 1
        found.append(Change(listed, seen[key]))
    return found


# ---- how a change is written --------------------------------------------------------------------------------------


def offset(source, point):
    """The byte at a line and a column of characters, both from 1."""
    lines = source.split(b"\n")
    line = lines[point["line"] - 1].decode()
    return sum(len(line) + 1 for line in lines[: point["line"] - 1]) + len(line[: point["column"] - 1].encode())


def above(node, *kinds):
    while node is not None and node.type not in kinds:
        node = node.parent
    return node


def place(change, source, tree):
    """The bytes that a change is written over, and its text: write(on, text), where text(a, b) is the rest as it became.

    None where it cannot be written as a condition.
    """
    span, new = change.listed["span"], change.listed["replacement"].encode()
    start, end = offset(source, span["start"]), offset(source, span["end"])
    node = tree.root_node.descendant_for_byte_range(start, end)
    either = lambda on, changed, as_is: b"(if %s { %s } else { %s })" % (on, changed, as_is)
    match change.listed["genre"]:
        case "FnValue":
            return start, start, lambda on, text: b"if %s { return %s; } " % (on, new)
        case "BinaryOperator":
            node = node.parent
            if node.type not in ("binary_expression", "compound_assignment_expr"):
                return None
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            if above(node, "let_chain") and "let_condition" in (left.type, right.type):
                return None

            def write(on, text):
                left_text, right_text = text(left.start_byte, left.end_byte), text(right.start_byte, right.end_byte)
                both = lambda operator: b"(%s) %s (%s)" % (left_text, operator, right_text)
                return either(on, both(new), both(source[start:end]))

            return node.start_byte, node.end_byte, write
        case "UnaryOperator":
            node = above(node, "unary_expression")
            operand = node.named_children[-1]

            def write(on, text):
                operand_text = text(operand.start_byte, operand.end_byte)
                return either(on, operand_text, source[start:end] + operand_text)

            return node.start_byte, node.end_byte, write
        case "MatchArm":
            pattern = above(node, "match_arm").child_by_field_name("pattern")
            guard = pattern.child_by_field_name("condition")
            if guard is None:
                return pattern.end_byte, pattern.end_byte, lambda on, text: b" if !%s" % on
            return guard.start_byte, guard.end_byte, lambda on, text: (
                b"!%s && (%s)" % (on, text(guard.start_byte, guard.end_byte)))
        case "MatchArmGuard":
            with_it = b"%s || (%s)" if new == b"true" else b"!%s && (%s)"
            return start, end, lambda on, text: with_it % (on, text(start, end))
        case "StructField":
            node = above(node, "struct_expression")
            comma = re.compile(rb"\s*,?").match(source, end).end()
            return node.start_byte, node.end_byte, lambda on, text: either(
                on, text(node.start_byte, start) + text(comma, node.end_byte), text(node.start_byte, node.end_byte))


def parse(source):
    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_rust.language())).parse(source)


def rendered(source, changes):
    """The source with its changes, the outer ones around what the inner ones made. `/*<n*/` and `/*n>*/` enclose each."""

    def text(a, b, among):
        parts, at = [], a
        for change in among:
            start, end, write = change.at
            if start < at or end > b:
                continue
            inside = [c for c in among if c is not change and start <= c.at[0] and c.at[1] <= end
                      and not c.at[0] == c.at[1] == start]
            on = b"crate::mutants::on(%d)" % change.number
            new = write(on, lambda a, b: text(a, b, inside))
            parts += [source[at:start], b"/*<%d*/%s/*%d>*/" % (change.number, new, change.number)]
            at = end
        return b"".join(parts) + source[at:b]

    return text(0, len(source), sorted(changes, key=lambda c: (c.at[0], c.at[1] > c.at[0], -c.at[1])))


# ---- the copy, and what compiles in it ----------------------------------------------------------------------------


def copy_of_tree():
    """Every file of the repository as it is now, by its path."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    paths = [path for path in listed.decode().split("\0") if path and (ROOT / path).is_file()]
    return {path: (ROOT / path).read_bytes() for path in paths}


def lay(tree, files):
    """Writes the files that are not there as they should be: cargo builds no others."""
    for path, text in files.items():
        there = tree / path
        if not there.is_file() or there.read_bytes() != text:
            there.parent.mkdir(parents=True, exist_ok=True)
            there.write_bytes(text)


def with_changes(files, changes):
    """The files of the copy: lints allowed, the module in every library and program, the changes in their places."""
    copy = dict(files)
    copy["Cargo.toml"] = files["Cargo.toml"].replace(b'"deny"', b'"allow"')
    module = MODULE.replace("COUNT", str(1 + max((c.number for c in changes), default=0))).encode()
    for path in {c.path for c in changes}:
        copy[path] = rendered(files[path], [c for c in changes if c.path == path])
    for path in roots():
        copy[path] = copy[path] + module
    return copy


@functools.cache
def roots():
    """The first file of each library and each program."""
    listed = json.loads(subprocess.run(["cargo", "metadata", "--no-deps", "--format-version=1"], cwd=ROOT, check=True,
                                       stdout=subprocess.PIPE).stdout)
    return sorted(os.path.relpath(target["src_path"], ROOT) for package in listed["packages"] for target in package["targets"]
                  if target["kind"] in (["lib"], ["bin"]))


def cargo(tree, *arguments):
    """The JSON messages of a command of cargo, and its status."""
    command = ["cargo", *arguments, "--message-format=json"]
    ran = subprocess.run(command, cwd=tree, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    lines = [line for line in ran.stdout.decode().splitlines() if line.startswith("{")]
    return [json.loads(line) for line in lines], ran.returncode, ran.stderr.decode()


def spans_of(message):
    yield from message["spans"]
    for child in message["children"]:
        yield from spans_of(child)


def blamed(message, copy):
    """The numbers of changes around the places of an error, the innermost; or the ones before it in the file."""
    around, before = set(), set()
    for span in spans_of(message):
        text = copy.get(span["file_name"], b"")[: span["byte_start"] + 1]
        marks = re.findall(rb"/\*<(\d+)\*/|/\*(\d+)>\*/", text)
        opened = []
        for begins, ends in marks:
            opened = opened + [int(begins)] if begins else opened[:-1]
        around.update(opened[-1:])
        before.update([int(marks[-1][0] or marks[-1][1])] if marks else [])
    return around or before


def selected(changes):
    packages = sorted({c.package for c in changes})
    features = [f"{p}/parquet" for p in packages if p in WITH_PARQUET]
    return [part for p in packages for part in ("-p", p)] + (["--features", ",".join(features)] if features else [])


def drawn(changes, number, seed, files, tree):
    """The first changes of an order that the seed decides that compile, and how many did not."""
    order, taken, unviable, clashing = sorted(changes, key=lambda c: c.rank(seed)), [], [], 0
    trees = {path: parse(files[path]) for path in {c.path for c in changes}}
    while True:
        while len(taken) < number and order:
            change = order.pop(0)
            change.at = place(change, files[change.path], trees[change.path])
            spans = [c.at[:2] for c in taken if c.path == change.path]
            if change.at is None:
                unviable.append(change)
            elif change.at[:2] in spans and change.at[0] < change.at[1]:
                clashing += 1
            else:
                change.number = 1 + max((c.number for c in taken + unviable if c.number), default=0)
                taken.append(change)
        copy = with_changes(files, taken)
        lay(tree, copy)
        messages, status, log = cargo(tree, "check", "--keep-going", *selected(taken))
        errors = [m["message"] for m in messages if m.get("message", {}).get("level") == "error"]
        bad = set().union(*[blamed(error, copy) for error in errors]) if errors else set()
        if status == 0 or not taken:
            return taken, unviable, clashing
        if not bad:
            sys.exit(log + "\n".join(error["rendered"] or error["message"] for error in errors))
        print(f"  {len(bad)} of {len(taken)} do not compile", flush=True)
        unviable += [c for c in taken if c.number in bad]
        taken = [c for c in taken if c.number not in bad]


# ---- suites of tests -----------------------------------------------------------------------------------------------


class Suite:
    """Tests that are run together: those of a module of an integration test, or all of a program otherwise."""

    def __init__(self, path, package, folder, target, module, tests):
        self.path, self.package, self.folder, self.tests = path, package, folder, tests
        self.is_engine_lib = package == "raddle" and target["kind"] == ["lib"]
        kind = target["kind"][0]
        self.name = f"{package} --{kind}" + (f" {target['name']}" if kind != "lib" else "") + (module and f" {module}")
        self.seconds, self.reaches = 0.0, set()


def suites(message):
    """The suites of a test program that is built."""
    folder, path, target = os.path.dirname(message["manifest_path"]), message["executable"], message["target"]
    package = re.search(r"name = \"([^\"]+)\"", (pathlib.Path(folder) / "Cargo.toml").read_text()).group(1)
    package = "raddle" if package == OF_ENGINE else package
    listed = subprocess.run([path, "--list", "--format=terse"], cwd=folder, check=True, stdout=subprocess.PIPE).stdout
    tests = [line.removesuffix(": test") for line in listed.decode().splitlines() if line.endswith(": test")]
    modules = collections.defaultdict(list)
    for test in tests:
        modules[test.split("::")[0] if target["kind"] == ["test"] and "::" in test else ""].append(test)
    return [Suite(path, package, folder, target, module, own) for module, own in modules.items()
            if package != "raddle" or target["kind"] != ["test"] or module in ALONE]


def built(tree, packages, selection):
    """The suites of all test programs of these packages, but those of the engine that need other programs."""
    listed = json.loads(subprocess.run(["cargo", "metadata", "--no-deps", "--format-version=1"], cwd=tree, check=True,
                                       stdout=subprocess.PIPE).stdout)
    of_engine = {OF_ENGINE} if "raddle" in packages else set()
    tests = [part for package in listed["packages"] if package["name"] in packages | of_engine for target in package["targets"]
             if target["kind"] == ["test"] and target["name"] != "floors" for part in ("--test", target["name"])]
    selection += [part for package in of_engine for part in ("-p", package)]
    has_lib = any(target["kind"] == ["lib"] for package in listed["packages"] if package["name"] in packages for target in package["targets"])
    messages, status, log = cargo(tree, "test", "--no-run", *["--lib"] * has_lib, "--bins", *tests, *selection)
    if status != 0:
        sys.exit(log + "\n".join(m["message"]["rendered"] for m in messages if m.get("message", {}).get("rendered")))
    found = [suite for m in messages if m.get("executable") and m["profile"]["test"] for suite in suites(m)]
    return [suite for suite in found if suite.package in packages]


def environment(tree):
    config = tomllib.loads((tree / ".cargo/config.toml").read_text())
    given = {name: value["value"] for name, value in config["env"].items()}
    return {"RUST_BACKTRACE": "0", **given, **os.environ}


def run(suite, tree, limit, **variables):
    """Runs a suite until its end, its first failure or a limit: the tests that failed, or "time"."""
    command = [suite.path, "--exact", *suite.tests]
    env = {**environment(tree), "CARGO_MANIFEST_DIR": suite.folder, **variables}
    ran = subprocess.Popen(command, cwd=suite.folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                           stdin=subprocess.DEVNULL, start_new_session=True)
    done, late = threading.Event(), threading.Event()
    threading.Thread(target=watch, args=(ran, limit, done, late), daemon=True).start()
    failed, finished = [], False
    for line in ran.stdout:
        if found := re.match(rb"test (\S+).* \.\.\. FAILED", line):
            failed.append(found.group(1).decode())
            if "RADDLE_MUTANT" in variables:
                break
        finished = finished or line.startswith(b"test result: ok")
    done.set()
    end(ran)
    return failed or ([] if finished else ["time" if late.is_set() else "its end"])


def watch(ran, limit, done, late):
    """Ends what runs longer than the limit, second by second: time in which this program itself is stopped is none."""
    for _ in range(int(limit)):
        if done.wait(1):
            return
    late.set()
    end(ran)


def end(ran):
    try:
        os.killpg(ran.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    ran.wait()


def trace(suites, tree, scratch):
    """Which changes each suite reaches, how long it takes, and which of its tests fail without any change."""
    kept = []
    for suite in suites:
        traced = scratch / "trace"
        traced.unlink(missing_ok=True)
        began = time.monotonic()
        failed = run(suite, tree, SLOW, RADDLE_MUTANT_TRACE=str(traced), RADDLE_SIMULATIONS=SIMULATIONS[0])
        suite.seconds = time.monotonic() - began
        suite.reaches = {int(n) for n in traced.read_text().split()} if traced.is_file() else set()
        if failed in (["time"], ["its end"]):
            print(f"  {suite.name} is left out: {failed[0]} after {suite.seconds:.0f} s", flush=True)
            continue
        for test in failed:
            print(f"  {suite.name} {test} fails without any change, and is skipped", flush=True)
        suite.tests = [test for test in suite.tests if test not in failed]
        print(f"  {suite.seconds:6.1f} s {suite.name}, reaches {len(suite.reaches)}", flush=True)
        if suite.tests:
            kept.append(suite)
    return sorted(kept, key=lambda suite: suite.seconds)


# ---- the verdicts ------------------------------------------------------------------------------------------------


def judged(change, suites, tree):
    """Caught, and by which test; or missed; or reached by nothing."""
    reaching = [b for b in suites if change.number in b.reaches]
    if not reaching:
        return "unreached", ""
    own = [b for b in reaching if b.package == change.package]
    turns = [(b, SIMULATIONS[0], 1) for b in own]
    turns += [(b, SIMULATIONS[0], 1) for b in reaching if b not in own and b.seconds < OF_OTHERS]
    turns += [(b, SIMULATIONS[1], 10) for b in own if b.is_engine_lib and not change.path.startswith("src/schedule")]
    for suite, simulations, times in turns:
        limit = max(60, 6 * suite.seconds * times)
        failed = run(suite, tree, limit, RADDLE_MUTANT=str(change.number), RADDLE_SIMULATIONS=simulations)
        if failed:
            return "caught", f"{suite.name} {failed[0]}"
    return "missed", ""


def main(scratch, number, seed, files):
    scratch = pathlib.Path(scratch)
    tree = scratch / "tree"
    # No programs of the tree itself may take the place of the changed ones.
    os.environ["CARGO_TARGET_DIR"] = str(scratch / "target")
    changes = possible(files)
    if not changes:
        print(f"no change is possible in {' '.join(files)}: name files or globs from the root", file=sys.stderr)
        return 2
    taken, unviable, clashing = drawn(changes, number, seed, copy_of_tree(), tree)
    print(f"seed {seed}: {len(taken)} of {len(changes)} changes; unviable: {len(unviable)} others; "
          f"in an expression that another one changes: {clashing}", flush=True)
    if again := os.environ.get("RADDLE_MUTANTS_AGAIN"):
        keys = {key_of(re.sub(r"^(missed|unreached|caught)\s+", "", line)) for line in open(again)}
        judge = [change for change in taken if change.key in keys]
    else:
        judge = taken
    found = built(tree, {c.package for c in judge}, selected(taken))
    found = trace(found, tree, scratch)
    counts = collections.Counter()
    # In the order of the draw: what is judged by any moment is a sample itself.
    for change in sorted(judge, key=lambda c: c.rank(seed)):
        verdict, by = judged(change, found, tree)
        counts[verdict] += 1
        print(f"{verdict:9} {change.name}" + (f"\n            by {by}" if by else ""), flush=True)
    for change in sorted(unviable, key=lambda c: c.name):
        print(f"unviable  {change.name}")
    print(f"\n{len(judge)} changes: {counts['caught']} caught, {counts['missed']} missed, "
          f"{counts['unreached']} reached by nothing; {len(unviable)} others do not compile")
    return 1 if counts["missed"] + counts["unreached"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4:]))
