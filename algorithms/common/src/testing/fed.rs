//! [`Fed`]: a run whose data change while a test feeds it.

use std::fs;
use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, Stdio};

use super::{Program, json};

/// A run of `fit --changes -` that a test feeds line by line.
#[derive(Debug)]
pub struct Fed {
    child: Child,
    to: ChildStdin,
    said: Lines<BufReader<ChildStderr>>,
}

impl Fed {
    /// Starts the program with a line of arguments in a folder.
    pub fn begin(program: Program<'_>, folder: &Path, line: &str) -> Self {
        let mut command = program.command(folder, line);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (to, said) = (child.stdin.take().unwrap(), child.stderr.take().unwrap());
        Self { child, to, said: BufReader::new(said).lines() }
    }

    /// Writes to the run's standard input.
    pub fn feed(&mut self, text: &str) {
        self.to.write_all(text.as_bytes()).unwrap();
        self.to.flush().unwrap();
    }

    /// Waits for a line on standard error that starts with this text.
    pub fn hears(&mut self, begins: &str) -> String {
        loop {
            let line = self.said.next().expect("the run ended before it said it").unwrap();
            if line.starts_with(begins) {
                return line;
            }
        }
    }

    /// Kills the run, as `kill -9` does.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Closes the run's input, and waits for its exit status.
    pub fn ends(mut self) -> i32 {
        drop(self.to);
        self.said.by_ref().for_each(drop);
        self.child.wait().unwrap().code().unwrap()
    }
}

/// Kills a run twenty times while changes stream in, and resumes it each time: no version that it
/// acknowledged is lost, and its model equals that of replaying the log without interruption. `fit` is the
/// line that starts the run, without `--changes` and `--out`; each line of `insert` inserts one record.
pub fn no_acknowledged_version_is_lost(
    program: Program<'_>,
    folder: &Path,
    fit: &str,
    insert: impl Fn(u64) -> String,
) {
    let mut acknowledged = 0;
    for kill in 0..20 {
        let line = match kill {
            0 => format!("{fit} --changes - --out run"),
            _ => "fit --resume run --quiet".to_owned(),
        };
        let mut run = Fed::begin(program, folder, &line);
        // The resumed run has the changes acknowledged before, and may take in some of those that follow.
        for number in acknowledged + 1..=acknowledged + 1 + kill % 3 {
            run.feed(&format!("{}\n", insert(number)));
            let said = run.hears(&format!("version {number}: "));
            assert!(said.ends_with("1 in, 0 out"), "{said}");
        }
        acknowledged += 1 + kill % 3;
        // Some runs are killed while they fit, some while they write, some while they wait.
        for _ in 0..kill * 40_000 {
            std::hint::black_box(kill);
        }
        run.kill();
        let log = fs::read_to_string(folder.join("run/changes.log")).unwrap();
        assert!(log.contains(&format!("\n= {acknowledged} 1 0 ")), "{log}");
    }
    assert_eq!(Fed::begin(program, folder, "fit --resume run --quiet").ends(), 0);
    assert_eq!(json(&folder.join("run/model.json"))["data_version"], acknowledged);
    program.ends(folder, &format!("{fit} --changes run/changes.log --out again"), 0);
    let digest = |run: &str| json(&folder.join(run).join("report.json"))["model_digest"].clone();
    assert_eq!(digest("again"), digest("run"));
}
