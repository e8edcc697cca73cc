//! [`Head`]: the form of a table's rows, and the names of its columns.

use super::beginning::Beginning;
use super::division::Purpose;
use super::marks::{Marks, is_number};
use super::missing::is_missing;
use super::options::Dialect;
use crate::bytes::quoting::{Cell, Quoting};
use crate::bytes::source::Source;
use crate::error::ReadError;

/// The form of the rows, and where they begin.
#[derive(Clone, Debug)]
pub(crate) struct Head {
    pub(crate) quoting: Quoting,
    /// The names of the columns, where the first line holds them; one that has none is called by its number.
    pub(crate) names: Option<Vec<String>>,
    /// Columns.
    pub(crate) width: usize,
    /// Cells of each row before and behind the columns: its name, and the empty one behind the last
    /// separator.
    lead: usize,
    trail: usize,
    /// Marks that numbers are written with.
    pub(crate) marks: Marks,
    /// Bytes before the first row.
    pub(crate) bytes: usize,
    pub(crate) lines: usize,
    /// Notes for users.
    pub(crate) notes: Vec<String>,
}

/// Facts of a table that are known before it is looked at.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Known<'a> {
    /// Names that its columns have, if they have some.
    pub(crate) names: Option<&'a [&'a str]>,
    /// Marks that its numbers are written with, unless options say something else.
    pub(crate) marks: Marks,
}

impl Head {
    /// That of a file, as options and its beginning say.
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
        let are_known =
            || known.names.is_some_and(|names| names.iter().all(|name| position(&first, name).is_some()));
        let is_header = !dialect.no_header && (is_named || are_known() || are_names(&first, &rows));
        let (marks, found) = match purpose {
            Purpose::Table | Purpose::Column => {
                let data: Vec<&[String]> =
                    rows.iter().chain(Some(&first).filter(|_| !is_header)).map(Vec::as_slice).collect();
                Marks::find(dialect, &by_columns(&data, first.len()), known.marks)
            }
            Purpose::Texts | Purpose::Ratings => (Marks::default(), None),
        };
        let ((bytes, lines), width) = (if is_header { behind } else { before }, first.len());
        let quoting = separator.quoting().unwrap_or(Quoting::Blanks);
        let mut head =
            Self { quoting, names: None, width, lead, trail, marks, bytes, lines, notes: Vec::new() };
        if is_header {
            let (names, note) = named(first);
            head.names = Some(names);
            head.notes.extend(Some(HEADER.to_owned()).filter(|_| !is_named));
            head.notes.extend(note);
        }
        head.notes.extend(notes);
        head.notes.extend(found);
        Ok(head)
    }

    /// `true` if all cells of a row are columns, and its numbers are plain.
    pub(crate) fn is_plain(&self) -> bool {
        self.lead + self.trail == 0 && self.marks.is_plain()
    }

    /// Calls `take` with every column's cell of a row; a row that has more or fewer is an error.
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
            "{count} cells divided by {} where the first line has {}: every row needs the same; a cell that holds the \
             separator stands in double quotes (--separator names another)",
            self.quoting.name(),
            self.width
        )
    }

    /// A column as messages name it.
    pub(crate) fn column(&self, j: usize) -> String {
        let unnamed = unnamed(j);
        match self.names.as_ref().and_then(|names| names.get(j)) {
            Some(name) if *name != unnamed => format!("column {} ({name})", j + 1),
            _ => unnamed,
        }
    }

    /// The names of all columns, those without one by their number.
    pub(crate) fn all_names(&self) -> Vec<String> {
        self.names.clone().unwrap_or_else(|| (0..self.width).map(unnamed).collect())
    }
}

/// The cells of each column.
fn by_columns<'t>(rows: &[&'t [String]], width: usize) -> Vec<Vec<&'t [u8]>> {
    let column = |at: usize| rows.iter().filter_map(|row| Some(row.get(at)?.trim().as_bytes())).collect();
    (0..width).map(column).collect()
}

/// Note on a header.
pub(crate) const HEADER: &str =
    "the first line is taken for the names of the columns (--no-header: it is data)";

/// Name of a column without one.
pub(crate) fn unnamed(j: usize) -> String {
    format!("column {}", j + 1)
}

/// The place of a name, or else of the only one that differs by blanks around it: those of cells without
/// quotes are not kept.
pub(crate) fn position(names: &[String], wanted: &str) -> Option<usize> {
    names.iter().position(|name| name == wanted).or_else(|| {
        let mut alike = (0..names.len()).filter(|&at| names[at].trim() == wanted.trim());
        alike.next().filter(|_| alike.next().is_none())
    })
}

/// Names in place of empty ones, and what is to be said of these.
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

/// `true` if a note is of names, which a model to predict with knows.
pub(crate) fn is_of_names(note: &str) -> bool {
    note == HEADER || note.starts_with("column") && note.contains(" --drop ")
}

/// `true` if the cells of a first line are names: one of them is a text, and none is a number above numbers,
/// unless more texts stand above numbers, or they count years.
fn are_names(first: &[String], rows: &[Vec<String>]) -> bool {
    let missing = |cell: &String| is_missing(cell.as_bytes());
    let is_text = |cell: &String| !missing(cell) && !is_number(cell);
    if !first.iter().any(is_text) {
        return are_index_names(first, rows);
    }
    let is_above_numbers = |at: usize| {
        let filled: Vec<&String> = rows.iter().map(|row| &row[at]).filter(|cell| !missing(cell)).collect();
        let numbers = filled.iter().filter(|cell| is_number(cell)).count();
        // Without any row a number is data, too.
        numbers * 2 > filled.len() || rows.is_empty()
    };
    let is_data = |at: &usize| !missing(&first[*at]) && is_number(&first[*at]) && is_above_numbers(*at);
    // A text above numbers alone tells as much for names as a number above numbers against them.
    let is_name = |at: &usize| {
        let mut filled = rows.iter().map(|row| &row[*at]).filter(|cell| !missing(cell)).peekable();
        is_text(&first[*at]) && filled.peek().is_some() && filled.all(|cell| is_number(cell))
    };
    let (data, names) = ((0..first.len()).filter(is_data).count(), (0..first.len()).filter(is_name).count());
    data == 0 || names >= data || are_years(first, rows)
}

/// `true` if a first line is that of a table without names, as pandas writes it with its index: nothing, then
/// 0, 1, 2.
fn are_index_names(first: &[String], rows: &[Vec<String>]) -> bool {
    let counts = first.iter().skip(1).zip(0..).all(|(cell, number)| *cell == number.to_string());
    let is_index = rows.iter().zip(0..).all(|(row, number)| row[0] == number.to_string());
    first.len() > 1 && first[0].is_empty() && counts && is_index && !rows.is_empty()
}

/// `true` if the numbers of a first line are years that follow each other above other numbers, beside texts
/// that are in no row: the names of a table that is as wide as it is long in time.
fn are_years(first: &[String], rows: &[Vec<String>]) -> bool {
    let year = |cell: &String| cell.parse::<u32>().ok().filter(|year| (1500..=2100).contains(year));
    let years: Vec<(usize, u32)> = (0..first.len()).filter_map(|at| Some((at, year(&first[at])?))).collect();
    let follow = years.windows(2).all(|pair| pair[0].1 + 1 == pair[1].1);
    let is_year_or_text = |at: usize| {
        let is_year = year(&first[at]).is_some();
        let is_new = rows.iter().all(|row| row[at] != first[at]);
        match is_year {
            true => rows.iter().all(|row| year(&row[at]).is_none()),
            false => !is_number(&first[at]) && is_new,
        }
    };
    years.len() > 1 && follow && !rows.is_empty() && (0..first.len()).all(is_year_or_text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn are(first: &str, rows: &[&str]) -> bool {
        let cells = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
        are_names(&cells(first), &rows.iter().map(|row| cells(row)).collect::<Vec<_>>())
    }

    #[test]
    fn a_first_line_with_numbers_above_numbers_is_data() {
        for (first, rows, is) in [
            ("a,b,y", &["1,2,3"][..], true),
            ("1,2,3", &["4,5,6"], false),
            ("5.1,3.5,setosa", &["4.9,3.0,setosa", "6,3,virginica"], false),
            ("A11,4,4,good", &["A12,3,2,bad"], false),
            ("39,20,x", &[], false),
            ("a,2019,2020", &["b,1.5,2.5", "c,3,4"], true),
            ("a,2019,2020", &["b,x,y"], true),
            ("a b,2,c", &["1,2,3"], true),
            ("oops,3.5,1,2", &["4.9,3.0,5,6"], false),
            ("1999,2000,a", &["2000,2001,b"], false),
            ("a,2019,2020", &["a,1.5,2.5"], false),
            ("1,2,anna", &["2,5,ben"], false),
            (",0,1,2", &["0,5,6,7", "1,4,5,6"], true),
            (",0,1,2", &["3,5,6,7"], false),
            (",a,b", &["0,5,6"], true),
            ("M,0.455", &[], false),
            ("M,F", &[], true),
            ("NA,x,5", &["1,y,6"], false),
        ] {
            assert_eq!(are(first, rows), is, "{first}");
        }
    }
}
