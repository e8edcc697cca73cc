//! Limits on memory: data that cannot fit are refused with a message, before the system kills the process.

use std::fs;

/// Bytes assumed free where the system does not say.
const UNKNOWN: u64 = 8 << 30;

/// Returns the bytes of memory free for this process: the minimum of what the machine, the control group and
/// the resource limits allow.
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

/// Returns the limit on content that is read into memory: the parsed numbers must fit next to it.
pub(crate) fn for_content() -> u64 {
    free() / 3
}

/// Checks that there is memory for `count` values of type `T`. Callers check before they allocate a number of
/// values that comes from the data, so that the program can refuse instead of being killed.
///
/// ```
/// use raddle_datasets::room;
/// assert!(room::<f64>(1_000, "a thousand values").is_ok());
/// let refused = room::<f64>(1 << 57, "a matrix").unwrap_err();
/// assert!(refused.starts_with("no memory for a matrix, 1152921504.6 GB: "));
/// ```
///
/// # Errors
/// If there is too little memory; the sentence names the size of `what`.
pub fn room<T>(count: usize, what: &str) -> Result<(), String> {
    /// Smaller sizes are not checked.
    const LARGE: u64 = 1 << 28;
    let bytes = (count as u64).saturating_mul(size_of::<T>() as u64);
    // Memory that is not touched costs nothing, and an allocation this large is returned to the system at
    // once.
    let is_promised = Vec::<T>::new().try_reserve_exact(count).is_ok();
    match is_promised && (bytes < LARGE || bytes <= free()) {
        true => Ok(()),
        false => Err(format!(
            "no memory for {what}, {}: give less of it, or use a larger machine",
            gigabytes(bytes)
        )),
    }
}

/// Formats a number of bytes in gigabytes.
pub(crate) fn gigabytes(bytes: u64) -> String {
    format!("{:.1} GB", bytes as f64 / 1e9)
}
