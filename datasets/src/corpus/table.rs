//! Texts in a column of a table: delimited text, JSON lines or Parquet.

use serde_json::{Map, Value};

use super::data::Corpus;
use super::options::CorpusFormat;
use super::text::{Part, joined};
use super::tokenizer::Tokenizer;
use super::vocabulary::Vocabulary;
use crate::bytes::blocks::Records;
use crate::bytes::encoding::utf8;
use crate::bytes::parallel;
use crate::bytes::source::Source;
use crate::dialect::{Dialect, Head, Known, Purpose, position};
use crate::error::ReadError;

/// The columns or fields with the documents' texts and names.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields<'a> {
    pub(super) text: &'a str,
    pub(super) id: Option<&'a str>,
    pub(super) dialect: Dialect,
    pub(super) tokenizer: Tokenizer,
}

/// The documents of a part of the file, with their names.
struct Documents {
    texts: Part,
    names: Vocabulary,
    /// Number of objects without the field of texts, and without the field of names.
    lacking: [usize; 2],
    /// Names of the fields of the first object that lacks one.
    first: Option<String>,
}

impl Documents {
    fn new(fields: Fields<'_>) -> Self {
        Self {
            texts: Part::new(fields.tokenizer),
            names: Vocabulary::default(),
            lacking: [0; 2],
            first: None,
        }
    }

    fn add(&mut self, text: &str, name: &str) {
        self.texts.add_document(text);
        self.names.push(name);
    }

    /// Adds the object in a line of JSON. Without the field of texts it is a document without words.
    fn add_object(&mut self, line: &[u8], fields: Fields<'_>) -> Result<(), String> {
        utf8(line)?;
        if line.trim_ascii_start().starts_with(b"[") {
            return Err("this is a JSON array: write its objects a line each, as `jq -c '.[]'` does".into());
        }
        let object: Map<String, Value> = serde_json::from_slice(line)
            .map_err(|why| format!("this is no JSON object ({why}): write one object a line"))?;
        let mut field = |at: usize, option: &str, name: &str| match object.get(name) {
            Some(Value::String(text)) => Ok(text.clone()),
            Some(Value::Null) => Ok(String::new()),
            Some(Value::Number(number)) => Ok(number.to_string()),
            Some(_) => Err(format!("{option} {name}: the field is neither a text nor a number")),
            None => {
                self.lacking[at] += 1;
                self.first.get_or_insert_with(|| {
                    object.keys().take(12).map(String::as_str).collect::<Vec<_>>().join(", ")
                });
                Ok(String::new())
            }
        };
        let text = field(0, "--text", fields.text)?;
        let name = fields.id.map_or(Ok(String::new()), |id| field(1, "--id", id))?;
        self.add(&text, &name);
        Ok(())
    }
}

/// Reads one document per row, in the order of the file.
pub(super) fn load(
    source: &Source,
    format: CorpusFormat,
    fields: Fields<'_>,
    threads: usize,
) -> Result<Corpus, ReadError> {
    let mut notes = Vec::new();
    let parts = match format {
        CorpusFormat::JsonLines => {
            let parts = json_lines(source, fields, threads)?;
            notes = lacking(source, fields, &parts)?;
            parts
        }
        #[cfg(feature = "parquet")]
        CorpusFormat::Parquet => vec![parquet(source, fields)?],
        _ => {
            let asked: Vec<&str> = [Some(fields.text), fields.id].into_iter().flatten().collect();
            let known = Known { asked: &asked, ..Known::default() };
            let head = Head::of(source, &fields.dialect, Purpose::Texts, known)?;
            notes.clone_from(&head.notes);
            delimited(source, &head, fields, threads)?
        }
    };
    let mut names = Vocabulary::default();
    let mut texts = Vec::with_capacity(parts.len());
    for part in parts {
        part.names.iter().for_each(|name| names.push(name));
        texts.push(part.texts);
    }
    let mut corpus = joined(texts);
    corpus.document_names = fields.id.map(|_| names);
    notes.append(&mut corpus.notes);
    corpus.notes = notes;
    Ok(corpus)
}

/// Returns the position of a column, given by its name or its number from 1.
fn place(option: &str, wanted: &str, names: &[String]) -> Result<usize, String> {
    let by_number = || wanted.parse::<usize>().ok()?.checked_sub(1).filter(|&at| at < names.len());
    position(names, wanted).or_else(by_number).ok_or_else(|| {
        let first: Vec<&str> = names.iter().take(12).map(String::as_str).collect();
        let more = if names.len() > first.len() { ", ..." } else { "" };
        format!("{option} {wanted}: there is no such column: the columns are {}{more}", first.join(", "))
    })
}

impl Fields<'_> {
    /// Returns the positions of the text column and the name column.
    fn places(&self, names: &[String], source: &Source) -> Result<(usize, Option<usize>), ReadError> {
        let refuse = |why| ReadError::file(&source.path, why);
        let text = place("--text", self.text, names).map_err(refuse)?;
        let id = self.id.map(|id| place("--id", id, names)).transpose().map_err(refuse)?;
        Ok((text, id))
    }
}

fn delimited(
    source: &Source,
    head: &Head,
    fields: Fields<'_>,
    threads: usize,
) -> Result<Vec<Documents>, ReadError> {
    let (text, id) = fields.places(&head.all_names(), source)?;
    let blocks = source.blocks().quoted(head.quoting).skip(head.bytes);
    parallel::parse(source, blocks, 1 + head.lines, threads, |block| {
        let (mut documents, mut records) = (Documents::new(fields), Records::new(block, head.quoting));
        for (line, record) in records.by_ref() {
            let at = |why: String| (line, why);
            let mut cells = [Vec::new(), Vec::new()];
            let read = head.cells(record, |number, cell| {
                if number == text {
                    cells[0] = cell.text().into_owned();
                }
                if Some(number) == id {
                    cells[1] = cell.text().into_owned();
                }
                Ok(())
            });
            read.map_err(at)?;
            documents.add(utf8(&cells[0]).map_err(at)?, utf8(&cells[1]).map_err(at)?);
        }
        Ok((documents, records.lines()))
    })
}

fn json_lines(source: &Source, fields: Fields<'_>, threads: usize) -> Result<Vec<Documents>, ReadError> {
    let parts = parallel::parse(source, source.blocks(), 1, threads, |block| {
        let (mut documents, mut lines) = (Documents::new(fields), 0);
        for line in block.split_inclusive(|&byte| byte == b'\n') {
            if !line.trim_ascii().is_empty() {
                documents.add_object(line, fields).map_err(|why| (lines, why))?;
            }
            lines += 1;
        }
        Ok((documents, lines))
    })?;
    Ok(parts)
}

/// Returns notes on fields that some objects lack.
///
/// # Errors
/// If no object has the field: then its name is wrong.
fn lacking(source: &Source, fields: Fields<'_>, parts: &[Documents]) -> Result<Vec<String>, ReadError> {
    let all: usize = parts.iter().map(|part| part.names.len()).sum();
    let mut notes = Vec::new();
    for (at, option, name) in [(0, "--text", Some(fields.text)), (1, "--id", fields.id)]
        .into_iter()
        .filter_map(|(at, option, name)| Some((at, option, name?)))
    {
        let lacking: usize = parts.iter().map(|part| part.lacking[at]).sum();
        if lacking == all && all > 0 {
            let first = parts.iter().find_map(|part| part.first.clone()).unwrap_or_default();
            let why = format!("{option} {name}: there is no such field: the first object has {first}");
            return Err(ReadError::file(&source.path, why));
        }
        let become_ = if at == 0 { "documents without words" } else { "documents without a name" };
        match lacking {
            0 => {}
            1 => notes.push(format!(
                "1 object has no field {name}: {}",
                become_.replacen("documents", "a document", 1)
            )),
            _ => notes.push(format!("{lacking} objects have no field {name}: {become_}")),
        }
    }
    Ok(notes)
}

#[cfg(feature = "parquet")]
fn parquet(source: &Source, fields: Fields<'_>) -> Result<Documents, ReadError> {
    use crate::table::parquet::{Parquet, text};
    let table = Parquet::open(source)?;
    let (body, id) = fields.places(&table.names(), source)?;
    let mut wanted = vec![body];
    wanted.extend(id.filter(|&id| id != body));
    let mut documents = Documents::new(fields);
    table.rows(&wanted, |row, values| {
        let said = |value: Option<&&parquet::record::Field>| match value {
            None | Some(parquet::record::Field::Null) => Some(String::new()),
            Some(value) => text(value),
        };
        let name = if id.is_some() { said(values.last()) } else { Some(String::new()) };
        let (Some(body), Some(name)) = (said(values.first()), name) else {
            let why = format!("row {}: the text or the name is nested, or no UTF-8", row + 1);
            return Err(ReadError::file(&source.path, why));
        };
        documents.add(&body, &name);
        Ok(())
    })?;
    Ok(documents)
}
