//! The curves of a cross-validation: in `cv.tsv`, on the screen and in the report.

use std::io::Write as _;

use raddle::files::ModelFiles as _;
use raddle_cli::{Error, Report, Session, Table as Listing, aligned, number};
use raddle_common::listing::{abridged, short};
use raddle_lasso::{Curve, CurvePoint, Rule};
use serde_json::{Value, json};

/// Approximate number of points of the curve that the screen lists.
const LISTED: usize = 20;

/// Curves over the folds, and the point that the rule chooses.
pub(crate) struct Chosen {
    pub(crate) curves: Vec<Curve>,
    /// The position of the chosen l1 ratio.
    pub(crate) ratio: usize,
    pub(crate) rule: Rule,
    pub(crate) folds: usize,
    pub(crate) worst_gap: f64,
}

impl Chosen {
    /// Returns the curve of the chosen l1 ratio, and its chosen point.
    pub(crate) fn curve(&self) -> &Curve {
        &self.curves[self.ratio]
    }

    pub(crate) fn point(&self) -> CurvePoint {
        self.curve().choose(self.rule)
    }

    /// Writes `cv.tsv`: with several l1 ratios, one curve after another.
    pub(crate) fn write(&self, session: &mut Session) -> Result<(), Error> {
        let several = self.curves.len() > 1;
        Ok(session.write("cv.tsv", |out| {
            writeln!(out, "{}lambda\tmean\tse\tnonzeros", if several { "l1_ratio\t" } else { "" })?;
            for curve in &self.curves {
                for CurvePoint { lambda, mean, se, nonzeros } in &curve.points {
                    if several {
                        write!(out, "{}\t", curve.l1_ratio)?;
                    }
                    writeln!(out, "{lambda:.16e}\t{mean:.16e}\t{se:.16e}\t{nonzeros}")?;
                }
            }
            Ok(())
        })?)
    }

    /// Adds the measures and the choice to the report.
    pub(crate) fn reported(&self, report: Report) -> Report {
        let (curve, chosen) = (self.curve(), self.point());
        let point = |CurvePoint { lambda, mean, se, nonzeros }: &CurvePoint| json!({"lambda": lambda, "mean": mean, "se": se, "nonzeros": nonzeros});
        let name = Rule::NAMES.iter().find(|(_, rule)| *rule == self.rule).map_or("", |(name, _)| name);
        let report = report
            .result("rule", name)
            .result("folds", self.folds as u64)
            .result("measure", curve.criterion.title(curve.loss))
            .result("lambda_min", curve.choose(Rule::Min).lambda)
            .result("lambda_1se", curve.choose(Rule::OneSe).lambda)
            .result("mean", chosen.mean)
            .result("se", chosen.se)
            .result("worst_gap", self.worst_gap)
            .result("curve", curve.points.iter().map(point).collect::<Vec<_>>());
        if self.curves.len() == 1 {
            return report;
        }
        let best = |curve: &Curve| {
            let mut of = point(&curve.choose(self.rule));
            of["l1_ratio"] = curve.l1_ratio.into();
            of
        };
        let ratios: Vec<Value> = self.curves.iter().map(best).collect();
        report.result("l1_ratio", curve.l1_ratio).result("l1_ratios", ratios)
    }

    /// The l1 ratios and the curve of the chosen one: as text, with about twenty points and those of the
    /// rules, and as a generic table of all points.
    pub(crate) fn describe(&self, is_written: bool) -> (String, Listing) {
        let Self { rule, folds, worst_gap, .. } = *self;
        let curve = self.curve();
        let mut text = format!(
            "Cross-validation with {folds} folds: {} on the rows held out, worst gap {}\n\n",
            curve.criterion.title(curve.loss),
            short(worst_gap),
        );
        if self.curves.len() > 1 {
            text += &self.ratios();
        }
        text += &format!("{:>14}  {:>12}  {:>11}  {:>8}\n", "lambda", "mean", "se", "nonzeros");
        let mut table = Listing::new("cross-validation", &["lambda", "mean", "se", "nonzeros"]);
        let (min, one_se) = (curve.position(Rule::Min), curve.position(Rule::OneSe));
        let every = curve.points.len().div_ceil(LISTED).max(1);
        let mut listed = 0;
        for (at, CurvePoint { lambda, mean, se, nonzeros }) in curve.points.iter().enumerate() {
            table.row(vec![(*lambda).into(), (*mean).into(), (*se).into(), (*nonzeros).into()]);
            if at % every != 0 && at != min && at != one_se {
                continue;
            }
            let mut marks = String::new();
            for (name, which) in Rule::NAMES {
                if at == curve.position(which) {
                    marks += &format!("  <- lambda_{name}{}", if which == rule { ", chosen" } else { "" });
                }
            }
            let [lambda, mean, se] = [*lambda, *mean, *se].map(aligned);
            text += &format!("{lambda:>14}  {mean:>12}  {se:>11}  {nonzeros:>8.1}{marks}\n");
            listed += 1;
        }
        text += &abridged(listed, curve.points.len(), "lambdas", "cv.tsv", is_written);
        (text.trim_end().to_owned(), table)
    }

    /// A line for each l1 ratio, with the lambda that the rule chooses for it.
    fn ratios(&self) -> String {
        let mut text = format!("{:>14}  {:>12}  {:>11}  {:>14}\n", "l1 ratio", "mean", "se", "lambda");
        for (at, curve) in self.curves.iter().enumerate() {
            let CurvePoint { lambda, mean, se, .. } = curve.choose(self.rule);
            let (ratio, mark) = (number(curve.l1_ratio), if at == self.ratio { "  <- chosen" } else { "" });
            let [lambda, mean, se] = [lambda, mean, se].map(aligned);
            text += &format!("{ratio:>14}  {mean:>12}  {se:>11}  {lambda:>14}{mark}\n");
        }
        text + "\n"
    }
}
