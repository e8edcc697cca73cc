//! [`CutShort`]: the end of a choice among parts that a limit or Ctrl-C cut short: nothing can be chosen, so
//! no model is written.

use serde::Serialize;

use super::super::exit::{Error, ExitStatus};
use super::super::parts::PartRuns;
use super::super::report::Data;
use super::super::report::combine::ended_as;
use super::Session;

/// The words of a message that says what was cut short.
#[derive(Debug, Clone, Copy)]
pub struct CutShort<'a> {
    /// Start of the sentence, such as "Cross-validation of a classifier".
    pub title: &'a str,
    /// Noun for the parts, in the plural.
    pub parts: &'a str,
    /// Name of each part.
    pub names: &'a [String],
    /// Name of the thing to choose, such as "lambda".
    pub choice: &'a str,
}

impl CutShort<'_> {
    /// Ends a session in which one of its `runs` was cut short; `parameters` are all options of the program.
    ///
    /// # Errors
    /// If none was cut short, or the report or the trace cannot be written.
    pub fn finish(
        self,
        session: Session,
        parameters: &impl Serialize,
        data: Data,
        runs: PartRuns,
    ) -> Result<ExitStatus, Error> {
        let Self { title, parts, names, choice } = self;
        let (number, last) =
            runs.cut.ok_or_else(|| Error::failed(format!("all {parts} came to their end")))?;
        let run = ended_as(runs.run.unwrap_or_else(|| last.clone()), &last);
        let report = session.report(parameters, data, String::new(), &run, &runs.trace)?;
        let done = runs.done.iter().flatten().count();
        let report = report.result(parts, names.len() as u64).result(&format!("{parts}_done"), done as u64);
        let options = &session.options;
        let way = match options.folder().filter(|_| options.checkpoint_every.is_some()) {
            Some(folder) => format!("; --resume {} goes on with it", folder.display()),
            None => String::new(),
        };
        let text = format!(
            "{title} on {}: it ended in {}, so no {choice} is chosen and no model is written{way}\n\n{}",
            report.data.path,
            names[number],
            report.conclusion()
        );
        session.finish_without_model(report, &text)
    }
}
