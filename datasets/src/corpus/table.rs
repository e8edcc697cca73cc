//! Texts in a column of a table: delimited text, JSON lines or Parquet.

use serde_json::{Map, Value};

use super::data::Corpus;
use super::options::{CorpusFormat, CorpusOptions};
use super::text::{Part, joined};
use super::vocabulary::Vocabulary;
use crate::bytes::blocks::Records;
use crate::bytes::encoding::utf8;
use crate::bytes::parallel;
use crate::bytes::source::Source;
use crate::dialect::{Head, Known, Purpose, position};
use crate::error::ReadError;

/// The options that name columns or fields, with what documents that lack one are.
const OPTIONS: [(&str, &str); 3] = [
    ("--text", "documents without words"),
    ("--id", "documents without a name"),
    ("--by", "documents without a value"),
];

/// The columns or fields of the documents.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields<'a> {
    /// Name that each of the [`OPTIONS`] has; the name of the texts is always there.
    pub(super) names: [Option<&'a str>; 3],
    pub(super) options: &'a CorpusOptions,
}

/// The documents of a part of the file, with their names and the values that group them.
struct Documents {
    texts: Part,
    names: Vocabulary,
    groups: Vocabulary,
    /// Number of objects without the field of each option.
    lacking: [usize; 3],
    /// Names of the fields of the first object that lacks one.
    first: Option<String>,
}

impl Documents {
    fn new(fields: Fields<'_>) -> Self {
        Self {
            texts: Part::new(fields.options.tokenizer),
            names: Vocabulary::default(),
            groups: Vocabulary::default(),
            lacking: [0; 3],
            first: None,
        }
    }

    fn add(&mut self, [text, name, group]: [&str; 3]) {
        self.texts.add_document(text);
        self.names.push(name);
        self.groups.push(group);
    }

    /// Adds the object in a line of JSON. Without the field of texts it is a document without words.
    fn add_object(&mut self, line: &[u8], fields: Fields<'_>) -> Result<(), String> {
        utf8(line)?;
        if line.trim_ascii_start().starts_with(b"[") {
            return Err("this is a JSON array: write its objects a line each, as `jq -c '.[]'` does".into());
        }
        let object: Map<String, Value> = serde_json::from_slice(line)
            .map_err(|why| format!("this is no JSON object ({why}): write one object a line"))?;
        let mut field = |at: usize, name: &str| match object.get(name) {
            Some(Value::String(text)) => Ok(text.clone()),
            Some(Value::Null) => Ok(String::new()),
            Some(Value::Number(number)) => Ok(number.to_string()),
            Some(_) => Err(format!("{} {name}: the field is neither a text nor a number", OPTIONS[at].0)),
            None => {
                self.lacking[at] += 1;
                self.first.get_or_insert_with(|| {
                    object.keys().take(12).map(String::as_str).collect::<Vec<_>>().join(", ")
                });
                Ok(String::new())
            }
        };
        let mut cells = [String::new(), String::new(), String::new()];
        for (at, name) in fields.names.iter().enumerate().filter_map(|(at, name)| Some((at, (*name)?))) {
            cells[at] = field(at, name)?;
        }
        self.add(cells.each_ref().map(String::as_str));
        Ok(())
    }
}

/// Reads one document per row, in the order of the file.
pub(super) fn load(source: &Source, format: CorpusFormat, fields: Fields<'_>) -> Result<Corpus, ReadError> {
    let threads = fields.options.threads;
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
            let asked: Vec<&str> = fields.names.into_iter().flatten().collect();
            let known = Known { asked: &asked, ..Known::default() };
            let head = Head::of(source, &fields.options.dialect, Purpose::Texts, known)?;
            notes.clone_from(&head.notes);
            delimited(source, &head, fields, threads)?
        }
    };
    let (mut names, mut groups) = (Vocabulary::default(), Vocabulary::default());
    let mut texts = Vec::with_capacity(parts.len());
    for part in parts {
        part.names.iter().for_each(|name| names.push(name));
        part.groups.iter().for_each(|group| groups.push(group));
        texts.push(part.texts);
    }
    let mut corpus = joined(texts, &fields.options.phrases);
    let [_, id, by] = fields.names;
    (corpus.document_names, corpus.groups) = (id.map(|_| names), by.map(|_| groups));
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
    /// Returns the positions of the columns.
    fn places(&self, names: &[String], source: &Source) -> Result<[Option<usize>; 3], ReadError> {
        let mut places = [None; 3];
        for (at, wanted) in self.names.iter().enumerate().filter_map(|(at, name)| Some((at, (*name)?))) {
            let found = place(OPTIONS[at].0, wanted, names);
            places[at] = Some(found.map_err(|why| ReadError::file(&source.path, why))?);
        }
        Ok(places)
    }
}

fn delimited(
    source: &Source,
    head: &Head,
    fields: Fields<'_>,
    threads: usize,
) -> Result<Vec<Documents>, ReadError> {
    let places = fields.places(&head.all_names(), source)?;
    let blocks = source.blocks().quoted(head.quoting).skip(head.bytes);
    parallel::parse(source, blocks, 1 + head.lines, threads, |block| {
        let (mut documents, mut records) = (Documents::new(fields), Records::new(block, head.quoting));
        for (line, record) in records.by_ref() {
            let at = |why: String| (line, why);
            let mut cells = [Vec::new(), Vec::new(), Vec::new()];
            let read = head.cells(record, |number, cell| {
                for (kept, _) in cells.iter_mut().zip(places).filter(|(_, place)| *place == Some(number)) {
                    *kept = cell.text().into_owned();
                }
                Ok(())
            });
            read.map_err(at)?;
            let [text, name, group] = cells.each_ref().map(|cell| utf8(cell).map_err(at));
            documents.add([text?, name?, group?]);
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
    for (at, (option, become_)) in OPTIONS.into_iter().enumerate() {
        let Some(name) = fields.names[at] else { continue };
        let lacking: usize = parts.iter().map(|part| part.lacking[at]).sum();
        if lacking == all && all > 0 {
            let first = parts.iter().find_map(|part| part.first.clone()).unwrap_or_default();
            let why = format!("{option} {name}: there is no such field: the first object has {first}");
            return Err(ReadError::file(&source.path, why));
        }
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
    let places = fields.places(&table.names(), source)?;
    let mut wanted: Vec<usize> = Vec::new();
    for place in places.into_iter().flatten() {
        if !wanted.contains(&place) {
            wanted.push(place);
        }
    }
    let mut documents = Documents::new(fields);
    table.rows(&wanted, |row, values| {
        let said = |value: Option<&&parquet::record::Field>| match value {
            None | Some(parquet::record::Field::Null) => Some(String::new()),
            Some(value) => text(value),
        };
        let cell = |place: Option<usize>| match place {
            Some(place) => said(values.get(wanted.iter().position(|&other| other == place)?)),
            None => Some(String::new()),
        };
        let [Some(text), Some(name), Some(group)] = places.map(cell) else {
            let why = format!("row {}: the text, the name or the value is nested, or no UTF-8", row + 1);
            return Err(ReadError::file(&source.path, why));
        };
        documents.add([&text, &name, &group]);
        Ok(())
    })?;
    Ok(documents)
}
