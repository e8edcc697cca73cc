//! The public sets that `raddle data fetch` downloads.

use std::fmt;

/// The kind of data in a public set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetKind {
    /// A table with a response.
    Table,
    /// Ratings, or pairs of users and items.
    Ratings,
    /// Bags of words.
    Corpus,
    /// Documents as they were written.
    Texts,
}

/// Writes the kind, with the programs that read it.
impl fmt::Display for SetKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Table => "a table, which lasso and linear read",
            Self::Ratings => "a set of ratings, which mf reads",
            Self::Corpus => "a corpus, which lda reads",
            Self::Texts => "a set of texts, which lda reads with --text text",
        })
    }
}

/// A public set that is fetched by name.
#[derive(Clone, Copy, Debug)]
pub struct FetchedSet {
    /// Name on the command line.
    pub name: &'static str,
    /// Kind of its data.
    pub kind: SetKind,
    /// The file that is read, relative to the data folder.
    pub file: &'static str,
}

const fn set(name: &'static str, kind: SetKind, file: &'static str) -> FetchedSet {
    FetchedSet { name, kind, file }
}

/// Every set that is fetched and read by name.
pub static FETCHED: [FetchedSet; 19] = [
    set("ml-100k", SetKind::Ratings, "mf/ml-100k.tsv"),
    set("ml-1m", SetKind::Ratings, "mf/ml-1m.tsv"),
    set("ml-latest-small", SetKind::Ratings, "mf/ml-latest-small.tsv"),
    set("ml-20m", SetKind::Ratings, "mf/ml-20m.csv"),
    set("ml-25m", SetKind::Ratings, "mf/ml-25m.csv"),
    set("20news-bydate", SetKind::Texts, "lda/20news-bydate.jsonl"),
    set("rcv1-vectors-train", SetKind::Table, "lasso/rcv1-vectors-train.svm.gz"),
    set("rcv1", SetKind::Table, "lasso/rcv1_train.binary.svm"),
    set("news20", SetKind::Table, "lasso/news20.binary.svm"),
    set("real-sim", SetKind::Table, "lasso/real-sim.svm"),
    set("e2006-tfidf", SetKind::Table, "lasso/E2006.train.svm"),
    set("e2006-log1p", SetKind::Table, "lasso/log1p.E2006.train.svm"),
    set("libsvm-w8a", SetKind::Table, "lasso/w8a"),
    set("year-prediction-msd", SetKind::Table, "lasso/YearPredictionMSD.svm"),
    set("nips", SetKind::Corpus, "lda/docword.nips.txt.gz"),
    set("kos", SetKind::Corpus, "lda/docword.kos.txt.gz"),
    set("enron", SetKind::Corpus, "lda/docword.enron.txt.gz"),
    set("nytimes", SetKind::Corpus, "lda/docword.nytimes.txt.gz"),
    set("pubmed", SetKind::Corpus, "lda/docword.pubmed.txt.gz"),
];

/// Returns how to get the file of a set, as the end of a message.
pub(crate) fn how_to_have(name: &str, file: &str) -> String {
    let folder = format!("set RADDLE_DATA to the folder that holds {file}");
    match FETCHED.iter().any(|set| set.name == name) {
        true => format!(
            "`raddle data fetch {name}` fetches it, in a program of a release or one built by `cargo build \
             --release --features raddle-data/fetch`; or {folder}"
        ),
        false => format!("{folder}; `raddle data list {name}` says how it was made"),
    }
}
