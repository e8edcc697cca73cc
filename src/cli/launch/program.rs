//! The program that is launched: its path, and those of its options that concern the launcher.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use raddle::command_line_support::{Addresses, FILE, INDEX};

use crate::environment::WORKERS;
use crate::exit::Error;
use crate::options::was_begun;
use crate::run_folder::begun::Begun;

/// Returns the path of a program: its name if that is a path, else next to this program, else on PATH.
///
/// # Errors
/// If there is no such program; the text says where it was looked for.
pub fn find(name: &str) -> Result<PathBuf, Error> {
    if Path::new(name).components().count() > 1 {
        let path = PathBuf::from(name);
        let why = "there is no such program: build it, or name another";
        return if path.is_file() { Ok(path) } else { Err(Error::usage(format!("{name}: {why}"))) };
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let mut on_path = env::split_paths(&path).map(|folder| folder.join(file(name)));
    next_to_this(name).or_else(|| on_path.find(|path| path.is_file())).ok_or_else(|| {
        let why = "there is no such program next to raddle or on PATH: install it there, or give its path";
        Error::usage(format!("{name}: {why}"))
    })
}

/// Returns the path of the program of this name that lies next to this one.
pub(super) fn next_to_this(name: &str) -> Option<PathBuf> {
    // Without /proc, a process knows only the path that it was started by.
    let called = || env::args_os().next().map(PathBuf::from).filter(|path| path.components().count() > 1);
    let here = env::current_exe().ok().or_else(called)?;
    Some(here.parent()?.join(file(name))).filter(|path| path.is_file())
}

fn file(name: &str) -> String {
    format!("{name}{}", env::consts::EXE_SUFFIX)
}

/// Replaces this process by a program. Where the system cannot do that, runs the program and returns its
/// exit status.
pub(super) fn run(name: &str, line: impl Iterator<Item = OsString>) -> Result<u8, Error> {
    let mut command = Command::new(find(name)?);
    command.args(line);
    #[cfg(unix)]
    let why = std::os::unix::process::CommandExt::exec(&mut command);
    #[cfg(not(unix))]
    let why = {
        // Ctrl-C reaches both, and is for the program. Without a handler it ends this process first.
        let _ = ctrlc::set_handler(|| ());
        match command.status() {
            Ok(status) => return Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)),
            Err(why) => why,
        }
    };
    Err(Error::failed(format!("{name}: cannot be started: {why}")))
}

/// Returns the command that starts process `number` of the run with this number of workers, listening at and
/// advertising these addresses. Files that processes share lie next to the file of the invitation. The
/// process is tied to this one by its stdin.
pub(super) fn command(
    program: &Path,
    line: &[String],
    invitation: &Path,
    index: u32,
    workers: u32,
    addresses: Addresses,
) -> Command {
    let mut command = Command::new(program);
    command.args(line);
    command.env(FILE, invitation).env(INDEX, index.to_string()).env(WORKERS, workers.to_string());
    command.envs(addresses.variables());
    if env::var_os(TUNABLES).is_none() {
        // Large blocks go back to the system as soon as they are freed, and every thread can use the rest;
        // otherwise each thread that data pass through keeps a share of them. Messages are smaller: their
        // memory is reused, because fresh pages of the system cost more than the copy into them.
        let arenas = workers.max(1);
        let tuned = [("arena_max", arenas as usize), ("mmap_threshold", LARGE), ("trim_threshold", KEPT)];
        let tuned = tuned.map(|(name, value)| format!("glibc.malloc.{name}={value}"));
        command.env(TUNABLES, tuned.join(":"));
    }
    command
}

/// Environment variable that tunes the allocator of glibc; other C libraries ignore it.
const TUNABLES: &str = "GLIBC_TUNABLES";
/// Size in bytes from which a block is given back at once.
const LARGE: usize = 1 << 20;
/// Bytes of smaller blocks that are kept at the end of the heap.
const KEPT: usize = 4 << 20;

/// Returns the value of an option on a program's line: `--name VALUE` or `--name=VALUE`, and of `--out` also
/// `-o VALUE`.
pub(super) fn value<'a>(line: &'a [String], option: &str) -> Option<&'a str> {
    let inside = line.iter().position(|word| word == "--").unwrap_or(line.len());
    let mut words = line[..inside].iter();
    while let Some(word) = words.next() {
        let letter = || word.strip_prefix("-o").filter(|_| option == "--out");
        match word.strip_prefix(option).or_else(letter) {
            Some("") => return words.next().map(String::as_str),
            Some(rest) if rest.starts_with('=') => return Some(&rest[1..]),
            Some(rest) if !word.starts_with("--") => return Some(rest),
            _ => {}
        }
    }
    None
}

/// Returns the program of the run in a folder.
pub(super) fn begun(run: &Path) -> Result<String, Error> {
    if !was_begun(run) {
        return Err(nothing_begun(run));
    }
    let begun = Begun::read(run)?.filter(|begun| !begun.program.is_empty());
    begun.map(|begun| begun.program).ok_or_else(|| {
        let why = "it does not name its program: give the program after --";
        Error::usage(format!("--resume {}: {why}", run.display()))
    })
}

/// Returns the error for a run that cannot be continued as it was never started, with the line that starts or
/// continues it.
pub(super) fn nothing_begun(run: &Path) -> Error {
    let run = run.display();
    Error::usage(format!(
        "--resume {run}: no run was begun there: start it with the whole line, as raddle launch -- PROGRAM \
         fit DATA --out {run}; with --resume {run} before the --, too, the same line starts it now and \
         continues it later"
    ))
}

/// `true` if an option is given on a program's line.
pub(super) fn is_given(line: &[String], option: &str) -> bool {
    line.iter().any(|word| word == option) || value(line, option).is_some()
}

/// Refuses options of the launcher on the program's line.
pub(super) fn check(line: &[String]) -> Result<(), Error> {
    if is_given(line, "--workers") {
        return Err(Error::usage(
            "--workers: give it before the --, as the number of workers of each process",
        ));
    }
    if line.iter().any(|word| word == "-" || word.ends_with("=-")) {
        return Err(Error::usage(
            "standard input (-): launched processes cannot read it: write it to a file, and name that in \
             place of -",
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_found_in_both_forms_and_not_behind_the_end_of_options() {
        let line = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(value(&line("fit a.csv --out run"), "--out"), Some("run"));
        assert_eq!(value(&line("fit --out=run/1 a.csv"), "--out"), Some("run/1"));
        for short in ["fit -o run a.csv", "fit a.csv -orun", "fit -o=run"] {
            assert_eq!(value(&line(short), "--out"), Some("run"), "{short}");
        }
        assert_eq!(value(&line("fit --output run"), "--out"), None);
        assert_eq!(value(&line("fit -o run"), "--resume"), None);
        assert_eq!(value(&line("fit -- --out run"), "--out"), None);
        assert!(check(&line("fit --resume run")).is_ok() && check(&line("fit --workers=2")).is_err());
        assert!(check(&line("fit --out run")).is_ok());
        for line in [line("fit - --y y"), line("fit a.csv --changes=-")] {
            assert!(
                check(&line).is_err_and(|why| why.to_string().contains("cannot read it: write it to a file"))
            );
        }
    }
}
