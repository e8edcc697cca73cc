//! Places of numbers in a list.

/// The place of a number that a list does not have.
pub(super) const NOWHERE: u32 = u32::MAX;

/// Returns the place of each of `count` numbers in a list, or `NOWHERE`; `None` if the list has a number
/// twice or out of range.
pub(super) fn places(list: &[u32], count: usize) -> Option<Vec<u32>> {
    let mut places = vec![NOWHERE; count];
    for (place, &number) in (0..).zip(list) {
        let free = places.get_mut(number as usize).filter(|place| **place == NOWHERE)?;
        *free = place;
    }
    Some(places)
}
