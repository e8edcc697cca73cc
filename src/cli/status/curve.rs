//! [`curve`]: numbers as a line of block characters.

/// The characters, from the lowest to the highest.
const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Draws numbers as block characters, at most `width` of them. A character for several numbers shows their
/// minimum, the first character the first number alone. Heights are logarithmic if all numbers are positive
/// and span two decades. A number that is not finite leaves a blank.
pub(super) fn curve(numbers: &[f64], width: usize) -> String {
    let columns = width.min(numbers.len());
    let least = |column: usize| {
        let run = &numbers[column * numbers.len() / columns..(column + 1) * numbers.len() / columns];
        let run = if column == 0 { &run[..1] } else { run };
        run.iter().copied().filter(|number| number.is_finite()).fold(f64::NAN, f64::min)
    };
    let shown: Vec<f64> = (0..columns).map(least).collect();
    let of = |fold: fn(f64, f64) -> f64, shown: &[f64]| shown.iter().copied().fold(f64::NAN, fold);
    let (low, high) = (of(f64::min, &shown), of(f64::max, &shown));
    let is_log = low > 0.0 && high >= 100.0 * low;
    let height = |number: f64| if is_log { libm::log(number) } else { number };
    let (low, high) = (height(low), height(high));
    let block = |&number: &f64| match height(number) {
        at if at.is_nan() => ' ',
        _ if high <= low => BLOCKS[0],
        at => BLOCKS[((at / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0) * 7.0).round() as usize],
    };
    shown.iter().map(block).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn heights_are_those_of_the_numbers() {
        assert_eq!(curve(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], 60), "▁▂▃▄▅▆▇█");
        assert_eq!(curve(&[1.0, 0.1, 0.01, 0.001], 60), "█▆▃▁");
        assert_eq!(curve(&[7.0, 0.0, 3.0], 60), "█▁▄");
        assert_eq!(curve(&[2.0, 2.0], 60), "▁▁");
        assert_eq!((curve(&[], 60), curve(&[5.0], 60)), (String::new(), "▁".into()));
        assert_eq!(curve(&[3.0, f64::NAN, f64::INFINITY, 1.0], 60), "█  ▁");
        assert_eq!(curve(&[f64::NAN], 60), " ");
        assert_eq!(curve(&[f64::MAX, f64::MIN], 60), "█▁");
    }

    proptest! {
        #[test]
        fn the_least_is_kept_and_the_line_is_no_wider(numbers in prop::collection::vec(-1e3..1e3f64, 2..500)) {
            let line: Vec<char> = curve(&numbers, 60).chars().collect();
            prop_assert_eq!(line.len(), numbers.len().min(60));
            let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
            let place = numbers.iter().position(|number| *number == least).unwrap();
            // The first character shows the first number alone.
            let column = (0..line.len()).find(|column| place < (column + 1) * numbers.len() / line.len()).unwrap();
            prop_assert!(column == 0 || line[column] == BLOCKS[0], "{:?}", line);
        }
    }
}
