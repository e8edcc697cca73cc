//! Finds the vocabulary of a bag of words: a file next to it with a matching name.

use std::path::{Path, PathBuf};

/// Returns the paths at which the vocabulary of a bag of words is looked for; the first that exists is used.
/// For `docword.NAME.txt.gz` this is `vocab.NAME.txt`, compressed with gzip or not; for `NAME.mtx` and
/// `NAME.ldac` these are `NAME.vocab.txt`, `vocab.NAME.txt`, `NAME.vocab` and `NAME.tokens`; for `.ldac` and
/// `.dat` files `vocab.txt` comes last.
pub fn vocabulary_names(path: &Path) -> Vec<PathBuf> {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return Vec::new() };
    let bare = [".gz", ".zst"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name);
    let candidates = match bare.strip_prefix("docword.") {
        Some(rest) => vec![format!("vocab.{rest}")],
        None => {
            let (stem, ending) = bare.rsplit_once('.').unwrap_or((bare, ""));
            let mut names =
                vec![format!("{stem}.vocab.txt"), format!("vocab.{stem}.txt"), format!("{stem}.vocab")];
            names.push(format!("{stem}.tokens"));
            names.extend(["ldac", "dat"].contains(&ending).then(|| "vocab.txt".into()));
            names
        }
    };
    let candidates = candidates.into_iter().flat_map(|name| [format!("{name}.gz"), name]);
    candidates.map(|name| path.with_file_name(name)).collect()
}

/// Returns the first of [`vocabulary_names`] that exists.
pub(super) fn beside(path: &Path) -> Option<PathBuf> {
    vocabulary_names(path).into_iter().find(|path| path.is_file())
}
