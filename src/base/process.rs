//! The machine of this process, and its peak memory and CPU time as the system counts them.

use std::fs;

/// Linux counts CPU time in hundredths of a second, whatever its kernel's own clock is.
const TICKS_PER_SECOND: f64 = 100.0;

/// Returns the processor and the system that this process was compiled for, such as `x86_64-linux`.
pub fn machine() -> String {
    format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS)
}

/// Returns the peak memory of this process, in bytes; `None` if the system does not say.
pub fn peak_memory_bytes() -> Option<u64> {
    peak(&fs::read_to_string("/proc/self/status").ok()?)
}

/// Returns the CPU time of this process so far, over all its threads, in seconds with two decimals; `None` if
/// the system does not say.
pub fn cpu_seconds() -> Option<f64> {
    cpu(&fs::read_to_string("/proc/self/stat").ok()?)
}

fn peak(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

/// User and system time are the 14th and 15th fields; the second, a name in brackets, may hold anything.
fn cpu(stat: &str) -> Option<f64> {
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some((user + system) as f64 / TICKS_PER_SECOND)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_read_in_bytes() {
        assert_eq!(peak("Name:\tlasso\nVmPeak:\t 9 kB\nVmHWM:\t    1234 kB\n"), Some(1234 * 1024));
        assert_eq!(peak("Name:\tlasso\n"), None);
    }

    #[test]
    fn cpu_time_is_read_past_any_name() {
        let stat = "77 (a ) 1 (b) R 1 2 3 4 5 6 7 8 9 10 250 50 0 0 20 0 3 0";
        assert_eq!(cpu(stat), Some(3.0));
        assert_eq!(cpu("nonsense"), None);
    }
}
