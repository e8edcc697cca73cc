//! Running the engines of a fit in a session.

use raddle::{Engine, Outcome, Program};
use raddle_cli::{Error, Session, Timed};
use raddle_mf::{MfError, Runner};

/// A session, and the identity of its checkpoints.
pub(crate) struct InSession<'a> {
    pub(crate) session: &'a mut Session,
    pub(crate) identity: String,
    /// `true` if the run follows others that make the same model, and has a checkpoint of its own.
    pub(crate) is_last: bool,
}

/// Reason why a fit in a session failed.
pub(crate) enum Failure {
    Fit(MfError),
    Run(Error),
}

impl From<MfError> for Failure {
    fn from(error: MfError) -> Self {
        Self::Fit(error)
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Fit(error) => refuse(error),
            Failure::Run(error) => error,
        }
    }
}

impl Runner for InSession<'_> {
    type Error = Failure;

    fn run<P: Program>(&mut self, engine: Engine<P>) -> Result<Outcome<P>, Failure> {
        let engine = engine.identity(self.identity.clone());
        let ran = if self.is_last { self.session.run_last(engine) } else { self.session.run(engine) };
        ran.map_err(Failure::Run)
    }

    fn certify<T>(&mut self, work: impl FnOnce() -> T) -> T {
        self.session.timed(Timed::Certify, work)
    }

    fn begins(&mut self, run: &str) {
        self.session.screen().stage(run);
    }
}

/// Classifies an error: a parameter out of range is bad usage, data that cannot be fitted are bad input, and
/// anything else is a failure.
pub(crate) fn refuse(error: MfError) -> Error {
    match error {
        MfError::Parameter { .. } => Error::usage(format!("--{error}")),
        MfError::Engine(error) => Error::from(error),
        error => Error::input(error),
    }
}
