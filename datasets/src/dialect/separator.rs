//! [`Separator`]: the separator of a record's cells.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use memchr::memmem;
use serde::{Deserialize, Serialize};

use crate::bytes::encoding::utf8;
use crate::bytes::quoting::{Divider, Quotes, Quoting};

/// The separator of a record's cells.
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
    /// Any number of blanks and tabs. A cell that is empty or contains a blank must be quoted.
    Blanks,
    /// `::`, as in MovieLens; for ratings only, whose cells then have no quotes.
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
                "`{name}` divides no cells: choose tab, blanks, or one character of ASCII that is no letter, \
                 digit or quote, such as `;`"
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

/// A cell, and whether it is quoted.
type CellOf<'t> = (Cow<'t, [u8]>, bool);

impl Separator {
    /// Returns the rules for quoted cells; `None` for `::`.
    pub(crate) fn quoting(self, quotes: Option<Quotes>) -> Option<Quoting> {
        let divider = match self {
            Self::Byte(separator) => Divider::Byte(separator),
            Self::Blanks => Divider::Blanks,
            Self::Colons => return None,
        };
        Some(Quoting { divider, quotes })
    }

    /// Returns the name of the separator for messages.
    pub(crate) fn name(self) -> String {
        self.quoting(None).map_or_else(|| "`::`".into(), Quoting::name)
    }

    /// Splits a record into cells.
    pub(crate) fn cells(self, record: &[u8], quotes: Option<Quotes>) -> Result<Vec<CellOf<'_>>, String> {
        let mut cells = Vec::new();
        match self.quoting(quotes) {
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

    /// Splits a record into [`cells`](Self::cells), as texts.
    pub(crate) fn texts(self, record: &[u8], quotes: Option<Quotes>) -> Result<Vec<(String, bool)>, String> {
        let text = |(cell, is_quoted): CellOf<'_>| Ok((utf8(&cell)?.to_owned(), is_quoted));
        self.cells(record, quotes)?.into_iter().map(text).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Dialect;

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
