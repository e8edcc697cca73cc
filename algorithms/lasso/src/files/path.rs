//! `path.tsv`: the points of a path, one a line.

use std::io::{self, Write};

use crate::model::Point;

/// lambda and intercept of a point, and the intercepts of classes that have scores.
pub(super) type Place = (f64, f64, Vec<f64>);

/// Writes the points of a path of this many classes that have scores.
pub(super) fn write(out: &mut impl Write, points: &[Point], classes: usize) -> io::Result<()> {
    write!(out, "point\tlambda\tintercept\tgap\tnonzeros\tdual_scale")?;
    (1..=classes).try_for_each(|class| write!(out, "\tintercept_{class}"))?;
    writeln!(out)?;
    (1..).zip(points).try_for_each(|(number, point): (usize, _)| {
        let Point { lambda, gap, intercept, intercepts, dual_scale, coefficients } = point;
        let nonzeros = coefficients.len();
        write!(out, "{number}\t{lambda:.16e}\t{intercept:.16e}\t{gap:e}\t{nonzeros}\t{dual_scale:.16e}")?;
        intercepts.iter().try_for_each(|intercept| write!(out, "\t{intercept:.16e}"))?;
        writeln!(out)
    })
}

/// Reads a point, from 1; `None` where its line is not that of a point.
pub(super) fn read(lines: &str, point: u64, classes: usize) -> Option<Place> {
    let line = lines.lines().nth(usize::try_from(point).ok()?)?;
    let mut fields = line.split('\t');
    let number: u64 = fields.next()?.parse().ok()?;
    let (lambda, intercept): (f64, f64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    let of_classes: Option<Vec<f64>> = fields.skip(3).map(|field| field.parse().ok()).collect();
    let of_classes =
        of_classes.filter(|all| all.len() == classes && all.iter().all(|value| value.is_finite()))?;
    (number == point && lambda.is_finite() && intercept.is_finite())
        .then_some((lambda, intercept, of_classes))
}
