//! Where the vocabulary of a bag of words is: the file beside it that is named alike.

use std::path::{Path, PathBuf};

/// `docword.NAME.txt.gz` has its words in `vocab.NAME.txt`, gzip or not; `NAME.mtx` in `NAME.vocab.txt` or
/// `vocab.NAME.txt`. `None` if there is no such file.
pub(super) fn beside(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let bare = name.strip_suffix(".gz").unwrap_or(name);
    let candidates = match bare.strip_prefix("docword.") {
        Some(rest) => vec![format!("vocab.{rest}")],
        None => {
            let stem = bare.rsplit_once('.').map_or(bare, |(stem, _)| stem);
            vec![format!("{stem}.vocab.txt"), format!("vocab.{stem}.txt"), format!("{stem}.vocab")]
        }
    };
    let candidates = candidates.into_iter().flat_map(|name| [format!("{name}.gz"), name]);
    candidates.map(|name| path.with_file_name(name)).find(|path| path.is_file())
}
