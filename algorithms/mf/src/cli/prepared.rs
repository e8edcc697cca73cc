//! [`Prepared`]: the part of the data that is kept during the fit, and the report at its end.

use raddle_cli::{Data, Error, Report, Session, Summary, Table, Timed, VersionOf, count, number};
use raddle_datasets::{Field, Ids, PartOfRatings, Ratings, Triples};
use raddle_mf::files::About;
use raddle_mf::{Fit, Model, Problem, Query, Recommender};

use super::compared::Compared;
use super::data::{self, Kept};
use super::fit_options::Options;
use super::held::{self, RatingsSource};
use super::pictures::epochs;
use super::rated::{Rated, SUMMARISED};
use super::split::Cold;
use super::tested::{Tested, relevant};

/// Number of users on the screen, and of items for each.
const SHOWN: (usize, usize) = (5, 4);
/// Number of items for each user of the summary.
const ITEMS: usize = 10;

/// Facts about the training ratings for the summary.
struct Shown {
    ratings: usize,
    /// Notes on how the ratings were read.
    notes: String,
    cold: Cold,
    /// Rows that only the model to start from has.
    kept: Option<Kept>,
}

impl Shown {
    fn of(
        (train, is_constant): (usize, bool),
        ratings: &Ratings,
        kept: Option<Kept>,
        options: &Options,
        cold: Cold,
    ) -> Self {
        let reading = &options.reading;
        let mut notes = reading.notes(ratings);
        notes += options.model.note();
        notes += match (is_constant, ratings.pairs_only && options.model.implicit.is_none()) {
            (false, false) => "",
            (_, true) => {
                "there are pairs without ratings: for clicks, fit --implicit, where they count how often, \
                 and what was not \
                 clicked counts, too\n"
            }
            (true, false) => {
                "all ratings are the same: if they are clicks, fit --implicit, as nothing tells them apart\n"
            }
        };
        Self { ratings: train, notes: notes + &cold.notes(), cold, kept }
    }
}

impl Shown {
    /// Notes on the data, one sentence each.
    fn lines(&self) -> Vec<String> {
        let kept = self.kept.as_ref().map_or_else(String::new, Kept::to_string);
        self.notes.lines().chain(kept.lines()).map(str::to_owned).collect()
    }
}

/// Facts about the data at the start of a fit, for the report at its end.
pub(super) struct Prepared {
    pub(super) described: Data,
    shown: Shown,
    test: Option<RatingsSource>,
    /// Ratings that measured lists of recommendations leave out: training and validation data.
    seen: Vec<RatingsSource>,
    /// Pairs on which the truth is measured, if it is known.
    known: Option<RatingsSource>,
    /// Pairs that lists of the report leave out, and that the folder stores.
    rated: Rated,
    /// Number subtracted from the ratings.
    offset: f64,
}

impl Prepared {
    /// Prepares ratings in memory.
    pub(super) fn new(
        options: &Options,
        described: Data,
        (ratings, problem): (&Ratings, &Problem),
        (test, cold): (Option<Triples>, Cold),
        rated: Rated,
        kept: Option<Kept>,
    ) -> Result<Self, Error> {
        if let Some(test) = &test {
            refuse_irrelevant(options, test, ratings.offset)?;
        }
        let is_constant = options.model.implicit.is_none() && problem.is_constant();
        let shown = Shown::of((problem.ratings(), is_constant), ratings, kept, options, cold);
        let measured = problem.measured();
        let seen = match Self::ranks(options, test.is_some()) {
            true => vec![known(options, problem.train().iter(), measured)],
            false => Vec::new(),
        };
        let known = Self::knows(options).then(|| test.as_ref().or(measured).cloned()).flatten();
        let (test, known) = (test.map(RatingsSource::Whole), known.map(RatingsSource::Whole));
        Ok(Self { described, shown, test, seen, known, rated, offset: ratings.offset })
    }

    /// Prepares ratings that are read by parts.
    pub(super) fn of_parts(
        options: &Options,
        described: Data,
        (ratings, problem): (&Ratings, &Problem),
        (train, measured): (&PartOfRatings, Option<PartOfRatings>),
        (test, cold): (Option<PartOfRatings>, Cold),
        rated: Rated,
    ) -> Result<Self, Error> {
        let is_constant = options.model.implicit.is_none() && problem.is_constant();
        let shown = Shown::of((train.len(), is_constant), ratings, None, options, cold);
        let known = Self::knows(options).then(|| test.as_ref().or(measured.as_ref()).cloned()).flatten();
        let mut seen = Vec::new();
        if Self::ranks(options, test.is_some()) {
            let validated = measured.filter(|_| options.model.target.is_none());
            seen.extend([train.clone()].into_iter().chain(validated).map(RatingsSource::Stored));
        }
        let test = test.map(RatingsSource::Stored);
        if let Some(test) = test.as_ref().filter(|_| options.relevant.is_some()) {
            refuse_irrelevant(options, &*test.read()?, ratings.offset)?;
        }
        let known = known.map(RatingsSource::Stored);
        Ok(Self { described, shown, test, seen, known, rated, offset: ratings.offset })
    }

    /// `true` if recommendations are measured.
    fn ranks(options: &Options, has_test: bool) -> bool {
        has_test && (options.ranking.is_some() || options.model.implicit.is_some())
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
        let test = self.test.as_ref().map(RatingsSource::read).transpose()?;
        let seen = held::together(&self.seen)?;
        let offset = self.offset;
        let tested = Tested::measure(session, fit, (test.as_deref(), offset), seen.as_deref(), options);
        let compared = session.timed(Timed::Certify, || Compared::of(fit, (test.as_deref(), offset)));
        drop((test, seen));
        let known = match &self.known {
            Some(known) => data::known_error(options.train.data.as_deref(), &*known.read()?),
            None => None,
        };
        let (users, items) = (ratings.users.clone(), ratings.items.clone());
        let about = About::new(fit, &options.model.fold_in(fit), users, items);
        About { version, offset, ..about }.write(&fit.model, session)?;
        self.rated.write((ratings.users.len(), ratings.items.len()), session)?;
        let digest = fit.digest();
        let data = Data { notes: self.shown.lines(), ..self.described };
        let report = session.report(options, data, digest, &fit.report, &fit.trace)?;
        let mut report = report.result("best_epoch", fit.best_epoch).result("mean", fit.model.mean);
        report = self.shown.cold.report(report).result("learned", fit.learned.name());
        if let Some(compared) = &compared {
            report = compared.report(report);
        }
        if let Some(best) = fit.best {
            report = report.result(&format!("best_{}", fit.report.metric.name), best);
        }
        let (mut text, mut summary) = describe(fit, ratings, (&self.shown, &self.rated), options);
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
}

/// Refuses a --relevant that is above all test ratings.
fn refuse_irrelevant(options: &Options, test: &Triples, offset: f64) -> Result<(), Error> {
    match options.relevant.filter(|_| relevant(test, options, offset).is_empty()) {
        Some(least) => Err(Error::usage(format!(
            "--relevant is {least}: no test rating is as high, so nothing is a hit"
        ))),
        None => Ok(()),
    }
}

/// Returns the clicks that lists leave out, whether for training or for validation.
fn known(
    options: &Options,
    train: impl Iterator<Item = (u32, u32, f32)>,
    measured: Option<&Triples>,
) -> RatingsSource {
    let validated = measured.filter(|_| options.model.target.is_none());
    RatingsSource::Whole(train.chain(validated.into_iter().flat_map(Triples::iter)).collect())
}

/// The outcome as text and as generic tables.
fn describe(
    fit: &Fit,
    ratings: &Ratings,
    (shown, rated): (&Shown, &Rated),
    options: &Options,
) -> (String, Summary) {
    let Ratings { name, users, items, .. } = ratings;
    let sizes = format!("{} x {}", count(users.len() as u64, "user"), count(items.len() as u64, "item"));
    let title = format!("Factorization of {name}: {sizes}, rank {}", options.model.rank);
    let mut text = format!("{title}, {} to train on\n", count(shown.ratings as u64, "rating"));
    shown.lines().iter().for_each(|line| text += &format!("{line}\n"));
    let first: Vec<u32> = (0..users.len().min(SUMMARISED) as u32).collect();
    let query = Query::best(ITEMS).without_seen(&rated.first);
    let mut table = Table::new("recommendations", &["user", "item", "score"]);
    let first = if fit.model.ranks_items() { first } else { Vec::new() };
    text += &match first.is_empty() {
        true => "\nno recommendations: the model tells no items apart\n".to_owned(),
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
