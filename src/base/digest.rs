//! [`ModelDigest`]: one short text, equal exactly when two models are.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

/// SHA-256 over a model's values in an order that the program documents, each as its little-endian bytes.
///
/// ```
/// use raddle::ModelDigest;
/// let digest = |last| ModelDigest::default().u64s(&[1, 2]).f64s(&[0.5, last]).finish();
/// assert_eq!(digest(1.0), digest(1.0));
/// assert_ne!(digest(1.0), digest(1.0 + f64::EPSILON));
/// ```
#[derive(Debug, Clone, Default)]
pub struct ModelDigest(Sha256);

impl ModelDigest {
    /// Adds bytes as they are.
    pub fn bytes(mut self, bytes: &[u8]) -> Self {
        self.0.update(bytes);
        self
    }

    /// Adds double-precision numbers.
    pub fn f64s(self, values: &[f64]) -> Self {
        self.each(values, f64::to_le_bytes)
    }

    /// Adds single-precision numbers.
    pub fn f32s(self, values: &[f32]) -> Self {
        self.each(values, f32::to_le_bytes)
    }

    /// Adds 64-bit whole numbers.
    pub fn u64s(self, values: &[u64]) -> Self {
        self.each(values, u64::to_le_bytes)
    }

    /// Adds 32-bit whole numbers.
    pub fn u32s(self, values: &[u32]) -> Self {
        self.each(values, u32::to_le_bytes)
    }

    /// Returns the digest as 64 hexadecimal digits.
    pub fn finish(self) -> String {
        hex(&self.0.finalize())
    }

    fn each<T: Copy, const N: usize>(mut self, values: &[T], bytes: impl Fn(T) -> [u8; N]) -> Self {
        let mut buffer = Vec::with_capacity(4096);
        for some in values.chunks(4096 / N) {
            buffer.clear();
            some.iter().for_each(|&value| buffer.extend_from_slice(&bytes(value)));
            self.0.update(&buffer);
        }
        self
    }
}

/// Formats bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        // Writing to a string never fails.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_plain_sha256_of_the_bytes() {
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(ModelDigest::default().bytes(b"abc").finish(), abc);
        let values: Vec<f64> = (0..5000).map(f64::from).collect();
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        assert_eq!(
            ModelDigest::default().f64s(&values).finish(),
            ModelDigest::default().bytes(&bytes).finish()
        );
    }

    #[test]
    fn widths_and_order_matter() {
        let one = |digest: ModelDigest| digest.finish();
        let digests = [
            one(ModelDigest::default().f64s(&[1.0, 2.0])),
            one(ModelDigest::default().f64s(&[2.0, 1.0])),
            one(ModelDigest::default().f32s(&[1.0, 2.0])),
            one(ModelDigest::default().u64s(&[1, 2])),
            one(ModelDigest::default().u32s(&[1, 2])),
        ];
        for (position, digest) in digests.iter().enumerate() {
            assert!(!digests[..position].contains(digest));
        }
    }
}
