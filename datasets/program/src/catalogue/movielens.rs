//! MovieLens: archives with published digests.

use raddle_datasets::registry::ratings_entry;

use super::best::best;
use super::sizes::of_ratings;
use crate::entry::{Cells, Converter, DataFile, Download, Entry, Kind};

const LICENCE: &str = "research use with citation of Harper and Konstan (2015); no redistribution, no commercial use without permission";

/// The sets of MovieLens.
pub(super) fn entries() -> Vec<Entry> {
    vec![
        registered(
            ("ml-100k", "MovieLens 100K", "mf/ml-100k.tsv"),
            "https://files.grouplens.org/datasets/movielens/ml-100k-README.txt",
            Download {
                addresses: &[
                    "https://files.grouplens.org/datasets/movielens/ml-100k.zip",
                    "https://huggingface.co/datasets/Recommenders/MovieLens/resolve/main/ml-100k.zip",
                ],
                name: "ml-100k.zip",
                bytes: Some(4_924_029),
                sha256: Some("50d2a982c66986937beb9ffb3aa76efe955bf3d5c6b761f4e3a7cd717c6a3229"),
                converter: Converter::Numbered("ml-100k/u.data", Cells::Tabs),
            },
        ),
        registered(
            ("ml-1m", "MovieLens 1M", "mf/ml-1m.tsv"),
            "https://files.grouplens.org/datasets/movielens/ml-1m-README.txt",
            Download {
                addresses: &[
                    "https://files.grouplens.org/datasets/movielens/ml-1m.zip",
                    "https://huggingface.co/datasets/Recommenders/MovieLens/resolve/main/ml-1m.zip",
                ],
                name: "ml-1m.zip",
                bytes: Some(5_917_549),
                sha256: Some("a6898adb50b9ca05aa231689da44c217cb524e7ebd39d264c56e2832f2c54e20"),
                converter: Converter::Numbered("ml-1m/ratings.dat", Cells::Colons),
            },
        ),
        registered(
            ("ml-latest-small", "MovieLens latest, small", "mf/ml-latest-small.tsv"),
            "https://files.grouplens.org/datasets/movielens/ml-latest-small-README.html",
            Download {
                addresses: &["https://files.grouplens.org/datasets/movielens/ml-latest-small.zip"],
                name: "ml-latest-small.zip",
                bytes: Some(978_202),
                sha256: Some("696d65a3dfceac7c45750ad32df2c259311949efec81f0f144fdfb91ebc9e436"),
                converter: Converter::Numbered("ml-latest-small/ratings.csv", Cells::Commas),
            },
        ),
        large(
            ("ml-20m", "MovieLens 20M", "mf/ml-20m.csv"),
            "138,493 users, 26,744 items, 20,000,263 ratings",
            "https://files.grouplens.org/datasets/movielens/ml-20m-README.html",
            Download {
                addresses: &[
                    "https://files.grouplens.org/datasets/movielens/ml-20m.zip",
                    "https://huggingface.co/datasets/Recommenders/MovieLens/resolve/main/ml-20m.zip",
                ],
                name: "ml-20m.zip",
                bytes: Some(198_702_078),
                sha256: Some("96f243c338a8665f6bcc89c53edf6ee39162a846940de6b7c8c48aeada765ff3"),
                converter: Converter::Member("ml-20m/ratings.csv"),
            },
        ),
        large(
            ("ml-25m", "MovieLens 25M", "mf/ml-25m.csv"),
            "162,541 users, 59,047 items, 25,000,095 ratings",
            "https://files.grouplens.org/datasets/movielens/ml-25m-README.html",
            Download {
                addresses: &["https://files.grouplens.org/datasets/movielens/ml-25m.zip"],
                name: "ml-25m.zip",
                bytes: Some(261_978_986),
                sha256: Some("8b21cfb7eb1706b4ec0aac894368d90acf26ebdfb6aced3ebd4ad5bd1eb9c6aa"),
                converter: Converter::Member("ml-25m/ratings.csv"),
            },
        ),
    ]
}

/// A set that `mf` knows by name: the digest of its converted file is in the registry.
fn registered(
    (name, title, file): (&'static str, &'static str, &'static str),
    licence_address: &'static str,
    download: Download,
) -> Entry {
    let known = ratings_entry(name);
    let sizes = known.map(of_ratings);
    let file = DataFile {
        file,
        sha256: known.map(|it| it.text_sha256),
        or: known.map(|it| (it.file, it.sha256)),
        download: Some(download),
    };
    Entry {
        files: vec![file],
        ..large((name, title, ""), sizes.unwrap_or_default(), licence_address, download)
    }
}

/// A set that is read by its path, as stored in the archive.
fn large(
    (name, title, file): (&'static str, &'static str, &'static str),
    sizes: impl Into<String>,
    licence_address: &'static str,
    download: Download,
) -> Entry {
    Entry {
        name,
        title,
        kind: Kind::Ratings,
        task: "ratings of films by users",
        sizes: sizes.into(),
        licence: LICENCE,
        licence_address,
        files: vec![DataFile { file, sha256: None, or: None, download: Some(download) }],
        made: None,
        best: best(name),
    }
}
