//! What is found on test data.

use raddle::cli::{Error, Report, Session, Summary, Table, Timed, count, number};
use raddle_datasets::Triples;
use raddle_mf::{Fit, Ranking};

use super::fit::Options;

/// Items of the lists that a model of implicit feedback is tested by, unless --ranking says how many.
const LISTED: usize = 10;

/// What was found on the test data.
#[derive(Default)]
pub(super) struct Tested {
    ratings: usize,
    /// Root mean squared and mean absolute error.
    errors: Option<(f64, f64)>,
    ranking: Option<Ranking>,
}

impl Tested {
    pub(super) fn measure(
        session: &mut Session,
        fit: &Fit,
        test: Option<&Triples>,
        seen: Option<&Triples>,
        options: &Options,
    ) -> Self {
        let Some(test) = test else { return Self::default() };
        session.timed(Timed::Certify, || Self {
            ratings: test.len(),
            // Clicks are held against no number.
            errors: options.model.implicit.is_none().then(|| fit.model.errors(test)),
            ranking: seen
                .map(|seen| Ranking::measure(&fit.model, seen, test, options.ranking.unwrap_or(LISTED))),
        })
    }

    /// Adds it to report and summary; and the lines for the screen.
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
            let Ranking { precision, recall, ndcg, map, auc, users, at } = ranking;
            let [precision, recall, ndcg, map, auc] = [precision, recall, ndcg, map, auc].map(number);
            let gap = if lines.is_empty() { "\n\n" } else { "\n" };
            lines += &format!(
                "{gap}test: precision@{at} {precision}, recall@{at} {recall}, ndcg@{at} {ndcg}, map@{at} {map}, auc {auc} \
                 over {}",
                count(users as u64, "user")
            );
            report = report.result("ranking", serde_json::to_value(ranking).map_err(Error::failed)?);
        }
        Ok((report, summary, lines))
    }
}
