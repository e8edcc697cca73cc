//! Combinations of settings that a test tries: by default each value of a setting with some values of the
//! others, and with `RADDLE_COMBINATIONS=all` each value with all of them.

/// `true` if every combination is tried, as `RADDLE_COMBINATIONS=all` asks.
pub(crate) fn all_combinations() -> bool {
    std::env::var("RADDLE_COMBINATIONS").is_ok_and(|which| which == "all")
}

/// All of these values, or the one whose turn it is.
pub(crate) fn in_turn<T: Copy, const N: usize>(values: [T; N], turn: usize) -> Vec<T> {
    if all_combinations() { values.to_vec() } else { vec![values[turn % N]] }
}
