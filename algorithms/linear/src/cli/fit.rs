//! `linear fit`: fits a classifier.

use raddle_cli::{Error, ExitStatus, Session, Timed};
use raddle_linear::Linear;

use super::fit_options::Options;
use super::outcome::{Found, hinted, write};
use super::problem::{Prepared, started};

/// Runs the verb.
pub(crate) fn fit(options: &Options) -> Result<ExitStatus, Error> {
    let train = &options.train;
    let linear = options.linear()?;
    let mut session = Session::begin("linear", env!("CARGO_PKG_VERSION"), train)?;
    // Bad options are refused before data are read.
    options.in_parts(&linear)?;
    options.by_sums(&linear)?;
    session.set_metric_name("gap");
    let Prepared { problem, data, features, class_weights, named } =
        options.problem.prepared(&mut session, train)?;
    let linear = linear.given(class_weights, Linear::class_weights);
    let (parts, sums) = (options.in_parts(&linear)?, options.by_sums(&linear)?);
    let identity = options.problem.identity(options, &data, train)?;
    let fit = match (&parts, &sums) {
        (None, None) => {
            let linear = started(train, linear, &problem, (&features, &named))?;
            let engine = session.timed(Timed::Fit, || linear.engine(&problem));
            let outcome = session.run(engine.map_err(|why| named.refuse(why))?.identity(identity))?;
            linear.finish(&problem, outcome)
        }
        (_, Some(sums)) => {
            let engine = session.timed(Timed::Fit, || sums.engine(&problem));
            let outcome = session.run(engine.map_err(|why| named.refuse(why))?.identity(identity))?;
            sums.finish(&problem, outcome)
        }
        (Some(parts), None) => {
            let engine = session.timed(Timed::Fit, || parts.engine(&problem));
            let outcome = session.run(engine.map_err(|why| named.refuse(why))?.identity(identity))?;
            parts.finish(&problem, outcome)
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
