//! The options that say what is fitted, shared by all verbs that train.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use raddle_cli::{Data, ENGINE_HEADING, Error, Free, ROUND_OPTIONS, Session, Timed, TrainOptions};
use raddle_datasets::{Beside, Classes, HeldOut, Options as Reading, Table};
use raddle_lasso::files::{Features, Saved};
use raddle_lasso::{Choice, Lasso, Loss, Preparation, Problem};
use raddle_tabular::cli::{ColumnArgs, Given, named_values, tell_of_classes};
use serde::{Serialize, Serializer};

use super::features::sentences;
use super::refused::{refuse, refuse_named};
use super::rows::RowArgs;
use super::terms::TermArgs;

/// Options that a resumed run may change: --epochs only limits an attempt, and a fit may continue with
/// another tolerance.
pub(super) const FREE: Free<'_> = Free { neutral: &["tol", "changes", "save-data"], limits: &["epochs"] };

/// Why options of rounds have no effect with the default schedule.
pub(super) const ON_WORKING_SET: &str = "on the working set, the schedule unless another is named";

/// Options for the response, the preparation of the data, and the tolerance.
#[derive(Debug, Args, Serialize)]
pub(crate) struct ProblemOptions {
    /// Response: a column's name, its index, or a file. Indices count from 1, and -1 is the last column; a
    /// file has one value per row. Needed unless the data have a response, as libsvm data do.
    #[arg(short, long, value_name = "NAME|INDEX|FILE", allow_hyphen_values = true)]
    y: Option<String>,
    /// Cache the parsed data in this folder for later runs, as binary files named by a hash of the content.
    /// With several processes, each reads only its own columns from them.
    #[arg(long, value_name = "DIR", help_heading = ENGINE_HEADING)]
    cache: Option<PathBuf>,
    /// Loss: squared, logistic, multinomial or poisson. logistic is for two classes, and the larger number,
    /// or the last string in sorted order, is positive; multinomial is for any number of classes, and poisson
    /// for counts.
    #[arg(long, value_name = "NAME", default_value = "squared", value_parser = named_values(&Loss::NAMES), hide_possible_values = true)]
    #[serde(serialize_with = "by_name")]
    loss: Loss,
    /// Share A of the l1 norm in the penalty lambda (A |b|_1 + (1-A)/2 |b|^2), 0 <= A <= 1. Below 1 it is an
    /// elastic net, and at 0 ridge regression, which needs --lambda and the squared loss.
    #[arg(long, value_name = "A", default_value = "1", value_delimiter = ',')]
    #[serde(serialize_with = "one_or_all")]
    l1_ratio: Vec<f64>,
    /// Stop when the relative duality gap is at most X. The gap is (P-D)/P, where P is the objective and D
    /// its lower bound; 0 < X < 1.
    #[arg(long, value_name = "X", default_value = "1e-6")]
    pub(crate) tol: f64,
    /// Fit no intercept, and centre neither columns nor response.
    #[arg(long)]
    no_intercept: bool,
    /// Do not divide columns by their standard deviations.
    #[arg(long)]
    no_standardize: bool,
    /// Prepare columns in this way, to compare solvers: dense-std centres and standardises them, sparse-raw
    /// leaves them as they are. There is no intercept, and coefficients are those of the prepared columns.
    #[arg(long, value_name = "MODE", help_heading = ENGINE_HEADING, conflicts_with_all = ["no_intercept", "no_standardize"])]
    mode: Option<Mode>,
    #[command(flatten)]
    #[serde(flatten)]
    pub(crate) rows: RowArgs,
    #[command(flatten)]
    #[serde(flatten)]
    pub(crate) terms: TermArgs,
    #[command(flatten)]
    #[serde(flatten)]
    columns: ColumnArgs,
}

/// Serialises a single number as a number, and several as a list.
fn one_or_all<S: Serializer>(values: &[f64], to: S) -> Result<S::Ok, S::Error> {
    match values {
        [one] => to.serialize_f64(*one),
        all => to.collect_seq(all),
    }
}

/// Serialises a loss by its name.
fn by_name<S: Serializer>(loss: &Loss, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(loss.name())
}

/// Preparations for comparisons of solvers.
#[derive(Debug, Clone, Copy, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Mode {
    /// Columns centred and divided by their population standard deviation, all values stored.
    DenseStd,
    /// Columns as stored.
    SparseRaw,
}

/// Data as read, and the problem to fit.
pub(crate) struct Ready {
    pub(crate) problem: Problem,
    pub(crate) data: Data,
    pub(crate) features: Features,
}

impl ProblemOptions {
    /// Returns the options that may name a file with a value for each row of the data.
    pub(super) fn of_rows(&self) -> [(&'static str, Option<&str>); 3] {
        let [weights, offset] = self.rows.named();
        [("--y", self.y.as_deref()), weights, offset]
    }

    /// The loss.
    pub(super) fn loss(&self) -> Loss {
        self.loss
    }

    /// The method's name in titles.
    pub(crate) fn title(&self) -> String {
        let smallest = self.l1_ratio.iter().copied().fold(1.0, f64::min);
        let penalty = match self.terms.has_groups() {
            true => "Group lasso",
            false if smallest == 0.0 => "Ridge regression",
            false if smallest < 1.0 => "Elastic net",
            false => "Lasso",
        };
        self.loss.title(penalty)
    }

    pub(crate) fn preparation(&self) -> Preparation {
        match self.mode {
            Some(Mode::DenseStd) => Preparation::DenseStd,
            Some(Mode::SparseRaw) => Preparation::SparseRaw,
            None => {
                Preparation::Standard { intercept: !self.no_intercept, standardize: !self.no_standardize }
            }
        }
    }

    /// Reads the data into memory, and columns other than features.
    pub(crate) fn read(
        &self,
        session: &mut Session,
        train: &TrainOptions,
        beside: &[Beside],
    ) -> Result<Given, Error> {
        Given::read(session, train, &self.reading(train, beside)?)
    }

    /// Returns how to read the data, with columns other than features.
    pub(super) fn reading(&self, train: &TrainOptions, beside: &[Beside]) -> Result<Reading, Error> {
        let (format, y) = (train.format.as_deref(), self.y.as_deref());
        let options = self.columns.text.options(format, y, train.worker_count())?;
        let columns = self.columns.chosen();
        let classes = if self.loss.has_classes() { Classes::Any } else { Classes::Refused };
        let beside = self.rows.beside().into_iter().chain(beside.iter().cloned()).collect();
        Ok(Reading { cache: self.cache.clone(), classes, beside, columns, ..options })
    }

    /// Returns the columns of the table as a model stores them, and adds to `data` how they were made.
    pub(crate) fn features(&self, table: &Table, data: &mut Data) -> Features {
        let (zero_based, offset) = (self.columns.text.zero_based, self.rows.offset());
        let features = Features { zero_based, offset, ..Features::of(table) };
        data.notes.extend(sentences(&features, self.loss));
        features
    }

    /// Reads the data and prepares the problem. With several processes each reads its own columns; if rows
    /// are held out, each reads all columns.
    pub(crate) fn ready(
        &self,
        session: &mut Session,
        train: &TrainOptions,
        held_out: Option<HeldOut>,
    ) -> Result<Ready, Error> {
        let reading = Reading { held_out, ..self.reading(train, &[])? };
        let Given { mut table, stored, mut data } = Given::open(session, train, &reading)?;
        let features = self.features(&table, &mut data);
        let (rows, is_stored) =
            (self.rows.values(&mut table, &data.path, features.classes.as_deref())?, stored.is_some());
        let make = || match stored {
            Some(stored) => Problem::by_parts(Arc::new(stored), self.preparation())?.with_values(rows),
            None => Problem::new(table.x, table.y, self.preparation())?.with_values(rows),
        };
        let problem = session.timed(Timed::Prepare, make);
        let problem = problem.map_err(|why| refuse_named(why, &data.path, &features))?;
        if self.loss.scores_each_class() {
            let classes = problem.labels().len();
            tell_of_classes(session, classes, problem.score_bytes(classes), &mut data);
        }
        if is_stored {
            // Columns are read and centred on the worker that holds them.
            session.set_preparation_part(Timed::Prepare);
        }
        Ok(Ready { problem, data, features })
    }

    /// The l1 ratios that a cross-validation chooses from.
    pub(crate) fn l1_ratios(&self) -> &[f64] {
        &self.l1_ratio
    }

    /// The parameters of a verb that takes one l1 ratio.
    pub(crate) fn single(&self, train: &TrainOptions) -> Result<Lasso, Error> {
        match self.l1_ratio.len() {
            1 => self.lasso(train),
            count => Err(Error::usage(format!(
                "--l1-ratio: {count} values, of which `lasso cv` chooses one: give one here"
            ))),
        }
    }

    /// The parameters that all verbs share, with the first l1 ratio.
    pub(crate) fn lasso(&self, train: &TrainOptions) -> Result<Lasso, Error> {
        self.rows.check(self.loss)?;
        let schedule = train.schedule_from(&Choice::NAMES)?;
        refuse_idle(schedule, train)?;
        let lasso = Lasso::params()
            .loss(self.loss)
            .l1_ratio(self.l1_ratio.first().copied().unwrap_or(1.0))
            .tolerance(self.tol)
            .schedule(schedule)
            .rho(train.rho_or(0.1))
            .seed(train.seed)
            .explain(train.explain);
        Ok(lasso.given(train.parallelism, Lasso::parallelism).given(train.shards, Lasso::shards))
    }

    /// Adds the terms of single columns, of which `count` are fitted, and the coefficients to start from.
    pub(crate) fn of_columns(
        &self,
        lasso: Lasso,
        train: &TrainOptions,
        features: &Features,
        count: usize,
    ) -> Result<Lasso, Error> {
        let lasso = match &train.init {
            Some(folder) => lasso.init(Saved::open(folder)?.start(features, count).map_err(refuse)?),
            None => lasso,
        };
        self.terms.apply(lasso, features, count)
    }
}

/// Returns the identity of a run, to which a checkpoint belongs: all options of its verb except the free
/// ones.
pub(crate) fn identity(
    options: &impl Serialize,
    free: Free<'_>,
    digest: &str,
    train: &TrainOptions,
) -> Result<String, Error> {
    let init = train.init.as_deref().map(Saved::open).transpose()?;
    let init = init.as_ref().map_or("zeros", |start| &start.digest);
    raddle_cli::identity("lasso", options, free, &[("data", digest), ("init", init)])
}

/// Refuses options without an effect: options of rounds on the working set, and options of one kind of rounds
/// on another.
fn refuse_idle(schedule: Choice, train: &TrainOptions) -> Result<(), Error> {
    match schedule {
        Choice::Priority => Ok(()),
        Choice::Shuffled | Choice::Cyclic => {
            train.refuse_idle(&["rho"], &format!("with --schedule {}", train.schedule))
        }
        Choice::Auto | Choice::WorkingSet => train.refuse_idle(&ROUND_OPTIONS, ON_WORKING_SET),
    }
}
