//! `mf cv`.

use std::io::Write as _;

use clap::Args;
use raddle::cli::{Error, ExitStatus, Phase, Session, Summary, Table, TrainOptions};
use raddle_mf::{CrossValidation, Problem};
use serde::Serialize;

use super::data::{self, Reading};
use super::files;
use super::fit::about;
use super::options::ModelOptions;
use super::runner::{InSession, refuse};

const EXAMPLES: &str = "Examples, which work as they stand:
  mf cv synth:ratings:users=300,items=150,n=9000 --ranks 4,16 --regs 0.02,0.05 --folds 3

Every rank is tried with every regularisation, each on every fold. Then the best setting is fitted to all ratings, for as
long as was best on its folds.";

/// The options of `mf cv`.
#[derive(Debug, Args, Serialize)]
#[command(after_help = EXAMPLES, mut_arg("data", |arg| arg.help(data::known_or_default())))]
#[command(mut_arg("schedule", |arg| arg.help("auto, rotation or priority; auto is rotation")))]
pub(crate) struct Options {
    /// Ranks to try; --rank alone unless given.
    #[arg(long, value_name = "K,...", value_delimiter = ',')]
    ranks: Vec<usize>,
    /// Regularisations to try; --reg alone, or the default, unless given.
    #[arg(long, value_name = "X,...", value_delimiter = ',')]
    regs: Vec<f64>,
    /// Parts of the ratings, each held out once.
    #[arg(long, value_name = "N", default_value_t = 5)]
    folds: usize,
    #[command(flatten)]
    #[serde(flatten)]
    model: ModelOptions,
    #[command(flatten)]
    #[serde(flatten)]
    reading: Reading,
    #[command(flatten)]
    #[serde(flatten)]
    train: TrainOptions,
}

/// Tries the grid, fits the best setting, and reports.
pub(crate) fn cv(options: &Options) -> Result<ExitStatus, Error> {
    let Options { model, train, reading, .. } = options;
    if train.resume.is_some() || train.checkpoint_every.is_some() {
        return Err(Error::usage(
            "cv makes many runs, which cannot be resumed: leave --resume and --checkpoint-every out",
        ));
    }
    if train.init.is_some() {
        return Err(Error::usage(
            "--init: a model to start from has seen what a fold holds out; leave it out",
        ));
    }
    let mut session = Session::begin("mf", env!("CARGO_PKG_VERSION"), train)?;
    session.set_metric_name("rmse");
    let ranks = if options.ranks.is_empty() { vec![model.rank] } else { options.ranks.clone() };
    let regs: Vec<Option<f64>> = match options.regs.is_empty() {
        true => vec![model.reg],
        false => options.regs.iter().map(|&reg| Some(reg)).collect(),
    };
    let settings: Vec<ModelOptions> = ranks
        .iter()
        .flat_map(|&rank| regs.iter().map(move |&reg| (rank, reg)))
        .map(|(rank, reg)| ModelOptions { rank, reg, ..model.clone() })
        .collect();
    let fits = settings.iter().map(|setting| setting.mf(train)).collect::<Result<Vec<_>, _>>()?;
    let ratings = session.timed(Phase::Read, || {
        reading.read(train.data.as_deref(), train.format.as_deref(), train.worker_count())
    })?;
    let described = data::describe(&ratings);
    let problem =
        Problem::new(ratings.users.len(), ratings.items.len(), ratings.triples.clone()).map_err(refuse)?;
    let identity = String::from("a cross-validation is not resumed");
    let mut runner = InSession { session: &mut session, identity };
    let found = CrossValidation::run(&fits, &problem, options.folds, train.seed, &mut runner)?;
    let fit = fits[found.best].clone().repeat(&found.typical).fit_on(&problem, &mut runner)?;

    let mut table = Table::new("cross-validation", &["rank", "reg", "rmse", "standard error"]);
    let mut text = format!(
        "Cross-validation of {} over {} folds\n\n{:>6}  {:>9}  {:>8}  {:>14}\n",
        ratings.name, options.folds, "rank", "reg", "rmse", "standard error"
    );
    let mut lines = String::from("rank\treg\trmse\tstandard_error\n");
    for (number, (setting, errors)) in settings.iter().zip(&found.errors).enumerate() {
        let count = errors.len() as f64;
        let mean = errors.iter().sum::<f64>() / count;
        let spread = errors.iter().map(|error| (error - mean).powi(2)).sum::<f64>() / (count - 1.0);
        let error = (spread / count).sqrt();
        let reg = setting.reg.map_or("default".into(), |reg| reg.to_string());
        table.row(vec![setting.rank.into(), reg.clone().into(), mean.into(), error.into()]);
        let mark = if number == found.best { "  <- best" } else { "" };
        text += &format!("{:>6}  {reg:>9}  {mean:>8.4}  {error:>14.4}{mark}\n", setting.rank);
        lines += &format!("{}\t{reg}\t{mean}\t{error}\n", setting.rank);
    }
    session.write("cv.tsv", |out| out.write_all(lines.as_bytes()))?;
    let about = about(&settings[found.best], &ratings, &fit);
    files::write(&mut session, &fit.model, &about)?;
    let mut report =
        session.report(options, described, files::digest(&fit.model), &fit.report, &fit.trace)?;
    let best = &found.errors[found.best];
    let mean = best.iter().sum::<f64>() / best.len() as f64;
    report = report.result("cv_rmse", mean).result("rank", settings[found.best].rank);
    let title = format!("Cross-validation of {}", ratings.name);
    session.finish(report, &Summary::new(title).table(table), text.trim_end())
}
