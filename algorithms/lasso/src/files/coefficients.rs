//! `coef.tsv`: the coefficients of a model, one a line, by column, under a header.
//!
//! `column number`, `name` (empty where the data have none) and `coefficient`, with tabs between them; of a path the
//! `point` in front, and where each class has a score the `class`. Numbers count from 1, values have 17 significant digits, and only those that are not zero are there.

use std::io::{self, Write};

use raddle_datasets::Occurring;

/// A coefficient as files have it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coefficient {
    /// The class, from 0; 0 where there is one score.
    pub class: u32,
    /// The column of the data, from 0.
    pub column: u32,
    /// The coefficient, on the original scale.
    pub value: f64,
}

const HEADER: &str = "column number\tname\tcoefficient";

/// Order in which a fit numbers coefficients: column j of class k is k times the columns and j, where each class has a
/// score.
#[derive(Debug, Clone, Copy)]
pub struct Layout<'a> {
    /// Columns of the data, p.
    pub columns: usize,
    /// K, or 0 where there is one score.
    pub classes: usize,
    /// Columns that are fitted, where not all.
    pub occurring: Option<&'a Occurring>,
}

impl Layout<'_> {
    fn fitted(self) -> usize {
        self.occurring.map_or(self.columns, |some| some.numbers().len())
    }

    /// The class and the column of the data that a fit's number stands for.
    pub fn place(self, at: u32) -> (usize, u32) {
        let (class, column) = match self.classes {
            0 => (0, at),
            _ => (at as usize / self.fitted(), (at as usize % self.fitted()) as u32),
        };
        (class, self.occurring.map_or(column, |some| some.number(column)))
    }

    /// The coefficients of a fit as files have them.
    pub fn of_data(self, fitted: &[(u32, f64)]) -> Vec<Coefficient> {
        let coefficient = |&(at, value): &(u32, f64)| {
            let (class, column) = self.place(at);
            Coefficient { class: class as u32, column, value }
        };
        fitted.iter().map(coefficient).collect()
    }

    /// Coefficients as a fit numbers them, without those of columns that are not fitted.
    pub fn of_fit(self, coefficients: &[Coefficient]) -> Vec<(u32, f64)> {
        let number = |of: &Coefficient| {
            let column = match self.occurring {
                Some(some) => some.place(of.column)?,
                None => of.column,
            };
            let at = of.class.checked_mul(self.fitted() as u32).and_then(|first| first.checked_add(column));
            // A column beyond the numbers of columns gets one that the fit refuses.
            Some((at.unwrap_or(u32::MAX), of.value))
        };
        coefficients.iter().filter_map(number).collect()
    }

    fn header(self, is_path: bool) -> String {
        let (point, class) =
            (if is_path { "point\t" } else { "" }, if self.classes > 0 { "class\t" } else { "" });
        format!("{point}{class}{HEADER}")
    }
}

/// The names of columns, where the data have them.
pub(crate) type Names<'a> = Option<&'a [String]>;

/// Writes the coefficients of one model.
///
/// # Errors
/// If they cannot be written.
pub fn write(
    out: &mut impl Write,
    coefficients: &[(u32, f64)],
    names: Names<'_>,
    layout: Layout<'_>,
) -> io::Result<()> {
    writeln!(out, "{}", layout.header(false))?;
    coefficients.iter().try_for_each(|&of| writeln!(out, "{}", line(of, names, layout)))
}

/// Writes those of a path, point by point.
pub(crate) fn write_path<'a>(
    out: &mut impl Write,
    points: impl Iterator<Item = &'a Vec<(u32, f64)>>,
    names: Names<'_>,
    layout: Layout<'_>,
) -> io::Result<()> {
    writeln!(out, "{}", layout.header(true))?;
    (1..).zip(points).try_for_each(|(point, coefficients): (u64, _)| {
        coefficients.iter().try_for_each(|&of| writeln!(out, "{point}\t{}", line(of, names, layout)))
    })
}

fn line((at, value): (u32, f64), names: Names<'_>, layout: Layout<'_>) -> String {
    let (class, column) = layout.place(at);
    let class = if layout.classes > 0 { format!("{}\t", class + 1) } else { String::new() };
    let name = names.and_then(|names| names.get(column as usize)).map_or("", String::as_str);
    // A tab or a line end in a name would shift what stands behind it.
    let name = name.replace(|letter: char| letter.is_control(), " ");
    format!("{class}{}\t{name}\t{value:.16e}", column + 1)
}

/// Line of a file that is wrong, and the reason.
pub(crate) type Flaw = (usize, String);

/// Reads the coefficients of a model with these columns and classes; of a path, those of `point`, from 1.
///
/// # Errors
/// The line, for a column that the model does not have or that appears twice, a value that is not
/// finite.
pub fn parse(text: &str, layout: Layout<'_>, point: Option<u64>) -> Result<Vec<Coefficient>, Flaw> {
    let Layout { columns, classes, .. } = layout;
    let mut lines = (1..).zip(text.lines());
    let header = layout.header(point.is_some());
    if lines.next().is_none_or(|(_, line)| line != header) {
        return Err((1, format!("expected the header `{}`", header.replace('\t', "`, `"))));
    }
    let mut read = Vec::new();
    let mut before = (0, 0, 0);
    for (number, line) in lines {
        let place @ (of, class, column) = place(line, point.is_some(), classes > 0)
            .filter(|(_, class, column)| {
                (1..=columns as u64).contains(column) && (1..=classes.max(1) as u64).contains(class)
            })
            .ok_or_else(|| {
                let class =
                    if classes > 0 { format!("a class from 1 to {classes}, ") } else { String::new() };
                let of = "a name and a coefficient, with tabs";
                (number, format!("expected {class}a column from 1 to {columns}, {of}"))
            })?;
        if place == before {
            return Err((number, format!("column {column} appears twice")));
        }
        if place < before {
            return Err((number, format!("column {column} is not in ascending order")));
        }
        before = place;
        let value = line.rsplit('\t').next().and_then(|value| value.parse().ok());
        let value: f64 = value
            .filter(|value: &f64| value.is_finite())
            .ok_or_else(|| (number, "the coefficient is no finite number".to_owned()))?;
        if point.is_none_or(|point| point == of) {
            read.push(Coefficient { class: class as u32 - 1, column: column as u32 - 1, value });
        }
    }
    Ok(read)
}

/// Point (0 where there is none), class (1 where there is none) and column of a line.
fn place(line: &str, is_path: bool, has_classes: bool) -> Option<(u64, u64, u64)> {
    let mut fields = line.split('\t');
    let point = if is_path { fields.next()?.parse().ok().filter(|point| *point > 0)? } else { 0 };
    let class = if has_classes { fields.next()?.parse().ok()? } else { 1 };
    let (column, _, _) = (fields.next()?.parse().ok()?, fields.next()?, fields.next()?);
    fields.next().is_none().then_some((point, class, column))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAYOUT: Layout<'_> = Layout { columns: 3, classes: 0, occurring: None };

    fn written(write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> String {
        let mut bytes = Vec::new();
        write(&mut bytes).expect("memory can be written");
        String::from_utf8(bytes).expect("names are texts")
    }

    #[test]
    fn what_is_written_is_read_back_to_the_bit() {
        let names: Vec<String> = ["a", "b\tc\nd", "e"].map(Into::into).to_vec();
        let points = [vec![(0, 0.1 + 0.2), (2, -1e-300)], vec![], vec![(1, 5e-324), (2, f64::MAX)]];
        for names in [None, Some(&names[..])] {
            for coefficients in &points {
                let text = written(|out| write(out, coefficients, names, LAYOUT));
                assert_eq!(parse(&text, LAYOUT, None), Ok(LAYOUT.of_data(coefficients)), "{text}");
            }
            let text = written(|out| write_path(out, points.iter(), names, LAYOUT));
            for (point, coefficients) in (1..).zip(&points) {
                assert_eq!(parse(&text, LAYOUT, Some(point)), Ok(LAYOUT.of_data(coefficients)), "{text}");
            }
            assert_eq!(text.lines().next(), Some("point\tcolumn number\tname\tcoefficient"));
        }
        let text = written(|out| write(out, &points[2], Some(&names), LAYOUT));
        assert_eq!(text.lines().nth(1).map(|line| line.split('\t').nth(1)), Some(Some("b c d")));
    }

    #[test]
    fn coefficients_of_classes_are_read_back_with_their_classes() {
        let layout = Layout { columns: 3, classes: 4, occurring: None };
        let points = [vec![(0, 0.25), (4, -1.0), (11, 3.0)], vec![], vec![(8, 2.0)]];
        for coefficients in &points {
            let text = written(|out| write(out, coefficients, None, layout));
            assert_eq!(parse(&text, layout, None), Ok(layout.of_data(coefficients)), "{text}");
        }
        let text = written(|out| write_path(out, points.iter(), None, layout));
        for (point, coefficients) in (1..).zip(&points) {
            assert_eq!(parse(&text, layout, Some(point)), Ok(layout.of_data(coefficients)), "{text}");
        }
        assert!(text.starts_with("point\tclass\tcolumn number\tname\tcoefficient\n1\t1\t1\t\t2.5"), "{text}");
        let refused = parse(&format!("class\t{HEADER}\n5\t1\t\t1\n"), layout, None).unwrap_err();
        assert!(refused.1.contains("expected a class from 1 to 4, a column from 1 to 3"), "{refused:?}");
    }

    /// Columns of a wide table have their numbers in the file, and find their places again; those that are not fitted go.
    #[test]
    fn coefficients_of_columns_that_occur_have_the_numbers_of_the_data() {
        let some = Occurring::of(4_000_000_000, 3, || vec![3_999_999_999, 7, 7]);
        for classes in [0, 3] {
            let layout = Layout { columns: 4_000_000_000, classes, occurring: some.as_ref() };
            let fitted = [(0, 0.5), (1, -2.0), (5, 3.0)];
            let fitted = &fitted[..if classes > 0 { 3 } else { 2 }];
            let text = written(|out| write(out, fitted, None, layout));
            let last = if classes > 0 { "3\t4000000000\t\t3.0" } else { "4000000000\t\t-2.0" };
            assert!(text.lines().last().unwrap().starts_with(last), "{text}");
            let mut read = parse(&text, layout, None).unwrap();
            assert_eq!(layout.of_fit(&read), fitted);
            read.push(Coefficient { class: 0, column: 8, value: 1.0 });
            assert_eq!(layout.of_fit(&read), fitted);
        }
    }

    #[test]
    fn what_is_no_coefficient_is_refused_with_its_line() {
        for (line, why) in [
            ("", "expected a column from 1 to 3"),
            ("1\tx", "expected a column from 1 to 3"),
            ("1\tx\t1\t2", "expected a column from 1 to 3"),
            ("0\tx\t1", "expected a column from 1 to 3"),
            ("4\tx\t1", "expected a column from 1 to 3"),
            ("99999999999999999999\tx\t1", "expected a column from 1 to 3"),
            ("x\tx\t1", "expected a column from 1 to 3"),
            ("2\tx\t1", "column 2 appears twice"),
            ("1\tx\t1", "column 1 is not in ascending order"),
            ("3\tx\tnan", "no finite number"),
            ("3\tx\t1e309", "no finite number"),
            ("3\tx\t", "no finite number"),
        ] {
            let refused = parse(&format!("{HEADER}\n2\tb\t0.5\n{line}\n"), LAYOUT, None).unwrap_err();
            assert!(refused.0 == 3 && refused.1.contains(why), "{line}: {refused:?}");
        }
        for text in ["", "2\tb\t0.5\n", "column\tname\tcoefficient\n"] {
            let (line, why) = parse(text, LAYOUT, None).unwrap_err();
            assert!(line == 1 && why.starts_with("expected the header"), "{text}");
        }
    }
}
