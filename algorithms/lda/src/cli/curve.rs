//! [`Choice`]: the curves of `lda cv` and the number of topics that its rule chooses, in files, on the screen
//! and in the report.

use std::io::Write as _;

use raddle::files::ModelFiles as _;
use raddle_cli::{Axis, Error, Picture, PictureKind, Report, Series, Session, Table, aligned};
use raddle_common::Mean;
use raddle_lda::{TopicCurve, TopicRule, TopicScore};
use serde_json::{Value, json};

/// Names of the columns of the curves.
const COLUMNS: [&str; 5] = ["topics", "perplexity", "perplexity_se", "npmi", "npmi_se"];

/// The curves, and the rule that chooses a number of topics.
pub(super) struct Choice {
    pub(super) curve: TopicCurve,
    pub(super) rule: TopicRule,
    /// For each fold, the scores of each number of topics.
    pub(super) scores: Vec<Vec<TopicScore>>,
}

impl Choice {
    /// Returns the position of the number that is chosen.
    pub(super) fn position(&self) -> usize {
        self.curve.position(self.rule)
    }

    /// Returns the number of topics that is chosen.
    pub(super) fn topics(&self) -> usize {
        self.curve.topics[self.position()]
    }

    /// Returns perplexity and npmi of the number at this position.
    fn point(&self, at: usize) -> (Mean, Mean) {
        (self.curve.perplexity.points[at], self.curve.npmi.points[at])
    }

    /// Returns (topics, perplexity, npmi) of each number.
    fn points(&self) -> impl Iterator<Item = (usize, Mean, Mean)> + '_ {
        self.curve.topics.iter().enumerate().map(|(at, &topics)| {
            let (perplexity, npmi) = self.point(at);
            (topics, perplexity, npmi)
        })
    }

    /// Writes the curves to `cv.tsv`, and the scores of all fits to `cv_fits.tsv`.
    pub(super) fn write(&self, session: &mut Session) -> Result<(), Error> {
        session.write("cv.tsv", |out| {
            writeln!(out, "{}", COLUMNS.join("\t"))?;
            self.points().try_for_each(|(topics, perplexity, npmi)| {
                let [(a, b), (c, d)] = [perplexity, npmi].map(|Mean { mean, se }| (mean, se));
                writeln!(out, "{topics}\t{a:.16e}\t{b:.16e}\t{c:.16e}\t{d:.16e}")
            })
        })?;
        Ok(session.write("cv_fits.tsv", |out| {
            writeln!(out, "fold\ttopics\tdocuments\tperplexity\tnpmi\tepochs\tmodel_digest")?;
            for (fold, scores) in (1..).zip(&self.scores) {
                for (topics, score) in self.curve.topics.iter().zip(scores) {
                    let TopicScore { documents, perplexity, npmi, epochs, digest } = score;
                    writeln!(
                        out,
                        "{fold}\t{topics}\t{documents}\t{perplexity:.16e}\t{npmi:.16e}\t{epochs}\t{digest}"
                    )?;
                }
            }
            Ok(())
        })?)
    }

    /// Adds the curves and the choice to the report.
    pub(super) fn reported(&self, report: Report) -> Report {
        let (perplexity, npmi) = self.point(self.position());
        let mut report = report.result("rule", self.rule.name()).result("folds", self.scores.len() as u64);
        report = report.result("topics", self.topics() as u64);
        for (name, rule) in TopicRule::NAMES {
            report = report.result(&format!("topics_{name}"), self.curve.choose(rule) as u64);
        }
        let point = |(topics, perplexity, npmi): (usize, Mean, Mean)| {
            let [a, b, c, d] = [perplexity.mean, perplexity.se, npmi.mean, npmi.se];
            json!({ "topics": topics, "perplexity": a, "perplexity_se": b, "npmi": c, "npmi_se": d })
        };
        report
            .result("turns", self.curve.turns())
            .result("cv_perplexity", perplexity.mean)
            .result("cv_npmi", npmi.mean)
            .result("curve", self.points().map(point).collect::<Vec<Value>>())
    }

    /// Returns the curves and the choice as text, and the curves as a table.
    pub(super) fn describe(&self, path: &str) -> (String, Table) {
        let mut table = Table::new("cross-validation", &COLUMNS);
        let mut text = format!(
            "Cross-validation of {path} with {} folds: perplexity of the documents held out, npmi of 10 top \
             words\n\n\
             {:>7}  {:>11}  {:>10}  {:>10}  {:>11}\n",
            self.scores.len(),
            "topics",
            "perplexity",
            "se",
            "npmi",
            "se"
        );
        for (at, (topics, perplexity, npmi)) in self.points().enumerate() {
            let values = [perplexity.mean, perplexity.se, npmi.mean, npmi.se];
            table.row([topics.into()].into_iter().chain(values.map(Value::from)).collect());
            let [a, b, c, d] = values.map(aligned);
            let rules = TopicRule::NAMES.iter().filter(|(_, rule)| self.curve.position(*rule) == at);
            let mut marks: Vec<&str> = rules.map(|(name, _)| *name).collect();
            if at == self.position() {
                marks.push("chosen");
            }
            let mark = if marks.is_empty() { String::new() } else { format!("  <- {}", marks.join(", ")) };
            text += &format!("{topics:>7}  {a:>11}  {b:>10}  {c:>10}  {d:>11}{mark}\n");
        }
        (text + "\n" + &self.why(), table)
    }

    /// Says why this number is chosen, and where the perplexity turns, if it does.
    fn why(&self) -> String {
        let (chosen, curve) = (self.topics(), &self.curve);
        let why = match self.rule {
            TopicRule::Min => "the number with the lowest perplexity of documents held out",
            TopicRule::OneSe => "the fewest whose perplexity is within a standard error of the lowest",
            TopicRule::Npmi => "whose top words occur together most",
        };
        let mut text = format!("chosen by --rule {}: {chosen} topics, {why}", self.rule.name());
        if !curve.turns() {
            text += &format!(
                "\nperplexity does not turn within the list: it falls up to {} topics, the most that were \
                 tried; npmi chooses {}",
                curve.choose(TopicRule::Min),
                curve.choose(TopicRule::Npmi)
            );
        }
        text
    }

    /// Returns pictures of both curves, with the number that each rule chooses.
    pub(super) fn pictures(&self) -> [Picture; 2] {
        let picture = |measure: &str, of: fn(&(usize, Mean, Mean)) -> Mean, rules: &[TopicRule]| {
            let x: Vec<f64> = self.curve.topics.iter().map(|&topics| topics as f64).collect();
            let means: Vec<Mean> = self.points().map(|point| of(&point)).collect();
            let value = |of: fn(&Mean) -> f64| means.iter().map(of).collect::<Vec<f64>>();
            let series = Series::new("mean", x, value(|one| one.mean))
                .bounds(value(|one| one.mean - one.se), value(|one| one.mean + one.se));
            let picture = Picture::new(format!("Cross-validation: {measure}"), PictureKind::Lines)
                .axes(Axis::log("topics"), Axis::linear(measure))
                .series(series)
                .note("band: a standard error to each side");
            rules
                .iter()
                .fold(picture, |picture, &rule| picture.mark(self.curve.choose(rule) as f64, rule.name()))
        };
        [
            picture("perplexity of held-out documents", |point| point.1, &[TopicRule::Min, TopicRule::OneSe]),
            picture("npmi of top words", |point| point.2, &[TopicRule::Npmi]),
        ]
    }
}
