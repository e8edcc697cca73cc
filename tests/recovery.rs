//! A process may be killed or stopped at any moment, the launcher too: the run ends with the bytes of an
//! undisturbed one. The long forms are in `tests/README.md`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::combinations::in_turn;
use crate::commands::{ends, next, number, pause, run};
use crate::launched::{Launched, WATCHDOG, alone, digest, is_alive, launch, report, signal, slow};

/// Fits that take a while on a worker that is slowed down, with the epochs to wait for at most before
/// something is killed.
const LINES: [(&str, u64); 3] = [
    ("lasso fit synth:groups:n=200,p=300,s=20 --schedule shuffled --shards 4 --epochs 30 --tol 1e-14", 15),
    ("mf fit synth:ratings:users=300,items=120,n=9000 --rank 8 --epochs 30 --shards 4", 15),
    ("lda fit --topics 8 --epochs 40 --shards 4", 25),
];

/// A process that is chosen at random is killed at a random epoch: `RADDLE_KILLS` times.
#[test]
fn a_process_may_be_killed_at_any_moment() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    slow(folder, 20);
    let mut dice = number("RADDLE_KILLS_FROM", 1);
    let expected = LINES.map(|(line, _)| alone(folder, line));
    let mut pauses = Vec::new();
    for kill in 0..number("RADDLE_KILLS", 3) as usize {
        let ((line, most), (digest_alone, status)) = (LINES[kill % 3], &expected[kill % 3]);
        // The trace of the run before is not this one's.
        let _ = fs::remove_dir_all(folder.join("run"));
        let mut run = Launched::begin(folder, &launch(3, &format!("{line} --checkpoint-every 5")));
        run.await_epoch(next(&mut dice) % most);
        let whom = (next(&mut dice) % 3) as usize;
        signal(&run.processes()[whom], "-KILL");
        let killed = Instant::now();
        let lost = run.await_line("killed by signal 9");
        assert!(lost.contains(&format!("process {whom} ")), "{lost}");
        run.await_line("has begun");
        pauses.push(killed.elapsed().as_secs_f64());
        let place = run.run.clone();
        let (code, said) = run.end();
        assert_eq!(code, *status, "kill {kill} of {line}: {said}");
        assert_eq!(digest(&place), *digest_alone, "kill {kill} of process {whom}, {line}: {said}");
    }
    pauses.sort_by(f64::total_cmp);
    println!(
        "from the kill to the next generation: median {:.3} s, most {:.3} s",
        pauses[pauses.len() / 2],
        pauses[pauses.len() - 1]
    );
    assert!(pauses[pauses.len() - 1] < 10.0, "{pauses:?}");
}

/// Fault that may strike one of the processes.
#[derive(Debug, Clone, Copy)]
enum Fault {
    Kill,
    Stop,
    /// The process is asked to leave.
    Leave,
}

const FAULTS: [Fault; 3] = [Fault::Leave, Fault::Kill, Fault::Stop];

impl Fault {
    fn signal(self) -> &'static str {
        match self {
            Self::Kill => "-KILL",
            Self::Stop => "-STOP",
            Self::Leave => "-TERM",
        }
    }
}

/// Every solver, with the epochs to wait for at most, and how many times as long as they are tasks take:
/// short ones longer.
const SOLVERS: [(&str, u64, u64); 11] = [
    ("lasso fit synth:ar1:n=150,p=700,rho=0.9,s=20,snr=5,seed=1 --ratio 500 --tol 1e-13 --shards 4", 8, 60),
    ("mf fit synth:ratings:users=300,items=120,n=9000 --rank 8 --epochs 30 --shards 4", 15, 20),
    ("lda fit --topics 8 --epochs 30 --shards 4", 15, 20),
    ("mf fit synth:ratings:users=300,items=120,n=9000 --rank 8 --epochs 20 --solver als --shards 6", 4, 5),
    ("mf fit synth:ratings:users=300,items=120,n=9000 --rank 6 --epochs 20 --solver ccd --shards 6", 4, 5),
    // Within the choice of weight and regularisation, which takes 68 epochs.
    ("mf fit synth:ratings:users=300,items=120,n=9000,signal=0.2 --rank 8 --implicit --shards 6", 15, 5),
    ("lasso path synth:groups:n=200,p=300,s=20 --points 20 --shards 4", 8, 60),
    (
        "lasso fit synth:groups:n=200,p=300,s=20 --schedule shuffled --shards 4 --epochs 30 --tol 1e-14",
        15,
        20,
    ),
    ("linear fit diabetes --loss hinge --C 0.01 --tol 1e-9 --parts 4 --shards 8 --epochs 30", 15, 60),
    ("linear fit diabetes --C 0.01 --tol 1e-9 --parts 0:16,9:4 --shards 16 --epochs 30", 15, 60),
    ("linear fit diabetes --loss logistic --C 0.01 --tol 1e-9 --parts auto --shards 16 --epochs 30", 15, 60),
];

/// A fault strikes a random process, the first one included, at a random epoch of a run of two or three:
/// `RADDLE_FAULTS` times.
#[test]
fn whatever_happens_to_a_process_the_run_ends_as_one_that_nothing_happened_to() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut dice = number("RADDLE_FAULTS_FROM", 1);
    let mut expected: [Option<(String, Option<i32>)>; SOLVERS.len()] = [const { None }; SOLVERS.len()];
    let (rounds, mut struck) = (number("RADDLE_FAULTS", 4), 0);
    for round in 0..rounds as usize {
        let solver = round % SOLVERS.len();
        let (line, most, factor) = SOLVERS[solver];
        // The first worker makes time for the fault.
        fs::write(folder.join("slow"), format!("0 0 {factor}\n0 16 1\n")).unwrap();
        let (digest_alone, status) = expected[solver].get_or_insert_with(|| alone(folder, line));
        let processes = 2 + (next(&mut dice) % 2) as usize;
        // By default every third is of the first process.
        let whom = if round % 3 == 0 { 0 } else { (next(&mut dice) % processes as u64) as usize };
        let fault = FAULTS[(round / 2 + round) % FAULTS.len()];
        let after = next(&mut dice) % most;
        let checkpoints = ["", "--checkpoint-every 3"][(next(&mut dice) % 2) as usize];
        // The trace of the run before is not this one's.
        let _ = fs::remove_dir_all(folder.join("run"));
        let launch =
            launch(processes, &format!("{line} {checkpoints}")).replace("launch", "launch --deadline 3");
        let mut run = Launched::begin(folder, &launch);
        run.await_epoch(after);
        // A run that is over by then is as it is.
        if let Some(process) = run.processes().get(whom) {
            let struck_here =
                Command::new("kill").args([fault.signal(), process]).status().unwrap().success();
            struck += u64::from(struck_here);
        }
        let (place, context) =
            (run.run.clone(), format!("round {round}: {fault:?} of {whom} after {after}, {launch}"));
        let (code, said) = run.end();
        assert_eq!(code, *status, "{context}: {said}");
        assert_eq!(digest(&place), *digest_alone, "{context}: {said}");
    }
    println!("{struck} of {rounds} runs were struck");
    assert!(2 * struck >= rounds, "{struck} of {rounds} runs were struck");
}

/// The first of two processes leaves; the checkpoints that the other one keeps are those of an undisturbed
/// run.
#[test]
fn the_first_process_leaves_and_the_checkpoints_after_it_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (line, _, factor) in &SOLVERS[..3] {
        fs::write(folder.join("slow"), format!("0 0 {factor}\n0 5 1\n")).unwrap();
        let (expected, status) = alone(folder, line);
        let _ = fs::remove_dir_all(folder.join("run"));
        let mut leaving = Launched::begin(folder, &launch(2, &format!("{line} --checkpoint-every 1")));
        leaving.await_epoch(2);
        signal(&leaving.processes()[0], "-TERM");
        let place = leaving.run.clone();
        let (code, said) = leaving.end();
        assert_eq!(code, status, "{line}: {said}");
        assert_eq!(digest(&place), expected, "{line}: {said}");
        let generations = report(&place)["generations"].as_array().unwrap().clone();
        assert_eq!(generations.last().unwrap()["processes"], 1, "{line}: {said}");
        step_back(folder, "run", "copy");
        let program = line.split(' ').next().unwrap();
        let resume = format!("raddle launch --processes 2 --resume copy -- {program} fit");
        let ran = run(folder, &resume);
        assert_eq!(ran.code, status, "{line}: {}", ran.err);
        assert_eq!(digest(&folder.join("copy")), expected, "{line}");
    }
}

#[test]
fn without_a_checkpoint_a_loss_begins_the_run_anew() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    slow(folder, 10);
    let (line, _) = LINES[2];
    let (expected, _) = alone(folder, line);
    let mut run = Launched::begin(folder, &launch(3, line));
    run.await_epoch(3);
    signal(&run.processes()[1], "-KILL");
    run.await_line("it has no checkpoint yet");
    let place = run.run.clone();
    let (code, said) = run.end();
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(digest(&place), expected);
}

#[test]
fn a_killed_launcher_leaves_nobody_and_the_run_goes_on_with_another_one() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    slow(folder, 20);
    let (line, _) = LINES[2];
    let (expected, _) = alone(folder, line);
    let mut dice = number("RADDLE_KILLS_FROM", 1);
    for kill in 0..number("RADDLE_LAUNCHER_KILLS", 1) {
        // The trace of the run before is not this one's.
        let _ = fs::remove_dir_all(folder.join("run"));
        let mut run = Launched::begin(folder, &launch(3, &format!("{line} --checkpoint-every 5")));
        // Behind a checkpoint first, then anywhere.
        run.await_epoch(if kill == 0 { 12 } else { next(&mut dice) % 30 });
        let processes = run.processes();
        run.launcher.kill().unwrap();
        let killed = Instant::now();
        while processes.iter().any(|process| is_alive(process)) {
            assert!(killed.elapsed() < Duration::from_secs(10), "a process is left");
            pause();
        }
        println!("nobody is left after {:.3} s", killed.elapsed().as_secs_f64());
        drop(run);
        ends(folder, "raddle launch --processes 2 --workers 2 --resume run", 0);
        assert_eq!(digest(&folder.join("run")), expected, "kill {kill}");
        let trace = fs::read_to_string(folder.join("run/trace.jsonl")).unwrap();
        assert_eq!(trace.lines().count(), 41, "the trace goes on where the checkpoint was");
    }
}

/// A checkpoint is written where none is due, of each program, and the run goes on from it.
#[test]
fn a_signal_asks_for_a_checkpoint_of_the_next_boundary() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (line, _) in LINES {
        slow(folder, 200);
        let (expected, status) = alone(folder, line);
        let _ = fs::remove_dir_all(folder.join("run"));
        let mut run = Launched::begin(folder, &launch(2, &format!("{line} --checkpoint-every 1000")));
        run.await_epoch(2);
        signal(&run.launcher.id().to_string(), "-USR1");
        run.await_line("asked for a checkpoint");
        let there = || {
            names_in(&run.run.join("checkpoint"))
                .into_iter()
                .find(|name| run.run.join("checkpoint").join(name).join("manifest").exists())
        };
        let began = Instant::now();
        let name = loop {
            if let Some(name) = there() {
                break name;
            }
            assert!(began.elapsed() < WATCHDOG, "{line}: there is never a checkpoint");
            pause();
        };
        let epoch: u64 = name.split('.').next().unwrap().parse().unwrap();
        assert!((2..20).contains(&epoch), "{line}: {name}");
        run.launcher.kill().unwrap();
        drop(run);
        slow(folder, 1);
        let program = line.split(' ').next().unwrap();
        // For the Lasso, epochs are a limit: of one sitting.
        let more = if program == "lasso" { " --epochs 30" } else { "" };
        let ran = crate::commands::run(folder, &format!("raddle launch --resume run -- {program} fit{more}"));
        assert_eq!(ran.code, status, "{line}: {}", ran.err);
        assert_eq!(digest(&folder.join("run")), expected, "{line}");
        let generations = report(&folder.join("run"))["generations"].as_array().unwrap().clone();
        let goes_on = generations.iter().any(|generation| generation["epoch"] == epoch);
        assert!(goes_on, "{line}: from epoch {epoch}: {generations:?}");
    }
}

/// The launcher is killed again and again, and always started by the same line, which begins the run and goes
/// on with it: `RADDLE_LAUNCHER_KILLS` times for each program.
#[test]
fn one_line_begins_a_run_and_goes_on_with_it_until_it_is_done() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    slow(folder, 20);
    let mut dice = number("RADDLE_KILLS_FROM", 1);
    for (line, most) in LINES {
        let (expected, status) = alone(folder, line);
        let _ = fs::remove_dir_all(folder.join("run"));
        let line = format!(
            "raddle launch --processes 2 --resume-or-begin run -- {line} --slowdown slow --checkpoint-every 1"
        );
        for _ in 0..number("RADDLE_LAUNCHER_KILLS", 1) {
            let mut run = Launched::begin(folder, &line);
            // Before the run has begun, too.
            let epochs = next(&mut dice) % most;
            let began = Instant::now();
            while run.epochs() < epochs && began.elapsed() < Duration::from_secs(2) {
                pause();
            }
            let processes = run.processes();
            run.launcher.kill().unwrap();
            while processes.iter().any(|process| is_alive(process)) {
                pause();
            }
        }
        let ran = run(folder, &line);
        assert_eq!(ran.code, status, "{line}: {}", ran.err);
        assert_eq!(digest(&folder.join("run")), expected, "{line}: {}", ran.err);
    }
    let why = ends(folder, "raddle launch --resume-or-begin new -- lda fit --out other", 2).err;
    assert!(why.contains("--resume"), "{why}");
}

#[test]
fn a_process_that_is_silent_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    slow(folder, 20);
    let (line, _) = LINES[2];
    let (expected, _) = alone(folder, line);
    let line = launch(2, &format!("{line} --checkpoint-every 5")).replace("launch", "launch --deadline 3");
    let mut run = Launched::begin(folder, &line);
    run.await_epoch(7);
    signal(&run.processes()[1], "-STOP");
    let stopped = Instant::now();
    run.await_line("process 1 has sent nothing for 3 s");
    run.await_line("has begun");
    assert!(stopped.elapsed() < Duration::from_secs(8), "{:?}", stopped.elapsed());
    let place = run.run.clone();
    assert_eq!(run.end().0, Some(0));
    assert_eq!(digest(&place), expected);
}

#[test]
fn a_second_launcher_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    slow(folder, 30);
    let mut run = Launched::begin(folder, &launch(2, LINES[2].0));
    run.await_epoch(1);
    for line in
        ["raddle launch --resume run", "raddle launch -- lda fit --out run --force", "lda fit --resume run"]
    {
        let ran = ends(folder, line, 2);
        assert!(ran.err.contains("its run is alive"), "{}", ran.err);
    }
    assert_eq!(run.end().0, Some(0));
}

/// Removes the newest checkpoint, so that there is something left to do, and renames the folder.
fn step_back(folder: &Path, from: &str, to: &str) {
    let _ = fs::remove_dir_all(folder.join(to));
    let copied = Command::new("cp").args(["-r", from, to]).current_dir(folder).status().unwrap();
    assert!(copied.success());
    let all = fs::read_dir(folder.join(to).join("checkpoint")).unwrap().map(|entry| entry.unwrap().path());
    let epoch = |path: &PathBuf| -> u64 {
        path.file_name().unwrap().to_str().unwrap().split('.').next().unwrap().parse().unwrap()
    };
    let mut all: Vec<PathBuf> = all.collect();
    all.sort_by_key(epoch);
    assert_eq!(all.len(), 2, "the last two are kept: {all:?}");
    fs::remove_dir_all(all.pop().unwrap()).unwrap();
}

#[test]
fn a_run_goes_on_with_any_number_of_processes_and_workers() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (turn, (line, _)) in LINES.into_iter().enumerate() {
        let (expected, status) = alone(folder, line);
        let begins = ["raddle launch --processes 3 --", "raddle launch --processes 2 --workers 2 --", ""];
        for begin in in_turn(begins, turn) {
            let workers = if begin.is_empty() { "--workers 1" } else { "" };
            let begin = format!("{begin} {line} {workers}").trim().to_owned();
            run(folder, &format!("{begin} --checkpoint-every 4 --out run --force"));
            assert!(report(&folder.join("run"))["checkpoints"]["count"].as_u64().unwrap() >= 2, "{begin}");
            let program = line.split(' ').next().unwrap();
            // For the Lasso, epochs are a limit: of one sitting.
            let more = if program == "lasso" { " --epochs 30" } else { "" };
            for go_on in [
                format!("{program} fit --resume copy --workers 2{more}"),
                format!("raddle launch --processes 3 --resume copy -- {program} fit{more}"),
                format!("raddle launch --processes 1 --workers 3 -- {program} fit --resume copy{more}"),
            ] {
                step_back(folder, "run", "copy");
                let ran = run(folder, &go_on);
                assert_eq!(ran.code, status, "{begin}, then {go_on}: {}", ran.err);
                assert_eq!(digest(&folder.join("copy")), expected, "{begin}, then {go_on}: {}", ran.err);
            }
        }
    }
}

/// A line, in the background, that is killed once there is a checkpoint of this epoch; later ones are taken
/// away.
fn killed_after(folder: &Path, line: &str, epoch: u64) {
    loop {
        let begin =
            format!("{line} --workers 1 --slowdown slow --checkpoint-every 1 --out run --force --quiet");
        let _ = fs::remove_dir_all(folder.join("run"));
        let mut running = Launched::begin(folder, &begin);
        // Of whatever generation.
        let is_there = || {
            let mut names = names_in(&folder.join("run/checkpoint")).into_iter();
            names.any(|name| {
                let manifest = folder.join("run/checkpoint").join(&name).join("manifest");
                name.starts_with(&format!("{epoch}.")) && manifest.exists()
            })
        };
        while !is_there() {
            assert!(running.launcher.try_wait().unwrap().is_none(), "no checkpoint of epoch {epoch}: {line}");
            pause();
        }
        drop(running);
        for entry in fs::read_dir(folder.join("run/checkpoint")).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            if name.split('.').next().unwrap().parse::<u64>().unwrap() > epoch {
                fs::remove_dir_all(path).unwrap();
            }
        }
        // It may have gone on by two epochs before the signal came.
        if is_there() {
            return;
        }
    }
}

/// Names in a folder that may not be there yet.
fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

#[test]
fn every_program_goes_on_after_each_epoch() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    slow(folder, 30);
    let ratings = "mf fit synth:ratings:users=300,items=120,n=9000 --rank 4 --epochs 5 --shards 4 --solver";
    let parts = "linear fit diabetes --C 0.01 --tol 1e-9 --epochs 5 --shards 16 --parts";
    let lines = [
        "lasso fit synth:groups:n=200,p=300,s=20 --schedule shuffled --shards 4 --epochs 5 --tol 1e-14"
            .to_owned(),
        "lda fit --topics 8 --epochs 5 --shards 4".to_owned(),
        format!("{ratings} sgd"),
        format!("{ratings} als"),
        format!("{ratings} ccd"),
        format!("{parts} 4 --loss hinge"),
        format!("{parts} 0:8,3:2 --loss squared-hinge"),
        format!("{parts} auto --loss logistic"),
    ];
    for line in &lines {
        let (expected, status) = alone(folder, line);
        let program = line.split(' ').next().unwrap();
        // Where a fit ends by its certificate, epochs are a limit: of one sitting.
        let more = if ["lasso", "linear"].contains(&program) { " --epochs 5" } else { "" };
        for epoch in 1..5 {
            killed_after(folder, line, epoch);
            let ran = run(folder, &format!("{program} fit --resume run --workers 2{more}"));
            assert_eq!(ran.code, status, "{line}, after {epoch}: {}", ran.err);
            assert_eq!(digest(&folder.join("run")), expected, "{line}, after {epoch}: {}", ran.err);
        }
    }
}

/// Two classes that overlap in rows of so many values of many columns; with more classes, each of one row,
/// which are easy.
fn classes(folder: &Path, name: &str, (rows, columns, values): (u64, u64, usize), more: u64) {
    let (mut dice, mut text) = (columns, String::new());
    for row in 0..rows {
        let mut own = std::collections::BTreeMap::new();
        while own.len() < values {
            let (column, value) = (next(&mut dice) % columns + 1, (next(&mut dice) % 1000) as f64 / 1000.0);
            let shift = if column % 2 == row % 2 { 0.45 } else { 0.5 };
            own.insert(column, value - shift);
        }
        let own: String = own.iter().map(|(column, value)| format!(" {column}:{value:.3}")).collect();
        text += &format!("{}{own}\n", row % 2);
    }
    text.extend((0..more).map(|class| format!("{} {}:5\n", class + 2, columns + class + 1)));
    fs::write(folder.join(name), text).unwrap();
}

/// The fits of many classes each take a small part of an epoch; with two classes, one fit takes all of it.
#[test]
fn linear_fits_as_one_problem_go_on_after_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    slow(folder, 1);
    classes(folder, "many.svm", (300, 120, 100), 98);
    classes(folder, "two.svm", (3000, 3000, 10), 0);
    for (line, limit, after) in [
        ("linear fit many.svm --loss hinge --C 1e4 --tol 1e-12", 3, 2),
        ("linear fit many.svm --loss squared-hinge --C 100 --tol 1e-10", 4, 2),
        ("linear fit many.svm --loss logistic --C 1e5 --tol 1e-13", 3, 1),
        ("linear fit two.svm --loss hinge --C 1e5 --tol 1e-15", 2, 1),
    ] {
        let line = format!("{line} --epochs {limit}");
        let (expected, status) = alone(folder, &line);
        assert!(
            report(&folder.join("alone"))["epochs"].as_u64().unwrap() > after,
            "{line} has too few epochs"
        );
        killed_after(folder, &line, after);
        fs::rename(folder.join("run"), folder.join("copy")).unwrap();
        let resume = format!("raddle launch --processes 2 --resume copy -- linear fit --epochs {limit}");
        let ran = run(folder, &resume);
        assert_eq!(ran.code, status, "{line}: {}", ran.err);
        assert_eq!(digest(&folder.join("copy")), expected, "{line}: {}", ran.err);
        fs::remove_dir_all(folder.join("copy")).unwrap();
        if after > 1 {
            continue;
        }
        // The process that solves the problem leaves at the first boundary: its successor has the rows, or
        // reads them.
        let mut leaving = Launched::begin(folder, &launch(2, &line));
        leaving.await_epoch(0);
        signal(&leaving.processes()[0], "-TERM");
        let place = leaving.run.clone();
        let (code, said) = leaving.end();
        assert_eq!(code, status, "{line}: {said}");
        assert_eq!(digest(&place), expected, "{line}: {said}");
        let generations = report(&place)["generations"].as_array().unwrap().clone();
        assert_eq!(generations.last().unwrap()["processes"], 1, "{line}: {said}");
    }
}
