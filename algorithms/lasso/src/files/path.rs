//! `path.tsv`: the points of a path, one per line.

use std::io::{self, Write};

use crate::model::Point;

/// Lambda and intercept of a point, and the intercepts of classes with scores.
pub(super) type Place = (f64, f64, Vec<f64>);

/// Writes the points of a path, with an intercept of each class with a score.
pub(super) fn write(out: &mut impl Write, points: &[Point], classes: &[String]) -> io::Result<()> {
    writeln!(out, "{}", header(classes))?;
    (1..).zip(points).try_for_each(|(number, point): (usize, _)| {
        let Point { lambda, gap, intercept, intercepts, dual_scale, coefficients } = point;
        let nonzeros = coefficients.len();
        write!(out, "{number}\t{lambda:.16e}\t{intercept:.16e}\t{gap:e}\t{nonzeros}\t{dual_scale:.16e}")?;
        intercepts.iter().try_for_each(|intercept| write!(out, "\t{intercept:.16e}"))?;
        writeln!(out)
    })
}

/// The first line; a class in quotes may contain line ends.
fn header(classes: &[String]) -> String {
    let of_class = |class: &String| match class.strip_prefix('"') {
        Some(inner) => format!("\t\"intercept_{inner}"),
        None => format!("\tintercept_{class}"),
    };
    let classes: String = classes.iter().map(of_class).collect();
    format!("point\tlambda\tintercept\tgap\tnonzeros\tdual_scale{classes}")
}

/// Reads a point, from 1; `None` if its line is not that of a point.
pub(super) fn read(text: &str, point: u64, classes: &[String]) -> Option<Place> {
    let behind = text.strip_prefix(&header(classes))?;
    let lines = behind.strip_prefix("\r\n").or_else(|| behind.strip_prefix('\n'))?;
    let line = lines.lines().nth(usize::try_from(point.checked_sub(1)?).ok()?)?;
    let mut fields = line.split('\t');
    let number: u64 = fields.next()?.parse().ok()?;
    let (lambda, intercept): (f64, f64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    let of_classes: Option<Vec<f64>> = fields.skip(3).map(|field| field.parse().ok()).collect();
    let of_classes =
        of_classes.filter(|all| all.len() == classes.len() && all.iter().all(|value| value.is_finite()))?;
    (number == point && lambda.is_finite() && intercept.is_finite())
        .then_some((lambda, intercept, of_classes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_read_back_whatever_their_classes_are_called() {
        let point = |at: usize| Point {
            lambda: 1.0 / at as f64,
            gap: 1e-7,
            intercept: 0.0,
            intercepts: vec![0.1 * at as f64, -0.5, 0.25],
            dual_scale: 0.5,
            coefficients: vec![(0, 1.0)],
        };
        let points = [1, 2, 3].map(point);
        for classes in [["0", "1", "2"], ["a", "\"b\n1\t2\"", "\"c\"\"\t\""]] {
            let classes = classes.map(str::to_owned);
            let mut bytes = Vec::new();
            write(&mut bytes, &points, &classes).unwrap();
            let text = String::from_utf8(bytes).unwrap();
            for (number, point) in (1..).zip(&points) {
                let expected = Some((point.lambda, 0.0, point.intercepts.clone()));
                assert_eq!(read(&text, number, &classes), expected, "{text}");
            }
            // Lines may end as on Windows; line ends within a class are part of its name.
            let head = header(&classes);
            let windows = format!("{head}{}", text[head.len()..].replace('\n', "\r\n"));
            assert!(windows.contains("\r\n3\t"), "{windows}");
            for number in 1..=4 {
                assert_eq!(read(&windows, number, &classes), read(&text, number, &classes), "{windows}");
            }
            assert_eq!([0, 4].map(|number| read(&text, number, &classes)), [None, None]);
            assert!(text.contains(&format!("\tintercept_{}\t", classes[0])), "{text}");
        }
    }
}
