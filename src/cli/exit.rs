//! [`ExitStatus`] and [`Error`]: the exit status of a program, and its message when it fails.

use std::fmt;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use raddle::files::FileError;
use raddle::{Ending, EngineError, Metric};

/// Exit status of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum ExitStatus {
    /// Done: the metric reached its target, or without one the program's own stopping rule held.
    Done = 0,
    /// Failed, for a reason other than the command line or the input.
    Failed = 1,
    /// The command line or the input is at fault.
    Usage = 2,
    /// Not converged: the run missed its target, met a limit or diverged; the model is written and says so.
    Limit = 3,
    /// Interrupted; the model is written and says so.
    Interrupted = 130,
}

impl ExitStatus {
    /// Returns the status of a run with this ending and metric. A run that converged has failed if its target
    /// is missed; a run that diverged has the status of one that met a limit.
    pub fn of(ending: Ending, metric: &Metric) -> Self {
        match ending {
            Ending::Target => Self::Done,
            Ending::Converged if !metric.is_missed() => Self::Done,
            Ending::Converged | Ending::Limit(_) | Ending::Diverged => Self::Limit,
            Ending::Interrupted => Self::Interrupted,
        }
    }

    /// Returns the status with this number.
    pub(super) fn from_code(code: u8) -> Self {
        let all = [Self::Done, Self::Usage, Self::Limit, Self::Interrupted];
        all.into_iter().find(|status| status.code() == code).unwrap_or(Self::Failed)
    }

    /// Returns the number that the shell sees.
    pub fn code(self) -> u8 {
        self as u8
    }
}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> Self {
        status.code().into()
    }
}

/// Reason that a program failed: its exit status, and a text that names the option or the file and the
/// remedy.
#[derive(Debug)]
pub struct Error {
    status: ExitStatus,
    text: String,
}

impl Error {
    /// Makes an error of the command line.
    pub fn usage(text: impl fmt::Display) -> Self {
        Self { status: ExitStatus::Usage, text: text.to_string() }
    }

    /// Makes an error of the input: a file cannot be read, or has other content than it should.
    pub fn input(text: impl fmt::Display) -> Self {
        Self::usage(text)
    }

    /// Makes an error that is the fault of neither the command line nor the input.
    pub fn failed(text: impl fmt::Display) -> Self {
        Self { status: ExitStatus::Failed, text: text.to_string() }
    }

    /// Makes an error of a run that must not go on, such as one of too few parties.
    pub(super) fn limit(text: impl fmt::Display) -> Self {
        Self { status: ExitStatus::Limit, text: text.to_string() }
    }

    /// Makes the error of a file that cannot be written.
    pub fn write(path: &Path, why: impl fmt::Display) -> Self {
        Self::failed(format!("{}: cannot write: {why}", path.display()))
    }

    /// Ends the program without a message: another process gives it.
    pub(super) fn quiet(status: ExitStatus) -> Self {
        Self { status, text: String::new() }
    }

    /// Returns the exit status of a program that ends with this error.
    pub fn status(&self) -> ExitStatus {
        self.status
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Error {}

/// Settings that make no sense are errors of the command line; all others are failures.
impl From<EngineError> for Error {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Setting(_) | EngineError::Make { .. } | EngineError::Checkpoint { .. } => {
                Self::usage(error)
            }
            EngineError::BeforeBoundary { interrupted } => {
                let status = if interrupted { ExitStatus::Interrupted } else { ExitStatus::Limit };
                Self { status, text: error.to_string() }
            }
            _ => Self::failed(error),
        }
    }
}

/// A path that is not what it should be is an error of the input.
impl From<FileError> for Error {
    fn from(error: FileError) -> Self {
        match error {
            FileError::Refused { .. } | FileError::Line { .. } => Self::input(error),
            FileError::Write { .. } => Self::failed(error),
        }
    }
}

/// Runs a program to its exit status; an error is printed on stderr as `PROGRAM: error: ...`.
pub fn main(program: &str, body: impl FnOnce() -> Result<ExitStatus, Error>) -> ExitCode {
    let status = body().unwrap_or_else(|error| {
        print_error(program, &error);
        raddle::command_line_support::decline(&error.text);
        error.status()
    });
    raddle::command_line_support::remove_leftovers();
    status.into()
}

/// Prints an error on stderr.
pub(super) fn print_error(program: &str, error: &Error) {
    if error.text.is_empty() {
        return;
    }
    // No reader is left if stderr is closed.
    let _ = writeln!(std::io::stderr(), "{program}: error: {error}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle::Limit;

    #[test]
    fn endings_map_to_the_documented_numbers() {
        let free = Metric::new("rmse", 0.9, "validation data");
        let missed = free.clone().target(0.5);
        for metric in [&free, &missed] {
            let code = |ending| ExitStatus::of(ending, metric).code();
            assert_eq!(code(Ending::Target), 0);
            let limits = [Ending::Limit(Limit::Epochs), Ending::Limit(Limit::Time), Ending::Diverged];
            assert_eq!(limits.map(code), [3, 3, 3]);
            assert_eq!(code(Ending::Interrupted), 130);
        }
        assert_eq!(ExitStatus::of(Ending::Converged, &free), ExitStatus::Done);
        assert_eq!(ExitStatus::of(Ending::Converged, &missed), ExitStatus::Limit);
        assert_eq!((ExitStatus::Failed.code(), ExitStatus::Usage.code()), (1, 2));
    }

    #[test]
    fn errors_know_whose_fault_they_are() {
        assert_eq!(Error::usage("--x").status(), ExitStatus::Usage);
        assert_eq!(Error::input("file:3").status(), ExitStatus::Usage);
        assert_eq!(Error::failed("disk").status(), ExitStatus::Failed);
        assert_eq!(Error::from(EngineError::Setting("0 workers".into())).status(), ExitStatus::Usage);
        assert_eq!(Error::from(EngineError::Worker("panic".into())).status(), ExitStatus::Failed);
    }
}
