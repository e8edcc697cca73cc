//! [`Runner`]: runs the engines of a fit.

use raddle::{Engine, Outcome, Program};

use crate::error::MfError;

/// Runs the engine of a fit, whatever its program: a place to set limits, plans of workers, checkpoints and
/// observers.
///
/// ```
/// use raddle::{Engine, Outcome, Program};
/// use raddle_mf::{Mf, MfError, Problem, Runner};
///
/// /// Two workers, four after the third epoch.
/// struct Elastic;
///
/// impl Runner for Elastic {
///     type Error = MfError;
///     fn run<P: Program>(&mut self, engine: Engine<P>) -> Result<Outcome<P>, MfError> {
///         Ok(engine.workers(2).rescale(&[(3, 4)]).run()?)
///     }
/// }
///
/// let source = "synth:ratings:users=90,items=50,n=2000";
/// let data = raddle_datasets::read_any_ratings(source, &Default::default())?;
/// let problem = Problem::new(90, 50, data.triples)?;
/// let mf = Mf::params().rank(4).epochs(5);
/// assert_eq!(mf.fit_on(&problem, &mut Elastic)?.model, mf.fit(&problem)?.model);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Runner {
    /// Error of the runner.
    type Error: From<MfError>;

    /// Runs an engine to its end.
    ///
    /// # Errors
    /// If the engine fails, or the runner's own work.
    fn run<P: Program>(&mut self, engine: Engine<P>) -> Result<Outcome<P>, Self::Error>;

    /// Runs work that only evaluates a model, so that its time can be recorded separately. By default it is
    /// just called.
    fn certify<T>(&mut self, work: impl FnOnce() -> T) -> T {
        work()
    }

    /// Announces the next run if there are several, such as `fold 1 of 5`. By default nothing is done.
    fn begins(&mut self, run: &str) {
        let _ = run;
    }
}

/// Runs engines as they are.
#[derive(Debug, Clone, Copy, Default)]
pub struct InProcess;

impl Runner for InProcess {
    type Error = MfError;

    fn run<P: Program>(&mut self, engine: Engine<P>) -> Result<Outcome<P>, MfError> {
        Ok(engine.run()?)
    }
}
