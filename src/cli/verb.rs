//! [`parse_or`]: a command line whose verb may be left out.

use std::ffi::{OsStr, OsString};

use clap::{Command, Parser};

/// Parses the command line; `default` is its verb if none is given, so that `lasso --json` is `lasso fit --json`.
/// Bad usage, `--help` and `--version` end the process, as clap has it.
pub fn parse_or<T: Parser>(default: &str) -> T {
    T::parse_from(with_verb(&T::command(), default, std::env::args_os().collect()))
}

/// The line with its verb: `default` is put in unless the first word is a verb of the command, or asks for help or
/// the version.
pub fn with_verb(command: &Command, default: &str, mut line: Vec<OsString>) -> Vec<OsString> {
    let word = line.get(1).map(OsString::as_os_str);
    let general = ["help", "-h", "--help", "-V", "--version"];
    let is_verb = |word: &OsStr| {
        general.iter().any(|&other| word == other)
            || word.to_str().is_some_and(|word| command.find_subcommand(word).is_some())
    };
    if !word.is_some_and(is_verb) {
        line.insert(line.len().min(1), default.into());
    }
    line
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
}
