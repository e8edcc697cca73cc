//! Limits on memory: data that cannot fit, and sizes in the head of a file that it cannot have, are refused
//! with a message, before the system kills the process.

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

/// Claims up to this one are believed of any file: little memory is allocated for them.
const SMALL: u64 = 1 << 22;

/// Empty rows or columns that are believed for each value in a file.
const EMPTY: u64 = 64;

/// Checks the number of rows, columns, documents or words that the head of a file with `values` values
/// claims. Memory is allocated only for numbers that passed here.
///
/// # Errors
/// If the claim is too large for so few values: it is taken for a mistake, which would fill the memory.
///
/// ```
/// use raddle_datasets::believable;
/// assert_eq!(believable("rows", 1_000_000, 3), Ok(1_000_000));
/// assert!(believable("rows", 4_000_000_000, 3).unwrap_err().contains("4000000000 rows"));
/// ```
pub fn believable(what: &str, claimed: u64, values: u64) -> Result<usize, String> {
    let most = SMALL.max(values.saturating_mul(EMPTY));
    match usize::try_from(claimed) {
        Ok(size) if claimed <= most => Ok(size),
        _ => Err(format!(
            "{claimed} {what} are claimed, but there are only {values} values in the file: is that size a \
             mistake?"
        )),
    }
}

/// Checks that a file has as many entries as `line` states.
pub(crate) fn check_entries(found: u64, stated: u64, line: &str) -> Result<(), String> {
    match found == stated {
        true => Ok(()),
        false => Err(format!("{found} entries, but {line} says {stated}: was the file cut off?")),
    }
}

/// Message about content that does not fit into memory.
pub(crate) fn too_large(most: u64, what: &str) -> String {
    let most = gigabytes(most);
    format!(
        "{what} more than {most}, a third of the memory that is free: give less of it, or use a larger \
         machine"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_file_can_hold_is_believed() {
        assert_eq!(believable("columns", 20_000_000, 1_000_000), Ok(20_000_000));
        assert!(believable("columns", 100_000_000, 1_000_000).is_err());
        assert!(believable("columns", u64::MAX, u64::MAX).is_ok());
    }
}
