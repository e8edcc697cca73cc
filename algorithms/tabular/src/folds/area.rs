//! [`area`]: the area under the ROC curve.

/// The share of pairs, each of a row of the larger class and a row of the smaller class, in which the row of
/// the larger class has the larger score. A tie counts half, and a pair counts the product of its rows'
/// weights. NaN where a class is absent.
pub fn area(is_larger: &[bool], weights: &[f64], scores: &[f64]) -> f64 {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| scores[a].total_cmp(&scores[b]));
    let (mut smaller, mut larger, mut right) = (0.0, 0.0, 0.0);
    for tied in order.chunk_by(|&a, &b| scores[a] == scores[b]) {
        let of = |class: bool| -> f64 {
            tied.iter().filter(|&&row| is_larger[row] == class).map(|&row| weights[row]).sum()
        };
        let (more, fewer) = (of(true), of(false));
        right += more * (smaller + fewer / 2.0);
        (smaller, larger) = (smaller + fewer, larger + more);
    }
    right / (larger * smaller)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_area_is_the_share_of_pairs_in_order() {
        let scores = [0.3, -1.0, 0.3, 2.0, 0.0, 0.3, -1.0];
        let is_larger = [true, false, false, true, true, false, true];
        let mut pairs = (0.0, 0.0);
        for (a, _) in is_larger.iter().enumerate().filter(|(_, is)| **is) {
            for (b, _) in is_larger.iter().enumerate().filter(|(_, is)| !**is) {
                let part = f64::from(u8::from(scores[a] > scores[b]))
                    + 0.5 * f64::from(u8::from(scores[a] == scores[b]));
                pairs = (pairs.0 + part, pairs.1 + 1.0);
            }
        }
        assert_eq!(pairs.1, 12.0);
        let found = area(&is_larger, &[1.0; 7], &scores);
        assert!((found - pairs.0 / pairs.1).abs() < 1e-15, "{found}");
        // A row of weight 3 counts as three rows do.
        let weighted = area(&[true, false, true], &[3.0, 2.0, 0.0], &[1.0, 1.0, 7.0]);
        assert_eq!(weighted, 0.5);
        assert!(area(&[true, true], &[1.0; 2], &[1.0, 2.0]).is_nan());
    }
}
