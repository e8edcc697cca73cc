//! How much memory one input may take: what cannot fit is refused with a sentence, before the system ends the
//! program.

use std::fs;

/// Where the system does not say how much is free.
const UNKNOWN: u64 = 8 << 30;

/// Bytes that are free for this process: the least that the machine, its control group and its limits say.
pub(crate) fn free() -> u64 {
    let machine = || {
        let text = fs::read_to_string("/proc/meminfo").ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
        let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
        kilobytes.checked_mul(1024)
    };
    let group = || {
        let number = |name: &str| {
            fs::read_to_string(format!("/sys/fs/cgroup/{name}")).ok()?.trim().parse::<u64>().ok()
        };
        Some(number("memory.max")?.saturating_sub(number("memory.current")?))
    };
    let address_space = || {
        let text = fs::read_to_string("/proc/self/limits").ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix("Max address space"))?;
        line.split_whitespace().next()?.parse().ok()
    };
    [machine(), group(), address_space()].into_iter().flatten().min().unwrap_or(UNKNOWN)
}

/// Bytes of content that are read into memory at most: the parsed numbers have to fit beside it.
pub(crate) fn for_content() -> u64 {
    free() / 3
}

/// `true` if there is memory for this number of values, of `what`: asked before they are allocated, where
/// their number comes from the data, so that what does not fit is refused and not cut short by the system.
///
/// ```
/// use raddle_datasets::room;
/// assert!(room::<f64>(1_000, "a thousand values").is_ok());
/// let refused = room::<f64>(1 << 57, "a matrix").unwrap_err();
/// assert!(refused.starts_with("no memory for a matrix, 1152921504.6 GB: "));
/// ```
///
/// # Errors
/// A sentence that names the size, if there is not.
pub fn room<T>(count: usize, what: &str) -> Result<(), String> {
    /// Less is not worth asking the system for.
    const LARGE: u64 = 1 << 28;
    let bytes = (count as u64).saturating_mul(size_of::<T>() as u64);
    // Memory that is not touched costs nothing, and a piece this large goes back to the system at once.
    let is_promised = Vec::<T>::new().try_reserve_exact(count).is_ok();
    match is_promised && (bytes < LARGE || bytes <= free()) {
        true => Ok(()),
        false => Err(format!(
            "no memory for {what}, {}: give less of it, or use a larger machine",
            gigabytes(bytes)
        )),
    }
}

/// Size in a message.
pub(crate) fn gigabytes(bytes: u64) -> String {
    format!("{:.1} GB", bytes as f64 / 1e9)
}
