//! [`Quotes`]: the meaning of double quotes in delimited text.

use std::fmt;
use std::str::FromStr;

/// The meaning of double quotes around a cell.
///
/// ```
/// use raddle_datasets::Quotes;
/// assert_eq!("none".parse(), Ok(Quotes::Letters));
/// assert!("single".parse::<Quotes>().unwrap_err().contains("double"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quotes {
    /// Quotes enclose a cell, as in RFC 4180.
    Double,
    /// Quotes are ordinary characters; a cell contains neither the separator nor a line end.
    Letters,
}

impl FromStr for Quotes {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "double" => Ok(Self::Double),
            "none" => Ok(Self::Letters),
            _ => Err(format!(
                "`{name}` is no way to quote cells: choose double, for cells in double quotes, or none, for \
                 quotes that are letters"
            )),
        }
    }
}

impl fmt::Display for Quotes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if *self == Self::Double { "double" } else { "none" })
    }
}
