//! The bundled programs as several processes: model, stdout and status are those of one.

mod dialects;
#[cfg(unix)]
mod limits;
mod several_runs;
pub(crate) mod versions;

use std::path::Path;

use serde_json::Value;

use crate::combinations::in_turn;
use crate::commands::{self, Ran, command, ends, median, pause, run};

/// Small data, and a fit of each solver on them.
pub(crate) const LINES: [(&str, &str); 20] = [
    ("lasso", "lasso fit synth:groups:n=200,p=600,s=20 --ratio 20 --shards 5"),
    ("lasso-priority", "lasso fit synth:groups:n=200,p=300,s=20 --schedule priority --shards 4 --epochs 20"),
    ("lasso-cyclic", "lasso fit synth:groups:n=200,p=300,s=20 --schedule cyclic --shards 4 --epochs 20"),
    ("lasso-shuffled", "lasso fit synth:groups:n=200,p=300,s=20 --schedule shuffled --shards 4 --epochs 20"),
    (
        "lasso-stale",
        "lasso fit synth:groups:n=200,p=300,s=20 --schedule priority --staleness 2 --shards 4 --epochs 20",
    ),
    ("lasso-logistic", "lasso fit two.csv --y kind --loss logistic --ratio 20 --shards 4"),
    ("sgd", "mf fit synth:ratings:users=300,items=120,n=9000 --rank 8 --epochs 6 --shards 4"),
    (
        "sgd-priority",
        "mf fit synth:ratings:users=300,items=120,n=9000 --rank 8 --epochs 6 --schedule priority --shards 4",
    ),
    ("als", "mf fit synth:ratings:users=300,items=120,n=9000 --rank 8 --epochs 4 --solver als --shards 6"),
    (
        "als-chosen",
        "mf fit synth:ratings:users=300,items=120,n=9000,signal=0.2,noise=0.2 --rank 8 --epochs 2 --implicit \
         --shards 6",
    ),
    ("ccd", "mf fit synth:ratings:users=300,items=120,n=9000 --rank 6 --epochs 3 --solver ccd --shards 6"),
    ("lda", "lda fit --topics 8 --epochs 12 --shards 4"),
    ("lda-round", "lda fit --topics 8 --epochs 6 --shards 3 --sync round"),
    ("linear", "linear fit diabetes --loss hinge --C 10 --tol 1e-8"),
    ("linear-parts", "linear fit diabetes --loss hinge --C 0.01 --parts 0:16,4:4 --epochs 8"),
    ("linear-steps", "linear fit diabetes --loss hinge --C 0.01 --parts 0:16,8:4 --epochs 12"),
    ("linear-one-part", "linear fit diabetes --loss hinge --C 0.01 --parts 1 --epochs 4"),
    ("linear-4-parts", "linear fit diabetes --C 0.01 --parts 4 --epochs 6"),
    ("linear-16-parts", "linear fit diabetes --loss logistic --C 0.01 --parts 16 --epochs 4"),
    ("linear-auto", "linear fit diabetes --C 0.01 --parts auto --epochs 12"),
];

/// Rows of two classes, as a file.
pub(crate) fn two_classes(folder: &Path) {
    let row = |at: usize| {
        let [size, age] = [at * 7 % 40, at * at % 23];
        format!(
            "{size},{age},{},{}\n",
            at * 11 % 17,
            if (size + age + at % 5) % 60 > 30 { "sick" } else { "well" }
        )
    };
    let rows: String = (0..160).map(row).collect();
    std::fs::write(folder.join("two.csv"), format!("size,age,weight,kind\n{rows}")).unwrap();
}

/// Command line of a name.
fn line_of(name: &str) -> &'static str {
    LINES.iter().find(|(of, _)| *of == name).unwrap().1
}

fn report(folder: &Path, out: &str) -> Value {
    serde_json::from_slice(&std::fs::read(folder.join(out).join("report.json")).unwrap()).unwrap()
}

/// Runs a line alone, on a worker, and gives its digest, its status and its output.
fn alone(folder: &Path, line: &str) -> (String, Ran) {
    let ran = run(folder, &format!("{line} --workers 1 --out alone --force"));
    (report(folder, "alone")["model_digest"].as_str().unwrap().to_owned(), ran)
}

fn launched(folder: &Path, processes: usize, workers: usize, line: &str) -> Ran {
    let how = format!("raddle launch --processes {processes} --workers {workers} --balance off");
    run(folder, &format!("{how} -- {line} --out launched --force"))
}

#[test]
fn several_processes_leave_the_model_of_one() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    two_classes(folder);
    for (turn, (name, line)) in LINES.into_iter().enumerate() {
        let (digest, expected) = alone(folder, line);
        for (processes, workers) in in_turn([(2, 1), (3, 1), (2, 2), (1, 1)], turn) {
            let ran = launched(folder, processes, workers, line);
            let what = format!("{name} on {processes} processes of {workers}: {}", ran.err);
            assert_eq!(ran.code, expected.code, "{what}");
            let report = report(folder, "launched");
            assert_eq!(report["model_digest"], digest.as_str(), "{what}");
            assert_eq!(report["processes"], processes, "{what}");
            assert_eq!(report["workers"], processes * workers, "{what}");
            let members = report["members"].as_array().map_or(0, Vec::len);
            assert_eq!(members, if processes > 1 { processes } else { 1 }, "{what}");
            assert!(ran.out.lines().next() == expected.out.lines().next(), "{what}\n{}", ran.out);
        }
    }
}

#[test]
fn rows_are_held_out_of_several_processes_as_of_one() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for test in ["0.2", "diabetes"] {
        let line = format!("lasso fit diabetes --ratio 20 --shards 4 --test {test}");
        let (digest, _) = alone(folder, &line);
        launched(folder, 2, 1, &line);
        let [one, several] = ["alone", "launched"].map(|out| report(folder, out));
        assert_eq!((&several["model_digest"], &several["processes"]), (&digest.into(), &2.into()));
        assert!(one["results"]["test_r2"].is_f64(), "{one}");
        assert_eq!(several["results"], one["results"]);
    }
}

/// Each class is a shard, which a process has; with fewer classes than processes some have none.
#[test]
fn classes_are_spread_over_processes() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let row =
        |at: usize| format!("{},{},{}\n", at * 7 % 40, at * at % 23, ["a", "b", "c", "d"][at * 7 % 40 / 10]);
    let rows: String = (0..120).map(row).collect();
    std::fs::write(folder.join("four.csv"), format!("size,age,kind\n{rows}")).unwrap();
    for line in
        ["linear fit four.csv --y kind --tol 1e-8", "linear fit four.csv --y kind --loss logistic --scale"]
    {
        let (digest, expected) = alone(folder, line);
        for processes in [1, 2, 3] {
            let ran = launched(folder, processes, 2, line);
            assert_eq!((ran.code, expected.code), (Some(0), Some(0)), "{line}: {}", ran.err);
            let [one, several] = ["alone", "launched"].map(|out| report(folder, out));
            assert_eq!(
                (&several["model_digest"], &several["processes"]),
                (&digest.clone().into(), &processes.into())
            );
            assert_eq!(several["results"], one["results"], "{line}");
        }
    }
    let ran = run(folder, "raddle launch --processes 2 -- linear cv four.csv --y kind");
    assert!(ran.code == Some(2) && ran.err.contains("start it without raddle launch"), "{}", ran.err);
}

/// Data of files are read by parts, from a file that the processes share: it is made once, and gone in the
/// end.
#[test]
fn files_are_read_by_parts() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut state = 5;
    let mut next = |most: u64| commands::next(&mut state) % most + 1;
    let words: Vec<String> = (1..=150)
        .flat_map(|document| [document; 30])
        .map(|d| format!("{d} {} {}\n", next(200), next(3)))
        .collect();
    let docword = format!("150\n200\n{}\n{}", words.len(), words.concat());
    std::fs::write(folder.join("docword.a.txt"), docword).unwrap();
    let ratings: String = (0..4000).map(|_| format!("u{} {} {}\n", next(90), next(60), next(5))).collect();
    std::fs::write(folder.join("a.tsv"), ratings).unwrap();
    let towns = ["Oslo", "Rome", "Riga"];
    let rows: String = (0..90)
        .map(|row| {
            let size = if row % 8 == 3 { String::new() } else { format!("{}.5", next(40)) };
            format!("{},{},{size},{}\n", row % 2, towns[next(3) as usize - 1], next(9))
        })
        .collect();
    std::fs::write(folder.join("a.csv"), format!("y,town,size,count\n{rows}")).unwrap();
    let rows: String = (0..120)
        .map(|row| format!("{}.5 {}:{} {}:-2.5\n", next(30), next(40), next(5), row % 30 + 50))
        .collect();
    std::fs::write(folder.join("a.svm"), rows).unwrap();
    let rows: String =
        (0..90).map(|row| format!("{} {}:{} {}:-2.5\n", next(2), next(40), next(5), row % 30 + 50)).collect();
    std::fs::write(folder.join("b.svm"), rows).unwrap();
    std::fs::create_dir_all(folder.join("launched/data")).unwrap();
    std::fs::write(folder.join("launched/data/mine"), "").unwrap();
    for line in [
        "lda fit docword.a.txt --topics 8 --epochs 6 --shards 4",
        "lda fit docword.a.txt --topics 300 --epochs 3 --shards 3",
        "mf fit a.tsv --rank 4 --epochs 4 --shards 4 --test split",
        "lasso fit a.svm --shards 5",
        "lasso path a.svm --shards 4 --points 12",
        "lasso fit a.csv --y y --shards 3 --missing mean --loss logistic --weights count --unpenalized size",
        "lasso fit a.csv --y town --shards 2 --missing mean --loss multinomial --ratio 3 --no-standardize",
        "lasso fit a.csv --y count --shards 4 --missing drop --groups columns --ratio 5",
        "lasso fit a.csv --y count --shards 3 --missing mean --loss poisson --weights y --ratio 4",
        "linear fit a.csv --y y --missing mean --loss logistic --weights count --scale",
        "linear fit a.csv --y town --missing mean --tol 1e-6",
        "linear fit a.csv --y town --missing mean --loss multinomial --bias free --weights count --scale",
        "linear fit a.csv --y y --missing mean --loss logistic --bias free",
        "linear fit a.csv --y y --missing drop --loss hinge --parts 4 --shards 8 --epochs 9",
        "linear fit a.csv --y y --missing mean --loss logistic --parts 0:4,2:2 --epochs 5 --scale --bias 0",
        "linear fit b.svm --parts auto --epochs 7 --class-weights balanced",
    ] {
        let (digest, ran_alone) = alone(folder, line);
        let expected = report(folder, "alone");
        // Rows of `linear` are kept for the run alone.
        let cached = (!line.starts_with("linear")).then(|| format!("{line} --cache kept"));
        for line in std::iter::once(line.to_owned()).chain(cached) {
            let ran = launched(folder, 3, 1, &line);
            let found = report(folder, "launched");
            assert_eq!(ran.code, ran_alone.code, "{line}: {}", ran.err);
            assert_eq!(found["model_digest"], digest.as_str(), "{line}: {}", ran.err);
            for part in ["results", "data", "records", "notes", "metric"] {
                assert_eq!(found[part], expected[part], "{part} of {line}");
            }
            assert!(!folder.join("launched/.raddle-shared").exists());
            // A folder of the user's stays, with all that it holds.
            assert!(folder.join("launched/data/mine").exists());
        }
    }
    let kept = std::fs::read_dir(folder.join("kept")).unwrap().map(|file| file.unwrap().path());
    let kept: Vec<_> = kept.filter(|file| file.extension().unwrap() != "lock").collect();
    // Of each table of a Lasso means and scales are kept, too; those with weights have two.
    let (numbers, data): (Vec<_>, Vec<_>) =
        kept.iter().partition(|file| file.extension().unwrap() == "numbers");
    assert!(data.len() == 7 && numbers.len() >= 7, "{kept:?}");
}

#[test]
fn a_plan_of_workers_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for name in ["sgd", "sgd-priority", "lda", "lasso-stale"] {
        let line = line_of(name);
        let (digest, _) = alone(folder, line);
        let ran = launched(folder, 3, 1, &format!("{line} --rescale 1:5,2:2,4:3"));
        assert_eq!(report(folder, "launched")["model_digest"], digest.as_str(), "{name}: {}", ran.err);
        // On a busy machine balance begins generations, too, with as many workers.
        let generations = report(folder, "launched")["generations"].clone();
        let mut workers: Vec<_> =
            generations.as_array().unwrap().iter().map(|generation| generation["workers"].clone()).collect();
        workers.dedup();
        assert_eq!(workers, [3, 5, 2, 3], "{name}: {generations}");
    }
}

/// One of two processes is slowed down twofold: its shards move to the other one, and the model stays.
#[test]
fn shards_move_to_the_faster_process() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let line = "lda fit --topics 20 --epochs 30 --shards 32";
    let (digest, _) = alone(folder, line);
    std::fs::write(folder.join("slow"), "1 0 2\n").unwrap();
    let line = format!("{line} --slowdown slow --out run --force");
    let seconds = |balance: &str| {
        let launch = format!("raddle launch --processes 2 --balance {balance} -- {line}");
        ends(folder, &launch, 0);
        let report = report(folder, "run");
        assert_eq!(report["model_digest"], digest.as_str());
        (report["seconds"]["fit"].as_f64().unwrap(), report["shards_moved"].as_u64().unwrap())
    };
    let (equal, balanced) = (seconds("off"), seconds("on"));
    assert_eq!(equal.1, 0);
    assert!(balanced.1 > 0, "no shard has moved");
    println!("{:.3} s with equal shares, {:.3} s balanced", equal.0, balanced.0);
}

/// Seconds of the slowest worker in an epoch, the lower quartile of the later half of a run: what else the
/// machine does only adds to them.
fn slowest(folder: &Path) -> f64 {
    let trace = std::fs::read_to_string(folder.join("run/trace.jsonl")).unwrap();
    let of = |line: &str| -> f64 {
        let record: Value = serde_json::from_str(line).unwrap();
        record["load"].as_array().unwrap().iter().map(|load| load.as_f64().unwrap()).fold(0.0, f64::max)
    };
    let mut all: Vec<f64> = trace.lines().map(of).collect();
    let half = all.len() / 2;
    all[half..].sort_by(f64::total_cmp);
    all[half + half / 4]
}

/// Parts of `linear` on two processes, one of which is half as fast: balance moves shards, and the bytes are
/// the same. The long form compares seconds, too, of whole runs: in the median of 5, those without balance
/// take at least 1.2 times as long.
#[test]
fn parts_gain_by_balance_where_a_process_is_half_as_fast() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    // Shards move where that pays within ten epochs: those of the long form are long enough by themselves.
    let is_long = std::env::var_os("RADDLE_UNEVEN").is_some();
    let (rows, epochs, slowdown) =
        if is_long { (30_000, 300, "1 0 2\n") } else { (1500, 24, "0 0 100\n1 0 200\n") };
    let mut state = 7;
    let mut next = |most: u64| commands::next(&mut state) % most + 1;
    let rows: String = (0..rows)
        .map(|row| {
            let values: String =
                (0..40).map(|at| format!(" {}:{}", 25 * at + next(25), next(9) + row % 2)).collect();
            format!("{}{values}\n", row % 2)
        })
        .collect();
    std::fs::write(folder.join("rows.svm"), rows).unwrap();
    let line = "linear fit rows.svm --loss hinge --C 1 --tol 1e-12 --parts 4 --shards 64 --scale";
    let line = format!("{line} --epochs {epochs}");
    let (digest, _) = alone(folder, &line);
    std::fs::write(folder.join("slow"), slowdown).unwrap();
    let seconds = |balance: &str| {
        let launch = format!("raddle launch --processes 2 --balance {balance} --");
        ends(folder, &format!("{launch} {line} --slowdown slow --out run --force"), 3);
        let report = report(folder, "run");
        assert_eq!(report["model_digest"], digest.as_str());
        assert_eq!(report["shards_moved"].as_u64().unwrap() > 0, balance == "on");
        if is_long { report["seconds"]["fit"].as_f64().unwrap() } else { slowest(folder) }
    };
    let pairs = if is_long { 5 } else { 1 };
    let ratios: Vec<f64> = (0..pairs).map(|_| seconds("off") / seconds("on")).collect();
    println!("off over on: {ratios:.2?}");
    assert!(!is_long || median(ratios.iter().copied()) >= 1.2, "{ratios:?}");
}

#[test]
fn an_example_says_what_it_says_alone() {
    let folder = tempfile::tempdir().unwrap();
    let program = std::env::current_exe().unwrap().ancestors().nth(2).unwrap().join("examples/processes");
    let program = format!("{}{}", program.display(), std::env::consts::EXE_SUFFIX);
    assert!(Path::new(&program).is_file(), "{program}: not built: run `cargo test --workspace`");
    let alone = std::process::Command::new(&program).output().unwrap();
    let alone = String::from_utf8(alone.stdout).unwrap();
    assert!(alone.starts_with("the largest is 9972, "), "{alone}");
    for processes in [1, 3] {
        let ran = ends(folder.path(), &format!("raddle launch --processes {processes} -- {program}"), 0);
        assert_eq!(ran.out, alone);
    }
}

#[test]
fn json_is_one_line_on_stdout_and_nothing_else_is() {
    let folder = tempfile::tempdir().unwrap();
    let line = "raddle launch --processes 2 -- lasso fit synth:groups:n=80,p=100,s=5 --json";
    let ran = ends(folder.path(), line, 0);
    assert_eq!(ran.out.lines().count(), 1);
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(report["processes"], 2);
}

#[test]
fn bad_use_is_told_once_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (line, expected) in [
        ("raddle launch -- lass fit", "no such program"),
        ("raddle launch -- lasso fit --workers 2", "before the --"),
        ("raddle launch -- lasso fit --checkpoint-every 2", "--checkpoint-every"),
        ("raddle launch -- lasso fit --resume run", "--resume"),
        ("raddle launch --resume run", "run"),
        ("raddle launch --resume a -- lasso fit --resume b", "--resume"),
        ("raddle launch --deadline 0.1 -- lasso fit", "--deadline"),
        ("raddle launch -- lasso fit nothing.csv", "nothing.csv"),
        ("raddle launch -- lasso fit --ratio 0", "ratio"),
        ("raddle launch -- lasso cv", "several runs"),
        ("raddle launch -- mf cv", "several runs"),
        ("raddle launch -- lda cv", "several runs"),
        ("raddle launch -- mf fit --refit", "several runs"),
        ("raddle launch --processes 257 -- lasso fit", "--processes"),
        ("raddle launch --processes 0 -- lasso fit --changes new --out run", "--processes 0"),
        ("raddle launch --listen 0.0.0.0 -- lasso fit", "--listen"),
        ("raddle launch --listen 203.0.113.1 -- lasso fit", "cannot listen"),
        ("raddle status run", "run: no such folder: give the --out folder of a run"),
        ("raddle rescale run 3", "no launched run is alive"),
        ("raddle join 127.0.0.1:1 --token-file run/token", "run/token"),
    ] {
        let ran = ends(folder, line, 2);
        assert!(ran.err.contains(expected), "{line}: {}", ran.err);
        assert!(ran.out.is_empty(), "{line}: {}", ran.out);
        let told = ran.err.lines().filter(|line| line.contains("error:")).count();
        assert!(told <= 2, "{line}: {}", ran.err);
    }
    assert!(!folder.join("run").exists());
}

#[test]
fn a_folder_that_is_taken_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    ends(folder, "lasso fit --out run", 0);
    let ran = ends(folder, "raddle launch -- lasso fit --out run", 2);
    assert!(ran.err.contains("--force"), "{}", ran.err);
    ends(folder, "raddle launch -- lasso fit --out run --force", 0);
    assert!(!folder.join("run/token").exists() && !folder.join("run/coordinator").exists());
}

/// A launched run in the background.
#[cfg(target_os = "linux")]
struct Background {
    launcher: std::process::Child,
    run: std::path::PathBuf,
}

#[cfg(target_os = "linux")]
impl Background {
    fn begin(folder: &Path, line: &str) -> Self {
        use std::process::Stdio;
        let launcher = command(folder, line).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let run = folder.join("run");
        let began = Self { launcher, run };
        began.await_epoch(2);
        began
    }

    /// Waits until this number of epochs is traced.
    fn await_epoch(&self, epochs: usize) {
        let began = std::time::Instant::now();
        let trace = self.run.join("trace.jsonl");
        while !std::fs::read_to_string(&trace).is_ok_and(|text| text.lines().count() > epochs) {
            assert!(began.elapsed() < std::time::Duration::from_secs(60), "the run does not go on");
            pause();
        }
    }

    /// The system's numbers of the processes, in their order.
    fn processes(&self) -> Vec<String> {
        let children = format!("/proc/{0}/task/{0}/children", self.launcher.id());
        let children = std::fs::read_to_string(children).unwrap();
        children.split_whitespace().map(str::to_owned).collect()
    }

    fn signal(&self, process: &str, signal: &str) {
        assert!(std::process::Command::new("kill").args([signal, process]).status().unwrap().success());
    }

    /// The status and the text on stderr.
    fn end(mut self) -> (Option<i32>, String) {
        use std::io::Read as _;
        let mut said = String::new();
        self.launcher.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        (self.launcher.wait().unwrap().code(), said)
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_join_a_leave_of_the_first_and_a_rescale_leave_the_model_of_one() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let line = "lda fit --topics 10 --epochs 150";
    let (digest, _) = alone(folder, line);
    // Slow enough at first that the process that joins is there in time.
    std::fs::write(folder.join("slow"), "0 0 60\n0 50 1\n").unwrap();
    let line = format!("{line} --slowdown slow --out run");
    let run = Background::begin(folder, &format!("raddle launch --processes 3 -- {line}"));
    let status = ends(folder, "raddle status run --json", 0).out;
    let status: Value = serde_json::from_str(&status).unwrap();
    assert_eq!(status["members"].as_array().unwrap().len(), 3);
    let coordinator = std::fs::read_to_string(folder.join("run/coordinator")).unwrap();
    let address = coordinator.lines().find_map(|line| line.strip_prefix("coordinator ")).unwrap().to_owned();
    ends(folder, "raddle rescale run 5", 0);
    let joiner = command(folder, &format!("raddle join {address} --token-file run/token")).spawn().unwrap();
    loop {
        let status: Value = serde_json::from_str(&ends(folder, "raddle status run --json", 0).out).unwrap();
        let members = status["members"].as_array().unwrap();
        if members.len() == 4 && members.iter().all(|member| member["state"] == "running") {
            break;
        }
    }
    run.signal(&run.processes()[0], "-TERM");
    let (code, said) = run.end();
    assert_eq!(code, Some(0), "{said}");
    let joined = joiner.wait_with_output().unwrap();
    assert!(joined.status.success(), "{}", String::from_utf8_lossy(&joined.stderr));
    let report = report(folder, "run");
    assert_eq!(report["model_digest"], digest.as_str());
    let generations = report["generations"].as_array().unwrap();
    assert!(generations.iter().any(|one| one["processes"] == 4), "{generations:?}");
    assert_eq!(generations.last().unwrap()["processes"], 3);
    assert!(generations.iter().any(|one| one["workers"] == 5), "{generations:?}");
    let trace = std::fs::read_to_string(folder.join("run/trace.jsonl")).unwrap();
    assert_eq!(trace.lines().count(), 151, "the trace goes on where the first process left it");
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_on_the_launcher_ends_the_run_with_its_model() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let run = Background::begin(folder, "raddle launch --processes 2 -- lda fit --epochs 100000 --out run");
    run.signal(&run.launcher.id().to_string(), "-INT");
    let (code, said) = run.end();
    assert_eq!(code, Some(130), "{said}");
    assert_eq!(report(folder, "run")["ending"], "interrupted");
}

#[cfg(target_os = "linux")]
#[test]
fn a_joiner_without_the_data_is_refused_and_the_run_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let text = "the cat sat on the mat\na dog ate my homework and the cat\nthe dog saw the cat\n".repeat(40);
    std::fs::write(folder.join("texts.txt"), &text).unwrap();
    let line = "lda fit texts.txt --topics 4 --epochs 100000 --validation none";
    let run = Background::begin(folder, &format!("raddle launch --processes 2 -- {line} --out run"));
    let coordinator = std::fs::read_to_string(folder.join("run/coordinator")).unwrap();
    let address = coordinator.lines().find_map(|line| line.strip_prefix("coordinator ")).unwrap().to_owned();
    let token = folder.join("run/token");
    let elsewhere = tempfile::tempdir().unwrap();
    let join = format!("raddle join {address} --token-file {}", token.display());
    let ran = ends(elsewhere.path(), &join, 2);
    assert!(ran.err.contains("texts.txt"), "{}", ran.err);
    std::fs::write(elsewhere.path().join("texts.txt"), text.replace("dog", "cow")).unwrap();
    std::fs::create_dir(elsewhere.path().join("run")).unwrap();
    let ran = ends(elsewhere.path(), &join, 2);
    assert!(ran.err.contains("other data"), "{}", ran.err);
    run.signal(&run.launcher.id().to_string(), "-INT");
    assert_eq!(run.end().0, Some(130));
}

#[cfg(target_os = "linux")]
#[test]
fn a_killed_launcher_leaves_no_process() {
    use std::time::{Duration, Instant};

    let folder = tempfile::tempdir().unwrap();
    let line = "raddle launch --processes 3 -- lda fit --topics 50 --epochs 100000 --out run";
    let run = Background::begin(folder.path(), line);
    let processes = run.processes();
    run.signal(&run.launcher.id().to_string(), "-KILL");
    assert_eq!(run.end().0, None);
    let killed = Instant::now();
    // A process that has ended may wait for the one that takes over the launcher's children.
    let runs = |process: &String| {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        !stat.is_empty() && !stat.contains(") Z ")
    };
    while processes.iter().any(runs) {
        assert!(killed.elapsed() < Duration::from_secs(10), "a process is left");
        pause();
    }
    let said = ends(folder.path(), "raddle status run", 0).out;
    assert!(
        said.contains("dead: no process here runs it") && said.contains(": `raddle launch --resume run`"),
        "{said}"
    );
}
