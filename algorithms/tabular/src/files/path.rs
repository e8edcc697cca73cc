//! [`PathTable`]: `path.tsv`, the points of a path, one per line.

use std::io::{self, Write};

use raddle::files::{FileError, ModelFiles, ModelFolder};

use super::schema::read_text;

/// The file of the points.
const PATH: &str = "path.tsv";

/// A point of a path, as a model tells of it.
#[derive(Debug, Clone, PartialEq)]
pub struct PathPoint {
    /// The weight of the penalty or of the losses.
    pub setting: f64,
    /// The intercept; 0 if each class has its own.
    pub intercept: f64,
    /// The intercepts of the classes with scores of their own.
    pub intercepts: Vec<f64>,
    /// Relative duality gap.
    pub gap: f64,
    /// Number of coefficients that are not zero.
    pub nonzeros: usize,
    /// A further field, as the model writes it.
    pub other: String,
}

/// The columns of `path.tsv`: these, and an intercept of each class with a score.
#[derive(Debug, Clone, Copy)]
pub struct PathTable<'a> {
    /// Name of the setting.
    pub setting: &'a str,
    /// Name of the further field.
    pub other: &'a str,
    /// Fields of the classes with scores of their own.
    pub classes: &'a [String],
}

impl PathTable<'_> {
    /// Writes the points.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(
        &self,
        files: &mut impl ModelFiles,
        points: impl Iterator<Item = PathPoint>,
    ) -> Result<(), FileError> {
        files.write(PATH, |out| self.write_lines(out, points))
    }

    fn write_lines(&self, out: &mut impl Write, points: impl Iterator<Item = PathPoint>) -> io::Result<()> {
        writeln!(out, "{}", self.header())?;
        (1..).zip(points).try_for_each(|(number, point): (usize, PathPoint)| {
            let PathPoint { setting, intercept, intercepts, gap, nonzeros, other } = point;
            write!(out, "{number}\t{setting:.16e}\t{intercept:.16e}\t{gap:e}\t{nonzeros}\t{other}")?;
            intercepts.iter().try_for_each(|intercept| write!(out, "\t{intercept:.16e}"))?;
            writeln!(out)
        })
    }

    /// Returns the first line; a class in quotes may contain line ends.
    fn header(&self) -> String {
        let of_class = |class: &String| match class.strip_prefix('"') {
            Some(inner) => format!("\t\"intercept_{inner}"),
            None => format!("\tintercept_{class}"),
        };
        let classes: String = self.classes.iter().map(of_class).collect();
        format!("point\t{}\tintercept\tgap\tnonzeros\t{}{classes}", self.setting, self.other)
    }

    /// Reads a point, from 1.
    ///
    /// # Errors
    /// If its line is not that of a point.
    pub fn read(&self, opened: &ModelFolder, point: u64) -> Result<PathPoint, FileError> {
        let found = self.parse(&read_text(opened, PATH)?, point);
        found.ok_or_else(|| {
            let why = format!("expected {} and intercept of point {point}", self.setting);
            FileError::line(&opened.path().join(PATH), point as usize + 1, why)
        })
    }

    fn parse(&self, text: &str, point: u64) -> Option<PathPoint> {
        let rest = text.strip_prefix(&self.header())?;
        let lines = rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix('\n'))?;
        let line = lines.lines().nth(usize::try_from(point.checked_sub(1)?).ok()?)?;
        let fields: Vec<&str> = line.split('\t').collect();
        let (&[number, setting, intercept, gap, nonzeros, other], classes) = fields.split_first_chunk()?;
        let (number, nonzeros): (u64, usize) = (number.parse().ok()?, nonzeros.parse().ok()?);
        let finite = |field: &str| field.parse().ok().filter(|value: &f64| value.is_finite());
        let (setting, intercept, gap) = (finite(setting)?, finite(intercept)?, finite(gap)?);
        let intercepts: Vec<f64> = classes.iter().map(|field| finite(field)).collect::<Option<_>>()?;
        let fits = number == point && intercepts.len() == self.classes.len();
        fits.then(|| PathPoint { setting, intercept, intercepts, gap, nonzeros, other: other.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_read_back_whatever_their_classes_are_called() {
        let point = |at: usize| PathPoint {
            setting: 1.0 / at as f64,
            intercept: 0.0,
            intercepts: vec![0.1 * at as f64, -0.5, 0.25],
            gap: 1e-7,
            nonzeros: at,
            other: "0.5".into(),
        };
        let points = [1, 2, 3].map(point);
        for classes in [["0", "1", "2"], ["a", "\"b\n1\t2\"", "\"c\"\"\t\""]] {
            let classes = classes.map(str::to_owned);
            let table = PathTable { setting: "lambda", other: "dual_scale", classes: &classes };
            let mut bytes = Vec::new();
            table.write_lines(&mut bytes, points.iter().cloned()).unwrap();
            let text = String::from_utf8(bytes).unwrap();
            for (number, point) in (1..).zip(&points) {
                assert_eq!(table.parse(&text, number).as_ref(), Some(point), "{text}");
            }
            // Lines may end as on Windows; line ends within a class are part of its name.
            let head = table.header();
            let windows = format!("{head}{}", text[head.len()..].replace('\n', "\r\n"));
            assert!(windows.contains("\r\n3\t"), "{windows}");
            for number in 1..=4 {
                assert_eq!(table.parse(&windows, number), table.parse(&text, number), "{windows}");
            }
            assert_eq!([0, 4].map(|number| table.parse(&text, number)), [None, None]);
            assert!(text.contains(&format!("\tintercept_{}\t", classes[0])), "{text}");
        }
    }
}
