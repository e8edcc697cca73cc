//! A file of pieces has the content that the readers would hold in memory.

use std::fs;
use std::io::{Seek as _, SeekFrom, Write as _};

use super::StoredCorpus;
use crate::corpus::CorpusOptions;
use crate::named::read_any_corpus;

/// A bag of words of 300 documents; the second has no words, and some counts exceed 16 bits.
fn docword(backwards: bool) -> String {
    let hash = |at: u64| crate::counter::splitmix64(at);
    let mut lines = Vec::new();
    for document in (1..=300u64).filter(|&document| document != 2) {
        for at in 0..hash(document) % 400 {
            let word = (hash(document * 31) + at * 7) % 900 + 1;
            let count = if at == 5 { 70_000 } else { hash(at + document) % 4 };
            lines.push(format!("{document} {word} {count}\n"));
        }
    }
    if backwards {
        lines.reverse();
    }
    format!("300\n900\n{}\n{}", lines.len(), lines.concat())
}

#[test]
fn a_file_has_what_the_readers_have() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("docword.a.txt", docword(false)),
        ("docword.b.txt", docword(true)),
        (
            "c.mtx",
            "%%MatrixMarket matrix coordinate integer general\n3 4 4\n1 4 2\n1 1 1\n3 2 5\n3 1 1\n".into(),
        ),
        ("d.ldac", "2 3:70000 0:1\n0\n3 1:2 0:1 5:1\n1 5:0\n".into()),
    ] {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        let source = path.to_str().unwrap();
        for threads in [1, 3] {
            let options = CorpusOptions { threads, ..CorpusOptions::default() };
            let whole = read_any_corpus(source, &options).unwrap();
            let cache = folder.path().join(format!("cache{threads}"));
            for _ in 0..2 {
                let stored = StoredCorpus::open(source, &options, &cache).unwrap().unwrap();
                assert_eq!(stored.word_counts(), whole.word_counts());
                assert_eq!((stored.tokens(), stored.nonzeros()), (whole.tokens(), whole.nonzeros()));
                let documents: Vec<u32> = (0..whole.documents() as u32).collect();
                let all = stored.some(&documents).unwrap();
                let described = stored.described();
                assert_eq!(
                    (&described.digest, &described.format, &described.name),
                    (&whole.digest, &whole.format, &whole.name)
                );
                for document in 0..whole.documents() {
                    assert!(
                        all.document(document).eq(whole.document(document)),
                        "{name}: document {document}"
                    );
                    assert_eq!(stored.length(document), whole.length(document));
                }
                let odd: Vec<u32> = documents.iter().copied().filter(|document| document % 2 == 1).collect();
                let some = stored.some(&odd).unwrap();
                for &document in &documents {
                    let expected = if document % 2 == 1 { whole.length(document as usize) } else { 0 };
                    assert_eq!(some.length(document as usize), expected);
                }
            }
        }
    }
}

#[test]
fn what_is_wrong_is_said_in_the_same_words_and_other_sources_are_not_taken() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("docword.a.txt");
    let (source, options) = (path.to_str().unwrap(), CorpusOptions::default());
    for text in ["2\n3\n2\n1 1 2\n", "2\n3\n1\n1 4 2\n", "2\n3\n1\n1 1 0\n", "2\n3\n1\n1 1 99999999999\n"] {
        fs::write(&path, text).unwrap();
        let expected = read_any_corpus(source, &options).err().map(|error| error.to_string());
        let found = StoredCorpus::open(source, &options, &folder.path().join("cache"));
        assert_eq!(found.map(|_| ()).err().map(|error| error.to_string()), expected, "{text}");
    }
    fs::write(&path, "a text\nof two documents\n").unwrap();
    for source in [source, "pydoc", "-", "nobody", folder.path().to_str().unwrap()] {
        assert!(StoredCorpus::open(source, &options, folder.path()).unwrap().is_none(), "{source}");
    }
}

#[test]
fn what_is_damaged_after_it_was_opened_is_named_when_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("docword.a.txt");
    fs::write(&path, docword(false)).unwrap();
    let cache = folder.path().join("cache");
    let stored =
        StoredCorpus::open(path.to_str().unwrap(), &CorpusOptions::default(), &cache).unwrap().unwrap();
    let documents: Vec<u32> = (0..300).collect();
    let whole = stored.some(&documents).unwrap();
    let files = fs::read_dir(&cache).unwrap().map(|file| file.unwrap().path());
    let file = files.into_iter().find(|file| file.extension().unwrap() == "corpus").unwrap();
    let bytes = fs::read(&file).unwrap();
    let said =
        format!("{}: this copy of the data is damaged: remove it, and it is made again", file.display());
    let mut open = fs::File::options().write(true).open(&file).unwrap();
    let mut put = |at: usize, byte: u8| {
        open.seek(SeekFrom::Start(at as u64)).unwrap();
        open.write_all(&[byte]).unwrap();
    };
    // An entry has four bytes of word and two of count. The sizes were read when the file was opened.
    let (entries, mut damaged) = (stored.nonzeros(), 0);
    for at in (0..bytes.len()).step_by(bytes.len() / 50) {
        put(at, !bytes[at]);
        match stored.some(&documents) {
            Ok(found) => assert!(found == whole && at > entries * 6 || at < 40, "byte {at}"),
            Err(why) => {
                assert_eq!(why.to_string(), said, "byte {at}");
                damaged += 1;
            }
        }
        put(at, bytes[at]);
    }
    assert!(damaged > 40, "{damaged} of {} bytes", bytes.len());
    assert!(stored.some(&documents).unwrap() == whole);
}
