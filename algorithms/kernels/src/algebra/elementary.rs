//! Exponential and logarithm on eight lanes, from which losses are computed.
//!
//! The platform's `exp` and `ln` are not used: they differ between platforms, and they take one value at a
//! time. Here every step is an IEEE operation or a fused multiply-add on eight lanes, the same in all vector
//! forms.

use super::form::{Kernel, run};
use super::lanes::{LANES, Lanes};

/// Larger exponents count as this one: exp(-708) is the smallest power that is a normal number.
pub(super) const MOST_EXPONENT: f64 = 708.0;

/// Sums over the rows of a loss.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LossSums {
    /// Sum of the loss.
    pub loss: f64,
    /// Sum of the residuals: minus the derivatives by the score.
    pub residual: f64,
    /// Sum of the weights: the second derivatives.
    pub weights: f64,
}

raddle_base::state!(LossSums { loss, residual, weights });

/// Computes N values of each of eight rows from their responses and scores.
///
/// A trait is used rather than a closure: a function passed as a value is compiled for any processor, and its
/// fused multiply-adds are then calls, seven times slower. [`of`](RowFunction::of) must be
/// `#[inline(always)]`, as must all it calls.
pub(super) trait RowFunction<const N: usize> {
    fn of<L: Lanes>(&self, y: &Eight, scores: &Eight) -> [Eight; N];
}

/// Weights of rows.
pub(super) trait Weighing: Copy {
    /// Multiplies values of eight rows, from `first` on, by their weights.
    fn weigh(self, first: usize, values: &Eight) -> Eight;
}

/// All rows count equally.
#[derive(Clone, Copy)]
struct Alike;

impl Weighing for Alike {
    #[inline(always)]
    fn weigh(self, _: usize, values: &Eight) -> Eight {
        *values
    }
}

/// Rows have weights. A row of weight 0 counts nothing, whatever its loss.
#[derive(Clone, Copy)]
struct Own<'a>(&'a [f64]);

impl Weighing for Own<'_> {
    #[inline(always)]
    fn weigh(self, first: usize, values: &Eight) -> Eight {
        let own = padded(&self.0[first..self.0.len().min(first + LANES)]);
        eight(|l| if own[l] > 0.0 { own[l] * values[l] } else { 0.0 })
    }
}

/// Rows on which a loss is evaluated: responses, scores, and weights if rows have any, all of one length.
pub type GivenRows<'a> = (&'a [f64], &'a [f64], Option<&'a [f64]>);

/// Evaluates loss, residual and weight of all rows, each times the row's own weight if there are any: writes
/// residuals and weights, and sums all three in lanes.
pub(super) fn losses(
    (y, scores, own): GivenRows<'_>,
    residual: &mut [f64],
    weights: &mut [f64],
    rows: impl RowFunction<3>,
) -> LossSums {
    match own {
        None => run(Losses { y, scores, own: Alike, residual, weights, rows }),
        Some(own) => run(Losses { y, scores, own: Own(own), residual, weights, rows }),
    }
}

/// Sums a value of all rows in lanes, times the rows' own weights.
pub(super) fn sum_of((y, scores, own): GivenRows<'_>, rows: impl RowFunction<1>) -> f64 {
    match own {
        None => run(SumOf { y, scores, own: Alike, rows }),
        Some(own) => run(SumOf { y, scores, own: Own(own), rows }),
    }
}

struct Losses<'a, W, R> {
    y: &'a [f64],
    scores: &'a [f64],
    own: W,
    residual: &'a mut [f64],
    weights: &'a mut [f64],
    rows: R,
}

impl<W: Weighing, R: RowFunction<3>> Kernel for Losses<'_, W, R> {
    type Output = LossSums;

    #[inline(always)]
    fn run<L: Lanes>(self) -> LossSums {
        let (y, last_y) = self.y.as_chunks::<LANES>();
        let (scores, last_scores) = self.scores.as_chunks::<LANES>();
        let (residual, last_residual) = self.residual.as_chunks_mut::<LANES>();
        let (weights, last_weights) = self.weights.as_chunks_mut::<LANES>();
        let mut sums = [[0.0; LANES]; 3];
        let mut first = 0;
        for (((y, scores), residual), weights) in y.iter().zip(scores).zip(residual).zip(weights) {
            let [loss, r, w] = self.rows.of::<L>(y, scores);
            let values = [self.own.weigh(first, &loss), self.own.weigh(first, &r), self.own.weigh(first, &w)];
            (*residual, *weights) = (values[1], values[2]);
            for (sum, value) in sums.iter_mut().zip(&values) {
                *sum = eight(|l| sum[l] + value[l]);
            }
            first += LANES;
        }
        let count = last_y.len().min(last_scores.len());
        if count > 0 {
            let [loss, r, w] = self.rows.of::<L>(&padded(last_y), &padded(last_scores));
            let values = [self.own.weigh(first, &loss), self.own.weigh(first, &r), self.own.weigh(first, &w)];
            last_residual.copy_from_slice(&values[1][..last_residual.len()]);
            last_weights.copy_from_slice(&values[2][..last_weights.len()]);
            for (sum, value) in sums.iter_mut().zip(&values) {
                *sum = eight(|l| sum[l] + if l < count { value[l] } else { 0.0 });
            }
        }
        let [loss, residual, weights] = sums.map(|sum| L::load(&sum).sum());
        LossSums { loss, residual, weights }
    }
}

struct SumOf<'a, W, R> {
    y: &'a [f64],
    scores: &'a [f64],
    own: W,
    rows: R,
}

impl<W: Weighing, R: RowFunction<1>> Kernel for SumOf<'_, W, R> {
    type Output = f64;

    #[inline(always)]
    fn run<L: Lanes>(self) -> f64 {
        let (y, last_y) = self.y.as_chunks::<LANES>();
        let (scores, last_scores) = self.scores.as_chunks::<LANES>();
        let mut sums = [0.0; LANES];
        let mut first = 0;
        for (y, scores) in y.iter().zip(scores) {
            let [values] = self.rows.of::<L>(y, scores);
            let values = self.own.weigh(first, &values);
            sums = eight(|l| sums[l] + values[l]);
            first += LANES;
        }
        let count = last_y.len().min(last_scores.len());
        if count > 0 {
            let [values] = self.rows.of::<L>(&padded(last_y), &padded(last_scores));
            let values = self.own.weigh(first, &values);
            sums = eight(|l| sums[l] + if l < count { values[l] } else { 0.0 });
        }
        L::load(&sums).sum()
    }
}

pub(super) type Eight = [f64; LANES];

#[inline(always)]
pub(super) fn eight(of: impl Fn(usize) -> f64) -> Eight {
    let mut result = [0.0; LANES];
    for (lane, result) in result.iter_mut().enumerate() {
        *result = of(lane);
    }
    result
}

/// Returns `p[0] + z (p[1] + z (...))`.
#[inline(always)]
pub(super) fn polynomial<L: Lanes, const N: usize>(p: &[f64; N], z: Eight) -> Eight {
    // Written with named vectors: most of the work is here, and the compiler does not always vectorise it.
    let (z, mut sum) = (L::load(&z), L::splat(p[N - 1]));
    for &coefficient in p[..N - 1].iter().rev() {
        sum = sum.mul_add(z, L::splat(coefficient));
    }
    let mut result = [0.0; LANES];
    sum.store(&mut result);
    result
}

/// Coefficients 1 / k! of the exponential series.
pub(super) const EXP: [f64; 14] = {
    let mut terms = [1.0; 14];
    let mut k = 1;
    while k < 14 {
        terms[k] = terms[k - 1] / k as f64;
        k += 1;
    }
    terms
};

/// Coefficients 2 / (2k + 1): 2 atanh(s) = s times this polynomial in s^2.
const fn atanh<const N: usize>() -> [f64; N] {
    let mut terms = [2.0; N];
    let mut k = 1;
    while k < N {
        terms[k] = 2.0 / (2 * k + 1) as f64;
        k += 1;
    }
    terms
}

/// Enough terms for |s| <= 1/3.
const ATANH: [f64; 17] = atanh();

/// Enough terms for |s| <= (sqrt 2 - 1) / (sqrt 2 + 1).
const ATANH_NEAR: [f64; 11] = atanh();

/// ln 2 as a sum: the first part has trailing zeros, so that small multiples of it are exact.
pub(super) const LN2: [f64; 2] = [0.693_147_180_369_123_8, 1.908_214_929_270_587_7e-10];

/// Returns exp(-m) for m in \[-708, 708\].
#[inline(always)]
pub(super) fn exp_minus<L: Lanes>(m: Eight) -> Eight {
    let (shifted, _, x) = reduced(m);
    let power = polynomial::<L, _>(&EXP, x);
    eight(|l| f64::from_bits(power[l].to_bits().wrapping_add(shifted[l].to_bits() << 52)))
}

/// Splits -m = k ln 2 + x with whole k and |x| <= ln(2) / 2, for m in \[-708, 708\]: returns a number whose
/// lowest bits are k, then k and x. exp x is computed by its series, and k is added to its exponent.
#[inline(always)]
pub(super) fn reduced(m: Eight) -> (Eight, Eight, Eight) {
    // Adding 1.5 * 2^52 rounds to a whole number, which is then in the lowest bits.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    let shifted = eight(|l| (-m[l]).mul_add(std::f64::consts::LOG2_E, ROUND));
    let k = eight(|l| shifted[l] - ROUND);
    let x = eight(|l| k[l].mul_add(-LN2[1], k[l].mul_add(-LN2[0], -m[l])));
    (shifted, k, x)
}

/// Returns ln(1 + e) for e in \[0, 1\] or \[-1/2, 0\], as 2 atanh(e / (2 + e)).
#[inline(always)]
pub(super) fn ln_1p<L: Lanes>(e: Eight) -> Eight {
    let s = eight(|l| e[l] / (2.0 + e[l]));
    let sum = polynomial::<L, _>(&ATANH, eight(|l| s[l] * s[l]));
    eight(|l| s[l] * sum[l])
}

/// Returns ln q for a positive normal number q.
#[inline(always)]
pub(super) fn ln<L: Lanes>(q: Eight) -> Eight {
    const MANTISSA: u64 = (1 << 52) - 1;
    // 2^52 + (the exponent's bits), as a number.
    let biased = eight(|l| f64::from_bits(0x4330_0000_0000_0000 | (q[l].to_bits() >> 52)));
    let half = eight(|l| f64::from_bits((q[l].to_bits() & MANTISSA) | 0x3fe0_0000_0000_0000));
    let low = half.map(|half| half < std::f64::consts::FRAC_1_SQRT_2);
    let f = eight(|l| if low[l] { 2.0 * half[l] } else { half[l] });
    let k = eight(|l| biased[l] - (4_503_599_627_370_496.0 + 1022.0) - if low[l] { 1.0 } else { 0.0 });
    let s = eight(|l| (f[l] - 1.0) / (f[l] + 1.0));
    let sum = polynomial::<L, _>(&ATANH_NEAR, eight(|l| s[l] * s[l]));
    eight(|l| k[l].mul_add(LN2[0], k[l].mul_add(LN2[1], s[l] * sum[l])))
}

/// Pads up to eight values with zeros.
#[inline(always)]
pub(super) fn padded(last: &[f64]) -> Eight {
    eight(|l| last.get(l).copied().unwrap_or(0.0))
}
