//! Compact form of a dense column with few distinct values for sending: the values once, and for each row the
//! number of its value. Genotypes, counts, answers and indicators take an eighth of the bytes, whatever their
//! centre and scale.

use raddle::state::StateError;

/// Largest number of distinct values in a coded column.
const MOST: usize = 64;

/// Slots of the hash table of values, so many that two values rarely compete for one.
const PLACES: usize = 4 * MOST;

/// The distinct values of a column, and the number of each row's value.
#[derive(Debug)]
pub(super) struct Coded {
    values: Vec<f64>,
    numbers: Vec<u8>,
}

raddle::state!(Coded { values, numbers });

impl Coded {
    /// Codes a column without loss, if that takes fewer bytes.
    pub(super) fn of(column: &[f64]) -> Option<Self> {
        let most = MOST.min(column.len() / 2);
        let (mut values, mut numbers) = (Vec::with_capacity(most), Vec::with_capacity(column.len()));
        // Number plus one of the value in each slot.
        let mut places = [0u8; PLACES];
        for value in column {
            let bits = value.to_bits();
            // Fibonacci hashing (Knuth, volume 3, 6.4): the upper bits of a product with 2^64 over the golden
            // ratio.
            let mut place = (bits.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as usize;
            let number = loop {
                match places[place] {
                    0 if values.len() == most => return None,
                    0 => {
                        values.push(*value);
                        places[place] = values.len() as u8;
                    }
                    number if values[number as usize - 1].to_bits() == bits => break number - 1,
                    _ => place = (place + 1) % PLACES,
                }
            };
            numbers.push(number);
        }
        Some(Self { values, numbers })
    }

    /// Decodes the column.
    ///
    /// # Errors
    /// If a row has the number of no value.
    pub(super) fn column(&self) -> Result<Vec<f64>, StateError> {
        let value = |&number: &u8| self.values.get(usize::from(number)).copied();
        self.numbers.iter().map(value).collect::<Option<_>>().ok_or(StateError::new("a coded column"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use raddle::state::{from_bytes, to_bytes};
    use raddle_common::testing::pairs;

    proptest! {
        #[test]
        fn a_coded_column_comes_back_bit_for_bit_in_less_room(
            values in prop::collection::vec(any::<u64>(), 1..90),
            rows in prop::collection::vec(any::<prop::sample::Index>(), 0..400),
        ) {
            let column: Vec<f64> = rows.iter().map(|row| f64::from_bits(*row.get(&values))).collect();
            let bits = |column: &[f64]| column.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
            let mut distinct = bits(&column);
            distinct.sort_unstable();
            distinct.dedup();
            let coded = Coded::of(&column);
            prop_assert_eq!(coded.is_some(), distinct.len() <= MOST.min(column.len() / 2));
            if let Some(coded) = coded {
                let bytes = to_bytes(&coded);
                prop_assert!(bytes.len() <= 16 + 5 * column.len());
                let back: Coded = from_bytes(&bytes).unwrap();
                prop_assert_eq!(bits(&back.column().unwrap()), bits(&column));
            }
        }
    }

    #[test]
    fn values_are_told_apart_by_their_last_bit_and_by_their_sign() {
        let column: Vec<f64> = (0..200).map(|row| f64::from_bits(row % MOST as u64)).collect();
        assert_eq!(Coded::of(&column).unwrap().column(), Ok(column));
        let zeros = [0.0, -0.0, 0.0, -0.0, f64::NAN, f64::NAN];
        let back = Coded::of(&zeros).unwrap().column().unwrap();
        assert!(pairs(&back, &zeros).all(|(one, other)| one.to_bits() == other.to_bits()));
    }

    #[test]
    fn a_number_without_a_value_is_an_error() {
        let coded = Coded { values: vec![1.0], numbers: vec![0, 1] };
        assert!(from_bytes::<Coded>(&to_bytes(&coded)).unwrap().column().is_err());
    }
}
