//! Where the vocabulary of a bag of words is: the file beside it that is named alike.

use std::path::{Path, PathBuf};

/// Where the words of a bag of words are looked for: those of `docword.NAME.txt.gz` in `vocab.NAME.txt`, gzip
/// or not, those of `NAME.mtx` and `NAME.ldac` in `NAME.vocab.txt`, `vocab.NAME.txt`, `NAME.vocab` or
/// `NAME.tokens`, and those of a `.ldac` or `.dat` at last in `vocab.txt`. The first that is there is taken.
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

/// The first of [`vocabulary_names`] that is there.
pub(super) fn beside(path: &Path) -> Option<PathBuf> {
    vocabulary_names(path).into_iter().find(|path| path.is_file())
}
