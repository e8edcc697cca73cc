//! `lasso fit`.

use raddle_cli::{Error, ExitStatus, Session, Timed};
use raddle_lasso::Fit;

use super::fit_options::Options;
use super::outcome::finished;
use super::problem::{self, Ready};
use super::refused::refuse_named;
use super::versions;

/// Fits, and writes the model and the report.
pub(crate) fn fit(options: &Options) -> Result<ExitStatus, Error> {
    let train = &options.train;
    options.changes.check(train)?;
    let mut session = Session::begin("lasso", env!("CARGO_PKG_VERSION"), train)?;
    session.set_metric_name("gap");
    let lasso = options.lasso()?;
    if options.changes.changes.is_some() {
        return versions::fit(options, session);
    }
    let held_out = options.held_out()?;
    let ready = options.problem.ready(&mut session, train, held_out)?;
    let test = options.test_set(&mut session, held_out, &ready)?;
    let Ready { problem, data, features } = ready;
    let lasso = options.problem.of_columns(lasso, train, &features, problem.columns())?;
    let engine = session.timed(Timed::Fit, || lasso.engine(&problem));
    let engine = engine.map_err(|why| refuse_named(why, &data.path, &features))?;
    // The tolerance only decides when a fit ends, so a resumed run may have another.
    let identity = problem::identity(options, problem::FREE, &data.digest, train)?;
    let outcome = session.run(engine.identity(identity))?;
    let fit = Fit::new(&problem, outcome);
    let (report, summary, text) = finished(&mut session, options, &fit, data, &features, None, test)?;
    session.finish(report, &summary, &text)
}
