//! How much memory one input may take: what cannot fit is refused with a sentence, before the system ends the program.

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

/// What a size is called in a message.
pub(crate) fn gigabytes(bytes: u64) -> String {
    format!("{:.1} GB", bytes as f64 / 1e9)
}
