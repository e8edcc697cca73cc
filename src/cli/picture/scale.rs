//! [`Span`]: the pixels of an axis, and the round numbers that it shows.

use crate::report::picture::Scale;

/// Numbers of an axis and the pixels where they stand.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    scale: Scale,
    /// Ends of the axis, as logarithms to base 10 on a logarithmic one.
    low: f64,
    high: f64,
    /// Pixels of these ends.
    from: f64,
    to: f64,
}

impl Span {
    /// Axis that shows all of `values`. A part of its length, `margin`, stays free at either end. `None`
    /// where no value has a place.
    pub(super) fn new(
        scale: Scale,
        values: impl Iterator<Item = f64>,
        margin: f64,
        from: f64,
        to: f64,
    ) -> Option<Self> {
        let placed = values.filter_map(|value| unit(scale, value));
        let (mut low, mut high) =
            placed.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| (low.min(at), high.max(at)));
        if low > high {
            return None;
        }
        // The ends of huge numbers are halved before they are subtracted: their distance may be infinite.
        let length = (high / 2.0 - low / 2.0) * 2.0;
        if length <= 1e-12 * high.abs().max(low.abs()) || length == 0.0 {
            let room = if scale == Scale::Log { 0.5 } else { 0.5 * high.abs().clamp(1.0, f64::MAX / 4.0) };
            (low, high) = (low - room, high + room);
        } else if length.is_finite() {
            (low, high) = (low - margin * length, high + margin * length);
        }
        Some(Self { scale, low, high, from, to })
    }

    /// Pixel of a value; `None` where it has no place.
    pub(super) fn at(&self, value: f64) -> Option<f64> {
        let at = unit(self.scale, value)?;
        let part = (at / 2.0 - self.low / 2.0) / (self.high / 2.0 - self.low / 2.0);
        Some(self.from + part * (self.to - self.from))
    }

    /// Round numbers on the axis, rising: at least two where there is room, about `wanted`.
    pub(super) fn ticks(&self, wanted: usize) -> Vec<f64> {
        let wanted = wanted.max(2) as f64;
        if self.scale == Scale::Linear {
            return linear_ticks(self.low, self.high, wanted);
        }
        let decades = self.high - self.low;
        if decades >= 2.0 {
            let step = (decades / wanted).ceil();
            let first = (self.low / step).ceil() as i32;
            let last = (self.high / step).floor() as i32;
            return (first..=last).map(|at| 10f64.powi(at * step as i32)).collect();
        }
        let (low, high) = (libm::pow(10.0, self.low), libm::pow(10.0, self.high));
        let first = self.low.floor() as i32;
        let among = (first..=self.high.ceil() as i32)
            .flat_map(|decade| [1.0, 2.0, 5.0].map(|digit| digit * 10f64.powi(decade)));
        let ticks: Vec<f64> = among.filter(|tick| (low..=high).contains(tick)).collect();
        if ticks.len() >= 3 { ticks } else { linear_ticks(low, high, wanted) }
    }

    /// Attributes by which a script finds the value of a pixel: scale, ends in its unit, and pixels.
    pub(super) fn attributes(&self, axis: char) -> String {
        let Self { scale, low, high, from, to } = self;
        let scale = if *scale == Scale::Log { "log" } else { "linear" };
        format!(r#" data-{axis}="{scale} {low:e} {high:e} {from} {to}""#)
    }
}

/// Number in the unit of an axis; `None` where it has no place.
fn unit(scale: Scale, value: f64) -> Option<f64> {
    let at = if scale == Scale::Log { libm::log10(value) } else { value };
    at.is_finite().then_some(at)
}

fn linear_ticks(low: f64, high: f64, wanted: f64) -> Vec<f64> {
    let raw = high / wanted - low / wanted;
    let size = libm::pow(10.0, libm::log10(raw).floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * size).into_iter().find(|&step| step >= 0.7 * raw);
    let step = step.unwrap_or(10.0 * size);
    let (first, last) = ((low / step - 1e-9).ceil(), (high / step + 1e-9).floor());
    if !(step > 0.0 && step.is_finite() && last - first < 100.0) {
        return vec![low, high];
    }
    (0..=(last - first) as i32).map(|at| (first + f64::from(at)) * step).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::number::number;

    fn span(scale: Scale, values: &[f64]) -> Span {
        Span::new(scale, values.iter().copied(), 0.0, 0.0, 100.0).unwrap()
    }

    fn shown(scale: Scale, values: &[f64], wanted: usize) -> Vec<String> {
        span(scale, values).ticks(wanted).into_iter().map(number).collect()
    }

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!(shown(Scale::Linear, &[0.0, 1.0], 5), ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
        assert_eq!(shown(Scale::Linear, &[-3.0, 7.3], 5), ["-2", "0", "2", "4", "6"].map(str::to_owned));
        assert_eq!(shown(Scale::Log, &[1e-8, 1.0], 5), ["1e-8", "1e-6", "0.0001", "0.01", "1"]);
        assert_eq!(shown(Scale::Log, &[1.0, 60.0], 5), ["1", "2", "5", "10", "20", "50"]);
        assert_eq!(shown(Scale::Log, &[2.0, 6.0], 4), ["2", "3", "4", "5", "6"].map(str::to_owned));
    }

    #[test]
    fn equal_differences_or_ratios_are_equally_long() {
        let linear = span(Scale::Linear, &[2.0, 6.0]);
        assert_eq!([2.0, 3.0, 6.0].map(|value| linear.at(value).unwrap()), [0.0, 25.0, 100.0]);
        let log = span(Scale::Log, &[1.0, 1e4, 0.0, f64::NAN, -3.0]);
        assert_eq!([1.0, 10.0, 1e4].map(|value| log.at(value).unwrap()), [0.0, 25.0, 100.0]);
        assert_eq!([0.0, -1.0, f64::NAN, f64::INFINITY].map(|value| log.at(value)), [None; 4]);
    }

    #[test]
    fn one_value_stands_in_the_middle_and_none_has_no_axis() {
        for value in [0.0, 5.0, -1e300, 1e-300] {
            assert_eq!(span(Scale::Linear, &[value, value]).at(value), Some(50.0), "{value}");
        }
        assert_eq!(span(Scale::Log, &[3.0]).at(3.0), Some(50.0));
        assert!(Span::new(Scale::Log, [0.0, -1.0].into_iter(), 0.0, 0.0, 1.0).is_none());
        assert!(Span::new(Scale::Linear, [f64::NAN].into_iter(), 0.0, 0.0, 1.0).is_none());
    }

    proptest! {
        #[test]
        fn ticks_rise_and_lie_on_the_axis(a in any::<f64>(), b in any::<f64>(), log: bool, wanted in 2..9usize) {
            let scale = if log { Scale::Log } else { Scale::Linear };
            let Some(span) = Span::new(scale, [a, b].into_iter(), 0.05, 10.0, 400.0) else { return Ok(()) };
            let ticks = span.ticks(wanted);
            prop_assert!(ticks.windows(2).all(|pair| pair[0] < pair[1]), "{ticks:?}");
            prop_assert!(ticks.len() <= 8 * wanted.max(2), "{ticks:?}");
            for tick in ticks {
                let at = span.at(tick);
                prop_assert!(at.is_none_or(|at| (9.9..=400.1).contains(&at)), "{tick} at {at:?}");
            }
        }
    }
}
