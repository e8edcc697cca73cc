//! [`Dialect`]: how delimited text is written, as options say.

use std::fmt;
use std::path::Path;

use super::separator::Separator;
use crate::bytes::encoding::TextEncoding;
use crate::bytes::quotes::Quotes;
use crate::bytes::source::Source;
use crate::error::ReadError;

/// How delimited text is written. What is not said is found out from the first lines.
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
    /// Separator of two cells. `None` takes what gives the first hundred records the same number of cells.
    pub separator: Option<Separator>,
    /// The decimal mark, a point or a comma. `None` takes a point, unless a column can be nothing else than
    /// numbers with a comma.
    pub decimal: Option<char>,
    /// Mark between thousands: one that [`thousands`](Self::thousands_of) takes. `None` takes nothing, unless
    /// a column can be nothing else than numbers with one.
    pub thousands: Option<char>,
    /// `true` if the first line names the columns, `false` if it is data, whatever it holds. `None` takes it
    /// for names where an option asks for one of them, where a text stands above numbers, and where its
    /// numbers count columns or follow each other in steps above other numbers.
    pub header: Option<bool>,
    /// Meaning of double quotes. `None` takes those that enclose a cell for its ends, and between tabs all
    /// others for letters.
    pub quotes: Option<Quotes>,
    /// How the bytes are letters; `None` takes UTF-8, and UTF-16 where its mark is.
    pub encoding: Option<TextEncoding>,
}

impl Dialect {
    /// The decimal mark of this name: `.` or `,`.
    ///
    /// # Errors
    /// Any other text; the message says what there is.
    pub fn decimal_of(name: &str) -> Result<char, String> {
        match name {
            "." => Ok('.'),
            "," => Ok(','),
            _ => Err(format!("`{name}` is no decimal mark: choose `,` or `.`")),
        }
    }

    /// The mark of thousands of this name: `.`, `,`, `'` or a blank, which stands for no-break blanks, too.
    ///
    /// # Errors
    /// Any other text; the message says what there is.
    pub fn thousands_of(name: &str) -> Result<char, String> {
        match name {
            "." => Ok('.'),
            "," => Ok(','),
            "'" | "\u{2019}" => Ok('\''),
            " " | "blank" | "\u{a0}" | "\u{202f}" => Ok(' '),
            _ => Err(format!("`{name}` divides no thousands: choose `.`, `,`, `'` or `blank`")),
        }
    }

    /// Checks that nothing that is said contradicts something else.
    ///
    /// # Errors
    /// One mark for both uses in numbers, and quotes that hold cells together between `::`.
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

    /// Which options are given, by name.
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

    /// Opens a file that may be text of this dialect.
    ///
    /// # Errors
    /// A file that cannot be read, and what [`check`](Self::check) refuses.
    pub(crate) fn open(&self, path: &Path) -> Result<Source, ReadError> {
        let source = Source::open_text(path, self.encoding)?;
        self.check().map_err(|why| ReadError::file(&source.path, why))?;
        Ok(source)
    }

    /// Fault of options of delimited text that are given for another format, if so.
    pub(crate) fn fault_of(&self, format: impl fmt::Display, is_delimited: bool) -> Option<String> {
        let option =
            self.given().iter().find(|(_, is_given)| *is_given).map_or("--encoding", |(name, _)| name);
        let is_idle = self.is_of_tables() && !is_delimited;
        is_idle.then(|| format!("this is {format}: {option} is for delimited text"))
    }

    /// `true` if something else than the encoding is said.
    pub(crate) fn is_of_tables(&self) -> bool {
        *self != Self { encoding: self.encoding, ..Self::default() }
    }
}
