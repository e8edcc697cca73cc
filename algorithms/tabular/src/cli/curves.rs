//! The curves of a cross-validation: in `cv.tsv`, on the screen and in the report.

use std::io::Write as _;
use std::path::Path;

use raddle::files::ModelFiles as _;
use raddle_cli::{Error, Report, Session, Table as Listing, aligned, number};
use serde_json::{Map, Value};

use super::listing::{abridged, place_of_all, short};
use crate::folds::{Curve, CurvePoint, Rule};

/// Approximate number of points of a curve that the screen lists.
const LISTED: usize = 20;

/// Curves over the folds, and the rule that chooses a point.
#[derive(Debug)]
pub struct Chosen<P> {
    /// The curves, at least one.
    pub curves: Vec<Curve<P>>,
    /// The position of the chosen curve.
    pub best: usize,
    /// The rule that chooses a point of it.
    pub rule: Rule,
    /// Number of folds.
    pub folds: usize,
    /// Largest relative duality gap of all fits of all folds.
    pub worst_gap: f64,
}

impl<P: CurvePoint> Chosen<P> {
    /// Returns the setting that the rule chooses.
    pub fn setting(&self) -> f64 {
        self.curve().choose(self.rule).values()[0]
    }

    fn curve(&self) -> &Curve<P> {
        &self.curves[self.best]
    }

    fn names() -> [&'static str; 4] {
        [P::SETTING, "mean", "se", P::SIZE]
    }

    /// Writes `cv.tsv`: of several curves, one after another.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, session: &mut Session) -> Result<(), Error> {
        let series = |curve: &Curve<P>| curve.series.filter(|_| self.curves.len() > 1);
        Ok(session.write("cv.tsv", |out| {
            let first = series(self.curve()).map_or(String::new(), |_| format!("{}\t", P::SERIES[0]));
            writeln!(out, "{first}{}", Self::names().join("\t"))?;
            for curve in &self.curves {
                let first = series(curve).map_or(String::new(), |series| format!("{series}\t"));
                for [setting, mean, se, size] in curve.points.iter().map(P::values) {
                    writeln!(out, "{first}{setting:.16e}\t{mean:.16e}\t{se:.16e}\t{size}")?;
                }
            }
            Ok(())
        })?)
    }

    /// Adds the measures and the choice to the report.
    pub fn reported(&self, report: Report) -> Report {
        let curve = self.curve();
        let point = |point: &P| -> Map<String, Value> {
            Self::names()
                .into_iter()
                .zip(point.values())
                .map(|(name, value)| (name.into(), value.into()))
                .collect()
        };
        let [_, mean, se, _] = curve.choose(self.rule).values();
        let name = Rule::NAMES.iter().find(|(_, rule)| *rule == self.rule).map_or("", |(name, _)| name);
        let mut report = report.result("rule", name).result("folds", self.folds as u64);
        report = report.result("measure", curve.measure);
        for (name, rule) in Rule::NAMES {
            report = report.result(&format!("{}_{name}", P::SETTING), curve.choose(rule).values()[0]);
        }
        let report = report
            .result("mean", mean)
            .result("se", se)
            .result("worst_gap", self.worst_gap)
            .result("curve", curve.points.iter().map(point).collect::<Vec<_>>());
        if self.curves.len() == 1 {
            return report;
        }
        let best = |curve: &Curve<P>| {
            let mut of = point(&curve.choose(self.rule));
            of.insert(P::SERIES[0].into(), curve.series.into());
            of
        };
        let all = self.curves.iter().map(best).collect::<Vec<_>>();
        report.result(P::SERIES[0], curve.series).result(&format!("{}s", P::SERIES[0]), all)
    }

    /// The curves and the chosen one: as text, with about twenty points and those of the rules, and as a
    /// generic table of all points, which the run's folder has, too.
    pub fn describe(&self, folder: Option<&Path>) -> (String, Listing) {
        let (Self { rule, folds, worst_gap, .. }, curve) = (self, self.curve());
        let mut text = format!(
            "Cross-validation with {folds} folds: {} on the rows held out, worst gap {}\n\n",
            curve.measure,
            short(*worst_gap),
        );
        if self.curves.len() > 1 {
            text += &self.series();
        }
        let names = Self::names();
        let [setting, mean, se, size] = names;
        text += &format!("{setting:>14}  {mean:>12}  {se:>11}  {size:>8}\n");
        let mut table = Listing::new("cross-validation", &names);
        let every = curve.points.len().div_ceil(LISTED).max(1);
        let mut listed = 0;
        for (at, values) in curve.points.iter().map(P::values).enumerate() {
            table.row(values.map(Value::from).to_vec());
            let mut marks = String::new();
            for (name, which) in Rule::NAMES {
                if at == curve.position(which) {
                    let chosen = if which == *rule { ", chosen" } else { "" };
                    marks += &format!("  <- {setting}_{name}{chosen}");
                }
            }
            if at % every == 0 || !marks.is_empty() {
                let [setting, mean, se, size] = values;
                let [setting, mean, se] = [setting, mean, se].map(aligned);
                text += &format!("{setting:>14}  {mean:>12}  {se:>11}  {size:>8.1}{marks}\n");
                listed += 1;
            }
        }
        text += &abridged(listed, curve.points.len(), P::SETTINGS, &place_of_all("cv.tsv", folder));
        (text.trim_end().to_owned(), table)
    }

    /// A line for each curve, with the setting that the rule chooses of it.
    fn series(&self) -> String {
        let mut text = format!("{:>14}  {:>12}  {:>11}  {:>14}\n", P::SERIES[1], "mean", "se", P::SETTING);
        for (at, curve) in self.curves.iter().enumerate() {
            let [setting, mean, se, _] = curve.choose(self.rule).values();
            let (series, mark) = (
                curve.series.map(number).unwrap_or_default(),
                if at == self.best { "  <- chosen" } else { "" },
            );
            let [setting, mean, se] = [setting, mean, se].map(aligned);
            text += &format!("{series:>14}  {mean:>12}  {se:>11}  {setting:>14}{mark}\n");
        }
        text + "\n"
    }
}
