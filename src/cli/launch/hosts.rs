//! The file that names the machines of a run.
//!
//! ```text
//! # host         workers   folder
//! node-1         8
//! me@node-2      16        /scratch/fit
//! ```

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::exit::Error;
use crate::options::values::MOST_WORKERS;

/// A machine of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Host {
    /// Name of the machine, as ssh takes it.
    pub(super) name: String,
    pub(super) workers: u32,
    /// Folder in which the program runs there; that of the launcher by default.
    pub(super) folder: Option<PathBuf>,
}

impl Host {
    /// Reads the machines that a file lists.
    pub(super) fn read(file: &Path) -> Result<Vec<Self>, Error> {
        let text =
            fs::read_to_string(file).map_err(|why| Error::input(format!("{}: {why}", file.display())))?;
        Self::parse(&text).map_err(|(line, why)| match line {
            0 => Error::input(format!("{}: {why}", file.display())),
            line => Error::input(format!("{}:{line}: {why}", file.display())),
        })
    }

    /// Parses the machines of a text. An error is the number of a line, from 1, or 0 for the whole, and what
    /// is wrong with it.
    fn parse(text: &str) -> Result<Vec<Self>, (usize, String)> {
        let (mut hosts, mut seen) = (Vec::new(), BTreeMap::new());
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.split('#').next().unwrap_or_default().trim();
            let mut words =
                line.splitn(3, char::is_whitespace).map(str::trim).filter(|word| !word.is_empty());
            let Some(name) = words.next() else { continue };
            let refuse = |why: String| Err((number, why));
            if name.starts_with('-') {
                return refuse(format!(
                    "`{name}` is no host: give host, workers and, where it is another one, the folder"
                ));
            }
            let workers =
                words.next().ok_or((number, format!("{name}: give its number of workers after it")))?;
            let in_range = |workers: &u32| (1..=MOST_WORKERS as u32).contains(workers);
            let Some(workers) = workers.parse().ok().filter(in_range) else {
                return refuse(format!(
                    "{name}: `{workers}` is no number of workers: give 1 to {MOST_WORKERS}"
                ));
            };
            if let Some(before) = seen.insert(name.to_owned(), number) {
                return refuse(format!("{name} is in line {before} already: give its workers once"));
            }
            hosts.push(Self { name: name.into(), workers, folder: words.next().map(PathBuf::from) });
        }
        if hosts.is_empty() { Err((0, "it names no host".into())) } else { Ok(hosts) }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails so")]

    use super::*;

    #[test]
    fn lines_are_hosts_with_workers_and_perhaps_a_folder() {
        let text = "# two machines\n\nnode-1 8\n  me@node-2\t16  /a folder/of mine # fast\n";
        let hosts = Host::parse(text).unwrap();
        let host = |name: &str, workers, folder: Option<&str>| Host {
            name: name.into(),
            workers,
            folder: folder.map(PathBuf::from),
        };
        assert_eq!(hosts, [host("node-1", 8, None), host("me@node-2", 16, Some("/a folder/of mine"))]);
    }

    #[test]
    fn what_is_wrong_is_told_by_line() {
        for (text, line, why) in [
            ("# none\n", 0, "it names no host"),
            ("a 1\nb\n", 2, "b: give its number of workers"),
            ("a 0\n", 1, "`0` is no number of workers"),
            ("a many\n", 1, "`many` is no number of workers"),
            ("a 1\n\na 2\n", 3, "a is in line 1 already"),
            ("-oProxyCommand=x 1\n", 1, "is no host"),
        ] {
            let (at, said) = Host::parse(text).unwrap_err();
            assert!(at == line && said.contains(why), "{text}: {at} {said}");
        }
    }
}
