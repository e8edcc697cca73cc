//! [`ReportData`]: the part of the data that is kept during the fit, and the report at its end.

use raddle_cli::{Data, Error, Report, Session, Summary, Table, Timed, VersionOf, count, number};
use raddle_datasets::{Field, Ids, Ratings, ReadError};
use raddle_mf::files::About;
use raddle_mf::{Fit, Model, Problem, Query, RatingsSource, Recommender, Seen};

use super::baseline_comparison::BaselineComparison;
use super::choice;
use super::data::{self, StartRows};
use super::fit_options::Options;
use super::hold_out::Cold;
use super::pictures::epochs;
use super::rated_pairs::SUMMARISED;
use super::split::Aside;
use super::test_measures::{TestMeasures, TestSet};

/// Number of users on the screen, and of items for each.
const SHOWN: (usize, usize) = (5, 4);
/// Number of items for each user of the summary.
const ITEMS: usize = 10;

/// Returns notes on the data, one sentence each; `kept` are rows that only the model to start from has.
fn notes(
    options: &Options,
    ratings: &Ratings,
    problem: &Problem,
    cold: Cold,
    kept: Option<StartRows>,
) -> Vec<String> {
    let is_explicit = options.model.implicit.is_none();
    let mut notes = options.reading.notes(ratings) + options.model.note();
    if is_explicit && ratings.pairs_only {
        notes += "there are pairs without ratings: for clicks, fit --implicit, which also learns from the \
                  pairs that are absent\n";
    } else if is_explicit && problem.is_constant() {
        notes +=
            "all ratings are the same: if they are clicks, fit --implicit, as nothing tells them apart\n";
    }
    notes += &cold.notes();
    notes += &kept.as_ref().map_or_else(String::new, StartRows::to_string);
    notes.lines().map(str::to_owned).collect()
}

/// Facts about the data at the start of a fit, for the report at its end.
pub(super) struct ReportData {
    described: Data,
    /// Number of training ratings.
    trained: usize,
    aside: Aside,
    /// Ratings that measured lists of recommendations leave out: training and validation data.
    seen: Vec<RatingsSource>,
    /// Pairs on which the truth is measured, if it is known.
    known: Option<RatingsSource>,
    /// Number subtracted from the ratings.
    offset: f64,
}

impl ReportData {
    /// Keeps what the report needs of the ratings, which a fit in memory frees.
    pub(super) fn new(
        options: &Options,
        described: Data,
        ratings: &Ratings,
        problem: &Problem,
        aside: Aside,
        kept: Option<StartRows>,
    ) -> Result<Self, Error> {
        let offset = ratings.offset;
        if let Some((test, least)) = aside.test.as_ref().zip(options.relevant) {
            let test = TestSet { ratings: &*test.read().map_err(Error::input)?, offset };
            if test.relevant(options).is_empty() {
                return Err(Error::usage(format!(
                    "--relevant is {least}: no test rating is as high, so nothing is a hit"
                )));
            }
        }
        let described = Data { notes: notes(options, ratings, problem, aside.cold, kept), ..described };
        let mut seen = Vec::new();
        if aside.test.is_some() && (options.ranking.is_some() || options.model.implicit.is_some()) {
            let validated = problem.held_out().filter(|_| options.model.target.is_none());
            seen.extend([problem.training_copy()].into_iter().chain(validated.cloned()));
        }
        let measured = || aside.test.as_ref().or(problem.held_out()).cloned();
        let known = Self::knows(options).then(measured).flatten();
        Ok(Self { described, trained: problem.ratings(), aside, seen, known, offset })
    }

    /// Returns the report's entry for the data of a fit without a model, which has no notes.
    pub(super) fn bare(&self) -> Data {
        Data { notes: Vec::new(), ..self.described.clone() }
    }

    /// Returns the pairs that measured lists leave out; `None` if lists are not measured.
    fn seen(&self, users: usize) -> Result<Option<Seen>, ReadError> {
        let mut all = self.seen.iter().map(|source| Seen::of(source, 0..users));
        let Some(first) = all.next().transpose()? else { return Ok(None) };
        all.try_fold(first, |seen, other| Ok(seen.with(&other?))).map(Some)
    }

    /// `true` if the truth is known.
    fn knows(options: &Options) -> bool {
        data::is_generated(options.train.data.as_deref())
            && options.model.implicit.is_none()
            && options.changes.changes.is_none()
    }

    /// Measures, writes the model, and describes the outcome for the report, as tables and as text.
    pub(super) fn write(
        self,
        session: &mut Session,
        options: &Options,
        ratings: &Ratings,
        fit: &Fit,
        version: Option<VersionOf>,
    ) -> Result<(Report, Summary, String), Error> {
        let read = self.aside.test.as_ref().map(RatingsSource::read).transpose().map_err(Error::input)?;
        let seen = self.seen(ratings.users.len()).map_err(Error::input)?;
        let offset = self.offset;
        let test = read.as_deref().map(|ratings| TestSet { ratings, offset });
        let tested = TestMeasures::measure(session, fit, test, seen.as_ref(), options);
        let compared = session.timed(Timed::Certify, || BaselineComparison::of(fit, test));
        drop((read, seen));
        let known = self.known.as_ref().map(RatingsSource::read).transpose().map_err(Error::input)?;
        let known = known.and_then(|known| data::known_error(options.train.data.as_deref(), &known));
        let (users, items) = (ratings.users.clone(), ratings.items.clone());
        let about = About::new(fit, users, items);
        About { version, offset, ..about }.write(&fit.model, session)?;
        self.aside.rated.write(ratings, session)?;
        let (mut text, summary) = self.describe(fit, ratings, options);
        let report = session.report(options, self.described, fit.digest(), &fit.report, &fit.trace)?;
        let (report, mut summary) = choice::tell(fit, report, summary)?;
        let mut report = report.result("best_epoch", fit.best_epoch).result("mean", fit.model.mean);
        report = self.aside.cold.report(report).result("learned", fit.learned.name());
        if let Some(compared) = &compared {
            report = compared.report(report);
        }
        if let Some(best) = fit.best {
            report = report.result(&format!("best_{}", fit.report.metric.name), best);
        }
        let best = fit.best.is_some().then_some(fit.best_epoch).filter(|&epoch| epoch > 0);
        summary.pictures.extend(session.folder().path().into_iter().flat_map(|run| epochs(run, best)));
        let (mut report, summary, tests) = tested.tell(report, summary)?;
        text += &tests;
        if let Some(known) = known {
            report = report.result("known_optimum_rmse", known);
            text += &format!("\nknown optimum: rmse {}", number(known));
        }
        let lines = compared.map_or_else(String::new, |compared| compared.lines() + "\n");
        let text = format!("{text}\n\n{lines}{}", report.conclusion());
        Ok((report, summary, text))
    }

    /// Describes the outcome as text and as generic tables.
    fn describe(&self, fit: &Fit, ratings: &Ratings, options: &Options) -> (String, Summary) {
        let Ratings { name, users, items, .. } = ratings;
        let sizes = format!("{} x {}", count(users.len() as u64, "user"), count(items.len() as u64, "item"));
        let title = format!("Factorization of {name}: {sizes}, rank {}", options.model.rank);
        let mut text = format!("{title}, {} to train on\n", count(self.trained as u64, "rating"));
        self.described.notes.iter().for_each(|line| text += &format!("{line}\n"));
        text += &choice::lines(fit, &options.model);
        let first: Vec<u32> = (0..users.len().min(SUMMARISED) as u32).collect();
        let query = Query::best(ITEMS).without_seen(&self.aside.rated.first);
        let mut table = Table::new("recommendations", &["user", "item", "score"]);
        let first = if fit.model.ranks_items() { first } else { Vec::new() };
        text += &match first.is_empty() {
            true => "\nno recommendations: the model ranks no item above another\n".to_owned(),
            false => format!("\n{:>10}  recommended (predicted)\n", "user"),
        };
        // Scores in single precision have an offset subtracted that ratings include.
        let (offset, less) = (ratings.offset, fit.model.mean - ratings.offset);
        let near = (offset != 0.0).then(|| Model { mean: less, ..fit.model.clone() });
        Recommender::new(near.as_ref().unwrap_or(&fit.model)).each(&first, &query, |user, best| {
            if (user as usize) < SHOWN.0 {
                let shown = best.iter().take(SHOWN.1);
                let shown: Vec<String> = shown
                    .map(|&(item, score)| format!("{} ({})", shown_name(items, item), short(score, offset)))
                    .collect();
                text += &format!("{:>10}  {}\n", shown_name(users, user), shown.join(", "));
            }
            for &(item, score) in best {
                let score = if offset == 0.0 { score.into() } else { (f64::from(score) + offset).into() };
                table.row(vec![name_of(users, user).into(), name_of(items, item).into(), score]);
            }
        });
        let quality = Table::of_metric(&fit.report.metric);
        (text.trim_end().to_owned(), Summary::new(title).table(quality).table(table))
    }
}

/// Formats a score in just enough digits to compare it with others.
fn short(score: f32, offset: f64) -> String {
    match score.abs() {
        _ if offset != 0.0 => format!("{:.2}", f64::from(score) + offset),
        0.01..1e4 => format!("{score:.2}"),
        _ => number(f64::from(score)),
    }
}

fn name_of(ids: &Ids, row: u32) -> String {
    ids.name(row as usize)
}

/// Formats an id for a line of the screen.
fn shown_name(ids: &Ids, row: u32) -> String {
    Field(&ids.name(row as usize)).to_string()
}
