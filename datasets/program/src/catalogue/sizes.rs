//! Sizes as text.

use raddle_datasets::registry::RatingsEntry;

/// Formats a number with thousands separators.
pub(super) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(2 * digits.len());
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats the sizes of a set of ratings.
pub(super) fn of_ratings(known: &RatingsEntry) -> String {
    let [users, items, count] = [known.users, known.items, known.observations].map(grouped);
    let noun = if known.pairs_only { "pairs" } else { "ratings" };
    format!("{users} users, {items} items, {count} {noun}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_divided() {
        assert_eq!([0, 999, 1_000, 12_345_678].map(grouped), ["0", "999", "1,000", "12,345,678"]);
    }
}
