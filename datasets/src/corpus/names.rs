//! Where the vocabulary of a bag of words is: the file beside it that is named alike.

use std::path::{Path, PathBuf};

/// Where the words of a bag of words are looked for: those of `docword.NAME.txt.gz` in `vocab.NAME.txt`, gzip or not,
/// those of `NAME.mtx` in `NAME.vocab.txt`, `vocab.NAME.txt` or `NAME.vocab`. The first that is there is taken.
pub fn vocabulary_names(path: &Path) -> Vec<PathBuf> {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return Vec::new() };
    let bare = name.strip_suffix(".gz").unwrap_or(name);
    let candidates = match bare.strip_prefix("docword.") {
        Some(rest) => vec![format!("vocab.{rest}")],
        None => {
            let stem = bare.rsplit_once('.').map_or(bare, |(stem, _)| stem);
            vec![format!("{stem}.vocab.txt"), format!("vocab.{stem}.txt"), format!("{stem}.vocab")]
        }
    };
    let candidates = candidates.into_iter().flat_map(|name| [format!("{name}.gz"), name]);
    candidates.map(|name| path.with_file_name(name)).collect()
}

/// The first of [`vocabulary_names`] that is there.
pub(super) fn beside(path: &Path) -> Option<PathBuf> {
    vocabulary_names(path).into_iter().find(|path| path.is_file())
}
