//! Sets of texts, with published digests.

use crate::entry::{Converter, DataFile, Download, Entry, Kind};

/// The sets.
pub(super) fn entries() -> Vec<Entry> {
    let newsgroups = Download {
        addresses: &["https://ndownloader.figshare.com/files/5975967"],
        name: "20news-bydate.tar.gz",
        bytes: None,
        sha256: Some("8f1b2514ca22a5ade8fbb9cfa5727df95fa587f4c87b786e15c759fa66d95610"),
        converter: Converter::Documents,
    };
    let vectors = Download {
        addresses: &["https://ndownloader.figshare.com/files/5976057"],
        name: "rcv1-vectors-train.svm.gz",
        bytes: None,
        sha256: Some("5468f656d0ba7a83afc7ad44841cf9a53048a5c083eedc005dcdb5cc768924ae"),
        converter: Converter::Kept,
    };
    let entry =
        |name, title, kind, task, sizes: &str, licence, licence_address, file, download: Download| Entry {
            name,
            title,
            kind,
            task,
            sizes: sizes.into(),
            licence,
            licence_address,
            files: vec![DataFile {
                file,
                sha256: download.sha256.filter(|_| download.converter == Converter::Kept),
                or: None,
                download: Some(download),
            }],
            made: None,
            best: None,
        };
    vec![
        entry(
            "20news-bydate",
            "20 Newsgroups, by date",
            Kind::Texts,
            "topics of posts; lda FILE --text text",
            "18,846 posts",
            "no licence is stated; posts of 1993, a corpus for research",
            "https://qwone.com/~jason/20Newsgroups/",
            "lda/20news-bydate.jsonl",
            newsgroups,
        ),
        entry(
            "rcv1-vectors-train",
            "RCV1-v2 vectors, training",
            Kind::Table,
            "vectors of news stories; the number before a vector is the story's, not a class",
            "23,149 stories, 47,236 words",
            "research use with citation of Lewis, Yang, Rose and Li (2004)",
            "https://www.jmlr.org/papers/volume5/lewis04a/lyrl2004_rcv1v2_README.htm",
            "lasso/rcv1-vectors-train.svm.gz",
            vectors,
        ),
    ]
}
