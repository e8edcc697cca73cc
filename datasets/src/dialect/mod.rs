//! [`Dialect`]: how delimited text is written, shared by tables, ratings and tables of texts.
//!
//! Parts that options leave open are found out once, from the beginning of the text: [`beginning`] cuts it into records by the
//! separator that [`separator`] finds, [`head`] says whether the first of them holds names, and [`marks`] what numbers are
//! written with.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use memchr::memmem;
use serde::{Deserialize, Serialize};

use crate::encoding::{TextEncoding, utf8};
use crate::quoting::Quoting;

pub(crate) mod beginning;
pub(crate) mod head;
mod marks;
mod separator;

pub use marks::Marks;

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
    /// The decimal mark, a point or a comma. `None` takes a point, unless a column can be nothing else than numbers with a
    /// comma.
    pub decimal: Option<char>,
    /// Mark between thousands: one that [`thousands`](Self::thousands_of) takes. `None` takes nothing, unless a column
    /// can be nothing else than numbers with one.
    pub thousands: Option<char>,
    /// The first line is data, whatever it holds.
    pub no_header: bool,
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

    /// Checks that the marks of numbers are two.
    ///
    /// # Errors
    /// One mark for both.
    pub fn check(&self) -> Result<(), String> {
        match (self.decimal, self.thousands) {
            (Some(decimal), Some(thousands)) if decimal == thousands => Err(format!(
                "`{decimal}` is the decimal mark or divides thousands, not both: give --decimal or --thousands another"
            )),
            _ => Ok(()),
        }
    }

    /// Which options are given, by name.
    pub fn given(&self) -> [(&'static str, bool); 5] {
        [
            ("--separator", self.separator.is_some()),
            ("--decimal", self.decimal.is_some()),
            ("--thousands", self.thousands.is_some()),
            ("--no-header", self.no_header),
            ("--encoding", self.encoding.is_some()),
        ]
    }

    /// The first option that is given beside the encoding.
    pub(crate) fn first_given(&self) -> &'static str {
        self.given().iter().find(|(_, is_given)| *is_given).map_or("--encoding", |(option, _)| option)
    }

    /// `true` if something else than the encoding is said.
    pub(crate) fn is_of_tables(&self) -> bool {
        *self != Self { encoding: self.encoding, ..Self::default() }
    }
}

/// Separator of two cells.
///
/// ```
/// use raddle_datasets::Separator;
/// assert_eq!("tab".parse::<Separator>()?, Separator::Byte(b'\t'));
/// assert_eq!("blanks".parse::<Separator>()?.to_string(), "blanks");
/// assert!("ab".parse::<Separator>().unwrap_err().contains("one character"));
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Separator {
    /// One byte of ASCII, such as a tab, `,`, `;` or `|`. Cells may be empty.
    Byte(u8),
    /// Any number of blanks and tabs. A cell that is empty or holds a blank stands in double quotes.
    Blanks,
    /// `::`, as in MovieLens; of ratings alone, whose cells then have no quotes.
    Colons,
}

impl FromStr for Separator {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match (name, name.as_bytes()) {
            ("tab" | "\\t" | "\t", _) => Ok(Self::Byte(b'\t')),
            ("blanks" | "blank" | " ", _) => Ok(Self::Blanks),
            ("::", _) => Ok(Self::Colons),
            (_, &[byte])
                if byte.is_ascii() && !byte.is_ascii_alphanumeric() && !b"\"\r\n+-.".contains(&byte) =>
            {
                Ok(Self::Byte(byte))
            }
            _ => Err(format!(
                "`{name}` divides no cells: choose tab, blanks, or one character of ASCII that is no letter, digit or quote, such \
                 as `;`"
            )),
        }
    }
}

impl fmt::Display for Separator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Byte(b'\t') => f.write_str("tab"),
            Self::Byte(byte) => write!(f, "{}", char::from(*byte)),
            Self::Blanks => f.write_str("blanks"),
            Self::Colons => f.write_str("::"),
        }
    }
}

/// A cell, and whether it stands in quotes.
type CellOf<'t> = (Cow<'t, [u8]>, bool);

impl Separator {
    /// How quotes hold cells together, where they do.
    pub(crate) fn quoting(self) -> Option<Quoting> {
        match self {
            Self::Byte(separator) => Some(Quoting::Byte(separator)),
            Self::Blanks => Some(Quoting::Blanks),
            Self::Colons => None,
        }
    }

    /// The separator in words.
    pub(crate) fn name(self) -> String {
        self.quoting().map_or_else(|| "`::`".into(), Quoting::name)
    }

    /// The cells of a record.
    pub(crate) fn cells(self, record: &[u8]) -> Result<Vec<CellOf<'_>>, String> {
        let mut cells = Vec::new();
        match self.quoting() {
            Some(quoting) => {
                quoting.each(record, |_, cell| {
                    cells.push((cell.text(), cell.quoted));
                    Ok(true)
                })?;
            }
            None => {
                let mut rest = record;
                while let Some(end) = memmem::find(rest, b"::") {
                    cells.push((rest[..end].trim_ascii().into(), false));
                    rest = &rest[end + 2..];
                }
                cells.push((rest.trim_ascii().into(), false));
            }
        }
        Ok(cells)
    }

    /// The [`cells`](Self::cells) of a record as texts.
    pub(crate) fn texts(self, record: &[u8]) -> Result<Vec<(String, bool)>, String> {
        let text = |(cell, is_quoted): CellOf<'_>| Ok((utf8(&cell)?.to_owned(), is_quoted));
        self.cells(record)?.into_iter().map(text).collect()
    }
}

/// Separator of a text that begins so.
pub(crate) fn divided_by(beginning: &[u8], purpose: beginning::Purpose) -> Separator {
    separator::find(beginning, false, purpose, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_and_marks_have_names() {
        for (name, separator) in [
            (";", Separator::Byte(b';')),
            ("\\t", Separator::Byte(b'\t')),
            (" ", Separator::Blanks),
            ("\u{1}", Separator::Byte(1)),
            ("::", Separator::Colons),
        ] {
            assert_eq!(name.parse(), Ok(separator), "{name:?}");
        }
        for name in ["", "x", "7", "\"", "§", ",,"] {
            assert!(name.parse::<Separator>().is_err(), "{name:?}");
        }
        assert_eq!((Dialect::decimal_of(","), Dialect::thousands_of("\u{202f}")), (Ok(','), Ok(' ')));
        assert!(Dialect::decimal_of(";").is_err() && Dialect::thousands_of("x").is_err());
        let both = Dialect { decimal: Some(','), thousands: Some(','), ..Dialect::default() };
        assert!(both.check().unwrap_err().contains("not both"));
    }
}
