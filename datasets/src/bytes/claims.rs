//! Sizes that the head of a file claims, and how far they are believed.

/// Claims up to here are believed of any file: what is allocated for one is small.
const SMALL: u64 = 1 << 22;

/// Rows or columns that may be empty for each value that a file holds.
const EMPTY: u64 = 64;

/// The number of rows, columns, documents or words that a head claims, of a file that holds `values` values;
/// memory is only set aside for what has passed here.
///
/// # Errors
/// If there were hardly any value for each: then the claim is a mistake, and memory would be filled with
/// nothing.
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
