//! Tables of numbers with a separator: `,`, `;` or a tab, whichever the first line has most of.
//!
//! A first line that holds anything but numbers is the header. Cells may stand in double quotes; empty lines and
//! lines that begin with `#` are passed over. Every other cell must be a finite number.

use ndarray::{Array2, ArrayView2, ShapeBuilder, s};

use super::response::Loaded;
use super::{Matrix, read::first_line};
use crate::error::ReadError;
use crate::number::{decimal, explain};
use crate::parallel::{self, Parsed};
use crate::source::{Blocks, Source};

/// Reads all columns; which one is the response is decided later.
pub(super) fn load(source: &Source, threads: usize) -> Result<Loaded, ReadError> {
    let content = source.content()?;
    let text = content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&content);
    let (before, line) = first_line(text);
    let separator = separator(line);
    let cells = cells(line, separator);
    let header = cells.iter().any(|cell| is_name(cell));
    let names = header.then(|| cells.clone());
    let form = Form { separator, width: cells.len(), names: names.as_deref() };

    let rest = if header { &text[before.bytes + line.len()..] } else { &text[before.bytes..] };
    let blocks =
        parallel::parse(source, Blocks::Text(rest), 1 + before.lines, threads, |text| rows(text, &form))?;
    let count = blocks.iter().map(Vec::len).sum::<usize>() / form.width;
    if count == 0 {
        return Err(ReadError::file(
            &source.path,
            "there are no rows of numbers: expected one sample a line",
        ));
    }
    let mut x = Array2::zeros((count, form.width).f());
    let mut done = 0;
    for block in &blocks {
        let rows = block.len() / form.width;
        let view = ArrayView2::from_shape((rows, form.width), block);
        let view = view.map_err(|error| ReadError::file(&source.path, error.to_string()))?;
        x.slice_mut(s![done..done + rows, ..]).assign(&view);
        done += rows;
    }
    Ok(Loaded { x: Matrix::Dense(x), names, y: None })
}

/// What every row must look like.
struct Form<'a> {
    separator: u8,
    width: usize,
    names: Option<&'a [String]>,
}

impl Form<'_> {
    /// A column as messages name it.
    fn column(&self, j: usize) -> String {
        match self.names.and_then(|names| names.get(j)) {
            Some(name) => format!("column {} ({name})", j + 1),
            None => format!("column {}", j + 1),
        }
    }
}

/// Parses a block of lines into cells, row after row.
fn rows(text: &[u8], form: &Form<'_>) -> Parsed<Vec<f64>> {
    let mut values = Vec::with_capacity(text.len() / 4);
    let mut lines = 0;
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let line = line.trim_ascii();
        if !line.is_empty() && line[0] != b'#' {
            row(line, form, &mut values).map_err(|message| (lines, message))?;
        }
        lines += 1;
    }
    Ok((values, lines))
}

fn row(line: &[u8], form: &Form<'_>, values: &mut Vec<f64>) -> Result<(), String> {
    let mut width = 0;
    for cell in line.split(|&byte| byte == form.separator) {
        let cell = unquoted(cell.trim_ascii());
        match decimal(cell) {
            Some((value, length)) if length == cell.len() => values.push(value),
            _ if width >= form.width => {}
            _ if cell.is_empty() => {
                return Err(format!("{} is empty: fill or drop missing values", form.column(width)));
            }
            _ => return Err(format!("{}: {}", form.column(width), explain(cell))),
        }
        width += 1;
    }
    match width == form.width {
        true => Ok(()),
        false => {
            Err(format!("{width} cells where the first line has {}: every row needs the same", form.width))
        }
    }
}

/// The candidate that the line has most of.
fn separator(line: &[u8]) -> u8 {
    let count = |separator: &u8| line.iter().filter(|&byte| byte == separator).count();
    b"\t;,".iter().copied().max_by_key(count).unwrap_or(b',')
}

/// The first line's cells as text; quoted ones may hold the separator.
fn cells(line: &[u8], separator: u8) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    for letter in String::from_utf8_lossy(line).trim().chars() {
        match letter {
            '"' => quoted = !quoted,
            _ if letter == char::from(separator) && !quoted => cells.push(String::new()),
            _ => cells.last_mut().into_iter().for_each(|cell| cell.push(letter)),
        }
    }
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}

/// Whether a cell can only be a column's name: missing and infinite values are data, if bad ones.
fn is_name(cell: &str) -> bool {
    !cell.is_empty() && cell != "NA" && cell.parse::<f64>().is_err()
}

fn unquoted(cell: &[u8]) -> &[u8] {
    match cell {
        [b'"', inner @ .., b'"'] => inner.trim_ascii(),
        _ => cell,
    }
}
