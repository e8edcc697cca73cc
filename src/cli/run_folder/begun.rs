//! [`Begun`]: `run.json`, the request of a run, so that `--resume RUN` alone is enough.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::OnceLock;

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use raddle::{Ending, Limit};
use serde::{Deserialize, Serialize};

use crate::exit::Error;

/// The name of the file.
pub(crate) const NAME: &str = "run.json";

/// Options as they were given, by their long names (`data` without dashes is an argument): one text a value.
pub(crate) type Given = BTreeMap<String, Vec<String>>;

/// `run.json`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Begun {
    pub(crate) program: String,
    pub(crate) version: String,
    pub(crate) verb: String,
    /// The options that were given when the run was started.
    pub(crate) options: Given,
    /// The end of the run; null while it is running.
    pub(crate) ended: Option<RecordedEnd>,
}

/// The end of a run that has a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct RecordedEnd {
    /// The ending, as in `report.json`.
    pub(crate) ending: String,
    /// The exit status.
    pub(crate) status: u8,
    /// Text that was written to stdout.
    pub(crate) said: String,
}

impl RecordedEnd {
    /// `true` if a limit or a request ended the run before it converged.
    pub(crate) fn is_cut_short(&self) -> bool {
        let cut_short = [Ending::Limit(Limit::Epochs), Ending::Interrupted];
        cut_short.iter().any(|ending| ending.name() == self.ending)
    }

    /// Returns the line of `said` that tells how the run ended: the one that [`Report::conclusion`] wrote,
    /// else the last.
    ///
    /// [`Report::conclusion`]: crate::Report::conclusion
    pub(crate) fn conclusion(&self) -> Option<&str> {
        let concludes =
            |line: &&str| ["done: ", "stopped", "interrupted: "].iter().any(|word| line.starts_with(word));
        let lines = || self.said.trim().lines();
        lines().rfind(concludes).or_else(|| lines().last())
    }
}

/// The command line of this process, once it is parsed.
static COMMAND_LINE: OnceLock<(String, Given)> = OnceLock::new();

/// Keeps the verb and the options of this process, for the run that it starts.
pub(crate) fn keep(verb: &str, options: Given) {
    // Only tests parse a second command line in a process.
    let _ = COMMAND_LINE.set((verb.into(), options));
}

impl Begun {
    /// Makes the record of a run that this process starts.
    pub(crate) fn now(program: &str, version: &str) -> Self {
        let (verb, options) = COMMAND_LINE.get().cloned().unwrap_or_default();
        Self { program: program.into(), version: version.into(), verb, options, ended: None }
    }

    /// Reads the record of the run in a folder, if one was started there.
    ///
    /// # Errors
    /// If the file cannot be read, or is not a `run.json`.
    pub(crate) fn read(folder: &Path) -> Result<Option<Self>, Error> {
        let path = folder.join(NAME);
        match fs::read(&path) {
            Ok(text) => serde_json::from_slice(&text).map(Some).map_err(|why| {
                Error::input(format!(
                    "{}: not what a run wrote ({why}): give its options again",
                    path.display()
                ))
            }),
            Err(why) if matches!(why.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
            Err(why) => Err(Error::input(format!("{}: {why}", path.display()))),
        }
    }
}

/// Returns the options that were given on a line.
pub(crate) fn given(verb: &Command, matches: &ArgMatches) -> Given {
    let is_given = |arg: &&Arg| matches.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine);
    let values = |arg: &Arg| -> Vec<String> {
        let raw = matches.get_raw(arg.get_id().as_str()).into_iter().flatten();
        let values: Vec<String> = raw.map(|value| value.to_string_lossy().into_owned()).collect();
        match arg.get_value_delimiter() {
            Some(between) => vec![values.join(&between.to_string())],
            None => values,
        }
    };
    verb.get_arguments().filter(is_given).map(|arg| (name(arg), values(arg))).collect()
}

/// Returns the long name of an option, or the name of an argument.
pub(crate) fn name(arg: &Arg) -> String {
    arg.get_long().unwrap_or_else(|| arg.get_id().as_str()).to_owned()
}

/// `true` if an option takes no value.
pub(super) fn is_flag(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::SetTrue | ArgAction::SetFalse | ArgAction::Count)
}

/// Returns the words that give these options, arguments first.
pub(crate) fn words(verb: &Command, options: &Given) -> Vec<String> {
    let arg = |option: &str| verb.get_arguments().find(|arg| name(arg) == option);
    let is_argument = |option: &str| arg(option).is_some_and(|arg| arg.get_long().is_none());
    let (arguments, options): (Vec<_>, Vec<_>) = options.iter().partition(|(option, _)| is_argument(option));
    let mut words: Vec<String> = arguments.into_iter().flat_map(|(_, values)| values.clone()).collect();
    for (option, values) in options {
        match arg(option).is_some_and(is_flag) || values.is_empty() {
            true => words.push(format!("--{option}")),
            false => words.extend(values.iter().map(|value| format!("--{option}={value}"))),
        }
    }
    words
}
