//! The coefficients of a path.

use std::collections::BTreeMap;

use raddle_cli::{Axis, Picture, PictureKind, Series, Tick};
use raddle_lasso::Point;
use raddle_tabular::cli::{Score, counted, drawn, scores};
use raddle_tabular::files::Schema;

/// Largest number of coefficients with a line.
const LINES: usize = 30;

/// Plots coefficients over lambda, one picture for each score. Empty with fewer than two lambdas, or if one
/// is 0.
pub(crate) fn path(points: &[Point], schema: Schema<'_>) -> Vec<Picture> {
    if points.len() < 2 || points.iter().any(|point| point.lambda <= 0.0) {
        return Vec::new();
    }
    scores(schema).map(|score| of_score(points, schema, &score)).collect()
}

fn of_score(points: &[Point], schema: Schema<'_>, score: &Score<'_>) -> Picture {
    let places = drawn(points.len(), &[]);
    let lambdas: Vec<f64> = places.iter().map(|&at| points[at].lambda).collect();
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
            "the {LINES} largest at the smallest lambda; {} more are not zero at some lambda",
            all - LINES
        ));
    }
    if places.len() < points.len() {
        parts.push(format!("{} of {} lambdas are drawn", places.len(), points.len()));
    }
    let mut picture = Picture::new(score.title("Coefficients over lambda"), PictureKind::Lines)
        .axes(Axis::log("lambda").falling(), Axis::linear("coefficient"))
        .note(score.note(parts));
    for (column, line) in order.into_iter().take(LINES) {
        picture = picture.series(Series::new(schema.name(column), lambdas.clone(), line));
    }
    let count = |at: usize| {
        let nonzeros = score.of(&points[at].coefficients).count();
        Tick::new(points[at].lambda, nonzeros.to_string())
    };
    Picture { above: counted(points.len()).into_iter().map(count).collect(), ..picture }
}
