//! [`Head`]: the form of a table's rows, and the names of its columns.

use super::beginning::Beginning;
use super::division::Purpose;
use super::header::{are_names, has_asked, has_text_above, position};
use super::marks::Marks;
use super::options::Dialect;
use crate::bytes::quoting::{Cell, Quoting};
use crate::bytes::source::Source;
use crate::error::ReadError;

/// The form of the rows, and where they start.
#[derive(Clone, Debug)]
pub(crate) struct Head {
    pub(crate) quoting: Quoting,
    /// Names of the columns, if the first line has them; an empty name is replaced by the column's number.
    pub(crate) names: Option<Vec<String>>,
    /// Number of columns.
    pub(crate) width: usize,
    /// Cells of each row before and after the columns: the row's name, and the empty cell after a last
    /// separator.
    lead: usize,
    trail: usize,
    /// Marks in which numbers are written.
    pub(crate) marks: Marks,
    /// Bytes before the first row.
    pub(crate) bytes: usize,
    pub(crate) lines: usize,
    /// Notes for users.
    pub(crate) notes: Vec<String>,
}

/// Knowledge about a table before its text is examined.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Known<'a> {
    /// Names of its columns: if the first line has all of them, it is a header.
    pub(crate) names: Option<&'a [&'a str]>,
    /// `true` if its columns have no names, as in the data that a model was fitted to: numbers in the first
    /// line are data.
    pub(crate) is_unnamed: bool,
    /// Column names or numbers in options: if the first line has such a name, it is a header.
    pub(crate) asked: &'a [&'a str],
    /// Marks in which its numbers are written, unless options name others.
    pub(crate) marks: Marks,
}

impl Head {
    /// Determines the head of a file from options and its first records.
    pub(crate) fn of(
        source: &Source,
        dialect: &Dialect,
        purpose: Purpose,
        known: Known<'_>,
    ) -> Result<Self, ReadError> {
        let beginning = Beginning::of(source, dialect, purpose)?;
        let Beginning { separator, lead, trail, first, mut rows, is_named, before, behind, notes } =
            beginning;
        rows.retain(|row| row.len() == first.len());
        let line = FirstLine::of(&first, &rows, is_named, dialect, known);
        let is_header = line.is_header;
        let (marks, found) = match purpose {
            Purpose::Table | Purpose::Column => {
                let data: Vec<&[String]> =
                    rows.iter().chain(Some(&first).filter(|_| !is_header)).map(Vec::as_slice).collect();
                Marks::find(dialect, &by_columns(&data, first.len()), known.marks)
            }
            Purpose::Texts | Purpose::Ratings => (Marks::default(), None),
        };
        let ((bytes, lines), width) = (if is_header { behind } else { before }, first.len());
        let quoting = separator.quoting(dialect.quotes).unwrap_or(Quoting::BLANKS);
        let mut head =
            Self { quoting, names: None, width, lead, trail, marks, bytes, lines, notes: Vec::new() };
        head.notes.extend(line.note.filter(|_| purpose != Purpose::Column).map(str::to_owned));
        if is_header {
            let (names, note) = named(first);
            head.names = Some(names);
            head.notes.extend(note);
        }
        head.notes.extend(notes);
        head.notes.extend(found);
        Ok(head)
    }

    /// Returns `true` if every cell of a row is a column and numbers have no special marks.
    pub(crate) fn is_plain(&self) -> bool {
        self.lead + self.trail == 0 && self.marks.is_plain()
    }

    /// Calls `take` with each column's cell of a row; an error if the row has more or fewer cells.
    #[inline]
    pub(crate) fn cells<'t>(
        &self,
        record: &'t [u8],
        mut take: impl FnMut(usize, Cell<'t>) -> Result<(), String>,
    ) -> Result<(), String> {
        let mut is_over = false;
        let count = self.quoting.each(record, |number, cell| {
            match number.checked_sub(self.lead) {
                Some(column) if column < self.width => take(column, cell)?,
                Some(column) if column == self.width => is_over = !cell.raw.is_empty(),
                _ => {}
            }
            Ok(true)
        })?;
        match count == self.lead + self.width + self.trail && !is_over {
            true => Ok(()),
            false => Err(self.wrong_width(count)),
        }
    }

    #[cold]
    fn wrong_width(&self, count: usize) -> String {
        format!(
            "{count} cells divided by {} where the first line has {}: every row needs the same; a cell that \
             holds the separator stands in double quotes (--separator names another)",
            self.quoting.name(),
            self.width
        )
    }

    /// Returns the name of a column for messages.
    pub(crate) fn column(&self, j: usize) -> String {
        let unnamed = unnamed(j);
        match self.names.as_ref().and_then(|names| names.get(j)) {
            Some(name) if *name != unnamed => format!("column {} ({name})", j + 1),
            _ => unnamed,
        }
    }

    /// Returns the names of all columns; one without a name gets its number.
    pub(crate) fn all_names(&self) -> Vec<String> {
        self.names.clone().unwrap_or_else(|| (0..self.width).map(unnamed).collect())
    }
}

/// Decision on the first line: a header or not, and a note about it.
struct FirstLine {
    is_header: bool,
    note: Option<&'static str>,
}

impl FirstLine {
    /// Decides whether the line `first` above `rows` is a header. `is_named`: its form says that it is.
    fn of(
        first: &[String],
        rows: &[Vec<String>],
        is_named: bool,
        dialect: &Dialect,
        known: Known<'_>,
    ) -> Self {
        if let Some(is_header) = dialect.header {
            return Self { is_header, note: None };
        }
        let has_all = |names: &&[&str]| names.iter().all(|name| position(first, name).is_some());
        let shows = are_names(first, rows);
        let is_sure = is_named || known.names.as_ref().is_some_and(has_all) || has_asked(first, known.asked);
        let is_header = is_sure || shows && (!known.is_unnamed || has_text_above(first, rows));
        let note = match is_header {
            true => Some(HEADER).filter(|_| !is_named),
            // If a model's data have no names, a first line of data is expected, unless it looks like names.
            false => Some(DATA).filter(|_| !known.is_unnamed || shows),
        };
        Self { is_header, note }
    }
}

/// Returns the cells of each column.
fn by_columns<'t>(rows: &[&'t [String]], width: usize) -> Vec<Vec<&'t [u8]>> {
    let column = |at: usize| rows.iter().filter_map(|row| Some(row.get(at)?.trim().as_bytes())).collect();
    (0..width).map(column).collect()
}

/// Note about a header.
pub(crate) const HEADER: &str =
    "the first line is taken for the names of the columns (--no-header: it is data)";

/// Note about a first line that is data.
pub(crate) const DATA: &str =
    "the first line is taken for data (--header: it holds the names of the columns)";

/// Returns the name of a column without one.
pub(crate) fn unnamed(j: usize) -> String {
    format!("column {}", j + 1)
}

/// Replaces empty names; returns a note about them.
fn named(mut names: Vec<String>) -> (Vec<String>, Option<String>) {
    let empty: Vec<usize> = (0..names.len()).filter(|&j| names[j].is_empty()).collect();
    empty.iter().for_each(|&j| names[j] = unnamed(j));
    let numbers = empty.iter().map(|j| (j + 1).to_string()).collect::<Vec<_>>().join(",");
    let note = match &empty[..] {
        [] => return (names, None),
        [0] => {
            "column 1 has no name, as the index that pandas writes: if it is one, leave it out by --drop 1"
                .into()
        }
        [_] => format!("column {numbers} has no name: leave it out by --drop {numbers}, or name it"),
        _ => format!("columns {numbers} have no names: leave them out by --drop {numbers}, or name them"),
    };
    (names, Some(note))
}

/// Returns `true` if a note is about the first line and its names, which the model that predicts knows.
pub(crate) fn is_of_names(note: &str) -> bool {
    note == HEADER || note == DATA || note.starts_with("column") && note.contains(" --drop ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_of_names_are_told_from_others() {
        let notes = [&["", "a"][..], &["a", ""], &["", ""]]
            .map(|names| named(names.iter().map(ToString::to_string).collect()).1.unwrap());
        assert!(notes.iter().all(|note| is_of_names(note)) && is_of_names(HEADER) && is_of_names(DATA));
        assert!(!is_of_names("column 2 is constant") && !is_of_names("fields are divided by tabs"));
    }
}
