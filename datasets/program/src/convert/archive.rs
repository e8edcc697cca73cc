//! Zip archives, checked for names that lead outside the archive's folder.

use std::io::{self, BufRead};
use std::path::{Component, Path};

use zip::ZipArchive;
use zip::read::ZipFile;

/// Opens a zip archive; refuses one with a name that leads outside its folder.
pub(super) fn archive<R: BufRead + io::Seek>(from: R) -> Result<ZipArchive<R>, String> {
    let mut archive = ZipArchive::new(from).map_err(|why| format!("it is not a zip archive: {why}"))?;
    for at in 0..archive.len() {
        let file = archive.by_index_raw(at).map_err(|why| why.to_string())?;
        let name = file.name().map_err(|why| why.to_string())?;
        check(&name)?;
    }
    Ok(archive)
}

/// Refuses a name that leads outside the archive's folder on any system: an absolute path, `..`, a drive.
pub(super) fn check(name: &str) -> Result<(), String> {
    let is_inside = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    match Path::new(name).components().all(is_inside) && !name.contains('\\') {
        true => Ok(()),
        false => {
            let name = name.escape_debug();
            Err(format!("it has a file outside its folder, `{name}`: it is not unpacked"))
        }
    }
}

/// Returns a file of an archive, by its name.
pub(super) fn member<'a, R: BufRead + io::Seek>(
    archive: &'a mut ZipArchive<R>,
    name: &str,
) -> Result<ZipFile<'a, R>, String> {
    archive.by_name(name).map_err(|why| format!("{name} in it: {why}"))
}
