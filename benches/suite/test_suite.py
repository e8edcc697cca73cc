"""Tests of the suite's pure parts: python3 -m unittest discover -s benches/suite"""

import contextlib
import copy
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest
from unittest import mock

import environment
import rows
import staying
import suite
import tables

RUN = {
    "started": "2026-01-02T03:04:05+00:00",
    "minutes": 60.0,
    "commit": "0123456789",
    "machine": {"processor": "some processor", "cores": 2, "memory_gib": 24, "system": "Linux"},
    "versions": {"python": "3.11.7", "rustc": "1.89.0", "skglm": "0.5"},
    "load": [0.1, 1.2],
    "absent": {"glmnet": "no wheel"},
}
NAME = "lasso leukemia squared 100"


def contender(*seconds, quality=1e-7):
    return {"seconds": list(seconds), "waits": [1.0], "quality": [quality], "memory": 4e6, "setting": 1, "rate": 2.0}


def results():
    found = {
        tables.OURS: contender(0.004, 0.003, 0.005),
        tables.TWO: contender(0.002),
        tables.PAIR: contender(0.0048),
        tables.PYTHON: {"none": "no wheel", "absent": True},
        "skglm": contender(0.06),
        "celer": contender(0.05),
        "glmnet": {"none": "no wheel", "absent": True},
        "sklearn": {"none": "best 0.001 in 9 s"},
    }
    row = {"seconds": 30.0, "took": 20.0, "load": [1, 1], "contenders": found}
    return tables.merged(tables.empty(), RUN, NAME, row)


class Tables(unittest.TestCase):
    def line(self, found, part="lasso", title="leukemia squared 100"):
        lines = tables.regions(found)[part].splitlines()
        return next(line for line in lines if line.startswith(f"| {title}"))

    def test_a_row_has_medians_the_fastest_other_and_who_has_none(self):
        self.assertEqual(
            self.line(results()),
            "| leukemia squared 100 | 4 [3, 5] | celer 50 | 12.5 | skglm 60, glmnet absent, sklearn none | 1000, 1000 "
            "| 1e-07 | 4, 4 | 2, 1.2 | 2 | absent |",
        )

    def test_a_row_that_was_not_measured_says_why(self):
        found = tables.merged(results(), RUN, NAME, {"none": "colon is not there"})
        self.assertIn("| not measured: colon is not there |", self.line(found))
        self.assertIn("not measured", tables.fast(found))

    def test_a_row_of_another_machine_or_version_is_marked_and_explained(self):
        for key, value in (("machine", RUN["machine"] | {"cores": 64}), ("versions", RUN["versions"] | {"skglm": "0.6"})):
            other = copy.deepcopy(RUN) | {"started": "2026-01-03T00:00:00+00:00", key: value}
            found = tables.merged(results(), other, "lasso colon squared 10", {"none": "no time"})
            self.assertIn("| colon squared 10 (2) |", self.line(found, title="colon squared 10"))
            self.assertNotIn("(2)", self.line(found))
            self.assertIn("- (2) 2026-01-03", tables.where(found))

    def test_a_run_without_rows_is_left_out(self):
        other = copy.deepcopy(RUN) | {"started": "2026-01-03T00:00:00+00:00"}
        found = tables.merged(results(), other, NAME, {"none": "no time"})
        self.assertEqual([run["started"] for run in found["runs"]], [other["started"]])
        self.assertEqual(found["rows"][NAME]["run"], 0)

    def test_every_table_is_followed_by_its_command(self):
        for name, text in tables.regions(results()).items():
            if name != "where":
                self.assertRegex(text, r"\n(Measured by )?`RADDLE_DATA=\S+ python3 benches/suite/suite.py[^`]*`\n$")

    def test_rows_of_the_front_page_are_rows_of_the_suite(self):
        names = {row.name for row in rows.ROWS}
        self.assertEqual([name for name, *_ in tables.FAST if name not in names], [])


class Check(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "benches").mkdir()
        page = "".join(f"<!-- table: {name} -->\nold\n<!-- end -->\nother\n" for name in tables.regions(results()))
        (self.root / "README.md").write_text("# Front\n")
        (self.root / "benches/README.md").write_text(page)
        tables.write(self.root, results())

    def test_written_tables_are_those_of_the_results(self):
        self.assertIsNone(tables.check(self.root, results()))
        self.assertEqual((self.root / "benches/README.md").read_text().count("\nother\n"), 6)

    def test_every_changed_digit_is_found_with_its_line(self):
        page = self.root / "benches/README.md"
        text = page.read_text()
        at = text.index("| leukemia squared 100")
        digits = [place for place in range(at, text.index("\n", at)) if text[place].isdigit()]
        self.assertGreater(len(digits), 20)
        for place in digits:
            other = "7" if text[place] != "7" else "8"
            page.write_text(text[:place] + other + text[place + 1 :])
            line = text.count("\n", 0, place) + 1
            self.assertIn(f"benches/README.md:{line}:", tables.check(self.root, results()))

    def test_a_table_that_no_page_has_is_named(self):
        page = self.root / "benches/README.md"
        page.write_text(page.read_text().replace("<!-- table: mf -->", ""))
        self.assertIn("`mf`", tables.check(self.root, results()))

    def test_a_table_that_no_results_have_is_named(self):
        (self.root / "README.md").write_text("<!-- table: nothing -->\n<!-- end -->\n")
        with self.assertRaisesRegex(tables.Broken, "README.md: there is no table `nothing`"):
            tables.check(self.root, results())


class Files(unittest.TestCase):
    def load(self, text):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "results.json"
            file.write_text(text)
            return tables.load(file)

    def test_results_are_read_as_they_were_written(self):
        self.assertEqual(self.load(json.dumps(results())), results())

    def test_a_broken_file_or_another_schema_is_named(self):
        lacking = results()
        del lacking["rows"][NAME]["contenders"]["skglm"]["waits"]
        empty = results()
        empty["rows"][NAME]["contenders"]["skglm"]["seconds"] = []
        elsewhere = results()
        elsewhere["rows"][NAME]["run"] = 7
        for text in ("{", "[]", "null", '{"schema": 2}', '{"schema": 1}', *map(json.dumps, (lacking, empty, elsewhere))):
            with self.assertRaisesRegex(tables.Broken, "results.json: .+"):
                self.load(text)

    def test_every_package_of_a_group_is_locked_with_digests(self):
        groups, lines = environment.groups(environment.LOCK.read_text())
        self.assertEqual(next(iter(groups)), "base")
        for packages in groups.values():
            for package in packages:
                self.assertRegex(lines[package], rf"(?i)^{package}==\S+ \\\n(    --hash=sha256:[0-9a-f]{{64}}( \\\n)?)+$")

    def test_every_peer_but_one_with_a_jar_has_a_group(self):
        groups, _ = environment.groups(environment.LOCK.read_text())
        self.assertEqual(set(rows.PEERS) - set(groups) - {"mallet", "sklearn"}, set())


class Budget(unittest.TestCase):
    def test_time_is_shared_in_proportion(self):
        given = suite.shares(rows.ROWS, 600.0)
        self.assertAlmostEqual(sum(given.values()), 600.0)
        first, last = rows.ROWS[0], rows.ROWS[-1]
        self.assertAlmostEqual(given[first.name] / given[last.name], first.seconds / last.seconds)

    def test_the_last_rows_have_time_where_each_takes_a_little_more_than_it_was_given(self):
        end = 50 * 60.0
        beforehand, waiting, now = suite.shares(rows.ROWS, end), suite.queue(rows.ROWS), 0.0
        for at, row in enumerate(waiting):
            seconds = suite.planned(waiting[at:], beforehand, end - now)
            self.assertGreater(seconds, 2 * suite.LEAST * row.seconds, row.name)
            now += seconds + (suite.BESIDE if row.seconds < 100 else 2 * suite.BESIDE)
        self.assertLess(now, end + suite.BESIDE)

    def test_no_row_has_more_than_twice_what_it_takes(self):
        given = suite.shares(rows.ROWS[:2], 1e6)
        self.assertEqual([given[row.name] for row in rows.ROWS[:2]], [2.0 * row.seconds for row in rows.ROWS[:2]])

    def test_a_row_with_too_little_says_so_and_is_not_measured(self):
        row = next(row for row in rows.ROWS if row.data == rows.MADE)
        self.assertRegex(suite.measure(row, 1.0, "all", {}, None)["none"], "1 s are too little: about .* s are needed")

    def test_an_hour_of_which_a_third_goes_into_building_measures_every_row(self):
        given = suite.shares(rows.ROWS, 40 * 60)
        self.assertEqual([row.name for row in rows.ROWS if given[row.name] < 2 * suite.LEAST * row.seconds], [])

    def test_names_are_told_apart(self):
        self.assertEqual(len({row.name for row in rows.ROWS}), len(rows.ROWS))


    def test_rows_of_a_part_and_of_a_kind_are_measured_in_a_row(self):
        queue = suite.queue(rows.ROWS)
        self.assertEqual(sorted(row.name for row in queue), sorted(row.name for row in rows.ROWS))
        for facts in ([row.part for row in queue], [(row.part, row.kind) for row in queue]):
            begun = [fact for at, fact in enumerate(facts) if not at or facts[at - 1] != fact]
            self.assertEqual(len(begun), len(set(facts)))
        self.assertEqual(queue[0].seconds, max(row.seconds for row in rows.ROWS))


# What contender.py does, with orders in place of fits; the library is a number that only the first process draws.
STAND_IN = """
import json, os, sys, time
import staying
say, library = staying.answers(), os.urandom(4).hex()
print("a library prints")
before = staying.mapped()
line = staying.fork(say)
if "never warm" in json.loads(line):
    time.sleep(600)
warm = os.urandom(4).hex()
staying.fork(say, line)
say(ready=True, library=library, warm=warm)
while line := staying.asked():
    order, file = json.loads(line)
    if order == "hang":
        time.sleep(600)
    if order == "die":
        os.abort()
    some = b"x" * int(order)
    say(memory=staying.peak(before))
os._exit(0)
"""


class Staying(unittest.TestCase):
    def setUp(self):
        self.server = self.begun()

    def begun(self):
        here = str(pathlib.Path(staying.__file__).parent)
        server = staying.Server(sys.executable, "-c", STAND_IN, stderr=subprocess.DEVNULL,
                                env=os.environ | {"PYTHONPATH": here})
        self.addCleanup(server.process.stdout.close)
        self.addCleanup(server.process.stdin.close)
        self.addCleanup(server.kill)
        return server

    def row(self, name="a", kind="squared"):
        self.server.begin(types.SimpleNamespace(name=name, kind=kind))
        return self.server.answer(30)

    def asked(self, order, seconds=30):
        self.server.ask([order, "file"])
        return self.server.answer(seconds)

    def test_rows_share_a_library_and_those_of_a_kind_what_is_warm(self):
        seen = []
        for kind in ("squared", "squared", "logistic"):
            seen.append(self.row(kind=kind))
            self.server.free()
        self.assertEqual(len({told["library"] for told in seen}), 1)
        self.assertEqual(seen[0]["warm"], seen[1]["warm"])
        self.assertNotEqual(seen[0]["warm"], seen[2]["warm"])

    def test_a_row_that_hangs_is_killed_and_the_next_one_is_answered(self):
        first = self.row()
        with self.assertRaisesRegex(staying.Missed, "out of time"):
            self.asked("hang", 0)
        hung = self.server.forked[-1]
        self.server.free()
        self.assertRaises(ProcessLookupError, os.kill, hung, 0)
        self.assertEqual(self.row("b"), first)
        self.assertIn("memory", self.asked("1"))

    def test_a_row_that_dies_is_said_and_the_next_one_is_answered(self):
        first = self.row()
        with self.assertRaisesRegex(staying.Missed, "its process ended"):
            self.asked("die")
        self.server.free()
        self.assertEqual(self.row("b"), first)

    def test_memory_is_that_of_the_row_alone(self):
        self.row()
        large = self.asked(str(200 << 20))["memory"]
        self.server.free()
        self.row("b")
        small = self.asked("1")["memory"]
        self.assertGreater(large, 200 << 20)
        self.assertLess(small, 100 << 20)

    def test_what_hangs_while_it_warms_up_ends_with_all_that_it_began(self):
        self.server.begin(types.SimpleNamespace(name="never warm", kind="squared"))
        with self.assertRaisesRegex(staying.Missed, "out of time"):
            self.server.answer(1)
        (hung,) = self.server.forked
        self.server.free()
        self.assertFalse(self.server.is_there())
        self.server.begin(types.SimpleNamespace(name="b", kind="squared"))
        with self.assertRaisesRegex(staying.Missed, "its process ended"):
            self.server.answer(1)

    def test_all_end_with_their_input(self):
        self.row()
        self.server.process.stdin.close()
        self.assertEqual(self.server.process.wait(30), 0)


class Arguments(unittest.TestCase):
    def refused(self, *words, data=None):
        said = io.StringIO()
        with tempfile.TemporaryDirectory() as folder:
            there = {"RADDLE_DATA": folder if data is None else data} if data != "" else {}
            with mock.patch.dict(os.environ, there), contextlib.redirect_stderr(said):
                if data == "":
                    os.environ.pop("RADDLE_DATA", None)
                with self.assertRaises(SystemExit) as ended:
                    suite.main(list(words))
        self.assertEqual(ended.exception.code, 2)
        return said.getvalue()

    def test_the_nearest_name_is_named(self):
        self.assertIn("`skglm`", self.refused("--peers", "skglmm"))
        self.assertIn("`leukemia`", self.refused("--data", "colon,leukaemia"))
        self.assertIn("`mf ml-1m rank 64`", self.refused("--only", "mf ml-1m rank 65"))

    def test_data_without_a_row_are_refused(self):
        self.assertIn("`mf`", self.refused("--only", "mf", "--data", "colon"))

    def test_a_folder_of_data_is_asked_for(self):
        self.assertIn("set RADDLE_DATA", self.refused("--only", "lasso", data=""))
        self.assertIn("is no folder", self.refused("--only", "lasso", data=__file__))

    def test_a_time_that_is_none_is_refused(self):
        for minutes in ("0", "-1", "nan", "inf", "soon"):
            self.assertIn("--minutes", self.refused("--minutes", minutes))

    def test_a_jar_that_is_not_there_is_refused(self):
        self.assertIn("nowhere.jar", self.refused("--mallet", "nowhere.jar"))

    def test_broken_results_end_with_2_and_name_the_file(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "results.json"
            file.write_text('{"schema": 99}')
            said = io.StringIO()
            with contextlib.redirect_stderr(said):
                self.assertEqual(suite.main(["--tables", str(file)]), 2)
            self.assertIn(f"{file}: schema 99", said.getvalue())

    def test_data_that_are_missing_are_a_row_that_says_so(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, RADDLE_DATA=folder):
            row = next(row for row in rows.ROWS if row.data == "colon")
            found = suite.measure(row, 60.0, "all", {}, None)
            self.assertEqual(found["none"], "lasso/colon.svm.gz is not in RADDLE_DATA")


if __name__ == "__main__":
    unittest.main()
