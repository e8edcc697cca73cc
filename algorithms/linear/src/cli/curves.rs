//! The curve of a cross-validation: `cv.tsv`, screen and report.

use std::io::Write as _;

use raddle::files::ModelFiles as _;
use raddle_cli::{Error, Report, Session, Table, aligned};
use raddle_common::listing::{abridged, short};
use raddle_linear::{Curve, CurvePoint, Rule};
use serde_json::json;

/// Approximate number of points on the screen.
const LISTED: usize = 20;

/// A curve over the folds, with the choice of C that follows.
pub(super) struct Chosen {
    pub(super) curve: Curve,
    pub(super) rule: Rule,
    pub(super) folds: usize,
    pub(super) worst_gap: f64,
}

impl Chosen {
    /// Returns the chosen point.
    pub(super) fn point(&self) -> CurvePoint {
        self.curve.choose(self.rule)
    }

    /// Writes `cv.tsv`.
    pub(super) fn write(&self, session: &mut Session) -> Result<(), Error> {
        Ok(session.write("cv.tsv", |out| {
            writeln!(out, "C\tmean\tse\tsupport")?;
            for CurvePoint { c, mean, se, support } in &self.curve.points {
                writeln!(out, "{c:.16e}\t{mean:.16e}\t{se:.16e}\t{support}")?;
            }
            Ok(())
        })?)
    }

    /// Adds the curve and the choice to the report.
    pub(super) fn reported(&self, report: Report) -> Report {
        let chosen = self.point();
        let point = |CurvePoint { c, mean, se, support }: &CurvePoint| json!({"C": c, "mean": mean, "se": se, "support": support});
        let name = Rule::NAMES.iter().find(|(_, rule)| *rule == self.rule).map_or("", |(name, _)| name);
        report
            .result("rule", name)
            .result("folds", self.folds as u64)
            .result("measure", self.curve.measure.title())
            .result("C_min", self.curve.choose(Rule::Min).c)
            .result("C_1se", self.curve.choose(Rule::OneSe).c)
            .result("mean", chosen.mean)
            .result("se", chosen.se)
            .result("worst_gap", self.worst_gap)
            .result("curve", self.curve.points.iter().map(point).collect::<Vec<_>>())
    }

    /// Returns the curve as text, with about twenty of its points and those of the rules, and as a table of
    /// all points.
    pub(super) fn describe(&self, is_written: bool) -> (String, Table) {
        let Self { curve, rule, folds, worst_gap } = self;
        let mut text = format!(
            "Cross-validation with {folds} folds: {} on the rows held out, worst gap {}\n\n",
            curve.measure.title(),
            short(*worst_gap),
        );
        text += &format!("{:>14}  {:>12}  {:>11}  {:>8}\n", "C", "mean", "se", "support");
        let mut table = Table::new("cross-validation", &["C", "mean", "se", "support"]);
        let every = curve.points.len().div_ceil(LISTED).max(1);
        let mut listed = 0;
        for (at, CurvePoint { c, mean, se, support }) in curve.points.iter().enumerate() {
            table.row(vec![(*c).into(), (*mean).into(), (*se).into(), (*support).into()]);
            let mut marks = String::new();
            for (name, which) in Rule::NAMES {
                if at == curve.position(which) {
                    marks += &format!("  <- C_{name}{}", if which == *rule { ", chosen" } else { "" });
                }
            }
            if at % every != 0 && marks.is_empty() {
                continue;
            }
            let [c, mean, se] = [*c, *mean, *se].map(aligned);
            text += &format!("{c:>14}  {mean:>12}  {se:>11}  {support:>8.1}{marks}\n");
            listed += 1;
        }
        text += &abridged(listed, curve.points.len(), "values of C", "cv.tsv", is_written);
        (text.trim_end().to_owned(), table)
    }
}
