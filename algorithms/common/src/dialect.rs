//! [`DialectArgs`]: options of reading delimited text, the same in every program.

use std::fmt::Display;

use clap::Args;
use raddle_datasets::{Dialect, Quotes, Separator, TextEncoding};
use serde::{Serialize, Serializer};

/// How text is written. What is not given is found out from the file.
#[derive(Debug, Clone, Copy, Default, Args, Serialize)]
pub struct DialectArgs {
    /// Separator of cells: one character, tab, or blanks (any number of them). Default: what gives the first
    /// hundred records the same number of cells.
    #[arg(long, value_name = "CHAR|tab|blanks", value_parser = str::parse::<Separator>)]
    #[serde(serialize_with = "as_text")]
    separator: Option<Separator>,
    /// The decimal mark: `,` or `.`. Default: a point, unless a column of numbers can only have commas.
    #[arg(long, value_name = "MARK", value_parser = Dialect::decimal_of)]
    decimal: Option<char>,
    /// Mark between thousands: `.`, `,`, `'` or blank. Default: nothing, unless a column of numbers can only
    /// be so.
    #[arg(long, value_name = "MARK", value_parser = Dialect::thousands_of)]
    thousands: Option<char>,
    /// The first line of delimited text holds the names of the columns, even if it looks like data.
    #[arg(long, conflicts_with = "no_header")]
    header: bool,
    /// The first line of delimited text is data, even if it looks like names.
    #[arg(long)]
    no_header: bool,
    /// Meaning of double quotes: double (cells may stand in them, by RFC 4180) or none (they are letters).
    /// Default: double, but between tabs quotes that do not enclose a cell are letters.
    #[arg(long, value_name = "double|none", value_parser = str::parse::<Quotes>)]
    #[serde(serialize_with = "as_text")]
    quotes: Option<Quotes>,
    /// Encoding of text that is not UTF-8: latin1, windows-1252, utf-16le or another.
    #[arg(long, value_name = "NAME", value_parser = str::parse::<TextEncoding>)]
    #[serde(serialize_with = "as_text")]
    encoding: Option<TextEncoding>,
}

fn as_text<T: Display, S: Serializer>(value: &Option<T>, serializer: S) -> Result<S::Ok, S::Error> {
    value.as_ref().map(T::to_string).serialize(serializer)
}

impl DialectArgs {
    /// Dialect that the options ask for.
    pub fn dialect(&self) -> Dialect {
        let Self { separator, decimal, thousands, header, no_header, quotes, encoding } = *self;
        let header = (header || no_header).then_some(header);
        Dialect { separator, decimal, thousands, header, quotes, encoding }
    }
}
