//! Delimited text, as in RFC 4180: cells separated by one character or by runs of blanks, as its [`Head`]
//! says.
//!
//! Empty lines are skipped. A table that consists of numbers takes a fast path into one dense matrix; any
//! other is read column by column.

use std::sync::atomic::{AtomicBool, Ordering};

use memchr::memchr;
use ndarray::{Array2, ArrayView2, ShapeBuilder, s};

use super::Matrix;
use super::columns::{Column, Columns, Kind, Odd, Place, Texts, Values, is_beyond};
use super::data::Table;
use crate::bytes::blocks::Records;
use crate::bytes::encoding::utf8;
use crate::bytes::number::{decimal, explain_cell, whole_cell};
use crate::bytes::parallel::{self, Parsed};
use crate::bytes::quoting::Divider;
use crate::bytes::source::Source;
use crate::dialect::{Head, Marks, is_missing};
use crate::error::ReadError;

/// Reads all columns of a table that consists of numbers; the response is chosen later. `None` if a cell is
/// not a number, or a row has another width.
pub(super) fn numbers(source: &Source, head: &Head, threads: usize) -> Result<Option<Table>, ReadError> {
    if !head.is_plain() {
        return Ok(None);
    }
    let is_other = AtomicBool::new(false);
    let blocks = source.blocks().quoted(head.quoting).skip(head.bytes);
    let parse = |text: &[u8]| match is_other.load(Ordering::Relaxed) {
        true => Ok((Vec::new(), 0)),
        false => {
            let (values, lines) = rows(text, head)?;
            is_other.fetch_or(values.is_none(), Ordering::Relaxed);
            Ok((values.unwrap_or_default(), lines))
        }
    };
    let blocks = parallel::parse(source, blocks, 1 + head.lines, threads, parse);
    if is_other.into_inner() {
        return Ok(None);
    }
    let blocks = blocks?;
    let count = blocks.iter().map(Vec::len).sum::<usize>() / head.width;
    if count == 0 {
        return Err(ReadError::file(
            &source.path,
            "there are no rows of numbers: expected one sample per line",
        ));
    }
    let mut x = Array2::zeros((count, head.width).f());
    let mut done = 0;
    for block in &blocks {
        let rows = block.len() / head.width;
        let view = ArrayView2::from_shape((rows, head.width), block);
        let view = view.map_err(|error| ReadError::file(&source.path, error.to_string()))?;
        x.slice_mut(s![done..done + rows, ..]).assign(&view);
        done += rows;
    }
    Ok(Some(Table { feature_names: head.names.clone(), ..Table::of(Matrix::Dense(x)) }))
}

/// Parses a block of lines into cells, row by row; `None` if they are not rows of numbers.
fn rows(text: &[u8], head: &Head) -> Parsed<Option<Vec<f64>>> {
    let mut values = Vec::with_capacity(text.len() / 4);
    if memchr(b'"', text).is_some() {
        let mut records = Records::new(text, head.quoting);
        for (_, record) in records.by_ref() {
            if !quoted_row(record, head, &mut values) {
                return Ok((None, 0));
            }
        }
        return Ok((Some(values), records.lines()));
    }
    let mut lines = 0;
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let trimmed = line.trim_ascii();
        let is_row = match head.quoting.divider {
            // A line of tabs is a row without values.
            _ if trimmed.is_empty() => head.quoting.is_empty(line),
            Divider::Byte(separator) => {
                row(trimmed.split(|&byte| byte == separator), head.width, &mut values)
            }
            Divider::Blanks => {
                let cells = trimmed.split(u8::is_ascii_whitespace).filter(|cell| !cell.is_empty());
                row(cells, head.width, &mut values)
            }
        };
        if !is_row {
            return Ok((None, 0));
        }
        lines += 1;
    }
    Ok((Some(values), lines))
}

/// Parses the cells of a line without quotes; returns `false` if one is not a number, or the width differs.
#[inline]
fn row<'t>(cells: impl Iterator<Item = &'t [u8]>, columns: usize, values: &mut Vec<f64>) -> bool {
    let mut width = 0;
    for cell in cells {
        let cell = cell.trim_ascii();
        match decimal(cell) {
            Some((value, length)) if length == cell.len() => values.push(value),
            _ => return false,
        }
        width += 1;
    }
    width == columns
}

/// Parses a record that may have quotes; returns `false` if a cell is not a number.
fn quoted_row(record: &[u8], head: &Head, values: &mut Vec<f64>) -> bool {
    let mut is_number = true;
    let width = head.quoting.each(record, |_, cell| {
        let cell = cell.raw.trim_ascii();
        match decimal(cell) {
            Some((value, length)) if length == cell.len() => values.push(value),
            _ => is_number = false,
        }
        Ok(is_number)
    });
    is_number && width.is_ok_and(|width| width == head.width)
}

/// Reads columns of these kinds; a column of numbers or labels that contains a text becomes one of texts.
/// `most` limits the different texts that are kept of each column.
pub(super) fn columns(
    source: &Source,
    head: &Head,
    mut kinds: Vec<Kind>,
    most: &[usize],
    threads: usize,
) -> Result<Columns, ReadError> {
    loop {
        let blocks = source.blocks().quoted(head.quoting).skip(head.bytes);
        let parse = |text: &[u8]| block(text, head, &kinds, most);
        let blocks = parallel::parse(source, blocks, 1 + head.lines, threads, parse)?;
        let is_odd =
            |j: usize| blocks.iter().any(|block| kinds[j] != Kind::Text && block.parts[j].odd.is_some());
        let odd: Vec<usize> = (0..head.width).filter(|&j| is_odd(j)).collect();
        if odd.is_empty() {
            return Ok(joined(blocks, head, &kinds, most));
        }
        odd.into_iter().for_each(|j| kinds[j] = Kind::Text);
    }
}

/// One block of rows.
struct Block {
    parts: Vec<Part>,
    rows: usize,
    lines: usize,
}

/// One column of a block; lines count from 0 in the block.
#[derive(Default)]
struct Part {
    numbers: Vec<f64>,
    texts: Texts,
    missing: u64,
    first_missing: Option<usize>,
    /// For texts, number of cells that are numbers.
    counted: u64,
    odd: Option<(usize, Odd)>,
}

fn block(text: &[u8], head: &Head, kinds: &[Kind], most: &[usize]) -> Parsed<Block> {
    let part = |&most: &usize| Part { texts: Texts::new(most), ..Part::default() };
    let mut parts: Vec<Part> = most.iter().map(part).collect();
    let (mut rows, mut records) = (0, Records::new(text, head.quoting));
    for (line, record) in records.by_ref() {
        let read = head.cells(record, |j, cell| {
            let pushed = parts[j].push(kinds[j], line, &cell.text(), head.marks);
            pushed.map_err(|why| format!("{}: {why}", head.column(j)))
        });
        read.map_err(|message| (line, message))?;
        rows += 1;
    }
    let lines = records.lines();
    Ok((Block { parts, rows, lines }, lines))
}

impl Part {
    fn push(&mut self, kind: Kind, line: usize, cell: &[u8], marks: Marks) -> Result<(), String> {
        if kind == Kind::Skip {
            return Ok(());
        }
        let cell = cell.trim_ascii();
        let number = marks.number(cell);
        let is_missing = number.is_none() && is_missing(cell);
        if is_missing {
            self.missing += 1;
            self.first_missing = self.first_missing.or(Some(line));
        }
        match (kind, number) {
            (Kind::Label, Some(value)) if is_beyond(cell, value) => {
                // The column becomes one of texts.
                self.odd.get_or_insert((line, Odd::default()));
            }
            (Kind::Number | Kind::Label, Some(value)) => self.numbers.push(value),
            (Kind::Number | Kind::Label, None) => {
                if !is_missing && self.odd.is_none() {
                    refuse_infinite(cell)?;
                    self.odd = Some((line, Odd::default()));
                }
                self.numbers.push(f64::NAN);
            }
            _ => {
                self.counted += u64::from(number.is_some());
                let text = if is_missing { "" } else { utf8(cell)? };
                if number.is_none() && !is_missing && self.odd.is_none() {
                    let (cell, cure) = (whole_cell(cell), marks.cure(cell));
                    self.odd = Some((line, Odd { cell, cure }));
                }
                self.texts.push(text);
            }
        }
        Ok(())
    }
}

/// Refuses infinite and too large numbers, which do not make a column one of texts.
fn refuse_infinite(cell: &[u8]) -> Result<(), String> {
    let is_infinite =
        std::str::from_utf8(cell).is_ok_and(|cell| cell.parse::<f64>().is_ok_and(f64::is_infinite));
    if is_infinite { Err(explain_cell(cell)) } else { Ok(()) }
}

fn joined(blocks: Vec<Block>, head: &Head, kinds: &[Kind], most: &[usize]) -> Columns {
    let rows = blocks.iter().map(|block| block.rows).sum();
    let names = head.all_names().into_iter();
    let mut columns: Vec<Column> = names.map(|name| Column::new(name, Values::Skipped)).collect();
    let mut numbers: Vec<Vec<f64>> = kinds.iter().map(|_| Vec::new()).collect();
    let mut texts: Vec<Vec<Texts>> = kinds.iter().map(|_| Vec::new()).collect();
    let mut first_line = 1 + head.lines;
    for block in blocks {
        for (j, part) in block.parts.into_iter().enumerate() {
            let column = &mut columns[j];
            column.missing += part.missing;
            let line = |line: usize| Place::Line(first_line + line);
            column.first_missing = column.first_missing.take().or(part.first_missing.map(line));
            column.numbers += part.counted;
            column.odd = column.odd.take().or(part.odd.map(|(at, odd)| (line(at), odd)));
            match kinds[j] {
                Kind::Number | Kind::Label => numbers[j].extend(part.numbers),
                Kind::Text => texts[j].push(part.texts),
                Kind::Skip => {}
            }
        }
        first_line += block.lines;
    }
    for (j, (numbers, texts)) in numbers.into_iter().zip(texts).enumerate() {
        columns[j].values = match kinds[j] {
            Kind::Number | Kind::Label => Values::Numbers(numbers),
            Kind::Text => Texts::joined(texts, most[j]),
            Kind::Skip => Values::Skipped,
        };
    }
    let marks = Some(head.marks).filter(|marks| !marks.is_plain());
    Columns { columns, rows, named: head.names.is_some(), marks, notes: head.notes.clone() }
}
