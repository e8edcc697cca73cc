"""Results as a file, and the tables of the documentation as a pure function of it. The standard library is enough."""

import json
import re
import statistics

import rows

SCHEMA = 1
PAGES = ("README.md", "benches/README.md")
OURS, TWO, PAIR, PYTHON = "raddle", "raddle, 2 workers", "raddle, two side by side", "raddle from Python"
MARK = re.compile(r"<!-- table: (\S+) -->\n(.*?)<!-- end -->", re.S)
# What each part's seconds are multiplied with, its quality, and its rate.
PARTS = {
    "lasso": (1e3, "ms", "gap", "passes"),
    "linear": (1.0, "s", "gap", "passes"),
    "mf": (1.0, "s", "test error (NDCG)", "M updates / s"),
    "lda": (1.0, "s", "perplexity", "M tokens / s"),
}
# The rows of README.md: name, model and data, quality.
FAST = (
    ("lasso leukemia squared 100", "Lasso, leukemia, lambda_max / 100", "duality gap 1e-6"),
    ("lasso imdb2 squared 10", "Lasso, imdb2 (25,000 x 197,239), lambda_max / 10", "duality gap 1e-6"),
    ("lasso farmads logistic 10", "logistic Lasso, farmads, lambda_max / 10", "duality gap 1e-6"),
    ("linear w8a squared-hinge C 1 to 1e-06", "support vector machine, w8a, C 1", "duality gap 1e-6"),
    ("mf ml-1m rank 64", "factorization, MovieLens 1M, rank 64", "test RMSE 0.8450"),
    ("mf synthetic rank 32", "factorization, synthetic, 10 M ratings, rank 32", "test RMSE 0.7863"),
    ("mf gowalla implicit rank 64", "implicit factorization, Gowalla, rank 64", "NDCG at 10 of 0.075"),
    ("lda 20ng K 1000", "topic model, 20ng, 1000 topics", "perplexity 3200"),
    ("lda imdb K 1000", "topic model, imdb, 1000 topics", "perplexity 3950"),
)


class Broken(Exception):
    """A file that is not what it should be."""


def empty():
    return {"schema": SCHEMA, "runs": [], "rows": {}}


def load(file):
    try:
        found = json.loads(file.read_text())
    except (OSError, ValueError) as error:
        raise Broken(f"{file}: {error}") from None
    if not isinstance(found, dict) or found.get("schema") != SCHEMA:
        have = found.get("schema") if isinstance(found, dict) else None
        raise Broken(f"{file}: schema {have}, not {SCHEMA}: measure anew with --out")
    try:
        for row in found["rows"].values():
            found["runs"][row["run"]]["machine"], found["runs"][row["run"]]["versions"]
            for contender in row.get("contenders", {}).values():
                if "none" not in contender:
                    [contender[key] for key in ("seconds", "waits", "quality", "memory", "setting", "rate")]
                    statistics.median(contender["seconds"])
    except (KeyError, IndexError, TypeError, AttributeError, statistics.StatisticsError) as error:
        raise Broken(f"{file}: a row lacks {error}: measure anew with --out") from None
    return found


def merged(results, run, name, found):
    """Results with one row of a run in place of the row of that name; runs without a row are left out."""
    runs = [*results["runs"]]
    if not runs or runs[-1]["started"] != run["started"]:
        runs.append(run)
    runs[-1] = {**run}
    measured = {**results["rows"], name: {"run": len(runs) - 1, **found}}
    used = sorted({row["run"] for row in measured.values()})
    place = {old: new for new, old in enumerate(used)}
    measured = {key: {**row, "run": place[row["run"]]} for key, row in measured.items()}
    return {"schema": SCHEMA, "runs": [runs[at] for at in used], "rows": measured}


def number(value):
    """Three digits, without an exponent for what is large."""
    return f"{float(f'{value:.3g}'):.0f}" if value >= 100 else f"{value:.3g}"


def median(contender, key="seconds"):
    return statistics.median(contender[key]) if contender.get(key) else None


def spread(contender, scale):
    """Median, least and most."""
    values = [scale * value for value in contender["seconds"]]
    middle = number(statistics.median(values))
    return middle if len(values) == 1 else f"{middle} [{number(min(values))}, {number(max(values))}]"


def ranked(found):
    """The others that have the quality, the fastest first."""
    mine = {OURS, TWO, PAIR, PYTHON}
    there = [(median(c), name) for name, c in found.items() if name not in mine and "none" not in c]
    return [name for _, name in sorted(there)]


def compared(found):
    """The seconds of the fastest other over ours."""
    best = ranked(found)
    return median(found[best[0]]) / median(found[OURS]) if best and "none" not in found.get(OURS, {"none": 0}) else None


def line(row, found):
    """A row in a line, for who waits for it."""
    if "none" in found:
        return found["none"]
    ours, others = found["contenders"][OURS], ranked(found["contenders"])
    if "none" in ours:
        return f"ours: {ours['none']}"
    scale, unit, *_ = PARTS[row.part]
    beside = [f"{name} {number(scale * median(found['contenders'][name]))}" for name in others]
    return f"{spread(ours, scale)} {unit}; {', '.join(beside) or 'none of the others'}; {found['took']:.0f} s"


def cells(row, measured, marks):
    """The cells of a row's line."""
    title = row.title + marks.get(measured.get("run"), "")
    if "none" in measured:
        return [title, f"not measured: {measured['none']}", *[""] * 9]
    found, (scale, _, _, _) = measured["contenders"], PARTS[row.part]
    ours = found[OURS]
    if "none" in ours:
        return [title, f"none: {ours['none']}", *[""] * 9]
    others, ratio = ranked(found), compared(found)
    best = found[others[0]] if others else None
    rest = [f"{name} {number(scale * median(found[name]))}" for name in others[1:]]
    rest += [f"{name} {'absent' if c.get('absent') else 'none'}" for name, c in found.items()
             if "none" in c and name not in (TWO, PAIR, PYTHON)]
    beside = lambda key, factor: ", ".join(
        number(factor * value) if value is not None else "-"
        for value in ([median(c, key) for c in (ours, best) if c] if key == "waits" else [c[key] for c in (ours, best) if c])
    )
    two, pair, python = (found.get(name, {"none": ""}) for name in (TWO, PAIR, PYTHON))
    against = lambda c, over: number(over(median(c), median(ours))) if "none" not in c else "-"
    worst = (min if row.about.get("implicit") else max)(ours["quality"])
    return [
        title,
        spread(ours, scale),
        f"{others[0]} {spread(best, scale)}" if best else "none",
        f"{number(ratio)}" if ratio else "",
        ", ".join(rest),
        beside("waits", scale),
        f"{worst:.1g}" if row.part in ("lasso", "linear") else f"{worst:.4g}",
        beside("memory", 1e-6),
        f"{against(two, lambda a, b: b / a)}, {against(pair, lambda a, b: a / b)}",
        beside("rate", 1.0) if row.part in ("mf", "lda") else number(ours["rate"]),
        "absent" if python.get("absent") else "none" if "none" in python else number(scale * median(python)),
    ]


def table(head, body):
    lines = [f"| {' | '.join(cells)} |".replace("  |", " |") for cells in (head, *body)]
    lines.insert(1, "|---" * len(head) + "|")
    return "\n".join(lines) + "\n"


def part(results, name, marks):
    """The table of a part, and the command that measures it."""
    _, unit, quality, rate = PARTS[name]
    head = ["data, problem", f"ours, {unit}", f"best other, {unit}", "times ours", f"others, {unit}",
            f"a person waits, {unit}: ours, best other", f"judged {quality}", "MB: ours, best other",
            "2 workers, two at once", rate if name in ("lasso", "linear") else f"{rate}: ours, best other",
            f"from Python, {unit}"]
    body = [cells(row, results["rows"][row.name], marks) for row in rows.ROWS
            if row.part == name and row.name in results["rows"]]
    return table(head, body) + f"\n`RADDLE_DATA=... python3 benches/suite/suite.py --only {name}`\n"


def solver(name):
    return f"LIBLINEAR {name}" if name.startswith("-s") else name


def fast(results):
    """The table of README.md."""
    body = []
    for name, model, quality in FAST:
        found = results["rows"].get(name, {"none": "not in these results"})
        ratio = None if "none" in found else compared(found["contenders"])
        if ratio is None:
            body.append([model, quality, "not measured" if "none" in found else "", "none", ""])
            continue
        times = []
        for who in (OURS, ranked(found["contenders"])[0]):
            seconds = median(found["contenders"][who])
            text = f"{seconds * 1e3:.2g} ms" if seconds < 0.0995 else f"{seconds:.2g} s"
            times.append(text if who == OURS else f"{solver(who)} {text}")
        body.append([model, quality, *times, f"{ratio:.2g}"])
    head = ["model, data", "quality", "raddle", "best other solver", "ratio"]
    return table(head, body) + "\nMeasured by `RADDLE_DATA=... python3 benches/suite/suite.py`\n"


def kinds_of(results):
    """Runs by what they were measured with: machine, versions and commit; in the order of the first of each."""
    kinds = []
    for run in results["runs"]:
        kind = [run["machine"], run["versions"], run["commit"]]
        same = next((runs for known, runs in kinds if known == kind), None)
        if same is None:
            kinds.append((kind, same := []))
        same.append(run)
    return [runs for _, runs in kinds]


def marks_of(results):
    """A mark for the rows of each run that was not measured with what the first was."""
    of = {run["started"]: at for at, runs in enumerate(kinds_of(results)) for run in runs}
    numbers = [of[run["started"]] for run in results["runs"]]
    return {at: f" ({number + 1})" if number else "" for at, number in enumerate(numbers)}


def where(results):
    """Machine, versions, commit and load of the runs."""
    text = []
    for at, runs in enumerate(kinds_of(results)):
        run, loads = runs[-1], [load for run in runs for load in run["load"]]
        machine, versions = run["machine"], run["versions"]
        days = sorted({run["started"][:10] for run in runs})
        packages = ", ".join(f"{name} {versions[name]}" for name in sorted(versions) if name in SHOWN)
        # What has been said of the same versions is not said again.
        known = any((e[0]["versions"], e[0]["absent"]) == (versions, run["absent"]) for e in kinds_of(results)[:at])
        text.append(
            f"- ({at + 1}) {' to '.join(days[:: max(1, len(days) - 1)])}, commit {run['commit']}: {machine['processor']}, "
            f"{machine['cores']} cores, {machine['memory_gib']} GiB, {machine['system']}; load {min(loads):.1f} to "
            f"{max(loads):.1f} before and after; Python {versions['python']}, Rust {versions['rustc']}, "
            f"{'packages as above' if known else packages}\n"
        )
        text += [f"  - absent: {name}: {reason}\n" for name, reason in sorted(run["absent"].items()) if not known]
    return "".join(text) or "No results.\n"


SHOWN = {"numpy", "scipy", "scikit-learn", "celer", "skglm", "adelie", "python-glmnet", "snapml", "liblinear-official",
         "tomotopy", "gensim", "libmf", "cornac", "cmfrec", "scikit-surprise", "implicit", "raddle"}


def regions(results):
    """The text of each marked region."""
    marks = marks_of(results)
    return {"where": where(results), "fast": fast(results)} | {name: part(results, name, marks) for name in PARTS}


def rewritten(page, text, known):
    """A page with its marked regions as they should be."""
    for name, _ in MARK.findall(text):
        if name not in known:
            raise Broken(f"{page}: there is no table `{name}`, only {', '.join(known)}")
    return MARK.sub(lambda found: f"<!-- table: {found[1]} -->\n{known[found[1]]}<!-- end -->", text)


def write(root, results):
    known = regions(results)
    for page in PAGES:
        (root / page).write_text(rewritten(page, (root / page).read_text(), known))


def check(root, results):
    """None, or the first line of a page that is not as --tables writes it."""
    known, seen = regions(results), set()
    for page in PAGES:
        text = (root / page).read_text()
        seen |= {name for name, _ in MARK.findall(text)}
        expected = rewritten(page, text, known)
        for at, (have, want) in enumerate(zip(text.split("\n"), expected.split("\n")), 1):
            if have != want:
                return f"{page}:{at}: {have!r} should be {want!r} (suite.py --tables benches/results.json)"
        if text != expected:
            return f"{page}: it has other lines than suite.py --tables benches/results.json writes"
    missing = set(known) - seen
    return f"no page has the table `{min(missing)}`" if missing else None
