//! Machines of a run: the file that names them, and the `raddle join` that a launcher starts on each by ssh.
//!
//! ```text
//! # host         workers   folder
//! node-1         8
//! me@node-2      16        /scratch/fit
//! ```
//!
//! Nothing is left running there. `raddle join` has its token from its standard input, and leaves the run where that ends:
//! with the launcher, and with the connection.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use super::children::{ended, wait};
use crate::base::sync::lock;
use crate::cli::exit::Error;
use crate::cli::options::values::MOST_WORKERS;
use crate::cluster::{Remote, Token};

/// Lines kept of what a machine has said.
const KEPT: usize = 20;

/// A machine of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Host {
    /// Its name, as ssh takes it.
    name: String,
    workers: u32,
    /// The folder in which the program runs there; that of the launcher by default.
    folder: Option<PathBuf>,
}

impl Host {
    /// The machines that a file names.
    pub(super) fn read(file: &Path) -> Result<Vec<Self>, Error> {
        let text =
            fs::read_to_string(file).map_err(|why| Error::input(format!("{}: {why}", file.display())))?;
        Self::parse(&text).map_err(|(line, why)| match line {
            0 => Error::input(format!("{}: {why}", file.display())),
            line => Error::input(format!("{}:{line}: {why}", file.display())),
        })
    }

    /// The machines of a text, or the number of a line, from 1, and what is wrong with it; 0 for the whole.
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
                words.next().ok_or((number, format!("{name}: give its number of workers behind it")))?;
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

/// The way to the machines, and what is the same for all.
pub(super) struct Way<'a> {
    /// The command that runs another one on a machine, in words: `ssh` and its options.
    pub(super) ssh: &'a str,
    /// Arguments of `raddle join` behind its address.
    pub(super) arguments: Vec<String>,
    /// The address that the machines reach.
    pub(super) address: String,
    pub(super) token: Token,
}

/// `raddle join` on other machines.
#[derive(Default)]
pub(super) struct Away(Vec<One>);

struct One {
    child: Arc<Mutex<Child>>,
    /// Where it ends, the process there leaves.
    tie: Option<ChildStdin>,
}

impl Away {
    /// Starts `raddle join` on each machine. One that ends before the run has begun ends the run, with what was said there.
    pub(super) fn start(hosts: &[Host], way: &Way<'_>, remote: &Remote) -> Result<Self, Error> {
        let program =
            std::env::current_exe().map_err(|why| Error::failed(format!("the path of raddle: {why}")))?;
        let here =
            std::env::current_dir().map_err(|why| Error::failed(format!("the folder of raddle: {why}")))?;
        let mut all = Self::default();
        for host in hosts {
            let folder = host.folder.as_deref().unwrap_or(&here);
            let mut words = vec![program.display().to_string(), "join".into(), way.address.clone()];
            words.extend(["--token-file", "-", "--workers"].map(str::to_owned));
            words.push(host.workers.to_string());
            words.extend(way.arguments.iter().cloned());
            let line: Vec<String> = words.iter().map(|word| quoted(word)).collect();
            let line = format!("cd {} && exec {}", quoted(&folder.display().to_string()), line.join(" "));
            let mut ssh = way.ssh.split_whitespace();
            let refuse = |why: &dyn std::fmt::Display| Error::usage(format!("--ssh {}: {why}", way.ssh));
            let mut command = Command::new(ssh.next().ok_or_else(|| refuse(&"give a command"))?);
            command.args(ssh).arg(&host.name).arg(line);
            command.stdin(Stdio::piped()).stderr(Stdio::piped());
            // Ctrl-C reaches the launcher alone, which tells the others.
            #[cfg(unix)]
            std::os::unix::process::CommandExt::process_group(&mut command, 0);
            let mut child = command.spawn().map_err(|why| refuse(&why))?;
            let mut tie = child.stdin.take();
            if let Some(tie) = &mut tie {
                // One that has ended already is told by its status.
                let _ = writeln!(tie, "{}", way.token.text());
            }
            let said = child.stderr.take();
            let child = Arc::new(Mutex::new(child));
            let (watched, name, remote) = (Arc::clone(&child), host.name.clone(), remote.clone());
            let watch = move || {
                let said = said.map(|said| pass_on(&name, BufReader::new(said))).unwrap_or_default();
                let (code, _, how) =
                    wait(&watched, None).map_or((1, false, "cannot be waited for".into()), ended);
                if code != 0 {
                    remote.not_coming(reason(&name, code, &how, &said));
                }
            };
            thread::Builder::new().name("raddle:host".into()).spawn(watch).map_err(|why| refuse(&why))?;
            all.0.push(One { child, tie });
        }
        Ok(all)
    }

    /// Waits for all to end, at most so long, and ends the others.
    pub(super) fn end(&mut self, at_most: Duration) {
        let until = Instant::now() + at_most;
        for one in &mut self.0 {
            wait(&one.child, Some(until));
            drop(one.tie.take());
        }
    }
}

impl Drop for Away {
    fn drop(&mut self) {
        for one in &mut self.0 {
            // The process there leaves by itself; the command would wait for it.
            drop(one.tie.take());
            let mut child = lock(&one.child);
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Passes lines on to stderr, each behind the name of its machine, and gives the last of them.
fn pass_on(name: &str, lines: impl io::BufRead) -> Vec<String> {
    let mut last = Vec::new();
    for line in lines.lines().map_while(Result::ok) {
        // No reader is left if stderr is closed.
        let _ = writeln!(io::stderr(), "{name}: {line}");
        last.push(line);
        if last.len() > KEPT {
            last.remove(0);
        }
    }
    last
}

/// The reason why a machine has no part in the run, and what to do.
fn reason(name: &str, code: i32, how: &str, said: &[String]) -> String {
    let what = match code {
        255 => {
            "it cannot be reached, or asks for a password: try the same ssh by hand, with a key that needs none"
        }
        126 | 127 => "raddle is not there: install the same build at the same path",
        _ => "raddle join has ended there",
    };
    let last = said.iter().rev().find(|line| !line.trim().is_empty());
    let last = last.map_or_else(|| how.to_owned(), |line| line.trim().to_owned());
    format!("{name}: {what}: {last}")
}

/// A word that a shell takes as it is.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
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

    #[test]
    fn words_come_through_a_shell_as_they_are() {
        for word in ["plain", "two words", "it's", "$HOME; `ls` \"x\" \\"] {
            let said =
                Command::new("sh").args(["-c", &format!("printf %s {}", quoted(word))]).output().unwrap();
            assert_eq!(String::from_utf8(said.stdout).unwrap(), word);
        }
    }
}
