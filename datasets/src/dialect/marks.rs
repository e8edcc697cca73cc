//! [`Marks`]: numbers with a decimal comma, or with thousands separators.

use serde::{Deserialize, Serialize};

use super::missing::is_missing;
use super::options::Dialect;
use crate::bytes::number::decimal;

/// Limit on the bytes of a number with marks other than a point.
const LONGEST: usize = 64;

/// The marks in which numbers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marks {
    /// The decimal mark.
    pub decimal: char,
    /// The thousands separator, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thousands: Option<char>,
}

impl Default for Marks {
    fn default() -> Self {
        Self::PLAIN
    }
}

impl Marks {
    const PLAIN: Self = Self::of('.', None);

    /// Marks that cells may show, or that the message about a refused cell suggests; the simplest first.
    const OTHERS: [Self; 7] = [
        Self::of(',', None),
        Self::of(',', Some('.')),
        Self::of('.', Some(',')),
        Self::of('.', Some(' ')),
        Self::of(',', Some(' ')),
        Self::of('.', Some('\'')),
        Self::of(',', Some('\'')),
    ];

    /// How many of these are recognised without an option.
    const FOUND: usize = 3;

    const fn of(decimal: char, thousands: Option<char>) -> Self {
        Self { decimal, thousands }
    }

    /// Returns `true` if the decimal mark is a point and there is no thousands separator.
    pub fn is_plain(&self) -> bool {
        *self == Self::PLAIN
    }

    /// Parses a whole cell as a number.
    #[inline]
    pub(crate) fn number(self, cell: &[u8]) -> Option<f64> {
        match self.is_plain() {
            true => decimal(cell).filter(|&(_, length)| length == cell.len()).map(|(number, _)| number),
            false => self.marked(cell),
        }
    }

    /// Parses a cell with these marks. Groups of thousands must be complete, and the first must not start
    /// with 0.
    fn marked(self, cell: &[u8]) -> Option<f64> {
        let (mut plain, mut length) = ([0; LONGEST], 0);
        let mut push = |bytes: &[u8]| {
            plain.get_mut(length..length + bytes.len())?.copy_from_slice(bytes);
            length += bytes.len();
            Some(())
        };
        let (sign, rest) = cell.split_at(usize::from(matches!(cell.first(), Some(b'+' | b'-'))));
        push(sign)?;
        let first = digits(rest);
        push(&rest[..first])?;
        let mut rest = &rest[first..];
        if let Some(after) = self.after_thousands(rest).filter(|_| (1..=3).contains(&first)) {
            let begins_with_zero = plain[sign.len()] == b'0';
            let mut after = after;
            loop {
                if digits(after) != 3 || begins_with_zero {
                    return None;
                }
                plain.get_mut(length..length + 3)?.copy_from_slice(&after[..3]);
                length += 3;
                rest = &after[3..];
                match self.after_thousands(rest) {
                    Some(more) => after = more,
                    None => break,
                }
            }
        }
        let (mark, fraction) = rest.split_at(usize::from(rest.first() == Some(&(self.decimal as u8))));
        let end = if mark.is_empty() { b"" } else { &b"."[..] };
        if fraction.iter().any(|byte| !byte.is_ascii_digit() && !b"eE+-".contains(byte)) {
            return None;
        }
        for part in [end, fraction] {
            plain.get_mut(length..length + part.len())?.copy_from_slice(part);
            length += part.len();
        }
        let plain = &plain[..length];
        decimal(plain).filter(|&(_, read)| read == plain.len()).map(|(number, _)| number)
    }

    /// Returns the text after a group of three digits and a thousands separator.
    fn after_thousands(self, text: &[u8]) -> Option<&[u8]> {
        let marks: &[&str] = match self.thousands? {
            ' ' => &[" ", "\u{a0}", "\u{202f}"],
            '\'' => &["'", "\u{2019}"],
            '.' => &["."],
            _ => &[","],
        };
        marks.iter().find_map(|mark| text.strip_prefix(mark.as_bytes()))
    }

    /// Returns `true` if a cell is a number with any marks.
    pub(crate) fn any_reads(cell: &[u8]) -> bool {
        Self::PLAIN.number(cell).is_some()
            || is_marked(cell) && Self::OTHERS.iter().any(|marks| marks.number(cell).is_some())
    }

    /// Suggests options for a cell that is not a number with these marks but is one with others.
    #[cold]
    pub(crate) fn cure(self, cell: &[u8]) -> Option<String> {
        if !is_marked(cell) {
            return None;
        }
        // One suggestion for each value that the cell may have.
        let mut ways: Vec<(f64, String)> = Vec::new();
        for marks in [Self::PLAIN].iter().chain(&Self::OTHERS).filter(|marks| **marks != self) {
            let new = marks.number(cell).filter(|value| ways.iter().all(|(known, _)| known != value));
            ways.extend(new.map(|value| (value, marks.options())));
        }
        let each = |(value, options): &(f64, String)| format!("{options} if it is {value}");
        match &ways[..] {
            [] => None,
            [(_, options)] => Some(format!("say how numbers are written, by {options}")),
            ways => {
                let ways: Vec<String> = ways.iter().map(each).collect();
                Some(format!("say how numbers are written, by {}", ways.join(", or ")))
            }
        }
    }

    /// Returns the options for these marks.
    pub(crate) fn options(&self) -> String {
        let thousands = self.thousands.map(|mark| match mark {
            ' ' => "--thousands blank".to_owned(),
            '\'' => "--thousands \"'\"".to_owned(),
            mark => format!("--thousands {mark}"),
        });
        match (self.decimal, thousands) {
            ('.', Some(thousands)) => thousands,
            (decimal, None) => format!("--decimal {decimal}"),
            (decimal, Some(thousands)) => format!("--decimal {decimal} {thousands}"),
        }
    }

    /// Determines the marks from the first cells of each column, and a note about them: the marks in options,
    /// else those that alone fit some column of numbers, else `usual`.
    ///
    /// All columns have the same marks. If several marks fit and give the cells different values, none is
    /// taken: the reader then refuses the cells and suggests [`cure`](Self::cure).
    pub(crate) fn find(dialect: &Dialect, columns: &[Vec<&[u8]>], usual: Self) -> (Self, Option<String>) {
        let known = match (dialect.decimal, dialect.thousands) {
            (Some(decimal), thousands @ Some(_)) => return (Self::of(decimal, thousands), None),
            (Some(decimal), None) => {
                let thousands = if decimal == ',' { '.' } else { ',' };
                vec![Self::of(decimal, None), Self::of(decimal, Some(thousands))]
            }
            (None, Some('.')) => return (Self::of(',', Some('.')), None),
            (None, Some(',')) => return (Self::of('.', Some(',')), None),
            (None, thousands) if thousands.is_some() => {
                vec![Self::of('.', thousands), Self::of(',', thousands)]
            }
            _ if usual.is_plain() => [&[usual], &Self::OTHERS[..Self::FOUND]].concat(),
            _ => return (usual, None),
        };
        Self::among(&known, columns)
    }

    /// Returns the marks of `known` that alone fit the columns of numbers, else the first of `known`.
    fn among(known: &[Self], columns: &[Vec<&[u8]>]) -> (Self, Option<String>) {
        let filled =
            columns.iter().map(|cells| cells.iter().copied().filter(|cell| !is_missing(cell)).collect());
        let fits = |marks: &Self, cells: &[&[u8]]| cells.iter().all(|cell| marks.number(cell).is_some());
        let numbers: Vec<Vec<&[u8]>> =
            filled.filter(|cells: &Vec<&[u8]>| known.iter().any(|marks| fits(marks, cells))).collect();
        let left: Vec<Self> =
            known.iter().copied().filter(|marks| numbers.iter().all(|cells| fits(marks, cells))).collect();
        let usual = known.first().copied().unwrap_or_default();
        let Some(found) = left.first().copied().filter(|found| *found != usual) else { return (usual, None) };
        let mut cells = numbers.iter().flatten().copied();
        let is_agreed =
            cells.clone().all(|cell| left.iter().all(|marks| marks.number(cell) == found.number(cell)));
        // A point is recognised as a thousands separator next to a comma, or if it occurs twice; alone it may
        // be the decimal mark.
        let shows = |cell: &[u8]| {
            let points = cell.iter().filter(|&&byte| byte == b'.').count();
            points > 1 || points == 1 && cell.contains(&b',')
        };
        let is_shown = found.thousands != Some('.') || cells.clone().any(shows);
        match cells.find(|cell| usual.number(cell).is_none()).filter(|_| is_agreed && is_shown) {
            None => (usual, None),
            Some(cell) => {
                let (shown, value) = (String::from_utf8_lossy(cell), found.number(cell).unwrap_or_default());
                let note = format!(
                    "`{shown}` is read as {value}, as {} says (else: {})",
                    found.options(),
                    usual.options()
                );
                (found, Some(note))
            }
        }
    }
}

/// Returns `true` if all bytes of a cell may belong to a number with some marks.
fn is_marked(cell: &[u8]) -> bool {
    cell.first().is_some_and(|first| b"+-,.0123456789".contains(first))
        && cell.iter().all(|byte| !byte.is_ascii() || b"0123456789+-eE,.' ".contains(byte))
}

/// Returns the number of digits at the start of a text.
fn digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// Returns `true` if a cell is a number; infinite and too large values are data as well, though bad.
pub(crate) fn is_number(cell: &str) -> bool {
    let cell = cell.trim();
    Marks::any_reads(cell.as_bytes()) || cell.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(dialect: Dialect, columns: &[&[&str]]) -> (Marks, Option<String>) {
        let columns: Vec<Vec<&[u8]>> =
            columns.iter().map(|cells| cells.iter().map(|cell| cell.as_bytes()).collect()).collect();
        Marks::find(&dialect, &columns, Marks::default())
    }

    #[test]
    fn numbers_with_marks_are_read_or_refused() {
        let (comma, both, thousands) =
            (Marks::of(',', None), Marks::of(',', Some('.')), Marks::of('.', Some(',')));
        for (marks, cell, value) in [
            (comma, "39,20", Some(39.2)),
            (comma, "-0,5", Some(-0.5)),
            (comma, ",5e-3", Some(0.0005)),
            (comma, "1.5", None),
            (comma, "1,2,3", None),
            (both, "1.299,99", Some(1299.99)),
            (both, "1.299", Some(1299.0)),
            (both, "1299,5", Some(1299.5)),
            (both, "1.29", None),
            (both, "0.299", None),
            (both, "1234.567", None),
            (thousands, "1,000", Some(1000.0)),
            (thousands, "-1,000,000.25", Some(-1_000_000.25)),
            (thousands, "1,00", None),
            (thousands, "1.5", Some(1.5)),
            (Marks::of('.', Some(' ')), "1\u{202f}000", Some(1000.0)),
            (Marks::of(',', Some(' ')), "12 345 678,9", Some(12_345_678.9)),
            (Marks::of('.', Some('\'')), "1\u{2019}000.5", Some(1000.5)),
            (comma, "", None),
            (comma, "-", None),
            (comma, ",", None),
            (comma, "inf", None),
            (both, "1.", None),
        ] {
            assert_eq!(marks.number(cell.as_bytes()), value, "{cell} {marks:?}");
        }
    }

    #[test]
    fn marks_are_found_where_a_column_can_be_nothing_else() {
        let open = Dialect::default();
        for (columns, expected) in [
            (&[&["39,20", "61,20", ""][..], &["a", "b,c", "d"]][..], Some((',', None))),
            (&[&["1.299,99", "3,5"], &["7", "8"]], Some((',', Some('.')))),
            (&[&["1,000", "54,908"], &["1.5", "2.5"]], Some(('.', Some(',')))),
            (&[&["1,000", "1,000,000"]], Some(('.', Some(',')))),
            (&[&["1,234.5", "7"]], Some(('.', Some(',')))),
            (&[&["0,500", "0,250"]], Some((',', None))),
            // One thousand, or one.
            (&[&["1,000", "2,500"]], None),
            (&[&["1,000", "2,500"], &["1.299", "1.300"]], None),
            // A point that may separate thousands, or be a decimal mark by another author.
            (&[&["39,20", "61,20"], &["1.299", "2.000"]], None),
            (&[&["39,20", "61,20"], &["1.5", "2.5"]], None),
            (&[&["1.5", "2"], &["x", "1,5"]], None),
            (&[&["1", "2"]], None),
        ] {
            let expected = expected.map(|(decimal, thousands)| Marks::of(decimal, thousands));
            let (marks, note) = found(open, columns);
            assert_eq!(
                (marks, note.is_some()),
                (expected.unwrap_or_default(), expected.is_some()),
                "{columns:?}"
            );
        }
        let decimal = Dialect { decimal: Some(','), ..open };
        assert_eq!(found(decimal, &[&["1.299,5"]]).0, Marks::of(',', Some('.')));
        assert_eq!(found(decimal, &[&["1,000"]]).0, Marks::of(',', None));
        assert_eq!(found(Dialect { thousands: Some('.'), ..open }, &[&["5"]]).0, Marks::of(',', Some('.')));
        assert_eq!(
            found(Dialect { thousands: Some(' '), ..open }, &[&["1 000,5"]]).0,
            Marks::of(',', Some(' '))
        );
    }

    #[test]
    fn a_number_of_other_marks_has_its_cure() {
        for (cell, cure) in [
            ("39,20", Some("by --decimal ,")),
            ("1,000", Some("by --decimal , if it is 1, or --thousands , if it is 1000")),
            ("1 000", Some("by --thousands blank")),
            ("1'000", Some("by --thousands \"'\"")),
            ("1.299,5", Some("by --decimal , --thousands .")),
            ("5 stars", None),
            ("2020-01-02", None),
            ("1,2,3", None),
        ] {
            let said = Marks::default().cure(cell.as_bytes());
            assert!(
                said.as_deref().map_or(cure.is_none(), |said| cure.is_some_and(|cure| said.ends_with(cure))),
                "{said:?}"
            );
        }
        let comma = Marks::of(',', None).cure(b"1.299");
        assert!(
            comma.is_some_and(|said| said.contains("--decimal . if it is 1.299") && said.contains("1299"))
        );
    }
}
