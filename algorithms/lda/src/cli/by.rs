//! `lda topics --by`: shares of topics in groups of documents, as text, as a table and as a picture.

use std::sync::Arc;

use raddle_cli::{Axis, Error, Picture, PictureKind, Series, Table, Tick, count};
use raddle_datasets::Corpus;
use raddle_lda::files::Saved;
use raddle_lda::{GroupShare, Interval, group_shares};

use super::fit_options::refuse;
use super::groups::Groups;

/// Topics of a group on the screen, the strongest.
const STRONGEST: usize = 3;

/// Topics in the picture, and the most groups that have one.
const PICTURED: usize = 5;
const MOST_PICTURED: usize = 60;

/// Top words of a topic in the table.
const WORDS: usize = 5;

/// Seed of the bootstrap: the same documents and model give the same intervals.
const SEED: u64 = 42;

/// The shares of topics in groups of documents.
pub(super) struct SharesBy<'a> {
    by: &'a str,
    groups: Groups,
    /// For each group, the share of each topic.
    shares: Vec<Vec<GroupShare>>,
    /// Top words of each topic.
    words: Vec<String>,
}

impl<'a> SharesBy<'a> {
    /// Estimates the shares of a model's topics in the documents of a corpus, grouped by a column.
    pub(super) fn new(
        saved: &Saved,
        corpus: Corpus,
        by: &'a str,
        bins: Option<usize>,
    ) -> Result<Self, Error> {
        let groups = Groups::new(&corpus, by, bins)?;
        let model = Arc::new(saved.inference().map_err(refuse)?);
        #[allow(
            clippy::disallowed_methods,
            reason = "nothing is trained: results are the same on any number"
        )]
        let workers = std::thread::available_parallelism().map_or(1, usize::from);
        let shares = group_shares(&model, &Arc::new(corpus), groups.members.clone(), SEED, workers);
        let top = |topic| {
            let words = saved.counts.top(topic, WORDS).into_iter().map(|(word, _)| saved.model.word(word));
            words.collect::<Vec<_>>().join(" ")
        };
        let words = (0..saved.model.topics).map(top).collect();
        Ok(Self { by, shares: shares.map_err(refuse)?, groups, words })
    }

    /// Returns sentences on documents that are in no group.
    pub(super) fn notes(&self) -> &[String] {
        &self.groups.notes
    }

    /// Returns the topics of a group, those with the largest shares first.
    fn order(&self, group: usize) -> Vec<usize> {
        let share = |topic: usize| self.shares[group][topic].share.estimate;
        let mut order: Vec<usize> = (0..self.words.len()).collect();
        order.sort_by(|&a, &b| share(b).total_cmp(&share(a)).then(a.cmp(&b)));
        order
    }

    /// Formats the strongest topics of each group.
    pub(super) fn text(&self, most: Option<usize>) -> String {
        let documents: usize = self.groups.members.iter().map(Vec::len).sum();
        let mut text = format!(
            "shares of topics by {}: {} of {}; difference from all other documents; intervals of 95 %\n\n\
             {:>6} {:>8} {:>18} {:>11} {:>20}  top words\n",
            self.by,
            count(self.groups.names.len() as u64, "group"),
            count(documents as u64, "document"),
            "topic",
            "share",
            "from, to",
            "difference",
            "from, to",
        );
        let percent = |value: f64| 100.0 * value;
        for (group, name) in self.groups.names.iter().enumerate() {
            let members = count(self.groups.members[group].len() as u64, "document");
            text += &format!("{} {name}, {members}\n", self.by);
            for topic in self.order(group).into_iter().take(most.unwrap_or(STRONGEST)) {
                let GroupShare { share, difference } = self.shares[group][topic];
                let [share, difference] = [share, difference]
                    .map(|Interval { estimate, low, high }| [estimate, low, high].map(percent));
                text += &format!(
                    "{:>6} {:>6.2} % {:>18} {:>9.2} % {:>20}  {}\n",
                    topic + 1,
                    share[0],
                    format!("{:.2}, {:.2}", share[1], share[2]),
                    difference[0],
                    format!("{:.2}, {:.2}", difference[1], difference[2]),
                    self.words[topic]
                );
            }
        }
        text
    }

    /// Returns the shares of all topics in all groups as a table.
    pub(super) fn table(&self) -> Table {
        let columns = [
            self.by,
            "documents",
            "topic",
            "share",
            "share low",
            "share high",
            "difference",
            "difference low",
            "difference high",
            "top words",
        ];
        let mut table = Table::new(format!("shares by {}", self.by), &columns);
        for (group, name) in self.groups.names.iter().enumerate() {
            for topic in self.order(group) {
                let GroupShare { share, difference } = self.shares[group][topic];
                let mut row = vec![
                    name.as_str().into(),
                    self.groups.members[group].len().into(),
                    (topic as u64 + 1).into(),
                ];
                for Interval { estimate, low, high } in [share, difference] {
                    row.extend([estimate, low, high].map(serde_json::Value::from));
                }
                row.push(self.words[topic].as_str().into());
                table.row(row);
            }
        }
        table
    }

    /// Returns a picture of the topics whose shares differ most between groups; `None` for too many groups.
    pub(super) fn picture(&self) -> Option<Picture> {
        let spread = |topic: usize| {
            let shares = self.shares.iter().map(|of| of[topic].share.estimate);
            shares.clone().fold(f64::NEG_INFINITY, f64::max) - shares.fold(f64::INFINITY, f64::min)
        };
        let mut order: Vec<usize> = (0..self.words.len()).collect();
        order.sort_by(|&a, &b| spread(b).total_cmp(&spread(a)).then(a.cmp(&b)));
        let (kind, note) = match self.groups.are_numbers {
            true => (PictureKind::Lines, "the topics whose shares differ most; band: intervals of 95 %"),
            false => (PictureKind::Points, "the topics whose shares differ most"),
        };
        let names = (0u32..).zip(&self.groups.names);
        let ticks = names.map(|(at, name)| Tick { at: f64::from(at), label: name.clone() }).collect();
        let across = Axis { ticks, ..Axis::linear(self.by) };
        let mut picture = Picture::new(format!("Shares of topics by {}", self.by), kind)
            .axes(across, Axis::linear("mean share"))
            .note(note);
        for topic in order.into_iter().take(PICTURED) {
            let of = |value: fn(&Interval) -> f64| -> Vec<f64> {
                self.shares.iter().map(|shares| value(&shares[topic].share)).collect()
            };
            let x = (0..self.shares.len()).map(|at| at as f64).collect();
            let name = format!("{}: {}", topic + 1, self.words[topic]);
            let series = Series::new(name, x, of(|one| one.estimate));
            // Between groups without an order there is nothing that a band could cover.
            picture = picture.series(match self.groups.are_numbers {
                true => series.bounds(of(|one| one.low), of(|one| one.high)),
                false => series,
            });
        }
        (self.shares.len() <= MOST_PICTURED).then_some(picture)
    }
}
