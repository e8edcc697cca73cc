//! Sizes that the head of a file claims, and when they are believed.

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
