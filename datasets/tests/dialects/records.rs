//! Records that an independent writer wrote come back one for one from the readers of tables, ratings and
//! texts, whatever their cells hold.

use std::io::Write as _;
use std::path::Path;

use csv::{QuoteStyle, Terminator, WriterBuilder};
use flate2::{Compression, write::GzEncoder};
use raddle_datasets::{
    Classes, CorpusOptions, Dialect, Options, RatingsOptions, Separator, read, read_corpus, read_ratings,
};

use super::dice::{Dice, number};
use super::drawn::zstd;

const PIECES: [&str; 24] = [
    "#", "# ", "\"", "\"\"", ",", ";", "\t", "|", "::", "\n", "\r", "\r\n", " ", "é", "漢字", "🙂",
    "\u{feff}", "\u{2028}", "x", "sep=;", "5", "-", ".", "'",
];

/// A record: user, item, rating and note.
type Record = [String; 4];

fn cell(dice: &mut Dice, end: &str) -> String {
    let pieces = (0..dice.roll(5)).map(|_| PIECES[dice.roll(PIECES.len())]).collect::<String>();
    // A letter that makes it a text.
    let letter = ["w", "ß", "語"][dice.roll(3)];
    if dice.roll(2) == 0 { format!("{pieces}{letter}{end}") } else { format!("{letter}{pieces}{end}") }
}

fn record(dice: &mut Dice) -> Record {
    let rating = format!("{}", (1 + dice.roll(9)) as f64 / 2.0);
    [cell(dice, ""), cell(dice, ""), rating, cell(dice, " harbour")]
}

/// The records as text, and how it is read.
fn written(records: &[Record], dice: &mut Dice) -> (Vec<u8>, Dialect, String) {
    let delimiter = b",;\t| "[dice.roll(5)];
    let terminator = [Terminator::CRLF, Terminator::Any(b'\n'), Terminator::Any(b'\r')][dice.roll(3)];
    // Between blanks an empty cell, and one that begins with them, needs its quotes.
    let style =
        if delimiter == b' ' || dice.roll(4) == 0 { QuoteStyle::Always } else { QuoteStyle::Necessary };
    let mut writer = WriterBuilder::new()
        .delimiter(delimiter)
        .terminator(terminator)
        .quote_style(style)
        .has_headers(false)
        .from_writer(Vec::new());
    let no_header = dice.roll(3) == 0;
    if !no_header {
        writer.write_record(["user", "item", "rating", "note"]).unwrap();
    }
    records.iter().for_each(|record| writer.write_record(record).unwrap());
    let mut text = writer.into_inner().unwrap();
    let separator = if delimiter == b' ' { Separator::Blanks } else { Separator::Byte(delimiter) };
    let is_said = no_header || delimiter == b' ' || dice.roll(4) == 0;
    let header = no_header.then_some(false);
    let dialect = Dialect { separator: is_said.then_some(separator), header, ..Dialect::default() };
    // Without a mark of its own a text's first letter would be one.
    if dice.roll(4) == 0 || text.starts_with("\u{feff}".as_bytes()) {
        text.splice(0..0, "\u{feff}".bytes());
    }
    if dice.roll(8) == 0 {
        let text16 = String::from_utf8(text.clone()).unwrap();
        let text16 = text16.strip_prefix('\u{feff}').unwrap_or(&text16);
        text = [0xff, 0xfe].into_iter().chain(text16.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    }
    let about = format!("{dialect:?} {terminator:?} {style:?}");
    (text, dialect, about)
}

/// Bytes of a text as it is, by gzip, or as a frame of zstd that is not compressed.
fn packed(text: Vec<u8>, dice: &mut Dice) -> Vec<u8> {
    match dice.roll(8) {
        0 => {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(&text).unwrap();
            encoder.finish().unwrap()
        }
        1 => zstd(&text),
        _ => text,
    }
}

/// Blanks around a cell do not count.
fn same(read: &str, written: &str) -> bool {
    read.trim() == written.trim()
}

fn check(path: &Path, records: &[Record], dialect: Dialect, dice: &mut Dice) -> Result<(), String> {
    let threads = 1 + dice.roll(2);
    let name = |name: &str, number: usize| {
        if dialect.header == Some(false) { number.to_string() } else { name.into() }
    };
    let wrong = |at: usize, what: &str, read: &str| Err(format!("record {at}, {what}: `{read}`"));

    let mut options =
        Options { y: Some(name("item", 2)), classes: Classes::Any, dialect, threads, ..Options::default() };
    options.columns.columns = vec![name("rating", 3)];
    options.cache = (dice.roll(10) == 0).then(|| path.with_file_name("cache"));
    for _ in 0..1 + usize::from(options.cache.is_some()) {
        let table = read(path, &options).map_err(|error| error.to_string())?;
        let (classes, x) = (table.classes.unwrap_or_default(), table.x.to_dense());
        if table.y.len() != records.len() {
            return Err(format!("a table of {} rows", table.y.len()));
        }
        for (at, [_, item, rating, _]) in records.iter().enumerate() {
            let read = &classes[table.y[at] as usize];
            if !same(read, item) || x[(at, 0)].to_string() != *rating {
                return wrong(at, "item", read);
            }
        }
    }

    let columns = Some(vec![name("user", 1), name("item", 2), name("rating", 3)]);
    let options =
        RatingsOptions { columns, dialect, threads, keep_repeated: true, ..RatingsOptions::default() };
    let ratings = read_ratings(path, &options).map_err(|error| error.to_string())?;
    if ratings.triples.len() != records.len() {
        return Err(format!("{} ratings", ratings.triples.len()));
    }
    for (at, ((user, item, value), record)) in ratings.triples.iter().zip(records).enumerate() {
        let (user, item) = (ratings.users.name(user as usize), ratings.items.name(item as usize));
        if !same(&user, &record[0]) || !same(&item, &record[1]) || value.to_string() != record[2] {
            return wrong(at, "rating", &format!("{user} {item} {value}"));
        }
    }

    let (text, id) = (Some(name("note", 4)), Some(name("user", 1)));
    let options = CorpusOptions { text, id, dialect, threads, ..CorpusOptions::default() };
    texts(path, records, &options)
}

fn texts(path: &Path, records: &[Record], options: &CorpusOptions) -> Result<(), String> {
    let corpus = read_corpus(path, options).map_err(|error| error.to_string())?;
    let names = corpus.document_names.clone().unwrap_or_default();
    if corpus.documents() != records.len() || names.len() != records.len() {
        return Err(format!("{} documents", corpus.documents()));
    }
    for (at, record) in records.iter().enumerate() {
        let read = names.get(at).unwrap_or_default();
        let has_word = corpus.document(at).any(|(word, _)| corpus.word(word) == "harbour");
        if !same(read, &record[0]) || !has_word {
            return Err(format!("document {at}: `{read}`"));
        }
    }
    Ok(())
}

/// `RADDLE_RECORDS` sets how many.
#[test]
fn records_of_independent_writers_come_back_one_for_one() {
    let (wanted, folder) = (number("RADDLE_RECORDS", 25_000), tempfile::tempdir().unwrap());
    let (mut dice, mut count, mut tables) = (Dice(number("RADDLE_RECORDS_SEED", 1) as u64), 0, 0);
    while count < wanted {
        let records: Vec<Record> = (0..1 + dice.roll(160)).map(|_| record(&mut dice)).collect();
        let (text, dialect, about) = written(&records, &mut dice);
        let path = folder.path().join("table");
        std::fs::write(&path, packed(text.clone(), &mut dice)).unwrap();
        if let Err(why) = check(&path, &records, dialect, &mut dice) {
            panic!(
                "table {tables}, {about}: {why}\n{:?}",
                String::from_utf8_lossy(&text[..text.len().min(2_000)])
            );
        }
        // JSON lines, by serde.
        let end = ["\n", "\r\n", "\r"][dice.roll(3)];
        let line =
            |[user, _, _, note]: &Record| serde_json::json!({"user": user, "note": note}).to_string() + end;
        std::fs::write(&path, packed(records.iter().map(line).collect::<String>().into_bytes(), &mut dice))
            .unwrap();
        let (text, id) = (Some("note".into()), Some("user".into()));
        texts(&path, &records, &CorpusOptions { text, id, ..CorpusOptions::default() }).unwrap();
        (count, tables) = (count + records.len(), tables + 1);
    }
    assert!(tables > 10 || wanted < 10_000, "{tables}");
}
