//! Sets whose publishers state no digest: the digest of the first fetch is pinned.

use crate::entry::{Converter, DataFile, Download, Entry, Kind};

const OF_LIBSVM: &str = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/";
const OF_UCI: &str = "https://archive.ics.uci.edu/dataset/164/bag+of+words";
const UNSTATED: &str = "the LIBSVM collection states none: cite the source that its page names";

/// A download of which only the address is known.
const fn at(addresses: &'static [&'static str], name: &'static str, converter: Converter) -> Download {
    Download { addresses, name, bytes: None, sha256: None, converter }
}

macro_rules! libsvm {
    ($place:literal, $name:literal, $converter:expr) => {
        at(
            &[concat!("https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/", $place, "/", $name)],
            $name,
            $converter,
        )
    };
}

macro_rules! uci {
    ($name:literal) => {
        at(
            &[concat!("https://archive.ics.uci.edu/ml/machine-learning-databases/bag-of-words/", $name)],
            $name,
            Converter::Kept,
        )
    };
}

/// The sets.
pub(super) fn entries() -> Vec<Entry> {
    let table = |name, title, task, sizes: &str, file, download| Entry {
        name,
        title,
        kind: Kind::Table,
        task,
        sizes: sizes.into(),
        licence: UNSTATED,
        licence_address: OF_LIBSVM,
        files: vec![fetched(file, download)],
        made: None,
        best: None,
    };
    let bag =
        |name, title, sizes: &str, counts: (&'static str, Download), words: (&'static str, Download)| Entry {
            name,
            title,
            kind: Kind::Corpus,
            task: "topics of documents",
            sizes: sizes.into(),
            licence: "CC BY 4.0, as the UCI repository states; cite the repository",
            licence_address: OF_UCI,
            files: vec![fetched(counts.0, counts.1), fetched(words.0, words.1)],
            made: None,
            best: None,
        };
    let bunzip = Converter::Bunzip;
    vec![
        table(
            "rcv1",
            "RCV1, binary, training",
            "classification of news stories, +-1",
            "20,242 rows, 47,236 columns",
            "lasso/rcv1_train.binary.svm",
            libsvm!("binary", "rcv1_train.binary.bz2", bunzip),
        ),
        table(
            "news20",
            "news20, binary",
            "classification of posts, +-1",
            "19,996 rows, 1,355,191 columns",
            "lasso/news20.binary.svm",
            libsvm!("binary", "news20.binary.bz2", bunzip),
        ),
        table(
            "real-sim",
            "real-sim",
            "classification of posts, +-1",
            "72,309 rows, 20,958 columns",
            "lasso/real-sim.svm",
            libsvm!("binary", "real-sim.bz2", bunzip),
        ),
        table(
            "e2006-tfidf",
            "E2006, tf-idf, training",
            "regression: volatility of stock from reports",
            "16,087 rows, 150,360 columns",
            "lasso/E2006.train.svm",
            libsvm!("regression", "E2006.train.bz2", bunzip),
        ),
        table(
            "e2006-log1p",
            "E2006, log1p, training",
            "regression: volatility of stock from reports",
            "16,087 rows, 4,272,227 columns",
            "lasso/log1p.E2006.train.svm",
            libsvm!("regression", "log1p.E2006.train.bz2", bunzip),
        ),
        table(
            "libsvm-w8a",
            "w8a, as LIBSVM has it",
            "classification of web pages, +-1",
            "49,749 rows, 300 columns",
            "lasso/w8a",
            libsvm!("binary", "w8a", Converter::Kept),
        ),
        table(
            "year-prediction-msd",
            "YearPredictionMSD, training",
            "regression: year of a song",
            "463,715 rows, 90 columns",
            "lasso/YearPredictionMSD.svm",
            libsvm!("regression", "YearPredictionMSD.bz2", bunzip),
        ),
        bag(
            "nips",
            "NIPS papers",
            "1,500 documents, 12,419 words",
            ("lda/docword.nips.txt.gz", uci!("docword.nips.txt.gz")),
            ("lda/vocab.nips.txt", uci!("vocab.nips.txt")),
        ),
        bag(
            "kos",
            "KOS blog entries",
            "3,430 documents, 6,906 words",
            ("lda/docword.kos.txt.gz", uci!("docword.kos.txt.gz")),
            ("lda/vocab.kos.txt", uci!("vocab.kos.txt")),
        ),
        bag(
            "enron",
            "Enron emails",
            "39,861 documents, 28,102 words",
            ("lda/docword.enron.txt.gz", uci!("docword.enron.txt.gz")),
            ("lda/vocab.enron.txt", uci!("vocab.enron.txt")),
        ),
        bag(
            "nytimes",
            "New York Times articles",
            "300,000 documents, 102,660 words",
            ("lda/docword.nytimes.txt.gz", uci!("docword.nytimes.txt.gz")),
            ("lda/vocab.nytimes.txt", uci!("vocab.nytimes.txt")),
        ),
        bag(
            "pubmed",
            "PubMed abstracts",
            "8,200,000 documents, 141,043 words",
            ("lda/docword.pubmed.txt.gz", uci!("docword.pubmed.txt.gz")),
            ("lda/vocab.pubmed.txt", uci!("vocab.pubmed.txt")),
        ),
        Entry {
            name: "jester",
            title: "Jester 1, first part, as published",
            kind: Kind::Ratings,
            task: "ratings of jokes; a sheet of Excel in an archive, which no program reads: save it as text",
            sizes: "24,983 users, 100 items, 1,810,455 ratings".into(),
            licence: "research use with citation of Goldberg and others (2001)",
            licence_address: "https://eigentaste.berkeley.edu/dataset/",
            files: vec![fetched(
                "mf/jester_dataset_1_1.zip",
                at(
                    &["https://eigentaste.berkeley.edu/dataset/jester_dataset_1_1.zip"],
                    "jester_dataset_1_1.zip",
                    Converter::Kept,
                ),
            )],
            made: None,
            best: None,
        },
    ]
}

fn fetched(file: &'static str, download: Download) -> DataFile {
    DataFile { file, sha256: None, or: None, download: Some(download) }
}
