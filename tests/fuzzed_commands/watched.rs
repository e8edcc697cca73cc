//! Running a command that may hang, or eat memory.

use std::fs::{self, File};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::Case;
use crate::commands::binary;

/// Longest processor time of a command on a few hundred bytes: others may use the machine, too.
const LONGEST: Duration = Duration::from_secs(5);
/// Longest wall-clock time: a command that only waits takes no processor time.
const WATCHDOG: Duration = Duration::from_secs(60);
/// Most address space that a command may claim, in KiB: more would be an abort on a smaller machine.
const MEMORY: u64 = 6_000_000;
/// Ticks of the clock in `/proc`, on every Linux.
const TICKS_PER_SECOND: u64 = 100;

/// End of a command.
pub(crate) struct Watched {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) processor: Duration,
    pub(crate) is_hung: bool,
}

/// Runs a command to its end, or until it has taken too long.
pub(crate) fn watch(case: &Case) -> Watched {
    let home = case.folder.parent().unwrap();
    let (out, err) = (home.join("stdout"), home.join("stderr"));
    let program = binary(&case.words[0]);
    let mut command = if cfg!(target_os = "linux") {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("ulimit -v {MEMORY}; exec \"$0\" \"$@\"")]).arg(program);
        shell
    } else {
        Command::new(program)
    };
    let stdin = case.stdin.as_ref().map_or_else(Stdio::null, |file| File::open(file).unwrap().into());
    command.args(&case.words[1..]).current_dir(&case.folder).stdin(stdin);
    command.stdout(File::create(&out).unwrap()).stderr(File::create(&err).unwrap());
    let mut child = command.spawn().unwrap();
    let start = Instant::now();
    let (status, processor, is_hung) = loop {
        // Before it is asked whether it has ended: then its numbers are gone.
        let spent = spent(child.id());
        let is_over = match spent {
            Some((_, is_over)) => is_over,
            None => child.try_wait().unwrap().is_some(),
        };
        let processor = spent.map_or(Duration::ZERO, |(processor, _)| processor);
        let is_hung = processor > LONGEST || (!is_over && start.elapsed() > WATCHDOG);
        if is_hung && !is_over {
            child.kill().unwrap();
        }
        if is_hung || is_over {
            break (child.wait().unwrap(), processor, is_hung);
        }
        thread::sleep(Duration::from_millis(2));
    };
    let text = |file| String::from_utf8_lossy(&fs::read(file).unwrap()).into_owned();
    Watched { code: status.code(), out: text(&out), err: text(&err), processor, is_hung }
}

/// The processor time of a process and whether it is over but not yet waited for; `None` where there is no
/// `/proc`.
fn spent(process: u32) -> Option<(Duration, bool)> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // Behind the name, which may hold blanks.
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks: u64 = fields[11].parse::<u64>().ok()? + fields[12].parse::<u64>().ok()?;
    Some((Duration::from_millis(ticks * 1000 / TICKS_PER_SECOND), fields[0] == "Z"))
}
