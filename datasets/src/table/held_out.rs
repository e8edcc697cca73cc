//! [`HeldOut`]: rows that are held out when a table is read.

use crate::counter::splitmix64;

/// A random fraction of the rows: the table is read as if its data had only the others.
///
/// Rows are drawn by their numbers in the data, so that readers with any order and any number of threads hold
/// out the same ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeldOut {
    /// Fraction of the rows, above 0 and below 1.
    pub share: f64,
    /// Seed.
    pub seed: u64,
}

/// Constant that separates these draws from other uses of the seed.
const STREAM: u64 = 0x6865_6c64_5f6f_7574;

impl HeldOut {
    /// Returns `true` for each of `rows` rows that is held out: those with the smallest hashes of seed and
    /// number, as many as the fraction says, rounded, and at least one.
    ///
    /// # Errors
    /// If no row is left; the message says so.
    ///
    /// ```
    /// use raddle_datasets::HeldOut;
    /// let rows = HeldOut { share: 0.25, seed: 42 }.rows(10)?;
    /// assert_eq!(rows.iter().filter(|is_out| **is_out).count(), 3);
    /// # Ok::<(), String>(())
    /// ```
    pub fn rows(self, rows: usize) -> Result<Vec<bool>, String> {
        let Self { share, seed } = self;
        let count = ((share * rows as f64).round() as usize).max(1);
        if count >= rows {
            return Err(format!(
                "--test {share} holds out {count} of {rows} rows, so that none is left to fit: give a \
                 smaller share"
            ));
        }
        let of_seed = splitmix64(seed ^ STREAM);
        let hash = |row: usize| (splitmix64(splitmix64(row as u64) ^ of_seed), row);
        let mut drawn: Vec<(u64, usize)> = (0..rows).map(hash).collect();
        drawn.select_nth_unstable(count);
        let mut is_out = vec![false; rows];
        drawn[..count].iter().for_each(|&(_, row)| is_out[row] = true);
        Ok(is_out)
    }

    /// Returns `true` for each of `rows` rows that is not held out.
    pub(super) fn kept(self, rows: usize) -> Result<Vec<bool>, String> {
        Ok(self.rows(rows)?.into_iter().map(|is_out| !is_out).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_drawn_by_the_seed_and_leaves_a_row() {
        let drawn = |share, seed, rows| HeldOut { share, seed }.rows(rows).unwrap();
        for (share, rows, count) in [(0.5, 2, 1), (0.001, 5, 1), (0.07, 100, 7), (0.3, 1000, 300)] {
            let out = drawn(share, 7, rows);
            assert_eq!((out.len(), out.iter().filter(|is_out| **is_out).count()), (rows, count), "{share}");
        }
        // The rows of a smaller fraction are among those of a larger one; another seed draws other rows.
        let (small, large) = (drawn(0.1, 7, 1000), drawn(0.2, 7, 1000));
        assert!((0..1000).all(|row| large[row] || !small[row]));
        assert_ne!(drawn(0.1, 8, 1000), small);
        for rows in [0, 1] {
            assert!(HeldOut { share: 0.5, seed: 7 }.rows(rows).is_err());
        }
        assert!(HeldOut { share: 0.9, seed: 7 }.rows(4).unwrap_err().contains("none is left to fit"));
    }
}
