//! [`JobLine`]: the command line of a job, parsed as far as the pool needs it.

use std::path::{Path, PathBuf};

use raddle_cli::verbs_of;

/// Verbs whose runs can be held, as they train a single model.
const HELD: [&str; 2] = ["fit", "path"];

/// Options with which these verbs train several models.
const SEVERAL: [&str; 2] = ["--refit", "--changes"];

/// Options that a job cannot have, with the reasons.
const OWN: [(&str, &str); 4] = [
    ("--workers", "the pool assigns workers: use `least` and `most`"),
    ("--rescale", "the pool assigns workers: use `least` and `most`"),
    ("--resume", "the pool resumes its jobs itself: give the command line that starts the run"),
    ("--force", "a job of a pool replaces no other run: give another folder with --out"),
];

/// Words of a command line with the quotes of a shell, without expansions.
pub(super) fn words(line: &str) -> Result<Vec<String>, String> {
    shlex::split(line).ok_or_else(|| "its command line ends inside quotes: close them".into())
}

/// The command line of a job.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct JobLine {
    /// The program and its arguments.
    pub(super) command: Vec<String>,
    /// Folder of the run.
    pub(super) out: Option<PathBuf>,
    /// Maximum number of epochs.
    pub(super) epochs: Option<u64>,
    /// `true` if the run can be held.
    pub(super) is_held: bool,
}

impl JobLine {
    /// Parses the words of a command line.
    pub(super) fn of(mut words: Vec<String>, is_program: &dyn Fn(&str) -> bool) -> Result<Self, String> {
        if words.first().is_some_and(|word| word == "raddle") {
            words.remove(0);
        }
        let program = words.first().filter(|word| !word.is_empty());
        let program = program
            .ok_or("it has no program: write its command line, as in `mf fit ratings.csv --out mf`")?;
        if !is_program(program) {
            return Err(format!(
                "there is no program `{program}` next to this one or on PATH: install it there, or give its path"
            ));
        }
        let name = Path::new(program).file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        let verbs = verbs_of(name);
        let verb = words.get(1).map(String::as_str).filter(|word| verbs.contains(word)).unwrap_or("fit");
        let is_one = SEVERAL.iter().all(|option| values(&words, option).is_empty());
        let is_held = !verbs.is_empty() && HELD.contains(&verb) && name != "pool" && is_one;
        if !verbs.is_empty()
            && let Some((option, why)) = OWN.iter().find(|(option, _)| !values(&words, option).is_empty())
        {
            return Err(format!("{option} cannot be given to a job: {why}"));
        }
        if !verbs.is_empty() && words.iter().any(|word| word == "-" || word.ends_with("=-")) {
            return Err(
                "a job has no standard input (-): write it to a file, and name that in place of -".into()
            );
        }
        let outs = values(&words, "--out");
        let out = match outs.as_slice() {
            [] if is_held => {
                return Err("it has no --out: give it a folder for its run, as --out mf64".into());
            }
            [] => None,
            [Some(out)] if !out.is_empty() => Some(PathBuf::from(out)),
            [_] => return Err("--out is without a folder: name one".into()),
            _ => return Err("--out is given twice: keep one".into()),
        };
        let epochs = values(&words, "--epochs").first().copied().flatten().and_then(|text| text.parse().ok());
        Ok(Self { out, epochs, is_held, command: words })
    }
}

/// Values of an option, written `--name VALUE` or `--name=VALUE`; `None` for an option at the end of the
/// line.
fn values<'a>(words: &'a [String], option: &str) -> Vec<Option<&'a str>> {
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let of = |at: usize| match words[at].strip_prefix(option) {
        Some("") => Some(words[..end].get(at + 1).map(String::as_str)),
        Some(rest) => rest.strip_prefix('=').map(Some),
        None => None,
    };
    (0..end).filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<JobLine, String> {
        JobLine::of(words(line)?, &|name| ["mf", "lasso", "bin/lda", "sleep", "pool"].contains(&name))
    }

    #[test]
    fn words_are_those_of_a_shell() {
        let line = parse("raddle mf fit 'my ratings.csv' --epochs=20 --out \"a b\"/c").unwrap();
        assert_eq!(line.command, ["mf", "fit", "my ratings.csv", "--epochs=20", "--out", "a b/c"]);
        assert_eq!((line.out, line.epochs, line.is_held), (Some("a b/c".into()), Some(20), true));
        assert!(parse("bin/lda --out x").unwrap().is_held && parse("lasso path a --out x").unwrap().is_held);
    }

    #[test]
    fn what_cannot_be_held_needs_no_folder() {
        let several = ["mf fit a --refit", "mf fit a --changes=b"];
        for line in
            ["lasso cv a.csv", "sleep 5", "sleep --workers 5", "pool run x"].into_iter().chain(several)
        {
            let line = parse(line).unwrap();
            assert!(!line.is_held && line.out.is_none(), "{line:?}");
        }
    }

    #[test]
    fn lines_that_the_pool_cannot_use_say_what_to_do() {
        for (line, words) in [
            ("", "has no program"),
            ("mff fit --out a", "no program `mff`"),
            ("mf fit 'a --out b", "inside quotes"),
            ("mf fit a", "no --out"),
            ("lasso fit - --y y --out a", "no standard input (-): write it to a file"),
            ("mf fit a --out", "without a folder"),
            ("mf fit a --out=", "without a folder"),
            ("mf fit a --out b --out=c", "--out is given twice"),
            ("mf fit a --out b --force", "replaces no other run"),
            ("mf fit a --resume=b --out b", "resumes its jobs itself"),
            ("mf fit a --out b --workers 3", "use `least` and `most`"),
            ("mf cv a --workers=3", "use `least` and `most`"),
            ("mf fit a --out b --rescale 3:4", "use `least` and `most`"),
        ] {
            let error = parse(line).unwrap_err();
            assert!(error.contains(words), "{line}: {error}");
        }
    }
}
