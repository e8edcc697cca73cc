//! Sets that cannot be downloaded in the form that the programs read: each states how its file was made.

use raddle_datasets::registry::{self, CORPORA, RATINGS};

use super::best::best;
use super::sizes::{grouped, of_ratings};
use crate::entry::{DataFile, Entry, Kind};

/// Name, title, task, licence, address of the licence, and how the file was made.
type Row = [&'static str; 6];

const TABLES: [Row; 9] = [
    [
        "diabetes",
        "Diabetes",
        "regression: progression of a disease",
        "BSD-3-Clause, as shipped with scikit-learn",
        "https://github.com/scikit-learn/scikit-learn",
        "the unscaled columns that scikit-learn ships, as libsvm text; also part of the programs",
    ],
    [
        "colon",
        "Colon cancer",
        "classification of tissue, +-1",
        "package MIT; data of Alon and others (1999), academic use",
        "https://github.com/ramhiser/datamicroarray",
        "data/alon.RData of ramhiser/datamicroarray at a95f6f6, as libsvm text",
    ],
    [
        "leukemia",
        "Leukaemia",
        "classification, AML +1",
        "package MIT; data of Golub and others (1999)",
        "https://github.com/ramhiser/datamicroarray",
        "data/golub.RData of ramhiser/datamicroarray at a95f6f6, training and test, as libsvm text",
    ],
    [
        "riboflavin",
        "Riboflavin",
        "regression: logarithm of a production rate",
        "package GPL; data of DSM, Bühlmann and others (2014)",
        "https://github.com/cran/hdi",
        "data/riboflavin.RData of cran/hdi at 3eb71fb, as libsvm text",
    ],
    [
        "mice",
        "Heterogeneous-stock mice",
        "regression: body-mass index",
        "package GPL-3; data of the Wellcome Trust, Valdar and others (2006)",
        "https://github.com/cran/BGLR",
        "mice.X and Obesity.BMI of data/mice.RData of cran/BGLR at 0b9951a; columns whose mean is above 1 \
         recoded as 2 - x",
    ],
    [
        "w8a",
        "w8a",
        "classification of web pages, +-1",
        "no explicit licence; data of Platt (1998) from the LIBSVM collection",
        "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/",
        "data/w8a of unc-optimization/AccSPD at d2f1f2c, rewritten as libsvm text",
    ],
    [
        "farmads",
        "Farm Ads",
        "classification: an advertisement is relevant, 0 or 1",
        "no licence file in the repository; data of UCI, Mesterharm and Pazzani (2011)",
        "https://archive.ics.uci.edu/dataset/218/farm+ads",
        "X_raw.npz and y_raw.npy of milicaamladenovic/farm-ads-text-classification at 38b448b, as libsvm \
         text",
    ],
    [
        "imdb2",
        "Film reviews, words and pairs of words",
        "regression: rating 1 to 10",
        "free for research with citation of Maas and others (2011)",
        "https://ai.stanford.edu/~amaas/data/sentiment/",
        "25,000 labelled reviews in dax44/AMLM at 05fb214; lower case, words and pairs of words in at least \
         4 reviews, log(1 + count), rows permuted with numpy's RandomState(0)",
    ],
    [
        "cocoa-demo",
        "CoCoA's demonstration set",
        "classification, +-1",
        "Apache-2.0",
        "https://github.com/gingsmith/cocoa",
        "data/small_train.dat of gingsmith/cocoa at 5363b92, gzipped",
    ],
];

const OF_RATINGS: [Row; 4] = [
    [
        "jester-1",
        "Jester 1, first part",
        "ratings of jokes, -10 to 10",
        "research use with citation of Goldberg and others (2001)",
        "https://eigentaste.berkeley.edu/dataset/",
        "jester-data-1.zip of negi-soumya/eigentaste at 0877aa8, cells of 99 left out, ids from 0 as they \
         appear",
    ],
    [
        "epinions-770k",
        "Epinions, 770,000 rows",
        "ratings of products",
        "no licence is stated",
        "https://github.com/MEICRS/GDSRec",
        "datasets/Epinions/rating.mat of MEICRS/GDSRec; of repeated pairs the last, ids from 0 as they \
         appear",
    ],
    [
        "douban-3k",
        "Douban, 3,000 users",
        "ratings of films",
        "no licence is stated",
        "https://github.com/riannevdberg/gc-mc",
        "matrix M of gcmc/data/douban of riannevdberg/gc-mc, without an empty user",
    ],
    [
        "gowalla",
        "Gowalla, pairs to train on",
        "visits of places, pairs without values",
        "research use; data of SNAP",
        "https://snap.stanford.edu/data/loc-gowalla.html",
        "data/gowalla/s_adj_mat.npz of gusye1234/LightGCN-PyTorch, the pairs of the training graph",
    ],
];

const OF_WORDS: [Row; 4] = [
    [
        "ap",
        "Associated Press",
        "topics of news",
        "distributed for research with lda-c; the text is of the AP, here only counts",
        "https://github.com/cjrd/SimpleLDA-R",
        "data/ap.dat and data/vocab.txt of cjrd/SimpleLDA-R at ad7d1aa, words from 1",
    ],
    [
        "20ng",
        "20 Newsgroups, counts",
        "topics of posts",
        "no explicit licence; posts of 1993, a corpus for research",
        "https://qwone.com/~jason/20Newsgroups/",
        "posts by date in spoddutur/spark-ml-dashboard at d95a192; subject kept, other headers and quoted \
         lines dropped; runs of 3 to 20 letters without stop words, words of more than ten, documents of at \
         least 5",
    ],
    [
        "win32",
        "Win32 API reference",
        "topics of pages, uneven lengths",
        "CC BY 4.0, Microsoft",
        "https://github.com/MicrosoftDocs/win32",
        "desktop-src/ of MicrosoftDocs/win32 at 47e64c1 without front matter, code, tags and addresses; \
         words as of 20ng",
    ],
    [
        "imdb",
        "Film reviews, counts",
        "topics of reviews",
        "research use with citation of Maas and others (2011); here only counts",
        "https://ai.stanford.edu/~amaas/data/sentiment/",
        "all 100,000 reviews, aclImdb in PVidyadhar/Detection-of-Fraud-apps-using-Sentiment-Analysis at \
         81406d5; words as of 20ng",
    ],
];

/// SHA-256 of the vocabulary files, as stored.
const VOCABULARIES: [(&str, &str); 4] = [
    ("ap", "8c9cf1301f79e70bc8b4320239d5fcc3567528bfae6c8c0ed58ede7486544e4f"),
    ("20ng", "911a16413b0c58b98fbc8ad11574ff3117ffd28ed4bdceb0e9f0ebd2c5bdca37"),
    ("win32", "59fcf1cbd126a331514ae1d493299ab96de0d5dab8b76118f91b27791083fce4"),
    ("imdb", "1b5e07edcb0c38f1f535411c9abb0a0d1ce416063163213f4e6f294535afbbda"),
];

/// The sets.
pub(super) fn entries() -> Vec<Entry> {
    let tables = TABLES.iter().filter_map(|row| {
        let known = registry::entry(row[0])?;
        let sizes = format!("{} rows, {} columns", grouped(known.rows), grouped(known.cols));
        Some(entry(row, Kind::Table, sizes, vec![file(known.file, known.sha256)]))
    });
    let ratings = OF_RATINGS.iter().filter_map(|row| {
        let known = RATINGS.iter().find(|known| known.name == row[0])?;
        let sizes = of_ratings(known);
        Some(entry(row, Kind::Ratings, sizes, vec![file(known.file, known.sha256)]))
    });
    let corpora = OF_WORDS.iter().filter_map(|row| {
        let known = CORPORA.iter().find(|known| known.name == row[0])?;
        let [documents, words, tokens] = [known.documents, known.words, known.tokens as usize].map(grouped);
        let sizes = format!("{documents} documents, {words} words, {tokens} tokens");
        let (_, words) = VOCABULARIES.iter().find(|(name, _)| *name == known.name)?;
        let files = vec![file(known.file, known.sha256), file(known.vocabulary, words)];
        Some(entry(row, Kind::Corpus, sizes, files))
    });
    tables.chain(ratings).chain(corpora).collect()
}

fn entry(row: &Row, kind: Kind, sizes: String, files: Vec<DataFile>) -> Entry {
    let [name, title, task, licence, licence_address, made] = *row;
    let made = Some(made);
    Entry { name, title, kind, task, sizes, licence, licence_address, files, made, best: best(name) }
}

fn file(file: &'static str, sha256: &'static str) -> DataFile {
    DataFile { file, sha256: Some(sha256), or: None, download: None }
}
