//! Files of every format, changed at random: what is read, or refused with a sentence, never panics and never
//! hangs.
//!
//! The seconds are those of `RADDLE_MUTATE_SECONDS`, 15 unless it is set; `RADDLE_MUTATE_SEED` names the
//! first of the changes, which follow each other by number, so that a failure can be repeated.

#![allow(clippy::disallowed_types, reason = "it runs for so many seconds")]

use std::env;
use std::io::{Cursor, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use flate2::{Compression, write::GzEncoder};
use raddle_datasets::{
    ColumnOptions, CorpusOptions, Dialect, Encoding, Missing, Options, Quotes, RatingsOptions, ReadError,
    Separator, TextEncoding, Tokenizer, Words, read, read_corpus, read_ratings, read_samples,
    read_stop_words,
};

/// No file of a few hundred bytes takes longer, on a busy machine either.
const LONGEST: Duration = Duration::from_secs(5);

/// Fewer changes than this have tried nothing.
const LEAST: u64 = 100;

/// Numbers by address: the generator has no state that a failure would hide.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % sides.max(1) as u64) as usize
    }

    fn range(&mut self, length: usize) -> std::ops::Range<usize> {
        let start = self.roll(length + 1);
        start..start + self.roll((length - start).min(24) + 1)
    }
}

const TOKENS: [&[u8]; 36] = [
    b"0",
    b"-1",
    b"1",
    b"4294967295",
    b"4294967296",
    b"9223372036854775807",
    b"18446744073709551616",
    b"1e999",
    b"-1e308",
    b"nan",
    b"inf",
    b"NA",
    b"",
    b"\"",
    b"\"\"",
    b",",
    b";",
    b"\t",
    b" ",
    b"\n",
    b"\r\n",
    b"\n\n",
    b"#",
    b":",
    b"::",
    b"\0",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\xc3",
    b"%%MatrixMarket",
    b"{",
    b"[",
    b"4000000000",
    b"|",
    b"2001-02-29",
];

fn mutated(files: &[Vec<u8>], dice: &mut Dice) -> Vec<u8> {
    let mut file = files[dice.roll(files.len())].clone();
    for _ in 0..1 + dice.roll(4) {
        let range = dice.range(file.len());
        match dice.roll(8) {
            0 if !file.is_empty() => {
                let at = dice.roll(file.len());
                file[at] ^= 1 << dice.roll(8);
            }
            1 => drop(file.drain(range)),
            2 => {
                let part = file[range].to_vec();
                let at = dice.roll(file.len() + 1);
                file.splice(at..at, part);
            }
            3 => file.truncate(range.start),
            4 => {
                let other = &files[dice.roll(files.len())];
                let part = other[dice.range(other.len())].to_vec();
                file.splice(range, part);
            }
            5 => {
                // A number, or what stands in the place of one.
                let is_digit = |at: &usize| file[*at].is_ascii_digit();
                let digits: Vec<usize> = (0..file.len()).filter(is_digit).collect();
                if let Some(&at) = digits.get(dice.roll(digits.len())) {
                    file.splice(at..=at, TOKENS[dice.roll(12)].iter().copied());
                }
            }
            _ => drop(file.splice(range, TOKENS[dice.roll(TOKENS.len())].iter().copied())),
        }
    }
    file
}

fn npy(kind: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let length = u16::try_from(header.len()).unwrap().to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), data].concat()
}

fn numbers(values: &[f64]) -> Vec<u8> {
    npy(
        "<f8",
        &format!("({},)", values.len()),
        &values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>(),
    )
}

fn npz(arrays: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, array) in arrays {
        let stored =
            zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        archive.start_file(format!("{name}.npy"), stored).unwrap();
        archive.write_all(array).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// A small whole file of every format.
fn files() -> Vec<Vec<u8>> {
    let word = |word: &str| npy(&format!("|S{}", word.len()), "()", word.as_bytes());
    let sparse = |format: &str, arrays: &[(&str, &[f64])]| {
        let mut all: Vec<(&str, Vec<u8>)> =
            arrays.iter().map(|(name, array)| (*name, numbers(array))).collect();
        all.push(("format", word(format)));
        all.push(("y", numbers(&[1.0, 2.0])));
        npz(&all)
    };
    let texts: [&str; 18] = [
        "1 1:2 3:4\n-1 2:5 # note\n1 qid:1 1:3\n",
        "a,b,y\n1,2,3\n4,5,6\n7,8,10\n",
        "id;city;x;y\na;Oslo;1;2\nb;Rome;;3\nc;Oslo;4;5\n",
        "\"x, m\",note,y\r\n1,\"a\r\nb\",2\r\n3,\"c \"\"d\"\"\",4\r\n",
        "1\n2\n3\n",
        "%%MatrixMarket matrix coordinate real general\n% c\n3 3 3\n1 1 2\n2 2 3\n3 3 1\n",
        "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n",
        "user,item,rating,timestamp\n1,10,3,100\n2,10,4,200\n1,20,5,2001-01-01\n",
        "1::10::4::978300760\n2::10::3::978302109\n",
        "anna\talien\t4\nben\t\"up, and\"\t3\n",
        "0 1 3.5\n1 0 2\n",
        "3\n4\n3\n1 1 2\n2 3 1\n3 4 1\n",
        "3 0:1 2:4 5:1\n0\n2 1:2 2:1\n",
        "the ship at sea\n\nthe harbour\n",
        "味道 不错\nL'élève re\u{301}el हिन्दी, covid19 我喜欢北京天气很好\n",
        "{\"url\": \"/a\", \"body\": \"the ship\"}\n{\"url\": 2, \"body\": null}\n",
        "url,body\n/a,\"the ship, at sea\"\n/b,the harbour\n",
        "sea\nship\nharbour\nlog\n",
    ];
    let mut files: Vec<Vec<u8>> = texts.iter().map(|text| text.as_bytes().to_vec()).collect();
    files.extend([
        npy("<f8", "(2, 2)", &[1.0_f64, 2.0, 3.0, 4.0].map(f64::to_le_bytes).concat()),
        npz(&[("X", npy("<f4", "(2, 1)", &[0; 8])), ("y", numbers(&[1.0, 2.0]))]),
        sparse(
            "csr",
            &[
                ("indptr", &[0.0, 1.0, 2.0]),
                ("indices", &[0.0, 1.0]),
                ("data", &[1.0, 2.0]),
                ("shape", &[2.0, 2.0]),
            ],
        ),
        sparse(
            "coo",
            &[("row", &[0.0, 1.0]), ("col", &[0.0, 1.0]), ("data", &[1.0, 2.0]), ("shape", &[2.0, 2.0])],
        ),
        sparse("dia", &[("offsets", &[0.0, 1.0]), ("data", &[1.0, 2.0]), ("shape", &[2.0, 2.0])]),
        texts[1]
            .encode_utf16()
            .fold(b"\xff\xfe".to_vec(), |bytes, unit| [bytes, unit.to_le_bytes().to_vec()].concat()),
    ]);
    let tables = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tables");
    for name in ["houses.csv.zst", "houses.csv.gz", "houses.parquet", "houses.zstd.parquet"] {
        files.push(std::fs::read(tables.join(name)).unwrap());
    }
    files.extend([gzip(texts[0].as_bytes()), gzip(texts[11].as_bytes())]);
    files
}

/// How delimited text is said to be written, mostly not at all.
fn chosen(dice: &mut Dice) -> Dialect {
    let separators = [Separator::Byte(b';'), Separator::Byte(b'\t'), Separator::Blanks, Separator::Colons];
    let mut dialect = Dialect::default();
    if dice.roll(4) == 0 {
        dialect.separator = Some(separators[dice.roll(4)]);
    }
    if dice.roll(4) == 0 {
        dialect.decimal = Some([',', '.'][dice.roll(2)]);
    }
    if dice.roll(6) == 0 {
        dialect.thousands = Some(['.', ',', ' ', '\''][dice.roll(4)]);
    }
    dialect
}

/// Result of a reader: the file was read, or refused.
type Outcome = Result<(), ReadError>;

/// Every way to read a file. Which options are given is by chance.
fn readers(path: &Path, dice: &mut Dice) -> Vec<(&'static str, Outcome)> {
    let encoding: Option<TextEncoding> = match dice.roll(6) {
        0 => "latin1".parse().ok(),
        1 => "utf-16le".parse().ok(),
        _ => None,
    };
    let y = [None, Some("y"), Some("1"), Some("-1")][dice.roll(4)].map(str::to_owned);
    let missing = [Missing::Refuse, Missing::Mean, Missing::Drop][dice.roll(3)];
    let columns = ColumnOptions { missing, max_levels: dice.roll(5), ..ColumnOptions::default() };
    let columns = if dice.roll(2) == 0 { ColumnOptions::default() } else { columns };
    let threads = 1 + dice.roll(3);
    let header = [Some(false), Some(true), None, None, None, None, None, None][dice.roll(8)];
    let quotes = [Some(Quotes::Letters), Some(Quotes::Double), None, None, None, None][dice.roll(6)];
    let cache = (dice.roll(4) == 0).then(|| path.with_file_name("cache"));
    let dialect = Dialect { encoding, header, quotes, ..chosen(dice) };
    let table = Options { y, columns, dialect, threads, cache, ..Options::default() };
    let plain = Dialect { encoding, ..Dialect::default() };
    let whole = Options { threads, dialect: plain, ..Options::default() };
    let names = ["a", "b", "x"].map(str::to_owned);
    let repeat = Options {
        repeat: Some(Encoding::of_numbers(&names[..1 + dice.roll(3)])),
        width: Some(dice.roll(4) as u32),
        zero_based: dice.roll(8) == 0,
        ..whole.clone()
    };
    let ratings = RatingsOptions { times: dice.roll(2) == 0, dialect, threads, ..Default::default() };
    let words = [Words::Unicode, Words::Blanks][dice.roll(2)];
    let tokenizer = Tokenizer::new(words, [None, Some(1), Some(3)][dice.roll(3)]);
    let may_be_empty = dice.roll(3) == 0;
    let corpus =
        CorpusOptions { dialect: plain, threads, tokenizer, may_be_empty, ..CorpusOptions::default() };
    let texts =
        CorpusOptions { dialect, text: Some("body".into()), id: Some("url".into()), ..corpus.clone() };
    let counts = path.with_file_name("docword.fixed.txt");
    let named = CorpusOptions { vocabulary: Some(path.into()), ..corpus.clone() };
    let name = path.to_string_lossy();
    let done = |_| ();
    vec![
        ("table", read(path, &table).map(|_| ())),
        ("table as it is", read(path, &whole).map(|_| ())),
        ("samples", read_samples(&name, &whole).map(|_| ())),
        ("samples of a model", read_samples(&name, &repeat).map(|_| ())),
        ("ratings", read_ratings(path, &ratings).map(|_| ())),
        ("corpus", read_corpus(path, &corpus).map(|_| ())),
        ("texts of a table", read_corpus(path, &texts).map(|_| ())),
        ("vocabulary", read_corpus(counts, &named).map(|_| ())),
        ("stop words", read_stop_words(path).map(|_| ()).map(done)),
    ]
}

#[test]
fn changed_files_are_read_or_refused_with_a_sentence() {
    let number =
        |name: &str, usual: u64| env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual);
    let (seconds, first) = (number("RADDLE_MUTATE_SECONDS", 4), number("RADDLE_MUTATE_SEED", 0));
    let (files, folder) = (files(), tempfile::tempdir().unwrap());
    std::fs::write(folder.path().join("docword.fixed.txt"), "1\n4\n1\n1 4 2\n").unwrap();
    let began = Instant::now();
    let (mut seed, mut read) = (first, 0_u64);
    // However busy the machine is, some are tried.
    while seconds > 0 && (began.elapsed() < Duration::from_secs(seconds) || seed - first < LEAST) {
        let mut dice = Dice(seed.wrapping_mul(0xD6E8_FEB8_6659_FD93));
        let content = mutated(&files, &mut dice);
        // Inside of an archive as well, so that its sums are right.
        let content = if dice.roll(10) == 0 { gzip(&content) } else { content };
        let path: PathBuf = folder.path().join("file");
        std::fs::write(&path, &content).unwrap();
        let start = Instant::now();
        let outcomes = catch_unwind(AssertUnwindSafe(|| readers(&path, &mut dice)));
        let kept = || {
            let kept = env::temp_dir().join(format!("raddle-mutated-{seed}"));
            let _ = std::fs::write(&kept, &content);
            format!("change {seed}, kept as {}", kept.display())
        };
        let outcomes = outcomes.unwrap_or_else(|_| panic!("a reader panics: {}", kept()));
        assert!(start.elapsed() < LONGEST, "{:?}: {}", start.elapsed(), kept());
        for (reader, outcome) in outcomes {
            match outcome {
                Ok(()) => read += 1,
                Err(error) => {
                    let said = error.to_string();
                    let is_sentence = said.len() > 10 && !said.trim().contains('\n');
                    assert!(is_sentence, "{reader}: {said:?}: {}", kept());
                }
            }
        }
        seed += 1;
    }
    let tried = seed - first;
    println!("{tried} changes from {first}, {read} files read");
    assert!(seconds == 0 || (tried >= LEAST && read > 0), "{tried} changes tried nothing");
}
