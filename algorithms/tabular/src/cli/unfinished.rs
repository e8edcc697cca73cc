//! The end of a cross-validation that a limit or Ctrl-C cut short: nothing can be chosen, so no model is
//! written.

use raddle::RunReport;
use raddle_cli::{Data, Error, ExitStatus, PartRuns, Session, TrainOptions};
use serde::Serialize;

/// Returns the counts over all runs, with the ending, metric and objective of the model's run.
pub fn ended_as(total: RunReport, model: &RunReport) -> RunReport {
    let RunReport { ending, metric, objective, .. } = model.clone();
    RunReport { ending, metric, objective, ..total }
}

/// Ends a session of folds of which one was cut short. `title` starts the sentence that says so, and `choice`
/// is what was to be chosen.
///
/// # Errors
/// If none was cut short, or the report or the trace cannot be written.
pub fn unfinished(
    session: Session,
    options: &impl Serialize,
    train: &TrainOptions,
    data: Data,
    parts: PartRuns,
    title: &str,
    choice: &str,
) -> Result<ExitStatus, Error> {
    let (number, last) = parts.cut.ok_or_else(|| Error::failed("all folds came to their end"))?;
    let run = ended_as(parts.run.unwrap_or_else(|| last.clone()), &last);
    let report = session.report(options, data, String::new(), &run, &parts.trace)?;
    let (folds, done) = (parts.done.len(), parts.done.iter().flatten().count());
    let report = report.result("folds", folds as u64).result("folds_done", done as u64);
    let way = match train.folder().filter(|_| train.checkpoint_every.is_some()) {
        Some(folder) => format!("; --resume {} goes on with it", folder.display()),
        None => String::new(),
    };
    let text = format!(
        "{title} on {}: it ended in fold {} of {folds}, so no {choice} is chosen and no model is \
         written{way}\n\n{}",
        report.data.path,
        number + 1,
        report.conclusion()
    );
    session.finish_without_model(report, &text)
}
