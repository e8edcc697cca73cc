//! The options of `lasso fit`.

use clap::Args;
use raddle_cli::{
    ChangeOptions, ENGINE_HEADING, Error, Session, Timed, TrainOptions, changes_help, refuse_without_effect,
};
use raddle_datasets::{HeldOut, Options as Reading};
use raddle_lasso::Lasso;
use raddle_tabular::cli::known_or_default;
use serde::Serialize;

use super::held_out::{TestRows, TestSet};
use super::problem::{ProblemOptions, Ready};

const EXAMPLES: &str = "Examples:
  lasso fit diabetes --ratio 100
  lasso fit diabetes --test 0.2 --seed 7
  lasso fit synth:groups:n=200,p=2000,s=10 --tol 1e-8 --out run";

/// The options of `lasso fit`.
#[derive(Debug, Args, Serialize)]
#[command(mut_arg("changes", |arg| arg.help(changes_help("`+ ID Y COLUMN:VALUE ...` or `- ID`"))))]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("data", |arg| arg.help(known_or_default())))]
#[command(mut_arg("parallelism", |arg| arg.help("Maximum number of variables updated in a round. Not with \
    --schedule working-set. Default: 64")))]
#[command(mut_arg("staleness", |arg| arg.help("Number of rounds whose updates may be missing when a round starts. \
    Not with --schedule working-set")))]
#[command(mut_arg("guard", |arg| arg.help("Roll back an epoch that worsens the objective, and continue with less \
    parallelism. Has an effect on schedules other than working-set")))]
#[command(mut_arg("explain", |arg| arg.help("Show on stderr which variables each round proposes, rejects and keeps. \
    Not with --schedule working-set")))]
#[command(mut_arg("rho", |arg| arg.help("Maximum correlation of variables that `--schedule priority` updates in the \
    same round, between 0 and 1; off checks none. Default: 0.1")))]
#[command(mut_arg("schedule", |arg| arg.help("Rule for choosing the variables to update: working-set (the same as \
    auto); or priority, shuffled or cyclic, which update several of them in each round")))]
pub(crate) struct Options {
    /// Weight lambda of the penalty. It is relative to the mean loss, which is 1/(2n) |y - b0 - X b|^2 for
    /// `squared`; 0 leaves the penalty out.
    #[arg(long, value_name = "X", conflicts_with = "ratio")]
    lambda: Option<f64>,
    /// Set lambda to lambda_max / R. R is at least 1, and lambda_max is the smallest lambda at which all
    /// coefficients are zero.
    #[arg(long, value_name = "R", default_value_t = 10.0)]
    ratio: f64,
    /// Measure the fit on held-out rows. Give a fraction of the rows, such as 0.2 (drawn by --seed), or other
    /// data with the same columns.
    #[arg(long, value_name = "FRACTION|FILE", value_parser = str::parse::<TestRows>)]
    pub(super) test: Option<TestRows>,
    /// Number of candidates that `--schedule priority` draws for a round, at least --parallelism. Default:
    /// --parallelism.
    #[arg(long, value_name = "N", help_heading = ENGINE_HEADING)]
    candidates: Option<usize>,
    #[command(flatten)]
    #[serde(flatten)]
    pub(super) problem: ProblemOptions,
    #[command(flatten)]
    #[serde(flatten)]
    pub(super) changes: ChangeOptions,
    #[command(flatten)]
    #[serde(flatten)]
    pub(super) train: TrainOptions,
}

impl Options {
    /// Returns the rows to leave out when the data are read.
    pub(super) fn held_out(&self) -> Result<Option<HeldOut>, Error> {
        let Some(test) = &self.test else { return Ok(None) };
        test.check(self.train.data.as_deref(), &self.problem.of_rows())?;
        Ok(test.held_out(self.train.seed))
    }

    /// Returns the rows to measure the fit on, if `--test` asks for some: held-out rows or other data.
    pub(super) fn test_set(
        &self,
        session: &mut Session,
        held_out: Option<HeldOut>,
        ready: &Ready,
    ) -> Result<Option<TestSet>, Error> {
        let Some(test) = &self.test else { return Ok(None) };
        let reading = Reading { held_out, ..self.problem.reading(&self.train, &[])? };
        let data = self.train.data.as_deref();
        let read = || TestSet::read(test, data, reading, ready, self.problem.loss());
        let set = session.timed(Timed::Read, read)?;
        set.notes().for_each(|note| session.screen().tell(&note));
        Ok(Some(set))
    }

    /// The method's name in titles.
    pub(super) fn title(&self) -> String {
        match self.lambda {
            Some(0.0) => self.problem.loss().title("Regression without a penalty"),
            _ => self.problem.title(),
        }
    }

    /// The parameters, except those of single columns.
    pub(super) fn lasso(&self) -> Result<Lasso, Error> {
        let lasso = self.problem.single(&self.train)?.ratio(self.ratio).given(self.lambda, Lasso::lambda);
        if self.train.schedule != "priority" {
            refuse_without_effect(
                &[("--candidates", self.candidates.is_some())],
                "without --schedule priority",
            )?;
        }
        Ok(lasso.given(self.candidates, Lasso::candidates))
    }
}
