//! The end of a cross-validation that a limit or Ctrl-C cut short: nothing can be chosen, so no model is
//! written.

use raddle::RunReport;
use raddle_cli::{CutShort, Data, Error, ExitStatus, PartRuns, Session, TrainOptions};
use serde::Serialize;

/// Ends a session of `folds` folds of which one, numbered from 0, was cut short. `title` starts the sentence
/// that says so, and `choice` is what was to be chosen.
///
/// # Errors
/// If the report or the trace cannot be written.
pub fn unfinished(
    session: Session,
    (options, _): (&impl Serialize, &TrainOptions),
    data: Data,
    (number, last): (usize, &RunReport),
    parts: PartRuns,
    (folds, title, choice): (usize, &str, &str),
) -> Result<ExitStatus, Error> {
    let part = format!("fold {} of {folds}", number + 1);
    let words = CutShort { title, part: &part, parts: "folds", count: folds, choice };
    words.finish(session, options, data, last, parts)
}
