//! [`end_leftovers`]: the end of processes that a pool of earlier has left behind.

use std::fs;
use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use super::signals::kill;

/// Variable of the environment that every process of a pool has; its value is the pool's folder.
pub(super) const POOL: &str = "RADDLE_POOL";
/// Time between two looks whether processes are gone.
const PAUSE: Duration = Duration::from_millis(20);
/// Time in which the system ends processes.
const ENOUGH: Duration = Duration::from_secs(30);

/// Ends all processes that were started by a pool in this folder, as one leaves them that is killed; gives their number. They
/// are known by their environment, so none is missed whenever the pool was killed. Where the system
/// does not list processes in `/proc`, none are found.
///
/// # Errors
/// If one is still there after half a minute.
pub fn end_leftovers(pool: &Path) -> io::Result<usize> {
    let pool = &fs::canonicalize(pool)?;
    let began = Instant::now();
    let mut count = 0;
    loop {
        let left = processes(pool);
        if left.is_empty() {
            return Ok(count);
        }
        if began.elapsed() > ENOUGH {
            let left = left.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
            return Err(io::Error::other(format!("processes of an earlier pool do not end: {left}")));
        }
        count = count.max(left.len());
        left.iter().for_each(|&process| kill(process));
        thread::sleep(PAUSE);
    }
}

/// Processes with this folder in their environment, those alone that are more than an entry.
fn processes(pool: &Path) -> Vec<u32> {
    let wanted = [POOL.as_bytes(), b"=", pool.as_os_str().as_encoded_bytes()].concat();
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let numbers = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let is_of = |process: &u32| {
        // Those of other users cannot be read. One that has ended has no environment any more.
        let environment = fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == wanted.as_slice())
    };
    numbers.filter(|process| *process != std::process::id()).filter(is_of).collect()
}
