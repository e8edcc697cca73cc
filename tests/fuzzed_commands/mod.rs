//! The programs as they are run, under abuse: options by chance, and files, vocabularies, priors, models and
//! checkpoints changed at random, their hashes made anew. Each command ends by itself with 0, 2 or 3 and says
//! why, without a panic, an abort or a hang.
//!
//! The seconds are those of `RADDLE_ABUSE_SECONDS`, 25 unless it is set; `RADDLE_ABUSE_SEED` names the first
//! case. Cases follow each other by number, so that one can be repeated; the folder of one that failed is
//! kept.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use dice::Dice;
use inputs::Inputs;
use watched::{Watched, watch};

use crate::commands::number;

mod dice;
mod forged;
mod inputs;
mod options;
mod watched;

/// Least number of commands of a kind that were done, and refused: with fewer the kind has tried nothing.
const LEAST: u64 = 3;
/// Most failures: more teach nothing new.
const MOST_FAILURES: usize = 30;

/// A command in a folder of its own.
struct Case {
    folder: PathBuf,
    words: Vec<String>,
    /// File on standard input.
    stdin: Option<PathBuf>,
}

/// Makes a command in a folder by chance.
type MakeCase = fn(&Inputs, &Path, &mut Dice) -> Case;

const KINDS: [(&str, MakeCase); 4] = [
    ("options", options::case),
    ("files", inputs::case),
    ("models", forged::model),
    ("checkpoints", forged::checkpoint),
];

/// The fault in the end of a command, if there is one.
fn wrong(watched: &Watched, words: &[String]) -> Option<String> {
    let Watched { code, out, err, processor, is_hung } = watched;
    if *is_hung {
        return Some(format!("it hangs ({processor:?} of processor time)"));
    }
    let Some(code) = *code else { return Some("a signal ended it".into()) };
    if !matches!(code, 0 | 2 | 3) {
        return Some(format!("exit status {code}"));
    }
    if ["panicked at", "RUST_BACKTRACE", "memory allocation of"].iter().any(|sign| err.contains(sign)) {
        return Some("it panics".into());
    }
    if code == 2 && !err.contains("error") {
        return Some("refused without a word".into());
    }
    let asks = |option: &str| words.iter().any(|word| word == option);
    let is_help = asks("--help") || asks("-h") || asks("--version") || asks("-V");
    if code != 2 && asks("--json") && !is_help {
        let line = out.strip_suffix('\n').unwrap_or(out);
        if line.contains('\n') || serde_json::from_str::<serde_json::Value>(line).is_err() {
            return Some("--json printed something else than one line of JSON".into());
        }
    }
    None
}

#[test]
fn whatever_the_programs_are_given_they_end_with_a_sentence() {
    let (seconds, first) = (number("RADDLE_ABUSE_SECONDS", 6), number("RADDLE_ABUSE_SEED", 0));
    let home = tempfile::tempdir().unwrap();
    let inputs = Inputs::new(&home.path().join("whole"));
    let began = Instant::now();
    let (mut case, mut ends, mut failures) = (first, [[0_u64; 4]; KINDS.len()], Vec::new());
    let tried_nothing =
        |ends: &[[u64; 4]]| ends.iter().any(|[done, _, refused, _]| *done < LEAST || *refused < LEAST);
    // However busy the machine is, some of each kind are tried.
    while seconds > 0
        && failures.len() < MOST_FAILURES
        && (began.elapsed() < Duration::from_secs(seconds) || (tried_nothing(&ends) && case - first < 20_000))
    {
        let mut dice = Dice::of_case(case);
        let folder = home.path().join("case");
        inputs.copy_files(&folder);
        let kind = dice.roll(KINDS.len());
        let made = KINDS[kind].1(&inputs, &folder, &mut dice);
        inputs.copy_models(&made);
        let watched = watch(&made);
        match wrong(&watched, &made.words) {
            None => ends[kind][watched.code.unwrap() as usize] += 1,
            Some(what) => {
                let kept = std::env::temp_dir().join(format!("raddle-fuzzed-{case}"));
                let _ = fs::remove_dir_all(&kept);
                raddle_common::testing::copy_folder(&folder, &kept);
                let said: String = watched.err.chars().take(600).collect();
                failures.push(format!(
                    "case {case}: {what}\n  cd {} && {:?} (stdin {:?})\n{said}\n",
                    kept.display(),
                    made.words,
                    made.stdin
                ));
                println!("{}", failures.last().unwrap());
            }
        }
        fs::remove_dir_all(&folder).unwrap();
        case += 1;
    }
    let tried = case - first;
    println!("{tried} cases from {first}");
    for ((kind, _), [done, _, refused, stopped]) in KINDS.iter().zip(ends) {
        println!("{kind}: {done} done, {refused} refused, {stopped} stopped");
    }
    assert!(failures.is_empty(), "{} of {tried} cases failed:\n{}", failures.len(), failures.concat());
    assert!(seconds == 0 || !tried_nothing(&ends), "{tried} cases tried nothing: {ends:?}");
}
