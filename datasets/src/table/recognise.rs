//! Recognises the format of a table by the first bytes of its file.

use super::npz;
use super::options::Format;
use crate::arrays::npy;
use crate::bytes::foreign::{foreign, is_json, json, printed};
use crate::bytes::market;
use crate::dialect::{Dialect, Separator, divided_by};

/// Message about a file whose format is not recognised.
pub(super) fn unknown(beginning: &[u8]) -> String {
    let line = lines(beginning).next().unwrap_or_default();
    if let Some(why) = foreign(beginning).or_else(|| printed(beginning).map(str::to_owned)) {
        return why;
    }
    if is_json(beginning) {
        return json("table", beginning);
    }
    let words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count();
    match words {
        2.. => "blanks separate the cells of the first line, but not of every line: name the separator by \
                --separator, or the format by --format"
            .into(),
        _ => {
            let known: Vec<&str> = Format::readable().map(Format::name).collect();
            format!(
                "the format is not recognised: {} are; if it is one of them, name it by --format",
                known.join(", ")
            )
        }
    }
}

/// Returns the format of a file that starts like this.
pub(super) fn recognise(beginning: &[u8], dialect: &Dialect) -> Option<Format> {
    for (magic, format) in
        [(npy::MAGIC, Format::Npy), (&b"PAR1"[..], Format::Parquet), (market::MAGIC, Format::MatrixMarket)]
    {
        if beginning.starts_with(magic) {
            return Some(format);
        }
    }
    if beginning.starts_with(npz::MAGIC) {
        let is_foreign = foreign(beginning).is_some_and(|what| what.contains("xlsx"));
        return (!is_foreign).then_some(Format::Npz);
    }
    if foreign(beginning).is_some() || is_json(beginning) {
        return None;
    }
    let has_rows = lines(beginning).any(|line| !line.starts_with(b"#"));
    let rows: Vec<&[u8]> = lines(beginning).filter(|line| !has_rows || !line.starts_with(b"#")).collect();
    let line = rows.first()?;
    let first = words(line);
    // A row of libsvm text never starts with a quote, and a quoted record may continue on the next line.
    if dialect.separator.is_some() || line.trim_ascii_start().starts_with(b"\"") {
        return Some(Format::Csv);
    }
    let is_number =
        |word: &[u8]| crate::bytes::number::decimal(word).is_some_and(|(_, length)| length == word.len());
    let is_blank = || divided_by(beginning, dialect.quotes) == Separator::Blanks;
    match &first[..] {
        [_, pair, ..] if is_pair(pair) => match !has_pairs_alone(&rows) && is_blank() {
            true => Some(Format::Csv),
            false => Some(Format::Libsvm),
        },
        _ if line.iter().any(|byte| b",;|\t".contains(byte)) => Some(Format::Csv),
        // Rows without a response, or with several, are reported by the reader of libsvm.
        [response, ..] if is_pair(response) => Some(Format::Libsvm),
        [response, second, ..] => {
            let has_pairs = rows.iter().any(|row| words(row).get(1).is_some_and(|word| is_pair(word)));
            match is_number(response) && has_pairs {
                true => Some(Format::Libsvm),
                false if is_blank() || is_number(response) && is_number(second) => Some(Format::Csv),
                false => None,
            }
        }
        // One word per line: a column of numbers, unless the first is a row of libsvm text without features.
        _ => {
            let mut rest = rows.iter().skip(1).map(|row| words(row));
            match rest.any(|words| words.get(1).is_some_and(|pair| is_pair(pair))) {
                true => Some(Format::Libsvm),
                false => {
                    let mut all = lines(beginning).map(words);
                    all.any(|words| words.first().is_some_and(|word| is_number(word))).then_some(Format::Csv)
                }
            }
        }
    }
}

/// Returns `true` if a word is `index:value` or `qid:number`, well-formed or not.
fn is_pair(word: &[u8]) -> bool {
    let Some(colon) = word.iter().position(|&byte| byte == b':') else { return false };
    let (index, value) = word.split_at(colon);
    (index == b"qid" || index.iter().all(u8::is_ascii_digit))
        && !value.iter().any(|byte| b",;|".contains(byte))
}

/// Returns `true` if in every row with a pair all words after the first are pairs.
fn has_pairs_alone(rows: &[&[u8]]) -> bool {
    let rows: Vec<Vec<&[u8]>> = rows.iter().map(|row| words(row)).collect();
    let width = rows.iter().map(Vec::len).max().unwrap_or(0);
    (1..width).all(|at| rows.iter().any(|row| row.get(at).is_some_and(|word| is_pair(word))))
}

/// Returns the words of a line.
fn words(line: &[u8]) -> Vec<&[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect()
}

/// Returns the lines that are not empty.
fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|&byte| byte == b'\n')
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
        .filter(|line| !line.trim_ascii().is_empty())
}
