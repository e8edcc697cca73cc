//! `linear fit`.

use raddle::cli::{Error, ExitStatus, Session, Timed};
use raddle_common::tables::{describe, read};
use raddle_datasets::{Labels, Table};
use raddle_lasso::files::Features;
use raddle_linear::{LinearError, Problem};

use super::fit_options::{FREE, Options};
use super::outcome::finished;
use super::refused::Named;

/// Fits, writes and reports.
pub(crate) fn fit(options: &Options) -> Result<ExitStatus, Error> {
    let train = &options.train;
    let linear = options.linear()?;
    let mut session = Session::begin("linear", env!("CARGO_PKG_VERSION"), train)?;
    session.refuse_distributed("linear", true)?;
    session.set_metric_name("gap");
    let reading = options.reading()?;
    let mut table = session.timed(Timed::Read, || read(train.data.as_deref(), &reading))?;
    let mut data = describe(&table);
    if table.format == "embedded" {
        data.notes.push("the response is whether a value is above the mean (1) or not (0)".into());
        above_the_mean(&mut table.y);
    }
    data.notes.iter().for_each(|note| session.screen().tell(note));
    let features = Features { zero_based: options.columns.text.zero_based, ..Features::of(&table) };
    let named = Named::new(&data.path, options.y.as_deref(), &features);
    let refuse = |why| named.refuse(why);
    let problem = session.timed(Timed::Prepare, || prepared(table, options.bias)).map_err(refuse)?;
    let engine = session.timed(Timed::Fit, || linear.engine(&problem)).map_err(refuse)?;
    let identity = raddle::cli::identity("linear", options, FREE, &[("data", &data.digest)])?;
    let outcome = session.run(engine.identity(identity))?;
    let fit = linear.finish(&problem, outcome).map_err(refuse)?;
    let (report, summary, text) = finished(&mut session, options, &fit, (data, &features))?;
    session.finish(report, &summary, &text)
}

/// The problem of a table, with its weights if there are some.
fn prepared(mut table: Table, bias: f64) -> Result<Problem, LinearError> {
    let problem = Problem::new(&table.x, &table.y, bias)?;
    match table.beside.pop() {
        None => Ok(problem),
        Some(Labels::Numbers(weights)) => problem.weights(weights),
        Some(Labels::Texts { .. }) => Err(LinearError::Parameter {
            name: "weights",
            why: "they are texts: name a column or a file of numbers".into(),
        }),
    }
}

/// Two classes of a response of numbers.
fn above_the_mean(y: &mut [f64]) {
    let mean = y.iter().sum::<f64>() / y.len() as f64;
    y.iter_mut().for_each(|value| *value = f64::from(u8::from(*value > mean)));
}
