//! Pictures of coefficients and curves, described without drawing them.

use raddle_cli::{Axis, Picture, PictureKind, Series, number};

use super::places::drawn;
use crate::files::{Coefficient, Schema};
use crate::folds::{Curve, CurvePoint, Rule};

/// Largest number of classes with pictures of their own: the first ones.
const PICTURED: usize = 6;

/// Largest number of bars in a picture.
const BARS: usize = 20;

/// The only score of a model, or the score of a class; each score has a picture of its own.
#[derive(Debug)]
pub struct Score<'a> {
    schema: Schema<'a>,
    class: usize,
}

/// Returns the scores with pictures: the only one, or those of the first classes.
pub fn scores(schema: Schema<'_>) -> impl Iterator<Item = Score<'_>> {
    (0..schema.scored.clamp(1, PICTURED)).map(move |class| Score { schema, class })
}

impl Score<'_> {
    /// Returns the columns of the data and the coefficients of this score.
    pub fn of(&self, coefficients: &[(u32, f64)]) -> impl Iterator<Item = (u32, f64)> {
        let layout = self.schema.layout();
        let places = coefficients.iter().map(move |&(at, value)| (layout.place(at), value));
        places.filter(|((class, _), _)| *class == self.class).map(|((_, column), value)| (column, value))
    }

    /// Formats a caption, with the class if each class has a score.
    pub fn title(&self, title: &str) -> String {
        match self.schema.scored {
            0 => title.to_owned(),
            _ => format!("{title}, class {}", self.schema.labels.shown(self.class)),
        }
    }

    /// Joins these sentences and one on the classes without a picture.
    pub fn note(&self, parts: impl IntoIterator<Item = String>) -> String {
        let classes = self.schema.scored;
        let left_out =
            (classes > PICTURED).then(|| format!("the first {PICTURED} of {classes} classes have a picture"));
        parts.into_iter().chain(left_out).collect::<Vec<_>>().join("; ")
    }
}

/// Plots the largest coefficients, one picture for each score that has some, from all by falling size.
pub fn strongest(order: &[Coefficient], schema: Schema<'_>) -> Vec<Picture> {
    let picture = |score: Score<'_>| {
        let own: Vec<_> = order.iter().filter(|of| of.class as usize == score.class).collect();
        let bars = own.iter().take(BARS);
        let (names, values): (Vec<String>, Vec<f64>) =
            bars.map(|of| (schema.name(of.column), of.value)).unzip();
        let left_out = (own.len() > BARS).then(|| format!("{} more are not zero", own.len() - BARS));
        let picture = Picture::new(score.title("Largest coefficients"), PictureKind::Bars)
            .axes(Axis::names("column", names), Axis::linear("coefficient"))
            .series(Series::of_names("coefficient", values))
            .note(score.note(left_out));
        (!own.is_empty()).then_some(picture)
    };
    scores(schema).filter_map(picture).collect()
}

/// Plots the mean of each curve over its settings, with its standard errors; the choices of the rules on the
/// curve `best` are marked. Returns sentences to note below, too.
pub fn curves<P: CurvePoint>(curves: &[Curve<P>], best: usize) -> (Picture, Vec<String>) {
    let chosen = &curves[best];
    let mut picture = Picture::new(format!("Cross-validation: {}", chosen.measure), PictureKind::Lines)
        .axes(Axis::log(P::SETTING), Axis::linear(chosen.measure));
    let mut notes = Vec::new();
    for curve in curves {
        let rules = Rule::NAMES.map(|(_, rule)| curve.position(rule));
        let places = drawn(curve.points.len(), &rules);
        let points: Vec<[f64; 4]> = places.into_iter().map(|at| curve.points[at].values()).collect();
        let of = |value: fn(&[f64; 4]) -> f64| points.iter().map(value).collect::<Vec<f64>>();
        let name = match curve.series.filter(|_| curves.len() > 1) {
            Some(series) => format!("{} {}", P::SERIES[0], number(series)),
            None => "mean".into(),
        };
        let series = Series::new(name, of(|point| point[0]), of(|point| point[1]));
        let has_errors = points.iter().all(|[_, _, se, _]| se.is_finite());
        picture = picture.series(match has_errors {
            true => series.bounds(of(|[_, mean, se, _]| mean - se), of(|[_, mean, se, _]| mean + se)),
            false => series,
        });
        if has_errors && notes.is_empty() {
            notes.push("band: a standard error to each side".to_owned());
        }
    }
    let [min, one_se] = [Rule::Min, Rule::OneSe].map(|rule| chosen.choose(rule).values()[0]);
    let picture = match min == one_se {
        true => picture.mark(min, "min, 1se"),
        false => picture.mark(min, "min").mark(one_se, "1se"),
    };
    (picture, notes)
}
