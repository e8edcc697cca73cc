//! [`draw`]: draws from a Dirichlet distribution.

use raddle_base::random::Stream;

/// Draws from the Dirichlet distribution with these means, whose parameters add up to `all`.
pub fn draw(stream: &mut Stream, means: &[f32], all: f64, into: &mut [f64]) {
    for (drawn, &mean) in into.iter_mut().zip(means) {
        *drawn = gamma(stream, f64::from(mean) * all);
    }
    let sum: f64 = into.iter().sum();
    if sum > 0.0 {
        into.iter_mut().for_each(|drawn| *drawn /= sum);
        return;
    }
    // Every draw was too small for a number: nearly all of the sum is in one, by its mean.
    let (mut left, mut at) = (stream.unit() * means.iter().map(|&mean| f64::from(mean)).sum::<f64>(), 0);
    while at + 1 < means.len() && left >= f64::from(means[at]) {
        left -= f64::from(means[at]);
        at += 1;
    }
    into.iter_mut().skip(at).take(1).for_each(|drawn| *drawn = 1.0);
}

/// Draws from the gamma distribution of this shape (Marsaglia and Tsang, "A simple method for generating
/// gamma variables", 2000).
fn gamma(stream: &mut Stream, shape: f64) -> f64 {
    // A unit draw is a multiple of 2^-53, and may be 0.
    let unit = |stream: &mut Stream| 1.0 - stream.unit();
    if shape < 1.0 {
        let power = libm::exp(libm::log(unit(stream)) / shape.max(f64::MIN_POSITIVE));
        return gamma(stream, shape + 1.0) * power;
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let (radius, angle) = (-2.0 * libm::log(unit(stream)), std::f64::consts::TAU * stream.unit());
        let normal = radius.sqrt() * libm::cos(angle);
        let v = 1.0 + c * normal;
        if v > 0.0 {
            let v = v * v * v;
            if libm::log(unit(stream)) < normal * normal / 2.0 + d * (1.0 - v + libm::log(v)) {
                return d * v;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use raddle_common::testing::pairs;

    use super::*;

    #[test]
    fn gamma_draws_have_the_mean_and_the_variance_of_their_shape() {
        for shape in [0.05, 0.6, 1.0, 7.5, 200.0] {
            let mut stream = Stream::new(&[7, 1]);
            let drawn: Vec<f64> = (0..40_000).map(|_| gamma(&mut stream, shape)).collect();
            let mean = drawn.iter().sum::<f64>() / drawn.len() as f64;
            let variance = drawn.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / drawn.len() as f64;
            // Six standard errors; the fourth central moment is 3 shape^2 + 6 shape.
            let error = 6.0 / (drawn.len() as f64).sqrt();
            assert!((mean - shape).abs() < error * shape.sqrt(), "{shape}: mean {mean}");
            let spread = (2.0 * shape * shape + 6.0 * shape).sqrt();
            assert!((variance - shape).abs() < error * spread, "{shape}: variance {variance}");
        }
    }

    #[test]
    fn draws_add_up_to_one_and_have_their_means() {
        for all in [1e-9, 0.5, 50.0] {
            let (mut stream, mut sums) = (Stream::new(&[3]), [0.0; 3]);
            for _ in 0..20_000 {
                let mut drawn = [0.0; 3];
                draw(&mut stream, &[0.2, 0.5, 0.3], all, &mut drawn);
                assert!((drawn.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{drawn:?}");
                sums.iter_mut().zip(drawn).for_each(|(sum, share)| *sum += share);
            }
            for (sum, mean) in pairs(&sums, [0.2, 0.5, 0.3]) {
                assert!((sum / 20_000.0 - mean).abs() < 0.02, "{all}: {sums:?}");
            }
        }
    }
}
