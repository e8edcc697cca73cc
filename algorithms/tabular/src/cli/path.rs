//! [`Path`]: the points of a path on the screen and in pictures, and the choice of one that predicts.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path as Folder;

use clap::Args;
use raddle_cli::{Axis, Error, Picture, PictureKind, Series, Table as Listing, Tick, aligned};

use super::listing::{abridged, place_of_all, short};
use super::pictures::{Score, scores};
use super::places::{counted, drawn};
use crate::files::Schema;

/// Approximate number of points that the screen lists.
const LISTED: usize = 20;

/// Largest number of coefficients with a line.
const LINES: usize = 30;

/// A point of a path.
#[derive(Debug)]
pub struct PathRow<'a> {
    /// The setting: the weight of the penalty or of the losses.
    pub setting: f64,
    /// The size of the model: its coefficients that are not zero, or the rows that support it.
    pub size: u64,
    /// Relative duality gap.
    pub gap: f64,
    /// Coefficients that are not zero, numbered as in a fit.
    pub coefficients: Cow<'a, [(u32, f64)]>,
}

/// The points of a path, with their words.
#[derive(Debug)]
pub struct Path<'a> {
    /// Name of the setting; then of several.
    pub setting: [&'static str; 2],
    /// The last setting, in words.
    pub last: &'static str,
    /// Name of the size.
    pub size: &'static str,
    /// The points.
    pub points: Vec<PathRow<'a>>,
}

impl Path<'_> {
    /// Returns about twenty of the points as text, and all as a table; `folder` is that of the run.
    pub fn listed(&self, folder: Option<&Folder>) -> (String, Listing) {
        let (setting, size) = (self.setting[0], self.size);
        let mut text = format!("{:>6}  {setting:>14}  {size:>9}  {:>8}\n", "point", "gap");
        let mut table = Listing::new("path", &["point", setting, size, "gap"]);
        let every = self.points.len().div_ceil(LISTED).max(1);
        let mut listed = 0;
        for (number, point) in (1..).zip(&self.points) {
            let PathRow { setting, size, gap, .. } = *point;
            table.row(vec![number.into(), setting.into(), size.into(), gap.into()]);
            if (number - 1) % every == 0 || number == self.points.len() {
                text += &format!("{number:>6}  {:>14}  {size:>9}  {:>8}\n", aligned(setting), short(gap));
                listed += 1;
            }
        }
        text += &abridged(listed, self.points.len(), "points", &place_of_all("path.tsv", folder));
        (text.trim_end().to_owned(), table)
    }

    /// Plots coefficients over the setting, one picture for each score. Empty with fewer than two points, or
    /// if a setting is 0.
    pub fn pictures(&self, schema: Schema<'_>) -> Vec<Picture> {
        if self.points.len() < 2 || self.points.iter().any(|point| point.setting <= 0.0) {
            return Vec::new();
        }
        scores(schema).map(|score| self.of_score(schema, &score)).collect()
    }

    fn of_score(&self, schema: Schema<'_>, score: &Score<'_>) -> Picture {
        let ([setting, several], points) = (self.setting, &self.points);
        let places = drawn(points.len(), &[]);
        let settings: Vec<f64> = places.iter().map(|&at| points[at].setting).collect();
        // Coefficients that are not zero at every point.
        let mut lines: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
        for (column, _) in points.iter().flat_map(|point| score.of(&point.coefficients)) {
            lines.entry(column).or_insert_with(|| vec![0.0; places.len()]);
        }
        for (at, &place) in places.iter().enumerate() {
            for (column, value) in score.of(&points[place].coefficients) {
                lines.entry(column).and_modify(|line| line[at] = value);
            }
        }
        let mut order: Vec<(u32, Vec<f64>)> = lines.into_iter().collect();
        let last = |line: &[f64]| line.last().map_or(0.0, |value| value.abs());
        let largest = |line: &[f64]| line.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
        order.sort_by(|(_, a), (_, b)| {
            last(b).total_cmp(&last(a)).then_with(|| largest(b).total_cmp(&largest(a)))
        });
        let all = order.len();
        let mut parts = vec!["above: coefficients that are not zero".to_owned()];
        if all > LINES {
            parts.push(format!(
                "the {LINES} largest at {}; {} more are not zero at some {setting}",
                self.last,
                all - LINES
            ));
        }
        if places.len() < points.len() {
            parts.push(format!("{} of {} {several} are drawn", places.len(), points.len()));
        }
        let is_falling = points[0].setting > points[points.len() - 1].setting;
        let axis = if is_falling { Axis::log(setting).falling() } else { Axis::log(setting) };
        let mut picture =
            Picture::new(score.title(&format!("Coefficients over {setting}")), PictureKind::Lines)
                .axes(axis, Axis::linear("coefficient"))
                .note(score.note(parts));
        for (column, line) in order.into_iter().take(LINES) {
            picture = picture.series(Series::new(schema.name(column), settings.clone(), line));
        }
        let count = |at: usize| {
            let nonzeros = score.of(&points[at].coefficients).count();
            Tick::new(points[at].setting, nonzeros.to_string())
        };
        Picture { above: counted(points.len()).into_iter().map(count).collect(), ..picture }
    }
}

/// The option that chooses a point of a path.
#[derive(Debug, Args)]
pub struct PointArgs {
    /// Predict with this point of a path, counted from 1. path.tsv in the model's folder lists the points.
    #[arg(long, value_name = "K")]
    pub point: Option<u64>,
}

impl PointArgs {
    /// Checks which point predicts, of a model in this folder with `points` points, or of one that is no
    /// path.
    ///
    /// # Errors
    /// If a path has no such point, or a model that is no path has a point chosen.
    pub fn check(&self, folder: &Folder, points: Option<u64>) -> Result<(), Error> {
        let refuse = |why: String| Err(Error::usage(why));
        let shown = folder.display();
        match (points, self.point) {
            (None, Some(_)) => refuse(format!("--point has no effect: {shown} is not a path; leave it out")),
            (Some(0), _) => refuse(format!("{shown}: a path without a certified point; fit it again")),
            (Some(points), None) => refuse(format!(
                "{shown}: a path of {points} points: choose one by --point 1 to {points}; path.tsv there lists \
                 them"
            )),
            (Some(points), Some(point)) if point == 0 || point > points => {
                refuse(format!("--point is {point}: {shown} has the points 1 to {points}"))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_is_chosen_of_a_path_and_of_nothing_else() {
        let refused = |points: Option<u64>, point| {
            PointArgs { point }
                .check(Folder::new("run"), points)
                .map_or_else(|why| why.to_string(), |()| "nothing".into())
        };
        assert_eq!((refused(None, None), refused(Some(2), Some(2))), ("nothing".into(), "nothing".into()));
        for (points, point, why) in [
            (Some(2), Some(0), "--point is 0"),
            (Some(2), Some(3), "--point is 3"),
            (Some(2), None, "a path of 2 points: choose one by --point 1 to 2"),
            (Some(0), None, "a path without a certified point"),
            (None, Some(1), "--point has no effect"),
        ] {
            let said = refused(points, point);
            assert!(said.contains(why), "{said}");
        }
    }
}
