//! The options that say what is fitted: shared by the verbs that train.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use raddle::cli::{Data, Error, Free, ROUND_OPTIONS, Session, Timed, TrainOptions};
use raddle_common::listing::many_classes;
use raddle_common::samples::numbers;
use raddle_common::tables::{ColumnArgs, describe, describe_stored, kept, open, read};
use raddle_datasets::{Beside, Classes, Encoding, Options as Reading, Table};
use raddle_lasso::files::Features;
use raddle_linear::files::Saved;
use raddle_linear::{Linear, LinearError, Loss, Problem};
use serde::{Serialize, Serializer};

use super::refused::Named;

/// A tolerance only says when a fit ends; epochs end an attempt.
pub(super) const FREE: Free<'_> = Free { neutral: &["tol"], limits: &["epochs"] };

/// The response, the loss, the preparation, the tolerance.
#[derive(Debug, Args, Serialize)]
pub(crate) struct ProblemOptions {
    /// The response: a column's name, its index from 1 (-1 is the last), or a file; libsvm has its own.
    #[arg(short, long, value_name = "NAME|INDEX|FILE", allow_hyphen_values = true)]
    y: Option<String>,
    /// squared-hinge, hinge or logistic.
    #[arg(long, value_name = "NAME", default_value = "squared-hinge", value_parser = losses())]
    #[serde(serialize_with = "by_name")]
    loss: Loss,
    /// Stop at this relative duality gap, (P - D) / P.
    #[arg(long, value_name = "X", default_value_t = 1e-4, allow_negative_numbers = true)]
    tol: f64,
    /// balanced: weigh classes so that all count the same.
    #[arg(long, value_name = "RULE")]
    class_weights: Option<ClassWeights>,
    /// Count each row this many times: a column, which is no feature then, or a file with one value a row.
    #[arg(long, value_name = "NAME|FILE")]
    weights: Option<String>,
    /// The value of a constant column, whose coefficient is penalised as the others; 0 for none.
    #[arg(long, value_name = "X", default_value_t = 1.0, allow_negative_numbers = true)]
    pub(super) bias: f64,
    /// Divide columns by their standard deviations, without centring: sparse data stay sparse. Coefficients
    /// are those of the columns as they stand.
    #[arg(long)]
    pub(super) scale: bool,
    #[command(flatten)]
    #[serde(flatten)]
    columns: ColumnArgs,
}

/// Weighing of classes.
#[derive(Debug, Clone, Copy, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
enum ClassWeights {
    /// All count the same.
    Balanced,
}

/// The losses by name.
fn losses() -> impl TypedValueParser<Value = Loss> {
    let names = PossibleValuesParser::new(Loss::NAMES.map(|(name, _)| name));
    names.try_map(|name| Loss::named(&name).ok_or("no loss has this name"))
}

/// A loss as options show it.
fn by_name<S: Serializer>(loss: &Loss, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(loss.name())
}

/// A problem to fit, of data that were read.
pub(super) struct Prepared {
    pub(super) problem: Problem,
    pub(super) data: Data,
    pub(super) features: Features,
    /// Names for messages.
    pub(super) named: Named,
}

/// Data as they were read.
pub(super) struct Ready {
    pub(super) table: Table,
    pub(super) data: Data,
    pub(super) features: Features,
    pub(super) weights: Option<Vec<f64>>,
    /// Names for messages.
    pub(super) named: Named,
}

impl ProblemOptions {
    /// The parameters, but for C; shards are those of parts.
    pub(super) fn linear(&self, train: &TrainOptions, is_in_parts: bool) -> Result<Linear, Error> {
        train.schedule_from(&[("auto", ())])?;
        train.refuse_idle(&ROUND_OPTIONS, "with linear")?;
        // Shards are parts of the rows.
        if !is_in_parts {
            train.refuse_idle(&["shards"], "with linear")?;
        }
        let linear = Linear::params().loss(self.loss).tolerance(self.tol).seed(train.seed);
        Ok(linear.balanced(self.class_weights.is_some()))
    }

    /// Reads the data, and other columns beside the features.
    pub(super) fn read(
        &self,
        session: &mut Session,
        train: &TrainOptions,
        other: Option<Beside>,
    ) -> Result<Ready, Error> {
        let reading = self.reading(train, other)?;
        let table = session.timed(Timed::Read, || read(train.data.as_deref(), &reading))?;
        let data = describe(&table);
        self.ready(session, table, data)
    }

    /// How the data are read.
    fn reading(&self, train: &TrainOptions, other: Option<Beside>) -> Result<Reading, Error> {
        let (format, y) = (train.format.as_deref(), self.y.as_deref());
        let options = self.columns.text.options(format, y, train.worker_count())?;
        let weights = self.weights.iter().map(|name| Beside { option: "--weights", name: name.clone() });
        let (beside, columns) = (weights.chain(other).collect(), self.columns.chosen());
        Ok(Reading { classes: Classes::Any, beside, columns, ..options })
    }

    /// Reads the data and prepares the problem; on several processes the data are read once, and each takes
    /// the rows that it needs.
    pub(super) fn prepared(&self, session: &mut Session, train: &TrainOptions) -> Result<Prepared, Error> {
        let folder = kept(None, train, session);
        let open = |folder: PathBuf| {
            let reading = self.reading(train, None)?;
            session.timed(Timed::Read, || open(train.data.as_deref(), &reading, &folder))
        };
        let stored = folder.map(open).transpose()?;
        let Ready { table, data, features, weights, named } = match &stored {
            Some(stored) => self.ready(session, stored.described().clone(), describe_stored(stored))?,
            None => self.read(session, train, None)?,
        };
        let make = || -> Result<Problem, LinearError> {
            let problem = match &stored {
                Some(stored) => Problem::by_parts(stored, &table.y, self.bias)?,
                None => Problem::new(&table.x, &table.y, self.bias)?,
            };
            let problem = match weights {
                Some(weights) => problem.weights(weights)?,
                None => problem,
            };
            Ok(if self.scale { problem.scaled() } else { problem })
        };
        let problem = session.timed(Timed::Prepare, make).map_err(|why| named.refuse(why))?;
        let mut data = data;
        tell_of_classes(session, &problem, &mut data);
        if stored.is_some() {
            // Rows are read where they are placed.
            session.set_preparation_part(Timed::Prepare);
        }
        Ok(Prepared { problem, data, features, named })
    }

    /// The response, weights and names of a table.
    fn ready(&self, session: &Session, mut table: Table, mut data: Data) -> Result<Ready, Error> {
        if table.format == "embedded" {
            data.notes.push("the response is whether a value is above the mean (1) or not (0)".into());
            above_the_mean(&mut table.y);
        }
        let features = Features { zero_based: self.columns.text.zero_based, ..Features::of(&table) };
        data.notes.iter().for_each(|note| session.screen().tell(note));
        data.notes.extend(sentences(&features));
        let weights = match self.weights.is_some() && !table.beside.is_empty() {
            true => Some(numbers(table.beside.remove(0), "--weights", &data.path)?),
            false => None,
        };
        let named = Named::new(&data.path, self.y.as_deref(), &features);
        Ok(Ready { table, data, features, weights, named })
    }

    /// The options of this verb, and the data and the model that it starts from, as a run's identity.
    pub(super) fn identity(
        &self,
        options: &impl Serialize,
        data: &Data,
        train: &TrainOptions,
    ) -> Result<String, Error> {
        let init = train.init.as_deref().map(Saved::open).transpose()?;
        let init = init.as_ref().map_or("zeros", |start| &start.digest);
        raddle::cli::identity("linear", options, FREE, &[("data", &data.digest), ("init", init)])
    }
}

/// Says what many classes take, before anything is fitted.
pub(super) fn tell_of_classes(session: &Session, problem: &Problem, data: &mut Data) {
    if let Some(note) = many_classes(problem.machines(), problem.scorer_bytes()) {
        session.screen().tell(&note);
        data.notes.push(note);
    }
}

/// Parameters that start from an earlier run's model, where one is named.
pub(super) fn started(
    train: &TrainOptions,
    linear: Linear,
    problem: &Problem,
    (features, named): (&Features, &Named),
) -> Result<Linear, Error> {
    match &train.init {
        Some(folder) => {
            Saved::open(folder)?.start(linear, problem, features).map_err(|why| named.refuse(why))
        }
        None => Ok(linear),
    }
}

/// Notes on what was encoded, filled and left out, a sentence each.
pub(super) fn sentences(features: &Features) -> Vec<String> {
    features.encoding.as_ref().map(Encoding::sentences).unwrap_or_default()
}

/// Two classes of a response of numbers.
fn above_the_mean(y: &mut [f64]) {
    let mean = y.iter().sum::<f64>() / y.len() as f64;
    y.iter_mut().for_each(|value| *value = f64::from(u8::from(*value > mean)));
}
