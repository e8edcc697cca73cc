//! The `lasso` program: what it accepts, writes, says and refuses.

#![allow(clippy::unwrap_used, reason = "a helper of tests fails where a test would")]

mod common;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use common::{Oracle, predictions, same_gap};
use raddle_datasets::{Matrix, embedded};
use raddle_lasso::Preparation;
use serde_json::Value;
use tempfile::TempDir;

// ---- running it ----

/// What a run said, and its exit status.
struct Ran {
    code: i32,
    out: String,
    err: String,
}

fn ran(output: Output) -> Ran {
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ran { code: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
}

fn program(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lasso"));
    command.args(line.split_whitespace()).current_dir(folder);
    command
}

/// Runs `lasso LINE` in a folder.
fn lasso(folder: &Path, line: &str) -> Ran {
    ran(program(folder, line).output().unwrap())
}

/// Runs it, and expects an exit status.
fn ends(folder: &Path, line: &str, code: i32) -> Ran {
    let ran = lasso(folder, line);
    assert_eq!(ran.code, code, "lasso {line}\n{}\n{}", ran.out, ran.err);
    ran
}

fn json(folder: &Path, file: &str) -> Value {
    serde_json::from_slice(&fs::read(folder.join(file)).unwrap()).unwrap()
}

/// The report that `--json` prints.
fn report(folder: &Path, line: &str) -> Value {
    let ran = ends(folder, &format!("{line} --json --quiet"), 0);
    serde_json::from_str(&ran.out).unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

/// (column from 0, coefficient) of a model, and its intercept.
fn model(folder: &Path) -> (Vec<(u32, f64)>, f64) {
    let text = fs::read_to_string(folder.join("coef.tsv")).unwrap();
    let parse = |line: &str| {
        let (column, value) = line.split_once(' ').unwrap();
        (column.parse::<u32>().unwrap() - 1, value.parse().unwrap())
    };
    (text.lines().map(parse).collect(), json(folder, "model.json")["intercept"].as_f64().unwrap())
}

fn epochs(folder: &Path) -> Vec<u64> {
    let trace = fs::read_to_string(folder.join("trace.jsonl")).unwrap();
    trace
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["epoch"].as_u64().unwrap())
        .collect()
}

fn scratch() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// The embedded data as a file, response last.
fn diabetes_csv(folder: &Path, name: &str) {
    let table = embedded::diabetes();
    let x = table.x.to_dense();
    let mut text = format!("{},progression\n", table.feature_names.unwrap().join(","));
    for (row, y) in x.rows().into_iter().zip(&table.y) {
        row.iter().for_each(|value| text += &format!("{value},"));
        text += &format!("{y}\n");
    }
    fs::write(folder.join(name), text).unwrap();
}

// ---- what it writes ----

#[test]
fn no_arguments_fit_the_embedded_default_and_show_a_certificate() {
    let folder = scratch();
    let ran = ends(folder.path(), "", 0);
    assert!(ran.out.contains("Lasso on diabetes") && ran.out.contains("bmi"), "{}", ran.out);
    assert!(
        ran.out.contains("done: relative-duality-gap") && ran.out.contains("target 1.00e-6"),
        "{}",
        ran.out
    );
    assert_eq!(ran.out, ran.out.trim_end().to_owned() + "\n");
    assert!(ran.err.contains("epoch 0"), "{}", ran.err);
    assert!(names(folder.path()).is_empty(), "without --out no file is left");
}

#[test]
fn quiet_says_nothing_but_the_result() {
    let folder = scratch();
    let ran = ends(folder.path(), "fit --quiet", 0);
    assert!(ran.err.is_empty() && !ran.out.is_empty(), "{}", ran.err);
}

#[test]
fn json_is_one_line_with_the_documented_keys() {
    let folder = scratch();
    let ran = ends(folder.path(), "--json --workers 2 --seed 7", 0);
    assert_eq!(ran.out.matches('\n').count(), 1);
    assert!(ran.out.ends_with('\n'));
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    let mut expected = [
        "program",
        "version",
        "parameters",
        "data",
        "workers",
        "processes",
        "shards",
        "seed",
        "seconds",
        "epochs",
        "rounds",
        "blocks",
        "candidates",
        "rejected",
        "updates",
        "bytes_on_wire",
        "block_bytes_on_wire",
        "certificate",
        "ending",
        "objective",
        "rollbacks",
        "model_digest",
        "peak_memory_bytes",
        "cpu_seconds",
        "wall_seconds",
        "cpu_over_wall",
        "idle_workers",
        "shards_moved",
        "generations",
        "profile",
        "results",
    ];
    expected.sort_unstable();
    assert_eq!(keys(&report), expected);
    assert_eq!(keys(&report["certificate"]), ["kind", "on", "reached", "target", "value"]);
    assert_eq!(keys(&report["seconds"]), ["certify", "fit", "prepare", "read", "write"]);
    assert_eq!(keys(&report["data"]), ["digest", "nonzeros", "path", "sizes"]);
    assert_eq!(keys(&report["results"]), ["lambda", "lambda_max", "nonzeros"]);
    assert_eq!(report["data"]["sizes"], serde_json::json!({"rows": 442, "columns": 10}));
    assert_eq!(
        (&report["program"], &report["workers"], &report["seed"]),
        (&"lasso".into(), &2.into(), &7.into())
    );
    assert_eq!((&report["ending"], &report["certificate"]["reached"]), (&"reached".into(), &true.into()));
    assert_eq!(report["model_digest"].as_str().unwrap().len(), 64);
    assert_eq!(report["parameters"]["ratio"], 10.0);
}

#[test]
fn a_run_is_its_folder() {
    let folder = scratch();
    let said = ends(folder.path(), "diabetes --ratio 100 --out run --json", 0).out;
    let run = folder.path().join("run");
    let files = ["coef.tsv", "model.json", "report.json", "summary.json", "trace.jsonl"];
    assert_eq!(names(&run).into_iter().filter(|name| name != ".lock").collect::<Vec<_>>(), files);
    // The report is the one that was said; the trace has its epochs; model and summary agree with it.
    let report = json(&run, "report.json");
    assert_eq!(serde_json::from_str::<Value>(&said).unwrap(), report);
    let count = report["epochs"].as_u64().unwrap();
    assert_eq!(epochs(&run), (0..=count).collect::<Vec<u64>>());
    let trace = fs::read_to_string(run.join("trace.jsonl")).unwrap();
    let last: Value = serde_json::from_str(trace.lines().last().unwrap()).unwrap();
    assert_eq!(last["certificate"], report["certificate"]["value"]);
    assert_eq!(last["objective"], report["objective"]);
    let about = json(&run, "model.json");
    assert_eq!((&about["program"], &about["columns"]), (&"lasso".into(), &10.into()));
    assert_eq!((&about["ending"], &about["certified"]), (&"reached".into(), &true.into()));
    assert_eq!(about["feature_names"].as_array().unwrap().len(), 10);
    let (coefficients, _) = model(&run);
    let tables = json(&run, "summary.json");
    let listed =
        tables["tables"].as_array().unwrap().iter().find(|table| table["title"] == "coefficients").unwrap();
    assert_eq!(listed["rows"].as_array().unwrap().len(), coefficients.len());
}

#[test]
fn written_coefficients_carry_the_certificate() {
    let folder = scratch();
    for (options, preparation) in [
        ("--ratio 50", Preparation::default()),
        ("--ratio 50 --no-intercept", Preparation::Usual { intercept: false, standardize: true }),
        ("--ratio 50 --no-standardize", Preparation::Usual { intercept: true, standardize: false }),
        (
            "--ratio 50 --no-intercept --no-standardize",
            Preparation::Usual { intercept: false, standardize: false },
        ),
        ("--ratio 50 --mode dense-std", Preparation::DenseStd),
        ("--ratio 50 --mode sparse-raw", Preparation::SparseRaw),
        ("--lambda 0.7 --tol 1e-9", Preparation::default()),
    ] {
        let report = report(folder.path(), &format!("{options} --out run"));
        let run = folder.path().join("run");
        let table = embedded::diabetes();
        let oracle = Oracle::new(&table.x, &table.y, preparation);
        let (coefficients, _) = model(&run);
        let lambda = json(&run, "model.json")["lambda"].as_f64().unwrap();
        let gap = oracle.gap(&oracle.scaled(&coefficients), lambda);
        let printed = report["certificate"]["value"].as_f64().unwrap();
        assert!(
            same_gap(printed, gap) && gap <= report["certificate"]["target"].as_f64().unwrap(),
            "{options}"
        );
        let expected = if options.contains("lambda") { 0.7 } else { oracle.lambda_max() / 50.0 };
        assert!((lambda / expected - 1.0).abs() < 1e-9, "{options}: {lambda} {expected}");
    }
}

#[test]
fn written_coefficients_are_read_back_to_the_same_bits() {
    let folder = scratch();
    ends(folder.path(), "synth:groups:n=60,p=300,s=20 --ratio 100 --out run", 0);
    let text = fs::read_to_string(folder.path().join("run/coef.tsv")).unwrap();
    let (coefficients, _) = model(&folder.path().join("run"));
    assert!(coefficients.len() > 20 && coefficients.is_sorted_by_key(|(column, _)| *column));
    for (line, (column, value)) in text.lines().zip(&coefficients) {
        assert_eq!(line, format!("{} {value:.16e}", column + 1));
        let digits = line.split(' ').nth(1).unwrap().split('e').next().unwrap();
        assert_eq!(digits.chars().filter(char::is_ascii_digit).count(), 17, "{line}");
    }
    // The same bits as a library fit's.
    let table = raddle_datasets::generate::table("synth:groups:n=60,p=300,s=20").unwrap();
    let problem = raddle_lasso::Problem::new(table.x, table.y, Preparation::default()).unwrap();
    let fit = raddle_lasso::Lasso::params().ratio(100.0).fit(&problem).unwrap();
    assert_eq!(fit.coefficients, coefficients);
}

#[test]
fn a_finished_run_is_replaced() {
    let folder = scratch();
    ends(folder.path(), "--ratio 100 --out run", 0);
    let before = model(&folder.path().join("run"));
    ends(folder.path(), "--ratio 2 --out run", 0);
    let after = model(&folder.path().join("run"));
    assert!(after.0.len() < before.0.len());
    ends(folder.path(), "--ratio 100 --out run", 0);
    assert_eq!(model(&folder.path().join("run")), before);
}

// ---- options ----

#[test]
fn what_only_places_the_work_never_changes_the_model() {
    let folder = scratch();
    for schedule in ["working-set", "priority", "shuffled", "cyclic"] {
        let fit = |options: &str| {
            let line =
                format!("synth:groups:n=50,p=200,s=10,r=0.5 --tol 1e-3 --schedule {schedule} {options}");
            report(folder.path(), &line)["model_digest"].as_str().unwrap().to_owned()
        };
        let plain = fit("--workers 1");
        for options in
            ["", "--workers 3", "--workers 2 --rescale 1:3,2:1", "--shards 7 --workers 2", "--epochs 5000"]
        {
            assert_eq!(fit(options), plain, "{schedule} {options}");
        }
    }
}

#[test]
fn schedules_have_their_options() {
    let folder = scratch();
    let fit = |options: &str| {
        let line = format!("synth:groups:n=50,p=200,s=10,r=0.5 --tol 1e-3 {options}");
        report(folder.path(), &line)["model_digest"].as_str().unwrap().to_owned()
    };
    assert_eq!(fit("--schedule auto"), fit("--schedule working-set"));
    assert_ne!(fit("--schedule shuffled --parallelism 2"), fit("--schedule shuffled --parallelism 3"));
    assert_ne!(fit("--schedule shuffled --seed 1"), fit("--schedule shuffled --seed 2"));
    assert_ne!(
        fit("--schedule priority --rho off --parallelism 16"),
        fit("--schedule priority --parallelism 16")
    );
    let few = fit("--schedule priority --parallelism 16 --candidates 16");
    assert_eq!(few, fit("--schedule priority --parallelism 16"));
    assert_ne!(few, fit("--schedule priority --parallelism 16 --candidates 48"));
    let stale = "--schedule shuffled --parallelism 8 --staleness 2";
    assert_ne!(fit(stale), fit("--schedule shuffled --parallelism 8"));
    assert_eq!(fit(stale), fit(&format!("{stale} --workers 3")));
}

#[test]
fn explaining_shows_what_a_schedule_rejects() {
    let folder = scratch();
    let line = "synth:groups:n=50,p=200,s=10 --schedule priority --tol 1e-2";
    let plain = ends(folder.path(), line, 0);
    let explained = ends(folder.path(), &format!("{line} --explain"), 0);
    assert!(explained.err.lines().count() > plain.err.lines().count());
    assert!(explained.err.contains("reject"), "{}", explained.err);
    // Seconds aside, the result is the same.
    assert_eq!(plain.out.split("done:").next(), explained.out.split("done:").next());
}

#[test]
fn responses_and_formats_are_chosen_by_name_number_or_file() {
    let folder = scratch();
    diabetes_csv(folder.path(), "d.csv");
    let reference = report(folder.path(), "diabetes")["model_digest"].clone();
    for options in
        ["d.csv --y progression", "d.csv --y 11", "d.csv --y -1", "d.csv --y progression --format csv"]
    {
        assert_eq!(report(folder.path(), options)["model_digest"], reference, "{options}");
    }
    let table = embedded::diabetes();
    let y: String = table.y.iter().map(|value| format!("{value}\n")).collect();
    fs::write(folder.path().join("y.csv"), y).unwrap();
    let x = table.x.to_dense();
    let rows =
        x.rows().into_iter().map(|row| row.iter().map(f64::to_string).collect::<Vec<_>>().join(",") + "\n");
    fs::write(folder.path().join("x.csv"), rows.collect::<String>()).unwrap();
    assert_eq!(report(folder.path(), "x.csv --y y.csv")["model_digest"], reference);
    // libsvm brings its own response.
    let svm = |(row, y): (ndarray::ArrayView1<'_, f64>, &f64)| {
        let entries = row.iter().zip(1..).map(|(value, j)| format!(" {j}:{value}")).collect::<String>();
        format!("{y}{entries}\n")
    };
    fs::write(folder.path().join("d.svm"), x.rows().into_iter().zip(&table.y).map(svm).collect::<String>())
        .unwrap();
    assert_eq!(report(folder.path(), "d.svm")["model_digest"], reference);
}

#[test]
fn warm_starts_go_on_from_a_model() {
    let folder = scratch();
    let data = "synth:groups:n=60,p=300,s=20";
    ends(folder.path(), &format!("{data} --ratio 20 --out near"), 0);
    let same = report(folder.path(), &format!("{data} --ratio 20 --tol 1.1e-6 --init near --out again"));
    assert_eq!(same["epochs"], 0);
    assert_eq!(
        json(&folder.path().join("again"), "model.json")["lambda_max"].as_f64().map(|value| value > 0.0),
        Some(true)
    );
    let warm = report(folder.path(), &format!("{data} --ratio 22 --init near"));
    let cold = report(folder.path(), &format!("{data} --ratio 22"));
    let number = |report: &Value, key: &str| report[key].as_f64().unwrap();
    assert!(number(&warm, "epochs") <= number(&cold, "epochs"));
    assert!((number(&warm, "objective") / number(&cold, "objective") - 1.0).abs() < 2e-6);
    assert_eq!(warm["results"]["lambda_max"], cold["results"]["lambda_max"]);
    // A model of other data.
    let refused = ends(folder.path(), "diabetes --init near", 2);
    assert!(refused.err.contains("the coefficients to start from name column"), "{}", refused.err);
}

#[test]
fn a_run_that_was_stopped_goes_on_to_the_same_model() {
    let folder = scratch();
    for (schedule, stop) in [("working-set", 1), ("priority", 2), ("shuffled", 3), ("cyclic", 3)] {
        let line = format!("synth:groups:n=50,p=200,s=10,r=0.5 --ratio 50 --tol 1e-4 --schedule {schedule}");
        ends(folder.path(), &format!("{line} --out whole"), 0);
        let stopped =
            ends(folder.path(), &format!("{line} --epochs {stop} --checkpoint-every 1 --out run"), 3);
        assert!(stopped.out.contains("limit of epochs"), "{}", stopped.out);
        let other = ends(folder.path(), &format!("{line} --seed 9 --resume run"), 2);
        assert!(other.err.contains("checkpoint"), "{}", other.err);
        ends(folder.path(), &format!("{line} --workers 3 --resume run"), 0);
        let (whole, run) = (folder.path().join("whole"), folder.path().join("run"));
        for file in ["coef.tsv", "model.json"] {
            assert!(
                fs::read(whole.join(file)).unwrap() == fs::read(run.join(file)).unwrap(),
                "{schedule}: {file}"
            );
        }
        assert_eq!(epochs(&run), epochs(&whole), "{schedule}");
        assert_eq!(json(&run, "report.json")["model_digest"], json(&whole, "report.json")["model_digest"]);
    }
}

// ---- exit statuses ----

#[test]
fn a_limit_ends_with_three_and_a_model_that_says_so() {
    let folder = scratch();
    for (options, ending, said) in [
        ("--epochs 2", "epochs", "stopped at the limit of epochs"),
        ("--time-limit 0", "time", "stopped at the time limit"),
        ("--guard off --parallelism 200", "diverged", "stopped: it diverged"),
    ] {
        let line = format!("synth:groups:n=50,p=400,s=10 --schedule cyclic --tol 1e-9 --out run {options}");
        let ran = ends(folder.path(), &line, 3);
        assert!(ran.out.contains(said) && ran.out.contains("not reached"), "{}", ran.out);
        let run = folder.path().join("run");
        let (about, report) = (json(&run, "model.json"), json(&run, "report.json"));
        assert_eq!((&about["ending"], &report["ending"]), (&ending.into(), &ending.into()));
        assert_eq!((&about["certified"], &report["certificate"]["reached"]), (&false.into(), &false.into()));
        assert!(run.join("coef.tsv").exists());
    }
}

#[test]
fn lambda_max_and_above_is_done_at_once() {
    let folder = scratch();
    for options in ["--ratio 1", "--lambda 1e6"] {
        let report = report(folder.path(), &format!("{options} --out run"));
        assert_eq!((&report["epochs"], &report["results"]["nonzeros"]), (&0.into(), &0.into()));
        assert!(report["certificate"]["value"].as_f64().unwrap() < 1e-15);
        assert_eq!(fs::read(folder.path().join("run/coef.tsv")).unwrap(), b"");
    }
}

/// A run that does not end by itself within the time of a test; ended with it.
struct Alive(Option<Child>);

impl Drop for Alive {
    fn drop(&mut self) {
        if let Some(mut child) = self.0.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_with_130_and_a_model_and_until_then_the_folder_is_taken() {
    let folder = scratch();
    // Far from its tolerance for much longer than this test; the time limit only bounds a failure.
    let line = "synth:groups:n=100,p=1000,s=10,r=0.99 --schedule cyclic --parallelism 1 --workers 1 \
                --ratio 1e7 --tol 1e-15 --time-limit 100 --out run";
    let mut command = program(folder.path(), line);
    let mut child = Alive(Some(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()));
    let process = child.0.as_mut().unwrap();
    let mut progress = BufReader::new(process.stderr.take().unwrap()).lines();
    // It trains once an epoch is on the screen, and thereby in the trace.
    assert!(progress.any(|line| line.unwrap().starts_with("epoch 1")));
    assert!(epochs(&folder.path().join("run")).len() >= 2);

    let refused = ends(folder.path(), "--out run", 2);
    assert!(refused.err.contains("run: its run is alive"), "{}", refused.err);
    assert!(refused.out.is_empty());

    let sent = Command::new("kill").args(["-INT", &process.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let said: Vec<String> = progress.map(|line| line.unwrap()).collect();
    assert!(said.iter().any(|line| line.contains("interrupted: the run ends after this epoch")), "{said:?}");
    let ran = ran(child.0.take().unwrap().wait_with_output().unwrap());
    assert_eq!(ran.code, 130, "{}", ran.out);
    assert!(ran.out.contains("interrupted: relative-duality-gap"), "{}", ran.out);
    let run = folder.path().join("run");
    let report = json(&run, "report.json");
    assert_eq!(
        (&report["ending"], &json(&run, "model.json")["ending"]),
        (&"interrupted".into(), &"interrupted".into())
    );
    assert_eq!(epochs(&run).last().copied(), report["epochs"].as_u64());
    // The model is that of the last epoch: its gap is the one reported.
    let table = raddle_datasets::generate::table("synth:groups:n=100,p=1000,s=10,r=0.99").unwrap();
    let oracle = Oracle::new(&table.x, &table.y, Preparation::default());
    let gap =
        oracle.gap(&oracle.scaled(&model(&run).0), json(&run, "model.json")["lambda"].as_f64().unwrap());
    assert!(same_gap(report["certificate"]["value"].as_f64().unwrap(), gap), "{gap:e}");
    // And the folder is free again.
    ends(folder.path(), "--out run", 0);
}

#[test]
fn bad_usage_is_two_and_names_what_is_wrong() {
    let folder = scratch();
    fs::create_dir(folder.path().join("empty")).unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    for (line, why) in [
        ("--schedule fast", "choose auto, working-set, priority, shuffled or cyclic"),
        ("--ratio ten", "--ratio"),
        ("--ratio 0.5", "--ratio is 0.5"),
        ("--lambda 0", "--lambda is 0"),
        ("--lambda -1", "--lambda is -1"),
        ("--lambda nan", "--lambda is NaN"),
        ("--lambda 1 --ratio 2", "--ratio"),
        ("--tol 0", "--tol is 0"),
        ("--tol 1", "--tol is 1"),
        ("--workers 0", "--workers"),
        ("--workers two", "--workers"),
        ("--shards 0", "--shards"),
        ("--seed -1", "--seed"),
        ("--staleness -1", "--staleness"),
        ("--parallelism 0", "--parallelism"),
        ("--candidates 3 --parallelism 4 --schedule priority", "--candidates is 3"),
        ("--rho 2", "--rho is 2"),
        ("--rho much", "--rho"),
        ("--guard perhaps", "--guard"),
        ("--epochs many", "--epochs"),
        ("--time-limit nan", "--time-limit"),
        ("--rescale 3-4", "--rescale"),
        ("--mode sparse", "--mode"),
        ("--mode dense-std --no-intercept", "--no-intercept"),
        ("--format parquet", "--format"),
        ("--no-such-option", "--no-such-option"),
        ("--checkpoint-every 2", "--checkpoint-every needs a folder"),
        ("--resume nowhere", "nowhere"),
        ("--resume empty", "no checkpoint in it"),
        ("--init nowhere", "nowhere/model.json"),
        ("--out file", "this is a file"),
        ("predict", "MODEL"),
        ("predict nowhere diabetes", "nowhere/model.json"),
        ("path --points 0", "--points"),
        ("path --schedule cyclic", "--schedule"),
        ("nowhere.svm", "nowhere.svm"),
        ("nowhere", "known sets are diabetes"),
        ("synth:groups:n=5", "synth:groups:n=5"),
    ] {
        let ran = ends(folder.path(), &format!("{line} --json"), 2);
        let ran =
            if ran.err.contains("unexpected argument '--json'") { ends(folder.path(), line, 2) } else { ran };
        assert!(ran.err.contains(why), "lasso {line}: {}", ran.err);
        assert!(ran.out.is_empty(), "lasso {line}: {}", ran.out);
    }
    assert_eq!(names(folder.path()), ["empty", "file"], "nothing is left of a refused run");
}

#[test]
fn bad_input_is_two_and_named_with_file_and_line() {
    let folder = scratch();
    for (name, text, options, why) in [
        ("a.svm", "1 1:2\nx 1:2\n", "", "a.svm:2: "),
        ("b.svm", "1 1:2\n1 1:nan\n", "", "b.svm:2: "),
        ("c.svm", "1 1:2\n1 2:3 1:2\n", "", "c.svm:2: "),
        ("d.csv", "a,y\n1,2\n3,nan\n", "", "d.csv:3: "),
        ("e.csv", "a,y\n1,2\n3\n", "", "e.csv:3: "),
        ("f.csv", "a,b\n1,2\n3,4\n", "--y c", "f.csv"),
        ("g.csv", "a,b\n1,2\n3,4\n", "", "g.csv"),
        ("h.svm", "", "--format libsvm", "h.svm"),
        ("i.svm", "1 1:2\n", "--y 1", "--y"),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
        let ran = ends(folder.path(), &format!("{name} {options} --json --out run"), 2);
        assert!(ran.err.starts_with("lasso: error: ") && ran.err.contains(why), "{name}: {}", ran.err);
        assert!(ran.out.is_empty());
        assert!(!folder.path().join("run").exists(), "{name}: nothing is left of a refused run");
    }
}

#[test]
fn help_shows_every_option() {
    let folder = scratch();
    let general = ends(folder.path(), "--help", 0).out;
    assert!(["fit", "path", "predict", "Examples"].iter().all(|word| general.contains(word)), "{general}");
    let fit = ends(folder.path(), "fit --help", 0).out;
    for option in
        "y lambda ratio tol candidates no-intercept no-standardize mode format workers shards rescale seed schedule \
         staleness parallelism rho guard explain epochs time-limit init out checkpoint-every resume quiet json"
            .split_whitespace()
    {
        assert!(fit.contains(&format!("--{option}")), "--{option} is not in the help");
    }
    assert!(ends(folder.path(), "--version", 0).out.starts_with("lasso "));
}

#[test]
fn the_examples_of_the_help_work_as_they_stand() {
    let folder = scratch();
    let help = ends(folder.path(), "--help", 0).out;
    let examples: Vec<&str> = help.lines().filter_map(|line| line.strip_prefix("  lasso")).collect();
    assert!(examples.len() >= 3);
    for example in examples {
        ends(folder.path(), example, 0);
    }
}

// ---- using a model ----

#[test]
fn predictions_are_x_b_plus_intercept() {
    let folder = scratch();
    diabetes_csv(folder.path(), "d.csv");
    ends(folder.path(), "d.csv --y progression --ratio 100 --out run", 0);
    let table = embedded::diabetes();
    let (coefficients, intercept) = model(&folder.path().join("run"));
    assert!(intercept != 0.0);
    let expected = predictions(&table.x, &coefficients, intercept);
    let close = |text: &str| {
        let said: Vec<f64> = text.lines().map(|line| line.parse().unwrap()).collect();
        assert_eq!(said.len(), expected.len());
        assert!(said.iter().zip(&expected).all(|(said, expected)| (said - expected).abs() < 1e-9));
    };
    close(&ends(folder.path(), "predict run diabetes", 0).out);
    let ran = ends(folder.path(), "predict run d.csv --y progression --out said.txt", 0);
    close(&fs::read_to_string(folder.path().join("said.txt")).unwrap());
    let squares: f64 = expected.iter().zip(&table.y).map(|(p, y)| (p - y) * (p - y)).sum();
    let error = (squares / expected.len() as f64).sqrt();
    assert!(ran.out.contains(&format!("442 predictions, root mean squared error {error:.6}")), "{}", ran.out);
}

#[test]
fn sparse_data_may_end_early_but_not_go_beyond_the_model() {
    let folder = scratch();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("train.svm", "1 1:1 3:2\n2 2:1\n5 1:3 2:1\n-1 3:1\n");
    write("short.svm", "0 1:2\n0 2:1\n");
    write("long.svm", "0 1:2\n0 4:1\n");
    ends(folder.path(), "train.svm --ratio 1000 --out run", 0);
    let (coefficients, intercept) = model(&folder.path().join("run"));
    let value = |column| coefficients.iter().find(|(j, _)| *j == column).map_or(0.0, |(_, value)| *value);
    let expected = [intercept + 2.0 * value(0), intercept + value(1)];
    let said = ends(folder.path(), "predict run short.svm", 0).out;
    let said: Vec<f64> = said.lines().map(|line| line.parse().unwrap()).collect();
    assert!(said.iter().zip(expected).all(|(said, expected)| (said - expected).abs() < 1e-12), "{said:?}");
    let refused = ends(folder.path(), "predict run long.svm", 2);
    assert!(refused.err.contains("it has 4 columns, the model 3"), "{}", refused.err);
}

#[test]
fn dense_data_must_have_the_columns_of_the_model() {
    let folder = scratch();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("train.csv", "a,b,y\n1,2,3\n2,1,5\n4,4,9\n0,3,1\n");
    write("fewer.csv", "a,y\n1,3\n2,5\n");
    write("more.csv", "a,b,c,y\n1,2,3,4\n");
    write("swapped.csv", "b,a,y\n2,1,3\n");
    ends(folder.path(), "train.csv --ratio 100 --out run", 0);
    ends(folder.path(), "predict run train.csv", 0);
    for (data, why) in [
        ("fewer.csv", "it has 1 columns, the model 2"),
        ("more.csv", "it has 3 columns, the model 2"),
        ("swapped.csv", "column 1 is `b`, in the model it is `a`"),
    ] {
        let refused = ends(folder.path(), &format!("predict run {data}"), 2);
        assert!(refused.err.contains(data) && refused.err.contains(why), "{}", refused.err);
    }
}

#[test]
fn a_damaged_model_is_refused_with_its_line() {
    let folder = scratch();
    ends(folder.path(), "--out run", 0);
    let run = folder.path().join("run");
    for bad in ["1 2 3\n", "1 x\n", "0 1.0\n", "11 1.0\n", "1\n"] {
        fs::write(run.join("coef.tsv"), format!("2 1.0\n{bad}")).unwrap();
        let refused = ends(folder.path(), "predict run diabetes", 2);
        assert!(refused.err.contains("coef.tsv, line 2: expected `column value`"), "{bad}: {}", refused.err);
    }
    fs::write(run.join("model.json"), "{").unwrap();
    assert!(ends(folder.path(), "predict run diabetes", 2).err.contains("model.json"));
}

// ---- paths ----

#[test]
fn a_path_is_certified_point_by_point() {
    let folder = scratch();
    let data = "synth:groups:n=60,p=300,s=20";
    let report = report(folder.path(), &format!("path {data} --points 20 --ratio 50 --out run"));
    assert_eq!((&report["ending"], &report["results"]["points"]), (&"reached".into(), &20.into()));
    let table = raddle_datasets::generate::table(data).unwrap();
    let oracle = Oracle::new(&table.x, &table.y, Preparation::default());
    let run = folder.path().join("run");
    let text = fs::read_to_string(run.join("coef.tsv")).unwrap();
    let mut points = vec![Vec::new(); 20];
    for line in text.lines() {
        let fields: Vec<&str> = line.split(' ').collect();
        let [point, column, value] = fields[..] else { panic!("{line}") };
        points[point.parse::<usize>().unwrap() - 1]
            .push((column.parse::<u32>().unwrap() - 1, value.parse().unwrap()));
    }
    let listed = fs::read_to_string(run.join("path.tsv")).unwrap();
    let mut lines = listed.lines();
    assert_eq!(lines.next(), Some("point\tlambda\tintercept\tgap\tnonzeros"));
    for (number, (point, line)) in points.iter().zip(lines).enumerate() {
        let fields: Vec<f64> = line.split('\t').map(|field| field.parse().unwrap()).collect();
        let lambda = oracle.lambda_max() * 50f64.powf(-(number as f64) / 19.0);
        assert!((fields[1] / lambda - 1.0).abs() < 1e-9, "{line}");
        assert_eq!((fields[0] as usize, fields[4] as usize), (number + 1, point.len()), "{line}");
        let gap = oracle.gap(&oracle.scaled(point), fields[1]);
        assert!(gap <= 1e-6 && same_gap(fields[3], gap), "point {}: {gap:e} {:e}", number + 1, fields[3]);
        let mean = predictions(&table.x, point, fields[2]).iter().sum::<f64>() / 60.0;
        assert!(
            (mean - table.y.iter().sum::<f64>() / 60.0).abs() < 1e-9,
            "point {}: the intercept",
            number + 1
        );
    }
    // However it is carried out.
    let digest = |options: &str| {
        let report = self::report(folder.path(), &format!("path {data} --points 20 --ratio 50 {options}"));
        report["model_digest"].clone()
    };
    for options in ["--workers 1", "--workers 3 --shards 16", "--rescale 2:3,5:1"] {
        assert_eq!(digest(options), report["model_digest"], "{options}");
    }
    let line = format!("path {data} --points 20 --ratio 50 --out part --checkpoint-every 1 --epochs 9");
    ends(folder.path(), &line, 3);
    ends(folder.path(), &format!("path {data} --points 20 --ratio 50 --resume part"), 0);
    assert_eq!(json(&folder.path().join("part"), "report.json")["model_digest"], report["model_digest"]);
}

#[test]
fn public_names_and_matrix_kinds_are_told_in_the_report() {
    let folder = scratch();
    let report = report(folder.path(), "synth:strads:n=50,p=80,k=5,s=5");
    let table = raddle_datasets::generate::table("synth:strads:n=50,p=80,k=5,s=5").unwrap();
    assert!(matches!(table.x, Matrix::Sparse(_)));
    assert_eq!(report["data"]["nonzeros"], table.x.nonzeros());
    assert_eq!(report["data"]["digest"], table.digest.as_str());
}
