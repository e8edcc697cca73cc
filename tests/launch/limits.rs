//! Limits and signals of launched runs: they end within an epoch, on every process.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::commands::{command, next, run};

/// Rows of three classes, each of which is a shard, with a column 1e8 times the others: an epoch takes long.
fn uneven(folder: &Path) {
    let mut state = 5;
    let mut text = "wide,x1,x2,y\n".to_owned();
    for row in 0..60 {
        let mut x = || (next(&mut state) >> 11) as f64 / (1u64 << 53) as f64 - 0.5;
        writeln!(text, "{},{},{},{}", 1e8 * x(), x(), x(), ["a", "b", "c"][row % 3]).unwrap();
    }
    fs::write(folder.join("uneven.csv"), text).unwrap();
}

/// Command lines of each program whose epochs take long, unoptimised.
const FITS: [&str; 3] = [
    "linear fit uneven.csv --y y --loss hinge",
    "mf fit synth:ratings:users=400,items=300,n=20000 --solver als --rank 40 --validation none",
    "lda fit pydoc --topics 100 --progressive off --beta-anneal 1",
];
/// Seconds from a limit or a signal to the end. The promise is a tenth of the time before, or 1 s, of an
/// optimised build on a machine that does nothing else.
const WITHIN: u64 = 60;

#[test]
fn a_time_limit_ends_every_process_within_its_epoch() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    uneven(folder);
    for fit in FITS {
        let line = format!(
            "raddle launch --processes 2 --workers 1 -- {fit} --epochs 9999 --time-limit 0.5 --out cut \
             --force"
        );
        let began = Instant::now();
        let ran = run(folder, &line);
        assert_eq!(ran.code, Some(3), "{fit}: {}", ran.err);
        let cut = super::report(folder, "cut");
        assert_eq!((&cut["ending"], &cut["processes"]), (&"limit".into(), &2.into()), "{fit}");
        assert!(began.elapsed() < Duration::from_secs(WITHIN), "{fit}: {:?}", began.elapsed());
        // A fit has an epoch at least; on a machine that is busy the limit may come before it.
        if cut["epochs"] == 0 {
            continue;
        }
        // Epochs without a test of convergence are all that a run of als asks for: they end it with 0.
        let short = run(folder, &format!("{fit} --epochs {} --out short --quiet --force", cut["epochs"]));
        assert!(matches!(short.code, Some(0 | 3)), "{fit}: {}", short.err);
        assert_eq!(cut["model_digest"], super::report(folder, "short")["model_digest"], "{fit}");
    }
}

#[test]
fn an_interrupted_launcher_ends_every_process_within_its_epoch() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    uneven(folder);
    for fit in FITS {
        let line =
            format!("raddle launch --processes 2 --workers 1 -- {fit} --epochs 9999 --out cut --force");
        let mut launch = command(folder, &line);
        let mut launch = launch.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut said = BufReader::new(launch.stderr.take().unwrap()).lines().map(Result::unwrap);
        assert!(said.any(|line| line.starts_with("epoch ")), "{fit}");
        let (sent, began) =
            (Command::new("kill").args(["-INT", &launch.id().to_string()]).status(), Instant::now());
        assert!(sent.unwrap().success());
        let rest: Vec<String> = said.collect();
        assert_eq!(launch.wait().unwrap().code(), Some(130), "{fit}: {rest:?}");
        assert!(began.elapsed() < Duration::from_secs(WITHIN), "{fit}: {:?}", began.elapsed());
        assert_eq!(super::report(folder, "cut")["ending"], "interrupted", "{fit}");
    }
}
