//! A cross-validation that a limit or Ctrl-C ended: nothing can be chosen yet, so no model is written.

use raddle::RunReport;
use raddle::cli::{Data, Error, ExitStatus, PartRuns, Session, TrainOptions};
use serde::Serialize;

/// Counts over all runs, with ending, metric and objective of the model's run.
pub fn ended_as(total: RunReport, model: &RunReport) -> RunReport {
    let RunReport { ending, metric, objective, .. } = model.clone();
    RunReport { ending, metric, objective, ..total }
}

/// Ends a session of so many folds whose run of one of them, by its number from 0, was cut short; `title`
/// begins the sentence that says so, `choice` is what was to be chosen.
///
/// # Errors
/// If report or trace cannot be written.
pub fn unfinished(
    session: Session,
    (options, train): (&impl Serialize, &TrainOptions),
    data: Data,
    (number, last): (usize, &RunReport),
    parts: PartRuns,
    (folds, title, choice): (usize, &str, &str),
) -> Result<ExitStatus, Error> {
    let run = ended_as(parts.run.unwrap_or_else(|| last.clone()), last);
    let report = session.report(options, data, String::new(), &run, &parts.trace)?;
    let done = parts.done.iter().flatten().count();
    let report = report.result("folds", folds as u64).result("folds_done", done as u64);
    let way = match train.folder().filter(|_| train.checkpoint_every.is_some()) {
        Some(folder) => format!("; --resume {} goes on with it", folder.display()),
        None => String::new(),
    };
    let text = format!(
        "{title} on {}: it ended in fold {} of {folds}, so no {choice} is chosen and no model is written{way}\n\n{}",
        report.data.path,
        number + 1,
        report.conclusion()
    );
    session.finish_without_model(report, &text)
}
