//! `--resume RUN`: the options that are taken from the run, and those that may be given in addition.

use std::fs;
use std::path::Path;

use clap::{Arg, Command};
use raddle::command_line_support::CHECKPOINT;

use super::begun::{self, Begun, Given};
use crate::exit::Error;

/// Options of every program that never change the model: they may differ when a run is resumed, and its
/// identity leaves them out.
const SHARED: Free<'static> = Free {
    neutral: &["cache", "checkpoint-every", "slowdown", "workers"],
    limits: &["explain", "force", "json", "out", "quiet", "rescale", "resume", "time-limit"],
};

/// Options of a program that may differ when a run is resumed, by their long names, in addition to those of
/// every program.
#[derive(Debug, Clone, Copy, Default)]
pub struct Free<'a> {
    /// Options that never change the model, such as of measures at the end.
    pub neutral: &'a [&'a str],
    /// Options that only limit one invocation, such as `epochs` where it is a limit: they are not taken from
    /// the run either.
    pub limits: &'a [&'a str],
}

impl Free<'_> {
    /// `true` if this option, by its long name, may have another value when a run is resumed.
    pub(crate) fn has(&self, option: &str) -> bool {
        self.is_limit(option) || [SHARED.neutral, self.neutral].concat().contains(&option)
    }

    /// `true` if this option is not taken from the run that is resumed.
    fn is_limit(&self, option: &str) -> bool {
        [SHARED.limits, self.limits].concat().contains(&option)
    }
}

/// Returns the options of a resumed run: its own, and those given now that may differ.
pub(crate) fn merge(
    run: &Path,
    begun: &Begun,
    verb: &Command,
    given: &Given,
    free: Free<'_>,
) -> Result<Given, Error> {
    let mut merged = begun.options.clone();
    merged.retain(|option, _| !free.is_limit(option));
    for (option, values) in given {
        let arg = verb.get_arguments().find(|arg| begun::name(arg) == *option);
        let is_free =
            free.has(option) || (option == "data" && may_be(values, begun.options.get(option), run));
        if !is_free {
            compare(run, option, values, begun.options.get(option), arg)?;
        }
        merged.insert(option.clone(), values.clone());
    }
    Ok(merged)
}

/// Refuses a value that differs from the run's.
fn compare(
    run: &Path,
    option: &str,
    now: &[String],
    then: Option<&Vec<String>>,
    arg: Option<&Arg>,
) -> Result<(), Error> {
    let default: Vec<String> = arg
        .map(|arg| arg.get_default_values())
        .unwrap_or_default()
        .iter()
        .map(|value| value.to_string_lossy().into_owned())
        .collect();
    let is_flag = arg.is_some_and(begun::is_flag);
    let shown = |values: &[String]| match (is_flag, option) {
        (true, _) => format!("--{option}"),
        (false, "data") => values.join(" "),
        (false, _) => format!("--{option} {}", values.join(",")),
    };
    let was = match then {
        Some(then) if equal(now, then) => return Ok(()),
        Some(then) => format!("with {}", shown(then)),
        None if !is_flag && !default.is_empty() && equal(now, &default) => return Ok(()),
        None if is_flag || default.is_empty() => "without it".into(),
        None => format!("with {}, the default", shown(&default)),
    };
    Err(Error::usage(format!(
        "{}: the run in {} was begun {was}: leave it out to continue that run, or start another one",
        shown(now),
        run.display()
    )))
}

/// `true` if two options have equal values, as text or as numbers.
fn equal(now: &[String], then: &[String]) -> bool {
    let same = |(a, b): (&String, &String)| {
        let numbers = a.parse::<f64>().ok().zip(b.parse::<f64>().ok());
        a == b || numbers.is_some_and(|(a, b)| a == b)
    };
    now.len() == then.len() && now.iter().zip(then).all(same)
}

/// `true` if data at another path may be equal: the path leads to the same file, or there is a checkpoint,
/// which has the digest of the data and will be compared.
fn may_be(now: &[String], then: Option<&Vec<String>>, run: &Path) -> bool {
    let file = |values: &[String]| fs::canonicalize(values.first()?).ok();
    let (now, then) = (file(now), then.and_then(|then| file(then)));
    now.is_some() && (now == then || run.join(CHECKPOINT).is_file())
}

#[cfg(test)]
mod tests {
    use clap::{ArgAction, Args as _};

    use super::*;
    use crate::options::TrainOptions;

    fn verb() -> Command {
        Command::new("fit").args([
            Arg::new("data"),
            Arg::new("ratio").long("ratio").default_value("10"),
            Arg::new("lambda").long("lambda"),
            Arg::new("refit").long("refit").action(ArgAction::SetTrue),
            Arg::new("workers").long("workers"),
            Arg::new("quiet").long("quiet").action(ArgAction::SetTrue),
            Arg::new("epochs").long("epochs"),
            Arg::new("ranks").long("ranks").value_delimiter(','),
        ])
    }

    fn given(line: &str) -> Given {
        let line = format!("fit {line}");
        begun::given(&verb(), &verb().get_matches_from(line.split_whitespace()))
    }

    fn merged(then: &str, now: &str) -> Result<String, String> {
        let begun = Begun { options: given(then), ..Begun::default() };
        let options =
            merge(Path::new("run"), &begun, &verb(), &given(now), Free { neutral: &[], limits: &["epochs"] });
        options.map(|options| begun::words(&verb(), &options).join(" ")).map_err(|error| error.to_string())
    }

    #[test]
    fn a_run_keeps_its_options_and_takes_new_ones_that_change_nothing() {
        let then = "d.csv --ratio 20 --refit --workers 3 --quiet --epochs 4 --ranks 16,32";
        let kept = "d.csv --ranks=16,32 --ratio=20 --refit --workers=3";
        assert_eq!(merged(then, "").unwrap(), kept);
        assert_eq!(merged(then, "d.csv --ratio 20.0 --refit").unwrap(), kept.replace("=20", "=20.0"));
        let other = kept.replace("--workers=3", "--quiet --workers=1").replace("d.csv", "d.csv --epochs=9");
        let mut words: Vec<&str> = other.split(' ').collect();
        words[1..].sort_unstable();
        assert_eq!(merged(then, "--workers 1 --quiet --epochs 9").unwrap(), words.join(" "));
        assert_eq!(merged("d.csv", "--ratio 10").unwrap(), "d.csv --ratio=10");
    }

    #[test]
    fn a_changed_option_is_named_with_both_values() {
        for (then, now, said) in [
            ("--ratio 20", "--ratio 30", "--ratio 30: the run in run was begun with --ratio 20: leave"),
            ("", "--ratio 30", "--ratio 30: the run in run was begun with --ratio 10, the default"),
            ("", "--lambda 3", "--lambda 3: the run in run was begun without it"),
            ("", "--refit", "--refit: the run in run was begun without it"),
            ("a.csv", "b.csv", "b.csv: the run in run was begun with a.csv"),
            ("--ranks 16,32", "--ranks 16", "--ranks 16: the run in run was begun with --ranks 16,32"),
        ] {
            let refused = merged(then, now).unwrap_err();
            assert!(refused.starts_with(said), "{refused}");
        }
    }

    #[test]
    fn free_options_are_options_of_every_program() {
        let command = TrainOptions::augment_args(Command::new("fit"));
        let options: Vec<&str> = command.get_arguments().filter_map(Arg::get_long).collect();
        let names = [SHARED.neutral, SHARED.limits].concat();
        // Data that are cached are those of most programs.
        assert!(names.iter().all(|name| options.contains(name) || *name == "cache"), "{names:?}");
    }
}
