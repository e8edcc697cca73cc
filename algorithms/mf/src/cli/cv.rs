//! `mf cv`.

use std::io::Write as _;

use clap::Args;
use raddle::files::ModelFiles as _;
use raddle_cli::{
    Error, ExitStatus, ROUND_OPTIONS, Session, Summary, Table, Timed, TrainOptions, count, hide_idle, number,
    refuse_without_effect,
};
use raddle_datasets::{Ratings, Triples};
use raddle_mf::files::{About, SeenFile};
use raddle_mf::{CrossValidation, Fit, Learned, MfError, Problem, Runner as _, Seen};
use serde::Serialize;

use super::data::{self, Reading};
use super::options::{ModelOptions, SCHEDULE};
use super::pictures::{GridPoint, grid};
use super::runner::{Failure, InSession, refuse};

const EXAMPLES: &str = "Examples:
  mf cv synth:ratings:users=300,items=150,n=9000 --ranks 4,16 --regs 0.02,0.05 --folds 3

Each rank is tried with each weight and each regularisation, on every fold. Then the best setting is fitted to all \
ratings, for the number of epochs that was best on its folds.";

/// The options of `mf cv`.
#[derive(Debug, Args, Serialize)]
#[command(after_help = EXAMPLES, mut_arg("data", |arg| arg.help(data::known_or_default())))]
#[command(mut_args(hide_idle(&ROUND_OPTIONS, "in mf, whose rounds are known an epoch ahead")))]
#[command(mut_args(hide_idle(&["checkpoint_every"], "in mf cv, which makes many runs and keeps no checkpoint of them")))]
#[command(mut_args(hide_idle(&["init"], "in mf cv, as a model to start from has seen what a fold holds out")))]
#[command(mut_arg("schedule", |arg| arg.help(SCHEDULE)))]
#[command(mut_arg("resume", |arg| arg.help("Start the run in this folder again, from the beginning. Data and \
    options are those of the run, and the result goes to the same folder unless --out names another")))]
#[command(mut_arg("target", |arg| arg.help("Stop each fit at this root mean squared error on the fold that is held \
    out. Not with --implicit")))]
#[command(mut_arg("epochs", |arg| arg.help("Stop each fit after N epochs. Default: a short run, then longer ones \
    while the error on the fold still falls")))]
#[command(mut_arg("time_limit", |arg| arg.help("Stop the whole run after this time. No model is written if no \
    setting is chosen yet")))]
pub(crate) struct Options {
    /// Try these ranks. Default: --rank alone.
    #[arg(long, value_name = "K,...", value_delimiter = ',', conflicts_with = "rank")]
    ranks: Vec<usize>,
    /// Try these weights W of --implicit. Default: that of --implicit alone.
    #[arg(long, value_name = "W,...", value_delimiter = ',')]
    weights: Vec<f64>,
    /// Try these values of --reg. Default: --reg alone.
    #[arg(long, value_name = "X,...", value_delimiter = ',', conflicts_with = "reg")]
    regs: Vec<f64>,
    /// Number of folds. They are parts of the ratings, each held out once.
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

/// Refuses a value that is listed twice, as it would be tried twice.
fn refuse_twice<T: PartialEq + std::fmt::Display>(option: &str, values: &[T]) -> Result<(), Error> {
    match (1..values.len()).find(|&at| values[..at].contains(&values[at])) {
        Some(twice) => Err(Error::usage(format!("{option} names {} twice", values[twice]))),
        None => Ok(()),
    }
}

/// Tries the grid, fits the best setting, and reports.
pub(crate) fn cv(options: &Options) -> Result<ExitStatus, Error> {
    let Options { model, train, reading, .. } = options;
    options.check_grid()?;
    let mut session = Session::begin("mf", env!("CARGO_PKG_VERSION"), &model.limits(train))?;
    session.refuse_distributed("this command")?;
    if session.is_resumed() {
        session.screen().note("a cross-validation keeps no checkpoint: it starts from the beginning");
    }
    let metric = model.metric();
    let settings = options.settings();
    let fits = settings.iter().map(|setting| setting.mf(train)).collect::<Result<Vec<_>, _>>()?;
    reading.refuse_idle(&[train.data.as_deref()], train.format.as_deref())?;
    let mut ratings = session.timed(Timed::Read, || {
        let how = reading.options(train.format.as_deref(), train.worker_count())?;
        model.read(train.data.as_deref(), how)
    })?;
    let mut described = data::describe(&ratings, ratings.triples.len());
    let notes = reading.notes(&ratings) + model.note();
    described.notes = notes.lines().map(str::to_owned).collect();
    let triples = std::mem::take(&mut ratings.triples);
    let problem = Problem::new(ratings.users.len(), ratings.items.len(), triples).map_err(refuse)?;
    let problem = problem.less(ratings.offset);
    let identity = String::from("a cross-validation is not resumed");
    let mut runner = InSession { session: &mut session, identity, is_last: false };
    let found = match CrossValidation::run(&fits, &problem, options.folds, train.seed, &mut runner) {
        Err(Failure::Fit(MfError::CutShort { report, trace })) => {
            let report = session.report(options, described, String::new(), &report, &trace)?;
            let text = format!("{}\nno setting is chosen yet, and no model is written", report.conclusion());
            return session.finish_without_model(report, &text);
        }
        found => found?,
    };
    runner.begins("the best setting, on all ratings");
    let fit = fits[found.best].clone().repeat(&found.typical).fit_on(&problem, &mut runner)?;

    let tried = tried(&settings, &found);
    let (table, mut text, lines) = tables(options, &tried, &found, &ratings.name);
    let best = &settings[found.best];
    text += &format!(
        "\n{notes}Then rank {} and reg {} on all ratings: {} x {}, {} to train on\n{}",
        best.rank,
        regularisation(best, &fit),
        count(ratings.users.len() as u64, "user"),
        count(ratings.items.len() as u64, "item"),
        count(problem.ratings() as u64, "rating"),
        if fit.model.is_finite() { "" } else { "no model is written: try a smaller --step, or more --reg\n" }
    );
    if !fit.model.is_finite() {
        let report = session.report(options, described, String::new(), &fit.report, &fit.trace)?;
        let text = text + &report.conclusion();
        return session.finish_without_model(report, &text);
    }
    session.write("cv.tsv", |out| out.write_all(lines.as_bytes()))?;
    write_model(&mut session, best, &ratings, problem.train(), &fit)?;
    let report = session.report(options, described, fit.digest(), &fit.report, &fit.trace)?;
    let scores = &found.scores[found.best];
    let mean = scores.iter().sum::<f64>() / scores.len() as f64;
    let report = report.result(&format!("cv_{metric}"), mean).result("rank", best.rank);
    let report = report.result("folds", scores.len()).result("empty_folds", found.empty);
    let report = report.result("learned", fit.learned.name());
    if fit.learned < Learned::Factors {
        let what = if fit.learned == Learned::Biases { "mean and biases alone" } else { "mean alone" };
        text += &format!("nothing was learned beyond the mean on most folds: the model is the {what}\n");
    }
    let text = text + &report.conclusion();
    let mut summary = Summary::new(format!("Cross-validation of {}", ratings.name)).table(table);
    summary.pictures.extend(grid(&tried, metric, found.best));
    session.finish(report, &summary, &text)
}

/// Returns the regularisation of the best setting in words, with the weight of implicit feedback.
fn regularisation(best: &ModelOptions, fit: &Fit) -> String {
    match (fit.fold_in.implicit, best.reg) {
        (Some(weight), _) => format!("{} and W {}", number(fit.fold_in.reg), number(weight)),
        (None, Some(reg)) => number(reg),
        (None, None) => "by default".into(),
    }
}

/// Writes the model of the best setting, with what users have rated in the data that it was fitted to.
fn write_model(
    session: &mut Session,
    best: &ModelOptions,
    ratings: &Ratings,
    fitted: &Triples,
    fit: &Fit,
) -> Result<(), Error> {
    let Ratings { users, items, offset, .. } = ratings;
    let about = About::new(fit, users.clone(), items.clone());
    About { offset: *offset, ..about }.write(&fit.model, session)?;
    if !best.no_seen && session.folder().path().is_some() {
        let seen = Seen::new(fitted, users.len());
        SeenFile::new(&seen, items.len()).map_err(Error::failed)?.write(session)?;
    }
    Ok(())
}

impl Options {
    /// Refuses values that are listed twice, weights of nothing, and a single one.
    fn check_grid(&self) -> Result<(), Error> {
        refuse_twice("--ranks", &self.ranks)?;
        refuse_twice("--regs", &self.regs)?;
        refuse_twice("--weights", &self.weights)?;
        let [first, others @ ..] = &self.weights[..] else { return Ok(()) };
        refuse_without_effect(&[("--weights", self.model.implicit.is_none())], "without --implicit")?;
        match self.model.implicit.flatten() {
            Some(weight) => Err(Error::usage(format!(
                "--weights and --implicit {weight} both say W: give --implicit without it"
            ))),
            None if others.is_empty() && self.ranks.len() < 2 && self.regs.len() < 2 => {
                Err(Error::usage(format!(
                    "--weights {first} is a grid of one, with nothing to choose: give --implicit {first}, or \
                     more --weights, --regs or --ranks"
                )))
            }
            None => Ok(()),
        }
    }

    /// Returns every rank with every weight and every regularisation.
    fn settings(&self) -> Vec<ModelOptions> {
        let ranks = if self.ranks.is_empty() { vec![self.model.rank] } else { self.ranks.clone() };
        let regs: Vec<Option<f64>> = match self.regs.is_empty() {
            true => vec![self.model.reg],
            false => self.regs.iter().map(|&reg| Some(reg)).collect(),
        };
        let weights: Vec<Option<Option<f64>>> = match self.weights.is_empty() {
            true => vec![self.model.implicit],
            false => self.weights.iter().map(|&weight| Some(Some(weight))).collect(),
        };
        let (mut settings, model) = (Vec::new(), &self.model);
        for &rank in &ranks {
            for &implicit in &weights {
                settings.extend(regs.iter().map(|&reg| ModelOptions {
                    rank,
                    implicit,
                    reg,
                    ..model.clone()
                }));
            }
        }
        settings
    }
}

/// Pairs the settings with the means of their scores.
fn tried(settings: &[ModelOptions], found: &CrossValidation) -> Vec<GridPoint> {
    let of = |(setting, scores): (&ModelOptions, &Vec<f64>)| {
        let count = scores.len() as f64;
        let mean = scores.iter().sum::<f64>() / count;
        let spread = scores.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / (count - 1.0);
        // A single fold has no spread.
        let error = Some((spread / count).sqrt()).filter(|error| error.is_finite());
        let weight = setting.implicit.flatten();
        GridPoint { rank: setting.rank, weight, reg: setting.reg, mean, error }
    };
    settings.iter().zip(&found.scores).map(of).collect()
}

/// The scores of all settings: as a generic table, for the screen, and for `cv.tsv`.
fn tables(
    options: &Options,
    tried: &[GridPoint],
    found: &CrossValidation,
    name: &str,
) -> (Table, String, String) {
    let metric = options.model.metric();
    // Weights are a column where several are tried.
    let with_weights = !options.weights.is_empty();
    let of_weight = |word: &'static str| with_weights.then_some(word);
    let settings: Vec<&str> = ["rank"].into_iter().chain(of_weight("weight")).chain(["reg"]).collect();
    let columns: Vec<&str> = settings.iter().copied().chain([metric, "standard error"]).collect();
    let mut table = Table::new("cross-validation", &columns);
    let mut text = format!("Cross-validation of {name} over {}\n", count(options.folds as u64, "fold"));
    if found.empty > 0 {
        let empty = count(found.empty as u64, "fold");
        text +=
            &format!("{empty} left out: the user or the item of each of its ratings has no other rating\n");
    }
    let weight_head = of_weight("weight").map_or(String::new(), |word| format!("  {word:>6}"));
    text += &format!("\n{:>6}{weight_head}  {:>9}  {metric:>10}  {:>14}\n", "rank", "reg", "standard error");
    let mut lines = format!("{}\t{metric}\tstandard_error\n", settings.join("\t"));
    for (at, of) in tried.iter().enumerate() {
        let (GridPoint { rank, mean, error, .. }, reg) = (of, of.reg());
        let shown = error.map_or("-".into(), number);
        let mark = if at == found.best { "  <- best" } else { "" };
        let weight = of.weight.filter(|_| with_weights);
        let wide = weight.map_or(String::new(), |weight| format!("  {:>6}", number(weight)));
        text += &format!("{rank:>6}{wide}  {reg:>9}  {:>10}  {shown:>14}{mark}\n", number(*mean));
        let cell = weight.map_or(String::new(), |weight| format!("{weight}\t"));
        lines += &format!("{rank}\t{cell}{reg}\t{mean}\t{}\n", error.map_or("".into(), |e| e.to_string()));
        let mut row = vec![(*rank).into()];
        row.extend(weight.map(Into::into));
        row.extend([reg.into(), (*mean).into(), (*error).into()]);
        table.row(row);
    }
    (table, text, lines)
}
