//! Archives, none of whose files lies outside them.

use std::io::{self, BufRead};
use std::path::{Component, Path};

use zip::ZipArchive;
use zip::read::ZipFile;

/// A zip archive none of whose files lies outside it.
pub(super) fn archive<R: BufRead + io::Seek>(from: R) -> Result<ZipArchive<R>, String> {
    let mut archive = ZipArchive::new(from).map_err(|why| format!("it is no zip archive: {why}"))?;
    for at in 0..archive.len() {
        let file = archive.by_index_raw(at).map_err(|why| why.to_string())?;
        let name = file.name().map_err(|why| why.to_string())?;
        check(&name)?;
    }
    Ok(archive)
}

/// Refuses the name of a file outside the archive's folder, on any system.
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

/// A file of an archive, by its name.
pub(super) fn member<'a, R: BufRead + io::Seek>(
    archive: &'a mut ZipArchive<R>,
    name: &str,
) -> Result<ZipFile<'a, R>, String> {
    archive.by_name(name).map_err(|why| format!("{name} in it: {why}"))
}
