//! `raddle report`: the runs in some folders as one page, which loads nothing and is complete without
//! scripts.

mod about;
mod comparison;
mod curves;
mod figure;
mod html;
mod members;
mod rounds;
mod run;
mod table;
mod workers;

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use raddle::files::write_atomic;

use self::run::Run;
use super::exit::{Error, ExitStatus};
use super::run_folder::snapshot::RunSnapshot;
use super::say::say;
use crate::number::count;

/// Options of `raddle report`.
#[derive(Debug, Args)]
pub(crate) struct PageOptions {
    /// Folders of the runs. Several runs are compared
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// HTML file to write. An existing file is replaced
    #[arg(short, long, value_name = "PAGE")]
    out: PathBuf,
    /// Title of the page. Default: the title that all runs share, or their number
    #[arg(long)]
    title: Option<String>,
}

/// Writes the page.
///
/// # Errors
/// If a folder is no run or cannot be read, or the page cannot be written.
pub(crate) fn report(options: &PageOptions) -> Result<u8, Error> {
    let PageOptions { runs, out, title } = options;
    let parent = out.parent().filter(|parent| !parent.as_os_str().is_empty());
    if let Some(parent) = parent.filter(|parent| !parent.is_dir()) {
        let why = "there is no such folder for the page: make it, or give another --out";
        return Err(Error::usage(format!("{}: {why}", parent.display())));
    }
    if out.is_dir() {
        return Err(Error::usage(format!(
            "{}: a folder: give --out a file, such as page.html",
            out.display()
        )));
    }
    let runs = read(runs)?;
    let page = html::page(&runs, title.as_deref());
    write_atomic(out, |file| file.write_all(page.as_bytes()))?;
    say(&format!(
        "{} of {}: {} kB",
        out.display(),
        count(runs.len() as u64, "run"),
        page.len().div_ceil(1000)
    ))?;
    Ok(ExitStatus::Done.code())
}

/// Reads the runs, and names each by the end of its path that distinguishes it from the others.
fn read(paths: &[PathBuf]) -> Result<Vec<Run>, Error> {
    let named = paths.iter().zip(names(paths));
    named.map(|(path, name)| Ok(Run::new(name, RunSnapshot::read(path)?))).collect()
}

fn names(paths: &[PathBuf]) -> Vec<String> {
    let ending = |path: &Path, parts: usize| -> String {
        let parts_of: Vec<_> = path.components().collect();
        let from = parts_of.len().saturating_sub(parts);
        parts_of[from..].iter().collect::<PathBuf>().display().to_string()
    };
    let most = paths.iter().map(|path| path.components().count()).max().unwrap_or(1).max(1);
    for parts in 1..=most {
        let names: Vec<String> = paths.iter().map(|path| ending(path, parts)).collect();
        if names.iter().collect::<BTreeSet<_>>().len() == names.len() {
            return names;
        }
    }
    // A folder that is given twice.
    paths.iter().enumerate().map(|(at, path)| format!("{} ({})", path.display(), at + 1)).collect()
}

#[cfg(test)]
mod tests;
