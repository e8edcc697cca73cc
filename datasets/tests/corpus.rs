//! Corpora: every format gives the same documents for any number of threads, and errors name the line.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use flate2::{Compression, write::GzEncoder};
use proptest::prelude::*;
use raddle_datasets::registry::{self, SetKind, verified_sets};
use raddle_datasets::{
    Corpus, CorpusFormat, CorpusOptions, Dialect, ReadError, embedded, is_test_document, read_any_corpus,
    read_corpus,
};
use tempfile::TempDir;

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn write(name: &str, content: &[u8]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    (folder, path)
}

fn with_threads(path: &Path, threads: usize) -> Result<Corpus, ReadError> {
    read_corpus(path, &CorpusOptions { threads, ..CorpusOptions::default() })
}

/// Returns the content of the corpus, without its source.
fn content(corpus: &Corpus) -> (usize, Vec<Vec<(u32, u16)>>) {
    let documents = (0..corpus.documents()).map(|document| corpus.document(document).collect());
    (corpus.words(), documents.collect())
}

/// Reads the text plain, with CR LF, and gzipped, with 1, 2 and 5 threads: all results must be equal.
fn read_every_way(name: &str, text: &str) -> (usize, Vec<Vec<(u32, u16)>>) {
    let mut read = Vec::new();
    for text in [text.to_owned(), text.replace('\n', "\r\n")] {
        for bytes in [text.clone().into_bytes(), gzip(text.as_bytes())] {
            let (_folder, path) = write(name, &bytes);
            read.extend([1, 2, 5].map(|threads| content(&with_threads(&path, threads).unwrap())));
        }
    }
    assert!(read.iter().all(|other| *other == read[0]), "{name}");
    read.swap_remove(0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]
    #[test]
    fn bags_of_words_are_read_back(
        documents in proptest::collection::vec(proptest::collection::btree_map(0u32..40, 1u16..9, 0..12), 1..30),
        shuffled in any::<bool>(),
    ) {
        prop_assume!(documents.iter().any(|document| !document.is_empty()));
        let mut entries: Vec<(usize, u32, u16)> = Vec::new();
        for (number, document) in documents.iter().enumerate() {
            entries.extend(document.iter().map(|(&word, &count)| (number, word, count)));
        }
        if shuffled {
            entries.sort_by_key(|&(document, word, _)| (word.wrapping_mul(2_654_435_761), document));
        }
        let expected: Vec<Vec<(u32, u16)>> =
            documents.iter().map(|document| document.iter().map(|(&word, &count)| (word, count)).collect()).collect();
        let lines = entries.iter().fold(String::new(), |mut text, (document, word, count)| {
            writeln!(text, "{} {} {count}", document + 1, word + 1).unwrap();
            text
        });
        let sizes = (documents.len(), entries.len());
        let docword = format!("{}\n40\n{}\n{lines}", sizes.0, sizes.1);
        prop_assert_eq!(read_every_way("docword.test.txt", &docword), (40, expected.clone()));
        let market = format!(
            "%%MatrixMarket matrix coordinate integer general\n% made\n{} 40 {}\n{lines}", sizes.0, sizes.1
        );
        prop_assert_eq!(read_every_way("test.mtx", &market), (40, expected));
    }
}

#[test]
fn text_is_read_line_by_line_and_file_by_file() {
    let text = "The ship, the Ship!\n\nA sea-captain at sea\nx";
    let (words, documents) = read_every_way("notes.txt", text);
    // The words are the, ship, sea, captain and at; a word of one letter is left out.
    assert_eq!(
        (words, documents),
        (5, vec![vec![(0, 2), (1, 2)], vec![], vec![(2, 2), (3, 1), (4, 1)], vec![]])
    );
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("b")).unwrap();
    for (name, text) in
        [("c.txt", "ship"), ("b/a.txt", "the sea"), ("a.txt", "sea\nship sea"), (".hidden", "never")]
    {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    for threads in [1, 2, 7] {
        let corpus = with_threads(folder.path(), threads).unwrap();
        let names: Vec<&str> = corpus.document_names.as_ref().unwrap().iter().collect();
        assert_eq!(names, ["a.txt", "b/a.txt", "c.txt"]);
        assert_eq!(corpus.vocabulary.as_ref().unwrap().iter().collect::<Vec<_>>(), ["sea", "ship", "the"]);
        assert_eq!(content(&corpus).1, [vec![(0, 2), (1, 1)], vec![(0, 1), (2, 1)], vec![(1, 1)]]);
    }
}

#[test]
fn a_long_text_has_the_same_words_for_any_number_of_threads() {
    let mut text = String::new();
    for line in 0..60_000u32 {
        let word = |n: u32| char::from(b'a' + (n % 26) as u8).to_string().repeat(3 + (n % 5) as usize);
        writeln!(text, "{} {} {}", word(line / 700), word(line.wrapping_mul(7919) / 13), word(line)).unwrap();
    }
    let (_folder, path) = write("long.txt", text.as_bytes());
    let one = with_threads(&path, 1).unwrap();
    for threads in [2, 3, 7] {
        assert!(with_threads(&path, threads).unwrap() == one, "{threads} threads");
    }
}

#[test]
fn lda_c_has_a_document_a_line_and_words_from_0() {
    let text = "3 0:1 2:4 5:1\n2 1:2 2:1\n0\n  2 5:2 0:3 \n\n";
    let expected = [vec![(0, 1), (2, 4), (5, 1)], vec![(1, 2), (2, 1)], vec![], vec![(0, 3), (5, 2)]];
    assert_eq!(read_every_way("few.ldac", text), (6, expected.to_vec()));
    // Documents are numbered across blocks.
    let long: String = (0..300_000).map(|at| format!("2 {}:1 7:{}\n", at % 7, 1 + at % 3)).collect();
    let (_folder, path) = write("long.ldac", long.as_bytes());
    let one = with_threads(&path, 1).unwrap();
    assert_eq!((one.documents(), one.words(), one.nonzeros()), (300_000, 8, 600_000));
    assert_eq!(one.document(299_999).collect::<Vec<_>>(), [(299_999 % 7, 1), (7, 1 + (299_999 % 3) as u16)]);
    assert!(with_threads(&path, 3).unwrap() == one);
    for (text, line, why) in [
        ("2 0:1 3:2\n2 0:1\n", 2, "1 pairs word:count, but the line says 2: was it cut off?"),
        ("1 0:1\n2 0:1 x:2\n", 2, "`x:2` is no pair word:count of whole numbers"),
        ("1 0:1\n1 0:1.5\n", 2, "`0:1.5` is no pair word:count of whole numbers"),
        ("1 0:1\n1 7\n", 2, "`7` is no pair word:count"),
        ("1 0:1\nx 0:1\n", 2, "`x` is no number of pairs"),
        ("1 0:1\n1 4294967295:1\n", 2, "the word 4294967295: at most"),
        ("1 0:1\n1 0:4294967296\n", 2, "at most 4294967295 can be counted"),
    ] {
        let (_folder, path) = write("bad.ldac", text.as_bytes());
        let options =
            |threads| CorpusOptions { format: Some(CorpusFormat::Ldac), threads, ..CorpusOptions::default() };
        for threads in [1, 3] {
            let error = read_corpus(&path, &options(threads)).unwrap_err();
            assert!(error.line() == Some(line) && error.to_string().contains(why), "{text:?}: {error}");
        }
    }
    // As many tokens as can be counted, and one more: on a line, and in total.
    let most = u64::from(u32::MAX);
    let full = |count: u64| (0..count).map(|word| format!(" {word}:{most}")).collect::<String>();
    let (_folder, path) = write("most.ldac", format!("17{} 16:16\n1 0:0\n", full(16)).as_bytes());
    assert_eq!(with_threads(&path, 1).unwrap().tokens(), 1 << 36);
    let why = "with this the counts come to more than 68719476736 tokens: are they counts?";
    let (_folder, path) = write("line.ldac", format!("1 0:1\n17{} 16:16\n", full(16)).as_bytes());
    let error = with_threads(&path, 1).unwrap_err();
    assert!(error.line() == Some(2) && error.to_string().ends_with(why), "{error}");
    let (many, some) = ("0\n".repeat(600_000), full(9));
    let (_folder, path) = write("blocks.ldac", format!("9{some}\n{many}9{some}\n").as_bytes());
    for threads in [1, 3] {
        let error = with_threads(&path, threads).unwrap_err();
        assert_eq!((error.line(), error.to_string()), (None, format!("{}: {why}", path.display())));
    }
    let (_folder, path) = write("large.ldac", b"1 4000000000:1\n1 0:1\n");
    let error = with_threads(&path, 1).unwrap_err().to_string();
    assert!(error.contains("4000000001 words are claimed"), "{error}");
}

#[test]
fn what_is_left_out_of_a_text_is_said_whatever_its_form() {
    let texts = ["a ship 42 x1", "I see 3.5 ships", ""];
    let plain: String = texts.iter().map(|text| format!("{text}\n")).collect();
    let csv: String = texts.iter().map(|text| format!("\n7,\"{text}\"")).collect();
    let json: String = texts.iter().map(|text| format!("{{\"body\": \"{text}\"}}\n")).collect();
    for (name, text, column) in [
        ("a.txt", plain, None),
        ("a.csv", format!("n,body{csv}\n"), Some("body")),
        ("a.jsonl", json, Some("body")),
    ] {
        let (_folder, path) = write(name, text.as_bytes());
        for threads in [1, 3] {
            let options =
                CorpusOptions { text: column.map(str::to_owned), threads, ..CorpusOptions::default() };
            let corpus = read_corpus(&path, &options).unwrap();
            assert_eq!((corpus.documents(), corpus.tokens()), (3, 4), "{name}");
            let said = "tokens left out: 2 of one letter, 2 numbers";
            assert!(corpus.notes.iter().any(|note| note == said), "{name}: {:?}", corpus.notes);
            assert_eq!(corpus.tokenizer, Some(options.tokenizer));
        }
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.txt"), "a ship\n42").unwrap();
    let notes = with_threads(folder.path(), 1).unwrap().notes;
    std::fs::write(folder.path().join("b.pdf"), "%PDF-1.4 ...").unwrap();
    let error = with_threads(folder.path(), 1).unwrap_err().to_string();
    assert!(error.contains("b.pdf: this is a PDF"), "{error}");
    assert_eq!(notes, ["tokens left out: 1 of one letter, 1 number"]);
}

#[test]
fn words_are_named_by_the_file_beside_the_counts() {
    let (folder, path) = write("docword.test.txt", b"1\n3\n1\n1 3 2\n");
    std::fs::write(folder.path().join("vocab.test.txt"), "sea\r\nship\r\nlog\r\n").unwrap();
    let corpus = with_threads(&path, 1).unwrap();
    assert_eq!(
        (corpus.word(0), corpus.word(2), corpus.name.as_str()),
        ("sea".into(), "log".into(), "docword")
    );
    std::fs::write(folder.path().join("vocab.test.txt"), "sea\nship\n").unwrap();
    let error = with_threads(&path, 1).unwrap_err().to_string();
    assert!(error.contains("vocab.test.txt: 2 words, but the corpus has 3"), "{error}");
    std::fs::write(folder.path().join("vocab.test.txt"), "sea\nship\nlog\nmast\n").unwrap();
    let error = with_threads(&path, 1).unwrap_err().to_string();
    assert!(error.contains("vocab.test.txt: 4 words, but the corpus has 3"), "{error}");
    for (words, line, why) in [
        (&b"sea\n\xff\nlog\n"[..], 2, "not UTF-8"),
        (b"sea\r\n\r\nlog\r\n", 2, "the line is empty"),
        (b"sea\nship\nlog\n\n", 4, "the line is empty"),
        (b"sea\nship\nsea\n", 3, "the word `sea` is in line 1, too"),
    ] {
        std::fs::write(folder.path().join("vocab.test.txt"), words).unwrap();
        let error = with_threads(&path, 1).unwrap_err();
        assert_eq!(error.line(), Some(line), "{error}");
        assert!(error.to_string().contains(why), "{error}");
    }
}

#[test]
fn a_text_is_read_over_a_given_vocabulary() {
    let (folder, path) = write("notes.txt", b"the ship at sea\n\nharbour, ship and ship");
    let words = folder.path().join("words.txt");
    std::fs::write(&words, "mast\nship\nharbour\n").unwrap();
    let options = CorpusOptions { vocabulary: Some(words.clone()), ..CorpusOptions::default() };
    let corpus = read_corpus(&path, &options).unwrap();
    assert_eq!(content(&corpus), (3, vec![vec![(1, 1)], vec![], vec![(1, 2), (2, 1)]]));
    assert_eq!((corpus.word(0), corpus.is_text), ("mast".into(), false));
    assert!(corpus.notes.iter().any(|note| note.starts_with("tokens left out: 4 of words that ")));
    std::fs::write(&words, "mast\nsail\n").unwrap();
    let error = read_corpus(&path, &options).unwrap_err().to_string();
    assert!(error.contains("no document has a word of") && error.contains("words.txt"), "{error}");
    std::fs::remove_file(&words).unwrap();
    assert!(read_corpus(&path, &options).unwrap_err().to_string().contains("words.txt: cannot read"));
    // A known corpus has its own vocabulary.
    let error = read_any_corpus("pydoc", &options).unwrap_err().to_string();
    assert!(error.starts_with("pydoc: a known corpus has its own vocabulary"), "{error}");
}

#[test]
fn sums_are_64_bit_and_counts_have_an_end() {
    let (_folder, path) = write("docword.test.txt", b"2\n2\n3\n1 1 4294967295\n1 2 1\n2 1 4294967295\n");
    let corpus = with_threads(&path, 2).unwrap();
    assert_eq!((corpus.tokens(), corpus.word_counts()), (8_589_934_591, vec![8_589_934_590, 1]));
    assert_eq!(corpus.document_frequencies(), [2, 1]);
    for count in ["4294967296", "1099511627776", "9223372036854775807"] {
        let text = format!("3\n4\n2\n1 1 1\n1 2 {count}\n");
        let (_folder, path) = write("docword.test.txt", text.as_bytes());
        let error = with_threads(&path, 1).unwrap_err();
        assert!(error.line() == Some(5) && error.to_string().contains("at most 4294967295"), "{error}");
    }
    let many = (1..=20).fold("1\n20\n20\n".to_owned(), |text, word| format!("{text}1 {word} 4294967295\n"));
    let (_folder, path) = write("docword.test.txt", many.as_bytes());
    let error = with_threads(&path, 1).unwrap_err();
    assert!(error.line() == Some(20) && error.to_string().contains("68719476736 tokens"), "{error}");
}

/// Counts of 0 are ignored; an entry that occurs twice counts twice.
#[test]
fn entries_of_nothing_and_entries_that_stand_twice_are_counted() {
    for text in ["2\n3\n4\n1 1 2\n1 1 3\n1 2 0\n2 3 1\n", "2\n3\n4\n2 3 1\n1 1 3\n1 2 0\n1 1 2\n"] {
        let (_folder, path) = write("docword.test.txt", text.as_bytes());
        for threads in [1, 3] {
            let corpus = with_threads(&path, threads).unwrap();
            assert_eq!((corpus.tokens(), corpus.word_counts()), (6, vec![5, 0, 1]), "{text:?}");
            assert_eq!((corpus.length(0), corpus.length(1)), (5, 1), "{text:?}");
            assert_eq!(corpus.document_frequencies(), [1, 0, 1], "{text:?}");
        }
    }
}

#[test]
fn claimed_sizes_are_believed_as_far_as_the_file_can_hold_them() {
    for (text, why) in [
        ("4000000000\n4\n1\n1 1 1\n", "4000000000 documents are claimed, but there are only 1 values"),
        ("3\n2000000000\n2\n1 1 1\n2 2000000000 3\n", "2000000000 words are claimed"),
    ] {
        let (_folder, path) = write("docword.test.txt", text.as_bytes());
        let error = with_threads(&path, 1).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn text_in_other_encodings_is_named_or_read() {
    let text = "the café at sea\nÄrger at sea\n";
    let latin: Vec<u8> = text.chars().map(|letter| letter as u8).collect();
    let (_folder, path) = write("notes.txt", &latin);
    let error = with_threads(&path, 2).unwrap_err();
    assert!(error.line() == Some(1) && error.to_string().contains("--encoding windows-1252"), "{error}");
    let read = |path: &Path, encoding: Option<&str>| {
        let encoding = encoding.map(|name| name.parse().unwrap());
        let dialect = Dialect { encoding, ..Dialect::default() };
        read_corpus(path, &CorpusOptions { dialect, ..CorpusOptions::default() })
    };
    let words = |corpus: Corpus| corpus.vocabulary.unwrap().iter().map(str::to_owned).collect::<Vec<_>>();
    let expected = ["the", "café", "at", "sea", "ärger"];
    assert_eq!(words(read(&path, Some("latin1")).unwrap()), expected);
    for mark in [&b"\xff\xfe"[..], b"\xfe\xff"] {
        let units = text
            .encode_utf16()
            .flat_map(|unit| if mark[0] == 0xff { unit.to_le_bytes() } else { unit.to_be_bytes() });
        let (_folder, path) = write("notes.txt", &[mark, &units.collect::<Vec<u8>>()].concat());
        assert_eq!(words(read(&path, None).unwrap()), expected);
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.txt"), "fine\nfine too\n").unwrap();
    std::fs::write(folder.path().join("b.txt"), [b"fine\n", &latin[..]].concat()).unwrap();
    let error = read(folder.path(), None).unwrap_err();
    assert!(error.line() == Some(2) && error.to_string().contains("b.txt:2: "), "{error}");
    assert_eq!(read(folder.path(), Some("latin1")).unwrap().documents(), 2);
}

#[test]
fn what_is_wrong_is_named_by_its_line() {
    for (name, text, line, why) in [
        ("docword.x.txt", "2\n3\n2\n1 1 1\n3 1 1\n", 5, "the document 3 lies outside of 1 to 2"),
        ("docword.x.txt", "2\n3\n2\n1 1 1\n0 1 1\n", 5, "the document 0 lies outside"),
        ("docword.x.txt", "2\n3\n2\n1 4 1\n1 1 1\n", 4, "the word 4 lies outside of 1 to 3"),
        ("docword.x.txt", "2\n3\n2\n1 1 1\n\n1 x 1\n", 6, "the word `x` is not a whole number"),
        ("docword.x.txt", "2\n3\n1\n1 1 -1\n", 4, "the count `-1` is not a whole number"),
        ("docword.x.txt", "2\n3\n1\n1 1\n", 4, "the count is missing"),
        ("docword.x.txt", "2\n3\n1\n1 1 1 1\n", 4, "more than the entry"),
        ("docword.x.txt", "2\n3\n1\n1 1 1.5\n", 4, "the count `1.5` is not a whole number of 0 or more"),
        ("docword.x.txt", "2\n3\n1\n1.5 1 1\n", 4, "the document `1.5` is not a whole number of 0 or more"),
        ("docword.x.txt", "2\n3\n1\n-1 1 1\n", 4, "the document `-1` is not a whole number of 0 or more"),
        ("docword.x.txt", "2\n3\n2\n1 1 1\n1 0 1\n", 5, "the word 0 lies outside of 1 to 3"),
        ("docword.x.txt", "2\n3\n1\n1\n", 4, "the word is missing"),
        ("docword.x.txt", "2\n0\n1\n1 1 1\n", 4, "the word 1 lies outside of 1 to 0"),
        ("docword.x.txt", "0\n3\n1\n1 1 1\n", 4, "the document 1 lies outside of 1 to 0"),
        ("docword.x.txt", "4294967296\n3\n1\n1 1 1\n", 1, "4294967296 documents: at most 4294967295"),
        ("docword.x.txt", "2\n4294967296\n1\n1 1 1\n", 2, "4294967296 words: at most 4294967295"),
        (
            "x.mtx",
            "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 1.5\n",
            3,
            "the count 1.5 is not a whole",
        ),
        (
            "x.mtx",
            "%%MatrixMarket matrix coordinate real general\n2 3 1\n3 1 1\n",
            3,
            "the row 3 lies outside of 1 to 2",
        ),
        ("x.mtx", "%%MatrixMarket matrix array real general\n2 3\n1\n", 1, "documents by words"),
        (
            "x.mtx",
            "%%MatrixMarket matrix coordinate real general\n2 3 1\n0 1 1\n",
            3,
            "the row 0 lies outside of 1 to 2",
        ),
        (
            "x.mtx",
            "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 0 1\n",
            3,
            "the column 0 lies outside of 1 to 3",
        ),
        (
            "x.mtx",
            "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 4 1\n",
            3,
            "the column 4 lies outside of 1 to 3",
        ),
        (
            "x.mtx",
            "%%MatrixMarket matrix coordinate real general\n2 3 1\nx 1 1\n",
            3,
            "the row `x` is not a whole number",
        ),
        (
            "x.mtx",
            "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 -1 1\n",
            3,
            "the column `-1` is not a whole number",
        ),
        (
            "x.mtx",
            "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1\n",
            3,
            "the count: there is no number",
        ),
        (
            "x.mtx",
            "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 inf\n",
            3,
            "the count: `inf` is infinite",
        ),
        (
            "x.mtx",
            "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 nan\n",
            3,
            "the count: `nan` is not a number",
        ),
        (
            "x.mtx",
            "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 -2\n",
            3,
            "the count -2 is not a whole number of 0 or more",
        ),
        (
            "x.mtx",
            "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 1e17\n",
            3,
            "the count 100000000000000000 is not a whole number",
        ),
        (
            "x.mtx",
            "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 4294967296\n",
            3,
            "the count 4294967296: at most 4294967295",
        ),
        (
            "x.mtx",
            "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 1 1\n",
            3,
            "`1` is more than the entry",
        ),
        (
            "x.mtx",
            "%%MatrixMarket matrix coordinate real general\n5000000000 3 1\n1 1 1\n",
            2,
            "the first two below 4294967296",
        ),
        (
            "x.mtx",
            "%%MatrixMarket matrix coordinate pattern general\n2 3 1\n1 1 1\n",
            3,
            "`1` is more than the entry",
        ),
        ("x.mtx", "%%MatrixMarket matrix coordinate real general\n2 3\n1\n", 2, "the size line"),
    ] {
        for text in [text.to_owned(), text.replace('\n', "\r\n")] {
            for bytes in [text.clone().into_bytes(), gzip(text.as_bytes())] {
                let (_folder, path) = write(name, &bytes);
                for threads in [1, 3] {
                    let error = with_threads(&path, threads).unwrap_err();
                    assert_eq!(error.line(), Some(line), "{text:?}: {error}");
                    assert!(error.to_string().contains(why), "{error}");
                }
            }
        }
    }
}

#[test]
fn files_as_a_whole() {
    let fails = |name: &str, bytes: &[u8], why: &str| {
        let (_folder, path) = write(name, bytes);
        let error = with_threads(&path, 1).unwrap_err().to_string();
        assert!(error.contains(why) && error.contains(name), "{error}");
    };
    fails("docword.x.txt", b"2\n3\n2\n1 1 1\n", "1 entries, but the third line says 2");
    fails("docword.x.txt", b"2\n3\n1\n1 1 1\n2 1 1\n", "2 entries, but the third line says 1");
    fails("docword.x.txt", b"2\n3\n0\n1 1 1\n", "1 entries, but the third line says 0");
    fails("docword.x.txt", b"2\n3\n0\n", "no document has a word");
    fails("docword.x.txt", b"2\n3\n1\n1 1 0\n", "no document has a word");
    let banner = "%%MatrixMarket matrix coordinate integer general\n";
    fails("x.mtx", format!("{banner}2 3 2\n1 1 1\n").as_bytes(), "1 entries, but the size line says 2");
    fails(
        "x.mtx",
        format!("{banner}2 3 1\n1 1 1\n2 1 1\n").as_bytes(),
        "2 entries, but the size line says 1",
    );
    fails("x.mtx", format!("{banner}% cut\n").as_bytes(), "there is no size line: was the file cut off?");
    fails("docword.x.txt", b"", "the file is empty");
    fails("picture", b"\x89PNG\0\0", "not recognised");
    fails("archive", b"BZh9", "bunzip2");
    let whole = gzip("1 1 1\n".repeat(200_000).as_bytes());
    fails("cut.gz", &whole[..whole.len() / 2], "cut off");
    let options = CorpusOptions { format: Some(CorpusFormat::Docword), ..CorpusOptions::default() };
    for (text, line, what) in [
        ("two\n3\n1\n1 1 1\n", 1, "documents"),
        ("2\n3.5\n1\n1 1 1\n", 2, "words"),
        ("2\n-3\n1\n1 1 1\n", 2, "words"),
        ("2\n3\n1 1 1\n", 3, "entries"),
        ("2\n3\n", 3, "entries"),
    ] {
        let (_folder, path) = write("docword.x.txt", text.as_bytes());
        let error = read_corpus(&path, &options).unwrap_err();
        let why = format!("expected the number of {what} alone on the line");
        assert!(error.line() == Some(line) && error.to_string().ends_with(&why), "{text:?}: {error}");
    }
    let empty = tempfile::tempdir().unwrap();
    assert!(with_threads(empty.path(), 1).unwrap_err().to_string().contains("the folder has no files"));
    let error = read_any_corpus("nothing", &CorpusOptions::default()).unwrap_err().to_string();
    assert!(error.contains("known are pydoc (embedded), ap, 20ng"), "{error}");
}

#[test]
fn the_embedded_corpus_is_whole() {
    let corpus = embedded::pydoc();
    assert_eq!((corpus.documents(), corpus.words(), corpus.tokens()), (313, 3_191, 131_948));
    assert_eq!(corpus.vocabulary.as_ref().map(raddle_datasets::Vocabulary::len), Some(3_191));
    assert!(corpus.document_frequencies().iter().all(|&modules| modules < 313));
}

#[test]
fn public_corpora_have_the_registered_sizes() {
    for set in verified_sets(SetKind::Corpus) {
        let Some(corpus) = registry::real_corpus(set.name) else { return };
        let train = (0..corpus.documents()).filter(|&document| !is_test_document(document));
        let train = train.map(|document| corpus.length(document)).sum::<u64>() as usize;
        let tokens = corpus.tokens() as usize;
        let sizes = [corpus.documents(), corpus.words(), corpus.nonzeros(), tokens, train];
        let nouns = ["documents", "words", "nonzeros", "tokens", "train_tokens"];
        assert_eq!(sizes.map(Some), nouns.map(|noun| set.count(noun)), "{}", set.name);
    }
}

/// Returns the documents of a table, with their names.
fn documents(corpus: &Corpus) -> Vec<(String, Vec<String>)> {
    let names = corpus.document_names.as_ref();
    let words = |document| corpus.document(document).map(|(word, _)| corpus.word(word)).collect();
    let name = |document| names.and_then(|names| names.get(document)).unwrap_or_default().to_owned();
    (0..corpus.documents()).map(|document| (name(document), words(document))).collect()
}

#[test]
fn texts_come_from_a_column_of_a_table() {
    let csv = "url,body,n\n/a,\"The ship,\nat sea\",1\n/b,,2\n\"/c \"\"x\"\"\",a harbour,3\n";
    let json = "{\"url\": \"/a\", \"body\": \"The ship,\\nat sea\", \"n\": 1}\n\n{\"body\": null, \"url\": \"/b\"}\n\
                {\"url\": \"/c \\\"x\\\"\", \"body\": \"a harbour\"}";
    let row = |name: &str, words: &[&str]| {
        (name.to_owned(), words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>())
    };
    let expected = [row("/a", &["the", "ship", "at", "sea"]), row("/b", &[]), row("/c \"x\"", &["harbour"])];
    for (name, text) in [("posts.csv", csv), ("posts.jsonl", json)] {
        for bytes in [text.as_bytes().to_vec(), gzip(text.as_bytes())] {
            let (_folder, path) = write(name, &bytes);
            for threads in [1, 3] {
                let options = CorpusOptions {
                    text: Some("body".into()),
                    id: Some("url".into()),
                    threads,
                    ..CorpusOptions::default()
                };
                let corpus = read_corpus(&path, &options).unwrap();
                assert_eq!(documents(&corpus), expected, "{name}");
                assert_eq!(corpus.format, if name.ends_with("csv") { "csv" } else { "jsonl" });
            }
        }
    }
}

#[test]
fn columns_of_texts_that_are_not_there_are_refused() {
    for (text, wanted, line, why) in [
        ("url,body\n/a,x\n", "text", None, "--text text: there is no such column: the columns are url, body"),
        (
            "{\"b\": \"b\"}\n{\"c\": 1}\n",
            "a",
            None,
            "--text a: there is no such field: the first object has b",
        ),
        ("{\"a\": \"b\"}\n{\"a\": [1]}\n", "a", Some(2), "neither a text nor a number"),
        ("{\"a\": \"b\"}\n{\"a\": \n", "a", Some(2), "no JSON object"),
        ("[{\"a\": \"b\"}]", "a", Some(1), "a JSON array: write its objects a line each"),
        ("url,body\n/a,x,y\n", "body", Some(2), "3 cells divided by `,` where the first line has 2"),
    ] {
        let (_folder, path) = write("posts", text.as_bytes());
        let options = CorpusOptions { text: Some(wanted.into()), ..CorpusOptions::default() };
        let error = read_corpus(&path, &options).unwrap_err();
        assert!(error.line() == line && error.to_string().contains(why), "{error}");
    }
    let (_folder, path) = write("posts.jsonl", b"{\"a\": \"b\"}\n");
    let error = read_corpus(&path, &CorpusOptions::default()).unwrap_err().to_string();
    assert!(error.contains("this is JSON: name the field of the texts by --text NAME"), "{error}");
    let (_folder, path) = write("docword.x.txt", b"1\n1\n1\n1 1 1\n");
    let options = CorpusOptions {
        format: Some(CorpusFormat::Docword),
        text: Some("a".into()),
        ..CorpusOptions::default()
    };
    let error = read_corpus(&path, &options).unwrap_err().to_string();
    assert!(error.contains("--text names a column of csv, jsonl or parquet, and this is docword"), "{error}");
}

#[cfg(feature = "parquet")]
#[test]
fn texts_come_from_parquet() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tables/houses.parquet");
    let options =
        CorpusOptions { text: Some("city".into()), id: Some("rooms".into()), ..CorpusOptions::default() };
    let corpus = read_corpus(path, &options).unwrap();
    assert_eq!((corpus.documents(), corpus.format.as_str()), (40, "parquet"));
    assert!(corpus.vocabulary.unwrap().iter().all(|city| ["oslo", "bergen", "trondheim"].contains(&city)));
}
