//! Random tables, ratings and texts of known content, with headers of words, of numbers and without, in every
//! form: no row is lost or gained, and names, ids and values come back as they were written.
//!
//! `RADDLE_TABLES` sets how many there are, `RADDLE_TABLES_SEED` the first of their numbers, so that a
//! failure can be repeated.

mod form;
mod heads;

use std::path::Path;

use raddle_datasets::{CorpusOptions, Missing, Options, RatingsOptions, read, read_corpus, read_ratings};

use self::form::Form;
pub(super) use self::form::zstd;
use self::heads::{Body, Head, may_be_names};
use super::dice::{Dice, number};

/// Words for no value.
const MISSING: [&str; 5] = ["", "NA", "NaN", "N/A", "null"];

/// Cells of ids: numbers, numbers that are names, and texts.
fn id(kind: usize, most: usize, dice: &mut Dice) -> String {
    let number = dice.roll(most);
    match kind {
        0 => (100 + number).to_string(),
        1 => format!("{number:03}"),
        2 => format!("u{number}"),
        _ => ["ann", "ben", "\"c\"", "d e", "#f", "ü", "g,h", "01", "1"][number % 9].to_owned(),
    }
}

/// Option that says whether there is a header, given now and then.
fn said(head: Head, dice: &mut Dice) -> Option<bool> {
    (dice.roll(10) == 0).then_some(head != Head::None)
}

fn written(path: &Path, form: &Form, header: Option<&[String]>, rows: &[Vec<String>]) -> String {
    let text = form.text(header, rows);
    std::fs::write(path, form.packed(&text)).unwrap();
    text
}

/// A table of numbers, perhaps with ids before them: what was read, or why it is wrong.
fn table(path: &Path, dice: &mut Dice) -> Result<(), (String, String)> {
    let (head, body) = (Head::draw(dice), Body::draw(dice));
    let (count, rows, has_ids) = (3 + dice.roll(5), 10 + dice.roll(30), dice.roll(4) == 0);
    let form = Form::draw(dice, head.is_of_texts(), head != Head::None);
    let body = if form.has_comma { Body::Reals } else { body };
    let names = head.names(count, dice);
    let misses = dice.roll(4) == 0;
    let mut cells: Vec<Vec<String>> = Vec::new();
    while cells.len() < rows {
        let row: Vec<String> = (0..count).map(|at| body.cell(at, dice)).collect();
        if !may_be_names(&row) {
            cells.push(row);
        }
    }
    let mut shown = cells.clone();
    if misses {
        let (row, at) = (1 + dice.roll(rows - 1), dice.roll(count - 1));
        (shown[row][at], cells[row][at]) = (MISSING[dice.roll(5)].into(), "nan".into());
    }
    if form.has_comma {
        shown.iter_mut().flatten().for_each(|cell| *cell = cell.replace('.', ","));
    }
    let mut header = names.clone();
    if has_ids {
        shown.iter_mut().zip(0..).for_each(|(row, number)| row.insert(0, format!("id {number}")));
        header
            .iter_mut()
            .for_each(|names| names.insert(0, if head == Head::Words { "key" } else { "" }.into()));
    }
    let text = written(path, &form, header.as_deref(), &shown);
    let about = format!("{head:?} {body:?} {form:?}");
    let mut options =
        Options { y: Some("-1".into()), dialect: form.dialect(said(head, dice)), ..Options::default() };
    options.threads = 1 + dice.roll(2);
    if misses {
        options.columns.missing = Missing::Mean;
    }
    let wrong = |why: String| Err((format!("{about}: {why}"), text.clone()));
    let table = match read(path, &options) {
        Ok(table) => table,
        Err(why) => return wrong(why.to_string()),
    };
    let of_head = names.as_ref().map(|names| &names[..count - 1]);
    if table.feature_names.as_deref() != of_head && (of_head.is_some() || !has_ids) {
        return wrong(format!("names {:?}", table.feature_names));
    }
    let (x, last) = (table.x.to_dense(), |row: &Vec<String>| row[count - 1].parse::<f64>().unwrap());
    if table.y != cells.iter().map(last).collect::<Vec<f64>>() {
        return wrong(format!("{} rows of {rows}", table.y.len()));
    }
    for (at, row) in cells.iter().enumerate() {
        for (j, cell) in row[..count - 1].iter().enumerate() {
            let value: f64 = cell.parse().unwrap();
            if x[(at, j)] != value && !value.is_nan() {
                return wrong(format!("row {at}, column {j}: {}", x[(at, j)]));
            }
        }
    }
    let is_told = match head {
        _ if options.dialect.header.is_some() => true,
        Head::None => table.notes.iter().any(|note| note.contains("(--header")),
        _ => table.notes.iter().any(|note| note.contains("(--no-header") || note.contains("as R writes it")),
    };
    if is_told { Ok(()) } else { wrong(format!("notes {:?}", table.notes)) }
}

/// Ratings: ids and values are those that were written.
fn ratings(path: &Path, dice: &mut Dice) -> Result<(), (String, String)> {
    let heads = [Head::Words, Head::Words, Head::Zero, Head::None];
    let (head, kinds, rows) = (heads[dice.roll(4)], [dice.roll(4), dice.roll(4)], 12 + dice.roll(30));
    let has_values = dice.roll(4) > 0 || head == Head::Zero;
    let header = match head {
        Head::Words => Some([["user", "item", "rating"], ["kunde", "artikel", "wert"]][dice.roll(2)]),
        Head::Zero => Some(["0", "1", "2"]),
        _ => None,
    };
    let mut header = header.map(|names| names.map(str::to_owned).to_vec());
    let mut form = Form::draw(dice, head == Head::Words, head != Head::None);
    form.has_comma = false;
    let mut cells: Vec<Vec<String>> = (0..rows)
        .map(|_| {
            let value = format!("{}.5", dice.roll(5));
            vec![id(kinds[0], 6, dice), id(kinds[1], 8, dice), value]
        })
        .collect();
    if !has_values {
        cells.iter_mut().chain(&mut header).for_each(|row| row.truncate(2));
    }
    let text = written(path, &form, header.as_deref(), &cells);
    let about = format!("{head:?} {kinds:?} {form:?}");
    let wrong = |why: String| Err((format!("{about}: {why}"), text.clone()));
    let dialect = form.dialect(said(head, dice));
    let options = RatingsOptions { dialect, keep_repeated: true, ..RatingsOptions::default() };
    let read = match read_ratings(path, &options) {
        Ok(read) => read,
        Err(why) => return wrong(why.to_string()),
    };
    let found: Vec<Vec<String>> = read
        .triples
        .iter()
        .map(|(user, item, value)| {
            let mut row = vec![read.users.name(user as usize), read.items.name(item as usize)];
            row.extend(has_values.then(|| format!("{value:.1}")));
            row
        })
        .collect();
    if found == cells {
        Ok(())
    } else {
        wrong(format!("{} rows of {rows}: {:?}", found.len(), found.first()))
    }
}

/// Texts of a table: a document a row, by its name.
fn texts(path: &Path, dice: &mut Dice) -> Result<(), (String, String)> {
    let heads = [Head::Words, Head::Zero, Head::None];
    let (head, rows) = (heads[dice.roll(3)], 4 + dice.roll(20));
    let header = match head {
        Head::Words => Some(["url", "body"]),
        Head::Zero => Some(["0", "1"]),
        _ => None,
    };
    let header = header.map(|names| names.map(str::to_owned).to_vec());
    let mut form = Form::draw(dice, head == Head::Words, head != Head::None);
    if form.separator == b' ' {
        form.separator = b',';
    }
    let words = ["harbour", "the ship, at sea", "say \"so\"", "two\nlines", "; | -"];
    let cells: Vec<Vec<String>> = (0..rows)
        .map(|number| {
            vec![
                format!("{}{number}", ["/p", "0", "#"][number % 3]),
                format!("w{number} {}", words[dice.roll(5)]),
            ]
        })
        .collect();
    let text = written(path, &form, header.as_deref(), &cells);
    let about = format!("{head:?} {form:?}");
    let wrong = |why: String| Err((format!("{about}: {why}"), text.clone()));
    let [body, url] = match head {
        Head::Words => ["body", "url"],
        Head::Zero => ["1", "0"],
        _ => ["2", "1"],
    };
    let named = |name: &str| Some(name.to_owned());
    // Texts over texts are names unless it is said.
    let is_said = head == Head::None || dice.roll(4) == 0;
    let dialect = form.dialect(is_said.then_some(head != Head::None));
    let options = CorpusOptions { text: named(body), id: named(url), dialect, ..CorpusOptions::default() };
    let corpus = match read_corpus(path, &options) {
        Ok(corpus) => corpus,
        Err(why) => return wrong(why.to_string()),
    };
    let ids: Vec<String> =
        corpus.document_names.iter().flat_map(|names| names.iter()).map(str::to_owned).collect();
    let has_word = |at: usize| corpus.document(at).any(|(word, _)| corpus.word(word) == format!("w{at}"));
    let is_right = ids.iter().eq(cells.iter().map(|row| &row[0])) && (0..rows).all(has_word);
    if is_right { Ok(()) } else { wrong(format!("{} documents of {rows}: {ids:?}", corpus.documents())) }
}

#[test]
fn random_tables_come_back_row_by_row_whatever_their_header() {
    let folder = tempfile::tempdir().unwrap();
    let (first, path) = (number("RADDLE_TABLES_SEED", 1), folder.path().join("table"));
    for seed in first..first + number("RADDLE_TABLES", 2_000) {
        let mut dice = Dice((seed as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let read = [table, table, ratings, texts][dice.roll(4)](&path, &mut dice);
        if let Err((why, text)) = read {
            panic!("table {seed}: {why}\n{:?}", text.chars().take(1_500).collect::<String>());
        }
    }
}
