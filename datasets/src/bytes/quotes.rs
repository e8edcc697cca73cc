//! [`Quotes`]: the meaning of double quotes in delimited text.

use crate::names::named;

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

named! {
    Quotes { Double = "double", Letters = "none" }
    |name| format!(
        "`{name}` is no way to quote cells: choose double, for cells in double quotes, or none, for quotes \
         that are letters"
    )
}
