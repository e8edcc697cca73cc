//! Checksums, which detect accidental changes of bytes. They do not authenticate a sender: the handshake
//! does.

use std::io::{self, Read};

use crate::base::random::splitmix64;

/// Number of bytes of a checksum on a connection.
pub(crate) const SUM: usize = 8;
/// Bytes of a file that are summed at once.
const PIECE: u64 = 1 << 20;

/// Checksum of bytes and of a number, such as their place in a sequence. Bytes that differ in one word of
/// eight always have another one.
pub(crate) fn sum(number: u64, bytes: &[u8]) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut lanes = [1_u64, 2, 3, 4];
    let (whole, rest) = bytes.split_at(bytes.len() / 32 * 32);
    // Words are copied by the block: that costs nothing beside the products, and little in a build that is
    // not optimised.
    let mut words = [[0_u64; 4]; 16];
    for block in whole.chunks(size_of_val(&words)) {
        bytemuck::cast_slice_mut(&mut words)[..block.len()].copy_from_slice(block);
        for of_lanes in &words[..block.len() / 32] {
            lanes[0] = (lanes[0] ^ of_lanes[0]).wrapping_mul(ODD).rotate_left(29);
            lanes[1] = (lanes[1] ^ of_lanes[1]).wrapping_mul(ODD).rotate_left(29);
            lanes[2] = (lanes[2] ^ of_lanes[2]).wrapping_mul(ODD).rotate_left(29);
            lanes[3] = (lanes[3] ^ of_lanes[3]).wrapping_mul(ODD).rotate_left(29);
        }
    }
    for (at, &byte) in rest.iter().enumerate() {
        lanes[at % 4] = (lanes[at % 4] ^ u64::from(byte) ^ 0x100).wrapping_mul(ODD);
    }
    lanes.into_iter().fold(splitmix64(number), |sum, lane| splitmix64(sum ^ lane))
}

/// Checksum of the bytes of a file.
pub(crate) fn sum_of(mut file: impl Read) -> io::Result<u64> {
    let (mut all, mut piece) = (0, Vec::new());
    loop {
        piece.clear();
        if file.by_ref().take(PIECE).read_to_end(&mut piece)? == 0 {
            return Ok(all);
        }
        all = sum(all, &piece);
    }
}
