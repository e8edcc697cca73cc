//! Measures on test data.

use std::borrow::Cow;

use raddle_cli::{Error, Report, Session, Summary, Table, Timed, count, number};
use raddle_datasets::Triples;
use raddle_mf::{Fit, Model, Ranking, Seen};

use super::fit_options::Options;

/// Number of items in the lists by which a model of implicit feedback is tested, unless --ranking gives
/// another.
const LISTED: usize = 10;

/// Measures on the test data.
#[derive(Default)]
pub(super) struct TestMeasures {
    ratings: usize,
    /// Root mean squared and mean absolute error.
    errors: Option<(f64, f64)>,
    ranking: Option<Ranking>,
    /// The smallest rating that is a hit; `None` if all are.
    relevant: Option<f64>,
    /// `true` if the test data are ratings, not clicks.
    is_explicit: bool,
}

/// Test data, less an offset.
#[derive(Clone, Copy)]
pub(super) struct TestSet<'a> {
    pub(super) ratings: &'a Triples,
    pub(super) offset: f64,
}

impl<'a> TestSet<'a> {
    /// Returns the ratings that are hits: those of at least a value; of clicks those above 0.
    pub(super) fn relevant(self, options: &Options) -> Cow<'a, Triples> {
        let is_hit = |value: f32| match options.relevant {
            Some(least) => f64::from(value) + self.offset >= least,
            None => options.model.implicit.is_none() || value > 0.0,
        };
        match self.ratings.values.iter().all(|&value| is_hit(value)) {
            true => Cow::Borrowed(self.ratings),
            false => Cow::Owned(self.ratings.iter().filter(|&(_, _, value)| is_hit(value)).collect()),
        }
    }

    /// Returns root mean squared and mean absolute error of a model.
    pub(super) fn errors(self, model: &Model) -> (f64, f64) {
        model.errors_less(self.ratings, self.offset)
    }
}

impl TestMeasures {
    pub(super) fn measure(
        session: &mut Session,
        fit: &Fit,
        test: Option<TestSet<'_>>,
        seen: Option<&Seen>,
        options: &Options,
    ) -> Self {
        let Some(test) = test else { return Self::default() };
        session.timed(Timed::Certify, || Self {
            ratings: test.ratings.len(),
            // Clicks are not numbers to be predicted.
            errors: options.model.implicit.is_none().then(|| test.errors(&fit.model)),
            ranking: seen.map(|seen| {
                let at = options.ranking.unwrap_or(LISTED);
                Ranking::measure_unseen(&fit.model, seen, &test.relevant(options), at)
            }),
            relevant: options.relevant,
            is_explicit: options.model.implicit.is_none(),
        })
    }

    /// Adds the measures to report and summary; returns the lines for the screen.
    pub(super) fn tell(
        &self,
        mut report: Report,
        mut summary: Summary,
    ) -> Result<(Report, Summary, String), Error> {
        let mut lines = String::new();
        if let Some((rmse, mae)) = self.errors {
            report = report.result("test_rmse", rmse).result("test_mae", mae);
            let on = count(self.ratings as u64, "rating");
            lines += &format!("\n\ntest: rmse {}, mae {} on {on}", number(rmse), number(mae));
            let mut table = Table::new("test", &["ratings", "rmse", "mae"]);
            table.row(vec![self.ratings.into(), rmse.into(), mae.into()]);
            summary = summary.table(table);
        }
        if let Some(ranking) = self.ranking {
            let Ranking { precision, recall, ndcg, map, auc, users, at, .. } = ranking;
            let [precision, recall, ndcg, map, auc] = [precision, recall, ndcg, map, auc].map(number);
            let Ranking { hit_rate, mrr, coverage, novelty, .. } = ranking;
            let [hit_rate, mrr, coverage, novelty] = [hit_rate, mrr, coverage, novelty].map(number);
            let gap = if lines.is_empty() { "\n\n" } else { "\n" };
            lines += &format!(
                "{gap}test: precision@{at} {precision}, recall@{at} {recall}, ndcg@{at} {ndcg}, map@{at} \
                 {map}, auc {auc} over {}",
                count(users as u64, "user")
            );
            lines += &match (self.relevant, self.is_explicit) {
                (Some(least), _) => format!(" (a hit is a test rating of {} or more)", number(least)),
                (None, true) => " (a hit is any test rating, whatever its value: --relevant)".to_owned(),
                (None, false) => String::new(),
            };
            lines += &format!(
                "\ntest: hit rate@{at} {hit_rate}, mrr@{at} {mrr}, {coverage} of the items listed, novelty \
                 {novelty} bits"
            );
            let mut told = serde_json::to_value(ranking).map_err(Error::failed)?;
            if let Some(told) = told.as_object_mut() {
                told.insert("relevant".into(), self.relevant.into());
            }
            report = report.result("ranking", told);
        }
        Ok((report, summary, lines))
    }
}
