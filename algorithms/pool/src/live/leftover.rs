//! [`end_leftovers`]: ends the processes that an earlier pool left running.

use std::path::Path;
use std::time::{Duration, Instant};
use std::{fs, io, thread};

use super::signals::kill;

/// Environment variable of every process of a pool; its value is the folder of the pool.
pub(super) const POOL: &str = "RADDLE_POOL";
/// Interval at which the end of processes is checked.
const PAUSE: Duration = Duration::from_millis(20);
/// Timeout for the system to end processes.
const ENOUGH: Duration = Duration::from_secs(30);

/// Ends all processes that an earlier pool in this folder left running because it was killed, and returns
/// their number. The processes are recognised by their environment, so none is missed, whenever the pool was
/// killed. On systems without `/proc` none are found.
///
/// # Errors
/// If a process is still alive after half a minute.
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

/// Processes with this folder in their environment, without zombies.
fn processes(pool: &Path) -> Vec<u32> {
    let wanted = [POOL.as_bytes(), b"=", pool.as_os_str().as_encoded_bytes()].concat();
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let numbers = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let is_of = |process: &u32| {
        // Processes of other users cannot be read. A process that has ended has no environment.
        let environment = fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == wanted.as_slice())
    };
    numbers.filter(|process| *process != std::process::id()).filter(is_of).collect()
}
