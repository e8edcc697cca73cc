//! `linear fit`: fits a classifier.

use raddle::{Engine, Outcome, Program};
use raddle_cli::{Error, ExitStatus, PartiesFile, Session, Timed, refuse_without_effect};
use raddle_linear::{Linear, LinearError};

use super::fit_options::Options;
use super::outcome::{Found, hinted, write};
use super::parties;
use super::problem::{FREE, Prepared, started};
use super::refused::Named;

/// Runs the verb.
pub(crate) fn fit(options: &Options) -> Result<ExitStatus, Error> {
    let train = &options.train;
    let linear = options.linear()?;
    if let Some(file) = PartiesFile::from_environment()? {
        return parties::fit(options, &file, Session::begin("linear", env!("CARGO_PKG_VERSION"), train)?);
    }
    let given = [("--least-rows", options.least_rows.is_some()), ("--sum", options.sum.is_some())];
    refuse_without_effect(&given, "without parties")?;
    let mut session = Session::begin("linear", env!("CARGO_PKG_VERSION"), train)?;
    // Bad options are refused before data are read.
    options.in_parts(&linear)?;
    let delayed = options.delayed()?;
    options.by_sums(&linear)?;
    session.set_metric_name("gap");
    let Prepared { problem, data, features, class_weights, named } =
        options.problem.prepared(&mut session, train)?;
    let linear = linear.given(class_weights, Linear::class_weights);
    let (parts, sums) = (options.in_parts(&linear)?, options.by_sums(&linear)?);
    let identity = options.problem.identity(options, FREE, &data, train)?;
    let run = Running { session: &mut session, named: &named, identity };
    let fit = match (&parts, &sums, delayed) {
        (None, None, _) => {
            let linear = started(train, linear, &problem, (&features, &named))?;
            linear.finish(&problem, run.outcome(|| linear.engine(&problem))?)
        }
        (_, Some(sums), _) => sums.finish(&problem, run.outcome(|| sums.engine(&problem))?),
        (Some(parts), None, None) => parts.finish(&problem, run.outcome(|| parts.engine(&problem))?),
        (Some(parts), None, Some((links, lag))) => {
            parts.finish(&problem, run.outcome(|| parts.delayed(&problem, links, lag))?)
        }
    };
    let fit = fit.map_err(|why| named.refuse(why))?;
    let about = write(&mut session, &fit, &features)?;
    let report = session.report(options, data, fit.digest(), &fit.report, &fit.trace)?;
    let found = Found { fit: &fit, about: &about, features: &features };
    let report = found.reported(report);
    let (text, summary) = found.describe(&report.data.path, &session.place_of("coef.tsv"));
    let (report, hint) = hinted(report, &problem, &about);
    let text = format!("{text}\n{}{hint}", report.conclusion());
    session.finish(report, &summary, &text)
}

/// A run that is to be carried out.
struct Running<'a> {
    session: &'a mut Session,
    named: &'a Named,
    identity: String,
}

impl Running<'_> {
    fn outcome<P: Program>(
        self,
        make: impl FnOnce() -> Result<Engine<P>, LinearError>,
    ) -> Result<Outcome<P>, Error> {
        let engine = self.session.timed(Timed::Fit, make).map_err(|why| self.named.refuse(why))?;
        self.session.run(engine.identity(self.identity))
    }
}
