//! [`CommandLine`]: a command line whose verb may be left out, and whose options may come from a run that is
//! resumed.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process;

use clap::error::ErrorKind;
use clap::{Arg, Command, Parser};
use raddle::command_line_support::{CHECKPOINT, NEXT_MODEL, built_from};
use raddle::simd_level::SimdLevel;

use super::foreign::{self, ForeignWords};
use super::{earlier, help, idle};
use crate::exit::{Error, ExitStatus};
use crate::run_folder::begun::{self, Begun, RecordedEnd};
use crate::run_folder::folder::{Earlier, RunFolder};
use crate::run_folder::resume::{self, Free};
use crate::run_folder::snapshot;
use crate::say::{say, say_json};

/// Description of a program's command line.
#[derive(Debug, Clone, Copy, Default)]
pub struct CommandLine<'a> {
    /// Verb of a line that names none, so that `lasso --json` is `lasso fit --json`.
    pub default: &'a str,
    /// Options that may differ when a run is resumed, in addition to those of every program.
    pub free: Free<'a>,
    /// Options of the short help (`-h`) in addition to those of every program, by their long names.
    pub common: &'a [&'a str],
    /// Cargo features that the program was built with, for `--version`.
    pub features: &'a [&'a str],
    /// Digest of the program's sources ([`sources!`](crate::sources)), by which processes of a run know each
    /// other; empty for a program that must be the same file everywhere.
    pub sources: &'a str,
    /// Words of other libraries and the answers to them, in addition to those of every program.
    pub foreign: ForeignWords<'a>,
}

impl CommandLine<'_> {
    /// Parses the command line of this process. With `--resume RUN` verb, data and options are those of the
    /// run; an option that is given and differs is refused, unless it cannot change the model. A run that has
    /// ended and left no checkpoint is not run again: its result is repeated.
    ///
    /// Bad usage, `--help` and `--version` end the process, as clap has it.
    pub fn parse<T: Parser>(self) -> T {
        let line: Vec<OsString> = std::env::args_os().collect();
        let command = T::command();
        if !self.sources.is_empty() {
            let version = command.get_version().unwrap_or_default();
            built_from(&format!("{} {version} {}", command.get_name(), self.sources));
        }
        let command = command.mut_subcommands(|verb| verb.mut_args(take_negative));
        let mut command = help::laid_out(self.versioned(command), self.common, &line);
        // The body of `main` has not started: the error ends the process here.
        let refuse = |error: &Error| -> ! {
            crate::exit::print_error(command.get_name(), error);
            process::exit(error.status().code().into())
        };
        if let Some(written) = super::generate::asked(&command, &line, || help::for_files(T::command())) {
            written.unwrap_or_else(|error| refuse(&error));
            process::exit(ExitStatus::Done.code().into());
        }
        debug_assert!(self.names_options_of(&command), "options that no verb has");
        let line = understood(&command, self, line).unwrap_or_else(|error| refuse(&error));
        let matches =
            command.clone().try_get_matches_from(&line).unwrap_or_else(|error| {
                match foreign::answer(&command, &line, &error, self.foreign) {
                    Some(answer) => refuse(&Error::usage(answer)),
                    None if error.kind() == ErrorKind::DisplayHelp => {
                        help::print(&error);
                        process::exit(ExitStatus::Done.code().into())
                    }
                    None => foreign::with_fair_tips(&command, &line, error).exit(),
                }
            });
        T::from_arg_matches(&matches).unwrap_or_else(|error| error.format(&mut command).exit())
    }

    /// `true` if every option that this description names is one of a verb.
    fn names_options_of(self, command: &Command) -> bool {
        let all = command.get_subcommands().flat_map(Command::get_arguments);
        let all: Vec<&str> = all.filter_map(Arg::get_long).collect();
        [self.common, self.free.neutral, self.free.limits].concat().iter().all(|name| all.contains(name))
    }

    /// Returns the command with a `--version` that names features and vector instructions, and the digest of
    /// the sources; `-V` prints the number alone.
    fn versioned(self, command: Command) -> Command {
        let features = if self.features.is_empty() { "none".into() } else { self.features.join(", ") };
        let forms: Vec<&str> = SimdLevel::available().iter().map(|level| level.name()).collect();
        let number = command.get_version().unwrap_or_default();
        let (current, forms) = (SimdLevel::current().name(), forms.join(", "));
        let mut long = format!("{number}\nfeatures: {features}\nvectors: {current} (of {forms})");
        if !self.sources.is_empty() {
            long += &format!("\nsources: {}", self.sources);
        }
        command.long_version(long)
    }
}

/// Returns the digest of the sources of the package that calls it, as its build script has made it. Without
/// such a script it is empty: then the processes of a run must start the same file everywhere.
#[macro_export]
macro_rules! sources {
    () => {
        match option_env!("RADDLE_SOURCES") {
            Some(digest) => digest,
            None => "",
        }
    };
}

/// Lets an option take `-1` as its value, so that the error is about the value of that option.
fn take_negative(arg: Arg) -> Arg {
    let takes = arg.get_long().is_some() && arg.get_action().takes_values();
    if takes { arg.allow_negative_numbers(true) } else { arg }
}

/// Returns the line with its verb and, if it resumes a run, the options of that run.
fn understood(
    command: &Command,
    CommandLine { default, free, foreign: words, .. }: CommandLine<'_>,
    line: Vec<OsString>,
) -> Result<Vec<OsString>, Error> {
    let word = line.get(1).and_then(|word| word.to_str()).unwrap_or_default();
    if let Some(why) = foreign::word_for_a_verb(command, default, word, words) {
        return Err(Error::usage(why));
    }
    let run = resumed(&line);
    let begun = run.as_deref().map(begun_in).transpose()?.flatten();
    let program = command.get_name();
    if let Some((run, begun)) = run.as_deref().zip(begun.as_ref())
        && begun.program != program
    {
        let (run, whose) = (run.display(), &begun.program);
        return Err(Error::usage(format!("--resume {run}: it is a run of {whose}, not of {program}")));
    }
    let verb = begun.as_ref().map_or(default, |begun| begun.verb.as_str());
    let line = with_verb(command, if verb.is_empty() { default } else { verb }, line);
    // A line that cannot be parsed is left to the parser, which says why and ends the process.
    let Ok(matches) = command.clone().try_get_matches_from(&line) else { return Ok(line) };
    let Some((verb, matches)) = matches.subcommand() else { return Ok(line) };
    let Some(verb) = command.find_subcommand(verb) else { return Ok(line) };
    let given = begun::given(verb, matches);
    idle::refuse_hidden(verb, &given)?;
    let Some((run, begun)) = run.zip(begun) else {
        begun::keep(verb.get_name(), given);
        return Ok(line);
    };
    if begun.verb != verb.get_name() {
        return Err(Error::usage(format!(
            "--resume {}: it is a run of `{program} {}`: leave out `{}`",
            run.display(),
            begun.verb,
            verb.get_name()
        )));
    }
    let options = resume::merge(&run, &begun, verb, &given, free)?;
    let out = options.get("out").and_then(|out| out.first()).map(Path::new);
    let stays = out.is_none_or(|out| earlier(Some(&run), Some(out), false) == Earlier::Resumed);
    // If other options are given, such as a tighter target, a run that kept no checkpoint starts from the
    // beginning.
    let is_same = free.neutral.iter().all(|&option| options.get(option) == begun.options.get(option));
    // A file of changes may have grown by now.
    let goes_on = run.join(CHECKPOINT).exists() || options.contains_key("changes");
    // The whole line, which names the folder in --out, starts a run again that was cut short.
    let is_over = |ended: &RecordedEnd| out.is_none() || !ended.is_cut_short();
    if let Some(ended) = begun.ended.filter(|ended| is_same && stays && is_over(ended) && !goes_on) {
        end_again(program, &run, &ended, options.contains_key("json"))?;
    }
    let words = begun::words(verb, &options);
    let mut asked = begun.options;
    let anew = free.neutral.iter().filter_map(|&option| options.get_key_value(option));
    asked.extend(anew.map(|(option, values)| (option.clone(), values.clone())));
    begun::keep(verb.get_name(), asked);
    Ok([program, verb.get_name()].into_iter().map(str::to_owned).chain(words).map(OsString::from).collect())
}

/// Returns the folder of the run that a line resumes.
fn resumed(line: &[OsString]) -> Option<PathBuf> {
    let mut words = line.iter();
    while let Some(word) = words.next() {
        if word == "--resume" {
            return words.next().map(PathBuf::from);
        }
        if let Some(run) = word.to_str().and_then(|word| word.strip_prefix("--resume=")) {
            return Some(run.into());
        }
    }
    None
}

/// Reads the request of the run in a folder; a commit during which the run was killed is completed first.
fn begun_in(run: &Path) -> Result<Option<Begun>, Error> {
    if run.join(NEXT_MODEL).exists() {
        drop(RunFolder::hold(run, Earlier::Resumed)?);
    }
    Begun::read(run)
}

/// Repeats the result of a run that has ended: its text, or its report with `--json`.
pub(crate) fn repeat(run: &Path, ended: &RecordedEnd, json: bool) -> Result<(), Error> {
    if !json {
        return say(&ended.said);
    }
    let path = run.join("report.json");
    match snapshot::json::<serde_json::Value>(&path)? {
        Some(report) => say_json(&report),
        None => Err(Error::input(format!("{}: there is no such file", path.display()))),
    }
}

/// Repeats the result of a run that has ended, and ends the process with the exit status of that run.
fn end_again(program: &str, run: &Path, ended: &RecordedEnd, json: bool) -> Result<(), Error> {
    repeat(run, ended, json)?;
    let is_done = ended.status == ExitStatus::Done.code();
    let why = if is_done {
        ""
    } else {
        ", and kept no checkpoint to continue from (--checkpoint-every N keeps one)"
    };
    eprintln!("{program}: the run in {} had ended{why}; its model is as it was", run.display());
    process::exit(ended.status.into())
}

/// Returns the line with its verb: `default` is put in unless the first word is a verb of the command, or
/// asks for help or the version, or is no file and looks like a mistyped verb.
pub fn with_verb(command: &Command, default: &str, mut line: Vec<OsString>) -> Vec<OsString> {
    let word = line.get(1).map(OsString::as_os_str);
    let general = ["help", "-h", "--help", "-V", "--version"];
    let is_verb = |word: &OsStr| {
        general.iter().any(|&other| word == other)
            || word
                .to_str()
                .is_some_and(|word| command.find_subcommand(word).is_some() || is_mistyped(command, word))
    };
    if !word.is_some_and(is_verb) {
        line.insert(line.len().min(1), default.into());
    }
    line
}

/// `true` if a word is nearly a verb, and neither a file nor an option (`--topics` next to the verb
/// `topics`): the parser then names the verb that is meant.
fn is_mistyped(command: &Command, word: &str) -> bool {
    let near = |verb: &str| {
        let changes = strsim::damerau_levenshtein(verb, word);
        changes <= if verb.len() > 3 { 2 } else { 1 } && changes < word.len()
    };
    !word.starts_with('-')
        && !Path::new(word).exists()
        && command.get_subcommands().any(|verb| near(verb.get_name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complete(line: &str) -> String {
        let command = Command::new("lasso").subcommand(Command::new("fit")).subcommand(Command::new("path"));
        let line = line.split_whitespace().map(OsString::from).collect();
        let line = with_verb(&command, "fit", line);
        line.iter().map(|word| word.to_str().unwrap()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_verb_may_be_left_out() {
        assert_eq!(complete("lasso"), "lasso fit");
        assert_eq!(complete("lasso --json"), "lasso fit --json");
        assert_eq!(complete("lasso --path x"), "lasso fit --path x");
        assert_eq!(complete("lasso data.svm --quiet"), "lasso fit data.svm --quiet");
        assert_eq!(complete("lasso path data.svm"), "lasso path data.svm");
        assert_eq!(complete("lasso fit"), "lasso fit");
    }

    #[test]
    fn help_and_version_are_the_programs_own() {
        for line in ["lasso --help", "lasso -h", "lasso help path", "lasso --version"] {
            assert_eq!(complete(line), line);
        }
    }

    #[test]
    fn a_mistyped_verb_is_suggested_and_a_file_of_that_name_is_data() {
        let command =
            || Command::new("lasso").subcommand(Command::new("fit")).subcommand(Command::new("predict"));
        for word in ["predct", "perdict", "predict2", "fti", "Fit"] {
            let line: Vec<OsString> = ["lasso", word, "run"].map(OsString::from).into();
            assert_eq!(with_verb(&command(), "fit", line.clone()), line, "{word}");
            let error = command().try_get_matches_from(line).unwrap_err().to_string();
            assert!(error.contains("unrecognized subcommand"), "{error}");
        }
        for word in ["mice", "diabetes", "f", "-q", "fit.csv", "prices.csv", "it/fit"] {
            let line: Vec<OsString> = ["lasso", word].map(OsString::from).into();
            assert_eq!(with_verb(&command(), "fit", line)[1], "fit", "{word}");
        }
    }

    #[test]
    fn the_run_of_a_line_is_found() {
        let run = |line: &str| resumed(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        assert_eq!(run("lasso fit --resume a/b --quiet"), Some("a/b".into()));
        assert_eq!(run("lasso --resume=run"), Some("run".into()));
        assert_eq!(run("lasso fit resume"), None);
    }
}
