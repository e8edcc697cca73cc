//! Apache Parquet: named columns of numbers, booleans (0 and 1), texts and dates, which are read as texts in
//! the form of ISO 8601. Nested columns are refused, unless they are not needed.

use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use parquet::schema::types::Type;

use super::columns::{Column, Columns, Kind, Odd, Place, Texts, Values, is_beyond};
use crate::bytes::source::Source;
use crate::error::ReadError;

/// An open file.
pub(crate) struct Parquet<'s> {
    path: PathBuf,
    reader: SerializedFileReader<Bytes>,
    source: PhantomData<&'s Source>,
}

impl Parquet<'_> {
    pub(crate) fn open(source: &Source) -> Result<Self, ReadError> {
        let content = Bytes::copy_from_slice(&source.content()?);
        let reader = guarded(&source.path, || SerializedFileReader::new(content))?;
        Ok(Self { path: source.path.clone(), reader, source: PhantomData })
    }

    fn fields(&self) -> &[Arc<Type>] {
        self.reader.metadata().file_metadata().schema().get_fields()
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.fields().iter().map(|field| field.name().to_owned()).collect()
    }

    /// Calls `take` with each row's fields of these columns, in their order, and the row's number from 0.
    pub(crate) fn rows(
        &self,
        columns: &[usize],
        mut take: impl FnMut(usize, &[&Field]) -> Result<(), ReadError>,
    ) -> Result<usize, ReadError> {
        let schema = self.reader.metadata().file_metadata().schema();
        let fields = columns.iter().map(|&j| Arc::clone(&self.fields()[j])).collect();
        let projection = Type::group_type_builder(schema.name()).with_fields(fields).build();
        let mut rows = guarded(&self.path, || self.reader.get_row_iter(Some(projection?)))?;
        let mut number = 0;
        while let Some(row) = guarded(&self.path, || rows.next().transpose())? {
            let fields: Vec<&Field> = row.get_column_iter().map(|(_, field)| field).collect();
            if fields.len() != columns.len() {
                return Err(ReadError::file(
                    &self.path,
                    "two columns have one name: give each a name of its own",
                ));
            }
            take(number, &fields)?;
            number += 1;
        }
        Ok(number)
    }

    /// Reads columns of these kinds as those of delimited text are read.
    pub(super) fn columns(&self, kinds: &[Kind], most: &[usize]) -> Result<Columns, ReadError> {
        let (columns, beyond) = self.columns_of(kinds, most)?;
        if beyond.is_empty() {
            return Ok(columns);
        }
        let mut kinds = kinds.to_vec();
        beyond.into_iter().for_each(|j| kinds[j] = Kind::Text);
        Ok(self.columns_of(&kinds, most)?.0)
    }

    /// Reads columns of these kinds; also returns the label columns with whole numbers that doubles do not
    /// represent.
    fn columns_of(&self, kinds: &[Kind], most: &[usize]) -> Result<(Columns, Vec<usize>), ReadError> {
        let names = self.names();
        let read: Vec<usize> = (0..names.len()).filter(|&j| kinds[j] != Kind::Skip).collect();
        let mut builders: Vec<Builder> = read.iter().map(|&j| Builder::new(kinds[j], most[j])).collect();
        let rows = self.rows(&read, |row, fields| {
            for ((builder, field), &j) in builders.iter_mut().zip(fields).zip(&read) {
                builder.push(row, field).map_err(|why| {
                    ReadError::file(&self.path, format!("row {}, column {}: {why}", row + 1, names[j]))
                })?;
            }
            Ok(())
        })?;
        let is_beyond = |(builder, j): (&Builder, &usize)| builder.is_beyond.then_some(*j);
        let beyond = builders.iter().zip(&read).filter_map(is_beyond).collect();
        let mut builders = builders.into_iter();
        let column = |((name, kind), &most): ((String, &Kind), &usize)| match kind {
            Kind::Skip => Column::new(name, Values::Skipped),
            _ => builders.next().unwrap_or_else(|| Builder::new(*kind, most)).finish(name, most),
        };
        let columns = names.into_iter().zip(kinds).zip(most).map(column).collect();
        Ok((Columns { columns, rows, named: true, marks: None, notes: Vec::new() }, beyond))
    }
}

/// Returns the text of a field, or of a value that is written as text.
pub(crate) fn text(field: &Field) -> Option<String> {
    match field {
        Field::Str(text) => Some(text.clone()),
        Field::Bytes(bytes) => std::str::from_utf8(bytes.data()).ok().map(str::to_owned),
        Field::Date(_) | Field::TimeMillis(_) | Field::TimeMicros(_) => Some(field.to_string()),
        Field::TimestampMillis(_) | Field::TimestampMicros(_) => Some(field.to_string()),
        // Written with all digits, which a double may not represent.
        Field::Long(value) => Some(value.to_string()),
        Field::ULong(value) => Some(value.to_string()),
        _ => number(field).map(|number| number.to_string()),
    }
}

fn number(field: &Field) -> Option<f64> {
    Some(match field {
        Field::Bool(value) => f64::from(u8::from(*value)),
        Field::Byte(value) => f64::from(*value),
        Field::Short(value) => f64::from(*value),
        Field::Int(value) => f64::from(*value),
        Field::Long(value) => *value as f64,
        Field::UByte(value) => f64::from(*value),
        Field::UShort(value) => f64::from(*value),
        Field::UInt(value) => f64::from(*value),
        Field::ULong(value) => *value as f64,
        Field::Float16(value) => value.to_f64(),
        Field::Float(value) => f64::from(*value),
        Field::Double(value) => *value,
        Field::Decimal(_) => field.to_string().parse().ok()?,
        _ => return None,
    })
}

/// A column that is being read.
#[derive(Default)]
struct Builder {
    numbers: Vec<f64>,
    texts: Texts,
    is_text: bool,
    is_label: bool,
    /// `true` if a label is a whole number that a double does not represent.
    is_beyond: bool,
    missing: u64,
    first_missing: Option<usize>,
    odd: Option<(usize, String)>,
}

impl Builder {
    fn new(kind: Kind, most: usize) -> Self {
        let (is_text, is_label) = (kind == Kind::Text, kind == Kind::Label);
        Self { texts: Texts::new(most), is_text, is_label, ..Self::default() }
    }

    fn push(&mut self, row: usize, field: &Field) -> Result<(), String> {
        let value = number(field);
        if matches!(field, Field::Null) || value.is_some_and(f64::is_nan) {
            self.missing += 1;
            self.first_missing = self.first_missing.or(Some(row));
            if self.is_text {
                self.texts.push("")
            } else {
                self.numbers.push(f64::NAN)
            }
            return Ok(());
        }
        match value {
            Some(value) if value.is_infinite() => {
                return Err("the value is infinite: replace it by a finite number or drop the row".into());
            }
            Some(value) if !self.is_text => {
                let whole = matches!(field, Field::Long(_) | Field::ULong(_)).then(|| field.to_string());
                let is_beyond = whole.is_some_and(|digits| is_beyond(digits.as_bytes(), value));
                self.is_beyond |= self.is_label && is_beyond;
                self.numbers.push(value);
            }
            _ => {
                let text = text(field).ok_or("it is nested, or no text: leave the column out by --drop")?;
                if !self.is_text {
                    // Only missing values so far, so this value decides the kind of the column.
                    self.is_text = true;
                    (0..std::mem::take(&mut self.numbers).len()).for_each(|_| self.texts.push(""));
                }
                self.odd.get_or_insert_with(|| (row, text.chars().take(24).collect()));
                self.texts.push(&text);
            }
        }
        Ok(())
    }

    fn finish(self, name: String, most: usize) -> Column {
        let place = |row: usize| Place::Row(row + 1);
        let values = match self.is_text {
            true => Texts::joined(vec![self.texts], most),
            false => Values::Numbers(self.numbers),
        };
        Column {
            missing: self.missing,
            first_missing: self.first_missing.map(place),
            odd: self.odd.map(|(row, cell)| (place(row), Odd { cell, cure: None })),
            ..Column::new(name, values)
        }
    }
}

/// Catches panics: the Parquet reader is known to panic on some damaged files.
fn guarded<T>(
    path: &std::path::Path,
    read: impl FnOnce() -> parquet::errors::Result<T>,
) -> Result<T, ReadError> {
    match catch_unwind(AssertUnwindSafe(read)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(why)) => {
            let why = why.to_string();
            let way = if why.contains("feature") || why.contains("codec") || why.contains("compression") {
                "write it with compression=\"zstd\" or \"snappy\""
            } else {
                "write or download it again"
            };
            Err(ReadError::file(path, format!("the Parquet file cannot be read ({why}): {way}")))
        }
        Err(_) => Err(ReadError::file(path, "the Parquet file is damaged: write or download it again")),
    }
}
