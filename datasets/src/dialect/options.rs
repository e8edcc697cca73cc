//! [`Dialect`]: the options for delimited text.

use std::fmt;
use std::path::Path;

use super::separator::Separator;
use crate::bytes::encoding::TextEncoding;
use crate::bytes::quoting::Quotes;
use crate::bytes::source::Source;
use crate::error::ReadError;

/// How delimited text is written. Fields that are `None` are determined from the first records.
///
/// ```
/// use raddle_datasets::{Dialect, Options, read};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("t.csv");
/// std::fs::write(&path, "a;y\n1,000;5\n2,500;6\n")?;
/// let refused = read(&path, &Options::default()).unwrap_err().to_string();
/// assert!(refused.contains("--decimal ,") && refused.contains("--thousands ,"));
/// let dialect = Dialect { decimal: Some(','), ..Dialect::default() };
/// let table = read(&path, &Options { dialect, ..Options::default() })?;
/// assert_eq!(table.x.to_dense().column(0).to_vec(), [1.0, 2.5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dialect {
    /// Separator of cells. `None` takes the one that gives the first hundred records the same number of
    /// cells.
    pub separator: Option<Separator>,
    /// The decimal mark, a point or a comma. `None` takes a point, unless a column can only be numbers with a
    /// comma.
    pub decimal: Option<char>,
    /// The thousands separator, one that [`thousands_of`](Self::thousands_of) returns. `None` takes none,
    /// unless a column can only be numbers with one.
    pub thousands: Option<char>,
    /// `true` if the first line names the columns, `false` if it is data. `None` takes it for names if an
    /// option refers to one of them, if a text stands above numbers, or if its numbers count the columns or
    /// proceed in steps above other numbers.
    pub header: Option<bool>,
    /// Meaning of double quotes. `None` takes those that enclose a cell for quotes; between tabs all others
    /// are ordinary characters.
    pub quotes: Option<Quotes>,
    /// The encoding; `None` takes UTF-8, or UTF-16 if the text starts with its byte order mark.
    pub encoding: Option<TextEncoding>,
}

impl Dialect {
    /// Parses a decimal mark: `.` or `,`.
    ///
    /// # Errors
    /// For any other text; the message lists the choices.
    pub fn decimal_of(name: &str) -> Result<char, String> {
        match name {
            "." => Ok('.'),
            "," => Ok(','),
            _ => Err(format!("`{name}` is no decimal mark: choose `,` or `.`")),
        }
    }

    /// Parses a thousands separator: `.`, `,`, `'` or a blank, which stands for no-break blanks, too.
    ///
    /// # Errors
    /// For any other text; the message lists the choices.
    pub fn thousands_of(name: &str) -> Result<char, String> {
        match name {
            "." => Ok('.'),
            "," => Ok(','),
            "'" | "\u{2019}" => Ok('\''),
            " " | "blank" | "\u{a0}" | "\u{202f}" => Ok(' '),
            _ => Err(format!("`{name}` is no thousands separator: choose `.`, `,`, `'` or `blank`")),
        }
    }

    /// Checks that the options do not contradict each other.
    ///
    /// # Errors
    /// If one mark has both uses in numbers, or quotes are to enclose cells separated by `::`.
    pub fn check(&self) -> Result<(), String> {
        match (self.decimal, self.thousands) {
            (Some(decimal), Some(thousands)) if decimal == thousands => Err(format!(
                "`{decimal}` is the decimal mark or divides thousands, not both: give --decimal or \
                 --thousands another"
            )),
            _ if self.separator == Some(Separator::Colons) && self.quotes == Some(Quotes::Double) => Err(
                "--quotes double: cells that `::` divides have no quotes: leave it out, or name another --separator"
                    .into(),
            ),
            _ => Ok(()),
        }
    }

    /// Returns the name of each option, and whether it is given.
    pub fn given(&self) -> [(&'static str, bool); 7] {
        [
            ("--separator", self.separator.is_some()),
            ("--decimal", self.decimal.is_some()),
            ("--thousands", self.thousands.is_some()),
            ("--header", self.header == Some(true)),
            ("--no-header", self.header == Some(false)),
            ("--quotes", self.quotes.is_some()),
            ("--encoding", self.encoding.is_some()),
        ]
    }

    /// Opens a file that may be text in this dialect.
    ///
    /// # Errors
    /// If the file cannot be read, or [`check`](Self::check) fails.
    pub(crate) fn open(&self, path: &Path) -> Result<Source, ReadError> {
        let source = Source::open_text(path, self.encoding)?;
        self.check().map_err(|why| ReadError::file(&source.path, why))?;
        Ok(source)
    }

    /// Returns what is wrong if options for delimited text are given with another format, or `None`.
    pub(crate) fn fault_of(&self, format: impl fmt::Display, is_delimited: bool) -> Option<String> {
        let option =
            self.given().iter().find(|(_, is_given)| *is_given).map_or("--encoding", |(name, _)| name);
        let is_idle = self.is_of_tables() && !is_delimited;
        is_idle.then(|| format!("this is {format}: {option} is for delimited text"))
    }

    /// Returns `true` if anything other than the encoding is given.
    pub(crate) fn is_of_tables(&self) -> bool {
        *self != Self { encoding: self.encoding, ..Self::default() }
    }
}
