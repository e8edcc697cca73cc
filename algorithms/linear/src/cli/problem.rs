//! Options for the problem to fit, shared by the verbs that train.

use clap::Args;
use raddle_cli::{Data, Error, Free, Session, Timed, TrainOptions, refuse_without_effect};
use raddle_datasets::{
    Beside, Classes, ColumnOptions, Encoding, Missing, Options as Reading, StoredTable, Table,
};
use raddle_linear::files::{Features, Saved};
use raddle_linear::{Bias, Linear, LinearError, Loss, Problem};
use raddle_tabular::cli::{
    ClassWeightArgs, ClassWeights, ColumnArgs, Given, named_values, numbers, tell_of_classes,
};
use serde::{Serialize, Serializer};

use super::refused::Named;

/// A tolerance only decides when a fit ends; epochs end one attempt.
pub(super) const FREE: Free<'_> = Free { neutral: &["tol"], limits: &["epochs"] };

/// Options for the response, the loss, the preparation and the tolerance.
#[derive(Debug, Args, Serialize)]
pub(crate) struct ProblemOptions {
    /// Response: a column's name, its index, or a file. Indices count from 1, and -1 is the last column; a
    /// file has one value per row. Needed unless the data have a response, as libsvm data do.
    #[arg(short, long, value_name = "NAME|INDEX|FILE", allow_hyphen_values = true)]
    y: Option<String>,
    /// Loss: squared-hinge, hinge, logistic or multinomial. hinge and squared-hinge make a support vector
    /// machine, logistic a logistic regression of each class against the rest, multinomial one of all classes
    /// together (softmax).
    #[arg(long, value_name = "NAME", default_value = "squared-hinge", value_parser = named_values(&Loss::NAMES), hide_possible_values = true)]
    #[serde(serialize_with = "by_name")]
    loss: Loss,
    /// Stop when the relative duality gap is at most X. The gap is (P-D)/P, where P is the objective and D
    /// its lower bound; 0 < X < 1.
    #[arg(long, value_name = "X", default_value = "1e-4")]
    tol: f64,
    #[command(flatten)]
    #[serde(flatten)]
    by_class: ClassWeightArgs,
    /// Weight of each row in the loss: a column, which is then not a feature, or a file with one value per
    /// row. A weight of 2 counts the row twice.
    #[arg(long, value_name = "NAME|INDEX|FILE")]
    weights: Option<String>,
    /// Value of a constant column, which serves as the intercept. Its coefficient is penalised like the
    /// others; 0 leaves the column out, and free leaves out its penalty (not for hinge).
    #[arg(long, value_name = "X|free", default_value = "1", value_parser = bias)]
    #[serde(serialize_with = "by_value")]
    pub(super) bias: Bias,
    /// Divide columns by their standard deviations. They are not centred, so that sparse data stay sparse,
    /// and coefficients are reported for the original columns.
    #[arg(long)]
    pub(super) scale: bool,
    #[command(flatten)]
    #[serde(flatten)]
    columns: ColumnArgs,
}

/// Parses the value of a constant column.
fn bias(text: &str) -> Result<Bias, String> {
    match text.parse() {
        Ok(value) => Ok(Bias::Penalized(value)),
        Err(_) if text == "free" => Ok(Bias::Free),
        Err(_) => Err("give a number, or free".into()),
    }
}

/// Serializes a bias as its option has it.
fn by_value<S: Serializer>(bias: &Bias, to: S) -> Result<S::Ok, S::Error> {
    match bias {
        Bias::Penalized(value) => to.serialize_f64(*value),
        Bias::Free => to.serialize_str("free"),
    }
}

/// Serializes a loss by its name.
fn by_name<S: Serializer>(loss: &Loss, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(loss.name())
}

/// A problem to fit and where its data came from.
pub(super) struct Prepared {
    pub(super) problem: Problem,
    pub(super) data: Data,
    pub(super) features: Features,
    pub(super) class_weights: Option<Vec<f64>>,
    /// Names of the features, for messages.
    pub(super) named: Named,
}

/// Data that were read, before the problem is made.
pub(super) struct Ready {
    pub(super) table: Table,
    /// The table in a file, with several processes.
    stored: Option<StoredTable>,
    pub(super) data: Data,
    pub(super) features: Features,
    pub(super) weights: Option<Vec<f64>>,
    /// Weight of each class, if they are given.
    pub(super) class_weights: Option<Vec<f64>>,
    /// Names of the features, for messages.
    pub(super) named: Named,
}

impl ProblemOptions {
    /// Returns the parameters, without C; `--shards` is accepted only in parts.
    pub(super) fn linear(&self, train: &TrainOptions, is_in_parts: bool) -> Result<Linear, Error> {
        // Shards exist only for rows in parts.
        refuse_without_effect(&[("--shards", train.shards.is_some() && !is_in_parts)], "with linear")?;
        let linear = Linear::params().loss(self.loss).tolerance(self.tol).seed(train.seed);
        Ok(linear.balanced(self.by_class.class_weights == Some(ClassWeights::Balanced)))
    }

    /// Reads the data, with an additional column.
    pub(super) fn read(
        &self,
        session: &mut Session,
        train: &TrainOptions,
        other: Option<Beside>,
    ) -> Result<Ready, Error> {
        let given = Given::read(session, train, &self.reading(train, other)?)?;
        self.ready(session, given)
    }

    /// Returns the options for reading the data.
    fn reading(&self, train: &TrainOptions, other: Option<Beside>) -> Result<Reading, Error> {
        let (format, y) = (train.format.as_deref(), self.y.as_deref());
        let options = self.columns.text.options(format, y, train.worker_count())?;
        let weights = self.weights.iter().map(|name| Beside { option: "--weights", name: name.clone() });
        let (beside, columns) = (weights.chain(other).collect(), self.columns.chosen());
        Ok(Reading { classes: Classes::Any, beside, columns, ..options })
    }

    /// Returns the options for reading the rows of a party, whose columns are declared.
    pub(super) fn reading_of_party(&self, train: &TrainOptions) -> Result<Reading, Error> {
        self.columns.text.options(train.format.as_deref(), self.y.as_deref(), train.worker_count())
    }

    /// Returns the name of the response, if it is given.
    pub(super) fn response(&self) -> Option<&str> {
        self.y.as_deref()
    }

    /// Returns the weights of classes with these values and names, if they are given.
    pub(super) fn class_weights(
        &self,
        values: &[f64],
        names: Option<&[String]>,
    ) -> Result<Option<Vec<f64>>, Error> {
        match &self.by_class.class_weights {
            Some(given) => given.of_classes(values, names),
            None => Ok(None),
        }
    }

    /// Returns the options that describe columns of a whole table, each with whether it is given.
    pub(super) fn of_tables(&self) -> Vec<(&'static str, bool)> {
        let ColumnOptions { columns, drop, categorical, missing, .. } = self.columns.chosen();
        vec![
            ("--weights", self.weights.is_some()),
            ("--columns", !columns.is_empty()),
            ("--drop", !drop.is_empty()),
            ("--categorical", !categorical.is_empty()),
            ("--missing", missing != Missing::default()),
        ]
    }

    /// Reads the data and prepares the problem. With several processes, the data are read once, and each
    /// process takes the rows that it needs.
    pub(super) fn prepared(&self, session: &mut Session, train: &TrainOptions) -> Result<Prepared, Error> {
        let given = Given::open(session, train, &self.reading(train, None)?)?;
        let Ready { table, stored, mut data, features, weights, class_weights, named } =
            self.ready(session, given)?;
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
        tell_of_classes(session, problem.machines(), problem.scorer_bytes(), &mut data);
        if stored.is_some() {
            // Each row is read where it is placed.
            session.set_preparation_part(Timed::Prepare);
        }
        Ok(Prepared { problem, data, features, class_weights, named })
    }

    /// Returns the response, weights and names of a table.
    fn ready(&self, session: &Session, given: Given) -> Result<Ready, Error> {
        let Given { mut table, stored, mut data } = given;
        if table.format == "embedded" {
            let note = "the response is whether a value is above the mean (1) or not (0)";
            session.screen().tell(note);
            data.notes.push(note.into());
            above_the_mean(&mut table.y);
        }
        let features = Features { zero_based: self.columns.text.zero_based, ..Features::of(&table) };
        data.notes.extend(sentences(&features));
        let weights = match self.weights.is_some() && !table.beside.is_empty() {
            true => Some(numbers(table.beside.remove(0), "--weights", &data.path)?),
            false => None,
        };
        let named = Named::new(&data.path, self.y.as_deref(), &features);
        let class_weights = match &self.by_class.class_weights {
            Some(given) => given.of_classes(&table.y, features.classes.as_deref())?,
            None => None,
        };
        Ok(Ready { table, stored, data, features, weights, class_weights, named })
    }

    /// Returns the identity of a run: the options of its verb, its data and its initial model.
    pub(super) fn identity(
        &self,
        options: &impl Serialize,
        free: Free<'_>,
        data: &Data,
        train: &TrainOptions,
    ) -> Result<String, Error> {
        let init = train.init.as_deref().map(Saved::open).transpose()?;
        let init = init.as_ref().map_or("zeros", |start| &start.digest);
        raddle_cli::identity("linear", options, free, &[("data", &data.digest), ("init", init)])
    }
}

/// Sets the initial model of the parameters, if an option names one.
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

/// Returns a sentence on each column that was encoded, filled or left out.
pub(super) fn sentences(features: &Features) -> Vec<String> {
    features.encoding.as_ref().map(Encoding::sentences).unwrap_or_default()
}

/// Turns a response of numbers into two classes.
fn above_the_mean(y: &mut [f64]) {
    let mean = y.iter().sum::<f64>() / y.len() as f64;
    y.iter_mut().for_each(|value| *value = f64::from(u8::from(*value > mean)));
}
