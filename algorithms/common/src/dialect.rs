//! [`DialectArgs`]: the options for reading delimited text, the same in every program.

use std::fmt::Display;

use clap::Args;
use raddle_datasets::{Dialect, Quotes, Separator, TextEncoding};
use serde::{Serialize, Serializer};

/// The dialect of delimited text. What no option gives is detected from the file.
#[derive(Debug, Clone, Copy, Default, Args, Serialize)]
pub struct DialectArgs {
    /// Separator of cells: one character, tab, or blanks (any number of spaces and tabs). Default: the
    /// separator that gives the first hundred records the same number of cells.
    #[arg(long, value_name = "CHAR|tab|blanks", value_parser = str::parse::<Separator>)]
    #[serde(serialize_with = "as_text")]
    separator: Option<Separator>,
    /// Decimal mark: `,` or `.`. Default: `.`, or `,` if only that makes a column numeric.
    #[arg(long, value_name = "MARK", value_parser = Dialect::decimal_of)]
    decimal: Option<char>,
    /// Thousands separator: `.`, `,`, `'` or `blank`. Default: none, or the one that makes a column numeric.
    #[arg(long, value_name = "MARK", value_parser = Dialect::thousands_of)]
    thousands: Option<char>,
    /// Take the first line of delimited text as the names of the columns, even if it looks like data.
    #[arg(long, conflicts_with = "no_header")]
    header: bool,
    /// Take the first line of delimited text as data, even if it looks like names.
    #[arg(long)]
    no_header: bool,
    /// Meaning of double quotes: double (they may enclose a cell, as in RFC 4180) or none (they are ordinary
    /// characters). Default: double, but in text separated by tabs, quotes that do not enclose a cell are
    /// ordinary characters.
    #[arg(long, value_name = "double|none", value_parser = str::parse::<Quotes>)]
    #[serde(serialize_with = "as_text")]
    quotes: Option<Quotes>,
    /// Encoding of text that is not UTF-8, by its WHATWG label: latin1, windows-1252, utf-16le and so on.
    #[arg(long, value_name = "NAME", value_parser = str::parse::<TextEncoding>)]
    #[serde(serialize_with = "as_text")]
    encoding: Option<TextEncoding>,
}

fn as_text<T: Display, S: Serializer>(value: &Option<T>, serializer: S) -> Result<S::Ok, S::Error> {
    value.as_ref().map(T::to_string).serialize(serializer)
}

impl DialectArgs {
    /// Returns the dialect that the options ask for.
    pub fn dialect(&self) -> Dialect {
        let Self { separator, decimal, thousands, header, no_header, quotes, encoding } = *self;
        let header = (header || no_header).then_some(header);
        Dialect { separator, decimal, thousands, header, quotes, encoding }
    }
}
